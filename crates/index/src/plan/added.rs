//! Products inside of larger expressions, to which something is added or a function applied: their loops keep the order that
//! the products alone would have.
//!
//! ```text
//! Y(i,k) = sum(j, W(i,j) * X(j,k)) + b(i)
//!     forall i {forall k Y(i,k) = b(i); forall j forall k Y(i,k) += W(i,j) * X(j,k)}
//! Y(i,k) = max(0, sum(j, W(i,j) * X(j,k)) + b(i))
//!     forall i (forall k Y(i,k) = max(0, t(k) + b(i))) where (forall j forall k t(k) += W(i,j) * X(j,k))
//! ```
//! With the reduction in a scalar, `forall i forall k (...) where (forall j ...)`, the innermost loop would step through
//! columns of `X`. Where the terms around the reduction are combined by its own operator, a dense result starts as them and
//! is added to, inside as many loops as all can share; anywhere else a row of sums is computed before it is read.

use super::Reason;
use super::concretize::{Concretizer, Nest, SumMethod, TakenReduction};
use super::order::{of_reduction, order};
use super::workspace::is_conflict;
use crate::cin::CinStmt;
use crate::expr::{Access, IndexExpr, IndexId, fill_of};
use openwork_algebra::{Operator, Prim};
use openwork_base::Result;
use openwork_format::presets;

/// The terms of a right-hand side, by what becomes of them.
struct Terms {
    op: &'static Operator,
    /// What the result starts as, if not as the identity.
    start: Option<IndexExpr>,
    /// The reduction that is added row by row.
    first: IndexExpr,
    /// The loops around the start and the first reduction: a row.
    shared: Vec<IndexId>,
    /// Terms that are the identity where nothing is stored.
    sparse: Vec<IndexExpr>,
    /// Reductions that are added after it, each by itself: what they read would compete for the caches.
    others: Vec<IndexExpr>,
}

/// A term of a sum, and whether it is subtracted.
pub(super) type Signed = (IndexExpr, bool);

