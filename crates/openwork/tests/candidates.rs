//! Whatever the planner compares computes the same.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Scalar, Session, Tensor, TensorExt};
use std::collections::BTreeMap;

const N: usize = 70;

fn matrix(format: &str, seed: usize) -> Tensor {
    let place = |e: usize| vec![(e * 13 + seed) % N, (e * e * 7 + 3 * e + seed) % N];
    let mut entries: Vec<_> = (0..600).map(|e| (place(e), Scalar::F64((e % 17) as f64 - 5.0))).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|a, b| a.0 == b.0);
    Tensor::pack(&[N, N], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

/// The values of a result, wherever they are stored.
fn values(t: &Tensor) -> Vec<f64> {
    let dense = t.to_format(&Format::parse("dense", t.rank()).unwrap()).unwrap();
    dense.vals().as_slice::<f64>().unwrap().to_vec()
}

#[test]
fn every_candidate_computes_what_is_chosen() {
    let mut compared = 0;
    for (statement, result) in [
        ("C(i,k) = M(i,k) * A(i,j) * B(j,k)", "csr"),
        ("C(i,k) = M(i,k) * A(i,j) * B(k,j)", "coo"),
        ("C(i,j) = A(i,j) + A(j,i) + B(i,j)", "csr"),
        ("C(i,k) = A(i,j) * B(j,k) + M(i,k)", "csc"),
        ("C(i,l) = A(i,j) * B(j,k) * M(k,l)", "csr"),
        ("t = A(i,k) * A(i,j) * A(j,k)", "dense"),
    ] {
        for (a, b, m) in [("csr", "csr", "csr"), ("csc", "csr", "coo"), ("dcsr", "csc", "csr")] {
            let operands = [("A", matrix(a, 1)), ("B", matrix(b, 2)), ("M", matrix(m, 3))];
            let mut used = operands.iter().map(|(n, t)| (*n, t)).collect::<Vec<_>>();
            used.retain(|(name, _)| statement.contains(&format!("{name}(")));
            let mut decls = Decls::default();
            for (name, t) in &used {
                let (dtype, format) = (Some(t.dtype()), Some(t.format().clone()));
                let (shape, stored) = (Some(t.shape().to_vec()), Some(t.slots()));
                decls.tensors.insert((*name).into(), Decl { dtype, format, shape, stored, elements: None });
            }
            let rank = usize::from(result != "dense") * 2;
            let format = Some(Format::parse(result, rank).unwrap());
            let name = if rank == 0 { "t" } else { "C" };
            decls.tensors.insert(name.into(), Decl { format, ..Decl::default() });
            compared += compare(statement, &decls, &used);
        }
    }
    assert!(compared > 60, "{compared} candidates");
}

/// Runs every candidate of a statement; how many there are besides the planner's choice.
fn compare(statement: &str, decls: &Decls, operands: &[(&str, &Tensor)]) -> usize {
    let session = |n| Session::new(BackendKind::Clif).unwrap().comparing_always().with_candidate(n);
    let candidates = session(0).candidates(statement, decls).unwrap();
    let run = |n| session(n).compile(statement, decls).and_then(|kernel| kernel.run(operands));
    let wanted = values(&run(0).unwrap().tensor);
    for (n, candidate) in candidates.iter().enumerate().skip(1) {
        match run(n) {
            Ok(found) => {
                let found = values(&found.tensor);
                let same = wanted.iter().zip(&found).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()));
                assert!(same && found.len() == wanted.len(), "{statement}: {}", candidate.describe);
            }
            Err(refusal) => {
                assert!(candidate.describe.contains("refused as") || refusal.conflict().is_some())
            }
        }
    }
    let none = run(candidates.len()).unwrap_err();
    assert_eq!(none.code().0, "E0808");
    candidates.len() - 1
}

/// What a result stores does not depend on how its work is divided: `pieces` compute a temporary before the result.
#[test]
fn results_in_pieces_store_what_one_kernel_stores() {
    let at = |n: usize| vec![n % 6, n * n % 8];
    let pack = |format: &str, keep: &dyn Fn(usize) -> bool| {
        let entries: BTreeMap<_, _> = (0..20).map(|n| (at(n), Scalar::Bool(keep(n)))).collect();
        let entries: Vec<_> = entries.into_iter().collect();
        Tensor::pack(&[6, 8], &entries, &Format::parse(format, 2).unwrap()).unwrap()
    };
    let (g, k) = (pack("csr", &|n| n % 5 != 0), pack("csc", &|n| n % 3 == 0));
    let mut decls = Decls::default();
    for (name, t) in [("G", Some(&g)), ("K", Some(&k)), ("F", None)] {
        let format = Some(t.unwrap_or(&g).format().clone());
        let decl = Decl { dtype: Some(DType::Bool), format, ..Decl::default() };
        let shape = t.map(|t| t.shape().to_vec());
        decls.tensors.insert(name.into(), Decl { shape, stored: t.map(Tensor::slots), ..decl });
    }
    for statement in ["F(i,j) = G(i,j) & any(k, K(k,j))", "F(i,j) = G(i,j) & !any(k, K(k,j))"] {
        let session = || Session::new(BackendKind::Clif).unwrap();
        let one = session().compile(statement, &decls).unwrap().run(&[("G", &g), ("K", &k)]).unwrap();
        let divided = session().comparing_always().compile(statement, &decls).unwrap();
        assert!(divided.stages().variants().iter().any(|v| v.name() == "pieces"), "{statement}");
        let pieces = divided.run(&[("G", &g), ("K", &k)]).unwrap();
        assert_eq!((pieces.ran.name, pieces.tensor.slots()), ("pieces", one.tensor.slots()), "{statement}");
    }
}
