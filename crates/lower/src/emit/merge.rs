//! The forms of the loop over one variable.
//!
//! ```text
//! over a dimension       for i in 0..n { has = p < end && crd[p] == i; … }
//! over one level         for p in lo..hi { i = crd[p]; … }
//!   with duplicates      while p < end { i = crd[p]; run = …; …; p = run }
//!   fused with its child for p in lo..hi { i = crd[p]; j = crd2[p]; … }
//! over a wide union      while p < p_end || q < q_end || r < r_end { i = min(…); one case, operands perhaps absent }
//! intersecting lists     see `gallop`
//! over runs, over bits   see `runs`, `words`
//! beside lists           see `gaps`
//! over several levels    while p < p_end && q < q_end { i = min(crd[p], crd[q]); has = …; …; p += has }
//! ```

use crate::emit::Emitter;
use crate::emit::assemble::{always, min, never};
use crate::emit::cursor::{Cursor, CursorForm};
use crate::emit::iter::Cursors;
use crate::emit::visit::{Independence, Visit};
use crate::graph::{LoopSet, Walk};
use crate::lattice::Extent;
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_index::IndexId;
use openwork_levels::{ChildTest, CoordSource};
use openwork_loops::build::{add, and_also, call, eq, if_then, int, lt, set, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, Ty, VarId};
use std::collections::BTreeMap;

/// What is known of a walk at a coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    /// Whether it stands there.
    pub(crate) at: VarId,
    /// Whether it holds a child there.
    pub(crate) has: VarId,
}

pub(crate) type LeafFlags = BTreeMap<Leaf, Flag>;

/// A condition and what runs under it, tried in order.
pub(crate) type Cases = Vec<(Ir, Vec<Code>)>;

