//! The iteration graph: what a kernel does, decided before a line of it is written.
//!
//! It is the statement with an answer at every loop (the workspaces paper's iteration graph with the lattices of the
//! array-programming paper): what the loop runs over, which regions it tells apart, which coordinates are looked up instead
//! of walked, and what is left to do in each region. [`Graph::build`] reads the statement and the facts of levels alone, so it
//! serves the kernel over parts and the one over the whole, and a statement whose graph cannot be built is refused before
//! anything is written.
//!
//! ```text
//! y(i) += A(i,j) * x(j), A csr, x sparse        i over the dimension
//!                                                 j over A(i,j).2 and x(j).1
//!                                                   y(i) += A(i,j) * x(j)
//! ```
//! A region's node is built once, however many of a merge's loops meet the region.

mod appends;
mod build;
pub mod coverage;
pub mod eval;
mod fuse;
mod gaps;
mod guard;
pub mod law;
mod state;
mod text;
mod tile;
mod union;
mod until;

pub use crate::assembly::{LevelMaking, ResultPlan};
pub(crate) use build::predicates::{Confinement, confinement};
pub(crate) use build::{ARMS, counters};
pub(crate) use state::{is_searchable, is_sorted_list, may_be_empty, same_interval};
pub use tile::Tiling;
pub(crate) use tile::strip_variable;
pub use until::{KeptValues, Until};

use crate::lattice::Lattice;
use crate::space::Leaf;
use openwork_index::cin::Storage;
use openwork_index::{Access, CinStmt, IndexId, TensorId};
use std::collections::{BTreeMap, BTreeSet};

/// The iteration graph of a program: what its kernel does, loop by loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The whole statement.
    pub root: GraphNode,
    /// The result.
    pub result: Option<ResultPlan>,
    /// How each sparse temporary is kept.
    pub storage: BTreeMap<TensorId, Storage>,
    /// Whether values that are appended are left out where they are the fill value, because of what they are computed from.
    pub leaves_out_fill: bool,
}

impl Graph {
    /// The loops, each where most of its operands are present, the outer before the inner.
    pub fn loops(&self) -> Vec<&Loop> {
        let mut out = Vec::new();
        self.root.loops(&mut out);
        out
    }
    /// Whether values of the result are left out where they are its fill value.
    pub(crate) fn drops(&self) -> bool {
        self.root.drops()
    }
    /// About how many bytes the nodes take.
    pub fn bytes(&self) -> usize {
        self.root.bytes()
    }
}

/// A statement, and what was decided about it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// The statement.
    pub stmt: CinStmt,
    /// How it is done.
    pub how: NodeKind,
    /// What must hold for it to be done, which is known before.
    pub guard: EntryGuard,
}

/// What must hold for loops to be entered: otherwise nothing would come of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryGuard {
    /// Truth values that must not be the fill value.
    pub decided: Vec<Access>,
    /// Levels that loops inside walk, whose segments must hold elements.
    pub segments: Vec<Leaf>,
}

