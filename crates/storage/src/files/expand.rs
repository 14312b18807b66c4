//! The triangle that a symmetric file leaves out.

use super::field::Mirror;
use super::header::HeaderSymmetry;
use super::line::Coordinate;
use super::lines::Columns;
use crate::buffer::Buffer;
use crate::parallel;
use openwork_algebra::DType;
use openwork_base::Result;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Entries handled by one thread at a time.
const BLOCK: usize = 1 << 15;

/// An entry of a skew-symmetric matrix that has no mirror image.
pub(super) enum NoMirror {
    /// The entry (0-based) is on the diagonal and not zero.
    Diagonal(usize),
    /// The negated value of the entry does not fit its type.
    Value(usize),
}

/// Appends the mirror image of every entry that is not on the diagonal.
///
/// # Errors
/// E0603 when the memory cannot be had. The inner result names an entry without a mirror image.
pub(super) fn expand<T: Mirror>(
    columns: &mut Columns,
    symmetry: HeaderSymmetry,
) -> Result<std::result::Result<(), NoMirror>> {
    match columns.coords.first().map(Buffer::dtype) {
        Some(DType::I32) => expand_as::<T, i32>(columns, symmetry),
        Some(_) => expand_as::<T, i64>(columns, symmetry),
        None => Ok(Ok(())),
    }
}

fn expand_as<T: Mirror, I: Coordinate + PartialEq>(
    columns: &mut Columns,
    symmetry: HeaderSymmetry,
) -> Result<std::result::Result<(), NoMirror>> {
    let n = columns.entries;
    let Columns { coords, vals, .. } = columns;
    let [rows, cols] = &mut coords[..] else {
        return Ok(Ok(()));
    };
    let off_diagonal: Vec<usize> = {
        let (r, c) = (as_coordinates::<I>(rows), as_coordinates::<I>(cols));
        parallel::answers(n.div_ceil(BLOCK), |b| {
            let part = parallel::block_of(b, BLOCK, n);
            r[part.clone()].iter().zip(&c[part]).filter(|(r, c)| r != c).count()
        })
    };
    let total = n + off_diagonal.iter().sum::<usize>();
    for b in [&mut *rows, &mut *cols, &mut *vals] {
        // The reader leaves room for both triangles, so this only grows arrays of other origin.
        if b.len() < total {
            b.try_resize(total)?;
        }
    }
    let (r, mut r_out) = rows.as_mut_slice::<I>().unwrap_or(&mut []).split_at_mut(n);
    let (c, mut c_out) = cols.as_mut_slice::<I>().unwrap_or(&mut []).split_at_mut(n);
    let (v, mut v_out) = vals.as_mut_slice::<T>().unwrap_or(&mut []).split_at_mut(n);
    let mut jobs = Vec::new();
    for (b, &count) in off_diagonal.iter().enumerate() {
        let part = parallel::block_of(b, BLOCK, n);
        let start = part.start;
        let from = Triples { rows: &r[part.clone()], cols: &c[part.clone()], vals: &v[part] };
        let (rows, cols, vals);
        (rows, r_out) = r_out.split_at_mut(count);
        (cols, c_out) = c_out.split_at_mut(count);
        (vals, v_out) = v_out.split_at_mut(count);
        jobs.push((start, from, Triples { rows, cols, vals }));
    }
    let bad: Mutex<BTreeMap<usize, NoMirror>> = Mutex::default();
    parallel::for_each_part(jobs, |_, (start, from, out)| {
        if let Some((e, why)) = mirror(symmetry, from, out) {
            let why = match why {
                Missing::Diagonal => NoMirror::Diagonal(start + e),
                Missing::Value => NoMirror::Value(start + e),
            };
            bad.lock().unwrap_or_else(PoisonError::into_inner).insert(start, why);
        }
    });
    columns.entries = total;
    let bad = bad.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(bad.into_values().next().map_or(Ok(()), Err))
}

/// Entries of a matrix: their rows, columns and values, side by side.
struct Triples<C, V> {
    rows: C,
    cols: C,
    vals: V,
}

/// Why an entry has no mirror image.
enum Missing {
    Diagonal,
    Value,
}

/// Writes the mirror image of every entry off the diagonal; the first entry that has none.
fn mirror<T: Mirror, I: Coordinate + PartialEq>(
    symmetry: HeaderSymmetry,
    from: Triples<&[I], &[T]>,
    out: Triples<&mut [I], &mut [T]>,
) -> Option<(usize, Missing)> {
    let mut slots = out.rows.iter_mut().zip(out.cols).zip(out.vals);
    for (e, ((&row, &col), &value)) in from.rows.iter().zip(from.cols).zip(from.vals).enumerate() {
        if row == col {
            // A Hermitian diagonal that is not real stays, as in SciPy: files have one (`cha.mtx` of CHOLMOD).
            if symmetry == HeaderSymmetry::Skew && value != T::ZERO {
                return Some((e, Missing::Diagonal));
            }
            continue;
        }
        let image = match symmetry {
            HeaderSymmetry::General | HeaderSymmetry::Symmetric => value,
            HeaderSymmetry::Hermitian => value.conjugate(),
            HeaderSymmetry::Skew => match value.negate() {
                Some(image) => image,
                None => return Some((e, Missing::Value)),
            },
        };
        if let Some(((row_slot, col_slot), value_slot)) = slots.next() {
            (*row_slot, *col_slot, *value_slot) = (col, row, image);
        }
    }
    None
}

fn as_coordinates<I: Coordinate>(b: &Buffer) -> &[I] {
    b.as_slice().unwrap_or(&[])
}
