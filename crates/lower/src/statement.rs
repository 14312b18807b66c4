//! Questions about statements and their accesses that several analyses ask.

use crate::space::Leaf;
use openwork_format::{Coords, Needs, Remap};
use openwork_index::{Access, IndexId, Program, Stmt, Tensor, TensorId};
use openwork_levels::Registry;

/// Whether a level of an access over `v` has to be walked, and is not `here`.
pub(crate) fn walked_without(
    program: &Program,
    registry: &Registry,
    v: IndexId,
    a: &Access,
    here: &dyn Fn(&Leaf) -> bool,
) -> bool {
    let format = &program.tensors[a.tensor].format;
    (0..format.rank()).filter(|&k| a.vars[format.modes[k]] == v).any(|k| {
        let walked = registry.get(format.levels[k].spec).is_some_and(|f| f.locate().is_none());
        walked && !here(&Leaf { access: a.clone(), level: k })
    })
}

/// Whether a statement assigns a tensor.
pub(crate) fn assigns(s: &Stmt, tensor: TensorId) -> bool {
    s.assignments().iter().any(|(lhs, _, _)| lhs.tensor == tensor)
}

/// Every access a statement reads or assigns, without repetition.
pub(crate) fn accesses_of(s: &Stmt) -> Vec<Access> {
    let mut out: Vec<Access> = Vec::new();
    for (lhs, _, rhs) in s.assignments() {
        for a in rhs.accesses().into_iter().chain([lhs]) {
            if !out.contains(a) {
                out.push(a.clone());
            }
        }
    }
    out
}

/// The variable that level `k` of an access stores.
pub(crate) fn var_of(program: &Program, a: &Access, k: usize) -> IndexId {
    a.vars[program.tensors[a.tensor].format.modes[k]]
}

/// Whether the coordinate that level `k` computes lies inside its dimension whenever the levels above are walked: the last
/// coordinate it depends on is kept in an array, cut to the block by its loop, or cut to the band.
pub(crate) fn stays_inside(t: &Tensor, remap: &Remap, k: usize, terms: &[(i64, usize)]) -> bool {
    let Some(last) = terms.iter().map(|(_, n)| *n).max() else { return false };
    let level = t.format.levels[last];
    if level.spec.coords == Coords::Stored {
        return true;
    }
    if level.spec.needs == Needs::Band {
        return remap.band(last).is_some_and(|b| remap.coords[k].plain() == Some(b.with));
    }
    let quotient = remap.quotient_of(last).map(|(q, ..)| q);
    level.is_dense() && quotient.is_some_and(|q| q < last)
}
