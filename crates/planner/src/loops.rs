//! The loops of a way: its iteration graph, of which they are written once it is chosen.

use openwork_base::Result;
use openwork_levels::Registry;
use openwork_lower::{Iteration, Lowered, Phase};
use std::sync::Arc;

/// The loops of a way that is legal.
#[derive(Clone)]
pub(crate) struct Loops {
    pub(crate) iteration: Arc<Iteration>,
}

impl Loops {
    pub(crate) fn new(iteration: Iteration) -> Loops {
        Loops { iteration: Arc::new(iteration) }
    }
    /// Writes them.
    ///
    /// # Errors
    /// A bug: the way is legal.
    pub(crate) fn write(self, registry: &Registry) -> Result<Lowered> {
        self.iteration.lower(registry, Phase::Fused)
    }
}
