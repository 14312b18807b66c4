//! How much code a graph comes to, before it is written: how many cases its loops tell apart, and how many variables they have.
//!
//! A loop that merges has a piece of code for each region of its lattice, once for every larger region whose loop it is
//! met in, and loops inside multiply:
//!
//! ```text
//! for i, a row of A or of B {  for j { … }  }        regions {A, B}, {A}, {B}: 3 loops, 5 cases
//! ```

use crate::graph::{AssignAction, Graph, GraphNode, Keep, Loop, LoopSet, NodeKind, Tiling, Walk};
use crate::refusal::refuse;
use openwork_base::{Conflict, Diagnostic, Result};
use openwork_index::{CinStmt, Program, TensorKind};

/// The most variables of a kernel; a 3-way sum of third-order tensors has about 150.
const VARIABLES: usize = 4000;

/// How much code a graph comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeSize {
    /// How many cases it has. Loops that cost more than their cases, unions, and what fills and reads workspaces, count as what
    /// they cost.
    pub cases: usize,
    /// About how many variables it has: where walks stand and end, the coordinate of each at every region that they are merged
    /// in, and what is held there.
    pub variables: usize,
}

impl CodeSize {
    /// The size of a graph's code.
    pub fn count(graph: &Graph, program: &Program) -> CodeSize {
        node_size(&graph.root, program)
    }
    fn plus(self, cases: usize, variables: usize) -> CodeSize {
        self.and(CodeSize { cases, variables })
    }
    fn and(self, other: CodeSize) -> CodeSize {
        let cases = self.cases.saturating_add(other.cases);
        CodeSize { cases, variables: self.variables.saturating_add(other.variables) }
    }
    fn times(self, n: usize) -> CodeSize {
        CodeSize { cases: self.cases.saturating_mul(n), variables: self.variables.saturating_mul(n) }
    }
}

/// Refuses a graph whose code nobody wants: regions nest with every variable.
///
/// # Errors
/// `E0408`.
pub(crate) fn refuse_too_much(program: &Program, graph: &Graph, size: CodeSize) -> Result<()> {
    if size.variables <= VARIABLES {
        return Ok(());
    }
    let merged = graph.loops().into_iter().map(|l| l.lattice.points[0].leaves.len()).max().unwrap_or(0);
    let message = format!("merging these operands ({merged} at once) would take too much code");
    let help = "split the statement, or store some operands dense";
    Err(refuse(program, Diagnostic::from_conflict(Conflict::Size, message), help))
}

/// What a level costs that a loop steps through beside others in one case, and an element that goes into a sparse
/// workspace, in cases.
const BESIDE: usize = 3;

fn node_size(n: &GraphNode, program: &Program) -> CodeSize {
    let none = CodeSize::default();
    match &n.how {
        NodeKind::Plain | NodeKind::Idle => none,
        NodeKind::Assign(action) => {
            let held = match action {
                AssignAction::Insert => 4,
                AssignAction::Append { keep: Keep::NotFillWhenFused | Keep::NotFill } => 1,
                AssignAction::Append { keep: Keep::All } => 0,
                AssignAction::Store | AssignAction::Accumulate => 0,
            };
            none.plus(statement_cases(&n.stmt, program), held)
        }
        NodeKind::Parts(all) => all.iter().fold(none, |sum, n| sum.and(node_size(n, program))),
        NodeKind::Where(w) => {
            node_size(&w.producer, program).and(node_size(&w.reader, program)).plus(BESIDE, 2)
        }
        NodeKind::Bind(b) => node_size(&b.body, program).plus(0, 1),
        NodeKind::Tiled(t) => match t.by {
            Tiling::Strips(_) => node_size(&t.node, program).plus(0, 2),
            Tiling::Blocks(_) => node_size(&t.node, program).times(2),
        },
        NodeKind::Loop(l) => loop_size(l, program),
    }
}

fn statement_cases(s: &CinStmt, program: &Program) -> usize {
    let CinStmt::Assign { lhs, .. } = s else { return 0 };
    let target = &program.tensors[lhs.tensor];
    match target.kind {
        // One variable has bits, several are hashed.
        TensorKind::Temp if !target.format.is_dense() => BESIDE * lhs.vars.len().min(2),
        TensorKind::Temp | TensorKind::Operand | TensorKind::Result | TensorKind::Predicate => 1,
    }
}

fn loop_size(l: &Loop, program: &Program) -> CodeSize {
    let points = &l.lattice.points;
    let opened = 2 * points[0].leaves.len() + 1;
    let merged = |n: usize| match l.arms[n].walk {
        Walk::Merge | Walk::Gallop => 2 * points[n].leaves.len() + 1,
        Walk::Once | Walk::Positions | Walk::Fused | Walk::Runs | Walk::Whole | Walk::Words => 2,
    };
    if l.over == LoopSet::Union {
        return node_size(&l.arms[0].node, program).plus(BESIDE * points[0].leaves.len(), opened + merged(0));
    }
    // In how many loops a region is met.
    let one_loop = matches!(l.over, LoopSet::Dimension | LoopSet::Gaps | LoopSet::Words);
    let met = |n: usize| match one_loop {
        true => 1,
        false => points.iter().filter(|p| p.leaves.is_superset(&points[n].leaves)).count(),
    };
    let mut all = CodeSize { cases: 0, variables: opened };
    for (n, arm) in l.arms.iter().enumerate() {
        let each = node_size(&arm.node, program);
        let walked = if one_loop && n > 0 { 0 } else { merged(n) };
        all = all.and(if each == CodeSize::default() { each } else { each.times(met(n)) }).plus(0, walked);
    }
    all
}
