//! The rest of a statement in a region where some operands store nothing.
//!
//! ```text
//! y(i) = A(i) * x(i) + b(i)      without A:      y(i) = b(i)
//! ```
//! A missing access becomes its fill value; constants fold, annihilators decide, identities vanish, and statements
//! that would not change anything disappear.

use openwork_algebra::Scalar;
use openwork_base::Arena;
use openwork_index::{Access, CinStmt, IndexExpr, TensorId, TensorVar, fold};

/// Rewrites `s` with every access for which `missing` holds replaced by its fill value.
pub fn remove_missing(
    s: &CinStmt,
    missing: &dyn Fn(&Access) -> bool,
    tensors: &Arena<TensorId, TensorVar>,
) -> CinStmt {
    match s {
        CinStmt::Nop => CinStmt::Nop,
        CinStmt::Forall { index, body } => match remove_missing(body, missing, tensors) {
            CinStmt::Nop => CinStmt::Nop,
            body => CinStmt::Forall { index: *index, body: Box::new(body) },
        },
        CinStmt::Seq(all) => list(all, missing, tensors).map_or(CinStmt::Nop, CinStmt::Seq),
        CinStmt::Multi(all) => list(all, missing, tensors).map_or(CinStmt::Nop, CinStmt::Multi),
        CinStmt::Where { consumer, producer } => match remove_missing(producer, missing, tensors) {
            CinStmt::Nop => {
                let idle: Vec<TensorId> =
                    producer.assignments().iter().map(|(lhs, _, _)| lhs.tensor).collect();
                remove_missing(consumer, &|a| missing(a) || idle.contains(&a.tensor), tensors)
            }
            rest => match remove_missing(consumer, missing, tensors) {
                CinStmt::Nop => CinStmt::Nop,
                consumer => CinStmt::Where { consumer: Box::new(consumer), producer: Box::new(rest) },
            },
        },
        CinStmt::Assign { rhs: IndexExpr::Map { of, .. }, .. } => {
            if missing(of) {
                CinStmt::Nop
            } else {
                s.clone()
            }
        }
        CinStmt::Assign { lhs, op, rhs: IndexExpr::Stored { of, to } } => {
            match expr((**of).clone(), missing, tensors) {
                IndexExpr::Literal(_) => CinStmt::Nop,
                of => {
                    let to = Box::new(expr((**to).clone(), missing, tensors));
                    CinStmt::Assign {
                        lhs: lhs.clone(),
                        op: *op,
                        rhs: IndexExpr::Stored { of: Box::new(of), to },
                    }
                }
            }
        }
        CinStmt::Assign { lhs, op, rhs } => {
            let rhs = expr(rhs.clone(), missing, tensors);
            let target = &tensors[lhs.tensor];
            let idle = match op {
                Some(op) => op.identity_at(1, target.dtype),
                None => Some(target.fill),
            };
            match rhs {
                IndexExpr::Literal(value) if idle.is_some_and(|v| v.is_same(value)) => CinStmt::Nop,
                rhs => CinStmt::Assign { lhs: lhs.clone(), op: *op, rhs },
            }
        }
    }
}

fn list(
    all: &[CinStmt],
    missing: &dyn Fn(&Access) -> bool,
    tensors: &Arena<TensorId, TensorVar>,
) -> Option<Vec<CinStmt>> {
    let rest: Vec<CinStmt> =
        all.iter().map(|s| remove_missing(s, missing, tensors)).filter(|s| *s != CinStmt::Nop).collect();
    (!rest.is_empty()).then_some(rest)
}

fn expr(e: IndexExpr, missing: &dyn Fn(&Access) -> bool, tensors: &Arena<TensorId, TensorVar>) -> IndexExpr {
    if let IndexExpr::Beside { .. } = e {
        return weaken_assumption(e, missing, tensors);
    }
    match e.map_children(&mut |c| expr(c, missing, tensors)) {
        IndexExpr::Width(a) if missing(&a) => IndexExpr::Literal(Scalar::I64(0)),
        IndexExpr::Predicate { set, .. } if missing(&set) => IndexExpr::Literal(Scalar::Bool(false)),
        IndexExpr::Access(a) if missing(&a) => IndexExpr::Literal(tensors[a.tensor].fill),
        IndexExpr::Cast { to, arg } => fold::cast(to, *arg),
        IndexExpr::Call { op, args } => fold::fold_assuming(op, args),
        e => e,
    }
}

/// A value that may not be what its operator assumes, unless every place that says so stores nothing.
fn weaken_assumption(
    e: IndexExpr,
    missing: &dyn Fn(&Access) -> bool,
    tensors: &Arena<TensorId, TensorVar>,
) -> IndexExpr {
    let (mut value, mut there) = (e, Vec::new());
    while let IndexExpr::Beside { value: inner, at } = value {
        value = *inner;
        there.extend(Some(at).filter(|at| !missing(at)));
    }
    if there.is_empty() {
        return expr(value, missing, tensors);
    }
    let whole = match value {
        IndexExpr::Call { .. } => value.map_children(&mut |c| expr(c, missing, tensors)),
        // What is left of it assumes nothing.
        rest => expr(rest, missing, tensors),
    };
    there.into_iter().fold(whole, |value, at| IndexExpr::Beside { value: Box::new(value), at })
}
