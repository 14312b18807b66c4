//! Matrices of which some rows are in no order: those rows are put in order, and the others stay where they are.
//!
//! ```text
//! pos 0 3 5 7    crd 1 4 7 | 3 2 | 5 5        row 1 is sorted, row 2 is added up     pos 0 3 5 6    crd 1 4 7 | 2 3 | 5
//! ```

use crate::buffer::Buffer;
use crate::check::rows::rise_to;
use crate::element::{Element, dispatch};
use crate::vectors::{self, IndexNumber};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, strips, tick};
use openwork_base::machine::threshold;
use openwork_format::Format;

/// One in so many elements may be in a row that is wrong; beyond that all of them are put in order, on all threads.
const FEW: usize = 4;

/// The arrays and values of compressed rows in range, once rows in no order are sorted, and elements of one place added up in
/// the order in which they are given. Nothing where something else is wrong, or much is.
///
/// # Errors
/// E0603 and E0605 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn mend_rows(
    shape: &[usize],
    format: &Format,
    arrays: &[Buffer],
    vals: &Buffer,
) -> Result<Option<(Vec<Buffer>, Buffer)>> {
    let ([pos, crd], Some([outer, inner])) = (arrays, format.rows()) else { return Ok(None) };
    // Bools may be bytes that are none, which only the general check tells.
    if crd.len() != vals.len() || vals.dtype() == DType::Bool {
        return Ok(None);
    }
    let dims = [shape[outer], shape[inner]];
    match (pos.dtype(), crd.dtype()) {
        (DType::I32, DType::I32) => mend_typed::<i32, i32>(dims, arrays, vals),
        (DType::I64, DType::I32) => mend_typed::<i64, i32>(dims, arrays, vals),
        (DType::I32, DType::I64) => mend_typed::<i32, i64>(dims, arrays, vals),
        (DType::I64, DType::I64) => mend_typed::<i64, i64>(dims, arrays, vals),
        _ => Ok(None),
    }
}

fn mend_typed<P: IndexNumber, C: IndexNumber>(
    [rows, columns]: [usize; 2],
    arrays: &[Buffer],
    vals: &Buffer,
) -> Result<Option<(Vec<Buffer>, Buffer)>> {
    let begins: &[P] = arrays[0].as_slice().unwrap_or(&[]);
    let given: &[C] = arrays[1].as_slice().unwrap_or(&[]);
    let held = rows.checked_add(1) == Some(begins.len()) && rise_to(begins, given.len());
    let largest = C::largest(columns);
    if !held || !strips(given.len()).all(|s| vectors::inside(&given[s], largest)) {
        return Ok(None);
    }
    let wrong = wrong_rows(begins, given);
    let affected: usize = wrong.iter().map(|&r| begins[r + 1].to_usize() - begins[r].to_usize()).sum();
    if affected > given.len() / threshold(FEW, 1) {
        return Ok(None);
    }
    let (mut pos, mut crd, mut vals) = (arrays[0].duplicate()?, arrays[1].duplicate()?, vals.duplicate()?);
    let slots = crd.as_mut_slice::<C>().unwrap_or(&mut []);
    let total = dispatch!(vals.dtype(), T => {
        let values = vals.as_mut_slice::<T>().unwrap_or(&mut []);
        let lengths = sort_rows(begins, &wrong, slots, values);
        let total = close_gaps(begins, &wrong, &lengths, slots, values);
        move_ends(pos.as_mut_slice::<P>().unwrap_or(&mut []), &wrong, &lengths);
        total
    });
    Cancel::check()?;
    crd.truncate(total);
    vals.truncate(total);
    Ok(Some((vec![pos, crd], vals)))
}

/// The rows whose coordinates do not rise.
fn wrong_rows<P: IndexNumber, C: IndexNumber>(begins: &[P], crd: &[C]) -> Vec<usize> {
    let falls = |row: &usize| {
        tick();
        crd[begins[*row].to_usize()..begins[row + 1].to_usize()].windows(2).any(|w| w[1] <= w[0])
    };
    (0..begins.len() - 1).filter(falls).collect()
}

/// Sorts rows and adds up elements of one column, and gives how many are left of each row, at its beginning.
fn sort_rows<P: IndexNumber, C: IndexNumber, T: Element>(
    begins: &[P],
    wrong: &[usize],
    crd: &mut [C],
    vals: &mut [T],
) -> Vec<usize> {
    let mut sorted: Vec<(C, T)> = Vec::new();
    let mut lengths = Vec::with_capacity(wrong.len());
    for &row in wrong {
        let own = begins[row].to_usize()..begins[row + 1].to_usize();
        sorted.clear();
        sorted.extend(crd[own.clone()].iter().copied().zip(vals[own.clone()].iter().copied()));
        // Stable: elements of one column stay in the order in which they are added up.
        sorted.sort_by_key(|&(c, _)| c);
        let mut len = 0;
        for &(c, v) in &sorted {
            tick();
            let at = own.start + len;
            if len > 0 && crd[at - 1] == c {
                vals[at - 1] = vals[at - 1].plus(v);
            } else {
                (crd[at], vals[at]) = (c, v);
                len += 1;
            }
        }
        lengths.push(len);
    }
    lengths
}

