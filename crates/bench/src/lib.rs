//! What the benchmarks run; the program that times it is `main.rs`.

pub mod workloads;
