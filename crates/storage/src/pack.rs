//! Packing, from coordinates into a format.
//!
//! Duplicates are summed, stored coordinates computed, and entries sorted by them. Then the levels are built from the
//! outermost in: each one groups the entries that share a child, writes its arrays, and hands every entry on to that
//! child.

use crate::buffer::Buffer;
use crate::build::Build;
use crate::check;
use crate::coords::Coo;
use crate::error::invalid;
use crate::index::IndexArray;
use crate::levels::storage;
use crate::proof::Maker;
use crate::rearrange;
use crate::rows;
use crate::sort;
use crate::stored;
use crate::symmetric;
use crate::tensor::{LevelArrays, Tensor, TensorParts};
use crate::unpack::unpack;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, stoppable};
use openwork_format::{Format, Props, presets};
use std::cmp::Ordering;

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
    stoppable(|| pack_entries(coo, format, fill))
}

fn pack_entries(coo: &Coo, format: &Format, fill: Scalar) -> Result<Tensor> {
    accept(coo, format)?;
    let fill = fill.cast(coo.dtype());
    let format = format.resolve(coo.shape());
    let lower = if format.symmetric { Some(symmetric::lower(coo, fill)?) } else { None };
    let coo = lower.as_ref().unwrap_or(coo);
    if let Some((levels, vals)) = rows::pack_rows(coo, &format)? {
        return finish(coo.shape(), format, fill, levels, vals);
    }
    if let Some((levels, vals)) = by_rows(coo, &format, fill)? {
        return finish(coo.shape(), format, fill, levels, vals);
    }
    let sorted = stored::sort_entries(coo, &format, fill)?;
    if format.depth() == 0 {
        let value = if sorted.vals.is_empty() { fill } else { sorted.vals.get(0) };
        return finish(coo.shape(), format, fill, Vec::new(), Buffer::repeat(value, 1)?);
    }
    let (levels, vals) = build_levels(coo, &format, sorted, fill)?.finish()?;
    finish(coo.shape(), format, fill, levels, vals)
}

/// Entries in no order as a list, by way of compressed rows: to count rows and sort each takes half as long as to sort all.
fn by_rows(coo: &Coo, format: &Format, fill: Scalar) -> Result<Option<(Vec<LevelArrays>, Buffer)>> {
    let Some(modes) = rearrange::list_of(format) else { return Ok(None) };
    let order = modes.map(|m| IndexArray::from_buffer(coo.coords(m)));
    let [Some(outer), Some(inner)] = order else { return Ok(None) };
    if sort::sortedness(&[outer, inner], coo.len()) != Ordering::Greater {
        return Ok(None);
    }
    let widths = Format { pos: format.pos, crd: format.crd, fill: format.fill.clone(), ..presets::csr() };
    let rows = widths.with_modes(modes.to_vec()).resolve(coo.shape());
    match rows::pack_rows(coo, &rows)? {
        Some((levels, vals)) => {
            rearrange::build_arrays(&finish(coo.shape(), rows, fill, levels, vals)?, format, fill)
        }
        None => Ok(None),
    }
}

/// Stores the entries of `t` in `format`: what [`pack`] makes of what [`unpack`] gives, without the way through coordinates
/// where there is a shorter one.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, pack, repack, unpack};
/// let entries = [(vec![1, 0], Scalar::F64(2.0)), (vec![2, 3], Scalar::F64(3.0))];
/// let (zero, blocks) = (Scalar::F64(0.0), presets::bcsr(2, 2));
/// let a = pack(&Coo::from_entries(&[4, 4], DType::F64, &entries)?, &presets::csr(), zero)?;
/// assert_eq!(repack(&a, &blocks, zero)?, pack(&unpack(&a)?, &blocks, zero)?);
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// As [`pack`].
pub fn repack(t: &Tensor, format: &Format, fill: Scalar) -> Result<Tensor> {
    stoppable(|| match try_rearrange(t, format, fill)? {
        Some(made) => Ok(made),
        None => pack_entries(&unpack(t)?, format, fill),
    })
}

/// As [`repack`], where that takes no way through coordinates; nothing elsewhere.
///
/// # Errors
/// As [`pack`].
pub fn try_rearrange(t: &Tensor, format: &Format, fill: Scalar) -> Result<Option<Tensor>> {
    stoppable(|| {
        if format.rank() != t.rank() {
            return Ok(None);
        }
        check::check_places(t.shape(), format)?;
        let (format, fill) = (format.resolve(t.shape()), fill.cast(t.dtype()));
        match rearrange::build_arrays(t, &format, fill)? {
            Some((levels, vals)) => finish(t.shape(), format, fill, levels, vals).map(Some),
            None => Ok(None),
        }
    })
}

/// The size of the tensor that [`pack`] would make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The number of stored values, padding included.
    pub values: u128,
    /// Bytes of all arrays together.
    pub bytes: u128,
}

