//! SpGEMM: figure 11, with the square of each matrix.

use super::compare::{Ours, compare};
use super::table::{Column, Table, sorted, unsorted};
use super::worker::Worker;
use super::{Setting, THREADS, Text, inputs};
use openwork::presets;

/// `mkl` has handles and results of its own; `dot` is `sparse_dot_mkl`, which copies results; `grb` is GraphBLAS.
const COLUMNS: [Column; 12] = [
    unsorted("scipy", "scipy.matmul", 1),
    sorted("scipy+s", "scipy.matmul_sorted", 1),
    unsorted("mkl", "mkl.matmul", 1),
    sorted("mkl+s", "mkl.matmul_sorted", 1),
    unsorted("dot", "sparse_dot.matmul", 1),
    sorted("dot+s", "sparse_dot.matmul_sorted", 1),
    sorted("grb", "graphblas.matmul", 1),
    unsorted("mkl", "mkl.matmul", 2),
    sorted("mkl+s", "mkl.matmul_sorted", 2),
    unsorted("dot", "sparse_dot.matmul", 2),
    sorted("dot+s", "sparse_dot.matmul_sorted", 2),
    sorted("grb", "graphblas.matmul", 2),
];

/// Squares every matrix.
pub fn run(setting: &Setting, worker: &Worker) -> Text<()> {
    let mut table = Table::new("SpGEMM", &COLUMNS);
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants("SpGEMM", &name) {
            continue;
        }
        let coo = inputs::sorted(make()?)?;
        let a = inputs::csr(&coo)?;
        worker.clear()?;
        worker.load("A", &coo)?;
        let csr = presets::csr();
        let ours = Ours::compile("C(i,k) = A(i,j) * A(j,k)", &[("A", &a)], ("C", &csr), &THREADS)?;
        compare(&mut table, setting, &name, &ours, worker.peers(&COLUMNS, "A A"))?;
    }
    table.finish();
    Ok(())
}
