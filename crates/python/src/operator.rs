//! Operators on arrays, with the statements that they are for what they were called with: such a call is one step from Python to
//! the kernel.

use crate::gate;
use crate::statement::{PyStatement, run_statement};
use crate::tensor::PyTensor;
use openwork::{DType, Scalar, Statement, Tensor};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use std::sync::{Arc, OnceLock};

/// Arrays of so many modes and more are Python's to look up.
const MODES: usize = 8;
/// Integers up to this are floats exactly.
const WHOLE: i64 = 1 << 53;

/// The statements of one operator by their numbers, in both arithmetics.
#[pyclass(frozen, module = "openwork._core", name = "Operator")]
pub(crate) struct PyOperator {
    statements: [OnceLock<Arc<Statement>>; 4 * MODES],
    /// Whether zeros stay zeros beside any number.
    keeps_zeros: bool,
}

/// Whether arithmetic is exact: as was asked, else where no operand is sparse.
fn is_exact(asked: Option<bool>, operands: &[&Tensor]) -> bool {
    asked.unwrap_or_else(|| operands.iter().all(|t| t.format().is_dense()))
}

impl PyOperator {
    fn statement(&self, number: usize, exact: bool) -> Option<&OnceLock<Arc<Statement>>> {
        self.statements.get(2 * number + usize::from(exact))
    }
    fn run(
        &self,
        py: Python<'_>,
        number: usize,
        exact: bool,
        operands: Vec<Arc<Tensor>>,
    ) -> PyResult<Option<PyTensor>> {
        let Some(statement) = self.statement(number, exact).and_then(OnceLock::get) else { return Ok(None) };
        let (done, _) = run_statement(py, statement.clone(), operands, None)?;
        Ok(Some(PyTensor::new(done.tensor)))
    }
}

/// A number that a float is exactly.
fn float(number: &Bound<'_, PyAny>) -> Option<f64> {
    if let Ok(float) = number.cast_exact::<PyFloat>() {
        return Some(float.value());
    }
    let whole = number.cast_exact::<PyInt>().ok()?;
    whole.extract::<i64>().ok().filter(|n| (-WHOLE..=WHOLE).contains(n)).map(|n| n as f64)
}

#[pymethods]
impl PyOperator {
    #[new]
    #[pyo3(signature = (keeps_zeros = false))]
    fn new(keeps_zeros: bool) -> PyResult<PyOperator> {
        gate::entry(|| Ok(PyOperator { statements: Default::default(), keeps_zeros }))
    }
    /// Keeps the statement of two arrays of one shape and so many modes; with `number`, that of an array and a number.
    #[pyo3(signature = (modes, exact, statement, number = false))]
    fn keep(&self, modes: usize, exact: bool, statement: &PyStatement, number: bool) -> PyResult<()> {
        gate::entry(|| {
            let first = if number { MODES } else { 0 };
            let place = Some(first + modes).filter(|_| modes < MODES).and_then(|n| self.statement(n, exact));
            // The one that is there is the same.
            place.into_iter().for_each(|place| drop(place.set(statement.statement())));
            Ok(())
        })
    }
    /// The result for two arrays of one shape; nothing where no statement is kept for them.
    fn alike(
        &self,
        py: Python<'_>,
        left: &PyTensor,
        right: &PyTensor,
        exact: Option<bool>,
    ) -> PyResult<Option<PyTensor>> {
        gate::entry(|| {
            let (left, right) = (left.get(), right.get());
            if left.shape() != right.shape() || left.rank() >= MODES {
                return Ok(None);
            }
            let exact = is_exact(exact, &[&left, &right]);
            self.run(py, left.rank(), exact, vec![left, right])
        })
    }
    /// The result for an array of 64-bit floats and a number of Python's, where the number does not decide what is stored; nothing
    /// for others, and where no statement is kept.
    fn scaled(
        &self,
        py: Python<'_>,
        array: &PyTensor,
        number: &Bound<'_, PyAny>,
        exact: Option<bool>,
    ) -> PyResult<Option<PyTensor>> {
        gate::entry(|| {
            let Some(number) = float(number) else { return Ok(None) };
            let array = array.get();
            let stays = array.format().is_full() || self.keeps_zeros && array.fill().as_f64() == 0.0;
            if array.dtype() != DType::F64 || !stays || array.rank() >= MODES {
                return Ok(None);
            }
            let exact = is_exact(exact, &[&array]);
            let scalar = Arc::new(Tensor::scalar(Scalar::F64(number)));
            self.run(py, MODES + array.rank(), exact, vec![array, scalar])
        })
    }
    /// The product of vectors and matrices; nothing for others, for truth values, where sizes disagree, and where no statement is kept.
    fn product(
        &self,
        py: Python<'_>,
        left: &PyTensor,
        right: &PyTensor,
        exact: Option<bool>,
    ) -> PyResult<Option<PyTensor>> {
        gate::entry(|| {
            let (left, right) = (left.get(), right.get());
            let Some(number) = product_number(&left, &right) else { return Ok(None) };
            let exact = is_exact(exact, &[&left, &right]);
            self.run(py, number, exact, vec![left, right])
        })
    }
}

/// The number of modes under which the statement of a product is kept: of vectors 1, of a vector and a matrix 2, and so on.
fn product_number(left: &Tensor, right: &Tensor) -> Option<usize> {
    let truths = left.dtype() == DType::Bool && right.dtype() == DType::Bool;
    let modes = [left.rank(), right.rank()];
    let meets = left.shape().last() == right.shape().get(right.rank().saturating_sub(2));
    let known = modes.iter().all(|n| (1..=2).contains(n));
    (known && meets && !truths).then(|| 2 * modes[0] + modes[1] - 2)
}
