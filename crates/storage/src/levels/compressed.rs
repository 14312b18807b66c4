//! The compressed level: children `pos[p]..pos[p+1]` of parent `p`, with their coordinates in `crd`.

use super::segments::{check_end, check_full, check_pos, check_range, search, segment};
use super::{Build, CoordColumn, IndexArray, LevelStorage, PackedLevel, Parents, View};
use openwork_base::Result;
use std::ops::Range;

pub(super) struct CompressedStorage;

impl LevelStorage for CompressedStorage {
    fn name(&self) -> &'static str {
        "compressed"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (pos, crd) = (view.index(0), view.index(1));
        let last = check_pos(view, pos, parents)?;
        check_end(view, last, "crd", crd.len())?;
        check_range(view, crd)?;
        check_full(view, parents, |p| pos.entry_at(p + 1) - pos.entry_at(p))?;
        Ok(crd.len())
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.index(1).get(position))
    }
    fn stored_coordinates<'a>(&self, view: &View<'a>) -> Option<IndexArray<'a>> {
        Some(view.index(1))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(CoordColumn::from_index(view.index(1)))
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let sorted = view.level().is_ordered();
        sorted.then(|| search(view.index(1), self.children(view, parent, above), coord))
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        Some(segment(view.index(0), position))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let pos = build.pos_of_groups(&groups)?;
        let crd = build.coordinates(&groups)?;
        Ok(PackedLevel { arrays: vec![pos, crd], positions: groups.len(), entries: groups.entries() })
    }
}
