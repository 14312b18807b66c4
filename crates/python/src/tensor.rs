//! A tensor, its parts, and what it is made from.

use crate::error::{OrRaise, rejection, to_exception};
use crate::facts::PyFacts;
use crate::gate;
use crate::memory::{self, Foreign, MemoryOrder, PyMemory};
use crate::session::session;
use openwork::presets;
use openwork::{Buffer, Complex, Coo, DType, Format, FormatExt, Scalar};
use openwork_storage::{LevelArrays, pack, unpack};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A tensor of the compiler. It does not change, except where a kernel is told to use its memory for a new result.
#[pyclass(frozen, module = "openwork._core", name = "Tensor")]
pub(crate) struct PyTensor {
    held: Mutex<Arc<openwork::Tensor>>,
    /// How often another tensor took the place of what was held.
    version: AtomicU64,
}

impl PyTensor {
    pub(crate) fn new(tensor: openwork::Tensor) -> PyTensor {
        PyTensor::from_shared(Arc::new(tensor))
    }
    /// A tensor that something else reads as well.
    pub(crate) fn from_shared(tensor: Arc<openwork::Tensor>) -> PyTensor {
        PyTensor { held: Mutex::new(tensor), version: AtomicU64::new(0) }
    }
    pub(crate) fn get(&self) -> Arc<openwork::Tensor> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    /// Puts another tensor in place of this one, and gives this one out.
    pub(crate) fn replace(&self, tensor: openwork::Tensor) -> Arc<openwork::Tensor> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.version.fetch_add(1, Ordering::Relaxed);
        std::mem::replace(&mut held, Arc::new(tensor))
    }
    /// Gives the tensor out if nothing else reads it, and is a zero from then on.
    pub(crate) fn take(&self) -> Option<openwork::Tensor> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let tensor = Arc::get_mut(&mut held)?;
        let nothing = openwork::Tensor::scalar(Scalar::zero(tensor.dtype()));
        self.version.fetch_add(1, Ordering::Relaxed);
        Some(std::mem::replace(tensor, nothing))
    }
}

/// A format without what its arrays add to it.
pub(crate) fn plain(format: &Format) -> String {
    Format { pos: None, crd: None, fill: None, ..format.clone() }.to_string()
}

/// Reads a number as a value of a dtype, unchanged.
pub(crate) fn scalar(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Scalar> {
    let wide = if let Ok(b) = value.cast::<PyBool>() {
        Scalar::Bool(b.is_true())
    } else if value.cast::<PyInt>().is_ok() {
        match value.extract::<i64>() {
            Ok(n) => Scalar::I64(n),
            Err(_) => Scalar::U64(value.extract()?),
        }
    } else if let Ok(f) = value.cast::<PyFloat>() {
        Scalar::F64(f.value())
    } else {
        let z = value.cast::<PyComplex>()?;
        Scalar::C128(Complex { re: z.real(), im: z.imag() })
    };
    let cast = wide.cast(dtype);
    // Rounding to a narrower float is no change; another number, or a lost imaginary part, is one.
    let kept = cast.cast(wide.dtype()).is_same(wide) || dtype.is_inexact() && kinds(wide, dtype);
    if kept {
        return Ok(cast);
    }
    let name = memory::numpy_name(dtype);
    Err(rejection(
        value.py(),
        "E0207",
        format!("{wide} is no value of the dtype {name}"),
        "give another dtype",
    ))
}
fn kinds(value: Scalar, dtype: DType) -> bool {
    !value.dtype().is_complex() || dtype.is_complex()
}

/// A value as Python's number.
pub(crate) fn number(py: Python<'_>, value: Scalar) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Scalar::Bool(b) => b.into_pyobject(py)?.to_owned().into_any(),
        Scalar::U64(n) => n.into_pyobject(py)?.into_any(),
        s if s.dtype().is_int() => s.as_i64().into_pyobject(py)?.into_any(),
        s if s.dtype().is_float() => s.as_f64().into_pyobject(py)?.into_any(),
        s => PyComplex::from_doubles(py, s.as_complex().re, s.as_complex().im).into_any(),
    })
}

