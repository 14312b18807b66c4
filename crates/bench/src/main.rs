//! `cargo run --release -p openwork-bench -- all|arrays|kernels|latency|epilogues|structures|plans|conversion|spmv|threads|sparse|cg`
//! and perhaps `[FILTER] [--quick]`
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
//! run on one thread; `threads` compares one thread with several. `sparse` has sparse results and more libraries (see `sparse/mod.rs`). `cg` has conjugate gradients by twenty lines and by hand.

mod all;
mod cg;
mod conversion;
mod epilogues;
mod inputs;
mod kernels;
mod latency;
mod peers;
mod plans;
mod python;
mod sparse;
mod structures;
mod sums;
mod threads;
mod timing;
mod worker;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let effort =
        if args.iter().any(|a| a == "--quick") { timing::Effort::Quick } else { timing::Effort::Full };
    let filter = args.get(1).filter(|a| !a.starts_with('-')).map(String::as_str);
    if args.first().is_none_or(|a| a != "threads") {
        // The peers have one thread as well.
        openwork::set_threads(1);
    }
    let done = match args.first().map(String::as_str) {
        Some("all") => all::run(&all::Setting::of(all::Family::All, &args, effort)),
        Some("arrays") => all::run(&all::Setting::of(all::Family::Arrays, &args, effort)),
        Some("kernels") => kernels::run(effort, filter),
        Some("conversion") => conversion::run(effort, filter).map_err(|e| e.to_string()),
        Some("spmv") => conversion::spmv(effort, filter).map_err(|e| e.to_string()),
        Some("threads") => threads::run(effort, filter),
        Some("sparse") => {
            let has = |flag: &str| args.iter().any(|a| a == flag);
            let (alone, explain) = (has("--alone"), has("--explain"));
            let memory = if has("--kept") { sparse::Memory::Kept } else { sparse::Memory::New };
            let long = alone && effort == timing::Effort::Full;
            let effort = if long { timing::Effort::Long } else { effort };
            sparse::run(&sparse::Setting { effort, filter, alone, explain, memory })
        }
        Some("epilogues") => epilogues::run(effort, filter),
        Some("structures") => structures::run(effort, filter),
        Some("plans") => plans::run(effort, filter),
        Some("latency") => latency::run(effort),
        Some("cg") => cg::run(effort),
        _ => {
            eprintln!(
                "usage: bench all|arrays|kernels|latency|epilogues|structures|plans|conversion|spmv|threads|sparse|cg [FILTER] [--quick]"
            );
            std::process::exit(2);
        }
    };
    if let Err(e) = done {
        eprintln!("{e}");
        std::process::exit(1);
    }
}
