//! Primitives, constants, casts and memory of every dtype.

use super::{assert_same, edge_pairs, edges, succeed, zeros};
use crate::Backend;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{add, for_each, int, load, store, var};
use openwork_loops::{BufRole, Expr, LoopKernel, LoopMode, Stmt};

/// The primitives defined on `elem`.
pub(super) fn defined_prims(elem: DType) -> Vec<Prim> {
    Prim::list_all().filter(|p| p.result(elem).is_some()).collect()
}

/// Those of vectors: all but functions of the library.
pub(super) fn vector_prims(elem: DType) -> Vec<Prim> {
    defined_prims(elem).into_iter().filter(|p| !matches!(p, Prim::Library(_))).collect()
}

/// What folds and stores may combine by, where the dtype has it.
pub(super) const REDUCTIONS: [Prim; 10] = [
    Prim::Add,
    Prim::Mul,
    Prim::Min,
    Prim::Max,
    Prim::Times,
    Prim::Least,
    Prim::Most,
    Prim::And,
    Prim::Or,
    Prim::Xor,
];

/// The arguments of `prim` out of two operands and a condition.
pub(super) fn arguments<T: Clone>(prim: Prim, c: T, x: T, y: T) -> Vec<T> {
    match prim.arity() {
        1 => vec![x],
        2 => vec![x, y],
        _ => vec![c, x, y],
    }
}

/// A condition column: true for two of three elements.
pub(super) fn conditions(n: usize) -> Vec<Scalar> {
    (0..n).map(|i| Scalar::Bool(i % 3 != 1)).collect()
}

/// Every primitive on all pairs of edge values of every dtype gives what [`Prim::eval`] gives.
pub fn every_primitive_on_every_dtype(b: &dyn Backend) {
    for elem in DType::ALL {
        let (xs, ys) = edge_pairs(elem);
        let n = xs.len();
        let cs = conditions(n);
        let mut k = LoopKernel::new(format!("prims_{elem}"));
        let (x, y) = (k.buf("x", elem, BufRole::In), k.buf("y", elem, BufRole::In));
        let c = k.buf("c", DType::Bool, BufRole::In);
        let i = k.index("i");
        let count = k.param("n");
        let mut bufs = vec![xs.clone(), ys.clone(), cs.clone()];
        let mut body = Vec::new();
        for prim in defined_prims(elem) {
            let result = prim.result(elem).expect("defined");
            let out = k.buf(format!("out_{}", prim.name()), result, BufRole::Out);
            bufs.push(zeros(result, n));
            let args = arguments(prim, load(c, var(i)), load(x, var(i)), load(y, var(i)));
            body.push(store(out, var(i), Expr::Call { prim, args }));
        }
        k.body = vec![for_each(i, int(0), var(count), body)];
        let out = succeed(b, &k, &bufs, &[n as i64]);
        for (prim, got) in defined_prims(elem).into_iter().zip(&out.bufs[3..]) {
            let wanted: Vec<Scalar> =
                (0..n).map(|i| prim.eval(&arguments(prim, cs[i], xs[i], ys[i])).expect("defined")).collect();
            for (i, (g, w)) in got.iter().zip(&wanted).enumerate() {
                // Libraries may differ in the last places.
                let near = matches!(prim, Prim::Library(_)) && elem.is_inexact() && {
                    let (g, w) = (g.as_complex(), w.as_complex());
                    let step = if elem.real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
                    (g - w).norm() <= 2.0 * step * w.norm()
                };
                assert!(
                    near || g.is_same(*w),
                    "{} {elem} of {:?}, {:?}: {g:?}, not {w:?}",
                    prim.name(),
                    xs[i],
                    ys[i]
                );
            }
        }
    }
}

