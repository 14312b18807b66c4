//! The compressed level: children `pos[p]..pos[p+1]` of parent `p`, with their coordinates in `crd`.

use super::{LevelStorage, View};
use crate::buffer::Buffer;
use crate::error::{invalid, unfit};
use crate::index::{Index, with_index};
use crate::pack::{Build, Entries, Groups};
use crate::sort;
use crate::tensor::LevelArrays;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct Compressed;

impl LevelStorage for Compressed {
    fn name(&self) -> &'static str {
        "compressed"
    }
    fn check(&self, view: View, parents: usize) -> Result<usize> {
        let (pos, crd) = (view.index(0), view.index(1));
        let k = view.number;
        if parents.checked_add(1) != Some(pos.len()) {
            return Err(invalid(format!(
                "level {k}: `pos` has {} elements, but {parents} parents need one more than that",
                pos.len()
            )));
        }
        if pos.get(0) != 0 {
            return Err(invalid(format!("level {k}: pos[0] is {}, but it must be 0", pos.get(0))));
        }
        let fall = with_index!(pos, s => s.windows(2).position(|w| w[1] < w[0]));
        if let Some(p) = fall {
            return Err(invalid(format!(
                "level {k}: pos[{}] is {}, less than pos[{p}], which is {}",
                p + 1,
                pos.get(p + 1),
                pos.get(p)
            )));
        }
        if pos.at(parents) != crd.len() {
            return Err(invalid(format!(
                "level {k}: the last element of `pos` is {}, but `crd` has {} elements",
                pos.get(parents),
                crd.len()
            )));
        }
        super::singleton::check_range(view, crd)?;
        if view.level.full() {
            for p in 0..parents {
                let count = pos.at(p + 1) - pos.at(p);
                if count < view.dim {
                    return Err(invalid(format!(
                        "level {k} is declared full, but parent {p} has {count} of {} coordinates",
                        view.dim
                    )));
                }
            }
        }
        Ok(crd.len())
    }
    fn children(&self, view: View, parent: usize) -> Range<usize> {
        let pos = view.index(0);
        pos.at(parent)..pos.at(parent + 1)
    }
    fn coord(&self, view: View, _parent: usize, position: usize) -> usize {
        view.index(1).at(position)
    }
    fn stored<'a>(&self, view: View<'a>) -> Option<Index<'a>> {
        Some(view.index(1))
    }
    fn pack(&self, build: &mut Build) -> Result<LevelArrays> {
        let groups = build.groups();
        refuse_twins(build, &groups)?;
        let pos = positions(build, &groups)?;
        let crd = build.coordinates(&groups)?;
        build.parents = groups.len();
        build.entries = groups.entries();
        Ok(LevelArrays { arrays: vec![pos, crd] })
    }
}

/// A unique level above singletons cannot hold a coordinate that several entries share.
fn refuse_twins(build: &Build, groups: &Groups) -> Result<()> {
    let end = build.chain_end();
    let coords = build.coords();
    // Groups differ somewhere up to the end of the chain; they must differ already at its first unique level.
    let Some(unique) = (build.number..end).find(|&k| build.level_at(k).unique()) else {
        return Ok(());
    };
    let chain = &coords[build.number..=unique];
    for g in 1..groups.len() {
        let (a, b) = (groups.first(g - 1), groups.first(g));
        let same_parent = build.entries.at(a, &coords) == build.entries.at(b, &coords);
        if same_parent && sort::compare(chain, a, b).is_eq() {
            return Err(unfit(
                format!(
                    "level {unique} is unique and a singleton follows, but coordinate {} has several children",
                    coords[unique].at(b)
                ),
                "declare the level `nonunique`, or follow it with a compressed level",
            ));
        }
    }
    Ok(())
}

/// Where the children of every parent begin: a running count over the sorted groups.
fn positions(build: &Build, groups: &Groups) -> Result<Buffer> {
    let coords = build.coords();
    let parents = build.parents;
    build.positions(parents.checked_add(1), groups.len(), |write| match &build.entries {
        Entries::Root => write(1, groups.len()),
        entries => {
            let mut next = 0;
            for g in 0..groups.len() {
                let parent = entries.at(groups.first(g), &coords);
                while next <= parent {
                    write(next, g);
                    next += 1;
                }
            }
            for p in next..=parents {
                write(p, groups.len());
            }
        }
    })
}
