//! Constants and identities in expressions.
//!
//! ```text
//! 2 + 3            =>  5              select(true, a, b)  =>  a
//! (i + 1) - 1      =>  i              i64(i32(k)) where k: i32  =>  i64(k)
//! t * 1.0          =>  t              t + 0.0 stays: it turns -0.0 into 0.0
//! quot(i, 1)       =>  i              rem(i, 1)           =>  0
//! shl(i, 64)       =>  i, where i: i64
//! ```
//!
//! Identities come from the declared properties of operators. They hold exactly for integers and bools; the few that
//! hold exactly for floats are listed in [`exact`].

use crate::build::int;
use crate::nodes::{Expr, LoopKernel};
use crate::walk::{each_stmt_mut, exprs_mut, rewrite, take};
use openwork_algebra::operator::OPERATORS;
use openwork_algebra::{DType, DTypeKind, Operator, Prim, Scalar};

/// Folds every expression of a kernel.
pub(super) fn fold_kernel(kernel: &mut LoopKernel) {
    let mut body = std::mem::take(&mut kernel.body);
    each_stmt_mut(&mut body, &mut |s| exprs_mut(s).for_each(|e| fold(kernel, e)));
    kernel.body = body;
}

/// Folds an expression of `kernel`.
pub(super) fn fold(kernel: &LoopKernel, e: &mut Expr) {
    rewrite(e, &mut |e| {
        if let Some(new) = step(kernel, e) {
            *e = new;
        }
    });
}

/// The value of an expression that has the same constant in all lanes.
fn uniform(e: &Expr) -> Option<Scalar> {
    match e {
        Expr::Const(s) => Some(*s),
        Expr::Splat { lanes: _, arg } => uniform(arg),
        _ => None,
    }
}

/// A constant in as many lanes as `like`, which is a constant too.
fn constant_like(s: Scalar, like: &Expr) -> Expr {
    match like {
        Expr::Splat { lanes, arg: _ } => Expr::Splat { lanes: *lanes, arg: Expr::Const(s).into() },
        _ => Expr::Const(s),
    }
}

/// One step at the root of `e`, whose parts are folded already.
fn step(kernel: &LoopKernel, e: &mut Expr) -> Option<Expr> {
    match e {
        Expr::Call { prim, args } => {
            let prim = *prim;
            if let Some(values) = args.iter().map(uniform).collect::<Option<Vec<_>>>() {
                return Some(constant_like(prim.eval(&values)?, args.last()?));
            }
            match &mut args[..] {
                [a] => unary(kernel, prim, a),
                [a, b] => binary(kernel, prim, a, b),
                [c, a, b] if uniform(c)? == Scalar::Bool(true) => Some(take(a)),
                [c, _, b] if uniform(c)? == Scalar::Bool(false) => Some(take(b)),
                [..] => None,
            }
        }
        Expr::Cast { to, arg } => cast(kernel, *to, arg),
        Expr::AndAlso(a, b) => {
            let [left, right] = [&**a, &**b].map(uniform);
            let [yes, no] = [true, false].map(|c| Some(Scalar::Bool(c)));
            if left == yes {
                Some(take(b))
            } else if right == yes {
                Some(take(a))
            } else {
                (left == no || right == no).then_some(Expr::Const(Scalar::Bool(false)))
            }
        }
        Expr::Splat { lanes: 1, arg } => Some(take(arg)),
        _ => None,
    }
}

fn unary(kernel: &LoopKernel, prim: Prim, arg: &mut Expr) -> Option<Expr> {
    let Expr::Call { prim: inner, args } = arg else { return None };
    let inner = *inner;
    if prim == inner && matches!(prim, Prim::Not | Prim::Neg) {
        return Some(take(&mut args[0]));
    }
    if prim != Prim::Not {
        return None;
    }
    let opposite = opposite(inner)?;
    // With NaN, `!(a < b)` is not `a >= b`.
    let whole = kernel.ty(&args[0]).ok()?.elem.kind() <= DTypeKind::Signed;
    let safe = whole || matches!(inner, Prim::Eq | Prim::Ne);
    safe.then(|| Expr::Call { prim: opposite, args: std::mem::take(args) })
}

/// The comparison that holds where this one does not, among ordered values.
fn opposite(comparison: Prim) -> Option<Prim> {
    match comparison {
        Prim::Eq => Some(Prim::Ne),
        Prim::Ne => Some(Prim::Eq),
        Prim::Lt => Some(Prim::Ge),
        Prim::Ge => Some(Prim::Lt),
        Prim::Gt => Some(Prim::Le),
        Prim::Le => Some(Prim::Gt),
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg | Prim::Abs => None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
        Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
    }
}

fn binary(kernel: &LoopKernel, prim: Prim, a: &mut Expr, b: &mut Expr) -> Option<Expr> {
    let op = OPERATORS.iter().find(|op| op.prim == prim);
    if let Some(new) = op.and_then(|op| fold_decided(op, a, b)).or_else(|| fold_division(prim, a, b)) {
        return Some(new);
    }
    if let (Expr::Var(x), Expr::Var(y)) = (&*a, &*b)
        && x == y
    {
        return with_itself(prim, kernel.vars[*x].ty.elem, kernel.vars[*x].ty.lanes, a);
    }
    offsets(prim, a, b)
}

