//! Typed primitives: the closed set of scalar operations that loop IR and backends know.
//!
//! All arguments have the same dtype (casts are explicit in the IRs), except that [`Prim::Select`] takes a bool
//! first. Integer arithmetic wraps. `Min` and `Max` return NaN if either argument is NaN. `Div` is a true division
//! and exists for floats and complex numbers only, so no primitive can trap.

use crate::dtype::{DType, Kind};
use crate::scalar::Scalar;
use num_complex::Complex;

/// A typed scalar primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Prim {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Neg,
    Abs,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Xor,
    Not,
    /// `select(c, a, b)`: `a` where `c`, else `b`; both are evaluated.
    Select,
}

impl Prim {
    /// Every primitive.
    pub const ALL: [Prim; 19] = [
        Prim::Add,
        Prim::Sub,
        Prim::Mul,
        Prim::Div,
        Prim::Min,
        Prim::Max,
        Prim::Neg,
        Prim::Abs,
        Prim::Eq,
        Prim::Ne,
        Prim::Lt,
        Prim::Le,
        Prim::Gt,
        Prim::Ge,
        Prim::And,
        Prim::Or,
        Prim::Xor,
        Prim::Not,
        Prim::Select,
    ];
    /// The name used in IR text.
    pub fn name(self) -> &'static str {
        match self {
            Prim::Add => "add",
            Prim::Sub => "sub",
            Prim::Mul => "mul",
            Prim::Div => "div",
            Prim::Min => "min",
            Prim::Max => "max",
            Prim::Neg => "neg",
            Prim::Abs => "abs",
            Prim::Eq => "eq",
            Prim::Ne => "ne",
            Prim::Lt => "lt",
            Prim::Le => "le",
            Prim::Gt => "gt",
            Prim::Ge => "ge",
            Prim::And => "and",
            Prim::Or => "or",
            Prim::Xor => "xor",
            Prim::Not => "not",
            Prim::Select => "select",
        }
    }
    /// The primitive called `name`.
    pub fn by_name(name: &str) -> Option<Prim> {
        Prim::ALL.into_iter().find(|p| p.name() == name)
    }
    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Prim::Neg | Prim::Abs | Prim::Not => 1,
            Prim::Select => 3,
            _ => 2,
        }
    }
    /// Whether the result is a truth value whatever the arguments.
    pub fn is_comparison(self) -> bool {
        matches!(self, Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge)
    }
    /// The result dtype for arguments of dtype `arg` (of the two branches, for `Select`), or `None` when the
    /// primitive is not defined there.
    pub fn result(self, arg: DType) -> Option<DType> {
        let kind = arg.kind();
        match self {
            Prim::Add | Prim::Mul | Prim::Eq | Prim::Ne | Prim::Select => {}
            Prim::Sub | Prim::Neg if kind == Kind::Bool => return None,
            Prim::Sub | Prim::Neg | Prim::Abs => {}
            Prim::Div if kind < Kind::Float => return None,
            Prim::Div => {}
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge if kind == Kind::Complex => {
                return None;
            }
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {}
            Prim::And | Prim::Or | Prim::Xor | Prim::Not if kind >= Kind::Float => return None,
            Prim::And | Prim::Or | Prim::Xor | Prim::Not => {}
        }
        Some(match self {
            p if p.is_comparison() => DType::Bool,
            Prim::Abs => arg.real(),
            _ => arg,
        })
    }
    /// Applies the primitive. `None` when the argument count or dtypes are wrong.
    ///
    /// ```
    /// use openwork_algebra::{Prim, Scalar};
    /// assert_eq!(Prim::Add.eval(&[Scalar::U8(250), Scalar::U8(10)]), Some(Scalar::U8(4)));
    /// ```
    pub fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        use Scalar::*;
        if args.len() != self.arity() {
            return None;
        }
        if self == Prim::Select {
            let Bool(c) = args[0] else { return None };
            return (args[1].dtype() == args[2].dtype()).then(|| if c { args[1] } else { args[2] });
        }
        let a = args[0];
        let b = *args.last()?;
        if a.dtype() != b.dtype() {
            return None;
        }
        self.result(a.dtype())?;
        macro_rules! int {
            ($v:ident, $x:expr, $y:expr) => {{
                let (x, y) = ($x, $y);
                match self {
                    Prim::Add => $v(x.wrapping_add(y)),
                    Prim::Sub => $v(x.wrapping_sub(y)),
                    Prim::Mul => $v(x.wrapping_mul(y)),
                    Prim::Min => $v(x.min(y)),
                    Prim::Max => $v(x.max(y)),
                    Prim::Neg => $v(x.wrapping_neg()),
                    #[allow(unused_comparisons)]
                    Prim::Abs => $v(if x < 0 { x.wrapping_neg() } else { x }),
                    Prim::And => $v(x & y),
                    Prim::Or => $v(x | y),
                    Prim::Xor => $v(x ^ y),
                    Prim::Not => $v(!x),
                    Prim::Div | Prim::Select => return None,
                    cmp => Bool(compare(cmp, &x, &y)),
                }
            }};
        }
        macro_rules! float {
            ($v:ident, $x:expr, $y:expr) => {{
                let (x, y) = ($x, $y);
                match self {
                    Prim::Add => $v(x + y),
                    Prim::Sub => $v(x - y),
                    Prim::Mul => $v(x * y),
                    Prim::Div => $v(x / y),
                    Prim::Min => $v(if x < y || x.is_nan() { x } else { y }),
                    Prim::Max => $v(if x > y || x.is_nan() { x } else { y }),
                    Prim::Neg => $v(-x),
                    Prim::Abs => $v(x.abs()),
                    Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => return None,
                    cmp => Bool(compare(cmp, &x, &y)),
                }
            }};
        }
        macro_rules! complex {
            ($v:ident, $r:ident, $x:expr, $y:expr) => {{
                let (x, y) = ($x, $y);
                match self {
                    Prim::Add => $v(x + y),
                    Prim::Sub => $v(x - y),
                    Prim::Mul => $v(Complex::new(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)),
                    Prim::Div => $v(x / y),
                    Prim::Neg => $v(-x),
                    Prim::Abs => $r(x.norm()),
                    Prim::Eq => Bool(x == y),
                    Prim::Ne => Bool(x != y),
                    _ => return None,
                }
            }};
        }
        Some(match (a, b) {
            (Bool(x), Bool(y)) => match self {
                Prim::Add | Prim::Or | Prim::Max => Bool(x | y),
                Prim::Mul | Prim::And | Prim::Min => Bool(x & y),
                Prim::Xor => Bool(x ^ y),
                Prim::Not => Bool(!x),
                Prim::Abs => Bool(x),
                Prim::Sub | Prim::Neg | Prim::Div | Prim::Select => return None,
                cmp => Bool(compare(cmp, &x, &y)),
            },
            (I8(x), I8(y)) => int!(I8, x, y),
            (I16(x), I16(y)) => int!(I16, x, y),
            (I32(x), I32(y)) => int!(I32, x, y),
            (I64(x), I64(y)) => int!(I64, x, y),
            (U8(x), U8(y)) => int!(U8, x, y),
            (U16(x), U16(y)) => int!(U16, x, y),
            (U32(x), U32(y)) => int!(U32, x, y),
            (U64(x), U64(y)) => int!(U64, x, y),
            (F32(x), F32(y)) => float!(F32, x, y),
            (F64(x), F64(y)) => float!(F64, x, y),
            (C64(x), C64(y)) => complex!(C64, F32, x, y),
            (C128(x), C128(y)) => complex!(C128, F64, x, y),
            _ => return None,
        })
    }
}

fn compare<T: PartialOrd>(p: Prim, x: &T, y: &T) -> bool {
    match p {
        Prim::Eq => x == y,
        Prim::Ne => x != y,
        Prim::Lt => x < y,
        Prim::Le => x <= y,
        Prim::Gt => x > y,
        Prim::Ge => x >= y,
        _ => unreachable!("only comparisons reach here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_and_result_agree_on_what_is_defined() {
        for p in Prim::ALL {
            for dt in DType::ALL {
                let mut args = vec![Scalar::one(dt); p.arity()];
                if p == Prim::Select {
                    args[0] = Scalar::Bool(true);
                }
                let got = p.eval(&args).map(Scalar::dtype);
                assert_eq!(got, p.result(dt), "{p:?} {dt}");
            }
        }
    }

    #[test]
    fn min_and_max_carry_nan_from_either_side() {
        let nan = Scalar::F64(f64::NAN);
        for p in [Prim::Min, Prim::Max] {
            assert_eq!(p.eval(&[nan, Scalar::F64(1.0)]), Some(nan));
            assert_eq!(p.eval(&[Scalar::F64(1.0), nan]), Some(nan));
        }
    }
}
