//! Functions of complex numbers: those of the C library, whose branch cuts NumPy has as well, computed in `f64`.

use crate::dtype::DType;
use crate::library::Library;
use crate::scalar::Scalar;
use num_complex::Complex64;
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

macro_rules! of_c {
    ($($variant:ident $symbol:ident,)*) => {
        mod c {
            use num_complex::Complex64;
            unsafe extern "C" {
                $(pub(super) safe fn $symbol(z: Complex64) -> Complex64;)*
                pub(super) safe fn cpow(x: Complex64, y: Complex64) -> Complex64;
            }
        }

        /// The function of the C library; empty where there is none.
        pub(crate) fn c_name(f: Library) -> &'static str {
            match f {
                $(Library::$variant => stringify!($symbol),)*
                _ => "",
            }
        }
        fn of_library(f: Library, z: Complex64) -> Option<Complex64> {
            match f {
                $(Library::$variant => Some(c::$symbol(z)),)*
                _ => None,
            }
        }
        /// What compiled kernels call for this function.
        pub(crate) fn entry(f: Library) -> Option<*const u8> {
            Some(match f {
                $(Library::$variant => call_function::<{ Library::$variant as u8 }> as *const u8,)*
                Library::Exp2 => call_function::<{ Library::Exp2 as u8 }> as *const u8,
                Library::Expm1 => call_function::<{ Library::Expm1 as u8 }> as *const u8,
                Library::Log2 => call_function::<{ Library::Log2 as u8 }> as *const u8,
                Library::Log10 => call_function::<{ Library::Log10 as u8 }> as *const u8,
                Library::Log1p => call_function::<{ Library::Log1p as u8 }> as *const u8,
                Library::Power => call_function::<{ Library::Power as u8 }> as *const u8,
                Library::Rint => call_function::<{ Library::Rint as u8 }> as *const u8,
                Library::Sign => call_function::<{ Library::Sign as u8 }> as *const u8,
                Library::Conj => call_function::<{ Library::Conj as u8 }> as *const u8,
                _ => return None,
            })
        }
    };
}

of_c! {
    Sqrt csqrt,
    Exp cexp,
    Log clog,
    Sin csin,
    Cos ccos,
    Tan ctan,
    Arcsin casin,
    Arccos cacos,
    Arctan catan,
    Sinh csinh,
    Cosh ccosh,
    Tanh ctanh,
    Arcsinh casinh,
    Arccosh cacosh,
    Arctanh catanh,
}

extern "C" fn call_function<const F: u8>(a: f64, b: f64, c: f64, d: f64) -> Complex64 {
    compute_parts(Library::ALL[usize::from(F)], Complex64::new(a, b), Complex64::new(c, d))
}

/// Whether a function is defined for complex numbers.
pub(crate) fn takes(f: Library) -> bool {
    let part = matches!(f, Library::Real | Library::Imag | Library::Angle);
    part || entry(f).is_some() || matches!(f, Library::Isnan | Library::Isinf | Library::Isfinite)
}

/// What a function that is no test is of complex numbers, or of the first one.
pub(crate) fn eval(f: Library, x: Complex64, y: Complex64, dtype: DType) -> Scalar {
    match f {
        Library::Real => Scalar::F64(x.re).cast(dtype.real()),
        Library::Imag => Scalar::F64(x.im).cast(dtype.real()),
        // As machine code has it, in the dtype of the parts.
        Library::Angle if dtype == DType::C64 => Scalar::F32((x.im as f32).atan2(x.re as f32)),
        Library::Angle => Scalar::F64(x.im.atan2(x.re)),
        f => Scalar::C128(compute_parts(f, x, y)).cast(dtype),
    }
}

