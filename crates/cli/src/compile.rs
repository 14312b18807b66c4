//! `openwork compile`: what a statement becomes, stage by stage.

use crate::args::{CompileArgs, Emit, Mode};
use crate::request::Request;
use crate::summary::{ReasonLine, json};
use clap::ValueEnum;
use openwork::{BackendKind, DType, Decl, Decls, Result, Session, Stages};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    statement: String,
    stages: Vec<Stage>,
    reasons: Vec<ReasonLine>,
}

#[derive(Serialize)]
struct Stage {
    stage: String,
    text: String,
}

/// Compiles and gives what is printed.
///
/// # Errors
/// Every diagnostic of the flags and the statement.
pub(crate) fn compile(args: &CompileArgs) -> Result<String> {
    let request = Request::read(&args.tensors)?;
    let decls = decls(&request);
    let statement = &args.tensors.statement;
    let mut stages = Vec::new();
    let mut reasons = Vec::new();
    for &emit in &args.emit {
        // What the loops look like depends on the vectors of the backend they are for.
        let session = Session::new(match emit {
            Emit::C => BackendKind::C,
            Emit::Clif => BackendKind::Clif,
            Emit::Cin | Emit::Lattice | Emit::Graph | Emit::Loops => BackendKind::Interp,
        })?;
        let session = session.taking(args.tensors.candidate);
        let built = session.stages_scheduled(statement, &decls, &request.schedule)?;
        stages.push(Stage { stage: name(emit), text: text(emit, &session, &built)? });
        let lines = built.plan.reasons.into_iter();
        reasons = lines.map(|r| ReasonLine { choice: r.choice, because: r.because }).collect();
    }
    Ok(match args.tensors.json.mode() {
        Mode::Json => json(&Report { statement: statement.clone(), stages, reasons }),
        Mode::Human => human(&stages),
    })
}

/// Tensors without a format are dense, those without a dtype `f64`; the result's follow from them.
pub(crate) fn decls(request: &Request) -> Decls {
    let arithmetic = Some(request.arithmetic);
    let mut decls = Decls { dims: request.dims.clone(), arithmetic, ..Decls::default() };
    for name in request.operands() {
        let dtype = request.dtypes.get(name).copied().unwrap_or(DType::F64);
        let format = request.formats.get(name).cloned();
        decls.tensors.insert(name.into(), Decl { dtype: Some(dtype), format, shape: None, stored: None });
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

fn name(emit: Emit) -> String {
    emit.to_possible_value().map_or(String::new(), |v| v.get_name().to_string())
}

fn text(emit: Emit, session: &Session, stages: &Stages) -> Result<String> {
    Ok(match emit {
        Emit::Cin => stages.cin(),
        Emit::Lattice => stages.lattices(),
        Emit::Graph => stages.graph_text(),
        Emit::Loops => stages.loops_text(),
        Emit::C => remarked("// ", stages, session)?,
        Emit::Clif => remarked("; ", stages, session)?,
    })
}

/// The code, after what its arrays of literals hold.
fn remarked(sign: &str, stages: &Stages, session: &Session) -> Result<String> {
    let lines = stages.literals().into_iter().map(|line| format!("{sign}{line}\n"));
    Ok(lines.collect::<String>() + &session.backend().listing(&stages.loops)?)
}

/// One stage as it is, several under their names.
fn human(stages: &[Stage]) -> String {
    let ended = |text: &str| format!("{}\n", text.trim_end());
    match stages {
        [only] => ended(&only.text),
        several => {
            several.iter().map(|s| format!("==== {} ====\n{}", s.stage, ended(&s.text))).collect::<String>()
        }
    }
}
