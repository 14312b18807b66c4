//! The steps between and after the passes of an assembly out of order.
//!
//! ```text
//!                    part 0   part 1            part 0   part 1   starts
//! counts of group 0       2        1    cursors      0        2        0
//!                 1       0        3                 3        3        3
//!                                                                      6
//! ```
//! The elements of a group follow one another in the order of the parts, and so in the order of the source. Where groups
//! have several parents each, [`settle`] sorts a group by the keys of its elements once all of them are there.

use crate::call::{Room, index_overflow};
use crate::pieces::{allocate, slices};
use crate::typed::typed;
use openwork_algebra::{DType, Scalar};
use openwork_base::machine::elements_of_a_task;
use openwork_base::{Error, Result, pool};
use openwork_loops::Init;
use openwork_storage::{Buffer, Element};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Groups that one task puts in sequence.
const RANGE: usize = 1 << 14;

/// Neighbouring groups: their counters in every part, where each one ends, and how many elements they have together, then
/// how many come before them.
type GroupStretch<'a, T> = (Vec<&'a mut [u32]>, &'a mut [T], u64);

/// Turns the counts of every part into cursors, and writes where each group starts and the last one ends to `starts`,
/// which has one element more than there are groups. Returns how many elements there are; they must not be more than 32
/// bits count.
///
/// # Errors
/// `E0604` when that does not fit the dtype of `starts`.
pub fn sequence(cursors: &mut [&mut [u32]], starts: &mut Buffer, threads: usize) -> Result<usize> {
    typed!(starts.dtype(), T => sequence_typed::<T>(cursors, starts, threads))
}

fn sequence_typed<T: Element>(
    cursors: &mut [&mut [u32]],
    starts: &mut Buffer,
    threads: usize,
) -> Result<usize> {
    let starts = starts.as_mut_slice::<T>().and_then(<[T]>::split_first_mut);
    let Some((first, ends)) = starts else {
        return Err(Error::bug("run", "no room for where groups start", ""));
    };
    *first = T::from_scalar(Scalar::I64(0));
    let size = elements_of_a_task(RANGE, 4, ends.len());
    let mut ranges: Vec<GroupStretch<'_, T>> =
        ends.chunks_mut(size).map(|ends| (Vec::new(), ends, 0)).collect();
    for part in cursors.iter_mut() {
        for (range, cursors) in ranges.iter_mut().zip(part.chunks_mut(size)) {
            range.0.push(cursors);
        }
    }
    for_each_item(&mut ranges, threads, |(cursors, _, total)| {
        *total = cursors.iter().flat_map(|c| c.iter()).map(|&n| u64::from(n)).sum();
    })?;
    let mut sum = 0;
    for (_, _, total) in &mut ranges {
        (*total, sum) = (sum, sum + *total);
    }
    fits(T::DTYPE, sum)?;
    for_each_item(&mut ranges, threads, |(cursors, ends, start)| {
        let mut next = *start as u32;
        for (g, end) in ends.iter_mut().enumerate() {
            for part in cursors.iter_mut() {
                (part[g], next) = (next, next + part[g]);
            }
            *end = T::from_scalar(Scalar::I64(i64::from(next)));
        }
    })?;
    Ok(sum as usize)
}

/// Counters that all stand at zero.
///
/// # Errors
/// `E0603` when memory runs out.
pub fn counters(len: usize, threads: usize) -> Result<Buffer> {
    let mut all = allocate(DType::U32, len, Room { init: Init::Uninit, ..Room::new() }, "cursors")?;
    let mut parts: Vec<&mut [u32]> = all
        .as_mut_slice::<u32>()
        .map_or(Vec::new(), |s| s.chunks_mut(elements_of_a_task(RANGE, 4, len)).collect());
    for_each_item(&mut parts, threads, |part| part.fill(0))?;
    Ok(all)
}

