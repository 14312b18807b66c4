//! Estimates of what a run does.

use openwork::estimate::{StoredCounts, work};
use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Session, Tensor, TensorExt, declare_operands,
};

/// Flops of a statement whose every index has 10 values; the named operands are sparse with `nnz` values.
fn flops(statement: &str, operands: &[(&str, usize, &str)], nnz: usize) -> f64 {
    let mut decls = Decls::default();
    for &(name, rank, format) in operands {
        let format = Some(Format::parse(format, rank).unwrap());
        let decl = Decl {
            dtype: Some(DType::F64),
            format,
            shape: Some(vec![10; rank]),
            stored: None,
            elements: None,
        };
        decls.tensors.insert(name.into(), decl);
    }
    let stages = Session::new(BackendKind::Interp).unwrap().stages(statement, &decls).unwrap();
    let stored: StoredCounts = operands.iter().map(|&(name, _, _)| (name, nnz)).collect();
    work(&stages.plan.program, &stored, 0).flops
}

#[test]
fn flops_are_those_of_the_stored_entries() {
    let (a, b) = (("A", 2, "csr"), ("B", 2, "csr"));
    let x = ("x", 1, "dense");
    assert_eq!(flops("y(i) = A(i,j) * x(j)", &[a, x], 7), 14.0);
    assert_eq!(flops("y(i) = A(i,j) * x(j)", &[("A", 2, "dense"), x], 7), 200.0);
    assert_eq!(flops("C(i,j) = A(i,j) + B(i,j)", &[a, b], 7), 14.0);
    assert_eq!(flops("C(i,j) = A(i,j) * B(i,j)", &[a, b], 7), 7.0);
    assert_eq!(flops("C(i,j) = A(i,k) * B(k,j)", &[a, b], 20), 2.0 * 20.0 * 20.0 / 10.0);
}

/// Sums of several matrices, products and sampled products have temporaries that hold no more than what is put into them.
#[test]
fn temporaries_are_not_taken_to_be_full() {
    let n = 1000;
    let sparse = |seed: usize| {
        let at = |e: usize| vec![(e * 7919 + seed) % n, (e * 104_729 + seed * 31) % n];
        let entries: Vec<_> = (0..2000).map(|e| (at(e), openwork::Scalar::F64(1.0))).collect();
        Tensor::pack(&[n, n], &entries, &Format::parse("csr", 2).unwrap()).unwrap()
    };
    let all: Vec<Tensor> = (0..5).map(sparse).collect();
    let dense = Tensor::from_vec(&[n, 4], vec![1.0; 4 * n]).unwrap();
    let names = ["A", "B", "C", "D", "E"];
    for (text, dense_operands) in [
        ("S(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) + E(i,j)", false),
        ("S(i,k) = A(i,j) * B(j,k)", false),
        ("S(i,j) = A(i,j) * X(i,k) * Y(j,k)", true),
    ] {
        let mut given: Vec<(&str, &Tensor)> =
            names.into_iter().zip(&all).filter(|(name, _)| text.contains(name)).collect();
        if dense_operands {
            given.extend([("X", &dense), ("Y", &dense)]);
        }
        let mut decls = declare_operands(&given);
        let result = Decl { format: Some(Format::parse("csr", 2).unwrap()), ..Decl::default() };
        decls.tensors.insert("S".into(), result);
        let kernel = Session::global().compile(text, &decls).unwrap().with_threads(2);
        let spread = kernel.run(&given).unwrap().spread;
        assert_eq!((spread.threads, spread.chunks), (1, 1), "{text}");
    }
}

/// The plan of a statement over matrices in one format, of which this many rows and slots are known, and how many of them
/// are stored otherwise before it runs.
fn plan_text(statement: &str, format: &str, dtype: DType, known: Option<(usize, usize)>) -> (String, usize) {
    let mut decls = Decls::default();
    for name in ["A", "B", "C", "D", "E"].into_iter().filter(|n| statement.contains(n)) {
        let format = Some(Format::parse(format, 2).unwrap());
        let shape = known.map(|(n, _)| vec![n; 2]);
        let stored = known.map(|(_, stored)| stored).filter(|_| name != "E");
        let decl = Decl { dtype: Some(dtype), format, shape, stored, elements: stored };
        decls.tensors.insert(name.into(), decl);
    }
    let stages = Session::new(BackendKind::Interp).unwrap().stages(statement, &decls).unwrap();
    (stages.cin(), stages.conversions().count())
}

#[test]
fn operands_are_stored_otherwise_only_where_that_takes_less() {
    // Slots are taken as they are, however many are elements and whether or not that is known; truth values in any case.
    for format in ["bytemap", "bitmap"] {
        for known in [None, Some((1000, 1_000_000))] {
            let (_, converted) = plan_text("E(i,j) = A(i,j) ^ B(i,j)", format, DType::Bool, known);
            assert_eq!(converted, 2, "{format}, {known:?}");
        }
    }
    // Runs are walked by runs, as many as there are.
    for statement in ["E(i,j) = A(i,j) ^ B(i,j)", "E(i,j) = A(i,j) & C(i,j) ^ B(i,j) & C(i,j)"] {
        for known in [None, Some((256, 4000)), Some((2000, 60_000))] {
            let (_, converted) = plan_text(statement, "rle", DType::Bool, known);
            assert_eq!(converted, 0, "{statement}, {known:?}");
        }
    }
    // Lists are not asked at every coordinate of a row, since no branch foresees what they answer.
    for stored in [200_000, 300_000, 400_000] {
        let known = Some((1000, stored));
        let (cin, _) = plan_text("E(i,j) = A(i,j) * C(i,j) + B(i,j) * C(i,j)", "csr", DType::F64, known);
        assert!(!cin.contains("where"), "{cin}, {stored}");
    }
}
