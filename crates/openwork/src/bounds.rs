//! Bounds of an expression from those of its operands: what they exclude need not be looked for element by element.

use crate::look::bounds_of;
use openwork_algebra::operator::Assumes;
use openwork_algebra::{DType, Prim};
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
        Assumes::Finite => low >= -largest / 2.0 && high <= largest / 2.0,
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
                Some(t) => bounds_of(t.vals())?.map(|(low, high)| {
                    let fill = t.fill().as_f64();
                    (low.min(fill), high.max(fill))
                }),
                None => None,
            },
            Expr::Literal(s) => (!s.dtype().is_complex()).then(|| (s.as_f64(), s.as_f64())),
            Expr::Cast { arg, .. } => self.of(arg)?,
            Expr::Beside { value, .. } => self.of(value)?,
            // Integers wrap.
            Expr::Call { args, .. } if !args[0].dtype(self.tensors).is_float() => None,
            Expr::Call { op, args } => {
                let args: Result<Option<Vec<Interval>>> = args.iter().map(|a| self.of(a)).collect();
                args?.and_then(|args| combined(op.prim, &args))
            }
            Expr::Index(_) | Expr::Map { .. } | Expr::Width(_) | Expr::Reduce { .. } => None,
        };
        Ok(found.filter(|(low, high)| low.is_finite() && high.is_finite()))
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
        | Prim::Popcount => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
