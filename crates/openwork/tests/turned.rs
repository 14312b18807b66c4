//! Dense tensors in another order of their modes: turned around a kernel whose loops run in vectors then, and where a statement
//! does nothing else.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Step, Tensor, TensorExt,
};

const SIZES: [(&str, usize); 4] = [("i", 64), ("j", 250), ("k", 200), ("l", 32)];

/// Small whole numbers, so that sums are exact in any order.
fn value(at: &[usize]) -> f64 {
    (at.iter().fold(7, |h, n| (h * 31 + n) % 101) % 9) as f64 - 4.0
}

fn shape(vars: &str) -> Vec<usize> {
    vars.chars().map(|v| SIZES.iter().find(|(name, _)| name.starts_with(v)).unwrap().1).collect()
}

fn tensor(vars: &str, format: &str) -> Tensor {
    let (shape, format) = (shape(vars), Format::parse(format, vars.len()).unwrap());
    let mut entries: Vec<(Vec<usize>, Scalar)> = Vec::new();
    for e in 0..shape.iter().product::<usize>() {
        let mut rest = e;
        let mut at: Vec<usize> = shape.iter().rev().map(|n| (rest % n, rest /= n).0).collect();
        at.reverse();
        if format.is_dense() || value(&at) > 2.0 {
            entries.push((at.clone(), Scalar::F64(value(&at))));
        }
    }
    Tensor::pack(&shape, &entries, &format).unwrap()
}

fn compile_statement(statement: &str, operands: &[(&str, &Tensor)], kind: BackendKind) -> Kernel {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let (format, shape) = (Some(t.format().clone()), Some(t.shape().to_vec()));
        let decl = Decl { dtype: Some(t.dtype()), format, shape, stored: Some(t.slots()), elements: None };
        decls.tensors.insert((*name).into(), decl);
    }
    Session::new(kind).unwrap().compile(statement, &decls).unwrap()
}

const COLUMNS: &str = "(i0,i1) -> (i1,i0) : dense, dense";

/// Statements, and whether an operand and the result are turned.
type Case = (&'static str, &'static [(&'static str, &'static str, &'static str)], bool, bool);
const CASES: &[Case] = &[
    ("C(i,k) = X(i,j) * A(j,k)", &[("X", "ij", "dense"), ("A", "jk", "csr")], true, true),
    ("C(i,k) = X(i,j) * A(k,j)", &[("X", "ij", "dense"), ("A", "kj", "csr")], true, true),
    ("C(i,k) = X(i,j) * A(j,k)", &[("X", "ij", COLUMNS), ("A", "jk", "csr")], false, true),
    ("C(j,i) = A(j,k) * Y(k,i)", &[("A", "jk", "csr"), ("Y", "ki", COLUMNS)], true, false),
    ("C(j,i) = A(j,k) * Y(k,i)", &[("A", "jk", "csr"), ("Y", "ki", "dense")], false, false),
    (
        "C(j,k) = A(j,k) * B(j,l) * D(l,k)",
        &[("A", "jk", "csr"), ("B", "jl", "dense"), ("D", "lk", "dense")],
        true,
        false,
    ),
];

#[test]
fn loops_run_in_vectors_over_what_is_turned_for_them() {
    for (statement, operands, operand, result) in CASES {
        let tensors: Vec<Tensor> = operands.iter().map(|(_, vars, format)| tensor(vars, format)).collect();
        let named: Vec<(&str, &Tensor)> = operands.iter().map(|o| o.0).zip(&tensors).collect();
        let kernel = compile_statement(statement, &named, BackendKind::Clif);
        let steps = &kernel.stages().steps;
        let dense = |s: &&Step| matches!(s, Step::Convert(c) if c.from.is_dense() && c.format.is_dense());
        assert_eq!(steps.iter().any(|s| dense(&s)), *operand, "{statement}: {steps:?}");
        let finishes = |s: &Step| matches!(s, Step::Finish(f) if f.is_dense());
        assert_eq!(steps.iter().any(finishes), *result, "{statement}: {steps:?}");
        // As they are stored, where nothing is known of sizes but that they are small.
        let plain = Session::new(BackendKind::Interp).unwrap();
        let small = |t: &Tensor| Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: None,
            stored: Some(1),
            elements: None,
        };
        let mut decls = Decls::default();
        decls.tensors.extend(named.iter().map(|(n, t)| ((*n).to_string(), small(t))));
        let want = plain.compile(statement, &decls).unwrap().run(&named).unwrap().tensor;
        for threads in [1, 3] {
            let kernel = compile_statement(statement, &named, BackendKind::Clif).with_threads(threads);
            let made = kernel.run(&named).unwrap().tensor;
            assert_eq!(made, want, "{statement} on {threads} threads");
        }
    }
}

#[test]
fn statements_that_only_turn_a_dense_tensor() {
    let orders = ["ijk", "ikj", "jik", "jki", "kij", "kji"];
    for dtype in [DType::F64, DType::Bool, DType::I8, DType::C128] {
        let sizes = [5, 17, 40];
        let entries: Vec<(Vec<usize>, Scalar)> = (0..sizes.iter().product::<usize>())
            .map(|e| {
                let at = vec![e / 680, e / 40 % 17, e % 40];
                let value = Scalar::F64(value(&at)).cast(dtype);
                (at, value)
            })
            .collect();
        let x = Tensor::pack(&sizes, &entries, &Format::parse("dense", 3).unwrap()).unwrap();
        for order in orders {
            let comma = |s: &str| s.chars().map(String::from).collect::<Vec<_>>().join(",");
            let statement = format!("y({}) = x(i,j,k)", comma(order));
            for kind in [BackendKind::Interp, BackendKind::Clif] {
                let y = compile_statement(&statement, &[("x", &x)], kind).run(&[("x", &x)]).unwrap().tensor;
                for (at, value) in &entries {
                    let to: Vec<usize> = order.chars().map(|v| at["ijk".find(v).unwrap()]).collect();
                    assert_eq!(y.get(&to), Some(*value), "{statement} at {at:?}");
                }
            }
        }
    }
}

/// Computed coordinates are in the order of nobody's modes.
#[test]
fn a_dense_tensor_is_turned_into_any_format() {
    let (x, session) = (tensor("il", "dense"), Session::new(BackendKind::Clif).unwrap());
    for format in
        ["bcsr(2,1)", "bcsc(3,2)", "dia", "ell", "jad", "sell", "hicoo", "csb", "csc", "rle", "coo", "hash"]
    {
        let mut decls = Decls::default();
        let decl = |format: &str, stored| Decl {
            dtype: Some(DType::F64),
            format: Some(Format::parse(format, 2).unwrap()),
            shape: None,
            stored,
            elements: None,
        };
        decls
            .tensors
            .extend([("x".into(), decl("dense", Some(x.slots()))), ("y".into(), decl(format, None))]);
        let y = session.compile("y(l,i) = x(i,l)", &decls).unwrap().run(&[("x", &x)]).unwrap().tensor;
        assert_eq!(y.shape(), [32, 64], "{format}");
        for (i, l) in (0..64).flat_map(|i| (0..32).map(move |l| (i, l))) {
            let of = |t: &Tensor, at: &[usize]| t.get(at).unwrap_or(t.fill()).as_f64();
            assert_eq!(of(&y, &[l, i]), of(&x, &[i, l]), "{format} at {i}, {l}");
        }
    }
}
