//! A slot for every coordinate, and three layers of bits that tell which are taken.
//!
//! ```text
//! taken 1, 70, 4099       layer 0 (64 coordinates a word)    words 0: {1}   1: {6}   64: {3}
//!                         layer 1 (64 words a word)          words 0: {0,1}          1: {0}
//!                         layer 2 (64 words of those)        words 0: {0,1}
//! ```
//! Only a word that was empty touches the layer above it.

use super::{Each, Shape, combine, scratch};
use crate::Lowerer;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::Result;
use openwork_index::Tensor;
use openwork_loops::build::{add, call, constant, eq, for_each, int, load, mul, set, store, var, when};
use openwork_loops::{BufId, Expr as Ir, Kernel, LoopMode, Stmt as Code, Ty};

/// How many layers of bits there are.
const LAYERS: usize = 3;

#[derive(Clone, Copy)]
pub(super) struct Bitmap {
    /// The value of every coordinate.
    pub(super) slots: BufId,
    layers: [BufId; LAYERS],
}

impl Bitmap {
    /// Takes the memory, once for the whole kernel; every extraction leaves it as it was.
    pub(super) fn declare(kernel: &mut Kernel, t: &Tensor, size: &Ir, code: &mut Vec<Code>) -> Bitmap {
        let slots = scratch(kernel, t, "slots", t.dtype);
        let layers = std::array::from_fn(|n| scratch(kernel, t, &format!("bits{n}"), DType::I64));
        code.push(Code::Reserve { buf: slots, len: size.clone() });
        if !t.fill.same(Scalar::zero(t.dtype)) {
            let q = kernel.index("q");
            let fill = Code::Store { buf: slots, at: var(q), val: constant(t.fill), reduce: None };
            let mode = LoopMode::Vector;
            code.push(Code::For { var: q, lo: int(0), hi: size.clone(), step: 1, mode, body: vec![fill] });
        }
        let mut len = size.clone();
        for layer in layers {
            len = call(Prim::Shr, add(len, int(63)), int(6));
            code.push(Code::Reserve { buf: layer, len: len.clone() });
        }
        Bitmap { slots, layers }
    }

    pub(super) fn insert(
        &self,
        kernel: &mut Kernel,
        at: Ir,
        value: Ir,
        op: Option<&'static Operator>,
    ) -> Vec<Code> {
        let (w, old, bit) = (kernel.index("word"), kernel.index("old"), kernel.index("bit"));
        let words = self.layers[0];
        // Elements that are there already, most of them where rows overlap, write no bits: a store into a word delays
        // the next load of it.
        let mut fresh = vec![store(words, var(w), call(Prim::Or, var(old), var(bit)))];
        let above = self.mark(kernel, 1, var(w));
        fresh.extend(when(eq(var(old), int(0)), above));
        let mut code = vec![
            Code::Let { var: w, val: call(Prim::Shr, at.clone(), int(6)) },
            Code::Let { var: old, val: load(words, var(w)) },
            Code::Let { var: bit, val: call(Prim::Shl, int(1), call(Prim::And, at.clone(), int(63))) },
        ];
        code.extend(when(eq(call(Prim::And, var(old), var(bit)), int(0)), fresh));
        code.push(combine(self.slots, at, value, op));
        code
    }
    /// Sets bit `at` of a layer, and in the layers above where its word was empty.
    fn mark(&self, kernel: &mut Kernel, layer: usize, at: Ir) -> Vec<Code> {
        let (w, old) = (kernel.index("word"), kernel.index("old"));
        let words = self.layers[layer];
        let bit = call(Prim::Shl, int(1), call(Prim::And, at.clone(), int(63)));
        let mut code = vec![
            Code::Let { var: w, val: call(Prim::Shr, at, int(6)) },
            Code::Let { var: old, val: load(words, var(w)) },
            store(words, var(w), call(Prim::Or, var(old), bit)),
        ];
        if layer + 1 < LAYERS {
            let above = self.mark(kernel, layer + 1, var(w));
            code.extend(when(eq(var(old), int(0)), above));
        }
        code
    }

    /// Visits every element, in order of coordinates, and forgets it.
    pub(super) fn drain(&self, l: &mut Lowerer, w: &Shape, each: &mut Each) -> Result<Vec<Code>> {
        let top = l.kernel.index("top");
        let words = (0..LAYERS).fold(w.size.clone(), |n, _| call(Prim::Shr, add(n, int(63)), int(6)));
        let body = self.open(l, LAYERS - 1, var(top), w, each)?;
        Ok(vec![for_each(top, int(0), words, body)])
    }
    /// The bits of one word of a layer.
    fn open(&self, l: &mut Lowerer, layer: usize, word: Ir, w: &Shape, each: &mut Each) -> Result<Vec<Code>> {
        let (left, at) = (l.kernel.index("left"), l.kernel.index("at"));
        let number = add(mul(word.clone(), int(64)), Ir::Call { prim: Prim::Ctz, args: vec![var(left)] });
        // Before the elements, so that they find it made.
        let room = if layer == 0 { (each.room)(l, int(64)) } else { Vec::new() };
        let mut body = vec![Code::Let { var: at, val: number }];
        if layer == 0 {
            let value = l.kernel.var("value", Ty::scalar(w.fill.dtype()));
            body.push(Code::Let { var: value, val: load(self.slots, var(at)) });
            body.push(store(self.slots, var(at), constant(w.fill)));
            body.extend((each.element)(l, at, value)?);
        } else {
            body.extend(self.open(l, layer - 1, var(at), w, each)?);
        }
        body.push(set(left, call(Prim::And, var(left), call(Prim::Sub, var(left), int(1)))));
        let mut some = vec![store(self.layers[layer], word.clone(), int(0))];
        some.extend(room);
        some.push(Code::While { cond: call(Prim::Ne, var(left), int(0)), body });
        let mut code = vec![Code::Let { var: left, val: load(self.layers[layer], word) }];
        code.extend(when(call(Prim::Ne, var(left), int(0)), some));
        Ok(code)
    }
}
