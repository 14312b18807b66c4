//! Computed coordinates: which ones follow from variables that are bound, and which have to be checked.

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::scope::Scope;
use crate::statement::accesses_of;
use openwork_algebra::Prim;
use openwork_format::remap::{CoordOp, Term};
use openwork_index::{CinStmt, DerivedVar, IndexId};
use openwork_levels::derived::linear;
use openwork_loops::Expr as Ir;
use openwork_loops::build::{add, and_also, call, eq, int, mul, var};
use std::collections::BTreeSet;

impl Emitter<'_> {
    fn find_derived(&self, v: IndexId) -> Option<&DerivedVar> {
        self.program.indices[v].derived.as_ref()
    }
    /// Whether `v` is a computed coordinate.
    pub(crate) fn is_computed(&self, v: IndexId) -> bool {
        self.find_derived(v).is_some()
    }

    /// The value of `v`, if variables that are bound decide it.
    pub(crate) fn determined_value(&self, v: IndexId, scope: &Scope) -> Option<Ir> {
        if let Some(d) = self.find_derived(v).filter(|d| !d.counts()) {
            let bound = d.depends_on().iter().all(|m| scope.coords.contains_key(m));
            return bound.then(|| self.formula(d, scope));
        }
        let mut lifts = self.program.indices.iter().filter_map(|(_, i)| i.derived.as_ref());
        lifts.find_map(|d| {
            let mode = d.modes().iter().position(|m| *m == v)?;
            let bound = |k: usize| scope.coords.contains_key(&d.vars[k]);
            let form = d.remap.recover_from(mode, &bound)?;
            let above: Vec<Ir> =
                d.vars.iter().map(|v| scope.coords.get(v).cloned().unwrap_or(int(0))).collect();
            Some(linear(&form.terms, form.constant, &above))
        })
    }
    /// The definition of a computed coordinate at bound variables.
    fn formula(&self, d: &DerivedVar, scope: &Scope) -> Ir {
        let at = |m: usize| scope.coords[&d.mode(m)].clone();
        term(&d.remap.coords[d.coord].inline_locals(), &at)
    }

    /// What must hold for computed coordinates to agree with their definitions.
    pub(crate) fn agree(&self, checks: &[IndexId], scope: &Scope) -> Option<Ir> {
        let holds = checks.iter().filter_map(|x| {
            let d = self.find_derived(*x)?;
            Some(call(Prim::Eq, scope.coords[x].clone(), self.formula(d, scope)))
        });
        holds.reduce(and_also)
    }

    /// How many values the remainder of a mode by a constant takes.
    pub(crate) fn block_size(&self, v: IndexId) -> Option<i64> {
        let d = self.find_derived(v)?;
        d.remap.quotient_of(d.coord).map(|(_, _, c)| c)
    }
    /// What must hold for the blocks that remainders are taken in to lie inside the tensor as a whole.
    pub(crate) fn are_whole(&self, remainders: &BTreeSet<IndexId>, inside: &CinStmt, scope: &Scope) -> Ir {
        let whole = |v: &IndexId| {
            let d = self.find_derived(*v)?;
            let (q, mode, c) = d.remap.quotient_of(d.coord)?;
            let end = add(mul(scope.coords[&d.vars[q]].clone(), int(c)), int(c));
            let size = var(self.sizes[&d.mode(mode)]);
            let ends = call(Prim::Le, end, size.clone());
            // A loop that counts blocks can be split where they end; those of a list are whole if all are.
            if !self.is_listed(d.vars[q], inside) {
                return Some(ends);
            }
            let even = eq(call(Prim::Rem, size, int(c)), int(0));
            Some(call(Prim::Or, even, ends))
        };
        remainders.iter().filter_map(whole).reduce(and_also).unwrap_or(always())
    }

    /// Whether some operand of a statement lists coordinates of `v`.
    fn is_listed(&self, v: IndexId, s: &CinStmt) -> bool {
        accesses_of(s).iter().any(|a| {
            let levels = &self.program.tensors[a.tensor].format.levels;
            (0..levels.len()).any(|k| self.var_of(a, k) == v && !levels[k].is_dense())
        })
    }

    /// Where a loop over `v` ends: at the end of its dimension, or of the tensor inside the last block.
    pub(crate) fn end_of(&self, v: IndexId, scope: &Scope) -> Ir {
        let size = var(self.sizes[&v]);
        let Some(d) = self.find_derived(v) else { return size };
        let low = var(self.lows[&v]);
        if scope.whole.contains(&v) {
            return int(self.block_size(v).unwrap_or(1));
        }
        if let Some((q, mode, c)) = d.remap.quotient_of(d.coord)
            && let Some(block) = scope.coords.get(&d.vars[q])
        {
            let rest = call(Prim::Sub, var(self.sizes[&d.mode(mode)]), mul(block.clone(), int(c)));
            return call(Prim::Min, int(c), rest);
        }
        add(low, size)
    }
    /// Where a loop over `v` starts.
    pub(crate) fn start_of(&self, v: IndexId) -> Ir {
        match self.find_derived(v) {
            Some(d) if d.remap.quotient_of(d.coord).is_none() => var(self.lows[&v]),
            _ => int(0),
        }
    }
}

/// A term of a remapping in loop IR.
pub(crate) fn term(t: &Term, at: &dyn Fn(usize) -> Ir) -> Ir {
    match t {
        Term::Const(c) => int(*c),
        Term::Mode(m) => at(*m),
        Term::Binary(op, a, b) => {
            let (a, b) = (term(a, at), term(b, at));
            match op {
                CoordOp::Add => add(a, b),
                CoordOp::Mul => mul(a, b),
                CoordOp::Sub => call(Prim::Sub, a, b),
                CoordOp::Or => call(Prim::Or, a, b),
                CoordOp::Xor => call(Prim::Xor, a, b),
                CoordOp::And => call(Prim::And, a, b),
                CoordOp::Shl => call(Prim::Shl, a, b),
                CoordOp::Shr => call(Prim::Shr, a, b),
                CoordOp::Div => call(Prim::Quot, a, b),
                CoordOp::Rem => call(Prim::Rem, a, b),
            }
        }
        Term::Local(_) | Term::Counter(_) => unreachable!("inlined, and no counter"),
    }
}
