//! Programs that have a graph, but for which no kernel can be written: they are refused before a line is written.
//!
//! | what | why not |
//! |---|---|
//! | an operand with duplicates above a dense level | a run of positions has no single position to be located from |
//! | a result in the order of the loops | one of its levels cannot be appended to |
//! | a result out of order | one of its levels cannot be inserted into |
//! | a result whose structure is lent | no operand stores what it does |
//! | a loop that a schedule distributes | the kernel cannot be called over parts of it |

use crate::chunks::Parallel;
use crate::graph::Graph;
use crate::lender::{Found, lenders};
use crate::lowered::By;
use crate::phase::Phase;
use crate::whole::grows;
use openwork_base::{Code, Conflict, Diagnostic, Error, Result};
use openwork_format::{Level, Props};
use openwork_index::cin::{Assembly, LoopHint};
use openwork_index::{Access, Kind, Program, Tensor};
use openwork_levels::Registry;

/// Whether one phase of a program can be written over its graph.
///
/// # Errors
/// `E0406` for operands and results that are stored as no kernel has them, `E0409` for [`Phase::Lent`] without a lender.
pub(crate) fn legal(program: &Program, registry: &Registry, graph: &Graph, phase: Phase) -> Result<()> {
    refuse_runs_above_located(program, registry)?;
    if phase == Phase::Lent {
        return lender(program, graph).map(|_| ());
    }
    let Some(result) = assigned(program) else { return Ok(()) };
    let t = &program.tensors[result.tensor];
    match program.assembly {
        Assembly::InOrder => refuse_unappendable(program, registry, t, phase),
        Assembly::OutOfOrder(_) => refuse_uninsertable(program, registry, t),
    }
}

/// The most cases of a graph whose code is surely no more than is written.
const FEW: usize = 300;

/// Whether the loops of a program can be written for sure, before they are. What its graph does not tell is how the walk of a
/// level of another crate looks, whether a window of a level that is no list can be walked, how much code many cases
/// come to, and whether loops are what a schedule wants of them.
pub(crate) fn is_certain(program: &Program, cases: usize) -> bool {
    let plain = |l: &Level| l.is_built_in() && (l.is_dense() || l.lists_coords());
    let operand = |t: &Tensor| !t.is_windowed() && t.remap.is_none() && t.format.levels.iter().all(plain);
    program.assembly == Assembly::InOrder
        && program.directives.loops.is_empty()
        && cases <= FEW
        && program.tensors.iter().all(|(_, t)| t.kind != Kind::Operand || operand(t))
}

/// What lends the result its structure, row by row.
///
/// # Errors
/// `E0409` where nothing does.
pub(crate) fn lender(program: &Program, graph: &Graph) -> Result<Found> {
    lenders(program, graph).filter(|found| found.by == By::Positions).ok_or_else(|| {
        let message = "no operand stores exactly what the result does, row by row";
        refuse(program, Diagnostic::new(Code("E0409"), message), "compute it in one kernel")
    })
}

/// What a program assigns of its result.
fn assigned(program: &Program) -> Option<&Access> {
    let all = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    all.into_iter().find(|a| program.tensors[a.tensor].kind == Kind::Result)
}

/// A run of positions that share a coordinate has no single position for most levels to be walked or located from.
fn refuse_runs_above_located(program: &Program, registry: &Registry) -> Result<()> {
    for (_, t) in program.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
        let chains =
            |l: &Level| registry.get(l.spec).and_then(|f| f.iterate()).is_some_and(|walk| walk.chains());
        let levels = &t.format.levels;
        if (1..levels.len()).any(|k| !levels[k - 1].unique() && !chains(&levels[k])) {
            let message = format!("`{}` stores duplicate coordinates above a dense level", t.name);
            let d = Diagnostic::of(Conflict::Level, message);
            return Err(refuse(program, d, "store the upper levels unique"));
        }
    }
    Ok(())
}

/// What is not located in a result is appended to, in chains of levels with one child each below a list with duplicates.
fn refuse_unappendable(program: &Program, registry: &Registry, t: &Tensor, phase: Phase) -> Result<()> {
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
            return Err(refuse(program, Diagnostic::of(Conflict::Level, message), help));
        }
    }
    Ok(())
}

/// Every level of a result that is assembled out of order takes elements anywhere.
fn refuse_uninsertable(program: &Program, registry: &Registry, t: &Tensor) -> Result<()> {
    let inserted = |l: &&Level| registry.get(l.spec).is_some_and(|f| f.insert().is_some());
    match t.format.levels.iter().find(|l| !inserted(l)) {
        None => Ok(()),
        Some(level) => {
            let message = format!("a level `{level}` cannot be assembled out of order");
            let d = Diagnostic::of(Conflict::Level, message);
            Err(refuse(program, d, "convert into another format"))
        }
    }
}

/// Refuses a kernel that cannot be called over parts of the loop that a schedule wants distributed.
///
/// # Errors
/// `E0814`.
pub(crate) fn refuse_undistributed(program: &Program, parallel: &Parallel) -> Result<()> {
    let mut all = program.directives.loops.iter();
    let Some((&v, _)) = all.find(|(_, hints)| hints.contains(&LoopHint::Parallelize)) else {
        return Ok(());
    };
    let name = &program.indices[v].name;
    let why = match parallel {
        Parallel::Chunks(c) if c.var == v => return Ok(()),
        Parallel::Chunks(c) => format!("the kernel is cut into parts of `{}`", program.indices[c.var].name),
        Parallel::Serial { because } => because.clone(),
    };
    let message = format!("the loop over `{name}` cannot be distributed over threads: {why}");
    Err(refuse(program, Diagnostic::new(Code("E0814"), message), "leave parallelize out"))
}

/// A named refusal that points at the whole statement.
pub(crate) fn refuse(program: &Program, d: Diagnostic, help: &str) -> Error {
    let source = &program.source;
    Error::unsupported(d.at(source, source.part, "").help(help))
}