impl Concretizer<'_> {
    /// The whole statement, where its right-hand side combines reductions that best accumulate in the result.
    pub(super) fn added_up(&mut self, lhs: &Access, rhs: &IndexExpr) -> Option<Result<CinStmt>> {
        let terms = self.terms(lhs, rhs)?;
        if terms.start.is_none() {
            let start = terms.op.identity_at(0, self.tensors[lhs.tensor].dtype);
            self.tensors[lhs.tensor].fill = start.expect("a reducing operator has an identity");
        }
        for depth in (0..=terms.shared.len()).rev() {
            match self.attempt(|c| c.added_inside(lhs, &terms, &terms.shared[..depth])) {
                Ok(done) => {
                    self.tell(lhs, &terms);
                    return Some(Ok(done));
                }
                Err(e) if is_conflict(&e) => {}
                Err(e) => return Some(Err(e)),
            }
        }
        None
    }

    /// The terms of a sum, where some are reductions by the same operator that best accumulate in the result.
    fn terms(&self, lhs: &Access, rhs: &IndexExpr) -> Option<Terms> {
        let IndexExpr::Call { op, .. } = rhs else { return None };
        let plus = plus_of(op);
        let result = &self.tensors[lhs.tensor];
        let combines = result.format.is_dense() && plus.reduces(result.dtype);
        let identity = plus.identity_at(0, result.dtype).filter(|_| combines)?;
        let mut all = Vec::new();
        flatten(rhs, plus, false, &mut all);
        let rows: Vec<Option<Vec<IndexId>>> =
            all.iter().map(|(e, _)| self.accumulation_loops(lhs, plus, e)).collect();
        let first = (0..all.len())
            .rev()
            .filter(|&n| rows[n].is_some())
            .max_by_key(|&n| rows[n].as_ref().map(Vec::len))?;
        let shared = rows[first].clone()?;
        let stored = |e: &IndexExpr| e.accesses().iter().any(|a| !self.tensors[a.tensor].format.is_dense());
        let (mut sparse, mut others, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (n, (term, minus)) in all.iter().enumerate().filter(|(n, _)| *n != first) {
            if rows[n].is_some() {
                others.push(self.apply_sign(term.clone(), *minus)?);
            } else if fill_of(term, &self.tensors).is_some_and(|f| f.is_same(identity)) && stored(term) {
                sparse.push(self.apply_sign(term.clone(), *minus)?);
            } else if self.computed_coordinates(term).is_empty() {
                rest.push((term.clone(), *minus));
            } else {
                return None;
            }
        }
        // What has to come in order does: the terms before it are the start.
        if plus.is_ordered() && !(first + 1 == all.len() && sparse.is_empty() && others.is_empty()) {
            return None;
        }
        let (term, minus) = all.swap_remove(first);
        let start = self.total(rest, plus)?;
        Some(Terms { op: plus, start, first: self.apply_sign(term, minus)?, shared, sparse, others })
    }

    /// The terms as one expression: `Some(None)` if there are none.
    fn total(&self, mut terms: Vec<Signed>, plus: &'static Operator) -> Option<Option<IndexExpr>> {
        // What is added comes first, so that nothing is negated.
        terms.sort_by_key(|(_, minus)| *minus);
        let mut terms = terms.into_iter();
        let Some((term, minus)) = terms.next() else { return Some(None) };
        let first = self.apply_sign(term, minus)?;
        Some(Some(terms.fold(first, |sum, (term, minus)| {
            let op = if minus { Operator::find("sub").expect("sub is an operator") } else { plus };
            IndexExpr::Call { op, args: vec![sum, term] }
        })))
    }
    /// Whether `neg` is defined for the values of a term.
    pub(super) fn negates(&self, term: &IndexExpr) -> bool {
        negative().prim.result(term.dtype(&self.tensors)).is_some()
    }
    /// A term that is subtracted, as one that is added. Of a product the first factor is negated, which often is the one
    /// that the inner loops do not change.
    pub(super) fn apply_sign(&self, term: IndexExpr, minus: bool) -> Option<IndexExpr> {
        match term {
            term if !minus => Some(term),
            term if !self.negates(&term) => None,
            IndexExpr::Reduce { op, vars, body } if op.prim == Prim::Add => {
                Some(IndexExpr::Reduce { op, vars, body: Box::new(self.apply_sign(*body, true)?) })
            }
            IndexExpr::Call { op, mut args } if op.prim == Prim::Mul && self.negates(&args[0]) => {
                args[0] = self.apply_sign(args[0].clone(), true)?;
                Some(IndexExpr::Call { op, args })
            }
            term => Some(IndexExpr::Call { op: negative(), args: vec![term] }),
        }
    }

    /// The outermost loops of a reduction that accumulates in the result that its rows are walked by; `None` for other
    /// terms.
    fn accumulation_loops(&self, lhs: &Access, op: &Operator, term: &IndexExpr) -> Option<Vec<IndexId>> {
        let IndexExpr::Reduce { op: inner, vars, body } = term else { return None };
        let reduced = [&vars[..], &self.computed_coordinates(term)].concat();
        if *inner != op {
            return None;
        }
        if !self.accumulates_in_result(lhs, op, &reduced, body) {
            return self.walks_few_rows(lhs, op, &reduced, body).then(Vec::new);
        }
        let order = self.own_order(lhs, op, &reduced, body)?;
        if order.iter().zip(&lhs.vars).all(|(v, _)| lhs.vars.contains(v)) {
            // One list of coordinates is walked by one loop.
            return Some(Vec::new());
        }
        // Below the outermost level, a merge with all coordinates would cost more than the start gains.
        let walked = self.walked_variables(body);
        let shared = |(n, v): &(usize, &IndexId)| lhs.vars.contains(v) && (*n == 0 || !walked.contains(v));
        Some(order.iter().enumerate().take_while(shared).map(|(_, v)| *v).collect())
    }

    /// Whether a reduction has terms in those rows of the result alone that a list of coordinates has: a merge with all of them
    /// would ask of each whether it is there.
    fn walks_few_rows(&self, lhs: &Access, op: &Operator, reduced: &[IndexId], body: &IndexExpr) -> bool {
        let identity = op.identity_at(0, self.tensors[lhs.tensor].dtype);
        let elsewhere = fill_of(body, &self.tensors).zip(identity).is_some_and(|(fill, id)| fill.is_same(id));
        let order = elsewhere.then(|| self.own_order(lhs, op, reduced, body)).flatten();
        let outermost = order.and_then(|order| order.first().copied());
        outermost.is_some_and(|v| lhs.vars.contains(&v) && self.walked_variables(body).contains(&v))
    }

    /// The start and what is added to a row inside the loops over `shared`, then the other reductions.
    fn added_inside(&mut self, lhs: &Access, terms: &Terms, shared: &[IndexId]) -> Result<CinStmt> {
        let mut inside = Vec::new();
        let mut after = Vec::new();
        if let Some(start) = &terms.start {
            inside.push(self.nest(one(lhs, None, start.clone(), Vec::new(), shared))?);
        }
        inside.push(self.addition(lhs, terms, &terms.first, shared)?);
        for term in &terms.sparse {
            match self.attempt(|c| c.addition(lhs, terms, term, shared)) {
                Ok(done) => inside.push(done),
                Err(e) if is_conflict(&e) && !shared.is_empty() => {
                    after.push(self.addition(lhs, terms, term, &[])?);
                }
                Err(e) => return Err(e),
            }
        }
        for term in &terms.others {
            after.push(self.addition(lhs, terms, term, &[])?);
        }
        let mut all = match shared {
            [] => inside,
            shared => vec![CinStmt::foralls(shared, sequence(inside))],
        };
        all.extend(after);
        Ok(sequence(all))
    }
    /// `lhs op= term`.
    fn addition(
        &mut self,
        lhs: &Access,
        terms: &Terms,
        term: &IndexExpr,
        bound: &[IndexId],
    ) -> Result<CinStmt> {
        let computed = self.computed_coordinates(term);
        if let IndexExpr::Reduce { op, vars, body } = term
            && *op == terms.op
        {
            let reduced = [&vars[..], &computed].concat();
            // The sum of a row is added once it is done.
            if self.accumulates_in_result(lhs, terms.op, &reduced, body) {
                return self.nest(one(lhs, Some(terms.op), (**body).clone(), reduced, bound));
            }
        }
        self.nest(one(lhs, Some(terms.op), term.clone(), computed, bound))
    }

    fn tell(&mut self, lhs: &Access, terms: &Terms) {
        let names = self.names();
        let choice = match &terms.start {
            Some(start) => format!("`{}` starts as `{}`", names.access(lhs), names.expr(start)),
            None => format!("the terms of `{}` are added up one after the other", names.access(lhs)),
        };
        let because = "so the loops of the reduction keep the order of what it reads".into();
        self.reasons.push(Reason { choice, because });
    }

    /// How many of the loops `whole` a reduction shares with its reader where it is computed row by row, the innermost
    /// loop over the row: where that is better than a scalar.
    pub(super) fn row_depth(
        &mut self,
        t: &TakenReduction,
        reader: &IndexExpr,
        whole: &[IndexId],
        open: usize,
    ) -> Option<usize> {
        let computed = t.free.iter().chain(&t.vars).any(|v| self.is_computed(*v));
        if t.vars.is_empty() || computed {
            return self.shifted_row_depth(t, whole, open);
        }
        let column = self.innermost(t, whole, open)?;
        let everywhere = |e: &IndexExpr| !self.walked_variables(e).contains(&column);
        let read = everywhere(reader) || fill_of(reader, &self.tensors).is_none();
        if !t.free.contains(&column) || !everywhere(&t.body) || !read {
            return None;
        }
        let shared = whole[open..].iter().take_while(|v| t.free.contains(v) && **v != column).count();
        (open..=open + shared).rev().find(|&depth| self.innermost(t, whole, depth) == Some(column))
    }

    /// The same of a reduction of rows that are read at another place, where a statement is computed along rows.
    fn shifted_row_depth(&self, t: &TakenReduction, whole: &[IndexId], open: usize) -> Option<usize> {
        let row = *whole.last().filter(|_| self.sums == SumMethod::AlongRows && !t.op.is_ordered())?;
        let positions = t.vars.iter().filter(|v| self.indices[**v].positional);
        let mut said = positions.filter_map(|v| t.body.position_of(*v));
        let outer = &whole[open..whole.len() - 1];
        let free = outer.iter().chain([&row]).all(|v| t.free.contains(v));
        (free && said.any(|value| value.mentions(row))).then_some(whole.len() - 1)
    }

    /// The innermost loop of a reduction inside the first `depth` loops of `whole`, where it fills a dense temporary over
    /// its other variables.
    fn innermost(&mut self, t: &TakenReduction, whole: &[IndexId], depth: usize) -> Option<IndexId> {
        let (bound, own) = whole.split_at(depth);
        let modes: Vec<IndexId> = own.iter().copied().filter(|v| t.free.contains(v)).collect();
        let mut constraints = self.operand_constraints(&t.body);
        of_reduction(t.op, &t.vars, &mut constraints);
        let vars = [&modes[..], &t.vars].concat();
        if constraints.iter().any(|(outer, inner)| bound.contains(inner) && vars.contains(outer)) {
            return None;
        }
        let scalar = std::mem::replace(&mut self.tensors[t.temp].format, presets::dense(modes.len()));
        let target = Access { tensor: t.temp, vars: modes };
        let mut accesses = t.body.accesses();
        accesses.push(&target);
        let order = order(&vars, &constraints, &accesses, &self.tensors);
        self.tensors[t.temp].format = scalar;
        order?.last().copied()
    }
}

