//! Questions about statements and their accesses that several analyses ask.

use crate::space::Leaf;
use openwork_format::{Coords, Needs, Remap};
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorVar};
use openwork_levels::Registry;
use std::collections::BTreeSet;

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

/// The variables that decide a variable's value, if bound ones do: itself, where its own definition does; others, where the
/// definitions of computed coordinates leave one value.
pub(crate) fn determining_variables(
    program: &Program,
    v: IndexId,
    bound: &BTreeSet<IndexId>,
) -> Option<BTreeSet<IndexId>> {
    if let Some(d) = program.indices[v].derived.as_ref().filter(|d| !d.counts()) {
        return d.depends_on().iter().all(|m| bound.contains(m)).then(|| [v].into());
    }
    program.indices.iter().filter_map(|(_, i)| i.derived.as_ref()).find_map(|d| {
        let known = |k: usize| bound.contains(&d.vars[k]);
        let mode = d.modes().iter().position(|m| *m == v)?;
        let form = d.remap.recover_from(mode, &known)?;
        Some(form.terms.iter().map(|(_, k)| d.vars[*k]).collect())
    })
}

/// Whether a statement assigns a tensor.
pub(crate) fn assigns(s: &CinStmt, tensor: TensorId) -> bool {
    s.assignments().iter().any(|(lhs, _, _)| lhs.tensor == tensor)
}

/// Every access a statement reads or assigns, without repetition.
pub(crate) fn accesses_of(s: &CinStmt) -> Vec<Access> {
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
pub(crate) fn stays_inside(t: &TensorVar, remap: &Remap, k: usize, terms: &[(i64, usize)]) -> bool {
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

/// Whether `v` was split by a schedule into a quotient and a remainder that no tensor stores, so that they are counted,
/// the remainder inside of the quotient: only there it is known where the dimension ends.
pub(crate) fn counted_by_parts(program: &Program, v: IndexId) -> bool {
    let mut accesses = program.body.assignments().into_iter().flat_map(|(lhs, _, rhs)| {
        let mut all = rhs.accesses();
        all.push(lhs);
        all
    });
    let parts: Vec<IndexId> = program
        .indices
        .iter()
        .filter(|(_, i)| i.derived.as_ref().is_some_and(|d| d.vars.contains(&v)))
        .map(|(id, _)| id)
        .collect();
    let [quotient, remainder] = parts[..] else { return false };
    // Coordinates that a format computes may lie anywhere, also where what stores them is read by another kernel.
    let split = program.indices[remainder].derived.as_ref().is_some_and(|d| {
        let of = d.remap.quotient_of(d.coord);
        of.is_some_and(|(q, mode, _)| d.vars[q] == quotient && d.mode(mode) == v)
    });
    if !split {
        return false;
    }
    accesses.all(|a| !a.vars.iter().any(|x| parts.contains(x)))
        && encloses(&program.body, quotient, remainder)
}

/// Whether every loop over `inner` is inside of one over `outer`.
fn encloses(s: &CinStmt, outer: IndexId, inner: IndexId) -> bool {
    match s {
        CinStmt::Forall { index, .. } if *index == outer => true,
        CinStmt::Forall { index, .. } if *index == inner => false,
        s => s.children().all(|c| encloses(c, outer, inner)),
    }
}

/// Whether every element of `tensor` that a statement touches is first assigned, not added to.
pub(crate) fn starts(s: &CinStmt, tensor: TensorId) -> bool {
    match s {
        CinStmt::Seq(all) => {
            all.iter().find(|s| assigns(s, tensor)).is_none_or(|first| starts(first, tensor))
        }
        CinStmt::Assign { lhs, op, .. } => lhs.tensor != tensor || op.is_none(),
        s => s.children().all(|s| starts(s, tensor)),
    }
}

/// The accesses whose values an expression needs, not only the places of their elements.
pub(crate) fn values_of(e: &IndexExpr) -> Vec<Access> {
    match e {
        IndexExpr::Map { to, .. } => values_of(to),
        IndexExpr::Stored { to, .. } => values_of(to),
        IndexExpr::Width(_) => Vec::new(),
        e => {
            let mut sets = BTreeSet::new();
            e.visit(&mut |part| {
                if let IndexExpr::Predicate { set, .. } = part {
                    sets.insert(set);
                }
            });
            e.accesses().into_iter().filter(|a| !sets.contains(a)).cloned().collect()
        }
    }
}
