//! The one gate between the interpreter and the compiler. Every entry point goes through [`entry`], where a panic becomes an
//! exception like any other (`cargo xtask tidy` looks that it does); work goes through [`run`], which releases the GIL and
//! hears Ctrl-C.
//!
//! Python tells nobody but the main thread of Ctrl-C, and only when that asks. Work that may take long therefore runs on a
//! thread of its own while the caller listens. After Ctrl-C the work is [asked to stop](Cancel), which kernels do within
//! a millisecond, and `KeyboardInterrupt` is raised. What cannot stop so soon, such as a read from a slow disk, does so
//! later, unseen.

use crate::error::{OrRaise, raised};
use crate::gate;
use openwork::{Cancel, Error, Result};
use openwork_base::panics::guarded;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// In how many ways values could meet in the run before, and its time.
    last: Mutex<Option<(f64, f64)>>,
}

/// Nanoseconds that nobody waits for.
const UNNOTICED: f64 = 50e6;
/// Operands whose values can meet in fewer ways than this never take long, unless every coordinate has to be visited.
const FEW: f64 = 1e8;
/// Operands of fewer coordinates together than this do not take long either way.
const SMALL: f64 = 1e11;

/// How much operands hold: no kernel does more work than some multiple of either number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    /// In how many ways stored values can meet.
    values: f64,
    /// In how many ways coordinates can.
    coordinates: f64,
}

impl Amount {
    /// That of operands that are read so many times each.
    pub(crate) fn of(operands: &[Arc<openwork::Tensor>], times: &[i32]) -> Amount {
        let (mut values, mut coordinates) = (1.0, 1.0);
        for (t, &times) in operands.iter().zip(times) {
            values *= (t.nnz().max(1) as f64).powi(times);
            coordinates *= t.shape().iter().map(|&n| n as f64).product::<f64>().powi(times);
        }
        Amount { values, coordinates }
    }
    fn little(self) -> bool {
        self.values < FEW && self.coordinates < SMALL
    }
}

impl Pace {
    /// A guess for operands that hold so much.
    pub(crate) fn length(&self, amount: Amount) -> Length {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let nanos = last.map_or(f64::INFINITY, |(before, nanos)| nanos * (amount.values / before).max(1.0));
        if amount.little() || nanos < UNNOTICED { Length::Short } else { Length::Long }
    }
    /// Notes how long operands that hold so much took.
    pub(crate) fn note(&self, amount: Amount, time: Duration) {
        if !amount.little() {
            let now = Some((amount.values, time.as_nanos() as f64));
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

/// What an entry point does: nothing but a value or an exception of the package leaves it. PyO3 would make a
/// `PanicException` of a panic, which `except Exception` does not catch.
pub(crate) fn entry<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded("a call from Python", work).unwrap_or_else(|bug| Python::attach(|py| Err(raised(py, &bug))))
}

/// Panics, so that tests can see what becomes of it: in an entry point, in its work, or on a thread of its own.
#[pyfunction]
pub(crate) fn fail(py: Python<'_>, place: &str) -> PyResult<()> {
    gate::entry(|| {
        let message = format!("asked to, in the {place}");
        let work = move || -> Result<()> { panic!("{message}") };
        match place {
            "work" => gate::run(py, Length::Short, work),
            "thread" => gate::run(py, Length::Long, work),
            _ => work().or_raise(py),
        }
    })
}

/// Between two looks for Ctrl-C.
const PERIOD: Duration = Duration::from_millis(20);
/// What work is given to stop, so that its memory is free again when the interrupt is seen.
const GRACE: Duration = Duration::from_millis(20);

/// Does `work` without the GIL.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    length: Length,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let work = move || guarded("a call from Python", work).and_then(|done| done);
    if length == Length::Short {
        return py.detach(work).or_raise(py);
    }
    let (send, receive) = channel();
    let cancel = Cancel::new();
    let heeded = cancel.clone();
    let thread = std::thread::Builder::new().name("openwork".into()).spawn(move || {
        // Nobody may be listening any more after Ctrl-C; what came of it is dropped then.
        let _ = send.send(heeded.scope(work));
    });
    thread?;
    let wait = |time| {
        // The receiver is not `Sync`, but it is only used by this thread, which waits here.
        let receive = AssertSend(&receive);
        py.detach(move || receive.get().recv_timeout(time))
    };
    loop {
        match wait(PERIOD) {
            Ok(result) => return result.or_raise(py),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::bug("a call from Python", "a thread ended without a result", ""))
                    .or_raise(py);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            cancel.cancel();
            let _ = wait(GRACE);
            return Err(interrupt);
        }
    }
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
