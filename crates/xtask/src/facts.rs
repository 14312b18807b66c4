//! Levels and formats are known by their facts: only the crates that define them compare one with a given one.
//!
//! ```text
//! Level::new(&COMPRESSED), presets::csr()            made: allowed
//! level.spec == &COMPRESSED, LEVELS.contains(…)      a constant of `specs` that makes no level
//! format.levels == presets::csr().levels             a preset that is compared
//! let rows = presets::csr();  f == rows              the same by way of a name
//! text == "csr", ["csr", "coo"].contains(&text)      a quoted name that is compared
//! a.format in ("csr", "csc"), ROWS = {"csr"}         the same in the Python package
//! ```

mod python;
pub(crate) mod rust;

use crate::{files, read};
use std::path::Path;

/// The crates that may: those that declare levels, and tests and benchmarks that draw data for a certain one.
const DEFINING: [&str; 5] = ["format", "levels", "filetests", "bench", "xtask"];
/// The module of the Python package whose names of formats are those of SciPy's classes.
const OF_SCIPY: &str = "_scipys.py";

/// Reports comparisons of levels and formats by name elsewhere.
pub fn check(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let names = declared_presets(root);
    if names.len() < 20 {
        out.push("crates/format: the names of presets are not found where they were".into());
    }
    for path in files(&root.join("crates"), "rs") {
        let inside = path.strip_prefix(root.join("crates")).unwrap_or(&path);
        let mut parts = inside.components().map(|c| c.as_os_str().to_string_lossy());
        let (of, part) = (parts.next(), parts.next());
        let tests = inside.ends_with("tests.rs") || inside.components().any(|c| c.as_os_str() == "tests");
        if part.as_deref() != Some("src") || tests || of.is_some_and(|c| DEFINING.contains(&&*c)) {
            continue;
        }
        let found = rust::find_comparisons(&read(&path), &names);
        out.extend(found.into_iter().map(|line| offence(&format!("crates/{}", inside.display()), line)));
    }
    let package = root.join("python/openwork");
    for path in files(&package, "py").into_iter().filter(|p| !p.ends_with(OF_SCIPY)) {
        let inside = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        out.extend(
            python::find_comparisons(&read(&path), &names).into_iter().map(|line| offence(&inside, line)),
        );
    }
    out
}

fn offence(file: &str, line: usize) -> String {
    format!("{file}:{line}: ask a fact of the level or format, not its name")
}

/// Names of presets that are words of other things, too.
const WORDS: [&str; 2] = ["lower", "upper"];

/// The names of presets.
fn declared_presets(root: &Path) -> Vec<String> {
    let presets = read(&root.join("crates/format/src/presets.rs"));
    let names = presets.split("preset!(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut names: Vec<String> = names.filter(|n| !WORDS.contains(n)).map(String::from).collect();
    names.sort();
    names.dedup();
    names
}

/// The number of the line that a place of a text is in.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Whether what stands right before or after an expression compares it.
fn stands_beside(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    ["==", "!="].iter().any(|by| before.ends_with(by) || after.starts_with(by))
}

/// The literals of a text in double quotes, as places of their first and last byte; one that goes on in the next line is none.
fn literals(text: &str) -> Vec<(usize, usize)> {
    let (mut out, mut start) = (Vec::new(), None);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (c, start) {
            ('\n', _) => start = None,
            (_, Some(_)) if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            ('"', Some(first)) => {
                out.push((first, at));
                start = None;
            }
            ('"', None) if !text[..at].ends_with('\'') => start = Some(at),
            _ => {}
        }
    }
    out
}

/// The place of the bracket around a place of a text, and the bracket.
fn bracket_around(text: &str, at: usize) -> Option<(usize, char)> {
    let mut depth = 0;
    for (n, c) in text[..at].char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => return Some((n, c)),
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The place behind the bracket that is closed there, for one that opens at `at`.
pub(crate) fn bracket_end(text: &str, at: usize) -> usize {
    let mut depth = 0;
    for (n, c) in text[at..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 1 => return at + n + 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}
