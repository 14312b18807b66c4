//! The analyses and rewrites that know no graph, each by itself: what is left of a statement, annihilators, how temporaries
//! are kept, what a program costs, what it has regions of.

mod common;

use common::{Tensor, program};
use openwork_index::cin::Storage;
use openwork_index::{CinStmt, IndexExpr, Program};
use openwork_levels::Registry;
use openwork_lower::annihilate::decide_annihilators;
use openwork_lower::cost::estimate;
use openwork_lower::derive::derive;
use openwork_lower::graph::Graph;
use openwork_lower::rewrite::remove_missing;
use openwork_lower::space::Space;
use openwork_lower::{Decide, Phase, lower, lower_phase};

/// A program's innermost assignment, as text.
fn innermost(p: &Program, s: &CinStmt) -> String {
    let names = openwork_index::cin::CinNames { tensors: &p.tensors, indices: &p.indices };
    match s {
        CinStmt::Forall { body, .. } => innermost(p, body),
        s => names.stmt(s),
    }
}

#[test]
fn what_is_left_of_a_statement() {
    let tensors = [("a", "sv", 1, None), ("b", "sv", 1, None), ("c", "sv", 1, None), ("y", "dense", 1, None)];
    let left = |statement: &str, gone: &[&str]| {
        let p = program(statement, &tensors);
        let missing = |a: &openwork_index::Access| gone.contains(&&*p.tensors[a.tensor].name);
        let rest = remove_missing(&p.body, &missing, &p.tensors);
        if rest == CinStmt::Nop { "nothing".into() } else { innermost(&p, &rest) }
    };
    assert_eq!(left("y(i) = a(i) + b(i)", &["a"]), "y(i) = b(i)");
    assert_eq!(left("y(i) = a(i) * b(i)", &["a"]), "nothing");
    assert_eq!(left("y(i) = a(i) * (b(i) + c(i))", &["b"]), "y(i) = a(i) * c(i)");
    assert_eq!(left("y(i) = a(i) * (b(i) + c(i))", &["b", "c"]), "nothing");
    assert_eq!(left("y(i) = max(a(i), b(i))", &["b"]), "y(i) = max(a(i), 0.0)");
    // A sum to which nothing is added keeps what it has; a plain value has to be written.
    assert_eq!(left("y(i) += a(i)", &["a"]), "y(i) = y_old(i)");
}

#[test]
fn sets_of_coordinates() {
    let space = |statement: &str, format: &str| {
        let tensors = [("a", format, 1, None), ("b", "sv", 1, None), ("y", "dense", 1, None)];
        let p = program(statement, &tensors);
        let CinStmt::Forall { index, body } = &p.body else { panic!("it is a loop") };
        derive(body, *index, &p.tensors)
    };
    assert!(matches!(space("y(i) = a(i) * b(i)", "sv"), Space::And(..)));
    assert!(matches!(space("y(i) = a(i) + b(i)", "sv"), Space::Or(..)));
    // A dense factor is found wherever the other one is.
    assert!(matches!(space("y(i) = a(i) * b(i)", "dense"), Space::Leaf(_)));
    assert_eq!(space("y(i) = a(i) + 1", "dense"), Space::Universe);
}

#[test]
fn annihilators_decide_where_nan_would_not_show() {
    let tensors = [("A", "csr", 2, None), ("x", "dense", 1, None), ("y", "dense", 1, None)];
    let p = program("y(i) = A(i,j) * x(j)", &tensors);
    let prims = |p: &Program| {
        let mut all = Vec::new();
        for (.., rhs) in p.body.assignments() {
            rhs.visit(&mut |e| {
                if let IndexExpr::Call { op, .. } = e {
                    all.push(op.name.to_string());
                }
            });
        }
        all
    };
    let (hidden, may_hide_annihilator) = decide_annihilators(&p, Decide::Hidden);
    // NaN in a sum is seen in the result, so that nothing has to be decided before.
    assert_eq!((prims(&hidden), may_hide_annihilator), (prims(&p), true));
    let (everywhere, may_hide_annihilator) = decide_annihilators(&p, Decide::Everywhere);
    assert!(prims(&everywhere) != prims(&p) && !may_hide_annihilator, "{:?}", prims(&everywhere));
}

#[test]
fn temporaries_are_kept_by_their_sizes_and_readers() {
    let kept = |result: &str, size: usize| {
        let tensors = [("A", "csr", 2, Some(10)), ("B", "csr", 2, Some(10)), ("C", result, 2, None)];
        let p = common::program_of_size("C(i,k) = A(i,j) * B(j,k)", &tensors, size);
        let graph = Graph::build(&p, &Registry::default()).expect("it has a graph");
        graph.storage.values().copied().collect::<Vec<_>>()
    };
    assert_eq!(kept("csr", 1000), [Storage::Bitmap]);
    assert_eq!(kept("csr", 1 << 30), [Storage::Hash]);
    // Where the order of elements does not matter they are only listed.
    assert_eq!(kept("(i,j) -> (i,j) : dense, compressed(unordered)", 1000), [Storage::List]);
    assert_eq!(kept("dense", 1000), [Storage::Bitmap; 0]);
}

#[test]
fn estimates_follow_what_is_stored_and_what_runs_cover() {
    let work = |statement: &str, tensors: &[Tensor]| estimate(&program(statement, tensors)).work;
    let spmv = |stored| {
        let tensors = [("A", "csr", 2, Some(stored)), ("x", "dense", 1, None), ("y", "dense", 1, None)];
        work("y(i) = A(i,j) * x(j)", &tensors)
    };
    assert!((5.0..15.0).contains(&(spmv(1_000_000) / spmv(100_000))));
    let dot = |format: &str, stored| {
        work(
            "s = a(i) * b(i)",
            &[("a", format, 1, Some(stored)), ("b", "dense", 1, None), ("s", "dense", 0, None)],
        )
    };
    // Three runs cover more than three elements do and less than all; hundreds of runs cover about all.
    assert!(dot("sv", 3) * 5.0 < dot("rle", 3) && dot("rle", 3) < dot("dense", 1000));
    // … one by one, where those of a dense vector are taken in vectors.
    assert!((2.5..10.0).contains(&(dot("rle", 500) / dot("dense", 1000))));
}

#[test]
fn a_phase_writes_the_structure_or_the_values() {
    let tensors = [("A", "csr", 2, None), ("B", "csr", 2, None), ("C", "csr", 2, None)];
    let p = program("C(i,j) = A(i,j) + B(i,j)", &tensors);
    let stores = |phase| {
        let lowered = lower_phase(&p, &Registry::default(), phase, Decide::Hidden).expect("it is lowered");
        let text = openwork_loops::text::print(&lowered.kernel);
        (text.contains("C2_crd["), text.contains("C_vals[pC2] ="))
    };
    assert_eq!(stores(Phase::Fused), (true, true));
    assert_eq!(stores(Phase::Assemble), (true, false));
    assert_eq!(stores(Phase::Compute), (false, true));
    assert!(lower(&p, &Registry::default()).is_ok_and(|l| !l.may_hide_annihilator));
}
