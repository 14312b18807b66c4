//! Many random cases: the oracle against CIN, the interpreter and every backend.

use crate::case::{Case, read_format};
use crate::oracle::{self, OracleAnswer};
use crate::pipeline::Pipeline;
use crate::size::find_excess;
use crate::{cineval, random, shrink};
use openwork_base::Error;
use openwork_format::Format;
use openwork_index::plan::Concrete;
use openwork_storage::Tensor;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every evaluator gave what the oracle gives.
    Agrees,
    /// The semantics leave the answer open.
    Open,
    /// Checker and oracle both say that the statement is ill-typed; the checker's code.
    IllTyped(String),
    /// The compiler refused by name; the code.
    Refused(String),
    /// Something is wrong.
    Disagrees(String),
}

/// Runs one case on everything that `pipeline` offers, catching panics.
pub fn verdict(case: &Case, pipeline: &dyn Pipeline) -> Verdict {
    keep_panics();
    PANIC.set(Some(String::new()));
    let verdict = catch_unwind(AssertUnwindSafe(|| judge(case, pipeline)));
    let text = PANIC.take().unwrap_or_default();
    verdict.unwrap_or_else(|_| Verdict::Disagrees(format!("panic: {text}")))
}

thread_local! {
    /// While this thread judges a case: its last panic, with its place.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on, panics of cases are kept for their verdicts; others are told as ever. Suites run side by side, so nobody
/// can put back what was there before.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if PANIC.with_borrow(Option::is_none) {
                return tell(info);
            }
            let text = info.payload_as_str().unwrap_or("");
            let at = info.location().map_or(String::new(), |l| format!("{}:{}", l.file(), l.line()));
            PANIC.set(Some(format!("{text} {at}")));
        }));
    });
}

fn judge(case: &Case, pipeline: &dyn Pipeline) -> Verdict {
    match link_chain(case, pipeline) {
        Ok(last) => judge_one(&last, pipeline, &mut Vec::new()),
        Err(verdict) => verdict,
    }
}

/// The last statement of a case, with what those before it made as operands. Each of them is compared with the oracle on
/// the operands that it had, so that no error adds up, and what the last backend made goes on as it is stored.
///
/// # Errors
/// How a statement before ended, if it made nothing to go on with.
pub fn link_chain(case: &Case, pipeline: &dyn Pipeline) -> Result<Case, Verdict> {
    let failed = |e: Error| Verdict::Disagrees(e.to_string());
    let mut made: Vec<(String, Tensor)> = Vec::new();
    for n in 0..case.before.len() {
        let one = case.link(n, &made).map_err(failed)?;
        let mut results = Vec::new();
        match (judge_one(&one, pipeline, &mut results), results.pop()) {
            (Verdict::Agrees, Some(t)) => made.push((one.result_name().to_string(), t)),
            (Verdict::Disagrees(why), _) => {
                return Err(Verdict::Disagrees(format!("{why}\nin {}", one.text)));
            }
            (verdict, _) => return Err(verdict),
        }
    }
    if case.before.is_empty() { Ok(case.clone()) } else { case.last(&made).map_err(failed) }
}

