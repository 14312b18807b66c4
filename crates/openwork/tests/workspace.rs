//! Sparse workspaces: products of sparse matrices of every shape, above all those too large for a slot per coordinate.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Result, Scalar, Session, Tensor, TensorExt};

fn matrix(shape: [usize; 2], entries: &[([usize; 2], f64)], format: &str) -> Tensor {
    let entries: Vec<(Vec<usize>, Scalar)> =
        entries.iter().map(|(at, v)| (at.to_vec(), Scalar::F64(*v))).collect();
    Tensor::pack(&shape, &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

fn product(a: &Tensor, b: &Tensor, format: &str, kind: BackendKind) -> Result<Tensor> {
    let wanted = Decl { format: Some(Format::parse(format, 2)?), ..Decl::default() };
    Session::new(kind)?.einsum("C(i,k) = A(i,j) * B(j,k)", &[("A", a), ("B", b)], wanted)
}

/// What is stored, in order of coordinates.
fn entries(t: &Tensor) -> Vec<(Vec<usize>, f64)> {
    let coo = openwork_storage::unpack(t).unwrap();
    let mut out: Vec<(Vec<usize>, f64)> = (0..coo.len())
        .map(|e| {
            let at = (0..2).map(|m| coo.coords(m).get(e).as_i64() as usize).collect();
            (at, coo.vals().get(e).as_f64())
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

#[test]
fn products_with_billions_of_columns_hash() {
    let n = 3_000_000_000;
    let a = matrix([4, 5], &[([0, 1], 2.0), ([0, 4], 3.0), ([3, 1], 1.0), ([3, 0], 5.0)], "csr");
    let far: Vec<([usize; 2], f64)> = (0..400).map(|k| ([1, (k * 7_368_787) % n], k as f64)).collect();
    let b: Vec<([usize; 2], f64)> =
        far.iter().copied().chain([([4, 0], 10.0), ([4, n - 1], 20.0), ([0, 17], 1.0)]).collect();
    let b = matrix([5, n], &b, "csr");
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        let c = product(&a, &b, "csr", kind).unwrap();
        let mut wanted: Vec<(Vec<usize>, f64)> = Vec::new();
        for (at, v) in &far {
            let more = if at[1] == 0 { 30.0 } else { 0.0 };
            wanted.push((vec![0, at[1]], 2.0 * v + more));
            wanted.push((vec![3, at[1]], *v));
        }
        wanted.extend([(vec![0, n - 1], 60.0), (vec![3, 17], 5.0)]);
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(entries(&c), wanted);
    }
}

#[test]
fn outer_products_of_huge_matrices_need_no_memory_for_their_shape() {
    let n = 1 << 40;
    let a = matrix([n, n], &[([7, 3], 2.0), ([n - 1, 3], 4.0)], "dcsc");
    let b = matrix([n, n], &[([3, n - 2], 10.0), ([3, 1], 1.0)], "dcsr");
    let wanted =
        [(vec![7, 1], 2.0), (vec![7, n - 2], 20.0), (vec![n - 1, 1], 4.0), (vec![n - 1, n - 2], 40.0)];
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        let c = product(&a, &b, "dcsr", kind).unwrap();
        assert_eq!(entries(&c), wanted);
    }
}

#[test]
fn coordinates_that_64_bits_do_not_count_are_refused() {
    let mut decls = Decls::default();
    for (name, format) in [("A", "dcsc"), ("B", "dcsr"), ("C", "dcsr")] {
        let format = Some(Format::parse(format, 2).unwrap());
        let dtype = Some(openwork::DType::F64);
        decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
    }
    let kernel = Session::global().compile("C(i,k) = A(i,j) * B(j,k)", &decls).unwrap();
    let n = 1 << 40;
    let a = matrix([n, n], &[([7, 3], 2.0)], "dcsc");
    let b = matrix([n, n], &[([3, n - 2], 10.0)], "dcsr");
    match kernel.run(&[("A", &a), ("B", &b)]) {
        Ok(c) => assert_eq!(entries(&c.tensor), [(vec![7, n - 2], 20.0)]),
        Err(e) => assert!(["E0603", "E0605"].contains(&e.code().0), "{e}"),
    }
}
