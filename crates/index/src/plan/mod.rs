//! The planner: from a typed statement to loops.
//!
//! [`plan`] picks the result's format when nobody gave one, orders the loops so that every operand is walked in
//! storage order, and decides where each reduction accumulates. It is a pure function, and every choice comes with a
//! [`Reason`].

mod concretize;
pub mod conversion;
pub mod lift;
pub(crate) mod order;
pub mod regroup;
mod result_format;
mod scopes;
pub(crate) mod workspace;

use crate::check::Assignment;
use crate::cin::{Program, verify};
use openwork_base::{Error, Result};
use std::fmt;

/// A choice of the planner and why it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What was chosen.
    pub choice: String,
    /// Why.
    pub because: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.choice, self.because)
    }
}

/// A program with the reasons for its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What to run.
    pub program: Program,
    /// Why it looks like that.
    pub reasons: Vec<Reason>,
}

/// Plans a statement.
///
/// # Errors
/// `E0403` when the result's format would need a workspace, `E0406` when computed coordinates do not fit the other
/// tensors, `E0404` when the operands' storage orders contradict each
/// other, `E0405` for a diagonal of a sparse operand; none of these is supported yet.
pub fn plan(mut a: Assignment) -> Result<Plan> {
    let mut reasons = Vec::new();
    result_format::choose(&mut a, &mut reasons);
    let a = lift::lift(a)?;
    let program = concretize::concretize(a, &mut reasons)?;
    verify::verify(&program).map_err(|law| Error::bug("plan", law, program.to_string()))?;
    Ok(Plan { program, reasons })
}
