//! `openwork explain`: what statements were planned to do, and at what cost.

use crate::args::{ExplainArgs, OutputMode};
use crate::compile::decls;
use crate::compiled::{single, statements_of};
use crate::operands;
use crate::request::Request;
use crate::summary::{ReasonLine, json};
use openwork::{Action, Choice, Explanation, JoinedStages, ListStages, Result, Session, Tensor};
use serde::Serialize;

#[derive(Serialize)]
struct ExplainReport {
    statement: String,
    cin: String,
    loops: Vec<String>,
    tensors: Vec<TensorRow>,
    threads: String,
    work_ns: f64,
    temporary_bytes: f64,
    result_values: f64,
    /// Sizes and numbers of values that nothing gives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<String>,
    reasons: Vec<ReasonLine>,
    variants: Vec<VariantRow>,
    compared_with: Vec<Other>,
}

/// Of several statements.
#[derive(Serialize)]
struct ListReport {
    statement: String,
    steps: Vec<StepRow>,
    statements: Vec<ExplainReport>,
}

/// What is done in one go.
#[derive(Serialize)]
struct StepRow {
    statements: Vec<String>,
    /// Statements of these that one kernel computes.
    one_loop: Vec<JoinedRow>,
    /// What is given back afterwards.
    frees: Vec<String>,
    /// Whether these have memory in turns.
    in_turns: bool,
    /// Of these, the one in whose memory the statement computes its result, where it can.
    in_place: Option<String>,
}

/// Statements that one kernel computes.
#[derive(Serialize)]
struct JoinedRow {
    statements: Vec<String>,
    /// The operands that several of them read, once.
    reads_once: Vec<String>,
}

#[derive(Serialize)]
struct TensorRow {
    name: String,
    role: &'static str,
    format: String,
}

/// A variant of the plan.
#[derive(Serialize)]
struct VariantRow {
    name: &'static str,
    what: String,
    /// Which runs take it, as far as sizes tell.
    taken_by: Option<String>,
}

#[derive(Serialize)]
struct Other {
    plan: String,
    work_ns: f64,
}

/// Plans the statements and gives what is printed.
///
/// # Errors
/// Every diagnostic of the flags, the files and the statements.
pub(crate) fn explain(args: &ExplainArgs) -> Result<String> {
    let request = Request::read(&args.tensors)?.with_base(args.base);
    let mut decls = decls(&request);
    let origins = operands::some_origins(&request, &args.inputs, &[])?;
    let operands = operands::load(&request, &origins)?;
    for operand in &operands {
        decls.tensors.insert(operand.name.clone(), operand.decl());
    }
    let given: Vec<(&str, &Tensor)> = operands.iter().map(|o| (o.name.as_str(), &o.tensor)).collect();
    let session = Session::new(Session::global().kind())?.with_candidate(args.tensors.candidate);
    let (text, mode) = (args.tensors.statement.as_str(), args.tensors.json.mode());
    if request.statements.len() > 1 {
        let mut list = session.weigh_all(text, &decls, None)?;
        // What earlier statements compute is not there to be looked at.
        let looked = list.stages.into_iter().map(|stages| stages.with_given(&given));
        list.stages = looked.collect::<Result<_>>()?;
        return Ok(explain_list(&request, list, text, mode));
    }
    let stages = session.weigh(single(&request, text), &decls, &request.schedule)?;
    let explanation = stages.with_given(&given)?.explain();
    Ok(match mode {
        OutputMode::Human => explanation.to_string(),
        OutputMode::Json => json(&report(text, explanation)),
    })
}

