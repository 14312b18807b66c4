//! Statements, kernels, and what became of them.

use crate::error::{OrRaise, rejection};
use crate::expression::PyBuiltStatement;
use crate::gate;
use crate::memory;
use crate::pattern::PyPattern;
use crate::session::session;
use crate::tensor::{PyTensor, plain};
use openwork::{Arithmetic, Decl, Format, FormatExt, Kernel, Schedule, Source, Stays, semiring};
use openwork_base::names::meant_or;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A statement with the kernels made for it so far, one for each way that operands are stored.
#[pyclass(frozen, module = "openwork._core", name = "Statement")]
pub(crate) struct PyStatement {
    inner: Arc<openwork::Statement>,
}

/// A statement as text, or as it was built.
pub(crate) enum GivenStatement<'py> {
    Built(Bound<'py, PyBuiltStatement>),
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for GivenStatement<'py> {
    type Error = PyErr;
    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<GivenStatement<'py>> {
        match given.cast::<PyBuiltStatement>() {
            Ok(built) => Ok(GivenStatement::Built(built.to_owned())),
            // What is no text is refused as such.
            Err(_) => given.extract().map(GivenStatement::Text),
        }
    }
}

/// A name and a number of modes.
type NamedModes = (String, usize);

/// The result and every operand.
#[pyfunction]
pub(crate) fn notation(py: Python<'_>, text: &str) -> PyResult<(NamedModes, Vec<NamedModes>)> {
    gate::entry(|| {
        let parsed = openwork_index::notation::parse(&Source::new("statement", text)).or_raise(py)?;
        let rank = |name: &str| parsed.rank_of(name).unwrap_or(0);
        let operands = parsed.operands().into_iter().map(|n| (n.to_string(), rank(n))).collect();
        Ok(((parsed.lhs.name.text.clone(), parsed.lhs.indices.len()), operands))
    })
}

/// The question whether one of the names that are nearest to an unknown one was meant, before what else helps.
#[pyfunction]
#[pyo3(name = "meant_or")]
pub(crate) fn meant(name: &str, known: Vec<String>, help: &str) -> PyResult<String> {
    gate::entry(|| Ok(meant_or(name, known.iter().map(String::as_str), help)))
}

/// What is nothing in operands of a dtype of a semiring, as text; nothing for other names, and where it has no such value.
#[pyfunction]
pub(crate) fn semiring_zero(py: Python<'_>, name: &str, dtype: &str) -> PyResult<Option<String>> {
    gate::entry(|| Ok(semiring::absent(name, memory::dtype(py, dtype)?).map(|value| value.to_string())))
}

/// The names of all semirings.
#[pyfunction]
pub(crate) fn semirings() -> PyResult<Vec<String>> {
    gate::entry(|| Ok(semiring::names().collect()))
}

fn decl(py: Python<'_>, rank: usize, format: Option<&str>, dtype: Option<&str>) -> PyResult<Decl> {
    Ok(Decl {
        dtype: dtype.map(|name| memory::dtype(py, name)).transpose()?,
        format: format.map(|text| Format::parse(text, rank).or_raise(py)).transpose()?,
        ..Decl::default()
    })
}

