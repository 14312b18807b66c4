//! The search for elements whose modes are asked for, level by level.
//!
//! The ranges of modes that are asked for leave every level a range of stored coordinates, so that a walk goes only where
//! such elements can be:
//!
//! ```text
//! row 5 of (i,j) -> (#i, i, j)             level 0  0..3, all of them
//! slots of rows padded to three            level 1  5..6, which is located
//!                                          level 2  0..m, the one that the slot holds
//! ```
//!
//! A range of a level in order is cut out of its children. A level in any order, and a list of coordinates of which one
//! behind the first is asked for, are scanned: that reads an array, where a walk would go down at each of its elements. So is
//! a whole level below others of which everything is asked for, such as the columns of compressed rows: what is above the few
//! positions that are found is found from there.

use crate::index::{IndexArray, with_index};
use crate::levels::CoordColumn;
use crate::path::{WalkPlace, WalkStep, steps, value};
use crate::select::KeptCoords;
use crate::tensor::Tensor;
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_base::machine::threshold;
use openwork_format::Format;
use openwork_format::remap::Band;
use std::ops::Range;

/// Searching a level for each of a few coordinates beats a look at all children from here on.
const FEW: usize = 8;
/// Elements that are compared before any is gone to.
const STRIP: usize = 64;
/// The part of all coordinates up to which a level is scanned before those above it.
const RARE: f64 = 1.0 / 16.0;
/// Elements of a segment that are compared while another one is searched.
const SEGMENT: usize = 32;

/// Calls `visit` with the modes and the position of every stored element that is kept and whose position `skips` does not
/// hold for, in storage order.
///
/// # Errors
/// E0602 for a level that has no storage.
pub(crate) fn search(
    t: &Tensor,
    kept: &[KeptCoords],
    skips: &dyn Fn(usize) -> bool,
    visit: &mut impl FnMut(&[usize], usize),
) -> Result<()> {
    let mut steps = steps(t.format(), t.shape(), t.levels())?;
    if let Some(last) = steps.last_mut() {
        last.skips = Some(skips);
    }
    let ranges = ranges(t.format(), t.shape(), kept);
    let of = |step| LevelQuery::new(t.format(), kept, &ranges, step);
    let asked: Vec<LevelQuery> = steps.iter().map(of).collect();
    let mut search = Search { steps: &steps, asked: &asked, kept, visit };
    let mut place = WalkPlace::new(t.format());
    match search.first() {
        Some((n, column)) => {
            let (all, mut way) = (0..column.len(), vec![0; n + 1]);
            scan(column, all, &asked[n].range, &mut |p| search.search_above(p, &mut way, &mut place));
        }
        None => search.search_below(0, 0, &mut place),
    }
    Ok(())
}

/// From the least coordinate that is kept of every mode to the largest.
fn hulls(kept: &[KeptCoords]) -> Vec<Range<i64>> {
    kept.iter().map(|k| k.hull()).collect()
}

/// The stored coordinates that elements which are kept may have, level by level.
fn ranges(format: &Format, shape: &[usize], kept: &[KeptCoords]) -> Vec<Range<i64>> {
    let hulls = hulls(kept);
    let Some(remap) = &format.remap else {
        return format.modes.iter().map(|&m| hulls[m].clone()).collect();
    };
    let one = |k: usize| {
        let coord = &remap.coords[k];
        let known = |&m: &usize| hulls[m].end - hulls[m].start == 1;
        if coord.counters().is_empty() && coord.inline_locals().modes().iter().all(known) {
            let modes: Vec<usize> = hulls.iter().map(|h| h.start.max(0) as usize).collect();
            let c = value(coord, &modes, &mut Vec::new());
            return c..c.saturating_add(1);
        }
        remap.bounds_within(k, shape, &hulls).range()
    };
    (0..remap.depth()).map(one).collect()
}

/// What is asked for of one level.
struct LevelQuery<'a> {
    range: Range<i64>,
    /// A coordinate above that leaves it fewer, with the range of the mode that is not known.
    band: Option<(Band, Range<i64>)>,
    /// The coordinates by position, where these are fewer than all and tell which positions to go to.
    column: Option<CoordColumn<'a>>,
    /// Which part of all coordinates is asked for.
    share: f64,
}

