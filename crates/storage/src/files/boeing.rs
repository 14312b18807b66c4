//! The reader of Rutherford-Boeing and Harwell-Boeing files: a matrix in compressed columns, in fixed fields.
//!
//! ```text
//! title                                                                   key
//!     lines: all       positions          rows        values                       (Harwell-Boeing: right-hand sides)
//! rua               rows       columns       entries             0
//! (10I8)          (12I6)          (3E25.16)                                        formats of the three lists
//! ```
//! `rua` is a real, unsymmetric, assembled matrix; the first letter is `r`, `c`, `i` or `p` (a pattern), the second `u`, `r`
//! (rectangular), `s`, `h` or `z` (skew-symmetric), of which the last three store a lower triangle.

use super::expand::{NoMirror, expand};
use super::fault::TextFault;
use super::field::{FieldElement, Unread, carrier};
use super::fortran::{Deck, FieldKind, Fields};
use super::header::HeaderSymmetry;
use super::lines::Columns;
use super::narrow::fits;
use super::scan::TextCursor;
use super::text::TextFile;
use super::{ReadOptions, asked};
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::error::{INCOMPLETE, MALFORMED, OUT_OF_RANGE};
use openwork_algebra::{Complex, DType, DTypeKind as Numbers, Scalar};
use openwork_base::Result;
use openwork_base::cancel::tick;

/// How the title of a file begins whose values have a dtype that its type does not tell.
pub(super) const STATED: &str = "openwork: values are ";

/// What the first lines say.
struct BoeingHeader {
    dtype: DType,
    /// Whether there are values.
    valued: bool,
    symmetry: HeaderSymmetry,
    sizes: [usize; 2],
    entries: usize,
    positions: Fields,
    rows: Fields,
    values: Option<Fields>,
}

/// Reads a matrix. Right-hand sides, which Harwell-Boeing files may have behind it, are left out.
///
/// # Errors
/// E0701 for what is malformed, elemental matrices and formats that are no numbers side by side; E0702 for a file that ends
/// early; E0703 for rows out of range; E0706 for a dtype that the values do not cast to.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let bytes = text.read_all()?;
    let mut deck = Deck { bytes: &bytes, at: 0 };
    let mut header = header(&mut deck).map_err(|f| text.fault(f))?;
    match options.dtype {
        // A pattern's ones can be of any dtype, and a float is rounded once, from the text.
        Some(wanted) if !header.valued => header.dtype = wanted,
        Some(wanted) if wanted.is_float() && header.dtype.is_float() => header.dtype = wanted,
        _ => {}
    }
    let (i, j) = coordinates(&mut deck, &header).map_err(|f| text.fault(f))?;
    let first = deck.at;
    let vals = match &header.values {
        Some(fields) if header.valued => values(&mut deck, &header, fields).map_err(|f| text.fault(f))??,
        _ => Buffer::repeat(Scalar::one(header.dtype), header.entries)?,
    };
    if let Some(progress) = options.progress {
        progress(text.len() as u64, text.len() as u64);
    }
    let mut columns = Columns {
        coords: vec![Buffer::from(i), Buffer::from(j)],
        vals,
        entries: header.entries,
        extent: header.sizes.to_vec(),
    };
    if header.symmetry != HeaderSymmetry::General
        && let Err(bad) = dispatch!(header.dtype, T => expand::<T>(&mut columns, header.symmetry))?
    {
        let why = match bad {
            NoMirror::Diagonal(_) => "the diagonal of a skew-symmetric matrix is zero",
            NoMirror::Value(_) => "the mirror image of a value does not fit its dtype",
        };
        return Err(text.fault(TextFault::new(MALFORMED, first, 0, why)));
    }
    let (coords, vals) = columns.into_parts();
    asked::apply_options(text, Coo::new(header.sizes.to_vec(), coords, vals)?, options)
}

/// The numbers on a line of the header from column `from` on.
fn numbers(
    start: usize,
    line: &[u8],
    from: usize,
    least: usize,
) -> std::result::Result<Vec<usize>, TextFault> {
    let words = line.get(from..).unwrap_or(&[]).split(|b| b.is_ascii_whitespace());
    let mut out = Vec::new();
    let mut at = start + from;
    for word in words {
        if !word.is_empty() {
            let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
            // Larger numbers would not be coordinates.
            let number = number.filter(|&n| n < i64::MAX as usize);
            out.push(number.ok_or_else(|| {
                TextFault::new(MALFORMED, at, word.len(), "this is no number of 0 or more")
            })?);
        }
        at += word.len() + 1;
    }
    if out.len() < least {
        let message = format!("the line has {} numbers, not {least}", out.len());
        return Err(TextFault::new(MALFORMED, start, line.len(), message)
            .help("the header of a Rutherford-Boeing or Harwell-Boeing file has four lines"));
    }
    Ok(out)
}

