//! The fast check that two arrays are the rows of a matrix, made as they are copied.
//!
//! ```text
//! pos 0 3 3 5    crd 1 4 7 | 2 3     falls once, from 7 to 2, where a row begins     so every row rises
//! ```
//! Coordinates are looked at many at a time: whether one has a sign that shows it to be out of range, and how often they
//! fall. They have to fall as often where rows begin; the beginnings of short rows are marked. Arrays that are wrong are left
//! to the general check, which says what is wrong.

use crate::buffer::Buffer;
use crate::levels::built_in;
use crate::parallel;
use crate::vectors::{self, IndexNumber};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{look, strips};
use openwork_base::machine::threshold;
use openwork_format::Format;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Coordinates that are copied and then looked at: they and the positions of their rows stay in a first-level cache.
const BLOCK: usize = 1 << 11;
/// Coordinates from which on they are shared out, in parts of half as many.
const SHARED: usize = 1 << 17;
/// Coordinates per row below which rows are short.
const SHORT: usize = 6;

/// Arrays of a level of `format` that nobody else may write to, and whether they are known to be rows whose coordinates are in
/// range and rise. Where that is not known, they are to be checked.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn settle_arrays(
    shape: &[usize],
    format: &Format,
    arrays: Vec<Buffer>,
) -> Result<(Vec<Buffer>, bool)> {
    if let ([pos, crd], Some([outer, inner])) = (&arrays[..], format.rows())
        && format.levels.iter().all(|l| built_in(*l).is_some())
    {
        let (types, dims) = ((pos.dtype(), crd.dtype()), [shape[outer], shape[inner]]);
        match types {
            (DType::I32, DType::I32) => return rows::<i32, i32>(arrays, dims),
            (DType::I64, DType::I32) => return rows::<i64, i32>(arrays, dims),
            (DType::I32, DType::I64) => return rows::<i32, i64>(arrays, dims),
            (DType::I64, DType::I64) => return rows::<i64, i64>(arrays, dims),
            _ => {}
        }
    }
    let own = |array: Buffer| if array.may_change() { array.duplicate() } else { Ok(array) };
    Ok((arrays.into_iter().map(own).collect::<Result<_>>()?, false))
}

/// As [`settle_arrays`], for positions and coordinates of so many rows and columns.
fn rows<P: IndexNumber, C: IndexNumber>(
    mut arrays: Vec<Buffer>,
    [rows, columns]: [usize; 2],
) -> Result<(Vec<Buffer>, bool)> {
    let [pos, crd] = &mut arrays[..] else { return Ok((arrays, false)) };
    // What others may write to is read once, and looked at where it was copied to.
    if pos.may_change() {
        *pos = pos.duplicate()?;
    }
    let (begins, n): (&[P], usize) = (pos.as_slice().unwrap_or(&[]), crd.len());
    let held = rows.checked_add(1) == Some(begins.len()) && rise_to(begins, n);
    let all = RowCheck { begins, largest: C::largest(columns), short: n < SHORT * rows };
    let shared = threshold(SHARED, 4);
    let part = if n < shared { n.max(1) } else { shared / 2 };
    let right = match (held, crd.may_change()) {
        (false, false) => return Ok((arrays, false)),
        (false, true) => {
            *crd = crd.duplicate()?;
            return Ok((arrays, false));
        }
        (true, false) => {
            let given = crd.as_slice::<C>().unwrap_or(&[]);
            let accept = |t| all.accept(&given[parallel::block_of(t, part, n)], t * part);
            parallel::answers(n.div_ceil(part), accept)
        }
        (true, true) => {
            // SAFETY: every element is written below, before it is read.
            let mut copy = unsafe { Buffer::to_write(C::DTYPE, n)? };
            let slots = copy.as_mut_slice::<C>().unwrap_or(&mut []);
            let parts: Vec<Mutex<&mut [C]>> = slots.chunks_mut(part).map(Mutex::new).collect();
            let given = crd.as_slice::<C>().unwrap_or(&[]);
            let right = parallel::answers(parts.len(), |t| {
                let mut own = parts[t].lock().unwrap_or_else(PoisonError::into_inner);
                all.accept_copied(&given[t * part..], &mut own, t * part)
            });
            drop(parts);
            *crd = copy;
            right
        }
    };
    let crd = crd.as_slice::<C>().unwrap_or(&[]);
    let right = right.into_iter().all(|r| r) && (1..n.div_ceil(part)).all(|t| all.joins(crd, t * part));
    Ok((arrays, right))
}

/// Whether numbers begin with zero, never fall and end with `last`.
pub(crate) fn rise_to<P: IndexNumber>(begins: &[P], last: usize) -> bool {
    let ends = begins.first().is_some_and(|&p| p == P::ZERO) && P::from_usize(last) == begins.last().copied();
    ends && strips(begins.len() - 1).all(|s| vectors::rises(&begins[s.start..s.end + 1]))
}

