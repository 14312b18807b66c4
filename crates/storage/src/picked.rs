//! Rows and columns picked from a matrix in compressed rows: rows in any order and cut to some columns, or columns in any
//! order; the same for compressed columns.
//!
//! ```text
//! row 0   a . b     rows 2, 0     c . .     columns 2, 0     . c
//! row 1   . d .     ------->      a . b     ---------->      b a
//! row 2   c . .
//! ```
//!
//! Rows are copied from where they lie. For columns, every element is asked where its column goes; elements of a row that come in
//! another order than they were are sorted in their row.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::invalid;
use crate::index::IndexArray;
use crate::parallel;
use crate::place;
use crate::proof::Maker;
use crate::tensor::{LevelArrays, Tensor, TensorParts};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, tick};
use openwork_base::machine::threshold;
use openwork_format::{ArrayRole, Format};
use std::ops::Range;

/// Elements of a row up to which they are sorted by moving each to its place.
const SHORT: usize = 24;
/// How many times as many coordinates as elements are numbered one by one.
const SPARSE: usize = 4;
const FEW: usize = 1 << 16;
/// Elements that are counted between two looks for a request to stop.
const BETWEEN: usize = 1 << 12;

/// Whether a format is compressed rows, or compressed columns.
pub(crate) fn is_rows(format: &Format) -> bool {
    format.rows().is_some()
}

/// Whether so many coordinates of a mode are numbered one by one, beside so many elements.
pub(crate) fn are_numbered(coords: usize, elements: usize) -> bool {
    coords <= elements.saturating_mul(SPARSE).saturating_add(threshold(FEW, 0))
}

/// The positions and the coordinates of compressed rows.
fn arrays(t: &Tensor) -> Result<(IndexArray<'_>, &Buffer)> {
    let [pos, crd] = &t.level(1).arrays[..] else { return Err(invalid("rows without two arrays")) };
    Ok((IndexArray::from_buffer(pos).ok_or_else(|| invalid("positions of an unknown width"))?, crd))
}

/// Parts of rows with about as many elements each, as ranges of rows; `ends` says where each row ends, after a zero.
pub(crate) fn parts(ends: &[i64]) -> Vec<Range<usize>> {
    let (rows, total) = (ends.len() - 1, ends[ends.len() - 1] as usize);
    let parts = place::parts(total, rows);
    let cut = |p: usize| ends.partition_point(|&end| (end as usize) < p * total / parts).min(rows);
    (0..parts)
        .map(|p| if p == 0 { 0 } else { cut(p) }..if p + 1 == parts { rows } else { cut(p + 1) })
        .collect()
}

/// The pieces of an array that parts of rows write.
pub(crate) fn pieces<'a, T>(mut all: &'a mut [T], parts: &[Range<usize>], ends: &[i64]) -> Vec<&'a mut [T]> {
    let mut pieces = Vec::with_capacity(parts.len());
    for part in parts {
        let length = (ends[part.end] - ends[part.start]) as usize;
        let (own, others) = std::mem::take(&mut all).split_at_mut(length);
        pieces.push(own);
        all = others;
    }
    pieces
}

/// The rows that end where `ends` says, with these coordinates and values, as `t` is stored.
///
/// # Safety
/// The coordinates of every row rise and lie in the shape.
unsafe fn make_tensor(
    t: &Tensor,
    shape: Vec<usize>,
    ends: Vec<i64>,
    crd: Buffer,
    vals: Buffer,
) -> Result<Tensor> {
    Cancel::check()?;
    let (pos, total) = (t.level(1).arrays[0].dtype(), vals.len() as i64);
    // Positions are as wide as they were, unless there are more elements than that counts.
    let fits = Scalar::highest(pos).is_some_and(|most| most.as_i64() >= total);
    let (pos, format) = match fits {
        true => (Buffer::from(ends).cast(pos)?, t.format().clone()),
        false => (Buffer::from(ends), Format { pos: None, ..t.format().clone() }.resolve(&shape)),
    };
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![pos, crd] }];
    let parts = TensorParts { shape, format, fill: t.fill(), levels, vals };
    // SAFETY: as what is packed: the caller's promise, and `ends` counts the elements.
    unsafe { parts.made_by(Maker::Packing) }
}

