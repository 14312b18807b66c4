//! Estimates of what a run does.

use openwork::estimate::{Stored, work};
use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};

/// Flops of a statement whose every index has 10 values; the named operands are sparse with `nnz` values.
fn flops(statement: &str, operands: &[(&str, usize, &str)], nnz: usize) -> f64 {
    let mut decls = Decls::default();
    for &(name, rank, format) in operands {
        let format = Some(Format::parse(format, rank).unwrap());
        let decl = Decl { dtype: Some(DType::F64), format, shape: Some(vec![10; rank]), stored: None };
        decls.tensors.insert(name.into(), decl);
    }
    let stages = Session::new(BackendKind::Interp).unwrap().stages(statement, &decls).unwrap();
    let stored: Stored = operands.iter().map(|&(name, _, _)| (name, nnz)).collect();
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
