//! Balanced cuts of a dimension, so that all parts take about the same time.
//!
//! The weight of a coordinate is one, and one more for every stored value that sparse operands have under it, which
//! arrays of positions tell without a pass over the values. A heavy row is never cut.

use crate::job::Job;
use openwork_base::{Error, Result};
use openwork_index::{IndexId, TensorId};
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::ops::Range;

/// Parts may be off by this fraction of their weight.
const NEAR: usize = 16;

/// The weight of the coordinates of one variable.
pub(crate) struct CoordWeights<'t> {
    range: Range<i64>,
    operands: Vec<(TensorId, &'t Tensor)>,
}

impl<'t> CoordWeights<'t> {
    /// The weight of the coordinates `range` of `v`, the outermost variable of a job.
    pub(crate) fn measure(
        job: Job,
        v: IndexId,
        range: Range<i64>,
        operands: &BTreeMap<TensorId, &'t Tensor>,
    ) -> CoordWeights<'t> {
        let mut weighed: Vec<(TensorId, &'t Tensor)> = Vec::new();
        for (id, t) in operands {
            let declared = &job.program.tensors[*id];
            let known = declared.format.levels.first().is_some_and(|l| l.is_dense() || l.in_segments());
            let outermost = |a: &openwork_index::Access| a.vars[declared.format.modes[0]] == v;
            let mut own = job.code.signature.reads.iter().filter(|a| a.tensor == *id);
            // Positions of a part lie among others, which weigh nothing.
            let whole = !declared.is_windowed() && !declared.format.is_dense();
            if known && whole && own.any(outermost) {
                weighed.push((*id, t));
            }
        }
        CoordWeights { range, operands: weighed }
    }
    /// With the operands of other weights of the same coordinates.
    ///
    /// # Errors
    /// A bug where they are those of other coordinates.
    pub(crate) fn and(mut self, others: CoordWeights<'t>) -> Result<CoordWeights<'t>> {
        if self.range != others.range {
            let (a, b) = (self.range, others.range);
            return Err(Error::bug("run", format!("parts of {a:?} are no parts of {b:?}"), ""));
        }
        self.operands.extend(others.operands);
        Ok(self)
    }
    /// The weight of all coordinates before `at`.
    pub(crate) fn sum_before(&self, at: i64) -> usize {
        let own = (at - self.range.start) as usize;
        own + self.operands.iter().map(|(_, t)| weight_before(t, at)).sum::<usize>()
    }
    /// How many values these operands have between two coordinates, of those that are stored by this variable.
    pub(crate) fn stored_between(&self, part: Range<i64>, of: &[TensorId]) -> usize {
        let wanted = || self.operands.iter().filter(|(id, _)| of.contains(id));
        let stored = |at| wanted().map(|(_, t)| stored_before(t, at)).sum::<usize>();
        stored(part.end).saturating_sub(stored(part.start))
    }
    /// Whether an operand tells its weight.
    pub(crate) fn knows(&self, operand: TensorId) -> bool {
        self.operands.iter().any(|(id, _)| *id == operand)
    }
    /// Ascending bounds of at most `count` parts of about the same weight; none of them is empty, unless there is nothing
    /// at all.
    pub(crate) fn cuts(&self, count: usize) -> Vec<i64> {
        let Range { start, end } = self.range;
        let total = self.sum_before(end);
        // Parts need not be equal to the last value: a search in lists of coordinates is no cheap step.
        let near = total / count.max(1) / NEAR;
        let mut cuts = vec![start];
        let mut least = start;
        for n in 1..count {
            let wanted = (total as u128 * n as u128 / count as u128) as usize;
            let (mut lo, mut hi) = (least, end);
            while lo < hi {
                let middle = lo + (hi - lo) / 2;
                let weight = self.sum_before(middle);
                if weight.abs_diff(wanted) <= near {
                    (lo, hi) = (middle, middle);
                } else if weight < wanted {
                    lo = middle + 1;
                } else {
                    hi = middle;
                }
            }
            least = lo;
            if lo > cuts[cuts.len() - 1] && lo < end {
                cuts.push(lo);
            }
        }
        cuts.push(end);
        cuts
    }
}

/// How many positions under coordinates of the outermost level before `at` take a step each. Slots that tell in words whether they hold
/// something are passed over many at a time.
fn weight_before(t: &Tensor, at: i64) -> usize {
    let levels = &t.format().levels;
    positions_before(t, levels.iter().position(|l| l.is_masked()).unwrap_or(levels.len()), at).0
}
/// About how many elements belong to coordinates of the outermost level before `at`: positions of the innermost level that arrays
/// lead to. Of runs, about every other one lies between elements.
fn stored_before(t: &Tensor, at: i64) -> usize {
    let levels = &t.format().levels;
    let positions = positions_before(t, levels.len(), at).0;
    if levels.iter().any(|l| l.shares_positions()) { positions / 2 } else { positions }
}
/// How many elements a level lists under coordinates of the outermost level before `at`; nothing where arrays do not lead there.
pub(crate) fn listed_before(t: &Tensor, level: usize, at: i64) -> Option<usize> {
    let (positions, levels) = positions_before(t, level + 1, at);
    (levels == level + 1).then_some(positions)
}
/// How many positions belong to coordinates of the outermost level before `at`, in the innermost of the first `depth` levels that
/// arrays lead to, and how many levels those are.
fn positions_before(t: &Tensor, depth: usize, at: i64) -> (usize, usize) {
    let number = |level: usize, array: usize, n: usize| t.level(level).arrays[array].get(n).as_i64();
    // Coordinates that are computed need not begin at 0, and positions do.
    let stored = t.format().bounds(0, t.shape()).range();
    let mut p = (at.clamp(stored.start, stored.end) - stored.start) as usize;
    for (k, level) in t.format().levels.iter().enumerate().take(depth) {
        if level.in_segments() && k == 0 {
            let (mut lo, mut hi) = (number(0, 0, 0) as usize, number(0, 0, 1) as usize);
            while lo < hi {
                let middle = lo + (hi - lo) / 2;
                if number(0, 1, middle) < at {
                    lo = middle + 1;
                } else {
                    hi = middle;
                }
            }
            p = lo;
        } else if k > 0 && level.has_ends() {
            p = number(k, 0, p) as usize;
        } else if k > 0 && (level.is_dense() || level.is_masked()) {
            p = p.saturating_mul(t.level_dim(k));
        } else if !(level.branchless() || level.is_dense()) {
            return (p, k);
        }
    }
    (p, depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_not_empty_and_cover_everything() {
        for (size, count) in [(0, 4), (1, 4), (3, 8), (100, 7), (1000, 64)] {
            let weights = CoordWeights { range: 5..5 + size, operands: Vec::new() };
            let cuts = weights.cuts(count);
            assert_eq!((cuts[0], cuts[cuts.len() - 1]), (5, 5 + size));
            assert!(
                cuts.len() <= count + 1 && (size == 0 || cuts.windows(2).all(|c| c[0] < c[1])),
                "{cuts:?}"
            );
        }
    }

    #[test]
    fn parts_have_alike_many_values() {
        use openwork_algebra::{DType, Scalar};
        use openwork_base::Id;
        use openwork_format::presets;
        use openwork_storage::{Coo, pack};
        // Row i has i elements.
        let n = 200;
        let entries: Vec<(Vec<usize>, Scalar)> =
            (0..n).flat_map(|i| (0..i).map(move |j| (vec![i, j], Scalar::F64(1.0)))).collect();
        let coo = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
        for format in [presets::csr(), presets::dcsr(), presets::coo(2)] {
            let t = pack(&coo, &format, Scalar::F64(0.0)).unwrap();
            let weights = CoordWeights { range: 0..n as i64, operands: vec![(TensorId::new(0), &t)] };
            let cuts = weights.cuts(8);
            assert_eq!(cuts.len(), 9);
            let stored: Vec<usize> =
                cuts.windows(2).map(|c| weights.stored_between(c[0]..c[1], &[TensorId::new(0)])).collect();
            assert_eq!(stored.iter().sum::<usize>(), t.slots());
            assert!(stored.iter().all(|s| (1800..3200).contains(s)), "{format}: {stored:?}");
        }
    }
}
