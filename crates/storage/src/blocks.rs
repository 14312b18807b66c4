//! The conversion of sorted rows into compressed rows of blocks, without a sort of their entries.
//!
//! ```text
//! 2 rows with columns 0 1 5 | 4     blocks met: 0 2 | 2     distinct: 0 2     each value into its block
//! ```
//! Rows of blocks are gone through twice: first for the blocks that each one has, which are noted where they will stay, then
//! for the values. Beside the result there is a number for every column of blocks.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::too_large;
use crate::index::{IndexArray, with_index};
use crate::parallel;
use crate::rows;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::{DType, Scalar};
use openwork_base::cancel::{Cancel, look, tick};
use openwork_base::machine::threshold;
use openwork_base::{Result, SlotCount};
use openwork_format::{ArrayRole, Format};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Entries from which on rows of blocks are shared out.
const SHARED: usize = 1 << 16;

/// Columns of blocks per entry up to which there is a number for each of them.
const COLUMNS: usize = 4;

/// The arrays of a matrix in blocks; nothing unless it is in plain sorted rows, and `format` is compressed rows of blocks with
/// indices of the usual widths.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn build_arrays(
    t: &Tensor,
    format: &Format,
    fill: Scalar,
) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let listed = rows::rows_of(t.format()) == Some([0, 1]);
    let (Some(size), true) = (size_of(format, t.shape()), listed) else { return Ok(None) };
    let [pos, crd] = &t.level(1).arrays[..] else { return Ok(None) };
    let (Some(pos), Some(crd)) = (IndexArray::from_buffer(pos), crd.as_slice::<i32>()) else {
        return Ok(None);
    };
    let columns = t.shape()[1].div_ceil(size[1]);
    if crd.len() > i32::MAX as usize || columns > COLUMNS * (crd.len() + threshold(1024, 0)) {
        return Ok(None);
    }
    let begins: Vec<u32> = with_index!(pos, pos => pos.iter().map(|&at| at as u32).collect());
    let source = BlockSource { begins: &begins, crd, size, columns };
    source.pack_blocks(t.vals(), format, fill).map(Some)
}

/// The rows and columns of a block, where a format is compressed rows of blocks.
fn size_of(format: &Format, shape: &[usize]) -> Option<[usize; 2]> {
    // A dimension without coordinates has no remainders either.
    let size = format.blocked_rows().filter(|_| !shape.contains(&0))?;
    let size = [usize::try_from(size[0]).ok()?, usize::try_from(size[1]).ok()?];
    let whole = (0..2).all(|m| format.bounds(2 + m, shape).size == size[m]);
    let pos = matches!(format.array_dtype(ArrayRole::Pos), DType::I32 | DType::I64);
    let usual = pos && format.array_dtype(ArrayRole::Crd) == DType::I32;
    // Every column and number of a block fits 31 bits.
    let fits = shape.iter().chain(&size).all(|&n| i32::try_from(n).is_ok());
    (whole && usual && fits).then_some(size)
}

/// Sorted rows.
struct BlockSource<'a> {
    begins: &'a [u32],
    crd: &'a [i32],
    /// Of a block.
    size: [usize; 2],
    /// Columns of blocks.
    columns: usize,
}

