//! CIN to loop IR: first everything is decided, then code is written.
//!
//! One idea per file, in the order a statement meets them; a module uses none below it (`cargo xtask tidy`). Those above
//! `tensors` decide: they read the statement and the facts of levels, and know nothing of the code.
//!
//! | file | what it does |
//! |---|---|
//! | [`space`] | which coordinates of a variable a statement must visit |
//! | [`lattice`] | the regions of that set, in the order loops exhaust them |
//! | [`rewrite`] | what is left of a statement in a region |
//! | [`annihilate`] | annihilators beside infinities and NaN |
//! | `statement` | questions about statements that several analyses ask |
//! | `temporaries` | how each sparse temporary is kept, and read |
//! | [`cost`] | what a program will probably cost |
//! | [`graph`] | the iteration graph: every loop's regions, and how each is walked |
//! | `cursor` | where the walk of a level stands, and how it moves on |
//! | `phase` | a result's structure and its values in kernels of their own |
//! | `chunks` | which variable is divided among threads, and how results are joined |
//! | `cases` | how many cases the loops of a graph tell apart |
//! | `uneven` | intersections of lists whose lengths differ much |
//! | `tensors` | buffers and levels of every tensor in the kernel |
//! | `scope` | coordinates, positions and values known at a point of the code |
//! | `visit` | a variable while its loops are written |
//! | `given` | the row of a result whose structure is given |
//! | `assemble` | appending to sparse results |
//! | `compute` | expressions and assignments |
//! | `derived` | computed coordinates: what follows from what, and what has to be checked |
//! | `guard` | loops that are not entered where nothing can come of them |
//! | `iter` | opening the walk of a level |
//! | `appends` | which values loops append, and the room for them |
//! | `rows` | rows of a dense result that get their first values when their loop comes to them |
//! | `forall` | one variable: its loops and cases |
//! | [`gallop`] | intersections of lists of very different lengths |
//! | `runs` | loops over runs of coordinates that share a position |
//! | `merge` | the forms of loops: over a dimension, over one level, over several levels |
//! | `gaps` | loops over a dimension between what lists store |
//! | `words` | loops over the bits of words |
//! | `hints` | what a schedule asks of a loop |
//! | `workspace` | sparse temporaries |
//! | `contents` | what arrays hold before they are written |
//! | `partition` | calls over parts of a variable, for several threads |
//! | `scatter` | placing elements of results that come in another order |
//! | `passes` | the same in passes over parts of the source |

pub mod annihilate;
pub mod cost;
pub mod gallop;
pub mod graph;
pub mod lattice;
pub mod rewrite;
pub mod space;

mod appends;
mod assemble;
mod cases;
mod chunks;
mod compute;
mod contents;
mod cursor;
mod derived;
mod forall;
mod gaps;
mod given;
mod guard;
mod hints;
mod iter;
mod merge;
mod partition;
mod passes;
mod phase;
mod rows;
mod runs;
mod scatter;
mod scope;
mod statement;
mod temporaries;
mod tensors;
mod uneven;
mod visit;
mod words;
mod workspace;

pub use annihilate::Decide;
pub use cases::cases;
pub use chunks::{Chunks, Join, Parallel};
pub use contents::appended;
pub use passes::{Pass, Passes};
pub use phase::Phase;
pub use uneven::uneven;

use chunks::Chunker;
use graph::coverage::Covered;
use graph::{Graph, How, Node};
use openwork_base::{Code, Diagnostic, Error, Result, Span};
use openwork_index::cin::{Assembly, Storage};
use openwork_index::{IndexId, Kind, Program, Stmt, TensorId};
use openwork_levels::Registry;
use openwork_loops::{Kernel, VarId};
use scope::Scope;
use std::collections::BTreeMap;

/// What a buffer of the kernel is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// An index array of a level.
    Index {
        /// The tensor.
        tensor: TensorId,
        /// Its level.
        level: usize,
        /// Which of the level's arrays.
        array: usize,
    },
    /// The values of a tensor.
    Values {
        /// The tensor.
        tensor: TensorId,
    },
    /// Memory of the kernel's own.
    Scratch,
    /// Memory of the kernel's own that it leaves as it wants to find it, so that its next call may have it again.
    Kept,
    /// One cursor for each group of elements: see [`Passes`].
    Cursors,
    /// The key of each element within its group: see [`Passes`].
    Keys,
}

