//! The sort of a workspace's coordinates, in loop IR: by insertion where there are few, by radix (least significant byte
//! first) otherwise.

use openwork_algebra::Prim;
use openwork_base::machine::threshold;
use openwork_loops::build::{add, and_also, call, for_each, int, load, lt, set, store, var};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code};

/// Up to this many are sorted by insertion.
const FEW: i64 = 48;
/// Values of a byte.
const BYTE: i64 = 256;

/// Sorts the first `len` elements of a buffer, all of them less than `bound` and not negative. The other two buffers are
/// scratch.
pub(super) fn sort(
    kernel: &mut LoopKernel,
    [list, spare, counts]: [BufId; 3],
    len: Ir,
    bound: &Ir,
) -> Vec<Code> {
    let few = call(Prim::Le, len.clone(), int(threshold(FEW, 1)));
    let then = insertion(kernel, list, len.clone());
    let other = radix(kernel, [list, spare, counts], len, bound);
    vec![Code::If { cond: few, then, other }]
}

fn insertion(kernel: &mut LoopKernel, list: BufId, len: Ir) -> Vec<Code> {
    let [q, x, p] = ["q", "x", "p"].map(|name| kernel.index(name));
    let before = load(list, call(Prim::Sub, var(p), int(1)));
    let falls = and_also(lt(int(0), var(p)), lt(var(x), before.clone()));
    let shift = vec![store(list, var(p), before), set(p, call(Prim::Sub, var(p), int(1)))];
    let body = vec![
        Code::Let { var: x, val: load(list, var(q)) },
        Code::Let { var: p, val: var(q) },
        Code::While { cond: falls, body: shift },
        store(list, var(p), var(x)),
    ];
    vec![for_each(q, int(1), len, body)]
}

fn radix(kernel: &mut LoopKernel, [list, spare, counts]: [BufId; 3], len: Ir, bound: &Ir) -> Vec<Code> {
    let [shift, q, b, sum, n, at] = ["shift", "q", "byte", "sum", "n", "at"].map(|name| kernel.index(name));
    let byte = |x: Ir| call(Prim::And, call(Prim::Shr, x, var(shift)), int(BYTE - 1));
    let highest = call(Prim::Shr, call(Prim::Sub, bound.clone(), int(1)), var(shift));
    let more = and_also(lt(var(shift), int(63)), lt(int(0), highest));
    let count =
        Code::Store { buf: counts, at: byte(load(list, var(q))), val: int(1), reduce: Some(Prim::Add) };
    let begin = vec![
        Code::Let { var: n, val: load(counts, var(b)) },
        store(counts, var(b), var(sum)),
        set(sum, add(var(sum), var(n))),
    ];
    let place = vec![
        Code::Let { var: b, val: byte(load(list, var(q))) },
        Code::Let { var: at, val: load(counts, var(b)) },
        store(counts, var(b), add(var(at), int(1))),
        store(spare, var(at), load(list, var(q))),
    ];
    let pass = vec![
        for_each(b, int(0), int(BYTE), vec![store(counts, var(b), int(0))]),
        for_each(q, int(0), len.clone(), vec![count]),
        Code::Let { var: sum, val: int(0) },
        for_each(b, int(0), int(BYTE), begin),
        for_each(q, int(0), len.clone(), place),
        for_each(q, int(0), len.clone(), vec![store(list, var(q), load(spare, var(q)))]),
        set(shift, add(var(shift), int(8))),
    ];
    vec![
        Code::Reserve { buf: spare, len },
        Code::Reserve { buf: counts, len: int(BYTE) },
        Code::Let { var: shift, val: int(0) },
        Code::While { cond: more, body: pass },
    ]
}
