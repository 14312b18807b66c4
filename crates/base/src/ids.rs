//! Typed ids and the arenas they index.
//!
//! ```
//! use openwork_base::{Arena, typed_id};
//! typed_id!(pub struct VarId, "v");
//! let mut names: Arena<VarId, &str> = Arena::new();
//! let i = names.push("i");
//! assert_eq!(names[i], "i");
//! assert_eq!(format!("{i:?}"), "v0");
//! ```

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index that remembers which arena it belongs to by its type.
pub trait Id: Copy {
    /// Makes the id of the `n`-th element.
    fn new(n: usize) -> Self;
    /// The position of the element in its arena.
    fn index(self) -> usize;
}

/// Declares a typed id: `typed_id!(pub struct VarId, "v");`.
#[macro_export]
macro_rules! typed_id {
    ($(#[$doc:meta])* $vis:vis struct $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);
        impl $crate::Id for $name {
            fn new(n: usize) -> Self {
                $name(u32::try_from(n).expect("fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A map from typed ids: nobody chooses ids so that they collide, so one multiplication hashes them.
///
/// ```
/// use openwork_base::{Id, IdMap, typed_id};
/// typed_id!(pub struct VarId, "v");
/// let names = IdMap::from_iter([(VarId::new(3), "i"), (VarId::new(4), "j")]);
/// assert_eq!(names.get(&VarId::new(4)), Some(&"j"));
/// ```
pub type IdMap<I, T> = HashMap<I, T, BuildHasherDefault<IdHasher>>;

/// A set of typed ids, hashed as those of an [`IdMap`].
pub type IdSet<I> = HashSet<I, BuildHasherDefault<IdHasher>>;

/// The hash of a typed id.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher(u64);

impl IdHasher {
    /// 2^64 divided by the golden ratio: neighbours lie far apart in the upper bits as well, which tables look at first.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u32(u32::from(b)));
    }
    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(n)).wrapping_mul(IdHasher::SPREAD);
    }
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// A vector indexed by a typed id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> Arena<I, T> {
    /// An empty arena.
    pub fn new() -> Self {
        Arena { items: Vec::new(), id: PhantomData }
    }
    /// Adds an element and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// Forgets all elements but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the arena holds nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// All elements with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(n, t)| (I::new(n), t))
    }
    /// The element, if the id belongs to this arena.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
