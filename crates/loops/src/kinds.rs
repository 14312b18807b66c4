//! Kinds of statements and expressions, for passes that care about a few of them.
//!
//! A pass names the nodes that it changes or understands, and asks the [`StmtKind`] of any other one. A new statement says its kind
//! here, once, and passes treat it as they treat that kind; where every node means something of its own, as in the law, the
//! text, the interpreter and the backends, matches list them all.

use crate::BufId;
use crate::nodes::{Expr, Stmt, VarId};

/// The kind of a statement: what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StmtKind {
    /// Gives a value to a variable.
    Value,
    /// Writes elements of a buffer.
    Store,
    /// Runs a block any number of times.
    Loop,
    /// Runs one of its blocks.
    Branch,
    /// Says how much room a buffer has, or how many elements.
    Room,
    /// Ends the loop around it.
    Leave,
    /// Ends the kernel, perhaps.
    End,
    /// Does nothing.
    Remark,
}

impl StmtKind {
    /// Why a body with such a statement is no straight line that cannot fail.
    pub(crate) fn why_not_straight(self) -> &'static str {
        match self {
            StmtKind::Branch => "a condition is in its body",
            StmtKind::Room => "a buffer grows in its body",
            StmtKind::End => "its body can fail",
            StmtKind::Leave => "it may end early",
            StmtKind::Value | StmtKind::Store | StmtKind::Loop | StmtKind::Remark => {
                "its body is not straight-line"
            }
        }
    }
    /// Why a backend takes no body with such a statement in vectors.
    pub(crate) fn why_not_wide(self) -> &'static str {
        match self {
            StmtKind::Loop | StmtKind::Branch => "a condition is in its body",
            StmtKind::Room => "a buffer grows in its body",
            StmtKind::Leave | StmtKind::End => "its body can end early",
            StmtKind::Value | StmtKind::Store | StmtKind::Remark => "its body does more than add up",
        }
    }
}

impl Stmt {
    /// The kind of the statement.
    pub fn kind(&self) -> StmtKind {
        match self {
            Stmt::Let { .. } | Stmt::Set { .. } => StmtKind::Value,
            Stmt::Store { .. } => StmtKind::Store,
            Stmt::For { .. } | Stmt::While { .. } => StmtKind::Loop,
            Stmt::If { .. } => StmtKind::Branch,
            Stmt::Reserve { .. } | Stmt::SetLen { .. } => StmtKind::Room,
            Stmt::Break => StmtKind::Leave,
            Stmt::Fail(_) | Stmt::Poll => StmtKind::End,
            Stmt::Note(_) => StmtKind::Remark,
        }
    }
}

/// The variable to which a statement gives life: that of a `let` or of a loop.
pub fn born_var(s: &Stmt) -> Option<VarId> {
    match s {
        Stmt::Let { var, val: _ } | Stmt::For { var, .. } => Some(*var),
        Stmt::Set { .. } | Stmt::Store { .. } | Stmt::While { .. } | Stmt::If { .. } => None,
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The variable that a statement sets.
pub fn set_var(s: &Stmt) -> Option<VarId> {
    match s {
        Stmt::Set { var, val: _ } => Some(*var),
        Stmt::Let { .. } | Stmt::For { .. } | Stmt::Store { .. } | Stmt::While { .. } | Stmt::If { .. } => {
            None
        }
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The variable that a statement itself names as the one that it gives life or a value to, to be changed.
pub(crate) fn own_var_mut(s: &mut Stmt) -> Option<&mut VarId> {
    match s {
        Stmt::Let { var, .. } | Stmt::Set { var, .. } | Stmt::For { var, .. } => Some(var),
        Stmt::Store { .. } | Stmt::While { .. } | Stmt::If { .. } => None,
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The buffer that a statement itself writes, grows or announces.
pub fn changed_buffer(s: &Stmt) -> Option<BufId> {
    match s {
        Stmt::Store { buf, .. } | Stmt::Reserve { buf, .. } | Stmt::SetLen { buf, .. } => Some(*buf),
        Stmt::Let { .. } | Stmt::Set { .. } | Stmt::For { .. } | Stmt::While { .. } | Stmt::If { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The same, to be changed.
pub(crate) fn changed_buffer_mut(s: &mut Stmt) -> Option<&mut BufId> {
    match s {
        Stmt::Store { buf, .. } | Stmt::Reserve { buf, .. } | Stmt::SetLen { buf, .. } => Some(buf),
        Stmt::Let { .. } | Stmt::Set { .. } | Stmt::For { .. } | Stmt::While { .. } | Stmt::If { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The variable that a statement gives a value to which it computes, and that value.
pub fn assigned_value(s: &Stmt) -> Option<(VarId, &Expr)> {
    match s {
        Stmt::Let { var, val } | Stmt::Set { var, val } => Some((*var, val)),
        Stmt::Store { .. } | Stmt::For { .. } | Stmt::While { .. } | Stmt::If { .. } => None,
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => None,
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => None,
    }
}

/// The places in memory, bounds and lengths that a statement itself names.
pub fn index_exprs(s: &Stmt) -> Vec<&Expr> {
    match s {
        Stmt::For { lo, hi, .. } => vec![lo, hi],
        Stmt::Store { at, .. } => vec![at],
        Stmt::Reserve { len, .. } | Stmt::SetLen { len, .. } => vec![len],
        Stmt::Let { .. } | Stmt::Set { .. } | Stmt::While { .. } | Stmt::If { .. } => Vec::new(),
        Stmt::Break | Stmt::Fail(_) | Stmt::Poll | Stmt::Note(_) => Vec::new(),
    }
}

/// Whether a statement gives life to a variable and does nothing else, or nothing at all.
pub(crate) fn is_plain(s: &Stmt) -> bool {
    matches!(s, Stmt::Let { .. }) || s.kind() == StmtKind::Remark
}

/// The buffer that an expression itself reads, not what is in it.
pub fn read_buffer(e: &Expr) -> Option<BufId> {
    read_place(e).map(|(buf, _)| buf)
}

/// The same, to be changed.
pub(crate) fn read_buffer_mut(e: &mut Expr) -> Option<&mut BufId> {
    match e {
        Expr::Load { buf, .. } | Expr::VLoad { buf, .. } => Some(buf),
        Expr::Const(_) | Expr::Var(_) | Expr::Call { .. } | Expr::Cast { .. } | Expr::AndAlso(..) => None,
        Expr::Splat { .. } | Expr::Pack(_) | Expr::Fold { .. } => None,
    }
}

/// The buffer that an expression itself reads, and where.
pub fn read_place(e: &Expr) -> Option<(BufId, &Expr)> {
    match e {
        Expr::Load { buf, at } | Expr::VLoad { buf, at, .. } => Some((*buf, at)),
        Expr::Const(_) | Expr::Var(_) | Expr::Call { .. } | Expr::Cast { .. } | Expr::AndAlso(..) => None,
        Expr::Splat { .. } | Expr::Pack(_) | Expr::Fold { .. } => None,
    }
}
