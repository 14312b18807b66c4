//! Programs that have a graph, but for which no kernel can be written: they are refused before a line is written.
//!
//! | what | why not |
//! |---|---|
//! | an operand with duplicates above a dense level | a run of positions has no single position to be located from |
//! | a result in the order of the loops | one of its levels cannot be appended to |
//! | a result out of order | one of its levels cannot be inserted into |
//! | a result whose structure is lent | no operand stores what it does |

use crate::assembly::assigned_result;
use crate::graph::Graph;
use crate::lender::lender;
use crate::phase::Phase;
use crate::refusal::refuse;
use crate::whole::grows;
use openwork_base::{Code, Conflict, Diagnostic, Result};
use openwork_format::{Level, Props};
use openwork_index::cin::AssemblyMode;
use openwork_index::{Program, TensorKind, TensorVar};
use openwork_levels::Registry;

/// Whether one phase of a program can be written over its graph.
///
/// # Errors
/// `E0406` for operands and results that are stored as no kernel has them, `E0409` for [`Phase::Lent`] without a lender.
pub(crate) fn legal(program: &Program, registry: &Registry, graph: &Graph, phase: Phase) -> Result<()> {
    refuse_runs_above_located(program, registry)?;
    if phase == Phase::Lent {
        return refuse_unlent(program, graph);
    }
    let Some(result) = assigned_result(program) else { return Ok(()) };
    let t = &program.tensors[result.tensor];
    match program.assembly {
        AssemblyMode::InOrder => refuse_unappendable(program, registry, t, phase),
        AssemblyMode::OutOfOrder(_) => refuse_uninsertable(program, registry, t),
    }
}

/// Somebody has to lend the result its structure, row by row.
fn refuse_unlent(program: &Program, graph: &Graph) -> Result<()> {
    if lender(program, graph).is_some() {
        return Ok(());
    }
    let message = "no operand stores exactly what the result does, row by row";
    Err(refuse(program, Diagnostic::new(Code("E0409"), message), "compute it in one kernel"))
}

/// A run of positions that share a coordinate has no single position for most levels to be walked or located from.
fn refuse_runs_above_located(program: &Program, registry: &Registry) -> Result<()> {
    for (_, t) in program.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand) {
        let chains =
            |l: &Level| registry.get(l.spec).and_then(|f| f.iterate()).is_some_and(|walk| walk.chains());
        let levels = &t.format.levels;
        if (1..levels.len()).any(|k| !levels[k - 1].unique() && !chains(&levels[k])) {
            let message = format!("`{}` stores duplicate coordinates above a dense level", t.name);
            let d = Diagnostic::from_conflict(Conflict::Level, message);
            return Err(refuse(program, d, "store the upper levels unique"));
        }
    }
    Ok(())
}

/// What is not located in a result is appended to, in chains of levels with one child each below a list with duplicates.
fn refuse_unappendable(program: &Program, registry: &Registry, t: &TensorVar, phase: Phase) -> Result<()> {
    let located = |l: &Level| registry.get(l.spec).is_some_and(|f| f.locate().is_some());
    let appended = |l: &Level| registry.get(l.spec).is_some_and(|f| f.append().is_some());
    let levels = &t.format.levels;
    for (k, level) in levels.iter().enumerate().filter(|(_, l)| !located(l)) {
        let joins = k > 0 && !located(&levels[k - 1]) && !levels[k - 1].unique();
        let full = level.full() && !(grows(t, k) && phase == Phase::Fused);
        let promises = full || level.props.has(Props::ZEROLESS);
        if !appended(level) || promises || level.branchless() && !joins {
            let message = format!("the result `{}` cannot be assembled in the format {}", t.name, t.format);
            let help =
                "use dense and compressed levels, or coo; a singleton needs a nonunique level above it";
            return Err(refuse(program, Diagnostic::from_conflict(Conflict::Level, message), help));
        }
    }
    Ok(())
}

/// Every level of a result that is assembled out of order takes elements anywhere.
fn refuse_uninsertable(program: &Program, registry: &Registry, t: &TensorVar) -> Result<()> {
    let inserted = |l: &&Level| registry.get(l.spec).is_some_and(|f| f.insert().is_some());
    match t.format.levels.iter().find(|l| !inserted(l)) {
        None => Ok(()),
        Some(level) => {
            let message = format!("a level `{level}` cannot be assembled out of order");
            let d = Diagnostic::from_conflict(Conflict::Level, message);
            Err(refuse(program, d, "convert into another format"))
        }
    }
}
