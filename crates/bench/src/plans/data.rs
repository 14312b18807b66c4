//! What the statements run on: generated, always the same, and real where the data folder is there.

use super::Text;
use crate::applied;
use crate::inputs::{self, BenchRandom};
use openwork::{Buffer, Coo, DType, Format, FormatExt, Scalar, Tensor};
use openwork_storage::{files, pack};
use std::path::PathBuf;

/// How much is done for an element of an operand, and so how large the operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Something once: large matrices.
    Linear,
    /// What a row or column holds: smaller matrices.
    Product,
    /// Operands of order three.
    Cube,
}

/// How elements lie.
#[derive(Clone, Copy, Debug)]
pub enum DataPattern {
    /// Anywhere.
    Uniform,
    /// Many in a few rows and columns.
    Power,
    /// Around the diagonal.
    Band,
    /// As applications have them, of so many rows and columns or subjects, relations and objects; `elements` says how many facts
    /// there are.
    Circuit,
    Roads,
    LeastSquares,
    LinearProgram,
    Facts,
    /// As a file of the data folder has them.
    File(&'static str),
}

/// A kind of data: sizes for statements that do something once for an element, and for products.
pub struct Data {
    pub name: &'static str,
    pub pattern: DataPattern,
    /// Rows, and elements of each thousand rows.
    linear: (usize, usize),
    product: (usize, usize),
    /// One of so many coordinates of a sparse vector is stored.
    vectors: usize,
}

/// Kinds of matrices that are generated.
pub const MATRICES: &[Data] = &[
    Data {
        name: "uniform",
        pattern: DataPattern::Uniform,
        linear: (40_000, 10_000),
        product: (4000, 8000),
        vectors: 50,
    },
    Data {
        name: "power law",
        pattern: DataPattern::Power,
        linear: (30_000, 12_000),
        product: (3000, 6000),
        vectors: 5,
    },
    Data {
        name: "band",
        pattern: DataPattern::Band,
        linear: (60_000, 7000),
        product: (12_000, 5000),
        vectors: 100,
    },
    Data {
        name: "mostly empty",
        pattern: DataPattern::Uniform,
        linear: (500_000, 300),
        product: (200_000, 200),
        vectors: 1000,
    },
    Data {
        name: "thick",
        pattern: DataPattern::Uniform,
        linear: (1000, 300_000),
        product: (250, 60_000),
        vectors: 3,
    },
    Data {
        name: "small",
        pattern: DataPattern::Uniform,
        linear: (3000, 40_000),
        product: (600, 12_000),
        vectors: 10,
    },
    Data {
        name: "circuit",
        pattern: DataPattern::Circuit,
        linear: (20_000, 6000),
        product: (1200, 6000),
        vectors: 10,
    },
    Data {
        name: "road map",
        pattern: DataPattern::Roads,
        linear: (65_536, 2600),
        product: (16_384, 2600),
        vectors: 100,
    },
];

/// Kinds that are not square, for statements that say so.
pub const RECTANGLES: &[(&str, DataPattern, [usize; 2], usize)] = &[
    ("least squares", DataPattern::LeastSquares, [1850, 712], 8700),
    ("linear program", DataPattern::LinearProgram, [800, 2000], 6000),
];

const fn real(name: &'static str, path: &'static str) -> Data {
    Data { name, pattern: DataPattern::File(path), linear: (0, 0), product: (0, 0), vectors: 20 }
}

/// Real matrices, larger ones first.
const LARGE: &[Data] = &[
    real("bcsstk38", "matrices/bcsstk38.mtx.gz"),
    real("ca-AstroPh", "graphs/ca-AstroPh.mtx.gz"),
    real("bfly", "graphs/bfly.mtx.gz"),
];
const SMALL: &[Data] = &[
    real("cora", "gnn/cora_adj.mtx.gz"),
    real("p2p-Gnutella08", "graphs/p2p-Gnutella08.mtx.gz"),
    real("can_1072", "matrices/can_1072.mtx.gz"),
    real("cage10", "matrices/cage10.mtx.gz"),
];

/// Kinds of tensors of order three that are generated: their sizes, and how many elements.
const CUBES: &[(&str, DataPattern, [usize; 3], usize)] = &[
    ("even cube", DataPattern::Uniform, [100, 120, 140], 60_000),
    ("wide cube", DataPattern::Uniform, [3000, 2000, 4000], 50_000),
    ("flat cube", DataPattern::Uniform, [1500, 30, 1500], 80_000),
    ("knowledge graph", DataPattern::Facts, [3000, 40, 3000], 30_000),
];
const REAL_CUBES: &[(&str, &str)] =
    &[("collegemsg", "tensors/collegemsg.tns.gz"), ("kinship", "tensors/kinship.tns.gz")];

/// The names of the kinds of data that suit a weight; real ones apart.
pub fn kinds(weight: Weight, real: bool) -> Vec<&'static str> {
    match (weight, real) {
        (Weight::Cube, false) => CUBES.iter().map(|c| c.0).collect(),
        (Weight::Cube, true) => REAL_CUBES.iter().map(|c| c.0).collect(),
        (_, false) => MATRICES.iter().map(|d| d.name).collect(),
        (Weight::Linear, true) => LARGE.iter().map(|d| d.name).collect(),
        (Weight::Product, true) => SMALL.iter().map(|d| d.name).collect(),
    }
}

