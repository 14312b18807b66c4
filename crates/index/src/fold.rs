//! Constant folding: the rest of an expression once its constants are known.
//!
//! ```text
//! A(i) + x(i) * 0        A(i)
//! max(2, 3) * B(i)       3 * B(i)
//! sum(j, 0)              0
//! ```
//! Constants fold, annihilators decide, identities vanish. Operands that are gone still fix the sizes of their variables
//! ([`Assignment::reads`](crate::Assignment)).

use crate::expr::Expr;
use openwork_algebra::{Operator, Prim, Scalar};

/// The expression with everything folded that can be.
pub fn fold(e: Expr) -> Expr {
    match e.map_children(&mut fold) {
        Expr::Cast { to, arg } => cast(to, *arg),
        Expr::Call { op, args } => call(op, args),
        Expr::Reduce { op, vars, body } => match *body {
            // However often nothing is added, nothing is left.
            Expr::Literal(s) if op.identity_at(0, s.dtype()).is_some_and(|id| id.is_same(s)) => {
                Expr::Literal(s)
            }
            body => Expr::Reduce { op, vars, body: Box::new(body) },
        },
        e => e,
    }
}

/// A conversion of a folded argument.
pub fn cast(to: openwork_algebra::DType, arg: Expr) -> Expr {
    match arg {
        Expr::Literal(s) => Expr::Literal(s.cast(to)),
        arg => Expr::Cast { to, arg: Box::new(arg) },
    }
}

/// An operator on folded arguments.
pub fn call(op: &'static Operator, mut args: Vec<Expr>) -> Expr {
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
        return Expr::Literal(value);
    }
    for n in 0..args.len() {
        let Some(dtype) = dtype(n) else { continue };
        if args.len() == 2 && is(n, op.strict_identity_at(n, dtype)) {
            return args.swap_remove(1 - n);
        }
    }
    Expr::Call { op, args }
}

/// The same where what operators assume holds: a constant that decides does so, whatever stands beside it.
pub fn fold_assuming(op: &'static Operator, args: Vec<Expr>) -> Expr {
    let decides = |(n, arg): (usize, &Expr)| {
        let value = constant(arg).filter(|_| op.assumes.is_some())?;
        op.annihilator_at(n, value.dtype()).filter(|a| a.is_same(value))
    };
    match args.iter().enumerate().find_map(decides) {
        Some(value) => Expr::Literal(value),
        None => call(op, args),
    }
}

/// Whether both are one literal.
fn is_same(a: &Expr, b: &Expr) -> bool {
    matches!((constant(a), constant(b)), (Some(a), Some(b)) if a.is_same(b))
}

fn constant(e: &Expr) -> Option<Scalar> {
    match e {
        Expr::Literal(s) => Some(*s),
        _ => None,
    }
}
