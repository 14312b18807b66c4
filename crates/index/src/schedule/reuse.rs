//! `precompute(e, vars, t)` where `t` is assigned already: the result, or a workspace, takes the expression first and the
//! rest is added to it (workspaces paper, §4.2).
//!
//! ```text
//! precompute(B(j), j, w)     forall j w(j) = B(j) + C(j)     =>     {forall j w(j) = B(j); forall j w(j) += C(j)}
//! ```

use super::parse::Call;
use super::pattern::matches;
use super::precompute::{Ask, occurs};
use super::uses;
use crate::cin::{Program, Stmt};
use crate::expr::{Expr, IndexId, Kind, TensorId};
use crate::notation::Syntax;
use openwork_algebra::Operator;
use openwork_base::Result;

/// Carries out the command on the tensor that has the name.
pub(super) fn reuse(p: Program, call: &Call, ask: &Ask, tensor: TensorId) -> Result<Program> {
    let t = &p.tensors[tensor];
    let assigned = p.body.assignments();
    let here = assigned.iter().find(|(lhs, _, rhs)| lhs.tensor == tensor && occurs(&p, ask, rhs));
    let Some(&(_, op, rhs)) = here else {
        let message = format!("`{}` exists already, and no assignment to it holds the expression", t.name);
        let help = "give the workspace a name of its own";
        return Err(call.refusal(ask.name.span, message, help));
    };
    if t.kind == Kind::Result && !t.format.is_dense() {
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
    let stages = Stages { whole: rhs.clone(), op, first, by, rest };
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
fn separate_operand(p: &Program, wanted: &Syntax, e: &Expr) -> Option<(Expr, &'static Operator, Expr)> {
    let Expr::Call { op, args } = e else { return None };
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
    Out(Stmt),
    /// It stays inside this.
    Here(Stmt),
}

struct Stages {
    /// The value that is taken apart.
    whole: Expr,
    op: Option<&'static Operator>,
    first: Expr,
    by: &'static Operator,
    rest: Expr,
}

impl Stages {
    /// `None` where the assignment is not in `s`; `left` are the loops still to split.
    fn go(&self, s: &Stmt, left: &mut Vec<IndexId>) -> Option<Moved> {
        match s {
            Stmt::Assign { lhs, rhs, .. } if *rhs == self.whole => {
                let stage = |op, rhs: &Expr| Stmt::Assign { lhs: lhs.clone(), op, rhs: rhs.clone() };
                let both = vec![stage(self.op, &self.first), stage(Some(self.by), &self.rest)];
                Some(Moved::Out(Stmt::Seq(both)))
            }
            Stmt::Assign { .. } | Stmt::Nop => None,
            Stmt::Forall { index, body } => Some(match self.go(body, left)? {
                Moved::Out(Stmt::Seq(all)) if left.contains(index) && all.iter().all(|s| uses(s, *index)) => {
                    left.retain(|v| v != index);
                    let around = |s| Stmt::Forall { index: *index, body: Box::new(s) };
                    Moved::Out(Stmt::Seq(all.into_iter().map(around).collect()))
                }
                Moved::Out(s) | Moved::Here(s) => {
                    Moved::Here(Stmt::Forall { index: *index, body: Box::new(s) })
                }
            }),
            Stmt::Where { consumer, producer } => {
                let (mut first, mut second) = ((**consumer).clone(), (**producer).clone());
                match self.go(consumer, left) {
                    Some(Moved::Out(s) | Moved::Here(s)) => first = s,
                    None => match self.go(producer, left)? {
                        Moved::Out(s) | Moved::Here(s) => second = s,
                    },
                }
                Some(Moved::Here(Stmt::Where { consumer: Box::new(first), producer: Box::new(second) }))
            }
            Stmt::Seq(all) => {
                let (n, moved) = self.first_of(all, left)?;
                let mut out = all.clone();
                match moved {
                    Stmt::Seq(parts) => drop(out.splice(n..=n, parts)),
                    s => out[n] = s,
                }
                Some(Moved::Here(Stmt::Seq(out)))
            }
            Stmt::Multi(all) => {
                let (n, moved) = self.first_of(all, left)?;
                let mut out = all.clone();
                out[n] = moved;
                Some(Moved::Here(Stmt::Multi(out)))
            }
        }
    }
    fn first_of(&self, all: &[Stmt], left: &mut Vec<IndexId>) -> Option<(usize, Stmt)> {
        all.iter().enumerate().find_map(|(n, s)| {
            let (Moved::Out(s) | Moved::Here(s)) = self.go(s, left)?;
            Some((n, s))
        })
    }
}