impl PyStatement {
    fn operands(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<Arc<openwork::Tensor>>> {
        take_operands(self.inner.names(), args)
    }
    fn run(
        &self,
        py: Python<'_>,
        operands: Vec<Arc<openwork::Tensor>>,
        out: Option<Arc<openwork::Tensor>>,
    ) -> PyResult<(openwork::Outcome, Arc<Kernel>)> {
        run_statement(py, self.inner.clone(), operands, out)
    }
    /// The statement itself.
    pub(crate) fn statement(&self) -> Arc<openwork::Statement> {
        self.inner.clone()
    }
}

/// Runs the kernel of a statement for these operands; a result that takes the place of `out` has its dtype and shape.
pub(crate) fn run_statement(
    py: Python<'_>,
    statement: Arc<openwork::Statement>,
    operands: Vec<Arc<openwork::Tensor>>,
    out: Option<Arc<openwork::Tensor>>,
) -> PyResult<(openwork::Outcome, Arc<Kernel>)> {
    gate::run(py, move || {
        let operands = borrow_operands(&operands);
        let kernel = statement.kernel(session(), &operands)?;
        Ok((statement.run_on(session(), &kernel, &operands, out.as_deref())?, kernel))
    })
}

/// The size of an index variable, or the shape of a result.
#[derive(FromPyObject)]
pub(crate) enum GivenSizes {
    /// How many values a variable takes.
    Size(usize),
    /// How many coordinates each mode has.
    Shape(Vec<usize>),
}

/// The number of a variant, which plans are asked for.
pub(crate) fn variant_number(py: Python<'_>, variant: Option<i64>) -> PyResult<Option<usize>> {
    let refuse = |n| rejection(py, "E0808", format!("there is no variant {n}"), "they are numbered from 1");
    variant.map(|n| usize::try_from(n).map_err(|_| refuse(n))).transpose()
}

/// One operand for each name.
pub(crate) fn take_operands(
    names: &[String],
    args: &Bound<'_, PyTuple>,
) -> PyResult<Vec<Arc<openwork::Tensor>>> {
    if args.len() != names.len() {
        let (wanted, found) = (names.join(", "), args.len());
        let message = format!("{found} operands are given, but the statement has {wanted}");
        return Err(rejection(args.py(), "E0211", message, ""));
    }
    args.iter().map(|a| Ok(a.cast::<PyTensor>()?.get().get())).collect()
}
pub(crate) fn borrow_operands(operands: &[Arc<openwork::Tensor>]) -> Vec<&openwork::Tensor> {
    operands.iter().map(|t| &**t).collect()
}

#[pymethods]
impl PyStatement {
    #[new]
    #[pyo3(signature = (statement, names, format = None, dtype = None, dims = None, schedule = None, exact = false, variant = None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword of its own in Python")]
    fn new(
        py: Python<'_>,
        statement: GivenStatement<'_>,
        names: Vec<String>,
        format: Option<&str>,
        dtype: Option<&str>,
        dims: Option<BTreeMap<String, GivenSizes>>,
        schedule: Option<&str>,
        exact: bool,
        variant: Option<i64>,
    ) -> PyResult<PyStatement> {
        gate::entry(|| {
            let made = match statement {
                GivenStatement::Text(text) => openwork::Statement::new(&text, names),
                GivenStatement::Built(built) => openwork::Statement::new(&built.get().0, names),
            };
            let mut inner = made.or_raise(py)?;
            inner.result = decl(py, inner.syntax().lhs.indices.len(), format, dtype)?;
            let result = inner.syntax().lhs.name.text.clone();
            for (name, sizes) in dims.unwrap_or_default() {
                match sizes {
                    GivenSizes::Shape(shape) if name == result => inner.result.shape = Some(shape),
                    GivenSizes::Size(size) if name == result && inner.syntax().assigns_places() => {
                        inner.result.shape = Some(vec![size]);
                    }
                    GivenSizes::Shape(_) => {
                        let message =
                            format!("`{name}` is given a shape, and only the result `{result}` has one");
                        let help = "an index variable has one size";
                        return Err(rejection(py, "E0201", message, help));
                    }
                    GivenSizes::Size(size) => _ = inner.dims.insert(name, size),
                }
            }
            let indices = inner.syntax().index_names();
            if let Some(name) = inner.dims.keys().find(|name| !indices.contains(&name.as_str())) {
                let message = format!("the statement has no index variable `{name}`");
                let help = format!("it has {}", indices.join(", "));
                return Err(rejection(py, "E0201", message, &meant_or(name, indices, &help)));
            }
            inner.arithmetic = Some(if exact { Arithmetic::Exact } else { Arithmetic::Annihilating });
            inner.schedule = Schedule::parse(schedule.unwrap_or_default()).or_raise(py)?;
            inner.variant = variant_number(py, variant)?;
            Ok(PyStatement { inner: Arc::new(inner) })
        })
    }
    #[getter]
    fn text(&self) -> PyResult<&str> {
        gate::entry(|| Ok(self.inner.text()))
    }
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        gate::entry(|| Ok(self.inner.names().to_vec()))
    }
    /// How many kernels there are.
    #[getter]
    fn kernels(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.inner.kernels()))
    }
    /// Computes the statement over operands in the order of their names.
    #[pyo3(signature = (*args))]
    fn __call__(&self, args: &Bound<'_, PyTuple>) -> PyResult<PyTensor> {
        gate::entry(|| Ok(PyTensor::new(self.run(args.py(), self.operands(args)?, None)?.0.tensor)))
    }
    /// As a call, with the result in place of an earlier one, which is left alone unless the call succeeds.
    #[pyo3(signature = (out, *args))]
    fn into(&self, out: &PyTensor, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        gate::entry(|| {
            let (result, kernel) = self.run(args.py(), self.operands(args)?, Some(out.get()))?;
            if let Some(before) = Arc::into_inner(out.replace(result.tensor)) {
                kernel.recycle(before);
            }
            Ok(())
        })
    }
    /// As a call, with the seconds that went into conversions, the kernel and all of it, what ran, and on how many threads and
    /// in how many chunks.
    #[pyo3(signature = (*args))]
    fn timed(&self, args: &Bound<'_, PyTuple>) -> PyResult<(PyTensor, [f64; 3], String, [usize; 2])> {
        gate::entry(|| {
            let (done, _) = self.run(args.py(), self.operands(args)?, None)?;
            let (t, spread) = (done.times, done.spread);
            let seconds = [t.conversions, t.kernel, t.total].map(|t| t.as_secs_f64());
            let ran = done.ran.to_string();
            Ok((PyTensor::new(done.tensor), seconds, ran, [spread.threads, spread.chunks]))
        })
    }
    /// Which elements the result stores for these operands, and a kernel for their values.
    #[pyo3(signature = (*args))]
    fn pattern(&self, args: &Bound<'_, PyTuple>) -> PyResult<PyPattern> {
        gate::entry(|| PyPattern::from_statement(args.py(), self.inner.clone(), self.operands(args)?))
    }
    /// Compiles the statement for operands declared like this, in the order of their names.
    fn compile(&self, py: Python<'_>, declared: Vec<(usize, String, String)>) -> PyResult<PyExplanation> {
        gate::entry(|| {
            let decls =
                declared.iter().map(|(rank, format, dtype)| decl(py, *rank, Some(format), Some(dtype)));
            let decls = decls.collect::<PyResult<Vec<_>>>()?;
            let statement = self.inner.clone();
            gate::run(py, move || {
                let kernel = statement.compile_declared(session(), decls)?;
                Ok(PyExplanation::from_stages(statement.text(), kernel.stages()))
            })
        })
    }
    /// How operands that stay for so many runs are best stored, beside others that are declared: the format of the result, and
    /// for each operand its tensor, where that is another one than is given.
    fn suited(
        &self,
        py: Python<'_>,
        fixed: Vec<Option<Bound<'_, PyTensor>>>,
        declared: Vec<(usize, String, String)>,
        runs: usize,
    ) -> PyResult<(String, Vec<Option<PyTensor>>)> {
        gate::entry(|| {
            let fixed: Vec<Option<Arc<openwork::Tensor>>> =
                fixed.iter().map(|t| t.as_ref().map(|t| t.get().get())).collect();
            let decls =
                declared.iter().map(|(rank, format, dtype)| decl(py, *rank, Some(format), Some(dtype)));
            let decls = decls.collect::<PyResult<Vec<_>>>()?;
            let statement = self.inner.clone();
            gate::run(py, move || {
                let stays = fixed.iter().zip(decls).map(|(t, decl)| match t {
                    Some(t) => Stays::Fixed(t),
                    None => Stays::Varies(decl),
                });
                let suited = statement.suitable_formats(session(), &stays.collect::<Vec<_>>(), runs)?;
                let operands = suited.operands.into_iter().map(|t| t.map(PyTensor::new)).collect();
                Ok((suited.result.to_string(), operands))
            })
        })
    }
    /// Takes the statement through every stage for these operands, without running it.
    #[pyo3(signature = (*args))]
    fn explain(&self, args: &Bound<'_, PyTuple>) -> PyResult<PyExplanation> {
        gate::entry(|| {
            let py = args.py();
            let operands = self.operands(args)?;
            let statement = self.inner.clone();
            gate::run(py, move || {
                let stages = statement.stages(session(), &borrow_operands(&operands))?;
                Ok(PyExplanation::from_stages(statement.text(), &stages))
            })
        })
    }
}

