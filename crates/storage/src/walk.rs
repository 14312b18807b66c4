//! Walking a tensor: every stored value, one value, all values.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch, sum};
use crate::error::checked_product;
use crate::levels::{LevelStorage, View, storage};
use crate::tensor::Tensor;
use openwork_algebra::Scalar;
use openwork_base::Result;

/// One level of a walk.
struct Step<'a> {
    storage: &'static dyn LevelStorage,
    view: View<'a>,
    mode: usize,
}

fn steps(t: &Tensor) -> Vec<Step<'_>> {
    let step = |k| {
        let view = t.view(k);
        // A tensor whose levels have no storage cannot be constructed.
        storage(view.level).ok().map(|storage| Step { storage, view, mode: t.format().modes[k] })
    };
    (0..t.rank()).filter_map(step).collect()
}

/// Calls `visit` with the coordinates (in mode order) and the position of every stored value, in storage order.
pub(crate) fn positions(t: &Tensor, mut visit: impl FnMut(&[usize], usize)) {
    fn descend(steps: &[Step], parent: usize, coords: &mut [usize], visit: &mut impl FnMut(&[usize], usize)) {
        let Some((step, rest)) = steps.split_first() else {
            visit(coords, parent);
            return;
        };
        for p in step.storage.children(step.view, parent) {
            coords[step.mode] = step.storage.coord(step.view, parent, p);
            descend(rest, p, coords, visit);
        }
    }
    descend(&steps(t), 0, &mut vec![0; t.rank()], &mut visit);
}

/// Calls `visit` with the position of every stored value at `coords`.
fn find(steps: &[Step], parent: usize, coords: &[usize], visit: &mut impl FnMut(usize)) {
    let Some((step, rest)) = steps.split_first() else {
        visit(parent);
        return;
    };
    let (storage, view, wanted) = (step.storage, step.view, coords[step.mode]);
    if let Some(p) = storage.locate(view, parent, wanted) {
        return find(rest, p, coords, visit);
    }
    let mut children = storage.children(view, parent);
    let Some(crd) = storage.stored(view) else {
        return;
    };
    if view.level.ordered() && children.len() > 8 {
        let (mut low, mut high) = (children.start, children.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if crd.at(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        children.start = low;
    }
    for p in children {
        match crd.at(p) {
            c if c == wanted => find(rest, p, coords, visit),
            c if c > wanted && view.level.ordered() => break,
            _ => {}
        }
    }
}

impl Tensor {
    /// Calls `visit` with the coordinates (in mode order) and the value of every stored entry, in storage order.
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
    /// The value at `coords`: the fill value where nothing is stored, the sum where a format that is not unique
    /// stores several. `None` when `coords` has the wrong length or lies outside the shape.
    pub fn get(&self, coords: &[usize]) -> Option<Scalar> {
        let inside = coords.len() == self.rank() && coords.iter().zip(self.shape()).all(|(c, d)| c < d);
        if !inside {
            return None;
        }
        let mut total = None;
        find(&steps(self), 0, coords, &mut |p| {
            let value = self.vals().get(p);
            total = Some(total.map_or(value, |t| sum(t, value)));
        });
        Some(total.unwrap_or(self.fill()))
    }
    /// Every value of the tensor as a dense array in natural mode order, last mode fastest.
    ///
    /// # Errors
    /// E0603 when the array is too large.
    pub fn to_dense(&self) -> Result<Buffer> {
        let len = checked_product("the dense form of the tensor", self.shape())?;
        let mut out = Buffer::filled(self.fill(), len)?;
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
