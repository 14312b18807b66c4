//! Several calls of one kernel, each over a part of what there is to do.

use crate::call::{BufferSlot, KernelResult, Room, name_array, run};
use crate::watch::{Watch, Watched};
use openwork_backend::Compiled;
use openwork_base::{Cancel, Error, Result, pool};
use openwork_loops::LoopKernel;
use openwork_storage::Buffer;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The arguments of one call.
#[derive(Debug)]
pub struct PieceArgs<'a> {
    /// The parameters.
    pub params: Vec<i64>,
    /// The buffers.
    pub slots: Vec<BufferSlot<'a>>,
}

/// A kernel that is called over parts.
#[derive(Clone, Copy)]
pub struct Callee<'a> {
    /// The code.
    pub compiled: &'a dyn Compiled,
    /// Its loops.
    pub kernel: &'a LoopKernel,
    /// What looks at what each call made.
    pub watch: Option<Watched<'a>>,
}

/// Runs a kernel once per piece on up to `threads` threads, and returns what [`run`] returns for each, in order. Each
/// piece shows what it made to `watch`.
///
/// # Errors
/// That of the first piece that fails, in the order of the pieces; every other result is freed.
///
/// # Safety
/// As for [`run`], for every piece.
pub unsafe fn run_pieces(
    compiled: &dyn Compiled,
    kernel: &LoopKernel,
    pieces: Vec<PieceArgs<'_>>,
    threads: usize,
    watch: Option<&Watch>,
) -> Result<Vec<Vec<KernelResult>>> {
    let callee = Callee { compiled, kernel, watch: watch.map(Watched::show_all) };
    let rows = pieces.into_iter().map(|piece| vec![piece]).collect();
    // SAFETY: the caller's promise.
    let done = unsafe { run_rows(&[callee], rows, threads)? };
    Ok(done.into_iter().flatten().collect())
}

/// Runs several kernels over the same parts: a row has one piece for each of them, and its calls are made one after the other
/// by one thread, so that a kernel may read what those before it made of the part. Returns what [`run`] returns for each
/// piece of each row.
///
/// # Errors
/// That of the first row that fails, in the order of the rows; every other result is freed.
///
/// # Safety
/// As for [`run`], for every piece. What a piece reads of what pieces before it in its row write is no memory that other
/// rows write.
pub unsafe fn run_rows(
    callees: &[Callee<'_>],
    rows: Vec<Vec<PieceArgs<'_>>>,
    threads: usize,
) -> Result<Vec<Vec<Vec<KernelResult>>>> {
    type Done = Option<Result<Vec<Vec<KernelResult>>>>;
    let work: Vec<Mutex<(Option<Vec<PieceArgs<'_>>>, Done)>> =
        rows.into_iter().map(|row| Mutex::new((Some(row), None))).collect();
    let cancel = Cancel::current();
    // Tasks begin in order, so every row before the first one that fails has run.
    let failed = AtomicUsize::new(usize::MAX);
    pool::run(work.len(), threads, &|n| {
        let mut slot = work[n].lock().unwrap_or_else(PoisonError::into_inner);
        let Some(row) = slot.0.take().filter(|_| n <= failed.load(Ordering::Relaxed)) else { return };
        let call = |(callee, piece): (&Callee<'_>, PieceArgs<'_>)| {
            let Callee { compiled, kernel, watch } = *callee;
            // SAFETY: the caller's promise for this piece; writable memory belongs to one piece alone.
            unsafe { run(compiled, kernel, &piece.params, piece.slots, watch) }
        };
        let done: Result<Vec<Vec<KernelResult>>> =
            cancel.scope(|| callees.iter().zip(row).map(call).collect());
        if done.is_err() {
            failed.fetch_min(n, Ordering::Relaxed);
        }
        slot.1 = Some(done);
    });
    let mut results = Vec::with_capacity(work.len());
    for slot in work {
        let (_, done) = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.push(done.unwrap_or_else(|| Err(Error::bug("call", "a row was left out", "")))?);
    }
    Ok(results)
}

/// Cuts the memory of a buffer at ascending element numbers: one slice between each two neighbours.
pub fn slices<'b>(buffer: &'b mut Buffer, cuts: &[usize]) -> Vec<&'b mut [MaybeUninit<u8>]> {
    let size = buffer.dtype().size();
    let bytes = buffer.bytes();
    let start = buffer.as_mut_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: the buffer has this many bytes and is borrowed as long as the slices live; bytes that may not be
    // initialised promise nothing.
    let mut rest = unsafe { std::slice::from_raw_parts_mut(start, bytes) };
    let mut at = cuts.first().map_or(0, |c| c * size);
    rest = &mut rest[at..];
    let mut out = Vec::new();
    for cut in cuts.iter().skip(1) {
        let (slice, after) = rest.split_at_mut(cut * size - at);
        out.push(slice);
        (rest, at) = (after, cut * size);
    }
    out
}

/// A buffer of `len` elements for all pieces together.
///
/// # Errors
/// `E0603` and `E0605` when memory runs out.
pub fn allocate(dtype: openwork_algebra::DType, len: usize, mut room: Room, name: &str) -> Result<Buffer> {
    let bytes = len as u128 * dtype.size() as u128;
    let mut buffer =
        room.open(dtype, len).map_err(|e| name_array(e, || format!("the array `{name}`"), bytes))?;
    buffer.truncate(len);
    Ok(buffer)
}
