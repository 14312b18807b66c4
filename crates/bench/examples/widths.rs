//! What the vectors that we assemble give, by the length of the loops: each kernel with none of them, with those of 32
//! bytes, and with the widest, for loops of any length. Shortest times of rounds taken in turns, results kept.
//!
//! `cargo run --release -p openwork-bench --example widths`

#[path = "../src/inputs.rs"]
#[allow(dead_code)]
mod inputs;

use openwork::{BackendKind, Decl, Decls, Kernel, Session, Tensor, presets};
use openwork_backend::Backend;
use openwork_backend_clif::ClifBackend;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is measured: a statement, and the shapes of its dense operands for a length.
type WidthCase = (&'static str, &'static str, fn(usize) -> [(&'static str, [usize; 2]); 2]);

const ROWS: usize = 2000;
const CASES: [WidthCase; 3] = [
    ("SDDMM", "S(i,j) = A(i,j) * B(i,k) * C(j,k)", |k| [("B", [ROWS, k]), ("C", [ROWS, k])]),
    ("SpMM", "Y(i,k) = A(i,j) * B(j,k)", |k| [("B", [ROWS, k]), ("", [1, 1])]),
    ("sum of rows", "Y(i,k) = B(i,k) + C(i,k) * 2.0", |k| [("B", [ROWS, k]), ("C", [ROWS, k])]),
];

fn sessions() -> openwork::Result<Vec<Session>> {
    let widest = ClifBackend::new()?.target().wide;
    let half = widest.map(|w| openwork_loops::Wide { bytes: 32, ..w });
    let all = [None, half, widest].map(|w| w.map(|w| openwork_loops::Wide { least: 1, ..w }));
    let one = |wide| {
        let backend: Arc<dyn Backend> = Arc::new(ClifBackend::new()?.with_wide(wide));
        Ok(Session::with_backend(BackendKind::Clif, backend).with_threads(1))
    };
    all.into_iter().map(one).collect()
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sessions = sessions()?;
    let a = inputs::pack_with_zero(&inputs::uniform(ROWS, 10, 1)?, &presets::csr())?;
    for (name, statement, shapes) in CASES {
        println!("{name:12} {:>10} {:>10} {:>10}   microseconds; speed-up", "128 bits", "256", "widest");
        for length in [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 100, 128] {
            let dense: Vec<(&str, Tensor)> = shapes(length)
                .into_iter()
                .filter(|(n, _)| !n.is_empty())
                .map(|(n, shape)| Ok((n, inputs::dense(&shape, 7)?)))
                .collect::<openwork::Result<_>>()?;
            let mut operands: Vec<(&str, &Tensor)> = dense.iter().map(|(n, t)| (*n, t)).collect();
            if statement.contains("A(") {
                operands.push(("A", &a));
            }
            let kernels: Vec<Kernel> =
                sessions.iter().map(|s| compile(s, statement, &operands)).collect::<openwork::Result<_>>()?;
            let mut best = vec![Duration::MAX; kernels.len()];
            for _ in 0..60 {
                for (kernel, best) in kernels.iter().zip(&mut best) {
                    let start = Instant::now();
                    let done = kernel.run(&operands)?;
                    *best = start.elapsed().min(*best);
                    kernel.recycle(done.tensor);
                }
            }
            let [plain, half, full] = [0, 1, 2].map(|n| best[n].as_secs_f64() * 1e6);
            println!(
                "{length:12} {plain:10.1} {half:10.1} {full:10.1}   {:.2}x {:.2}x",
                plain / half,
                plain / full
            );
        }
    }
    Ok(())
}
