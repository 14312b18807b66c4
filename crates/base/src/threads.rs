//! How many threads work may use: kernels, conversions, packing and files alike.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`set_threads`] set; 0 asks the environment, and else the machine.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The variables that set the number of threads of a process, ours first. The other one is what schedulers of clusters and
/// joblib's workers set where several processes share a machine: two of them with two threads each took 1.2 times as long
/// on two processors as with one each.
const VARIABLES: [&str; 2] = ["OPENWORK_THREADS", "OMP_NUM_THREADS"];
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
    requested_count(|name| std::env::var(name).ok()).unwrap_or_else(machine).min(MOST)
});

/// The number that the first variable with one in it says. `OMP_NUM_THREADS` may be a list, a number for each depth of
/// loops inside of each other.
fn requested_count(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let number = |text: String| text.split(',').next()?.trim().parse().ok().filter(|n| *n > 0);
    VARIABLES.iter().find_map(|name| variable(name).and_then(number))
}

#[cfg(test)]
mod tests {
    use super::requested_count;

    #[test]
    fn our_variable_comes_before_that_of_openmp() {
        let environment = |ours: &'static str, openmp: &'static str| {
            requested_count(|name| Some(if name == "OPENWORK_THREADS" { ours } else { openmp }.into()))
        };
        assert_eq!(environment("3", "1"), Some(3));
        assert_eq!(environment("", " 2 "), Some(2));
        assert_eq!(environment("0", "4,2"), Some(4));
        assert_eq!(environment("many", "0"), None);
        assert_eq!(requested_count(|_| None), None);
    }
}
