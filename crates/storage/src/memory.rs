//! The limit on the memory that the library holds: every array is asked for before it is allocated or grows, and is counted
//! until it is given back, in the process as a whole. So a format that does not suit its data is refused at once instead of
//! filling the machine, and so is the last of many tensors that are each small enough.
//!
//! What users lend is not counted. Memory that was freed and is kept for the next array is counted, and given back
//! before anything is refused.

mod machine;

use crate::block;
use crate::error::over_limit;
use crate::spare;
use openwork_base::settings::Setting;
use openwork_base::{Error, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The limit that was set, or 0.
static SET: AtomicU64 = AtomicU64::new(0);
static DEFAULT: OnceLock<u64> = OnceLock::new();
static SETTING: Setting<u64> =
    Setting::new("OPENWORK_MEMORY_LIMIT", "a number of bytes above 0, as `4G`, `512M` or `64K`", parse);
/// Bytes of all arrays.
static HELD: AtomicU64 = AtomicU64::new(0);

/// The most bytes that all arrays together may take: what [`set_limit`] said last, else the environment's
/// `OPENWORK_MEMORY_LIMIT` (bytes, or with a suffix `K`, `M` or `G`), else 80% of the memory that was available when this
/// was first asked, or of what the process's control groups allow where that is less.
pub fn limit() -> u64 {
    match SET.load(Ordering::Relaxed) {
        0 => *DEFAULT.get_or_init(default_limit),
        bytes => bytes,
    }
}

/// Looks whether `OPENWORK_MEMORY_LIMIT` is understood.
///
/// # Errors
/// `E0820` where it is not.
pub fn check_settings() -> Result<()> {
    SETTING.check()
}

/// Sets the limit for the whole process; 0 goes back to the default.
pub fn set_limit(bytes: u64) {
    SET.store(bytes, Ordering::Relaxed);
}

/// The bytes that all arrays take now.
///
/// ```
/// use openwork_algebra::DType;
/// use openwork_storage::{Buffer, memory};
/// let before = memory::held_bytes();
/// let array = Buffer::zeros(DType::F64, 1000)?;
/// assert!(memory::held_bytes() >= before + 8000);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn held_bytes() -> u64 {
    HELD.load(Ordering::Relaxed)
}

/// Bytes that may still be taken.
pub fn remaining_bytes() -> u64 {
    limit().saturating_sub(held_bytes())
}

/// Gives memory that was freed and is kept for the next array back to the system, and so what a [`Spare`](crate::Spare) holds.
///
/// ```
/// use openwork_storage::{Buffer, memory};
/// drop(Buffer::zeros(openwork_algebra::DType::F64, 1 << 20)?);
/// memory::give_back();
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn give_back() {
    spare::empty_all();
    block::give_back_kept();
}

/// How many arrays were asked for or made larger so far, the number of the first one that is refused, and how many are.
static ASKED: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(u64::MAX);
static TIMES: AtomicU64 = AtomicU64::new(0);

/// Refuses `numbers` of the arrays that are asked for or made larger from now on, in the whole process, counted from 0; an
/// empty range refuses none. For tests of what a failed run leaves behind.
#[doc(hidden)]
pub fn refuse_numbers(numbers: std::ops::Range<u64>) {
    TIMES.store(0, Ordering::SeqCst);
    ASKED.store(0, Ordering::SeqCst);
    REFUSED.store(numbers.start, Ordering::SeqCst);
    TIMES.store(numbers.end.saturating_sub(numbers.start), Ordering::SeqCst);
}
/// How many arrays were asked for or made larger since [`refuse_numbers`].
#[doc(hidden)]
pub fn request_count() -> u64 {
    ASKED.load(Ordering::SeqCst)
}
/// Whether the array that is asked for now is one to refuse.
pub(crate) fn is_refused() -> bool {
    let number = ASKED.fetch_add(1, Ordering::Relaxed);
    let times = TIMES.load(Ordering::Relaxed);
    times > 0 && number.checked_sub(REFUSED.load(Ordering::Relaxed)).is_some_and(|n| n < times)
}

/// Refuses `bytes` more for `what` when everything together would be over the limit.
///
/// # Errors
/// E0605 with what is asked, held and allowed.
pub fn allow(what: impl FnOnce() -> String, bytes: u128) -> Result<()> {
    let fits = || bytes <= u128::from(remaining_bytes());
    if fits() {
        return Ok(());
    }
    give_back();
    if fits() { Ok(()) } else { Err(refusal(&what(), bytes)) }
}

/// Counts `bytes` more, unless that is over the limit.
pub(crate) fn take(bytes: usize) -> bool {
    let limit = limit();
    let once = || {
        let more = |held: u64| held.checked_add(bytes as u64).filter(|&n| n <= limit);
        HELD.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    };
    if once() {
        return true;
    }
    give_back();
    once()
}

/// Counts `bytes` more, whatever the limit is: for what cannot be refused.
pub(crate) fn count(bytes: usize) {
    HELD.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// Counts `bytes` less.
pub(crate) fn release(bytes: usize) {
    HELD.fetch_sub(bytes as u64, Ordering::Relaxed);
}

/// The refusal of `bytes` more for `what`: E0605.
pub fn refusal(what: &str, bytes: u128) -> Error {
    over_limit(format!(
        "{what} would take {}, more than the memory limit of {} leaves: {} are held",
        bytes_text(bytes),
        bytes_text(u128::from(limit())),
        bytes_text(u128::from(held_bytes()))
    ))
}

/// A number of bytes in the largest unit of which it is at least one: `1.5 GiB`, `12 MiB`, `300 bytes`.
pub fn bytes_text(bytes: u128) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let Some((unit, shift)) = units.into_iter().find(|(_, shift)| bytes >> shift > 0) else {
        return format!("{bytes} bytes");
    };
    let number = bytes as f64 / (1u64 << shift) as f64;
    let digits = if number >= 10.0 { 0 } else { 1 };
    format!("{number:.digits$} {unit}")
}

fn default_limit() -> u64 {
    // A machine that does not tell has no limit but its address space.
    SETTING
        .value()
        .copied()
        .or_else(|| machine::memory().map(|bytes| bytes / 5 * 4))
        .unwrap_or(i64::MAX as u64)
}

/// A number of bytes: `123`, `64K`, `10M`, `2G`.
pub fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.chars().last()?.to_ascii_uppercase() {
        'K' => (&text[..text.len() - 1], 10),
        'M' => (&text[..text.len() - 1], 20),
        'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits.trim().parse().ok()?;
    number.checked_mul(1 << shift).filter(|&n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_with_suffixes() {
        assert_eq!(parse("123"), Some(123));
        assert_eq!(parse(" 64k "), Some(64 << 10));
        assert_eq!(parse("10M"), Some(10 << 20));
        assert_eq!(parse("2G"), Some(2 << 30));
        assert_eq!(
            (parse(""), parse("G"), parse("-1"), parse("0"), parse("99999999999G")),
            Default::default()
        );
    }
}
