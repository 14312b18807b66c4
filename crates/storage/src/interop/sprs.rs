//! `sprs`: matrices in both orders, and sparse vectors.

use super::{RowArrays, arrays};
use crate::element::Element;
use crate::error::invalid;
use crate::given::Count;
use crate::tensor::Tensor;
use openwork_base::{Error, Result};
use openwork_format::presets;
use sprs::{CsMat, CsMatI, CsVecI, SpIndex};

impl<N, I, P> TryFrom<CsMatI<N, I, P>> for Tensor
where
    N: Element,
    I: SpIndex + Count,
    P: SpIndex + Count,
{
    type Error = Error;
    /// The matrix in csr or csc, as it is stored; its arrays are moved.
    fn try_from(matrix: CsMatI<N, I, P>) -> Result<Tensor> {
        let (shape, by_rows) = ([matrix.rows(), matrix.cols()], matrix.is_csr());
        let (pos, crd, vals) = matrix.into_raw_storage();
        if by_rows {
            Tensor::from_csr(pos, crd, vals, shape)
        } else {
            Tensor::from_csc(pos, crd, vals, shape)
        }
    }
}

impl<N: Element> TryFrom<&Tensor> for CsMat<N> {
    type Error = Error;
    /// The matrix by columns where the tensor is csc, by rows else.
    fn try_from(t: &Tensor) -> Result<CsMat<N>> {
        let by_columns = t.format().rows() == Some([1, 0]);
        let format = if by_columns { presets::csc() } else { presets::csr() };
        let RowArrays { shape: [rows, columns], pos, crd, vals } = arrays(t, &format)?;
        Ok(match by_columns {
            true => CsMat::new_csc((rows, columns), pos, crd, vals),
            false => CsMat::new((rows, columns), pos, crd, vals),
        })
    }
}

impl<N, I> TryFrom<CsVecI<N, I>> for Tensor
where
    N: Element,
    I: SpIndex + Count,
{
    type Error = Error;
    fn try_from(vector: CsVecI<N, I>) -> Result<Tensor> {
        let size = vector.dim();
        let (crd, vals) = vector.into_raw_storage();
        Tensor::from_coo(&[crd], &vals, &[size]).map_err(|e| invalid(e.message()))
    }
}
