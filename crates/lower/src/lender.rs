//! The operands that lend a result their structure: the loops over the result visit what one operand stores and nothing else, so
//! that the result has its index arrays, and each element its position (array-programming paper, §6; sampled products and maps
//! over values are such statements). Several operands that store the same elements, which a run finds out, do so together.
//!
//! ```text
//! C(i,j) = 2 * A(i,j)                         by values, in any format
//! C(i,j) = A(i,j) + B(i,j)                    by values, where A and B have the same index arrays
//! C(i,j) = t(j) where t(j) += A(i,j), …       by values as well: t has what is added up in it
//! C(i,j) = A(i,j) * x(j)                      by positions, A and C in csr
//! C(i,j) = A(i,j) * B(i,k) * D(j,k)           by positions, A and C in csr, B and D dense
//! C(i,j) = A(i,j) + x(j)                      nobody lends: C stores more than A
//! ```
//! It is read off the graph, whose loops say what is visited. Whether elements that come out as the fill value are left out is
//! another question ([`Lender::drops`](crate::Lender)).

use crate::graph::{Arm, Graph, GraphNode, Loop, LoopSet, NodeKind, Walk, may_be_empty};
use crate::lattice::{Extent, RegionRole};
use crate::lowered::LentValues;
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_algebra::Prim;
use openwork_base::Arena;
use openwork_format::{Format, Level, presets};
use openwork_index::cin::{AssemblyMode, Directives};
use openwork_index::{
    Access, CinStmt, IndexExpr, IndexId, IndexVar, PositionReach, Program, TensorId, TensorKind, TensorVar,
};
use std::collections::{BTreeMap, BTreeSet};

/// The last levels of the operands that lend the result of a program their structure, and how.
pub(crate) struct Lenders {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) by: LentValues,
}

/// What lends the result its structure row by row, for kernels that rely on it.
pub(crate) fn lender(program: &Program, graph: &Graph) -> Option<Lenders> {
    lenders(program, graph).filter(|found| found.by == LentValues::Positions)
}

/// The operands that lend the result of a program their structure, if there are any.
pub(crate) fn lenders(program: &Program, graph: &Graph) -> Option<Lenders> {
    let (result, rhs) = result_assignment(program)?;
    let format = &program.tensors[result.tensor].format;
    let walked = find_walk(program, graph, result)?;
    let rhs = &if walked.gathered { written_out(program, rhs.clone())? } else { rhs.clone() };
    let leaves: Vec<Leaf> = walked.levels.last()?.iter().cloned().collect();
    let together = |(k, level): (usize, &BTreeSet<Leaf>)| match level.is_empty() {
        true => format.levels[k].is_dense(),
        false => leaves.iter().map(|l| Leaf { level: k, ..l.clone() }).eq(level.iter().cloned()),
    };
    let whole = |leaf: &Leaf| !program.tensors[leaf.access.tensor].is_windowed();
    let fit =
        |leaf: &Leaf| has_same_levels(program, result, leaf) && !may_be_empty(program, leaf) && whole(leaf);
    // Values of a part of an operand have no positions of their own.
    let parts = |a: &&Access| program.tensors[a.tensor].is_windowed();
    if visits_otherwise(rhs)
        || rhs.accesses().iter().any(parts)
        || leaves.is_empty()
        || !walked.levels.iter().enumerate().all(together)
        || !leaves.iter().all(fit)
    {
        return None;
    }
    let above = &format.levels[..format.rank() - 1];
    let by_values = walked.straight && lists_elements(format) && is_map(rhs, &leaves);
    // One list is not cut into parts, which must not be missed.
    let by_positions = leaves.len() == 1
        && !walked.gathered
        && above.iter().all(|l| l.is_dense())
        && is_list(&format.levels[format.rank() - 1])
        && (!above.is_empty() || walked.straight);
    let by = match (by_values, by_positions) {
        (true, _) => LentValues::Values,
        (false, true) => LentValues::Positions,
        (false, false) => return None,
    };
    Some(Lenders { leaves, by })
}

/// The one assignment of the result, where loops append it in order.
fn result_assignment(program: &Program) -> Option<(&Access, &IndexExpr)> {
    let mut assigned = program.body.assignments().into_iter();
    let is_result =
        |(lhs, ..): &(&Access, _, &IndexExpr)| program.tensors[lhs.tensor].kind == TensorKind::Result;
    match (assigned.find(is_result), assigned.find(is_result)) {
        (Some((result, None, rhs)), None) if program.assembly == AssemblyMode::InOrder => Some((result, rhs)),
        (Some(_) | None, _) => None,
    }
}

