//! `openwork run`: compute statements over files and generated tensors.

use crate::args::{BackendName, NamedValue, OutputMode, RunArgs};
use crate::compiled::{CompiledRequest, OneRun};
use crate::given::GivenKernel;
use crate::operands::{self, FileOperand};
use crate::progress;
use crate::request::{self, Request};
use crate::summary::{self, ReasonLine, RunReport, RunTimes, StepLine, TensorLine, VariantLine};
use crate::target;
use openwork::estimate::StoredCounts;
use openwork::{
    ActionTime, BackendKind, Coo, Decls, Diagnostic, Error, Ran, Result, Scalar, Session, Spread, Tensor,
    Times,
};
use openwork_storage::error::NOT_WRITABLE;
use openwork_storage::unpack;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Runs the command and gives what it prints.
///
/// # Errors
/// Every diagnostic of the flags, the files, the statement and the run.
pub(crate) fn run(args: &RunArgs) -> Result<String> {
    openwork::set_threads(args.threads.unwrap_or(0) as usize);
    let request = Request::read(&args.tensors)?.with_base(args.data.base);
    let origins = operands::origins(&request, &args.data.inputs, &args.data.generators)?;
    let outputs = outputs(&request, &args.outputs)?;
    let backend = args.backend.map_or_else(|| Session::global().kind(), BackendName::kind);
    let session = Session::new(backend)?;
    let session = session.with_candidate(args.tensors.candidate);
    let given = GivenKernel::read(&args.source, &request)?;
    let operands = operands::load(&request, &origins)?;
    let decls = decls(&request, &operands);
    let wanted = wanted_results(&request, &outputs);
    let text = args.tensors.statement.as_str();
    let compiled = match &given {
        Some(given) => given.compile(&session, text, &request, &operands)?,
        None => CompiledRequest::compile(&session, text, &request, &decls, &wanted)?,
    };
    let compiled = compiled.with_variant(args.variant.map(|n| n as usize))?;
    can_hold(&request, &compiled, &outputs)?;
    let timed = time_runs(&compiled, &operands, args.time)?;
    let verified = match args.verify {
        true => {
            verify_results(text, &request, &decls, &operands, &timed.last.tensors, &wanted, given.as_ref())?
        }
        false => Vec::new(),
    };
    for (name, path) in &outputs {
        progress::write(path, timed.result(name)?)?;
    }
    let stored: StoredCounts = operands.iter().map(|o| (o.name.as_str(), o.tensor.slots())).collect();
    let made = timed.last.tensors.iter().map(|(_, t)| t.bytes()).sum::<usize>();
    let work = compiled.work(&stored, made + operands.iter().map(|o| o.tensor.bytes()).sum::<usize>());
    let called = given.iter().map(GivenKernel::reason);
    let reasons = reasons(&operands, &compiled).into_iter().chain(called).chain(verified).collect();
    let mode = args.tensors.json.mode();
    let spread = timed.last.max_spread();
    let report = RunReport {
        statement: text.to_string(),
        operands: operands.iter().map(TensorLine::operand).collect(),
        entries: entries(mode, &outputs, &timed),
        results: timed.last.tensors.iter().map(|(name, t)| result_line(name, t, &outputs)).collect(),
        backend: summary::backend(if given.is_some() { BackendKind::C } else { session.kind() }),
        threads: spread.threads,
        chunks: spread.chunks,
        parallel: parallel(&compiled),
        compile_ms: compiled.compile_time().as_secs_f64() * 1e3,
        load_ms: operands.iter().map(|o| o.load_time).sum::<Duration>().as_secs_f64() * 1e3,
        run_ms: RunTimes::from_runs(&timed.times, |t| t.total),
        kernel_ms: RunTimes::from_runs(&timed.times, |t| t.kernel),
        conversion_ms: RunTimes::from_runs(&timed.times, |t| t.conversions),
        first_conversion_ms: timed.first.conversions.as_secs_f64() * 1e3,
        first_variant: timed.first_ran.as_ref().map(VariantLine::new),
        variant: timed.last.single().map(VariantLine::new),
        steps: steps(&request, &compiled, &timed),
        flops: work.flops,
        bytes: work.bytes as u64,
        reasons,
    };
    Ok(report.show(mode, work))
}

/// The files that results go to, each checked as far as that can be done before.
fn outputs(request: &Request, pairs: &[NamedValue]) -> Result<Vec<(String, PathBuf)>> {
    let mut out = Vec::new();
    for pair in pairs {
        let pair = &complete_pair(request, pair)?;
        request.tensors("-o", std::slice::from_ref(pair), |_, _| Ok(()))?;
        if !request.results().contains(&pair.name.as_str()) {
            let message = format!("`{}` is an operand; there is nothing new to write", pair.name);
            let help = match &request.results()[..] {
                [one] => format!("the result is `{one}`"),
                all => format!("the results are {}", all.join(", ")),
            };
            return Err(request::wrong_role("-o", pair, message, help));
        }
        let path = PathBuf::from(&pair.value);
        if let Some((other, _)) =
            out.iter().find(|(name, file): &&(String, PathBuf)| *name != pair.name && *file == path)
        {
            let message = format!("`{other}` is written to `{}` as well", pair.value);
            return Err(request::wrong_role("-o", pair, message, "give each result a file of its own"));
        }
        target::tensor_file(&path, request.rank(&pair.name))?;
        out.push((pair.name.clone(), path));
    }
    Ok(out)
}

