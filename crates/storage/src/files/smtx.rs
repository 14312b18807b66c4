//! `.smtx`, in which the Deep Learning Matrix Collection keeps patterns: sizes, positions of rows, columns.
//!
//! ```text
//! 2, 3, 3
//! 0 1 3
//! 1 0 2
//! ```

use super::fault::TextFault;
use super::output::TextOutput;
use super::text::TextFile;
use super::{ReadOptions, asked};
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::error::{INCOMPLETE, MALFORMED, OUT_OF_RANGE};
use crate::index::IndexArray;
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::presets;

/// The numbers of a text one after the other, with commas or blanks between them.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the last number began.
    start: usize,
}

impl Numbers<'_> {
    fn next(&mut self) -> std::result::Result<usize, TextFault> {
        let blank = |b: &u8| b.is_ascii_whitespace() || *b == b',';
        self.at += self.bytes[self.at..].iter().take_while(|b| blank(b)).count();
        let len = self.bytes[self.at..].iter().take_while(|b| !blank(b)).count();
        self.start = self.at;
        self.at += len;
        if len == 0 {
            return Err(TextFault::new(INCOMPLETE, self.start, 0, "the file ends where a number is missing"));
        }
        let word = std::str::from_utf8(&self.bytes[self.start..self.at]).ok();
        word.and_then(|w| w.parse().ok()).ok_or_else(|| {
            TextFault::new(MALFORMED, self.start, len, "this is no number of 0 or more")
                .help("a .smtx file has rows, columns and entries, then positions, then columns")
        })
    }
    fn fault(&self, code: openwork_base::Code, message: String) -> TextFault {
        TextFault::new(code, self.start, self.at - self.start, message)
    }
}

/// Reads a pattern; its values are ones.
///
/// # Errors
/// E0701 for what is no number, or positions that do not rise; E0702 for too few or too many numbers; E0703.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let bytes = text.read_all()?;
    let (shape, coords) = parse_pattern(&bytes).map_err(|f| text.fault(f))?;
    let dtype = options.dtype.unwrap_or(DType::F64);
    let vals = Buffer::repeat(Scalar::one(dtype), coords[0].len())?;
    asked::apply_options(
        text,
        Coo::new(shape, coords.into_iter().map(Buffer::from).collect(), vals)?,
        options,
    )
}

type SmtxPattern = (Vec<usize>, Vec<Vec<i64>>);

fn parse_pattern(bytes: &[u8]) -> std::result::Result<SmtxPattern, TextFault> {
    let mut n = Numbers { bytes, at: 0, start: 0 };
    let (rows, columns, entries) = (n.next()?, n.next()?, n.next()?);
    let mut before = n.next()?;
    if before != 0 {
        return Err(n.fault(MALFORMED, format!("positions begin at 0, not at {before}")));
    }
    let mut i = Vec::new();
    for row in 0..rows {
        tick();
        let end = n.next()?;
        if end < before || end > entries {
            return Err(n.fault(
                MALFORMED,
                format!(
                    "row {row} cannot end at {end}: the one before ends at {before}, the last at {entries}"
                ),
            ));
        }
        i.extend(std::iter::repeat_n(row as i64, end - before));
        before = end;
    }
    if before != entries {
        return Err(
            n.fault(INCOMPLETE, format!("rows hold {before} entries, but the file declares {entries}"))
        );
    }
    let mut j = Vec::new();
    for _ in 0..entries {
        tick();
        let column = n.next()?;
        if column >= columns {
            return Err(n.fault(OUT_OF_RANGE, format!("column {column} of {columns}")));
        }
        j.push(column as i64);
    }
    if n.next().is_ok() {
        return Err(n.fault(INCOMPLETE, format!("more numbers than {entries} columns")));
    }
    Ok((vec![rows, columns], vec![i, j]))
}

/// Writes the pattern of a matrix whose values are ones.
///
/// # Errors
/// E0704; E0707 for other values, which the file would lose, and for what is no sparse matrix.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    out.needs_zero_fill(t)?;
    if t.rank() != 2 {
        let message = format!(".smtx holds matrices, and this tensor has {} modes", t.rank());
        return Err(out.refusal(&message, "write a .tns file"));
    }
    let coo = unpack(t)?;
    let one = Scalar::one(t.dtype());
    if coo.vals().iter().any(|v| !v.is_same(one)) {
        let message = ".smtx holds patterns, and this matrix has other values than 1";
        return Err(out.refusal(message, "write a .mtx or .npz file, or the matrix of ones"));
    }
    let rows = pack(&coo, &presets::csr(), Scalar::zero(t.dtype()))?;
    out.put(format!("{}, {}, {}\n", t.shape()[0], t.shape()[1], rows.nnz()).as_bytes())?;
    for array in &rows.level(1).arrays {
        let mut line = Vec::new();
        if let Some(index) = IndexArray::from_buffer(array) {
            for e in 0..index.len() {
                tick();
                if e > 0 {
                    line.push(b' ');
                }
                line.extend_from_slice(itoa::Buffer::new().format(index.get(e)).as_bytes());
                if line.len() > 1 << 20 {
                    out.put(&line)?;
                    line.clear();
                }
            }
        }
        line.push(b'\n');
        out.put(&line)?;
    }
    Ok(())
}
