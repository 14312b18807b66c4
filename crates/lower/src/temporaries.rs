//! Decisions about sparse temporaries: how each is kept, and how its reader takes its elements.

use crate::derive::derive;
use crate::lattice::{Extent, Lattice};
use openwork_base::machine::threshold;
use openwork_index::cin::Storage;
use openwork_index::{Access, CinStmt, Program, TensorId, TensorKind};

/// The most coordinates that a bitmap workspace has slots for; beyond, and where the number is not known beforehand
/// for several modes, it is a hash table.
const SLOTS: usize = 1 << 24;

/// The order in which elements are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrainOrder {
    /// That of their coordinates.
    Sorted,
    /// Any.
    Free,
}

/// Whether a tensor is a sparse temporary.
pub(crate) fn is_workspace(program: &Program, t: TensorId) -> bool {
    let t = &program.tensors[t];
    t.kind == TensorKind::Temp && t.format.rank() > 0 && !t.format.is_dense()
}

/// How a sparse temporary is kept, which the graph says of each. If no schedule says so: a hash table where its coordinates are too many, or too many for
/// all one knows; a list where their order does not matter; else a bitmap.
pub(crate) fn storage_of(program: &Program, a: &Access) -> Storage {
    if let Some(&asked) = program.directives.storage.get(&a.tensor) {
        return asked;
    }
    let known = a.vars.iter().try_fold(1usize, |n, &v| n.checked_mul(program.indices[v].size?));
    if known.map_or(a.vars.len() > 1, |n| n > threshold(SLOTS, 1)) {
        return Storage::Hash;
    }
    let mut storage = Storage::Bitmap;
    program.body.visit(&mut |s| {
        if let CinStmt::Where { consumer, producer } = s
            && producer.target().is_some_and(|lhs| lhs.tensor == a.tensor)
            && order_of(program, a.tensor, consumer) == DrainOrder::Free
        {
            storage = Storage::List;
        }
    });
    storage
}

/// The order in which `reader` wants the elements of a workspace: any, where it does nothing but append them to an unordered
/// level.
pub(crate) fn order_of(program: &Program, tensor: TensorId, reader: &CinStmt) -> DrainOrder {
    let CinStmt::Forall { index, body } = reader else { return DrainOrder::Sorted };
    let CinStmt::Assign { lhs, .. } = &**body else { return DrainOrder::Sorted };
    let t = &program.tensors[lhs.tensor];
    let level = (0..t.format.depth()).find(|&k| lhs.vars[t.format.modes[k]] == *index);
    let unordered = level.is_some_and(|k| !t.format.levels[k].is_ordered());
    match t.kind == TensorKind::Result && unordered && is_drained(program, tensor, reader) {
        true => DrainOrder::Free,
        false => DrainOrder::Sorted,
    }
}

/// Whether a workspace over one variable is read by one loop over that variable, alone, so that its elements are taken as
/// they come.
pub(crate) fn is_drained(program: &Program, tensor: TensorId, reader: &CinStmt) -> bool {
    let CinStmt::Forall { index, body } = reader else { return false };
    let Some(lattice) = Lattice::from_space(&derive(body, *index, &program.tensors)) else { return false };
    let [point] = &lattice.points[..] else { return false };
    let mut leaves = point.leaves.iter();
    let (Some(leaf), None) = (leaves.next(), leaves.next()) else { return false };
    let simple = matches!(**body, CinStmt::Assign { .. }) && program.tensors[tensor].format.rank() == 1;
    leaf.access.tensor == tensor && simple && point.extent == Extent::Stored
}
