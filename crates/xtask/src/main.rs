//! Repository checks and generators, run as `cargo xtask NAME`.
//!
//! `tidy` fails when a crate knows one it must not know, when a file or function grows too long, when an external
//! dependency is missing from `docs/dependencies.md` or an error code from the guide, when `ARCHITECTURE.md` has more than 25
//! kB, when a decision has no title, date or link, when dependencies would be compiled twice, when a level is known by its name
//! instead of its facts, when more than twelve files list the statements or expressions of loop IR, when a module of lowering uses one that comes after it, when an entry point from
//! Python lets panics through, when a file of tests is part of no program, when sizes are multiplied in integers that wrap,
//! when a function is called by a preposition or a participle, when two types share a name.
//!
//! `dist` builds the command as it is given to others, and fails when it has tables for debuggers or takes too much room.
//!
//! `nodes` prints how many files match on each statement and expression of loop IR.
//!
//! `listings` tells how the listings of the text tests have changed since a revision (`HEAD` where none is given).

mod codes;
mod decisions;
mod dist;
mod edges;
mod facts;
mod features;
mod gate;
mod length;
mod listings;
mod names;
mod nodes;
mod order;
mod products;
mod programs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The repository root: two folders above this crate.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    match args[..] {
        ["tidy"] => tidy(&root),
        ["dist"] => build_dist(&root),
        ["nodes"] => {
            nodes::table(&root).iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        ["listings"] => print_listings(&root, "HEAD"),
        ["listings", revision] => print_listings(&root, revision),
        _ => {
            eprintln!("usage: cargo xtask tidy | dist | nodes | listings [REVISION]");
            ExitCode::from(2)
        }
    }
}

fn build_dist(root: &Path) -> ExitCode {
    match dist::build_command(root) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("dist: {e}");
            ExitCode::FAILURE
        }
    }
}

fn print_listings(root: &Path, revision: &str) -> ExitCode {
    match listings::list_changes(root, revision) {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            println!("{} listings changed since {revision}", lines.len());
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("listings: {e}");
            ExitCode::FAILURE
        }
    }
}

fn tidy(root: &Path) -> ExitCode {
    let mut offences = edges::check(root);
    offences.extend(length::check(root));
    offences.extend(codes::check(root));
    offences.extend(decisions::check(root));
    offences.extend(facts::check(root));
    offences.extend(names::check(root));
    offences.extend(nodes::check(root));
    offences.extend(order::check(root));
    offences.extend(features::check(root));
    offences.extend(gate::check(root));
    offences.extend(programs::check(root));
    offences.extend(products::check(root));
    for offence in &offences {
        eprintln!("tidy: {offence}");
    }
    if offences.is_empty() {
        println!("tidy: every rule holds");
        return ExitCode::SUCCESS;
    }
    eprintln!("tidy: {} offences", offences.len());
    ExitCode::FAILURE
}

/// Every file below `dir` with the given extension, sorted, without build outputs.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return out };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            out.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
