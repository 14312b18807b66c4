//! A zero with a minus is the fill value where that is zero, in every format, and a value as any other elsewhere.

use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::Source;
use openwork_format::presets::PRESETS;
use openwork_format::{Catalog, Format};
use openwork_storage::{Coo, Tensor, pack, unpack};

/// Formats beside the presets: levels without the fill value, and numbered elements among slots of padding.
const OTHERS: [(usize, &str); 5] = [
    (1, "z"),
    (2, "dz"),
    (2, "(i,j) -> (#i, i, j) : sliced, dense, singleton(padded)"),
    (2, "(i,j) -> (#, i, j) : dense, squeezed, sliced"),
    (2, "(i,j) -> (i/2, #i, i%2, j, i) : dense, dense, dense, banded, offset"),
];

fn bits(s: Scalar) -> [u64; 2] {
    let z = s.as_complex();
    [z.re, z.im].map(f64::to_bits)
}

/// Zeros of both signs beside other values, in the lower triangle and symmetric where the format asks for that.
fn tensor(dtype: DType, rank: usize, format: &Format, name: &str) -> Coo {
    let zero = match dtype.is_complex() {
        true => Scalar::C128(Complex::new(0.0, -0.0)).cast(dtype),
        false => Scalar::from_f64(-0.0, dtype),
    };
    let values = [zero, Scalar::one(dtype), zero, Scalar::from_f64(-0.0, dtype)];
    let mut entries = Vec::new();
    for (n, at) in [[0, 0, 0], [1, 0, 2], [2, 1, 1], [3, 3, 0]].into_iter().enumerate() {
        let mut at = at[..rank].to_vec();
        if name == "upper" {
            at.reverse();
        }
        entries.push((at.clone(), values[n]));
        at.reverse();
        if format.symmetric && at[0] != at[1] {
            entries.push((at, values[n]));
        }
    }
    Coo::from_entries(&[4, 4, 4][..rank], dtype, &entries).unwrap()
}

fn holds(format: &Format, name: &str, rank: usize) {
    for dtype in [DType::F64, DType::F32, DType::C128, DType::C64] {
        for fill in [Scalar::zero(dtype), Scalar::one(dtype)] {
            let coo = tensor(dtype, rank, format, name);
            let t = pack(&coo, format, fill).unwrap_or_else(|e| panic!("{name} of rank {rank}: {e}"));
            // Elements that are the fill value need not be told from what is not stored.
            let told = |coo: &Coo| {
                let mut all = coo.sorted_entries();
                all.retain(|(_, v)| !v.is_same(fill));
                all.into_iter().map(|(at, v)| (at, bits(v))).collect::<Vec<_>>()
            };
            let back = unpack(&t).unwrap();
            assert_eq!(told(&back), told(&coo), "{name} of rank {rank}, {dtype}, fill {fill}");
            let dense = t.to_dense().unwrap();
            for (at, v) in coo.sorted_entries() {
                let same = |w: Scalar| if v.is_same(fill) { w.is_same(fill) } else { bits(w) == bits(v) };
                let flat = at.iter().fold(0, |flat, &c| flat * 4 + c as usize);
                assert!(same(dense.get(flat)), "{name} of rank {rank} at {at:?}");
                let coords: Vec<usize> = at.iter().map(|&c| c as usize).collect();
                assert!(t.get(&coords).is_some_and(same), "{name} of rank {rank} at {at:?}");
            }
            let p = t.into_parts();
            Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals).unwrap();
        }
    }
}

#[test]
fn presets_treat_them_alike() {
    for rank in 1..=3 {
        for p in PRESETS {
            if let Some(format) = p.format_of_rank(rank) {
                holds(&format, p.name, rank);
            }
        }
    }
}

#[test]
fn formats_that_compare_values_treat_them_alike() {
    for (rank, text) in OTHERS {
        let format = Catalog::default().parse(&Source::new("format", text), rank).unwrap();
        holds(&format, text, rank);
    }
}
