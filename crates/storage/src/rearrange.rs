//! Rearrangements of a tensor: the same elements in another plain format, where that takes no more than copying, counting and
//! placing.
//!
//! [`Rearrangement::find`] says which pairs of formats have such a way. Blocks are in [`blocks`], runs in [`runs`], bits
//! in [`bits`], marks in [`slots`], and other orders of modes in [`turn`].
//!
//! Columns may stand for rows everywhere. Whole arrays are copied as fast as memory is, which no loop over elements is; the
//! rest are loops over one index array.

use crate::bits;
use crate::blocks;
use crate::buffer::{Buffer, RunArray};
use crate::element::{Element, dispatch};
use crate::index::{IndexArray, with_index};
use crate::parallel;
use crate::place::{self, TaskSlots};
use crate::rows::rows_of;
use crate::runs;
use crate::slots;
use crate::tensor::{LevelArrays, Tensor};
use crate::turn;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, look, strips};
use openwork_base::machine::threshold;
use openwork_format::{ArrayRole, Format, Rearrangement};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Elements from which on arrays are made on several threads.
const SHARED: usize = 1 << 16;
/// Bytes of a result up to which elements are placed in turn: they find the cache. Of more, kernels look how widely they
/// scatter.
const NEAR: usize = 9 << 20;
/// Elements that are placed between two looks for a request to stop.
const BETWEEN: usize = 1 << 16;
/// Bytes of a result from which on memory is asked for ahead. Elements so many places on are about to be placed.
const FAR: usize = 5 << 20;
const DISTANCE: usize = 32;
/// Elements that are placed in one loop, whatever rows they are of.
const HERE: usize = 1024;
/// Numbers of rows that are written at once; those that were too many are written over.
const AT_ONCE: usize = 8;
/// Columns per element up to which they are counted.
const PARENTS: usize = 1;

/// The arrays of `t` in `format`, which is resolved; nothing where there is no short way.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn build_arrays(
    t: &Tensor,
    format: &Format,
    fill: Scalar,
) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let Some(way) = Rearrangement::find(t.format(), format) else { return Ok(None) };
    let pos = format.array_dtype(ArrayRole::Pos);
    match (way, list_of(t.format()), rows_of(t.format())) {
        (Rearrangement::RepeatRows, _, Some(_)) if list_of(format).is_some() => rearrange_list(t, pos),
        (Rearrangement::NoteRows, Some(modes), _) if rows_of(format).is_some() => {
            rearrange_compressed(t, modes, pos)
        }
        (Rearrangement::Transpose, _, Some([_, inner])) if rows_of(format).is_some() => {
            transpose_rows(t, inner, pos)
        }
        // Index arrays of these widths are left to kernels.
        (Rearrangement::RepeatRows | Rearrangement::NoteRows | Rearrangement::Transpose, ..) => Ok(None),
        (Rearrangement::FindRuns, ..) => runs::build_arrays(t, format),
        (Rearrangement::SetBits, ..) => bits::build_arrays(t, format, fill),
        (Rearrangement::FormBlocks, ..) => blocks::build_arrays(t, format, fill),
        (Rearrangement::Mark | Rearrangement::Unmark, ..) => slots::build_arrays(t, format, fill),
        (Rearrangement::Turn, ..) => {
            Ok(turn::reorder_values(t, format)?
                .map(|vals| (vec![LevelArrays::default(); format.depth()], vals)))
        }
    }
}

/// The coordinates of every mode and the values, where rows or a list have them in their arrays; nothing elsewhere.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn coordinates(t: &Tensor) -> Result<Option<(Vec<Buffer>, Buffer)>> {
    let (modes, outer, inner, vals) = if let Some(modes) = rows_of(t.format()) {
        let Some((mut levels, vals)) = rearrange_list(t, DType::I64)? else { return Ok(None) };
        let mut last = || levels.pop().and_then(|mut level| level.arrays.pop());
        let (inner, outer) = (last(), last());
        (modes, outer, inner, vals)
    } else if let Some(modes) = list_of(t.format()) {
        let own = |k: usize| t.level(k).arrays.last().map(Buffer::duplicate).transpose();
        (modes, own(0)?, own(1)?, t.vals().duplicate()?)
    } else {
        return Ok(None);
    };
    let (Some(outer), Some(inner)) = (outer, inner) else { return Ok(None) };
    Ok(Some((if modes == [0, 1] { vec![outer, inner] } else { vec![inner, outer] }, vals)))
}

