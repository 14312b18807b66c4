//! Values that properties of operators name, whatever the dtype.

use crate::dtype::{DType, DTypeKind};
use crate::scalar::Scalar;

/// A distinguished value, resolved per dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialValue {
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

impl SpecialValue {
    /// The value in `dtype`, if that dtype has it.
    pub fn to_scalar(self, dtype: DType) -> Option<Scalar> {
        match self {
            SpecialValue::Zero => Some(Scalar::zero(dtype)),
            SpecialValue::One => Some(Scalar::one(dtype)),
            SpecialValue::Lowest => Scalar::lowest(dtype),
            SpecialValue::Highest => Scalar::highest(dtype),
            SpecialValue::AllOnes => Scalar::all_ones(dtype),
            SpecialValue::NanOrHighest | SpecialValue::NanOrLowest if dtype.kind() == DTypeKind::Float => {
                Some(Scalar::from_f64(f64::NAN, dtype))
            }
            SpecialValue::NanOrHighest => Scalar::highest(dtype),
            SpecialValue::NanOrLowest => Scalar::lowest(dtype),
            SpecialValue::Least => Some(Scalar::zero(dtype)).filter(|_| dtype.kind() == DTypeKind::Unsigned),
            SpecialValue::Given(value) => Some(value).filter(|v| v.dtype() == dtype),
        }
    }
}
