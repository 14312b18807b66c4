//! `openwork tune`: times the planner's best candidates over formats of the operands, on the operands themselves.
//!
//! Formats are varied one operand at a time, where the command line leaves them open; the best of each are then tried
//! together. What takes three times as long as the best so far is stopped.

use crate::args::{OutputMode, TuneArgs};
use crate::compiled::single;
use crate::operands::{self, FileOperand};
use crate::request::Request;
use crate::run::decls;
use crate::summary::json;
use crate::table::{CellSide, bytes, millis, table};
use indicatif::{ProgressBar, ProgressStyle};
use openwork::recommend::mostly_empty;
use openwork::{
    Cancel, Code, Converted, Decls, Format, FormatExt, Kernel, Result, Session, Tensor, conversion_footprint,
    convert,
};
use serde::Serialize;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Formats that matrices and tensors of order three are tried in.
const MATRICES: [&str; 9] = ["csr", "csc", "dcsr", "coo", "ell", "sell(8)", "dia", "bcsr(2,2)", "bcsr(3,3)"];
const CUBES: [&str; 4] = ["csf", "sss:1,0,2", "sss:2,0,1", "coo"];
/// Formats for matrices whose rows or columns are mostly empty, as others take a position for each.
const LISTS: [&str; 3] = ["dcsr", "dcsc", "coo"];
/// How many times as many bytes as the smallest format another one may take.
const ROOM: u128 = 3;
/// Runs of each candidate that count, and the time after which no more are made.
const RUNS: usize = 7;
const LONG: Duration = Duration::from_millis(300);
/// The least time that is waited for anything: machines are busy now and then.
const PATIENCE: Duration = Duration::from_millis(50);
/// Times within this factor are alike.
const NOISE: f64 = 1.05;
/// Characters of a plan that the table shows.
const PLAN: usize = 90;
/// Lines of the table for people.
const LINES: usize = 12;
/// A run that was asked to stop.
const STOPPED: Code = Code("E0606");

/// What was measured.
#[derive(Serialize)]
struct TuneReport {
    statement: String,
    /// The fastest first.
    trials: Vec<Trial>,
    /// Candidates that were stopped, or that these formats are refused for.
    left_out: usize,
    /// The flags that give the fastest again.
    keep: Vec<String>,
}

/// One way to compute the statement.
#[derive(Serialize, Clone)]
struct Trial {
    /// The median of its runs. What operands are converted to stays with them, as in a program that calls it often.
    run_ms: f64,
    /// The operands that are stored otherwise than given, as flags.
    formats: Vec<String>,
    /// Which candidate of the planner's list it is; 0 is the planner's choice.
    candidate: usize,
    /// What it does.
    plan: String,
    /// Bytes of the operands.
    bytes: usize,
}

/// Runs the command and gives what it prints.
///
/// # Errors
/// Every diagnostic of the flags, the files and the statement.
pub(crate) fn tune(args: &TuneArgs) -> Result<String> {
    openwork::set_threads(args.threads.unwrap_or(0) as usize);
    let request = Request::read(&args.tensors)?.with_base(args.data.base);
    request.one_statement("openwork tune")?;
    let origins = operands::origins(&request, &args.data.inputs, &args.data.generators)?;
    let operands = operands::load(&request, &origins)?;
    let mut bench = TuneBench::new(args, &request, operands)?;
    bench.candidates(&[])?;
    let alone = bench.alternatives();
    for change in &alone {
        bench.candidates(std::slice::from_ref(change))?;
    }
    let together = bench.best_of_each();
    if together.len() > 1 {
        bench.candidates(&together)?;
    }
    let report = bench.report();
    Ok(match args.tensors.json.mode() {
        OutputMode::Json => json(&report),
        OutputMode::Human => human(&report),
    })
}

/// An operand, by its number, in another format.
type FormatChange = (usize, String);

struct TuneBench<'a> {
    args: &'a TuneArgs,
    request: &'a Request,
    operands: Vec<FileOperand>,
    trials: Vec<(Vec<FormatChange>, Trial)>,
    left_out: usize,
    bar: ProgressBar,
}

