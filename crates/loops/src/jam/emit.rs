//! The code of jammed loops.

use super::plan::{ForLoop, JamPlan, mentions};
use crate::build::{add, call, int, var};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::vectorize::{long_enough, rounds, tree};
use crate::walk::substitute;
use openwork_algebra::{DType, Prim};
use openwork_base::IdMap;

/// Puts the loops that a plan makes of its nest into `out`.
pub(super) fn expand(kernel: &mut LoopKernel, plan: &JamPlan, out: &mut Vec<Stmt>) {
    let ForLoop { var: p, lo, hi, body } = &plan.outer;
    let name = kernel.vars[*p].name.clone();
    let mut bound = |kernel: &mut LoopKernel, e: &Expr, hint: &str| match e {
        // Nothing in the nest sets a variable.
        Expr::Const(_) | Expr::Var(_) => e.clone(),
        _ => {
            let b = kernel.index(&format!("{name}_{hint}"));
            out.push(Stmt::Let { var: b, val: e.clone() });
            var(b)
        }
    };
    let lo = bound(kernel, lo, "lo");
    let hi = bound(kernel, hi, "hi");
    let done = kernel.index(&format!("{name}_done"));
    let copies = Copies::new(kernel, plan);
    let mut then = Vec::new();
    let mut from = lo.clone();
    let mut widths = vec![(plan.factor, "main")];
    if plan.factor > 2 {
        widths.push((2, "pair"));
    }
    for (width, hint) in widths {
        let end = kernel.index(&format!("{name}_{hint}"));
        let step = width as i64;
        let whole = call(Prim::And, rounds(&lo, &hi), int(-step));
        then.push(Stmt::Let { var: end, val: add(lo.clone(), whole) });
        let start = std::mem::replace(&mut from, var(end));
        let body = copies.body(width);
        then.push(Stmt::For { var: *p, lo: start, hi: var(end), step, mode: LoopMode::Serial, body });
    }
    then.push(Stmt::Set { var: done, val: from });
    out.push(Stmt::Let { var: done, val: lo.clone() });
    out.push(Stmt::If { cond: long_enough(&lo, &hi, 2), then, other: Vec::new() });
    let mut rest = body.clone();
    rest.push(inner_loop(&plan.inner, plan.inner.body.clone()));
    out.push(Stmt::For { var: *p, lo: var(done), hi, step: 1, mode: LoopMode::Serial, body: rest });
}

fn inner_loop(inner: &ForLoop, body: Vec<Stmt>) -> Stmt {
    let ForLoop { var, lo, hi, body: _ } = inner;
    Stmt::For { var: *var, lo: lo.clone(), hi: hi.clone(), step: 1, mode: LoopMode::Vector, body }
}

/// The body for several rounds.
struct Copies<'p> {
    plan: &'p JamPlan,
    /// The names of the varying variables in each round; the first keeps the old ones.
    names: Vec<IdMap<VarId, VarId>>,
}

impl Copies<'_> {
    fn new<'p>(kernel: &mut LoopKernel, plan: &'p JamPlan) -> Copies<'p> {
        let mut names = vec![IdMap::default(); plan.factor];
        for s in plan.outer.body.iter().chain(&plan.inner.body) {
            if let Stmt::Let { var, val: _ } = s
                && plan.varying.contains(var)
            {
                let old = kernel.vars[*var].clone();
                names[1..].iter_mut().for_each(|n| {
                    n.insert(*var, kernel.var(&old.name, old.ty));
                });
            }
        }
        Copies { plan, names }
    }
    /// The outer body for `count` rounds.
    fn body(&self, count: usize) -> Vec<Stmt> {
        let mut out = self.block(&self.plan.outer.body, count);
        out.push(inner_loop(&self.plan.inner, self.block(&self.plan.inner.body, count)));
        out
    }
    /// Lets, once for each round when they differ, and the store, once for all.
    fn block(&self, body: &[Stmt], count: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for s in body {
            match s {
                Stmt::Let { var, val } if self.plan.varying.contains(var) => {
                    out.extend(
                        (0..count).map(|n| Stmt::Let { var: self.name(*var, n), val: self.expr(val, n) }),
                    );
                }
                Stmt::Store { buf, at, val, reduce } => {
                    let val = combine_rounds(
                        self.plan.prim,
                        self.plan.elem,
                        (0..count).map(|n| self.expr(val, n)).collect(),
                    );
                    out.push(Stmt::Store { buf: *buf, at: at.clone(), val, reduce: *reduce });
                }
                // The plan admits none of the others but lets that are the same in every round, and remarks.
                _ => out.push(s.clone()),
            }
        }
        out
    }
    fn name(&self, v: VarId, n: usize) -> VarId {
        self.names[n].get(&v).copied().unwrap_or(v)
    }
    /// `e` in round `n`.
    fn expr(&self, e: &Expr, n: usize) -> Expr {
        if !mentions(e, &self.plan.varying) {
            return e.clone();
        }
        let p = self.plan.outer.var;
        substitute(e, &|v| Some(if v == p { add(var(p), int(n as i64)) } else { var(self.name(v, n)) }))
    }
}

/// All rounds combined. In a sum of products of integers, factors that every round has are taken out: `b * (c0 + c1)` loads
/// `b` once. Floats are left alone: with `b` infinite and `c1` zero, `b * c1` is NaN, and two large numbers may overflow
/// before a small one makes them smaller.
fn combine_rounds(prim: Prim, elem: DType, all: Vec<Expr>) -> Expr {
    if prim != Prim::Add || elem.is_inexact() {
        return tree(prim, all);
    }
    let mut rounds: Vec<Vec<Expr>> = all.iter().map(factors).collect();
    let mut common = Vec::new();
    for factor in rounds.first().cloned().unwrap_or_default() {
        let places: Option<Vec<usize>> = rounds.iter().map(|r| r.iter().position(|f| *f == factor)).collect();
        // A product needs something left in it.
        if let Some(places) = places.filter(|_| rounds.iter().all(|r| r.len() > 1)) {
            rounds.iter_mut().zip(places).for_each(|(r, at)| drop(r.remove(at)));
            common.push(factor);
        }
    }
    if common.is_empty() {
        return tree(prim, all);
    }
    let product = |factors: Vec<Expr>| factors.into_iter().reduce(|a, b| call(Prim::Mul, a, b));
    let rest: Vec<Expr> = rounds.into_iter().filter_map(product).collect();
    let sum = tree(prim, rest);
    product(common).map_or(sum.clone(), |shared| call(Prim::Mul, shared, sum))
}

/// `a * b * c` as its factors.
fn factors(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Call { prim: Prim::Mul, args } => args.iter().flat_map(factors).collect(),
        _ => vec![e.clone()],
    }
}
