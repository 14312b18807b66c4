//! Whether the walk of a level is what its declaration says, on which the graph relies: asked of the level with arrays, sizes and
//! a parent that stand for any, before a line is written.
//!
//! ```text
//! declared branchless          one child, at the parent's own position
//! declared ordered             positions in order
//! listed, unique, ordered      an array has the coordinate of each position
//! ```
//! The levels of this repository that list their coordinates, or are dense, keep their word wherever they stand, so they are asked
//! only where a part is read of them, or a remapping stands behind them.

use crate::graph::{
    Graph, GraphNode, Loop, LoopSet, NodeKind, Walk, is_searchable, is_sorted_list, may_be_empty,
};
use crate::refusal::refuse;
use crate::space::Leaf;
use crate::surroundings::{interleaved_coords, remap_facts};
use openwork_base::{Conflict, Diagnostic, Result};
use openwork_format::{ArrayRole, Level};
use openwork_index::{Access, Program, TensorKind, TensorVar};
use openwork_levels::{
    ChildTest, CoordOrder, CoordSource, EmptySlots, LevelIr, Place, Registry, Shape, WalkStart,
};
use openwork_loops::build::var;
use openwork_loops::{BufRole, Expr, LoopKernel};
use std::collections::BTreeSet;

/// What is wrong with a walk, and what to declare or do.
type Wrong = (&'static str, &'static str);

/// Refuses walks that are not what their levels declare.
///
/// # Errors
/// `E0406`.
pub(crate) fn refuse_undeclared(program: &Program, registry: &Registry, graph: &Graph) -> Result<()> {
    let keeps = |t: &TensorVar| {
        t.kind != TensorKind::Operand || t.format.levels.iter().all(|&l| keeps_its_word(t, l))
    };
    if program.tensors.iter().all(|(_, t)| keeps(t)) {
        return Ok(());
    }
    WalkCheck { program, registry }.node(&graph.root, &BTreeSet::new())
}

/// Levels that stand at several positions, which share a coordinate.
type SharedPlaces<'a> = BTreeSet<(&'a Access, usize)>;

struct WalkCheck<'a> {
    program: &'a Program,
    registry: &'a Registry,
}

impl<'a> WalkCheck<'a> {
    fn node(&self, n: &'a GraphNode, runs: &SharedPlaces<'a>) -> Result<()> {
        match &n.how {
            NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => Ok(()),
            NodeKind::Parts(all) => all.iter().try_for_each(|n| self.node(n, runs)),
            NodeKind::Where(w) => {
                w.marked.iter().try_for_each(|leaf| self.check(leaf, Walk::Once, runs))?;
                self.node(&w.producer, runs)?;
                self.node(&w.reader, runs)
            }
            NodeKind::Bind(b) => self.node(&b.body, runs),
            NodeKind::Tiled(t) => self.node(&t.node, runs),
            NodeKind::Loop(l) => self.walk(l, runs),
        }
    }
    fn walk(&self, l: &'a Loop, runs: &SharedPlaces<'a>) -> Result<()> {
        if l.over != LoopSet::Workspace {
            let top = &l.lattice.points[0].leaves;
            top.iter().try_for_each(|leaf| self.check(leaf, l.arms[0].walk, runs))?;
            l.followed.iter().try_for_each(|leaf| self.check(leaf, Walk::Once, runs))?;
        }
        for (q, arm) in l.lattice.points.iter().zip(&l.arms) {
            let mut inside = runs.clone();
            let several = |leaf: &&Leaf| match l.over {
                LoopSet::Union => leaf.level + 1 < self.program.tensors[leaf.access.tensor].format.rank(),
                _ => self.repeats(leaf, runs) && arm.walk != Walk::Fused,
            };
            inside.extend(q.leaves.iter().filter(several).map(|leaf| (&leaf.access, leaf.level)));
            self.node(&arm.node, &inside)?;
        }
        Ok(())
    }
    fn level(&self, leaf: &Leaf) -> Level {
        self.program.tensors[leaf.access.tensor].format.levels[leaf.level]
    }
    /// Whether a leaf is walked below several positions.
    fn chains(&self, leaf: &Leaf, runs: &SharedPlaces) -> bool {
        leaf.level > 0 && runs.contains(&(&leaf.access, leaf.level - 1))
    }
    fn repeats(&self, leaf: &Leaf, runs: &SharedPlaces) -> bool {
        let level = self.level(leaf);
        !level.unique() && (self.chains(leaf, runs) || !level.branchless())
    }
    fn check(&self, leaf: &Leaf, walk: Walk, runs: &SharedPlaces) -> Result<()> {
        let t = &self.program.tensors[leaf.access.tensor];
        if keeps_its_word(t, self.level(leaf)) {
            return Ok(());
        }
        let chained = self.chains(leaf, runs);
        let shape = shape(self.program, self.registry, leaf, chained);
        let Some((what, help)) = shape.and_then(|shape| self.wrong(leaf, walk, &shape, chained)) else {
            return Ok(());
        };
        let message = format!("level {} of `{}` {what}", leaf.level + 1, t.name);
        Err(refuse(self.program, Diagnostic::from_conflict(Conflict::Level, message), help))
    }
    /// What is wrong with the walk of a leaf, if anything is.
    fn wrong(&self, leaf: &Leaf, walk: Walk, shape: &Shape, chained: bool) -> Option<Wrong> {
        let t = &self.program.tensors[leaf.access.tensor];
        if let Some(wrong) = differs(self.program, leaf, shape, chained) {
            return Some(wrong);
        }
        if *shape == Shape::Every {
            return Some(("cannot be located here", "store the level compressed"));
        }
        if is_stepped(shape) && !self.level(leaf).unique() {
            return Some(("cannot repeat coordinates", "declare the level unique"));
        }
        if t.windows.get(t.format.modes[leaf.level]).is_some() && !is_plain_list(shape) {
            return Some(("is no list of which a part is walked", "take the part out before"));
        }
        let searched = is_searchable(self.program, leaf, walk);
        (searched && !can_be_searched(shape)).then_some((
            "cannot be searched as it declares",
            "coordinates in an array are those of the positions, an interval has one for each",
        ))
    }
}

