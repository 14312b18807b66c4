//! The cost model: how much work a program will probably do and how long it will take. The planner asks it before anything
//! runs, and a run asks it how to use threads.
//!
//! Operands are taken to be uniformly random with the number of values that [`CostFacts`] have, so that a level's expected number
//! of positions, and the chance that a coordinate is stored in it, follow from sizes alone. Loops cost what they walk,
//! assignments what they touch. The unit is about a nanosecond; only ratios matter.
//!
//! | file | what it says |
//! |---|---|
//! | `facts` | sizes and numbers of values, from outside |
//! | `computed` | what computed coordinates tell apart |
//! | `positions` | how many positions a level has |
//! | `beside` | which loops are taken in vectors |
//! | `chance` | how likely a coordinate is in a set |
//! | `prices` | what an operation takes |
//! | `visits` | how many coordinates a loop visits, and what finding them takes |
//! | this one | the cost of statements |

mod beside;
mod chance;
mod computed;
mod facts;
mod positions;
mod prices;
mod visits;

pub use beside::{adds_rows, only_rows, sums_lists, sums_rows};
pub use facts::{CostFacts, assumed_count, assumptions, coordinates};
pub use prices::CLEAR;

use crate::asked::note_estimate;
use crate::mask::mask;
use crate::space::Leaf;
use beside::lanes;
use chance::AccessChances;
use openwork_algebra::Operator;
use openwork_index::cin::Storage;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorKind};
use positions::distinct;
use prices::*;
use std::collections::BTreeSet;

/// An estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Work, in units of about a nanosecond.
    pub work: f64,
    /// Bytes of the temporaries.
    pub memory: f64,
    /// Values that the result will have.
    pub stored: f64,
    /// Assignments that one run makes.
    pub assignments: f64,
    /// Arithmetic operations of these.
    pub flops: f64,
    /// Rounds of all loops, before they are made wide.
    pub rounds: f64,
    /// Those through what is stored: others count through a dimension, which takes next to nothing where they find nothing.
    pub walked: f64,
}

/// Estimates a program from what it declares.
pub fn estimate(program: &Program) -> Cost {
    estimate_over(CostFacts::from_declarations(program))
}

/// Estimates a program from facts.
pub fn estimate_over(facts: CostFacts) -> Cost {
    let program = facts.program;
    note_estimate(program);
    let mut e = Estimator { program, facts, marked: BTreeSet::new(), cost: Cost::default() };
    let start = Context {
        weights: AccessChances::new(),
        bound: BTreeSet::new(),
        times: 1.0,
        innermost: None,
        around: None,
    };
    let work = e.stmt(&program.body, &start);
    Cost { work, ..e.cost }
}

/// Where an estimate stands.
#[derive(Clone)]
struct Context {
    weights: AccessChances,
    /// The variables of the loops around the statement.
    bound: BTreeSet<IndexId>,
    /// How often the statement runs in all.
    times: f64,
    /// The variable of the loop around the statement: what does not vary with it is read before.
    innermost: Option<IndexId>,
    /// That of the loop around this one.
    around: Option<IndexId>,
}

struct Estimator<'a> {
    program: &'a Program,
    facts: CostFacts<'a>,
    /// Sparse temporaries that are read beside a mask only.
    marked: BTreeSet<TensorId>,
    cost: Cost,
}

