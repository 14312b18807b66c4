//! The list workspace: a slot for every coordinate, a mark on those that are taken, and a list of them.
//!
//! ```text
//! taken 70, 1          marks   . x . … x .        list   70 1
//! ```
//! An insertion has no branch: the coordinate is always written behind the list, which grows by it only where it was not
//! marked. Where their order matters, the coordinates of the list go through a [tree](super::tree) of bits.

use super::tree::TreeWorkspace;
use super::{DrainOrder, Each, WorkspaceShape, combine, scratch, slots, take};
use crate::emit::Emitter;
use openwork_algebra::{DType, Operator, Prim};
use openwork_index::TensorVar;
use openwork_loops::build::{add, call, for_each, int, load, set, store, var};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code, VarId};

#[derive(Clone, Copy)]
pub(super) struct ListWorkspace {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    /// 1 where a coordinate is taken.
    marks: BufId,
    /// The coordinates that are taken, in the order they came.
    list: BufId,
    /// How many they are.
    len: VarId,
    tree: TreeWorkspace,
}

impl ListWorkspace {
    /// Takes the memory, once for the whole kernel; every extraction leaves it as it was.
    pub(super) fn declare(
        kernel: &mut LoopKernel,
        t: &TensorVar,
        size: &Ir,
        code: &mut Vec<Code>,
    ) -> ListWorkspace {
        let list = ListWorkspace {
            slots: slots(kernel, t, size, code),
            marks: scratch(kernel, t, "marks", DType::U8),
            list: scratch(kernel, t, "list", DType::I64),
            len: kernel.index(&format!("{}_len", t.name)),
            tree: TreeWorkspace::declare(kernel, t, size, code),
        };
        code.push(Code::Reserve { buf: list.marks, len: size.clone() });
        // One more than there can be: what is written behind the list.
        code.push(Code::Reserve { buf: list.list, len: add(size.clone(), int(1)) });
        code.push(Code::Let { var: list.len, val: int(0) });
        list
    }

    pub(super) fn insert(
        &self,
        kernel: &LoopKernel,
        at: Ir,
        value: Ir,
        op: Option<&'static Operator>,
    ) -> Vec<Code> {
        let taken = kernel.load_index(self.marks, at.clone());
        vec![
            store(self.list, var(self.len), at.clone()),
            set(self.len, add(var(self.len), call(Prim::Sub, int(1), taken))),
            kernel.store_index(self.marks, at.clone(), int(1)),
            combine(self.slots, at, value, op),
        ]
    }

    /// Visits every element and forgets it.
    pub(super) fn drain(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let read = |l: &mut Emitter, at| {
            let (mut taken, value) = take(l, self.slots, w, at);
            taken.push(l.kernel.store_index(self.marks, var(at), int(0)));
            (taken, value)
        };
        let (q, at) = (l.kernel.index("q"), l.kernel.index("at"));
        let mut body = vec![Code::Let { var: at, val: load(self.list, var(q)) }];
        let mut code = Vec::new();
        match each.order {
            DrainOrder::Free => {
                code.extend((each.room)(l, var(self.len)));
                let (taken, value) = read(l, at);
                body.extend(taken);
                body.extend((each.element)(l, at, value));
                code.push(for_each(q, int(0), var(self.len), body));
            }
            DrainOrder::Sorted => {
                body.extend(self.tree.take_new(&mut l.kernel, var(at)));
                code.push(for_each(q, int(0), var(self.len), body));
                code.extend(self.tree.visit(l, &w.size, &read, each));
            }
        }
        code.push(set(self.len, int(0)));
        code
    }
}