/// One kind of data in one size, from which operands are made.
pub struct DataSource {
    /// Rows and columns; the sizes of the modes of tensors of order three.
    shape: Vec<usize>,
    /// Elements of such an operand.
    elements: usize,
    pattern: DataPattern,
    vectors: usize,
    /// What a file holds.
    read: Option<Coo>,
}

/// Columns of dense matrices that are not square.
const COLUMNS: usize = 16;

impl DataSource {
    /// The data of that name; nothing where its file is absent.
    pub fn open(name: &str, weight: Weight) -> Text<Option<DataSource>> {
        let matrix = MATRICES.iter().chain(LARGE).chain(SMALL).find(|d| d.name == name);
        let cube = CUBES.iter().find(|c| c.0 == name);
        if let Some(&(_, pattern, shape, elements)) = RECTANGLES.iter().find(|r| r.0 == name) {
            let shape = shape.to_vec();
            return Ok(Some(DataSource { shape, elements, pattern, vectors: 4, read: None }));
        }
        match (matrix, cube) {
            (Some(d), _) => match d.pattern {
                DataPattern::File(path) => from_file(path, d.vectors),
                pattern => {
                    let (n, thousandths) = if weight == Weight::Linear { d.linear } else { d.product };
                    let elements = n * thousandths / 1000;
                    Ok(Some(DataSource {
                        shape: vec![n, n],
                        elements,
                        pattern,
                        vectors: d.vectors,
                        read: None,
                    }))
                }
            },
            (None, Some(&(_, pattern, shape, elements))) => {
                let shape = shape.to_vec();
                Ok(Some(DataSource { shape, elements, pattern, vectors: 4, read: None }))
            }
            (None, None) => {
                let found =
                    REAL_CUBES.iter().find(|c| c.0 == name).ok_or(format!("no data called {name}"))?;
                from_file(found.1, 4)
            }
        }
    }
    /// How many values an index variable takes.
    pub fn size(&self, var: char) -> usize {
        match (var, self.shape.len()) {
            ('r' | 'q', _) => COLUMNS,
            ('j', 3) => self.shape[1],
            ('k', 3) => self.shape[2],
            // Where rows and columns are not as many, `j` and `l` count columns.
            ('j' | 'l', _) => self.shape[1],
            _ => self.shape[0],
        }
    }
    /// How many values an operand over these variables will store, about.
    #[cfg(test)]
    pub fn stored_count(&self, vars: &[char], format: &str) -> usize {
        let all: usize = vars.iter().map(|&v| self.size(v)).product();
        match vars.len() {
            _ if format.starts_with("dense") => all,
            1 => all / self.vectors,
            _ => self.elements.min(all),
        }
    }
    /// An operand: its values and coordinates differ by name.
    pub fn operand(&self, name: &str, vars: &[char], format: &str) -> Text<Tensor> {
        let shape: Vec<usize> = vars.iter().map(|&v| self.size(v)).collect();
        let seed = name.bytes().fold(vars.len() as u64, |h, b| h * 131 + u64::from(b));
        let layout = Format::parse(format, vars.len()).map_err(|e| e.to_string())?;
        let coo = match shape[..] {
            _ if format.starts_with("dense") => dense_elements(&shape, seed),
            [n] => random_elements(n, n.div_ceil(self.vectors), seed),
            [rows, columns] if shape != self.shape => {
                inputs::rows_of(rows, columns, columns.min(4), seed).and_then(|c| c.cast(DType::F64))
            }
            [n, _] if self.read.is_none() => self.matrix(n, seed),
            [a, b, c] if matches!(self.pattern, DataPattern::Facts) => {
                applied::knowledge_graph([a, b, c], self.elements, seed)
            }
            [a, b, c] if self.read.is_none() => inputs::tensor([a, b, c], self.elements, seed),
            _ => rotate_rows(self.read.as_ref().ok_or("a file was read")?, seed),
        };
        coo.and_then(|coo| pack(&coo, &layout, Scalar::F64(0.0))).map_err(|e| e.to_string())
    }
    fn matrix(&self, n: usize, seed: u64) -> openwork::Result<Coo> {
        let mut r = BenchRandom(seed);
        match self.pattern {
            DataPattern::Band => inputs::band(n, self.elements / n / 2),
            DataPattern::Power => {
                let node = |u: f64| ((n as f64 * u.powf(2.5)) as usize).min(n - 1);
                let mut skewed = || -> Vec<i32> {
                    (0..self.elements).map(|_| ((node(r.unit()) * 7919 + 1) % n) as i32).collect()
                };
                with_values(vec![n, n], vec![skewed(), skewed()], seed)
            }
            DataPattern::Circuit => applied::circuit(n, seed),
            DataPattern::Roads => applied::roads(n.isqrt(), seed),
            DataPattern::LeastSquares => applied::least_squares([n, self.shape[1]], seed),
            DataPattern::LinearProgram => applied::linear_program([n, self.shape[1]], seed),
            DataPattern::Uniform | DataPattern::Facts | DataPattern::File(_) => {
                let mut any =
                    || -> Vec<i32> { (0..self.elements).map(|_| r.number_below(n) as i32).collect() };
                with_values(vec![n, n], vec![any(), any()], seed)
            }
        }
    }
}