/// What a statement becomes, stage by stage: each is written down when it is asked for.
#[pyclass(frozen, module = "openwork._core", name = "Explanation")]
pub(crate) struct PyExplanation {
    statement: String,
    stages: openwork::Stages,
}

impl PyExplanation {
    fn from_stages(statement: &str, stages: &openwork::Stages) -> PyExplanation {
        PyExplanation { statement: statement.into(), stages: stages.clone() }
    }
}

#[pymethods]
impl PyExplanation {
    #[getter]
    fn statement(&self) -> PyResult<&str> {
        gate::entry(|| Ok(self.statement.as_str()))
    }
    #[getter]
    fn format(&self) -> PyResult<String> {
        gate::entry(|| {
            let result = &self.stages.plan.program.tensors[self.stages.result()];
            Ok(plain(self.stages.finish().unwrap_or(&result.declared_format())))
        })
    }
    #[getter]
    fn dtype(&self) -> PyResult<&'static str> {
        gate::entry(|| Ok(memory::numpy_name(self.stages.plan.program.tensors[self.stages.result()].dtype)))
    }
    /// The plan in words: what is stored how, what drives each loop, the choices, the cost, and what was rejected.
    #[getter]
    fn plan(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.stages.explain().to_string()))
    }
    /// Each choice with its reason.
    #[getter]
    fn reasons(&self) -> PyResult<Vec<(String, String)>> {
        gate::entry(|| {
            let reasons = self.stages.plan.reasons.iter();
            Ok(reasons.map(|r| (r.choice.clone(), r.because.clone())).collect())
        })
    }
    /// Each variant of the plan: its name, what it does and when, and which runs take it.
    #[getter]
    fn variants(&self) -> PyResult<Vec<(String, String, Option<String>)>> {
        gate::entry(|| {
            let choices = self.stages.explain().variants.into_iter();
            Ok(choices.map(|v| (v.name.into(), v.what, v.taken.describe())).collect())
        })
    }
    #[getter]
    fn cin(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.stages.cin()))
    }
    #[getter]
    fn lattices(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.stages.lattices()))
    }
    #[getter]
    fn graph(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.stages.graph_text()))
    }
    #[getter]
    fn loops(&self) -> PyResult<String> {
        gate::entry(|| Ok(self.stages.loops_text()))
    }
    /// The loops in C, which needs no compiler.
    #[getter]
    fn code(&self, py: Python<'_>) -> PyResult<String> {
        gate::entry(|| {
            let backend = openwork::Session::new(openwork::BackendKind::C).or_raise(py)?;
            let literals: String = self.stages.literals().iter().map(|line| format!("// {line}\n")).collect();
            Ok(literals + &backend.backend().listing(&self.stages.loops).or_raise(py)?)
        })
    }
}
