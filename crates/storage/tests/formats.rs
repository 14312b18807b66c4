//! Every format keeps what was packed into it, and its arrays pass the checks.

use crate::common::{FORMATS, Random, entries, every_coordinate, format, has_room, meaning, patterns};
use openwork_algebra::{DType, Scalar};
use openwork_format::specs::LEVELS;
use openwork_format::{Coords, Format, Width};
use openwork_storage::{Coo, Tensor, pack, unpack};

fn check(text: &str, coo: &Coo, format: &Format, fill: Scalar) {
    let t = match pack(coo, format, fill) {
        Ok(t) => t,
        Err(e) if e.code().0 == "E0604" && format.crd.is_some() => return,
        Err(e) => panic!("{text} {:?} {:?}: {e}", coo.shape(), coo.sorted_entries()),
    };
    let again = Tensor::try_from(t.clone().into_parts());
    let again = again.unwrap_or_else(|e| panic!("{text} {:?}: {e}\n{t:?}", coo.sorted_entries()));
    assert_eq!(again, t);
    let want = meaning(coo, fill);
    assert_eq!(t.to_dense_scalars().unwrap(), want, "{text} {:?}", coo.sorted_entries());
    for (at, value) in every_coordinate(coo.shape()).iter().zip(&want) {
        assert_eq!(t.get(at), Some(*value), "{text} {at:?}");
    }
    let back = unpack(&t).unwrap();
    assert_eq!(meaning(&back, fill), want, "{text}");
    if format.has_padding() {
        assert!(back.vals().iter().all(|v| !v.is_same(fill)), "{text} keeps padding");
    } else {
        assert_eq!(back.len(), coo.sorted_entries().len(), "{text} loses or makes entries");
        assert_eq!(t.entries(), back.len());
        assert_eq!(pack(&back, format, fill).unwrap(), t, "{text}");
    }
    assert!(t.entries() >= back.len());
}

fn shapes(rank: usize) -> Vec<Vec<usize>> {
    match rank {
        1 => vec![vec![1], vec![11], vec![0], vec![70]],
        2 => vec![vec![5, 7], vec![6, 6], vec![1, 9], vec![8, 1], vec![0, 4], vec![3, 0], vec![7, 3]],
        _ => vec![vec![3, 4, 5], vec![4, 1, 3], vec![2, 0, 3], vec![3, 3, 3]],
    }
}

fn coo(r: &mut Random, text: &str, shape: &[usize], at: &[Vec<usize>], dtype: DType) -> Coo {
    let at: Vec<Vec<usize>> = at.iter().filter(|at| has_room(text, at)).cloned().collect();
    Coo::from_entries(shape, dtype, &entries(r, &at, dtype)).unwrap()
}

#[test]
fn every_format_holds_what_was_packed() {
    let mut r = Random(5);
    for &(rank, text) in FORMATS {
        let format = format(text, rank);
        for shape in shapes(rank) {
            for at in patterns(&mut r, &shape) {
                let dtype = DType::ALL[r.number_below(13) as usize];
                let coo = coo(&mut r, text, &shape, &at, dtype);
                for fill in [0, 1] {
                    check(text, &coo, &format, Scalar::from_i64(fill, dtype));
                }
            }
        }
    }
}

#[test]
fn every_format_holds_it_in_every_width() {
    let mut r = Random(6);
    for &(rank, text) in FORMATS {
        let shape = [vec![9], vec![5, 6], vec![3, 4, 3]][rank - 1].clone();
        for width in Width::ALL {
            let format = format(text, rank).with_widths(width, width);
            for at in patterns(&mut r, &shape) {
                let coo = coo(&mut r, text, &shape, &at, DType::F64);
                check(text, &coo, &format, Scalar::F64(0.0));
            }
        }
    }
}

#[test]
fn the_table_has_every_level_and_every_preset() {
    let made: Vec<Format> = FORMATS.iter().map(|&(rank, text)| format(text, rank)).collect();
    for spec in LEVELS {
        assert!(made.iter().any(|f| f.levels.iter().any(|l| l.is(spec))), "{}", spec.name);
    }
    for preset in openwork_format::presets::PRESETS {
        let named = |t: &str| t.split(['(', ':']).next() == Some(preset.name);
        // Symmetric storage has tests of its own.
        assert!(preset.name == "sym" || FORMATS.iter().any(|(_, t)| named(t)), "{}", preset.name);
    }
    assert!(made.iter().any(|f| f.has_padding()) && made.iter().any(|f| !f.has_padding()));
    assert!(LEVELS.iter().any(|s| s.coords == Coords::Interval));
}

#[test]
fn larger_tensors_agree_between_formats() {
    let mut r = Random(8);
    let shape = [300, 400];
    let at: Vec<Vec<usize>> = (0..5000)
        .map(|_| {
            let i = r.number_below(300);
            vec![i as usize, ((i + r.number_below(40)) % 400) as usize]
        })
        .collect();
    let list = Coo::from_entries(&shape, DType::I64, &entries(&mut r, &at, DType::I64)).unwrap();
    let want = pack(&list, &format("csr", 2), Scalar::I64(0)).unwrap().to_dense().unwrap();
    for &(rank, text) in FORMATS {
        let whole = at.iter().all(|at| has_room(text, at));
        if rank == 2 && whole {
            let t = pack(&list, &format(text, 2), Scalar::I64(0)).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(t.to_dense().unwrap(), want, "{text}");
            Tensor::try_from(t.into_parts()).unwrap_or_else(|e| panic!("{text}: {e}"));
        }
    }
}
