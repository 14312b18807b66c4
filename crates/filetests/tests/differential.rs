//! Random statements, formats, dtypes and data against the oracle.
//!
//! `OPENWORK_CASES` is the number of cases on every backend. The C compiler is asked for no optimisation there, and
//! for full optimisation on a share of other cases.

use std::io::Write;

use openwork::BackendKind;
use openwork_filetests::differential::{Tally, budget, run};
use openwork_filetests::phased::Phased;
use openwork_filetests::pipeline::{Chunked, Compiler, Planning};
use openwork_filetests::random::{EPILOGUES, SCHEDULED};
use openwork_filetests::relit::Relit;

/// Cases without `OPENWORK_CASES`.
const CASES: usize = 2000;
/// One case in so many also goes through the C compiler.
const C_SHARE: usize = 20;

fn judge(tally: &Tally) {
    // Written past the capture of the test runner: the acceptance rate is part of the result.
    let _ = writeln!(std::io::stderr(), "{tally}");
    assert_eq!(tally.failed, 0, "see the cases above");
    assert!(tally.agreed * 2 > tally.total(), "most random cases should be accepted\n{tally}");
}

/// Many random schedules break a precondition; those that do not must change nothing.
fn judge_scheduled(tally: &Tally) {
    let _ = writeln!(std::io::stderr(), "{tally}");
    assert_eq!(tally.failed, 0, "see the cases above");
    assert!(tally.agreed * 4 > tally.total(), "a quarter of random schedules should be accepted\n{tally}");
}

#[test]
fn scheduled_plans_mean_what_the_oracle_says() {
    judge_scheduled(&run(SCHEDULED..SCHEDULED + budget(CASES) as u64, &Planning));
}

#[test]
fn scheduled_kernels_compute_what_the_oracle_says() {
    let compiler =
        Compiler::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    judge_scheduled(&run(SCHEDULED..SCHEDULED + budget(CASES) as u64, &compiler));
}

/// Chunks run the producers of workspaces side by side, each with a workspace of its own.
#[test]
fn scheduled_kernels_in_chunks_make_the_same_result() {
    let compiler =
        Chunked::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = SCHEDULED + (1 << 40);
    judge_scheduled(&run(first..first + budget(CASES) as u64, &compiler));
}

/// Products that something is added to, or done with: as they are, scheduled and in chunks.
#[test]
fn epilogues_compute_what_the_oracle_says() {
    let backends = [BackendKind::Interp, BackendKind::Clif];
    let compiler = Compiler::new(&backends).expect("both are always available");
    let count = budget(CASES) as u64 / 2;
    judge(&run(EPILOGUES..EPILOGUES + count, &Planning));
    judge(&run(EPILOGUES..EPILOGUES + count, &compiler));
    judge_scheduled(&run(SCHEDULED + EPILOGUES..SCHEDULED + EPILOGUES + count, &compiler));
    let chunked = Chunked::new(&backends).expect("both are always available");
    judge(&run(EPILOGUES + count..EPILOGUES + 2 * count, &chunked));
}

#[test]
fn plans_mean_what_the_oracle_says() {
    judge(&run(0..budget(CASES) as u64, &Planning));
}

#[test]
fn kernels_compute_what_the_oracle_says() {
    let compiler =
        Compiler::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    judge(&run(0..budget(CASES) as u64, &compiler));
}

/// Wide loops are for long ones; here they take the shortest, with vectors of either width.
#[test]
fn wide_loops_compute_what_the_oracle_says() {
    for (bytes, first) in [(64, 1 << 35), (32, 1 << 36)] {
        let compiler = Compiler::always_wide(bytes).expect("always available");
        judge(&run(first..first + budget(CASES) as u64, &compiler));
    }
}

/// Tensors this small are built as they are written unless one insists.
#[test]
fn what_the_planner_prefers_computes_what_the_oracle_says() {
    let compiler =
        Compiler::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = 1 << 33;
    judge(&run(first..first + budget(CASES) as u64, &compiler.comparing_always()));
}

/// Other cases, so that more kinds of statements are met.
#[test]
fn chunks_make_the_same_result() {
    let compiler =
        Chunked::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = 1 << 40;
    judge(&run(first..first + budget(CASES) as u64, &compiler));
    let met = compiler.met();
    let _ = writeln!(std::io::stderr(), "{met:#?}");
    for join in ["slices", "stitched", "combined"] {
        assert!(met.get(join).is_some_and(|n| *n > budget(CASES) / 10), "{join}: {met:?}");
    }
}

#[test]
fn c_kernels_compute_what_the_oracle_says() {
    if Compiler::new(&[BackendKind::C]).is_err() {
        println!("skipped: no C compiler");
        return;
    }
    judge(&run(0..budget(CASES) as u64, &Compiler::hurried_c()));
}

/// With the optimisation that users get; the compiler takes long, so only a share of other cases.
#[test]
fn optimised_c_kernels_compute_what_the_oracle_says() {
    let Ok(compiler) = Compiler::new(&[BackendKind::C]) else {
        println!("skipped: no C compiler");
        return;
    };
    let first = 1 << 32;
    judge(&run(first..first + (budget(CASES) / C_SHARE) as u64, &compiler));
}

/// The structure of a result, then its values; with the schedules of the planner and with random ones.
#[test]
fn phases_make_the_same_result() {
    for first in [1 << 41, SCHEDULED + (1 << 41)] {
        let whole =
            Compiler::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
        let phased = Phased::new(whole);
        judge_scheduled(&run(first..first + (budget(CASES) / 2) as u64, &phased));
        let _ = writeln!(std::io::stderr(), "{:#?}", phased.met());
    }
}

/// Code that another statement left, which differs in its literals: as they are, and products with epilogues.
#[test]
fn code_that_is_found_again_computes_what_the_oracle_says() {
    let compiler = Relit::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let (first, count) = (1 << 42, budget(CASES) as u64);
    judge(&run(first..first + count, &compiler));
    let first = EPILOGUES + (1 << 42);
    judge(&run(first..first + count / 2, &compiler));
    let _ = writeln!(std::io::stderr(), "{} kernels were found again", compiler.shared());
    assert!(compiler.shared() > budget(CASES) / 10, "{}", compiler.shared());
}
