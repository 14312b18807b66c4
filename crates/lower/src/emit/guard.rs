//! Guards around loops, which are not entered where an empty segment decides that they do nothing.
//!
//! ```text
//! for l … {                                    if C2_pos[k] < C2_pos[k + 1] {
//!   for j in C(k,:) ∩ D(l,:) { … }      =>       for l … { for j in C(k,:) ∩ D(l,:) { … } }
//! }                                            }
//! ```
//! A segment that an inner loop walks may be known before an outer loop begins. If it is empty and decides that the inner
//! loop does nothing, the outer one need not look for what it would be combined with: in a product of sparse factors, most
//! rows of one are empty.

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use crate::rewrite::without;
use openwork_algebra::{DType, Operator};
use openwork_index::{Access, Expr, IndexId, Kind, Stmt};
use openwork_loops::Expr as Ir;
use openwork_loops::build::{add, and_also, int, lt};

impl Emitter<'_> {
    /// What must hold for a loop over `v`, which the result does not have, to do anything at all; nothing where that is not
    /// known beforehand.
    pub(crate) fn worth_entering(&self, v: IndexId, body: &Stmt, scope: &Scope) -> Option<Ir> {
        let reduced = self.result.as_ref().is_some_and(|r| !r.access.vars.contains(&v));
        if !reduced || !matches!(body, Stmt::Forall { .. }) || self.is_computed(v) {
            return None;
        }
        let mut seen: Vec<&Access> = Vec::new();
        let mut cond: Option<Ir> = None;
        for a in body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses()) {
            if seen.contains(&a) || self.program.tensors[a.tensor].kind != Kind::Operand {
                continue;
            }
            seen.push(a);
            let Some(filled) = self.known_segment(a, v, scope) else { continue };
            let nothing = without(body, &|b| b == a, &self.program.tensors) == Stmt::Nop;
            if nothing {
                cond = Some(cond.map_or(filled.clone(), |c| and_also(c, filled)));
            }
        }
        cond
    }

    /// Truth values that are known before a loop, and decide that nothing comes of it where they are the fill value: a dense
    /// front, of which most is false, leaves out the rows that it does not have.
    ///
    /// ```text
    /// for p in A(i,:) { y[crd[p]] |= a[p] & x }      =>      if x { for p in A(i,:) { y[crd[p]] |= a[p] } }
    /// ```
    pub(crate) fn deciding_before(&self, body: &Stmt, scope: &Scope) -> Vec<Access> {
        let combines = |(lhs, op, _): &(&Access, Option<&'static Operator>, &Expr)| {
            let target = &self.program.tensors[lhs.tensor];
            op.is_some() && (target.format.is_dense() || target.kind == Kind::Temp)
        };
        let all = body.assignments();
        // What is assigned, or appended, has to be there whatever its value is; a temporary has what something was added to.
        // A count of stored terms has to meet all of them: the terms that are not stored are the rest.
        if !all.iter().all(combines) || all.iter().any(|(_, _, rhs)| counts_terms(rhs)) {
            return Vec::new();
        }
        let mut out: Vec<Access> = Vec::new();
        for a in all.into_iter().flat_map(|(_, _, rhs)| rhs.accesses()) {
            let t = &self.program.tensors[a.tensor];
            let truth = t.kind == Kind::Operand && t.dtype == DType::Bool && t.format.is_dense();
            let known = matches!(scope.values.get(a), Some(Ir::Var(_)));
            let asked = out.contains(a) || scope.tested.contains(a);
            if truth && known && !asked && without(body, &|b| b == a, &self.program.tensors) == Stmt::Nop {
                out.push(a.clone());
            }
        }
        out
    }

    /// Whether the first segment of `a` that is still to be walked, by a loop inside the one over `v`, has elements.
    fn known_segment(&self, a: &Access, v: IndexId, scope: &Scope) -> Option<Ir> {
        let mut scope = scope.clone();
        self.locate(a, &mut scope);
        let bound = |k: usize| scope.places.contains_key(&(a.clone(), k));
        let k = (0..self.rank(a.tensor)).find(|&k| !bound(k))?;
        let level = &self.tensors[&a.tensor].levels[k];
        let inner = self.var_of(a, k);
        if k == 0 || inner == v || scope.coords.contains_key(&inner) || !level.level.in_segments() {
            return None;
        }
        let parent = scope.parent(a, k)?;
        let pos = level.arrays[0];
        let end = match &parent.hi {
            Some(hi) => hi.clone(),
            None => add(parent.lo.clone(), int(1)),
        };
        Some(lt(self.kernel.load_index(pos, parent.lo), self.kernel.load_index(pos, end)))
    }
}

/// Whether an expression asks which terms of a reduction are stored; the others are counted from their number.
fn counts_terms(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e, Expr::Stored { .. }));
    found
}