/// The smaller and the greater of an edge value and a constant on either side, in scalars and vectors, which backends turn
/// into other instructions.
pub fn extrema_beside_constants(b: &dyn Backend) {
    for elem in [DType::F32, DType::F64] {
        let lanes = b.lanes(elem).into_iter().max().unwrap_or(1);
        let mut xs = edges(elem);
        while !xs.len().is_multiple_of(usize::from(lanes)) {
            xs.push(xs[0]);
        }
        let n = xs.len();
        for prim in [Prim::Min, Prim::Max, Prim::Least, Prim::Most] {
            let mut k = LoopKernel::new(format!("extrema_{}_{elem}", prim.name()));
            let (x, out) = (k.buf("x", elem, BufRole::In), k.buf("out", elem, BufRole::Out));
            let mut wanted = Vec::new();
            for (c, left, lanes) in edges(elem)
                .iter()
                .flat_map(|c| [(c, true, 1), (c, false, 1), (c, true, lanes), (c, false, lanes)])
            {
                let base = wanted.len() as i64;
                let i = k.index("i");
                let (value, other) = match lanes {
                    1 => (load(x, var(i)), Expr::Const(*c)),
                    _ => (
                        Expr::VLoad { buf: x, at: Box::new(var(i)), lanes },
                        Expr::Splat { lanes, arg: Box::new(Expr::Const(*c)) },
                    ),
                };
                let args = if left { vec![other, value] } else { vec![value, other] };
                let at = add(int(base), var(i));
                let body = vec![store(out, at, Expr::Call { prim, args })];
                let (lo, hi, step) = (int(0), int(n as i64), i64::from(lanes));
                k.body.push(Stmt::For { var: i, lo, hi, step, mode: LoopMode::Serial, body });
                let both = |x: Scalar| if left { [*c, x] } else { [x, *c] };
                wanted.extend(xs.iter().map(|x| prim.eval(&both(*x)).expect("defined on floats")));
            }
            let got = succeed(b, &k, &[xs.clone(), zeros(elem, wanted.len())], &[]);
            assert_same(&k.name, &got.bufs[1], &wanted);
        }
    }
}

/// Divisions and shifts of integers by constants, which backends turn into other instructions; also of a constant.
pub fn integers_by_constants(b: &dyn Backend) {
    const BY: [i64; 16] = [5, 6, 9, 10, 11, 12, 25, 125, 641, 1000, 4096, 65535, 1 << 31, 1 << 40, -10, -64];
    for elem in DType::ALL.into_iter().filter(|e| e.is_int()) {
        let by: Vec<Scalar> = edges(elem).into_iter().chain(BY.map(|n| Scalar::from_i64(n, elem))).collect();
        let spread = (1..40i64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (n % 56));
        let xs: Vec<Scalar> = by.iter().copied().chain(spread.map(|n| Scalar::from_i64(n, elem))).collect();
        let n = xs.len();
        for prim in [Prim::Quot, Prim::Rem, Prim::Shl, Prim::Shr] {
            let mut k = LoopKernel::new(format!("{}_{elem}", prim.name()));
            let (x, out) = (k.buf("x", elem, BufRole::In), k.buf("out", elem, BufRole::Out));
            let (i, count) = (k.index("i"), k.param("n"));
            let mut body = Vec::new();
            for (row, &c) in by.iter().enumerate() {
                let at =
                    |row: usize| Expr::Call { prim: Prim::Add, args: vec![var(i), int((row * n) as i64)] };
                for (row, args) in [
                    (2 * row, vec![load(x, var(i)), Expr::Const(c)]),
                    (2 * row + 1, vec![Expr::Const(c), load(x, var(i))]),
                ] {
                    body.push(store(out, at(row), Expr::Call { prim, args }));
                }
            }
            k.body = vec![for_each(i, int(0), var(count), body)];
            let got = succeed(b, &k, &[xs.clone(), zeros(elem, 2 * by.len() * n)], &[n as i64]);
            let eval = |x, y| prim.eval(&[x, y]).expect("integers");
            for (row, &c) in by.iter().enumerate() {
                for (i, &x) in xs.iter().enumerate() {
                    let [first, second] = [0, 1].map(|side| got.bufs[1][(2 * row + side) * n + i]);
                    assert_eq!(first, eval(x, c), "{} of {x:?}, constant {c:?}", prim.name());
                    assert_eq!(second, eval(c, x), "{} of constant {c:?}, {x:?}", prim.name());
                }
            }
        }
    }
}

/// Constants keep every bit, the sign of zero included.
pub fn every_constant(b: &dyn Backend) {
    let mut k = LoopKernel::new("constants");
    let (mut bufs, mut all) = (Vec::new(), Vec::new());
    for elem in DType::ALL {
        let values = edges(elem);
        let out = k.buf(format!("out_{elem}"), elem, BufRole::Out);
        for (n, v) in values.iter().enumerate() {
            k.body.push(store(out, int(n as i64), Expr::Const(*v)));
        }
        bufs.push(zeros(elem, values.len()));
        all.push((elem, values));
    }
    let out = succeed(b, &k, &bufs, &[]);
    for ((elem, values), got) in all.iter().zip(&out.bufs) {
        assert_same(&format!("constants of {elem}"), got, values);
        for (g, w) in got.iter().zip(values) {
            if let (Scalar::F64(g), Scalar::F64(w)) = (g, w) {
                assert_eq!(
                    g.is_sign_negative(),
                    w.is_sign_negative() || (w.is_nan() && g.is_sign_negative())
                );
            }
        }
    }
}

