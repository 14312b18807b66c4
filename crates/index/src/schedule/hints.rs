//! `unroll(i,n)`, `vectorize(i)`, `parallelize(i)`, `gallop(i)`: commands that ask lowering for something at a loop.
//!
//! ```text
//! unroll(j,4)     forall i forall j …     =>     forall i forall[unroll(4)] j …
//! ```
//! Lowering refuses where it cannot: a merge of several operands has no count to unroll or vectorise, and nothing else
//! gallops.

use super::parse::{Arg, ScheduleCall};
use super::{names, split};
use crate::cin::{CinStmt, LoopHint, Program};
use crate::expr::{IndexId, TensorKind};
use openwork_base::Result;

/// The most rounds that are written out.
const ROUNDS: usize = 64;

/// Carries out `unroll`.
pub(super) fn unroll(p: Program, call: &ScheduleCall) -> Result<Program> {
    let [var, rounds] = &call.args[..] else { return Err(call.usage()) };
    let v = call.index(&p, var.name().ok_or_else(|| call.usage())?)?;
    let (rounds, at) = rounds.number().ok_or_else(|| call.usage())?;
    if !(2..=ROUNDS).contains(&rounds) {
        let message = format!("a loop is unrolled by 2 to {ROUNDS} rounds, not {rounds}");
        return Err(call.refusal(at, message, "4 is a good start"));
    }
    add_hint(p, call, v, LoopHint::Unroll(rounds as u32))
}

/// Carries out `vectorize`.
pub(super) fn vectorize(p: Program, call: &ScheduleCall) -> Result<Program> {
    let [var] = &call.args[..] else { return Err(call.usage()) };
    let v = call.index(&p, var.name().ok_or_else(|| call.usage())?)?;
    add_hint(p, call, v, LoopHint::Vectorize)
}

/// Carries out `gallop`.
pub(super) fn gallop(mut p: Program, call: &ScheduleCall) -> Result<Program> {
    let [var] = &call.args[..] else { return Err(call.usage()) };
    let v = call.index(&p, var.name().ok_or_else(|| call.usage())?)?;
    let hints = p.directives.loops.entry(v).or_default();
    if !hints.contains(&LoopHint::Gallop) {
        hints.push(LoopHint::Gallop);
        hints.sort();
    }
    Ok(p)
}

fn add_hint(mut p: Program, call: &ScheduleCall, v: IndexId, hint: LoopHint) -> Result<Program> {
    let hints = p.directives.loops.entry(v).or_default();
    let clash = |h: &&LoopHint| matches!(h, LoopHint::Unroll(_) | LoopHint::Vectorize);
    if let Some(known) = hints.iter().find(clash) {
        let name = &p.indices[v].name;
        let message = match known {
            LoopHint::Unroll(_) => format!("the loop over `{name}` is unrolled already"),
            LoopHint::Vectorize | LoopHint::Parallelize | LoopHint::Gallop => {
                format!("the loop over `{name}` is vectorised already, which unrolls it")
            }
        };
        return Err(call.refusal(call.span, message, "ask one of them"));
    }
    hints.push(hint);
    hints.sort();
    Ok(p)
}

/// Carries out `parallelize`.
pub(super) fn parallelize(mut p: Program, call: &ScheduleCall) -> Result<Program> {
    let (var, how) = match &call.args[..] {
        [var] => (var, None),
        [var, unit, how] => {
            if check_unit(call, unit)? == HintUnit::Vector {
                call.index(&p, var.name().ok_or_else(|| call.usage())?)?;
                strategy(call, Some(how))?;
                // Innermost loops are taken in vectors wherever they can be, asked or not.
                return Ok(p);
            }
            (var, Some(how))
        }
        _ => return Err(call.usage()),
    };
    let name = var.name().ok_or_else(|| call.usage())?;
    let v = call.index(&p, name)?;
    let races = strategy(call, how)?;
    if outermost(&p.body) != Some(v) {
        let message =
            format!("the loop over `{}` is not the outermost one around the whole statement", name.text);
        return Err(call.unsupported_error(
            name.span,
            message,
            "only the outermost loop is distributed over threads",
        ));
    }
    // Parts of a variable stand for different values of it.
    let parts = split::parts(&p);
    let shared = p.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let shared =
        shared.filter(|a| races == Races::None && p.tensors[a.tensor].kind == TensorKind::Result).find(|a| {
            !a.vars.contains(&v)
                && !parts.iter().any(|part| part.parts.contains(&v) && a.vars.contains(&part.whole))
        });
    if let Some(a) = shared {
        let message = format!(
            "rounds of the loop over `{}` all write {}, so they would race",
            name.text,
            names(&p).access(a)
        );
        return Err(call.refusal(
            name.span,
            message,
            "reorder so that a variable of the result is outermost, or say ParallelReduction",
        ));
    }
    let hints = p.directives.loops.entry(v).or_default();
    if !hints.contains(&LoopHint::Parallelize) {
        hints.push(LoopHint::Parallelize);
        hints.sort();
    }
    Ok(p)
}

/// What takes rounds of a loop at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HintUnit {
    Thread,
    Vector,
}

fn check_unit(call: &ScheduleCall, unit: &Arg) -> Result<HintUnit> {
    let unit = unit.name().ok_or_else(|| call.usage())?;
    match unit.text.as_str() {
        "CPUThread" => Ok(HintUnit::Thread),
        "CPUVector" => Ok(HintUnit::Vector),
        other => {
            let message = format!("there is no backend for `{other}`");
            Err(call.unsupported_error(unit.span, message, "the units are CPUThread and CPUVector"))
        }
    }
}

/// The outermost loop, which may fill what the result is copied from.
fn outermost(s: &CinStmt) -> Option<IndexId> {
    match s {
        CinStmt::Forall { index, .. } => Some(*index),
        CinStmt::Where { consumer, producer } if matches!(**consumer, CinStmt::Assign { .. }) => {
            outermost(producer)
        }
        CinStmt::Where { .. }
        | CinStmt::Seq(_)
        | CinStmt::Multi(_)
        | CinStmt::Assign { .. }
        | CinStmt::Nop => None,
    }
}

/// What may happen where rounds of a loop write the same element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Races {
    /// There is no such element.
    None,
    /// Every thread has a result of its own, and these are combined.
    Combined,
}

fn strategy(call: &ScheduleCall, how: Option<&Arg>) -> Result<Races> {
    let Some(how) = how else { return Ok(Races::Combined) };
    let how = how.name().ok_or_else(|| call.usage())?;
    match how.text.as_str() {
        "NoRaces" => Ok(Races::None),
        // Where rounds do race, every thread has a result of its own, whatever is asked: that is right in any case.
        "Temporary" | "ParallelReduction" | "Atomics" | "IgnoreRaces" => Ok(Races::Combined),
        _ => Err(call.usage()),
    }
}
