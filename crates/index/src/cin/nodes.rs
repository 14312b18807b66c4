//! The types of CIN.

use crate::expr::{Access, IndexExpr, IndexId, IndexVar, TensorId, TensorKind, TensorVar};
use crate::query::Answer;
use openwork_algebra::Operator;
use openwork_base::{Arena, Few, Source};
use std::collections::BTreeMap;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum CinStmt {
    /// Runs the body for every value of a variable.
    Forall {
        /// The variable.
        index: IndexId,
        /// What runs.
        body: Box<CinStmt>,
    },
    /// Sets or combines one element.
    Assign {
        /// The element.
        lhs: Access,
        /// How it combines with what is there; `None` replaces it.
        op: Option<&'static Operator>,
        /// The value; holds no [`IndexExpr::Reduce`].
        rhs: IndexExpr,
    },
    /// Runs `producer`, then `consumer`.
    Where {
        /// Reads the temporary.
        consumer: Box<CinStmt>,
        /// Fills the temporary.
        producer: Box<CinStmt>,
    },
    /// One after the other.
    Seq(Vec<CinStmt>),
    /// Several statements over one iteration space, in any order.
    Multi(Vec<CinStmt>),
    /// Nothing.
    Nop,
}

/// A statement with its declarations.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// All tensors: operands, results, temporaries.
    pub tensors: Arena<TensorId, TensorVar>,
    /// All index variables.
    pub indices: Arena<IndexId, IndexVar>,
    /// What runs.
    pub body: CinStmt,
    /// How the result is assembled.
    pub assembly: AssemblyMode,
    /// The operand whose values the result holds before anything runs, as it is computed in that one's memory; nothing where it
    /// holds its fill value.
    pub begins: Option<TensorId>,
    /// What a schedule asks of lowering.
    pub directives: Directives,
    /// What the statement read as it was written; see [`Assignment::reads`](crate::Assignment).
    pub reads: Vec<Access>,
    /// The text it came from, for diagnostics.
    pub source: Source,
}

/// What a [schedule](crate::schedule) asks of lowering besides the shape of the statement.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Directives {
    /// How workspaces are kept; lowering chooses for those without an entry.
    pub storage: BTreeMap<TensorId, Storage>,
    /// What is asked of the loops over a variable.
    pub loops: BTreeMap<IndexId, Vec<LoopHint>>,
    /// Whether elements of the result that are its fill value are left out: what says that they may be is computed by another
    /// program, of which this one is the rest, or is lost, as where an operand was given a slot for every coordinate.
    pub leaves_out_fill: bool,
}

/// The way in which a workspace is kept while it is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Storage {
    /// A slot for every coordinate.
    Dense,
    /// A slot for every coordinate, and a tree of bits that tells which are taken.
    Bitmap,
    /// A slot for every coordinate that was seen, found by hashing.
    Hash,
    /// A slot for every coordinate, and a list of those that are taken.
    List,
    /// A slot for every coordinate, and a mark on those that the reader will look at, which are known beforehand: what comes
    /// elsewhere is dropped. No schedule asks for it; where it fits, it is taken.
    Marked,
}

impl Storage {
    /// All that a schedule can ask for.
    pub const ALL: [Storage; 4] = [Storage::Dense, Storage::Bitmap, Storage::Hash, Storage::List];
    /// The name in schedules and in the text of CIN.
    pub fn name(self) -> &'static str {
        match self {
            Storage::Dense => "dense",
            Storage::Bitmap => "bitmap",
            Storage::Hash => "hash",
            Storage::List => "list",
            Storage::Marked => "marked",
        }
    }
    /// The one called `name`.
    pub fn by_name(name: &str) -> Option<Storage> {
        Storage::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// A hint: what a schedule asks of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoopHint {
    /// So many rounds are written out one after the other.
    Unroll(u32),
    /// Several rounds are taken at a time, in vectors.
    Vectorize,
    /// Rounds are distributed over threads.
    Parallelize,
    /// Lists that are intersected are searched from where they are, instead of stepped through.
    Gallop,
}

