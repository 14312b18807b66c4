//! The storage of level formats: how the arrays of each are kept in memory, one file a level, found by the name of its spec.
//!
//! A level numbers its children (positions) from 0 over all parents together. Everything here is stated in those
//! numbers and in stored coordinates, so a tensor is walked, checked and built without knowing which levels it has.
//!
//! A position is a *slot*. Some levels have slots without an element: free buckets, coordinates that a mask leaves out,
//! room at the end of a list. No walk goes below such a slot, and the levels below have nothing under it: no children
//! where they have segments, slots that are empty themselves where every parent has some.
//!
//! A crate outside adds a level with a [`LevelSpec`](openwork_format::LevelSpec), an implementation of
//! [`LevelStorage`] and [`register`].

mod aos;
mod banded;
mod bitmap;
mod compressed;
mod dense;
mod derived;
mod hashed;
mod list;
mod masked;
mod ragged;
mod range;
mod runs;
mod segments;
mod singleton;
mod site;
mod skyline;
mod sliced;
mod squeezed;
mod triangle;
mod view;

pub use crate::build::{Build, Entries, Groups, PackedLevel};
pub use crate::index::IndexArray;
pub use site::Site;
pub use view::{CoordColumn, Parents, View};

pub(crate) use site::linear;

use crate::error::unfit;
use openwork_base::Result;
use openwork_format::{Format, Level};
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// The storage of one level format: how its arrays are kept, checked, walked and built.
///
/// `above` holds the stored coordinates of the levels above, outermost first.
pub trait LevelStorage: Send + Sync {
    /// The name of its spec.
    fn name(&self) -> &'static str;
    /// Checks that the arrays can be read for these parents: lengths, positions, ranges, and that parents that are
    /// empty slots have nothing below them. Returns the number of positions. Order and uniqueness are checked
    /// elsewhere, through [`LevelStorage::coord`].
    ///
    /// # Errors
    /// E0601 at the first offence, with the level, the position and what was found; E0603 for sizes beyond the
    /// address space.
    fn check(&self, view: &View, parents: Parents) -> Result<usize>;
    /// The positions of the children of `parent`, empty slots included.
    fn children(&self, view: &View, parent: usize, above: &[i64]) -> Range<usize>;
    /// The coordinate at `position`, which is a child of `parent`; `None` for an empty slot.
    fn coord(&self, view: &View, parent: usize, position: usize, above: &[i64]) -> Option<i64>;
    /// One past the last coordinate of `position`, whose first coordinate is `first`: more than one coordinate may
    /// share a position at the last level.
    fn end(&self, _view: &View, _position: usize, first: i64) -> i64 {
        first + 1
    }
    /// Positions among which every child of `parent` with the coordinate is to be found, where the level can tell
    /// without a look at all of them.
    fn locate(&self, _view: &View, _parent: usize, _above: &[i64], _coord: i64) -> Option<Range<usize>> {
        None
    }
    /// The array of coordinates, where it holds exactly that of position `p` at `p` and no slot is empty: walks and
    /// checks then read it directly.
    fn stored_coordinates<'a>(&self, _view: &View<'a>) -> Option<IndexArray<'a>> {
        None
    }
    /// Whether [`LevelStorage::locate`] finds a slot for every coordinate from that of a parent's first child to that of its
    /// last, and slots rise with coordinates.
    fn gapless(&self) -> bool {
        false
    }
    /// Where the coordinate of every position is kept, or the marker of an empty slot, so that one can be looked for in all
    /// of them.
    fn column<'a>(&self, _view: &View<'a>) -> Option<CoordColumn<'a>> {
        None
    }
    /// The parent whose child `position` is, if it is one, where the level can tell.
    fn parent(&self, _view: &View, _position: usize) -> Option<usize> {
        None
    }
    /// Whether coordinates are best decoded from the first child of a parent to the last; walks then call
    /// [`LevelStorage::decode`] once a parent.
    fn sequential(&self) -> bool {
        false
    }
    /// Appends the coordinates of all children of `parent`, `None` for empty slots.
    fn decode(&self, view: &View, parent: usize, above: &[i64], out: &mut Vec<Option<i64>>) {
        out.extend(self.children(view, parent, above).map(|p| self.coord(view, parent, p, above)));
    }
    /// A last check of the children of one parent, once all levels passed [`LevelStorage::check`].
    ///
    /// # Errors
    /// E0601 when the children cannot stand where they are.
    fn check_tuples(&self, _view: &View, _parent: usize, _tuples: &Tuples) -> Result<()> {
        Ok(())
    }
    /// Builds the arrays from sorted entries and tells every entry its child.
    ///
    /// # Errors
    /// E0602 when the level cannot hold the entries; E0604 and E0605 as the helpers of [`Build`] raise them.
    fn pack(&self, build: &Build) -> Result<PackedLevel>;
}

