//! The exact arrays of every level format: what kernels and other libraries rely on.

use crate::common::format;
use openwork_algebra::{DType, Scalar};
use openwork_format::Format;
use openwork_storage::{Coo, Tensor, pack};

fn make_tensor(
    format: &Format,
    shape: &[usize],
    entries: &[(&[usize], i32)],
) -> openwork_base::Result<Tensor> {
    let entries: Vec<_> = entries.iter().map(|(at, v)| (at.to_vec(), Scalar::I32(*v))).collect();
    pack(&Coo::from_entries(shape, DType::I32, &entries).unwrap(), format, Scalar::I32(0))
}

/// The arrays of all levels and the values, as numbers.
fn arrays(text: &str, shape: &[usize], entries: &[(&[usize], i32)]) -> Vec<Vec<i64>> {
    let t = make_tensor(&format(text, shape.len()), shape, entries).unwrap_or_else(|e| panic!("{text}: {e}"));
    let all = t.levels().iter().flat_map(|l| &l.arrays).chain([t.vals()]);
    all.map(|b| b.iter().map(|v| v.as_i64()).collect()).collect()
}

/// ```text
/// 1 . . 2
/// . 3 . .
/// . . . .
/// ```
const MATRIX: &[(&[usize], i32)] = &[(&[0, 0], 1), (&[0, 3], 2), (&[1, 1], 3)];
const SHAPE: &[usize] = &[3, 4];

#[test]
fn levels_with_a_slot_for_every_coordinate() {
    let vals = vec![1, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0];
    assert_eq!(arrays("dense", SHAPE, MATRIX), std::slice::from_ref(&vals));
    let mask = vec![1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0];
    assert_eq!(arrays("bytemap", SHAPE, MATRIX), [mask, vals.clone()]);
    assert_eq!(arrays("bitmap", SHAPE, MATRIX), [vec![0b1001, 0b10, 0], vals]);
    let long = arrays("bitmap", &[70], &[(&[63], 5), (&[64], 6)]);
    assert_eq!(long[0], [i64::MIN, 1]);
    let sliced = arrays("(i,j) -> (j,i) : dense, sliced", SHAPE, MATRIX);
    assert_eq!(sliced, [vec![2], vec![1, 0, 0, 3, 0, 0, 2, 0]]);
    let squeezed = arrays("(i,j) -> (i,j) : dense, squeezed", SHAPE, MATRIX);
    assert_eq!(squeezed, [vec![3], vec![0, 1, 3], vec![1, 0, 2, 0, 3, 0, 0, 0, 0]]);
}

#[test]
fn levels_with_segments() {
    assert_eq!(arrays("csr", SHAPE, MATRIX), [vec![0, 2, 3, 3], vec![0, 3, 1], vec![1, 2, 3]]);
    let aos = arrays("coo_aos", SHAPE, MATRIX);
    assert_eq!(aos, [vec![0, 3], vec![0, 0, 0, 3, 1, 1], vec![1, 2, 3]]);
    let ragged = arrays("ragged", SHAPE, MATRIX);
    assert_eq!(ragged, [vec![0, 4, 6, 6], vec![1, 0, 0, 2, 0, 3]]);
    let sky = arrays("sky", SHAPE, MATRIX);
    assert_eq!(sky, [vec![0, 4, 5, 5], vec![0, 1, 0], vec![1, 0, 0, 2, 3]]);
    let lil = arrays("lil", SHAPE, MATRIX);
    assert_eq!(lil, [vec![0, 3, 4], vec![2, 4, 4], vec![0, 3, -1, 1, -1], vec![1, 2, 0, 3, 0]]);
    let rle = arrays("rle", SHAPE, &[(&[0, 1], 7), (&[0, 2], 7), (&[2, 3], 7)]);
    assert_eq!(rle, [vec![0, 3, 4, 6], vec![1, 3, 4, 4, 3, 4], vec![0, 7, 0, 0, 0, 7]]);
}

#[test]
fn bands_and_triangles() {
    let banded = arrays("banded", SHAPE, &[(&[0, 1], 1), (&[1, 0], 2), (&[2, 3], 3)]);
    assert_eq!(banded, [vec![1, 1], vec![0, 0, 1, 2, 0, 0, 0, 0, 3]]);
    assert_eq!(arrays("banded", SHAPE, &[]), [vec![0, -1], vec![]]);
    let lower = arrays("lower", &[3, 2], &[(&[0, 0], 1), (&[1, 1], 2), (&[2, 1], 3)]);
    assert_eq!(lower, [vec![1, 0, 2, 0, 3]]);
    let upper = arrays("upper", &[3, 4], &[(&[0, 3], 1), (&[1, 1], 2), (&[2, 2], 3)]);
    assert_eq!(upper, [vec![0, 0, 0, 1, 2, 0, 0, 3, 0]]);
    let dia = arrays("dia", SHAPE, MATRIX);
    assert_eq!(dia, [vec![2], vec![0, 3], vec![1, 3, 0, 2, 0, 0]]);
}

