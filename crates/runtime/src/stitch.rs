//! One result from the results of several pieces.
//!
//! ```text
//! rows 0..2          rows 2..4          stitched
//! pos  0 2 3         pos  0 0 1         pos  0 2 3 3 4         the last position so far is added
//! crd  0 2 1         crd  5             crd  0 2 1 5
//! ```

use crate::call::{Contents, Room, index_overflow};
use crate::pieces::{slices, whole};
use crate::pool;
use openwork_algebra::{Complex, DType, Prim, Scalar};
use openwork_base::Result;
use openwork_storage::{Buffer, Element};
use std::mem::MaybeUninit;
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
pub struct Target {
    /// How its pieces follow one another.
    pub seam: Seam,
    /// Its name, for errors.
    pub name: String,
    /// Memory of an earlier run.
    pub spare: Option<Buffer>,
}

/// Evaluates an expression with the type of a dtype.
macro_rules! typed {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::Bool => typed!(@ bool, $T => $body),
            DType::I8 => typed!(@ i8, $T => $body),
            DType::I16 => typed!(@ i16, $T => $body),
            DType::I32 => typed!(@ i32, $T => $body),
            DType::I64 => typed!(@ i64, $T => $body),
            DType::U8 => typed!(@ u8, $T => $body),
            DType::U16 => typed!(@ u16, $T => $body),
            DType::U32 => typed!(@ u32, $T => $body),
            DType::U64 => typed!(@ u64, $T => $body),
            DType::F32 => typed!(@ f32, $T => $body),
            DType::F64 => typed!(@ f64, $T => $body),
            DType::C64 => typed!(@ Complex<f32>, $T => $body),
            DType::C128 => typed!(@ Complex<f64>, $T => $body),
        }
    };
    (@ $t:ty, $T:ident => $body:expr) => {{
        type $T = $t;
        $body
    }};
}

/// The last position of an array of positions.
fn last(positions: &Buffer) -> i64 {
    positions.len().checked_sub(1).map_or(0, |n| positions.get(n).as_i64())
}

/// Joins the arrays of pieces, one list per piece with one array per target. Each piece is freed once it is copied.
///
/// # Errors
/// `E0603` when memory runs out, `E0604` when a position does not fit the width of its array.
pub fn stitch(pieces: Vec<Vec<Buffer>>, targets: Vec<Target>, threads: usize) -> Result<Vec<Buffer>> {
    let mut out = Vec::new();
    let mut cuts: Vec<Vec<usize>> = Vec::new();
    let mut shifts: Vec<Vec<i64>> = Vec::new();
    for (k, target) in targets.into_iter().enumerate() {
        let arrays = pieces.iter().map(|p| &p[k]);
        let dtype = pieces.first().map_or(DType::I64, |p| p[k].dtype());
        let (mut at, mut shift) = (vec![usize::from(target.seam == Seam::Positions)], vec![0]);
        for array in arrays {
            let (len, ends) = match target.seam {
                Seam::Append => (array.len(), 0),
                Seam::Positions => (array.len().saturating_sub(1), last(array)),
                Seam::Root => (0, last(array)),
            };
            at.push(at[at.len() - 1] + len);
            shift.push(shift[shift.len() - 1] + ends);
        }
        let total = shift[shift.len() - 1];
        if Scalar::highest(dtype).is_some_and(|most| target.seam != Seam::Append && total > most.as_i64()) {
            return Err(index_overflow());
        }
        let len = if target.seam == Seam::Root { 2 } else { at[at.len() - 1] };
        let room = Room { spare: target.spare, expected: 0, contents: Contents::Any };
        let mut joined = whole(dtype, len, room, &target.name)?;
        if target.seam != Seam::Append {
            joined.set(0, Scalar::I64(0).cast(dtype));
        }
        if target.seam == Seam::Root {
            joined.set(1, Scalar::I64(total).cast(dtype));
        }
        out.push(joined);
        cuts.push(at);
        shifts.push(shift);
    }
    copy(pieces, &mut out, &cuts, &shifts, threads);
    Ok(out)
}

/// One piece and where its arrays go.
type Copy<'a> = (Vec<Buffer>, Vec<&'a mut [MaybeUninit<u8>]>);

