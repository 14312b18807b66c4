//! The checked constructor accepts what is right and says what is wrong, where.

use openwork_algebra::{DType, Scalar};
use openwork_format::specs::{COMPRESSED, SINGLETON};
use openwork_format::{Format, Level, Props, Width, presets};
use openwork_storage::{Buffer, LevelArrays, Tensor};

fn level(arrays: Vec<Buffer>) -> LevelArrays {
    LevelArrays { arrays }
}

/// Builds and returns the message, or an empty one.
fn verdict(shape: &[usize], format: Format, levels: Vec<Vec<Buffer>>, vals: Buffer) -> String {
    let fill = Scalar::zero(vals.dtype());
    let levels = levels.into_iter().map(level).collect();
    match Tensor::new_checked(shape.to_vec(), format, fill, levels, vals) {
        Ok(_) => String::new(),
        Err(e) => {
            assert_eq!(e.code().0, "E0601", "{e}");
            e.to_string()
        }
    }
}

fn csr(pos: Vec<i64>, crd: Vec<i32>, vals: usize) -> String {
    let arrays = vec![vec![], vec![Buffer::from(pos), Buffer::from(crd)]];
    verdict(&[2, 4], presets::csr(), arrays, Buffer::from(vec![1.0; vals]))
}

#[test]
fn every_broken_array_is_named_with_its_position() {
    for (got, want) in [
        (csr(vec![0, 2, 3], vec![0, 3, 1], 3), ""),
        (csr(vec![0, 2], vec![0, 3], 2), "level 1: `pos` has 2 elements, but 2 parents need one more"),
        (csr(vec![], vec![], 0), "level 1: `pos` has 0 elements"),
        (csr(vec![1, 2, 3], vec![0, 3, 1], 3), "level 1: pos[0] is 1"),
        (csr(vec![0, 3, 2], vec![0, 3], 2), "level 1: pos[2] is 2, less than pos[1], which is 3"),
        (csr(vec![0, -1, 2], vec![0, 3], 2), "level 1: pos[1] is -1"),
        (csr(vec![0, 2, 4], vec![0, 3, 1], 3), "the last element of `pos` is 4, but `crd` has 3"),
        (csr(vec![0, 2, 3], vec![0, 4, 1], 3), "level 1: crd[1] is 4, outside 0..4"),
        (csr(vec![0, 2, 3], vec![0, -1, 1], 3), "level 1: crd[1] is -1, outside 0..4"),
        (csr(vec![0, 2, 3], vec![3, 0, 1], 3), "level 1 is declared ordered, but crd[1] is 0 after 3"),
        (
            csr(vec![0, 2, 3], vec![3, 3, 1], 3),
            "declared unique, but positions 0 and 1 both hold coordinate 3",
        ),
        (csr(vec![0, 2, 3], vec![0, 3, 1], 4), "the last level has 3 positions, but there are 4 values"),
    ] {
        assert!(if want.is_empty() { got.is_empty() } else { got.contains(want) }, "{want:?} in {got:?}");
    }
}

fn coo(rows: Vec<i32>, cols: Vec<i32>) -> String {
    let n = rows.len();
    let arrays = vec![vec![Buffer::from(vec![0i64, n as i64]), rows.into()], vec![cols.into()]];
    verdict(&[9, 9], presets::coo(2), arrays, Buffer::from(vec![1i32; n]))
}

#[test]
fn coordinate_chains_are_ordered_as_whole_tuples() {
    for (got, want) in [
        (coo(vec![1, 1, 2], vec![3, 5, 0]), ""),
        (coo(vec![2, 1], vec![3, 5]), "level 0 is declared ordered, but crd[1] is 1 after 2"),
        (coo(vec![1, 1], vec![5, 3]), "level 1 is declared ordered, but crd[1] is 3 after 5"),
        (
            coo(vec![1, 1], vec![5, 5]),
            "level 1 is declared unique, but positions 0 and 1 both hold coordinate 5",
        ),
        (coo(vec![1, 1], vec![5]), "level 1: `crd` has 1 elements, but there are 2 parents"),
    ] {
        assert!(if want.is_empty() { got.is_empty() } else { got.contains(want) }, "{want:?} in {got:?}");
    }
}

