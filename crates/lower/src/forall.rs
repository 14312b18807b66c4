//! One `forall`: its lattice, its iterators, its loops, and what runs in each region.

use crate::Lowerer;
use crate::assemble::{Keep, Room};
use crate::lattice::{Extent, Lattice, Point, Role};
use crate::rewrite::without;
use crate::scope::Scope;
use crate::space::{Leaf, Space, derive};
use openwork_algebra::{DType, Prim};
use openwork_base::Result;
use openwork_index::{Access, IndexId, Kind, Stmt, TensorId};
use openwork_levels::{Place, Shape};
use openwork_loops::build::{add, call, cast, constant, for_each, int, load, set, var, when};
use openwork_loops::{BufId, Expr as Ir, Stmt as Code, Ty, VarId};
use std::collections::BTreeMap;

/// The most regions that are told apart for one variable: those of a union of seven levels.
const REGIONS: usize = 127;
/// The most variables of a kernel that still merges; a 3-way sum of third-order tensors has about 150.
const VARIABLES: usize = 4000;

/// A walk over the children of one place of a level.
#[derive(Clone, Debug)]
pub(crate) struct Iter {
    /// The coordinates.
    pub(crate) crd: BufId,
    /// The current position.
    pub(crate) pos: VarId,
    /// One past the last position.
    pub(crate) end: Ir,
    /// How often it runs and whether coordinates repeat.
    pub(crate) kind: Walks,
    /// One past the run of positions that share the current coordinate, where coordinates repeat.
    pub(crate) run: Option<VarId>,
}

/// What is known of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walks {
    /// Exactly one child.
    Once,
    /// Children with distinct coordinates.
    Distinct,
    /// Children whose coordinates may repeat.
    Repeating,
}

pub(crate) type Iters = BTreeMap<Leaf, Iter>;

impl Iter {
    /// The coordinate at the current position.
    pub(crate) fn coord(&self, l: &Lowerer) -> Ir {
        l.kernel.load_index(self.crd, var(self.pos))
    }
    /// The positions that belong to the current coordinate.
    fn place(&self) -> Place {
        match self.run {
            None => Place::one(var(self.pos)),
            Some(run) => Place::run(var(self.pos), var(run)),
        }
    }
}

