//! The ground floor: typed ids and arenas, source text with spans, diagnostics, names that were meant, requests to stop
//! and panics.
//!
//! Nothing in this crate knows tensors, formats or loops; every other crate may use it.

pub mod cancel;
pub mod diag;
pub mod ids;
pub mod names;
pub mod panics;
pub mod source;

pub use cancel::Cancel;
pub use diag::{Code, Conflict, Diagnostic, Error, Result};
pub use ids::{Arena, Id};
pub use source::{Source, Span};
