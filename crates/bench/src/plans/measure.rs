//! Running the candidates of a case beside the plan that was chosen.

use super::Text;
use super::candidates::{CandidateStep, PlanCandidate, candidates};
use super::corpus::PlanCase;
use super::data::DataSource;
use crate::timing::{Effort, TimedSubject, median, rounds_within};
use openwork::{Cancel, Decl, Decls, Format, FormatExt, Kernel, Schedule, Session, Tensor};
use openwork_storage::{memory, unpack};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Candidates draw from a fixed seed, so that two runs compare the same ones.
const SEED: u64 = 20;
/// A candidate is stopped when it has taken so many times as long as the best one so far.
const STOPPED: f64 = 3.0;
/// Arrays of candidates may take this much together, besides what the operands take.
const MEMORY: u64 = 1 << 30;

/// How much time a case takes.
struct TimeLimits {
    candidates: usize,
    /// For finding out which candidates are good.
    trying: Duration,
    rounds: usize,
    /// For timing the best of them.
    timing: Duration,
}

impl TimeLimits {
    fn from_effort(effort: Effort) -> TimeLimits {
        let ms = Duration::from_millis;
        match effort {
            Effort::Quick => TimeLimits { candidates: 8, trying: ms(500), rounds: 6, timing: ms(200) },
            Effort::Full | Effort::Long => {
                TimeLimits { candidates: 24, trying: ms(3500), rounds: 20, timing: ms(1200) }
            }
        }
    }
}

/// What a case came to.
pub struct CaseOutcome {
    pub chosen: f64,
    pub best: f64,
    /// What the best way is; nothing where it is the chosen one.
    pub what: Option<String>,
    /// The plans of both.
    pub plans: [String; 2],
    /// What the cost model says of the kernels of both, in milliseconds.
    pub estimated: [f64; 2],
    /// The part of the chosen plan's time that its own conversions take.
    pub converting: f64,
    /// Candidates that ran, and how many were refused or stopped.
    pub ran: usize,
    pub refused: usize,
    pub stopped: usize,
    /// Ways whose results differ from the chosen plan's, and mistakes of ours.
    pub wrong: Vec<String>,
}

impl CaseOutcome {
    pub fn ratio(&self) -> f64 {
        self.chosen / self.best
    }
}

/// What all threads of this process have computed so far: conversions may use several. Time in which other processes had
/// the cores does not count.
fn cpu_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a `timespec` that is written to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Kernels that run one after the other.
struct Runnable {
    what: String,
    /// With the names of what each one makes.
    kernels: Vec<(Kernel, String)>,
}

type NamedTensors = Vec<(String, Tensor)>;

impl Runnable {
    /// Runs all and gives the last result, with the time it took.
    fn run(&self, given: &NamedTensors) -> openwork::Result<(Duration, Tensor)> {
        let start = cpu_time();
        let mut made: NamedTensors = Vec::new();
        for (n, (kernel, name)) in self.kernels.iter().enumerate() {
            let all: Vec<(&str, &Tensor)> = given.iter().chain(&made).map(|(n, t)| (n.as_str(), t)).collect();
            let done = kernel.run(&all)?.tensor;
            if n + 1 == self.kernels.len() {
                return Ok((cpu_time() - start, done));
            }
            made.push((name.clone(), done));
        }
        Err(openwork::Error::bug("bench", "no statement", ""))
    }
    fn time_run(&self, given: &NamedTensors) -> Duration {
        let (time, tensor) = self.run(given).expect("it ran before");
        self.recycle(tensor);
        time
    }
    /// The memory of a result serves the next one.
    fn recycle(&self, tensor: Tensor) {
        if let Some((kernel, _)) = self.kernels.last() {
            kernel.recycle(tensor);
        }
    }
    /// What the cost model says of the kernels, without the conversions around them.
    fn estimate_cost(&self) -> f64 {
        self.kernels.iter().map(|(kernel, _)| kernel.stages().explain().cost.work / 1e6).sum()
    }
    /// The part of the time of a run that goes into conversions which are no statements of their own.
    fn conversion_share(&self, given: &NamedTensors) -> f64 {
        let all: Vec<(&str, &Tensor)> = given.iter().map(|(n, t)| (n.as_str(), t)).collect();
        let done = self.kernels[0].0.run(&all).expect("it ran before");
        let part = done.times.conversions.as_secs_f64() / done.times.total.as_secs_f64();
        self.recycle(done.tensor);
        part
    }
    /// Concrete index notation, and what is converted.
    fn plans(&self) -> String {
        let plan = |(kernel, _): &(Kernel, String)| {
            let stages = kernel.stages();
            let mut parts = vec![stages.cin()];
            parts.extend(stages.conversions().map(|c| c.describe()));
            parts.extend(stages.finish().map(|f| format!("the result is converted to {f}")));
            parts.join("; ")
        };
        self.kernels.iter().map(plan).collect::<Vec<_>>().join(" | ")
    }
}

