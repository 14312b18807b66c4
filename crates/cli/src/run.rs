//! `openwork run`: compute a statement over files and generated tensors.

use crate::args::{Mode, Pair, RunArgs};
use crate::operands::{self, Operand};
use crate::progress;
use crate::request::{self, Request};
use crate::summary::{self, ReasonLine, Report, RunTimes, TensorLine};
use crate::target;
use openwork::estimate::{self, Stored};
use openwork::{
    BackendKind, Coo, Decl, Decls, Diagnostic, Error, Kernel, Result, Scalar, Session, Spread, Tensor, Times,
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
    let request = Request::read(&args.tensors)?;
    let origins = operands::origins(&request, &args.data.inputs, &args.data.generators)?;
    let outputs = outputs(&request, &args.outputs)?;
    let session = Session::new(args.backend.kind())?;
    let session = session.taking(args.tensors.candidate);
    let operands = operands::load(&request, &origins)?;
    let decls = decls(&request, &operands);
    let kernel = session.compile_scheduled(&args.tensors.statement, &decls, &request.schedule)?;
    can_hold(&kernel, &outputs)?;
    let Timed { tensor, times, first, spread } = timed(&kernel, &operands, args.time)?;
    let verified = args.verify.then(|| verified(args, &request, &decls, (&operands, &tensor))).transpose()?;
    for path in &outputs {
        progress::write(path, &tensor)?;
    }
    let stored: Stored = operands.iter().map(|o| (o.name.as_str(), o.tensor.slots())).collect();
    let bytes = tensor.bytes() + operands.iter().map(|o| o.tensor.bytes()).sum::<usize>();
    let work = estimate::work(&kernel.stages().plan.program, &stored, bytes);
    let name = request.result();
    let files: Vec<String> = outputs.iter().map(|p| p.display().to_string()).collect();
    let files = Some(files).filter(|f| !f.is_empty());
    let mode = args.tensors.json.mode();
    let report = Report {
        statement: args.tensors.statement.clone(),
        operands: operands.iter().map(TensorLine::operand).collect(),
        entries: match (mode, &files) {
            (Mode::Human, None) => summary::entries(name, &tensor),
            (Mode::Human, Some(_)) | (Mode::Json, _) => Vec::new(),
        },
        results: vec![TensorLine { files, ..TensorLine::of(name, &tensor) }],
        backend: summary::backend(session.kind()),
        threads: spread.threads,
        chunks: spread.chunks,
        parallel: kernel.parallel(),
        compile_ms: kernel.compile_time().as_secs_f64() * 1e3,
        load_ms: operands.iter().map(|o| o.load_time).sum::<Duration>().as_secs_f64() * 1e3,
        run_ms: RunTimes::of(&times, |t| t.total),
        kernel_ms: RunTimes::of(&times, |t| t.kernel),
        conversion_ms: RunTimes::of(&times, |t| t.conversions),
        first_conversion_ms: first.conversions.as_secs_f64() * 1e3,
        flops: work.flops,
        bytes: work.bytes as u64,
        reasons: reasons(&operands, &kernel).into_iter().chain(verified).collect(),
    };
    Ok(report.show(mode, work))
}

/// The files the result goes to, each checked as far as that can be done before.
fn outputs(request: &Request, pairs: &[Pair]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for pair in pairs {
        request.tensors("-o", std::slice::from_ref(pair), |_, _| Ok(()))?;
        if pair.name != request.result() {
            let message = format!("`{}` is an operand; there is nothing new to write", pair.name);
            let help = format!("the result is `{}`", request.result());
            return Err(request::wrong_role("-o", pair, message, help));
        }
        let path = PathBuf::from(&pair.value);
        target::tensor_file(&path, request.rank(&pair.name))?;
        out.push(path);
    }
    Ok(out)
}

pub(crate) fn decls(request: &Request, operands: &[Operand]) -> Decls {
    let arithmetic = Some(request.arithmetic);
    let mut decls = Decls { dims: request.dims.clone(), arithmetic, ..Decls::default() };
    for operand in operands {
        decls.tensors.insert(operand.name.clone(), operand.decl());
    }
    let name = request.result();
    let result = Decl {
        dtype: request.dtypes.get(name).copied(),
        format: request.formats.get(name).cloned(),
        shape: None,
        stored: None,
    };
    decls.tensors.entry(name.into()).or_insert(result);
    decls
}

/// Files hold only stored values; what is not stored in them is zero.
fn can_hold(kernel: &Kernel, outputs: &[PathBuf]) -> Result<()> {
    let stages = kernel.stages();
    let result = &stages.plan.program.tensors[stages.result()];
    match outputs.first() {
        Some(path) if result.fill.truthy() && !result.format.is_full() => {
            let message = format!(
                "cannot write {}: values of `{}` that are not stored are {}, and a file would make them 0",
                path.display(),
                result.name,
                result.fill
            );
            let help = format!("store the result densely: -f {}=dense", result.name);
            Err(Error::unsupported(Diagnostic::new(NOT_WRITABLE, message).help(help)))
        }
        Some(_) | None => Ok(()),
    }
}

/// Computes the result on the interpreter, as the statement is written, and compares.
///
/// # Errors
/// A bug where the two differ.
fn verified(
    args: &RunArgs,
    request: &Request,
    decls: &Decls,
    (operands, tensor): (&[Operand], &Tensor),
) -> Result<ReasonLine> {
    let kernel = Session::new(BackendKind::Interp)?.compile(&args.tensors.statement, decls)?;
    let given: Vec<(&str, &Tensor)> = operands.iter().map(|o| (o.name.as_str(), &o.tensor)).collect();
    let other = kernel.run(&given)?.tensor;
    match difference(&unpack(tensor)?, &unpack(&other)?) {
        None => Ok(ReasonLine {
            choice: format!("`{}` is verified", request.result()),
            because: "the checking interpreter computes the same".into(),
        }),
        Some(at) => {
            let message = format!("the checking interpreter computes another `{}`: {at}", request.result());
            Err(Error::bug("verify", message, kernel.stages().loops_text()))
        }
    }
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
    tensor: Tensor,
    /// Of every run that counts.
    times: Vec<Times>,
    /// Of the first one.
    first: Times,
    spread: Spread,
}

/// Runs the kernel; timed runs come after one that is not counted.
fn timed(kernel: &Kernel, operands: &[Operand], time: Option<u32>) -> Result<Timed> {
    let given: Vec<(&str, &Tensor)> = operands.iter().map(|o| (o.name.as_str(), &o.tensor)).collect();
    let first = kernel.run(&given)?;
    let spread = first.spread;
    let Some(runs) = time else {
        let times = vec![first.times];
        return Ok(Timed { tensor: first.tensor, times, first: first.times, spread });
    };
    let (mut tensor, first) = (first.tensor, first.times);
    let mut times = Vec::new();
    for _ in 0..runs {
        // The earlier result goes first, so that two of them never take memory at once.
        drop(tensor);
        let outcome = kernel.run(&given)?;
        times.push(outcome.times);
        tensor = outcome.tensor;
    }
    Ok(Timed { tensor, times, first, spread })
}

fn reasons(operands: &[Operand], kernel: &Kernel) -> Vec<ReasonLine> {
    let chosen = operands.iter().filter_map(|o| o.reason.clone());
    let chosen = chosen.map(|(choice, because)| ReasonLine { choice, because });
    let planned = kernel.stages().plan.reasons.iter();
    let planned = planned.map(|r| ReasonLine { choice: r.choice.clone(), because: r.because.clone() });
    chosen.chain(planned).collect()
}
