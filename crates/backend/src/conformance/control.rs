//! Loops, conditions, growth and ways to end.

use super::{assert_same, execute, indices, succeed, zeros};
use crate::Backend;
use crate::harness::{Growth, run_until};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Source;
use openwork_loops::build::{
    add, and_also, call, constant, eq, for_each, int, load, lt, mul, set, store, var,
};
use openwork_loops::text::parse;
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, LoopMode, Status, Stmt, Ty, VarId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Appends `val` to `out` at `*n`, counting on.
fn append(out: BufId, n: VarId, val: Expr) -> Vec<Stmt> {
    vec![store(out, var(n), val), set(n, add(var(n), int(1)))]
}

fn start(n: VarId, at: i64) -> Stmt {
    Stmt::Let { var: n, val: int(at) }
}

/// Loops of no, one and many rounds, in both modes and several steps.
pub fn for_loops_of_any_extent(b: &dyn Backend) {
    for (step, mode) in
        [(1, LoopMode::Serial), (1, LoopMode::Vector), (2, LoopMode::Serial), (7, LoopMode::Serial)]
    {
        let mut k = LoopKernel::new(format!("for_{step}"));
        let out = k.buf("out", DType::I64, BufRole::Out);
        let (lo, hi) = (k.param("lo"), k.param("hi"));
        let (n, i) = (k.index("n"), k.index("i"));
        let body = append(out, n, var(i));
        k.body = vec![start(n, 0), Stmt::For { var: i, lo: var(lo), hi: var(hi), step, mode, body }];
        k.body.push(Stmt::SetLen { buf: out, len: var(n) });
        // A step beyond the end is taken, so the end must be so far below the largest number.
        let last = i64::MAX - (step - 1);
        for (lo, hi) in [
            (0, 0),
            (5, 5),
            (5, 4),
            (9, -9),
            (0, 1),
            (-3, 4),
            (0, 23),
            (last - 2, last),
            (last - 20, last - 1),
        ] {
            let got = succeed(b, &k, &[zeros(DType::I64, 32)], &[lo, hi]);
            let wanted: Vec<i64> = (lo..hi).step_by(step as usize).collect();
            assert_eq!(got.lens[0], Some(wanted.len() as u64), "{lo}..{hi} by {step}");
            assert_same(&k.name, &got.bufs[0][..wanted.len()], &indices(&wanted));
        }
    }
    // The bounds are evaluated once, even if the body changes what they came from.
    let mut k = LoopKernel::new("for_bounds_once");
    let out = k.buf("out", DType::I64, BufRole::Out);
    let (n, i, end) = (k.index("n"), k.index("i"), k.index("end"));
    let mut body = append(out, n, var(i));
    body.push(set(end, int(100)));
    k.body = vec![start(n, 0), start(end, 3), for_each(i, int(0), var(end), body)];
    let got = succeed(b, &k, &[zeros(DType::I64, 4)], &[]);
    assert_same(&k.name, &got.bufs[0], &indices(&[0, 1, 2, 0]));
}

/// A triangular nest with a reduction into memory.
pub fn nested_loops(b: &dyn Backend) {
    let mut k = LoopKernel::new("triangle");
    let out = k.buf("out", DType::I64, BufRole::Out);
    let n = k.param("n");
    let (i, j, l) = (k.index("i"), k.index("j"), k.index("l"));
    let at = add(mul(var(i), var(n)), var(j));
    let inner = Stmt::Store { buf: out, at, val: add(var(l), int(1)), reduce: Some(Prim::Add) };
    let third = for_each(l, var(j), var(i), vec![inner]);
    let second = for_each(j, int(0), add(var(i), int(1)), vec![third]);
    k.body = vec![for_each(i, int(0), var(n), vec![second])];
    let n = 6i64;
    let got = succeed(b, &k, &[zeros(DType::I64, 36)], &[n]);
    let wanted: Vec<i64> = (0..n)
        .flat_map(|i| (0..n).map(move |j| if j <= i { (j..i).map(|l| l + 1).sum() } else { 0 }))
        .collect();
    assert_same("triangle", &got.bufs[0], &indices(&wanted));
}

