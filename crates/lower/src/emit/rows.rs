//! Rows of a dense result that get their first values when the loop over them comes to them.
//!
//! ```text
//! reserve(C_vals, n * m)            -- memory may hold anything
//! for i in 0..n {
//!   for q in i * m..i * m + m { C_vals[q] = 0 }
//!   for p in … { for k in 0..m { C_vals[i * m + k] += … } }
//! }
//! ```
//! Memory that must be clear beforehand is new memory, whose pages are faulted in and cleared by the system; a row that is
//! cleared just before it is added to is written in the first-level cache. This is for rows that are added to as a whole:
//! of rows in which only some elements are met, clear memory is cheaper.

use crate::emit::Emitter;
use crate::emit::made::AssembledResult;
use crate::emit::scope::Scope;
use crate::graph::GraphNode;
use crate::graph::coverage::Covered;
use openwork_index::IndexId;
use openwork_loops::Stmt as Code;
use openwork_loops::build::{add, int, mul};

impl Emitter<'_> {
    /// One statement after the other.
    pub(crate) fn sequence(&mut self, all: &[GraphNode], scope: &Scope) -> Vec<Code> {
        let mut code = Vec::new();
        for (at, n) in all.iter().enumerate() {
            let mut scope = self.part_of(&n.stmt, scope);
            scope.started |= at > 0 && scope.coords.is_empty();
            code.extend(self.node(n, &scope));
        }
        code
    }
    /// Gives the row that is entered its first values.
    pub(crate) fn first_row(&mut self, v: IndexId, scope: &mut Scope) -> Vec<Code> {
        let begins = |r: &&AssembledResult| r.coverage.covered == Covered::Rows && r.coverage.rows == Some(v);
        let Some(r) = self.result.as_deref().filter(begins).filter(|_| !scope.started) else {
            return Vec::new();
        };
        let access = r.access.clone();
        self.locate(&access, scope);
        let Some(place) = scope.parent(&access, 1) else { return Vec::new() };
        let vals = self.tensors[&access.tensor].vals;
        let block =
            self.tensors[&access.tensor].levels[1..].iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        let (lo, fill) = (mul(place.lo, block.clone()), self.program.tensors[access.tensor].fill);
        let at = self.kernel.index("q");
        vec![self.fill_range(vals, at, lo.clone(), add(lo, block), fill)]
    }
}
