//! Functions of a mathematical library: the table behind [`Prim::Library`](crate::Prim::Library).
//!
//! Names, domains and results are NumPy's. A function is a row of [`Library`] and an arm of what computes it; backends call
//! what is here, or the C library's function of that name, so that all of them give the same bits. Floats and complex numbers
//! are computed by the platform's library (1 unit in the last place, of floats); integers wrap, division by zero gives 0, and a shift by the width of a
//! type or more leaves no bit.

use crate::complex;
use crate::dtype::{DType, DTypeKind};
use crate::scalar::Scalar;

/// On which numbers a function is defined, and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Floats to floats; integers are converted first. Many take complex numbers as well.
    Floats,
    /// Real numbers to numbers of that dtype; some take complex numbers as well.
    Reals,
    /// Integers to integers.
    Integers,
    /// Numbers of every kind to numbers: of complex ones, a part, or both.
    Numbers,
    /// Numbers to truth values.
    Test,
}

macro_rules! library {
    ($($variant:ident $name:literal $arity:literal $domain:ident $c:literal $doc:literal;)*) => {
        /// A function of one or two arguments of one dtype.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Library {
            $(#[doc = $doc] $variant,)*
        }

        impl Library {
            /// Every function.
            pub const ALL: &'static [Library] = &[$(Library::$variant),*];
            /// The name in statements and in IR text.
            pub const fn name(self) -> &'static str {
                match self { $(Library::$variant => $name,)* }
            }
            /// Number of arguments.
            pub const fn arity(self) -> usize {
                match self { $(Library::$variant => $arity,)* }
            }
            /// Where it is defined.
            pub const fn domain(self) -> Domain {
                match self { $(Library::$variant => Domain::$domain,)* }
            }
            /// The function of the C library for `double` that computes the same; that for `float` has an `f` behind its
            /// name. Empty where there is none.
            pub const fn c_name(self) -> &'static str {
                match self { $(Library::$variant => $c,)* }
            }
        }

        /// Machine code calls these: one function for each row and type.
        macro_rules! entries {
            ($entry:ident, $t:ident, $eval:ident) => {
                /// What compiled kernels call for this function.
                fn $entry(f: Library) -> *const u8 {
                    match f {
                        $(Library::$variant => {
                            extern "C" fn entry(x: $t, y: $t) -> $t {
                                $eval(Library::$variant, x, y)
                            }
                            entry as *const u8
                        })*
                    }
                }
            };
        }
    };
}

