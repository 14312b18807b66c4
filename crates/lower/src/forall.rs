//! One `forall`: its lattice, its iterators, its loops, and what runs in each region.

use crate::Lowerer;
use crate::appends::has_marks;
use crate::assemble::{Keep, always};
use crate::derived::Binder;
use crate::iter::{Iter, Iters};
use crate::lattice::{Extent, Lattice, Point, REGIONS, Role};
use crate::rewrite::without;
use crate::scope::{Scope, Strip};
use crate::space::{Leaf, Space, derive};
use openwork_algebra::{DType, Prim};
use openwork_base::Result;
use openwork_base::cancel::look;
use openwork_format::Needs;
use openwork_index::{Access, Expr, IndexId, Kind, Program, Stmt, TensorId};
use openwork_levels::{Given, Order, Place, Registry};
use openwork_loops::build::{add, and_also, call, cast, constant, for_each, int, load, set, var, when};
use openwork_loops::{Expr as Ir, Stmt as Code, Ty, VarId};
use std::collections::BTreeMap;

/// Rows in a strip: their part of a result takes 16 KiB, half of a first-level cache.
const STRIP: i64 = 2048;
/// The most variables of a kernel that still merges; a 3-way sum of third-order tensors has about 150.
const VARIABLES: usize = 4000;

