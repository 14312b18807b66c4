//! The reader of MatrixMarket files.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real symmetric
//! % comments and blank lines, anywhere
//! 3 3 2
//! 1 1 2.5
//! 3 1 -1e-3
//! ```
//! `coordinate` lists 1-based entries; `array` lists all values of a column before the next. A symmetric,
//! skew-symmetric or Hermitian file holds the lower triangle, and both triangles are returned.

use super::ReadOptions;
use super::expand::{NoMirror, expand};
use super::fault::TextFault;
use super::header::{Arrangement, FieldName, HeaderObject, HeaderSymmetry, MtxHeader};
use super::line::{Coordinate, LineLayout, LineValues};
use super::lines::{self, Columns};
use super::narrow;
use super::text::TextFile;
use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::error::{INCOMPLETE, MALFORMED, OUT_OF_RANGE};
use openwork_algebra::{DType, DTypeKind};
use openwork_base::cancel::tick;
use openwork_base::{Diagnostic, Error, Result};

/// Reads a MatrixMarket file.
///
/// # Errors
/// E0701 for a malformed file; E0702 for a wrong number of entries; E0703 for coordinates out of range; E0706 for a
/// dtype the values do not cast to.
pub(super) fn read(text: &TextFile, options: &ReadOptions) -> Result<Coo> {
    let header = MtxHeader::read(text)?;
    let natural = dtype(text, &header)?;
    let stored = match (header.field, options.dtype) {
        // A pattern has no values of its own, so its ones can be of any dtype.
        (FieldName::Pattern, Some(wanted)) => wanted,
        (_, Some(wanted)) if !natural.casts_to(wanted) => return Err(cast_error(text, natural, wanted)),
        // Reading `f32` from the text rounds once instead of twice.
        (_, Some(wanted)) if wanted.is_float() && natural.is_float() => wanted,
        _ => natural,
    };
    let shape = shape(text, &header, options)?;
    let coo = entries(text, &header, options, shape, stored)?;
    match options.dtype {
        Some(wanted) => coo.cast(wanted),
        None => Ok(coo),
    }
}

/// The dtype of the values: by the field, unless a GraphBLAS comment states one.
fn dtype(text: &TextFile, header: &MtxHeader) -> Result<DType> {
    let natural = match header.field {
        FieldName::Real | FieldName::Pattern => DType::F64,
        FieldName::Integer => DType::I64,
        FieldName::Unsigned => DType::U64,
        FieldName::Complex => DType::C128,
    };
    let dtype = header.declared.unwrap_or(natural);
    let complex = header.field == FieldName::Complex;
    if header.field != FieldName::Pattern && dtype.is_complex() != complex {
        let message = format!(
            "the field of the header and the declared GraphBLAS type ({dtype}) contradict each other"
        );
        return Err(text.fault(TextFault::new(MALFORMED, 0, 1, message)));
    }
    if header.symmetry == HeaderSymmetry::Skew
        && matches!(dtype.kind(), DTypeKind::Unsigned | DTypeKind::Bool)
    {
        let message = format!("a skew-symmetric matrix has negative values, which {dtype} cannot hold");
        return Err(text.fault(TextFault::new(MALFORMED, 0, 1, message)));
    }
    Ok(dtype)
}

/// The shape asked for, which must hold the file's, or the file's.
fn shape(text: &TextFile, header: &MtxHeader, options: &ReadOptions) -> Result<Vec<usize>> {
    let rank = match header.object {
        HeaderObject::Matrix => 2,
        HeaderObject::Vector => 1,
    };
    let found = header.sizes[..rank].to_vec();
    let len = text.line(header.sizes_at, 1 << 10)?.1.len();
    let fault = |code, message: String| Err(text.fault(TextFault::new(code, header.sizes_at, len, message)));
    if header.symmetry != HeaderSymmetry::General && found[0] != found[rank - 1] {
        return fault(
            MALFORMED,
            format!("a symmetric matrix is square, not {} by {}", found[0], found[rank - 1]),
        );
    }
    match &options.dims {
        None => Ok(found),
        Some(dims) if dims.len() == rank && dims.iter().zip(&found).all(|(d, f)| d >= f) => Ok(dims.clone()),
        Some(dims) => fault(
            OUT_OF_RANGE,
            format!("the file's shape {found:?} does not fit the shape {dims:?} asked for"),
        ),
    }
}

