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
use crate::emit::made::{AppendedLevel, AssembledResult, LevelChain};
use crate::emit::scope::{AppendRoom, Scope};
use crate::graph::coverage::{Covered, coverage};
use crate::graph::{Graph, Keep};
use crate::phase::Phase;
use openwork_algebra::{Prim, Scalar};
use openwork_index::{Access, IndexId};
use openwork_levels::{Gaps, LevelCounts, Place};
use openwork_loops::build::{add, and_also, call, constant, if_then, int, load, lt, mul, set, store, var};
use openwork_loops::{Expr as Ir, Stmt as Code, Ty};
use std::rc::Rc;

impl<'a> Emitter<'a> {
    /// Finds the result, groups its levels, and gives its arrays their first contents.
    pub(crate) fn open_result(&mut self, graph: &Graph, scope: &Scope) -> Vec<Code> {
        if let Some(code) = self.open_lent(scope) {
            return code;
        }
        let program = self.program;
        let Some(plan) = &graph.result else { return Vec::new() };
        let access = &plan.access;
        let name = &program.tensors[access.tensor].name;
        let spans = plan.chains();
        let mut code = Vec::new();
        let mut appended = Vec::new();
        for &levels in &spans {
            let count = self.kernel.index(&format!("p{name}{}", levels.0 + 1));
            code.push(Code::Let { var: count, val: int(0) });
            let each = (levels.0..=levels.1).map(|k| self.appended_level(access, k));
            appended.push(LevelChain { levels, count, appended: each.collect() });
        }
        let coverage = coverage(graph, program, access, &spans);
        let vals = self.tensors[&access.tensor].vals;
        let growing = self.open_growing(access, &appended, &coverage, &mut code);
        let (tensor, access) = (access.tensor, access.clone());
        let r = AssembledResult { tensor, access, vals, chains: appended, coverage, growing, lent: None };
        code.extend(self.open_arrays(&r));
        self.result = Some(Rc::new(r));
        code
    }
    /// A level to append to.
    fn appended_level(&self, access: &Access, k: usize) -> AppendedLevel<'a> {
        let level = self.tensors[&access.tensor].levels[k].clone();
        let by = self.registry.get(level.level.spec).and_then(|f| f.append());
        AppendedLevel { k, level, by: by.expect("what cannot be appended to is refused") }
    }

    /// Makes the arrays of appended levels, and the room of dense values.
    pub(crate) fn open_arrays(&self, r: &AssembledResult) -> Vec<Code> {
        let mut code = Vec::new();
        for chain in &r.chains {
            let parents = r.parents_of(chain.levels.0, self);
            for AppendedLevel { level, by, .. } in &chain.appended {
                code.extend(self.keep_assembly(by.append_init(&self.kernel, level, parents.as_ref())));
            }
        }
        if r.chains.is_empty() {
            code.push(Code::Reserve { buf: r.vals, len: r.value_count(self) });
        }
        code
    }

    /// Gives a dense result its first values, unless all of them are assigned anyway.
    pub(crate) fn first_values(&mut self) -> Vec<Code> {
        let Some(r) = self.result.clone().filter(|r| r.chains.is_empty()) else { return Vec::new() };
        let t = &self.program.tensors[r.tensor];
        let fill = t.fill;
        if r.coverage.covered != Covered::Some || fill.is_same(Scalar::zero(t.dtype)) {
            return Vec::new();
        }
        let levels = &self.tensors[&r.tensor].levels;
        let len = levels.iter().fold(int(1), |n, l| mul(n, l.size.clone()));
        let at = self.kernel.index("p");
        vec![self.fill_range(r.vals, at, int(0), len, fill)]
    }

    /// The chain whose last level stores `v`, by its number in the result.
    fn chain_of(&self, v: IndexId) -> Option<(Rc<AssembledResult<'a>>, usize)> {
        let r = self.result.clone()?;
        let n = r.chains.iter().position(|c| self.var_of(&r.access, c.levels.1) == v)?;
        Some((r, n))
    }
    /// Whether the values are blocks of an appended level, each of which gets first values when its coordinate is entered.
    pub(crate) fn fills_blocks(&self) -> bool {
        let below =
            |r: &AssembledResult| r.chains.last().is_some_and(|c| c.levels.1 + 1 < self.rank(r.tensor));
        self.phase.computes() && self.result.as_deref().is_some_and(below)
    }
    /// Whether assigning `lhs` appends its value.
    pub(crate) fn appends_values(&self, lhs: &Access) -> bool {
        self.chain_of_values(lhs).is_some()
    }
    /// The chain whose values are appended by assigning `lhs`, if they are.
    pub(crate) fn chain_of_values(&self, lhs: &Access) -> Option<(&Rc<AssembledResult<'a>>, usize)> {
        let r = self.result.as_ref().filter(|r| r.tensor == lhs.tensor)?;
        let (n, chain) = r.last_chain()?;
        (chain.levels.1 + 1 == self.rank(lhs.tensor)).then_some((r, n))
    }

    /// Before the code for one coordinate of `v`: gives the levels of its chain their position.
    pub(crate) fn enter_result(&mut self, v: IndexId, scope: &mut Scope) -> Vec<Code> {
        let Some((r, n)) = self.chain_of(v) else {
            return [self.skipped_rows(v, scope), self.first_row(v, scope)].concat();
        };
        let count = r.chains[n].count;
        let (first, last) = r.chains[n].levels;
        for k in first..=last {
            scope.places.insert((r.access.clone(), k), Place::one(var(count)));
        }
        let mut code = Vec::new();
        let block = r.block_below(n, self);
        let next = add(var(count), int(1));
        if let Some(below) = r.chains.get(n + 1) {
            let pos = &self.tensors[&r.tensor].levels[below.levels.0];
            let len = add(mul(next, block), int(1));
            code.extend(self.keep_assembly(vec![Code::Reserve { buf: pos.arrays[0], len }]));
        } else if last + 1 < r.rank(self) && self.phase.computes() {
            let (lo, fill) = (mul(var(count), block.clone()), self.program.tensors[r.tensor].fill);
            code.push(Code::Reserve { buf: r.vals, len: mul(next, block.clone()) });
            let at = self.kernel.index("q");
            code.push(self.fill_range(r.vals, at, lo.clone(), add(lo, block), fill));
        }
        code
    }

    /// Wraps the code for one coordinate of `v` so that the coordinate is appended if anything below it was.
    pub(crate) fn commit_result(&mut self, v: IndexId, inner: Vec<Code>, scope: &Scope) -> Vec<Code> {
        let mut code = inner;
        let Some((r, n)) = self.chain_of(v) else {
            code.extend(self.close_dense_parent(v, scope));
            return code;
        };
        let chain = &r.chains[n];
        let count = chain.count;
        match r.chains.get(n + 1) {
            Some(below) => {
                let begin = self.kernel.index("begin");
                code.insert(0, Code::Let { var: begin, val: var(below.count) });
                let mut commit = self.make_room(&r, chain, add(var(count), int(1)));
                commit.extend(self.append_coords(&r, chain, scope));
                commit.extend(self.close_children(chain, below));
                commit.push(set(count, add(var(count), int(1))));
                code.extend(if_then(lt(var(begin), var(below.count)), commit));
            }
            None if chain.levels.1 + 1 < r.rank(self) => {
                let mut commit = self.make_room(&r, chain, add(var(count), int(1)));
                commit.extend(self.append_coords(&r, chain, scope));
                commit.push(set(count, add(var(count), int(1))));
                code.extend(self.where_block_holds(&r, n, commit));
            }
            // The value and its coordinates were appended by the assignment.
            None => {}
        }
        code
    }

    /// `commit`, if the block of values at the position of chain `n`, the last one, holds anything but the fill value. Structures
    /// that are assembled for themselves hold every block that is visited.
    fn where_block_holds(&mut self, r: &AssembledResult, n: usize, commit: Vec<Code>) -> Vec<Code> {
        if self.phase != Phase::Fused {
            return commit;
        }
        let fill = self.program.tensors[r.tensor].fill;
        let (at, end) = (self.kernel.index("q"), self.kernel.index("block_end"));
        let block = r.block_below(n, self);
        let held = self.differs(load(r.vals, var(at)), fill);
        let empty = Ir::Call { prim: Prim::Not, args: vec![held] };
        let step = vec![set(at, add(var(at), int(1)))];
        let mut code = vec![
            Code::Let { var: at, val: mul(var(r.chains[n].count), block.clone()) },
            Code::Let { var: end, val: add(var(at), block) },
            Code::While { cond: and_also(lt(var(at), var(end)), empty), body: step },
        ];
        code.extend(if_then(lt(var(at), var(end)), commit));
        code
    }
    /// After a coordinate of a dense level right above a chain: the chain's segment ends here.
    fn close_dense_parent(&mut self, v: IndexId, scope: &Scope) -> Vec<Code> {
        let rest = if self.ends_rows(v) { self.finish_runs() } else { Vec::new() };
        let Some(r) = self.result.clone() else { return Vec::new() };
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
                code.extend(self.end_row(chain, parent.lo));
            }
        }
        code
    }
    /// The segment of `parent` in the first level of a chain ends here.
    pub(crate) fn end_row(&self, chain: &LevelChain, parent: Ir) -> Vec<Code> {
        let mut code = self.end_segment(chain, parent.clone());
        code.extend(self.begin_runs(add(parent, int(1))));
        code
    }
    fn end_segment(&self, chain: &LevelChain, parent: Ir) -> Vec<Code> {
        let ends = chain.appended.iter().take(1).flat_map(|AppendedLevel { level, by, .. }| {
            by.append_edges(&self.kernel, level, parent.clone(), var(chain.count))
        });
        self.keep_assembly(ends.collect())
    }
    /// When a chain commits a coordinate and the next chain starts right below it.
    fn close_children(&self, chain: &LevelChain, below: &LevelChain) -> Vec<Code> {
        if below.levels.0 != chain.levels.1 + 1 {
            return Vec::new();
        }
        self.end_segment(below, var(chain.count))
    }
    fn append_coords(&self, r: &AssembledResult, chain: &LevelChain, scope: &Scope) -> Vec<Code> {
        let mut code = Vec::new();
        for AppendedLevel { k, level, by } in &chain.appended {
            let coord = scope.coords[&self.var_of(&r.access, *k)].clone();
            code.extend(self.keep_assembly(by.append_coord(&self.kernel, level, var(chain.count), coord)));
        }
        code
    }

    /// Room for `len` positions in every level of a chain, and for their values if it is the last one.
    pub(crate) fn make_room(&self, r: &AssembledResult, chain: &LevelChain, len: Ir) -> Vec<Code> {
        let mut code = Vec::new();
        for AppendedLevel { level, by, .. } in &chain.appended {
            code.extend(self.keep_assembly(by.reserve(level, len.clone())));
        }
        if chain.levels.1 + 1 == r.rank(self) && self.phase.computes() {
            code.push(Code::Reserve { buf: r.vals, len });
        }
        code
    }
    /// Before loops that append at most `more` values: makes room for all of them at once. The scope of these loops says
    /// so.
    pub(crate) fn make_room_for(&self, more: Ir) -> Vec<Code> {
        let Some(r) = &self.result else { return Vec::new() };
        let room = |(_, chain): (usize, &LevelChain)| self.make_room(r, chain, add(var(chain.count), more));
        r.last_chain().map(room).unwrap_or_default()
    }
    /// Appends one value with its coordinates.
    pub(crate) fn append_value(
        &mut self,
        r: &AssembledResult,
        chain: &LevelChain,
        value: Ir,
        keep: Keep,
        scope: &Scope,
    ) -> Vec<Code> {
        if let Some(growing) = &r.growing {
            return self.append_run(r, growing, value, scope);
        }
        let count = chain.count;
        let drops = match keep {
            Keep::All => false,
            Keep::NotFillWhenFused => self.phase == Phase::Fused,
            Keep::NotFill => true,
        };
        let t = &self.program.tensors[r.tensor];
        let mut code = Vec::new();
        let mut stored = value.clone();
        if drops {
            let held = self.kernel.var("value", Ty::scalar(t.dtype));
            code.push(Code::Let { var: held, val: value });
            stored = var(held);
        }
        let mut append = match scope.room {
            AppendRoom::Made => Vec::new(),
            AppendRoom::Wanted => self.make_room(r, chain, add(var(count), int(1))),
        };
        if self.phase.computes() {
            append.push(store(r.vals, var(count), stored.clone()));
        }
        append.extend(self.append_coords(r, chain, scope));
        append.push(set(count, add(var(count), int(1))));
        if drops {
            code.extend(if_then(self.differs(stored, t.fill), append));
        } else {
            code.extend(append);
        }
        code
    }

    /// Closes every array of the result and states its length.
    pub(crate) fn close_result(&mut self) -> Vec<Code> {
        let Some(r) = self.result.clone() else { return Vec::new() };
        if r.chains.is_empty() {
            return vec![Code::SetLen { buf: r.vals, len: r.value_count(self) }];
        }
        let mut code = self.last_rows();
        let scratch = self.kernel.index("q");
        let mut parents = int(1);
        for (n, chain) in r.chains.iter().enumerate() {
            if n == 0 {
                let above = &self.tensors[&r.tensor].levels[..chain.levels.0];
                parents = above.iter().fold(int(1), |p, l| mul(p, l.size.clone()));
            }
            let positions = var(chain.count);
            for AppendedLevel { k, level, by } in &chain.appended {
                let mut ends = Vec::new();
                if *k == 0 {
                    ends.extend(by.append_edges(&self.kernel, level, int(0), positions.clone()));
                }
                let count = LevelCounts { parents: parents.clone(), positions: positions.clone() };
                // Rows of runs that loops leave out have ended.
                let gaps = if r.growing.is_some() { Gaps::None } else { r.coverage.open[n] };
                ends.extend(by.append_finalize(&self.kernel, level, count, scratch, gaps));
                code.extend(self.keep_assembly(ends));
            }
            parents = mul(positions, r.block_below(n, self));
        }
        if self.phase.computes() {
            code.push(Code::SetLen { buf: r.vals, len: parents });
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
/// The constant `false`.
pub(crate) fn never() -> Ir {
    constant(Scalar::Bool(false))
}