/// The modes of a list of coordinates that are sorted and distinct, in the usual widths.
pub(crate) fn list_of(format: &Format) -> Option<[usize; 2]> {
    let pos = matches!(format.array_dtype(ArrayRole::Pos), DType::I32 | DType::I64);
    let usual = pos && format.array_dtype(ArrayRole::Crd) == DType::I32;
    let [outer, inner] = format.modes[..] else { return None };
    (format.is_list() && usual).then_some([outer, inner])
}

/// One of the arrays that are made beside each other.
type ArrayMaker<'a> = dyn Fn() -> Result<Buffer> + Sync + 'a;

/// The array that takes as long as the others together, and these: on two threads where they are large.
fn make_together(n: usize, long: &ArrayMaker, others: [&ArrayMaker; 2]) -> Result<[Buffer; 3]> {
    let both = || Ok([others[0]()?, others[1]()?]);
    if n < threshold(SHARED, 1) {
        let [a, b] = both()?;
        return Ok([long()?, a, b]);
    }
    let (mut arrays, mut error) = (Vec::new(), None);
    for made in
        parallel::answers(2, |task| if task == 0 { long().map(|a| vec![a]) } else { both().map(Vec::from) })
    {
        match made {
            Ok(some) => arrays.extend(some),
            Err(e) => error = error.or(Some(e)),
        }
    }
    match (<[Buffer; 3]>::try_from(arrays), error) {
        (_, Some(e)) => Err(e),
        (Ok(arrays), None) => Ok(arrays),
        // A task that was stopped has no answer.
        (Err(_), None) => Err(openwork_base::cancel::cancel_error()),
    }
}

fn rearrange_list(t: &Tensor, pos: DType) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let [starts, crd] = &t.level(1).arrays[..] else { return Ok(None) };
    let (Some(starts), n) = (IndexArray::from_buffer(starts), crd.len()) else { return Ok(None) };
    if i32::try_from(n).is_err() {
        return Ok(None);
    }
    let rows = || {
        let mut runs = RunArray::<i32>::with_capacity(n)?;
        with_index!(starts, starts => for strip in strips(starts.len() - 1) {
            let counts = starts[strip.start..strip.end + 1].windows(2).map(|w| (w[1] - w[0]) as usize);
            (strip.start as i32..).zip(counts).for_each(|(row, count)| runs.push(row, count));
        });
        Ok(runs.into_buffer())
    };
    let [vals, rows, columns] = make_together(n, &|| t.vals().duplicate(), [&rows, &|| crd.duplicate()])?;
    let ends = after_zero(pos, &[n as u32])?;
    let levels = vec![LevelArrays { arrays: vec![ends, rows] }, LevelArrays { arrays: vec![columns] }];
    Ok(Some((levels, vals)))
}

fn rearrange_compressed(
    t: &Tensor,
    [outer, _]: [usize; 2],
    pos: DType,
) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let (Some(rows), Some(columns)) = (t.level(0).arrays[1].as_slice::<i32>(), t.level(1).arrays.first())
    else {
        return Ok(None);
    };
    if i32::try_from(rows.len()).is_err() {
        return Ok(None);
    }
    let dim = t.shape()[outer];
    let starts = || {
        let mut starts = Buffer::zeros_to_write(pos, dim + 1)?;
        if pos == DType::I32 {
            ends(rows, starts.as_mut_slice::<i32>().unwrap_or(&mut []), |n| n as i32);
        } else {
            ends(rows, starts.as_mut_slice::<i64>().unwrap_or(&mut []), |n| n as i64);
        }
        Ok(starts)
    };
    let [vals, starts, columns] =
        make_together(rows.len(), &|| t.vals().duplicate(), [&starts, &|| columns.duplicate()])?;
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![starts, columns] }];
    Ok(Some((levels, vals)))
}