/// Whether the coordinates of a leaf are known from the ones before only.
pub(crate) fn is_known_in_steps(program: &Program, registry: &Registry, leaf: &Leaf) -> bool {
    let t = &program.tensors[leaf.access.tensor];
    !keeps_its_word(t, t.format.levels[leaf.level])
        && shape(program, registry, leaf, false).is_some_and(|shape| is_stepped(&shape))
}

/// Whether a level of a tensor is one whose walk needs no question.
fn keeps_its_word(t: &TensorVar, level: Level) -> bool {
    if t.kind == TensorKind::Predicate {
        return true;
    }
    let plain = level.is_built_in() && (level.is_dense() || level.lists_coords());
    plain && t.remap.is_none() && !t.is_windowed()
}

/// What a walk is though the declaration of its level says something else.
fn differs(program: &Program, leaf: &Leaf, shape: &Shape, chained: bool) -> Option<Wrong> {
    let level = program.tensors[leaf.access.tensor].format.levels[leaf.level];
    let one_child = level.branchless() && !chained;
    if one_child != matches!(shape, Shape::Single { .. }) {
        let help = "declare a level branchless if its walk is of one child";
        return Some(("does not have the children that it declares", help));
    }
    let runs = level.shares_positions() != matches!(shape, Shape::Runs { .. });
    if runs || level.is_in_words() != matches!(shape, Shape::Bits { .. }) {
        return Some((
            "is not walked as it declares",
            "runs cover every coordinate and have arrays, bits are in words",
        ));
    }
    let (Shape::Single { coord, test, .. } | Shape::Positions { coord, test, .. }) = shape else {
        return None;
    };
    if level.is_ordered() && matches!(shape, Shape::Positions { order: CoordOrder::Unsorted, .. }) {
        let help = "declare a level unordered if its walk is in no order";
        return Some(("does not have the order that it declares", help));
    }
    if *test != ChildTest::Always && !may_be_empty(program, leaf) {
        let help = "declare which slots of the level may be empty";
        return Some(("tests slots that it does not declare", help));
    }
    let listed = matches!(coord, CoordSource::Stored { .. } | CoordSource::Listed { .. });
    if is_sorted_list(program, leaf) && !listed {
        let help = "an array of coordinates has the coordinate of each position";
        return Some(("does not list the coordinates that it declares", help));
    }
    None
}

