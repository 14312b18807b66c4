//! Results whose structure is given: no index arrays are written, and their rows are walked (see [`crate::Phase`]).

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use openwork_index::IndexId;
use openwork_loops::build::{add, int};
use openwork_loops::{BufId, Expr, Stmt};

impl Emitter<'_> {
    /// What writes index arrays of the result: nothing where they are given.
    pub(crate) fn keep_assembly(&self, code: Vec<Stmt>) -> Vec<Stmt> {
        if self.phase.assembles() { code } else { Vec::new() }
    }

    /// The coordinates and positions of the row of the result over `v` that is being computed, where its structure is given
    /// and the levels above are dense: elsewhere the row may not be there.
    pub(crate) fn given_row(&self, v: IndexId, scope: &Scope) -> Option<(BufId, (Expr, Expr))> {
        let r = self.result.as_ref().filter(|_| !self.phase.assembles())?;
        let (k, _) = r.chains.last().map(|c| c.levels).filter(|(k, last)| k == last)?;
        let levels = &self.tensors[&r.tensor].levels;
        let dense_above = levels[..k].iter().all(|l| l.level.is_dense());
        if !dense_above || !levels[k].level.in_segments() || self.var_of(&r.access, k) != v {
            return None;
        }
        let mut scope = scope.clone();
        self.locate(&r.access, &mut scope);
        let parent = scope.parent(&r.access, k).filter(|p| p.hi.is_none())?.lo;
        let [pos, crd] = levels[k].arrays[..] else { return None };
        let end = add(parent.clone(), int(1));
        Some((crd, (self.kernel.load_index(pos, parent), self.kernel.load_index(pos, end))))
    }
}
