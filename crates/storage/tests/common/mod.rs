//! What the tests of formats share: a table of formats and random tensors. No test uses all of it.

#![allow(dead_code)]

use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::Source;
use openwork_format::{Catalog, Format};
use openwork_storage::Coo;
use std::collections::BTreeMap;

/// A small generator of the tests' own.
pub struct Random(pub u64);

impl Random {
    pub fn number_below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

pub fn format(text: &str, rank: usize) -> Format {
    Catalog::default().parse(&Source::new("format", text), rank).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Every format under test, with its rank.
pub const FORMATS: &[(usize, &str)] = &[
    (1, "dense"),
    (1, "sv"),
    (1, "coo"),
    (1, "coo_aos"),
    (1, "hash"),
    (1, "dok"),
    (1, "bytemap"),
    (1, "bitmap"),
    (1, "ragged"),
    (1, "lil"),
    (1, "rle"),
    (1, "hicoo(2)"),
    (1, "(i) -> (i) : sliced"),
    (1, "(i) -> (i) : squeezed"),
    (1, "(i) -> (i) : skyline"),
    (1, "(i) -> (i/3, i%3) : compressed, compressed"),
    (1, "(i) -> (i/3, i%3) : masked, dense"),
    (1, "(i) -> (#, i) : dense, singleton(padded)"),
    (2, "dense"),
    (2, "csr"),
    (2, "csc"),
    (2, "dcsr"),
    (2, "dcsc"),
    (2, "csf"),
    (2, "coo"),
    (2, "coo_aos"),
    (2, "hash"),
    (2, "dok"),
    (2, "bytemap"),
    (2, "bitmap"),
    (2, "ragged"),
    (2, "lil"),
    (2, "rle"),
    (2, "ell"),
    (2, "jad"),
    (2, "dia"),
    (2, "banded"),
    (2, "sky"),
    (2, "lower"),
    (2, "upper"),
    (2, "bcsr(2,3)"),
    (2, "bcsc(2,2)"),
    (2, "sell(2)"),
    (2, "csb(2)"),
    (2, "hicoo(2)"),
    (2, "dense:1,0"),
    (2, "coo:1,0"),
    (2, "hash:1,0"),
    (2, "rle:1,0"),
    (2, "banded:1,0"),
    (2, "lower:1,0"),
    (2, "sky:1,0"),
    (2, "bitmap:1,0"),
    (2, "(i,j) -> (i,j) : masked, compressed"),
    (2, "(i,j) -> (i,j) : masked, singleton"),
    (2, "(i,j) -> (i,j) : dense, singleton(padded)"),
    (2, "(i,j) -> (i,j) : masked, banded"),
    (2, "(i,j) -> (i,j) : bitmap, masked"),
    (2, "(i,j) -> (i,j) : bitmap, list"),
    (2, "(i,j) -> (i,j) : bitmap, runs"),
    (2, "(i,j) -> (i,j) : hashed, hashed"),
    (2, "(i,j) -> (i,j) : hashed, dense"),
    (2, "(i,j) -> (i,j) : hashed, compressed"),
    (2, "(i,j) -> (i,j) : hashed, runs"),
    (2, "(i,j) -> (i,j) : hashed, ragged"),
    (2, "(i,j) -> (i,j) : hashed, skyline"),
    (2, "(i,j) -> (i,j) : hashed, bitmap"),
    (2, "(i,j) -> (i,j) : list, list"),
    (2, "(i,j) -> (i,j) : list, compressed"),
    (2, "(i,j) -> (i,j) : list, hashed"),
    (2, "(i,j) -> (i,j) : list(nonunique), singleton"),
    (2, "(i,j) -> (i,j) : list, compressed_aos"),
    (2, "(i,j) -> (i,j) : dense, compressed_aos"),
    (2, "(i,j) -> (i,j) : squeezed, compressed"),
    (2, "(i,j) -> (i,j) : squeezed, squeezed"),
    (2, "(i,j) -> (i,j) : sliced, sliced"),
    (2, "(i,j) -> (j,i) : ragged, compressed"),
    (2, "(i,j) -> (i,j) : skyline, skyline"),
    (2, "(i,j) -> (i,j) : compressed, runs"),
    (2, "(i,j) -> (i,j) : compressed(unordered), dense"),
    (2, "(i,j) -> (i/2, i, j) : dense, dense, dense"),
    (2, "(i,j) -> (i/2, i, j) : compressed, dense, compressed"),
    (2, "(i,j) -> (i/2, i, j) : masked, masked, masked"),
    (2, "(i,j) -> (i+j, i) : squeezed, range"),
    (2, "(i,j) -> (i+j, i) : hashed, dense"),
    (2, "(i,j) -> (i-j, j, i) : compressed, compressed, singleton"),
    (2, "(i,j) -> (i-j, j, i) : compressed, list, singleton"),
    (2, "(i,j) -> (i-j, j, i) : bitmap, range, offset"),
    (2, "(i,j) -> (j-i, i, j) : dense, range, offset"),
    (2, "(i,j) -> (i+j+3, i, j) : hashed(nonunique), singleton, offset"),
    (2, "(i,j) -> (#i, i, j) : compressed, dense, singleton(padded)"),
    (2, "(i,j) -> (#j, j, i) : ragged, hashed, singleton"),
    (2, "(i,j) -> (#i, i, j) : sliced, masked, dense"),
    (2, "(i,j) -> (i/2, j/2, i%2, j%2) : bitmap, compressed, dense, masked"),
    (3, "dense"),
    (3, "csr"),
    (3, "csf"),
    (3, "coo"),
    (3, "coo_aos"),
    (3, "hash"),
    (3, "dok"),
    (3, "bytemap"),
    (3, "bitmap"),
    (3, "ragged"),
    (3, "lil"),
    (3, "rle"),
    (3, "hicoo(2)"),
    (3, "modegeneric"),
    (3, "(i,j,k) -> (k,j,i) : hashed, list, hashed"),
    (3, "(i,j,k) -> (i,j,k) : dense, dense, lower"),
    (3, "(i,j,k) -> (i,j,k) : compressed, dense, upper"),
    (3, "(i,j,k) -> (i,j,k) : masked, dense, compressed"),
    (3, "(i,j,k) -> (i,j,k) : dense, hashed(nonunique), singleton"),
    (3, "(i,j,k) -> (i,j,k) : masked, compressed_aos(nonunique), singleton_aos"),
    (3, "(i,j,k) -> (i-j, i, j, k) : squeezed, range, offset, compressed"),
    (3, "(i,j,k) -> (i-j, i, j, k) : squeezed, range, offset, hashed"),
    (3, "(i,j,k) -> (i-j, i, k, j) : dense, range, bitmap, offset"),
    (3, "(i,j,k) -> (i,j,k) : hashed, banded, runs"),
];

/// Whether the format has room for an entry there; triangles have not everywhere.
pub fn has_room(text: &str, at: &[usize]) -> bool {
    match (text, at) {
        ("lower", [i, j]) => j <= i,
        ("upper", [i, j]) => j >= i,
        ("lower:1,0", [i, j]) => i <= j,
        (t, [_, j, k]) if t.ends_with("lower") => k <= j,
        (t, [_, j, k]) if t.ends_with("upper") => k >= j,
        // One child per row.
        (t, [i, j]) if t.contains("dense, singleton") && !t.contains('#') => (i * 7) % 5 == *j,
        (t, [i, j]) if t.contains("masked, singleton") => (i * 7) % 5 == *j,
        _ => true,
    }
}

/// Entry lists over a shape: none, one, a full row, all, the diagonal, random ones with duplicates.
pub fn patterns(r: &mut Random, shape: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let size: usize = shape.iter().product();
    if size == 0 {
        return vec![Vec::new()];
    }
    let all = every_coordinate(shape);
    let pick = |r: &mut Random| all[r.number_below(size as u64) as usize].clone();
    let one = vec![pick(r)];
    let row = all.iter().filter(|at| at[0] == shape[0] / 2).cloned().collect();
    let diagonal = all.iter().filter(|at| at.windows(2).all(|w| w[0] == w[1])).cloned().collect();
    let few = (0..1 + size / 6).map(|_| pick(r)).collect();
    let many = (0..size).map(|_| pick(r)).collect();
    vec![Vec::new(), one, row, diagonal, few, many, all.clone()]
}

/// Every coordinate of a shape.
pub fn every_coordinate(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &d| {
        all.iter().flat_map(|at| (0..d).map(|c| [&at[..], &[c]].concat())).collect()
    })
}

/// What the entries mean: duplicates summed by the algebra's own operator, the fill value elsewhere.
pub fn meaning(coo: &Coo, fill: Scalar) -> Vec<Scalar> {
    let mut sums: BTreeMap<usize, Scalar> = BTreeMap::new();
    for e in 0..coo.len() {
        let at = coo.coords_of(e).iter().zip(coo.shape()).fold(0, |at, (&c, d)| at * d + c as usize);
        let value = coo.vals().get(e);
        sums.entry(at).and_modify(|s| *s = Prim::Add.eval(&[*s, value]).unwrap()).or_insert(value);
    }
    (0..coo.shape().iter().product()).map(|at| sums.get(&at).copied().unwrap_or(fill)).collect()
}

/// Entries with small random values, some of them the fill value.
pub fn entries(r: &mut Random, at: &[Vec<usize>], dtype: DType) -> Vec<(Vec<usize>, Scalar)> {
    at.iter().map(|at| (at.clone(), Scalar::from_i64(r.number_below(5) as i64, dtype))).collect()
}
