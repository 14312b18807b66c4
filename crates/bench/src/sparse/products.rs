//! SpGEMM: figure 11, with the square of each matrix, into rows that are sorted and into rows in any order.

use super::compare::{CompiledStatement, compare};
use super::table::{PeerColumn, PeerTable, sorted_column, unsorted_column};
use super::worker;
use super::{SparseSetting, THREADS, Text, inputs, text};
use crate::worker::Worker;
use openwork::{Format, FormatExt, presets};

/// `mkl` has handles and results of its own; `dot` is `sparse_dot_mkl`, which copies results; `grb` is GraphBLAS.
const COLUMNS: [PeerColumn; 12] = [
    unsorted_column("scipy", "scipy.matmul", 1),
    sorted_column("scipy+s", "scipy.matmul_sorted", 1),
    unsorted_column("mkl", "mkl.matmul", 1),
    sorted_column("mkl+s", "mkl.matmul_sorted", 1),
    unsorted_column("dot", "sparse_dot.matmul", 1),
    sorted_column("dot+s", "sparse_dot.matmul_sorted", 1),
    sorted_column("grb", "graphblas.matmul", 1),
    unsorted_column("mkl", "mkl.matmul", 2),
    sorted_column("mkl+s", "mkl.matmul_sorted", 2),
    unsorted_column("dot", "sparse_dot.matmul", 2),
    sorted_column("dot+s", "sparse_dot.matmul_sorted", 2),
    sorted_column("grb", "graphblas.matmul", 2),
];

/// Squares every matrix, twice.
pub fn run(setting: &SparseSetting, worker: &Worker) -> Text<()> {
    squares("SpGEMM", &presets::csr(), setting, worker)?;
    squares("SpGEMM any order", &unordered_csr()?, setting, worker)
}

/// CSR whose rows are in any order.
pub fn unordered_csr() -> Text<Format> {
    text(Format::parse("(i,j) -> (i,j) : dense, compressed(unordered)", 2))
}

fn squares(kernel: &str, format: &Format, setting: &SparseSetting, worker: &Worker) -> Text<()> {
    let mut table = PeerTable::new(kernel, &COLUMNS);
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants(kernel, &name) {
            continue;
        }
        let coo = inputs::sort_coordinates(make()?)?;
        let a = inputs::csr(&coo)?;
        worker.clear()?;
        worker.load("A", &coo)?;
        let ours =
            CompiledStatement::compile("C(i,k) = A(i,j) * A(j,k)", &[("A", &a)], "C", format, &THREADS)?;
        compare(&mut table, setting, &name, &ours, worker::peers(worker, &COLUMNS, "A A"))?;
    }
    table.finish();
    Ok(())
}
