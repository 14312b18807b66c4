//! Formats and tensors that the tests over all pairs share. No test uses all of it.

#![allow(dead_code)]

use openwork::{DType, Format, Result, Scalar, Tensor};
use openwork_algebra::Prim;
use openwork_base::Source;
use openwork_filetests::random::TestRandom;
use openwork_format::Catalog;
use openwork_storage::{Coo, pack};
use std::collections::BTreeMap;

/// A format by its text.
pub fn format_of(text: &str, rank: usize) -> Format {
    Catalog::default().parse(&Source::new("format", text), rank).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The formats under test.
pub fn formats(rank: usize) -> Vec<&'static str> {
    match rank {
        1 => VECTORS.to_vec(),
        2 => MATRICES.to_vec(),
        _ => TENSORS.to_vec(),
    }
}

const VECTORS: &[&str] = &[
    "dense",
    "sv",
    "coo",
    "coo_aos",
    "hash",
    "dok",
    "bytemap",
    "bitmap",
    "ragged",
    "lil",
    "rle",
    "hicoo(2)",
    "(i) -> (i) : sliced",
    "(i) -> (i) : squeezed",
    "(i) -> (i) : skyline",
    "(i) -> (i) : compressed(unordered)",
    "(i) -> (i/3, i%3) : compressed, compressed",
    "(i) -> (i/3, i%3) : masked, dense",
    "(i) -> (#, i) : dense, singleton(padded)",
];

const MATRICES: &[&str] = &[
    "dense",
    "csr",
    "csc",
    "dcsr",
    "dcsc",
    "coo",
    "coo_aos",
    "coo:1,0",
    "hash",
    "dok",
    "bytemap",
    "bitmap",
    "ragged",
    "lil",
    "rle",
    "ell",
    "jad",
    "dia",
    "banded",
    "sky",
    "lower",
    "upper",
    "bcsr(2,3)",
    "bcsc(2,2)",
    "sell(2)",
    "csb(2)",
    "hicoo(2)",
    "dense:1,0",
    "hash:1,0",
    "rle:1,0",
    "(i,j) -> (i,j) : dense, sliced",
    "(i,j) -> (i,j) : dense, squeezed",
    "(i,j) -> (i,j) : dense, compressed(unordered)",
    "(i,j) -> (i,j) : compressed(nonunique,unordered), singleton(unordered)",
    "(i,j) -> (i,j) : masked, compressed",
    "(i,j) -> (i/2,i,j) : dense, dense, compressed",
    "(i,j) -> (i+j,i) : squeezed, range",
    "(i,j) -> (i-j,j) : compressed, compressed",
];

const TENSORS: &[&str] = &[
    "dense",
    "csr",
    "csf",
    "csf:2,0,1",
    "coo",
    "coo_aos",
    "hash",
    "dok",
    "bytemap",
    "bitmap",
    "ragged",
    "lil",
    "rle",
    "hicoo(2)",
    "modegeneric",
    "dds:1,0,2",
    "(i,j,k) -> (k,j,i) : hashed, list, hashed",
    "(i,j,k) -> (i,j,k) : masked, dense, compressed",
    "(i,j,k) -> (i,j,k) : dense, hashed(nonunique), singleton",
    "(i,j,k) -> (i-j, i, j, k) : squeezed, range, offset, compressed",
    "(i,j,k) -> (i/2, j/2, k/2, i%2, j%2, k%2) : compressed, compressed, compressed, dense, dense, dense",
];

/// Entries of a tensor.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub shape: Vec<usize>,
    pub dtype: DType,
    pub fill: Scalar,
    pub entries: Vec<(Vec<usize>, Scalar)>,
}

impl Matrix {
    /// Small random values; integers, so that sums are exact.
    pub fn new(r: &mut TestRandom, shape: &[usize], at: &[Vec<usize>], dtype: DType, fill: Scalar) -> Matrix {
        let entries =
            at.iter().map(|at| (at.clone(), Scalar::from_i64(r.number_below(4) as i64, dtype))).collect();
        Matrix { shape: shape.to_vec(), dtype, fill, entries }
    }
    /// Without the entries for which a triangle has no room.
    pub fn drop_outside(mut self, format: &str) -> Matrix {
        match format {
            "lower" => self.entries.retain(|(at, _)| at[1] <= at[0]),
            "upper" => self.entries.retain(|(at, _)| at[1] >= at[0]),
            _ => {}
        }
        self
    }
    /// Without the entries for which the target has no room, which may be the transpose.
    pub fn turn(mut self, turned: bool, target: &str) -> Matrix {
        let flip = |at: &[usize]| at.iter().rev().copied().collect::<Vec<_>>();
        if !turned {
            return self.drop_outside(target);
        }
        match target {
            "lower" => self.entries.retain(|(at, _)| flip(at)[1] <= flip(at)[0]),
            "upper" => self.entries.retain(|(at, _)| flip(at)[1] >= flip(at)[0]),
            _ => {}
        }
        self
    }
    /// All values, last mode fastest; of the transpose if `turn`.
    pub fn dense(&self, turned: bool) -> Vec<Scalar> {
        let mut sums: BTreeMap<Vec<usize>, Scalar> = BTreeMap::new();
        for (at, value) in &self.entries {
            let key = if turned { at.iter().rev().copied().collect() } else { at.clone() };
            let sum = |s: &mut Scalar| *s = Prim::Add.eval(&[*s, *value]).expect("one dtype");
            sums.entry(key).and_modify(sum).or_insert(*value);
        }
        let mut shape = self.shape.clone();
        if turned {
            shape.reverse();
        }
        at_all(&shape).into_iter().map(|at| sums.get(&at).copied().unwrap_or(self.fill)).collect()
    }
}

/// The tensor in a format.
pub fn pack_matrix(a: &Matrix, format: &str) -> Result<Tensor> {
    let coo = Coo::from_entries(&a.shape, a.dtype, &a.entries)?;
    pack(&coo, &format_of(format, a.shape.len()), a.fill)
}

/// Every coordinate of a shape.
pub fn at_all(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &d| {
        all.iter().flat_map(|at| (0..d).map(|c| [&at[..], &[c]].concat())).collect()
    })
}

/// Entry lists over a shape: none, one, random ones with duplicates, a full row, the diagonal, all, one twice over.
pub fn patterns(r: &mut TestRandom, shape: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let all = at_all(shape);
    if all.is_empty() {
        return vec![Vec::new()];
    }
    let one = vec![all[r.number_below(all.len())].clone()];
    let few: Vec<Vec<usize>> =
        (0..1 + all.len() / 3).map(|_| all[r.number_below(all.len())].clone()).collect();
    let row = all.iter().filter(|at| at[0] == shape[0] / 2).cloned().collect();
    let diagonal = all.iter().filter(|at| at.windows(2).all(|w| w[0] == w[1])).cloned().collect();
    let many = (0..all.len()).map(|_| all[r.number_below(all.len())].clone()).collect();
    let twice = [&one[..], &one[..], &few[..]].concat();
    vec![Vec::new(), one, few, row, diagonal, all, many, twice]
}
