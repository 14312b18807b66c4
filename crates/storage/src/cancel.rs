//! Asking work on another thread to stop.

use crate::error::cancelled;
use openwork_base::Result;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, which any thread may make for work that runs in its [`scope`](Cancel::scope). Copies are the same
/// request.
///
/// Work is asked, not killed: kernels look for the request in their loops, everything else between its steps. It ends
/// with the error `E0606`, frees what it made and leaves its operands as they were; the same kernel can run again.
///
/// ```
/// use openwork_storage::Cancel;
/// let cancel = Cancel::new();
/// let handle = cancel.clone();
/// std::thread::spawn(move || handle.cancel()).join().unwrap();
/// assert_eq!(cancel.scope(Cancel::check).unwrap_err().code().0, "E0606");
/// assert!(Cancel::check().is_ok(), "outside of the scope nobody is asked");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

thread_local! {
    /// The request that this thread's work heeds; at first one that nobody else knows.
    static CURRENT: RefCell<Cancel> = RefCell::default();
}

/// Puts back the request that was heeded before, even after a panic.
struct Before(Cancel);

impl Drop for Before {
    fn drop(&mut self) {
        CURRENT.replace(std::mem::take(&mut self.0));
    }
}

impl Cancel {
    /// A request that is not made yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }
    /// Asks the work to stop. This cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    /// Whether the work is asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
    /// What compiled code looks at.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
    /// Does `work`, which heeds this request and no other, on whatever threads its kernels run.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _before = Before(CURRENT.replace(self.clone()));
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
        if CURRENT.with_borrow(Cancel::is_cancelled) { Err(cancelled()) } else { Ok(()) }
    }
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
}
