//! Several statements, one after the other.

use crate::error::{OrRaise, rejection};
use crate::expression::PyBuiltStatement;
use crate::gate;
use crate::memory;
use crate::session::session;
use crate::statement::{GivenSizes, borrow_operands, take_operands, variant_number};
use crate::tensor::PyTensor;
use openwork::expr::StatementSyntax;
use openwork::{Action, Arithmetic, Decl, Format, FormatExt};
use openwork_base::names::meant_or;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Statements as text, or as they were built.
enum GivenStatements<'py> {
    Text(String),
    Built(Vec<Bound<'py, PyBuiltStatement>>),
}

impl<'py> FromPyObject<'_, 'py> for GivenStatements<'py> {
    type Error = PyErr;
    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<GivenStatements<'py>> {
        match given.extract() {
            Ok(built) => Ok(GivenStatements::Built(built)),
            // What is no text is refused as such.
            Err(_) => given.extract().map(GivenStatements::Text),
        }
    }
}

/// Statements with the kernels made for them so far.
#[pyclass(frozen, module = "openwork._core", name = "Statements")]
pub(crate) struct PyStatements {
    inner: Arc<openwork::Statements>,
}

#[pymethods]
impl PyStatements {
    #[new]
    #[pyo3(signature = (statements, names, asked = None, formats = None, dtypes = None, dims = None, exact = false, variant = None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword of its own in Python")]
    fn new(
        py: Python<'_>,
        statements: GivenStatements<'_>,
        names: Vec<String>,
        asked: Option<Vec<String>>,
        formats: Option<BTreeMap<String, String>>,
        dtypes: Option<BTreeMap<String, String>>,
        dims: Option<BTreeMap<String, GivenSizes>>,
        exact: bool,
        variant: Option<i64>,
    ) -> PyResult<PyStatements> {
        gate::entry(|| {
            let made = match statements {
                GivenStatements::Text(text) => openwork::Statements::new(&text, names),
                GivenStatements::Built(all) => {
                    let all: Vec<StatementSyntax> = all.iter().map(|one| one.get().0.clone()).collect();
                    openwork::Statements::new(&all, names)
                }
            };
            let mut inner = made.or_raise(py)?;
            let (formats, dtypes) = (formats.unwrap_or_default(), dtypes.unwrap_or_default());
            for (name, rank) in inner.computed_results().to_vec() {
                let format = formats.get(&name).map(|text| Format::parse(text, rank).or_raise(py));
                let dtype = dtypes.get(&name).map(|name| memory::dtype(py, name));
                let decl = Decl { format: format.transpose()?, dtype: dtype.transpose()?, ..Decl::default() };
                inner.results.insert(name, decl);
            }
            inner.asked = asked;
            for (name, sizes) in dims.unwrap_or_default() {
                match (sizes, inner.results.get_mut(&name)) {
                    (GivenSizes::Shape(shape), Some(decl)) => decl.shape = Some(shape),
                    (GivenSizes::Shape(_), None) => {
                        let message = format!("`{name}` is given a shape, and no statement computes it");
                        return Err(rejection(py, "E0201", message, "an index variable has one size"));
                    }
                    (GivenSizes::Size(size), _) => _ = inner.dims.insert(name, size),
                }
            }
            inner.variant = variant_number(py, variant)?;
            if let Some(name) = inner.dims.keys().find(|name| !inner.variables().contains(name)) {
                let known: Vec<&str> = inner.variables().iter().map(String::as_str).collect();
                let message = format!("no statement has an index variable `{name}`");
                let help = format!("they have {}", known.join(", "));
                return Err(rejection(py, "E0201", message, &meant_or(name, known, &help)));
            }
            inner.arithmetic = Some(if exact { Arithmetic::Exact } else { Arithmetic::Annihilating });
            Ok(PyStatements { inner: Arc::new(inner) })
        })
    }
    /// What the statements compute, by name.
    #[getter]
    fn computed(&self) -> PyResult<Vec<String>> {
        gate::entry(|| Ok(self.inner.computed_results().iter().map(|(name, _)| name.clone()).collect()))
    }
    /// Computes the statements over operands in the order of their names; names and results.
    #[pyo3(signature = (*args))]
    fn __call__(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<(String, PyTensor)>> {
        gate::entry(|| {
            let operands = take_operands(self.inner.names(), args)?;
            let statements = self.inner.clone();
            let made = gate::run(args.py(), move || statements.run(session(), &borrow_operands(&operands)))?;
            Ok(made.into_tensors().into_iter().map(|(name, t)| (name, PyTensor::new(t))).collect())
        })
    }
    /// As a call, with results in place of earlier ones by name, which are left alone unless all of it succeeds; the other results.
    /// `arrays` has the shapes of NumPy arrays that other results will be written to, and the dtypes that these may have.
    #[pyo3(signature = (outs, arrays, *args))]
    fn into(
        &self,
        outs: BTreeMap<String, Bound<'_, PyTensor>>,
        arrays: BTreeMap<String, (Vec<usize>, Vec<String>)>,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Vec<(String, PyTensor)>> {
        gate::entry(|| {
            let py = args.py();
            let operands = take_operands(self.inner.names(), args)?;
            let statements = self.inner.clone();
            let (mut made, sequence) =
                gate::run(py, move || statements.run_round(session(), &borrow_operands(&operands)))?;
            for (name, out) in &outs {
                let (new, old) = (made.get(name), out.get().get());
                if let Some(new) = new.filter(|new| new.dtype() != old.dtype() || new.shape() != old.shape())
                {
                    let (code, help) = match new.dtype() == old.dtype() {
                        true => ("E0203", "give an earlier result of this name"),
                        false => (
                            "E0208",
                            "give an earlier result of this name, or say in `dtypes` what it has to be",
                        ),
                    };
                    let text = |t: &openwork::Tensor| format!("{} of shape {:?}", t.dtype(), t.shape());
                    let message = format!("`{name}` is {}, and its `out` {}", text(new), text(&old));
                    return Err(rejection(py, code, message, help));
                }
            }
            for (name, (shape, dtypes)) in &arrays {
                let Some(new) = made.get(name) else { continue };
                let refuse =
                    |code, message| Err(rejection(py, code, message, "give an array that holds the result"));
                if new.shape() != shape {
                    let message =
                        format!("`{name}` has the shape {:?}, and its `out` {shape:?}", new.shape());
                    return refuse("E0203", message);
                }
                if !dtypes.iter().any(|dtype| dtype == memory::numpy_name(new.dtype())) {
                    let message =
                        format!("`{name}` has the dtype {}, which its `out` cannot hold", new.dtype());
                    return refuse("E0208", message);
                }
            }
            for (name, out) in &outs {
                let Some(new) = made.take(name) else { continue };
                if let Some(before) = Arc::into_inner(out.get().replace(new)) {
                    sequence.recycle(name, before);
                }
            }
            Ok(made.into_tensors().into_iter().map(|(name, t)| (name, PyTensor::new(t))).collect())
        })
    }
    /// The numbers of the statements whose kernels run together for these operands.
    #[pyo3(signature = (*args))]
    fn together(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<Vec<usize>>> {
        gate::entry(|| {
            let operands = take_operands(self.inner.names(), args)?;
            let statements = self.inner.clone();
            let sequence =
                gate::run(args.py(), move || statements.sequence(session(), &borrow_operands(&operands)))?;
            let group = |a: &Action| match a {
                Action::Together(group) => Some(group.clone()),
                Action::Run(_) | Action::Free(_) => None,
            };
            Ok(sequence.actions().iter().filter_map(group).collect())
        })
    }
}
