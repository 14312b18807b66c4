//! `faer`: dense matrices, and sparse ones by columns.

use super::{RowArrays, arrays, expect_dtype};
use crate::buffer::Buffer;
use crate::element::Element;
use crate::error::invalid;
use crate::given::Count;
use crate::tensor::Tensor;
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Index, Mat};
use openwork_base::{Error, Result};
use openwork_format::presets;

impl<T: Element> TryFrom<&Mat<T>> for Tensor {
    type Error = Error;
    /// The dense matrix, by rows.
    fn try_from(matrix: &Mat<T>) -> Result<Tensor> {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        let items = (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)]));
        Tensor::dense(&[rows, columns], Buffer::adopt_vec(items.collect()))
    }
}

impl<T: Element> TryFrom<&Tensor> for Mat<T> {
    type Error = Error;
    /// A copy of a dense matrix.
    fn try_from(t: &Tensor) -> Result<Mat<T>> {
        expect_dtype::<T>(t)?;
        let (true, &[rows, columns], Some(items)) =
            (t.format().is_dense(), t.shape(), t.vals().as_slice::<T>())
        else {
            return Err(invalid(format!("a dense matrix is wanted, and this is {}", t.format())));
        };
        let by_rows = t.format().modes.is_sorted();
        Ok(Mat::from_fn(rows, columns, |i, j| items[if by_rows { i * columns + j } else { j * rows + i }]))
    }
}

impl<I: Index + Count, T: Element> TryFrom<&SparseColMat<I, T>> for Tensor {
    type Error = Error;
    /// The matrix in csc.
    fn try_from(matrix: &SparseColMat<I, T>) -> Result<Tensor> {
        let (mut pos, mut crd, mut vals) = (vec![0i64], Vec::new(), Vec::new());
        for j in 0..matrix.ncols() {
            crd.extend(matrix.symbolic().row_idx_of_col_raw(j).iter().copied());
            vals.extend(matrix.val_of_col(j).iter().copied());
            pos.push(crd.len() as i64);
        }
        Tensor::from_csc(pos, crd, vals, [matrix.nrows(), matrix.ncols()])
    }
}

impl<T: Element> TryFrom<&Tensor> for SparseColMat<usize, T> {
    type Error = Error;
    fn try_from(t: &Tensor) -> Result<SparseColMat<usize, T>> {
        let RowArrays { shape: [rows, columns], pos, crd, vals } = arrays(t, &presets::csc())?;
        let symbolic = SymbolicSparseColMat::new_checked(rows, columns, pos, None, crd);
        Ok(SparseColMat::new(symbolic, vals))
    }
}
