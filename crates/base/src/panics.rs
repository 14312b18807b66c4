//! Panics as errors, where work ends that someone outside of Rust asked for.
//!
//! A panic is always a mistake of ours, so it becomes [`Error::Bug`] with what it said and where. Nothing is printed on the
//! way: whoever is told of the error decides what to show.

use crate::diag::{Error, Result};
use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::VecDeque;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// What a panic said, and that with its place.
struct Said {
    what: String,
    report: String,
}

/// The last panics that nobody has asked for. They may come from other threads, whose panics go on elsewhere.
static SAID: Mutex<VecDeque<Said>> = Mutex::new(VecDeque::new());

/// More are not kept.
const KEPT: usize = 16;

/// From now on panics are kept for [`catch_panic`] instead of being printed; with `RUST_BACKTRACE=1` with the calls that led
/// there.
pub fn keep() {
    std::panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let what = words(panic.payload());
        let mut report = what.clone();
        if let Some(place) = panic.location() {
            let _ = write!(report, ", at {place}");
        }
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = write!(report, "\n{trace}");
        }
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() == KEPT {
            said.pop_front();
        }
        said.push_back(Said { what, report });
    }));
}

/// Does `work`; a panic in it, or in what it started and waited for, is a bug in `step`.
///
/// ```
/// let error = openwork_base::panics::catch_panic("example", || panic!("no way out")).unwrap_err();
/// assert_eq!(error.code().0, "E9999");
/// assert!(error.to_string().contains("no way out"));
/// ```
///
/// # Errors
/// [`Error::Bug`] after a panic.
pub fn catch_panic<T>(step: &'static str, work: impl FnOnce() -> T) -> Result<T> {
    // What a panic leaves half done is either dropped with `work` or behind a lock that can take it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let what = words(&*payload);
        // Dropping what was thrown may throw again.
        std::mem::forget(payload);
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        let at = said.iter().rposition(|s| s.what == what);
        let report = at.and_then(|at| said.remove(at)).map_or(what, |s| s.report);
        Error::bug(step, format!("panicked: {report}"), "")
    })
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_bugs_with_their_place() {
        let before = std::panic::take_hook();
        keep();
        let direct = catch_panic("one", || -> u8 { panic!("number {}", 1) });
        let elsewhere = catch_panic("two", || {
            let thread = std::thread::spawn(|| panic!("there"));
            thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload));
        });
        let odd = catch_panic("three", || std::panic::panic_any(3));
        std::panic::set_hook(before);
        for (error, parts) in [
            (direct.unwrap_err(), ["in one: panicked: number 1, at ", file!()]),
            (elsewhere.unwrap_err(), ["in two: panicked: there, at ", file!()]),
            (odd.unwrap_err(), ["in three: panicked: no message, at ", file!()]),
        ] {
            assert_eq!(error.code().0, "E9999");
            let text = error.to_string();
            assert!(parts.iter().all(|p| text.contains(p)), "{text}");
        }
        assert_eq!(catch_panic("four", || 4), Ok(4));
    }
}
