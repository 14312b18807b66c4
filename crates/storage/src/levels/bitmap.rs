//! The bitmap level: a slot for every coordinate, and a bit that tells whether it is there; 64 bits to a word.

use super::segments::{check_len, under_empty};
use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::buffer::Buffer;
use crate::error::{checked_product, invalid};
use openwork_algebra::DType;
use openwork_base::Result;
use std::ops::Range;

pub(super) struct BitmapStorage;

fn words<'a>(view: &View<'a>) -> &'a [i64] {
    view.arrays[0].as_slice().unwrap_or(&[])
}

impl LevelStorage for BitmapStorage {
    fn name(&self) -> &'static str {
        "bitmap"
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let (k, size) = (view.number(), view.size());
        let slots = checked_product(&format!("bitmap level {k}"), &[parents.count, size])?;
        let each = size.div_ceil(64);
        let (bits, wanted) = (words(view), checked_product("its words", &[parents.count, each])?);
        check_len(view, "bits", bits.len(), wanted)?;
        if size % 64 != 0 {
            let unused = |w: &i64| (*w as u64) >> (size % 64) != 0;
            if let Some(p) = bits.iter().skip(each - 1).step_by(each).position(unused) {
                return Err(invalid(format!("level {k}: parent {p} has bits beyond its {size} coordinates")));
            }
        }
        match parents.dead().find(|p| bits[p * each..(p + 1) * each].iter().any(|&w| w != 0)) {
            None => Ok(slots),
            Some(p) => Err(under_empty(view, p)),
        }
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        parent * view.size()..(parent + 1) * view.size()
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        let index = position - parent * view.size();
        let word = words(view)[parent * view.size().div_ceil(64) + index / 64];
        (word >> (index % 64) & 1 != 0).then_some(view.low() + index as i64)
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
        let each = build.site.bounds.size.div_ceil(64);
        let len = build.product(&[build.parents(), each])?;
        build.claim("bits", len, 8)?;
        let mut bits = Buffer::zeros(DType::I64, len)?;
        if let Some(words) = bits.as_mut_slice::<i64>() {
            for e in 0..build.len() {
                let index = build.site.index(build.coord(e));
                words[build.parent(e) * each + index / 64] |= 1 << (index % 64);
            }
        }
        Ok(packed.with_arrays(vec![bits]))
    }
}