library! {
    Sqrt "sqrt" 1 Floats "sqrt" "The square root.";
    Cbrt "cbrt" 1 Floats "cbrt" "The cubic root.";
    Exp "exp" 1 Floats "exp" "`e^x`.";
    Exp2 "exp2" 1 Floats "exp2" "`2^x`.";
    Expm1 "expm1" 1 Floats "expm1" "`e^x - 1`, precise near 0.";
    Log "log" 1 Floats "log" "The natural logarithm.";
    Log2 "log2" 1 Floats "log2" "The logarithm to base 2.";
    Log10 "log10" 1 Floats "log10" "The logarithm to base 10.";
    Log1p "log1p" 1 Floats "log1p" "`log(1 + x)`, precise near 0.";
    Sin "sin" 1 Floats "sin" "The sine.";
    Cos "cos" 1 Floats "cos" "The cosine.";
    Tan "tan" 1 Floats "tan" "The tangent.";
    Arcsin "arcsin" 1 Floats "asin" "The inverse of the sine.";
    Arccos "arccos" 1 Floats "acos" "The inverse of the cosine.";
    Arctan "arctan" 1 Floats "atan" "The inverse of the tangent.";
    Sinh "sinh" 1 Floats "sinh" "The hyperbolic sine.";
    Cosh "cosh" 1 Floats "cosh" "The hyperbolic cosine.";
    Tanh "tanh" 1 Floats "tanh" "The hyperbolic tangent.";
    Arcsinh "arcsinh" 1 Floats "asinh" "The inverse of the hyperbolic sine.";
    Arccosh "arccosh" 1 Floats "acosh" "The inverse of the hyperbolic cosine.";
    Arctanh "arctanh" 1 Floats "atanh" "The inverse of the hyperbolic tangent.";
    Arctan2 "arctan2" 2 Floats "atan2" "The angle of the point `(y, x)`.";
    Hypot "hypot" 2 Floats "hypot" "The length of `(x, y)`.";
    Copysign "copysign" 2 Floats "copysign" "The first number with the sign of the second.";
    Nextafter "nextafter" 2 Floats "nextafter" "The next float towards the second number.";
    Logaddexp "logaddexp" 2 Floats "" "`log(e^x + e^y)`.";
    Logaddexp2 "logaddexp2" 2 Floats "" "`log2(2^x + 2^y)`.";
    Heaviside "heaviside" 2 Floats "" "0 below 0, 1 above, and the second number at 0.";
    Ldexp "ldexp" 2 Floats "" "`x * 2^n`.";
    Floor "floor" 1 Reals "floor" "The next integer below.";
    Ceil "ceil" 1 Reals "ceil" "The next integer above.";
    Trunc "trunc" 1 Reals "trunc" "The next integer towards zero.";
    Rint "rint" 1 Floats "rint" "The nearest integer; of two, the even one.";
    Sign "sign" 1 Reals "" "-1, 0 or 1; NaN of NaN.";
    Power "power" 2 Reals "pow" "`x^y`; of integers, 0 for negative `y` unless `x` is 1 or -1.";
    FloorDivide "floor_divide" 2 Reals "" "The quotient rounded down; of integers by 0, 0.";
    Remainder "remainder" 2 Reals "" "What `floor_divide` leaves: it has the sign of the divisor.";
    Fmod "fmod" 2 Reals "fmod" "What division rounded towards zero leaves: it has the sign of the dividend.";
    Fmin "fmin" 2 Reals "" "The smaller number; of NaN and a number, the number.";
    Fmax "fmax" 2 Reals "" "The larger number; of NaN and a number, the number.";
    Gcd "gcd" 2 Integers "" "The greatest common divisor, never negative.";
    Lcm "lcm" 2 Integers "" "The least common multiple, never negative.";
    LeftShift "left_shift" 2 Integers "" "`x * 2^n`; 0 where `n` is the width or more, or negative.";
    RightShift "right_shift" 2 Integers "" "`x / 2^n` rounded down; the sign where `n` is the width or more, or negative.";
    Real "real" 1 Numbers "" "The real part.";
    Imag "imag" 1 Numbers "" "The imaginary part.";
    Conj "conj" 1 Numbers "" "The number with the other imaginary part.";
    Angle "angle" 1 Floats "" "The angle of a number in the plane.";
    Isnan "isnan" 1 Test "" "Whether it is NaN.";
    Isinf "isinf" 1 Test "" "Whether it is infinite.";
    Isfinite "isfinite" 1 Test "" "Whether it is neither infinite nor NaN.";
    Signbit "signbit" 1 Test "" "Whether its sign is minus: of `-0.0`, too.";
}