/// A kernel and what its parameters mean.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The code.
    pub kernel: Kernel,
    /// One per buffer of the kernel, in order.
    pub bindings: Vec<Binding>,
    /// What each parameter is, in order.
    pub params: Vec<Param>,
    /// What the values of a dense result must hold when the kernel starts.
    pub result: ResultMemory,
    /// Whether it can be called over parts of a variable.
    pub parallel: Parallel,
    /// Loops that a schedule wants in vectors.
    pub vectors: Vec<Asked>,
    /// The passes that make the same result, where it is joined by [`Join::Place`].
    pub passes: Option<Passes>,
    /// How each sparse temporary is kept.
    pub storage: BTreeMap<TensorId, Storage>,
    /// Whether NaN in the result may stand where an annihilator decides: see [`annihilate`].
    pub doubtful: bool,
}

/// A loop that a schedule wants in vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The index variable.
    pub index: String,
    /// The name of the loop's own variable.
    pub var: String,
}

/// A number that the caller passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// How many values an index variable takes.
    Size(IndexId),
    /// The least value of a computed coordinate.
    Low(IndexId),
    /// The first value of an index variable that this call visits.
    Begin(IndexId),
    /// One past the last value of an index variable that this call visits.
    End(IndexId),
    /// Groups of elements per parent of the list, in units of 2^-32: see [`Passes`].
    Scale,
}

/// What the memory of a dense result must hold before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultMemory {
    /// Anything: every element is assigned, or its row is given first values.
    Overwritten,
    /// Zeros.
    Cleared,
}

/// Lowers a program over the level formats of `registry`.
///
/// # Errors
/// `E0406` for a level that cannot be walked, located or appended to as the program needs, `E0407` for an unordered
/// level that would have to be merged and for a computed coordinate that would have to be counted through, `E0408` for more
/// code than anybody wants, `E0814` for a schedule that asks something of a loop that it cannot do.
pub fn lower(program: &Program, registry: &Registry) -> Result<Lowered> {
    lower_phase(program, registry, Phase::Fused, Decide::Hidden)
}

/// Lowers one phase of the work on a sparse result that is assembled in the order of the loops, letting annihilators
/// decide as `decide` says.
///
/// # Errors
/// As [`lower`].
pub fn lower_phase(program: &Program, registry: &Registry, phase: Phase, decide: Decide) -> Result<Lowered> {
    let (program, doubtful) = annihilate::decided(program, decide);
    let lowered = lower_decided(&program, registry, phase)?;
    Ok(Lowered { doubtful, ..lowered }.with_contents(&program))
}

fn lower_decided(program: &Program, registry: &Registry, phase: Phase) -> Result<Lowered> {
    let graph = Graph::of(program, registry)?;
    let mut l = Lowerer::new(program, registry, &graph, phase)?;
    let mut scope = Scope::default();
    let (parallel, passes) = if program.assembly == Assembly::InOrder {
        match (Chunker { program, phase }).of(&graph) {
            Ok(chunks) => {
                scope = l.cut_into(&chunks);
                (Parallel::Chunks(chunks), None)
            }
            Err(because) => (Parallel::Serial { because }, None),
        }
    } else {
        match passes::passes(program, registry)? {
            Ok(passes) => {
                let chunks = Chunks { var: passes.var, join: Join::Place };
                (Parallel::Chunks(chunks), Some(passes))
            }
            Err(because) => (Parallel::Serial { because }, None),
        }
    };
    hints::distributed(program, Lowered { parallel, passes, ..l.kernel(&graph, &scope)? })
}

/// State of one lowering: the kernel under construction and its name tables.
struct Lowerer<'a> {
    program: &'a Program,
    registry: &'a Registry,
    storage: &'a BTreeMap<TensorId, Storage>,
    phase: Phase,
    kernel: Kernel,
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
    result: Option<assemble::Result>,
    /// The result, while it is assembled out of order.
    scattering: Option<scatter::Scattering>,
    /// The counters of the nest being lowered.
    counters: BTreeMap<IndexId, scatter::Counter>,
    /// Loops that a schedule wants in vectors.
    vectors: Vec<Asked>,
}

