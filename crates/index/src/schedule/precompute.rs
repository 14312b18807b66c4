//! `precompute(e, vars, w)`: the workspace transformation (workspaces paper, §4.1).
//!
//! ```text
//! precompute(B(i,k)*C(k,j), j, w)
//!   forall i forall k forall j A(i,j) += B(i,k) * C(k,j)
//!   =>  forall i (forall j A(i,j) = w(j)) where (forall k forall j w(j) += B(i,k) * C(k,j))
//! ```
//! The assignment that holds the expression reads the workspace instead, and the loops around it move into the sides that
//! use them: a loop over a variable of the workspace into both, any other into the side that uses it, until one is used on
//! both. The workspace adds up what moves into its side only, so every operator around the expression must distribute over
//! that sum. Where the planner computes the expression into a temporary over these variables already, that one takes the
//! name and the kind. A name that exists is reused, see `reuse`.

use super::distribute::distributive;
use super::parse::{Arg, ScheduleCall};
use super::pattern::{self, matches};
use super::rename::rename_loops;
use super::splitter::{RepeatedRounds, Splitter, StatementSplit, make_where};
use super::{UNKNOWN, inline, reuse, split as split_loops};
use crate::cin::{CinStmt, Program, Storage};
use crate::expr::{Access, Holds, IndexExpr, IndexId, TensorId, TensorKind, TensorVar, fill_of_call};
use crate::notation::{Name, Syntax};
use crate::plan::workspace::sparse;
use openwork_algebra::{Operator, Scalar};
use openwork_base::Result;
use openwork_format::presets;

/// What a command asks for.
pub(super) struct Ask<'c> {
    pub(super) expr: &'c Syntax,
    pub(super) vars: Vec<IndexId>,
    /// What the loops that fill the workspace are called, where that is said.
    pub(super) inner: Vec<Name>,
    pub(super) name: Name,
    pub(super) kept: Option<Storage>,
}

