//! A kernel, and what its buffers and parameters mean to whoever calls it.

use crate::chunks::Parallel;
use crate::iteration::Iteration;
use openwork_base::Result;
use openwork_index::cin::Storage;
use openwork_index::{IndexId, Program, TensorId, TensorKind};
use openwork_loops::LoopKernel;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The array that a buffer of the kernel is bound to.
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
    pub kernel: LoopKernel,
    /// One per buffer of the kernel, in order.
    pub bindings: Vec<Binding>,
    /// What each parameter is, in order.
    pub params: Vec<Param>,
    /// What the values of a dense result must hold when the kernel starts.
    pub result: ResultMemory,
    /// Whether it can be called over parts of a variable.
    pub parallel: Parallel,
    /// Loops that a schedule wants in vectors.
    pub vectors: Vec<VectorRequest>,
    /// The passes that make the same result, where it is joined by `Join::Place`.
    pub passes: Option<Passes>,
    /// The program that it computes, with the graph that says how.
    pub iteration: Arc<Iteration>,
    /// Whether NaN in the result may stand where an annihilator decides: see `annihilate`.
    pub may_hide_annihilator: bool,
    /// The operand that lends the result its structure, if there is one.
    pub lender: Option<Lender>,
}

impl Lowered {
    /// How each sparse temporary is kept.
    pub fn storage(&self) -> &BTreeMap<TensorId, Storage> {
        &self.iteration.graph.storage
    }
    /// Whether the elements of a buffer never fall, for each of the kernel's: an operand's level says so of its first array.
    pub fn rising_buffers(&self, program: &Program) -> Vec<bool> {
        let said = |tensor: TensorId, level: usize| {
            let t = &program.tensors[tensor];
            t.kind == TensorKind::Operand && t.format.levels[level].spec.rising
        };
        let rises = |b: &Binding| match *b {
            Binding::Index { tensor, level, array } => array == 0 && said(tensor, level),
            Binding::Values { .. } | Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => {
                false
            }
        };
        self.bindings.iter().map(rises).collect()
    }
}

/// An operand that stores what the result does, at the same positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lender {
    /// The operand.
    pub operand: TensorId,
    /// Other operands that have to store the same elements: the result does so only then.
    pub others: Vec<TensorId>,
    /// Whether the kernel leaves out values that are the result's fill value: such a result stores less than the operand.
    pub drops: bool,
    /// What computes the values alone.
    pub by: LentValues,
}

/// How the values of a result are computed whose structure is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LentValues {
    /// Each is made of the operands' values at the same position, and of scalars: a kernel over arrays of values
    /// ([`over_values`](crate::over_values)).
    Values,
    /// At the operand's positions, in a kernel that knows their coordinates ([`Phase::Lent`](crate::Phase::Lent)).
    Positions,
}

/// A loop that a schedule wants in vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorRequest {
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
    /// How many coordinates a mode has of an operand of which a part is read.
    Whole {
        /// The operand.
        tensor: TensorId,
        /// Its mode.
        mode: usize,
    },
}

/// What the memory of a dense result must hold before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultMemory {
    /// Anything: every element is assigned, or its row is given first values.
    Overwritten,
    /// Zeros.
    Cleared,
}

/// The passes of one assembly.
#[derive(Clone, Debug)]
pub struct Passes {
    /// The variable whose parts they visit.
    pub var: IndexId,
    /// The level that lists elements.
    pub list: usize,
    /// Counts the elements of each group.
    pub count: PassKernel,
    /// Puts elements into their places.
    pub place: PassKernel,
    /// Puts elements into their groups.
    pub deal: PassKernel,
}

/// A kernel over a part of the source, and what its buffers and parameters mean.
#[derive(Clone, Debug)]
pub struct PassKernel {
    /// The code.
    pub kernel: LoopKernel,
    /// One per buffer of the kernel as it was lowered, in order.
    pub bindings: Vec<Binding>,
    /// What each parameter is, in order.
    pub params: Vec<Param>,
}

impl Passes {
    /// These passes with every kernel rewritten.
    ///
    /// # Errors
    /// The first that `rewrite` reports.
    pub fn map_kernels(
        self,
        mut rewrite: impl FnMut(LoopKernel, &[Binding]) -> Result<LoopKernel>,
    ) -> Result<Passes> {
        let mut each =
            |pass: PassKernel| Ok(PassKernel { kernel: rewrite(pass.kernel, &pass.bindings)?, ..pass });
        Ok(Passes { count: each(self.count)?, place: each(self.place)?, deal: each(self.deal)?, ..self })
    }
}
