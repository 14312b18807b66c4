//! Placement of elements by counting: how many each group has tells where each group begins, and every element goes behind
//! those of its group that came before it.
//!
//! ```text
//! groups 2 0 2 1     counted 1 1 2     begin at 0 1 2     elements 1 | 3 | 0 2
//! ```
//! Elements may be cut into parts, each with counts of its own: then all are counted and placed at once, and stand as if there were
//! one part.

use crate::parallel;
use openwork_base::machine::threshold;
use std::marker::PhantomData;

/// Elements from which on they are cut into parts.
pub(crate) const SHARED: usize = 1 << 15;
/// The most parts: each has a count for every group.
const PARTS: usize = 4;

/// How many parts so many elements of so many groups have.
pub(crate) fn parts(elements: usize, groups: usize) -> usize {
    // Counts of all parts are gone through one after the other.
    let worth = elements >= threshold(SHARED, 2) && groups <= 2 * elements;
    if worth { parallel::threads().clamp(1, PARTS) } else { 1 }
}

/// Turns the counts of every part into where its elements of each group go: behind those of the parts before it. Gives the
/// number of elements.
pub(crate) fn begins(counts: &mut [Vec<u32>]) -> u32 {
    let mut sum = 0;
    let mut next = |count: &mut u32| sum += std::mem::replace(count, sum);
    match counts {
        [only] => only.iter_mut().for_each(next),
        [first, second] => first.iter_mut().zip(second).for_each(|(a, b)| {
            next(a);
            next(b);
        }),
        all => (0..all.first().map_or(0, Vec::len))
            .for_each(|g| all.iter_mut().for_each(|part| next(&mut part[g]))),
    }
    sum
}

/// An array that tasks write to, each of them where no other one does. Loops have a copy of their own, so that it is in a
/// register.
pub(crate) struct TaskSlots<'a, T> {
    first: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

impl<T> Clone for TaskSlots<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for TaskSlots<'_, T> {}

// SAFETY: whoever writes promises that nobody else does so at the same place.
unsafe impl<T: Send> Sync for TaskSlots<'_, T> {}
// SAFETY: as for a slice that is borrowed mutably.
unsafe impl<T: Send> Send for TaskSlots<'_, T> {}

impl<'a, T: Copy> TaskSlots<'a, T> {
    /// The elements of an array.
    pub(crate) fn new(array: &'a mut [T]) -> TaskSlots<'a, T> {
        TaskSlots { first: array.as_mut_ptr(), len: array.len(), of: PhantomData }
    }
    /// Writes element `at`.
    ///
    /// # Safety
    /// There is such an element, and no other task reads or writes it.
    #[inline(always)]
    pub(crate) unsafe fn put(self, at: usize, value: T) {
        debug_assert!(at < self.len);
        // SAFETY: the caller's promise.
        unsafe { self.first.add(at).write(value) }
    }
    /// Asks for the memory of element `at` for writing to it soon; any number will do.
    #[inline(always)]
    pub(crate) fn ask(self, at: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
            // SAFETY: every machine of this kind has the instruction, which does nothing where there is no memory.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(self.first.wrapping_add(at).cast::<i8>()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_behind_one_another() {
        for parts in 1..=4 {
            let mut counts: Vec<Vec<u32>> = (0..parts).map(|p| vec![p, 2, 0]).collect();
            let all: u32 = counts.iter().flatten().sum();
            assert_eq!(begins(&mut counts), all);
            let mut wanted = 0;
            for (g, p) in (0..3).flat_map(|g| (0..parts).map(move |p| (g, p))) {
                assert_eq!(counts[p as usize][g], wanted, "group {g} of part {p} of {parts}");
                wanted += [p, 2, 0][g];
            }
        }
        assert_eq!(begins(&mut [Vec::new()]), 0);
    }
}
