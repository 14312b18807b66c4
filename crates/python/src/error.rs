//! Diagnostics as exceptions. Which class a code belongs to is told by `openwork._errors`, in Python.

use openwork::{Code, Diagnostic, Error};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception for an error of the compiler.
pub(crate) fn to_exception(py: Python<'_>, error: &Error) -> PyErr {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = MAKE.get_or_try_init(py, || {
        py.import("openwork._errors").and_then(|m| m.getattr("from_diagnostic")).map(Bound::unbind)
    });
    let args = (error.code().0, error.to_string(), error.message(), error.help());
    let made = make.and_then(|make| make.call1(py, args));
    match made {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(e) => e,
    }
}

/// An error of these bindings, in the words of the compiler's.
pub(crate) fn rejection(py: Python<'_>, code: &'static str, message: impl Into<String>, help: &str) -> PyErr {
    to_exception(py, &Error::rejection(Diagnostic::new(Code(code), message).help(help)))
}

/// Results of the compiler as Python's.
pub(crate) trait OrRaise<T> {
    /// Raises the exception for an error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for openwork::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| to_exception(py, &e))
    }
}