/// A file with the name of its result, which goes without saying where there is one.
fn complete_pair(request: &Request, pair: &NamedValue) -> Result<NamedValue> {
    let name = match &request.results()[..] {
        _ if !pair.name.is_empty() => pair.name.as_str(),
        [one] => *one,
        all => {
            let message = format!("which result `{}` is for is not said", pair.value);
            let help = format!("write NAME={}: the results are {}", pair.value, all.join(", "));
            return Err(request::wrong_role("-o", pair, message, help));
        }
    };
    Ok(NamedValue { name: name.to_string(), value: pair.value.clone() })
}

/// The results that nothing reads, and those that are written to files.
fn wanted_results<'r>(request: &'r Request, outputs: &[(String, PathBuf)]) -> Vec<&'r str> {
    let (all, last) = (request.results(), request.last_results());
    let written = |name: &str| outputs.iter().any(|(n, _)| n == name);
    all.into_iter().filter(|name| last.contains(name) || written(name)).collect()
}

pub(crate) fn decls(request: &Request, operands: &[FileOperand]) -> Decls {
    let arithmetic = Some(request.arithmetic);
    let mut decls = Decls { dims: request.dims.clone(), arithmetic, ..Decls::default() };
    for operand in operands {
        decls.tensors.insert(operand.name.clone(), operand.decl());
    }
    request.declare_results(&mut decls);
    decls
}

/// Files hold only stored values; what is not stored in them is zero.
fn can_hold(request: &Request, compiled: &CompiledRequest, outputs: &[(String, PathBuf)]) -> Result<()> {
    let all = compiled.stages();
    for (name, path) in outputs {
        let last = request.statements.iter().rposition(|s| s.lhs.name.text == *name);
        let Some(stages) = last.and_then(|n| all.get(n)) else { continue };
        let result = &stages.plan.program.tensors[stages.result()];
        if result.fill.truthy() && !result.format.is_full() {
            let message = format!(
                "cannot write {}: values of `{name}` that are not stored are {}, and a file would make them 0",
                path.display(),
                result.fill
            );
            let help = format!("store the result densely: -f {name}=dense");
            return Err(Error::refusal(Diagnostic::new(NOT_WRITABLE, message).help(help)));
        }
    }
    Ok(())
}

/// Computes the results on the interpreter, as the statements are written, and compares.
///
/// # Errors
/// A bug where the two differ; `E0819` where code of the user's computed the results.
fn verify_results(
    text: &str,
    request: &Request,
    decls: &Decls,
    operands: &[FileOperand],
    tensors: &[(String, Tensor)],
    wanted: &[&str],
    given: Option<&GivenKernel>,
) -> Result<Vec<ReasonLine>> {
    // As it is written: a schedule is what is verified.
    let plain = Session::new(BackendKind::Interp)?;
    let compiled = CompiledRequest::compile(&plain, text, &request.without_schedule(), decls, wanted)?;
    let others = compiled.run(operands)?.tensors;
    let mut lines = Vec::new();
    for ((name, tensor), (_, other)) in tensors.iter().zip(&others) {
        if let Some(at) = difference(&unpack(tensor)?, &unpack(other)?) {
            let message = format!("the checking interpreter computes another `{name}`: {at}");
            if let Some(given) = given {
                return Err(given.differs(&message));
            }
            let loops: String = compiled.stages().iter().map(|s| s.loops_text()).collect();
            return Err(Error::bug("verify", message, loops));
        }
        lines.push(ReasonLine {
            choice: format!("`{name}` is verified"),
            because: "the checking interpreter computes the same, to rounding".into(),
        });
    }
    Ok(lines)
}

/// How far sums in another order may be from each other.
const CLOSE: f64 = 1e-4;

/// Where two tensors have other elements, beyond what the order of sums explains.
fn difference(a: &Coo, b: &Coo) -> Option<String> {
    let entries = |t: &Coo| -> BTreeMap<Vec<i64>, Scalar> {
        (0..t.len()).map(|e| (t.coords_of(e), t.vals().get(e))).filter(|(_, v)| v.truthy()).collect()
    };
    let (a, b) = (entries(a), entries(b));
    let close = |x: &Scalar, y: &Scalar| {
        let (x, y) = (x.as_complex(), y.as_complex());
        let alike = |x: f64, y: f64| {
            x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= CLOSE * x.abs().max(1.0)
        };
        alike(x.re, y.re) && alike(x.im, y.im)
    };
    let zero = Scalar::F64(0.0);
    let mut all = a.keys().chain(b.keys());
    let wrong = all.find(|at| !close(a.get(*at).unwrap_or(&zero), b.get(*at).unwrap_or(&zero)))?;
    let shown =
        |t: &BTreeMap<Vec<i64>, Scalar>| t.get(wrong).map_or("nothing".to_string(), Scalar::to_string);
    Some(format!("{} there and {} here at {wrong:?}", shown(&b), shown(&a)))
}

