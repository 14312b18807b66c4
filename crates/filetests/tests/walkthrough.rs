//! The listings in `docs/walkthrough.md` are those of text tests. Above each stands where it is from:
//!
//! ```text
//! <!-- totality/spgemm_row_workspace.t: graph -->
//! ```
//! `BLESS=1 cargo test -p openwork-filetests --test all walkthrough` rewrites them.

use openwork_filetests::testfile::TestFile;
use std::path::Path;

/// What the text names: a test file, and a section of it.
fn find_reference(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.split_once(".t: ")
}

fn section(files: &Path, name: &str, wanted: &str) -> Result<String, String> {
    let path = files.join(format!("{name}.t"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file = TestFile::parse(&text)?;
    let found = file.sections.into_iter().find(|(section, _)| section == wanted);
    found.map(|(_, body)| body).ok_or(format!("{name}.t has no section `> {wanted}`"))
}

#[test]
fn listings_are_those_of_text_tests() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = here.join("../../docs/walkthrough.md");
    let before = std::fs::read_to_string(&path).expect("the walk-through is there");
    let (mut after, mut lines, mut listings) = (String::new(), before.lines(), 0);
    while let Some(line) = lines.next() {
        after.push_str(&format!("{line}\n"));
        let Some((name, wanted)) = find_reference(line) else { continue };
        listings += 1;
        let body = section(&here.join("tests/files"), name, wanted).unwrap_or_else(|e| panic!("{e}"));
        after.push_str(&format!("```text\n{}\n```\n", body.trim_end()));
        assert_eq!(lines.next(), Some("```text"), "no listing stands below `{line}`");
        lines.by_ref().find(|line| *line == "```").expect("the listing ends");
    }
    assert!(listings >= 4, "docs/walkthrough.md has {listings} listings");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &after).expect("the walk-through can be written");
        return;
    }
    let differs = before.lines().zip(after.lines()).find(|(a, b)| a != b);
    assert!(before == after, "docs/walkthrough.md differs from the text tests: {differs:?}");
}