impl TuneBench<'_> {
    fn new<'a>(
        args: &'a TuneArgs,
        request: &'a Request,
        operands: Vec<FileOperand>,
    ) -> Result<TuneBench<'a>> {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos} of {len} formats") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("timing");
        let bench = TuneBench { args, request, operands, trials: Vec::new(), left_out: 0, bar };
        // Whatever is wrong with the statement itself is said before anything is timed.
        bench
            .session(0)?
            .stages(single(request, &args.tensors.statement), &decls(request, &bench.operands))?;
        bench.bar.set_length(bench.alternatives().len() as u64 + 1);
        bench.bar.tick();
        Ok(bench)
    }
    fn session(&self, candidate: usize) -> Result<Session> {
        Ok(Session::new(Session::global().kind())?.with_candidate(candidate))
    }

    /// Other formats of one operand each, that take not much more room than others do.
    fn alternatives(&self) -> Vec<FormatChange> {
        let mut out = Vec::new();
        for (n, operand) in self.operands.iter().enumerate() {
            let t = &operand.tensor;
            let names: &[&str] = match t.rank() {
                2 if t.shape().iter().any(|&n| mostly_empty(n, t.slots())) => &LISTS,
                2 => &MATRICES,
                3 => &CUBES,
                _ => &[],
            };
            if t.format().is_full() || self.request.formats.contains_key(&operand.name) {
                continue;
            }
            let sized = names.iter().filter_map(|name| {
                let format = Format::parse(name, t.rank()).ok()?;
                Some((*name, conversion_footprint(t, &format).ok()?.bytes, format))
            });
            let sized: Vec<_> = sized.collect();
            let least = sized.iter().map(|(_, bytes, _)| *bytes).min().unwrap_or(0);
            let other = |f: &Format| {
                f.levels != t.format().levels || f.modes != t.format().modes || f.remap.is_some()
            };
            let fitting = sized.iter().filter(|(_, bytes, f)| *bytes <= ROOM * least && other(f));
            out.extend(fitting.map(|(name, ..)| (n, (*name).to_string())));
        }
        out
    }
    /// The fastest format of each operand that gains something by itself.
    fn best_of_each(&self) -> Vec<FormatChange> {
        let given = self
            .trials
            .iter()
            .filter(|(c, _)| c.is_empty())
            .map(|(_, t)| t.run_ms)
            .fold(f64::INFINITY, f64::min);
        let best = |n: usize| {
            let own =
                self.trials.iter().filter(|(c, t)| matches!(&c[..], [(m, _)] if *m == n) && t.run_ms < given);
            own.min_by(|a, b| a.1.run_ms.total_cmp(&b.1.run_ms)).map(|(c, _)| c[0].clone())
        };
        (0..self.operands.len()).filter_map(best).collect()
    }

    /// Times the best candidates with some operands stored otherwise.
    fn candidates(&mut self, changes: &[FormatChange]) -> Result<()> {
        let mut changed: Vec<(usize, Tensor)> = Vec::new();
        for (n, format) in changes {
            let t = &self.operands[*n].tensor;
            let Converted { tensor, .. } = convert(Session::global(), t, &Format::parse(format, t.rank())?)?;
            changed.push((*n, tensor));
        }
        for (n, tensor) in &mut changed {
            std::mem::swap(&mut self.operands[*n].tensor, tensor);
        }
        let decls = decls(self.request, &self.operands);
        let timed = self.time_changes(&decls, changes);
        for (n, tensor) in &mut changed {
            std::mem::swap(&mut self.operands[*n].tensor, tensor);
        }
        self.bar.inc(1);
        timed
    }
    fn time_changes(&mut self, decls: &Decls, changes: &[FormatChange]) -> Result<()> {
        let statement = single(self.request, &self.args.tensors.statement);
        let Ok(all) = self.session(0)?.candidates(statement, decls) else {
            self.left_out += 1;
            return Ok(());
        };
        for candidate in 0..all.len().min(self.args.best as usize) {
            let compiled = self.session(candidate)?.compile(statement, decls);
            let measured = compiled.and_then(|kernel| Ok((self.median(&kernel)?, kernel)));
            let (run_ms, kernel) = match measured {
                Ok(measured) => measured,
                Err(e) if e.code() == STOPPED && Cancel::check().is_err() => return Err(e),
                Err(_) => {
                    self.left_out += 1;
                    continue;
                }
            };
            let flag = |(n, format): &FormatChange| format!("-f {}={format}", self.operands[*n].name);
            let trial = Trial {
                run_ms,
                formats: changes.iter().map(flag).collect(),
                candidate,
                plan: kernel.stages().cin(),
                bytes: self.operands.iter().map(|o| o.tensor.bytes()).sum(),
            };
            self.trials.push((changes.to_vec(), trial));
        }
        Ok(())
    }
    /// The median time of some runs, in milliseconds, after two in which conversions are made and kept.
    fn median(&self, kernel: &Kernel) -> Result<f64> {
        let given: Vec<(&str, &Tensor)> =
            self.operands.iter().map(|o| (o.name.as_str(), &o.tensor)).collect();
        let best = self.trials.iter().map(|(_, t)| t.run_ms).fold(f64::INFINITY, f64::min);
        let limit = Duration::try_from_secs_f64(best * 3.0 / 1e3).unwrap_or(Duration::MAX).max(PATIENCE);
        let start = Instant::now();
        let mut times = Vec::new();
        for run in 0..RUNS + 2 {
            // Conversions may take longer than what they are good for.
            let limit = if run < 2 { limit.saturating_mul(20) } else { limit };
            let took = run_with_limit(limit, || kernel.run(&given))?.times.total.as_secs_f64() * 1e3;
            if run >= 2 {
                times.push(took);
            }
            if times.len() > 2 && start.elapsed() > LONG {
                break;
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    }

    fn report(self) -> TuneReport {
        self.bar.finish_and_clear();
        let mut trials: Vec<Trial> = self.trials.into_iter().map(|(_, t)| t).collect();
        trials.sort_by(|a, b| a.run_ms.total_cmp(&b.run_ms));
        // What is within the noise of the fastest is as fast; the least that must be changed is kept.
        let best = trials.first().map_or(0.0, |t| t.run_ms);
        let mut fast: Vec<&Trial> = trials.iter().filter(|t| t.run_ms <= NOISE * best).collect();
        fast.sort_by_key(|t| (t.formats.len(), t.candidate));
        let keep = fast.first().map_or(Vec::new(), |best| {
            let number = (best.candidate > 0).then(|| format!("--use {}", best.candidate));
            best.formats.iter().cloned().chain(number).collect()
        });
        TuneReport { statement: self.args.tensors.statement.clone(), trials, left_out: self.left_out, keep }
    }
}

/// What `work` gives, unless it takes longer.
///
/// # Errors
/// `E0606` where it was stopped.
fn run_with_limit<T>(limit: Duration, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let cancel = Cancel::new();
    let handle = cancel.clone();
    let (done, waiting) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            handle.cancel();
        }
    });
    let result = cancel.scope(work);
    drop(done);
    // A watch that panicked stops nothing.
    let _ = watch.join();
    result
}

