//! The rest of a statement in a region where some operands store nothing.
//!
//! ```text
//! y(i) = A(i) * x(i) + b(i)      without A:      y(i) = b(i)
//! ```
//! A missing access becomes its fill value; constants fold, annihilators decide, identities vanish, and statements
//! that would not change anything disappear.

use openwork_algebra::Scalar;
use openwork_base::Arena;
use openwork_index::{Access, Expr, Stmt, Tensor, TensorId, fold};

/// Rewrites `s` with every access for which `missing` holds replaced by its fill value.
pub fn remove_missing(
    s: &Stmt,
    missing: &dyn Fn(&Access) -> bool,
    tensors: &Arena<TensorId, Tensor>,
) -> Stmt {
    match s {
        Stmt::Nop => Stmt::Nop,
        Stmt::Forall { index, body } => match remove_missing(body, missing, tensors) {
            Stmt::Nop => Stmt::Nop,
            body => Stmt::Forall { index: *index, body: Box::new(body) },
        },
        Stmt::Seq(all) => list(all, missing, tensors).map_or(Stmt::Nop, Stmt::Seq),
        Stmt::Multi(all) => list(all, missing, tensors).map_or(Stmt::Nop, Stmt::Multi),
        Stmt::Where { consumer, producer } => match remove_missing(producer, missing, tensors) {
            Stmt::Nop => {
                let idle: Vec<TensorId> =
                    producer.assignments().iter().map(|(lhs, _, _)| lhs.tensor).collect();
                remove_missing(consumer, &|a| missing(a) || idle.contains(&a.tensor), tensors)
            }
            rest => match remove_missing(consumer, missing, tensors) {
                Stmt::Nop => Stmt::Nop,
                consumer => Stmt::Where { consumer: Box::new(consumer), producer: Box::new(rest) },
            },
        },
        Stmt::Assign { rhs: Expr::Map { of, .. }, .. } => {
            if missing(of) {
                Stmt::Nop
            } else {
                s.clone()
            }
        }
        Stmt::Assign { lhs, op, rhs: Expr::Stored { of, to } } => {
            match expr((**of).clone(), missing, tensors) {
                Expr::Literal(_) => Stmt::Nop,
                of => {
                    let to = Box::new(expr((**to).clone(), missing, tensors));
                    Stmt::Assign { lhs: lhs.clone(), op: *op, rhs: Expr::Stored { of: Box::new(of), to } }
                }
            }
        }
        Stmt::Assign { lhs, op, rhs } => {
            let rhs = expr(rhs.clone(), missing, tensors);
            let target = &tensors[lhs.tensor];
            let idle = match op {
                Some(op) => op.identity_at(1, target.dtype),
                None => Some(target.fill),
            };
            match rhs {
                Expr::Literal(value) if idle.is_some_and(|v| v.is_same(value)) => Stmt::Nop,
                rhs => Stmt::Assign { lhs: lhs.clone(), op: *op, rhs },
            }
        }
    }
}

fn list(
    all: &[Stmt],
    missing: &dyn Fn(&Access) -> bool,
    tensors: &Arena<TensorId, Tensor>,
) -> Option<Vec<Stmt>> {
    let rest: Vec<Stmt> =
        all.iter().map(|s| remove_missing(s, missing, tensors)).filter(|s| *s != Stmt::Nop).collect();
    (!rest.is_empty()).then_some(rest)
}

fn expr(e: Expr, missing: &dyn Fn(&Access) -> bool, tensors: &Arena<TensorId, Tensor>) -> Expr {
    if let Expr::Beside { .. } = e {
        return weaken_assumption(e, missing, tensors);
    }
    match e.map_children(&mut |c| expr(c, missing, tensors)) {
        Expr::Width(a) if missing(&a) => Expr::Literal(Scalar::I64(0)),
        Expr::Access(a) if missing(&a) => Expr::Literal(tensors[a.tensor].fill),
        Expr::Cast { to, arg } => fold::cast(to, *arg),
        Expr::Call { op, args } => fold::fold_assuming(op, args),
        e => e,
    }
}

/// A value that may not be what its operator assumes, unless every place that says so stores nothing.
fn weaken_assumption(e: Expr, missing: &dyn Fn(&Access) -> bool, tensors: &Arena<TensorId, Tensor>) -> Expr {
    let (mut value, mut there) = (e, Vec::new());
    while let Expr::Beside { value: inner, at } = value {
        value = *inner;
        there.extend(Some(at).filter(|at| !missing(at)));
    }
    if there.is_empty() {
        return expr(value, missing, tensors);
    }
    let whole = value.map_children(&mut |c| expr(c, missing, tensors));
    there.into_iter().fold(whole, |value, at| Expr::Beside { value: Box::new(value), at })
}