fn entries(
    text: &TextFile,
    header: &MtxHeader,
    options: &ReadOptions,
    shape: Vec<usize>,
    dtype: DType,
) -> Result<Coo> {
    let progress = options.progress;
    let values = match header.field {
        FieldName::Pattern => LineValues::Ones,
        _ => LineValues::Given,
    };
    // The entries must lie in the file's own shape, whatever larger one is asked for.
    let dims = &header.sizes[..shape.len()];
    let mut columns = match header.layout {
        Arrangement::Coordinate => {
            let declared = Some(header.sizes[shape.len()]);
            let layout = LineLayout { dims, base: 1, comment: b'%', values, declared, progress };
            let spare = if header.symmetry == HeaderSymmetry::General { 1 } else { 2 };
            let columns = narrow::parse(text, header.body, &layout, spare, dtype)?;
            check_count(text, header, columns.entries, header.sizes[shape.len()])?;
            columns
        }
        Arrangement::Array => {
            let declared = Some(array_len(text, header, dims)?);
            let layout = LineLayout { dims: &[], base: 1, comment: b'%', values, declared, progress };
            let columns = narrow::parse(text, header.body, &layout, 1, dtype)?;
            check_count(text, header, columns.entries, array_len(text, header, dims)?)?;
            match Coo::coord_dtype(dims.iter().copied().max().unwrap_or(0)) {
                DType::I32 => place_values::<i32>(columns, dims, header.symmetry)?,
                _ => place_values::<i64>(columns, dims, header.symmetry)?,
            }
        }
    };
    if header.symmetry != HeaderSymmetry::General
        && let Err(bad) = dispatch!(dtype, T => expand::<T>(&mut columns, header.symmetry))?
    {
        let (e, message) = match bad {
            NoMirror::Diagonal(e) => (e, "the diagonal of a skew-symmetric matrix is zero".to_string()),
            NoMirror::Value(e) => (e, format!("the mirror image of this value does not fit {dtype}")),
        };
        let at = lines::entry_start(text, header.body, b'%', e)?;
        let len = text.line(at, 1 << 10)?.1.len();
        return Err(text.fault(TextFault::new(MALFORMED, at, len, message)));
    }
    let (coords, vals) = columns.into_parts();
    Coo::new(shape, coords, vals)
}

/// How many values an array file lists.
fn array_len(text: &TextFile, header: &MtxHeader, dims: &[usize]) -> Result<usize> {
    let n = dims[0] as u128;
    let len = match header.symmetry {
        HeaderSymmetry::General => dims.iter().map(|&d| d as u128).product(),
        HeaderSymmetry::Symmetric | HeaderSymmetry::Hermitian => n * (n + 1) / 2,
        HeaderSymmetry::Skew => n * n.saturating_sub(1) / 2,
    };
    usize::try_from(len)
        .map_err(|_| crate::error::too_large(format!("{}: an array of {len} values", text.path().display())))
}

/// Refuses a file with more or fewer entries than it declares.
fn check_count(text: &TextFile, header: &MtxHeader, found: usize, declared: usize) -> Result<()> {
    if found < declared {
        let message = format!("the file ends after {found} entries, but it declares {declared}");
        return Err(text.fault(TextFault::new(INCOMPLETE, text.len(), 0, message)));
    }
    if found > declared {
        let at = lines::entry_start(text, header.body, b'%', declared)?;
        let len = text.line(at, 1 << 10)?.1.len();
        let message = format!("entry {} of {found}, but the file declares {declared}", declared + 1);
        return Err(text.fault(TextFault::new(INCOMPLETE, at, len, message)));
    }
    Ok(())
}

/// Gives the values of an array their coordinates: column by column, only the stored triangle.
fn place_values<I: Coordinate>(
    columns: Columns,
    dims: &[usize],
    symmetry: HeaderSymmetry,
) -> Result<Columns> {
    let n = columns.entries;
    let mut coords: Vec<Buffer> = dims.iter().map(|_| Buffer::zeros(I::DTYPE, n)).collect::<Result<_>>()?;
    let index = |i: usize| I::try_from(i as u64).unwrap_or(I::ZERO);
    let mut slices: Vec<&mut [I]> = coords.iter_mut().filter_map(|c| c.as_mut_slice()).collect();
    let mut e = 0;
    for j in 0..dims.get(1).copied().unwrap_or(1) {
        let first = match symmetry {
            HeaderSymmetry::General => 0,
            HeaderSymmetry::Symmetric | HeaderSymmetry::Hermitian => j,
            HeaderSymmetry::Skew => j + 1,
        };
        for i in first..dims[0] {
            tick();
            for (slice, c) in slices.iter_mut().zip([i, j]) {
                slice[e] = index(c);
            }
            e += 1;
        }
        // A matrix without rows may declare any number of columns.
        if e == n && dims[0] == 0 {
            break;
        }
    }
    Ok(Columns { coords, extent: dims.to_vec(), ..columns })
}

/// E0706.
pub(super) fn cast_error(text: &TextFile, from: DType, to: DType) -> Error {
    let message = format!("{}: the values are {from}, which does not cast to {to}", text.path().display());
    Error::rejection(
        Diagnostic::new(crate::error::CAST, message).help("read the file as it is and convert it explicitly"),
    )
}
