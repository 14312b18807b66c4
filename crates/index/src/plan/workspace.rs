//! Workspaces: where a reduction, or a whole right-hand side, is computed before it is read (workspaces paper, §3).
//!
//! ```text
//! C(i,k) = sum(j, A(i,j) * B(j,k))        forall i (forall k C(i,k) = t(k)) where (forall j forall k t(k) += A(i,j) * B(j,k))
//! C(i,j) = 2 * A(i,j), A in csc           (forall i forall j C(i,j) = t(i,j)) where (forall j forall i t(i,j) = 2 * A(i,j))
//! ```
//! A workspace is computed inside as many of the loops as possible, so that it is as small as possible. It is sparse
//! where its value is: what it holds is kept sorted for its reader, and forgotten in time proportional to what it held.

use super::Reason;
use super::concretize::{Concretizer, Nest, TakenReduction};
use crate::cin::CinStmt;
use crate::expr::{Access, Holds, IndexExpr, IndexId, TensorId, TensorKind, TensorVar, fill_of};
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::machine::threshold;
use openwork_base::{Conflict, Error, Result};
use openwork_format::{Format, Width, presets};

/// The fraction of a row's coordinates from which on a piece of an expression is kept for all of them.
const THICK: f64 = 0.15;

/// The fraction of a workspace's coordinates up to which those that values say are remembered: of a row, which stays in the
/// cache, the same as of pieces of an expression.
const FEW: f64 = 0.05;

/// A reduction that is computed before the loops that read it.
pub(super) struct ReductionWorkspace {
    /// How many of the loops around it are shared with its reader.
    pub(super) depth: usize,
    /// The variables it is stored over.
    pub(super) modes: Vec<IndexId>,
    /// What fills it.
    pub(super) producer: CinStmt,
}

