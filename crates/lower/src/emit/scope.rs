//! The scope of a point of the code: known coordinates of variables, positions of accesses, values already loaded.

use crate::emit::Emitter;
use crate::emit::cursor::Cursor;
use crate::space::Leaf;
use openwork_index::{Access, IndexId};
use openwork_levels::Place;
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
pub(crate) enum Room {
    /// It has to be made.
    #[default]
    Wanted,
    /// The loop has made it beforehand.
    Made,
}

/// Which values of a sparse result are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// All that are computed.
    #[default]
    All,
    /// Only those that differ from the fill value.
    NotFill,
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
    /// Whether another nest came before, which gave rows of the result their first values.
    pub(crate) started: bool,
    /// Where the coordinates end that have the value at the current one.
    pub(crate) until: Option<Expr>,
    /// Which values are appended here.
    pub(crate) keep: Keep,
    /// Whether there is room for what is appended here.
    pub(crate) room: Room,
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
        for k in 0..self.rank(a.tensor) {
            let key = (a.clone(), k);
            if scope.places.contains_key(&key) {
                continue;
            }
            let Some(Place { lo: parent, hi: None }) = scope.parent(a, k) else { continue };
            let Some(coord) = scope.coords.get(&self.var_of(a, k)).cloned() else { continue };
            let level = &self.tensors[&a.tensor].levels[k];
            let Some(locate) = self.registry.get(level.level.spec).and_then(|f| f.locate()) else { continue };
            let base = scope.bases.get(&key).cloned().unwrap_or_else(|| locate.base(level, parent));
            let place = Place::one(locate.find(level, base, self.outside_window(a, k, coord)));
            scope.places.insert(key, place);
        }
    }
    /// The place of the innermost level, if it is known.
    pub(crate) fn leaf_place(&self, a: &Access, scope: &Scope) -> Option<Place> {
        scope.parent(a, self.rank(a.tensor))
    }
}
