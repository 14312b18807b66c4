//! Loops that give a row its first values, or that use its sums, joined to the [`wide`](super) loop that adds the row up:
//! elements are met in registers.
//!
//! ```text
//! vector for k in 0..m { t[k] = 0.0 }
//! if lo < hi {                                      wide(8) for k in 0..m {
//!   wide(8) for k in 0..m {                           let sum: f64 = 0.0
//!     let sum: f64 = t[k]                             for p in lo..hi { … }
//!     for p in lo..hi { … }              =>           t[k] = sum
//!     t[k] = sum                                      y[c + k] = max(0.0, sum + b)
//!   }                                               }
//! }
//! vector for k in 0..m { y[c + k] = max(0.0, t[k] + b) }
//! ```
//! Between these loops there may be lets that do not read the row. Stores to a temporary that nothing loads any more go.

use super::{Wide, WideLeaf};
use crate::kinds::{is_plain, read_buffer};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{any_part, blocks_mut, each_stmt, exprs, mentions_buffer, rewrite, set_var, substitute};
use openwork_algebra::Prim;
use openwork_base::{IdMap, IdSet};
use std::ops::Range;

/// The loop that `nest` made, with the start of its row taken from the statements before it, where that can be.
pub(super) fn merge_start(
    kernel: &LoopKernel,
    wide: &Wide,
    out: &mut Vec<Stmt>,
    turned: Vec<Stmt>,
) -> Vec<Stmt> {
    match start(kernel, wide, out, &turned) {
        Some((n, joined)) => {
            out.remove(n);
            vec![joined]
        }
        None => turned,
    }
}

fn start(kernel: &LoopKernel, wide: &Wide, out: &[Stmt], turned: &[Stmt]) -> Option<(usize, Stmt)> {
    let [Stmt::If { then, .. }] = turned else { return None };
    let [Stmt::For { var: k, lo, hi, step, mode, body }] = &then[..] else { return None };
    let (Stmt::Let { var: sum, val: Expr::Load { buf, at } }, rest) = body.split_first()? else {
        return None;
    };
    let n = last_loop(out)?;
    let Stmt::For { var: q, lo: first, hi: last, step: 1, mode: LoopMode::Vector, body: begin } = &out[n]
    else {
        return None;
    };
    let (Stmt::Store { buf: filled, at: place, val, reduce: None }, lets) = begin.split_last()? else {
        return None;
    };
    let reads = |s: &Stmt| mentions_buffer(s, *buf);
    let plain = lets.iter().all(|s| matches!(s, Stmt::Let { .. }) && !reads(s));
    let once = Stmt::Let { var: *sum, val: val.clone() };
    if filled != buf || !plain || reads(&once) || out[n + 1..].iter().any(reads) {
        return None;
    }
    let known = KnownLets::collect(out);
    let same =
        known.is_same(first, lo) && known.is_same(last, hi) && known.is_same(&rename_var(place, *q, *k), at);
    let fixed = lets.is_empty() && !any_part(val, &|e| *e == Expr::Var(*q));
    let counted = fixed && *place == Expr::Var(*q);
    let shifted = counted && known.is_shifted(first..last, *k, lo..hi, at);
    if !same && !shifted {
        return None;
    }
    let mut inside: Vec<Stmt> = lets.iter().cloned().chain([once]).collect();
    inside.iter_mut().for_each(|s| rename(s, *q, *k));
    inside.extend(rest.iter().cloned());
    let (lo, hi) = (lo.clone(), hi.clone());
    let joined = Stmt::For { var: *k, lo, hi, step: *step, mode: *mode, body: inside };
    WideLeaf::read(kernel, &joined, wide).ok().map(|_| (n, joined))
}

/// Puts what `s` does with the row of the loop before it into that loop, if that can be.
pub(super) fn merge_finish(kernel: &LoopKernel, wide: &Wide, out: &mut Vec<Stmt>, s: &Stmt) -> bool {
    match finish(kernel, wide, out, s) {
        Some((n, joined)) => {
            out.remove(n);
            out.push(joined);
            true
        }
        None => false,
    }
}