#[pymethods]
impl PyTensor {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        gate::entry(|| Ok(pyo3::types::PyTuple::new(py, self.get().shape())?.into_any()))
    }
    #[getter]
    fn ndim(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.get().rank()))
    }
    #[getter]
    fn dtype(&self) -> PyResult<&'static str> {
        gate::entry(|| Ok(memory::numpy_name(self.get().dtype())))
    }
    /// The format as people write it.
    #[getter]
    fn format(&self) -> PyResult<String> {
        gate::entry(|| Ok(plain(self.get().format())))
    }
    /// The format with its index widths, for storage.
    #[getter]
    fn layout(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.get().format().to_string()))
    }
    /// What the format is.
    #[getter]
    fn facts(&self) -> PyResult<PyFacts> {
        gate::entry(|| Ok(PyFacts::new(self.get().format().clone())))
    }
    /// Whether every coordinate has a value of its own.
    #[getter]
    fn full(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.get().format().is_full()))
    }
    /// Whether values may be stored that nobody gave, as in blocks, diagonals and runs, so that they cannot be told from
    /// elements.
    #[getter]
    fn padded(&self) -> PyResult<bool> {
        gate::entry(|| {
            let tensor = self.get();
            let format = tensor.format();
            let runs = format.levels.iter().any(|l| l.shares_positions());
            Ok(format.symmetric || format.has_padding() || runs)
        })
    }
    /// Whether a result that stores what this tensor does is stored like it, where nobody says how.
    #[getter]
    fn lends(&self) -> PyResult<bool> {
        gate::entry(|| Ok(openwork_index::plan::lends_itself(self.get().format())))
    }
    /// Whether the values are one rectangular array.
    #[getter]
    fn dense(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.get().format().is_dense()))
    }
    /// Changes when another tensor takes the place of this one.
    #[getter]
    fn version(&self) -> PyResult<u64> {
        gate::entry(|| Ok(self.version.load(Ordering::Relaxed)))
    }
    /// Whether the values are somebody else's, who may write to them.
    #[getter]
    fn foreign(&self) -> PyResult<bool> {
        gate::entry(|| Ok(self.get().vals().may_change()))
    }
    /// The tensor with another fill value, over the same index arrays; over the same values where they have the dtype.
    fn refilled(&self, py: Python<'_>, fill: &Bound<'_, PyAny>, dtype: &str) -> PyResult<PyTensor> {
        gate::entry(|| {
            let (t, dtype) = (self.get(), memory::dtype(py, dtype)?);
            let fill = scalar(fill, dtype)?;
            gate::run(py, move || match t.dtype() == dtype {
                true => t.change_fill(fill),
                false => t.with_values(t.vals().cast(dtype)?, fill),
            })
            .map(PyTensor::new)
        })
    }
    #[getter]
    fn fill<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        gate::entry(|| number(py, self.get().fill()))
    }
    /// The same tensor, for an array of its own: what takes the place of one does not take that of the other.
    fn share(&self) -> PyResult<PyTensor> {
        gate::entry(|| Ok(PyTensor::from_shared(self.get())))
    }
    #[getter]
    fn nnz(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.get().nnz()))
    }
    #[getter]
    fn nbytes(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.get().bytes()))
    }
    /// The only value of a tensor without modes.
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        gate::entry(|| {
            let t = self.get();
            number(py, t.get(&[]).unwrap_or(t.fill()))
        })
    }
    /// The same arrays with the modes in another order, where the format allows it.
    fn permuted(&self, modes: Vec<usize>) -> PyResult<Option<PyTensor>> {
        gate::entry(|| Ok(self.get().permute(&modes).map(PyTensor::new)))
    }
    /// The index arrays of every level, to be read in place.
    fn arrays(&self) -> PyResult<Vec<Vec<PyMemory>>> {
        gate::entry(|| {
            Ok({
                let t = self.get();
                let level = |k: usize| (0..t.level(k).arrays.len()).map(move |n| (k, n));
                let view = |(k, n)| PyMemory::from_shared(t.array_view(k, n));
                (0..t.levels().len()).map(|k| level(k).map(view).collect()).collect()
            })
        })
    }
    /// The stored values, to be read in place.
    fn values(&self) -> PyResult<PyMemory> {
        gate::entry(|| Ok(PyMemory::from_shared(self.get().vals_view())))
    }
    /// The values of a dense tensor in its shape, to be read in place.
    fn dense_view(&self) -> PyResult<PyMemory> {
        gate::entry(|| {
            Ok({
                let t = self.get();
                PyMemory::new(t.vals_view(), t.shape(), &t.format().modes, false)
            })
        })
    }
    /// The values of a dense tensor, to be written to: they are moved out of a tensor that nothing else reads, which is
    /// a zero from then on, and copied otherwise.
    fn take_dense(&self, py: Python<'_>) -> PyResult<PyMemory> {
        gate::entry(|| {
            let parts = match self.take() {
                Some(tensor) => tensor.into_parts(),
                None => openwork::Tensor::clone(&self.get()).into_parts(),
            };
            let mut vals = parts.vals;
            vals.make_owned().or_raise(py)?;
            Ok(PyMemory::new(vals, &parts.shape, &parts.format.modes, true))
        })
    }
    /// The coordinates of every mode, and the values, in storage order.
    fn coordinates(&self, py: Python<'_>) -> PyResult<(Vec<PyMemory>, PyMemory)> {
        gate::entry(|| {
            let t = self.get();
            let coo = gate::run(py, move || unpack(&t))?;
            let (_, coords, vals) = coo.into_parts();
            Ok((coords.into_iter().map(PyMemory::from_owned).collect(), PyMemory::from_owned(vals)))
        })
    }
}

