//! What sums of single precision in blocks cost: each statement with blocks beside the same without any, on one thread. Medians of
//! rounds taken in turns; the relative error of both against double precision.
//!
//! `cargo run --release -p openwork-bench --example blocks`, or with `-- formats` and names of formats, or `-- formats` alone for many,
//! which takes ten minutes. `STORED` (120000 or 6000000) chooses one size, `LENGTHS=5,600` those of rows, `RANDOM=1` random values, `RUN=16` runs of
//! neighbours, and `ROUNDS`, `SHARED`, `GATHERED`, `ROW`, `FEW` other blocks.

#[path = "../src/inputs.rs"]
#[allow(dead_code)]
mod inputs;

use openwork::{
    BackendKind, Buffer, Catalog, Coo, DType, Decl, Decls, Kernel, Scalar, Session, Source, Tensor,
    TensorExt, presets,
};
use openwork_backend_clif::ClifBackend;

use openwork_loops::BlockLength;
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

/// The formats that are compared.
const FORMATS: [&str; 20] = [
    "csr",
    "csc",
    "coo",
    "coo_aos",
    "dcsr",
    "dcsc",
    "dok",
    "bitmap",
    "bytemap",
    "rle",
    "dense",
    "ell",
    "sell(8)",
    "jad",
    "bcsr(2,2)",
    "bcsr(4,4)",
    "csb(64)",
    "sky",
    "dia",
    "banded",
];
const PRODUCTS: [(&str, &str); 5] = [
    ("A @ x", "y(i) = A(i,j) * x(j)"),
    ("x @ A", "y(j) = A(i,j) * z(i)"),
    ("A @ X", "Y(i,k) = A(i,j) * X(j,k)"),
    ("sums of rows", "y(i) = A(i,j)"),
    ("sums of columns", "y(j) = A(i,j)"),
];
/// What is added up: in single precision, sums of it are rounded to the same side over and over.
const TENTH: f64 = 0.1f32 as f64;
/// Elements of a row, or of a column.
const LENGTHS: [usize; 5] = [5, 40, 600, 5000, 100_000];

fn session(blocks: BlockLength) -> openwork::Result<Session> {
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

fn list_operands<'t>(a: &'t Tensor, dense: &'t [(&'static str, Tensor)]) -> Vec<(&'static str, &'t Tensor)> {
    [("A", a)].into_iter().chain(dense.iter().map(|(n, t)| (*n, t))).collect()
}

fn values(t: &Tensor) -> openwork::Result<Vec<f64>> {
    let all = t.vals().cast(DType::F64)?;
    Ok(all.as_slice::<f64>().unwrap_or_default().to_vec())
}

fn error(found: &[f64], wanted: &[f64]) -> f64 {
    found.iter().zip(wanted).filter(|(_, w)| **w != 0.0).map(|(f, w)| (f / w - 1.0).abs()).fold(0.0, f64::max)
}

/// Blocks as they are, or with numbers from the environment.
fn blocks_from_env() -> BlockLength {
    let mut blocks = BlockLength::default();
    let fields = [
        ("ROUNDS", &mut blocks.rounds),
        ("SHARED", &mut blocks.shared),
        ("GATHERED", &mut blocks.gathered),
        ("ROW", &mut blocks.row),
        ("FEW", &mut blocks.few),
    ];
    for (name, field) in fields {
        if let Some(n) = std::env::var(name).ok().and_then(|n| n.parse().ok()) {
            *field = n;
        }
    }
    blocks
}

/// Kernels without and with blocks in turns.
struct KernelPair {
    kernels: [Kernel; 2],
    double: Kernel,
}

impl KernelPair {
    fn new(
        statement: &str,
        wide: &[(&str, &Tensor)],
        narrow: &[(&str, &Tensor)],
    ) -> openwork::Result<KernelPair> {
        const NONE: i64 = 1 << 60;
        let none = BlockLength {
            rounds: NONE,
            shared: NONE,
            gathered: NONE,
            row: NONE,
            per_element: 1 << 30,
            cached: NONE,
            few: 0,
            untouched: 4,
            strip: 256,
        };
        let sessions = [session(none)?, session(blocks_from_env())?];
        let [without, with] = &sessions;
        let kernels = [compile(without, statement, narrow)?, compile(with, statement, narrow)?];
        Ok(KernelPair { kernels, double: compile(without, statement, wide)? })
    }

    /// Times and errors of both.
    fn measure(
        &self,
        wide: &[(&str, &Tensor)],
        narrow: &[(&str, &Tensor)],
        all: f64,
    ) -> openwork::Result<[(f64, f64); 2]> {
        let wanted = values(&self.double.run(wide)?.tensor)?;
        let mut times = [Vec::new(), Vec::new()];
        let mut errors = [0.0; 2];
        let begin = Instant::now();
        while times[1].len() < 9 || begin.elapsed().as_secs_f64() < all {
            for (n, kernel) in self.kernels.iter().enumerate() {
                let start = Instant::now();
                let done = kernel.run(narrow)?;
                times[n].push(start.elapsed().as_secs_f64() * 1e3);
                if times[n].len() == 1 {
                    errors[n] = error(&values(&done.tensor)?, &wanted);
                }
                kernel.recycle(done.tensor);
            }
        }
        let least = times.map(|t| t.into_iter().fold(f64::MAX, f64::min));
        Ok([(least[0], errors[0]), (least[1], errors[1])])
    }
}

