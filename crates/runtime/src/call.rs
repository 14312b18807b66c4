//! One call of a kernel: its buffers are bound, grow as the kernel asks, and become results.

use crate::shelf::Shelf;
use crate::watch::Watched;
use openwork_algebra::DType;
use openwork_backend::abi::RawCall;
use openwork_backend::{BufferArg, Call, Compiled};
use openwork_base::cancel::{Cancel, cancel_error, run_for_caller};
use openwork_base::{Code, Diagnostic, Error, Id, Result, panics};
use openwork_loops::{BufId, BufRole, Init, LoopKernel, Status};
use openwork_storage::error::{OVER_LIMIT, crowded_table, endless};
use openwork_storage::{Buffer, memory};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

/// The memory that a buffer of the kernel is bound to.
#[derive(Debug)]
pub enum BufferSlot<'a> {
    /// Memory that the kernel reads.
    Read(&'a Buffer),
    /// A result or scratch memory; it starts empty.
    Grow(Room),
    /// A result in memory of the caller's; where that does not suffice, it moves to a buffer. Its contents are what the
    /// kernel finds.
    Part(&'a mut [MaybeUninit<u8>]),
    /// A result that several calls write at once, each of them elements of its own. It does not grow.
    Shared(SharedMemory<'a>),
}

/// Memory that several calls write at once.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory<'a> {
    base: *mut u8,
    len: usize,
    dtype: DType,
    /// The buffer is borrowed as long as there is a copy of this.
    of: PhantomData<&'a mut Buffer>,
}

// SAFETY: it is a pointer; whoever writes through it answers for what other threads do meanwhile, as `run` says.
unsafe impl Send for SharedMemory<'_> {}

impl<'a> SharedMemory<'a> {
    /// The elements of a buffer.
    pub fn new(buffer: &'a mut Buffer) -> SharedMemory<'a> {
        SharedMemory { base: buffer.as_mut_ptr(), len: buffer.len(), dtype: buffer.dtype(), of: PhantomData }
    }
    /// Some of the elements; nothing where there are not as many.
    pub fn part(self, elements: Range<usize>) -> Option<SharedMemory<'a>> {
        let len = elements.end.checked_sub(elements.start).filter(|_| elements.end <= self.len)?;
        // SAFETY: the memory has this many elements.
        let base = unsafe { self.base.add(elements.start * self.dtype.size()) };
        Some(SharedMemory { base, len, ..self })
    }
}

/// A result of a kernel.
#[derive(Debug)]
pub enum KernelResult {
    /// An array of its own.
    Own(Buffer),
    /// The first elements of the memory that the caller gave.
    InPlace {
        /// How many.
        len: usize,
    },
}

/// What the first request for memory of a growing buffer gets.
#[derive(Debug)]
pub struct Room {
    /// Memory of an earlier run to use again.
    pub spare: Option<Buffer>,
    /// Elements that will probably be needed; more than asked for costs address space only.
    pub expected: usize,
    /// What it must hold; where a kernel asks for memory itself, its buffer says so.
    pub init: Init,
    /// Where the memory is taken from and put back, and under which number.
    pub shelf: Option<(Arc<Shelf>, usize)>,
}

impl Room {
    /// No memory yet, no expectation.
    pub fn new() -> Room {
        Room { spare: None, expected: 0, init: Init::Zeros, shelf: None }
    }

    /// Memory for a kernel that leaves it as it wants to find it.
    pub fn from_shelf(shelf: Arc<Shelf>, number: usize) -> Room {
        Room { init: Init::Kept, shelf: Some((shelf, number)), ..Room::new() }
    }

    /// The first block of at least `cap` elements.
    pub(crate) fn open(&mut self, dtype: DType, cap: usize) -> Result<Buffer> {
        if let Some((shelf, number)) = &self.shelf {
            self.spare = shelf.take(*number);
        }
        // Memory that does not suffice would be made anew, and blocks that were given back are there already.
        let suffices = |b: &Buffer| b.dtype() == dtype && !b.is_shared() && b.capacity() >= cap;
        if let Some(mut buffer) = self.spare.take().filter(suffices) {
            if self.init == Init::Zeros {
                buffer.truncate(cap);
                let bytes = buffer.bytes();
                // SAFETY: the buffer owns this many bytes, and zero bytes are a valid element of every dtype.
                unsafe { std::ptr::write_bytes(buffer.as_mut_ptr(), 0, bytes) };
            }
            // SAFETY: the kernel writes every element that it announces, and no other is ever looked at.
            let enough = self.init == Init::Uninit && unsafe { buffer.lengthen_to_write(cap) };
            if !enough && buffer.len() < cap {
                buffer.try_resize(cap)?;
            }
            return Ok(buffer);
        }
        // What is only expected must not take from other arrays what they will need.
        let spare = memory::remaining_bytes() / 4 / dtype.size() as u64;
        let expected = self.expected.min(usize::try_from(spare).unwrap_or(usize::MAX));
        let generous = cap.max(expected);
        // Results are written from end to end; with small pages, half of a large one's time is spent on faults.
        let open = |len| match self.init {
            Init::Zeros => Buffer::zeros_to_write(dtype, len),
            Init::Kept | Init::Given => Buffer::zeros(dtype, len),
            // SAFETY: the kernel writes every element that it announces, and no other is ever looked at.
            Init::Uninit => unsafe { Buffer::to_write(dtype, len) },
        };
        open(generous).or_else(|_| open(cap))
    }
}

impl Default for Room {
    fn default() -> Room {
        Room::new()
    }
}

/// Memory that a kernel writes.
struct OwnedMemory {
    /// The number of the kernel's buffer.
    number: usize,
    /// What has grown so far.
    buffer: Buffer,
    room: Room,
    /// How many elements the caller's own memory has, as long as it is in use.
    lent: Option<usize>,
    /// How often it has grown.
    growths: u32,
}

impl OwnedMemory {
    fn new(number: usize, dtype: DType, room: Room, lent: Option<usize>) -> OwnedMemory {
        OwnedMemory { number, buffer: Buffer::empty(dtype), room, lent, growths: 0 }
    }
}

/// The most times that an array grows: from few elements to all memory by doubling, and then to what is left of the limit.
const MOST_GROWTHS: u32 = 64;

/// The owner of the memory that a kernel grows.
struct Host<'k> {
    /// The kernel, for the names of its buffers.
    kernel: &'k LoopKernel,
    /// One for each buffer of the kernel that has memory of its own or of a caller's, in order.
    owned: Vec<OwnedMemory>,
    /// Why the last request for memory failed.
    failure: Option<Error>,
}

