//! What a call costs beside its kernel: statements over small operands on one thread, the shortest time of a run for
//! each number of stored elements. The column of none is the call alone.
//!
//! `cargo run --release -p openwork-bench --example calls`

use openwork::{BackendKind, DType, Decl, Decls, Session, Tensor, presets};
use openwork_storage::{Buffer, Coo, pack};
use std::time::Instant;

const STATEMENTS: [(&str, &str); 4] = [
    ("A @ x", "y(i) = A(i,j) * x(j)"),
    ("sums of rows", "y(i) = A(i,j)"),
    ("A * 2", "B(i,j) = A(i,j) * 2"),
    ("sum of all", "s = A(i,j)"),
];
/// Rows of the matrix, which has three elements in each.
const ROWS: [usize; 5] = [0, 100, 300, 2000, 3000];
const ROUNDS: usize = 200;
const CALLS: usize = 50;

fn matrix(n: usize) -> openwork::Result<Tensor> {
    let place = |e: usize| vec![e / 3, (e * 7919 + e / 3) % n];
    let entries: Vec<_> = (0..3 * n).map(|e| (place(e), openwork::Scalar::F64(1.0))).collect();
    let coo = Coo::from_entries(&[n, n], DType::F64, &entries)?;
    pack(&coo, &presets::csr(), openwork::Scalar::F64(0.0))
}

fn main() -> openwork::Result<()> {
    let session = Session::new(BackendKind::Clif)?.with_threads(1);
    println!("{:<14}{}", "microseconds", ROWS.map(|n| format!("{:>9}", 3 * n)).concat());
    for (name, statement) in STATEMENTS {
        let mut line = format!("{name:<14}");
        for n in ROWS {
            let a = matrix(n)?;
            let x = Tensor::dense(&[n], Buffer::from(vec![1.0; n]))?;
            let mut operands = vec![("A", &a)];
            if statement.contains("x(") {
                operands.push(("x", &x));
            }
            let mut decls = Decls::default();
            for (name, t) in &operands {
                let (dtype, format) = (Some(t.dtype()), Some(t.format().clone()));
                let shape = Some(t.shape().to_vec());
                let decl = Decl { dtype, format, shape, stored: Some(t.slots()), elements: None };
                decls.tensors.insert((*name).into(), decl);
            }
            let kernel = session.compile(statement, &decls)?;
            let mut least = f64::INFINITY;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                for _ in 0..CALLS {
                    std::hint::black_box(kernel.run(&operands)?);
                }
                least = least.min(start.elapsed().as_secs_f64() / CALLS as f64);
            }
            line += &format!("{:>9.2}", least * 1e6);
        }
        println!("{line}");
    }
    Ok(())
}
