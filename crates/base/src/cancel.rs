//! Asking work on another thread to stop.
//!
//! Kernels look at the [flag](Cancel::flag) in their loops. Everything else looks between its steps, by [`Cancel::check`]
//! where an error can be returned and by [`look`] or [`tick`] where none can: in walks, sorts and tasks on other threads.
//! Those unwind, without a panic, to the [`stoppable`] around them, and do nothing where there is none.

use crate::diag::{Code, Diagnostic, Error, Result};
use crate::machine::threshold;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The code of work that was asked to stop.
pub const CANCELLED: Code = Code("E0606");

/// Work that was asked to stop: E0606.
pub fn cancel_error() -> Error {
    Error::rejection(Diagnostic::new(CANCELLED, "the caller asked the work to stop before it was done"))
}

/// A request to stop, which any thread may make for work that runs in its [`scope`](Cancel::scope). Copies are the same
/// request.
///
/// Work is asked, not killed: kernels look for the request in their loops, everything else between its steps. It ends
/// with the error `E0606`, frees what it made and leaves its operands as they were; the same kernel can run again.
///
/// ```
/// use openwork_base::Cancel;
/// let cancel = Cancel::new();
/// let handle = cancel.clone();
/// std::thread::spawn(move || handle.cancel()).join().unwrap();
/// assert_eq!(cancel.scope(Cancel::check).unwrap_err().code().0, "E0606");
/// assert!(Cancel::check().is_ok(), "outside of the scope nobody is asked");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<CancelRequest>);

#[derive(Debug, Default)]
struct CancelRequest {
    made: AtomicBool,
    /// How often it was looked for, compiled code apart.
    looks: AtomicU64,
    /// The look at which it makes itself; none for 0.
    at: u64,
}

thread_local! {
    /// The request that this thread's work heeds; at first one that nobody else knows.
    static CURRENT: RefCell<Cancel> = RefCell::default();
    /// Whether something on this thread, or on the one that waits for it, catches what unwinds.
    static STOPPABLE: Cell<bool> = const { Cell::new(false) };
    /// Rounds until the next look.
    static ROUNDS: Cell<u32> = const { Cell::new(PERIOD) };
}

/// Rounds of a loop between two looks: some ten to a hundred microseconds.
const PERIOD: u32 = 1 << 12;
/// Elements between two looks of a loop that takes less than a nanosecond or so for each.
const STRIP: usize = 1 << 16;

/// Puts back the request that was heeded before, and the rounds that were left then, even after a panic.
struct CancelGuard(Cancel, u32);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        CURRENT.replace(std::mem::take(&mut self.0));
        ROUNDS.set(self.1);
    }
}

impl Cancel {
    /// A request that is not made yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }
    /// A request that makes itself when it is looked for the `n`th time: for tests, which so stop work at any point.
    #[doc(hidden)]
    pub fn at_look(n: u64) -> Cancel {
        Cancel(Arc::new(CancelRequest { at: n, ..CancelRequest::default() }))
    }
    /// How often work other than kernels has looked for the request: for tests.
    #[doc(hidden)]
    pub fn looks(&self) -> u64 {
        self.0.looks.load(Ordering::Relaxed)
    }
    /// Asks the work to stop. This cannot be taken back.
    pub fn cancel(&self) {
        self.0.made.store(true, Ordering::Relaxed);
    }
    /// Whether the work is asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.made.load(Ordering::Relaxed)
    }
    /// What compiled code looks at.
    pub fn flag(&self) -> &AtomicBool {
        &self.0.made
    }
    /// Does `work`, which heeds this request and no other, on whatever threads its kernels run.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        // Every scope has rounds of its own, so that tests can count on them: tasks of a pool run in one each, some on the
        // thread of their caller.
        let _before = CancelGuard(CURRENT.replace(self.clone()), ROUNDS.replace(PERIOD));
        work()
    }
    /// The request of the scope around the caller; outside of any, one that is never made.
    pub fn current() -> Cancel {
        CURRENT.with_borrow(Cancel::clone)
    }
    /// Looks for the request of the scope around the caller.
    ///
    /// # Errors
    /// `E0606` when it has been made.
    pub fn check() -> Result<()> {
        if CURRENT.with_borrow(Cancel::is_set) { Err(cancel_error()) } else { Ok(()) }
    }
    fn is_set(&self) -> bool {
        let looks = self.0.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if looks == self.0.at {
            self.cancel();
        }
        self.is_cancelled()
    }
}

