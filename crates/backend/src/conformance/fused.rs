//! Products that are rounded together with a sum.

use super::{assert_same, succeed, zeros};
use crate::Backend;
use openwork_algebra::{DType, Prim, Scalar, fused_sum};
use openwork_loops::build::{call, int, load, store, var};
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, VarId};

/// Numbers whose products need more digits than they have.
fn column(elem: DType, n: usize, seed: u64) -> Vec<Scalar> {
    let number = |i: usize| {
        let bits = (i as u64 + 1).wrapping_mul(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
        Scalar::F64(1.0 + bits as f64 / (1u64 << 52) as f64).cast(elem)
    };
    (0..n).map(number).collect()
}

/// `fused(x, y) + z` and `z + fused(x, y)`, alone and as what is added to memory, of scalars and of vectors.
pub fn products_that_are_rounded_with_sums(b: &dyn Backend) {
    if !b.target().fuses {
        return;
    }
    for elem in [DType::F32, DType::F64] {
        for lanes in [1].into_iter().chain(b.lanes(elem)) {
            let n = 64;
            let [xs, ys, mut zs] = [1, 3, 5].map(|seed| column(elem, n, seed));
            // What is left of a product is what rounding made of it.
            for (z, (x, y)) in zs.iter_mut().zip(xs.iter().zip(&ys)).step_by(2) {
                let product = Prim::Mul.eval(&[*x, *y]).expect("defined");
                *z = Prim::Neg.eval(&[product]).expect("defined");
            }
            let mut k = LoopKernel::new(format!("rounded_{elem}x{lanes}"));
            let [x, y, z] = ["x", "y", "z"].map(|name| k.buf(name, elem, BufRole::In));
            let outs = ["first", "second", "added"].map(|name| k.buf(name, elem, BufRole::Out));
            let i = k.index("i");
            let read = |buf: BufId| element(buf, i, lanes);
            let product = || call(Prim::Fused, read(x), read(y));
            k.body = vec![Stmt::For {
                var: i,
                lo: int(0),
                hi: int(n as i64),
                step: i64::from(lanes),
                mode: LoopMode::Serial,
                body: vec![
                    store(outs[0], var(i), call(Prim::Add, product(), read(z))),
                    store(outs[1], var(i), call(Prim::Add, read(z), product())),
                    store(outs[2], var(i), read(z)),
                    Stmt::Store { buf: outs[2], at: var(i), val: product(), reduce: Some(Prim::Add) },
                ],
            }];
            let wanted: Vec<Scalar> =
                (0..n).map(|e| fused_sum(xs[e], ys[e], zs[e]).expect("floats of one width")).collect();
            let bufs = [xs, ys, zs, zeros(elem, n), zeros(elem, n), zeros(elem, n)];
            let out = succeed(b, &k, &bufs, &[]);
            for got in &out.bufs[3..] {
                assert_same(&k.name, got, &wanted);
            }
        }
    }
}

fn element(buf: BufId, i: VarId, lanes: u8) -> Expr {
    match lanes {
        1 => load(buf, var(i)),
        lanes => Expr::VLoad { buf, at: Box::new(var(i)), lanes },
    }
}
