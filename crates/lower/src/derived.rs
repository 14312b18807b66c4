//! Computed coordinates: which ones follow from variables that are bound, and which have to be checked.

use crate::Lowerer;
use crate::scope::Scope;
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_format::Coords;
use openwork_format::remap::{Op, Term};
use openwork_index::{Derived, IndexId, Stmt};
use openwork_levels::Given;
use openwork_levels::derived::linear;
use openwork_loops::Expr as Ir;
use openwork_loops::build::{add, and_also, call, int, lt, mul, var};
use std::collections::BTreeSet;

/// The largest side of a block that gets code of its own for blocks that lie inside the tensor as a whole.
const WHOLE: i64 = 8;

/// How a variable got its value.
#[derive(Clone, Debug)]
pub(crate) enum Binder {
    /// From these variables, by a formula; from itself, if it is computed by its own definition.
    Formula(BTreeSet<IndexId>),
    /// By walking these leaves.
    Walked(BTreeSet<Leaf>),
    /// By counting through its dimension.
    Counted,
}

/// A value that follows from bound variables.
pub(crate) struct Determined {
    /// The value.
    pub(crate) value: Ir,
    /// What must hold for it to be a coordinate.
    pub(crate) inside: Option<Ir>,
    /// The variables that it follows from; the variable itself, where that is its definition.
    pub(crate) from: BTreeSet<IndexId>,
}

