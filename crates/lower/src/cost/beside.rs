//! Loops over elements that lie side by side in memory, which run in vectors.

use super::prices::LANES;
use openwork_index::plan::solving::coefficient;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorKind};

/// Whether the elements of an access lie one after the other along a variable, or do not depend on it.
fn is_contiguous(program: &Program, a: &Access, v: IndexId) -> bool {
    let format = &program.tensors[a.tensor].format;
    let Some(mode) = a.vars.iter().position(|x| *x == v) else { return true };
    format.modes.last() == Some(&mode) && format.levels.last().is_some_and(|l| l.is_dense())
}

/// Whether a loop assigns what lies side by side, from what does. Positions that go with its variable are no loops inside of it.
fn side_by_side(program: &Program, v: IndexId, body: &CinStmt) -> bool {
    let (CinStmt::Assign { lhs, rhs, .. }, positions) = without_positions(program, body) else {
        return false;
    };
    let beside = |a: &&Access| {
        positions.iter().all(|&c| match rhs.position_of(c).and_then(|value| coefficient(value, v)) {
            Some(0) => true,
            Some(1) => is_contiguous(program, a, c),
            Some(_) | None => !a.vars.contains(&c),
        })
    };
    let mut all = rhs.accesses().into_iter().chain([lhs]);
    all.all(|a| is_contiguous(program, a, v) && beside(&a))
}

/// A statement inside of loops over positions, each of which is one round.
fn without_positions<'s>(program: &Program, mut s: &'s CinStmt) -> (&'s CinStmt, Vec<IndexId>) {
    let mut positions = Vec::new();
    while let CinStmt::Forall { index, body } = s
        && program.indices[*index].positional
    {
        positions.push(*index);
        s = body;
    }
    (s, positions)
}

/// How many rounds of a loop take the time of one that meets elements anywhere.
pub(super) fn lanes(program: &Program, v: IndexId, body: &CinStmt, rounds: f64) -> f64 {
    if !side_by_side(program, v, body) {
        return 1.0;
    }
    // As many as fit beside each other of the largest elements. Short loops are over before vectors gain anything.
    let size = |a: &Access| program.tensors[a.tensor].dtype.size();
    let met =
        body.assignments().into_iter().flat_map(|(lhs, _, rhs)| rhs.accesses().into_iter().chain([lhs]));
    let largest = met.map(size).max().unwrap_or(8).min(8);
    // A sum for each element of few weights ends in an addition across the vector.
    let (inner, positions) = without_positions(program, body);
    let across = !positions.is_empty() && inner.target().is_some_and(|lhs| !lhs.vars.contains(&v));
    let rounds = if across { rounds / 8.0 } else { rounds };
    (rounds / 2.0).clamp(1.0, LANES * 8.0 / largest as f64)
}

/// The innermost loops around a single assignment, with the variable of each.
fn innermost(program: &Program) -> Vec<(IndexId, &CinStmt)> {
    fn inner_loops<'s>(program: &Program, s: &'s CinStmt) -> Vec<(IndexId, &'s CinStmt)> {
        let own = match s {
            CinStmt::Forall { index, body } => match without_positions(program, body).0 {
                CinStmt::Assign { .. } if !program.indices[*index].positional => vec![(*index, &**body)],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        own.into_iter().chain(s.children().flat_map(|s| inner_loops(program, s))).collect()
    }
    inner_loops(program, &program.body)
}

/// Whether every innermost loop is over what lies side by side.
pub fn only_rows(program: &Program) -> bool {
    innermost(program).into_iter().all(|(v, s)| side_by_side(program, v, s))
}

/// The assignments of innermost loops over what lies side by side, with the variable of each loop.
fn rows(program: &Program) -> impl Iterator<Item = (IndexId, &Access)> {
    let all = innermost(program).into_iter().filter(|(v, s)| side_by_side(program, *v, s));
    all.filter_map(|(v, s)| Some((v, without_positions(program, s).0.target()?)))
}

/// Whether a program adds to its result in innermost loops over coordinates that every operand and the result store side by
/// side.
pub fn adds_rows(program: &Program) -> bool {
    let result = |lhs: &Access| program.tensors[lhs.tensor].kind == TensorKind::Result;
    rows(program).any(|(v, lhs)| lhs.vars.contains(&v) && result(lhs))
}

/// Whether a program adds up rows: its innermost loops are sums over coordinates that every operand stores side by side.
pub fn sums_rows(program: &Program) -> bool {
    rows(program).any(|(v, lhs)| !lhs.vars.contains(&v))
}

/// Whether the innermost loops of a program are sums of nothing but what one sparse operand stores under a parent: their coordinates are
/// not read, and what is stored lies side by side.
pub fn sums_lists(program: &Program) -> bool {
    let alone = |(v, s): (IndexId, &CinStmt)| {
        let CinStmt::Assign { lhs, rhs: IndexExpr::Access(a), .. } = s else { return false };
        let format = &program.tensors[a.tensor].format;
        let innermost = format.modes.last().and_then(|&mode| a.vars.get(mode)) == Some(&v);
        let listed = format.levels.last().is_some_and(|l| l.in_segments() && !l.leaves_slots());
        innermost && listed && !lhs.vars.contains(&v)
    };
    let mut all = innermost(program).into_iter().peekable();
    all.peek().is_some() && all.all(alone)
}
