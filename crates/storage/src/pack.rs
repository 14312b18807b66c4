//! From coordinates into a format.
//!
//! Entries are sorted by the modes of the format and duplicates summed. Then the levels are built from the outermost
//! in: each one groups the entries that share a child, writes its arrays, and hands every entry on to that child.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::error::{invalid, too_wide};
use crate::index::{Index, dispatch_width, with_index};
use crate::levels::storage;
use crate::sort;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_format::{ArrayRole, Format, Level, Props};
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Stores the entries of `coo` in `format`; coordinates without an entry have the value `fill` (cast to the dtype of
/// the entries; a fill text in `format` is replaced).
///
/// Duplicates are summed in the dtype (bool: or). Explicit zeros are kept, except that a format with a zeroless level
/// drops entries equal to the fill value. Dense levels hold the fill value in the gaps.
///
/// # Errors
/// E0601 for a coordinate out of range or a format of another rank; E0602 for a chain of levels that cannot hold the
/// entries (a singleton under a parent with several children); E0603 when the arrays are too large; E0604 when a
/// position or coordinate does not fit the width the format asks for.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, pack};
/// let entries = [(vec![1, 0], Scalar::F64(2.0)), (vec![1, 0], Scalar::F64(3.0))];
/// let coo = Coo::from_entries(&[2, 2], DType::F64, &entries)?;
/// let inf = Scalar::F64(f64::INFINITY);
/// assert_eq!(pack(&coo, &presets::dcsr(), inf)?.vals().as_slice(), Some(&[5.0][..]));
/// assert_eq!(pack(&coo, &presets::dense(2), inf)?.get(&[0, 0]), Some(inf));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn pack(coo: &Coo, format: &Format, fill: Scalar) -> Result<Tensor> {
    if format.rank() != coo.rank() {
        return Err(invalid(format!("a format of {} levels for {} modes", format.rank(), coo.rank())));
    }
    coo.check_range()?;
    let fill = fill.cast(coo.dtype());
    let format = format.resolved(coo.shape());
    let sorted = sorted(coo, &format, fill)?;
    let mut build = Build {
        number: 0,
        parents: 1,
        entries: Entries::Root,
        format: &format,
        shape: coo.shape(),
        coords: sorted.coords.iter().map(|c| Index::of(c).unwrap_or(Index::I64(&[]))).collect(),
        len: sorted.vals.len(),
    };
    let mut levels = Vec::new();
    for level in &format.levels {
        levels.push(storage(*level)?.pack(&mut build)?);
        build.number += 1;
    }
    let (entries, positions, coords) = (build.entries, build.parents, build.coords);
    let vals = values(&sorted.vals, &entries, &coords, positions, fill)?;
    finish(coo.shape(), format, fill, levels, vals)
}

/// Wraps the built arrays, which new levels could have got wrong only where they promise more than they hold.
fn finish(
    shape: &[usize],
    format: Format,
    fill: Scalar,
    levels: Vec<LevelArrays>,
    vals: Buffer,
) -> Result<Tensor> {
    let promises = |l: &Level| l.spec.name != "dense" && l.full();
    if format.levels.iter().any(promises) {
        return Tensor::new_checked(shape.to_vec(), format, fill, levels, vals).map_err(|e| {
            match e.diagnostic() {
                Some(d) => crate::error::unfit(d.message.clone(), "do not declare the level full"),
                None => e,
            }
        });
    }
    // SAFETY: the coordinates were checked against the shape, sorted and freed of duplicates above; every level
    // built its arrays from them for exactly the parents of the level before, in the widths of the format.
    Ok(unsafe { Tensor::new_unchecked(shape.to_vec(), format, fill, levels, vals) })
}

/// Entries in the order of the levels, without duplicates.
struct Sorted<'a> {
    /// The coordinates each level stores.
    coords: Vec<Cow<'a, Buffer>>,
    vals: Cow<'a, Buffer>,
}

