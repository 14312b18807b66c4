//! An estimate of what one run does, for the rates that are reported of it: the cost model over the operands at hand.

use openwork_index::Program;
use openwork_lower::cost::{CostFacts, estimate_over};
use std::collections::BTreeMap;

/// Estimates of what one run does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Arithmetic operations.
    pub flops: f64,
    /// Bytes of operands read and results written, each once.
    pub bytes: f64,
}

/// Stored values per operand, by name.
pub type StoredCounts<'a> = BTreeMap<&'a str, usize>;

/// Estimates one run of a program over operands with so many stored values.
pub fn work(program: &Program, stored: &StoredCounts, bytes: usize) -> Work {
    let facts = CostFacts::from_declarations(program);
    let facts = facts.with_slots(|id| stored.get(program.tensors[id].given.as_str()).copied());
    Work { flops: estimate_over(facts).flops, bytes: bytes as f64 }
}