fn copy(
    pieces: Vec<Vec<Buffer>>,
    out: &mut [Buffer],
    cuts: &[Vec<usize>],
    shifts: &[Vec<i64>],
    threads: usize,
) {
    let mut to: Vec<_> = out.iter_mut().zip(cuts).map(|(b, at)| slices(b, at).into_iter()).collect();
    let work: Vec<Mutex<Option<Copy<'_>>>> = pieces
        .into_iter()
        .map(|piece| Mutex::new(Some((piece, to.iter_mut().filter_map(Iterator::next).collect()))))
        .collect();
    pool::run(work.len(), threads, &|n| {
        let taken = work[n].lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((piece, to)) = taken else { return };
        for (k, (array, to)) in piece.into_iter().zip(to).enumerate() {
            // Positions begin with a zero that belongs to the piece before.
            let bytes = array.as_bytes();
            let bytes = &bytes[bytes.len() - to.len().min(bytes.len())..];
            match shifts[k][n] {
                0 => {
                    // SAFETY: initialised bytes are valid bytes of memory that need not be initialised.
                    to.copy_from_slice(unsafe {
                        std::slice::from_raw_parts(bytes.as_ptr().cast::<MaybeUninit<u8>>(), bytes.len())
                    });
                }
                by => typed!(array.dtype(), T => shifted::<T>(&array, by, to)),
            }
        }
    });
}

/// Copies the last positions of an array, as many as there is room for, increased by `by`.
fn shifted<T: Element>(array: &Buffer, by: i64, to: &mut [MaybeUninit<u8>]) {
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

/// Combines arrays of one length element by element, in order.
pub fn combine(pieces: Vec<Buffer>, prim: Prim, threads: usize) -> Option<Buffer> {
    let mut pieces = pieces.into_iter();
    let mut first = pieces.next()?;
    let rest: Vec<Buffer> = pieces.collect();
    typed!(first.dtype(), T => fold::<T>(&mut first, &rest, prim, threads));
    Some(first)
}

fn fold<T: Element>(first: &mut Buffer, rest: &[Buffer], prim: Prim, threads: usize) {
    let Some(all) = first.as_mut_slice::<T>() else { return };
    let ranges: Vec<Mutex<&mut [T]>> = all.chunks_mut(RANGE).map(Mutex::new).collect();
    pool::run(ranges.len(), threads, &|n| {
        let mut range = ranges[n].lock().unwrap_or_else(PoisonError::into_inner);
        for other in rest {
            let other = other.as_slice::<T>().unwrap_or(&[]);
            for (a, b) in range.iter_mut().zip(other.iter().skip(n * RANGE)) {
                *a = match prim {
                    Prim::Add => a.plus(*b),
                    // Lowering combines by operators of the result's dtype only.
                    prim => prim.eval(&[a.to_scalar(), b.to_scalar()]).map_or(*a, T::from_scalar),
                };
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(seam: Seam) -> Target {
        Target { seam, name: "a".into(), spare: None }
    }
    fn piece(root: [i64; 2], pos: &[i32], vals: &[f64]) -> Vec<Buffer> {
        vec![Buffer::from(root.to_vec()), Buffer::from(pos.to_vec()), Buffer::from(vals.to_vec())]
    }

    #[test]
    fn positions_go_on_where_the_piece_before_stopped() {
        for threads in [1, 3] {
            let pieces = vec![
                piece([0, 2], &[0, 2, 3], &[1.0, 2.0, 3.0]),
                piece([0, 0], &[0], &[]),
                piece([0, 2], &[0, 0, 1], &[4.0]),
            ];
            let targets = vec![target(Seam::Root), target(Seam::Positions), target(Seam::Append)];
            let joined = stitch(pieces, targets, threads).unwrap();
            assert_eq!(joined, piece([0, 4], &[0, 2, 3, 3, 4], &[1.0, 2.0, 3.0, 4.0]));
        }
    }

    #[test]
    fn positions_beyond_their_width_are_refused() {
        let pieces = (0..2).map(|_| vec![Buffer::from(vec![0i8, 100])]).collect();
        let error = stitch(pieces, vec![target(Seam::Positions)], 1).unwrap_err();
        assert_eq!(error.code().0, "E0604");
    }

    #[test]
    fn arrays_are_combined_in_order() {
        let arrays = || (0..3).map(|n| Buffer::from(vec![n as f32; 40_000])).collect::<Vec<_>>();
        for threads in [1, 2] {
            assert_eq!(combine(arrays(), Prim::Add, threads), Some(Buffer::from(vec![3f32; 40_000])));
            assert_eq!(combine(arrays(), Prim::Max, threads), Some(Buffer::from(vec![2f32; 40_000])));
        }
    }
}
