//! The reader of FROSTT tensors.
//!
//! ```text
//! # comments
//! 1 1 2 0.5
//! 4 2 1 3
//! ```
//! Every line has coordinates, 1-based unless the caller says otherwise, and a value; the first line tells the order. Without
//! a shape from the caller, each mode is as large as its largest coordinate, and values are `f64`. A tensor with another
//! shape or dtype has a comment before its entries, `# openwork: values are i64, shape is 4 2 2`, or one of both. A complex
//! value is two numbers, which no line tells from a coordinate and a value.

use super::ReadOptions;
use super::fault::TextFault;
use super::line::{LineLayout, LineValues, UNKNOWN};
use super::lines;
use super::narrow;
use super::text::TextFile;
use crate::coords::Coo;
use crate::error::{INCOMPLETE, MALFORMED, OUT_OF_RANGE};
use crate::index::IndexArray;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::tick;

/// The most modes a file may have; more is a sign of another kind of file.
const MOST_MODES: usize = 64;

/// The longest line that is looked at before the entries are read.
const LONGEST: usize = 1 << 16;
/// How the comment begins, and what it says.
const MARK: &str = "# openwork: ";
const VALUES: &str = "values are ";
const SHAPE: &str = "shape is";

/// The line before the entries, where these do not tell dtype and shape.
pub(super) fn comment(coo: &Coo) -> Option<String> {
    let dtype = (coo.dtype() != DType::F64).then(|| format!("{VALUES}{}", coo.dtype()));
    let told = (0..coo.rank()).all(|m| extent(coo.index(m)) == coo.shape()[m]) && !coo.is_empty();
    let sizes = || coo.shape().iter().map(|n| format!(" {n}")).collect::<String>();
    let shape = (!told).then(|| format!("{SHAPE}{}", sizes()));
    let all: Vec<String> = dtype.into_iter().chain(shape).collect();
    (!all.is_empty()).then(|| format!("{MARK}{}\n", all.join(", ")))
}

/// One more than the largest coordinate.
fn extent(index: IndexArray) -> usize {
    let largest = (0..index.len()).map(|e| {
        tick();
        index.entry_at(e) + 1
    });
    largest.max().unwrap_or(0)
}

/// What a file says of its tensor.
#[derive(Default)]
struct Stated {
    dtype: Option<DType>,
    shape: Option<Vec<usize>>,
}

/// Reads the comment. One that makes no sense is anybody's, and says nothing.
fn read_comment(text: &TextFile) -> Result<Stated> {
    let (_, line) = text.line(0, LONGEST)?;
    let line = String::from_utf8_lossy(&line);
    let mut out = Stated::default();
    for part in line.trim_end().strip_prefix(MARK).into_iter().flat_map(|rest| rest.split(", ")) {
        if let Some(name) = part.strip_prefix(VALUES) {
            out.dtype = DType::ALL.into_iter().find(|d| d.to_string() == name);
        }
        if let Some(sizes) = part.strip_prefix(SHAPE) {
            // Sizes beyond `i64` could not be stored as coordinates.
            let size = |word: &str| word.parse().ok().filter(|&n: &usize| n <= i64::MAX as usize);
            let sizes: Option<Vec<usize>> = sizes.split_whitespace().map(size).collect();
            out.shape = sizes.filter(|s| s.len() <= MOST_MODES);
        }
    }
    Ok(out)
}

/// The shape that coordinates have to lie in, where somebody said one.
///
/// # Errors
/// E0703 for a shape that does not hold the file's.
fn known_shape(
    text: &TextFile,
    stated: Option<Vec<usize>>,
    options: &ReadOptions,
) -> Result<Option<Vec<usize>>> {
    let (Some(wanted), Some(found)) = (&options.dims, &stated) else {
        return Ok(options.dims.clone().or(stated));
    };
    if wanted.len() == found.len() && wanted.iter().zip(found).all(|(w, f)| w >= f) {
        return Ok(Some(wanted.clone()));
    }
    let message = format!("the file's shape {found:?} does not fit the shape {wanted:?} asked for");
    Err(text.fault(TextFault::new(OUT_OF_RANGE, 0, text.line(0, LONGEST)?.1.len(), message)))
}

/// Reads a FROSTT file. Values are what the file says, else `f64`, unless the caller asks for another dtype, in which they
/// are then read.
///
/// # Errors
/// E0706 for complex values that are to be real; E0701 for a malformed line; E0702 for a file without lines when nobody says
/// the shape; E0703 for coordinates out of range, and for a shape that does not hold the file's.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let stated = read_comment(text)?;
    let wanted = options.dtype.or(stated.dtype).unwrap_or(DType::F64);
    let dtype = match stated.dtype {
        Some(complex) if complex.is_complex() && !wanted.is_complex() => {
            return Err(super::mtx::cast_error(text, complex, wanted));
        }
        // Lines with real values have one number for each.
        Some(real) if !real.is_complex() && wanted.is_complex() => real,
        _ => wanted,
    };
    let shape = known_shape(text, stated.shape, options)?;
    let at = lines::entry_start(text, 0, b'#', 0)?;
    let order = match (&shape, order(text, at, dtype)?) {
        (None, None) => {
            let message = "the file has no entries, so its order and sizes are unknown";
            let fault = TextFault::new(INCOMPLETE, at, 0, message).help("say how large the tensor is");
            return Err(text.fault(fault));
        }
        (Some(dims), None) => dims.len(),
        (None, Some(order)) => order,
        (Some(dims), Some(order)) if dims.len() == order => order,
        (Some(dims), Some(order)) => {
            let who = if options.dims.is_some() { "was given" } else { "is stated" };
            let message = format!("this line has {order} coordinates, but the shape {dims:?} {who}");
            return Err(text.fault(TextFault::new(MALFORMED, at, 1, message)));
        }
    };
    let unknown = vec![UNKNOWN; order];
    let dims = shape.as_deref().unwrap_or(&unknown);
    let base = u64::from(!options.from_zero);
    let layout = LineLayout {
        dims,
        base,
        comment: b'#',
        values: LineValues::Given,
        declared: None,
        progress: options.progress,
    };
    let columns = narrow::parse(text, at, &layout, 1, dtype)?;
    let shape = shape.unwrap_or_else(|| columns.extent.clone());
    let (coords, vals) = columns.into_parts();
    Coo::new(shape, coords, vals)?.cast(wanted)
}

/// The number of coordinates on the first entry line; `None` when there is no such line.
fn order(text: &TextFile, at: usize, dtype: DType) -> Result<Option<usize>> {
    if at >= text.len() {
        return Ok(None);
    }
    let (start, line) = text.line(at, LONGEST)?;
    let words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).count();
    let numbers = if dtype.is_complex() { 2 } else { 1 };
    match words.checked_sub(numbers) {
        Some(order) if order <= MOST_MODES => Ok(Some(order)),
        Some(order) => {
            let message =
                format!("{order} coordinates on a line, more than the {MOST_MODES} that are supported");
            Err(text.fault(TextFault::new(MALFORMED, start, line.len(), message)))
        }
        None => {
            let message = "expected a real and an imaginary part at the end of the line";
            Err(text.fault(TextFault::new(MALFORMED, start, line.len(), message)))
        }
    }
}
