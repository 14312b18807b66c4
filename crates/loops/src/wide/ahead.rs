//! Sums that a loop needs in every round, taken ahead of it, some rounds at a time: a loop over [`rows`](super::rows) makes
//! them where the rest of the round is more than such a loop does.
//!
//! ```text
//! for p in lo..hi {                          let p_next: i64 = lo
//!   let j: i64 = i64(crd[p])                 while p_next < hi {
//!   let t: f64 = 0.0                           let p_strip: i64 = p_next
//!   vector for k in 0..m {                     p_next = p_strip + min(64, hi - p_strip)
//!     t = t + x[k] * z[j * m + k]              rows(4) for p in p_strip..p_strip + min(64, hi - p_strip) {
//!   }                                   =>       let j: i64 = i64(crd[p])
//!   if t != 0.0 {                                let t: f64 = 0.0
//!     c[n] = t                                   for k in 0..m { t = t + x[k] * z[j * m + k] }
//!     n = n + 1                                  t_ahead[p - p_strip] = t
//!   }                                          }
//! }                                            for p in p_strip..p_strip + min(64, hi - p_strip) {
//!                                                let t: f64 = t_ahead[p - p_strip]
//!                                                if t != 0.0 { c[n] = t  n = n + 1 }
//!                                              } }
//! ```
//!
//! Allowed where the sums, and what they are computed from, depend on nothing that the loop sets or stores. It saves a call
//! for every sum of 8 to 128 products, and a branch that the processor cannot guess.

use super::{Wide, WideLeaf};
use crate::build::{add, call, int, load, lt, set, store, var};
use crate::kinds::{changed_buffer, read_buffer};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{any_part, born_var, each_stmt, exprs, leaves, set_var};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdSet;

/// Rounds that are taken ahead: their sums stay in the cache.
const STRIP: i64 = 64;
/// The most sums of a round.
const SUMS: usize = 2;

/// A sum that is taken ahead, and where it waits.
type Waiting = (VarId, BufId);

/// The loop in strips, each with its sums ahead, or why not.
pub(super) fn sums_ahead(kernel: &mut LoopKernel, wide: &Wide, s: &Stmt) -> Result<Vec<Stmt>, String> {
    let Stmt::For { var: v, lo, hi, step: 1, mode: _, body } = s else {
        return Err("it is no loop of step 1".into());
    };
    if leaves(body) {
        // The loop over strips would go on.
        return Err("it may end early".into());
    }
    let (made, sums) = slice(body)?;
    let before = kernel.clone();
    let name = kernel.vars[*v].name.clone();
    let [end, next, strip] = ["end", "next", "strip"].map(|part| kernel.index(&format!("{name}_{part}")));
    let waiting: Vec<Waiting> = sums.iter().map(|sum| (*sum, buffer(kernel, *sum))).collect();
    let some = call(Prim::Min, int(STRIP), call(Prim::Sub, var(end), var(strip)));
    let bounds = |mode, body| Stmt::For {
        var: *v,
        lo: var(strip),
        hi: add(var(strip), some.clone()),
        step: 1,
        mode,
        body,
    };
    let at = || call(Prim::Sub, var(*v), var(strip));
    let mut first: Vec<Stmt> = made.into_iter().cloned().collect();
    first.extend(waiting.iter().map(|(sum, buf)| store(*buf, at(), var(*sum))));
    let mut ahead = bounds(LoopMode::Serial, first);
    match WideLeaf::of_rows(kernel, &ahead, wide) {
        Ok(leaf) => super::rows::mark(&mut ahead, &leaf),
        Err(reason) => {
            *kernel = before;
            return Err(reason);
        }
    }
    let rest = body.iter().filter(|s| !is_vector(s)).map(|s| match s {
        Stmt::Let { var: v, .. } => match waiting.iter().find(|(sum, _)| sum == v) {
            Some((_, buf)) => Stmt::Let { var: *v, val: load(*buf, at()) },
            None => s.clone(),
        },
        s => s.clone(),
    });
    let rest = bounds(LoopMode::Serial, rest.collect());
    let strips =
        vec![Stmt::Let { var: strip, val: var(next) }, set(next, add(var(strip), some.clone())), ahead, rest];
    Ok(vec![
        Stmt::Let { var: end, val: hi.clone() },
        Stmt::Let { var: next, val: lo.clone() },
        Stmt::While { cond: lt(var(next), var(end)), body: strips },
    ])
}

