//! How much memory tensors may take: sizes are computed before anything is allocated, so that a format that does not
//! suit its data is refused at once instead of filling the machine.

use crate::error::over_limit;
use openwork_base::Result;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The limit that was set, or 0.
static SET: AtomicU64 = AtomicU64::new(0);
static DEFAULT: OnceLock<u64> = OnceLock::new();

/// The most bytes that the arrays of one tensor may take: what [`set_limit`] said last, else the environment's
/// `OPENWORK_MEMORY_LIMIT` (bytes, or with a suffix `K`, `M` or `G`), else 80% of the memory of the machine.
pub fn limit() -> u64 {
    match SET.load(Ordering::Relaxed) {
        0 => *DEFAULT.get_or_init(default_limit),
        bytes => bytes,
    }
}

/// Sets the limit for the whole process; 0 goes back to the default.
pub fn set_limit(bytes: u64) {
    SET.store(bytes, Ordering::Relaxed);
}

/// Refuses `bytes` in all for `what` when that is over the limit.
///
/// # Errors
/// E0605 with both numbers.
pub fn allow(what: impl FnOnce() -> String, bytes: u128) -> Result<()> {
    let limit = limit();
    if bytes <= limit as u128 {
        return Ok(());
    }
    Err(over_limit(format!(
        "{} would take {} GiB, more than the memory limit of {} GiB",
        what(),
        gibibytes(bytes),
        gibibytes(limit as u128)
    )))
}

fn gibibytes(bytes: u128) -> String {
    let gib = bytes as f64 / (1u64 << 30) as f64;
    let digits = if gib >= 10.0 {
        0
    } else if gib >= 0.1 {
        1
    } else {
        6
    };
    format!("{gib:.digits$}")
}

fn default_limit() -> u64 {
    let asked = std::env::var("OPENWORK_MEMORY_LIMIT").ok().and_then(|text| parse(&text));
    // A machine that does not tell has no limit but its address space.
    asked.or_else(|| physical().map(|bytes| bytes / 5 * 4)).unwrap_or(i64::MAX as u64)
}

/// `123`, `64K`, `10M`, `2G`.
fn parse(text: &str) -> Option<u64> {
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

/// The memory of the machine.
fn physical() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    kilobytes.checked_mul(1024)
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
        assert!(physical().is_none_or(|n| n > 1 << 20));
    }
}
