//! The transformations that make queries cheap (formats thesis, table 6.2), applied until none fits.
//!
//! ```text
//! reduction-to-assign    W(i,j) |= map(B(i,j), 1)  over i, j           W(i,j) = map(B(i,j), 1)
//! inline-temporary       Q(i) += map(W(i,j), 1) where W(i,j) = ..      Q(i) += map(B(i,j), 1)
//! simplify-width-count   forall i forall j Q(i) += map(B(i,j), 1)      forall i Q(i) += width(B(i,:))
//! counter-to-histogram   Q(b) max= map(B(i,j), n + 1), n = #i          Q(b) max= W(i) where W(i) += map(B(i,j), 1)
//! ```
//! A coordinate such as `b` = i/8 follows from those that are counted by; with any other coordinate the largest value of a
//! counter is no histogram, as the counter goes on counting from one `b` to the next.

use super::canonical::temporary;
use crate::cin::CinStmt;
use crate::expr::{Access, IndexExpr, IndexId, IndexVar, TensorId, TensorKind, TensorVar, follows};
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::Arena;

/// A transformation of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rewrite {
    ReductionToAssign,
    InlineTemporary,
    SimplifyWidthCount,
    CounterToHistogram,
}

/// Rewrites a query's statement until no transformation applies; also says which ones did.
pub fn optimize(
    mut s: CinStmt,
    tensors: &mut Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
) -> (CinStmt, Vec<Rewrite>) {
    let mut applied = Vec::new();
    loop {
        let mut once = |rewrite, changed: Option<CinStmt>| changed.inspect(|_| applied.push(rewrite));
        let next = once(
            Rewrite::ReductionToAssign,
            rewrite_first(&s, &mut |s| reduction_to_assign(s, tensors, indices)),
        )
        .or_else(|| once(Rewrite::InlineTemporary, rewrite_first(&s, &mut inline_temporary)))
        .or_else(|| {
            let found = rewrite_first(&s, &mut |s| counter_to_histogram(s, tensors, indices));
            once(Rewrite::CounterToHistogram, found)
        })
        .or_else(|| {
            once(Rewrite::SimplifyWidthCount, rewrite_first(&s, &mut |s| simplify_width_count(s, tensors)))
        });
        match next {
            Some(changed) => s = changed,
            None => return (s, applied),
        }
    }
}

/// `s` with `f` applied at the first place, parents first, where it changes something.
fn rewrite_first(s: &CinStmt, f: &mut dyn FnMut(&CinStmt) -> Option<CinStmt>) -> Option<CinStmt> {
    if let Some(changed) = f(s) {
        return Some(changed);
    }
    match s {
        CinStmt::Where { consumer, producer } => {
            if let Some(c) = rewrite_first(consumer, f) {
                return Some(CinStmt::Where { consumer: Box::new(c), producer: producer.clone() });
            }
            let p = rewrite_first(producer, f)?;
            Some(CinStmt::Where { consumer: consumer.clone(), producer: Box::new(p) })
        }
        CinStmt::Forall { .. }
        | CinStmt::Assign { .. }
        | CinStmt::Seq(_)
        | CinStmt::Multi(_)
        | CinStmt::Nop => None,
    }
}

/// The loops of a nest and the assignment inside it.
fn nest(s: &CinStmt) -> Option<(Vec<IndexId>, &Access, Option<&'static Operator>, &IndexExpr)> {
    match s {
        CinStmt::Forall { index, body } => {
            let (mut vars, lhs, op, rhs) = nest(body)?;
            vars.insert(0, *index);
            Some((vars, lhs, op, rhs))
        }
        CinStmt::Assign { lhs, op, rhs } => Some((Vec::new(), lhs, *op, rhs)),
        CinStmt::Where { .. } | CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Nop => None,
    }
}

/// A reduction whose every loop has a coordinate of its own on the left, or follows from those, runs once per element.
fn reduction_to_assign(
    s: &CinStmt,
    tensors: &Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
) -> Option<CinStmt> {
    let (vars, lhs, op, rhs) = nest(s)?;
    op?;
    let once =
        !vars.is_empty() && vars.iter().all(|v| lhs.vars.contains(v) || follows(*v, &lhs.vars, indices));
    let blank = tensors[lhs.tensor].fill.is_same(Scalar::zero(tensors[lhs.tensor].dtype));
    (once && blank)
        .then(|| CinStmt::foralls(&vars, CinStmt::Assign { lhs: lhs.clone(), op: None, rhs: rhs.clone() }))
}

