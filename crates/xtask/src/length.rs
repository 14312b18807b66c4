//! Files of at most 600 lines and functions of at most 70.

use crate::{files, read};
use std::path::Path;

const FILE: usize = 600;
const FUNCTION: usize = 70;

/// Files and functions that may be longer, with the reason.
const EXCEPTIONS: &[(&str, &str)] =
    &[("crates/algebra/src/prim.rs:eval", "one table over all dtypes; splitting it would hide its symmetry")];

/// Reports what is too long.
pub fn check(root: &Path) -> Vec<String> {
    let mut offences = Vec::new();
    for path in files(&root.join("crates"), "rs") {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE {
            offences.push(format!("{shown} has {} lines; at most {FILE}", lines.len()));
        }
        for (name, start, len) in functions(&lines) {
            let key = format!("{shown}:{name}");
            if len > FUNCTION && !EXCEPTIONS.iter().any(|(k, _)| *k == key) {
                offences
                    .push(format!("{shown}:{start}: function {name} has {len} lines; at most {FUNCTION}"));
            }
        }
    }
    offences
}

/// Functions of formatted code: a line that opens one, and the first later line that closes a brace at its depth.
fn functions(lines: &[&str]) -> Vec<(String, usize, usize)> {
    let mut out = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let depth = line.len() - line.trim_start().len();
        let code = line.trim_start();
        let Some(at) = code.find("fn ").filter(|&at| {
            !code.starts_with("//")
                // A trait's function without a body.
                && !code.ends_with(';')
                && code[..at].split_whitespace().all(|w| {
                    w.starts_with("pub")
                        || ["const", "unsafe", "extern", "\"C\"", "in"].contains(&w)
                        || w.ends_with(')')
                })
        }) else {
            continue;
        };
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let close = format!("{}}}", " ".repeat(depth));
        if let Some(len) = lines[n..].iter().position(|l| *l == close) {
            out.push((name, n + 1, len + 1));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn functions_are_measured_from_their_name_to_their_brace() {
        let lines =
            ["impl A {", "    pub(crate) fn f(", "    ) {", "        x", "    }", "}", "fn g() {", "}"];
        let got = super::functions(&lines);
        assert_eq!(got, vec![("f".into(), 2, 4), ("g".into(), 7, 2)]);
    }
}