impl<'a> LevelQuery<'a> {
    fn new(
        format: &Format,
        kept: &[KeptCoords],
        ranges: &[Range<i64>],
        step: &WalkStep<'a>,
    ) -> LevelQuery<'a> {
        let (k, bounds) = (step.view.site.number, step.view.site.bounds);
        let range = ranges[k].start.max(bounds.range().start)..ranges[k].end.min(bounds.range().end);
        let band = format.remap.as_ref().and_then(|r| r.band(k)).map(|b| (b, kept[b.with].hull()));
        let share = (range.end - range.start).max(0) as f64 / bounds.size.max(1) as f64;
        let column = step.storage.column(&step.view).filter(|_| share < 1.0);
        LevelQuery { range, band, column, share }
    }
    /// The coordinates that those above leave.
    fn allowed_range(&self, path: &[i64]) -> Range<i64> {
        let Some((band, with)) = &self.band else { return self.range.clone() };
        // stored = own * mode + other * with + constant
        let at = |w: i64| {
            let rest = path[band.stored] as i128 - band.constant as i128 - band.other as i128 * w as i128;
            band.own as i128 * rest
        };
        let (a, b) = (at(with.start), at(with.end - 1));
        let (low, high) =
            (a.min(b).max(self.range.start as i128), (a.max(b) + 1).min(self.range.end as i128));
        if low < high { low as i64..high as i64 } else { 0..0 }
    }
}

struct Search<'a, V> {
    steps: &'a [WalkStep<'a>],
    asked: &'a [LevelQuery<'a>],
    kept: &'a [KeptCoords],
    visit: &'a mut V,
}

impl<'a, V: FnMut(&[usize], usize)> Search<'a, V> {
    /// Goes to all that is asked for below position `parent` of the level above level `k`.
    fn search_below(&mut self, k: usize, parent: usize, place: &mut WalkPlace) {
        let Some(step) = self.steps.get(k) else {
            let all = self.kept.iter().zip(&place.modes).all(|(k, &c)| k.number(c as i64).is_some());
            if all {
                (self.visit)(&place.modes, parent);
            }
            return;
        };
        let range = self.asked[k].allowed_range(&place.path);
        if range.is_empty() {
            return;
        }
        let children = children(step, parent, place, &range);
        let count = (range.end - range.start) as usize;
        if self.asked[k].share < 1.0 && count.saturating_mul(threshold(FEW, 1)) <= children.len() {
            let one =
                |c: i64, place: &WalkPlace| step.storage.locate(&step.view, parent, &place.path[..k], c);
            if one(range.start, place).is_some() {
                for c in range.clone() {
                    for p in one(c, place).unwrap_or(0..0) {
                        self.visit_position(k, parent, p, &(c..c + 1), place);
                    }
                }
                return;
            }
        }
        if children.len() > threshold(FEW, 1)
            && let Some(n) = self.telling_level(k)
            && let Some(column) = self.asked[n].column
        {
            let range = if n == k { range.clone() } else { self.asked[n].range.clone() };
            return scan(column, children, &range, &mut |p| {
                self.visit_position(k, parent, p, &(i64::MIN..i64::MAX), place)
            });
        }
        if step.is_decoded() {
            return self.visit_decoded(k, parent, children, &range, place);
        }
        for p in children {
            self.visit_position(k, parent, p, &range, place);
        }
    }
    /// The level that tells most by itself, where everything is asked for above it.
    fn first(&self) -> Option<(usize, CoordColumn<'a>)> {
        let rare = |a: &LevelQuery| a.column.is_some() && a.share <= RARE;
        let n = self.asked.iter().position(|a| a.share < 1.0).filter(|&n| n > 0 && rare(&self.asked[n]))?;
        let column = self.asked[n].column?;
        let last = column.len().checked_sub(1)?;
        let parent = |k: usize, p: usize| self.steps[k].storage.parent(&self.steps[k].view, p);
        let parents = parent(n, last)? + 1;
        (0..n).rev().try_fold(parents - 1, |p, k| parent(k, p))?;
        (column.len() / threshold(SEGMENT, 1) <= parents).then_some((n, column))
    }
    /// Goes on at a position of the level at the end of `way`, where those above it are as they are asked for.
    fn search_above(&mut self, p: usize, way: &mut [usize], place: &mut WalkPlace) {
        let n = way.len() - 1;
        way[n] = p;
        for k in (0..n).rev() {
            let below = &self.steps[k + 1];
            let Some(parent) = below.storage.parent(&below.view, way[k + 1]) else { return };
            way[k] = parent;
        }
        for (k, step) in self.steps[..=n].iter().enumerate() {
            tick();
            let parent = if k > 0 { way[k - 1] } else { 0 };
            let path = &place.path[..k];
            let there = step.storage.children(&step.view, parent, path).contains(&way[k]);
            let coord = there.then(|| step.storage.coord(&step.view, parent, way[k], path)).flatten();
            let range = self.asked[k].allowed_range(&place.path);
            match coord.filter(|c| range.contains(c)) {
                Some(c) if step.enter(place, c) => {}
                _ => return,
            }
            if step.skips.is_some_and(|skips| skips(way[k])) {
                return;
            }
        }
        self.search_below(n + 1, p, place);
    }
    /// The level that tells most about positions of level `k`: itself, or one of those below that share them.
    fn telling_level(&self, k: usize) -> Option<usize> {
        let shared = self.steps[k + 1..].iter().take_while(|s| s.view.level().branchless()).count();
        let told = (k..=k + shared).filter(|&n| self.asked[n].column.is_some());
        told.min_by(|&a, &b| self.asked[a].share.total_cmp(&self.asked[b].share))
    }
    /// Goes on at position `p`, if it has a coordinate of the range.
    #[inline]
    fn visit_position(
        &mut self,
        k: usize,
        parent: usize,
        p: usize,
        range: &Range<i64>,
        place: &mut WalkPlace,
    ) {
        tick();
        let step = &self.steps[k];
        if step.skips.is_some_and(|skips| skips(p)) {
            return;
        }
        if let Some(first) = step.storage.coord(&step.view, parent, p, &place.path[..k]) {
            self.visit_coordinates(k, p, first, range, place);
        }
    }
    /// Goes on at every coordinate of the range that position `p` has.
    #[inline]
    fn visit_coordinates(
        &mut self,
        k: usize,
        p: usize,
        first: i64,
        range: &Range<i64>,
        place: &mut WalkPlace,
    ) {
        let step = &self.steps[k];
        let end = step.storage.end(&step.view, p, first);
        for c in first.max(range.start)..end.min(range.end) {
            if step.enter(place, c) {
                self.search_below(k + 1, p, place);
            }
        }
    }
    /// As a loop over [`Search::visit_position`], of a level that gives the coordinates of all children of a parent together.
    fn visit_decoded(
        &mut self,
        k: usize,
        parent: usize,
        some: Range<usize>,
        range: &Range<i64>,
        place: &mut WalkPlace,
    ) {
        let step = &self.steps[k];
        let all = step.storage.children(&step.view, parent, &place.path[..k]);
        let mut coords = Vec::new();
        step.storage.decode(&step.view, parent, &place.path[..k], &mut coords);
        for p in some {
            tick();
            if !step.skips.is_some_and(|skips| skips(p))
                && let Some(first) = coords[p - all.start]
            {
                self.visit_coordinates(k, p, first, range, place);
            }
        }
    }
}