/// A loop whose number of rounds nobody knows before.
pub fn while_loops(b: &dyn Backend) {
    let mut k = LoopKernel::new("collatz");
    let out = k.buf("out", DType::I64, BufRole::Out);
    let (x, steps, i) = (k.index("x"), k.index("steps"), k.index("i"));
    let odd = eq(call(Prim::And, var(x), int(1)), int(1));
    let half = k.index("half");
    // There is no division: x / 2 is counted out.
    let halving = vec![
        start(half, 0),
        Stmt::While {
            cond: lt(add(var(half), var(half)), var(x)),
            body: vec![set(half, add(var(half), int(1)))],
        },
        set(x, var(half)),
    ];
    let round = Stmt::If { cond: odd, then: vec![set(x, add(mul(var(x), int(3)), int(1)))], other: halving };
    let rounds = Stmt::While {
        cond: call(Prim::Gt, var(x), int(1)),
        body: vec![round, set(steps, add(var(steps), int(1)))],
    };
    k.body = vec![for_each(
        i,
        int(0),
        int(8),
        vec![Stmt::Let { var: x, val: var(i) }, start(steps, 0), rounds, store(out, var(i), var(steps))],
    )];
    let got = succeed(b, &k, &[zeros(DType::I64, 8)], &[]);
    assert_same("collatz", &got.bufs[0], &indices(&[0, 0, 1, 7, 2, 5, 8, 16]));
}

/// Both arms, empty arms, and variables set in only one of them.
pub fn if_and_else(b: &dyn Backend) {
    let mut k = LoopKernel::new("arms");
    let out = k.buf("out", DType::F64, BufRole::Out);
    let i = k.index("i");
    let v = k.var("v", Ty::scalar(DType::F64));
    let number = |x: f64| constant(Scalar::F64(x));
    let sign = Stmt::If {
        cond: lt(var(i), int(3)),
        then: vec![set(v, number(-1.0))],
        other: vec![Stmt::If { cond: eq(var(i), int(3)), then: vec![], other: vec![set(v, number(1.0))] }],
    };
    k.body = vec![for_each(
        i,
        int(0),
        int(6),
        vec![Stmt::Let { var: v, val: number(0.0) }, sign, store(out, var(i), var(v))],
    )];
    let got = succeed(b, &k, &[zeros(DType::F64, 6)], &[]);
    let wanted = [-1.0, -1.0, -1.0, 0.0, 1.0, 1.0].map(Scalar::F64);
    assert_same("arms", &got.bufs[0], &wanted);
}

/// The right side of `&&` must not run when the left is false: it would read far outside.
pub fn and_also_guards_a_load(b: &dyn Backend) {
    let mut k = LoopKernel::new("guarded");
    let (x, out) = (k.buf("x", DType::I64, BufRole::In), k.buf("out", DType::Bool, BufRole::Out));
    let hits = k.buf("hits", DType::I64, BufRole::Out);
    let (far, n) = (k.param("far"), k.param("n"));
    let (i, at) = (k.index("i"), k.index("at"));
    let guarded = and_also(lt(var(i), var(n)), eq(load(x, var(at)), int(7)));
    let whole = and_also(guarded.clone(), and_also(lt(var(at), var(n)), lt(int(0), load(x, var(at)))));
    let hit = Stmt::If {
        cond: guarded.clone(),
        then: vec![Stmt::Store { buf: hits, at: int(0), val: int(1), reduce: Some(Prim::Add) }],
        other: vec![Stmt::Store { buf: hits, at: int(1), val: int(1), reduce: Some(Prim::Add) }],
    };
    let pick = Expr::Call { prim: Prim::Select, args: vec![lt(var(i), var(n)), var(i), var(far)] };
    k.body = vec![
        for_each(i, int(0), int(6), vec![Stmt::Let { var: at, val: pick }, store(out, var(i), whole), hit]),
        set_index(at, 0),
        Stmt::While {
            cond: and_also(lt(var(at), var(n)), call(Prim::Ne, load(x, var(at)), int(8))),
            body: vec![set(at, add(var(at), int(1)))],
        },
        store(hits, int(2), var(at)),
    ];
    let bufs = [indices(&[7, 1, 7]), zeros(DType::Bool, 6), zeros(DType::I64, 3)];
    let got = succeed(b, &k, &bufs, &[1 << 45, 3]);
    assert_same("guarded", &got.bufs[1], &[true, false, true, false, false, false].map(Scalar::Bool));
    assert_same("branches", &got.bufs[2], &indices(&[2, 4, 3]));
}

