//! Short ways to write loop IR by hand, with the trivial foldings done on the spot.

use crate::nodes::{Buf, BufId, Expr, Kernel, LoopMode, Role, Stmt, Ty, Var, VarId};
use crate::text::is_name;
use openwork_algebra::{DType, Prim, Scalar};

/// An index constant.
pub fn int(n: i64) -> Expr {
    Expr::Const(Scalar::I64(n))
}
/// A constant.
pub fn constant(value: Scalar) -> Expr {
    Expr::Const(value)
}
/// The value of a variable.
pub fn var(v: VarId) -> Expr {
    Expr::Var(v)
}
/// `buf[at]`.
pub fn load(buf: BufId, at: Expr) -> Expr {
    Expr::Load { buf, at: Box::new(at) }
}
/// A primitive of two arguments.
pub fn call(prim: Prim, a: Expr, b: Expr) -> Expr {
    Expr::Call { prim, args: vec![a, b] }
}
/// `a + b` on indices; constants fold.
pub fn add(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::I64(x)), Expr::Const(Scalar::I64(y))) => int(x.wrapping_add(*y)),
        (_, Expr::Const(Scalar::I64(0))) => a,
        (Expr::Const(Scalar::I64(0)), _) => b,
        _ => call(Prim::Add, a, b),
    }
}
/// `a * b` on indices; constants fold.
pub fn mul(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::I64(x)), Expr::Const(Scalar::I64(y))) => int(x.wrapping_mul(*y)),
        (_, Expr::Const(Scalar::I64(1))) => a,
        (Expr::Const(Scalar::I64(1)), _) => b,
        (_, Expr::Const(Scalar::I64(0))) | (Expr::Const(Scalar::I64(0)), _) => int(0),
        _ => call(Prim::Mul, a, b),
    }
}
/// `a < b`.
pub fn lt(a: Expr, b: Expr) -> Expr {
    call(Prim::Lt, a, b)
}
/// `a == b`.
pub fn eq(a: Expr, b: Expr) -> Expr {
    call(Prim::Eq, a, b)
}
/// `a && b`, the right side only if the left is true; constants fold.
pub fn and_also(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::Bool(true)), _) => b,
        (_, Expr::Const(Scalar::Bool(true))) => a,
        _ => Expr::AndAlso(Box::new(a), Box::new(b)),
    }
}
/// `arg` as `to`; nothing when it is known to be of that dtype.
pub fn cast(to: DType, from: DType, arg: Expr) -> Expr {
    if to == from { arg } else { Expr::Cast { to, arg: Box::new(arg) } }
}
/// `var = val`.
pub fn set(var: VarId, val: Expr) -> Stmt {
    Stmt::Set { var, val }
}
/// `buf[at] = val`.
pub fn store(buf: BufId, at: Expr, val: Expr) -> Stmt {
    Stmt::Store { buf, at, val, reduce: None }
}
/// `for var in lo..hi { body }`, serial.
pub fn for_each(var: VarId, lo: Expr, hi: Expr, body: Vec<Stmt>) -> Stmt {
    Stmt::For { var, lo, hi, step: 1, mode: LoopMode::Serial, body }
}
/// `if cond { then }`; an always-true condition leaves the block out of the `if`.
pub fn when(cond: Expr, then: Vec<Stmt>) -> Vec<Stmt> {
    match cond {
        Expr::Const(Scalar::Bool(true)) => then,
        Expr::Const(Scalar::Bool(false)) => Vec::new(),
        cond => vec![Stmt::If { cond, then, other: Vec::new() }],
    }
}

impl Kernel {
    /// A new variable whose name starts with `hint` and is unique in the kernel. Characters that a name cannot have
    /// become underscores, and a reserved word gets a number.
    pub fn var(&mut self, hint: &str, ty: Ty) -> VarId {
        let name = self.fresh_name(hint);
        self.vars.push(Var { name, ty })
    }
    fn fresh_name(&self, hint: &str) -> String {
        let taken = |name: &str, k: &Kernel| {
            !is_name(name)
                || k.vars.iter().any(|(_, v)| v.name == name)
                || k.bufs.iter().any(|(_, b)| b.name == name)
        };
        let mut hint = hint.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_");
        if !hint.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            hint.insert(0, '_');
        }
        let mut name = hint.clone();
        let mut n = 1;
        while taken(&name, self) {
            n += 1;
            name = format!("{hint}_{n}");
        }
        name
    }
    /// A new index variable.
    pub fn index(&mut self, hint: &str) -> VarId {
        self.var(hint, Ty::INDEX)
    }
    /// A new index variable that the caller sets.
    pub fn param(&mut self, hint: &str) -> VarId {
        let v = self.index(hint);
        self.params.push(v);
        v
    }
    /// A new buffer, named like a variable by [`Kernel::var`].
    pub fn buf(&mut self, hint: impl AsRef<str>, elem: DType, role: Role) -> BufId {
        let name = self.fresh_name(hint.as_ref());
        self.bufs.push(Buf { name, elem, role })
    }
    /// Loads an index array element as `i64`.
    pub fn load_index(&self, buf: BufId, at: Expr) -> Expr {
        cast(DType::I64, self.bufs[buf].elem, load(buf, at))
    }
    /// Stores an `i64` into an index array of any width.
    pub fn store_index(&self, buf: BufId, at: Expr, val: Expr) -> Stmt {
        store(buf, at, cast(self.bufs[buf].elem, DType::I64, val))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_are_unique_and_writable() {
        let mut k = Kernel::new("k");
        let names: Vec<_> = ["i", "i", "for", "a'", "2x", ""]
            .map(|hint| {
                let v = k.index(hint);
                k.vars[v].name.clone()
            })
            .into();
        assert_eq!(names, ["i", "i_2", "for_2", "a_", "_2x", "_"]);
    }
}