/// `lhs op= value`, inside loops over `bound`.
fn one(
    lhs: &Access,
    op: Option<&'static Operator>,
    value: IndexExpr,
    reduced: Vec<IndexId>,
    bound: &[IndexId],
) -> Nest {
    let own = lhs.vars.iter().copied().filter(|v| !bound.contains(v));
    let vars = own.chain(reduced).collect();
    Nest { bound: bound.to_vec(), ..Nest::new(lhs.clone(), op, vars, value) }
}

fn sequence(mut all: Vec<CinStmt>) -> CinStmt {
    if all.len() == 1 { all.remove(0) } else { CinStmt::Seq(all) }
}

fn negative() -> &'static Operator {
    Operator::find("neg").expect("neg is an operator")
}

/// The operator that combines the terms of a sum or difference.
fn plus_of(op: &'static Operator) -> &'static Operator {
    match Operator::find("sub") == Some(op) {
        true => Operator::find("add").expect("add is an operator"),
        false => op,
    }
}
/// The terms of a sum or difference by `plus`.
pub(super) fn flatten(e: &IndexExpr, plus: &'static Operator, minus: bool, out: &mut Vec<Signed>) {
    match e {
        IndexExpr::Call { op, args } if plus_of(op) == plus => {
            flatten(&args[0], plus, minus, out);
            flatten(&args[1], plus, minus ^ (*op != plus), out);
        }
        e => out.push((e.clone(), minus)),
    }
}
