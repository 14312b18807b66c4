//! The masked level: a slot for every coordinate, and a bool that tells whether it is there.

use super::segments::{check_len, under_empty};
use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::buffer::Buffer;
use crate::error::{checked_product, invalid};
use openwork_algebra::DType;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct MaskedStorage;

impl LevelStorage for MaskedStorage {
    fn name(&self) -> &'static str {
        "masked"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (size, mask) = (view.size(), view.arrays[0].as_bytes());
        let slots = checked_product(&format!("masked level {}", view.number()), &[parents.count, size])?;
        check_len(view, "mask", mask.len(), slots)?;
        if let Some(p) = mask.iter().position(|&b| b > 1) {
            let message = format!("level {}: mask[{p}] is the byte {}, not 0 or 1", view.number(), mask[p]);
            return Err(invalid(message));
        }
        match parents.dead().find(|p| mask[p * size..(p + 1) * size].contains(&1)) {
            None => Ok(slots),
            Some(p) => Err(under_empty(view, p)),
        }
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent * view.size()..(parent + 1) * view.size()
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        let there = view.arrays[0].as_bytes()[position] != 0;
        there.then(|| view.low() + (position - parent * view.size()) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        let p = parent * view.size() + view.site.index(coord);
        Some(p..p + 1)
    }
    fn parent(&self, view: &View, position: usize) -> Option<usize> {
        position.checked_div(view.size())
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let packed = build.build_full()?;
        build.claim("mask", packed.positions, 1)?;
        let mut mask = Buffer::zeros(DType::Bool, packed.positions)?;
        if let Some(slots) = mask.as_mut_slice::<bool>() {
            (0..build.len()).for_each(|e| slots[build.position(&packed, e)] = true);
        }
        Ok(packed.with_arrays(vec![mask]))
    }
}
