//! Level formats: how to walk, locate and assemble each one, in loop IR.
//!
//! A level says what its children look like ([`Shape`]), and lowering matches on that closed set only; claiming a
//! capability *is* returning its implementation (formats thesis, §4.1 and §6.1). One file per level, each with a
//! drawing of its arrays. A new level is one new file and one line in [`Registry::default`].

pub mod banded;
pub mod bitmap;
pub mod compressed;
pub mod dense;
pub mod derived;
pub mod hashed;
pub mod interval;
pub mod list;
pub mod masked;
pub mod ragged;
pub mod range;
pub mod runs;
pub mod singleton;
pub mod skyline;
pub mod sliced;
pub mod squeezed;
pub mod structs;
pub mod triangle;

pub mod insert;
pub mod segments;
mod shape;

pub use shape::{ChildTest, CoordOrder, CoordSource, Shape, Strided};

use openwork_format::{Level, LevelSpec};
use openwork_loops::build::{add, int};
use openwork_loops::{BufId, Expr, LoopKernel, Stmt, VarId};
use std::fmt::Debug;
use std::sync::{Arc, PoisonError, RwLock};

/// A level of one tensor inside a kernel: its declaration, its arrays and the range of its coordinates.
#[derive(Clone, Debug)]
pub struct LevelIr {
    /// The declaration, with the properties in force.
    pub level: Level,
    /// The index arrays, in the order of [`LevelSpec::arrays`].
    pub arrays: Vec<BufId>,
    /// The numbers in the arrays of sizes, in their order, loaded once.
    pub sizes: Vec<Expr>,
    /// The least coordinate.
    pub low: Expr,
    /// Number of coordinates.
    pub size: Expr,
    /// Number of coordinates of the level above.
    pub size_above: Expr,
    /// Least coordinate of the level above.
    pub low_above: Expr,
    /// Where the coordinates lie when they are interleaved with those of other levels.
    pub structs: Option<Structs>,
    /// What the level above, or this one's place in a remapping, says about its coordinates.
    pub given: RemapGiven,
    /// Whether slots may hold no child in this place.
    pub slots: EmptySlots,
}

/// Whether slots of a level may hold no child where it stands: because it leaves some out itself, or because levels above
/// do ([`Format::has_empties`](openwork_format::Format::has_empties)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptySlots {
    /// Every slot that is reached holds a child.
    AllFilled,
    /// Some are empty, and say so.
    SomeEmpty,
}

/// Coordinates of several levels in one array: this level's are `crd[p * stride + offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structs {
    /// The shared array.
    pub crd: BufId,
    /// How many levels share it.
    pub stride: i64,
    /// Which of them this one is.
    pub offset: i64,
}

/// What a remapping says about the coordinates of a level.
#[derive(Clone, Debug, PartialEq)]
pub enum RemapGiven {
    /// Nothing.
    Nothing,
    /// They are `constant + sum of factor * coordinate of the level above with that number`.
    Linear {
        /// Factors and numbers of levels.
        terms: Vec<(i64, usize)>,
        /// The constant.
        constant: i64,
        /// Whether the coordinate may still lie outside the dimension.
        inside: InsideDim,
    },
    /// `coordinate of level = own * c + other * w + constant`, with `w` in `0..width`.
    Band {
        /// The number of the level.
        level: usize,
        /// The factor of this level's coordinate.
        own: i64,
        /// The factor of the other mode.
        other: i64,
        /// The constant.
        constant: i64,
        /// The size of the other mode.
        width: Expr,
    },
    /// They are those from `lo` on that are less than `hi`, none of which lies outside of the dimension.
    Between {
        /// The first one.
        lo: Expr,
        /// One past the last one.
        hi: Expr,
    },
    /// They are those of the dimension of which something holds.
    Such {
        /// Stands for the coordinate.
        coord: VarId,
        /// What holds of it.
        holds: Expr,
    },
}

/// Whether a computed coordinate is known to lie inside its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideDim {
    /// Levels above keep it inside.
    Known,
    /// It has to be compared with the size.
    Unknown,
}

/// A range of positions in a level: one stored coordinate, or a run of them that share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// First position.
    pub lo: Expr,
    /// One past the last; `None` for exactly one position.
    pub hi: Option<Expr>,
}

impl Place {
    /// One position.
    pub fn one(at: Expr) -> Place {
        Place { lo: at, hi: None }
    }
    /// Several positions.
    pub fn run(lo: Expr, hi: Expr) -> Place {
        Place { lo, hi: Some(hi) }
    }
    /// One past the last position.
    pub fn end(&self) -> Expr {
        self.hi.clone().unwrap_or_else(|| add(self.lo.clone(), int(1)))
    }
}

/// Where a walk starts.
#[derive(Clone, Debug)]
pub struct WalkStart<'a> {
    /// The kernel, for the types of its buffers.
    pub kernel: &'a LoopKernel,
    /// The level to walk.
    pub level: &'a LevelIr,
    /// The parent. Unless the level [chains](Iterate::chains), a run holds at most one position.
    pub parent: &'a Place,
    /// The coordinates of the levels above, outermost first.
    pub above: &'a [Expr],
}

/// Coordinate value and coordinate position iteration: enumerates the children of a place (formats thesis, §4.1).
pub trait Iterate {
    /// The children of a parent: `pos_bounds` or `coord_bounds`, and `pos_access`, as a [`Shape`].
    fn iteration(&self, from: &WalkStart) -> Shape;
    /// Whether the children of several neighbouring parents can be walked as one run, in order where each parent's
    /// children are (iterator chaining, §4.2.4).
    fn chains(&self) -> bool {
        false
    }
}

