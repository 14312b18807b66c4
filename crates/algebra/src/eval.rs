//! What primitives compute.

use crate::prim::Prim;
use crate::scalar::Scalar;
use num_complex::Complex;

/// A primitive on two integers of one dtype; those of one argument read the first.
macro_rules! int {
    ($name:ident, $t:ident, $v:ident) => {
        fn $name(prim: Prim, x: $t, y: $t) -> Option<Scalar> {
            use Scalar::$v;
            Some(match prim {
                Prim::Add => $v(x.wrapping_add(y)),
                Prim::Sub => $v(x.wrapping_sub(y)),
                Prim::Mul => $v(x.wrapping_mul(y)),
                Prim::Min => $v(x.min(y)),
                Prim::Max => $v(x.max(y)),
                Prim::Neg => $v(x.wrapping_neg()),
                #[allow(unused_comparisons)]
                Prim::Abs => $v(if x < 0 { x.wrapping_neg() } else { x }),
                Prim::And => $v(x & y),
                Prim::Or => $v(x | y),
                Prim::Xor => $v(x ^ y),
                Prim::Not => $v(!x),
                Prim::Quot => $v(if y == 0 { 0 } else { x.wrapping_div_euclid(y) }),
                Prim::Rem => $v(if y == 0 { 0 } else { x.wrapping_rem_euclid(y) }),
                // Only the low bits of the amount count, so that narrowing it changes nothing.
                Prim::Shl => $v(x.wrapping_shl(y as u32)),
                Prim::Shr => $v(x.wrapping_shr(y as u32)),
                Prim::Ctz => $v(x.trailing_zeros() as $t),
                Prim::Popcount => $v(x.count_ones() as $t),
                Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => compare(prim, &x, &y)?,
                Prim::Div | Prim::Fused | Prim::Times | Prim::Least | Prim::Most | Prim::Select => {
                    return None
                }
                Prim::Library(_) | Prim::Choose | Prim::Defined(_) => return None,
            })
        }
    };
}
int!(i8_prim, i8, I8);
int!(i16_prim, i16, I16);
int!(i32_prim, i32, I32);
int!(i64_prim, i64, I64);
int!(u8_prim, u8, U8);
int!(u16_prim, u16, U16);
int!(u32_prim, u32, U32);
int!(u64_prim, u64, U64);

macro_rules! float {
    ($name:ident, $t:ident, $v:ident) => {
        fn $name(prim: Prim, x: $t, y: $t) -> Option<Scalar> {
            use Scalar::$v;
            Some(match prim {
                Prim::Add => $v(x + y),
                Prim::Sub => $v(x - y),
                Prim::Mul | Prim::Fused => $v(x * y),
                Prim::Div => $v(x / y),
                Prim::Min => $v(if x < y || x.is_nan() { x } else { y }),
                Prim::Max => $v(if x > y || x.is_nan() { x } else { y }),
                Prim::Times => $v(if x == 0.0 || y == 0.0 { 0.0 } else { x * y }),
                Prim::Least => $v(match () {
                    () if x == $t::NEG_INFINITY || y == $t::NEG_INFINITY => $t::NEG_INFINITY,
                    () if x < y || x.is_nan() => x,
                    () => y,
                }),
                Prim::Most => $v(match () {
                    () if x == $t::INFINITY || y == $t::INFINITY => $t::INFINITY,
                    () if x > y || x.is_nan() => x,
                    () => y,
                }),
                Prim::Neg => $v(-x),
                Prim::Abs => $v(x.abs()),
                Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => compare(prim, &x, &y)?,
                Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => return None,
                Prim::Quot
                | Prim::Rem
                | Prim::Shl
                | Prim::Shr
                | Prim::Ctz
                | Prim::Popcount
                | Prim::Library(_)
                | Prim::Choose
                | Prim::Defined(_) => return None,
            })
        }
    };
}
float!(f32_prim, f32, F32);
float!(f64_prim, f64, F64);

