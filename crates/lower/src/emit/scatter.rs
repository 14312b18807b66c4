//! Out-of-order assembly of a result (formats thesis, §6.2.4): its levels are opened once their queries are answered, every
//! element is placed level by level, and the levels are closed.
//!
//! Counters number the elements as they come. A counter is one variable where the loops over the modes that it names
//! are outermost and visit each of their coordinates once; otherwise it is an array.

use crate::emit::Emitter;
use crate::emit::scope::Scope;
use crate::graph::{How, Node, counters};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{Error, Result};
use openwork_format::remap::Term;
use openwork_index::cin::Assembly;
use openwork_index::query::Answer;
use openwork_index::{Access, IndexId, Stmt};
use openwork_levels::insert::{AssemblyCtx, Insert, Nonzero, QueryResult, State, group};
use openwork_loops::build::{add, call, constant, int, load, mul, set, store, var};
use openwork_loops::{BufId, Expr as Ir, Role, Stmt as Code, VarId};

/// The result under out-of-order assembly.
pub(crate) struct Scattering {
    pub(crate) access: Access,
    pub(crate) states: Vec<State>,
    /// What becomes of each element.
    pub(crate) task: Task,
}

/// What becomes of each element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
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
    pub(crate) fn out_of_order(&mut self, root: &Node) -> Result<Vec<Code>> {
        let Assembly::OutOfOrder(answers) = &self.program.assembly else {
            unreachable!("called for out-of-order assembly")
        };
        let scope = Scope::default();
        let mut code = Vec::new();
        let mut n = root;
        while let How::Where(w) = &n.how {
            code.extend(self.open_temporaries(&w.producer.stmt, &scope)?);
            code.extend(self.query(&w.producer, &scope)?);
            n = &w.reader;
        }
        code.extend(self.open_levels(&n.stmt, answers)?);
        code.extend(self.nest(n, &scope)?);
        code.extend(self.close_levels());
        Ok(code)
    }
    /// A query, whose own temporaries come first.
    fn query(&mut self, n: &Node, scope: &Scope) -> Result<Vec<Code>> {
        let How::Where(w) = &n.how else { return self.nest(n, scope) };
        let mut code = self.open_temporaries(&w.producer.stmt, scope)?;
        code.extend(self.query(&w.producer, scope)?);
        code.extend(self.nest(&w.reader, scope)?);
        Ok(code)
    }
    /// One loop nest, with counters of its own.
    pub(crate) fn nest(&mut self, n: &Node, scope: &Scope) -> Result<Vec<Code>> {
        let mut code = self.open_counters(&n.stmt);
        code.extend(self.node(n, scope)?);
        self.counters.clear();
        Ok(code)
    }

    /// Opens every level of the result, outermost first, and makes room for its values.
    fn open_levels(&mut self, s: &Stmt, answers: &[Vec<Answer>]) -> Result<Vec<Code>> {
        let assignments = s.assignments();
        let (lhs, ..) = assignments.first().expect("the assembly is an assignment in loops");
        let access = (*lhs).clone();
        let t = &self.program.tensors[access.tensor];
        let mut code = Vec::new();
        let mut states = Vec::new();
        let mut parents = int(1);
        for (k, found) in answers.iter().enumerate() {
            let replies: Vec<QueryResult> = found.iter().map(|a| self.reply(a)).collect();
            let scatter = self.insert_of(&access, k)?;
            let mut state = State::default();
            let level = &mut self.tensors.get_mut(&access.tensor).expect("declared").levels[k];
            let kernel = &mut self.kernel;
            let mut ctx = AssemblyCtx { kernel, level, parents, answers: &replies, state: &mut state };
            code.extend(scatter.insert_init(&mut ctx));
            parents = ctx.slots();
            states.push(state);
        }
        let vals = self.tensors[&access.tensor].vals.expect("results have values");
        code.push(Code::Reserve { buf: vals, len: parents.clone() });
        if leaves_slots_empty(&t.format) && !t.fill.same(Scalar::zero(t.dtype)) {
            let at = self.kernel.index("p");
            code.push(self.fill_range(vals, at, int(0), parents, t.fill));
        }
        self.scattering = Some(Scattering { access, states, task: Task::Place });
        Ok(code)
    }
    fn insert_of(&self, access: &Access, k: usize) -> Result<&'a dyn Insert> {
        let level = self.program.tensors[access.tensor].format.levels[k];
        let insert = self.registry.get(level.spec).and_then(|f| f.insert());
        insert.ok_or_else(|| Error::bug("lower", format!("a level `{level}` has no insertion"), ""))
    }
    fn reply(&self, a: &Answer) -> QueryResult {
        if let Some(&held) = self.temps.get(&a.temp) {
            let held_as = self.kernel.vars[held].ty.elem;
            let number = openwork_loops::build::cast(DType::I64, held_as, var(held));
            let stored = if a.shift == 0 { number } else { call(Prim::Sub, number, int(a.shift)) };
            let value = if a.sign == 1 { stored } else { call(Prim::Sub, int(0), stored) };
            return QueryResult::Number { value, known: call(Prim::Ne, var(held), constant(a.none)) };
        }
        let stored = self.tensors[&a.temp].vals.expect("only scalar temporaries have no buffer");
        QueryResult::Table { stored, shift: a.shift, sign: a.sign }
    }

    /// Whether `lhs` is assembled out of order.
    pub(crate) fn scatters(&self, lhs: &Access) -> bool {
        self.scattering.as_ref().is_some_and(|s| s.access == *lhs)
    }
    /// Places one element.
    pub(crate) fn scatter_value(&mut self, lhs: &Access, value: Ir, scope: &Scope) -> Vec<Code> {
        let mut scattering = self.scattering.take().expect("called while the result is assembled");
        let mut code = Vec::new();
        let mut parent = int(0);
        let mut above: Vec<Ir> = Vec::new();
        for (k, state) in scattering.states.iter_mut().enumerate() {
            if let Task::Count { list, counters, scale } = scattering.task
                && list == k
            {
                let (at, one) = (group(parent, scale), constant(Scalar::U32(1)));
                code.push(Code::Store { buf: counters, at, val: one, reduce: Some(Prim::Add) });
                self.scattering = Some(scattering);
                return code;
            }
            let coord = scope.coords[&self.var_of(lhs, k)].clone();
            let scatter = self.insert_of(lhs, k).expect("every level was opened");
            let level = &mut self.tensors.get_mut(&lhs.tensor).expect("declared").levels[k];
            let mut ctx =
                AssemblyCtx { kernel: &mut self.kernel, level, parents: int(0), answers: &[], state };
            let placed =
                scatter.insert_coord(&mut ctx, &Nonzero { parent, coord: coord.clone(), above: &above });
            code.extend(placed.code);
            above.push(coord);
            parent = placed.position;
        }
        let vals = self.tensors[&lhs.tensor].vals.expect("results have values");
        code.push(store(vals, parent, value));
        self.scattering = Some(scattering);
        code
    }
    fn close_levels(&mut self) -> Vec<Code> {
        let scattering = self.scattering.take().expect("called while the result is assembled");
        let mut code = Vec::new();
        let mut parents = int(1);
        for (k, mut state) in scattering.states.into_iter().enumerate() {
            let scatter = self.insert_of(&scattering.access, k).expect("every level was opened");
            let level = &mut self.tensors.get_mut(&scattering.access.tensor).expect("declared").levels[k];
            let kernel = &mut self.kernel;
            let mut ctx = AssemblyCtx { kernel, level, parents, answers: &[], state: &mut state };
            code.extend(scatter.insert_finalize(&mut ctx));
            parents = ctx.slots();
        }
        let vals = self.tensors[&scattering.access.tensor].vals.expect("results have values");
        code.push(Code::SetLen { buf: vals, len: parents });
        code
    }

    /// Gives every counter of a nest its place.
    fn open_counters(&mut self, s: &Stmt) -> Vec<Code> {
        let mut loops = Vec::new();
        s.visit(&mut |s| {
            if let Stmt::Forall { index, .. } = s {
                loops.push(*index);
            }
        });
        let reads: Vec<Access> =
            s.assignments().iter().flat_map(|(_, _, rhs)| rhs.accesses().into_iter().cloned()).collect();
        let mut code = Vec::new();
        let counters = counters(self.program, s);
        for v in loops.iter().filter(|v| counters.contains(v)).copied() {
            let Some(d) = &self.program.indices[v].derived else { continue };
            let Term::Counter(named) = d.remap.coords[d.coord].inlined() else { continue };
            let modes: Vec<IndexId> = named.into_iter().map(|m| d.mode(m)).collect();
            let counter = if self.visited_once(&modes, &loops, &reads) {
                let held = self.kernel.index("count");
                let after = modes.last().map(|_| loops[modes.len() - 1]);
                if after.is_none() {
                    code.push(Code::Let { var: held, val: int(0) });
                }
                Counter::Scalar { held, after }
            } else {
                let buf = self.kernel.buf("counts", DType::I64, Role::Temp);
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
    format.has_padding() || format.levels.iter().any(|l| l.padded() || l.leaves_slots())
}
