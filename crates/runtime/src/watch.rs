//! A watch for NaN, or for one value, over what kernels wrote, while it is still in the cache.

use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::machine::threshold;
use openwork_base::{Cancel, Result};
use openwork_storage::Buffer;
use std::ops::{Add, Mul};
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers that are looked at between two looks for a request to stop.
pub const STRIP: usize = 1 << 16;
/// Numbers that are looked at between two decisions.
const STRETCH: usize = 4096;
/// Sums that do not wait for each other.
const LANES: usize = 16;

/// Whether some value that was written is NaN, or equal to a certain one.
#[derive(Debug)]
pub struct Watch {
    found: AtomicBool,
    nan: bool,
    value: Option<Scalar>,
}

/// A watch, and what it is not shown of what a call makes.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// The watch.
    pub watch: &'a Watch,
    /// The numbers of the kernel's buffers that are left out.
    pub without: &'a [usize],
}

impl<'a> Watched<'a> {
    /// A watch that is shown everything.
    pub fn show_all(watch: &'a Watch) -> Watched<'a> {
        Watched { watch, without: &[] }
    }
}

impl Default for Watch {
    /// Looks for NaN.
    fn default() -> Watch {
        Watch::new()
    }
}

impl Watch {
    /// Looks for NaN; nothing has been seen yet.
    pub fn new() -> Watch {
        Watch { found: AtomicBool::new(false), nan: true, value: None }
    }
    /// Looks for values that are equal to `value`, as numbers are, and for NaN where `nan` says so, or where the value is NaN.
    ///
    /// ```
    /// use openwork_algebra::Scalar;
    /// use openwork_runtime::Watch;
    /// use openwork_storage::Buffer;
    /// let watch = Watch::for_value(Scalar::F64(0.0), false);
    /// watch.scan(&Buffer::from(vec![f64::NAN, 1.0]))?;
    /// assert!(!watch.has_found());
    /// watch.scan(&Buffer::from(vec![1.0, -0.0]))?;
    /// assert!(watch.has_found());
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn for_value(value: Scalar, nan: bool) -> Watch {
        let nan = nan || value.is_nan();
        Watch { nan, value: (!value.is_nan()).then_some(value), ..Watch::new() }
    }
    /// Whether what it looks for was seen.
    pub fn has_found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }
    /// Looks at the values of a buffer.
    ///
    /// # Errors
    /// `E0606` when it was asked to stop.
    pub fn scan(&self, values: &Buffer) -> Result<()> {
        // SAFETY: a buffer has as many elements as it says.
        unsafe { self.over_memory(values.dtype(), values.as_ptr(), values.len()) }
    }
    /// Looks at the `len` values of `dtype` at `values`.
    ///
    /// # Errors
    /// `E0606` when it was asked to stop.
    ///
    /// # Safety
    /// There are as many, aligned, and nobody writes to them meanwhile.
    pub(crate) unsafe fn over_memory(&self, dtype: DType, values: *const u8, len: usize) -> Result<()> {
        let parts = if dtype.is_complex() { 2 * len } else { len };
        // SAFETY: the caller's promise.
        if !self.has_found() && len > 0 && unsafe { self.has_value(dtype, values, len)? } {
            self.found.store(true, Ordering::Relaxed);
        }
        if !self.has_found()
            && self.nan
            && parts > 0
            // SAFETY: the caller's promise; a complex number is its two parts, one after the other.
            && match dtype.real() {
                DType::F32 => nan_in::<f32>(unsafe { std::slice::from_raw_parts(values.cast(), parts) })?,
                DType::F64 => nan_in::<f64>(unsafe { std::slice::from_raw_parts(values.cast(), parts) })?,
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
                | DType::C128 => false,
            }
        {
            self.found.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
    /// Whether one of the `len` values of `dtype` at `values` is equal to the one that is looked for.
    ///
    /// # Errors
    /// `E0606` when it was asked to stop.
    ///
    /// # Safety
    /// There are as many, aligned, and nobody writes to them meanwhile.
    unsafe fn has_value(&self, dtype: DType, values: *const u8, len: usize) -> Result<bool> {
        let Some(value) = self.value.filter(|v| v.dtype() == dtype) else { return Ok(false) };
        // SAFETY: the caller's promise; bools are read as the bytes that they are.
        unsafe {
            match value {
                Scalar::Bool(x) => equal(values.cast(), len, u8::from(x)),
                Scalar::I8(x) => equal(values.cast(), len, x),
                Scalar::I16(x) => equal(values.cast(), len, x),
                Scalar::I32(x) => equal(values.cast(), len, x),
                Scalar::I64(x) => equal(values.cast(), len, x),
                Scalar::U8(x) => equal(values.cast(), len, x),
                Scalar::U16(x) => equal(values.cast(), len, x),
                Scalar::U32(x) => equal(values.cast(), len, x),
                Scalar::U64(x) => equal(values.cast(), len, x),
                Scalar::F32(x) => equal(values.cast(), len, x),
                Scalar::F64(x) => equal(values.cast(), len, x),
                Scalar::C64(x) => equal::<Complex<f32>>(values.cast(), len, x),
                Scalar::C128(x) => equal::<Complex<f64>>(values.cast(), len, x),
            }
        }
    }
}

/// Whether one of the `len` values at `values` is equal to `value`.
///
/// # Errors
/// `E0606` when it was asked to stop.
///
/// # Safety
/// There are as many, aligned, and nobody writes to them meanwhile.
unsafe fn equal<T: Copy + PartialEq>(values: *const T, len: usize, value: T) -> Result<bool> {
    // SAFETY: the caller's promise.
    any_value(unsafe { std::slice::from_raw_parts(values, len) }, |x| x == value)
}

/// Whether a value is NaN. A product with zero is zero unless the value is infinite or NaN, and takes no comparison: only
/// stretches with a sum of such products that is not zero are looked at value by value.
fn nan_in<T>(values: &[T]) -> Result<bool>
where
    T: Copy + Default + PartialEq + Add<Output = T> + Mul<Output = T>,
{
    let zero = T::default();
    let finite = |stretch: &[T]| {
        let mut sums = [zero; LANES];
        let lanes = stretch.chunks_exact(LANES);
        let rest = lanes.remainder();
        for lane in lanes {
            sums.iter_mut().zip(lane).for_each(|(sum, &x)| *sum = *sum + x * zero);
        }
        sums.iter().all(|&sum| sum == zero) && rest.iter().all(|&x| x * zero == zero)
    };
    // NaN alone differs from itself.
    #[expect(clippy::eq_op)]
    let is_nan = |x: &T| x != x;
    for strip in values.chunks(STRIP) {
        Cancel::check()?;
        if strip.chunks(threshold(STRETCH, LANES)).any(|s| !finite(s) && s.iter().any(is_nan)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether `is` holds of a value. There are no branches within a stretch, so that it is taken in vectors.
///
/// # Errors
/// `E0606` when it was asked to stop.
pub fn any_value<T: Copy>(values: &[T], is: impl Fn(T) -> bool) -> Result<bool> {
    let found = |stretch: &[T]| stretch.iter().fold(false, |found, &x| found | is(x));
    for strip in values.chunks(STRIP) {
        Cancel::check()?;
        if strip.chunks(threshold(STRETCH, LANES)).any(found) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::Complex;

    #[test]
    fn nan_is_seen_wherever_it_stands_in_every_dtype_that_has_it() {
        let seen = |values: Buffer| {
            let watch = Watch::new();
            watch.scan(&values).unwrap();
            watch.has_found()
        };
        for n in [1usize, 7, STRETCH, STRIP + 1] {
            for at in [0, n / 2, n - 1] {
                let mut values = vec![f64::INFINITY; n];
                assert!(!seen(Buffer::from(values.clone())));
                values[at] = f64::NAN;
                let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                let complex: Vec<Complex<f64>> = values.iter().map(|&im| Complex { re: 1.0, im }).collect();
                let narrow_complex: Vec<Complex<f32>> =
                    narrow.iter().map(|&re| Complex { re, im: 1.0 }).collect();
                assert!(seen(Buffer::from(values)) && seen(Buffer::from(narrow)), "{at} of {n}");
                assert!(seen(Buffer::from(complex)) && seen(Buffer::from(narrow_complex)), "{at} of {n}");
            }
        }
        assert!(!seen(Buffer::from(vec![-1i64])) && !seen(Buffer::from(Vec::<f64>::new())));
    }

    #[test]
    fn a_look_can_be_stopped() {
        let cancel = Cancel::new();
        cancel.cancel();
        let stopped = cancel.scope(|| Watch::new().scan(&Buffer::from(vec![1.0])));
        assert_eq!(stopped.unwrap_err().code().0, "E0606");
    }
}
