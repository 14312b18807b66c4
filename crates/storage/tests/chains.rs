//! Random entries through every chain of levels and every mode order, and back.

use openwork_algebra::{DType, Scalar};
use openwork_format::specs::{COMPRESSED, DENSE, SINGLETON};
use openwork_format::{Format, Level, Props, Width, presets};
use openwork_storage::{Coo, Tensor, pack, unpack};
use std::collections::BTreeMap;

/// A small generator of the tests' own.
struct Random(u64);

impl Random {
    fn number_below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn entries(r: &mut Random, shape: &[usize], dtype: DType) -> Vec<(Vec<usize>, Scalar)> {
    let size: usize = shape.iter().product();
    let n = if size == 0 { 0 } else { r.number_below(2 * size.min(40) as u64 + 1) };
    let entry = |r: &mut Random| {
        let at = shape.iter().map(|&d| r.number_below(d as u64) as usize).collect();
        (at, Scalar::from_i64(r.number_below(7) as i64 - 2, dtype))
    };
    (0..n).map(|_| entry(r)).collect()
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let mut out = Vec::new();
    for shorter in permutations(n - 1) {
        for at in 0..n {
            let mut p = shorter.clone();
            p.insert(at, n - 1);
            out.push(p);
        }
    }
    out
}

fn chains(rank: usize) -> Vec<Vec<Level>> {
    let compressed = Level::new(&COMPRESSED);
    let single = Level::new(&SINGLETON);
    let choices = [
        Level::new(&DENSE),
        compressed,
        compressed.without_props(Props::UNIQUE),
        compressed.without_props(Props::ORDERED),
        single,
        single.without_props(Props::UNIQUE),
    ];
    (0..rank).fold(vec![vec![]], |chains, _| {
        let extend = |c: &Vec<Level>| choices.map(|l| c.iter().copied().chain([l]).collect());
        chains.iter().flat_map(extend).collect()
    })
}

/// What the entries mean: duplicates summed by the algebra's own operator, the fill value elsewhere.
fn meaning(coo: &Coo, fill: Scalar) -> Vec<Scalar> {
    let add = openwork_algebra::Prim::Add;
    let mut sums: BTreeMap<usize, Scalar> = BTreeMap::new();
    for e in 0..coo.len() {
        let at = coo.coords_of(e).iter().zip(coo.shape()).fold(0, |at, (&c, d)| at * d + c as usize);
        let value = coo.vals().get(e);
        sums.entry(at).and_modify(|s| *s = add.eval(&[*s, value]).unwrap()).or_insert(value);
    }
    (0..coo.shape().iter().product()).map(|at| sums.get(&at).copied().unwrap_or(fill)).collect()
}

fn check(coo: &Coo, format: &Format, fill: Scalar) -> Option<Tensor> {
    let t = match pack(coo, format, fill) {
        Ok(t) => t,
        Err(e) => {
            assert_eq!(e.code().0, "E0602", "{format}: {e}");
            assert!(format.levels.iter().any(|l| l.branchless()), "{format}: {e}");
            return None;
        }
    };
    let again = Tensor::try_from(t.clone().into_parts()).unwrap_or_else(|e| panic!("{format} {coo:?}: {e}"));
    assert_eq!(again, t);
    let want = meaning(coo, fill);
    assert_eq!(t.to_dense_scalars().unwrap(), want, "{format} {coo:?}");
    assert_eq!(meaning(&unpack(&t).unwrap(), fill), want, "{format}");
    for (n, value) in want.iter().enumerate() {
        let mut rest = n;
        let mut at: Vec<usize> = coo.shape().iter().rev().map(|&d| (rest % d, rest /= d).0).collect();
        at.reverse();
        assert_eq!(t.get(&at), Some(*value), "{format} {at:?}");
    }
    Some(t)
}

#[test]
fn every_chain_and_mode_order_holds_what_was_packed() {
    let mut r = Random(7);
    let (mut packed, mut refused) = (0, 0);
    for shape in [vec![], vec![5], vec![0], vec![4, 6], vec![3, 0], vec![1, 7], vec![3, 2, 4]] {
        for levels in chains(shape.len()) {
            for modes in permutations(shape.len()) {
                let dtype = DType::ALL[r.number_below(13) as usize];
                let coo = Coo::from_entries(&shape, dtype, &entries(&mut r, &shape, dtype)).unwrap();
                let format = Format::new(levels.clone()).with_modes(modes);
                let fill = Scalar::from_i64(r.number_below(2) as i64, dtype);
                match check(&coo, &format, fill) {
                    Some(_) => packed += 1,
                    None => refused += 1,
                }
            }
        }
    }
    // Singletons rarely fit random data, so both outcomes must have been met often.
    assert!(packed > 500 && refused > 300, "{packed} packed, {refused} refused");
}

#[test]
fn coordinate_formats_of_every_rank_and_order_hold_anything() {
    let mut r = Random(11);
    for shape in [vec![9], vec![4, 5], vec![3, 4, 2], vec![2, 3, 2, 3]] {
        for modes in permutations(shape.len()) {
            for width in Width::ALL {
                let coo =
                    Coo::from_entries(&shape, DType::I32, &entries(&mut r, &shape, DType::I32)).unwrap();
                let format = presets::coo(shape.len()).with_modes(modes.clone()).with_widths(width, width);
                assert!(check(&coo, &format, Scalar::I32(0)).is_some());
            }
        }
    }
}

#[test]
fn larger_matrices_pack_the_same_by_rows_and_by_columns() {
    let mut r = Random(3);
    let n = 60_000;
    let rows: Vec<i32> = (0..n).map(|_| r.number_below(5000) as i32).collect();
    let cols: Vec<i32> = (0..n).map(|_| r.number_below(3000) as i32).collect();
    let vals: Vec<i64> = (0..n).collect();
    let coo = Coo::new(vec![5000, 3000], vec![rows.into(), cols.into()], vals.into()).unwrap();
    let by_rows = pack(&coo, &presets::csr(), Scalar::I64(0)).unwrap();
    let by_cols = pack(&coo, &presets::csc(), Scalar::I64(0)).unwrap();
    let again = pack(&unpack(&by_cols).unwrap(), &presets::csr(), Scalar::I64(0)).unwrap();
    assert_eq!(again, by_rows);
    assert_eq!(unpack(&by_rows).unwrap().sorted_entries(), coo.sorted_entries());
}

#[test]
fn refusals_name_what_is_wrong() {
    let zero = Scalar::F64(0.0);
    let one = |shape: &[usize], at: &[usize]| {
        Coo::from_entries(shape, DType::F64, &[(at.to_vec(), Scalar::F64(1.0))]).unwrap()
    };
    let code = |coo: &Coo, f: Format| pack(coo, &f, zero).unwrap_err();

    let big = code(&one(&[1_000_000, 1_000_000], &[3, 3]), presets::dense(2));
    assert_eq!(big.code().0, "E0605");
    assert!(big.to_string().contains("would take 7451 GiB, more than the memory limit of"), "{big}");
    let huge = code(&one(&[usize::MAX / 2, usize::MAX / 2], &[3, 3]), presets::dense(2));
    assert_eq!(huge.code().0, "E0605");
    let rows = code(&one(&[usize::MAX / 2, 4], &[3, 3]), presets::csr());
    assert_eq!(rows.code().0, "E0605");

    let wide = code(&one(&[1000, 1000], &[3, 300]), presets::csr().with_widths(Width::I32, Width::U8));
    assert_eq!(wide.code().0, "E0604");
    assert!(wide.to_string().contains("coordinate 300"), "{wide}");
    let many: Vec<_> = (0..300).map(|c| (vec![0, c], Scalar::F64(1.0))).collect();
    let many = Coo::from_entries(&[1, 300], DType::F64, &many).unwrap();
    assert_eq!(code(&many, presets::csr().with_widths(Width::U8, Width::I32)).code().0, "E0604");

    let outside = Coo::new(vec![2], vec![vec![0i32, -1].into()], vec![1.0, 2.0].into()).unwrap();
    let outside = code(&outside, presets::sparse_vector());
    assert_eq!(outside.code().0, "E0601");
    assert!(
        outside.to_string().contains("entry 1: the coordinate of mode 0 is -1, outside 0..2"),
        "{outside}"
    );
    assert_eq!(code(&one(&[3], &[0]), presets::csr()).code().0, "E0601");

    let twins = Coo::from_entries(&[2, 3], DType::F64, &[(vec![1, 0], zero), (vec![1, 2], zero)]).unwrap();
    let chain = Format::new(vec![Level::new(&COMPRESSED), Level::new(&SINGLETON)]);
    assert!(code(&twins, chain).to_string().contains("coordinate 1 has several children"));
}

#[test]
fn zeroless_levels_drop_fill_values_and_full_levels_insist() {
    let entries = [(vec![0], Scalar::I32(0)), (vec![2], Scalar::I32(5))];
    let coo = Coo::from_entries(&[3], DType::I32, &entries).unwrap();
    let with = |p| Format::new(vec![Level { spec: &COMPRESSED, props: COMPRESSED.props.union(p) }]);
    assert_eq!(pack(&coo, &with(Props::ZEROLESS), Scalar::I32(0)).unwrap().nnz(), 1);
    assert_eq!(pack(&coo, &with(Props::ZEROLESS), Scalar::I32(1)).unwrap().nnz(), 2);
    assert_eq!(pack(&coo, &with(Props::FULL), Scalar::I32(0)).unwrap_err().code().0, "E0602");
}
