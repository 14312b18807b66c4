//! Sets of coordinates that comparisons have, in the lattice of a loop.
//!
//! ```text
//! A(i,j) where j < i                 { A, j < i }    the walk of A is narrowed to j < i:    { A }
//! A(i,j) where j < i, and B(i,j)     { A, j < i, B }, { A, j < i }, { B }:    { A, B }, { A }, { B }
//! x(j) where j < i                   { j < i }       the interval is walked itself
//! a choice between A and B           { A, j < i, B }, { A, j < i }, { j < i, B }, { B }    it is a value
//! ```
//! A walk that is narrowed stands nowhere else, so the set is told apart no more. Where no walk can be narrowed, and the set
//! leads to no value by itself, the comparison is computed at each coordinate.

use super::Builder;
use crate::derive::derive;
use crate::graph::state::{GraphState, is_searchable, may_be_empty};
use crate::graph::{Confined, Repeats, Walk};
use crate::lattice::{Extent, Lattice, Point};
use crate::predicates::{forget_predicates, is_predicate};
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_index::{CinStmt, IndexId, TensorId};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How a walk is kept to a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// It begins and ends where the set does.
    Narrowed,
    /// It asks at each coordinate.
    Asked,
}

impl Builder<'_> {
    fn is_set(&self, l: &Leaf) -> bool {
        is_predicate(self.program, l.access.tensor)
    }
    /// Whether a set is the position of a variable that has no other value.
    fn is_position(&self, set: &Leaf) -> bool {
        self.program.indices[var_of(self.program, &set.access, set.level)].positional
    }
    /// The statement without the sets over `v` that would not be walked, and narrow no walk.
    pub(super) fn forget_idle_predicates<'s>(
        &self,
        v: IndexId,
        body: &'s CinStmt,
        state: &GraphState,
    ) -> Cow<'s, CinStmt> {
        let mut body = Cow::Borrowed(body);
        if !self.program.tensors.iter().any(|(t, _)| is_predicate(self.program, t)) {
            return body;
        }
        loop {
            let space = derive(&body, v, &self.program.tensors);
            let sets: BTreeSet<TensorId> =
                space.leaves().iter().filter(|l| self.is_set(l)).map(|l| l.access.tensor).collect();
            if sets.is_empty() {
                return body;
            }
            let known = state.determines(self.program, v).is_some() || self.counters.contains(&v);
            let full = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].full();
            let lattice = Lattice::from_space(&space).filter(|_| !known);
            let idle = lattice.map_or(sets, |lattice| self.confine(lattice.simplify(&full), state).idle);
            if idle.is_empty() {
                return body;
            }
            body = Cow::Owned(forget_predicates(body.into_owned(), &|set| idle.contains(&set.tensor)));
        }
    }

    /// Takes sets out of a lattice that narrow the walks of what they stand beside.
    pub(super) fn confine(&self, lattice: Lattice, state: &GraphState) -> ConfinedLattice {
        let mut out = ConfinedLattice { lattice, confined: Confined::new(), idle: BTreeSet::new() };
        let Some(top) = out.lattice.points.first() else { return out };
        let mut sets: Vec<Leaf> = top.leaves.iter().filter(|l| self.is_set(l)).cloned().collect();
        sets.retain(|set| {
            let hosts = self.hosts(set, &out.lattice, state, &|l| !self.is_set(l));
            !out.keep(set, hosts)
        });
        // Of sets that are left, one may lead others, and then stays; a point does so rather than an interval.
        sets.sort_by_key(|set| self.program.tensors[set.access.tensor].format.levels[set.level].is_point());
        for set in sets {
            let hosts = self.hosts(&set, &out.lattice, state, &|l| self.is_set(l));
            if !out.confined.contains_key(&set) && out.keep(&set, hosts) {
                continue;
            }
            let points = &out.lattice.points;
            let alone = |p: &Point| p.leaves.contains(&set) && p.leaves.iter().all(|l| self.is_set(l));
            let led = |p: &Point| alone(p) && p.extent == Extent::Stored;
            // A position is looked up wherever it is.
            let leads = self.is_position(&set) || points.iter().any(led);
            if !leads && !self.leads_tables(&set, points, state) {
                out.idle.insert(set.access.tensor);
            } else {
                self.narrow_beside(&set, &mut out, state);
            }
        }
        out
    }

    /// Keeps lists to the one coordinate of a set that is walked beside them: they are searched for it.
    fn narrow_beside(&self, set: &Leaf, out: &mut ConfinedLattice, state: &GraphState) {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        if !level(set).is_point() {
            return;
        }
        let mut hosts = self.hosts(set, &out.lattice, state, &|l| !self.is_set(l));
        hosts.retain(|l| {
            !level(l).shares_positions() && self.confinement(l, set, state) == Some(Confinement::Narrowed)
        });
        for host in hosts {
            out.confined.entry(host).or_default().insert(set.clone());
        }
    }
    /// The leaves whose walks can be kept to a set, and which stand nowhere outside of it.
    fn hosts(
        &self,
        set: &Leaf,
        lattice: &Lattice,
        state: &GraphState,
        among: &dyn Fn(&Leaf) -> bool,
    ) -> Vec<Leaf> {
        let points = &lattice.points;
        let beside = |l: &Leaf| points.iter().all(|p| !p.leaves.contains(l) || p.leaves.contains(set));
        let all = points[0].leaves.iter().filter(|l| among(l) && *l != set);
        let mut hosts: Vec<Leaf> = all.filter(|l| beside(l)).cloned().collect();
        hosts.retain(|l| self.confinement(l, set, state).is_some());
        // Of an intersection, what can be looked up is not walked, but for the one that leads.
        if let [only] = &points[..] {
            let others = || only.leaves.iter().filter(|l| !self.is_set(l));
            let sought = |l: &Leaf| state.seekable(self.program, self.registry, l);
            if others().any(|l| !sought(l)) {
                hosts.retain(|l| !sought(l));
            }
            // Runs are followed along what leads.
            let runs =
                |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].shares_positions();
            if others().any(|l| !runs(l)) {
                hosts.retain(|l| !runs(l));
            }
            // Whatever set leads, the others keep its walk.
            if only.leaves.iter().any(|l| self.leads_tables(l, points, state)) {
                hosts.retain(|l| !sought(l));
            }
        }
        hosts
    }
    /// Whether a set is one coordinate of an intersection with tables, which is looked up in all of them.
    fn leads_tables(&self, set: &Leaf, points: &[Point], state: &GraphState) -> bool {
        let level = self.program.tensors[set.access.tensor].format.levels[set.level];
        let [only] = points else { return false };
        if !self.is_set(set) {
            return false;
        }
        let sought = |l: &Leaf| state.seekable(self.program, self.registry, l);
        let mut others = only.leaves.iter().filter(|l| !self.is_set(l)).peekable();
        level.is_point() && others.peek().is_some() && others.all(sought) && only.extent == Extent::Stored
    }
    /// Whether runs are narrowed: they are no gaps of the whole dimension.
    pub(super) fn cuts_runs(&self, confined: &Confined) -> bool {
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        confined.keys().any(|l| level(l).shares_positions())
    }
    /// How the walk of a leaf can be kept to a set.
    fn confinement(&self, l: &Leaf, set: &Leaf, state: &GraphState) -> Option<Confinement> {
        let level = self.program.tensors[l.access.tensor].format.levels[l.level];
        if self.is_workspace(l.access.tensor) || level.shares_positions() && may_be_empty(self.program, set) {
            return None;
        }
        let once = state.repeats(self.program, l) == Repeats::Once;
        Some(confinement(self.program, l, set, once))
    }
}

