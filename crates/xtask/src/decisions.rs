//! The map stays a map: `ARCHITECTURE.md` is short, and decisions are files of `docs/decisions` that can be found.

use crate::{files, read};
use std::path::Path;

/// The most bytes of `ARCHITECTURE.md`.
const MAP: usize = 25_000;
const FOLDER: &str = "docs/decisions";
const INDEX: &str = "README.md";

/// Reports a map that grows too long, and decisions without a number of their own, a title, a date or a line in the index.
pub fn check(root: &Path) -> Vec<String> {
    let mut offences = Vec::new();
    let bytes = read(&root.join("ARCHITECTURE.md")).len();
    if bytes > MAP {
        offences.push(format!("ARCHITECTURE.md has {bytes} bytes; at most {MAP}: decisions go to {FOLDER}"));
    }
    let folder = root.join(FOLDER);
    let decisions: Vec<(String, String)> = files(&folder, "md")
        .iter()
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_string(), read(path))))
        .filter(|(name, _)| name != INDEX)
        .collect();
    offences.extend(faults(&decisions, &read(&folder.join(INDEX))));
    offences
}

/// What is wrong with decisions, sorted by their names, beside the text of their index.
fn faults(decisions: &[(String, String)], index: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (name, text) in decisions {
        let mut fault = |what: &str| out.push(format!("{FOLDER}/{name} {what}"));
        if number(name).is_none() {
            fault("is not named by three digits and words, as 001-name.md");
        }
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        if title.trim().is_empty() {
            fault("does not begin with a title, `# …`");
        }
        if !text.lines().any(|line| line.strip_prefix("Date: ").is_some_and(is_date)) {
            fault("has no line `Date: YYYY-MM-DD`");
        }
        if !index.contains(&format!("({name})")) {
            fault(&format!("is not linked from {FOLDER}/{INDEX}"));
        }
    }
    for pair in decisions.windows(2) {
        if number(&pair[0].0).is_some() && number(&pair[0].0) == number(&pair[1].0) {
            out.push(format!("{FOLDER} has two decisions of one number: {} and {}", pair[0].0, pair[1].0));
        }
    }
    let names = index.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(name, _)| name);
    for name in names.filter(|name| number(name).is_some()) {
        if !decisions.iter().any(|(other, _)| other == name) {
            out.push(format!("{FOLDER}/{INDEX} links {name}, which does not exist"));
        }
    }
    out
}

/// The number in the name of a decision's file.
fn number(name: &str) -> Option<&str> {
    let (number, rest) = name.split_once('-')?;
    let is_number = number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && rest.len() > ".md".len() && rest.ends_with(".md")).then_some(number)
}

/// Whether a text is a date as 2026-11-21.
fn is_date(text: &str) -> bool {
    let digits = |b: &[u8]| b.iter().all(u8::is_ascii_digit);
    let b = text.trim_end().as_bytes();
    b.len() == 10 && b[4] == b'-' && b[7] == b'-' && digits(&b[..4]) && digits(&b[5..7]) && digits(&b[8..])
}

#[cfg(test)]
mod tests {
    use super::faults;

    fn offences_of_page(name: &str, text: &str, index: &str) -> Vec<String> {
        faults(&[(name.to_string(), text.to_string())], index)
    }

    #[test]
    fn a_decision_needs_name_title_date_and_link() {
        let (text, index) =
            ("# Kernels take parts\n\nDate: 2026-11-21\n", "- [001](001-parts.md) Kernels take parts.");
        assert_eq!(offences_of_page("001-parts.md", text, index), Vec::<String>::new());
        for (name, text, index, fault) in [
            ("001-parts.md", "Kernels take parts\n\nDate: 2026-11-21\n", index, "a title"),
            ("001-parts.md", "# \n\nDate: 2026-11-21\n", index, "a title"),
            ("001-parts.md", "# Kernels take parts\n", index, "no line `Date"),
            ("001-parts.md", "# Kernels take parts\n\nDate: last week\n", index, "no line `Date"),
            ("001-parts.md", text, "", "is not linked"),
            ("parts.md", text, "[0](parts.md)", "three digits"),
        ] {
            let found = offences_of_page(name, text, index);
            assert!(found.len() == 1 && found[0].contains(fault), "{found:?}");
        }
    }

    #[test]
    fn numbers_are_used_once_and_links_lead_somewhere() {
        let file = |name: &str| (name.to_string(), "# Title\n\nDate: 2026-11-21\n".to_string());
        let index = "[a](001-a.md) [b](001-b.md) [c](002-c.md)";
        let found = faults(&[file("001-a.md"), file("001-b.md")], index);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("one number") && found[1].contains("002-c.md"), "{found:?}");
    }
}
