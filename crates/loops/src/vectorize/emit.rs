//! The code of expanded loops.

use super::plan::{Item, VectorPlan};
use crate::build::{add, and_also, call, constant, int, lt, var};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::text::print_expr;
use crate::walk::{parts_mut, substitute};
use openwork_algebra::operator::OPERATORS;
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;

/// Puts the expansion of the loop `s` into `out`.
pub(super) fn expand(kernel: &mut LoopKernel, plan: &VectorPlan, s: Stmt, out: &mut Vec<Stmt>) {
    let Stmt::For { var: v, lo, hi, step, mode, body } = s else {
        out.push(s);
        return;
    };
    let name = kernel.vars[v].name.clone();
    let mut bound = |kernel: &mut LoopKernel, e: Expr, hint: &str| match e {
        Expr::Const(_) => e,
        Expr::Var(b) if !plan.facts.varying.contains(&b) => e,
        e => {
            let b = kernel.index(&format!("{name}_{hint}"));
            out.push(Stmt::Let { var: b, val: e });
            var(b)
        }
    };
    let lo = bound(kernel, lo, "lo");
    let hi = bound(kernel, hi, "hi");
    let done = kernel.index(&format!("{name}_done"));
    let lanes = plan.lanes as i64;
    let round = lanes * plan.copies as i64;
    let least = if plan.reductions.is_empty() { lanes } else { round };

    let mut e = VectorEmitter { k: kernel, plan, splats: Vec::new(), before: Vec::new() };
    let mut accumulators = e.accumulators();
    let main = e.copies(plan.copies, &accumulators);
    let mut then = Vec::new();
    let mut from = lo.clone();
    let mut vector_loop = |k: &mut LoopKernel, step: i64, hint: &str, body: Vec<Stmt>| {
        let end = k.index(&format!("{name}_{hint}"));
        let whole = call(Prim::And, rounds(&lo, &hi), int(-step));
        then.push(Stmt::Let { var: end, val: add(lo.clone(), whole) });
        let start = std::mem::replace(&mut from, var(end));
        then.push(Stmt::For { var: v, lo: start, hi: var(end), step, mode: LoopMode::Serial, body });
    };
    if plan.copies > 1 {
        let single = e.copies(1, &accumulators);
        vector_loop(e.k, round, "main", main);
        vector_loop(e.k, lanes, "end", single);
    } else {
        vector_loop(e.k, lanes, "end", main);
    }
    let before = std::mem::take(&mut e.before);
    then.splice(0..0, before);
    for (r, all) in plan.reductions.iter().zip(&mut accumulators) {
        let total = tree(r.prim, all.iter().map(|a| var(*a)).collect());
        let fold = Expr::Fold { prim: r.prim, arg: total.into() };
        then.push(Stmt::Set { var: r.var, val: call(r.prim, var(r.var), fold) });
    }
    then.push(Stmt::Set { var: done, val: from });
    out.push(Stmt::Let { var: done, val: lo.clone() });
    out.push(Stmt::If { cond: long_enough(&lo, &hi, least), then, other: Vec::new() });
    out.push(Stmt::For { var: v, lo: var(done), hi, step, mode, body });
}

/// Whether there are at least `least` rounds; right even where `hi - lo` overflows, and one comparison when there are
/// fewer.
pub(crate) fn long_enough(lo: &Expr, hi: &Expr, least: i64) -> Expr {
    let at_least = |a, b| call(Prim::Ge, a, b);
    if let Expr::Const(Scalar::I64(n @ 0..)) = lo
        && let Some(n) = n.checked_add(least)
    {
        return at_least(hi.clone(), int(n));
    }
    and_also(at_least(rounds(lo, hi), int(least)), lt(lo.clone(), hi.clone()))
}

/// `hi - lo`.
pub(crate) fn rounds(lo: &Expr, hi: &Expr) -> Expr {
    match lo {
        Expr::Const(Scalar::I64(0)) => hi.clone(),
        lo => call(Prim::Sub, hi.clone(), lo.clone()),
    }
}

/// Combines in pairs, so that the chain is short.
pub(crate) fn tree(prim: Prim, mut all: Vec<Expr>) -> Expr {
    while all.len() > 1 {
        let mut next = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(a) = rest.next() {
            next.push(match rest.next() {
                Some(b) => call(prim, a, b),
                None => a,
            });
        }
        all = next;
    }
    all.pop().unwrap_or(int(0))
}

/// The variables of the body in one copy of it.
#[derive(Default)]
struct Copy {
    /// By how much the index is ahead.
    ahead: i64,
    vectors: IdMap<VarId, VarId>,
    scalars: IdMap<VarId, Vec<VarId>>,
}

struct VectorEmitter<'k> {
    k: &'k mut LoopKernel,
    plan: &'k VectorPlan,
    /// The text of an invariant scalar, and the vector that holds it in every lane.
    splats: Vec<(String, VarId)>,
    /// What to do before the vector loops, inside the test of the trip count.
    before: Vec<Stmt>,
}