macro_rules! complex {
    ($name:ident, $div:ident, $t:ident, $v:ident, $real:ident) => {
        /// The quotient by way of the larger part of the divisor (Smith, 1962): nothing is squared, so nothing overflows
        /// or vanishes that the result would not. By zero it is what the parts are by zero.
        fn $div(x: Complex<$t>, y: Complex<$t>) -> Complex<$t> {
            if y == Complex::ZERO {
                Complex::new(x.re / y.re.abs(), x.im / y.re.abs())
            } else if y.re.abs() >= y.im.abs() {
                let ratio = y.im / y.re;
                let norm = y.re + y.im * ratio;
                Complex::new((x.re + x.im * ratio) / norm, (x.im - x.re * ratio) / norm)
            } else {
                let ratio = y.re / y.im;
                let norm = y.re * ratio + y.im;
                Complex::new((x.re * ratio + x.im) / norm, (x.im * ratio - x.re) / norm)
            }
        }
        fn $name(prim: Prim, x: Complex<$t>, y: Complex<$t>) -> Option<Scalar> {
            use Scalar::{Bool, $real, $v};
            Some(match prim {
                Prim::Add => $v(x + y),
                Prim::Sub => $v(x - y),
                Prim::Mul => $v(Complex::new(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)),
                Prim::Times if x == Complex::ZERO || y == Complex::ZERO => $v(Complex::ZERO),
                Prim::Times => return $name(Prim::Mul, x, y),
                Prim::Div => $v($div(x, y)),
                Prim::Neg => $v(-x),
                Prim::Abs => $real(x.norm()),
                Prim::Eq => Bool(x == y),
                Prim::Ne => Bool(x != y),
                Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => return None,
                Prim::Fused | Prim::Least | Prim::Most => return None,
                Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => return None,
                Prim::Quot
                | Prim::Rem
                | Prim::Shl
                | Prim::Shr
                | Prim::Ctz
                | Prim::Popcount
                | Prim::Library(_)
                | Prim::Choose
                | Prim::Defined(_) => return None,
            })
        }
    };
}
complex!(c64_prim, c64_div, f32, C64, F32);
complex!(c128_prim, c128_div, f64, C128, F64);

fn bool_prim(prim: Prim, x: bool, y: bool) -> Option<Scalar> {
    use Scalar::Bool;
    Some(match prim {
        Prim::Add | Prim::Or | Prim::Max => Bool(x | y),
        Prim::Mul | Prim::And | Prim::Min => Bool(x & y),
        Prim::Xor => Bool(x ^ y),
        Prim::Not => Bool(!x),
        Prim::Abs => Bool(x),
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => compare(prim, &x, &y)?,
        Prim::Sub | Prim::Neg | Prim::Div | Prim::Fused | Prim::Times => return None,
        Prim::Least | Prim::Most | Prim::Select => return None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => {
            return None;
        }
    })
}

/// `add(fused(x, y), z)`: rounded once. Nothing unless all three are floats of one width.
///
/// ```
/// use openwork_algebra::{Scalar, fused_sum};
/// let (x, y) = (0.1, 10.0);
/// let [fused, rounded] = [fused_sum(Scalar::F64(x), Scalar::F64(y), Scalar::F64(-1.0)), Some(Scalar::F64(x * y - 1.0))];
/// assert_ne!(fused, rounded);
/// ```
pub fn fused_sum(x: Scalar, y: Scalar, z: Scalar) -> Option<Scalar> {
    match (x, y, z) {
        (Scalar::F64(x), Scalar::F64(y), Scalar::F64(z)) => Some(Scalar::F64(x.mul_add(y, z))),
        (Scalar::F32(x), Scalar::F32(y), Scalar::F32(z)) => Some(Scalar::F32(x.mul_add(y, z))),
        _ => None,
    }
}

