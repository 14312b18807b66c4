//! Rows padded to one length, of which some vectors of slots are full, some empty and some both: every way through them
//! computes what csr does, and what is read for an empty slot is never seen.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Scalar, Session, Tensor};
use openwork_storage::{Coo, pack};

/// Rows of equal length, then empty ones, then any.
fn matrix(rows: usize, dtype: DType, format: &str) -> Tensor {
    let length = |i: usize| match i {
        0..16 => 5,
        16..32 => 0,
        i => i * 7 % 11,
    };
    let value = |i: usize, s: usize| Scalar::F64(((i * 3 + s) % 7) as f64 - 3.0).cast(dtype);
    let row = |i: usize| (0..length(i)).map(move |s| (vec![i, 1 + (i * 5 + s) % 19], value(i, s)));
    let mut entries: Vec<_> =
        (0..rows).flat_map(row).filter(|(_, v)| !v.is_same(Scalar::zero(dtype))).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let coo = Coo::from_entries(&[rows, 20], dtype, &entries).unwrap();
    pack(&coo, &Format::parse(format, 2).unwrap(), Scalar::zero(dtype)).unwrap()
}

/// Nothing is stored in the first column, at which empty slots read.
fn vector(dtype: DType) -> Tensor {
    let first = if dtype == DType::I32 { 1e6 } else { f64::INFINITY };
    let value = |j: usize| Scalar::F64(if j == 0 { first } else { (j % 5) as f64 }).cast(dtype);
    let entries: Vec<_> = (0..20).map(|j| (vec![j], value(j))).collect();
    let coo = Coo::from_entries(&[20], dtype, &entries).unwrap();
    pack(&coo, &Format::parse("dense", 1).unwrap(), Scalar::zero(dtype)).unwrap()
}

#[test]
fn empty_slots_add_nothing_however_they_lie() {
    for dtype in [DType::F64, DType::F32, DType::I32] {
        for rows in [1, 7, 8, 16, 40, 97, 300] {
            let x = vector(dtype);
            let product = |format: &str, threads: usize| {
                let a = matrix(rows, dtype, format);
                let mut decls = Decls::default();
                for (name, t) in [("A", &a), ("x", &x)] {
                    let format = Some(t.format().clone());
                    decls
                        .tensors
                        .insert(name.into(), Decl { dtype: Some(t.dtype()), format, ..Decl::default() });
                }
                let session = Session::new(BackendKind::Clif).unwrap();
                let kernel = session.compile("y(i) = A(i,j) * x(j)", &decls).unwrap().with_threads(threads);
                kernel.run(&[("A", &a), ("x", &x)]).unwrap().tensor
            };
            let expected = product("csr", 1);
            for format in ["ell", "sell(8)", "sell(4)", "sell(16)"] {
                for widths in ["", "; crd = i64", "; crd = u16", "; pos = i32 ; crd = u32"] {
                    let y = product(&format!("{format} {widths}"), 2);
                    assert_eq!(y, expected, "{format} {widths} of {dtype}, {rows} rows");
                }
            }
        }
    }
}
