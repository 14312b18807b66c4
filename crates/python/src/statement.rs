//! Statements, kernels, and what became of them.

use crate::error::{OrRaise, rejected};
use crate::gate::{self, Amount, Length, Pace};
use crate::memory;
use crate::pattern::Pattern;
use crate::session::session;
use crate::tensor::{Tensor, plain};
use openwork::{Decl, Format, FormatExt, Schedule, Source};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// A statement with the kernels made for it so far, one for each way that operands are stored.
#[pyclass(frozen, module = "openwork._core")]
pub(crate) struct Statement {
    inner: Arc<openwork::Statement>,
    /// How often it reads each operand.
    times: Vec<i32>,
    pace: Pace,
}

/// A name and a number of modes.
type Named = (String, usize);

/// The result and every operand.
#[pyfunction]
pub(crate) fn notation(py: Python<'_>, text: &str) -> PyResult<(Named, Vec<Named>)> {
    gate::entry(|| {
        let parsed = openwork_index::notation::parse(&Source::new("statement", text)).or_raise(py)?;
        let rank = |name: &str| parsed.rank_of(name).unwrap_or(0);
        let operands = parsed.operands().into_iter().map(|n| (n.to_string(), rank(n))).collect();
        Ok(((parsed.lhs.name.text.clone(), parsed.lhs.indices.len()), operands))
    })
}

fn decl(py: Python<'_>, rank: usize, format: Option<&str>, dtype: Option<&str>) -> PyResult<Decl> {
    Ok(Decl {
        dtype: dtype.map(|name| memory::dtype(py, name)).transpose()?,
        format: format.map(|text| Format::parse(text, rank).or_raise(py)).transpose()?,
        ..Decl::default()
    })
}

impl Statement {
    fn operands(&self, args: &Bound<'_, PyTuple>) -> PyResult<Vec<Arc<openwork::Tensor>>> {
        given(self.inner.names(), args)
    }
    /// Runs the kernel for these operands. One that assembles out of order counts what it will store and then stores it,
    /// so values that someone else could write to in between are copied first.
    fn run(&self, py: Python<'_>, operands: Vec<Arc<openwork::Tensor>>) -> PyResult<openwork::Tensor> {
        let statement = self.inner.clone();
        let amount = Amount::of(&operands, &self.times);
        let start = Instant::now();
        let result = gate::run(py, self.pace.length(amount), move || {
            let kernel = statement.kernel(session(), &borrowed(&operands))?;
            statement.run_on(session(), &kernel, &borrowed(&operands))
        })?;
        self.pace.note(amount, start.elapsed());
        Ok(result)
    }
}

/// One operand for each name.
pub(crate) fn given(names: &[String], args: &Bound<'_, PyTuple>) -> PyResult<Vec<Arc<openwork::Tensor>>> {
    if args.len() != names.len() {
        let (wanted, found) = (names.join(", "), args.len());
        let message = format!("{found} operands are given, but the statement has {wanted}");
        return Err(rejected(args.py(), "E0211", message, ""));
    }
    args.iter().map(|a| Ok(a.cast::<Tensor>()?.get().get())).collect()
}
pub(crate) fn borrowed(operands: &[Arc<openwork::Tensor>]) -> Vec<&openwork::Tensor> {
    operands.iter().map(|t| &**t).collect()
}

