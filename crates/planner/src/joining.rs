//! Statements whose kernels are one.
//!
//! ```text
//! s(i) = A(i,j); v(i) = A(i,j) * A(i,j)      one loop over A, which is read once
//! y(i) = A(i,j) * x(j); z(j) = A(i,j) * x(i) the same; each thread has a z of its own, and a part of y
//! ```
//! Kernels of statements that do not read each other's results are joined where an innermost loop can serve both
//! ([`openwork_loops::join`]): what the loop reads of operands is read once, and the loop runs once. Each statement keeps what
//! becomes of its result: its dtype and format, and how parts of it that threads make are put together.

use crate::step::{Plan, Read, Step};
use crate::together::parts;
use openwork_base::machine::threshold;
use openwork_base::{Result, SlotCount};
use openwork_index::assume::Assumptions;
use openwork_index::check::Assignment;
use openwork_index::{IndexId, Program, TensorId, TensorKind};
use openwork_loops::{JoinMember, JoinedKernel, LoopKernel, join, simplify};
use openwork_lower::{Binding, Parallel, Param};

/// Neighbouring statements that one kernel computes.
#[derive(Clone, Debug)]
pub struct JoinedStatements {
    /// Their numbers, in order.
    pub statements: Vec<usize>,
    /// The operands that several of them read, by name.
    pub operands: Vec<String>,
    /// Their kernels, as lowering wrote them, as one.
    pub joined: JoinedKernel,
}

/// The most statements of one kernel: each has sums in registers.
const MOST: usize = 4;
/// Bytes of arrays in no order that have room beside each other: half of a usual second-level cache.
const NEAR: usize = 512 << 10;

/// How often a kernel is called in one run.
#[derive(Clone, Copy)]
enum Calls {
    /// Once for each part of a variable.
    Parts(IndexId),
    /// Once.
    Once,
}

/// A variable of a statement.
#[derive(Clone, Copy)]
struct StatementVar {
    statement: usize,
    var: IndexId,
}

/// A tensor of a statement.
#[derive(Clone, Copy)]
struct StatementTensor {
    statement: usize,
    tensor: TensorId,
}

/// The plans of a list, and what its statements read of each other.
#[derive(Clone, Copy)]
pub(crate) struct PlannedList<'a> {
    pub(crate) list: &'a [Assignment],
    pub(crate) plans: &'a [Plan],
    pub(crate) reads: &'a [Vec<Read>],
    /// Whether a statement runs alone, whatever is beside it.
    pub(crate) alone: &'a [bool],
    /// Whether a kernel of several statements is worth while on the target.
    pub(crate) pays: &'a dyn Fn(&JoinedStatements, &[Plan]) -> Result<bool>,
}

