//! Coordinates of one mode in another order, some of them more than once or not at all.
//!
//! ```text
//! row 0   a . b                     row 0   c . .
//! row 1   . . .     rows 2, 0, 2    row 1   a . b
//! row 2   c . .     ----------->    row 2   c . .
//! ```
//!
//! Rows of compressed rows, and columns of compressed columns, are copied as they are; everything else goes through
//! coordinates.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::error::invalid;
use crate::index::Index;
use crate::pack::pack;
use crate::tensor::{LevelArrays, Tensor};
use crate::unpack::unpack;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{stoppable, tick};
use openwork_format::{Format, presets};
use std::ops::Range;

/// The tensor whose coordinate `n` of a mode has what coordinate `at[n]` of `t` has, in a format of as many modes.
///
/// # Errors
/// E0601 for a mode or coordinates that `t` does not have; as [`pack`](crate::pack()).
///
/// ```
/// use openwork_format::presets;
/// use openwork_storage::{Tensor, taken};
/// let a = Tensor::from_csr(vec![0usize, 1, 1, 2], vec![1usize, 0], vec![5.0, 6.0], [3, 2])?;
/// let b = taken(&a, 0, &[2, 0, 2], &presets::csr())?;
/// assert_eq!(b.to_string(), "3 x 2 f64 csr, 3 stored: (0,0) 6, (1,1) 5, (2,0) 6");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn taken(t: &Tensor, mode: usize, at: &[usize], format: &Format) -> Result<Tensor> {
    let Some(&size) = t.shape().get(mode) else {
        return Err(invalid(format!("a tensor of {} modes has no mode {mode}", t.rank())));
    };
    if let Some(far) = at.iter().find(|&&c| c >= size) {
        return Err(invalid(format!("the coordinate {far} is outside of mode {mode}, of size {size}")));
    }
    let mut shape = t.shape().to_vec();
    shape[mode] = at.len();
    stoppable(|| {
        let from = t.format();
        let rows = from.levels == presets::csr().levels && from.remap.is_none() && !from.symmetric;
        let same = format.levels == from.levels && format.modes == from.modes && format.remap.is_none();
        if rows && same && !format.symmetric && from.modes[0] == mode {
            return copied(t, at, shape);
        }
        pack(&listed(t, mode, at, shape)?, format, t.fill())
    })
}

/// Rows, one after the other.
fn copied(t: &Tensor, at: &[usize], shape: Vec<usize>) -> Result<Tensor> {
    let (pos, crd) = (&t.level(1).arrays[0], &t.level(1).arrays[1]);
    let starts = Index::of(pos).ok_or_else(|| invalid("positions of an unknown width"))?;
    let row = |&i: &usize| -> Range<usize> { starts.at(i)..starts.at(i + 1) };
    let mut ends = Vec::with_capacity(at.len() + 1);
    ends.push(0i64);
    let mut total = 0;
    for i in at {
        tick();
        total += row(i).len();
        ends.push(total as i64);
    }
    let part = |b: &Buffer| -> Result<Buffer> {
        let mut out = Buffer::zeros_to_write(b.dtype(), total)?;
        dispatch!(b.dtype(), T => {
            let (from, mut rest) = (b.as_slice::<T>().unwrap_or(&[]), out.as_mut_slice::<T>().unwrap_or(&mut []));
            for i in at {
                tick();
                let (own, others) = std::mem::take(&mut rest).split_at_mut(row(i).len());
                own.copy_from_slice(&from[row(i)]);
                rest = others;
            }
        });
        Ok(out)
    };
    // Positions are as wide as they were, unless there are more elements than that counts.
    let fits = Scalar::highest(pos.dtype()).is_some_and(|most| most.as_i64() >= total as i64);
    let (ends, wanted) = match fits {
        true => (Buffer::from(ends).cast(pos.dtype())?, t.format().clone()),
        false => (Buffer::from(ends), Format { pos: None, ..t.format().clone() }),
    };
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![ends, part(crd)?] }];
    Tensor::new_checked(shape, wanted, t.fill(), levels, part(t.vals())?)
}

/// The elements as coordinates.
fn listed(t: &Tensor, mode: usize, at: &[usize], shape: Vec<usize>) -> Result<Coo> {
    let all = unpack(t)?;
    // Where each coordinate goes, one place after the other.
    let mut ends = vec![0usize; t.shape()[mode] + 1];
    at.iter().for_each(|&c| ends[c + 1] += 1);
    (1..ends.len()).for_each(|c| ends[c] += ends[c - 1]);
    let mut next = ends.clone();
    let mut places = vec![0i64; at.len()];
    for (n, &c) in at.iter().enumerate() {
        tick();
        places[next[c]] = n as i64;
        next[c] += 1;
    }
    let index: Vec<Index> = (0..all.rank()).map(|m| all.index(m)).collect();
    let (mut positions, mut coords) = (Vec::new(), vec![Vec::new(); all.rank()]);
    for e in 0..all.len() {
        tick();
        let c = index[mode].at(e);
        for &place in &places[ends[c]..ends[c + 1]] {
            positions.push(e);
            for (m, list) in coords.iter_mut().enumerate() {
                list.push(if m == mode { place } else { index[m].get(e) });
            }
        }
    }
    let mut vals = Buffer::zeros(t.dtype(), positions.len())?;
    dispatch!(t.dtype(), T => {
        let from = all.vals().as_slice::<T>().unwrap_or(&[]);
        let to = vals.as_mut_slice::<T>().unwrap_or(&mut []);
        to.iter_mut().zip(&positions).for_each(|(slot, &e)| *slot = from[e]);
    });
    Coo::new(shape, coords.into_iter().map(Buffer::from).collect(), vals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::DType;

    #[test]
    fn coordinates_are_those_asked_for_in_every_format() {
        let entries: Vec<_> =
            (0..30usize).map(|n| (vec![n * 7 % 9, n * 5 % 11], Scalar::I32(n as i32 + 1))).collect();
        let coo = Coo::from_entries(&[9, 11], DType::I32, &entries).unwrap();
        let lists: [&[usize]; 4] = [&[], &[3], &[8, 0, 8, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3]];
        for format in [presets::csr(), presets::csc(), presets::dcsr(), presets::coo(2), presets::dia()] {
            let t = pack(&coo, &format, Scalar::I32(0)).unwrap();
            for (mode, at) in lists.iter().flat_map(|at| [(0, at), (1, at)]) {
                let found = taken(&t, mode, at, &format).unwrap();
                for (n, &c) in at.iter().enumerate() {
                    for other in 0..t.shape()[1 - mode] {
                        let place = |c| if mode == 0 { [c, other] } else { [other, c] };
                        let value = |t: &Tensor, c| t.get(&place(c)).unwrap_or(t.fill());
                        assert_eq!(value(&found, n), value(&t, c), "{format} {mode} {at:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let t = Tensor::from_csr(vec![0usize, 1], vec![1usize], vec![5.0], [1, 2]).unwrap();
        for (mode, at) in [(0, 1), (1, 2), (2, 0)] {
            assert_eq!(taken(&t, mode, &[at], &presets::csr()).unwrap_err().code().0, "E0601");
        }
    }
}
