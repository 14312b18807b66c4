//! One contiguous array of one dtype, owned or borrowed.
//!
//! Owned memory starts at a multiple of [`ALIGN`] bytes, so vector code may load it from the start. Zeroed memory
//! comes from the allocator's zeroed path, which maps large blocks lazily: a huge array of zeros costs nothing until
//! it is written. The allocator only takes that path for ordinary alignments, so each block is over-allocated by
//! `ALIGN` bytes and the start is rounded up by hand.

mod fitted;
mod frozen;
mod runs;

pub(crate) use runs::RunArray;

use crate::block::{self, Contents, Denied, Limited, layout};
use crate::element::{Element, dispatch};
use crate::error::too_large;
use crate::memory;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::look;
use openwork_base::machine::threshold;
use std::alloc::{Layout, handle_alloc_error};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Owned memory starts at a multiple of this many bytes.
pub const ALIGN: usize = 64;
/// Bytes that are copied or filled between two looks for a request to stop: some milliseconds.
const COPIED: usize = 1 << 24;
/// Elements that are cast between two looks.
const CAST: usize = 1 << 16;

/// A typed array whose element type is known at run time.
///
/// Mutating a buffer that borrows its memory copies it first ([`Buffer::make_owned`]); readers never copy.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_storage::Buffer;
/// let mut b = Buffer::zeros(DType::F64, 3)?;
/// b.set(1, Scalar::F64(2.5));
/// assert_eq!(b.as_slice::<f64>(), Some(&[0.0, 2.5, 0.0][..]));
/// assert_eq!(b.as_slice::<f32>(), None);
/// assert_eq!(Buffer::from(vec![0.0, 2.5, 0.0]), b);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub struct Buffer {
    dtype: DType,
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
}

enum Owner {
    /// A block of our own: where the allocator put it, its size in bytes, and the elements that fit after alignment.
    Block { base: NonNull<u8>, bytes: usize, capacity: usize },
    /// No memory at all.
    Nothing,
    /// Someone else's memory, alive as long as this is; never dropped by us in any other way.
    Shared(Arc<dyn Any + Send + Sync>, Writers),
    /// Someone else's memory, for as long as this buffer is; copies of it have memory of their own.
    Lent,
}

/// Who may write to borrowed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Nobody, as long as it is borrowed.
    Nobody,
    /// Its owner, at any time: what is read twice may differ.
    Owner,
}

// SAFETY: an owned block belongs to this buffer alone; shared memory is only read, and the contract of `borrow` says
// that reading it from any thread is sound while the owner lives. The owner itself is `Send + Sync`.
unsafe impl Send for Buffer {}
// SAFETY: as above; a `&Buffer` only reads.
unsafe impl Sync for Buffer {}

/// The bytes of a block that holds `len` elements after alignment.
fn block_bytes(dtype: DType, len: usize) -> Result<usize> {
    len.checked_mul(dtype.size())
        .and_then(|n| n.checked_add(ALIGN))
        .filter(|&n| n <= isize::MAX as usize - block::ALIGN)
        .ok_or_else(|| {
            too_large(format!("an array of {len} {dtype} elements is larger than the address space"))
        })
}

fn out_of_memory(denied: Denied, dtype: DType, len: usize) -> openwork_base::Error {
    match denied {
        Denied::Limit => {
            let bytes = len as u128 * dtype.size() as u128;
            memory::refusal(&format!("an array of {len} {dtype} elements"), bytes)
        }
        Denied::System => {
            let bytes = len.saturating_mul(dtype.size());
            too_large(format!("cannot allocate {bytes} bytes for an array of {len} {dtype} elements"))
        }
    }
}

/// The first multiple of `ALIGN` at or after `base`.
fn align_up(base: NonNull<u8>) -> NonNull<u8> {
    let skip = base.as_ptr().align_offset(ALIGN);
    // SAFETY: `skip` is less than `ALIGN` and every block has `ALIGN` bytes to spare.
    unsafe { base.add(skip) }
}

