//! Names that can be read alone: a function is called by a verb with its object or by a noun, a type by a name that no other type
//! of the workspace has, and each value that a function takes has a parameter of its own.
//!
//! Functions of traits for types are left alone, as the traits choose their names, as is what Python calls. Types of tests may
//! share names.

use crate::{files, read};
use std::collections::BTreeMap;
use std::path::Path;

/// Words that need another one: prepositions, conjunctions, adverbs, pronouns.
const FILLERS: &str = "above across after again against ahead alike all alone along among anew any anywhere apart around as \
    aside at away backwards before behind below beneath beside besides between beyond both by certain during each else \
    elsewhere every everywhere for from here in inside into least like most near none of off on once only onto other others \
    ours out outside over past per plainly rest roughly same several simply since some such than theirs then there these \
    those through throughout thus till to together toward towards twice under unless unlike until up upon via when while \
    whole with within without yet";

/// Participles that do not end in `-ed`, besides those that are verbs or nouns too (`split`, `read`, `bound`).
const PARTICIPLES: &str = "begun bent borne born bought broken brought built caught chosen dealt done drawn driven fallen fed \
    felt forgotten fought found frozen given gone grown had heard held hidden kept known laid led left lent lost made meant met \
    mistaken overwritten paid proven relit rewritten risen said seen sent shaken shown shrunk sold sought spent spelt stolen \
    stuck sunk swept taken taught thrown told torn undone understood unknown unmet unread unseen unwritten woken worn woven \
    wound written";

/// Verbs and nouns that end in `-ed`.
const NO_PARTICIPLES: &str =
    "bed bleed breed embed exceed feed heed need proceed seed shed speed succeed weed";

/// Reports functions whose name is no verb or noun, types that share a name, and tuple parameters.
pub fn check(root: &Path) -> Vec<String> {
    let sources = sources(root);
    let mut offences = Vec::new();
    for (file, code) in &sources {
        for FunctionHead { line, name, parameters } in functions(code) {
            if !is_name(name) {
                offences.push(format!(
                    "{file}:{line}: `{name}` is no verb and no noun: say what the function does or gives"
                ));
            }
            if let Some(tuple) = parameters.iter().find(|p| is_tuple(p)) {
                offences.push(format!(
                    "{file}:{line}: `{name}` takes a tuple, `{tuple}`: make it a struct or parameters"
                ));
            }
        }
    }
    let code = sources.iter().filter(|(file, _)| file.contains("/src/") && !file.ends_with("tests.rs"));
    let code: Vec<_> = code.map(|(file, text)| (file.as_str(), without_tests(text))).collect();
    offences.extend(find_shared_types(&code));
    offences
}

/// The files of all crates with their text.
fn sources(root: &Path) -> Vec<(String, String)> {
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    files(&root.join("crates"), "rs").into_iter().map(|path| (shown(&path), read(&path))).collect()
}

/// The text before the module of tests.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// Whether a word may be the name of a function.
fn is_name(name: &str) -> bool {
    let word = name.trim_end_matches('_');
    let among = |list: &str| list.split_whitespace().any(|w| w == word);
    let participle = word.ends_with("ed") && !word.contains('_') && !among(NO_PARTICIPLES);
    !participle && !among(FILLERS) && !among(PARTICIPLES)
}

/// A function of formatted code.
struct FunctionHead<'c> {
    /// Where it begins, counted from 1.
    line: usize,
    name: &'c str,
    parameters: Vec<String>,
}

/// The functions whose names are ours to choose.
fn functions(code: &str) -> Vec<FunctionHead<'_>> {
    let lines: Vec<&str> = code.lines().collect();
    let mut out = Vec::new();
    // The line at which a block of others' names ends.
    let mut end: Option<String> = None;
    for (n, line) in lines.iter().enumerate() {
        if end.as_deref() == Some(*line) {
            end = None;
        }
        if end.is_some() {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        if is_foreign_block(&lines, n) {
            end = Some(format!("{indent}}}"));
        } else if let Some(name) = function_name(line)
            && !attributes(&lines, n).any(|a| a.starts_with("#[pyfunction"))
        {
            out.push(FunctionHead { line: n + 1, name, parameters: parameters(&lines[n..], name) });
        }
    }
    out
}