fn header(deck: &mut Deck) -> std::result::Result<BoeingHeader, TextFault> {
    let (_, title) = deck.line("the title")?;
    let (start, line) = deck.line("the numbers of lines")?;
    let lines = numbers(start, line, 0, 4)?;
    let (start, line) = deck.line("the type and sizes")?;
    let kind: String = String::from_utf8_lossy(&line[..line.len().min(3)]).to_ascii_lowercase();
    let (dtype, symmetry) = parse_type(&kind).map_err(|(n, message)| {
        TextFault::new(MALFORMED, start + n.min(line.len()), 1, message)
            .help("a type is r, c, i or p; then u, r, s, h or z; then a, as in rua")
    })?;
    let sizes = numbers(start, line, 3.min(line.len()), 3)?;
    let (rows, columns, entries) = (sizes[0], sizes[1], sizes[2]);
    if symmetry != HeaderSymmetry::General && rows != columns {
        let message = format!("a symmetric matrix is square, not {rows} by {columns}");
        return Err(TextFault::new(MALFORMED, start, line.len(), message));
    }
    // Every entry takes a character at least, so no memory is asked for by what a header claims.
    if entries > deck.bytes.len() {
        let message = format!("the file ends before {entries} entries");
        return Err(TextFault::new(INCOMPLETE, start, line.len(), message));
    }
    let (start, line) = deck.line("the formats")?;
    let valued = lines[3] > 0 && !kind.starts_with('p');
    let formats = formats(start, line, if valued { 3 } else { 2 })?;
    let mut formats = formats.into_iter();
    let (Some(positions), Some(row_fields)) = (formats.next(), formats.next()) else {
        return Err(TextFault::new(MALFORMED, start, line.len(), "the line has no formats"));
    };
    if lines.get(4).is_some_and(|&n| n > 0) {
        deck.line("the type of right-hand sides")?;
    }
    Ok(BoeingHeader {
        dtype: stated_dtype(title).unwrap_or(dtype),
        valued,
        symmetry,
        sizes: [rows, columns],
        entries,
        positions,
        rows: row_fields,
        values: formats.next(),
    })
}

/// The dtype that a title states.
fn stated_dtype(title: &[u8]) -> Option<DType> {
    let words = std::str::from_utf8(title).ok()?.strip_prefix(STATED)?;
    words.split_whitespace().next()?.parse().ok()
}

/// What three letters say, or which of them is none.
fn parse_type(kind: &str) -> std::result::Result<(DType, HeaderSymmetry), (usize, String)> {
    let letters: Vec<char> = kind.chars().collect();
    let letter = |n: usize| letters.get(n).copied().unwrap_or(' ');
    let dtype = match letter(0) {
        'r' | 'p' => DType::F64,
        'c' => DType::C128,
        'i' => DType::I64,
        'q' => return Err((0, "values in a file of their own are not supported".into())),
        other => return Err((0, format!("`{other}` is no kind of values"))),
    };
    let symmetry = match letter(1) {
        'u' | 'r' => HeaderSymmetry::General,
        's' => HeaderSymmetry::Symmetric,
        'z' => HeaderSymmetry::Skew,
        'h' => HeaderSymmetry::Hermitian,
        other => return Err((1, format!("`{other}` is no kind of symmetry"))),
    };
    match letter(2) {
        'a' => Ok((dtype, symmetry)),
        'e' => Err((2, "elemental matrices are not supported: assemble it first".into())),
        other => Err((2, format!("`{other}` says neither assembled nor elemental"))),
    }
}

/// The formats in brackets on a line, of which there are at least so many.
fn formats(start: usize, line: &[u8], least: usize) -> std::result::Result<Vec<Fields>, TextFault> {
    let (mut out, mut depth, mut from) = (Vec::new(), 0, 0);
    for (n, &b) in line.iter().enumerate() {
        match b {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    from = n;
                }
            }
            b')' if depth > 0 => {
                depth -= 1;
                if depth == 0 && out.len() < least {
                    let text = String::from_utf8_lossy(&line[from..=n]);
                    out.push(Fields::parse(&text).ok_or_else(|| {
                        let message = format!("the format `{text}` is not numbers side by side");
                        TextFault::new(MALFORMED, start + from, n + 1 - from, message)
                    })?);
                }
            }
            _ => {}
        }
    }
    let kinds = [FieldKind::Whole, FieldKind::Whole];
    if out.len() < least || out.iter().zip(kinds).any(|(f, k)| f.kind != k) {
        let message = format!("the line has no {least} formats, of which two are of whole numbers");
        return Err(
            TextFault::new(MALFORMED, start, line.len(), message).help("as in (10I8) (12I6) (3E25.16)")
        );
    }
    Ok(out)
}

type Coordinates = (Vec<i64>, Vec<i64>);

