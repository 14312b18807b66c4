//! Short constructors for the types of lower crates.

use openwork_algebra::{DType, Scalar};
use openwork_base::{Result, Source};
use openwork_format::{Catalog, Format};
use openwork_storage::{Buffer, Coo, Element, Tensor, pack, repack};

/// Text constructors of [`Format`].
pub trait FormatExt: Sized {
    /// Reads format text for a tensor of `rank` modes: a preset, TACO letters or the full form.
    ///
    /// # Errors
    /// `E0301` to `E0305` of [`Catalog::parse`].
    fn parse(text: &str, rank: usize) -> Result<Self>;
}

impl FormatExt for Format {
    fn parse(text: &str, rank: usize) -> Result<Format> {
        Catalog::default().parse(&Source::new("format", text), rank)
    }
}

/// Short constructors and conversions of [`Tensor`].
pub trait TensorExt: Sized {
    /// A dense tensor, last mode fastest.
    ///
    /// # Errors
    /// `E0601` when the number of values is not the product of `shape`.
    fn from_vec<T: Element>(shape: &[usize], values: Vec<T>) -> Result<Self>
    where
        Buffer: From<Vec<T>>;
    /// A tensor from unordered entries; duplicates add up. The dtype is that of the first value (`f64` without any).
    ///
    /// # Errors
    /// `E0601` for coordinates outside `shape` or mixed dtypes, `E0602` to `E0604` of [`pack()`].
    fn pack(shape: &[usize], entries: &[(Vec<usize>, Scalar)], format: &Format) -> Result<Self>;
    /// The same tensor in another format; the fill value stays unless the format names one.
    ///
    /// # Errors
    /// `E0602` to `E0604` of [`pack()`].
    fn to_format(&self, format: &Format) -> Result<Self>;
}

impl TensorExt for Tensor {
    fn from_vec<T: Element>(shape: &[usize], values: Vec<T>) -> Result<Tensor>
    where
        Buffer: From<Vec<T>>,
    {
        Tensor::dense(shape, Buffer::from(values))
    }
    fn pack(shape: &[usize], entries: &[(Vec<usize>, Scalar)], format: &Format) -> Result<Tensor> {
        let dtype = entries.first().map_or(DType::F64, |(_, v)| v.dtype());
        let fill = format.fill_value(dtype).unwrap_or(Scalar::zero(dtype));
        pack(&Coo::from_entries(shape, dtype, entries)?, format, fill)
    }
    fn to_format(&self, format: &Format) -> Result<Tensor> {
        let fill = match &format.fill {
            Some(_) => format.fill_value(self.dtype()).unwrap_or(self.fill()),
            None => self.fill(),
        };
        // No coordinate of a full tensor has its own fill value, so slots are empty that hold the new one.
        let format = format.clone().with_fill(fill.to_string());
        if self.format().is_full() && !fill.is_same(self.fill()) {
            let p = self.clone().into_parts();
            let full = p.format.with_fill(fill.to_string());
            return repack(&Tensor::new_checked(p.shape, full, fill, p.levels, p.vals)?, &format, fill);
        }
        repack(self, &format, fill)
    }
}