impl VectorEmitter<'_> {
    fn vector_ty(&self, e: &Expr) -> Ty {
        let elem = self.k.ty(e).map_or(Ty::INDEX.elem, |t| t.elem);
        Ty::vector(elem, self.plan.lanes as u8)
    }
    fn splat(&self, arg: Expr) -> Expr {
        Expr::Splat { lanes: self.plan.lanes as u8, arg: arg.into() }
    }
    /// Accumulators for each reduction, declared with the identity of its primitive.
    fn accumulators(&mut self) -> Vec<Vec<VarId>> {
        let mut all = Vec::new();
        for r in &self.plan.reductions {
            let op = OPERATORS.iter().find(|op| op.prim == r.prim);
            let identity = op.and_then(|op| op.identity_at(0, r.elem)).unwrap_or(Scalar::zero(r.elem));
            let ty = Ty::vector(r.elem, self.plan.lanes as u8);
            let hint = format!("{}_acc", self.k.vars[r.var].name);
            let mut group = Vec::new();
            for _ in 0..self.plan.copies {
                let v = self.k.var(&hint, ty);
                self.before.push(Stmt::Let { var: v, val: self.splat(constant(identity)) });
                group.push(v);
            }
            all.push(group);
        }
        all
    }
    /// The body of a vector loop that takes `count` vectors per round.
    fn copies(&mut self, count: usize, accumulators: &[Vec<VarId>]) -> Vec<Stmt> {
        let mut out = Vec::new();
        (0..count).for_each(|n| self.copy(n, accumulators, &mut out));
        out
    }
    /// The body for the `n`-th vector of a round.
    fn copy(&mut self, n: usize, accumulators: &[Vec<VarId>], out: &mut Vec<Stmt>) {
        let plan = self.plan;
        let mut copy = Copy { ahead: (n * plan.lanes) as i64, ..Copy::default() };
        for item in &plan.items {
            match item {
                Item::Let(v, val) => self.assign(*v, val, &mut copy, out, &|var, val| Stmt::Let { var, val }),
                Item::Set(v, val) => self.assign(*v, val, &mut copy, out, &|var, val| Stmt::Set { var, val }),
                Item::Store { buf, at, val, reduce } => {
                    let at = add(at.clone(), int(copy.ahead));
                    let val = self.vector(val, &copy);
                    out.push(Stmt::Store { buf: *buf, at, val, reduce: *reduce });
                }
                Item::Reduce(slot, val) => {
                    let acc = accumulators[*slot][n];
                    let val = self.vector(val, &copy);
                    let prim = plan.reductions[*slot].prim;
                    out.push(Stmt::Set { var: acc, val: call(prim, var(acc), val) });
                }
            }
        }
    }
    /// Gives a variable of the body its value, in the forms in which it is needed.
    fn assign(
        &mut self,
        v: VarId,
        val: &Expr,
        copy: &mut Copy,
        out: &mut Vec<Stmt>,
        make: &impl Fn(VarId, Expr) -> Stmt,
    ) {
        let name = self.k.vars[v].name.clone();
        let mut done = Vec::new();
        if self.plan.vectors.contains(&v) {
            let ty = self.vector_ty(val);
            let value = self.vector(val, copy);
            let new = *copy.vectors.entry(v).or_insert_with(|| self.k.var(&format!("{name}_v"), ty));
            done.push(make(new, value));
        }
        if self.plan.scalars.contains(&v) {
            let ty = self.k.vars[v].ty;
            let values: Vec<Expr> = (0..self.plan.lanes).map(|lane| self.scalar(val, copy, lane)).collect();
            let fresh = || (0..self.plan.lanes).map(|n| self.k.var(&format!("{name}_{n}"), ty)).collect();
            let new = copy.scalars.entry(v).or_insert_with(fresh);
            done.extend(new.iter().zip(values).map(|(new, value)| make(*new, value)));
        }
        out.extend(done);
    }
    /// `e` as a vector.
    fn vector(&mut self, e: &Expr, copy: &Copy) -> Expr {
        if self.plan.facts.invariant(e) {
            return self.invariant(e);
        }
        match e {
            Expr::Var(v) if copy.vectors.contains_key(v) => var(copy.vectors[v]),
            Expr::Load { buf, at } if self.plan.facts.stride(at) == Some(1) => {
                let at = add((**at).clone(), int(copy.ahead));
                Expr::VLoad { buf: *buf, at: at.into(), lanes: self.plan.lanes as u8 }
            }
            Expr::Call { prim, args } => {
                let args = args.iter().map(|a| self.vector(a, copy)).collect();
                Expr::Call { prim: *prim, args }
            }
            _ => Expr::Pack((0..self.plan.lanes).map(|lane| self.scalar(e, copy, lane)).collect()),
        }
    }
    /// A vector variable that holds an invariant scalar in every lane.
    fn invariant(&mut self, e: &Expr) -> Expr {
        let text = print_expr(self.k, e);
        if let Some((_, v)) = self.splats.iter().find(|(t, _)| *t == text) {
            return var(*v);
        }
        let v = self.k.var("splat", self.vector_ty(e));
        self.before.push(Stmt::Let { var: v, val: self.splat(e.clone()) });
        self.splats.push((text, v));
        var(v)
    }
    /// `e` in one lane.
    fn scalar(&self, e: &Expr, copy: &Copy, lane: usize) -> Expr {
        let ahead = int(copy.ahead + lane as i64);
        let mut e = substitute(e, &|v| Some(var(copy.scalars.get(&v)?[lane])));
        self.shift(&mut e, &ahead);
        e
    }
    /// Moves the loop variable ahead. What grows with it one by one moves as a whole, so that lanes and copies share it.
    fn shift(&self, e: &mut Expr, ahead: &Expr) {
        let index = self.plan.facts.stride(e) == Some(1) && self.k.ty(e) == Ok(Ty::INDEX);
        if index {
            *e = add(crate::walk::take(e), ahead.clone());
        } else {
            parts_mut(e).for_each(|p| self.shift(p, ahead));
        }
    }
}
