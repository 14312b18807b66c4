//! How many files a new node of loop IR touches.
//!
//! A file that lists every statement must be changed for a new one, so passes name the nodes that they are about and ask the
//! others for their kind (`crates/loops/src/kinds.rs`). What stays are the law, the text, the interpreter, the walks and the
//! backends. Nodes that nothing cares about but these are counted as well: they show where lists come back.

use crate::facts::rust::{code_of, is_word};
use crate::{files, read};
use std::path::Path;

/// The most files that name every statement, or every expression, or one that is rare.
const MOST: usize = 12;
/// Nodes that no pass is about: where they are matched, a list stands.
const RARE: [&str; 9] = [
    "Stmt::SetLen",
    "Stmt::Break",
    "Stmt::Fail",
    "Stmt::Poll",
    "Stmt::Note",
    "Expr::VLoad",
    "Expr::Splat",
    "Expr::Pack",
    "Expr::Fold",
];

/// A node, and the files that name it in a pattern.
struct NamedNode {
    node: String,
    files: Vec<String>,
}

/// Reports nodes that too many files list.
pub fn check(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for kind in ["Stmt", "Expr"] {
        let all = count_variants(root, kind);
        if all.len() < 8 {
            out.push(format!("crates/loops/src/nodes.rs: the variants of {kind} are not where they were"));
        }
        let lists = listing_all(&all);
        if lists.len() > MOST {
            let lists = lists.join(", ");
            out.push(format!("more than {MOST} files list every {kind} of loop IR: {lists}"));
        }
        for NamedNode { node, files } in
            all.iter().filter(|n| RARE.contains(&&*n.node) && n.files.len() > MOST)
        {
            let (many, files) = (files.len(), files.join(", "));
            out.push(format!("{many} files match on {node} of loop IR, {MOST} may: {files}"));
        }
    }
    out
}

/// The table of all nodes, a line each.
pub fn table(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for kind in ["Stmt", "Expr"] {
        let all = count_variants(root, kind);
        out.push(format!("{:14} {:>5}", format!("every {kind}"), listing_all(&all).len()));
        out.extend(all.iter().map(|n| format!("{:14} {:>5}", n.node, n.files.len())));
    }
    out
}

/// The files that name every node.
fn listing_all(all: &[NamedNode]) -> Vec<String> {
    let Some((first, rest)) = all.split_first() else { return Vec::new() };
    first.files.iter().filter(|file| rest.iter().all(|n| n.files.contains(file))).cloned().collect()
}

/// Every variant of an enum of loop IR, with the files whose code matches on it.
fn count_variants(root: &Path, kind: &str) -> Vec<NamedNode> {
    let nodes = read(&root.join("crates/loops/src/nodes.rs"));
    let mut all: Vec<NamedNode> = variants(&nodes, kind)
        .into_iter()
        .map(|v| NamedNode { node: format!("{kind}::{v}"), files: Vec::new() })
        .collect();
    for path in files(&root.join("crates"), "rs") {
        let inside = path.strip_prefix(root.join("crates")).unwrap_or(&path).display().to_string();
        let tests = inside.contains("/tests/") || inside.ends_with("tests.rs");
        if tests || !inside.contains("/src/") || inside.starts_with("xtask/") {
            continue;
        }
        let code = code_of(&read(&path));
        let Some(name) = name_in(&code, &inside, kind) else { continue };
        for n in &mut all {
            let variant = n.node.split("::").nth(1).unwrap_or_default();
            if is_matched(&code, &format!("{name}::{variant}")) {
                n.files.push(inside.clone());
            }
        }
    }
    all
}

/// The variants of an enum, by their names at the margin of its declaration.
fn variants(nodes: &str, kind: &str) -> Vec<String> {
    let Some((_, rest)) = nodes.split_once(&format!("pub enum {kind} {{\n")) else { return Vec::new() };
    let body = rest.split("\n}\n").next().unwrap_or_default();
    let own = body.lines().filter_map(|l| l.strip_prefix("    "));
    own.filter(|l| l.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|l| l.chars().take_while(|&c| is_word(c)).collect())
        .collect()
}

