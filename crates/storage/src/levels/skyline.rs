//! The skyline level: one interval of coordinates per parent, `pos[p+1]-pos[p]` of them from `first[p]` on.

use super::segments::{check_len, check_pos};
use super::{Build, Entries, LevelStorage, PackedLevel, Parents, View};
use crate::error::{address, invalid};
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::ArrayRole;
use std::ops::Range;

pub(super) struct SkylineStorage;

impl LevelStorage for SkylineStorage {
    fn name(&self) -> &'static str {
        "skyline"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, pos, first) = (view.number(), view.index(0), view.index(1));
        check_len(view, "first", first.len(), parents.count)?;
        let last = check_pos(view, pos, parents)?;
        for p in 0..parents.count {
            tick();
            let (from, length) = (first.get(p), pos.entry_at(p + 1) - pos.entry_at(p));
            let fits = view.site.contains(from) && length <= view.size() - view.site.index(from);
            if length > 0 && !fits {
                let range = view.site.bounds.range();
                return Err(invalid(format!(
                    "level {k}: parent {p} has {length} coordinates from {from} on, outside {}..{}",
                    range.start, range.end
                )));
            }
        }
        address(&format!("skyline level {k}"), last)
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.index(1).get(parent) + (position - view.index(0).entry_at(parent)) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let (children, first) = (self.children(view, parent, above), view.index(1).get(parent));
        let inside = !children.is_empty() && coord >= first && ((coord - first) as usize) < children.len();
        let p = children.start + if inside { (coord - first) as usize } else { 0 };
        Some(if inside { p..p + 1 } else { 0..0 })
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let mut segments = Vec::new();
        build.by_parent(|p, entries| {
            let first = build.coord(entries.start);
            segments.push((p, first, entries.clone(), (build.coord(entries.end - 1) - first) as usize + 1));
        });
        let lengths: Vec<(usize, usize)> = segments.iter().map(|(p, _, _, n)| (*p, *n)).collect();
        let (pos, starts, positions) = build.pos_of(&lengths)?;
        let width = build.format().width(ArrayRole::Crd);
        // A parent without entries still has a first coordinate, which must be one that the array can hold.
        let least = if width.empty() < 0 { -(width.max() as i128) } else { 0 };
        let unused = (build.site.bounds.low as i128).clamp(least, width.max() as i128) as i64;
        let first = build.crd(build.parents(), false, |write| {
            let mut next = 0;
            for (p, first, _, _) in &segments {
                (next..*p).for_each(|q| write(q, unused));
                write(*p, *first);
                next = p + 1;
            }
            (next..build.parents()).for_each(|q| write(q, unused));
        })?;
        let mut table = Vec::with_capacity(build.len());
        for ((_, first, entries, _), start) in segments.into_iter().zip(starts) {
            table.extend(entries.map(|e| start + (build.coord(e) - first) as usize));
        }
        Ok(PackedLevel { arrays: vec![pos, first], positions, entries: Entries::Table(table) })
    }
}
