//! `split(i,i0,i1,32)` and `divide(i,i0,i1,4)`: a loop over a dimension in two (tiling, with `reorder`).
//!
//! ```text
//! split(i,i0,i1,32)      forall i S     =>     forall i0 forall i1 forall i S      where i0 = i / 32, i1 = i % 32
//! divide(i,i0,i1,4)      the same with parts of ceil(n / 4), so that i0 has 4 values
//! ```
//! The parts are computed coordinates like those of a blocked format, which nothing stores; `i` follows from them, so its
//! own loop has one round and stays right inside the inner part.

use super::names;
use super::parse::ScheduleCall;
use crate::cin::{CinStmt, Program};
use crate::expr::{Access, DerivedVar, IndexId, IndexVar, PositionReach};
use openwork_base::{Result, Source, Span};
use openwork_format::Coords;
use openwork_format::remap::Remap;
use std::sync::Arc;

/// Carries out `split`.
pub(super) fn split(p: Program, call: &ScheduleCall) -> Result<Program> {
    let (v, number, at) = arguments(&p, call)?;
    if number < 2 {
        return Err(call.refusal(at, "a part of a split loop has at least 2 rounds", "32 is a good start"));
    }
    if i64::try_from(number).is_err() {
        return Err(call.refusal(
            at,
            "a part of a split loop has fewer than 2^63 rounds",
            "32 is a good start",
        ));
    }
    part_loop(p, call, v, number)
}

/// Carries out `divide`.
pub(super) fn divide(p: Program, call: &ScheduleCall) -> Result<Program> {
    let (v, number, at) = arguments(&p, call)?;
    let name = &p.indices[v].name;
    if number < 1 {
        return Err(call.refusal(at, "a loop is divided into at least 1 part", "4 is a good start"));
    }
    let Some(size) = p.indices[v].size else {
        let message = format!("how many values `{name}` has is not known before the operands are");
        return Err(call.refusal(at, message, format!("give `{name}` a size, or split by a constant")));
    };
    part_loop(p, call, v, size.div_ceil(number).max(1))
}

fn arguments(p: &Program, call: &ScheduleCall) -> Result<(IndexId, usize, Span)> {
    let [var, _, _, number] = &call.args[..] else { return Err(call.usage()) };
    let v = call.index(p, var.name().ok_or_else(|| call.usage())?)?;
    let (number, at) = number.number().ok_or_else(|| call.usage())?;
    Ok((v, number, at))
}

fn part_loop(mut p: Program, call: &ScheduleCall, v: IndexId, size: usize) -> Result<Program> {
    let name = p.indices[v].name.clone();
    if p.indices[v].derived.is_some()
        || p.indices[v].positional
        || parts(&p).into_iter().any(|part| part.whole == v)
    {
        let message = format!("`{name}` is a part of something else already, or has parts");
        return Err(call.refusal(call.span, message, "split a loop once"));
    }
    if let Some(a) = walked_operand(&p, v) {
        let message = format!(
            "the loop over `{name}` visits what {} stores, not a whole dimension",
            names(&p).access(a)
        );
        return Err(call.refusal(call.span, message, "split a loop over a dense dimension"));
    }
    let text = format!("(i) -> (i/{size}, i%{size}, i)");
    let remap = Arc::new(Remap::parse(&Source::new("split", text))?);
    let mut vars = Vec::new();
    for new in &call.args[1..3] {
        let new = new.name().ok_or_else(|| call.usage())?;
        let taken = p.indices.iter().any(|(_, i)| i.name == new.text)
            || p.tensors.iter().any(|(_, t)| t.name == new.text);
        if taken {
            let message = format!("`{}` is a name of the statement already", new.text);
            return Err(call.refusal(new.span, message, "choose another"));
        }
        vars.push(p.indices.push(IndexVar {
            name: new.text.clone(),
            size: None,
            span: new.span,
            derived: None,
            positional: false,
            scattered: false,
            declared: false,
            reach: PositionReach::Unknown,
            made_for: [].into(),
            like: None,
        }));
    }
    vars.push(v);
    for (coord, &part) in vars[..2].iter().enumerate() {
        p.indices[part].derived = Some(DerivedVar { remap: remap.clone(), coord, vars: vars.clone() });
    }
    p.body = over_parts(p.body, &vars);
    Ok(p)
}

/// Every loop over the last variable inside of loops over the others.
fn over_parts(s: CinStmt, vars: &[IndexId]) -> CinStmt {
    match s.map_children(&mut |c| over_parts(c, vars)) {
        CinStmt::Forall { index, body } if Some(&index) == vars.last() => CinStmt::foralls(vars, *body),
        s => s,
    }
}

