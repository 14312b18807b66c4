//! Memory that calls of a kernel leave as they want to find it: one call after the other has it, of one run or of several.
//!
//! A kernel that touches little of a large workspace then pays for what it touches: nothing is allocated, cleared or mapped
//! again. Shelves belong to the code of kernels. Between runs all of them together hold an eighth of the memory limit at most; within
//! a run a shelf holds what calls leave, whatever its size. Shelves are emptied before any array is refused.

use openwork_storage::{Buffer, Spare, memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of the memory limit that all shelves may hold: an eighth.
const PART: u64 = 8;

/// Bytes from which on memory of no contents is worth more to all kernels than to one.
const LARGE: usize = 2 << 20;

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
    pub fn take(&self, number: usize) -> Option<Buffer> {
        let mut all = self.0.lock_if_used()?;
        let at = all.iter().position(|shelved| shelved.number == number)?;
        Some(all.swap_remove(at).buffer)
    }
    /// Keeps memory as a call has found it.
    pub(crate) fn put(&self, number: usize, buffer: Buffer) {
        let bytes = buffer.bytes() as u64;
        if bytes > 0 {
            SHELVED.fetch_add(bytes, Ordering::Relaxed);
            self.0.lock().push(ShelvedBuffer { number, buffer, _counted: ShelvedBytes(bytes) });
        }
    }
    /// Keeps memory whose contents mean nothing. Larger memory is given back instead: the next kernel that asks for some, whichever it
    /// is, gets what was used last, which may still be in a cache.
    pub fn put_spare(&self, number: usize, buffer: Buffer) {
        if buffer.bytes() < LARGE {
            self.put(number, buffer);
        }
    }
    /// Lets go of memory as long as all shelves hold too much.
    fn trim(&self) {
        while SHELVED.load(Ordering::Relaxed) > memory::limit() / PART {
            let last = self.0.lock_if_used().and_then(|mut all| all.pop());
            if last.is_none() {
                return;
            }
        }
    }
}

/// A run whose calls have memory from a shelf. The shelf holds no more than it may once the run has ended, however it ends.
#[derive(Debug)]
pub struct ShelfUse(Arc<Shelf>);

impl ShelfUse {
    /// Begins a run.
    pub fn begin(shelf: &Arc<Shelf>) -> ShelfUse {
        ShelfUse(shelf.clone())
    }
}

impl Drop for ShelfUse {
    fn drop(&mut self) {
        self.0.trim();
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
