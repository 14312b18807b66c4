//! Values that properties of operators name, whatever the dtype.

use crate::dtype::{DType, Kind};
use crate::scalar::Scalar;

/// A distinguished value, resolved per dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// 0 or `false`.
    Zero,
    /// 1 or `true`.
    One,
    /// The smallest value (`-inf` for floats).
    Lowest,
    /// The largest value (`inf` for floats).
    Highest,
    /// Every bit set.
    AllOnes,
    /// NaN of floats, which any number beside it replaces; of integers the largest value.
    NanOrHighest,
    /// NaN of floats; of integers the smallest value.
    NanOrLowest,
    /// 0 of numbers that are never negative.
    Least,
    /// This one, in its own dtype.
    Given(Scalar),
}

impl Value {
    /// The value in `dtype`, if that dtype has it.
    pub fn to_scalar(self, dtype: DType) -> Option<Scalar> {
        match self {
            Value::Zero => Some(Scalar::zero(dtype)),
            Value::One => Some(Scalar::one(dtype)),
            Value::Lowest => Scalar::lowest(dtype),
            Value::Highest => Scalar::highest(dtype),
            Value::AllOnes => Scalar::all_ones(dtype),
            Value::NanOrHighest | Value::NanOrLowest if dtype.kind() == Kind::Float => {
                Some(Scalar::from_f64(f64::NAN, dtype))
            }
            Value::NanOrHighest => Scalar::highest(dtype),
            Value::NanOrLowest => Scalar::lowest(dtype),
            Value::Least => Some(Scalar::zero(dtype)).filter(|_| dtype.kind() == Kind::Unsigned),
            Value::Given(value) => Some(value).filter(|v| v.dtype() == dtype),
        }
    }
}
