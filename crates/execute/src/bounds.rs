//! Bounds of an expression from those of its operands: what they exclude need not be looked for element by element.

use crate::look::{RealInterval, bounds_of_operand};
use openwork_algebra::operator::Assumes;
use openwork_algebra::{DType, Library, Prim, Scalar};
use openwork_base::{Arena, Result};
use openwork_index::assume::Check;
use openwork_index::{IndexExpr, IndexId, TensorId, TensorVar as Declared};
use openwork_storage::Tensor;

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
    let bounds = (ExprBounds { tensors, given, sizes: &|_| None }).expr_bounds(&check.value)?;
    let Some(RealInterval { low, high }) = bounds else { return Ok(false) };
    Ok(match check.assumes {
        // Bounds are rounded themselves.
        Assumes::Finite | Assumes::AboveLowest | Assumes::BelowHighest => {
            low >= -largest / 2.0 && high <= largest / 2.0
        }
        Assumes::Divisor => low > 0.0 || high < 0.0,
        Assumes::Number => true,
    })
}

/// Integers up to this one are floats, one by one.
const EXACT: f64 = (1u64 << 53) as f64;

/// Whether the bounds of the operands tell that a value is a coordinate of a mode of `size` coordinates everywhere. `sizes`: how
/// many values variables take.
///
/// # Errors
/// `E0606` when it was asked to stop.
pub fn is_coordinate<'t>(
    value: &IndexExpr,
    size: usize,
    tensors: &Arena<TensorId, Declared>,
    given: &dyn Fn(TensorId) -> Option<&'t Tensor>,
    sizes: &dyn Fn(IndexId) -> Option<usize>,
) -> Result<bool> {
    let bounds = (ExprBounds { tensors, given, sizes }).expr_bounds(value)?;
    Ok(bounds.is_some_and(|RealInterval { low, high }| low >= 0.0 && high < size as f64))
}

struct ExprBounds<'a, 't> {
    tensors: &'a Arena<TensorId, Declared>,
    given: &'a dyn Fn(TensorId) -> Option<&'t Tensor>,
    sizes: &'a dyn Fn(IndexId) -> Option<usize>,
}

impl ExprBounds<'_, '_> {
    /// Between which numbers the values are; nothing where that is not known, or some may be NaN.
    fn expr_bounds(&self, e: &IndexExpr) -> Result<Option<RealInterval>> {
        let found = match e {
            IndexExpr::Access(a) => match (self.given)(a.tensor) {
                // An element that is stored several times is their sum.
                Some(t) if t.format().levels.last().is_some_and(|l| !l.unique()) => None,
                Some(t) if t.format().is_full() => bounds_of_operand(t)?,
                Some(t) => bounds_of_operand(t)?.and_then(|found| include_value(found, t.fill().as_f64())),
                None => None,
            },
            IndexExpr::Literal(s) => {
                (!s.dtype().is_complex()).then(|| RealInterval::new(s.as_f64(), s.as_f64()))
            }
            IndexExpr::Cast { to, arg } => {
                self.expr_bounds(arg)?.and_then(|found| convert_bounds(found, arg.dtype(self.tensors), *to))
            }
            IndexExpr::Beside { value, .. } | IndexExpr::Predicate { holds: value, .. } => {
                self.expr_bounds(value)?
            }
            IndexExpr::Call { op, args } => {
                let integers = !args[args.len() - 1].dtype(self.tensors).is_float();
                let args: Result<Option<Vec<RealInterval>>> =
                    args.iter().map(|a| self.expr_bounds(a)).collect();
                let dtype = e.dtype(self.tensors);
                // Integers wrap, and large ones are no floats.
                let told = |r: &RealInterval| !integers || r.low >= -EXACT && r.high <= EXACT;
                args?
                    .filter(|args| args.iter().all(told))
                    .and_then(|args| combine_bounds(op.prim, &args))
                    .filter(told)
                    .and_then(|found| convert_bounds(found, dtype, dtype))
            }
            // A variable without values makes nothing.
            IndexExpr::Index(v) => {
                (self.sizes)(*v).map(|n| RealInterval::new(0.0, n.saturating_sub(1) as f64))
            }
            IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => None,
        };
        Ok(found.filter(|r| r.low.is_finite() && r.high.is_finite()))
    }
}

/// Bounds of what lies in an interval or is `value`; nothing where that is NaN.
fn include_value(found: RealInterval, value: f64) -> Option<RealInterval> {
    (!value.is_nan()).then(|| RealInterval::new(found.low.min(value), found.high.max(value)))
}

/// Bounds of converted values: small ones become 0, fractions are cut off, and integers wrap where they do not fit.
fn convert_bounds(found: RealInterval, from: DType, to: DType) -> Option<RealInterval> {
    if from.is_complex() || to.is_complex() {
        return None;
    }
    let RealInterval { low, high } = found;
    match to {
        DType::F64 => Some(found),
        DType::F32 => Some(RealInterval::new(f64::from(low as f32), f64::from(high as f32))),
        DType::Bool => None,
        int => {
            let (low, high) = (low.trunc(), high.trunc());
            // The highest number of 64 bits is a float only as the next one, which does not fit.
            let fits = Scalar::lowest(int)?.as_f64() <= low && high < Scalar::highest(int)?.as_f64();
            fits.then_some(RealInterval::new(low, high))
        }
    }
}

