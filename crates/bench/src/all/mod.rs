//! `bench all`: everything that others compute as well, beside the best of them, on whatever matrices there are.
//!
//! A row is a declaration (`rows.rs`): what is computed, on which operands, and by which operations of which libraries. A
//! case is a row on a matrix. Results are compared first; a library with another result than ours fails the run. Then
//! everybody takes turns in random order, each warmed up before its own. Operands are prepared by everybody as they like,
//! and that is not timed: MKL gets hints and optimises, we convert what our plan asks for. Dense results are written where
//! they were written before, sparse ones in new memory, and freeing that is not timed.
//!
//! `bench arrays` is the same for functions of arrays in general, beside PyData/Sparse, NumPy, SciPy and GraphBLAS: the
//! evaluation of the array-programming paper on whatever arrays and pictures there are (`arrays.rs`).
//!
//! `bench all [ROW] [--quick] [--minutes N] [--data DIR] [--json FILE] [--against FILE]`: `ROW` is part of the names of
//! rows, `--against` prints what changed since the run whose results are in that file. When the time is up, matrices that
//! are like others are left out.
//!
//! What both sides are given is alike where it can be: 32 bits for indices; sorted rows, but for rows in any order; the
//! same numbers of threads. A peer that is slower on two threads than on one counts with its time on one. Short calls of
//! libraries in C are timed in C (`peer/peer_c.py`), others with what a call from Python costs. Threads that spin for more
//! work are left to fall asleep before the next turn.

mod arrays;
mod case;
mod facts;
mod family;
mod json;
mod operands;
mod ours;
mod pictures;
mod report;
mod rows;
mod smtx;
mod sources;
mod turns;
mod values;

#[cfg(test)]
mod tests;

use crate::Text;
use crate::inputs;
use crate::timing::Effort;
use crate::worker::Worker;
use case::{BenchContext, Cell};
pub use family::Family;
use operands::Operands;
use ours::THREADS;
use rows::TableRow;
use sources::MatrixSource;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to run.
pub struct BenchSetting {
    pub family: Family,
    pub effort: Effort,
    /// Part of the names of rows.
    pub filter: Option<String>,
    /// Where matrices are, if not where other benchmarks look for them.
    pub data: Option<PathBuf>,
    /// How long everything may take, about.
    pub minutes: Option<f64>,
    /// Where results are written.
    pub json: Option<PathBuf>,
    /// Results to compare with.
    pub against: Option<PathBuf>,
}

impl BenchSetting {
    fn wants(&self, row: &TableRow) -> bool {
        self.filter.as_ref().is_none_or(|f| row.name.contains(f.as_str()))
    }
    /// How long everything may take, about.
    fn limit(&self) -> Duration {
        let usual = if self.effort == Effort::Quick { 3.3 } else { 23.0 };
        Duration::from_secs_f64(60.0 * self.minutes.unwrap_or(usual))
    }
}

/// An error of the library as text.
fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// Runs every row whose name contains the filter on every matrix that suits it.
///
/// # Errors
/// When results differ, or nothing could be compared.
pub fn run(setting: &BenchSetting) -> Text<()> {
    settle_allocator();
    let old = setting.against.as_deref().map(json::read).transpose()?;
    let start = Instant::now();
    let worker = Worker::start(setting.family.libraries());
    let before = THREADS.map(|t| triad(&worker, t));
    let folder = setting.data.clone().unwrap_or_else(inputs::data);
    let sources = sources::list_sources(setting.family, &folder, setting.effort)?;
    println!("shortest times; the fastest peer's time / ours, in brackets by medians");
    let mut bench = BenchContext::new(&worker);
    let cells = cells(setting, &mut bench, &worker, &sources, start);
    // Other work may have had the memory at one time and not at another.
    let bandwidth = [0, 1].map(|n| before[n].max(triad(&worker, THREADS[n])));
    println!("\ntriad: {:.1} GB/s on one thread, {:.1} GB/s on two", bandwidth[0], bandwidth[1]);
    let summaries = report::summaries(setting.family.rows(), &cells);
    report::table(&summaries);
    report::worst(&cells, &summaries, &bandwidth);
    let results = json::results(json::machine(worker.present()), &cells, &summaries, &bandwidth);
    if let Some(old) = &old {
        json::compare(old, &results);
    }
    if let Some(path) = &setting.json {
        let text = serde_json::to_string_pretty(&results).map_err(|e| e.to_string())?;
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    println!("\n{} cells in {:.0} s", cells.len(), start.elapsed().as_secs_f64());
    match bench.wrong.len() {
        0 if cells.is_empty() => Err("nothing was compared".into()),
        0 => Ok(()),
        n => Err(format!("{n} results differ or failed:\n{}", bench.wrong.join("\n"))),
    }
}

/// Memory that was freed serves again, as in any process that has run for a while, and for all threads alike. Otherwise what
/// happened before decides whether an array's pages are new, which takes longer than filling them. The peers' process does
/// the same.
fn settle_allocator() {
    // SAFETY: it is called before there are threads of ours.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    drop(std::hint::black_box(vec![0u8; 31 << 20]));
}

/// GB/s of arrays that no cache holds; without the loops in C, nothing is known.
fn triad(worker: &Worker, threads: usize) -> f64 {
    worker.ask(&format!("triad {threads} 128")).ok().and_then(|t| t.parse().ok()).unwrap_or(f64::NAN)
}

/// Every case. What is left of the time is shared among what is left to do, larger matrices getting more.
fn cells(
    setting: &BenchSetting,
    bench: &mut BenchContext,
    worker: &Worker,
    sources: &[MatrixSource],
    start: Instant,
) -> Vec<Cell> {
    let mut out = Vec::new();
    let rows = |s: &MatrixSource| -> Vec<&TableRow> {
        setting.family.rows().iter().filter(|r| setting.wants(r) && (r.suits)(&s.facts)).collect()
    };
    let weight = |s: &MatrixSource| rows(s).len() as f64 * (s.facts.nnz as f64).sqrt();
    let mut left: f64 = sources.iter().map(weight).sum();
    for (n, source) in sources.iter().enumerate() {
        let rows = rows(source);
        if start.elapsed() > setting.limit() {
            println!(
                "the time is up: {} of {} matrices and tensors are left out",
                sources.len() - n,
                sources.len()
            );
            break;
        }
        if rows.is_empty() {
            continue;
        }
        let Ok(mut operands) = Operands::new(source, worker) else { continue };
        for row in &rows {
            let share = (source.facts.nnz as f64).sqrt() / left.max(1.0);
            left -= (source.facts.nnz as f64).sqrt();
            let time = setting.limit().saturating_sub(start.elapsed()).mul_f64(share.min(1.0));
            match bench.case(row, source, &mut operands, time.min(Duration::from_secs(3))) {
                Ok(cells) => {
                    println!("{}", report::line(&cells));
                    out.extend(cells);
                }
                Err(e) => bench.wrong.push(format!("{} on {}: {e}", row.name, source.name)),
            }
        }
    }
    out
}
