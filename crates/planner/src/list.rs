//! A plan for a list of statements, of which later ones read what earlier ones compute.

use crate::joining::{JoinedStatements, PlannedList};
use crate::step::{Plan, Read, Step};
use crate::together::StatementGroup;
use openwork_base::Result;
use openwork_index::check::Assignment;
use openwork_index::{Access, Decl, TensorKind};
use openwork_levels::Registry;
use openwork_lower::{Lowered, cost, find_places, leaves_elements};

/// The plan of a list of statements: what is done, one action after the other.
#[derive(Clone, Debug)]
pub struct ListPlan {
    /// The plan of each statement.
    pub plans: Vec<Plan>,
    /// What is done, in order.
    pub actions: Vec<Action>,
    /// For each statement, the operands that statements before it compute.
    pub reads: Vec<Vec<Read>>,
    /// Statements that run together and that one kernel computes.
    pub joined: Vec<JoinedStatements>,
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

impl ListPlan {
    /// The plan of statements that are computed one after the other, each with a plan of its own. A statement reads the result
    /// of the last one before it that computes a tensor of the operand's name, or else what the caller gives. `asked`: whether
    /// the caller wants the result of a statement; others are given back once nobody reads them. `pays`: whether a kernel of several
    /// statements is worth while on the target, as far as their loops tell.
    ///
    /// A statement that changes few elements of an operand which nobody reads afterwards runs alone, in the memory of it: beside
    /// others it would visit all of them.
    ///
    /// # Errors
    /// Those of `pays`.
    pub fn from_plans(
        list: &[Assignment],
        plans: Vec<Plan>,
        asked: &dyn Fn(usize) -> bool,
        registry: &Registry,
        pays: &dyn Fn(&JoinedStatements, &[Plan]) -> Result<bool>,
    ) -> Result<ListPlan> {
        let reads: Vec<Vec<Read>> = (0..list.len()).map(|n| reads(list, n)).collect();
        let planned = PlannedList { list, plans: &plans, reads: &reads, alone: &[], pays };
        let alone: Vec<bool> =
            (0..plans.len()).map(|n| changes_few_elements(planned, n, asked, registry)).collect();
        let planned = PlannedList { alone: &alone, ..planned };
        let (mut actions, mut joined) = (Vec::new(), Vec::new());
        let mut next = 0;
        while next < plans.len() {
            let group = StatementGroup::collect(list, &plans, &reads, &alone, next);
            let mut end = next + group.len();
            if end - next > 1 {
                joined.extend(planned.join_neighbours(next, end)?);
            } else if let Some(one) = planned.join_others(next)? {
                end = next + one.statements.len();
                joined.push(one);
            }
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
        Ok(ListPlan { plans, actions, reads, joined })
    }
}

impl Plan {
    /// What later statements know of the result: how it is stored, its fill value included, and about how many values it has.
    pub fn result_decl(&self) -> Decl {
        let program = &self.concrete.program;
        let result = program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result);
        let (id, t) = result.expect("every program has a result");
        let finish = self.steps.iter().find_map(Step::finish).cloned();
        let lhs = program.body.assignments().into_iter().map(|(lhs, ..)| lhs).find(|a| a.tensor == id);
        let size = |a: &Access| t.mode_vars(a).iter().map(|&v| program.indices[v].size).collect();
        let format = finish.unwrap_or_else(|| t.declared_format()).with_fill(t.fill.to_string());
        let stored = (!t.format.is_full()).then(|| cost::estimate(program).stored as usize);
        Decl { dtype: Some(t.dtype), format: Some(format), shape: lhs.and_then(size), stored, elements: None }
    }
}

/// Whether statement `n` changes few elements of an operand that nobody reads afterwards.
fn changes_few_elements(
    planned: PlannedList,
    n: usize,
    asked: &dyn Fn(usize) -> bool,
    registry: &Registry,
) -> bool {
    let PlannedList { list, reads, plans, .. } = planned;
    let source = |k: usize, name: &str| reads[k].iter().find(|r| r.name == name).map(|r| r.of);
    let operands = |k: usize| list[k].tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
    let Lowered { iteration, parallel, .. } = &plans[n].lowered;
    find_places(iteration, parallel).iter().any(|place| {
        let name = iteration.program.tensors[place.operand].given.as_str();
        let made = source(n, name);
        let reads_it = |k: usize| operands(k).any(|(_, t)| t.given == name) && source(k, name) == made;
        let dies = !(n + 1..list.len()).any(reads_it) && !made.is_some_and(asked);
        dies && leaves_elements(&iteration.program, place.operand, registry)
    })
}

/// The operands of a statement that others before it compute.
fn reads(list: &[Assignment], n: usize) -> Vec<Read> {
    let name_of = |a: &Assignment| a.tensors[a.lhs.tensor].name.clone();
    let operands = list[n].tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
    let mut all: Vec<Read> = Vec::new();
    for (_, t) in operands {
        let made = (0..n).rev().find(|&k| name_of(&list[k]) == t.given);
        if let Some(of) = made.filter(|_| all.iter().all(|r| r.name != t.given)) {
            all.push(Read { name: t.given.clone(), of });
        }
    }
    all
}
