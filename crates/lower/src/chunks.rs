//! Chunks: an analysis of the graph that finds the variable whose coordinates are divided among threads, and how the results
//! of the chunks are joined.
//!
//! The outermost variable is cut, where every walk over it can begin and end at any coordinate, and where the chunks' results
//! follow one another, or can be combined.

use crate::graph::{Graph, GraphNode, Loop, LoopSet, NodeKind, Tiling, is_searchable, strip_variable};
use crate::phase::Phase;
use crate::space::Leaf;
use crate::statement::var_of;
use openwork_algebra::Operator;
use openwork_format::ArrayRole;
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexExpr, IndexId, Program, TensorId, TensorKind};

/// Whether calls over parts of a variable make up the whole result.
#[derive(Clone, Debug, PartialEq)]
pub enum Parallel {
    /// They do not.
    Serial {
        /// Why.
        because: String,
    },
    /// They do.
    Chunks(Chunks),
}

/// How calls over parts of a variable make up the whole result.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunks {
    /// The variable.
    pub var: IndexId,
    /// What becomes of the results of the parts.
    pub join: ChunkJoin,
}

/// The way in which the results of the parts become one.
#[derive(Clone, Copy, Debug)]
pub enum ChunkJoin {
    /// The result is dense. Part `begin..end` is the slice of its outermost level from `begin * per` to `end * per`, or to
    /// the end of the dimension.
    Slices {
        /// Coordinates of the result's outermost level per value of the variable.
        per: i64,
    },
    /// The result's levels follow one another: coordinates and values are appended, positions shifted.
    Stitch,
    /// The structure of the result is given. Part `begin..end` computes the values below the positions that its level
    /// `level` has for coordinates `begin * per` to `end * per` of the outermost level.
    Given {
        /// The result's stored level; those above are dense.
        level: usize,
        /// Coordinates of the result's outermost level per value of the variable.
        per: i64,
    },
    /// Every part has all elements, which this operator combines.
    Combine(&'static Operator),
    /// Every part places its elements in the one result, after all of them were counted.
    Place,
}

impl PartialEq for ChunkJoin {
    fn eq(&self, other: &ChunkJoin) -> bool {
        match (self, other) {
            (ChunkJoin::Slices { per: a }, ChunkJoin::Slices { per: b }) => a == b,
            (ChunkJoin::Stitch, ChunkJoin::Stitch) | (ChunkJoin::Place, ChunkJoin::Place) => true,
            (ChunkJoin::Given { level: a, per: b }, ChunkJoin::Given { level: c, per: d }) => {
                (a, b) == (c, d)
            }
            (ChunkJoin::Combine(a), ChunkJoin::Combine(b)) => a.name == b.name,
            (
                ChunkJoin::Slices { .. }
                | ChunkJoin::Stitch
                | ChunkJoin::Given { .. }
                | ChunkJoin::Combine(_)
                | ChunkJoin::Place,
                _,
            ) => false,
        }
    }
}

/// What is asked of a program to find its chunks.
#[derive(Clone, Copy)]
pub(crate) struct Chunker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) phase: Phase,
}

impl<'a> Chunker<'a> {
    /// The chunks of a program with this graph, or why there are none.
    pub(crate) fn divide(self, graph: &Graph) -> Result<Chunks, String> {
        let chunks = self.choose()?;
        self.cuts(graph, chunks.var)?;
        Ok(chunks)
    }

    /// The variable to cut, or why there is none.
    fn choose(self) -> Result<Chunks, String> {
        let program = self.program;
        if program.assembly != AssemblyMode::InOrder {
            return Err("the elements of the result are placed out of order".into());
        }
        let (v, total) = match &program.body {
            s @ (CinStmt::Forall { .. } | CinStmt::Seq(_)) => (self.common(s)?, None),
            CinStmt::Where { consumer, producer } => match (self.copied_total(consumer), &**producer) {
                (Some(total), s @ CinStmt::Forall { .. }) => (self.common(s)?, Some(total)),
                (Some(_) | None, _) => {
                    return Err("a temporary is filled before the loops of the result".into());
                }
            },
            CinStmt::Assign { .. } | CinStmt::Multi(_) | CinStmt::Nop => {
                return Err("it is not one nest of loops".into());
            }
        };
        let (whole, per) = self.whole_of(v)?;
        if let Some(total) = total {
            return Ok(Chunks { var: v, join: self.combine_target(total)? });
        }
        let result = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
        let mut result = result.filter(|a| program.tensors[a.tensor].kind == TensorKind::Result);
        let Some(first) = result.next() else { return Err("it has no result".into()) };
        if result.any(|other| other != first) {
            return Err("the result is assigned in several places".into());
        }
        Ok(Chunks { var: v, join: self.join_of(first, whole, per)? })
    }

