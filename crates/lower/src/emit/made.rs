//! The result under assembly: what it consists of in the kernel, with what its levels can do.

use crate::emit::Emitter;
use crate::graph::coverage::Coverage;
use openwork_algebra::Scalar;
use openwork_index::{Access, TensorId};
use openwork_levels::{Append, LevelIr};
use openwork_loops::build::{int, mul};
use openwork_loops::{BufId, Expr as Ir, VarId};

/// A run of levels that share a position counter.
pub(crate) struct LevelChain<'a> {
    /// First and last level.
    pub(crate) levels: (usize, usize),
    /// Positions appended so far.
    pub(crate) count: VarId,
    /// Its levels, outermost first.
    pub(crate) appended: Vec<AppendedLevel<'a>>,
}

/// A level that is appended to.
pub(crate) struct AppendedLevel<'a> {
    /// Which one.
    pub(crate) k: usize,
    /// The level in the kernel.
    pub(crate) level: LevelIr,
    /// How.
    pub(crate) by: &'a dyn Append,
}

/// The positions that an operand lends to a result.
pub(crate) struct LentPositions {
    /// The first one of the kernel's part.
    pub(crate) first: Ir,
    /// How many there are.
    pub(crate) len: Ir,
}

/// The result under assembly.
pub(crate) struct AssembledResult<'a> {
    pub(crate) tensor: TensorId,
    pub(crate) access: Access,
    /// Its values.
    pub(crate) vals: BufId,
    pub(crate) chains: Vec<LevelChain<'a>>,
    /// Which elements its loops assign.
    pub(crate) coverage: Coverage,
    /// Its runs, where it has any.
    pub(crate) growing: Option<Growing>,
    /// The positions that are lent to it.
    pub(crate) lent: Option<LentPositions>,
}

impl<'a> AssembledResult<'a> {
    /// How many levels it has.
    pub(crate) fn rank(&self, l: &Emitter) -> usize {
        l.rank(self.tensor)
    }
    /// Positions per coordinate of chain `n` in the dense levels right below it.
    pub(crate) fn block_below(&self, n: usize, l: &Emitter) -> Ir {
        let levels = &l.tensors[&self.tensor].levels;
        let end = self.chains.get(n + 1).map_or(levels.len(), |c| c.levels.0);
        levels[self.chains[n].levels.1 + 1..end].iter().fold(int(1), |size, l| mul(size, l.size.clone()))
    }
    /// The number of positions above level `k`, when no chain lies above it.
    pub(crate) fn parents_of(&self, k: usize, l: &Emitter) -> Option<Ir> {
        let above = self.chains.iter().any(|c| c.levels.0 < k);
        let levels = &l.tensors[&self.tensor].levels;
        (!above).then(|| levels[..k].iter().fold(int(1), |n, l| mul(n, l.size.clone())))
    }
    /// The number of values of a result to which nothing is appended.
    pub(crate) fn value_count(&self, l: &Emitter) -> Ir {
        let all = || l.tensors[&self.tensor].levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        self.lent.as_ref().map_or_else(all, |lent| lent.len.clone())
    }
    /// The chain that has the values, with its number.
    pub(crate) fn last_chain(&self) -> Option<(usize, &LevelChain<'a>)> {
        self.chains.iter().enumerate().next_back()
    }
}

/// The runs of a result under assembly.
#[derive(Clone, Debug)]
pub(crate) struct Growing {
    /// The level that has them, which is the last one.
    pub(crate) k: usize,
    /// The positions appended so far.
    pub(crate) count: VarId,
    /// The values of runs, and where they end.
    pub(crate) vals: BufId,
    pub(crate) ends: BufId,
    /// The value where loops leave coordinates out.
    pub(crate) fill: Scalar,
    /// How many coordinates there are.
    pub(crate) size: Ir,
    /// Where the runs of the current row begin.
    pub(crate) first: VarId,
    /// The value of the last one.
    pub(crate) last: VarId,
    /// The coordinate up to which there are runs, where loops may leave some out.
    pub(crate) now: Option<VarId>,
    /// The number of rows that have ended, where loops may leave some out.
    pub(crate) next: Option<VarId>,
}
