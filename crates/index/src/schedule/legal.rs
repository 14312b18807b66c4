//! Constraints that every rewritten statement must still obey: the storage orders of its tensors.
//!
//! Operands and workspaces that can only be walked are walked from their outermost level inwards, and a result that is
//! appended to is visited in storage order, once, with every reduction inside.

use super::names;
use super::parse::ScheduleCall;
use super::split::{SplitPart, parts};
use crate::cin::{CinStmt, Program};
use crate::expr::{Access, IndexId, TensorKind, is_assigned_once};
use crate::plan::order::{Constraints, of_operand, of_result};
use crate::window::Window;
use openwork_base::Result;
use openwork_format::Format;

/// Refuses a program that walks or fills something in another order than it is stored.
pub(super) fn check(p: &Program, call: &ScheduleCall) -> Result<()> {
    match walk(p, &p.body, &mut Vec::new()).or_else(|| assigned_twice(p)) {
        None => Ok(()),
        Some(why) => {
            let help = "reorder the loops, compute into a workspace, or store that tensor in another order";
            Err(call.refusal(call.span, why, help))
        }
    }
}

/// The first broken constraint as a sentence.
fn walk(p: &Program, s: &CinStmt, around: &mut Vec<IndexId>) -> Option<String> {
    match s {
        CinStmt::Forall { index, body } => {
            if let Some(conflict) = position_conflict(p, *index, body, around) {
                return Some(conflict);
            }
            around.push(*index);
            let found = walk(p, body, around);
            around.pop();
            found
        }
        CinStmt::Where { consumer, producer } => lookup_conflict(p, consumer, producer, around)
            .or_else(|| s.children().find_map(|c| walk(p, c, around))),
        CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Nop => s.children().find_map(|c| walk(p, c, around)),
        CinStmt::Assign { lhs, rhs, .. } => {
            let read = rhs.accesses().into_iter().find_map(|a| {
                let mut all = Constraints::new();
                of_operand(a, &p.tensors, &mut all);
                broken_order(p, &all, around).map(|(outer, inner)| walk_conflict(p, a, outer, inner))
            });
            read.or_else(|| {
                let reduced: Vec<IndexId> = around
                    .iter()
                    .copied()
                    .filter(|v| !is_assigned_once(*v, &lhs.vars, around, &p.indices))
                    .collect();
                let mut all = Constraints::new();
                of_result(lhs, &p.tensors, &reduced, &mut all);
                of_parts(p, lhs, &mut all);
                broken_order(p, &all, around).map(|(outer, inner)| fill_conflict(p, lhs, outer, inner))
            })
        }
    }
}

/// What says a position is known before the loop over it.
fn position_conflict(p: &Program, v: IndexId, body: &CinStmt, around: &[IndexId]) -> Option<String> {
    if !p.indices[v].positional {
        return None;
    }
    let Some(value) = body.assignments().into_iter().find_map(|(.., rhs)| rhs.position_of(v)) else {
        // A literal is the only coordinate of a window.
        let compared = |a: &&Access| {
            let windows = &p.tensors[a.tensor].windows;
            a.vars.iter().enumerate().any(|(m, u)| *u == v && windows.get(m).is_none_or(Window::is_whole))
        };
        let all = body.assignments();
        let lost = all.iter().flat_map(|(.., rhs)| rhs.accesses()).any(|a| compared(&a));
        let name = &p.indices[v].name;
        return lost.then(|| format!("the comparison that says `{name}` must stay inside of its loop"));
    };
    let late = value.free_vars().into_iter().find(|u| !around.contains(u));
    let mut inside = false;
    body.visit(&mut |s| {
        if let CinStmt::Where { producer, .. } = s {
            let filled = |t| producer.assignments().iter().any(|(lhs, ..)| lhs.tensor == t);
            inside |= value.accesses().iter().any(|a| filled(a.tensor));
        }
    });
    let name = &p.indices[v].name;
    if !value.is_known_outside(&p.tensors) {
        let searched = names(p).expr(value);
        return Some(format!(
            "`{name}` is the position {searched}, which is searched for where it is stored"
        ));
    }
    let inner = format!("`{name}` is the position {}, so its loop must be inside of", names(p).expr(value));
    match late {
        Some(u) => Some(format!("{inner} the one over `{}`", p.indices[u].name)),
        None => inside.then(|| format!("{inner} the loops that compute it")),
    }
}

