//! Runs of equal values of a result (run-length levels): the last run goes on where it has the value that comes next.
//!
//! ```text
//! a value v up to e       at = count - (first < count & last is v)   vals[at] = v   crd[at] = e   count = at + 1   last = v
//! at a coordinate i       [if now < i { the fill value up to i }]   v up to i + 1   [now = i + 1]
//! over common runs        the same, where they end instead of i + 1: a run is one round of a loop
//! where a row ends        [if now < size { the fill value up to size }]   pos[row + 1] = count   first = count   [now = 0]
//! before a row            {for row in next..i { the fill value up to size, and the row ends }}   …   {next = row + 1}
//! ```
//! What is in brackets is written where loops may leave coordinates out, what is in braces where they may leave rows out. Signs of
//! zeros are told apart, and NaN goes on as NaN. No loop is cut inside of a row, so the runs are those of packing, on any number
//! of threads.

use crate::emit::Emitter;
use crate::emit::made::{AssembledResult, Growing, LevelChain};
use crate::emit::scope::{AppendRoom, Scope};
use crate::emit::tensors::TensorIr;
use crate::graph::coverage::Coverage;
use crate::whole::grows;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_index::{Access, IndexExpr, IndexId};
use openwork_levels::Gaps;
use openwork_loops::build::{add, call, cast, constant, if_then, int, lt, mul, set, store, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, Ty};
use std::rc::Rc;

impl<'a> Emitter<'a> {
    /// The runs of a result whose last level has them.
    pub(crate) fn open_growing(
        &mut self,
        access: &Access,
        chains: &[LevelChain],
        coverage: &Coverage,
        code: &mut Vec<Code>,
    ) -> Option<Growing> {
        let t = &self.program.tensors[access.tensor];
        let chain = chains.first().filter(|chain| grows(t, chain.levels.0))?;
        let k = chain.levels.0;
        let mapped = self.program.body.assignments().into_iter().any(|(.., rhs)| is_mapped(rhs));
        let gaps = mapped || coverage.skipped.contains(&self.var_of(access, k));
        let (name, fill, ty) = (t.name.clone(), t.fill, Ty::scalar(t.dtype));
        let mut index = |what: &str| {
            let v = self.kernel.index(&format!("{name}_{what}"));
            code.push(Code::Let { var: v, val: int(0) });
            v
        };
        let first = index("first");
        let now = gaps.then(|| index("now"));
        let next = (k > 0 && coverage.open[0] == Gaps::Possible).then(|| index("next"));
        let last = self.kernel.var(&format!("{name}_last"), ty);
        code.push(Code::Let { var: last, val: constant(fill) });
        let TensorIr { levels, vals, .. } = &self.tensors[&access.tensor];
        let (ends, size) = (levels[k].arrays[1], levels[k].size.clone());
        Some(Growing { k, count: chain.count, vals: *vals, ends, fill, size, first, last, now, next })
    }
    /// The result that has runs, and these.
    fn growing_result(&self) -> Option<(Rc<AssembledResult<'a>>, Growing)> {
        let r = self.result.as_ref()?;
        Some((r.clone(), r.growing.clone()?))
    }

