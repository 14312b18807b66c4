//! Checks for levels that make sense only in certain places of a format.

use crate::level::Level;
use crate::remap::Remap;
use crate::specs::{
    BANDED, BLOCK, COMPRESSED_AOS, HASHED, LOWER, OFFSET, RANGE, RUNS, SINGLETON_AOS, SKYLINE, UPPER,
};

/// Why level `k` cannot stand where it is, if it cannot.
pub(crate) fn misplacement(remap: &Remap, levels: &[Level], k: usize) -> Option<String> {
    let level = levels[k];
    let name = level.spec.name;
    let plain = remap.coords[k].plain();
    if level.is(&OFFSET) || level.is(&BLOCK) {
        return match plain {
            Some(mode) if remap.recover(mode, k).is_some() => None,
            Some(mode) => Some(format!(
                "the coordinates above do not determine `{}`, which this {name} level should compute",
                remap.names[mode]
            )),
            None => Some(format!("a level `{name}` computes a mode")),
        };
    }
    if level.is(&RANGE) && remap.band(k).is_none() {
        return Some(
            "no coordinate above is a sum or difference that leaves this range level an interval".into(),
        );
    }
    if (level.is(&BANDED) || level.is(&LOWER) || level.is(&UPPER)) && k == 0 {
        return Some(format!("a level `{name}` needs a level above it, whose coordinates it stays close to"));
    }
    let above = k.checked_sub(1).map(|p| levels[p]);
    if level.is(&SINGLETON_AOS) && !above.is_some_and(|l| l.is(&COMPRESSED_AOS) || l.is(&SINGLETON_AOS)) {
        return Some(
            "a level `singleton_aos` lies in the structs of a `compressed_aos` level right above".into(),
        );
    }
    if level.is(&RUNS) && k + 1 < levels.len() {
        return Some("a level `runs` shares values between coordinates, so nothing can lie below it".into());
    }
    if level.is(&SKYLINE) && plain.is_none() {
        return Some("a level `skyline` stores a mode".into());
    }
    let chained = levels.get(k + 1).is_some_and(|l| l.branchless() && !l.is_padded());
    if level.is(&HASHED) && !level.unique() && !chained {
        return Some("a `hashed(nonunique)` level hashes the tuple that singletons below it complete".into());
    }
    None
}
