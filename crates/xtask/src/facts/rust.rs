//! Comparisons in Rust.

use super::{bracket_around, bracket_end, line_of, literals, stands_beside};

/// Calls that compare what they are given.
const COMPARING: [&str; 8] =
    [".contains(", ".eq(", ".ne(", "ptr::eq(", "matches!(", "has_arrays_of(", ".is(", "position("];

/// The lines that compare a level or a format with a given one.
pub(super) fn find_comparisons(text: &str, names: &[String]) -> Vec<usize> {
    let code = code_of(text);
    let mut found: Vec<usize> = Vec::new();
    found.extend(constants(&code));
    found.extend(presets(&code));
    found.extend(find_quoted(&code, names));
    let mut lines: Vec<usize> = found.into_iter().map(|at| line_of(&code, at)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The code above a file's tests, with comments as empty lines.
pub(crate) fn code_of(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|w| w[0].starts_with("#[cfg(test)]") && w[1].starts_with("mod "));
    let code = lines[..tests.unwrap_or(lines.len())].iter();
    code.map(|l| if l.trim_start().starts_with("//") { "\n".into() } else { format!("{l}\n") }).collect()
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The places of a name as a whole word.
fn words<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |&at| !code[..at].ends_with(is_word) && !code[at + name.len()..].starts_with(is_word))
}

/// What stands before an expression without the path that it is named by, references and wrappings.
fn subject_before(code: &str) -> &str {
    let mut rest = code;
    loop {
        let cut = rest.trim_end().trim_end_matches('&');
        let cut = cut.strip_suffix("Some(").or_else(|| cut.strip_suffix("Ok(")).unwrap_or(cut);
        let cut = match cut.strip_suffix("::") {
            Some(path) => path.trim_end_matches(is_word),
            None => cut,
        };
        if cut == rest {
            return cut;
        }
        rest = cut;
    }
}

/// The `use` declarations with this part of a path: where they begin and end.
fn imports(code: &str, path: &str) -> Vec<(usize, usize)> {
    let starts = words(code, "use")
        .filter(|&at| code[..at].trim_end_matches("pub ").ends_with(['\n', ' ']) || at == 0);
    let whole = starts.filter_map(|at| code[at..].find(';').map(|end| (at, at + end)));
    whole.filter(|&(at, end)| code[at..end].contains(path)).collect()
}

/// Constants of `specs` that make no level, or one that is compared.
fn constants(code: &str) -> Vec<usize> {
    let all = imports(code, "specs::");
    let mut names: Vec<&str> = Vec::new();
    for &(at, end) in &all {
        let imported = code[at..end].split("specs::").nth(1).unwrap_or_default();
        let imported = imported.split('}').next().unwrap_or_default();
        names.extend(imported.split(|c: char| !is_word(c)).filter(|n| is_constant(n)));
    }
    let qualified = code.match_indices("specs::").map(|(at, by)| at + by.len());
    let qualified = qualified.filter(|&at| code[at..].starts_with(|c: char| c.is_ascii_uppercase()));
    let named = names.iter().flat_map(|name| words(code, name));
    let outside = |at: &usize| !all.iter().any(|(from, to)| (from..to).contains(&at));
    named.chain(qualified).filter(outside).filter(|&at| !makes_level(code, at)).collect()
}

fn is_constant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains(|c: char| c.is_ascii_lowercase())
}

/// Whether a constant stands in `Level::new(&X)`, and that level is not compared.
fn makes_level(code: &str, at: usize) -> bool {
    let Some(outer) = subject_before(&code[..at]).strip_suffix("Level::new(") else { return false };
    let after = &code[bracket_end(code, outer.len() + "Level::new".len())..];
    !is_compared(outer, after)
}

fn is_compared(before_it: &str, after: &str) -> bool {
    let start = subject_before(before_it);
    stands_beside(start, after) || COMPARING.iter().any(|call| start.ends_with(call))
}

/// Whether a place is in a list that is asked whether it has something.
fn is_in_asked_list(code: &str, at: usize) -> bool {
    let list = bracket_around(code, at).filter(|(_, bracket)| *bracket == '[');
    list.is_some_and(|(open, _)| code[bracket_end(code, open)..].starts_with(".contains("))
}

/// Presets that are compared, there or by a name that they are given.
fn presets(code: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let imported = imports(code, "presets::");
    for &(at, end) in &imported {
        let names = code[at..end].split("presets::").nth(1).unwrap_or_default();
        let made = |n: &&str| n.starts_with(|c: char| c.is_ascii_lowercase()) && *n != "self";
        out.extend(names.split(|c: char| !is_word(c)).find(made).map(|_| at));
    }
    let outside = |at: &usize| !imported.iter().any(|(from, to)| (from..to).contains(&at));
    for at in words(code, "presets").filter(outside).filter(|&at| code[at..].starts_with("presets::")) {
        let end = behind_chain(code, at);
        if is_compared(&code[..at], &code[end..]) || is_in_asked_list(code, at) {
            out.push(at);
        }
        out.extend(by_name(code, at, end));
    }
    out
}

