//! Unpacking, from a format back into coordinates.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::index::IndexArray;
use crate::levels::built_in;
use crate::rearrange;
use crate::slots;
use crate::tensor::Tensor;
use crate::walk;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{stoppable, tick};

/// Every stored value of `t` with its coordinates, in storage order: duplicates of formats that are not unique kept
/// apart, explicit zeros included. Of a format whose slots may hold the fill value without being an element
/// ([`Format::has_padding`](openwork_format::Format::has_padding)), values that are the fill value are left out.
///
/// # Errors
/// E0603 when the arrays are too large.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, pack, unpack};
/// let coo = Coo::from_entries(&[2, 9], DType::I32, &[(vec![1, 7], Scalar::I32(4))])?;
/// assert_eq!(unpack(&pack(&coo, &presets::csc(), Scalar::I32(0))?)?, coo);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn unpack(t: &Tensor) -> Result<Coo> {
    stoppable(|| {
        if t.vals().may_change() && t.format().has_padding() {
            // Elements are counted before they are read.
            let own = t.with_own_values()?;
            return unpack_with(&own, &Padding::from_tensor(&own));
        }
        unpack_with(t, &Padding::from_tensor(t))
    })
}

/// As [`unpack`], except that a dense tensor lists every value: it has no coordinate without one, so none is padding.
///
/// # Errors
/// As [`unpack`].
pub(crate) fn list_values(t: &Tensor) -> Result<Coo> {
    let padding = if t.format().is_dense() { Padding { t, fill: None } } else { Padding::from_tensor(t) };
    stoppable(|| unpack_with(t, &padding))
}

fn unpack_with(t: &Tensor, padding: &Padding) -> Result<Coo> {
    if let Some((coords, vals)) = rearrange::coordinates(t)? {
        return Coo::new(t.shape().to_vec(), coords, vals);
    }
    let shared = t.format().symmetric
        || t.format().levels.iter().any(|l| built_in(*l).is_none() || l.shares_positions());
    // A walk visits no position twice, unless coordinates share positions.
    let n = if padding.fill.is_some() || shared { count(t, padding) } else { t.slots() };
    let mut coords = Vec::new();
    for &dim in t.shape() {
        coords.push(Buffer::zeros(Coo::coord_dtype(dim), n)?);
    }
    let mut order = WalkOrder::Storage(0);
    {
        let mut slots: Vec<CoordSlots> = coords.iter_mut().filter_map(CoordSlots::from_buffer).collect();
        walk::positions_but(t, &|p| padding.holds(p), |at, p| {
            let e = order.visit(p);
            for (slot, &c) in slots.iter_mut().zip(at) {
                slot.set(e, c);
            }
        });
    }
    let vals = match order {
        WalkOrder::Storage(n) => {
            let mut vals = t.vals().duplicate()?;
            vals.truncate(n);
            vals
        }
        WalkOrder::Listed(positions) => {
            let mut vals = Buffer::zeros(t.dtype(), positions.len())?;
            dispatch!(t.dtype(), T => {
                let from = t.vals().as_slice::<T>().unwrap_or(&[]);
                for (slot, &p) in vals.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(&positions) {
                    tick();
                    *slot = from[p];
                }
            });
            vals
        }
    };
    for c in &mut coords {
        c.truncate(vals.len());
    }
    Coo::new(t.shape().to_vec(), coords, vals)
}

/// The number of entries that [`unpack`] gives, without giving them: stored values without padding.
pub fn elements(t: &Tensor) -> usize {
    count(t, &Padding::from_tensor(t))
}

/// How many entries there are to unpack.
fn count(t: &Tensor, padding: &Padding) -> usize {
    if let Some(n) = covered_count(t, padding).or_else(|| slots::elements(t)) {
        return n;
    }
    let mut n = 0;
    walk::positions_but(t, &|p| padding.holds(p), |_, _| n += 1);
    n
}

/// The coordinates of all runs below dense levels, which are not gone through one by one.
fn covered_count(t: &Tensor, padding: &Padding) -> Option<usize> {
    let (last, above) = t.format().levels.split_last()?;
    let runs = last.shares_positions() && built_in(*last).is_some() && above.iter().all(|l| l.is_dense());
    if !runs || t.format().remap.is_some() || t.format().symmetric {
        return None;
    }
    let [pos, ends] = &t.level(above.len()).arrays[..] else { return None };
    let (pos, ends) = (IndexArray::from_buffer(pos)?, IndexArray::from_buffer(ends)?);
    let mut n = 0;
    for parent in 0..pos.len().saturating_sub(1) {
        let mut from = 0;
        for p in pos.entry_at(parent)..pos.entry_at(parent + 1) {
            tick();
            let end = ends.entry_at(p);
            n += if padding.holds(p) { 0 } else { end - from };
            from = end;
        }
    }
    Some(n)
}

/// The values that are no elements of a format with padding.
pub(crate) struct Padding<'a> {
    t: &'a Tensor,
    /// The fill value; nothing for a format without padding.
    fill: Option<Scalar>,
}

impl Padding<'_> {
    pub(crate) fn from_tensor(t: &Tensor) -> Padding<'_> {
        Padding { t, fill: t.format().has_padding().then_some(t.fill()) }
    }
    /// Whether the value at a position is the fill value: a zero of either sign is one, and so is any NaN.
    pub(crate) fn holds(&self, p: usize) -> bool {
        self.fill.is_some_and(|fill| self.t.vals().get(p).is_same(fill))
    }
}

/// The positions in the order of the walk; nothing is listed while the walk simply counts up.
enum WalkOrder {
    Storage(usize),
    Listed(Vec<usize>),
}

impl WalkOrder {
    /// Notes a visit and returns its number.
    fn visit(&mut self, p: usize) -> usize {
        match self {
            WalkOrder::Storage(n) if *n == p => {
                *n += 1;
                p
            }
            WalkOrder::Storage(n) => {
                let n = *n;
                *self = WalkOrder::Listed((0..n).chain([p]).collect());
                n
            }
            WalkOrder::Listed(list) => {
                list.push(p);
                list.len() - 1
            }
        }
    }
}

/// A coordinate array being written.
enum CoordSlots<'a> {
    I32(&'a mut [i32]),
    I64(&'a mut [i64]),
}

impl<'a> CoordSlots<'a> {
    fn from_buffer(buffer: &'a mut Buffer) -> Option<CoordSlots<'a>> {
        match buffer.dtype() {
            openwork_algebra::DType::I32 => buffer.as_mut_slice().map(CoordSlots::I32),
            _ => buffer.as_mut_slice().map(CoordSlots::I64),
        }
    }
    fn set(&mut self, e: usize, c: usize) {
        match self {
            CoordSlots::I32(s) => s[e] = c as i32,
            CoordSlots::I64(s) => s[e] = c as i64,
        }
    }
}
