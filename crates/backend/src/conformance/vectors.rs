//! Vectors of every width and dtype the backend takes.

use super::scalars::{REDUCTIONS, arguments, conditions, vector_prims};
use super::{assert_same, edge_pairs, edges, succeed, zeros};
use crate::Backend;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{add, int, load, store, var};
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};

/// Every dtype with every lane count the backend takes.
fn shapes(b: &dyn Backend) -> Vec<(DType, u8)> {
    DType::ALL
        .into_iter()
        .filter(|e| *e != DType::Bool)
        .flat_map(|e| b.lanes(e).into_iter().map(move |l| (e, l)))
        .collect()
}

fn vload(buf: BufId, i: VarId, lanes: u8) -> Expr {
    Expr::VLoad { buf, at: Box::new(var(i)), lanes }
}

fn vector_loop(i: VarId, n: usize, lanes: u8, body: Vec<Stmt>) -> Stmt {
    Stmt::For { var: i, lo: int(0), hi: int(n as i64), step: lanes.into(), mode: LoopMode::Serial, body }
}

/// A column repeated to a whole number of vectors.
fn pad_lanes(mut column: Vec<Scalar>, lanes: u8) -> Vec<Scalar> {
    let n = column.len();
    for i in 0..n.next_multiple_of(lanes.into()) - n {
        column.push(column[i]);
    }
    column
}

/// Every primitive on vectors, lane by lane what [`Prim::eval`] gives; conditions from memory.
pub fn every_vector_primitive(b: &dyn Backend) {
    for (elem, lanes) in shapes(b) {
        let (xs, ys) = edge_pairs(elem);
        let (xs, ys) = (pad_lanes(xs, lanes), pad_lanes(ys, lanes));
        let n = xs.len();
        let cs = conditions(n);
        let mut k = LoopKernel::new(format!("vector_{elem}x{lanes}"));
        let (x, y) = (k.buf("x", elem, BufRole::In), k.buf("y", elem, BufRole::In));
        let c = k.buf("c", DType::Bool, BufRole::In);
        let i = k.index("i");
        let (vx, vy) = (k.var("vx", Ty::vector(elem, lanes)), k.var("vy", Ty::vector(elem, lanes)));
        let mut bufs = vec![xs.clone(), ys.clone(), cs.clone()];
        let mut body = vec![
            Stmt::Let { var: vx, val: vload(x, i, lanes) },
            Stmt::Let { var: vy, val: vload(y, i, lanes) },
        ];
        for prim in vector_prims(elem) {
            let result = prim.result(elem).expect("defined");
            let out = k.buf(format!("out_{}", prim.name()), result, BufRole::Out);
            bufs.push(zeros(result, n));
            let args = arguments(prim, vload(c, i, lanes), var(vx), var(vy));
            body.push(store(out, var(i), Expr::Call { prim, args }));
        }
        let smaller = k.buf("smaller", elem, BufRole::Out);
        bufs.push(zeros(elem, n));
        let mask = k.var("mask", Ty::vector(DType::Bool, lanes));
        body.extend(masked_minimum(mask, vx, vy, smaller, i));
        k.body = vec![vector_loop(i, n, lanes, body)];
        let out = succeed(b, &k, &bufs, &[]);
        for (prim, got) in vector_prims(elem).into_iter().zip(&out.bufs[3..]) {
            for (i, g) in got.iter().enumerate() {
                let w = prim.eval(&arguments(prim, cs[i], xs[i], ys[i])).expect("defined");
                assert!(
                    g.is_same(w),
                    "{} {elem}x{lanes} of {:?}, {:?}: {g:?}, not {w:?}",
                    prim.name(),
                    xs[i],
                    ys[i]
                );
            }
        }
        for (i, g) in out.bufs.last().expect("buffers").iter().enumerate() {
            let less = Prim::Lt.eval(&[xs[i], ys[i]]) == Some(Scalar::Bool(true));
            let different = Prim::Ne.eval(&[xs[i], ys[i]]) == Some(Scalar::Bool(true));
            let w = if !less && different { xs[i] } else { ys[i] };
            assert!(g.is_same(w), "select {elem}x{lanes} of {:?}, {:?}: {g:?}, not {w:?}", xs[i], ys[i]);
        }
    }
}

