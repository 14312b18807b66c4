//! Work that is asked to stop: it ends soon and with its own code, whatever the kernel is like, and runs again.

use openwork::{
    BackendKind, Cancel, Decl, Decls, Error, Format, FormatExt, Kernel, Scalar, Sequence, Session, Tensor,
    TensorExt,
};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than a kernel takes to notice, and far less than what the kernels here would take.
const SOON: Duration = Duration::from_secs(20);

fn session(backend: BackendKind) -> Session {
    Session::new(backend).unwrap()
}

/// A matrix with so many elements in every row.
fn matrix(n: usize, degree: usize, format: &str) -> Tensor {
    let place = |i: usize, k: usize| (vec![i, (i + k * (n / degree)) % n], Scalar::F64(k as f64 / 8.0 + 1.0));
    let entries: Vec<_> = (0..n).flat_map(|i| (0..degree).map(move |k| place(i, k))).collect();
    Tensor::pack(&[n, n], &entries, &Format::parse(format, 2).unwrap()).unwrap()
}

fn compile(session: &Session, statement: &str, result: &str, operands: &[(&str, &Tensor)]) -> Kernel {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let format = Some(t.format().clone());
        let decl = Decl { dtype: Some(t.dtype()), format, ..Decl::default() };
        decls.tensors.insert((*name).into(), decl);
    }
    if !result.is_empty() {
        let format = Some(Format::parse(result, 2).unwrap());
        decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    }
    session.compile(statement, &decls).unwrap()
}

fn is_cancelled<T>(result: Result<T, Error>) -> bool {
    result.is_err_and(|e| e.code().0 == "E0606")
}

/// Asks a run to stop while it is under way.
fn stops(kernel: &Kernel, operands: &[(&str, &Tensor)]) {
    stop_work(&kernel.stages().plan.program.source.text, || kernel.run(operands));
}

/// Asks for an end of work while it is under way.
fn stop_work<T: Send>(what: &str, work: impl FnOnce() -> Result<T, Error>) {
    let cancel = Cancel::new();
    let start = Instant::now();
    let result = thread::scope(|s| {
        s.spawn(|| {
            thread::sleep(Duration::from_millis(30));
            cancel.cancel();
        });
        cancel.scope(work)
    });
    assert!(is_cancelled(result), "{what} was not stopped");
    assert!(start.elapsed() < SOON, "{what} took {:?}", start.elapsed());
}

/// A product under a mask, and a list of statements that has one.
const MASKED: [&str; 2] = [
    "C(i,k) = M(i,k) * A(i,j) * B(j,k)",
    "C(i,k) = M(i,k) * A(i,j) * B(j,k); y(i) = C(i,k) * A(i,k); s = y(i) * y(i)",
];

/// The statements for operands that are all stored by rows.
fn row_sequence(session: &Session, statements: &str, operands: &[(&str, &Tensor)]) -> Sequence {
    let mut decls = openwork::declare_operands(operands);
    let format = Some(Format::parse("csr", 2).unwrap());
    decls.tensors.insert("C".into(), Decl { format, ..Decl::default() });
    session.sequence(statements, &decls, None).unwrap()
}

#[test]
fn masked_products_and_lists_of_statements_stop() {
    let full = matrix(3000, 1500, "csr");
    let operands = [("A", &full), ("B", &full), ("M", &full)];
    for backend in BackendKind::ALL {
        for statements in MASKED {
            for threads in [1, 2] {
                let sequence = row_sequence(&session(backend), statements, &operands).with_threads(threads);
                stop_work(statements, || sequence.run(&operands));
            }
        }
    }
}

#[test]
fn a_list_that_was_stopped_anywhere_runs_again() {
    let a = matrix(200, 20, "csr");
    let operands = [("A", &a), ("B", &a), ("M", &a)];
    for backend in BackendKind::ALL {
        for statements in MASKED {
            for chunks in [1, 5] {
                let sequence = row_sequence(&session(backend), statements, &operands).with_chunks(chunks);
                let run = || sequence.run(&operands).map(openwork::Results::into_tensors);
                let wanted = run().unwrap();
                let cancelled = Cancel::new();
                cancelled.cancel();
                assert!(is_cancelled(cancelled.scope(run)), "{statements}");
                assert_eq!(run().unwrap(), wanted, "{statements}");
                // Between kernels, and wherever else work is looked at.
                let counted = Cancel::new();
                assert_eq!(counted.scope(run).unwrap(), wanted);
                for at in 1..=counted.looks() {
                    let cancel = Cancel::at_look(at);
                    let made = cancel.scope(run);
                    assert!(
                        made.is_ok_and(|made| made == wanted) || cancel.is_cancelled(),
                        "{statements}: {at}"
                    );
                    assert_eq!(run().unwrap(), wanted, "{statements}, after look {at}");
                }
            }
        }
    }
}

