//! What is said of how long a run took.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Scalar, Session, Tensor, TensorExt};
use std::time::Duration;

fn matrix(format: &str) -> Tensor {
    let entries: Vec<_> = (0..900usize).map(|e| (vec![e % 60, e * 7 % 61], Scalar::F64(e as f64))).collect();
    Tensor::pack(&[61, 61], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

/// A statement over operands in these formats, for a result in another: whether its run converts something.
fn run(statement: &str, formats: &[(&str, &str)], result: &str) -> (bool, openwork::Times) {
    let operands: Vec<(&str, Tensor)> = formats.iter().map(|(n, f)| (*n, matrix(f))).collect();
    let mut decls = Decls::default();
    for (name, t) in &operands {
        let decl = Decl { dtype: Some(t.dtype()), format: Some(t.format().clone()), ..Decl::default() };
        decls.tensors.insert((*name).into(), decl);
    }
    let format = Some(Format::parse(result, 2).unwrap());
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    let kernel = Session::new(BackendKind::Clif).unwrap().compile(statement, &decls).unwrap();
    let given: Vec<(&str, &Tensor)> = operands.iter().map(|(n, t)| (*n, t)).collect();
    let stages = kernel.stages();
    let converts = stages.steps != [openwork::Step::Kernel];
    (converts, kernel.run(&given).unwrap().times)
}

#[test]
fn conversions_are_told_apart_from_the_kernel() {
    let sum = "C(i,j) = A(i,j) + B(i,j)";
    for (statement, formats, result, converts) in [
        (sum, [("A", "csr"), ("B", "csr")], "csr", false),
        (sum, [("A", "csr"), ("B", "csc")], "csr", true),
        (sum, [("A", "csr"), ("B", "csr")], "dia", true),
        ("C(i,j) = A(i,j) + A(j,i) + B(i,j)", [("A", "csr"), ("B", "csr")], "csr", true),
    ] {
        let (planned, times) = run(statement, &formats, result);
        assert_eq!(planned, converts, "{statement} as {result}");
        assert_eq!(times.conversions > Duration::ZERO, converts, "{statement} as {result}: {times:?}");
        assert!(
            times.kernel > Duration::ZERO && times.total >= times.kernel + times.conversions,
            "{times:?}"
        );
    }
}
