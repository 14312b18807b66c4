//! Tensors whose coordinates along one mode are taken in another order, some of them more than once or not at all.
//!
//! ```text
//! row 0   a . b                     row 0   c . .
//! row 1   . . .     rows 2, 0, 2    row 1   a . b
//! row 2   c . .     ----------->    row 2   c . .
//! ```
//!
//! Compressed rows stay rows (`picked`); everything else goes through coordinates.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::error::invalid;
use crate::index::IndexArray;
use crate::memory;
use crate::pack::pack;
use crate::picked;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_base::Result;
use openwork_base::cancel::{stoppable, tick};
use openwork_format::Format;

/// The tensor whose coordinate `n` of a mode has what coordinate `at[n]` of `t` has, in a format of as many modes.
///
/// # Errors
/// E0601 for a mode or coordinates that `t` does not have; as [`pack`](crate::pack()).
///
/// ```
/// use openwork_format::presets;
/// use openwork_storage::{Tensor, take_coordinates};
/// let a = Tensor::from_csr(vec![0usize, 1, 1, 2], vec![1usize, 0], vec![5.0, 6.0], [3, 2])?;
/// let b = take_coordinates(&a, 0, &[2, 0, 2], &presets::csr())?;
/// assert_eq!(b.to_string(), "3 x 2 f64 csr, 3 stored: (0,0) 6, (1,1) 5, (2,0) 6");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn take_coordinates(t: &Tensor, mode: usize, at: &[usize], format: &Format) -> Result<Tensor> {
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
        let same = format.levels == from.levels && format.modes == from.modes;
        if picked::is_rows(from) && same && picked::is_rows(format) {
            let found = if from.modes[0] == mode {
                rows(t, at, &shape)?
            } else {
                picked::columns(t, at, shape.clone())?
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        pack(&list_elements(t, mode, at, shape)?, format, t.fill())
    })
}

/// Rows, one after the other.
fn rows(t: &Tensor, at: &[usize], shape: &[usize]) -> Result<Option<Tensor>> {
    let Some(starts) = IndexArray::from_buffer(&t.level(1).arrays[0]) else { return Ok(None) };
    let row = |n: usize| starts.entry_at(at[n])..starts.entry_at(at[n] + 1);
    picked::rows(t, at.len(), &row, 0, shape.to_vec())
}

/// Where each coordinate goes, one place after the other.
struct CoordPlaces {
    places: Vec<i64>,
    /// Where the places of each coordinate begin.
    begins: Vec<usize>,
    /// The coordinates that go anywhere, where there are too many to number them all.
    coords: Option<Vec<usize>>,
}

impl CoordPlaces {
    fn from_list(at: &[usize], dim: usize, elements: usize) -> CoordPlaces {
        let mut places: Vec<i64> = (0..at.len() as i64).collect();
        places.sort_by_key(|&n| {
            tick();
            at[n as usize]
        });
        let mut coords: Vec<usize> = places.iter().map(|&n| at[n as usize]).collect();
        if picked::are_numbered(dim, elements + at.len()) {
            let mut begins = vec![0; dim + 1];
            coords.iter().for_each(|&c| begins[c + 1] += 1);
            (0..dim).for_each(|c| begins[c + 1] += begins[c]);
            return CoordPlaces { places, begins, coords: None };
        }
        let new = |n: &usize| *n == 0 || coords[*n] != coords[*n - 1];
        let mut begins: Vec<usize> = (0..at.len()).filter(new).collect();
        begins.push(at.len());
        coords.dedup();
        CoordPlaces { places, begins, coords: Some(coords) }
    }
    fn numbers_at(&self, c: usize) -> &[i64] {
        let number = match &self.coords {
            None => c,
            Some(coords) => match coords.binary_search(&c) {
                Ok(number) => number,
                Err(_) => return &[],
            },
        };
        &self.places[self.begins[number]..self.begins[number + 1]]
    }
}

/// The elements as coordinates.
fn list_elements(t: &Tensor, mode: usize, at: &[usize], shape: Vec<usize>) -> Result<Coo> {
    let all = unpack(t)?;
    let places = CoordPlaces::from_list(at, t.shape()[mode], all.len());
    let index: Vec<IndexArray> = (0..all.rank()).map(|m| all.index(m)).collect();
    let count: usize = (0..all.len()).map(|e| places.numbers_at(index[mode].entry_at(e)).len()).sum();
    // A position and coordinates for each, which nothing else counts.
    let bytes = count as u128 * 8 * (1 + all.rank() as u128);
    memory::allow(|| format!("{count} elements at the coordinates of a list"), bytes)?;
    let mut positions = Vec::with_capacity(count);
    let mut coords: Vec<Vec<i64>> = (0..all.rank()).map(|_| Vec::with_capacity(count)).collect();
    for e in 0..all.len() {
        tick();
        for &place in places.numbers_at(index[mode].entry_at(e)) {
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
    use openwork_algebra::{DType, Scalar};
    use openwork_format::presets;

    #[test]
    fn coordinates_are_those_asked_for_in_every_format() {
        let entries: Vec<_> =
            (0..30usize).map(|n| (vec![n * 7 % 9, n * 5 % 11], Scalar::I32(n as i32 + 1))).collect();
        let coo = Coo::from_entries(&[9, 11], DType::I32, &entries).unwrap();
        let lists: [&[usize]; 4] = [&[], &[3], &[8, 0, 8, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3]];
        for format in [presets::csr(), presets::csc(), presets::dcsr(), presets::coo(2), presets::dia()] {
            let t = pack(&coo, &format, Scalar::I32(0)).unwrap();
            for (mode, at) in lists.iter().flat_map(|at| [(0, at), (1, at)]) {
                let found = take_coordinates(&t, mode, at, &format).unwrap();
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
            assert_eq!(take_coordinates(&t, mode, &[at], &presets::csr()).unwrap_err().code().0, "E0601");
        }
    }
}