/// Runs a kernel once and returns what it made in every `Out` slot, in order, cut to the length the kernel set. It heeds
/// the request of the [`Cancel`] around it. Each `Out` slot but shared ones and those that `watch` leaves out is shown to it,
/// while it is in the cache.
///
/// # Errors
/// `E0603` when memory runs out, `E0602` when coordinates collide in a hash table, `E0604` when a position does not fit the width of its array, `E0606` when it was asked to
/// stop, a bug when the kernel reports a failed check.
///
/// # Safety
/// The contract of [`Compiled::run`]: `slots` and `params` must describe `kernel`, element types included, and the index
/// arrays must keep the kernel in bounds. No element of [`BufferSlot::Shared`] memory is written by a call while another one
/// reads or writes it.
pub unsafe fn run(
    compiled: &dyn Compiled,
    kernel: &LoopKernel,
    params: &[i64],
    slots: Vec<BufferSlot<'_>>,
    watch: Option<Watched>,
) -> Result<Vec<KernelResult>> {
    if slots.len() != kernel.bufs.len() || params.len() != kernel.params.len() {
        return Err(Error::bug("call", "the arguments do not match the kernel", ""));
    }
    Cancel::check()?;
    let cancel = Cancel::current();
    let mut host = Host { kernel, owned: Vec::new(), failure: None };
    let mut args = Vec::with_capacity(slots.len());
    for (number, (slot, (_, buf))) in slots.into_iter().zip(kernel.bufs.iter()).enumerate() {
        match slot {
            BufferSlot::Read(b) if b.dtype() == buf.elem && buf.role == BufRole::In => {
                let len = b.len() as u64;
                args.push(BufferArg { ptr: b.as_ptr().cast_mut(), cap: len, len });
            }
            BufferSlot::Grow(room) if buf.role != BufRole::In => {
                let room = Room { init: buf.init, ..room };
                args.push(BufferArg { ptr: std::ptr::dangling_mut::<u128>().cast(), cap: 0, len: 0 });
                host.owned.push(OwnedMemory::new(number, buf.elem, room, None));
            }
            BufferSlot::Part(memory) if buf.role == BufRole::Out => {
                let lent = memory.len() / buf.elem.size();
                args.push(BufferArg { ptr: memory.as_mut_ptr().cast(), cap: lent as u64, len: 0 });
                let room = Room { init: buf.init, ..Room::new() };
                host.owned.push(OwnedMemory::new(number, buf.elem, room, Some(lent)));
            }
            BufferSlot::Shared(memory) if memory.dtype == buf.elem && buf.role == BufRole::Out => {
                args.push(BufferArg { ptr: memory.base, cap: memory.len as u64, len: 0 });
            }
            BufferSlot::Read(_) | BufferSlot::Grow(_) | BufferSlot::Part(_) | BufferSlot::Shared(_) => {
                return Err(Error::bug("call", format!("buffer `{}` is bound wrongly", buf.name), ""));
            }
        }
    }
    let host_ptr: *mut Host<'_> = &mut host;
    let status = {
        let mut call = Call::new(&mut args, params, grow, host_ptr.cast(), cancel.flag());
        // SAFETY: the slots were checked against the kernel above; the rest is this function's own contract.
        unsafe { compiled.run(&mut call)? }
    };
    let failure = host.failure.take();
    match status {
        Status::Ok => {}
        Status::OutOfMemory => {
            return Err(
                failure.unwrap_or_else(|| Error::bug("call", "a kernel ran out of memory unasked", ""))
            );
        }
        Status::IndexOverflow => return Err(index_overflow()),
        Status::Cancelled => return Err(cancel_error()),
        Status::Crowded => return Err(crowded_table()),
        Status::Endless => return Err(endless()),
        Status::CheckFailed => {
            return Err(Error::bug("call", format!("the kernel ended with {}", status.name()), ""));
        }
    }
    if let Some(watched) = watch {
        // SAFETY: the kernel has ended.
        unsafe { show_watch(watched, &host.owned, &args, kernel)? };
    }
    Ok(results(host.owned, &args, kernel))
}

