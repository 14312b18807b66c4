//! Random statements, formats, dtypes and data against the oracle.
//!
//! `OPENWORK_CASES` is the number of cases on every backend, or a range of their numbers (`40000..80000`), so that many
//! can be run in chunks: every suite runs those after its own first seed, and where it runs a share of the cases, the
//! same share of the range. The C compiler is asked for no optimisation there, and for full optimisation on a share of
//! other cases.

use std::io::Write;

use openwork::BackendKind;
use openwork_filetests::differential::{Tally, budget, run};
use openwork_filetests::phased::Phased;
use openwork_filetests::pipeline::{Chunked, CompilerPipeline, Planning};
use openwork_filetests::random::{CHAINS, EPILOGUES, ROWS, SCHEDULED, SHAPES};
use openwork_filetests::relit::Relit;
use openwork_filetests::reused::ReusedStatement;

/// Cases without `OPENWORK_CASES`.
const CASES: usize = 2000;
/// One case in so many also goes through the C compiler.
const C_SHARE: u64 = 20;

fn judge(tally: &Tally) {
    // Written past the capture of the test runner: the acceptance rate is part of the result.
    let _ = writeln!(std::io::stderr(), "{tally}");
    assert_eq!(tally.failed, 0, "see the cases above");
    assert!(tally.agreed * 2 >= tally.total(), "most random cases should be accepted\n{tally}");
}

/// Many random schedules break a precondition; those that do not must change nothing.
fn judge_scheduled(tally: &Tally) {
    let _ = writeln!(std::io::stderr(), "{tally}");
    assert_eq!(tally.failed, 0, "see the cases above");
    assert!(tally.agreed * 4 >= tally.total(), "a quarter of random schedules should be accepted\n{tally}");
}

#[test]
fn scheduled_plans_mean_what_the_oracle_says() {
    judge_scheduled(&run(budget(CASES).seed_range(SCHEDULED), &Planning));
}

#[test]
fn scheduled_kernels_compute_what_the_oracle_says() {
    let compiler =
        CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    judge_scheduled(&run(budget(CASES).seed_range(SCHEDULED), &compiler));
}

/// Chunks run the producers of workspaces side by side, each with a workspace of its own.
#[test]
fn scheduled_kernels_in_chunks_make_the_same_result() {
    let compiler =
        Chunked::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = SCHEDULED + (1 << 40);
    judge_scheduled(&run(budget(CASES).seed_range(first), &compiler));
}

/// Products that something is added to, or done with: as they are, scheduled and in chunks.
#[test]
fn epilogues_compute_what_the_oracle_says() {
    let backends = [BackendKind::Interp, BackendKind::Clif];
    let compiler = CompilerPipeline::new(&backends).expect("both are always available");
    let half = budget(CASES).share(2);
    judge(&run(half.seed_range(EPILOGUES), &Planning));
    judge(&run(half.seed_range(EPILOGUES), &compiler));
    judge_scheduled(&run(half.seed_range(SCHEDULED + EPILOGUES), &compiler));
    let chunked = Chunked::new(&backends).expect("both are always available");
    judge(&run(half.seed_range(EPILOGUES + (1 << 40)), &chunked));
}

/// Functions beside unions, tensors in whole and in part, and products of many factors: as they are stored, and with the search
/// for cheaper ways.
#[test]
fn shapes_compute_what_the_oracle_says() {
    let compiler =
        CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif]).expect("always available");
    let half = budget(CASES).share(2);
    judge(&run(half.seed_range(SHAPES), &compiler));
    judge(&run(half.seed_range(SHAPES + (1 << 40)), &compiler.comparing_always()));
}

/// Statements that read what others made: as the planner likes it, with the search for cheaper ways, and in chunks.
#[test]
fn chains_compute_what_the_oracle_says() {
    let backends = [BackendKind::Interp, BackendKind::Clif];
    let compiler = || CompilerPipeline::new(&backends).expect("both are always available");
    let half = budget(CASES).share(2);
    judge(&run(half.seed_range(CHAINS), &compiler()));
    judge(&run(half.seed_range(CHAINS + (1 << 40)), &compiler().comparing_always()));
    let chunked = Chunked::new(&backends).expect("both are always available").comparing_always();
    judge(&run(half.seed_range(CHAINS + (1 << 41)), &chunked));
    let several = chunked.chunk_counts().remove("several kernels").unwrap_or(0);
    let _ = writeln!(std::io::stderr(), "{several} runs of several kernels");
}

#[test]
fn plans_mean_what_the_oracle_says() {
    judge(&run(budget(CASES).seed_range(0), &Planning));
}

#[test]
fn kernels_compute_what_the_oracle_says() {
    let compiler =
        CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    judge(&run(budget(CASES).seed_range(0), &compiler));
}