fn finish(kernel: &LoopKernel, wide: &Wide, out: &[Stmt], s: &Stmt) -> Option<(usize, Stmt)> {
    let Stmt::For { var: r, lo: first, hi: last, step: 1, mode: LoopMode::Vector, body: end } = s else {
        return None;
    };
    let n = last_loop(out)?;
    let Stmt::For { var: k, lo, hi, step, mode: mode @ LoopMode::Wide { .. }, body } = &out[n] else {
        return None;
    };
    let Stmt::Store { buf, at, val: Expr::Var(sum), reduce: None } = body.last()? else { return None };
    let (Stmt::Store { buf: target, reduce: None, .. }, lets) = end.split_last()? else { return None };
    let known = KnownLets::collect(out);
    let apart = target != buf && !body.iter().chain(end.split_last()?.1).any(|s| mentions_buffer(s, *target));
    let plain = lets.iter().all(|s| matches!(s, Stmt::Let { .. }));
    let between = out[n + 1..].iter().any(|s| mentions_buffer(s, *buf));
    if !apart || !plain || between || !known.is_same(first, lo) || !known.is_same(last, hi) {
        return None;
    }
    let mut inside = body.clone();
    for s in end {
        let mut s = s.clone();
        rename(&mut s, *r, *k);
        for e in crate::walk::exprs_mut(&mut s) {
            rewrite(e, &mut |part| {
                if matches!(part, Expr::Load { buf: b, at: here } if b == buf && known.is_same(here, at)) {
                    *part = Expr::Var(*sum);
                }
            });
        }
        if mentions_buffer(&s, *buf) || exprs(&s).any(|e| crate::jam::reads(e, *target)) {
            return None;
        }
        inside.push(s);
    }
    let joined =
        Stmt::For { var: *k, lo: lo.clone(), hi: hi.clone(), step: *step, mode: *mode, body: inside };
    WideLeaf::read(kernel, &joined, wide).ok().map(|_| (n, joined))
}

/// The last statement, if only lets follow it.
fn last_loop(out: &[Stmt]) -> Option<usize> {
    out.iter().rposition(|s| !is_plain(s))
}

/// Drops stores to temporaries that nothing loads.
pub(super) fn without_dead_stores(kernel: &mut LoopKernel) {
    let mut loaded: IdSet<BufId> = IdSet::default();
    each_stmt(&kernel.body, &mut |s| {
        for e in exprs(s) {
            crate::walk::each_part(e, &mut |part| {
                loaded.extend(read_buffer(part));
            });
        }
    });
    let temps = kernel.bufs.iter().filter(|(id, b)| b.role == BufRole::Temp && !loaded.contains(id));
    let dead: IdSet<BufId> = temps.map(|(id, _)| id).collect();
    if !dead.is_empty() {
        drop_stores(&mut kernel.body, &dead);
    }
}
fn drop_stores(body: &mut Vec<Stmt>, dead: &IdSet<BufId>) {
    body.retain(|s| !matches!(s, Stmt::Store { buf, .. } if dead.contains(buf)));
    for s in body {
        blocks_mut(s).for_each(|inner| drop_stores(inner, dead));
    }
}

fn rename_var(e: &Expr, from: VarId, to: VarId) -> Expr {
    substitute(e, &|v| (v == from).then_some(Expr::Var(to)))
}
fn rename(s: &mut Stmt, from: VarId, to: VarId) {
    for e in crate::walk::exprs_mut(s) {
        *e = rename_var(e, from, to);
    }
}

/// What lets of a block stand for.
struct KnownLets(IdMap<VarId, Expr>);

impl KnownLets {
    fn collect(body: &[Stmt]) -> KnownLets {
        let mut changing = IdSet::default();
        each_stmt(body, &mut |s| changing.extend(set_var(s)));
        let mut known = KnownLets(IdMap::default());
        for s in body {
            if let Stmt::Let { var, val } = s
                && !any_part(val, &|e| {
                    read_buffer(e).is_some() || matches!(e, Expr::Var(v) if changing.contains(v))
                })
                && !changing.contains(var)
            {
                let whole = known.expand(val);
                known.0.insert(*var, whole);
            }
        }
        known
    }
    fn expand(&self, e: &Expr) -> Expr {
        substitute(e, &|v| self.0.get(&v).cloned())
    }
    fn is_same(&self, a: &Expr, b: &Expr) -> bool {
        self.expand(a) == self.expand(b)
    }
    /// Whether `at` goes through `places` while `k` goes through `rounds` from 0.
    fn is_shifted(&self, places: Range<&Expr>, k: VarId, rounds: Range<&Expr>, at: &Expr) -> bool {
        let sum = |e: &Expr| match self.expand(e) {
            Expr::Call { prim: Prim::Add, args } => Some((args[0].clone(), args[1].clone())),
            _ => None,
        };
        let (Some((base, step)), Some((begin, length))) = (sum(at), sum(places.end)) else { return false };
        let zero = *rounds.start == crate::build::int(0);
        zero && step == Expr::Var(k)
            && begin == self.expand(places.start)
            && base == begin
            && length == self.expand(rounds.end)
    }
}
