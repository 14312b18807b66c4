//! The loops and temporaries of a statement: how typed index notation becomes CIN.
//!
//! ```text
//! y(i) = sum(j, A(i,j) * x(j))        forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
//! C(i,k) = sum(j, A(i,j) * B(j,k))    forall i forall j forall k C(i,k) += A(i,j) * B(j,k)
//! a(i) = b(i) / sum(j, c(j))          (forall i a(i) = b(i) / t) where (forall j t += c(j))
//! ```
//! A reduction accumulates in a scalar where its loops are innermost, else directly in the result; a reduction whose
//! storage order contradicts the surrounding loops is computed first, into a dense temporary.

use super::Reason;
use super::order::{of_reduction, of_result, order};
use super::positions::{is_scalar, says_position};
use super::scopes::separate;
use super::workspace::{ReductionWorkspace, with_modes};
use crate::check::Assignment;
use crate::cin::{AssemblyMode, CinNames, CinStmt, Directives, Program};
use crate::expr::{Access, Holds, IndexExpr, IndexId, IndexVar, TensorId, TensorKind, TensorVar};
use openwork_algebra::{DType, Operator};
use openwork_base::{Arena, Conflict, Diagnostic, Error, Result, Source};
use openwork_format::{Level, presets};

/// The ways to compute a sum of several terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumMethod {
    /// The operands of all terms are merged in one loop.
    Merged,
    /// The operands are merged as well, and nothing is computed before the rest that could stay where it is written.
    AsWritten,
    /// The terms are added up in a workspace.
    TermByTerm,
    /// Rows of a dense result are added up one reduction after the other, each along the whole row.
    AlongRows,
}

/// Builds the program of a statement.
pub(crate) fn concretize(a: Assignment, sums: SumMethod, reasons: &mut Vec<Reason>) -> Result<Program> {
    let mut indices = a.indices;
    let mut reads = a.reads;
    let rhs = merge_reductions(separate(a.rhs, &a.lhs.vars, &mut indices, &mut reads));
    let mut c = Concretizer { tensors: a.tensors, indices, source: a.source, sums, names: 0, reasons };
    c.refuse_sparse_diagonals(&a.lhs, &rhs)?;
    let mut winners = Vec::new();
    let rhs = c.winners_before(&a.lhs, rhs, &mut winners)?;
    let body = match sums {
        SumMethod::Merged | SumMethod::AlongRows => c.statement(&a.lhs, rhs)?,
        SumMethod::AsWritten => c.concretize_assignment(&a.lhs, rhs)?,
        SumMethod::TermByTerm => {
            let vars = [&a.lhs.vars[..], &c.computed_beside(&a.lhs, &rhs)].concat();
            c.term_by_term(Nest::new(a.lhs, None, vars, rhs))?
        }
    };
    let body = CinStmt::compute_first(winners.into_iter().map(|w| w.producer).collect(), body);
    let assembly = AssemblyMode::default();
    Ok(Program {
        tensors: c.tensors,
        indices: c.indices,
        body,
        assembly,
        begins: None,
        directives: Directives::default(),
        reads,
        source: c.source,
    })
}

/// `sum(i, sum(j, e))` becomes `sum(i, j, e)`; no variable is bound twice.
fn merge_reductions(e: IndexExpr) -> IndexExpr {
    match e.map_children(&mut merge_reductions) {
        IndexExpr::Reduce { op, mut vars, body } => match *body {
            IndexExpr::Reduce { op: inner, vars: more, body } if inner == op && !more.is_empty() => {
                vars.extend(more);
                IndexExpr::Reduce { op, vars, body }
            }
            body => IndexExpr::Reduce { op, vars, body: Box::new(body) },
        },
        e => e,
    }
}

pub(super) struct Concretizer<'r> {
    pub(super) tensors: Arena<TensorId, TensorVar>,
    pub(super) indices: Arena<IndexId, IndexVar>,
    source: Source,
    pub(super) sums: SumMethod,
    /// How many names of temporaries are taken, or are those of something else.
    names: usize,
    pub(super) reasons: &'r mut Vec<Reason>,
}

/// One nest to build: `target op= value`, looping over `vars` inside loops over `bound`.
#[derive(Clone)]
pub(super) struct Nest {
    pub(super) target: Access,
    pub(super) op: Option<&'static Operator>,
    pub(super) vars: Vec<IndexId>,
    pub(super) value: IndexExpr,
    pub(super) bound: Vec<IndexId>,
    /// Reductions over the same loops, which come before it in each round.
    pub(super) more: Vec<TakenReduction>,
}