/// What a file calls the enum: other crates have statements and expressions of their own.
fn name_in(code: &str, file: &str, kind: &str) -> Option<String> {
    if let Some((_, rest)) = code.split_once(&format!("{kind} as ")) {
        return Some(rest.chars().take_while(|&c| is_word(c)).collect());
    }
    let loops = ["loops/", "backend/", "backend-c/", "backend-clif/"].iter().any(|c| file.starts_with(c));
    let imported = code.split("use openwork_loops::").skip(1).any(|rest| {
        let names = rest.split(';').next().unwrap_or_default();
        names.split(|c: char| !is_word(c)).any(|n| n == kind)
    });
    (loops || imported).then(|| kind.to_string())
}

/// Whether a node is in a pattern: in an arm, among alternatives, or where it is let.
fn is_matched(code: &str, node: &str) -> bool {
    code.match_indices(node).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + node.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return false;
        }
        let after = match after.trim_start().chars().next() {
            Some('(' | '{') => {
                let open = at + node.len() + after.len() - after.trim_start().len();
                &code[crate::facts::bracket_end(code, open)..]
            }
            _ => after,
        };
        let (before, after) = (before.trim_end(), after.trim_start());
        let arm = after.starts_with("=>")
            || after.starts_with("if ")
            || after.starts_with('|') && !after.starts_with("||");
        let bound = after.starts_with('=') && !after.starts_with("==");
        let asked = before.ends_with(',') && before[..before.len() - 1].ends_with(|c| is_word(c) || c == ')');
        let asked = asked && before.rfind("matches!(").is_some_and(|m| !before[m..].contains(';'));
        arm || bound || asked || before.ends_with('|') && !before.ends_with("||")
    })
}

#[cfg(test)]
mod tests {
    use super::{is_matched, name_in, variants};

    #[test]
    fn patterns_are_told_from_constructions() {
        for text in [
            "Stmt::Poll => 1,",
            "Stmt::Break | Stmt::Poll => 1,",
            "Stmt::Poll if alone => 1,",
            "if let Stmt::Poll = s {",
            "matches!(s, Stmt::Poll)",
            "Some(Stmt::Break | Stmt::Poll)",
        ] {
            assert!(is_matched(text, "Stmt::Poll"), "{text}");
        }
        for text in
            ["body.push(Stmt::Poll);", "vec![Stmt::Poll, set(a, b)]", "Stmt::Polled => 1,", "x == Stmt::Poll"]
        {
            assert!(!is_matched(text, "Stmt::Poll"), "{text}");
        }
        assert!(is_matched("let Stmt::Set { var, val } = s else {", "Stmt::Set"));
        assert!(is_matched("Stmt::Set { var: Expr::Var(v), .. } => {", "Stmt::Set"));
        assert!(!is_matched("out.push(Stmt::Set { var, val: e });", "Stmt::Set"));
    }

    #[test]
    fn variants_and_names() {
        let nodes = "/// A.\npub enum Stmt {\n    /// B.\n    Let {\n        /// C.\n        Var: u8,\n    },\n    Note(String),\n}\n";
        assert_eq!(variants(nodes, "Stmt"), ["Let", "Note"]);
        assert_eq!(
            name_in("use openwork_loops::{Expr as Ir, Stmt as Code};", "lower/src/a.rs", "Expr").as_deref(),
            Some("Ir")
        );
        assert_eq!(name_in("use openwork_index::cin::Stmt;", "lower/src/a.rs", "Stmt"), None);
        assert_eq!(
            name_in("use openwork_loops::{Kernel, Stmt};", "levels/src/a.rs", "Stmt").as_deref(),
            Some("Stmt")
        );
    }
}
