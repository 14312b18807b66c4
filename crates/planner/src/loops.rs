//! The loops of a way: its iteration graph, and what was written of it.

use openwork_base::Result;
use openwork_levels::Registry;
use openwork_lower::{Iteration, Lowered, Phase};
use std::sync::Arc;

/// The loops of a way, which are written once it is chosen.
#[derive(Clone)]
pub(crate) struct Loops {
    pub(crate) iteration: Arc<Iteration>,
    /// Written loops, where that they can be was known from nothing else.
    written: Option<Arc<Lowered>>,
}

impl Loops {
    pub(crate) fn new(iteration: Arc<Iteration>, written: Option<Arc<Lowered>>) -> Loops {
        Loops { iteration, written }
    }
    /// Writes them.
    ///
    /// # Errors
    /// A bug: the way is legal.
    pub(crate) fn write(self, registry: &Registry) -> Result<Lowered> {
        match self.written {
            Some(lowered) => Ok(Arc::unwrap_or_clone(lowered)),
            None => self.iteration.lower(registry, Phase::Fused),
        }
    }
}
