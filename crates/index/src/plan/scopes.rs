//! Scopes of reduction variables: one that is bound inside its own scope becomes another variable, so that a name has one
//! binding.
//!
//! ```text
//! y(i) = sum(i, x(i))                       y(i) = sum(i1, x(i1))
//! a = sum(i, x(i) * sum(i, A(i,i)))         a = sum(i, x(i) * sum(i1, A(i1,i1)))
//! ```
//! CIN binds a variable once around any statement, and a loop nest is built from variables alone; so shadowing must
//! end before loops are made.

use crate::expr::{Access, IndexExpr, IndexId, IndexVar};
use openwork_base::Arena;

/// Renames variables that a reduction binds although they are bound around it. Of what the statement read (`reads`),
/// accesses with such a variable are repeated with its new name, which ranges over as many values.
pub(crate) fn separate(
    e: IndexExpr,
    bound: &[IndexId],
    indices: &mut Arena<IndexId, IndexVar>,
    reads: &mut Vec<Access>,
) -> IndexExpr {
    match e {
        IndexExpr::Reduce { op, mut vars, body } => {
            let mut body = *body;
            for v in &mut vars {
                if bound.contains(v) {
                    let name = fresh_name(*v, indices);
                    let fresh = indices.push(IndexVar { name, like: Some(*v), ..indices[*v].clone() });
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
            IndexExpr::Reduce { op, vars, body }
        }
        e => e.map_children(&mut |c| separate(c, bound, indices, reads)),
    }
}

/// `i1`, `i2`…: the first that no variable has.
fn fresh_name(v: IndexId, indices: &Arena<IndexId, IndexVar>) -> String {
    let base = &indices[v].name;
    let free = |name: &String| indices.iter().all(|(_, i)| i.name != *name);
    (1..).map(|n| format!("{base}{n}")).find(free).expect("names do not run out")
}

/// `e` with the free occurrences of `from` replaced.
fn replace(e: IndexExpr, from: IndexId, to: IndexId) -> IndexExpr {
    let other = |v: IndexId| if v == from { to } else { v };
    match e {
        IndexExpr::Reduce { ref vars, .. } if vars.contains(&from) => e,
        e => e.with_vars(&other).map_children(&mut |c| replace(c, from, to)),
    }
}