impl BlockSource<'_> {
    fn pack_blocks(
        &self,
        vals: &Buffer,
        format: &Format,
        fill: Scalar,
    ) -> Result<(Vec<LevelArrays>, Buffer)> {
        let rows = self.begins.len() - 1;
        let block_rows = rows.div_ceil(self.size[0]);
        let tasks = self.tasks(block_rows);
        let begin = |task: &Range<usize>| self.begins[task.start * self.size[0]] as usize;
        // SAFETY: of each share, as many elements are read as were written there.
        let mut crd = unsafe { Buffer::to_write(DType::I32, self.crd.len())? };
        let shares = part_array(crd.as_mut_slice().unwrap_or(&mut []), tasks.iter().skip(1).map(begin));
        let counts = parallel::answers(tasks.len(), |t| {
            let mut share = shares[t].lock().unwrap_or_else(PoisonError::into_inner);
            self.distinct(tasks[t].clone(), &mut share)
        });
        drop(shares);
        let totals: Vec<usize> = counts.iter().map(|c| c.last().map_or(0, |&n| n as usize)).collect();
        let crd = self.join_columns(crd, &totals, &tasks)?;
        Cancel::check()?;
        let pos = positions(format.array_dtype(ArrayRole::Pos), block_rows, &counts)?;
        let slots = SlotCount::product(&self.size).times(crd.len()).count();
        let slots = slots.ok_or_else(|| too_large("the blocks have more elements than can be addressed"))?;
        let mut blocks = Buffer::zeros_to_write(vals.dtype(), slots)?;
        let padded = !fill.identical(Scalar::zero(fill.dtype()));
        dispatch!(vals.dtype(), T => {
            let (fill, given) = (T::from_scalar(fill), vals.as_slice::<T>().unwrap_or(&[]));
            let crd: &[i32] = crd.as_slice().unwrap_or(&[]);
            let area = self.size[0] * self.size[1];
            let firsts: Vec<usize> = (0..totals.len()).map(|t| totals[..t].iter().sum()).collect();
            let all = part_array(blocks.as_mut_slice::<T>().unwrap_or(&mut []), firsts.iter().skip(1).map(|n| n * area));
            parallel::tasks(tasks.len(), &|t| {
                let mut share = all[t].lock().unwrap_or_else(PoisonError::into_inner);
                if padded {
                    share.fill(fill);
                }
                self.place(tasks[t].clone(), &crd[firsts[t]..][..totals[t]], &counts[t], given, &mut share);
            });
        });
        Cancel::check()?;
        let none = LevelArrays::default;
        let levels = vec![none(), LevelArrays { arrays: vec![pos, crd] }, none(), none(), none(), none()];
        Ok((levels, blocks))
    }

    /// Rows of blocks in about equal shares of the entries, at most two for each thread: a task keeps a number for every column
    /// of blocks.
    fn tasks(&self, block_rows: usize) -> Vec<Range<usize>> {
        let most = if self.crd.len() < threshold(SHARED, 1) { 1 } else { 2 * parallel::threads() };
        let share = self.crd.len().div_ceil(most.max(1)).max(1);
        let end = |block_row: usize| {
            self.begins[((block_row + 1) * self.size[0]).min(self.begins.len() - 1)] as usize
        };
        let (mut all, mut first, mut done) = (Vec::new(), 0, 0);
        for row in 0..block_rows {
            if end(row) - done >= share || row + 1 == block_rows {
                all.push(first..row + 1);
                (first, done) = (row + 1, end(row));
            }
        }
        all
    }
    /// The entries of a row of blocks.
    fn entries(&self, block_row: usize) -> Range<usize> {
        let rows = self.begins.len() - 1;
        let [first, last] =
            [block_row, block_row + 1].map(|b| self.begins[(b * self.size[0]).min(rows)] as usize);
        first..last
    }

    /// Writes the columns of the blocks of some rows of blocks, and gives how many there are up to the end of each.
    fn distinct(&self, block_rows: Range<usize>, crd: &mut [i32]) -> Vec<u32> {
        let by = Quotient::new(self.size[1]);
        // The row of blocks that a column was met in last, from 1 on.
        let mut met = vec![0u32; self.columns];
        let mut n = 0;
        let mut ends = Vec::with_capacity(block_rows.len());
        for (stamp, row) in (1u32..).zip(block_rows) {
            tick();
            let first = n;
            for &c in &self.crd[self.entries(row)] {
                let k = by.of_column(c);
                // Whatever is written there without being new is written over.
                debug_assert!(n < crd.len());
                // SAFETY: there are fewer blocks so far than entries, for which there is room.
                unsafe { *crd.get_unchecked_mut(n) = k as i32 };
                n += usize::from(std::mem::replace(&mut met[k], stamp) != stamp);
            }
            let own = &mut crd[first..n];
            if !own.is_sorted() {
                own.sort_unstable();
            }
            ends.push(n as u32);
        }
        ends
    }

    /// Puts the values of some rows of blocks where they belong; `ends` says how many blocks there are up to the end of each.
    fn place<T: Element>(
        &self,
        block_rows: Range<usize>,
        crd: &[i32],
        ends: &[u32],
        given: &[T],
        blocks: &mut [T],
    ) {
        let ([rows, columns], by) = (self.size, Quotient::new(self.size[1]));
        let listed = self.crd;
        let mut number = vec![0u32; self.columns];
        let mut begin = 0;
        for (block_row, &end) in block_rows.zip(ends) {
            tick();
            for (n, &k) in (begin as u32..).zip(&crd[begin..end as usize]) {
                number[k as usize] = n;
            }
            begin = end as usize;
            let first = block_row * rows;
            for (r, w) in self.begins[first..].windows(2).take(rows).enumerate() {
                let (mut e, end) = (w[0] as usize, (w[1] as usize).min(self.crd.len()).min(given.len()));
                while e < end {
                    // SAFETY: both arrays have `end` elements or more.
                    let (c, value) = unsafe { (*listed.get_unchecked(e), *given.get_unchecked(e)) };
                    let k = by.of_column(c);
                    blocks[(number[k] as usize * rows + r) * columns + (c as usize - k * columns)] = value;
                    e += 1;
                }
            }
        }
    }

    /// The columns of blocks of all tasks together.
    fn join_columns(&self, mut crd: Buffer, totals: &[usize], tasks: &[Range<usize>]) -> Result<Buffer> {
        let mut total = 0;
        let all = crd.as_mut_slice::<i32>().unwrap_or(&mut []);
        for (task, &n) in tasks.iter().zip(totals) {
            look();
            let begin = self.entries(task.start).start;
            if total < begin {
                all.copy_within(begin..begin + n, total);
            }
            total += n;
        }
        rows::cut(crd, total)
    }
}