#[pymethods]
impl Statement {
    #[new]
    #[pyo3(signature = (text, names, format = None, dtype = None, dims = None, schedule = None))]
    fn new(
        py: Python<'_>,
        text: &str,
        names: Vec<String>,
        format: Option<&str>,
        dtype: Option<&str>,
        dims: Option<BTreeMap<String, usize>>,
        schedule: Option<&str>,
    ) -> PyResult<Statement> {
        gate::entry(|| {
            let parsed = openwork_index::notation::parse(&Source::new("statement", text)).or_raise(py)?;
            let (rank, times) =
                (parsed.lhs.indices.len(), names.iter().map(|n| parsed.accesses_of(n) as i32));
            let times = times.collect();
            let mut inner = openwork::Statement::new(text, names).or_raise(py)?;
            inner.result = decl(py, rank, format, dtype)?;
            inner.dims = dims.unwrap_or_default();
            inner.schedule = Schedule::parse(schedule.unwrap_or_default()).or_raise(py)?;
            Ok(Statement { inner: Arc::new(inner), times, pace: Pace::default() })
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
    fn __call__(&self, args: &Bound<'_, PyTuple>) -> PyResult<Tensor> {
        gate::entry(|| self.run(args.py(), self.operands(args)?).map(Tensor::new))
    }
    /// As a call, with the result in the memory of an earlier one, which holds it afterwards.
    #[pyo3(signature = (out, *args))]
    fn into(&self, out: &Tensor, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        gate::entry(|| {
            let py = args.py();
            let operands = self.operands(args)?;
            let kernel = self.inner.kernel(session(), &borrowed(&operands)).or_raise(py)?;
            if let Some(spare) = out.take() {
                kernel.recycle(spare);
            }
            out.set(self.run(py, operands)?);
            Ok(())
        })
    }
    /// Which elements the result stores for these operands, and a kernel for their values.
    #[pyo3(signature = (*args))]
    fn pattern(&self, args: &Bound<'_, PyTuple>) -> PyResult<Pattern> {
        gate::entry(|| Pattern::of(args.py(), self.inner.clone(), self.operands(args)?))
    }
    /// Compiles the statement for operands declared like this, in the order of their names.
    fn compile(&self, py: Python<'_>, declared: Vec<(usize, String, String)>) -> PyResult<Explanation> {
        gate::entry(|| {
            let decls =
                declared.iter().map(|(rank, format, dtype)| decl(py, *rank, Some(format), Some(dtype)));
            let decls = decls.collect::<PyResult<Vec<_>>>()?;
            let statement = self.inner.clone();
            let kernel = gate::run(py, Length::Short, move || statement.declared(session(), decls))?;
            Explanation::of(py, self.inner.text(), kernel.stages())
        })
    }
    /// Takes the statement through every stage for these operands, without running it.
    #[pyo3(signature = (*args))]
    fn explain(&self, args: &Bound<'_, PyTuple>) -> PyResult<Explanation> {
        gate::entry(|| {
            let py = args.py();
            let operands = self.operands(args)?;
            let decls = self.inner.decls_of(&borrowed(&operands));
            let stages = session().stages(self.inner.text(), &decls).or_raise(py)?;
            Explanation::of(py, self.inner.text(), &stages)
        })
    }
}

/// What a statement becomes, stage by stage.
#[pyclass(frozen, get_all, module = "openwork._core")]
pub(crate) struct Explanation {
    statement: String,
    format: String,
    dtype: &'static str,
    /// The plan in words: what is stored how, what drives each loop, the choices, the cost, and what was rejected.
    plan: String,
    /// Each choice with its reason.
    reasons: Vec<(String, String)>,
    cin: String,
    lattices: String,
    loops: String,
    code: String,
}

impl Explanation {
    fn of(py: Python<'_>, statement: &str, stages: &openwork::Stages) -> PyResult<Explanation> {
        let result = &stages.plan.program.tensors[stages.result()];
        let reasons = &stages.plan.reasons;
        let backend = openwork::Session::new(openwork::BackendKind::C).or_raise(py)?;
        Ok(Explanation {
            statement: statement.into(),
            format: plain(stages.finish.as_ref().unwrap_or(&result.declared())),
            dtype: memory::numpy_name(result.dtype),
            plan: stages.explain().to_string(),
            reasons: reasons.iter().map(|r| (r.choice.clone(), r.because.clone())).collect(),
            cin: stages.cin(),
            lattices: stages.lattices(),
            loops: stages.loops_text(),
            code: backend.backend().listing(&stages.loops).or_raise(py)?,
        })
    }
}
