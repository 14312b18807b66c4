//! How many threads work may use: kernels, conversions, packing and files alike.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`set_threads`] set; 0 asks the environment, and else the machine.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The variable that sets the number of threads of a process.
const VARIABLE: &str = "OPENWORK_THREADS";
/// More threads than any machine has for one process; a larger number is a mistake.
const MOST: usize = 1024;

/// Sets how many threads of the process one call may use, the caller's included; 0 goes back to `OPENWORK_THREADS`, and
/// where that is not set, to the number of processors. Results are the same, bit by bit, for every number.
///
/// ```
/// openwork_base::threads::set_threads(2);
/// assert_eq!(openwork_base::threads::threads(), 2);
/// ```
pub fn set_threads(n: usize) {
    THREADS.store(n.min(MOST), Ordering::Relaxed);
}

/// How many threads a call may use.
pub fn threads() -> usize {
    match (WITHIN.get(), THREADS.load(Ordering::Relaxed)) {
        (0, 0) => *DEFAULT,
        (0, n) | (n, _) => n,
    }
}

thread_local! {
    /// What [`within`] says around the caller; 0 for nothing.
    static WITHIN: Cell<usize> = const { Cell::new(0) };
}

/// Puts back what was said before, even after a panic.
struct Before(usize);

impl Drop for Before {
    fn drop(&mut self) {
        WITHIN.set(self.0);
    }
}

/// Does `work` on at most so many threads, whatever the process may use; 0 leaves that as it is.
///
/// ```
/// use openwork_base::threads::{threads, within};
/// let before = threads();
/// assert_eq!(within(3, || (threads(), within(0, threads), within(1, threads))), (3, 3, 1));
/// assert_eq!(threads(), before);
/// ```
pub fn within<T>(n: usize, work: impl FnOnce() -> T) -> T {
    let _before = Before(WITHIN.get());
    if n > 0 {
        WITHIN.set(n.min(MOST));
    }
    work()
}

static DEFAULT: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
    let asked = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse().ok());
    let machine = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.filter(|n| *n > 0).unwrap_or_else(machine).min(MOST)
});
