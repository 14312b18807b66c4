//! What the comparisons run on.

use super::{SparseSetting, Text, text};
use crate::inputs::{self, BenchRandom};
use crate::timing::Effort;
use openwork::{Buffer, Coo, DType, Format, FormatExt, Scalar, Tensor, presets};
use openwork_storage::{files, pack, unpack};

/// How to make a tensor, so that only those are made that are asked for.
pub type TensorMaker = (String, Box<dyn Fn() -> Text<Coo>>);

/// Square matrices from the data folder: those of the paper's kinds that are there, with products that are not too large.
const MATRICES: [&str; 10] = [
    "cage10",
    "bcsstk33",
    "bcsstk38",
    "memplus",
    "nsjac",
    "bayer10",
    "cavity14",
    "orani678",
    "cryg10000",
    "fidapex6",
];

/// Tensors of order three from the data folder.
const TENSORS: [&str; 3] = ["fb15k237", "collegemsg", "aminoacid"];

/// The files of a folder by their names without extension; says what is missing.
fn read(part: &str, names: &[&str], extension: &str, out: &mut Vec<TensorMaker>) {
    for name in names {
        let path = inputs::data().join(part).join(format!("{name}.{extension}.gz"));
        if path.exists() {
            let read = move || text(files::read(&path).and_then(|coo| coo.cast(DType::F64)));
            out.push((name.to_string(), Box::new(read)));
        } else {
            println!("skipped: {name}: no {}", path.display());
        }
    }
}

/// Square matrices.
pub fn matrices(setting: &SparseSetting) -> Vec<TensorMaker> {
    let small = setting.effort == Effort::Quick;
    let n = move |full: usize| if small { full / 20 } else { full };
    let mut out: Vec<TensorMaker> = vec![
        ("uniform 100k, 4 a row".into(), Box::new(move || text(inputs::uniform(n(100_000), 4, 5)))),
        ("uniform 10k, 40 a row".into(), Box::new(move || text(inputs::uniform(n(10_000), 40, 6)))),
        ("power law 20k, 8 a row".into(), Box::new(move || power_law(n(20_000), 8, 7))),
        ("band 9 of 100k".into(), Box::new(move || text(inputs::band(n(100_000), 4)))),
        ("FEM blocks 3x3 of 15k".into(), Box::new(move || text(inputs::blocks(n(5000), 3, 6)))),
    ];
    read("matrices", &MATRICES, "mtx", &mut out);
    out
}

/// Tensors of order three.
pub fn tensors(setting: &SparseSetting) -> Vec<TensorMaker> {
    let small = setting.effort == Effort::Quick;
    let n = move |full: usize| if small { full / 20 } else { full };
    let mut out: Vec<TensorMaker> = vec![
        (
            "uniform 2000x3000x4000".into(),
            Box::new(move || text(inputs::tensor([2000, 3000, 4000], n(2_000_000), 11))),
        ),
        (
            "uniform 200x300x400".into(),
            Box::new(move || text(inputs::tensor([200, 300, 400], n(1_000_000), 12))),
        ),
    ];
    read("tensors", &TENSORS, "tns", &mut out);
    out
}

/// Rows and columns as uneven as those of web graphs: a few hubs, many nodes with next to nothing.
pub fn power_law(n: usize, per_row: usize, seed: u64) -> Text<Coo> {
    let mut r = BenchRandom(seed);
    let mut skewed = |shift: usize| -> Vec<i32> {
        // A power below one of the rank, and ranks in no order of index.
        let node = |u: f64| ((n as f64 * u.powf(2.5)) as usize).min(n - 1);
        (0..n * per_row).map(|_| ((node(r.unit()) * 7919 + shift) % n) as i32).collect()
    };
    let coords = vec![Buffer::from(skewed(1)), Buffer::from(skewed(2))];
    let vals: Vec<f64> = (0..n * per_row).map(|_| r.unit() + 0.5).collect();
    text(Coo::new(vec![n, n], coords, Buffer::from(vals)))
}

/// Each coordinate with probability `density`, and at least one.
pub fn random(shape: [usize; 2], density: f64, seed: u64) -> Text<Coo> {
    let mut r = BenchRandom(seed);
    let (mut rows, mut cols) = (Vec::new(), Vec::new());
    // The gaps between entries that are drawn one by one.
    let gap = |u: f64| ((1.0 - u).ln() / (1.0 - density).ln()) as usize + 1;
    let mut at = gap(r.unit()) - 1;
    while at < shape[0] * shape[1] {
        rows.push((at / shape[1]) as i32);
        cols.push((at % shape[1]) as i32);
        at += gap(r.unit());
    }
    let vals: Vec<f64> = rows.iter().map(|_| r.unit() + 0.5).collect();
    text(Coo::new(shape.to_vec(), vec![Buffer::from(rows), Buffer::from(cols)], Buffer::from(vals)))
}

/// The same matrix with its columns moved round, as an operand of another pattern.
pub fn shift_columns(coo: &Coo, by: usize) -> Text<Coo> {
    let cols = coo.shape()[1] as i32;
    let moved = |j: &i32| ((i64::from(*j) + by as i64) % i64::from(cols)) as i32;
    let crd: Vec<i32> = coo.coords(1).as_slice::<i32>().ok_or("i32 coordinates")?.iter().map(moved).collect();
    let coords = vec![coo.coords(0).clone(), Buffer::from(crd)];
    sort_coordinates(text(Coo::new(coo.shape().to_vec(), coords, coo.vals().clone()))?)
}

/// Coordinates in row order, without duplicates.
pub fn sort_coordinates(coo: Coo) -> Text<Coo> {
    text(unpack(&text(pack(&coo, &text(Format::parse("coo", 2))?, Scalar::F64(0.0)))?))
}

/// In CSR.
pub fn csr(coo: &Coo) -> Text<Tensor> {
    text(inputs::pack_with_zero(coo, &presets::csr()))
}

/// A dense matrix by a formula that the peers' process has as well.
pub fn dense(shape: [usize; 2], seed: u64) -> Text<Tensor> {
    text(inputs::formula(&shape, seed))
}
