//! The search for an expression of a schedule in a statement.
//!
//! Operands of commutative operators may stand in any order, and a part of a chain of such operands is found as well:
//! `C(k,j) * B(i,k)` is in `B(i,k) * D(k) * C(k,j)`. Conversions that the checker inserted are looked through.

use crate::cin::Program;
use crate::expr::{Access, IndexExpr};
use crate::notation::parse::dtype_name;
use crate::notation::{STRUCTURE, Syntax, TensorRef};
use crate::window::{part_name, structure_name};
use openwork_algebra::{Operator, Scalar};

/// Where an expression was found.
pub(super) struct PatternMatch {
    /// What the statement has there.
    pub(super) part: IndexExpr,
    /// The value around it, with `replacement` in its place.
    pub(super) rest: IndexExpr,
}

/// Replaces `wanted` in `e`, everywhere it is converted alike; `None` where it does not occur.
pub(super) fn replace(
    p: &Program,
    wanted: &Syntax,
    e: &IndexExpr,
    replacement: &IndexExpr,
) -> Option<PatternMatch> {
    let mut parts = Vec::new();
    let rest = go(p, wanted, e.clone(), replacement, &mut parts);
    Some(PatternMatch { part: parts.into_iter().next()?, rest })
}

/// Whether `e` is `wanted`.
pub(super) fn matches(p: &Program, wanted: &Syntax, e: &IndexExpr) -> bool {
    match (wanted, e) {
        (Syntax::Apply { name, args, .. }, IndexExpr::Cast { to, arg })
            if dtype_name(&name.text) == Some(*to) =>
        {
            args.len() == 1 && matches(p, &args[0], arg)
        }
        (Syntax::Apply { name, args, .. }, IndexExpr::Literal(s))
            if dtype_name(&name.text) == Some(s.dtype()) =>
        {
            matches!(&args[..], [Syntax::Number(n)] if is_number(&n.text, *s))
        }
        (_, IndexExpr::Cast { arg, .. }) => matches(p, wanted, arg),
        (Syntax::Apply { name, args, .. }, IndexExpr::Access(a)) if name.text == STRUCTURE => {
            matches!(&args[..], [Syntax::Tensor(t)] if is_structure(p, t, a))
        }
        (Syntax::Tensor(t), IndexExpr::Index(v)) => t.bare && p.indices[*v].name == t.name.text,
        (Syntax::Tensor(t), IndexExpr::Access(a)) => is_access(p, t, a),
        (Syntax::Number(n), IndexExpr::Literal(s)) => is_number(&n.text, *s),
        (_, IndexExpr::Call { op, args }) => match applied_operator(wanted) {
            Some((other, _)) if other.language_name() != op.language_name() => false,
            Some((_, theirs)) if !chains(op) => {
                theirs.len() == args.len() && theirs.iter().zip(args).all(|(w, e)| matches(p, w, e))
            }
            Some(_) => {
                let (mut left, wanted) = (operands(op, e), wanted_operands(op, wanted));
                wanted.len() == left.len() && wanted.iter().all(|w| take(p, w, &mut left).is_some())
            }
            None => false,
        },
        _ => false,
    }
}

fn is_number(text: &str, s: Scalar) -> bool {
    Scalar::parse(text, s.dtype()).is_some_and(|value| value.is_same(s))
}
fn is_access(p: &Program, t: &TensorRef, a: &Access) -> bool {
    let tensor = &p.tensors[a.tensor];
    let named = match t.windows.iter().any(|w| !w.is_whole()) {
        true => tensor.given == part_name(&t.name.text, &t.windows),
        false => tensor.name == t.name.text || tensor.given == t.name.text,
    };
    named && is_over(p, t, a)
}
fn is_structure(p: &Program, t: &TensorRef, a: &Access) -> bool {
    let whole = structure_name(&t.name.text);
    let part = || part_name(&whole, &t.windows);
    let named = if t.windows.iter().any(|w| !w.is_whole()) { part() } else { whole.clone() };
    p.tensors[a.tensor].given == named && is_over(p, t, a)
}
/// Whether an access has these variables.
fn is_over(p: &Program, t: &TensorRef, a: &Access) -> bool {
    let vars = p.tensors[a.tensor].mode_vars(a);
    vars.len() == t.indices.len() && vars.iter().zip(&t.indices).all(|(v, n)| p.indices[*v].name == n.text)
}

/// Operators whose operands may be regrouped.
fn chains(op: &Operator) -> bool {
    op.associative && op.commutative && op.arity() == 2
}

fn applied_operator(s: &Syntax) -> Option<(&'static Operator, &[Syntax])> {
    match s {
        Syntax::Op { op, args, .. } => Some((op, args)),
        Syntax::Apply { name, args, .. } => {
            let own = || openwork_algebra::function::list_operators(&name.text).into_iter().next();
            Some((Operator::of_language(&name.text).or_else(own)?, args))
        }
        Syntax::Tensor(_) | Syntax::Number(_) => None,
    }
}

fn operands(op: &Operator, e: &IndexExpr) -> Vec<IndexExpr> {
    match e {
        IndexExpr::Call { op: own, args } if own.name == op.name => {
            args.iter().flat_map(|a| operands(op, a)).collect()
        }
        e => vec![e.clone()],
    }
}
fn wanted_operands<'s>(op: &Operator, s: &'s Syntax) -> Vec<&'s Syntax> {
    match applied_operator(s) {
        Some((own, args)) if own.language_name() == op.language_name() => {
            args.iter().flat_map(|a| wanted_operands(op, a)).collect()
        }
        _ => vec![s],
    }
}

/// Takes the first of `left` that is `wanted`; its place.
fn take(p: &Program, wanted: &Syntax, left: &mut Vec<IndexExpr>) -> Option<(usize, IndexExpr)> {
    let at = left.iter().position(|e| matches(p, wanted, e))?;
    Some((at, left.remove(at)))
}

fn go(
    p: &Program,
    wanted: &Syntax,
    e: IndexExpr,
    replacement: &IndexExpr,
    parts: &mut Vec<IndexExpr>,
) -> IndexExpr {
    let same = |e: &IndexExpr, parts: &[IndexExpr]| parts.first().is_none_or(|first| first == e);
    if matches(p, wanted, &e) {
        if !same(&e, parts) {
            return e;
        }
        parts.push(e);
        return replacement.clone();
    }
    if let (IndexExpr::Call { op, .. }, Some((own, _))) = (&e, applied_operator(wanted))
        && own.name == op.language_name()
        && chains(op)
        && let Some((part, rest)) = part_of_chain(p, wanted, op, &e, replacement)
        && same(&part, parts)
    {
        parts.push(part);
        return rest;
    }
    e.map_children(&mut |c| go(p, wanted, c, replacement, parts))
}

/// Some operands of a chain, and the chain with a replacement for them.
fn part_of_chain(
    p: &Program,
    wanted: &Syntax,
    op: &'static Operator,
    e: &IndexExpr,
    replacement: &IndexExpr,
) -> Option<(IndexExpr, IndexExpr)> {
    let mut left = operands(op, e);
    let (mut taken, mut at) = (Vec::new(), usize::MAX);
    for w in wanted_operands(op, wanted) {
        let (n, part) = take(p, w, &mut left)?;
        at = at.min(n);
        taken.push(part);
    }
    left.insert(at.min(left.len()), replacement.clone());
    let chain = |all: Vec<IndexExpr>| all.into_iter().reduce(|a, b| IndexExpr::Call { op, args: vec![a, b] });
    Some((chain(taken)?, chain(left)?))
}