impl<'a> PlannedList<'a> {
    /// The runs of statements from `first` on, before `end`, that can be one kernel.
    pub(crate) fn join_neighbours(self, first: usize, end: usize) -> Result<Vec<JoinedStatements>> {
        let mut all = Vec::new();
        let mut next = first;
        while next < end {
            let one = self.join_from(next, end)?;
            next += one.as_ref().map_or(1, |one| one.statements.len());
            all.extend(one);
        }
        Ok(all)
    }
    /// The longest run of statements from `first` on that would not run together but as one kernel. None of them changes what it
    /// computes: alone it may do so in the same memory.
    pub(crate) fn join_others(self, first: usize) -> Result<Option<JoinedStatements>> {
        let apart = |n: &usize| self.updates(*n) || self.alone[*n];
        let end = (first..self.plans.len()).find(apart).unwrap_or(self.plans.len());
        self.join_from(first, end)
    }
    /// The longest run of statements from `first` on, before `end`, that can be one kernel; nothing where it is one alone.
    pub(crate) fn join_from(self, first: usize, end: usize) -> Result<Option<JoinedStatements>> {
        let mut found = None;
        let Some(kind) = self.calls(first) else { return Ok(None) };
        for last in first + 1..end.min(first + MOST) {
            let apart = self.reads[last].iter().any(|r| r.of >= first);
            let alike = match (kind, self.calls(last)) {
                (Calls::Parts(v), Some(Calls::Parts(w))) => self.ranges_alike(
                    StatementVar { statement: first, var: v },
                    StatementVar { statement: last, var: w },
                ),
                (Calls::Once, Some(Calls::Once)) => true,
                (Calls::Parts(_) | Calls::Once, _) => false,
            };
            if apart || !alike {
                break;
            }
            let statements: Vec<usize> = (first..=last).collect();
            let joined = self.join_kernels(&statements);
            let served =
                joined.innermost > found.as_ref().map_or(0, |f: &JoinedStatements| f.joined.innermost);
            if !served || !self.stays_near(&statements, &joined) {
                break;
            }
            let operands = self.shared_operands(&statements);
            let one = JoinedStatements { statements, operands, joined };
            if !(self.pays)(&one, self.plans)? {
                break;
            }
            found = Some(one);
        }
        Ok(found)
    }
    /// Whether arrays that different statements read or write in no order have room in a cache beside each other: each kernel alone
    /// has only its own there. Of `y = A x` with `z = x A`, over 2 million rows, x and z took turns: 1.5 times both alone.
    fn stays_near(self, statements: &[usize], joined: &JoinedKernel) -> bool {
        let mut arrays: Vec<usize> = joined.scattered.iter().flatten().copied().collect();
        arrays.sort_unstable();
        arrays.dedup();
        if joined.scattered.iter().any(|own| own.len() == arrays.len()) {
            return true;
        }
        let bytes = |array: &usize| {
            let owner = joined
                .bufs
                .iter()
                .zip(statements)
                .find_map(|(numbers, &n)| Some((n, numbers.iter().position(|own| own == array)?)));
            owner.and_then(|(n, number)| self.array_bytes(n, number))
        };
        let all = arrays.iter().map(bytes).try_fold(0_usize, |sum, own| Some(sum.saturating_add(own?)));
        all.unwrap_or(usize::MAX) <= threshold(NEAR, usize::MAX)
    }
    /// The bytes of the values of a dense tensor to which a buffer is bound, where sizes are known.
    fn array_bytes(self, n: usize, number: usize) -> Option<usize> {
        let Some(Binding::Values { tensor }) = self.plans[n].lowered.bindings.get(number) else {
            return None;
        };
        let program = self.program(n);
        let t = &program.tensors[*tensor];
        let mut accesses = program.body.assignments().into_iter().flat_map(|(lhs, _, rhs)| {
            let mut all = rhs.accesses();
            all.push(lhs);
            all
        });
        let own = accesses.find(|a| a.tensor == *tensor && t.format.is_dense())?;
        let sizes: Option<Vec<usize>> = own.vars.iter().map(|&v| program.indices[v].size).collect();
        Some(SlotCount::product(&sizes?).times(t.dtype.size()).saturate())
    }
    /// The names of the operands that several statements read.
    fn shared_operands(self, statements: &[usize]) -> Vec<String> {
        let operands = |n: usize| {
            let program = self.program(n);
            let read = program.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
            read.map(move |a| StatementTensor { statement: n, tensor: a.tensor }).collect::<Vec<_>>()
        };
        let mut names: Vec<String> = Vec::new();
        for (at, &n) in statements.iter().enumerate() {
            for own in operands(n) {
                let mut others = statements[at + 1..].iter().flat_map(|&m| operands(m));
                let name = &self.program(n).tensors[own.tensor].given;
                if others.any(|other| self.is_same_operand(own, other)) && !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names
    }
    /// How a statement's kernel is called, where it may be a part of a joined one.
    fn calls(self, n: usize) -> Option<Calls> {
        let (a, plan) = (&self.list[n], &self.plans[n]);
        // Where operands have to be looked at first, their statement runs as what is found allows.
        if Assumptions::from_assignment(a).is_some() {
            return None;
        }
        match &plan.lowered.parallel {
            Parallel::Chunks(_) => parts(plan).map(|(var, _)| Calls::Parts(var)),
            Parallel::Serial { .. } => {
                let plain = plan.steps == [Step::Kernel] && plan.lowered.lender.is_none();
                (plain && plan.pieces.is_empty() && plan.lowered.passes.is_none()).then_some(Calls::Once)
            }
        }
    }
    /// Whether a statement changes what it computes, as in `y(i) += x(i)`.
    fn updates(self, n: usize) -> bool {
        let a = &self.list[n];
        let own = &a.tensors[a.lhs.tensor].name;
        a.tensors.iter().any(|(_, t)| t.kind == TensorKind::Operand && t.given == *own)
    }
    fn join_kernels(self, statements: &[usize]) -> JoinedKernel {
        let kernels: Vec<LoopKernel> =
            statements.iter().map(|&n| simplify(self.plans[n].lowered.kernel.clone())).collect();
        let mut numbers = SharedNumbers { list: self, params: Vec::new(), inputs: Vec::new() };
        let mut members = Vec::new();
        for (&n, kernel) in statements.iter().zip(&kernels) {
            let lowered = &self.plans[n].lowered;
            let params = lowered.params.iter().map(|p| numbers.number_param(n, *p)).collect();
            let inputs = lowered.bindings.iter().map(|b| numbers.number_input(n, *b)).collect();
            members.push(JoinMember { kernel, params, inputs });
        }
        join(&members)
    }
    fn program(self, n: usize) -> &'a Program {
        &self.plans[n].concrete.program
    }
    /// Whether operands of two statements are one tensor, stored alike: what the caller gives, or what another statement makes.
    fn is_same_operand(self, a: StatementTensor, b: StatementTensor) -> bool {
        let declared = |x: StatementTensor| &self.program(x.statement).tensors[x.tensor];
        let (t, u) = (declared(a), declared(b));
        let source = |k: usize, name: &str| self.reads[k].iter().find(|r| r.name == name).map(|r| r.of);
        t.kind == TensorKind::Operand
            && u.kind == TensorKind::Operand
            && t.given == u.given
            && source(a.statement, &t.given) == source(b.statement, &u.given)
            && (t.dtype, &t.format, &t.remap, t.fill) == (u.dtype, &u.format, &u.remap, u.fill)
            && (&t.windows, t.holds) == (&u.windows, u.holds)
    }
    /// Whether variables of two statements range over the same mode of one tensor.
    fn ranges_alike(self, v: StatementVar, w: StatementVar) -> bool {
        let (a, b) = (self.program(v.statement), self.program(w.statement));
        let accesses =
            |p: &'a Program| p.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses());
        accesses(a).any(|x| {
            x.vars.iter().enumerate().filter(|(_, u)| **u == v.var).any(|(mode, _)| {
                accesses(b).any(|y| {
                    y.vars.get(mode) == Some(&w.var)
                        && self.is_same_operand(
                            StatementTensor { statement: v.statement, tensor: x.tensor },
                            StatementTensor { statement: w.statement, tensor: y.tensor },
                        )
                })
            })
        })
    }
}

/// The numbers of parameters and inputs: equal ones have the same number.
struct SharedNumbers<'a> {
    list: PlannedList<'a>,
    params: Vec<(usize, Param)>,
    inputs: Vec<(usize, Binding)>,
}