/// How a result is assembled (formats thesis, chapter 6).
#[derive(Clone, Debug, PartialEq, Default)]
pub enum AssemblyMode {
    /// Elements come in storage order.
    #[default]
    InOrder,
    /// Elements come in any order, after the queries of every level of the result have been answered.
    OutOfOrder(Vec<Vec<Answer>>),
}

impl CinStmt {
    /// The direct substatements.
    pub fn children(&self) -> Few<&CinStmt, std::slice::Iter<'_, CinStmt>> {
        match self {
            CinStmt::Forall { body, .. } => Few::from_parts([&**body]),
            CinStmt::Assign { .. } | CinStmt::Nop => Few::empty(),
            CinStmt::Where { consumer, producer } => Few::from_parts([&**producer, &**consumer]),
            CinStmt::Seq(all) | CinStmt::Multi(all) => Few::list(all),
        }
    }
    /// Rebuilds the statement with `f` applied to the direct substatements, in order of execution.
    #[must_use]
    pub fn map_children(self, f: &mut dyn FnMut(CinStmt) -> CinStmt) -> CinStmt {
        match self {
            CinStmt::Forall { index, body } => CinStmt::Forall { index, body: Box::new(f(*body)) },
            leaf @ (CinStmt::Assign { .. } | CinStmt::Nop) => leaf,
            CinStmt::Where { consumer, producer } => {
                let producer = Box::new(f(*producer));
                CinStmt::Where { consumer: Box::new(f(*consumer)), producer }
            }
            CinStmt::Seq(all) => CinStmt::Seq(all.into_iter().map(f).collect()),
            CinStmt::Multi(all) => CinStmt::Multi(all.into_iter().map(f).collect()),
        }
    }
    /// Calls `f` on this statement and every one below it, parents first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a CinStmt)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }
    /// Every assignment, in order of execution.
    pub fn assignments(&self) -> Vec<(&Access, Option<&'static Operator>, &IndexExpr)> {
        let mut out = Vec::new();
        self.visit(&mut |s| {
            if let CinStmt::Assign { lhs, op, rhs } = s {
                out.push((lhs, *op, rhs));
            }
        });
        out
    }
    /// The element that the statement as a whole assigns: the last of [`targets`](CinStmt::targets).
    pub fn target(&self) -> Option<&Access> {
        self.targets().pop()
    }
    /// The elements that the statement assigns for whoever comes after it: not those of temporaries that its own parts read.
    pub fn targets(&self) -> Vec<&Access> {
        match self {
            CinStmt::Forall { body, .. } => body.targets(),
            CinStmt::Where { consumer, .. } => consumer.targets(),
            CinStmt::Assign { lhs, .. } => vec![lhs],
            CinStmt::Seq(all) | CinStmt::Multi(all) => all.iter().flat_map(CinStmt::targets).collect(),
            CinStmt::Nop => Vec::new(),
        }
    }
    /// `(body where last) where first`: everything that is computed before a statement, the first of it outermost.
    pub fn compute_first(before: Vec<CinStmt>, body: CinStmt) -> CinStmt {
        let first =
            |body, producer| CinStmt::Where { consumer: Box::new(body), producer: Box::new(producer) };
        before.into_iter().rev().fold(body, first)
    }
    /// `forall v0 forall v1 … body`.
    pub fn foralls(vars: &[IndexId], body: CinStmt) -> CinStmt {
        vars.iter().rev().fold(body, |body, &index| CinStmt::Forall { index, body: Box::new(body) })
    }
}

impl Program {
    /// Pairs of variables that take as many values: one is another binding of the other, or they range over the same mode of a
    /// temporary.
    pub fn equal_ranges(&self) -> Vec<(IndexId, IndexId)> {
        let mut first: BTreeMap<TensorId, &Access> = BTreeMap::new();
        let mut out: Vec<_> = self.indices.iter().filter_map(|(v, i)| Some((i.like?, v))).collect();
        for (lhs, _, rhs) in self.body.assignments() {
            for a in rhs.accesses().into_iter().chain([lhs]) {
                if self.tensors[a.tensor].kind == TensorKind::Temp {
                    let known = *first.entry(a.tensor).or_insert(a);
                    out.extend(
                        known.vars.iter().copied().zip(a.vars.iter().copied()).filter(|(a, b)| a != b),
                    );
                }
            }
        }
        out
    }
}
