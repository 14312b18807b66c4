//! MTTKRP with sparse factors and a sparse result beside the same with dense ones: figure 13, which finds the two
//! equally fast where about a quarter of the factors is stored.

use super::compare::{CompiledStatement, PeerMemory};
use super::mttkrp::{RANK, STATEMENT};
use super::{SparseSetting, Text, inputs, text};
use crate::timing::interleave;
use openwork::{Coo, Tensor, TensorExt, presets};

const DENSITIES: [f64; 5] = [0.01, 0.05, 0.20, 0.25, 0.50];
const KERNEL: &str = "sparse MTTKRP 32";

/// Every tensor at every density, on one thread as in the paper.
pub fn run(setting: &SparseSetting) -> Text<()> {
    let mut title = true;
    for (name, make) in inputs::tensors(setting) {
        if !setting.wants(KERNEL, &name) {
            continue;
        }
        if std::mem::take(&mut title) {
            println!("\n{KERNEL}, 1 thread: time with dense factors and result / time with sparse ones");
            print!("{:<24}", "dense ms, sparse ms, ratio");
            DENSITIES.iter().for_each(|d| print!(" {:>24}", format!("{} %", 100.0 * d)));
            println!();
        }
        let b = text(crate::inputs::pack_with_zero(&make()?, &presets::csf(3)))?;
        print!("{name:<24}");
        for density in DENSITIES {
            let [dense, sparse] =
                measure_density(setting, &b, density).map_err(|e| format!("{KERNEL} {name}: {e}"))?;
            print!(" {:>24}", format!("{dense:.2} {sparse:.2} {:.2}x", dense / sparse));
        }
        println!();
    }
    Ok(())
}

/// Milliseconds with dense and with sparse factors of the same values.
fn measure_density(setting: &SparseSetting, b: &Tensor, density: f64) -> Text<[f64; 2]> {
    let factor = |mode: usize| -> Text<(Tensor, Tensor)> {
        let coo: Coo = inputs::random([b.shape()[mode], RANK], density, 30 + mode as u64)?;
        let sparse = inputs::csr(&coo)?;
        Ok((text(sparse.to_format(&presets::dense(2)))?, sparse))
    };
    let ((c, sparse_c), (d, sparse_d)) = (factor(1)?, factor(2)?);
    let operands = [("B", b), ("C", &c), ("D", &d)];
    let dense = CompiledStatement::compile(STATEMENT, &operands, "A", &presets::dense(2), &[1])?;
    let operands = [("B", b), ("C", &sparse_c), ("D", &sparse_d)];
    let sparse = CompiledStatement::compile(STATEMENT, &operands, "A", &presets::csr(), &[1])?;
    let (expected, found) = (dense.sums()?, sparse.sums()?);
    if !expected.agree(&found) {
        return Err(format!("results differ: {expected:?} and {found:?}"));
    }
    sparse.explain(setting);
    let times = interleave(
        &mut [Box::new(|| dense.time(0, PeerMemory::Kept)), Box::new(|| sparse.time(0, setting.memory))],
        setting.effort,
    );
    Ok([times[0], times[1]])
}