/// Statements that take minutes on these operands, each with the format of its result.
const LONG: [(&str, &str); 5] = [
    ("C(i,j) = A(i,k) * B(k,j)", "csr"),
    ("C(i,j) = A(i,k) * B(k,j)", "dense"),
    ("C(i,j) = A(k,i) * B(k,j)", "csc"),
    ("s = A(i,k) * B(k,j) * A(i,j)", ""),
    ("C(i,j) = A(i,j) * sum(k, sum(l, sum(m, A(k,l) * B(l,m))))", "csr"),
];

#[test]
fn long_kernels_stop_on_every_backend_in_one_call_and_in_chunks() {
    let full = matrix(3000, 1500, "csr");
    let operands = [("A", &full), ("B", &full)];
    for backend in BackendKind::ALL {
        let session = session(backend);
        for (statement, result) in LONG {
            for threads in [1, 2] {
                let kernel = compile(&session, statement, result, &operands).with_threads(threads);
                stops(&kernel, &operands);
            }
        }
    }
}

#[test]
fn a_loop_without_a_loop_inside_stops() {
    let x = Tensor::from_vec(&[1 << 22], vec![1.0; 1 << 22]).unwrap();
    let kernel = compile(&session(BackendKind::Interp), "s = x(i) * x(i)", "", &[("x", &x)]).with_threads(1);
    stops(&kernel, &[("x", &x)]);
}

#[test]
fn a_conversion_out_of_order_stops() {
    let a = matrix(1 << 17, 8, "dcsr");
    let kernel = compile(&session(BackendKind::Interp), "C(i,j) = A(i,j)", "csc", &[("A", &a)]);
    stops(&kernel, &[("A", &a)]);
}

#[test]
fn a_stopped_kernel_runs_again_and_its_operands_are_as_they_were() {
    let a = matrix(200, 20, "csr");
    let operands = [("A", &a), ("B", &a)];
    let cancelled = Cancel::new();
    cancelled.cancel();
    for backend in BackendKind::ALL {
        let session = session(backend);
        for (statement, result) in LONG {
            for chunks in [1, 5] {
                let kernel =
                    compile(&session, statement, result, &operands).with_chunks(chunks).with_threads(2);
                let before = kernel.run(&operands).unwrap().tensor;
                assert!(is_cancelled(cancelled.scope(|| kernel.run(&operands))), "{statement}");
                assert_eq!(kernel.run(&operands).unwrap().tensor, before, "{statement}");
                kernel.recycle(before.clone());
                assert!(is_cancelled(cancelled.scope(|| kernel.run(&operands))), "{statement}");
                assert_eq!(kernel.run(&operands).unwrap().tensor, before, "{statement}");
            }
        }
    }
}

#[test]
fn others_are_not_disturbed() {
    let a = matrix(200, 20, "csr");
    let operands = [("A", &a), ("B", &a)];
    let kernel = compile(&session(BackendKind::Clif), LONG[0].0, "csr", &operands);
    let (one, other) = (Cancel::new(), Cancel::new());
    one.cancel();
    thread::scope(|s| {
        s.spawn(|| (0..50).for_each(|_| assert!(is_cancelled(one.scope(|| kernel.run(&operands))))));
        s.spawn(|| (0..50).for_each(|_| assert!(other.scope(|| kernel.run(&operands)).is_ok())));
        (0..50).for_each(|_| assert!(kernel.run(&operands).is_ok()));
    });
}

/// A function of so many loops, one after the other, each with numbers of its own.
fn loops(n: usize) -> String {
    let each = |k: usize| format!("while t > {k}.5 {{ t = t / 2 - {k}.25; }}");
    let steps: Vec<String> = (0..n).map(each).collect();
    format!("def g(x) {{ let t = x; {} t }}; y(i) = g(A(i))", steps.join(" "))
}

#[test]
fn compiling_stops_in_every_pass_of_a_backend() {
    let text = loops(100);
    let a = Tensor::from_vec(&[2], vec![1.0, 2.0]).unwrap();
    let compiled = |backend, cancel: &Cancel| {
        let (session, decls) = (session(backend), openwork::declare_operands(&[("A", &a)]));
        cancel.scope(|| session.compile(&text, &decls).map(|_| ()))
    };
    let looks = |backend| {
        let counted = Cancel::new();
        compiled(backend, &counted).unwrap();
        counted.looks()
    };
    let (before, whole) = (looks(BackendKind::Interp), looks(BackendKind::Clif));
    assert!(whole >= before + 10, "the interpreter looks {before} times, Cranelift {whole}");
    for at in (1..=whole).rev().step_by(3) {
        let cancel = Cancel::at_look(at);
        assert!(is_cancelled(compiled(BackendKind::Clif, &cancel)), "look {at} of {whole}");
        assert_eq!(cancel.looks(), at, "something went on");
    }
}

#[test]
fn code_of_many_loops_grows_with_their_number() {
    let a = Tensor::from_vec(&[2], vec![1.0, 2.0]).unwrap();
    let size = |n| {
        let session = session(BackendKind::Clif);
        let stages = session.stages(&loops(n), &openwork::declare_operands(&[("A", &a)])).unwrap();
        session.backend().listing(&stages.loops).unwrap().len()
    };
    let (few, many) = (size(50), size(200));
    assert!(many < 5 * few, "four times as many loops: {few} bytes of code, then {many}");
}
