//! The hashed level: `width` buckets per parent, filled by open addressing with linear probing that wraps around inside
//! the parent's buckets.
//!
//! A unique level hashes its own coordinate. A level that is not unique hashes the whole tuple of its coordinate and
//! those of the branchless levels below it, which share its positions.

use super::segments::{check_len, out_of_range, under_empty};
use super::{Build, Entries, LevelStorage, Packed, Parents, Tuples, View};
use crate::error::{checked_product, invalid};
use openwork_base::Result;
use openwork_base::cancel::tick;
use std::ops::Range;

pub(super) struct Hashed;

/// The bucket at which probing for a tuple starts, out of a power of two of them.
fn start(tuple: &[i64], lows: &[i64], unique: bool, width: usize) -> usize {
    let offset = |n: usize| (tuple[n].wrapping_sub(lows[n])) as u64;
    let more = if unique { 1 } else { tuple.len() };
    let hash = (1..more).fold(offset(0), |h, n| h.wrapping_mul(0x9E37_79B1).wrapping_add(offset(n)));
    (hash & (width as u64 - 1)) as usize
}

impl LevelStorage for Hashed {
    fn name(&self) -> &'static str {
        "hashed"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, crd) = (view.number(), view.index(1));
        check_len(view, "width", view.index(0).len(), 1)?;
        let width = view.index(0).get(0);
        if width < 1 || width.count_ones() != 1 {
            return Err(invalid(format!("level {k}: {width} buckets per parent are no power of two")));
        }
        let slots = checked_product(&format!("hashed level {k}"), &[parents.count, width as usize])?;
        check_len(view, "crd", crd.len(), slots)?;
        for p in 0..parents.count {
            let mut taken = 0;
            for q in self.children(view, p, &[]) {
                tick();
                let Some(c) = view.filled(crd.get(q)) else { continue };
                if !view.site.inside(c) {
                    return Err(out_of_range(view, "crd", q, c));
                }
                taken += 1;
            }
            if taken > 0 && !parents.is_live(p) {
                return Err(under_empty(view, p));
            }
            if 2 * taken > width as usize {
                let message = format!("level {k}: parent {p} has {taken} children in {width} buckets");
                return Err(invalid(message + ", but at most half may be taken"));
            }
        }
        Ok(slots)
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let width = view.size_at(0);
        parent * width..(parent + 1) * width
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        view.filled(view.index(1).get(position))
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        if !view.level().unique() {
            return None;
        }
        let (width, crd) = (view.size_at(0), view.index(1));
        let from = start(&[coord], &[view.low()], true, width);
        let buckets = (0..width).map(|n| parent * width + ((from + n) & (width - 1)));
        for q in buckets {
            match view.filled(crd.get(q)) {
                Some(c) if c == coord => return Some(q..q + 1),
                Some(_) => {}
                None => break,
            }
        }
        Some(0..0)
    }
    /// Probing finds every tuple: no free bucket lies between the one where it starts and the one it ends at.
    fn check_tuples(&self, view: &View, parent: usize, tuples: &Tuples) -> Result<()> {
        let width = tuples.len();
        let Some(free) = (0..width).find(|&b| tuples.get(b).is_none()) else { return Ok(()) };
        let mut run = 0;
        for n in 1..=width {
            tick();
            let bucket = (free + n) & (width - 1);
            let Some(tuple) = tuples.get(bucket) else {
                run = 0;
                continue;
            };
            let begin = start(tuple, &tuples.lows, view.level().unique(), width);
            if (bucket.wrapping_sub(begin)) & (width - 1) > run {
                return Err(invalid(format!(
                    "level {}: coordinate {} of parent {parent} is in bucket {bucket}, where probing from bucket \
                     {begin} does not get",
                    view.number(),
                    tuple[0]
                )));
            }
            run += 1;
        }
        Ok(())
    }
    fn pack(&self, build: &Build) -> Result<Packed> {
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let mut most = 0;
        build.groups_by_parent(&groups, |_, children| most = most.max(children.len()));
        let width = (2 * most).max(1).next_power_of_two();
        let positions = build.product(&[build.parents(), width])?;
        build.claim_crd(positions)?;
        let lows: Vec<i64> =
            (build.site.number..=build.chain_end()).map(|k| build.bounds_at(k).low).collect();
        let unique = build.site.level.unique();
        let mut taken = vec![false; if groups.len() == 0 { 0 } else { positions }];
        let mut tuple = vec![0; lows.len()];
        let mut place = Vec::with_capacity(groups.len());
        for g in 0..groups.len() {
            let e = groups.first(g);
            (0..tuple.len()).for_each(|n| tuple[n] = build.coord_at(build.site.number + n, e));
            let (base, mut bucket) = (build.parent(e) * width, start(&tuple, &lows, unique, width));
            while taken[base + bucket] {
                tick();
                bucket = (bucket + 1) & (width - 1);
            }
            taken[base + bucket] = true;
            place.push(base + bucket);
        }
        let crd = build.crd(positions, true, |write| {
            (0..groups.len()).for_each(|g| write(place[g], build.coord(groups.first(g))));
        })?;
        let entries =
            Entries::Table((0..build.len()).inspect(|_| tick()).map(|e| place[groups.of(e)]).collect());
        Ok(Packed { arrays: vec![build.sizes(&[width as i64])?, crd], positions, entries })
    }
}
