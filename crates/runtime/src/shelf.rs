//! Memory that calls of a kernel leave as they want to find it: one call after the other has it, of one run or of several.
//!
//! A kernel that touches little of a large workspace then pays for what it touches: nothing is allocated, cleared or mapped
//! again. Shelves belong to the code of kernels. All of them together hold an eighth of the memory limit at most, and are emptied
//! before any array is refused.

use openwork_storage::{Buffer, Spare, memory};
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of the memory limit that all shelves may hold: an eighth.
const PART: u64 = 8;

/// Bytes on all shelves.
static SHELVED: AtomicU64 = AtomicU64::new(0);

/// Memory between two calls, by the number of the buffer that is bound to it.
#[derive(Debug, Default)]
pub struct Shelf(Spare<ShelvedBuffer>);

/// Memory on a shelf. Its bytes are counted as long as it is there.
#[derive(Debug)]
struct ShelvedBuffer {
    number: usize,
    buffer: Buffer,
    _counted: ShelvedBytes,
}

/// Bytes that count while this is there.
#[derive(Debug)]
struct ShelvedBytes(u64);

impl Drop for ShelvedBytes {
    fn drop(&mut self) {
        SHELVED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

impl Shelf {
    /// Memory for a buffer with this number, if a call left some.
    pub(crate) fn take(&self, number: usize) -> Option<Buffer> {
        let mut all = self.0.lock_if_used()?;
        let at = all.iter().position(|shelved| shelved.number == number)?;
        Some(all.swap_remove(at).buffer)
    }
    /// Keeps memory that a call has left as it found it, unless shelves hold too much.
    pub(crate) fn put(&self, number: usize, buffer: Buffer) {
        let bytes = buffer.bytes() as u64;
        let all = SHELVED.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let _counted = ShelvedBytes(bytes);
        if bytes > 0 && all <= memory::limit() / PART {
            self.0.lock().push(ShelvedBuffer { number, buffer, _counted });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shelf;
    use openwork_algebra::DType;
    use openwork_storage::{Buffer, memory};

    #[test]
    fn memory_waits_under_its_number_until_it_is_needed() -> openwork_base::Result<()> {
        let shelf = Shelf::default();
        shelf.put(3, Buffer::zeros(DType::F64, 10)?);
        assert!(shelf.take(2).is_none());
        assert!(shelf.take(3).is_some_and(|b| b.len() == 10));
        assert!(shelf.take(3).is_none());
        shelf.put(3, Buffer::zeros(DType::F64, 10)?);
        memory::give_back();
        assert!(shelf.take(3).is_none());
        Ok(())
    }
}
