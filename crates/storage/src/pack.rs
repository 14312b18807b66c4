//! From coordinates into a format.
//!
//! Duplicates are summed, stored coordinates computed, and entries sorted by them. Then the levels are built from the
//! outermost in: each one groups the entries that share a child, writes its arrays, and hands every entry on to that
//! child.

use crate::buffer::Buffer;
use crate::build::Build;
use crate::check;
use crate::coords::Coo;
use crate::error::invalid;
use crate::levels::{built_in, storage};
use crate::stored;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_format::{Format, Level, Props};

/// Stores the entries of `coo` in `format`; coordinates without an entry have the value `fill` (cast to the dtype of
/// the entries; a fill text in `format` is replaced).
///
/// Duplicates are summed in the dtype (bool: or). Explicit zeros are kept, except that a format with a zeroless level
/// drops entries equal to the fill value. Slots without an entry hold the fill value. Counters of a remapping count
/// the elements in the lexicographic order of their modes.
///
/// # Errors
/// E0601 for a coordinate out of range or a format of another rank; E0602 for levels that cannot hold the entries (a
/// singleton under a parent with several children, an entry outside a triangle); E0603 when the arrays are too large;
/// E0604 when a position or coordinate does not fit the width the format asks for; E0605 when the tensor would take
/// more memory than the [limit](crate::memory), before any of it is allocated.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, pack};
/// let entries = [(vec![1, 0], Scalar::F64(2.0)), (vec![1, 0], Scalar::F64(3.0))];
/// let coo = Coo::from_entries(&[2, 2], DType::F64, &entries)?;
/// let inf = Scalar::F64(f64::INFINITY);
/// assert_eq!(pack(&coo, &presets::dcsr(), inf)?.vals().as_slice(), Some(&[5.0][..]));
/// assert_eq!(pack(&coo, &presets::dense(2), inf)?.get(&[0, 0]), Some(inf));
/// assert_eq!(pack(&coo, &presets::dia(), inf)?.get(&[1, 0]), Some(Scalar::F64(5.0)));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn pack(coo: &Coo, format: &Format, fill: Scalar) -> Result<Tensor> {
    if format.rank() != coo.rank() {
        return Err(invalid(format!("a format of {} modes for {} modes", format.rank(), coo.rank())));
    }
    coo.check_range()?;
    check::placed(coo.shape(), format)?;
    let fill = fill.cast(coo.dtype());
    let format = format.resolved(coo.shape());
    let sorted = stored::sorted(coo, &format, fill)?;
    if format.depth() == 0 {
        let value = if sorted.vals.is_empty() { fill } else { sorted.vals.get(0) };
        return finish(coo.shape(), format, fill, Vec::new(), Buffer::filled(value, 1)?);
    }
    let mut build = Build::new(&format, coo.shape(), sorted.coords, sorted.vals, fill)?;
    for level in &format.levels {
        let packed = storage(*level)?.pack(&build)?;
        build.advance(packed)?;
    }
    let (levels, vals) = build.finish()?;
    finish(coo.shape(), format, fill, levels, vals)
}

/// Wraps the built arrays. Levels could have got them wrong only where they promise more than they hold; levels of other
/// crates are not trusted at all.
fn finish(
    shape: &[usize],
    format: Format,
    fill: Scalar,
    levels: Vec<LevelArrays>,
    vals: Buffer,
) -> Result<Tensor> {
    if format.levels.iter().any(|l| built_in(*l).is_none()) {
        return Tensor::new_checked(shape.to_vec(), format, fill, levels, vals);
    }
    let promises = |l: &Level| l.full() && !l.spec.props.has(Props::FULL);
    if format.levels.iter().any(promises) {
        return Tensor::new_checked(shape.to_vec(), format, fill, levels, vals).map_err(|e| {
            match e.diagnostic() {
                Some(d) => crate::error::unfit(d.message.clone(), "do not declare the level full"),
                None => e,
            }
        });
    }
    // SAFETY: the coordinates were checked against the shape, sorted and freed of duplicates above; every level
    // built its arrays from them for exactly the parents of the level before, in the widths of the format.
    Ok(unsafe { Tensor::new_unchecked(shape.to_vec(), format, fill, levels, vals) })
}
