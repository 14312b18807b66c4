//! Sums and differences of products with a sparse result.

use openwork::{DType, Decl, Decls, Format, FormatExt, Session, Stages};

fn stages(statement: &str) -> Stages {
    let csr = Format::parse("csr", 2).unwrap();
    let mut decls = Decls::default();
    for name in ["A", "B", "C"] {
        let shape = (name != "C").then(|| vec![2000, 2000]);
        let stored = shape.as_ref().map(|_| 20_000);
        let decl = Decl { dtype: Some(DType::F64), format: Some(csr.clone()), shape, stored, elements: None };
        decls.tensors.insert(name.into(), decl);
    }
    Session::global().stages(statement, &decls).unwrap()
}

/// Merging two workspaces took four times as long as one product.
#[test]
fn products_that_are_subtracted_share_one_workspace() {
    for statement in [
        "C(i,k) = A(i,j) * B(j,k) + B(i,j) * A(j,k)",
        "C(i,k) = A(i,j) * B(j,k) - B(i,j) * A(j,k)",
        "C(i,k) = A(i,k) - (A(i,j) * B(j,k) - B(i,k))",
    ] {
        let explained = stages(statement).explain();
        let workspaces = explained.tensors.iter().filter(|(_, _, what)| *what == "temporary").count();
        assert_eq!(workspaces, 1, "{explained}");
        assert!(explained.to_string().contains("added up one after the other"), "{explained}");
    }
}