fn decl(t: &Tensor) -> Decl {
    Decl {
        dtype: Some(t.dtype()),
        format: Some(t.format().clone().with_fill(t.fill().to_string())),
        shape: Some(t.shape().to_vec()),
        stored: Some(t.slots()),
        elements: None,
    }
}

/// Calls `f`, which is asked to stop after `limit`.
fn run_with_limit<T>(limit: Duration, f: impl FnOnce() -> openwork::Result<T>) -> openwork::Result<T> {
    let cancel = Cancel::new();
    let handle = cancel.clone();
    let (done, wait) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            handle.cancel();
        }
    });
    let result = cancel.scope(f);
    drop(done);
    watch.join().expect("it only waits");
    result
}

fn compile_step(
    step: &CandidateStep,
    known: &NamedTensors,
    result: Option<&Format>,
) -> openwork::Result<Kernel> {
    let mut decls = Decls::default();
    for access in step.formula.rhs.accesses() {
        if let Some((name, t)) = known.iter().find(|(n, _)| *n == access.name) {
            decls.tensors.insert(name.clone(), decl(t));
        }
    }
    let target = &step.formula.target;
    let format = match &step.format {
        Some(text) => Some(Format::parse(text, target.vars.len())?),
        None => result.cloned(),
    };
    decls.tensors.insert(target.name.clone(), Decl { format, ..Decl::default() });
    let schedule = Schedule::parse(&step.schedule)?;
    Session::global().compile_scheduled(&step.formula.to_string(), &decls, &schedule)
}

/// The kernels of a candidate and its result, each run once.
fn prepare_candidate(
    candidate: &PlanCandidate,
    given: &NamedTensors,
    result: Option<&Format>,
    limit: Duration,
) -> openwork::Result<(Runnable, Tensor)> {
    let mut known = given.clone();
    let mut left = limit;
    let mut kernels = Vec::new();
    for step in &candidate.steps {
        let kernel = run_with_limit(Duration::from_secs(2), || compile_step(step, &known, result))?;
        let start = Instant::now();
        let all: Vec<(&str, &Tensor)> = known.iter().map(|(n, t)| (n.as_str(), t)).collect();
        let made = run_with_limit(left, || kernel.run(&all))?.tensor;
        left = left.saturating_sub(start.elapsed());
        kernels.push((kernel, step.formula.target.name.clone()));
        known.push((step.formula.target.name.clone(), made));
    }
    let (_, tensor) = known.pop().ok_or_else(|| openwork::Error::bug("bench", "no statement", ""))?;
    Ok((Runnable { what: candidate.what.clone(), kernels }, tensor))
}

/// Two sums over the elements of a result, weighted by where they lie. Zeros do not count, so it is the same however the
/// result is stored.
fn sums(t: &Tensor) -> openwork::Result<[f64; 2]> {
    let coo = unpack(t)?;
    let weight = |e: usize| {
        let mut at = 0u64;
        for (m, &n) in t.shape().iter().enumerate() {
            at = at.wrapping_mul(n as u64).wrapping_add(coo.coords(m).get(e).as_i64() as u64);
        }
        0.5 + (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64
    };
    let vals: &[f64] = coo.vals().as_slice().unwrap_or_default();
    let mut out = [0.0; 2];
    for (e, v) in vals.iter().enumerate().filter(|(_, v)| **v != 0.0) {
        out[0] += v * weight(e);
        out[1] += v.abs();
    }
    Ok(out)
}

fn is_close(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).abs() <= 1e-11 * a[1].max(b[1]) && (a[1] - b[1]).abs() <= 1e-11 * a[1].max(b[1])
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The statement, as the planner builds it.
fn as_chosen(case: &PlanCase) -> PlanCandidate {
    let step =
        CandidateStep { formula: case.formula.clone(), schedule: String::new(), format: case.result.clone() };
    PlanCandidate { what: "chosen".into(), steps: vec![step] }
}

/// Times a case; nothing where its data is absent.
pub fn measure(case: &PlanCase, effort: Effort) -> Text<Option<CaseOutcome>> {
    let limits = TimeLimits::from_effort(effort);
    let Some(source) = DataSource::open(case.data, case.weight)? else { return Ok(None) };
    let mut given: NamedTensors = Vec::new();
    for o in &case.operands {
        given.push((o.name.clone(), source.operand(&o.name, &o.vars, &o.format)?));
    }
    drop(source);
    let (chosen, tensor) = prepare_candidate(&as_chosen(case), &given, None, Duration::from_secs(20))
        .map_err(|e| format!("{}: {e}", case.name))?;
    let expected = sums(&tensor).map_err(|e| e.to_string())?;
    let format = tensor.format().clone();
    chosen.recycle(tensor);
    let mut tried = TriedWays::new(&given, chosen, expected, format);
    let start = Instant::now();
    for candidate in candidates(case, SEED) {
        if tried.runnable.len() > limits.candidates || start.elapsed() > limits.trying {
            break;
        }
        memory::set_limit(memory::held_bytes() + MEMORY);
        tried.try_one(&candidate);
        memory::set_limit(0);
    }
    Ok(Some(tried.outcome(&limits)))
}

/// The ways that ran so far, the chosen one first, each with its shortest time.
struct TriedWays<'a> {
    given: &'a NamedTensors,
    runnable: Vec<(Runnable, f64)>,
    expected: [f64; 2],
    format: Format,
    refused: usize,
    stopped: usize,
    wrong: Vec<String>,
}