impl Estimator<'_> {
    fn stmt(&mut self, s: &CinStmt, cx: &Context) -> f64 {
        match s {
            CinStmt::Nop => 0.0,
            CinStmt::Seq(all) | CinStmt::Multi(all) => all.iter().map(|s| self.stmt(s, cx)).sum(),
            CinStmt::Forall { index, body } => self.forall(*index, body, cx),
            CinStmt::Where { consumer, producer } => {
                self.marked.extend(self.mask(producer, consumer).map(|(t, _)| t));
                let produced = self.stmt(producer, cx);
                let marks =
                    self.mask(producer, consumer).map_or(0.0, |(_, mask)| MARK * self.facts.slots(&mask));
                produced + marks + self.temporary(producer, cx) + self.stmt(consumer, cx)
            }
            CinStmt::Assign { lhs, op, rhs } => self.assign(lhs, *op, rhs, cx),
        }
    }
    fn assign(&mut self, lhs: &Access, op: Option<&Operator>, rhs: &IndexExpr, cx: &Context) -> f64 {
        let t = &self.program.tensors[lhs.tensor];
        // An element of a large array that is not visited in order is a cache miss or two.
        let varies = |a: &&Access| cx.innermost.is_none_or(|v| a.vars.contains(&v));
        let loads = rhs.accesses().into_iter().filter(varies).count() as f64 * LOAD;
        let store = match t.kind {
            TensorKind::Result if t.format.is_dense() && self.stays(lhs, cx) => KEEP,
            TensorKind::Result if t.format.is_dense() => STORE,
            TensorKind::Result => APPEND,
            TensorKind::Operand | TensorKind::Predicate => 0.0,
            TensorKind::Temp if t.format.is_dense() => KEEP,
            TensorKind::Temp if self.marked.contains(&lhs.tensor) => MARKED_INSERT,
            TensorKind::Temp if self.hashes(lhs) => HASHED_INSERT,
            TensorKind::Temp => match self.facts.room(lhs) * t.dtype.size() as f64 {
                room if room < CACHE => INSERT,
                _ => INSERT + MISS,
            },
        };
        if t.kind == TensorKind::Result {
            self.cost.stored += cx.times;
        }
        let operators = operators(op, rhs) as f64;
        self.cost.assignments += cx.times;
        self.cost.flops += cx.times * operators;
        // A product that is added is one.
        loads + store + OPERATE * (operators - 2.0).max(0.0)
    }
    /// Whether what is assigned is the same row in every round of the loop around the innermost one.
    fn stays(&self, lhs: &Access, cx: &Context) -> bool {
        let varies = |v: Option<IndexId>| v.is_some_and(|v| lhs.vars.contains(&v));
        cx.around.is_some() && varies(cx.innermost) && !varies(cx.around)
    }
    /// The mask beside which a temporary is read, as far as it shows before a graph is made.
    fn mask(&self, producer: &CinStmt, reader: &CinStmt) -> Option<(TensorId, Leaf)> {
        let t = producer.target()?;
        Some((t.tensor, mask(self.program, t, reader, &|l| self.facts.level(l).lists_coords())?))
    }
    /// Whether a sparse temporary is a hash table.
    fn hashes(&self, a: &Access) -> bool {
        crate::temporaries::storage_of(self.program, a) == Storage::Hash
    }

    /// Clearing and reading out what a producer fills.
    fn temporary(&mut self, producer: &CinStmt, cx: &Context) -> f64 {
        let Some((lhs, _, _)) = producer.assignments().last().copied() else { return 0.0 };
        let t = &self.program.tensors[lhs.tensor];
        if t.kind != TensorKind::Temp || lhs.vars.is_empty() {
            return 0.0;
        }
        let (room, bytes) = (self.facts.room(lhs), t.dtype.size() as f64);
        if t.format.is_dense() {
            self.cost.memory += room * bytes;
            if room > self.most_dense() {
                return f64::INFINITY;
            }
            return room * CLEAR + self.faults(room * bytes, cx);
        }
        if room >= i64::MAX as f64 {
            // Its coordinates cannot be numbered.
            return f64::INFINITY;
        }
        let held = distinct(self.count_assignments(producer, cx), room);
        self.facts.holds(lhs.tensor, held);
        let hashed = self.hashes(lhs);
        let footprint = if hashed { held * (bytes + 40.0) } else { room * (bytes + 0.2) };
        self.cost.memory += footprint;
        if self.marked.contains(&lhs.tensor) {
            return self.faults(footprint.min(held * PAGE), cx);
        }
        let look = if hashed { LOOK } else { LOOK + WORD * room / BITS };
        look + held * if hashed { HASHED_EXTRACT } else { EXTRACT }
            + self.faults(footprint.min(held * PAGE), cx)
    }
    /// The most elements of a dense temporary: memory is bounded by what is stored, however sparse that is.
    fn most_dense(&self) -> f64 {
        let reads = self.program.reads.iter().map(|a| self.facts.stored_count(a)).sum::<f64>();
        (DENSE * reads).max(SMALL)
    }
    /// What the first touch of a workspace's pages costs each run of its loops: memory is taken once.
    fn faults(&self, touched: f64, cx: &Context) -> f64 {
        touched * FAULT / cx.times.max(1.0)
    }
    /// How many assignments one run of a statement makes.
    fn count_assignments(&self, s: &CinStmt, cx: &Context) -> f64 {
        match s {
            CinStmt::Nop => 0.0,
            CinStmt::Assign { .. } => 1.0,
            CinStmt::Forall { index, body } => {
                let visits = self.visits(*index, body, cx);
                visits.count * self.count_assignments(body, &visits.inner)
            }
            CinStmt::Where { consumer, .. } => self.count_assignments(consumer, cx),
            CinStmt::Seq(all) | CinStmt::Multi(all) => {
                all.iter().map(|s| self.count_assignments(s, cx)).sum()
            }
        }
    }

    fn forall(&mut self, v: IndexId, body: &CinStmt, cx: &Context) -> f64 {
        let visits = self.visits(v, body, cx);
        self.cost.rounds += cx.times * visits.rounds;
        if !visits.dimension {
            self.cost.walked += cx.times * visits.rounds;
        }
        let each = self.stmt(body, &visits.inner);
        let lanes = if visits.dimension { lanes(self.program, v, body, visits.count) } else { 1.0 };
        (visits.work + visits.count * each) / lanes
    }
}

/// How many operators an assignment applies.
fn operators(op: Option<&Operator>, rhs: &IndexExpr) -> usize {
    let mut all = op.iter().count();
    rhs.visit(&mut |e| all += usize::from(matches!(e, IndexExpr::Call { .. })));
    all
}