impl Buffer {
    /// An empty buffer that owns no memory.
    pub fn empty(dtype: DType) -> Buffer {
        // The address is a nonzero multiple of `ALIGN`, as an empty slice needs; nothing is ever read through it.
        let ptr = NonNull::new(std::ptr::without_provenance_mut(ALIGN)).expect("ALIGN is not zero");
        Buffer { dtype, ptr, len: 0, owner: Owner::Nothing }
    }
    /// `len` zeros (`false` for bool), lazily mapped when large.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn zeros(dtype: DType, len: usize) -> Result<Buffer> {
        // SAFETY: zero bytes are a valid element of every dtype.
        unsafe { Buffer::make(Contents::Zeros, dtype, len, Limited::Yes) }
    }
    /// # Safety
    /// Of [`Contents::Any`], no element may be read before it is written.
    unsafe fn make(contents: Contents, dtype: DType, len: usize, limited: Limited) -> Result<Buffer> {
        if len == 0 {
            return Ok(Buffer::empty(dtype));
        }
        let bytes = block_bytes(dtype, len)?;
        let (base, bytes) =
            block::allocate(bytes, contents, limited).map_err(|d| out_of_memory(d, dtype, len))?;
        // A block that was used before may be larger.
        let capacity = (bytes - ALIGN) / dtype.size();
        Ok(Buffer { dtype, ptr: align_up(base), len, owner: Owner::Block { base, bytes, capacity } })
    }
    /// As [`Buffer::zeros`], for an array that will soon be written from end to end: memory of freed arrays is cleared for
    /// it, and where the system can, large pages back it. An array that is only touched here and there should not ask for
    /// them.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn zeros_to_write(dtype: DType, len: usize) -> Result<Buffer> {
        // SAFETY: zero bytes are a valid element of every dtype.
        Ok(unsafe { Buffer::make(Contents::Cleared, dtype, len, Limited::Yes)? }.on_large_pages())
    }
    /// An array to be written from end to end before it is read, on large pages where the system can. Its elements are
    /// whatever was in the memory: clearing it would cost as much as filling it.
    ///
    /// # Safety
    /// No element may be read before it is written, and a bool must be written as 0 or 1.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub unsafe fn to_write(dtype: DType, len: usize) -> Result<Buffer> {
        // SAFETY: the caller's promise.
        Ok(unsafe { Buffer::make(Contents::Any, dtype, len, Limited::Yes)? }.on_large_pages())
    }
    /// Asks the system to back a large array with large pages.
    fn on_large_pages(self) -> Buffer {
        self.advise_large_pages();
        self
    }
    fn advise_large_pages(&self) {
        if let Owner::Block { base, bytes, .. } = self.owner {
            block::advise_large_pages(base, bytes);
        }
    }
    /// `len` copies of `value`, in its dtype.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn repeat(value: Scalar, len: usize) -> Result<Buffer> {
        let buffer = Buffer::zeros(value.dtype(), len)?;
        Ok(buffer.filled_with(value))
    }
    /// As [`Buffer::repeat`], for an array that will soon be written from end to end, or on most of its pages: see
    /// [`Buffer::zeros_to_write`].
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn filled_to_write(value: Scalar, len: usize) -> Result<Buffer> {
        let buffer = Buffer::zeros_to_write(value.dtype(), len)?;
        Ok(buffer.filled_with(value))
    }
    /// An array of zeros with copies of a value in their place.
    fn filled_with(mut self, value: Scalar) -> Buffer {
        let buffer = &mut self;
        if buffer.is_zero_bits(value) {
            return self;
        }
        dispatch!(value.dtype(), T => for slots in buffer.typed_mut::<T>().chunks_mut(COPIED / size_of::<T>()) {
            look();
            slots.fill(T::from_scalar(value));
        });
        self
    }
    /// Whether zeroed memory already holds `value`; `-0.0` and NaN are not zero bits.
    fn is_zero_bits(&self, value: Scalar) -> bool {
        let bits = |x: f64| x.to_bits() == 0;
        match value {
            Scalar::F32(x) => bits(x as f64),
            Scalar::F64(x) => bits(x),
            Scalar::C64(z) => bits(z.re as f64) && bits(z.im as f64),
            Scalar::C128(z) => bits(z.re) && bits(z.im),
            other => !other.truthy(),
        }
    }
    /// A copy of `items`.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn copy_of<T: Element>(items: &[T]) -> Result<Buffer> {
        Buffer::copy_within(items, Limited::Yes)
    }
    fn copy_within<T: Element>(items: &[T], limited: Limited) -> Result<Buffer> {
        // SAFETY: every element is written here, with one of its type.
        unsafe {
            let copy = Buffer::make(Contents::Any, T::DTYPE, items.len(), limited)?.on_large_pages();
            std::ptr::copy_nonoverlapping(items.as_ptr(), copy.ptr.as_ptr().cast(), items.len());
            Ok(copy)
        }
    }
    /// Borrows the memory that `owner` keeps alive, without a copy. Null is allowed when `len` is 0.
    ///
    /// # Safety
    /// `ptr` points at `len` initialised elements of `dtype`, aligned as Rust aligns that element type, that stay in
    /// place and readable while `owner` (or a clone of it) lives, and unchanged unless `writers` says otherwise: then it is
    /// no memory of bools, and whatever bytes it holds are a value of `dtype`. A bool element may hold any byte until
    /// [`Buffer::as_slice`] of `bool` is called, by when it must be 0 or 1; `Tensor::new_checked` verifies that.
    pub unsafe fn borrow(
        dtype: DType,
        ptr: *const u8,
        len: usize,
        owner: Arc<dyn Any + Send + Sync>,
        writers: Writers,
    ) -> Buffer {
        match NonNull::new(ptr.cast_mut()) {
            Some(ptr) if len > 0 => Buffer { dtype, ptr, len, owner: Owner::Shared(owner, writers) },
            _ => Buffer::empty(dtype),
        }
    }
    /// Borrows memory for as long as the buffer itself is: whoever has only a reference to it gets no other hold of it.
    ///
    /// # Safety
    /// As for [`Buffer::borrow`], where the owner is whoever keeps this buffer, and hands out references only.
    pub(crate) unsafe fn borrow_raw(dtype: DType, ptr: *const u8, len: usize) -> Buffer {
        match NonNull::new(ptr.cast_mut()) {
            Some(ptr) if len > 0 => Buffer { dtype, ptr, len, owner: Owner::Lent },
            _ => Buffer::empty(dtype),
        }
    }
    /// The dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The number of elements that fit without another allocation; 0 for borrowed memory, which cannot grow.
    pub fn capacity(&self) -> usize {
        match self.owner {
            Owner::Block { capacity, .. } => capacity,
            Owner::Nothing | Owner::Shared(..) | Owner::Lent => 0,
        }
    }
    /// Bytes of the elements (not of the capacity).
    pub fn bytes(&self) -> usize {
        self.len * self.dtype.size()
    }
    /// Whether the memory belongs to someone else.
    pub fn is_shared(&self) -> bool {
        matches!(self.owner, Owner::Shared(..) | Owner::Lent)
    }
    /// Whether someone else may write to the memory while we read it.
    pub fn may_change(&self) -> bool {
        matches!(self.owner, Owner::Shared(_, Writers::Owner))
    }
    /// The first element. Valid for `len` elements of `dtype` until the buffer is changed or dropped.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }
    /// The first element for writing; borrowed memory is copied first. Valid for [`Buffer::capacity`] elements until
    /// the buffer is changed or dropped. Whoever writes bools writes 0 or 1.
    ///
    /// # Panics
    /// Like every infallible allocation, when borrowed memory must be copied and there is no room for it; call
    /// [`Buffer::make_owned`] first to get an error instead.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.own();
        self.ptr.as_ptr()
    }
    /// The elements, if `T` is the type of `dtype`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        (T::DTYPE == self.dtype).then(|| self.as_elements())
    }
    /// The elements for writing, if `T` is the type of `dtype`; borrowed memory is copied first.
    ///
    /// # Panics
    /// As [`Buffer::as_mut_ptr`].
    pub fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE != self.dtype {
            return None;
        }
        self.own();
        Some(self.typed_mut())
    }
    /// The memory of the elements.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: `len` elements are initialised and have no padding.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.bytes()) }
    }
    fn as_elements<T: Element>(&self) -> &[T] {
        debug_assert_eq!(T::DTYPE, self.dtype);
        // SAFETY: the buffer holds `len` initialised, aligned elements of the dtype whose type is `T`.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr().cast(), self.len) }
    }
    /// The elements of an owned buffer for writing.
    fn typed_mut<T: Element>(&mut self) -> &mut [T] {
        debug_assert!(T::DTYPE == self.dtype && !self.is_shared());
        // SAFETY: as for `as_elements`; the memory is ours alone and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr().cast(), self.len) }
    }
    /// Element `i`.
    ///
    /// # Panics
    /// If `i` is not below `len`, as for a slice.
    pub fn get(&self, i: usize) -> Scalar {
        if self.dtype == DType::Bool {
            // Borrowed bools may hold any byte before they are checked, so they are read as bytes.
            return Scalar::Bool(self.as_bytes()[i] != 0);
        }
        dispatch!(self.dtype, T => self.as_elements::<T>()[i].to_scalar())
    }
    /// Stores `value`, cast to the dtype, as element `i`; borrowed memory is copied first.
    ///
    /// # Panics
    /// If `i` is not below `len`, as for a slice; and as [`Buffer::as_mut_ptr`].
    pub fn set(&mut self, i: usize, value: Scalar) {
        self.own();
        dispatch!(self.dtype, T => self.typed_mut::<T>()[i] = T::from_scalar(value));
    }
    /// Every element in order.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len).map(|i| self.get(i))
    }
    /// Copies borrowed memory into a block of our own; does nothing to an owned buffer.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had; the buffer is unchanged then.
    pub fn make_owned(&mut self) -> Result<()> {
        if self.is_shared() {
            *self = self.duplicate()?;
        }
        Ok(())
    }
    fn own(&mut self) {
        if self.is_shared() {
            *self = self.force_copy();
        }
    }
    /// An owned copy with the same elements.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn duplicate(&self) -> Result<Buffer> {
        self.duplicate_within(Limited::Yes)
    }
    /// A copy where there is no way to refuse one: the limit does not stop it, but it counts.
    fn force_copy(&self) -> Buffer {
        self.duplicate_within(Limited::No).unwrap_or_else(|_| handle_alloc_error(layout(self.bytes())))
    }
    fn duplicate_within(&self, limited: Limited) -> Result<Buffer> {
        // SAFETY: every element is written below, before anybody sees it.
        let copy = unsafe { Buffer::make(Contents::Any, self.dtype, self.len, limited)? }.on_large_pages();
        for at in (0..self.bytes()).step_by(COPIED) {
            look();
            let bytes = COPIED.min(self.bytes() - at);
            // SAFETY: both hold `bytes()` bytes, and the new block is not the old one.
            unsafe {
                std::ptr::copy_nonoverlapping(self.ptr.as_ptr().add(at), copy.ptr.as_ptr().add(at), bytes)
            };
        }
        Ok(copy)
    }
    /// Makes room for `capacity` elements in all, without changing `len`. The caller decides how to grow; doubling
    /// makes appends cost constant time each.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had; the buffer is unchanged then.
    pub fn reserve(&mut self, capacity: usize) -> Result<()> {
        self.make_owned()?;
        if capacity <= self.capacity() {
            return Ok(());
        }
        let Owner::Block { base, bytes, .. } = self.owner else {
            let mut fresh = Buffer::zeros(self.dtype, capacity)?;
            fresh.len = 0;
            *self = fresh;
            return Ok(());
        };
        let wanted = block_bytes(self.dtype, capacity)?;
        // SAFETY: `self.ptr` was made from `base` by `align_up`.
        let skip = unsafe { self.ptr.offset_from(base) } as usize;
        // SAFETY: `base` is the block of this buffer, and `block_bytes` bounds the new size, which is larger.
        let moved = unsafe { block::grow(base, bytes, wanted) }
            .map_err(|d| out_of_memory(d, self.dtype, capacity))?;
        let ptr = align_up(moved);
        // SAFETY: the elements lie `skip` bytes into the moved block; the ranges may overlap, so this is a move.
        // When both starts agree (as they do for pages that are remapped) nothing is copied.
        unsafe {
            let from = moved.add(skip);
            if from != ptr {
                std::ptr::copy(from.as_ptr(), ptr.as_ptr(), self.len * self.dtype.size());
            }
        }
        self.ptr = ptr;
        self.owner = Owner::Block { base: moved, bytes: wanted, capacity };
        Ok(())
    }
    /// Makes the buffer `len` elements long; elements beyond the old length are zero.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had; the buffer is unchanged then.
    pub fn try_resize(&mut self, len: usize) -> Result<()> {
        if len <= self.len {
            self.truncate(len);
            return Ok(());
        }
        self.reserve(len)?;
        let (size, old) = (self.dtype.size(), self.len);
        // SAFETY: the capacity is at least `len` elements, and zero bytes are a valid element of every dtype.
        unsafe { std::ptr::write_bytes(self.ptr.as_ptr().add(old * size), 0, (len - old) * size) };
        self.len = len;
        Ok(())
    }
    /// Makes the buffer `len` elements long for an array that is written from end to end; new elements are whatever was in
    /// the memory.
    ///
    /// # Safety
    /// As for [`Buffer::to_write`], for the elements beyond the old length.
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had; the buffer is unchanged then.
    pub unsafe fn resize_to_write(&mut self, len: usize) -> Result<()> {
        self.reserve(len)?;
        self.len = len;
        self.advise_large_pages();
        Ok(())
    }
    /// Makes the buffer `len` elements long where its memory suffices, and says whether it did; elements beyond the old
    /// length are whatever was in the memory.
    ///
    /// # Safety
    /// As for [`Buffer::to_write`], for the elements beyond the old length.
    pub unsafe fn lengthen_to_write(&mut self, len: usize) -> bool {
        let enough = len <= self.capacity();
        if enough {
            self.len = self.len.max(len);
        }
        enough
    }
    /// Drops the elements from `len` on; does nothing when there are no more than `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
    /// The same elements cast to `dtype` by the rules of [`Scalar::cast`].
    ///
    /// # Errors
    /// E0603 and E0605 when the memory cannot be had.
    pub fn cast(&self, dtype: DType) -> Result<Buffer> {
        if dtype == self.dtype {
            return self.duplicate();
        }
        let mut out = Buffer::zeros(dtype, self.len)?;
        dispatch!(dtype, To => {
            for (block, slots) in out.typed_mut::<To>().chunks_mut(threshold(CAST, 4)).enumerate() {
                look();
                for (i, slot) in slots.iter_mut().enumerate() {
                    *slot = To::from_scalar(self.get(block * threshold(CAST, 4) + i));
                }
            }
        });
        Ok(out)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Owner::Block { base, bytes, .. } = self.owner {
            // SAFETY: it is the block of this buffer, and is freed once.
            unsafe { block::free(base, bytes) };
        }
    }
}

