//! Operands stored differently for one kernel: in another format, or reduced to a diagonal.

use crate::ext::TensorExt;
use openwork_base::{Error, Result};
use openwork_planner::Conversion;
use openwork_storage::{Buffer, Coo, Tensor, pack, unpack};

/// Makes an operand from what the caller gives.
///
/// # Errors
/// `E0602` to `E0604` of packing.
pub(crate) fn converted(conversion: &Conversion, given: &Tensor) -> Result<Tensor> {
    if !conversion.takes_diagonal() {
        return given.to(&conversion.format);
    }
    let coo = unpack(given)?;
    let coord = |mode: usize, e: usize| coo.coords(mode).get(e).as_i64();
    let first: Vec<usize> = (0..=conversion.modes.iter().copied().max().unwrap_or(0))
        .filter_map(|k| conversion.modes.iter().position(|&m| m == k))
        .collect();
    let on_diagonal = |e: &usize| {
        (0..conversion.modes.len()).all(|m| coord(m, *e) == coord(first[conversion.modes[m]], *e))
    };
    let kept: Vec<usize> = (0..coo.len()).filter(on_diagonal).collect();
    let shape: Vec<usize> = first.iter().map(|&m| coo.shape()[m]).collect();
    let take = |from: &Buffer| -> Result<Buffer> {
        let mut to = Buffer::zeros(from.dtype(), kept.len())?;
        kept.iter().enumerate().for_each(|(n, &e)| to.set(n, from.get(e)));
        Ok(to)
    };
    let coords = first.iter().map(|&m| take(coo.coords(m))).collect::<Result<Vec<_>>>()?;
    let diagonal =
        Coo::new(shape, coords, take(coo.vals())?).map_err(|e| Error::bug("diagonal", e.to_string(), ""))?;
    let format = conversion.format.clone().with_fill(given.fill().to_string());
    pack(&diagonal, &format, given.fill())
}
