//! A result's structure first, its values later.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Phases, Result, Scalar, Schedule, Session, Tensor,
    TensorExt,
};
fn matrix(shape: [usize; 2], entries: &[([usize; 2], f64)], format: &str) -> Tensor {
    let entries: Vec<(Vec<usize>, Scalar)> =
        entries.iter().map(|(at, v)| (at.to_vec(), Scalar::F64(*v))).collect();
    Tensor::pack(&shape, &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

fn decls(operands: &[(&str, &Tensor)], result: &str, format: &str) -> Decls {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: None,
            stored: None,
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    let format = Some(Format::parse(format, 2).unwrap());
    decls.tensors.insert(result.into(), Decl { dtype: Some(DType::F64), format, ..Decl::default() });
    decls
}

/// `C = A B` in phases, with a result in the given format.
fn product(a: &Tensor, b: &Tensor, format: &str, kind: BackendKind) -> Result<Phases> {
    Session::new(kind)?.compile_phases("C(i,k) = A(i,j) * B(j,k)", &decls(&[("A", a), ("B", b)], "C", format))
}

const UNORDERED: &str = "(i,j) -> (i,j) : dense, compressed(unordered)";

/// Matrices with `n` rows: many per row, none, one row with all columns, one column with all rows.
fn edges(n: usize) -> Vec<Vec<([usize; 2], f64)>> {
    let scattered = (0..4 * n).map(|k| ([(k * 7) % n, (k * 13 + k / n) % n], 1.0 + k as f64));
    let mut scattered: Vec<([usize; 2], f64)> = scattered.collect();
    scattered.sort_by_key(|(at, _)| *at);
    scattered.dedup_by_key(|(at, _)| *at);
    let row = (0..n).map(|j| ([n / 2, j], 2.0)).collect();
    let column = (0..n).map(|i| ([i, n / 3], 3.0)).collect();
    vec![scattered, Vec::new(), row, column]
}

#[test]
fn phases_agree_with_the_whole_kernel_on_any_number_of_threads() {
    let n = 60;
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        for (left, right) in edges(n).iter().flat_map(|l| edges(n).into_iter().map(move |r| (l.clone(), r))) {
            let (a, b) = (matrix([n, n], &left, "csr"), matrix([n, n], &right, "csr"));
            let operands = [("A", &a), ("B", &b)];
            for format in ["csr", UNORDERED, "dcsr", "coo"] {
                let session = Session::new(kind).unwrap();
                let text = "C(i,k) = A(i,j) * B(j,k)";
                let whole = session.compile(text, &decls(&operands, "C", format)).unwrap();
                let whole = whole.with_threads(1).run(&operands).unwrap().tensor;
                let mut phases = product(&a, &b, format, kind).unwrap();
                for (threads, chunks) in [(1, 1), (2, 5), (3, 7), (8, 64)] {
                    phases = phases.with_threads(threads).with_chunks(chunks);
                    let pattern = phases.pattern(&operands).unwrap();
                    assert_eq!(pattern.tensor().levels(), whole.levels());
                    assert_eq!((pattern.nnz(), pattern.tensor().dtype()), (whole.nnz(), DType::Bool));
                    assert_eq!(phases.compute(&pattern, &operands).unwrap().tensor, whole);
                }
            }
        }
    }
}

/// What takes least in one kernel may be a way whose result is converted.
#[test]
fn a_plan_whose_result_is_converted_gives_way() {
    let all = edges(30).swap_remove(0);
    let (a, b) = (matrix([30, 30], &all, "csr"), matrix([30, 30], &all, "csr"));
    let (text, operands) = ("C(i,k) = A(i,j) * B(j,k)", [("A", &a), ("B", &b)]);
    let decls = decls(&operands, "C", "csr");
    let session = |n| Session::new(BackendKind::Clif).unwrap().comparing_always().with_candidate(n);
    let count = session(0).candidates(text, &decls).unwrap().len();
    let converts = |n: &usize| session(*n).stages(text, &decls).is_ok_and(|s| s.finish().is_some());
    let session = session((1..count).find(converts).expect("some way converts the result"));
    let phases = session.compile_phases(text, &decls).unwrap();
    let pattern = phases.pattern(&operands).unwrap();
    let whole = session.compile(text, &decls).unwrap().run(&operands).unwrap().tensor;
    assert_eq!(phases.compute(&pattern, &operands).unwrap().tensor, whole);
}

#[test]
fn nothing_at_all() {
    for (m, k, n) in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)] {
        let (a, b) = (matrix([m, k], &[], "csr"), matrix([k, n], &[], "csr"));
        let phases = product(&a, &b, "csr", BackendKind::Clif).unwrap();
        let pattern = phases.pattern(&[("A", &a), ("B", &b)]).unwrap();
        let c = phases.compute(&pattern, &[("A", &a), ("B", &b)]).unwrap().tensor;
        assert_eq!((c.shape(), c.nnz()), (&[m, n][..], 0));
    }
}