/// The children that may have coordinates of the range.
fn children(step: &WalkStep, parent: usize, place: &WalkPlace, range: &Range<i64>) -> Range<usize> {
    let (k, storage, view) = (step.view.site.number, step.storage, &step.view);
    let above = &place.path[..k];
    let all = storage.children(view, parent, above);
    if all.is_empty() {
        return all;
    }
    if storage.gapless() {
        let bounds = view.site.bounds.range();
        let end = all.end - 1;
        let first = storage.coord(view, parent, all.start, above).unwrap_or(bounds.start);
        let past = storage.coord(view, parent, end, above).map_or(bounds.end, |c| storage.end(view, end, c));
        let (low, high) = (range.start.max(first), range.end.min(past));
        let at = |c| storage.locate(view, parent, above, c).unwrap_or(all.clone());
        return match high.saturating_sub(low) {
            ..=0 => 0..0,
            1 => at(low),
            _ => at(low).start..at(high - 1).end,
        };
    }
    if view.level().is_ordered()
        && all.len() > threshold(FEW, 1)
        && let Some(column) = storage.column(view)
        && !view.site.empties
    {
        let at = |p: usize| column.crd.get(column.first + p * column.stride);
        let before = |c: i64| partition(all.clone(), |p| at(p) < c);
        return before(range.start)..before(range.end);
    }
    all
}

