//! The one gate between the interpreter and the compiler. Every entry point goes through [`entry`], where a panic becomes an
//! exception like any other (`cargo xtask tidy` looks that it does); work goes through [`run`], which releases the GIL and
//! hears Ctrl-C.
//!
//! Python hears Ctrl-C on its main thread only, and only when that asks. Work of that thread stays on it while the signal
//! is listened for ([`interrupt`]): it is [asked to stop](Cancel), which it does within some milliseconds, and
//! `KeyboardInterrupt` is raised. A handler of the user's may do anything else than raise that, and runs on the main thread
//! only, so where there is one, work has a thread of its own while the main one asks.

use crate::error::{OrRaise, to_exception};
use crate::gate;
use crate::interrupt::{self, Listening};
use openwork::{Cancel, Error, Result, check_settings};
use openwork_base::cancel::stoppable;
use openwork_base::panics::catch_panic;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// What an entry point does: nothing but a value or an exception of the package leaves it. PyO3 would make a
/// `PanicException` of a panic, which `except Exception` does not catch. Nothing is done with a setting that says nothing.
pub(crate) fn entry<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    if let Err(e) = check_settings() {
        return Python::attach(|py| Err(to_exception(py, &e)));
    }
    catch_panic("a call from Python", work)
        .unwrap_or_else(|bug| Python::attach(|py| Err(to_exception(py, &bug))))
}

/// Panics, so that tests can see what becomes of it: in an entry point, in its work, or on a thread of its own.
#[pyfunction]
pub(crate) fn fail(py: Python<'_>, place: &str) -> PyResult<()> {
    gate::entry(|| {
        let message = format!("asked to, in the {place}");
        let work = move || -> Result<()> { panic!("{message}") };
        match place {
            "work" => gate::run(py, work),
            "thread" => gate::run_aside(py, work),
            _ => work().or_raise(py),
        }
    })
}

/// Does `work` without the GIL, and raises `KeyboardInterrupt` soon after Ctrl-C.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    match interrupt::listen(py)? {
        Listening::Nobody => py.detach(guard_work(work)).or_raise(py),
        Listening::Here(cancel) => match py.detach(|| cancel.scope(guard_work(work))) {
            Err(e) if e.code().0 == "E0606" && cancel.is_cancelled() => Err(interrupt::exception(py)),
            done => done.or_raise(py),
        },
        Listening::Python => run_aside(py, work),
    }
}

fn guard_work<T>(work: impl FnOnce() -> Result<T>) -> impl FnOnce() -> Result<T> {
    move || catch_panic("a call from Python", || stoppable(work)).and_then(|done| done)
}

/// Between two looks for signals.
const PERIOD: Duration = Duration::from_millis(20);
/// What work is given to stop, which takes some milliseconds, so that nothing goes on when the interrupt is seen.
const GRACE: Duration = Duration::from_secs(2);

/// Does `work` on a thread of its own, while this one asks Python for signals.
fn run_aside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (send, receive) = channel();
    let cancel = Cancel::new();
    let heeded = cancel.clone();
    let thread = std::thread::Builder::new().name("openwork".into()).spawn(move || {
        // Nobody may be listening any more after an interrupt; what came of it is dropped then.
        let _ = send.send(heeded.scope(guard_work(work)));
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
