//! Walks that are kept to the coordinates for which comparisons hold.
//!
//! ```text
//! A(i,j) where j < i, A csr       search A2_end, the first position whose coordinate is at least i
//! A(i,j) where j != i             if crd[p] != i { … }
//! ```

use crate::emit::Emitter;
use crate::emit::cursor::{Cursor, CursorForm, Spans};
use crate::emit::scope::{Scope, Strip};
use crate::emit::visit::Visit;
use crate::graph::{Confinement, confinement};
use crate::predicates::{VariableBounds, comparison_of, is_predicate};
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_index::positions::made_for_size;
use openwork_index::{CinStmt, IndexExpr, IndexId, PositionReach, Program};
use openwork_levels::{CoordSource, EmptySlots, LevelIr, RemapGiven};
use openwork_loops::build::{add, and_also, call, if_then, int, lt, set as assign, var};
use openwork_loops::{Expr as Ir, Stmt as Code};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// What a set has where a statement is what is left of the program.
    fn comparison(&self, set: &Leaf, rest: &CinStmt) -> IndexExpr {
        let found = comparison_of(rest, set.access.tensor);
        found
            .or_else(|| comparison_of(&self.program.body, set.access.tensor))
            .cloned()
            .expect("a set is of a comparison")
    }
    /// Whether a set has one coordinate at most.
    pub(crate) fn is_point(&self, leaf: &Leaf, visit: &Visit) -> bool {
        is_predicate(self.program, leaf.access.tensor)
            && self.comparison(leaf, visit.body).equated_value(visit.v).is_some()
    }
    /// Keeps a walk to the sets that its loop says.
    pub(crate) fn keep_to_sets(
        &mut self,
        iter: Cursor,
        leaf: &Leaf,
        visit: &Visit,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let Some(sets) = visit.of.confined.get(leaf) else { return iter };
        let once = matches!(iter.form, CursorForm::Once);
        sets.iter().fold(iter, |iter, set| match confinement(self.program, leaf, set, once) {
            Confinement::Narrowed => self.narrow_to_set(iter, leaf, set, visit, code),
            Confinement::Asked => self.ask_for_set(iter, set, visit, code),
        })
    }
    fn narrow_to_set(
        &mut self,
        iter: Cursor,
        leaf: &Leaf,
        set: &Leaf,
        visit: &Visit,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let Visit { v, scope, .. } = *visit;
        let comparison = self.comparison(set, visit.body);
        let (lo, hi) = self.held_bounds(&comparison, v, scope, code);
        let name = self.program.indices[v].name.clone();
        if let CursorForm::Runs(spans) = iter.form {
            return self.narrow_to_runs(iter, spans, &Strip { v, lo, hi }, code);
        }
        let listed = !matches!(iter.coord, CoordSource::Counted { .. });
        let unique = self.program.tensors[leaf.access.tensor].format.levels[leaf.level].unique();
        let point = self.program.tensors[set.access.tensor].format.levels[set.level].is_point();
        if listed && unique && point {
            return self.narrow_to_point(iter, &name, lo, hi, code);
        }
        let whole = Strip { v, lo: self.start_of(v), hi: var(self.sizes[&v]) };
        self.narrow_between(iter, &name, &Strip { v, lo, hi }, &whole, code)
    }
    /// A walk over the one position whose coordinate lies between bounds that leave one, if there is such a position.
    fn narrow_to_point(&mut self, iter: Cursor, name: &str, lo: Ir, hi: Ir, code: &mut Vec<Code>) -> Cursor {
        let stop = self.kernel.index(&format!("{name}_stop"));
        code.extend(self.search(&iter, iter.pos, var(iter.pos), iter.end.clone(), lo));
        let there = and_also(iter.more(), lt(iter.coord(&self.kernel), hi));
        code.push(Code::Let { var: stop, val: var(iter.pos) });
        code.extend(if_then(there, vec![assign(stop, add(var(iter.pos), int(1)))]));
        Cursor { end: var(stop), ..iter }
    }
    /// A walk over runs, from the one that has the first coordinate of a strip to the one that has the last.
    fn narrow_to_runs(&mut self, iter: Cursor, spans: Spans, strip: &Strip, code: &mut Vec<Code>) -> Cursor {
        let name = self.program.indices[strip.v].name.clone();
        let [stop, below] = ["stop", "below"].map(|what| self.kernel.index(&format!("{name}_{what}")));
        let ends = Cursor { coord: CoordSource::from_array(spans.ends), ..iter.clone() };
        let past = |at: Ir| add(at, int(1));
        let hi = match spans.below {
            Some(other) => call(Prim::Min, var(other), strip.hi.clone()),
            None => strip.hi.clone(),
        };
        code.push(Code::Let { var: below, val: hi });
        code.extend(self.search(&ends, iter.pos, var(iter.pos), iter.end.clone(), past(strip.lo.clone())));
        code.push(Code::Let { var: stop, val: var(iter.pos) });
        let last = self.search(&ends, stop, var(iter.pos), iter.end.clone(), var(below));
        let through = assign(stop, call(Prim::Min, past(var(stop)), iter.end.clone()));
        code.push(assign(spans.now, call(Prim::Max, var(spans.now), strip.lo.clone())));
        // Sets that exclude each other leave no run.
        code.extend(if_then(lt(var(spans.now), var(below)), [last, vec![through]].concat()));
        let form = CursorForm::Runs(Spans { below: Some(below), ..spans });
        Cursor { end: var(stop), form, ..iter }
    }
    /// Bounds in variables of their own.
    fn held_bounds(
        &mut self,
        comparison: &IndexExpr,
        v: IndexId,
        scope: &Scope,
        code: &mut Vec<Code>,
    ) -> (Ir, Ir) {
        let name = self.program.indices[v].name.clone();
        let (lo, hi) = self.bounds_of_set(comparison, v, scope).expect("an interval has bounds");
        let lo = self.hold(&format!("{name}_from"), lo, code);
        (lo, self.hold(&format!("{name}_to"), hi, code))
    }
    /// The walk with a test at each coordinate: whether it lies between bounds that are computed once, or the comparison.
    fn ask_for_set(&mut self, iter: Cursor, set: &Leaf, visit: &Visit, code: &mut Vec<Code>) -> Cursor {
        let Visit { v, scope, .. } = *visit;
        let comparison = self.comparison(set, visit.body);
        let hole = self.kernel.index("c");
        let holds = if self.bounds_of_set(&comparison, v, scope).is_some() {
            let (lo, hi) = self.held_bounds(&comparison, v, scope, code);
            call(Prim::And, call(Prim::Ge, var(hole), lo), lt(var(hole), hi))
        } else {
            self.compare(&comparison, v, var(hole), scope)
        };
        Cursor { test: iter.test.clone().such_that(hole, holds), ..iter }
    }
    /// A comparison at a coordinate of `v`.
    fn compare(&mut self, comparison: &IndexExpr, v: IndexId, coord: Ir, scope: &Scope) -> Ir {
        let mut scope = scope.clone();
        scope.coords.insert(v, coord);
        comparison.accesses().into_iter().for_each(|a| self.locate(a, &mut scope));
        self.expr(comparison, &scope)
    }

    /// The first coordinate of `v` for which a comparison holds, and one past the last one, inside the dimension.
    fn bounds_of_set(&mut self, comparison: &IndexExpr, v: IndexId, scope: &Scope) -> Option<(Ir, Ir)> {
        let bounds = VariableBounds::find(comparison, v)?;
        let mut known = scope.clone();
        comparison.accesses().into_iter().for_each(|a| self.locate(a, &mut known));
        let size = var(self.sizes[&v]);
        let last = || call(Prim::Sub, size.clone(), int(1));
        let (min, max) = (|a, b| call(Prim::Min, a, b), |a, b| call(Prim::Max, a, b));
        if let Some((_, value)) = comparison.as_position().filter(|_| self.program.indices[v].positional) {
            let lo = self.nearest(v, value, &known);
            if self.is_always_inside(v) || self.is_inside_here(v, value, scope) {
                return Some((lo.clone(), add(lo, int(1))));
            }
            // Of no coordinate, none is nearest.
            return Some((lo.clone(), min(add(lo, int(1)), size)));
        }
        let at = |e: &IndexExpr| self.expr(e, &known);
        // One more than the largest number there is would be the least one.
        let past = |e: &IndexExpr| add(min(max(at(e), int(-1)), last()), int(1));
        let inside = |e: &IndexExpr| min(max(at(e), int(0)), size.clone());
        let lo = match (&bounds.least, &bounds.above) {
            (Some(e), _) => inside(e),
            (None, Some(e)) => past(e),
            (None, None) => int(0),
        };
        let hi = match (&bounds.most, &bounds.below) {
            (Some(e), _) => past(e),
            (None, Some(e)) => inside(e),
            (None, None) => size.clone(),
        };
        Some((lo, hi))
    }

    /// Whether the ranges of other variables say that a position is a coordinate.
    fn is_always_inside(&self, v: IndexId) -> bool {
        self.program.indices[v].reach == PositionReach::Always
    }
    /// The comparisons that hold where these leaves have a coordinate: they are sets, or kept to sets.
    pub(crate) fn comparisons_that_hold(&self, visit: &Visit, present: &BTreeSet<Leaf>) -> Vec<IndexExpr> {
        let own = present.iter().filter(|leaf| is_predicate(self.program, leaf.access.tensor));
        let kept = present.iter().filter_map(|leaf| visit.of.confined.get(leaf)).flatten();
        own.chain(kept).map(|set| self.comparison(set, visit.body)).collect()
    }
    /// Whether the one coordinate of a set is in the dimension, whatever the operands hold.
    pub(crate) fn is_found_inside(&self, set: &Leaf, visit: &Visit) -> bool {
        let comparison = self.comparison(set, visit.body);
        let inside = |value: &IndexExpr| self.is_inside_here(visit.v, value, visit.scope);
        self.is_always_inside(visit.v) || comparison.as_position().is_some_and(|(_, value)| inside(value))
    }
    /// Whether comparisons that hold say that a position is a coordinate: it is none before the first, and none after the last
    /// of the mode that is read, whose size the kernel was made for.
    fn is_inside_here(&self, v: IndexId, value: &IndexExpr, scope: &Scope) -> bool {
        let holds = |prim: Prim, bound: usize| {
            scope.holding.iter().any(|e| {
                let IndexExpr::Call { op, args } = e else { return false };
                let [left, IndexExpr::Literal(right)] = &args[..] else { return false };
                op.prim == prim && left == value && usize::try_from(right.as_i64()) == Ok(bound)
            })
        };
        let Program { body, tensors, indices, .. } = self.program;
        let assignments = body.assignments();
        let reads = assignments.iter().flat_map(|(.., rhs)| rhs.accesses());
        let reads = reads.filter(|a| !is_predicate(self.program, a.tensor));
        holds(Prim::Ge, 0)
            && made_for_size(v, reads, tensors, indices).is_some_and(|size| holds(Prim::Lt, size))
    }
    /// The coordinate of a positional variable that is nearest to a value; 0 where there is none.
    pub(crate) fn nearest(&self, v: IndexId, value: &IndexExpr, scope: &Scope) -> Ir {
        if self.is_always_inside(v) || self.is_inside_here(v, value, scope) {
            return self.expr(value, scope);
        }
        let last = call(Prim::Sub, var(self.sizes[&v]), int(1));
        call(Prim::Max, call(Prim::Min, self.expr(value, scope), last), int(0))
    }

    /// The level of a set, as it is where a walk of it begins.
    pub(crate) fn set_level(&mut self, leaf: &Leaf, rest: &CinStmt, scope: &Scope) -> LevelIr {
        let Leaf { access, level } = leaf;
        let v = self.var_of(access, *level);
        let comparison = self.comparison(leaf, rest);
        let given = match self.bounds_of_set(&comparison, v, scope) {
            Some((lo, hi)) => RemapGiven::Between { lo, hi },
            None => {
                let coord = self.kernel.index("c");
                RemapGiven::Such { coord, holds: self.compare(&comparison, v, var(coord), scope) }
            }
        };
        LevelIr {
            level: self.program.tensors[access.tensor].format.levels[*level],
            arrays: Vec::new(),
            sizes: Vec::new(),
            low: int(0),
            size: var(self.sizes[&v]),
            size_above: int(1),
            low_above: int(0),
            structs: None,
            given,
            slots: EmptySlots::AllFilled,
        }
    }
}
