//! The law of loop IR. Every pass may assume it and must keep it.
//!
//! 1. **Names** of variables and buffers are unique in the kernel and, like that of the kernel, can be written in text.
//! 2. **Parameters** are distinct scalar `i64` variables. They are alive from the start.
//! 3. **Scope.** A variable is read or set only while it is alive: after its `let`, until the end of the block that
//!    holds the `let`. A loop variable is alive in the loop's body. A `let` or a loop may not reuse a variable that
//!    is alive; after its block has ended it may come to life again elsewhere.
//! 4. **Loop variables** are `i64` and are not set in the body.
//! 5. **Types.** Expressions are well typed; the value of a `let` or set has the type of its variable; a store has the
//!    dtype of its buffer; conditions are scalar bools; indices, bounds and lengths are scalar `i64`; lanes are a
//!    power of two up to 64.
//! 6. **Roles.** `In` buffers are never stored to or reserved; only `Out` buffers have a length to set.
//! 7. **Steps** are at least 1.
//! 8. **Reductions** (`fold`, and stores that combine) use a primitive that is associative, commutative and closed on
//!    the dtype and has an identity.
//! 9. **Failure** carries an error: `fail(ok)` is not a statement.
//! 10. **Wide loops** have step 1 and from 2 to 64 lanes, a power of two; in them are lets, sets, stores, remarks and
//!     serial loops of the same.

use crate::nodes::{BufId, Expr, Kernel, LoopMode, Role, Status, Stmt, Ty, VarId};
use crate::text::{is_name, listing};
use crate::walk::each_stmt;
use openwork_algebra::operator::OPERATORS;
use openwork_algebra::{DType, Prim};
use openwork_base::Id;
use std::collections::HashSet;
use std::fmt;

/// Which part of the law is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// Unique, writable names.
    Names,
    /// Distinct `i64` parameters.
    Parameters,
    /// Variables are used only while alive.
    Scope,
    /// Loop variables are not set.
    LoopVariables,
    /// Everything is well typed.
    Types,
    /// Buffers are used according to their role.
    Roles,
    /// Steps are positive.
    Steps,
    /// Reductions reduce.
    Reductions,
    /// Failures fail.
    Failure,
    /// Wide loops are plain.
    Wide,
}

/// One breach of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which law.
    pub law: Law,
    /// What is wrong.
    pub message: String,
    /// The number of the guilty statement in the order of the listing; `None` when a declaration is guilty.
    pub stmt: Option<usize>,
    /// The text around the statement with a marker line.
    pub excerpt: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}\n{}", self.law, self.message, self.excerpt)
    }
}

/// Checks the law; all breaches are reported, in the order of the listing.
///
/// ```
/// use openwork_loops::{Kernel, Role, build::*, verify::{Law, verify}};
/// use openwork_algebra::DType;
/// let mut k = Kernel::new("k");
/// let x = k.buf("x", DType::I64, Role::In);
/// k.body = vec![store(x, int(0), int(1))];
/// let wrong = verify(&k).unwrap_err();
/// assert_eq!(wrong[0].law, Law::Roles);
/// assert!(wrong[0].to_string().contains("  x[0] = 1\n  ^^^^^^^^ x is an input"));
/// k.bufs[x].role = Role::Out;
/// assert!(verify(&k).is_ok());
/// ```
pub fn verify(kernel: &Kernel) -> Result<(), Vec<Violation>> {
    let mut c = Checker {
        k: kernel,
        alive: vec![Life::Dead; kernel.vars.len()],
        born: Vec::new(),
        at: None,
        count: 0,
        found: Vec::new(),
    };
    c.declarations();
    c.block(&kernel.body);
    if c.found.is_empty() {
        return Ok(());
    }
    let text = listing(kernel);
    let lines: Vec<&str> = text.text.lines().collect();
    Err(c
        .found
        .into_iter()
        .map(|(law, stmt, message)| {
            let line = stmt.map_or(0, |n| text.lines[n]);
            let excerpt = excerpt(&lines, line, &message);
            Violation { law, message, stmt, excerpt }
        })
        .collect())
}

