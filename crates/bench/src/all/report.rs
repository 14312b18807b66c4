//! What the cells come to.

use super::case::Cell;
use super::ours::THREADS;
use super::rows::TableRow;
use super::turns::TurnTimes;
use crate::sparse::table::mean;

/// A ratio below this is a cell that was lost.
const LOST: f64 = 0.85;
/// A peer that few matrices of a row suit is not the rival there.
const SHARE: f64 = 0.6;

/// A row on a number of threads.
#[derive(Clone, Debug)]
pub struct Summary {
    pub row: &'static str,
    pub threads: usize,
    /// The peer with the best geometric mean.
    pub rival: String,
    /// Geometric means of its times over ours.
    pub ratio: TurnTimes,
    /// The same of the loop in C.
    pub c: Option<TurnTimes>,
    pub cells: usize,
    /// How many cells are lost to the rival.
    pub lost: usize,
}

fn means<'a>(cells: impl Iterator<Item = &'a Cell> + Clone, op: &str) -> Option<TurnTimes> {
    let ratios = || cells.clone().filter_map(|c| c.ratio(op));
    Some(TurnTimes { min: mean(ratios().map(|r| r.min))?, median: mean(ratios().map(|r| r.median))? })
}

/// The rows that were run, in order.
pub fn summaries(rows: &[TableRow], cells: &[Cell]) -> Vec<Summary> {
    let mut out = Vec::new();
    for row in rows {
        for threads in THREADS {
            let here: Vec<&Cell> =
                cells.iter().filter(|c| c.row == row.name && c.threads == threads).collect();
            out.extend(summary(row.name, threads, &here));
        }
    }
    out
}

fn summary(row: &'static str, threads: usize, here: &[&Cell]) -> Option<Summary> {
    let all = || here.iter().copied();
    let mut ops: Vec<&str> = all().flat_map(|c| c.peers.iter().map(|(op, _)| op.as_str())).collect();
    ops.sort_unstable();
    ops.dedup();
    let often =
        |op: &&str| all().filter(|c| c.ratio(op).is_some()).count() as f64 >= SHARE * here.len() as f64;
    let ranked = ops.iter().copied().filter(often).filter_map(|op| Some((op, means(all(), op)?)));
    let (rival, ratio) = ranked.min_by(|a, b| a.1.min.total_cmp(&b.1.min))?;
    let lost = all().filter(|c| c.ratio(rival).is_some_and(|r| r.min < LOST)).count();
    let loops = ops.iter().copied().filter(|op| op.starts_with("c.")).filter_map(|op| means(all(), op));
    let c = loops.min_by(|a, b| a.min.total_cmp(&b.min));
    Some(Summary { row, threads, rival: rival.into(), ratio, c, cells: here.len(), lost })
}

fn short(op: &str) -> String {
    op.replace("convert:", "").replace("spmv:", "").replace("{b}", "")
}

/// The end of a long name, where such names differ.
fn shorten_name(name: &str) -> String {
    let length = name.chars().count();
    if length <= 28 {
        name.into()
    } else {
        format!("…{}", name.chars().skip(length - 27).collect::<String>())
    }
}

/// The times of a case and their ratios: shortest, and medians in brackets.
pub fn line(cells: &[Cell]) -> String {
    let Some(first) = cells.first() else { return String::new() };
    let mut out = format!("{:<20} {:<28} {:>9}", first.row, shorten_name(&first.matrix), first.nnz);
    for cell in cells {
        out += &format!("  {}T {:>9.4} ms", cell.threads, cell.ours.min);
        if let Some((op, times)) = cell.best() {
            let ratio = times.ratio_to(cell.ours);
            out += &format!(" {:5.2}x ({:.2}) {:<22}", ratio.min, ratio.median, short(op));
        }
    }
    out
}

/// The table of rows.
pub fn table(summaries: &[Summary]) {
    println!(
        "\ngeometric means of the time of the rival, the best peer of a row, over ours; below 1 we are slower"
    );
    println!(
        "{:<20} {:>2} {:>7} {:>7} {:>7} {:>7} {:>5} {:>6}  rival",
        "row", "T", "min", "median", "C min", "median", "cells", "<0.85"
    );
    for s in summaries {
        let c = |of: fn(&TurnTimes) -> f64| s.c.as_ref().map_or("-".into(), |t| format!("{:.2}", of(t)));
        println!(
            "{:<20} {:>2} {:>7.2} {:>7.2} {:>7} {:>7} {:>5} {:>6}  {}",
            s.row,
            s.threads,
            s.ratio.min,
            s.ratio.median,
            c(|t| t.min),
            c(|t| t.median),
            s.cells,
            s.lost,
            short(&s.rival)
        );
    }
}

/// The fraction of measured bandwidth that a cell's operands and result move at, each read or written once.
pub fn share(cell: &Cell, bandwidth: &[f64; 2]) -> f64 {
    let at = THREADS.iter().position(|t| *t == cell.threads).unwrap_or(0);
    cell.bytes as f64 / (cell.ours.min * 1e6) / bandwidth[at]
}

/// The cells with the least ratios to the rival of their row, with their plans.
pub fn worst(cells: &[Cell], summaries: &[Summary], bandwidth: &[f64; 2]) {
    let ratio = |c: &Cell| {
        let s = summaries.iter().find(|s| s.row == c.row && s.threads == c.threads)?;
        Some((c.ratio(&s.rival)?, s.rival.clone()))
    };
    let mut all: Vec<(&Cell, (TurnTimes, String))> =
        cells.iter().filter_map(|c| Some((c, ratio(c)?))).collect();
    all.sort_by(|a, b| a.1.0.min.total_cmp(&b.1.0.min));
    println!(
        "\nworst cells against the rival of their row, our time, and the share of the bandwidth of a triad"
    );
    for (cell, (ratio, rival)) in all.iter().take(15) {
        println!(
            "{:5.2}x ({:.2}) {:<20} {}T {:<28} {:>9.4} ms {:>5.0} %  {}",
            ratio.min,
            ratio.median,
            cell.row,
            cell.threads,
            shorten_name(&cell.matrix),
            cell.ours.min,
            100.0 * share(cell, bandwidth),
            short(rival)
        );
        println!("      {}", cell.plan);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(matrix: &str, ours: f64, peers: &[(&str, f64)]) -> Cell {
        let times = |ms: f64| TurnTimes { min: ms, median: 2.0 * ms };
        Cell {
            row: "SpMV csr",
            matrix: matrix.into(),
            nnz: 1,
            threads: 1,
            ours: times(ours),
            peers: peers.iter().map(|(op, ms)| (op.to_string(), times(*ms))).collect(),
            bytes: 1,
            plan: String::new(),
        }
    }

    #[test]
    fn the_rival_is_the_peer_with_the_best_mean() {
        let cells = [
            cell("a", 1.0, &[("mkl.spmv:csr", 0.5), ("c.spmv:csr", 4.0), ("x.rare", 0.1)]),
            cell("b", 1.0, &[("mkl.spmv:csr", 2.0), ("c.spmv:csr", 1.0)]),
        ];
        let [s] = &summaries(super::super::rows::ROWS, &cells)[..] else { panic!("one row on one thread") };
        assert_eq!((s.rival.as_str(), s.cells, s.lost), ("mkl.spmv:csr", 2, 1));
        assert!((s.ratio.min - 1.0).abs() < 1e-12 && (s.c.map_or(0.0, |c| c.min) - 2.0).abs() < 1e-12);
    }
}
