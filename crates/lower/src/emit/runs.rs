//! Loops over runs of coordinates that share a position (run-length levels): a round takes what runs have in common.
//!
//! ```text
//! over one level        for r in lo..hi { for i in now..ends[r] { … }  now = ends[r] }
//! over several          while r < r_end {                            the others end with it, where no row is missing
//!                         end = min(ends[r], ends[q])
//!                         for i in now..end { … }
//!                         now = end   r = r + (ends[r] == end)   q = q + (ends[q] == end)
//!                       }
//! along another walk    for p in lo..hi { i = crd[p]   while ends[r] <= i { r = r + 1 }  … }
//! ```
//! Where nothing happens at the fill value, runs that hold it are passed over as a whole; and what is added up, or is the same
//! however often it is taken, is taken once for all coordinates of a run: `t = t + n * x`, `t = max(t, x)`.

use crate::emit::Emitter;
use crate::emit::assemble::{always, min};
use crate::emit::cursor::{Cursor, Spans};
use crate::emit::iter::Cursors;
use crate::emit::scope::Scope;
use crate::emit::visit::Visit;
use crate::graph::Walk;
use crate::space::Leaf;
use openwork_algebra::{DType, Prim};
use openwork_base::machine::threshold;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId};
use openwork_loops::build::{add, and_also, call, cast, eq, if_then, int, load, lt, set, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, VarId};

