//! The marked workspace: a slot for every coordinate that the reader will look at, and some for values at other coordinates.
//!
//! ```text
//! row of the mask  1 4 7      numbers   . 16 . . 17 . . 18      t(4) += v, t(5) += w:   slots[17] += v, slots[5] += w
//! ```
//! A number says in which slot a coordinate of the mask is kept, 0 elsewhere, as all are before and after. An insertion has no
//! branch: what comes at other coordinates is added up as well, in slots that nobody reads, several of them, as additions to
//! one slot wait for each other. Of products that mostly miss a mask of random coordinates, a test of each takes two to four
//! times as long.

use super::{combine, scratch};
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_index::TensorVar;
use openwork_loops::build::{add, call, constant, int, load, store, var};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code, VarId};

/// How many slots there are for what nobody reads: a power of two.
const OTHERS: i64 = 16;

#[derive(Clone, Copy)]
pub(super) struct Marked {
    /// Where the value of each coordinate is, 0 of those that are not in the mask.
    numbers: BufId,
    slots: BufId,
    /// 1 where a value has come.
    taken: BufId,
}

impl Marked {
    /// Takes the memory that does not depend on the mask, once for the whole kernel.
    pub(super) fn declare(kernel: &mut LoopKernel, t: &TensorVar, size: &Ir, code: &mut Vec<Code>) -> Marked {
        let marked = Marked {
            // As wide as positions: a mask that repeats coordinates may have more of them than there are coordinates.
            numbers: scratch(kernel, t, "numbers", DType::I64),
            slots: scratch(kernel, t, "slots", t.dtype),
            taken: scratch(kernel, t, "taken", DType::U8),
        };
        code.push(Code::Reserve { buf: marked.numbers, len: size.clone() });
        marked
    }
    /// Room for a mask of so many positions, which may be more than there are coordinates where these repeat.
    pub(super) fn make_room(&self, positions: Ir) -> [Code; 2] {
        let len = add(positions, int(OTHERS));
        [self.slots, self.taken].map(|buf| Code::Reserve { buf, len: len.clone() })
    }
    /// Gives coordinate `at`, which position `q` of the mask from `first` on holds, a slot of its own.
    pub(super) fn open(&self, kernel: &mut LoopKernel, q: Ir, first: Ir, at: Ir, fill: Scalar) -> Vec<Code> {
        let slot = kernel.index("slot");
        vec![
            Code::Let { var: slot, val: add(call(Prim::Sub, q, first), int(OTHERS)) },
            kernel.store_index(self.numbers, at, var(slot)),
            kernel.store_index(self.taken, var(slot), int(0)),
            store(self.slots, var(slot), constant(fill)),
        ]
    }
    /// Takes the slot from a coordinate.
    pub(super) fn close(&self, kernel: &LoopKernel, at: Ir) -> Code {
        kernel.store_index(self.numbers, at, int(0))
    }
    /// Combines a value with what is there.
    pub(super) fn insert(
        &self,
        kernel: &mut LoopKernel,
        at: Ir,
        value: Ir,
        op: Option<&'static Operator>,
    ) -> Vec<Code> {
        let slot = kernel.index("slot");
        let number = kernel.load_index(self.numbers, at.clone());
        let others = call(Prim::And, at, int(OTHERS - 1));
        vec![
            Code::Let { var: slot, val: call(Prim::Max, number, others) },
            combine(self.slots, var(slot), value, op),
            kernel.store_index(self.taken, var(slot), int(1)),
        ]
    }
    /// What a coordinate of the mask holds: the code that finds its slot, whether anything came there, and the value.
    pub(super) fn look_up(&self, kernel: &mut LoopKernel, at: Ir) -> (Code, Ir, Ir) {
        let slot: VarId = kernel.index("slot");
        let find = Code::Let { var: slot, val: kernel.load_index(self.numbers, at) };
        let taken = call(Prim::Ne, kernel.load_index(self.taken, var(slot)), int(0));
        (find, taken, load(self.slots, var(slot)))
    }
}
