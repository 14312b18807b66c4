//! The visit of one variable: what emission passes around while it writes the variable's loops.

use crate::emit::scope::Scope;
use crate::graph::Loop;
use openwork_index::{CinStmt, IndexId};
use openwork_loops::{LoopMode, Stmt as Code};

/// One variable being visited.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    pub(crate) v: IndexId,
    pub(crate) body: &'a CinStmt,
    /// What was decided about it.
    pub(crate) of: &'a Loop,
    pub(crate) scope: &'a Scope,
}

/// The code of a region.
pub(crate) struct RegionCase {
    pub(crate) code: Vec<Code>,
    pub(crate) independent: Independence,
}

/// Whether iterations may be taken several at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Independence {
    Yes,
    No,
}

impl Independence {
    /// How such rounds are taken.
    pub(crate) fn mode(self) -> LoopMode {
        match self {
            Independence::Yes => LoopMode::Vector,
            Independence::No => LoopMode::Serial,
        }
    }
}