/// Judges a case of one statement; `made` are the results where everything agrees.
fn judge_one(case: &Case, pipeline: &dyn Pipeline, made: &mut Vec<Tensor>) -> Verdict {
    let statement = match case.statement() {
        Ok(s) => s,
        Err(e) => return Verdict::Disagrees(format!("the statement does not parse: {e}")),
    };
    if case.tensors.iter().any(|t| is_vast(&t.read_format(), &t.shape)) {
        return Verdict::Refused("of vast operands".into());
    }
    let meaning = oracle::evaluate(&statement, &case.inputs());
    let (plan, conversions) = match (pipeline.plan(case), &meaning) {
        (Ok(plan), Ok(_)) => plan,
        // Where positions are none, operands say.
        (Ok(plan), Err(why)) if why.code == "E0608" => return judge_stray(case, pipeline, &plan.0),
        (Ok(_), Err(why)) => {
            return Verdict::Disagrees(format!("accepted, but ill-typed: {} {}", why.code, why.why));
        }
        (Err(e @ Error::Unsupported(_)), _) => return Verdict::Refused(e.code().to_string()),
        (Err(e), Ok(_)) if refuses_schedule(&e) => return Verdict::Refused(e.code().to_string()),
        (Err(e @ Error::Rejected(_)), Err(_)) => return Verdict::IllTyped(e.code().to_string()),
        (Err(e), Err(why)) => return Verdict::Disagrees(format!("{e}\n(ill-typed: {})", why.code)),
        (Err(e), Ok(_)) => return Verdict::Disagrees(format!("well-typed, but {e}")),
    };
    let pads = conversions.iter().any(|c| c.format.has_padding());
    let meaning =
        if pads { oracle::evaluate(&statement, &case.inputs_converted(&conversions)) } else { meaning };
    let Ok(answer) = meaning else { return Verdict::Disagrees("the oracle has no answer".into()) };
    if answer.doubt.is_some() {
        return Verdict::Open;
    }
    let asked = case.result.format.as_deref().map(|f| read_format(case.result_name(), f, answer.shape.len()));
    if asked.is_some_and(|f| is_vast(&f, &answer.shape)) {
        return Verdict::Refused("of a vast result".into());
    }
    let got = cineval::values(case, &plan.program, &conversions);
    if let Some(wrong) = answer.mismatch(&got) {
        return Verdict::Disagrees(format!("CIN: {wrong}\n{}", plan.program));
    }
    match pipeline.programs_in_place(case) {
        Ok(programs) => {
            for program in programs {
                if let Some(wrong) = answer.mismatch(&cineval::values(case, &program, &conversions)) {
                    return Verdict::Disagrees(format!("in place: {wrong}\n{program}"));
                }
            }
        }
        Err(e) => return Verdict::Disagrees(format!("in place: {e}")),
    }
    let graph = cineval::values_of_graph(case, &plan.program, &conversions);
    if let Some(wrong) = graph.and_then(|got| answer.mismatch(&got)) {
        return Verdict::Disagrees(format!("graph: {wrong}\n{}", plan.program));
    }
    match pipeline.run(case) {
        Ok(results) => {
            let wrong = results
                .iter()
                .filter_map(|made| Some(format!("{}: {}", made.by, wrong_result(&made.tensor, &answer)?)));
            match wrong.collect::<Vec<_>>() {
                all if all.is_empty() => {
                    *made = results.into_iter().map(|made| made.tensor).collect();
                    Verdict::Agrees
                }
                all => Verdict::Disagrees(format!("{}\n{}", all.join("\n"), plan.program)),
            }
        }
        Err(e @ Error::Unsupported(_)) => Verdict::Refused(e.code().to_string()),
        Err(e) if refuses_schedule(&e) => Verdict::Refused(e.code().to_string()),
        Err(e) if ["E0602", "E0603", "E0604"].contains(&e.code().0) => Verdict::Refused(e.code().to_string()),
        Err(e) => Verdict::Disagrees(format!("{e}\n{}", plan.program)),
    }
}

/// Judges a case that reads an operand where it has no element.
fn judge_stray(case: &Case, pipeline: &dyn Pipeline, plan: &Concrete) -> Verdict {
    match pipeline.run(case) {
        Ok(made) if made.is_empty() => Verdict::IllTyped("E0608".into()),
        Ok(_) => Verdict::Disagrees(format!("a position that is none is read\n{}", plan.program)),
        Err(e) if e.code().0 == "E0608" => Verdict::IllTyped("E0608".into()),
        Err(e @ Error::Unsupported(_)) => Verdict::Refused(e.code().to_string()),
        Err(e) if ["E0602", "E0603", "E0604"].contains(&e.code().0) => Verdict::Refused(e.code().to_string()),
        Err(e) => Verdict::Disagrees(format!("{e}\n(a position that is none)\n{}", plan.program)),
    }
}

/// Positions that a random format may take for its tensor.
const MOST: f64 = (1u64 << 22) as f64;

/// Whether a format stores far more than the tensor has elements: levels over computed coordinates may pad to the product
/// of their widths, which nobody would wait for.
fn is_vast(format: &Result<Format, Error>, shape: &[usize]) -> bool {
    let Ok(format) = format else { return false };
    if format.remap.is_none() {
        return false;
    }
    let elements = shape.iter().product::<usize>() as f64;
    let mut positions = 1.0;
    for (k, level) in format.levels.iter().enumerate() {
        let every = positions * format.bounds(k, shape).size as f64;
        let listed = level.is_listed() || level.shares_cursors();
        positions = if listed { every.min(elements) } else { every };
        if positions > MOST {
            return true;
        }
    }
    false
}

/// Whether a random schedule names what the plan lacks, or does not fit it.
fn refuses_schedule(e: &Error) -> bool {
    ["E0812", "E0813"].contains(&e.code().0)
}

