//! What `run` reports, for people and as JSON.

use crate::args::OutputMode;
use crate::operands::FileOperand;
use crate::table::{self, CellSide, table};
use openwork::{BackendKind, Format, Ran, Tensor, Work};
use serde::Serialize;
use std::time::Duration;

/// Everything there is to say about a run.
#[derive(Serialize, Debug)]
pub(crate) struct RunReport {
    pub(crate) statement: String,
    pub(crate) results: Vec<TensorLine>,
    pub(crate) operands: Vec<TensorLine>,
    pub(crate) backend: &'static str,
    pub(crate) threads: usize,
    pub(crate) chunks: usize,
    pub(crate) parallel: String,
    pub(crate) compile_ms: f64,
    pub(crate) load_ms: f64,
    /// Whole runs.
    pub(crate) run_ms: RunTimes,
    /// What of them was inside the kernel.
    pub(crate) kernel_ms: RunTimes,
    /// And what went into storing operands and results differently around it.
    pub(crate) conversion_ms: RunTimes,
    /// The same of the first run, which is not counted: what became of operands is kept from the second one on.
    pub(crate) first_conversion_ms: f64,
    /// The variant of the plan that ran the first time, and the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_variant: Option<VariantLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) variant: Option<VariantLine>,
    /// What is done for several statements, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<StepLine>,
    pub(crate) flops: f64,
    pub(crate) bytes: u64,
    pub(crate) reasons: Vec<ReasonLine>,
    /// The entries of a small result, for people.
    #[serde(skip)]
    pub(crate) entries: Vec<String>,
}

/// A tensor in one line.
#[derive(Serialize, Debug)]
pub(crate) struct TensorLine {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    /// Stored elements.
    pub(crate) nnz: usize,
    /// Values in memory, padding included.
    pub(crate) stored: usize,
    pub(crate) format: String,
    pub(crate) dtype: &'static str,
    pub(crate) bytes: usize,
    /// Where an operand comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) load_ms: Option<f64>,
    /// The files a result was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<Vec<String>>,
}

/// Statements of several that run in one step.
#[derive(Serialize, Debug)]
pub(crate) struct StepLine {
    pub(crate) statements: Vec<String>,
    pub(crate) run_ms: RunTimes,
    pub(crate) threads: usize,
    pub(crate) chunks: usize,
    /// The variant that ran for each statement.
    pub(crate) variants: Vec<VariantLine>,
    /// Whether several statements ran part by part.
    pub(crate) together: bool,
    /// For each statement, whether one kernel computed it with others.
    pub(crate) joined: Vec<bool>,
    pub(crate) parallel: String,
}

/// Which variant of a plan ran.
#[derive(Serialize, Debug, PartialEq, Eq)]
pub(crate) struct VariantLine {
    pub(crate) number: usize,
    pub(crate) name: &'static str,
    /// What was stored differently, and how.
    pub(crate) conversions: Vec<String>,
    /// All of it in words.
    #[serde(skip)]
    pub(crate) text: String,
}

impl VariantLine {
    pub(crate) fn new(ran: &Ran) -> VariantLine {
        let conversions = ran.conversions.iter().map(|c| format!("`{}` {}", c.tensor, c.how)).collect();
        VariantLine { number: ran.variant, name: ran.name, conversions, text: ran.to_string() }
    }
}

/// Times of a part of every run, in milliseconds.
#[derive(Serialize, Debug, Clone, Copy)]
pub(crate) struct RunTimes {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) runs: usize,
}

/// A choice that was made for the user.
#[derive(Serialize, Debug, PartialEq, Eq)]
pub(crate) struct ReasonLine {
    pub(crate) choice: String,
    pub(crate) because: String,
}

/// A format without the widths of its index arrays.
pub(crate) fn plain(format: &Format) -> String {
    Format { pos: None, crd: None, ..format.clone() }.to_string()
}

impl TensorLine {
    /// A tensor that was computed or converted.
    pub(crate) fn from_tensor(name: &str, t: &Tensor) -> TensorLine {
        TensorLine {
            name: name.into(),
            shape: t.shape().to_vec(),
            nnz: t.nnz(),
            stored: t.slots(),
            format: plain(t.format()),
            dtype: t.dtype().name(),
            bytes: t.bytes(),
            origin: None,
            load_ms: None,
            files: None,
        }
    }
    /// An operand.
    pub(crate) fn operand(o: &FileOperand) -> TensorLine {
        let load_ms = Some(o.load_time.as_secs_f64() * 1e3);
        TensorLine { origin: Some(o.origin.clone()), load_ms, ..TensorLine::from_tensor(&o.name, &o.tensor) }
    }
    /// The cells of a row in a table of tensors.
    pub(crate) fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            self.name.clone(),
            table::shape(&self.shape),
            format!("{} stored", self.stored),
            self.format.clone(),
            self.dtype.into(),
            table::bytes(self.bytes),
        ];
        let origin = self.origin.iter().chain(self.files.iter().flatten());
        cells.extend(origin.cloned());
        cells.extend(self.load_ms.map(table::millis));
        cells
    }
}

/// How the columns of a table of tensors lean.
pub(crate) const TENSOR_SIDES: [CellSide; 8] = [
    CellSide::Left,
    CellSide::Left,
    CellSide::Right,
    CellSide::Left,
    CellSide::Left,
    CellSide::Right,
    CellSide::Left,
    CellSide::Right,
];

impl RunTimes {
    /// A part of at least one run.
    pub(crate) fn from_runs<T>(runs: &[T], part: impl Fn(&T) -> Duration) -> RunTimes {
        let mut ms: Vec<f64> = runs.iter().map(|t| part(t).as_secs_f64() * 1e3).collect();
        ms.sort_by(f64::total_cmp);
        let runs = ms.len();
        let at = |n: usize| ms.get(n).copied().unwrap_or(0.0);
        let median = (at(runs / 2) + at(runs.saturating_sub(1) / 2)) / 2.0;
        RunTimes { min: at(0), median, runs }
    }
}