/// [`verify`](fn@verify) after a pass called `step`: a breach is a bug of ours, with the kernel's text.
///
/// ```
/// use openwork_base::Error;
/// use openwork_loops::{Kernel, Status, Stmt, verify::check};
/// let mut k = Kernel::new("k");
/// assert_eq!(check("lower", &k), Ok(()));
/// k.body.push(Stmt::Fail(Status::Ok));
/// assert!(matches!(check("lower", &k), Err(Error::Bug { step: "lower", .. })));
/// ```
pub fn check(step: &'static str, kernel: &Kernel) -> openwork_base::Result<()> {
    verify(kernel).map_err(|found| {
        let first = found.first().map_or_else(String::new, Violation::to_string);
        openwork_base::Error::bug(step, first, listing(kernel).text)
    })
}

/// The primitives that may reduce in a dtype (law 8).
pub fn reduces(prim: Prim, dtype: DType) -> bool {
    OPERATORS.iter().any(|op| op.prim == prim && op.reduces(dtype))
}

/// The head of the kernel and the lines around `line`, which is underlined with `message` beside it.
pub(crate) fn excerpt(lines: &[&str], line: usize, message: &str) -> String {
    const AROUND: usize = 6;
    let from = line.saturating_sub(AROUND).max(1);
    let to = (line + AROUND + 1).min(lines.len());
    let mut out = String::new();
    let mut put = |n: usize| {
        out.push_str(lines[n]);
        out.push('\n');
        if n == line {
            let indent = lines[n].len() - lines[n].trim_start().len();
            out.push_str(&" ".repeat(indent));
            out.push_str(&"^".repeat((lines[n].len() - indent).max(1)));
            out.push_str(&format!(" {message}\n"));
        }
    };
    put(0);
    (from..to).for_each(put);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Life {
    Dead,
    Free,
    /// Alive, but the variable of an enclosing loop.
    Looping,
}

struct Checker<'k> {
    k: &'k Kernel,
    alive: Vec<Life>,
    /// Variables in order of birth, so that the end of a block knows what dies.
    born: Vec<VarId>,
    at: Option<usize>,
    count: usize,
    found: Vec<(Law, Option<usize>, String)>,
}

