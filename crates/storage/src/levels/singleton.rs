//! The singleton level: one child per parent, at the parent's own position, with its coordinate in `crd`. A parent that
//! is an empty slot has an empty child; so may others if the level is padded.

use super::segments::{check_range, out_of_range};
use super::{Build, CoordColumn, IndexArray, LevelStorage, PackedLevel, Parents, View};
use crate::build::PositionReader;
use crate::error::{invalid, unfit};
use openwork_base::Result;
use openwork_base::cancel::tick;
use std::ops::Range;

pub(super) struct SingletonStorage;

/// Every parent that is an element has a coordinate (if the level is not padded), and no other has one.
fn check_slots(view: &View, parents: Parents) -> Result<()> {
    let (k, crd) = (view.number(), view.index(0));
    for p in 0..parents.count {
        tick();
        match (view.filled_coordinate(crd.get(p)), parents.is_live(p)) {
            (Some(c), true) if !view.site.contains(c) => return Err(out_of_range(view, "crd", p, c)),
            (None, true) if !view.level().is_padded() => {
                return Err(invalid(format!("level {k}: crd[{p}] is empty, but parent {p} is an element")));
            }
            (Some(c), false) => {
                return Err(invalid(format!("level {k}: crd[{p}] is {c}, but parent {p} is an empty slot")));
            }
            (Some(_) | None, _) => {}
        }
    }
    Ok(())
}

impl LevelStorage for SingletonStorage {
    fn name(&self) -> &'static str {
        "singleton"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, crd) = (view.number(), view.index(0));
        if crd.len() != parents.count {
            return Err(invalid(format!(
                "level {k}: `crd` has {} elements, but there are {} parents",
                crd.len(),
                parents.count
            )));
        }
        if view.level().is_padded() && view.size() == 0 && parents.count > 0 && view.site.widths_above {
            // There are as many slots as the longest list of elements needs, so kernels may read at coordinate 0.
            return Err(invalid(format!("level {k}: slots for a mode without coordinates")));
        }
        if view.site.empties {
            check_slots(view, parents)?;
        } else {
            check_range(view, crd)?;
        }
        if view.level().full() && parents.count > 0 && view.size() > 1 {
            let size = view.size();
            let message =
                format!("level {k} is declared full, but a singleton holds one of {size} coordinates");
            return Err(invalid(message));
        }
        Ok(parents.count)
    }
    fn children(&self, _view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent..parent + 1
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        view.filled_coordinate(view.index(0).get(position))
    }
    fn stored_coordinates<'a>(&self, view: &View<'a>) -> Option<IndexArray<'a>> {
        (!view.site.empties).then(|| view.index(0))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(CoordColumn::from_index(view.index(0)))
    }
    fn parent(&self, _view: &View, position: usize) -> Option<usize> {
        Some(position)
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let groups = build.groups();
        let parents = build.parents_of();
        let parent = |g: usize| parents.value_at(groups.first(g));
        let twins = || (1..groups.len()).find(|&g| parent(g) == parent(g - 1));
        // An entry that is its own parent shares it with no other.
        if !matches!(parents, PositionReader::Entry)
            && let Some(g) = twins()
        {
            return Err(refusal(build, format!("parent {} has several children", parent(g))));
        }
        if groups.len() == build.parents() && !build.site.empties {
            let crd = build.coordinates(&groups)?;
            return Ok(PackedLevel { arrays: vec![crd], positions: groups.len(), entries: groups.entries() });
        }
        if !build.site.level.is_padded() {
            let gaps = build.site.gaps_above.then(|| build.live()).transpose()?;
            let mut taken = (0..groups.len()).map(parent).peekable();
            for p in 0..build.parents() {
                let has = taken.next_if_eq(&p).is_some();
                if !has && gaps.as_ref().is_none_or(|live| live[p]) {
                    return Err(refusal(build, format!("parent {p} has none")));
                }
            }
        }
        let crd = build.crd(build.parents(), true, |write| {
            (0..groups.len()).for_each(|g| write(parent(g), build.coord(groups.first(g))));
        })?;
        Ok(build.same_positions(vec![crd]))
    }
}

fn refusal(build: &Build, what: String) -> openwork_base::Error {
    unfit(
        format!("singleton level {} needs one child per parent, but {what}", build.site.number),
        "a compressed level holds any number of children; `compressed(nonunique)` followed by singletons is the \
         coordinate format",
    )
}
