//! One value of any dtype.

use crate::dtype::{DType, DTypeKind};
use num_complex::{Complex32, Complex64};
use std::fmt;

/// A value with its dtype. Equality is *identity of behaviour* (see [`Scalar::is_same`]), not `==` of floats.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    C64(Complex32),
    C128(Complex64),
}

/// Runs `$body` with `$x` bound to the payload of a scalar of any dtype.
macro_rules! each {
    ($s:expr, $x:ident => $body:expr) => {
        match $s {
            Scalar::Bool($x) => $body,
            Scalar::I8($x) => $body,
            Scalar::I16($x) => $body,
            Scalar::I32($x) => $body,
            Scalar::I64($x) => $body,
            Scalar::U8($x) => $body,
            Scalar::U16($x) => $body,
            Scalar::U32($x) => $body,
            Scalar::U64($x) => $body,
            Scalar::F32($x) => $body,
            Scalar::F64($x) => $body,
            Scalar::C64($x) => $body,
            Scalar::C128($x) => $body,
        }
    };
}

/// The widest carrier of a value: exact for every dtype.
#[derive(Clone, Copy)]
enum WideScalar {
    Int(i128),
    Float(f64),
    Complex(Complex64),
}

impl Scalar {
    /// The dtype.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::I8(_) => DType::I8,
            Scalar::I16(_) => DType::I16,
            Scalar::I32(_) => DType::I32,
            Scalar::I64(_) => DType::I64,
            Scalar::U8(_) => DType::U8,
            Scalar::U16(_) => DType::U16,
            Scalar::U32(_) => DType::U32,
            Scalar::U64(_) => DType::U64,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
            Scalar::C64(_) => DType::C64,
            Scalar::C128(_) => DType::C128,
        }
    }
    fn wide(self) -> WideScalar {
        match self {
            Scalar::Bool(x) => WideScalar::Int(x as i128),
            Scalar::I8(x) => WideScalar::Int(x as i128),
            Scalar::I16(x) => WideScalar::Int(x as i128),
            Scalar::I32(x) => WideScalar::Int(x as i128),
            Scalar::I64(x) => WideScalar::Int(x as i128),
            Scalar::U8(x) => WideScalar::Int(x as i128),
            Scalar::U16(x) => WideScalar::Int(x as i128),
            Scalar::U32(x) => WideScalar::Int(x as i128),
            Scalar::U64(x) => WideScalar::Int(x as i128),
            Scalar::F32(x) => WideScalar::Float(x as f64),
            Scalar::F64(x) => WideScalar::Float(x),
            Scalar::C64(x) => WideScalar::Complex(Complex64::new(x.re as f64, x.im as f64)),
            Scalar::C128(x) => WideScalar::Complex(x),
        }
    }
    /// Converts to `to`: integers wrap, floats to integers saturate (NaN gives 0), anything to bool is `!= 0`,
    /// complex to real drops the imaginary part.
    pub fn cast(self, to: DType) -> Scalar {
        if self.dtype() == to {
            return self;
        }
        match self.wide() {
            WideScalar::Int(n) => Scalar::from_i128(n, to),
            WideScalar::Float(x) => Scalar::from_f64(x, to),
            WideScalar::Complex(z) => match to {
                DType::C64 => Scalar::C64(Complex32::new(z.re as f32, z.im as f32)),
                DType::C128 => Scalar::C128(z),
                DType::Bool => Scalar::Bool(z.re != 0.0 || z.im != 0.0),
                _ => Scalar::from_f64(z.re, to),
            },
        }
    }
    fn from_i128(n: i128, to: DType) -> Scalar {
        match to {
            DType::Bool => Scalar::Bool(n != 0),
            DType::I8 => Scalar::I8(n as i8),
            DType::I16 => Scalar::I16(n as i16),
            DType::I32 => Scalar::I32(n as i32),
            DType::I64 => Scalar::I64(n as i64),
            DType::U8 => Scalar::U8(n as u8),
            DType::U16 => Scalar::U16(n as u16),
            DType::U32 => Scalar::U32(n as u32),
            DType::U64 => Scalar::U64(n as u64),
            DType::F32 => Scalar::F32(n as f32),
            DType::F64 => Scalar::F64(n as f64),
            DType::C64 => Scalar::C64(Complex32::new(n as f32, 0.0)),
            DType::C128 => Scalar::C128(Complex64::new(n as f64, 0.0)),
        }
    }
    /// The value `x` in dtype `to`, by the rules of [`Scalar::cast`].
    pub fn from_f64(x: f64, to: DType) -> Scalar {
        match to {
            DType::Bool => Scalar::Bool(x != 0.0),
            DType::I8 => Scalar::I8(x as i8),
            DType::I16 => Scalar::I16(x as i16),
            DType::I32 => Scalar::I32(x as i32),
            DType::I64 => Scalar::I64(x as i64),
            DType::U8 => Scalar::U8(x as u8),
            DType::U16 => Scalar::U16(x as u16),
            DType::U32 => Scalar::U32(x as u32),
            DType::U64 => Scalar::U64(x as u64),
            DType::F32 => Scalar::F32(x as f32),
            DType::F64 => Scalar::F64(x),
            DType::C64 => Scalar::C64(Complex32::new(x as f32, 0.0)),
            DType::C128 => Scalar::C128(Complex64::new(x, 0.0)),
        }
    }
    /// The value `n` in dtype `to`; integers wrap.
    pub fn from_i64(n: i64, to: DType) -> Scalar {
        Scalar::from_i128(n as i128, to)
    }
    /// Zero (or `false`).
    pub fn zero(dtype: DType) -> Scalar {
        Scalar::from_i64(0, dtype)
    }
    /// One (or `true`).
    pub fn one(dtype: DType) -> Scalar {
        Scalar::from_i64(1, dtype)
    }
    /// The smallest value: `-inf` for floats, `false` for bool; complex numbers are not ordered.
    pub fn lowest(dtype: DType) -> Option<Scalar> {
        Some(match dtype {
            DType::Bool => Scalar::Bool(false),
            DType::I8 => Scalar::I8(i8::MIN),
            DType::I16 => Scalar::I16(i16::MIN),
            DType::I32 => Scalar::I32(i32::MIN),
            DType::I64 => Scalar::I64(i64::MIN),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Scalar::zero(dtype),
            DType::F32 => Scalar::F32(f32::NEG_INFINITY),
            DType::F64 => Scalar::F64(f64::NEG_INFINITY),
            DType::C64 | DType::C128 => return None,
        })
    }
    /// The largest value: `inf` for floats, `true` for bool; complex numbers are not ordered.
    pub fn highest(dtype: DType) -> Option<Scalar> {
        Some(match dtype {
            DType::Bool => Scalar::Bool(true),
            DType::I8 => Scalar::I8(i8::MAX),
            DType::I16 => Scalar::I16(i16::MAX),
            DType::I32 => Scalar::I32(i32::MAX),
            DType::I64 => Scalar::I64(i64::MAX),
            DType::U8 => Scalar::U8(u8::MAX),
            DType::U16 => Scalar::U16(u16::MAX),
            DType::U32 => Scalar::U32(u32::MAX),
            DType::U64 => Scalar::U64(u64::MAX),
            DType::F32 => Scalar::F32(f32::INFINITY),
            DType::F64 => Scalar::F64(f64::INFINITY),
            DType::C64 | DType::C128 => return None,
        })
    }
    /// Every bit set: `true`, `-1`, `2^n - 1`; floats and complex numbers have no such value.
    pub fn all_ones(dtype: DType) -> Option<Scalar> {
        match dtype.kind() {
            DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Signed => Some(Scalar::from_i64(-1, dtype)),
            DTypeKind::Float | DTypeKind::Complex => None,
        }
    }
    /// Same dtype and indistinguishable value: NaN is the same as NaN, and `-0.0` the same as `0.0`.
    pub fn is_same(self, other: Scalar) -> bool {
        fn f(a: f64, b: f64) -> bool {
            a == b || (a.is_nan() && b.is_nan())
        }
        self.dtype() == other.dtype()
            && match (self.wide(), other.wide()) {
                (WideScalar::Int(a), WideScalar::Int(b)) => a == b,
                (WideScalar::Float(a), WideScalar::Float(b)) => f(a, b),
                (WideScalar::Complex(a), WideScalar::Complex(b)) => f(a.re, b.re) && f(a.im, b.im),
                _ => false,
            }
    }
    /// The [same](Scalar::is_same) value, zeros with their signs: one NaN is as good as another.
    ///
    /// ```
    /// use openwork_algebra::Scalar;
    /// let (zero, below) = (Scalar::F64(0.0), Scalar::F64(-0.0));
    /// assert!(zero.is_same(below) && !zero.identical(below) && zero.identical(zero));
    /// ```
    pub fn identical(self, other: Scalar) -> bool {
        let (a, b) = (self.as_complex(), other.as_complex());
        let sign = |x: f64, y: f64| x.is_nan() || x.is_sign_negative() == y.is_sign_negative();
        self.is_same(other) && sign(a.re, b.re) && sign(a.im, b.im)
    }
    /// As an `f64` (the real part of a complex value).
    pub fn as_f64(self) -> f64 {
        match self.wide() {
            WideScalar::Int(n) => n as f64,
            WideScalar::Float(x) => x,
            WideScalar::Complex(z) => z.re,
        }
    }
    /// As a complex number.
    pub fn as_complex(self) -> Complex64 {
        match self.wide() {
            WideScalar::Int(n) => Complex64::new(n as f64, 0.0),
            WideScalar::Float(x) => Complex64::new(x, 0.0),
            WideScalar::Complex(z) => z,
        }
    }
    /// As an `i64`; floats truncate, `u64` wraps.
    pub fn as_i64(self) -> i64 {
        match self.wide() {
            WideScalar::Int(n) => n as i64,
            WideScalar::Float(x) => x as i64,
            WideScalar::Complex(z) => z.re as i64,
        }
    }
    /// Whether neither it nor a part of it is infinite or NaN.
    pub fn is_finite(self) -> bool {
        let z = self.as_complex();
        z.re.is_finite() && z.im.is_finite()
    }
    /// Whether it is NaN, or a part of it.
    pub fn is_nan(self) -> bool {
        let z = self.as_complex();
        z.re.is_nan() || z.im.is_nan()
    }
    /// Whether the value counts as true.
    pub fn truthy(self) -> bool {
        matches!(self.cast(DType::Bool), Scalar::Bool(true))
    }
    /// Reads a value of `dtype` from text: `1`, `-2.5e3`, `inf`, `nan`, `true`, `1+2j`. `None` when it does not fit.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// assert_eq!(Scalar::parse("-inf", DType::F64), Scalar::lowest(DType::F64));
    /// assert_eq!(Scalar::parse("300", DType::U8), None);
    /// ```
    pub fn parse(text: &str, dtype: DType) -> Option<Scalar> {
        let t = text.trim();
        match dtype.kind() {
            DTypeKind::Bool => match t {
                "true" | "1" => Some(Scalar::Bool(true)),
                "false" | "0" => Some(Scalar::Bool(false)),
                _ => None,
            },
            DTypeKind::Signed | DTypeKind::Unsigned => {
                let n: i128 = t.parse().ok()?;
                let s = Scalar::from_i128(n, dtype);
                matches!(s.wide(), WideScalar::Int(m) if m == n).then_some(s)
            }
            DTypeKind::Float => match dtype {
                DType::F32 => t.parse().ok().map(Scalar::F32),
                _ => t.parse().ok().map(Scalar::F64),
            },
            DTypeKind::Complex => {
                let (re, im) = parts(t)?;
                // Each part is rounded once, so they are read in their own dtype.
                Some(match dtype {
                    DType::C64 => Scalar::C64(Complex32::new(re.parse().ok()?, im.parse().ok()?)),
                    _ => Scalar::C128(Complex64::new(re.parse().ok()?, im.parse().ok()?)),
                })
            }
        }
    }
}

