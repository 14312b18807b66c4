//! What sums of single precision in blocks cost: each statement with blocks beside the same without any, on one thread. Medians of
//! rounds taken in turns; the relative error of both against double precision.
//!
//! `cargo run --release -p openwork-bench --example blocks`

#[path = "../src/inputs.rs"]
#[allow(dead_code)]
mod inputs;

use openwork::{BackendKind, DType, Decl, Decls, Kernel, Scalar, Session, Tensor, presets};
use openwork_backend_clif::ClifBackend;
use openwork_loops::Blocks;
use openwork_storage::{pack, unpack};
use std::sync::Arc;
use std::time::Instant;

const STATEMENTS: [(&str, &str); 6] = [
    ("A @ x", "y(i) = A(i,j) * x(j)"),
    ("x @ A", "y(j) = A(i,j) * z(i)"),
    ("sums of rows", "y(i) = A(i,j)"),
    ("sums of columns", "y(j) = A(i,j)"),
    ("A @ X, 32 columns", "Y(i,k) = A(i,j) * X(j,k)"),
    ("A.T @ Z, 32 columns", "Y(j,k) = A(i,j) * Z(i,k)"),
];
/// Rows, columns, and stored elements of a row: in the cache and from memory, short and long rows, few columns.
const SIZES: [(usize, usize, usize); 6] = [
    (20_000, 20_000, 10),
    (1_000_000, 1_000_000, 5),
    (200_000, 200_000, 50),
    (20_000, 20_000, 100),
    (500, 200_000, 20_000),
    (1_000_000, 100, 10),
];

fn session(blocks: Blocks) -> openwork::Result<Session> {
    let backend = ClifBackend::new()?.with_blocks(blocks);
    Ok(Session::with_backend(BackendKind::Clif, Arc::new(backend)).with_threads(1))
}

fn narrow(t: &Tensor) -> openwork::Result<Tensor> {
    pack(&unpack(t)?.cast(DType::F32)?, t.format(), Scalar::zero(DType::F32))
}

fn compile(session: &Session, statement: &str, operands: &[(&str, &Tensor)]) -> openwork::Result<Kernel> {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let (dtype, format) = (Some(t.dtype()), Some(t.format().clone()));
        let decl =
            Decl { dtype, format, shape: Some(t.shape().to_vec()), stored: Some(t.slots()), elements: None };
        decls.tensors.insert((*name).into(), decl);
    }
    session.compile(statement, &decls)
}

fn beside<'t>(a: &'t Tensor, dense: &'t [(&'static str, Tensor)]) -> Vec<(&'static str, &'t Tensor)> {
    [("A", a)].into_iter().chain(dense.iter().map(|(n, t)| (*n, t))).collect()
}

fn values(t: &Tensor) -> openwork::Result<Vec<f64>> {
    let all = t.vals().cast(DType::F64)?;
    Ok(all.as_slice::<f64>().unwrap_or_default().to_vec())
}

fn error(found: &[f64], wanted: &[f64]) -> f64 {
    found.iter().zip(wanted).filter(|(_, w)| **w != 0.0).map(|(f, w)| (f / w - 1.0).abs()).fold(0.0, f64::max)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const NONE: i64 = 1 << 60;
    let none = Blocks {
        rounds: NONE,
        shared: NONE,
        row: NONE,
        per_element: 1 << 30,
        cached: NONE,
        few: 0,
        strip: 256,
    };
    let sessions = [session(none)?, session(Blocks::default())?];
    println!(
        "{:24} {:>20} {:>10} {:>10} {:>6}   relative errors",
        "rows x columns, per row", "", "without", "with", "ratio"
    );
    for (rows, cols, per) in SIZES {
        let wide = inputs::packed(&inputs::rows_of(rows, cols, per, 1)?, &presets::csr())?;
        let a = narrow(&wide)?;
        for (name, statement) in STATEMENTS {
            let k = if rows * per > 3_000_000 { 4 } else { 32 };
            let shapes = [("x", vec![cols]), ("z", vec![rows]), ("X", vec![cols, k]), ("Z", vec![rows, k])];
            let mut dense = Vec::new();
            for (n, shape) in shapes.iter().filter(|(n, _)| statement.contains(&format!("{n}("))) {
                dense.push((*n, inputs::dense(shape, 7)?));
            }
            let singles: Vec<(&str, Tensor)> =
                dense.iter().map(|(n, t)| Ok((*n, narrow(t)?))).collect::<openwork::Result<_>>()?;
            let operands = beside(&a, &singles);
            let doubles = beside(&wide, &dense);
            let wanted = values(&compile(&sessions[0], statement, &doubles)?.run(&doubles)?.tensor)?;
            let kernels: Vec<Kernel> =
                sessions.iter().map(|s| compile(s, statement, &operands)).collect::<openwork::Result<_>>()?;
            let mut times = [Vec::new(), Vec::new()];
            let mut errors = [0.0; 2];
            for _ in 0..15 {
                for (n, kernel) in kernels.iter().enumerate() {
                    let start = Instant::now();
                    let done = kernel.run(&operands)?;
                    times[n].push(start.elapsed().as_secs_f64() * 1e3);
                    errors[n] = error(&values(&done.tensor)?, &wanted);
                    kernel.recycle(done.tensor);
                }
            }
            let [without, with] = times.map(|mut t| {
                t.sort_by(f64::total_cmp);
                t[t.len() / 2]
            });
            println!(
                "{:24} {name:>20} {without:8.3}ms {with:8.3}ms {:6.2}   {:.1e} {:.1e}",
                format!("{rows} x {cols}, {per}"),
                with / without,
                errors[0],
                errors[1]
            );
        }
    }
    Ok(())
}
