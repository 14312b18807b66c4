//! One result from the results of several pieces.
//!
//! ```text
//! rows 0..2          rows 2..4          stitched
//! pos  0 2 3         pos  0 0 1         pos  0 2 3 3 4         the last position so far is added
//! crd  0 2 1         crd  5             crd  0 2 1 5
//! ```
//! Where it is known how much a piece may append at most, it writes into its share of the joined array at once, and only
//! the gaps between the shares are closed.

use crate::call::{KernelResult, Room, index_overflow};
use crate::pieces::{allocate, slices};
use crate::typed::typed;
use openwork_algebra::function::ROUNDS;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::machine::{elements_of_a_task, threshold};
use openwork_base::{Cancel, Result, pool};
use openwork_loops::Init;
use openwork_storage::error::endless;
use openwork_storage::{Buffer, Element};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the arrays of one kind follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seam {
    /// End to end.
    Append,
    /// Ends of segments: each piece goes on where the one before it stopped.
    Positions,
    /// The two ends of one segment that all pieces have a part of.
    Root,
}

/// What a stitched array is called and where its memory may come from.
#[derive(Debug)]
pub struct StitchTarget {
    /// How its pieces follow one another.
    pub seam: Seam,
    /// Its dtype.
    pub dtype: DType,
    /// Its name, for errors.
    pub name: String,
    /// Memory of an earlier run.
    pub spare: Option<Buffer>,
    /// The array in which every piece had a share of the memory.
    pub lent: Option<LentArray>,
}

/// An array in which every piece has a share.
#[derive(Debug)]
pub struct LentArray {
    /// The array.
    pub buffer: Buffer,
    /// Where the shares begin, and where the last one ends.
    pub starts: Vec<usize>,
}

/// The last position of an array of positions.
fn last(positions: &Buffer) -> i64 {
    positions.len().checked_sub(1).map_or(0, |n| positions.get(n).as_i64())
}

/// Joins the arrays of pieces, one list per piece with one array per target. Each piece is freed once it is copied.
///
/// # Errors
/// `E0603` when memory runs out, `E0604` when a position does not fit the width of its array.
pub fn stitch(
    mut pieces: Vec<Vec<KernelResult>>,
    targets: Vec<StitchTarget>,
    threads: usize,
) -> Result<Vec<Buffer>> {
    let mut out: Vec<Option<Buffer>> = targets.iter().map(|_| None).collect();
    let mut shares: Vec<(usize, LentArray)> = Vec::new();
    let mut rest: Vec<(usize, StitchTarget)> = Vec::new();
    for (k, mut target) in targets.into_iter().enumerate() {
        match target.lent.take() {
            Some(lent) if pieces.iter().all(|p| matches!(p[k], KernelResult::InPlace { .. })) => {
                shares.push((k, lent))
            }
            Some(lent) => {
                move_out(&mut pieces, k, &lent)?;
                rest.push((k, target));
            }
            None => rest.push((k, target)),
        }
    }
    for (k, joined) in close_gaps(&pieces, shares, threads)? {
        out[k] = Some(joined);
    }
    let own = |piece: Vec<KernelResult>| -> Vec<Buffer> {
        let arrays = piece.into_iter().filter_map(|made| match made {
            KernelResult::Own(buffer) => Some(buffer),
            KernelResult::InPlace { .. } => None,
        });
        arrays.collect()
    };
    let (places, targets): (Vec<usize>, Vec<StitchTarget>) = rest.into_iter().unzip();
    let joined = copy_arrays(pieces.into_iter().map(own).collect(), targets, threads)?;
    for (k, joined) in places.into_iter().zip(joined) {
        out[k] = Some(joined);
    }
    Ok(out.into_iter().flatten().collect())
}

