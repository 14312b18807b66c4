//! Blocks of memory: small ones from the allocator, large ones from the system, which moves them by remapping pages
//! instead of copying when they grow, and backs them with large pages where it can.
//!
//! Some blocks that are freed are kept for whoever needs memory that need not be clear: new pages would be faulted in and
//! cleared one by one, which took up to half of the time of kernels that are called again and again. Blocks of medium
//! size are kept as well, as the allocator gives their pages back to the system: the pieces of a product on two threads
//! faulted 1400 times in every call.

use crate::memory;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// The alignment asked of the allocator; its zeroed path is only lazy up to this one.
pub(crate) const ALIGN: usize = 16;
/// Blocks of at least this many bytes come from the system.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 21;
#[cfg(not(target_os = "linux"))]
const LARGE: usize = usize::MAX;
/// Blocks of at least this many bytes are kept when they are freed.
const MEDIUM: usize = 1 << 16;
/// Advice about memory is for whole pages; larger pages exist, and advice for parts of one is refused without harm.
const PAGE: usize = 4096;

/// The layout of a small block.
pub(crate) fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, ALIGN).expect("block sizes are checked before they are used")
}

/// What a new block must hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Zeros.
    Zeros,
    /// Zeros, for a block that is written from end to end: memory that was used before is cleared, which takes less than
    /// the faults of new pages.
    Cleared,
    /// Anything.
    Any,
}

/// Blocks that nobody uses.
struct KeptBlocks {
    /// The oldest first.
    blocks: Vec<(NonNull<u8>, usize)>,
    /// Their bytes together.
    bytes: usize,
}

// SAFETY: a block that nobody uses may be used by any thread.
unsafe impl Send for KeptBlocks {}

static KEPT: Mutex<KeptBlocks> = Mutex::new(KeptBlocks { blocks: Vec::new(), bytes: 0 });
/// The most bytes that are kept.
const MOST: usize = 256 << 20;
/// The most blocks that are kept, so that looking for one takes no time.
const MOST_BLOCKS: usize = 256;

impl KeptBlocks {
    /// The smallest block of at least `bytes`, and at most twice as many; of those that are alike the one that was given back
    /// last, which may still be in the cache: taking turns with another one, placing 8 MB takes twice as long.
    fn take(&mut self, bytes: usize) -> Option<(NonNull<u8>, usize)> {
        let fits = |n: &usize| (bytes..=bytes.saturating_mul(2)).contains(&self.blocks[*n].1);
        let best = (0..self.blocks.len()).rev().filter(fits).min_by_key(|&n| self.blocks[n].1)?;
        let block = self.blocks.remove(best);
        self.bytes -= block.1;
        Some(block)
    }
    /// Keeps a block, and gives those that are too many now: the oldest.
    fn put(&mut self, base: NonNull<u8>, bytes: usize) -> Vec<(NonNull<u8>, usize)> {
        self.blocks.push((base, bytes));
        self.bytes += bytes;
        let mut dropped = Vec::new();
        while self.bytes > MOST || self.blocks.len() > MOST_BLOCKS {
            let oldest = self.blocks.remove(0);
            self.bytes -= oldest.1;
            dropped.push(oldest);
        }
        dropped
    }
}

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// It would be over the limit.
    Limit,
    /// The system has no memory.
    System,
}

/// Whether a block may be refused for the limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limited {
    Yes,
    /// It is only counted.
    No,
}

/// Counts `bytes` more.
fn claim(bytes: usize, limited: Limited) -> Result<(), Denied> {
    match limited {
        Limited::No => memory::count(bytes),
        Limited::Yes if !memory::take(bytes) => return Err(Denied::Limit),
        Limited::Yes => {}
    }
    Ok(())
}

/// `block`, or nothing counted for it.
fn uncount_denied<T>(block: Option<T>, bytes: usize) -> Result<T, Denied> {
    if block.is_none() {
        memory::release(bytes);
    }
    block.ok_or(Denied::System)
}

