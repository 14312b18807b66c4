//! Divisors of which it has to be known that they are never zero.

use openwork::{Format, FormatExt, Scalar, Session, Tensor, TensorExt, declare_operands};

/// What a product or a root of operands cannot be is told by what they are, not by a look at every combination: there are
/// 90 billion of them here.
#[test]
fn divisors_are_known_from_their_parts() {
    let n = 300_000;
    let entries: Vec<_> = (0..100).map(|e| (vec![e * 7, e * 2999], Scalar::F64(1.0 + e as f64))).collect();
    let a = Tensor::pack(&[n, n], &entries, &Format::parse("csr", 2).unwrap()).unwrap();
    let x = Tensor::from_vec(&[n], (0..n).map(|i| 0.5 + (i % 9) as f64).collect::<Vec<f64>>()).unwrap();
    let d = Tensor::from_vec(&[n], (0..n).map(|i| 1 + (i % 9) as i64).collect::<Vec<i64>>()).unwrap();
    for (divisor, value) in [
        ("(x(i) * x(j))", (|x, y, _, _| x * y) as fn(f64, f64, f64, f64) -> f64),
        ("sqrt(x(i) * x(j))", |x, y, _, _| (x * y).sqrt()),
        ("(sqrt(x(i)) * sqrt(x(j)))", |x, y, _, _| x.sqrt() * y.sqrt()),
        ("max(x(i), x(j))", |x, y, _, _| x.max(y)),
        ("(x(i) + x(j))", |x, y, _, _| x + y),
        ("hypot(x(i), x(j))", |x, y, _, _| x.hypot(y)),
        ("(d(i) * d(j))", |_, _, c, d| c * d),
        ("sqrt(d(i) + d(j))", |_, _, c, d| (c + d).sqrt()),
        ("(1 / x(i) + exp(x(j)))", |x, y, _, _| 1.0 / x + y.exp()),
    ] {
        let all = [("A", &a), ("x", &x), ("d", &d)];
        let given: Vec<_> = all
            .into_iter()
            .filter(|(name, _)| *name == "A" || divisor.contains(&format!("{name}(")))
            .collect();
        let kernel = Session::global()
            .compile(&format!("C(i,j) = A(i,j) / {divisor}"), &declare_operands(&given))
            .unwrap();
        let c = kernel.run(&given).unwrap().tensor;
        assert_eq!(c.nnz(), 100, "{divisor}");
        for (at, v) in &entries {
            let part = |k: usize| (0.5 + (at[k] % 9) as f64, 1.0 + (at[k] % 9) as f64);
            let ((x, c_), (y, d_)) = (part(0), part(1));
            let (found, wanted) = (c.get(at).unwrap().as_f64(), v.as_f64() / value(x, y, c_, d_));
            assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{divisor}: {found} for {wanted}");
        }
    }
}
