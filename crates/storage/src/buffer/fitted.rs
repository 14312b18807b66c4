//! Buffers cut down to memory of about the size of their elements.

use super::Buffer;
use openwork_base::machine::threshold;

/// Bytes from which on memory is given back for elements that have more than so many times as much.
const WIDE: usize = 1 << 18;
const SLACK: usize = 4;

impl Buffer {
    /// The same elements in memory of about their size, where they have much more and it can be had: memory that was only asked
    /// for because more might have come, and perhaps touched here and there, is for others again.
    ///
    /// ```
    /// use openwork_storage::Buffer;
    /// let mut few = Buffer::from(vec![1.5; 1 << 20]);
    /// few.truncate(3);
    /// let few = few.shrink_to_fit();
    /// assert!(few.capacity() < 1 << 10 && few.as_slice::<f64>() == Some(&[1.5; 3]));
    /// ```
    #[must_use]
    pub fn shrink_to_fit(self) -> Buffer {
        let wide =
            self.capacity() * self.dtype.size() >= threshold(WIDE, 64) && self.len < self.capacity() / SLACK;
        if !wide {
            return self;
        }
        match self.duplicate() {
            Ok(fitted) => fitted,
            Err(_) => self,
        }
    }
}
