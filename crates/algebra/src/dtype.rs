//! Element types and NumPy's promotion rules.

use std::fmt;
use std::str::FromStr;

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    C64,
    C128,
}

/// The family of a dtype, in promotion order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum DTypeKind {
    Bool,
    Unsigned,
    Signed,
    Float,
    Complex,
}

use DType::*;

impl DType {
    /// Every dtype.
    pub const ALL: [DType; 13] = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, C64, C128];

    /// The family.
    pub fn kind(self) -> DTypeKind {
        match self {
            Bool => DTypeKind::Bool,
            U8 | U16 | U32 | U64 => DTypeKind::Unsigned,
            I8 | I16 | I32 | I64 => DTypeKind::Signed,
            F32 | F64 => DTypeKind::Float,
            C64 | C128 => DTypeKind::Complex,
        }
    }
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Bool | I8 | U8 => 1,
            I16 | U16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | C64 => 8,
            C128 => 16,
        }
    }
    /// Signed or unsigned integer (bool is not one).
    pub fn is_int(self) -> bool {
        matches!(self.kind(), DTypeKind::Signed | DTypeKind::Unsigned)
    }
    /// `f32` or `f64`.
    pub fn is_float(self) -> bool {
        self.kind() == DTypeKind::Float
    }
    /// `c64` or `c128`.
    pub fn is_complex(self) -> bool {
        self.kind() == DTypeKind::Complex
    }
    /// Floats and complex numbers: the dtypes that have infinities and NaN.
    pub fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }
    /// The dtype of the real part; itself for real dtypes.
    pub fn real(self) -> DType {
        match self {
            C64 => F32,
            C128 => F64,
            other => other,
        }
    }
    /// Our name: `f64`, `i32`, `c128`, `bool`.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F32 => "f32",
            F64 => "f64",
            C64 => "c64",
            C128 => "c128",
        }
    }
    /// The dtype both sides convert to in a binary operation (NumPy's `promote_types`).
    ///
    /// ```
    /// use openwork_algebra::DType::*;
    /// assert_eq!(I32.promote(U32), I64);
    /// assert_eq!(I64.promote(U64), F64);
    /// assert_eq!(I32.promote(F32), F64);
    /// assert_eq!(F64.promote(C64), C128);
    /// ```
    pub fn promote(self, other: DType) -> DType {
        if self == other {
            return self;
        }
        let (a, b) = if self.kind() <= other.kind() { (self, other) } else { (other, self) };
        match (a.kind(), b.kind()) {
            (DTypeKind::Bool, _) => b,
            (x, y) if x == y => {
                if a.size() >= b.size() {
                    a
                } else {
                    b
                }
            }
            (DTypeKind::Unsigned, DTypeKind::Signed) => match a.size().max(b.size()) {
                _ if b.size() > a.size() => b,
                1 => I16,
                2 => I32,
                4 => I64,
                _ => F64,
            },
            (_, DTypeKind::Float) => {
                if a.size() <= 2 {
                    b
                } else {
                    F64
                }
            }
            (DTypeKind::Float, DTypeKind::Complex) => {
                if a == F64 {
                    C128
                } else {
                    b
                }
            }
            (_, DTypeKind::Complex) => {
                if a.size() <= 2 {
                    b
                } else {
                    C128
                }
            }
            _ => unreachable!("the pair is sorted by kind"),
        }
    }
    /// The dtype of a true division, as in NumPy: integers divide into `f64`.
    pub fn true_divide(self) -> DType {
        if self.kind() < DTypeKind::Float { F64 } else { self }
    }
    /// Whether a value may be stored into `to` without leaving its kind (NumPy's `same_kind` casting).
    pub fn casts_to(self, to: DType) -> bool {
        self == to
            || match (self.kind(), to.kind()) {
                (DTypeKind::Signed, DTypeKind::Unsigned) => false,
                (a, b) => a <= b,
            }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = ();
    /// Reads our names and the common aliases of C, NumPy and TACO (`double`, `float32`, `int`, `complex128`…).
    fn from_str(s: &str) -> Result<DType, ()> {
        let lower = s.to_ascii_lowercase();
        NAMES.iter().find(|(_, names)| names.contains(&lower.as_str())).map(|(dtype, _)| *dtype).ok_or(())
    }
}

/// Ours first, then the common aliases of C, NumPy and TACO.
const NAMES: [(DType, &[&str]); 13] = [
    (Bool, &["bool"]),
    (I8, &["i8", "int8", "int8_t", "char"]),
    (I16, &["i16", "int16", "int16_t", "short"]),
    (I32, &["i32", "int32", "int", "int32_t"]),
    (I64, &["i64", "int64", "long", "longlong", "int64_t"]),
    (U8, &["u8", "uint8", "uint8_t", "uchar"]),
    (U16, &["u16", "uint16", "uint16_t", "ushort"]),
    (U32, &["u32", "uint32", "uint32_t", "uint"]),
    (U64, &["u64", "uint64", "uint64_t", "ulong", "ulonglong"]),
    (F32, &["f32", "float32", "float"]),
    (F64, &["f64", "float64", "double"]),
    (C64, &["c64", "complex64", "complexfloat"]),
    (C128, &["c128", "complex128", "complexdouble"]),
];

impl DType {
    /// Every name that is read as a dtype.
    pub fn known_names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().flat_map(|(_, names)| names.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_commutative_and_names_round_trip() {
        for a in DType::ALL {
            assert_eq!(a.name().parse(), Ok(a));
            for b in DType::ALL {
                assert_eq!(a.promote(b), b.promote(a), "{a} {b}");
            }
        }
    }

    #[test]
    fn promotion_agrees_with_numpy_on_the_surprising_pairs() {
        for (a, b, want) in [
            (U8, I8, I16),
            (U16, I8, I32),
            (U64, I8, F64),
            (U8, I32, I32),
            (I16, F32, F32),
            (I64, F32, F64),
            (I32, C64, C128),
            (U16, C64, C64),
            (Bool, U8, U8),
        ] {
            assert_eq!(a.promote(b), want, "{a} {b}");
        }
    }
}