fn compare<T: PartialOrd>(prim: Prim, x: &T, y: &T) -> Option<Scalar> {
    Some(Scalar::Bool(match prim {
        Prim::Eq => x == y,
        Prim::Ne => x != y,
        Prim::Lt => x < y,
        Prim::Le => x <= y,
        Prim::Gt => x > y,
        Prim::Ge => x >= y,
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg => return None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => return None,
        Prim::Abs | Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => return None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => {
            return None;
        }
    }))
}

impl Prim {
    /// Applies the primitive. `None` when the argument count or dtypes are wrong.
    ///
    /// ```
    /// use openwork_algebra::{Prim, Scalar};
    /// assert_eq!(Prim::Add.eval(&[Scalar::U8(250), Scalar::U8(10)]), Some(Scalar::U8(4)));
    /// assert_eq!(Prim::Quot.eval(&[Scalar::I64(-7), Scalar::I64(4)]), Some(Scalar::I64(-2)));
    /// assert_eq!(Prim::Rem.eval(&[Scalar::I64(-7), Scalar::I64(4)]), Some(Scalar::I64(1)));
    /// ```
    pub fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        use Scalar::*;
        if args.len() != self.arity() {
            return None;
        }
        if self == Prim::Select {
            let Bool(c) = args[0] else { return None };
            return (args[1].dtype() == args[2].dtype()).then(|| if c { args[1] } else { args[2] });
        }
        if self == Prim::Choose {
            let [a, b] = [args[0], args[1]];
            return (a.dtype() == b.dtype()).then(|| if a == Scalar::zero(a.dtype()) { b } else { a });
        }
        if let Prim::Library(f) = self {
            return f.eval(args);
        }
        if let Prim::Defined(f) = self {
            return f.eval(args);
        }
        match (args[0], *args.last()?) {
            (Bool(x), Bool(y)) => bool_prim(self, x, y),
            (I8(x), I8(y)) => i8_prim(self, x, y),
            (I16(x), I16(y)) => i16_prim(self, x, y),
            (I32(x), I32(y)) => i32_prim(self, x, y),
            (I64(x), I64(y)) => i64_prim(self, x, y),
            (U8(x), U8(y)) => u8_prim(self, x, y),
            (U16(x), U16(y)) => u16_prim(self, x, y),
            (U32(x), U32(y)) => u32_prim(self, x, y),
            (U64(x), U64(y)) => u64_prim(self, x, y),
            (F32(x), F32(y)) => f32_prim(self, x, y),
            (F64(x), F64(y)) => f64_prim(self, x, y),
            (C64(x), C64(y)) => c64_prim(self, x, y),
            (C128(x), C128(y)) => c128_prim(self, x, y),
            // The dtypes differ.
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    #[test]
    fn eval_and_result_agree_on_what_is_defined() {
        for p in Prim::list_all() {
            for dt in DType::ALL {
                let mut args = vec![Scalar::one(dt); p.arity()];
                if p == Prim::Select {
                    args[0] = Scalar::Bool(true);
                }
                let got = p.eval(&args).map(Scalar::dtype);
                assert_eq!(got, p.result(dt), "{p:?} {dt}");
            }
        }
    }

    #[test]
    fn min_and_max_carry_nan_from_either_side() {
        let nan = Scalar::F64(f64::NAN);
        for p in [Prim::Min, Prim::Max] {
            assert_eq!(p.eval(&[nan, Scalar::F64(1.0)]), Some(nan));
            assert_eq!(p.eval(&[Scalar::F64(1.0), nan]), Some(nan));
        }
    }

    #[test]
    fn annihilators_decide_against_nan() {
        let (nan, inf) = (Scalar::F64(f64::NAN), Scalar::F64(f64::INFINITY));
        let of = |p: Prim, x: f64, y: Scalar| {
            [[Scalar::F64(x), y], [y, Scalar::F64(x)]].map(|a| p.eval(&a).unwrap())
        };
        assert_eq!(of(Prim::Times, 0.0, nan), [Scalar::F64(0.0); 2]);
        assert_eq!(of(Prim::Times, -0.0, inf), [Scalar::F64(0.0); 2]);
        assert_eq!(of(Prim::Times, 2.0, nan), [nan; 2]);
        assert_eq!(of(Prim::Least, f64::NEG_INFINITY, nan), [Scalar::F64(f64::NEG_INFINITY); 2]);
        assert_eq!(of(Prim::Least, f64::INFINITY, nan), [nan; 2]);
        assert_eq!(of(Prim::Most, f64::INFINITY, nan), [inf; 2]);
        assert_eq!(of(Prim::Most, 1.0, nan), [nan; 2]);
    }

    #[test]
    fn quotients_of_complex_numbers_do_not_overflow() {
        let z = |re: f64, im: f64| Scalar::C128(Complex::new(re, im));
        let of = |x, y| Prim::Div.eval(&[x, y]).unwrap();
        assert_eq!(of(z(1e200, 1e200), z(1e200, 1e200)), z(1.0, 0.0));
        assert_eq!(of(z(1e-200, 0.0), z(0.0, 1e-200)), z(0.0, -1.0));
        assert_eq!(of(z(3.0, 4.0), z(0.0, 2.0)), z(2.0, -1.5));
        assert_eq!(of(z(1.0, 0.0), z(-0.0, 0.0)), z(f64::INFINITY, f64::NAN));
    }

    #[test]
    fn division_is_euclidean_and_total() {
        for dt in DType::ALL.into_iter().filter(|d| d.is_int()) {
            let numbers =
                [0, 1, 2, 3, 5, 7, 64, -1, -2, -3, -7, -64, 100, -100].map(|n| Scalar::from_i64(n, dt));
            let ends = [Scalar::lowest(dt), Scalar::highest(dt)].into_iter().flatten();
            let all: Vec<Scalar> = numbers.into_iter().chain(ends).collect();
            for &x in &all {
                for &y in &all {
                    let of = |p: Prim, a, b| p.eval(&[a, b]).expect("integers");
                    let (q, r) = (of(Prim::Quot, x, y), of(Prim::Rem, x, y));
                    if y == Scalar::zero(dt) {
                        assert_eq!((q, r), (y, y), "{x} by {y}");
                        continue;
                    }
                    assert_eq!(of(Prim::Add, of(Prim::Mul, q, y), r), x, "{x} by {y}");
                    let negative = |s: Scalar| of(Prim::Lt, s, Scalar::zero(dt)) == Scalar::Bool(true);
                    assert!(!negative(r), "{x} by {y} leaves {r}");
                    if !negative(y) {
                        assert_eq!(of(Prim::Lt, r, y), Scalar::Bool(true), "{x} by {y} leaves {r}");
                    }
                }
            }
        }
    }

    #[test]
    fn shifts_count_modulo_the_width_and_bits_are_those_of_the_dtype() {
        use Scalar::{I8, I64, U8, U64};
        for (prim, x, n, wanted) in [
            (Prim::Shl, I8(1), I8(7), I8(-128)),
            (Prim::Shl, I8(3), I8(9), I8(6)),
            (Prim::Shl, I64(1), I64(-1), I64(i64::MIN)),
            (Prim::Shr, I8(-128), I8(-1), I8(-1)),
            (Prim::Shr, U8(128), U8(7), U8(1)),
            (Prim::Shr, I64(-5), I64(65), I64(-3)),
            (Prim::Shr, U64(u64::MAX), U64(64), U64(u64::MAX)),
        ] {
            assert_eq!(prim.eval(&[x, n]), Some(wanted), "{prim:?} {x} {n}");
        }
        assert_eq!(Prim::Ctz.eval(&[I8(0)]), Some(I8(8)));
        assert_eq!(Prim::Ctz.eval(&[I64(-8)]), Some(I64(3)));
        assert_eq!(Prim::Popcount.eval(&[I8(-1)]), Some(I8(8)));
        assert_eq!(Prim::Popcount.eval(&[U64(0x8000_0001)]), Some(U64(2)));
    }
}
