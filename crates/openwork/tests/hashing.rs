//! Hash tables of coordinates that lie at regular distances, and of coordinates that were chosen to collide. No
//! coordinate may be more than `FARTHEST` buckets behind its start, so what is not refused was found soon.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Result, Scalar, Schedule, Session, Tensor, TensorExt,
    convert,
};
use openwork_format::spread::{FACTOR, FARTHEST, FOLD, HIGH, spread};

const SIZE: usize = 1 << 62;

fn vector(coords: &[usize], format: &str) -> Tensor {
    let entries: Vec<_> =
        coords.iter().enumerate().map(|(n, &c)| (vec![c], Scalar::I64(n as i64 % 7 + 1))).collect();
    Tensor::pack(&[SIZE], &entries, &Format::parse(format, 1).unwrap()).unwrap()
}

/// Coordinates whose hashes end in 20 zeros.
fn colliding(n: usize) -> Vec<usize> {
    let inverse = (0..6).fold(FACTOR, |x, _| x.wrapping_mul(2i64.wrapping_sub(FACTOR.wrapping_mul(x))));
    let fold = |h: i64| h ^ ((h >> FOLD) & HIGH);
    let offsets = (1i64..).map(|h| fold(fold(fold(h << 20).wrapping_mul(inverse)).wrapping_mul(inverse)));
    let found: Vec<usize> =
        offsets.filter(|&c| (0..SIZE as i64).contains(&c)).take(n).map(|c| c as usize).collect();
    assert!(found.iter().all(|&c| spread(c as i64) & 0xF_FFFF == 0));
    found
}

#[test]
fn conversions_make_the_tables_that_storage_makes() {
    for shift in [0, 4, 16, 32, 40] {
        let coords: Vec<usize> = (0..20_000).map(|i| i << shift).collect();
        let list = vector(&coords, "sv; crd = i64");
        let table = vector(&coords, "hash; crd = i64");
        for kind in [BackendKind::Interp, BackendKind::Clif] {
            let session = Session::new(kind).unwrap();
            let made = convert(&session, &list, table.format()).unwrap();
            assert!(made.direct);
            assert_eq!(made.tensor, table, "multiples of 2^{shift}");
            let sum =
                session.einsum("s = a(i) * b(i)", &[("a", &list), ("b", &table)], Decl::default()).unwrap();
            let want: i64 = (0..20_000).map(|n| (n % 7 + 1) * (n % 7 + 1)).sum();
            assert_eq!(sum.get(&[]), Some(Scalar::I64(want)));
        }
    }
}

#[test]
fn conversions_of_colliding_coordinates_are_refused() {
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        let session = Session::new(kind).unwrap();
        let to = |n: usize| -> Result<Tensor> {
            let list = vector(&colliding(n), "sv; crd = i64");
            Ok(convert(&session, &list, &Format::parse("hash; crd = i64", 1)?)?.tensor)
        };
        assert_eq!(to(FARTHEST as usize).unwrap().entries(), FARTHEST as usize);
        assert_eq!(to(100_000).unwrap_err().code().0, "E0602");
    }
}

/// Adds a row of such coordinates to another one, in a workspace.
fn gather_row(coords: &[usize], kind: BackendKind) -> Result<Tensor> {
    let row = |n: usize| -> Vec<_> { coords.iter().map(|&c| (vec![n, c], Scalar::I64(1))).collect() };
    let b = Tensor::pack(&[2, SIZE], &[row(0), row(1)].concat(), &Format::parse("csr; crd = i64", 2)?)?;
    let ones = Tensor::pack(
        &[1, 2],
        &[(vec![0, 0], Scalar::I64(1)), (vec![0, 1], Scalar::I64(1))],
        &Format::parse("csr", 2)?,
    )?;
    let mut decls = Decls::default();
    for (name, format) in [("A", "csr"), ("B", "csr; crd = i64"), ("C", "csr; crd = i64")] {
        let format = Some(Format::parse(format, 2)?);
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::I64), format, ..Decl::default() });
    }
    let schedule = Schedule::parse("precompute(A(i,j)*B(j,k), k, w, hash)")?;
    let kernel = Session::new(kind)?.compile_scheduled("C(i,k) = A(i,j) * B(j,k)", &decls, &schedule)?;
    Ok(kernel.run(&[("A", &ones), ("B", &b)])?.tensor)
}

#[test]
fn workspaces_of_regular_coordinates_are_searched_soon() {
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        for shift in [16, 32, 45] {
            let coords: Vec<usize> = (0..20_000).map(|i| i << shift).collect();
            let c = gather_row(&coords, kind).unwrap();
            assert_eq!((c.nnz(), c.get(&[0, coords[777]])), (coords.len(), Some(Scalar::I64(2))));
        }
        assert_eq!(gather_row(&colliding(100_000), kind).unwrap_err().code().0, "E0602");
    }
}
