//! The session of the process, chosen by its environment.

use crate::error::rejection;
use crate::gate;
use openwork::{BackendKind, Session};
use pyo3::prelude::*;
use std::sync::OnceLock;

/// The session that everything runs on: the default one, or on the backend that `OPENWORK_BACKEND` names (`clif`, `c`, or
/// `interp`, which checks every access).
pub(crate) fn session() -> &'static Session {
    static CHOSEN: OnceLock<Option<Session>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| {
        let kind = BackendKind::by_name(&std::env::var("OPENWORK_BACKEND").ok()?)?;
        Session::new(kind).ok()
    });
    chosen.as_ref().unwrap_or_else(|| Session::global())
}

/// The name of the backend that runs kernels.
#[pyfunction]
pub(crate) fn backend() -> PyResult<&'static str> {
    gate::entry(|| Ok(session().kind().name()))
}

/// Sets how many threads a kernel may use.
#[pyfunction]
pub(crate) fn set_num_threads(py: Python<'_>, n: usize) -> PyResult<()> {
    gate::entry(|| match n {
        0 => Err(rejection(py, "E0807", "0 threads cannot run anything", "give 1 or more")),
        n => {
            openwork::set_threads(n);
            Ok(())
        }
    })
}

/// How many threads a kernel may use.
#[pyfunction]
pub(crate) fn num_threads() -> PyResult<usize> {
    gate::entry(|| Ok(openwork::threads()))
}
