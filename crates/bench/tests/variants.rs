//! Every variant of the plans of the benchmarks' statements, and of copies, runs: the names agree wherever they are told, and so
//! do the results, to the bit but for variants that run for what operands are.

mod workload;

use openwork::{BackendKind, Kernel, Ran, Session, Tensor};
use workload::Workload;

/// Copies, each between two formats.
const COPIES: &[(&str, &str, &str)] = &[
    ("B(i,j) = A(i,j)", "csr", "csc"),
    ("B(i,j) = A(i,j)", "csr", "coo"),
    ("B(i,j) = A(i,j)", "coo", "csr"),
    ("B(i,j) = A(i,j)", "csr", "bcsr(2,2)"),
    ("B(i,j) = A(i,j)", "csr", "dcsr"),
    ("B(i,j) = A(i,j)", "dense", "bitmap"),
    ("B(j,i) = A(i,j)", "dense", "dense"),
    ("B(i,j) = 2 * A(i,j)", "csr", "csr"),
    ("B(i,j) = A(i,j) * x(j)", "csr", "csr"),
    ("B(i,j) = A(i,j) / x(i)", "csr", "csr"),
    ("y(i) = A(i,j) * (A(k,j) * x(k))", "csr", "csr"),
];

fn bits(t: &Tensor) -> Vec<Vec<u8>> {
    t.levels().iter().flat_map(|l| &l.arrays).chain([t.vals()]).map(|b| b.as_bytes().to_vec()).collect()
}

/// Runs every variant of a plan, in one call and in parts, and returns how many there are.
fn check(label: &str, make: &dyn Fn() -> Kernel, given: &[(&str, &Tensor)]) -> usize {
    let first = make();
    let explained = first.stages().explain().variants;
    let wanted = bits(&first.run(given).unwrap_or_else(|e| panic!("{label}: {e}")).tensor);
    for number in 1..=explained.len() {
        for chunks in [None, Some(3)] {
            let mut kernel = make().with_variant(number).expect("it is listed").with_threads(2);
            if let Some(chunks) = chunks {
                kernel = kernel.with_chunks(chunks);
            }
            for _ in 0..2 {
                let done = kernel.run(given).unwrap_or_else(|e| panic!("{label}, {number}: {e}"));
                let Ran { variant, name, .. } = done.ran;
                assert!(variant >= number, "{label}: {variant} in place of {number}");
                assert_eq!(explained[variant - 1].name, name, "{label}");
                assert_eq!(first.stages().variants()[variant - 1].name(), name, "{label}");
                let free = ["strict", "deciding"].contains(&name);
                assert!(
                    free || bits(&done.tensor) == wanted,
                    "{label}: {number} {name} in {chunks:?} chunks"
                );
                kernel.recycle(done.tensor);
            }
        }
    }
    explained.len()
}

#[test]
fn every_variant_of_every_statement_runs() {
    let (mut statements, mut variants) = (0, 0);
    for kind in [BackendKind::Clif, BackendKind::Interp] {
        for (label, statement, formats) in workload::list_all() {
            let Workload { decls, tensors } = Workload::small(statement, formats).unwrap();
            let given: Vec<(&str, &Tensor)> = tensors.iter().map(|(n, t)| (n.as_str(), t)).collect();
            let session = Session::new(kind).unwrap().comparing_always();
            let make = || session.compile(statement, &decls).unwrap_or_else(|e| panic!("{label}: {e}"));
            variants += check(&label, &make, &given);
            statements += 1;
        }
        for (statement, from, to) in COPIES {
            let formats = [("A", *from), ("B", *to)];
            let Workload { decls, tensors } = Workload::small(statement, &formats).unwrap();
            let given: Vec<(&str, &Tensor)> = tensors.iter().map(|(n, t)| (n.as_str(), t)).collect();
            let session = Session::new(kind).unwrap().comparing_always();
            let make = || session.compile(statement, &decls).unwrap();
            variants += check(statement, &make, &given);
            statements += 1;
        }
    }
    assert!(statements >= 80 && variants > statements, "{statements} statements, {variants} variants");
}
