//! The packing of unordered entries into compressed rows by counting alone: they are put in order by columns, then by rows,
//! where entries at the same place meet and are added up.
//!
//! ```text
//! (2,1) (0,3) (2,0) (0,3)     by columns: 2 | 0 | | 1 3     by rows: 1 3 | | 2 0     added up: 1+3 | | 2 0
//! ```
//! Whatever the number of threads, entries at the same place are added up in the order in which they were given.

use crate::buffer::Buffer;
use crate::element::Element;
use crate::index::{IndexArray, with_index};
use crate::parallel;
use crate::place::{self, TaskSlots};
use crate::rows::cut as cut_to;
use crate::sort::{Packing, Whole};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, strips};
use std::hint::select_unpredictable;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Where each row begins, and the columns and values of all.
pub(crate) struct MergedRows {
    /// After the last row, where it ends.
    pub(crate) begins: Vec<u32>,
    pub(crate) crd: Buffer,
    pub(crate) vals: Buffer,
}

/// Whether entries of a matrix of this shape are put in order so: by counts of no more columns than there are entries.
pub(crate) fn suits([rows, columns]: [usize; 2], n: usize) -> bool {
    Whole::holds([rows, columns], n) && columns <= n
}

/// The rows of entries of a matrix that [`suits`].
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn rows<T: Element>(
    [rows, columns]: [IndexArray; 2],
    dims: [usize; 2],
    given: &[T],
) -> Result<MergedRows> {
    let n = given.len();
    let keys = by_columns([rows, columns], dims[1], n)?;
    let (keys, ends) = by_rows(keys.as_slice().unwrap_or(&[]), dims[0])?;
    added_up(keys.as_slice().unwrap_or(&[]), &ends, given)
}

/// The keys of all entries by columns, earlier ones first.
fn by_columns([rows, columns]: [IndexArray; 2], dim: usize, n: usize) -> Result<Buffer> {
    let parts = place::parts(n, dim);
    let range = |p: usize| p * n / parts..(p + 1) * n / parts;
    let mut next = parallel::answers(parts, |p| {
        let mut counts = vec![0u32; dim];
        with_index!(columns, columns => for strip in strips(range(p).len()) {
            columns[range(p)][strip].iter().for_each(|&c| counts[c as usize] += 1);
        });
        counts
    });
    Cancel::check()?;
    place::begins(&mut next);
    // SAFETY: every key is written below: as many as entries were counted.
    let mut keys = unsafe { Buffer::to_write(u64::DTYPE, n)? };
    let slots = TaskSlots::new(keys.as_mut_slice::<u64>().unwrap_or(&mut []));
    let next: Vec<Mutex<Vec<u32>>> = next.into_iter().map(Mutex::new).collect();
    parallel::tasks(parts, &|p| {
        let mut next = next[p].lock().unwrap_or_else(PoisonError::into_inner);
        with_index!(rows, rows => with_index!(columns, columns => {
            let (rows, columns, slots, next) = (&rows[range(p)], &columns[range(p)], slots, &mut next[..]);
            for strip in strips(rows.len()) {
                let first = range(p).start + strip.start;
                for (e, (&row, &column)) in rows[strip.clone()].iter().zip(&columns[strip]).enumerate() {
                    let slot = &mut next[column as usize];
                    let at = *slot as usize;
                    *slot += 1;
                    // SAFETY: this part has as many places for each column as it has entries there.
                    unsafe { slots.put(at, Whole::key(row as u64, column as u64, first + e)) };
                }
            }
        }));
    });
    Cancel::check()?;
    Ok(keys)
}