/// A dense tensor over the memory of an array of NumPy's that can be read as it is; nothing for any other.
#[pyfunction]
pub(crate) fn in_place(array: &Bound<'_, PyAny>) -> PyResult<Option<PyTensor>> {
    gate::entry(|| {
        let Ok(foreign) = Foreign::from_array(array) else { return Ok(None) };
        if foreign.rank() == 0 {
            return Ok(None);
        }
        let fill = Scalar::zero(foreign.dtype);
        wrap_foreign(array.py(), foreign, fill, false).map(Some)
    })
}

/// A dense tensor over an array's memory; `copy` asks for memory of its own.
#[pyfunction]
pub(crate) fn dense(array: &Bound<'_, PyAny>, fill: &Bound<'_, PyAny>, copy: bool) -> PyResult<PyTensor> {
    gate::entry(|| {
        let foreign = Foreign::from_array(array)?;
        let fill = scalar(fill, foreign.dtype)?;
        wrap_foreign(array.py(), foreign, fill, copy)
    })
}

fn wrap_foreign(py: Python<'_>, foreign: Foreign, fill: Scalar, copy: bool) -> PyResult<PyTensor> {
    let shape = foreign.shape();
    let format = match foreign.order {
        MemoryOrder::Rows => presets::dense(shape.len()),
        MemoryOrder::Columns => presets::dense(shape.len()).with_modes((0..shape.len()).rev().collect()),
    };
    let vals = if copy { foreign.copy_elements(py)? } else { foreign.borrow_elements(py)? };
    let levels = vec![LevelArrays::default(); shape.len()];
    openwork::Tensor::new_checked(shape, format, fill, levels, vals).or_raise(py).map(PyTensor::new)
}

/// A tensor without modes: the buffer protocol has no shape for it that could be read.
#[pyfunction]
pub(crate) fn single(value: &Bound<'_, PyAny>, dtype: &str) -> PyResult<PyTensor> {
    gate::entry(|| {
        let dtype = memory::dtype(value.py(), dtype)?;
        Ok(PyTensor::new(openwork::Tensor::scalar(scalar(value, dtype)?)))
    })
}

/// Index arrays are copied, whatever they are copied from.
fn index(array: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    Foreign::from_array(array)?.copy_elements(array.py())
}
fn values(array: &Bound<'_, PyAny>, copy: bool) -> PyResult<Buffer> {
    let foreign = Foreign::from_array(array)?;
    if copy { foreign.copy_elements(array.py()) } else { foreign.borrow_elements(array.py()) }
}

