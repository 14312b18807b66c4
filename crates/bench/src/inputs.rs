//! Generated inputs, always the same.

use openwork::{Buffer, Coo, DType, Format, Result, Scalar, Tensor, TensorExt};
use openwork_storage::pack;
use std::path::PathBuf;

/// A small deterministic generator (SplitMix64).
pub struct BenchRandom(pub u64);

impl BenchRandom {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`.
    pub fn number_below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }
    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The folder of matrices and tensors from elsewhere: `OPENWORK_DATA`, or one beside the repository.
pub fn data() -> PathBuf {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_string();
    std::env::var("OPENWORK_DATA").unwrap_or_else(|_| beside()).into()
}

/// Coordinates with random values.
fn coo(shape: &[usize], coords: Vec<Vec<i32>>, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let n = coords[0].len();
    let vals: Vec<f64> = (0..n).map(|_| r.unit() + 0.5).collect();
    Coo::new(shape.to_vec(), coords.into_iter().map(Buffer::from).collect(), Buffer::from(vals))
}

/// The five-point stencil on a square grid of `side` points a side.
pub fn stencil(side: usize) -> Result<Coo> {
    let (mut rows, mut cols) = (Vec::new(), Vec::new());
    for y in 0..side {
        for x in 0..side {
            let at = y * side + x;
            let mut push = |other: usize| {
                rows.push(at as i32);
                cols.push(other as i32);
            };
            if y > 0 {
                push(at - side);
            }
            if x > 0 {
                push(at - 1);
            }
            push(at);
            if x + 1 < side {
                push(at + 1);
            }
            if y + 1 < side {
                push(at + side);
            }
        }
    }
    coo(&[side * side, side * side], vec![rows, cols], 1)
}

/// `per_row` uniformly random columns in each of `n` rows.
pub fn uniform(n: usize, per_row: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let rows = (0..n * per_row).map(|k| (k / per_row) as i32).collect();
    let cols = (0..n * per_row).map(|_| r.number_below(n) as i32).collect();
    coo(&[n, n], vec![rows, cols], seed)
}

/// Uniformly random coordinates of a tensor of order three.
pub fn tensor(shape: [usize; 3], nnz: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let coords = shape.iter().map(|&d| (0..nnz).map(|_| r.number_below(d) as i32).collect()).collect();
    coo(&shape, coords, seed)
}

/// Random coordinates of a tensor of any order, with values of both signs.
pub fn leaves(shape: &[usize], nnz: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let coords = shape.iter().map(|&d| (0..nnz).map(|_| r.number_below(d) as i32).collect::<Vec<i32>>());
    let coords = coords.map(Buffer::from).collect();
    let vals: Vec<f64> = (0..nnz).map(|_| r.unit() - 0.5).collect();
    Coo::new(shape.to_vec(), coords, Buffer::from(vals))
}

/// A dense tensor of random values.
pub fn dense(shape: &[usize], seed: u64) -> Result<Tensor> {
    let mut r = BenchRandom(seed);
    Tensor::from_vec(shape, (0..shape.iter().product()).map(|_| r.unit()).collect::<Vec<f64>>())
}

/// A dense tensor by a formula that the peers' process has as well (`dense` in `peer/operands.py`).
pub fn formula(shape: &[usize], seed: u64) -> Result<Tensor> {
    let start = seed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = |n: usize| {
        let bits = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(start);
        (bits >> 40) as f64 / f64::from(1 << 24)
    };
    let vals: Vec<f64> = (0..shape.iter().product()).map(value).collect();
    Tensor::dense(shape, vals.into())
}

/// `per_row` random columns in each row, in `f32`.
pub fn rows_of(rows: usize, columns: usize, per_row: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let n = rows * per_row;
    let at: Vec<i32> = (0..n).map(|k| (k / per_row) as i32).collect();
    let others: Vec<i32> = (0..n).map(|_| r.number_below(columns) as i32).collect();
    let vals: Vec<f32> = (0..n).map(|_| r.unit() as f32 + 0.5).collect();
    Coo::new(vec![rows, columns], vec![Buffer::from(at), Buffer::from(others)], Buffer::from(vals))
}

/// As [`tensor`], in `f32`.
pub fn tensor_f32(shape: [usize; 3], nnz: usize, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let coords = shape.iter().map(|&d| (0..nnz).map(|_| r.number_below(d) as i32).collect::<Vec<i32>>());
    let coords = coords.map(Buffer::from).collect();
    let vals: Vec<f32> = (0..nnz).map(|_| r.unit() as f32 + 0.5).collect();
    Coo::new(shape.to_vec(), coords, Buffer::from(vals))
}

/// As [`dense`], in `f32`.
pub fn dense_f32(shape: &[usize], seed: u64) -> Result<Tensor> {
    let mut r = BenchRandom(seed);
    let n = shape.iter().product();
    Tensor::from_vec(shape, (0..n).map(|_| r.unit() as f32 + 0.5).collect::<Vec<f32>>())
}

/// Packs with fill zero.
pub fn pack_with_zero(coo: &Coo, format: &Format) -> Result<Tensor> {
    pack(coo, format, format.fill_value(DType::F64).unwrap_or(Scalar::F64(0.0)))
}

/// Every entry within `reach` of the diagonal of an `n x n` matrix.
pub fn band(n: usize, reach: usize) -> Result<Coo> {
    let (mut rows, mut cols) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in i.saturating_sub(reach)..(i + reach + 1).min(n) {
            rows.push(i as i32);
            cols.push(j as i32);
        }
    }
    coo(&[n, n], vec![rows, cols], 3)
}

/// Rows of runs of equal values, some `length` long, of which a fraction `stored` is not zero.
pub fn runs([rows, columns]: [usize; 2], length: usize, stored: f64, seed: u64) -> Result<Coo> {
    let mut r = BenchRandom(seed);
    let (mut at, mut cols, mut vals) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rows {
        let mut j = 0;
        while j < columns {
            let end = (j + 1 + r.number_below(2 * length - 1)).min(columns);
            let value = (1 + r.number_below(9)) as f64;
            if r.unit() < stored {
                for k in j..end {
                    at.push(i as i32);
                    cols.push(k as i32);
                    vals.push(value);
                }
            }
            j = end;
        }
    }
    Coo::new(vec![rows, columns], vec![Buffer::from(at), Buffer::from(cols)], Buffer::from(vals))
}

/// `per_row` dense blocks of `size x size` in each of `n` rows of blocks, near the diagonal.
pub fn blocks(n: usize, size: usize, per_row: usize) -> Result<Coo> {
    let mut r = BenchRandom(7);
    let (mut rows, mut cols) = (Vec::new(), Vec::new());
    for b in 0..n {
        let mut at: Vec<usize> = (0..per_row).map(|_| (b + r.number_below(2000)).min(n - 1)).collect();
        at.sort_unstable();
        at.dedup();
        for i in 0..size {
            for &c in &at {
                for j in 0..size {
                    rows.push((b * size + i) as i32);
                    cols.push((c * size + j) as i32);
                }
            }
        }
    }
    coo(&[n * size, n * size], vec![rows, cols], 7)
}