/// The real and the imaginary part of `1.5`, `2j`, `1e-3-infj` or `NaN + NaNi`, as texts of their own.
fn parts(text: &str) -> Option<(String, String)> {
    let Some(body) = text.strip_suffix(['j', 'i']) else {
        return Some((text.into(), "0".into()));
    };
    let inner = |(at, c): &(usize, char)| {
        let exponent = body[..*at].ends_with(['e', 'E']);
        *at > 0 && matches!(c, '+' | '-') && !exponent
    };
    let at = body.char_indices().rfind(inner).map_or(0, |(at, _)| at);
    let (re, im) = body.split_at(at);
    let (sign, size) = match im.strip_prefix(['+', '-']) {
        Some(size) => (&im[..1], size),
        None => ("", im),
    };
    let size = if size.is_empty() { "1" } else { size.trim_start() };
    // A second sign is none.
    if size.starts_with(['+', '-']) {
        return None;
    }
    let re = if re.is_empty() { "0" } else { re.trim_end() };
    Some((re.into(), format!("{sign}{size}")))
}

/// A complex number whose parts read back as they are: the sign of an imaginary part is always written, and that of a NaN
/// says nothing.
macro_rules! write_complex {
    ($f:expr, $z:expr) => {{
        let sign = if $z.im.is_sign_negative() && !$z.im.is_nan() { '-' } else { '+' };
        write!($f, "{}{sign}{}j", $z.re, $z.im.abs())
    }};
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.is_same(*other)
    }
}
impl Eq for Scalar {}

