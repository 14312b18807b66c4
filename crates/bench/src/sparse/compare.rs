//! One comparison: the same result computed by us and by peers, in turns.

use super::table::{PeerColumn, PeerTable, WeightedSums};
use super::{SparseSetting, Text, decl, text};
use crate::timing::{TimedSubject, median, rounds};
use openwork::{DType, Decl, Decls, Format, Kernel, Session, Tensor};
use std::time::{Duration, Instant};

/// Where results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerMemory {
    /// Each in memory of its own, as the libraries do.
    New,
    /// Into that of the result before, as loops in C do.
    Kept,
}

/// A way of computing the result that is not ours.
pub struct PeerRun<'a> {
    pub column: PeerColumn,
    pub sums: Box<dyn Fn() -> Text<WeightedSums> + 'a>,
    pub time: Box<dyn FnMut() -> Duration + 'a>,
}

/// A statement with its operands, compiled for several numbers of threads.
pub struct CompiledStatement<'a> {
    operands: Vec<(&'a str, &'a Tensor)>,
    kernels: Vec<(usize, Kernel)>,
}

impl<'a> CompiledStatement<'a> {
    /// Compiles a statement whose result has this format.
    ///
    /// # Errors
    /// What is wrong with the statement.
    pub fn compile(
        statement: &str,
        operands: &[(&'a str, &'a Tensor)],
        result: &str,
        format: &Format,
        threads: &[usize],
    ) -> Text<CompiledStatement<'a>> {
        let mut decls = Decls::default();
        for (name, t) in operands {
            decls.tensors.insert((*name).into(), decl(t));
        }
        let decl = Decl {
            dtype: Some(DType::F64),
            format: Some(format.clone()),
            shape: None,
            stored: None,
            elements: None,
        };
        decls.tensors.insert(result.into(), decl);
        let compile =
            |&n: &usize| Ok((n, text(Session::global().compile(statement, &decls))?.with_threads(n)));
        let kernels = threads.iter().map(compile).collect::<Text<_>>()?;
        Ok(CompiledStatement { operands: operands.to_vec(), kernels })
    }
    /// The sums of the result, the same on any number of threads.
    ///
    /// # Errors
    /// When a run fails, or threads matter.
    pub fn sums(&self) -> Text<WeightedSums> {
        let mut first: Option<WeightedSums> = None;
        for (threads, kernel) in &self.kernels {
            let sums = WeightedSums::from_tensor(&text(kernel.run(&self.operands))?.tensor)?;
            if first.is_some_and(|f| f != sums) {
                return Err(format!("another result on {threads} threads"));
            }
            first = Some(sums);
        }
        first.ok_or("nothing was compiled".into())
    }
    /// The wall time of one run of the kernel number `n`.
    pub fn time(&self, n: usize, memory: PeerMemory) -> Duration {
        let kernel = &self.kernels[n].1;
        let start = Instant::now();
        let done = kernel.run(&self.operands).expect("it ran before");
        let time = start.elapsed();
        if memory == PeerMemory::Kept {
            kernel.recycle(done.tensor);
        }
        time
    }
    /// Prints what was planned.
    pub fn explain(&self, setting: &SparseSetting) {
        if let Some((_, kernel)) = self.kernels.first().filter(|_| setting.explain) {
            println!("{}threads\n  {}", kernel.stages().explain(), kernel.parallel());
        }
    }
}

/// Times of one comparison, in milliseconds.
pub struct ComparisonTimes {
    /// By number of threads.
    pub ours: Vec<(usize, f64)>,
    pub peers: Vec<(PeerColumn, f64)>,
}

impl ComparisonTimes {
    fn ours_on(&self, threads: usize) -> Option<f64> {
        self.ours.iter().find(|(t, _)| *t == threads).map(|(_, ms)| *ms)
    }
    /// The peer's time divided by ours on as many threads.
    pub fn ratio(&self, column: &PeerColumn) -> Option<f64> {
        let theirs = self.peers.iter().find(|(c, _)| c == column)?.1;
        Some(theirs / self.ours_on(column.threads)?)
    }
    /// The fastest of the fair peers on no more threads than `threads`, and its time divided by ours.
    pub fn best(&self, threads: usize, fair: impl Fn(&PeerColumn) -> bool) -> Option<(PeerColumn, f64)> {
        let ours = self.ours_on(threads)?;
        let peers = self.peers.iter().filter(|(c, _)| c.threads <= threads && fair(c));
        peers.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(c, ms)| (*c, ms / ours))
    }
}

/// The least of some times.
fn shortest(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// Checks that all results are equal, times all in turns and adds a row.
///
/// # Errors
/// When a run of ours fails, or results differ.
pub fn compare(
    table: &mut PeerTable,
    setting: &SparseSetting,
    name: &str,
    ours: &CompiledStatement,
    peers: Vec<PeerRun>,
) -> Text<()> {
    let expected = ours.sums().map_err(|e| format!("{name}: {e}"))?;
    let mut equal: Vec<PeerRun> = Vec::new();
    for peer in peers {
        match (peer.sums)() {
            Ok(sums) if sums.agree(&expected) => equal.push(peer),
            Ok(sums) => {
                return Err(format!("{name}: {:?} gives {sums:?}, ours {expected:?}", peer.column));
            }
            Err(e) => println!("skipped: {} on {name}: {e}", peer.column.op),
        }
    }
    ours.explain(setting);
    let columns: Vec<PeerColumn> = equal.iter().map(|p| p.column).collect();
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for n in 0..ours.kernels.len() {
        subjects.push(Box::new(move || ours.time(n, setting.memory)));
    }
    subjects.extend(equal.into_iter().map(|p| p.time));
    let all = rounds(&mut subjects, setting.effort);
    let times = |of: fn(Vec<f64>) -> f64| {
        let ms: Vec<f64> = all.iter().cloned().map(of).collect();
        let (mine, theirs) = ms.split_at(ours.kernels.len());
        let ours = ours.kernels.iter().map(|(t, _)| *t).zip(mine.iter().copied()).collect();
        ComparisonTimes { ours, peers: columns.iter().copied().zip(theirs.iter().copied()).collect() }
    };
    // Beside other work, the shortest time says more about a machine than the median.
    table.row(name, [times(median), times(shortest)]);
    Ok(())
}