/// The first position that is not so; those that are come first.
fn partition(positions: Range<usize>, is: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (positions.start, positions.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Calls `go` at the positions whose coordinates lie in the range.
fn scan(column: CoordColumn, positions: Range<usize>, range: &Range<i64>, go: &mut impl FnMut(usize)) {
    let CoordColumn { crd, stride, first } = column;
    let length = (range.end - range.start) as u64;
    let inside = |c: i64| (c.wrapping_sub(range.start) as u64) < length;
    if let (IndexArray::I32(s), 1, Ok(low), Ok(length)) =
        (crd, stride, i32::try_from(range.start), u32::try_from(length))
    {
        // Compared in their own width, they are compared several at a time.
        let inside = |c: &i32| (c.wrapping_sub(low) as u32) < length;
        for (n, strip) in s[positions.clone()].chunks(STRIP).enumerate() {
            tick();
            if strip.iter().filter(|c| inside(c)).count() > 0 {
                let hits = strip.iter().enumerate().filter(|(_, c)| inside(c));
                hits.for_each(|(e, _)| go(positions.start + n * STRIP + e));
            }
        }
        return;
    }
    with_index!(crd, s => for strip in positions.clone().step_by(STRIP) {
        tick();
        for p in strip..(strip + STRIP).min(positions.end) {
            if inside(s[first + p * stride] as i64) {
                go(p);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Coo;
    use crate::pack::pack;
    use crate::random::Random;
    use openwork_algebra::{DType, Scalar};
    use openwork_base::Cancel;
    use openwork_base::cancel::stoppable;
    use openwork_format::presets::{self, PRESETS};

    fn elements(shape: &[usize], n: usize, value: impl Fn(usize) -> f64) -> Coo {
        let mut random = Random::new(3);
        let mut at = || shape.iter().map(|&d| random.number_below(d as u128) as usize).collect();
        let entries: Vec<_> = (0..n).map(|e| (at(), Scalar::F64(value(e)))).collect();
        Coo::from_entries(shape, DType::F64, &entries).unwrap()
    }

    /// The elements that are kept with their values, in any order.
    fn kept_elements(
        t: &Tensor,
        kept: &[KeptCoords],
        skips: &dyn Fn(usize) -> bool,
    ) -> Vec<(Vec<usize>, u64)> {
        let mut all = Vec::new();
        let mut note = |at: &[usize], p| all.push((at.to_vec(), t.vals().get(p).as_f64().to_bits()));
        stoppable(|| search(t, kept, skips, &mut note)).unwrap();
        all.sort_unstable();
        all
    }

    #[test]
    fn elements_are_those_of_a_walk() {
        let mut random = Random::new(8);
        for (shape, n) in [(vec![70, 90], 400), (vec![1, 300], 80), (vec![40, 30, 50], 300), (vec![200], 60)]
        {
            for preset in PRESETS.iter().filter(|p| !["lower", "upper", "sym"].contains(&p.name)) {
                let Some(format) = preset.format_of_rank(shape.len()) else { continue };
                // Some elements that are stored have the fill value, and some are there twice.
                let t = pack(&elements(&shape, n, |e| (e % 7) as f64), &format, Scalar::F64(0.0)).unwrap();
                let mut all = Vec::new();
                crate::walk::positions(&t, |at, p| {
                    all.push((at.to_vec(), t.vals().get(p).as_f64().to_bits()))
                });
                all.sort_unstable();
                for round in 0..30 {
                    let one = |&dim: &usize| {
                        let (start, most) = (random.number_below(dim as u128) as usize, dim);
                        let count = 1 + random.number_below((most - start) as u128) as usize;
                        match (round + random.number_below(3) as usize) % 4 {
                            0 => KeptCoords::Every { start: 0, step: 1, count: dim },
                            1 => KeptCoords::At(start),
                            2 => KeptCoords::Every { start, step: 1, count },
                            _ => KeptCoords::Every {
                                start: start + count - 1,
                                step: -2,
                                count: count.div_ceil(2),
                            },
                        }
                    };
                    let kept: Vec<KeptCoords> = shape.iter().map(one).collect();
                    let is = |at: &[usize]| kept.iter().zip(at).all(|(k, &c)| k.number(c as i64).is_some());
                    let wanted: Vec<_> = all.iter().filter(|(at, _)| is(at)).cloned().collect();
                    assert_eq!(kept_elements(&t, &kept, &|_| false), wanted, "{format} {kept:?}");
                }
            }
        }
    }

    #[test]
    fn a_row_costs_what_it_holds_or_a_scan() {
        let (dim, n) = (20_000, 300_000);
        let coo = elements(&[dim, dim], n, |e| e as f64 + 1.0);
        let every = KeptCoords::Every { start: 0, step: 1, count: dim };
        let list = pack(&coo, &presets::coo(2), Scalar::F64(0.0)).unwrap();
        let whole = Cancel::new();
        whole.scope(|| kept_elements(&list, &[every, every], &|_| false));
        for name in [
            "csr", "csc", "coo", "coo_aos", "dok", "hash", "lil", "rle", "ell", "jad", "sell", "csb", "hicoo",
        ] {
            let format = PRESETS.iter().filter(|p| p.name == name).find_map(|p| p.format_of_rank(2)).unwrap();
            let t = pack(&coo, &format, Scalar::F64(0.0)).unwrap();
            let zero = |p| t.vals().get(p).as_f64() == 0.0;
            for kept in [
                [KeptCoords::At(7), every],
                [every, KeptCoords::At(7)],
                [KeptCoords::At(7), KeptCoords::At(9)],
            ] {
                let cancel = Cancel::new();
                let few = cancel.scope(|| kept_elements(&t, &kept, &zero)).len();
                // There is a look for so many elements that a walk goes to.
                let (few_looks, looks) = (cancel.looks(), whole.looks());
                assert!(few < 60 && 5 * few_looks < looks, "{name} {kept:?}: {few}, {few_looks} of {looks}");
            }
        }
    }
}
