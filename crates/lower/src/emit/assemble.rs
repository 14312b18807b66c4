//! The assembly of a result, level by level: by insertion or by appending.
//!
//! Levels of a result fall into groups. A dense level is inserted into: positions are computed. A level that appends,
//! with the branchless levels right below it, forms a *chain* that shares one position counter; a coordinate is
//! appended when the last variable of the chain is known. Dense levels below the last chain form a block of values per
//! appended coordinate.
//!
//! ```text
//! csr                dense | compressed                 chains: [1]        block: 1
//! coo of rank 3      compressed singleton singleton     chains: [0 1 2]    block: 1
//! ssd                compressed | compressed | dense    chains: [0] [1]    block: size of level 2
//! ```
//! Runs of equal values are appended as [`growing`](crate::emit::growing) has it.
//! A coordinate of an outer chain is appended only if something was appended below it. Where a sparse result is
//! computed over a whole dimension, values equal to the fill are not stored, and of reductions of truth values never.

use crate::emit::Emitter;
use crate::emit::growing::Growing;
use crate::emit::scope::{Keep, Room, Scope};
use crate::graph::Graph;
use crate::graph::coverage::{Coverage, Covered, coverage};
use crate::phase::Phase;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Result as Outcome;
use openwork_index::{Access, IndexId, Kind, TensorId};
use openwork_levels::{Counts, Gaps, Place};
use openwork_loops::build::{add, and_also, call, constant, int, load, lt, mul, set, store, var, when};
use openwork_loops::{Expr as Ir, Stmt as Code, Ty, VarId};

/// A run of levels that share a position counter.
pub(crate) struct Chain {
    /// First and last level.
    pub(crate) levels: (usize, usize),
    /// Positions appended so far.
    pub(crate) count: VarId,
}

/// The positions that an operand lends to a result.
pub(crate) struct Lent {
    /// The first one of the kernel's part.
    pub(crate) first: Ir,
    /// How many there are.
    pub(crate) len: Ir,
}

/// The result under assembly.
pub(crate) struct Result {
    pub(crate) tensor: TensorId,
    pub(crate) access: Access,
    pub(crate) chains: Vec<Chain>,
    /// Which elements its loops assign.
    pub(crate) coverage: Coverage,
    /// Its runs, where it has any.
    pub(crate) growing: Option<Growing>,
    /// The positions that are lent to it.
    pub(crate) lent: Option<Lent>,
}

