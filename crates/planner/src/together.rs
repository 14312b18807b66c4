//! Statements whose kernels run over the same parts of a dimension, one part after the other.
//!
//! ```text
//! y(i) = A(i,j) * x(j);  s = y(i) * y(i)        a part of y is in the cache when the second kernel reads it
//! y(i) = A(i,j) * x(j);  z(i) = A(i,j) * A(i,j) a part of A is
//! ```
//! A kernel takes part where threads may cut it: its result is dense, and each part writes its slice; or a scalar, which is
//! combined. Both of two kernels range over the same coordinates by what they read, not by what sizes happen to be: one reads
//! the result of the other, or both read the same mode of a tensor. A tensor that is read while it is made is read at the
//! variable of the parts only.

use crate::step::{Plan, Read, Step};
use openwork_index::assume::Assumptions;
use openwork_index::check::Assignment;
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, IndexId, Program, TensorKind};
use openwork_lower::{ChunkJoin, Parallel};

/// Neighbouring statements that run together.
pub(crate) struct StatementGroup<'a> {
    plans: &'a [Plan],
    reads: &'a [Vec<Read>],
    first: usize,
    /// The variable of the parts, for each one.
    vars: Vec<IndexId>,
}

impl<'a> StatementGroup<'a> {
    /// As many statements from `first` on as can run together, none of them one that is to run `alone`; one where it is alone.
    pub(crate) fn collect(
        list: &[Assignment],
        plans: &'a [Plan],
        reads: &'a [Vec<Read>],
        alone: &[bool],
        first: usize,
    ) -> StatementGroup<'a> {
        let mut group = StatementGroup { plans, reads, first, vars: Vec::new() };
        for ((plan, a), alone) in plans[first..].iter().zip(&list[first..]).zip(&alone[first..]) {
            // Where operands have to be looked at first, those that are not there yet cannot be.
            let var = cut(plan).filter(|_| !alone && Assumptions::from_assignment(a).is_none());
            match var {
                Some(var) if group.vars.is_empty() || group.takes(var) => group.vars.push(var),
                Some(_) | None => break,
            }
        }
        group
    }
    /// How many statements there are; one where the first one is alone.
    pub(crate) fn len(&self) -> usize {
        self.vars.len().max(1)
    }
    /// Whether the next statement, cut at `var`, can run together with these.
    fn takes(&self, var: IndexId) -> bool {
        let n = self.first + self.vars.len();
        let program = &self.plans[n].concrete.program;
        let Parallel::Chunks(chunks) = &self.plans[n].lowered.parallel else { return false };
        let made = self.reads[n].iter().filter(|r| r.of >= self.first);
        let mut linked = false;
        for read in made {
            let of = &self.plans[read.of].concrete.program;
            let slices = of.tensors.iter().any(|(_, t)| t.kind == TensorKind::Result && t.format.rank() > 0);
            let mut own =
                accesses(program).filter(|a| program.tensors[a.tensor].given == read.name).peekable();
            // Of what folding left out, only the shape counts.
            linked |= own.peek().is_some();
            if !slices || !own.all(|a| chunks.is_slice(program, a)) {
                return false;
            }
        }
        linked || (0..self.vars.len()).any(|k| self.shares(self.first + k, self.vars[k], n, var))
    }
    /// Whether two statements read the same mode of a tensor by the variables of their parts.
    fn shares(&self, m: usize, v: IndexId, n: usize, w: IndexId) -> bool {
        let (a, b) = (&self.plans[m].concrete.program, &self.plans[n].concrete.program);
        let source = |k: usize, name: &str| self.reads[k].iter().find(|r| r.name == name).map(|r| r.of);
        accesses(a).any(|x| {
            let name = &a.tensors[x.tensor].given;
            let mode = |p: &Program, x: &Access, v: IndexId| {
                let t = &p.tensors[x.tensor];
                (t.kind == TensorKind::Operand && t.remap.is_none())
                    .then(|| x.vars.iter().position(|u| *u == v))
                    .flatten()
            };
            let Some(at) = mode(a, x, v) else { return false };
            accesses(b).any(|y| {
                b.tensors[y.tensor].given == *name
                    && source(m, name) == source(n, name)
                    && mode(b, y, w) == Some(at)
            })
        })
    }
}

/// What a program reads.
fn accesses(program: &Program) -> impl Iterator<Item = &Access> {
    program.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses())
}

/// The variable at which a kernel is cut into parts that other kernels may share: its result is dense, and each part writes its
/// slice; or a scalar, which is combined.
fn cut(plan: &Plan) -> Option<IndexId> {
    let (var, join) = parts(plan)?;
    let (_, result) = plan.concrete.program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result)?;
    let joined = match join {
        ChunkJoin::Slices { .. } => true,
        ChunkJoin::Combine(_) => result.format.rank() == 0,
        ChunkJoin::Stitch | ChunkJoin::Given { .. } | ChunkJoin::Place => false,
    };
    joined.then_some(var)
}

/// The variable at which a kernel is cut into parts of which each is a call, beside other kernels, and what becomes of what these
/// make.
pub(crate) fn parts(plan: &Plan) -> Option<(IndexId, ChunkJoin)> {
    let program = &plan.concrete.program;
    let Parallel::Chunks(chunks) = &plan.lowered.parallel else { return None };
    let (_, result) = program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result)?;
    let beside = match chunks.join {
        ChunkJoin::Slices { per } => per == 1 && result.remap.is_none(),
        ChunkJoin::Combine(_) => true,
        // An operand that stores what the result does lends it rather than have it appended.
        ChunkJoin::Stitch => plan.lowered.lender.is_none(),
        ChunkJoin::Given { .. } | ChunkJoin::Place => false,
    };
    // What others make of the coordinates of a part of theirs is no matter of windows of it.
    if program.tensors.iter().any(|(_, t)| t.is_windowed()) {
        return None;
    }
    let alone = plan.steps == [Step::Kernel] && program.assembly == AssemblyMode::InOrder;
    (beside && alone && program.indices[chunks.var].derived.is_none()).then_some((chunks.var, chunks.join))
}