/// Moves elements to where rows that have become shorter end, and gives how many there are.
fn close_gaps<P: IndexNumber, C: IndexNumber, T: Element>(
    begins: &[P],
    wrong: &[usize],
    lengths: &[usize],
    crd: &mut [C],
    vals: &mut [T],
) -> usize {
    let (mut total, mut from) = (0, 0);
    let ends =
        wrong.iter().zip(lengths).map(|(&r, &len)| (begins[r].to_usize() + len, begins[r + 1].to_usize()));
    for (end, next) in ends.chain([(crd.len(), crd.len())]) {
        tick();
        if total < from {
            crd.copy_within(from..end, total);
            vals.copy_within(from..end, total);
        }
        (total, from) = (total + (end - from), next);
    }
    total
}

/// Lets rows begin where those before them end.
fn move_ends<P: IndexNumber>(pos: &mut [P], wrong: &[usize], lengths: &[usize]) {
    let (mut less, mut rows) = (0, wrong.iter().zip(lengths).peekable());
    let mut begin = 0;
    for row in 0..pos.len().saturating_sub(1) {
        tick();
        let end = pos[row + 1].to_usize();
        if let Some((_, &len)) = rows.next_if(|(wrong, _)| **wrong == row) {
            less += end - begin - len;
        }
        begin = end;
        if less > 0 {
            pos[row + 1] = P::from_usize(end - less).unwrap_or(pos[row + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::tensor::{LevelArrays, Tensor};
    use crate::{Coo, canonical, pack};
    use openwork_algebra::Scalar;
    use openwork_format::presets;

    /// Rows of rising coordinates, of which some were made wrong.
    fn rows(random: &mut Random, [rows, columns]: [u64; 2], wrong: u64) -> (Vec<i64>, Vec<i64>) {
        let (mut pos, mut crd) = (vec![0i64], Vec::new());
        for _ in 0..rows {
            let begin = crd.len();
            crd.extend((0..columns as i64).filter(|_| random.number_below(3) == 0));
            let len = (crd.len() - begin) as u128;
            if random.number_below(rows.into()) < wrong.into() && len > 1 {
                for _ in 0..3 {
                    let (a, b) = (
                        begin + random.number_below(len) as usize,
                        begin + random.number_below(len) as usize,
                    );
                    match random.number_below(2) {
                        0 => crd.swap(a, b),
                        _ => crd[a] = crd[b],
                    }
                }
            }
            pos.push(crd.len() as i64);
        }
        (pos, crd)
    }

    #[test]
    fn rows_that_are_wrong_are_sorted_and_added_up_as_by_packing() {
        let (mut random, mut some) = (Random::new(3), 0);
        for case in 0..300 {
            let dims = [random.number_below(30) as u64 + 1, random.number_below(20) as u64 + 1];
            let (pos, crd) = rows(&mut random, dims, case % 4);
            // Sums that depend on the order of their terms, and zeros with signs.
            let vals: Vec<f64> = (0..crd.len()).map(|e| [1e16, -0.0, e as f64, 0.0][e % 4]).collect();
            let row_of = |e: usize| pos.partition_point(|&p| p <= e as i64) - 1;
            let entries: Vec<(Vec<usize>, Scalar)> =
                (0..crd.len()).map(|e| (vec![row_of(e), crd[e] as usize], Scalar::F64(vals[e]))).collect();
            let shape = dims.map(|d| d as usize);
            let wanted = pack(
                &Coo::from_entries(&shape, DType::F64, &entries).unwrap(),
                &presets::csr(),
                Scalar::F64(0.0),
            );
            let wanted = wanted.unwrap();
            for (p, c) in [(DType::I32, DType::I32), (DType::I64, DType::I32), (DType::I64, DType::I64)] {
                let arrays: Vec<Buffer> = [(&pos, p), (&crd, c)]
                    .map(|(a, dtype)| Buffer::from(a.clone()).cast(dtype).unwrap())
                    .into();
                let format = crate::check::widths(
                    &presets::csr(),
                    &[LevelArrays::default(), LevelArrays { arrays: arrays.clone() }],
                );
                let vals = Buffer::from(vals.clone());
                some += usize::from(
                    mend_rows(&shape, &format.unwrap(), &arrays, &vals).unwrap().is_some()
                        && wanted.nnz() > 0,
                );
                let level = LevelArrays { arrays };
                let made = canonical(shape.to_vec(), presets::csr(), Scalar::F64(0.0), level, vals).unwrap();
                assert_eq!(made.nnz(), wanted.nnz(), "case {case}");
                for e in 0..made.nnz() {
                    assert!(made.vals().get(e).is_same(wanted.vals().get(e)), "case {case}, element {e}");
                }
                let level = |t: &Tensor, n: usize| {
                    t.level(1).arrays[n].iter().map(|s| s.as_i64()).collect::<Vec<i64>>()
                };
                assert!((0..2).all(|n| level(&made, n) == level(&wanted, n)), "case {case}");
                let p = made.into_parts();
                Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
            }
        }
        assert!(some > 300, "{some} were mended");
    }

    #[test]
    fn what_is_wrong_otherwise_is_left_alone() {
        let mend = |pos: &[i64], crd: &[i32]| {
            let arrays = [Buffer::from(pos.to_vec()), Buffer::from(crd.to_vec())];
            let vals = Buffer::zeros(DType::F64, crd.len()).unwrap();
            mend_rows(&[2, 4], &presets::csr(), &arrays, &vals).unwrap().is_some()
        };
        let right = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];
        assert!(mend(&[0, 12, 12], &right[..0]) == mend(&[0, 1], &right[..1]), "positions that are none");
        assert!(!mend(&[0, 1, 2], &[4, 0]) && !mend(&[0, 1, 2], &[0, -1]), "out of range");
        assert!(!mend(&[0, 2, 2], &[1, 0]), "all of it");
    }
}
