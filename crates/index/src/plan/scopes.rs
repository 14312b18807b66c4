//! Scopes of reduction variables: one that is bound inside its own scope becomes another variable, so that a name has one
//! binding.
//!
//! ```text
//! y(i) = sum(i, x(i))                       y(i) = sum(i1, x(i1))
//! a = sum(i, x(i) * sum(i, A(i,i)))         a = sum(i, x(i) * sum(i1, A(i1,i1)))
//! ```
//! CIN binds a variable once around any statement, and a loop nest is built from variables alone; so shadowing must
//! end before loops are made.

use crate::expr::{Access, Expr, Index, IndexId};
use openwork_base::Arena;

/// Renames variables that a reduction binds although they are bound around it. Of what the statement read (`reads`),
/// accesses with such a variable are repeated with its new name, which ranges over as many values.
pub(crate) fn separate(
    e: Expr,
    bound: &[IndexId],
    indices: &mut Arena<IndexId, Index>,
    reads: &mut Vec<Access>,
) -> Expr {
    match e {
        Expr::Reduce { op, mut vars, body } => {
            let mut body = *body;
            for v in &mut vars {
                if bound.contains(v) {
                    let fresh = indices.push(Index { name: fresh_name(*v, indices), ..indices[*v].clone() });
                    let other = |w: IndexId| if w == *v { fresh } else { w };
                    let sized = reads.iter().filter(|a| a.vars.contains(v));
                    let renamed: Vec<Access> = sized.map(|a| a.clone().with_vars(&other)).collect();
                    reads.extend(renamed);
                    body = replace(body, *v, fresh);
                    *v = fresh;
                }
            }
            let bound = [bound, &vars].concat();
            let body = Box::new(separate(body, &bound, indices, reads));
            Expr::Reduce { op, vars, body }
        }
        e => e.map_children(&mut |c| separate(c, bound, indices, reads)),
    }
}

/// `i1`, `i2`…: the first that no variable has.
fn fresh_name(v: IndexId, indices: &Arena<IndexId, Index>) -> String {
    let base = &indices[v].name;
    let free = |name: &String| indices.iter().all(|(_, i)| i.name != *name);
    (1..).map(|n| format!("{base}{n}")).find(free).expect("names do not run out")
}

/// `e` with the free occurrences of `from` replaced.
fn replace(e: Expr, from: IndexId, to: IndexId) -> Expr {
    let other = |v: IndexId| if v == from { to } else { v };
    match e {
        Expr::Reduce { ref vars, .. } if vars.contains(&from) => e,
        e => e.with_vars(&other).map_children(&mut |c| replace(c, from, to)),
    }
}