/// What is wrong with a result: its structure, its dtype, a value or what it takes.
pub fn wrong_result(t: &Tensor, answer: &OracleAnswer) -> Option<String> {
    if t.shape() != answer.shape || t.dtype() != answer.dtype {
        return Some(format!(
            "a result {}{:?} instead of {}{:?}",
            t.dtype(),
            t.shape(),
            answer.dtype,
            answer.shape
        ));
    }
    let p = t.clone().into_parts();
    if let Err(e) = Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals) {
        return Some(format!("a result that is no valid tensor: {e}"));
    }
    match t.to_dense_scalars() {
        Ok(values) => answer.mismatch(&values).or_else(|| find_excess(t, &values, answer)),
        Err(e) => Some(e.to_string()),
    }
}

/// A failing case, made small.
#[derive(Clone, Debug)]
pub struct CaseFailure {
    /// The seed of the original.
    pub seed: u64,
    /// The smallest case that still fails.
    pub case: Case,
    /// What is wrong with it.
    pub why: String,
}

/// What happened to many cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases on which everything agreed.
    pub agreed: usize,
    /// Cases whose answer the semantics leave open.
    pub open: usize,
    /// Ill-typed cases by code.
    pub ill_typed: BTreeMap<String, usize>,
    /// Refused cases by code.
    pub refused: BTreeMap<String, usize>,
    /// The first refused cases.
    pub refusals: Vec<(String, u64)>,
    /// How many failed; only some of them are made small.
    pub failed: usize,
    /// The first failures.
    pub failures: Vec<CaseFailure>,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Agrees => self.agreed += 1,
            Verdict::Open => self.open += 1,
            Verdict::IllTyped(code) => *self.ill_typed.entry(code.clone()).or_default() += 1,
            Verdict::Refused(code) => *self.refused.entry(code.clone()).or_default() += 1,
            Verdict::Disagrees(_) => self.failed += 1,
        }
    }
    /// The number of cases.
    pub fn total(&self) -> usize {
        let sum = |m: &BTreeMap<String, usize>| m.values().sum::<usize>();
        self.agreed + self.open + self.failed + sum(&self.ill_typed) + sum(&self.refused)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().max(1);
        let percent = |n: usize| 100.0 * n as f64 / total as f64;
        writeln!(f, "{} cases", self.total())?;
        writeln!(f, "  accepted  {:6} {:5.1} %", self.agreed + self.open, percent(self.agreed + self.open))?;
        writeln!(f, "    compared {:5} {:5.1} %", self.agreed, percent(self.agreed))?;
        for (what, counts) in [("ill-typed", &self.ill_typed), ("refused", &self.refused)] {
            for (code, &n) in counts {
                writeln!(f, "  {what} {code} {n:6} {:5.1} %", percent(n))?;
            }
        }
        writeln!(f, "  failed    {:6} {:5.1} %", self.failed, percent(self.failed))?;
        for (code, seed) in &self.refusals {
            writeln!(f, "---- refused {code}: seed {seed}\n{}", random::case(*seed))?;
        }
        for CaseFailure { seed, case, why } in &self.failures {
            writeln!(f, "---- seed {seed}\n{case}")?;
            why.lines().take(SHOWN_LINES).try_for_each(|line| writeln!(f, "# {line}"))?;
        }
        Ok(())
    }
}

/// The numbers of the cases that a suite runs, counted from its own first seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget(Range<u64>);

/// What `OPENWORK_CASES` asks for, else the first `default` cases.
///
/// # Panics
/// When it is neither a number of cases nor a range of case numbers, like `40000..80000`, nor `all`, which only says
/// something to the suites that enumerate.
pub fn budget(default: usize) -> Budget {
    match std::env::var("OPENWORK_CASES") {
        Ok(text) if text != "all" => Budget::parse(&text).unwrap_or_else(|| {
            panic!("OPENWORK_CASES is `{text}`: neither a number nor a range like 400..800")
        }),
        _ => Budget(0..default as u64),
    }
}