/// Parts of an array that begin at 0 and at `cuts`, for tasks.
fn part_array<T>(all: &mut [T], cuts: impl Iterator<Item = usize>) -> Vec<Mutex<&mut [T]>> {
    let (mut rest, mut done, mut out) = (all, 0, Vec::new());
    for cut in cuts {
        let (own, after) = rest.split_at_mut(cut - done);
        out.push(Mutex::new(own));
        (rest, done) = (after, cut);
    }
    out.push(Mutex::new(rest));
    out
}

/// Where each row of blocks starts, from how many blocks each task has up to the end of each of its rows.
fn positions(dtype: DType, block_rows: usize, counts: &[Vec<u32>]) -> Result<Buffer> {
    let mut pos = Buffer::zeros(dtype, block_rows + 1)?;
    fn fill<T: Element>(pos: &mut Buffer, counts: &[Vec<u32>], of: impl Fn(u32) -> T) {
        let Some([_, slots @ ..]) = pos.as_mut_slice::<T>() else { return };
        let (mut slots, mut before) = (slots.iter_mut(), 0);
        for task in counts {
            task.iter().zip(&mut slots).for_each(|(&n, slot)| *slot = of(before + n));
            before += task.last().copied().unwrap_or(0);
        }
    }
    if dtype == DType::I32 {
        fill::<i32>(&mut pos, counts, |n| n as i32);
    } else {
        fill::<i64>(&mut pos, counts, i64::from);
    }
    Ok(pos)
}

/// Division of columns by a size, as a product: the quotient of a number of 31 bits is exact where the inverse has as many bits
/// more as the size.
#[derive(Clone, Copy)]
struct Quotient {
    inverse: u64,
    shift: u32,
}

