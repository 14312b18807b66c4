//! Expressions that statements are built of.

use crate::error::OrRaise;
use crate::gate;
use openwork::expr::{self, Expression, StatementSyntax};
use pyo3::class::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A value of a statement, with Python's operators.
#[pyclass(frozen, module = "openwork._core", name = "Expression")]
pub(crate) struct PyExpression(Expression);

/// A statement that was built.
#[pyclass(frozen, module = "openwork._core", name = "BuiltStatement")]
pub(crate) struct PyBuiltStatement(pub(crate) StatementSyntax);

/// The element of a tensor at index variables; without any, the value of a tensor without modes.
#[pyfunction]
pub(crate) fn access(name: &str, indices: Vec<String>) -> PyResult<PyExpression> {
    gate::entry(|| {
        let tensor = expr::tensor(name);
        Ok(PyExpression(match indices.is_empty() {
            true => tensor.scalar(),
            false => tensor.access(indices.iter().map(|i| expr::index(i))),
        }))
    })
}

/// The coordinate that an index variable stands at.
#[pyfunction]
pub(crate) fn index(name: &str) -> PyResult<PyExpression> {
    gate::entry(|| Ok(PyExpression(expr::index(name).into())))
}

/// A function of values, by its name.
#[pyfunction]
#[pyo3(signature = (function, *args))]
pub(crate) fn call(function: &str, args: &Bound<'_, PyTuple>) -> PyResult<PyExpression> {
    gate::entry(|| {
        let args = args.iter().map(|arg| value_of(&arg)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyExpression(expr::call(function, args)))
    })
}

/// A reduction over index variables; over none of them, the value.
#[pyfunction]
pub(crate) fn reduce(name: &str, over: Vec<String>, value: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
    gate::entry(|| {
        let over = over.iter().map(|i| expr::index(i));
        Ok(PyExpression(expr::reduce(name, over, value_of(value)?)))
    })
}

/// A number of Python's, or what is an expression already.
fn value_of(value: &Bound<'_, PyAny>) -> PyResult<Expression> {
    if let Ok(e) = value.cast::<PyExpression>() {
        return Ok(e.get().0.clone());
    }
    if let Ok(truth) = value.cast_exact::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(float.value().into());
    }
    if let Ok(whole) = value.cast::<PyInt>() {
        return whole_number(whole);
    }
    Err(PyTypeError::new_err(format!("{} is no value of a statement", value.get_type())))
}

/// An integer; one that no dtype holds is refused by the compiler.
fn whole_number(value: &Bound<'_, PyInt>) -> PyResult<Expression> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    match (value.extract::<u64>(), value.lt(0)?) {
        (Ok(number), _) => Ok(number.into()),
        (Err(_), negative) => {
            let beyond = expr::number("100000000000000000000");
            Ok(if negative { -beyond } else { beyond })
        }
    }
}

fn combine(
    left: &Expression,
    right: &Bound<'_, PyAny>,
    make: impl FnOnce(Expression, Expression) -> Expression,
) -> PyResult<PyExpression> {
    Ok(PyExpression(make(left.clone(), value_of(right)?)))
}

#[pymethods]
impl PyExpression {
    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a + b))
    }
    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b + a))
    }
    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a - b))
    }
    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b - a))
    }
    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a * b))
    }
    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b * a))
    }
    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a / b))
    }
    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b / a))
    }
    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a.floor_divide(b)))
    }
    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a % b))
    }
    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a & b))
    }
    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b & a))
    }
    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a | b))
    }
    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b | a))
    }
    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a ^ b))
    }
    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| b ^ a))
    }
    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a << b))
    }
    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<PyExpression> {
        gate::entry(|| combine(&self.0, other, |a, b| a >> b))
    }
    fn __neg__(&self) -> PyResult<PyExpression> {
        gate::entry(|| Ok(PyExpression(-&self.0)))
    }
    fn __invert__(&self) -> PyResult<PyExpression> {
        gate::entry(|| Ok(PyExpression(!&self.0)))
    }
    fn __abs__(&self) -> PyResult<PyExpression> {
        gate::entry(|| Ok(PyExpression(self.0.abs())))
    }
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<PyExpression> {
        gate::entry(|| {
            combine(&self.0, other, |a, b| match op {
                CompareOp::Lt => a.lt(b),
                CompareOp::Le => a.le(b),
                CompareOp::Eq => a.eq(b),
                CompareOp::Ne => a.ne(b),
                CompareOp::Gt => a.gt(b),
                CompareOp::Ge => a.ge(b),
            })
        })
    }
    fn __repr__(&self) -> PyResult<String> {
        gate::entry(|| Ok(format!("<expression {}>", self.0)))
    }
    /// Nobody knows it before the statement runs, so that a chain of comparisons, `and` and `max` would mean something else.
    fn __bool__(&self) -> PyResult<bool> {
        gate::entry(|| Err(PyTypeError::new_err("a value of a statement is neither true nor false")))
    }
    /// The statement that assigns a value to this access.
    fn assign(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<PyBuiltStatement> {
        gate::entry(|| Ok(PyBuiltStatement(self.0.clone().assign(value_of(value)?).or_raise(py)?)))
    }
}

/// Two of one text are equal, so that a cache finds what was made for one of them.
#[pymethods]
impl PyBuiltStatement {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        gate::entry(|| Ok(other.cast::<PyBuiltStatement>().is_ok_and(|o| o.get().0.source == self.0.source)))
    }
    /// The statement with functions that it calls, as their definitions stand before a statement.
    fn with_functions(&self, py: Python<'_>, definitions: &str) -> PyResult<PyBuiltStatement> {
        gate::entry(|| Ok(PyBuiltStatement(self.0.clone().with_functions(definitions).or_raise(py)?)))
    }
    fn __hash__(&self) -> PyResult<u64> {
        gate::entry(|| {
            let mut hasher = DefaultHasher::new();
            self.0.source.text.hash(&mut hasher);
            Ok(hasher.finish())
        })
    }
    fn __repr__(&self) -> PyResult<String> {
        gate::entry(|| Ok(format!("<statement {}>", self.0)))
    }
}