/// A block of at least `bytes`, one or more and at most `isize::MAX - ALIGN` of them, and how many it has. It is counted
/// from before it is made until it is given back to the system.
pub(crate) fn allocate(
    bytes: usize,
    contents: Contents,
    limited: Limited,
) -> Result<(NonNull<u8>, usize), Denied> {
    if limited == Limited::Yes && memory::is_refused() {
        return Err(Denied::Limit);
    }
    if bytes >= MEDIUM
        && contents != Contents::Zeros
        && let Some((base, size)) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take(bytes)
    {
        if contents == Contents::Cleared {
            // SAFETY: the block has at least this many bytes, and nobody else uses it.
            unsafe { std::ptr::write_bytes(base.as_ptr(), 0, bytes) };
        }
        return Ok((base, size));
    }
    claim(bytes, limited)?;
    if bytes >= LARGE {
        return Ok((uncount_denied(system::map(bytes), bytes)?, bytes));
    }
    // SAFETY: the layout has a size.
    let base = NonNull::new(unsafe {
        match contents {
            Contents::Zeros | Contents::Cleared => alloc_zeroed(layout(bytes)),
            Contents::Any => alloc(layout(bytes)),
        }
    });
    Ok((uncount_denied(base, bytes)?, bytes))
}

/// Makes a block larger, perhaps elsewhere; a refusal leaves it as it is.
///
/// # Safety
/// `base` is a block of `bytes` bytes from this module that is not used again unless it is refused, and
/// `wanted > bytes` obeys the bounds of [`allocate`].
pub(crate) unsafe fn grow(base: NonNull<u8>, bytes: usize, wanted: usize) -> Result<NonNull<u8>, Denied> {
    let more = wanted - bytes;
    if memory::is_refused() {
        return Err(Denied::Limit);
    }
    claim(more, Limited::Yes)?;
    if bytes >= LARGE {
        // SAFETY: a block of this size was mapped by `system::map`.
        if let Some(moved) = unsafe { system::remap(base, bytes, wanted) } {
            return Ok(moved);
        }
    } else if wanted < LARGE {
        // SAFETY: a block of this size came from the allocator with this layout.
        return uncount_denied(NonNull::new(unsafe { realloc(base.as_ptr(), layout(bytes), wanted) }), more);
    }
    // Both blocks are there for a while, and the old one may be kept.
    memory::release(more);
    claim(wanted, Limited::Yes)?;
    let moved = uncount_denied(system::map(wanted), wanted)?;
    // SAFETY: both blocks hold `bytes` bytes, and the new one is not the old one, which is freed once.
    unsafe {
        std::ptr::copy_nonoverlapping(base.as_ptr(), moved.as_ptr(), bytes);
        free(base, bytes);
    }
    Ok(moved)
}

/// Asks the system to back a large block with large pages: the whole of it, since blocks of two kinds of pages cannot be
/// remapped as one.
pub(crate) fn advise_large_pages(base: NonNull<u8>, bytes: usize) {
    if bytes >= LARGE {
        system::advise(base, bytes);
    }
}

/// An empty vector with room for `len` elements, on large pages where the system can: for scratch memory that will be
/// filled from end to end.
pub(crate) fn room<T>(len: usize) -> Vec<T> {
    let mut out = Vec::<T>::with_capacity(len);
    let bytes = out.capacity() * size_of::<T>();
    if bytes >= LARGE {
        // Advice is for whole pages, those inside of the vector.
        let start = out.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE).min(bytes);
        if let Some(first) = NonNull::new(start.wrapping_add(skipped)) {
            system::advise(first, bytes - skipped);
        }
    }
    out
}

/// Gives a block back.
///
/// # Safety
/// `base` is a block of `bytes` bytes from this module that is not used again.
pub(crate) unsafe fn free(base: NonNull<u8>, bytes: usize) {
    if bytes < MEDIUM {
        // SAFETY: the caller's promise.
        unsafe { give_back(base, bytes) };
        return;
    }
    let dropped = KEPT.lock().unwrap_or_else(PoisonError::into_inner).put(base, bytes);
    for (base, bytes) in dropped {
        // SAFETY: the caller's promise, for a block that is no longer kept.
        unsafe { give_back(base, bytes) };
    }
}

/// Gives back the blocks that nobody uses.
pub(crate) fn give_back_kept() {
    let dropped = {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes = 0;
        std::mem::take(&mut kept.blocks)
    };
    for (base, bytes) in dropped {
        // SAFETY: nobody uses the block, and it is no longer kept.
        unsafe { give_back(base, bytes) };
    }
}