impl Concretizer<'_> {
    /// Places a reduction as deep in the loops `whole` as its operands' orders allow, or no deeper than told; the first
    /// `open` of them are there already.
    pub(super) fn place(
        &mut self,
        t: TakenReduction,
        whole: &[IndexId],
        open: usize,
        told: Option<usize>,
        sparse_target: bool,
    ) -> Result<ReductionWorkspace> {
        let computed: Vec<IndexId> =
            self.computed_coordinates(&t.body).into_iter().filter(|v| !t.vars.contains(v)).collect();
        // It is computed once for every value it has: the loops around it are over its own variables.
        let shared = whole[open..].iter().take_while(|v| t.free.contains(v)).count();
        let mut deepest = if computed.is_empty() { open + shared } else { open };
        if t.vars.is_empty() {
            // Without a loop of its own it would be merged with its reader.
            let last = whole.iter().rposition(|v| t.free.contains(v));
            deepest = deepest.min(last.unwrap_or(open)).max(open);
        }
        deepest = told.unwrap_or(deepest).min(deepest);
        let mut refusal = None;
        for depth in (open..=deepest).rev() {
            match self.attempt(|c| c.place_at(&t, whole, depth, &computed, sparse_target)) {
                Ok(workspace) => return Ok(workspace),
                Err(e) if is_conflict(&e) => refusal = Some(e),
                Err(e) => return Err(e),
            }
        }
        Err(refusal.expect("at least one depth was tried"))
    }

    fn place_at(
        &mut self,
        t: &TakenReduction,
        whole: &[IndexId],
        depth: usize,
        computed: &[IndexId],
        sparse_target: bool,
    ) -> Result<ReductionWorkspace> {
        let bound = whole[..depth].to_vec();
        let own = |v: &&IndexId| !bound.contains(v) && !self.is_computed(**v);
        let mut modes: Vec<IndexId> = t.free.iter().filter(own).copied().collect();
        // Its reader walks it in the order of its own loops.
        modes.sort_by_key(|v| whole.iter().position(|w| w == v));
        let wanted = depth > 0 || sparse_target;
        let stays = wanted && self.stays_sparse(t, &modes) && !self.is_thick(t, &modes);
        let format = if stays { sparse(modes.len()) } else { None };
        let described = if format.is_some() { "sparse workspace" } else { "dense temporary" };
        self.tensors[t.temp].format = format.unwrap_or(presets::dense(modes.len()));
        let target = Access { tensor: t.temp, vars: modes.clone() };
        if !modes.is_empty() {
            self.reasons.push(Reason {
                choice: format!("`{}` is computed first, into a {described}", self.names().access(&target)),
                because: match t.vars.is_empty() {
                    true => "operands are merged a few at a time, so that the code stays small".into(),
                    false => "its loops do not nest inside the loops of the rest of the statement".into(),
                },
            });
        }
        let open = computed.iter().filter(|v| !bound.contains(v)).copied().collect();
        let vars = [modes.clone(), t.vars.clone(), open].concat();
        let mut producers = Vec::new();
        for value in self.added_apart(t) {
            let nest = Nest::new(target.clone(), Some(t.op), vars.clone(), value);
            producers.push(self.nest(Nest { bound: bound.clone(), ..nest })?);
        }
        let producer = if producers.len() == 1 { producers.remove(0) } else { CinStmt::Seq(producers) };
        Ok(ReductionWorkspace { depth, modes, producer })
    }

    /// What is added to a workspace, one after the other: the operands of a sum that is a piece of an expression, which is
    /// cheaper than to merge them.
    fn added_apart(&self, t: &TakenReduction) -> Vec<IndexExpr> {
        let mut terms = Vec::new();
        if t.vars.is_empty() && t.op.prim == Prim::Add && self.tensors[t.temp].dtype != DType::Bool {
            self.terms_of(&t.body, false, &mut terms);
        }
        let negated = |e: &IndexExpr| matches!(e, IndexExpr::Call { op, args } if op.prim == Prim::Neg && matches!(args[..], [IndexExpr::Access(_)]));
        let operand = |e: &IndexExpr| matches!(e, IndexExpr::Access(_)) || negated(e);
        if terms.len() > 1 && terms.iter().all(operand) { terms } else { vec![t.body.clone()] }
    }
    /// Whether so many coordinates of a row are filled that looking at each costs less than to remember which: a known
    /// fraction of the operands' coordinates.
    fn is_thick(&self, t: &TakenReduction, modes: &[IndexId]) -> bool {
        let filled = |a: &&Access| {
            let room = a.vars.iter().try_fold(1.0, |n, &v| Some(n * self.indices[v].size? as f64));
            Some(self.tensors[a.tensor].stored? as f64 / room.filter(|&n| n > 0.0)?)
        };
        let all: Option<Vec<f64>> = t.body.accesses().iter().map(filled).collect();
        t.vars.is_empty()
            && modes.len() == 1
            && all.is_some_and(|all| all.iter().sum::<f64>() > threshold(THICK, 0.0))
    }

    /// Whether a reduction leaves most coordinates of `modes` at the operator's identity.
    fn stays_sparse(&self, t: &TakenReduction, modes: &[IndexId]) -> bool {
        let outside = fill_of(&t.body, &self.tensors);
        let identity = t.op.identity_at(0, self.tensors[t.temp].dtype);
        let idle = matches!((outside, identity), (Some(a), Some(b)) if a.is_same(b));
        let some = |v: &IndexId| self.walked_variables(&t.body).contains(v);
        let walked = if modes.len() == 1 { modes.iter().all(some) } else { modes.iter().any(some) };
        let masked = match &t.body {
            IndexExpr::Call { op, args } if op.is_mask() => fill_of(&args[2], &self.tensors),
            _ => outside,
        };
        let idle_elsewhere = matches!((masked, identity), (Some(a), Some(b)) if a.is_same(b));
        idle && walked || idle_elsewhere && self.locates_few(t, modes)
    }
    /// Whether few coordinates of `modes` are reached, as values say those of one.
    fn locates_few(&self, t: &TakenReduction, modes: &[IndexId]) -> bool {
        let located = |v: &&IndexId| t.body.located_value(**v).is_some();
        if !modes.iter().any(|v| located(&v)) {
            return false;
        }
        let size = |v: &IndexId| self.indices[*v].size.map(|n| n as f64);
        let loops: Vec<IndexId> = modes.iter().filter(|v| !located(v)).chain(&t.vars).copied().collect();
        let every: Option<f64> = loops.iter().map(size).product();
        // What an operand stores at a position, with every coordinate of the loops that it is not in.
        let stored = |a: &Access| {
            let n = self.tensors[a.tensor].stored.filter(|_| !self.tensors[a.tensor].format.is_dense())?;
            let others: Option<f64> = loops.iter().filter(|v| !a.vars.contains(v)).map(size).product();
            let known = a.vars.iter().filter(|v| self.indices[**v].positional);
            let rows: Option<f64> = known.map(|v| Some(size(v)?.max(1.0))).product();
            Some(n as f64 * others? / rows?)
        };
        let reached = t.body.accesses().into_iter().filter_map(stored).chain(every).reduce(f64::min);
        let room: Option<f64> = modes.iter().map(size).product();
        let most = if modes.len() == 1 && t.free.len() > 1 { THICK } else { FEW };
        let few = |(reached, room): (f64, f64)| reached <= threshold(most, 1e9) * room;
        reached.zip(room).is_some_and(few)
    }
    /// The variables that some operand stores in a level without every coordinate.
    pub(super) fn walked_variables(&self, e: &IndexExpr) -> Vec<IndexId> {
        let mut out = Vec::new();
        for a in e.accesses() {
            let format = &self.tensors[a.tensor].format;
            let levels = format.levels.iter().zip(&format.modes);
            out.extend(levels.filter(|(l, _)| !l.is_dense()).map(|(_, &m)| a.vars[m]));
        }
        out
    }

    /// Computes into a workspace in the operands' order, then copies in the result's order.
    pub(super) fn through_workspace(&mut self, n: Nest) -> Result<CinStmt> {
        let because = format!(
            "the operands are walked in another order than `{}` is stored in",
            self.tensors[n.target.tensor].name
        );
        self.in_workspace(&n, &because, std::slice::from_ref(&n.value))
    }

    /// Adds the terms of a sum up in a workspace, one after the other, instead of merging their operands.
    pub(super) fn term_by_term(&mut self, n: Nest) -> Result<CinStmt> {
        let mut terms = Vec::new();
        self.terms_of(&n.value, false, &mut terms);
        self.in_workspace(&n, "its terms are added up one after the other, instead of merged", &terms)
    }

    /// The terms of a sum; those that are subtracted are negated. Of floats a sum in parentheses on the right is one term:
    /// `a + (b - c)` is not `(a + b) - c`, which may overflow.
    fn terms_of(&self, e: &IndexExpr, minus: bool, out: &mut Vec<IndexExpr>) {
        let negated = |e: &IndexExpr, minus| {
            self.apply_sign(e.clone(), minus).expect("what is subtracted can be negated")
        };
        match e {
            IndexExpr::Call { op, args }
                if op.prim == Prim::Add || (op.prim == Prim::Sub && self.negates(e)) =>
            {
                self.terms_of(&args[0], minus, out);
                let minus = minus ^ (op.prim == Prim::Sub);
                match self.is_rounded_apart(&args[1]) {
                    true => out.push(negated(&args[1], minus)),
                    false => self.terms_of(&args[1], minus, out),
                }
            }
            e => out.push(negated(e, minus)),
        }
    }

    /// Whether something is a sum of elements in floating point, which is rounded before it is added to anything. Sums over
    /// variables are added up in any order.
    fn is_rounded_apart(&self, e: &IndexExpr) -> bool {
        let sum = matches!(e, IndexExpr::Call { op, .. } if matches!(op.prim, Prim::Add | Prim::Sub));
        let mut reduces = false;
        e.visit(&mut |e| reduces |= matches!(e, IndexExpr::Reduce { .. }));
        sum && !reduces && e.dtype(&self.tensors).is_inexact()
    }

    /// A workspace inside as many loops over the result's outermost levels as possible.
    fn in_workspace(&mut self, n: &Nest, because: &str, terms: &[IndexExpr]) -> Result<CinStmt> {
        let format = self.tensors[n.target.tensor].format.clone();
        let stored: Vec<IndexId> = format.modes.iter().map(|&m| n.target.vars[m]).collect();
        let deepest =
            if self.computed_coordinates(&n.value).is_empty() { stored.len().saturating_sub(1) } else { 0 };
        let mut refusal = None;
        for depth in (0..=deepest).rev() {
            match self.attempt(|c| c.in_workspace_at(n, because, terms, &stored, depth)) {
                Ok(done) => return Ok(done),
                Err(e) if is_conflict(&e) => refusal = Some(e),
                Err(e) => return Err(e),
            }
        }
        Err(refusal.expect("at least one depth was tried"))
    }

    /// The same inside the loops over the outermost `depth` levels of the result.
    fn in_workspace_at(
        &mut self,
        n: &Nest,
        because: &str,
        terms: &[IndexExpr],
        stored: &[IndexId],
        depth: usize,
    ) -> Result<CinStmt> {
        let (bound, modes) = (stored[..depth].to_vec(), stored[depth..].to_vec());
        let dtype = self.tensors[n.target.tensor].dtype;
        let outside = fill_of(&n.value, &self.tensors);
        let name = self.fresh_name();
        let format = outside.and_then(|_| sparse(modes.len())).unwrap_or(presets::dense(modes.len()));
        let kind = if format.is_dense() { "dense" } else { "sparse" };
        // Nothing is assigned where a position is not.
        let beside = || self.value_beside_positions(&n.value);
        let fill = outside.or_else(beside).unwrap_or(Scalar::zero(dtype));
        let temp = self.tensors.push(TensorVar {
            given: name.clone(),
            name,
            dtype,
            format,
            remap: None,
            stored: None,
            windows: Vec::new(),
            holds: Holds::Values,
            elements: None,
            fill,
            kind: TensorKind::Temp,
        });
        let target = Access { tensor: temp, vars: modes.clone() };
        self.reasons.push(Reason {
            choice: format!("`{}` is computed first, into a {kind} workspace", self.names().access(&target)),
            because: because.into(),
        });
        let reader = Nest {
            value: IndexExpr::Access(target.clone()),
            vars: modes.clone(),
            bound: bound.clone(),
            ..n.clone()
        };
        let mut producers = Vec::new();
        for term in terms {
            let op = (terms.len() > 1).then(|| Operator::find("add").expect("add is an operator"));
            let term = Nest { value: term.clone(), op, ..n.clone() };
            let writer = self.writer(&term, target.clone(), modes.clone(), bound.clone());
            producers.push(self.nest(writer)?);
        }
        let producer = if producers.len() == 1 { producers.remove(0) } else { CinStmt::Seq(producers) };
        let consumer = self.nest(reader)?;
        let both = CinStmt::Where { consumer: Box::new(consumer), producer: Box::new(producer) };
        Ok(CinStmt::foralls(&bound, both))
    }
    /// The nest that fills a workspace: it takes the reductions of its value directly.
    fn writer(&self, n: &Nest, target: Access, modes: Vec<IndexId>, bound: Vec<IndexId>) -> Nest {
        let fill = self.tensors[target.tensor].fill;
        let more = |e: &IndexExpr| {
            self.computed_coordinates(e).into_iter().filter(|v| !bound.contains(v)).collect::<Vec<_>>()
        };
        match &n.value {
            IndexExpr::Reduce { op, vars, body }
                if n.op.is_none_or(|outer| outer == *op)
                    && op.identity_at(0, fill.dtype()).is_some_and(|id| id.is_same(fill)) =>
            {
                let vars = [modes, vars.clone(), more(&n.value)].concat();
                Nest { bound, ..Nest::new(target, Some(op), vars, (**body).clone()) }
            }
            value => {
                let vars = [modes, more(value)].concat();
                Nest { bound, ..Nest::new(target, n.op, vars, value.clone()) }
            }
        }
    }
}

/// The format in which the reader of a sparse workspace over `rank` modes finds it.
pub(crate) fn sparse(rank: usize) -> Option<Format> {
    (rank > 0).then(|| presets::csf(rank).with_widths(Width::I64, Width::I64))
}

/// Whether another place for the workspace may help.
pub(super) fn is_conflict(e: &Error) -> bool {
    matches!(e.conflict(), Some(Conflict::Assembly | Conflict::Order))
}

/// `e`, where a workspace is stored over `modes`.
pub(super) fn with_modes(e: IndexExpr, temp: TensorId, modes: &[IndexId]) -> IndexExpr {
    match e {
        IndexExpr::Access(a) if a.tensor == temp => {
            IndexExpr::Access(Access { tensor: temp, vars: modes.to_vec() })
        }
        e => e.map_children(&mut |c| with_modes(c, temp, modes)),
    }
}
