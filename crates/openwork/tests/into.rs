//! A result in place of an earlier one: all of it, or nothing happens to the earlier one.

use openwork::{
    BackendKind, Cancel, Decl, Decls, Error, Format, FormatExt, Kernel, Result, Scalar, Session, Tensor,
    TensorExt,
};
use openwork_storage::memory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The memory limit is that of the process, so tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A memory limit as long as this lives.
struct Limited;

impl Limited {
    fn set_limit(bytes: u64) -> Limited {
        memory::set_limit(bytes);
        Limited
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        memory::set_limit(0);
    }
}

fn format(text: &str) -> Format {
    Format::parse(text, 2).unwrap()
}

fn matrix(n: usize, degree: usize, text: &str) -> Tensor {
    let place = |i: usize, k: usize| (vec![i, (i + k * (n / degree)) % n], Scalar::F64((i + k) as f64 + 1.0));
    let entries: Vec<_> = (0..n).flat_map(|i| (0..degree).map(move |k| place(i, k))).collect();
    Tensor::pack(&[n, n], &entries, &format(text)).unwrap()
}

fn compile(backend: BackendKind, statement: &str, operand: &str, result: &str) -> Kernel {
    let mut decls = Decls::default();
    let dtype = Some(openwork::DType::F64);
    for name in ["A", "B"] {
        let decl = Decl { dtype, format: Some(format(operand)), ..Decl::default() };
        decls.tensors.insert(name.into(), decl);
    }
    decls.tensors.insert("C".into(), Decl { format: Some(format(result)), ..Decl::default() });
    Session::new(backend).unwrap().compile(statement, &decls).unwrap()
}

/// Each array of a tensor by its place in memory, and what it holds.
fn array_addresses(t: &Tensor) -> (Tensor, Vec<*const u8>) {
    let levels = t.levels().iter().flat_map(|l| &l.arrays).map(|a| a.as_ptr());
    (t.clone(), levels.chain([t.vals().as_ptr()]).collect())
}

/// A failing call leaves everything where it was.
fn expect_refusal(out: &mut Tensor, code: &str, call: impl FnOnce(&mut Tensor) -> Result<()>) {
    let before = array_addresses(out);
    let error: Error = call(out).unwrap_err();
    assert_eq!(error.code().0, code, "{error}");
    let after = array_addresses(out);
    assert_eq!(after.0, before.0, "the contents, after {code}");
    assert_eq!(after.1, before.1, "the memory, after {code}");
}

const SUM: &str = "C(i,j) = A(i,j) + B(i,j)";
const PRODUCT: &str = "C(i,k) = A(i,j) * B(j,k)";
/// Statements and formats: results appended, written in slices, out of order, and converted afterwards.
const CASES: [(&str, &str, &str); 5] = [
    (SUM, "csr", "csr"),
    (PRODUCT, "csr", "dense"),
    (PRODUCT, "csr", "csr"),
    (SUM, "csr", "csc"),
    (SUM, "csr", "dia"),
];

#[test]
fn a_call_that_succeeds_gives_what_a_run_gives() {
    let _turn = turn();
    let (a, b) = (matrix(60, 4, "csr"), matrix(60, 7, "csr"));
    for backend in BackendKind::ALL {
        for (statement, operand, result) in CASES {
            for chunks in [1, 4] {
                let kernel = compile(backend, statement, operand, result).with_chunks(chunks);
                let wanted = kernel.run(&[("A", &a), ("B", &b)]).unwrap().tensor;
                let mut out = kernel.run(&[("A", &b), ("B", &b)]).unwrap().tensor;
                for _ in 0..4 {
                    kernel.run_into(&mut out, &[("A", &b), ("B", &a)]).unwrap();
                    kernel.run_into(&mut out, &[("A", &a), ("B", &b)]).unwrap();
                    assert_eq!(out, wanted, "{statement} as {result}");
                }
            }
        }
    }
}