/// Carries out the command.
pub(super) fn precompute(p: Program, call: &ScheduleCall) -> Result<Program> {
    call.without_computed(&p)?;
    let parts = split_loops::parts(&p);
    if !parts.is_empty() {
        return precompute_parts(p, call, &parts);
    }
    let ask = Ask::read(&p, call)?;
    let here = |(_, _, rhs): &(&Access, Option<&'static Operator>, &IndexExpr)| occurs(&p, &ask, rhs);
    let places = p.body.assignments().into_iter().filter(here).count();
    if places == 0 {
        let at = ask.expr.span();
        let message = format!("no assignment holds `{}`", &call.source.text[at.range()]);
        return Err(call.rejection(UNKNOWN, at, message, format!("the statement is {p} here")));
    }
    if places > 1 {
        let message = "several assignments hold the expression";
        return Err(call.unsupported_error(
            ask.expr.span(),
            message,
            "name a larger expression that only one holds",
        ));
    }
    let known = p.tensors.iter().find(|(_, t)| t.name == ask.name.text).map(|(id, _)| id);
    if let Some(known) = known {
        return reuse::reuse(p, call, &ask, known);
    }
    if p.indices.iter().any(|(_, i)| i.name == ask.name.text) {
        let message = format!("`{}` is an index variable", ask.name.text);
        return Err(call.refusal(ask.name.span, message, "give the workspace a name of its own"));
    }
    match name_temporary(&p, call, &ask)? {
        Some(same) => Ok(same),
        None => split(&p, call, &ask).or_else(|refusal| {
            let flat = inline::scalars(p.clone());
            if flat == p { Err(refusal) } else { split(&flat, call, &ask).map_err(|_| refusal) }
        }),
    }
}

/// The same where loops were split: workspaces are over whole variables, so their loops are split again afterwards.
fn precompute_parts(
    mut p: Program,
    call: &ScheduleCall,
    parts: &[split_loops::SplitPart],
) -> Result<Program> {
    let apart =
        |name: &Name| parts.iter().find(|part| part.parts.iter().any(|&v| p.indices[v].name == name.text));
    for arg in &call.args {
        if let Some((part, name)) = arg.names().into_iter().flatten().find_map(|n| Some((apart(n)?, n))) {
            let whole = &p.indices[part.whole].name;
            let message =
                format!("`{}` is a part of `{whole}`, and workspaces are over whole variables", name.text);
            return Err(call.refusal(name.span, message, format!("name `{whole}`")));
        }
    }
    let Some(body) = split_loops::join_parts(p.body.clone(), parts) else {
        let message = "another loop stands between the parts of one that was split";
        return Err(call.refusal(call.span, message, "precompute before the loops are reordered"));
    };
    p.body = body;
    let hidden = split_loops::hide(&mut p, parts);
    let mut p = precompute(p, call)?;
    split_loops::show(&mut p, hidden);
    p.body = split_loops::part_loops(p.body, parts);
    Ok(p)
}

pub(super) fn occurs(p: &Program, ask: &Ask, e: &IndexExpr) -> bool {
    pattern::replace(p, ask.expr, e, e).is_some()
}

impl<'c> Ask<'c> {
    fn read(p: &Program, call: &'c ScheduleCall) -> Result<Ask<'c>> {
        let (expr, rest) = match &call.args[..] {
            [Arg::Expr(expr), rest @ ..] => (expr, rest),
            _ => return Err(call.usage()),
        };
        let (rest, kept) = match rest {
            [front @ .., last] if front.len() >= 2 => {
                match last.name().and_then(|n| Storage::by_name(&n.text)) {
                    Some(kept) => (front, Some(kept)),
                    None => (rest, None),
                }
            }
            rest => (rest, None),
        };
        let (vars, inner, name) = match rest {
            [vars, name] => (vars, None, name),
            [vars, inner, name] => (vars, Some(inner), name),
            _ => return Err(call.usage()),
        };
        let name = name.name().ok_or_else(|| call.usage())?.clone();
        let written = vars.names().ok_or_else(|| call.usage())?;
        let vars = written.iter().map(|n| call.index(p, n)).collect::<Result<Vec<_>>>()?;
        let inner = match inner.map(|a| a.names().ok_or_else(|| call.usage())).transpose()? {
            None => Vec::new(),
            Some(all) if all.len() == vars.len() => all.into_iter().cloned().collect(),
            Some(_) => return Err(call.usage()),
        };
        if let Some(n) = (1..vars.len()).find(|&n| vars[..n].contains(&vars[n])) {
            let message = format!("`{}` is named twice", written[n].text);
            return Err(call.refusal(written[n].span, message, "leave one out"));
        }
        Ok(Ask { expr, vars, inner, name, kept })
    }
}

/// The planner's own temporary for exactly this expression takes the name and the kind.
fn name_temporary(p: &Program, call: &ScheduleCall, ask: &Ask) -> Result<Option<Program>> {
    let all = p.body.assignments();
    let same = all.iter().find(|(lhs, _, rhs)| {
        let modes = lhs.vars.len() == ask.vars.len() && ask.vars.iter().all(|v| lhs.vars.contains(v));
        modes && p.tensors[lhs.tensor].kind == TensorKind::Temp && matches(p, ask.expr, rhs)
    });
    let Some((lhs, ..)) = same else { return Ok(None) };
    let (temp, modes) = (lhs.tensor, lhs.vars.clone());
    let mut out = p.clone();
    out.tensors[temp].name.clone_from(&ask.name.text);
    out.tensors[temp].given.clone_from(&ask.name.text);
    keep(&mut out, call, ask, temp, &modes)?;
    out.body = rename_loops(&mut out, call, ask, p.body.clone(), temp)?;
    Ok(Some(out))
}

/// Records how a workspace is kept, and stores it so.
fn keep(p: &mut Program, call: &ScheduleCall, ask: &Ask, temp: TensorId, modes: &[IndexId]) -> Result<()> {
    let Some(kept) = ask.kept else { return Ok(()) };
    let Some(format) = sparse(modes.len()) else {
        let message = "a workspace without variables is a scalar, which has no kind";
        return Err(call.refusal(call.span, message, "leave the kind out"));
    };
    p.tensors[temp].format = if kept == Storage::Dense { presets::dense(modes.len()) } else { format };
    p.directives.storage.insert(temp, kept);
    Ok(())
}

/// The transformation of §4.1.
fn split(p: &Program, call: &ScheduleCall, ask: &Ask) -> Result<Program> {
    let mut out = p.clone();
    let assignment = p.body.assignments().into_iter().find(|(_, _, rhs)| occurs(p, ask, rhs));
    let (lhs, op, rhs) = assignment.expect("the caller has found one");
    let part = pattern::replace(p, ask.expr, rhs, rhs).expect("the caller has found it").part;
    if let Some(v) = ask.vars.iter().find(|v| !part.mentions(**v)) {
        let message = format!("the expression does not depend on `{}`", p.indices[*v].name);
        return Err(call.refusal(ask.expr.span(), message, "leave that variable out"));
    }
    let w = workspace(&mut out, ask, &part);
    let mut splitter =
        Splitter { p, ask, w, crossed: Vec::new(), adds_up: None, repeats: RepeatedRounds::Absorbed };
    let body = match splitter.go(&p.body) {
        StatementSplit::Moving { consumer, producer } => make_where(consumer, producer),
        StatementSplit::Absent(s) | StatementSplit::Placed(s) => s,
    };
    if let Some(v) = ask.vars.iter().find(|v| !splitter.crossed.contains(v)) {
        let v = &p.indices[*v].name;
        let message =
            format!("the loop over `{v}` cannot be split: a loop inside of it stays around both sides");
        let help = format!("reorder so that `{v}` is further inside, or name that loop's variable too");
        return Err(call.refusal(call.span, message, help));
    }
    let combined = match (splitter.adds_up, op) {
        (None, _) => None,
        (Some(v), None) => {
            let (t, v) = (&p.tensors[lhs.tensor].name, &p.indices[v].name);
            let message = format!("`{t}` is assigned, so a loop over `{v}` has nothing to combine by");
            return Err(call.refusal(call.span, message, "name that variable too"));
        }
        (Some(_), Some(op)) => {
            distributive(&out, call, ask, op, rhs, w)?;
            Some(op)
        }
    };
    let outside = outside_value(&part, p);
    let dtype = out.tensors[w].dtype;
    let identity = combined.and_then(|op| op.identity_at(0, dtype));
    let fill = identity.or(outside).unwrap_or(Scalar::zero(dtype));
    out.tensors[w].fill = fill;
    let modes: Vec<IndexId> = splitter.crossed.iter().rev().copied().collect();
    let body = combine_assignments(body, &Access { tensor: w, vars: modes.clone() }, combined);
    if outside.is_some_and(|o| o.is_same(fill)) && is_walked(&part, p, &modes) && is_copied(&body, w) {
        out.tensors[w].format = sparse(modes.len()).unwrap_or(presets::dense(0));
    }
    keep(&mut out, call, ask, w, &modes)?;
    let body = settle_assignments(&out, body, w, &mut Vec::new());
    out.body = rename_loops(&mut out, call, ask, body, w)?;
    Ok(out)
}

/// Declares the workspace, dense for now.
fn workspace(p: &mut Program, ask: &Ask, part: &IndexExpr) -> TensorId {
    let dtype = part.dtype(&p.tensors);
    p.tensors.push(TensorVar {
        name: ask.name.text.clone(),
        given: ask.name.text.clone(),
        dtype,
        format: presets::dense(ask.vars.len()),
        remap: None,
        fill: Scalar::zero(dtype),
        kind: TensorKind::Temp,
        stored: None,
        windows: Vec::new(),
        holds: Holds::Values,
        elements: None,
    })
}

/// The workspace as `w`, combined by `op` where it is assigned.
fn combine_assignments(s: CinStmt, w: &Access, op: Option<&'static Operator>) -> CinStmt {
    fn expr(e: IndexExpr, w: &Access) -> IndexExpr {
        match e {
            IndexExpr::Access(a) if a.tensor == w.tensor => IndexExpr::Access(w.clone()),
            e => e.map_children(&mut |c| expr(c, w)),
        }
    }
    each_assignment(s, &mut |lhs, old, rhs| {
        if lhs.tensor == w.tensor {
            return CinStmt::Assign { lhs: w.clone(), op, rhs };
        }
        CinStmt::Assign { lhs, op: old, rhs: expr(rhs, w) }
    })
}

/// A statement with every assignment rewritten.
fn each_assignment(
    s: CinStmt,
    f: &mut dyn FnMut(Access, Option<&'static Operator>, IndexExpr) -> CinStmt,
) -> CinStmt {
    match s {
        CinStmt::Assign { lhs, op, rhs } => f(lhs, op, rhs),
        CinStmt::Nop
        | CinStmt::Forall { .. }
        | CinStmt::Where { .. }
        | CinStmt::Seq(_)
        | CinStmt::Multi(_) => s.map_children(&mut |c| each_assignment(c, f)),
    }
}

/// An assignment that reads the workspace and combines with the first value only becomes a plain one.
fn settle_assignments(p: &Program, s: CinStmt, w: TensorId, around: &mut Vec<IndexId>) -> CinStmt {
    match s {
        CinStmt::Assign { lhs, op: Some(op), rhs } if rhs.accesses().iter().any(|a| a.tensor == w) => {
            let t = &p.tensors[lhs.tensor];
            let fresh = op.identity_at(0, t.dtype).is_some_and(|id| id.is_same(t.fill));
            let once = around.iter().all(|v| lhs.vars.contains(v));
            CinStmt::Assign { lhs, op: Some(op).filter(|_| !(fresh && once)), rhs }
        }
        CinStmt::Forall { index, body } => {
            around.push(index);
            let body = Box::new(settle_assignments(p, *body, w, around));
            around.pop();
            CinStmt::Forall { index, body }
        }
        // What a producer assigns starts anew each time.
        CinStmt::Where { consumer, producer } => {
            let producer = settle_assignments(p, *producer, w, &mut Vec::new());
            make_where(settle_assignments(p, *consumer, w, around), producer)
        }
        // A later statement of a sequence finds what an earlier one left.
        CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Assign { .. } | CinStmt::Nop => s,
    }
}

/// The value of `e` where no operand and no sparse workspace stores a coordinate, if that is one constant.
fn outside_value(e: &IndexExpr, p: &Program) -> Option<Scalar> {
    match e {
        IndexExpr::Access(a) => {
            let t = &p.tensors[a.tensor];
            (!t.format.is_full()).then_some(t.fill)
        }
        IndexExpr::Literal(s) => Some(*s),
        IndexExpr::Cast { to, arg } => outside_value(arg, p).map(|s| s.cast(*to)),
        IndexExpr::Call { op, args } => {
            let fills: Vec<Option<Scalar>> = args.iter().map(|a| outside_value(a, p)).collect();
            fill_of_call(op, &fills)
        }
        IndexExpr::Index(_)
        | IndexExpr::Width(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Reduce { .. } => None,
    }
}

/// Whether loops over the modes of a workspace visit stored coordinates only, at least one of them if there are several.
fn is_walked(e: &IndexExpr, p: &Program, modes: &[IndexId]) -> bool {
    let sparse = |v: &IndexId| {
        e.accesses().into_iter().any(|a| {
            let format = &p.tensors[a.tensor].format;
            format.levels.iter().zip(&format.modes).any(|(l, &m)| !l.is_dense() && a.vars[m] == *v)
        })
    };
    if modes.len() == 1 { modes.iter().all(sparse) } else { modes.iter().any(sparse) }
}

/// Whether a workspace is only copied, which a sparse one is made for; anything else looks its values up.
fn is_copied(s: &CinStmt, w: TensorId) -> bool {
    let reads =
        s.assignments().into_iter().filter(|(_, _, rhs)| rhs.accesses().iter().any(|a| a.tensor == w));
    reads.into_iter().all(|(_, _, rhs)| matches!(rhs, IndexExpr::Access(_)))
}
