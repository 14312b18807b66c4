//! The scope of a point of the code: known coordinates of variables, positions of accesses, values already loaded.

use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::located::{Located, locate_levels};
use crate::predicates::is_predicate;
use crate::space::Leaf;
use openwork_index::{Access, IndexExpr, IndexId};
use openwork_levels::{Locate, Place};
use openwork_loops::Expr;
use openwork_loops::build::int;
use std::collections::{BTreeMap, BTreeSet};

/// The values `lo..hi` of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) v: IndexId,
    pub(crate) lo: Expr,
    pub(crate) hi: Expr,
}

/// Whether there is room for the next value to append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AppendRoom {
    /// It has to be made.
    #[default]
    Wanted,
    /// The loop has made it beforehand.
    Made,
}

/// Knowledge that holds inside one block; blocks inside it start from a copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The coordinate of each bound variable.
    pub(crate) coords: BTreeMap<IndexId, Expr>,
    /// The place of each resolved level of an access.
    pub(crate) places: BTreeMap<(Access, usize), Place>,
    /// Where the children of a located level begin, when computed before the loop.
    pub(crate) bases: BTreeMap<(Access, usize), Expr>,
    /// Values held in variables.
    pub(crate) values: BTreeMap<Access, Expr>,
    /// Remainders whose block lies inside the tensor as a whole here, or may not.
    pub(crate) whole: BTreeSet<IndexId>,
    /// The part of a variable's dimension that is visited here, where its loop has been cut into strips.
    pub(crate) strip: Option<Strip>,
    /// The part of a variable's dimension that the kernel is called over.
    pub(crate) part: Option<Strip>,
    /// Cursors over runs, which are moved on to the coordinate of the loop to come.
    pub(crate) followed: Vec<(Leaf, Cursor)>,
    /// Accesses that are known to hold an element, where slots may be empty.
    pub(crate) tested: BTreeSet<Access>,
    /// The comparisons that hold here, as the walks around are kept to their sets.
    pub(crate) holding: Vec<IndexExpr>,
    /// Whether another nest came before, which gave rows of the result their first values.
    pub(crate) started: bool,
    /// Where the coordinates end that have the value at the current one.
    pub(crate) until: Option<Expr>,
    /// Whether there is room for what is appended here.
    pub(crate) room: AppendRoom,
}

impl Scope {
    /// The part of the dimension of `v` that is visited here, where that is not all of it.
    pub(crate) fn cut(&self, v: IndexId) -> Option<&Strip> {
        self.strip.iter().chain(&self.part).find(|s| s.v == v)
    }
    /// The place above level `k`, if it is known.
    pub(crate) fn parent(&self, a: &Access, k: usize) -> Option<Place> {
        if k == 0 { Some(Place::one(int(0))) } else { self.places.get(&(a.clone(), k - 1)).cloned() }
    }
}

impl Emitter<'_> {
    /// Resolves every located level of `a` whose parent and coordinate are known, outermost first.
    pub(crate) fn locate(&self, a: &Access, scope: &mut Scope) {
        // Nothing is kept of a set, in which coordinates are not looked up.
        if is_predicate(self.program, a.tensor) {
            return;
        }
        locate_levels(self.program, self.registry, a, &mut CodePoint { emitter: self, scope });
    }
    /// The place of the innermost level, if it is known.
    pub(crate) fn leaf_place(&self, a: &Access, scope: &Scope) -> Option<Place> {
        scope.parent(a, self.rank(a.tensor))
    }
}

/// A point of the code.
struct CodePoint<'e, 's> {
    emitter: &'e Emitter<'e>,
    scope: &'s mut Scope,
}

impl Located for CodePoint<'_, '_> {
    fn is_placed(&self, a: &Access, k: usize) -> bool {
        self.scope.places.contains_key(&(a.clone(), k))
    }
    fn is_reached(&self, a: &Access, k: usize, v: IndexId) -> bool {
        let one = |place: Place| place.hi.is_none();
        self.scope.coords.contains_key(&v) && self.scope.parent(a, k).is_some_and(one)
    }
    fn locate(&mut self, a: &Access, k: usize, by: &dyn Locate) {
        let v = self.emitter.var_of(a, k);
        let (Some(Place { lo: parent, .. }), Some(coord)) =
            (self.scope.parent(a, k), self.scope.coords.get(&v))
        else {
            return;
        };
        let level = &self.emitter.tensors[&a.tensor].levels[k];
        let base = self.scope.bases.get(&(a.clone(), k)).cloned();
        let base = base.unwrap_or_else(|| by.base(level, parent));
        let coord = self.emitter.outside_window(a, k, coord.clone());
        self.scope.places.insert((a.clone(), k), Place::one(by.find(level, base, coord)));
    }
}