impl Library {
    /// The result dtype for arguments of dtype `arg`; `None` where it is not defined.
    ///
    /// ```
    /// use openwork_algebra::{DType, Library};
    /// assert_eq!(Library::Isnan.result(DType::F32), Some(DType::Bool));
    /// assert_eq!(Library::Gcd.result(DType::F32), None);
    /// ```
    pub fn result(self, arg: DType) -> Option<DType> {
        let result = match self {
            Library::Real | Library::Imag | Library::Angle => arg.real(),
            _ if self.domain() == Domain::Test => DType::Bool,
            _ => arg,
        };
        let defined = match (arg.kind(), self.domain()) {
            (DTypeKind::Bool, _) => false,
            (DTypeKind::Complex, _) => complex::takes(self),
            (DTypeKind::Float, domain) => domain != Domain::Integers,
            (DTypeKind::Signed | DTypeKind::Unsigned, domain) => domain != Domain::Floats,
        };
        defined.then_some(result)
    }
    /// The function called `name`.
    pub fn by_name(name: &str) -> Option<Library> {
        Library::ALL.iter().copied().find(|f| f.name() == name)
    }
    /// What it computes; `None` where it is not defined.
    ///
    /// ```
    /// use openwork_algebra::{Library, Scalar};
    /// assert_eq!(Library::Remainder.eval(&[Scalar::I64(-7), Scalar::I64(4)]), Some(Scalar::I64(1)));
    /// assert_eq!(Library::Sqrt.eval(&[Scalar::F64(9.0)]), Some(Scalar::F64(3.0)));
    /// ```
    pub fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        use Scalar::*;
        let (&x, &y) = (args.first()?, args.last()?);
        let dtype = x.dtype();
        if args.len() != self.arity() || self.result(dtype).is_none() || y.dtype() != dtype {
            return None;
        }
        if self.domain() == Domain::Test {
            return Some(Bool(self.test(x)));
        }
        if dtype.is_complex() {
            return Some(complex::eval(self, x.as_complex(), y.as_complex(), dtype));
        }
        Some(match (x, y) {
            (F32(x), F32(y)) => F32(of_f32(self, x, y)),
            (F64(x), F64(y)) => F64(of_f64(self, x, y)),
            (I8(x), I8(y)) => I8(of_i8(self, x, y)),
            (I16(x), I16(y)) => I16(of_i16(self, x, y)),
            (I32(x), I32(y)) => I32(of_i32(self, x, y)),
            (I64(x), I64(y)) => I64(of_i64(self, x, y)),
            (U8(x), U8(y)) => U8(of_u8(self, x, y)),
            (U16(x), U16(y)) => U16(of_u16(self, x, y)),
            (U32(x), U32(y)) => U32(of_u32(self, x, y)),
            (U64(x), U64(y)) => U64(of_u64(self, x, y)),
            (_, _) => return None,
        })
    }
    fn test(self, x: Scalar) -> bool {
        if let Scalar::C64(_) | Scalar::C128(_) = x {
            let z = x.as_complex();
            return match self {
                Library::Isfinite => z.is_finite(),
                Library::Isinf => z.is_infinite(),
                _ => z.re.is_nan() || z.im.is_nan(),
            };
        }
        let value = x.as_f64();
        let negative = match x {
            Scalar::F32(x) => x.is_sign_negative(),
            _ => value.is_sign_negative(),
        };
        match self {
            Library::Isnan => value.is_nan(),
            Library::Isinf => value.is_infinite(),
            Library::Isfinite => value.is_finite(),
            Library::Signbit => negative,
            f => unreachable!("{f:?} is no test"),
        }
    }
    /// The machine's function for the parts of two complex numbers, of `f64`, that gives both parts of one; nothing for what
    /// gives a part, or a truth value.
    pub fn complex_entry(self) -> Option<*const u8> {
        complex::entry(self)
    }
    /// The function of the C library for complex numbers of `double` that computes the same; empty where there is none.
    pub fn complex_c_name(self) -> &'static str {
        complex::c_name(self)
    }
    /// The machine's function for two arguments of `dtype` that gives a value of `dtype`; of one argument, it reads the
    /// first. Nothing for tests, which are comparisons, and where it is not defined.
    pub fn entry(self, dtype: DType) -> Option<*const u8> {
        if self.domain() == Domain::Test || self.result(dtype).is_none() {
            return None;
        }
        Some(match dtype {
            DType::F32 => entry_f32(self),
            DType::F64 => entry_f64(self),
            DType::I8 => entry_i8(self),
            DType::I16 => entry_i16(self),
            DType::I32 => entry_i32(self),
            DType::I64 => entry_i64(self),
            DType::U8 => entry_u8(self),
            DType::U16 => entry_u16(self),
            DType::U32 => entry_u32(self),
            DType::U64 => entry_u64(self),
            DType::Bool | DType::C64 | DType::C128 => return None,
        })
    }
}

