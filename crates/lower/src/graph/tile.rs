//! Loops in tiles: strips of rows that stay in a cache, and blocks that lie inside the tensor as a whole.
//!
//! ```text
//! for d { for i { y(i) += … } }        for strip { for d { for i in strip { y(i) += … } } }
//! for b { for r in block … }           for b { if the block is whole { for r in 0..4 … } else { for r in 0..rest … } }
//! ```

use super::state::GraphState;
use crate::statement::{determining_variables, var_of};
use openwork_format::Needs;
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexId, Program, TensorKind};
use std::collections::BTreeSet;

/// The groups in which the rounds of a loop are taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Tiling {
    /// A loop over diagonals, or over slots of padded rows, passes over the whole result once a round. Cut into strips of this
    /// variable, its rows, what is accumulated stays in the cache.
    Strips(IndexId),
    /// Blocks that lie inside the tensor as a whole, nearly all of them, get loops of known length over these variables.
    Blocks(BTreeSet<IndexId>),
}

/// The largest side of a block that gets code of its own for blocks that lie inside the tensor as a whole.
const WHOLE: i64 = 8;

/// The variable of the rows that an outermost loop over `v` is cut into strips of.
pub(crate) fn strip_variable(program: &Program, v: IndexId, body: &CinStmt) -> Option<IndexId> {
    let CinStmt::Forall { index: i, .. } = *body else { return None };
    let computed = |v: IndexId| program.indices[v].derived.is_some();
    // Where a diagonal has one row, that row has no loop that could be cut.
    if !computed(v) || computed(i) || determining_variables(program, i, &[v].into()).is_some() {
        return None;
    }
    let assignments = body.assignments();
    let [(lhs, Some(_), rhs)] = assignments[..] else { return None };
    let rows = |a: &&Access| {
        let format = &program.tensors[a.tensor].format;
        let k = (0..format.depth()).find(|&k| var_of(program, a, k) == i);
        k.is_none_or(|k| format.levels[k].spec.needs == Needs::Band || format.levels[k].is_dense())
    };
    let t = &program.tensors[lhs.tensor];
    let placed = t.kind == TensorKind::Result && program.assembly != AssemblyMode::InOrder;
    let walked = rhs.accesses().into_iter().any(|a| a.vars.first() == Some(&v));
    let dense = t.format.is_dense() && !placed && lhs.vars.contains(&i);
    (dense && walked && rhs.accesses().iter().all(rows)).then_some(i)
}

/// The remainder variables among the outermost loops of `s` whose block is known.
pub(super) fn blocks(program: &Program, s: &CinStmt, state: &GraphState) -> Option<BTreeSet<IndexId>> {
    let mut vars = BTreeSet::new();
    let whole = s;
    let mut s = s;
    while let CinStmt::Forall { index, body } = s {
        let Some(d) = &program.indices[*index].derived else { break };
        let Some((q, _, c)) = d.remap.quotient_of(d.coord) else { break };
        if c > WHOLE || !state.bound.contains(&d.vars[q]) {
            break;
        }
        vars.insert(*index);
        s = body;
    }
    if vars.is_empty() {
        return None;
    }
    let assignments = whole.assignments();
    let [(lhs, Some(_), _)] = assignments[..] else { return None };
    program.tensors[lhs.tensor].format.is_dense().then_some(vars)
}