/// A square matrix or a tensor from the data folder, if it is there.
fn from_file(path: &str, vectors: usize) -> Text<Option<DataSource>> {
    let folder = std::env::var("OPENWORK_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_string());
    let path = PathBuf::from(folder).join(path);
    if !path.exists() {
        return Ok(None);
    }
    let coo = files::read(&path).and_then(|coo| coo.cast(DType::F64)).map_err(|e| e.to_string())?;
    let (shape, elements) = (coo.shape().to_vec(), coo.len());
    Ok(Some(DataSource { shape, elements, pattern: DataPattern::Uniform, vectors, read: Some(coo) }))
}

fn with_values(shape: Vec<usize>, coords: Vec<Vec<i32>>, seed: u64) -> openwork::Result<Coo> {
    let mut r = BenchRandom(seed ^ 0x5555);
    let vals: Vec<f64> = coords[0].iter().map(|_| r.unit() + 0.5).collect();
    Coo::new(shape, coords.into_iter().map(Buffer::from).collect(), Buffer::from(vals))
}

/// About `count` elements of a vector.
fn random_elements(n: usize, count: usize, seed: u64) -> openwork::Result<Coo> {
    let mut r = BenchRandom(seed);
    with_values(vec![n], vec![(0..count).map(|_| r.number_below(n) as i32).collect()], seed)
}

/// Every element.
fn dense_elements(shape: &[usize], seed: u64) -> openwork::Result<Coo> {
    let count: usize = shape.iter().product();
    let mut below = count;
    let modes = shape.iter().map(|&n| {
        below /= n;
        (0..count).map(|at| (at / below % n) as i32).collect()
    });
    with_values(shape.to_vec(), modes.collect(), seed)
}

/// Other values, and rows that are moved round by a few, so that operands from one file differ.
fn rotate_rows(coo: &Coo, seed: u64) -> openwork::Result<Coo> {
    let rows = coo.shape()[0] as i64;
    let by = (seed % 4) as i64;
    let coords = (0..coo.rank()).map(|m| {
        let at = coo.coords(m);
        let moved = |e: usize| match m {
            0 => ((at.get(e).as_i64() + by) % rows) as i32,
            _ => at.get(e).as_i64() as i32,
        };
        (0..coo.len()).map(moved).collect()
    });
    with_values(coo.shape().to_vec(), coords.collect(), seed)
}
