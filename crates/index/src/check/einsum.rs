//! The Einstein summation rule.
//!
//! A variable that appears only on the right is summed over the smallest additive term that holds all its
//! appearances; when it appears in several terms of one sum, each term is summed by itself.
//!
//! ```text
//! a(i) = b(i) + A(i,j)*x(j)      a(i) = b(i) + sum(j, A(i,j)*x(j))
//! a(i) = A(i,j) + B(i,j)         a(i) = sum(j, A(i,j)) + sum(j, B(i,j))
//! a(i) = 2 * (b(i) + A(i,j))     a(i) = 2 * (b(i) + sum(j, A(i,j)))
//! ```

use crate::expr::{Expr, IndexId};
use openwork_algebra::{Operator, Prim};

/// Makes the sums over the free variables of `e` that are not in `lhs` explicit.
pub(crate) fn sum_implicit(e: Expr, lhs: &[IndexId]) -> Expr {
    let missing: Vec<IndexId> = e.free_vars().into_iter().filter(|v| !lhs.contains(v)).collect();
    missing.into_iter().fold(e, sum_over)
}

fn is_additive(e: &Expr) -> bool {
    matches!(e, Expr::Call { op, .. } if matches!(op.prim, Prim::Add | Prim::Sub))
}

/// Whether a sum of several terms lies between `e` and the appearances of `v` in it.
fn has_term_of(e: &Expr, v: IndexId) -> bool {
    match e {
        Expr::Call { op, args } if matches!(op.prim, Prim::Add | Prim::Sub) => {
            args.iter().any(|a| a.mentions(v))
        }
        _ => match only_child_with(e, v) {
            Some(child) => has_term_of(child, v),
            None => false,
        },
    }
}

/// The single direct subexpression that mentions `v`, if there is just one.
fn only_child_with(e: &Expr, v: IndexId) -> Option<&Expr> {
    let mut with = e.children().into_iter().filter(|c| c.mentions(v));
    let first = with.next()?;
    with.next().is_none().then_some(first)
}

fn sum_over(e: Expr, v: IndexId) -> Expr {
    if !e.mentions(v) {
        return e;
    }
    let descend = is_additive(&e) || only_child_with(&e, v).is_some_and(|c| has_term_of(c, v));
    if descend {
        return e.map_children(&mut |c| sum_over(c, v));
    }
    match e {
        Expr::Reduce { op, mut vars, body } if op.prim == Prim::Add => {
            vars.push(v);
            Expr::Reduce { op, vars, body }
        }
        e => {
            let op = Operator::named("add").expect("add is an operator");
            Expr::Reduce { op, vars: vec![v], body: Box::new(e) }
        }
    }
}