impl Emitter<'_> {
    /// One loop over the whole dimension; stored coordinates are met on the way.
    pub(crate) fn over_dimension(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let mut body = Vec::new();
        let mut running = iters.clone();
        let mut flags = LeafFlags::new();
        for (leaf, iter) in &mut running {
            let here = and_also(iter.more(), iter.is_at(&self.kernel, iter.pos, var(i)));
            let flag = self.flags(iter, here, var(i), &mut body);
            flags.insert(leaf.clone(), flag);
            body.extend(self.open_run(iter, var(flag.at), var(i)));
        }
        let (cases, independence) = self.cases(visit, 0, i, &running, &flags);
        let (lo, hi) = self.bounds_of(visit);
        if iters.is_empty() && independence == Independence::Yes {
            body.extend(choose(cases));
            return self.in_stretches(visit, i, lo, hi, body);
        }
        body.extend(self.ends_where_decided(visit, choose(cases)));
        for (leaf, iter) in &running {
            body.extend(iter.advance(flags[leaf].at, &self.kernel));
        }
        vec![Code::For { var: i, lo, hi, step: 1, mode: LoopMode::Serial, body }]
    }

    /// The coordinates of a variable that are visited.
    pub(crate) fn bounds_of(&self, visit: &Visit) -> (Ir, Ir) {
        match visit.scope.cut(visit.v) {
            Some(s) => (s.lo.clone(), s.hi.clone()),
            None => (self.start_of(visit.v), self.end_of(visit.v, visit.scope)),
        }
    }

    /// Whether a walk stands at a coordinate, and whether it holds a child there.
    pub(crate) fn flags(&mut self, iter: &Cursor, here: Ir, coord: Ir, body: &mut Vec<Code>) -> Flag {
        let at = self.kernel.var("has", Ty::BOOL);
        body.push(Code::Let { var: at, val: here });
        let present = iter.present(var(at), coord);
        if present == var(at) {
            return Flag { at, has: at };
        }
        let has = self.kernel.var("has", Ty::BOOL);
        body.push(Code::Let { var: has, val: present });
        Flag { at, has }
    }

    /// A union of three or more levels in one loop with one case, so that code grows with the number of operands and not
    /// with the number of their subsets. An absent operand is an empty run of positions, or its fill value.
    pub(crate) fn over_union(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let name = self.program.indices[visit.v].name.clone();
        let exhausted = i64::MAX;
        let mut body = Vec::new();
        let mut running = iters.clone();
        let mut coords: BTreeMap<Leaf, VarId> = BTreeMap::new();
        let mut more = Vec::new();
        for (leaf, iter) in &running {
            let in_range = iter.more();
            more.push(in_range.clone());
            let t = &self.program.tensors[leaf.access.tensor].name;
            let c = self.kernel.index(&format!("{name}{t}"));
            body.push(Code::Let { var: c, val: int(exhausted) });
            body.extend(if_then(in_range, vec![set(c, iter.coord(&self.kernel))]));
            coords.insert(leaf.clone(), c);
        }
        let i = self.kernel.index(&name);
        let least = coords.values().map(|&c| var(c)).reduce(min).unwrap_or(int(exhausted));
        body.push(Code::Let { var: i, val: least });
        let mut has = BTreeMap::new();
        for (leaf, iter) in &mut running {
            let flag = self.kernel.var("has", Ty::BOOL);
            body.push(Code::Let { var: flag, val: eq(var(coords[leaf]), var(i)) });
            has.insert(leaf.clone(), flag);
            body.extend(self.open_run(iter, var(flag), var(i)));
        }
        debug_assert!(running.values().all(|iter| iter.test == ChildTest::Always && iter.spans().is_none()));
        let case = self.case_perhaps(visit, var(i), &running, &has);
        body.extend(self.ends_where_decided(visit, case.code));
        for (leaf, iter) in &running {
            body.extend(iter.advance(has[leaf], &self.kernel));
        }
        let cond = more.into_iter().reduce(|one, other| call(Prim::Or, one, other)).unwrap_or(never());
        vec![Code::While { cond, body }]
    }

    /// The loop of one region, number `n`, over stored coordinates.
    pub(crate) fn over_stored(&mut self, visit: &Visit, n: usize, iters: &Cursors) -> Vec<Code> {
        let arm = &visit.of.arms[n];
        let Some(leaf) = visit.of.lattice.points[n].leaves.first() else { return Vec::new() };
        match arm.walk {
            Walk::Words => unreachable!("bits are walked in one loop for all regions"),
            Walk::Once => self.over_one(visit, leaf, iters),
            Walk::Positions | Walk::Fused => self.over_distinct(visit, n, leaf, iters),
            Walk::Runs | Walk::Whole => self.over_runs(visit, n, iters),
            Walk::Gallop => self.over_galloping(visit, iters),
            Walk::Merge => self.over_several(visit, n, iters),
        }
    }

    /// Several levels that compute one coordinate from the same variables: there is nothing to merge.
    pub(crate) fn over_same(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let Some(first) = iters.values().next() else { return Vec::new() };
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let mut code = vec![Code::Let { var: i, val: first.coord(&self.kernel) }];
        if let Some(case) = self.case(visit, var(i), 0, iters) {
            code.extend(if_then(first.present(always(), var(i)), case.code));
        }
        code
    }

    /// The one child of a parent, or none.
    fn over_one(&mut self, visit: &Visit, leaf: &Leaf, iters: &Cursors) -> Vec<Code> {
        let iter = &iters[leaf];
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let Some(case) = self.case(visit, var(i), 0, iters) else { return Vec::new() };
        let branchless = self.as_wide_as_needed(leaf);
        let selected = self.without_a_branch(visit.v, i, leaf, iter, &case.code);
        if let Some(code) = selected.filter(|_| branchless) {
            return code;
        }
        let mut code = vec![Code::Let { var: i, val: iter.coord(&self.kernel) }];
        code.extend(if_then(iter.present(always(), var(i)), case.code));
        code
    }

    /// Whether a level above is only as wide as its longest list of elements: there are slots only where there are
    /// elements, so the dimension is not empty.
    fn as_wide_as_needed(&self, leaf: &Leaf) -> bool {
        let levels = &self.program.tensors[leaf.access.tensor].format.levels;
        levels[..leaf.level].iter().any(|l| l.is_prefix())
    }
    /// A sum over slots of which some are empty adds nothing there, instead of branching: rows of equal length run on
    /// without a test, and several are taken at once. An empty slot reads at coordinate 0, which exists wherever there
    /// are slots.
    ///
    /// ```text
    /// let j = crd[p]                             let c = crd[p]
    /// if j != -1 { y[i] += a[p] * x[j] }         let j = select(c != -1, c, 0)
    ///                                            y[i] += select(c != -1, a[p] * x[j], 0)
    /// ```
    fn without_a_branch(
        &mut self,
        v: IndexId,
        i: VarId,
        leaf: &Leaf,
        iter: &Cursor,
        case: &[Code],
    ) -> Option<Vec<Code>> {
        let ChildTest::NotEmpty(_) = iter.test else { return None };
        // Coordinates that levels below compute from a coordinate that is none would be anywhere.
        if leaf.level + 1 < self.program.tensors[leaf.access.tensor].format.depth() {
            return None;
        }
        let [lets @ .., Code::Store { buf, at, val, reduce: Some(Prim::Add) }] = case else { return None };
        // Computed coordinates may be less than zero, or all greater.
        if self.is_computed(v) || !lets.iter().all(|s| matches!(s, Code::Let { .. })) {
            return None;
        }
        let c = self.kernel.index("slot");
        let mut code = vec![
            Code::Let { var: c, val: iter.coord(&self.kernel) },
            Code::Let {
                var: i,
                val: Ir::Call {
                    prim: Prim::Select,
                    args: vec![iter.present(always(), var(c)), var(c), int(0)],
                },
            },
        ];
        code.extend(lets.iter().cloned());
        let zero =
            openwork_loops::build::constant(openwork_algebra::Scalar::zero(self.kernel.bufs[*buf].elem));
        let args = vec![iter.present(always(), var(c)), val.clone(), zero];
        let val = Ir::Call { prim: Prim::Select, args };
        code.push(Code::Store { buf: *buf, at: at.clone(), val, reduce: Some(Prim::Add) });
        Some(code)
    }

    /// `for p in lo..hi`, one coordinate a round.
    fn over_distinct(&mut self, visit: &Visit, n: usize, leaf: &Leaf, iters: &Cursors) -> Vec<Code> {
        let outer = &iters[leaf];
        let t = &self.program.tensors[leaf.access.tensor];
        let repeats = !t.format.levels[leaf.level].unique();
        let pos = self.kernel.index(&format!("p{}{}", t.name, leaf.level + 1));
        let inner = outer.single_walk(pos);
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let (lo, hi) = (var(outer.pos), outer.end.clone());
        // Where coordinates follow positions one by one, either may be the loop variable; which of them other accesses
        // use directly decides how well the loop vectorises, and that is usually the coordinate.
        let counted = matches!(&inner.coord, CoordSource::Counted { .. });
        let mut code = Vec::new();
        let (head, at, lo, hi) = if counted {
            let first = inner.coord.value_at(&self.kernel, lo.clone());
            let end = inner.coord.value_at(&self.kernel, hi);
            let first = self.hold(&format!("{name}_first"), first, &mut code);
            let shift = self.hold("shift", call(Prim::Sub, lo, first.clone()), &mut code);
            let end = self.hold(&format!("{name}_end"), end, &mut code);
            (Code::Let { var: pos, val: add(var(i), shift) }, i, first, end)
        } else {
            (Code::Let { var: i, val: inner.coord(&self.kernel) }, pos, lo, hi)
        };
        let mut body = vec![head];
        body.extend(inner.previous_coordinate().map(|now| set(now, var(i))));
        let mut running = iters.clone();
        running.insert(leaf.clone(), inner.clone());
        let Some(case) = self.case(visit, var(i), n, &running) else { return Vec::new() };
        let mode = match case.independent {
            Independence::Yes if inner.previous_coordinate().is_none() => LoopMode::Vector,
            Independence::No if repeats => LoopMode::Runs,
            Independence::Yes | Independence::No => LoopMode::Serial,
        };
        let here = inner.present(always(), var(i));
        if self.is_point(leaf, visit) {
            // The nearest coordinate is there as soon as the dimension has one, unless another region took it.
            let there = match visit.of.arms.len() {
                1 if self.is_found_inside(leaf, visit) => always(),
                1 if self.program.indices[visit.v].positional => lt(int(0), var(self.sizes[&visit.v])),
                _ => lt(lo.clone(), hi),
            };
            code.push(Code::Let { var: at, val: lo });
            code.extend(body);
            code.extend(if_then(and_also(there, here), case.code));
            return code;
        }
        let mode = self.mode_until_decided(visit, counted, mode);
        let round = |code: Vec<Code>| [&body[..], &if_then(here.clone(), code)].concat();
        if mode == LoopMode::Vector {
            let body = round(case.code);
            code.extend(self.in_stretches(visit, at, lo, hi, body));
        } else if self.is_straight(visit, &case.code) {
            let asked = self.ends_where_decided(visit, case.code.clone());
            code.extend(self.first_unasked(visit, at, lo, hi, round(case.code), round(asked)));
        } else {
            let body = round(self.ends_where_decided(visit, case.code));
            code.push(Code::For { var: at, lo, hi, step: 1, mode, body });
        }
        code
    }

    /// Merges the levels of region `n` until one of them is exhausted; also a single level whose coordinates repeat.
    fn over_several(&mut self, visit: &Visit, n: usize, iters: &Cursors) -> Vec<Code> {
        let p = &visit.of.lattice.points[n];
        let name = self.program.indices[visit.v].name.clone();
        let mut running: Cursors =
            iters.iter().filter(|(l, _)| p.leaves.contains(l)).map(|(l, i)| (l.clone(), i.clone())).collect();
        let mut cond = always();
        let mut body = Vec::new();
        let mut coords: BTreeMap<Leaf, VarId> = BTreeMap::new();
        for (leaf, iter) in &running {
            cond = and_also(cond, iter.more());
            let t = &self.program.tensors[leaf.access.tensor].name;
            let c = self.kernel.index(&format!("{name}{t}"));
            body.push(Code::Let { var: c, val: iter.coord(&self.kernel) });
            coords.insert(leaf.clone(), c);
        }
        let i = self.kernel.index(&name);
        let least = coords.values().map(|&c| var(c)).reduce(min).unwrap_or(int(i64::MAX));
        body.push(Code::Let { var: i, val: least });
        let mut flags = LeafFlags::new();
        for (leaf, iter) in &mut running {
            let here = if coords.len() == 1 { always() } else { eq(var(coords[leaf]), var(i)) };
            let flag = self.flags(iter, here, var(i), &mut body);
            flags.insert(leaf.clone(), flag);
            let present = if coords.len() == 1 { always() } else { var(flag.at) };
            body.extend(self.open_run(iter, present, var(i)));
        }
        let (mut cases, _) = self.cases(visit, n, i, &running, &flags);
        let moved = moved_in_cases(visit, n, &running, &coords, &mut cases);
        body.extend(self.ends_where_decided(visit, choose(cases)));
        for (leaf, iter) in running.iter().filter(|_| !moved) {
            body.extend(iter.advance(flags[leaf].at, &self.kernel));
        }
        vec![Code::While { cond, body }]
    }

    /// Finds the end of the run of duplicates at the current coordinate (formats thesis, §4.2.4).
    pub(crate) fn open_run(&mut self, iter: &mut Cursor, present: Ir, coord: Ir) -> Vec<Code> {
        if !matches!(iter.form, CursorForm::Repeating { .. }) {
            return Vec::new();
        }
        let run = self.kernel.index("run");
        iter.form = CursorForm::Repeating { run: Some(run) };
        let more = and_also(lt(var(run), iter.end.clone()), iter.is_at(&self.kernel, run, coord));
        let step = Code::While { cond: more, body: vec![set(run, add(var(run), int(1)))] };
        let scan = vec![set(run, add(var(iter.pos), int(1))), step];
        let mut code = vec![Code::Let { var: run, val: var(iter.pos) }];
        code.extend(openwork_loops::build::if_then(present, scan));
        code
    }

    /// The regions below region `n` with their conditions, larger ones first.
    pub(crate) fn cases(
        &mut self,
        visit: &Visit,
        n: usize,
        i: VarId,
        iters: &Cursors,
        flags: &LeafFlags,
    ) -> (Cases, Independence) {
        let points = &visit.of.lattice.points;
        let p = &points[n];
        let below = visit.of.lattice.points_below(n);
        let singles = below.iter().filter(|&&q| points[q].leaves.len() == 1).count();
        // When each level alone is a region, the last one needs no test: some level holds the least coordinate.
        let full =
            visit.of.over == LoopSet::Words || p.leaves.iter().all(|l| iters[l].test == ChildTest::Always);
        let exhaustive = p.extent == Extent::Stored && singles == p.leaves.len() && full;
        // A leaf without a flag is there at every coordinate.
        let has = |l: &Leaf| flags.get(l).map(|flag| var(flag.has));
        let mut cases = Cases::new();
        let mut independence = Independence::Yes;
        for (n, &q) in below.iter().enumerate() {
            let last = n + 1 == below.len();
            let cond = if last && exhaustive {
                always()
            } else {
                points[q].leaves.iter().filter_map(has).fold(always(), and_also)
            };
            let code = match self.case(visit, var(i), q, iters) {
                Some(case) => {
                    if case.independent == Independence::No {
                        independence = Independence::No;
                    }
                    case.code
                }
                None => Vec::new(),
            };
            cases.push((cond, code));
        }
        (cases, independence)
    }
}

