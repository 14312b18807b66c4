//! Comparisons of integers by value.
//!
//! Signed and unsigned integers of 64 bits meet in `f64`, where 2^63 - 1 is 2^63 and -1 may not be told from 2^64 - 1 by any
//! conversion of bits. Comparing them, as NumPy does, is said in operations on one dtype each:
//!
//! ```text
//! s < u      u64(max(s, -1) + 1) <= u        s >= u    u64(max(s, -1) + 1) > u
//! s <= u     u64(max(s, 0)) <= u             s > u     u64(max(s, 0)) > u
//! s == u     (s >= 0) & (u64(s) == u)        s != u    (s < 0) | (u64(s) != u)
//! ```
//! `max(s, -1) + 1` may wrap to -2^63, which is 2^63 as an unsigned number. A literal that does not fit the integers it is
//! compared with keeps its value.

use super::types::TypedExpr;
use crate::expr::IndexExpr;
use crate::fold::fold;
use openwork_algebra::{DType, DTypeKind, Operator, Prim, Scalar};

/// The value of literals that do not fit the dtypes beside them no longer adapts to these.
pub(super) fn keep_values(args: &mut [TypedExpr]) {
    let beside = args.iter().filter(|a| !a.weak).map(|a| a.dtype).reduce(DType::promote);
    let Some(to) = beside.filter(|d| d.is_int()) else { return };
    for arg in args.iter_mut().filter(|a| a.weak && a.dtype.is_int()) {
        if let IndexExpr::Literal(s) = fold(arg.expr.clone()) {
            let there = s.cast(to);
            arg.weak = there.cast(s.dtype()).is_same(s) && negative(there) == negative(s);
            arg.expr = IndexExpr::Literal(s);
        }
    }
}

fn negative(s: Scalar) -> bool {
    s.dtype().kind() == DTypeKind::Signed && s.as_i64() < 0
}

/// The comparison of a signed with an unsigned integer where no integer dtype holds both; the arguments otherwise.
pub(super) fn compare_mixed(
    op: &'static Operator,
    args: Vec<TypedExpr>,
) -> Result<TypedExpr, Vec<TypedExpr>> {
    let [a, b] = &args[..] else { return Err(args) };
    let signed = |t: &TypedExpr| t.dtype.kind() == DTypeKind::Signed;
    let wide = |t: &TypedExpr| t.dtype == DType::U64;
    let swapped = wide(a) && signed(b);
    if !op.prim.is_comparison() || !(swapped || signed(a) && wide(b)) {
        return Err(args);
    }
    let mut exprs = args.into_iter().map(|t| (t.expr, t.dtype));
    let (Some((first, from)), Some((second, to))) = (exprs.next(), exprs.next()) else {
        return Err(Vec::new());
    };
    let (s, dtype, u) = if swapped { (second, to, first) } else { (first, from, second) };
    let s = cast(DType::I64, dtype, s);
    let prim = if swapped { mirror_comparison(op.prim) } else { op.prim };
    Ok(TypedExpr::strong(make_comparison(prim, s, u), DType::Bool))
}

/// The comparison with its arguments exchanged.
fn mirror_comparison(prim: Prim) -> Prim {
    match prim {
        Prim::Lt => Prim::Gt,
        Prim::Le => Prim::Ge,
        Prim::Gt => Prim::Lt,
        Prim::Ge => Prim::Le,
        other => other,
    }
}

fn make_comparison(prim: Prim, s: IndexExpr, u: IndexExpr) -> IndexExpr {
    let number = |n: i64| IndexExpr::Literal(Scalar::I64(n));
    let unsigned = |e: IndexExpr| cast(DType::U64, DType::I64, e);
    let at_least = |s: IndexExpr, n: i64| call("max", s, number(n));
    match prim {
        Prim::Lt => call("le", unsigned(call("add", at_least(s, -1), number(1))), u),
        Prim::Ge => call("gt", unsigned(call("add", at_least(s, -1), number(1))), u),
        Prim::Le => call("le", unsigned(at_least(s, 0)), u),
        Prim::Gt => call("gt", unsigned(at_least(s, 0)), u),
        Prim::Ne => call("or", call("lt", s.clone(), number(0)), call("ne", unsigned(s), u)),
        Prim::Eq => call("and", call("ge", s.clone(), number(0)), call("eq", unsigned(s), u)),
        other => unreachable!("{} compares nothing", other.name()),
    }
}

fn cast(to: DType, from: DType, e: IndexExpr) -> IndexExpr {
    if from == to { e } else { IndexExpr::Cast { to, arg: Box::new(e) } }
}

fn call(name: &str, a: IndexExpr, b: IndexExpr) -> IndexExpr {
    let op = Operator::find(name).expect("an operator of the table");
    IndexExpr::Call { op, args: vec![a, b] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_edges_compare_by_value() {
        let signed =
            [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, -1, 0, 1, (1 << 53) + 1, i64::MAX - 1, i64::MAX];
        let unsigned = [0, 1, (1 << 53), (1 << 53) + 1, i64::MAX as u64, 1 << 63, (1 << 63) + 1, u64::MAX];
        for s in signed {
            for u in unsigned {
                let (x, y) = (i128::from(s), i128::from(u));
                for (prim, wanted) in [
                    (Prim::Lt, x < y),
                    (Prim::Le, x <= y),
                    (Prim::Gt, x > y),
                    (Prim::Ge, x >= y),
                    (Prim::Eq, x == y),
                    (Prim::Ne, x != y),
                ] {
                    let [s, u] = [Scalar::I64(s), Scalar::U64(u)].map(IndexExpr::Literal);
                    let got = fold(make_comparison(prim, s, u));
                    assert_eq!(got, IndexExpr::Literal(Scalar::Bool(wanted)), "{x} {} {y}", prim.name());
                }
            }
        }
    }
}