#[test]
fn unordered_unique_chains_find_distant_twins() {
    let unordered = Props::ORDERED;
    let levels = vec![
        Level::new(&COMPRESSED).without_props(Props::UNIQUE.union(unordered)),
        Level::new(&SINGLETON).without_props(unordered),
    ];
    let make = |cols: Vec<i32>| {
        let arrays = vec![vec![Buffer::from(vec![0i64, 3]), vec![4i32, 1, 4].into()], vec![cols.into()]];
        verdict(&[9, 9], Format::new(levels.clone()), arrays, Buffer::from(vec![1.0f32; 3]))
    };
    assert_eq!(make(vec![2, 2, 1]), "");
    assert!(make(vec![2, 2, 2]).contains("positions 0 and 2 both hold coordinate 2"));
}

#[test]
fn counts_dtypes_and_widths_must_fit() {
    let arrays = || vec![vec![], vec![Buffer::from(vec![0i64, 0, 0]), Buffer::from(Vec::<i32>::new())]];
    let none = || Buffer::empty(DType::F64);
    assert_eq!(verdict(&[2, 4], presets::csr(), arrays(), none()), "");
    let narrow = presets::csr().with_widths(Width::I32, Width::I32);
    assert!(
        verdict(&[2, 4], narrow, arrays(), none()).contains("`pos` is i64, but the format's width is i32")
    );
    let floats = vec![vec![], vec![Buffer::from(vec![0.0; 3]), Buffer::from(Vec::<i32>::new())]];
    assert!(verdict(&[2, 4], presets::csr(), floats, none()).contains("`pos` is f64, but index arrays are"));
    assert!(verdict(&[2, 4], presets::csr(), vec![vec![], vec![]], none()).contains("has 2 arrays, but 0"));
    assert!(verdict(&[2], presets::csr(), arrays(), none()).contains("the shape has 1 modes"));
    let format = Format { modes: vec![0, 0], ..presets::csr() };
    assert!(verdict(&[2, 4], format, arrays(), none()).contains("not a permutation"));
}

#[test]
fn borrowed_bools_must_be_zero_or_one() {
    let owner = std::sync::Arc::new(vec![0u8, 1, 7]);
    // SAFETY: the vector is not changed while the `Arc` lives, and `new_checked` reads bools as bytes.
    let vals = unsafe {
        Buffer::borrow(
            DType::Bool,
            owner.as_ptr(),
            3,
            owner.clone(),
            openwork_storage::buffer::Writers::Nobody,
        )
    };
    let error = Tensor::dense(&[3], vals).unwrap_err();
    assert!(error.to_string().contains("value 2 is the byte 7"), "{error}");
}

#[test]
fn widths_left_open_come_from_the_arrays_and_the_fill_is_recorded() {
    let levels = vec![LevelArrays::default(), level(vec![vec![0i32, 1].into(), vec![3u8].into()])];
    let t = Tensor::new_checked(vec![1, 4], presets::csr(), Scalar::I8(2), levels, vec![1i8].into()).unwrap();
    assert_eq!((t.format().pos, t.format().crd), (Some(Width::I32), Some(Width::U8)));
    assert_eq!(t.format().fill_value(DType::I8), Some(Scalar::I8(2)));
    assert_eq!(t.get(&[0, 0]), Some(Scalar::I8(2)));
    assert_eq!(t.bytes(), 4 * 2 + 1 + 1);
    let wrong = Tensor::new_checked(vec![], presets::dense(0), Scalar::I8(2), vec![], vec![1i16].into());
    assert_eq!(wrong.unwrap_err().code().0, "E0601");
}
