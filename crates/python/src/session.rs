//! The session of the process, chosen by its environment.

use crate::error::rejection;
use crate::gate;
use openwork::Session;
use pyo3::prelude::*;

/// The session that everything runs on, on the backend that `OPENWORK_BACKEND` names (`clif`, `c`, or `interp`, which checks
/// every access).
pub(crate) fn session() -> &'static Session {
    Session::global()
}

/// The name of the backend that runs kernels.
#[pyfunction]
pub(crate) fn backend() -> PyResult<&'static str> {
    gate::entry(|| Ok(session().kind().name()))
}

/// How many arrays were asked for so far, in the process: for tests of iterations that ask for none.
#[pyfunction]
pub(crate) fn request_count() -> PyResult<u64> {
    gate::entry(|| Ok(openwork_storage::memory::request_count()))
}

/// Gives memory that waits for the next call back to the system.
#[pyfunction]
pub(crate) fn free_memory() -> PyResult<()> {
    gate::entry(|| {
        openwork_storage::memory::give_back();
        Ok(())
    })
}

/// Sets how many threads a kernel may use.
#[pyfunction]
pub(crate) fn set_num_threads(py: Python<'_>, n: usize) -> PyResult<()> {
    gate::entry(|| match n {
        0 => Err(rejection(py, "E0820", "0 threads cannot run anything", "give 1 or more")),
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