#[test]
fn values_may_change_and_elements_may_not() {
    let a = matrix([2, 2], &[([0, 0], 1.0), ([1, 1], 2.0)], "csr");
    let b = matrix([2, 2], &[([0, 1], 3.0), ([1, 0], 4.0)], "csr");
    let phases = product(&a, &b, "csr", BackendKind::Clif).unwrap();
    let pattern = phases.pattern(&[("A", &a), ("B", &b)]).unwrap();
    let scaled = matrix([2, 2], &[([0, 0], 10.0), ([1, 1], 20.0)], "csr");
    let c = phases.compute(&pattern, &[("A", &scaled), ("B", &b)]).unwrap().tensor;
    assert_eq!(c.vals().as_slice::<f64>(), Some(&[30.0, 80.0][..]));
    // Index arrays of other widths list the same elements.
    let wide = scaled.to_format(&Format::parse("csr; pos = i32; crd = i64", 2).unwrap()).unwrap();
    assert_ne!(wide.format(), scaled.format());
    let c = phases.compute(&pattern, &[("A", &wide), ("B", &b)]).unwrap().tensor;
    assert_eq!(c.vals().as_slice::<f64>(), Some(&[30.0, 80.0][..]));
    // Zeros are elements like others.
    let zero = matrix([2, 2], &[([0, 0], 0.0), ([1, 1], 0.0)], "csr");
    assert_eq!(phases.compute(&pattern, &[("A", &zero), ("B", &b)]).unwrap().tensor.nnz(), 2);
    let moved = matrix([2, 2], &[([0, 1], 1.0), ([1, 1], 2.0)], "csr");
    let refused = phases.compute(&pattern, &[("A", &moved), ("B", &b)]).unwrap_err();
    assert_eq!(refused.code().0, "E0213", "{refused}");
    let wider = matrix([2, 3], &[([0, 1], 3.0), ([1, 0], 4.0)], "csr");
    let refused = phases.compute(&pattern, &[("A", &a), ("B", &wider)]).unwrap_err();
    assert_eq!(refused.code().0, "E0213", "{refused}");
}

#[test]
fn results_share_the_index_arrays_of_their_pattern() {
    let a = matrix([2, 2], &[([0, 0], 1.0), ([1, 1], 2.0)], "csr");
    let phases = product(&a, &a, "csr", BackendKind::Clif).unwrap();
    let pattern = phases.pattern(&[("A", &a), ("B", &a)]).unwrap();
    let results: Vec<Tensor> =
        (0..2).map(|_| phases.compute(&pattern, &[("A", &a), ("B", &a)]).unwrap().tensor).collect();
    for c in &results {
        assert_eq!(c.level(1).arrays[1].as_ptr(), pattern.tensor().level(1).arrays[1].as_ptr());
    }
    drop(pattern);
    assert_eq!(results[0], results[1]);
}

