//! The values of a result at the positions of the operand that lends it its structure (see [`mod@crate::lender`]).
//!
//! ```text
//! C_first = A2_pos[i_begin]                      C_vals: those of the part
//! for i in i_begin..i_end {
//!   for p in A2_pos[i]..A2_pos[i + 1] { C_vals[p - C_first] = … }
//! }
//! ```
//! No position is counted, so that rounds are independent. Where a value does not depend on its row, all rows are one loop:
//!
//! ```text
//! for p in A2_pos[i_begin]..A2_pos[i_end] { C_vals[p - C_first] = 2 * A_vals[p] }
//! ```

use crate::assembly::assigned_result;
use crate::emit::Emitter;
use crate::emit::made::{AssembledResult, LentPositions};
use crate::emit::scope::Scope;
use crate::graph::coverage::{Coverage, Covered};
use crate::graph::{Graph, GraphNode, NodeKind};
use crate::lender::lender;
use crate::phase::Phase;
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId};
use openwork_levels::Place;
use openwork_loops::build::{call, int, mul};
use openwork_loops::{Expr as Ir, Stmt as Loop};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Emitter<'_> {
    /// Finds the operand that lends its structure, for a kernel that relies on one.
    pub(crate) fn borrow_structure(&mut self, graph: &Graph) {
        if self.phase == Phase::Lent {
            self.lender = lender(self.program, graph).and_then(|found| found.leaves.into_iter().next());
        }
    }

    /// Makes room for the values of a result whose structure is lent.
    pub(crate) fn open_lent(&mut self, scope: &Scope) -> Option<Vec<Loop>> {
        let leaf = self.lender.clone()?;
        let access = assigned_result(self.program)?.clone();
        let pos = self.tensors[&leaf.access.tensor].levels[leaf.level].arrays[0];
        let rows = self.rows(&leaf, scope);
        let held = |l: &mut Self, what: &str, at: Ir| {
            let name = format!("{}_{what}", l.program.tensors[access.tensor].name);
            let mut code = Vec::new();
            let value = l.kernel.load_index(pos, at);
            let value = l.hold(&name, value, &mut code);
            l.prologue.extend(code);
            value
        };
        // The first row of all begins at position 0.
        let first = if rows.lo == int(0) { int(0) } else { held(self, "first", rows.lo.clone()) };
        let end = held(self, "end", rows.end());
        let len = if first == int(0) { end } else { call(Prim::Sub, end, first.clone()) };
        let covered = Covered::All;
        let coverage = Coverage { covered, rows: None, open: Vec::new(), skipped: BTreeSet::new() };
        let lent = Some(LentPositions { first, len });
        let (tensor, vals) = (access.tensor, self.tensors[&access.tensor].vals);
        let r = AssembledResult { tensor, access, vals, chains: Vec::new(), coverage, growing: None, lent };
        let code = self.open_arrays(&r);
        self.result = Some(Rc::new(r));
        Some(code)
    }
    /// The rows that the kernel visits: positions of the dense levels above the lending one.
    fn rows(&self, leaf: &Leaf, scope: &Scope) -> Place {
        let levels = &self.tensors[&leaf.access.tensor].levels[..leaf.level];
        let Some(first) = levels.first() else { return Place::run(int(0), int(1)) };
        let (lo, hi) = match scope.cut(self.var_of(&leaf.access, 0)) {
            Some(part) => (part.lo.clone(), part.hi.clone()),
            None => (int(0), first.size.clone()),
        };
        let each = |n: Ir| levels[1..].iter().fold(n, |n, l| mul(n, l.size.clone()));
        Place::run(each(lo), each(hi))
    }

    /// The place of the result's last level where the walk of `leaf` stands at `at`, if it is that which lends positions.
    pub(crate) fn lent_place(&self, leaf: &Leaf, at: &Place) -> Option<((Access, usize), Place)> {
        self.lender.as_ref().filter(|lender| *lender == leaf)?;
        let r = self.result.as_ref()?;
        let lent = r.lent.as_ref()?;
        let place = match &lent.first {
            first if *first == int(0) => at.lo.clone(),
            first => call(Prim::Sub, at.lo.clone(), first.clone()),
        };
        Some(((r.access.clone(), leaf.level), Place::one(place)))
    }

    /// The loop over the positions of all rows, before the loop over the outermost variable, where no value depends on its
    /// row.
    pub(crate) fn all_rows(&mut self, n: &GraphNode, scope: &Scope) -> Option<Vec<Loop>> {
        let leaf = self.lender.clone().filter(|leaf| leaf.level > 0)?;
        let outer: Vec<IndexId> = (0..leaf.level).map(|k| self.var_of(&leaf.access, k)).collect();
        let asked = !self.program.directives.loops.is_empty();
        if asked || !is_free_of(&n.stmt, &outer, &leaf.access) {
            return None;
        }
        let mut inner = n;
        for _ in &outer {
            let NodeKind::Loop(l) = &inner.how else { return None };
            inner = &l.arms[0].node;
        }
        let mut scope = scope.clone();
        let rows = self.rows(&leaf, &scope);
        scope.places.insert((leaf.access.clone(), leaf.level - 1), rows);
        Some(self.apply_hints(inner, &scope))
    }
}

/// Whether a nest of nothing but loops assigns a value that depends on none of `vars`, but for where `lender` has its element.
fn is_free_of(s: &CinStmt, vars: &[IndexId], lender: &Access) -> bool {
    match s {
        CinStmt::Forall { body, .. } => is_free_of(body, vars, lender),
        CinStmt::Assign { rhs, .. } => !depends_on(rhs, vars, lender),
        CinStmt::Where { .. } | CinStmt::Seq(_) | CinStmt::Multi(_) | CinStmt::Nop => false,
    }
}
/// Whether a value depends on one of `vars` otherwise than by the element of `lender`.
fn depends_on(e: &IndexExpr, vars: &[IndexId], lender: &Access) -> bool {
    let any = |a: &Access| a.vars.iter().any(|v| vars.contains(v));
    match e {
        IndexExpr::Access(a) => a != lender && any(a),
        IndexExpr::Width(a) => any(a),
        IndexExpr::Index(v) => vars.contains(v),
        IndexExpr::Literal(_)
        | IndexExpr::Cast { .. }
        | IndexExpr::Call { .. }
        | IndexExpr::Map { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Reduce { .. } => e.children().any(|c| depends_on(c, vars, lender)),
    }
}
