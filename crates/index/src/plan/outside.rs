//! Reductions over what operands leave out: stored values are folded, then the fill value is accounted for once.
//!
//! ```text
//! m(i) = max(j, A(i,j))      m(i) = with_fill(max, t, t1, 0, j)   where t max= stored(A(i,j)), t1 += stored(A(i,j), 1)
//! ```
//! The maximum of a row is that of its elements, and 0 if there are fewer of them than columns. So it is for every operation
//! that does not mind how often a value comes, for products beside a fill of zero, and for sums, to which the fill is added as
//! often as elements are missing. A loop over every coordinate takes as long as there are coordinates.

use crate::expr::{Access, Expr, Kind, Tensor, TensorId, fill_of};
use openwork_algebra::{Operator, Prim, Scalar};
use openwork_base::Arena;

type Tensors = Arena<TensorId, Tensor>;

/// The expression with every such reduction over stored values only.
pub(crate) fn accounted(e: Expr, tensors: &Tensors) -> Expr {
    let mut any = false;
    e.visit(&mut |e| {
        any |= matches!(e, Expr::Reduce { op, vars, body } if !vars.is_empty() && outside(op, body, tensors).is_some());
    });
    if any { rewritten(e, tensors) } else { e }
}

fn rewritten(e: Expr, tensors: &Tensors) -> Expr {
    match e.map_children(&mut |c| rewritten(c, tensors)) {
        Expr::Reduce { op, vars, body } => match outside(op, &body, tensors).filter(|_| !vars.is_empty()) {
            None => Expr::Reduce { op, vars, body },
            Some(fill) => {
                let stored = |to: Expr| Expr::Stored { of: body.clone(), to: Box::new(to) };
                let reduced = |op, body| Expr::Reduce { op, vars: vars.clone(), body: Box::new(body) };
                let add = Operator::named("add").expect("sums are known");
                let folded = Box::new(reduced(op, stored((*body).clone())));
                let visited = Box::new(reduced(add, stored(Expr::Literal(Scalar::I64(1)))));
                Expr::WithFill { op, folded, visited, vars: vars.clone(), fill }
            }
        },
        e => e,
    }
}

/// The value of a body where nothing is stored, if it has to be accounted for, and can be.
fn outside(op: &'static Operator, body: &Expr, tensors: &Tensors) -> Option<Scalar> {
    let fill = fill_of(body, tensors)?;
    if op.identity_at(1, fill.dtype())?.same(fill) {
        return None;
    }
    let counted = match op.prim {
        // So many infinite complex numbers are not their number times one.
        Prim::Add => fill.is_finite() || !fill.dtype().is_complex(),
        Prim::Mul => fill.same(Scalar::zero(fill.dtype())),
        _ => op.idempotent,
    };
    let mut plain = true;
    body.visit(&mut |e| {
        plain &= matches!(e, Expr::Access(_) | Expr::Literal(_) | Expr::Call { .. } | Expr::Cast { .. });
        // There, a value comes from where nothing is stored.
        plain &= !matches!(e, Expr::Call { op, .. } if op.space.is_some_and(|(s, _)| s.is_complement()));
    });
    let sparse = |a: &Access| {
        let t = &tensors[a.tensor];
        t.kind == Kind::Operand && !t.format.is_full()
    };
    let limited = body.accesses().into_iter().any(sparse);
    (counted && plain && limited).then_some(fill)
}
