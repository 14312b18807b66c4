//! The tree of bits of a workspace: three layers over coordinates, from which they come out sorted without a sort.
//!
//! ```text
//! taken 1, 70, 4099       layer 0 (64 coordinates a word)    words 0: {1}   1: {6}   64: {3}
//!                         layer 1 (64 words a word)          words 0: {0,1}          1: {0}
//!                         layer 2 (64 words of those)        words 0: {0,1}
//! ```
//! Only a word that was empty touches the layer above it.

use super::{Each, scratch};
use crate::emit::Emitter;
use openwork_algebra::{DType, Prim};
use openwork_index::TensorVar;
use openwork_loops::build::{add, call, eq, for_each, if_then, int, load, mul, set, store, var};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code, VarId};

/// How many layers of bits there are.
const LAYERS: usize = 3;

/// Takes the value of a coordinate: the code, and the variable that holds it.
type TakeValue<'r> = dyn Fn(&mut Emitter, VarId) -> (Vec<Code>, VarId) + 'r;

#[derive(Clone, Copy)]
pub(super) struct TreeWorkspace {
    layers: [BufId; LAYERS],
}

impl TreeWorkspace {
    /// Takes the memory, once for the whole kernel; every visit leaves it as it was.
    pub(super) fn declare(
        kernel: &mut LoopKernel,
        t: &TensorVar,
        size: &Ir,
        code: &mut Vec<Code>,
    ) -> TreeWorkspace {
        let layers = std::array::from_fn(|n| scratch(kernel, t, &format!("bits{n}"), DType::I64));
        let mut len = size.clone();
        for layer in layers {
            len = call(Prim::Shr, add(len, int(63)), int(6));
            code.push(Code::Reserve { buf: layer, len: len.clone() });
        }
        TreeWorkspace { layers }
    }
    /// Takes coordinate `at`. One that is taken already, as most are where rows overlap, writes nothing: a store into a word
    /// delays the next load of it.
    pub(super) fn take(&self, kernel: &mut LoopKernel, at: Ir) -> Vec<Code> {
        let (w, old, bit) = (kernel.index("word"), kernel.index("old"), kernel.index("bit"));
        let words = self.layers[0];
        let mut fresh = vec![store(words, var(w), call(Prim::Or, var(old), var(bit)))];
        let above = self.mark(kernel, 1, var(w));
        fresh.extend(if_then(eq(var(old), int(0)), above));
        let mut code = vec![
            Code::Let { var: w, val: call(Prim::Shr, at.clone(), int(6)) },
            Code::Let { var: old, val: load(words, var(w)) },
            Code::Let { var: bit, val: call(Prim::Shl, int(1), call(Prim::And, at, int(63))) },
        ];
        code.extend(if_then(eq(call(Prim::And, var(old), var(bit)), int(0)), fresh));
        code
    }
    /// Takes coordinate `at`, which is not taken yet.
    pub(super) fn take_new(&self, kernel: &mut LoopKernel, at: Ir) -> Vec<Code> {
        self.mark(kernel, 0, at)
    }
    /// Sets bit `at` of a layer, and in the layers above where its word was empty.
    fn mark(&self, kernel: &mut LoopKernel, layer: usize, at: Ir) -> Vec<Code> {
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
            code.extend(if_then(eq(var(old), int(0)), above));
        }
        code
    }

    /// Visits every taken coordinate below `size`, in order, and gives it free. `read` is the code that holds the value of
    /// the coordinate in a variable.
    pub(super) fn visit(&self, l: &mut Emitter, size: &Ir, read: &TakeValue, each: &mut Each) -> Vec<Code> {
        let top = l.kernel.index("top");
        let words = (0..LAYERS).fold(size.clone(), |n, _| call(Prim::Shr, add(n, int(63)), int(6)));
        let body = self.open(l, LAYERS - 1, var(top), read, each);
        vec![for_each(top, int(0), words, body)]
    }
    /// The bits of one word of a layer.
    fn open(&self, l: &mut Emitter, layer: usize, word: Ir, read: &TakeValue, each: &mut Each) -> Vec<Code> {
        let (left, at) = (l.kernel.index("left"), l.kernel.index("at"));
        let number = add(mul(word.clone(), int(64)), Ir::Call { prim: Prim::Ctz, args: vec![var(left)] });
        // Before the elements, so that they find it made.
        let room = if layer == 0 { (each.room)(l, int(64)) } else { Vec::new() };
        let mut body = vec![Code::Let { var: at, val: number }];
        if layer == 0 {
            let (code, value) = read(l, at);
            body.extend(code);
            body.extend((each.element)(l, at, value));
        } else {
            body.extend(self.open(l, layer - 1, var(at), read, each));
        }
        body.push(set(left, call(Prim::And, var(left), call(Prim::Sub, var(left), int(1)))));
        let mut some = vec![store(self.layers[layer], word.clone(), int(0))];
        some.extend(room);
        some.push(Code::While { cond: call(Prim::Ne, var(left), int(0)), body });
        let mut code = vec![Code::Let { var: left, val: load(self.layers[layer], word) }];
        code.extend(if_then(call(Prim::Ne, var(left), int(0)), some));
        code
    }
}
