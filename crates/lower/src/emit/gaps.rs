//! Loops over a whole dimension beside lists: between two stored coordinates nothing has to be asked.
//!
//! ```text
//! y(i) = max(A(i), x(i))       at = 0
//!                              while at < n {
//!                                iA = if p < end { crd[p] } else { n }      next = min(iA, n)
//!                                for i in at..next { y[i] = max(0, x[i]) }
//!                                if next < n { y[next] = max(A[p], x[next])   p = p + 1 }
//!                                at = next + 1
//!                              }
//! ```
//! A reduction that a gap changes only under a condition has no loop there where that does not hold, and one that is decided ends.
//! Operands in runs are there at every coordinate as well: what lies between stored coordinates is taken run by run. Where the
//! result is in runs, each of these is one of its own, or goes on with the last one.

use crate::emit::Emitter;
use crate::emit::assemble::{always, min};
use crate::emit::cursor::Cursor;
use crate::emit::iter::Cursors;
use crate::emit::merge::{LeafFlags, choose};
use crate::emit::runs::rounds;
use crate::emit::scope::Scope;
use crate::emit::visit::Visit;
use crate::lattice::Point;
use crate::space::Leaf;
use openwork_algebra::{DType, Prim};
use openwork_index::{CinStmt, IndexExpr, TensorKind};
use openwork_levels::ChildTest;
use openwork_loops::build::{add, call, cast, eq, if_then, int, lt, set, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, VarId};