/// Keys by rows, those of a row in the order that they have, and where each row ends.
fn by_rows(from: &[u64], dim: usize) -> Result<(Buffer, Vec<u32>)> {
    let (n, parts) = (from.len(), place::parts(from.len(), dim));
    let range = |p: usize| p * n / parts..(p + 1) * n / parts;
    let mut next = parallel::answers(parts, |p| {
        let mut counts = vec![0u32; dim];
        for strip in strips(range(p).len()) {
            from[range(p)][strip].iter().for_each(|&key| counts[Whole::row(key)] += 1);
        }
        counts
    });
    Cancel::check()?;
    place::begins(&mut next);
    // SAFETY: every key is written below: as many as were counted.
    let mut keys = unsafe { Buffer::to_write(u64::DTYPE, n)? };
    let slots = TaskSlots::new(keys.as_mut_slice::<u64>().unwrap_or(&mut []));
    let next: Vec<Mutex<Vec<u32>>> = next.into_iter().map(Mutex::new).collect();
    parallel::tasks(parts, &|p| {
        let mut next = next[p].lock().unwrap_or_else(PoisonError::into_inner);
        let (from, slots, next) = (&from[range(p)], slots, &mut next[..]);
        for strip in strips(from.len()) {
            for &key in &from[strip] {
                let slot = &mut next[Whole::row(key)];
                let at = *slot as usize;
                *slot += 1;
                // SAFETY: this part has as many places for each row as it has keys there.
                unsafe { slots.put(at, key) };
            }
        }
    });
    Cancel::check()?;
    // The last part ends where its rows do.
    let ends =
        next.into_iter().next_back().map(|last| last.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok((keys, ends.unwrap_or_default()))
}

/// The rows of keys that are in order.
fn added_up<T: Element>(keys: &[u64], ends: &[u32], given: &[T]) -> Result<MergedRows> {
    let (n, parts) = (keys.len(), place::parts(keys.len(), ends.len()));
    // Each part has whole rows, and those without entries behind them.
    let cut = |p: usize| ends.partition_point(|&end| (end as usize) <= p * n / parts);
    let rows: Vec<usize> = (0..parts).map(|p| if p == 0 { 0 } else { cut(p) }).chain([ends.len()]).collect();
    let at = |row: usize| row.checked_sub(1).map_or(0, |before| ends[before] as usize);
    let own = |p: usize| &keys[at(rows[p])..at(rows[p + 1])];
    // One part may leave room at the end; of several, all but the first have to know where they begin.
    let counts: Vec<usize> = match parts {
        1 => vec![n],
        _ => parallel::answers(parts, |p| places(own(p))),
    };
    let total = counts.iter().sum();
    // SAFETY: every element is written below, or cut off.
    let (mut crd, mut vals) =
        unsafe { (Buffer::to_write(i32::DTYPE, total)?, Buffer::to_write(T::DTYPE, total)?) };
    let mut begins = vec![0u32; ends.len() + 1];
    let mut tasks = Vec::new();
    let (mut crds, mut sums) =
        (crd.as_mut_slice::<i32>().unwrap_or(&mut []), vals.as_mut_slice::<T>().unwrap_or(&mut []));
    let (mut slots, mut first) = (&mut begins[1..], 0);
    for (p, &count) in counts.iter().enumerate() {
        let (crd, vals, ends);
        (crd, crds) = crds.split_at_mut(count);
        (vals, sums) = sums.split_at_mut(count);
        (ends, slots) = slots.split_at_mut(rows[p + 1] - rows[p]);
        tasks.push(Mutex::new(RowPart { first, row: rows[p], crd, vals, ends }));
        first += count;
    }
    let found = parallel::answers(parts, |p| {
        let mut part = tasks[p].lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: these are the keys of the rows that the part was made for, with room for each of them or as many as were counted.
        unsafe { part.add_up(own(p), given) }
    });
    drop(tasks);
    Cancel::check()?;
    let total = found.into_iter().sum();
    Ok(MergedRows { begins, crd: cut_to(crd, total)?, vals: cut_to(vals, total)? })
}

/// How many places keys in order have.
fn places(keys: &[u64]) -> usize {
    let new = |s: Range<usize>| {
        let pairs = keys[s.clone()].iter().zip(&keys[s.start + 1..]);
        pairs.map(|(&a, &b)| usize::from(Whole::place(a) != Whole::place(b))).sum::<usize>()
    };
    usize::from(!keys.is_empty()) + strips(keys.len().saturating_sub(1)).map(new).sum::<usize>()
}

/// Whole rows, and where their elements are written.
struct RowPart<'a, T> {
    /// The number of the first element.
    first: usize,
    /// The first row.
    row: usize,
    crd: &'a mut [i32],
    vals: &'a mut [T],
    /// Where each row ends.
    ends: &'a mut [u32],
}

