//! The packing of unordered entries into compressed rows, without a sort of all of them.
//!
//! ```text
//! (2,1) (0,3) (2,0) (0,3)     rows counted: 2 0 2     put there: 3 3 | | 1 0     each row sorted, equal columns added up
//! ```
//! Entries are moved once; rows are sorted apart, on all threads, by column and then by where they stood, so that equal ones
//! are added up in the order in which they were given.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::index::{IndexArray, with_index};
use crate::meet::{self, MergedRows};
use crate::parallel;
use crate::sort::{self, Apart, Packing, SortedRows, Whole, by_rows};
use crate::tensor::LevelArrays;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, look, strips, tick};
use openwork_format::{ArrayRole, Format};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The arrays of a matrix in compressed rows (or columns), if there are about as many entries as rows; nothing for other
/// formats. Entries that are in order already are copied.
///
/// # Errors
/// E0603 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn pack_rows(coo: &Coo, format: &Format) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let n = coo.len();
    let (Some(modes), true) = (rows_of(format), n > 1 && i32::try_from(n).is_ok()) else { return Ok(None) };
    let [outer, inner] = modes;
    let (Some(rows), Some(columns)) =
        (IndexArray::from_buffer(coo.coords(outer)), IndexArray::from_buffer(coo.coords(inner)))
    else {
        return Ok(None);
    };
    let (dim, wide) = (coo.shape()[outer], coo.shape()[inner]);
    if !sort::counts_rows(dim, wide, n) {
        return Ok(None);
    }
    match sort::sortedness(&[rows, columns], n) {
        Ordering::Greater => {}
        order => return in_order(rows, columns, dim, coo.vals(), format, order == Ordering::Less).map(Some),
    }
    let dims = [dim, wide];
    if meet::suits(dims, n) {
        let MergedRows { begins, crd, vals } = dispatch!(coo.dtype(), T => {
            meet::rows([rows, columns], dims, coo.vals().as_slice::<T>().unwrap_or(&[]))
        })?;
        let pos = row_starts(format.array_dtype(ArrayRole::Pos), &begins)?;
        return Ok(Some((vec![LevelArrays::default(), LevelArrays { arrays: vec![pos, crd] }], vals)));
    }
    let made = if Whole::holds(dims, n) {
        fill_rows(&by_rows::<Whole>(rows, columns, dims, n)?, coo.vals(), format)?
    } else {
        fill_rows(&by_rows::<Apart>(rows, columns, dims, n)?, coo.vals(), format)?
    };
    Ok(Some(made))
}

/// The arrays of entries that are sorted as they come.
fn in_order(
    rows: IndexArray,
    columns: IndexArray,
    dim: usize,
    given: &Buffer,
    format: &Format,
    distinct: bool,
) -> Result<(Vec<LevelArrays>, Buffer)> {
    let n = given.len();
    let mut ends = vec![0u32; dim];
    let mut crd = Buffer::zeros_to_write(DType::I32, n)?;
    let (mut vals, mut again) = (given.duplicate()?, Vec::new());
    let slots = crd.as_mut_slice::<i32>().unwrap_or(&mut []);
    with_index!(rows, rows => for strip in strips(n) {
        // The last entry of a row writes last.
        (strip.start + 1..).zip(&rows[strip]).for_each(|(e, &row)| ends[row as usize] = e as u32);
    });
    for row in 1..dim {
        ends[row] = ends[row].max(ends[row - 1]);
    }
    with_index!(columns, columns => {
        parallel::blocks(slots, 1 << 14, |first, block| {
            block.iter_mut().zip(&columns[first..]).for_each(|(slot, &column)| *slot = column as i32);
        });
    });
    let mut total = n;
    if !distinct {
        total = dispatch!(given.dtype(), T => {
            merge(rows, slots, vals.as_mut_slice::<T>().unwrap_or(&mut []), &mut again)
        });
    }
    let pos = positions(format.array_dtype(ArrayRole::Pos), &ends, again.into_iter())?;
    Cancel::check()?;
    let arrays = vec![pos, cut(crd, total)?];
    Ok((vec![LevelArrays::default(), LevelArrays { arrays }], cut(vals, total)?))
}

