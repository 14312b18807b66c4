//! The site of a level: what the format says about it, without any arrays.

use crate::error::{too_large, unfit};
use openwork_base::Result;
use openwork_format::remap::{CoordBounds, Linear};
use openwork_format::{ArrayRole, Format, Level, Needs};
use std::ops::Range;

/// A level in its place in a format, for a tensor of a certain shape.
#[derive(Clone, Debug)]
pub struct Site {
    /// The number of the level, 0 outermost.
    pub number: usize,
    /// The level.
    pub level: Level,
    /// The coordinates it may store.
    pub bounds: CoordBounds,
    /// The coordinates that the level right above may store; an empty range for level 0.
    pub above: CoordBounds,
    /// The coordinate in terms of those of the levels above, where they determine it.
    pub derived: Option<Linear>,
    /// The interval that a coordinate above leaves, where one does.
    pub(crate) band: Option<StripTerm>,
    /// Whether parents may be slots without an element, or children of such slots.
    pub gaps_above: bool,
    /// Whether slots of this level may be empty, so that its coordinate arrays may hold the empty marker.
    pub empties: bool,
    /// Whether a level above is only as wide as its longest list of elements, so that there are slots only where there are
    /// elements.
    pub(crate) widths_above: bool,
    /// The level whose structs hold the coordinates, and how many numbers a struct has.
    pub(crate) structs: (usize, usize),
    /// The index that marks an empty slot of a coordinate array.
    pub empty: i64,
}

/// `stored = own * mode + other * w + constant` with `0 <= w < with`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StripTerm {
    stored: usize,
    own: i128,
    other: i128,
    constant: i128,
    with: usize,
}

/// Coordinates up to here can be added and subtracted a few times.
const FAR: i64 = 1 << 60;

impl Site {
    /// Level `k` of a resolved format.
    ///
    /// # Errors
    /// E0602 for a level format without storage or in a place where it cannot be; E0603 for coordinates beyond `i64`.
    pub fn new(format: &Format, shape: &[usize], k: usize) -> Result<Site> {
        let level = format.levels[k];
        let bounds = format.bounds(k, shape);
        let end = bounds.low as i128 + bounds.size as i128;
        if i64::try_from(bounds.size).is_err() || i64::try_from(end).is_err() {
            let message = format!("level {k}: its coordinates range further than can be counted");
            return Err(too_large(message));
        }
        let above = k.checked_sub(1).map_or(CoordBounds { low: 0, size: 0 }, |a| format.bounds(a, shape));
        let site = Site {
            number: k,
            level,
            bounds,
            above,
            derived: derived_coordinate(format, k),
            band: strip(format, shape, k),
            gaps_above: super::gaps(format, k),
            empties: level.has_empties() || level.branchless() && super::gaps(format, k),
            widths_above: format.levels[..k].iter().any(|l| l.is_prefix()),
            structs: structs(format, k),
            empty: format.width(ArrayRole::Crd).empty(),
        };
        site.check_place(format)?;
        Ok(site)
    }
    /// Refuses levels where they cannot stand; format text does so too, but formats can be put together by hand.
    fn check_place(&self, format: &Format) -> Result<()> {
        let (k, level) = (self.number, self.level);
        let banded = level.spec.needs == Needs::Above;
        if banded && [self.bounds, self.above].iter().any(|b| b.low.abs() > FAR || b.size as i64 > FAR) {
            return Err(too_large(format!(
                "level {k}: its coordinates range further than a band can be counted"
            )));
        }
        let above = k.checked_sub(1).map(|a| format.levels[a]);
        let fault = if level.spec.needs == Needs::DenseAbove && !above.is_some_and(|a| a.is_dense()) {
            Some(("a triangle needs a dense level right above", "put a dense level above it"))
        } else if banded && above.is_none() {
            Some(("a band needs a level above", "put a level above it"))
        } else if level.spec.needs == Needs::Band && self.band.is_none() {
            Some(("no coordinate above leaves it an interval", "store a sum or difference of modes above it"))
        } else if level.spec.needs == Needs::Formula && self.derived.is_none() {
            Some(("the coordinates above do not determine its coordinate", "use a level that stores it"))
        } else if level.spec.needs == Needs::Head && !format.levels[self.structs.0].spec.interleaves {
            Some(("no structs above hold its coordinates", "put `compressed_aos` right above it"))
        } else if level.shares_positions() && k + 1 < format.levels.len() {
            Some(("nothing can lie below runs", "make it the last level"))
        } else {
            None
        };
        match fault {
            None => Ok(()),
            Some((what, help)) => Err(unfit(format!("level {k} is {level}, but {what}"), help)),
        }
    }
    /// Whether `coord` is one that the level may store.
    pub fn contains(&self, coord: i64) -> bool {
        // Sizes are below 2^63, so the wrapped difference is small only for coordinates in the range.
        (coord.wrapping_sub(self.bounds.low) as u64) < self.bounds.size as u64
    }
    /// The coordinate that those of the levels above determine, when it lies in the bounds.
    pub fn computed_coordinate(&self, above: &[i64]) -> Option<i64> {
        let form = self.derived.as_ref()?;
        linear(form, above).filter(|&c| self.contains(c))
    }
    /// The coordinates that a band above leaves, inside the bounds.
    pub(crate) fn interval(&self, above: &[i64]) -> Range<i64> {
        let Some(strip) = self.band.filter(|s| s.with > 0) else { return 0..0 };
        let at = |w: i128| strip.own * (above[strip.stored] as i128 - strip.constant - strip.other * w);
        let (a, b) = (at(0), at(strip.with as i128 - 1));
        let bounds = self.bounds.range();
        let (low, high) = (a.min(b).max(bounds.start as i128), (a.max(b) + 1).min(bounds.end as i128));
        if low < high { low as i64..high as i64 } else { bounds.start..bounds.start }
    }
    /// How `coord` is counted from the least one.
    pub fn index(&self, coord: i64) -> usize {
        (coord - self.bounds.low) as usize
    }
}

/// The value of a linear form, if it can be counted.
pub(crate) fn linear(form: &Linear, coords: &[i64]) -> Option<i64> {
    let terms = form.terms.iter().map(|&(f, k)| f as i128 * coords[k] as i128);
    i64::try_from(terms.fold(form.constant as i128, |sum, t| sum.saturating_add(t))).ok()
}

fn derived_coordinate(format: &Format, k: usize) -> Option<Linear> {
    let remap = format.remap.as_ref()?;
    remap.recover(remap.coords[k].plain()?, k)
}

fn strip(format: &Format, shape: &[usize], k: usize) -> Option<StripTerm> {
    let band = format.remap.as_ref()?.band(k)?;
    Some(StripTerm {
        stored: band.stored,
        own: band.own as i128,
        other: band.other as i128,
        constant: band.constant as i128,
        with: shape[band.with],
    })
}

/// The level that keeps the coordinates of level `k`, and the numbers in each of its structs.
fn structs(format: &Format, k: usize) -> (usize, usize) {
    let inside = |j: usize| format.levels[j].spec.needs == Needs::Head;
    let mut head = k;
    while head > 0 && inside(head) {
        head -= 1;
    }
    let more = (head + 1..format.levels.len()).take_while(|&j| inside(j)).count();
    (head, 1 + more)
}
