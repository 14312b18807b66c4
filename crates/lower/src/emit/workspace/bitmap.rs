//! The bitmap workspace: a slot for every coordinate, and a [tree](super::tree) of bits that tells which are taken.

use super::tree::TreeWorkspace;
use super::{Each, WorkspaceShape, combine, slots, take};
use crate::emit::Emitter;
use openwork_algebra::Operator;
use openwork_index::TensorVar;
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
    ) -> Vec<Code> {
        let mut code = self.tree.take(kernel, at.clone());
        code.push(combine(self.slots, at, value, op));
        code
    }
    /// Visits every element, in order of coordinates, and forgets it.
    pub(super) fn drain(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let read = |l: &mut Emitter, at| take(l, self.slots, w, at);
        self.tree.visit(l, &w.size, &read, each)
    }
}
