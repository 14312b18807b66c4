//! The variants of a plan in words, and which of them runs take.

use crate::stages::Stages;
use openwork_base::Result;
use openwork_base::machine::forced_variant;
use openwork_execute::{Relied, relied_on};
use openwork_index::{Access, TensorId};
use openwork_lower::cost::CostFacts;
use openwork_planner::{Guard, Variant};
use openwork_storage::Tensor;
use std::fmt;

/// A variant of a plan, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is called.
    pub name: &'static str,
    /// What it does, and when.
    pub what: String,
    /// Which runs take it, as far as that is known before a run.
    pub taken: TakenBy,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken = self.taken.describe().map(|by| format!(" ({by})")).unwrap_or_default();
        write!(f, "{:<10}  {}{taken}", self.name, self.what)
    }
}

/// Which runs take a variant of a plan, as far as that is known before a run: by the sizes of the declared operands, and by the
/// operands that are given, where some are; others are taken to be what the plan relies on and to store the same elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBy {
    /// These runs.
    Runs(SomeRuns),
    /// These runs try it first: whether its result is taken shows afterwards.
    TriedBy(SomeRuns),
    /// Those in which the variant with this number had something in its result that it must not have.
    After(usize),
    /// None, or what the operands have to be for it is not known.
    Others,
}

/// Some of all runs with the same operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SomeRuns {
    /// All of them.
    Every,
    /// The first ones.
    First,
    /// Those after the first ones.
    Later,
}

impl SomeRuns {
    fn name(self) -> &'static str {
        match self {
            SomeRuns::Every => "every run",
            SomeRuns::First => "first runs",
            SomeRuns::Later => "later runs",
        }
    }
}

impl TakenBy {
    /// When the variant is taken, in words; nothing for one that runs only now and then.
    pub fn describe(self) -> Option<String> {
        match self {
            TakenBy::Runs(runs) => Some(runs.name().into()),
            TakenBy::TriedBy(runs) => Some(format!("tried first in {}", runs.name())),
            TakenBy::After(number) => Some(format!("where the result of {number} is rejected")),
            TakenBy::Others => None,
        }
    }
}

impl Stages {
    /// The stages with a look at operands, so that an explanation tells which variants runs with these take. Operands that are
    /// not given are taken to be what the plan relies on.
    ///
    /// # Errors
    /// `E0606` when it was asked to stop.
    pub fn with_given(mut self, given: &[(&str, &Tensor)]) -> Result<Stages> {
        let named = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, t)| *t);
        self.facts.relied = match &self.relies {
            Some(relies) => {
                let tensors = &relies.assignment.tensors;
                let mut read = relies.checks.iter().flat_map(|check| check.value.accesses());
                let all = read.all(|a| named(&tensors[a.tensor].given).is_some());
                if all { Some(relied_on(relies, given)?) } else { None }
            }
            None => None,
        };
        let tensors = &self.plan.program.tensors;
        // What is stored differently before the kernel is not there to be looked at.
        let own = |id: TensorId| {
            let t = named(&tensors[id].given)?;
            openwork_execute::same_layout(t.format(), &tensors[id].format).then_some(t)
        };
        let guards = self.variants.iter().flat_map(|v| &v.guards);
        let same = guards.filter_map(|guard| match guard {
            Guard::SameStructure { operand, others } => {
                let (first, others) =
                    (own(*operand)?, others.iter().map(|o| own(*o)).collect::<Option<Vec<_>>>()?);
                Some((*operand, others.into_iter().all(|other| first.stores_as(other))))
            }
            _ => None,
        });
        self.facts.same = same.collect();
        Ok(self)
    }
    /// The variants of the plan, and which of them runs take.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let forced = forced_variant().map(|number| number.clamp(1, self.variants.len()) - 1);
        let found = |later: bool, from: usize| {
            let mut all = from.max(forced.unwrap_or(0))..self.variants.len();
            all.find(|&n| self.may_run(&self.variants[n], later, forced == Some(n)))
        };
        // Where the operands do not tell what a statement relies on, no variant is known to be taken.
        let known = self.facts.relied != Some(Relied::Unknown);
        let (first, later) = (found(false, 0).filter(|_| known), found(true, 0).filter(|_| known));
        let after = |n: usize, tried: Option<usize>| {
            let tried = tried?;
            let rejects = !self.variants[tried].unless.is_empty();
            (rejects && found(false, tried + 1) == Some(n)).then_some(TakenBy::After(tried + 1))
        };
        let choice = |(n, (variant, what)): (usize, (&Variant, String))| {
            let runs = match (first == Some(n), later == Some(n)) {
                (true, true) => Some(SomeRuns::Every),
                (true, false) => Some(SomeRuns::First),
                (false, true) => Some(SomeRuns::Later),
                (false, false) => None,
            };
            let taken = match runs {
                Some(runs) if variant.unless.is_empty() => TakenBy::Runs(runs),
                Some(runs) => TakenBy::TriedBy(runs),
                None => after(n, first).or(after(n, later)).unwrap_or(TakenBy::Others),
            };
            Choice { name: variant.name(), what, taken }
        };
        self.variants.iter().zip(self.described_variants()).enumerate().map(choice).collect()
    }
    /// Whether a variant may run on operands of the declared sizes, or those that are assumed where none are declared: the first
    /// time, or `later`. One that is `asked` for runs whether or not it is faster.
    fn may_run(&self, variant: &Variant, later: bool, asked: bool) -> bool {
        let enough = |operand: &TensorId, least: usize| self.slots_of(*operand) >= least as f64;
        let mut asks = variant.guards.iter().filter(|guard| !asked || !guard.is_about_speed());
        asks.all(|guard| match guard {
            Guard::Slots { operand, least } => enough(operand, *least),
            Guard::Visited { operand, least } => later || enough(operand, *least),
            Guard::Values => self.facts.relied != Some(Relied::Fails),
            Guard::SameStructure { operand, .. } => {
                self.facts.same.iter().all(|(of, same)| of != operand || *same)
            }
            Guard::NeverRejected => true,
            // Operands are lent unless somebody says otherwise.
            Guard::Taken(_) => false,
            Guard::Checked(_) => true,
        })
    }
    /// About how many values an operand has.
    fn slots_of(&self, operand: TensorId) -> f64 {
        let program = &self.plan.program;
        let facts = CostFacts::from_declarations(program);
        let all = program.body.assignments();
        let mut reads = all.iter().flat_map(|(_, _, rhs)| rhs.accesses());
        let full = program.tensors[operand].format.is_full();
        let slots = |a: &Access| if full { facts.room(a) } else { facts.stored_count(a) };
        reads.find(|a| a.tensor == operand).map_or(0.0, slots)
    }
}
