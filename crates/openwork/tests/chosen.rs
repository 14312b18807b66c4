//! Which way is chosen, from what is known of the operands before anything runs.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};

/// An operand: its name, format, shape, and how many values it stores.
type Operand<'a> = (&'a str, &'a str, &'a [usize], usize);

/// What is converted before the kernel of a statement, and into which format.
fn converted(statement: &str, operands: &[Operand]) -> Vec<(String, String)> {
    let mut decls = Decls::default();
    for &(name, format, shape, stored) in operands {
        let decl = Decl {
            dtype: Some(DType::F64),
            format: Some(Format::parse(format, shape.len()).unwrap()),
            shape: Some(shape.to_vec()),
            stored: Some(stored),
        };
        decls.tensors.insert(name.into(), decl);
    }
    let kernel = Session::new(BackendKind::Clif).unwrap().compile(statement, &decls).unwrap();
    let all = kernel.stages().conversions.iter();
    all.map(|c| (c.source.clone(), c.format.to_string())).collect()
}

#[test]
fn a_matrix_meets_a_sparse_vector_in_the_vectors_slots() {
    let n = 200_000;
    let product = |matrix, vector: &str, size| {
        let stored = if vector == "dense" { size } else { 2000 };
        let operands: [Operand; 2] = [("A", matrix, &[n, size], 2_000_000), ("x", vector, &[size], stored)];
        converted("y(i) = A(i,j) * x(j)", &operands)
    };
    // To sort the matrix by columns takes thirty times as long as the product.
    let [(name, format)] = &product("csr", "sv", n)[..] else { panic!("one operand is converted") };
    assert_eq!((&**name, format.contains("bitmap")), ("x", true), "{format}");
    assert_eq!(product("csr", "dense", n), []);
    // Columns are picked as they are.
    assert_eq!(product("csc", "sv", n), []);
    // Nobody has slots for every coordinate of a huge dimension.
    assert!(product("csr", "sv", 1 << 40).iter().all(|(_, format)| !format.contains("bitmap")));
}

#[test]
fn operands_in_runs_stay_in_runs() {
    let sum = |a, b| {
        let n = 2_000_000;
        converted("s = A(i) * B(i)", &[("A", a, &[n], 15_000), ("B", b, &[n], 15_000)])
    };
    assert_eq!(sum("rle", "rle"), []);
    assert_eq!(sum("rle", "sv"), []);
    assert_eq!(sum("rle", "(i) -> (i) : bitmap"), []);
}
