//! The columns of a table whose library is there, applied to operands.

use super::compare::PeerRun;
use super::table::{PeerColumn, WeightedSums};
use crate::worker::{Peers, Worker};

/// The libraries, as `worker.py` names them.
pub const LIBRARIES: [&str; 5] = ["scipy", "mkl", "sparse_dot", "graphblas", "numba"];

/// The peers that are there.
pub fn peers<'a>(worker: &'a Worker, columns: &[PeerColumn], operands: &str) -> Vec<PeerRun<'a>> {
    columns.iter().filter(|c| worker.has(c.op)).map(|&column| peer(worker, column, operands)).collect()
}

fn peer<'a>(worker: &'a Worker, column: PeerColumn, operands: &str) -> PeerRun<'a> {
    let operands = operands.to_string();
    let sum = format!("sum {} {} {operands}", column.op, column.threads);
    PeerRun {
        column,
        sums: Box::new(move || WeightedSums::parse(&worker.ask(&sum)?)),
        time: Box::new(move || worker.time(column.op, column.threads, &operands)),
    }
}
