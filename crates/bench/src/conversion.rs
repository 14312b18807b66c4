//! `bench conversion`: conversions between formats beside SciPy's, and SpMV in formats that fit beside CSR, SciPy and MKL.
//!
//! Both sides make their results in new memory. The time of ours is that of `Kernel::run`, everything included.

use crate::inputs;
use crate::sums::WeightedSums;
use crate::timing::{Effort, interleave};
use crate::worker::{Peers, Worker};
use openwork::{Coo, DType, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor};
use openwork_storage::{files, pack};
use std::path::{Path, PathBuf};
use std::time::Instant;

type AnyResult<T> = Result<T, Box<dyn std::error::Error>>;

/// Source and target, and SciPy's name for the same.
const CONVERSIONS: [(&str, &str, &str); 9] = [
    ("coo", "csr", "scipy.convert:coo:csr"),
    ("csr", "csc", "scipy.convert:csr:csc"),
    ("csr", "dia", "scipy.convert:csr:dia"),
    ("coo", "dia", "scipy.convert:coo:dia"),
    ("csc", "dia", "scipy.convert:csc:dia"),
    ("csr", "ell", "scipy.convert:csr:ell"),
    ("csc", "ell", "scipy.convert:csc:ell"),
    ("csr", "sell(8)", "scipy.convert:csr:sell8"),
    ("csr", "bcsr(3,3)", "scipy.convert:csr:bsr3"),
];