fn set_index(v: VarId, n: i64) -> Stmt {
    Stmt::Let { var: v, val: int(n) }
}

/// Conjunctions, disjunctions and negations as branches and as values.
pub fn conditions_of_every_shape(b: &dyn Backend) {
    let mut k = LoopKernel::new("conditions");
    let (branch, value) =
        (k.buf("branch", DType::I64, BufRole::Out), k.buf("value", DType::Bool, BufRole::Out));
    let i = k.index("i");
    let bit = |n: i64| call(Prim::Ne, call(Prim::And, var(i), int(n)), int(0));
    let not = |e| Expr::Call { prim: Prim::Not, args: vec![e] };
    let (p, q, r) = (bit(1), bit(2), bit(4));
    let shapes = [
        and_also(p.clone(), call(Prim::Or, q.clone(), r.clone())),
        call(Prim::Or, not(p.clone()), and_also(q.clone(), not(r.clone()))),
        not(and_also(p.clone(), and_also(q.clone(), r.clone()))),
        call(Prim::And, call(Prim::Xor, p.clone(), q.clone()), not(r.clone())),
        and_also(constant(Scalar::Bool(true)), call(Prim::And, p, constant(Scalar::Bool(true)))),
        call(Prim::Eq, q, r),
    ];
    let truth: [fn(bool, bool, bool) -> bool; 6] = [
        |p, q, r| p && (q || r),
        |p, q, r| !p || (q && !r),
        |p, q, r| !(p && q && r),
        |p, q, r| (p ^ q) && !r,
        |p, _, _| p,
        |_, q, r| q == r,
    ];
    let mut body = Vec::new();
    for (n, cond) in shapes.iter().enumerate() {
        let at = add(mul(var(i), int(6)), int(n as i64));
        let then = vec![store(branch, at.clone(), int(1))];
        body.push(Stmt::If { cond: cond.clone(), then, other: vec![store(branch, at.clone(), int(2))] });
        body.push(store(value, at, cond.clone()));
    }
    k.body = vec![for_each(i, int(0), int(8), body)];
    let got = succeed(b, &k, &[zeros(DType::I64, 48), zeros(DType::Bool, 48)], &[]);
    for i in 0..8usize {
        for (n, f) in truth.iter().enumerate() {
            let t = f(i & 1 != 0, i & 2 != 0, i & 4 != 0);
            assert_eq!(got.bufs[1][i * 6 + n], Scalar::Bool(t), "value of condition {n} at {i}");
            assert_eq!(got.bufs[0][i * 6 + n], Scalar::I64(if t { 1 } else { 2 }), "branch {n} at {i}");
        }
    }
}