/// Gives the pieces of array `k` that stayed in lent memory arrays of their own: one of the pieces did not fit.
fn move_out(pieces: &mut [Vec<KernelResult>], k: usize, lent: &LentArray) -> Result<()> {
    let size = lent.buffer.dtype().size();
    for (piece, start) in pieces.iter_mut().zip(&lent.starts) {
        let KernelResult::InPlace { len } = piece[k] else { continue };
        let mut own = Buffer::zeros(lent.buffer.dtype(), len)?;
        // SAFETY: the share of the piece begins there and has at least the elements that the piece made.
        unsafe {
            std::ptr::copy_nonoverlapping(
                lent.buffer.as_ptr().add(start * size),
                own.as_mut_ptr(),
                len * size,
            );
        }
        piece[k] = KernelResult::Own(own);
    }
    Ok(())
}

/// Moves what pieces made in their shares of arrays to the left, so that no gaps are between them.
///
/// # Errors
/// `E0606` when the caller was asked to stop.
fn close_gaps(
    pieces: &[Vec<KernelResult>],
    shares: Vec<(usize, LentArray)>,
    threads: usize,
) -> Result<Vec<(usize, Buffer)>> {
    let bytes: usize = shares.iter().map(|(_, lent)| lent.buffer.bytes()).sum();
    let threads = worth(bytes, threads);
    let work: Vec<Mutex<(usize, LentArray)>> = shares.into_iter().map(Mutex::new).collect();
    // A piece moves to where the one before it was, so an array is the work of one thread.
    let cancel = Cancel::current();
    pool::heed(work.len(), threads, &|n| {
        let (k, LentArray { buffer, starts }) = &mut *work[n].lock().unwrap_or_else(PoisonError::into_inner);
        let size = buffer.dtype().size();
        let mut end = 0;
        for (piece, start) in pieces.iter().zip(starts) {
            let KernelResult::InPlace { len } = piece[*k] else { continue };
            if cancel.is_cancelled() {
                return;
            }
            if *start != end {
                // SAFETY: shares lie inside of the array and are at least as long as what the pieces made, so all that
                // was made before this piece takes no more than the room before its share.
                unsafe {
                    let base = buffer.as_mut_ptr();
                    std::ptr::copy(base.add(*start * size), base.add(end * size), len * size);
                }
            }
            end += len;
        }
        buffer.truncate(end);
    })?;
    let done = work.into_iter().map(|w| w.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(done.map(|(k, lent)| (k, lent.buffer)).collect())
}

/// Bytes that are joined faster on one thread than others wake up.
const FEW: usize = 1 << 19;

/// How many threads copying so many bytes is worth.
fn worth(bytes: usize, threads: usize) -> usize {
    if bytes < threshold(FEW, 1) { 1 } else { threads }
}

/// Copies arrays of pieces one after the other: what the pieces have of one is freed before the next one is made, so that not all of the
/// result is there twice.
fn copy_arrays(pieces: Vec<Vec<Buffer>>, targets: Vec<StitchTarget>, threads: usize) -> Result<Vec<Buffer>> {
    let mut pieces: Vec<_> = pieces.into_iter().map(Vec::into_iter).collect();
    let mut next = || pieces.iter_mut().filter_map(Iterator::next).collect();
    targets.into_iter().map(|target| join_pieces(next(), target, threads)).collect()
}

/// Copies what pieces have of one array.
fn join_pieces(pieces: Vec<Buffer>, target: StitchTarget, threads: usize) -> Result<Buffer> {
    let dtype = target.dtype;
    let (mut at, mut shifts) = (vec![usize::from(target.seam == Seam::Positions)], vec![0]);
    for array in &pieces {
        let (len, ends) = match target.seam {
            Seam::Append => (array.len(), 0),
            Seam::Positions => (array.len().saturating_sub(1), last(array)),
            Seam::Root => (0, last(array)),
        };
        at.push(at[at.len() - 1] + len);
        shifts.push(shifts[shifts.len() - 1] + ends);
    }
    let total = shifts[shifts.len() - 1];
    if Scalar::highest(dtype).is_some_and(|most| target.seam != Seam::Append && total > most.as_i64()) {
        return Err(index_overflow());
    }
    let len = if target.seam == Seam::Root { 2 } else { at[at.len() - 1] };
    let room = Room { spare: target.spare, init: Init::Uninit, ..Room::new() };
    let mut joined = allocate(dtype, len, room, &target.name)?;
    if target.seam != Seam::Append {
        joined.set(0, Scalar::I64(0).cast(dtype));
    }
    if target.seam == Seam::Root {
        joined.set(1, Scalar::I64(total).cast(dtype));
    }
    let threads = worth(joined.bytes(), threads);
    copy(pieces, slices(&mut joined, &at), &shifts, threads)?;
    Ok(joined)
}

fn copy(pieces: Vec<Buffer>, to: Vec<&mut [MaybeUninit<u8>]>, shifts: &[i64], threads: usize) -> Result<()> {
    let work: Vec<Mutex<Option<_>>> = pieces.into_iter().zip(to).map(|copy| Mutex::new(Some(copy))).collect();
    pool::heed(work.len(), threads, &|n| {
        let taken = work[n].lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((array, to)) = taken else { return };
        // Positions begin with a zero that belongs to the piece before.
        let bytes = array.as_bytes();
        let bytes = &bytes[bytes.len() - to.len().min(bytes.len())..];
        match shifts[n] {
            0 => {
                // SAFETY: initialised bytes are valid bytes of memory that need not be initialised.
                to.copy_from_slice(unsafe {
                    std::slice::from_raw_parts(bytes.as_ptr().cast::<MaybeUninit<u8>>(), bytes.len())
                });
            }
            by => typed!(array.dtype(), T => copy_shifted::<T>(&array, by, to)),
        }
    })
}

/// Copies the last positions of an array, as many as there is room for, increased by `by`.
fn copy_shifted<T: Element>(array: &Buffer, by: i64, to: &mut [MaybeUninit<u8>]) {
    let all = array.as_slice::<T>().unwrap_or(&[]);
    let count = to.len() / size_of::<T>();
    // SAFETY: `to` lies at a whole number of elements in a buffer of this dtype, so it is aligned and holds `count`.
    let to = unsafe { std::slice::from_raw_parts_mut(to.as_mut_ptr().cast::<MaybeUninit<T>>(), count) };
    let by = T::from_scalar(Scalar::I64(by));
    for (to, from) in to.iter_mut().zip(&all[all.len() - count..]) {
        to.write(from.plus(by));
    }
}

/// Elements that one task combines.
const RANGE: usize = 1 << 14;

/// What became of arrays that were combined.
#[derive(Debug)]
pub struct CombinedArrays {
    /// All of them in one.
    pub all: Buffer,
    /// The memory of the others.
    pub rest: Vec<Buffer>,
}

/// Combines arrays of one length element by element, in order, into the first of them; nothing where there is no array. Also
/// gives the others, which are needed no more.
///
/// # Errors
/// `E0606` when the caller was asked to stop, `E0607` when a function that combines does not end.
pub fn combine(pieces: Vec<Vec<KernelResult>>, prim: Prim, threads: usize) -> Result<Option<CombinedArrays>> {
    let mut pieces = pieces.into_iter().flatten().filter_map(|made| match made {
        KernelResult::Own(buffer) => Some(buffer),
        KernelResult::InPlace { .. } => None,
    });
    let Some(mut first) = pieces.next() else { return Ok(None) };
    let rest: Vec<Buffer> = pieces.collect();
    typed!(first.dtype(), T => fold::<T>(&mut first, &rest, prim, threads))?;
    Ok(Some(CombinedArrays { all: first, rest }))
}

fn fold<T: Element>(first: &mut Buffer, rest: &[Buffer], prim: Prim, threads: usize) -> Result<()> {
    let Some(all) = first.as_mut_slice::<T>() else { return Ok(()) };
    let size = elements_of_a_task(RANGE, 4, all.len());
    let ranges: Vec<Mutex<&mut [T]>> = all.chunks_mut(size).map(Mutex::new).collect();
    let ended = AtomicBool::new(true);
    let apply = |a: T, b: T| {
        let args = [a.to_scalar(), b.to_scalar()];
        // Lowering combines by operators of the result's dtype only.
        let Prim::Defined(f) = prim else { return prim.eval(&args).map_or(a, T::from_scalar) };
        f.eval_within(&args, ROUNDS).map_or_else(
            || {
                ended.store(false, Ordering::Relaxed);
                a
            },
            T::from_scalar,
        )
    };
    pool::heed(ranges.len(), threads, &|n| {
        let mut range = ranges[n].lock().unwrap_or_else(PoisonError::into_inner);
        for other in rest {
            let other = other.as_slice::<T>().unwrap_or(&[]);
            for (a, b) in range.iter_mut().zip(other.iter().skip(n * size)) {
                *a = match prim {
                    Prim::Add => a.plus(*b),
                    _ => apply(*a, *b),
                };
            }
        }
    })?;
    if ended.into_inner() { Ok(()) } else { Err(endless()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(seam: Seam, dtype: DType) -> StitchTarget {
        StitchTarget { seam, dtype, name: "a".into(), spare: None, lent: None }
    }
    fn arrays(root: [i64; 2], pos: &[i32], vals: &[f64]) -> Vec<Buffer> {
        vec![Buffer::from(root.to_vec()), Buffer::from(pos.to_vec()), Buffer::from(vals.to_vec())]
    }
    fn piece(root: [i64; 2], pos: &[i32], vals: &[f64]) -> Vec<KernelResult> {
        arrays(root, pos, vals).into_iter().map(KernelResult::Own).collect()
    }

    #[test]
    fn positions_go_on_where_the_piece_before_stopped() {
        for threads in [1, 3] {
            let pieces = vec![
                piece([0, 2], &[0, 2, 3], &[1.0, 2.0, 3.0]),
                piece([0, 0], &[0], &[]),
                piece([0, 2], &[0, 0, 1], &[4.0]),
            ];
            let targets = vec![
                target(Seam::Root, DType::I64),
                target(Seam::Positions, DType::I32),
                target(Seam::Append, DType::F64),
            ];
            let joined = stitch(pieces, targets, threads).unwrap();
            assert_eq!(joined, arrays([0, 4], &[0, 2, 3, 3, 4], &[1.0, 2.0, 3.0, 4.0]));
        }
    }

    #[test]
    fn gaps_between_shares_are_closed() {
        let lent =
            || LentArray { buffer: Buffer::from(vec![1, 2, 0, 3, 0, 0, 4]), starts: vec![0, 3, 3, 6, 7] };
        let array = || StitchTarget { lent: Some(lent()), ..target(Seam::Append, DType::I32) };
        let lens = [2, 0, 1, 1];
        let in_place = || lens.iter().map(|&len| vec![KernelResult::InPlace { len }]).collect::<Vec<_>>();
        assert_eq!(stitch(in_place(), vec![array()], 2).unwrap(), [Buffer::from(vec![1, 2, 3, 4])]);
        let mut moved = in_place();
        moved[1] = vec![KernelResult::Own(Buffer::from(vec![8, 9]))];
        assert_eq!(stitch(moved, vec![array()], 2).unwrap(), [Buffer::from(vec![1, 2, 8, 9, 3, 4])]);
    }

    #[test]
    fn positions_beyond_their_width_are_refused() {
        let pieces = (0..2).map(|_| vec![KernelResult::Own(Buffer::from(vec![0i8, 100]))]).collect();
        let error = stitch(pieces, vec![target(Seam::Positions, DType::I8)], 1).unwrap_err();
        assert_eq!(error.code().0, "E0604");
    }

    #[test]
    fn arrays_are_combined_in_order() {
        let arrays = || {
            (0..3).map(|n| vec![KernelResult::Own(Buffer::from(vec![n as f32; 40_000]))]).collect::<Vec<_>>()
        };
        for threads in [1, 2] {
            let all = |prim| combine(arrays(), prim, threads).map(|made| made.map(|made| made.all));
            assert_eq!(all(Prim::Add), Ok(Some(Buffer::from(vec![3f32; 40_000]))));
            assert_eq!(all(Prim::Max), Ok(Some(Buffer::from(vec![2f32; 40_000]))));
        }
    }
}
