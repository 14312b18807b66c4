//! The writer of Rutherford-Boeing and Harwell-Boeing files.

use super::boeing::STATED;
use super::output::TextOutput;
use crate::index::IndexArray;
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_algebra::{DType, DTypeKind, Scalar};
use openwork_base::Result;
use openwork_format::presets;

/// Characters of a line.
const LINE: usize = 80;

/// Writes a matrix in compressed columns, as Rutherford and Boeing lay it out.
///
/// # Errors
/// E0704 and E0603; E0707 for what is no matrix, and fill values other than 0.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    write_matrix(t, out, false)
}

/// The same as Harwell and Boeing do, without right-hand sides.
///
/// # Errors
/// As [`write`].
pub(super) fn write_harwell(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    write_matrix(t, out, true)
}

/// Refuses an extension that says what is in a file, which need not be what is in a tensor.
///
/// # Errors
/// E0707.
pub(super) fn refuse(_: &Tensor, out: &mut TextOutput) -> Result<()> {
    Err(out.refusal(
        "its extension names a kind of matrix",
        "write a .rb or .hb file, which states the kind inside",
    ))
}

/// How numbers of a list are written.
struct NumberList {
    per_line: usize,
    format: String,
}

impl NumberList {
    fn whole_numbers(width: usize) -> NumberList {
        NumberList { per_line: LINE / width, format: format!("({}I{width})", LINE / width) }
    }
    fn lines(&self, len: usize) -> usize {
        len.div_ceil(self.per_line)
    }
    fn width(&self) -> usize {
        LINE / self.per_line
    }
}

fn digits(n: usize) -> usize {
    n.checked_ilog10().unwrap_or(0) as usize + 1
}

/// The list of values of a dtype, and how wide one of them is: a blank, and the longest number.
fn list_of(dtype: DType) -> (NumberList, usize) {
    let real = |per_line: usize, width: usize, decimals: usize| {
        (NumberList { per_line, format: format!("({per_line}E{width}.{decimals})") }, width)
    };
    match dtype {
        DType::F32 | DType::C64 => real(5, 16, 8),
        DType::F64 | DType::C128 => real(3, 26, 16),
        DType::Bool => (NumberList::whole_numbers(2), 2),
        DType::I8 | DType::U8 => (NumberList::whole_numbers(5), 5),
        DType::I16 | DType::U16 => (NumberList::whole_numbers(8), 8),
        DType::I32 | DType::U32 => (NumberList::whole_numbers(16), 16),
        DType::I64 | DType::U64 => (NumberList { per_line: 3, format: "(3I26)".into() }, 26),
    }
}

fn write_matrix(t: &Tensor, out: &mut TextOutput, harwell: bool) -> Result<()> {
    if t.rank() != 2 {
        let message = format!("it holds matrices, and this tensor has {} modes", t.rank());
        return Err(out.refusal(&message, "write a .tns file"));
    }
    out.needs_zero_fill(t)?;
    let dtype = t.dtype();
    let columns = pack(&unpack(t)?, &presets::csc(), Scalar::zero(dtype))?;
    let [pos, crd] = &columns.level(1).arrays[..] else {
        return Err(out.refusal("it has no positions and coordinates", "convert it to csc"));
    };
    let (Some(pos), Some(crd)) = (IndexArray::from_buffer(pos), IndexArray::from_buffer(crd)) else {
        return Err(out.refusal("its index arrays have an unknown width", "convert it to csc"));
    };
    let (rows, nnz) = (t.shape()[0], crd.len());
    let positions = NumberList::whole_numbers(divisor(digits(nnz + 1) + 1));
    let row_list = NumberList::whole_numbers(divisor(digits(rows) + 1));
    let (values, width) = list_of(dtype);
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let lines = [positions.lines(pos.len()), row_list.lines(nnz), values.lines(nnz * parts)];
    out.put(head(t, dtype, harwell, nnz, lines, [&positions, &row_list, &values]).as_bytes())?;
    let whole = |out: &mut TextOutput, list: &NumberList, index: &IndexArray, add: i64| {
        out.lines(list.lines(index.len()), |line, text| {
            for e in line * list.per_line..((line + 1) * list.per_line).min(index.len()) {
                push_padded(text, list.width(), itoa::Buffer::new().format(index.get(e) + add));
            }
        })
    };
    whole(out, &positions, &pos, 1)?;
    whole(out, &row_list, &crd, 1)?;
    let vals = columns.vals();
    out.lines(lines[2], |line, text| {
        for n in line * values.per_line..((line + 1) * values.per_line).min(nnz * parts) {
            push_padded(text, width, &print_part(vals.get(n / parts), n % parts));
        }
    })
}

/// The least width of at least so many characters that divides a line.
fn divisor(width: usize) -> usize {
    (width..=LINE).find(|w| LINE.is_multiple_of(*w)).unwrap_or(LINE)
}

fn push_padded(text: &mut Vec<u8>, width: usize, number: &str) {
    text.resize(text.len() + width.saturating_sub(number.len()), b' ');
    text.extend_from_slice(number.as_bytes());
}

/// The four lines before the lists.
fn head(
    t: &Tensor,
    dtype: DType,
    harwell: bool,
    nnz: usize,
    lines: [usize; 3],
    lists: [&NumberList; 3],
) -> String {
    let (rows, columns) = (t.shape()[0], t.shape()[1]);
    let value = match dtype.kind() {
        DTypeKind::Bool | DTypeKind::Signed | DTypeKind::Unsigned => 'i',
        DTypeKind::Float => 'r',
        DTypeKind::Complex => 'c',
    };
    let square = if rows == columns || harwell { 'u' } else { 'r' };
    let kind = format!("{value}{square}a");
    let kind = if harwell { kind.to_uppercase() } else { kind };
    let title = match dtype {
        DType::F64 | DType::I64 | DType::C128 => "a matrix of Openwork".to_string(),
        other => format!("{STATED}{other}"),
    };
    let [p, r, v] = lines;
    let rest = if harwell { format!("{:14}", 0) } else { String::new() };
    let [positions, row_list, values] = lists;
    format!(
        "{title:<72}{:<8}\n{:14}{p:14}{r:14}{v:14}{rest}\n{kind:<14}{rows:14}{columns:14}{nnz:14}{:14}\n\
         {:<16}{:<16}{:<20}\n",
        "openwork",
        p + r + v,
        0,
        positions.format,
        row_list.format,
        values.format
    )
}

/// A part of a value, as Fortran reads it whatever the format says: with a point and an exponent, where it is a real.
fn print_part(value: Scalar, part: usize) -> String {
    let real = |text: String, finite: bool| match (finite, text.contains('.')) {
        (true, false) => text.replacen('E', ".E", 1),
        _ => text.replace("inf", "Infinity"),
    };
    match value {
        Scalar::F32(v) => real(format!("{v:E}"), v.is_finite()),
        Scalar::F64(v) => real(format!("{v:E}"), v.is_finite()),
        Scalar::C64(v) => print_part(Scalar::F32(if part == 0 { v.re } else { v.im }), 0),
        Scalar::C128(v) => print_part(Scalar::F64(if part == 0 { v.re } else { v.im }), 0),
        Scalar::Bool(v) => u8::from(v).to_string(),
        whole => whole.to_string(),
    }
}
