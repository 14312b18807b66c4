//! The range level: a slot for every coordinate, of which only those count that lie in the band above; no arrays.

use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::checked_product;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct RangeLevel;

fn position_at(view: &View, parent: usize, coord: i64) -> usize {
    parent * view.size() + view.site.index(coord)
}

impl LevelStorage for RangeLevel {
    fn name(&self) -> &'static str {
        "range"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        checked_product(&format!("range level {}", view.number()), &[parents.count, view.size()])
    }
    fn children(&self, view: &View, parent: usize, above: &[i64]) -> Range<usize> {
        let inside = view.site.interval(above);
        if inside.is_empty() {
            0..0
        } else {
            position_at(view, parent, inside.start)..position_at(view, parent, inside.end)
        }
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.low() + (position - parent * view.size()) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let p = position_at(view, parent, coord);
        Some(if view.site.interval(above).contains(&coord) { p..p + 1 } else { 0..0 })
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size())
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        build.build_full()
    }
}
