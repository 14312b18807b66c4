//! How many threads a kernel may use.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What [`set_threads`] set; 0 asks the environment, and else the machine.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// The variable that sets the number of threads of a process.
const VARIABLE: &str = "OPENWORK_THREADS";
/// More threads than any machine has for one process; a larger number is a mistake.
const MOST: usize = 1024;

/// Sets how many threads of the process a kernel may use, the caller's included; 0 goes back to `OPENWORK_THREADS`, and
/// where that is not set, to the number of processors. Results are the same, bit by bit, for every number.
///
/// ```
/// openwork_runtime::set_threads(2);
/// assert_eq!(openwork_runtime::threads(), 2);
/// ```
pub fn set_threads(n: usize) {
    THREADS.store(n.min(MOST), Ordering::Relaxed);
}

/// How many threads a kernel may use.
pub fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => *DEFAULT,
        n => n,
    }
}

static DEFAULT: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {
    let asked = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse().ok());
    let machine = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.filter(|n| *n > 0).unwrap_or_else(machine).min(MOST)
});