impl Lowerer<'_> {
    pub(crate) fn forall(&mut self, v: IndexId, body: &Stmt, outer: &Scope) -> Result<Vec<Code>> {
        let space = derive(body, v, &self.program.tensors);
        let full = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level].full();
        let union = self.wide_union(&space);
        let lattice = match &union {
            Some(leaves) => Lattice::of_union(leaves.clone()),
            None => {
                self.refuse_too_much(&space)?;
                Lattice::build(&space).simplify(&full)
            }
        };
        let Some(top) = lattice.points.first().cloned() else {
            self.may_skip(v);
            return Ok(Vec::new());
        };
        let mut scope = outer.clone();
        let mut code = self.hoist_bases(v, body, &mut scope);
        let mut iters = Iters::new();
        for leaf in &top.leaves {
            let iter = self.open_iter(leaf, &scope, &mut code)?;
            iters.insert(leaf.clone(), iter);
        }
        self.refuse_unordered(v, &lattice, &iters)?;
        if top.extent == Extent::Stored {
            self.may_skip(v);
        }
        let appended_last =
            self.result.as_ref().is_some_and(|r| assigns(body, r.tensor) && self.appends_values(&r.access))
                && self.result.as_ref().is_some_and(|r| self.var_of(&r.access, self.rank(r.tensor) - 1) == v);
        if let Some(r) = self.result.as_mut().filter(|_| appended_last) {
            r.keep = if top.extent == Extent::Dimension { Keep::NotFill } else { Keep::All };
        }
        if appended_last && top.extent == Extent::Stored {
            // Each round appends at most one value and leaves at least one position of some level behind.
            let left = |i: &Iter| call(Prim::Sub, i.end.clone(), var(i.pos));
            let more = iters.values().map(left).reduce(add).unwrap_or(int(0));
            code.extend(self.make_room_for(more));
        }
        let visit = Visit { v, body, lattice: &lattice, scope: &scope };
        match top.extent {
            Extent::Dimension => code.extend(self.over_dimension(&visit, &iters)?),
            Extent::Stored if union.is_some() => code.extend(self.over_union(&visit, &iters)?),
            Extent::Stored => {
                for point in &lattice.points {
                    code.extend(self.over_stored(&visit, point, &iters)?);
                }
            }
        }
        if let Some(r) = self.result.as_mut().filter(|_| appended_last) {
            r.room = Room::Wanted;
        }
        Ok(code)
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
                if self.var_of(&a, k) != v || scope.places.contains_key(&key) {
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

    /// Starts the walk of one leaf.
    fn open_iter(&mut self, leaf: &Leaf, scope: &Scope, code: &mut Vec<Code>) -> Result<Iter> {
        let Leaf { access, level: k } = leaf;
        let t = &self.program.tensors[access.tensor];
        let name = format!("{}{}", t.name, k + 1);
        let level = &self.tensors[&access.tensor].levels[*k];
        let walk = self.registry.get(level.level.spec).and_then(|f| f.walk());
        let (Some(walk), Some(parent)) = (walk, scope.parent(access, *k)) else {
            let message = format!("level {} of `{}` ({}) cannot be walked here", k + 1, t.name, level.level);
            let help = "a located level below a level with duplicate coordinates is not supported yet";
            return Err(self.refuse("E0406", message, help));
        };
        let unique = level.level.unique();
        let repeating = if unique { Walks::Distinct } else { Walks::Repeating };
        let (lo, hi, crd, kind) = match walk.unfold(&self.kernel, level, &parent) {
            Shape::Sorted { lo, hi, crd } => (lo, hi, crd, repeating),
            Shape::Unsorted { lo, hi, crd } => (lo, hi, crd, repeating),
            Shape::Single { crd } => (parent.lo.clone(), parent.end(), crd, Walks::Once),
            Shape::Every => {
                let message = format!("level {} of `{}` cannot be located here", k + 1, t.name);
                return Err(self.refuse("E0406", message, "store the level compressed"));
            }
        };
        let pos = self.kernel.index(&format!("p{name}"));
        code.push(Code::Let { var: pos, val: lo });
        let end = match hi {
            simple @ (Ir::Const(_) | Ir::Var(_)) => simple,
            computed if kind == Walks::Once => computed,
            computed => {
                let end = self.kernel.index(&format!("{name}_end"));
                code.push(Code::Let { var: end, val: computed });
                var(end)
            }
        };
        Ok(Iter { crd, pos, end, kind, run: None })
    }

    /// Unordered levels cannot be merged, nor appended in order.
    fn refuse_unordered(&self, v: IndexId, lattice: &Lattice, iters: &Iters) -> Result<()> {
        let alone =
            lattice.points.len() == 1 && iters.len() == 1 && lattice.points[0].extent == Extent::Stored;
        let appended = self.result.as_ref().is_some_and(|r| {
            let format = &self.program.tensors[r.tensor].format;
            let level = (0..format.rank()).find(|&k| self.var_of(&r.access, k) == v);
            level.is_some_and(|k| format.levels[k..].iter().any(|l| !l.full()))
        });
        for leaf in iters.keys() {
            let t = &self.program.tensors[leaf.access.tensor];
            let level = t.format.levels[leaf.level];
            if !level.ordered() && (!alone || appended || !level.unique()) {
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
        let missing = |a: &Access| {
            let t = &self.program.tensors[a.tensor];
            t.kind == Kind::Operand
                && (0..t.format.rank()).any(|k| {
                    let walked =
                        self.registry.get(t.format.levels[k].spec).is_some_and(|f| f.locate().is_none());
                    let leaf = Leaf { access: a.clone(), level: k };
                    walked && self.var_of(a, k) == visit.v && !q.leaves.contains(&leaf)
                })
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
        let kept = self.result.as_ref().map(|r| r.keep);
        if let Some(r) = self.result.as_mut().filter(|_| q.role == Role::Omitter) {
            r.keep = Keep::NotFill;
        }
        let case = self.region(visit.v, coord, &rest, scope, Vec::new())?;
        if let (Some(r), Some(kept)) = (self.result.as_mut(), kept) {
            r.keep = kept;
        }
        Ok(Some(case))
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
        self.region(visit.v, coord, visit.body, scope, code).map(Some)
    }

    /// The code of a statement at one coordinate, with the result's coordinate opened before and committed after it.
    fn region(
        &mut self,
        v: IndexId,
        coord: Ir,
        s: &Stmt,
        mut scope: Scope,
        first: Vec<Code>,
    ) -> Result<Case> {
        scope.coords.insert(v, coord);
        // A producer fills a temporary; the result is not touched before its consumer runs.
        let assembles = self.result.as_ref().is_some_and(|r| assigns(s, r.tensor));
        let mut code = if assembles { self.enter_result(v, &mut scope) } else { Vec::new() };
        for a in accesses_of(s) {
            self.locate(&a, &mut scope);
        }
        let mut inner = first;
        inner.extend(self.load_values(s, &mut scope));
        inner.extend(self.stmt(s, &scope)?);
        code.extend(if assembles { self.commit_result(v, inner, &scope) } else { inner });
        Ok(Case { code, independent: self.independent(v, s) })
    }

    /// Whether iterations over `v` touch distinct elements or accumulate in one scalar.
    fn independent(&self, v: IndexId, s: &Stmt) -> Independence {
        match s {
            Stmt::Assign { lhs, .. } if self.temps.contains_key(&lhs.tensor) => Independence::Yes,
            Stmt::Assign { lhs, .. } if lhs.vars.contains(&v) && !self.appends_values(lhs) => {
                Independence::Yes
            }
            Stmt::Assign { .. } | Stmt::Forall { .. } | Stmt::Where { .. } => Independence::No,
            Stmt::Seq(_) | Stmt::Multi(_) | Stmt::Nop => Independence::No,
        }
    }

    /// `crd[pos] == coord` at a position that is in range.
    pub(crate) fn is_at(&self, iter: &Iter, at: VarId, coord: Ir) -> Ir {
        let here = openwork_loops::build::cast(
            openwork_algebra::DType::I64,
            self.kernel.bufs[iter.crd].elem,
            load(iter.crd, var(at)),
        );
        openwork_loops::build::eq(here, coord)
    }
}

/// One variable being visited.
pub(crate) struct Visit<'a> {
    pub(crate) v: IndexId,
    pub(crate) body: &'a Stmt,
    pub(crate) lattice: &'a Lattice,
    pub(crate) scope: &'a Scope,
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

/// Whether a statement assigns a tensor.
fn assigns(s: &Stmt, tensor: TensorId) -> bool {
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
