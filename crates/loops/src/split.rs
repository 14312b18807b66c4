//! Loops that are split where a condition that compares their variable turns from true to false.
//!
//! ```text
//! for b in lo..hi {                         let b_split: i64 = min(max(lo, m / 8), hi)
//!   for n in pos[b]..pos[b + 1] {           for b in lo..b_split { for n in … { whole } }
//!     if b * 8 + 8 <= m { whole }      =>   for b in b_split..hi { for n in … { rest } }
//!     else { rest }
//!   }
//! }
//! ```
//!
//! As everywhere, an index that does not fit an `i64` would be a fault of the kernel.

use crate::build::{add, call, constant, int, lt, mul, var};
use crate::nodes::{Expr, LoopKernel, Stmt, VarId};
use crate::unroll::copy;
use crate::walk::{
    blocks_mut, born_var, depends, each_stmt, each_stmt_mut, leaves, rewrite, set_var, substitute,
};
use openwork_algebra::{Prim, Scalar};
use openwork_base::{IdMap, IdSet};

/// A loop in two.
pub(crate) struct LoopParts {
    /// What is computed before both.
    pub lets: Vec<Stmt>,
    /// The loop over values for which the condition holds.
    pub first: Stmt,
    /// The loop over the others, which follow.
    pub second: Stmt,
}

/// `factor * v + shift <= bound`.
struct UntilTest {
    factor: i64,
    shift: i64,
    bound: Expr,
}

/// A loop where a condition of its variable holds, and where it does not, each over the whole range.
struct Halves {
    until: UntilTest,
    whole: Stmt,
    rest: Stmt,
}

/// The halves of a serial loop over `v` with a condition `factor * v + shift <= bound`, where there is one.
fn halves(kernel: &mut LoopKernel, s: &Stmt) -> Option<Halves> {
    let Stmt::For { var: v, lo, hi, step: 1, mode, body } = s else { return None };
    if leaves(body) {
        // The second part would not know that the first was left.
        return None;
    }
    let (mut own, mut set, mut lets) = (IdSet::from_iter([*v]), IdSet::default(), IdMap::default());
    each_stmt(body, &mut |s| {
        own.extend(born_var(s));
        set.extend(set_var(s));
        if let Stmt::Let { var, val } = s {
            lets.insert(*var, val.clone());
        }
    });
    own.extend(&set);
    lets.retain(|v, _| !set.contains(v));
    let mut found: Option<(Expr, UntilTest)> = None;
    each_stmt(body, &mut |s| {
        if let Stmt::If { cond, other, .. } = s
            && !other.is_empty()
            && found.is_none()
        {
            let parts = conjuncts(cond).into_iter();
            found = parts.filter_map(|e| Some((e.clone(), find_end(e, *v, &own, &lets)?))).next();
        }
    });
    let (cond, until) = found?;
    let other = kernel.index(&kernel.vars[*v].name.clone());
    let mut whole = body.clone();
    let mut rest = copy(kernel, body, *v, &var(other));
    let renamed = rest_of(body, &rest, &cond)?;
    decide(&mut whole, &cond, true);
    decide(&mut rest, &renamed, false);
    let part = |v: VarId, body: Vec<Stmt>| Stmt::For {
        var: v,
        lo: lo.clone(),
        hi: hi.clone(),
        step: 1,
        mode: *mode,
        body,
    };
    Some(Halves { until, whole: part(*v, whole), rest: part(other, rest) })
}

/// The parts of a loop with such a condition, where there is one.
pub(crate) fn split(kernel: &mut LoopKernel, s: &Stmt) -> Option<LoopParts> {
    let Halves { until, whole, rest } = halves(kernel, s)?;
    let (Stmt::For { var: v, lo, hi, step, mode, body }, Stmt::For { var: other, body: rest, .. }) =
        (whole, rest)
    else {
        return None;
    };
    let name = kernel.vars[v].name.clone();
    let [begin, end, middle] = ["lo", "hi", "split"].map(|part| kernel.index(&format!("{name}_{part}")));
    let val = call(Prim::Min, call(Prim::Max, var(begin), until.end()), var(end));
    Some(LoopParts {
        lets: vec![
            Stmt::Let { var: begin, val: lo },
            Stmt::Let { var: end, val: hi },
            Stmt::Let { var: middle, val },
        ],
        first: Stmt::For { var: v, lo: var(begin), hi: var(middle), step, mode, body },
        second: Stmt::For { var: other, lo: var(middle), hi: var(end), step, mode, body: rest },
    })
}

/// A loop of one round with such a condition: the one where it holds, and the other.
pub(crate) fn split_versions(kernel: &mut LoopKernel, s: &Stmt) -> Option<Versions> {
    let Stmt::For { lo, hi, step: 1, .. } = s else { return None };
    if *hi != add(lo.clone(), int(1)) {
        return None;
    }
    let Halves { until: UntilTest { factor, shift, bound }, whole, rest } = halves(kernel, s)?;
    let at = add(mul(lo.clone(), int(factor)), int(shift));
    Some(Versions { cond: call(Prim::Le, at, bound), then: whole, other: rest })
}

impl UntilTest {
    /// The first value that it does not hold for: one more than the quotient, rounded down.
    fn end(&self) -> Expr {
        let n = call(Prim::Sub, self.bound.clone(), int(self.shift));
        let down = call(Prim::Sub, n.clone(), int(self.factor - 1));
        let n = Expr::Call { prim: Prim::Select, args: vec![lt(n.clone(), int(0)), down, n] };
        add(call(Prim::Quot, n, int(self.factor)), int(1))
    }
}

