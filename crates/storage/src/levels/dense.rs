//! The dense level: child `parent * size + index` for every coordinate; no arrays.

use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::checked_product;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct DenseStorage;

impl LevelStorage for DenseStorage {
    fn name(&self) -> &'static str {
        "dense"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        checked_product(&format!("dense level {}", view.number()), &[parents.count, view.size()])
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent * view.size()..(parent + 1) * view.size()
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.low() + (position - parent * view.size()) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        let p = parent * view.size() + view.site.index(coord);
        Some(p..p + 1)
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size())
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        build.build_full()
    }
}