/// What unwinds through work that is asked to stop.
struct Stopped;

/// Does `work`, in which [`look`] may end it.
///
/// ```
/// use openwork_base::cancel::{Cancel, look, stoppable};
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let sum = || Ok((0..10).inspect(|_| look()).sum::<i32>());
/// assert_eq!(cancel.scope(|| stoppable(sum)).unwrap_err().code().0, "E0606");
/// assert_eq!(stoppable(sum), Ok(45));
/// ```
///
/// # Errors
/// `E0606` when it ended so, and those of `work`.
pub fn stoppable<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if STOPPABLE.get() {
        return work();
    }
    // What is left half done is dropped with `work`; locks that are held belong to it.
    let done = catch_unwind(AssertUnwindSafe(|| run_for_caller(true, work)));
    done.unwrap_or_else(|thrown| match thrown.downcast::<Stopped>() {
        Ok(_) => Err(cancel_error()),
        Err(panic) => resume_unwind(panic),
    })
}

/// Whether the caller can be ended by [`look`]; what goes on for it on another thread is put [`run_for_caller`] the same.
pub fn is_stoppable() -> bool {
    STOPPABLE.get()
}

/// Does `work` for a caller that is stoppable, or is not.
pub fn run_for_caller<T>(stoppable: bool, work: impl FnOnce() -> T) -> T {
    struct Put(bool);
    impl Drop for Put {
        fn drop(&mut self) {
            STOPPABLE.set(self.0);
        }
    }
    let _before = Put(STOPPABLE.replace(stoppable));
    work()
}

/// Looks for the request of the scope around the caller, and ends the [`stoppable`] work around the caller when it has been
/// made.
pub fn look() {
    if STOPPABLE.get() && CURRENT.with_borrow(Cancel::is_set) {
        // No hook is called and nothing is printed: this is no panic.
        resume_unwind(Box::new(Stopped));
    }
}

/// A round of a loop: now and then a [`look`].
#[inline(always)]
pub fn tick() {
    // One access: `set` is a call of its own, which took longer than most rounds.
    let left = ROUNDS.with(|rounds| {
        let left = rounds.get() - 1;
        rounds.set(left);
        left
    });
    if left == 0 {
        look_again();
    }
}

#[cold]
#[inline(never)]
fn look_again() {
    ROUNDS.set(PERIOD);
    look();
}

/// The numbers below `n` in strips, with a [`look`] before each: for loops over many elements that would be slower with a
/// [`tick`] in them.
pub fn strips(n: usize) -> impl Iterator<Item = Range<usize>> {
    let strip = threshold(STRIP, 8);
    (0..n).step_by(strip).map(move |from| {
        look();
        from..n.min(from + strip)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_nest_and_end() {
        let (outer, inner) = (Cancel::new(), Cancel::new());
        outer.cancel();
        outer.scope(|| {
            assert!(Cancel::check().is_err());
            inner.scope(|| assert!(Cancel::check().is_ok()));
            let _ = std::panic::catch_unwind(|| inner.scope(|| panic!("inside")));
            assert!(Cancel::current().is_cancelled());
        });
        assert!(Cancel::check().is_ok());
    }

    #[test]
    fn work_ends_at_the_look_that_was_asked_for() {
        let work = || {
            let mut sum = 0;
            for strip in strips(10 * STRIP) {
                strip.for_each(|_| sum += 1);
            }
            (0..3 * PERIOD).for_each(|_| tick());
            Ok(sum)
        };
        for n in 1..=13 {
            let cancel = Cancel::at_look(n);
            assert!(cancel.scope(|| stoppable(work)).is_err(), "look {n}");
            assert_eq!(cancel.looks(), n);
        }
        assert_eq!(Cancel::at_look(14).scope(|| stoppable(work)), Ok(10 * STRIP));
        let made = Cancel::new();
        made.cancel();
        assert!(made.scope(work).is_ok(), "nobody would catch it");
        assert!(made.scope(|| stoppable(|| stoppable(work))).is_err());
        assert!(!is_stoppable());
    }

    #[test]
    fn panics_go_on() {
        let thrown = catch_unwind(|| stoppable(|| -> Result<()> { resume_unwind(Box::new(7)) }));
        assert_eq!(thrown.unwrap_err().downcast_ref(), Some(&7));
    }
}