impl<'a> Lowerer<'a> {
    fn new(
        program: &'a Program,
        registry: &'a Registry,
        graph: &'a Graph,
        phase: Phase,
    ) -> Result<Lowerer<'a>> {
        let mut l = Lowerer {
            program,
            registry,
            storage: &graph.storage,
            phase,
            kernel: Kernel::new("kernel"),
            bindings: Vec::new(),
            sizes: BTreeMap::new(),
            lows: BTreeMap::new(),
            params: Vec::new(),
            prologue: Vec::new(),
            tensors: BTreeMap::new(),
            temps: BTreeMap::new(),
            workspaces: BTreeMap::new(),
            result: None,
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
        l.refuse_runs_above_located()?;
        Ok(l)
    }

    /// The whole kernel.
    fn kernel(mut self, graph: &Graph, scope: &Scope) -> Result<Lowered> {
        let mut body = Vec::new();
        let result = if self.program.assembly != Assembly::InOrder {
            body.extend(self.out_of_order(&graph.root)?);
            // Counters and levels under assembly keep arrays of their own.
            self.bindings.resize(self.kernel.bufs.len(), Binding::Scratch);
            ResultMemory::Cleared
        } else {
            body.extend(self.open_result(graph)?);
            let loops = self.node(&graph.root, scope)?;
            body.extend(self.first_values());
            body.extend(loops);
            body.extend(self.close_result());
            let overwritten = self.result.as_ref().is_some_and(|r| r.coverage.covered != Covered::Some);
            if overwritten { ResultMemory::Overwritten } else { ResultMemory::Cleared }
        };
        let mut first = std::mem::take(&mut self.prologue);
        first.extend(body);
        self.kernel.body = first;
        let parallel = Parallel::Serial { because: String::new() };
        let storage = graph.storage.clone();
        let (kernel, bindings, params, vectors) = (self.kernel, self.bindings, self.params, self.vectors);
        Ok(Lowered {
            kernel,
            bindings,
            params,
            result,
            parallel,
            vectors,
            passes: None,
            storage,
            doubtful: false,
        })
    }

    /// A run of positions that share a coordinate has no single position for most levels to be walked or located from.
    fn refuse_runs_above_located(&self) -> Result<()> {
        for (_, t) in self.program.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
            let chains = |l: &openwork_format::Level| {
                self.registry.get(l.spec).and_then(|f| f.iterate()).is_some_and(|w| w.chains())
            };
            let levels = &t.format.levels;
            if (1..levels.len()).any(|k| !levels[k - 1].unique() && !chains(&levels[k])) {
                let message = format!("`{}` stores duplicate coordinates above a dense level", t.name);
                return Err(self.refuse("E0406", message, "store the upper levels unique"));
            }
        }
        Ok(())
    }

    fn node(&mut self, n: &Node, scope: &Scope) -> Result<Vec<openwork_loops::Stmt>> {
        match (&n.how, &n.stmt) {
            (How::Bind(_) | How::Loop(_) | How::Tiled(_) | How::Idle, _) => self.hinted(n, scope),
            (How::Where(w), _) => {
                let listed = self.read_by_position(w, scope);
                let mut code = self.open_temporaries(&w.producer.stmt, scope)?;
                code.extend(self.node(&w.producer, scope)?);
                code.extend(self.close_temporary(w)?);
                code.extend(self.node(&w.reader, scope)?);
                self.workspaces.extend(listed);
                Ok(code)
            }
            (How::Parts(all), Stmt::Seq(_)) => self.sequence(all, scope),
            (How::Parts(all), _) => {
                let mut code = Vec::new();
                for n in all {
                    code.extend(self.node(n, scope)?);
                }
                Ok(code)
            }
            (How::Plain, Stmt::Assign { lhs, op, rhs }) => self.assign(lhs, *op, rhs, scope),
            (How::Plain, _) => Ok(Vec::new()),
        }
    }

    /// A named refusal that points at the whole statement.
    fn refuse(&self, code: &'static str, message: impl Into<String>, help: &str) -> Error {
        let source = &self.program.source;
        let all = Span::new(0, source.text.len());
        Error::unsupported(Diagnostic::new(Code(code), message).at(source, all, "").help(help))
    }
}
