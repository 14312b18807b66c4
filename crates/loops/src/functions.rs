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
use crate::nodes::{Expr, Kernel, Status, Stmt, Ty, VarId};
use crate::walk::{any_part, blocks_mut, each_stmt, exprs, exprs_mut, parts_mut};
use openwork_algebra::Prim;
use openwork_algebra::function::{Function, ROUNDS, Step, Term};

/// Writes out the functions that a kernel calls.
///
/// A kernel that calls none is left as it is.
pub fn write_out(kernel: &mut Kernel) {
    if !calls(&kernel.body) {
        return;
    }
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(kernel, body);
}

fn calls(body: &[Stmt]) -> bool {
    let mut any = false;
    each_stmt(body, &mut |s| any |= is_reduced(s) || exprs(s).into_iter().any(has_call));
    any
}

fn has_call(e: &Expr) -> bool {
    any_part(e, &|e| matches!(e, Expr::Call { prim: Prim::Defined(_), .. }))
}

/// Whether a function combines a value with what is stored.
fn is_reduced(s: &Stmt) -> bool {
    matches!(s, Stmt::Store { reduce: Some(Prim::Defined(_)), .. })
}

fn block(kernel: &mut Kernel, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for s in body {
        statement(kernel, s, &mut out);
    }
    out
}

fn statement(kernel: &mut Kernel, mut s: Stmt, out: &mut Vec<Stmt>) {
    if let Stmt::Store { buf, at, val, reduce } = &mut s
        && let Some(prim @ Prim::Defined(_)) = *reduce
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
fn lift(kernel: &mut Kernel, e: &mut Expr, out: &mut Vec<Stmt>) {
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
    parts_mut(e).into_iter().for_each(|part| lift(kernel, part, out));
    if let Expr::Call { prim: Prim::Defined(f), args } = e {
        *e = Inline::of(kernel, f, std::mem::take(args)).write(out);
    }
}

/// One call of a function.
struct Inline<'a> {
    kernel: &'a mut Kernel,
    function: &'a Function,
    /// What its locals are here; those that are not born yet are nothing.
    locals: Vec<Option<Expr>>,
    args: Vec<Expr>,
    /// Counts rounds, once there is a loop.
    rounds: Option<VarId>,
}

impl<'a> Inline<'a> {
    fn of(kernel: &'a mut Kernel, function: &'a Function, args: Vec<Expr>) -> Inline<'a> {
        Inline { kernel, function, locals: vec![None; function.locals.len()], args, rounds: None }
    }
    /// The value, after the statements that are put before.
    fn write(mut self, out: &mut Vec<Stmt>) -> Expr {
        for (n, arg) in std::mem::take(&mut self.args).into_iter().enumerate() {
            // Variables may have another value by the time that the function reads them.
            let value = match arg {
                Expr::Const(_) => arg,
                arg => self.born(n, arg, out),
            };
            self.locals[n] = Some(value);
        }
        let looping = |s: &Step| matches!(s, Step::While(..) | Step::If(..));
        if self.function.steps.iter().any(looping) {
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
    fn born(&mut self, n: usize, val: Expr, out: &mut Vec<Stmt>) -> Expr {
        let local = &self.function.locals[n];
        let v = self.kernel.var(&local.name, Ty::scalar(local.dtype));
        out.push(Stmt::Let { var: v, val });
        var(v)
    }
    fn steps(&mut self, steps: &[Step], out: &mut Vec<Stmt>) {
        for step in steps {
            match step {
                Step::Let(n, term) => {
                    let mut value = self.term(term);
                    lift(self.kernel, &mut value, out);
                    self.locals[*n] = Some(self.born(*n, value, out));
                }
                Step::Set(n, term) => {
                    let mut val = self.term(term);
                    lift(self.kernel, &mut val, out);
                    if let Some(Expr::Var(v)) = &self.locals[*n] {
                        out.push(set(*v, val));
                    }
                }
                Step::If(cond, then, other) => {
                    let mut cond = self.term(cond);
                    lift(self.kernel, &mut cond, out);
                    let (mut taken, mut left) = (Vec::new(), Vec::new());
                    self.steps(then, &mut taken);
                    self.steps(other, &mut left);
                    out.push(Stmt::If { cond, then: taken, other: left });
                }
                Step::While(cond, body) => {
                    let cond = self.term(cond);
                    let mut round = self.counted();
                    self.steps(body, &mut round);
                    statement(self.kernel, Stmt::While { cond, body: round }, out);
                }
            }
        }
    }
    /// Counts a round, and gives up where there are too many.
    fn counted(&self) -> Vec<Stmt> {
        let Some(rounds) = self.rounds else { return Vec::new() };
        let enough = Stmt::If {
            cond: eq(var(rounds), int(ROUNDS)),
            then: vec![Stmt::Fail(Status::Endless)],
            other: Vec::new(),
        };
        vec![enough, set(rounds, add(var(rounds), int(1)))]
    }
    fn term(&self, t: &Term) -> Expr {
        match t {
            Term::Local(n) => {
                self.locals[*n].clone().expect("a body gives locals a value before it reads them")
            }
            Term::Const(s) => Expr::Const(*s),
            Term::Call(prim, args) => {
                Expr::Call { prim: *prim, args: args.iter().map(|a| self.term(a)).collect() }
            }
            Term::Cast(to, arg) => Expr::Cast { to: *to, arg: Box::new(self.term(arg)) },
        }
    }
}
