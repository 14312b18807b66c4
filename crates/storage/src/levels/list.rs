//! The list level: children `begin[p]..end[p]` of parent `p`, with room to grow between the segments.

use super::segments::{check_full, check_len, out_of_range, search, segment, under_empty};
use super::{Build, CoordColumn, Entries, LevelStorage, PackedLevel, Parents, View};
use crate::error::invalid;
use openwork_base::Result;
use openwork_base::cancel::tick;
use std::ops::Range;

pub(super) struct ListStorage;

/// The slots from `from` to `to` belong to no segment.
fn check_slack(view: &View, from: usize, to: usize) -> Result<()> {
    let crd = view.index(2);
    match (from..to).find(|&q| view.filled_coordinate(crd.get(q)).is_some()) {
        None => Ok(()),
        Some(q) => Err(invalid(format!(
            "level {}: crd[{q}] is {}, but the slot belongs to no list and must be empty",
            view.number(),
            crd.get(q)
        ))),
    }
}

impl LevelStorage for ListStorage {
    fn name(&self) -> &'static str {
        "list"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, begin, end, crd) = (view.number(), view.index(0), view.index(1), view.index(2));
        check_len(view, "begin", begin.len(), parents.count)?;
        check_len(view, "end", end.len(), parents.count)?;
        let mut free = 0;
        for p in 0..parents.count {
            tick();
            let (from, to) = (begin.get(p), end.get(p));
            if from < free as i64 || to < from || to as u64 > crd.len() as u64 {
                return Err(invalid(format!(
                    "level {k}: the list of parent {p} is {from}..{to}, not within {free}..{}",
                    crd.len()
                )));
            }
            let (from, to) = (from as usize, to as usize);
            if from < to && !parents.is_live(p) {
                return Err(under_empty(view, p));
            }
            check_slack(view, free, from)?;
            let wrong =
                |&q: &usize| view.filled_coordinate(crd.get(q)).is_none_or(|c| !view.site.contains(c));
            if let Some(q) = (from..to).find(wrong) {
                return Err(out_of_range(view, "crd", q, crd.get(q)));
            }
            free = to;
        }
        check_slack(view, free, crd.len())?;
        check_full(view, parents, |p| end.entry_at(p) - begin.entry_at(p))?;
        Ok(crd.len())
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        view.index(0).entry_at(parent)..view.index(1).entry_at(parent)
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        view.filled_coordinate(view.index(2).get(position))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(CoordColumn::from_index(view.index(2)))
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let sorted = view.level().is_ordered();
        sorted.then(|| search(view.index(2), self.children(view, parent, above), coord))
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        Some(segment(view.index(0), position))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let mut segments = Vec::new();
        let mut positions = 0;
        build.groups_by_parent(&groups, |p, children| {
            let count = children.len();
            segments.push((p, positions, children));
            positions += count + (count / 4).max(1);
        });
        let ends = |at: &dyn Fn(usize, usize) -> usize| {
            build.pos(build.parents(), positions, |write| {
                let (mut next, mut free) = (0, 0);
                for (p, start, children) in &segments {
                    // Parents without children have empty lists where the one before them ends.
                    (next..*p).for_each(|q| write(q, free));
                    write(*p, at(*start, children.len()));
                    (next, free) = (p + 1, start + children.len());
                }
                (next..build.parents()).for_each(|q| write(q, free));
            })
        };
        let (begin, end) = (ends(&|start, _| start)?, ends(&|start, n| start + n)?);
        let mut place = vec![0; groups.len()];
        for (_, start, children) in &segments {
            children.clone().enumerate().for_each(|(n, g)| place[g] = start + n);
        }
        let crd = build.crd(positions, true, |write| {
            (0..groups.len()).for_each(|g| write(place[g], build.coord(groups.first(g))));
        })?;
        let entries = Entries::Table((0..build.len()).map(|e| place[groups.group_of(e)]).collect());
        Ok(PackedLevel { arrays: vec![begin, end, crd], positions, entries })
    }
}
