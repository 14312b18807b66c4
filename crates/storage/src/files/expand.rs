//! The triangle that a symmetric file leaves out.

use super::field::Mirror;
use super::header::Symmetry;
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
    symmetry: Symmetry,
) -> Result<std::result::Result<(), NoMirror>> {
    match columns.coords.first().map(Buffer::dtype) {
        Some(DType::I32) => expand_as::<T, i32>(columns, symmetry),
        Some(_) => expand_as::<T, i64>(columns, symmetry),
        None => Ok(Ok(())),
    }
}

fn expand_as<T: Mirror, I: Coordinate + PartialEq>(
    columns: &mut Columns,
    symmetry: Symmetry,
) -> Result<std::result::Result<(), NoMirror>> {
    let n = columns.entries;
    let Columns { coords, vals, .. } = columns;
    let [rows, cols] = &mut coords[..] else {
        return Ok(Ok(()));
    };
    let off_diagonal: Vec<usize> = {
        let (r, c) = (typed::<I>(rows), typed::<I>(cols));
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
        let from = (part.start, &r[part.clone()], &c[part.clone()], &v[part]);
        let (r_part, c_part, v_part);
        (r_part, r_out) = r_out.split_at_mut(count);
        (c_part, c_out) = c_out.split_at_mut(count);
        (v_part, v_out) = v_out.split_at_mut(count);
        jobs.push((from, (r_part, c_part, v_part)));
    }
    let bad: Mutex<BTreeMap<usize, NoMirror>> = Mutex::default();
    parallel::each(jobs, |_, ((start, r, c, v), out)| {
        if let Some((e, why)) = mirror(symmetry, (r, c, v), out) {
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

/// Why an entry has no mirror image.
enum Missing {
    Diagonal,
    Value,
}

/// Writes the mirror image of every entry off the diagonal; the first entry that has none.
fn mirror<T: Mirror, I: Coordinate + PartialEq>(
    symmetry: Symmetry,
    (r, c, v): (&[I], &[I], &[T]),
    (r_out, c_out, v_out): (&mut [I], &mut [I], &mut [T]),
) -> Option<(usize, Missing)> {
    let mut slots = r_out.iter_mut().zip(c_out).zip(v_out);
    for (e, ((&row, &col), &value)) in r.iter().zip(c).zip(v).enumerate() {
        if row == col {
            // A Hermitian diagonal that is not real stays, as in SciPy: files have one (`cha.mtx` of CHOLMOD).
            if symmetry == Symmetry::Skew && value != T::ZERO {
                return Some((e, Missing::Diagonal));
            }
            continue;
        }
        let image = match symmetry {
            Symmetry::General | Symmetry::Symmetric => value,
            Symmetry::Hermitian => value.conjugate(),
            Symmetry::Skew => match value.negated() {
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

fn typed<I: Coordinate>(b: &Buffer) -> &[I] {
    b.as_slice().unwrap_or(&[])
}
