//! A plan for a list of statements, of which later ones read what earlier ones compute.

use crate::planner::Planner;
use crate::step::{Plan, Read};
use crate::together::Group;
use openwork_base::Result;
use openwork_index::check::Assignment;
use openwork_index::schedule::Schedule;
use openwork_index::{Kind, TensorId};
use openwork_lower::cost;

/// What is done for a list of statements.
#[derive(Clone, Debug)]
pub struct ListPlan {
    /// The plan of each statement.
    pub plans: Vec<Plan>,
    /// What is done, in order.
    pub actions: Vec<Action>,
    /// For each statement, the operands that statements before it compute.
    pub reads: Vec<Vec<Read>>,
}

/// One thing to do for a list of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Takes the steps of one statement.
    Run(usize),
    /// Runs the kernels of several statements over the same parts of a dimension, one part after the other.
    Together(Vec<usize>),
    /// Gives back what a statement computed: nobody reads it any more.
    Free(usize),
}

impl Planner<'_> {
    /// A plan for statements that are computed one after the other. A statement reads the result of the last one before it
    /// that computes a tensor of the operand's name, or else what the caller gives. `asked`: whether the caller wants the
    /// result of a statement; others are given back once nobody reads them.
    ///
    /// # Errors
    /// As [`Planner::plan`], for the first statement that is refused.
    pub fn plan_list(&self, list: &[Assignment], asked: &dyn Fn(usize) -> bool) -> Result<ListPlan> {
        let reads: Vec<Vec<Read>> = (0..list.len()).map(|n| reads(list, n)).collect();
        let mut plans: Vec<Plan> = Vec::new();
        for (a, reads) in list.iter().zip(&reads) {
            let plan = self.plan(&estimated(a, reads, &plans), &Schedule::new())?;
            plans.push(plan);
        }
        let mut actions = Vec::new();
        let mut next = 0;
        while next < plans.len() {
            let group = Group::of(list, &plans, &reads, next);
            let end = next + group.len();
            actions.push(if end - next > 1 {
                Action::Together((next..end).collect())
            } else {
                Action::Run(next)
            });
            let last = |made: usize| {
                let reader = reads.iter().rposition(|all| all.iter().any(|r| r.of == made));
                reader.unwrap_or(made).max(made)
            };
            let done = (0..end).filter(|&made| (next..end).contains(&last(made)) && !asked(made));
            actions.extend(done.map(Action::Free));
            next = end;
        }
        Ok(ListPlan { plans, actions, reads })
    }
}

/// The operands of a statement that others before it compute.
fn reads(list: &[Assignment], n: usize) -> Vec<Read> {
    let name_of = |a: &Assignment| a.tensors[a.lhs.tensor].name.clone();
    let operands = list[n].tensors.iter().filter(|(_, t)| t.kind == Kind::Operand);
    let mut all: Vec<Read> = Vec::new();
    for (_, t) in operands {
        let made = (0..n).rev().find(|&k| name_of(&list[k]) == t.given);
        if let Some(of) = made.filter(|_| all.iter().all(|r| r.name != t.given)) {
            all.push(Read { name: t.given.clone(), of });
        }
    }
    all
}

/// The statement with estimates of how many values its operands store that are not there yet.
fn estimated(a: &Assignment, reads: &[Read], plans: &[Plan]) -> Assignment {
    let mut a = a.clone();
    for read in reads {
        let program = &plans[read.of].concrete.program;
        let stored = cost::estimate(program).stored;
        let own: Vec<TensorId> = a.tensors.ids().collect();
        for id in own {
            let t = &mut a.tensors[id];
            if t.kind == Kind::Operand && t.given == read.name && t.stored.is_none() && !t.format.is_full() {
                t.stored = Some(stored as usize);
            }
        }
    }
    a
}