/// How large the tensor would be that [`pack`] makes of the same arguments: exact, and without its values, which take
/// most where a format pads.
///
/// # Errors
/// As [`pack`], except that values beyond the memory limit are no error.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, footprint};
/// let entries = [(vec![0, 0], Scalar::F64(2.0)), (vec![1 << 40, 1], Scalar::F64(3.0))];
/// let coo = Coo::from_entries(&[1 << 41, 2], DType::F64, &entries)?;
/// assert_eq!(footprint(&coo, &presets::dense(2), Scalar::F64(0.0))?.bytes, 8 << 42);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn footprint(coo: &Coo, format: &Format, fill: Scalar) -> Result<Footprint> {
    stoppable(|| measure_footprint(coo, format, fill))
}

fn measure_footprint(coo: &Coo, format: &Format, fill: Scalar) -> Result<Footprint> {
    accept(coo, format)?;
    let fill = fill.cast(coo.dtype());
    let format = format.resolve(coo.shape());
    let size = coo.dtype().size() as u128;
    if format.depth() == 0 {
        return Ok(Footprint { values: 1, bytes: size });
    }
    let sorted = stored::sort_entries(coo, &format, fill)?;
    let build = build_levels(coo, &format, sorted, fill)?;
    let values = build.parents() as u128;
    Ok(Footprint { values, bytes: build.index_bytes() + values * size })
}

fn accept(coo: &Coo, format: &Format) -> Result<()> {
    if format.rank() != coo.rank() {
        return Err(invalid(format!("a format of {} modes for {} modes", format.rank(), coo.rank())));
    }
    coo.check_range()?;
    check::check_places(coo.shape(), format)
}
/// The index arrays of every level.
fn build_levels<'a>(
    coo: &'a Coo,
    format: &'a Format,
    sorted: stored::Sorted<'a>,
    fill: Scalar,
) -> Result<Build<'a>> {
    let mut build = Build::new(format, coo.shape(), sorted.coords, sorted.vals, fill)?;
    for level in &format.levels {
        Cancel::check()?;
        let packed = storage(*level)?.pack(&build)?;
        build.advance(packed)?;
    }
    Ok(build)
}

/// Wraps the built arrays.
pub(crate) fn finish(
    shape: &[usize],
    format: Format,
    fill: Scalar,
    levels: Vec<LevelArrays>,
    vals: Buffer,
) -> Result<Tensor> {
    let promises = format.levels.iter().any(|l| l.full() && !l.spec.props.has(Props::FULL));
    let parts = TensorParts { shape: shape.to_vec(), format, fill, levels, vals };
    // SAFETY: the coordinates were checked against the shape, sorted and freed of duplicates above, or are those of a
    // tensor; every level has its arrays from them for exactly the parents of the level before, in the widths of the format.
    unsafe { parts.made_by(Maker::Packing) }.map_err(|e| match e.diagnostic().filter(|_| promises) {
        Some(d) => crate::error::unfit(d.message.clone(), "do not declare the level full"),
        None => e,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use openwork_algebra::DType;
    use std::collections::BTreeMap;

    #[test]
    fn lists_of_entries_in_no_order_are_sorted_and_added_up() {
        let sizes = [(1, 9, 40), (300, 70, 2000), (40_000, 50_000, 90_000), (70, 4_000_000_000, 900)];
        for (n, (rows, columns, count)) in sizes.into_iter().enumerate() {
            let dtype = [DType::I64, DType::I8, DType::F64, DType::Bool][n];
            let mut random = Random::new(7);
            let entry = |e: usize| {
                let at = vec![random.number_below(rows) as usize, random.number_below(columns) as usize];
                (at, Scalar::F64((e % 50) as f64).cast(dtype))
            };
            let entries: Vec<(Vec<usize>, Scalar)> = (0..count).map(entry).collect();
            let shape = [rows as usize, columns as usize];
            let coo = Coo::from_entries(&shape, dtype, &entries).unwrap();
            for modes in [[0, 1], [1, 0]] {
                let list = presets::coo(2).with_modes(modes.to_vec());
                let made = pack(&coo, &list, Scalar::zero(dtype)).unwrap();
                let mut wanted: BTreeMap<[usize; 2], Scalar> = BTreeMap::new();
                for (at, value) in &entries {
                    let held = wanted.entry(modes.map(|m| at[m])).or_insert(Scalar::zero(dtype));
                    *held = match dtype {
                        DType::Bool => Scalar::Bool(held.as_i64() + value.as_i64() != 0),
                        DType::F64 => Scalar::F64(held.as_f64() + value.as_f64()),
                        _ => Scalar::I64(held.as_i64() + value.as_i64()).cast(dtype),
                    };
                }
                assert_eq!(made.nnz(), wanted.len());
                let (outer, inner) = (&made.level(0).arrays[1], &made.level(1).arrays[0]);
                for (e, (at, value)) in wanted.into_iter().enumerate() {
                    let found = [outer.get(e), inner.get(e)].map(|c| c.as_i64() as usize);
                    assert!(found == at && made.vals().get(e).is_same(value), "{shape:?} {modes:?} {at:?}");
                }
                let p = made.into_parts();
                Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
            }
        }
    }
}
