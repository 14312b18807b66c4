//! The state at a point of the graph: bound variables, and the levels of accesses that are resolved. Emission knows the same
//! at this point, with an expression for each.

use super::{Keep, Repeats, Walk};
use crate::located::Located;
use crate::space::Leaf;
use crate::statement::{determining_variables, stays_inside, var_of};
use openwork_format::{Coords, Empties, Needs};
use openwork_index::{Access, DerivedVar, IndexId, Program, TensorId};
use openwork_levels::{Locate, Registry};
use std::collections::{BTreeMap, BTreeSet};

/// How many positions of a level share the coordinates that are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Positions {
    One,
    Run,
}

/// What is known at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphState {
    /// The variables that have a value.
    pub(super) bound: BTreeSet<IndexId>,
    /// The levels that are resolved.
    pub(super) places: BTreeMap<(Access, usize), Positions>,
    /// Whether loops of a nest have been cut into strips.
    pub(super) strips: bool,
    /// Remainders whose blocks have been told apart.
    pub(super) blocks: BTreeSet<IndexId>,
    /// The workspace whose elements the loop to come takes out.
    pub(super) draining: Option<TensorId>,
    /// Truth values of dense operands that are held in variables.
    pub(super) truths: BTreeSet<Access>,
    /// Truth values that are known to be no fill values here.
    pub(super) tested: BTreeSet<Access>,
    /// Which values the result stores of what is assigned here.
    pub(super) keep: Keep,
}

impl GraphState {
    /// Leaves out what `keep` does as well.
    pub(super) fn leave_out(&mut self, keep: Keep) {
        self.keep = self.keep.max(keep);
    }
    /// Resolves a level.
    pub(super) fn place(&mut self, leaf: &Leaf, at: Positions) {
        self.places.insert((leaf.access.clone(), leaf.level), at);
    }
    /// The place above a level, if it is known.
    pub(super) fn parent(&self, leaf: &Leaf) -> Option<Positions> {
        match leaf.level.checked_sub(1) {
            None => Some(Positions::One),
            Some(above) => self.places.get(&(leaf.access.clone(), above)).copied(),
        }
    }
    /// Whether any coordinate can be found in a leaf in (expected) constant time.
    pub(super) fn seekable(&self, program: &Program, registry: &Registry, leaf: &Leaf) -> bool {
        let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
        let seeks = registry.get(level.spec).is_some_and(|f| f.seek().is_some());
        self.parent(leaf) == Some(Positions::One) && level.unique() && seeks
    }
    /// How often the walk of a leaf stands at a coordinate.
    pub(super) fn repeats(&self, program: &Program, leaf: &Leaf) -> Repeats {
        let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
        match (level.branchless(), self.parent(leaf)) {
            (true, Some(Positions::One)) => Repeats::Once,
            _ if level.unique() => Repeats::Distinct,
            _ => Repeats::Repeating,
        }
    }
    /// The variables that decide a variable's value, if bound ones do.
    pub(super) fn determines(&self, program: &Program, v: IndexId) -> Option<BTreeSet<IndexId>> {
        determining_variables(program, v, &self.bound)
    }

    /// The computed coordinates that have to be compared with their definitions once `v`, the last variable in these, is
    /// bound: those that do not agree because of how it was bound.
    pub(super) fn checks(&self, program: &Program, v: IndexId, by: &Binder) -> Vec<IndexId> {
        let checked = |&(x, d): &(IndexId, &DerivedVar)| {
            let mut all = d.depends_on();
            all.push(x);
            let ready = all.contains(&v) && all.iter().all(|u| self.bound.contains(u));
            ready && !is_implied(program, x, by) && !(follows(program, by) && self.is_settled(program, x, d))
        };
        let derived = program.indices.iter().filter_map(|(x, i)| Some((x, i.derived.as_ref()?)));
        derived.filter(|(_, d)| !d.counts()).filter(checked).map(|(x, _)| x).collect()
    }
    /// Whether a slot of a level that keeps coordinates has been reached, at or below the computed one, whose coordinates
    /// determine everything that this is computed from: then some element lies there, and has the right one. Where
    /// coordinates below decide, slots that are padding may contradict it.
    fn is_settled(&self, program: &Program, computed: IndexId, d: &DerivedVar) -> bool {
        let modes = d.remap.coords[d.coord].inline_locals().modes();
        self.places.keys().any(|(a, k)| {
            let t = &program.tensors[a.tensor];
            let same = t.remap.as_ref().is_some_and(|remap| remap.coords == d.remap.coords);
            let kept = same && t.format.levels[*k].spec.coords == Coords::Stored;
            kept && (0..=*k).any(|j| var_of(program, a, j) == computed)
                && modes.iter().all(|&m| d.remap.recover(m, k + 1).is_some())
        })
    }
}

impl Located for GraphState {
    fn is_placed(&self, a: &Access, k: usize) -> bool {
        self.places.contains_key(&(a.clone(), k))
    }
    fn is_reached(&self, a: &Access, k: usize, v: IndexId) -> bool {
        let leaf = Leaf { access: a.clone(), level: k };
        self.bound.contains(&v) && self.parent(&leaf) == Some(Positions::One)
    }
    fn locate(&mut self, a: &Access, k: usize, _: &dyn Locate) {
        self.place(&Leaf { access: a.clone(), level: k }, Positions::One);
    }
}

/// How a variable got its value.
pub(super) enum Binder<'a> {
    /// From these variables, by a formula; from itself, if it is computed by its own definition.
    Formula(BTreeSet<IndexId>),
    /// By walking these leaves.
    Walked(&'a BTreeSet<Leaf>),
    /// By counting through its dimension.
    Counted,
}

