//! The calling convention of compiled kernels: `fn(*mut RawCall) -> i32`, where the result is a
//! [`Status`](openwork_loops::Status) code.
//!
//! The layout is C's. Compiled code loads buffer pointers and capacities once at entry and again after every call of
//! `grow`.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// One buffer of a call. Temporaries have a slot too, empty at entry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BufferArg {
    /// First element (may dangle when `cap` is 0).
    pub ptr: *mut u8,
    /// Elements that may be accessed.
    pub cap: u64,
    /// Set by `SetLen`: how many elements are the result. The caller initialises it.
    pub len: u64,
}

/// Grows buffer `buf` to at least `cap` elements: updates `bufs[buf]` (new room holds what the buffer's
/// [`Init`](openwork_loops::Init) says) and returns 0, or returns a status code and leaves the buffer as it was.
pub type Grow = unsafe extern "C" fn(call: *mut RawCall, buf: u64, cap: u64) -> i32;

/// What compiled code receives.
#[repr(C)]
#[derive(Debug)]
pub struct RawCall {
    /// One slot per buffer of the kernel, in order.
    pub bufs: *mut BufferArg,
    /// One `i64` per parameter of the kernel, in order.
    pub params: *const i64,
    /// Called by `Reserve`.
    pub grow: Grow,
    /// The caller's own state, for `grow`.
    pub host: *mut c_void,
    /// Read by `Poll`: anything but 0 ends the kernel. Other threads may set it at any time.
    pub stop: *const AtomicBool,
}

/// The type of compiled code.
pub type EntryPoint = unsafe extern "C" fn(*mut RawCall) -> i32;

/// A [`RawCall`] with the lifetimes of what it points to.
#[derive(Debug)]
pub struct Call<'a> {
    /// The raw form.
    pub raw: RawCall,
    buf_count: usize,
    param_count: usize,
    life: PhantomData<(&'a mut [BufferArg], &'a [i64], &'a AtomicBool)>,
}

impl<'a> Call<'a> {
    /// A call over buffer slots and parameters, until `stop` is set.
    pub fn new(
        bufs: &'a mut [BufferArg],
        params: &'a [i64],
        grow: Grow,
        host: *mut c_void,
        stop: &'a AtomicBool,
    ) -> Call<'a> {
        let (buf_count, param_count) = (bufs.len(), params.len());
        let raw = RawCall { bufs: bufs.as_mut_ptr(), params: params.as_ptr(), grow, host, stop };
        Call { raw, buf_count, param_count, life: PhantomData }
    }
    /// The buffer slots.
    pub fn bufs(&mut self) -> &mut [BufferArg] {
        // SAFETY: `new` took a unique borrow of exactly this slice for 'a, and `self` is borrowed uniquely here.
        unsafe { std::slice::from_raw_parts_mut(self.raw.bufs, self.buf_count) }
    }
    /// Whether the kernel should stop.
    pub fn is_cancelled(&self) -> bool {
        // SAFETY: `new` took a shared borrow of the flag for 'a.
        unsafe { &*self.raw.stop }.load(Ordering::Relaxed)
    }
    /// The parameters.
    pub fn params(&self) -> &[i64] {
        // SAFETY: `new` took a shared borrow of exactly this slice for 'a.
        unsafe { std::slice::from_raw_parts(self.raw.params, self.param_count) }
    }
}

/// The status behind the code that compiled code returned.
///
/// # Errors
/// A bug when there is no such status.
pub fn status(step: &'static str, code: i32) -> openwork_base::Result<openwork_loops::Status> {
    openwork_loops::Status::from_code(code)
        .ok_or_else(|| openwork_base::Error::bug(step, format!("a kernel returned status {code}"), ""))
}
