//! The banded level: the coordinates from `lower` below to `upper` above the parent's coordinate.
//!
//! Every parent has `lower + upper + 1` slots; those whose coordinates lie outside the bounds are empty.

use super::segments::check_len;
use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::{checked_product, invalid};
use openwork_base::Result;
use std::ops::Range;

pub(super) struct BandedStorage;

/// `lower` and `upper`.
fn limits(view: &View) -> (i64, i64) {
    (view.index(0).get(0), view.index(0).get(1))
}
fn width(view: &View) -> usize {
    let (lower, upper) = limits(view);
    (lower + upper + 1) as usize
}
fn parent_coord(above: &[i64]) -> i64 {
    above.last().copied().unwrap_or(0)
}

impl LevelStorage for BandedStorage {
    fn name(&self) -> &'static str {
        "banded"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let k = view.number();
        check_len(view, "bounds", view.index(0).len(), 2)?;
        let (lower, upper) = limits(view);
        let (own, up) = (view.site.bounds.range(), view.site.above.range());
        let reach = |a: i64, b: i64| a.abs_diff(b);
        let most = reach(own.start, up.end).max(reach(up.start, own.end)).max(1);
        let slots = lower as i128 + upper as i128 + 1;
        if lower.unsigned_abs() > most || upper.unsigned_abs() > most || slots < 0 {
            return Err(invalid(format!(
                "level {k}: the bounds {lower} and {upper} are no band of this matrix"
            )));
        }
        checked_product(&format!("banded level {k}"), &[parents.count, slots as usize])
    }
    fn children(&self, view: &View, parent: usize, above: &[i64]) -> Range<usize> {
        let (lower, upper) = limits(view);
        let (up, range) = (parent_coord(above), view.site.bounds.range());
        let (first, end) = ((up - lower).max(range.start), (up + upper + 1).min(range.end));
        let at = |c: i64| parent * width(view) + (c - up + lower) as usize;
        if first < end { at(first)..at(end) } else { 0..0 }
    }
    fn coord(&self, view: &View, parent: usize, position: usize, above: &[i64]) -> Option<i64> {
        let from = parent_coord(above) - limits(view).0;
        Some(from + (position - parent * width(view)) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, above: &[i64], coord: i64) -> Option<Range<usize>> {
        let ((lower, upper), off) = (limits(view), coord - parent_coord(above));
        let p = parent * width(view);
        let inside = -lower <= off && off <= upper;
        let p = if inside { p + (off + lower) as usize } else { p };
        Some(if inside { p..p + 1 } else { 0..0 })
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let above = build.site.number - 1;
        let off = |e| build.coord(e) - build.coord_at(above, e);
        let (mut lower, mut upper) = (0, -1);
        for e in 0..build.len() {
            let d = off(e);
            (lower, upper) = if e == 0 { (-d, d) } else { (lower.max(-d), upper.max(d)) };
        }
        let packed = build.slots((lower + upper + 1) as usize, |e| (off(e) + lower) as usize)?;
        Ok(packed.with_arrays(vec![build.sizes(&[lower, upper])?]))
    }
}