fn sorted<'a>(coo: &'a Coo, format: &Format, fill: Scalar) -> Result<Sorted<'a>> {
    let n = coo.len();
    let keys: Vec<Index> = format.modes.iter().map(|&m| coo.index(m)).collect();
    let dims: Vec<usize> = format.modes.iter().map(|&m| coo.shape()[m]).collect();
    let mut state = if n > 1 && keys.is_empty() { Ordering::Equal } else { sort::sortedness(&keys, n) };
    let mut coords: Vec<Cow<Buffer>> = format.modes.iter().map(|&m| Cow::Borrowed(coo.coords(m))).collect();
    let mut vals = Cow::Borrowed(coo.vals());
    if state == Ordering::Greater {
        let order = sort::order(&keys, &dims, n)?;
        let keep =
            |b: &Buffer| dispatch!(b.dtype(), T => sort::gather(b.as_slice::<T>().unwrap_or(&[]), &order));
        for c in &mut coords {
            *c = Cow::Owned(keep(c)?);
        }
        vals = Cow::Owned(keep(&vals)?);
        let keys: Vec<Index> = coords.iter().filter_map(|c| Index::of(c)).collect();
        state = sort::sortedness(&keys, n);
    }
    if state == Ordering::Equal {
        let keys: Vec<Index> = coords.iter().filter_map(|c| Index::of(c)).collect();
        let starts: Vec<usize> =
            (0..n).filter(|&e| e == 0 || sort::compare(&keys, e - 1, e) != Ordering::Equal).collect();
        let summed = dispatch!(vals.dtype(), T => sums(vals.as_slice::<T>().unwrap_or(&[]), &starts))?;
        coords = select(&coords, &starts)?;
        vals = Cow::Owned(summed);
    }
    if format.levels.iter().any(|l| l.props.has(Props::ZEROLESS)) {
        let kept: Vec<usize> = (0..vals.len()).filter(|&e| !vals.get(e).same(fill)).collect();
        coords = select(&coords, &kept)?;
        vals = select(&[vals], &kept)?.swap_remove(0);
    }
    Ok(Sorted { coords, vals })
}

/// The chosen elements of every array.
fn select<'a>(arrays: &[Cow<'a, Buffer>], chosen: &[usize]) -> Result<Vec<Cow<'a, Buffer>>> {
    let one = |b: &Buffer| {
        dispatch!(b.dtype(), T => {
            let items = b.as_slice::<T>().unwrap_or(&[]);
            let mut out = Buffer::zeros(b.dtype(), chosen.len())?;
            for (slot, &e) in out.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(chosen) {
                *slot = items[e];
            }
            Ok(out)
        })
    };
    arrays.iter().map(|b| one(b).map(Cow::Owned)).collect()
}

/// The sum of the items from each start to the next, in order.
fn sums<T: Element>(items: &[T], starts: &[usize]) -> Result<Buffer> {
    let mut out = Buffer::zeros(T::DTYPE, starts.len())?;
    let ends = starts.iter().skip(1).copied().chain([items.len()]);
    for ((slot, &start), end) in out.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(starts).zip(ends) {
        *slot = items[start + 1..end].iter().fold(items[start], |sum, &x| sum.plus(x));
    }
    Ok(out)
}

/// The values at the positions of the last level, the fill value where no entry leads.
fn values(
    vals: &Buffer,
    entries: &Entries,
    coords: &[Index],
    positions: usize,
    fill: Scalar,
) -> Result<Buffer> {
    if matches!(entries, Entries::Entry) {
        return vals.duplicate();
    }
    let mut out = Buffer::filled(fill, positions)?;
    dispatch!(vals.dtype(), T => {
        let (from, to) = (vals.as_slice::<T>().unwrap_or(&[]), out.as_mut_slice::<T>().unwrap_or(&mut []));
        for (e, &value) in from.iter().enumerate() {
            to[entries.at(e, coords)] = value;
        }
    });
    Ok(out)
}

/// The parent of every entry at the level being built.
pub(crate) enum Entries {
    /// All entries are below the one parent.
    Root,
    /// The parent is the entry's coordinate at this level, which is dense below the root.
    Coord(usize),
    /// Every entry is its own parent.
    Entry,
    /// The parent of each entry.
    Table(Vec<usize>),
}

impl Entries {
    /// The parent of entry `e`; `coords` are those of all levels.
    pub(crate) fn at(&self, e: usize, coords: &[Index]) -> usize {
        match self {
            Entries::Root => 0,
            Entries::Coord(level) => coords[*level].at(e),
            Entries::Entry => e,
            Entries::Table(table) => table[e],
        }
    }
}

/// The state between two levels.
pub(crate) struct Build<'a> {
    /// The level to build.
    pub(crate) number: usize,
    /// How many parents it has.
    pub(crate) parents: usize,
    /// The parent of every entry, never falling.
    pub(crate) entries: Entries,
    format: &'a Format,
    shape: &'a [usize],
    coords: Vec<Index<'a>>,
    len: usize,
}

/// Entries that share a child of the level being built.
pub(crate) enum Groups {
    /// Every entry has a child of its own.
    Each(usize),
    /// The first entry of each group, and the group of each entry.
    Shared { first: Vec<usize>, of: Vec<usize> },
}

