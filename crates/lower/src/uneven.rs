//! Intersections of lists whose lengths differ much, by what was declared of operands: those for which galloping pays.

use crate::cost::CostFacts;
use crate::graph::{Graph, LoopSet, Walk, is_sorted_list};
use openwork_base::machine::threshold;
use openwork_index::{Access, IndexId, Program};

/// The most lists that are compared.
const MOST: usize = 4;
/// From this ratio of lengths on, searching is quicker than stepping.
const UNEVEN: f64 = 24.0;

/// The intersections of a program whose lists differ so much in length, as far as the numbers of stored values are known,
/// that galloping pays; with the ratio.
pub fn uneven(graph: &Graph, program: &Program) -> Vec<(IndexId, f64)> {
    let mut out: Vec<(IndexId, f64)> = Vec::new();
    let facts = CostFacts::from_declarations(program);
    for l in graph.loops() {
        let [point] = &l.lattice.points[..] else { continue };
        let known = |a: &Access| program.tensors[a.tensor].stored.is_some();
        // Of more lists one is soon exhausted, and a table is asked at once.
        if point.leaves.len() > MOST || !l.sought.is_empty() {
            continue;
        }
        let lists = point.leaves.iter().all(|l| known(&l.access) && is_sorted_list(program, l));
        if l.over != LoopSet::Stored || l.arms[0].walk != Walk::Merge || !lists {
            continue;
        }
        let lengths = point.leaves.iter().map(|l| facts.children(l).max(0.5));
        let (least, most) = lengths.fold((f64::INFINITY, 0.0f64), |(a, b), n| (a.min(n), b.max(n)));
        if most / least >= threshold(UNEVEN, 1.0) {
            out.push((l.var, most / least));
        }
    }
    out
}