macro_rules! float {
    ($name:ident, $exact:ident, $entry:ident, $t:ident) => {
        /// Those that are rounded.
        #[inline(always)]
        fn $name(f: Library, x: $t, y: $t) -> $t {
            match f {
                Library::Sqrt => x.sqrt(),
                Library::Cbrt => x.cbrt(),
                Library::Exp => x.exp(),
                Library::Exp2 => x.exp2(),
                Library::Expm1 => x.exp_m1(),
                Library::Log => x.ln(),
                Library::Log2 => x.log2(),
                Library::Log10 => x.log10(),
                Library::Log1p => x.ln_1p(),
                Library::Sin => x.sin(),
                Library::Cos => x.cos(),
                Library::Tan => x.tan(),
                Library::Arcsin => x.asin(),
                Library::Arccos => x.acos(),
                Library::Arctan => x.atan(),
                Library::Sinh => x.sinh(),
                Library::Cosh => x.cosh(),
                Library::Tanh => x.tanh(),
                Library::Arcsinh => c::$t::asinh(x),
                Library::Arccosh => c::$t::acosh(x),
                Library::Arctanh => c::$t::atanh(x),
                Library::Arctan2 => x.atan2(y),
                Library::Angle => (0.0 as $t).atan2(x),
                Library::Hypot => x.hypot(y),
                Library::Logaddexp if x == y => x + std::$t::consts::LN_2,
                Library::Logaddexp if x > y => x + (y - x).exp().ln_1p(),
                Library::Logaddexp if x < y => y + (x - y).exp().ln_1p(),
                Library::Logaddexp => $t::NAN,
                Library::Logaddexp2 if x == y => x + 1.0,
                Library::Logaddexp2 if x > y => x + (y - x).exp2().ln_1p() * std::$t::consts::LOG2_E,
                Library::Logaddexp2 if x < y => y + (x - y).exp2().ln_1p() * std::$t::consts::LOG2_E,
                Library::Logaddexp2 => $t::NAN,
                Library::Power => x.powf(y),
                _ => $exact(f, x, y),
            }
        }
        /// Those that give exact values, or one quotient.
        #[inline(always)]
        fn $exact(f: Library, x: $t, y: $t) -> $t {
            match f {
                Library::Copysign => x.copysign(y),
                Library::Heaviside if x < 0.0 => 0.0,
                Library::Heaviside if x > 0.0 => 1.0,
                Library::Heaviside if x == 0.0 => y,
                Library::Heaviside => x,
                Library::Nextafter if x.is_nan() || y.is_nan() => $t::NAN,
                Library::Nextafter if x == y => y,
                Library::Nextafter if x == 0.0 => $t::from_bits(1).copysign(y),
                Library::Nextafter if (x < y) == (x > 0.0) => $t::from_bits(x.to_bits() + 1),
                Library::Nextafter => $t::from_bits(x.to_bits() - 1),
                Library::Ldexp if x == 0.0 => x,
                // Three steps, each of a power that is a float, so that nothing overflows or vanishes half-way.
                Library::Ldexp => {
                    let limit = $t::MAX_EXP as $t - 1.0;
                    let first = y.clamp(-limit, limit).trunc();
                    let second = (y - first).clamp(-limit, limit).trunc();
                    let third = (y - first - second).clamp(-limit, limit).trunc();
                    x * first.exp2() * second.exp2() * third.exp2()
                }
                Library::Real | Library::Conj => x,
                Library::Imag => 0.0,
                Library::Floor => x.floor(),
                Library::Ceil => x.ceil(),
                Library::Trunc => x.trunc(),
                Library::Rint => x.round_ties_even(),
                Library::Sign if x > 0.0 => 1.0,
                Library::Sign if x < 0.0 => -1.0,
                Library::Sign if x.is_nan() => x,
                Library::Sign => 0.0,
                // As Python and NumPy: the quotient that belongs to the exact remainder.
                Library::FloorDivide if y == 0.0 => x / y,
                Library::FloorDivide => {
                    let left = x % y;
                    let quotient = (x - left) / y;
                    let quotient =
                        if left != 0.0 && (y < 0.0) != (left < 0.0) { quotient - 1.0 } else { quotient };
                    if quotient == 0.0 {
                        return (0.0 as $t).copysign(x / y);
                    }
                    let floor = quotient.floor();
                    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
                }
                Library::Remainder => {
                    let left = x % y;
                    match () {
                        () if left == 0.0 => (0.0 as $t).copysign(y),
                        () if (y < 0.0) != (left < 0.0) => left + y,
                        () => left,
                    }
                }
                Library::Fmod => x % y,
                Library::Fmin if x.is_nan() || y < x => y,
                Library::Fmax if x.is_nan() || y > x => y,
                Library::Fmin | Library::Fmax => x,
                f => unreachable!("{f:?} is not computed of floats"),
            }
        }
        entries!($entry, $t, $name);
    };
}
float!(of_f32, exact_f32, entry_f32, f32);
float!(of_f64, exact_f64, entry_f64, f64);

