//! Index arrays of a level as they are made: in the widths of the format, checked for overflow, within the memory limit.

use crate::buffer::Buffer;
use crate::build::{Build, Groups};
use crate::element::Element;
use crate::error::{over_limit, too_wide, unfit};
use crate::index::{dispatch_width, with_index};
use crate::memory;
use crate::parallel;
use openwork_base::cancel::tick;
use openwork_base::{Error, Result, SlotCount};
use openwork_format::ArrayRole;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicI64, Ordering};

impl Build<'_> {
    /// The product of `sizes`, a number of positions or elements.
    ///
    /// # Errors
    /// E0605 when no machine could hold so many.
    pub fn product(&self, sizes: &[usize]) -> Result<usize> {
        self.countable(SlotCount::product(sizes).count())
    }
    /// A number of positions that is one.
    pub(crate) fn countable(&self, n: Option<usize>) -> Result<usize> {
        n.filter(|&n| n <= isize::MAX as usize).ok_or_else(|| {
            over_limit(format!(
                "level {} ({}) would take more memory than the address space holds, and the memory limit is {}",
                self.site.number,
                self.site.level,
                memory::bytes_text(u128::from(memory::limit()))
            ))
        })
    }
    /// Announces an array of `len` elements of `size` bytes each, before it is made.
    ///
    /// # Errors
    /// E0605 when that is more than the memory limit leaves.
    pub fn claim(&self, what: &str, len: usize, size: usize) -> Result<()> {
        self.check_length(what, len, size)
    }
    /// As [`Build::claim`] for an array of at least `len` elements of one byte.
    ///
    /// # Errors
    /// As [`Build::claim`].
    pub fn allow(&self, what: &str, len: usize) -> Result<()> {
        self.check_length(what, len, 1)
    }
    fn check_length(&self, what: &str, len: usize, size: usize) -> Result<()> {
        let bytes = (len as u128).saturating_mul(size as u128);
        memory::allow(|| format!("{what} of level {} ({})", self.site.number, self.site.level), bytes)
    }
    /// Announces a coordinate array.
    pub(crate) fn claim_crd(&self, len: usize) -> Result<()> {
        let size = self.format().width(ArrayRole::Crd).dtype().size();
        self.check_length("coordinates", len, size)
    }
    /// An array of sizes.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn sizes(&self, sizes: &[i64]) -> Result<Buffer> {
        Buffer::copy_of(sizes)
    }
    /// The coordinate array of the groups, in the format's width: a fast [`Build::crd`] for levels without empty
    /// slots.
    ///
    /// # Errors
    /// E0604 when a coordinate does not fit; E0603 and E0605 when the memory cannot be had.
    pub fn coordinates(&self, groups: &Groups) -> Result<Buffer> {
        let width = self.format().width(ArrayRole::Crd);
        self.claim("coordinates", groups.len(), width.dtype().size())?;
        let signed = width.empty() < 0;
        let (min, max) = (if signed { i64::MIN } else { 0 }, width.max() as i64);
        let min = if signed && max < i64::MAX { -max - 1 } else { min };
        let mut out = Buffer::zeros(width.dtype(), groups.len())?;
        let bad = with_index!(self.index(self.site.number), from => dispatch_width!(width, T => {
            fill_coordinates(&mut out, min..=max, |g| from[groups.first(g)] as i64, |c| c as T)
        }));
        match bad {
            None => Ok(out),
            Some(c) => Err(self.overflow(ArrayRole::Crd, "coordinate", c)),
        }
    }
    /// A coordinate array of `len` elements in the format's width: `fill` gets a function that stores an element, the
    /// others hold the empty marker. `empties` says whether readers will take that marker for an empty slot.
    ///
    /// # Errors
    /// E0604 when a coordinate does not fit; E0602 when it is the empty marker of a signed width; E0603 and E0605 when
    /// the memory cannot be had.
    pub fn crd(
        &self,
        len: usize,
        empties: bool,
        fill: impl FnOnce(&mut dyn FnMut(usize, i64)),
    ) -> Result<Buffer> {
        let width = self.format().width(ArrayRole::Crd);
        self.claim("coordinates", len, width.dtype().size())?;
        let (empty, max) = (width.empty(), width.max() as i64);
        let min = if empty >= 0 { 0 } else { (-max).saturating_sub(1) };
        let mut out = Buffer::zeros(width.dtype(), len)?;
        let mut bad = None;
        dispatch_width!(width, T => {
            let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
            if empties {
                slots.fill(empty as T);
            }
            fill(&mut |at, c| {
                tick();
                if c < min || c > max || empties && c == empty {
                    bad = Some(c);
                }
                slots[at] = c as T;
            });
        });
        match bad {
            None => Ok(out),
            Some(c) if c == empty && empty < 0 => Err(unfit(
                format!("level {}: coordinate {c} is the marker of empty slots", self.site.number),
                "store coordinates that are not negative, e.g. `i-j+1000` in place of `i-j`",
            )),
            Some(c) if c == empty => Err(too_wide(format!(
                "level {}: coordinate {c} does not fit an index of {}, which marks empty slots by it",
                self.site.number,
                width.dtype()
            ))),
            Some(c) => Err(self.overflow(ArrayRole::Crd, "coordinate", c)),
        }
    }
    /// A position array of `len` elements, none larger than `largest`, in the format's width: `fill` gets a function
    /// that stores an element; the others are 0.
    ///
    /// # Errors
    /// E0604 when `largest` does not fit; E0603 and E0605 when the memory cannot be had.
    pub fn pos(
        &self,
        len: usize,
        largest: usize,
        fill: impl FnOnce(&mut dyn FnMut(usize, usize)),
    ) -> Result<Buffer> {
        let width = self.format().width(ArrayRole::Pos);
        self.claim("positions", len, width.dtype().size())?;
        if largest as u64 > width.max() {
            return Err(self.overflow(ArrayRole::Pos, "position", largest as i64));
        }
        let mut out = Buffer::zeros(width.dtype(), len)?;
        dispatch_width!(width, T => {
            let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
            fill(&mut |at, value| {
                tick();
                slots[at] = value as T;
            });
        });
        Ok(out)
    }
    /// Where the groups of every parent begin, and in the end how many there are: a running count.
    ///
    /// # Errors
    /// As [`Build::pos`].
    pub fn pos_of_groups(&self, groups: &Groups) -> Result<Buffer> {
        let parents = self.parents();
        self.pos(self.countable(parents.checked_add(1))?, groups.len(), |write| {
            if parents == 1 {
                return write(1, groups.len());
            }
            let mut next = 0;
            let parents_of = self.parents_of();
            for g in 0..groups.len() {
                let parent = parents_of.value_at(groups.first(g));
                while next <= parent {
                    write(next, g);
                    next += 1;
                }
            }
            for p in next..=parents {
                write(p, groups.len());
            }
        })
    }
    /// The position array of segments of these lengths (parent and length, by rising parents; others have none), where
    /// each begins, and the positions in all.
    ///
    /// # Errors
    /// As [`Build::pos`].
    pub fn pos_of(&self, lengths: &[(usize, usize)]) -> Result<(Buffer, Vec<usize>, usize)> {
        let mut starts = Vec::with_capacity(lengths.len());
        let mut total = 0usize;
        for (_, n) in lengths {
            starts.push(total);
            total = self.countable(total.checked_add(*n))?;
        }
        let parents = self.parents();
        let pos = self.pos(self.countable(parents.checked_add(1))?, total, |write| {
            let mut next = 0;
            for ((p, _), &start) in lengths.iter().zip(&starts) {
                (next..=*p).for_each(|q| write(q, start));
                next = p + 1;
            }
            (next..=parents).for_each(|q| write(q, total));
        })?;
        Ok((pos, starts, total))
    }
    fn overflow(&self, role: ArrayRole, what: &str, found: i64) -> Error {
        let width = self.format().width(role);
        let limit = if found < 0 { "no negative numbers".into() } else { format!("at most {}", width.max()) };
        too_wide(format!(
            "level {}: {what} {found} does not fit an index of {}, which holds {limit}",
            self.site.number,
            width.dtype(),
        ))
    }
}

/// Fills an array in parallel, and returns a coordinate outside of the range if there is one.
fn fill_coordinates<T: Element>(
    out: &mut Buffer,
    within: RangeInclusive<i64>,
    from: impl Fn(usize) -> i64 + Sync,
    cast: impl Fn(i64) -> T + Sync,
) -> Option<i64> {
    let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
    let (least, largest) = (AtomicI64::new(0), AtomicI64::new(0));
    parallel::blocks(slots, 1 << 14, |first, slots| {
        let (mut low, mut high) = (0, 0);
        for (i, slot) in slots.iter_mut().enumerate() {
            let c = from(first + i);
            (low, high) = (low.min(c), high.max(c));
            *slot = cast(c);
        }
        least.fetch_min(low, Ordering::Relaxed);
        largest.fetch_max(high, Ordering::Relaxed);
    });
    let (least, largest) = (least.into_inner(), largest.into_inner());
    if largest > *within.end() { Some(largest) } else { (least < *within.start()).then_some(least) }
}
