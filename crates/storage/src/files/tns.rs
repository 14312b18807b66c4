//! Reading FROSTT tensors.
//!
//! ```text
//! # comments
//! 1 1 2 0.5
//! 4 2 1 3
//! ```
//! Every line has 1-based coordinates and a value; the first line tells the order. Without a shape from the caller,
//! each mode is as large as its largest coordinate. A complex value is two numbers, which no line tells from a coordinate
//! and a value; so files that we write say it in a comment on their first line, `# openwork: values are c128`.

use super::ReadOptions;
use super::fault::Fault;
use super::line::{Layout, UNKNOWN, Values};
use super::lines;
use super::narrow;
use super::text::Text;
use crate::coords::Coo;
use crate::error::{INCOMPLETE, MALFORMED};
use openwork_algebra::DType;
use openwork_base::Result;

/// The most modes a file may have; more is a sign of another kind of file.
const MOST_MODES: usize = 64;

/// The first line of a file with complex values.
pub(super) fn complex_line(dtype: DType) -> Option<String> {
    dtype.is_complex().then(|| format!("# openwork: values are {dtype}\n"))
}

/// The dtype that the first line says values have.
fn stated(text: &Text) -> Result<Option<DType>> {
    let (_, line) = text.line(0, 1 << 8)?;
    let says = |d: &DType| complex_line(*d).is_some_and(|l| l.trim_end().as_bytes() == line.trim_ascii_end());
    Ok(DType::ALL.into_iter().find(says))
}

/// Reads a FROSTT file. Values are what the file says, else `f64`, unless the caller asks for another dtype, in which they are then read.
///
/// # Errors
/// E0706 for complex values that are to be real; E0701 for a malformed line; E0702 for a file without lines when no shape is given; E0703 for coordinates out of
/// range.
pub(super) fn read(text: &Text, options: &ReadOptions) -> Result<Coo> {
    let stated = stated(text)?;
    let dtype = options.dtype.or(stated).unwrap_or(DType::F64);
    if let Some(complex) = stated.filter(|_| !dtype.is_complex()) {
        return Err(super::mtx::cast_error(text, complex, dtype));
    }
    let at = lines::entry_start(text, 0, b'#', 0)?;
    let order = match (&options.dims, order(text, at, dtype)?) {
        (None, None) => {
            let message = "the file has no entries, so its order and sizes are unknown";
            let fault = Fault::new(INCOMPLETE, at, 0, message).help("say how large the tensor is");
            return Err(text.fault(fault));
        }
        (Some(dims), None) => dims.len(),
        (None, Some(order)) => order,
        (Some(dims), Some(order)) if dims.len() == order => order,
        (Some(dims), Some(order)) => {
            let message = format!("this line has {order} coordinates, but the shape {dims:?} was given");
            return Err(text.fault(Fault::new(MALFORMED, at, 1, message)));
        }
    };
    let unknown = vec![UNKNOWN; order];
    let dims = options.dims.as_deref().unwrap_or(&unknown);
    let layout =
        Layout { dims, comment: b'#', values: Values::Given, declared: None, progress: options.progress };
    let columns = narrow::parse(text, at, &layout, 1, dtype)?;
    let shape = options.dims.clone().unwrap_or_else(|| columns.extent.clone());
    let (coords, vals) = columns.into_parts();
    Coo::new(shape, coords, vals)
}

/// The number of coordinates on the first entry line; `None` when there is no such line.
fn order(text: &Text, at: usize, dtype: DType) -> Result<Option<usize>> {
    if at >= text.len() {
        return Ok(None);
    }
    let (start, line) = text.line(at, 1 << 16)?;
    let words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).count();
    let numbers = if dtype.is_complex() { 2 } else { 1 };
    match words.checked_sub(numbers) {
        Some(order) if order <= MOST_MODES => Ok(Some(order)),
        Some(order) => {
            let message =
                format!("{order} coordinates on a line, more than the {MOST_MODES} that are supported");
            Err(text.fault(Fault::new(MALFORMED, start, line.len(), message)))
        }
        None => {
            let message = "expected a real and an imaginary part at the end of the line";
            Err(text.fault(Fault::new(MALFORMED, start, line.len(), message)))
        }
    }
}
