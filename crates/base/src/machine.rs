//! Thresholds that choose between ways of computing the same: those that pay on a real machine, or the lowest ones, with
//! which small tests take every way.
//!
//! `OPENWORK_MACHINE=tiny` asks for the lowest ones. No result depends on it, but for the last bits of sums whose parts are
//! added up apart.

use std::sync::LazyLock;

static TINY: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("OPENWORK_MACHINE").is_some_and(|name| name == "tiny"));

static VARIANT: LazyLock<Option<usize>> =
    LazyLock::new(|| std::env::var("OPENWORK_VARIANT").ok()?.parse().ok());

/// The number of the variant that every plan is to try first, where `OPENWORK_VARIANT` asks for one; plans with fewer take their
/// last one.
pub fn forced_variant() -> Option<usize> {
    *VARIANT
}

/// Whether all thresholds are at their lowest.
pub fn is_tiny() -> bool {
    *TINY
}

/// A threshold: `usual`, or `lowest` where all are at their lowest.
///
/// ```
/// use openwork_base::machine::{is_tiny, threshold};
/// assert_eq!(threshold(4096, 1), if is_tiny() { 1 } else { 4096 });
/// ```
pub fn threshold<T>(usual: T, lowest: T) -> T {
    if is_tiny() { lowest } else { usual }
}

/// How many of `len` elements a task takes: `usual` ones, or few where all thresholds are at their lowest, a multiple of
/// `lowest`.
///
/// ```
/// use openwork_base::machine::{elements_of_a_task, is_tiny};
/// assert_eq!(elements_of_a_task(4096, 4, 10), if is_tiny() { 4 } else { 4096 });
/// ```
pub fn elements_of_a_task(usual: usize, lowest: usize, len: usize) -> usize {
    // More tasks than these show nothing more.
    const TASKS: usize = 64;
    threshold(usual, lowest * len.div_ceil(lowest * TASKS).max(1))
}