/// Whether a computed coordinate agrees with its definition because of how the last of the variables in it was bound: by
/// walking a level that keeps elements under their right coordinates only, or by a formula that follows from the definition.
fn is_implied(program: &Program, computed: IndexId, by: &Binder) -> bool {
    match by {
        Binder::Formula(from) => from.contains(&computed),
        Binder::Counted => false,
        Binder::Walked(leaves) => leaves.iter().any(|l| {
            let level = program.tensors[l.access.tensor].format.levels[l.level];
            match level.spec.coords {
                Coords::Stored => l.access.vars.contains(&computed),
                Coords::Derived => formula(program, l).is_some_and(|f| f.mentions(computed)),
                Coords::Every | Coords::Interval => false,
            }
        }),
    }
}
/// Whether a variable got its value from those bound before.
fn follows(program: &Program, by: &Binder) -> bool {
    let derived = |l: &Leaf| {
        let level = program.tensors[l.access.tensor].format.levels[l.level];
        level.spec.coords == Coords::Derived
    };
    match by {
        Binder::Formula(_) => true,
        Binder::Counted => false,
        Binder::Walked(leaves) => leaves.iter().any(derived),
    }
}

/// How a level computes its coordinate.
#[derive(PartialEq)]
pub(super) struct CoordFormula {
    /// Factors, with the variables they belong to.
    terms: Vec<(i64, IndexId)>,
    constant: i64,
    /// Whether the coordinate is known to lie inside its dimension.
    inside: bool,
}

impl CoordFormula {
    fn mentions(&self, v: IndexId) -> bool {
        self.terms.iter().any(|(_, u)| *u == v)
    }
}

/// The formula of a level that computes its coordinate.
pub(super) fn formula(program: &Program, leaf: &Leaf) -> Option<CoordFormula> {
    let t = &program.tensors[leaf.access.tensor];
    let (remap, k) = (t.remap.as_ref()?, leaf.level);
    if t.format.levels[k].spec.needs != Needs::Formula {
        return None;
    }
    let form = remap.coords[k].plain().and_then(|m| remap.recover(m, k))?;
    let inside = stays_inside(t, remap, k, &form.terms);
    let terms = form.terms.iter().map(|&(c, n)| (c, var_of(program, &leaf.access, n)));
    Some(CoordFormula { terms: terms.collect(), constant: form.constant, inside })
}

/// Whether two levels hold the same interval of coordinates, which the same coordinate above leaves to both.
pub(crate) fn same_interval(program: &Program, a: &Leaf, b: &Leaf) -> bool {
    let level = |l: &Leaf| program.tensors[l.access.tensor].format.levels[l.level];
    match (interval(program, a), interval(program, b)) {
        (Some(first), Some(other)) => first == other && level(a) == level(b),
        (Some(_) | None, _) => false,
    }
}

/// The interval of a band level: its definition, with the variables it follows from.
pub(super) fn interval(program: &Program, leaf: &Leaf) -> Option<(i64, i64, i64, IndexId, IndexId)> {
    let t = &program.tensors[leaf.access.tensor];
    let (remap, k) = (t.remap.as_ref()?, leaf.level);
    if t.format.levels[k].spec.needs != Needs::Band {
        return None;
    }
    let band = remap.band(k)?;
    let with = remap.coords.iter().position(|c| c.plain() == Some(band.with))?;
    let var = |n| var_of(program, &leaf.access, n);
    Some((band.own, band.other, band.constant, var(band.stored), var(with)))
}

/// Whether a level lists distinct coordinates in order, so that one can be searched for.
pub(crate) fn is_sorted_list(program: &Program, leaf: &Leaf) -> bool {
    let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
    level.unique() && level.is_ordered() && lists_coords(program, leaf)
}
/// Whether every position of a level has a coordinate that an array lists.
pub(super) fn lists_coords(program: &Program, leaf: &Leaf) -> bool {
    let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
    level.lists_coords() && !may_be_empty(program, leaf)
}

/// Whether a window leaves out children between those that it has: of a list it has one stretch, if they are not apart.
pub(super) fn passes_over(program: &Program, leaf: &Leaf) -> bool {
    let t = &program.tensors[leaf.access.tensor];
    let (level, mode) = (t.format.levels[leaf.level], t.format.modes[leaf.level]);
    let window = t.windows.get(mode).filter(|w| !w.is_whole());
    !level.is_dense() && window.is_some_and(|w| w.step > 1 || level.branchless())
}

/// Whether slots of a level may hold no child, so that a walk tests each: what its declaration says, or a coordinate that it
/// computes and that may lie outside the dimension.
pub(crate) fn may_be_empty(program: &Program, leaf: &Leaf) -> bool {
    let t = &program.tensors[leaf.access.tensor];
    let level = t.format.levels[leaf.level];
    if passes_over(program, leaf) {
        return true;
    }
    match level.spec.coords {
        Coords::Derived => formula(program, leaf).map_or(level.has_empties(), |f| !f.inside),
        Coords::Stored if level.branchless() => {
            level.spec.needs != Needs::Head && t.declared_format().has_empties(leaf.level)
        }
        Coords::Stored => level.tests_slots(),
        Coords::Every | Coords::Interval => level.spec.empties == Empties::Always,
    }
}

/// Whether the first position at or behind a coordinate can be found without a walk: coordinates are listed in order, or
/// follow positions one by one. Below the root a level without branches has one child, or none, and nothing to search.
pub(crate) fn is_searchable(program: &Program, leaf: &Leaf, walk: Walk) -> bool {
    let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
    let once = walk == Walk::Once || (leaf.level == 0 && level.branchless());
    let listed = level.lists_coords() && level.is_ordered() && !may_be_empty(program, leaf);
    let counted = level.spec.coords == Coords::Interval || level.is_masked();
    !once && !level.is_in_words() && (listed || counted)
}