/// Gives a block back to where it came from.
///
/// # Safety
/// As for [`free`].
unsafe fn give_back(base: NonNull<u8>, bytes: usize) {
    memory::release(bytes);
    if bytes < LARGE {
        // SAFETY: a block of this size came from the allocator with this layout.
        unsafe { dealloc(base.as_ptr(), layout(bytes)) };
    } else {
        // SAFETY: a block of this size was mapped by `system::map`.
        unsafe { system::unmap(base, bytes) };
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ptr::{NonNull, null_mut};

    /// Zeroed pages.
    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new private mapping touches no memory that exists.
        let base = unsafe { libc::mmap(null_mut(), bytes, rights, flags, -1, 0) };
        (base != libc::MAP_FAILED).then(|| NonNull::new(base.cast()))?
    }
    /// # Safety
    /// `base` was mapped with `bytes` bytes.
    pub(super) unsafe fn remap(base: NonNull<u8>, bytes: usize, wanted: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        let moved = unsafe { libc::mremap(base.as_ptr().cast(), bytes, wanted, libc::MREMAP_MAYMOVE) };
        (moved != libc::MAP_FAILED).then(|| NonNull::new(moved.cast()))?
    }
    pub(super) fn advise(base: NonNull<u8>, bytes: usize) {
        // SAFETY: the advice changes how memory is mapped and never what it holds; a refusal is of no consequence.
        unsafe { libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    /// # Safety
    /// `base` was mapped with `bytes` bytes and is not used again.
    pub(super) unsafe fn unmap(base: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise. Failing to unmap leaks, which is safe.
        unsafe { libc::munmap(base.as_ptr().cast(), bytes) };
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ptr::NonNull;

    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }
    pub(super) unsafe fn remap(_: NonNull<u8>, _: usize, _: usize) -> Option<NonNull<u8>> {
        None
    }
    pub(super) fn advise(_: NonNull<u8>, _: usize) {}
    pub(super) unsafe fn unmap(_: NonNull<u8>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_across_the_boundary_and_keep_what_they_hold() {
        let sizes = [1 << 10, 1 << 20, 1 << 22, 1 << 25];
        let (mut base, mut bytes) =
            allocate(sizes[0], Contents::Zeros, Limited::Yes).expect("there is memory");
        for (n, &wanted) in sizes[1..].iter().enumerate() {
            // SAFETY: the block has `bytes` bytes, and is replaced by the larger one.
            unsafe {
                *base.as_ptr().add(bytes - 1) = n as u8 + 1;
                advise_large_pages(base, bytes);
                base = grow(base, bytes, wanted).expect("there is memory");
                assert_eq!(*base.as_ptr().add(bytes - 1), n as u8 + 1);
                assert_eq!(*base.as_ptr(), 0);
            }
            bytes = wanted;
        }
        // SAFETY: it is not used again.
        unsafe { free(base, bytes) };
    }

    #[test]
    fn what_was_freed_last_is_used_first() {
        // A keeper of its own: other tests take blocks from that of the process.
        let mut kept = KeptBlocks { blocks: Vec::new(), bytes: 0 };
        let block =
            |address: usize| NonNull::new(std::ptr::without_provenance_mut(address)).expect("it is not zero");
        let (first, second, larger) = ((block(16), MEDIUM), (block(32), MEDIUM), (block(48), MEDIUM + 1));
        for last in [first, second, first] {
            let other = if last == first { second } else { first };
            for (base, bytes) in [other, last, larger] {
                assert_eq!(kept.put(base, bytes), []);
            }
            assert_eq!([(); 3].map(|()| kept.take(MEDIUM)), [last, other, larger].map(Some));
        }
        assert_eq!((kept.take(MEDIUM), kept.bytes), (None, 0));
        kept.put(first.0, 2 * MEDIUM + 1);
        assert_eq!(kept.take(MEDIUM), None, "it is more than twice as large");
        assert_eq!(kept.put(second.0, MOST), [(first.0, 2 * MEDIUM + 1)], "the oldest is given up");
    }

    #[test]
    fn freed_blocks_are_used_again_and_zeros_are_zeros() {
        let odd = (LARGE.min(1 << 21) << 1) + 12_288;
        let (base, bytes) = allocate(odd, Contents::Zeros, Limited::Yes).expect("there is memory");
        // SAFETY: the block has this many bytes, and is not used after it is freed.
        unsafe {
            *base.as_ptr() = 7;
            free(base, bytes);
        }
        for contents in [Contents::Zeros, Contents::Cleared] {
            let (clear, size) = allocate(odd, contents, Limited::Yes).expect("there is memory");
            // SAFETY: as above.
            unsafe {
                assert_eq!(*clear.as_ptr(), 0);
                *clear.as_ptr() = 7;
                free(clear, size);
            }
        }
        let all: Vec<_> =
            (0..400).map(|_| allocate(odd, Contents::Any, Limited::Yes).expect("there is memory")).collect();
        assert!(all.iter().all(|(_, size)| *size >= odd));
        for (base, bytes) in all {
            // SAFETY: each block is freed once.
            unsafe { free(base, bytes) };
        }
        assert!(KEPT.lock().unwrap_or_else(PoisonError::into_inner).bytes <= MOST);
    }
}
