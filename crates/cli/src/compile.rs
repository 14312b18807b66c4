//! `openwork compile`: what statements become, stage by stage.

use crate::args::{CompileArgs, EmitStage, FunctionsName, OutputMode};
use crate::compiled::single;
use crate::request::Request;
use crate::summary::{ReasonLine, json};
use crate::{fault, target};
use clap::ValueEnum;
use openwork::{
    BackendKind, CFile, CSource, Code, DType, Decl, Decls, Error, JoinedStages, Result, Session, Stages,
};
use serde::Serialize;

/// Flags for C files without one.
const NO_C: Code = Code("E0816");
/// A statement that is no single C function.
const CONVERTED: Code = Code("E0815");

#[derive(Serialize)]
struct CompileReport {
    statement: String,
    stages: Vec<Stage>,
    reasons: Vec<ReasonLine>,
}

#[derive(Serialize)]
struct WrittenCode {
    statement: String,
    written: Vec<String>,
    reasons: Vec<ReasonLine>,
}

#[derive(Serialize)]
struct Stage {
    stage: String,
    /// Which one, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<String>,
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
    let file = c_file(args)?;
    if args.emit.contains(&EmitStage::C) && is_file_wanted(args, &file) {
        request.one_statement("a C file")?;
    }
    for path in args.output.iter().chain(&args.file.header) {
        target::writable(path)?;
    }
    let mut stages = Vec::new();
    let mut reasons = Vec::new();
    for &emit in &args.emit {
        // What the loops look like depends on the vectors of the backend they are for.
        let session = Session::new(match emit {
            EmitStage::C => BackendKind::C,
            EmitStage::Clif | EmitStage::Asm => BackendKind::Clif,
            EmitStage::Cin | EmitStage::Lattice | EmitStage::Graph | EmitStage::Loops => BackendKind::Interp,
        })?;
        let session = session.with_candidate(args.tensors.candidate);
        let (built, joined) = build_stages(&session, statement, &request, &decls)?;
        let several = built.len() > 1;
        reasons.clear();
        for (n, built) in built.into_iter().enumerate() {
            let text = match emit {
                EmitStage::C if !several => c(args, &session, &built, &request, &decls, &file)?,
                EmitStage::C
                | EmitStage::Cin
                | EmitStage::Lattice
                | EmitStage::Graph
                | EmitStage::Loops
                | EmitStage::Clif
                | EmitStage::Asm => text(emit, &session, &built)?,
            };
            let own = several.then(|| request.text(n).to_string());
            stages.push(Stage { stage: name(emit), statement: own, text });
            let lines = built.plan.reasons.into_iter();
            reasons.extend(lines.map(|r| ReasonLine { choice: r.choice, because: r.because }));
        }
        for one in joined {
            let all: Vec<&str> = one.statements.iter().map(|&n| request.text(n)).collect();
            if let Some(text) = joined_text(emit, &session, &one)? {
                stages.push(Stage { stage: name(emit), statement: Some(all.join("; ")), text });
            }
        }
    }
    Ok(match (&args.output, args.tensors.json.mode()) {
        (None, OutputMode::Json) => json(&CompileReport { statement: statement.clone(), stages, reasons }),
        (None, OutputMode::Human) => human(&stages),
        (Some(path), mode) => {
            target::write_whole(path, human(&stages).as_bytes())?;
            let written = args.file.header.iter().chain([path]).map(|p| p.display().to_string()).collect();
            match mode {
                OutputMode::Json => json(&WrittenCode { statement: statement.clone(), written, reasons }),
                OutputMode::Human => written.iter().map(|p| format!("wrote {p}\n")).collect(),
            }
        }
    })
}

/// What the flags say about the C file.
fn c_file(args: &CompileArgs) -> Result<CFile> {
    let flags = &args.file;
    let some = flags.functions != FunctionsName::All;
    let asked = flags.name.is_some() || flags.header.is_some() || flags.with_main || some;
    if asked && !args.emit.contains(&EmitStage::C) {
        let message =
            "--name, --header, --functions and --with-main are about a C file, and none is asked for";
        return Err(fault::rejection(NO_C, message, "add --emit c"));
    }
    let header = flags.header.as_ref().and_then(|h| h.file_name()).map(|h| h.to_string_lossy().into_owned());
    let name = flags.name.as_deref().unwrap_or("kernel");
    let functions = flags.functions.functions();
    Ok(CFile { header, functions, main: flags.with_main, ..CFile::new(name) })
}

