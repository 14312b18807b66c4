//! Dense tensors in another order of the modes, by moving every value.
//!
//! Values that lie side by side before the move lie apart afterwards. A plain loop would fetch a whole cache line for a single
//! element on one of the two sides, so elements are moved in squares: the lines that a square reads and those that it writes
//! are fetched once.
//!
//! ```text
//! 0 1 | 2 3          0 4 | 8 c
//! 4 5 | 6 7          1 5 | 9 d
//! ---------    to    ---------      square by square
//! 8 9 | a b          2 6 | a e
//! c d | e f          3 7 | b f
//! ```

use crate::buffer::Buffer;
use crate::element::{Element, dispatch};
use crate::parallel;
use crate::tensor::Tensor;
use openwork_base::cancel::{Cancel, look, tick};
use openwork_base::machine::threshold;
use openwork_base::{Result, SlotCount};
use openwork_format::Format;

/// Rows that are met together, square by square: what they read lies on one page for each column.
const BLOCK: usize = 512;
/// The fewest elements of a task, and the most between two looks for a request to stop.
const TASK: usize = 1 << 16;
/// Rows of a task are so many times as many as there are in the largest square.
const ROWS: usize = 16;
/// Tasks for each of several threads.
const EACH: usize = 4;

/// How many values a mode takes, and how far apart in the source these lie.
#[derive(Clone, Copy)]
struct StridedMode {
    len: usize,
    apart: usize,
}

/// The values of `t` in the order of a dense format; nothing where either stores other values or where the order is the same.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn reorder_values(t: &Tensor, format: &Format) -> Result<Option<Buffer>> {
    let plain = |f: &Format| f.is_dense() && f.remap.is_none() && !f.symmetric;
    if !plain(t.format()) || !plain(format) || t.format().modes == format.modes {
        return Ok(None);
    }
    let modes = modes(t, format);
    // SAFETY: every value is written before it is read: modes cover all of them.
    let mut out = unsafe { Buffer::to_write(t.dtype(), t.vals().len())? };
    dispatch!(t.dtype(), T => {
        let (all, from) = (out.as_mut_slice::<T>().unwrap_or(&mut []), t.vals().as_slice::<T>().unwrap_or(&[]));
        match modes[..] {
            _ if all.is_empty() => {}
            [] => all.copy_from_slice(from),
            [StridedMode { apart, .. }, ref rest @ ..] => {
                let each = size_of_all(rest);
                let rows = rows_of_a_task(all.len() / each, each, parallel::threads());
                parallel::blocks(all, rows * each, |first, part| {
                    let (row, own) = (first / each, StridedMode { len: part.len() / each, apart });
                    turn_values(part, &from[row * apart..], &[&[own], rest].concat());
                });
            }
        }
    });
    Cancel::check()?;
    Ok(Some(out))
}

/// How many elements modes have together.
fn size_of_all(modes: &[StridedMode]) -> usize {
    SlotCount::product(modes.iter().map(|m| &m.len)).saturate()
}

/// How many of `n` rows of `each` elements are a task.
fn rows_of_a_task(n: usize, each: usize, threads: usize) -> usize {
    let shared = if threads > 1 { n.div_ceil(EACH * threads) } else { n };
    shared
        .min(BLOCK)
        .max(parallel::elements_of_a_task(TASK, 1, n * each).div_ceil(each))
        .next_multiple_of(threshold(ROWS, 1))
}

/// The modes in the order of `format`, the last one side by side; those that lie as one do in both orders are one.
fn modes(t: &Tensor, format: &Format) -> Vec<StridedMode> {
    let shape = t.shape();
    let (mut apart, mut step) = (vec![0; shape.len()], SlotCount::ONE);
    for &mode in t.format().modes.iter().rev() {
        // Only of what has no elements there may be more than can be counted.
        apart[mode] = step.saturate();
        step = step.times(shape[mode]);
    }
    let mut out: Vec<StridedMode> = Vec::new();
    for &mode in format.modes.iter().filter(|&&mode| shape[mode] != 1) {
        let (len, apart) = (shape[mode], apart[mode]);
        match out.last_mut() {
            Some(outer) if Some(outer.apart) == len.checked_mul(apart) => {
                *outer = StridedMode { len: outer.len * len, apart };
            }
            _ => out.push(StridedMode { len, apart }),
        }
    }
    out
}

/// Fills `out` with values of `from`, whose modes are given in the order of `out`.
fn turn_values<T: Element>(out: &mut [T], from: &[T], modes: &[StridedMode]) {
    match *modes {
        [] => out.copy_from_slice(&from[..1]),
        [StridedMode { len: n, apart: 1 }] => {
            for (to, from) in out.chunks_mut(TASK).zip(from[..n].chunks(TASK)) {
                look();
                to.copy_from_slice(from);
            }
        }
        [StridedMode { apart: by, .. }] => {
            out.iter_mut().zip(from.iter().step_by(by)).for_each(|(slot, &value)| {
                tick();
                *slot = value;
            })
        }
        [StridedMode { len: n, apart: 1 }, ref rest @ ..] => {
            let each = size_of_all(rest);
            squares(out, each, from, n, rest);
        }
        [StridedMode { len: n, apart: by }, ref rest @ ..] => {
            let each = out.len() / n;
            out.chunks_exact_mut(each)
                .enumerate()
                .for_each(|(k, part)| turn_values(part, &from[k * by..], rest));
        }
    }
}

