//! Lines of coordinates and a value, parsed in parallel into arrays.
//!
//! The text is cut at line ends into pieces. Threads take the pieces in order; each parses one into memory of its
//! own that stays in its cache, waits until all pieces before have said how many entries they hold, takes the next
//! part of the arrays, and copies. Memory is never asked for by what a header claims, only by what the text can hold,
//! and a large allocation of zeros is not backed by memory before it is written.

use super::field::FieldElement;
use super::line::{Bad, Coordinate, LineLayout, Parsed, UNKNOWN, parse_pair};
use super::scan::TextCursor;
use super::text::TextFile;
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::error::INCOMPLETE;
use crate::parallel::threads;
use openwork_algebra::DType;
use openwork_base::machine::threshold;
use openwork_base::{Cancel, Diagnostic, Error, Result, pool};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of a piece: small enough for a second-level cache together with its entries, large enough to share out
/// cheaply.
const PIECE: usize = 1 << 18;

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

impl Columns {
    /// The arrays, cut to the entries.
    pub(super) fn into_parts(mut self) -> (Vec<Buffer>, Buffer) {
        self.coords.iter_mut().for_each(|c| c.truncate(self.entries));
        self.vals.truncate(self.entries);
        (self.coords, self.vals)
    }
}

/// Why lines could not be parsed.
pub(super) enum LineFailure {
    /// A coordinate does not fit the coordinate type; a wider one may do.
    Narrow,
    /// Anything else.
    Error(Error),
}

impl From<Error> for LineFailure {
    fn from(e: Error) -> LineFailure {
        LineFailure::Error(e)
    }
}

/// Parses all lines of `text` from byte `from` on, with the narrowest coordinates that do. `spare` asks for room for
/// that many times the entries.
///
/// # Errors
/// E0701 and E0703 at the first bad line; E0603 when memory runs out; E0702 and E0704 from reading the file.
pub(super) fn parse<T: FieldElement>(
    text: &TextFile,
    from: usize,
    layout: &LineLayout,
    spare: usize,
) -> Result<Columns> {
    let known = layout.dims.iter().copied().filter(|&d| d != UNKNOWN).max().unwrap_or(0);
    if Coo::coord_dtype(known) == DType::I32 {
        match parse_as::<T, i32>(text, from, layout, spare) {
            Ok(columns) => return Ok(columns),
            Err(LineFailure::Error(e)) => return Err(e),
            Err(LineFailure::Narrow) => {}
        }
    }
    match parse_as::<T, i64>(text, from, layout, spare) {
        Ok(columns) => Ok(columns),
        Err(LineFailure::Error(e)) => Err(e),
        // Every size is at most `i64::MAX`, so only a file that gains lines between the passes gets here.
        Err(LineFailure::Narrow) => {
            let message = format!("{}: the file changed while it was read", text.path().display());
            Err(openwork_base::Error::rejection(openwork_base::Diagnostic::new(
                crate::error::INCOMPLETE,
                message,
            )))
        }
    }
}

fn parse_as<T: FieldElement, I: Coordinate>(
    text: &TextFile,
    from: usize,
    layout: &LineLayout,
    spare: usize,
) -> std::result::Result<Columns, LineFailure> {
    let pieces = cut(text, from)?;
    let most = layout.max_entries(text.len() - from).min(layout.declared.unwrap_or(usize::MAX));
    let room = most.saturating_mul(spare);
    let mut coords: Vec<Buffer> =
        layout.dims.iter().map(|_| Buffer::zeros_to_write(I::DTYPE, room)).collect::<Result<_>>()?;
    let mut vals = Buffer::zeros_to_write(T::DTYPE, room)?;
    let order = TurnOrder {
        jobs: pieces.chunks(2).map(<[Range<usize>]>::to_vec).collect(),
        taken: AtomicUsize::new(0),
        turn: Mutex::new(TurnState {
            next: 0,
            entries: 0,
            bytes: from,
            coords: coords.iter_mut().filter_map(|c| c.as_mut_slice::<I>()).collect(),
            vals: vals.as_mut_slice::<T>().unwrap_or(&mut []),
            extent: vec![0; layout.dims.len()],
            stop: None,
        }),
        changed: Condvar::new(),
    };
    let threads = threads().min(order.jobs.len());
    if threads < 2 {
        order.work(text, layout);
    } else {
        let cancel = Cancel::current();
        let work = || cancel.scope(|| order.work(text, layout));
        pool::run(threads, threads, &|_| work());
    }
    let turn = order.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turn.stop {
        Some(ParseStop::Failed(failure)) => return Err(failure),
        Some(ParseStop::Abandoned) => return Err(changed_file(text).into()),
        None => {}
    }
    let (entries, extent) = (turn.entries, turn.extent.iter().map(|&c| c as usize).collect());
    Ok(Columns { coords, vals, entries, extent })
}

