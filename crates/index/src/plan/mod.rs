//! The loop plan of one statement, from its typed form to CIN.
//!
//! [`plan`] picks the result's format when nobody gave one, orders the loops so that every operand is walked in
//! storage order, and decides where each reduction accumulates. It is a pure function, and every choice comes with a
//! [`Reason`].

mod added;
mod concretize;
pub mod contraction;
pub mod conversion;
mod exponentials;
pub mod lift;
pub(crate) mod order;
mod outside;
mod positions;
pub mod regroup;
mod result_format;
pub(crate) mod scopes;
pub mod solving;
mod vectors;
mod winners;
pub(crate) mod workspace;

use crate::check::Assignment;
use crate::cin::Program;
use crate::expr::{IndexExpr, IndexId, PositionReach, fill_of};
use concretize::SumMethod;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Result;
pub use result_format::{choose as result_format, has_marks, in_order, is_huge, lends_itself};
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

/// Concrete index notation, with the reasons for its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Concrete {
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
pub fn plan(a: Assignment) -> Result<Concrete> {
    if exponentials::has_any(&a.rhs)
        && let Ok(planned) = plan_with(account_outside(in_two_passes(a.clone())), SumMethod::Merged)
    {
        return Ok(planned);
    }
    plan_with(account_outside(a), SumMethod::Merged)
}

/// The same statement, logarithms of sums of exponentials in two passes ([`exponentials`]).
fn in_two_passes(mut a: Assignment) -> Assignment {
    a.rhs = scopes::separate(a.rhs, &a.lhs.vars, &mut a.indices, &mut a.reads);
    a.rhs = exponentials::in_two_passes(a.rhs, &a.tensors);
    a
}

/// Plans a statement for a schedule: reductions are those that are written, over every coordinate where nothing else is said,
/// so that commands find their expressions.
///
/// # Errors
/// As [`plan`].
pub fn plan_as_written(a: Assignment) -> Result<Concrete> {
    plan_with(a, SumMethod::AsWritten)
}

/// The same statement, reductions over what operands leave out apart ([`outside`]).
fn account_outside(mut a: Assignment) -> Assignment {
    // What leads to a value is written more than once, with the same variables everywhere.
    a.rhs = scopes::separate(a.rhs, &a.lhs.vars, &mut a.indices, &mut a.reads);
    a.rhs = outside::account_reductions(a.rhs, &a.tensors);
    a
}

/// Plans a sum or difference of several terms whose result is sparse by adding the terms up in a workspace; `None` for other
/// statements.
///
/// # Errors
/// As [`plan`].
pub fn term_by_term(a: &Assignment) -> Option<Result<Concrete>> {
    let result = &a.tensors[a.lhs.tensor];
    let sum = match &a.rhs {
        IndexExpr::Call { op, .. } if op.prim == Prim::Sub => Prim::Neg.result(result.dtype).is_some(),
        IndexExpr::Call { op, .. } => op.prim == Prim::Add,
        _ => false,
    };
    let zero = fill_of(&a.rhs, &a.tensors).is_some_and(|f| f.is_same(Scalar::zero(result.dtype)));
    let fits =
        sum && zero && !a.lhs.vars.is_empty() && !result.format.is_dense() && result.dtype != DType::Bool;
    fits.then(|| plan_with(account_outside(a.clone()), SumMethod::TermByTerm))
}

/// Plans a reduction of what is read at sums of variables, whose result has dense rows, along these rows: one pass over a row for
/// each weight of a convolution, in vectors, instead of all weights for one element. `None` for other statements.
///
/// # Errors
/// As [`plan`].
pub fn along_rows(a: &Assignment) -> Option<Result<Concrete>> {
    has_shifted_rows(a).then(|| plan_with(account_outside(a.clone()), SumMethod::AlongRows))
}

/// Whether rows of a dense result are reductions of rows that are read at another place.
pub fn has_shifted_rows(a: &Assignment) -> bool {
    let mut reduces = false;
    a.rhs.visit(&mut |e| reduces |= matches!(e, IndexExpr::Reduce { op, .. } if !op.is_ordered()));
    let ([_, .., row], true) = (&a.lhs.vars[..], reduces) else { return false };
    let shifted = |v: IndexId| {
        let said = a.rhs.position_of(v).filter(|_| a.indices[v].reach != PositionReach::Unknown);
        said.is_some_and(|value| value.mentions(*row))
    };
    a.tensors[a.lhs.tensor].format.is_dense()
        && a.indices.ids().any(|v| a.indices[v].positional && shifted(v))
}

fn plan_with(mut a: Assignment, sums: SumMethod) -> Result<Concrete> {
    let mut reasons = Vec::new();
    result_format::choose(&mut a, &mut reasons);
    let merged = lift::refuse_merge(&a, &a.rhs);
    let a = lift::lift(a)?;
    let program = match (concretize::concretize(a, sums, &mut reasons), merged) {
        (Ok(program), Some(refusal)) if lift::mixes(&program) => return Err(refusal),
        (Err(_), Some(refusal)) => return Err(refusal),
        (program, _) => program?,
    };
    Ok(Concrete { program, reasons })
}