/// The steps, then every statement.
fn explain_list(request: &Request, list: ListStages, text: &str, mode: OutputMode) -> String {
    let steps = steps(request, &list);
    let each = list.stages.iter().enumerate().map(|(n, stages)| (request.text(n), stages.explain()));
    match mode {
        OutputMode::Json => {
            let statements = each.map(|(text, e)| report(text, e)).collect();
            json(&ListReport { statement: text.into(), steps, statements })
        }
        OutputMode::Human => {
            let mut out = String::from("steps\n");
            for (step, n) in steps.iter().zip(1..) {
                out += &format!("  {n}  {}{}\n", step.statements.join("; "), describe_loops(step));
                let is = if step.frees.len() == 1 { "is" } else { "are" };
                let turns = if step.in_turns { "; their memory goes from one to the next" } else { "" };
                if !step.frees.is_empty() {
                    let names = step.frees.join(", ");
                    let place = step.in_place.iter().map(|name| {
                        format!("; the result takes the memory of {name} where variant `in place` runs")
                    });
                    let place: String = place.collect();
                    out += &format!("     then {names} {is} read no more and given back{turns}{place}\n");
                }
            }
            each.fold(out, |out, (text, e)| format!("{out}==== {text} ====\n{e}"))
        }
    }
}

/// How the statements of a step run beside each other.
fn describe_loops(step: &StepRow) -> String {
    let over = |row: &JoinedRow| {
        let count = row.statements.len();
        format!("one loop for {count} results, which reads {} once", row.reads_once.join(", "))
    };
    match &step.one_loop[..] {
        _ if step.statements.len() == 1 => String::new(),
        [all] if all.statements.len() == step.statements.len() => format!(", {}", over(all)),
        some => {
            let line = |row: &JoinedRow| format!("\n     {}: {}", row.statements.join("; "), over(row));
            format!(", part by part{}", some.iter().map(line).collect::<String>())
        }
    }
}

fn steps(request: &Request, list: &ListStages) -> Vec<StepRow> {
    let mut steps: Vec<StepRow> = Vec::new();
    let mut alone: Option<usize> = None;
    for action in &list.actions {
        match (action, steps.last_mut()) {
            (Action::Free(n), Some(step)) => {
                // Several statements are run part by part: what one leaves is free before the next one begins.
                step.in_turns = step.statements.len() > 1 && !step.frees.is_empty();
                let name = request.statements[*n].lhs.name.text.clone();
                let mut places = alone.iter().flat_map(|n| list.stages[*n].places());
                if step.in_place.is_none() && places.any(|(_, place)| *place == name) {
                    step.in_place = Some(name.clone());
                }
                step.frees.push(name);
            }
            _ => {
                let numbers = statements_of(action).unwrap_or_default();
                let texts =
                    |numbers: &[usize]| numbers.iter().map(|&n| request.text(n).to_string()).collect();
                let own = list.joined.iter().filter(|one| one.statements.iter().all(|n| numbers.contains(n)));
                let row = |one: &JoinedStages| JoinedRow {
                    statements: texts(&one.statements),
                    reads_once: one.operands.clone(),
                };
                steps.push(StepRow {
                    statements: texts(&numbers),
                    one_loop: own.map(row).collect(),
                    frees: Vec::new(),
                    in_turns: false,
                    in_place: None,
                });
                alone = if let Action::Run(n) = action { Some(*n) } else { None };
            }
        }
    }
    steps
}

fn report(statement: &str, e: Explanation) -> ExplainReport {
    let row = |(name, format, role)| TensorRow { name, role, format };
    let reasons = e.reasons.into_iter().map(|r| ReasonLine { choice: r.choice, because: r.because });
    let variant = |c: Choice| VariantRow { name: c.name, what: c.what, taken_by: c.taken.describe() };
    let others = e.rejected.into_iter().map(|a| Other { plan: a.describe, work_ns: a.work });
    ExplainReport {
        statement: statement.into(),
        cin: e.cin,
        loops: e.loops,
        tensors: e.tensors.into_iter().map(row).collect(),
        threads: e.parallel,
        work_ns: e.cost.work,
        temporary_bytes: e.cost.memory,
        result_values: e.cost.stored,
        assumed: e.assumed,
        reasons: reasons.collect(),
        variants: e.variants.into_iter().map(variant).collect(),
        compared_with: others.collect(),
    }
}
