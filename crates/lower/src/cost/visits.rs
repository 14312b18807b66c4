//! The number of coordinates that a loop visits, and the cost of finding them.

use super::chance::weight;
use super::prices::{BEGIN, BESIDE, COUNT, MERGE_MORE, MERGE_TWO, STEP, UNION_TWO, WORD_BITS};
use super::{Context, Estimator};
use crate::derive::{derive, derive_beside, only_beside};
use crate::lattice::{Extent, Lattice};
use crate::space::{Leaf, Space};
use crate::statement::determining_variables;
use crate::whole::in_whole_runs;
use openwork_algebra::Prim;
use openwork_format::Coords;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId};
use std::collections::BTreeSet;

/// What one run of a loop does besides its body.
pub(super) struct Visits {
    /// How many coordinates are visited.
    pub(super) count: f64,
    /// What finding them takes.
    pub(super) work: f64,
    /// How many rounds the loop takes.
    pub(super) rounds: f64,
    /// Whether it counts through the dimension.
    pub(super) dimension: bool,
    /// What is known inside.
    pub(super) inner: Context,
}

impl Estimator<'_> {
    /// One run of a loop.
    pub(super) fn visits(&self, v: IndexId, body: &CinStmt, cx: &Context) -> Visits {
        let (size, facts) = (self.facts.size(v), &self.facts);
        let mut space = derive(body, v, &self.program.tensors);
        let leaves: Vec<Leaf> = space.leaves().into_iter().collect();
        let mut inner = cx.clone();
        inner.bound.insert(v);
        if leaves.is_empty() && self.has_value(v, &cx.bound) {
            return Visits { count: 1.0, work: BEGIN, rounds: 0.0, dimension: false, inner };
        }
        // Runs of fill values are passed over.
        let passed = self.skipped_leaves(v, body, &leaves);
        if !passed.is_empty() {
            space = derive_beside(&self.program.tensors, v, body, passed.iter().copied());
        }
        for l in passed {
            *inner.weights.entry(l.access.clone()).or_insert(1.0) *= facts.covered_coordinates(l) / size;
        }
        let whole = |l: Lattice| l.points.first().is_some_and(|p| p.extent == Extent::Dimension);
        let dimension = space.as_union().is_none() && Lattice::from_space(&space).is_some_and(whole);
        let chance = if dimension { 1.0 } else { facts.chance(&space, v, &inner.weights) };
        let runs = leaves.iter().all(|l| facts.level(l).shares_positions());
        // What runs have in common is done once.
        let joint = if runs
            && !leaves.is_empty()
            && in_whole_runs(self.program, v, body, &leaves.iter().cloned().collect())
        {
            self.walk_steps(&leaves).iter().sum::<f64>()
        } else {
            size
        };
        // Gaps that change nothing are passed over.
        let passed = dimension && self.is_idle_in_gaps(v, body, &leaves);
        let met = self.walk_steps(&leaves).iter().sum::<f64>() + 1.0;
        let count = if passed { met.min(size) } else { size * chance };
        let count = count.min(joint).max(1e-9);
        for l in &leaves {
            let present = (weight(&inner.weights, &l.access) * facts.children(l) / count).min(1.0);
            inner.weights.insert(l.access.clone(), present);
        }
        if self.is_position(v, body, cx) {
            let found = (count / size.max(1.0)).min(1.0);
            inner.times *= found;
            let searched: f64 = self.walk_steps(&leaves).iter().map(|n| n.max(1.0).log2()).sum();
            let work = BEGIN + COUNT * searched;
            inner.around = inner.innermost;
            return Visits { count: found, work, rounds: found, dimension: false, inner };
        }
        // What follows from coordinates above begins no loop.
        let follows = matches!(&leaves[..], [one] if facts.level(one).spec.coords == Coords::Derived);
        let (work, rounds) = match dimension {
            true if passed => (self.counting_work(&leaves, count) + BEGIN, count),
            true => (self.counting_work(&leaves, size) + BEGIN, size),
            false if follows => (COUNT, 0.0),
            false => {
                let (work, rounds) = self.walk(&space, &leaves, count, size);
                (work + BEGIN, rounds)
            }
        };
        inner.times *= count;
        inner.around = inner.innermost.replace(v);
        Visits { count, work, rounds, dimension, inner }
    }
    /// Whether a reduction changes between what lists store under a condition only that is the same at all coordinates there.
    fn is_idle_in_gaps(&self, v: IndexId, body: &CinStmt, leaves: &[Leaf]) -> bool {
        let CinStmt::Assign { lhs, op: Some(by), rhs: IndexExpr::Call { op, args } } = body else {
            return false;
        };
        let [condition, _, IndexExpr::Literal(elsewhere)] = &args[..] else { return false };
        let idle = by.identity_at(1, self.program.tensors[lhs.tensor].dtype);
        let lists = !leaves.is_empty() && leaves.iter().all(|l| self.facts.level(l).lists_coords());
        let met = |a: &Access| !a.vars.contains(&v) || leaves.iter().any(|l| l.access == *a);
        let mut same = true;
        condition.visit(&mut |e| same &= *e != IndexExpr::Index(v));
        let fixed = same && condition.accesses().into_iter().all(met);
        let chosen = op.prim == Prim::Select && idle.is_some_and(|idle| idle.is_same(*elsewhere));
        lists && chosen && fixed && !lhs.vars.contains(&v)
    }
    /// The work of counting through a dimension of this size, with what leaves store met on the way.
    fn counting_work(&self, leaves: &[Leaf], size: f64) -> f64 {
        let lists: Vec<Leaf> =
            leaves.iter().filter(|l| !self.facts.level(l).shares_positions()).cloned().collect();
        let asked = self.walk_steps(&lists);
        let (look, miss) = if asked.len() > 1 { BESIDE } else { (0.0, 0.0) };
        let unforeseen: f64 = asked.iter().map(|&n| n * (1.0 - n / size).max(0.0)).sum();
        let walked = self.walk_steps(leaves).iter().sum::<f64>();
        walked + size * (COUNT + look * asked.len() as f64) + 2.0 * miss * unforeseen
    }
    /// The work and the rounds of finding so many coordinates in leaves.
    fn walk(&self, space: &Space, leaves: &[Leaf], count: f64, size: f64) -> (f64, f64) {
        let facts = &self.facts;
        let steps = self.walk_steps(leaves);
        let (walked, longest) = (steps.iter().sum::<f64>(), steps.iter().copied().fold(0.0, f64::max));
        // Runs are followed.
        let runs = |l: &Leaf| facts.level(l).shares_positions();
        let walks = leaves.iter().filter(|l| !runs(l) && !self.is_marked(l)).count();
        let union = space.as_union().is_some_and(|all| all.len() == walks);
        let (step, miss) = match walks {
            0 | 1 => STEP,
            2 if union => UNION_TWO,
            2 => MERGE_TWO,
            _ => MERGE_MORE,
        };
        let rounds = match leaves {
            // One child of each parent, or elements of a list that the loop around this one goes through.
            [one] if facts.level(one).branchless() => 0.0,
            all if all.iter().all(|l| facts.level(l).is_in_words()) => size / WORD_BITS + count,
            all if steps.is_empty() => all.iter().map(|l| facts.looks(l)).fold(f64::INFINITY, f64::min),
            all if all.iter().all(runs) => walked + count,
            _ if union => longest.max(count.min(walked)),
            // What is in all of them takes one step.
            _ => (walked - count * (steps.len() as f64 - 1.0)).max(count),
        };
        // Where nothing else tells where to look, a table is walked.
        let looked = if steps.is_empty() { rounds } else { 0.0 };
        (step * (walked + looked) + 2.0 * miss * (walked - longest), rounds)
    }
    /// The steps through each leaf that is walked: in tables, and in what is kept beside a mask, coordinates are looked up.
    fn walk_steps(&self, leaves: &[Leaf]) -> Vec<f64> {
        let sought = |l: &&Leaf| self.facts.level(l).is_table() || self.is_marked(l);
        leaves.iter().filter(|l| !sought(l)).map(|l| self.facts.steps(l)).collect()
    }
    fn is_marked(&self, l: &Leaf) -> bool {
        self.marked.contains(&l.access.tensor)
    }
    /// The levels in runs of which those that hold the fill value are passed over.
    fn skipped_leaves<'l>(&self, v: IndexId, body: &CinStmt, leaves: &'l [Leaf]) -> Vec<&'l Leaf> {
        let runs = leaves.iter().filter(|l| self.facts.level(l).shares_positions());
        runs.filter(|l| only_beside(&self.program.tensors, v, body, l)).collect()
    }
    /// Whether a variable has the only coordinate that variables outside say.
    fn is_position(&self, v: IndexId, body: &CinStmt, cx: &Context) -> bool {
        let assigned = body.assignments();
        let is_known = |value: &IndexExpr| value.free_vars().iter().all(|u| cx.bound.contains(u));
        if self.program.indices[v].positional {
            return assigned.iter().find_map(|(.., rhs)| rhs.position_of(v)).is_some_and(is_known);
        }
        let located = |rhs: &IndexExpr| rhs.located_value(v).is_some_and(is_known);
        !assigned.is_empty() && assigned.iter().all(|(.., rhs)| located(rhs))
    }
    /// Whether a variable has one value beside those of the loops around it: it is computed from them, they from it, or it
    /// counts elements as they come.
    fn has_value(&self, v: IndexId, bound: &BTreeSet<IndexId>) -> bool {
        let counter = self.program.indices[v].derived.as_ref().is_some_and(|d| d.counts());
        counter || determining_variables(self.program, v, bound).is_some()
    }
}