/// Whether a value says by itself where it is visited.
fn visits_otherwise(e: &IndexExpr) -> bool {
    matches!(e, IndexExpr::Map { .. } | IndexExpr::Stored { .. } | IndexExpr::Beside { .. })
        || e.children().any(visits_otherwise)
}
/// Whether a value depends on nothing but elements of these operands, and on scalars.
fn is_map(e: &IndexExpr, of: &[Leaf]) -> bool {
    match e {
        IndexExpr::Access(a) => a.vars.is_empty() || of.iter().any(|leaf| leaf.access == *a),
        IndexExpr::Index(_) | IndexExpr::Width(_) | IndexExpr::WithFill { .. } => false,
        IndexExpr::Literal(_)
        | IndexExpr::Cast { .. }
        | IndexExpr::Call { .. }
        | IndexExpr::Map { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Reduce { .. } => e.children().all(|c| is_map(c, of)),
    }
}

/// What the loops over the result walk.
struct Walked {
    /// The levels that each loop walks together; none where it takes every coordinate.
    levels: Vec<BTreeSet<Leaf>>,
    /// Whether nothing is computed on the way.
    straight: bool,
    /// Whether the innermost ones fill a workspace, out of which elements are taken.
    gathered: bool,
}

fn find_walk(program: &Program, graph: &Graph, result: &Access) -> Option<Walked> {
    let mut node = &graph.root;
    let mut walked = Walked { levels: Vec::new(), straight: true, gathered: false };
    let depth = program.tensors[result.tensor].format.rank();
    for k in 0..depth {
        if k + 1 == depth
            && let Some(leaves) = gathered_leaves(node, var_of(program, result, k), result)
        {
            walked.levels.push(leaves);
            walked.gathered = true;
            return Some(walked);
        }
        walked.straight &= !matches!(node.how, NodeKind::Where(_));
        node = reader(node);
        let NodeKind::Loop(l) = &node.how else { return None };
        if l.var != var_of(program, result, k) {
            return None;
        }
        walked.levels.push(takes(l)?);
        node = &l.arms.first()?.node;
    }
    walked.straight &= node.how.is_plain();
    let assigns = matches!(&reader(node).stmt, CinStmt::Assign { lhs, .. } if lhs == result);
    assigns.then_some(walked)
}

/// The levels that loops over `v` walk to fill a workspace with sums, each on its own, where the result gets one value for each
/// element that is taken out.
fn gathered_leaves(node: &GraphNode, v: IndexId, result: &Access) -> Option<BTreeSet<Leaf>> {
    let NodeKind::Where(w) = &node.how else { return None };
    let (temp, NodeKind::Loop(taken)) = (w.drained?, &w.reader.how) else { return None };
    let one = taken.over == LoopSet::Workspace && taken.var == v && taken.arms.len() == 1;
    let reads = |arm: &Arm| matches!(&arm.node.stmt, CinStmt::Assign { lhs, .. } if lhs == result);
    if !one || !taken.arms.iter().all(reads) {
        return None;
    }
    let producers = match &w.producer.how {
        NodeKind::Parts(all) => all.iter().collect(),
        NodeKind::Loop(_) => vec![&w.producer],
        NodeKind::Plain
        | NodeKind::Assign(_)
        | NodeKind::Where(_)
        | NodeKind::Bind(_)
        | NodeKind::Tiled(_)
        | NodeKind::Idle => {
            return None;
        }
    };
    let mut leaves = BTreeSet::new();
    for producer in producers {
        let NodeKind::Loop(l) = &producer.how else { return None };
        let sum = &l.arms.first()?.node;
        let adds = matches!(&sum.stmt, CinStmt::Assign { lhs, op: Some(_), .. } if lhs.tensor == temp && lhs.vars == [v]);
        let own = takes(l)?;
        if l.var != v || !adds || !sum.how.is_plain() || own.is_empty() {
            return None;
        }
        leaves.extend(own);
    }
    Some(leaves)
}

/// A value with what is added up in its temporaries in their place; nothing where that is no sum of such.
fn written_out(program: &Program, e: IndexExpr) -> Option<IndexExpr> {
    let IndexExpr::Access(a) = &e else {
        let mut failed = false;
        let whole = e.map_children(&mut |c| {
            written_out(program, c.clone()).unwrap_or_else(|| {
                failed = true;
                c
            })
        });
        return (!failed).then_some(whole);
    };
    let dtype = program.tensors[a.tensor].dtype;
    if program.tensors[a.tensor].kind != TensorKind::Temp || a.vars.is_empty() {
        return Some(e);
    }
    let all = program.body.assignments().into_iter();
    let mut sum: Option<IndexExpr> = None;
    for (_, op, value) in all.filter(|(lhs, ..)| lhs.tensor == a.tensor) {
        let op = op.filter(|op| op.prim == Prim::Add && value.dtype(&program.tensors) == dtype)?;
        sum = Some(match sum {
            None => value.clone(),
            Some(sum) => IndexExpr::Call { op, args: vec![sum, value.clone()] },
        });
    }
    sum
}

/// What reads the temporaries that are filled before.
fn reader(mut node: &GraphNode) -> &GraphNode {
    while let NodeKind::Where(w) = &node.how {
        node = &w.reader;
    }
    node
}

/// The levels that a loop walks from their first positions to their last, or none where it takes every coordinate; nothing for
/// loops that do less where all of them store a coordinate, or more elsewhere.
fn takes(l: &Loop) -> Option<BTreeSet<Leaf>> {
    let plain = l.sought.is_empty() && l.followed.is_empty() && l.confined.is_empty() && l.until.is_none();
    let (all, arm) = (l.lattice.points.first()?, l.arms.first()?);
    if !plain || !arm.bound.checks.is_empty() || arm.empties || !arm.skips.is_empty() {
        return None;
    }
    let stored = l.lattice.points.iter().all(|p| p.extent == Extent::Stored);
    let taken = match (all.leaves.len(), l.over) {
        (0, LoopSet::Dimension) => l.whole && l.arms.len() == 1,
        (1, LoopSet::Stored) => {
            let walked = matches!(arm.walk, Walk::Positions | Walk::Fused | Walk::Once);
            walked && stored && l.arms.len() == 1
        }
        // Where all store the same, only the region of all of them is met.
        (2.., LoopSet::Stored | LoopSet::Union) => stored && all.role == RegionRole::Producer,
        (_, LoopSet::Dimension | LoopSet::Gaps | LoopSet::Stored | LoopSet::Union) => false,
        (_, LoopSet::Words | LoopSet::Same | LoopSet::Workspace) => false,
    };
    taken.then(|| all.leaves.clone())
}

/// A list of distinct coordinates, in order, below each parent.
fn is_list(l: &Level) -> bool {
    l.lists_coords() && l.in_segments() && l.is_ordered() && l.unique() && !l.full()
}
/// Whether every position of the last level is an element, each with coordinates of its own.
fn lists_elements(format: &Format) -> bool {
    let lists = |l: &Level| {
        l.lists_coords() && !l.full() && (l.in_segments() || l.spec.interleaves || l.branchless())
    };
    let below = format.levels.iter().skip_while(|l| l.is_dense());
    let told_apart = |pair: &[Level]| pair[0].unique() || pair[1].branchless();
    below.clone().count() > 0
        && below.into_iter().all(lists)
        && format.levels.windows(2).all(told_apart)
        && format.levels.last().is_some_and(|l| l.unique())
}

/// Whether the operand of a leaf has the result's levels, over the same variables. Its arrays may have other widths.
fn has_same_levels(program: &Program, result: &Access, leaf: &Leaf) -> bool {
    let (of, to) = (&program.tensors[leaf.access.tensor], &program.tensors[result.tensor]);
    let plain = |t: &TensorVar| t.remap.is_none() && t.format.remap.is_none() && !t.format.symmetric;
    of.kind == TensorKind::Operand
        && leaf.access.vars == result.vars
        && leaf.level + 1 == of.format.rank()
        && of.format.levels == to.format.levels
        && of.format.modes == to.format.modes
        && plain(of)
        && plain(to)
}

/// The statement over nothing but the values of the operands that lend by [`LentValues::Values`]: `C(p) = 2 * A(p)`, both dense.
pub fn over_values(program: &Program) -> Option<Program> {
    let (result, rhs) = result_assignment(program)?;
    let rhs = written_out(program, rhs.clone())?;
    let mut indices = Arena::default();
    let span = program.source.part;
    let p = indices.push(IndexVar {
        name: "p".into(),
        size: None,
        span,
        derived: None,
        positional: false,
        scattered: false,
        declared: false,
        reach: PositionReach::Unknown,
        made_for: [].into(),
        like: None,
    });
    let mut tensors = Arena::default();
    let mut known: BTreeMap<TensorId, TensorId> = BTreeMap::new();
    for access in rhs.accesses().into_iter().chain([result]) {
        known.entry(access.tensor).or_insert_with(|| {
            let t = program.tensors[access.tensor].clone();
            let format = if access.vars.is_empty() { t.format } else { presets::dense(1) };
            tensors.push(TensorVar { format, stored: None, ..t })
        });
    }
    let moved = |a: Access| {
        let vars = if a.vars.is_empty() { Vec::new() } else { vec![p] };
        Access { tensor: known[&a.tensor], vars }
    };
    fn rewrite_accesses(e: IndexExpr, moved: &dyn Fn(Access) -> Access) -> IndexExpr {
        e.with_access(moved).map_children(&mut |c| rewrite_accesses(c, moved))
    }
    let assign =
        CinStmt::Assign { lhs: moved(result.clone()), op: None, rhs: rewrite_accesses(rhs.clone(), &moved) };
    let body = CinStmt::Forall { index: p, body: Box::new(assign) };
    let (assembly, directives) = (AssemblyMode::InOrder, Directives::default());
    Some(Program {
        tensors,
        indices,
        body,
        assembly,
        begins: None,
        directives,
        reads: Vec::new(),
        source: program.source.clone(),
    })
}
