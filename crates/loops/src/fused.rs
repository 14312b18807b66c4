//! Products that are rounded together with the sum they join: apart from it on machines that have no instruction for that, and
//! once as well where a choice stands between the product and the sum.
//!
//! ```text
//! y[i] += fused(a[i], x[i])                      =>      y[i] += a[i] * x[i]
//! y[i] += select(c, fused(a[i], x[i]), 0.0)      =>      y[i] = select(c, y[i] + fused(a[i], x[i]), y[i])
//! ```

use crate::build::{call, var};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt};
use crate::walk::{blocks_mut, each_stmt_mut, exprs_mut, rewrite};
use openwork_algebra::{Prim, Scalar};

/// The kernel with every product rounded by itself.
pub fn round_products(mut kernel: LoopKernel) -> LoopKernel {
    each_stmt_mut(&mut kernel.body, &mut |s| {
        for e in exprs_mut(s) {
            rewrite(e, &mut |part| {
                if let Expr::Call { prim: prim @ Prim::Fused, .. } = part {
                    *prim = Prim::Mul;
                }
            });
        }
    });
    kernel
}

/// The kernel with sums inside of choices whose products are rounded with them. Loops that a backend takes in vectors of its own
/// stay: it rounds them so.
pub fn sum_chosen_products(mut kernel: LoopKernel) -> LoopKernel {
    let mut body = std::mem::take(&mut kernel.body);
    block(&mut kernel, &mut body);
    LoopKernel { body, ..kernel }
}

fn block(kernel: &mut LoopKernel, body: &mut Vec<Stmt>) {
    let mut out = Vec::with_capacity(body.len());
    for mut s in std::mem::take(body) {
        let own = matches!(s, Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. });
        if !own {
            blocks_mut(&mut s).for_each(|inner| block(kernel, inner));
            statement(kernel, &mut s, &mut out);
        }
        out.push(s);
    }
    *body = out;
}

/// Rewrites what a statement computes; `before` gets what it names twice.
fn statement(kernel: &mut LoopKernel, s: &mut Stmt, before: &mut Vec<Stmt>) {
    match s {
        Stmt::Let { val, .. } | Stmt::Set { val, .. } | Stmt::Store { val, reduce: None, .. } => {
            sum(kernel, val, before);
        }
        Stmt::Store { buf, at, val, reduce: reduce @ Some(Prim::Add) } if chosen_product(val).is_some() => {
            let lanes = kernel.ty(val).map_or(1, |ty| ty.lanes);
            let at = Box::new(at.clone());
            let held = match lanes {
                1 => Expr::Load { buf: *buf, at },
                lanes => Expr::VLoad { buf: *buf, at, lanes },
            };
            *val = call(Prim::Add, held, val.clone());
            *reduce = None;
            sum(kernel, val, before);
        }
        _ => {}
    }
}

/// Rewrites the sums in an expression that is always computed.
fn sum(kernel: &mut LoopKernel, e: &mut Expr, before: &mut Vec<Stmt>) {
    let Expr::Call { prim, args } = e else { return };
    args.iter_mut().for_each(|part| sum(kernel, part, before));
    let (Prim::Add, [a, b]) = (*prim, &args[..]) else { return };
    let (there, product, other) = match (chosen_product(a), chosen_product(b)) {
        (_, Some((there, product))) => (there, product, a),
        (Some((there, product)), None) => (there, product, b),
        (None, None) => return,
    };
    let other = match other {
        Expr::Var(_) | Expr::Load { .. } | Expr::VLoad { .. } | Expr::Const(_) => other.clone(),
        long => {
            let Ok(ty) = kernel.ty(long) else { return };
            let name = kernel.var("sum", ty);
            before.push(Stmt::Let { var: name, val: long.clone() });
            var(name)
        }
    };
    let together = call(Prim::Add, other.clone(), product.clone());
    *e = Expr::Call { prim: Prim::Select, args: vec![there.clone(), together, other] };
}

/// What decides on a product that is not rounded by itself, in place of which there may be nothing, and the product.
fn chosen_product(e: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Call { prim: Prim::Select, args } = e else { return None };
    let [there, product, nothing] = &args[..] else { return None };
    let zero = match nothing {
        Expr::Splat { arg, .. } => arg,
        nothing => nothing,
    };
    let zero = matches!(zero, Expr::Const(Scalar::F64(0.0)) | Expr::Const(Scalar::F32(0.0)));
    (zero && product.fused_factors().is_some()).then_some((there, product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print};
    use openwork_base::Source;

    #[test]
    fn sums_of_chosen_products_are_rounded_once() {
        let text = |body: &str| {
            format!("kernel k(n: i64, c: in bool[], x: in f64[], y: out f64[]) {{\n{body}\n}}\n")
        };
        let read = |body: &str| parse(&Source::new("test", text(body))).unwrap_or_else(|e| panic!("{e}"));
        for (given, wanted) in [
            (
                "y[n] += select(c[0], fused(x[0], x[1]), 0.0)",
                "y[n] = select(c[0], y[n] + fused(x[0], x[1]), y[n])",
            ),
            (
                "y[n] = select(c[0], fused(x[0], x[1]), 0.0) + x[2] * x[3]",
                "let sum: f64 = x[2] * x[3]\ny[n] = select(c[0], sum + fused(x[0], x[1]), sum)",
            ),
            ("y[n] += select(c[0], fused(x[0], x[1]), 1.0)", "y[n] += select(c[0], fused(x[0], x[1]), 1.0)"),
            ("y[n] += select(c[0], x[0] * x[1], 0.0)", "y[n] += select(c[0], x[0] * x[1], 0.0)"),
        ] {
            assert_eq!(print(&sum_chosen_products(read(given))), print(&read(wanted)), "{given}");
        }
    }

    #[test]
    fn products_are_rounded_where_no_instruction_fuses_them() {
        let read = |body: &str| {
            let text = format!("kernel k(n: i64, x: in f64[], y: out f64[]) {{\n{body}\n}}\n");
            parse(&Source::new("test", text)).unwrap_or_else(|e| panic!("{e}"))
        };
        let rounded = round_products(read("y[n] += fused(x[0], x[1])\ny[0] = fused(x[0], 2.0) + y[1]"));
        assert_eq!(print(&rounded), print(&read("y[n] += x[0] * x[1]\ny[0] = x[0] * 2.0 + y[1]")));
    }
}