/// Wide loops are for long ones; here they take the shortest, with vectors of either width.
#[test]
fn wide_loops_compute_what_the_oracle_says() {
    for (bytes, first) in [(64, 1 << 35), (32, 1 << 36)] {
        let compiler = CompilerPipeline::always_wide(bytes).expect("always available");
        judge(&run(budget(CASES).seed_range(first), &compiler));
    }
}

/// Rows of any length in what the loops of rows, slices, slots and blocks are assembled for: in both widths, and in chunks.
#[test]
fn rows_of_any_length_compute_what_the_oracle_says() {
    let half = budget(CASES).share(2);
    for (bytes, first) in [(64, 0), (32, 1 << 43)] {
        let compiler = CompilerPipeline::always_wide(bytes).expect("always available");
        judge(&run(half.seed_range(ROWS + first), &compiler));
    }
    let compiler = Chunked::new(&[BackendKind::Clif]).expect("always available");
    judge(&run(half.share(2).seed_range(ROWS + (1 << 44)), &compiler));
}

/// Tensors this small are built as they are written unless one insists.
#[test]
fn what_the_planner_prefers_computes_what_the_oracle_says() {
    let compiler =
        CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = 1 << 33;
    let compiler = compiler.comparing_always();
    judge(&run(budget(CASES).seed_range(first), &compiler));
    judge(&run(budget(CASES).share(2).seed_range(EPILOGUES + (1 << 43)), &compiler));
}

/// Statements that had operands of other sizes before.
#[test]
fn statements_that_keep_kernels_compute_what_the_oracle_says() {
    let backends = [BackendKind::Interp, BackendKind::Clif];
    let compiler = CompilerPipeline::new(&backends).expect("both are always available").comparing_always();
    let reused = ReusedStatement::new(compiler);
    let half = budget(CASES).share(2);
    judge(&run(half.seed_range(1 << 44), &reused));
    judge(&run(half.share(2).seed_range(SHAPES + (1 << 44)), &reused));
    let shared = reused.shared_count();
    let ran = reused.ran_count();
    let _ =
        writeln!(std::io::stderr(), "{shared} kernels were made for other sizes; {ran} ran on them first");
    let least = budget(CASES).count() / 10;
    assert!(shared > least && ran > least, "{shared} {ran}");
}

/// Other cases, so that more kinds of statements are met.
#[test]
fn chunks_make_the_same_result() {
    let compiler =
        Chunked::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let first = 1 << 40;
    judge(&run(budget(CASES).seed_range(first), &compiler));
    let met = compiler.chunk_counts();
    let _ = writeln!(std::io::stderr(), "{met:#?}");
    for join in ["slices", "stitched", "combined"] {
        assert!(met.get(join).is_some_and(|n| *n > budget(CASES).count() / 10), "{join}: {met:?}");
    }
}

#[test]
fn c_kernels_compute_what_the_oracle_says() {
    if CompilerPipeline::new(&[BackendKind::C]).is_err() {
        println!("skipped: no C compiler");
        return;
    }
    judge(&run(budget(CASES).seed_range(0), &CompilerPipeline::hurried_c()));
}

/// With the optimisation that users get; the compiler takes long, so only a share of other cases.
#[test]
fn optimised_c_kernels_compute_what_the_oracle_says() {
    let Ok(compiler) = CompilerPipeline::new(&[BackendKind::C]) else {
        println!("skipped: no C compiler");
        return;
    };
    let first = 1 << 32;
    judge(&run(budget(CASES).share(C_SHARE).seed_range(first), &compiler));
}

/// The structure of a result, then its values; with the schedules of the planner and with random ones.
#[test]
fn phases_make_the_same_result() {
    for first in [1 << 41, SCHEDULED + (1 << 41)] {
        let whole = CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif])
            .expect("both are always available");
        let phased = Phased::new(whole);
        judge_scheduled(&run(budget(CASES).share(2).seed_range(first), &phased));
        let _ = writeln!(std::io::stderr(), "{:#?}", phased.phase_counts());
    }
}

/// Code that another statement left, which differs in its literals: as they are, and products with epilogues.
#[test]
fn code_that_is_found_again_computes_what_the_oracle_says() {
    let compiler = Relit::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    // Each case is built twice on two backends: no other suite takes as long for a case. Few cases have few kernels in common,
    // so that small budgets are met whole.
    let parts = if budget(CASES).count() < 400 { 1 } else { 2 };
    judge(&run(budget(CASES).share(parts).seed_range(1 << 42), &compiler));
    judge(&run(budget(CASES).share(2 * parts).seed_range(EPILOGUES + (1 << 42)), &compiler));
    let _ = writeln!(std::io::stderr(), "{} kernels were found again", compiler.shared_count());
    assert!(compiler.shared_count() > budget(CASES).count() / 10, "{}", compiler.shared_count());
}
