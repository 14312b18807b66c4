//! The number of cases that the loops of a graph tell apart, before they are written.
//!
//! A loop that merges has a piece of code for each region of its lattice, once for every larger region whose loop it is met
//! in, and loops inside of it multiply the number:
//!
//! ```text
//! for i, a row of A or of B {  for j { … }  }        regions {A, B}, {A}, {B}: 3 loops, 5 cases
//! ```

use crate::graph::{Graph, How, Loop, Node, Over, Tiling};
use crate::refusal::refuse;
use openwork_base::{Conflict, Diagnostic, Result};
use openwork_index::{Kind, Program, Stmt};

/// The most cases of a kernel, each of which has about four variables; a 3-way sum of third-order tensors has about 40.
const MOST: usize = 1200;

/// Refuses a graph whose code nobody wants: regions nest with every variable.
///
/// # Errors
/// `E0408`.
pub(crate) fn refuse_too_much(program: &Program, graph: &Graph) -> Result<()> {
    if cases(graph, program) <= MOST {
        return Ok(());
    }
    let merged = graph.loops().into_iter().map(|l| l.lattice.points[0].leaves.len()).max().unwrap_or(0);
    let message = format!("merging these operands ({merged} at once) would take too much code");
    let help = "split the statement, or store some operands dense";
    Err(refuse(program, Diagnostic::of(Conflict::Size, message), help))
}

/// What a level costs that a loop steps through beside others in one case, and an element that goes into a sparse
/// workspace, in cases.
const BESIDE: usize = 3;

/// How many cases the code of a graph has. Loops that cost more than their cases, unions, and what fills and reads
/// workspaces, count as what they cost.
pub fn cases(graph: &Graph, program: &Program) -> usize {
    of(&graph.root, program)
}

fn of(n: &Node, program: &Program) -> usize {
    match &n.how {
        How::Plain | How::Assign(_) => match &n.stmt {
            Stmt::Assign { lhs, .. } => {
                let target = &program.tensors[lhs.tensor];
                match target.kind {
                    // One variable has bits, several are hashed.
                    Kind::Temp if !target.format.is_dense() => BESIDE * lhs.vars.len().min(2),
                    Kind::Temp | Kind::Operand | Kind::Result => 1,
                }
            }
            _ => 0,
        },
        How::Idle => 0,
        How::Parts(all) => all.iter().fold(0, |sum, n| sum.saturating_add(of(n, program))),
        How::Where(w) => {
            BESIDE.saturating_add(of(&w.producer, program)).saturating_add(of(&w.reader, program))
        }
        How::Bind(b) => of(&b.body, program),
        How::Tiled(t) => match t.by {
            Tiling::Strips(_) => of(&t.node, program),
            Tiling::Blocks(_) => of(&t.node, program).saturating_mul(2),
        },
        How::Loop(l) => of_loop(l, program),
    }
}

fn of_loop(l: &Loop, program: &Program) -> usize {
    if l.over == Over::Union {
        return (BESIDE * l.lattice.points[0].leaves.len()).saturating_add(of(&l.arms[0].node, program));
    }
    let points = &l.lattice.points;
    let met = |n: usize| match l.over {
        Over::Dimension | Over::Gaps | Over::Words => 1,
        _ => points.iter().filter(|p| p.leaves.is_superset(&points[n].leaves)).count(),
    };
    let each = l.arms.iter().enumerate().map(|(n, arm)| of(&arm.node, program).saturating_mul(met(n)));
    each.fold(0, usize::saturating_add)
}
