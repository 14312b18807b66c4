//! Sums that stay at one place of an array through a loop are kept in a variable.
//!
//! ```text
//! for p in lo..hi {                       let sum: f64 = 0.0
//!   y[b] += a[p] * x[crd[p]]              for p in lo..hi {
//! }                                  =>     sum = sum + a[p] * x[crd[p]]
//!                                         }
//!                                         if lo < hi { y[b] += sum }
//! ```
//! Allowed where nothing in the loop reads the array, and everything that the loop writes to it is added, so that the order
//! of the additions is all that changes: other places of the array may be added to as well, even the same place under
//! another name. A place is touched only if the loop would have touched it: a flag remembers whether a branch was
//! taken. Floats need [`Reassociate::Allowed`].

use crate::build::{call, constant, if_then, lt, set, var};
use crate::kinds::{changed_buffer, read_buffer};
use crate::nodes::{BufId, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::unroll::is_assembled;
use crate::vectorize::Reassociate;
use crate::walk::{
    any_part, blocks_mut, born_var, depends, each_part, each_stmt, exprs, leaves, set_var, substitute, take,
};
use openwork_algebra::{Prim, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// The most variables that one loop may need; more would not stay in registers.
const REGISTERS: usize = 12;

/// Keeps sums in variables through the loops of a lawful kernel, inner loops first.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{Reassociate, promote, text::{parse, print}};
/// let text = "kernel k(n: i64, b: i64, x: in f64[], y: out f64[]) { for p in 0..n { y[b] += x[p] } }";
/// let k = promote(parse(&Source::new("demo", text)).unwrap(), Reassociate::Allowed);
/// assert!(print(&k).contains("sum = sum + x[p]"));
/// ```
pub fn promote(mut kernel: LoopKernel, reassociate: Reassociate) -> LoopKernel {
    if reassociate == Reassociate::Allowed {
        let body = std::mem::take(&mut kernel.body);
        kernel.body = block(&mut kernel, body);
    }
    kernel
}

fn block(kernel: &mut LoopKernel, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if is_assembled(&s) {
            out.push(s);
            continue;
        }
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, std::mem::take(inner));
        }
        let Stmt::For { var: v, lo, hi, mode, body, .. } = &mut s else {
            out.push(s);
            continue;
        };
        if leaves(body) {
            // Whether a round came as far as its sum is not told by the bounds.
            out.push(s);
            continue;
        }
        let around = PromotedLoop::new(*v, body);
        let mut kept = Vec::new();
        around.keep(kernel, body, *mode, 0, &mut kept);
        let mut after = Vec::new();
        for KeptSum { buf, at, sum, flag } in kept {
            let elem = kernel.bufs[buf].elem;
            out.push(Stmt::Let { var: sum, val: constant(Scalar::zero(elem)) });
            let ran = flag.map_or_else(|| lt(lo.clone(), hi.clone()), var);
            if let Some(flag) = flag.filter(|f| !out.iter().any(|s| born_var(s) == Some(*f))) {
                out.push(Stmt::Let { var: flag, val: constant(Scalar::Bool(false)) });
            }
            let add = Stmt::Store { buf, at, val: var(sum), reduce: Some(Prim::Add) };
            after.extend(if_then(ran, vec![add]));
        }
        out.push(s);
        out.extend(after);
    }
    out
}

/// A place whose sum is kept.
struct KeptSum {
    buf: BufId,
    at: Expr,
    sum: VarId,
    /// Whether the place was touched; the loop's having run tells it where there is none.
    flag: Option<VarId>,
}

/// What is known of a loop.
struct PromotedLoop {
    /// Variables that are born or set in it.
    inside: BTreeSet<VarId>,
    /// Definitions in it that hold wherever they are visible.
    lets: BTreeMap<VarId, Expr>,
    /// Arrays that the loop only adds to.
    added: BTreeSet<BufId>,
}

impl PromotedLoop {
    fn new(v: VarId, body: &[Stmt]) -> PromotedLoop {
        let mut found = PromotedLoop { inside: [v].into(), lets: BTreeMap::new(), added: BTreeSet::new() };
        let mut not: BTreeSet<BufId> = BTreeSet::new();
        let mut changed: BTreeSet<VarId> = BTreeSet::new();
        each_stmt(body, &mut |s| {
            found.inside.extend(born_var(s).into_iter().chain(set_var(s)));
            changed.extend(set_var(s));
            exprs(s).for_each(|e| each_part(e, &mut |part| not.extend(read_buffer(part))));
            match s {
                Stmt::Let { var, val } => {
                    found.lets.insert(*var, val.clone());
                }
                Stmt::Store { buf, reduce: Some(Prim::Add), .. } => {
                    found.added.insert(*buf);
                }
                s => not.extend(changed_buffer(s)),
            }
        });
        found.added.retain(|b| !not.contains(b));
        found.lets.retain(|v, _| !changed.contains(v));
        found
    }

    /// The place as an expression that is the same in every round, if it is.
    fn fixed_place(&self, at: &Expr) -> Option<Expr> {
        let mut at = at.clone();
        while any_part(&at, &|e| matches!(e, Expr::Var(v) if self.lets.contains_key(v))) {
            at = substitute(&at, &|v| self.lets.get(&v).cloned());
        }
        (!depends(&at, &|v| self.inside.contains(&v))).then_some(at)
    }

    /// Adds to variables instead of places in a block of the loop and in the branches inside it.
    fn keep(
        &self,
        kernel: &mut LoopKernel,
        body: &mut Vec<Stmt>,
        mode: LoopMode,
        depth: usize,
        out: &mut Vec<KeptSum>,
    ) {
        let mut mine: Vec<(BufId, Expr, VarId)> = Vec::new();
        for s in body.iter_mut() {
            if let Stmt::If { then, other, .. } = s
                && mode == LoopMode::Serial
            {
                self.keep(kernel, then, mode, depth + 1, out);
                self.keep(kernel, other, mode, depth + 1, out);
                continue;
            }
            let Stmt::Store { buf, at, val, reduce: Some(Prim::Add) } = s else { continue };
            if !self.added.contains(buf) || is_vector(val) {
                continue;
            }
            let Some(place) = self.fixed_place(at) else { continue };
            let known = mine.iter().find(|(b, p, _)| b == buf && *p == place).map(|(_, _, sum)| *sum);
            if known.is_none() && out.len() + mine.len() >= REGISTERS {
                continue;
            }
            let sum = known.unwrap_or_else(|| {
                let sum = kernel.var("sum", Ty::scalar(kernel.bufs[*buf].elem));
                mine.push((*buf, place, sum));
                sum
            });
            let val = call(Prim::Add, var(sum), take(val));
            *s = set(sum, val);
        }
        if mine.is_empty() {
            return;
        }
        let flag = (depth > 0).then(|| kernel.var("added", Ty::BOOL));
        if let Some(flag) = flag {
            body.insert(0, set(flag, constant(Scalar::Bool(true))));
        }
        out.extend(mine.into_iter().map(|(buf, at, sum)| KeptSum { buf, at, sum, flag }));
    }
}

fn is_vector(e: &Expr) -> bool {
    any_part(e, &|e| matches!(e, Expr::VLoad { .. } | Expr::Splat { .. } | Expr::Pack(_)))
}
