//! The order of a statement's loops.
//!
//! A level that can only be walked needs the coordinates of all levels above it first, so each such level puts
//! constraints *outer before inner* on the variables of its access; levels that can be located (dense) put none. A
//! result that is assembled by appending must be visited in storage order, with every reduction inside. Among the
//! A reduction by an operator that does not commute visits its variables in the order in which they are written. Among the
//! orders that obey all constraints, the innermost loop is the one that walks the most operands contiguously.

use crate::expr::{Access, IndexId, TensorId, TensorKind, TensorVar};
use openwork_algebra::Operator;
use openwork_base::Arena;
use std::collections::BTreeSet;

/// `(outer, inner)` pairs.
pub(crate) type Constraints = BTreeSet<(IndexId, IndexId)>;

/// Constraints of reading `a`.
pub(crate) fn of_operand(a: &Access, tensors: &Arena<TensorId, TensorVar>, out: &mut Constraints) {
    let format = &tensors[a.tensor].format;
    let var = |level: usize| a.vars[format.modes[level]];
    // Computed coordinates are visited as they are stored: what follows from them is known in time.
    let lifted = tensors[a.tensor].remap.is_some();
    for (k, level) in format.levels.iter().enumerate() {
        if !level.is_dense() || lifted {
            out.extend((0..k).map(|m| (var(m), var(k))).filter(|(outer, inner)| outer != inner));
        }
    }
}

/// Constraints of assembling the result `a` when the variables `reduced` are reduced into it.
pub(crate) fn of_result(
    a: &Access,
    tensors: &Arena<TensorId, TensorVar>,
    reduced: &[IndexId],
    out: &mut Constraints,
) {
    if tensors[a.tensor].kind == TensorKind::Temp {
        // Workspaces take elements in any order.
        return;
    }
    let format = &tensors[a.tensor].format;
    let var = |level: usize| a.vars[format.modes[level]];
    let Some(last) = format.levels.iter().rposition(|l| !l.is_dense()) else { return };
    for k in 0..=last {
        out.extend((0..k).map(|m| (var(m), var(k))));
    }
    out.extend((last + 1..format.rank()).map(|k| (var(last), var(k))));
    out.extend(reduced.iter().map(|&r| (var(last), r)));
}

/// Constraints of reducing over variables, in this order, by an operator that does not commute: loops over them nest like that,
/// so that values come in the order of their coordinates.
pub(crate) fn of_reduction(op: &Operator, reduced: &[IndexId], out: &mut Constraints) {
    if op.is_ordered() {
        out.extend(reduced.windows(2).map(|pair| (pair[0], pair[1])));
    }
}

/// How much a loop over `v` gains as the innermost one: contiguous accesses less strided ones.
fn contiguity(v: IndexId, accesses: &[&Access], tensors: &Arena<TensorId, TensorVar>) -> i32 {
    let score = |a: &&Access| {
        let format = &tensors[a.tensor].format;
        match format.modes.iter().rposition(|&m| a.vars[m] == v) {
            None => 0,
            Some(k) if k + 1 == format.rank() => 1,
            Some(_) => -1,
        }
    };
    accesses.iter().map(score).sum()
}

/// Orders `vars` (given in order of appearance), or `None` when the constraints contradict each other.
pub(crate) fn order(
    vars: &[IndexId],
    constraints: &Constraints,
    accesses: &[&Access],
    tensors: &Arena<TensorId, TensorVar>,
) -> Option<Vec<IndexId>> {
    let mut left: Vec<IndexId> = vars.to_vec();
    let mut inner_first = Vec::new();
    while !left.is_empty() {
        let may_be_innermost =
            |v: IndexId| !constraints.iter().any(|&(outer, inner)| outer == v && left.contains(&inner));
        let best = (0..left.len())
            .filter(|&n| may_be_innermost(left[n]))
            .max_by_key(|&n| (contiguity(left[n], accesses, tensors), n))?;
        inner_first.push(left.remove(best));
    }
    inner_first.reverse();
    Some(inner_first)
}
