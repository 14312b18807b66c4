//! The load of a run: how much it does, by the cost model, which is asked anew only where sizes or numbers of stored values
//! have changed.
//!
//! A run of a small kernel takes less time than its estimate, and programs call kernels again and again on operands alike.

use openwork_base::machine::threshold;
use openwork_index::{Program, TensorId};
use openwork_lower::cost::{CostFacts, estimate_over};
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// So many combinations of the values of all variables are too few to divide, whatever is stored.
const FEW: f64 = 4096.0;

/// So many answers are remembered: kernels take turns between operands, as those of the grids of a multigrid method.
const KEPT: usize = 8;

/// What the last runs were estimated to do, the latest first.
#[derive(Debug, Default)]
pub(crate) struct Load(Mutex<Vec<LoadFacts>>);

#[derive(Debug)]
struct LoadFacts {
    sizes: Vec<usize>,
    slots: Vec<usize>,
    steps: f64,
}

impl Load {
    /// How many steps a run of a program takes, over operands and index variables that take so many values: assignments, or
    /// rounds through what is stored where more of these find nothing to assign.
    pub(crate) fn steps(
        &self,
        program: &Program,
        operands: &BTreeMap<TensorId, &Tensor>,
        sizes: &[usize],
    ) -> f64 {
        let all: f64 = sizes.iter().map(|&n| n as f64).product();
        if all <= threshold(FEW, 1.0) {
            return all;
        }
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = || operands.values().map(|t| t.slots());
        let same = |known: &&LoadFacts| known.sizes == sizes && slots().eq(known.slots.iter().copied());
        if let Some(known) = lock().iter().find(same) {
            return known.steps;
        }
        let of = |id: TensorId| operands.get(&id).map(|t| t.slots());
        let cost = estimate_over(CostFacts::from_run(program, sizes, of));
        let steps = cost.assignments.max(cost.walked);
        let mut known = lock();
        known.insert(0, LoadFacts { sizes: sizes.to_vec(), slots: slots().collect(), steps });
        known.truncate(KEPT);
        steps
    }
}