/// Where the rows of a sorted list end, after a zero; `starts` is all zeros.
fn ends<T: Element + PartialOrd>(rows: &[i32], starts: &mut [T], of: impl Fn(usize) -> T) {
    for strip in strips(rows.len()) {
        // The last element of a row writes last.
        for (e, &row) in (strip.start + 1..).zip(&rows[strip]) {
            starts[row as usize + 1] = of(e);
        }
    }
    let mut last = T::ZERO;
    for strip in strips(starts.len()) {
        for slot in &mut starts[strip] {
            // Which rows are empty is hard to foresee, so that nothing branches on it.
            last = if *slot < last { last } else { *slot };
            *slot = last;
        }
    }
}

/// Rows of a matrix by columns, whose mode is `inner`.
fn transpose_rows(t: &Tensor, inner: usize, pos: DType) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let [starts, crd] = &t.level(1).arrays[..] else { return Ok(None) };
    let (Some(starts), Some(crd)) = (IndexArray::from_buffer(starts), crd.as_slice::<i32>()) else {
        return Ok(None);
    };
    let (n, dim, bytes) = (crd.len(), t.shape()[inner], 4 + t.dtype().size());
    if n * bytes > threshold(NEAR, 64) || dim > PARENTS * n {
        return Ok(None);
    }
    let parts = place::parts(n, dim);
    let cuts: Vec<usize> = with_index!(starts, starts => {
        let cut = |p: usize| starts.partition_point(|&at| (at as usize) < p * n / parts).min(starts.len() - 1);
        (0..parts).map(cut).chain([starts.len() - 1]).collect()
    });
    let range = |p: usize| starts.entry_at(cuts[p])..starts.entry_at(cuts[p + 1]);
    let mut next = parallel::answers(parts, |p| {
        let mut counts = vec![0u32; dim];
        for strip in strips(range(p).len()) {
            crd[range(p)][strip].iter().for_each(|&c| counts[c as usize] += 1);
        }
        counts
    });
    Cancel::check()?;
    place::begins(&mut next);
    // SAFETY: every element is written before it is read: there are as many places as columns were counted.
    let (mut rows, mut vals) = unsafe { (Buffer::to_write(DType::I32, n)?, Buffer::to_write(t.dtype(), n)?) };
    let next: Vec<Mutex<Vec<u32>>> = next.into_iter().map(Mutex::new).collect();
    dispatch!(t.dtype(), T => {
        let from = RowElements { crd, vals: t.vals().as_slice::<T>().unwrap_or(&[]) };
        let rows = TaskSlots::new(rows.as_mut_slice::<i32>().unwrap_or(&mut []));
        let vals = TaskSlots::new(vals.as_mut_slice::<T>().unwrap_or(&mut []));
        parallel::tasks(parts, &|p| {
            let mut next = next[p].lock().unwrap_or_else(PoisonError::into_inner);
            let own = cuts[p]..cuts[p + 1];
            with_index!(starts, starts => {
                // SAFETY: `next` has where the elements of this part go, as many for each column as it has there.
                unsafe {
                    if n * bytes > threshold(FAR, 64) {
                        from.place::<true, _>(starts, own, &mut next, rows, vals);
                    } else {
                        from.place::<false, _>(starts, own, &mut next, rows, vals);
                    }
                }
            });
        });
    });
    Cancel::check()?;
    // Every column now ends where the one after it began.
    let Some(ends) = next.into_iter().next_back() else { return Ok(None) };
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![after_zero(pos, &ends)?, rows] }];
    Ok(Some((levels, vals)))
}

/// Where a row begins.
trait Start: Copy {
    fn to_usize(self) -> usize;
}
macro_rules! start {
    ($($T:ty),*) => {$(
        impl Start for $T {
            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }
        }
    )*};
}
start!(u8, u16, u32, i32, i64);

/// Elements in rows.
struct RowElements<'a, T> {
    crd: &'a [i32],
    vals: &'a [T],
}

