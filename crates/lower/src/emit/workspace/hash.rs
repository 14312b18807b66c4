//! The hash workspace: a slot for every coordinate that was seen, found by open addressing.
//!
//! ```text
//! seen 70, 1          keys   70   1          in the order they came
//!                     slots  v    w
//!                     table  .  2  .  1      number in `keys`, from 1; 0 is free
//! ```

use super::sort::sort;
use super::{DrainOrder, Each, WorkspaceShape, combine, first, scratch};
use crate::emit::Emitter;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::machine::threshold;
use openwork_index::TensorVar;
use openwork_levels::hashed;
use openwork_loops::build::{
    add, and_also, call, eq, for_each, if_then, int, load, lt, mul, set, store, var,
};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code, Ty, VarId};

/// The least capacity of the table; a power of two.
const LEAST: i64 = 64;

#[derive(Clone, Copy)]
pub(super) struct Hash {
    table: BufId,
    keys: BufId,
    slots: BufId,
    /// Where in the table each key is.
    homes: BufId,
    /// The keys in order, and memory to sort them.
    sorted: BufId,
    spare: BufId,
    counts: BufId,
    /// How many keys there are.
    len: VarId,
    /// The table's capacity less one.
    mask: VarId,
}

impl Hash {
    pub(super) fn declare(kernel: &mut LoopKernel, t: &TensorVar, code: &mut Vec<Code>) -> Hash {
        let index = |kernel: &mut LoopKernel, what| scratch(kernel, t, what, DType::I64);
        let h = Hash {
            table: index(kernel, "table"),
            keys: index(kernel, "keys"),
            slots: scratch(kernel, t, "slots", t.dtype),
            homes: index(kernel, "homes"),
            sorted: index(kernel, "sorted"),
            spare: index(kernel, "spare"),
            counts: index(kernel, "buckets"),
            len: kernel.index(&format!("{}_len", t.name)),
            mask: kernel.index(&format!("{}_mask", t.name)),
        };
        code.push(Code::Let { var: h.len, val: int(0) });
        code.push(Code::Let { var: h.mask, val: int(threshold(LEAST, 2) - 1) });
        code.push(Code::Reserve { buf: h.table, len: int(threshold(LEAST, 2)) });
        h
    }
    fn next(&self, at: VarId) -> Code {
        set(at, call(Prim::And, add(var(at), int(1)), var(self.mask)))
    }
    /// The place of a key, or the free one where it would be.
    fn find(&self, at: VarId, key: Ir) -> Vec<Code> {
        let held = load(self.table, var(at));
        let other = call(Prim::Ne, load(self.keys, call(Prim::Sub, held.clone(), int(1))), key.clone());
        let passing = and_also(call(Prim::Ne, held, int(0)), other);
        let mut code = hashed::start(at, key, var(self.mask));
        code.push(Code::While { cond: passing, body: vec![self.next(at)] });
        code
    }

    pub(super) fn insert(
        &self,
        kernel: &mut LoopKernel,
        key: Ir,
        value: Ir,
        op: Option<&'static Operator>,
        fill: Scalar,
    ) -> Vec<Code> {
        let at = kernel.index("home");
        let held = kernel.index("held");
        let len = add(var(self.len), int(1));
        let room = [self.keys, self.slots, self.homes];
        let mut fresh: Vec<Code> =
            room.into_iter().map(|buf| Code::Reserve { buf, len: len.clone() }).collect();
        // The search begins once more, for a new key only, to see how far it got.
        let begin = kernel.index("start");
        fresh.extend(hashed::start(begin, key.clone(), var(self.mask)));
        fresh.extend(hashed::check_distance(at, begin, var(self.mask)));
        fresh.extend([
            store(self.keys, var(self.len), key.clone()),
            store(self.homes, var(self.len), var(at)),
            store(self.slots, var(self.len), first(value.clone(), op, fill)),
            store(self.table, var(at), len.clone()),
            set(self.len, len),
        ]);
        let crowded = lt(var(self.mask), mul(var(self.len), int(2)));
        fresh.extend(if_then(crowded, self.grow(kernel)));
        let known = combine(self.slots, call(Prim::Sub, var(held), int(1)), value, op);
        let mut code = self.find(at, key);
        code.push(Code::Let { var: held, val: load(self.table, var(at)) });
        code.push(Code::If { cond: eq(var(held), int(0)), then: fresh, other: vec![known] });
        code
    }
    /// Doubles the table.
    fn grow(&self, kernel: &mut LoopKernel) -> Vec<Code> {
        let [q, at, begin] = ["q", "home", "start"].map(|name| kernel.index(name));
        let capacity = add(var(self.mask), int(1));
        let taken = call(Prim::Ne, load(self.table, var(at)), int(0));
        let mut again = hashed::start(begin, load(self.keys, var(q)), var(self.mask));
        again.push(Code::Let { var: at, val: var(begin) });
        again.push(Code::While { cond: taken, body: vec![self.next(at)] });
        again.extend(hashed::check_distance(at, begin, var(self.mask)));
        again.push(store(self.table, var(at), add(var(q), int(1))));
        again.push(store(self.homes, var(q), var(at)));
        vec![
            set(self.mask, add(mul(var(self.mask), int(2)), int(1))),
            Code::Reserve { buf: self.table, len: capacity.clone() },
            for_each(q, int(0), capacity, vec![store(self.table, var(q), int(0))]),
            for_each(q, int(0), var(self.len), again),
        ]
    }

    /// Visits every element and forgets it.
    pub(super) fn drain(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let len = var(self.len);
        let mut code = match each.order {
            DrainOrder::Sorted => self.emit_sorted(l, w, each),
            DrainOrder::Free => self.as_they_came(l, w, each),
        };
        let q = l.kernel.index("q");
        let free = store(self.table, load(self.homes, var(q)), int(0));
        code.push(for_each(q, int(0), len, vec![free]));
        code.push(set(self.len, int(0)));
        code
    }
    fn as_they_came(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let [q, key] = ["q", "key"].map(|name| l.kernel.index(name));
        let value = l.kernel.var("value", Ty::scalar(w.fill.dtype()));
        let mut code = (each.room)(l, var(self.len));
        let mut body = vec![
            Code::Let { var: key, val: load(self.keys, var(q)) },
            Code::Let { var: value, val: load(self.slots, var(q)) },
        ];
        body.extend((each.element)(l, key, value));
        code.push(for_each(q, int(0), var(self.len), body));
        code
    }
    fn emit_sorted(&self, l: &mut Emitter, w: &WorkspaceShape, each: &mut Each) -> Vec<Code> {
        let [q, at, key] = ["q", "home", "key"].map(|name| l.kernel.index(name));
        let len = var(self.len);
        let copy = store(self.sorted, var(q), load(self.keys, var(q)));
        let mut code = vec![
            Code::Reserve { buf: self.sorted, len: len.clone() },
            for_each(q, int(0), len.clone(), vec![copy]),
        ];
        code.extend(sort(&mut l.kernel, [self.sorted, self.spare, self.counts], len.clone(), &w.size));
        code.extend((each.room)(l, len.clone()));
        let value = l.kernel.var("value", Ty::scalar(w.fill.dtype()));
        let mut body = vec![Code::Let { var: key, val: load(self.sorted, var(q)) }];
        body.extend(self.find(at, var(key)));
        let number = call(Prim::Sub, load(self.table, var(at)), int(1));
        body.push(Code::Let { var: value, val: load(self.slots, number) });
        body.extend((each.element)(l, key, value));
        code.push(for_each(q, int(0), len, body));
        code
    }
}
