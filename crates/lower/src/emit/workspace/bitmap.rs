//! The bitmap workspace: a slot for every coordinate, and a [tree](super::tree) of bits that tells which are taken.

use super::tree::Tree;
use super::{Each, Shape, combine, slots, take};
use crate::emit::Emitter;
use openwork_algebra::Operator;
use openwork_index::Tensor;
use openwork_loops::{BufId, Expr as Ir, Kernel, Stmt as Code};

#[derive(Clone, Copy)]
pub(super) struct Bitmap {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    tree: Tree,
}

impl Bitmap {
    /// Takes the memory, once for the whole kernel; every extraction leaves it as it was.
    pub(super) fn declare(kernel: &mut Kernel, t: &Tensor, size: &Ir, code: &mut Vec<Code>) -> Bitmap {
        let slots = slots(kernel, t, size, code);
        Bitmap { slots, tree: Tree::declare(kernel, t, size, code) }
    }
    pub(super) fn insert(
        &self,
        kernel: &mut Kernel,
        at: Ir,
        value: Ir,
        op: Option<&'static Operator>,
    ) -> Vec<Code> {
        let mut code = self.tree.take(kernel, at.clone());
        code.push(combine(self.slots, at, value, op));
        code
    }
    /// Visits every element, in order of coordinates, and forgets it.
    pub(super) fn drain(&self, l: &mut Emitter, w: &Shape, each: &mut Each) -> Vec<Code> {
        let read = |l: &mut Emitter, at| take(l, self.slots, w, at);
        self.tree.visit(l, &w.size, &read, each)
    }
}