impl<T: Element> RowElements<'_, T> {
    /// Puts the elements of some rows where `next` says for their columns. With `AHEAD`, memory is asked for before its turn.
    ///
    /// Where a short row ends is hard to foresee, and its elements wait for that: the numbers of rows are written out first, some at
    /// once, and elements are placed in one loop.
    ///
    /// # Safety
    /// `next` has a counter for every column, counts up to no more places in `rows` and `vals` than there are, and to none that
    /// another task writes.
    unsafe fn place<const AHEAD: bool, P: Start>(
        &self,
        starts: &[P],
        own: Range<usize>,
        next: &mut [u32],
        rows: TaskSlots<i32>,
        vals: TaskSlots<T>,
    ) {
        let n = self.crd.len().min(self.vals.len());
        let (mut row, mut looked) = (own.start, 0);
        let mut numbers = [0; HERE + AT_ONCE];
        while row < own.end {
            let first = starts[row].to_usize().min(n);
            if first - looked > BETWEEN {
                look();
                looked = first;
            }
            let (mut last, mut end) = (row, first);
            while last < own.end {
                let next_end = starts[last + 1].to_usize().min(n);
                if next_end - first > HERE {
                    break;
                }
                let mut at = end - first;
                while {
                    numbers[at..at + AT_ONCE].copy_from_slice(&[last as i32; AT_ONCE]);
                    at += AT_ONCE;
                    at < next_end - first
                } {}
                (last, end) = (last + 1, next_end);
            }
            // SAFETY: the caller's promise.
            unsafe {
                if last == row {
                    let long = first..starts[row + 1].to_usize().min(n);
                    self.place_each::<AHEAD>(long, std::iter::repeat(row as i32), next, rows, vals);
                    last += 1;
                } else {
                    self.place_each::<AHEAD>(first..end, numbers.iter().copied(), next, rows, vals);
                }
            }
            row = last;
        }
    }
    /// Puts some elements, of rows with these numbers, where `next` says for their columns.
    ///
    /// # Safety
    /// As for [`RowElements::place`]; the columns of these elements were counted.
    #[inline(always)]
    unsafe fn place_each<const AHEAD: bool>(
        &self,
        own: Range<usize>,
        numbers: impl Iterator<Item = i32>,
        next: &mut [u32],
        rows: TaskSlots<i32>,
        vals: TaskSlots<T>,
    ) {
        let (crd, last) = (self.crd, self.crd.len().saturating_sub(1));
        let elements = own.clone().zip(&crd[own.clone()]).zip(&self.vals[own]);
        for (((e, &c), &value), row) in elements.zip(numbers) {
            if AHEAD {
                let at = next[crd[(e + DISTANCE).min(last)] as usize] as usize;
                rows.ask(at);
                vals.ask(at);
            }
            // SAFETY: the caller's promise: to count a column, its counter was found.
            unsafe {
                let slot = next.get_unchecked_mut(c as usize);
                let at = *slot as usize;
                *slot += 1;
                rows.put(at, row);
                vals.put(at, value);
            }
        }
    }
}

