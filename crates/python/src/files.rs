//! Files, and the structure of matrices.

use crate::gate;
use crate::memory;
use crate::tensor::PyTensor;
use openwork::recommend::{FormatCandidate, candidates, for_entries, smallest};
use openwork::{Coo, Format, FormatExt, Scalar, presets};
use openwork_base::SlotCount;
use openwork_storage::files::{self, ReadOptions, WriteOptions};
use openwork_storage::structure::{Elements, Structure};
use openwork_storage::{pack, unpack};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that lists every coordinate is dense; others are sparse.
fn default_format(coo: &Coo) -> Format {
    match SlotCount::product(coo.shape()).count() == Some(coo.len()) {
        true => presets::dense(coo.rank()),
        false => for_entries(coo),
    }
}

/// How far the reading or writing of a file is, for whoever looks from another thread. Work calls nobody, so that it never
/// waits for the interpreter.
#[pyclass(frozen, module = "openwork._core", name = "Watch")]
#[derive(Default)]
pub(crate) struct PyWatch {
    seen: Arc<(AtomicU64, AtomicU64)>,
}

#[pymethods]
impl PyWatch {
    #[new]
    fn new() -> PyResult<PyWatch> {
        gate::entry(|| Ok(PyWatch::default()))
    }
    /// How much is done, and how much there is to do; nothing before it begins.
    fn seen(&self) -> PyResult<(u64, u64)> {
        gate::entry(|| Ok((self.seen.0.load(Ordering::Relaxed), self.seen.1.load(Ordering::Relaxed))))
    }
}

impl PyWatch {
    /// What notes how far work is. Tasks report in any order.
    fn make_observer(watch: Option<&PyWatch>) -> impl Fn(u64, u64) + Sync + Send + 'static {
        let seen = watch.map(|w| w.seen.clone());
        move |done, all| {
            if let Some(seen) = &seen {
                seen.0.fetch_max(done, Ordering::Relaxed);
                seen.1.store(all, Ordering::Relaxed);
            }
        }
    }
}

/// Reads a file in any format that the compiler knows.
#[pyfunction]
#[pyo3(signature = (path, format, dtype, shape, from_zero = false, watch = None))]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    dtype: Option<&str>,
    shape: Option<Vec<usize>>,
    from_zero: bool,
    watch: Option<&PyWatch>,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let dtype = dtype.map(|name| memory::dtype(py, name)).transpose()?;
        let (format, note) = (format.map(str::to_string), PyWatch::make_observer(watch));
        gate::run(py, move || {
            let options = ReadOptions { dims: shape, dtype, from_zero, progress: Some(&note) };
            let coo = files::read_with(path, &options)?;
            let format = match format {
                Some(text) => Format::parse(&text, coo.rank())?,
                None => default_format(&coo),
            };
            let fill = format.fill_value(coo.dtype()).unwrap_or(Scalar::zero(coo.dtype()));
            pack(&coo, &format, fill)
        })
        .map(PyTensor::new)
    })
}

/// Writes a file; its extension says in which format.
#[pyfunction]
#[pyo3(signature = (path, tensor, watch = None))]
pub(crate) fn save(
    py: Python<'_>,
    path: PathBuf,
    tensor: &PyTensor,
    watch: Option<&PyWatch>,
) -> PyResult<()> {
    gate::entry(|| {
        let (t, note) = (tensor.get(), PyWatch::make_observer(watch));
        gate::run(py, move || files::write_with(path, &t, &WriteOptions { progress: Some(&note) }))
    })
}

/// The structure of a matrix, and the formats that suit it, the fastest first.
#[pyfunction]
pub(crate) fn structure<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyDict>> {
    gate::entry(|| {
        let t = tensor.get();
        let dtype = t.dtype();
        let s = gate::run(py, move || Ok(Structure::measure(&Elements::from_coo(&unpack(&t)?)?)))?;
        let all = candidates(&s, dtype);
        let named = |c: Option<&FormatCandidate>| c.map(|c| c.format.to_string());
        let out = PyDict::new(py);
        out.set_item("nnz", s.nnz)?;
        out.set_item("symmetric", s.symmetry.as_ref().is_some_and(|m| m.value))?;
        out.set_item("pattern_symmetric", s.symmetry.as_ref().is_some_and(|m| m.pattern))?;
        out.set_item("per_row", (s.per_row.min, s.per_row.mean, s.per_row.max))?;
        out.set_item("empty_rows", s.empty_rows)?;
        out.set_item("empty_columns", s.empty_columns)?;
        out.set_item("diagonals", s.diagonals.count)?;
        out.set_item("bandwidth", (s.band.0.max(0), s.band.1.max(0)))?;
        out.set_item("recommended", named(all.first()))?;
        out.set_item("smallest", named(smallest(&all)))?;
        let line = |c: &FormatCandidate| (c.format.to_string(), c.bytes, c.nanos / 1e3, c.reason.clone());
        out.set_item("candidates", all.iter().map(line).collect::<Vec<_>>())?;
        Ok(out)
    })
}
