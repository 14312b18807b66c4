//! The loops that fill a workspace, under names of their own: TACO's `precompute(e, i, iw, w)`.
//!
//! ```text
//! (forall j A(j) = w(j)) where (forall j w(j) = B(j))   =>   (forall j A(j) = w(j)) where (forall jw w(jw) = B(jw))
//! ```

use super::parse::Call;
use super::precompute::Ask;
use crate::cin::{Program, Stmt};
use crate::expr::{Expr, Index, IndexId, TensorId};
use openwork_base::Result;

/// `s` with the loops of the side that fills `temp` called as asked for.
pub(super) fn rename_loops(p: &mut Program, call: &Call, ask: &Ask, s: Stmt, temp: TensorId) -> Result<Stmt> {
    let mut fresh = Vec::new();
    for (&old, name) in ask.vars.iter().zip(&ask.inner) {
        if p.indices[old].name == name.text {
            continue;
        }
        let taken = p.indices.iter().any(|(_, i)| i.name == name.text)
            || p.tensors.iter().any(|(_, t)| t.name == name.text);
        if taken {
            let message = format!("`{}` is a name of the statement already", name.text);
            return Err(call.refusal(name.span, message, "give the loop a name of its own"));
        }
        let index = Index { name: name.text.clone(), span: Default::default(), ..p.indices[old].clone() };
        fresh.push((old, p.indices.push(index)));
    }
    Ok(if fresh.is_empty() { s } else { in_producer(s, temp, &fresh) })
}
fn in_producer(s: Stmt, temp: TensorId, fresh: &[(IndexId, IndexId)]) -> Stmt {
    match s {
        Stmt::Where { consumer, producer } if producer.target().is_some_and(|a| a.tensor == temp) => {
            Stmt::Where { consumer, producer: Box::new(substitute_vars(*producer, fresh)) }
        }
        Stmt::Nop
        | Stmt::Assign { .. }
        | Stmt::Forall { .. }
        | Stmt::Where { .. }
        | Stmt::Seq(_)
        | Stmt::Multi(_) => s.map_children(&mut |c| in_producer(c, temp, fresh)),
    }
}
fn substitute_vars(s: Stmt, fresh: &[(IndexId, IndexId)]) -> Stmt {
    let other = |v: IndexId| fresh.iter().find(|(old, _)| *old == v).map_or(v, |(_, new)| *new);
    fn expr(e: Expr, other: &dyn Fn(IndexId) -> IndexId) -> Expr {
        e.with_vars(other).map_children(&mut |c| expr(c, other))
    }
    let renamed = match s {
        Stmt::Forall { index, body } => Stmt::Forall { index: other(index), body },
        Stmt::Assign { lhs, op, rhs } => {
            Stmt::Assign { lhs: lhs.with_vars(&other), op, rhs: expr(rhs, &other) }
        }
        s => s,
    };
    renamed.map_children(&mut |c| substitute_vars(c, fresh))
}