/// What coordinates are held to.
struct RowCheck<'a, P, C> {
    /// Where rows begin, and the last one ends: numbers that never fall, up to the number of coordinates.
    begins: &'a [P],
    /// The largest coordinate that there may be, or -1.
    largest: C,
    /// Whether rows are short.
    short: bool,
}

impl<P: IndexNumber, C: IndexNumber> RowCheck<'_, P, C> {
    /// Whether coordinates from number `first` on are right among themselves.
    fn accept(&self, own: &[C], first: usize) -> bool {
        let mut row = self.first_row_after(first);
        (0..own.len())
            .step_by(BLOCK)
            .all(|at| self.accepts(own, at..own.len().min(at + BLOCK), first, &mut row))
    }
    /// Copies coordinates from number `first` on, and says whether they are right among themselves.
    fn accept_copied(&self, given: &[C], own: &mut [C], first: usize) -> bool {
        let mut row = self.first_row_after(first);
        let mut right = true;
        for at in (0..own.len()).step_by(BLOCK) {
            let block = at..own.len().min(at + BLOCK);
            own[block.clone()].copy_from_slice(&given[block.clone()]);
            right &= self.accepts(own, block, first, &mut row);
        }
        right
    }
    /// The first row that begins after coordinate `first`, of which the one before is not looked at.
    fn first_row_after(&self, first: usize) -> usize {
        self.begins.partition_point(|p| p.to_usize() <= first)
    }
    /// Whether a block of coordinates is right, with what is before it in `own`, which begins with coordinate `first`; `row` is
    /// the first row that begins after that block begins, and then after it ends.
    fn accepts(&self, own: &[C], block: Range<usize>, first: usize, row: &mut usize) -> bool {
        if block.start.is_multiple_of(32 * BLOCK) {
            look();
        }
        if self.short {
            return self.accepts_short(own, block, first, row);
        }
        let end = first + block.end;
        let (signs, falls) = vectors::signs_and_falls(own, block, self.largest);
        signs.is_right() && falls == self.falls_at_begins(own, first, end, row)
    }
    /// How many of the rows that begin before coordinate `end`, from `row` on, begin with at most what is before them.
    fn falls_at_begins(&self, own: &[C], first: usize, end: usize, row: &mut usize) -> usize {
        let mut falls = 0;
        for w in self.begins[*row..].windows(2) {
            let (begin, next) = (w[0].to_usize(), w[1].to_usize());
            if begin >= end {
                break;
            }
            let at = begin - first;
            debug_assert!(0 < at && at < own.len());
            // SAFETY: the row begins after the first of these coordinates, and before their end.
            let (before, here) = unsafe { (*own.get_unchecked(at - 1), *own.get_unchecked(at)) };
            falls += usize::from((begin < next) & (here <= before));
            *row += 1;
        }
        falls
    }
    /// As `accepts`, where so many rows begin that it takes less to mark where they do than to look there.
    fn accepts_short(&self, own: &[C], block: Range<usize>, first: usize, row: &mut usize) -> bool {
        let mut inside = [1u8; BLOCK];
        let before = first + block.start;
        for begin in &self.begins[*row..] {
            let Some(mark) = inside.get_mut(begin.to_usize() - before) else { break };
            *mark = 0;
            *row += 1;
        }
        vectors::rises_inside(own, block, self.largest, &inside)
    }
    /// Whether coordinate `at` rises from the one before it, or begins a row.
    fn joins(&self, crd: &[C], at: usize) -> bool {
        let row = self.begins.partition_point(|p| p.to_usize() < at);
        crd[at - 1] < crd[at] || self.begins.get(row).is_some_and(|p| p.to_usize() == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{LevelArrays, Tensor};
    use crate::{Coo, Writers, canonical, pack};
    use openwork_algebra::Scalar;
    use openwork_format::presets;
    use std::sync::Arc;

    /// An array that somebody else may write to.
    fn foreign(own: &Buffer) -> Buffer {
        let owner = Arc::new(own.clone());
        // SAFETY: the owner keeps the array, which nobody changes.
        unsafe { Buffer::borrow(own.dtype(), owner.as_ptr(), owner.len(), owner.clone(), Writers::Owner) }
    }
    /// What the general check says of arrays of compressed rows, and what this one does, on arrays of our own and of others.
    fn agree(shape: [usize; 2], pos: &[i64], crd: &[i64]) -> bool {
        let vals = Buffer::zeros(DType::F64, crd.len()).unwrap();
        let mut said = Vec::new();
        for (p, c) in [
            (DType::I32, DType::I32),
            (DType::I64, DType::I32),
            (DType::I32, DType::I64),
            (DType::I64, DType::I64),
        ] {
            let arrays = vec![
                Buffer::from(pos.to_vec()).cast(p).unwrap(),
                Buffer::from(crd.to_vec()).cast(c).unwrap(),
            ];
            let zero = Scalar::F64(0.0);
            let levels = vec![LevelArrays::default(), LevelArrays { arrays: arrays.clone() }];
            let checked =
                Tensor::new_checked(shape.to_vec(), presets::csr(), zero, levels, vals.clone()).is_ok();
            for arrays in [arrays.clone(), arrays.iter().map(foreign).collect()] {
                let given = arrays.clone();
                let (own, right) = settle_arrays(&shape, &presets::csr(), arrays).unwrap();
                assert_eq!(right, checked, "{shape:?} {pos:?} {crd:?} in {p} and {c}");
                assert!(own == given && own.iter().all(|b| !b.may_change()));
            }
            said.push(checked);
        }
        assert!(said.iter().all(|&s| s == said[0]));
        said[0]
    }

    #[test]
    fn rows_are_right_where_the_general_check_says_so() {
        assert!(agree([0, 0], &[0], &[]) && agree([3, 0], &[0, 0, 0, 0], &[]) && agree([0, 3], &[0], &[]));
        assert!(
            !agree([1, 0], &[0, 1], &[0]) && !agree([2, 2], &[0, 0], &[]) && !agree([1, 2], &[1, 1], &[0])
        );
        assert!(
            agree([1, 1], &[0, 1], &[0]) && !agree([1, 1], &[0, 1], &[1]) && !agree([1, 1], &[0, 1], &[-1])
        );
        assert!(!agree([3, 9], &[0, 2, 1, 2], &[0, 1]) && !agree([2, 9], &[0, 1, 3], &[0, 1]));
        // Empty rows at both ends and between, rows that begin with less, more and the same.
        let (pos, crd) = ([0, 0, 3, 3, 5, 6, 7, 7], [1, 4, 7, 2, 8, 8, 9]);
        assert!(agree([7, 10], &pos, &crd));
        for at in 0..crd.len() {
            for c in -1..11 {
                let mut crd = crd;
                crd[at] = c;
                agree([7, 10], &pos, &crd);
            }
        }
    }

    #[test]
    fn one_fault_in_many_is_seen_wherever_it_is() {
        // Rows of 3 and of 40: short ones, and others; three parts.
        for len in [3, 40] {
            let rows = (SHARED + SHARED / 4) / len;
            let pos: Vec<i64> = (0..=rows).map(|r| (r * len) as i64).collect();
            let crd: Vec<i32> = (0..rows * len).map(|e| (e % len) as i32 * 2 + 1).collect();
            let is_right = |crd: &[i32]| {
                let arrays = vec![Buffer::from(pos.clone()), foreign(&Buffer::from(crd.to_vec()))];
                settle_arrays(&[rows, 2 * len], &presets::csr(), arrays).unwrap().1
            };
            assert!(is_right(&crd));
            let n = crd.len();
            for at in
                [1, len + 1, BLOCK - 1, BLOCK, SHARED / 2 - 1, SHARED / 2, SHARED / 2 + 1, SHARED, n - 1]
            {
                for wrong in [-1, 2 * len as i32] {
                    let mut crd = crd.clone();
                    crd[at] = wrong;
                    assert!(!is_right(&crd), "{wrong} at {at}, rows of {len}");
                }
                let mut crd = crd.clone();
                // Where a row begins, any coordinate may follow.
                let begins = at % len == 0;
                crd[at] = if begins { 0 } else { crd[at - 1] };
                assert_eq!(is_right(&crd), begins, "{at}, rows of {len}");
            }
        }
    }

    #[test]
    fn rows_in_any_order_are_sorted_whoever_owns_them() {
        let at = [(0, 4), (0, 1), (2, 0), (2, 0), (2, 3)];
        let entries: Vec<(Vec<usize>, Scalar)> =
            at.iter().enumerate().map(|(n, &(i, j))| (vec![i, j], Scalar::F64(n as f64 + 0.5))).collect();
        let zero = Scalar::F64(0.0);
        let wanted =
            pack(&Coo::from_entries(&[3, 5], DType::F64, &entries).unwrap(), &presets::csr(), zero).unwrap();
        let arrays = [Buffer::from(vec![0i64, 2, 2, 5]), Buffer::from(vec![4i32, 1, 0, 0, 3])];
        let vals = Buffer::from(vec![0.5, 1.5, 2.5, 3.5, 4.5]);
        for arrays in [arrays.to_vec(), arrays.iter().map(foreign).collect()] {
            let level = LevelArrays { arrays };
            let made = canonical(vec![3, 5], presets::csr(), zero, level, foreign(&vals)).unwrap();
            assert_eq!(made, wanted);
        }
        // Other numbers of values, and bools that are none, are refused as ever.
        let level = || LevelArrays { arrays: vec![Buffer::from(vec![0i64, 1]), Buffer::from(vec![0i32])] };
        assert!(canonical(vec![1, 1], presets::csr(), zero, level(), Buffer::from(vec![1.0, 2.0])).is_err());
        let bool =
            canonical(vec![1, 1], presets::csr(), Scalar::Bool(false), level(), Buffer::from(vec![true]));
        assert!(bool.is_ok());
    }
}