/// Appends `n` numbers to an empty output through a temporary, asking for room each time.
fn growing_kernel() -> LoopKernel {
    let mut k = LoopKernel::new("growing");
    let (out, temp) = (k.buf("out", DType::I32, BufRole::Out), k.buf("temp", DType::I64, BufRole::Temp));
    let n = k.param("n");
    let i = k.index("i");
    let next = add(var(i), int(1));
    let half = Stmt::If {
        cond: eq(call(Prim::And, var(i), int(1)), int(0)),
        then: vec![store(temp, var(i), mul(var(i), int(3)))],
        other: vec![],
    };
    let back = Expr::Cast { to: DType::I32, arg: Box::new(load(temp, var(i))) };
    k.body = vec![
        for_each(
            i,
            int(0),
            var(n),
            vec![
                Stmt::Reserve { buf: temp, len: next.clone() },
                half,
                Stmt::Note("odd places stay zero".into()),
                Stmt::Reserve { buf: out, len: next },
                store(out, var(i), back),
            ],
        ),
        Stmt::SetLen { buf: out, len: var(n) },
    ];
    k
}

/// Growth keeps what was there, gives zeros, and happens a logarithmic number of times.
pub fn reserve_grows_by_doubling(b: &dyn Backend) {
    let k = growing_kernel();
    let got = succeed(b, &k, &[vec![], vec![]], &[1000]);
    let wanted: Vec<Scalar> = (0..1000).map(|i| Scalar::I32(if i % 2 == 0 { 3 * i } else { 0 })).collect();
    assert_same("grown", &got.bufs[0][..1000], &wanted);
    assert_eq!(got.lens, [Some(1000), None]);
    assert!(got.grows <= 24, "{} calls of the host for two buffers", got.grows);
    let enough = [zeros(DType::I32, 1000), zeros(DType::I64, 1000)];
    assert_eq!(succeed(b, &k, &enough, &[1000]).grows, 0);
}

/// A host without memory ends the kernel.
pub fn reserve_passes_failure_on(b: &dyn Backend) {
    let k = growing_kernel();
    let out = execute(b, &k, &[zeros(DType::I32, 5), zeros(DType::I64, 5)], &[9], Growth::Failing);
    assert_eq!(out.status, Status::OutOfMemory);
    assert_eq!((out.grows, out.lens[0]), (1, None));
    assert_same("before the failure", &out.bufs[0], &[0, 0, 6, 0, 12].map(Scalar::I32));
}

/// `SetLen` reaches the slots of the call, the last one counts.
pub fn lengths_reach_the_caller(b: &dyn Backend) {
    let mut k = LoopKernel::new("lengths");
    let (x, y) = (k.buf("x", DType::U8, BufRole::Out), k.buf("y", DType::C128, BufRole::Out));
    let n = k.param("n");
    k.body = vec![
        Stmt::SetLen { buf: y, len: int(1) },
        Stmt::SetLen { buf: x, len: var(n) },
        Stmt::SetLen { buf: y, len: add(var(n), int(2)) },
    ];
    let got = succeed(b, &k, &[vec![], vec![]], &[40]);
    assert_eq!(got.lens, [Some(40), Some(42)]);
}

/// Every status comes out, from inside loops too, and what was stored before stays.
pub fn failures_reach_the_caller(b: &dyn Backend) {
    for status in Status::ALL.into_iter().filter(|s| *s != Status::Ok) {
        let mut k = LoopKernel::new(format!("fail_{}", status.name()));
        let out = k.buf("out", DType::I64, BufRole::Out);
        let (i, limit) = (k.index("i"), k.param("limit"));
        let check = Stmt::If { cond: eq(var(i), var(limit)), then: vec![Stmt::Fail(status)], other: vec![] };
        k.body = vec![for_each(i, int(0), int(4), vec![check, store(out, var(i), int(1))])];
        for (limit, wanted) in [(2, status), (9, Status::Ok)] {
            let got = execute(b, &k, &[zeros(DType::I64, 4)], &[limit], Growth::Failing);
            assert_eq!(got.status, wanted);
            let stored = limit.min(4) as usize;
            assert_same(&k.name, &got.bufs[0][..stored], &vec![Scalar::I64(1); stored]);
            assert_same(&k.name, &got.bufs[0][stored..], &zeros(DType::I64, 4 - stored));
        }
    }
    let mut k = LoopKernel::new("dead_code");
    let out = k.buf("out", DType::I64, BufRole::Out);
    k.body = vec![Stmt::Fail(Status::Cancelled), store(out, int(0), int(1))];
    let got = execute(b, &k, &[zeros(DType::I64, 1)], &[], Growth::Failing);
    assert_eq!((got.status, got.bufs[0][0]), (Status::Cancelled, Scalar::I64(0)));
}