impl Quotient {
    fn new(size: usize) -> Quotient {
        let shift = 31 + usize::BITS - (size - 1).leading_zeros();
        Quotient { inverse: (1u64 << shift).div_ceil(size as u64), shift }
    }
    fn of_column(self, column: i32) -> usize {
        ((column as u64 * self.inverse) >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{pack, repack};
    use crate::random::Random;
    use crate::unpack::unpack;
    use openwork_format::presets;

    #[test]
    fn quotients_are_exact() {
        let mut random = Random::new(5);
        for size in [1, 2, 3, 5, 6, 7, 8, 64, 1000, 65_537, (1 << 31) - 1] {
            let by = Quotient::new(size);
            let numbers = (0..1000).map(|_| random.number_below(1 << 31) as usize);
            let edges = (0..100).flat_map(|n| [n * size, (n + 1) * size - 1]).chain([(1 << 31) - 1]);
            for n in numbers.chain(edges).filter(|&n| n < 1 << 31) {
                assert_eq!(by.of_column(n as i32), n / size, "{n} / {size}");
            }
        }
    }

    #[test]
    fn a_matrix_without_rows_or_columns_is_packed() {
        for shape in [[0, 3], [3, 0], [0, 0]] {
            let coo = crate::Coo::from_entries(&shape, DType::F64, &[]).unwrap();
            let csr = pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap();
            let blocks = repack(&csr, &presets::bcsr(2, 2), Scalar::F64(0.0)).unwrap();
            assert!(unpack(&blocks).unwrap().is_empty() && blocks.shape() == shape);
        }
    }

    #[test]
    fn blocks_are_those_of_a_sort() {
        let mut random = Random::new(3);
        for (rows, columns, n) in [(1, 1, 1), (7, 9, 0), (7, 9, 30), (400, 500, 9000), (900, 70, 100_000)] {
            let entries: Vec<(Vec<usize>, Scalar)> = (0..n)
                .map(|e| {
                    let at = vec![random.number_below(rows) as usize, random.number_below(columns) as usize];
                    (at, Scalar::F64(e as f64 - 5.0))
                })
                .collect();
            let coo =
                crate::Coo::from_entries(&[rows as usize, columns as usize], DType::F64, &entries).unwrap();
            for fill in [0.0, -0.0, f64::INFINITY] {
                let fill = Scalar::F64(fill);
                let csr = pack(&coo, &presets::csr(), fill).unwrap();
                for (m, k) in [(1, 1), (2, 2), (3, 2), (4, 5), (1, 64), (1000, 3)] {
                    let format = presets::bcsr(m, k).resolve(coo.shape());
                    assert!(build_arrays(&csr, &format, fill).unwrap().is_some(), "bcsr({m},{k})");
                    let made = repack(&csr, &format, fill).unwrap();
                    let wanted = pack(&unpack(&csr).unwrap(), &format, fill).unwrap();
                    assert_eq!(made.levels(), wanted.levels(), "bcsr({m},{k}) of {rows} x {columns}");
                    assert_eq!(made.vals().as_bytes(), wanted.vals().as_bytes());
                    let p = made.into_parts();
                    Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                }
            }
        }
    }

    #[test]
    fn other_sources_and_targets_are_left_to_packing() {
        let coo = crate::Coo::from_entries(&[4, 4], DType::F64, &[(vec![1, 2], Scalar::F64(3.0))]).unwrap();
        let zero = Scalar::F64(0.0);
        let taken = |from: Format, to: Format| {
            let t = pack(&coo, &from, zero).unwrap();
            build_arrays(&t, &to.resolve(t.shape()), zero).unwrap().is_some()
        };
        assert!(taken(presets::csr(), presets::bcsr(2, 2)));
        for from in [presets::csc(), presets::coo(2), presets::dcsr(), presets::bcsr(2, 2)] {
            assert!(!taken(from, presets::bcsr(2, 2)));
        }
        for to in [presets::bcsc(2, 2), presets::csb(2), presets::csr(), presets::dia()] {
            assert!(!taken(presets::csr(), to));
        }
    }
}
