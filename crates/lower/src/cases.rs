//! The number of cases that the loops of a graph tell apart, before they are written.
//!
//! A loop that merges has a piece of code for each region of its lattice, once for every larger region whose loop it is met
//! in, and loops inside of it multiply the number:
//!
//! ```text
//! for i, a row of A or of B {  for j { … }  }        regions {A, B}, {A}, {B}: 3 loops, 5 cases
//! ```

use crate::graph::{AssignAction, Graph, GraphNode, Loop, LoopSet, NodeKind, Tiling, Walk};
use crate::refusal::refuse;
use openwork_base::{Conflict, Diagnostic, Result};
use openwork_index::{CinStmt, Program, TensorKind};

/// The most variables of a kernel; a 3-way sum of third-order tensors has about 150.
const VARIABLES: usize = 4000;

/// Refuses a graph whose code nobody wants: regions nest with every variable.
///
/// # Errors
/// `E0408`.
pub(crate) fn refuse_too_much(program: &Program, graph: &Graph) -> Result<()> {
    if variables(graph) <= VARIABLES {
        return Ok(());
    }
    let merged = graph.loops().into_iter().map(|l| l.lattice.points[0].leaves.len()).max().unwrap_or(0);
    let message = format!("merging these operands ({merged} at once) would take too much code");
    let help = "split the statement, or store some operands dense";
    Err(refuse(program, Diagnostic::from_conflict(Conflict::Size, message), help))
}

/// About how many variables the code of a graph has: where walks stand and end, the coordinate of each at every region that they
/// are merged in, and what is held there.
pub fn variables(graph: &Graph) -> usize {
    held(&graph.root)
}

fn held(n: &GraphNode) -> usize {
    match &n.how {
        NodeKind::Plain | NodeKind::Idle => 0,
        NodeKind::Assign(AssignAction::Insert) => 4,
        NodeKind::Assign(AssignAction::Append { .. }) => 1,
        NodeKind::Assign(AssignAction::Store | AssignAction::Accumulate) => 0,
        NodeKind::Parts(all) => all.iter().map(held).fold(0, usize::saturating_add),
        NodeKind::Where(w) => 2usize.saturating_add(held(&w.producer)).saturating_add(held(&w.reader)),
        NodeKind::Bind(b) => held(&b.body).saturating_add(1),
        NodeKind::Tiled(t) => match t.by {
            Tiling::Strips(_) => held(&t.node).saturating_add(2),
            Tiling::Blocks(_) => held(&t.node).saturating_mul(2),
        },
        NodeKind::Loop(l) => {
            let points = &l.lattice.points;
            let opened = 2 * points[0].leaves.len() + 1;
            let merged = |n: usize| match l.arms[n].walk {
                Walk::Merge | Walk::Gallop => 2 * points[n].leaves.len() + 1,
                Walk::Once | Walk::Positions | Walk::Fused | Walk::Runs | Walk::Whole | Walk::Words => 2,
            };
            let one_loop =
                matches!(l.over, LoopSet::Dimension | LoopSet::Gaps | LoopSet::Words | LoopSet::Union);
            let each = l.arms.iter().enumerate().map(|(n, arm)| {
                let walked = if one_loop && n > 0 { 0 } else { merged(n) };
                held(&arm.node).saturating_mul(met(l, n)).saturating_add(walked)
            });
            each.fold(opened, usize::saturating_add)
        }
    }
}

/// In how many loops of a variable a region is met.
fn met(l: &Loop, n: usize) -> usize {
    let points = &l.lattice.points;
    match l.over {
        LoopSet::Dimension | LoopSet::Gaps | LoopSet::Words => 1,
        _ => points.iter().filter(|p| p.leaves.is_superset(&points[n].leaves)).count(),
    }
}

/// What a level costs that a loop steps through beside others in one case, and an element that goes into a sparse
/// workspace, in cases.
const BESIDE: usize = 3;

/// How many cases the code of a graph has. Loops that cost more than their cases, unions, and what fills and reads
/// workspaces, count as what they cost.
pub fn cases(graph: &Graph, program: &Program) -> usize {
    node_cases(&graph.root, program)
}

fn node_cases(n: &GraphNode, program: &Program) -> usize {
    match &n.how {
        NodeKind::Plain | NodeKind::Assign(_) => match &n.stmt {
            CinStmt::Assign { lhs, .. } => {
                let target = &program.tensors[lhs.tensor];
                match target.kind {
                    // One variable has bits, several are hashed.
                    TensorKind::Temp if !target.format.is_dense() => BESIDE * lhs.vars.len().min(2),
                    TensorKind::Temp | TensorKind::Operand | TensorKind::Result => 1,
                }
            }
            _ => 0,
        },
        NodeKind::Idle => 0,
        NodeKind::Parts(all) => all.iter().fold(0, |sum, n| sum.saturating_add(node_cases(n, program))),
        NodeKind::Where(w) => BESIDE
            .saturating_add(node_cases(&w.producer, program))
            .saturating_add(node_cases(&w.reader, program)),
        NodeKind::Bind(b) => node_cases(&b.body, program),
        NodeKind::Tiled(t) => match t.by {
            Tiling::Strips(_) => node_cases(&t.node, program),
            Tiling::Blocks(_) => node_cases(&t.node, program).saturating_mul(2),
        },
        NodeKind::Loop(l) => of_loop(l, program),
    }
}

fn of_loop(l: &Loop, program: &Program) -> usize {
    if l.over == LoopSet::Union {
        return (BESIDE * l.lattice.points[0].leaves.len())
            .saturating_add(node_cases(&l.arms[0].node, program));
    }
    let each =
        l.arms.iter().enumerate().map(|(n, arm)| node_cases(&arm.node, program).saturating_mul(met(l, n)));
    each.fold(0, usize::saturating_add)
}
