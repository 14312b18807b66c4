//! Windows: the part of a mode that an access reads, as in `A(i(1:5:2))`.
//!
//! ```text
//! mode     0 1 2 3 4 5          A(i(1:5:2)) reads 1 and 3, at i = 0 and i = 1
//! variable   0   1
//! ```

use crate::notation::STRUCTURE;
use std::fmt;

/// From which coordinate on, up to which one, and how far apart, as in Python's slices: bounds below zero count from the end
/// of the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    /// The first coordinate.
    pub lo: i64,
    /// The one before which it ends; `None` for the end of the mode.
    pub hi: Option<i64>,
    /// How far the next one is; below zero, windows run backwards.
    pub step: i64,
}

/// The coordinates of a window in a mode whose size is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The first one.
    pub start: usize,
    /// How far the next one is.
    pub step: i64,
    /// How many there are.
    pub count: usize,
}

/// A bound of a window that no coordinate of the mode has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// The bound.
    pub bound: i64,
    /// The size of the mode.
    pub size: usize,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Beyond { bound, size } = self;
        let side = if *bound < 0 { "before its start" } else { "beyond its end" };
        write!(f, "{size} coordinates, and {bound} lies {side}")
    }
}

impl Beyond {
    /// Help for a bound that no coordinate of the mode has.
    pub const HELP: &str =
        "bounds are not clipped; leave one out for the start or the end of the mode, as in `i(2:)`";
}

impl Window {
    /// The window that is all of a mode.
    pub const WHOLE: Window = Window { lo: 0, hi: None, step: 1 };

    /// Whether the window is all of any mode.
    pub fn is_whole(&self) -> bool {
        *self == Window::WHOLE
    }
    /// Its coordinates in a mode of `size` coordinates.
    ///
    /// # Errors
    /// A bound that lies outside of the mode; nothing is clipped.
    ///
    /// ```
    /// use openwork_index::window::Window;
    /// let window = Window { lo: 1, hi: Some(-1), step: 2 };
    /// assert_eq!(window.reach(6).map(|r| (r.start, r.count)), Ok((1, 2)));
    /// assert!(Window { lo: 0, hi: Some(7), step: 1 }.reach(6).is_err());
    /// ```
    pub fn reach(&self, size: usize) -> Result<Reach, Beyond> {
        let at = |bound: i64| {
            let place = if bound < 0 {
                size.checked_sub(bound.unsigned_abs() as usize)
            } else {
                Some(bound as usize)
            };
            place.filter(|&p| p <= size).ok_or(Beyond { bound, size })
        };
        let step = self.step;
        if step < 0 {
            return self.reach_backwards(size, at);
        }
        let (start, end) = (at(self.lo)?, self.hi.map_or(Ok(size), at)?);
        Ok(Reach { start, step, count: end.saturating_sub(start).div_ceil(step as usize) })
    }
    /// How many coordinates it has, where that does not depend on the size of the mode.
    pub fn count(&self) -> Option<usize> {
        let step = self.step.unsigned_abs() as usize;
        if self.step < 0 {
            let last = self.hi.map_or(Some(-1), |hi| Some(hi).filter(|&hi| hi >= 0))?;
            return (self.lo >= 0).then(|| ((self.lo - last).max(0) as usize).div_ceil(step));
        }
        let hi = self.hi.filter(|&hi| self.lo >= 0 && hi >= 0)?;
        Some(((hi - self.lo).max(0) as usize).div_ceil(step))
    }
    /// The coordinates of a window that runs backwards: the first one is in the mode, and the last one is behind `hi`.
    fn reach_backwards(
        &self,
        size: usize,
        at: impl Fn(i64) -> Result<usize, Beyond>,
    ) -> Result<Reach, Beyond> {
        if size == 0 && self.lo == -1 && self.hi.is_none() {
            return Ok(Reach { start: 0, step: self.step, count: 0 });
        }
        let start = at(self.lo)?;
        if start >= size {
            return Err(Beyond { bound: self.lo, size });
        }
        let left = match self.hi {
            None => start + 1,
            Some(hi) => start.saturating_sub(at(hi)?),
        };
        Ok(Reach { start, step: self.step, count: left.div_ceil(self.step.unsigned_abs() as usize) })
    }
    /// The size of the smallest mode in which it has `count` coordinates, if there is one.
    ///
    /// ```
    /// use openwork_index::window::Window;
    /// let window = Window { lo: 2, hi: Some(-1), step: 2 };
    /// assert_eq!(window.room(3), Some(8));
    /// assert_eq!(Window { lo: 0, hi: Some(7), step: 1 }.room(6), None);
    /// ```
    pub fn room(&self, count: usize) -> Option<usize> {
        let count = i64::try_from(count).ok()?;
        if self.step < 0 {
            return self.room_backwards(count);
        }
        // From the first to the last coordinate, both included.
        let span = (count - 1).max(0).checked_mul(self.step)?.checked_add(count.min(1))?;
        let size = match (self.lo, self.hi) {
            (lo @ 0.., Some(hi @ 0..)) => lo.max(hi),
            (lo @ 0.., hi) if count == 0 => lo.max(hi.unwrap_or(0).checked_neg()?),
            (lo @ 0.., hi) => lo.checked_add(span)?.checked_sub(hi.unwrap_or(0))?,
            (lo, Some(hi @ 0..)) => {
                let least = hi.max(lo.checked_neg()?);
                hi.checked_sub(lo)?.checked_sub(count.checked_mul(self.step)?)?.max(least)
            }
            (lo, hi) => lo.min(hi.unwrap_or(0)).checked_neg()?,
        };
        self.has_count(size, count)
    }
    /// The same of a window that runs backwards.
    fn room_backwards(&self, count: i64) -> Option<usize> {
        let step = self.step.checked_neg()?;
        // What lies from the first coordinate down to the bound, for as few and for as many as make so many steps.
        let (fewest, most) =
            ((count - 1).checked_mul(step)?.checked_add(1)?.max(0), count.checked_mul(step)?);
        let size = match (self.lo, self.hi) {
            (lo @ 0.., Some(hi)) if hi < 0 => {
                lo.checked_sub(hi)?.checked_sub(most)?.max(lo + 1).max(hi.checked_neg()?)
            }
            (lo @ 0.., hi) => (lo + 1).max(hi.unwrap_or(0)),
            (-1, None) if count == 0 => 0,
            (lo, None) => fewest.checked_sub(lo)?.checked_sub(1)?,
            (lo, Some(hi @ 0..)) => fewest.checked_sub(lo)?.checked_add(hi)?.max(hi).min(if count == 0 {
                hi.max(-lo)
            } else {
                i64::MAX
            }),
            (lo, Some(hi)) => lo.min(hi).checked_neg()?,
        };
        self.has_count(size, count)
    }
    /// The size, if the window has so many coordinates in a mode of it.
    fn has_count(&self, size: i64, count: i64) -> Option<usize> {
        let size = usize::try_from(size).ok()?;
        self.reach(size).is_ok_and(|r| r.count as i64 == count).then_some(size)
    }
}