impl<'a> TriedWays<'a> {
    fn new(given: &'a NamedTensors, chosen: Runnable, expected: [f64; 2], format: Format) -> TriedWays<'a> {
        let time = shortest(&chosen, given, f64::INFINITY);
        let runnable = vec![(chosen, time)];
        TriedWays { given, runnable, expected, format, refused: 0, stopped: 0, wrong: Vec::new() }
    }
    fn best(&self) -> f64 {
        self.runnable.iter().map(|(_, t)| *t).fold(f64::INFINITY, f64::min)
    }
    fn try_one(&mut self, candidate: &PlanCandidate) {
        // The first run has pages to touch, and others may have the cores.
        let limit = Duration::from_secs_f64((2.0 * STOPPED * self.best() + 5.0) / 1e3);
        let (runnable, tensor) = match prepare_candidate(candidate, self.given, Some(&self.format), limit) {
            Ok(done) => done,
            Err(e) if e.code().0 == "E0606" => {
                self.stopped += 1;
                return;
            }
            Err(e) => {
                self.refused += 1;
                if e.code().0 == "E9999" {
                    self.wrong.push(format!("{}: {e}", candidate.what));
                }
                return;
            }
        };
        if runnable.plans() == self.runnable[0].0.plans() {
            return;
        }
        match sums(&tensor) {
            Ok(sums) if is_close(sums, self.expected) => {}
            Ok(sums) => {
                let (got, expected) = (sums, self.expected);
                self.wrong.push(format!("{}: {got:?} instead of {expected:?}", candidate.what));
                return;
            }
            Err(_) => return,
        }
        runnable.recycle(tensor);
        let time = shortest(&runnable, self.given, STOPPED * self.best());
        self.runnable.push((runnable, time));
    }
    /// The best ways again, in turns; and the very best beside the chosen one alone, so that luck does not make it the best.
    fn outcome(mut self, limits: &TimeLimits) -> CaseOutcome {
        let (ran, plans) = (self.runnable.len() - 1, self.runnable[0].0.plans());
        let good = 1.3 * self.best();
        let (chosen, chosen_time) = self.runnable.remove(0);
        let mut others: Vec<(Runnable, f64)> = std::mem::take(&mut self.runnable);
        others.retain(|(_, t)| *t < good && *t < 1.1 * chosen_time);
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        others.truncate(4);
        let mut all: Vec<&Runnable> = vec![&chosen];
        all.extend(others.iter().map(|(r, _)| r));
        let times = self.medians(&all, limits);
        let at = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or(0);
        let mut pair = [times[0], times[at]];
        if at > 0 {
            let again = self.medians(&[&chosen, all[at]], limits);
            pair = [again[0], again[1]];
        }
        let better = at > 0 && pair[1] < pair[0];
        CaseOutcome {
            chosen: pair[0],
            best: pair[0].min(pair[1]),
            what: better.then(|| all[at].what.clone()),
            plans: [plans, if better { all[at].plans() } else { String::new() }],
            estimated: [chosen.estimate_cost(), all[at].estimate_cost()],
            converting: chosen.conversion_share(self.given),
            ran,
            refused: self.refused,
            stopped: self.stopped,
            wrong: self.wrong,
        }
    }
    fn medians(&self, all: &[&Runnable], limits: &TimeLimits) -> Vec<f64> {
        let mut subjects: Vec<TimedSubject> = Vec::new();
        for runnable in all {
            subjects.push(Box::new(|| runnable.time_run(self.given)));
        }
        rounds_within(&mut subjects, limits.rounds, limits.timing).into_iter().map(median).collect()
    }
}

/// The shortest of three runs; of one, where that takes longer than `limit`.
fn shortest(runnable: &Runnable, given: &NamedTensors, limit: f64) -> f64 {
    let mut time = f64::INFINITY;
    for _ in 0..3 {
        time = time.min(ms(runnable.time_run(given)));
        if time > limit {
            break;
        }
    }
    time
}
