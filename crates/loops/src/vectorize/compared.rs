//! Tests of floats as comparisons, which vectors have: `isnan(x)` as `x != x`.

use crate::build::{call, constant};
use crate::nodes::{Expr, LoopKernel, Stmt};
use crate::walk::{each_stmt_mut, exprs_mut, rewrite};
use openwork_algebra::{Library, Prim, Scalar};

/// Writes the tests in a loop as comparisons, where what they test can be written twice.
pub(super) fn rewrite_tests(kernel: &LoopKernel, s: &mut Stmt) {
    each_stmt_mut(std::slice::from_mut(s), &mut |s| {
        for e in exprs_mut(s) {
            rewrite(e, &mut |part| {
                if let Some(new) = comparison(kernel, part) {
                    *part = new;
                }
            });
        }
    });
}

fn comparison(kernel: &LoopKernel, e: &Expr) -> Option<Expr> {
    let Expr::Call { prim: Prim::Library(f), args } = e else { return None };
    let [x @ (Expr::Var(_) | Expr::Load { .. })] = &args[..] else { return None };
    let elem = kernel.ty(x).ok().filter(|ty| ty.elem.is_float() && ty.lanes == 1)?.elem;
    let size = || Expr::Call { prim: Prim::Abs, args: vec![x.clone()] };
    let infinity = || constant(Scalar::from_f64(f64::INFINITY, elem));
    match f {
        Library::Isnan => Some(call(Prim::Ne, x.clone(), x.clone())),
        Library::Isinf => Some(call(Prim::Eq, size(), infinity())),
        Library::Isfinite => Some(call(Prim::Lt, size(), infinity())),
        _ => None,
    }
}