/// The file is not what it was when reading began.
fn changed_file(text: &TextFile) -> Error {
    let message = format!("{}: the file changed while it was read", text.path().display());
    Error::rejection(Diagnostic::new(INCOMPLETE, message))
}

/// The pieces and whose turn it is.
struct TurnOrder<'a, T, I> {
    /// Up to two neighbouring pieces each.
    jobs: Vec<Vec<Range<usize>>>,
    /// The number of jobs that threads have taken, in order.
    taken: AtomicUsize,
    turn: Mutex<TurnState<'a, T, I>>,
    /// Signalled when the turn passes on.
    changed: Condvar,
}

/// What the thread whose turn it is may change.
struct TurnState<'a, T, I> {
    /// The job whose turn it is.
    next: usize,
    /// The entries of all jobs before.
    entries: usize,
    /// The bytes done.
    bytes: usize,
    /// The part of the arrays that is not given out.
    coords: Vec<&'a mut [I]>,
    vals: &'a mut [T],
    /// One more than the largest coordinates so far, counted from 0.
    extent: Vec<u64>,
    /// Why everything ends early.
    stop: Option<ParseStop>,
}

/// Why parsing ends early.
enum ParseStop {
    /// A job failed, and none before it.
    Failed(LineFailure),
    /// A thread panicked and will never take its turn.
    Abandoned,
}

/// Frees the waiting threads when a thread panics; without it they would wait for its turn for ever.
struct TurnWatch<'b, 'a, T, I>(&'b TurnOrder<'a, T, I>);

impl<T, I> Drop for TurnWatch<'_, '_, T, I> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().stop.get_or_insert(ParseStop::Abandoned);
            self.0.changed.notify_all();
        }
    }
}

