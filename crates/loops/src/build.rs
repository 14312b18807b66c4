//! Constructors for writing loop IR by hand, with the trivial foldings done on the spot.

use crate::nodes::{Buf, BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Stmt, Ty, Var, VarId};
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
pub fn if_then(cond: Expr, then: Vec<Stmt>) -> Vec<Stmt> {
    match cond {
        Expr::Const(Scalar::Bool(true)) => then,
        Expr::Const(Scalar::Bool(false)) => Vec::new(),
        cond => vec![Stmt::If { cond, then, other: Vec::new() }],
    }
}

impl LoopKernel {
    /// A new variable whose name starts with `hint` and is unique in the kernel. Characters that a name cannot have
    /// become underscores, and a reserved word gets a number.
    pub fn var(&mut self, hint: &str, ty: Ty) -> VarId {
        let name = self.fresh_name(hint);
        self.vars.push(Var { name, ty })
    }
    fn fresh_name(&mut self, hint: &str) -> String {
        let mut hint = hint.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_");
        if !hint.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            hint.insert(0, '_');
        }
        self.names.give(hint, &self.vars, &self.bufs)
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
    /// A new buffer, named like a variable by [`LoopKernel::var`], that holds zeros at first where it is no input.
    pub fn buf(&mut self, hint: impl AsRef<str>, elem: DType, role: BufRole) -> BufId {
        let name = self.fresh_name(hint.as_ref());
        self.bufs.push(Buf { name, elem, role, init: Init::Zeros })
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
        let mut k = LoopKernel::new("k");
        let names: Vec<_> = ["i", "i", "for", "a'", "2x", ""]
            .map(|hint| {
                let v = k.index(hint);
                k.vars[v].name.clone()
            })
            .into();
        assert_eq!(names, ["i", "i_2", "for_2", "a_", "_2x", "_"]);
    }

    #[test]
    fn new_names_avoid_those_that_came_another_way() {
        let mut k = LoopKernel::new("k");
        let name = |k: &mut LoopKernel, hint: &str| {
            let v = k.index(hint);
            k.vars[v].name.clone()
        };
        assert_eq!([name(&mut k, "i"), name(&mut k, "i_2")], ["i", "i_2"]);
        k.vars.push(Var { name: "i_4".into(), ty: Ty::INDEX });
        k.buf("j", DType::F64, BufRole::In);
        assert_eq!(["i", "i", "i_2", "j"].map(|hint| name(&mut k, hint)), ["i_3", "i_5", "i_2_2", "j_2"]);
        let mut copy = k.clone();
        assert_eq!(["i", "j"].map(|hint| name(&mut copy, hint)), ["i_6", "j_3"]);
        copy = LoopKernel { vars: LoopKernel::new("").vars, ..copy };
        assert_eq!(["i", "i", "j"].map(|hint| name(&mut copy, hint)), ["i", "i_2", "j_2"]);
    }

    #[test]
    fn names_take_no_part_in_equality() {
        let mut k = LoopKernel::new("k");
        k.index("i");
        let copy = k.clone();
        assert_eq!(k, copy);
        assert_eq!(format!("{k:?}"), format!("{copy:?}"));
    }
}