/// The parts of a variable take its place among those of a result that is appended to; where coordinates have to come in
/// order, the first part is outside of the second one.
fn of_parts(p: &Program, lhs: &Access, all: &mut Constraints) {
    let format = &p.tensors[lhs.tensor].format;
    let stored = format.levels.iter().rposition(|l| !l.is_dense()).map_or(0, |last| last + 1);
    for SplitPart { parts: [first, second], whole } in parts(p) {
        let around: Vec<IndexId> = all.iter().filter(|(_, inner)| *inner == whole).map(|(v, _)| *v).collect();
        all.extend(around.into_iter().flat_map(|v| [(v, first), (v, second)]));
        let ordered = format.modes[..stored].iter().any(|&m| lhs.vars[m] == whole);
        all.extend((ordered && p.tensors[lhs.tensor].kind == TensorKind::Result).then_some((first, second)));
    }
}

/// A sparse workspace is walked once it is complete; nothing looks a single coordinate up in it.
fn lookup_conflict(
    p: &Program,
    consumer: &CinStmt,
    producer: &CinStmt,
    around: &[IndexId],
) -> Option<String> {
    let w = producer.target()?.tensor;
    if p.tensors[w].format.is_dense() {
        return None;
    }
    let all = consumer.assignments();
    let mut reads = all.iter().flat_map(|(_, _, rhs)| rhs.accesses()).filter(|a| a.tensor == w);
    let (a, v) = reads.find_map(|a| Some((a, *a.vars.iter().find(|v| around.contains(v))?)))?;
    Some(format!(
        "{} is a sparse workspace, so the loop over `{}` that reads it must be inside of the where statement",
        names(p).access(a),
        p.indices[v].name
    ))
}

/// The names of two variables that nest the other way round.
fn broken_order<'p>(p: &'p Program, all: &Constraints, around: &[IndexId]) -> Option<(&'p str, &'p str)> {
    let at = |v: IndexId| around.iter().position(|&w| w == v);
    let (outer, inner) = all.iter().find(|&&(outer, inner)| at(outer) > at(inner))?;
    Some((&p.indices[*outer].name, &p.indices[*inner].name))
}

fn walk_conflict(p: &Program, a: &Access, outer: &str, inner: &str) -> String {
    format!(
        "{} is stored as {}, so its loop over `{outer}` must be outside of the one over `{inner}`",
        names(p).access(a),
        plain_format(p, a)
    )
}
fn fill_conflict(p: &Program, a: &Access, outer: &str, inner: &str) -> String {
    format!(
        "{} is appended to as {}, so the loop over `{outer}` must be outside of the one over `{inner}`",
        names(p).access(a),
        plain_format(p, a)
    )
}

/// How a tensor is stored, without the widths of its arrays.
fn plain_format(p: &Program, a: &Access) -> Format {
    Format { pos: None, crd: None, fill: None, ..p.tensors[a.tensor].declared_format() }
}

/// A result that is appended to has one place where that happens.
fn assigned_twice(p: &Program) -> Option<String> {
    let all = p.body.assignments();
    let result = |a: &Access| {
        let t = &p.tensors[a.tensor];
        t.kind == TensorKind::Result && !t.format.is_dense()
    };
    let places = all.iter().filter(|(lhs, ..)| result(lhs));
    let first = places.clone().next()?;
    (places.count() > 1)
        .then(|| format!("{} is appended to, so it is assigned in one place only", names(p).access(first.0)))
}
