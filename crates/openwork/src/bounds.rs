//! Bounds of an expression from those of its operands: what they exclude need not be looked for element by element.

use crate::look::bounds_of_operand;
use openwork_algebra::operator::Assumes;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{Arena, Result};
use openwork_index::assume::Check;
use openwork_index::{Expr, Tensor as Declared, TensorId};
use openwork_storage::Tensor;

/// Real numbers from the first to the second.
type Interval = (f64, f64);

/// Whether the bounds of the operands tell that a check holds everywhere.
///
/// # Errors
/// `E0606` when it was asked to stop.
pub(crate) fn holds<'t>(
    check: &Check,
    tensors: &Arena<TensorId, Declared>,
    given: &dyn Fn(TensorId) -> Option<&'t Tensor>,
) -> Result<bool> {
    let largest = match check.decides.dtype().real() {
        DType::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    };
    let Some((low, high)) = (Bounds { tensors, given }).of(&check.value)? else { return Ok(false) };
    Ok(match check.assumes {
        // Bounds are rounded themselves.
        Assumes::Finite | Assumes::AboveLowest | Assumes::BelowHighest => {
            low >= -largest / 2.0 && high <= largest / 2.0
        }
        Assumes::Divisor => low > 0.0 || high < 0.0,
        Assumes::Number => true,
    })
}

struct Bounds<'a, 't> {
    tensors: &'a Arena<TensorId, Declared>,
    given: &'a dyn Fn(TensorId) -> Option<&'t Tensor>,
}

impl Bounds<'_, '_> {
    /// Between which numbers the values are; nothing where that is not known, or some may be NaN.
    fn of(&self, e: &Expr) -> Result<Option<Interval>> {
        let found = match e {
            Expr::Access(a) => match (self.given)(a.tensor) {
                Some(t) => bounds_of_operand(t)?.and_then(|found| with(found, t.fill().as_f64())),
                None => None,
            },
            Expr::Literal(s) => (!s.dtype().is_complex()).then(|| (s.as_f64(), s.as_f64())),
            Expr::Cast { to, arg } => {
                self.of(arg)?.and_then(|found| converted(found, arg.dtype(self.tensors), *to))
            }
            Expr::Beside { value, .. } => self.of(value)?,
            // Integers wrap.
            Expr::Call { args, .. } if !args[args.len() - 1].dtype(self.tensors).is_float() => None,
            Expr::Call { op, args } => {
                let args: Result<Option<Vec<Interval>>> = args.iter().map(|a| self.of(a)).collect();
                let dtype = e.dtype(self.tensors);
                args?
                    .and_then(|args| combined(op.prim, &args))
                    .and_then(|found| converted(found, dtype, dtype))
            }
            Expr::Index(_)
            | Expr::Map { .. }
            | Expr::Width(_)
            | Expr::Stored { .. }
            | Expr::WithFill { .. }
            | Expr::Reduce { .. } => None,
        };
        Ok(found.filter(|(low, high)| low.is_finite() && high.is_finite()))
    }
}

/// Bounds of what lies between the first two, or is the third.
fn with((low, high): Interval, value: f64) -> Option<Interval> {
    (!value.is_nan()).then(|| (low.min(value), high.max(value)))
}

/// Bounds of converted values: small ones become 0, fractions are cut off, and integers wrap where they do not fit.
fn converted((low, high): Interval, from: DType, to: DType) -> Option<Interval> {
    if from.is_complex() || to.is_complex() {
        return None;
    }
    match to {
        DType::F64 => Some((low, high)),
        DType::F32 => Some((f64::from(low as f32), f64::from(high as f32))),
        DType::Bool => None,
        int => {
            let (low, high) = (low.trunc(), high.trunc());
            // The highest number of 64 bits is a float only as the next one, which does not fit.
            let fits = Scalar::lowest(int)?.as_f64() <= low && high < Scalar::highest(int)?.as_f64();
            fits.then_some((low, high))
        }
    }
}

fn combined(prim: Prim, args: &[Interval]) -> Option<Interval> {
    let ((a, b), (c, d)) = (args[0], args[args.len() - 1]);
    Some(match prim {
        Prim::Add => (a + c, b + d),
        Prim::Sub => (a - d, b - c),
        Prim::Mul => {
            let all = [a * c, a * d, b * c, b * d];
            (all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
        }
        Prim::Min => (a.min(c), b.min(d)),
        Prim::Max => (a.max(c), b.max(d)),
        Prim::Neg => (-b, -a),
        Prim::Abs => (if a > 0.0 { a } else { (-b).max(0.0) }, a.abs().max(b.abs())),
        Prim::Times
        | Prim::Least
        | Prim::Most
        | Prim::Div
        | Prim::Eq
        | Prim::Ne
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::And
        | Prim::Or
        | Prim::Xor
        | Prim::Not
        | Prim::Select
        | Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Defined(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_reach_zero_and_wrap() {
        let to = |interval, dtype| converted(interval, DType::F64, dtype);
        assert_eq!(to((0.5, 2.5), DType::I32), Some((0.0, 2.0)));
        assert_eq!(to((1e-60, 1.0), DType::F32), Some((0.0, 1.0)));
        assert_eq!(to((1.0, 2.0), DType::F64), Some((1.0, 2.0)));
        let wraps = -(2f64.powi(63));
        assert_eq!(to((wraps, wraps), DType::I32), None);
        assert_eq!(to((wraps, wraps), DType::I64), Some((wraps, wraps)));
        assert_eq!(to((1.0, -wraps), DType::I64), None, "rounded up from what fits");
        assert_eq!(to((-1.0, 1.0), DType::U8), None);
        assert_eq!(with((1.0, 2.0), f64::NAN), None);
        assert_eq!(with((1.0, 2.0), 0.0), Some((0.0, 2.0)));
    }

    #[test]
    fn bounds_contain_every_combination() {
        let intervals = [(-2.0, 3.0), (1.0, 4.0), (-5.0, -1.0), (0.0, 0.0)];
        for (x, y) in intervals.into_iter().flat_map(|x| intervals.map(|y| (x, y))) {
            for prim in [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max, Prim::Neg, Prim::Abs] {
                let args = &[x, y][..prim.arity()];
                let (low, high) = combined(prim, args).unwrap();
                for (s, t) in [0.0, 0.3, 1.0].into_iter().flat_map(|s| [0.0, 0.6, 1.0].map(|t| (s, t))) {
                    let at = |(a, b): Interval, s: f64| openwork_algebra::Scalar::F64(a + s * (b - a));
                    let values = [at(x, s), at(y, t)];
                    let value = prim.eval(&values[..prim.arity()]).unwrap().as_f64();
                    assert!(low <= value && value <= high, "{prim:?} of {x:?} and {y:?}");
                }
            }
        }
    }
}