/// Shows what a call made to a watch.
///
/// # Safety
/// The kernel has written as many elements as the slots say, and has ended.
unsafe fn show_watch(
    watched: Watched,
    owned: &[OwnedMemory],
    args: &[BufferArg],
    kernel: &LoopKernel,
) -> Result<()> {
    for OwnedMemory { number, .. } in owned {
        let (arg, buf) = (&args[*number], &kernel.bufs[BufId::new(*number)]);
        if buf.role == BufRole::Out && !watched.without.contains(number) {
            // SAFETY: the caller's promise.
            unsafe { watched.watch.over_memory(buf.elem, arg.ptr, arg.len.min(arg.cap) as usize)? };
        }
    }
    Ok(())
}

/// What a call made, in the order of its `Out` slots; kept memory goes back to its shelf.
fn results(owned: Vec<OwnedMemory>, args: &[BufferArg], kernel: &LoopKernel) -> Vec<KernelResult> {
    let mut owned = owned.into_iter().peekable();
    let mut results = Vec::new();
    for (id, buf) in kernel.bufs.iter() {
        let len = args[id.index()].len as usize;
        let Some(OwnedMemory { mut buffer, room, lent, .. }) = owned.next_if(|o| o.number == id.index())
        else {
            // Memory that several calls write.
            if buf.role == BufRole::Out {
                results.push(KernelResult::InPlace { len });
            }
            continue;
        };
        match (room.shelf, buf.role) {
            (Some((shelf, number)), _) if buf.init == Init::Kept => shelf.put(number, buffer),
            (Some((shelf, number)), _) => shelf.put_spare(number, buffer),
            (None, BufRole::Out) if lent.is_some() => results.push(KernelResult::InPlace { len }),
            (None, BufRole::Out) => {
                buffer.truncate(len);
                results.push(KernelResult::Own(buffer));
            }
            (None, BufRole::In | BufRole::Temp) => {}
        }
    }
    results
}

/// The same refusal with the name of the array, where the limit was the reason.
pub(crate) fn name_array(e: Error, name: impl FnOnce() -> String, bytes: u128) -> Error {
    if e.code() == OVER_LIMIT { memory::refusal(&name(), bytes) } else { e }
}

/// More positions than fit their array.
pub(crate) fn index_overflow() -> Error {
    let d = Diagnostic::new(Code("E0604"), "a result has more positions than its index width can count");
    Error::rejection(d.help("give the result wider positions: `; pos = i64`"))
}

/// A buffer with the elements of lent memory that does not suffice, and room for at least `cap`.
///
/// # Safety
/// `from` points at `elements` elements of the dtype.
unsafe fn moved_out(from: *const u8, elements: usize, dtype: DType, cap: usize) -> Result<Buffer> {
    let wanted = cap.max(elements.saturating_mul(2)).max(16);
    let mut buffer = Buffer::zeros_to_write(dtype, wanted).or_else(|_| Buffer::zeros(dtype, cap))?;
    // SAFETY: both have this many elements, and fresh memory overlaps nothing. Whether bytes are initialised does not
    // matter to a copy of bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), elements * dtype.size()) };
    Ok(buffer)
}

