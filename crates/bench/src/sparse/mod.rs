//! `bench sparse`: kernels with sparse results and workspaces beside SciPy, MKL, SuiteSparse:GraphBLAS, numba and C.
//!
//! The evaluation of the workspaces paper (its figures 11 to 14 and table 2) on inputs that are at hand. All ways of
//! computing the same run in turns, after their results have been found equal. A ratio is the peer's time divided by ours:
//! above 1 means that ours is faster.
//!
//! `--alone` leaves the peers out and runs longer, for profilers; `--kept` writes our results into the memory of the ones
//! before, which shows what new memory costs; `--explain` prints the plans.

mod breakdown;
mod compare;
mod dense;
pub mod inputs;
mod mttkrp;
mod products;
mod sparse_mttkrp;
mod sums;
pub mod table;
mod worker;

use crate::Text;
use crate::timing::Effort;
use crate::worker::Worker;
pub use compare::PeerMemory;
use openwork::{Decl, Tensor};

/// The numbers of threads that ours are timed with.
const THREADS: [usize; 2] = [1, 2];

/// What to run, and what to say about it.
pub struct SparseSetting<'a> {
    /// How many rounds, and how large the generated inputs are.
    pub effort: Effort,
    /// Part of the names of what runs.
    pub filter: Option<&'a str>,
    /// Without peers.
    pub alone: bool,
    /// Print what was planned.
    pub explain: bool,
    /// Where our results are written.
    pub memory: PeerMemory,
}

impl SparseSetting<'_> {
    /// The same with another place for results.
    fn with_memory(&self, memory: PeerMemory) -> SparseSetting<'_> {
        SparseSetting { memory, ..*self }
    }
    fn wants(&self, kernel: &str, input: &str) -> bool {
        self.filter.is_none_or(|f| format!("{kernel} {input}").contains(f))
    }
}

/// Runs every comparison whose name contains the filter.
///
/// # Errors
/// When an input cannot be had, or results differ.
pub fn run(setting: &SparseSetting) -> Text<()> {
    let worker = if setting.alone { Worker::absent() } else { Worker::start(&worker::LIBRARIES) };
    println!("medians; ratios are the peer's time / ours on the same number of threads");
    products::run(setting, &worker)?;
    sums::run(setting, &worker)?;
    dense::run(setting, &worker)?;
    mttkrp::run(setting)?;
    sparse_mttkrp::run(setting)?;
    breakdown::run(setting, &worker)
}

/// An error of the library as text.
fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// What is known of an operand.
pub fn decl(t: &Tensor) -> Decl {
    Decl {
        dtype: Some(t.dtype()),
        format: Some(t.format().clone()),
        shape: Some(t.shape().to_vec()),
        stored: Some(t.slots()),
        elements: None,
    }
}
