//! Index arithmetic that is the same in every round of an innermost loop is done once before it, and so is other arithmetic that
//! takes several operations.
//!
//! ```text
//! for j in 0..n {                      let inv: i64 = i * n
//!   y[i * n + j] = x[j]         =>     for j in 0..n {
//! }                                      y[inv + j] = x[j]
//!                                      }
//! ```
//!
//! Loads stay: a condition inside the loop, or the loop having no rounds, may be what keeps them in bounds.

use crate::build::var;
use crate::kinds::read_buffer;
use crate::nodes::{Expr, LoopKernel, Stmt, Ty, VarId};
use crate::walk::{any_part, blocks, blocks_mut, born_var, each_stmt, exprs_mut, parts, parts_mut, set_var};
use openwork_algebra::DType;
use openwork_base::IdSet;

/// Hoists out of all innermost loops.
pub(super) fn hoist(kernel: &mut LoopKernel) {
    let mut body = std::mem::take(&mut kernel.body);
    block(kernel, &mut body);
    kernel.body = body;
}

fn block(kernel: &mut LoopKernel, body: &mut Vec<Stmt>) {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body.drain(..) {
        if is_loop(&s) {
            let takes = if is_innermost(&s) { HoistedKind::Any } else { HoistedKind::Long };
            out.extend(out_of_loop(kernel, &mut s, takes));
        }
        if !is_innermost(&s) {
            blocks_mut(&mut s).for_each(|b| block(kernel, b));
        }
        out.push(s);
    }
    *body = out;
}

fn is_loop(s: &Stmt) -> bool {
    matches!(s, Stmt::For { .. } | Stmt::While { .. })
}
fn is_innermost(s: &Stmt) -> bool {
    let mut inner = false;
    blocks(s).for_each(|b| each_stmt(b, &mut |s| inner |= is_loop(s)));
    is_loop(s) && !inner
}

/// What is taken out of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HoistedKind {
    /// Index arithmetic and whatever takes several operations.
    Any,
    /// The latter: the loop has others inside, and registers are few.
    Long,
}

/// Takes the invariant arithmetic out of a loop; the result is what to do before it.
fn out_of_loop(kernel: &mut LoopKernel, s: &mut Stmt, takes: HoistedKind) -> Vec<Stmt> {
    let mut varying = IdSet::default();
    each_stmt(std::slice::from_ref(s), &mut |s| {
        varying.extend(born_var(s));
        varying.extend(set_var(s));
    });
    let mut found = HoistedExprs { kernel, takes, varying, seen: Vec::new(), before: Vec::new() };
    if let Stmt::While { cond, body: _ } = s {
        found.expr(cond);
    }
    blocks_mut(s).for_each(|b| found.block(b));
    found.before
}

struct HoistedExprs<'k> {
    kernel: &'k mut LoopKernel,
    takes: HoistedKind,
    varying: IdSet<VarId>,
    /// What has been hoisted, and where it is.
    seen: Vec<(Expr, VarId)>,
    before: Vec<Stmt>,
}

impl HoistedExprs<'_> {
    fn block(&mut self, body: &mut [Stmt]) {
        for s in body {
            exprs_mut(s).for_each(|e| self.expr(e));
            blocks_mut(s).for_each(|b| self.block(b));
        }
    }
    fn expr(&mut self, e: &mut Expr) {
        if !self.fits(e) {
            parts_mut(e).for_each(|p| self.expr(p));
            return;
        }
        let known = self.seen.iter().find(|(seen, _)| seen == e).map(|(_, v)| *v);
        let v = known.unwrap_or_else(|| {
            let ty = self.kernel.ty(e).unwrap_or(Ty::INDEX);
            let v = self.kernel.var("inv", ty);
            self.before.push(Stmt::Let { var: v, val: e.clone() });
            self.seen.push((e.clone(), v));
            v
        });
        *e = var(v);
    }
    /// Whether `e` is arithmetic that no round of the loop changes: on indices, or enough of it to be kept in a register. Conditions
    /// stay where passes look for them.
    fn fits(&self, e: &Expr) -> bool {
        let worth = matches!(e, Expr::Call { .. } | Expr::Cast { .. });
        let fixed = |e: &Expr| match e {
            Expr::Var(v) => self.varying.contains(v),
            e => read_buffer(e).is_some(),
        };
        let kind = |ty: Ty| match ty {
            Ty::INDEX => self.takes == HoistedKind::Any,
            ty => ty.lanes == 1 && ty.elem != DType::Bool && is_long(e),
        };
        worth && !any_part(e, &fixed) && self.kernel.ty(e).is_ok_and(kind)
    }
}

/// Operations from which on arithmetic is worth a variable.
const LONG: usize = 3;

fn is_long(e: &Expr) -> bool {
    fn operations(e: &Expr) -> usize {
        usize::from(matches!(e, Expr::Call { .. })) + parts(e).map(operations).sum::<usize>()
    }
    operations(e) >= LONG
}