    /// The outermost variable of a nest, or of every nest of a sequence.
    pub(crate) fn common(self, s: &CinStmt) -> Result<IndexId, String> {
        let mixed = || "it is a sequence of loops over different variables".to_string();
        match s {
            CinStmt::Forall { index, body } => {
                Ok(strip_variable(self.program, *index, body).unwrap_or(*index))
            }
            CinStmt::Seq(all) => {
                let vars = all.iter().map(|s| self.common(s)).collect::<Result<Vec<_>, _>>()?;
                self.coarsest(&vars).ok_or_else(mixed)
            }
            CinStmt::Assign { .. } | CinStmt::Where { .. } | CinStmt::Multi(_) | CinStmt::Nop => {
                Err("it is not one nest of loops".into())
            }
        }
    }
    /// The variable by which loops over each of these can be cut: they are one and the same, or one counts blocks of the
    /// other.
    fn coarsest(self, vars: &[IndexId]) -> Option<IndexId> {
        let first = *vars.first()?;
        if vars.iter().all(|&v| v == first) {
            return Some(first);
        }
        let wholes: Vec<_> = vars.iter().map(|&v| self.whole_of(v)).collect::<Result<_, _>>().ok()?;
        let blocks = wholes.iter().position(|&(_, per)| per > 1)?;
        let fits = |(&v, &(whole, per)): (&IndexId, &(IndexId, i64))| {
            whole == wholes[blocks].0 && (v == vars[blocks] || per == 1)
        };
        vars.iter().zip(&wholes).all(fits).then_some(vars[blocks])
    }
    /// The scalar temporary that `s` copies to a scalar result.
    fn copied_total(self, s: &CinStmt) -> Option<TensorId> {
        let CinStmt::Assign { lhs, op: None, rhs: IndexExpr::Access(t) } = s else { return None };
        let scalar = |a: &Access, kind| {
            let t = &self.program.tensors[a.tensor];
            t.kind == kind && t.format.rank() == 0
        };
        let same = self.program.tensors[lhs.tensor].dtype == self.program.tensors[t.tensor].dtype;
        (same && scalar(lhs, TensorKind::Result) && scalar(t, TensorKind::Temp)).then_some(t.tensor)
    }
    /// The variable of which `v` counts blocks, and their size; `v` itself where it is no computed coordinate.
    pub(crate) fn whole_of(self, v: IndexId) -> Result<(IndexId, i64), String> {
        let Some(d) = &self.program.indices[v].derived else { return Ok((v, 1)) };
        let blocks = (0..d.remap.coords.len()).filter_map(|k| d.remap.quotient_of(k));
        match blocks.into_iter().find(|(q, ..)| *q == d.coord) {
            Some((_, mode, size)) => Ok((d.mode(mode), size)),
            None => Err(format!("the loops over the computed coordinate `{}` cannot be cut", self.name(v))),
        }
    }
    /// The same of a variable that can be cut.
    pub(crate) fn blocks_of(self, v: IndexId) -> (IndexId, i64) {
        self.whole_of(v).unwrap_or((v, 1))
    }
    pub(crate) fn name(self, v: IndexId) -> &'a str {
        &self.program.indices[v].name
    }

    fn join_of(self, result: &Access, whole: IndexId, per: i64) -> Result<ChunkJoin, String> {
        let t = &self.program.tensors[result.tensor];
        let appended = t.format.levels.iter().any(|l| !l.is_dense());
        if t.format.rank() > 0 && var_of(self.program, result, 0) == whole {
            let outermost = t.format.levels[0].is_dense() || per == 1;
            let known = |r: ArrayRole| matches!(r, ArrayRole::Pos | ArrayRole::Crd);
            let follow = t.format.levels.iter().all(|l| l.spec.arrays.iter().all(|a| known(a.role)));
            return match appended {
                false => Ok(ChunkJoin::Slices { per }),
                true if !self.phase.assembles() => self.join_given(result, per),
                true if t.format.levels[0].shares_positions() => {
                    Err(format!("the runs of `{}` would be cut", t.name))
                }
                true if outermost && follow => Ok(ChunkJoin::Stitch),
                true => Err(format!("pieces of `{}` cannot be stitched", t.name)),
            };
        }
        if appended {
            let name = self.name(whole);
            return Err(format!("the outermost level of `{}` is not over `{name}`", t.name));
        }
        self.combine_target(result.tensor)
    }
    /// Where the structure of the result is given, a part's values are found if the first stored level lists the rows of
    /// dense ones, and all other levels are dense.
    fn join_given(self, result: &Access, per: i64) -> Result<ChunkJoin, String> {
        let t = &self.program.tensors[result.tensor];
        let mut stored = (0..t.format.depth()).filter(|&k| !t.format.levels[k].is_dense());
        match (stored.next(), stored.next()) {
            (Some(level), None) if level > 0 && t.format.levels[level].in_segments() => {
                Ok(ChunkJoin::Given { level, per })
            }
            _ => Err(format!("the given structure of `{}` is followed from its first element", t.name)),
        }
    }
    /// Every part accumulates into all elements of a tensor, from a first value that may count several times.
    fn combine_target(self, target: TensorId) -> Result<ChunkJoin, String> {
        let t = &self.program.tensors[target];
        if self.program.begins.is_some() && t.kind == TensorKind::Result {
            return Err(format!("parts of `{}` would all begin with what it holds", t.name));
        }
        let body = &self.program.body;
        let mut ops =
            body.assignments().into_iter().filter(|(lhs, ..)| lhs.tensor == target).map(|(_, op, _)| op);
        let Some(Some(op)) = ops.next() else {
            return Err(format!("`{}` is assigned in no order that slices follow", t.name));
        };
        let same = ops.all(|other| other.is_some_and(|o| o.name == op.name));
        let identity = op.identity_at(1, t.dtype).is_some_and(|id| id.is_same(t.fill));
        let neutral = identity || op.idempotent && op.commutative;
        // Parts are combined in the order of the loop that is cut, so each has all that it combines from one loop.
        let mut several = false;
        body.visit(&mut |s| several |= matches!(s, CinStmt::Seq(_) | CinStmt::Multi(_)));
        if same && op.associative && neutral && (op.commutative || !several) {
            Ok(ChunkJoin::Combine(op))
        } else {
            Err(format!("parts of `{}` cannot be combined by {}", t.name, op.name))
        }
    }

    /// Whether every loop over `v` can be cut, or why not.
    pub(crate) fn cuts(self, graph: &Graph, v: IndexId) -> Result<(), String> {
        let mut found = LoopOutcome::default();
        self.node(&graph.root, v, v, true, &mut found);
        if let Some(once) = found.once {
            return Err(format!("`{}` has one value at most", self.name(once)));
        }
        match (found.uncut, found.cut) {
            (Some(u), _) => Err(format!("an operand's level over `{}` cannot be searched", self.name(u))),
            (None, true) => Ok(()),
            (None, false) => Err(format!("there is no loop over `{}`", self.name(v))),
        }
    }
    /// `v` is the variable that is cut, `here` the one that is in this statement.
    fn node(self, n: &GraphNode, v: IndexId, here: IndexId, outermost: bool, found: &mut LoopOutcome) {
        match (&n.how, &n.stmt) {
            (NodeKind::Plain | NodeKind::Assign(_) | NodeKind::Idle, _) => {}
            (NodeKind::Parts(all), CinStmt::Seq(_)) if outermost => {
                for n in all {
                    self.node(n, v, self.common(&n.stmt).unwrap_or(here), outermost, found);
                }
            }
            (NodeKind::Parts(all), _) => {
                all.iter().for_each(|n| self.node(n, v, here, outermost, found));
            }
            (NodeKind::Where(w), _) => {
                self.node(&w.producer, v, here, outermost, found);
                self.node(&w.reader, v, here, outermost, found);
            }
            (NodeKind::Bind(b), _) => self.node(&b.body, v, here, false, found),
            (NodeKind::Tiled(t), _) => {
                found.cut |= t.by == Tiling::Strips(v);
                self.node(&t.node, v, here, outermost, found);
            }
            (NodeKind::Loop(l), _) => {
                self.walk(l, v, here, found);
                l.arms.iter().for_each(|arm| self.node(&arm.node, v, here, false, found));
            }
        }
    }
    fn walk(self, l: &Loop, v: IndexId, here: IndexId, found: &mut LoopOutcome) {
        if l.var != here || l.over == LoopSet::Workspace {
            return;
        }
        let leaves = &l.lattice.points[0].leaves;
        let confined = l.confined.values().flatten();
        let level = |l: &Leaf| self.program.tensors[l.access.tensor].format.levels[l.level];
        let once = |set: &Leaf| level(set).is_point();
        if here == v && l.arms.len() == 1 && leaves.iter().chain(confined).any(once) {
            found.once = Some(here);
        }
        if leaves.iter().any(|leaf| !is_searchable(self.program, leaf, l.arms[0].walk)) {
            found.uncut = Some(here);
        }
        let counted = matches!(l.over, LoopSet::Dimension | LoopSet::Gaps);
        found.cut |= here == v && (counted || !leaves.is_empty());
    }
}

