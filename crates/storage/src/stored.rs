//! The entries of a coordinate list as a format stores them: duplicates summed, coordinates remapped, all in the order
//! of the levels.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::index::IndexArray;
use crate::keys::{self, KeyLayout, Word};
use crate::parallel;
use crate::sort;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{look, tick};
use openwork_format::remap::{CoordBounds, Evaluator, Remap};
use openwork_format::{Format, Props};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Entries in the order of the levels, without duplicates.
pub(crate) struct Sorted<'a> {
    /// The coordinates each level stores.
    pub(crate) coords: Vec<Cow<'a, Buffer>>,
    pub(crate) vals: Cow<'a, Buffer>,
}

/// The entries of `coo` in the order of the levels of `format`.
///
/// # Errors
/// E0602 for too many unsorted entries; E0603 when the memory cannot be had.
pub(crate) fn sort_entries<'a>(coo: &'a Coo, format: &Format, fill: Scalar) -> Result<Sorted<'a>> {
    let drop_fill = format.levels.iter().any(|l| l.props.has(Props::ZEROLESS));
    let drop = drop_fill.then_some(fill);
    let Some(remap) = &format.remap else {
        return by_modes(coo, &format.modes, drop);
    };
    let natural: Vec<usize> = (0..coo.rank()).collect();
    let entries = by_modes(coo, &natural, drop)?;
    let short = u32::try_from(entries.vals.len()).is_ok();
    match keys::KeyLayout::build(format, remap, coo.shape()).filter(|_| short) {
        Some(layout) if layout.bits <= u64::BITS => by_keys::<u64>(&layout, remap, entries),
        Some(layout) => by_keys::<u128>(&layout, remap, entries),
        None => remap_entries(remap, coo.shape(), entries),
    }
}

/// Entries sorted by the modes in this order, duplicates summed, and those with the value `drop` left out.
fn by_modes<'a>(coo: &'a Coo, modes: &[usize], drop: Option<Scalar>) -> Result<Sorted<'a>> {
    let n = coo.len();
    let dims: Vec<usize> = modes.iter().map(|&m| coo.shape()[m]).collect();
    let coords: Vec<Cow<Buffer>> = modes.iter().map(|&m| Cow::Borrowed(coo.coords(m))).collect();
    let keys = indices(&coords);
    let mut state = if n > 1 && keys.is_empty() { Ordering::Equal } else { sort::sortedness(&keys, n) };
    let mut sorted = Sorted { coords, vals: Cow::Borrowed(coo.vals()) };
    if state == Ordering::Greater {
        let order = sort::order(&indices(&sorted.coords), &dims, n)?;
        sorted = sorted.reorder(&order)?;
        state = sort::sortedness(&indices(&sorted.coords), n);
    }
    if state == Ordering::Equal {
        let keys = indices(&sorted.coords);
        let starts: Vec<usize> = (0..n)
            .inspect(|_| tick())
            .filter(|&e| e == 0 || sort::compare(&keys, e - 1, e) != Ordering::Equal)
            .collect();
        let vals = &sorted.vals;
        let summed = dispatch!(vals.dtype(), T => sums(vals.as_slice::<T>().unwrap_or(&[]), &starts))?;
        sorted = Sorted { coords: select(&sorted.coords, &starts)?, vals: Cow::Owned(summed) };
    }
    if let Some(fill) = drop {
        let kept: Vec<usize> = (0..sorted.vals.len())
            .inspect(|_| tick())
            .filter(|&e| !sorted.vals.get(e).is_same(fill))
            .collect();
        sorted = Sorted {
            coords: select(&sorted.coords, &kept)?,
            vals: select(&[sorted.vals], &kept)?.swap_remove(0),
        };
    }
    Ok(sorted)
}

fn indices<'b>(coords: &'b [Cow<'_, Buffer>]) -> Vec<IndexArray<'b>> {
    coords.iter().filter_map(|c| IndexArray::from_buffer(c)).collect()
}

impl<'a> Sorted<'a> {
    fn reorder(self, order: &[u32]) -> Result<Sorted<'a>> {
        let coords =
            self.coords.iter().map(|c| gather_elements(c, order).map(Cow::Owned)).collect::<Result<_>>()?;
        Ok(Sorted { coords, vals: Cow::Owned(gather_elements(&self.vals, order)?) })
    }
}

/// The elements of an array in the given order.
fn gather_elements(b: &Buffer, order: &[u32]) -> Result<Buffer> {
    dispatch!(b.dtype(), T => sort::gather(b.as_slice::<T>().unwrap_or(&[]), order))
}

