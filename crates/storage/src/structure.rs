//! The structure of a matrix: where its elements are, in numbers that decide which format suits it.
//!
//! Everything is measured in a few passes over the sorted elements.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::pack::pack;
use crate::tensor::Tensor;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::presets;
use std::collections::HashMap;

/// Sides of the square blocks that are tried.
pub const BLOCKS: [usize; 5] = [2, 3, 4, 6, 8];
/// Heights of the slices that are tried.
pub const SLICES: [usize; 3] = [4, 8, 32];

/// The elements of a matrix sorted by row and by column, duplicates added up.
#[derive(Debug)]
pub struct Elements {
    shape: [usize; 2],
    /// Rows and columns, sorted by row.
    by_row: [Vec<u64>; 2],
    /// Columns and rows, sorted by column.
    by_col: [Vec<u64>; 2],
    by_row_vals: Buffer,
    by_col_vals: Buffer,
}

/// The numbers of a coordinate array.
fn numbers(buffer: &Buffer) -> Vec<u64> {
    match (buffer.as_slice::<i32>(), buffer.as_slice::<i64>()) {
        (Some(s), _) => s.iter().map(|&c| c as u64).collect(),
        (None, Some(s)) => s.iter().map(|&c| c as u64).collect(),
        (None, None) => buffer.iter().map(|c| c.as_i64() as u64).collect(),
    }
}

impl Elements {
    /// Sorts the entries of a matrix.
    ///
    /// # Errors
    /// E0603 without the memory, E0601 for coordinates outside the shape or another number of modes.
    pub fn from_coo(coo: &Coo) -> Result<Elements> {
        let zero = Scalar::zero(coo.dtype());
        let sorted = |modes: Vec<usize>| pack(coo, &presets::coo(2).with_modes(modes), zero);
        // The last array of a level holds its coordinates.
        let crd = |t: &Tensor| [0, 1].map(|k| t.level(k).arrays.last().map_or(Vec::new(), numbers));
        let (rows, cols) = (sorted(vec![0, 1])?, sorted(vec![1, 0])?);
        Ok(Elements {
            shape: [coo.shape()[0], coo.shape()[1]],
            by_row: crd(&rows),
            by_col: crd(&cols),
            by_row_vals: rows.into_parts().vals,
            by_col_vals: cols.into_parts().vals,
        })
    }
    /// Rows and columns of the matrix.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }
    /// The number of elements that the matrix has.
    pub fn len(&self) -> usize {
        self.by_row_vals.len()
    }
    /// Whether the matrix has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The values, by row.
    pub fn vals(&self) -> &Buffer {
        &self.by_row_vals
    }
    /// Row and column of every element, by row.
    pub fn places(&self) -> impl Iterator<Item = (u64, u64)> {
        self.by_row[0].iter().copied().zip(self.by_row[1].iter().copied()).inspect(|_| tick())
    }
}

/// How elements and their mirror images relate.
#[derive(Debug, Clone, PartialEq)]
pub struct Symmetry {
    /// Every element has a mirror image.
    pub pattern: bool,
    /// Every mirror image has the same value.
    pub value: bool,
    /// Every mirror image has the negated value.
    pub skew: bool,
    /// Every mirror image has the conjugate value; told of complex matrices only.
    pub hermitian: bool,
    /// The part of the elements whose mirror image is stored.
    pub mirrored: f64,
}

/// Elements per row.
#[derive(Debug, Clone, PartialEq)]
pub struct PerRow {
    /// The fewest.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub max: usize,
    /// The standard deviation.
    pub deviation: f64,
    /// Rows with `from..=to` elements, in bins `0`, `1`, `2-3`, `4-7`, …
    pub histogram: Vec<Bin>,
}

/// A bin of a histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// The fewest elements of a row in it.
    pub from: usize,
    /// The most.
    pub to: usize,
    /// The rows in it.
    pub rows: usize,
}

/// How well aligned square blocks fit.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockFill {
    /// Their side.
    pub size: usize,
    /// Blocks with an element.
    pub blocks: usize,
    /// The part of their values that are elements; 0 without any.
    pub fill: f64,
}

/// How well diagonals fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagonals {
    /// Diagonals with an element.
    pub count: usize,
    /// The places inside the matrix on those diagonals.
    pub places: u128,
    /// The part of those places that are elements; 0 without any.
    pub fill: f64,
}

/// What slices of rows, each padded to its longest row, take.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceFill {
    /// Rows per slice.
    pub height: usize,
    /// Slots of all slices together.
    pub slots: u128,
    /// The part of the slots that are elements; 0 without any.
    pub fill: f64,
}

/// The structure of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Elements.
    pub nnz: usize,
    /// `None` for a matrix that is not square.
    pub symmetry: Option<Symmetry>,
    /// Elements per row.
    pub per_row: PerRow,
    /// Rows without an element.
    pub empty_rows: usize,
    /// Columns without an element.
    pub empty_columns: usize,
    /// Diagonals.
    pub diagonals: Diagonals,
    /// The largest `row - column` and `column - row`; `(0, -1)` without elements. Both may be negative, for a band that
    /// does not touch the diagonal.
    pub band: (i64, i64),
    /// One for each of [`BLOCKS`].
    pub blocks: Vec<BlockFill>,
    /// One for each of [`SLICES`].
    pub slices: Vec<SliceFill>,
}

