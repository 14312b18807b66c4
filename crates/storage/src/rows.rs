//! Entries in no order into compressed rows, without a sort of all of them.
//!
//! ```text
//! (2,1) (0,3) (2,0) (0,3)     rows counted: 2 0 2     put there: 3 3 | | 1 0     each row sorted, equal columns added up
//! ```
//! Entries are moved once; rows are sorted apart, on all threads, by column and then by where they stood, so that equal ones
//! are added up in the order in which they were given.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::index::Index;
use crate::parallel;
use crate::sort::{self, by_rows};
use crate::tensor::LevelArrays;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::Cancel;
use openwork_format::{ArrayRole, Format, Props};
use std::cmp::Ordering;
use std::ops::Range;

/// The arrays of a matrix in compressed rows (or columns), if the entries are in no order and there are about as many of them
/// as rows; nothing for other formats, and for entries that are sorted already.
///
/// # Errors
/// E0603 when the memory cannot be had, E0606 when it was asked to stop.
pub(crate) fn packed(coo: &Coo, format: &Format) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let n = coo.len();
    let (Some(modes), true) = (rows_of(format), n > 1 && i32::try_from(n).is_ok()) else { return Ok(None) };
    let [outer, inner] = modes;
    let (Some(rows), Some(columns)) = (Index::of(coo.coords(outer)), Index::of(coo.coords(inner))) else {
        return Ok(None);
    };
    let (dim, wide) = (coo.shape()[outer], coo.shape()[inner]);
    if !sort::counts_rows(dim, wide, n) || sort::sortedness(&[rows, columns], n) != Ordering::Greater {
        return Ok(None);
    }
    let sorted = by_rows(rows, columns, dim, n)?;
    let tasks = tasks(&sorted.ends);
    let counts = parallel::answers(tasks.len(), |t| {
        tasks[t].clone().map(|row| runs(sorted.row(row)).count() as u32).collect::<Vec<u32>>()
    });
    let mut starts = vec![0];
    for task in &counts {
        starts.push(starts[starts.len() - 1] + task.iter().map(|&n| n as usize).sum::<usize>());
    }
    let total = starts[starts.len() - 1];
    let pos = positions(format.array_dtype(ArrayRole::Pos), dim, &counts)?;
    let mut crd = Buffer::zeros_to_write(format.array_dtype(ArrayRole::Crd), total)?;
    let mut vals = Buffer::zeros_to_write(coo.dtype(), total)?;
    let of_task = |t: usize| tasks[t].clone().flat_map(|row| runs(sorted.row(row)));
    let column = |run: &[u64]| run[0] >> 32;
    if crd.dtype() == DType::I32 {
        filled(&mut crd, &starts, of_task, |run| column(run) as i32);
    } else {
        filled(&mut crd, &starts, of_task, |run| column(run) as i64);
    }
    dispatch!(coo.dtype(), T => {
        let given = coo.vals().as_slice::<T>().unwrap_or(&[]);
        let value = |pair: u64| given[pair as u32 as usize];
        filled(&mut vals, &starts, of_task, |run| {
            run[1..].iter().fold(value(run[0]), |sum, &pair| sum.plus(value(pair)))
        });
    });
    Cancel::check()?;
    let levels = vec![LevelArrays::default(), LevelArrays { arrays: vec![pos, crd] }];
    Ok(Some((levels, vals)))
}

/// The entries of each column of a row.
fn runs(row: &[u64]) -> impl Iterator<Item = &[u64]> {
    row.chunk_by(|a, b| a >> 32 == b >> 32)
}

/// Writes one element for each run of a task, from where the task's share of the array begins.
fn filled<'s, T: Element, R: Iterator<Item = &'s [u64]>>(
    array: &mut Buffer,
    starts: &[usize],
    of_task: impl Fn(usize) -> R + Sync,
    element: impl Fn(&[u64]) -> T + Sync,
) {
    let mut rest = array.as_mut_slice::<T>().unwrap_or(&mut []);
    let mut shares = Vec::new();
    for cut in starts.windows(2) {
        let (own, after) = rest.split_at_mut(cut[1] - cut[0]);
        shares.push(own);
        rest = after;
    }
    parallel::each(shares, |t, share| {
        share.iter_mut().zip(of_task(t)).for_each(|(slot, run)| *slot = element(run));
    });
}

