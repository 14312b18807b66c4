//! The division of loops between the sides of a new where statement (workspaces paper, §4.1).

use super::pattern;
use super::precompute::Ask;
use super::uses;
use crate::cin::{CinStmt, Program};
use crate::expr::{Access, IndexExpr, IndexId, TensorId};

/// A statement on its way out of the loops.
pub(super) enum StatementSplit {
    /// It does not hold the expression.
    Absent(CinStmt),
    /// The where statement has come to rest inside this.
    Placed(CinStmt),
    /// The where statement is all there is: loops around it may still move into its sides.
    Moving { consumer: CinStmt, producer: CinStmt },
}

/// The transformation under way.
pub(super) struct Splitter<'a> {
    pub(super) p: &'a Program,
    pub(super) ask: &'a Ask<'a>,
    pub(super) w: TensorId,
    /// Variables of the workspace whose loops have moved into both sides.
    pub(super) crossed: Vec<IndexId>,
    /// Whether a loop has moved into the workspace's side only.
    pub(super) adds_up: Option<IndexId>,
    pub(super) repeats: RepeatedRounds,
}

/// What becomes of rounds in which the reader of the workspace does not change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RepeatedRounds {
    /// The assignment that reads it combines them, so that the workspace may do so before.
    Absorbed,
    /// What it fills is read by another statement, which runs in every round.
    Matter,
}

pub(super) fn make_where(consumer: CinStmt, producer: CinStmt) -> CinStmt {
    CinStmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) }
}

/// Whether a statement reads something that another one assigns.
fn reads_what(reader: &CinStmt, other: &CinStmt) -> bool {
    let assigned: Vec<TensorId> = other.assignments().into_iter().map(|(lhs, ..)| lhs.tensor).collect();
    reader.assignments().iter().any(|(_, _, rhs)| rhs.accesses().iter().any(|a| assigned.contains(&a.tensor)))
}

/// A statement around what was split; a where statement inside of it stays there.
fn place_around(s: StatementSplit, around: &dyn Fn(CinStmt) -> CinStmt) -> StatementSplit {
    match s {
        StatementSplit::Absent(s) => StatementSplit::Absent(around(s)),
        StatementSplit::Placed(s) => StatementSplit::Placed(around(s)),
        StatementSplit::Moving { consumer, producer } => {
            StatementSplit::Placed(around(make_where(consumer, producer)))
        }
    }
}

impl Splitter<'_> {
    pub(super) fn go(&mut self, s: &CinStmt) -> StatementSplit {
        match s {
            CinStmt::Assign { lhs, op, rhs } => {
                let target = Access { tensor: self.w, vars: self.ask.vars.clone() };
                let read = IndexExpr::Access(target.clone());
                match pattern::replace(self.p, self.ask.expr, rhs, &read) {
                    None => StatementSplit::Absent(s.clone()),
                    Some(found) => StatementSplit::Moving {
                        consumer: CinStmt::Assign { lhs: lhs.clone(), op: *op, rhs: found.rest },
                        producer: CinStmt::Assign { lhs: target, op: None, rhs: found.part },
                    },
                }
            }
            CinStmt::Forall { index, body } => match self.go(body) {
                StatementSplit::Moving { consumer, producer } => self.out_of(*index, consumer, producer),
                other => place_around(other, &|s| CinStmt::Forall { index: *index, body: Box::new(s) }),
            },
            CinStmt::Where { consumer, producer } => self.out_of_where(consumer, producer),
            CinStmt::Seq(all) => self.list(s, all, CinStmt::Seq),
            CinStmt::Multi(all) => self.list(s, all, CinStmt::Multi),
            CinStmt::Nop => StatementSplit::Absent(CinStmt::Nop),
        }
    }
    /// The where statement leaves another one, which nothing in its right side depends on (§3.3): both sides of the other
    /// stay together.
    fn out_of_where(&mut self, consumer: &CinStmt, producer: &CinStmt) -> StatementSplit {
        match self.go(consumer) {
            StatementSplit::Moving { consumer: reader, producer: filler }
                if !reads_what(&filler, producer) =>
            {
                return StatementSplit::Moving {
                    consumer: make_where(reader, producer.clone()),
                    producer: filler,
                };
            }
            StatementSplit::Absent(_) => {}
            found => return place_around(found, &|s| make_where(s, producer.clone())),
        }
        match self.go(producer) {
            StatementSplit::Moving { consumer: reader, producer: filler } => {
                self.repeats = RepeatedRounds::Matter;
                StatementSplit::Moving { consumer: make_where(consumer.clone(), reader), producer: filler }
            }
            other => place_around(other, &|s| make_where(consumer.clone(), s)),
        }
    }
    fn list(&mut self, s: &CinStmt, all: &[CinStmt], list: fn(Vec<CinStmt>) -> CinStmt) -> StatementSplit {
        for (n, one) in all.iter().enumerate() {
            if let StatementSplit::Placed(one) = place_around(self.go(one), &|s| s) {
                let mut parts = all.to_vec();
                parts[n] = one;
                return StatementSplit::Placed(list(parts));
            }
        }
        StatementSplit::Absent(s.clone())
    }
    /// One step of the paper's loop: `forall v` around the where statement.
    fn out_of(&mut self, v: IndexId, consumer: CinStmt, producer: CinStmt) -> StatementSplit {
        let around = |s: CinStmt| CinStmt::Forall { index: v, body: Box::new(s) };
        match (uses(&consumer, v), uses(&producer, v)) {
            (true, true) if self.ask.vars.contains(&v) => {
                self.crossed.push(v);
                StatementSplit::Moving { consumer: around(consumer), producer: around(producer) }
            }
            (true, false) => StatementSplit::Moving { consumer: around(consumer), producer },
            // What reads the workspace repeats for every round, unless it combines them itself.
            (false, true) if self.repeats == RepeatedRounds::Absorbed => {
                self.adds_up = Some(v);
                StatementSplit::Moving { consumer, producer: around(producer) }
            }
            _ => StatementSplit::Placed(around(make_where(consumer, producer))),
        }
    }
}