/// Both parts of a result.
fn compute_parts(f: Library, x: Complex64, y: Complex64) -> Complex64 {
    match f {
        Library::Exp2 => c::cexp(x * LN_2),
        // Near 0, where `e^x - 1` would lose what it is.
        Library::Expm1 => {
            let half = (x.im / 2.0).sin();
            Complex64::new(x.re.exp_m1() * x.im.cos() - 2.0 * half * half, x.re.exp() * x.im.sin())
        }
        Library::Log2 => c::clog(x) * LOG2_E,
        Library::Log10 => c::clog(x) * LOG10_E,
        Library::Log1p => Complex64::new((x.re + 1.0).hypot(x.im).ln(), x.im.atan2(x.re + 1.0)),
        Library::Power => power(x, y),
        Library::Rint => Complex64::new(x.re.round_ties_even(), x.im.round_ties_even()),
        Library::Sign if x == Complex64::ZERO => Complex64::ZERO,
        Library::Sign => sign(x),
        Library::Conj => x.conj(),
        f => of_library(f, x).unwrap_or(Complex64::new(f64::NAN, f64::NAN)),
    }
}

/// A number on the unit circle: at an infinity of one part, that part's sign.
fn sign(x: Complex64) -> Complex64 {
    match (x.re.is_infinite(), x.im.is_infinite()) {
        (true, true) => Complex64::new(f64::NAN, f64::NAN),
        (true, false) if !x.im.is_nan() => Complex64::new(x.re.signum(), 0.0),
        (false, true) if !x.re.is_nan() => Complex64::new(0.0, x.im.signum()),
        _ => x / x.norm(),
    }
}

/// `x^y`: a product where `y` is a small whole number; 1 of 1.
fn power(x: Complex64, y: Complex64) -> Complex64 {
    const MOST: f64 = 100.0;
    if y == Complex64::ZERO || x == Complex64::ONE {
        return Complex64::ONE;
    }
    if x == Complex64::ZERO {
        let nan = Complex64::new(f64::NAN, f64::NAN);
        return if y.re > 0.0 { x } else { nan };
    }
    if y.im == 0.0 && y.re.trunc() == y.re && (0.0..MOST).contains(&y.re) {
        return x.powu(y.re as u32);
    }
    c::cpow(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against values that NumPy 2.4 gives.
    #[test]
    fn corner_values_are_those_of_numpy() {
        let z = Complex64::new;
        let of = |f, x| compute_parts(f, x, Complex64::ZERO);
        assert_eq!(of(Library::Sqrt, z(-1.0, 0.0)), z(0.0, 1.0));
        assert_eq!(of(Library::Sqrt, z(-1.0, -0.0)), z(0.0, -1.0));
        assert_eq!(of(Library::Sign, z(3.0, -4.0)), z(0.6, -0.8));
        assert_eq!(of(Library::Sign, z(f64::NEG_INFINITY, 4.0)), z(-1.0, 0.0));
        assert_eq!(of(Library::Rint, z(0.5, -1.5)), z(0.0, -2.0));
        assert_eq!(of(Library::Log1p, z(1e-20, 0.0)).re, 0.0);
        assert_eq!(of(Library::Expm1, z(1e-20, 0.0)).re, 1e-20);
        assert_eq!(compute_parts(Library::Power, z(0.0, 1.0), z(2.0, 0.0)), z(-1.0, 0.0));
        assert_eq!(compute_parts(Library::Power, Complex64::ZERO, z(2.0, 1.0)), Complex64::ZERO);
        assert!(compute_parts(Library::Power, Complex64::ZERO, z(-2.0, 0.0)).re.is_nan());
        assert_eq!(compute_parts(Library::Power, z(1.0, 0.0), z(f64::NAN, 0.0)), Complex64::ONE);
        assert_eq!(eval(Library::Angle, z(0.0, 2.0), z(0.0, 0.0), DType::C64).dtype(), DType::F32);
    }

    #[test]
    fn machine_code_calls_what_evaluation_does() {
        for f in Library::ALL.iter().copied().filter(|f| entry(*f).is_some()) {
            let Some(address) = entry(f) else { continue };
            // SAFETY: the signature of `call_function`.
            let function: extern "C" fn(f64, f64, f64, f64) -> Complex64 =
                unsafe { std::mem::transmute(address) };
            let (x, y) = (Complex64::new(0.5, -2.0), Complex64::new(1.5, 0.25));
            assert_eq!(function(x.re, x.im, y.re, y.im), compute_parts(f, x, y), "{}", f.name());
        }
    }
}
