//! How a kernel expects an operand to be stored.

use crate::error::OrRaise;
use crate::gate;
use crate::memory;
use crate::tensor::Tensor;
use openwork::{DType, Format, FormatExt};
use pyo3::prelude::*;

/// A format, whatever the widths of its index arrays, and a dtype.
#[pyclass(frozen, module = "openwork._core")]
pub(crate) struct Layout {
    format: Format,
    dtype: DType,
}

#[pymethods]
impl Layout {
    #[new]
    fn new(py: Python<'_>, text: &str, rank: usize, dtype: &str) -> PyResult<Layout> {
        gate::entry(|| {
            Ok(Layout { format: Format::parse(text, rank).or_raise(py)?, dtype: memory::dtype(py, dtype)? })
        })
    }
    /// Whether a tensor is stored like this.
    fn holds(&self, tensor: &Tensor) -> PyResult<bool> {
        gate::entry(|| {
            let tensor = tensor.get();
            Ok(tensor.dtype() == self.dtype && tensor.format().has_arrays_of(&self.format))
        })
    }
}
