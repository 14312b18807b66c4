//! `cargo run --release -p openwork-bench -- kernels|latency [--quick]`
//!
//! `kernels` runs every kernel of the first milestone on Cranelift and on the C backend beside the same loop written in C
//! (`src/peers.c`, compiled by `gcc -O3 -march=native -ffast-math`), interleaved, and prints medians and ratios after
//! checking that the sums of all results agree. `latency` prints the time from statement text to callable code.

mod inputs;
mod kernels;
mod latency;
mod peers;
mod timing;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let effort =
        if args.iter().any(|a| a == "--quick") { timing::Effort::Quick } else { timing::Effort::Full };
    let done = match args.first().map(String::as_str) {
        Some("kernels") => {
            kernels::run(effort, args.get(1).filter(|a| !a.starts_with('-')).map(String::as_str))
        }
        Some("latency") => latency::run(effort),
        _ => {
            eprintln!("usage: bench kernels [FILTER] | latency [--quick]");
            std::process::exit(2);
        }
    };
    if let Err(e) = done {
        eprintln!("{e}");
        std::process::exit(1);
    }
}
