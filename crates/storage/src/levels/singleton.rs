//! The singleton level: exactly one child per parent, at the parent's own position, with its coordinate in `crd`.

use super::{LevelStorage, View};
use crate::error::{invalid, unfit};
use crate::index::{Index, with_index};
use crate::pack::Build;
use crate::tensor::LevelArrays;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct Singleton;

impl LevelStorage for Singleton {
    fn name(&self) -> &'static str {
        "singleton"
    }
    fn check(&self, view: View, parents: usize) -> Result<usize> {
        let crd = view.index(0);
        if crd.len() != parents {
            return Err(invalid(format!(
                "level {}: `crd` has {} elements, but there are {parents} parents",
                view.number,
                crd.len()
            )));
        }
        check_range(view, crd)?;
        if view.level.full() && parents > 0 && view.dim > 1 {
            return Err(invalid(format!(
                "level {} is declared full, but a singleton holds one of {} coordinates",
                view.number, view.dim
            )));
        }
        Ok(parents)
    }
    fn children(&self, _view: View, parent: usize) -> Range<usize> {
        parent..parent + 1
    }
    fn coord(&self, view: View, _parent: usize, position: usize) -> usize {
        view.index(0).at(position)
    }
    fn stored<'a>(&self, view: View<'a>) -> Option<Index<'a>> {
        Some(view.index(0))
    }
    fn pack(&self, build: &mut Build) -> Result<LevelArrays> {
        let groups = build.groups();
        let coords = build.coords();
        let help = "a compressed level holds any number of children; `compressed(nonunique)` followed by \
                    singletons is the coordinate format";
        let parent = |g: usize| build.entries.at(groups.first(g), &coords);
        for g in 0..groups.len() {
            if parent(g) != g {
                let what = if parent(g) < g {
                    format!("parent {} has several children", parent(g))
                } else {
                    format!("parent {g} has none")
                };
                return Err(unfit(
                    format!("singleton level {} needs one child per parent, but {what}", build.number),
                    help,
                ));
            }
        }
        if groups.len() != build.parents {
            let what = format!("parent {} has none", groups.len());
            return Err(unfit(
                format!("singleton level {} needs one child per parent, but {what}", build.number),
                help,
            ));
        }
        let crd = build.coordinates(&groups)?;
        build.entries = groups.entries();
        Ok(LevelArrays { arrays: vec![crd] })
    }
}

/// Every stored coordinate lies in `0..dim`.
pub(super) fn check_range(view: View, crd: Index) -> Result<()> {
    let dim = view.dim as u64;
    // A negative number is huge as an unsigned one, so one comparison checks both ends.
    let bad = with_index!(crd, s => s.iter().position(|&c| c as i64 as u64 >= dim));
    match bad {
        None => Ok(()),
        Some(p) => Err(invalid(format!(
            "level {}: crd[{p}] is {}, outside 0..{} (the size of the mode it stores)",
            view.number,
            crd.get(p),
            view.dim
        ))),
    }
}