/// Adds up neighbours at the same place, and gives the number of places; notes the row of each entry that was added to another.
fn merge<T: Element>(rows: IndexArray, crd: &mut [i32], vals: &mut [T], again: &mut Vec<usize>) -> usize {
    let (mut len, mut last) = (0, (usize::MAX, 0));
    for e in 0..vals.len() {
        tick();
        let place = (rows.entry_at(e), crd[e]);
        if place == last {
            vals[len - 1] = vals[len - 1].plus(vals[e]);
            again.push(place.0);
        } else {
            (crd[len], vals[len]) = (place.1, vals[e]);
            (len, last) = (len + 1, place);
        }
    }
    len
}

/// The arrays of sorted entries with these values.
fn fill_rows<K: Packing>(
    sorted: &SortedRows<K>,
    given: &Buffer,
    format: &Format,
) -> Result<(Vec<LevelArrays>, Buffer)> {
    let n = given.len();
    let mut crd = Buffer::zeros_to_write(DType::I32, n)?;
    let mut vals = Buffer::zeros_to_write(given.dtype(), n)?;
    let tasks = tasks(&sorted.ends);
    let again = dispatch!(given.dtype(), T => {
        let (given, vals) = (given.as_slice::<T>().unwrap_or(&[]), vals.as_mut_slice().unwrap_or(&mut []));
        fill(sorted, &tasks, crd.as_mut_slice().unwrap_or(&mut []), vals, given)
    });
    let total = n - again.iter().map(Vec::len).sum::<usize>();
    let pos = positions(format.array_dtype(ArrayRole::Pos), &sorted.ends, again.into_iter().flatten())?;
    Cancel::check()?;
    let arrays = vec![pos, cut(crd, total)?];
    Ok((vec![LevelArrays::default(), LevelArrays { arrays }], cut(vals, total)?))
}

/// The first elements of an array, which moves to less memory where much of it would be left.
pub(crate) fn cut(mut array: Buffer, len: usize) -> Result<Buffer> {
    let much = len < array.len() / 8 * 7;
    array.truncate(len);
    if much { array.duplicate() } else { Ok(array) }
}

/// Writes a coordinate and a sum for every column of every row, and gives for each task the rows of entries that are at the
/// place of the one before them.
fn fill<K: Packing, T: Element>(
    sorted: &SortedRows<K>,
    tasks: &[Range<usize>],
    crd: &mut [i32],
    vals: &mut [T],
    given: &[T],
) -> Vec<Vec<usize>> {
    let begins: Vec<usize> = tasks.iter().map(|rows| sorted.begin(rows.start)).collect();
    let ends: Vec<usize> = tasks.iter().map(|rows| sorted.begin(rows.end)).collect();
    let (mut rest, mut shares) = ((&mut *crd, &mut *vals), Vec::new());
    for (&begin, &end) in begins.iter().zip(&ends) {
        let (own_crd, crd) = rest.0.split_at_mut(end - begin);
        let (own_vals, vals) = rest.1.split_at_mut(end - begin);
        shares.push(Mutex::new(TaskShare { crd: own_crd, vals: own_vals, len: 0, again: Vec::new() }));
        rest = (crd, vals);
    }
    let again = parallel::answers(tasks.len(), |t| {
        let mut share = shares[t].lock().unwrap_or_else(PoisonError::into_inner);
        if K::ROW {
            share.take::<K>(&sorted.keys()[begins[t]..ends[t]], given, K::row);
        } else {
            for row in tasks[t].clone() {
                share.take::<K>(&sorted.keys()[sorted.begin(row)..sorted.begin(row + 1)], given, |_| row);
            }
        }
        std::mem::take(&mut share.again)
    });
    drop(shares);
    // The shares of tasks with fewer elements than entries are moved together.
    let mut total = 0;
    for ((&begin, &end), again) in begins.iter().zip(&ends).zip(&again) {
        look();
        let own = begin..end - again.len();
        if total < begin {
            crd.copy_within(own.clone(), total);
            vals.copy_within(own.clone(), total);
        }
        total += own.len();
    }
    again
}

/// Where a task writes its elements.
struct TaskShare<'a, T> {
    crd: &'a mut [i32],
    vals: &'a mut [T],
    len: usize,
    /// Rows of entries that were added to others.
    again: Vec<usize>,
}

