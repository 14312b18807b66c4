//! The walk of a tensor: every stored value, one value, all values.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch, sum};
use crate::error::checked_product;
use crate::path::{self, WalkPlace, WalkStep, descend};
use crate::search::search;
use crate::select::KeptCoords;
use crate::tensor::Tensor;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::stoppable;
use openwork_format::Format;
use std::ops::ControlFlow;

/// The levels of a tensor; a tensor whose levels have no storage cannot be made.
fn steps(t: &Tensor) -> Vec<WalkStep<'_>> {
    path::steps(t.format(), t.shape(), t.levels()).unwrap_or_default()
}

/// Whether slots that hold the fill value are no elements: where elements are numbered, an element has one number, but
/// levels with a slot for every number have slots for others.
fn skips_fill(format: &Format) -> bool {
    format.has_padding() && format.remap.as_ref().is_some_and(|r| r.counts())
}

/// Calls `visit` with the coordinates (in mode order) and the position of every stored value, in storage order.
pub(crate) fn positions(t: &Tensor, visit: impl FnMut(&[usize], usize)) {
    positions_but(t, &|_| false, visit);
}

/// As [`positions`], without positions for which `skips` holds. Those with many coordinates take no longer than others.
pub(crate) fn positions_but(
    t: &Tensor,
    skips: &impl Fn(usize) -> bool,
    mut visit: impl FnMut(&[usize], usize),
) {
    if !t.format().symmetric {
        return stored_positions_but(t, skips, visit);
    }
    stored_positions_but(t, skips, |at, p| {
        if at[0] >= at[1] {
            visit(at, p);
        }
        if at[0] > at[1] {
            visit(&[at[1], at[0]], p);
        }
    });
}

/// As [`positions_but`], without the mirrored half of a symmetric matrix.
pub(crate) fn stored_positions_but(
    t: &Tensor,
    skips: &impl Fn(usize) -> bool,
    mut visit: impl FnMut(&[usize], usize),
) {
    let fill = skips_fill(t.format());
    let skipped = |p| skips(p) || fill && t.vals().get(p).is_same(t.fill());
    let mut steps = steps(t);
    if let Some(last) = steps.last_mut() {
        last.skips = Some(&skipped);
    }
    let _ = descend(&steps, 0, &mut WalkPlace::new(t.format()), &mut |place, p| {
        if !skipped(p) {
            visit(&place.modes, p);
        }
        ControlFlow::<()>::Continue(())
    });
}

impl Tensor {
    /// Calls `visit` with the coordinates (in mode order) and the value of every stored entry, in storage order. Slots
    /// that belong to no coordinates of the tensor are left out.
    ///
    /// ```
    /// use openwork_storage::{Buffer, Tensor};
    /// let t = Tensor::dense(&[2], Buffer::from(vec![5i32, 6]))?;
    /// let mut seen = Vec::new();
    /// t.for_each(|coords, value| seen.push((coords.to_vec(), value.as_i64())));
    /// assert_eq!(seen, [(vec![0], 5), (vec![1], 6)]);
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn for_each(&self, mut visit: impl FnMut(&[usize], Scalar)) {
        positions(self, |coords, p| visit(coords, self.vals().get(p)));
    }
    /// The number of elements that [`Tensor::for_each`] visits: slots without an element do not count.
    pub fn entries(&self) -> usize {
        let mut n = 0;
        positions(self, |_, _| n += 1);
        n
    }
    /// The value at `coords`: the fill value where nothing is stored, the sum where a format that is not unique
    /// stores several. `None` when `coords` has the wrong length or lies outside the shape.
    pub fn get(&self, coords: &[usize]) -> Option<Scalar> {
        let inside = coords.len() == self.rank() && coords.iter().zip(self.shape()).all(|(c, d)| c < d);
        if !inside {
            return None;
        }
        let mirrored = [coords.get(1), coords.first()].map(|c| c.copied().unwrap_or(0));
        let above = self.format().symmetric && coords[0] < coords[1];
        let coords = if above { &mirrored[..] } else { coords };
        let skips = skips_fill(self.format());
        let mut total = None;
        let kept: Vec<KeptCoords> = coords.iter().map(|&c| KeptCoords::At(c)).collect();
        let skipped = |p| skips && self.vals().get(p).is_same(self.fill());
        let found = search(self, &kept, &skipped, &mut |_, p| {
            let value = self.vals().get(p);
            total = Some(total.map_or(value, |t| sum(t, value)));
        });
        // A tensor whose levels have no storage cannot be made.
        found.ok().map(|()| total.unwrap_or(self.fill()))
    }
    /// Every value of the tensor as a dense array in natural mode order, last mode fastest.
    ///
    /// # Errors
    /// E0603 when the array is too large.
    pub fn to_dense(&self) -> Result<Buffer> {
        stoppable(|| self.every_value())
    }
    fn every_value(&self) -> Result<Buffer> {
        let len = checked_product("the dense form of the tensor", self.shape())?;
        let mut out = Buffer::repeat(self.fill(), len)?;
        let mut seen = if self.is_unique() { Vec::new() } else { vec![false; len] };
        dispatch!(self.dtype(), T => {
            let vals = self.vals().as_slice::<T>().unwrap_or(&[]);
            let dense = out.as_mut_slice::<T>().unwrap_or(&mut []);
            positions(self, |coords, p| {
                let at = coords.iter().zip(self.shape()).fold(0, |at, (c, d)| at * d + c);
                match seen.get_mut(at) {
                    Some(seen) if *seen => dense[at] = dense[at].plus(vals[p]),
                    Some(seen) => (*seen, dense[at]) = (true, vals[p]),
                    None => dense[at] = vals[p],
                }
            });
        });
        Ok(out)
    }
    /// The values of [`Tensor::to_dense`], one scalar each.
    ///
    /// # Errors
    /// E0603 when the array is too large.
    pub fn to_dense_scalars(&self) -> Result<Vec<Scalar>> {
        Ok(self.to_dense()?.iter().collect())
    }
    /// Whether no coordinate can be stored twice: every run of levels that share positions ends in a unique level.
    fn is_unique(&self) -> bool {
        let levels = &self.format().levels;
        (0..levels.len())
            .all(|k| levels[k].unique() || levels.get(k + 1).is_some_and(|next| next.branchless()))
    }
}
