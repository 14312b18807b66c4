//! The number of positions at each level of a tensor.
//!
//! Elements are taken to be uniformly random, so that the coordinates of a level are the distinct prefixes of random ones. Where
//! what lies below a level follows from sizes, as in blocks and diagonals, the number of slots tells how many positions there
//! are.

use super::facts::{CostFacts, StoredAmount};
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_format::{Coords, Level};
use openwork_index::{Access, IndexId};

/// Deviations from the mean that the most elements of a row lie above it, where rows are many.
const LONGEST: f64 = 3.0;

impl CostFacts<'_> {
    /// Expected coordinates of level `k`. Duplicates are visited once.
    pub(super) fn positions(&self, a: &Access, k: usize) -> f64 {
        let levels = &self.program.tensors[a.tensor].format.levels;
        if let (StoredAmount::Slots(slots), Some(below)) = (self.contents(a), self.fan_out(a, k)) {
            // Dense levels that nothing is above hold all there is.
            if !levels[..=k].iter().all(|l| l.is_dense()) && levels[k].unique() {
                return (slots / below).max(1e-9);
            }
        }
        let mut taken = 1.0;
        for (n, level) in levels[..=k].iter().enumerate() {
            let size = self.size(var_of(self.program, a, n));
            taken = match self.longest(a, n) {
                _ if level.is_dense() => taken * size,
                Some(longest) => taken * longest.min(size),
                None => distinct(self.stored_count(a), self.prefixes(a, n)).min(taken * size),
            };
        }
        if k + 1 == levels.len() && !levels[k].is_dense() {
            taken = self.stored_count(a);
        }
        taken.max(1e-9)
    }
    /// Expected coordinates of one position above a leaf.
    pub fn children(&self, l: &Leaf) -> f64 {
        if self.level(l).shares_positions() {
            return self.size(var_of(self.program, &l.access, l.level));
        }
        self.slots(l)
    }
    /// Expected coordinates of one position above a leaf that runs of other values than the fill value cover. Half of the runs
    /// are such; they may be an element each, or cover everything, and what lies between is off least from both.
    pub(super) fn covered_coordinates(&self, l: &Leaf) -> f64 {
        let size = self.size(var_of(self.program, &l.access, l.level));
        (self.slots(l) / 2.0 * size).sqrt().min(size)
    }
    /// Expected positions of one position above a leaf.
    pub(super) fn slots(&self, l: &Leaf) -> f64 {
        self.positions(&l.access, l.level) / self.positions_above(l)
    }
    /// Expected steps through the children of one position above a leaf, duplicates included.
    pub(super) fn steps(&self, l: &Leaf) -> f64 {
        if self.level(l).unique() {
            self.slots(l)
        } else {
            self.stored_count(&l.access) / self.positions_above(l)
        }
    }
    /// Slots that a walk of a table looks at under one position above.
    pub(super) fn looks(&self, l: &Leaf) -> f64 {
        match self.level(l).is_masked() {
            true => self.size(var_of(self.program, &l.access, l.level)),
            false => self.steps(l),
        }
    }
    fn positions_above(&self, l: &Leaf) -> f64 {
        if l.level == 0 { 1.0 } else { self.positions(&l.access, l.level - 1) }
    }
    pub(super) fn level(&self, l: &Leaf) -> Level {
        self.program.tensors[l.access.tensor].format.levels[l.level]
    }

    /// How many slots there are below each position of level `k`, where that follows from sizes.
    fn fan_out(&self, a: &Access, k: usize) -> Option<f64> {
        let levels = &self.program.tensors[a.tensor].format.levels;
        let each = |(n, level): (usize, &Level)| {
            let band =
                level.spec.coords == Coords::Interval && level.spec.arrays.is_empty() && level.spec.spreads;
            match level {
                l if l.branchless() => Some(1.0),
                l if l.is_dense() || l.is_masked() || band && !l.compact() => {
                    Some(self.size(var_of(self.program, a, n)))
                }
                _ => None,
            }
        };
        levels.iter().enumerate().skip(k + 1).try_fold(1.0, |all, level| Some(all * each(level)?))
    }
    /// How many coordinates the levels down to `k` could tell apart.
    fn prefixes(&self, a: &Access, k: usize) -> f64 {
        match self.computed_coordinates(a) {
            Some(computed) => computed.prefixes[k],
            None => (0..=k).map(|n| self.size(var_of(self.program, a, n))).product(),
        }
    }
    /// The most elements that agree in the modes of a counter, where level `k` numbers them.
    fn longest(&self, a: &Access, k: usize) -> Option<f64> {
        let agree = self.computed_coordinates(a)?.counted[k].as_ref()?;
        let modes: Vec<IndexId> = self.modes(a).collect();
        let groups: f64 = agree.iter().map(|&m| self.size(modes[m])).product();
        let mean = self.stored_count(a) / groups.max(1.0);
        Some(mean + LONGEST * mean.sqrt())
    }
}

/// Expected distinct ones among `n` uniform draws from `room`.
pub(super) fn distinct(n: f64, room: f64) -> f64 {
    if room <= 0.0 { 0.0 } else { -room * (-n / room).exp_m1() }
}