/// `mask = !(x < y) && x != y; out = mask ? x : y`.
fn masked_minimum(mask: VarId, x: VarId, y: VarId, out: BufId, i: VarId) -> [Stmt; 2] {
    let call = |prim, args| Expr::Call { prim, args };
    let less = call(Prim::Lt, vec![var(x), var(y)]);
    let different = call(Prim::Ne, vec![var(x), var(y)]);
    let val = call(Prim::And, vec![call(Prim::Not, vec![less]), different]);
    let pick = call(Prim::Select, vec![var(mask), var(x), var(y)]);
    [Stmt::Let { var: mask, val }, store(out, var(i), pick)]
}

/// Truth values from memory and from comparisons, of every width together: combined, stored, stored over others, folded.
pub fn truth_values_in_memory(b: &dyn Backend) {
    for (elem, lanes) in shapes(b).into_iter().filter(|(elem, _)| elem.is_int() || elem.is_float()) {
        let (xs, ys) = edge_pairs(elem);
        let (xs, ys) = (pad_lanes(xs, lanes), pad_lanes(ys, lanes));
        let n = xs.len();
        let (cs, ds) = (conditions(n), (0..n).map(|i| Scalar::Bool(i % 7 < 4)).collect::<Vec<_>>());
        let mut k = LoopKernel::new(format!("truth_{elem}x{lanes}"));
        let (x, y) = (k.buf("x", elem, BufRole::In), k.buf("y", elem, BufRole::In));
        let (c, d) = (k.buf("c", DType::Bool, BufRole::In), k.buf("d", DType::Bool, BufRole::In));
        let [plain, mixed, over] =
            ["plain", "mixed", "over"].map(|name| k.buf(name, DType::Bool, BufRole::Out));
        let folds = [Prim::Or, Prim::And, Prim::Xor];
        let all = folds.map(|prim| k.buf(prim.name(), DType::Bool, BufRole::Out));
        let i = k.index("i");
        let call = |prim, args| Expr::Call { prim, args };
        let (vc, vd) = (vload(c, i, lanes), vload(d, i, lanes));
        let less = call(Prim::Lt, vec![vload(x, i, lanes), vload(y, i, lanes)]);
        let either = call(Prim::Xor, vec![vc.clone(), call(Prim::Not, vec![vd.clone()])]);
        let both = call(Prim::And, vec![either.clone(), less]);
        let (at, val) = (var(i), call(Prim::Select, vec![vc.clone(), both.clone(), vd.clone()]));
        let mut body = vec![
            store(plain, var(i), either),
            store(mixed, var(i), val),
            Stmt::Store { buf: over, at, val: both, reduce: Some(Prim::Or) },
        ];
        for (prim, out) in folds.into_iter().zip(all) {
            let arg = Box::new(call(Prim::Le, vec![vc.clone(), vd.clone()]));
            body.push(store(out, var(i), Expr::Fold { prim, arg }));
        }
        k.body = vec![vector_loop(i, n, lanes, body)];
        let bufs =
            [xs.clone(), ys.clone(), cs.clone(), ds.clone(), zeros(DType::Bool, n), zeros(DType::Bool, n)]
                .into_iter()
                .chain([conditions(n)])
                .chain(folds.map(|_| zeros(DType::Bool, n)));
        let got = succeed(b, &k, &bufs.collect::<Vec<_>>(), &[]);
        let truth = |s: &Scalar| *s == Scalar::Bool(true);
        let (cs, ds): (Vec<bool>, Vec<bool>) =
            (cs.iter().map(truth).collect(), ds.iter().map(truth).collect());
        let less = |i: usize| Prim::Lt.eval(&[xs[i], ys[i]]).as_ref().is_some_and(truth);
        let both = |i: usize| cs[i] == ds[i] && less(i);
        let column = |f: &dyn Fn(usize) -> bool| (0..n).map(|i| Scalar::Bool(f(i))).collect::<Vec<_>>();
        assert_same(&k.name, &got.bufs[4], &column(&|i| cs[i] == ds[i]));
        assert_same(&k.name, &got.bufs[5], &column(&|i| if cs[i] { both(i) } else { ds[i] }));
        assert_same(&k.name, &got.bufs[6], &column(&|i| cs[i] || both(i)));
        for start in (0..n).step_by(lanes.into()) {
            let mut some = (start..start + usize::from(lanes)).map(|i| cs[i] <= ds[i]);
            let ones = some.clone().filter(|t| *t).count();
            let wanted = [ones > 0, some.all(|t| t), ones % 2 == 1];
            for (out, wanted) in got.bufs[7..].iter().zip(wanted) {
                assert_eq!(out[start], Scalar::Bool(wanted), "{} from {start}", k.name);
            }
        }
    }
}