    /// The value at a coordinate, or at all of them until another one.
    pub(crate) fn append_run(
        &mut self,
        r: &AssembledResult,
        g: &Growing,
        value: Ir,
        scope: &Scope,
    ) -> Vec<Code> {
        let at = scope.coords[&self.var_of(&r.access, g.k)].clone();
        let end = scope.until.clone().unwrap_or_else(|| add(at.clone(), int(1)));
        let mut code = Vec::new();
        if let Some(now) = g.now {
            let gap = self.push(r, g, constant(g.fill), at.clone(), scope.room);
            code.extend(if_then(lt(var(now), at), gap));
        }
        code.extend(self.push(r, g, value, end.clone(), scope.room));
        code.extend(g.now.map(|now| set(now, end)));
        code
    }
    /// A value up to a coordinate.
    fn push(&mut self, r: &AssembledResult, g: &Growing, value: Ir, end: Ir, room: AppendRoom) -> Vec<Code> {
        let (count, dtype) = (g.count, g.fill.dtype());
        let mut code = Vec::new();
        let value = match value {
            simple @ (Ir::Const(_) | Ir::Var(_)) => simple,
            computed => {
                let held = self.kernel.var("value", Ty::scalar(dtype));
                code.push(Code::Let { var: held, val: computed });
                var(held)
            }
        };
        if room == AppendRoom::Wanted {
            code.extend(self.make_room(r, &r.chains[0], add(var(count), int(1))));
        }
        let goes_on =
            call(Prim::And, lt(var(g.first), var(count)), same_value(value.clone(), var(g.last), dtype));
        let at = self.kernel.index("at");
        code.push(Code::Let {
            var: at,
            val: call(Prim::Sub, var(count), cast(DType::I64, DType::Bool, goes_on)),
        });
        code.push(store(g.vals, var(at), value.clone()));
        code.push(self.kernel.store_index(g.ends, var(at), end));
        code.extend([set(count, add(var(at), int(1))), set(g.last, value)]);
        code
    }
    /// Whether rows of runs end where a coordinate of `v` has been dealt with.
    pub(crate) fn ends_rows(&self, v: IndexId) -> bool {
        let above =
            self.growing_result().and_then(|(r, g)| Some(self.var_of(&r.access, g.k.checked_sub(1)?)));
        above == Some(v)
    }
    /// The fill value up to the end of the row, unless loops came that far.
    pub(crate) fn finish_runs(&mut self) -> Vec<Code> {
        let Some((r, g)) = self.growing_result() else { return Vec::new() };
        let Some(now) = g.now else { return Vec::new() };
        let rest = self.push(&r, &g, constant(g.fill), g.size.clone(), AppendRoom::Wanted);
        if_then(lt(var(now), g.size), rest)
    }
    /// After a row ends: what is known of the next one.
    pub(crate) fn begin_runs(&self, next: Ir) -> Vec<Code> {
        let Some((_, g)) = self.growing_result() else { return Vec::new() };
        let mut code = vec![set(g.first, var(g.count))];
        code.extend(g.now.map(|now| set(now, int(0))));
        code.extend(g.next.map(|row| set(row, next)));
        code
    }
    /// Rows that loops left out before the current one, where `v` is the variable right above the runs.
    pub(crate) fn skipped_rows(&mut self, v: IndexId, scope: &Scope) -> Vec<Code> {
        let Some((r, g)) = self.growing_result().filter(|(_, g)| g.next.is_some() && self.ends_rows(v))
        else {
            return Vec::new();
        };
        let mut scope = scope.clone();
        self.locate(&r.access, &mut scope);
        let row = scope.parent(&r.access, g.k).expect("the levels above are dense");
        self.rows_of_fill(&r, &g, row.lo)
    }
    /// The end of the last row, or of all that loops left out.
    pub(crate) fn last_rows(&mut self) -> Vec<Code> {
        let Some((r, g)) = self.growing_result() else { return Vec::new() };
        if g.k == 0 {
            return self.finish_runs();
        }
        let levels = &self.tensors[&r.tensor].levels[..g.k];
        let rows = levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        self.rows_of_fill(&r, &g, rows)
    }
    /// Rows of the fill value up to one of them, where loops may leave some out.
    fn rows_of_fill(&mut self, r: &AssembledResult, g: &Growing, end: Ir) -> Vec<Code> {
        let Some(next) = g.next else { return Vec::new() };
        let row = self.kernel.index("row");
        let whole = self.push(r, g, constant(g.fill), g.size.clone(), AppendRoom::Wanted);
        let mut body = if_then(lt(int(0), g.size.clone()), whole);
        body.extend(self.end_row(&r.chains[0], var(row)));
        vec![Code::For { var: row, lo: var(next), hi: end, step: 1, mode: LoopMode::Serial, body }]
    }

    /// How many positions so many rounds of a loop append at most: where coordinates are left out, runs lie between others.
    pub(crate) fn appended_by(&self, rounds: Ir) -> Ir {
        match self.growing_result() {
            Some((_, Growing { now: Some(_), .. })) => add(mul(int(2), rounds), int(1)),
            Some(_) | None => rounds,
        }
    }
}

/// Whether a value is assigned only where an operand has an element.
fn is_mapped(e: &IndexExpr) -> bool {
    matches!(e, IndexExpr::Map { .. }) || e.children().any(is_mapped)
}

/// Whether two values are one and the same, signs of zeros included; all NaN are.
fn same_value(a: Ir, b: Ir, dtype: DType) -> Ir {
    let equal = |a: &Ir, b: &Ir| call(Prim::Eq, a.clone(), b.clone());
    if !dtype.is_float() {
        return equal(&a, &b);
    }
    let one = constant(Scalar::one(dtype));
    let inverse = |x: &Ir| call(Prim::Div, one.clone(), x.clone());
    let differs = |x: &Ir| call(Prim::Ne, x.clone(), x.clone());
    let alike = call(Prim::And, equal(&a, &b), equal(&inverse(&a), &inverse(&b)));
    call(Prim::Or, alike, call(Prim::And, differs(&a), differs(&b)))
}