/// How the walk of a leaf is kept to a set; `once` is whether it has one child at most.
pub(crate) fn confinement(
    program: &openwork_index::Program,
    l: &Leaf,
    set: &Leaf,
    once: bool,
) -> Confinement {
    let runs = program.tensors[l.access.tensor].format.levels[l.level].shares_positions();
    let searched = runs || is_searchable(program, l, Walk::Positions);
    match !once && !may_be_empty(program, set) && searched {
        true => Confinement::Narrowed,
        false => Confinement::Asked,
    }
}

impl ConfinedLattice {
    /// Keeps the walks of `hosts` to a set, which is told apart no more, if one of them is wherever the set is.
    fn keep(&mut self, set: &Leaf, hosts: Vec<Leaf>) -> bool {
        let hosted = |p: &Point| !p.leaves.contains(set) || hosts.iter().any(|h| p.leaves.contains(h));
        if !self.lattice.points.iter().all(hosted) {
            return false;
        }
        for host in hosts {
            self.confined.entry(host).or_default().insert(set.clone());
        }
        self.lattice.points.iter_mut().for_each(|p| {
            p.leaves.remove(set);
        });
        true
    }
}

/// A lattice whose walks are kept to sets.
pub(super) struct ConfinedLattice {
    pub(super) lattice: Lattice,
    /// The sets that each walk is kept to.
    pub(super) confined: Confined,
    /// Sets that would be told apart for nothing.
    pub(super) idle: BTreeSet<TensorId>,
}