impl<'a, T, I> TurnOrder<'a, T, I> {
    fn lock(&self) -> MutexGuard<'_, TurnState<'a, T, I>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: FieldElement, I: Coordinate> TurnOrder<'_, T, I> {
    /// What every thread does: take a job, parse it, wait for the turn, copy. Jobs are taken in order and a thread
    /// that waits does so for jobs that running threads hold, so the wait ends however few threads there are.
    fn work(&self, text: &TextFile, layout: &LineLayout) {
        let watch = TurnWatch(self);
        let mut scratch = Vec::new();
        let mut parsed: Option<[Parsed<T, I>; 2]> = None;
        loop {
            let n = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(n) else {
                break;
            };
            let most = layout.max_entries(job.iter().map(Range::len).max().unwrap_or(0));
            // Pieces end at line ends, so a later one can be longer than the first.
            let parsed = match &mut parsed {
                Some(p) if p[0].vals.len() >= most => p,
                slot => slot.insert(std::array::from_fn(|_| Parsed::new(layout, most))),
            };
            let result = parse_job(text, job, layout, &mut scratch, parsed);
            if !self.take_turn(n, job, result, parsed, text, layout) {
                break;
            }
        }
        drop(watch);
    }
    /// Waits for the turn of job `n`, takes its part of the arrays, passes the turn on and fills the part. Returns
    /// whether there is any point in going on.
    fn take_turn(
        &self,
        n: usize,
        job: &[Range<usize>],
        result: std::result::Result<(), LineFailure>,
        parsed: &mut [Parsed<T, I>; 2],
        text: &TextFile,
        layout: &LineLayout,
    ) -> bool {
        let mut turn = self.lock();
        while turn.next != n && turn.stop.is_none() {
            turn = self.changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        if turn.stop.is_some() {
            return false;
        }
        if let Err(failure) = result {
            turn.stop = Some(ParseStop::Failed(failure));
            self.changed.notify_all();
            return false;
        }
        turn.next += 1;
        turn.bytes += job.iter().map(Range::len).sum::<usize>();
        let bytes = turn.bytes;
        let mut parts = Vec::new();
        for p in parsed.iter_mut() {
            turn.entries += p.entries;
            for (all, mine) in turn.extent.iter_mut().zip(&mut p.extent) {
                *all = std::mem::take(mine).max(*all);
            }
            // Entries beyond the declared number are counted for the error message, but there is no room for them.
            let count = p.entries.min(turn.vals.len());
            let vals = split(&mut turn.vals, count);
            let coords: Vec<&mut [I]> = turn.coords.iter_mut().map(|c| split(c, count)).collect();
            parts.push((coords, vals));
        }
        drop(turn);
        self.changed.notify_all();
        for (p, (coords, vals)) in parsed.iter().zip(parts) {
            vals.copy_from_slice(&p.vals[..vals.len()]);
            for (to, from) in coords.into_iter().zip(&p.coords) {
                to.copy_from_slice(&from[..to.len()]);
            }
        }
        if let Some(progress) = layout.progress {
            progress(bytes as u64, text.len() as u64);
        }
        true
    }
}

/// Takes the first `count` elements off a slice.
fn split<'a, E>(slice: &mut &'a mut [E], count: usize) -> &'a mut [E] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}

/// Parses the pieces of one job.
fn parse_job<T: FieldElement, I: Coordinate>(
    text: &TextFile,
    job: &[Range<usize>],
    layout: &LineLayout,
    scratch: &mut Vec<u8>,
    parsed: &mut [Parsed<T, I>; 2],
) -> std::result::Result<(), LineFailure> {
    Cancel::check()?;
    let (start, middle) = (job[0].start, job[0].end);
    let end = job[job.len() - 1].end;
    text.piece(start..end, scratch)?;
    parse_pair(scratch, middle - start, end - start, layout, parsed).map_err(|bad| match bad {
        Bad::Narrow => LineFailure::Narrow,
        Bad::Fault(fault) => LineFailure::Error(text.fault(fault.shift(start))),
    })
}

/// Cuts the text from byte `from` on into pieces of whole lines.
fn cut(text: &TextFile, from: usize) -> Result<Vec<Range<usize>>> {
    let mut pieces = Vec::new();
    let mut start = from;
    while start < text.len() {
        let end = text.line_start(text.len().min(start + threshold(PIECE, 16)))?;
        pieces.push(start..end);
        start = end;
    }
    Ok(pieces)
}

/// The byte at which entry line `n` (0-based, comments and blank lines not counted) starts.
///
/// # Errors
/// As [`TextFile::piece`].
pub(super) fn entry_start(text: &TextFile, from: usize, comment: u8, n: usize) -> Result<usize> {
    let (mut seen, mut scratch) = (0, Vec::new());
    for piece in cut(text, from)? {
        Cancel::check()?;
        text.piece(piece.clone(), &mut scratch)?;
        let mut c = TextCursor::new(&scratch);
        while c.position() < piece.len() {
            c.spaces();
            if c.peek() != b'\n' && c.peek() != comment {
                if seen == n {
                    return Ok(piece.start + c.position());
                }
                seen += 1;
            }
            c.next_line();
        }
    }
    Ok(text.len())
}