/// An operand or workspace whose stored coordinates a loop over `v` visits.
fn walked_operand(p: &Program, v: IndexId) -> Option<&Access> {
    let reads = p.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
    reads.into_iter().find(|a| {
        let format = &p.tensors[a.tensor].format;
        let level = |k: usize| format.levels[k].spec.coords != Coords::Every && a.vars[format.modes[k]] == v;
        (0..format.depth()).any(level)
    })
}

/// A variable that was split.
pub(super) struct SplitPart {
    /// The two loops.
    pub(super) parts: [IndexId; 2],
    /// What follows from them.
    pub(super) whole: IndexId,
}

/// The variables that were split: computed coordinates that no tensor stores.
pub(super) fn parts(p: &Program) -> Vec<SplitPart> {
    let stored = |v: IndexId| super::uses(&p.body, v);
    let derived = p.indices.iter().filter_map(|(id, i)| Some((id, i.derived.as_ref()?)));
    let first =
        derived.filter(|(id, d)| d.coord == 0 && d.vars.len() == 3 && !stored(*id) && !stored(d.vars[1]));
    first.map(|(id, d)| SplitPart { parts: [id, d.vars[1]], whole: d.vars[2] }).collect()
}

/// The statement with whole loops in place of those over parts; nothing where another loop is between the parts.
pub(super) fn join_parts(s: CinStmt, all: &[SplitPart]) -> Option<CinStmt> {
    if let CinStmt::Forall { index, .. } = &s
        && let Some(part) = all.iter().find(|p| p.parts.contains(index))
    {
        let (vars, _) = super::nest(&s);
        if !vars.starts_with(&[part.parts[0], part.parts[1], part.whole]) {
            return None;
        }
        let mut inner = s;
        for _ in 0..2 {
            let CinStmt::Forall { body, .. } = inner else { return None };
            inner = *body;
        }
        let CinStmt::Forall { index, body } = inner else { return None };
        return Some(CinStmt::Forall { index, body: Box::new(join_parts(*body, all)?) });
    }
    let mut whole = true;
    let done = s.map_children(&mut |c| {
        join_parts(c, all).unwrap_or_else(|| {
            whole = false;
            CinStmt::Nop
        })
    });
    whole.then_some(done)
}

/// Takes away what parts are computed from, so that they are no parts for a while.
pub(super) fn hide(p: &mut Program, all: &[SplitPart]) -> Vec<(IndexId, Option<DerivedVar>)> {
    let parts = all.iter().flat_map(|part| part.parts);
    parts.map(|v| (v, p.indices[v].derived.take())).collect()
}

/// Gives it back.
pub(super) fn show(p: &mut Program, hidden: Vec<(IndexId, Option<DerivedVar>)>) {
    for (v, derived) in hidden {
        p.indices[v].derived = derived;
    }
}

/// The statement with every whole loop inside of loops over its parts.
pub(super) fn part_loops(s: CinStmt, all: &[SplitPart]) -> CinStmt {
    all.iter().fold(s, |s, part| over_parts(s, &[part.parts[0], part.parts[1], part.whole]))
}

/// The statement without the loops of one round.
pub(super) fn remove_round_loops(s: CinStmt, all: &[SplitPart]) -> CinStmt {
    match s.map_children(&mut |c| remove_round_loops(c, all)) {
        CinStmt::Forall { index, body } if all.iter().any(|p| p.whole == index) => *body,
        s => s,
    }
}

/// The statement with each of them back right inside the inner one of its parts.
pub(super) fn restore_round_loops(s: CinStmt, all: &[SplitPart], around: &mut Vec<IndexId>) -> CinStmt {
    match s {
        CinStmt::Forall { index, body } => {
            around.push(index);
            let complete =
                |p: &&SplitPart| p.parts.contains(&index) && p.parts.iter().all(|v| around.contains(v));
            let whole = all.iter().find(complete).map(|p| p.whole);
            let mut body = restore_round_loops(*body, all, around);
            around.pop();
            if let Some(whole) = whole {
                body = CinStmt::Forall { index: whole, body: Box::new(body) };
            }
            CinStmt::Forall { index, body: Box::new(body) }
        }
        CinStmt::Nop
        | CinStmt::Assign { .. }
        | CinStmt::Where { .. }
        | CinStmt::Seq(_)
        | CinStmt::Multi(_) => s.map_children(&mut |c| restore_round_loops(c, all, around)),
    }
}