impl Structure {
    /// Measures a matrix.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_storage::Coo;
    /// use openwork_storage::structure::{Elements, Structure};
    /// let entries = [(vec![0, 1], Scalar::F64(2.0)), (vec![1, 2], Scalar::F64(3.0))];
    /// let s = Structure::measure(&Elements::from_coo(&Coo::from_entries(&[3, 3], DType::F64, &entries)?)?);
    /// assert_eq!((s.diagonals.count, s.diagonals.fill, s.band, s.empty_rows), (1, 1.0, (-1, 1), 1));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn measure(e: &Elements) -> Structure {
        let rows = runs(&e.by_row[0]);
        let off = |(i, j): (u64, u64)| j as i64 - i as i64;
        let lower = e.places().map(|p| -off(p)).max().unwrap_or(0);
        let upper = e.places().map(off).max().unwrap_or(-1);
        Structure {
            shape: e.shape,
            nnz: e.len(),
            symmetry: (e.shape[0] == e.shape[1]).then(|| symmetry(e)),
            per_row: per_row(&rows, e.shape[0]),
            empty_rows: e.shape[0] - rows.len(),
            empty_columns: e.shape[1] - runs(&e.by_col[0]).len(),
            diagonals: diagonals(e),
            band: (lower, upper),
            blocks: BLOCKS.iter().map(|&size| block_fill(e, size)).collect(),
            slices: SLICES.iter().map(|&height| slice_fill(e, height)).collect(),
        }
    }
    /// The part of all places that are elements; 0 for a matrix without places.
    pub fn density(&self) -> f64 {
        part(self.nnz, self.shape[0] as u128 * self.shape[1] as u128)
    }
}

fn part(of: usize, all: u128) -> f64 {
    if all == 0 { 0.0 } else { of as f64 / all as f64 }
}

/// The lengths of runs of equal numbers.
fn runs(sorted: &[u64]) -> Vec<usize> {
    sorted.chunk_by(|a, b| a == b).inspect(|_| tick()).map(<[u64]>::len).collect()
}

fn per_row(nonempty: &[usize], rows: usize) -> PerRow {
    let empty = rows - nonempty.len();
    let max = nonempty.iter().copied().max().unwrap_or(0);
    let min = if empty > 0 { 0 } else { nonempty.iter().copied().min().unwrap_or(0) };
    let total: usize = nonempty.iter().sum();
    let mean = part(total, rows as u128);
    let square = |n: f64| (n - mean) * (n - mean);
    let squares: f64 = nonempty.iter().map(|&n| square(n as f64)).sum::<f64>() + empty as f64 * square(0.0);
    let deviation = if rows == 0 { 0.0 } else { (squares / rows as f64).sqrt() };
    let bin = |n: usize| n.checked_ilog2().map_or(0, |log| log as usize + 1);
    let mut histogram: Vec<Bin> = (0..=bin(max))
        .map(|b| match b {
            0 => Bin { from: 0, to: 0, rows: empty },
            b => Bin { from: 1 << (b - 1), to: (1usize << (b - 1)) * 2 - 1, rows: 0 },
        })
        .collect();
    for &n in nonempty {
        histogram[bin(n)].rows += 1;
    }
    if let Some(first) = histogram.iter().position(|b| b.rows > 0) {
        histogram.drain(..first);
    }
    PerRow { min, mean, max, deviation, histogram }
}

/// Walks the matrix by row and its transpose by row at once: both are sorted alike.
fn symmetry(e: &Elements) -> Symmetry {
    let complex = e.vals().dtype().is_complex();
    let mut matched = 0usize;
    let (mut same, mut negated, mut conjugate) = (true, true, true);
    let at = |c: &[Vec<u64>; 2], n: usize| (c[0][n], c[1][n]);
    let (mut p, mut q, len) = (0, 0, e.len());
    while p < len && q < len {
        tick();
        let (here, mirror) = (at(&e.by_row, p), at(&e.by_col, q));
        if here == mirror {
            let (a, b) = (e.by_row_vals.get(p), e.by_col_vals.get(q));
            matched += 1;
            same &= a.is_same(b);
            negated &= a.as_complex() == -b.as_complex();
            conjugate &= a.as_complex() == b.as_complex().conj();
        }
        p += usize::from(here <= mirror);
        q += usize::from(mirror <= here);
    }
    let pattern = matched == len;
    Symmetry {
        pattern,
        value: pattern && same,
        skew: pattern && negated,
        hermitian: pattern && complex && conjugate,
        mirrored: if len == 0 { 1.0 } else { matched as f64 / len as f64 },
    }
}

