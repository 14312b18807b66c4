//! Loop IR from the graph: the code of one kernel, in one pass over its nodes.
//!
//! Decisions are read off the graph, and the knowledge at a point of the code is passed down by value ([`scope::Scope`]). The
//! one thing that changes is the [`Emitter`], which belongs to one kernel. A module uses none below it.
//!
//! | file | what it does |
//! |---|---|
//! | `cursor` | where the walk of a level stands, and how it moves on |
//! | `window` | levels of which a window is read |
//! | `tensors` | buffers and levels of every tensor in the kernel |
//! | `scope` | coordinates, positions and values known at a point of the code |
//! | `visit` | a variable while its loops are written |
//! | `made` | the result under assembly: what it consists of |
//! | `given` | the row of a result whose structure is given |
//! | `growing` | runs of equal values of a result |
//! | `assemble` | appending to sparse results |
//! | `lent` | values at the positions of the operand that lends the result its structure |
//! | `compute` | expressions and assignments |
//! | `derived` | computed coordinates: what follows from what, and what has to be checked |
//! | `guard` | loops that are not entered where nothing can come of them |
//! | `iter` | opening the walk of a level |
//! | `predicates` | walks that are kept to what comparisons leave |
//! | `appends` | room for what loops append |
//! | `rows` | rows of a dense result that get their first values when their loop comes to them |
//! | `until` | loops that end where their reduction is decided |
//! | `forall` | one variable: its loops and cases |
//! | `gallop` | intersections of lists of very different lengths |
//! | `runs` | loops over runs of coordinates that share a position |
//! | `merge` | the forms of loops: over a dimension, over one level, over several levels |
//! | `words` | loops over the bits of words |
//! | `gaps` | loops over a dimension between what lists store |
//! | `hints` | what a schedule asks of a loop |
//! | `workspace` | sparse temporaries |
//! | `contents` | what arrays hold before they are written |
//! | `partition` | calls over parts of a variable, for several threads |
//! | `scatter` | placing elements of results that come in another order |
//! | `passes` | the same in passes over parts of the source |

mod appends;
mod assemble;
mod compute;
mod contents;
mod cursor;
mod derived;
mod forall;
mod gallop;
mod gaps;
mod given;
mod growing;
mod guard;
mod hints;
mod iter;
mod lent;
mod made;
mod merge;
mod partition;
mod passes;
mod predicates;
mod rows;
mod runs;
mod scatter;
mod scope;
mod tensors;
mod until;
mod visit;
mod window;
mod words;
mod workspace;

pub use contents::is_appended;

use crate::chunks::{ChunkJoin, Chunks, Parallel};
use crate::graph::coverage::Covered;
use crate::graph::{Graph, GraphNode, NodeKind};
use crate::iteration::Iteration;
use crate::lender::{Lenders, lenders};
use crate::lowered::{Binding, Lender, Lowered, Param, ResultMemory, VectorRequest};
use crate::phase::Phase;
use crate::placing::{find_parallel, placing};
use openwork_index::cin::{AssemblyMode, Storage};
use openwork_index::{CinStmt, IndexId, Program, TensorId};
use openwork_levels::Registry;
use openwork_loops::build::if_then;
use openwork_loops::{LoopKernel, VarId};
use scope::Scope;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The kernel of one phase of a program.
pub(crate) fn emit(iteration: &Arc<Iteration>, registry: &Registry, phase: Phase) -> Lowered {
    let Iteration { program, graph, .. } = &**iteration;
    let mut l = Emitter::new(program, registry, graph, phase);
    l.borrow_structure(graph);
    let (parallel, passes) = match program.assembly {
        AssemblyMode::InOrder => (find_parallel(program, graph, phase), None),
        AssemblyMode::OutOfOrder(_) => match placing(program, graph) {
            Ok(placing) => {
                let chunks = Chunks { var: placing.var, join: ChunkJoin::Place };
                (Parallel::Chunks(chunks), Some(passes::passes(&placing, registry)))
            }
            Err(because) => (Parallel::Serial { because }, None),
        },
    };
    let scope = match &parallel {
        Parallel::Chunks(chunks) if passes.is_none() => l.cut_into(chunks),
        Parallel::Chunks(_) | Parallel::Serial { .. } => Scope::default(),
    };
    let lowered = Lowered { parallel, passes, ..l.kernel(iteration, &scope) };
    lowered.with_contents(program)
}

/// The kernel under construction, and what has a name in it.
struct Emitter<'a> {
    program: &'a Program,
    registry: &'a Registry,
    storage: &'a BTreeMap<TensorId, Storage>,
    phase: Phase,
    kernel: LoopKernel,
    bindings: Vec<Binding>,
    /// The size of each index variable.
    sizes: BTreeMap<IndexId, VarId>,
    /// The least value of each computed coordinate.
    lows: BTreeMap<IndexId, VarId>,
    params: Vec<Param>,
    /// What runs first: loads of numbers that hold for whole levels.
    prologue: Vec<openwork_loops::Stmt>,
    tensors: BTreeMap<TensorId, tensors::TensorIr>,
    /// Scalar temporaries.
    temps: BTreeMap<TensorId, VarId>,
    /// Sparse temporaries.
    workspaces: BTreeMap<TensorId, workspace::Workspace>,
    result: Option<Rc<made::AssembledResult<'a>>>,
    /// The level at whose positions the values of the result belong, where its structure is lent.
    lender: Option<crate::space::Leaf>,
    /// The result, while it is assembled out of order.
    scattering: Option<scatter::Scattering<'a>>,
    /// The counters of the nest being lowered.
    counters: BTreeMap<IndexId, scatter::Counter>,
    /// Loops that a schedule wants in vectors.
    vectors: Vec<VectorRequest>,
}