impl Lowerer<'_> {
    fn derived(&self, v: IndexId) -> Option<&Derived> {
        self.program.indices[v].derived.as_ref()
    }
    /// Whether `v` is a computed coordinate.
    pub(crate) fn is_computed(&self, v: IndexId) -> bool {
        self.derived(v).is_some()
    }

    /// Whether `v` was split by a schedule into a quotient and a remainder that no tensor stores, so that they are counted,
    /// the remainder inside of the quotient: only there it is known where the dimension ends.
    pub(crate) fn counted_by_parts(&self, v: IndexId) -> bool {
        let mut accesses = self.program.body.assignments().into_iter().flat_map(|(lhs, _, rhs)| {
            let mut all = rhs.accesses();
            all.push(lhs);
            all
        });
        let parts: Vec<IndexId> = self
            .program
            .indices
            .iter()
            .filter(|(_, i)| i.derived.as_ref().is_some_and(|d| d.vars.contains(&v)))
            .map(|(id, _)| id)
            .collect();
        let [quotient, remainder] = parts[..] else { return false };
        accesses.all(|a| !a.vars.iter().any(|x| parts.contains(x)))
            && encloses(&self.program.body, quotient, remainder)
    }

    /// The value of `v`, if variables that are bound decide it.
    pub(crate) fn determined(&self, v: IndexId, scope: &Scope) -> Option<Determined> {
        if let Some(d) = self.derived(v).filter(|d| !d.counts()) {
            let bound = d.depends_on().iter().all(|m| scope.coords.contains_key(m));
            return bound.then(|| Determined {
                value: self.formula(d, scope),
                inside: None,
                from: [v].into(),
            });
        }
        let lifts = self.program.indices.iter().filter_map(|(_, i)| i.derived.as_ref());
        for d in lifts {
            let Some(mode) = d.modes().iter().position(|m| *m == v) else { continue };
            let bound = |k: usize| scope.coords.contains_key(&d.vars[k]);
            let Some(form) = d.remap.recover_from(mode, &bound) else { continue };
            let above: Vec<Ir> =
                d.vars.iter().map(|v| scope.coords.get(v).cloned().unwrap_or(int(0))).collect();
            let value = linear(&form.terms, form.constant, &above);
            let size = var(self.sizes[&v]);
            let inside = and_also(call(Prim::Ge, value.clone(), int(0)), lt(value.clone(), size));
            let from = form.terms.iter().map(|(_, k)| d.vars[*k]).collect();
            return Some(Determined { value, inside: Some(inside), from });
        }
        None
    }
    /// The definition of a computed coordinate at bound variables.
    fn formula(&self, d: &Derived, scope: &Scope) -> Ir {
        let at = |m: usize| scope.coords[&d.mode(m)].clone();
        term(&d.remap.coords[d.coord].inlined(), &at)
    }

    /// What must hold once `v` is bound: computed coordinates agree with their definitions, unless that is how they
    /// were found.
    pub(crate) fn consistent(&self, v: IndexId, by: &Binder, scope: &Scope) -> Option<Ir> {
        let mut cond: Option<Ir> = None;
        for (x, index) in self.program.indices.iter() {
            let Some(d) = index.derived.as_ref().filter(|d| !d.counts()) else { continue };
            let mut all = d.depends_on();
            all.push(x);
            if !all.contains(&v) || all.iter().any(|u| !scope.coords.contains_key(u)) {
                continue;
            }
            if self.implied(x, by) || self.follows(by) && self.settled_by_storage(x, d, scope) {
                continue;
            }
            let holds = call(Prim::Eq, scope.coords[&x].clone(), self.formula(d, scope));
            cond = Some(match cond {
                None => holds,
                Some(c) => and_also(c, holds),
            });
        }
        cond
    }
    /// Whether a computed coordinate agrees with its definition because of how the last of the variables in it was bound:
    /// by walking a level that keeps elements under their right coordinates only, or by a formula that follows from the
    /// definition.
    fn implied(&self, computed: IndexId, by: &Binder) -> bool {
        match by {
            Binder::Formula(from) => from.contains(&computed),
            Binder::Counted => false,
            Binder::Walked(leaves) => leaves.iter().any(|l| {
                let level = self.program.tensors[l.access.tensor].format.levels[l.level];
                let from = |&(_, k): &(i64, usize)| self.var_of(&l.access, k) == computed;
                match (level.spec.coords, &self.tensors[&l.access.tensor].levels[l.level].given) {
                    (Coords::Stored, _) => l.access.vars.contains(&computed),
                    (Coords::Derived, Given::Linear { terms, .. }) => terms.iter().any(from),
                    (Coords::Derived | Coords::Every | Coords::Interval, _) => false,
                }
            }),
        }
    }
    /// Whether a variable got its value from those bound before.
    fn follows(&self, by: &Binder) -> bool {
        let derived = |l: &Leaf| {
            let level = self.program.tensors[l.access.tensor].format.levels[l.level];
            level.spec.coords == Coords::Derived
        };
        match by {
            Binder::Formula(_) => true,
            Binder::Counted => false,
            Binder::Walked(leaves) => leaves.iter().any(derived),
        }
    }
    /// Whether a slot of a level that keeps coordinates has been reached, at or below the computed one, whose coordinates
    /// determine everything that this is computed from: then some element lies there, and has the right one. Where
    /// coordinates below decide, slots that are padding may contradict it.
    fn settled_by_storage(&self, computed: IndexId, d: &Derived, scope: &Scope) -> bool {
        let modes = d.remap.coords[d.coord].inlined().modes();
        scope.places.keys().any(|(a, k)| {
            let t = &self.program.tensors[a.tensor];
            let same = t.remap.as_ref().is_some_and(|remap| remap.coords == d.remap.coords);
            let kept = same && t.format.levels[*k].spec.coords == Coords::Stored;
            kept && (0..=*k).any(|j| self.var_of(a, j) == computed)
                && modes.iter().all(|&m| d.remap.recover(m, k + 1).is_some())
        })
    }

    /// How many values the remainder of a mode by a constant takes.
    pub(crate) fn block_size(&self, v: IndexId) -> Option<i64> {
        let d = self.derived(v)?;
        d.remap.quotient_of(d.coord).map(|(_, _, c)| c)
    }
    /// The remainder variables among the outermost loops of `s` whose block is known, and what must hold for the block to
    /// lie inside the tensor as a whole.
    pub(crate) fn whole_block(&self, s: &Stmt, scope: &Scope) -> Option<(BTreeSet<IndexId>, Ir)> {
        let mut vars = BTreeSet::new();
        let mut cond: Option<Ir> = None;
        let mut s = s;
        while let Stmt::Forall { index, body } = s {
            let Some(d) = self.derived(*index) else { break };
            let Some((q, mode, c)) = d.remap.quotient_of(d.coord) else { break };
            let Some(block) = scope.coords.get(&d.vars[q]).filter(|_| c <= WHOLE) else { break };
            let end = add(mul(block.clone(), int(c)), int(c));
            let inside = call(Prim::Le, end, var(self.sizes[&d.mode(mode)]));
            cond = Some(cond.map_or(inside.clone(), |all| and_also(all, inside)));
            vars.insert(*index);
            s = body;
        }
        cond.map(|cond| (vars, cond))
    }

    /// Where a loop over `v` ends: at the end of its dimension, or of the tensor inside the last block.
    pub(crate) fn end_of(&self, v: IndexId, scope: &Scope) -> Ir {
        let size = var(self.sizes[&v]);
        let Some(d) = self.derived(v) else { return size };
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
        match self.derived(v) {
            Some(d) if d.remap.quotient_of(d.coord).is_none() => var(self.lows[&v]),
            _ => int(0),
        }
    }
}

/// Whether every loop over `inner` is inside of one over `outer`.
fn encloses(s: &Stmt, outer: IndexId, inner: IndexId) -> bool {
    match s {
        Stmt::Forall { index, .. } if *index == outer => true,
        Stmt::Forall { index, .. } if *index == inner => false,
        s => s.children().into_iter().all(|c| encloses(c, outer, inner)),
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
                Op::Add => add(a, b),
                Op::Mul => mul(a, b),
                Op::Sub => call(Prim::Sub, a, b),
                Op::Or => call(Prim::Or, a, b),
                Op::Xor => call(Prim::Xor, a, b),
                Op::And => call(Prim::And, a, b),
                Op::Shl => call(Prim::Shl, a, b),
                Op::Shr => call(Prim::Shr, a, b),
                Op::Div => call(Prim::Quot, a, b),
                Op::Rem => call(Prim::Rem, a, b),
            }
        }
        Term::Local(_) | Term::Counter(_) => unreachable!("inlined, and no counter"),
    }
}