impl Emitter<'_> {
    /// The loop over a dimension in which lists have gaps.
    pub(crate) fn over_gaps(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let name = self.program.indices[visit.v].name.clone();
        let (lo, hi) = self.bounds_of(visit);
        let at = self.kernel.index(&format!("{name}_at"));
        let (runs, lists): (Cursors, Cursors) =
            iters.iter().map(|(l, c)| (l.clone(), c.clone())).partition(|(_, c)| c.spans().is_some());
        let mut body = Vec::new();
        let mut coords = Vec::new();
        for (leaf, list) in &lists {
            let tensor = &self.program.tensors[leaf.access.tensor].name;
            let coord = self.kernel.index(&format!("{name}{tensor}"));
            body.push(Code::Let { var: coord, val: hi.clone() });
            body.extend(if_then(list.more(), vec![set(coord, list.coord(&self.kernel))]));
            coords.push((leaf.clone(), coord));
        }
        let next = self.kernel.index(&name);
        let first = coords.iter().map(|&(_, coord)| var(coord)).reduce(min).unwrap_or(hi.clone());
        body.push(Code::Let { var: next, val: first });
        let gap = self.in_gap(visit, at, next, &runs);
        let in_vain = self.ends_if_decided(visit);
        body.extend(if_then(lt(var(at), var(next)), [gap, in_vain].concat()));
        // What is stored at the next coordinate, if the dimension goes so far.
        let mut stored = Vec::new();
        let mut running = runs.clone();
        let mut flags = LeafFlags::new();
        for (leaf, coord) in coords {
            let mut list = lists[&leaf].clone();
            let flag = self.flags(&list, eq(var(coord), var(next)), var(next), &mut stored);
            stored.extend(self.open_run(&mut list, var(flag.at), var(next)));
            flags.insert(leaf.clone(), flag);
            running.insert(leaf, list);
        }
        let (mut cases, _) = self.cases(visit, 0, next, &running, &flags);
        if self.tells_all(visit, &lists) {
            cases.pop();
            if let ([(cond, _)], 1) = (&mut cases[..], lists.len()) {
                *cond = always();
            }
        }
        stored.extend(self.ends_where_decided(visit, choose(cases)));
        for (leaf, flag) in &flags {
            stored.extend(running[leaf].advance(flag.at, &self.kernel));
        }
        stored.extend(runs.values().map(|run| self.advance_run(run, add(var(next), int(1)))));
        body.extend(if_then(lt(var(next), hi.clone()), stored));
        body.push(set(at, add(var(next), int(1))));
        let whole = Code::While { cond: lt(var(at), hi), body };
        vec![Code::Let { var: at, val: lo }, whole]
    }

    /// Whether at a coordinate that some list has another region than that of the gaps is met.
    fn tells_all(&self, visit: &Visit, lists: &Cursors) -> bool {
        let points = &visit.of.lattice.points;
        let gap = points.len() - 1;
        let alone = |l: &Leaf| {
            let one = |p: &Point| p.leaves.contains(l) && p.leaves.len() == points[gap].leaves.len() + 1;
            points[..gap].iter().any(one)
        };
        lists.iter().all(|(leaf, list)| list.test == ChildTest::Always && alone(leaf))
    }

    /// The coordinates `at..next`, which no list has.
    fn in_gap(&mut self, visit: &Visit, at: VarId, next: VarId, runs: &Cursors) -> Vec<Code> {
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let gap = visit.of.arms.len() - 1;
        let grows = self.gives_runs(visit, gap);
        let end = if runs.is_empty() { next } else { self.kernel.index(&format!("{name}_end")) };
        let scope = Scope { until: grows.then(|| var(end)), ..visit.scope.clone() };
        let inside = Visit { scope: &scope, ..*visit };
        let first = if grows { at } else { i };
        let Some(case) = self.case(&inside, var(first), gap, runs) else { return Vec::new() };
        let changing = self.condition_of_gap(visit, gap, &scope);
        let decided = visit.of.until.is_some();
        let mode = if decided { LoopMode::Serial } else { case.independent.mode() };
        let round = self.ends_where_decided(&inside, case.code);
        let each = |hi| match grows {
            true => round,
            false => match changing {
                Some(cond) => if_then(cond, rounds(i, var(at), hi, mode, round)),
                None => rounds(i, var(at), hi, mode, round),
            },
        };
        if runs.is_empty() {
            return each(var(next));
        }
        let ends = runs.values().fold(var(next), |least, run| min(least, self.end_of_run(run)));
        let mut body = vec![Code::Let { var: end, val: ends }];
        body.extend(each(var(end)));
        body.extend(runs.values().map(|run| self.advance_run(run, var(end))));
        body.push(set(at, var(end)));
        vec![Code::While { cond: lt(var(at), var(next)), body }]
    }

    /// What has to hold for a reduction to change in a gap, where that is the same at all of its coordinates: of what is chosen
    /// elsewhere nothing comes.
    fn condition_of_gap(&self, visit: &Visit, gap: usize, scope: &Scope) -> Option<Ir> {
        let CinStmt::Assign { lhs, op: Some(by), rhs: IndexExpr::Call { op, args } } =
            &visit.of.arms[gap].node.stmt
        else {
            return None;
        };
        let [condition, _, IndexExpr::Literal(elsewhere)] = &args[..] else { return None };
        let idle = by.identity_at(1, self.program.tensors[lhs.tensor].dtype)?;
        let same = op.prim == Prim::Select && !condition.mentions(visit.v) && elsewhere.is_same(idle);
        same.then(|| self.expr(condition, scope))
    }

    /// Whether region `n` gives the result's runs values.
    fn gives_runs(&self, visit: &Visit, n: usize) -> bool {
        let Some(lhs) = visit.of.arms[n].node.stmt.target() else { return false };
        let t = &self.program.tensors[lhs.tensor];
        t.kind == TensorKind::Result && t.format.levels.last().is_some_and(|l| l.shares_positions())
    }
    fn end_of_run(&self, run: &Cursor) -> Ir {
        self.kernel.load_index(run.spans().expect("a walk over runs").ends, var(run.pos))
    }
    /// Moves on to the next run, if this one ends at a coordinate.
    fn advance_run(&self, run: &Cursor, coord: Ir) -> Code {
        let ends = cast(DType::I64, DType::Bool, call(Prim::Eq, self.end_of_run(run), coord));
        set(run.pos, add(var(run.pos), ends))
    }
}