/// A reduction taken out of an expression: `temp` stands for it there.
#[derive(Clone)]
pub(super) struct TakenReduction {
    pub(super) op: &'static Operator,
    pub(super) vars: Vec<IndexId>,
    pub(super) body: IndexExpr,
    pub(super) temp: TensorId,
    pub(super) free: Vec<IndexId>,
}

impl Nest {
    /// A nest that is inside of no loop.
    pub(super) fn new(
        target: Access,
        op: Option<&'static Operator>,
        vars: Vec<IndexId>,
        value: IndexExpr,
    ) -> Nest {
        Nest { target, op, vars, value, bound: Vec::new(), more: Vec::new() }
    }
}

impl TakenReduction {
    /// Whether another reduction goes over the same coordinates, and what leads to them is itself computed there: one nest
    /// for both computes it once. Levels alone are cheap to walk twice, in loops that vectors take.
    fn goes_with(&self, other: &TakenReduction) -> bool {
        let (IndexExpr::Stored { of: led, .. }, IndexExpr::Stored { of, .. }) = (&self.body, &other.body)
        else {
            return false;
        };
        let mut computed = false;
        led.visit(&mut |e| computed |= matches!(e, IndexExpr::Reduce { .. }));
        computed && self.vars == other.vars && led == of
    }
}

