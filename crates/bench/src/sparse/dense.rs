//! Sparse matrices with dense ones: SpMM and SDDMM.

use super::compare::{CompiledStatement, compare};
use super::table::{PeerColumn, PeerTable, sorted_column};
use super::worker;
use super::{SparseSetting, THREADS, Text, inputs};
use crate::worker::Worker;
use openwork::presets;

const SPMM: [PeerColumn; 5] = [
    sorted_column("scipy", "scipy.spmm", 1),
    sorted_column("mkl", "mkl.spmm", 1),
    sorted_column("dot", "sparse_dot.spmm", 1),
    sorted_column("mkl", "mkl.spmm", 2),
    sorted_column("dot", "sparse_dot.spmm", 2),
];
const SDDMM: [PeerColumn; 3] = [
    sorted_column("scipy", "scipy.sddmm", 1),
    sorted_column("numba", "numba.sddmm", 1),
    sorted_column("numba", "numba.sddmm", 2),
];

/// Both kernels on every matrix.
pub fn run(setting: &SparseSetting, worker: &Worker) -> Text<()> {
    let mut table = PeerTable::new("SpMM 128", &SPMM);
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants("SpMM 128", &name) {
            continue;
        }
        let coo = inputs::sort_coordinates(make()?)?;
        let shape = [coo.shape()[1], 128];
        let (a, b) = (inputs::csr(&coo)?, inputs::dense(shape, 1)?);
        worker.clear()?;
        worker.load("A", &coo)?;
        worker.dense("B", &shape, 1)?;
        let operands = [("A", &a), ("B", &b)];
        let result = presets::dense(2);
        let ours = CompiledStatement::compile("C(i,k) = A(i,j) * B(j,k)", &operands, "C", &result, &THREADS)?;
        compare(&mut table, setting, &name, &ours, worker::peers(worker, &SPMM, "A B"))?;
    }
    table.finish();
    let mut table = PeerTable::new("SDDMM 64", &SDDMM);
    for (name, make) in inputs::matrices(setting) {
        if !setting.wants("SDDMM 64", &name) {
            continue;
        }
        let coo = inputs::sort_coordinates(make()?)?;
        let shapes = [[coo.shape()[0], 64], [coo.shape()[1], 64]];
        let a = inputs::csr(&coo)?;
        let (b, d) = (inputs::dense(shapes[0], 1)?, inputs::dense(shapes[1], 2)?);
        worker.clear()?;
        worker.load("A", &coo)?;
        worker.dense("B", &shapes[0], 1)?;
        worker.dense("D", &shapes[1], 2)?;
        let operands = [("A", &a), ("B", &b), ("D", &d)];
        let statement = "C(i,j) = A(i,j) * B(i,k) * D(j,k)";
        let ours = CompiledStatement::compile(statement, &operands, "C", &presets::csr(), &THREADS)?;
        compare(&mut table, setting, &name, &ours, worker::peers(worker, &SDDMM, "A B D"))?;
    }
    table.finish();
    Ok(())
}