fn is_stepped(shape: &Shape) -> bool {
    matches!(shape, Shape::Positions { coord: CoordSource::Stepped { .. }, .. })
}
/// Whether the coordinates of a walk are in an array of their own, in order.
fn is_plain_list(shape: &Shape) -> bool {
    let plain = |c: &CoordSource| matches!(c, CoordSource::Stored { stride: 1, offset: 0, .. });
    match shape {
        Shape::Single { coord, .. } => plain(coord),
        Shape::Positions { coord, order, .. } => *order == CoordOrder::Sorted && plain(coord),
        // No part of these is taken.
        Shape::Runs { .. } | Shape::Bits { .. } => true,
        Shape::Every => false,
    }
}
/// Whether the first position at or behind a coordinate can be found without a walk.
fn can_be_searched(shape: &Shape) -> bool {
    let Shape::Positions { coord, order, test, .. } = shape else { return false };
    match coord {
        CoordSource::Stored { .. } | CoordSource::Listed { .. } | CoordSource::Windowed(_) => {
            *order == CoordOrder::Sorted && *test == ChildTest::Always
        }
        CoordSource::Counted { .. } => true,
        CoordSource::Is(_) | CoordSource::Stepped { .. } => false,
    }
}

/// The form of the walk of a leaf in a kernel of nothing else, where it can be walked.
fn shape(program: &Program, registry: &Registry, leaf: &Leaf, chained: bool) -> Option<Shape> {
    let t = &program.tensors[leaf.access.tensor];
    let walk = registry.get(t.format.levels[leaf.level].spec).and_then(|f| f.iterate())?;
    let mut kernel = LoopKernel::new("any");
    let mut levels: Vec<LevelIr> = Vec::new();
    for k in 0..=leaf.level {
        let level = any_level(&mut kernel, t, k, levels.last());
        levels.push(level);
    }
    let [lo, hi] = ["lo", "hi"].map(|name| var(kernel.index(name)));
    let parent = if chained { Place::run(lo, hi) } else { Place::one(lo) };
    let above: Vec<Expr> = (0..leaf.level).map(|_| var(kernel.index("above"))).collect();
    let level = levels.last()?;
    Some(walk.iteration(&WalkStart { kernel: &kernel, level, parent: &parent, above: &above }))
}

/// A level with arrays and numbers that stand for any.
fn any_level(kernel: &mut LoopKernel, t: &TensorVar, k: usize, above: Option<&LevelIr>) -> LevelIr {
    let level = t.format.levels[k];
    let (mut arrays, mut sizes) = (Vec::new(), Vec::new());
    for array in level.spec.arrays {
        arrays.push(kernel.buf(array.name, t.format.array_dtype(array.role), BufRole::In));
        if let ArrayRole::Size(count) = array.role {
            sizes.extend((0..count).map(|_| var(kernel.index("size"))));
        }
    }
    let [low, size, low_above, size_above, width] =
        ["low", "size", "low_above", "size_above", "width"].map(|name| var(kernel.index(name)));
    let structs = interleaved_coords(&t.format.levels, k, &arrays, above);
    let given = remap_facts(t, k, &|_| width.clone());
    let slots =
        if t.declared_format().has_empties(k) { EmptySlots::SomeEmpty } else { EmptySlots::AllFilled };
    LevelIr { level, arrays, sizes, low, size, size_above, low_above, structs, given, slots }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::DType;
    use openwork_loops::build::int;

    #[test]
    fn what_can_be_searched() {
        let mut kernel = LoopKernel::new("any");
        let crd = kernel.buf("crd", DType::I64, BufRole::In);
        let list = |order, test| Shape::Positions {
            lo: int(0),
            hi: int(3),
            coord: CoordSource::from_array(crd),
            order,
            test,
        };
        assert!(can_be_searched(&list(CoordOrder::Sorted, ChildTest::Always)));
        assert!(!can_be_searched(&list(CoordOrder::Unsorted, ChildTest::Always)));
        assert!(!can_be_searched(&list(CoordOrder::Sorted, ChildTest::NotEmpty(-1))));
        assert!(!can_be_searched(&Shape::Single {
            coord: CoordSource::from_array(crd),
            test: ChildTest::Always
        }));
    }
}
