//! A slot for every coordinate, a mark on those that are taken, and a list of them.
//!
//! ```text
//! taken 70, 1          marks   . x . … x .        list   70 1
//! ```
//! The cheapest where the order does not matter; else the list is sorted. An insertion has no branch: the coordinate is
//! always written behind the list, which grows by it only where it was not marked.

use super::sort::sort;
use super::{Each, Order, Shape, combine, scratch};
use crate::Lowerer;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::Result;
use openwork_index::Tensor;
use openwork_loops::build::{add, call, constant, for_each, int, load, set, store, var};
use openwork_loops::{BufId, Expr as Ir, Kernel, LoopMode, Stmt as Code, Ty, VarId};

#[derive(Clone, Copy)]
pub(super) struct List {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    /// 1 where a coordinate is taken.
    marks: BufId,
    /// The coordinates that are taken, in the order they came.
    list: BufId,
    /// Memory to sort them.
    spare: BufId,
    counts: BufId,
    /// How many they are.
    len: VarId,
}

impl List {
    /// Takes the memory, once for the whole kernel; every extraction leaves it as it was.
    pub(super) fn declare(kernel: &mut Kernel, t: &Tensor, size: &Ir, code: &mut Vec<Code>) -> List {
        let list = List {
            slots: scratch(kernel, t, "slots", t.dtype),
            marks: scratch(kernel, t, "marks", DType::U8),
            list: scratch(kernel, t, "list", DType::I64),
            spare: scratch(kernel, t, "spare", DType::I64),
            counts: scratch(kernel, t, "buckets", DType::I64),
            len: kernel.index(&format!("{}_len", t.name)),
        };
        code.push(Code::Reserve { buf: list.slots, len: size.clone() });
        if !t.fill.same(Scalar::zero(t.dtype)) {
            let q = kernel.index("q");
            let fill = Code::Store { buf: list.slots, at: var(q), val: constant(t.fill), reduce: None };
            let mode = LoopMode::Vector;
            code.push(Code::For { var: q, lo: int(0), hi: size.clone(), step: 1, mode, body: vec![fill] });
        }
        code.push(Code::Reserve { buf: list.marks, len: size.clone() });
        // One more than there can be: what is written behind the list.
        code.push(Code::Reserve { buf: list.list, len: add(size.clone(), int(1)) });
        code.push(Code::Let { var: list.len, val: int(0) });
        list
    }

    pub(super) fn insert(&self, kernel: &Kernel, at: Ir, value: Ir, op: Option<&'static Operator>) -> Vec<Code> {
        let taken = kernel.load_index(self.marks, at.clone());
        vec![
            store(self.list, var(self.len), at.clone()),
            set(self.len, add(var(self.len), call(Prim::Sub, int(1), taken))),
            kernel.store_index(self.marks, at.clone(), int(1)),
            combine(self.slots, at, value, op),
        ]
    }

    /// Visits every element and forgets it.
    pub(super) fn drain(&self, l: &mut Lowerer, w: &Shape, each: &mut Each) -> Result<Vec<Code>> {
        let len = var(self.len);
        let mut code = match each.order {
            Order::Sorted => {
                sort(&mut l.kernel, [self.list, self.spare, self.counts], len.clone(), &w.size)
            }
            Order::Free => Vec::new(),
        };
        code.extend((each.room)(l, len.clone()));
        let (q, at) = (l.kernel.index("q"), l.kernel.index("at"));
        let value = l.kernel.var("value", Ty::scalar(w.fill.dtype()));
        let mut body = vec![
            Code::Let { var: at, val: load(self.list, var(q)) },
            Code::Let { var: value, val: load(self.slots, var(at)) },
            store(self.slots, var(at), constant(w.fill)),
            l.kernel.store_index(self.marks, var(at), int(0)),
        ];
        body.extend((each.element)(l, at, value)?);
        code.push(for_each(q, int(0), len, body));
        code.push(set(self.len, int(0)));
        Ok(code)
    }
}
