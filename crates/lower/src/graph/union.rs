//! Unions of many operands that one loop with one case can walk.
//!
//! ```text
//! D(i,j) = A(i,j) + B(i,j) + C(i,j)                  one case: an absent operand is an empty run of positions below
//! y(j,i) = hypot(B(j,i) + A(j,i), c(j))              no: without `c(j)` there is nothing to do but where B or A store something
//! ```

use crate::derive::derive;
use crate::rewrite::remove_missing;
use crate::space::{Leaf, Space};
use openwork_index::{Access, CinStmt, IndexId, Program};
use std::collections::BTreeSet;

/// The most operands of which the cases are told apart if they differ below: the code doubles with each, at every loop.
const TOLD_APART: usize = 4;

/// Whether the loops below visit with one of the operands alone what they visit with all of them, except for what the others
/// store themselves: so no case has to say which of them are there. Of many operands it is taken to be so; coordinates are then
/// visited that have nothing to do, and may be stored.
pub(super) fn is_one_case(program: &Program, body: &CinStmt, leaves: &BTreeSet<Leaf>) -> bool {
    if leaves.len() > TOLD_APART {
        return true;
    }
    let merged = |a: &Access| leaves.iter().any(|l| l.access == *a);
    let below = |s: &CinStmt, w: IndexId| {
        let space = derive(s, w, &program.tensors);
        (space.contains(&BTreeSet::new()), other_leaves(&space, &merged))
    };
    let inner = inner_loops(body);
    let all: Vec<_> = inner.iter().map(|&w| below(body, w)).collect();
    leaves.iter().all(|l| {
        let absent = |a: &Access| merged(a) && *a != l.access;
        let alone = remove_missing(body, &absent, &program.tensors);
        inner.iter().zip(&all).all(|(&w, whole)| below(&alone, w) == *whole)
    })
}

/// The leaves of a set that are not of what is merged.
fn other_leaves(space: &Space, merged: &dyn Fn(&Access) -> bool) -> BTreeSet<Leaf> {
    space.leaves().into_iter().filter(|l| !merged(&l.access)).collect()
}

/// The variables of the loops inside of a statement.
fn inner_loops(s: &CinStmt) -> BTreeSet<IndexId> {
    let mut out = BTreeSet::new();
    s.visit(&mut |s| {
        if let CinStmt::Forall { index, .. } = s {
            out.insert(*index);
        }
    });
    out
}
