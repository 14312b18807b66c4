//! The code of one `forall`: its lattice, its iterators, its loops, and what runs in each region.

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::iter::Cursors;
use crate::emit::scope::{AppendRoom, Scope, Strip};
use crate::emit::visit::{Independence, RegionCase, Visit};
use crate::graph::{Bind, BoundVar, GraphNode, LoopSet, NodeKind, Tiled, Tiling, VarOrigin, same_interval};
use crate::predicates::is_predicate;
use crate::space::Leaf;
use crate::statement::{accesses_of, assigns};
use openwork_algebra::{DType, Prim};
use openwork_base::cancel::look;
use openwork_base::machine::threshold;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId};
use openwork_levels::Place;
use openwork_loops::build::{
    add, and_also, call, cast, constant, for_each, if_then, int, load, lt, set, var,
};
use openwork_loops::{Expr as Ir, Stmt as Code, Ty, VarId};
use std::collections::BTreeMap;

/// Rows in a strip: their part of a result takes 16 KiB, half of a first-level cache.
const STRIP: i64 = 2048;

impl Emitter<'_> {
    pub(crate) fn forall(&mut self, n: &GraphNode, outer: &Scope) -> Vec<Code> {
        let CinStmt::Forall { index: v, body } = &n.stmt else { unreachable!("only loops have variables") };
        let v = *v;
        look();
        let of = match &n.how {
            NodeKind::Loop(of) => of,
            NodeKind::Bind(b) => return self.without_a_loop(v, b, outer),
            NodeKind::Tiled(t) => return self.emit_tiles(t, outer),
            NodeKind::Idle
            | NodeKind::Plain
            | NodeKind::Assign(_)
            | NodeKind::Parts(_)
            | NodeKind::Where(_) => return Vec::new(),
        };
        let mut scope = outer.clone();
        let mut code = self.hoist_bases(v, body, &mut scope);
        let top = of.lattice.points[0].clone();
        let visit = Visit { v, body, of, scope: &scope };
        if let Some(drained) = self.over_workspace(&visit) {
            code.extend(drained);
            return code;
        }
        let mut iters = Cursors::new();
        for leaf in &top.leaves {
            let mut iter = self.open_cursor(leaf, body, &scope, &mut code);
            if !matches!(of.over, LoopSet::Words | LoopSet::Dimension) {
                iter = iter.over_set_bits(&mut self.kernel, &mut code);
            }
            let iter = self.keep_to_sets(iter, leaf, &visit, &mut code);
            let iter = self.narrow_walk(iter, leaf, &scope, &mut code);
            iters.insert(leaf.clone(), iter);
        }
        let mut followed = Vec::with_capacity(of.followed.len());
        for leaf in &of.followed {
            followed.push((leaf.clone(), self.open_cursor(leaf, body, &scope, &mut code)));
        }
        let mut inside = Scope { followed, ..scope.clone() };
        if self.makes_room(of, &scope) && self.fills_given(of, &iters) {
            inside.room = AppendRoom::Made;
            let walks = if of.over == LoopSet::Words { 1 } else { iters.len() };
            code.extend(self.room_for_all(iters.values().take(walks)));
        }
        let visit = Visit { scope: &inside, ..visit };
        code.extend(self.loops_over(&visit, &iters));
        code
    }

    /// The loops of a lattice.
    fn loops_over(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        match visit.of.over {
            LoopSet::Same => self.over_same(visit, iters),
            LoopSet::Dimension => self.over_dimension(visit, iters),
            LoopSet::Union => self.over_union(visit, iters),
            LoopSet::Words => self.over_words(visit, iters),
            LoopSet::Gaps => self.over_gaps(visit, iters),
            LoopSet::Workspace => unreachable!("elements of workspaces are taken out"),
            LoopSet::Stored => {
                let mut code = Vec::new();
                for n in 0..visit.of.arms.len() {
                    code.extend(self.over_stored(visit, n, iters));
                }
                code
            }
        }
    }

    /// A variable whose value is known already is set instead of looped over.
    fn without_a_loop(&mut self, v: IndexId, b: &Bind, scope: &Scope) -> Vec<Code> {
        let body = &b.body.stmt;
        let name = self.program.indices[v].name.clone();
        if b.from == VarOrigin::Counter {
            // Only elements are counted.
            let mut scope = scope.clone();
            let mapped = body.assignments().into_iter().find_map(|(_, _, rhs)| match rhs {
                IndexExpr::Map { of, .. } => Some(of.clone()),
                _ => None,
            });
            let there = mapped.as_ref().and_then(|of| self.holds_element(of, &scope));
            scope.tested.extend(mapped);
            let held = self.kernel.index(&name);
            let mut code = self.count(v, held, &scope).unwrap_or_default();
            code.extend(self.region(v, var(held), &b.body, &b.bound, scope, Vec::new()).code);
            return if_then(there.unwrap_or(always()), code);
        }
        let known = self.determined_value(v, scope).expect("the graph knows that bound variables decide it");
        let held = self.kernel.index(&name);
        let mut code = vec![Code::Let { var: held, val: known }];
        let case = self.region(v, var(held), &b.body, &b.bound, scope.clone(), Vec::new());
        if b.strays {
            let size = var(self.sizes[&v]);
            let inside = and_also(call(Prim::Ge, var(held), int(0)), lt(var(held), size));
            code.extend(if_then(inside, case.code));
        } else {
            code.extend(case.code);
        }
        code
    }

    /// A loop in tiles.
    fn emit_tiles(&mut self, t: &Tiled, outer: &Scope) -> Vec<Code> {
        let mut scope = outer.clone();
        match &t.by {
            Tiling::Strips(rows) => self.in_strips(*rows, &t.node, scope),
            Tiling::Blocks(vars) => {
                let cond = self.are_whole(vars, &t.node.stmt, outer);
                let other = self.forall(&t.node, &scope);
                scope.whole.extend(vars);
                let then = self.forall(&t.node, &scope);
                vec![Code::If { cond, then, other }]
            }
        }
    }
    /// A loop over strips of the rows.
    fn in_strips(&mut self, rows: IndexId, n: &GraphNode, mut scope: Scope) -> Vec<Code> {
        let (lo, hi) = (self.kernel.index("strip"), self.kernel.index("strip_end"));
        let (first, last) = match scope.cut(rows) {
            Some(part) => (part.lo.clone(), part.hi.clone()),
            None => (int(0), var(self.sizes[&rows])),
        };
        scope.strip = Some(Strip { v: rows, lo: var(lo), hi: var(hi) });
        let end = call(Prim::Min, add(var(lo), int(threshold(STRIP, 2))), last.clone());
        let mut body = vec![Code::Let { var: hi, val: end }];
        body.extend(self.forall(n, &scope));
        let mode = openwork_loops::LoopMode::Serial;
        vec![Code::For { var: lo, lo: first, hi: last, step: threshold(STRIP, 2), mode, body }]
    }

    /// Computes, before the loop, where the children of located levels over `v` begin.
    fn hoist_bases(&mut self, v: IndexId, body: &CinStmt, scope: &mut Scope) -> Vec<Code> {
        let mut code = Vec::new();
        for a in accesses_of(body) {
            self.locate(&a, scope);
            if is_predicate(self.program, a.tensor) {
                continue;
            }
            for k in 0..self.rank(a.tensor) {
                let key = (a.clone(), k);
                let known = scope.places.contains_key(&key) || scope.bases.contains_key(&key);
                if self.var_of(&a, k) != v || known {
                    continue;
                }
                let Some(Place { lo: parent, hi: None }) = scope.parent(&a, k) else { continue };
                let level = &self.tensors[&a.tensor].levels[k];
                let Some(locate) = self.registry.get(level.level.spec).and_then(|f| f.locate()) else {
                    continue;
                };
                let base = locate.base(level, parent);
                let base = match base {
                    simple @ (Ir::Const(_) | Ir::Var(_)) => simple,
                    computed => {
                        let name = format!("{}{}_base", self.program.tensors[a.tensor].name, k + 1);
                        let held = self.kernel.index(&name);
                        code.push(Code::Let { var: held, val: computed });
                        var(held)
                    }
                };
                scope.bases.insert(key, base);
            }
        }
        code
    }

    /// The code for region number `n` at coordinate `coord`, or `None` if nothing happens there.
    pub(crate) fn case(&mut self, visit: &Visit, coord: Ir, n: usize, iters: &Cursors) -> Option<RegionCase> {
        let (q, arm) = (&visit.of.lattice.points[n], &visit.of.arms[n]);
        if arm.node.stmt == CinStmt::Nop {
            return None;
        }
        let sought = &visit.of.sought;
        let mut scope = visit.scope.clone();
        scope.holding.extend(self.comparisons_that_hold(visit, &q.leaves));
        for leaf in &q.leaves {
            let place = iters[leaf].place();
            scope.places.extend(self.lent_place(leaf, &place));
            scope.places.insert((leaf.access.clone(), leaf.level), place);
        }
        for (leaf, cursor) in std::mem::take(&mut scope.followed) {
            scope.places.insert((leaf.access.clone(), leaf.level), cursor.place());
        }
        let (mut code, found) = self.look_up(visit, &coord, &mut scope);
        let moves = self.follow(&visit.scope.followed, &coord);
        let mut case = self.region(visit.v, coord, &arm.node, &arm.bound, scope, Vec::new());
        if !sought.is_empty() && found == always() {
            code.append(&mut case.code);
            case.code = code;
        } else if !sought.is_empty() {
            code.extend(if_then(found, std::mem::take(&mut case.code)));
            case = RegionCase { code, independent: Independence::No };
        }
        if !moves.is_empty() {
            case = RegionCase { code: [moves, case.code].concat(), independent: Independence::No };
        }
        Some(case)
    }

    /// Finds the coordinate in the leaves that are not walked.
    fn look_up(&mut self, visit: &Visit, coord: &Ir, scope: &mut Scope) -> (Vec<Code>, Ir) {
        let mut code = Vec::new();
        let mut found = always();
        for leaf in &visit.of.sought {
            if let Some((taken, value)) = self.look_up_marked(leaf.access.tensor, coord.clone(), &mut code) {
                found = and_also(found, taken);
                scope.values.insert(leaf.access.clone(), value);
                continue;
            }
            let sought = self.seek(leaf, coord.clone(), scope);
            code.extend(sought.code);
            let name = format!("p{}{}", self.program.tensors[leaf.access.tensor].name, leaf.level + 1);
            let position = self.hold(&name, sought.position, &mut code);
            scope.places.insert((leaf.access.clone(), leaf.level), Place::one(position));
            if !visit.of.lattice.points[0].leaves.iter().any(|l| same_interval(self.program, l, leaf)) {
                found = and_also(found, sought.found);
            }
        }
        (code, found)
    }

    /// One case for all regions of a union: every leaf may be absent. Above the last level an absent leaf is an empty run
    /// of positions; at the last level its value is the fill.
    pub(crate) fn case_perhaps(
        &mut self,
        visit: &Visit,
        coord: Ir,
        iters: &Cursors,
        has: &BTreeMap<Leaf, VarId>,
    ) -> RegionCase {
        let mut scope = visit.scope.clone();
        let mut code = Vec::new();
        for (leaf, iter) in iters {
            let t = &self.program.tensors[leaf.access.tensor];
            if leaf.level + 1 < t.format.rank() {
                let end = match iter.run() {
                    Some(run) => var(run),
                    None => add(var(iter.pos), cast(DType::I64, DType::Bool, var(has[leaf]))),
                };
                scope.places.insert((leaf.access.clone(), leaf.level), Place::run(var(iter.pos), end));
            } else {
                let held = self.kernel.var(&format!("{}_val", t.name.to_lowercase()), Ty::scalar(t.dtype));
                let vals = self.tensors[&leaf.access.tensor].vals;
                code.push(Code::Let { var: held, val: constant(t.fill) });
                let mut present = vec![set(held, load(vals, var(iter.pos)))];
                if let Some(run) = iter.run() {
                    let p = self.kernel.index("q");
                    let more = set(held, call(Prim::Add, var(held), load(vals, var(p))));
                    present.push(for_each(p, add(var(iter.pos), int(1)), var(run), vec![more]));
                }
                code.extend(if_then(var(has[leaf]), present));
                scope.values.insert(leaf.access.clone(), var(held));
            }
        }
        let arm = &visit.of.arms[0];
        self.region(visit.v, coord, &arm.node, &arm.bound, scope, code)
    }

    /// The code of a statement at one coordinate, with the result's coordinate opened before and committed after it.
    pub(crate) fn region(
        &mut self,
        v: IndexId,
        coord: Ir,
        n: &GraphNode,
        bound: &BoundVar,
        mut scope: Scope,
        first: Vec<Code>,
    ) -> RegionCase {
        let s = &n.stmt;
        scope.coords.insert(v, coord);
        let consistent = self.agree(&bound.checks, &scope);
        // A producer fills a temporary; the result is not touched before its consumer runs.
        let assembles = self.result.as_ref().is_some_and(|r| assigns(s, r.tensor));
        let mut code = if assembles { self.enter_result(v, &mut scope) } else { Vec::new() };
        for a in accesses_of(s) {
            self.locate(&a, &mut scope);
        }
        let mut inner = first;
        inner.extend(self.restart_counters(v));
        inner.extend(self.load_values(s, &mut scope));
        inner.extend(self.node(n, &scope));
        code.extend(if assembles { self.commit_result(v, inner, &scope) } else { inner });
        match consistent {
            None => {
                let independent = self.independent(v, self.without_loops(s, bound, &code));
                RegionCase { code, independent }
            }
            Some(cond) => RegionCase { code: if_then(cond, code), independent: Independence::No },
        }
    }

    /// The statement inside the `forall`s that took no loop, where each coordinate comes once.
    fn without_loops<'s>(&self, s: &'s CinStmt, bound: &BoundVar, code: &[Code]) -> &'s CinStmt {
        let straight = |c: &Code| match c {
            Code::If { then, other, .. } => then.iter().chain(other).all(is_simple),
            c => is_simple(c),
        };
        let mut inner = s;
        if bound.once && self.counters.is_empty() && code.iter().all(straight) {
            while let CinStmt::Forall { body, .. } = inner {
                inner = body;
            }
        }
        inner
    }
    /// Whether elements take their positions from cursors, buckets or words that they share.
    fn places_by_cursor(&self, lhs: &Access) -> bool {
        let levels = &self.program.tensors[lhs.tensor].format.levels;
        self.scatters(lhs) && levels.iter().any(|l| l.shares_cursors() || l.is_in_words())
    }
    /// Whether iterations over `v` touch distinct elements or accumulate in one scalar.
    fn independent(&self, v: IndexId, s: &CinStmt) -> Independence {
        match s {
            CinStmt::Assign { lhs, .. } if self.temps.contains_key(&lhs.tensor) => Independence::Yes,
            CinStmt::Assign { lhs, .. } if self.is_workspace(lhs.tensor) => Independence::No,
            CinStmt::Assign { lhs, .. } if self.places_by_cursor(lhs) => Independence::No,
            CinStmt::Assign { lhs, .. } if lhs.vars.contains(&v) && !self.appends_values(lhs) => {
                Independence::Yes
            }
            CinStmt::Assign { .. } | CinStmt::Forall { .. } | CinStmt::Where { .. } => Independence::No,
            CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Nop => Independence::No,
        }
    }
}

/// Whether code neither loops nor branches.
fn is_simple(c: &Code) -> bool {
    matches!(c, Code::Let { .. } | Code::Set { .. } | Code::Store { .. })
}