/// The entries, sorted by modes, with their stored coordinates and sorted by these, which are packed into keys.
fn by_keys<'a, W: Word>(layout: &KeyLayout, remap: &Remap, entries: Sorted<'a>) -> Result<Sorted<'a>> {
    let mut pairs = layout.keys::<W>(remap, &indices(&entries.coords), entries.vals.len());
    let unsorted = !pairs.is_sorted_by_key(|p| p.0);
    if unsorted {
        layout.sort(&mut pairs);
    }
    let columns: Vec<Option<Buffer>> =
        (0..remap.depth()).map(|k| layout.coords(k, &pairs).transpose()).collect::<Result<_>>()?;
    let order: Option<Vec<u32>> = unsorted.then(|| parallel::collect(pairs.len(), |e| pairs[e].1));
    drop(pairs);
    let Sorted { coords, vals } = entries;
    let kept = |b: Cow<'a, Buffer>| match &order {
        None => Ok(b),
        Some(order) => gather_elements(&b, order).map(Cow::Owned),
    };
    let column = |(k, column): (usize, Option<Buffer>)| match column {
        Some(column) => Ok(Cow::Owned(column)),
        None => kept(coords[remap.coords[k].plain().expect("other levels have fields")].clone()),
    };
    Ok(Sorted {
        coords: columns.into_iter().enumerate().map(column).collect::<Result<_>>()?,
        vals: kept(vals)?,
    })
}

/// The entries, sorted by modes, with their stored coordinates and sorted by these, one after the other.
fn remap_entries<'a>(remap: &Remap, shape: &[usize], entries: Sorted<'a>) -> Result<Sorted<'a>> {
    let n = entries.vals.len();
    let columns = evaluate(remap, &indices(&entries.coords), n);
    let bounds: Vec<CoordBounds> = (0..remap.depth()).map(|k| remap.bounds(k, shape)).collect();
    // Sorting counts coordinates from 0 on, which diagonals do not.
    let offsets: Vec<Cow<[i64]>> = columns
        .iter()
        .zip(&bounds)
        .map(|(column, b)| match b.low {
            0 => Cow::Borrowed(&column[..]),
            low => Cow::Owned(parallel::collect(column.len(), |e| column[e] - low)),
        })
        .collect();
    let keys: Vec<IndexArray> = offsets.iter().map(|c| IndexArray::I64(c)).collect();
    let dims: Vec<usize> = bounds.iter().map(|b| b.size).collect();
    let order = match sort::sortedness(&keys, n) {
        Ordering::Greater => Some(sort::order(&keys, &dims, n)?),
        Ordering::Less | Ordering::Equal => None,
    };
    let coords = columns.iter().map(|c| Buffer::copy_of(c).map(Cow::Owned)).collect::<Result<_>>()?;
    let stored = Sorted { coords, vals: entries.vals };
    match order {
        Some(order) => stored.reorder(&order),
        None => Ok(stored),
    }
}

/// The stored coordinates of every entry, level by level.
fn evaluate(remap: &Remap, modes: &[IndexArray], n: usize) -> Vec<Vec<i64>> {
    // Counters must see the entries one after the other.
    let block = if remap.counts() { n.max(1) } else { 1 << 14 };
    let evaluated = |b: usize| {
        let mut columns = vec![Vec::new(); remap.depth()];
        let mut evaluator = Evaluator::new(remap);
        let (mut at, mut out) = (vec![0; modes.len()], Vec::new());
        for e in parallel::block_of(b, block, n) {
            tick();
            at.iter_mut().zip(modes).for_each(|(slot, m)| *slot = m.get(e));
            evaluator.next(&at, &mut out);
            columns.iter_mut().zip(&out).for_each(|(column, &c)| column.push(c));
        }
        columns
    };
    let blocks: Vec<Vec<Vec<i64>>> = parallel::answers(n.div_ceil(block), evaluated);
    (0..remap.depth())
        .map(|k| {
            let mut column = Vec::with_capacity(n);
            for b in &blocks {
                look();
                column.extend_from_slice(&b[k]);
            }
            column
        })
        .collect()
}

/// The chosen elements of every array.
fn select<'a>(arrays: &[Cow<'a, Buffer>], chosen: &[usize]) -> Result<Vec<Cow<'a, Buffer>>> {
    let one = |b: &Buffer| {
        dispatch!(b.dtype(), T => {
            let items = b.as_slice::<T>().unwrap_or(&[]);
            let mut out = Buffer::zeros(b.dtype(), chosen.len())?;
            for (slot, &e) in out.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(chosen) {
                tick();
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
        tick();
        *slot = items[start + 1..end].iter().fold(items[start], |sum, &x| sum.plus(x));
    }
    Ok(out)
}
