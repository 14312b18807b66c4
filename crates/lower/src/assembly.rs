//! How the levels of a result are made that loops fill in order: some are located, others are appended to.
//!
//! ```text
//! csr                dense | compressed                 chains: [1]
//! coo of rank 3      compressed singleton singleton     chains: [0 1 2]
//! ssd                compressed | compressed | dense    chains: [0] [1]
//! ```

use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, Program, TensorKind};
use openwork_levels::Registry;

/// What a program assigns of its result.
pub(crate) fn assigned_result(program: &Program) -> Option<&Access> {
    let mut all = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    all.find(|a| program.tensors[a.tensor].kind == TensorKind::Result)
}

/// How a level of a result is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelMaking {
    /// Positions are computed.
    Locate,
    /// Coordinates are appended.
    Append,
    /// Coordinates are appended at the positions of the level above.
    Join,
    /// Coordinates come in any order.
    Insert,
}

/// A result, and how its levels are made.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultPlan {
    /// What is assigned.
    pub access: Access,
    /// Of each level, outermost first.
    pub levels: Vec<LevelMaking>,
}

impl ResultPlan {
    /// How the levels of a program's result are made, if it has one.
    pub(crate) fn find(program: &Program, registry: &Registry) -> Option<ResultPlan> {
        let access = assigned_result(program)?.clone();
        let mut levels: Vec<LevelMaking> = Vec::new();
        for level in &program.tensors[access.tensor].format.levels {
            let located = registry.get(level.spec).is_some_and(|f| f.locate().is_some());
            let below = matches!(levels.last(), Some(LevelMaking::Append | LevelMaking::Join));
            levels.push(match program.assembly {
                AssemblyMode::OutOfOrder(_) => LevelMaking::Insert,
                AssemblyMode::InOrder if located => LevelMaking::Locate,
                AssemblyMode::InOrder if level.branchless() && below => LevelMaking::Join,
                AssemblyMode::InOrder => LevelMaking::Append,
            });
        }
        Some(ResultPlan { access, levels })
    }
    /// The levels that are appended to, in runs that share a position: the first and the last one of each.
    pub fn chains(&self) -> Vec<(usize, usize)> {
        let mut chains: Vec<(usize, usize)> = Vec::new();
        for (k, making) in self.levels.iter().enumerate() {
            match (making, chains.last_mut()) {
                (LevelMaking::Join, Some((_, last))) => *last = k,
                (LevelMaking::Append | LevelMaking::Join, _) => chains.push((k, k)),
                (LevelMaking::Locate | LevelMaking::Insert, _) => {}
            }
        }
        chains
    }
    /// Whether values are appended with the coordinates of the last level.
    pub(crate) fn appends_values(&self) -> bool {
        matches!(self.levels.last(), Some(LevelMaking::Append | LevelMaking::Join))
    }
}
