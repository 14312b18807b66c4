//! Thresholds that choose between ways of computing the same: those that pay on a real machine, or the lowest ones, with
//! which small tests take every way.
//!
//! `OPENWORK_MACHINE=tiny` asks for the lowest ones. No result depends on it, but for the last bits of sums whose parts are
//! added up apart.

use crate::Result;
use crate::settings::{Setting, parse_count};

static TINY: Setting<()> = Setting::new("OPENWORK_MACHINE", "`tiny`", |name| (name == "tiny").then_some(()));

static VARIANT: Setting<usize> =
    Setting::new("OPENWORK_VARIANT", "the number of a variant, from 1 on", parse_count);

/// Looks whether the environment's variables of this module are understood.
///
/// # Errors
/// `E0820` where one is not.
pub fn check_settings() -> Result<()> {
    TINY.check().and_then(|()| VARIANT.check())
}

/// The number of the variant that every plan is to try first, where `OPENWORK_VARIANT` asks for one; plans with fewer take their
/// last one.
pub fn forced_variant() -> Option<usize> {
    VARIANT.value().copied()
}

/// Whether all thresholds are at their lowest.
pub fn is_tiny() -> bool {
    TINY.value().is_some()
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