/// Values whose sums and products are exact in any order.
fn exact(elem: DType, n: usize) -> Vec<Scalar> {
    (0..n as i64).map(|i| Scalar::from_i64([1, 2, -1, 3, 1, 0, -2, 1][(i * 5 % 8) as usize], elem)).collect()
}

/// Folds by every associative primitive.
pub fn every_vector_fold(b: &dyn Backend) {
    for (elem, lanes) in shapes(b) {
        let xs = exact(elem, 4 * lanes as usize);
        let some: Vec<Prim> = REDUCTIONS.into_iter().filter(|p| p.result(elem) == Some(elem)).collect();
        let mut k = LoopKernel::new(format!("fold_{elem}x{lanes}"));
        let (x, out) = (k.buf("x", elem, BufRole::In), k.buf("out", elem, BufRole::Out));
        let any = k.buf("any", DType::Bool, BufRole::Out);
        let mut at = 0;
        for start in 0..4i64 {
            let v = Expr::VLoad { buf: x, at: Box::new(int(start * i64::from(lanes))), lanes };
            for prim in &some {
                let arg = Box::new(v.clone());
                k.body.push(store(out, int(at), Expr::Fold { prim: *prim, arg }));
                at += 1;
            }
            let zero = Expr::Splat { lanes, arg: Box::new(Expr::Const(Scalar::zero(elem))) };
            let arg = Box::new(Expr::Call { prim: Prim::Eq, args: vec![v, zero] });
            k.body.push(store(any, int(start), Expr::Fold { prim: Prim::Or, arg }));
        }
        let got = succeed(b, &k, &[xs.clone(), zeros(elem, at as usize), zeros(DType::Bool, 4)], &[]);
        let mut wanted = Vec::new();
        for chunk in xs.chunks(lanes.into()) {
            for prim in &some {
                let all = chunk[1..].iter().fold(chunk[0], |a, x| prim.eval(&[a, *x]).expect("defined"));
                wanted.push(all);
            }
        }
        assert_same(&k.name, &got.bufs[1], &wanted);
        let any: Vec<Scalar> =
            xs.chunks(lanes.into()).map(|c| Scalar::Bool(c.contains(&Scalar::zero(elem)))).collect();
        assert_same(&k.name, &got.bufs[2], &any);
    }
}