/// A tensor from the arrays of every level, checked.
#[pyfunction]
#[pyo3(signature = (shape, layout, fill, arrays, values, copy = false))]
pub(crate) fn from_parts(
    py: Python<'_>,
    shape: Vec<usize>,
    layout: &str,
    fill: &Bound<'_, PyAny>,
    arrays: Vec<Vec<Bound<'_, PyAny>>>,
    values: &Bound<'_, PyAny>,
    copy: bool,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let format = Format::parse(layout, shape.len()).or_raise(py)?;
        let vals = self::values(values, copy)?;
        let fill = scalar(fill, vals.dtype())?;
        let level = |l: &Vec<Bound<'_, PyAny>>| -> PyResult<LevelArrays> {
            Ok(LevelArrays { arrays: l.iter().map(index).collect::<PyResult<_>>()? })
        };
        let levels = arrays.iter().map(level).collect::<PyResult<_>>()?;
        gate::run(py, move || openwork::Tensor::new_checked(shape, format, fill, levels, vals))
            .map(PyTensor::new)
    })
}

/// The three arrays of a compressed matrix, which Python gives as a tuple.
#[derive(FromPyObject)]
pub(crate) struct CompressedArrays<'py> {
    #[pyo3(item(0))]
    pos: Bound<'py, PyAny>,
    #[pyo3(item(1))]
    crd: Bound<'py, PyAny>,
    #[pyo3(item(2))]
    vals: Bound<'py, PyAny>,
}

/// A matrix in compressed rows or columns (`csr`, `csc`) or blocks of rows (`bcsr(3,3)`). Coordinates in any order and
/// more than once are sorted and added up. Index arrays are copied as they are checked.
#[pyfunction]
pub(crate) fn compressed(
    py: Python<'_>,
    shape: Vec<usize>,
    format: &str,
    fill: &Bound<'_, PyAny>,
    arrays: CompressedArrays<'_>,
    copy: bool,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let format = Format::parse(format, shape.len()).or_raise(py)?;
        let (pos, crd) = (values(&arrays.pos, false)?, values(&arrays.crd, false)?);
        let vals = values(&arrays.vals, copy)?;
        let fill = scalar(fill, vals.dtype())?;
        gate::run(py, move || {
            openwork_storage::canonical(shape, format, fill, LevelArrays { arrays: vec![pos, crd] }, vals)
        })
        .map(PyTensor::new)
    })
}

/// A tensor from one coordinate array per mode, in any order; duplicates add up.
#[pyfunction]
pub(crate) fn coordinates(
    py: Python<'_>,
    shape: Vec<usize>,
    format: &str,
    fill: &Bound<'_, PyAny>,
    coords: Vec<Bound<'_, PyAny>>,
    values: &Bound<'_, PyAny>,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let format = Format::parse(format, shape.len()).or_raise(py)?;
        let size = |mode: usize| shape.get(mode).copied().unwrap_or(usize::MAX);
        let coords = coords.iter().enumerate().map(|(m, c)| Foreign::from_array(c)?.coordinates(py, size(m)));
        let coords = coords.collect::<PyResult<Vec<_>>>()?;
        let vals = self::values(values, false)?;
        let fill = scalar(fill, vals.dtype())?;
        gate::run(py, move || {
            let made = pack(&Coo::new(shape, coords, vals)?, &format, fill)?;
            // Entries that are in order already may be values in place.
            if made.vals().is_shared() { made.with_own_values() } else { Ok(made) }
        })
        .map(PyTensor::new)
    })
}

/// The tensor in another format.
#[pyfunction]
pub(crate) fn convert(py: Python<'_>, tensor: &PyTensor, format: &str) -> PyResult<PyTensor> {
    gate::entry(|| {
        let t = tensor.get();
        let format = Format::parse(format, t.rank()).map_err(|e| to_exception(py, &e))?;
        gate::run(py, move || Ok(openwork::convert(session(), &t, &format)?.tensor)).map(PyTensor::new)
    })
}

/// A format in its own words, for tensors of so many modes.
#[pyfunction]
pub(crate) fn parse_format(py: Python<'_>, text: &str, rank: usize) -> PyResult<String> {
    gate::entry(|| Ok(plain(&Format::parse(text, rank).or_raise(py)?)))
}
