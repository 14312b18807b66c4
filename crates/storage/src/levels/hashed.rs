//! The hashed level: `width` buckets per parent, filled by open addressing with linear probing that wraps around inside
//! the parent's buckets.
//!
//! A unique level hashes its own coordinate. A level that is not unique hashes the whole tuple of its coordinate and
//! those of the branchless levels below it, which share its positions.

use super::segments::{check_len, out_of_range, under_empty};
use super::{Build, CoordColumn, Entries, LevelStorage, PackedLevel, Parents, Tuples, View};
use crate::error::{checked_product, crowded_table, invalid};
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::spread::{FARTHEST, spread};
use std::ops::Range;

pub(super) struct HashedStorage;

/// The bucket at which probing for a tuple starts, out of a power of two of them. All coordinates of a tuple but the
/// last are mixed before the next one is added, so that tuples that differ in any of them part.
fn start(tuple: &[i64], lows: &[i64], unique: bool, width: usize) -> usize {
    let offset = |n: usize| tuple[n].wrapping_sub(lows[n]);
    let more = if unique { 1 } else { tuple.len() };
    let mixed = (1..more).fold(offset(0), |h, n| spread(h).wrapping_add(offset(n)));
    spread(mixed) as usize & (width - 1)
}

impl LevelStorage for HashedStorage {
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
                let Some(c) = view.filled_coordinate(crd.get(q)) else { continue };
                if !view.site.contains(c) {
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
        view.filled_coordinate(view.index(1).get(position))
    }
    fn column<'a>(&self, view: &View<'a>) -> Option<CoordColumn<'a>> {
        Some(CoordColumn::from_index(view.index(1)))
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        if !view.level().unique() {
            return None;
        }
        let (width, crd) = (view.size_at(0), view.index(1));
        let from = start(&[coord], &[view.low()], true, width);
        let buckets = (0..width).map(|n| parent * width + ((from + n) & (width - 1)));
        for q in buckets {
            match view.filled_coordinate(crd.get(q)) {
                Some(c) if c == coord => return Some(q..q + 1),
                Some(_) => {}
                None => break,
            }
        }
        Some(0..0)
    }
    /// Probing finds every tuple, and soon: no free bucket lies between the one where it starts and the one it ends at,
    /// and these are no farther apart than tables allow.
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
            let far = bucket.wrapping_sub(begin) & (width - 1);
            if far > FARTHEST as usize {
                return Err(invalid(format!(
                    "level {}: coordinate {} of parent {parent} is {far} buckets behind the one where probing begins, but \
                     at most {FARTHEST} are allowed",
                    view.number(),
                    tuple[0]
                )));
            }
            if far > run {
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
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size_at(0))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
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
            let mut far = 0;
            while taken[base + bucket] {
                tick();
                (bucket, far) = ((bucket + 1) & (width - 1), far + 1);
            }
            if far > FARTHEST {
                return Err(crowded_table());
            }
            taken[base + bucket] = true;
            place.push(base + bucket);
        }
        let crd = build.crd(positions, true, |write| {
            (0..groups.len()).for_each(|g| write(place[g], build.coord(groups.first(g))));
        })?;
        let entries =
            Entries::Table((0..build.len()).inspect(|_| tick()).map(|e| place[groups.group_of(e)]).collect());
        Ok(PackedLevel { arrays: vec![build.sizes(&[width as i64])?, crd], positions, entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, Tensor, pack, unpack};
    use openwork_algebra::{DType, Scalar};
    use openwork_base::Source;
    use openwork_format::Catalog;
    use openwork_format::spread::{FACTOR, FOLD, HIGH};

    /// A vector with the value 1 at each of these coordinates.
    fn pack_vector(format: &str, coords: &[usize]) -> Result<Tensor> {
        let entries: Vec<_> = coords.iter().map(|&c| (vec![c], Scalar::F64(1.0))).collect();
        let coo = Coo::from_entries(&[1 << 62], DType::F64, &entries)?;
        let format = Catalog::default().parse(&Source::new("format", format), 1)?;
        pack(&coo, &format, Scalar::F64(0.0))
    }
    /// Coordinates whose hashes end in 20 zeros.
    fn colliding(n: usize) -> Vec<usize> {
        // Each step of `spread`, backwards: folding twice is no change, and the inverse of an odd factor by Newton.
        let inverse = (0..6).fold(FACTOR, |x, _| x.wrapping_mul(2i64.wrapping_sub(FACTOR.wrapping_mul(x))));
        let fold = |h: i64| h ^ ((h >> FOLD) & HIGH);
        let offsets = (1i64..).map(|h| fold(fold(fold(h << 20).wrapping_mul(inverse)).wrapping_mul(inverse)));
        let found: Vec<usize> =
            offsets.filter(|&c| (0..1 << 62).contains(&c)).take(n).map(|c| c as usize).collect();
        assert!(found.iter().all(|&c| spread(c as i64) & 0xF_FFFF == 0));
        found
    }

    #[test]
    fn strided_coordinates_are_found_soon() {
        for shift in [0, 1, 12, 16, 31, 32, 33, 40, 45] {
            let coords: Vec<usize> = (0..20_000).map(|i| i << shift).collect();
            let t = pack_vector("hash; crd = i64", &coords).unwrap();
            let width = t.levels()[0].arrays[0].get(0).as_i64() as usize;
            let crd = t.levels()[0].arrays[1].as_slice::<i64>().unwrap();
            let mut farthest = 0;
            for (bucket, &c) in crd.iter().enumerate().filter(|(_, c)| **c >= 0) {
                let begin = start(&[c], &[0], true, width);
                farthest = farthest.max(bucket.wrapping_sub(begin) & (width - 1));
            }
            assert!(farthest < 200, "multiples of 2^{shift}: {farthest}");
            assert_eq!(unpack(&t).unwrap().len(), coords.len());
            assert_eq!(t.get(&[coords[77]]), Some(Scalar::F64(1.0)));
            assert_eq!(t.get(&[coords[77] + 1]), Some(Scalar::F64(f64::from(shift == 0))));
        }
    }

    #[test]
    fn coordinates_that_collide_are_refused_before_they_take_long() {
        let few = pack_vector("hash; crd = i64", &colliding(FARTHEST as usize)).unwrap();
        assert_eq!(Tensor::try_from(few.clone().into_parts()).unwrap(), few);
        let many = pack_vector("hash; crd = i64", &colliding(100_000)).unwrap_err();
        assert_eq!(many.code().0, "E0602");
        // The same table made by somebody else.
        let coords = colliding(FARTHEST as usize + 2);
        let mut parts = few.into_parts();
        let width = 4 * FARTHEST as usize;
        let mut crd = vec![-1i64; width];
        crd[..coords.len()].iter_mut().zip(&coords).for_each(|(slot, &c)| *slot = c as i64);
        parts.levels[0].arrays = vec![vec![width as i64].into(), crd.into()];
        parts.vals = vec![1.0; width].into();
        let e = Tensor::try_from(parts).unwrap_err();
        assert!(e.to_string().contains("at most 1024 are allowed"), "{e}");
    }
}
