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
use crate::emit::scope::{Room, Scope};
use crate::graph::coverage::Coverage;
use crate::whole::grows;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_index::{Access, Expr, IndexId, TensorId};
use openwork_levels::Gaps;
use openwork_loops::build::{add, call, cast, constant, int, lt, mul, set, store, var, when};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, Ty, VarId};

/// The runs of a result under assembly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growing {
    /// Where those of the current row begin.
    first: VarId,
    /// The value of the last one.
    last: VarId,
    /// The coordinate up to which there are runs, where loops may leave some out.
    now: Option<VarId>,
    /// The number of rows that have ended, where loops may leave some out.
    next: Option<VarId>,
}

impl Emitter<'_> {
    /// The runs of a result whose last level has them.
    pub(crate) fn open_growing(
        &mut self,
        access: &Access,
        appended: &[(usize, usize)],
        coverage: &Coverage,
        code: &mut Vec<Code>,
    ) -> Option<Growing> {
        let t = &self.program.tensors[access.tensor];
        let k = appended.first().map(|&(k, _)| k).filter(|&k| grows(t, k))?;
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
        Some(Growing { first, last, now, next })
    }
    /// The runs of the result, its number of positions, and the last level.
    fn growing(&self) -> Option<(Growing, VarId, TensorId, usize)> {
        let r = self.result.as_ref()?;
        Some((r.growing?, r.chains[0].count, r.tensor, r.chains[0].levels.0))
    }

    /// The value at a coordinate, or at all of them until another one.
    pub(crate) fn append_run(&mut self, value: Ir, scope: &Scope) -> Vec<Code> {
        let (g, _, tensor, k) = self.growing().expect("only results with runs have values in runs");
        let v = self.var_of(&self.result.as_ref().expect("as above").access, k);
        let at = scope.coords[&v].clone();
        let end = scope.until.clone().unwrap_or_else(|| add(at.clone(), int(1)));
        let mut code = Vec::new();
        if let Some(now) = g.now {
            let fill = constant(self.program.tensors[tensor].fill);
            let gap = self.push(fill, at.clone(), scope.room);
            code.extend(when(lt(var(now), at), gap));
        }
        code.extend(self.push(value, end.clone(), scope.room));
        code.extend(g.now.map(|now| set(now, end)));
        code
    }
    /// A value up to a coordinate.
    fn push(&mut self, value: Ir, end: Ir, room: Room) -> Vec<Code> {
        let (g, count, tensor, k) = self.growing().expect("only results with runs have values in runs");
        let dtype = self.program.tensors[tensor].dtype;
        let mut code = Vec::new();
        let value = match value {
            simple @ (Ir::Const(_) | Ir::Var(_)) => simple,
            computed => {
                let held = self.kernel.var("value", Ty::scalar(dtype));
                code.push(Code::Let { var: held, val: computed });
                var(held)
            }
        };
        if room == Room::Wanted {
            code.extend(self.make_room(0, add(var(count), int(1))));
        }
        let goes_on = call(Prim::And, lt(var(g.first), var(count)), same(value.clone(), var(g.last), dtype));
        let at = self.kernel.index("at");
        code.push(Code::Let {
            var: at,
            val: call(Prim::Sub, var(count), cast(DType::I64, DType::Bool, goes_on)),
        });
        let ir = &self.tensors[&tensor];
        code.push(store(ir.vals.expect("results have values"), var(at), value.clone()));
        code.push(self.kernel.store_index(ir.levels[k].arrays[1], var(at), end));
        code.extend([set(count, add(var(at), int(1))), set(g.last, value)]);
        code
    }
    /// Whether rows of runs end where a coordinate of `v` has been dealt with.
    pub(crate) fn ends_rows(&self, v: IndexId) -> bool {
        let access = self.result.as_ref().map(|r| &r.access);
        let above = self.growing().and_then(|(.., k)| Some((k.checked_sub(1)?, access?)));
        above.is_some_and(|(k, access)| self.var_of(access, k) == v)
    }
    /// The fill value up to the end of the row, unless loops came that far.
    pub(crate) fn finish_runs(&mut self) -> Vec<Code> {
        let Some((Growing { now: Some(now), .. }, _, tensor, k)) = self.growing() else { return Vec::new() };
        let size = self.tensors[&tensor].levels[k].size.clone();
        let fill = constant(self.program.tensors[tensor].fill);
        let rest = self.push(fill, size.clone(), Room::Wanted);
        when(lt(var(now), size), rest)
    }
    /// After a row ends: what is known of the next one.
    pub(crate) fn begin_runs(&self, next: Ir) -> Vec<Code> {
        let Some((g, count, ..)) = self.growing() else { return Vec::new() };
        let mut code = vec![set(g.first, var(count))];
        code.extend(g.now.map(|now| set(now, int(0))));
        code.extend(g.next.map(|row| set(row, next)));
        code
    }
    /// Rows that loops left out before the current one, where `v` is the variable right above the runs.
    pub(crate) fn skipped_rows(&mut self, v: IndexId, scope: &Scope) -> Vec<Code> {
        let Some((Growing { next: Some(_), .. }, .., k)) = self.growing().filter(|_| self.ends_rows(v))
        else {
            return Vec::new();
        };
        let access = self.result.as_ref().expect("it has runs").access.clone();
        let mut scope = scope.clone();
        self.locate(&access, &mut scope);
        let row = scope.parent(&access, k).expect("the levels above are dense");
        self.rows_of_fill(row.lo)
    }
    /// The end of the last row, or of all that loops left out.
    pub(crate) fn last_rows(&mut self) -> Vec<Code> {
        let Some((g, .., tensor, k)) = self.growing() else { return Vec::new() };
        let levels = &self.tensors[&tensor].levels[..k];
        let rows = levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        match (k, g.next) {
            (0, _) => self.finish_runs(),
            (_, Some(_)) => self.rows_of_fill(rows),
            (_, None) => Vec::new(),
        }
    }
    /// Rows of the fill value up to one of them.
    fn rows_of_fill(&mut self, end: Ir) -> Vec<Code> {
        let Some((Growing { next: Some(next), .. }, count, tensor, k)) = self.growing() else {
            return Vec::new();
        };
        let access = self.result.as_ref().expect("it has runs").access.clone();
        let size = self.tensors[&tensor].levels[k].size.clone();
        let fill = constant(self.program.tensors[tensor].fill);
        let row = self.kernel.index("row");
        let whole = self.push(fill, size.clone(), Room::Wanted);
        let mut body = when(lt(int(0), size), whole);
        body.extend(self.end_row(&access, k, var(row), count));
        vec![Code::For { var: row, lo: var(next), hi: end, step: 1, mode: LoopMode::Serial, body }]
    }

    /// How many positions so many rounds of a loop append at most: where coordinates are left out, runs lie between others.
    pub(crate) fn appended_by(&self, rounds: Ir) -> Ir {
        match self.growing() {
            Some((Growing { now: Some(_), .. }, ..)) => add(mul(int(2), rounds), int(1)),
            Some(_) | None => rounds,
        }
    }
}

/// Whether a value is assigned only where an operand has an element.
fn is_mapped(e: &Expr) -> bool {
    matches!(e, Expr::Map { .. }) || e.children().any(is_mapped)
}

/// Whether two values are one and the same, signs of zeros included; all NaN are.
fn same(a: Ir, b: Ir, dtype: DType) -> Ir {
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
