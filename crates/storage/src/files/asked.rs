//! Requests of callers who read a file: a shape that holds the file's, and a dtype.

use super::ReadOptions;
use super::mtx::cast_error;
use super::text::TextFile;
use crate::coords::Coo;
use crate::error::OUT_OF_RANGE;
use openwork_base::{Diagnostic, Error, Result};

/// The entries of a file in the shape and dtype that were asked for.
///
/// # Errors
/// E0703 for coordinates outside of the shape, and for a shape that does not hold the file's; E0706.
pub(super) fn apply_options(text: &TextFile, coo: Coo, options: &ReadOptions) -> Result<Coo> {
    let fault = |message: String| {
        Error::rejection(Diagnostic::new(OUT_OF_RANGE, format!("{}: {message}", text.path().display())))
    };
    coo.check_range().map_err(|e| fault(e.message().to_string()))?;
    let coo = match &options.dims {
        None => coo,
        Some(dims) if dims.len() == coo.rank() && dims.iter().zip(coo.shape()).all(|(d, f)| d >= f) => {
            let (_, coords, vals) = coo.into_parts();
            Coo::new(dims.clone(), coords, vals)?
        }
        Some(dims) => {
            let shape = coo.shape();
            return Err(fault(format!(
                "the file's shape {shape:?} does not fit the shape {dims:?} asked for"
            )));
        }
    };
    match options.dtype {
        Some(wanted) if !coo.dtype().casts_to(wanted) => Err(cast_error(text, coo.dtype(), wanted)),
        Some(wanted) => coo.cast(wanted),
        None => Ok(coo),
    }
}