/// What became of the loops over a variable.
#[derive(Default)]
struct LoopOutcome {
    /// Whether one is cut.
    cut: bool,
    /// A variable of which a loop cannot be cut.
    uncut: Option<IndexId>,
    /// The variable that is cut, where a loop over it has one round at most.
    once: Option<IndexId>,
}

impl Chunks {
    /// Whether an access to a dense tensor reads, in every part, only the slice of that part: its outermost level is over the
    /// variable.
    pub fn is_slice(&self, program: &Program, a: &Access) -> bool {
        let format = &program.tensors[a.tensor].format;
        format.is_dense() && format.modes.first().is_some_and(|&m| a.vars.get(m) == Some(&self.var))
    }
    /// How the work is divided, in one line for reports.
    pub fn describe(&self, name: &str) -> String {
        match self.join {
            ChunkJoin::Slices { .. } => format!("chunks of {name}, each writes its slice of the result"),
            ChunkJoin::Stitch => format!("chunks of {name}, their pieces of the result are stitched"),
            ChunkJoin::Given { .. } => {
                format!("chunks of {name}, each computes its values of the given structure")
            }
            ChunkJoin::Combine(op) => format!("chunks of {name}, their results are combined by {}", op.name),
            ChunkJoin::Place => format!("chunks of {name}, each places its elements after all were counted"),
        }
    }
}
