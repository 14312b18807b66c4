//! Functions of sums over rows, which are applied to all rows at once after the sums are there.
//!
//! ```text
//! for i in lo..hi {                        for i in lo..hi {
//!   let t: f64 = 0.0                         let t: f64 = 0.0
//!   for p in pos[i]..pos[i + 1] { … }   =>   for p in pos[i]..pos[i + 1] { … }
//!   y[i] = tanh(t) * b[i]                    y[i] = t
//! }                                        }
//!                                          vector for i in lo..hi { y[i] = tanh(y[i]) * b[i] }
//! ```
//!
//! A function of a scalar takes as long as ten products; of a vector, for each of its lanes, a sixth of that. Where the
//! backend has functions of vectors, the place of a result holds their argument until all rows are there.

use crate::build::{load, store, var};
use crate::kinds::read_buffer;
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::vectorize::RoundFacts;
use crate::walk::{any_part, blocks_mut, born_var, each_stmt, leaves, mentions_buffer, set_var, substitute};
use crate::wide::VectorFunctions;
use openwork_base::{IdMap, IdSet};

/// Takes functions that a backend has for vectors out of the rows of a lawful kernel.
///
/// ```
/// use openwork_algebra::Library;
/// use openwork_base::Source;
/// use openwork_loops::{separate_functions, text::{parse, print}, wide::VectorFunctions};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, x: in f64[], y: out f64[]) {
///   for i in 0..n { let t: f64 = 0.0  for p in 0..i { t = t + x[p] }  y[i] = exp(t) }
/// }")).unwrap();
/// let k = separate_functions(k, VectorFunctions::NONE.and(Library::Exp));
/// assert!(print(&k).contains("y[i] = t\n"));
/// assert!(print(&k).contains("y[i_2] = exp(y[i_2])"));
/// ```
pub fn separate_functions(mut kernel: LoopKernel, functions: VectorFunctions) -> LoopKernel {
    if functions != VectorFunctions::NONE {
        let body = std::mem::take(&mut kernel.body);
        kernel.body = block(&mut kernel, functions, body);
    }
    kernel
}

fn block(kernel: &mut LoopKernel, functions: VectorFunctions, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, functions, std::mem::take(inner));
        }
        let after = split(kernel, functions, &mut s);
        out.push(s);
        out.extend(after);
    }
    out
}

/// The loop over what the rows of `s` came to, which these only store from now on.
fn split(kernel: &mut LoopKernel, functions: VectorFunctions, s: &mut Stmt) -> Option<Stmt> {
    let Stmt::For { var: i, lo, hi, step: 1, mode: LoopMode::Serial, body } = s else { return None };
    let Some((Stmt::Store { buf, at, val, reduce: None }, before)) = body.split_last() else { return None };
    let mut row = LoopRow { changed: IdSet::default(), rounds: false };
    each_stmt(before, &mut |s| row.learn(s));
    let outside = |v: &VarId| v != i && !row.changed.contains(v);
    let fixed = |e: &Expr| matches!(e, Expr::Const(_)) || matches!(e, Expr::Var(v) if outside(v));
    let met = before.iter().any(|s| mentions_buffer(s, *buf)) || any_part(val, &loads_from(*buf));
    if !row.rounds || met || leaves(body) || !fixed(lo) || !fixed(hi) {
        return None;
    }
    let known = row.known_lets(kernel, before, *i);
    let put = |e: &Expr| substitute(e, &|v| known.get(&v).cloned());
    let (at, val) = (put(at), put(val));
    let facts = RoundFacts::new(kernel, *i, &[]).ok()?;
    let depends = |e: &Expr| any_part(e, &|part| matches!(part, Expr::Var(v) if row.changed.contains(v)));
    if !functions.any_in(&val) || depends(&at) || facts.stride(&at) != Some(1) {
        return None;
    }
    let sum = row.one(&val)?;
    if kernel.vars[sum].ty != Ty::scalar(kernel.bufs[*buf].elem) || row.stores(before, &val) {
        return None;
    }
    let (buf, name) = (*buf, kernel.vars[*i].name.clone());
    let again = kernel.index(&name);
    let moved = substitute(&at, &|v| (v == *i).then_some(var(again)));
    let value = substitute(&val, &|v| match v {
        v if v == *i => Some(var(again)),
        v if v == sum => Some(load(buf, moved.clone())),
        _ => None,
    });
    let (lo, hi) = (lo.clone(), hi.clone());
    body.pop();
    body.push(store(buf, at, var(sum)));
    let body = vec![store(buf, moved, value)];
    Some(Stmt::For { var: again, lo, hi, step: 1, mode: LoopMode::Vector, body })
}

fn loads_from(buf: crate::BufId) -> impl Fn(&Expr) -> bool {
    move |part| read_buffer(part) == Some(buf)
}

/// What a row does before its result is stored.
struct LoopRow {
    /// Variables that are born or set in it.
    changed: IdSet<VarId>,
    /// Whether there are loops in it.
    rounds: bool,
}

impl LoopRow {
    fn learn(&mut self, s: &Stmt) {
        self.changed.extend(born_var(s).into_iter().chain(set_var(s)));
        self.rounds |= matches!(s, Stmt::For { .. } | Stmt::While { .. });
    }
    /// What lets of the row stand for, where it is the same after all rows.
    fn known_lets(&self, kernel: &LoopKernel, before: &[Stmt], i: VarId) -> IdMap<VarId, Expr> {
        let mut set = IdSet::default();
        each_stmt(before, &mut |s| set.extend(set_var(s)));
        let mut known: IdMap<VarId, Expr> = IdMap::default();
        for s in before {
            let Stmt::Let { var, val } = s else { continue };
            let val = substitute(val, &|v| known.get(&v).cloned());
            let free = |e: &Expr| matches!(e, Expr::Var(v) if *v != i && self.changed.contains(v));
            if !set.contains(var) && !any_part(&val, &free) && kernel.vars[*var].ty.lanes == 1 {
                known.insert(*var, val);
            }
        }
        known
    }
    /// The one variable of the row that a value depends on.
    fn one(&self, val: &Expr) -> Option<VarId> {
        let mut found = IdSet::default();
        crate::walk::each_part(val, &mut |part| {
            if let Expr::Var(v) = part
                && self.changed.contains(v)
            {
                found.insert(*v);
            }
        });
        let mut found = found.into_iter();
        found.next().filter(|_| found.next().is_none())
    }
    /// Whether something is stored that a value reads.
    fn stores(&self, before: &[Stmt], val: &Expr) -> bool {
        let mut found = false;
        each_stmt(before, &mut |s| {
            if let Stmt::Store { buf, .. } = s {
                found |= any_part(val, &loads_from(*buf));
            }
        });
        found
    }
}