#[test]
fn the_result_of_an_earlier_run_may_be_an_operand() {
    let _turn = turn();
    let (a, b) = (matrix(60, 4, "csr"), matrix(60, 7, "csr"));
    for backend in BackendKind::ALL {
        for statement in [SUM, PRODUCT] {
            let kernel = compile(backend, statement, "csr", "csr");
            let mut before = Arc::new(a.clone());
            for _ in 0..3 {
                let given = [("A", &*before), ("B", &b)];
                let wanted = kernel.run(&given).unwrap().tensor;
                // Another tensor over the same arrays.
                let mut out = before.permute(&[0, 1]).unwrap();
                kernel.run_into(&mut out, &given).unwrap();
                assert_eq!(out, wanted, "{statement}");
                before = Arc::new(out);
            }
        }
    }
}

#[test]
fn a_call_that_fails_leaves_the_earlier_result() {
    let _turn = turn();
    let (a, b) = (matrix(60, 4, "csr"), matrix(60, 7, "csr"));
    let small = matrix(30, 4, "csr");
    let cancelled = Cancel::new();
    cancelled.cancel();
    for backend in BackendKind::ALL {
        for (statement, operand, result) in CASES {
            let kernel = compile(backend, statement, operand, result);
            let mut out = kernel.run(&[("A", &a), ("B", &b)]).unwrap().tensor;
            // Twice, so that memory of an earlier result is there to be written to.
            kernel.run_into(&mut out, &[("A", &b), ("B", &a)]).unwrap();
            let given = [("A", &a), ("B", &a)];
            expect_refusal(&mut out, "E0211", |out| kernel.run_into(out, &[("A", &a)]));
            expect_refusal(&mut out, "E0203", |out| kernel.run_into(out, &[("A", &a), ("B", &small)]));
            expect_refusal(&mut out, "E0203", |out| kernel.run_into(out, &[("A", &small), ("B", &small)]));
            expect_refusal(&mut out, "E0606", |out| cancelled.scope(|| kernel.run_into(out, &given)));
            let limited = Limited::set_limit(1500);
            expect_refusal(&mut out, "E0605", |out| kernel.run_into(out, &given));
            drop(limited);
            let mut integers = Tensor::from_vec(&[60, 60], vec![1i32; 3600]).unwrap();
            expect_refusal(&mut integers, "E0212", |out| kernel.run_into(out, &given));
            kernel.run_into(&mut out, &given).unwrap();
            assert_eq!(out, kernel.run(&given).unwrap().tensor);
        }
    }
}

#[test]
fn growth_that_is_refused_in_the_middle_leaves_the_earlier_result() {
    let _turn = turn();
    let (few, many) = (matrix(60, 2, "csr"), matrix(60, 5, "csr"));
    for backend in BackendKind::ALL {
        // Positions of eight bits count to 255.
        let kernel = compile(backend, SUM, "csr", "csr ; pos = u8");
        let mut out = kernel.run(&[("A", &few), ("B", &few)]).unwrap().tensor;
        kernel.run_into(&mut out, &[("A", &few), ("B", &few)]).unwrap();
        expect_refusal(&mut out, "E0604", |out| kernel.run_into(out, &[("A", &many), ("B", &few)]));
        kernel.run_into(&mut out, &[("A", &few), ("B", &few)]).unwrap();
    }
}

#[test]
fn a_call_that_is_stopped_half_way_leaves_the_earlier_result() {
    let _turn = turn();
    let full = matrix(2000, 1000, "csr");
    for threads in [1, 2] {
        let kernel = compile(BackendKind::Interp, PRODUCT, "csr", "dense").with_threads(threads);
        let mut out = Tensor::from_vec(&[2000, 2000], vec![7.0; 4_000_000]).unwrap();
        kernel.recycle(out.clone());
        expect_refusal(&mut out, "E0606", |out| {
            let cancel = Cancel::new();
            thread::scope(|s| {
                s.spawn(|| {
                    thread::sleep(Duration::from_millis(30));
                    cancel.cancel();
                });
                cancel.scope(|| kernel.run_into(out, &[("A", &full), ("B", &full)]))
            })
        });
    }
}
