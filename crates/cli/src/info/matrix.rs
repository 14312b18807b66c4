//! The structure of a matrix.

use super::row;
use crate::table::percent;
use openwork::{Buffer, Coo, Result, Scalar, Tensor, presets};
use openwork_storage::pack;
use serde::Serialize;
use std::collections::HashSet;

/// Block sizes that are tried.
const BLOCKS: [usize; 5] = [2, 3, 4, 6, 8];

/// The entries of a matrix sorted by row and by column, duplicates added up.
pub(crate) struct Entries {
    pub(crate) shape: [usize; 2],
    /// Rows and columns, sorted by row.
    pub(crate) by_row: [Vec<u64>; 2],
    /// Columns and rows, sorted by column.
    by_col: [Vec<u64>; 2],
    by_row_vals: Buffer,
    by_col_vals: Buffer,
}

/// The numbers of a coordinate array.
pub(crate) fn numbers(buffer: &Buffer) -> Vec<u64> {
    match (buffer.as_slice::<i32>(), buffer.as_slice::<i64>()) {
        (Some(s), _) => s.iter().map(|&c| c as u64).collect(),
        (None, Some(s)) => s.iter().map(|&c| c as u64).collect(),
        (None, None) => buffer.iter().map(|c| c.as_i64() as u64).collect(),
    }
}

impl Entries {
    /// Sorts the entries of a matrix.
    ///
    /// # Errors
    /// `E0603` without the memory, `E0601` for coordinates outside the shape.
    pub(crate) fn of(coo: &Coo) -> Result<Entries> {
        let zero = Scalar::zero(coo.dtype());
        let sorted = |modes: Vec<usize>| pack(coo, &presets::coo(2).with_modes(modes), zero);
        let crd = |t: &Tensor| {
            // The last array of a level holds its coordinates.
            [0, 1].map(|k| t.level(k).arrays.last().map_or(Vec::new(), numbers))
        };
        let (rows, cols) = (sorted(vec![0, 1])?, sorted(vec![1, 0])?);
        Ok(Entries {
            shape: [coo.shape()[0], coo.shape()[1]],
            by_row: crd(&rows),
            by_col: crd(&cols),
            by_row_vals: rows.into_parts().vals,
            by_col_vals: cols.into_parts().vals,
        })
    }
    pub(crate) fn len(&self) -> usize {
        self.by_row_vals.len()
    }
    pub(crate) fn vals(&self) -> &Buffer {
        &self.by_row_vals
    }
    /// Row and column of every entry, sorted.
    pub(crate) fn places(&self) -> impl Iterator<Item = (u64, u64)> {
        self.by_row[0].iter().copied().zip(self.by_row[1].iter().copied())
    }
}

/// How entries and their mirror images relate.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct Symmetry {
    /// Every entry has a mirror image.
    pub(crate) pattern: bool,
    /// Every mirror image has the same value.
    pub(crate) value: bool,
    /// Every mirror image has the negated value.
    pub(crate) skew: bool,
    /// Every mirror image has the conjugate value; told of complex matrices only.
    pub(crate) hermitian: bool,
    /// The part of the entries whose mirror image is stored.
    pub(crate) mirrored: f64,
}

/// Entries per row.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct PerRow {
    pub(crate) min: usize,
    pub(crate) mean: f64,
    pub(crate) max: usize,
    /// Rows with `from..=to` entries.
    pub(crate) histogram: Vec<Bin>,
}

/// A bin of a histogram.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct Bin {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) rows: usize,
}

/// How well aligned blocks of one size fit.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct BlockFill {
    pub(crate) size: usize,
    /// Nonempty blocks.
    pub(crate) blocks: usize,
    /// The part of their values that is stored.
    pub(crate) fill: f64,
}

/// The structure of a matrix.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// `None` for a matrix that is not square.
    pub(crate) symmetry: Option<Symmetry>,
    pub(crate) per_row: PerRow,
    pub(crate) empty_rows: usize,
    pub(crate) empty_columns: usize,
    pub(crate) diagonals: usize,
    pub(crate) lower_bandwidth: u64,
    pub(crate) upper_bandwidth: u64,
    pub(crate) block_fill: Vec<BlockFill>,
}

