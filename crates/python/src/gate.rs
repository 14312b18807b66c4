//! The one gate through which work leaves the interpreter: the GIL is released, a panic becomes an error, and Ctrl-C is
//! heard.
//!
//! Kernels of this version cannot be stopped from outside. Work that may take long therefore runs on a thread of its own
//! while the caller waits and listens: Ctrl-C raises `KeyboardInterrupt` at once, the thread finishes what it began, and
//! then frees its operands and its result, which nobody sees.

use crate::error::OrRaise;
use openwork::{Error, Result};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// So short that nobody would interrupt it.
    Short,
    /// Perhaps long.
    Long,
}

impl Length {
    /// Work in one pass over so many values.
    pub(crate) fn of(values: usize) -> Length {
        if values >= 10_000_000 { Length::Long } else { Length::Short }
    }
}

/// What is known of how long a statement takes. A thread of its own costs a call some hundred microseconds, as what it
/// reads is in the cache of another core, so it is only for work that takes longer than anyone notices; how long that
/// is nobody knows before the first time.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// The bound and the time of the run before.
    last: Mutex<Option<(f64, f64)>>,
}

/// Nanoseconds that nobody waits for.
const UNNOTICED: f64 = 50e6;
/// Operands whose values can meet in fewer ways than this never take long.
const FEW: f64 = 1e8;

impl Pace {
    /// In how many ways values can meet: no kernel does more work than some multiple of it.
    fn bound(values: impl IntoIterator<Item = usize>) -> f64 {
        values.into_iter().map(|n| n.max(1) as f64).product()
    }
    /// A guess for operands with so many values.
    pub(crate) fn length(&self, values: impl IntoIterator<Item = usize>) -> Length {
        let bound = Pace::bound(values);
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let nanos = last.map_or(f64::INFINITY, |(before, nanos)| nanos * (bound / before).max(1.0));
        if bound < FEW || nanos < UNNOTICED { Length::Short } else { Length::Long }
    }
    /// Notes how long operands with so many values took.
    pub(crate) fn note(&self, values: impl IntoIterator<Item = usize>, time: Duration) {
        let bound = Pace::bound(values);
        if bound >= FEW {
            let now = Some((bound, time.as_nanos() as f64));
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

/// Between two looks for Ctrl-C.
const PERIOD: Duration = Duration::from_millis(20);

/// Does `work` without the GIL.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    length: Length,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let work = move || catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()));
    if length == Length::Short {
        return py.detach(work).or_raise(py);
    }
    let (send, receive) = channel();
    let thread = std::thread::Builder::new().name("openwork".into()).spawn(move || {
        // Nobody listens any more after Ctrl-C; the result is dropped then.
        let _ = send.send(work());
    });
    thread?;
    loop {
        // The receiver is not `Sync`, but it is only used by this thread, which waits here.
        let waiting = AssertSend(&receive);
        match py.detach(move || waiting.get().recv_timeout(PERIOD)) {
            Ok(result) => return result.or_raise(py),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(panicked()).or_raise(py),
        }
    }
}

fn panicked() -> Error {
    Error::bug("call", "a part of the compiler panicked; its message is on the standard error stream", "")
}

/// Something that only this thread uses while it is detached from the interpreter.
struct AssertSend<'a, T>(&'a T);

// SAFETY: `Python::detach` runs its closure on the calling thread, so the reference never leaves it.
unsafe impl<T> Send for AssertSend<'_, T> {}

impl<'a, T> AssertSend<'a, T> {
    fn get(self) -> &'a T {
        self.0
    }
}
