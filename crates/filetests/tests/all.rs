//! Suites in one program: linking each takes long, and one after the other they would leave cores idle at their ends.

mod algebras;
mod common;
mod conversions;
mod differential;
mod grid;
mod pairs;
mod processes;
mod remapped;
mod sequences;
mod sums;
mod walkthrough;
mod workspaces;
