//! Variables that are only other names, and variables that nobody reads.
//!
//! ```text
//! let a: i64 = n                         let b: f64 = x[0]     (never read)
//! y[a] = 1.0          =>  y[n] = 1.0     b = b + 1.0           =>
//! ```

use crate::nodes::{Expr, LoopKernel, Stmt, VarId};
use crate::walk::{blocks_mut, each_part, each_stmt, exprs, exprs_mut, set_var, substitute};
use openwork_base::{IdMap, IdSet};

/// Replaces variables that are never set and start as a constant or as another variable that is never set.
pub(super) fn propagate(kernel: &mut LoopKernel) {
    let mut changing = IdSet::default();
    each_stmt(&kernel.body, &mut |s| changing.extend(set_var(s)));
    let mut body = std::mem::take(&mut kernel.body);
    copy_block(&mut body, &changing, &mut IdMap::default());
    kernel.body = body;
}

fn copy_block(body: &mut Vec<Stmt>, changing: &IdSet<VarId>, known: &mut IdMap<VarId, Expr>) {
    let mut here = Vec::new();
    body.retain_mut(|s| {
        for e in exprs_mut(s) {
            if !known.is_empty() {
                *e = substitute(e, &|v| known.get(&v).cloned());
            }
        }
        if let Stmt::Let { var, val } = s
            && !changing.contains(var)
            && (matches!(val, Expr::Const(_)) || matches!(val, Expr::Var(v) if !changing.contains(v)))
        {
            known.insert(*var, val.clone());
            here.push(*var);
            return false;
        }
        blocks_mut(s).for_each(|b| copy_block(b, changing, known));
        true
    });
    // The same variable may be born again elsewhere with another value.
    for v in here {
        known.remove(&v);
    }
}

/// Removes variables that are read by nothing but their own setting.
pub(super) fn drop_dead(kernel: &mut LoopKernel) {
    let mut read = IdSet::default();
    each_stmt(&kernel.body, &mut |s| {
        let own = set_var(s);
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Expr::Var(v) = part
                    && Some(*v) != own
                {
                    read.insert(*v);
                }
            });
        }
    });
    drop_block(&mut kernel.body, &read);
}

fn drop_block(body: &mut Vec<Stmt>, read: &IdSet<VarId>) {
    body.retain_mut(|s| {
        if let Stmt::Let { var, val: _ } | Stmt::Set { var, val: _ } = s {
            return read.contains(var);
        }
        blocks_mut(s).for_each(|b| drop_block(b, read));
        true
    });
}
