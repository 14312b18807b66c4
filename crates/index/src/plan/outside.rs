//! Reductions that include elements which operands do not store: stored values are folded, then the fill value is accounted
//! for once.
//!
//! ```text
//! m(i) = max(j, A(i,j))      m(i) = with_fill(max, t, t1, 0, j)   where t max= stored(A(i,j)), t1 += stored(A(i,j), 1)
//! ```
//! The maximum of a row is that of its elements, and 0 if there are fewer of them than columns. The same holds for every
//! operation that does not mind how often a value comes, for products beside a fill of zero, and for sums, to which the fill
//! is added as often as elements are missing. A loop over every coordinate takes as long as there are coordinates.
//!
//! A reduction over such reductions has one value elsewhere as well: theirs over coordinates at which nothing is stored. So
//! trees of minima and maxima are walked where they have leaves:
//!
//! ```text
//! min(j, max(k, A(j,k)))     with_fill(min, u, u1, with_fill(max, -inf, 0, 0, k), j)
//!                              where u min= stored(t1, with_fill(max, t, t1, 0, k)), u1 += stored(t1, 1)
//! ```

use crate::assume::Tensors;
use crate::expr::{Access, IndexExpr, IndexId, TensorKind, fill_of};
use openwork_algebra::{Operator, Prim, Scalar};

/// The expression with every such reduction over stored values only.
pub(crate) fn account_reductions(e: IndexExpr, tensors: &Tensors) -> IndexExpr {
    let mut any = false;
    e.visit(&mut |e| {
        any |= matches!(e, IndexExpr::Reduce { op, vars, body } if !vars.is_empty() && outside_value(op, body, tensors).is_some());
    });
    if any { rewrite_reductions(e, tensors) } else { e }
}

fn rewrite_reductions(e: IndexExpr, tensors: &Tensors) -> IndexExpr {
    match e.map_children(&mut |c| rewrite_reductions(c, tensors)) {
        IndexExpr::Reduce { op, vars, body } if !vars.is_empty() => {
            let led = match outside_value(op, &body, tensors) {
                Some(fill) => Some(((*body).clone(), IndexExpr::Literal(fill))),
                None => nested_values(op, &vars, &body, tensors),
            };
            match led {
                None => IndexExpr::Reduce { op, vars, body },
                Some((of, fill)) => {
                    let stored =
                        |to: IndexExpr| IndexExpr::Stored { of: Box::new(of.clone()), to: Box::new(to) };
                    let reduced =
                        |op, body| IndexExpr::Reduce { op, vars: vars.clone(), body: Box::new(body) };
                    let add = Operator::find("add").expect("sums are known");
                    let folded = Box::new(reduced(op, stored(*body)));
                    let visited = Box::new(reduced(add, stored(IndexExpr::Literal(Scalar::I64(1)))));
                    IndexExpr::WithFill { op, folded, visited, vars: vars.clone(), fill: Box::new(fill) }
                }
            }
        }
        e => e,
    }
}

