//! Every block of the README and of the guide is run, or is no code.
//!
//! ````text
//! ```sh         each line is a command; those of `openwork` run, in a folder with the files of `guide/files`
//! ```console    `$ command` and what it prints, to the letter; `…` stands for anything, alone on a line for any lines
//! ```python     an interactive session: tests/python/package/test_documents.py
//! ```rust       a test of the crate `openwork`: crates/openwork/src/documents.rs
//! ```text       no code: pictures, grammars
//! ````
//! `BLESS=1` writes what commands print into blocks without `…`.

use crate::common::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fenced block.
struct Block {
    language: String,
    /// The number of its first line.
    line: usize,
    lines: Vec<String>,
}

/// The README and the chapters of the guide, by their paths below the root.
fn documents() -> Vec<(String, String)> {
    let chapters = std::fs::read_dir(root().join("guide/src")).unwrap();
    let mut names: Vec<String> =
        chapters.map(|e| format!("guide/src/{}", e.unwrap().file_name().to_string_lossy())).collect();
    names.sort();
    names.insert(0, "README.md".into());
    names.into_iter().map(|n| (n.clone(), std::fs::read_to_string(root().join(n)).unwrap())).collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut open = false;
    for (n, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                out.push(Block { language: language.trim().into(), line: n + 2, lines: Vec::new() });
            }
            None if open => out.last_mut().unwrap().lines.push(line.into()),
            None => {}
        }
    }
    assert!(!open, "a block without an end");
    out
}

/// The words of a line of shell: quotes keep spaces, `#` starts a comment.
fn words(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '\'' | '"') => (quote, open) = (Some(c), true),
            (None, '#') if !open => break,
            (None, ' ') => {
                if open {
                    out.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, c) => {
                word.push(c);
                open = true;
            }
        }
    }
    if open {
        out.push(word);
    }
    out
}

/// A folder with what commands of a document read.
fn place() -> Place {
    let place = Place::empty();
    for entry in std::fs::read_dir(root().join("guide/files")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, place.path().join(path.file_name().unwrap())).unwrap();
    }
    std::fs::create_dir(place.path().join("matrices")).unwrap();
    let beam = "matrices/cantilever.mtx";
    std::fs::copy(root().join(beam), place.path().join(beam)).unwrap();
    place
}

/// The command line of `openwork` that words are, built or run by cargo.
fn own_command(words: &[String]) -> Option<Vec<&str>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["openwork", ..] => Some(words[1..].to_vec()),
        ["cargo", "run", "--release", "-p", "openwork-cli", "--", ..] => Some(words[6..].to_vec()),
        _ => None,
    }
}

/// Whether another test or CI runs a command, or it is what these are started by.
fn run_elsewhere(words: &[String]) -> Result<(), String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let there = |path: String| root().join(&path).exists().then_some(()).ok_or(format!("there is no {path}"));
    match words[..] {
        [] | ["./test", ..] | ["pip", "install" | "wheel", "."] | ["cd", "guide/files"] => Ok(()),
        ["cargo", "build" | "install", ..] | ["mdbook", "serve" | "build", "guide"] => Ok(()),
        ["cargo", "run", "--release", "-p", "openwork", "--example", name, ..] => {
            there(format!("crates/openwork/examples/{name}.rs"))
        }
        ["cargo", "run", "--release", "-p", "openwork-bench", "--", ref rest @ ..] => find_benchmark(rest),
        ["python", script, ..] => there(script.into()),
        _ => Err("no test runs this line".into()),
    }
}

/// Whether there is a group of benchmarks of that name, with such a row.
fn find_benchmark(words: &[&str]) -> Result<(), String> {
    let source = |path: &str| std::fs::read_to_string(root().join("crates/bench/src").join(path)).unwrap();
    let group = words.first().copied().unwrap_or_default();
    // A command is a variant of an enumeration there.
    let variant = group.chars().take(1).flat_map(char::to_uppercase).chain(group.chars().skip(1));
    if !source("args.rs").contains(&format!("\n    {}(", variant.collect::<String>())) {
        return Err(format!("bench has no `{group}`"));
    }
    let row = words.get(1).filter(|w| !w.starts_with('-'));
    let rows = match group {
        "all" => source("all/rows.rs"),
        "arrays" => source("all/arrays.rs"),
        _ => return Ok(()),
    };
    let found = row.is_none_or(|row| rows.split('"').skip(1).step_by(2).any(|name| name.contains(row)));
    found.then_some(()).ok_or(format!("no row of `bench {group}` is called {row:?}"))
}

