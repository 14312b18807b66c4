//! Comparisons of index variables cost what remains: rounds and loads are counted on the interpreter.

use openwork::{
    BackendKind, Buffer, DType, Decl, Decls, Format, FormatExt, Session, Tensor, TensorExt, declare_operands,
};
use openwork_backend::InterpBackend;
use openwork_loops::interp::Counts;
use std::sync::{Arc, Mutex, PoisonError};

/// What a statement counts on the interpreter, on one thread, and its result.
pub(crate) fn count(
    statement: &str,
    given: &[(&str, &Tensor)],
    result: &str,
    rank: usize,
) -> (Counts, Tensor) {
    let counts = Arc::new(Mutex::new(Counts::default()));
    let backend = Arc::new(InterpBackend::new().with_counts(counts.clone()));
    let session = Session::with_backend(BackendKind::Interp, backend).with_threads(1);
    let mut decls = declare_operands(given);
    decls.tensors.entry("R".into()).or_default().format = Some(Format::parse(result, rank).unwrap());
    let kernel = session.compile(statement, &decls).unwrap();
    let made = kernel.run(given).unwrap().tensor;
    let counts = *counts.lock().unwrap_or_else(PoisonError::into_inner);
    (counts, made)
}

/// A csr matrix whose rows have every other column.
pub(crate) fn matrix(rows: usize, per_row: usize) -> Tensor {
    let crd: Vec<i32> = (0..rows).flat_map(|_| (0..per_row).map(|k| 2 * k as i32)).collect();
    let pos: Vec<i64> = (0..=rows).map(|i| (i * per_row) as i64).collect();
    let vals: Vec<f64> = (0..rows * per_row).map(|p| p as f64 + 1.0).collect();
    Tensor::from_csr(pos, crd, vals, [rows, 2 * per_row]).unwrap()
}

#[test]
fn a_row_by_equality_reads_that_row() {
    let a = matrix(1000, 20);
    let s = Tensor::dense(&[], Buffer::from(vec![777i64])).unwrap();
    for (format, statement) in [("dense", "R(j) = A(i,j) * (i == s)"), ("sv", "R(j) = A(i,j) * (i == s)")] {
        let (counts, made) = count(statement, &[("A", &a), ("s", &s)], format, 1);
        assert!(counts.rounds < 150, "{format}: {} rounds", counts.rounds);
        assert_eq!(made.get(&[4]).unwrap().as_f64(), (777 * 20 + 3) as f64);
    }
    let x = Tensor::from_vec(&[100_000], vec![2.0; 100_000]).unwrap();
    let (counts, made) = count("R(j) = x(j) * (j == 5)", &[("x", &x)], "sv", 1);
    assert!(counts.rounds < 10, "{} rounds", counts.rounds);
    assert_eq!(made.vals().len(), 1);
}

#[test]
fn an_interval_in_a_long_row_is_found() {
    let a = matrix(1, 100_000);
    for (statement, stored) in [
        ("R(i,j) = A(i,j) * (j >= 60000) * (j < 60020)", 10),
        ("R(i,j) = A(i,j) * (j == 60000)", 1),
        ("R(i,j) = A(i,j) * (j == 60001)", 0),
        ("R(i,j) = A(i,j) * (j > 199990)", 4),
        ("R(i,j) = A(i,j) * (j > 300000)", 0),
        ("R(i,j) = A(i,j) * (j < -1)", 0),
    ] {
        let (counts, made) = count(statement, &[("A", &a)], "csr", 2);
        assert!(counts.rounds < 150, "{statement}: {} rounds", counts.rounds);
        assert_eq!(made.vals().len(), stored, "{statement}");
    }
}

#[test]
fn what_remains_of_a_triangle_is_stored() {
    let a = matrix(100, 50);
    let (counts, made) = count("R(i,j) = A(i,j) * (j < i)", &[("A", &a)], "csr", 2);
    // Row i has the columns 0, 2, … below i.
    let remain: usize = (0..100usize).map(|i| i.div_ceil(2)).sum();
    assert_eq!(made.vals().len(), remain);
    assert!(counts.rounds < 2 * remain as u64 + 100 * 20, "{} rounds", counts.rounds);
}

/// What `explain` says of the indices of a statement.
fn indices(statement: &str, operands: &[(&str, &str, &[usize], DType)]) -> Vec<String> {
    let mut decls = Decls::default();
    for &(name, format, shape, dtype) in operands {
        let format = Some(Format::parse(format, shape.len()).unwrap());
        let (dtype, shape) = (Some(dtype), Some(shape.to_vec()));
        decls.tensors.insert(name.into(), Decl { dtype, format, shape, ..Decl::default() });
    }
    Session::global().stages(statement, &decls).unwrap().explain().indices
}

#[test]
fn each_computed_index_is_explained() {
    use DType::{F64, I64};
    let list = ("x", "sv", &[100_000][..], F64);
    let slots = ("x", "dense", &[1000][..], F64);
    let p = ("p", "dense", &[500][..], I64);
    let w = ("w", "dense", &[5][..], F64);
    for (statement, x, wanted) in [
        ("y(i) = x(i+1)", slots, "x(i(1:)): a window"),
        ("y(i) = x(i+d) * w(d)", slots, "c = i + d: located"),
        ("y(i) = x(i+d) * w(d)", list, "i = c - d: inverted, one round for each value that is walked"),
        ("y(i) = choose(d, x(i+d) * w(d))", ("x", "sv", &[10][..], F64), "c = i + d: searched for in x"),
        ("y(i) = x(p(i))", slots, "c = p(i): gathered"),
        ("y(i) = x(p(i))", list, "c = p(i): gathered, by a search in x"),
        ("x(p(i)) += p(i)", slots, "c = p(i): scattered, one round for each value that goes to x"),
    ] {
        let said = indices(statement, &[x, p, w]);
        assert!(said.iter().any(|line| line == wanted), "{statement}: {said:?}");
    }
    assert!(indices("y(i) = x(i)", &[slots]).is_empty());
}
