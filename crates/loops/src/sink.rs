//! What is read before a loop and used only after it is read after it.
//!
//! ```text
//! let b_val: f64 = b[i]                      let t: f64 = 0.0
//! let t: f64 = 0.0                           for p in lo..hi {
//! for p in lo..hi {                   =>       t = t + a[p] * x[crd[p]]
//!   t = t + a[p] * x[crd[p]]                 }
//! }                                          let b_val: f64 = b[i]
//! y[i] = t + b_val                           y[i] = t + b_val
//! ```
//! A value that lives through a loop takes a register from it, or memory of its own that is written and read. Only operands
//! are read later, which nothing writes to. The pass comes late: the nests that [`crate::wide`] looks for begin with
//! what they read.

use crate::nodes::{BufId, Expr, Kernel, Role, Stmt, VarId};
use crate::walk::{any_part, blocks, blocks_mut, each_part, each_stmt, exprs, set_var};
use openwork_base::Arena;
use std::collections::HashSet;

type Buffers = Arena<BufId, crate::nodes::Buf>;

/// Reads operands of a lawful kernel after the loops that do not use them.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{sink, text::{parse, print}};
/// let text = "kernel k(n: i64, b: in f64[], x: in f64[], y: out f64[]) {
///   let b_val: f64 = b[n]
///   let t: f64 = 0.0
///   for p in 0..n { t = t + x[p] }
///   y[n] = t + b_val
/// }";
/// let k = print(&sink(parse(&Source::new("demo", text)).unwrap()));
/// assert!(k.contains("}\n  let b_val: f64 = b[n]\n  y[n] = t + b_val"));
/// ```
pub fn sink(mut kernel: Kernel) -> Kernel {
    let mut body = std::mem::take(&mut kernel.body);
    block(&kernel.bufs, &mut body);
    kernel.body = body;
    kernel
}

fn block(bufs: &Buffers, body: &mut [Stmt]) {
    for s in body.iter_mut() {
        blocks_mut(s).into_iter().for_each(|b| block(bufs, b));
    }
    // The last ones first, so that what they read is seen where it will be.
    for from in (0..body.len()).rev() {
        let to = place(bufs, &body[from..]);
        body[from..=from + to].rotate_left(1);
    }
}

/// How many of the statements after the first one that one is moved behind.
fn place(bufs: &Buffers, rest: &[Stmt]) -> usize {
    let Stmt::Let { var, val } = &rest[0] else { return 0 };
    let loads = |e: &Expr| matches!(e, Expr::Load { .. } | Expr::VLoad { .. });
    if !any_part(val, &loads) || any_part(val, &|e: &Expr| writable(bufs, e)) {
        return 0;
    }
    let mut read = HashSet::new();
    each_part(val, &mut |e| {
        if let Expr::Var(v) = e {
            read.insert(*v);
        }
    });
    let stays = |s: &Stmt| uses(s, *var) || sets(s, &read);
    let passed = rest[1..].iter().take_while(|s| !stays(s)).count();
    // What is used nowhere else in the block is used after it, or by nobody.
    let used = passed + 1 < rest.len();
    let longer = rest[1..=passed].iter().rposition(has_loop);
    match longer {
        Some(_) if used => passed,
        _ => 0,
    }
}

fn writable(bufs: &Buffers, e: &Expr) -> bool {
    matches!(e, Expr::Load { buf, .. } | Expr::VLoad { buf, .. } if bufs[*buf].role != Role::In)
}
fn uses(s: &Stmt, v: VarId) -> bool {
    let is = |e: &Expr| matches!(e, Expr::Var(x) if *x == v);
    let mut found = false;
    each_stmt(std::slice::from_ref(s), &mut |s| {
        found |= set_var(s) == Some(v) || exprs(s).into_iter().any(|e| any_part(e, &is));
    });
    found
}
fn sets(s: &Stmt, read: &HashSet<VarId>) -> bool {
    let mut found = false;
    each_stmt(std::slice::from_ref(s), &mut |s| found |= set_var(s).is_some_and(|v| read.contains(&v)));
    found
}
fn has_loop(s: &Stmt) -> bool {
    matches!(s, Stmt::For { .. } | Stmt::While { .. }) || blocks(s).into_iter().flatten().any(has_loop)
}

#[cfg(test)]
mod tests {
    use super::sink;
    use crate::random::{Rng, random_kernel, traces};
    use crate::text::{parse, print};
    use crate::verify::verify;
    use openwork_base::Source;

    #[track_caller]
    fn becomes(from: &str, to: &str) {
        let head = "kernel k(n: i64, b: in f64[], x: in f64[], y: out f64[])";
        let read = |body| parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap();
        assert_eq!(print(&sink(read(from))), print(&read(to)));
    }

    #[test]
    fn what_a_loop_uses_or_changes_stays_before_it() {
        let count = "for p in 0..n { y[p] = x[p] }";
        becomes(
            &format!("let v: f64 = b[0]\n{count}\ny[0] = v"),
            &format!("{count}\nlet v: f64 = b[0]\ny[0] = v"),
        );
        for kept in [
            "let v: f64 = b[0]\nfor p in 0..n { y[p] = v }\ny[0] = v",
            "let v: f64 = y[0]\nfor p in 0..n { y[p] = x[p] }\ny[0] = v",
            "let k: i64 = 0\nlet v: f64 = b[k]\nwhile k < n { k = k + 1 }\ny[0] = v",
            "let v: f64 = b[0]\nlet w: f64 = x[0]\ny[0] = v + w",
            "let v: f64 = b[0]\nfor p in 0..n { y[p] = x[p] }",
        ] {
            becomes(kept, kept);
        }
    }

    #[test]
    fn reads_that_depend_on_each_other_move_together() {
        becomes(
            "let v: f64 = b[0]\nlet w: f64 = x[0] + v\nfor p in 0..n { y[p] = x[p] }\ny[0] = w",
            "for p in 0..n { y[p] = x[p] }\nlet v: f64 = b[0]\nlet w: f64 = x[0] + v\ny[0] = w",
        );
    }

    #[test]
    fn random_kernels_do_what_they_did() {
        for seed in 0..1000 {
            let k = random_kernel(&mut Rng::new(seed));
            let s = sink(k.clone());
            if let Err(found) = verify(&s) {
                panic!("seed {seed}: {}\n{k}", found[0]);
            }
            assert_eq!(traces(&k, seed), traces(&s, seed), "seed {seed}\n{k}\n{s}");
        }
    }
}
