//! The `wide` form of a `vector` loop, where it has one.

use super::emit::long_enough;
use super::{Reassociate, VectorOptions};
use crate::build::var;
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::walk::{each_stmt, set_var};
use crate::wide::WideLeaf;

/// What to do with a loop that is long.
pub(super) struct Long {
    /// Whether it is; nothing where short ones are taken the same way. Vectors in expressions would take a lot of code for
    /// each slot that may be empty, and functions of scalars may give other last bits than those of vectors.
    pub cond: Option<Expr>,
    /// The `wide` loop.
    pub body: Stmt,
    pub lanes: u8,
}

/// The form for long loops, if there is one; the bounds of `s` become variables then, which `out` declares.
pub(super) fn long(
    kernel: &mut LoopKernel,
    options: &VectorOptions,
    s: &mut Stmt,
    out: &mut Vec<Stmt>,
) -> Option<Long> {
    let wide = options.wide?;
    let leaf = WideLeaf::read(kernel, s, &wide).ok()?;
    if !leaf.reductions.is_empty() && options.reassociate == Reassociate::Strict {
        return None;
    }
    let mut set: Vec<VarId> = Vec::new();
    each_stmt(std::slice::from_ref(s), &mut |s| set.extend(set_var(s)));
    let Stmt::For { var: v, lo, hi, mode, .. } = s else { return None };
    let name = kernel.vars[*v].name.clone();
    for (bound, hint) in [(&mut *lo, "lo"), (&mut *hi, "hi")] {
        let fixed = match bound {
            Expr::Const(_) => true,
            Expr::Var(b) => !set.contains(b),
            _ => false,
        };
        if !fixed {
            let b = kernel.var(&format!("{name}_{hint}"), Ty::INDEX);
            out.push(Stmt::Let { var: b, val: std::mem::replace(bound, var(b)) });
        }
    }
    let size = leaf.elem.size();
    let least = if leaf.is_nested() { 1 } else { wide.min_elements(size) };
    let cond = (!leaf.tests_slots() && !leaf.calls()).then(|| long_enough(lo, hi, least));
    *mode = LoopMode::Wide { lanes: leaf.lanes };
    let body = s.clone();
    if let Stmt::For { mode, .. } = s {
        *mode = LoopMode::Serial;
    }
    Some(Long { cond, body, lanes: leaf.lanes })
}
