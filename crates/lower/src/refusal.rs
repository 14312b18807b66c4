//! A refusal of a whole statement.

use openwork_base::{Diagnostic, Error};
use openwork_index::Program;

/// A named refusal that points at the whole statement.
pub(crate) fn refuse(program: &Program, d: Diagnostic, help: &str) -> Error {
    let source = &program.source;
    Error::refusal(d.point_at(source, source.part, "").help(help))
}
