//! Results in the memory of an operand that is needed no more.
//!
//! ```text
//! forall i d(i) = min(d_old(i), t(i))                         forall i d(i) min= t(i)
//! {forall j y(j) = y_old(j); forall i forall j y(j) += …}     forall i forall j y(j) += …
//! forall i x(i) = a * x_old(i) + b(i)                         forall i x(i) = a * x(i) + b(i)
//! ```
//! The result begins with the values of the operand, so that what stays needs no copy, and what only combines with what is
//! there visits no more than its other operands store. Every element is read before it is assigned: the law of memory at the
//! top of `execute` says so.

use crate::Decide;
use crate::annihilate::checks_against_deciding;
use crate::assembly::assigned_result;
use crate::chunks::{ChunkJoin, Parallel};
use crate::graph::coverage::{Covered, coverage};
use crate::iteration::Iteration;
use openwork_algebra::Operator;
use openwork_index::assume::Check;
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexExpr, Program, TensorId, TensorKind, TensorVar};
use openwork_levels::Registry;

/// An operand in whose memory the result may be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct InPlace {
    /// The operand.
    pub operand: TensorId,
    /// What must hold of values, as what is made cannot be rejected: the operand is gone then.
    pub checks: Vec<Check>,
}

/// The operands in whose memory the result of a program may be computed. `parallel` is how the kernel of the program is divided:
/// one that is divided in another way would add floats in another order.
pub fn find_places(iteration: &Iteration, parallel: &Parallel) -> Vec<InPlace> {
    let program = &iteration.program;
    let operands = program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand);
    let ids = operands.map(|(id, _)| id);
    // What does nothing but copy has variants of its own.
    let does = |id| compute_in_place(program, id).is_some_and(|p| p.body != CinStmt::Nop);
    let places = ids.filter(|&id| divides_alike(program, parallel) && fits(iteration, id) && does(id));
    let all: Vec<TensorId> = places.collect();
    if all.is_empty() {
        return Vec::new();
    }
    let Some(checks) = checks_against_deciding(program) else { return Vec::new() };
    all.into_iter().map(|operand| InPlace { operand, checks: checks.clone() }).collect()
}

/// The program that computes its result in the memory of an operand, which [`find_places`] found, of one whose annihilators are
/// decided.
pub fn compute_in_place(program: &Program, operand: TensorId) -> Option<Program> {
    let result = assigned_result(program)?.clone();
    let to = |a: Access| if a.tensor == operand { Access { tensor: result.tensor, ..a } } else { a };
    let body =
        Rewriter { program, result: &program.tensors[result.tensor], to: &to }.stmt(program.body.clone());
    Some(Program { body, begins: Some(operand), ..program.clone() })
}

/// Whether the program that computes its result in the memory of an operand, which [`find_places`] found, leaves elements as they
/// are that it does not visit, in each of its nests: its time follows from what other operands store.
pub fn leaves_elements(program: &Program, operand: TensorId, registry: &Registry) -> bool {
    let Some(placed) = compute_in_place(program, operand) else { return false };
    let nests = match placed.body.clone() {
        CinStmt::Seq(all) => all,
        s => vec![s],
    };
    nests.into_iter().all(|body| {
        let nest = Program { body, ..placed.clone() };
        let Ok(Iteration { program, graph, .. }) = Iteration::build(&nest, registry, Decide::Hidden) else {
            return false;
        };
        let Some(result) = assigned_result(&program) else { return false };
        let skipped = coverage(&graph, &program, result, &[]).skipped;
        result.vars.iter().any(|v| skipped.contains(v))
    })
}

/// Whether the outermost loop is what is divided, so that no loop around it has its rounds in another order.
fn divides_alike(program: &Program, parallel: &Parallel) -> bool {
    match parallel {
        Parallel::Serial { .. } => true,
        Parallel::Chunks(chunks) => {
            let outermost = |s: &CinStmt| matches!(s, CinStmt::Forall { index, .. } if *index == chunks.var);
            let all = match &program.body {
                CinStmt::Seq(all) => all.iter().all(outermost),
                s => outermost(s),
            };
            all && matches!(chunks.join, ChunkJoin::Slices { .. })
        }
    }
}

