//! Masks of temporaries: a reader that looks at a temporary only where a list has coordinates.
//!
//! ```text
//! C(i,k) = M(i,k) * t(k)  where  t(k) += A(i,j) * B(j,k)
//!
//! mark the row of M;  forall j, k: if k is marked, t(k) += A(i,j) * B(j,k);  forall k in the row of M: C(i,k) = M(i,k) * t(k)
//! ```
//! The temporary then needs neither a list of what it holds nor an order, and nothing is kept that is not read (masked products
//! of GraphBLAS). Marking takes the time of one walk over the list, which the reader takes as well.

use crate::derive::derive;
use crate::lattice::{Extent, Lattice};
use crate::space::Leaf;
use crate::temporaries::{is_workspace, storage_of};
use openwork_index::cin::Storage;
use openwork_index::{Access, CinStmt, Program, TensorKind};

/// The list of coordinates outside of which `reader` does not look at the temporary `t`, if it is one over one variable that is
/// read by one loop over it; `is_list` tells lists, in whatever order, that are known before the temporary is filled.
pub(crate) fn mask(
    program: &Program,
    t: &Access,
    reader: &CinStmt,
    is_list: &dyn Fn(&Leaf) -> bool,
) -> Option<Leaf> {
    let asked = program.directives.storage.contains_key(&t.tensor);
    let [_] = t.vars[..] else { return None };
    if asked || !is_workspace(program, t.tensor) || storage_of(program, t) == Storage::Hash {
        return None;
    }
    let CinStmt::Forall { index, body } = reader else { return None };
    let CinStmt::Assign { .. } = &**body else { return None };
    let lattice = Lattice::from_space(&derive(body, *index, &program.tensors))?;
    let [point] = &lattice.points[..] else { return None };
    let own = |l: &&Leaf| l.access.tensor == t.tensor;
    if point.extent != Extent::Stored || point.leaves.iter().filter(own).count() != 1 {
        return None;
    }
    let listed = |l: &&Leaf| {
        let operand = program.tensors[l.access.tensor].kind == TensorKind::Operand;
        operand && is_list(l)
    };
    point.leaves.iter().find(listed).cloned()
}
