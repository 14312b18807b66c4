//! How a kernel expects an operand to be stored.

use crate::error::OrRaise;
use crate::gate;
use crate::memory;
use crate::tensor::PyTensor;
use openwork::{DType, Format, FormatExt};
use pyo3::prelude::*;

/// A format, whatever the widths of its index arrays, and a dtype.
#[pyclass(frozen, module = "openwork._core", name = "Layout")]
pub(crate) struct FormatLayout {
    format: Format,
    dtype: DType,
}

#[pymethods]
impl FormatLayout {
    #[new]
    fn new(py: Python<'_>, text: &str, rank: usize, dtype: &str) -> PyResult<FormatLayout> {
        gate::entry(|| {
            Ok(FormatLayout {
                format: Format::parse(text, rank).or_raise(py)?,
                dtype: memory::dtype(py, dtype)?,
            })
        })
    }
    /// Whether a tensor is stored like this.
    fn holds(&self, tensor: &PyTensor) -> PyResult<bool> {
        gate::entry(|| {
            let tensor = tensor.get();
            Ok(tensor.dtype() == self.dtype && tensor.format().has_arrays_of(&self.format))
        })
    }
}