/// A kernel that is told to stop ends at its first poll; one that is not goes on, and the same code does both.
pub fn polls_end_a_kernel_that_is_told_to_stop(b: &dyn Backend) {
    let mut k = LoopKernel::new("polls");
    let out = k.buf("out", DType::I64, BufRole::Out);
    let i = k.index("i");
    let poll = Stmt::If { cond: eq(var(i), int(2)), then: vec![Stmt::Poll], other: vec![] };
    k.body = vec![for_each(i, int(0), int(4), vec![poll, store(out, var(i), int(1))])];
    let code = b.compile(&k).expect("lawful");
    for (stop, status, stored) in [(true, Status::Cancelled, 2), (false, Status::Ok, 4)] {
        let (stop, bufs) = (AtomicBool::new(stop), [zeros(DType::I64, 4)]);
        let got = run_until(&stop, &*code, &k, &bufs, &[], Growth::Failing).expect("regular ends");
        assert_eq!(got.status, status, "{}", b.name());
        let wanted: Vec<i64> = (0..4).map(|n| i64::from(n < stored)).collect();
        assert_same(&k.name, &got.bufs[0], &indices(&wanted));
    }
}

/// The flag is set while the kernel runs through two loops that store nothing, so that nothing but a poll makes the code
/// read memory again.
pub fn a_poll_looks_again_every_time(b: &dyn Backend) {
    let mut k = LoopKernel::new("endless");
    let out = k.buf("out", DType::I64, BufRole::Out);
    let (n, i, j, s) = (k.param("n"), k.index("i"), k.index("j"), k.index("s"));
    let inner = for_each(j, int(0), int(7), vec![set(s, call(Prim::Xor, var(s), var(j)))]);
    k.body = vec![start(s, 0), Stmt::Poll, for_each(i, int(0), var(n), vec![Stmt::Poll, inner])];
    k.body.push(store(out, int(0), var(s)));
    let (code, stop) = (b.compile(&k).expect("lawful"), AtomicBool::new(false));
    let got = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(5));
            stop.store(true, Ordering::Relaxed);
        });
        run_until(&stop, &*code, &k, &[zeros(DType::I64, 1)], &[i64::MAX], Growth::Failing)
    });
    assert_eq!(got.expect("a regular end").status, Status::Cancelled, "{}", b.name());
}