impl Lowerer<'_> {
    pub(crate) fn forall(&mut self, v: IndexId, body: &Stmt, outer: &Scope) -> Result<Vec<Code>> {
        look();
        if let Some(code) = self.in_strips(v, body, outer)? {
            return Ok(code);
        }
        if let Some(code) = self.in_whole_blocks(v, body, outer)? {
            return Ok(code);
        }
        let space = derive(body, v, &self.program.tensors);
        let full = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].full();
        let union = self.wide_union(&space);
        let lattice = match &union {
            Some(leaves) => Lattice::of_union(leaves.clone()),
            None => {
                self.refuse_too_much(&space)?;
                Lattice::build(&space)
            }
        };
        let whole = lattice.points.first().is_some_and(|p| p.extent == Extent::Dimension);
        let lattice = lattice.simplify(&full);
        let Some(top) = lattice.points.first().cloned() else {
            self.may_skip(v);
            return Ok(Vec::new());
        };
        if let Some(code) = self.without_a_loop(v, body, &top, outer)? {
            return Ok(code);
        }
        let mut scope = outer.clone();
        let mut code = self.hoist_bases(v, body, &mut scope);
        let (lattice, sought) = self.locate_or_iterate(lattice, &scope);
        let top = lattice.points[0].clone();
        let visit = Visit { v, body, lattice: &lattice, scope: &scope, sought: &sought };
        if let Some(drained) = self.over_workspace(&visit)? {
            code.extend(drained);
            return Ok(code);
        }
        let mut iters = Iters::new();
        for leaf in &top.leaves {
            let iter = self.open_iter(leaf, &scope, &mut code)?;
            let iter = self.narrowed(iter, v, &scope, &mut code);
            iters.insert(leaf.clone(), iter);
        }
        self.refuse_unordered(&visit, &iters)?;
        if !whole {
            self.may_skip(v);
        }
        let appends = self.appends(&visit, &top, &iters, whole);
        let inside = appends.inside(&scope);
        if appends.makes_room(&scope) {
            // Each round appends at most one value and leaves at least one position of some level behind.
            let left = |i: &Iter| call(Prim::Sub, i.end.clone(), var(i.pos));
            let more = iters.values().map(left).reduce(add).unwrap_or(int(0));
            code.extend(self.make_room_for(more));
        }
        let visit = Visit { scope: &inside, ..visit };
        code.extend(self.loops_over(&visit, &top, &iters, union.is_some())?);
        Ok(code)
    }

    /// The loops of a lattice.
    fn loops_over(&mut self, visit: &Visit, top: &Point, iters: &Iters, union: bool) -> Result<Vec<Code>> {
        if let Some(one) = self.over_same(visit, top, iters)? {
            return Ok(one);
        }
        match top.extent {
            Extent::Dimension => self.over_dimension(visit, iters),
            Extent::Stored if union => self.over_union(visit, iters),
            Extent::Stored => {
                let mut code = Vec::new();
                for point in &visit.lattice.points {
                    code.extend(self.over_stored(visit, point, iters)?);
                }
                Ok(code)
            }
        }
    }

    /// A variable whose value is known already is set instead of looped over. What only storage knows cannot be
    /// counted through.
    fn without_a_loop(
        &mut self,
        v: IndexId,
        body: &Stmt,
        top: &Point,
        scope: &Scope,
    ) -> Result<Option<Vec<Code>>> {
        if top.extent == Extent::Stored {
            return Ok(None);
        }
        let name = self.program.indices[v].name.clone();
        if top.leaves.is_empty() && self.counters.contains_key(&v) {
            // Only elements are counted.
            let mut scope = scope.clone();
            let mapped = body.assignments().into_iter().find_map(|(_, _, rhs)| match rhs {
                Expr::Map { of, .. } => Some(of.clone()),
                _ => None,
            });
            let there = mapped.as_ref().and_then(|of| self.holds_element(of, &scope));
            scope.tested.extend(mapped);
            let held = self.kernel.index(&name);
            let mut code = self.count(v, held, &scope).unwrap_or_default();
            let by = Binder::Formula([v].into());
            code.extend(self.region(v, var(held), body, scope, Vec::new(), by)?.code);
            return Ok(Some(when(there.unwrap_or(always()), code)));
        }
        let known = self.determined(v, scope).filter(|_| top.leaves.is_empty());
        let Some(known) = known else {
            if self.counts(v) || (self.is_computed(v) && !top.leaves.is_empty()) {
                let message = format!("the computed coordinate `{name}` cannot be counted through");
                return Err(self.refuse("E0407", message, "store the operand without computed coordinates"));
            }
            return Ok(None);
        };
        let held = self.kernel.index(&name);
        let mut code = vec![Code::Let { var: held, val: known.value.clone() }];
        let by = Binder::Formula(known.from);
        let case = self.region(v, var(held), body, self.counted(v, body, top, scope), Vec::new(), by)?;
        // Loops over parts that nothing stores end with the dimension.
        let inside = known.inside.filter(|_| !self.counted_by_parts(v));
        if inside.is_some() {
            self.may_skip(v);
        }
        let size = var(self.sizes[&v]);
        let inside = inside
            .map(|_| and_also(call(Prim::Ge, var(held), int(0)), openwork_loops::build::lt(var(held), size)));
        code.extend(when(inside.unwrap_or(always()), case.code));
        Ok(Some(code))
    }

    /// Blocks that lie inside the tensor as a whole, nearly all of them, get loops of known length.
    fn in_whole_blocks(&mut self, v: IndexId, body: &Stmt, outer: &Scope) -> Result<Option<Vec<Code>>> {
        if outer.decided.contains(&v) || self.block_size(v).is_none() {
            return Ok(None);
        }
        let assignments = body.assignments();
        let [(lhs, Some(_), _)] = assignments[..] else { return Ok(None) };
        if !self.program.tensors[lhs.tensor].format.is_dense() {
            return Ok(None);
        }
        let nest = Stmt::Forall { index: v, body: Box::new(body.clone()) };
        let Some((vars, cond)) = self.whole_block(&nest, outer) else { return Ok(None) };
        let mut scope = outer.clone();
        scope.decided.extend(vars.iter().copied());
        let other = self.forall(v, body, &scope)?;
        scope.whole.extend(vars);
        let then = self.forall(v, body, &scope)?;
        Ok(Some(vec![Code::If { cond, then, other }]))
    }

    /// A loop over diagonals, or over slots of padded rows, passes over the whole result once a round. Cut into strips of
    /// rows, what is accumulated stays in the cache.
    ///
    /// ```text
    /// for d { for i { y(i) += … } }        for strip { for d { for i in strip { y(i) += … } } }
    /// ```
    fn in_strips(&mut self, v: IndexId, body: &Stmt, outer: &Scope) -> Result<Option<Vec<Code>>> {
        let Some(i) = self.strip_variable(v, body, outer) else { return Ok(None) };
        let (lo, hi) = (self.kernel.index("strip"), self.kernel.index("strip_end"));
        let (first, last) = match outer.cut(i) {
            Some(part) => (part.lo.clone(), part.hi.clone()),
            None => (int(0), var(self.sizes[&i])),
        };
        self.note_cut(i);
        let mut scope = outer.clone();
        scope.strip = Some(Strip { v: i, lo: var(lo), hi: var(hi) });
        let end = call(Prim::Min, add(var(lo), int(STRIP)), last.clone());
        let mut inner = vec![Code::Let { var: hi, val: end }];
        inner.extend(self.forall(v, body, &scope)?);
        let mode = openwork_loops::LoopMode::Serial;
        Ok(Some(vec![Code::For { var: lo, lo: first, hi: last, step: STRIP, mode, body: inner }]))
    }
    /// The variable of the rows that a loop over `v` is cut into strips of.
    pub(crate) fn strip_variable(&self, v: IndexId, body: &Stmt, outer: &Scope) -> Option<IndexId> {
        let Stmt::Forall { index: i, .. } = *body else { return None };
        if !self.is_computed(v) || self.is_computed(i) || !outer.coords.is_empty() || outer.strip.is_some() {
            return None;
        }
        let assignments = body.assignments();
        let [(lhs, Some(_), rhs)] = assignments[..] else { return None };
        let rows = |a: &&Access| {
            let format = &self.program.tensors[a.tensor].format;
            let k = (0..format.depth()).find(|&k| self.var_of(a, k) == i);
            k.is_none_or(|k| format.levels[k].spec.needs == Needs::Band || format.levels[k].is_dense())
        };
        let dense = self.program.tensors[lhs.tensor].format.is_dense() && !self.scatters(lhs);
        let walked = rhs.accesses().into_iter().any(|a| a.vars.first() == Some(&v));
        let strips = dense && walked && lhs.vars.contains(&i) && rhs.accesses().iter().all(rows);
        strips.then_some(i)
    }

    /// Splits the leaves of a plain intersection: some are walked, and the coordinate is looked up in those that allow
    /// it in constant time (formats thesis, figure 4-3).
    fn locate_or_iterate(&self, lattice: Lattice, scope: &Scope) -> (Lattice, Vec<Leaf>) {
        if let Some(top) = lattice.points.first().filter(|p| p.extent == Extent::Stored && p.leaves.len() > 1)
        {
            let mut leaves = top.leaves.iter().cloned();
            let first = leaves.next().expect("more than one");
            let rest: Vec<Leaf> = leaves.collect();
            if rest.iter().all(|l| self.seekable(l, scope) && self.same_interval(&first, l)) {
                let point = Point { leaves: [first].into(), ..top.clone() };
                return (Lattice { points: vec![point] }, rest);
            }
        }
        let [point] = &lattice.points[..] else { return (lattice, Vec::new()) };
        let bitmap = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].is_in_words();
        if point.extent != Extent::Stored || point.leaves.len() < 2 || point.leaves.iter().all(bitmap) {
            return (lattice, Vec::new());
        }
        let (mut sought, mut walked): (Vec<Leaf>, Vec<Leaf>) =
            point.leaves.iter().cloned().partition(|l| self.seekable(l, scope));
        if walked.is_empty() {
            // The one with the fewest slots per child drives.
            let slots = |l: &Leaf| {
                let level = self.program.tensors[l.access.tensor].format.levels[l.level];
                u8::from(level.is_masked())
            };
            sought.sort_by_key(slots);
            walked.push(sought.remove(0));
        }
        let point = Point { leaves: walked.into_iter().collect(), ..point.clone() };
        (Lattice { points: vec![point] }, sought)
    }

    /// Whether two levels hold the same interval of coordinates, which the same coordinate above leaves to both.
    fn same_interval(&self, a: &Leaf, b: &Leaf) -> bool {
        let level = |l: &Leaf| &self.tensors[&l.access.tensor].levels[l.level];
        match (&level(a).given, &level(b).given) {
            (Given::Band { level: k, .. }, Given::Band { .. }) => {
                let alike = level(a).given == level(b).given && level(a).level == level(b).level;
                alike && self.var_of(&a.access, *k) == self.var_of(&b.access, *k)
            }
            _ => false,
        }
    }

    /// Regions double with every operand that is merged, and nest with every variable: beyond a limit the statement is
    /// refused instead of compiled for minutes.
    fn refuse_too_much(&self, space: &Space) -> Result<()> {
        if space.regions() <= REGIONS && self.kernel.vars.len() <= VARIABLES {
            return Ok(());
        }
        let merged = space.leaves().len();
        let message = format!("merging these operands ({merged} at once) would take too much code");
        Err(self.refuse("E0408", message, "split the statement, or store some operands dense"))
    }

    /// Computes, before the loop, where the children of located levels over `v` begin.
    fn hoist_bases(&mut self, v: IndexId, body: &Stmt, scope: &mut Scope) -> Vec<Code> {
        let mut code = Vec::new();
        for a in accesses_of(body) {
            self.locate(&a, scope);
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

    /// Unordered levels cannot be merged, nor appended in order.
    fn refuse_unordered(&self, visit: &Visit, iters: &Iters) -> Result<()> {
        let points = &visit.lattice.points;
        let alone = points.len() == 1 && iters.len() == 1 && points[0].extent == Extent::Stored;
        let appended = self.result.as_ref().is_some_and(|r| {
            let format = &self.program.tensors[r.tensor].format;
            let level = (0..format.depth()).find(|&k| self.var_of(&r.access, k) == visit.v);
            level.is_some_and(|k| format.levels[k..].iter().any(|l| !l.full()))
        });
        for (leaf, iter) in iters {
            let t = &self.program.tensors[leaf.access.tensor];
            let level = t.format.levels[leaf.level];
            let distinct = level.unique() || self.fuses(visit, leaf);
            if iter.order == Order::Unsorted && (!alone || appended || !distinct) {
                let message = format!(
                    "level {} of `{}` is unordered, but has to be visited in order here",
                    leaf.level + 1,
                    t.name
                );
                return Err(self.refuse("E0407", message, "sort the operand, or store the result dense"));
            }
        }
        Ok(())
    }

    /// The code for one region at coordinate `coord`, or `None` if nothing happens there.
    pub(crate) fn case(
        &mut self,
        visit: &Visit,
        coord: Ir,
        q: &Point,
        iters: &Iters,
    ) -> Result<Option<Case>> {
        let here = |leaf: &Leaf| q.leaves.contains(leaf) || visit.sought.contains(leaf);
        let missing = |a: &Access| {
            let stored = self.program.tensors[a.tensor].kind == Kind::Operand || self.is_workspace(a.tensor);
            stored && walked_without(self.program, self.registry, visit.v, a, &here)
        };
        let rest = without(visit.body, &missing, &self.program.tensors);
        if rest == Stmt::Nop {
            self.may_skip(visit.v);
            return Ok(None);
        }
        let mut scope = visit.scope.clone();
        for leaf in &q.leaves {
            scope.places.insert((leaf.access.clone(), leaf.level), iters[leaf].place());
        }
        if q.role == Role::Omitter || self.is_marked(visit.body, &missing) {
            scope.keep = Keep::NotFill;
        }
        let (mut code, found) = self.look_up(visit, &coord, &mut scope);
        let by = if q.leaves.is_empty() { Binder::Counted } else { Binder::Walked(q.leaves.clone()) };
        let mut case = self.region(visit.v, coord, &rest, scope, Vec::new(), by)?;
        if !visit.sought.is_empty() && found == always() {
            code.append(&mut case.code);
            case.code = code;
        } else if !visit.sought.is_empty() {
            code.extend(when(found, std::mem::take(&mut case.code)));
            case = Case { code, independent: Independence::No };
        }
        Ok(Some(case))
    }

    /// Finds the coordinate in the leaves that are not walked.
    fn look_up(&mut self, visit: &Visit, coord: &Ir, scope: &mut Scope) -> (Vec<Code>, Ir) {
        let mut code = Vec::new();
        let mut found = always();
        for leaf in visit.sought {
            let sought = self.seek(leaf, coord.clone(), scope);
            code.extend(sought.code);
            let name = format!("p{}{}", self.program.tensors[leaf.access.tensor].name, leaf.level + 1);
            let position = self.hold(&name, sought.position, &mut code);
            scope.places.insert((leaf.access.clone(), leaf.level), Place::one(position));
            if !visit.lattice.points[0].leaves.iter().any(|l| self.same_interval(l, leaf)) {
                found = and_also(found, sought.found);
                self.may_skip(visit.v);
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
        iters: &Iters,
        has: &BTreeMap<Leaf, VarId>,
    ) -> Result<Option<Case>> {
        let mut scope = visit.scope.clone();
        // Which of its operands are missing is known when it runs.
        let marks = visit.body.assignments().into_iter().any(|(.., rhs)| has_marks(rhs));
        if marks || self.factors_vanish(visit.body, iters) {
            scope.keep = Keep::NotFill;
        }
        let mut code = Vec::new();
        for (leaf, iter) in iters {
            let t = &self.program.tensors[leaf.access.tensor];
            if leaf.level + 1 < t.format.rank() {
                let end = match iter.run {
                    Some(run) => var(run),
                    None => add(var(iter.pos), cast(DType::I64, DType::Bool, var(has[leaf]))),
                };
                scope.places.insert((leaf.access.clone(), leaf.level), Place::run(var(iter.pos), end));
            } else {
                let held = self.kernel.var(&format!("{}_val", t.name.to_lowercase()), Ty::scalar(t.dtype));
                code.push(Code::Let { var: held, val: constant(t.fill) });
                let vals = self.tensors[&leaf.access.tensor].vals.expect("operands have values");
                let mut present = vec![set(held, load(vals, var(iter.pos)))];
                if let Some(run) = iter.run {
                    let p = self.kernel.index("q");
                    let more = set(held, call(Prim::Add, var(held), load(vals, var(p))));
                    present.push(for_each(p, add(var(iter.pos), int(1)), var(run), vec![more]));
                }
                code.extend(when(var(has[leaf]), present));
                scope.values.insert(leaf.access.clone(), var(held));
            }
        }
        let by = Binder::Walked(iters.keys().cloned().collect());
        self.region(visit.v, coord, visit.body, scope, code, by).map(Some)
    }

    /// Whether some of the leaves of a union leave other sparse operands without effect where they are absent, though the
    /// union as a whole is not: `y + t * (a + b)` where only `y` is there.
    fn factors_vanish(&self, body: &Stmt, iters: &Iters) -> bool {
        let tensors = &self.program.tensors;
        let absent = |a: &Access, but: &Leaf| iters.keys().any(|l| l.access == *a && l != but);
        let limits =
            |a: &Access| !tensors[a.tensor].format.is_full() && !iters.keys().any(|l| l.access == *a);
        let others: Vec<Access> = accesses_of(body).into_iter().filter(limits).collect();
        !others.is_empty()
            && iters.keys().any(|leaf| {
                let left = accesses_of(&without(body, &|a| absent(a, leaf), tensors));
                others.iter().any(|a| !left.contains(a))
            })
    }

    /// The code of a statement at one coordinate, with the result's coordinate opened before and committed after it.
    pub(crate) fn region(
        &mut self,
        v: IndexId,
        coord: Ir,
        s: &Stmt,
        mut scope: Scope,
        first: Vec<Code>,
        by: Binder,
    ) -> Result<Case> {
        scope.coords.insert(v, coord);
        let consistent = self.consistent(v, &by, &scope);
        if consistent.is_some() {
            self.may_skip(v);
        }
        // A producer fills a temporary; the result is not touched before its consumer runs.
        let assembles = self.result.as_ref().is_some_and(|r| assigns(s, r.tensor));
        let mut code = if assembles { self.enter_result(v, &mut scope) } else { Vec::new() };
        for a in accesses_of(s) {
            self.locate(&a, &mut scope);
        }
        let mut inner = first;
        inner.extend(self.restart_counters(v));
        inner.extend(self.load_values(s, &mut scope));
        inner.extend(self.stmt(s, &scope)?);
        code.extend(if assembles { self.commit_result(v, inner, &scope) } else { inner });
        match consistent {
            None => {
                let independent = self.independent(v, self.without_loops(s, &by, &code));
                Ok(Case { code, independent })
            }
            Some(cond) => Ok(Case { code: when(cond, code), independent: Independence::No }),
        }
    }

    /// The statement inside the `forall`s that took no loop, where each coordinate comes once.
    fn without_loops<'s>(&self, s: &'s Stmt, by: &Binder, code: &[Code]) -> &'s Stmt {
        let distinct = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].unique();
        let once = match by {
            Binder::Counted => true,
            Binder::Walked(leaves) => leaves.iter().all(distinct),
            Binder::Formula(_) => false,
        };
        let straight = |c: &Code| match c {
            Code::If { then, other, .. } => then.iter().chain(other).all(is_simple),
            c => is_simple(c),
        };
        let mut inner = s;
        if once && self.counters.is_empty() && code.iter().all(straight) {
            while let Stmt::Forall { body, .. } = inner {
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
    fn independent(&self, v: IndexId, s: &Stmt) -> Independence {
        match s {
            Stmt::Assign { lhs, .. } if self.temps.contains_key(&lhs.tensor) => Independence::Yes,
            Stmt::Assign { lhs, .. } if self.is_workspace(lhs.tensor) => Independence::No,
            Stmt::Assign { lhs, .. } if self.places_by_cursor(lhs) => Independence::No,
            Stmt::Assign { lhs, .. } if lhs.vars.contains(&v) && !self.appends_values(lhs) => {
                Independence::Yes
            }
            Stmt::Assign { .. } | Stmt::Forall { .. } | Stmt::Where { .. } => Independence::No,
            Stmt::Seq(_) | Stmt::Multi(_) | Stmt::Nop => Independence::No,
        }
    }
}

/// One variable being visited.
pub(crate) struct Visit<'a> {
    pub(crate) v: IndexId,
    pub(crate) body: &'a Stmt,
    pub(crate) lattice: &'a Lattice,
    pub(crate) scope: &'a Scope,
    /// Leaves of an intersection in which the coordinate is looked up.
    pub(crate) sought: &'a [Leaf],
}

/// The code of a region.
pub(crate) struct Case {
    pub(crate) code: Vec<Code>,
    pub(crate) independent: Independence,
}

/// Whether iterations may be taken several at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Independence {
    Yes,
    No,
}

/// Whether code neither loops nor branches.
fn is_simple(c: &Code) -> bool {
    matches!(c, Code::Let { .. } | Code::Set { .. } | Code::Store { .. })
}

/// Whether a level of an access over `v` has to be walked, and is not `here`.
pub(crate) fn walked_without(
    program: &Program,
    registry: &Registry,
    v: IndexId,
    a: &Access,
    here: &dyn Fn(&Leaf) -> bool,
) -> bool {
    let format = &program.tensors[a.tensor].format;
    (0..format.rank()).filter(|&k| a.vars[format.modes[k]] == v).any(|k| {
        let walked = registry.get(format.levels[k].spec).is_some_and(|f| f.locate().is_none());
        walked && !here(&Leaf { access: a.clone(), level: k })
    })
}

/// Whether a statement assigns a tensor.
pub(crate) fn assigns(s: &Stmt, tensor: TensorId) -> bool {
    s.assignments().iter().any(|(lhs, _, _)| lhs.tensor == tensor)
}

/// Every access a statement reads or assigns, without repetition.
pub(crate) fn accesses_of(s: &Stmt) -> Vec<Access> {
    let mut out: Vec<Access> = Vec::new();
    for (lhs, _, rhs) in s.assignments() {
        for a in rhs.accesses().into_iter().chain([lhs]) {
            if !out.contains(a) {
                out.push(a.clone());
            }
        }
    }
    out
}
