//! Unroll-and-jam: several rounds of an outer loop are taken at once through an inner `vector` loop that accumulates, so that
//! each element of the result is loaded and stored once for all of them.
//!
//! ```text
//! for p in lo..hi {                     let p_done: i64 = lo
//!   let v: f64 = a[p]                   if hi - lo >= 2 && lo < hi {
//!   let b: i64 = i64(crd[p]) * m          let p_main: i64 = lo + (hi - lo & -4)
//!   vector for k in 0..m {         =>     for p in lo..p_main step 4 {
//!     y[c + k] += v * x[b + k]              let v: f64 = a[p]
//!   }                                       let v_2: f64 = a[p + 1]
//! }                                         …
//!                                           vector for k in 0..m {
//!                                             y[c + k] += v * x[b + k] + v_2 * x[b_2 + k] + (v_3 * … + v_4 * …)
//!                                           }
//!                                         }
//!                                         let p_pair: i64 = lo + (hi - lo & -2)
//!                                         for p in p_main..p_pair step 2 { … }
//!                                         p_done = p_pair
//!                                       }
//!                                       for p in p_done..hi { let v: f64 = a[p] … }
//! ```
//!
//! The pass proves for itself that this is allowed and otherwise leaves the loop as it is, with a reason:
//!
//! - the outer loop is serial with step 1; its body is lets and then one `vector` loop, whose body is lets and one store
//!   that combines;
//! - nothing in the outer body loads from the buffer of that store;
//! - neither the bounds of the inner loop nor the index of the store depend on the round of the outer loop, and the
//!   index grows by one with the inner loop: an element is met once a round, and always in the order of the rounds;
//! - combining may be reassociated. Integers, bools, `min` and `max` always may: they give the same bits in any grouping.
//!
//! The bounds cannot overflow: where `hi - lo` wraps, one of the two tests is false, and behind both of them every sum
//! lies between `lo` and `hi`. Rows of fewer than two rounds cost one comparison more than before.

mod emit;
mod plan;

pub(crate) use plan::{InnerSink, reads, sink};

use crate::nodes::{LoopKernel, LoopMode, Stmt};
use crate::vectorize::Reassociate;
use crate::walk::blocks_mut;

/// How to jam loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JamOptions {
    /// Outer rounds taken at once; rounded down to a power of two, at most 16. Below 2, nothing is jammed.
    pub factor: usize,
    /// What may happen to sums and products of floats and complex numbers.
    pub reassociate: Reassociate,
}

impl Default for JamOptions {
    /// Four rounds at once, reassociation allowed.
    fn default() -> JamOptions {
        JamOptions { factor: 4, reassociate: Reassociate::Allowed }
    }
}

/// What became of one loop around a `vector` loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JamDecision {
    /// The name of the outer loop's variable.
    pub var: String,
    /// What was done.
    pub outcome: JamOutcome,
}

/// What was done with a loop around a `vector` loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JamOutcome {
    /// So many of its rounds are taken at once.
    Jammed {
        /// Outer rounds per round of the main loop.
        factor: usize,
    },
    /// It stays as it is, because of this.
    Left(String),
}

/// Jams the serial loops of a lawful kernel that hold a `vector` loop; tells what it did, in the order of the text.
/// It is meant to run before [`vectorize`](mod@crate::vectorize), on a simplified kernel.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{JamOptions, jam::{JamOutcome, jam}, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, m: i64, a: in f64[], x: in f64[], y: out f64[]) {
///   for p in 0..n {
///     let v: f64 = a[p]
///     vector for k in 0..m { y[k] += v * x[p * m + k] }
///   }
/// }")).unwrap();
/// let (k, decisions) = jam(k, &JamOptions { factor: 2, ..JamOptions::default() });
/// assert_eq!(decisions[0].outcome, JamOutcome::Jammed { factor: 2 });
/// assert!(print(&k).contains("y[k] += v * x[p * m + k] + v_2 * x[(p + 1) * m + k]"));
/// ```
pub fn jam(mut kernel: LoopKernel, options: &JamOptions) -> (LoopKernel, Vec<JamDecision>) {
    let mut decisions = Vec::new();
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, options, body, &mut decisions);
    (kernel, decisions)
}

fn block(
    kernel: &mut LoopKernel,
    options: &JamOptions,
    body: Vec<Stmt>,
    decisions: &mut Vec<JamDecision>,
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if let Stmt::For { var, mode: LoopMode::Serial, body, .. } = &s
            && body.iter().any(plan::is_vector_loop)
        {
            let name = kernel.vars.get(*var).map_or_else(String::new, |v| v.name.clone());
            let planned = plan::plan(kernel, options, &s);
            let outcome = match &planned {
                Ok(plan) => JamOutcome::Jammed { factor: plan.factor },
                Err(reason) => JamOutcome::Left(reason.clone()),
            };
            decisions.push(JamDecision { var: name, outcome });
            if let Ok(plan) = planned {
                emit::expand(kernel, &plan, &mut out);
                continue;
            }
        }
        for inner in blocks_mut(&mut s) {
            *inner = block(kernel, options, std::mem::take(inner), decisions);
        }
        out.push(s);
    }
    out
}

#[cfg(test)]
mod tests;
