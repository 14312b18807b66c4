//! Lines whose values are of a dtype that only the caller knows.

use super::fault::TextFault;
use super::field::carrier;
use super::line::LineLayout;
use super::lines::{self, Columns};
use super::text::TextFile;
use crate::buffer::Buffer;
use crate::error::MALFORMED;
use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::tick;

/// Parses lines with values of `dtype`; see [`lines::parse`].
///
/// # Errors
/// As [`lines::parse`]; E0701 at the first value that is none of `dtype`.
pub(super) fn parse(
    text: &TextFile,
    from: usize,
    layout: &LineLayout,
    spare: usize,
    dtype: DType,
) -> Result<Columns> {
    let mut columns = match carrier(dtype) {
        DType::U64 => lines::parse::<u64>(text, from, layout, spare),
        DType::F32 => lines::parse::<f32>(text, from, layout, spare),
        DType::F64 => lines::parse::<f64>(text, from, layout, spare),
        DType::C64 => lines::parse::<Complex<f32>>(text, from, layout, spare),
        DType::C128 => lines::parse::<Complex<f64>>(text, from, layout, spare),
        _ => lines::parse::<i64>(text, from, layout, spare),
    }?;
    if columns.vals.dtype() == dtype {
        return Ok(columns);
    }
    let mut narrow = Buffer::zeros(dtype, columns.vals.len())?;
    // Entries beyond the declared number are counted but have no values.
    for e in 0..columns.entries.min(columns.vals.len()) {
        tick();
        let value = columns.vals.get(e);
        if !fits(value, dtype) {
            return Err(misfit(text, from, layout, e, dtype)?);
        }
        narrow.set(e, value);
    }
    columns.vals = narrow;
    Ok(columns)
}

/// Whether an integer keeps its value in `dtype`; a bool is 0 or 1.
pub(super) fn fits(value: Scalar, dtype: DType) -> bool {
    let back = value.cast(dtype).cast(value.dtype());
    back.is_same(value)
}

/// The error for the value of entry `e`, which is the last number on its line.
fn misfit(
    text: &TextFile,
    from: usize,
    layout: &LineLayout,
    e: usize,
    dtype: DType,
) -> Result<openwork_base::Error> {
    let at = lines::entry_start(text, from, layout.comment, e)?;
    let (start, line) = text.line(at, 1 << 16)?;
    let end = line.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |n| n + 1);
    let first = line[..end].iter().rposition(|b| b.is_ascii_whitespace()).map_or(0, |n| n + 1);
    let found = String::from_utf8_lossy(&line[first..end]).into_owned();
    Ok(text.fault(TextFault::new(
        MALFORMED,
        start + first,
        end - first,
        format!("{found} does not fit {dtype}"),
    )))
}
