//! The values at places of compressed rows that are asked for one by one.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::invalid;
use crate::index::{IndexArray, with_index};
use crate::parallel;
use crate::picked::is_rows;
use crate::tensor::Tensor;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, stoppable, tick};
use std::sync::atomic::{AtomicBool, Ordering};

/// Places that one task looks up.
const BLOCK: usize = 1 << 14;
/// Elements that are compared one by one before the rest of a row is searched.
const NEAR: usize = 8;

/// The value of a matrix in compressed rows or columns at every pair of coordinates, the fill value where nothing is stored.
/// Nothing for a tensor in another format.
///
/// ```
/// use openwork_storage::{Tensor, looked_up};
/// let a = Tensor::from_csr(vec![0usize, 1, 2], vec![1usize, 0], vec![5.0, 6.0], [2, 2])?;
/// let found = looked_up(&a, [&[0, 0, 1], &[1, 0, 0]])?.unwrap();
/// assert_eq!(found.as_slice::<f64>(), Some(&[5.0, 0.0, 6.0][..]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// E0601 for coordinates that the tensor does not have; E0603 and E0605 when the memory cannot be had.
pub fn looked_up(t: &Tensor, at: [&[i64]; 2]) -> Result<Option<Buffer>> {
    if !is_rows(t.format()) {
        return Ok(None);
    }
    let modes = &t.format().modes;
    let (outer, inner) = (at[modes[0]], at[modes[1]]);
    let count = outer.len().min(inner.len());
    stoppable(|| {
        let mut out = Buffer::repeat(t.fill(), count)?;
        dispatch!(t.dtype(), T => {
            let slots = out.as_mut_slice::<T>().unwrap_or(&mut []);
            let block = parallel::elements_of_a_task(BLOCK, 1, count);
            let pairs = slots.chunks_mut(block).zip(outer.chunks(block)).zip(inner.chunks(block));
            let blocks: Vec<_> = pairs.map(|((slots, rows), columns)| PlaceBlock { rows, columns, slots }).collect();
            let outside = AtomicBool::new(false);
            parallel::for_each_part(blocks, |_, block| {
                if block.look_up(t).is_none() {
                    outside.store(true, Ordering::Relaxed);
                }
            });
            Cancel::check()?;
            if outside.into_inner() {
                return Err(invalid(format!("pairs of coordinates lie outside of the shape {:?}", t.shape())));
            }
        });
        Ok(Some(out))
    })
}

/// Places one after the other, with the slots for their values, which have the fill value.
struct PlaceBlock<'a, T> {
    rows: &'a [i64],
    columns: &'a [i64],
    slots: &'a mut [T],
}

impl<T: Element> PlaceBlock<'_, T> {
    /// Writes the values of what is stored; nothing where a place lies outside.
    fn look_up(self, t: &Tensor) -> Option<()> {
        let [pos, crd] = &t.level(1).arrays[..] else { return None };
        let (pos, crd, vals) =
            (IndexArray::from_buffer(pos)?, IndexArray::from_buffer(crd)?, t.vals().as_slice::<T>()?);
        let sizes = t.format().modes.iter().map(|&m| t.shape()[m]).collect::<Vec<_>>();
        with_index!(crd, crd => {
            // Places behind the last one in its row are looked for from there.
            let (mut row, mut column, mut from) = (usize::MAX, i64::MAX, 0);
            for ((&i, &j), slot) in self.rows.iter().zip(self.columns).zip(self.slots) {
                tick();
                let i = usize::try_from(i).ok().filter(|&i| i < sizes[0])?;
                usize::try_from(j).ok().filter(|&j| j < sizes[1])?;
                let on = i == row && j >= column;
                let begin = if on { from } else { pos.entry_at(i) };
                let rest = crd.get(begin..pos.entry_at(i + 1))?;
                let near = if on { rest.iter().take(NEAR).take_while(|&&c| (c as i64) < j).count() } else { NEAR };
                let at = if near < NEAR { near } else { rest.partition_point(|&c| (c as i64) < j) };
                if rest.get(at).is_some_and(|&c| c as i64 == j) {
                    *slot = vals[begin + at];
                }
                (row, column, from) = (i, j, begin + at);
            }
        });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Coo;
    use crate::pack::pack;
    use crate::random::Random;
    use openwork_algebra::{DType, Scalar};
    use openwork_format::presets;

    #[test]
    fn values_are_those_of_single_looks() {
        let mut random = Random::new(5);
        let mut at = |n: usize| -> Vec<[usize; 2]> {
            (0..n).map(|_| [random.number_below(40) as usize, random.number_below(300) as usize]).collect()
        };
        let entries: Vec<_> =
            at(3000).into_iter().map(|c| (c.to_vec(), Scalar::I32(c[1] as i32 % 5))).collect();
        let mut asked = at(40_000);
        asked[20_000..].sort_unstable();
        let [rows, columns] = [0, 1].map(|m| asked.iter().map(|c| c[m] as i64).collect::<Vec<_>>());
        for format in [presets::csr(), presets::csc()] {
            let t =
                pack(&Coo::from_entries(&[40, 300], DType::I32, &entries).unwrap(), &format, Scalar::I32(7))
                    .unwrap();
            let found = looked_up(&t, [&rows, &columns]).unwrap().unwrap();
            assert!(asked.iter().enumerate().all(|(n, c)| Some(found.get(n)) == t.get(c)), "{format}");
            for outside in [[40, 0], [0, 300], [-1, 0], [0, -1]] {
                assert!(looked_up(&t, [&[outside[0]], &[outside[1]]]).is_err());
            }
        }
        let list = pack(
            &Coo::from_entries(&[40, 300], DType::I32, &entries).unwrap(),
            &presets::coo(2),
            Scalar::I32(0),
        );
        assert!(looked_up(&list.unwrap(), [&[0], &[0]]).unwrap().is_none());
    }
}
