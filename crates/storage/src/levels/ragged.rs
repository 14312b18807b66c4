//! The ragged level: the first `pos[p+1]-pos[p]` coordinates of parent `p`.

use super::segments::{check_pos, segment};
use super::{Build, Entries, LevelStorage, PackedLevel, Parents, View};
use crate::error::{address, invalid};
use openwork_base::Result;
use std::ops::Range;

pub(super) struct RaggedStorage;

impl LevelStorage for RaggedStorage {
    fn name(&self) -> &'static str {
        "ragged"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, pos) = (view.number(), view.index(0));
        let last = check_pos(view, pos, parents)?;
        let length = |p: usize| pos.entry_at(p + 1) - pos.entry_at(p);
        if let Some(p) = (0..parents.count).find(|&p| length(p) > view.size()) {
            let (found, size) = (length(p), view.size());
            let message =
                format!("level {k}: parent {p} has {found} children, but there are {size} coordinates");
            return Err(invalid(message));
        }
        address(&format!("ragged level {k}"), last)
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.low() + (position - view.index(0).entry_at(parent)) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let children = self.children(view, parent, above);
        let (p, found) = (children.start + view.site.index(coord), view.site.index(coord) < children.len());
        Some(if found { p..p + 1 } else { 0..0 })
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        Some(segment(view.index(0), position))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let index = |e| build.site.index(build.coord(e));
        let mut segments = Vec::new();
        // Coordinates rise under a parent, so its last entry has the largest.
        build.by_parent(|p, entries| segments.push((p, entries.clone(), index(entries.end - 1) + 1)));
        let lengths: Vec<(usize, usize)> = segments.iter().map(|(p, _, n)| (*p, *n)).collect();
        let (pos, starts, positions) = build.pos_of(&lengths)?;
        let mut table = Vec::with_capacity(build.len());
        for ((_, entries, _), start) in segments.into_iter().zip(starts) {
            table.extend(entries.map(|e| start + index(e)));
        }
        Ok(PackedLevel { arrays: vec![pos], positions, entries: Entries::Table(table) })
    }
}
