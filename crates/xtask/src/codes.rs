//! Every error code in the sources is explained in `guide/src/errors.md`, and none is explained that does not exist.

use crate::{files, read};
use std::collections::BTreeSet;
use std::path::Path;

/// Reports codes that are missing on either side.
pub fn check(root: &Path) -> Vec<String> {
    let documented = codes(&read(&root.join("guide/src/errors.md")));
    let mut used = BTreeSet::new();
    for path in files(&root.join("crates"), "rs") {
        if !path.components().any(|c| ["xtask", "filetests", "tests"].iter().any(|t| c.as_os_str() == *t)) {
            used.extend(codes(&read(&path)));
        }
    }
    used.remove("E0000");
    let missing = used
        .difference(&documented)
        .map(|c| format!("error code {c} is not explained in guide/src/errors.md"));
    let stale = documented
        .difference(&used)
        .map(|c| format!("guide/src/errors.md explains {c}, which nothing reports"));
    missing.chain(stale).collect()
}

/// Every `E` followed by exactly four digits.
fn codes(text: &str) -> BTreeSet<String> {
    let bytes = text.as_bytes();
    let mut out = BTreeSet::new();
    for (at, _) in text.match_indices('E') {
        let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let word_before = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
        if digits == 4 && !word_before {
            out.insert(text[at..at + 5].to_string());
        }
    }
    out
}
