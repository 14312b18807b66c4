//! Parts of a tensor, and the same tensor with other values.

use crate::error::OrRaise;
use crate::gate;
use crate::memory::{Foreign, PyMemory};
use crate::tensor::{PyTensor, number, scalar};
use openwork::{Format, FormatExt};
use openwork_storage::{First, KeptCoords, Writers};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The part of a tensor that a slice or a number keeps of every mode, in a format for the modes that are left. Of a slice
/// there are the first coordinate, the step and the number of coordinates; of a number the coordinate and nothing.
#[pyfunction]
pub(crate) fn select(
    py: Python<'_>,
    tensor: &PyTensor,
    kept: Vec<(usize, isize, Option<usize>)>,
    format: &str,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let t = tensor.get();
        let mode = |&(start, step, count): &(usize, isize, Option<usize>)| match count {
            Some(count) => KeptCoords::Every { start, step, count },
            None => KeptCoords::At(start),
        };
        let rank = kept.iter().filter(|k| k.2.is_some()).count();
        let kept: Vec<KeptCoords> = kept.iter().map(mode).collect();
        let format = Format::parse(format, rank).or_raise(py)?;
        gate::run(py, move || openwork_storage::select(&t, &kept, &format)).map(PyTensor::new)
    })
}

/// The coordinates of a mode that a list names, in its order.
#[pyfunction]
pub(crate) fn taken(
    py: Python<'_>,
    tensor: &PyTensor,
    mode: usize,
    at: &Bound<'_, PyAny>,
    format: &str,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let t = tensor.get();
        let list = Foreign::from_array(at)?.copy_elements(py)?;
        let format = Format::parse(format, t.rank()).or_raise(py)?;
        gate::run(py, move || {
            let at: Vec<usize> = list.as_slice::<i64>().unwrap_or(&[]).iter().map(|&c| c as usize).collect();
            openwork_storage::take_coordinates(&t, mode, &at, &format)
        })
        .map(PyTensor::new)
    })
}

/// Matrices in the same compressed rows or columns, one after the other along a mode.
#[pyfunction]
pub(crate) fn joined(
    py: Python<'_>,
    tensors: Vec<PyRef<'_, PyTensor>>,
    mode: usize,
    fill: &Bound<'_, PyAny>,
) -> PyResult<Option<PyTensor>> {
    gate::entry(|| {
        let all: Vec<_> = tensors.iter().map(|t| t.get()).collect();
        let Some(first) = all.first() else { return Ok(None) };
        let fill = scalar(fill, first.dtype())?;
        let made = gate::run(py, move || {
            let all: Vec<&openwork_storage::Tensor> = all.iter().map(|t| &**t).collect();
            openwork_storage::join_matrices(&all, mode, fill)
        })?;
        Ok(made.map(PyTensor::new))
    })
}

/// The values at pairs of coordinates of a matrix in compressed rows or columns; nothing for any other tensor.
#[pyfunction]
pub(crate) fn looked_up(
    py: Python<'_>,
    tensor: &PyTensor,
    rows: &Bound<'_, PyAny>,
    columns: &Bound<'_, PyAny>,
) -> PyResult<Option<PyMemory>> {
    gate::entry(|| {
        let t = tensor.get();
        let (rows, columns) = (
            Foreign::from_array(rows)?.borrow_elements(py)?,
            Foreign::from_array(columns)?.borrow_elements(py)?,
        );
        let found = gate::run(py, move || {
            let at = [&rows, &columns].map(|b| b.as_slice::<i64>().unwrap_or(&[]));
            openwork_storage::looked_up(&t, at)
        })?;
        Ok(found.map(PyMemory::from_owned))
    })
}

/// Values in ascending order in each of the rows that begin at these places.
#[pyfunction]
pub(crate) fn ascending(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    begins: &Bound<'_, PyAny>,
) -> PyResult<PyMemory> {
    gate::entry(|| {
        let (values, begins) = (
            Foreign::from_array(values)?.borrow_elements(py)?,
            Foreign::from_array(begins)?.copy_elements(py)?,
        );
        gate::run(py, move || {
            openwork_storage::sort_ascending(&values, begins.as_slice::<i64>().unwrap_or(&[]))
        })
        .map(PyMemory::from_owned)
    })
}

/// The largest elements of every row, or the smallest.
#[pyfunction]
pub(crate) fn topk(py: Python<'_>, tensor: &PyTensor, k: usize, largest: bool) -> PyResult<PyTensor> {
    gate::entry(|| {
        let t = tensor.get();
        let first = if largest { First::Largest } else { First::Smallest };
        gate::run(py, move || openwork_storage::topk(&t, k, first)).map(PyTensor::new)
    })
}

/// The value at some coordinates, of which there is one for every mode.
#[pyfunction]
pub(crate) fn value_at<'py>(
    py: Python<'py>,
    tensor: &PyTensor,
    coords: Vec<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    gate::entry(|| {
        let t = tensor.get();
        number(py, t.get(&coords).unwrap_or(t.fill()))
    })
}

/// The coordinates and values of the first `n` elements.
#[pyfunction]
pub(crate) fn first<'py>(
    py: Python<'py>,
    tensor: &PyTensor,
    n: usize,
) -> PyResult<Vec<(Bound<'py, PyTuple>, Bound<'py, PyAny>)>> {
    gate::entry(|| {
        let held = tensor.get();
        let found = gate::run(py, move || openwork_storage::first(&held, n))?;
        found.into_iter().map(|(at, value)| Ok((PyTuple::new(py, at)?, number(py, value)?))).collect()
    })
}

/// The tensor with a value for each of its slots and a fill value, over the same index arrays. `fresh`: the values are a new
/// array that the caller keeps no reference to, so that nobody writes to them, and what is made of them can be kept.
#[pyfunction]
pub(crate) fn with_values(
    py: Python<'_>,
    tensor: &PyTensor,
    values: &Bound<'_, PyAny>,
    fill: &Bound<'_, PyAny>,
    fresh: bool,
) -> PyResult<PyTensor> {
    gate::entry(|| {
        let t = tensor.get();
        let writers = if fresh { Writers::Nobody } else { Writers::Owner };
        let vals = Foreign::from_array(values)?.borrowed_from(py, writers)?;
        let fill = scalar(fill, vals.dtype())?;
        // Index arrays that were checked once are not looked at again.
        gate::run(py, move || t.with_values(vals, fill)).map(PyTensor::new)
    })
}
