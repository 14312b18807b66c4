//! Loops that are not entered where nothing can come of them.
//!
//! ```text
//! for l … {                                    if C2_pos[k] < C2_pos[k + 1] {
//!   for j in C(k,:) ∩ D(l,:) { … }      =>       for l … { for j in C(k,:) ∩ D(l,:) { … } }
//! }                                            }
//! ```
//! A segment that an inner loop walks may be known before an outer loop begins. If it is empty and decides that the inner
//! loop does nothing, the outer one need not look for what it would be combined with: in a product of sparse factors, most
//! rows of one are empty.

use super::state::GraphState;
use crate::located::locate_levels;
use crate::rewrite::remove_missing;
use crate::space::Leaf;
use crate::statement::{values_of, var_of};
use openwork_algebra::{DType, Operator};
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorKind};
use openwork_levels::Registry;

/// What guards are found from.
pub(super) struct Guarding<'a> {
    pub(super) program: &'a Program,
    pub(super) registry: &'a Registry,
}

impl Guarding<'_> {
    /// The levels whose segments must hold elements for a loop over `v`, which the result does not have, to do anything at all.
    pub(super) fn segments_before(&self, v: IndexId, body: &CinStmt, state: &GraphState) -> Vec<Leaf> {
        let computed = self.program.indices[v].derived.is_some();
        let asked = self.program.directives.loops.contains_key(&v);
        if asked || computed || !matches!(body, CinStmt::Forall { .. }) {
            return Vec::new();
        }
        let mut seen: Vec<&Access> = Vec::new();
        let mut segments = Vec::new();
        for a in body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses()) {
            if seen.contains(&a) || self.program.tensors[a.tensor].kind != TensorKind::Operand {
                continue;
            }
            seen.push(a);
            let Some(leaf) = self.known_segment(a, v, state) else { continue };
            if self.nothing_without(body, a) {
                segments.push(leaf);
            }
        }
        segments
    }
    /// The first level of `a` that is still to be walked, by a loop inside the one over `v`, if its segment is known.
    fn known_segment(&self, a: &Access, v: IndexId, state: &GraphState) -> Option<Leaf> {
        let mut state = state.clone();
        locate_levels(self.program, self.registry, a, &mut state);
        let levels = &self.program.tensors[a.tensor].format.levels;
        let k = (0..levels.len()).find(|&k| !state.places.contains_key(&(a.clone(), k)))?;
        let (leaf, inner) = (Leaf { access: a.clone(), level: k }, var_of(self.program, a, k));
        let walked = k > 0 && inner != v && !state.bound.contains(&inner) && levels[k].in_segments();
        (walked && state.parent(&leaf).is_some()).then_some(leaf)
    }
    fn nothing_without(&self, body: &CinStmt, a: &Access) -> bool {
        remove_missing(body, &|b| b == a, &self.program.tensors) == CinStmt::Nop
    }

    /// Truth values that are known before a loop, and decide that nothing comes of it where they are the fill value: a dense
    /// front, of which most is false, leaves out the rows that it does not have.
    ///
    /// ```text
    /// for p in A(i,:) { y[crd[p]] |= a[p] & x }      =>      if x { for p in A(i,:) { y[crd[p]] |= a[p] } }
    /// ```
    pub(super) fn decided_before(&self, body: &CinStmt, state: &GraphState) -> Vec<Access> {
        if state.truths.is_empty() {
            return Vec::new();
        }
        let combines = |(lhs, op, _): &(&Access, Option<&'static Operator>, &IndexExpr)| {
            let target = &self.program.tensors[lhs.tensor];
            op.is_some() && (target.format.is_dense() || target.kind == TensorKind::Temp)
        };
        let all = body.assignments();
        // What is assigned, or appended, has to be there whatever its value is; a temporary has what something was added to.
        // A count of stored terms has to meet all of them: the terms that are not stored are the rest.
        if !all.iter().all(combines) || all.iter().any(|(_, _, rhs)| counts_terms(rhs)) {
            return Vec::new();
        }
        let mut out: Vec<Access> = Vec::new();
        for a in all.into_iter().flat_map(|(_, _, rhs)| rhs.accesses()) {
            let asked = out.contains(a) || state.tested.contains(a);
            if state.truths.contains(a) && !asked && self.nothing_without(body, a) {
                out.push(a.clone());
            }
        }
        out
    }
}

impl GraphState {
    /// Notes the truth values of dense operands that are loaded before the loops of a statement.
    pub(super) fn hold_truths(&mut self, program: &Program, s: &CinStmt) {
        let truth = |a: &Access| {
            let t = &program.tensors[a.tensor];
            t.kind == TensorKind::Operand && t.dtype == DType::Bool && t.format.is_dense()
        };
        if matches!(s, CinStmt::Assign { .. }) {
            return;
        }
        for a in s.assignments().into_iter().flat_map(|(.., rhs)| values_of(rhs)).filter(truth) {
            let below = Leaf { level: program.tensors[a.tensor].format.rank(), access: a.clone() };
            if self.parent(&below).is_some() {
                self.truths.insert(a);
            }
        }
    }
}

/// Whether an expression asks which terms of a reduction are stored; the others are counted from their number.
fn counts_terms(e: &IndexExpr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e, IndexExpr::Stored { .. }));
    found
}