/// Does something with every item on several threads.
///
/// # Errors
/// `E0606` when the caller was asked to stop: some items are left out then.
fn for_each_item<I: Send>(items: &mut [I], threads: usize, work: impl Fn(&mut I) + Sync) -> Result<()> {
    let items: Vec<Mutex<&mut I>> = items.iter_mut().map(Mutex::new).collect();
    pool::heed(items.len(), threads, &|n| work(&mut items[n].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// A group of elements that lie together but are not sorted.
#[derive(Debug)]
pub struct Pile {
    /// Their positions.
    pub elements: Range<usize>,
    /// The parents that they may belong to, at most 2^16.
    pub parents: Range<usize>,
}

/// Sorts the elements of every pile by their keys, parents modulo 2^16, and keeps the order of those with equal ones.
/// `arrays` hold one record per element each; `starts` has where every parent's elements start and the last ones end
/// afterwards.
///
/// # Errors
/// `E0604` when a position does not fit the dtype of `starts`.
pub fn settle(
    piles: &[Pile],
    keys: &[u16],
    arrays: &mut [Buffer],
    starts: &mut Buffer,
    threads: usize,
) -> Result<()> {
    fits(starts.dtype(), keys.len() as u64)?;
    typed!(starts.dtype(), T => settle_typed::<T>(piles, keys, arrays, starts, threads))
}

/// Whether positions up to `most` fit a dtype.
fn fits(dtype: DType, most: u64) -> Result<()> {
    match Scalar::highest(dtype) {
        Some(highest) if u128::from(most) > highest.as_i64() as u128 => Err(index_overflow()),
        Some(_) | None => Ok(()),
    }
}

/// What a thread needs to sort piles, one after the other.
#[derive(Default)]
struct Scratch {
    /// Elements of each parent, then where the next one goes.
    counts: Vec<u32>,
    /// Where each element goes.
    places: Vec<u32>,
    /// The records of a pile as they were.
    records: Vec<MaybeUninit<u8>>,
}

/// One pile and its share of every array.
struct PileTask<'a, T> {
    pile: &'a Pile,
    records: Vec<&'a mut [MaybeUninit<u8>]>,
    ends: &'a mut [T],
}

fn settle_typed<T: Element>(
    piles: &[Pile],
    keys: &[u16],
    arrays: &mut [Buffer],
    starts: &mut Buffer,
    threads: usize,
) -> Result<()> {
    let mut tasks = Vec::with_capacity(piles.len());
    let Some((first, mut ends)) = starts.as_mut_slice::<T>().and_then(<[T]>::split_first_mut) else {
        return Ok(());
    };
    *first = T::from_scalar(Scalar::I64(0));
    let mut cuts = vec![0];
    cuts.extend(piles.iter().map(|p| p.elements.end));
    let mut shares = Vec::with_capacity(arrays.len());
    for array in arrays {
        let each = array.len().checked_div(keys.len()).unwrap_or(0);
        let cuts: Vec<usize> = cuts.iter().map(|c| c * each).collect();
        shares.push(slices(array, &cuts).into_iter());
    }
    for pile in piles {
        let (own, after) = std::mem::take(&mut ends).split_at_mut(pile.parents.len());
        ends = after;
        tasks.push(PileTask {
            pile,
            records: shares.iter_mut().filter_map(Iterator::next).collect(),
            ends: own,
        });
    }
    let scratch: Mutex<Vec<Scratch>> = Mutex::default();
    for_each_item(&mut tasks, threads, |task| {
        let taken = scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = taken.unwrap_or_default();
        settle_one(task, &keys[task.pile.elements.clone()], &mut own);
        scratch.lock().unwrap_or_else(PoisonError::into_inner).push(own);
    })
}

fn settle_one<T: Element>(task: &mut PileTask<'_, T>, keys: &[u16], scratch: &mut Scratch) {
    let Scratch { counts, places, records } = scratch;
    let first = task.pile.parents.start as u16;
    counts.clear();
    counts.resize(task.pile.parents.len(), 0);
    keys.iter().for_each(|k| counts[usize::from(k.wrapping_sub(first))] += 1);
    let mut next = 0;
    for (count, end) in counts.iter_mut().zip(task.ends.iter_mut()) {
        (*count, next) = (next, next + *count);
        *end = T::from_scalar(Scalar::I64((task.pile.elements.start + next as usize) as i64));
    }
    places.clear();
    places.extend(keys.iter().map(|k| {
        let next = &mut counts[usize::from(k.wrapping_sub(first))];
        *next += 1;
        *next - 1
    }));
    for array in &mut task.records {
        records.clear();
        records.extend_from_slice(array);
        match array.len().checked_div(places.len()) {
            Some(1) => permute::<1>(records, array, places),
            Some(2) => permute::<2>(records, array, places),
            Some(4) => permute::<4>(records, array, places),
            Some(8) => permute::<8>(records, array, places),
            Some(16) => permute::<16>(records, array, places),
            Some(size) if size > 0 => {
                for (record, &place) in records.chunks_exact(size).zip(&*places) {
                    array[place as usize * size..][..size].copy_from_slice(record);
                }
            }
            Some(_) | None => {}
        }
    }
}

/// Copies record `n` of `from` to `places[n]`.
fn permute<const SIZE: usize>(from: &[MaybeUninit<u8>], to: &mut [MaybeUninit<u8>], places: &[u32]) {
    let (from, _) = from.as_chunks::<SIZE>();
    let (to, _) = to.as_chunks_mut::<SIZE>();
    for (record, &place) in from.iter().zip(places) {
        to[place as usize] = *record;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_one_another_in_every_group() {
        for threads in [1, 3] {
            let (mut a, mut b) = ([2, 0, 5], [1, 3, 0]);
            let mut starts = Buffer::from(vec![9i32; 4]);
            assert_eq!(sequence(&mut [&mut a, &mut b], &mut starts, threads).unwrap(), 11);
            assert_eq!((a, b), ([0, 3, 6], [2, 3, 11]));
            assert_eq!(starts, Buffer::from(vec![0, 3, 6, 11]));
        }
        let many = 3 * RANGE + 5;
        let (mut a, mut starts) = (vec![2; many], Buffer::from(vec![0i64; many + 1]));
        assert_eq!(sequence(&mut [&mut a], &mut starts, 2).unwrap(), 2 * many);
        assert!((0..many).all(|g| a[g] as usize == 2 * g && starts.get(g + 1).as_i64() == 2 * g as i64 + 2));
        let mut none = Buffer::from(vec![7i64]);
        assert_eq!(sequence(&mut [&mut []], &mut none, 2).unwrap(), 0);
        assert_eq!(none, Buffer::from(vec![0i64]));
        let error = sequence(&mut [&mut [200, 100]], &mut Buffer::from(vec![0u8; 3]), 1).unwrap_err();
        assert_eq!(error.code().0, "E0604");
    }

    #[test]
    fn piles_are_sorted_and_equal_keys_stay_in_order() {
        let base = 65_535;
        let piles = [
            Pile { elements: 0..4, parents: base..base + 3 },
            Pile { elements: 4..4, parents: base + 3..base + 3 },
            Pile { elements: 4..6, parents: base + 3..base + 5 },
        ];
        let keys: Vec<u16> = [2, 0, 2, 0, 4, 3].iter().map(|k| (base + k) as u16).collect();
        for threads in [1, 2] {
            let mut arrays = [
                Buffer::from(vec![0i32, 1, 2, 3, 4, 5]),
                Buffer::from(vec![0u8, 1, 2, 3, 4, 5]),
                Buffer::from((0..18i16).collect::<Vec<_>>()),
            ];
            let mut starts = Buffer::from(vec![9i64; 6]);
            settle(&piles, &keys, &mut arrays, &mut starts, threads).unwrap();
            assert_eq!(arrays[0], Buffer::from(vec![1, 3, 0, 2, 5, 4]));
            assert_eq!(arrays[1], Buffer::from(vec![1u8, 3, 0, 2, 5, 4]));
            assert_eq!(arrays[2].get(3).as_i64(), 9, "records of three numbers");
            assert_eq!(starts, Buffer::from(vec![0i64, 2, 2, 4, 5, 6]));
        }
    }
}