/// Rows and columns of all entries.
fn coordinates(deck: &mut Deck, h: &BoeingHeader) -> std::result::Result<Coordinates, TextFault> {
    let whole = |at: usize, text: &[u8], len: usize| {
        let mut c = TextCursor::new(text);
        c.take_unsigned()
            .filter(|_| c.at_gap())
            .and_then(|n| i64::try_from(n).ok())
            .ok_or_else(|| TextFault::new(MALFORMED, at, len, "this is no number of 0 or more"))
    };
    let (mut j, mut column, mut before) = (Vec::new(), 0, 1);
    let end = h.entries as i64 + 1;
    deck.fields(&h.positions, h.sizes[1] + 1, "positions of columns", |at, text, len| {
        let position = whole(at, text, len)?;
        let first = column == 0 && position != 1;
        if first || position < before || position > end {
            let message = if first {
                format!("positions begin at 1, not at {position}")
            } else {
                format!("column {column} cannot end at {position}: the one before ends at {before}, the last at {end}")
            };
            return Err(TextFault::new(MALFORMED, at, len, message));
        }
        j.extend(std::iter::repeat_n(column - 1, (position - before) as usize));
        (before, column) = (position, column + 1);
        Ok(())
    })?;
    if before != end {
        let message = format!("columns hold {} entries, but the file declares {}", before - 1, h.entries);
        return Err(TextFault::new(INCOMPLETE, deck.at.saturating_sub(1).min(deck.bytes.len()), 0, message));
    }
    let (mut i, rows) = (Vec::new(), h.sizes[0] as i64);
    deck.fields(&h.rows, h.entries, "rows of entries", |at, text, len| {
        let row = whole(at, text, len)?;
        if row < 1 || row > rows {
            return Err(
                TextFault::new(OUT_OF_RANGE, at, len, format!("row {row} of {rows}")).help("rows start at 1")
            );
        }
        i.push(row - 1);
        Ok(())
    })?;
    Ok((i, j))
}

/// The values in their dtype. The inner error is of memory.
fn values(
    deck: &mut Deck,
    h: &BoeingHeader,
    fields: &Fields,
) -> std::result::Result<Result<Buffer>, TextFault> {
    let parts = if h.dtype.is_complex() { 2 } else { 1 };
    let real = match h.dtype {
        DType::C64 | DType::F32 => DType::F32,
        DType::C128 | DType::F64 => DType::F64,
        whole => carrier(whole),
    };
    let read = match real {
        DType::F32 => Buffer::from(read_list::<f32>(deck, h, fields, parts)?),
        DType::F64 => Buffer::from(read_list::<f64>(deck, h, fields, parts)?),
        DType::U64 => Buffer::from(read_list::<u64>(deck, h, fields, parts)?),
        _ => Buffer::from(read_list::<i64>(deck, h, fields, parts)?),
    };
    if parts == 1 {
        return Ok(if read.dtype() == h.dtype { Ok(read) } else { read.cast(h.dtype) });
    }
    Ok(Buffer::zeros(h.dtype, h.entries).map(|mut out| {
        for e in 0..h.entries {
            tick();
            let part = |n: usize| read.get(2 * e + n).as_f64();
            let value = Complex { re: part(0), im: part(1) };
            out.set(e, Scalar::C128(value).cast(h.dtype));
        }
        out
    }))
}

fn read_list<T: FieldElement + Element>(
    deck: &mut Deck,
    h: &BoeingHeader,
    fields: &Fields,
    parts: usize,
) -> std::result::Result<Vec<T>, TextFault> {
    let mut out: Vec<T> = Vec::new();
    let narrow = !matches!(h.dtype.kind(), Numbers::Float | Numbers::Complex) && T::DTYPE != h.dtype;
    let count = h.entries.saturating_mul(parts);
    deck.fields(fields, count, "values", |at, text, len| {
        let fault = |message: String| TextFault::new(MALFORMED, at, len, message);
        let shown = || String::from_utf8_lossy(&text[..len]).into_owned();
        if fields.is_shifted(&text[..len]) {
            return Err(fault(format!("Fortran reads other digits than {} by this format", shown()))
                .help("write numbers with a point and an exponent"));
        }
        let mut c = TextCursor::new(text);
        let value = T::read(&mut c).and_then(|v| if c.at_gap() { Ok(v) } else { Err(Unread::Malformed) });
        let value = value.map_err(|why| match why {
            Unread::Malformed => fault(format!("expected {}, found `{}`", T::NAME, shown())),
            Unread::TooLarge => fault(format!("{} does not fit {}", shown(), T::DTYPE)),
        })?;
        if narrow && !fits(value.to_scalar(), h.dtype) {
            return Err(fault(format!("{} does not fit {}", shown(), h.dtype)));
        }
        out.push(value);
        Ok(())
    })?;
    Ok(out)
}
