//! Level formats: how to walk, locate and assemble each one, in loop IR.
//!
//! A level says what its children look like ([`Shape`]), and lowering matches on that closed set only; claiming a
//! capability *is* returning its implementation (formats thesis, §4.1 and §6.1). One file per level, each with a
//! drawing of its arrays. A new level is one new file and one line in [`Registry::default`].

pub mod compressed;
pub mod dense;
pub mod singleton;

use openwork_format::{Level, LevelSpec};
use openwork_loops::build::{add, int};
use openwork_loops::{BufId, Expr, Kernel, Stmt, VarId};
use std::fmt::Debug;

/// A level of one tensor inside a kernel: its declaration, its arrays and the size of its dimension.
#[derive(Clone, Debug)]
pub struct LevelIr {
    /// The declaration, with the properties in force.
    pub level: Level,
    /// The index arrays, in the order of [`LevelSpec::arrays`].
    pub arrays: Vec<BufId>,
    /// Number of coordinates.
    pub size: Expr,
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

/// What the children of a place look like. Closed, so that one `match` holds every merge rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Every coordinate of the dimension is there; positions come from [`Locate`].
    Every,
    /// Positions `lo..hi` with coordinates `crd[p]` in increasing order.
    Sorted {
        /// First position.
        lo: Expr,
        /// One past the last.
        hi: Expr,
        /// The coordinates.
        crd: BufId,
    },
    /// Positions `lo..hi` with coordinates `crd[p]` in any order.
    Unsorted {
        /// First position.
        lo: Expr,
        /// One past the last.
        hi: Expr,
        /// The coordinates.
        crd: BufId,
    },
    /// One child at the parent's own position, with coordinate `crd[p]`.
    Single {
        /// The coordinates.
        crd: BufId,
    },
}

/// Enumerates the children of a place (position iteration in the thesis).
pub trait Walk {
    /// The children of `parent`.
    fn unfold(&self, kernel: &Kernel, level: &LevelIr, parent: &Place) -> Shape;
}

/// Finds the child with a given coordinate in constant time.
pub trait Locate {
    /// Where the children of `parent` begin, computed once before a loop over coordinates.
    fn base(&self, level: &LevelIr, parent: Expr) -> Expr;
    /// The position of `coord` among the children that begin at `base`; it is always stored.
    fn find(&self, level: &LevelIr, base: Expr, coord: Expr) -> Expr;
}

/// Assembles a level by appending coordinates in order (figure 6-2 of the thesis).
pub trait Append {
    /// Runs once before anything is appended; `parents` is the number of parents where that is known.
    fn init(&self, kernel: &Kernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt>;
    /// Makes room for `len` positions.
    fn room(&self, level: &LevelIr, len: Expr) -> Vec<Stmt>;
    /// Stores `coord` at position `at`, for which there is room.
    fn coord(&self, kernel: &Kernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt>;
    /// Closes the children of `parent`: they end before position `end`.
    fn edges(&self, kernel: &Kernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt>;
    /// Runs once at the end, with the number of parents and of positions. `scratch` is free to use as a loop variable;
    /// `gaps` tells whether some parents may not have been closed.
    fn finish(
        &self,
        kernel: &Kernel,
        level: &LevelIr,
        count: Counts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt>;
}

/// How many parents and positions an assembled level has.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Number of parents.
    pub parents: Expr,
    /// Number of positions.
    pub positions: Expr,
}

/// Whether parents may have been skipped during assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Every parent was closed by [`Append::edges`].
    None,
    /// Some parents may have been skipped: they have no children.
    Possible,
}

/// A level format.
pub trait LevelFormat: Debug + Send + Sync {
    /// Its declaration.
    fn spec(&self) -> &'static LevelSpec;
    /// How to enumerate it.
    fn walk(&self) -> Option<&dyn Walk> {
        None
    }
    /// How to find a coordinate.
    fn locate(&self) -> Option<&dyn Locate> {
        None
    }
    /// How to append to it.
    fn append(&self) -> Option<&dyn Append> {
        None
    }
}

/// The level formats that lowering may use. [`Registry::default`] holds the built-in ones.
#[derive(Debug)]
pub struct Registry {
    formats: Vec<Box<dyn LevelFormat>>,
}

impl Default for Registry {
    fn default() -> Self {
        Registry {
            formats: vec![
                Box::new(dense::Dense),
                Box::new(compressed::Compressed),
                Box::new(singleton::Singleton),
            ],
        }
    }
}

impl Registry {
    /// Adds a user's level format; it replaces one of the same name.
    pub fn register(&mut self, format: Box<dyn LevelFormat>) {
        self.formats.retain(|f| f.spec() != format.spec());
        self.formats.push(format);
    }
    /// The format of a level, if it is known.
    pub fn get(&self, spec: &LevelSpec) -> Option<&dyn LevelFormat> {
        self.formats.iter().find(|f| f.spec() == spec).map(|f| &**f)
    }
}