/// Numbers after a zero, in a width of positions.
fn after_zero(pos: DType, ends: &[u32]) -> Result<Buffer> {
    // SAFETY: every element is written below.
    let mut all = unsafe { Buffer::to_write(pos, ends.len() + 1)? };
    fn write<T: Element>(all: &mut Buffer, ends: &[u32], of: impl Fn(u32) -> T) {
        let Some([zero, slots @ ..]) = all.as_mut_slice::<T>() else { return };
        *zero = T::ZERO;
        slots.iter_mut().zip(ends).for_each(|(slot, &n)| *slot = of(n));
    }
    if pos == DType::I32 {
        write::<i32>(&mut all, ends, |n| n as i32);
    } else {
        write::<i64>(&mut all, ends, i64::from);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{pack, repack};
    use crate::random::Random;
    use crate::unpack::unpack;
    use openwork_base::threads::run_with_limit;
    use openwork_format::{Width, presets};

    fn elements(rows: u128, columns: u128, n: usize, dtype: DType) -> crate::Coo {
        let mut random = Random::new(11);
        let mut entry = |e: usize| {
            let at = vec![random.number_below(rows) as usize, random.number_below(columns) as usize];
            (at, Scalar::F64((e % 90) as f64).cast(dtype))
        };
        let entries: Vec<(Vec<usize>, Scalar)> = (0..n).map(&mut entry).collect();
        crate::Coo::from_entries(&[rows as usize, columns as usize], dtype, &entries).unwrap()
    }
    fn formats() -> Vec<Format> {
        let list = |modes: &[usize]| presets::coo(2).with_modes(modes.to_vec());
        let all = [presets::csr(), presets::csc(), list(&[0, 1]), list(&[1, 0])];
        let narrow = |f: &Format| Format { pos: Some(Width::I32), ..f.clone() };
        all.iter().flat_map(|f| [f.clone(), narrow(f)]).collect()
    }

    #[test]
    fn elements_are_those_of_packing() {
        let sizes = [(1, 1, 1), (9, 7, 0), (9, 7, 20), (300, 80, 3000), (2000, 90, 100), (600, 700, 200_000)];
        let mut taken = 0;
        for (n, (rows, columns, count)) in sizes.into_iter().enumerate() {
            let dtype = [DType::F64, DType::I8, DType::C128, DType::F32, DType::Bool, DType::F64][n];
            let coo = elements(rows, columns, count, dtype);
            let fill = Scalar::zero(dtype);
            for from in formats() {
                let t = pack(&coo, &from, fill).unwrap();
                for to in formats() {
                    let to = to.resolve(t.shape());
                    taken += usize::from(build_arrays(&t, &to, fill).unwrap().is_some());
                    let made = repack(&t, &to, fill).unwrap();
                    let wanted = pack(&unpack(&t).unwrap(), &to, fill).unwrap();
                    assert_eq!(made, wanted, "{from} to {to} of {rows} x {columns}");
                    let p = made.into_parts();
                    Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                }
            }
        }
        // Of 64 pairs, 8 between rows and columns and 8 each between either and its list, but for what is too wide to count.
        assert!((16 * 5..=24 * 6).contains(&taken), "{taken}");
    }

    #[test]
    fn rows_of_every_length_stand_in_columns() {
        // Around what is written at once, and around what is placed in one loop.
        let lengths =
            [0, 1, 7, 8, 9, 0, 0, 15, 16, 17, 1000, HERE, HERE + 1, HERE - 1, 1, HERE - 9, 8, 1, 3000, 0];
        let entries = (0..).zip(lengths).flat_map(|(row, count)| {
            (0..count).map(move |c| (vec![row, c * 7 % 3001], Scalar::F64((row * 10_000 + c) as f64)))
        });
        let entries: Vec<(Vec<usize>, Scalar)> = entries.collect();
        let coo = crate::Coo::from_entries(&[lengths.len(), 3001], DType::F64, &entries).unwrap();
        let csr = pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap();
        let csc = presets::csc().resolve(csr.shape());
        let (levels, vals) = build_arrays(&csr, &csc, Scalar::F64(0.0)).unwrap().unwrap();
        let wanted = pack(&coo, &csc, Scalar::F64(0.0)).unwrap();
        assert!(levels == wanted.levels() && vals == *wanted.vals());
    }

    #[test]
    fn columns_are_the_same_on_any_number_of_threads() {
        let zero = Scalar::zero(DType::C128);
        // The first result is so large that memory is asked for ahead; the others have few rows for the parts, or few elements.
        for (rows, columns, count) in
            [(900, 1000, 500_000), (2, 40_000, 90_000), (3, 50_000, 70_000), (9, 7, 40)]
        {
            let coo = elements(rows, columns, count, DType::C128);
            let csr = pack(&coo, &presets::csr(), zero).unwrap();
            let csc = presets::csc().resolve(csr.shape());
            let wanted = pack(&unpack(&csr).unwrap(), &csc, zero).unwrap();
            for threads in [1, 2, 3, 4] {
                let (levels, vals) =
                    run_with_limit(threads, || build_arrays(&csr, &csc, zero)).unwrap().unwrap();
                assert!(levels == wanted.levels() && vals == *wanted.vals(), "{rows} x {columns}, {threads}");
            }
        }
    }

    #[test]
    fn other_formats_are_left_to_packing() {
        let fill = Scalar::F64(0.0);
        let coo = elements(20, 30, 100, DType::F64);
        let taken = |from: &Format, to: &Format| {
            let t = pack(&coo, from, fill).unwrap();
            build_arrays(&t, &to.resolve(t.shape()), fill).unwrap().is_some()
        };
        let wide = Format { crd: Some(Width::I64), ..presets::csr() };
        for other in [presets::dcsr(), presets::dense(2), presets::dia(), presets::ell(), wide] {
            for plain in formats() {
                assert!(!taken(&other, &plain) && !taken(&plain, &other), "{other} and {plain}");
            }
        }
        assert!(!taken(&presets::csr(), &presets::csr()), "the same needs no way");
        assert!(!taken(&presets::csc(), &presets::coo(2)), "another order");
    }
}