impl<'a> Emitter<'a> {
    fn new(program: &'a Program, registry: &'a Registry, graph: &'a Graph, phase: Phase) -> Emitter<'a> {
        let mut l = Emitter {
            program,
            registry,
            storage: &graph.storage,
            phase,
            kernel: LoopKernel::new("kernel"),
            bindings: Vec::new(),
            sizes: BTreeMap::new(),
            lows: BTreeMap::new(),
            params: Vec::new(),
            prologue: Vec::new(),
            tensors: BTreeMap::new(),
            temps: BTreeMap::new(),
            workspaces: BTreeMap::new(),
            result: None,
            lender: None,
            scattering: None,
            counters: BTreeMap::new(),
            vectors: Vec::new(),
        };
        for (v, index) in program.indices.iter() {
            let size = l.kernel.param(&format!("{}_dim", index.name));
            l.sizes.insert(v, size);
            l.params.push(Param::Size(v));
            if index.derived.is_some() {
                let low = l.kernel.param(&format!("{}_low", index.name));
                l.lows.insert(v, low);
                l.params.push(Param::Low(v));
            }
        }
        l.declare_tensors();
        l
    }

    /// The whole kernel.
    fn kernel(mut self, iteration: &Arc<Iteration>, scope: &Scope) -> Lowered {
        let graph = &iteration.graph;
        let mut body = Vec::new();
        let result = if self.program.assembly != AssemblyMode::InOrder {
            body.extend(self.out_of_order(graph));
            // Counters and levels under assembly keep arrays of their own.
            self.bindings.resize(self.kernel.bufs.len(), Binding::Scratch);
            ResultMemory::Cleared
        } else {
            body.extend(self.open_result(graph, scope));
            let loops = match self.all_rows(&graph.root, scope) {
                Some(loops) => loops,
                None => self.node(&graph.root, scope),
            };
            body.extend(self.first_values());
            body.extend(loops);
            body.extend(self.close_result());
            let covered = self.result.as_ref().is_some_and(|r| r.coverage.covered != Covered::Some);
            let overwritten = covered || self.fills_blocks();
            if overwritten { ResultMemory::Overwritten } else { ResultMemory::Cleared }
        };
        let mut first = std::mem::take(&mut self.prologue);
        first.extend(body);
        self.kernel.body = first;
        let parallel = Parallel::Serial { because: String::new() };
        let lender = match self.phase {
            Phase::Fused => lenders(self.program, graph),
            Phase::Assemble | Phase::Compute | Phase::Lent => None,
        };
        let drops = graph.drops();
        let lender = lender.and_then(|Lenders { leaves, by }| {
            let mut all = leaves.into_iter().map(|leaf| leaf.access.tensor);
            Some(Lender { operand: all.next()?, others: all.collect(), drops, by })
        });
        let (kernel, bindings, params, vectors) = (self.kernel, self.bindings, self.params, self.vectors);
        Lowered {
            kernel,
            bindings,
            params,
            result,
            parallel,
            vectors,
            passes: None,
            iteration: iteration.clone(),
            may_hide_annihilator: iteration.may_hide_annihilator,
            lender,
        }
    }

    fn node(&mut self, n: &GraphNode, scope: &Scope) -> Vec<openwork_loops::Stmt> {
        match (&n.how, &n.stmt) {
            (NodeKind::Bind(_) | NodeKind::Loop(_) | NodeKind::Tiled(_) | NodeKind::Idle, _) => {
                self.apply_hints(n, scope)
            }
            (NodeKind::Where(w), _) => {
                let listed = self.read_by_position(w, scope);
                let masked = self.emit_masked(w, scope);
                let mut code = self.open_temporaries(&w.producer.stmt, scope);
                code.extend(self.node(&w.producer, scope));
                if let Some(m) = &masked {
                    code = [m.code.clone(), if_then(m.any.clone(), [m.open.clone(), code].concat())].concat();
                }
                code.extend(self.close_temporary(w));
                code.extend(self.node(&w.reader, scope));
                code.extend(masked.map(|m| m.close));
                self.workspaces.extend(listed);
                code
            }
            (NodeKind::Parts(all), CinStmt::Seq(_)) => self.sequence(all, scope),
            (NodeKind::Parts(all), _) => {
                let mut code = Vec::new();
                for n in all {
                    code.extend(self.node(n, scope));
                }
                code
            }
            (NodeKind::Assign(action), CinStmt::Assign { lhs, op, rhs }) => {
                self.assign(lhs, *op, rhs, *action, scope)
            }
            (NodeKind::Plain | NodeKind::Assign(_), _) => Vec::new(),
        }
    }
}
