//! Runs compiled kernels on owned buffers: for tests and benchmarks, not for tensors.

use crate::Compiled;
use crate::abi::{BufferArg, Call, RawCall};
use openwork_algebra::{DType, Scalar};
use openwork_base::{Error, Result};
use openwork_loops::interp::{read_element, write_element};
use openwork_loops::{LoopKernel, Status};
use std::ffi::c_void;
use std::sync::atomic::AtomicBool;

/// What the host does when a kernel asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Gives at least twice what was there.
    Doubling,
    /// Has no memory left.
    Failing,
}

/// Everything a run leaves behind.
#[derive(Debug)]
pub struct HarnessOutcome {
    /// How the kernel ended.
    pub status: Status,
    /// The elements of every buffer, up to its capacity.
    pub bufs: Vec<Vec<Scalar>>,
    /// The length that the kernel set for every buffer; `None` where it set none.
    pub lens: Vec<Option<u64>>,
    /// How many times the host was asked to grow a buffer.
    pub grows: usize,
}

/// The initial `len` of every slot, which no kernel sets.
const UNSET: u64 = u64::MAX;
/// Guard words after every buffer, to catch stores that run over.
const GUARD: [u128; 4] = [0xa5a5_5a5a_c3c3_3c3c_a5a5_5a5a_c3c3_3c3c; 4];

/// An aligned, growable buffer with a guard behind it.
struct OwnedBuffer {
    words: Vec<u128>,
    elem: DType,
    cap: usize,
}

impl OwnedBuffer {
    fn new(elem: DType, values: &[Scalar]) -> OwnedBuffer {
        let mut bytes = Vec::new();
        for v in values {
            assert_eq!(v.dtype(), elem, "a value of the buffer's dtype");
            let start = bytes.len();
            bytes.resize(start + elem.size(), 0);
            write_element(*v, &mut bytes[start..]).expect("room for one element");
        }
        let words = OwnedBuffer::allocate(&bytes, bytes.len());
        OwnedBuffer { words, elem, cap: values.len() }
    }
    /// `bytes`, zeros up to `room` bytes, and the guard.
    fn allocate(bytes: &[u8], room: usize) -> Vec<u128> {
        let mut all = bytes.to_vec();
        all.resize(room, 0);
        let tail: Vec<u8> = GUARD.iter().flat_map(|w| w.to_ne_bytes()).collect();
        all.extend(&tail);
        all.resize(all.len().next_multiple_of(16), 0);
        all.chunks_exact(16).map(|c| u128::from_ne_bytes(c.try_into().expect("16 bytes"))).collect()
    }
    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_ne_bytes()).collect()
    }
    fn values(&self) -> Vec<Scalar> {
        let bytes = self.bytes();
        bytes.chunks_exact(self.elem.size()).take(self.cap).map(|c| self.read(c)).collect()
    }
    fn read(&self, bytes: &[u8]) -> Scalar {
        if self.elem == DType::Bool {
            assert!(bytes[0] <= 1, "a bool byte must be 0 or 1, not {}", bytes[0]);
        }
        read_element(self.elem, bytes).expect("the bytes of one element")
    }
    fn grow(&mut self, cap: usize) {
        let bytes = self.bytes();
        self.words = OwnedBuffer::allocate(&bytes[..self.cap * self.elem.size()], cap * self.elem.size());
        self.cap = cap;
    }
    fn intact(&self) -> bool {
        let tail: Vec<u8> = GUARD.iter().flat_map(|w| w.to_ne_bytes()).collect();
        self.bytes()[self.cap * self.elem.size()..].starts_with(&tail)
    }
    fn slot(&mut self) -> BufferArg {
        BufferArg { ptr: self.words.as_mut_ptr().cast(), cap: self.cap as u64, len: UNSET }
    }
}

struct HarnessHost {
    owned: Vec<OwnedBuffer>,
    growth: Growth,
    grows: usize,
}

/// # Safety
/// `call` is the call that [`run`] made, and its `host` the `HarnessHost` there.
unsafe extern "C" fn grow(call: *mut RawCall, buf: u64, cap: u64) -> i32 {
    // SAFETY: `run` put its own `HarnessHost` there and touches it no more until the kernel returns.
    let host = unsafe { &mut *(*call).host.cast::<HarnessHost>() };
    host.grows += 1;
    let owned = &mut host.owned[buf as usize];
    let wanted = (cap as usize).max(2 * owned.cap);
    if host.growth == Growth::Failing || wanted > 1 << 32 {
        return Status::OutOfMemory as i32;
    }
    owned.grow(wanted);
    // SAFETY: `bufs` has one slot per buffer of the kernel, and `buf` is one of them (indexed above).
    let slot = unsafe { &mut *(*call).bufs.add(buf as usize) };
    let len = slot.len;
    *slot = BufferArg { len, ..owned.slot() };
    Status::Ok as i32
}

/// Runs a kernel on copies of `bufs` (one list per buffer of the kernel, in order).
///
/// The caller makes sure that the kernel stays in bounds of what it is given.
///
/// # Errors
/// What [`Compiled::run`] says, and a bug when the kernel wrote past the end of a buffer.
pub fn run(
    code: &dyn Compiled,
    kernel: &LoopKernel,
    bufs: &[Vec<Scalar>],
    params: &[i64],
    growth: Growth,
) -> Result<HarnessOutcome> {
    run_until(&AtomicBool::new(false), code, kernel, bufs, params, growth)
}

/// As [`run`]; the kernel is asked to end when `stop` is set.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    stop: &AtomicBool,
    code: &dyn Compiled,
    kernel: &LoopKernel,
    bufs: &[Vec<Scalar>],
    params: &[i64],
    growth: Growth,
) -> Result<HarnessOutcome> {
    assert_eq!(bufs.len(), kernel.bufs.len(), "one list per buffer");
    assert_eq!(params.len(), kernel.params.len(), "one number per parameter");
    let owned = kernel.bufs.iter().zip(bufs).map(|((_, b), v)| OwnedBuffer::new(b.elem, v)).collect();
    let mut host = HarnessHost { owned, growth, grows: 0 };
    let mut slots: Vec<BufferArg> = host.owned.iter_mut().map(OwnedBuffer::slot).collect();
    let pointer: *mut HarnessHost = &mut host;
    let mut call = Call::new(&mut slots, params, grow, pointer.cast::<c_void>(), stop);
    // SAFETY: the slots describe owned, aligned, distinct buffers of the kernel's dtypes; `grow` fits `host`; the
    // caller answers for the kernel's indices.
    let status = unsafe { code.run(&mut call) }?;
    if !host.owned.iter().all(OwnedBuffer::intact) {
        return Err(Error::bug("harness", format!("{} wrote past the end of a buffer", kernel.name), ""));
    }
    Ok(HarnessOutcome {
        status,
        bufs: host.owned.iter().map(OwnedBuffer::values).collect(),
        lens: slots.iter().map(|s| (s.len != UNSET).then_some(s.len)).collect(),
        grows: host.grows,
    })
}
