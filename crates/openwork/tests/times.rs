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

#[test]
fn what_an_operand_was_converted_to_stays_with_it() {
    let n = 20_000usize;
    let entries: Vec<_> = (0..n).map(|e| (vec![e, e * 7 % n], Scalar::F64(1.0 + e as f64))).collect();
    let csr = Format::parse("csr", 2).unwrap();
    let mut a = Tensor::pack(&[n, n], &entries, &csr).unwrap();
    let decl = || Decl { dtype: Some(a.dtype()), format: Some(csr.clone()), ..Decl::default() };
    let mut decls = Decls::default();
    decls.tensors.extend([("A".to_string(), decl()), ("C".to_string(), decl())]);
    let statement = "C(i,j) = A(i,j) + 2 * A(j,i)";
    let kernel = Session::new(BackendKind::Clif).unwrap().compile(statement, &decls).unwrap();
    assert!(kernel.stages().steps.len() > 1, "something is converted");
    let first = kernel.run(&[("A", &a)]).unwrap();
    let kept: Vec<_> = (0..3).map(|_| kernel.run(&[("A", &a)]).unwrap()).collect();
    assert!(kept.iter().all(|o| o.tensor == first.tensor));
    let took: Vec<bool> = kept.iter().map(|o| o.times.conversions > Duration::ZERO).collect();
    assert_eq!(took, [true, false, false], "made twice, then kept");
    a.vals_mut().set(0, Scalar::F64(-5.0));
    let changed = kernel.run(&[("A", &a)]).unwrap().tensor;
    assert_eq!(changed.get(&[0, 0]), Some(Scalar::F64(-15.0)));
}

#[test]
fn a_copy_that_is_converted_needs_no_kernel() {
    let a = matrix("csr ; pos = i32 ; crd = i32");
    for (result, runs) in
        [("bcsr(2,2)", false), ("bcsr(3,4)", false), ("csc", false), ("coo", false), ("dcsr", true)]
    {
        let format = Format::parse(result, 2).unwrap();
        let mut decls = Decls::default();
        let given = Decl { dtype: Some(a.dtype()), format: Some(a.format().clone()), ..Decl::default() };
        decls.tensors.insert("A".into(), given);
        decls.tensors.insert("B".into(), Decl { format: Some(format.clone()), ..Decl::default() });
        let kernel = Session::new(BackendKind::Clif).unwrap().compile("B(i,j) = A(i,j)", &decls).unwrap();
        let done = kernel.run(&[("A", &a)]).unwrap();
        assert_eq!(done.tensor, a.to_format(&format).unwrap(), "{result}");
        assert_eq!(done.times.kernel > Duration::ZERO, runs, "{result}");
        assert_eq!(done.times.conversions > Duration::ZERO, !runs, "{result}");
    }
}