/// Rows of some elements near the diagonal: two of three columns, from where a row's number says.
fn near_diagonal(rows: usize, per: usize) -> openwork::Result<Coo> {
    let (mut r, random) = (inputs::BenchRandom(1), std::env::var_os("RANDOM").is_some());
    let run = std::env::var("RUN").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let width = per + per / 2;
    let (mut is, mut js, mut vals) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rows {
        for j in (i..i + width).filter(|j| !(i + j / run).is_multiple_of(3)) {
            is.push(i as i32);
            js.push(j as i32);
            vals.push(if random { r.unit() + 0.5 } else { TENTH });
        }
    }
    Coo::new(vec![rows, rows + width], vec![Buffer::from(is), Buffer::from(js)], Buffer::from(vals))
}

/// Rows of some elements of few columns.
fn nearly_full(rows: usize, per: usize) -> openwork::Result<Coo> {
    let (mut r, random) = (inputs::BenchRandom(1), std::env::var_os("RANDOM").is_some());
    let run = std::env::var("RUN").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let width = per + per / 2;
    let (mut is, mut js, mut vals) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rows {
        for j in (0..width).filter(|j| !(i + j / run).is_multiple_of(3)) {
            is.push(i as i32);
            js.push(j as i32);
            vals.push(if random { r.unit() + 0.5 } else { TENTH });
        }
    }
    Coo::new(vec![rows, width], vec![Buffer::from(is), Buffer::from(js)], Buffer::from(vals))
}

fn formats(names: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let chosen = |f: &&&str| names.is_empty() || names.iter().any(|n| n == **f);
    let sizes: Option<usize> = std::env::var("STORED").ok().and_then(|n| n.parse().ok());
    let lengths: Vec<usize> = match std::env::var("LENGTHS") {
        Ok(all) => all.split(',').filter_map(|n| n.parse().ok()).collect(),
        Err(_) => LENGTHS.into(),
    };
    println!("format, rows x columns, elements      without     with  ratio   relative errors");
    for stored in [120_000, 6_000_000].into_iter().filter(|n| sizes.is_none_or(|size| size == *n)) {
        for name in FORMATS.iter().filter(chosen) {
            let format = Catalog::default().parse(&Source::new("formats", *name), 2)?;
            let near = matches!(*name, "sky" | "dia" | "banded");
            for (per, tall) in lengths.iter().flat_map(|n| [(*n, false), (*n, true)]) {
                let rows = stored / per;
                let coo = match (tall, near) {
                    (true, _) if per < 600 => continue,
                    (true, true) => continue,
                    (true, false) => nearly_full(per * 3 / 2, rows.max(1) * 2 / 3 + 1)?,
                    (false, true) if rows * (rows + per) > stored * 4 && *name == "sky" => continue,
                    (false, true) => near_diagonal(rows, per)?,
                    (false, false) => nearly_full(rows, per)?,
                };
                let wide = inputs::pack_with_zero(&coo, &format)?;
                let a = narrow(&wide)?;
                let (rows, cols) = (a.shape()[0], a.shape()[1]);
                for (what, statement) in PRODUCTS {
                    let shapes = [("x", vec![cols]), ("z", vec![rows]), ("X", vec![cols, 8])];
                    let mut dense = Vec::new();
                    for (n, shape) in shapes.iter().filter(|(n, _)| statement.contains(&format!("{n}("))) {
                        dense.push((*n, Tensor::from_vec(shape, vec![1.0; shape.iter().product()])?));
                    }
                    let singles: Vec<(&str, Tensor)> =
                        dense.iter().map(|(n, t)| Ok((*n, narrow(t)?))).collect::<openwork::Result<_>>()?;
                    let (doubles, operands) = (list_operands(&wide, &dense), list_operands(&a, &singles));
                    let pair = KernelPair::new(statement, &doubles, &operands)?;
                    let all = if stored > 1_000_000 { 0.3 } else { 0.05 };
                    let [without, with] = pair.measure(&doubles, &operands, all)?;
                    println!(
                        "{name:10} {what:16} {:18} {:9.3} {:9.3} {:6.2}   {:.1e} {:.1e}",
                        format!("{rows} x {cols}"),
                        without.0,
                        with.0,
                        with.0 / without.0,
                        without.1,
                        with.1
                    );
                }
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("formats", names)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return formats(names);
    }
    const NONE: i64 = 1 << 60;
    let none = BlockLength {
        rounds: NONE,
        shared: NONE,
        gathered: NONE,
        row: NONE,
        per_element: 1 << 30,
        cached: NONE,
        few: 0,
        untouched: 4,
        strip: 256,
    };
    let sessions = [session(none)?, session(blocks_from_env())?];
    println!(
        "{:24} {:>20} {:>10} {:>10} {:>6}   relative errors",
        "rows x columns, per row", "", "without", "with", "ratio"
    );
    for (rows, cols, per) in SIZES {
        let wide = inputs::pack_with_zero(&inputs::rows_of(rows, cols, per, 1)?, &presets::csr())?;
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
            let operands = list_operands(&a, &singles);
            let doubles = list_operands(&wide, &dense);
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