#[test]
fn every_block_has_a_language_that_is_run() {
    let list = root().join("crates/openwork/src/documents.rs");
    let tested = std::fs::read_to_string(list).unwrap();
    for (name, text) in documents() {
        for block in blocks(&text) {
            let at = format!("{name}:{}", block.line);
            match block.language.as_str() {
                "sh" | "console" | "text" => {}
                "python" => assert!(block.lines[0].starts_with(">>> "), "{at}: no session"),
                "rust" => assert!(tested.contains(&format!("/{name}\"")), "{at}: add {name} to documents.rs"),
                other => panic!("{at}: no test runs blocks of `{other}`"),
            }
        }
    }
}

#[test]
fn every_line_of_shell_works() {
    let mut seen = 0;
    for (name, text) in documents() {
        let place = place();
        for block in blocks(&text).iter().filter(|b| b.language == "sh") {
            for (n, line) in block.lines.iter().enumerate() {
                let words = words(line);
                match own_command(&words) {
                    Some(args) => {
                        place.good(&args);
                        seen += 1;
                    }
                    None => {
                        run_elsewhere(&words).unwrap_or_else(|e| panic!("{name}:{}: {e}", block.line + n));
                    }
                }
            }
        }
    }
    assert!(seen >= 30, "{seen} commands");
}

/// What a command of a `console` block prints.
fn run_console(place: &Place, command: &str) -> Vec<String> {
    let words = words(command);
    if let [cat, file] = &words[..]
        && cat == "cat"
    {
        return place.get(file).lines().map(String::from).collect();
    }
    let args = own_command(&words).unwrap_or_else(|| panic!("no test runs `{command}`"));
    let ran = place.run(&args);
    format!("{}{}", ran.out, ran.err).lines().map(|l| l.trim_end().to_string()).collect()
}

