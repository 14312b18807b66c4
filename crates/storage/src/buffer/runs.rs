//! Arrays that are written run by run, without a pass that clears them first.

use super::Buffer;
use crate::element::Element;
use openwork_base::Result;
use std::marker::PhantomData;

/// An array that is written run by run from its first element on.
pub(crate) struct Runs<T> {
    /// What is written so far; memory for more follows.
    buffer: Buffer,
    of: PhantomData<T>,
}

impl<T: Element> Runs<T> {
    /// No run yet, and room for `len` elements.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub(crate) fn of(len: usize) -> Result<Runs<T>> {
        // SAFETY: only elements that are written count.
        let mut buffer = unsafe { Buffer::to_write(T::DTYPE, len)? };
        buffer.len = 0;
        Ok(Runs { buffer, of: PhantomData })
    }
    /// Appends `count` times `value`.
    ///
    /// # Panics
    /// If there is no room for them.
    #[inline]
    pub(crate) fn push(&mut self, value: T, count: usize) {
        let Buffer { ptr, len, .. } = self.buffer;
        assert!(count <= self.buffer.capacity() - len, "there is no room for {count} more");
        for n in len..len + count {
            // SAFETY: the block has room for so many elements of this type.
            unsafe { ptr.cast::<T>().add(n).write(value) };
        }
        self.buffer.len = len + count;
    }
    /// What was written.
    pub(crate) fn done(self) -> Buffer {
        self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_one_another() {
        let mut runs = Runs::<i32>::of(6).unwrap();
        [(7, 2), (1, 0), (-3, 4)].into_iter().for_each(|(value, count)| runs.push(value, count));
        assert_eq!(runs.done(), Buffer::from(vec![7, 7, -3, -3, -3, -3]));
        assert!(Runs::<bool>::of(0).unwrap().done().is_empty());
    }

    #[test]
    #[should_panic(expected = "no room for 3 more")]
    fn runs_have_to_fit() {
        // More than the block that was taken, whatever is kept.
        let mut runs = Runs::<u8>::of(2).unwrap();
        let room = runs.buffer.capacity();
        runs.push(1, room - 2);
        runs.push(1, 3);
    }
}