/// What leads to the values of a body that is made of another such reduction and of constants, and its value elsewhere, if
/// that can be accounted for.
fn nested_values(
    op: &'static Operator,
    vars: &[IndexId],
    body: &IndexExpr,
    tensors: &Tensors,
) -> Option<(IndexExpr, IndexExpr)> {
    let mut inner = None;
    let mut plain = true;
    visit_parts(body, &mut |e| match e {
        IndexExpr::WithFill { visited, .. } => plain &= inner.replace((**visited).clone()).is_none(),
        IndexExpr::Literal(_) | IndexExpr::Cast { .. } => {}
        IndexExpr::Call { op, .. } => plain &= op.space.is_none(),
        IndexExpr::Access(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::Reduce { .. } => plain = false,
    });
    let led = inner.filter(|_| plain)?;
    // Each of the variables has to be one that something stored leads along, and one of them leaves coordinates out: where all
    // are visited anyway, counting them gains nothing.
    let sparse = led.accesses().into_iter().filter(|a| !tensors[a.tensor].format.is_full());
    let sparse: Vec<&Access> = sparse.collect();
    let along = |v: &IndexId| sparse.iter().any(|a| a.vars.contains(v));
    let listed = |v: &IndexId| sparse.iter().any(|a| leaves_out(a, *v, tensors));
    let usually = fill_of(&replace_reductions(body, &|fill, _, _| fill.clone()), tensors)?;
    op.identity_at(1, usually.dtype())?;
    let counted = match op.prim {
        Prim::Add => usually.is_finite() && !usually.dtype().is_complex(),
        _ => op.idempotent && op.commutative,
    };
    let nothing = replace_reductions(body, &|fill, op, vars| {
        let neutral = op.identity_at(1, fill.dtype(tensors)).expect("a reducing operator has an identity");
        IndexExpr::WithFill {
            op,
            folded: Box::new(IndexExpr::Literal(neutral)),
            visited: Box::new(IndexExpr::Literal(Scalar::I64(0))),
            vars: vars.to_vec(),
            fill: Box::new(fill.clone()),
        }
    });
    (counted && vars.iter().all(along) && vars.iter().any(listed)).then_some((led, nothing))
}

/// Whether a level of an operand leaves out coordinates of a variable. Of computed coordinates it is not known; to walk them
/// several times takes more code than it saves time.
fn leaves_out(a: &Access, v: IndexId, tensors: &Tensors) -> bool {
    let format = &tensors[a.tensor].format;
    let mut levels = format.levels.iter().zip(&format.modes);
    format.remap.is_none() && levels.any(|(level, &mode)| a.vars[mode] == v && !level.is_dense())
}

/// Every part of an expression down to reductions that are accounted for.
fn visit_parts(e: &IndexExpr, f: &mut dyn FnMut(&IndexExpr)) {
    f(e);
    if !matches!(e, IndexExpr::WithFill { .. }) {
        e.children().for_each(|c| visit_parts(c, f));
    }
}

/// An expression with the reductions in it replaced, by what `to` makes of their values elsewhere.
fn replace_reductions(
    e: &IndexExpr,
    to: &dyn Fn(&IndexExpr, &'static Operator, &[IndexId]) -> IndexExpr,
) -> IndexExpr {
    if let IndexExpr::WithFill { op, vars, fill, .. } = e {
        return to(&replace_reductions(fill, to), op, vars);
    }
    e.clone().map_children(&mut |c| replace_reductions(&c, to))
}

/// The value of a body where nothing is stored, if it has to be accounted for, and can be.
pub(super) fn outside_value(op: &'static Operator, body: &IndexExpr, tensors: &Tensors) -> Option<Scalar> {
    let fill = fill_of(body, tensors)?;
    if op.identity_at(1, fill.dtype())?.is_same(fill) {
        return None;
    }
    let counted = match op.prim {
        // So many infinite complex numbers are not their number times one.
        Prim::Add => fill.is_finite() || !fill.dtype().is_complex(),
        Prim::Mul => fill.is_same(Scalar::zero(fill.dtype())),
        _ => op.idempotent && op.commutative,
    };
    let mut plain = true;
    body.visit(&mut |e| {
        plain &= matches!(
            e,
            IndexExpr::Access(_) | IndexExpr::Literal(_) | IndexExpr::Call { .. } | IndexExpr::Cast { .. }
        );
        // There, a value comes from where nothing is stored.
        plain &= !matches!(e, IndexExpr::Call { op, .. } if op.space.is_some_and(|(s, _)| s.is_complement()));
    });
    let sparse = |a: &Access| {
        let t = &tensors[a.tensor];
        t.kind == TensorKind::Operand && !t.format.is_full()
    };
    let limited = body.accesses().into_iter().any(sparse);
    (counted && plain && limited).then_some(fill)
}
