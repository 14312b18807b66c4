//! Arrays that are written run by run, without a pass that clears them first.

use super::Buffer;
use crate::element::Element;
use openwork_base::Result;
use std::marker::PhantomData;

/// Elements that are written at once: most runs are short, and where a loop over one ends is hard to foresee. What is written
/// behind a run is written over.
const WIDE: usize = 8;

/// An array that is written run by run from its first element on.
pub(crate) struct RunArray<T> {
    /// What is written so far; memory for more follows.
    buffer: Buffer,
    of: PhantomData<T>,
}

impl<T: Element> RunArray<T> {
    /// No run yet, and room for `len` elements.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub(crate) fn with_capacity(len: usize) -> Result<RunArray<T>> {
        // SAFETY: only elements that are written count.
        let mut buffer = unsafe { Buffer::to_write(T::DTYPE, len + WIDE)? };
        buffer.len = 0;
        Ok(RunArray { buffer, of: PhantomData })
    }
    /// Appends `count` times `value`.
    ///
    /// # Panics
    /// If there is no room for them.
    #[inline]
    pub(crate) fn push(&mut self, value: T, count: usize) {
        let Buffer { ptr, len, .. } = self.buffer;
        assert!(count <= self.buffer.capacity() - WIDE - len, "there is no room for {count} more");
        let mut done = 0;
        while {
            // SAFETY: the block has room for `count` elements of this type from here on, and for so many that are written at
            // once behind them.
            unsafe { ptr.cast::<T>().add(len + done).cast::<[T; WIDE]>().write_unaligned([value; WIDE]) };
            done += WIDE;
            done < count
        } {}
        self.buffer.len = len + count;
    }
    /// What was written.
    pub(crate) fn into_buffer(self) -> Buffer {
        self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_one_another() {
        let mut runs = RunArray::<i32>::with_capacity(6).unwrap();
        [(7, 2), (1, 0), (-3, 4)].into_iter().for_each(|(value, count)| runs.push(value, count));
        assert_eq!(runs.into_buffer(), Buffer::from(vec![7, 7, -3, -3, -3, -3]));
        let counts = [0, 1, 7, 8, 9, 31, 0, 16, 2, 0];
        let mut runs = RunArray::<u8>::with_capacity(counts.iter().sum()).unwrap();
        (0u8..).zip(counts).for_each(|(value, count)| runs.push(value, count));
        let wanted: Vec<u8> = (0u8..).zip(counts).flat_map(|(value, count)| vec![value; count]).collect();
        assert_eq!(runs.into_buffer(), Buffer::from(wanted));
        assert!(RunArray::<bool>::with_capacity(0).unwrap().into_buffer().is_empty());
    }

    #[test]
    #[should_panic(expected = "no room for 3 more")]
    fn runs_have_to_fit() {
        // More than the block that was taken, whatever is kept.
        let mut runs = RunArray::<u8>::with_capacity(2).unwrap();
        let room = runs.buffer.capacity() - WIDE;
        runs.push(1, room - 2);
        runs.push(1, 3);
    }
}
