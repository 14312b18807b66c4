//! What is known at a point of the graph: bound variables, and the levels of accesses that are resolved. It is what lowering
//! knows there in expressions, without them.

use super::Repeats;
use crate::space::Leaf;
use crate::statement::{stays_inside, var_of};
use openwork_format::Needs;
use openwork_index::{Access, IndexId, Program, TensorId};
use openwork_levels::Registry;
use std::collections::{BTreeMap, BTreeSet};

/// How many positions of a level share the coordinates that are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Positions {
    One,
    Run,
}

/// What is known at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The variables that have a value.
    pub(super) bound: BTreeSet<IndexId>,
    /// The levels that are resolved.
    places: BTreeMap<(Access, usize), Positions>,
    /// The workspace whose elements the loop to come takes out.
    pub(super) draining: Option<TensorId>,
}

impl State {
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
    /// Resolves every level of an access that can be located, outermost first.
    pub(super) fn locate(&mut self, program: &Program, registry: &Registry, a: &Access) {
        let format = &program.tensors[a.tensor].format;
        for level in 0..format.rank() {
            let leaf = Leaf { access: a.clone(), level };
            let known = self.places.contains_key(&(a.clone(), level));
            let found = registry.get(format.levels[level].spec).is_some_and(|f| f.locate().is_some());
            let reached = self.parent(&leaf) == Some(Positions::One);
            if !known && found && reached && self.bound.contains(&var_of(program, a, level)) {
                self.place(&leaf, Positions::One);
            }
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
    /// The value of a variable that bound ones decide: its own definition, or what the definitions of others leave.
    pub(super) fn determines(&self, program: &Program, v: IndexId) -> bool {
        if let Some(d) = program.indices[v].derived.as_ref().filter(|d| !d.counts()) {
            return d.depends_on().iter().all(|m| self.bound.contains(m));
        }
        program.indices.iter().filter_map(|(_, i)| i.derived.as_ref()).any(|d| {
            let bound = |k: usize| self.bound.contains(&d.vars[k]);
            let mode = d.modes().iter().position(|m| *m == v);
            mode.is_some_and(|mode| d.remap.recover_from(mode, &bound).is_some())
        })
    }
}

/// How a level computes its coordinate.
#[derive(PartialEq)]
pub(super) struct Formula {
    /// Factors, with the variables they belong to.
    terms: Vec<(i64, IndexId)>,
    constant: i64,
    /// Whether the coordinate is known to lie inside its dimension.
    inside: bool,
}

/// The formula of a level that computes its coordinate.
pub(super) fn formula(program: &Program, leaf: &Leaf) -> Option<Formula> {
    let t = &program.tensors[leaf.access.tensor];
    let (remap, k) = (t.remap.as_ref()?, leaf.level);
    if t.format.levels[k].spec.needs != Needs::Formula {
        return None;
    }
    let form = remap.coords[k].plain().and_then(|m| remap.recover(m, k))?;
    let inside = stays_inside(t, remap, k, &form.terms);
    let terms = form.terms.iter().map(|&(c, n)| (c, var_of(program, &leaf.access, n)));
    Some(Formula { terms: terms.collect(), constant: form.constant, inside })
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
