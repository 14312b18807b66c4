//! Operators that distribute over reductions: the precondition of §4.1 of the workspaces paper.
//!
//! ```text
//! sum(k, B(k) * c)  =  sum(k, B(k)) * c            min(k, B(k) + c)  =  min(k, B(k)) + c
//! ```
//! The identity of the reduction must also pass through: a sum over nothing times `c` is zero.

use super::parse::ScheduleCall;
use super::pattern;
use super::precompute::Ask;
use crate::cin::Program;
use crate::expr::{Access, IndexExpr, TensorId};
use openwork_algebra::{DType, Operator};
use openwork_base::Result;

/// Checks every operator between the top of `rhs` and the expression, which becomes the workspace `w`.
pub(super) fn distributive(
    p: &Program,
    call: &ScheduleCall,
    ask: &Ask,
    over: &Operator,
    rhs: &IndexExpr,
    w: TensorId,
) -> Result<()> {
    let read = IndexExpr::Access(Access { tensor: w, vars: Vec::new() });
    let rest = pattern::replace(p, ask.expr, rhs, &read).map(|f| f.rest);
    let rest = rest.expect("the caller has found the expression");
    let reads = |e: &IndexExpr| e.accesses().iter().filter(|a| a.tensor == w).count();
    let refused = |message: String| {
        let help = "name a larger expression, or the variables of those loops as well";
        Err(call.refusal(ask.expr.span(), message, help))
    };
    if reads(&rest) > 1 {
        return refused("the expression occurs twice, so its sum cannot be taken first".into());
    }
    let mut e = &rest;
    loop {
        let below = Vec::from_iter(e.children());
        let Some(at) = below.iter().position(|c| reads(c) > 0) else { return Ok(()) };
        match e {
            IndexExpr::Call { op, .. } if passes(op, at, over, below[at].dtype(&p.tensors)) => {}
            IndexExpr::Call { op, .. } => {
                return refused(format!("`{}` does not distribute over `{}`", op.name, over.name));
            }
            IndexExpr::Cast { to, .. } => {
                return refused(format!("the conversion to {to} does not distribute over `{}`", over.name));
            }
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Reduce { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Width(_) => {
                return refused(format!("what surrounds it does not distribute over `{}`", over.name));
            }
        }
        e = below[at];
    }
}

/// Whether `f`, with the expression at argument `at`, distributes over a reduction in `dtype`, an empty one included.
fn passes(f: &Operator, at: usize, over: &Operator, dtype: DType) -> bool {
    let rounds = dtype.is_inexact();
    if f.distributes.contains(&over.variant_of.unwrap_or(over.name)) {
        return true;
    }
    match (f.name, over.name) {
        ("mul" | "neg", "add") | ("and", "or" | "xor") | ("or", "and") | ("min", "max") | ("max", "min") => {
            true
        }
        ("div", "add") => at == 0 && rounds,
        // Integers wrap, which minima do not survive.
        ("add", "min" | "max") => dtype.is_float(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_agrees_with_evaluation_on_small_values() {
        use openwork_algebra::Scalar;
        let ops = &openwork_algebra::operator::OPERATORS;
        for dtype in [DType::I64, DType::F64, DType::Bool, DType::U8] {
            let values: Vec<Scalar> = (-2..4).map(|n| Scalar::from_i64(n, dtype)).collect();
            for f in ops.iter().filter(|f| f.arity() == 2 && f.prim.result(dtype) == Some(dtype)) {
                for over in ops.iter().filter(|o| o.reduces(dtype)) {
                    if !passes(f, 0, over, dtype) || f.name == "div" {
                        continue;
                    }
                    for (a, b, c) in values.iter().flat_map(|a| {
                        values.iter().flat_map(move |b| [(a, b)]).map(|(a, b)| (*a, *b, values[1]))
                    }) {
                        let apply = |op: &Operator, x, y| op.prim.eval(&[x, y]).unwrap();
                        let inside = apply(over, apply(f, a, c), apply(f, b, c));
                        let outside = apply(f, apply(over, a, b), c);
                        assert!(inside.is_same(outside), "{} over {} in {dtype}", f.name, over.name);
                    }
                }
            }
        }
    }
}