impl Clone for Buffer {
    /// Copies owned and lent memory; shares borrowed memory.
    fn clone(&self) -> Buffer {
        if let Owner::Shared(owner, writers) = &self.owner {
            return Buffer {
                dtype: self.dtype,
                ptr: self.ptr,
                len: self.len,
                owner: Owner::Shared(owner.clone(), *writers),
            };
        }
        self.force_copy()
    }
}

impl PartialEq for Buffer {
    /// Same dtype and elements that are the same by [`Scalar::is_same`] (NaN equals NaN).
    fn eq(&self, to: &Buffer) -> bool {
        self.dtype == to.dtype
            && self.len == to.len
            && (self.as_bytes() == to.as_bytes() || self.iter().zip(to.iter()).all(|(a, b)| a.is_same(b)))
    }
}

impl<T: Element> From<Vec<T>> for Buffer {
    /// Copies the elements into aligned memory. The limit on memory does not stop it, but it counts.
    fn from(items: Vec<T>) -> Buffer {
        Buffer::copy_within(&items, Limited::No)
            .unwrap_or_else(|_| handle_alloc_error(Layout::for_value(&items[..])))
    }
}

impl fmt::Debug for Buffer {
    /// The dtype, the length and the first elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}](", self.dtype, self.len)?;
        for (n, value) in self.iter().take(16).enumerate() {
            write!(f, "{}{value}", if n == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.len > 16 { ", …)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_keeps_elements_and_zeroes_the_rest() {
        for dtype in DType::ALL {
            let mut b = Buffer::repeat(Scalar::one(dtype), 3).unwrap();
            b.try_resize(100_000).unwrap();
            assert_eq!(b.as_ptr() as usize % ALIGN, 0);
            assert!((0..3).all(|i| b.get(i) == Scalar::one(dtype)), "{dtype}");
            assert!((3..100_000).all(|i| b.get(i) == Scalar::zero(dtype)), "{dtype}");
            b.truncate(2);
            b.try_resize(5).unwrap();
            assert_eq!(b.iter().map(|s| s.truthy()).collect::<Vec<_>>(), [true, true, false, false, false]);
        }
    }

    #[test]
    fn an_impossible_allocation_is_an_error() {
        for len in [1 << 46, usize::MAX / 8, usize::MAX] {
            let error = Buffer::zeros(DType::F64, len).unwrap_err();
            // Over the limit, or over what can be addressed.
            assert!(["E0603", "E0605"].contains(&error.code().0), "{error}");
            assert!(error.to_string().contains(&len.to_string()), "{error}");
        }
        let mut b = Buffer::from(vec![1i32, 2]);
        assert!(b.try_resize(1 << 60).is_err());
        assert_eq!(b, Buffer::from(vec![1i32, 2]));
    }

    #[test]
    fn shared_memory_is_not_copied_until_written() {
        let owner = Arc::new(vec![1.0f64, 2.0]);
        // SAFETY: the vector is never changed while the `Arc` lives.
        let b =
            unsafe { Buffer::borrow(DType::F64, owner.as_ptr().cast(), 2, owner.clone(), Writers::Nobody) };
        let mut c = b.clone();
        assert_eq!(c.as_ptr(), owner.as_ptr().cast());
        c.set(0, Scalar::F64(9.0));
        assert!(!c.is_shared());
        assert_eq!((b.get(0), c.get(0), c.get(1)), (Scalar::F64(1.0), Scalar::F64(9.0), Scalar::F64(2.0)));
        drop((b, c));
        assert_eq!(Arc::strong_count(&owner), 1);
    }

    #[test]
    fn fills_with_negative_zero_and_nan_keep_their_bits() {
        let b = Buffer::repeat(Scalar::F64(-0.0), 2).unwrap();
        assert!(b.as_slice::<f64>().unwrap()[1].is_sign_negative());
        assert_eq!(Buffer::repeat(Scalar::F64(f64::NAN), 2).unwrap(), Buffer::from(vec![f64::NAN; 2]));
    }
}
