//! The triangle that a symmetric file leaves out.

use super::field::Mirror;
use super::header::Symmetry;
use super::line::Coordinate;
use super::lines::Columns;
use crate::buffer::Buffer;
use openwork_algebra::DType;
use openwork_base::Result;
use rayon::prelude::*;

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
        let pairs = r[..n].par_chunks(BLOCK).zip(c[..n].par_chunks(BLOCK));
        pairs.map(|(r, c)| r.iter().zip(c).filter(|(r, c)| r != c).count()).collect()
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
        let part = b * BLOCK..n.min((b + 1) * BLOCK);
        let from = (part.start, &r[part.clone()], &c[part.clone()], &v[part]);
        let (r_part, c_part, v_part);
        (r_part, r_out) = r_out.split_at_mut(count);
        (c_part, c_out) = c_out.split_at_mut(count);
        (v_part, v_out) = v_out.split_at_mut(count);
        jobs.push((from, (r_part, c_part, v_part)));
    }
    let bad = jobs.into_par_iter().find_map_first(|((start, r, c, v), (r_out, c_out, v_out))| {
        let mut slots = r_out.iter_mut().zip(c_out).zip(v_out);
        for (e, ((&row, &col), &value)) in r.iter().zip(c).zip(v).enumerate() {
            if row == col {
                if symmetry == Symmetry::Skew && value != T::ZERO {
                    return Some(NoMirror::Diagonal(start + e));
                }
                continue;
            }
            let image = match symmetry {
                Symmetry::General | Symmetry::Symmetric => value,
                Symmetry::Hermitian => value.conjugate(),
                Symmetry::Skew => match value.negated() {
                    Some(image) => image,
                    None => return Some(NoMirror::Value(start + e)),
                },
            };
            if let Some(((row_slot, col_slot), value_slot)) = slots.next() {
                (*row_slot, *col_slot, *value_slot) = (col, row, image);
            }
        }
        None
    });
    columns.entries = total;
    Ok(bad.map_or(Ok(()), Err))
}

fn typed<I: Coordinate>(b: &Buffer) -> &[I] {
    b.as_slice().unwrap_or(&[])
}