impl Matrix {
    /// Measures a matrix.
    ///
    /// # Errors
    /// `E0603` without the memory.
    pub(crate) fn of(e: &Entries) -> Result<Matrix> {
        let rows = runs(&e.by_row[0]);
        let cols = runs(&e.by_col[0]);
        let below = e.places().map(|(i, j)| i.saturating_sub(j)).max();
        let above = e.places().map(|(i, j)| j.saturating_sub(i)).max();
        Ok(Matrix {
            symmetry: (e.shape[0] == e.shape[1]).then(|| symmetry(e)),
            per_row: per_row(&rows, e.shape[0]),
            empty_rows: e.shape[0] - rows.len(),
            empty_columns: e.shape[1] - cols.len(),
            diagonals: diagonals(e),
            lower_bandwidth: below.unwrap_or(0),
            upper_bandwidth: above.unwrap_or(0),
            block_fill: BLOCKS.iter().map(|&size| block_fill(e, size)).collect(),
        })
    }
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        if let Some(s) = &self.symmetry {
            let words = [
                (s.pattern && !s.value && !s.skew && !s.hermitian, "pattern symmetric"),
                (s.value, "value symmetric"),
                (s.skew && !s.value, "skew-symmetric"),
                (s.hermitian && !s.value, "hermitian"),
            ];
            let found: Vec<&str> = words.iter().filter(|(is, _)| *is).map(|(_, w)| *w).collect();
            rows.push(row(
                "measured",
                match found.as_slice() {
                    [] => format!("not symmetric: {} of entries have a mirror image", percent(s.mirrored)),
                    found => found.join(", "),
                },
            ));
        }
        let p = &self.per_row;
        rows.push(row("per row", format!("min {}, mean {:.2}, max {}", p.min, p.mean, p.max)));
        rows.push(row("empty", format!("{} rows, {} columns", self.empty_rows, self.empty_columns)));
        rows.push(row("diagonals", format!("{} nonempty", self.diagonals)));
        let band = format!("{} lower, {} upper", self.lower_bandwidth, self.upper_bandwidth);
        rows.push(row("bandwidth", band));
        for b in &self.block_fill {
            let text = format!("{} of the values of {} nonempty blocks", percent(b.fill), b.blocks);
            rows.push(row(&format!("b{} fill", b.size), text));
        }
        rows
    }
    /// Rows by their number of entries, as bars.
    pub(crate) fn histogram(&self) -> String {
        use crate::table::{Side, table};
        const WIDEST: usize = 40;
        let bins = &self.per_row.histogram;
        let most = bins.iter().map(|b| b.rows).max().unwrap_or(0).max(1);
        let lines: Vec<Vec<String>> = bins
            .iter()
            .map(|b| {
                let range = if b.from == b.to { b.from.to_string() } else { format!("{}-{}", b.from, b.to) };
                let bar = "#".repeat((b.rows as f64 / most as f64 * WIDEST as f64).ceil() as usize);
                vec![range, b.rows.to_string(), bar]
            })
            .collect();
        format!("rows by entries\n{}", table(&[Side::Right, Side::Right, Side::Left], &lines))
    }
}

/// The lengths of runs of equal numbers.
fn runs(sorted: &[u64]) -> Vec<usize> {
    sorted.chunk_by(|a, b| a == b).map(<[u64]>::len).collect()
}

/// Bins are `0`, `1`, `2-3`, `4-7`, …
fn per_row(nonempty: &[usize], rows: usize) -> PerRow {
    let empty = rows - nonempty.len();
    let max = nonempty.iter().copied().max().unwrap_or(0);
    let min = if empty > 0 { 0 } else { nonempty.iter().copied().min().unwrap_or(0) };
    let total: usize = nonempty.iter().sum();
    let mean = if rows == 0 { 0.0 } else { total as f64 / rows as f64 };
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
    PerRow { min, mean, max, histogram }
}

/// Walks the matrix by row and its transpose by row at once: both are sorted alike.
fn symmetry(e: &Entries) -> Symmetry {
    let complex = e.vals().dtype().is_complex();
    let mut matched = 0usize;
    let (mut same, mut negated, mut conjugate) = (true, true, true);
    let at = |c: &[Vec<u64>; 2], n: usize| (c[0][n], c[1][n]);
    let (mut p, mut q, len) = (0, 0, e.len());
    while p < len && q < len {
        let (here, mirror) = (at(&e.by_row, p), at(&e.by_col, q));
        if here == mirror {
            let (a, b) = (e.by_row_vals.get(p), e.by_col_vals.get(q));
            matched += 1;
            same &= a.same(b);
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

/// The number of diagonals with entries.
fn diagonals(e: &Entries) -> usize {
    let [rows, cols] = e.shape;
    let all = rows.saturating_add(cols);
    // A bit per diagonal where there are not many more diagonals than entries.
    if all <= 64 * e.len() + (1 << 20) {
        let mut seen = vec![0u64; all / 64 + 1];
        for (i, j) in e.places() {
            let d = rows + j as usize - i as usize;
            seen[d / 64] |= 1 << (d % 64);
        }
        return seen.iter().map(|w| w.count_ones() as usize).sum();
    }
    e.places().map(|(i, j)| j as i128 - i as i128).collect::<HashSet<_>>().len()
}

/// One row of blocks after the other.
fn block_fill(e: &Entries, size: usize) -> BlockFill {
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
        at += strip.len();
    }
    let fill = if blocks == 0 { 0.0 } else { e.len() as f64 / (blocks * size * size) as f64 };
    BlockFill { size, blocks, fill }
}
