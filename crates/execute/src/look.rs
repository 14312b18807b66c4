//! The look at a tensor's values before a run: without branches, so that they are taken in vectors. A tensor remembers what
//! was found, as long as nobody can write to its values.

use openwork_algebra::operator::Assumes;
use openwork_algebra::{Complex, DType};
use openwork_base::{Cancel, Result};
use openwork_runtime::{Watch, watch};
use openwork_storage::{Buffer, Element, Tensor};

/// The real numbers from the lowest to the highest one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RealInterval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl RealInterval {
    pub(crate) fn new(low: f64, high: f64) -> RealInterval {
        RealInterval { low, high }
    }
}

/// Whether `is` holds of a value, if they are of type `T`.
fn has_any<T: Element>(values: &Buffer, is: impl Fn(T) -> bool) -> Result<bool> {
    values.as_slice::<T>().map_or(Ok(false), |values| watch::any_value(values, is))
}

/// Whether a value, or a part of a complex one, is NaN.
fn has_nan(values: &Buffer) -> Result<bool> {
    let watch = Watch::new();
    watch.scan(values)?;
    Ok(watch.has_found())
}

/// Whether some value of an operand is not what is assumed of it.
///
/// # Errors
/// `E0606` when it was asked to stop, as everything here.
pub(crate) fn operand_has_any_against(assumes: Assumes, operand: &Tensor) -> Result<bool> {
    operand.has_any_against(assumes, |values| {
        count_look();
        has_any_against(assumes, values)
    })
}

/// The least and the greatest value of an operand; nothing where some value is NaN or complex.
pub(crate) fn bounds_of_operand(operand: &Tensor) -> Result<Option<RealInterval>> {
    let found = operand.bounds(|values| {
        count_look();
        bounds_of(values)
    });
    Ok(found?.map(|(low, high)| RealInterval::new(low, high)))
}

thread_local! {
    /// The number of times that this thread looked values through, for tests.
    #[doc(hidden)]
    pub static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn count_look() {
    LOOKS.set(LOOKS.get() + 1);
}

fn has_any_against(assumes: Assumes, values: &Buffer) -> Result<bool> {
    match assumes {
        Assumes::Number => has_nan(values),
        Assumes::Finite => match values.dtype() {
            DType::F32 => has_any(values, |x: f32| !x.is_finite()),
            DType::F64 => has_any(values, |x: f64| !x.is_finite()),
            DType::C64 => has_any(values, |z: Complex<f32>| !z.is_finite()),
            DType::C128 => has_any(values, |z: Complex<f64>| !z.is_finite()),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => Ok(false),
        },
        Assumes::AboveLowest => any_float(values, |x| x.is_nan() || x == f64::NEG_INFINITY),
        Assumes::BelowHighest => any_float(values, |x| x.is_nan() || x == f64::INFINITY),
        Assumes::Divisor => Ok(has_nan(values)? || has_zero(values)? || has_both_infinite(values)?),
    }
}

/// Whether `is` holds of a float.
fn any_float(values: &Buffer, is: impl Fn(f64) -> bool) -> Result<bool> {
    match values.dtype() {
        DType::F32 => has_any(values, |x: f32| is(f64::from(x))),
        DType::F64 => has_any(values, is),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::C64
        | DType::C128 => Ok(false),
    }
}

/// Whether a complex value is infinite in both parts: zero divided by it is NaN, as by NaN.
fn has_both_infinite(values: &Buffer) -> Result<bool> {
    match values.dtype() {
        DType::C64 => has_any(values, |z: Complex<f32>| z.re.is_infinite() && z.im.is_infinite()),
        DType::C128 => has_any(values, |z: Complex<f64>| z.re.is_infinite() && z.im.is_infinite()),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F32
        | DType::F64 => Ok(false),
    }
}

/// The least and the greatest value; nothing where some value is NaN or complex. Of no values, both are zero.
fn bounds_of(values: &Buffer) -> Result<Option<(f64, f64)>> {
    fn value_range<T: Element>(values: &Buffer, real: impl Fn(T) -> f64) -> Result<Option<(f64, f64)>> {
        let values = values.as_slice::<T>().unwrap_or_default();
        let first = values.first().map_or(0.0, |&x| real(x));
        let wider = |(low, high): (f64, f64), &x: &T| (low.min(real(x)), high.max(real(x)));
        let mut bounds = (first, first);
        for strip in values.chunks(watch::STRIP) {
            Cancel::check()?;
            bounds = strip.iter().fold(bounds, wider);
        }
        Ok(Some(bounds))
    }
    if has_nan(values)? {
        return Ok(None);
    }
    match values.dtype() {
        DType::Bool => Ok(Some((0.0, 1.0))),
        DType::I8 => value_range(values, |x: i8| f64::from(x)),
        DType::I16 => value_range(values, |x: i16| f64::from(x)),
        DType::I32 => value_range(values, |x: i32| f64::from(x)),
        DType::I64 => value_range(values, |x: i64| x as f64),
        DType::U8 => value_range(values, |x: u8| f64::from(x)),
        DType::U16 => value_range(values, |x: u16| f64::from(x)),
        DType::U32 => value_range(values, |x: u32| f64::from(x)),
        DType::U64 => value_range(values, |x: u64| x as f64),
        DType::F32 => value_range(values, |x: f32| f64::from(x)),
        DType::F64 => value_range(values, |x: f64| x),
        DType::C64 | DType::C128 => Ok(None),
    }
}

fn has_zero(values: &Buffer) -> Result<bool> {
    match values.dtype() {
        DType::Bool => has_any(values, |x: bool| !x),
        DType::I8 => has_any(values, |x: i8| x == 0),
        DType::I16 => has_any(values, |x: i16| x == 0),
        DType::I32 => has_any(values, |x: i32| x == 0),
        DType::I64 => has_any(values, |x: i64| x == 0),
        DType::U8 => has_any(values, |x: u8| x == 0),
        DType::U16 => has_any(values, |x: u16| x == 0),
        DType::U32 => has_any(values, |x: u32| x == 0),
        DType::U64 => has_any(values, |x: u64| x == 0),
        DType::F32 => has_any(values, |x: f32| x == 0.0),
        DType::F64 => has_any(values, |x: f64| x == 0.0),
        DType::C64 => has_any(values, |z: Complex<f32>| z.re == 0.0 && z.im == 0.0),
        DType::C128 => has_any(values, |z: Complex<f64>| z.re == 0.0 && z.im == 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_found_wherever_it_stands() {
        for n in [1usize, 7, watch::STRIP, watch::STRIP + 1] {
            for at in [0, n / 2, n - 1] {
                let mut values = vec![f64::MAX; n];
                let against = |a, v: &[f64]| has_any_against(a, &Buffer::from(v.to_vec())).unwrap();
                let found = |v: &[f64]| {
                    use Assumes::{AboveLowest, BelowHighest, Divisor, Finite, Number};
                    [Finite, Divisor, Number, AboveLowest, BelowHighest].map(|a| against(a, v))
                };
                assert_eq!(found(&values), [false; 5]);
                for (value, wanted) in [
                    (f64::NAN, [true; 5]),
                    (f64::INFINITY, [true, false, false, false, true]),
                    (f64::NEG_INFINITY, [true, false, false, true, false]),
                    (-0.0, [false, true, false, false, false]),
                ] {
                    values[at] = value;
                    assert_eq!(found(&values), wanted, "{value} at {at} of {n}");
                }
            }
        }
        assert!(has_any_against(Assumes::Divisor, &Buffer::from(vec![3i64, 0])).unwrap());
    }
}