#[test]
fn remapped_levels() {
    let ell = arrays("ell", SHAPE, MATRIX);
    assert_eq!(ell, [vec![2], vec![0, 1, -1, 3, -1, -1], vec![1, 3, 0, 2, 0, 0]]);
    let jad = arrays("jad", SHAPE, MATRIX);
    assert_eq!(jad, [vec![2], vec![0, 2, 3], vec![0, 1, 0], vec![0, 1, 3], vec![1, 3, 2]]);
    let bcsr = arrays("bcsr(2,2)", SHAPE, MATRIX);
    assert_eq!(bcsr, [vec![0, 2, 2], vec![0, 1], vec![1, 0, 0, 3, 0, 2, 0, 0]]);
    let sell = arrays("sell(2)", SHAPE, MATRIX);
    assert_eq!(sell, [vec![0, 2, 2], vec![0, 1, 3, -1], vec![1, 3, 2, 0]]);
}

#[test]
fn hash_tables() {
    let hash = arrays("hash", SHAPE, &[(&[0, 0], 1), (&[0, 3], 2), (&[1, 1], 3)]);
    assert_eq!(hash[0], [4]);
    assert_eq!(hash[1], [0, -1, 3, -1, 1, -1, -1, -1, -1, -1, -1, -1]);
    // 12 and 13 start at the same bucket and the second wraps around.
    let wrapped = arrays("hash", &[80], &[(&[12], 1), (&[13], 2)]);
    assert_eq!(wrapped, [vec![4], vec![13, -1, -1, 12], vec![2, 0, 0, 1]]);
    // The whole tuple is hashed: spread(spread(1) + 1) ends in bits 00, spread(spread(0) + 2) in 10.
    let dok = arrays("dok", SHAPE, &[(&[1, 1], 5), (&[0, 2], 6)]);
    assert_eq!(dok, [vec![4], vec![1, -1, 0, -1], vec![1, -1, 2, -1], vec![5, 0, 6, 0]]);
}

#[test]
fn refusals_name_what_is_wrong() {
    let fails = |text: &str, shape: &[usize], entries: &[(&[usize], i32)], code: &str, words: &str| {
        let e = make_tensor(&format(text, shape.len()), shape, entries).unwrap_err();
        assert!(e.code().0 == code && e.to_string().contains(words), "{text}: {e}");
    };
    fails("lower", SHAPE, MATRIX, "E0602", "the entry at (0, 3) lies outside the lower triangle");
    fails("upper", SHAPE, &[(&[2, 1], 1)], "E0602", "the entry at (2, 1) lies outside the upper triangle");
    let diagonals = "(i,j) -> (j-i, i) : compressed, compressed ; crd = u8";
    fails(diagonals, SHAPE, &[(&[2, 1], 1)], "E0604", "coordinate -1 does not fit an index of u8");
    fails("hash ; crd = u8", &[256], &[(&[255], 1)], "E0604", "which marks empty slots");
    fails("rle ; crd = u8", &[256], &[(&[255], 1)], "E0604", "coordinate 256 does not fit");
    let marker = "(i,j) -> (j-i, i) : hashed, compressed";
    fails(marker, SHAPE, &[(&[2, 1], 1)], "E0602", "coordinate -1 is the marker of empty slots");
    fails("(i,j) -> (i,j) : dense, singleton", SHAPE, &[(&[0, 0], 1)], "E0602", "parent 1 has none");
    let twins = "(i,j) -> (i,j) : hashed, singleton";
    fails(twins, SHAPE, MATRIX, "E0602", "coordinate 0 has several children");
    // Coordinates up to the largest but one, and full arrays without empty slots, do fit.
    assert_eq!(arrays("hash ; crd = u8", &[256], &[(&[254], 1)])[1], [254, 255]);
    assert_eq!(arrays("sv ; crd = u8", &[256], &[(&[255], 1)])[1], [255]);
}

#[test]
fn padding_is_dropped_but_explicit_zeros_of_sparse_formats_are_kept() {
    let entries: &[(&[usize], i32)] = &[(&[0, 0], 0), (&[1, 1], 3)];
    for (text, left) in [("csr", 2), ("dense", 1), ("ell", 2), ("dia", 1), ("bytemap", 2), ("bcsr(2,2)", 1)] {
        let t = make_tensor(&format(text, 2), &[2, 2], entries).unwrap();
        assert_eq!(openwork_storage::unpack(&t).unwrap().len(), left, "{text}");
    }
    let t = make_tensor(&format("ell", 2), SHAPE, MATRIX).unwrap();
    assert_eq!((t.slots(), t.nnz()), (6, 3));
    assert_eq!(make_tensor(&format("dense", 2), SHAPE, MATRIX).unwrap().entries(), 12);
}
