//! `cargo run --release -p openwork-bench -- COMMAND [FILTER] [--quick]`: see `--help`, and `args.rs` for the commands.
//!
//! `all` compares everything that others compute as well with the best of them (see `all/mod.rs`); `arrays` does so for the
//! evaluation of the array-programming paper: functions of arrays, masks and semirings, pictures, trees of moves.
//!
//! `kernels` runs every kernel of the first milestone on Cranelift and on the C backend beside the same loop written in C
//! (`src/peers.c`, compiled by `gcc -O3 -march=native -ffast-math`), interleaved, and prints medians and ratios after
//! checking that the sums of all results agree. `latency` prints the time from statement text to callable code.
//! `epilogues` compares products that something is added to, or done with, with the products alone; `structures` compares
//! operands in runs and in words with dense ones; `plans` compares the plan that is chosen with other ways that a user could
//! write (see `plans/mod.rs`). `conversion` and `spmv` run beside SciPy and MKL in a Python process (see `worker.rs`). Those
//! run on one thread; `threads` compares one thread with several,
//! `divided` lists what two threads take longer for than one, over all formats (see `divided.rs`). `sparse` has sparse results and more libraries (see `sparse/mod.rs`). `cg` has conjugate gradients by twenty lines and by hand. `sequences`
//! has steps of iterations, conjugate gradients as a sequence beside SciPy's, and what a statement of a sequence costs beside its
//! kernel. `relations` has comparisons of index variables, beside SciPy's triangles, bands, rows and columns. `memory` has
//! what functions of two arrays take besides operands and result.

mod all;
mod applied;
mod args;
mod cg;
mod conversion;
mod divided;
mod epilogues;
mod inputs;
mod kernels;
mod latency;
mod memory;
mod peers;
mod plans;
mod python;
mod relations;
mod sequences;
mod several;
mod short_lists;
mod solvers;
mod sparse;
mod structures;
mod sums;
mod threads;
mod timing;
mod worker;

use args::{BenchArgs, BenchCommand, TableArgs};
use clap::Parser;
use timing::Effort;

/// What was measured, or why it was not.
type Text<T> = Result<T, String>;

fn main() {
    let command = BenchArgs::parse().command;
    if !matches!(command, BenchCommand::Threads(_) | BenchCommand::Divided(_)) {
        // The peers have one thread as well.
        openwork::set_threads(1);
    }
    if let Err(e) = run(&command) {
        eprintln!("{e}");
        std::process::exit(1);
    }
}

fn run(command: &BenchCommand) -> Result<(), String> {
    let filtered = |table: &TableArgs, run: fn(Effort, Option<&str>) -> Result<(), String>| {
        run(table.quick.effort(), table.filter.as_deref())
    };
    match command {
        BenchCommand::All(compared) => all::run(&compared.setting(all::Family::All)),
        BenchCommand::Arrays(compared) => all::run(&compared.setting(all::Family::Arrays)),
        BenchCommand::Kernels(table) => filtered(table, kernels::run),
        BenchCommand::Latency(quick) => latency::run(quick.effort()),
        BenchCommand::Epilogues(table) => filtered(table, epilogues::run),
        BenchCommand::Structures(table) => filtered(table, structures::run),
        BenchCommand::Plans(table) => filtered(table, plans::run),
        BenchCommand::Conversion(table) => {
            conversion::run(table.quick.effort(), table.filter.as_deref()).map_err(|e| e.to_string())
        }
        BenchCommand::Spmv(table) => {
            conversion::spmv(table.quick.effort(), table.filter.as_deref()).map_err(|e| e.to_string())
        }
        BenchCommand::Threads(table) => filtered(table, threads::run),
        BenchCommand::Divided(table) => filtered(table, divided::run),
        BenchCommand::Sparse(sparse) => sparse::run(&sparse.setting()),
        BenchCommand::Cg(quick) => cg::run(quick.effort()),
        BenchCommand::Sequences(table) => filtered(table, sequences::run),
        BenchCommand::Relations(table) => filtered(table, relations::run),
        BenchCommand::Memory(quick) => memory::run(quick.effort()),
    }
}
