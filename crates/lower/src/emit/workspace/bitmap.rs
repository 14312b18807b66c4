//! The bitmap workspace: a slot for every coordinate, and a [tree](super::tree) of bits that tells which are taken.

use super::tree::TreeWorkspace;
use super::{Each, WorkspaceShape, combine, first, holds_fill, slots, take};
use crate::emit::Emitter;
use openwork_algebra::{Operator, Scalar};
use openwork_index::TensorVar;
use openwork_loops::build::store;
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code};

#[derive(Clone, Copy)]
pub(super) struct BitmapWorkspace {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    tree: TreeWorkspace,
}

impl BitmapWorkspace {
    /// Takes the memory, once for the whole kernel; every extraction leaves it as it was.
    pub(super) fn declare(
        kernel: &mut LoopKernel,
        t: &TensorVar,
        size: &Ir,
        code: &mut Vec<Code>,
    ) -> BitmapWorkspace {
        let slots = slots(kernel, t, size, code);
        BitmapWorkspace { slots, tree: TreeWorkspace::declare(kernel, t, size, code) }
    }
    pub(super) fn insert(
        &self,
        kernel: &mut LoopKernel,
        at: Ir,
        value: Ir,
        op: Option<&'static Operator>,
        fill: Scalar,
    ) -> Vec<Code> {
        let combined = combine(self.slots, at.clone(), value.clone(), op);
        if op.is_none() || holds_fill(fill) {
            return [self.tree.take(kernel, at, Vec::new(), Vec::new()), vec![combined]].concat();
        }
        let fresh = store(self.slots, at.clone(), first(value, op, fill));
        self.tree.take(kernel, at, vec![fresh], vec![combined])
    }
    /// Visits every element, in order of coordinates, and forgets it.
    pub(super) fn drain(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let read = |l: &mut Emitter, at| take(l, self.slots, w, at);
        self.tree.visit(l, &w.size, &read, each)
    }
}
