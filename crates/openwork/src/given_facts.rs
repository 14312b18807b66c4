//! What a look at operands tells of the variants of a plan.

use openwork_execute::Relied;
use openwork_index::TensorId;

/// What is known of operands that are given, beside how they are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenFacts {
    /// Whether what the statement relies on holds of them; nothing where some are not given.
    pub(crate) relied: Option<Relied>,
    /// Operands of which it is known whether others store the same elements.
    pub(crate) same: Vec<(TensorId, bool)>,
}