impl Checker<'_> {
    fn wrong(&mut self, law: Law, message: impl Into<String>) {
        self.found.push((law, self.at, message.into()));
    }
    fn name(&self, v: VarId) -> String {
        self.k.vars.get(v).map_or_else(|| format!("?{v:?}"), |v| v.name.clone())
    }
    fn declarations(&mut self) {
        let k = self.k;
        let mut names = HashSet::new();
        if !is_name(&k.name) {
            self.wrong(Law::Names, format!("{:?} cannot be written as a name", k.name));
        }
        let all = k.vars.iter().map(|(_, v)| &v.name).chain(k.bufs.iter().map(|(_, b)| &b.name));
        for name in all {
            if !is_name(name) {
                self.wrong(Law::Names, format!("{name:?} cannot be written as a name"));
            }
            if !names.insert(name.as_str()) {
                self.wrong(Law::Names, format!("two things are called {name}"));
            }
        }
        for (_, v) in k.vars.iter() {
            if !(v.ty.lanes.is_power_of_two() && v.ty.lanes <= 64) {
                self.wrong(Law::Types, format!("{} has {} lanes", v.name, v.ty.lanes));
            }
        }
        for &p in &k.params {
            match k.vars.get(p) {
                None => self.wrong(Law::Parameters, format!("there is no variable {p:?}")),
                Some(v) if v.ty != Ty::INDEX => {
                    self.wrong(Law::Parameters, format!("parameter {} is not an i64", v.name))
                }
                Some(v) if self.alive[p.index()] != Life::Dead => {
                    self.wrong(Law::Parameters, format!("{} is a parameter twice", v.name))
                }
                Some(_) => self.alive[p.index()] = Life::Free,
            }
        }
    }
    fn block(&mut self, body: &[Stmt]) {
        let before = self.born.len();
        for s in body {
            self.at = Some(self.count);
            self.count += 1;
            self.stmt(s);
        }
        for v in self.born.drain(before..) {
            self.alive[v.index()] = Life::Dead;
        }
    }
    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Let { var, val } => {
                self.assigned(*var, val);
                self.bear(*var, Life::Free);
            }
            Stmt::Set { var, val } => {
                self.assigned(*var, val);
                match self.alive.get(var.index()) {
                    Some(Life::Free) => {}
                    Some(Life::Looping) => {
                        let name = self.name(*var);
                        self.wrong(Law::LoopVariables, format!("{name} is a loop variable"));
                    }
                    Some(Life::Dead) | None => {
                        let name = self.name(*var);
                        self.wrong(Law::Scope, format!("{name} is not alive here"));
                    }
                }
            }
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { var, lo, hi, step, mode, body } => {
                if let LoopMode::Wide { lanes } = mode {
                    self.wide(*lanes, *step, body);
                }
                self.for_loop(*var, lo, hi, *step, body);
            }
            Stmt::While { cond, body } => {
                self.typed(cond, Ty::BOOL, "a condition");
                self.block(body);
            }
            Stmt::If { cond, then, other } => {
                self.typed(cond, Ty::BOOL, "a condition");
                self.block(then);
                self.block(other);
            }
            Stmt::Reserve { buf, len } => {
                self.typed(len, Ty::INDEX, "a length");
                self.writable(*buf);
            }
            Stmt::SetLen { buf, len } => {
                self.typed(len, Ty::INDEX, "a length");
                match self.k.bufs.get(*buf) {
                    None => self.wrong(Law::Types, format!("there is no buffer {buf:?}")),
                    Some(b) if b.role != Role::Out => {
                        self.wrong(Law::Roles, format!("{} is not an output", b.name))
                    }
                    Some(_) => {}
                }
            }
            Stmt::Fail(Status::Ok) => self.wrong(Law::Failure, "ok is not an error"),
            Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => {}
        }
    }
    fn for_loop(&mut self, v: VarId, lo: &Expr, hi: &Expr, step: i64, body: &[Stmt]) {
        self.typed(lo, Ty::INDEX, "a bound");
        self.typed(hi, Ty::INDEX, "a bound");
        if step < 1 {
            self.wrong(Law::Steps, format!("a step must be at least 1, not {step}"));
        }
        match self.k.vars.get(v) {
            Some(var) if var.ty != Ty::INDEX => {
                self.wrong(Law::LoopVariables, format!("{} is not an i64", var.name))
            }
            Some(_) | None => {}
        }
        let before = self.born.len();
        self.bear(v, Life::Looping);
        self.block(body);
        for v in self.born.drain(before..) {
            self.alive[v.index()] = Life::Dead;
        }
    }
    fn wide(&mut self, lanes: u8, step: i64, body: &[Stmt]) {
        if step != 1 {
            self.wrong(Law::Wide, format!("a wide loop has step 1, not {step}"));
        }
        if !(lanes.is_power_of_two() && (2..=64).contains(&lanes)) {
            self.wrong(Law::Wide, format!("{lanes} lanes"));
        }
        let mut other = false;
        each_stmt(body, &mut |s| {
            other |= match s {
                Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Store { .. } | Stmt::Note(_) => false,
                Stmt::For { mode, .. } => *mode != LoopMode::Serial,
                Stmt::While { .. } | Stmt::If { .. } | Stmt::Fail(_) | Stmt::Poll => true,
                Stmt::Reserve { .. } | Stmt::SetLen { .. } => true,
            }
        });
        if other {
            self.wrong(Law::Wide, "a wide loop holds more than lets, sets, stores and serial loops");
        }
    }
    fn bear(&mut self, v: VarId, life: Life) {
        match self.alive.get(v.index()) {
            None => self.wrong(Law::Types, format!("there is no variable {v:?}")),
            Some(Life::Dead) => {
                self.alive[v.index()] = life;
                self.born.push(v);
            }
            Some(Life::Free | Life::Looping) => {
                let name = self.name(v);
                self.wrong(Law::Scope, format!("{name} is already alive"));
            }
        }
    }
    fn assigned(&mut self, v: VarId, val: &Expr) {
        match self.k.vars.get(v).map(|v| v.ty) {
            Some(ty) => {
                let what = format!("the value of {}", self.name(v));
                self.typed(val, ty, &what);
            }
            None => self.wrong(Law::Types, format!("there is no variable {v:?}")),
        }
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) {
        self.typed(at, Ty::INDEX, "an index");
        self.writable(buf);
        let Some(b) = self.k.bufs.get(buf) else { return };
        if let Some(ty) = self.expr(val)
            && ty.elem != b.elem
        {
            self.wrong(Law::Types, format!("{} holds {}, not {}", b.name, b.elem, ty.elem));
        }
        if let Some(prim) = reduce
            && !reduces(prim, b.elem)
        {
            self.wrong(Law::Reductions, format!("{} does not reduce {}", prim.name(), b.elem));
        }
    }
    fn writable(&mut self, buf: BufId) {
        match self.k.bufs.get(buf) {
            None => self.wrong(Law::Types, format!("there is no buffer {buf:?}")),
            Some(b) if b.role == Role::In => self.wrong(Law::Roles, format!("{} is an input", b.name)),
            Some(_) => {}
        }
    }
    /// Checks `e`, which must have type `want`.
    fn typed(&mut self, e: &Expr, want: Ty, what: &str) {
        if let Some(ty) = self.expr(e)
            && ty != want
        {
            self.wrong(Law::Types, format!("{what} must be {want}, not {ty}"));
        }
    }
    /// Checks an expression and finds its type.
    fn expr(&mut self, e: &Expr) -> Option<Ty> {
        self.parts(e);
        match self.k.ty(e) {
            Ok(ty) => Some(ty),
            Err(message) => {
                self.wrong(Law::Types, message);
                None
            }
        }
    }
    /// What the type does not tell: life, lanes, reductions.
    fn parts(&mut self, e: &Expr) {
        match e {
            Expr::Const(_) => {}
            Expr::Var(v) => {
                if self.alive.get(v.index()) == Some(&Life::Dead) {
                    let name = self.name(*v);
                    self.wrong(Law::Scope, format!("{name} is not alive here"));
                }
            }
            Expr::Load { buf: _, at } => self.parts(at),
            Expr::VLoad { buf: _, at, lanes } => {
                self.parts(at);
                self.lanes(*lanes as usize);
            }
            Expr::Call { prim: _, args } => args.iter().for_each(|a| self.parts(a)),
            Expr::Cast { to: _, arg } => self.parts(arg),
            Expr::AndAlso(a, b) => {
                self.parts(a);
                self.parts(b);
            }
            Expr::Splat { lanes, arg } => {
                self.parts(arg);
                self.lanes(*lanes as usize);
            }
            Expr::Pack(lanes) => {
                lanes.iter().for_each(|a| self.parts(a));
                self.lanes(lanes.len());
            }
            Expr::Fold { prim, arg } => {
                self.parts(arg);
                if let Ok(ty) = self.k.ty(arg)
                    && !reduces(*prim, ty.elem)
                {
                    self.wrong(Law::Reductions, format!("{} does not reduce {}", prim.name(), ty.elem));
                }
            }
        }
    }
    fn lanes(&mut self, n: usize) {
        if !(n.is_power_of_two() && n <= 64) {
            self.wrong(Law::Types, format!("{n} lanes"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::*;
    use crate::nodes::Var;
    use openwork_algebra::Scalar;

    /// A kernel with one parameter `n`, a loop variable `i`, a float `t`, and buffers of each role.
    struct Fixture {
        k: Kernel,
        n: VarId,
        i: VarId,
        t: VarId,
        x: BufId,
        y: BufId,
        w: BufId,
    }
    fn fixture() -> Fixture {
        let mut k = Kernel::new("k");
        let (n, i) = (k.param("n"), k.index("i"));
        let t = k.var("t", Ty::scalar(DType::F64));
        let x = k.buf("x", DType::F64, Role::In);
        let y = k.buf("y", DType::F64, Role::Out);
        let w = k.buf("w", DType::I32, Role::Temp);
        Fixture { k, n, i, t, x, y, w }
    }
    fn f(x: f64) -> Expr {
        constant(Scalar::F64(x))
    }
    fn loop_over(v: VarId, step: i64, body: Vec<Stmt>) -> Stmt {
        Stmt::For { var: v, lo: int(0), hi: int(4), step, mode: LoopMode::Serial, body }
    }
    /// `body` breaks exactly `law`, and the message says `part`.
    #[track_caller]
    fn breaks(mut k: Kernel, body: Vec<Stmt>, law: Law, part: &str) {
        k.body = body;
        let found = verify(&k).expect_err("a violation");
        assert!(found.iter().all(|v| v.law == law), "{found:?}");
        assert!(found[0].to_string().contains(part), "{}", found[0]);
    }

    #[test]
    fn lawful_code_passes() {
        let Fixture { mut k, n, i, t, x, y, w } = fixture();
        k.body = vec![
            loop_over(i, 1, vec![Stmt::Let { var: t, val: load(x, var(i)) }, store(y, var(i), var(t))]),
            loop_over(i, 2, vec![Stmt::Let { var: t, val: f(0.0) }, set(t, f(1.0))]),
            Stmt::Reserve { buf: w, len: var(n) },
            Stmt::SetLen { buf: y, len: var(n) },
            Stmt::Fail(Status::CheckFailed),
        ];
        assert_eq!(verify(&k), Ok(()));
    }

    #[test]
    fn names_are_unique_and_writable() {
        let Fixture { mut k, .. } = fixture();
        k.vars.push(Var { name: "x".into(), ty: Ty::INDEX });
        breaks(k, vec![], Law::Names, "two things are called x");
        let Fixture { mut k, .. } = fixture();
        k.vars.push(Var { name: "for".into(), ty: Ty::INDEX });
        breaks(k, vec![], Law::Names, "\"for\" cannot be written");
        breaks(Kernel::new("a b"), vec![], Law::Names, "\"a b\" cannot be written");
    }

    #[test]
    fn parameters_are_distinct_indices() {
        let Fixture { mut k, n, t, .. } = fixture();
        k.params = vec![n, n];
        breaks(k, vec![], Law::Parameters, "twice");
        let Fixture { mut k, .. } = fixture();
        k.params = vec![t];
        breaks(k, vec![], Law::Parameters, "t is not an i64");
    }

    #[test]
    fn variables_are_used_only_while_alive() {
        let Fixture { k, i, t, y, .. } = fixture();
        let read = || store(y, int(0), var(t));
        let born = || Stmt::Let { var: t, val: f(0.0) };
        let scope = |body, part| breaks(k.clone(), body, Law::Scope, part);
        scope(vec![read()], "y[0] = t\n  ^^^^^^^^ t is not alive here");
        scope(vec![set(t, f(0.0))], "t is not alive");
        scope(vec![loop_over(i, 1, vec![born()]), read()], "t is not alive");
        scope(
            vec![Stmt::If { cond: lt(int(0), int(1)), then: vec![born()], other: vec![read()] }],
            "not alive",
        );
        scope(vec![loop_over(i, 1, vec![]), store(y, var(i), f(0.0))], "i is not alive");
        scope(vec![born(), born()], "t is already alive");
        scope(vec![loop_over(i, 1, vec![loop_over(i, 1, vec![])])], "i is already alive");
        scope(vec![Stmt::Let { var: t, val: var(t) }], "t is not alive");
    }

    #[test]
    fn loop_variables_are_left_alone() {
        let Fixture { k, i, t, .. } = fixture();
        breaks(
            k.clone(),
            vec![loop_over(i, 1, vec![set(i, int(2))])],
            Law::LoopVariables,
            "i is a loop variable",
        );
        breaks(k, vec![loop_over(t, 1, vec![])], Law::LoopVariables, "t is not an i64");
    }

    #[test]
    fn everything_is_typed() {
        let Fixture { k, n, t, x, y, w, .. } = fixture();
        let types = |body, part| breaks(k.clone(), body, Law::Types, part);
        types(vec![Stmt::Let { var: t, val: int(1) }], "the value of t must be f64, not i64");
        types(vec![store(w, int(0), int(1))], "w holds i32, not i64");
        types(vec![store(y, f(0.0), f(0.0))], "an index must be i64, not f64");
        types(vec![store(y, int(0), load(x, f(1.0)))], "an index must be a scalar i64");
        types(vec![Stmt::While { cond: int(1), body: vec![] }], "a condition must be bool");
        types(vec![Stmt::If { cond: var(n), then: vec![], other: vec![] }], "a condition must be bool");
        types(vec![Stmt::Reserve { buf: y, len: f(1.0) }], "a length must be i64");
        types(vec![set(n, call(Prim::Add, var(n), f(1.0)))], "the types differ");
        types(vec![store(y, int(0), Expr::Splat { lanes: 3, arg: f(0.0).into() })], "3 lanes");
        types(vec![store(y, int(0), Expr::VLoad { buf: x, at: int(0).into(), lanes: 0 })], "0 lanes");
        types(vec![store(y, int(0), Expr::Pack(vec![f(0.0); 3]))], "3 lanes");
        types(vec![store(BufId::new(9), int(0), int(0))], "there is no buffer b9");
        types(vec![Stmt::Let { var: VarId::new(9), val: int(0) }], "there is no variable v9");
        let half =
            Stmt::For { var: n, lo: f(0.5), hi: int(1), step: 1, mode: LoopMode::Serial, body: vec![] };
        let mut free = k.clone();
        free.params.clear();
        breaks(free, vec![half], Law::Types, "a bound must be i64, not f64");
    }

    #[test]
    fn roles_are_kept() {
        let Fixture { k, x, w, .. } = fixture();
        breaks(k.clone(), vec![store(x, int(0), f(0.0))], Law::Roles, "x is an input");
        breaks(k.clone(), vec![Stmt::Reserve { buf: x, len: int(1) }], Law::Roles, "x is an input");
        breaks(k.clone(), vec![Stmt::SetLen { buf: w, len: int(1) }], Law::Roles, "w is not an output");
        breaks(k, vec![Stmt::SetLen { buf: x, len: int(1) }], Law::Roles, "x is not an output");
    }

    #[test]
    fn steps_reductions_and_failures() {
        let Fixture { k, i, y, .. } = fixture();
        breaks(k.clone(), vec![loop_over(i, 0, vec![])], Law::Steps, "at least 1, not 0");
        let sub = Stmt::Store { buf: y, at: int(0), val: f(1.0), reduce: Some(Prim::Sub) };
        breaks(k.clone(), vec![sub], Law::Reductions, "sub does not reduce f64");
        let fold = Expr::Fold { prim: Prim::Div, arg: Expr::Splat { lanes: 2, arg: f(1.0).into() }.into() };
        breaks(k.clone(), vec![store(y, int(0), fold)], Law::Reductions, "div does not reduce f64");
        breaks(k, vec![Stmt::Fail(Status::Ok)], Law::Failure, "ok is not an error");
    }

    #[test]
    fn a_violation_points_into_the_listing() {
        let Fixture { mut k, i, y, t, .. } = fixture();
        k.body = vec![loop_over(i, 1, vec![store(y, var(i), var(t))])];
        let found = verify(&k).unwrap_err();
        let want = "\
Scope: t is not alive here
kernel k(n: i64, x: in f64[], y: out f64[], w: temp i32[]) {
  for i in 0..4 {
    y[i] = t
    ^^^^^^^^ t is not alive here
  }
}
";
        assert_eq!(found[0].to_string(), want);
        assert_eq!(found[0].stmt, Some(1));
    }
}
