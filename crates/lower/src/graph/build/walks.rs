//! The ways in which a loop takes its coordinates: what it runs over, and how it walks the levels of a region.

use super::Builder;
use crate::graph::state::{GraphState, Positions, formula, is_sorted_list};
use crate::graph::{Confined, LoopSet, Repeats, Walk};
use crate::lattice::{Extent, Lattice, Point};
use crate::space::Leaf;
use openwork_index::cin::LoopHint;
use openwork_index::{CinStmt, IndexId};

impl Builder<'_> {
    pub(super) fn find_domain(
        &self,
        lattice: &Lattice,
        union: bool,
        confined: &Confined,
        state: &GraphState,
    ) -> LoopSet {
        let top = &lattice.points[0];
        let drained =
            |l: &Leaf| state.draining == Some(l.access.tensor) && self.is_workspace(l.access.tensor);
        if lattice.points.len() == 1 && top.leaves.len() == 1 && top.leaves.iter().all(drained) {
            return LoopSet::Workspace;
        }
        if top.extent == Extent::Dimension {
            return LoopSet::Dimension;
        }
        // Each walk that is kept to a set is a loop of its own.
        if top.leaves.iter().any(|leaf| confined.contains_key(leaf)) {
            return LoopSet::Stored;
        }
        let formulas = top.leaves.iter().map(|l| match state.repeats(self.program, l) {
            Repeats::Once => formula(self.program, l),
            Repeats::Distinct | Repeats::Repeating => None,
        });
        let formulas: Vec<_> = formulas.collect();
        if formulas.len() > 1 && formulas[0].is_some() && formulas.iter().all(|f| *f == formulas[0]) {
            return LoopSet::Same;
        }
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let one_parent = |l: &Leaf| lattice.points.len() == 1 || state.parent(l) == Some(Positions::One);
        if top.leaves.iter().all(|l| level(l).is_in_words() && one_parent(l)) {
            return LoopSet::Words;
        }
        if union { LoopSet::Union } else { LoopSet::Stored }
    }

    /// How the leaves of a region are walked.
    pub(super) fn walk(
        &self,
        v: IndexId,
        q: &Point,
        over: LoopSet,
        lattice: &Lattice,
        body: &CinStmt,
        state: &GraphState,
    ) -> Walk {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let alone = lattice.points.len() == 1;
        match over {
            LoopSet::Workspace => return Walk::Positions,
            LoopSet::Same => return Walk::Once,
            LoopSet::Words => return Walk::Words,
            LoopSet::Dimension | LoopSet::Gaps | LoopSet::Union => return Walk::Merge,
            LoopSet::Stored => {}
        }
        if alone && q.leaves.iter().all(|l| level(l).shares_positions()) {
            return Walk::Runs;
        }
        let mut leaves = q.leaves.iter();
        let (Some(leaf), None) = (leaves.next(), leaves.next()) else {
            let gallops = alone && self.is_asked_to_gallop(v) && self.are_sorted_lists(q, state);
            return if gallops { Walk::Gallop } else { Walk::Merge };
        };
        match state.repeats(self.program, leaf) {
            Repeats::Once if alone => Walk::Once,
            Repeats::Once | Repeats::Distinct if level(leaf).shares_positions() => Walk::Runs,
            Repeats::Once | Repeats::Distinct if level(leaf).is_in_words() => Walk::Merge,
            Repeats::Once | Repeats::Distinct => Walk::Positions,
            Repeats::Repeating if alone && self.fusion.fuses(v, body, leaf) => Walk::Fused,
            Repeats::Repeating => Walk::Merge,
        }
    }

    pub(super) fn is_asked_to_gallop(&self, v: IndexId) -> bool {
        self.program.directives.loops.get(&v).is_some_and(|hints| hints.contains(&LoopHint::Gallop))
    }
    pub(super) fn are_sorted_lists(&self, q: &Point, state: &GraphState) -> bool {
        let one = |l: &Leaf| state.repeats(self.program, l) == Repeats::Distinct;
        q.leaves.iter().all(|l| one(l) && is_sorted_list(self.program, l))
    }
}
