//! What a format is, whatever it is called.

use crate::gate;
use openwork::{Format, FormatExt};
use pyo3::prelude::*;

/// What the package asks of a format before it looks at the arrays themselves.
#[pyclass(frozen, module = "openwork._core", name = "Facts")]
pub(crate) struct PyFacts {
    format: Format,
}

impl PyFacts {
    pub(crate) fn new(format: Format) -> PyFacts {
        PyFacts { format }
    }
}

#[pymethods]
impl PyFacts {
    /// The mode of the rows, where the format is compressed rows.
    #[getter]
    fn rows(&self) -> PyResult<Option<usize>> {
        gate::entry(|| Ok(self.format.rows().map(|[outer, _]| outer)))
    }
    /// Whether the format is an array of coordinates for each mode, row by row.
    #[getter]
    fn listed(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.is_list() && self.format.modes.is_sorted()))
    }
    /// The mode within whose rows elements lie, where every level lists coordinates under each of those above it.
    #[getter]
    fn along(&self) -> PyResult<Option<usize>> {
        gate::entry(|| {
            let fibres = self.format.is_plain() && self.format.levels.iter().all(|l| l.is_plain_list());
            Ok(self.format.modes.last().copied().filter(|_| fibres))
        })
    }
    /// Whether the modes are stored in their order.
    #[getter]
    fn in_order(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.modes.is_sorted()))
    }
    /// Whether modes are stored as they are, with a value for each element and no others.
    #[getter]
    fn elements(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.is_plain() && self.format.has_elements_only()))
    }
    /// Whether coordinates are stored one by one, so that elements may be anywhere.
    #[getter]
    fn anywhere(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.holds_anywhere()))
    }
    /// Whether any part of a tensor can be stored so, and little beside it.
    #[getter]
    fn parts(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.holds_parts()))
    }
    /// Whether elements are appended row by row, without a position for every coordinate of a mode.
    #[getter]
    fn appended(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.is_appended_by_rows()))
    }
    /// Whether elements are listed in another order than row by row.
    #[getter]
    fn scattered(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.format.is_scattered()))
    }
    /// The rows and columns of a block, where the format is compressed rows of blocks.
    #[getter]
    fn blocks(&self) -> PyResult<Option<(u64, u64)>> {
        gate::entry(|| Ok(self.format.blocked_rows().map(|[m, n]| (m, n))))
    }
}

/// The facts of a format as people write it, for so many modes; none where there is no such format.
#[pyfunction]
pub(crate) fn facts(text: &str, rank: usize) -> PyResult<Option<PyFacts>> {
    gate::entry(|| Ok(Format::parse(text, rank).ok().map(PyFacts::new)))
}
