//! The structure of a result, kept for values that change.

use crate::gate;
use crate::session::session;
use crate::statement::{borrow_operands, take_operands};
use crate::tensor::PyTensor;
use openwork::Phases;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// Which elements a result stores, and the kernel that computes their values.
#[pyclass(frozen, module = "openwork._core", name = "Pattern")]
pub(crate) struct PyPattern {
    names: Vec<String>,
    phases: Arc<Phases>,
    made: Arc<openwork::Pattern>,
}

fn name_operands<'t>(
    names: &'t [String],
    operands: &'t [&openwork::Tensor],
) -> Vec<(&'t str, &'t openwork::Tensor)> {
    names.iter().map(String::as_str).zip(operands.iter().copied()).collect()
}

impl PyPattern {
    /// The pattern of a statement's result for these operands.
    pub(crate) fn from_statement(
        py: Python<'_>,
        statement: Arc<openwork::Statement>,
        operands: Vec<Arc<openwork::Tensor>>,
    ) -> PyResult<PyPattern> {
        let names = statement.names().to_vec();
        let (phases, made) = gate::run(py, move || {
            let operands = borrow_operands(&operands);
            let phases = statement.phases(session(), &operands)?;
            let made = phases.pattern(&name_operands(statement.names(), &operands))?;
            Ok((Arc::new(phases), Arc::new(made)))
        })?;
        Ok(PyPattern { names, phases, made })
    }
}

#[pymethods]
impl PyPattern {
    /// How many elements the result stores.
    #[getter]
    fn nnz(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.made.nnz()))
    }
    /// The pattern as a tensor of bools.
    #[getter]
    fn tensor(&self) -> PyResult<PyTensor> {
        gate::entry(|| Ok(PyTensor::from_shared(self.made.tensor().clone())))
    }
    /// The result for operands with other values.
    #[pyo3(signature = (*args))]
    fn __call__(&self, args: &Bound<'_, PyTuple>) -> PyResult<PyTensor> {
        gate::entry(|| {
            let operands = take_operands(&self.names, args)?;
            let (names, phases, made) = (self.names.clone(), self.phases.clone(), self.made.clone());
            let result = gate::run(args.py(), move || {
                Ok(phases.compute(&made, &name_operands(&names, &borrow_operands(&operands)))?.tensor)
            })?;
            Ok(PyTensor::new(result))
        })
    }
}
