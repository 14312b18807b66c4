//! Statements that differ in literals which decide nothing but values are one kernel.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor, TensorExt,
};

const ENTRIES: [(usize, usize, f64); 6] =
    [(0, 1, 0.25), (0, 3, -2.0), (1, 0, 0.75), (2, 2, 1.0), (2, 3, 10.0), (3, 1, -0.5)];

fn matrix(dtype: DType, format: &str) -> Tensor {
    let entries = ENTRIES.map(|(i, j, x)| (vec![i, j], Scalar::from_f64(x * 4.0, DType::F64).cast(dtype)));
    Tensor::pack(&[4, 4], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}
fn entry(i: usize, j: usize) -> f64 {
    ENTRIES.iter().find(|e| (e.0, e.1) == (i, j)).map_or(0.0, |e| e.2 * 4.0)
}
fn sessions() -> Vec<Session> {
    BackendKind::ALL.into_iter().filter_map(|kind| Session::new(kind).ok()).collect()
}
fn decls(a: &Tensor, result: Option<&str>) -> Decls {
    let mut decls = Decls::default();
    let format = |f: &str| Some(Format::parse(f, 2).unwrap());
    let decl = Decl { dtype: Some(a.dtype()), format: Some(a.format().clone()), ..Decl::default() };
    decls.tensors.insert("A".into(), decl);
    decls.tensors.insert("C".into(), Decl { format: result.and_then(format), ..Decl::default() });
    decls
}
/// Runs a kernel on one matrix and compares with `want` at every coordinate.
#[track_caller]
fn check(kernel: &Kernel, a: &Tensor, want: impl Fn(f64) -> f64) {
    let c = kernel.run(&[("A", a)]).unwrap().tensor;
    let values = c.to_dense_scalars().unwrap();
    for (n, got) in values.iter().enumerate() {
        assert_eq!(got.as_f64(), want(entry(n / 4, n % 4)), "{}", kernel.stages().loops_text());
    }
}
fn truth(x: bool) -> f64 {
    f64::from(u8::from(x))
}

#[test]
fn a_hundred_thresholds_compile_one_kernel() {
    let a = matrix(DType::F64, "csr");
    for session in sessions() {
        for n in 1..=100 {
            let c = f64::from(n) / 3.0 + 1.0;
            let kernel = session.compile(&format!("C(i,j) = A(i,j) > {c}"), &decls(&a, None)).unwrap();
            check(&kernel, &a, |x| truth(x > c));
        }
        assert_eq!(session.cache().len(), 1, "{}", session.kind().name());
    }
}

#[test]
fn literals_that_decide_more_have_kernels_of_their_own() {
    let a = matrix(DType::F64, "csr");
    for session in sessions() {
        let mut kernels = Vec::new();
        // The fill of the result follows from the literal, 0 and 1 are identities.
        for c in [2.5, 0.0, 1.0, -1.0, -2.5, 7.5, -7.5, 12345.5] {
            let kernel = session.compile(&format!("C(i,j) = A(i,j) > {c}"), &decls(&a, None)).unwrap();
            check(&kernel, &a, |x| truth(x > c));
            kernels.push(session.cache().len());
        }
        assert_eq!(kernels, [1, 2, 3, 4, 5, 5, 5, 5], "{}", session.kind().name());
        for (c, want) in [(2.5, 6), (1.0, 7), (0.3, 7)] {
            let kernel = session.compile(&format!("C(i,j) = A(i,j) * {c}"), &decls(&a, Some("csr"))).unwrap();
            check(&kernel, &a, |x| x * c);
            assert_eq!(session.cache().len(), want, "{c}");
        }
    }
}

#[test]
fn literals_of_every_dtype() {
    for session in sessions() {
        for dtype in [DType::F32, DType::F64, DType::I8, DType::I32, DType::I64, DType::C64, DType::C128] {
            let a = matrix(dtype, "dcsr");
            let before = session.cache().len();
            for c in [3, 5, 6] {
                let text = format!("C(i,j) = (A(i,j) + {c}) * (A(i,j) != 0)");
                let kernel = session.compile(&text, &decls(&a, Some("csr"))).unwrap();
                let c = f64::from(c);
                check(&kernel, &a, |x| if x == 0.0 { 0.0 } else { x + c });
            }
            assert_eq!(session.cache().len(), before + 1, "{dtype}");
        }
    }
}

/// Elements that are placed out of order, by several calls of kernels of their own: those that are not the fill.
#[test]
fn passes_read_literals_too() {
    for session in sessions() {
        let mut kernels = Vec::new();
        for fill in [2.5, 0.3, 17.0] {
            let a = matrix(DType::F64, &format!("bcsr(2,2); fill = {fill}"));
            let compile = || {
                let csc = format!("csc; fill = {fill}");
                session.compile("C(i,j) = A(i,j)", &decls(&a, Some(&csc))).unwrap()
            };
            let reads = |passes: &openwork_lower::Passes| {
                [&passes.count, &passes.place, &passes.deal].map(|p| p.kernel.bufs.len() - p.bindings.len())
            };
            assert_eq!(compile().stages().lowered.passes.as_ref().map(reads), Some([1; 3]));
            let want = |x: f64| if x == 0.0 { fill } else { x };
            check(&compile(), &a, want);
            check(&compile().with_chunks(3), &a, want);
            check(&compile().with_groups(2), &a, want);
            assert_eq!(compile().run(&[("A", &a)]).unwrap().tensor.nnz(), 6);
            kernels.push(session.cache().len());
        }
        assert_eq!(kernels[0], kernels[2], "{}", session.kind().name());
    }
}

#[test]
fn phases_and_chunks_read_literals_too() {
    let a = matrix(DType::F64, "csr");
    for session in sessions() {
        let mut kernels = Vec::new();
        for c in [2.5, 0.3, 17.0] {
            let text = format!("C(i,j) = {c} * A(i,j)");
            let phases = session.compile_phases(&text, &decls(&a, Some("csr"))).unwrap();
            for phases in
                [phases, session.compile_phases(&text, &decls(&a, Some("csr"))).unwrap().with_chunks(3)]
            {
                let pattern = phases.pattern(&[("A", &a)]).unwrap();
                let made = phases.compute(&pattern, &[("A", &a)]).unwrap().tensor;
                let values = made.to_dense_scalars().unwrap();
                assert!(values.iter().enumerate().all(|(n, v)| v.as_f64() == c * entry(n / 4, n % 4)));
            }
            for result in ["csr", "dd"] {
                let kernel = session.compile(&text, &decls(&a, Some(result))).unwrap();
                check(&kernel.with_chunks(3), &a, |x| c * x);
            }
            kernels.push(session.cache().len());
        }
        assert_eq!(kernels[0], kernels[2], "{}", session.kind().name());
    }
}
