//! The way from index notation to concrete index notation (CIN).
//!
//! [`notation`] reads what the user wrote; [`mod@check`] gives it types, dimensions and explicit reductions as an
//! [`Assignment`]; [`plan`] orders the loops and makes it a [`Program`] in [`cin`] (workspaces paper, §3-4), which a
//! [`schedule`] may rewrite.

pub mod asked;
pub mod assume;
pub mod check;
pub mod cin;
pub mod expr;
pub mod fold;
pub mod notation;
pub mod plan;
pub mod positions;
pub mod query;
pub mod schedule;
pub mod window;

pub use check::{Assignment, Decl, Decls, PlanSizes, check};
pub use check::{compare_with_coordinates, count_order, size_order, typical_count, typical_size};
pub use cin::{CinStmt, Program};
pub use expr::{
    Access, DerivedVar, Holds, IndexExpr, IndexId, IndexVar, PositionReach, TensorId, TensorKind, TensorVar,
};
pub use window::Window;
