//! The Rust types that tensor elements have.

use openwork_algebra::{Complex, DType, Scalar};

mod sealed {
    /// Keeps [`super::Element`] closed: its implementations must match the layouts of the dtypes.
    pub trait Sealed {}
}

/// A Rust type with the layout of a dtype: `bool`, `i8`…`u64`, `f32`, `f64`, `Complex<f32>`, `Complex<f64>`.
///
/// # Safety
/// Only this module implements the trait. `Self` has exactly `DTYPE.size()` bytes and no padding, and all zero bytes
/// are the value zero.
pub unsafe trait Element:
    sealed::Sealed + Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static
{
    /// The dtype this type is the memory of.
    const DTYPE: DType;
    /// Zero.
    const ZERO: Self;
    /// As a scalar.
    fn to_scalar(self) -> Scalar;
    /// From a scalar of any dtype, by the rules of [`Scalar::cast`].
    fn from_scalar(s: Scalar) -> Self;
    /// The sum: integers wrap, bool is a disjunction.
    fn plus(self, other: Self) -> Self;
    /// Whether every bit is the same: zeros of different signs differ.
    fn is_same_bits(self, other: Self) -> bool;
}

macro_rules! element {
    ($($t:ty, $v:ident, $zero:expr, ($a:ident, $b:ident) => $plus:expr, $bits:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        // SAFETY: the type is the payload of the scalar variant of the same dtype, whose size `DType::size` states.
        unsafe impl Element for $t {
            const DTYPE: DType = DType::$v;
            const ZERO: Self = $zero;
            fn to_scalar(self) -> Scalar {
                Scalar::$v(self)
            }
            fn from_scalar(s: Scalar) -> Self {
                match s.cast(DType::$v) {
                    Scalar::$v(x) => x,
                    _ => $zero,
                }
            }
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $plus
            }
            fn is_same_bits(self, other: Self) -> bool {
                let bits: fn($t) -> _ = $bits;
                bits(self) == bits(other)
            }
        }
    )*};
}

element! {
    bool, Bool, false, (a, b) => a | b, |x| x;
    i8, I8, 0, (a, b) => a.wrapping_add(b), |x| x;
    i16, I16, 0, (a, b) => a.wrapping_add(b), |x| x;
    i32, I32, 0, (a, b) => a.wrapping_add(b), |x| x;
    i64, I64, 0, (a, b) => a.wrapping_add(b), |x| x;
    u8, U8, 0, (a, b) => a.wrapping_add(b), |x| x;
    u16, U16, 0, (a, b) => a.wrapping_add(b), |x| x;
    u32, U32, 0, (a, b) => a.wrapping_add(b), |x| x;
    u64, U64, 0, (a, b) => a.wrapping_add(b), |x| x;
    f32, F32, 0.0, (a, b) => a + b, f32::to_bits;
    f64, F64, 0.0, (a, b) => a + b, f64::to_bits;
    Complex<f32>, C64, Complex { re: 0.0, im: 0.0 }, (a, b) => a + b, |x| (x.re.to_bits(), x.im.to_bits());
    Complex<f64>, C128, Complex { re: 0.0, im: 0.0 }, (a, b) => a + b, |x| (x.re.to_bits(), x.im.to_bits());
}

/// Evaluates `$body` with the type name `$T` bound to the element type of a dtype.
macro_rules! dispatch {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            openwork_algebra::DType::Bool => dispatch!(@ bool, $T => $body),
            openwork_algebra::DType::I8 => dispatch!(@ i8, $T => $body),
            openwork_algebra::DType::I16 => dispatch!(@ i16, $T => $body),
            openwork_algebra::DType::I32 => dispatch!(@ i32, $T => $body),
            openwork_algebra::DType::I64 => dispatch!(@ i64, $T => $body),
            openwork_algebra::DType::U8 => dispatch!(@ u8, $T => $body),
            openwork_algebra::DType::U16 => dispatch!(@ u16, $T => $body),
            openwork_algebra::DType::U32 => dispatch!(@ u32, $T => $body),
            openwork_algebra::DType::U64 => dispatch!(@ u64, $T => $body),
            openwork_algebra::DType::F32 => dispatch!(@ f32, $T => $body),
            openwork_algebra::DType::F64 => dispatch!(@ f64, $T => $body),
            openwork_algebra::DType::C64 => dispatch!(@ openwork_algebra::Complex<f32>, $T => $body),
            openwork_algebra::DType::C128 => dispatch!(@ openwork_algebra::Complex<f64>, $T => $body),
        }
    };
    (@ $t:ty, $T:ident => $body:expr) => {{
        type $T = $t;
        $body
    }};
}
pub(crate) use dispatch;

/// The sum of two scalars in the dtype of the first: integers wrap, bool is a disjunction.
pub(crate) fn sum(a: Scalar, b: Scalar) -> Scalar {
    dispatch!(a.dtype(), T => T::from_scalar(a).plus(T::from_scalar(b)).to_scalar())
}
