//! Workspaces of sparse results hold their sums in double precision.
//!
//! ```text
//! t: temp f32[]                                    t: temp f64[]
//! t[crd[p]] += v                            =>     t[crd[p]] += f64(v)
//! y[n] = t[j]                                      y[n] = f32(t[j])
//! ```
//!
//! Their elements are added to and read one by one, which takes as long in either precision. An array that a loop goes through
//! element after element, as rows of a dense workspace are, keeps its own: it is taken in vectors, and sums into it in blocks.

use super::total;
use crate::build::cast;
use crate::nodes::{BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{each_part, each_stmt, each_stmt_mut, exprs, exprs_mut, rewrite, take};
use openwork_algebra::Prim;
use std::collections::{BTreeMap, BTreeSet};

/// Widens what sparse workspaces of a lawful kernel hold.
pub(super) fn widen(kernel: &mut LoopKernel) {
    let bufs = workspaces(kernel);
    if bufs.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut kernel.body);
    let elems: BTreeMap<BufId, _> = bufs
        .iter()
        .filter_map(|b| {
            let narrow = kernel.bufs[*b].elem;
            Some((*b, (narrow, total(narrow)?)))
        })
        .collect();
    each_stmt_mut(&mut body, &mut |s| {
        for e in exprs_mut(s) {
            rewrite(e, &mut |part| {
                if let Expr::Load { buf, .. } = part
                    && let Some((narrow, wide)) = elems.get(buf)
                {
                    *part = cast(*narrow, *wide, take(part));
                }
            });
        }
        if let Stmt::Store { buf, val, .. } = s
            && let Some((narrow, wide)) = elems.get(buf)
        {
            *val = cast(*wide, *narrow, take(val));
        }
    });
    kernel.body = body;
    for (buf, (_, wide)) in elems {
        kernel.bufs[buf].elem = wide;
    }
}

/// Temporaries of single precision that are added to element by element.
fn workspaces(kernel: &LoopKernel) -> BTreeSet<BufId> {
    let mut added = BTreeSet::new();
    let mut not = BTreeSet::new();
    let mut loops: BTreeSet<VarId> = BTreeSet::new();
    let mut vectors: BTreeSet<VarId> = BTreeSet::new();
    each_stmt(&kernel.body, &mut |s| {
        if let Stmt::For { var, mode, .. } = s {
            loops.insert(*var);
            vectors.extend((*mode == LoopMode::Vector).then_some(*var));
        }
    });
    // An index that is a loop's variable, or one beside it, goes through the array in order.
    // What is marked beside is not taken in vectors, but where a loop says so.
    let in_order = |buf: BufId, at: &Expr| {
        let of = if kernel.bufs[buf].init == Init::Kept { &vectors } else { &loops };
        let mut found = false;
        each_part(at, &mut |part| found |= matches!(part, Expr::Var(v) if of.contains(v)));
        found
    };
    each_stmt(&kernel.body, &mut |s| {
        for e in exprs(s) {
            each_part(e, &mut |part| match part {
                Expr::Load { buf, at } if in_order(*buf, at) => {
                    not.insert(*buf);
                }
                Expr::VLoad { buf, .. } => {
                    not.insert(*buf);
                }
                _ => {}
            });
        }
        match s {
            Stmt::Store { buf, at, reduce: Some(Prim::Add), .. } if !in_order(*buf, at) => {
                added.insert(*buf);
            }
            Stmt::Store { buf, at, reduce, .. } if reduce.is_some() || in_order(*buf, at) => {
                not.insert(*buf);
            }
            _ => {}
        }
    });
    added.retain(|b| {
        let buf = &kernel.bufs[*b];
        buf.role == BufRole::Temp && total(buf.elem).is_some() && !not.contains(b)
    });
    added
}
