//! Functions of the library where elements are side by side: vectors of them, within a few units in the last place of scalars,
//! and the same bits however work is divided, and whatever was run before.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor, TensorExt};

fn dense(shape: &[usize], seed: usize) -> Tensor {
    let len: usize = shape.iter().product();
    let value = |n: usize| ((n * 37 + seed) % 1009) as f64 / 300.0 + 0.013;
    Tensor::from_vec(shape, (0..len).map(value).collect()).unwrap()
}
/// A matrix with rows of 0 to 12 elements.
fn sparse(rows: usize, columns: usize) -> Tensor {
    let row = |i: usize| (0..i * 5 % 13).map(move |k| vec![i, (i * 3 + k * 7) % columns]);
    let mut at: Vec<Vec<usize>> = (0..rows).flat_map(row).collect();
    at.sort();
    at.dedup();
    let value = |(n, at): (usize, Vec<usize>)| (at, Scalar::F64((n % 997) as f64 / 200.0 + 0.01));
    let entries: Vec<_> = at.into_iter().enumerate().map(value).collect();
    Tensor::pack(&[rows, columns], &entries, &Format::parse("csr", 2).unwrap()).unwrap()
}
fn kernel(kind: BackendKind, statement: &str, operands: &[(&str, &Tensor)]) -> Kernel {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let decl = Decl { dtype: Some(t.dtype()), format: Some(t.format().clone()), ..Decl::default() };
        decls.tensors.insert((*name).into(), decl);
    }
    Session::new(kind).unwrap().compile(statement, &decls).unwrap()
}
fn values(t: &Tensor) -> Vec<f64> {
    (0..t.vals().len()).map(|n| t.vals().get(n).as_f64()).collect()
}

const STATEMENTS: [&str; 9] = [
    "z(i) = exp(x(i))",
    "z(i) = x(i) / (1 + exp(-w(i))) + power(x(i), w(i))",
    "z(i) = sum(j, tanh(D(i,j) * v(j)))",
    "z(i) = w(i) * log(2 + sum(j, abs(A(i,j)))) + sqrt(w(i))",
    "Z(i,j) = arctan2(D(i,j), v(j)) * sign(D(i,j) - 1)",
    "z(i) = sum(j, cos(D(i,j)))",
    "Z(i,j) = sinh(A(i,j))",
    "Z(i,j) = A(i,j) * log1p(A(i,j))",
    "Z(i,k) = tanh(sum(j, A(i,j) * E(j,k)))",
];

#[test]
fn vectors_are_near_scalars_and_the_same_in_every_division() {
    let (rows, columns) = (300, 70);
    let (x, w, v) = (dense(&[rows], 1), dense(&[rows], 2), dense(&[columns], 3));
    let (d, e, a) = (dense(&[rows, columns], 4), dense(&[columns, 5], 5), sparse(rows, columns));
    let all = [("x", &x), ("w", &w), ("v", &v), ("D", &d), ("E", &e), ("A", &a)];
    for statement in STATEMENTS {
        let given: Vec<_> =
            all.into_iter().filter(|(name, _)| statement.contains(&format!("{name}("))).collect();
        let slow = kernel(BackendKind::Interp, statement, &given).run(&given).unwrap().tensor;
        let fast = kernel(BackendKind::Clif, statement, &given);
        let first = fast.run(&given).unwrap().tensor;
        for (got, wanted) in values(&first).iter().zip(values(&slow)) {
            assert!(
                (got - wanted).abs() <= 1e-14 * wanted.abs().max(1.0),
                "{statement}: {got}, not {wanted}"
            );
        }
        // What pays is compiled after some runs; that must not show.
        for _ in 0..200 {
            assert_eq!(values(&fast.run(&given).unwrap().tensor), values(&first), "{statement}");
        }
        for chunks in [2, 7, 64] {
            let divided = kernel(BackendKind::Clif, statement, &given).with_chunks(chunks);
            assert_eq!(
                values(&divided.run(&given).unwrap().tensor),
                values(&first),
                "{statement} in {chunks}"
            );
        }
    }
}
