//! Runs of equal values, found in a tensor that stores every value.
//!
//! ```text
//! row 0   a a a b b       ends   3 5 | 5       values  a b | c
//! row 1   c c c c c
//! ```
//!
//! Neighbours are compared bit by bit, as [packing](crate::pack()) does it, which would make a coordinate of every value.

use crate::buffer::Buffer;
use crate::element::dispatch;
use crate::parallel;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, strips};
use openwork_format::{ArrayRole, Format, Width};

/// Values that one task compares.
const BLOCK: usize = 1 << 16;

/// The arrays of a dense `t` as runs along its last mode; nothing for other formats.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn build_arrays(t: &Tensor, format: &Format) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let crd = format.array_dtype(ArrayRole::Crd);
    let usual = matches!(crd, DType::I32 | DType::I64) && format.width(ArrayRole::Pos) == Width::I64;
    let same = t.format().is_dense() && t.format().modes == format.modes;
    if !(usual && format.is_in_runs() && same) || t.vals().is_empty() {
        return Ok(None);
    }
    let Some(width) = format.modes.last().map(|&m| t.shape()[m]) else { return Ok(None) };
    match t.dtype().size() {
        1 => runs::<1>(t, width, crd),
        2 => runs::<2>(t, width, crd),
        4 => runs::<4>(t, width, crd),
        8 => runs::<8>(t, width, crd),
        _ => runs::<16>(t, width, crd),
    }
    .map(Some)
}

fn runs<const SIZE: usize>(t: &Tensor, width: usize, crd: DType) -> Result<(Vec<LevelArrays>, Buffer)> {
    let (values, _) = t.vals().as_bytes().as_chunks::<SIZE>();
    let rows = values.len() / width;
    let together = (parallel::elements_of_a_task(BLOCK, 1, values.len()) / width).max(1);
    // Of every block of rows, how many runs each has, where they end, and the position of the value there.
    let found = parallel::answers(rows.div_ceil(together), |b| {
        let (mut counts, mut ends, mut last) = (Vec::new(), Vec::<i64>::new(), Vec::new());
        for row in parallel::block_of(b, together, rows) {
            let (before, first) = (ends.len(), row * width);
            let row = &values[first..first + width];
            for strip in strips(width - 1) {
                for j in strip {
                    if row[j] != row[j + 1] {
                        ends.push(j as i64 + 1);
                        last.push(first + j);
                    }
                }
            }
            ends.push(width as i64);
            last.push(first + width - 1);
            counts.push(ends.len() - before);
        }
        (counts, ends, last)
    });
    Cancel::check()?;
    let total = found.iter().map(|(_, ends, _)| ends.len()).sum();
    let mut pos = Buffer::zeros(DType::I64, rows + 1)?;
    let mut all = Buffer::zeros_to_write(DType::I64, total)?;
    let mut vals = Buffer::zeros_to_write(t.dtype(), total)?;
    if let (Some(pos), Some(all)) = (pos.as_mut_slice::<i64>(), all.as_mut_slice::<i64>()) {
        let counts = found.iter().flat_map(|(counts, _, _)| counts);
        let mut sum = 0;
        pos[1..].iter_mut().zip(counts).for_each(|(slot, &count)| {
            sum += count as i64;
            *slot = sum;
        });
        let mut at = 0;
        for (_, ends, _) in &found {
            all[at..at + ends.len()].copy_from_slice(ends);
            at += ends.len();
        }
    }
    dispatch!(t.dtype(), T => {
        let from = t.vals().as_slice::<T>().unwrap_or(&[]);
        let slots = vals.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut();
        slots.zip(found.iter().flat_map(|(_, _, last)| last)).for_each(|(slot, &p)| *slot = from[p]);
    });
    let mut levels = vec![LevelArrays::default(); t.rank() - 1];
    levels.push(LevelArrays { arrays: vec![pos, all.cast(crd)?] });
    Ok((levels, vals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{pack, repack};
    use crate::unpack::unpack;
    use openwork_algebra::Scalar;
    use openwork_format::presets;

    #[test]
    fn runs_are_those_of_packing() {
        for dtype in DType::ALL {
            for shape in [vec![1], vec![7], vec![5, 1], vec![3, 40], vec![300, 500], vec![2, 3, 9]] {
                let n = shape.iter().product::<usize>();
                let vals: Vec<f64> = (0..n).map(|e| ((e * e / 7) % 3) as f64 - 0.0).collect();
                let rank = shape.len();
                let dense = Tensor::dense(&shape, Buffer::from(vals).cast(dtype).unwrap()).unwrap();
                let (rle, fill) = (presets::rle(rank), Scalar::zero(dtype));
                assert!(build_arrays(&dense, &rle.resolve(&shape)).unwrap().is_some());
                let made = repack(&dense, &rle, fill).unwrap();
                assert_eq!(made, pack(&unpack(&dense).unwrap(), &rle, fill).unwrap(), "{dtype} {shape:?}");
                let p = made.into_parts();
                Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
            }
        }
        let dense = Tensor::dense(&[2, 0], Buffer::from(Vec::<f64>::new())).unwrap();
        assert!(build_arrays(&dense, &presets::rle(2).resolve(&[2, 0])).unwrap().is_none());
        assert!(build_arrays(&dense, &presets::csr().resolve(&[2, 0])).unwrap().is_none());
    }
}
