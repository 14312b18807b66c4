//! The simplifier, which makes a kernel smaller without changing what it computes, to the last bit.
//!
//! ```text
//! let one: i64 = 1                                   let inv: i64 = i * n
//! for j in 0 + 0..n * one {                          for j in 0..n {
//!   if 1 < 2 {                              =>         y[inv + j] = x[inv + j]
//!     y[i * n + j] = x[i * n + j] * 1.0              }
//!   }
//!   let unused: f64 = x[j]
//! }
//! ```
//!
//! The passes run in turn until nothing changes, so simplifying twice is simplifying once. Loads may disappear but
//! are never moved or added: a condition may guard them.

mod control;
mod copies;
mod fold;
mod hoist;
mod unread;

use crate::nodes::{LoopKernel, Stmt};

/// More rounds than any kernel needs; what is left then is still right.
const ROUNDS: usize = 50;

/// Simplifies a lawful kernel.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{simplify, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, y: out f64[]) {
///   let a: i64 = n * 1
///   if 2 < 1 { y[0] = 1.0 } else { y[a + 0] = 2.0 * 3.0 }
///   for i in 5..4 { y[i] = 0.0 }
/// }")).unwrap();
/// assert_eq!(print(&simplify(k)), "kernel k(n: i64, y: out f64[]) {\n  y[n] = 6.0\n}\n");
/// ```
pub fn simplify(kernel: LoopKernel) -> LoopKernel {
    let copy = kernel.body.clone();
    simplify_beside(kernel, copy).0
}

/// The same beside a copy of the kernel's code; with a copy of what it is then, for whoever compares it again.
pub fn simplify_beside(mut kernel: LoopKernel, mut copy: Vec<Stmt>) -> (LoopKernel, Vec<Stmt>) {
    for _ in 0..ROUNDS {
        fold::fold_kernel(&mut kernel);
        control::tidy(&mut kernel);
        copies::propagate(&mut kernel);
        copies::drop_dead(&mut kernel);
        unread::drop_unread(&mut kernel);
        hoist::hoist(&mut kernel);
        if kernel.body == copy {
            break;
        }
        copy.clone_from(&kernel.body);
    }
    (kernel, copy)
}

#[cfg(test)]
mod tests;
