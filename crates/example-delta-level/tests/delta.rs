//! The level in everything that Openwork does with tensors, against dense arithmetic.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Scalar, Session, Source, Tensor, TensorExt, convert,
    einsum,
};
use openwork_example_delta_level::register;

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn number_below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

const FORMATS: [&str; 9] = [
    "(i,j) -> (i,j) : dense, delta",
    "(i,j) -> (j,i) : dense, delta",
    "(i,j) -> (i,j) : delta, delta",
    "(i,j) -> (i,j) : compressed, delta",
    "(i,j) -> (i,j) : delta, compressed",
    "(i,j) -> (i,j) : delta, dense",
    "(i,j) -> (j-i,i,j) : delta, compressed, offset",
    "(i,j) -> (i/2,j/3,i%2,j%3,i,j) : dense, delta, dense, dense, block, block",
    "(i,j) -> (i,j) : hashed, delta",
];
const OTHERS: [&str; 6] = ["csr", "csc", "coo", "dense", "dia", "bitmap"];

fn format(text: &str, rank: usize) -> Format {
    Format::parse(text, rank).unwrap()
}
/// A random matrix: its entries and its dense values. Whole numbers, so that sums are exact in any order.
fn matrix(r: &mut Random, [m, n]: [usize; 2]) -> (Vec<(Vec<usize>, Scalar)>, Vec<f64>) {
    let mut dense = vec![0.0; m * n];
    let count = [0, 1, m, m * 8, m * n / 2][r.number_below(5)];
    for _ in 0..count {
        dense[r.number_below(m * n)] = 1.0 + r.number_below(9) as f64;
    }
    // Neighbours exactly as far apart as a step and an escape can be.
    for j in [0, 254, 255, 256, 509, 510, 511].into_iter().filter(|&j| j < n && count > 1) {
        dense[(m - 1) * n + j] = 3.0;
    }
    let entries = dense.iter().enumerate().filter(|(_, v)| **v != 0.0);
    (entries.map(|(p, v)| (vec![p / n, p % n], Scalar::F64(*v))).collect(), dense)
}
fn values(t: &Tensor) -> Vec<f64> {
    t.to_dense_scalars().unwrap().into_iter().map(|v| v.as_f64()).collect()
}
fn sparse(text: &str) -> Decl {
    Decl { format: Some(format(text, 2)), ..Decl::default() }
}
fn sessions() -> Vec<Session> {
    register();
    [BackendKind::Clif, BackendKind::Interp].into_iter().filter_map(|k| Session::new(k).ok()).collect()
}

#[test]
fn matrices_times_vectors_sums_and_products() {
    let sessions = sessions();
    let mut r = Random(1);
    for round in 0..90 {
        let shape =
            [1 + r.number_below(5), [1 + r.number_below(9), 600 + r.number_below(900)][r.number_below(2)]];
        let [m, n] = shape;
        let ((a, da), (b, db)) = (matrix(&mut r, shape), matrix(&mut r, shape));
        let fa = FORMATS[round % FORMATS.len()];
        let others: Vec<&str> = FORMATS.iter().chain(&OTHERS).copied().collect();
        let fb = others[r.number_below(others.len())];
        let ta = Tensor::pack(&shape, &a, &format(fa, 2)).unwrap();
        let tb = Tensor::pack(&shape, &b, &format(fb, 2)).unwrap();
        assert_eq!(values(&ta), da, "{fa}");
        let x: Vec<f64> = (0..n).map(|j| (j % 7) as f64).collect();
        let tx = Tensor::from_vec(&[n], x.clone()).unwrap();
        let s = &sessions[round % sessions.len()];
        let what = |op: &str| format!("{op} of {fa} and {fb}, {m} x {n}");
        let y = s.einsum("y(i) = A(i,j) * x(j)", &[("A", &ta), ("x", &tx)], Decl::default());
        let want: Vec<f64> = (0..m).map(|i| (0..n).map(|j| da[i * n + j] * x[j]).sum()).collect();
        assert_eq!(values(&y.unwrap_or_else(|e| panic!("{}: {e}", what("SpMV")))), want, "{}", what("SpMV"));
        for (op, apply) in
            [("+", (|a, b| a + b) as fn(f64, f64) -> f64), ("*", |a, b| a * b), ("-", |a, b| a - b)]
        {
            let want: Vec<f64> = da.iter().zip(&db).map(|(a, b)| apply(*a, *b)).collect();
            for result in
                [sparse("csr"), sparse("dense"), sparse(FORMATS[r.number_below(3)]), Decl::default()]
            {
                let text = format!("C(i,j) = A(i,j) {op} B(i,j)");
                let c = s.einsum(&text, &[("A", &ta), ("B", &tb)], result.clone());
                let c = c.unwrap_or_else(|e| panic!("{} into {:?}: {e}", what(op), result.format));
                assert_eq!(values(&c), want, "{} into {:?}", what(op), result.format);
            }
        }
        let c = s.einsum("c = A(i,j) * B(i,j) + A(i,j)", &[("A", &ta), ("B", &tb)], Decl::default()).unwrap();
        let want: f64 = da.iter().zip(&db).map(|(a, b)| a * b + a).sum();
        assert_eq!(values(&c), [want], "{}", what("a scalar"));
    }
}

