//! Lines of coordinates and a value, parsed in parallel into arrays.
//!
//! The text is cut at line ends into pieces. A first pass counts the lines of every piece, which bounds the entries
//! it can hold and so fixes where its entries go; the second pass parses each piece straight into its part of the
//! arrays. Pieces with comments or blank lines leave gaps, which are closed at the end. Memory is never asked for by
//! what a header claims, only by the lines that are there.

use super::fault::Fault;
use super::field::{Field, Unread};
use super::scan::Cursor;
use super::text::{PAD, Text, count_lines};
use crate::buffer::Buffer;
use crate::element::Element;
use crate::error::{MALFORMED, OUT_OF_RANGE};
use openwork_base::Result;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a piece: small enough for a second-level cache, large enough to share out cheaply.
const PIECE: usize = 1 << 19;

/// Stands for the size of a mode that the lines will tell.
pub(super) const UNKNOWN: usize = i64::MAX as usize;

/// Any number of coordinates on a line.
const ANY: usize = usize::MAX;

/// What is called as work proceeds, with the bytes done and the bytes in all; it may be called from any thread.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// The form of the lines.
pub(super) struct Layout<'a> {
    /// The size of every mode a line has a coordinate for; [`UNKNOWN`] where it is not known.
    pub(super) dims: &'a [usize],
    /// Lines that begin with this byte are skipped.
    pub(super) comment: u8,
    /// Whether a value follows the coordinates.
    pub(super) values: Values,
    /// Called after every piece.
    pub(super) progress: Option<Progress<'a>>,
}

/// Whether lines end in a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Values {
    /// A value follows the coordinates.
    Given,
    /// Only coordinates; every value is one.
    Ones,
}

/// Parsed lines. The arrays may be longer than there are entries; what follows the entries is zero or left over.
pub(super) struct Columns {
    /// One 0-based coordinate array per mode, all of the same dtype.
    pub(super) coords: Vec<Buffer>,
    pub(super) vals: Buffer,
    /// The number of entries.
    pub(super) entries: usize,
    /// One more than the largest coordinate of every mode; 0 without entries.
    pub(super) extent: Vec<usize>,
}

/// The type of parsed coordinates.
pub(super) trait Coordinate: Element + TryFrom<u64> {}
impl Coordinate for i32 {}
impl Coordinate for i64 {}

impl Columns {
    /// The arrays, cut to the entries.
    pub(super) fn into_parts(mut self) -> (Vec<Buffer>, Buffer) {
        self.coords.iter_mut().for_each(|c| c.truncate(self.entries));
        self.vals.truncate(self.entries);
        (self.coords, self.vals)
    }
}

/// Why lines could not be parsed.
pub(super) enum Failure {
    /// A coordinate does not fit the coordinate type; a wider one may do.
    Narrow,
    /// Anything else.
    Error(openwork_base::Error),
}

impl From<openwork_base::Error> for Failure {
    fn from(e: openwork_base::Error) -> Failure {
        Failure::Error(e)
    }
}

/// Parses all lines of `text` from byte `from` on, with the narrowest coordinates that do. `spare` asks for room for
/// that many times the entries.
///
/// # Errors
/// E0701 and E0703 at the first bad line; E0603 when memory runs out; E0702 and E0704 from reading the file.
pub(super) fn parse<T: Field>(text: &Text, from: usize, layout: &Layout, spare: usize) -> Result<Columns> {
    let known = layout.dims.iter().copied().filter(|&d| d != UNKNOWN).max().unwrap_or(0);
    if crate::coords::Coo::coord_dtype(known) == openwork_algebra::DType::I32 {
        match parse_as::<T, i32>(text, from, layout, spare) {
            Ok(columns) => return Ok(columns),
            Err(Failure::Error(e)) => return Err(e),
            Err(Failure::Narrow) => {}
        }
    }
    match parse_as::<T, i64>(text, from, layout, spare) {
        Ok(columns) => Ok(columns),
        Err(Failure::Error(e)) => Err(e),
        // Every size is at most `i64::MAX`, so only a file that gains lines between the passes gets here.
        Err(Failure::Narrow) => {
            let message = format!("{}: the file changed while it was read", text.path().display());
            Err(openwork_base::Error::rejected(openwork_base::Diagnostic::new(
                crate::error::INCOMPLETE,
                message,
            )))
        }
    }
}

/// The part of the arrays that one piece fills.
struct Slots<'a, T, I> {
    coords: Vec<&'a mut [I]>,
    vals: &'a mut [T],
}

/// What came of one piece.
struct Done {
    entries: usize,
    extent: Vec<u64>,
}

