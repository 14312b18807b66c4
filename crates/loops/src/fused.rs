//! Products that are rounded together with the sum they join, for machines that have no instruction for that.
//!
//! ```text
//! y[i] += fused(a[i], x[i])        =>      y[i] += a[i] * x[i]
//! ```

use crate::nodes::{Expr, Kernel};
use crate::walk::{each_stmt_mut, exprs_mut, rewrite};
use openwork_algebra::Prim;

/// The kernel with every product rounded by itself.
pub fn round_products(mut kernel: Kernel) -> Kernel {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print};
    use openwork_base::Source;

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
