//! How the arrays of each level format are kept in memory: one file a level, found by the name of its spec.
//!
//! A level numbers its children (positions) from 0 over all parents together. Everything here is stated in those
//! numbers, so a tensor is walked, checked and built without knowing which levels it has.

mod compressed;
mod dense;
mod singleton;

use crate::buffer::Buffer;
use crate::error::unfit;
use crate::index::Index;
use crate::pack::Build;
use crate::tensor::LevelArrays;
use openwork_base::Result;
use openwork_format::Level;
use std::ops::Range;

/// The arrays of one level with what is needed to read them.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// The number of the level, 0 outermost.
    pub(crate) number: usize,
    /// The level.
    pub(crate) level: Level,
    /// The size of the mode it stores.
    pub(crate) dim: usize,
    /// Its arrays, in the order of `level.spec.arrays`.
    pub(crate) arrays: &'a [Buffer],
}

impl<'a> View<'a> {
    /// Array `n` as an index; checked tensors have index dtypes throughout.
    pub(crate) fn index(self, n: usize) -> Index<'a> {
        Index::of(&self.arrays[n]).unwrap_or(Index::I64(&[]))
    }
}

/// One level format in memory.
pub(crate) trait LevelStorage: Sync {
    /// The name of its spec.
    fn name(&self) -> &'static str;
    /// Checks array lengths, positions and ranges for `parents` parents, and returns the number of children in all.
    fn check(&self, view: View, parents: usize) -> Result<usize>;
    /// The positions of the children of `parent`.
    fn children(&self, view: View, parent: usize) -> Range<usize>;
    /// The coordinate at `position`, which is a child of `parent`.
    fn coord(&self, view: View, parent: usize, position: usize) -> usize;
    /// The child of `parent` with the coordinate, where the level computes it without a search.
    fn locate(&self, _view: View, _parent: usize, _coord: usize) -> Option<usize> {
        None
    }
    /// The array of stored coordinates, one per position, where the level has one.
    fn stored<'a>(&self, view: View<'a>) -> Option<Index<'a>>;
    /// Builds the arrays from sorted entries and moves every entry to its child.
    fn pack(&self, build: &mut Build) -> Result<LevelArrays>;
}

static LEVELS: [&dyn LevelStorage; 3] = [&dense::Dense, &compressed::Compressed, &singleton::Singleton];

/// The storage of a level format, or E0602 when there is none under that name.
pub(crate) fn storage(level: Level) -> Result<&'static dyn LevelStorage> {
    LEVELS.into_iter().find(|s| s.name() == level.spec.name).ok_or_else(|| {
        let known: Vec<&str> = LEVELS.iter().map(|s| s.name()).collect();
        unfit(
            format!("level format `{}` cannot be kept in memory", level.spec.name),
            format!("the level formats with storage are {}", known.join(", ")),
        )
    })
}