/// A temporary that is assigned, not reduced into, and read element by element need not exist.
fn inline_temporary(s: &CinStmt) -> Option<CinStmt> {
    let CinStmt::Where { consumer, producer } = s else { return None };
    let (produced, w, None, value) = nest(producer)? else { return None };
    let (read, lhs, op, rhs) = nest(consumer)?;
    let same = read.len() == w.vars.len() && read.iter().all(|v| w.vars.contains(v));
    let rhs = match (rhs, value) {
        (IndexExpr::Map { of, to }, IndexExpr::Map { of: inner, .. }) if of == w && same => {
            IndexExpr::Map { of: inner.clone(), to: to.clone() }
        }
        (IndexExpr::Access(a), value) if a == w && same => value.clone(),
        _ => return None,
    };
    Some(CinStmt::foralls(&produced, CinStmt::Assign { lhs: lhs.clone(), op, rhs }))
}

/// Counting the children of a compressed last level is a difference of positions; every stored child is an element.
fn simplify_width_count(s: &CinStmt, tensors: &Arena<TensorId, TensorVar>) -> Option<CinStmt> {
    let (mut vars, lhs, op, rhs) = nest(s)?;
    let IndexExpr::Map { of, to } = rhs else { return None };
    let t = &tensors[of.tensor];
    let last = *t.format.levels.last()?;
    let inner = of.vars[*t.format.modes.last()?];
    let one = matches!(**to, IndexExpr::Literal(Scalar::I64(1) | Scalar::U32(1)));
    let listed = last.heads_list();
    let reduced = vars.last() == Some(&inner) && !lhs.vars.contains(&inner);
    let sums = op.is_some_and(|op| op.name == "add");
    let above_unique = t.format.levels.iter().all(|l| l.unique());
    if t.kind != TensorKind::Operand || !one || !listed || !reduced || !sums || !above_unique {
        return None;
    }
    vars.pop();
    let width = match tensors[lhs.tensor].dtype {
        DType::I64 => IndexExpr::Width(of.clone()),
        dtype => IndexExpr::Cast { to: dtype, arg: Box::new(IndexExpr::Width(of.clone())) },
    };
    Some(CinStmt::foralls(&vars, CinStmt::Assign { lhs: lhs.clone(), op, rhs: width }))
}
/// The largest value of a counter is one less than the largest number of elements that it counts.
fn counter_to_histogram(
    s: &CinStmt,
    tensors: &mut Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
) -> Option<CinStmt> {
    let (vars, lhs, op, rhs) = nest(s)?;
    let IndexExpr::Map { of, to } = rhs else { return None };
    let IndexExpr::Call { op: plus, args } = &**to else { return None };
    let [IndexExpr::Index(n), IndexExpr::Literal(Scalar::I64(1))] = args[..] else { return None };
    let counter = indices[n].derived.as_ref().filter(|d| d.counts())?;
    if plus.name != "add" || op.is_none_or(|op| op.name != "max") {
        return None;
    }
    let openwork_format::remap::Term::Counter(modes) = counter.remap.coords[counter.coord].inline_locals()
    else {
        return None;
    };
    let counted: Vec<IndexId> = modes.into_iter().map(|m| counter.mode(m)).collect();
    let implied: Vec<IndexId> = lhs.vars.iter().copied().filter(|v| !counted.contains(v)).collect();
    if !implied.iter().all(|v| follows(*v, &counted, indices)) {
        return None;
    }
    let add = Operator::find("add")?;
    let (_, w) = temporary(tensors, indices, "W", DType::I64, &counted, Scalar::I64(0));
    let one = IndexExpr::Map { of: of.clone(), to: Box::new(IndexExpr::Literal(Scalar::I64(1))) };
    let walked = |v: &IndexId| of.vars.contains(v) || !implied.contains(v);
    let loops: Vec<IndexId> = vars.into_iter().filter(|v| *v != n && walked(v)).collect();
    let producer = CinStmt::foralls(&loops, CinStmt::Assign { lhs: w.clone(), op: Some(add), rhs: one });
    let largest = CinStmt::Assign { lhs: lhs.clone(), op, rhs: IndexExpr::Access(w) };
    let consumer = Box::new(CinStmt::foralls(&[counted, implied].concat(), largest));
    Some(CinStmt::Where { consumer, producer: Box::new(producer) })
}
