//! `reorder(i,k,j)`: loops that nest in another order (workspaces paper, §3.3).
//!
//! ```text
//! reorder(j,i)    forall i forall j y(i) += A(i,j) * x(j)     =>     forall j forall i y(i) += A(i,j) * x(j)
//! ```
//! Loops right inside each other are exchanged where the statement below them has no sequence and combines by an
//! associative and commutative operator. A loop moves out of the left side of a where statement whose right side does not
//! use it. The parts of a loop that was split are exchanged like others. A reduction that accumulates in a scalar is put back first where it stands in the way.

use super::parse::ScheduleCall;
use super::{inline, nest, split};
use crate::cin::{CinStmt, Program};
use crate::expr::IndexId;
use openwork_base::Result;

/// Carries out the command.
pub(super) fn reorder(mut p: Program, call: &ScheduleCall) -> Result<Program> {
    call.without_computed(&p)?;
    // Loops that were split have one round, and follow their parts.
    let parts = split::parts(&p);
    p.body = split::remove_round_loops(std::mem::replace(&mut p.body, CinStmt::Nop), &parts);
    let done = reorder_loops(p, call)?;
    Ok(Program { body: split::restore_round_loops(done.body.clone(), &parts, &mut Vec::new()), ..done })
}

fn reorder_loops(p: Program, call: &ScheduleCall) -> Result<Program> {
    let mut wanted: Vec<IndexId> = Vec::new();
    for arg in &call.args {
        for name in arg.names().ok_or_else(|| call.usage())? {
            let v = call.index(&p, name)?;
            if wanted.contains(&v) {
                return Err(call.refusal(
                    name.span,
                    format!("`{}` is named twice", name.text),
                    "leave one out",
                ));
            }
            wanted.push(v);
        }
    }
    let direct = Program { body: exchange_loops(&p, &p.body, &wanted, call)?, ..p.clone() };
    if broken_pair(&direct.body, &wanted, &mut Vec::new()).is_none() {
        return Ok(direct);
    }
    let flat = inline::scalars(p);
    let body = hoist_loops(exchange_loops(&flat, &flat.body, &wanted, call)?, &wanted);
    let body = exchange_loops(&flat, &body, &wanted, call)?;
    match broken_pair(&body, &wanted, &mut Vec::new()) {
        None => Ok(Program { body, ..flat }),
        Some((outer, inner)) => {
            let (outer, inner) = (&flat.indices[outer].name, &flat.indices[inner].name);
            let message = format!(
                "`{outer}` is bound inside a where statement and `{inner}` around it: a loop leaves a where statement \
                 only if its right side does not use the variable"
            );
            let help = "reorder before the workspace is made, or each side for itself";
            Err(call.refusal(call.span, message, help))
        }
    }
}

/// Two variables of a path that nest against `wanted`: the one that should be outside, and the one that is.
fn broken_pair(s: &CinStmt, wanted: &[IndexId], around: &mut Vec<IndexId>) -> Option<(IndexId, IndexId)> {
    let CinStmt::Forall { index, .. } = s else {
        return s.children().find_map(|c| broken_pair(c, wanted, around));
    };
    let rank = |v: IndexId| wanted.iter().position(|&w| w == v);
    if let Some(own) = rank(*index)
        && let Some(&inner) = around.iter().find(|&&w| rank(w).is_some_and(|n| n > own))
    {
        return Some((*index, inner));
    }
    around.push(*index);
    let found = s.children().find_map(|c| broken_pair(c, wanted, around));
    around.pop();
    found
}

/// Every nest with its loops over `wanted` in that order.
fn exchange_loops(p: &Program, s: &CinStmt, wanted: &[IndexId], call: &ScheduleCall) -> Result<CinStmt> {
    let every =
        |all: &[CinStmt]| all.iter().map(|s| exchange_loops(p, s, wanted, call)).collect::<Result<Vec<_>>>();
    Ok(match s {
        CinStmt::Forall { .. } => {
            let (vars, inner) = nest(s);
            let body = exchange_loops(p, inner, wanted, call)?;
            let mut moved = wanted.iter().filter(|v| vars.contains(v));
            let place = |v: &IndexId| if wanted.contains(v) { *moved.next().unwrap_or(v) } else { *v };
            let new: Vec<IndexId> = vars.iter().map(place).collect();
            if new != vars {
                may_exchange(p, inner, call)?;
            }
            CinStmt::foralls(&new, body)
        }
        CinStmt::Where { consumer, producer } => CinStmt::Where {
            consumer: Box::new(exchange_loops(p, consumer, wanted, call)?),
            producer: Box::new(exchange_loops(p, producer, wanted, call)?),
        },
        CinStmt::Seq(all) => CinStmt::Seq(every(all)?),
        CinStmt::Multi(all) => CinStmt::Multi(every(all)?),
        CinStmt::Assign { .. } | CinStmt::Nop => s.clone(),
    })
}

/// The preconditions of §3.3 on what the loops run.
fn may_exchange(p: &Program, inner: &CinStmt, call: &ScheduleCall) -> Result<()> {
    let mut sequence = false;
    inner.visit(&mut |s| sequence |= matches!(s, CinStmt::Seq(_) | CinStmt::Multi(_)));
    if sequence {
        let message = "the loops run a sequence, which sets a tensor in stages; such loops are not exchanged";
        return Err(call.refusal(call.span, message, "reorder before the sequence is made"));
    }
    let ordered = |op: &&openwork_algebra::Operator| !(op.associative && op.commutative);
    match inner.assignments().into_iter().find_map(|(lhs, op, _)| Some((lhs, op.filter(ordered)?))) {
        None => Ok(()),
        Some((lhs, op)) => {
            let message = format!(
                "`{}` is combined by `{}`, which is not associative and commutative",
                p.tensors[lhs.tensor].name, op.name
            );
            Err(call.refusal(call.span, message, "leave these loops in their order"))
        }
    }
}

/// `(forall j S) where P` becomes `forall j (S where P)`, if `P` does not use `j` and `j` has to come out.
fn hoist_loops(s: CinStmt, wanted: &[IndexId]) -> CinStmt {
    match s {
        CinStmt::Forall { index, body } => {
            CinStmt::Forall { index, body: Box::new(hoist_loops(*body, wanted)) }
        }
        CinStmt::Where { consumer, producer } => match hoist_loops(*consumer, wanted) {
            CinStmt::Forall { index, body } if wanted.contains(&index) && !binds(&producer, index) => {
                let inner = CinStmt::Where { consumer: body, producer };
                CinStmt::Forall { index, body: Box::new(hoist_loops(inner, wanted)) }
            }
            consumer => {
                let producer = Box::new(hoist_loops(*producer, wanted));
                CinStmt::Where { consumer: Box::new(consumer), producer }
            }
        },
        CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Assign { .. } | CinStmt::Nop => s,
    }
}
fn binds(s: &CinStmt, v: IndexId) -> bool {
    super::uses(s, v) || super::loops(s).contains(&v)
}
