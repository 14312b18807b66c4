//! Arrays that were tampered with are refused, or can still be walked.

use crate::common::{FORMATS, Random, entries, every_coordinate, format, has_room, patterns};
use openwork_algebra::{DType, Scalar};
use openwork_storage::{Buffer, Coo, Tensor, pack, unpack};

/// Changes one element of one index array, or its length.
fn mutate(r: &mut Random, array: &mut Buffer) -> bool {
    if array.is_empty() || r.number_below(8) == 0 {
        let longer = array.len() + 1;
        return if r.number_below(2) == 0 && !array.is_empty() {
            array.truncate(array.len() - 1);
            true
        } else {
            array.try_resize(longer).is_ok()
        };
    }
    let at = r.number_below(array.len() as u64) as usize;
    let old = array.get(at).as_i64();
    let new = match r.number_below(9) {
        0 => old + 1,
        1 => old - 1,
        2 => 0,
        3 => -1,
        4 => i64::MAX,
        5 => i64::MIN,
        6 => array.get(r.number_below(array.len() as u64) as usize).as_i64(),
        7 => old ^ (1 << r.number_below(8)),
        _ => r.number_below(12) as i64,
    };
    array.set(at, Scalar::I64(new));
    array.get(at).as_i64() != old
}

fn walk(t: &Tensor, text: &str) {
    t.for_each(|at, _| assert!(at.iter().zip(t.shape()).all(|(c, d)| c < d), "{text}"));
    let dense = t.to_dense_scalars().unwrap();
    for (at, value) in every_coordinate(t.shape()).iter().zip(dense) {
        assert_eq!(t.get(at), Some(value), "{text} {at:?} {t:?}");
    }
    unpack(t).unwrap();
}

#[test]
fn tampered_arrays_are_refused_or_walk_in_range() {
    let mut r = Random(9);
    let (mut refused, mut taken) = (0, 0);
    for &(rank, text) in FORMATS {
        let (format, shape) = (format(text, rank), [vec![9], vec![5, 6], vec![3, 4, 3]][rank - 1].clone());
        for at in patterns(&mut r, &shape) {
            let at: Vec<Vec<usize>> = at.into_iter().filter(|at| has_room(text, at)).collect();
            let coo = Coo::from_entries(&shape, DType::I32, &entries(&mut r, &at, DType::I32)).unwrap();
            let t = pack(&coo, &format, Scalar::I32(0)).unwrap();
            for _ in 0..40 {
                let mut parts = t.clone().into_parts();
                let arrays = parts.levels.iter_mut().flat_map(|l| &mut l.arrays);
                let mut arrays: Vec<&mut Buffer> = arrays.chain([&mut parts.vals]).collect();
                let n = r.number_below(arrays.len() as u64) as usize;
                if !mutate(&mut r, arrays[n]) {
                    continue;
                }
                match Tensor::try_from(parts) {
                    Ok(t) => {
                        walk(&t, text);
                        taken += 1;
                    }
                    Err(e) => {
                        assert!(["E0601", "E0603"].contains(&e.code().0), "{text}: {e}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 5000 && taken > 1000, "{refused} refused, {taken} taken");
}
