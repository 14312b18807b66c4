//! Unrolled loops: a loop of a few rounds whose number is known, and that runs to its end, becomes straight code.
//!
//! ```text
//! for r in 0..2 {                    let p: i64 = q + 0
//!   let p: i64 = q + r               y[b] += a[p] * x[c]
//!   y[b] += a[p] * x[c + r]     =>   let p_2: i64 = q + 1
//! }                                  y[b] += a[p_2] * x[c + 1]
//! ```
//! The rows and columns of small blocks become straight code, in which [`promote`](crate::promote()) finds what to keep in
//! registers.

use crate::build::{add, call, int, mul, var};
use crate::kinds::own_var_mut;
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{blocks_mut, born_var, each_stmt, exprs_mut, leaves, rewrite};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;

/// The most rounds of a loop that is unrolled.
const ROUNDS: i64 = 8;
/// The most statements that a loop may turn into.
const STATEMENTS: usize = 400;

/// Unrolls every loop of a lawful kernel that has few rounds, inner ones first.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{text::{parse, print}, unroll};
/// let k = parse(&Source::new("demo", "kernel k(y: out f64[]) { for r in 0..2 { y[r] = 1.0 } }")).unwrap();
/// assert_eq!(print(&unroll(k)), "kernel k(y: out f64[]) {\n  y[0] = 1.0\n  y[1] = 1.0\n}\n");
/// ```
pub fn unroll(mut kernel: LoopKernel) -> LoopKernel {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, body);
    kernel
}

fn block(kernel: &mut LoopKernel, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if is_assembled(&s) {
            out.push(s);
            continue;
        }
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, std::mem::take(inner));
        }
        match rounds(&s) {
            Some((v, values, body)) => {
                for value in values {
                    out.extend(copy(kernel, body, v, &int(value)));
                }
            }
            None => out.push(s),
        }
    }
    out
}

/// Writes out `rounds` rounds of a loop one after the other, and leaves the rest to a loop as before. Anything but a loop
/// with step 1 that runs to its end stays as it is.
///
/// ```text
/// for i in lo..hi { y[i] = 1.0 }   =>   let i_main: i64 = lo + max(hi - lo, 0) / 2 * 2
///                                       for i_2 in lo..i_main step 2 { y[i_2] = 1.0  y[i_2 + 1] = 1.0 }
///                                       for i in i_main..hi { y[i] = 1.0 }
/// ```
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{text::parse, unroll::unroll_by, verify};
/// let source = Source::new("demo", "kernel k(n: i64, y: out f64[]) { for r in 0..n { y[r] = 1.0 } }");
/// let mut k = parse(&source).unwrap();
/// let whole = std::mem::take(&mut k.body).remove(0);
/// k.body = unroll_by(&mut k, whole, 3);
/// assert!(verify(&k).is_ok() && k.body.len() == 5);
/// ```
pub fn unroll_by(kernel: &mut LoopKernel, s: Stmt, rounds: i64) -> Vec<Stmt> {
    if matches!(&s, Stmt::For { body, .. } if leaves(body)) {
        return vec![s];
    }
    let Stmt::For { var: i, lo, hi, step: 1, mode, body } = s else { return vec![s] };
    let name = kernel.vars[i].name.clone();
    let (begin, end, main) = (
        kernel.index(&format!("{name}_lo")),
        kernel.index(&format!("{name}_hi")),
        kernel.index(&format!("{name}_main")),
    );
    let count = call(Prim::Max, call(Prim::Sub, var(end), var(begin)), int(0));
    let whole = mul(call(Prim::Quot, count, int(rounds)), int(rounds));
    let first = kernel.index(&name);
    let mut several = Vec::new();
    for n in 0..rounds {
        several.extend(copy(kernel, &body, i, &add(var(first), int(n))));
    }
    let step = rounds;
    vec![
        Stmt::Let { var: begin, val: lo },
        Stmt::Let { var: end, val: hi },
        Stmt::Let { var: main, val: add(var(begin), whole) },
        Stmt::For { var: first, lo: var(begin), hi: var(main), step, mode: LoopMode::Serial, body: several },
        Stmt::For { var: i, lo: var(main), hi: var(end), step: 1, mode, body },
    ]
}

/// Whether a backend assembles a loop as it stands.
pub(crate) fn is_assembled(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. })
}

/// The variable, its values and the body of a loop that is to be unrolled.
fn rounds(s: &Stmt) -> Option<(VarId, std::ops::Range<i64>, &[Stmt])> {
    let Stmt::For { var, lo, hi, step: 1, mode: _, body } = s else { return None };
    if leaves(body) {
        return None;
    }
    let (Expr::Const(Scalar::I64(lo)), Expr::Const(Scalar::I64(hi))) = (lo, hi) else { return None };
    let count = hi.checked_sub(*lo).filter(|n| (0..=ROUNDS).contains(n))?;
    let mut size = 0;
    each_stmt(body, &mut |_| size += 1);
    (size * count as usize <= STATEMENTS).then_some((*var, *lo..*hi, body))
}

/// The body of one round, with variables of its own.
pub(crate) fn copy(kernel: &mut LoopKernel, body: &[Stmt], v: VarId, value: &Expr) -> Vec<Stmt> {
    let mut names: IdMap<VarId, VarId> = IdMap::default();
    each_stmt(body, &mut |s| {
        if let Some(old) = born_var(s) {
            let var = kernel.vars[old].clone();
            names.insert(old, kernel.var(&var.name, var.ty));
        }
    });
    let mut out = body.to_vec();
    rename(&mut out, &names, v, value);
    out
}
fn rename(body: &mut [Stmt], names: &IdMap<VarId, VarId>, v: VarId, value: &Expr) {
    for s in body {
        for e in exprs_mut(s) {
            rewrite(e, &mut |part| {
                if let Expr::Var(old) = part {
                    if *old == v {
                        *part = value.clone();
                    } else if let Some(new) = names.get(old) {
                        *part = var(*new);
                    }
                }
            });
        }
        if let Some(var) = own_var_mut(s) {
            *var = names.get(var).copied().unwrap_or(*var);
        }
        for inner in blocks_mut(s) {
            rename(inner, names, v, value);
        }
    }
}