/// Fills rows of `out`, which begin `each` apart, of values that lie side by side in `from`.
fn squares<T: Element>(out: &mut [T], each: usize, from: &[T], rows: usize, modes: &[StridedMode]) {
    match *modes {
        [] => {}
        [columns] => match size_of::<T>() {
            16 => blocks::<T, 4>(out, each, from, rows, columns),
            8 => blocks::<T, 8>(out, each, from, rows, columns),
            _ => blocks::<T, 16>(out, each, from, rows, columns),
        },
        [StridedMode { len: n, apart: by }, ref rest @ ..] => {
            let inner = size_of_all(rest);
            (0..n).for_each(|k| squares(&mut out[k * inner..], each, &from[k * by..], rows, rest));
        }
    }
}

fn blocks<T: Element, const SIDE: usize>(
    out: &mut [T],
    each: usize,
    from: &[T],
    rows: usize,
    StridedMode { len: columns, apart: by }: StridedMode,
) {
    let block = threshold(BLOCK, 2);
    for first in (0..rows).step_by(block) {
        let below = (first + block).min(rows);
        for j in (0..columns).step_by(SIDE) {
            if j % (TASK / BLOCK) == 0 {
                look();
            }
            for i in (first..below).step_by(SIDE) {
                let (out, from) = (&mut out[i * each + j..], &from[j * by + i..]);
                if i + SIDE <= below && j + SIDE <= columns {
                    square::<T, SIDE>(out, each, from, by);
                } else {
                    let wide = SIDE.min(columns - j);
                    for k in 0..SIDE.min(below - i) {
                        (0..wide).for_each(|l| out[k * each + l] = from[l * by + k]);
                    }
                }
            }
        }
    }
}

/// One square: its rows begin `each` apart in `out`, its columns `by` apart in `from`.
#[inline(always)]
fn square<T: Element, const SIDE: usize>(out: &mut [T], each: usize, from: &[T], by: usize) {
    let mut columns = [[T::ZERO; SIDE]; SIDE];
    for (l, column) in columns.iter_mut().enumerate() {
        column.copy_from_slice(&from[l * by..][..SIDE]);
    }
    for k in 0..SIDE {
        let row: &mut [T] = &mut out[k * each..][..SIDE];
        row.iter_mut().zip(&columns).for_each(|(slot, column)| *slot = column[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{pack, repack};
    use crate::{Coo, unpack};
    use openwork_algebra::{DType, Scalar};
    use openwork_base::threads::run_with_limit;
    use openwork_format::presets;

    #[test]
    fn tasks_are_enough_for_all_threads_and_not_too_small() {
        for (n, each, threads) in [(64, 10_000_000, 1), (64, 10_000_000, 2), (2048, 2048, 8), (50_000, 64, 2)]
        {
            let rows = rows_of_a_task(n, each, threads);
            assert!(rows * each >= TASK && rows.is_multiple_of(ROWS));
            let enough = threads == 1 || n.div_ceil(rows) >= threads;
            assert!(enough, "{n} rows of {each} for {threads} threads: {rows} each");
        }
    }

    fn orders(rank: usize) -> Vec<Vec<usize>> {
        match rank {
            1 => vec![vec![0]],
            2 => vec![vec![0, 1], vec![1, 0]],
            _ => {
                vec![vec![0, 1, 2], vec![0, 2, 1], vec![1, 0, 2], vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0]]
            }
        }
    }

    #[test]
    fn values_are_those_of_packing() {
        let shapes: [&[usize]; 12] = [
            &[1, 1],
            &[0, 3],
            &[7, 9],
            &[8, 16],
            &[65, 130],
            &[1, 300],
            &[1000, 90],
            &[3, 4, 5],
            &[17, 1, 33],
            &[2, 70, 66],
            &[66, 2, 70],
            &[9, 0, 2],
        ];
        for (shape, dtype) in shapes.into_iter().zip(DType::ALL) {
            let size: usize = shape.iter().product();
            let at = |e: usize| {
                let below = |m: usize| shape[m + 1..].iter().product::<usize>();
                (0..shape.len()).map(|m| e / below(m) % shape[m]).collect::<Vec<_>>()
            };
            let entries: Vec<_> =
                (0..size).map(|e| (at(e), Scalar::from_i64(e as i64 % 119, dtype))).collect();
            let coo = Coo::from_entries(shape, dtype, &entries).unwrap();
            let zero = Scalar::zero(dtype);
            for from in orders(shape.len()) {
                let t = pack(&coo, &presets::dense(shape.len()).with_modes(from.clone()), zero).unwrap();
                for to in orders(shape.len()) {
                    let format = presets::dense(shape.len()).with_modes(to.clone());
                    let wanted = pack(&unpack(&t).unwrap(), &format, zero).unwrap();
                    for threads in [1, 3] {
                        let made = run_with_limit(threads, || repack(&t, &format, zero)).unwrap();
                        assert_eq!(made, wanted, "{shape:?} from {from:?} to {to:?}");
                    }
                    assert_eq!(reorder_values(&t, &format).unwrap().is_some(), from != to);
                }
            }
        }
    }
}