/// What a constant on one side makes of an operator that promises an identity or an annihilator.
fn fold_decided(op: &Operator, a: &mut Expr, b: &mut Expr) -> Option<Expr> {
    for n in [1, 0] {
        let (this, other) = if n == 0 { (&mut *a, &mut *b) } else { (&mut *b, &mut *a) };
        let Some(c) = uniform(this) else { continue };
        if op.identity_at(n, c.dtype()) == Some(c) && exact(op.prim, c) {
            return Some(take(other));
        }
        let whole = c.dtype().kind() <= DTypeKind::Signed;
        if whole && op.annihilator_at(n, c.dtype()) == Some(c) {
            return Some(take(this));
        }
    }
    None
}

/// What a constant on one side makes of a division or a shift of integers.
fn fold_division(prim: Prim, a: &mut Expr, b: &mut Expr) -> Option<Expr> {
    let is = |e: &Expr, n: i64| uniform(e).is_some_and(|s| s == Scalar::from_i64(n, s.dtype()));
    match prim {
        Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr if is(a, 0) => Some(take(a)),
        Prim::Quot | Prim::Rem if is(b, 0) => Some(take(b)),
        Prim::Quot if is(b, 1) => Some(take(a)),
        Prim::Rem if is(b, 1) => Some(constant_like(Scalar::zero(uniform(b)?.dtype()), b)),
        Prim::Shl | Prim::Shr => {
            let n = uniform(b)?;
            let bits = 8 * n.dtype().size() as i64;
            let counts = Prim::And.eval(&[n, Scalar::from_i64(bits - 1, n.dtype())])?;
            (counts == Scalar::zero(n.dtype())).then(|| take(a))
        }
        Prim::Quot
        | Prim::Rem
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg | Prim::Abs => None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => None,
        Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => None,
    }
}

/// Whether the identity element `c` of `prim` leaves every value exactly as it is, the sign of zero included.
fn exact(prim: Prim, c: Scalar) -> bool {
    match (c.dtype().kind(), prim) {
        (DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Signed, _) => true,
        (DTypeKind::Float, Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Least | Prim::Most) => true,
        (DTypeKind::Float, Prim::Add) => c.as_f64().is_sign_negative(),
        (DTypeKind::Float, Prim::Sub) => c.as_f64().is_sign_positive(),
        (DTypeKind::Float | DTypeKind::Complex, _) => false,
    }
}

/// `prim(v, v)` for an integer or bool variable.
fn with_itself(prim: Prim, elem: DType, lanes: u8, v: &mut Expr) -> Option<Expr> {
    if elem.kind() > DTypeKind::Signed {
        return None;
    }
    let all = |s| match lanes {
        1 => Expr::Const(s),
        lanes => Expr::Splat { lanes, arg: Expr::Const(s).into() },
    };
    match prim {
        Prim::Sub | Prim::Xor | Prim::Rem => Some(all(Scalar::zero(elem))),
        Prim::Eq | Prim::Le | Prim::Ge => Some(all(Scalar::Bool(true))),
        Prim::Ne | Prim::Lt | Prim::Gt => Some(all(Scalar::Bool(false))),
        Prim::Min | Prim::Max | Prim::And | Prim::Or => Some(take(v)),
        Prim::Add | Prim::Mul | Prim::Div | Prim::Neg | Prim::Abs | Prim::Not | Prim::Select => None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
        Prim::Quot
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
    }
}

/// `(x + 1) + 2` is `x + 3` on indices, where arithmetic wraps.
fn offsets(prim: Prim, a: &mut Expr, b: &Expr) -> Option<Expr> {
    let signed =
        |p, n: i64| if p == Prim::Add { Some(n) } else { (p == Prim::Sub).then(|| n.wrapping_neg()) };
    let Expr::Const(Scalar::I64(outer)) = b else { return None };
    let Expr::Call { prim: inner, args } = a else { return None };
    let [x, Expr::Const(Scalar::I64(n))] = &mut args[..] else { return None };
    let total = signed(prim, *outer)?.wrapping_add(signed(*inner, *n)?);
    Some(crate::build::add(take(x), int(total)))
}

fn cast(kernel: &LoopKernel, to: DType, arg: &mut Expr) -> Option<Expr> {
    if let Some(s) = uniform(arg) {
        return Some(constant_like(s.cast(to), arg));
    }
    let from = kernel.ty(arg).ok()?.elem;
    if from == to {
        return Some(take(arg));
    }
    let Expr::Cast { to: _, arg: inner } = arg else { return None };
    let first = kernel.ty(inner).ok()?.elem;
    keeps_values(first, from).then(|| Expr::Cast { to, arg: Box::new(take(inner)) })
}

/// Whether a cast from `a` to `b` keeps every value and its family, so that a later cast cannot see it.
fn keeps_values(a: DType, b: DType) -> bool {
    match (a.kind(), b.kind()) {
        (DTypeKind::Bool, DTypeKind::Unsigned | DTypeKind::Signed) => true,
        (DTypeKind::Unsigned, DTypeKind::Signed) => a.size() < b.size(),
        (DTypeKind::Unsigned, DTypeKind::Unsigned)
        | (DTypeKind::Signed, DTypeKind::Signed)
        | (DTypeKind::Float, DTypeKind::Float)
        | (DTypeKind::Complex, DTypeKind::Complex) => a.size() <= b.size(),
        (_, _) => false,
    }
}
