//! `TryFrom` between tensors and the types of other crates, each behind a feature of the crate's name.
//!
//! What another crate owns is moved in where its arrays can be used as they are; a tensor of any format becomes a sparse
//! matrix of another crate, and a dense one an array. Nothing is written out densely that is sparse, nor the other way round.

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra-sparse")]
mod nalgebra_sparse;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "sprs")]
mod sprs;

use crate::element::Element;
use crate::error::invalid;
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_base::Result;
use openwork_format::Format;

/// The arrays of a matrix that stores rows, or columns.
#[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
struct RowArrays<T> {
    shape: [usize; 2],
    pos: Vec<usize>,
    crd: Vec<usize>,
    vals: Vec<T>,
}

/// A matrix in csr or csc.
///
/// # Errors
/// E0601 for other ranks and dtypes, and where values that are not stored are not zero.
#[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
fn arrays<T: Element>(t: &Tensor, format: &Format) -> Result<RowArrays<T>> {
    let &[rows, columns] = t.shape() else {
        return Err(invalid(format!("a matrix is wanted, and this is a tensor of {} modes", t.rank())));
    };
    expect_dtype::<T>(t)?;
    if t.fill().truthy() {
        return Err(invalid(format!(
            "values that are not stored are {}, and other crates take them for 0",
            t.fill()
        )));
    }
    let packed = pack(&unpack(t)?, format, t.fill())?;
    let level = &packed.level(1).arrays;
    let numbers = |n: usize| level[n].iter().map(|s| s.as_i64() as usize).collect();
    let vals = packed.vals().as_slice::<T>().unwrap_or(&[]).to_vec();
    Ok(RowArrays { shape: [rows, columns], pos: numbers(0), crd: numbers(1), vals })
}

/// Refuses a tensor of another dtype.
fn expect_dtype<T: Element>(t: &Tensor) -> Result<()> {
    match t.dtype() == T::DTYPE {
        true => Ok(()),
        false => {
            Err(invalid(format!("values of dtype {} are wanted, and these are {}", T::DTYPE, t.dtype())))
        }
    }
}