/// `1:5:2`, without what is left out: `2:`, `0:6`, `::2`.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lo != 0 || self.hi.is_some() {
            write!(f, "{}", self.lo)?;
        }
        f.write_str(":")?;
        self.hi.map_or(Ok(()), |hi| write!(f, "{hi}"))?;
        if self.step == 1 { Ok(()) } else { write!(f, ":{}", self.step) }
    }
}

/// `A(0:2,:)`, which no tensor of a statement is called.
pub fn part_name(given: &str, windows: &[Window]) -> String {
    let all: Vec<String> = windows.iter().map(Window::to_string).collect();
    format!("{given}({})", all.join(","))
}

/// `structure(A)`, which no tensor of a statement is called.
pub fn structure_name(given: &str) -> String {
    format!("{STRUCTURE}({given})")
}

/// An access as text: a variable is followed by its window, where it has one.
pub(crate) fn access<'v>(name: &str, vars: impl IntoIterator<Item = &'v str>, windows: &[Window]) -> String {
    let mut out = format!("{name}(");
    for (n, v) in vars.into_iter().enumerate() {
        out.push_str(if n > 0 { "," } else { "" });
        out.push_str(v);
        if let Some(w) = windows.get(n).filter(|w| !w.is_whole()) {
            out.push_str(&format!("({w})"));
        }
    }
    out.push(')');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python's own rule, by looking at every coordinate, where nothing has to be clipped.
    #[test]
    fn coordinates_are_those_of_a_slice() {
        for size in 0..5usize {
            for (lo, hi, step) in all_windows() {
                let window = Window { lo, hi, step };
                let n = size as i64;
                let from = |b: i64| if b < 0 { n + b } else { b };
                let (first, end) = (from(lo), hi.map_or(if step > 0 { n } else { -1 }, from));
                let ends = end == -1 && hi.is_none() || (0..=n).contains(&end);
                let begins = if step > 0 { (0..=n).contains(&first) } else { (0..n).contains(&first) };
                let inside = begins && ends || (n, lo, hi, step < 0) == (0, -1, None, true);
                let all = |c: &i64| {
                    let between = if step > 0 { (first..end).contains(c) } else { end < *c && *c <= first };
                    between && (c - first) % step == 0
                };
                let mut want: Vec<i64> = (0..n).filter(all).collect();
                if step < 0 {
                    want.reverse();
                }
                match window.reach(size) {
                    Ok(r) => {
                        let got: Vec<i64> =
                            (0..r.count as i64).map(|k| r.start as i64 + k * r.step).collect();
                        assert!(inside && got == want, "{window} of {size}");
                        assert!(window.count().is_none_or(|count| count == r.count));
                    }
                    Err(_) => assert!(!inside, "{window} of {size}"),
                }
            }
        }
    }
    #[test]
    fn the_room_of_a_window_is_the_smallest_mode_that_has_so_many() {
        for (lo, hi, step) in all_windows() {
            let window = Window { lo, hi, step };
            for count in 0..5 {
                let has = |&size: &usize| window.reach(size).is_ok_and(|r| r.count == count);
                assert_eq!(window.room(count), (0..40).find(has), "{window} of {count}");
            }
        }
    }
    fn all_windows() -> impl Iterator<Item = (i64, Option<i64>, i64)> {
        let bounds = || (-5..6).map(Some).chain([None]);
        bounds()
            .flatten()
            .flat_map(move |lo| bounds().flat_map(move |hi| [-3, -2, -1, 1, 2, 3].map(move |s| (lo, hi, s))))
    }
}
