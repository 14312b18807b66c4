//! Arrays of other libraries, which keep coordinates in any order and more than once.

use crate::buffer::Buffer;
use crate::check;
use crate::error::{addressable, invalid};
use crate::mended::mend_rows;
use crate::pack::pack;
use crate::tensor::{LevelArrays, Tensor};
use crate::unpack::unpack;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_base::cancel::{CANCELLED, stoppable};
use openwork_format::{Format, Props};

/// A tensor whose only arrays are those of one compressed level, from arrays that may list the coordinates of a row in
/// any order and more than once: then they are sorted, and values of the same coordinates added up. Index arrays that are in
/// order are used as they are, or copied where somebody else [may write](Buffer::may_change) to them.
///
/// # Errors
/// As [`Tensor::new_checked`] for positions and coordinates, and as [`pack`].
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Buffer, LevelArrays, canonical};
/// let arrays = vec![Buffer::from(vec![0i32, 3]), Buffer::from(vec![2i32, 0, 2])];
/// let vals = Buffer::from(vec![1.0, 2.0, 3.0]);
/// let a = canonical(vec![1, 3], presets::csr(), Scalar::F64(0.0), LevelArrays { arrays }, vals)?;
/// assert_eq!(a.vals().as_slice(), Some(&[2.0, 4.0][..]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn canonical(
    shape: Vec<usize>,
    format: Format,
    fill: Scalar,
    compressed: LevelArrays,
    vals: Buffer,
) -> Result<Tensor> {
    stoppable(|| sorted_tensor(shape, format, fill, compressed, vals))
}

fn sorted_tensor(
    shape: Vec<usize>,
    format: Format,
    fill: Scalar,
    compressed: LevelArrays,
    vals: Buffer,
) -> Result<Tensor> {
    let fill = fill.cast(vals.dtype());
    let mut levels = vec![LevelArrays::default(); format.depth()];
    let Some(here) = format.levels.iter().position(|l| l.in_segments()) else {
        return Err(invalid(format!("{format} has no compressed level")));
    };
    levels[here] = compressed;
    addressable(&shape)?;
    check::ranks(&shape, &format, &levels)?;
    let format = check::widths(&format, &levels)?.resolve(&shape);
    let (arrays, right) =
        check::rows::settle_arrays(&shape, &format, std::mem::take(&mut levels[here].arrays))?;
    levels[here].arrays = arrays;
    let complete = right && vals.dtype() != DType::Bool && levels[here].arrays[1].len() == vals.len();
    if complete {
        // SAFETY: rows are in range and in order and have as many values, none of which is a bool.
        return Ok(unsafe { Tensor::new_unchecked(shape, format, fill, levels, vals) });
    }
    if let Some((arrays, vals)) = mend_rows(&shape, &format, &levels[here].arrays, &vals)? {
        levels[here].arrays = arrays;
        // SAFETY: rows are in range, were put in order, and have as many values, none of which is a bool.
        return Ok(unsafe { Tensor::new_unchecked(shape, format, fill, levels, vals) });
    }
    // SAFETY: nothing reads through the tensor before `check::tensor` has accepted it.
    let tensor = unsafe { Tensor::new_unchecked(shape, format.clone(), fill, levels, vals) };
    match check::tensor(&tensor) {
        Ok(()) => return Ok(tensor),
        Err(e) if e.code() == CANCELLED => return Err(e),
        Err(_) => {}
    }
    let parts = tensor.into_parts();
    let mut loose = parts.format;
    loose.levels[here] = loose.levels[here].without_props(Props::ORDERED.union(Props::UNIQUE));
    let listed = Tensor::new_checked(parts.shape, loose, fill, parts.levels, parts.vals)?;
    pack(&unpack(&listed)?, &format, fill)
}
