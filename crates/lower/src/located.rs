//! Which levels of an access are located: those whose level finds any coordinate, from one position above. The graph asks it of
//! what is bound at a point, emission of the expressions that are known there.

use crate::statement::var_of;
use openwork_index::{Access, IndexId, Program};
use openwork_levels::{Locate, Registry};

/// What is known at a point of a graph, or of the code that is written of it.
pub(crate) trait Located {
    /// Whether a level of an access has a place.
    fn is_placed(&self, a: &Access, k: usize) -> bool;
    /// Whether there is one position above a level, and the variable of the level has a value.
    fn is_reached(&self, a: &Access, k: usize, v: IndexId) -> bool;
    /// Gives the level its place.
    fn locate(&mut self, a: &Access, k: usize, by: &dyn Locate);
}

/// Gives every level of an access that can be located its place, outermost first.
pub(crate) fn locate_levels(program: &Program, registry: &Registry, a: &Access, at: &mut dyn Located) {
    for (k, level) in program.tensors[a.tensor].format.levels.iter().enumerate() {
        if at.is_placed(a, k) || !at.is_reached(a, k, var_of(program, a, k)) {
            continue;
        }
        if let Some(by) = registry.get(level.spec).and_then(|f| f.locate()) {
            at.locate(a, k, by);
        }
    }
}
