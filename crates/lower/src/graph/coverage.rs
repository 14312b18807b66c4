//! Write coverage: which elements of a result its loops give a value, which rows get their first values on the way, and
//! which parents of appended levels may be left open.
//!
//! A loop skips coordinates where its regions are not all of the dimension, where slots are empty, where a coordinate that it
//! looks up or computes is not there, and where nothing is left to do.

use super::{Bind, Graph, GraphNode, Loop, LoopSet, NodeKind, Walk};
use crate::lattice::Point;
use crate::predicates::is_predicate;
use crate::space::Leaf;
use crate::statement::{assigns, starts, values_of, var_of};
use openwork_index::{Access, CinStmt, IndexId, Program, TensorKind};
use openwork_levels::Gaps;
use std::collections::BTreeSet;

/// Which elements of a dense result are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// All of them, once.
    All,
    /// All of them: every row gets its first values before it is added to.
    Rows,
    /// Perhaps not all, or they are accumulated into.
    Some,
    /// All of them have a value before anything runs: that of the operand as which the result begins.
    Before,
}

/// The write coverage of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// Which elements are assigned, so that they need no first value.
    pub covered: Covered,
    /// The variable whose rounds each give a row of a dense result its first values, in the first of several nests.
    pub rows: Option<IndexId>,
    /// For each chain of appended levels, whether parents may be left open.
    pub open: Vec<Gaps>,
    /// The variables of which some coordinates may be left out.
    pub skipped: BTreeSet<IndexId>,
}

/// The write coverage of a result that is assembled in the order of the loops; `chains` are its appended levels, the first and
/// last of each chain.
pub fn coverage(graph: &Graph, program: &Program, result: &Access, chains: &[(usize, usize)]) -> Coverage {
    let whole = chains.is_empty() && starts(&program.body, result.tensor);
    let covered = if whole { Covered::All } else { Covered::Some };
    let rows = if chains.is_empty() && !whole { rows_of(program, result) } else { None };
    let open = vec![Gaps::None; chains.len()];
    let found = Coverage { covered, rows: None, open, skipped: BTreeSet::new() };
    let mut s = Simulation { program, result, chains, bound: 0, rows, found };
    s.node(&graph.root);
    match program.begins {
        Some(_) => Coverage { covered: Covered::Before, rows: None, ..s.found },
        None => s.found,
    }
}

/// The statements of a sequence inside loops.
fn additions(s: &CinStmt) -> Vec<&CinStmt> {
    match s {
        CinStmt::Forall { body, .. } => additions(body),
        CinStmt::Seq(all) => all.iter().collect(),
        s => vec![s],
    }
}

/// The variable of the rows, where the outermost loop takes one row after the other and all of it.
fn rows_of(program: &Program, access: &Access) -> Option<IndexId> {
    let t = &program.tensors[access.tensor];
    // Of a sequence of nests, the first one visits all rows.
    let nest = match &program.body {
        CinStmt::Seq(all) => all.first()?,
        s => s,
    };
    let CinStmt::Forall { index, .. } = nest else { return None };
    let rank = t.format.rank();
    let plain = |v: IndexId| program.indices[v].derived.is_none();
    let fits = t.format.is_dense() && rank > 1 && var_of(program, access, 0) == *index && plain(*index);
    let columns: Vec<IndexId> = (1..rank).map(|k| var_of(program, access, k)).collect();
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
        let level = (0..read.format.rank()).find(|&k| var_of(program, a, k) == *index);
        let row_is_first = level.is_none_or(|k| k == 0 && read.format.levels[0].is_dense());
        dense(a) || (read.kind == TensorKind::Operand && read.format.remap.is_none() && row_is_first)
    };
    let as_a_whole = |a: &Access| dense(a) || !a.vars.iter().any(|v| columns.contains(v));
    let reads = |s: &CinStmt| -> Vec<Access> {
        s.assignments().into_iter().flat_map(|(_, _, rhs)| values_of(rhs)).collect()
    };
    // Of a sequence, one addition of a whole row is enough.
    let whole = additions(nest).into_iter().any(|s| reads(s).iter().all(as_a_whole));
    let fits = whole && reads(nest).iter().all(row_by_row);
    (fits && assignments.iter().all(|(lhs, _, _)| lhs.tensor == access.tensor)).then_some(*index)
}

/// What is found while statements are gone through in the order in which they run.
struct Simulation<'a> {
    program: &'a Program,
    result: &'a Access,
    chains: &'a [(usize, usize)],
    /// How many variables are bound.
    bound: usize,
    /// The variable of the rows that may still get their first values on the way.
    rows: Option<IndexId>,
    found: Coverage,
}