impl<T: Element> RowPart<'_, T> {
    /// Writes the elements of keys in order, and gives how many there are.
    ///
    /// # Safety
    /// Keys are in order and of rows of this part, which has room for as many elements as they have places.
    unsafe fn add_up(&mut self, keys: &[u64], given: &[T]) -> usize {
        // The place and sum of the last element, and its number: there is none.
        let (mut last, mut sum, mut at) = (u64::MAX, T::ZERO, usize::MAX);
        let (before, first) = (self.first, self.row);
        let (crd, vals, ends) = (&mut *self.crd, &mut *self.vals, &mut *self.ends);
        for strip in strips(keys.len()) {
            for &key in &keys[strip] {
                let (place, value) = (Whole::place(key), given[Whole::number(key)]);
                // Whether entries meet is hard to foresee, so that nothing branches on it.
                let meets = place == last;
                sum = select_unpredictable(meets, sum.plus(value), value);
                at = at.wrapping_add(usize::from(!meets));
                let row = Whole::row(key) - first;
                debug_assert!(at < crd.len() && at < vals.len() && row < ends.len());
                // SAFETY: the caller's promise.
                unsafe {
                    *crd.get_unchecked_mut(at) = Whole::column(place) as i32;
                    *vals.get_unchecked_mut(at) = sum;
                    *ends.get_unchecked_mut(row) = (before + at + 1) as u32;
                }
                last = place;
            }
        }
        let mut end = before as u32;
        for slot in ends {
            end = end.max(*slot);
            *slot = end;
        }
        at.wrapping_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use openwork_base::threads::run_with_limit;

    /// Rows of sums in the order of the entries.
    fn plain(at: &[(i32, i32)], vals: &[f64], dims: [usize; 2]) -> (Vec<u32>, Vec<i32>, Vec<f64>) {
        let mut order: Vec<usize> = (0..at.len()).collect();
        order.sort_by_key(|&e| at[e]);
        let (mut begins, mut crd, mut out) = (vec![0u32; dims[0] + 1], Vec::new(), Vec::new());
        let mut last = None;
        for e in order {
            if last == Some(at[e]) {
                *out.last_mut().unwrap() += vals[e];
            } else {
                begins[at[e].0 as usize + 1] += 1;
                crd.push(at[e].1);
                out.push(vals[e]);
            }
            last = Some(at[e]);
        }
        begins.iter_mut().fold(0, |sum, n| {
            *n += sum;
            *n
        });
        (begins, crd, out)
    }

    #[test]
    fn rows_are_those_of_a_sort_on_any_number_of_threads() {
        let mut random = Random::new(9);
        for (height, width, n) in [
            (1, 1, 1),
            (1, 1, 50),
            (0, 0, 0),
            (5, 3, 0),
            (9, 1, 40),
            (1, 9, 40),
            (300, 200, 3000),
            (20_000, 900, 50_000),
            (50, 40_000, 60_000),
            (300, 300, 90_000),
        ] {
            let at: Vec<(i32, i32)> = (0..n)
                .map(|_| (random.number_below(height) as i32, random.number_below(width) as i32))
                .collect();
            // Sums that depend on the order of their terms, and zeros with signs.
            let vals: Vec<f64> = (0..n).map(|e| [1e16, -0.0, e as f64, 0.0][e % 4]).collect();
            let dims = [height as usize, width as usize];
            let (r, c): (Vec<i32>, Vec<i32>) = at.iter().copied().unzip();
            let wide: Vec<i64> = c.iter().map(|&c| i64::from(c)).collect();
            let (begins, crd, sums) = plain(&at, &vals, dims);
            for threads in [1, 2, 3, 4] {
                for columns in [IndexArray::I32(&c), IndexArray::I64(&wide)] {
                    let met = run_with_limit(threads, || rows([IndexArray::I32(&r), columns], dims, &vals))
                        .unwrap();
                    assert_eq!(met.begins, begins, "{dims:?}, {n}, {threads} threads");
                    assert_eq!(met.crd.as_slice(), Some(&crd[..]));
                    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    assert_eq!(met.vals.as_slice().map(bits), Some(bits(&sums)));
                }
            }
        }
    }
}
