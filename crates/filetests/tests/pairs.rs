//! Every pair of formats of matrices: added, multiplied element by element, and contracted.

use crate::common::{Matrix, at_all, formats, pack_matrix};
use openwork::{BackendKind, DType, Decl, Decls, Scalar, Session, Tensor};
use openwork_filetests::random::TestRandom;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;

const N: usize = 5;

/// The statements and what they mean on dense matrices.
type Meaning = fn(&[i64], &[i64], &[i64]) -> Vec<i64>;
const STATEMENTS: [(&str, usize, Meaning); 4] = [
    ("C(i,j) = A(i,j) + B(i,j)", 2, |a, b, _| a.iter().zip(b).map(|(x, y)| x + y).collect()),
    ("C(i,j) = A(i,j) * B(i,j)", 2, |a, b, _| a.iter().zip(b).map(|(x, y)| x * y).collect()),
    ("C(i,k) = A(i,j) * B(j,k)", 2, |a, b, _| {
        let sum = |i: usize, k: usize| (0..N).map(|j| a[i * N + j] * b[j * N + k]).sum();
        (0..N * N).map(|n| sum(n / N, n % N)).collect()
    }),
    ("C(i) = A(i,j) * B(j,k) * x(k)", 1, |a, b, x| {
        let inner = |j: usize| (0..N).map(|k| b[j * N + k] * x[k]).sum::<i64>();
        (0..N).map(|i| (0..N).map(|j| a[i * N + j] * inner(j)).sum()).collect()
    }),
];

#[derive(Default)]
struct Tally {
    accepted: usize,
    as_stored: usize,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

fn declare_tensor(t: &Tensor) -> Decl {
    let format = t.format().clone().with_fill(t.fill().to_string());
    Decl {
        dtype: Some(t.dtype()),
        format: Some(format),
        shape: Some(t.shape().to_vec()),
        stored: None,
        elements: None,
    }
}

/// A tensor, and the format that it was packed in as it was asked for.
struct InFormat<'t> {
    format: &'t str,
    tensor: &'t Tensor,
}

fn pair(session: &Session, a: InFormat, b: InFormat, x: &Tensor, tally: &Mutex<Tally>) {
    let numbers = |t: &Tensor| -> Vec<i64> {
        t.to_dense_scalars().expect("small").iter().map(|v| v.as_i64()).collect()
    };
    let (da, db, dx) = (numbers(a.tensor), numbers(b.tensor), numbers(x));
    for (text, rank, meaning) in STATEMENTS {
        for result in ["dense", "csr"].into_iter().take(rank) {
            let mut decls = Decls::default();
            decls.tensors.insert("A".into(), declare_tensor(a.tensor));
            decls.tensors.insert("B".into(), declare_tensor(b.tensor));
            decls.tensors.insert("x".into(), declare_tensor(x));
            let fill = if text.contains('+') {
                a.tensor.fill().as_i64() + b.tensor.fill().as_i64()
            } else {
                a.tensor.fill().as_i64() * b.tensor.fill().as_i64()
            };
            let to = crate::common::format_of(result, rank).with_fill(fill.to_string());
            decls.tensors.insert(
                "C".into(),
                Decl { dtype: None, format: Some(to), shape: None, stored: None, elements: None },
            );
            let what = || format!("{text} with A {}, B {}, C {result}", a.format, b.format);
            let kernel = session.compile(text, &decls);
            let ran = kernel.and_then(|k| {
                let stages = k.stages();
                let as_stored = stages.steps == [openwork::Step::Kernel];
                let mut given = vec![("A", a.tensor), ("B", b.tensor), ("x", x)];
                given.retain(|(name, _)| text.contains(&format!("{name}(")));
                Ok((as_stored, k.run(&given)?.tensor))
            });
            let mut tally = tally.lock().expect("no thread panics while it counts");
            match ran {
                Err(e) => {
                    *tally.refused.entry(e.code().to_string()).or_default() += 1;
                    tally.wrong.push(format!("{}: {}", what(), e.to_string().lines().next().unwrap_or("")));
                }
                Ok((as_stored, c)) => {
                    tally.accepted += 1;
                    tally.as_stored += usize::from(as_stored);
                    let want = meaning(&da, &db, &dx);
                    if numbers(&c) != want {
                        tally.wrong.push(format!("{}: {:?} instead of {want:?}", what(), numbers(&c)));
                    } else if let Err(e) = Tensor::try_from(c.into_parts()) {
                        tally.wrong.push(format!("{}: {e}", what()));
                    }
                }
            }
        }
    }
    session.cache().clear();
}

#[test]
fn every_pair_of_formats_computes() {
    let all = formats(2);
    let tally = Mutex::new(Tally::default());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (all, tally) = (&all, &tally);
            scope.spawn(move || {
                let session = Session::new(BackendKind::Interp).expect("always available");
                for n in (worker..all.len()).step_by(workers) {
                    let mut r = TestRandom::new(n as u64);
                    let some = |r: &mut TestRandom, format: &str, fill: i64| {
                        let at: Vec<Vec<usize>> =
                            at_all(&[N, N]).into_iter().filter(|_| r.chance(35)).collect();
                        let m =
                            Matrix::new(r, &[N, N], &at, DType::I64, Scalar::I64(fill)).drop_outside(format);
                        pack_matrix(&m, format).unwrap_or_else(|e| panic!("{format}: {e}"))
                    };
                    for (m, other) in all.iter().enumerate() {
                        let fill = i64::from((n + m) % 4 == 1);
                        let (a, b) = (some(&mut r, all[n], fill), some(&mut r, other, 0));
                        let x = Matrix::new(&mut r, &[N], &at_all(&[N]), DType::I64, Scalar::I64(0));
                        let x = pack_matrix(&x, "dense").expect("dense");
                        let a = InFormat { format: all[n], tensor: &a };
                        pair(&session, a, InFormat { format: other, tensor: &b }, &x, tally);
                    }
                }
            });
        }
    });
    let Tally { accepted, as_stored, refused, wrong } = tally.into_inner().expect("no thread panics");
    let _ = writeln!(
        std::io::stderr(),
        "{} formats, {accepted} statements accepted, {as_stored} of them without a conversion; refused {refused:?}",
        all.len()
    );
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(15)].join("\n"));
}