impl SharedNumbers<'_> {
    fn number_param(&mut self, n: usize, param: Param) -> usize {
        let alike = |m: usize, v: IndexId, w: IndexId| {
            (m == n && v == w)
                || self.list.ranges_alike(
                    StatementVar { statement: m, var: v },
                    StatementVar { statement: n, var: w },
                )
        };
        let cut = |k: usize, v: IndexId| match &self.list.plans[k].lowered.parallel {
            Parallel::Chunks(chunks) => chunks.var == v,
            Parallel::Serial { .. } => false,
        };
        let same = |(m, other): &(usize, Param)| match (*other, param) {
            (Param::Size(v), Param::Size(w)) | (Param::Low(v), Param::Low(w)) => alike(*m, v, w),
            // A call is over the same part for all of them.
            (Param::Begin(v), Param::Begin(w)) | (Param::End(v), Param::End(w)) => cut(*m, v) && cut(n, w),
            _ => false,
        };
        let known = self.params.iter().position(same);
        known.unwrap_or_else(|| {
            self.params.push((n, param));
            self.params.len() - 1
        })
    }
    fn number_input(&mut self, n: usize, binding: Binding) -> Option<usize> {
        let tensor = operand_of(binding)?;
        if self.list.program(n).tensors[tensor].kind != TensorKind::Operand {
            return None;
        }
        let same = |(m, other): &(usize, Binding)| {
            let array = match (*other, binding) {
                (
                    Binding::Index { level, array, .. },
                    Binding::Index { level: level_2, array: array_2, .. },
                ) => (level, array) == (level_2, array_2),
                (Binding::Values { .. }, Binding::Values { .. }) => true,
                _ => false,
            };
            let of = operand_of(*other);
            array
                && of.is_some_and(|of| {
                    self.list.is_same_operand(
                        StatementTensor { statement: *m, tensor: of },
                        StatementTensor { statement: n, tensor },
                    )
                })
        };
        let known = self.inputs.iter().position(same);
        Some(known.unwrap_or_else(|| {
            self.inputs.push((n, binding));
            self.inputs.len() - 1
        }))
    }
}

/// The tensor that an array belongs to.
fn operand_of(binding: Binding) -> Option<TensorId> {
    match binding {
        Binding::Index { tensor, .. } | Binding::Values { tensor } => Some(tensor),
        Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => None,
    }
}
