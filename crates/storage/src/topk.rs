//! The few largest, or smallest, elements of every row.
//!
//! ```text
//! row 0   4 . 9 . 7      topk 2       . . 9 . 7
//! row 1   . 3 . . .      ------>      . 3 . . .
//! ```
//!
//! Values become numbers in the same order, the number of the last element that is kept is found without a sort, and a walk
//! along the row keeps what is beyond it.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::invalid;
use crate::index::IndexArray;
use crate::pack::repack;
use crate::parallel;
use crate::sort;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{look, stoppable, tick};
use openwork_format::{Format, presets};
use std::ops::Range;

/// The order of a row's elements: which of them come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The largest ones.
    Largest,
    /// The smallest ones.
    Smallest,
}

/// The elements of `t` that are among the first `k` that its row stores, each where it was; a row is what shares all
/// coordinates but that of the last mode. Of equal values those with lower coordinates come first, and NaN comes last. What is
/// not stored takes no part.
///
/// The result has the format of `t` where its last level is compressed and its modes are in order, else that of compressed
/// rows.
///
/// # Errors
/// E0601 for complex values, which have no order, and for a tensor without modes; as [`pack`](crate::pack()).
///
/// ```
/// use openwork_storage::{First, Tensor, topk};
/// let a = Tensor::from_csr(vec![0usize, 3, 4], vec![0usize, 2, 4, 1], vec![4.0, 9.0, 7.0, 3.0], [2, 5])?;
/// assert_eq!(topk(&a, 2, First::Largest)?.to_string(), "2 x 5 f64 csr, 3 stored: (0,2) 9, (0,4) 7, (1,1) 3");
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn topk(t: &Tensor, k: usize, first: First) -> Result<Tensor> {
    if t.dtype().is_complex() || t.rank() == 0 {
        return Err(invalid(format!(
            "a tensor of {} modes and {} has no order in its rows",
            t.rank(),
            t.dtype()
        )));
    }
    stoppable(|| {
        if in_rows(t.format()) {
            return keep_first(t, k, first);
        }
        let plain = if t.rank() == 2 { presets::csr() } else { presets::csf(t.rank()) };
        keep_first(&repack(t, &plain, t.fill())?, k, first)
    })
}

/// Whether the elements of a row are beside each other, by their coordinates.
fn in_rows(format: &Format) -> bool {
    let plain = format.is_plain() && format.modes.is_sorted();
    plain && format.levels.last().is_some_and(|l| l.is_plain_list())
}

fn keep_first(t: &Tensor, k: usize, first: First) -> Result<Tensor> {
    let last = t.levels().len() - 1;
    let (pos, crd) = (&t.level(last).arrays[0], &t.level(last).arrays[1]);
    let starts = IndexArray::from_buffer(pos).ok_or_else(|| invalid("positions of an unknown width"))?;
    let rows = starts.len() - 1;
    let mut ends = Vec::with_capacity(starts.len());
    let mut total = 0;
    ends.push(0);
    for row in 0..rows {
        tick();
        total += (starts.entry_at(row + 1) - starts.entry_at(row)).min(k) as i64;
        ends.push(total);
    }
    let mut chosen = vec![0usize; total as usize];
    let mut tasks = Vec::new();
    let (mut rest, mut from) = (&mut chosen[..], 0);
    while from < rows {
        let begin = starts.entry_at(from);
        let mut to = from + 1;
        while to < rows && starts.entry_at(to + 1) - begin <= sort::BLOCK {
            to += 1;
        }
        let (own, others) = rest.split_at_mut((ends[to] - ends[from]) as usize);
        tasks.push((from..to, own));
        (rest, from) = (others, to);
    }
    dispatch!(t.dtype(), T => {
        let values = t.vals().as_slice::<T>().unwrap_or(&[]);
        parallel::for_each_part(tasks, |_, (rows, chosen)| choose(values, starts, rows, chosen, k, first));
    });
    let picked = |b: &Buffer| -> Result<Buffer> {
        dispatch!(b.dtype(), T => {
            let from = b.as_slice::<T>().unwrap_or(&[]);
            let mut out = Buffer::zeros_to_write(b.dtype(), chosen.len())?;
            parallel::blocks(out.as_mut_slice::<T>().unwrap_or(&mut []), 1 << 14, |first, block| {
                block.iter_mut().zip(&chosen[first..]).for_each(|(slot, &p)| *slot = from[p]);
            });
            Ok(out)
        })
    };
    let mut levels = t.levels()[..last].to_vec();
    levels.push(LevelArrays { arrays: vec![Buffer::from(ends).cast(pos.dtype())?, picked(crd)?] });
    Tensor::new_checked(t.shape().to_vec(), t.format().clone(), t.fill(), levels, picked(t.vals())?)
}

/// Writes the positions of the first `k` elements of every row.
fn choose<T: Element>(
    values: &[T],
    starts: IndexArray,
    rows: Range<usize>,
    mut chosen: &mut [usize],
    k: usize,
    first: First,
) {
    let mut numbers = Vec::new();
    for row in rows {
        look();
        let range = starts.entry_at(row)..starts.entry_at(row + 1);
        let (own, rest) = std::mem::take(&mut chosen).split_at_mut(range.len().min(k));
        chosen = rest;
        if own.len() == range.len() || own.is_empty() {
            own.iter_mut().zip(range).for_each(|(slot, p)| *slot = p);
            continue;
        }
        let numbered = |p: usize| number(values[p].to_scalar(), first);
        numbers.clear();
        numbers.extend(range.clone().map(numbered));
        let (_, &mut bound, _) = numbers.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
        let beyond = numbers[..k].iter().filter(|&&n| n > bound).count();
        // So many of those that are equal to the last one are kept as well: the earliest.
        let mut equal = k - beyond;
        let mut slots = own.iter_mut();
        for p in range {
            let n = numbered(p);
            if n > bound || n == bound && equal > 0 {
                equal -= usize::from(n == bound);
                match slots.next() {
                    Some(slot) => *slot = p,
                    None => break,
                }
            }
        }
    }
}

