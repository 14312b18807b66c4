//! Results in JSON, and what changed since others.

use super::Text;
use super::case::Cell;
use super::report::{Summary, share};
use super::turns::TurnTimes;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A change of a ratio that is reported.
const CHANGE: f64 = 0.10;
/// Cells that are reported at most.
const MOST: usize = 40;

fn times(t: &TurnTimes) -> Value {
    json!([t.min, t.median])
}

/// What the results were measured on and with.
pub fn machine(peers: &[(&'static str, String)]) -> Value {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let peers: Map<String, Value> = peers.iter().map(|(name, v)| (name.to_string(), json!(v))).collect();
    json!({
        "cpu": name.trim_start_matches(['\t', ' ', ':']),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "peers": peers,
    })
}

/// The results of a run. Times are in milliseconds, the shortest and the median.
pub fn results(machine: Value, cells: &[Cell], summaries: &[Summary], bandwidth: &[f64; 2]) -> Value {
    let row = |s: &Summary| {
        json!({
            "row": s.row, "threads": s.threads, "rival": s.rival, "ratio": times(&s.ratio),
            "c": s.c.as_ref().map(times), "cells": s.cells, "lost": s.lost,
        })
    };
    let cell = |c: &Cell| {
        let peers: Map<String, Value> = c.peers.iter().map(|(op, t)| (op.clone(), times(t))).collect();
        let best = c.best().map(|(_, t)| times(&t.ratio_to(c.ours)));
        json!({
            "row": c.row, "matrix": c.matrix, "nnz": c.nnz, "threads": c.threads, "ours": times(&c.ours),
            "peers": peers, "ratio": best, "bandwidth": share(c, bandwidth), "plan": c.plan,
        })
    };
    json!({
        "machine": machine,
        "bandwidth GB/s": bandwidth,
        "rows": summaries.iter().map(row).collect::<Vec<_>>(),
        "cells": cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

/// The results of an earlier run.
///
/// # Errors
/// When the file cannot be read, or holds something else.
pub fn read(path: &Path) -> Text<Value> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Prints rows and cells whose ratio changed, those that changed most first. Ratios to peers of the same run are compared,
/// as the machine may have had other work.
pub fn compare(old: &Value, new: &Value) {
    for (what, most) in [("rows", usize::MAX), ("cells", MOST)] {
        let mut changes = changes(&old[what], &new[what]);
        changes.sort_by(|a, b| b.2.ln().abs().total_cmp(&a.2.ln().abs()));
        println!(
            "\n{} {what} changed by more than {:.0} % against the best peer",
            changes.len(),
            100.0 * CHANGE
        );
        for (name, [before, after], change) in changes.iter().take(most) {
            println!("{:+6.0} %  {before:6.2}x -> {after:6.2}x  {name}", 100.0 * (change - 1.0));
        }
    }
}

/// What is in both and changed: its name, both ratios, and the new one over the old.
fn changes(old: &Value, new: &Value) -> Vec<(String, [f64; 2], f64)> {
    let name = |v: &Value| {
        let text = |key: &str| v[key].as_str().unwrap_or_default().to_string();
        format!("{} {}T {}", text("row"), v["threads"], text("matrix"))
    };
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let before = list(old);
    let pair = |v: &Value| {
        let (name, after) = (name(v), v["ratio"][0].as_f64()?);
        let old = before.iter().find(|o| self::is_same_cell(o, v))?["ratio"][0].as_f64()?;
        Some((name, [old, after], after / old))
    };
    list(new).iter().filter_map(pair).filter(|(.., change)| (change - 1.0).abs() > CHANGE).collect()
}

/// The same cell, or the same row over as many cells.
fn is_same_cell(a: &Value, b: &Value) -> bool {
    ["row", "threads", "matrix", "cells"].iter().all(|key| a[key] == b[key])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_by_row_matrix_and_threads() {
        let cell = |matrix: &str, ratio: f64| json!({"row": "r", "threads": 1, "matrix": matrix, "ratio": [ratio, 9.0]});
        let (old, new) = (
            json!([cell("a", 1.0), cell("b", 1.0)]),
            json!([cell("b", 0.5), cell("a", 1.05), cell("c", 3.0)]),
        );
        assert_eq!(changes(&old, &new), vec![("r 1T b".to_string(), [1.0, 0.5], 0.5)]);
    }
}