/// The place behind a path and the calls and fields that follow it.
fn behind_chain(code: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = &code[end..];
        let part = rest.strip_prefix("::").or_else(|| rest.strip_prefix('.')).unwrap_or(rest);
        let word = part.len() - part.trim_start_matches(is_word).len();
        match (rest.starts_with('('), word) {
            (true, _) => end = bracket_end(code, end),
            (false, 0) => return end,
            (false, word) => end += rest.len() - part.len() + word,
        }
    }
}

/// Where `let name = presets::…;` has its name compared, up to the next function.
fn by_name(code: &str, at: usize, end: usize) -> Vec<usize> {
    let Some(left) = subject_before(&code[..at]).strip_suffix('=').map(str::trim_end) else {
        return Vec::new();
    };
    let name = &left[left.trim_end_matches(is_word).len()..];
    let bound = left[..left.len() - name.len()].trim_end_matches("mut ").ends_with("let ");
    if !bound || name.is_empty() {
        return Vec::new();
    }
    let until = code[end..].find("fn ").map_or(code.len(), |n| end + n);
    let uses = words(&code[..until], name).filter(|&at| at > end);
    uses.filter(|&at| is_compared(&code[..at], &code[behind_chain(code, at)..])).collect()
}

/// Names in quotes that are compared.
fn find_quoted(code: &str, names: &[String]) -> Vec<usize> {
    let is_name = |(from, to): &(usize, usize)| names.iter().any(|n| n == &code[from + 1..*to]);
    let compares = |&(from, to): &(usize, usize)| {
        if stands_beside(&code[..from], &code[to + 1..]) {
            return true;
        }
        let among = bracket_around(code, from).is_some_and(|(open, _)| code[..open].ends_with("matches!"));
        among || is_in_asked_list(code, from)
    };
    literals(code).into_iter().filter(is_name).filter(compares).map(|(from, _)| from).collect()
}

#[cfg(test)]
mod tests {
    use super::find_comparisons;

    fn lines(text: &str) -> Vec<usize> {
        find_comparisons(text, &["csr".into(), "dense".into()])
    }

    #[test]
    fn levels_compared_with_constants_are_found() {
        let text = "\
use openwork_format::specs::{self, DENSE, RUNS};
if level.is(&DENSE) {
if level.is_dense() {
level.spec == &specs::RUNS
a.spec != &openwork_format::specs::OTHER && b
a.spec == b.spec
handler.is(&names.default)
let made = vec![Level::new(&DENSE), Level::new(&specs::OTHER), openwork_format::Level::new(&RUNS)];
specs::register(spec);
";
        assert_eq!(lines(text), [2, 4, 5]);
    }

    #[test]
    fn other_ways_to_name_a_constant_are_found() {
        let text = "\
use openwork_format::specs::{
    COMPRESSED, LEVELS,
};
let own = |spec: &'static LevelSpec| std::ptr::eq(t.spec, spec);
own(&COMPRESSED) || std::ptr::eq(level.spec, &COMPRESSED)
format.levels.iter().all(|l| LEVELS.contains(&l.spec))
matches!(level.spec, &specs::RANGE)
const LIST: &LevelSpec = &COMPRESSED;
level == Level::new(&COMPRESSED)
if Level::new(&COMPRESSED) != level {
let level = if dense { l } else { Level::new(&COMPRESSED) };
";
        assert_eq!(lines(text), [5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn presets_that_are_compared_are_found() {
        let text = "\
let f = presets::csr();
f.levels == presets::csr().levels && f.remap.is_none()
presets::rle(t.rank()).levels == format.levels
format != presets::dense(shape.len())
format.levels.last() == openwork_format::presets::csr().levels.last()
if format.has_arrays_of(&presets::csr()) {
[presets::csr(), presets::csc()].contains(&format)
let made = pack(&coo, &presets::csr(), zero)?;
true => presets::dense(rank),
out.push(Format { fill, ..presets::csf(rank) });
level == Some(&presets::csr().levels[0])
";
        assert_eq!(lines(text), [2, 3, 4, 5, 6, 7, 11]);
    }

    #[test]
    fn presets_with_a_name_are_found() {
        let text = "\
let rows = presets::csr().with_modes(modes);
let alike = rows.levels == format.levels;
if format == rows {
}
fn compare() {
    let same = rows == columns;
}
use openwork_format::presets::csr;
use openwork_format::presets::{self, PRESETS};
";
        assert_eq!(lines(text), [2, 3, 8]);
    }

    #[test]
    fn quoted_names_that_are_compared_are_found() {
        let text = "\
if plain == \"csr\" || \"dense\" != plain {
[\"dense\", \"other\"].contains(&c.format.as_str())
matches!(text, \"csr\" | \"csc\")
let format = Format::parse(\"csr\", 2)?;
let texts = [\"csr\", \"dense\"];
name == \"other\"
// text == \"csr\"
#[cfg(test)]
mod tests {
    plain == \"csr\"
";
        assert_eq!(lines(text), [1, 2, 3]);
    }
}
