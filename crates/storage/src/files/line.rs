//! One line of a file, with coordinates and a value.

use super::fault::TextFault;
use super::field::{FieldElement, Unread};
use super::scan::TextCursor;
use crate::element::Element;
use crate::error::{MALFORMED, OUT_OF_RANGE};
use openwork_algebra::Scalar;

/// Stands for the size of a mode that the lines will tell.
pub(super) const UNKNOWN: usize = i64::MAX as usize;

/// Any number of coordinates on a line.
const ANY: usize = usize::MAX;

/// What is called as work proceeds, with the bytes done and the bytes in all; it may be called from any thread.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// The form of the lines.
pub(super) struct LineLayout<'a> {
    /// The size of every mode a line has a coordinate for; [`UNKNOWN`] where it is not known.
    pub(super) dims: &'a [usize],
    /// The least coordinate.
    pub(super) base: u64,
    /// Lines that begin with this byte are skipped.
    pub(super) comment: u8,
    /// Whether a value follows the coordinates.
    pub(super) values: LineValues,
    /// How many entries there should be, where that is known.
    pub(super) declared: Option<usize>,
    /// Called after every piece.
    pub(super) progress: Option<Progress<'a>>,
}

/// Whether lines end in a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum LineValues {
    /// A value follows the coordinates.
    Given,
    /// Only coordinates; every value is one.
    Ones,
}

impl LineLayout<'_> {
    /// The most entries that `bytes` of text can hold: each number takes a digit and a gap or a line end.
    pub(super) fn max_entries(&self, bytes: usize) -> usize {
        let numbers = self.dims.len() + (self.values == LineValues::Given) as usize;
        bytes / (2 * numbers).max(1) + 1
    }
}

/// The type of parsed coordinates.
pub(super) trait Coordinate: Element + TryFrom<u64> {}
impl Coordinate for i32 {}
impl Coordinate for i64 {}

/// What stops a piece.
#[derive(Debug)]
pub(super) enum Bad {
    /// A coordinate does not fit the coordinate type; a wider one may do.
    Narrow,
    Fault(TextFault),
}

/// The entries of one piece of text.
pub(super) struct Parsed<T, I> {
    /// One array per mode, as long as the most entries a piece can hold.
    pub(super) coords: Vec<Vec<I>>,
    pub(super) vals: Vec<T>,
    /// The number of entries.
    pub(super) entries: usize,
    /// One more than the largest coordinate of every mode so far, counted from 0.
    pub(super) extent: Vec<u64>,
}

impl<T: Element, I: Element> Parsed<T, I> {
    /// Room for `most` entries. Where the lines have no values, the values are ones from the start.
    pub(super) fn new(layout: &LineLayout, most: usize) -> Parsed<T, I> {
        let modes = layout.dims.len();
        let vals = match layout.values {
            LineValues::Given => vec![T::ZERO; most],
            LineValues::Ones => vec![T::from_scalar(Scalar::Bool(true)); most],
        };
        let coords = (0..modes).map(|_| vec![I::ZERO; most]).collect();
        Parsed { coords, vals, entries: 0, extent: vec![0; modes] }
    }
}

/// Parses two stretches of whole lines, `..middle` and `middle..end` of `bytes`, which line ends follow.
///
/// How far a number reaches is known only after it has been looked at, so a single stretch keeps the processor
/// waiting most of the time; the lines of two stretches in turn keep it busy.
pub(super) fn parse_pair<T: FieldElement, I: Coordinate>(
    bytes: &[u8],
    middle: usize,
    end: usize,
    layout: &LineLayout,
    parsed: &mut [Parsed<T, I>; 2],
) -> Result<(), Bad> {
    match layout.dims.len() {
        2 => pair::<T, I, 2>(bytes, middle, end, layout, parsed),
        _ => pair::<T, I, ANY>(bytes, middle, end, layout, parsed),
    }
}

fn pair<T: FieldElement, I: Coordinate, const MODES: usize>(
    bytes: &[u8],
    middle: usize,
    end: usize,
    layout: &LineLayout,
    [first, second]: &mut [Parsed<T, I>; 2],
) -> Result<(), Bad> {
    (first.entries, second.entries) = (0, 0);
    let (mut a, mut b) = (TextCursor::new(bytes), TextCursor::new(bytes));
    b.seek(middle);
    let mut late = Ok(());
    while a.position() < middle && b.position() < end && late.is_ok() {
        line::<T, I, MODES>(&mut a, layout, first)?;
        // A mistake in the first stretch comes before one in the second, so that one has to wait.
        late = line::<T, I, MODES>(&mut b, layout, second);
    }
    read_rest::<T, I, MODES>(a, middle, layout, first)?;
    late?;
    read_rest::<T, I, MODES>(b, end, layout, second)
}

