//! How many threads work may use: kernels, conversions, packing and files alike.

use crate::Result;
use crate::settings::{Setting, parse_count};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`set_threads`] set; 0 asks the environment, and else the machine.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The variable that sets the number of threads of a process.
static SETTING: Setting<usize> =
    Setting::new("OPENWORK_THREADS", "a number of threads, from 1 on", parse_count);
/// The variable that does it where ours is not set. It is what schedulers of clusters and joblib's workers set where several
/// processes share a machine: two of them with two threads each took 1.2 times as long on two processors as with one each.
/// What it says is a matter of others, so that a text which says nothing here is passed over.
const SHARED: &str = "OMP_NUM_THREADS";
/// More threads than any machine has for one process; a larger number is a mistake.
const MOST: usize = 1024;

/// Sets how many threads of the process one call may use, the caller's included; 0 goes back to `OPENWORK_THREADS` or
/// `OMP_NUM_THREADS`, and where neither is set, to the number of processors. Results are the same, bit by bit, for every
/// number.
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
    /// What [`run_with_limit`] says around the caller; 0 for nothing.
    static WITHIN: Cell<usize> = const { Cell::new(0) };
}

/// Puts back what was said before, even after a panic.
struct ThreadsGuard(usize);

impl Drop for ThreadsGuard {
    fn drop(&mut self) {
        WITHIN.set(self.0);
    }
}

/// Does `work` on at most so many threads, whatever the process may use; 0 leaves that as it is.
///
/// ```
/// use openwork_base::threads::{run_with_limit, threads};
/// let before = threads();
/// assert_eq!(run_with_limit(3, || (threads(), run_with_limit(0, threads), run_with_limit(1, threads))), (3, 3, 1));
/// assert_eq!(threads(), before);
/// ```
pub fn run_with_limit<T>(n: usize, work: impl FnOnce() -> T) -> T {
    let _before = ThreadsGuard(WITHIN.get());
    if n > 0 {
        WITHIN.set(n.min(MOST));
    }
    work()
}

static DEFAULT: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
    let machine = || std::thread::available_parallelism().map_or(1, usize::from);
    let shared = || std::env::var(SHARED).ok().and_then(|text| first_count(&text));
    SETTING.value().copied().or_else(shared).unwrap_or_else(machine).min(MOST)
});

/// Looks whether `OPENWORK_THREADS` is understood.
///
/// # Errors
/// `E0820` where it is not.
pub fn check_settings() -> Result<()> {
    SETTING.check()
}

/// The number of a text, which may be a list: a number for each depth of loops inside of each other.
fn first_count(text: &str) -> Option<usize> {
    parse_count(text.split(',').next()?.trim())
}

#[cfg(test)]
mod tests {
    use super::first_count;

    #[test]
    fn the_variable_of_openmp_may_be_a_list() {
        assert_eq!((first_count(" 2 "), first_count("4,2")), (Some(2), Some(4)));
        assert_eq!((first_count(""), first_count("many"), first_count("0")), (None, None, None));
    }
}