/// The modes of rows and columns, where a format is compressed rows in widths that count any 31 bits.
fn rows_of(format: &Format) -> Option<[usize; 2]> {
    let [rows, columns] = format.levels[..] else { return None };
    let [outer, inner] = format.modes[..] else { return None };
    let crd = columns.spec.arrays.iter().any(|a| a.role == ArrayRole::Crd);
    let plain = columns.in_segments() && crd && columns.ordered() && columns.unique() && columns.compact();
    let other = columns.padded() || columns.full() || columns.branchless();
    let kept = !format.symmetric && !columns.props.has(Props::ZEROLESS);
    let wide = |role| matches!(format.array_dtype(role), DType::I32 | DType::I64);
    let fits = format.remap.is_none() && rows.is_dense() && wide(ArrayRole::Pos) && wide(ArrayRole::Crd);
    (fits && plain && !other && kept).then_some([outer, inner])
}

/// Rows in about equal shares of the entries.
fn tasks(ends: &[u32]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut first, mut done) = (0, 0);
    for (row, &end) in ends.iter().enumerate() {
        if end as usize - done >= sort::BLOCK || row + 1 == ends.len() {
            all.push(first..row + 1);
            (first, done) = (row + 1, end as usize);
        }
    }
    all
}

/// Where each row starts, and the last one ends.
fn positions(dtype: DType, dim: usize, counts: &[Vec<u32>]) -> Result<Buffer> {
    let mut pos = Buffer::zeros(dtype, dim + 1)?;
    fn fill<T: Element>(pos: &mut Buffer, counts: &[Vec<u32>], of: impl Fn(i64) -> T) {
        let Some([_, ends @ ..]) = pos.as_mut_slice::<T>() else { return };
        let mut sum = 0;
        for (slot, &n) in ends.iter_mut().zip(counts.iter().flatten()) {
            sum += i64::from(n);
            *slot = of(sum);
        }
    }
    if dtype == DType::I32 {
        fill::<i32>(&mut pos, counts, |n| n as i32);
    } else {
        fill::<i64>(&mut pos, counts, |n| n);
    }
    Ok(pos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::pack;
    use crate::unpack::unpack;
    use openwork_algebra::Scalar;
    use openwork_format::presets;

    /// Entries in no order, some of them at the same place, whose sums depend on the order of their terms.
    fn scattered(rows: usize, columns: usize, n: usize) -> Coo {
        let mut x = 7u64;
        let mut next = |m: usize| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 33) as usize % m.max(1)
        };
        let mut at = || (0..n).map(|_| (next(rows) as i32, next(columns) as i32)).unzip();
        let (i, j): (Vec<i32>, Vec<i32>) = at();
        let vals: Vec<f64> = (0..n).map(|e| if e % 3 == 0 { 1e16 } else { e as f64 }).collect();
        Coo::new(vec![rows, columns], vec![Buffer::from(i), Buffer::from(j)], Buffer::from(vals)).unwrap()
    }

    #[test]
    fn rows_are_those_of_a_sort_of_all_entries() {
        let zero = Scalar::F64(0.0);
        for (rows, columns, n) in [
            (1, 5, 40),
            (7, 1, 30),
            (50, 60, 20),
            (300, 200, 3000),
            (40_000, 900, 60_000),
            (3, 70_000, 50_000),
        ] {
            let coo = scattered(rows, columns, n);
            for format in [presets::csr(), presets::csc()] {
                let format = format.resolved(coo.shape());
                assert!(packed(&coo, &format).unwrap().is_some(), "{rows} x {columns}, {n}");
                let made = pack(&coo, &format, zero).unwrap();
                // A list of coordinates is sorted as a whole.
                let list = pack(&coo, &presets::coo(2).with_modes(format.modes.clone()), zero).unwrap();
                let wanted = pack(&unpack(&list).unwrap(), &format, zero).unwrap();
                assert_eq!(made, wanted, "{rows} x {columns}, {n}");
                let p = made.into_parts();
                crate::Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
            }
        }
    }

    #[test]
    fn other_formats_and_sorted_entries_are_not_taken() {
        let taken = |coo: &Coo, format: Format| packed(coo, &format.resolved(coo.shape())).unwrap().is_some();
        let coo = scattered(30, 30, 100);
        for format in [presets::dcsr(), presets::coo(2), presets::dense(2), presets::dia()] {
            assert!(!taken(&coo, format));
        }
        let sorted = unpack(&pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap()).unwrap();
        assert!(!taken(&sorted, presets::csr()));
        assert!(taken(&sorted, presets::csc()));
        // Far more rows than entries are not counted.
        assert!(!taken(&scattered(1 << 20, 5, 100), presets::csr()));
    }
}
