//! The values of every row, sorted in ascending order.

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::error::invalid;
use crate::parallel;
use crate::sort::BLOCK;
use crate::topk::{First, number};
use openwork_base::Result;
use openwork_base::cancel::{Cancel, stoppable, tick};
use std::cmp::Reverse;

/// The values in ascending order in each of the rows that begin at these places and fill the array; NaN comes last.
///
/// ```
/// use openwork_storage::{Buffer, sort_ascending};
/// let sorted = sort_ascending(&Buffer::from(vec![3.0, -1.0, 2.0, 0.0]), &[0, 2])?;
/// assert_eq!(sorted.as_slice::<f64>(), Some(&[-1.0, 3.0, 0.0, 2.0][..]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// E0601 for complex values, which have no order, and for places that do not rise or lie outside; E0603 and E0605 when the
/// memory cannot be had.
pub fn sort_ascending(vals: &Buffer, begins: &[i64]) -> Result<Buffer> {
    let within = |b: &i64| usize::try_from(*b).is_ok_and(|b| b <= vals.len());
    if vals.dtype().is_complex() || !begins.is_sorted() || !begins.iter().all(within) {
        return Err(invalid(format!("{} rows of {} values of {}", begins.len(), vals.len(), vals.dtype())));
    }
    stoppable(|| {
        let mut out = vals.duplicate()?;
        dispatch!(vals.dtype(), T => {
            let mut rest = out.as_mut_slice::<T>().unwrap_or(&mut []);
            let (mut blocks, mut from) = (Vec::new(), 0);
            while from < begins.len() {
                let first = begins[from];
                let more = begins[from + 1..].partition_point(|&b| ((b - first) as usize) < BLOCK);
                let to = from + 1 + more;
                let end = begins.get(to).map_or(vals.len(), |&b| b as usize);
                // What lies before the first row is in no block.
                let before = first as usize - (vals.len() - rest.len());
                let (own, others) = std::mem::take(&mut rest)[before..].split_at_mut(end - first as usize);
                blocks.push((&begins[from..to], own));
                (rest, from) = (others, to);
            }
            parallel::for_each_part(blocks, |_, (begins, values)| sort_block(begins, values));
        });
        Cancel::check()?;
        Ok(out)
    })
}

/// Sorts the rows of a block.
fn sort_block<T: Element>(begins: &[i64], values: &mut [T]) {
    let mut room: Vec<(u64, T)> = Vec::new();
    for (n, &begin) in begins.iter().enumerate() {
        let end = begins.get(n + 1).map_or(values.len(), |&b| (b - begins[0]) as usize);
        let row = &mut values[(begin - begins[0]) as usize..end];
        room.clear();
        room.extend(row.iter().inspect(|_| tick()).map(|&x| (number(x.to_scalar(), First::Smallest), x)));
        room.sort_by_key(|e| Reverse(e.0));
        row.iter_mut().zip(&room).for_each(|(slot, &(_, x))| *slot = x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_each_by_itself() {
        let values: Vec<f64> = (0..70_000).map(|n| f64::from(n * 7919 % 1009) - 500.0).collect();
        let begins: Vec<i64> = (0..700).map(|n| n * n / 7).collect();
        let mut wanted = values.clone();
        for (n, &b) in begins.iter().enumerate() {
            let end = begins.get(n + 1).map_or(wanted.len(), |&b| b as usize);
            wanted[b as usize..end].sort_by(f64::total_cmp);
        }
        assert_eq!(sort_ascending(&Buffer::from(values), &begins).unwrap().as_slice(), Some(&wanted[..]));
        let nan = sort_ascending(&Buffer::from(vec![f32::NAN, 1.0, f32::NEG_INFINITY]), &[0]).unwrap();
        let nan = nan.as_slice::<f32>().unwrap();
        assert!(nan[2].is_nan() && nan[..2] == [f32::NEG_INFINITY, 1.0]);
        assert!(sort_ascending(&Buffer::from(vec![1i32]), &[2]).is_err());
        assert_eq!(sort_ascending(&Buffer::from(Vec::<i32>::new()), &[]).unwrap().len(), 0);
    }
}
