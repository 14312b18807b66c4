//! The division of loops between the sides of a new where statement (workspaces paper, §4.1).

use super::pattern;
use super::precompute::Ask;
use super::uses;
use crate::cin::{Program, Stmt};
use crate::expr::{Access, Expr, IndexId, TensorId};

/// A statement on its way out of the loops.
pub(super) enum Split {
    /// It does not hold the expression.
    Absent(Stmt),
    /// The where statement has come to rest inside this.
    Placed(Stmt),
    /// The where statement is all there is: loops around it may still move into its sides.
    Moving { consumer: Stmt, producer: Stmt },
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
    pub(super) repeats: Repeats,
}

/// What becomes of rounds in which the reader of the workspace does not change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// The assignment that reads it combines them, so that the workspace may do so before.
    Absorbed,
    /// What it fills is read by another statement, which runs in every round.
    Matter,
}

pub(super) fn make_where(consumer: Stmt, producer: Stmt) -> Stmt {
    Stmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) }
}

/// Whether a statement reads something that another one assigns.
fn reads_what(reader: &Stmt, other: &Stmt) -> bool {
    let assigned: Vec<TensorId> = other.assignments().into_iter().map(|(lhs, ..)| lhs.tensor).collect();
    reader.assignments().iter().any(|(_, _, rhs)| rhs.accesses().iter().any(|a| assigned.contains(&a.tensor)))
}

/// A statement around what was split; a where statement inside of it stays there.
fn place_around(s: Split, around: &dyn Fn(Stmt) -> Stmt) -> Split {
    match s {
        Split::Absent(s) => Split::Absent(around(s)),
        Split::Placed(s) => Split::Placed(around(s)),
        Split::Moving { consumer, producer } => Split::Placed(around(make_where(consumer, producer))),
    }
}

impl Splitter<'_> {
    pub(super) fn go(&mut self, s: &Stmt) -> Split {
        match s {
            Stmt::Assign { lhs, op, rhs } => {
                let target = Access { tensor: self.w, vars: self.ask.vars.clone() };
                let read = Expr::Access(target.clone());
                match pattern::replace(self.p, self.ask.expr, rhs, &read) {
                    None => Split::Absent(s.clone()),
                    Some(found) => Split::Moving {
                        consumer: Stmt::Assign { lhs: lhs.clone(), op: *op, rhs: found.rest },
                        producer: Stmt::Assign { lhs: target, op: None, rhs: found.part },
                    },
                }
            }
            Stmt::Forall { index, body } => match self.go(body) {
                Split::Moving { consumer, producer } => self.out_of(*index, consumer, producer),
                other => place_around(other, &|s| Stmt::Forall { index: *index, body: Box::new(s) }),
            },
            Stmt::Where { consumer, producer } => self.out_of_where(consumer, producer),
            Stmt::Seq(all) => self.list(s, all, Stmt::Seq),
            Stmt::Multi(all) => self.list(s, all, Stmt::Multi),
            Stmt::Nop => Split::Absent(Stmt::Nop),
        }
    }
    /// The where statement leaves another one, which nothing in its right side depends on (§3.3): both sides of the other
    /// stay together.
    fn out_of_where(&mut self, consumer: &Stmt, producer: &Stmt) -> Split {
        match self.go(consumer) {
            Split::Moving { consumer: reader, producer: filler } if !reads_what(&filler, producer) => {
                return Split::Moving { consumer: make_where(reader, producer.clone()), producer: filler };
            }
            Split::Absent(_) => {}
            found => return place_around(found, &|s| make_where(s, producer.clone())),
        }
        match self.go(producer) {
            Split::Moving { consumer: reader, producer: filler } => {
                self.repeats = Repeats::Matter;
                Split::Moving { consumer: make_where(consumer.clone(), reader), producer: filler }
            }
            other => place_around(other, &|s| make_where(consumer.clone(), s)),
        }
    }
    fn list(&mut self, s: &Stmt, all: &[Stmt], list: fn(Vec<Stmt>) -> Stmt) -> Split {
        for (n, one) in all.iter().enumerate() {
            if let Split::Placed(one) = place_around(self.go(one), &|s| s) {
                let mut parts = all.to_vec();
                parts[n] = one;
                return Split::Placed(list(parts));
            }
        }
        Split::Absent(s.clone())
    }
    /// One step of the paper's loop: `forall v` around the where statement.
    fn out_of(&mut self, v: IndexId, consumer: Stmt, producer: Stmt) -> Split {
        let around = |s: Stmt| Stmt::Forall { index: v, body: Box::new(s) };
        match (uses(&consumer, v), uses(&producer, v)) {
            (true, true) if self.ask.vars.contains(&v) => {
                self.crossed.push(v);
                Split::Moving { consumer: around(consumer), producer: around(producer) }
            }
            (true, false) => Split::Moving { consumer: around(consumer), producer },
            // What reads the workspace repeats for every round, unless it combines them itself.
            (false, true) if self.repeats == Repeats::Absorbed => {
                self.adds_up = Some(v);
                Split::Moving { consumer, producer: around(producer) }
            }
            _ => Split::Placed(around(make_where(consumer, producer))),
        }
    }
}