/// Puts the steps of a union of two lists into its cases, if it has one for each way in which their coordinates compare. What
/// is done there is a branch anyway, and where the step is in it, the next coordinates are read as soon as the branch is
/// guessed; computed from the comparison, each step waits for the one before it, some ten cycles.
///
/// ```text
/// if jA == jB { …; pA += 1; pB += 1 } else if jA < jB { …; pA += 1 } else { …; pB += 1 }
/// ```
fn moved_in_cases(
    visit: &Visit,
    n: usize,
    running: &Cursors,
    coords: &BTreeMap<Leaf, VarId>,
    cases: &mut Cases,
) -> bool {
    let below = visit.of.lattice.points_below(n);
    let plain = |iter: &Cursor| matches!(iter.form, CursorForm::Distinct) && iter.test == ChildTest::Always;
    let simple = running.len() == 2
        && running.values().all(|iter| plain(iter) && iter.previous_coordinate().is_none());
    let ([both, one, other], 3) = (&mut cases[..], below.len()) else { return false };
    let of = |q: usize| -> Vec<&Leaf> { visit.of.lattice.points[below[q]].leaves.iter().collect() };
    let (all, [first, second]) = (of(0), [of(1), of(2)]);
    let ([a], [b]) = (&first[..], &second[..]) else { return false };
    if !simple || all.len() != 2 || a == b || other.0 != always() {
        return false;
    }
    let step = |leaf: &Leaf| running[leaf].next();
    both.0 = eq(var(coords[*a]), var(coords[*b]));
    one.0 = lt(var(coords[*a]), var(coords[*b]));
    both.1.extend([step(a), step(b)]);
    one.1.push(step(a));
    other.1.push(step(b));
    true
}

/// `if … {} else if … {} else {}`.
pub(crate) fn choose(cases: Cases) -> Vec<Code> {
    let mut rest: Vec<Code> = Vec::new();
    for (cond, then) in cases.into_iter().rev() {
        if cond == always() {
            rest = then;
        } else if !(then.is_empty() && rest.is_empty()) {
            rest = vec![Code::If { cond, then, other: rest }];
        }
    }
    rest
}
