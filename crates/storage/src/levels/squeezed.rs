//! The squeezed level: the coordinates of `perm`, for every parent.

use super::segments::{check_len, check_range, search};
use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::{checked_product, invalid};
use crate::index::with_index;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct SqueezedStorage;

impl LevelStorage for SqueezedStorage {
    fn name(&self) -> &'static str {
        "squeezed"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, perm) = (view.number(), view.index(1));
        check_len(view, "count", view.index(0).len(), 1)?;
        if usize::try_from(view.index(0).get(0)) != Ok(perm.len()) {
            let (count, len) = (view.index(0).get(0), perm.len());
            return Err(invalid(format!("level {k}: the count is {count}, but `perm` has {len} elements")));
        }
        check_range(view, perm)?;
        if let Some(n) = with_index!(perm, s => s.windows(2).position(|w| w[1] <= w[0])) {
            let (a, b) = (perm.get(n), perm.get(n + 1));
            return Err(invalid(format!(
                "level {k}: perm[{}] is {b} after {a}, but it must increase",
                n + 1
            )));
        }
        checked_product(&format!("squeezed level {k}"), &[parents.count, perm.len()])
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let count = view.size_at(0);
        parent * count..(parent + 1) * count
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(view.index(1).get(position - parent * view.size_at(0)))
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        let count = view.size_at(0);
        let found = search(view.index(1), 0..count, coord);
        Some(parent * count + found.start..parent * count + found.end)
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size_at(0))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let mut perm: Vec<i64> = (0..build.len()).map(|e| build.coord(e)).collect();
        perm.dedup();
        perm.sort_unstable();
        perm.dedup();
        let place = |e| perm.partition_point(|&c| c < build.coord(e));
        let packed = build.slots(perm.len(), place)?;
        let crd = build.crd(perm.len(), false, |write| {
            perm.iter().enumerate().for_each(|(n, &c)| write(n, c));
        })?;
        Ok(packed.with_arrays(vec![build.sizes(&[perm.len() as i64])?, crd]))
    }
}
