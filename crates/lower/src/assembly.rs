//! How the levels of a result are made that loops fill in order: some are located, others are appended to.
//!
//! ```text
//! csr                dense | compressed                 chains: [1]
//! coo of rank 3      compressed singleton singleton     chains: [0 1 2]
//! ssd                compressed | compressed | dense    chains: [0] [1]
//! ```

use openwork_index::{Access, Kind, Program};
use openwork_levels::Registry;

/// What a program assigns of its result.
pub(crate) fn assigned_result(program: &Program) -> Option<&Access> {
    let mut all = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    all.find(|a| program.tensors[a.tensor].kind == Kind::Result)
}

/// The levels that are appended to, in runs that share a position: the first and the last one of each.
pub(crate) fn chains(program: &Program, registry: &Registry, result: &Access) -> Vec<(usize, usize)> {
    let mut chains: Vec<(usize, usize)> = Vec::new();
    for (k, level) in program.tensors[result.tensor].format.levels.iter().enumerate() {
        if registry.get(level.spec).is_some_and(|f| f.locate().is_some()) {
            continue;
        }
        match chains.last_mut().filter(|(_, last)| level.branchless() && *last + 1 == k) {
            Some((_, last)) => *last = k,
            None => chains.push((k, k)),
        }
    }
    chains
}