impl Budget {
    /// A number of cases, or the first and the one behind the last.
    ///
    /// ```
    /// use openwork_filetests::differential::Budget;
    /// let chunk = Budget::parse("40000..80000").unwrap();
    /// assert_eq!((chunk.count(), chunk.seed_range(7), chunk.share(20).seed_range(0)), (40000, 40007..80007, 2000..4000));
    /// assert_eq!(Budget::parse("300").unwrap().seed_range(5), 5..305);
    /// assert_eq!((Budget::parse("9..3"), Budget::parse("few")), (None, None));
    /// ```
    pub fn parse(text: &str) -> Option<Budget> {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        match text.split_once("..") {
            Some((first, end)) => Some(Budget(number(first)?..number(end)?)).filter(|b| b.0.start <= b.0.end),
            None => Some(Budget(0..number(text)?)),
        }
    }
    /// The seeds of a suite whose first one is `first`.
    pub fn seed_range(&self, first: u64) -> Range<u64> {
        first + self.0.start..first + self.0.end
    }
    /// One case in `parts`: the shares of ranges that meet meet as well.
    #[must_use]
    pub fn share(&self, parts: u64) -> Budget {
        Budget(self.0.start / parts..self.0.end / parts)
    }
    /// How many cases there are.
    pub fn count(&self) -> usize {
        (self.0.end - self.0.start) as usize
    }
}

/// The most lines that are shown of what is wrong with a case.
const SHOWN_LINES: usize = 14;
/// The most failures that are made small.
const SHOWN: usize = 12;

/// The most refused cases of each code that are shown.
const SHOWN_REFUSALS: usize = 3;

/// Cases that are prepared together.
const BATCH: usize = 100;

/// Runs the cases of `seeds` on all cores.
///
/// Failures are counted; the first few that differ in their message's first words are made small.
pub fn run(seeds: Range<u64>, pipeline: &dyn Pipeline) -> Tally {
    let next = AtomicUsize::new(0);
    let count = (seeds.end - seeds.start) as usize;
    let total = Mutex::new((Tally::default(), Vec::<(u64, String)>::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(BATCH, Ordering::Relaxed);
                    if n >= count {
                        break;
                    }
                    let batch: Vec<Case> =
                        (n..count.min(n + BATCH)).map(|n| random::case(seeds.start + n as u64)).collect();
                    pipeline.prepare(&batch);
                    for (k, case) in batch.iter().enumerate() {
                        let verdict = verdict(case, pipeline);
                        let mut total = total.lock().expect("no thread panics while it counts");
                        total.0.add(&verdict);
                        if let Verdict::Refused(code) = &verdict
                            && total.0.refusals.iter().filter(|(c, _)| c == code).count() < SHOWN_REFUSALS
                        {
                            total.0.refusals.push((code.clone(), seeds.start + (n + k) as u64));
                        }
                        if let Verdict::Disagrees(why) = verdict {
                            total.1.push((seeds.start + (n + k) as u64, why));
                        }
                    }
                }
            });
        }
    });
    let (mut tally, mut failed) = total.into_inner().expect("no thread panics while it counts");
    failed.sort();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (seed, why) in failed {
        let count = seen.entry(kind(&why)).or_default();
        *count += 1;
        if *count <= 3 && tally.failures.len() < SHOWN {
            tally.failures.push(smallest(seed, &kind(&why), pipeline));
        }
    }
    tally
}

/// The kind of a failure: its message without numbers and names.
fn kind(why: &str) -> String {
    let line = why.lines().next().unwrap_or("");
    line.split(|c: char| c.is_ascii_digit() || c == '`').next().unwrap_or("").chars().take(60).collect()
}

fn smallest(seed: u64, wanted: &str, pipeline: &dyn Pipeline) -> CaseFailure {
    let fails = |c: &Case| match verdict(c, pipeline) {
        Verdict::Disagrees(why) => kind(&why) == wanted,
        _ => false,
    };
    let mut case = random::case(seed);
    // Perhaps it fails as well on what was made before, packed as other operands are; or one before fails by itself.
    let ways = (0..=case.before.len())
        .rev()
        .filter_map(|n| isolate_statement(&case, n, pipeline))
        .filter(|c| *c != case);
    if let Some(plain) = ways.into_iter().find(|c| fails(c)) {
        case = plain;
    }
    let case = shrink::shrink(&case, &fails);
    let why = match verdict(&case, pipeline) {
        Verdict::Disagrees(why) => why,
        other => format!("{other:?}"),
    };
    CaseFailure { seed, case, why }
}

/// Statement number `n` of a chain alone, its operands packed from their entries.
fn isolate_statement(case: &Case, n: usize, pipeline: &dyn Pipeline) -> Option<Case> {
    let link = case.before.get(n).cloned();
    let mut first = case.clone();
    first.before.truncate(n);
    if let Some(link) = link {
        (first.text, first.result, first.schedule) = (link.text, link.result, String::new());
    }
    let alone = catch_unwind(AssertUnwindSafe(|| link_chain(&first, pipeline))).ok()?.ok()?;
    Some(Case { made: BTreeMap::new(), ..alone })
}
