//! Comparisons in the Python package.

use super::{bracket_around, bracket_end, line_of, literals, stands_beside};

/// The lines that compare a format with one by its name.
pub(super) fn find_comparisons(text: &str, names: &[String]) -> Vec<usize> {
    let code = code_of(text);
    let is_name = |&(from, to): &(usize, usize)| names.iter().any(|n| n == &code[from + 1..to]);
    let found = literals(&code).into_iter().filter(is_name).filter(|&(from, to)| compares(&code, from, to));
    let mut lines: Vec<usize> = found.map(|(from, _)| line_of(&code, from)).collect();
    lines.dedup();
    lines
}

/// The code with documentation and comments as empty lines.
fn code_of(text: &str) -> String {
    let mut inside = false;
    let mut line = |l: &str| {
        let quotes = l.matches("\"\"\"").count();
        let documents = inside || quotes > 0;
        inside ^= quotes % 2 == 1;
        if documents || l.trim_start().starts_with('#') { "\n".into() } else { format!("{l}\n") }
    };
    text.lines().map(&mut line).collect()
}

/// Whether a literal stands beside a comparison, in a tuple or set of names, or is a key.
fn compares(code: &str, from: usize, to: usize) -> bool {
    let after = &code[to + 1..];
    if stands_beside(&code[..from], after) || after.trim_start().starts_with(':') {
        return true;
    }
    let Some((open, bracket)) = bracket_around(code, from) else { return false };
    let (before, behind) = (code[..open].trim_end(), &code[bracket_end(code, open)..]);
    // The brackets of a call or an index are no list.
    let called = code[..open].ends_with(|c: char| c.is_alphanumeric() || "_])".contains(c))
        && !ends_with_word(before, "in");
    let listed = code[open..code.len() - behind.len()].contains(',') && !called;
    let key = matches!(bracket, '{' | '(' | '[') && listed;
    let value = bracket == '{' && code[open..from].trim_end().ends_with(':');
    let asked =
        ends_with_word(before, "in") || behind.starts_with(".count(") || behind.starts_with(".index(");
    let constant = before.strip_suffix('=').is_some_and(is_constant);
    key && !value && (asked || constant)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| rest.ends_with(|c: char| !c.is_alphanumeric() && c != '_'))
}

/// Whether a constant of the module is assigned, at the beginning of a line.
fn is_constant(text: &str) -> bool {
    let name = text.trim_end();
    let start = name.rfind('\n').map_or(0, |n| n + 1);
    let name = &name[start..];
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::find_comparisons;

    #[test]
    fn names_that_are_compared_are_found() {
        let text = "\
_ROWS = (\"csr\", \"csc\")
_KEPT = {\"csr\", \"csc\",
         \"coo\"}
_POSITIONS = {\"csr\": 0, \"csc\": -1}
if a.format == \"csr\":
if \"csr\" != a.format:
if a.format in (\"csr\", \"other\"):
along = {\"csr\": 1}.get(a.format)
";
        let names = ["csr", "csc", "coo"].map(String::from);
        assert_eq!(find_comparisons(text, &names), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn names_that_formats_are_made_by_are_none() {
        let text = "\
\"\"\"a.format == \"csr\" and
a.format in (\"csr\", \"csc\")\"\"\"
# a.format == \"csr\"
a = a.asformat(\"csr\" if axis == 1 else \"csc\")
made = statement(text, (\"a\", \"b\"), \"csr\", real)
format = {0: \"coo\", 1: \"csc\"}.get(len(shape), \"csr\")
def convert(x, format=\"csr\"):
for name in self.formats(\"csr\"):
";
        let names = ["csr", "csc", "coo"].map(String::from);
        assert_eq!(find_comparisons(text, &names), [0_usize; 0]);
    }
}