impl<T: Element> TaskShare<'_, T> {
    /// The elements of sorted entries that are all of one row, or have rows in their keys.
    fn take<K: Packing>(&mut self, keys: &[u64], given: &[T], row: impl Fn(u64) -> usize) {
        // No entry is there: the first one is new.
        let (mut last, mut len) = (u64::MAX, self.len);
        for &key in keys {
            let (place, value) = (K::place(key), given[K::number(key)]);
            if place == last {
                self.vals[len - 1] = self.vals[len - 1].plus(value);
                self.again.push(row(key));
            } else {
                (self.crd[len], self.vals[len]) = (K::column(place) as i32, value);
                (len, last) = (len + 1, place);
            }
        }
        self.len = len;
    }
}

/// The modes of rows and columns, where a format is compressed rows in the usual widths, which count any 31 bits.
pub(crate) fn rows_of(format: &Format) -> Option<[usize; 2]> {
    let wide = matches!(format.array_dtype(ArrayRole::Pos), DType::I32 | DType::I64);
    let usual = wide && format.array_dtype(ArrayRole::Crd) == DType::I32;
    format.rows().filter(|_| usual)
}

/// Where rows start, in a width of positions.
fn row_starts(dtype: DType, begins: &[u32]) -> Result<Buffer> {
    // SAFETY: every element is written below.
    let mut pos = unsafe { Buffer::to_write(dtype, begins.len())? };
    if let Some(slots) = pos.as_mut_slice::<i32>() {
        slots.iter_mut().zip(begins).for_each(|(slot, &at)| *slot = at as i32);
    }
    if let Some(slots) = pos.as_mut_slice::<i64>() {
        slots.iter_mut().zip(begins).for_each(|(slot, &at)| *slot = i64::from(at));
    }
    Ok(pos)
}

/// Rows in about equal shares of the entries.
fn tasks(ends: &[u32]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut first, mut done) = (0, 0);
    for (row, &end) in ends.iter().enumerate() {
        if end as usize - done >= sort::BLOCK || row + 1 == ends.len() {
            all.push(first..row + 1);
            (first, done) = (row + 1, end as usize);
        }
    }
    all
}

