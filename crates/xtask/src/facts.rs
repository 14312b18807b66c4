//! Levels are known by their facts: only the crates that define them compare a declaration with a given one.

use crate::{files, read};
use std::path::Path;

/// The crates that may: those that declare levels, and tests that draw data for a certain one.
const DEFINING: [&str; 4] = ["format", "levels", "filetests", "xtask"];

/// Reports comparisons of level formats by name elsewhere.
pub fn check(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for path in files(&root.join("crates"), "rs") {
        let inside = path.strip_prefix(root.join("crates")).unwrap_or(&path);
        let mut parts = inside.components().map(|c| c.as_os_str().to_string_lossy());
        let (of, part) = (parts.next(), parts.next());
        if part.as_deref() != Some("src") || of.is_some_and(|c| DEFINING.contains(&&*c)) {
            continue;
        }
        let named = named(&read(&path));
        out.extend(
            named.map(|line| format!("{}:{line}: ask a fact of the level, not its name", inside.display())),
        );
    }
    out
}

/// The lines that compare a level format with a given one.
fn named(text: &str) -> impl Iterator<Item = usize> + use<> {
    let constant = |rest: &str| {
        let name = rest.rsplit_once("specs::").map_or(rest, |(_, name)| name);
        name.trim_start_matches("&").starts_with(|c: char| c.is_ascii_uppercase())
    };
    let compared = |line: &str| {
        ["spec == &", "spec != &", "spec() == &", "spec() != &", ".is(&"].iter().any(|by| {
            line.match_indices(by).any(|(at, _)| {
                let rest = &line[at + by.len()..];
                let end =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
                constant(&rest[..end])
            })
        })
    };
    let lines: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| compared(line)).map(|(n, _)| n + 1).collect();
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    #[test]
    fn comparisons_by_name_are_found() {
        let text = "\
if level.is(&DENSE) {
if level.is_dense() {
level.spec == &specs::RUNS
a.spec != &openwork_format::specs::RUNS && b
a.spec == b.spec
handler.is(&names.default)
";
        assert_eq!(super::named(text).collect::<Vec<_>>(), [1, 3, 4]);
    }
}
