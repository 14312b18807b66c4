//! The vectoriser, which expands innermost `vector` loops into explicit vectors.
//!
//! ```text
//! vector for p in lo..hi {              let p_done: i64 = lo
//!   t = t + a[p] * x[i64(c[p])]         if hi - lo >= 4 && lo < hi {
//! }                                       let t_acc: f64x2 = splat(2, 0.0)
//!                                         let t_acc_2: f64x2 = splat(2, 0.0)
//!                                         let p_main: i64 = lo + (hi - lo & -4)
//!        =>  2 lanes,                     for p in lo..p_main step 4 {
//!            2 accumulators                 t_acc = t_acc + a[p : 2] * pack(x[i64(c[p])], x[i64(c[p + 1])])
//!                                           t_acc_2 = t_acc_2 + a[p + 2 : 2] * pack(…)
//!                                         }
//!                                         let p_end: i64 = lo + (hi - lo & -2)
//!                                         for p in p_main..p_end step 2 { t_acc = … }
//!                                         t = t + fold(add, t_acc + t_acc_2)
//!                                         p_done = p_end
//!                                       }
//!                                       for p in p_done..hi { t = t + a[p] * x[i64(c[p])] }
//! ```
//!
//! The pass proves for itself that this is allowed and otherwise makes the loop serial, with a reason:
//!
//! - the body is straight-line: lets, sets, stores; the step is 1;
//! - a store goes to `base + p`, and every other access to that buffer in the body is at the same index;
//! - a set of a variable from outside is a reduction `t = prim(t, e)`, the only place that reads or sets `t`;
//! - all vector values have elements of one size: then every vector is exactly as wide as asked. Casts, gathers and
//!   index arithmetic stay scalar, lane by lane, and are packed;
//! - truth values come from comparing vectors, or from memory element after element. They have as many lanes as the numbers
//!   beside them, and where there are none as many as bytes fit in a vector: backends widen and narrow them.
//!
//! Short loops go straight to the scalar loop: nothing is set up before the test of the trip count.
//!
//! Where the backend has vectors of its own and the loop is a [`WideLeaf`](crate::wide::WideLeaf), the expansion is for short loops
//! only: `if hi - lo >= 32 { wide(8) for p in lo..hi { … } } else { … }`.

mod compared;
mod emit;
mod plan;
mod wide;

use wide::Long;

pub(crate) use emit::{long_enough, rounds, tree};
pub(crate) use plan::{RoundFacts, straighten};

use crate::nodes::{LoopKernel, LoopMode, Stmt};
use crate::walk::{blocks_mut, each_stmt};
use crate::wide::Wide;

/// The vectors of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Bytes of a vector: 16, 32 or 64.
    pub bytes: usize,
    /// Independent accumulators of a reduction, to hide the latency of its operation; rounded down to a power of two.
    pub accumulators: usize,
}

/// Whether floating-point reductions may be computed in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reassociate {
    /// They may (the default of the language).
    Allowed,
    /// They may not: loops with one stay serial.
    Strict,
}

/// The vectors and rules that loops are expanded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorOptions {
    /// The vectors.
    pub lanes: Lanes,
    /// Vectors per round of a loop without reductions; rounded down to a power of two.
    pub unroll: usize,
    /// What may happen to float reductions.
    pub reassociate: Reassociate,
    /// The vectors that the backend assembles itself, if any.
    pub wide: Option<Wide>,
}

impl VectorOptions {
    /// Vectors of `bytes` with four accumulators, no unrolling, reassociation allowed.
    pub fn new(bytes: usize) -> VectorOptions {
        let lanes = Lanes { bytes, accumulators: 4 };
        VectorOptions { lanes, unroll: 1, reassociate: Reassociate::Allowed, wide: None }
    }
}

/// The decision about one `vector` loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorDecision {
    /// The name of the loop's variable.
    pub var: String,
    /// What was done.
    pub outcome: VectorOutcome,
    /// The lanes of the `wide` loop that long loops take instead, if there is one.
    pub wide: Option<u8>,
}

/// The outcome for a `vector` loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorOutcome {
    /// It was expanded.
    Vectors {
        /// Lanes per vector.
        lanes: usize,
        /// Vectors per round of the main loop.
        copies: usize,
    },
    /// It runs serially, because of this.
    Serial(String),
}

/// Expands the `vector` loops of a lawful kernel, or makes them serial; tells what it did, in the order of the text.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{VectorOptions, vectorize::{VectorOutcome, vectorize}, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, x: in f64[], y: out f64[]) {
///   vector for i in 0..n { y[i] = x[i] * 2.0 }
/// }")).unwrap();
/// let (k, decisions) = vectorize(k, &VectorOptions::new(16));
/// assert_eq!(decisions[0].outcome, VectorOutcome::Vectors { lanes: 2, copies: 1 });
/// assert!(print(&k).contains("y[i] = x[i : 2] * splat"));
/// ```
pub fn vectorize(mut kernel: LoopKernel, options: &VectorOptions) -> (LoopKernel, Vec<VectorDecision>) {
    let mut decisions = Vec::new();
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, options, body, &mut decisions);
    (kernel, decisions)
}

fn block(
    kernel: &mut LoopKernel,
    options: &VectorOptions,
    body: Vec<Stmt>,
    decisions: &mut Vec<VectorDecision>,
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if let Stmt::For { var, mode: mode @ LoopMode::Vector, .. } = &mut s {
            *mode = LoopMode::Serial;
            let name = kernel.vars.get(*var).map_or_else(String::new, |v| v.name.clone());
            compared::rewrite_tests(kernel, &mut s);
            let long = wide::long(kernel, options, &mut s, &mut out);
            let planned = match &long {
                Some(Long { cond: None, .. }) => Err("short ones are taken as long ones are".into()),
                Some(Long { cond: Some(_), .. }) | None => plan::plan(kernel, options, &s),
            };
            let outcome = match &planned {
                Ok(plan) => VectorOutcome::Vectors { lanes: plan.lanes, copies: plan.copies },
                Err(reason) => VectorOutcome::Serial(reason.clone()),
            };
            decisions.push(VectorDecision { var: name, outcome, wide: long.as_ref().map(|long| long.lanes) });
            let long = match long {
                Some(Long { cond: None, body, .. }) => {
                    out.push(body);
                    continue;
                }
                Some(Long { cond: Some(cond), body, .. }) => Some((cond, body)),
                None => None,
            };
            let mut short = Vec::new();
            match planned {
                Ok(plan) => emit::expand(kernel, &plan, s, &mut short),
                Err(_) => short.push(expand_inner(kernel, options, s, decisions)),
            }
            match long {
                Some((cond, body)) => out.push(Stmt::If { cond, then: vec![body], other: short }),
                None => out.extend(short),
            }
            continue;
        }
        out.push(expand_inner(kernel, options, s, decisions));
    }
    out
}

/// A statement with the loops in it expanded.
fn expand_inner(
    kernel: &mut LoopKernel,
    options: &VectorOptions,
    mut s: Stmt,
    decisions: &mut Vec<VectorDecision>,
) -> Stmt {
    if !matches!(s, Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. }) {
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, options, std::mem::take(inner), decisions);
        }
    }
    s
}

/// Whether a block holds a loop.
fn has_loop(body: &[Stmt]) -> bool {
    let mut found = false;
    each_stmt(body, &mut |s| found |= matches!(s, Stmt::For { .. } | Stmt::While { .. }));
    found
}

#[cfg(test)]
mod tests;
