//! The offset and block levels: one child per parent, whose coordinate follows from those above; no arrays.

use super::{Build, LevelStorage, PackedLevel, Parents, View};
use openwork_base::Result;
use std::ops::Range;

/// A level that computes its coordinate.
pub(super) struct DerivedStorage(&'static str);

pub(super) static OFFSET: DerivedStorage = DerivedStorage("offset");
pub(super) static BLOCK: DerivedStorage = DerivedStorage("block");

impl LevelStorage for DerivedStorage {
    fn name(&self) -> &'static str {
        self.0
    }
    fn check(&self, _view: &View, parents: Parents) -> Result<usize> {
        Ok(parents.count)
    }
    fn children(&self, _view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent..parent + 1
    }
    fn coord(&self, view: &View, _parent: usize, _position: usize, above: &[i64]) -> Option<i64> {
        view.site.computed_coordinate(above)
    }
    fn parent(&self, _view: &View, position: usize) -> Option<usize> {
        Some(position)
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        Ok(build.same_positions(Vec::new()))
    }
}