/// The coordinates that the children of one parent store, together with those of the branchless levels below, which
/// share their positions.
#[derive(Debug, Default)]
pub struct Tuples {
    /// The position of the first child.
    pub first: usize,
    /// The least coordinate of each level.
    pub lows: Vec<i64>,
    pub(crate) coords: Vec<i64>,
    pub(crate) present: Vec<bool>,
}

impl Tuples {
    /// The number of slots.
    pub fn len(&self) -> usize {
        self.present.len()
    }
    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.present.is_empty()
    }
    /// The tuple of slot `n`; `None` if it is empty.
    pub fn get(&self, n: usize) -> Option<&[i64]> {
        let width = self.lows.len();
        self.present[n].then(|| &self.coords[n * width..(n + 1) * width])
    }
}

static LEVELS: [&dyn LevelStorage; 20] = [
    &dense::DenseStorage,
    &compressed::CompressedStorage,
    &singleton::SingletonStorage,
    &masked::MaskedStorage,
    &bitmap::BitmapStorage,
    &sliced::SlicedStorage,
    &squeezed::SqueezedStorage,
    &range::RangeLevel,
    &derived::OFFSET,
    &derived::BLOCK,
    &ragged::RaggedStorage,
    &hashed::HashedStorage,
    &aos::CompressedAosStorage,
    &aos::SingletonAosStorage,
    &list::ListStorage,
    &runs::RunsStorage,
    &banded::BandedStorage,
    &triangle::LOWER,
    &triangle::UPPER,
    &skyline::SkylineStorage,
];

static REGISTERED: RwLock<Vec<&'static dyn LevelStorage>> = RwLock::new(Vec::new());

/// Makes a user-defined level known to the whole process; it replaces one of the same name. Levels of this crate cannot
/// be replaced.
pub fn register(storage: &'static dyn LevelStorage) {
    let mut all = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    all.retain(|s| s.name() != storage.name());
    all.push(storage);
}

/// The storage of a level format.
///
/// # Errors
/// E0602 when there is none under that name.
pub fn storage(level: Level) -> Result<&'static dyn LevelStorage> {
    if let Some(found) = built_in(level) {
        return Ok(found);
    }
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.iter().copied().find(|s| s.name() == level.spec.name).ok_or_else(|| {
        let known: Vec<&str> = LEVELS.iter().chain(registered.iter()).map(|s| s.name()).collect();
        unfit(
            format!("level format `{}` cannot be kept in memory", level.spec.name),
            format!("the level formats with storage are {}", known.join(", ")),
        )
    })
}

/// The storage of a level format of this crate.
pub(crate) fn built_in(level: Level) -> Option<&'static dyn LevelStorage> {
    LEVELS.into_iter().find(|s| s.name() == level.spec.name)
}

/// Whether the parents of level `k` may be slots without an element.
pub(crate) fn gaps(format: &Format, k: usize) -> bool {
    k > 0 && format.has_empties(k - 1)
}
