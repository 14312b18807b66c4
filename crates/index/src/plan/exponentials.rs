//! Logarithms of sums of exponentials, in two passes: one logarithm for all values instead of two functions for each value.
//!
//! ```text
//! y(i) = logaddexp(j, A(i,j))      y(i) = m + log(sum(j, exp(A(i,j) - m)))      where m = max(j, A(i,j)), made finite
//! ```
//! No exponential is larger than 1, so nothing overflows. Where the largest value is infinite, the largest finite number stands
//! for it: `exp(inf - m)` is then `inf`, and the logarithm of a sum of nothing is `-inf`, as it has to be.

use super::outside::outside_value;
use crate::expr::{IndexExpr, IndexId, TensorId, TensorVar};
use openwork_algebra::{DType, Library, Operator, Prim, Scalar};
use openwork_base::Arena;

/// The names of an exponential and of the logarithm that undoes it.
struct Base {
    exponential: &'static str,
    logarithm: &'static str,
}

/// What a reduction adds up, if it is one of logarithms.
fn base(op: &Operator) -> Option<Base> {
    match op.prim {
        Prim::Library(Library::Logaddexp) => Some(Base { exponential: "exp", logarithm: "log" }),
        Prim::Library(Library::Logaddexp2) => Some(Base { exponential: "exp2", logarithm: "log2" }),
        _ => None,
    }
}

/// Whether some reduction is of logarithms.
pub(crate) fn has_any(e: &IndexExpr) -> bool {
    let mut found = false;
    e.visit(&mut |e| {
        found |= matches!(e, IndexExpr::Reduce { op, vars, .. } if !vars.is_empty() && base(op).is_some());
    });
    found
}

/// The expression with every such reduction in two passes.
pub(crate) fn in_two_passes(e: IndexExpr, tensors: &Arena<TensorId, TensorVar>) -> IndexExpr {
    match e.map_children(&mut |c| in_two_passes(c, tensors)) {
        IndexExpr::Reduce { op, vars, body } if !vars.is_empty() => {
            match (base(op), finite(body.dtype(tensors))) {
                (Some(base), Some(limits)) => two_passes(op, &base, limits, &vars, *body, tensors),
                _ => IndexExpr::Reduce { op, vars, body },
            }
        }
        e => e,
    }
}

/// The lowest and the highest finite number of a dtype.
fn finite(dtype: DType) -> Option<[Scalar; 2]> {
    match dtype {
        DType::F32 => Some([Scalar::F32(f32::MIN), Scalar::F32(f32::MAX)]),
        DType::F64 => Some([Scalar::F64(f64::MIN), Scalar::F64(f64::MAX)]),
        _ => None,
    }
}

fn two_passes(
    op: &'static Operator,
    base: &Base,
    [low, high]: [Scalar; 2],
    vars: &[IndexId],
    body: IndexExpr,
    tensors: &Arena<TensorId, TensorVar>,
) -> IndexExpr {
    let reduced = |name, body| IndexExpr::Reduce {
        op: known_operator(name),
        vars: vars.to_vec(),
        body: Box::new(body),
    };
    // NaN among the values is NaN in the sum, whatever is subtracted.
    let most = reduced("max_ieee", body.clone());
    let most = call(
        "min_ieee",
        vec![call("max_ieee", vec![most, IndexExpr::Literal(low)]), IndexExpr::Literal(high)],
    );
    // What is subtracted is above `-inf`, so `-inf` decides.
    let scaled = |value| call(base.exponential, vec![call("sub_lowest", vec![value, most.clone()])]);
    let sum = match outside_value(known_operator("max_ieee"), &body, tensors) {
        // Every value that is not stored adds the same.
        Some(fill) if !op.identity_at(0, fill.dtype()).is_some_and(|id| id.is_same(fill)) => {
            let stored = |to| IndexExpr::Stored { of: Box::new(body.clone()), to: Box::new(to) };
            IndexExpr::WithFill {
                op: known_operator("add"),
                folded: Box::new(reduced("add", stored(scaled(body.clone())))),
                visited: Box::new(reduced("add", stored(IndexExpr::Literal(Scalar::I64(1))))),
                vars: vars.to_vec(),
                fill: Box::new(scaled(IndexExpr::Literal(fill))),
            }
        }
        _ => reduced("add", scaled(body)),
    };
    call("add_lowest", vec![most, call(base.logarithm, vec![sum])])
}

fn call(name: &str, args: Vec<IndexExpr>) -> IndexExpr {
    IndexExpr::Call { op: known_operator(name), args }
}

fn known_operator(name: &str) -> &'static Operator {
    Operator::find(name).expect("an operator that the algebra has")
}