/// Runs every conversion that fits on every input whose name contains `filter`.
///
/// # Errors
/// When an input cannot be had, or results differ.
pub fn run(effort: Effort, filter: Option<&str>) -> AnyResult<()> {
    let scipy = Worker::start(&["scipy", "mkl"]);
    let mut logs: Vec<(&str, Vec<f64>)> = CONVERSIONS.iter().map(|(.., op)| (*op, Vec::new())).collect();
    println!("{:<28} {:<22} {:>10} {:>10} {:>7}", "matrix", "conversion", "openwork", "scipy", "ratio");
    for (name, make) in sources() {
        if filter.is_some_and(|f| !name.contains(f)) {
            continue;
        }
        let coo = sort_coordinates(make()?)?;
        scipy.clear()?;
        scipy.load("A", &coo)?;
        for (n, (from, to, op)) in CONVERSIONS.iter().enumerate() {
            if !fits(&coo, to) {
                continue;
            }
            let (ours, theirs) = time_conversion(&scipy, &coo, from, to, op, effort)?;
            println!(
                "{name:<28} {:<22} {ours:>8.2}ms {theirs:>8.2}ms {:>6.2}x",
                format!("{from} -> {to}"),
                theirs / ours
            );
            logs[n].1.push((theirs / ours).ln());
        }
    }
    println!("\ngeometric means of SciPy's time / ours:");
    for (op, logs) in logs.iter().filter(|(_, l)| !l.is_empty()) {
        println!(
            "  {op:<22} {:.2}x over {} matrices",
            (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
            logs.len()
        );
    }
    Ok(())
}

/// One conversion on both sides, in milliseconds.
fn time_conversion(
    scipy: &Worker,
    coo: &Coo,
    from: &str,
    to: &str,
    op: &str,
    effort: Effort,
) -> AnyResult<(f64, f64)> {
    let source = pack(coo, &Format::parse(from, 2)?, Scalar::F64(0.0))?;
    let kernel = compile_conversion("B(i,j) = A(i,j)", &[("A", &source)], Some(("B", to)))?;
    let result = kernel.run(&[("A", &source)])?.tensor;
    let (sums, theirs) =
        (WeightedSums::from_tensor(&result)?, WeightedSums::parse(&scipy.ask(&format!("sum {op} 1 A"))?)?);
    if !sums.agree(&theirs) {
        return Err(format!("{from} -> {to}: the sums differ: {sums:?} and {theirs:?}").into());
    }
    drop(result);
    let times = interleave(
        &mut [
            Box::new(|| {
                let start = Instant::now();
                let out = kernel.run(&[("A", &source)]).expect("it ran before");
                let time = start.elapsed();
                drop(out);
                time
            }),
            Box::new(|| scipy.time(op, 1, "A")),
        ],
        effort,
    );
    Ok((times[0], times[1]))
}

/// `bench spmv`: SpMV in structured formats.
///
/// # Errors
/// When an input cannot be had, or results differ.
pub fn spmv(effort: Effort, filter: Option<&str>) -> AnyResult<()> {
    let scipy = Worker::start(&["scipy", "mkl"]);
    let mkl = scipy.has("mkl.spmv");
    println!(
        "{:<28} {:<10} {:>10} {:>12} {:>10} {:>10}",
        "matrix", "format", "ours", "our csr", "scipy", "mkl"
    );
    for (name, make) in sources() {
        if filter.is_some_and(|f| !name.contains(f)) {
            continue;
        }
        let coo = sort_coordinates(make()?)?;
        scipy.clear()?;
        scipy.load("A", &coo)?;
        let x = inputs::formula(&coo.shape()[1..], 1)?;
        scipy.dense("x", &coo.shape()[1..], 1)?;
        let csr = multiplication(&coo, "csr", &x)?;
        for (format, peer) in [
            ("csr", Some("csr")),
            ("dia", Some("dia")),
            ("ell", None),
            ("sell(8)", None),
            ("bcsr(2,2)", Some("bsr2")),
            ("bcsr(3,3)", Some("bsr3")),
            ("bcsr(4,4)", Some("bsr4")),
        ] {
            let divides = |b: usize| coo.shape().iter().all(|n| n % b == 0);
            let block = peer.and_then(|p| p.strip_prefix("bsr")).and_then(|b| b.parse().ok());
            if !fits(&coo, format) || block.is_some_and(|b| !divides(b)) {
                continue;
            }
            let ours = multiplication(&coo, format, &x)?;
            let peers: Vec<String> = match peer {
                None => Vec::new(),
                Some(p) if mkl && p != "dia" => vec![format!("scipy.spmv:{p}"), format!("mkl.spmv:{p}")],
                Some(p) => vec![format!("scipy.spmv:{p}")],
            };
            let mut subjects: Vec<crate::timing::TimedSubject> =
                vec![Box::new(|| ours.time(&x)), Box::new(|| csr.time(&x))];
            for peer in &peers {
                let scipy = &scipy;
                subjects.push(Box::new(move || scipy.time(peer, 1, "A x")));
            }
            let times = interleave(&mut subjects, effort);
            let show = |n: usize| times.get(n).map_or("-".into(), |t| format!("{:.2}x", t / times[0]));
            println!(
                "{name:<28} {format:<10} {:>8.3}ms {:>12} {:>10} {:>10}",
                times[0],
                show(1),
                show(2),
                show(3)
            );
        }
    }
    println!("\nratios are the other's time / ours: above 1 means that ours is faster");
    Ok(())
}

struct Multiplication {
    kernel: Kernel,
    a: Tensor,
}

impl Multiplication {
    fn time(&self, x: &Tensor) -> std::time::Duration {
        let out = self.kernel.run(&[("A", &self.a), ("x", x)]).expect("it ran before");
        self.kernel.recycle(out.tensor);
        out.times.total
    }
}

fn multiplication(coo: &Coo, format: &str, x: &Tensor) -> AnyResult<Multiplication> {
    let a = pack(coo, &Format::parse(format, 2)?, Scalar::F64(0.0))?;
    let kernel = compile_conversion("y(i) = A(i,j) * x(j)", &[("A", &a), ("x", x)], None)?;
    kernel.run(&[("A", &a), ("x", x)])?;
    Ok(Multiplication { kernel, a })
}

fn compile_conversion(
    text: &str,
    operands: &[(&str, &Tensor)],
    result: Option<(&str, &str)>,
) -> AnyResult<Kernel> {
    let mut decls = Decls::default();
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: Some(t.shape().to_vec()),
            stored: None,
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    if let Some((name, format)) = result {
        let decl = Decl {
            dtype: Some(DType::F64),
            format: Some(Format::parse(format, 2)?),
            shape: None,
            stored: None,
            elements: None,
        };
        decls.tensors.insert(name.into(), decl);
    }
    Ok(Session::global().compile(text, &decls)?)
}

/// Coordinates in row order, without duplicates.
fn sort_coordinates(coo: Coo) -> AnyResult<Coo> {
    Ok(openwork_storage::unpack(&pack(&coo, &Format::parse("coo", 2)?, Scalar::F64(0.0))?)?)
}

/// Whether no more than three quarters of a padded format would be padding (the thesis's own limit).
pub fn fits(coo: &Coo, to: &str) -> bool {
    let (rows, n) = (coo.shape()[0], coo.len());
    let coords = |mode: usize, e: usize| coo.coords(mode).get(e).as_i64();
    let limit = 4 * n.max(1);
    if to == "dia" {
        let mut diagonals: Vec<i64> = (0..n).map(|e| coords(1, e) - coords(0, e)).collect();
        diagonals.sort_unstable();
        diagonals.dedup();
        return diagonals.len() * rows <= limit;
    }
    if to == "ell" || to.starts_with("sell") {
        let mut counts = vec![0usize; rows];
        (0..n).for_each(|e| counts[coords(0, e) as usize] += 1);
        return counts.iter().max().unwrap_or(&0) * rows <= limit;
    }
    if let Some(block) = to.strip_prefix("bcsr(").and_then(|t| t[..1].parse::<i64>().ok()) {
        let mut blocks: Vec<(i64, i64)> =
            (0..n).map(|e| (coords(0, e) / block, coords(1, e) / block)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        return blocks.len() * (block * block) as usize <= 2 * n
            && coo.shape().iter().all(|d| d % block as usize == 0);
    }
    true
}

type CooMaker = Box<dyn Fn() -> AnyResult<Coo>>;

/// Generated matrices, and those of the data folder that are large enough to time.
fn sources() -> Vec<(String, CooMaker)> {
    let mut out: Vec<(String, CooMaker)> = vec![
        ("stencil 1000x1000".into(), Box::new(|| Ok(inputs::stencil(1000)?))),
        ("band 9 of 400k".into(), Box::new(|| Ok(inputs::band(400_000, 4)?))),
        ("blocks 3x3 of 300k".into(), Box::new(|| Ok(inputs::blocks(100_000, 3, 6)?))),
        ("blocks 4x4 of 400k".into(), Box::new(|| Ok(inputs::blocks(100_000, 4, 5)?))),
        ("uniform 200k, 10 a row".into(), Box::new(|| Ok(inputs::uniform(200_000, 10, 5)?))),
        ("uniform 1M, 8 a row".into(), Box::new(|| Ok(inputs::uniform(1_000_000, 8, 6)?))),
    ];
    let folder = inputs::data().display().to_string();
    let mut files: Vec<PathBuf> = Vec::new();
    for part in ["matrices", "hb", "graphs"] {
        collect(&Path::new(&folder).join(part), &mut files);
    }
    if files.is_empty() {
        println!("no matrices under {folder}: only generated ones are timed");
    }
    files.sort();
    for path in files {
        let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        out.push((name, Box::new(move || read(&path))));
    }
    out
}
fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.to_string_lossy().into_owned();
        let large = std::fs::metadata(&path).is_ok_and(|m| m.len() > 1 << 20);
        if path.is_dir() {
            collect(&path, out);
        } else if large && (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) {
            out.push(path);
        }
    }
}
fn read(path: &Path) -> AnyResult<Coo> {
    let coo = files::read(path)?;
    Ok(coo.cast(DType::F64)?)
}