fn parse_as<T: Field, I: Coordinate>(
    text: &Text,
    from: usize,
    layout: &Layout,
    spare: usize,
) -> std::result::Result<Columns, Failure> {
    let pieces = cut(text, from)?;
    let counts = counts(text, &pieces)?;
    let lines: usize = counts.iter().sum();
    let room = lines.saturating_mul(spare);
    let mut coords: Vec<Buffer> =
        layout.dims.iter().map(|_| Buffer::zeros(I::DTYPE, room)).collect::<Result<_>>()?;
    let mut vals = Buffer::zeros(T::DTYPE, room)?;
    let bytes_done = AtomicU64::new(from as u64);
    let done: Vec<std::result::Result<Done, Failure>> = share::<T, I>(&mut coords, &mut vals, &counts)
        .into_par_iter()
        .zip(&pieces)
        .with_min_len(4)
        .map_init(Vec::new, |scratch, (slots, piece)| {
            text.piece(piece.clone(), scratch)?;
            let parsed = match layout.dims.len() {
                2 => parse_piece::<T, I, 2>(scratch, layout, slots),
                _ => parse_piece::<T, I, ANY>(scratch, layout, slots),
            };
            let done = parsed.map_err(|bad| match bad {
                Bad::Narrow => Failure::Narrow,
                Bad::Fault(fault) => Failure::Error(text.fault(fault.moved(piece.start))),
            })?;
            if let Some(progress) = layout.progress {
                let len = piece.len() as u64;
                progress(bytes_done.fetch_add(len, Ordering::Relaxed) + len, text.len() as u64);
            }
            Ok(done)
        })
        .collect();
    // The first bad line in the file is reported, whichever thread met one first.
    let done: Vec<Done> = done.into_iter().collect::<std::result::Result<_, _>>()?;
    let filled: Vec<usize> = done.iter().map(|d| d.entries).collect();
    for c in &mut coords {
        close_gaps::<I>(c, &counts, &filled);
    }
    close_gaps::<T>(&mut vals, &counts, &filled);
    let largest = |m: usize| done.iter().map(|d| d.extent[m] as usize).max().unwrap_or(0);
    let extent = (0..layout.dims.len()).map(largest).collect();
    Ok(Columns { coords, vals, entries: filled.iter().sum(), extent })
}

/// Cuts the text from byte `from` on into pieces of whole lines.
fn cut(text: &Text, from: usize) -> Result<Vec<Range<usize>>> {
    let mut pieces = Vec::new();
    let mut start = from;
    while start < text.len() {
        let end = text.line_start(text.len().min(start + PIECE))?;
        pieces.push(start..end);
        start = end;
    }
    Ok(pieces)
}

/// The number of lines in every piece.
fn counts(text: &Text, pieces: &[Range<usize>]) -> Result<Vec<usize>> {
    let count = |scratch: &mut Vec<u8>, piece: &Range<usize>| {
        text.piece(piece.clone(), scratch)?;
        let bytes = &scratch[..piece.len()];
        let open = bytes.last().is_some_and(|&b| b != b'\n');
        Ok(count_lines(bytes) + open as usize)
    };
    pieces.par_iter().with_min_len(4).map_init(Vec::new, count).collect()
}

/// Splits the arrays into one part per piece.
fn share<'a, T: Element, I: Element>(
    coords: &'a mut [Buffer],
    vals: &'a mut Buffer,
    counts: &[usize],
) -> Vec<Slots<'a, T, I>> {
    let mut coords: Vec<&mut [I]> = coords.iter_mut().filter_map(|c| c.as_mut_slice()).collect();
    let mut vals: &mut [T] = vals.as_mut_slice().unwrap_or(&mut []);
    let mut out = Vec::new();
    for &count in counts {
        let (mine, rest) = vals.split_at_mut(count);
        vals = rest;
        let (part, rest) = coords.into_iter().map(|c| c.split_at_mut(count)).unzip();
        coords = rest;
        out.push(Slots { coords: part, vals: mine });
    }
    out
}

/// Moves the entries of every piece down to those of the piece before.
fn close_gaps<T: Element>(buffer: &mut Buffer, room: &[usize], filled: &[usize]) {
    let mut end = 0;
    let mut start = 0;
    if let Some(items) = buffer.as_mut_slice::<T>() {
        for (&room, &filled) in room.iter().zip(filled) {
            if start != end {
                items.copy_within(start..start + filled, end);
            }
            start += room;
            end += filled;
        }
    }
}

/// What stops a piece.
enum Bad {
    Narrow,
    Fault(Fault),
}

