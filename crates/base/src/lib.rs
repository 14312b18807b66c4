//! The ground floor: typed ids and arenas, parts of nodes, source text with spans, diagnostics, names that were meant, requests to stop
//! and panics; products of sizes; thresholds; settings from the environment; how many threads there are, and the pool that they are in.
//!
//! Nothing in this crate knows tensors, formats or loops; every other crate may use it.

pub mod cancel;
pub mod diag;
mod few;
pub mod ids;
pub mod machine;
pub mod names;
pub mod panics;
pub mod pool;
pub mod settings;
mod slots;
pub mod source;
pub mod threads;

pub use cancel::Cancel;
pub use diag::{Code, Conflict, Diagnostic, Error, Result};
pub use few::Few;
pub use ids::{Arena, Id, IdMap, IdSet};
pub use slots::SlotCount;
pub use source::{Source, Span};
