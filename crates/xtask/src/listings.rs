//! What changed in the listings of the text tests since a revision, so that each change can be looked at:
//! `cargo xtask listings [REVISION]`.
//!
//! ```text
//! renamed     spmv/csr_outer.t
//! fewer       spmm.t               loads 96, stores 24, … -> loads 90, stores 24, …
//! ```
//! A listing is *renamed* where only names differ, *reordered* where it has the same lines in another order, else it is
//! told by what one run of it does: *fewer* or *more* operations, *mixed*, or *rewritten* where the counts stay.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How two listings of one statement differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ListingChange {
    Renamed,
    Reordered,
    Rewritten,
    Fewer,
    Mixed,
    More,
}

impl ListingChange {
    fn name(self) -> &'static str {
        match self {
            ListingChange::Renamed => "renamed",
            ListingChange::Reordered => "reordered",
            ListingChange::Rewritten => "rewritten",
            ListingChange::Fewer => "fewer",
            ListingChange::Mixed => "mixed",
            ListingChange::More => "more",
        }
    }
}

/// The text below `> name` in a test file.
fn section<'t>(file: &'t str, name: &str) -> Option<&'t str> {
    let head = format!("\n> {name}\n");
    let start = file.find(&head)? + head.len();
    let end = file[start..].find("\n> ").map_or(file.len(), |n| start + n + 1);
    Some(&file[start..end])
}

/// The same text with names in the order in which they come: `n0`, `n1`, …
fn anonymous(listing: &str) -> String {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = String::new();
    let mut word = String::new();
    for c in listing.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let next = names.len();
            let n = *names.entry(std::mem::take(&mut word)).or_insert(next);
            out.push_str(&format!("n{n}"));
        }
        out.push_str(&std::mem::take(&mut word));
        out.push(c);
    }
    out
}

/// The numbers of a line like `loads 12, stores 3, branches 5, rounds 4`.
fn numbers(counts: &str) -> Vec<u64> {
    counts.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// How the listing of a test file changed, if it did.
fn change(old: &str, new: &str) -> Option<ListingChange> {
    let (before, after) = (section(old, "loops")?, section(new, "loops")?);
    if before == after {
        return None;
    }
    if anonymous(before) == anonymous(after) {
        return Some(ListingChange::Renamed);
    }
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|l| l.trim().to_string()).collect();
        lines.sort();
        lines
    };
    if sorted(before) == sorted(after) {
        return Some(ListingChange::Reordered);
    }
    let counted = |file| section(file, "counts").map(numbers).unwrap_or_default();
    let (was, is) = (counted(old), counted(new));
    let fewer = was.iter().zip(&is).any(|(a, b)| b < a);
    let more = was.iter().zip(&is).any(|(a, b)| b > a);
    Some(match (fewer, more) {
        (false, false) => ListingChange::Rewritten,
        (true, false) => ListingChange::Fewer,
        (false, true) => ListingChange::More,
        (true, true) => ListingChange::Mixed,
    })
}

fn git(root: &Path, args: &[&str]) -> Result<String, String> {
    let done = Command::new("git").arg("-C").arg(root).args(args).output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).trim().to_string());
    }
    String::from_utf8(done.stdout).map_err(|e| e.to_string())
}

/// The changes since `revision`, one line each, those that want a look last.
pub fn list_changes(root: &Path, revision: &str) -> Result<Vec<String>, String> {
    const FOLDER: &str = "crates/filetests/tests/files";
    let changed = git(root, &["diff", "--name-only", "--diff-filter=M", revision, "--", FOLDER])?;
    let mut found = Vec::new();
    for path in changed.lines() {
        let old = git(root, &["show", &format!("{revision}:{path}")])?;
        let new = crate::read(&root.join(path));
        if let Some(change) = change(&old, &new) {
            let counts = |file| section(file, "counts").map_or("", str::trim).to_string();
            let (was, is) = (counts(&old), counts(&new));
            let both = if was == is { String::new() } else { format!("  {was} -> {is}") };
            let name = path.strip_prefix(FOLDER).unwrap_or(path).trim_start_matches('/');
            found.push((change, format!("{:<11} {name}{both}", change.name())));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(loops: &str, counts: &str) -> String {
        format!("expr y(i) = x(i)\n> loops\n{loops}> counts\n{counts}\n> out\ny = 1\n")
    }
    #[track_caller]
    fn is(old: &str, new: &str, want: Option<ListingChange>) {
        assert_eq!(change(old, new), want);
    }

    #[test]
    fn changes_are_told_apart() {
        let (loops, counts) =
            ("let a: i64 = x[i]\nlet b: i64 = 2\n", "loads 2, stores 1, branches 1, rounds 1");
        let old = file(loops, counts);
        is(&old, &old, None);
        let renamed = loops.replace("a:", "c:");
        is(&old, &file(&renamed, counts), Some(ListingChange::Renamed));
        // Two names that become one are more than other names.
        let merged = loops.replace("b:", "a:");
        is(&old, &file(&merged, counts), Some(ListingChange::Rewritten));
        is(&old, &file("let b: i64 = 2\nlet a: i64 = x[i]\n", counts), Some(ListingChange::Reordered));
        let other = "let a: i64 = x[i] + 1\n";
        is(&old, &file(other, "loads 1, stores 1, branches 1, rounds 1"), Some(ListingChange::Fewer));
        is(&old, &file(other, "loads 2, stores 3, branches 1, rounds 1"), Some(ListingChange::More));
        is(&old, &file(other, "loads 1, stores 3, branches 1, rounds 1"), Some(ListingChange::Mixed));
    }
}