/// Functions of the C library that Rust computes in a way of its own.
mod c {
    macro_rules! own {
        ($t:ident, $($name:ident $symbol:literal),*) => {
            pub(super) mod $t {
                $(pub(in super::super) fn $name(x: $t) -> $t {
                    unsafe extern "C" {
                        #[link_name = $symbol]
                        safe fn function(x: $t) -> $t;
                    }
                    function(x)
                })*
            }
        };
    }
    own!(f64, asinh "asinh", acosh "acosh", atanh "atanh");
    own!(f32, asinh "asinhf", acosh "acoshf", atanh "atanhf");
}

macro_rules! int {
    ($name:ident, $entry:ident, $t:ident, $unsigned:ident) => {
        #[inline(always)]
        #[allow(unused_comparisons)]
        fn $name(f: Library, x: $t, y: $t) -> $t {
            match f {
                Library::Floor | Library::Ceil | Library::Trunc | Library::Real | Library::Conj => x,
                Library::Imag => 0,
                Library::Sign => ((x > 0) as $t).wrapping_sub((x < 0) as $t),
                Library::Power if y < 0 && x == 1 => 1,
                Library::Power if y < 0 && x.wrapping_add(1) == 0 => {
                    if y & 1 == 0 {
                        1
                    } else {
                        x
                    }
                }
                Library::Power if y < 0 => 0,
                Library::Power => power(x as u64, y as u64) as $t,
                Library::FloorDivide | Library::Remainder | Library::Fmod if y == 0 => 0,
                Library::FloorDivide => {
                    let (quotient, left) = (x.wrapping_div(y), x.wrapping_rem(y));
                    if left != 0 && (left < 0) != (y < 0) { quotient.wrapping_sub(1) } else { quotient }
                }
                Library::Remainder => {
                    let left = x.wrapping_rem(y);
                    if left != 0 && (left < 0) != (y < 0) { left.wrapping_add(y) } else { left }
                }
                Library::Fmod => x.wrapping_rem(y),
                Library::Fmin => x.min(y),
                Library::Fmax => x.max(y),
                Library::Gcd => gcd(magnitude(x as i128), magnitude(y as i128)) as $t,
                Library::Lcm if x == 0 || y == 0 => 0,
                Library::Lcm => {
                    let (x, y) = (magnitude(x as i128), magnitude(y as i128));
                    (x / gcd(x, y)).wrapping_mul(y) as $t
                }
                Library::LeftShift if (y as $unsigned) < $t::BITS as $unsigned => x << y,
                Library::LeftShift => 0,
                Library::RightShift if (y as $unsigned) < $t::BITS as $unsigned => x >> y,
                Library::RightShift => {
                    if x < 0 {
                        (0 as $t).wrapping_sub(1)
                    } else {
                        0
                    }
                }
                f => unreachable!("{f:?} is not computed of integers"),
            }
        }
        entries!($entry, $t, $name);
    };
}
int!(of_i8, entry_i8, i8, u8);
int!(of_i16, entry_i16, i16, u16);
int!(of_i32, entry_i32, i32, u32);
int!(of_i64, entry_i64, i64, u64);
int!(of_u8, entry_u8, u8, u8);
int!(of_u16, entry_u16, u16, u16);
int!(of_u32, entry_u32, u32, u32);
int!(of_u64, entry_u64, u64, u64);

