//! The iteration algebra: sets of coordinates of one variable that a statement must visit.
//!
//! A [`Space`] combines the coordinate sets of walked levels ([`Leaf`]) by union, intersection and complement
//! (array-programming paper, §5.1).
//!
//! Most sets are known from above only: `A(i) > 0.5` is false outside of what `A` stores, and perhaps inside as well. Of
//! such a set there is no complement, so [`Support`] tells the two kinds apart, and [`Exact`] alone can be complemented.
//!
//! A set also says where operands must be told apart: the regions of `U ∪ A` are `A` and the rest, though both together
//! are the universe.

use openwork_index::Access;
use std::collections::BTreeSet;

/// A level of an access that must be walked to find its coordinates.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf {
    /// The access.
    pub access: Access,
    /// Its level (storage order).
    pub level: usize,
}

/// A set of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Space {
    /// No coordinate.
    Empty,
    /// Every coordinate of the dimension.
    Universe,
    /// The coordinates stored in a level.
    Leaf(Leaf),
    /// All others.
    Not(Box<Space>),
    /// In both.
    And(Box<Space>, Box<Space>),
    /// In either.
    Or(Box<Space>, Box<Space>),
}

impl Space {
    /// The intersection; the universe simplifies.
    pub fn and(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, _) | (_, Space::Empty) => Space::Empty,
            (Space::Universe, x) | (x, Space::Universe) => x,
            (a, b) if a == b => a,
            (a, b) => Space::And(Box::new(a), Box::new(b)),
        }
    }
    /// The union; the universe does not swallow what has to be told apart.
    pub fn or(self, other: Space) -> Space {
        match (self, other) {
            (Space::Empty, x) | (x, Space::Empty) => x,
            (a, b) if a == b => a,
            (a, b) => Space::Or(Box::new(a), Box::new(b)),
        }
    }
    /// All coordinates, told apart as this set tells them apart.
    pub fn extend_everywhere(self) -> Space {
        Space::Universe.or(self)
    }
    /// Every leaf that occurs.
    pub fn leaves(&self) -> BTreeSet<Leaf> {
        self.list_leaves().into_iter().cloned().collect()
    }
    /// Every leaf that occurs, in place.
    fn list_leaves(&self) -> BTreeSet<&Leaf> {
        fn gather<'s>(s: &'s Space, all: &mut BTreeSet<&'s Leaf>) {
            match s {
                Space::Empty | Space::Universe => {}
                Space::Leaf(l) => {
                    all.insert(l);
                }
                Space::Not(a) => gather(a, all),
                Space::And(a, b) | Space::Or(a, b) => {
                    gather(a, all);
                    gather(b, all);
                }
            }
        }
        let mut all = BTreeSet::new();
        gather(self, &mut all);
        all
    }
    /// How large the set is, written out.
    pub(crate) fn nodes(&self) -> usize {
        match self {
            Space::Empty | Space::Universe | Space::Leaf(_) => 1,
            Space::Not(a) => 1 + a.nodes(),
            Space::And(a, b) | Space::Or(a, b) => 1 + a.nodes() + b.nodes(),
        }
    }
    /// At most this many regions have to be told apart: no more than there are sets of its leaves, however often these
    /// occur.
    pub fn regions(&self) -> usize {
        let subsets = 1usize.checked_shl(self.list_leaves().len() as u32).unwrap_or(usize::MAX);
        self.regions_apart().min(subsets)
    }
    /// As many regions as there would be if no leaf occurred twice.
    fn regions_apart(&self) -> usize {
        match self {
            Space::Empty => 0,
            Space::Universe | Space::Leaf(_) => 1,
            Space::Not(_) => 2,
            Space::And(a, b) => a.regions_apart().saturating_mul(b.regions_apart()),
            Space::Or(a, b) => {
                let (a, b) = (a.regions_apart(), b.regions_apart());
                a.saturating_mul(b).saturating_add(a).saturating_add(b)
            }
        }
    }
    /// The leaves, if the set is their union and nothing else.
    pub fn as_union(&self) -> Option<BTreeSet<Leaf>> {
        fn is_union(s: &Space) -> bool {
            match s {
                Space::Leaf(_) => true,
                Space::Or(a, b) => is_union(a) && is_union(b),
                Space::Empty | Space::Universe | Space::Not(_) | Space::And(..) => false,
            }
        }
        is_union(self).then(|| self.leaves())
    }
    /// Whether a coordinate that is stored in exactly the leaves of `present` belongs to the set.
    pub fn contains(&self, present: &BTreeSet<Leaf>) -> bool {
        match self {
            Space::Empty => false,
            Space::Universe => true,
            Space::Leaf(l) => present.contains(l),
            Space::Not(a) => !a.contains(present),
            Space::And(a, b) => a.contains(present) && b.contains(present),
            Space::Or(a, b) => a.contains(present) || b.contains(present),
        }
    }
}

