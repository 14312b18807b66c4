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
use crate::assemble::Result;
use crate::graph::Node;
use crate::graph::coverage::Covered;
use crate::scope::Scope;
use openwork_base::Result as Outcome;
use openwork_index::{Access, IndexId, Kind, Stmt};
use openwork_loops::Stmt as Code;
use openwork_loops::build::{add, int, mul};

/// The statements of a sequence inside loops.
fn additions(s: &Stmt) -> Vec<&Stmt> {
    match s {
        Stmt::Forall { body, .. } => additions(body),
        Stmt::Seq(all) => all.iter().collect(),
        s => vec![s],
    }
}

impl Lowerer<'_> {
    /// The variable of the rows, where the outermost loop takes one row after the other and all of it.
    pub(crate) fn rows_of(&self, access: &Access) -> Option<IndexId> {
        let program = self.program;
        let t = &program.tensors[access.tensor];
        // Of a sequence of nests, the first one visits all rows.
        let nest = match &program.body {
            Stmt::Seq(all) => all.first()?,
            s => s,
        };
        let Stmt::Forall { index, .. } = nest else { return None };
        let rank = self.rank(access.tensor);
        let plain = |v: IndexId| program.indices[v].derived.is_none();
        let fits = t.format.is_dense() && rank > 1 && self.var_of(access, 0) == *index && plain(*index);
        let columns: Vec<IndexId> = (1..rank).map(|k| self.var_of(access, k)).collect();
        if !fits || columns.contains(index) {
            return None;
        }
        let assignments = program.body.assignments();
        let dense = |a: &Access| {
            let format = &program.tensors[a.tensor].format;
            format.levels.iter().all(|l| l.is_dense()) && format.is_dense()
        };
        let row_by_row = |a: &Access| {
            let read = &program.tensors[a.tensor];
            let level = (0..self.rank(a.tensor)).find(|&k| self.var_of(a, k) == *index);
            let row_is_first = level.is_none_or(|k| k == 0 && read.format.levels[0].is_dense());
            dense(a) || (read.kind == Kind::Operand && read.format.remap.is_none() && row_is_first)
        };
        let as_a_whole = |a: &Access| dense(a) || !a.vars.iter().any(|v| columns.contains(v));
        let reads = |s: &Stmt| -> Vec<Access> {
            s.assignments().into_iter().flat_map(|(_, _, rhs)| crate::compute::values_of(rhs)).collect()
        };
        // Of a sequence, one addition of a whole row is enough.
        let whole = additions(nest).into_iter().any(|s| reads(s).iter().all(as_a_whole));
        let fits = whole && reads(nest).iter().all(row_by_row);
        (fits && assignments.iter().all(|(lhs, _, _)| lhs.tensor == access.tensor)).then_some(*index)
    }
    /// One statement after the other.
    pub(crate) fn sequence(&mut self, all: &[Node], scope: &Scope) -> Outcome<Vec<Code>> {
        let mut code = Vec::new();
        for (at, n) in all.iter().enumerate() {
            let mut scope = self.part_of(&n.stmt, scope);
            scope.started |= at > 0 && scope.coords.is_empty();
            code.extend(self.node(n, &scope)?);
        }
        Ok(code)
    }
    /// Gives the row that is entered its first values.
    pub(crate) fn first_row(&mut self, v: IndexId, scope: &mut Scope) -> Vec<Code> {
        let begins = |r: &&Result| r.coverage.covered == Covered::Rows && r.coverage.rows == Some(v);
        let Some(r) = self.result.as_ref().filter(begins).filter(|_| !scope.started) else {
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
        let at = self.kernel.index("q");
        vec![self.fill_range(vals, at, lo.clone(), add(lo, block), fill)]
    }
}
