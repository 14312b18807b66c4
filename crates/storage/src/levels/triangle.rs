//! The lower and upper levels: the rows of a triangle below a dense level, one after the other without gaps.

use super::{Build, LevelStorage, PackedLevel, Parents, View};
use crate::error::{too_large, unfit};
use openwork_base::Result;
use std::ops::Range;

/// A triangle of the rows that a dense level has.
pub(super) struct TriangleStorage {
    name: &'static str,
    upper: bool,
}

pub(super) static LOWER: TriangleStorage = TriangleStorage { name: "lower", upper: false };
pub(super) static UPPER: TriangleStorage = TriangleStorage { name: "upper", upper: true };

impl TriangleStorage {
    /// Slots of the rows before `row`, of rows with at most `size` coordinates.
    fn slots_before(&self, row: usize, size: usize) -> u128 {
        let (row, size) = (row as u128, size as u128);
        // The rows of a lower triangle grow from 1 to `size` and stay there; those of an upper one shrink to none.
        let ramp = row.min(size);
        if self.upper {
            ramp * size - ramp * ramp.saturating_sub(1) / 2
        } else {
            ramp * (ramp + 1) / 2 + (row - ramp) * size
        }
    }
    /// The indices of the coordinates of a row.
    fn row(&self, row: usize, size: usize) -> Range<usize> {
        if self.upper { row.min(size)..size } else { 0..size.min(row + 1) }
    }
    /// The position of the first slot of `parent`, and the indices of its coordinates.
    fn place(&self, parent: usize, rows: usize, size: usize) -> (usize, Range<usize>) {
        let (whole, row) = (parent / rows.max(1), parent % rows.max(1));
        let first = whole as u128 * self.slots_before(rows, size) + self.slots_before(row, size);
        (first as usize, self.row(row, size))
    }
    fn total(&self, parents: usize, rows: usize, size: usize) -> Option<usize> {
        let all = ((parents / rows.max(1)) as u128).checked_mul(self.slots_before(rows, size))?;
        usize::try_from(all).ok().filter(|&n| n <= isize::MAX as usize)
    }
    fn row_slots(&self, view: &View, parent: usize) -> (usize, Range<usize>) {
        self.place(parent, view.site.above.size, view.size())
    }
}

impl LevelStorage for TriangleStorage {
    fn name(&self) -> &'static str {
        self.name
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        let total = self.total(parents.count, view.site.above.size, view.size());
        let message = || format!("level {} has more slots than the address space holds", view.number());
        total.ok_or_else(|| too_large(message()))
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let (first, row) = self.row_slots(view, parent);
        first..first + row.len()
    }
    fn coord(&self, view: &View, parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        let (first, row) = self.row_slots(view, parent);
        Some(view.low() + (row.start + position - first) as i64)
    }
    fn gapless(&self) -> bool {
        true
    }
    fn locate(&self, view: &View, parent: usize, _above: &[i64], coord: i64) -> Option<Range<usize>> {
        let (first, row) = self.row_slots(view, parent);
        let index = view.site.index(coord);
        let p = first + index.saturating_sub(row.start);
        Some(if row.contains(&index) { p..p + 1 } else { 0..0 })
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let (rows, size) = (build.site.above.size, build.site.bounds.size);
        let place = |e| (self.place(build.parent(e), rows, size), build.site.index(build.coord(e)));
        let outside = |&e: &usize| {
            let ((_, row), index) = place(e);
            !row.contains(&index)
        };
        if let Some(e) = (0..build.len()).find(outside) {
            let at = build.describe(e);
            let message = format!(
                "level {}: the entry at {at} lies outside the {} triangle",
                build.site.number, self.name
            );
            return Err(unfit(message, "choose a format that holds any entry, such as csr, or `banded`"));
        }
        let total = self.total(build.parents(), rows, size);
        let positions = build.countable(total)?;
        build.table(positions, |e| {
            let ((first, row), index) = place(e);
            first + index - row.start
        })
    }
}
