//! Functions that users define are written out where they are called: no backend knows of them.
//!
//! ```text
//!                                    let x: f64 = a[p]
//!                                    let t: f64 = x
//!                                    let rounds: i64 = 0
//! y[i] = halved(a[p])         =>     while t > 1.0 {
//!                                      if rounds == 1000000 { fail endless }
//!                                      rounds = rounds + 1
//!                                      t = t * 0.5
//!                                    }
//!                                    y[i] = t
//! ```

use crate::build::{add, call, eq, int, set, var};
use crate::nodes::{Expr, LoopKernel, Status, Stmt, Ty, VarId};
use crate::squares::{is_square, product};
use crate::walk::{any_part, blocks_mut, each_stmt, exprs, exprs_mut, parts_mut};
use openwork_algebra::function::{FunctionStep, FunctionTerm, ROUNDS, ScalarFunction};
use openwork_algebra::{Prim, Scalar};

/// Writes out the functions that a kernel calls, and squares (`squares.rs`).
///
/// A kernel that calls none is left as it is.
pub fn write_out(kernel: &mut LoopKernel) {
    if !calls(&kernel.body) {
        return;
    }
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(kernel, body);
}

/// Whether there is a loop among the steps of a function.
fn loops(steps: &[FunctionStep]) -> bool {
    steps.iter().any(|s| match s {
        FunctionStep::While(..) => true,
        FunctionStep::If(_, then, other) => loops(then) || loops(other),
        FunctionStep::Let(..) | FunctionStep::Set(..) => false,
    })
}

fn calls(body: &[Stmt]) -> bool {
    let mut any = false;
    each_stmt(body, &mut |s| any |= is_reduced(s) || exprs(s).any(has_call));
    any
}

fn has_call(e: &Expr) -> bool {
    any_part(e, &|e| matches!(e, Expr::Call { prim: Prim::Choose | Prim::Defined(_), .. }) || is_square(e))
}

/// Whether a function combines a value with what is stored.
fn is_reduced(s: &Stmt) -> bool {
    matches!(s, Stmt::Store { reduce: Some(Prim::Choose | Prim::Defined(_)), .. })
}

fn block(kernel: &mut LoopKernel, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for s in body {
        statement(kernel, s, &mut out);
    }
    out
}

fn statement(kernel: &mut LoopKernel, mut s: Stmt, out: &mut Vec<Stmt>) {
    if let Stmt::Store { buf, at, val, reduce } = &mut s
        && let Some(prim @ (Prim::Choose | Prim::Defined(_))) = *reduce
    {
        if has_call(at) {
            let place = kernel.index("at");
            out.push(Stmt::Let { var: place, val: std::mem::replace(at, var(place)) });
        }
        let old = Expr::Load { buf: *buf, at: Box::new(at.clone()) };
        *val = call(prim, old, val.clone());
        *reduce = None;
    }
    for inner in blocks_mut(&mut s) {
        *inner = block(kernel, std::mem::take(inner));
    }
    if let Stmt::While { cond, body } = &mut s
        && has_call(cond)
    {
        // Asked before the first round, and at the end of each.
        let go = kernel.var("go", Ty::BOOL);
        let asked = std::mem::replace(cond, var(go));
        statement(kernel, Stmt::Let { var: go, val: asked.clone() }, out);
        statement(kernel, set(go, asked), body);
    }
    for e in exprs_mut(&mut s) {
        lift(kernel, e, out);
    }
    out.push(s);
}

/// Leaves an expression without calls, which are made by the statements that are put before.
fn lift(kernel: &mut LoopKernel, e: &mut Expr, out: &mut Vec<Stmt>) {
    if !has_call(e) {
        return;
    }
    if let Expr::AndAlso(first, second) = e
        && has_call(second)
    {
        let both = kernel.var("both", Ty::BOOL);
        lift(kernel, first, out);
        out.push(Stmt::Let { var: both, val: (**first).clone() });
        let mut then = Vec::new();
        lift(kernel, second, &mut then);
        then.push(set(both, (**second).clone()));
        out.push(Stmt::If { cond: var(both), then, other: Vec::new() });
        *e = var(both);
        return;
    }
    parts_mut(e).for_each(|part| lift(kernel, part, out));
    if let Expr::Call { prim: Prim::Choose, args } = e {
        *e = first_of_two(kernel, std::mem::take(args), out);
    } else if let Expr::Call { prim: Prim::Defined(f), args } = e {
        *e = Inline::new(kernel, f, std::mem::take(args)).write(out);
    } else if is_square(e) {
        product(kernel, e, out);
    }
}

