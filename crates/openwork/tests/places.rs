//! Kernels for places in a result that follow from sizes.

use openwork::{Buffer, Decl, Decls, Kernel, Session, Tensor};

fn vector(values: &[f64]) -> Tensor {
    Tensor::dense(&[values.len()], Buffer::from(values.to_vec())).unwrap()
}
fn values(t: &Tensor) -> Vec<f64> {
    t.to_dense_scalars().unwrap().iter().map(|v| v.as_f64()).collect()
}
/// The kernel of a statement for operands of these sizes, and a result of so many elements.
fn kernel(statement: &str, operands: &[(&str, &Tensor)], size: Option<usize>) -> Kernel {
    let mut decls: Decls = openwork::declare_operands(operands);
    if let Some(size) = size {
        decls.tensors.insert("y".into(), Decl { shape: Some(vec![size]), ..Decl::default() });
    }
    Session::global().compile(statement, &decls).unwrap()
}

/// What follows from the sizes at hand holds for those: others are refused, and nothing is wrong without a word.
#[test]
fn a_kernel_for_places_is_for_its_shapes() {
    let (x, y) = (vector(&[1.0, 2.0, 4.0]), vector(&[9.0; 7]));
    for (statement, given, size, want) in [
        ("y(i(1::2)) = x(i)", vec![("x", &x), ("y", &y)], None, vec![9.0, 1.0, 9.0, 2.0, 9.0, 4.0, 9.0]),
        ("y(i(-3:)) = x(i)", vec![("x", &x), ("y", &y)], None, vec![9.0, 9.0, 9.0, 9.0, 1.0, 2.0, 4.0]),
        ("y(i(4:)) += 1", vec![("y", &y)], None, vec![9.0, 9.0, 9.0, 9.0, 10.0, 10.0, 10.0]),
        ("y(i(5:)) = 3", vec![("y", &y)], None, vec![9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 3.0]),
        ("y(-1) += 1", vec![("y", &y)], None, vec![9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 10.0]),
        ("y(3-i) = x(i)", vec![("x", &x)], Some(5), vec![0.0, 4.0, 2.0, 1.0, 0.0]),
        ("y(2*i) = x(i)", vec![("x", &x)], Some(5), vec![1.0, 0.0, 2.0, 0.0, 4.0]),
        ("y(i) = x(i(::-1))", vec![("x", &x)], None, vec![4.0, 2.0, 1.0]),
    ] {
        let compiled = kernel(statement, &given, size);
        assert_eq!(values(&compiled.run(&given).unwrap().tensor), want, "{statement}");
        for (name, _) in &given {
            let other = vector(&vec![5.0; if *name == "x" { 4 } else { 6 }]);
            let changed: Vec<(&str, &Tensor)> =
                given.iter().map(|(n, t)| (*n, if n == name { &other } else { *t })).collect();
            let e = compiled.run(&changed).err();
            let code = e.map(|e| e.code().0);
            assert!(
                matches!(code, Some("E0203" | "E0217" | "E0608")),
                "{statement} with another {name}: {code:?}"
            );
        }
    }
}