/// Whether a loop has the bounds of a strip, and so few rounds.
pub(crate) fn is_strip(s: &Stmt) -> bool {
    let Stmt::For { lo, hi: Expr::Call { prim: Prim::Add, args }, .. } = s else { return false };
    let few = |e: &Expr| match e {
        Expr::Call { prim: Prim::Min, args } => args[0] == Expr::Const(Scalar::I64(STRIP)),
        _ => false,
    };
    args[0] == *lo && few(&args[1])
}

/// Memory for one sum per round of a strip.
fn buffer(kernel: &mut LoopKernel, sum: VarId) -> BufId {
    let (name, elem) = (format!("{}_ahead", kernel.vars[sum].name), kernel.vars[sum].ty.elem);
    let buf = kernel.buf(name, elem, BufRole::Temp);
    kernel.body.insert(0, Stmt::Reserve { buf, len: int(STRIP) });
    buf
}

fn is_vector(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Vector, .. })
}

/// The statements that the sums of the `vector` loops in a block need, these loops included, and the sums.
fn slice(body: &[Stmt]) -> Result<(Vec<&Stmt>, Vec<VarId>), String> {
    let last = body.iter().rposition(is_vector).ok_or("there is no vector loop in it")?;
    let (mut stored, mut changing) = (IdSet::default(), IdSet::default());
    for s in body.iter().filter(|s| !is_vector(s)) {
        each_stmt(std::slice::from_ref(s), &mut |s| {
            changing.extend(set_var(s));
            stored.extend(changed_buffer(s));
        });
    }
    let (mut needed, mut made, mut sums) = (IdSet::default(), Vec::new(), Vec::new());
    for s in body[..=last].iter().rev() {
        let wanted = match s {
            s if is_vector(s) => {
                each_stmt(std::slice::from_ref(s), &mut |s| sums.extend(set_var(s)));
                true
            }
            Stmt::Let { var, .. } => needed.contains(var),
            _ => false,
        };
        if wanted {
            each_stmt(std::slice::from_ref(s), &mut |s| {
                needed.extend(set_var(s));
                exprs(s).for_each(|e| collect_used(e, &mut needed));
            });
            made.push(s);
        }
    }
    made.reverse();
    sums.sort();
    sums.dedup();
    let own: IdSet<VarId> = body.iter().filter_map(born_var).collect();
    sums.retain(|v| needed.contains(v) && own.contains(v));
    let reads = |s: &&Stmt, found: &dyn Fn(&Expr) -> bool| {
        let mut any = false;
        each_stmt(std::slice::from_ref(*s), &mut |s| {
            any |= exprs(s).any(|e| any_part(e, &|part| found(part)));
        });
        any
    };
    let moved = |e: &Expr| read_buffer(e).is_some_and(|buf| stored.contains(&buf));
    if needed.iter().any(|v| changing.contains(v)) || made.iter().any(|s| reads(s, &moved)) {
        return Err("what it adds up depends on what it does".into());
    }
    // Sums of the whole loop are not of a round, and what is read before its loop is something else than the sum.
    let outside = body.iter().filter(|s| is_vector(s)).any(|s| {
        let mut any = false;
        each_stmt(std::slice::from_ref(s), &mut |s| any |= set_var(s).is_some_and(|v| !sums.contains(&v)));
        any
    });
    let is_sum = |e: &Expr| matches!(e, Expr::Var(v) if sums.contains(v));
    let early = body[..last].iter().filter(|s| !is_vector(s)).any(|s| reads(&s, &is_sum));
    match (sums.len(), outside || early) {
        (1..=SUMS, false) => Ok((made, sums)),
        _ => Err("its sums are not those of a round".into()),
    }
}

fn collect_used(e: &Expr, needed: &mut IdSet<VarId>) {
    crate::walk::each_part(e, &mut |part| {
        if let Expr::Var(v) = part {
            needed.insert(*v);
        }
    });
}