/// Parses the lines of one piece, which [`PAD`] line ends follow. `MODES` is the number of coordinates on a line, or
/// [`ANY`]: knowing it lets the loop over the coordinates disappear.
fn parse_piece<T: Field, I: Coordinate, const MODES: usize>(
    bytes: &[u8],
    layout: &Layout,
    slots: Slots<T, I>,
) -> std::result::Result<Done, Bad> {
    let end = bytes.len() - PAD;
    let mut c = Cursor::new(bytes);
    let n = if MODES == ANY { layout.dims.len() } else { MODES };
    let dims = &layout.dims[..n];
    let Slots { mut coords, vals } = slots;
    let columns = &mut coords[..n];
    let mut extent = vec![0u64; n];
    let mut e = 0;
    while c.at() < end {
        c.spaces();
        let first = c.peek();
        if first == b'\n' {
            c.advance();
            continue;
        }
        if first == layout.comment {
            c.next_line();
            continue;
        }
        for m in 0..n {
            let (at, dim) = (c.at(), dims[m]);
            let coord = match c.unsigned() {
                Some(coord) if c.at_gap() => coord,
                _ => return Err(Bad::Fault(bad_coordinate(bytes, at, m, dim))),
            };
            // Zero wraps to the largest number, which no mode reaches.
            let index = coord.wrapping_sub(1);
            if index >= dim as u64 {
                return Err(Bad::Fault(bad_coordinate(bytes, at, m, dim)));
            }
            extent[m] = coord.max(extent[m]);
            match (I::try_from(index), columns[m].get_mut(e)) {
                (Ok(index), Some(slot)) => *slot = index,
                _ => return Err(Bad::Narrow),
            }
            c.spaces();
        }
        let value = match layout.values {
            Values::Ones => T::from_scalar(openwork_algebra::Scalar::Bool(true)),
            Values::Given => {
                let at = c.at();
                match T::read(&mut c) {
                    Ok(value) if c.at_gap() => value,
                    Ok(_) => return Err(Bad::Fault(bad_value::<T>(bytes, at, Unread::Malformed))),
                    Err(why) => return Err(Bad::Fault(bad_value::<T>(bytes, c.at(), why))),
                }
            }
        };
        if let Some(slot) = vals.get_mut(e) {
            *slot = value;
        }
        e += 1;
        c.spaces();
        if c.peek() != b'\n' {
            let fault =
                Fault::new(MALFORMED, c.at(), c.token().len(), "unexpected text at the end of the line");
            return Err(Bad::Fault(fault.help(match layout.values {
                Values::Ones => "a line of a pattern file has coordinates and no value",
                Values::Given => "a line has the coordinates and one value",
            })));
        }
        c.advance();
    }
    Ok(Done { entries: e, extent })
}

/// The token at `at`.
fn token(bytes: &[u8], at: usize) -> &[u8] {
    let mut c = Cursor::new(bytes);
    c.seek(at);
    c.token()
}

#[cold]
fn bad_coordinate(bytes: &[u8], at: usize, mode: usize, dim: usize) -> Fault {
    let token = token(bytes, at);
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]).into_owned();
    let size = if dim == UNKNOWN { String::new() } else { format!(" in a mode of size {dim}") };
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let what = if digits.len() < token.len() { "negative" } else { "out of range" };
        let message = format!("coordinate {} is {text}, {what}{size}", mode + 1);
        return Fault::new(OUT_OF_RANGE, at, token.len(), message).help("coordinates start at 1");
    }
    let found = if token.is_empty() { "the line ends".to_string() } else { format!("found `{text}`") };
    Fault::new(MALFORMED, at, token.len(), format!("expected coordinate {}, {found}", mode + 1))
}

#[cold]
pub(super) fn bad_value<T: Field>(bytes: &[u8], at: usize, why: Unread) -> Fault {
    let token = token(bytes, at);
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]).into_owned();
    match why {
        _ if token.is_empty() => {
            Fault::new(MALFORMED, at, 0, format!("expected {}, but the line ends", T::NAME))
        }
        Unread::Malformed => {
            Fault::new(MALFORMED, at, token.len(), format!("expected {}, found `{text}`", T::NAME))
        }
        Unread::TooLarge => {
            Fault::new(MALFORMED, at, token.len(), format!("{text} does not fit {}", T::DTYPE))
        }
    }
}

/// The byte at which entry line `n` (0-based, comments and blank lines not counted) starts.
///
/// # Errors
/// As [`Text::piece`].
pub(super) fn entry_start(text: &Text, from: usize, comment: u8, n: usize) -> Result<usize> {
    let (mut seen, mut scratch) = (0, Vec::new());
    for piece in cut(text, from)? {
        text.piece(piece.clone(), &mut scratch)?;
        let mut c = Cursor::new(&scratch);
        while c.at() < piece.len() {
            c.spaces();
            if c.peek() != b'\n' && c.peek() != comment {
                if seen == n {
                    return Ok(piece.start + c.at());
                }
                seen += 1;
            }
            c.next_line();
        }
    }
    Ok(text.len())
}
