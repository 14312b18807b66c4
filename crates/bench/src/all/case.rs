//! A case: a row on a matrix. Results are compared, then everybody is timed.

use super::Text;
use super::operands::Operands;
use super::ours::{Runner, THREADS};
use super::rows::TableRow;
use super::sources::MatrixSource;
use super::turns::{Contender, ContenderKey, TurnTimes, times};
use crate::inputs::BenchRandom;
use crate::sums::WeightedSums;
use crate::worker::{PeerCall, Peers};
use std::time::Duration;

/// What a case came to on a number of threads.
#[derive(Clone, Debug)]
pub struct Cell {
    pub row: &'static str,
    pub matrix: String,
    pub nnz: usize,
    pub threads: usize,
    pub ours: TurnTimes,
    /// Peers by their operations, each on no more threads than ours.
    pub peers: Vec<(String, TurnTimes)>,
    /// Bytes of operands and result.
    pub bytes: usize,
    pub plan: String,
}

impl Cell {
    /// The peer's time divided by ours.
    pub fn ratio(&self, op: &str) -> Option<TurnTimes> {
        self.peers.iter().find(|(o, _)| o == op).map(|(_, t)| t.ratio_to(self.ours))
    }
    /// The fastest peer by its shortest time.
    pub fn best(&self) -> Option<&(String, TurnTimes)> {
        self.peers.iter().min_by(|a, b| a.1.min.total_cmp(&b.1.min))
    }
}

/// Everything that cases share.
pub struct BenchContext<'a> {
    pub worker: &'a dyn Peers,
    pub random: BenchRandom,
    /// Results that differed.
    pub wrong: Vec<String>,
    /// Peers that could not, and why, each said once.
    pub skipped: Vec<String>,
}

impl<'a> BenchContext<'a> {
    /// Nothing was compared yet.
    pub fn new(worker: &'a dyn Peers) -> BenchContext<'a> {
        let (wrong, skipped) = (Vec::new(), Vec::new());
        BenchContext { worker, random: BenchRandom(1), wrong, skipped }
    }
    /// Runs a case; nothing where nobody else computes it.
    ///
    /// # Errors
    /// When ours cannot be computed, or a run fails that went well before.
    pub fn case(
        &mut self,
        row: &TableRow,
        source: &MatrixSource,
        operands: &mut Operands,
        budget: Duration,
    ) -> Text<Vec<Cell>> {
        self.worker.forget()?;
        let (given, names) = operands.row_operands(row)?;
        let runner = Runner::new(row, operands, &given)?;
        let (expected, bytes) = runner.check()?;
        let calls = self.equal(row, source, operands, &names, expected);
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let worker = self.worker;
        let mut all: Vec<Contender> = Vec::new();
        for (n, &threads) in THREADS.iter().enumerate() {
            let runner = &runner;
            let turn = Box::new(move |warm, times| runner.turn(n, warm, times));
            all.push(Contender { key: ContenderKey::Ours, threads, turn });
        }
        for (op, call) in calls {
            let threads = call.threads;
            let turn = Box::new(move |warm, times| worker.turn(&call, warm, times));
            all.push(Contender { key: ContenderKey::Peer(op), threads, turn });
        }
        let found = times(&mut all, budget, &mut self.random)?;
        let timed: Vec<(ContenderKey, usize, TurnTimes)> =
            all.iter().zip(found).map(|(c, t)| (c.key.clone(), c.threads, t)).collect();
        let cell = |threads: usize| -> Option<Cell> {
            Some(Cell {
                row: row.name,
                matrix: source.name.clone(),
                nnz: source.facts.nnz,
                threads,
                ours: timed.iter().find(|(k, t, _)| *k == ContenderKey::Ours && *t == threads)?.2,
                peers: peers(&timed, threads),
                bytes,
                plan: runner.plan(),
            })
        };
        Ok(THREADS.iter().filter_map(|&t| cell(t)).collect())
    }
    /// The operations of peers whose results are equal to ours.
    fn equal(
        &mut self,
        row: &TableRow,
        source: &MatrixSource,
        operands: &Operands,
        names: &str,
        expected: WeightedSums,
    ) -> Vec<(String, PeerCall)> {
        let mut calls = Vec::new();
        for peer in row.peers.iter().filter(|p| self.worker.has(p.op)) {
            for &threads in peer.threads {
                let call = PeerCall { op: operands.fill_template(peer.op), threads, operands: names.into() };
                match self.worker.sums(&call) {
                    Ok(sums) if sums.agree(&expected) => calls.push((peer.op.to_string(), call)),
                    Ok(sums) => self.wrong.push(format!(
                        "{} on {}: {} on {threads} threads has {sums:?}, ours {expected:?}",
                        row.name, source.name, peer.op
                    )),
                    Err(e) => {
                        let said = format!("{}: {}: {e}", row.name, peer.op);
                        if !self.skipped.contains(&said) {
                            println!("skipped: {said} ({})", source.name);
                            self.skipped.push(said);
                        }
                    }
                }
            }
        }
        calls
    }
}

/// Each peer on at most so many threads: more do not help everywhere, and its user would choose.
fn peers(timed: &[(ContenderKey, usize, TurnTimes)], threads: usize) -> Vec<(String, TurnTimes)> {
    let mut out: Vec<(String, TurnTimes)> = Vec::new();
    for (key, on, time) in timed {
        let ContenderKey::Peer(op) = key else { continue };
        match out.iter_mut().find(|(o, _)| o == op) {
            _ if *on > threads => {}
            Some((_, before)) => *before = before.best_of(*time),
            None => out.push((op.clone(), *time)),
        }
    }
    out
}
