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

use crate::Lowerer;
use crate::assemble::Coverage;
use crate::scope::Scope;
use openwork_format::specs::DENSE;
use openwork_index::{Access, IndexId, Kind, Stmt};
use openwork_loops::Stmt as Code;
use openwork_loops::build::{add, int, mul};

impl Lowerer<'_> {
    /// The variable of the rows, where the outermost loop takes one row after the other and all of it.
    pub(crate) fn rows_of(&self, access: &Access) -> Option<IndexId> {
        let program = self.program;
        let t = &program.tensors[access.tensor];
        let Stmt::Forall { index, .. } = &program.body else { return None };
        let rank = self.rank(access.tensor);
        let plain = |v: IndexId| program.indices[v].derived.is_none();
        let fits = t.format.is_dense() && rank > 1 && self.var_of(access, 0) == *index && plain(*index);
        let columns: Vec<IndexId> = (1..rank).map(|k| self.var_of(access, k)).collect();
        if !fits || columns.contains(index) {
            return None;
        }
        let assignments = program.body.assignments();
        let mut reads = assignments.iter().flat_map(|(_, _, rhs)| crate::compute::values_of(rhs));
        let whole = reads.all(|a| {
            let read = &program.tensors[a.tensor];
            let dense = read.format.levels.iter().all(|l| l.spec == &DENSE) && read.format.is_dense();
            let row_is_first = || {
                let level = (0..self.rank(a.tensor)).find(|&k| self.var_of(&a, k) == *index);
                level.is_none_or(|k| k == 0 && read.format.levels[0].spec == &DENSE)
            };
            let operand = read.kind == Kind::Operand && read.format.remap.is_none();
            dense || (operand && row_is_first() && !a.vars.iter().any(|v| columns.contains(v)))
        });
        (whole && assignments.iter().all(|(lhs, _, _)| lhs.tensor == access.tensor)).then_some(*index)
    }
    /// Gives the row that is entered its first values.
    pub(crate) fn first_row(&mut self, v: IndexId, scope: &mut Scope) -> Vec<Code> {
        let Some(r) = self.result.as_ref().filter(|r| r.rows == Some(v) && r.coverage != Coverage::All)
        else {
            return Vec::new();
        };
        let access = r.access.clone();
        self.locate(&access, scope);
        let (Some(place), Some(vals)) = (scope.parent(&access, 1), self.tensors[&access.tensor].vals) else {
            return Vec::new();
        };
        let block =
            self.tensors[&access.tensor].levels[1..].iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        let (lo, fill) = (mul(place.lo, block.clone()), self.program.tensors[access.tensor].fill);
        if let Some(r) = self.result.as_mut() {
            r.coverage = Coverage::Rows;
        }
        let at = self.kernel.index("q");
        vec![self.fill_range(vals, at, lo.clone(), add(lo, block), fill)]
    }
}