/// A number that is larger where a value comes earlier, and equal for equal values.
#[inline(always)]
pub(crate) fn number(value: Scalar, first: First) -> u64 {
    const SIGN: u64 = 1 << 63;
    let rising = match value {
        Scalar::F32(x) if x.is_nan() => return 0,
        Scalar::F64(x) if x.is_nan() => return 0,
        Scalar::F32(_) | Scalar::F64(_) => {
            // Both zeros are equal, and of negative numbers the one with more bits is the smaller.
            let bits = (value.as_f64() + 0.0).to_bits();
            if bits & SIGN == 0 { bits | SIGN } else { !bits }
        }
        Scalar::Bool(b) => u64::from(b),
        Scalar::U64(n) => n,
        whole => whole.as_i64() as u64 ^ SIGN,
    };
    match first {
        First::Largest => rising,
        First::Smallest => !rising,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Coo;
    use crate::pack::pack;
    use crate::unpack::unpack;
    use openwork_algebra::DType;

    /// What is kept of every row when its elements are sorted.
    fn by_sorting(t: &Tensor, k: usize, first: First) -> Vec<(Vec<i64>, Scalar)> {
        let coo = unpack(t).unwrap();
        let at = |e: usize| (0..t.rank()).map(|m| coo.coords(m).get(e).as_i64()).collect::<Vec<_>>();
        let mut all: Vec<_> = (0..coo.len()).map(|e| (at(e), coo.vals().get(e))).collect();
        all.sort_by_key(|(at, value)| {
            (at[..at.len() - 1].to_vec(), std::cmp::Reverse(number(*value, first)), *at.last().unwrap())
        });
        let mut kept: Vec<_> = Vec::new();
        for (n, (at, value)) in all.iter().enumerate() {
            let before =
                all[..n].iter().rev().take_while(|(b, _)| b[..b.len() - 1] == at[..at.len() - 1]).count();
            if before < k {
                kept.push((at.clone(), *value));
            }
        }
        kept.sort_by(|a, b| a.0.cmp(&b.0));
        kept
    }

    fn elements(t: &Tensor) -> Vec<(Vec<i64>, Scalar)> {
        by_sorting(t, usize::MAX, First::Largest)
    }

    #[test]
    fn rows_keep_what_a_sort_puts_first_in_every_format_and_dtype() {
        for dtype in DType::ALL.into_iter().filter(|d| !d.is_complex()) {
            let entries: Vec<_> = (0..60usize)
                .map(|n| (vec![n * 7 % 6, n * 11 % 13], Scalar::I64(n as i64 * 37 % 9 - 3).cast(dtype)))
                .collect();
            let coo = Coo::from_entries(&[6, 13], dtype, &entries).unwrap();
            for format in [presets::csr(), presets::dcsr(), presets::csc(), presets::coo(2), presets::dia()] {
                let t = pack(&coo, &format, Scalar::zero(dtype)).unwrap();
                for (k, first) in
                    [(0, First::Largest), (1, First::Smallest), (3, First::Largest), (40, First::Smallest)]
                {
                    let found = topk(&t, k, first).unwrap();
                    assert_eq!(elements(&found), by_sorting(&t, k, first), "{dtype} {format} {k} {first:?}");
                }
            }
        }
    }

    #[test]
    fn fibres_of_other_ranks_are_rows() {
        let entries: Vec<_> =
            (0..40usize).map(|n| (vec![n % 3, n * 5 % 4, n * 7 % 9], Scalar::F32(n as f32))).collect();
        let t = Coo::from_entries(&[3, 4, 9], DType::F32, &entries).unwrap();
        let t = pack(&t, &presets::csf(3), Scalar::F32(0.0)).unwrap();
        assert_eq!(elements(&topk(&t, 2, First::Largest).unwrap()), by_sorting(&t, 2, First::Largest));
        let line = Coo::from_entries(&[5], DType::I8, &[(vec![1], Scalar::I8(-4)), (vec![3], Scalar::I8(2))])
            .unwrap();
        let line = pack(&line, &presets::csf(1), Scalar::I8(0)).unwrap();
        assert_eq!(elements(&topk(&line, 1, First::Smallest).unwrap()), [(vec![1], Scalar::I8(-4))]);
    }

    #[test]
    fn not_a_number_comes_last_and_zeros_are_equal() {
        let nan = f64::NAN;
        let vals = vec![nan, -0.0, 0.0, f64::NEG_INFINITY, f64::INFINITY];
        let t = Tensor::from_csr(vec![0usize, 5], vec![0usize, 1, 2, 3, 4], vals, [1, 5]).unwrap();
        let columns = |k, first| -> Vec<i64> {
            elements(&topk(&t, k, first).unwrap()).into_iter().map(|(at, _)| at[1]).collect()
        };
        assert_eq!(columns(2, First::Largest), [1, 4]);
        assert_eq!(columns(4, First::Largest), [1, 2, 3, 4]);
        assert_eq!(columns(2, First::Smallest), [1, 3]);
        assert_eq!(columns(4, First::Smallest), [1, 2, 3, 4]);
    }

    #[test]
    fn complex_values_and_numbers_are_refused() {
        let z = Tensor::scalar(Scalar::F64(1.0));
        assert_eq!(topk(&z, 1, First::Largest).unwrap_err().code().0, "E0601");
    }
}
