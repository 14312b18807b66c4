//! `nalgebra-sparse`: matrices in both orders.

use super::{RowArrays, arrays};
use crate::element::Element;
use crate::error::invalid;
use crate::tensor::Tensor;
use nalgebra_sparse::{CscMatrix, CsrMatrix};
use openwork_base::{Error, Result};
use openwork_format::presets;

impl<T: Element> TryFrom<CsrMatrix<T>> for Tensor {
    type Error = Error;
    /// The matrix in csr; its arrays are moved.
    fn try_from(matrix: CsrMatrix<T>) -> Result<Tensor> {
        let shape = [matrix.nrows(), matrix.ncols()];
        let (pos, crd, vals) = matrix.disassemble();
        Tensor::from_csr(pos, crd, vals, shape)
    }
}

impl<T: Element> TryFrom<CscMatrix<T>> for Tensor {
    type Error = Error;
    /// The matrix in csc; its arrays are moved.
    fn try_from(matrix: CscMatrix<T>) -> Result<Tensor> {
        let shape = [matrix.nrows(), matrix.ncols()];
        let (pos, crd, vals) = matrix.disassemble();
        Tensor::from_csc(pos, crd, vals, shape)
    }
}

impl<T: Element> TryFrom<&Tensor> for CsrMatrix<T> {
    type Error = Error;
    fn try_from(t: &Tensor) -> Result<CsrMatrix<T>> {
        let RowArrays { shape: [rows, columns], pos, crd, vals } = arrays(t, &presets::csr())?;
        CsrMatrix::try_from_csr_data(rows, columns, pos, crd, vals).map_err(|e| invalid(e.to_string()))
    }
}

impl<T: Element> TryFrom<&Tensor> for CscMatrix<T> {
    type Error = Error;
    fn try_from(t: &Tensor) -> Result<CscMatrix<T>> {
        let RowArrays { shape: [rows, columns], pos, crd, vals } = arrays(t, &presets::csc())?;
        CscMatrix::try_from_csc_data(rows, columns, pos, crd, vals).map_err(|e| invalid(e.to_string()))
    }
}
