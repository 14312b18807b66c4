//! Vectors and tensors of more than two modes.

use super::row;
use super::values::ValueStats;
use openwork::{Coo, Result, presets};
use openwork_storage::pack;
use serde::Serialize;

/// One mode.
#[derive(Serialize, Debug)]
pub(crate) struct ModeLine {
    pub(crate) size: usize,
    /// Coordinates with at least one stored entry.
    pub(crate) distinct: usize,
}

/// All modes.
#[derive(Serialize, Debug)]
#[serde(transparent)]
pub(crate) struct Modes {
    modes: Vec<ModeLine>,
    #[serde(skip)]
    pub(crate) nnz: usize,
}

impl Modes {
    /// Looks at every mode of a tensor, and at its values once duplicates are added up.
    ///
    /// # Errors
    /// `E0603` without the memory.
    pub(crate) fn measure(coo: &Coo) -> Result<(Modes, ValueStats)> {
        let rank = coo.rank();
        let zero = openwork::Scalar::zero(coo.dtype());
        let format = if rank == 0 { presets::dense(0) } else { presets::coo(rank) };
        let t = pack(coo, &format, zero)?;
        let modes = (0..rank).map(|mode| {
            let mut all: Vec<i64> = coo.coords(mode).iter().map(|c| c.as_i64()).collect();
            all.sort_unstable();
            all.dedup();
            ModeLine { size: coo.shape()[mode], distinct: all.len() }
        });
        Ok((Modes { modes: modes.collect(), nnz: t.nnz() }, ValueStats::measure(t.vals())))
    }
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let line = |(n, m): (usize, &ModeLine)| {
            let text = format!("{} coordinates, {} of them with entries", m.size, m.distinct);
            row(&format!("mode {n}"), text)
        };
        self.modes.iter().enumerate().map(line).collect()
    }
}
