//! Operands that are read before a loop and used only after it: their loads are moved behind the loop.
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

use crate::kinds::read_buffer;
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, Stmt, VarId};
use crate::walk::{any_part, blocks_mut, each_part, each_stmt, exprs, has_loop, set_var};
use openwork_base::{Arena, IdMap, IdSet};

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
pub fn sink(mut kernel: LoopKernel) -> LoopKernel {
    let mut body = std::mem::take(&mut kernel.body);
    block(&kernel.bufs, &mut body);
    kernel.body = body;
    kernel
}

fn block(bufs: &Buffers, body: &mut [Stmt]) {
    for s in body.iter_mut() {
        blocks_mut(s).for_each(|b| block(bufs, b));
    }
    let movable: Vec<bool> = body.iter().map(|s| is_movable(bufs, s)).collect();
    if !movable.contains(&true) || !body.iter().any(has_loop) {
        return;
    }
    let mut all: Vec<Touched> = body.iter().map(Touched::collect).collect();
    let mut after = After::default();
    // The last ones first, so that what they read is seen where it will be.
    for from in (0..body.len()).rev() {
        let to = if movable[from] { after.place(from, &body[from], body.len()) } else { 0 };
        body[from..=from + to].rotate_left(1);
        all[from..=from + to].rotate_left(1);
        if to == 0 {
            after.begin_with(from, &all[from]);
        } else {
            after = After::default();
            (from..body.len()).rev().for_each(|n| after.begin_with(n, &all[n]));
        }
    }
}

/// Whether a statement reads operands and nothing that is written to.
fn is_movable(bufs: &Buffers, s: &Stmt) -> bool {
    let Stmt::Let { val, .. } = s else { return false };
    let loads = |e: &Expr| read_buffer(e).is_some();
    any_part(val, &loads) && !any_part(val, &|e: &Expr| writable(bufs, e))
}

/// The variables that a statement uses, and those that it sets, with all that is inside of it.
struct Touched {
    used: IdSet<VarId>,
    set: IdSet<VarId>,
    has_loop: bool,
}

impl Touched {
    fn collect(s: &Stmt) -> Touched {
        let (mut used, mut set) = (IdSet::default(), IdSet::default());
        each_stmt(std::slice::from_ref(s), &mut |s| {
            set.extend(set_var(s));
            for e in exprs(s) {
                each_part(e, &mut |e| {
                    if let Expr::Var(v) = e {
                        used.insert(*v);
                    }
                });
            }
        });
        Touched { used, set, has_loop: has_loop(s) }
    }
}

/// What stands behind a place in a block: the first statement that touches a variable, that sets it, and the first loop.
#[derive(Default)]
struct After {
    touched: IdMap<VarId, usize>,
    set: IdMap<VarId, usize>,
    first_loop: Option<usize>,
}

impl After {
    /// The statement at `n` comes before all others.
    fn begin_with(&mut self, n: usize, by: &Touched) {
        self.touched.extend(by.used.iter().chain(&by.set).map(|&v| (v, n)));
        self.set.extend(by.set.iter().map(|&v| (v, n)));
        self.first_loop = if by.has_loop { Some(n) } else { self.first_loop };
    }
    /// How many of the statements after `from` that one is moved behind, in a block of so many.
    fn place(&self, from: usize, s: &Stmt, len: usize) -> usize {
        let Stmt::Let { var, val } = s else { return 0 };
        let mut stays = self.touched.get(var).copied();
        each_part(val, &mut |e| {
            if let Expr::Var(v) = e
                && let Some(&n) = self.set.get(v)
            {
                stays = Some(stays.map_or(n, |other| other.min(n)));
            }
        });
        // What is used nowhere else in the block is used after it, or by nobody.
        match (stays, self.first_loop) {
            (Some(stays), Some(first)) if first < stays && stays < len => stays - from - 1,
            _ => 0,
        }
    }
}

fn writable(bufs: &Buffers, e: &Expr) -> bool {
    read_buffer(e).is_some_and(|buf| bufs[buf].role != BufRole::In)
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
