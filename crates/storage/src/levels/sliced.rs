//! The sliced level: the first `width` coordinates, for every parent.

use super::segments::check_len;
use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::{checked_product, invalid};
use openwork_base::Result;
use std::ops::Range;

pub(super) struct SlicedStorage;

impl LevelStorage for SlicedStorage {
    fn name(&self) -> &'static str {
        "sliced"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let k = view.number();
        check_len(view, "width", view.index(0).len(), 1)?;
        let width = view.index(0).get(0);
        if width < 0 || width as u64 > view.size() as u64 {
            return Err(invalid(format!("level {k}: the width is {width}, outside 0..={}", view.size())));
        }
        checked_product(&format!("sliced level {k}"), &[parents.count, width as usize])
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let width = view.size_at(0);
        parent * width..(parent + 1) * width
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.low() + (position - parent * view.size_at(0)) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        let (index, width) = (view.site.index(coord), view.size_at(0));
        let p = parent * width + index;
        Some(if index < width { p..p + 1 } else { 0..0 })
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size_at(0))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let index = |e| build.site.index(build.coord(e));
        let width = (0..build.len()).map(|e| index(e) + 1).max().unwrap_or(0);
        Ok(build.slots(width, index)?.with_arrays(vec![build.sizes(&[width as i64])?]))
    }
}
