//! Squares, which become products: a power takes ten times as long.
//!
//! ```text
//! y[i] = power(x[i], 2.0)        =>      let base: f64 = x[i]
//!                                        y[i] = base * base
//! ```
//! The product is rounded once, which no power promises. It is written before anything is simplified, so that every stage
//! after lowering has the same bits.

use crate::build::var;
use crate::nodes::{Expr, LoopKernel, Stmt, Ty};
use openwork_algebra::{Library, Prim, Scalar};

/// Whether an expression is the square of something.
pub(crate) fn is_square(e: &Expr) -> bool {
    let Expr::Call { prim: Prim::Library(Library::Power), args } = e else { return false };
    matches!(args[..], [_, Expr::Const(s)] if s == Scalar::from_i64(2, s.dtype()))
}

/// The product for a square, after a statement that computes what is squared.
pub(crate) fn product(kernel: &mut LoopKernel, square: &mut Expr, out: &mut Vec<Stmt>) {
    let Expr::Call { prim, args } = square else { return };
    let [arg, Expr::Const(two)] = &mut args[..] else { return };
    if !matches!(arg, Expr::Var(_)) {
        let base = kernel.var("base", Ty::scalar(two.dtype()));
        out.push(Stmt::Let { var: base, val: std::mem::replace(arg, var(base)) });
    }
    *prim = Prim::Mul;
    args[1] = args[0].clone();
}

#[cfg(test)]
mod tests {
    use crate::text::{parse, print};
    use crate::verify::verify;
    use crate::write_out;
    use openwork_base::Source;

    #[track_caller]
    fn becomes(from: &str, to: &str) {
        let head = "kernel k(n: i64, x: in f64[], y: out f64[], z: out i64[])";
        let read = |body: &str| {
            let text = format!("{head} {{\n{body}\n}}\n");
            parse(&Source::new("test", text)).unwrap_or_else(|e| panic!("{e}"))
        };
        let mut k = read(from);
        write_out(&mut k);
        verify(&k).unwrap();
        assert_eq!(print(&k), print(&read(to)));
    }

    #[test]
    fn squares_become_products_and_other_powers_stay() {
        becomes("y[0] = power(x[0], 2.0)", "let base: f64 = x[0]\ny[0] = base * base");
        becomes("z[0] = power(n, 2) + 1", "z[0] = n * n + 1");
        becomes(
            "y[0] = power(power(x[0] + 1.0, 2.0), 2.0)",
            "let base: f64 = x[0] + 1.0\nlet base_2: f64 = base * base\ny[0] = base_2 * base_2",
        );
        for kept in ["y[0] = power(x[0], 3.0)", "y[0] = power(2.0, x[0])", "y[0] = power(x[0], x[1])"] {
            becomes(kept, kept);
        }
    }

    #[test]
    fn a_condition_guards_what_it_guarded() {
        becomes(
            "while n < 9 && power(x[n], 2.0) < 5.0 { n = n + 1 }",
            "let both: bool = n < 9
             if both {
               let base: f64 = x[n]
               both = base * base < 5.0
             }
             let go: bool = both
             while go {
               n = n + 1
               let both_2: bool = n < 9
               if both_2 {
                 let base_2: f64 = x[n]
                 both_2 = base_2 * base_2 < 5.0
               }
               go = both_2
             }",
        );
    }
}