impl fmt::Display for Scalar {
    /// The shortest text that reads back as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::C64(z) => write_complex!(f, z),
            Scalar::C128(z) => write_complex!(f, z),
            other => each!(other, x => write!(f, "{x}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_for_every_dtype() {
        for dt in DType::ALL {
            let mut values = vec![Scalar::zero(dt), Scalar::one(dt)];
            values.extend(Scalar::lowest(dt));
            values.extend(Scalar::highest(dt));
            if dt.is_complex() {
                values.push(Scalar::C128(Complex64::new(-1.5, 2.25)).cast(dt));
            }
            for v in values {
                assert_eq!(Scalar::parse(&v.to_string(), dt), Some(v), "{v} {dt}");
            }
        }
    }

    /// Numbers at which texts tend to go wrong.
    fn special() -> Vec<f64> {
        let large = [f64::INFINITY, f64::MAX, f32::MAX as f64, 1e300, 1e22, 16_777_217.0, 1.0];
        let small = [0.1, f64::MIN_POSITIVE, f32::MIN_POSITIVE as f64, 5e-324, 1e-45, 0.0];
        let all = large.into_iter().chain(small);
        all.flat_map(|x| [x, -x]).chain([f64::NAN, -f64::NAN]).collect()
    }
    /// The bits of the parts, NaN aside.
    fn bits(s: Scalar) -> Vec<u64> {
        let z = s.as_complex();
        let part = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
        vec![part(z.re), part(z.im)]
    }

    #[test]
    fn every_combination_of_special_parts_reads_back_bit_for_bit() {
        for dtype in DType::ALL {
            let complex = if dtype.is_complex() { special() } else { vec![0.0] };
            for &re in &special() {
                for &im in &complex {
                    let value = Scalar::C128(Complex64::new(re, im)).cast(dtype);
                    let text = value.to_string();
                    let read = Scalar::parse(&text, dtype).unwrap_or_else(|| panic!("{text} is no {dtype}"));
                    assert!(read.is_same(value) && bits(read) == bits(value), "{text} is read as {read}");
                    assert_eq!(Scalar::parse(&text.replace('j', "i"), dtype), Some(read));
                }
            }
        }
    }

    #[test]
    fn complex_numbers_are_read_as_people_write_them() {
        let read = |t: &str| Scalar::parse(t, DType::C128).map(|s| (s.as_complex().re, s.as_complex().im));
        for (text, re, im) in [
            ("1.5", 1.5, 0.0),
            ("-inf", f64::NEG_INFINITY, 0.0),
            ("2j", 0.0, 2.0),
            ("-2.5i", 0.0, -2.5),
            ("j", 0.0, 1.0),
            ("-j", 0.0, -1.0),
            ("1-j", 1.0, -1.0),
            ("1e-3+1e+3j", 1e-3, 1e3),
            ("-1e-3-infj", -1e-3, f64::NEG_INFINITY),
            (" 1 + 2j ", 1.0, 2.0),
            ("-infj", 0.0, f64::NEG_INFINITY),
            ("inf-infinityj", f64::INFINITY, f64::NEG_INFINITY),
        ] {
            assert_eq!(read(text), Some((re, im)), "{text}");
        }
        for text in
            ["", "+", "1+", "1++2j", "1+-2j", "1 2j", "1+2", "1j+2j", "nanan", "1+2jj", "1e+j", "x", "ij"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn casts_wrap_saturate_and_test() {
        assert_eq!(Scalar::I64(300).cast(DType::U8), Scalar::U8(44));
        assert_eq!(Scalar::F64(f64::NAN).cast(DType::I32), Scalar::I32(0));
        assert_eq!(Scalar::F64(1e30).cast(DType::I32), Scalar::I32(i32::MAX));
        assert_eq!(Scalar::F64(0.5).cast(DType::Bool), Scalar::Bool(true));
    }
}