/// Whether a line begins the functions of a trait for a type, or those that Python calls.
fn is_foreign_block(lines: &[&str], n: usize) -> bool {
    let code = lines[n].trim_start();
    if !code.starts_with("impl ") && !code.starts_with("impl<") && !code.starts_with("unsafe impl")
        || code.ends_with("{}")
    {
        return false;
    }
    let head = lines[n..].iter().take_while(|l| !l.starts_with(['}'])).map(|l| l.trim());
    let ends = |l: &&str| l.ends_with('{');
    let head: Vec<&str> =
        head.scan(false, |done, l| (!std::mem::replace(done, ends(&l))).then_some(l)).collect();
    head.join(" ").contains(" for ") || attributes(lines, n).any(|a| a == "#[pymethods]")
}

/// The attributes above a line.
fn attributes<'c>(lines: &[&'c str], n: usize) -> impl Iterator<Item = &'c str> {
    let above = lines[..n].iter().rev().map(|line| line.trim_start());
    above.take_while(|line| line.starts_with("#[") || line.starts_with("//")).collect::<Vec<_>>().into_iter()
}

/// The name of the function that a line of formatted code begins, if it begins one.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let qualifies = |word: &str| {
        word.starts_with("pub")
            || ["const", "unsafe", "extern", "\"C\"", "in"].contains(&word)
            || word.ends_with(')')
    };
    let length = after.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let opens = after[length..].starts_with(['(', '<']);
    (before.split_whitespace().all(qualifies) && length > 0 && opens).then_some(&after[..length])
}

