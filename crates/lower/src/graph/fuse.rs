//! Iterator fusion (formats thesis, §4.2.5): levels of one tensor that one loop walks together.

use crate::derive::derive;
use crate::lattice::{Extent, Lattice};
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_index::{Access, CinStmt, IndexId, Program};
use openwork_levels::Registry;
use std::collections::BTreeSet;

/// What fusion is decided from.
pub(super) struct Fusion<'a> {
    pub(super) program: &'a Program,
    pub(super) registry: &'a Registry,
    /// The result, where it is assembled in the order of the loops.
    pub(super) result: Option<&'a Access>,
}

impl Fusion<'_> {
    /// Whether the level below `leaf` can be walked in the same loop: it is the only one to walk there, has one child per
    /// position, and no coordinate tuple repeats.
    pub(super) fn fuses(&self, v: IndexId, body: &CinStmt, leaf: &Leaf) -> bool {
        let format = &self.program.tensors[leaf.access.tensor].format;
        format.levels.last().is_some_and(|l| l.unique())
            && self.chain_fuses(v, body, leaf)
            && !self.adds_up_rows(v, body, leaf)
    }
    /// Whether elements with one coordinate of `v` add whole rows to the same row of the result. A loop over these elements
    /// adds them up in registers; in a loop over all elements each one would load and store the row.
    fn adds_up_rows(&self, v: IndexId, body: &CinStmt, leaf: &Leaf) -> bool {
        let tensors = &self.program.tensors;
        let (mut below, mut stmt) = (Vec::new(), body);
        let chain = chain_below(self.program, leaf);
        while let (CinStmt::Forall { index, body }, true) = (stmt, below.len() < chain) {
            below.push(*index);
            stmt = body;
        }
        let CinStmt::Forall { index: row, body } = stmt else { return false };
        let mut innermost = &**body;
        while let CinStmt::Forall { body, .. } = innermost {
            innermost = body;
        }
        let CinStmt::Assign { lhs, op: Some(_), .. } = innermost else { return false };
        let has = |v: &IndexId| lhs.vars.contains(v);
        // Equal coordinates of an unordered level need not be neighbours.
        let ordered = tensors[leaf.access.tensor].format.levels[leaf.level..].iter().all(|l| l.is_ordered());
        let everywhere = || {
            let whole = |l: Lattice| l.points.iter().all(|p| p.extent == Extent::Dimension);
            Lattice::from_space(&derive(body, *row, tensors)).is_some_and(whole)
        };
        let same = has(&v) && has(row) && !below.iter().all(has);
        same && ordered && tensors[lhs.tensor].format.is_dense() && everywhere()
    }
    /// Whether the loops below the one over `v` are all walked by the chain of levels below `leaf`, down to a level
    /// whose coordinates do not repeat: anything between them would run once per entry instead of once per coordinate.
    fn chain_fuses(&self, v: IndexId, stmt: &CinStmt, leaf: &Leaf) -> bool {
        let CinStmt::Forall { index, body } = stmt else { return false };
        let format = &self.program.tensors[leaf.access.tensor].format;
        let child = Leaf { access: leaf.access.clone(), level: leaf.level + 1 };
        let Some(level) = format.levels.get(child.level) else { return false };
        if !level.branchless() || var_of(self.program, &leaf.access, child.level) != *index {
            return false;
        }
        if self.result.is_some_and(|r| self.closes_a_chain(r, v)) {
            return false;
        }
        let Some(lattice) = Lattice::from_space(&derive(body, *index, &self.program.tensors)) else {
            return false;
        };
        let only: BTreeSet<Leaf> = [child.clone()].into();
        match &lattice.points[..] {
            [one] if one.extent == Extent::Stored && one.leaves == only => {
                level.unique() || self.chain_fuses(*index, body, &child)
            }
            _ => false,
        }
    }
    /// Whether coordinates of `v` are appended to a level that has further chains or blocks below it, or runs of the result go
    /// on to the end of their row when it is left.
    fn closes_a_chain(&self, result: &Access, v: IndexId) -> bool {
        let format = &self.program.tensors[result.tensor].format;
        let grows = format.levels.last().is_some_and(|l| l.shares_positions());
        grows
            || (0..format.rank()).any(|k| {
                let appended = self.registry.get(format.levels[k].spec).is_some_and(|f| f.locate().is_none());
                let chain_goes_on = format.levels.get(k + 1).is_some_and(|l| l.branchless());
                appended && !chain_goes_on && var_of(self.program, result, k) == v
            })
    }
}

/// How many levels below `leaf` its loop walks, where it [fuses](Fusion::fuses) with them.
pub(crate) fn chain_below(program: &Program, leaf: &Leaf) -> usize {
    let levels = &program.tensors[leaf.access.tensor].format.levels;
    levels[leaf.level..].iter().take_while(|l| !l.unique()).count()
}
