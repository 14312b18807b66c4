//! Intersections of lists of very different lengths.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, Scalar, Schedule, Session, Tensor, TensorExt, presets,
};

fn list(n: usize, at: &[usize]) -> Tensor {
    let entries: Vec<(Vec<usize>, Scalar)> =
        at.iter().map(|&i| (vec![i], Scalar::F64(1.0 + i as f64))).collect();
    Tensor::pack(&[n], &entries, &presets::sparse_vector()).unwrap()
}

/// Every `step`-th coordinate from `first` on.
fn every_nth(n: usize, first: usize, step: usize) -> Vec<usize> {
    (first..n).step_by(step).collect()
}

/// Lists of every kind that a search may stumble over: empty, alone, at the ends, dense, sparse.
fn lists(n: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(), vec![0], vec![n - 1], vec![n / 2], vec![0, n - 1]];
    out.extend([1, 2, 3, 7, 64, 100].map(|step| every_nth(n, step / 2, step)));
    out.push((0..n).filter(|i| i % 97 < 5).collect());
    out
}

fn decls(names: &[&str], result: Format) -> Decls {
    let mut decls = Decls::default();
    let sparse = |format| Decl { dtype: Some(DType::F64), format: Some(format), ..Decl::default() };
    for name in names {
        decls.tensors.insert((*name).into(), sparse(presets::sparse_vector()));
    }
    decls.tensors.insert("y".into(), sparse(result));
    decls
}

#[test]
fn whoever_is_behind_finds_the_others() {
    let n = 700;
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        let session = Session::new(kind).unwrap();
        let schedule = Schedule::parse("gallop(i)").unwrap();
        let compile = |text: &str, names: &[&str]| {
            session.compile_scheduled(text, &decls(names, presets::sparse_vector()), &schedule).unwrap()
        };
        let two = compile("y(i) = a(i) * b(i)", &["a", "b"]);
        let three = compile("y(i) = a(i) * b(i) * c(i)", &["a", "b", "c"]);
        assert!(two.stages().cin().contains("[gallop]"));
        for a in lists(n) {
            for b in lists(n) {
                let (ta, tb) = (list(n, &a), list(n, &b));
                let both: Vec<usize> = a.iter().copied().filter(|i| b.contains(i)).collect();
                let y = two.run(&[("a", &ta), ("b", &tb)]).unwrap().tensor;
                let wanted: Vec<f64> = both.iter().map(|&i| (1.0 + i as f64).powi(2)).collect();
                assert_eq!(y.vals().as_slice::<f64>(), Some(&wanted[..]), "{a:?} {b:?}");
                let c = every_nth(n, 1, 3);
                let y = three.run(&[("a", &ta), ("b", &tb), ("c", &list(n, &c))]).unwrap().tensor;
                let all = both.iter().filter(|i| c.contains(i)).count();
                assert_eq!(y.nnz(), all, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn the_planner_gallops_where_it_knows_that_lengths_differ() {
    let n = 100_000;
    let (short, long) = (list(n, &every_nth(n, 5, 1000)), list(n, &every_nth(n, 0, 2)));
    let text = "y = a(i) * b(i)";
    let stages = |stored: [Option<usize>; 2]| {
        let mut decls = decls(&["a", "b"], presets::dense(0));
        for (name, stored) in ["a", "b"].into_iter().zip(stored) {
            let decl = decls.tensors.get_mut(name).unwrap();
            (decl.stored, decl.shape) = (stored, Some(vec![n]));
        }
        Session::global().stages(text, &decls).unwrap()
    };
    let known = stages([Some(short.nnz()), Some(long.nnz())]);
    assert!(known.cin().contains("[gallop]"), "{}", known.cin());
    assert!(known.explain().to_string().contains("about 500 times as long"), "{}", known.explain());
    assert!(!stages([None, Some(long.nnz())]).cin().contains("gallop"));
    assert!(!stages([Some(long.nnz()), Some(long.nnz())]).cin().contains("gallop"));
    let got = openwork::einsum(text, &[("a", &short), ("b", &long)]).unwrap();
    // The short list has odd coordinates, the long one even ones.
    assert_eq!(got.get(&[]).unwrap(), Scalar::F64(0.0));
    let long = list(n, &every_nth(n, 1, 2));
    let got = openwork::einsum(text, &[("a", &short), ("b", &long)]).unwrap();
    let wanted: f64 = every_nth(n, 5, 1000).into_iter().map(|i| (1.0 + i as f64).powi(2)).sum();
    assert_eq!(got.get(&[]).unwrap(), Scalar::F64(wanted));
}