/// The stages of every statement, and of kernels that compute several.
fn build_stages(
    session: &Session,
    text: &str,
    request: &Request,
    decls: &Decls,
) -> Result<(Vec<Stages>, Vec<JoinedStages>)> {
    Ok(match request.statements.len() {
        1 => (vec![session.stages_scheduled(single(request, text), decls, &request.schedule)?], Vec::new()),
        _ => {
            let list = session.plan(text, decls, None)?;
            (list.stages, list.joined)
        }
    })
}

/// Whether a C file is meant to be kept, and not only to be looked at.
fn is_file_wanted(args: &CompileArgs, file: &CFile) -> bool {
    args.output.is_some() || *file != CFile::new(&file.name) || args.file.name.is_some()
}

/// The C file; the header is written. Where nobody wants a file, a statement whose tensors are converted is shown as its kernel
/// alone.
fn c(
    args: &CompileArgs,
    session: &Session,
    built: &Stages,
    request: &Request,
    decls: &Decls,
    file: &CFile,
) -> Result<String> {
    let wanted = is_file_wanted(args, file);
    match session.c_source(single(request, &args.tensors.statement), decls, &request.schedule, file) {
        Ok(CSource { source, header }) => {
            if let Some(path) = &args.file.header {
                target::write_whole(path, header.as_bytes())?;
            }
            Ok(source)
        }
        Err(Error::Unsupported(d)) if d.code == CONVERTED && !wanted => {
            code_with_remarks("// ", built, session)
        }
        Err(e) => Err(e),
    }
}

/// Tensors without a format are dense, those without a dtype `f64`; the result's follow from them.
pub(crate) fn decls(request: &Request) -> Decls {
    let arithmetic = Some(request.arithmetic);
    let mut decls = Decls { dims: request.dims.clone(), arithmetic, ..Decls::default() };
    for name in request.operands() {
        let dtype = request.dtypes.get(name).copied().unwrap_or(DType::F64);
        let format = request.formats.get(name).cloned();
        decls.tensors.insert(
            name.into(),
            Decl {
                dtype: Some(dtype),
                format,
                shape: request.shapes.get(name).cloned(),
                stored: None,
                elements: None,
            },
        );
    }
    request.declare_results(&mut decls);
    decls
}

fn name(emit: EmitStage) -> String {
    emit.to_possible_value().map_or(String::new(), |v| v.get_name().to_string())
}

fn text(emit: EmitStage, session: &Session, stages: &Stages) -> Result<String> {
    Ok(match emit {
        EmitStage::Cin => stages.cin(),
        EmitStage::Lattice => stages.lattices(),
        EmitStage::Graph => stages.graph_text(),
        EmitStage::Loops => stages.loops_text(),
        EmitStage::C => code_with_remarks("// ", stages, session)?,
        EmitStage::Clif => code_with_remarks("; ", stages, session)?,
        EmitStage::Asm => session.backend().assembly(&stages.loops)?.unwrap_or_default(),
    })
}

/// The code of a kernel that computes several statements; nothing of what comes before loops, which each statement has for
/// itself.
fn joined_text(emit: EmitStage, session: &Session, one: &JoinedStages) -> Result<Option<String>> {
    let code = |sign: &str| Ok(Some(remarks(sign, one.literals()) + &session.backend().listing(&one.loops)?));
    match emit {
        EmitStage::Cin | EmitStage::Lattice | EmitStage::Graph => Ok(None),
        EmitStage::Loops => Ok(Some(one.loops_text())),
        EmitStage::C => code("// "),
        EmitStage::Clif => code("; "),
        EmitStage::Asm => session.backend().assembly(&one.loops),
    }
}

/// The code, after what its arrays of literals hold.
fn code_with_remarks(sign: &str, stages: &Stages, session: &Session) -> Result<String> {
    Ok(remarks(sign, stages.literals()) + &session.backend().listing(&stages.loops)?)
}
fn remarks(sign: &str, lines: Vec<String>) -> String {
    lines.into_iter().map(|line| format!("{sign}{line}\n")).collect()
}

/// One stage as it is, several under their names.
fn human(stages: &[Stage]) -> String {
    let ended = |text: &str| format!("{}\n", text.trim_end());
    let title = |s: &Stage| match &s.statement {
        Some(statement) => format!("{} of {statement}", s.stage),
        None => s.stage.clone(),
    };
    match stages {
        [only] => ended(&only.text),
        several => several.iter().map(|s| format!("==== {} ====\n{}", title(s), ended(&s.text))).collect(),
    }
}