/// `select(a != 0, a, b)`, where `a` is computed once.
fn first_of_two(kernel: &mut LoopKernel, args: Vec<Expr>, out: &mut Vec<Stmt>) -> Expr {
    let [a, b] = <[Expr; 2]>::try_from(args).expect("the law of loop IR checks arities");
    let ty = kernel.ty(&a).expect("the law of loop IR checks types");
    let first = match a {
        Expr::Var(_) | Expr::Const(_) => a,
        a => {
            let v = kernel.var("first", ty);
            out.push(Stmt::Let { var: v, val: a });
            var(v)
        }
    };
    let taken = call(Prim::Ne, first.clone(), Expr::Const(Scalar::zero(ty.elem)));
    Expr::Call { prim: Prim::Select, args: vec![taken, first, b] }
}

/// One call of a function.
struct Inline<'a> {
    kernel: &'a mut LoopKernel,
    function: &'a ScalarFunction,
    /// What its locals are here; those that are not born yet are nothing.
    locals: Vec<Option<Expr>>,
    args: Vec<Expr>,
    /// Counts rounds, once there is a loop.
    rounds: Option<VarId>,
}

impl<'a> Inline<'a> {
    fn new(kernel: &'a mut LoopKernel, function: &'a ScalarFunction, args: Vec<Expr>) -> Inline<'a> {
        Inline { kernel, function, locals: vec![None; function.locals.len()], args, rounds: None }
    }
    /// The value, after the statements that are put before.
    fn write(mut self, out: &mut Vec<Stmt>) -> Expr {
        for (n, arg) in std::mem::take(&mut self.args).into_iter().enumerate() {
            // Variables may have another value by the time that the function reads them.
            let value = match arg {
                Expr::Const(_) => arg,
                arg => self.bind_value(n, arg, out),
            };
            self.locals[n] = Some(value);
        }
        if loops(&self.function.steps) {
            let rounds = self.kernel.index("rounds");
            out.push(Stmt::Let { var: rounds, val: int(0) });
            self.rounds = Some(rounds);
        }
        let function = self.function;
        self.steps(&function.steps, out);
        let mut value = self.term(&function.value);
        lift(self.kernel, &mut value, out);
        value
    }
    fn bind_value(&mut self, n: usize, val: Expr, out: &mut Vec<Stmt>) -> Expr {
        let local = &self.function.locals[n];
        let v = self.kernel.var(&local.name, Ty::scalar(local.dtype));
        out.push(Stmt::Let { var: v, val });
        var(v)
    }
    fn steps(&mut self, steps: &[FunctionStep], out: &mut Vec<Stmt>) {
        for step in steps {
            match step {
                FunctionStep::Let(n, term) => {
                    let mut value = self.term(term);
                    lift(self.kernel, &mut value, out);
                    self.locals[*n] = Some(self.bind_value(*n, value, out));
                }
                FunctionStep::Set(n, term) => {
                    let mut val = self.term(term);
                    lift(self.kernel, &mut val, out);
                    if let Some(Expr::Var(v)) = &self.locals[*n] {
                        out.push(set(*v, val));
                    }
                }
                FunctionStep::If(cond, then, other) => {
                    let mut cond = self.term(cond);
                    lift(self.kernel, &mut cond, out);
                    let (mut taken, mut left) = (Vec::new(), Vec::new());
                    self.steps(then, &mut taken);
                    self.steps(other, &mut left);
                    out.push(Stmt::If { cond, then: taken, other: left });
                }
                FunctionStep::While(cond, body) => {
                    let cond = self.term(cond);
                    let mut round = self.count_round();
                    self.steps(body, &mut round);
                    statement(self.kernel, Stmt::While { cond, body: round }, out);
                }
            }
        }
    }
    /// Counts a round, and gives up where there are too many.
    fn count_round(&self) -> Vec<Stmt> {
        let Some(rounds) = self.rounds else { return Vec::new() };
        let enough = Stmt::If {
            cond: eq(var(rounds), int(ROUNDS)),
            then: vec![Stmt::Fail(Status::Endless)],
            other: Vec::new(),
        };
        vec![enough, set(rounds, add(var(rounds), int(1)))]
    }
    fn term(&self, t: &FunctionTerm) -> Expr {
        match t {
            FunctionTerm::Local(n) => {
                self.locals[*n].clone().expect("a body gives locals a value before it reads them")
            }
            FunctionTerm::Const(s) => Expr::Const(*s),
            FunctionTerm::Call(prim, args) => {
                Expr::Call { prim: *prim, args: args.iter().map(|a| self.term(a)).collect() }
            }
            FunctionTerm::Cast(to, arg) => Expr::Cast { to: *to, arg: Box::new(self.term(arg)) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{and_also, constant, load, lt, store};
    use crate::nodes::BufRole;
    use crate::text::print;
    use crate::verify::verify;
    use openwork_algebra::function::{Local, operator};
    use openwork_algebra::{DType, Operator, Scalar};

    /// `def less(x, y) { let t = x; if x < y { t = t - 1; } t }` on whole numbers.
    fn less() -> Prim {
        let local = FunctionTerm::Local;
        let one = || FunctionTerm::Const(Scalar::I64(1));
        let function = ScalarFunction {
            name: String::new(),
            called: "less".into(),
            arity: 2,
            dtype: DType::I64,
            result: DType::I64,
            locals: ["x", "y", "t"].map(|n| Local { name: n.into(), dtype: DType::I64 }).into(),
            steps: vec![
                FunctionStep::Let(2, local(0)),
                FunctionStep::If(
                    FunctionTerm::Call(Prim::Lt, vec![local(0), local(1)]),
                    vec![FunctionStep::Set(2, FunctionTerm::Call(Prim::Sub, vec![local(2), one()]))],
                    Vec::new(),
                ),
            ],
            value: local(2),
            written: 0,
        };
        let plain = Operator::promising_nothing(Prim::Add);
        operator("less of the tests".into(), || Ok::<_, ()>((function, plain))).unwrap().prim
    }

    #[track_caller]
    fn becomes(body: impl FnOnce(&mut LoopKernel, Prim) -> Vec<Stmt>, wanted: &str) {
        let mut k = LoopKernel::new("k");
        k.param("n");
        k.buf("a", DType::I64, BufRole::Out);
        k.body = body(&mut k, less());
        write_out(&mut k);
        verify(&k).unwrap();
        let text = print(&k);
        let found = text.split_once("{\n").unwrap().1.trim_end().trim_end_matches('}').trim_end();
        assert_eq!(found.replace("\n  ", "\n"), wanted.trim_end(), "{text}");
    }

    #[test]
    fn calls_come_before_what_needs_them() {
        becomes(
            |k, less| {
                let (n, a) = (k.params[0], k.bufs.ids().next().unwrap());
                let inner = call(less, load(a, int(0)), int(2));
                vec![store(a, int(1), call(less, inner, var(n)))]
            },
            "  let x: i64 = a[0]
let t: i64 = x
if x < 2 {
  t = t - 1
}
let x_2: i64 = t
let y: i64 = n
let t_2: i64 = x_2
if x_2 < y {
  t_2 = t_2 - 1
}
a[1] = t_2",
        );
    }

    #[test]
    fn conditions_ask_again_and_only_where_they_are_reached() {
        becomes(
            |k, less| {
                let (n, a) = (k.params[0], k.bufs.ids().next().unwrap());
                let fits = lt(var(n), int(9));
                let asked = lt(call(less, load(a, var(n)), int(2)), int(5));
                let step = Stmt::Store { buf: a, at: int(0), val: int(1), reduce: Some(less) };
                vec![Stmt::While { cond: and_also(fits, asked), body: vec![step] }]
            },
            "  let both: bool = n < 9
if both {
  let x_2: i64 = a[n]
  let t_2: i64 = x_2
  if x_2 < 2 {
    t_2 = t_2 - 1
  }
  both = t_2 < 5
}
let go: bool = both
while go {
  let x: i64 = a[0]
  let t: i64 = x
  if x < 1 {
    t = t - 1
  }
  a[0] = t
  let both_2: bool = n < 9
  if both_2 {
    let x_3: i64 = a[n]
    let t_3: i64 = x_3
    if x_3 < 2 {
      t_3 = t_3 - 1
    }
    both_2 = t_3 < 5
  }
  go = both_2
}",
        );
    }

    #[test]
    fn a_kernel_without_calls_is_left_as_it_is() {
        let mut k = LoopKernel::new("k");
        let a = k.buf("a", DType::F64, BufRole::Out);
        k.body = vec![store(a, int(0), constant(Scalar::F64(1.0)))];
        let before = k.clone();
        write_out(&mut k);
        assert_eq!(k, before);
    }
}