/// What runs gave.
struct Timed {
    /// The last run.
    last: OneRun,
    /// Of every run that counts.
    times: Vec<Times>,
    /// The steps of every run that counts.
    each: Vec<Vec<ActionTime>>,
    /// Of the first one.
    first: Times,
    /// What ran in the first one, of a single statement.
    first_ran: Option<Ran>,
}

impl Timed {
    fn result(&self, name: &str) -> Result<&Tensor> {
        let found = self.last.tensors.iter().find(|(n, _)| n == name);
        found.map(|(_, t)| t).ok_or_else(|| Error::bug("run", format!("`{name}` was not kept"), ""))
    }
}

/// Runs what was compiled; timed runs come after one that is not counted.
fn time_runs(compiled: &CompiledRequest, operands: &[FileOperand], time: Option<u32>) -> Result<Timed> {
    let mut last = compiled.run(operands)?;
    let (first, first_ran) = (last.times, last.single().cloned());
    let Some(runs) = time else {
        return Ok(Timed { times: vec![first], each: vec![last.each.clone()], last, first, first_ran });
    };
    let (mut times, mut each) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        // The earlier results go first, so that two of them never take memory at once.
        last.tensors.clear();
        last = compiled.run(operands)?;
        times.push(last.times);
        each.push(last.each.clone());
    }
    Ok(Timed { last, times, each, first, first_ran })
}

/// The steps of several statements.
fn steps(request: &Request, compiled: &CompiledRequest, timed: &Timed) -> Vec<StepLine> {
    if request.statements.len() == 1 {
        return Vec::new();
    }
    let stages = compiled.stages();
    let line = |(n, numbers): (usize, Vec<usize>)| {
        let runs: Vec<Duration> = timed.each.iter().filter_map(|run| Some(run.get(n)?.time)).collect();
        let done = timed.last.each.get(n);
        let spread = done.map_or(Spread { threads: 1, chunks: 1 }, |e| e.spread);
        StepLine {
            statements: numbers.iter().map(|&n| request.text(n).to_string()).collect(),
            run_ms: RunTimes::from_runs(&runs, |t| *t),
            threads: spread.threads,
            chunks: spread.chunks,
            variants: done.map_or(Vec::new(), |e| e.ran.iter().map(VariantLine::new).collect()),
            together: done.is_some_and(|e| e.together),
            joined: done.map_or(Vec::new(), |e| e.joined.clone()),
            parallel: numbers.first().map_or_else(String::new, |&n| stages[n].parallel()),
        }
    };
    compiled.steps().into_iter().enumerate().map(line).collect()
}

/// How a run is spread over threads.
fn parallel(compiled: &CompiledRequest) -> String {
    match &compiled.stages()[..] {
        [one] => one.parallel(),
        all => match compiled.steps().len() {
            1 => format!("{} statements in one step", all.len()),
            steps => format!("{} statements in {steps} steps", all.len()),
        },
    }
}

/// What people see of results that are in no file.
fn entries(mode: OutputMode, outputs: &[(String, PathBuf)], timed: &Timed) -> Vec<String> {
    match mode {
        OutputMode::Json => Vec::new(),
        OutputMode::Human => {
            let shown = timed.last.tensors.iter().filter(|(name, _)| outputs.iter().all(|(n, _)| n != name));
            shown.flat_map(|(name, t)| summary::entries(name, t)).collect()
        }
    }
}

fn result_line(name: &str, tensor: &Tensor, outputs: &[(String, PathBuf)]) -> TensorLine {
    let own = outputs.iter().filter(|(n, _)| n == name);
    let files: Vec<String> = own.map(|(_, path)| path.display().to_string()).collect();
    TensorLine { files: Some(files).filter(|f| !f.is_empty()), ..TensorLine::from_tensor(name, tensor) }
}

fn reasons(operands: &[FileOperand], compiled: &CompiledRequest) -> Vec<ReasonLine> {
    let chosen = operands.iter().filter_map(|o| o.reason.clone());
    let chosen = chosen.map(|(choice, because)| ReasonLine { choice, because });
    let planned = compiled.stages().into_iter().flat_map(|s| &s.plan.reasons);
    let planned = planned.map(|r| ReasonLine { choice: r.choice.clone(), because: r.because.clone() });
    let mut all: Vec<ReasonLine> = Vec::new();
    for line in chosen.chain(planned) {
        // What two statements say of an operand is said once.
        if !all.contains(&line) {
            all.push(line);
        }
    }
    all
}
