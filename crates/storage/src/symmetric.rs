//! Symmetric matrices: one triangle is stored, and read as a whole.

use crate::coords::Coo;
use crate::error::{invalid, unfit};
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use crate::walk;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::tick;
use openwork_format::presets;

/// The entries on and below the diagonal of a symmetric matrix, duplicates summed.
///
/// # Errors
/// E0602 for a matrix that is not square, or not symmetric, with the first entry that has no equal on the other side.
pub(crate) fn lower(coo: &Coo, fill: Scalar) -> Result<Coo> {
    let help = "store it without `symmetric`";
    if coo.rank() != 2 || coo.shape()[0] != coo.shape()[1] {
        return Err(unfit(format!("a tensor of shape {:?} is not symmetric", coo.shape()), help));
    }
    let rows = unpack(&pack(coo, &presets::coo(2), fill)?)?;
    let columns = unpack(&pack(coo, &presets::coo(2).with_modes(vec![1, 0]), fill)?)?;
    let at = |list: &Coo, mode: usize, e: usize| list.coords(mode).get(e).as_i64();
    for e in 0..rows.len() {
        tick();
        let mirrored = at(&rows, 0, e) == at(&columns, 1, e) && at(&rows, 1, e) == at(&columns, 0, e);
        if !mirrored || !rows.vals().get(e).identical(columns.vals().get(e)) {
            let (i, j) = (at(&rows, 0, e), at(&rows, 1, e));
            return Err(unfit(format!("the matrix is not symmetric: see the entry at [{i}, {j}]"), help));
        }
    }
    let kept: Vec<(Vec<usize>, Scalar)> = (0..rows.len())
        .filter(|&e| at(&rows, 0, e) >= at(&rows, 1, e))
        .map(|e| (vec![at(&rows, 0, e) as usize, at(&rows, 1, e) as usize], rows.vals().get(e)))
        .collect();
    Coo::from_entries(coo.shape(), coo.dtype(), &kept)
}

/// Nothing but fill values lies above the diagonal.
///
/// # Errors
/// E0601 with the first offence.
pub(crate) fn check(t: &Tensor) -> Result<()> {
    if !t.format().symmetric {
        return Ok(());
    }
    if t.rank() != 2 || t.shape()[0] != t.shape()[1] {
        return Err(invalid(format!("a tensor of shape {:?} is stored as a symmetric matrix", t.shape())));
    }
    let mut offence = None;
    walk::stored_positions_but(t, &|p| t.vals().get(p).is_same(t.fill()), |at, _| {
        if at[0] < at[1] && offence.is_none() {
            offence = Some(at.to_vec());
        }
    });
    match offence {
        None => Ok(()),
        Some(at) => Err(invalid(format!("a symmetric matrix stores the lower triangle, but also {at:?}"))),
    }
}