impl Simulation<'_> {
    fn node(&mut self, n: &GraphNode) {
        match (&n.how, &n.stmt) {
            (NodeKind::Plain | NodeKind::Assign(_), _) => {}
            (NodeKind::Idle, CinStmt::Forall { index, .. }) => self.skips(*index),
            (NodeKind::Where(w), _) => {
                self.node(&w.producer);
                self.node(&w.reader);
            }
            (NodeKind::Parts(all), CinStmt::Seq(_)) => self.sequence(all),
            (NodeKind::Parts(all), _) => all.iter().for_each(|n| self.node(n)),
            (NodeKind::Bind(b), CinStmt::Forall { index, .. }) => self.bind(*index, b),
            (NodeKind::Loop(l), _) => self.walk(l),
            (NodeKind::Tiled(t), _) => self.node(&t.node),
            (NodeKind::Idle | NodeKind::Bind(_), _) => unreachable!("only loops have variables"),
        }
    }
    fn bind(&mut self, v: IndexId, b: &Bind) {
        self.region(v, !b.bound.checks.is_empty(), &b.body);
        if b.strays {
            self.skips(v);
        }
    }
    fn walk(&mut self, l: &Loop) {
        let looks_up = l.sought.iter().any(|leaf| {
            let walked = &l.lattice.points[0].leaves;
            !walked.iter().any(|w| super::same_interval(self.program, w, leaf))
        });
        let taken = matches!(l.over, LoopSet::Workspace | LoopSet::Words);
        let cut = !l.whole || !l.confined.is_empty();
        if cut && !self.is_found(l) || taken || looks_up {
            self.skips(l.var);
        }
        for arm in &l.arms {
            if arm.node.stmt == CinStmt::Nop {
                self.skips(l.var);
                continue;
            }
            self.region(l.var, !arm.bound.checks.is_empty(), &arm.node);
            let tests = match arm.walk {
                Walk::Once | Walk::Positions | Walk::Fused => arm.empties && l.over != LoopSet::Workspace,
                Walk::Runs | Walk::Whole => !arm.skips.is_empty(),
                Walk::Words | Walk::Merge | Walk::Gallop => false,
            };
            if tests {
                self.skips(l.var);
            }
        }
    }
    /// Whether a loop over a position has a region where nothing but that is stored.
    fn is_found(&self, l: &Loop) -> bool {
        let is_set = |leaf: &Leaf| is_predicate(self.program, leaf.access.tensor);
        let alone = |q: &Point| q.leaves.len() == 1 && q.leaves.iter().all(is_set);
        self.program.indices[l.var].positional && l.lattice.points.last().is_some_and(alone)
    }
    /// One coordinate of a variable.
    fn region(&mut self, v: IndexId, checked: bool, n: &GraphNode) {
        if checked {
            self.skips(v);
        }
        let enters = assigns(&n.stmt, self.result.tensor) && self.chains.is_empty();
        if enters && self.rows == Some(v) && self.found.covered != Covered::All {
            self.found.covered = Covered::Rows;
            self.found.rows = Some(v);
        }
        self.bound += 1;
        self.node(n);
        self.bound -= 1;
    }
    /// What the first statement of a sequence assigns needs no first value, whatever is added to it.
    fn sequence(&mut self, all: &[GraphNode]) {
        let mut started = false;
        for (n, node) in all.iter().enumerate() {
            let known = self.found.covered;
            if n > 0 && self.bound == 0 {
                self.rows = None;
            }
            self.node(node);
            match known {
                _ if starts(&node.stmt, self.result.tensor) => {
                    started |= assigns(&node.stmt, self.result.tensor);
                }
                // In a region where an operand is absent nothing may be left to start with.
                Covered::All => self.found.covered = if started { Covered::All } else { Covered::Some },
                Covered::Rows => self.found.covered = Covered::Rows,
                Covered::Some | Covered::Before => {}
            }
        }
    }
    /// The loop over `v` may skip coordinates: chains below a dense level over `v` may have unclosed parents.
    fn skips(&mut self, v: IndexId) {
        self.found.skipped.insert(v);
        let depth = self.program.tensors[self.result.tensor].format.rank();
        let Some(level) = (0..depth).find(|&k| var_of(self.program, self.result, k) == v) else {
            let index = &self.program.indices[v];
            if index.derived.is_some() || index.positional {
                // Its values decide which elements are visited.
                self.found.covered = Covered::Some;
            }
            return;
        };
        if level == 0 {
            self.rows = None;
        }
        if self.found.covered != Covered::Rows || level == 0 {
            self.found.covered = Covered::Some;
        }
        // Only dense levels between the loop and a chain leave parents open: a chain closes its own.
        let all_dense = |to: usize| (level..to).all(|k| self.chains.iter().all(|(a, b)| k < *a || k > *b));
        for ((first, _), open) in self.chains.iter().zip(&mut self.found.open) {
            if *first > level && all_dense(*first) {
                *open = Gaps::Possible;
            }
        }
    }
}
