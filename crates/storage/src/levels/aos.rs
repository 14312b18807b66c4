//! The array-of-structs levels: `compressed_aos` keeps one array of coordinate tuples, of which the `singleton_aos`
//! levels right below it are the later members.

use super::segments::{check_end, check_full, check_pos, out_of_range, segment};
use super::{Build, CoordColumn, LevelStorage, PackedLevel, Parents, View};
use crate::error::invalid;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct CompressedAosStorage;
pub(super) struct SingletonAosStorage;

/// Every coordinate of this member of the structs lies in the bounds.
fn check_member(view: &View, positions: usize) -> Result<()> {
    let (head, stride) = view.site.structs;
    match (0..positions).find(|&q| !view.site.contains(view.in_struct(q))) {
        None => Ok(()),
        Some(q) => Err(out_of_range(view, "crd", q * stride + view.number() - head, view.in_struct(q))),
    }
}

impl LevelStorage for CompressedAosStorage {
    fn name(&self) -> &'static str {
        "compressed_aos"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (pos, crd) = (view.index(0), view.index(1));
        let (_, stride) = view.site.structs;
        let last = check_pos(view, pos, parents)?;
        if crd.len() % stride != 0 {
            let (k, len) = (view.number(), crd.len());
            return Err(invalid(format!(
                "level {k}: `crd` has {len} elements, but each struct has {stride}"
            )));
        }
        check_end(view, last, "crd as structs", crd.len() / stride)?;
        check_member(view, last)?;
        check_full(view, parents, |p| pos.entry_at(p + 1) - pos.entry_at(p))?;
        Ok(last)
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.in_struct(position))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(view.member())
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        Some(segment(view.index(0), position))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let pos = build.pos_of_groups(&groups)?;
        let (head, stride) = build.site.structs;
        let len = build.product(&[groups.len(), stride])?;
        let crd = build.crd(len, false, |write| {
            for g in 0..groups.len() {
                let e = groups.first(g);
                (0..stride).for_each(|j| write(g * stride + j, build.coord_at(head + j, e)));
            }
        })?;
        Ok(PackedLevel { arrays: vec![pos, crd], positions: groups.len(), entries: groups.entries() })
    }
}

impl LevelStorage for SingletonAosStorage {
    fn name(&self) -> &'static str {
        "singleton_aos"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        check_member(view, parents.count)?;
        Ok(parents.count)
    }
    fn children(&self, _view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent..parent + 1
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.in_struct(position))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(view.member())
    }
    fn parent(&self, _view: &View, position: usize) -> Option<usize> {
        Some(position)
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        // The structs were written by the level above, and each is one tuple.
        Ok(build.same_positions(Vec::new()))
    }
}