/// A set that an expression is known to differ on from the value it has elsewhere: at every coordinate of it, unless an
/// operand stores its own fill value there.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact(Space);

impl Exact {
    /// The coordinates of a last level: what is stored there is an element.
    pub fn leaf(leaf: Leaf) -> Exact {
        Exact(Space::Leaf(leaf))
    }
    /// Every coordinate.
    pub fn everything() -> Exact {
        Exact(Space::Universe)
    }
    /// Every coordinate, those of a leaf told apart.
    pub(crate) fn told_apart(leaf: Leaf) -> Exact {
        Exact(Space::Leaf(leaf).extend_everywhere())
    }
    /// In both.
    pub fn and(self, other: Exact) -> Exact {
        Exact(self.0.and(other.0))
    }
    /// In either.
    pub fn or(self, other: Exact) -> Exact {
        Exact(self.0.or(other.0))
    }
    /// All others, the complement pushed down to the leaves (De Morgan).
    pub fn complement(self) -> Exact {
        fn not(s: Space) -> Space {
            match s {
                Space::Empty => Space::Universe,
                Space::Universe => Space::Empty,
                leaf @ Space::Leaf(_) => Space::Not(Box::new(leaf)),
                Space::Not(inner) => *inner,
                Space::And(a, b) => not(*a).or(not(*b)),
                Space::Or(a, b) => not(*a).and(not(*b)),
            }
        }
        Exact(not(self.0))
    }
    /// The set.
    pub fn set(self) -> Space {
        self.0
    }
}

/// Where an expression differs from the value it has elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// Everywhere in the set.
    Exact(Exact),
    /// Nowhere else.
    Within(Space),
}

impl Support {
    /// The set, as it is.
    pub(crate) fn space(&self) -> &Space {
        match self {
            Support::Exact(Exact(space)) | Support::Within(space) => space,
        }
    }
    /// The set.
    pub fn set(self) -> Space {
        match self {
            Support::Exact(exact) => exact.set(),
            Support::Within(space) => space,
        }
    }
    /// What is in both.
    pub(crate) fn and(self, other: Support) -> Support {
        match (self, other) {
            (Support::Exact(a), Support::Exact(b)) => Support::Exact(a.and(b)),
            (a, b) => Support::Within(a.set().and(b.set())),
        }
    }
    /// What is in either.
    pub(crate) fn or(self, other: Support) -> Support {
        match (self, other) {
            (Support::Exact(a), Support::Exact(b)) => Support::Exact(a.or(b)),
            (a, b) => Support::Within(a.set().or(b.set())),
        }
    }
    /// Of a set that is known from above only, the complement may be anything.
    pub(crate) fn complement(self) -> Support {
        match self {
            Support::Exact(exact) => Support::Exact(exact.complement()),
            Support::Within(space) => Support::Within(space.extend_everywhere()),
        }
    }
}
