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
//!    Only `Temp` buffers are kept between calls, and what an input holds is the caller's business.
//! 7. **Steps** are at least 1.
//! 8. **Reductions** (`fold`, and stores that combine) use a primitive that is associative, commutative and closed on
//!    the dtype and has an identity.
//! 9. **Failure** carries an error: `fail(ok)` is not a statement.
//! 10. **Wide loops**, and loops over rows, have step 1 and from 2 to 64 lanes, a power of two; in them are lets, sets,
//!     stores, remarks and serial loops of the same, and in those over rows conditions without another branch.
//! 11. **Breaks** stand in a loop, and the innermost one around them is a serial `for` or a `while`: rounds that may be
//!     taken together have no first one after which there are no more.

use crate::nodes::{BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Status, Stmt, Ty, VarId};
use crate::text::{is_name, listing};
use crate::walk::each_stmt;
use openwork_algebra::operator::OPERATORS;
use openwork_algebra::{DType, Prim};
use openwork_base::Id;
use std::fmt;
use std::ops::Range;

/// The parts of the law, each of which may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LawPart {
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
    /// Serial loops alone are left early.
    Breaks,
}

/// One breach of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which law.
    pub law: LawPart,
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
/// use openwork_loops::{LoopKernel, BufRole, build::*, verify::{LawPart, verify}};
/// use openwork_algebra::DType;
/// let mut k = LoopKernel::new("k");
/// let x = k.buf("x", DType::I64, BufRole::In);
/// k.body = vec![store(x, int(0), int(1))];
/// let wrong = verify(&k).unwrap_err();
/// assert_eq!(wrong[0].law, LawPart::Roles);
/// assert!(wrong[0].to_string().contains("  x[0] = 1\n  ^^^^^^^^ x is an input"));
/// k.bufs[x].role = BufRole::Out;
/// assert!(verify(&k).is_ok());
/// ```
pub fn verify(kernel: &LoopKernel) -> Result<(), Vec<Violation>> {
    let mut c = KernelChecker {
        k: kernel,
        alive: vec![Life::Dead; kernel.vars.len()],
        born: Vec::new(),
        at: None,
        count: 0,
        inside: None,
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
/// use openwork_loops::{LoopKernel, Status, Stmt, verify::check};
/// let mut k = LoopKernel::new("k");
/// assert_eq!(check("lower", &k), Ok(()));
/// k.body.push(Stmt::Fail(Status::Ok));
/// assert!(matches!(check("lower", &k), Err(Error::Bug { step: "lower", .. })));
/// ```
pub fn check(step: &'static str, kernel: &LoopKernel) -> openwork_base::Result<()> {
    verify(kernel).map_err(|found| {
        let first = found.first().map_or_else(String::new, Violation::to_string);
        openwork_base::Error::bug(step, first, listing(kernel).text)
    })
}

/// The primitives that may reduce in a dtype (law 8).
pub fn reduces(prim: Prim, dtype: DType) -> bool {
    OPERATORS.iter().any(|op| op.prim == prim && op.reduces(dtype))
}

/// Whether values may be combined by a primitive in any order.
fn reduces_in_any_order(prim: Prim, dtype: DType) -> bool {
    OPERATORS.iter().any(|op| op.prim == prim && op.commutative && op.reduces(dtype))
}

/// The primitives that reduce side by side, in lanes that are combined behind a loop: functions of the library reduce one value
/// after the other.
pub(crate) fn reduces_in_lanes(prim: Prim, dtype: DType) -> bool {
    !matches!(prim, Prim::Library(_)) && reduces_in_any_order(prim, dtype)
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

struct KernelChecker<'k> {
    k: &'k LoopKernel,
    alive: Vec<Life>,
    /// Variables in order of birth, so that the end of a block knows what dies.
    born: Vec<VarId>,
    at: Option<usize>,
    count: usize,
    /// How the innermost loop may run.
    inside: Option<LoopMode>,
    found: Vec<(LawPart, Option<usize>, String)>,
}

impl KernelChecker<'_> {
    fn wrong(&mut self, law: LawPart, message: impl Into<String>) {
        self.found.push((law, self.at, message.into()));
    }
    fn name(&self, v: VarId) -> String {
        self.k.vars.get(v).map_or_else(|| format!("?{v:?}"), |v| v.name.clone())
    }
    fn declarations(&mut self) {
        let k = self.k;
        if !is_name(&k.name) {
            self.wrong(LawPart::Names, format!("{:?} cannot be written as a name", k.name));
        }
        let all = k.vars.iter().map(|(_, v)| &v.name).chain(k.bufs.iter().map(|(_, b)| &b.name));
        let mut all: Vec<&String> = all.collect();
        for name in &all {
            if !is_name(name) {
                self.wrong(LawPart::Names, format!("{name:?} cannot be written as a name"));
            }
        }
        all.sort_unstable();
        for same in all.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.wrong(LawPart::Names, format!("two things are called {}", same[0]));
        }
        for (_, b) in k.bufs.iter() {
            let fits = match b.init {
                Init::Zeros => true,
                Init::Uninit => b.role != BufRole::In,
                Init::Kept => b.role == BufRole::Temp,
                Init::Given => b.role == BufRole::Out,
            };
            if !fits {
                let word = b.init.name().unwrap_or_default();
                self.wrong(LawPart::Roles, format!("{} cannot be {word} in its role", b.name));
            }
        }
        for (_, v) in k.vars.iter() {
            if !(v.ty.lanes.is_power_of_two() && v.ty.lanes <= 64) {
                self.wrong(LawPart::Types, format!("{} has {} lanes", v.name, v.ty.lanes));
            }
        }
        for &p in &k.params {
            match k.vars.get(p) {
                None => self.wrong(LawPart::Parameters, format!("there is no variable {p:?}")),
                Some(v) if v.ty != Ty::INDEX => {
                    self.wrong(LawPart::Parameters, format!("parameter {} is not an i64", v.name))
                }
                Some(v) if self.alive[p.index()] != Life::Dead => {
                    self.wrong(LawPart::Parameters, format!("{} is a parameter twice", v.name))
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
                self.check_assignment(*var, val);
                self.bear(*var, Life::Free);
            }
            Stmt::Set { var, val } => {
                self.check_assignment(*var, val);
                match self.alive.get(var.index()) {
                    Some(Life::Free) => {}
                    Some(Life::Looping) => {
                        let name = self.name(*var);
                        self.wrong(LawPart::LoopVariables, format!("{name} is a loop variable"));
                    }
                    Some(Life::Dead) | None => {
                        let name = self.name(*var);
                        self.wrong(LawPart::Scope, format!("{name} is not alive here"));
                    }
                }
            }
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { var, lo, hi, step, mode, body } => {
                if let LoopMode::Wide { lanes } | LoopMode::Rows { lanes } = mode {
                    self.wide(*lanes, *step, *mode, body);
                }
                self.for_loop(*var, lo..hi, *step, *mode, body);
            }
            Stmt::While { cond, body } => {
                self.expect_type(cond, Ty::BOOL, "a condition");
                self.rounds(LoopMode::Serial, body);
            }
            Stmt::If { cond, then, other } => {
                self.expect_type(cond, Ty::BOOL, "a condition");
                self.block(then);
                self.block(other);
            }
            Stmt::Reserve { buf, len } => {
                self.expect_type(len, Ty::INDEX, "a length");
                self.writable(*buf);
            }
            Stmt::SetLen { buf, len } => {
                self.expect_type(len, Ty::INDEX, "a length");
                match self.k.bufs.get(*buf) {
                    None => self.wrong(LawPart::Types, format!("there is no buffer {buf:?}")),
                    Some(b) if b.role != BufRole::Out => {
                        self.wrong(LawPart::Roles, format!("{} is not an output", b.name))
                    }
                    Some(_) => {}
                }
            }
            Stmt::Break => self.leave(),
            Stmt::Fail(Status::Ok) => self.wrong(LawPart::Failure, "ok is not an error"),
            Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => {}
        }
    }
    fn for_loop(&mut self, v: VarId, range: Range<&Expr>, step: i64, mode: LoopMode, body: &[Stmt]) {
        self.expect_type(range.start, Ty::INDEX, "a bound");
        self.expect_type(range.end, Ty::INDEX, "a bound");
        if step < 1 {
            self.wrong(LawPart::Steps, format!("a step must be at least 1, not {step}"));
        }
        match self.k.vars.get(v) {
            Some(var) if var.ty != Ty::INDEX => {
                self.wrong(LawPart::LoopVariables, format!("{} is not an i64", var.name))
            }
            Some(_) | None => {}
        }
        let before = self.born.len();
        self.bear(v, Life::Looping);
        self.rounds(mode, body);
        for v in self.born.drain(before..) {
            self.alive[v.index()] = Life::Dead;
        }
    }
    fn rounds(&mut self, mode: LoopMode, body: &[Stmt]) {
        let outer = self.inside.replace(mode);
        self.block(body);
        self.inside = outer;
    }
    fn leave(&mut self) {
        match self.inside {
            Some(LoopMode::Serial) => {}
            Some(LoopMode::Vector | LoopMode::Runs | LoopMode::Wide { .. } | LoopMode::Rows { .. }) => {
                self.wrong(LawPart::Breaks, "the loop around it is not serial");
            }
            None => self.wrong(LawPart::Breaks, "there is no loop around it"),
        }
    }
    fn wide(&mut self, lanes: u8, step: i64, mode: LoopMode, body: &[Stmt]) {
        if step != 1 {
            self.wrong(LawPart::Wide, format!("a wide loop has step 1, not {step}"));
        }
        if !(lanes.is_power_of_two() && (2..=64).contains(&lanes)) {
            self.wrong(LawPart::Wide, format!("{lanes} lanes"));
        }
        let mut other = false;
        each_stmt(body, &mut |s| {
            other |= match s {
                Stmt::Let { .. } | Stmt::Set { .. } | Stmt::Store { .. } | Stmt::Note(_) => false,
                Stmt::For { mode, .. } => *mode != LoopMode::Serial,
                Stmt::If { other, .. } => !(matches!(mode, LoopMode::Rows { .. }) && other.is_empty()),
                Stmt::While { .. } | Stmt::Break | Stmt::Fail(_) | Stmt::Poll => true,
                Stmt::Reserve { .. } | Stmt::SetLen { .. } => true,
            }
        });
        if other {
            self.wrong(LawPart::Wide, "a wide loop holds more than lets, sets, stores and serial loops");
        }
    }
    fn bear(&mut self, v: VarId, life: Life) {
        match self.alive.get(v.index()) {
            None => self.wrong(LawPart::Types, format!("there is no variable {v:?}")),
            Some(Life::Dead) => {
                self.alive[v.index()] = life;
                self.born.push(v);
            }
            Some(Life::Free | Life::Looping) => {
                let name = self.name(v);
                self.wrong(LawPart::Scope, format!("{name} is already alive"));
            }
        }
    }
    fn check_assignment(&mut self, v: VarId, val: &Expr) {
        match self.k.vars.get(v).map(|v| v.ty) {
            Some(ty) => {
                if let Some(found) = self.expr(val)
                    && found != ty
                {
                    let name = self.name(v);
                    self.wrong(LawPart::Types, format!("the value of {name} must be {ty}, not {found}"));
                }
            }
            None => self.wrong(LawPart::Types, format!("there is no variable {v:?}")),
        }
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) {
        self.expect_type(at, Ty::INDEX, "an index");
        self.writable(buf);
        let Some(b) = self.k.bufs.get(buf) else { return };
        if let Some(ty) = self.expr(val)
            && ty.elem != b.elem
        {
            self.wrong(LawPart::Types, format!("{} holds {}, not {}", b.name, b.elem, ty.elem));
        }
        if let Some(prim) = reduce
            && !reduces(prim, b.elem)
        {
            self.wrong(LawPart::Reductions, format!("{} does not reduce {}", prim.name(), b.elem));
        }
    }
    fn writable(&mut self, buf: BufId) {
        match self.k.bufs.get(buf) {
            None => self.wrong(LawPart::Types, format!("there is no buffer {buf:?}")),
            Some(b) if b.role == BufRole::In => self.wrong(LawPart::Roles, format!("{} is an input", b.name)),
            Some(_) => {}
        }
    }
    /// Checks `e`, which must have type `want`.
    fn expect_type(&mut self, e: &Expr, want: Ty, what: &str) {
        if let Some(ty) = self.expr(e)
            && ty != want
        {
            self.wrong(LawPart::Types, format!("{what} must be {want}, not {ty}"));
        }
    }
    /// Checks an expression and finds its type.
    fn expr(&mut self, e: &Expr) -> Option<Ty> {
        self.parts(e);
        match self.k.ty(e) {
            Ok(ty) => Some(ty),
            Err(message) => {
                self.wrong(LawPart::Types, message);
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
                    self.wrong(LawPart::Scope, format!("{name} is not alive here"));
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
                    && !reduces_in_any_order(*prim, ty.elem)
                {
                    self.wrong(LawPart::Reductions, format!("{} does not reduce {}", prim.name(), ty.elem));
                }
            }
        }
    }
    fn lanes(&mut self, n: usize) {
        if !(n.is_power_of_two() && n <= 64) {
            self.wrong(LawPart::Types, format!("{n} lanes"));
        }
    }
}

#[cfg(test)]
mod tests;