#[test]
fn kernels_walk_it_as_it_is_stored() {
    register();
    let session = Session::new(BackendKind::Clif).unwrap();
    for statement in [
        "y(i) = A(i,j) * x(j)",
        "C(i,j) = A(i,j) + B(i,j)",
        "C(i,j) = A(i,j) * B(i,j)",
        "C(i,j) = A(i,j) * A(i,j) + B(i,j)",
    ] {
        let mut decls = Decls::default();
        let decl = |f: &str, rank| Decl {
            dtype: Some(DType::F64),
            format: Some(format(f, rank)),
            shape: None,
            stored: None,
            elements: None,
        };
        let all = [("A", FORMATS[0], 2), ("B", "csr", 2), ("x", "dense", 1), ("C", "csr", 2)];
        for (name, f, rank) in all.into_iter().filter(|(n, ..)| statement.contains(n)) {
            decls.tensors.insert(name.into(), decl(f, rank));
        }
        let stages = session.stages(statement, &decls).unwrap();
        assert!(stages.steps == [openwork::Step::Kernel], "{statement}");
        assert!(stages.loops_text().contains("A2_step"), "{}", stages.loops_text());
    }
}

#[test]
fn products_of_matrices_and_sums_of_three() {
    let sessions = sessions();
    let mut r = Random(2);
    for round in 0..20 {
        let (m, k, n) = (1 + r.number_below(4), 300 + r.number_below(300), 1 + r.number_below(4));
        let ((a, da), (b, db)) = (matrix(&mut r, [m, k]), matrix(&mut r, [k, n]));
        let ta = Tensor::pack(&[m, k], &a, &format(FORMATS[round % 3], 2)).unwrap();
        let tb = Tensor::pack(&[k, n], &b, &format(FORMATS[r.number_below(3)], 2)).unwrap();
        let s = &sessions[round % sessions.len()];
        let c = s.einsum("C(i,j) = A(i,k) * B(k,j)", &[("A", &ta), ("B", &tb)], sparse("csr")).unwrap();
        let at = |i: usize, j: usize| (0..k).map(|x| da[i * k + x] * db[x * n + j]).sum::<f64>();
        let want: Vec<f64> = (0..m * n).map(|p| at(p / n, p % n)).collect();
        assert_eq!(values(&c), want);
        let x = Tensor::from_vec(&[k, n], db.clone()).unwrap();
        let y = s.einsum("Y(i,j) = A(i,k) * X(k,j)", &[("A", &ta), ("X", &x)], sparse("dense")).unwrap();
        assert_eq!(values(&y), want);
    }
    let mut r = Random(4);
    for round in 0..20 {
        let shape = [1 + r.number_below(4), 300 + r.number_below(300)];
        let all: Vec<_> = (0..3).map(|_| matrix(&mut r, shape)).collect();
        let formats = [FORMATS[round % FORMATS.len()], FORMATS[r.number_below(4)], OTHERS[r.number_below(3)]];
        let pack = |n: usize| Tensor::pack(&shape, &all[n].0, &format(formats[n], 2)).unwrap();
        let (a, b, c) = (pack(0), pack(1), pack(2));
        let s = &sessions[round % sessions.len()];
        let operands = [("A", &a), ("B", &b), ("C", &c)];
        let d = s.einsum("D(i,j) = A(i,j) + B(i,j) * C(i,j) + C(i,j)", &operands, sparse("csr"));
        let d = d.unwrap_or_else(|e| panic!("{formats:?}: {e}"));
        let at = |p: usize| all[0].1[p] + all[1].1[p] * all[2].1[p] + all[2].1[p];
        assert_eq!(values(&d), (0..shape[0] * shape[1]).map(at).collect::<Vec<_>>(), "{formats:?}");
    }
}

