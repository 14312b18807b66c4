//! A reduction that the planner accumulates in a scalar, put back into the statement that reads it.
//!
//! ```text
//! (C(i,j) = t) where (forall k t += A(i,k) * B(k,j))     =>     forall k C(i,j) += A(i,k) * B(k,j)
//! ```
//! Only then do its loops nest inside those around it, so that they can be exchanged or split.

use crate::cin::{CinStmt, Program};
use crate::expr::{Access, IndexExpr, TensorKind};
use openwork_algebra::Operator;

/// Inlines every such scalar. A dense result starts at the operator's identity then.
pub(super) fn scalars(mut p: Program) -> Program {
    let body = std::mem::replace(&mut p.body, CinStmt::Nop);
    p.body = go(&mut p, body);
    p
}

fn go(p: &mut Program, s: CinStmt) -> CinStmt {
    if let CinStmt::Where { consumer, producer } = &s
        && let Some(both) = inline_producer(p, consumer, producer)
    {
        return both;
    }
    s.map_children(&mut |c| go(p, c))
}

fn inline_producer(p: &mut Program, consumer: &CinStmt, producer: &CinStmt) -> Option<CinStmt> {
    let CinStmt::Assign { lhs, op: None, rhs: IndexExpr::Access(read) } = consumer else { return None };
    let (vars, CinStmt::Assign { lhs: temp, op: Some(op), rhs }) = super::nest(producer) else { return None };
    let scalar = temp.tensor == read.tensor && temp.vars.is_empty();
    if !scalar || p.tensors[temp.tensor].kind != TensorKind::Temp || !starts_at_identity(p, lhs, op) {
        return None;
    }
    Some(CinStmt::foralls(&vars, CinStmt::Assign { lhs: lhs.clone(), op: Some(op), rhs: rhs.clone() }))
}

/// Whether `lhs op= …` may accumulate from the first value of `lhs`, which is chosen so where nobody sees it.
fn starts_at_identity(p: &mut Program, lhs: &Access, op: &Operator) -> bool {
    let t = &mut p.tensors[lhs.tensor];
    let Some(start) = op.identity_at(0, t.dtype) else { return false };
    if t.format.is_full() && t.kind == TensorKind::Result {
        t.fill = start;
    }
    t.fill.is_same(start)
}
