//! Ways through the trees of loop IR that several passes need.

use crate::BufId;
use crate::kinds::{StmtKind, changed_buffer, read_buffer};
use crate::nodes::{Buf, Expr, LoopKernel, Stmt, Var, VarId};
use openwork_base::Few;

pub(crate) use crate::kinds::{born_var, set_var};

/// What lies directly in a node, listed once: a function that borrows it and one that lends it to be changed.
macro_rules! within {
    ($(#[$doc:meta])* $vis:vis $get:ident, $get_mut:ident: $node:ident -> $part:ty {
        $($pattern:pat => $parts:expr,)*
    }) => {
        $(#[$doc])*
        $vis fn $get(node: &$node) -> Few<&$part, std::slice::Iter<'_, $part>> {
            match node { $($pattern => $parts,)* }
        }
        $(#[$doc])*
        ///
        /// They may be changed.
        pub(crate) fn $get_mut(node: &mut $node) -> Few<&mut $part, std::slice::IterMut<'_, $part>> {
            match node { $($pattern => $parts,)* }
        }
    };
}

within! {
    /// The direct parts of an expression.
    pub(crate) parts, parts_mut: Expr -> Expr {
        Expr::Const(_) | Expr::Var(_) => Few::empty(),
        Expr::Load { buf: _, at } | Expr::VLoad { buf: _, at, lanes: _ } => Few::from_parts([at]),
        Expr::Call { prim: _, args } | Expr::Pack(args) => Few::list(args),
        Expr::Cast { to: _, arg } | Expr::Splat { lanes: _, arg } | Expr::Fold { prim: _, arg } => Few::from_parts([arg]),
        Expr::AndAlso(a, b) => Few::from_parts([a, b]),
    }
}

within! {
    /// The expressions of a statement itself, not those in its blocks.
    pub exprs, exprs_mut: Stmt -> Expr {
        Stmt::Let { var: _, val } | Stmt::Set { var: _, val } => Few::from_parts([val]),
        Stmt::Store { buf: _, at, val, reduce: _ } => Few::from_parts([at, val]),
        Stmt::For { var: _, lo, hi, step: _, mode: _, body: _ } => Few::from_parts([lo, hi]),
        Stmt::While { cond, body: _ } | Stmt::If { cond, then: _, other: _ } => Few::from_parts([cond]),
        Stmt::Reserve { buf: _, len } | Stmt::SetLen { buf: _, len } => Few::from_parts([len]),
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => Few::empty(),
    }
}

within! {
    /// The blocks of a statement.
    pub(crate) blocks, blocks_mut: Stmt -> Vec<Stmt> {
        Stmt::For { body, .. } | Stmt::While { body, .. } => Few::from_parts([body]),
        Stmt::If { then, other, .. } => Few::from_parts([then, other]),
        Stmt::Let { .. }
        | Stmt::Set { .. }
        | Stmt::Store { .. }
        | Stmt::Reserve { .. }
        | Stmt::SetLen { .. }
        | Stmt::Break
        | Stmt::Fail(_)
        | Stmt::Poll
        | Stmt::Note(_) => Few::empty(),
    }
}

/// Calls `f` with `e` and everything in it.
pub fn each_part<'e>(e: &'e Expr, f: &mut impl FnMut(&'e Expr)) {
    f(e);
    parts(e).for_each(|p| each_part(p, f));
}

/// Whether `test` holds for `e` or anything in it.
pub fn any_part(e: &Expr, test: &impl Fn(&Expr) -> bool) -> bool {
    test(e) || parts(e).any(|p| any_part(p, test))
}

/// Whether the value of `e` depends on memory or on a variable for which `own` holds.
pub(crate) fn depends(e: &Expr, own: &impl Fn(VarId) -> bool) -> bool {
    any_part(e, &|part| match part {
        Expr::Var(v) => own(*v),
        e => read_buffer(e).is_some(),
    })
}

/// Changes `e` and everything in it, innermost parts first.
pub(crate) fn rewrite(e: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    parts_mut(e).for_each(|p| rewrite(p, f));
    f(e);
}

/// `e` with other expressions in place of some variables.
pub fn substitute(e: &Expr, with: &impl Fn(VarId) -> Option<Expr>) -> Expr {
    let mut e = e.clone();
    rewrite(&mut e, &mut |part| {
        if let Expr::Var(v) = part
            && let Some(new) = with(*v)
        {
            *part = new;
        }
    });
    e
}

/// The most parts of an expression that is put where a variable is read.
const LONG: usize = 64;

/// Whether an expression is too long to be put where a variable is read: of many variables that each read the one before twice,
/// there would be no end.
pub(crate) fn is_long(e: &Expr) -> bool {
    fn remaining_budget(e: &Expr, most: usize) -> Option<usize> {
        parts(e).try_fold(most.checked_sub(1)?, |most, part| remaining_budget(part, most))
    }
    remaining_budget(e, LONG).is_none()
}

/// Takes an expression out of its place and leaves a constant there.
pub(crate) fn take(e: &mut Expr) -> Expr {
    std::mem::replace(e, crate::build::int(0))
}

/// Calls `f` with every statement, outer ones first.
pub fn each_stmt<'s>(body: &'s [Stmt], f: &mut impl FnMut(&'s Stmt)) {
    for s in body {
        f(s);
        blocks(s).for_each(|b| each_stmt(b, f));
    }
}

/// Whether a statement is a loop, or holds one.
pub(crate) fn has_loop(s: &Stmt) -> bool {
    matches!(s, Stmt::For { .. } | Stmt::While { .. }) || blocks(s).flatten().any(has_loop)
}

/// Whether a block holds a break that leaves the loop whose body it is.
pub(crate) fn leaves(body: &[Stmt]) -> bool {
    body.iter().any(|s| match s.kind() {
        StmtKind::Leave => true,
        // A break in there leaves that loop.
        StmtKind::Loop => false,
        StmtKind::Branch => blocks(s).into_iter().any(|b| leaves(b)),
        StmtKind::Value | StmtKind::Store | StmtKind::Room | StmtKind::End | StmtKind::Remark => false,
    })
}

/// Calls `f` with every statement, to be changed, inner ones first.
pub(crate) fn each_stmt_mut(body: &mut [Stmt], f: &mut impl FnMut(&mut Stmt)) {
    for s in body {
        blocks_mut(s).for_each(|b| each_stmt_mut(b, f));
        f(s);
    }
}

impl LoopKernel {
    /// About how many bytes the nodes take.
    pub fn bytes(&self) -> usize {
        // Most parts of expressions are in a box or a vector of their own.
        const ALLOCATED: usize = 16;
        let mut bytes = size_of::<LoopKernel>();
        each_stmt(&self.body, &mut |s| {
            bytes += size_of::<Stmt>();
            for e in exprs(s) {
                each_part(e, &mut |_| bytes += size_of::<Expr>() + ALLOCATED);
            }
        });
        let names = self.vars.len() * (size_of::<Var>() + ALLOCATED)
            + self.bufs.len() * (size_of::<Buf>() + ALLOCATED);
        bytes + names
    }
}

/// Whether a statement, or one inside it, reads, writes or grows a buffer.
pub fn mentions_buffer(s: &Stmt, buf: BufId) -> bool {
    let reads = |e: &Expr| read_buffer(e) == Some(buf);
    changed_buffer(s) == Some(buf)
        || exprs(s).any(|e| any_part(e, &reads))
        || blocks(s).flatten().any(|inner| mentions_buffer(inner, buf))
}