fn magnitude(x: i128) -> u64 {
    x.unsigned_abs() as u64
}

/// By squaring; the low bits of a product depend on low bits only, so that every width is a part of this.
fn power(mut x: u64, mut y: u64) -> u64 {
    let mut out = 1u64;
    while y > 0 {
        if y & 1 == 1 {
            out = out.wrapping_mul(x);
        }
        x = x.wrapping_mul(x);
        y >>= 1;
    }
    out
}

fn gcd(mut x: u64, mut y: u64) -> u64 {
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar::{F32, F64, I8, I64, U8};

    #[test]
    fn what_is_defined_can_be_computed_and_called() {
        for &f in Library::ALL {
            assert_eq!(Library::by_name(f.name()), Some(f));
            for dt in DType::ALL {
                let args = vec![Scalar::one(dt); f.arity()];
                assert_eq!(f.eval(&args).map(Scalar::dtype), f.result(dt), "{f:?} {dt}");
                let called = f.result(dt).is_some() && f.domain() != Domain::Test && !dt.is_complex();
                assert_eq!(f.entry(dt).is_some(), called, "{f:?} {dt}");
            }
        }
    }

    /// Against values that NumPy 2.1 gives.
    #[test]
    fn corner_values_are_those_of_numpy() {
        use Library::*;
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (f, args, wanted) in [
            (FloorDivide, vec![F64(-7.0), F64(2.0)], F64(-4.0)),
            (FloorDivide, vec![F64(1.0), F64(0.0)], F64(inf)),
            (FloorDivide, vec![F64(1.0), F64(0.1)], F64(9.0)),
            (FloorDivide, vec![I64(-7), I64(2)], I64(-4)),
            (FloorDivide, vec![I8(-128), I8(-1)], I8(-128)),
            (FloorDivide, vec![I64(7), I64(0)], I64(0)),
            (Remainder, vec![F64(-7.0), F64(2.0)], F64(1.0)),
            (Remainder, vec![F64(7.0), F64(-2.0)], F64(-1.0)),
            (Remainder, vec![F64(1.0), F64(inf)], F64(1.0)),
            (Remainder, vec![F64(-1.0), F64(inf)], F64(inf)),
            (Fmod, vec![F64(-7.0), F64(2.0)], F64(-1.0)),
            (Remainder, vec![I64(7), I64(-4)], I64(-1)),
            (Power, vec![I64(-1), I64(-3)], I64(-1)),
            (Power, vec![I64(2), I64(-3)], I64(0)),
            (Power, vec![U8(3), U8(7)], U8(139)),
            (Power, vec![F64(1.0), F64(nan)], F64(1.0)),
            (Fmin, vec![F64(nan), F64(1.0)], F64(1.0)),
            (Fmax, vec![F64(1.0), F64(nan)], F64(1.0)),
            (Gcd, vec![I64(-12), I64(18)], I64(6)),
            (Lcm, vec![I64(-4), I64(6)], I64(12)),
            (LeftShift, vec![I8(1), I8(9)], I8(0)),
            (RightShift, vec![I8(-1), I8(9)], I8(-1)),
            (Rint, vec![F64(2.5)], F64(2.0)),
            (Sign, vec![F64(-0.0)], F64(0.0)),
            (Ldexp, vec![F64(0.75), F64(3.0)], F64(6.0)),
            (
                Ldexp,
                vec![F64(f64::MIN_POSITIVE), F64(2000.0)],
                F64(f64::MIN_POSITIVE * 2f64.powi(1000) * 2f64.powi(1000)),
            ),
            (Nextafter, vec![F32(1.0), F32(2.0)], F32(1.0 + f32::EPSILON)),
            (Nextafter, vec![F64(0.0), F64(-1.0)], F64(-f64::from_bits(1))),
            (Signbit, vec![F64(-0.0)], Scalar::Bool(true)),
        ] {
            let got = f.eval(&args).unwrap();
            assert!(got.is_same(wanted), "{f:?} of {args:?} is {got}, not {wanted}");
        }
    }
}
