//! Runs of a result that are made of whole runs of operands.
//!
//! ```text
//! E(i,j) = H(i,j) & R(i,j), all in runs along j        a round for what runs of H and R have in common, not for a coordinate
//! ```

use crate::space::Leaf;
use crate::statement::var_of;
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorKind, TensorVar};
use std::collections::BTreeSet;

/// Whether level `k` of a result is appended to run by run: every row is there, and what is equal can be told.
pub(crate) fn grows(t: &TensorVar, k: usize) -> bool {
    let levels = &t.format.levels;
    let plain = t.remap.is_none() && levels[..k].iter().all(|l| l.is_dense());
    levels[k].shares_positions() && k + 1 == levels.len() && plain && !t.dtype.is_complex()
}

/// Whether what is left to do where all of these leaves are walked by runs is the same at all coordinates of a run: it gives
/// the result's runs a value of theirs.
pub(crate) fn in_whole_runs(program: &Program, v: IndexId, rest: &CinStmt, leaves: &BTreeSet<Leaf>) -> bool {
    let CinStmt::Assign { lhs, rhs, .. } = rest else { return false };
    let t = &program.tensors[lhs.tensor];
    let last = t.format.levels.len().checked_sub(1);
    let of_result = t.kind == TensorKind::Result && program.assembly == AssemblyMode::InOrder;
    let along = last.is_some_and(|k| grows(t, k) && var_of(program, lhs, k) == v);
    let computes = program.indices.iter().any(|(_, i)| i.derived.is_some());
    let walked = |a: &Access| leaves.iter().any(|l| l.access == *a);
    of_result && along && !computes && is_constant(rhs, v, &walked)
}

/// Whether a value is the same at all coordinates of `v` in the runs of what is walked.
fn is_constant(e: &IndexExpr, v: IndexId, walked: &dyn Fn(&Access) -> bool) -> bool {
    match e {
        IndexExpr::Literal(_) => true,
        IndexExpr::Index(index) => *index != v,
        IndexExpr::Access(a) => !a.vars.contains(&v) || walked(a),
        IndexExpr::Cast { .. } | IndexExpr::Call { .. } => e.children().all(|c| is_constant(c, v, walked)),
        IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Reduce { .. } => false,
    }
}

/// Whether all values that a statement reads and assigns are exact, so that a value that decides does so beside any other.
pub(crate) fn is_exact(program: &Program, s: &CinStmt) -> bool {
    let exact = |a: &Access| !program.tensors[a.tensor].dtype.is_inexact();
    s.assignments().into_iter().all(|(lhs, _, rhs)| exact(lhs) && rhs.accesses().into_iter().all(exact))
}