/// The rows whose elements are the positions `row(0)`, …, `row(count - 1)` of `t`, with coordinates counted from `low` on.
/// Nothing for coordinates that are not counted from 0 on, in a width that is not usual.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn rows(
    t: &Tensor,
    count: usize,
    row: &(dyn Fn(usize) -> Range<usize> + Sync),
    low: i64,
    shape: Vec<usize>,
) -> Result<Option<Tensor>> {
    let (_, crd) = arrays(t)?;
    let (mut begins, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(count + 1));
    let mut total = 0;
    ends.push(0);
    for n in 0..count {
        tick();
        let row = row(n);
        total += row.len() as i64;
        begins.push(row.start);
        ends.push(total);
    }
    let rows = RowCut { parts: &parts(&ends), begins: &begins, ends: &ends };
    let crd = match crd.dtype() {
        _ if low == 0 => rows.apply(crd)?,
        DType::I32 => rows.copy_with::<i32>(crd, |own, from| {
            own.iter_mut().zip(from).for_each(|(slot, &c)| *slot = c - low as i32);
        })?,
        DType::I64 => rows.copy_with::<i64>(crd, |own, from| {
            own.iter_mut().zip(from).for_each(|(slot, &c)| *slot = c - low);
        })?,
        _ => return Ok(None),
    };
    let vals = rows.apply(t.vals())?;
    // SAFETY: these are parts of rows, each as it was.
    unsafe { make_tensor(t, shape, ends, crd, vals) }.map(Some)
}

/// Rows that are copied: where each begins, and where it ends in the copy.
struct RowCut<'a> {
    parts: &'a [Range<usize>],
    begins: &'a [usize],
    ends: &'a [i64],
}

impl RowCut<'_> {
    fn apply(&self, from: &Buffer) -> Result<Buffer> {
        dispatch!(from.dtype(), T => self.copy_with::<T>(from, |own, from| own.copy_from_slice(from)))
    }
    fn copy_with<T: Element>(&self, from: &Buffer, copy: impl Fn(&mut [T], &[T]) + Sync) -> Result<Buffer> {
        let (from, total) = (from.as_slice::<T>().unwrap_or(&[]), self.ends[self.ends.len() - 1]);
        // SAFETY: every element is written below: the rows fill the array.
        let mut out = unsafe { Buffer::to_write(T::DTYPE, total as usize)? };
        let all = out.as_mut_slice::<T>().unwrap_or(&mut []);
        parallel::for_each_part(pieces(all, self.parts, self.ends), |p, mut rest| {
            let part = self.parts[p].clone();
            let lengths = self.ends[part.start..part.end + 1].windows(2).map(|w| (w[1] - w[0]) as usize);
            for (&begin, length) in self.begins[part].iter().zip(lengths) {
                tick();
                let (own, others) = std::mem::take(&mut rest).split_at_mut(length);
                copy(own, &from[begin..begin + length]);
                rest = others;
            }
        });
        Cancel::check()?;
        Ok(out)
    }
}

/// A coordinate as it is stored.
trait CoordElement: Element + Ord {
    fn to_usize(self) -> usize;
    fn from_i32(n: i32) -> Self;
}
impl CoordElement for i32 {
    fn to_usize(self) -> usize {
        self as usize
    }
    fn from_i32(n: i32) -> i32 {
        n
    }
}
impl CoordElement for i64 {
    fn to_usize(self) -> usize {
        self as usize
    }
    fn from_i32(n: i32) -> i64 {
        i64::from(n)
    }
}

/// Where every column goes.
struct ColumnPlaces {
    /// The first place of each column, -1 for none.
    first: Vec<i32>,
    /// The next place of the column that goes to a place, -1 for none; empty where no column goes to more than one.
    next: Vec<i32>,
    /// How many places each column has, where some have several.
    times: Vec<u32>,
    /// Whether elements of a row stay in order.
    rising: bool,
}