impl GraphNode {
    /// A statement that is done whatever holds.
    pub fn new(stmt: CinStmt, how: NodeKind) -> GraphNode {
        GraphNode { stmt, how, guard: EntryGuard::default() }
    }
    fn drops(&self) -> bool {
        match &self.how {
            NodeKind::Plain | NodeKind::Idle => false,
            NodeKind::Assign(action) => matches!(action, AssignAction::Append { keep } if *keep != Keep::All),
            NodeKind::Parts(all) => all.iter().any(GraphNode::drops),
            NodeKind::Where(w) => w.producer.drops() || w.reader.drops(),
            NodeKind::Bind(b) => b.body.drops(),
            NodeKind::Tiled(t) => t.node.drops(),
            NodeKind::Loop(l) => l.arms.iter().any(|arm| arm.node.drops()),
        }
    }
    /// Whether a variable gets values here: whether it has a loop that gallops, or any other way.
    fn gallops(&self, v: IndexId) -> Option<bool> {
        let any = |all: &mut dyn Iterator<Item = &GraphNode>| {
            all.filter_map(|n| n.gallops(v)).reduce(|one, other| one || other)
        };
        let of = |stmt: &CinStmt| matches!(stmt, CinStmt::Forall { index, .. } if *index == v);
        match &self.how {
            NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => None,
            NodeKind::Parts(all) => any(&mut all.iter()),
            NodeKind::Where(w) => any(&mut [&w.producer, &w.reader].into_iter()),
            NodeKind::Bind(_) if of(&self.stmt) => Some(false),
            NodeKind::Tiled(t) => t.node.gallops(v),
            NodeKind::Bind(b) => b.body.gallops(v),
            NodeKind::Loop(l) if l.var == v => Some(l.arms[0].walk == Walk::Gallop),
            NodeKind::Loop(l) => any(&mut l.arms.iter().map(|arm| &arm.node)),
        }
    }
    fn bytes(&self) -> usize {
        // Accesses and operators of an expression are in lists of their own.
        const PART: usize = 48;
        let mut parts = 0;
        self.stmt.visit(&mut |s| {
            parts += 1;
            if let CinStmt::Assign { rhs, .. } = s {
                rhs.visit(&mut |_| parts += 1);
            }
        });
        let inside: usize = match &self.how {
            NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => 0,
            NodeKind::Parts(all) => all.iter().map(GraphNode::bytes).sum(),
            NodeKind::Where(w) => w.producer.bytes() + w.reader.bytes(),
            NodeKind::Bind(b) => b.body.bytes(),
            NodeKind::Tiled(t) => t.node.bytes(),
            NodeKind::Loop(l) => l.arms.iter().map(|arm| size_of::<Arm>() + arm.node.bytes()).sum(),
        };
        size_of::<GraphNode>() + PART * parts + inside
    }
    fn loops<'n>(&'n self, out: &mut Vec<&'n Loop>) {
        match &self.how {
            NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle => {}
            NodeKind::Parts(all) => all.iter().for_each(|n| n.loops(out)),
            NodeKind::Where(w) => {
                w.reader.loops(out);
                w.producer.loops(out);
            }
            NodeKind::Bind(b) => b.body.loops(out),
            NodeKind::Tiled(t) => t.node.loops(out),
            NodeKind::Loop(l) => {
                out.push(l);
                if let Some(arm) = l.arms.iter().find(|arm| arm.node.stmt != CinStmt::Nop) {
                    arm.node.loops(out);
                }
            }
        }
    }
}

/// The way in which a statement is carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// There is nothing to do.
    Plain,
    /// An assignment.
    Assign(AssignAction),
    /// One part after the other.
    Parts(Vec<GraphNode>),
    /// A temporary is filled, then read.
    Where(Box<Where>),
    /// The variable has a value without a loop.
    Bind(Box<Bind>),
    /// The variable takes values in loops.
    Loop(Box<Loop>),
    /// Its rounds are grouped.
    Tiled(Box<Tiled>),
    /// No coordinate of the variable has to be visited.
    Idle,
}

impl NodeKind {
    /// Whether nothing is looped over, filled or bound.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, NodeKind::Plain | NodeKind::Assign(_))
    }
}

/// What an assignment does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignAction {
    /// Its value is stored in its place.
    Store,
    /// Its value is combined with what is there.
    Accumulate,
    /// Its value goes behind the others of the result.
    Append {
        /// Which values do.
        keep: Keep,
    },
    /// Its value goes where its coordinates belong, in a result that comes out of order or a sparse temporary.
    Insert,
}

/// Which of the values that are computed a sparse result stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    /// All of them.
    #[default]
    All,
    /// In fused kernels those that differ from the fill value; all of them where the structure is assembled by itself or given.
    NotFillWhenFused,
    /// Those that differ from the fill value.
    NotFill,
}