/// The diagonals with elements, and the places on them.
fn diagonals(e: &Elements) -> Diagonals {
    let [rows, cols] = e.shape;
    let length = |d: i64| {
        let (first, end) = ((-d).max(0), (rows as i64).min((cols as i64).saturating_sub(d)));
        (end - first).max(0) as u128
    };
    let all = rows.saturating_add(cols);
    // A bit per diagonal where there are not many more diagonals than elements.
    let (count, places) = if all <= 64 * e.len() + (1 << 20) {
        let mut seen = vec![0u64; all / 64 + 1];
        for (i, j) in e.places() {
            let d = rows + j as usize - i as usize;
            seen[d / 64] |= 1 << (d % 64);
        }
        let set = (0..all + 1)
            .inspect(|_| tick())
            .filter(|d| d / 64 < seen.len() && seen[d / 64] >> (d % 64) & 1 == 1);
        set.fold((0, 0), |(n, sum), d| (n + 1, sum + length(d as i64 - rows as i64)))
    } else {
        let seen: HashMap<i64, ()> = e.places().map(|(i, j)| (j as i64 - i as i64, ())).collect();
        (seen.len(), seen.keys().map(|&d| length(d)).sum())
    };
    Diagonals { count, places, fill: part(e.len(), places) }
}

/// One row of blocks after the other.
fn block_fill(e: &Elements, size: usize) -> BlockFill {
    let b = size as u64;
    let mut blocks = 0;
    let mut at = 0;
    let mut cols: Vec<u64> = Vec::new();
    for strip in e.by_row[0].chunk_by(|x, y| x / b == y / b) {
        cols.clear();
        cols.extend(e.by_row[1][at..at + strip.len()].iter().map(|j| j / b));
        cols.sort_unstable();
        cols.dedup();
        blocks += cols.len();
        tick();
        at += strip.len();
    }
    BlockFill { size, blocks, fill: part(e.len(), blocks as u128 * (size * size) as u128) }
}

/// One slice after the other.
fn slice_fill(e: &Elements, height: usize) -> SliceFill {
    let h = height as u64;
    let longest = |slice: &[u64]| slice.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(0);
    let slots: u128 = e.by_row[0]
        .chunk_by(|a, b| a / h == b / h)
        .inspect(|_| tick())
        .map(|slice| (longest(slice) * height) as u128)
        .sum();
    SliceFill { height, slots, fill: part(e.len(), slots) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::DType;

    fn structure(shape: [usize; 2], at: &[(usize, usize)]) -> Structure {
        let entries: Vec<_> =
            at.iter().enumerate().map(|(n, &(i, j))| (vec![i, j], Scalar::F64(n as f64))).collect();
        Structure::measure(
            &Elements::from_coo(&Coo::from_entries(&shape, DType::F64, &entries).unwrap()).unwrap(),
        )
    }

    #[test]
    fn a_tridiagonal_matrix_has_three_full_diagonals() {
        let at: Vec<_> =
            (0..10usize).flat_map(|i| (i.saturating_sub(1)..(i + 2).min(10)).map(move |j| (i, j))).collect();
        let s = structure([10, 10], &at);
        assert_eq!((s.nnz, s.band), (28, (1, 1)));
        assert_eq!(s.diagonals, Diagonals { count: 3, places: 28, fill: 1.0 });
        assert_eq!((s.per_row.min, s.per_row.max, s.empty_rows), (2, 3, 0));
        assert!((s.per_row.deviation - 0.4).abs() < 1e-12, "{}", s.per_row.deviation);
        assert!(s.symmetry.is_some_and(|m| m.pattern && !m.value));
        // Nine of the 3 x 3 blocks hold an element: each on the diagonal full, those beside it with one.
        assert_eq!(s.blocks[1], BlockFill { size: 3, blocks: 10, fill: 28.0 / 90.0 });
    }

    #[test]
    fn blocks_and_slices_are_counted() {
        // Two full blocks of 2 x 2 in 4 x 6, and rows of lengths 2, 2, 2, 2.
        let block = |i: usize, j: usize| [(i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)];
        let s = structure([4, 6], &[block(0, 4), block(2, 0)].concat());
        assert_eq!(s.blocks[0], BlockFill { size: 2, blocks: 2, fill: 1.0 });
        assert_eq!(s.slices[0], SliceFill { height: 4, slots: 8, fill: 1.0 });
        // Slices have one height, however few rows there are.
        assert_eq!(s.slices[1], SliceFill { height: 8, slots: 16, fill: 0.5 });
        assert_eq!((s.band, &s.symmetry, s.empty_columns), ((3, 5), &None, 2));
        assert_eq!(s.density(), 8.0 / 24.0);
    }

    #[test]
    fn huge_and_empty_matrices_are_measured_by_their_elements() {
        let s = structure([2, 3_000_000_000], &[(1, 2_999_999_998)]);
        assert_eq!(s.diagonals, Diagonals { count: 1, places: 2, fill: 0.5 });
        for shape in [[0, 0], [3, 0], [0, 3], [3, 3]] {
            let s = structure(shape, &[]);
            assert_eq!((s.nnz, s.band, s.diagonals.count, s.density()), (0, (0, -1), 0, 0.0));
        }
    }
}
