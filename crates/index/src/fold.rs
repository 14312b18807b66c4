//! Constant folding: the rest of an expression once its constants are known.
//!
//! ```text
//! A(i) + x(i) * 0        A(i)
//! max(2, 3) * B(i)       3 * B(i)
//! sum(j, 0)              0
//! ```
//! Constants fold, annihilators decide, identities vanish. Operands that are gone still fix the sizes of their variables
//! ([`Assignment::reads`](crate::Assignment)).

use crate::expr::IndexExpr;
use openwork_algebra::{Operator, Prim, Scalar};

/// The expression with everything folded that can be.
pub fn fold(e: IndexExpr) -> IndexExpr {
    match e.map_children(&mut fold) {
        IndexExpr::Cast { to, arg } => cast(to, *arg),
        IndexExpr::Call { op, args } => call(op, args),
        IndexExpr::Reduce { op, vars, body } => match *body {
            // However often nothing is added, nothing is left.
            IndexExpr::Literal(s) if op.identity_at(0, s.dtype()).is_some_and(|id| id.is_same(s)) => {
                IndexExpr::Literal(s)
            }
            body => IndexExpr::Reduce { op, vars, body: Box::new(body) },
        },
        e => e,
    }
}

/// A conversion of a folded argument.
pub fn cast(to: openwork_algebra::DType, arg: IndexExpr) -> IndexExpr {
    match arg {
        IndexExpr::Literal(s) => IndexExpr::Literal(s.cast(to)),
        arg => IndexExpr::Cast { to, arg: Box::new(arg) },
    }
}

/// An operator on folded arguments.
pub fn call(op: &'static Operator, mut args: Vec<IndexExpr>) -> IndexExpr {
    let constants: Vec<Option<Scalar>> = args.iter().map(constant).collect();
    if let (Prim::Select, Some(Scalar::Bool(c))) = (op.prim, constants[0]) {
        return args.swap_remove(if c { 1 } else { 2 });
    }
    if op.prim == Prim::Select && is_same(&args[1], &args[2]) {
        return args.swap_remove(1);
    }
    let is = |n: usize, wanted: Option<Scalar>| match (constants[n], wanted) {
        (Some(a), Some(b)) => a.is_same(b),
        _ => false,
    };
    let dtype = |n: usize| constants[n].map(Scalar::dtype);
    for n in 0..args.len() {
        let Some(dtype) = dtype(n) else { continue };
        // Before anything is computed: 0 decides beside an infinite literal as well. What an annihilator assumes of other
        // arguments is not known here: 0 / x may be NaN.
        if op.assumes.is_none() && is(n, op.annihilator_at(n, dtype)) {
            return args.swap_remove(n);
        }
    }
    let all: Option<Vec<Scalar>> = constants.iter().copied().collect();
    if let Some(value) = all.and_then(|all| op.eval(&all)) {
        return IndexExpr::Literal(value);
    }
    for n in 0..args.len() {
        let Some(dtype) = dtype(n) else { continue };
        if args.len() == 2 && is(n, op.strict_identity_at(n, dtype)) {
            return args.swap_remove(1 - n);
        }
    }
    IndexExpr::Call { op, args }
}

/// The same where what operators assume holds: a constant that decides does so, whatever stands beside it.
pub fn fold_assuming(op: &'static Operator, args: Vec<IndexExpr>) -> IndexExpr {
    let decides = |(n, arg): (usize, &IndexExpr)| {
        let value = constant(arg).filter(|_| op.assumes.is_some())?;
        op.annihilator_at(n, value.dtype()).filter(|a| a.is_same(value))
    };
    match args.iter().enumerate().find_map(decides) {
        Some(value) => IndexExpr::Literal(value),
        None => call(op, args),
    }
}

/// Whether both are one literal.
fn is_same(a: &IndexExpr, b: &IndexExpr) -> bool {
    matches!((constant(a), constant(b)), (Some(a), Some(b)) if a.is_same(b))
}

fn constant(e: &IndexExpr) -> Option<Scalar> {
    match e {
        IndexExpr::Literal(s) => Some(*s),
        _ => None,
    }
}