impl Emitter<'_> {
    /// The loops over the runs of region `n`, from where its cursors stand.
    pub(crate) fn over_runs(&mut self, visit: &Visit, n: usize, all: &Cursors) -> Vec<Code> {
        let here = visit.of.lattice.points[n].leaves.iter().map(|l| (l.clone(), all[l].clone()));
        let iters: Cursors = here.collect();
        if iters.len() > 1 {
            return self.over_common_runs(visit, n, &iters);
        }
        let Some((leaf, outer)) = iters.first_key_value() else { return Vec::new() };
        let Some(spans @ Spans { now, .. }) = outer.spans() else { return Vec::new() };
        let pos = self.kernel.index("r");
        let inner = Cursor { pos, ..outer.clone() };
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let running = Cursors::from([(leaf.clone(), inner)]);
        let end = self.kernel.index(&format!("{name}_end"));
        let Some(each) = self.in_a_run(visit, n, i, now, end, &running) else { return Vec::new() };
        let mut run = vec![Code::Let { var: end, val: spans.end_of_run(&self.kernel, pos) }];
        run.extend(if_then(self.not_fill(visit, n, &running), each));
        run.push(set(now, var(end)));
        let (lo, hi) = (var(outer.pos), outer.end.clone());
        vec![Code::For { var: pos, lo, hi, step: 1, mode: LoopMode::Serial, body: run }]
    }

    /// The loop over what runs of several levels have in common.
    fn over_common_runs(&mut self, visit: &Visit, n: usize, iters: &Cursors) -> Vec<Code> {
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let runs: Vec<(&Leaf, &Cursor, Spans)> =
            iters.iter().filter_map(|(leaf, cursor)| Some((leaf, cursor, cursor.spans()?))).collect();
        let Some(&(.., Spans { now, .. })) = runs.first() else { return Vec::new() };
        let end = self.kernel.index(&format!("{name}_end"));
        let Some(each) = self.in_a_run(visit, n, i, now, end, iters) else { return Vec::new() };
        let mut body = Vec::new();
        let mut stops: Vec<(&Cursor, VarId)> = Vec::new();
        for (leaf, cursor, spans) in runs {
            let stop = self.kernel.index(&format!("{}_end", self.program.tensors[leaf.access.tensor].name));
            let val = spans.end_of_run(&self.kernel, cursor.pos);
            body.push(Code::Let { var: stop, val });
            stops.push((cursor, stop));
        }
        let first = stops.iter().map(|&(_, stop)| var(stop)).reduce(min).unwrap_or(var(now));
        body.push(Code::Let { var: end, val: first });
        body.extend(if_then(self.not_fill(visit, n, iters), each));
        body.push(set(now, var(end)));
        for (cursor, stop) in stops {
            let past = cast(DType::I64, DType::Bool, eq(var(stop), var(end)));
            body.push(set(cursor.pos, add(var(cursor.pos), past)));
        }
        // Runs of rows that are there end together.
        let dense_above = |l: &Leaf| {
            let levels = &self.program.tensors[l.access.tensor].format.levels;
            levels[..l.level].iter().all(|l| l.is_dense())
        };
        let asked = if iters.keys().all(dense_above) { 1 } else { iters.len() };
        let cond = iters.values().take(asked).map(Cursor::more).reduce(and_also).unwrap_or(always());
        vec![Code::While { cond, body }]
    }

    /// What is done at the coordinates `now..end` of a run: at each, or once where a run of the result is made of them.
    fn in_a_run(
        &mut self,
        visit: &Visit,
        n: usize,
        i: VarId,
        now: VarId,
        end: VarId,
        at: &Cursors,
    ) -> Option<Vec<Code>> {
        if visit.of.arms[n].walk == Walk::Whole {
            let scope = Scope { until: Some(var(end)), ..visit.scope.clone() };
            let whole = Visit { scope: &scope, ..*visit };
            return self.case(&whole, var(now), n, at).map(|case| case.code);
        }
        if let Some(once) = self.reduce_run(visit, n, now, end, at) {
            return Some(if_then(lt(var(now), var(end)), once));
        }
        let case = self.case(visit, var(i), n, at)?;
        Some(rounds(i, var(now), var(end), case.independent.mode(), case.code))
    }
    /// What the coordinates `now..end` of a run come to in a sum, a maximum and the like of values that are the same at all of
    /// them; nothing for anything else.
    fn reduce_run(
        &mut self,
        visit: &Visit,
        n: usize,
        now: VarId,
        end: VarId,
        at: &Cursors,
    ) -> Option<Vec<Code>> {
        let (arm, v) = (&visit.of.arms[n], visit.v);
        let CinStmt::Assign { lhs, op: Some(op), rhs } = &arm.node.stmt else { return None };
        let of_run = |a: &Access| !a.vars.contains(&v) || at.keys().any(|leaf| leaf.access == *a);
        let alike = rhs.accesses().into_iter().all(of_run)
            && !depends_on_coordinate(rhs, v)
            && !lhs.vars.contains(&v);
        // Where a coordinate must agree with others, it is one of the run, not all of it.
        let free = arm.bound.checks.is_empty();
        let plain = free
            && visit.of.sought.is_empty()
            && visit.of.followed.is_empty()
            && visit.scope.followed.is_empty();
        let dtype = self.program.tensors[lhs.tensor].dtype;
        let sum = op.prim == Prim::Add && (dtype.is_int() || dtype.is_float());
        if !arm.node.how.is_plain() || !alike || !plain || !(sum || op.idempotent && op.associative) {
            return None;
        }
        let case = self.case(visit, var(now), n, at)?;
        if !sum {
            return Some(case.code);
        }
        let length = cast(dtype, DType::I64, call(Prim::Sub, var(end), var(now)));
        match &case.code[..] {
            [Code::Set { var: t, val: Ir::Call { prim: Prim::Add, args } }] => match &args[..] {
                [Ir::Var(into), value] if into == t => {
                    // The product that is rounded with the sum is the last one.
                    let (one, times) = match value {
                        Ir::Call { prim: Prim::Fused, args } => {
                            (Ir::Call { prim: Prim::Mul, args: args.clone() }, Prim::Fused)
                        }
                        value => (value.clone(), Prim::Mul),
                    };
                    let all = call(times, one, length);
                    Some(vec![set(*t, call(Prim::Add, var(*t), all))])
                }
                _ => None,
            },
            _ => None,
        }
    }
    /// Whether something happens in the current runs.
    fn not_fill(&self, visit: &Visit, n: usize, at: &Cursors) -> Ir {
        let held = visit.of.arms[n].skips.iter().map(|leaf| {
            let tensor = leaf.access.tensor;
            let value = load(self.tensors[&tensor].vals, var(at[leaf].pos));
            self.differs(value, self.program.tensors[tensor].fill)
        });
        held.reduce(and_also).unwrap_or(always())
    }

    /// Moves cursors over runs on to those that cover a coordinate.
    pub(crate) fn follow(&self, followed: &[(Leaf, Cursor)], coord: &Ir) -> Vec<Code> {
        let mut code = Vec::new();
        for (cursor, Spans { ends, .. }) in followed.iter().filter_map(|(_, c)| Some((c, c.spans()?))) {
            let end = self.kernel.load_index(ends, var(cursor.pos));
            let behind = call(Prim::Le, end, coord.clone());
            code.push(Code::While { cond: and_also(cursor.more(), behind), body: vec![cursor.next()] });
        }
        code
    }
}

/// Whether a value depends on the coordinate itself, not only on what is stored there.
fn depends_on_coordinate(e: &IndexExpr, v: IndexId) -> bool {
    let mut found = false;
    e.visit(&mut |e| {
        found |= match e {
            IndexExpr::Index(w) => *w == v,
            IndexExpr::Width(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::WithFill { .. } => true,
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Cast { .. }
            | IndexExpr::Call { .. }
            | IndexExpr::Reduce { .. } => false,
        }
    });
    found
}

/// Fewer rounds than a loop in vectors is worth beginning for.
const FEW: i64 = 8;

/// `for i in lo..hi { … }`, of which there may be few rounds: then not in vectors.
pub(crate) fn rounds(i: VarId, lo: Ir, hi: Ir, mode: LoopMode, body: Vec<Code>) -> Vec<Code> {
    let all = |mode| Code::For { var: i, lo: lo.clone(), hi: hi.clone(), step: 1, mode, body: body.clone() };
    if mode == LoopMode::Serial {
        return vec![all(mode)];
    }
    let cond = lt(call(Prim::Sub, hi.clone(), lo.clone()), int(threshold(FEW, 1)));
    vec![Code::If { cond, then: vec![all(LoopMode::Serial)], other: vec![all(mode)] }]
}