fn fits(iteration: &Iteration, operand: TensorId) -> bool {
    let Iteration { program, graph, .. } = iteration;
    let Some(result) = assigned_result(program) else { return false };
    let (from, to) = (&program.tensors[operand], &program.tensors[result.tensor]);
    let whole = |t: &TensorVar| t.format.is_dense() && t.format.remap.is_none() && t.remap.is_none();
    let alike = whole(from) && whole(to) && !from.is_windowed();
    let alike = alike && from.dtype == to.dtype && from.format.modes == to.format.modes;
    // A part of the same tensor is another operand.
    let others =
        program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand && t.given == from.given);
    let in_order = program.assembly == AssemblyMode::InOrder && !result.vars.is_empty();
    let mut derived = result.vars.iter().map(|&v| &program.indices[v].derived);
    let order = ReadOrder { operand, result };
    alike
        && others.count() == 1
        && in_order
        && derived.all(Option::is_none)
        && order.reads_each_first(&program.body)
        && order.reads(&program.body)
        && coverage(graph, program, result, &[]).covered == Covered::All
}

/// The order in which the elements of an operand are read and those of a result are assigned.
struct ReadOrder<'a> {
    operand: TensorId,
    result: &'a Access,
}

impl ReadOrder<'_> {
    fn reads(&self, s: &CinStmt) -> bool {
        let all = s.assignments();
        all.iter().flat_map(|(.., rhs)| rhs.accesses()).any(|a| a.tensor == self.operand)
    }
    fn assigns(&self, s: &CinStmt) -> bool {
        s.assignments().iter().any(|(lhs, ..)| lhs.tensor == self.result.tensor)
    }
    /// Whether no element is read after it was assigned: what is assigned in a round of the loops around is what is read in it.
    fn reads_each_first(&self, s: &CinStmt) -> bool {
        let own = |a: &&Access| a.tensor == self.operand || a.tensor == self.result.tensor;
        let all = s.assignments();
        let accesses = all.iter().flat_map(|(lhs, _, rhs)| rhs.accesses().into_iter().chain([*lhs]));
        accesses.filter(own).all(|a| a.vars == self.result.vars) && self.in_order(s)
    }
    fn in_order(&self, s: &CinStmt) -> bool {
        if !(self.reads(s) && self.assigns(s)) {
            return true;
        }
        match s {
            CinStmt::Forall { index, body } => self.result.vars.contains(index) && self.in_order(body),
            CinStmt::Where { consumer, producer } => self.one_after_the_other(&[&**producer, &**consumer]),
            CinStmt::Seq(all) => self.one_after_the_other(&all.iter().collect::<Vec<_>>()),
            CinStmt::Multi(_) => false,
            CinStmt::Assign { .. } | CinStmt::Nop => true,
        }
    }
    fn one_after_the_other(&self, all: &[&CinStmt]) -> bool {
        let Some(first) = all.iter().position(|s| self.assigns(s)) else { return true };
        self.in_order(all[first]) && !all[first + 1..].iter().any(|s| self.reads(s))
    }
}

/// A statement with reads of the result in place of those of the operand; what copies an element to itself is gone.
struct Rewriter<'a> {
    program: &'a Program,
    result: &'a TensorVar,
    to: &'a dyn Fn(Access) -> Access,
}

impl Rewriter<'_> {
    fn stmt(&self, s: CinStmt) -> CinStmt {
        match s {
            CinStmt::Assign { lhs, op, rhs } => {
                let rhs = self.expr(rhs);
                match (op, rhs) {
                    (None, IndexExpr::Access(a)) if a == lhs => CinStmt::Nop,
                    (None, IndexExpr::Call { op, mut args }) if self.combines(op, &args, &lhs) => {
                        CinStmt::Assign { lhs, op: Some(op), rhs: args.swap_remove(1) }
                    }
                    (op, rhs) => CinStmt::Assign { lhs, op, rhs },
                }
            }
            s => match s.map_children(&mut |s| self.stmt(s)) {
                CinStmt::Forall { body, .. } if *body == CinStmt::Nop => CinStmt::Nop,
                CinStmt::Seq(mut all) => {
                    all.retain(|s| *s != CinStmt::Nop);
                    if all.len() == 1 { all.swap_remove(0) } else { CinStmt::Seq(all) }
                }
                s => s,
            },
        }
    }
    fn expr(&self, e: IndexExpr) -> IndexExpr {
        e.with_access(self.to).map_children(&mut |e| self.expr(e))
    }
    /// Whether a value only combines with the element that is assigned. Sums of floats that go into it stay in loops of the form
    /// that they have, as this decides in which order vectors add up: coordinates that nothing is stored at are visited still.
    fn combines(&self, op: &Operator, args: &[IndexExpr], lhs: &Access) -> bool {
        let [there, value] = args else { return false };
        let temp = |a: &&Access| self.program.tensors[a.tensor].kind == TensorKind::Temp;
        let rounds = |a: &Access| self.program.tensors[a.tensor].dtype.is_inexact();
        op.reduces(self.result.dtype)
            && *there == IndexExpr::Access(lhs.clone())
            && !value.accesses().into_iter().filter(temp).any(rounds)
    }
}