/// The parameters of a function that the first line begins.
fn parameters(lines: &[&str], name: &str) -> Vec<String> {
    let code = lines.iter().take(40).map(|line| line.split("// ").next().unwrap_or_default().trim());
    let code = code.collect::<Vec<_>>().join(" ");
    let Some(at) = code.find(&format!("fn {name}")) else { return Vec::new() };
    let (mut out, mut depth, mut angles, mut last) = (Vec::new(), 0, 0, ' ');
    let mut part = String::new();
    for c in code[at..].chars() {
        match c {
            '<' => angles += 1,
            '>' if last != '-' && last != '=' => angles -= 1,
            _ => {}
        }
        last = c;
        // Parentheses between the generic parameters are of bounds.
        if depth == 0 && angles > 0 {
            continue;
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match (c, depth) {
            ('(', 1) if part.is_empty() => {}
            (')', 0) => break,
            (',', 1) if angles == 0 => out.push(std::mem::take(&mut part).trim().to_string()),
            (_, 0) => {}
            _ => part.push(c),
        }
    }
    out.push(part.trim().to_string());
    out.retain(|part| !part.is_empty());
    out
}

/// Whether a parameter is a tuple or a reference to one; lists of tuples are none.
fn is_tuple(parameter: &str) -> bool {
    let Some((_, ty)) = parameter.rsplit_once("): ").or_else(|| parameter.split_once(": ")) else {
        return false;
    };
    let ty = ty.trim_start_matches('&').trim_start();
    let ty = ty.strip_prefix('\'').map_or(ty, |ty| ty.split_once(' ').map_or(ty, |(_, ty)| ty));
    let ty = ty.trim_start_matches("mut ");
    let Some(inner) = ty.strip_prefix('(') else { return false };
    let mut depth = 0;
    for c in inner.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' if depth == 0 => return false,
            ')' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// The types of several files that have one name. A file with two has them for two systems.
fn find_shared_types(sources: &[(&str, &str)]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, code) in sources {
        for (n, line) in code.lines().enumerate() {
            let Some(name) = type_name(line) else { continue };
            let found = places.entry(name).or_default();
            if !found.iter().any(|place| place.starts_with(&format!("{file}:"))) {
                found.push(format!("{file}:{}", n + 1));
            }
        }
    }
    let shared = places.into_iter().filter(|(_, found)| found.len() > 1);
    shared
        .map(|(name, found)| format!("`{name}` is the name of several types: {}", found.join(", ")))
        .collect()
}

/// The type that a line defines outside of functions and blocks.
fn type_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest = rest.strip_prefix('(').and_then(|r| r.split_once(") ")).map_or(rest, |(_, after)| after);
        rest.trim_start()
    });
    let line = line.strip_prefix("unsafe ").unwrap_or(line);
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (length > 0).then_some(&rest[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> Vec<&str> {
        functions(code).into_iter().map(|f| f.name).collect()
    }

    #[test]
    fn prepositions_and_participles_alone_are_no_names() {
        let kept = [
            "new",
            "from_parts",
            "build",
            "feed",
            "split",
            "bound",
            "stored_count",
            "rows_of",
            "is_in",
            "number_below",
        ];
        assert_eq!(kept.map(is_name), [true; 10]);
        let refused = ["of", "at", "in_", "whole", "rest", "made", "shown", "stored", "joined", "unread"];
        assert_eq!(refused.map(is_name), [false; 10]);
    }

    #[test]
    fn names_that_traits_and_python_choose_are_left_alone() {
        let code = "impl Facts {\n    pub(crate) const fn of(self) {}\n}\n\nimpl From<A> for B {\n    fn from(a: A) -> B {\n        B\n    }\n}\n\
            impl<T: Long> Other<T>\n    for B\nwhere\n    T: Copy,\n{\n    fn at(&self) {}\n}\n#[pymethods]\nimpl Tensor {\n    fn listed(&self) {}\n}\n\
            #[pyfunction]\n/// Said.\nfn taken() {}\nfn kept() {}\ntrait Word {\n    fn with(self);\n}\n";
        assert_eq!(names(code), ["of", "kept", "with"]);
    }

    #[test]
    fn parameters_that_are_tuples_are_found() {
        let tuples = |code: &str| {
            let found = functions(code).remove(0).parameters;
            found.into_iter().filter(|p| is_tuple(p)).collect::<Vec<_>>()
        };
        assert_eq!(tuples("fn f(a: A, range: (usize, usize)) {"), ["range: (usize, usize)"]);
        let long = "    pub fn f<F: Fn((A, B)) -> C>(\n        &self,\n        (lo, hi): &'a (Expr, Expr), // both\n        n: usize,\n    ) {";
        assert_eq!(tuples(long), ["(lo, hi): &'a (Expr, Expr)"]);
        for code in [
            "fn f(pairs: &[(A, B)], map: BTreeMap<A, (B, C)>) {",
            "fn f(work: &(dyn Fn((A, B)) + Sync), unit: ()) -> (A, B) {",
            "fn f(of: impl Fn(A) -> (B, C), [a, b]: [A; 2]) {",
            "fn f(&mut self) -> Option<(A, B)> {",
        ] {
            assert_eq!(tuples(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn types_of_one_name_are_found() {
        let one = (
            "one.rs",
            "pub(super) struct Step<'a> {\n}\nimpl Iterator for A {\n    type Item = B;\n}\npub enum Way {}\n",
        );
        let two = (
            "two.rs",
            "type Step = (A, B);\n#[cfg(unix)]\ntrait Wait {}\n#[cfg(not(unix))]\ntrait Wait {}\n",
        );
        assert_eq!(
            find_shared_types(&[one, two]),
            ["`Step` is the name of several types: one.rs:1, two.rs:1"]
        );
    }

    #[test]
    fn every_name_of_the_workspace_can_be_read_alone() {
        assert_eq!(check(&crate::root()), [""; 0]);
    }
}
