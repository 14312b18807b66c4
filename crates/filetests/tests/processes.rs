//! The same statement on equal operands has the same bits in one process or another, whatever ran before, on one thread or
//! several, variant by variant.

use openwork::{BackendKind, Session};
use openwork_filetests::differential::budget;
use openwork_filetests::digest::digest_variants;
use openwork_filetests::random::{self, EPILOGUES, ROWS, SHAPES};
use std::process::Command;

/// Cases without `OPENWORK_CASES`.
const CASES: usize = 2000;
/// One case in so many runs in a process of its own as well.
const SHARE: u64 = 10;
/// Says to the process that it is the other one.
const OTHER: &str = "OPENWORK_OTHER_PROCESS";
/// What a line of a digest begins with.
const MARK: &str = "digest ";

/// A line for each case, in the order of the cases.
fn digests(cases: impl Iterator<Item = u64>) -> Vec<String> {
    let session = Session::new(BackendKind::Clif).expect("always available");
    let digest = |seed: u64| match digest_variants(&session, &random::case(seed)) {
        Ok(text) => format!("{MARK}{seed}{text}"),
        Err(e) => format!("{MARK}{seed} {}", e.code()),
    };
    cases.map(digest).collect()
}

#[test]
fn another_process_makes_the_same_bits() {
    let few = budget(CASES).share(SHARE);
    let seeds =
        || [0, EPILOGUES, ROWS, SHAPES].map(|first| few.seed_range(first + (1 << 39))).into_iter().flatten();
    if std::env::var_os(OTHER).is_some() {
        // In the other order, so that other cases ran before.
        let all: Vec<u64> = seeds().collect();
        digests(all.into_iter().rev()).iter().for_each(|line| println!("{line}"));
        return;
    }
    let here = digests(seeds());
    let mut other = Command::new(std::env::current_exe().expect("a test runs from a file"));
    other.args([
        "--exact",
        "processes::another_process_makes_the_same_bits",
        "--nocapture",
        "--test-threads=1",
    ]);
    let done = other.env(OTHER, "1").env("OPENWORK_THREADS", "1").output().expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout);
    // The name of the test may stand before the first line.
    let mut there: Vec<&str> = text.lines().filter_map(|line| Some(&line[line.find(MARK)?..])).collect();
    there.reverse();
    assert!(done.status.success() && there.len() == here.len(), "{}", String::from_utf8_lossy(&done.stderr));
    let others: Vec<_> = here.iter().zip(there).filter(|(a, b)| a != b).collect();
    assert!(others.is_empty(), "{others:#?}");
}
