//! Out-of-order assembly of a result (formats thesis, §6.2.4): its levels are opened once their queries are answered, every
//! element is placed level by level, and the levels are closed.
//!
//! Counters number the elements as they come. A counter is one variable where the loops over the modes that it names
//! are outermost and visit each of their coordinates once; otherwise it is an array.

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use crate::graph::{Graph, GraphNode, NodeKind, counters};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_format::remap::Term;
use openwork_index::cin::AssemblyMode;
use openwork_index::query::Answer;
use openwork_index::{Access, CinStmt, IndexId};
use openwork_levels::LevelIr;
use openwork_levels::insert::{AssemblyCtx, Insert, InsertState, Nonzero, QueryResult, group};
use openwork_loops::build::{add, call, constant, int, load, mul, set, store, var};
use openwork_loops::{BufId, BufRole, Expr as Ir, Stmt as Code, VarId};

/// The result under out-of-order assembly.
pub(crate) struct Scattering<'a> {
    pub(crate) access: Access,
    /// Its levels, outermost first.
    pub(crate) levels: Vec<InsertedLevel<'a>>,
    /// Its values.
    pub(crate) vals: BufId,
    /// What becomes of each element.
    pub(crate) task: ScatterTask,
}

/// A level that takes elements anywhere.
pub(crate) struct InsertedLevel<'a> {
    /// The level in the kernel.
    level: LevelIr,
    /// How.
    by: &'a dyn Insert,
    /// What it remembers.
    pub(crate) state: InsertState,
}

/// What becomes of each element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScatterTask {
    /// It goes to its place.
    Place,
    /// It is counted.
    Count {
        /// The level that lists elements.
        list: usize,
        /// One counter for each group of parents.
        counters: BufId,
        /// The number of groups per parent, in units of 2^-32.
        scale: VarId,
    },
}

/// Where a counter of a nest is kept.
#[derive(Clone, Debug)]
pub(crate) enum Counter {
    /// In a variable, which starts anew whenever `after` gets a value.
    Scalar {
        /// The variable.
        held: VarId,
        /// The last of the modes that the counter names; `None` if it names none.
        after: Option<IndexId>,
    },
    /// In an array over these modes.
    Array {
        /// The array.
        buf: BufId,
        /// The modes.
        modes: Vec<IndexId>,
    },
}

impl<'a> Emitter<'a> {
    /// Lowers a program whose result is assembled out of order.
    pub(crate) fn out_of_order(&mut self, graph: &Graph) -> Vec<Code> {
        let AssemblyMode::OutOfOrder(answers) = &self.program.assembly else {
            unreachable!("called for out-of-order assembly")
        };
        let scope = Scope::default();
        let mut code = Vec::new();
        let mut n = &graph.root;
        while let NodeKind::Where(w) = &n.how {
            code.extend(self.open_temporaries(&w.producer.stmt, &scope));
            code.extend(self.query(&w.producer, &scope));
            n = &w.reader;
        }
        code.extend(graph.result.iter().flat_map(|plan| self.open_levels(&plan.access, answers)));
        code.extend(self.nest(n, &scope));
        code.extend(self.close_levels());
        code
    }
    /// A query, whose own temporaries come first.
    fn query(&mut self, n: &GraphNode, scope: &Scope) -> Vec<Code> {
        let NodeKind::Where(w) = &n.how else { return self.nest(n, scope) };
        let mut code = self.open_temporaries(&w.producer.stmt, scope);
        code.extend(self.query(&w.producer, scope));
        code.extend(self.nest(&w.reader, scope));
        code
    }
    /// One loop nest, with counters of its own.
    pub(crate) fn nest(&mut self, n: &GraphNode, scope: &Scope) -> Vec<Code> {
        let mut code = self.open_counters(&n.stmt);
        code.extend(self.node(n, scope));
        self.counters.clear();
        code
    }

