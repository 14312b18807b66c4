//! `precompute(e, vars, t)` where `t` is assigned already: the result, or a workspace, takes the expression first and the
//! rest is added to it (workspaces paper, §4.2).
//!
//! ```text
//! precompute(B(j), j, w)     forall j w(j) = B(j) + C(j)     =>     {forall j w(j) = B(j); forall j w(j) += C(j)}
//! ```

use super::parse::ScheduleCall;
use super::pattern::matches;
use super::precompute::{Ask, occurs};
use super::uses;
use crate::cin::{CinStmt, Program};
use crate::expr::{IndexExpr, IndexId, TensorId, TensorKind};
use crate::notation::Syntax;
use openwork_algebra::Operator;
use openwork_base::Result;

/// Carries out the command on the tensor that has the name.
pub(super) fn reuse(p: Program, call: &ScheduleCall, ask: &Ask, tensor: TensorId) -> Result<Program> {
    let t = &p.tensors[tensor];
    let assigned = p.body.assignments();
    let here = assigned.iter().find(|(lhs, _, rhs)| lhs.tensor == tensor && occurs(&p, ask, rhs));
    let Some(&(_, op, rhs)) = here else {
        let message = format!("`{}` exists already, and no assignment to it holds the expression", t.name);
        let help = "give the workspace a name of its own";
        return Err(call.refusal(ask.name.span, message, help));
    };
    if t.kind == TensorKind::Result && !t.format.is_dense() {
        let message = format!("`{}` is appended to, so it is assigned in one place only", t.name);
        return Err(call.refusal(ask.name.span, message, "store it dense, or precompute into a workspace"));
    }
    if ask.kept.is_some() || !ask.inner.is_empty() {
        let message = format!("`{}` exists already: neither its kind nor its loops are chosen here", t.name);
        return Err(call.refusal(ask.name.span, message, "write precompute(e, vars, w)"));
    }
    let Some((first, by, rest)) = separate_operand(&p, ask.expr, rhs) else {
        let message =
            "the expression is inside more than one operator, or one that nothing can be added to by";
        let help = "only an operand of the outermost +, *, min, max, … can be assigned first";
        return Err(call.refusal(ask.expr.span(), message, help));
    };
    if let Some(op) = op.filter(|op| op.name != by.name) {
        let message = format!("the assignment combines by `{}`, the expression by `{}`", op.name, by.name);
        return Err(call.refusal(ask.expr.span(), message, "precompute into a workspace of its own"));
    }
    let stages = ReuseStages { whole: rhs.clone(), op, first, by, rest };
    let mut left = ask.vars.clone();
    let body = match stages.go(&p.body, &mut left) {
        Some(Moved::Out(s)) | Some(Moved::Here(s)) => s,
        None => p.body.clone(),
    };
    if let Some(&v) = left.first() {
        let v = &p.indices[v].name;
        let message =
            format!("the loops of both stages must be the same, and the one over `{v}` would not be");
        return Err(call.refusal(call.span, message, "precompute into a workspace of its own"));
    }
    Ok(Program { body, ..p })
}

/// `e` as `first by rest`, where `first` is the expression.
fn separate_operand(
    p: &Program,
    wanted: &Syntax,
    e: &IndexExpr,
) -> Option<(IndexExpr, &'static Operator, IndexExpr)> {
    let IndexExpr::Call { op, args } = e else { return None };
    let by = *op;
    if !(by.associative && by.commutative && by.reduces(e.dtype(&p.tensors)) && args.len() == 2) {
        return None;
    }
    let at = args.iter().position(|a| matches(p, wanted, a))?;
    Some((args[at].clone(), by, args[1 - at].clone()))
}

/// A sequence on its way out of the loops.
enum Moved {
    /// Loops around it may still be split.
    Out(CinStmt),
    /// It stays inside this.
    Here(CinStmt),
}

struct ReuseStages {
    /// The value that is taken apart.
    whole: IndexExpr,
    op: Option<&'static Operator>,
    first: IndexExpr,
    by: &'static Operator,
    rest: IndexExpr,
}

impl ReuseStages {
    /// `None` where the assignment is not in `s`; `left` are the loops still to split.
    fn go(&self, s: &CinStmt, left: &mut Vec<IndexId>) -> Option<Moved> {
        match s {
            CinStmt::Assign { lhs, rhs, .. } if *rhs == self.whole => {
                let stage = |op, rhs: &IndexExpr| CinStmt::Assign { lhs: lhs.clone(), op, rhs: rhs.clone() };
                let both = vec![stage(self.op, &self.first), stage(Some(self.by), &self.rest)];
                Some(Moved::Out(CinStmt::Seq(both)))
            }
            CinStmt::Assign { .. } | CinStmt::Nop => None,
            CinStmt::Forall { index, body } => Some(match self.go(body, left)? {
                Moved::Out(CinStmt::Seq(all))
                    if left.contains(index) && all.iter().all(|s| uses(s, *index)) =>
                {
                    left.retain(|v| v != index);
                    let around = |s| CinStmt::Forall { index: *index, body: Box::new(s) };
                    Moved::Out(CinStmt::Seq(all.into_iter().map(around).collect()))
                }
                Moved::Out(s) | Moved::Here(s) => {
                    Moved::Here(CinStmt::Forall { index: *index, body: Box::new(s) })
                }
            }),
            CinStmt::Where { consumer, producer } => {
                let (mut first, mut second) = ((**consumer).clone(), (**producer).clone());
                match self.go(consumer, left) {
                    Some(Moved::Out(s) | Moved::Here(s)) => first = s,
                    None => match self.go(producer, left)? {
                        Moved::Out(s) | Moved::Here(s) => second = s,
                    },
                }
                Some(Moved::Here(CinStmt::Where { consumer: Box::new(first), producer: Box::new(second) }))
            }
            CinStmt::Seq(all) => {
                let (n, moved) = self.first_of(all, left)?;
                let mut out = all.clone();
                match moved {
                    CinStmt::Seq(parts) => drop(out.splice(n..=n, parts)),
                    s => out[n] = s,
                }
                Some(Moved::Here(CinStmt::Seq(out)))
            }
            CinStmt::Multi(all) => {
                let (n, moved) = self.first_of(all, left)?;
                let mut out = all.clone();
                out[n] = moved;
                Some(Moved::Here(CinStmt::Multi(out)))
            }
        }
    }
    fn first_of(&self, all: &[CinStmt], left: &mut Vec<IndexId>) -> Option<(usize, CinStmt)> {
        all.iter().enumerate().find_map(|(n, s)| {
            let (Moved::Out(s) | Moved::Here(s)) = self.go(s, left)?;
            Some((n, s))
        })
    }
}