/// Casts between dtypes that have this lane count in common.
pub fn every_vector_cast(b: &dyn Backend) {
    for (from, lanes) in shapes(b) {
        let xs = pad_lanes(edges(from), lanes);
        let n = xs.len();
        let targets: Vec<DType> =
            shapes(b).into_iter().filter(|(to, l)| *l == lanes && *to != from).map(|(to, _)| to).collect();
        if targets.is_empty() {
            continue;
        }
        let mut k = LoopKernel::new(format!("cast_{from}x{lanes}"));
        let x = k.buf("x", from, BufRole::In);
        let i = k.index("i");
        let mut bufs = vec![xs.clone()];
        let mut body = Vec::new();
        for to in &targets {
            let out = k.buf(format!("out_{to}"), *to, BufRole::Out);
            bufs.push(zeros(*to, n));
            body.push(store(out, var(i), Expr::Cast { to: *to, arg: Box::new(vload(x, i, lanes)) }));
        }
        k.body = vec![vector_loop(i, n, lanes, body)];
        let out = succeed(b, &k, &bufs, &[]);
        for (to, got) in targets.iter().zip(&out.bufs[1..]) {
            let wanted: Vec<Scalar> = xs.iter().map(|x| x.cast(*to)).collect();
            assert_same(&format!("{from}x{lanes} as {to}"), got, &wanted);
        }
    }
}

/// Unaligned loads and stores, stores with reduce, `Pack` of gathered elements, `Splat`, vector accumulators.
pub fn vector_memory_and_construction(b: &dyn Backend) {
    for (elem, lanes) in shapes(b) {
        let (n, l) = (3 * lanes as usize, lanes as usize);
        let xs = exact(elem, n + 1);
        let mut k = LoopKernel::new(format!("memory_{elem}x{lanes}"));
        let x = k.buf("x", elem, BufRole::In);
        let [moved, summed, packed, total] =
            ["moved", "summed", "packed", "total"].map(|name| k.buf(name, elem, BufRole::Out));
        let (i, acc) = (k.index("i"), k.var("acc", Ty::vector(elem, lanes)));
        let ahead = Expr::VLoad { buf: x, at: Box::new(add(var(i), int(1))), lanes };
        let scalar = Box::new(load(x, var(i)));
        let gather = Expr::Pack((0..lanes).rev().map(|j| load(x, add(var(i), int(j.into())))).collect());
        let splat = Expr::Splat { lanes, arg: scalar };
        let product = Expr::Call { prim: Prim::Mul, args: vec![splat, vload(x, i, lanes)] };
        let sum = Expr::Call { prim: Prim::Add, args: vec![var(acc), ahead.clone()] };
        let zero = Expr::Splat { lanes, arg: Box::new(Expr::Const(Scalar::zero(elem))) };
        k.body = vec![
            Stmt::Let { var: acc, val: zero },
            vector_loop(
                i,
                n,
                lanes,
                vec![
                    store(moved, var(i), ahead),
                    Stmt::Store {
                        buf: summed,
                        at: add(var(i), int(1)),
                        val: product,
                        reduce: Some(Prim::Add),
                    },
                    store(packed, var(i), gather),
                    Stmt::Set { var: acc, val: sum },
                ],
            ),
            store(total, int(0), Expr::Fold { prim: Prim::Add, arg: Box::new(var(acc)) }),
        ];
        let bufs = [xs.clone(), zeros(elem, n), xs.clone(), zeros(elem, n), zeros(elem, 1)];
        let got = succeed(b, &k, &bufs, &[]);
        let eval = |p: Prim, a: Scalar, b: Scalar| p.eval(&[a, b]).expect("defined");
        assert_same(&k.name, &got.bufs[1], &xs[1..]);
        for j in 0..n {
            let w = eval(Prim::Add, xs[j + 1], eval(Prim::Mul, xs[j / l * l], xs[j]));
            assert_eq!(got.bufs[2][j + 1], w, "{} summed {j}", k.name);
            assert_eq!(got.bufs[3][j], xs[j / l * l + (l - 1 - j % l)], "{} packed {j}", k.name);
        }
        let all = xs[2..].iter().fold(xs[1], |a, x| eval(Prim::Add, a, *x));
        assert_eq!(got.bufs[4][0], all, "{} total", k.name);
    }
}