/// Every cast of every edge value gives what [`Scalar::cast`] gives.
pub fn every_cast(b: &dyn Backend) {
    for from in DType::ALL {
        let xs = edges(from);
        let n = xs.len();
        let mut k = LoopKernel::new(format!("casts_{from}"));
        let x = k.buf("x", from, BufRole::In);
        let i = k.index("i");
        let mut bufs = vec![xs.clone()];
        let mut body = Vec::new();
        for to in DType::ALL {
            let out = k.buf(format!("out_{to}"), to, BufRole::Out);
            bufs.push(zeros(to, n));
            body.push(store(out, var(i), Expr::Cast { to, arg: Box::new(load(x, var(i))) }));
        }
        k.body = vec![for_each(i, int(0), int(n as i64), body)];
        let out = succeed(b, &k, &bufs, &[]);
        for (to, got) in DType::ALL.into_iter().zip(&out.bufs[1..]) {
            for (x, g) in xs.iter().zip(got) {
                let w = x.cast(to);
                assert!(g.is_same(w), "{x:?} as {to}: {g:?}, not {w:?}");
            }
        }
    }
}

/// Loads and stores of every dtype, forwards into a reversed copy with constant offsets in the index.
pub fn every_load_and_store(b: &dyn Backend) {
    for elem in DType::ALL {
        let xs = edges(elem);
        let n = xs.len() as i64;
        let mut k = LoopKernel::new(format!("copy_{elem}"));
        let (x, out) = (k.buf("x", elem, BufRole::In), k.buf("out", elem, BufRole::Out));
        let (i, v) = (k.index("i"), k.var("v", openwork_loops::Ty::scalar(elem)));
        let minus = |a, b| Expr::Call { prim: Prim::Sub, args: vec![a, b] };
        let plus = |a, b| Expr::Call { prim: Prim::Add, args: vec![a, b] };
        k.body = vec![for_each(
            i,
            int(3),
            int(n + 3),
            vec![
                Stmt::Let { var: v, val: load(x, minus(int(n + 2), var(i))) },
                store(out, minus(plus(int(-2), var(i)), int(1)), var_of(v)),
            ],
        )];
        let got = succeed(b, &k, &[xs.clone(), zeros(elem, xs.len())], &[]);
        let wanted: Vec<Scalar> = xs.iter().rev().copied().collect();
        assert_same(&k.name, &got.bufs[1], &wanted);
    }
}

fn var_of(v: openwork_loops::VarId) -> Expr {
    Expr::Var(v)
}

/// `buf[at] op= value` for every dtype and every reduction it has.
pub fn every_reducing_store(b: &dyn Backend) {
    for elem in DType::ALL {
        let (xs, ys) = edge_pairs(elem);
        let n = xs.len();
        let reductions: Vec<Prim> = REDUCTIONS.into_iter().filter(|p| p.result(elem) == Some(elem)).collect();
        let mut k = LoopKernel::new(format!("reduce_{elem}"));
        let y = k.buf("y", elem, BufRole::In);
        let i = k.index("i");
        let mut bufs = vec![ys.clone()];
        let mut body = Vec::new();
        for prim in &reductions {
            let buf = k.buf(format!("out_{}", prim.name()), elem, BufRole::Out);
            bufs.push(xs.clone());
            body.push(Stmt::Store { buf, at: var(i), val: load(y, var(i)), reduce: Some(*prim) });
        }
        k.body = vec![for_each(i, int(0), int(n as i64), body)];
        let out = succeed(b, &k, &bufs, &[]);
        for (prim, got) in reductions.iter().zip(&out.bufs[1..]) {
            let wanted: Vec<Scalar> =
                xs.iter().zip(&ys).map(|(x, y)| prim.eval(&[*x, *y]).expect("defined")).collect();
            assert_same(&format!("{elem} reduced by {}", prim.name()), got, &wanted);
        }
    }
}