#[test]
fn structures_that_depend_on_values_are_refused() {
    let a = matrix([4, 4], &[([0, 0], 1.0), ([1, 1], 2.0)], "csr");
    let blocks = matrix([4, 4], &[([0, 0], 1.0), ([1, 1], 2.0)], "bcsr(2,2)");
    let session = Session::new(BackendKind::Clif).unwrap();
    let cases = [
        ("C(i,j) = A(j,i)", &a, "csr", "placed out of order"),
        ("C(i,j) = A(i,j) * 2", &a, "bcsr(2,2)", "converted after the kernel"),
        ("C(i,j) = A(i,j) + 1", &a, "dense", "every element is stored"),
        ("C(i,j) = A(i,j) * 2", &blocks, "csr", "values"),
    ];
    for (text, operand, format, because) in cases {
        let refused = session.compile_phases(text, &decls(&[("A", operand)], "C", format)).err().unwrap();
        assert_eq!(refused.code().0, "E0409", "{text}: {refused}");
        assert!(refused.to_string().contains(because), "{text}: {refused}");
    }
}

#[test]
fn patterns_of_other_statements_are_refused() {
    let a = matrix([3, 3], &[([0, 0], 1.0), ([1, 1], 2.0)], "csr");
    let b = matrix([3, 3], &[([0, 0], 1.0), ([1, 0], 2.0), ([2, 1], 2.0)], "csr");
    let operands = [("A", &a), ("B", &b)];
    let session = Session::new(BackendKind::Interp).unwrap();
    let decls = decls(&operands, "C", "csr");
    let texts = ["C(i,j) = A(i,j) * B(i,j)", "C(i,k) = A(i,j) * B(j,k)", "C(i,j) = A(i,j) + B(i,j)"];
    let phases = texts.map(|text| session.compile_phases(text, &decls).unwrap());
    for (n, made) in phases.iter().enumerate() {
        let pattern = made.pattern(&operands).unwrap();
        for (m, used) in phases.iter().enumerate() {
            match used.compute(&pattern, &operands) {
                Ok(_) => assert_eq!(n, m),
                Err(e) => assert_eq!((n == m, e.code().0), (false, "E0213"), "{e}"),
            }
        }
        // The same statement compiled again is the same.
        let again = session.compile_phases(texts[n], &decls).unwrap();
        assert!(again.compute(&pattern, &operands).is_ok());
        let alone = made.value_kernel().run(&operands).unwrap_err();
        assert_eq!(alone.code().0, "E0213", "{alone}");
    }
}

#[test]
fn patterns_of_other_sizes_are_refused() {
    let a = matrix([2, 2], &[([0, 0], 1.0), ([1, 1], 2.0)], "dcsr");
    let sized = |n: usize| {
        let mut decls = decls(&[("A", &a)], "C", "(i,j) -> (i,j) : compressed, dense");
        decls.dims.insert("k".into(), n);
        Session::new(BackendKind::Interp).unwrap().compile_phases("C(i,k) = A(i,j)", &decls).unwrap()
    };
    let pattern = sized(3).pattern(&[("A", &a)]).unwrap();
    assert!(sized(3).compute(&pattern, &[("A", &a)]).is_ok());
    let refused = sized(4).compute(&pattern, &[("A", &a)]).unwrap_err();
    assert_eq!(refused.code().0, "E0213", "{refused}");
}

#[test]
fn rows_of_several_regions_are_each_read_by_their_own_position() {
    let a = matrix([5, 5], &[([0, 0], 1.0), ([1, 1], 2.0), ([3, 0], 4.0), ([4, 1], 5.0)], "dcsr");
    let d = matrix([5, 5], &[([1, 0], 1.0), ([2, 1], 2.0), ([3, 2], 4.0)], "dcsr");
    let b = matrix([5, 5], &[([0, 0], 1.0), ([1, 0], 2.0), ([2, 1], 2.0)], "csr");
    let texts = [
        "C(i,k) = A(i,j) * B(j,k) + D(i,j) * B(j,k)",
        "C(i,k) = A(i,j) * B(j,k) + D(i,k)",
        "C(i,k) = (A(i,j) + D(i,j)) * B(j,k)",
    ];
    let operands = [("A", &a), ("B", &b), ("D", &d)];
    for (kind, text) in
        [BackendKind::Interp, BackendKind::Clif].into_iter().flat_map(|k| texts.map(|t| (k, t)))
    {
        let session = Session::new(kind).unwrap();
        let decls = decls(&operands, "C", "csr");
        let whole = session.compile(text, &decls).unwrap().run(&operands).unwrap().tensor;
        let mut phases = session.compile_phases(text, &decls).unwrap();
        for chunks in [1, 3] {
            phases = phases.with_chunks(chunks);
            let pattern = phases.pattern(&operands).unwrap();
            assert_eq!(phases.compute(&pattern, &operands).unwrap().tensor, whole, "{text}");
        }
    }
}