/// A `locate` that may miss: finds the child with any given coordinate, stored or not (the thesis's `found`).
pub trait Seek {
    /// Code that finds `coord`, which lies inside the dimension; `fresh` makes index variables.
    fn seek(&self, from: &WalkStart, coord: Expr, fresh: &mut dyn FnMut(&str) -> VarId) -> Sought;
}

/// The answer of [`Seek::seek`].
#[derive(Clone, Debug)]
pub struct Sought {
    /// Runs first.
    pub code: Vec<Stmt>,
    /// The position, where there is one.
    pub position: Expr,
    /// Whether there is one.
    pub found: Expr,
}

/// A `locate` that always finds: the child with a given coordinate, in constant time.
pub trait Locate {
    /// Where the children of `parent` begin, computed once before a loop over coordinates.
    fn base(&self, level: &LevelIr, parent: Expr) -> Expr;
    /// The position of `coord` among the children that begin at `base`; it is always stored.
    fn find(&self, level: &LevelIr, base: Expr, coord: Expr) -> Expr;
}

/// Assembles a level by appending coordinates in order (figure 6-2 of the thesis).
pub trait Append {
    /// `append_init`: runs once before anything is appended; `parents` is the number of parents where that is known.
    fn append_init(&self, kernel: &LoopKernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt>;
    /// Makes room for `len` positions.
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt>;
    /// Stores `coord` at position `at`, for which there is room.
    fn append_coord(&self, kernel: &LoopKernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt>;
    /// Closes the children of `parent`: they end before position `end`.
    fn append_edges(&self, kernel: &LoopKernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt>;
    /// `append_finalize`: runs once at the end, with the number of parents and of positions. `scratch` is free to use as a loop variable;
    /// `gaps` tells whether some parents may not have been closed.
    fn append_finalize(
        &self,
        kernel: &LoopKernel,
        level: &LevelIr,
        count: LevelCounts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt>;
}

/// How many parents and positions an assembled level has.
#[derive(Clone, Debug)]
pub struct LevelCounts {
    /// Number of parents.
    pub parents: Expr,
    /// Number of positions.
    pub positions: Expr,
}

/// Whether parents may have been skipped during assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Every parent was closed by [`Append::append_edges`].
    None,
    /// Some parents may have been skipped: they have no children.
    Possible,
}

/// A level format.
pub trait LevelFormat: Debug + Send + Sync {
    /// Its declaration.
    fn spec(&self) -> &'static LevelSpec;
    /// How to enumerate it.
    fn iterate(&self) -> Option<&dyn Iterate> {
        None
    }
    /// How to find a coordinate that is always there.
    fn locate(&self) -> Option<&dyn Locate> {
        None
    }
    /// How to find a coordinate that may be missing.
    fn seek(&self) -> Option<&dyn Seek> {
        None
    }
    /// How to append to it.
    fn append(&self) -> Option<&dyn Append> {
        None
    }
    /// How to place elements in it in any order.
    fn insert(&self) -> Option<&dyn insert::Insert> {
        None
    }
}

static REGISTERED: RwLock<Vec<Arc<dyn LevelFormat>>> = RwLock::new(Vec::new());

/// Makes a user's level format known to every [`Registry::default`] made from now on.
pub fn register(format: Arc<dyn LevelFormat>) {
    let mut all = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    all.retain(|f| f.spec() != format.spec());
    all.push(format);
}

/// The level formats that lowering may use. [`Registry::default`] holds the built-in ones and the
/// [registered](register) ones.
#[derive(Clone, Debug)]
pub struct Registry {
    formats: Vec<Arc<dyn LevelFormat>>,
}

impl Default for Registry {
    fn default() -> Self {
        let mut formats: Vec<Arc<dyn LevelFormat>> = vec![
            Arc::new(dense::Dense),
            Arc::new(compressed::Compressed),
            Arc::new(singleton::Singleton),
            Arc::new(masked::Masked),
            Arc::new(bitmap::Bitmap),
            Arc::new(sliced::Sliced),
            Arc::new(squeezed::Squeezed),
            Arc::new(range::Range),
            Arc::new(derived::OFFSET_LEVEL),
            Arc::new(derived::BLOCK_LEVEL),
            Arc::new(ragged::Ragged),
            Arc::new(hashed::Hashed),
            Arc::new(structs::CompressedAos),
            Arc::new(structs::SingletonAos),
            Arc::new(list::List),
            Arc::new(runs::Runs),
            Arc::new(banded::Banded),
            Arc::new(triangle::LOWER_LEVEL),
            Arc::new(triangle::UPPER_LEVEL),
            Arc::new(skyline::Skyline),
            Arc::new(interval::INTERVAL_LEVEL),
            Arc::new(interval::POINT_LEVEL),
            Arc::new(interval::CHOSEN_LEVEL),
        ];
        formats.extend(REGISTERED.read().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        Registry { formats }
    }
}

impl Registry {
    /// Adds a user's level format to this registry; it replaces one of the same name.
    pub fn register(&mut self, format: Arc<dyn LevelFormat>) {
        self.formats.retain(|f| f.spec() != format.spec());
        self.formats.push(format);
    }
    /// The format of a level, if it is known.
    pub fn get(&self, spec: &LevelSpec) -> Option<&dyn LevelFormat> {
        self.formats.iter().find(|f| f.spec() == spec).map(|f| &**f)
    }
}
