//! Statements that do nothing, or always the same.
//!
//! ```text
//! if true { a } else { b }   =>  a              for i in 3..3 { … }   =>
//! if c { } else { b }        =>  if !c { b }    for i in 0..n { }     =>
//! x = x                      =>                 fail(…) a b           =>  fail(…)      break a b  =>  break
//! for i in a..b { n = n + 1 }                   =>  n = n + select(a < b, b - a, 0)
//! ```

use crate::kinds::StmtKind;
use crate::nodes::{Expr, LoopKernel, Stmt, VarId};
use crate::walk::{blocks_mut, born_var, each_stmt, each_stmt_mut, exprs_mut, substitute};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;

/// Removes and flattens control flow.
pub(super) fn tidy(kernel: &mut LoopKernel) {
    let mut births: IdMap<VarId, usize> = IdMap::default();
    each_stmt(&kernel.body, &mut |s| {
        if let Some(v) = born_var(s) {
            *births.entry(v).or_default() += 1;
        }
    });
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(kernel, &births, body);
}

fn block(kernel: &mut LoopKernel, births: &IdMap<VarId, usize>, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for s in body {
        stmt(kernel, births, s, &mut out);
        if matches!(out.last(), Some(Stmt::Fail(_) | Stmt::Break)) {
            break;
        }
    }
    out
}

fn stmt(kernel: &mut LoopKernel, births: &IdMap<VarId, usize>, s: Stmt, out: &mut Vec<Stmt>) {
    match s {
        Stmt::For { var, lo, hi, step, mode, body } => {
            if let (Expr::Const(Scalar::I64(a)), Expr::Const(Scalar::I64(b))) = (&lo, &hi)
                && a >= b
            {
                return;
            }
            let body = block(kernel, births, body);
            if let Some(counted) = fold_counting_loop(&lo, &hi, step, &body) {
                out.push(counted);
            } else if !idle(&body) {
                out.push(Stmt::For { var, lo, hi, step, mode, body });
            }
        }
        Stmt::While { cond: Expr::Const(Scalar::Bool(false)), body: _ } => {}
        Stmt::If { cond: Expr::Const(Scalar::Bool(always)), then, other } => {
            let body = block(kernel, births, if always { then } else { other });
            out.extend(release(kernel, births, body));
        }
        Stmt::If { cond, then, other } => {
            let (then, other) = (block(kernel, births, then), block(kernel, births, other));
            match (idle(&then), idle(&other)) {
                (true, true) => {}
                (true, false) => {
                    let cond = Expr::Call { prim: Prim::Not, args: vec![cond] };
                    out.push(Stmt::If { cond, then: other, other: Vec::new() });
                }
                (false, true) => out.push(Stmt::If { cond, then, other: Vec::new() }),
                (false, false) => out.push(Stmt::If { cond, then, other }),
            }
        }
        Stmt::Set { var, val } if val == Expr::Var(var) => {}
        mut s => {
            for inner in blocks_mut(&mut s) {
                *inner = block(kernel, births, std::mem::take(inner));
            }
            out.push(s);
        }
    }
}

/// What a loop comes to that only counts its rounds.
fn fold_counting_loop(lo: &Expr, hi: &Expr, step: i64, body: &[Stmt]) -> Option<Stmt> {
    let simple = |e: &Expr| matches!(e, Expr::Var(_) | Expr::Const(_));
    let [Stmt::Set { var, val: Expr::Call { prim: Prim::Add, args } }] = body else { return None };
    let [Expr::Var(sum), Expr::Const(Scalar::I64(one))] = args[..] else { return None };
    if sum != *var || one != 1 || step != 1 || !simple(lo) || !simple(hi) {
        return None;
    }
    let call = |prim, args: &[&Expr]| Expr::Call { prim, args: args.iter().map(|e| (*e).clone()).collect() };
    let (some, rounds) = (call(Prim::Lt, &[lo, hi]), call(Prim::Sub, &[hi, lo]));
    let rounds = call(Prim::Select, &[&some, &rounds, &Expr::Const(Scalar::I64(0))]);
    Some(Stmt::Set { var: *var, val: call(Prim::Add, &[&Expr::Var(*var), &rounds]) })
}

/// Whether a block only remarks.
fn idle(body: &[Stmt]) -> bool {
    body.iter().all(|s| s.kind() == StmtKind::Remark)
}

/// Readies a block to be part of the block around it: its variables will live longer, so those that are born more
/// than once get new names.
fn release(kernel: &mut LoopKernel, births: &IdMap<VarId, usize>, mut body: Vec<Stmt>) -> Vec<Stmt> {
    let mut renamed: IdMap<VarId, VarId> = IdMap::default();
    for s in &body {
        if let Stmt::Let { var, val: _ } = s
            && births.get(var).is_some_and(|n| *n > 1)
        {
            let Some(old) = kernel.vars.get(*var).cloned() else { continue };
            renamed.insert(*var, kernel.var(&old.name, old.ty));
        }
    }
    if renamed.is_empty() {
        return body;
    }
    each_stmt_mut(&mut body, &mut |s| {
        for e in exprs_mut(s) {
            *e = substitute(e, &|v| renamed.get(&v).map(|new| Expr::Var(*new)));
        }
        if let Stmt::Let { var, val: _ } | Stmt::Set { var, val: _ } = s
            && let Some(new) = renamed.get(var)
        {
            *var = *new;
        }
    });
    body
}
