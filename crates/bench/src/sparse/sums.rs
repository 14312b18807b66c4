//! SpAdd of two and of seven matrices: figure 14. The libraries add two at a time.

use super::compare::{CompiledStatement, compare};
use super::inputs::TensorMaker;
use super::table::{PeerColumn, PeerTable, sorted_column};
use super::worker;
use super::{SparseSetting, THREADS, Text, inputs};
use crate::inputs as generated;
use crate::timing::Effort;
use crate::worker::Worker;
use openwork::{Coo, Tensor, presets};

const COLUMNS: [PeerColumn; 5] = [
    sorted_column("scipy", "scipy.add", 1),
    sorted_column("mkl", "mkl.add", 1),
    sorted_column("grb", "graphblas.add", 1),
    sorted_column("mkl", "mkl.add", 2),
    sorted_column("grb", "graphblas.add", 2),
];

/// The densities of figure 14's operands.
const DENSITIES: [f64; 7] = [2.56e-2, 1.68e-3, 2.89e-4, 2.50e-3, 2.92e-3, 2.96e-2, 1.06e-2];

const NAMES: [&str; 7] = ["B", "C", "D", "E", "F", "G", "H"];

/// Adds up two and seven operands made from every input.
pub fn run(setting: &SparseSetting, worker: &Worker) -> Text<()> {
    for (kernel, count) in [("SpAdd 2", 2), ("SpAdd 7", 7)] {
        let mut table = PeerTable::new(kernel, &COLUMNS);
        let mut sources: Vec<TensorMaker> = inputs::matrices(setting);
        sources.push(("figure 14".into(), Box::new(|| inputs::random([1, 1], 0.5, 1))));
        for (name, make) in sources {
            // Products of matrices this small take long; sums take no time.
            if !setting.wants(kernel, &name) || ["cryg10000", "cavity14"].contains(&name.as_str()) {
                continue;
            }
            let operands = operands(setting, &name, &inputs::sort_coordinates(make()?)?, count)?;
            measure_sum(&mut table, setting, worker, &name, &operands)?;
        }
        table.finish();
    }
    Ok(())
}

/// Matrices of one shape: of different patterns, but for bands, which are all the same.
fn operands(setting: &SparseSetting, name: &str, first: &Coo, count: usize) -> Text<Vec<Coo>> {
    let n = first.shape()[0];
    let make = |k: usize| -> Text<Coo> {
        match name.split(' ').next().unwrap_or_default() {
            "figure" => {
                let n = if setting.effort == Effort::Quick { 400 } else { 4000 };
                inputs::sort_coordinates(inputs::random([n, n], DENSITIES[k], 20 + k as u64)?)
            }
            "uniform" => inputs::sort_coordinates(super::text(generated::uniform(
                n,
                first.len() / n + 1,
                20 + k as u64,
            ))?),
            "power" => inputs::sort_coordinates(inputs::power_law(n, first.len() / n + 1, 20 + k as u64)?),
            "band" => Ok(first.clone()),
            _ => inputs::shift_columns(first, 3 * k),
        }
    };
    (0..count).map(make).collect()
}

fn measure_sum(
    table: &mut PeerTable,
    setting: &SparseSetting,
    worker: &Worker,
    name: &str,
    coos: &[Coo],
) -> Text<()> {
    worker.clear()?;
    let mut tensors: Vec<(&str, Tensor)> = Vec::new();
    for (coo, name) in coos.iter().zip(NAMES) {
        worker.load(name, coo)?;
        tensors.push((name, inputs::csr(coo)?));
    }
    let given: Vec<(&str, &Tensor)> = tensors.iter().map(|(n, t)| (*n, t)).collect();
    let terms: Vec<String> = given.iter().map(|(n, _)| format!("{n}(i,j)")).collect();
    let statement = format!("A(i,j) = {}", terms.join(" + "));
    let ours = CompiledStatement::compile(&statement, &given, "A", &presets::csr(), &THREADS)?;
    let names: Vec<&str> = given.iter().map(|(n, _)| *n).collect();
    compare(table, setting, name, &ours, worker::peers(worker, &COLUMNS, &names.join(" ")))
}