#[test]
fn conversions_both_ways() {
    let sessions = sessions();
    let mut r = Random(3);
    for round in 0..60 {
        let shape = [1 + r.number_below(6), 1 + r.number_below(1200)];
        let (a, dense) = matrix(&mut r, shape);
        let (f, g) = (FORMATS[round % FORMATS.len()], OTHERS[r.number_below(OTHERS.len())]);
        let s = &sessions[round % sessions.len()];
        let plain = Tensor::pack(&shape, &a, &format(g, 2)).unwrap();
        let there = convert(s, &plain, &format(f, 2)).unwrap_or_else(|e| panic!("{g} to {f}: {e}"));
        assert_eq!(values(&there.tensor), dense, "{g} to {f}");
        assert!(!there.direct);
        let back = convert(s, &there.tensor, &format(g, 2)).unwrap_or_else(|e| panic!("{f} to {g}: {e}"));
        assert_eq!(values(&back.tensor), dense, "{f} to {g}");
    }
    // From rows to rows one kernel is enough.
    let (a, _) = matrix(&mut r, [4, 900]);
    let t = Tensor::pack(&[4, 900], &a, &format(FORMATS[0], 2)).unwrap();
    assert!(convert(&sessions[0], &t, &format("csr", 2)).unwrap().direct);
    assert!(convert(&sessions[0], &t, &format("dia", 2)).unwrap().direct);
}

#[test]
fn it_takes_a_byte_per_coordinate() {
    register();
    let entries: Vec<_> = (0..1000).map(|j| (vec![0, 3 * j], Scalar::F64(1.0))).collect();
    let bytes = |text: &str| Tensor::pack(&[1, 3000], &entries, &format(text, 2)).unwrap().bytes();
    assert_eq!(bytes("csr") - bytes(FORMATS[0]), 3 * 1000);
    let far =
        Tensor::pack(&[3000], &[(vec![700], Scalar::F64(2.0))], &format("(i) -> (i) : delta", 1)).unwrap();
    assert_eq!(far.level(0).arrays[1].as_slice(), Some(&[255u8, 255, 190][..]));
    assert_eq!((far.slots(), far.nnz()), (3, 1));
    // On the shared session, which is made after registering.
    let y = einsum("y = x(i) * x(i)", &[("x", &far)]).unwrap();
    assert_eq!(values(&y), [4.0]);
}

#[test]
fn broken_arrays_are_refused_and_unknown_levels_named() {
    register();
    let t = Tensor::pack(&[9], &[(vec![7], Scalar::F64(2.0))], &format("(i) -> (i) : delta", 1)).unwrap();
    let mut parts = t.into_parts();
    parts.levels[0].arrays[1] = vec![9u8].into();
    let error = Tensor::try_from(parts).unwrap_err();
    assert_eq!(error.code().0, "E0601");
    let known = openwork::Catalog::default();
    let error = known.parse(&Source::new("-f A", "(i) -> (i) : delto"), 1).unwrap_err();
    assert!(error.diagnostic().unwrap().help.as_ref().is_some_and(|h| h.contains("delta")), "{error}");
}
