//! `.ttx`, in which TACO keeps tensors: a MatrixMarket header over coordinates of any number of modes.
//!
//! ```text
//! %%MatrixMarket tensor coordinate real general
//! % sizes, and how many entries
//! 4 3 3 2
//! 1 1 1 0.5
//! 4 2 3 -1
//! ```
//! A matrix in such a file has the header of a `.mtx` file, and is read and written as one.

use super::fault::TextFault;
use super::line::{LineLayout, LineValues};
use super::mtx_write::{self, field_of, graphblas_name};
use super::output::{LineUnit, TextOutput, write_entries};
use super::text::TextFile;
use super::{ReadOptions, asked, lines, mtx, narrow};
use crate::coords::Coo;
use crate::error::{INCOMPLETE, MALFORMED};
use crate::tensor::Tensor;
use openwork_algebra::DType;
use openwork_base::Result;

/// The longest header line that is read, and the most modes.
const LONGEST: usize = 1 << 16;
const MOST_MODES: usize = 64;

/// Reads a tensor.
///
/// # Errors
/// E0701 for a malformed file; E0702 for a wrong number of entries; E0703 for coordinates out of range; E0706 for a dtype
/// that the values do not cast to.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let (_, line) = text.line(0, LONGEST)?;
    let banner = words(&line);
    let is = |n: usize, word: &str| banner.get(n).is_some_and(|(_, w)| w.eq_ignore_ascii_case(word));
    if !is(0, "%%MatrixMarket") || !is(1, "tensor") {
        return mtx::read(text, options);
    }
    let (natural, values) = banner_of(&banner, line.len()).map_err(|f| text.fault(f))?;
    let (declared, sizes, body) = sizes(text)?;
    let stated = declared.unwrap_or(natural);
    let stored = match options.dtype {
        Some(wanted) if values == LineValues::Ones => wanted,
        Some(wanted) if wanted.is_float() && stated.is_float() => wanted,
        _ => stated,
    };
    let (entries, shape) = sizes.split_last().map_or((0, &[][..]), |(n, shape)| (*n, shape));
    let layout = LineLayout {
        dims: shape,
        base: 1,
        comment: b'%',
        values,
        declared: Some(entries),
        progress: options.progress,
    };
    let columns = narrow::parse(text, body, &layout, 1, stored)?;
    if columns.entries != entries {
        let message = format!("the file has {} entries, but it declares {entries}", columns.entries);
        let at = match columns.entries > entries {
            true => lines::entry_start(text, body, b'%', entries)?,
            false => text.len(),
        };
        return Err(text.fault(TextFault::new(INCOMPLETE, at, 0, message)));
    }
    let (coords, vals) = columns.into_parts();
    asked::apply_options(text, Coo::new(shape.to_vec(), coords, vals)?, options)
}

/// The words of a line with where they start.
fn words(line: &[u8]) -> Vec<(usize, String)> {
    let mut at = 0;
    let mut out = Vec::new();
    for word in line.split(|b| b.is_ascii_whitespace()) {
        if !word.is_empty() {
            out.push((at, String::from_utf8_lossy(word).into_owned()));
        }
        at += word.len() + 1;
    }
    out
}

/// What the first line says of the values.
fn banner_of(words: &[(usize, String)], len: usize) -> std::result::Result<(DType, LineValues), TextFault> {
    let word = |n: usize, what: &str| {
        let missing = || TextFault::new(MALFORMED, len, 0, format!("the header ends before its {what}"));
        words.get(n).map(|(at, w)| (*at, w.to_ascii_lowercase())).ok_or_else(missing)
    };
    let bad =
        |(at, word): (usize, String), message: String| TextFault::new(MALFORMED, at, word.len(), message);
    let layout = word(2, "format")?;
    match layout.1.as_str() {
        "coordinate" => {}
        "array" => {
            let message = "arrays of tensors are not supported: TACO reads other coordinates than it wrote";
            return Err(bad(layout, message.into()).help("write the tensor as coordinates"));
        }
        other => {
            let message = format!("`{other}` is no format: expected coordinate");
            return Err(bad(layout, message));
        }
    }
    let field = word(3, "field")?;
    let found = match field.1.as_str() {
        "real" | "double" => (DType::F64, LineValues::Given),
        "integer" => (DType::I64, LineValues::Given),
        "complex" => (DType::C128, LineValues::Given),
        "pattern" => (DType::F64, LineValues::Ones),
        other => {
            let message = format!("`{other}` is no field: expected real, integer, complex, pattern");
            return Err(bad(field, message));
        }
    };
    let symmetry = word(4, "symmetry")?;
    if symmetry.1 != "general" {
        return Err(bad(symmetry, "a tensor is general; only matrices are symmetric".into()));
    }
    Ok(found)
}

/// The dtype that a comment states, the sizes and the number of entries, and where entries begin.
fn sizes(text: &TextFile) -> Result<(Option<DType>, Vec<usize>, usize)> {
    let (mut declared, mut at) = (None, text.line_start(1)?);
    while at < text.len() {
        let (start, line) = text.line(at, LONGEST)?;
        let words = words(&line);
        match &words[..] {
            [] => {}
            [(_, mark), (_, key), (_, name), ..]
                if mark.eq_ignore_ascii_case("%%graphblas") && key.eq_ignore_ascii_case("type") =>
            {
                declared = DType::ALL.into_iter().find(|d| graphblas_name(*d) == Some(name)).or(declared);
            }
            [(_, first), ..] if first.starts_with('%') => {}
            _ => {
                let read = |(at, word): &(usize, String)| {
                    let number = word.parse::<usize>().ok().filter(|&n| n <= i64::MAX as usize);
                    let bad =
                        || TextFault::new(MALFORMED, start + at, word.len(), "this is no size of 0 or more");
                    number.ok_or_else(bad)
                };
                let sizes: std::result::Result<Vec<usize>, TextFault> = words.iter().map(read).collect();
                let sizes = sizes.map_err(|f| text.fault(f))?;
                if !(2..=MOST_MODES + 1).contains(&sizes.len()) {
                    let message =
                        "the line with the sizes has one for every mode, then the number of entries";
                    return Err(text.fault(TextFault::new(MALFORMED, start, line.len(), message)));
                }
                return Ok((declared, sizes, text.line_start(start + 1)?));
            }
        }
        at = text.line_start(at + 1)?;
    }
    Err(text.fault(TextFault::new(INCOMPLETE, text.len(), 0, "the file ends before the line with the sizes")))
}

/// Writes a tensor: a matrix as a `.mtx` file has it, everything else as coordinates. Dtypes that the field does not tell are
/// stated in a `%%GraphBLAS type` comment.
///
/// # Errors
/// E0704, E0603; E0707 for a fill value other than 0, and a number without modes.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    if t.rank() == 2 {
        return mtx_write::write(t, out);
    }
    if t.rank() == 0 {
        return Err(out.refusal("a number has no coordinates", "write a .npy file"));
    }
    out.needs_zero_fill(t)?;
    let coo = crate::unpack::list_values(t)?;
    let mut head = format!("%%MatrixMarket tensor coordinate {} general\n", field_of(t.dtype()));
    head += &match graphblas_name(t.dtype()) {
        Some(name) => format!("%%GraphBLAS type {name}\n"),
        None => "%\n".into(),
    };
    for size in t.shape() {
        head += &format!("{size} ");
    }
    out.put(format!("{head}{}\n", coo.len()).as_bytes())?;
    write_entries(&coo, out, LineUnit::None)
}