/// The entries of a small tensor, one per line: `y(2) = 0.5`, coordinates from 0.
pub(crate) fn entries(name: &str, t: &Tensor) -> Vec<String> {
    const FEW: usize = 10;
    if t.nnz() > FEW {
        return Vec::new();
    }
    let mut out = Vec::new();
    t.for_each(|at, value| {
        let at: Vec<String> = at.iter().map(usize::to_string).collect();
        out.push(match at.as_slice() {
            [] => format!("{name} = {value}"),
            at => format!("{name}({}) = {value}", at.join(",")),
        });
    });
    out
}

impl RunReport {
    /// As text of a mode.
    pub(crate) fn show(&self, mode: OutputMode, work: Work) -> String {
        match mode {
            OutputMode::Json => json(self),
            OutputMode::Human => self.human(work),
        }
    }
    fn human(&self, work: Work) -> String {
        let all: Vec<Vec<String>> =
            self.operands.iter().chain(&self.results).map(TensorLine::cells).collect();
        // One table, so that operands and results align.
        let lines = table(&TENSOR_SIDES, &all);
        let lines: Vec<&str> = lines.lines().collect();
        let (operands, results) = lines.split_at(self.operands.len());
        let mut out = format!("{}\n", self.statement);
        let made = if results.len() == 1 { "result" } else { "results" };
        for (title, lines) in [("operands", operands), (made, results)] {
            if !lines.is_empty() {
                out += &format!("{title}\n{}\n", lines.join("\n"));
            }
        }
        for entry in &self.entries {
            out += &format!("    {entry}\n");
        }
        out += &format!("times\n{}", table(&[CellSide::Left, CellSide::Left], &self.times(work)));
        if !self.steps.is_empty() {
            out += &format!("steps\n{}", self.step_table());
        }
        if !self.reasons.is_empty() {
            out += "choices\n";
        }
        for r in &self.reasons {
            out += &format!("  {}: {}\n", r.choice, r.because);
        }
        out
    }
    /// A line for each statement: what runs in one step has one time.
    fn step_table(&self) -> String {
        let mut rows = Vec::new();
        for step in &self.steps {
            let spread = spread(step.threads, step.chunks, &step.parallel);
            let mut text = format!("{}, {spread}", show_times(step.run_ms));
            let (next, how) = match step.together {
                true => ("in the same parts", ", together"),
                false => ("in the same step", ""),
            };
            for (n, (statement, ran)) in step.statements.iter().zip(&step.variants).enumerate() {
                let one = step.joined.get(n).is_some_and(|one| *one);
                let variant = format!("variant {}{}", ran.text, if one { ", in one loop" } else { how });
                rows.push(vec![statement.clone(), variant, std::mem::replace(&mut text, next.into())]);
            }
        }
        table(&[CellSide::Left; 3], &rows)
    }
    /// How all of it was spread over threads.
    fn spread_text(&self) -> String {
        match self.steps.len() {
            0 => spread(self.threads, self.chunks, &self.parallel),
            _ => format!("{} on {}", self.parallel, threads(self.threads)),
        }
    }
    fn times(&self, work: Work) -> Vec<Vec<String>> {
        // What is counted is the work of the statement on its operands as they are given: that of a whole run.
        let median = self.run_ms.median;
        let rate = |x: f64| x / (median * 1e6).max(f64::MIN_POSITIVE);
        let rates = format!(
            "{:.3} GFLOP/s, {:.3} GB/s (estimates from {} flops and {})",
            rate(work.flops),
            rate(work.bytes),
            work.flops.round(),
            table::bytes(work.bytes as usize)
        );
        let row = |name: &str, text: String| vec![name.to_string(), text];
        let mut rows = vec![
            row("load", table::millis(self.load_ms)),
            row("compile", format!("{} ({})", table::millis(self.compile_ms), self.backend)),
            row("run", format!("{}, {}", show_times(self.run_ms), self.spread_text())),
        ];
        if self.first_conversion_ms > 0.0 {
            let text = match self.conversion_ms.median > 0.0 {
                true => show_times(self.conversion_ms),
                false => format!("{} in the first run, then kept", table::millis(self.first_conversion_ms)),
            };
            rows.push(row("  conversions", text));
            rows.push(row("  kernel", show_times(self.kernel_ms)));
        }
        if let (Some(first), Some(last)) = (&self.first_variant, &self.variant) {
            let changed = if first == last { String::new() } else { format!(" (first {})", first.text) };
            rows.push(row("variant", format!("{}{changed}", last.text)));
        }
        rows.push(row("rate", rates));
        rows
    }
}

/// The times of one run, or of several.
fn show_times(t: RunTimes) -> String {
    match t.runs {
        1 => table::millis(t.median),
        runs => format!("min {}, median {} of {runs} runs", table::millis(t.min), table::millis(t.median)),
    }
}

/// How work was spread over threads.
fn spread(threads_used: usize, chunks: usize, parallel: &str) -> String {
    match (threads_used, chunks) {
        (1, 1) if parallel.starts_with("serial") => format!("on 1 thread ({parallel})"),
        (1, 1) => "on 1 thread".into(),
        (t, n) => format!("on {}, {n} {parallel}", threads(t)),
    }
}
fn threads(n: usize) -> String {
    if n == 1 { "1 thread".into() } else { format!("{n} threads") }
}

/// One JSON object and a line break.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Maps with string keys, numbers and text always serialise.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

/// The name of a backend in reports.
pub(crate) fn backend(kind: BackendKind) -> &'static str {
    kind.name()
}