    /// The levels of a result to insert into.
    pub(crate) fn inserted_levels(&self, access: &Access) -> Vec<InsertedLevel<'a>> {
        let each = |level: &LevelIr| {
            let by = self.registry.get(level.level.spec).and_then(|f| f.insert());
            let by = by.expect("what cannot be inserted into is refused");
            InsertedLevel { level: level.clone(), by, state: InsertState::default() }
        };
        self.tensors[&access.tensor].levels.iter().map(each).collect()
    }
    /// Opens every level of the result, outermost first, and makes room for its values.
    fn open_levels(&mut self, access: &Access, answers: &[Vec<Answer>]) -> Vec<Code> {
        let t = &self.program.tensors[access.tensor];
        let mut code = Vec::new();
        let mut levels = self.inserted_levels(access);
        let mut parents = int(1);
        for (InsertedLevel { level, by, state }, found) in levels.iter_mut().zip(answers) {
            let replies: Vec<QueryResult> = found.iter().map(|a| self.reply(a)).collect();
            let mut ctx = AssemblyCtx { kernel: &mut self.kernel, level, parents, answers: &replies, state };
            code.extend(by.insert_init(&mut ctx));
            parents = ctx.slots();
        }
        let vals = self.tensors[&access.tensor].vals;
        code.push(Code::Reserve { buf: vals, len: parents.clone() });
        if leaves_slots_empty(&t.format) && !t.fill.is_same(Scalar::zero(t.dtype)) {
            let at = self.kernel.index("p");
            code.push(self.fill_range(vals, at, int(0), parents, t.fill));
        }
        self.scattering = Some(Scattering { access: access.clone(), levels, vals, task: ScatterTask::Place });
        code
    }
    fn reply(&self, a: &Answer) -> QueryResult {
        if let Some(&held) = self.temps.get(&a.temp) {
            let held_as = self.kernel.vars[held].ty.elem;
            let number = openwork_loops::build::cast(DType::I64, held_as, var(held));
            let stored = if a.shift == 0 { number } else { call(Prim::Sub, number, int(a.shift)) };
            let value = if a.sign == 1 { stored } else { call(Prim::Sub, int(0), stored) };
            return QueryResult::Number { value, known: call(Prim::Ne, var(held), constant(a.none)) };
        }
        let stored = self.tensors[&a.temp].vals;
        QueryResult::Table { stored, shift: a.shift, sign: a.sign }
    }

    /// Whether `lhs` is assembled out of order.
    pub(crate) fn scatters(&self, lhs: &Access) -> bool {
        self.scattering.as_ref().is_some_and(|s| s.access == *lhs)
    }
    /// Places one element.
    pub(crate) fn scatter_value(&mut self, mut to: Scattering<'a>, value: Ir, scope: &Scope) -> Vec<Code> {
        let mut code = Vec::new();
        let mut parent = int(0);
        let mut above: Vec<Ir> = Vec::new();
        for (k, InsertedLevel { level, by, state }) in to.levels.iter_mut().enumerate() {
            if let ScatterTask::Count { list, counters, scale } = to.task
                && list == k
            {
                let (at, one) = (group(parent, scale), constant(Scalar::U32(1)));
                code.push(Code::Store { buf: counters, at, val: one, reduce: Some(Prim::Add) });
                self.scattering = Some(to);
                return code;
            }
            let coord = scope.coords[&self.var_of(&to.access, k)].clone();
            let mut ctx =
                AssemblyCtx { kernel: &mut self.kernel, level, parents: int(0), answers: &[], state };
            let placed = by.insert_coord(&mut ctx, &Nonzero { parent, coord: coord.clone(), above: &above });
            code.extend(placed.code);
            above.push(coord);
            parent = placed.position;
        }
        code.push(store(to.vals, parent, value));
        self.scattering = Some(to);
        code
    }
    fn close_levels(&mut self) -> Vec<Code> {
        let Some(mut to) = self.scattering.take() else { return Vec::new() };
        let mut code = Vec::new();
        let mut parents = int(1);
        for InsertedLevel { level, by, state } in &mut to.levels {
            let mut ctx = AssemblyCtx { kernel: &mut self.kernel, level, parents, answers: &[], state };
            code.extend(by.insert_finalize(&mut ctx));
            parents = ctx.slots();
        }
        code.push(Code::SetLen { buf: to.vals, len: parents });
        code
    }

    /// Gives every counter of a nest its place.
    fn open_counters(&mut self, s: &CinStmt) -> Vec<Code> {
        let mut loops = Vec::new();
        s.visit(&mut |s| {
            if let CinStmt::Forall { index, .. } = s {
                loops.push(*index);
            }
        });
        let reads: Vec<Access> =
            s.assignments().iter().flat_map(|(_, _, rhs)| rhs.accesses().into_iter().cloned()).collect();
        let mut code = Vec::new();
        let counters = counters(self.program, s);
        for v in loops.iter().filter(|v| counters.contains(v)).copied() {
            let Some(d) = &self.program.indices[v].derived else { continue };
            let Term::Counter(named) = d.remap.coords[d.coord].inline_locals() else { continue };
            let modes: Vec<IndexId> = named.into_iter().map(|m| d.mode(m)).collect();
            let counter = if self.visited_once(&modes, &loops, &reads) {
                let held = self.kernel.index("count");
                let after = modes.last().map(|_| loops[modes.len() - 1]);
                if after.is_none() {
                    code.push(Code::Let { var: held, val: int(0) });
                }
                Counter::Scalar { held, after }
            } else {
                let buf = self.kernel.buf("counts", DType::I64, BufRole::Temp);
                let len = modes.iter().fold(int(1), |n, m| mul(n, var(self.sizes[m])));
                code.push(Code::Reserve { buf, len });
                Counter::Array { buf, modes }
            };
            self.counters.insert(v, counter);
        }
        code
    }
    /// Whether the outermost loops are those over `modes`, and each combination of their coordinates comes once.
    fn visited_once(&self, modes: &[IndexId], loops: &[IndexId], reads: &[Access]) -> bool {
        let first = &loops[..modes.len().min(loops.len())];
        let outermost = first.len() == modes.len() && first.iter().all(|v| modes.contains(v));
        outermost
            && reads.iter().all(|a| {
                let format = &self.program.tensors[a.tensor].format;
                (0..format.depth()).all(|k| !first.contains(&self.var_of(a, k)) || format.levels[k].unique())
            })
    }
    /// The next value of a counter: before the code of an element.
    pub(crate) fn count(&mut self, v: IndexId, held: VarId, scope: &Scope) -> Option<Vec<Code>> {
        Some(match self.counters.get(&v)?.clone() {
            Counter::Scalar { held: counter, .. } => {
                vec![Code::Let { var: held, val: var(counter) }, set(counter, add(var(held), int(1)))]
            }
            Counter::Array { buf, modes } => {
                let at = modes
                    .iter()
                    .fold(int(0), |at, m| add(mul(at, var(self.sizes[m])), scope.coords[m].clone()));
                vec![
                    Code::Let { var: held, val: load(buf, at.clone()) },
                    store(buf, at, add(var(held), int(1))),
                ]
            }
        })
    }
    /// Counters that start anew once `v` has a value.
    pub(crate) fn restart_counters(&self, v: IndexId) -> Vec<Code> {
        let restarts = self.counters.values().filter_map(|c| match c {
            Counter::Scalar { held, after } if *after == Some(v) => Some(*held),
            Counter::Scalar { .. } | Counter::Array { .. } => None,
        });
        restarts.map(|held| Code::Let { var: held, val: int(0) }).collect()
    }
}

/// Whether some slots of an assembled tensor may hold no element.
fn leaves_slots_empty(format: &openwork_format::Format) -> bool {
    format.has_padding() || format.levels.iter().any(|l| l.is_padded() || l.leaves_slots())
}