#[inline(never)]
fn read_rest<T: FieldElement, I: Coordinate, const MODES: usize>(
    mut c: TextCursor,
    end: usize,
    layout: &LineLayout,
    out: &mut Parsed<T, I>,
) -> Result<(), Bad> {
    while c.position() < end {
        line::<T, I, MODES>(&mut c, layout, out)?;
    }
    Ok(())
}

/// Parses one line, its end included. `MODES` is the number of coordinates on it, or [`ANY`]: knowing it lets the
/// loop over the coordinates disappear.
#[inline(always)]
fn line<T: FieldElement, I: Coordinate, const MODES: usize>(
    c: &mut TextCursor,
    layout: &LineLayout,
    out: &mut Parsed<T, I>,
) -> Result<(), Bad> {
    c.spaces();
    let start = c.peek();
    if start == b'\n' {
        c.advance();
        return Ok(());
    }
    if start == layout.comment {
        c.next_line();
        return Ok(());
    }
    let n = if MODES == ANY { layout.dims.len() } else { MODES };
    let (dims, columns, extent) = (&layout.dims[..n], &mut out.coords[..n], &mut out.extent[..n]);
    let e = out.entries;
    for m in 0..n {
        let (at, dim) = (c.position(), dims[m]);
        let coord = match c.take_unsigned() {
            Some(coord) if c.at_gap() => coord,
            _ => return Err(bad_coordinate(c, at, m, layout)),
        };
        // Zero wraps to the largest number, which no mode reaches.
        let index = coord.wrapping_sub(layout.base);
        if index >= dim as u64 {
            return Err(bad_coordinate(c, at, m, layout));
        }
        extent[m] = (index + 1).max(extent[m]);
        match (I::try_from(index), columns[m].get_mut(e)) {
            (Ok(index), Some(slot)) => *slot = index,
            _ => return Err(Bad::Narrow),
        }
        c.spaces();
    }
    if layout.values == LineValues::Given {
        let at = c.position();
        let value = match T::read(c) {
            Ok(value) if c.at_gap() => value,
            Ok(_) => return Err(bad_value::<T>(c, at, Unread::Malformed)),
            Err(why) => return Err(bad_value::<T>(c, c.position(), why)),
        };
        match out.vals.get_mut(e) {
            Some(slot) => *slot = value,
            None => return Err(Bad::Narrow),
        }
    }
    out.entries = e + 1;
    c.spaces();
    if c.peek() != b'\n' {
        return Err(surplus(c, layout.values));
    }
    c.advance();
    Ok(())
}

#[cold]
fn surplus(c: &TextCursor, values: LineValues) -> Bad {
    let fault =
        TextFault::new(MALFORMED, c.position(), c.token().len(), "unexpected text at the end of the line");
    Bad::Fault(fault.help(match values {
        LineValues::Ones => "a line of a pattern file has coordinates and no value",
        LineValues::Given => "a line has the coordinates and one value",
    }))
}

#[cold]
fn bad_coordinate(c: &mut TextCursor, at: usize, mode: usize, layout: &LineLayout) -> Bad {
    let dim = layout.dims[mode];
    c.seek(at);
    let token = c.token();
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]).into_owned();
    let size = if dim == UNKNOWN { String::new() } else { format!(" in a mode of size {dim}") };
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let what = if digits.len() < token.len() { "negative" } else { "out of range" };
        let message = format!("coordinate {} is {text}, {what}{size}", mode + 1);
        let help = match layout.base {
            0 => "coordinates were said to start at 0",
            _ if layout.comment == b'#' => "coordinates start at 1, unless the file is read with a base of 0",
            _ => "coordinates start at 1",
        };
        return Bad::Fault(TextFault::new(OUT_OF_RANGE, at, token.len(), message).help(help));
    }
    let found = if token.is_empty() { "the line ends".to_string() } else { format!("found `{text}`") };
    Bad::Fault(TextFault::new(
        MALFORMED,
        at,
        token.len(),
        format!("expected coordinate {}, {found}", mode + 1),
    ))
}

#[cold]
fn bad_value<T: FieldElement>(c: &mut TextCursor, at: usize, why: Unread) -> Bad {
    c.seek(at);
    let token = c.token();
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]).into_owned();
    let message = match why {
        _ if token.is_empty() => format!("expected {}, but the line ends", T::NAME),
        Unread::Malformed => format!("expected {}, found `{text}`", T::NAME),
        Unread::TooLarge => format!("{text} does not fit {}", T::DTYPE),
    };
    Bad::Fault(TextFault::new(MALFORMED, at, token.len(), message))
}
