//! `openwork explain`: what a statement was planned to do, and at what cost.

use crate::args::{ExplainArgs, Mode};
use crate::compile::decls;
use crate::operands;
use crate::request::Request;
use crate::summary::{ReasonLine, json};
use openwork::{Explanation, Result, Session};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    statement: String,
    cin: String,
    loops: Vec<String>,
    tensors: Vec<TensorRow>,
    threads: String,
    work_ns: f64,
    temporary_bytes: f64,
    result_values: f64,
    reasons: Vec<ReasonLine>,
    compared_with: Vec<Other>,
}

#[derive(Serialize)]
struct TensorRow {
    name: String,
    role: &'static str,
    format: String,
}

#[derive(Serialize)]
struct Other {
    plan: String,
    work_ns: f64,
}

/// Plans a statement and gives what is printed.
///
/// # Errors
/// Every diagnostic of the flags, the files and the statement.
pub(crate) fn explain(args: &ExplainArgs) -> Result<String> {
    let request = Request::read(&args.tensors)?;
    let mut decls = decls(&request);
    let origins = operands::some_origins(&request, &args.inputs, &[])?;
    for operand in operands::load(&request, &origins)? {
        decls.tensors.insert(operand.name.clone(), operand.decl());
    }
    let session = Session::new(Session::shared().kind())?.taking(args.tensors.candidate);
    let stages = session.stages_scheduled(&args.tensors.statement, &decls, &request.schedule)?;
    let explanation = stages.explain();
    Ok(match args.tensors.json.mode() {
        Mode::Human => explanation.to_string(),
        Mode::Json => json(&report(&args.tensors.statement, explanation)),
    })
}

fn report(statement: &str, e: Explanation) -> Report {
    let row = |(name, format, role)| TensorRow { name, role, format };
    let reasons = e.reasons.into_iter().map(|r| ReasonLine { choice: r.choice, because: r.because });
    let others = e.rejected.into_iter().map(|a| Other { plan: a.describe, work_ns: a.work });
    Report {
        statement: statement.into(),
        cin: e.cin,
        loops: e.loops,
        tensors: e.tensors.into_iter().map(row).collect(),
        threads: e.parallel,
        work_ns: e.cost.work,
        temporary_bytes: e.cost.memory,
        result_values: e.cost.stored,
        reasons: reasons.collect(),
        compared_with: others.collect(),
    }
}
