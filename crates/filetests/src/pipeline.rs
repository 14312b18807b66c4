//! The whole compiler as the tests see it.

use crate::case::Case;
use crate::cineval;
use openwork_base::Result;
use openwork_index::plan::Plan;
use openwork_storage::Tensor;

/// A compiler under test.
pub trait Pipeline: Sync {
    /// The plan of a case.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn plan(&self, case: &Case) -> Result<Plan> {
        cineval::planned(case)
    }
    /// The iteration lattice of the loop over `var`, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn lattice(&self, case: &Case, var: &str) -> Option<Result<String>>;
    /// The loop IR, or `None` when this pipeline has no such stage.
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn loops(&self, case: &Case) -> Option<Result<String>>;
    /// The names of the ways to run a kernel; the bounds-checking interpreter comes first.
    fn backends(&self) -> Vec<&'static str>;
    /// Runs the case on every backend, in the order of [`Pipeline::backends`].
    ///
    /// # Errors
    /// Whatever the case deserves.
    fn run(&self, case: &Case) -> Result<Vec<Tensor>>;
}

/// Only the stages up to CIN; no backend.
pub struct Planning;

impl Pipeline for Planning {
    fn lattice(&self, _: &Case, _: &str) -> Option<Result<String>> {
        None
    }
    fn loops(&self, _: &Case) -> Option<Result<String>> {
        None
    }
    fn backends(&self) -> Vec<&'static str> {
        Vec::new()
    }
    fn run(&self, _: &Case) -> Result<Vec<Tensor>> {
        Ok(Vec::new())
    }
}