/// A loop that is written twice.
pub(crate) struct Versions {
    /// What no round changes, and decides what is tested in it.
    pub cond: Expr,
    /// The loop where it holds.
    pub then: Stmt,
    /// … and where it does not.
    pub other: Stmt,
}

/// Two versions of a loop in which `even | b * 4 + 4 <= m` is tested, where `even` is the same in every round.
pub(crate) fn versions(kernel: &mut LoopKernel, s: &Stmt) -> Option<Versions> {
    let Stmt::For { var: v, lo, hi, step, mode, body } = s else { return None };
    let mut own = IdSet::from_iter([*v]);
    each_stmt(body, &mut |s| own.extend(born_var(s).into_iter().chain(set_var(s))));
    let mut found: Option<(Expr, [Expr; 2])> = None;
    each_stmt(body, &mut |s| {
        if let Stmt::If { cond, .. } = s
            && found.is_none()
        {
            found = conjuncts(cond).into_iter().find_map(|e| match e {
                Expr::Call { prim: Prim::Or, args } if !depends(&args[0], &|v| own.contains(&v)) => {
                    Some((e.clone(), [args[0].clone(), args[1].clone()]))
                }
                _ => None,
            });
        }
    });
    let (tested, [cond, left]) = found?;
    let mut rest = std::slice::from_ref(s).to_vec();
    each_stmt_mut(&mut rest, &mut |s| {
        if let Stmt::If { cond, .. } = s {
            rewrite(cond, &mut |part| {
                if *part == tested {
                    *part = left.clone();
                }
            });
        }
    });
    let other = kernel.index(&kernel.vars[*v].name.clone());
    let mut even = copy(kernel, body, *v, &var(other));
    let tested = rest_of(body, &even, &tested)?;
    decide(&mut even, &tested, true);
    let (lo, hi, step, mode) = (lo.clone(), hi.clone(), *step, *mode);
    let then = Stmt::For { var: other, lo, hi, step, mode, body: even };
    Some(Versions { cond, then, other: rest.pop()? })
}

/// What must hold for a condition to.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::AndAlso(a, b) => conjuncts(a).into_iter().chain(conjuncts(b)).collect(),
        e => vec![e],
    }
}

fn find_end(e: &Expr, v: VarId, own: &IdSet<VarId>, lets: &IdMap<VarId, Expr>) -> Option<UntilTest> {
    let Expr::Call { prim: Prim::Le, args } = e else { return None };
    let bound = args[1].clone();
    if depends(&bound, &|v| own.contains(&v)) {
        return None;
    }
    let whole = substitute(&args[0], &|v| lets.get(&v).cloned());
    let (factor, shift) = affine(&whole, v)?;
    (factor > 0).then_some(UntilTest { factor, shift, bound })
}

/// `e` as `factor * v + shift`.
fn affine(e: &Expr, v: VarId) -> Option<(i64, i64)> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some((0, *n)),
        Expr::Var(w) => (*w == v).then_some((1, 0)),
        Expr::Call { prim: Prim::Add, args } => {
            let (a, b) = (affine(&args[0], v)?, affine(&args[1], v)?);
            Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
        }
        Expr::Call { prim: Prim::Mul, args } => match (affine(&args[0], v)?, affine(&args[1], v)?) {
            ((f, s), (0, n)) | ((0, n), (f, s)) => Some((f.checked_mul(n)?, s.checked_mul(n)?)),
            _ => None,
        },
        _ => None,
    }
}

/// The condition as it is called in a copy of its loop.
fn rest_of(body: &[Stmt], copied: &[Stmt], cond: &Expr) -> Option<Expr> {
    let all = |body: &[Stmt]| {
        let mut conds = Vec::new();
        each_stmt(body, &mut |s| {
            if let Stmt::If { cond, .. } = s {
                conds.extend(conjuncts(cond).into_iter().cloned());
            }
        });
        conds
    };
    let at = all(body).iter().position(|e| e == cond)?;
    all(copied).get(at).cloned()
}

/// Takes the branches that follow where a condition is known.
fn decide(body: &mut Vec<Stmt>, cond: &Expr, value: bool) {
    let mut out = Vec::with_capacity(body.len());
    for mut s in std::mem::take(body) {
        blocks_mut(&mut s).for_each(|inner| decide(inner, cond, value));
        if let Stmt::If { cond: c, then, other } = s {
            match assume_condition(&c, cond, value) {
                Expr::Const(Scalar::Bool(true)) => out.extend(then),
                Expr::Const(Scalar::Bool(false)) => out.extend(other),
                cond => out.push(Stmt::If { cond, then, other }),
            }
        } else {
            out.push(s);
        }
    }
    *body = out;
}

/// `e` where `cond` has this value.
fn assume_condition(e: &Expr, cond: &Expr, value: bool) -> Expr {
    let bool = |b| constant(Scalar::Bool(b));
    if e == cond {
        return bool(value);
    }
    let Expr::AndAlso(a, b) = e else { return e.clone() };
    match (assume_condition(a, cond, value), assume_condition(b, cond, value)) {
        (a, b) if a == bool(true) => b,
        (a, b) if b == bool(true) => a,
        (a, b) if a == bool(false) || b == bool(false) => bool(false),
        (a, b) => Expr::AndAlso(a.into(), b.into()),
    }
}