impl ColumnPlaces {
    fn from_list(at: &[usize], dim: usize) -> ColumnPlaces {
        let mut first = vec![-1i32; dim];
        let (mut next, mut times) = (Vec::new(), Vec::new());
        for (n, &c) in at.iter().enumerate().rev() {
            tick();
            let later = std::mem::replace(&mut first[c], n as i32);
            if later >= 0 && next.is_empty() {
                next = vec![-1i32; at.len()];
            }
            if later >= 0 {
                next[n] = later;
            }
        }
        if !next.is_empty() {
            times = vec![0u32; dim];
            at.iter().for_each(|&c| times[c] += 1);
        }
        let rising = at.windows(2).all(|w| w[0] < w[1]);
        ColumnPlaces { first, next, times, rising }
    }
    /// How many places these columns have together.
    fn count<C: CoordElement>(&self, columns: &[C]) -> usize {
        let strips = columns.chunks(BETWEEN).inspect(|_| tick());
        match self.times.is_empty() {
            true => strips.map(|s| s.iter().filter(|c| self.first[c.to_usize()] >= 0).count()).sum(),
            false => strips.flatten().map(|c| self.times[c.to_usize()] as usize).sum(),
        }
    }
    /// Writes the places of a row's elements, in order, and their values; both have as many as there are places.
    fn put<C: CoordElement, T: Element>(
        &self,
        columns: &[C],
        values: &[T],
        crd: &mut [C],
        vals: &mut [T],
        room: &mut Vec<(C, T)>,
    ) {
        let mut w = 0;
        for (&c, &value) in columns.iter().zip(values) {
            tick();
            let mut n = self.first[c.to_usize()];
            while n >= 0 {
                (crd[w], vals[w]) = (C::from_i32(n), value);
                w += 1;
                n = self.next.get(n as usize).copied().unwrap_or(-1);
            }
        }
        if self.rising {
            return;
        }
        if w > threshold(SHORT, 2) {
            room.clear();
            room.extend(crd.iter().copied().zip(vals.iter().copied()));
            room.sort_unstable_by_key(|e| e.0);
            room.iter().enumerate().for_each(|(n, &e)| (crd[n], vals[n]) = e);
            return;
        }
        for n in 1..w {
            let (c, value, mut to) = (crd[n], vals[n], n);
            while to > 0 && crd[to - 1] > c {
                (crd[to], vals[to]) = (crd[to - 1], vals[to - 1]);
                to -= 1;
            }
            (crd[to], vals[to]) = (c, value);
        }
    }
}

/// The rows of `t` whose column `n` is its column `at[n]`. Nothing for coordinates of a narrow width, and where columns
/// are too many to be numbered one by one.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn columns(t: &Tensor, at: &[usize], shape: Vec<usize>) -> Result<Option<Tensor>> {
    let (dim, (_, crd)) = (t.shape()[t.format().modes[1]], arrays(t)?);
    let kept = t.format().resolve(&shape).array_dtype(ArrayRole::Crd) == crd.dtype();
    if !kept || i32::try_from(at.len()).is_err() || !are_numbered(dim, crd.len() + at.len()) {
        return Ok(None);
    }
    let places = ColumnPlaces::from_list(at, dim);
    match crd.dtype() {
        DType::I32 => deal_rows::<i32>(t, &places, shape).map(Some),
        DType::I64 => deal_rows::<i64>(t, &places, shape).map(Some),
        _ => Ok(None),
    }
}

