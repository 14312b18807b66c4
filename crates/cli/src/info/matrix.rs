//! The structure of a matrix, as it is shown.

use super::row;
use crate::table::percent;
use openwork_storage::structure::{self, Structure};
use serde::Serialize;

/// How entries and their mirror images relate.
#[derive(Serialize, Debug, Clone, PartialEq)]
struct SymmetryReport {
    pattern: bool,
    value: bool,
    skew: bool,
    hermitian: bool,
    mirrored: f64,
}

/// Entries per row.
#[derive(Serialize, Debug, Clone, PartialEq)]
struct PerRowReport {
    min: usize,
    mean: f64,
    max: usize,
    deviation: f64,
    histogram: Vec<BinReport>,
}

/// Rows with `from..=to` entries.
#[derive(Serialize, Debug, Clone, PartialEq)]
struct BinReport {
    from: usize,
    to: usize,
    rows: usize,
}

/// How well aligned blocks of one size fit.
#[derive(Serialize, Debug, Clone, PartialEq)]
struct BlockFillReport {
    size: usize,
    /// Nonempty blocks.
    blocks: usize,
    /// The part of their values that is stored.
    fill: f64,
}

/// The structure of a matrix.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// `None` for a matrix that is not square.
    symmetry: Option<SymmetryReport>,
    per_row: PerRowReport,
    empty_rows: usize,
    empty_columns: usize,
    diagonals: usize,
    /// The part of the places on nonempty diagonals that is stored.
    diagonal_fill: f64,
    lower_bandwidth: u64,
    upper_bandwidth: u64,
    block_fill: Vec<BlockFillReport>,
}

impl Matrix {
    /// What was measured.
    pub(crate) fn from_structure(s: &Structure) -> Matrix {
        let symmetry = |m: &structure::Symmetry| SymmetryReport {
            pattern: m.pattern,
            value: m.value,
            skew: m.skew,
            hermitian: m.hermitian,
            mirrored: m.mirrored,
        };
        let bin = |b: &structure::Bin| BinReport { from: b.from, to: b.to, rows: b.rows };
        let block =
            |b: &structure::BlockFill| BlockFillReport { size: b.size, blocks: b.blocks, fill: b.fill };
        let p = &s.per_row;
        Matrix {
            symmetry: s.symmetry.as_ref().map(symmetry),
            per_row: PerRowReport {
                min: p.min,
                mean: p.mean,
                max: p.max,
                deviation: p.deviation,
                histogram: p.histogram.iter().map(bin).collect(),
            },
            empty_rows: s.empty_rows,
            empty_columns: s.empty_columns,
            diagonals: s.diagonals.count,
            diagonal_fill: s.diagonals.fill,
            lower_bandwidth: s.band.0.max(0) as u64,
            upper_bandwidth: s.band.1.max(0) as u64,
            block_fill: s.blocks.iter().map(block).collect(),
        }
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
        rows.push(row(
            "per row",
            format!("min {}, mean {:.2}, max {}, deviation {:.2}", p.min, p.mean, p.max, p.deviation),
        ));
        rows.push(row("empty", format!("{} rows, {} columns", self.empty_rows, self.empty_columns)));
        let full = percent(self.diagonal_fill);
        rows.push(row("diagonals", format!("{} nonempty, {full} of their places stored", self.diagonals)));
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
        use crate::table::{CellSide, table};
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
        format!("rows by entries\n{}", table(&[CellSide::Right, CellSide::Right, CellSide::Left], &lines))
    }
}
