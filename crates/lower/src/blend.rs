//! Unions of two lists in which nothing branches on which of them holds a coordinate.
//!
//! ```text
//! if j == jA && j == jB { s += (a[p] + b[q]) * x[j] }      if jA == jB { s += (a[p] + b[q]) * x[j] }
//! else if j == jA       { s += a[p] * x[j] }               else        { s += (select(jA < jB, a[p], 0)
//! else                  { s += b[q] * x[j] }                             + select(jB < jA, b[q], 0)) * x[j] }
//! ```
//! Which of two lists is behind cannot be foretold, and a wrong guess takes longer than both sides of the choice. Whether
//! they meet mostly can: lists of the same coordinates nearly always do, others seldom.

use crate::lattice::{Extent, Lattice, Point, Role};
use crate::space::{Leaf, derive};
use openwork_algebra::Prim;
use openwork_index::{Access, Expr, IndexId, Kind, Program, Stmt};

/// The most operators of a body that is worked out for an operand that is absent.
const OPERATORS: usize = 6;

/// Whether the loop over a variable unites two sorted lists that are walked together, with one case for either.
pub(crate) fn blends(program: &Program, v: IndexId, body: &Stmt, is_list: &dyn Fn(&Leaf) -> bool) -> bool {
    let Some(lattice) = Lattice::of(&derive(body, v, &program.tensors)) else { return false };
    let Some(q) = lattice.points.first() else { return false };
    let listed = |p: &&Point| p.extent == Extent::Stored && p.role == Role::Producer;
    let union = lattice.points.len() == 3 && lattice.points.iter().filter(listed).count() == 3;
    let last = |l: &Leaf| {
        let t = &program.tensors[l.access.tensor];
        let plain =
            t.kind == Kind::Operand && l.level + 1 == t.format.rank() && t.format.levels[l.level].unique();
        plain && !t.declared().has_empties(l.level) && is_list(l)
    };
    union && q.leaves.len() == 2 && q.leaves.iter().all(last) && is_straight(program, v, body, q)
}

/// Whether a statement is one assignment that reads nothing but what is there at every coordinate, beside the leaves of a region,
/// in few and cheap operators.
fn is_straight(program: &Program, v: IndexId, body: &Stmt, q: &Point) -> bool {
    let Stmt::Assign { lhs, op, rhs } = body else { return false };
    let target = &program.tensors[lhs.tensor];
    let assembled = target.kind == Kind::Result && op.is_none();
    let there = |a: &Access| {
        let walked = q.leaves.iter().any(|l| l.access == *a);
        walked || !a.vars.contains(&v) || program.tensors[a.tensor].format.is_dense()
    };
    let mut operators = 0;
    let mut plain = true;
    rhs.visit(&mut |e| match e {
        Expr::Access(a) => plain &= there(a),
        Expr::Literal(_) | Expr::Index(_) | Expr::Cast { .. } => {}
        Expr::Call { op, .. } => {
            operators += 1;
            plain &= is_cheap(op.prim);
        }
        Expr::Map { .. }
        | Expr::Width(_)
        | Expr::Beside { .. }
        | Expr::Stored { .. }
        | Expr::WithFill { .. }
        | Expr::Reduce { .. } => plain = false,
    });
    plain && operators <= OPERATORS && (assembled || target.format.is_dense())
}

/// Whether a primitive takes an instruction or two.
fn is_cheap(prim: Prim) -> bool {
    !matches!(prim, Prim::Quot | Prim::Rem | Prim::Div | Prim::Library(_) | Prim::Defined(_))
}
