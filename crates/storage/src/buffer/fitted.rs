//! Buffers cut down to memory of about the size of their elements.

use super::Buffer;
use openwork_base::Result;
use openwork_base::machine::threshold;

/// Bytes from which on memory is given back for elements that have more than so many times as much.
const WIDE: usize = 1 << 18;
const SLACK: usize = 4;

impl Buffer {
    /// Whether the memory is much larger than the elements: it was asked for because more might have come, and is better for
    /// others again.
    pub fn is_wide(&self) -> bool {
        self.has_slack_for(self.len)
    }
    fn has_slack_for(&self, len: usize) -> bool {
        self.capacity() * self.dtype.size() >= threshold(WIDE, 64) && len < self.capacity() / SLACK
    }
    /// The same elements in memory of about their size: in that of an earlier array, if it is of such a size and nobody else
    /// holds it.
    ///
    /// ```
    /// use openwork_storage::Buffer;
    /// let mut few = Buffer::from(vec![1.5; 1 << 20]);
    /// few.truncate(3);
    /// let fitted = few.fit(Some(Buffer::from(vec![0.0; 5])))?;
    /// assert!(few.is_wide() && !fitted.is_wide() && fitted.as_slice::<f64>() == Some(&[1.5; 3]));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn fit(&self, spare: Option<Buffer>) -> Result<Buffer> {
        let fits = |b: &Buffer| {
            let enough = b.dtype == self.dtype && b.capacity() >= self.len && !b.has_slack_for(self.len);
            enough && !b.is_shared() && !b.may_change()
        };
        let mut spare = match spare {
            None => return self.duplicate(),
            Some(spare) if fits(&spare) => spare,
            // What outgrows its memory once does so again: twice as much is enough for all rounds but a few.
            // SAFETY: the elements are copied at once, and the rest is cut off.
            Some(_) => unsafe { Buffer::to_write(self.dtype, self.len.saturating_mul(2))? },
        };
        spare.truncate(self.len);
        // SAFETY: it has room for the elements, which are copied at once; both are of one dtype and nobody else has this memory.
        unsafe {
            spare.lengthen_to_write(self.len);
            std::ptr::copy_nonoverlapping(self.as_ptr(), spare.as_mut_ptr(), self.bytes());
        }
        Ok(spare)
    }
}