/// A temporary that is filled, then read.
#[derive(Clone, Debug, PartialEq)]
pub struct Where {
    /// Fills it.
    pub producer: GraphNode,
    /// Reads it.
    pub reader: GraphNode,
    /// The sparse temporary whose elements the reader's loop takes out as it visits them; any other one is complete, and
    /// sorted, before it is read.
    pub drained: Option<TensorId>,
    /// The list of coordinates outside of which the reader does not look at the temporary (masked products: GraphBLAS's masks).
    pub marked: Option<Leaf>,
}

/// A variable that has a value without a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Bind {
    /// Where the value comes from.
    pub from: VarOrigin,
    /// What is known with it.
    pub bound: BoundVar,
    /// Whether it may lie outside the dimension.
    pub strays: bool,
    /// What is done there.
    pub body: GraphNode,
}

/// What is known when a variable has got a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundVar {
    /// The computed coordinates whose definitions have to be compared with them.
    pub checks: Vec<IndexId>,
    /// Whether each coordinate comes once.
    pub once: bool,
}

/// Where a variable gets its value from, if not from a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarOrigin {
    /// Elements are counted.
    Counter,
    /// It follows from variables that are bound.
    Formula,
}

/// A loop whose rounds are grouped.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    /// How.
    pub by: Tiling,
    /// The same statement, inside.
    pub node: GraphNode,
}

/// A variable that takes values in loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The variable.
    pub var: IndexId,
    /// What the loops run over.
    pub over: LoopSet,
    /// The regions that are told apart, larger ones first.
    pub lattice: Lattice,
    /// What is done in each region, in the order of the lattice's points.
    pub arms: Vec<Arm>,
    /// Leaves of an intersection in which the coordinate is looked up.
    pub sought: Vec<Leaf>,
    /// Leaves of an intersection whose runs cover every coordinate: the one that covers the coordinate is moved on to.
    pub followed: Vec<Leaf>,
    /// The sets of coordinates that the walk of a leaf is kept to.
    pub confined: Confined,
    /// Whether the regions are all of the dimension.
    pub whole: bool,
    /// What ends the loops before all coordinates were visited.
    pub until: Option<Until>,
    /// Whether there can be room before the loops for all that they append to the result.
    pub room: bool,
}

/// Sets that comparisons have, by the leaves whose walks are kept to them.
pub type Confined = BTreeMap<Leaf, BTreeSet<Leaf>>;

/// The coordinates that the loops of a variable run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopSet {
    /// The dimension; stored coordinates are met on the way.
    Dimension,
    /// The dimension, what lies between stored coordinates in a loop of its own.
    Gaps,
    /// Stored coordinates, in a loop for each region that may come next.
    Stored,
    /// A union of many operands, in one loop with one case.
    Union,
    /// The bits of words that any of the regions has.
    Words,
    /// The one coordinate that several levels compute alike.
    Same,
    /// The elements of a workspace, which are taken out.
    Workspace,
}

/// A region of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// How its leaves are walked as long as it may come next.
    pub walk: Walk,
    /// Whether slots of its leaves may hold no child, and say so.
    pub empties: bool,
    /// Leaves walked by runs, whose runs that hold the fill value are passed over, as nothing happens there.
    pub skips: BTreeSet<Leaf>,
    /// What is known at its coordinates.
    pub bound: BoundVar,
    /// What is left to do there.
    pub node: GraphNode,
}

/// The walk of a region's leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// There is no loop: the parent has one child, or none.
    Once,
    /// Position by position.
    Positions,
    /// Position by position, together with the levels below (iterator fusion; formats thesis, §4.2.5).
    Fused,
    /// Run by run of coordinates that share a position, in each leaf.
    Runs,
    /// The same, of which the result has runs: one round each.
    Whole,
    /// The bits that are set in the words of its leaves.
    Words,
    /// Whoever is behind gallops to where the others are.
    Gallop,
    /// Coordinate by coordinate of several leaves, or of one whose coordinates repeat.
    Merge,
}

/// How often a level's walk stands at a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// There is one child, or none.
    Once,
    /// Coordinates are distinct.
    Distinct,
    /// Coordinates may repeat.
    Repeating,
}