#[test]
fn workspaces_of_any_size_are_had_or_refused() {
    // Loops count to one past the last coordinate.
    let n = i64::MAX as usize - 1;
    let wide = |rows, at: [[usize; 2]; 2], columns| {
        matrix([rows, columns], &at.map(|at| (at, 1.0)), "csr; crd = i64")
    };
    let (a, b) = (wide(2, [[0, 1], [1, 0]], 2), wide(2, [[0, 1], [1, n - 1]], n));
    let operands = [("A", &a), ("B", &b)];
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        for (storage, most) in [("bitmap", None), ("list", None), ("hash", Some(2))] {
            let schedule = Schedule::parse(&format!("precompute(A(i,j)*B(j,k), k, w, {storage})")).unwrap();
            let decls = decls(&operands, "C", "csr; crd = i64");
            let session = Session::new(kind).unwrap();
            let text = "C(i,k) = A(i,j) * B(j,k)";
            let phases = session.compile_phases_scheduled(text, &decls, &schedule).unwrap();
            match phases.pattern(&operands) {
                Ok(pattern) => assert_eq!(Some(pattern.nnz()), most),
                Err(e) => assert_eq!((e.code().0, most), ("E0603", None), "{e}"),
            }
        }
    }
}

/// Not every round of the loop over A appends: what is looked up in B may be missing, and the memory for values has no room
/// for more than there are.
#[test]
fn lookups_fill_exactly_the_values_of_the_pattern() {
    let a = matrix([3, 3], &[([0, 0], 1.0), ([0, 1], 2.0), ([1, 1], 3.0), ([2, 0], 4.0)], "csr");
    let b = matrix([3, 3], &[([0, 1], 5.0), ([2, 0], 6.0)], "hash");
    let session = Session::new(BackendKind::Interp).unwrap();
    let decls = decls(&[("A", &a), ("B", &b)], "C", "csr");
    for (threads, chunks) in [(1, 1), (2, 3)] {
        let phases = session.compile_phases("C(i,j) = A(i,j) * B(i,j)", &decls).unwrap();
        let phases = phases.with_threads(threads).with_chunks(chunks);
        let pattern = phases.pattern(&[("A", &a), ("B", &b)]).unwrap();
        let c = phases.compute(&pattern, &[("A", &a), ("B", &b)]).unwrap().tensor;
        assert_eq!(
            (c.nnz(), c.get(&[0, 1]), c.get(&[2, 0])),
            (2, Some(Scalar::F64(10.0)), Some(Scalar::F64(24.0)))
        );
    }
}

#[test]
fn values_that_say_what_is_stored_belong_to_the_pattern() -> openwork::Result<()> {
    let session = Session::new(BackendKind::Interp)?;
    let vector = |format: &str, last: f64| -> openwork::Result<Tensor> {
        let entries = [(vec![0], Scalar::F64(3.0)), (vec![1], Scalar::F64(last))];
        Tensor::pack(&[4], &entries, &Format::parse(format, 1)?)
    };
    // A ragged vector ends behind its last number.
    let (b, m) = (vector("sv", 1.0)?, vector("ragged", 1.0)?);
    let mut shorter = m.clone();
    shorter.vals_mut().set(1, Scalar::F64(0.0));
    let given = [("B", &b), ("M", &m)];
    let text = "y(i) = B(i) * max(B(i), 1) where structure(M(i))";
    let phases = session.compile_phases(text, &openwork::declare_operands(&given))?;
    let pattern = phases.pattern(&given)?;
    assert_eq!(phases.compute(&pattern, &given)?.tensor.nnz(), pattern.nnz());
    let refused = phases.compute(&pattern, &[("B", &b), ("M", &shorter)]);
    assert_eq!(refused.map(|o| o.tensor.nnz()).unwrap_err().code().0, "E0213");
    Ok(())
}