/// Whether a line is what is expected of it, where `…` stands for anything.
fn fits(expected: &str, line: &str) -> bool {
    let parts: Vec<&str> = expected.split('…').collect();
    let [first, middle @ .., last] = &parts[..] else { return expected == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines are what is expected of them, where a line `…` stands for any lines.
fn all_fit(expected: &[String], lines: &[String]) -> bool {
    match expected {
        [] => lines.is_empty(),
        [any, rest @ ..] if any == "…" => (0..=lines.len()).any(|n| all_fit(rest, &lines[n..])),
        [first, rest @ ..] => lines.first().is_some_and(|l| fits(first, l)) && all_fit(rest, &lines[1..]),
    }
}

/// The lines of a `console` block with what its commands print, where that is another thing.
fn rerun(place: &Place, block: &Block) -> (Vec<String>, bool) {
    let (mut out, mut same) = (Vec::new(), true);
    assert!(block.lines[0].starts_with("$ "), "a console block begins with a command");
    for part in block.lines.chunk_by(|_, next| !next.starts_with("$ ")) {
        let lines = run_console(place, &part[0][2..]);
        let expected: Vec<String> = part[1..].iter().map(|l| l.trim_end().to_string()).collect();
        out.push(part[0].clone());
        if all_fit(&expected, &lines) {
            out.extend(expected);
        } else {
            same = false;
            out.extend(lines);
        }
    }
    (out, same)
}

#[test]
fn commands_print_what_is_written_below_them() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for (name, text) in documents() {
        let place = place();
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let before = wrong.len();
        let consoles: Vec<Block> = blocks(&text).into_iter().filter(|b| b.language == "console").collect();
        let reran: Vec<(Vec<String>, bool)> = consoles.iter().map(|b| rerun(&place, b)).collect();
        seen += consoles.len();
        // From the last block on, so that the lines of those before keep their numbers.
        for (block, (found, same)) in consoles.iter().zip(reran).rev() {
            if !same {
                wrong.push(format!("{name}:{}:\n{}", block.line, found.join("\n")));
                if !block.lines.iter().any(|l| l.contains('…')) {
                    let first = block.line - 1;
                    lines.splice(first..first + block.lines.len(), found);
                }
            }
        }
        if wrong.len() > before && std::env::var_os("BLESS").is_some() {
            std::fs::write(root().join(&name), lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(seen >= 10, "{seen} blocks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The sections of the chapter on errors, by code.
fn sections() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join("guide/src/errors.md")).unwrap();
    let parts = text.split("\n### ").skip(1).map(|part| part.split("\n## ").next().unwrap());
    let named = parts.map(|part| (part.split([':', ' ']).next().unwrap().to_string(), part.to_string()));
    let all: Vec<(String, String)> = named.collect();
    let names: Vec<&String> = all.iter().map(|(code, _)| code).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "codes in order, each once: {names:?}");
    all.into_iter().collect()
}

/// Which codes exist is what `cargo xtask tidy` compares the chapter with.
#[test]
fn every_error_code_is_shown_by_an_example() {
    let mut without = BTreeSet::new();
    for (code, section) in sections() {
        let shown = blocks(&section).iter().any(|b| {
            ["console", "python"].contains(&b.language.as_str())
                && [format!("error[{code}]"), format!("\"{code}\"")]
                    .iter()
                    .any(|words| b.lines.iter().any(|l| l.contains(words)))
        });
        if !shown {
            assert!(
                section.contains("*Without an example:* "),
                "{code} has no example, and no reason for that"
            );
            without.insert(code);
        }
    }
    assert!(without.len() <= 16, "{without:?}");
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = std::fs::read_to_string(root().join("guide/src/SUMMARY.md")).unwrap();
    for (name, text) in documents().iter().skip(1) {
        let chapter = name.rsplit('/').next().unwrap();
        assert!(chapter == "SUMMARY.md" || summary.contains(&format!("({chapter})")), "{chapter}");
        for link in text.split("](").skip(1).map(|l| l.split([')', '#']).next().unwrap()) {
            let known =
                link.is_empty() || link.contains("://") || root().join("guide/src").join(link).exists();
            assert!(known, "{name} links to {link}");
        }
    }
}

#[test]
fn every_example_says_how_it_is_run() {
    let folders =
        std::fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap().path().join("examples"));
    let mut seen = 0;
    for folder in folders.filter(|f| f.is_dir()) {
        for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            let text = std::fs::read_to_string(&path).unwrap();
            let about: String = text.lines().take_while(|l| l.starts_with("//!")).collect();
            let command = format!("--example {}", path.file_stem().unwrap().to_string_lossy());
            assert!(about.contains(&command), "{}: {command}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 9, "{seen} examples");
}

#[test]
fn lines_are_compared_with_what_may_stand_there() {
    let lines = |l: &[&str]| l.iter().map(|l| l.to_string()).collect::<Vec<_>>();
    assert!(fits("a … c", "a bbb c") && fits("…", "x") && fits("ab", "ab") && !fits("ab…", "a"));
    assert!(all_fit(&lines(&["a", "…", "z"]), &lines(&["a", "b", "c", "z"])));
    assert!(!all_fit(&lines(&["a", "…", "z"]), &lines(&["a", "b", "c"])));
    assert!(!all_fit(&lines(&["a"]), &lines(&["a", "b"])) && all_fit(&[], &[]));
    assert_eq!(words("openwork run 'a b' \"c d\" e # f"), ["openwork", "run", "a b", "c d", "e"]);
}

#[test]
fn every_variant_is_in_the_table_of_the_guide() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let source = read("crates/planner/src/variant.rs");
    let (_, name) = source.split_once("pub fn name(&self)").unwrap();
    let (name, _) = name.split_once("unwrap_or").unwrap();
    let names: Vec<&str> = name.split('"').skip(1).step_by(2).collect();
    assert!(names.len() >= 8, "{names:?}");
    let guide = read("guide/src/internals.md");
    for name in names {
        assert!(guide.contains(&format!("\n| `{name}` |")), "the guide does not say what `{name}` is");
    }
}