/// Where each row starts, and the last one ends: where its entries do, less those that were added to others, whose rows are in
/// order.
fn positions(dtype: DType, ends: &[u32], again: impl Iterator<Item = usize>) -> Result<Buffer> {
    let mut pos = Buffer::zeros(dtype, ends.len() + 1)?;
    fn fill<T: Element>(
        pos: &mut Buffer,
        ends: &[u32],
        again: impl Iterator<Item = usize>,
        of: impl Fn(u32) -> T,
    ) {
        let Some([_, slots @ ..]) = pos.as_mut_slice::<T>() else { return };
        let (mut from, mut less) = (0, 0);
        let mut until = |row: usize, less: u32| {
            slots[from..row].iter_mut().zip(&ends[from..row]).for_each(|(slot, &end)| *slot = of(end - less));
            from = row;
        };
        for row in again {
            until(row, less);
            less += 1;
        }
        until(ends.len(), less);
    }
    if dtype == DType::I32 {
        fill::<i32>(&mut pos, ends, again, |n| n as i32);
    } else {
        fill::<i64>(&mut pos, ends, again, i64::from);
    }
    Ok(pos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::pack;
    use crate::unpack::unpack;
    use openwork_algebra::Scalar;
    use openwork_format::presets;

    /// Entries in no order, some of them at the same place, whose sums depend on the order of their terms.
    fn scatter_entries(rows: usize, columns: usize, n: usize) -> Coo {
        let mut x = 7u64;
        let mut next = |m: usize| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 33) as usize % m.max(1)
        };
        let mut at = || (0..n).map(|_| (next(rows) as i32, next(columns) as i32)).unzip();
        let (i, j): (Vec<i32>, Vec<i32>) = at();
        let vals: Vec<f64> = (0..n).map(|e| if e % 3 == 0 { 1e16 } else { e as f64 }).collect();
        Coo::new(vec![rows, columns], vec![Buffer::from(i), Buffer::from(j)], Buffer::from(vals)).unwrap()
    }

    #[test]
    fn rows_are_those_of_a_sort_of_all_entries() {
        let zero = Scalar::F64(0.0);
        for (rows, columns, n) in [
            (1, 5, 40),
            (7, 1, 30),
            (50, 60, 20),
            (300, 200, 3000),
            (40_000, 900, 60_000),
            (3, 70_000, 50_000),
            // Keys without rows, and columns far beyond entries.
            (20, 3_000_000, 900),
            (4_000, 3_000_000, 2_000),
        ] {
            let coo = scatter_entries(rows, columns, n);
            for format in [presets::csr(), presets::csc()] {
                let format = format.resolve(coo.shape());
                let counted = coo.shape()[format.modes[0]] <= 4 * n;
                assert_eq!(pack_rows(&coo, &format).unwrap().is_some(), counted, "{rows} x {columns}, {n}");
                let made = pack(&coo, &format, zero).unwrap();
                // A list of coordinates is sorted as a whole.
                let list = pack(&coo, &presets::coo(2).with_modes(format.modes.clone()), zero).unwrap();
                let wanted = pack(&unpack(&list).unwrap(), &format, zero).unwrap();
                assert_eq!(made, wanted, "{rows} x {columns}, {n}");
                let p = made.into_parts();
                crate::Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
            }
        }
    }

    #[test]
    fn sums_are_those_of_every_dtype_and_leave_no_memory() {
        let n = 60_000;
        let at = |m: usize| Buffer::from((0..n).map(|e| ((n - e) * 7 % m) as i32).collect::<Vec<_>>());
        let vals = Buffer::from((0..n).map(|e| e as i64).collect::<Vec<_>>());
        for dtype in DType::ALL {
            let vals = vals.cast(dtype).unwrap();
            let coo = Coo::new(vec![50, 40], vec![at(50), at(40)], vals).unwrap();
            let mut wanted = vec![None; 50 * 40];
            for e in 0..n {
                let place = coo.coords(0).get(e).as_i64() * 40 + coo.coords(1).get(e).as_i64();
                let (slot, value) = (&mut wanted[place as usize], coo.vals().get(e));
                *slot = Some(slot.map_or(value, |sum| crate::element::sum(sum, value)));
            }
            let made = pack(&coo, &presets::csr(), Scalar::zero(dtype)).unwrap();
            assert!(made.vals().iter().eq(wanted.into_iter().flatten()), "{dtype}");
            assert!(made.vals().capacity() < 2 * made.vals().len(), "{dtype}");
        }
    }

    #[test]
    fn entries_in_order_are_those_of_a_sort() {
        for n in [60, 700, 40_000] {
            let list = pack(&scatter_entries(90, 400, n), &presets::coo(2), Scalar::F64(0.0)).unwrap();
            let sorted = unpack(&list).unwrap();
            let wanted =
                pack_rows(&scatter_entries(90, 400, n), &presets::csr().resolve(&[90, 400])).unwrap();
            assert_eq!(pack_rows(&sorted, &presets::csr().resolve(&[90, 400])).unwrap(), wanted, "{n}");
            // Every entry twice: all sums are even.
            let twice = |b: &Buffer| b.iter().flat_map(|x| [x, x]).collect::<Vec<_>>();
            let ints = |b: &Buffer| Buffer::from(twice(b).iter().map(|x| x.as_i64()).collect::<Vec<_>>());
            let vals = Buffer::from(twice(sorted.vals()).iter().map(|x| x.as_f64()).collect::<Vec<_>>());
            let coords = vec![ints(sorted.coords(0)), ints(sorted.coords(1))];
            let doubled = Coo::new(vec![90, 400], coords, vals).unwrap();
            let (levels, vals) = pack_rows(&doubled, &presets::csr().resolve(&[90, 400])).unwrap().unwrap();
            let (once, single) = wanted.unwrap();
            assert_eq!(levels, once, "{n}");
            assert!(vals.iter().zip(single.iter()).all(|(a, b)| a.as_f64() == 2.0 * b.as_f64()));
        }
    }

    #[test]
    fn other_formats_are_not_taken() {
        let taken =
            |coo: &Coo, format: Format| pack_rows(coo, &format.resolve(coo.shape())).unwrap().is_some();
        let coo = scatter_entries(30, 30, 100);
        for format in [presets::dcsr(), presets::coo(2), presets::dense(2), presets::dia()] {
            assert!(!taken(&coo, format));
        }
        let sorted = unpack(&pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap()).unwrap();
        assert!(taken(&sorted, presets::csr()) && taken(&sorted, presets::csc()));
        let wide = Format { crd: Some(openwork_format::Width::I64), ..presets::csr() };
        assert!(!taken(&coo, wide));
        // Far more rows than entries are not counted.
        assert!(!taken(&scatter_entries(1 << 20, 5, 100), presets::csr()));
    }
}
