//! Loops that take the gaps between stored coordinates by themselves: which ones gain by it.

use super::state::passes_over;
use super::{Arm, LoopSet};
use crate::cost::CostFacts;
use crate::lattice::Lattice;
use crate::space::Leaf;
use crate::whole::in_whole_runs;
use openwork_index::cin::AssemblyMode;
use openwork_index::{CinStmt, IndexId, Program, TensorKind};

/// Elements per coordinate from which on gaps are so short that a loop for each takes longer than to ask.
const CROWDED: f64 = 0.25;

/// Whether a list is known to have few gaps.
fn is_crowded(program: &Program, l: &Leaf) -> bool {
    let t = &program.tensors[l.access.tensor];
    // Slots are counted of levels that have them, taken or not.
    let listed = t.format.levels[l.level].lists_coords();
    listed
        && t.stored
            .is_some_and(|n| n as f64 > CROWDED * CostFacts::from_declarations(program).room(&l.access))
}

/// Whether a loop meets lists beside what is at every coordinate, the dimension itself or runs, and does so little that asking
/// each time whether lists are there would take most of the time: it assigns an element of a dense tensor, adds to a scalar, or
/// gives the result a run for each gap.
pub(super) fn has_gaps(
    program: &Program,
    v: IndexId,
    over: LoopSet,
    lattice: &Lattice,
    arms: &[Arm],
) -> bool {
    let (Some((gap, others)), Some(arm)) = (lattice.points.split_last(), arms.last()) else { return false };
    let level = |l: &Leaf| program.tensors[l.access.tensor].format.levels[l.level];
    let everywhere = match over {
        LoopSet::Dimension => gap.leaves.is_empty(),
        LoopSet::Stored => !gap.leaves.is_empty() && gap.leaves.iter().all(|l| level(l).shares_positions()),
        LoopSet::Gaps | LoopSet::Union | LoopSet::Words | LoopSet::Same | LoopSet::Workspace => false,
    };
    // Slots that a test tells apart have no gaps that are found any faster, and the mark of an empty one is no coordinate.
    let tested = |l: &Leaf| level(l).tests_slots() || level(l).is_padded() || passes_over(program, l);
    let found = |l: &Leaf| (level(l).lists_coords() || level(l).is_in_words()) && !tested(l);
    let lists = |l: &Leaf| found(l) && level(l).is_ordered() && !is_crowded(program, l);
    let beside = others.iter().all(|q| {
        gap.leaves.is_subset(&q.leaves)
            && q.leaves.difference(&gap.leaves).all(lists)
            && q.leaves != gap.leaves
    });
    if !arms.iter().all(|arm| arm.node.how.is_plain()) {
        return false;
    }
    let CinStmt::Assign { lhs, .. } = &arm.node.stmt else { return false };
    let t = &program.tensors[lhs.tensor];
    let simple = match t.kind {
        TensorKind::Result => {
            let element =
                t.format.is_dense() && lhs.vars.contains(&v) && program.assembly == AssemblyMode::InOrder;
            element || in_whole_runs(program, v, &arm.node.stmt, &gap.leaves)
        }
        TensorKind::Temp => t.format.is_dense() && (lhs.vars.is_empty() || lhs.vars.contains(&v)),
        TensorKind::Operand | TensorKind::Predicate => false,
    };
    let plain = program.indices[v].derived.is_none() && arm.bound.checks.is_empty();
    everywhere && !others.is_empty() && beside && simple && plain
}