impl Emitter<'_> {
    /// Finds the result, groups its levels, and gives its arrays their first contents.
    pub(crate) fn open_result(&mut self, graph: &Graph, scope: &Scope) -> Outcome<Vec<Code>> {
        if let Some(code) = self.open_lent(scope) {
            return Ok(code);
        }
        let program = self.program;
        let target = program.body.assignments().into_iter().map(|(lhs, _, _)| lhs);
        let Some(access) = target.into_iter().find(|a| program.tensors[a.tensor].kind == Kind::Result) else {
            return Ok(Vec::new());
        };
        let t = &program.tensors[access.tensor];
        let mut chains: Vec<Chain> = Vec::new();
        let mut code = Vec::new();
        for (k, level) in t.format.levels.iter().enumerate() {
            let format = self.registry.get(level.spec);
            if format.is_some_and(|f| f.locate().is_some()) {
                continue;
            }
            let joins = level.branchless() && chains.last().is_some_and(|c| c.levels.1 + 1 == k);
            match chains.last_mut().filter(|_| joins) {
                Some(chain) => chain.levels.1 = k,
                None => {
                    let count = self.kernel.index(&format!("p{}{}", t.name, k + 1));
                    code.push(Code::Let { var: count, val: int(0) });
                    chains.push(Chain { levels: (k, k), count });
                }
            }
        }
        let spans: Vec<(usize, usize)> = chains.iter().map(|c| c.levels).collect();
        let coverage = coverage(graph, program, access, &spans);
        let (tensor, access) = (access.tensor, access.clone());
        let growing = self.open_growing(&access, &spans, &coverage, &mut code);
        self.result = Some(Result { tensor, access, chains, coverage, growing, lent: None });
        code.extend(self.open_arrays());
        Ok(code)
    }

    /// Makes the arrays of appended levels, and the room of dense values.
    pub(crate) fn open_arrays(&mut self) -> Vec<Code> {
        let r = self.result.as_ref().expect("called after the result is known");
        let ir = &self.tensors[&r.tensor];
        let mut code = Vec::new();
        for chain in &r.chains {
            for k in chain.levels.0..=chain.levels.1 {
                let level = &ir.levels[k];
                let parents = self.parents_of(chain.levels.0);
                let append = self.registry.get(level.level.spec).and_then(|f| f.append());
                let append = append.expect("open_result checked that the level appends");
                code.extend(self.assembling(append.append_init(&self.kernel, level, parents.as_ref())));
            }
        }
        if r.chains.is_empty() {
            let vals = ir.vals.expect("results have values");
            code.push(Code::Reserve { buf: vals, len: self.computed(r) });
        }
        code
    }

    /// The number of values of a result to which nothing is appended.
    fn computed(&self, r: &Result) -> Ir {
        let all = || self.tensors[&r.tensor].levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        r.lent.as_ref().map_or_else(all, |lent| lent.len.clone())
    }

    /// Gives a dense result its first values, unless all of them are assigned anyway.
    pub(crate) fn first_values(&mut self) -> Vec<Code> {
        let Some(r) = self.result.as_ref().filter(|r| r.chains.is_empty()) else { return Vec::new() };
        let t = &self.program.tensors[r.tensor];
        let (ir, fill) = (&self.tensors[&r.tensor], t.fill);
        if r.coverage.covered != Covered::Some || fill.same(Scalar::zero(t.dtype)) {
            return Vec::new();
        }
        let vals = ir.vals.expect("results have values");
        let len = ir.levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        let at = self.kernel.index("p");
        vec![self.fill_range(vals, at, int(0), len, fill)]
    }

    /// The number of positions above level `k`, when no chain lies above it.
    fn parents_of(&self, k: usize) -> Option<Ir> {
        let r = self.result.as_ref()?;
        let above = r.chains.iter().any(|c| c.levels.0 < k);
        let levels = &self.tensors[&r.tensor].levels;
        (!above).then(|| levels[..k].iter().fold(int(1), |n, l| mul(n, l.size.clone())))
    }
    /// Positions per coordinate of chain `n` in the dense levels right below it.
    fn block_below(&self, n: usize) -> Ir {
        let r = self.result.as_ref().expect("a chain belongs to a result");
        let levels = &self.tensors[&r.tensor].levels;
        let end = r.chains.get(n + 1).map_or(levels.len(), |c| c.levels.0);
        levels[r.chains[n].levels.1 + 1..end].iter().fold(int(1), |size, l| mul(size, l.size.clone()))
    }

    /// The chain whose last level stores `v`, and whether it is the result's very last level.
    fn chain_of(&self, v: IndexId) -> Option<(usize, VarId)> {
        let r = self.result.as_ref()?;
        let n = r.chains.iter().position(|c| self.var_of(&r.access, c.levels.1) == v)?;
        Some((n, r.chains[n].count))
    }
    /// Whether the values are blocks of an appended level, each of which gets first values when its coordinate is entered.
    pub(crate) fn fills_blocks(&self) -> bool {
        let below = |r: &Result| r.chains.last().is_some_and(|c| c.levels.1 + 1 < self.rank(r.tensor));
        self.phase.computes() && self.result.as_ref().is_some_and(below)
    }
    /// Whether assigning `lhs` appends its value.
    pub(crate) fn appends_values(&self, lhs: &Access) -> bool {
        let Some(r) = self.result.as_ref().filter(|r| r.tensor == lhs.tensor) else { return false };
        r.chains.last().is_some_and(|c| c.levels.1 + 1 == self.rank(lhs.tensor))
    }

    /// Before the code for one coordinate of `v`: gives the levels of its chain their position.
    pub(crate) fn enter_result(&mut self, v: IndexId, scope: &mut Scope) -> Vec<Code> {
        let Some((n, count)) = self.chain_of(v) else {
            return [self.skipped_rows(v, scope), self.first_row(v, scope)].concat();
        };
        let r = self.result.as_ref().expect("a chain belongs to a result");
        let access = r.access.clone();
        let (first, last) = r.chains[n].levels;
        for k in first..=last {
            scope.places.insert((access.clone(), k), Place::one(var(count)));
        }
        let mut code = Vec::new();
        let block = self.block_below(n);
        let next = add(var(count), int(1));
        let t = &self.program.tensors[r.tensor];
        if let Some(below) = r.chains.get(n + 1) {
            let pos = &self.tensors[&r.tensor].levels[below.levels.0];
            let len = add(mul(next, block), int(1));
            code.extend(self.assembling(vec![Code::Reserve { buf: pos.arrays[0], len }]));
        } else if last + 1 < self.rank(r.tensor) && self.phase.computes() {
            let vals = self.tensors[&r.tensor].vals.expect("results have values");
            let (lo, fill) = (mul(var(count), block.clone()), t.fill);
            code.push(Code::Reserve { buf: vals, len: mul(next, block.clone()) });
            let at = self.kernel.index("q");
            code.push(self.fill_range(vals, at, lo.clone(), add(lo, block), fill));
        }
        code
    }

    /// Wraps the code for one coordinate of `v` so that the coordinate is appended if anything below it was.
    pub(crate) fn commit_result(&mut self, v: IndexId, inner: Vec<Code>, scope: &Scope) -> Vec<Code> {
        let mut code = inner;
        if let Some((n, count)) = self.chain_of(v) {
            let (last, below) = {
                let r = self.result.as_ref().expect("a chain belongs to a result");
                (r.chains[n].levels.1, r.chains.get(n + 1).map(|c| c.count))
            };
            let rank = self.rank(self.result.as_ref().expect("as above").tensor);
            match below {
                Some(below) => {
                    let begin = self.kernel.index("begin");
                    code.insert(0, Code::Let { var: begin, val: var(below) });
                    let mut commit = self.make_room(n, add(var(count), int(1)));
                    commit.extend(self.append_coords(n, scope));
                    commit.extend(self.close_children(n, var(count)));
                    commit.push(set(count, add(var(count), int(1))));
                    code.extend(when(lt(var(begin), var(below)), commit));
                }
                None if last + 1 < rank => {
                    let mut commit = self.make_room(n, add(var(count), int(1)));
                    commit.extend(self.append_coords(n, scope));
                    commit.push(set(count, add(var(count), int(1))));
                    code.extend(self.where_block_holds(n, count, commit));
                }
                // The value and its coordinates were appended by the assignment.
                None => {}
            }
            return code;
        }
        code.extend(self.close_dense_parent(v, scope));
        code
    }

    /// `commit`, if the block of values at position `count` of the last chain holds anything but the fill value. Structures
    /// that are assembled for themselves hold every block that is visited.
    fn where_block_holds(&mut self, n: usize, count: VarId, commit: Vec<Code>) -> Vec<Code> {
        if self.phase != Phase::Fused {
            return commit;
        }
        let tensor = self.result.as_ref().expect("a chain belongs to a result").tensor;
        let (fill, vals) = (self.program.tensors[tensor].fill, self.tensors[&tensor].vals);
        let vals = vals.expect("results have values");
        let (at, end) = (self.kernel.index("q"), self.kernel.index("block_end"));
        let block = self.block_below(n);
        let held = self.differs(load(vals, var(at)), fill);
        let empty = Ir::Call { prim: Prim::Not, args: vec![held] };
        let step = vec![set(at, add(var(at), int(1)))];
        let mut code = vec![
            Code::Let { var: at, val: mul(var(count), block.clone()) },
            Code::Let { var: end, val: add(var(at), block) },
            Code::While { cond: and_also(lt(var(at), var(end)), empty), body: step },
        ];
        code.extend(when(lt(var(at), var(end)), commit));
        code
    }
    /// After a coordinate of a dense level right above a chain: the chain's segment ends here.
    fn close_dense_parent(&mut self, v: IndexId, scope: &Scope) -> Vec<Code> {
        let rest = if self.ends_rows(v) { self.finish_runs() } else { Vec::new() };
        let Some(r) = &self.result else { return Vec::new() };
        let mut code = Vec::new();
        for chain in &r.chains {
            let k = chain.levels.0;
            let chained_above = r.chains.iter().any(|c| c.levels.1 + 1 == k);
            if k == 0 || chained_above || self.var_of(&r.access, k - 1) != v {
                continue;
            }
            let mut scope = scope.clone();
            self.locate(&r.access, &mut scope);
            if let Some(parent) = scope.parent(&r.access, k) {
                code.extend(rest.clone());
                code.extend(self.end_row(&r.access, k, parent.lo, chain.count));
            }
        }
        code
    }
    /// The segment of `parent` in level `k` ends here.
    pub(crate) fn end_row(&self, access: &Access, k: usize, parent: Ir, count: VarId) -> Vec<Code> {
        let level = &self.tensors[&access.tensor].levels[k];
        let append = self.registry.get(level.level.spec).and_then(|f| f.append());
        let append = append.expect("open_result checked that the level appends");
        let edges = append.append_edges(&self.kernel, level, parent.clone(), var(count));
        let mut code = self.assembling(edges);
        code.extend(self.begin_runs(add(parent, int(1))));
        code
    }
    /// When chain `n` commits a coordinate at position `at` and the next chain starts right below it.
    fn close_children(&self, n: usize, at: Ir) -> Vec<Code> {
        let r = self.result.as_ref().expect("a chain belongs to a result");
        let below = &r.chains[n + 1];
        if below.levels.0 != r.chains[n].levels.1 + 1 {
            return Vec::new();
        }
        let level = &self.tensors[&r.tensor].levels[below.levels.0];
        let append = self.registry.get(level.level.spec).and_then(|f| f.append());
        let append = append.expect("checked by open_result");
        self.assembling(append.append_edges(&self.kernel, level, at, var(below.count)))
    }
    fn append_coords(&self, n: usize, scope: &Scope) -> Vec<Code> {
        let r = self.result.as_ref().expect("a chain belongs to a result");
        let chain = &r.chains[n];
        let mut code = Vec::new();
        for k in chain.levels.0..=chain.levels.1 {
            let level = &self.tensors[&r.tensor].levels[k];
            let coord = scope.coords[&self.var_of(&r.access, k)].clone();
            let append = self.registry.get(level.level.spec).and_then(|f| f.append());
            let append = append.expect("checked by open_result");
            code.extend(self.assembling(append.append_coord(&self.kernel, level, var(chain.count), coord)));
        }
        code
    }

    /// Room for `len` positions in every level of chain `n`, and for their values if it is the last one.
    pub(crate) fn make_room(&self, n: usize, len: Ir) -> Vec<Code> {
        let r = self.result.as_ref().expect("a chain belongs to a result");
        let (first, last) = r.chains[n].levels;
        let ir = &self.tensors[&r.tensor];
        let mut code = Vec::new();
        for level in &ir.levels[first..=last] {
            let append = self.registry.get(level.level.spec).and_then(|f| f.append());
            let append = append.expect("checked by open_result");
            code.extend(self.assembling(append.reserve(level, len.clone())));
        }
        if last + 1 == ir.levels.len() && self.phase.computes() {
            code.push(Code::Reserve { buf: ir.vals.expect("results have values"), len });
        }
        code
    }
    /// Before loops that append at most `more` values: makes room for all of them at once. The scope of these loops says
    /// so.
    pub(crate) fn make_room_for(&self, more: Ir) -> Vec<Code> {
        let Some(r) = self.result.as_ref() else { return Vec::new() };
        let n = r.chains.len() - 1;
        self.make_room(n, add(var(r.chains[n].count), more))
    }
    /// Whether the result is what truth values are reduced to, of which those that are the fill are never stored: how the reduction is
    /// computed depends on the formats of the operands, and what a search has found must not. In a phase without values all are stored.
    fn is_truth_of_many(&self) -> bool {
        let Some(r) = &self.result else { return false };
        let reduces = || self.program.body.assignments().iter().any(|(_, op, _)| op.is_some());
        self.phase == Phase::Fused && self.program.tensors[r.tensor].dtype == DType::Bool && reduces()
    }
    /// Appends one value with its coordinates.
    pub(crate) fn append_value(&mut self, lhs: &Access, value: Ir, scope: &Scope) -> Vec<Code> {
        let r = self.result.as_ref().expect("only results append");
        if r.growing.is_some() {
            return self.append_run(value, scope);
        }
        let n = r.chains.len() - 1;
        let count = r.chains[n].count;
        let keep = if self.is_truth_of_many() { Keep::NotFill } else { scope.keep };
        self.drops |= keep == Keep::NotFill;
        let t = &self.program.tensors[lhs.tensor];
        let vals = self.tensors[&lhs.tensor].vals.expect("results have values");
        let mut code = Vec::new();
        let mut stored = value.clone();
        if keep == Keep::NotFill {
            let held = self.kernel.var("value", Ty::scalar(t.dtype));
            code.push(Code::Let { var: held, val: value });
            stored = var(held);
        }
        let mut append = match scope.room {
            Room::Made => Vec::new(),
            Room::Wanted => self.make_room(n, add(var(count), int(1))),
        };
        if self.phase.computes() {
            append.push(store(vals, var(count), stored.clone()));
        }
        append.extend(self.append_coords(n, scope));
        append.push(set(count, add(var(count), int(1))));
        if keep == Keep::NotFill {
            code.extend(when(self.differs(stored, t.fill), append));
        } else {
            code.extend(append);
        }
        code
    }

    /// Closes every array of the result and states its length.
    pub(crate) fn close_result(&mut self) -> Vec<Code> {
        let Some(r) = &self.result else { return Vec::new() };
        let mut code = Vec::new();
        let ir = &self.tensors[&r.tensor];
        let vals = ir.vals.expect("results have values");
        if r.chains.is_empty() {
            return vec![Code::SetLen { buf: vals, len: self.computed(r) }];
        }
        code.extend(self.last_rows());
        let scratch = self.kernel.index("q");
        let r = self.result.as_ref().expect("still there");
        let ir = &self.tensors[&r.tensor];
        let mut parents = int(1);
        for (n, chain) in r.chains.iter().enumerate() {
            if n == 0 {
                parents = ir.levels[..chain.levels.0].iter().fold(int(1), |p, l| mul(p, l.size.clone()));
            }
            let positions = var(chain.count);
            for k in chain.levels.0..=chain.levels.1 {
                let level = &ir.levels[k];
                let append = self.registry.get(level.level.spec).and_then(|f| f.append());
                let append = append.expect("checked by open_result");
                let mut ends = Vec::new();
                if k == 0 {
                    ends.extend(append.append_edges(&self.kernel, level, int(0), positions.clone()));
                }
                let count = Counts { parents: parents.clone(), positions: positions.clone() };
                // Rows of runs that loops leave out have ended.
                let gaps = if r.growing.is_some() { Gaps::None } else { r.coverage.open[n] };
                ends.extend(append.append_finalize(&self.kernel, level, count, scratch, gaps));
                code.extend(self.assembling(ends));
            }
            parents = mul(positions, self.block_below(n));
        }
        if self.phase.computes() {
            code.push(Code::SetLen { buf: vals, len: parents });
        }
        code
    }
}

/// `min(a, b)` on indices.
pub(crate) fn min(a: Ir, b: Ir) -> Ir {
    call(Prim::Min, a, b)
}
/// The constant `true`.
pub(crate) fn always() -> Ir {
    constant(Scalar::Bool(true))
}