fn human(report: &TuneReport) -> String {
    let best = report.trials.first().map_or(0.0, |t| t.run_ms);
    let mut rows =
        vec![["run", "times best", "operands", "candidate", "formats", "plan"].map(String::from).to_vec()];
    for t in report.trials.iter().take(LINES) {
        rows.push(vec![
            millis(t.run_ms),
            format!("{:.2}", t.run_ms / best),
            bytes(t.bytes),
            t.candidate.to_string(),
            if t.formats.is_empty() { "as given".into() } else { t.formats.join(" ") },
            short(&t.plan),
        ]);
    }
    let sides =
        [CellSide::Right, CellSide::Right, CellSide::Right, CellSide::Right, CellSide::Left, CellSide::Left];
    let mut out = format!("{}\n{}", report.statement, table(&sides, &rows));
    if report.trials.len() > LINES {
        out += &format!("{} more took longer\n", report.trials.len() - LINES);
    }
    if report.left_out > 0 {
        out += &format!("{} more were refused or stopped\n", report.left_out);
    }
    match &report.keep[..] {
        [] => out += "keep everything as it is\n",
        flags => out += &format!("keep: {}\n", flags.join(" ")),
    }
    out
}

/// The beginning of a plan, where it is long.
fn short(plan: &str) -> String {
    match plan.char_indices().nth(PLAN) {
        Some((end, _)) => format!("{}…", &plan[..end]),
        None => plan.into(),
    }
}