impl Groups {
    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        match self {
            Groups::Each(n) => *n,
            Groups::Shared { first, .. } => first.len(),
        }
    }
    /// The first entry of group `g`.
    pub(crate) fn first(&self, g: usize) -> usize {
        match self {
            Groups::Each(_) => g,
            Groups::Shared { first, .. } => first[g],
        }
    }
    /// The groups as the parents of the next level.
    pub(crate) fn entries(self) -> Entries {
        match self {
            Groups::Each(_) => Entries::Entry,
            Groups::Shared { of, .. } => Entries::Table(of),
        }
    }
}

impl<'a> Build<'a> {
    /// Level `k` of the format.
    pub(crate) fn level_at(&self, k: usize) -> Level {
        self.format.levels[k]
    }
    /// The size of the mode it stores.
    pub(crate) fn dim(&self) -> usize {
        self.shape[self.format.modes[self.number]]
    }
    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    /// The coordinates that the level stores, one per entry.
    pub(crate) fn coord(&self) -> Index<'a> {
        self.coords[self.number]
    }
    /// The coordinates of all levels.
    pub(crate) fn coords(&self) -> Vec<Index<'a>> {
        self.coords.clone()
    }
    /// The last of the branchless levels that follow this one, or this one.
    pub(crate) fn chain_end(&self) -> usize {
        let rest = &self.format.levels[self.number + 1..];
        self.number + rest.iter().take_while(|l| l.branchless()).count()
    }
    /// Groups the entries by child. Branchless levels below share the positions of this one, so their coordinates
    /// tell children apart as well.
    pub(crate) fn groups(&self) -> Groups {
        let end = self.chain_end();
        if end + 1 == self.format.levels.len() {
            // Duplicates are gone, so whole tuples are all different.
            return Groups::Each(self.len);
        }
        let chain = &self.coords[self.number..=end];
        let (mut first, mut of) = (Vec::new(), Vec::with_capacity(self.len));
        for e in 0..self.len {
            let same = e > 0
                && self.entries.at(e, &self.coords) == self.entries.at(e - 1, &self.coords)
                && sort::compare(chain, e - 1, e).is_eq();
            if !same {
                first.push(e);
            }
            of.push(first.len() - 1);
        }
        Groups::Shared { first, of }
    }
    /// The coordinate array of the groups, in the format's width.
    ///
    /// # Errors
    /// E0604 when a coordinate does not fit; E0603 when the memory cannot be had.
    pub(crate) fn coordinates(&self, groups: &Groups) -> Result<Buffer> {
        let width = self.format.width(ArrayRole::Crd);
        let max = width.max() as i64;
        let mut out = Buffer::zeros(width.dtype(), groups.len())?;
        let too_big = with_index!(self.coord(), from => dispatch_width!(width, T => {
            let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
            let block = 1 << 14;
            slots.par_chunks_mut(block).enumerate().find_map_any(|(n, slots)| {
                let mut largest = 0;
                for (i, slot) in slots.iter_mut().enumerate() {
                    let c = from[groups.first(n * block + i)] as i64;
                    largest = largest.max(c);
                    *slot = c as T;
                }
                (largest > max).then_some(largest)
            })
        }));
        match too_big {
            None => Ok(out),
            Some(c) => Err(self.overflow(ArrayRole::Crd, "coordinate", c as usize)),
        }
    }
    /// A position array of `len` elements, none larger than `largest`, in the format's width: `fill` gets a function
    /// that stores an element; the others are 0.
    ///
    /// # Errors
    /// E0604 when `largest` does not fit; E0603 when the memory cannot be had.
    pub(crate) fn positions(
        &self,
        len: Option<usize>,
        largest: usize,
        fill: impl FnOnce(&mut dyn FnMut(usize, usize)),
    ) -> Result<Buffer> {
        let width = self.format.width(ArrayRole::Pos);
        if largest as u64 > width.max() {
            return Err(self.overflow(ArrayRole::Pos, "position", largest));
        }
        let mut out = Buffer::zeros(width.dtype(), len.unwrap_or(usize::MAX))?;
        dispatch_width!(width, T => {
            let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
            fill(&mut |at, value| slots[at] = value as T);
        });
        Ok(out)
    }
    fn overflow(&self, role: ArrayRole, what: &str, found: usize) -> openwork_base::Error {
        let width = self.format.width(role);
        too_wide(format!(
            "level {}: {what} {found} does not fit an index of {}, which holds at most {}",
            self.number,
            width.dtype(),
            width.max()
        ))
    }
}
