//! The loops that fill a workspace, under names of their own: TACO's `precompute(e, i, iw, w)`.
//!
//! ```text
//! (forall j A(j) = w(j)) where (forall j w(j) = B(j))   =>   (forall j A(j) = w(j)) where (forall jw w(jw) = B(jw))
//! ```

use super::parse::ScheduleCall;
use super::precompute::Ask;
use crate::cin::{CinStmt, Program};
use crate::expr::{IndexExpr, IndexId, IndexVar, TensorId};
use openwork_base::Result;

/// `s` with the loops of the side that fills `temp` called as asked for.
pub(super) fn rename_loops(
    p: &mut Program,
    call: &ScheduleCall,
    ask: &Ask,
    s: CinStmt,
    temp: TensorId,
) -> Result<CinStmt> {
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
        let index = IndexVar { name: name.text.clone(), span: Default::default(), ..p.indices[old].clone() };
        fresh.push((old, p.indices.push(index)));
    }
    Ok(if fresh.is_empty() { s } else { in_producer(s, temp, &fresh) })
}
fn in_producer(s: CinStmt, temp: TensorId, fresh: &[(IndexId, IndexId)]) -> CinStmt {
    match s {
        CinStmt::Where { consumer, producer } if producer.target().is_some_and(|a| a.tensor == temp) => {
            CinStmt::Where { consumer, producer: Box::new(substitute_vars(*producer, fresh)) }
        }
        CinStmt::Nop
        | CinStmt::Assign { .. }
        | CinStmt::Forall { .. }
        | CinStmt::Where { .. }
        | CinStmt::Seq(_)
        | CinStmt::Multi(_) => s.map_children(&mut |c| in_producer(c, temp, fresh)),
    }
}
fn substitute_vars(s: CinStmt, fresh: &[(IndexId, IndexId)]) -> CinStmt {
    let other = |v: IndexId| fresh.iter().find(|(old, _)| *old == v).map_or(v, |(_, new)| *new);
    fn expr(e: IndexExpr, other: &dyn Fn(IndexId) -> IndexId) -> IndexExpr {
        e.with_vars(other).map_children(&mut |c| expr(c, other))
    }
    let renamed = match s {
        CinStmt::Forall { index, body } => CinStmt::Forall { index: other(index), body },
        CinStmt::Assign { lhs, op, rhs } => {
            CinStmt::Assign { lhs: lhs.with_vars(&other), op, rhs: expr(rhs, &other) }
        }
        s => s,
    };
    renamed.map_children(&mut |c| substitute_vars(c, fresh))
}
