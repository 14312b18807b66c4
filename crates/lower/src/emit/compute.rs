//! Expressions and assignments of CIN as loop IR, and temporaries around them.

use crate::emit::Emitter;
use crate::emit::assemble::always;
use crate::emit::scope::Scope;
use crate::graph::{AssignAction, Where};
use crate::statement::values_of;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, TensorKind};
use openwork_levels::{Place, Shape, WalkStart};
use openwork_loops::build::{add, call, cast, constant, for_each, if_then, int, load, mul, set, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, Ty};

impl Emitter<'_> {
    /// Gives the temporaries that `producer` fills their first value.
    pub(crate) fn open_temporaries(&mut self, producer: &CinStmt, scope: &Scope) -> Vec<Code> {
        let mut code = Vec::new();
        let mut seen = Vec::new();
        // A producer's own where clauses open their temporaries themselves.
        for lhs in producer.targets() {
            let t = &self.program.tensors[lhs.tensor];
            if t.kind == TensorKind::Temp && !seen.contains(&lhs.tensor) {
                seen.push(lhs.tensor);
                let (fill, name, dtype) = (t.fill, t.name.clone(), t.dtype);
                match self.tensors.get(&lhs.tensor).map(|ir| ir.vals) {
                    None => {
                        let v = self.kernel.var(&name, Ty::scalar(dtype));
                        self.temps.insert(lhs.tensor, v);
                        code.push(Code::Let { var: v, val: constant(fill) });
                    }
                    // Every extraction leaves a sparse one empty.
                    Some(_) if self.is_workspace(lhs.tensor) => {}
                    Some(buf) => {
                        let levels = &self.tensors[&lhs.tensor].levels;
                        let len = levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
                        let inside = !scope.coords.is_empty();
                        let reserve = Code::Reserve { buf, len: len.clone() };
                        // Its size is the same in every round: memory is made once.
                        if inside {
                            self.prologue.push(reserve)
                        } else {
                            code.push(reserve)
                        }
                        // Fresh memory is zero; inside a loop it holds the values of the last round.
                        if !fill.is_same(Scalar::zero(dtype)) || inside {
                            let at = self.kernel.index("p");
                            code.push(self.fill_range(buf, at, int(0), len, fill));
                        }
                    }
                }
            }
        }
        code
    }

    /// After a producer: a sparse temporary becomes readable, unless its elements are taken out as they come.
    pub(crate) fn close_temporary(&mut self, w: &Where) -> Vec<Code> {
        match w.producer.stmt.target().filter(|_| w.drained.is_none() && w.marked.is_none()) {
            Some(lhs) => self.close_workspace(lhs.tensor),
            None => Vec::new(),
        }
    }

    /// `for at in lo..hi { buf[at] = value }`.
    pub(crate) fn fill_range(
        &self,
        buf: openwork_loops::BufId,
        at: openwork_loops::VarId,
        lo: Ir,
        hi: Ir,
        value: Scalar,
    ) -> Code {
        let body = vec![Code::Store { buf, at: var(at), val: constant(value), reduce: None }];
        Code::For { var: at, lo, hi, step: 1, mode: LoopMode::Vector, body }
    }

    /// An expression where every access is resolved.
    pub(crate) fn expr(&self, e: &IndexExpr, scope: &Scope) -> Ir {
        match e {
            IndexExpr::Literal(s) => constant(*s),
            IndexExpr::Index(v) => scope.coords[v].clone(),
            IndexExpr::Cast { to, arg } => Ir::Cast { to: *to, arg: Box::new(self.expr(arg, scope)) },
            IndexExpr::Call { op, args } => match e.as_position() {
                Some((v, value)) if self.program.indices[v].positional => {
                    call(op.prim, scope.coords[&v].clone(), self.nearest(v, value, scope))
                }
                Some(_) | None => {
                    Ir::Call { prim: op.prim, args: args.iter().map(|a| self.expr(a, scope)).collect() }
                }
            },
            IndexExpr::Access(a) => self.value(a, scope),
            IndexExpr::Map { to: value, .. }
            | IndexExpr::Stored { to: value, .. }
            | IndexExpr::Beside { value, .. }
            | IndexExpr::Predicate { holds: value, .. } => self.expr(value, scope),
            IndexExpr::WithFill { op, folded, visited, vars, fill } => {
                let (folded, visited) = (self.expr(folded, scope), self.expr(visited, scope));
                let (dtype, fill) = (fill.dtype(&self.program.tensors), self.expr(fill, scope));
                call(op.prim, folded, self.left_out(op, visited, vars, dtype, fill))
            }
            IndexExpr::Width(a) => self.width(a, scope),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    /// What coordinates that were not visited come to, all of which have one value.
    fn left_out(&self, op: &Operator, visited: Ir, vars: &[IndexId], dtype: DType, fill: Ir) -> Ir {
        let count = |n: Ir| cast(DType::F64, DType::I64, n);
        let sizes = || vars.iter().map(|v| var(self.sizes[v]));
        let all =
            sizes().map(count).reduce(|a, b| call(Prim::Mul, a, b)).unwrap_or(constant(Scalar::F64(1.0)));
        let some = call(Prim::Lt, count(visited.clone()), all.clone());
        let neutral = op.identity_at(1, dtype).expect("a reducing operator has an identity");
        let left_out = match op.prim {
            Prim::Add if dtype.is_inexact() => {
                let missing = call(Prim::Sub, all, count(visited));
                call(Prim::Mul, cast(dtype, DType::F64, missing), fill)
            }
            // Integers wrap, and so may their number.
            Prim::Add => {
                let all = sizes().reduce(mul).unwrap_or(int(1));
                let missing = cast(dtype, DType::I64, call(Prim::Sub, all, visited));
                call(Prim::Mul, missing, fill)
            }
            _ => fill,
        };
        Ir::Call { prim: Prim::Select, args: vec![some, left_out, constant(neutral)] }
    }
    /// The number of children of the last level of an access whose other levels are resolved.
    fn width(&self, a: &Access, scope: &Scope) -> Ir {
        let k = self.rank(a.tensor) - 1;
        let level = &self.tensors[&a.tensor].levels[k];
        let walk = self.registry.get(level.level.spec).and_then(|f| f.iterate());
        let parent = scope.parent(a, k).expect("loops resolve the levels above");
        let from = WalkStart { kernel: &self.kernel, level, parent: &parent, above: &[] };
        match walk.map(|w| w.iteration(&from)) {
            Some(Shape::Positions { lo, hi, .. }) => call(Prim::Sub, hi, lo),
            Some(Shape::Every | Shape::Single { .. } | Shape::Runs { .. } | Shape::Bits { .. }) | None => {
                unreachable!("only lists of coordinates are counted by their positions")
            }
        }
    }
    fn value(&self, a: &Access, scope: &Scope) -> Ir {
        if let Some(known) = scope.values.get(a) {
            return known.clone();
        }
        if let Some(&temp) = self.temps.get(&a.tensor) {
            return var(temp);
        }
        let vals = self.tensors[&a.tensor].vals;
        let place = self.leaf_place(a, scope).expect("loops resolve every access before its value is used");
        load(vals, place.lo)
    }

    /// Loads the values that became known in this block: duplicates are summed, and values that inner loops will use
    /// again are kept in variables.
    pub(crate) fn load_values(&mut self, s: &CinStmt, scope: &mut Scope) -> Vec<Code> {
        let mut code = Vec::new();
        let has_loops = !matches!(s, CinStmt::Assign { .. });
        let reads: Vec<Access> = s.assignments().iter().flat_map(|(_, _, rhs)| values_of(rhs)).collect();
        for a in reads {
            let t = &self.program.tensors[a.tensor];
            if scope.values.contains_key(&a) || (t.kind == TensorKind::Temp && !self.is_workspace(a.tensor)) {
                continue;
            }
            let Some(place) = self.leaf_place(&a, scope) else { continue };
            let (name, dtype) = (t.name.to_lowercase(), t.dtype);
            let vals = self.tensors[&a.tensor].vals;
            match place {
                Place { lo, hi: None } if has_loops => {
                    let v = self.kernel.var(&format!("{name}_val"), Ty::scalar(dtype));
                    code.push(Code::Let { var: v, val: load(vals, lo) });
                    scope.values.insert(a, var(v));
                }
                Place { hi: None, .. } => {}
                Place { lo, hi: Some(hi) } => {
                    let v = self.kernel.var(&format!("{name}_sum"), Ty::scalar(dtype));
                    let p = self.kernel.index("q");
                    code.push(Code::Let { var: v, val: load(vals, lo.clone()) });
                    let more = set(v, call(Prim::Add, var(v), load(vals, var(p))));
                    code.push(for_each(p, add(lo, int(1)), hi, vec![more]));
                    scope.values.insert(a, var(v));
                }
            }
        }
        code
    }

    /// `lhs op= rhs`.
    pub(crate) fn assign(
        &mut self,
        lhs: &Access,
        op: Option<&'static Operator>,
        rhs: &IndexExpr,
        action: AssignAction,
        scope: &Scope,
    ) -> Vec<Code> {
        let mut scope = scope.clone();
        for a in rhs.accesses() {
            self.locate(a, &mut scope);
        }
        self.locate(lhs, &mut scope);
        let mut code = Vec::new();
        if scope.coords.is_empty() {
            let whole = CinStmt::Assign { lhs: lhs.clone(), op, rhs: rhs.clone() };
            code.extend(self.load_values(&whole, &mut scope));
        }
        let there = match rhs {
            IndexExpr::Map { of, .. } => self.holds_element(of, &scope),
            _ => None,
        };
        let stored = self.store_value(lhs, op, rhs, action, &scope);
        code.extend(if_then(there.unwrap_or(always()), stored));
        code
    }
    /// What tells whether a resolved access holds an element, where its format has slots for others: those have the fill
    /// value.
    pub(crate) fn holds_element(&self, of: &Access, scope: &Scope) -> Option<Ir> {
        let t = &self.program.tensors[of.tensor];
        let unknown = t.kind == TensorKind::Operand && t.format.has_padding() && !scope.tested.contains(of);
        unknown.then(|| self.differs(self.value(of, scope), t.fill))
    }

    /// `lhs op= rhs` where every access is resolved.
    fn store_value(
        &mut self,
        lhs: &Access,
        op: Option<&'static Operator>,
        rhs: &IndexExpr,
        action: AssignAction,
        scope: &Scope,
    ) -> Vec<Code> {
        let mut code = Vec::new();
        let value = match self.is_workspace(lhs.tensor) {
            // It is held in a variable before it finds its slot.
            true => self.expr(rhs, scope),
            false => self.summand(op, rhs, scope),
        };
        if let Some(&temp) = self.temps.get(&lhs.tensor) {
            let value = match op {
                Some(op) => call(op.prim, var(temp), value),
                None => value,
            };
            code.push(set(temp, value));
            return code;
        }
        if self.is_workspace(lhs.tensor) {
            return self.insert(lhs, op, value, scope);
        }
        if let Some(scattering) = self.scattering.take_if(|s| s.access == *lhs) {
            return self.scatter_value(scattering, value, scope);
        }
        if let (AssignAction::Append { keep }, Some((r, n))) = (action, self.chain_of_values(lhs)) {
            let r = r.clone();
            code.extend(self.append_value(&r, &r.chains[n], value, keep, scope));
            return code;
        }
        if self.program.tensors[lhs.tensor].kind == TensorKind::Result && !self.phase.computes() {
            return code;
        }
        let buf = self.tensors[&lhs.tensor].vals;
        let place = self.leaf_place(lhs, scope).expect("loops resolve the target before it is assigned");
        // What decides the result alone replaces the old value: `x |= true`.
        let decides = |op: &&Operator| match &value {
            Ir::Const(c) => {
                !c.dtype().is_float() && op.annihilator_at(1, c.dtype()).is_some_and(|a| a.is_same(*c))
            }
            _ => false,
        };
        let reduce = op.filter(|op| !decides(op)).map(|op| op.prim);
        code.push(Code::Store { buf, at: place.lo, val: value, reduce });
        code
    }

    /// What is assigned. A product that is summed over a variable is rounded with the sum it joins, in every loop that such a
    /// sum comes to; a sum of terms that somebody wrote is not, nor anything in exact arithmetic: `x * y - x * y` is zero.
    fn summand(&mut self, op: Option<&'static Operator>, rhs: &IndexExpr, scope: &Scope) -> Ir {
        let value = self.expr(rhs, scope);
        let dtype = rhs.dtype(&self.program.tensors);
        let sums = op.is_some_and(|op| op.prim == Prim::Add) && dtype.is_float();
        let IndexExpr::Call { op: times, .. } = rhs else { return value };
        // The products of exact arithmetic assume something, or annihilate nothing.
        let plain = times.assumes.is_none() && times.annihilator_at(0, dtype).is_some();
        match value {
            Ir::Call { prim: Prim::Mul, args } if sums && plain && self.is_reduced(rhs) => {
                Ir::Call { prim: Prim::Fused, args }
            }
            value => value,
        }
    }
    /// Whether an expression depends on a variable that the result of the program does not have.
    fn is_reduced(&self, e: &IndexExpr) -> bool {
        let kept = self.program.body.target().map_or(&[][..], |result| &result.vars[..]);
        e.accesses().into_iter().any(|a| a.vars.iter().any(|v| !kept.contains(v)))
    }

    /// `value != fill`, as a condition.
    pub(crate) fn differs(&self, value: Ir, fill: Scalar) -> Ir {
        if fill.is_nan() && fill.dtype().is_complex() {
            // The other part may differ, and there is no primitive to ask for it: everything is stored.
            return constant(Scalar::Bool(true));
        }
        if fill.is_nan() {
            // NaN differs from everything, itself included: what is no NaN equals itself.
            return call(Prim::Eq, value.clone(), value);
        }
        call(Prim::Ne, value, constant(fill))
    }
}