/// Makes room in a buffer: at least twice what was there, so that appending is cheap in total.
///
/// # Safety
/// `call` must come from [`run`], whose host and buffer slots outlive the kernel's run.
unsafe extern "C" fn grow(call: *mut RawCall, buf: u64, cap: u64) -> i32 {
    // SAFETY: by contract `call.host` is the `Host` of the running `run`, which nobody else uses meanwhile.
    let (host, slot) = unsafe {
        let host: &mut Host<'_> = &mut *(*call).host.cast::<Host<'_>>();
        (host, &mut *(*call).bufs.add(buf as usize))
    };
    // Compiled code cannot be unwound.
    let grown = panics::catch_panic("growing an array", || {
        run_for_caller(false, || grow_buffer(host, slot, buf as usize, cap))
    });
    match grown.and_then(|grown| grown) {
        Ok(()) => Status::Ok as i32,
        Err(e) => {
            host.failure = Some(e);
            Status::OutOfMemory as i32
        }
    }
}

/// Room for `cap` elements of a buffer.
fn grow_buffer(host: &mut Host<'_>, slot: &mut BufferArg, buf: usize, cap: u64) -> Result<()> {
    let all: usize = host.owned.iter().map(|o| o.buffer.bytes()).sum();
    let Some(owned) = host.owned.iter_mut().find(|o| o.number == buf) else {
        return Err(Error::bug("call", "a kernel asked for more of an array that it only reads", ""));
    };
    let OwnedMemory { buffer, room, lent, growths, .. } = owned;
    let old = lent.unwrap_or(buffer.len());
    // A length beyond i64 is a negative one seen as unsigned: no memory is that large.
    let cap = if cap > i64::MAX as u64 { usize::MAX } else { cap as usize };
    let size = buffer.dtype().size() as u128;
    let name = || {
        let buf = openwork_base::Id::new(buf);
        host.kernel.bufs.get(buf).map_or(String::new(), |b| format!("the array `{}`", b.name))
    };
    let bytes = cap as u128 * size;
    let made = if bytes > u128::from(memory::limit()) {
        Err(memory::refusal(&name(), bytes))
    } else if let Some(elements) = lent.take() {
        // SAFETY: the caller's memory has this many elements, and no kernel writes to it through another slot.
        let moved = unsafe { moved_out(slot.ptr, elements, buffer.dtype(), cap) };
        moved.map(|b| *buffer = b)
    } else if old == 0 {
        room.open(buffer.dtype(), cap.max(16)).map(|b| *buffer = b)
    } else {
        *growths += 1;
        enlarge(buffer, room.init, cap, all, *growths)
    };
    made.map_err(|e| name_array(e, name, bytes))?;
    slot.ptr = buffer.as_mut_ptr();
    slot.cap = buffer.len() as u64;
    Ok(())
}

/// Makes an array larger that has elements: to twice what it had, else to its part of the memory that is left. `all` is how many
/// bytes the arrays have that grow beside it.
fn enlarge(buffer: &mut Buffer, init: Init, cap: usize, all: usize, growths: u32) -> Result<()> {
    let (old, own) = (buffer.len(), buffer.bytes());
    let mut resize = |len: usize| match init {
        Init::Zeros | Init::Kept | Init::Given => buffer.try_resize(len),
        // SAFETY: the kernel writes every element that it announces, and no other is ever looked at.
        Init::Uninit => unsafe { buffer.resize_to_write(len) },
    };
    let doubled = match resize(cap.max(old.saturating_mul(2))) {
        Err(e) if growths < MOST_GROWTHS => e,
        made => return made,
    };
    memory::give_back();
    let size = (own / old.max(1)).max(1);
    let left = usize::try_from(memory::remaining_bytes()).unwrap_or(usize::MAX) / size;
    // Arrays that grow together share what is left as they share what they have; once that is little, there is no next time.
    let part = (left as u128 * own as u128 / all.max(1) as u128) as usize;
    let part = part.max(left / 4);
    let more = if part < old / 64 { left } else { part };
    let longer =
        [more, old / 16, cap.saturating_sub(old)].map(|more| cap.max(old.saturating_add(more.min(old))));
    longer.into_iter().find_map(|len| resize(len).ok()).ok_or(doubled)
}