fn combine_bounds(prim: Prim, args: &[RealInterval]) -> Option<RealInterval> {
    let (first, last) = (args[0], args[args.len() - 1]);
    let (a, b, c, d) = (first.low, first.high, last.low, last.high);
    let (low, high) = match prim {
        Prim::Add => (a + c, b + d),
        Prim::Sub => (a - d, b - c),
        Prim::Mul | Prim::Fused => return Some(hull([a * c, a * d, b * c, b * d])),
        Prim::Min => (a.min(c), b.min(d)),
        Prim::Max => (a.max(c), b.max(d)),
        Prim::Neg => (-b, -a),
        Prim::Abs => (if a > 0.0 { a } else { (-b).max(0.0) }, a.abs().max(b.abs())),
        Prim::Div if c > 0.0 || d < 0.0 => return Some(hull([a / c, a / d, b / c, b / d])),
        Prim::Library(Library::Hypot) => {
            let least = |low: f64, high: f64| low.max(-high).max(0.0);
            let most = |low: f64, high: f64| high.max(-low);
            return Some(widen_bounds(least(a, b).hypot(least(c, d)), most(a, b).hypot(most(c, d))));
        }
        Prim::Library(Library::FloorDivide) if c > 0.0 => {
            let RealInterval { low, high } = hull([a / c, a / d, b / c, b / d]);
            (low.floor(), high.floor())
        }
        Prim::Library(Library::Remainder) if c > 0.0 => (0.0, d),
        Prim::Library(f) => return map_increasing(f, first),
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
        | Prim::Choose
        | Prim::Defined(_) => return None,
    };
    Some(RealInterval::new(low, high))
}

/// From the least to the greatest.
fn hull(all: [f64; 4]) -> RealInterval {
    let low = all.into_iter().fold(f64::INFINITY, f64::min);
    RealInterval::new(low, all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// Bounds of what grows with its argument, where it is defined for all of them.
fn map_increasing(f: Library, of: RealInterval) -> Option<RealInterval> {
    let RealInterval { low, high } = of;
    match f {
        // It is rounded to the nearest float.
        Library::Sqrt if low >= 0.0 => Some(RealInterval::new(low.sqrt(), high.sqrt())),
        Library::Cbrt => Some(widen_bounds(low.cbrt(), high.cbrt())),
        Library::Exp => Some(widen_bounds(low.exp(), high.exp())),
        Library::Exp2 => Some(widen_bounds(low.exp2(), high.exp2())),
        Library::Log if low > 0.0 => Some(widen_bounds(low.ln(), high.ln())),
        Library::Log2 if low > 0.0 => Some(widen_bounds(low.log2(), high.log2())),
        Library::Log10 if low > 0.0 => Some(widen_bounds(low.log10(), high.log10())),
        Library::Log1p if low > -1.0 => Some(widen_bounds(low.ln_1p(), high.ln_1p())),
        _ => None,
    }
}

/// Bounds with room for what functions of floats of any width are off by.
fn widen_bounds(low: f64, high: f64) -> RealInterval {
    let room = |x: f64| x.abs() * 1e-6 + 1e-37;
    RealInterval::new(low - room(low), high + room(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_reach_zero_and_wrap() {
        let to = |low, high, dtype| convert_bounds(RealInterval::new(low, high), DType::F64, dtype);
        let some = |low, high| Some(RealInterval::new(low, high));
        assert_eq!(to(0.5, 2.5, DType::I32), some(0.0, 2.0));
        assert_eq!(to(1e-60, 1.0, DType::F32), some(0.0, 1.0));
        assert_eq!(to(1.0, 2.0, DType::F64), some(1.0, 2.0));
        let wraps = -(2f64.powi(63));
        assert_eq!(to(wraps, wraps, DType::I32), None);
        assert_eq!(to(wraps, wraps, DType::I64), some(wraps, wraps));
        assert_eq!(to(1.0, -wraps, DType::I64), None, "rounded up from what fits");
        assert_eq!(to(-1.0, 1.0, DType::U8), None);
        assert_eq!(include_value(RealInterval::new(1.0, 2.0), f64::NAN), None);
        assert_eq!(include_value(RealInterval::new(1.0, 2.0), 0.0), some(0.0, 2.0));
    }

    #[test]
    fn bounds_contain_every_combination() {
        let intervals = [(-2.0, 3.0), (1.0, 4.0), (-5.0, -1.0), (0.0, 0.0)];
        let intervals = intervals.map(|(low, high)| RealInterval::new(low, high));
        for (x, y) in intervals.into_iter().flat_map(|x| intervals.map(|y| (x, y))) {
            let some = [Library::Hypot, Library::Sqrt, Library::Cbrt, Library::Exp, Library::Log1p];
            let some = some.into_iter().map(Prim::Library).chain([Prim::Div]);
            let all = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max, Prim::Neg, Prim::Abs];
            for (prim, always) in all.into_iter().map(|p| (p, true)).chain(some.map(|p| (p, false))) {
                let args = &[x, y][..prim.arity()];
                let found = combine_bounds(prim, args);
                assert!(found.is_some() || !always, "{prim:?}");
                let Some(RealInterval { low, high }) = found else { continue };
                for (s, t) in [0.0, 0.3, 1.0].into_iter().flat_map(|s| [0.0, 0.6, 1.0].map(|t| (s, t))) {
                    let at = |r: RealInterval, s: f64| Scalar::F64(r.low + s * (r.high - r.low));
                    let values = [at(x, s), at(y, t)];
                    let value = prim.eval(&values[..prim.arity()]).unwrap().as_f64();
                    assert!(low <= value && value <= high, "{prim:?} of {x:?} and {y:?}");
                }
            }
        }
    }
}