/// The rows of `t` with every element where its column goes.
fn deal_rows<C: CoordElement>(t: &Tensor, places: &ColumnPlaces, shape: Vec<usize>) -> Result<Tensor> {
    let (starts, crd) = arrays(t)?;
    let (rows, crd) = (starts.len() - 1, crd.as_slice::<C>().unwrap_or(&[]));
    let row = |i: usize| starts.entry_at(i)..starts.entry_at(i + 1);
    let blocks = place::parts(crd.len(), rows).min(rows.max(1));
    let counted = parallel::answers(blocks, |b| {
        let own = b * rows / blocks..(b + 1) * rows / blocks;
        own.map(|i| places.count(&crd[row(i)])).collect::<Vec<_>>()
    });
    Cancel::check()?;
    let mut total = 0i64;
    let sums = counted.into_iter().flatten().map(|n| {
        total += n as i64;
        total
    });
    let ends: Vec<i64> = std::iter::once(0).chain(sums).collect();
    let (parts, total) = (parts(&ends), total as usize);
    // SAFETY: every element is written below: as many as were counted, row by row.
    let (mut to_crd, mut to_vals) =
        unsafe { (Buffer::to_write(C::DTYPE, total)?, Buffer::to_write(t.dtype(), total)?) };
    dispatch!(t.dtype(), T => {
        let values = t.vals().as_slice::<T>().unwrap_or(&[]);
        let crds = pieces(to_crd.as_mut_slice::<C>().unwrap_or(&mut []), &parts, &ends);
        let vals = pieces(to_vals.as_mut_slice::<T>().unwrap_or(&mut []), &parts, &ends);
        parallel::for_each_part(crds.into_iter().zip(vals).collect(), |p, (mut crd_left, mut vals_left)| {
            let mut room = Vec::new();
            for i in parts[p].clone() {
                let count = (ends[i + 1] - ends[i]) as usize;
                if count == 0 {
                    // Of few columns most rows have none.
                    continue;
                }
                let (own_crd, crds) = std::mem::take(&mut crd_left).split_at_mut(count);
                let (own_vals, vals) = std::mem::take(&mut vals_left).split_at_mut(count);
                places.put(&crd[row(i)], &values[row(i)], own_crd, own_vals, &mut room);
                (crd_left, vals_left) = (crds, vals);
            }
        });
    });
    // SAFETY: each place is that of one column, so a row that is sorted rises.
    unsafe { make_tensor(t, shape, ends, to_crd, to_vals) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Coo;
    use crate::pack::pack;
    use crate::random::Random;
    use openwork_base::threads::run_with_limit;
    use openwork_format::{Width, presets};

    /// A matrix with long rows, short ones and empty ones, and enough elements for several parts.
    fn sample(format: &Format, dtype: DType) -> Tensor {
        let mut random = Random::new(2);
        let entries: Vec<_> = (0..60_000)
            .map(|n| {
                let i = random.number_below(300) as usize;
                let at = vec![i * i % 301, random.number_below(1 + 900 * (i % 3) as u128) as usize];
                (at, Scalar::I32(n).cast(dtype))
            })
            .collect();
        let coo = Coo::from_entries(&[301, 1900], dtype, &entries).unwrap();
        pack(&coo, format, Scalar::zero(dtype)).unwrap()
    }

    #[test]
    fn columns_are_those_of_coordinates_on_any_number_of_threads() {
        let lists: [Vec<usize>; 7] = [
            (0..1900).rev().collect(),
            (0..1900).step_by(3).collect(),
            (0..4000).map(|n| n * 7919 % 1900).collect(),
            vec![5; 40],
            vec![7, 1899],
            vec![900, 3, 900],
            Vec::new(),
        ];
        let wide = presets::csr().with_widths(Width::I32, Width::I64);
        for (format, dtype) in [(presets::csr(), DType::F64), (wide, DType::Bool)] {
            let t = sample(&format, dtype);
            for at in &lists {
                let shape = vec![301, at.len()];
                let one = run_with_limit(1, || columns(&t, at, shape.clone())).unwrap().unwrap();
                assert_eq!(run_with_limit(3, || columns(&t, at, shape.clone())).unwrap().unwrap(), one);
                let p = one.clone().into_parts();
                Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
                for (i, (n, &c)) in
                    (0..301).flat_map(|i| at.iter().enumerate().step_by(11).map(move |x| (i, x)))
                {
                    assert_eq!(one.get(&[i, n]), t.get(&[i, c]));
                }
            }
        }
    }

    #[test]
    fn rows_are_copied_in_parts() {
        let t = sample(&presets::csr(), DType::F64);
        let (starts, _) = arrays(&t).unwrap();
        let row = |n: usize| starts.entry_at(300 - n)..starts.entry_at(301 - n);
        let made =
            |threads| run_with_limit(threads, || rows(&t, 301, &row, 0, vec![301, 1900])).unwrap().unwrap();
        assert_eq!(made(1), made(4));
        let p = made(3).into_parts();
        let checked = Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
        assert!((0..301).all(|i| (0..1900).step_by(7).all(|j| checked.get(&[300 - i, j]) == t.get(&[i, j]))));
    }
}