impl Concretizer<'_> {
    pub(super) fn names(&self) -> CinNames<'_> {
        CinNames { tensors: &self.tensors, indices: &self.indices }
    }
    fn refuse_sparse_diagonals(&self, lhs: &Access, rhs: &IndexExpr) -> Result<()> {
        for a in rhs.accesses().into_iter().chain([lhs]) {
            let format = &self.tensors[a.tensor].format;
            let repeated = |k: usize| {
                let var = |level: usize| a.vars[format.modes[level]];
                !format.levels[k].is_dense() && (0..k).any(|m| var(m) == var(k))
            };
            if (0..format.rank()).any(repeated) {
                let message = format!(
                    "the diagonal access {} needs a search in a sparse level",
                    self.names().access(a)
                );
                let d = Diagnostic::from_conflict(
                    Conflict::Diagonal,
                    format!("{message}, which is not supported yet"),
                );
                let all = self.source.part;
                return Err(Error::refusal(
                    d.point_at(&self.source, all, "").help("store that operand dense"),
                ));
            }
        }
        Ok(())
    }

    /// A statement without vectors to compute first: decides whether its outermost reduction accumulates in the result.
    pub(super) fn concretize_assignment(&mut self, lhs: &Access, rhs: IndexExpr) -> Result<CinStmt> {
        let rhs = self.reduce_positions_of_runs(lhs, rhs);
        if let IndexExpr::Reduce { op, vars, body } = &rhs
            && self.accumulates_in_result(
                lhs,
                op,
                &[&vars[..], &self.computed_beside(lhs, &rhs)].concat(),
                body,
            )
        {
            let start = op.identity_at(0, self.tensors[lhs.tensor].dtype);
            self.tensors[lhs.tensor].fill = start.expect("a reducing operator has an identity");
            let all = [&lhs.vars[..], vars, &self.computed_beside(lhs, &rhs)].concat();
            let value = (**body).clone();
            return self.nest(Nest::new(lhs.clone(), Some(op), all, value));
        }
        if let Some(sequence) = self.added_up(lhs, &rhs) {
            return sequence;
        }
        let vars = [&lhs.vars[..], &self.computed_beside(lhs, &rhs)].concat();
        let nest = Nest::new(lhs.clone(), None, vars, rhs);
        match self.attempt(|c| c.nest(nest.clone())) {
            Err(e)
                if e.conflict() == Some(Conflict::Assembly)
                    && !self.tensors[lhs.tensor].format.is_dense() =>
            {
                self.through_workspace(nest)
            }
            done => done,
        }
    }
    /// Plans something; a refusal leaves no trace but the format of a workspace that is about to get another one.
    pub(super) fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (tensors, names, reasons) = (self.tensors.len(), self.names, self.reasons.len());
        let outcome = f(self);
        if outcome.is_err() {
            self.tensors.truncate(tensors);
            self.names = names;
            self.reasons.truncate(reasons);
        }
        outcome
    }

    /// The computed coordinates that occur free: loops run over them, though no result has them.
    pub(super) fn computed_coordinates(&self, e: &IndexExpr) -> Vec<IndexId> {
        e.free_vars().into_iter().filter(|v| self.is_computed(*v)).collect()
    }
    /// Those that the result does not have.
    pub(super) fn computed_beside(&self, lhs: &Access, e: &IndexExpr) -> Vec<IndexId> {
        self.computed_coordinates(e).into_iter().filter(|v| !lhs.vars.contains(v)).collect()
    }
    /// Whether a variable has one value at most where others have theirs.
    pub(super) fn is_computed(&self, v: IndexId) -> bool {
        self.indices[v].derived.is_some() || self.indices[v].positional
    }

    /// Whether `lhs op= body` in one nest beats a scalar temporary: when the best loop order does not have the
    /// reduction innermost, or when one coordinate list drives all loops and can be walked by a single one.
    pub(super) fn accumulates_in_result(
        &self,
        lhs: &Access,
        op: &Operator,
        reduced: &[IndexId],
        body: &IndexExpr,
    ) -> bool {
        let result = &self.tensors[lhs.tensor];
        let identity = op.identity_at(0, result.dtype);
        if !result.format.is_full() && identity.is_none_or(|id| !id.is_same(result.fill)) {
            return false;
        }
        match self.own_order(lhs, op, reduced, body) {
            None => false,
            Some(order) => {
                // Nothing is reduced over a position where it is outside.
                let mut outer = order.iter().filter(|v| !self.indices[**v].positional).take(lhs.vars.len());
                let reduced_last = outer.all(|v| lhs.vars.contains(v));
                !reduced_last || self.one_coordinate_list_drives(&order, lhs, body)
            }
        }
    }

    /// The best order of the loops of `lhs op= body`.
    pub(super) fn own_order(
        &self,
        lhs: &Access,
        op: &Operator,
        reduced: &[IndexId],
        body: &IndexExpr,
    ) -> Option<Vec<IndexId>> {
        let vars = [&lhs.vars[..], reduced].concat();
        let mut accesses = body.accesses();
        accesses.push(lhs);
        let mut constraints = self.operand_constraints(body);
        let reduced = self.without_positions(reduced);
        of_result(lhs, &self.tensors, &reduced, &mut constraints);
        of_reduction(op, &reduced, &mut constraints);
        self.constrain_rows(lhs, &reduced, &mut constraints);
        order(&vars, &constraints, &accesses, &self.tensors)
    }

    /// Whether the only sparse operand is a coordinate list over exactly `order` and the result can be inserted into.
    fn one_coordinate_list_drives(&self, order: &[IndexId], lhs: &Access, body: &IndexExpr) -> bool {
        let sparse: Vec<&Access> =
            body.accesses().into_iter().filter(|a| !self.tensors[a.tensor].format.is_full()).collect();
        let [one] = sparse[..] else { return false };
        let format = &self.tensors[one.tensor].format;
        let tail = |l: &Level| l.branchless() && !l.is_dense();
        self.tensors[lhs.tensor].format.is_dense()
            && order.len() > 1
            && format.rank() == order.len()
            && !format.levels[0].unique()
            && format.levels[1..].iter().all(tail)
            && (0..order.len()).all(|k| one.vars[format.modes[k]] == order[k])
    }

    /// Builds one nest, its inner reductions in scalar temporaries where the loop order allows.
    pub(super) fn nest(&mut self, n: Nest) -> Result<CinStmt> {
        if self.comes_too_late(&n) {
            return Err(self.conflict(&n));
        }
        let mut taken = Vec::new();
        let more: Vec<IndexExpr> =
            n.more.iter().map(|t| self.take_reductions(t.body.clone(), &mut taken)).collect();
        let value = self.take_positions(n.value.clone(), &n, &mut taken);
        let value = self.take_reductions(value, &mut taken);
        let mut values = [more, vec![value.clone()]].concat();
        let mut hoisted = Vec::new();
        let order = loop {
            match self.order_of(&n, &value, &taken) {
                Some(order) => break order,
                // A position is known inside of the loops over what says it.
                None => match taken.pop().filter(|t| !says_position(&value, t.temp)) {
                    Some(t) => hoisted.push(t),
                    None => return Err(self.conflict(&n)),
                },
            }
        };
        // A reduction that does not vary with every loop around its place is computed once, beforehand.
        let whole: Vec<IndexId> = n.bound.iter().chain(&order).copied().collect();
        let depth_of =
            |t: &TakenReduction| whole.iter().rposition(|v| t.free.contains(v)).map_or(0, |d| d + 1);
        let (inline, more): (Vec<TakenReduction>, Vec<TakenReduction>) = taken.into_iter().partition(|t| {
            if t.vars.is_empty() {
                // A piece of an expression is there to be merged by itself; a position is known before its loop.
                return says_position(&value, t.temp);
            }
            let depth = depth_of(t).max(n.bound.len());
            whole[n.bound.len()..depth].iter().all(|v| t.free.contains(v))
        });
        hoisted.extend(more);
        let mut hoisted: Vec<(TakenReduction, Option<usize>)> =
            hoisted.into_iter().map(|t| (t, None)).collect();
        let mut scalars = Vec::new();
        for t in inline {
            match self.row_depth(&t, &value, &whole, n.bound.len()) {
                Some(depth) => hoisted.push((t, Some(depth))),
                None => scalars.push(t),
            }
        }
        let sparse_target = !self.tensors[n.target.tensor].format.is_dense();
        let mut placed = Vec::new();
        for (t, depth) in hoisted {
            let temp = t.temp;
            let workspace = self.place(t, &whole, n.bound.len(), depth, sparse_target)?;
            values = values.into_iter().map(|v| with_modes(v, temp, &workspace.modes)).collect();
            placed.push(workspace);
        }

        let scalar = |t: &TakenReduction| (Access { tensor: t.temp, vars: Vec::new() }, Some(t.op));
        let targets = n.more.iter().map(scalar).chain([(n.target.clone(), n.op)]);
        let assign = |((lhs, op), rhs)| CinStmt::Assign { lhs, op, rhs };
        let mut assigned: Vec<CinStmt> = targets.zip(values).map(assign).collect();
        let body = if assigned.len() > 1 { CinStmt::Multi(assigned) } else { assigned.remove(0) };
        let inline = scalars.into_iter().map(|t| (depth_of(&t).max(n.bound.len()), t)).collect();
        self.in_loops(body, &whole, n.bound.len(), inline, placed)
    }
    /// A statement in the loops `whole`, the first `open` of which are there already, with scalars that are reduced at a depth
    /// and workspaces that were placed at theirs.
    fn in_loops(
        &mut self,
        mut body: CinStmt,
        whole: &[IndexId],
        open: usize,
        mut inline: Vec<(usize, TakenReduction)>,
        mut placed: Vec<ReductionWorkspace>,
    ) -> Result<CinStmt> {
        for depth in (open..=whole.len()).rev() {
            if depth < whole.len() {
                body = CinStmt::Forall { index: whole[depth], body: Box::new(body) };
            }
            while let Some(at) = inline.iter().position(|(d, _)| *d == depth) {
                let (_, t) = inline.remove(at);
                let with =
                    |(d, other): &mut (usize, TakenReduction)| depth > 0 && *d == depth && t.goes_with(other);
                let mut more: Vec<TakenReduction> = inline.extract_if(.., with).map(|(_, t)| t).collect();
                // What may end the loop comes last: there it is asked at once.
                more.insert(0, t);
                let Some(t) = more.pop() else { break };
                let target = Access { tensor: t.temp, vars: Vec::new() };
                let bound = whole[..depth].to_vec();
                let nest = Nest { target, op: Some(t.op), vars: t.vars, value: t.body, bound, more };
                body = CinStmt::Where { consumer: Box::new(body), producer: Box::new(self.nest(nest)?) };
            }
            while let Some(at) = placed.iter().position(|w| w.depth == depth) {
                let producer = Box::new(placed.remove(at).producer);
                body = CinStmt::Where { consumer: Box::new(body), producer };
            }
        }
        Ok(body)
    }

    /// Whether an operand needs a loop outside of the open ones. What is inside of reductions is bound by these too: to
    /// find that out one reduction after the other takes cubic time.
    fn comes_too_late(&self, n: &Nest) -> bool {
        let open = |v: &IndexId| n.bound.contains(v);
        self.operand_constraints(&n.value).iter().any(|(outer, inner)| open(inner) && !open(outer))
    }

    /// The variables of a nest that its target does not have, positions apart.
    pub(super) fn reduced_variables(&self, n: &Nest) -> Vec<IndexId> {
        let mut reduced = self.without_positions(&n.vars);
        reduced.retain(|v| !n.target.vars.contains(v));
        reduced
    }
    pub(super) fn without_positions(&self, vars: &[IndexId]) -> Vec<IndexId> {
        vars.iter().copied().filter(|v| !self.indices[*v].positional).collect()
    }

    /// A loop order for the nest with `taken` computed inside it.
    fn order_of(&self, n: &Nest, value: &IndexExpr, taken: &[TakenReduction]) -> Option<Vec<IndexId>> {
        let mut constraints = self.nest_constraints(n, value);
        let mut accesses = value.accesses();
        let mut vars = n.vars.clone();
        for t in taken {
            constraints.extend(self.operand_constraints(&t.body));
            of_reduction(t.op, &self.without_positions(&t.vars), &mut constraints);
            let said = |v: &&IndexId| value.position_of(**v).is_some_and(|e| is_scalar(e, t.temp));
            for &v in n.vars.iter().filter(said) {
                constraints.extend(t.free.iter().map(|&outer| (outer, v)));
            }
            accesses.extend(t.body.accesses());
            // Its own variables and those of reductions inside it run inside the loops of this nest.
            let inside = t.body.accesses().into_iter().flat_map(|a| a.vars.iter().copied());
            for v in inside.filter(|v| !n.vars.contains(v) && !n.bound.contains(v)) {
                constraints.extend(n.vars.iter().map(|&outer| (outer, v)));
                if !vars.contains(&v) {
                    vars.push(v);
                }
            }
        }
        let reduced = self.reduced_variables(n);
        of_result(&n.target, &self.tensors, &reduced, &mut constraints);
        accesses.push(&n.target);
        // Loops that are already open come first.
        if constraints.iter().any(|(outer, inner)| n.bound.contains(inner) && vars.contains(outer)) {
            return None;
        }
        let mut order = order(&vars, &constraints, &accesses, &self.tensors)?;
        order.truncate(n.vars.len());
        Some(order)
    }

    /// Replaces the outermost reductions of `e` by scalar temporaries, one for those that are equal.
    pub(super) fn take_reductions(&mut self, e: IndexExpr, taken: &mut Vec<TakenReduction>) -> IndexExpr {
        match e {
            IndexExpr::Reduce { op, vars, body } => {
                let known =
                    |t: &&TakenReduction| t.op == op && t.vars == vars && t.body == *body && !vars.is_empty();
                if let Some(known) = taken.iter().find(known) {
                    return IndexExpr::Access(Access { tensor: known.temp, vars: Vec::new() });
                }
                let free: Vec<IndexId> = body.free_vars().into_iter().filter(|v| !vars.contains(v)).collect();
                let dtype = body.dtype(&self.tensors);
                let temp = self.temp(op, dtype);
                taken.push(TakenReduction { op, vars, body: *body, temp, free });
                IndexExpr::Access(Access { tensor: temp, vars: Vec::new() })
            }
            e => e.map_children(&mut |c| self.take_reductions(c, taken)),
        }
    }
    pub(super) fn temp(&mut self, op: &Operator, dtype: DType) -> TensorId {
        let name = self.fresh_name();
        let fill = op.identity_at(0, dtype).expect("a reducing operator has an identity");
        self.tensors.push(TensorVar {
            given: name.clone(),
            name,
            dtype,
            format: presets::dense(0),
            remap: None,
            stored: None,
            windows: Vec::new(),
            holds: Holds::Values,
            elements: None,
            fill,
            kind: TensorKind::Temp,
        })
    }

    /// `t`, `t1`, `t2`…: the first that no tensor or variable has.
    pub(super) fn fresh_name(&mut self) -> String {
        loop {
            let name = if self.names == 0 { "t".to_string() } else { format!("t{}", self.names) };
            self.names += 1;
            let taken = self.tensors.iter().any(|(_, t)| t.name == name)
                || self.indices.iter().any(|(_, i)| i.name == name);
            if !taken {
                return name;
            }
        }
    }

    /// Says which constraint cannot be met.
    fn conflict(&self, n: &Nest) -> Error {
        let all = self.source.part;
        let mut vars = n.vars.clone();
        vars.extend(n.value.free_vars().into_iter().filter(|v| !n.vars.contains(v) && !n.bound.contains(v)));
        let constraints = self.nest_constraints(n, &n.value);
        let accesses = n.value.accesses();
        let result = &self.tensors[n.target.tensor];
        if order(&vars, &constraints, &accesses, &self.tensors).is_some() {
            let message = format!(
                "the result {} stored as {} would have to be filled out of order, which needs a workspace; that is not \
                 supported yet",
                self.names().access(&n.target),
                result.format
            );
            let d = Diagnostic::from_conflict(Conflict::Assembly, message).point_at(&self.source, all, "");
            return Error::refusal(
                d.help(format!("store `{}` dense, or in the order of its operands", result.name)),
            );
        }
        let stored: Vec<String> = accesses
            .iter()
            .filter(|a| !self.tensors[a.tensor].format.is_full())
            .map(|a| format!("{} stored as {}", self.names().access(a), self.tensors[a.tensor].format))
            .collect();
        let message =
            format!("no loop order walks every operand in its storage order: {}", stored.join(", "));
        let d = Diagnostic::from_conflict(Conflict::Order, message).point_at(&self.source, all, "");
        Error::refusal(d.help("store one of them in the other mode order (for a matrix, csr instead of csc)"))
    }
}