/// Numbers that are read before anything else mean the same where they are used: in loops that call the host or compute
/// absolute values of complex numbers, in loops inside of these, and between them. One that is set again is what it was
/// set to.
pub fn numbers_that_are_read_first(b: &dyn Backend) {
    for elem in [DType::F32, DType::F64, DType::C64, DType::C128, DType::I32] {
        let abs = if elem.is_complex() { format!("{elem}(abs(c + x[i]))") } else { "c + x[i]".into() };
        let text = format!(
            "kernel k(n: i64, s: in {elem}[], x: in {elem}[], y: out {elem}[]) {{
               let c: {elem} = s[1]
               let d: {elem} = s[0]
               let e: {elem} = s[1]
               for i in 0..n {{
                 reserve(y, 4 * n + i)
                 for k in 0..3 {{ y[i] = y[i] + c * x[k] }}
                 y[i] = y[i] + d
                 e = e + d
               }}
               y[n] = c
               for i in 0..n {{ y[n + 1 + i] = {abs}\ny[2 * n + 1 + i] = d * x[i] }}
               let i: i64 = 0
               while i < n {{ y[3 * n + i + 1] = d + x[i] * e\ni = i + 1 }}
             }}"
        );
        let k = parse(&Source::new("conformance", text)).unwrap_or_else(|e| panic!("{e}"));
        let of = |n: i64| Scalar::from_i64(n, elem);
        let x: Vec<i64> = vec![5, -2, 7, 1];
        let sum: i64 = x[..3].iter().sum();
        let mut wanted = vec![3 * sum + 2; 4];
        wanted.push(3);
        let joined = |x: &i64| if elem.is_complex() { (3 + x).abs() } else { 3 + x };
        wanted.extend(x.iter().map(joined));
        wanted.extend(x.iter().map(|x| 2 * x));
        wanted.extend(x.iter().map(|x| 2 + x * 11));
        let bufs = [vec![of(2), of(3)], x.iter().map(|n| of(*n)).collect(), Vec::new()];
        let got = succeed(b, &k, &bufs, &[4]);
        let wanted: Vec<Scalar> = wanted.into_iter().map(of).collect();
        assert_same(&format!("{} on {elem}", k.name), &got.bufs[2][..wanted.len()], &wanted);
    }
}

/// Ninety buffers, more than any machine has registers for, the last of which move while loops read the others: between
/// loops, inside of one, and inside of one that is inside of another.
pub fn buffers_without_number(b: &dyn Backend) {
    let count = 88;
    let inputs: String = (0..count).map(|n| format!("x{n}: in i64[], ")).collect();
    let between: String = (0..count).map(|n| format!("y[{n}] = x{n}[0]\n")).collect();
    let sum = (0..count).map(|n| format!("x{n}[i]")).collect::<Vec<_>>().join(" + ");
    let text = format!(
        "kernel k(n: i64, {inputs}y: out i64[], t: temp i64[]) {{
           reserve(y, {count})
           {between}
           for i in 0..n {{
             reserve(t, i + 1)
             t[i] = {sum}
           }}
           let at: i64 = {count}
           for i in 0..n {{
             let k: i64 = 0
             while k < i {{
               reserve(y, at + 1)
               y[at] = t[k] + x{last}[i]
               at = at + 1
               k = k + 1
             }}
             for j in 0..i {{ t[i] += x0[j] }}
             reserve(y, at + 1)
             y[at] = t[i]
             at = at + 1
           }}
           set_len(y, at)
         }}",
        last = count - 1,
    );
    let k = parse(&Source::new("conformance", text)).unwrap_or_else(|e| panic!("{e}"));
    let n = 6;
    let x = |buf: i64, i: i64| buf * 10 + i * i;
    let mut t: Vec<i64> = (0..n).map(|i| (0..count).map(|buf| x(buf, i)).sum()).collect();
    let mut wanted: Vec<i64> = (0..count).map(|buf| x(buf, 0)).collect();
    for i in 0..n {
        wanted.extend((0..i).map(|k| t[k as usize] + x(count - 1, i)));
        t[i as usize] += (0..i).map(|k| x(0, k)).sum::<i64>();
        wanted.push(t[i as usize]);
    }
    let column = |buf: i64| (0..n).map(|i| Scalar::I64(x(buf, i))).collect::<Vec<_>>();
    let mut bufs: Vec<Vec<Scalar>> = (0..count).map(column).collect();
    bufs.extend([Vec::new(), Vec::new()]);
    let got = succeed(b, &k, &bufs, &[n]);
    let wanted: Vec<Scalar> = wanted.into_iter().map(Scalar::I64).collect();
    assert_eq!(got.lens[count as usize], Some(wanted.len() as u64));
    assert_same(&k.name, &got.bufs[count as usize][..wanted.len()], &wanted);
}
