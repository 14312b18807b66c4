//! Files as other programs spell them, and as their manuals do not.

use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_storage::Coo;
use openwork_storage::files::{ReadOptions, read_with};

fn load(name: &str, text: &str, options: &ReadOptions) -> Result<Coo> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    read_with(&path, options)
}
fn entries(coo: &Coo) -> Vec<(Vec<i64>, f64)> {
    coo.sorted_entries().into_iter().map(|(at, v)| (at, v.as_f64())).collect()
}
fn of_dtype(dtype: DType) -> ReadOptions<'static> {
    ReadOptions { dtype: Some(dtype), ..ReadOptions::default() }
}

#[test]
fn banners_begin_with_one_percent_sign_or_two() {
    for banner in ["%MatrixMarket", "%%MatrixMarket", "%matrixmarket", "%%MATRIXMARKET"] {
        let text = format!("{banner} matrix coordinate real general\n2 2 1\n2 1 5\n");
        assert_eq!(entries(&load("a.mtx", &text, &ReadOptions::default()).unwrap()), [(vec![1, 0], 5.0)]);
    }
    for banner in ["MatrixMarket", "%%%MatrixMarket", "% MatrixMarket", "%"] {
        let text = format!("{banner} matrix coordinate real general\n2 2 1\n2 1 5\n");
        assert_eq!(load("a.mtx", &text, &ReadOptions::default()).unwrap_err().code().0, "E0701", "{banner}");
    }
}

#[test]
fn patterns_may_be_skew_symmetric() {
    let text = "%%MatrixMarket matrix coordinate pattern skew-symmetric\n3 3 2\n2 1\n3 1\n";
    let wanted = [(vec![0, 1], -1.0), (vec![0, 2], -1.0), (vec![1, 0], 1.0), (vec![2, 0], 1.0)];
    for options in [ReadOptions::default(), of_dtype(DType::I8), of_dtype(DType::F32)] {
        assert_eq!(entries(&load("a.mtx", text, &options).unwrap()), wanted);
    }
    for dtype in [DType::U8, DType::Bool] {
        let e = load("a.mtx", text, &of_dtype(dtype)).unwrap_err();
        assert!(
            e.to_string().contains(&format!("the mirror image of this value does not fit {dtype}")),
            "{e}"
        );
    }
    let diagonal = text.replace("2 1\n", "2 2\n");
    let e = load("a.mtx", &diagonal, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("the diagonal of a skew-symmetric matrix is zero"), "{e}");
}

#[test]
fn whole_numbers_are_read_in_the_spelling_of_real_ones() {
    let read = |value: &str, field: &str| {
        let text = format!("%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {value}\n");
        load("a.mtx", &text, &ReadOptions::default()).map(|coo| coo.vals().get(0))
    };
    let whole = [
        ("1.0", 1),
        ("-7.000", -7),
        ("3.", 3),
        ("+2.0", 2),
        ("2e3", 2000),
        ("1.5E1", 15),
        ("4.0D+00", 4),
        ("-0.0", 0),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9223372036854775807.00", i64::MAX),
    ];
    for (text, number) in whole {
        assert_eq!(read(text, "integer").unwrap(), Scalar::I64(number), "{text}");
    }
    assert_eq!(read("18446744073709551615.0", "unsigned-integer").unwrap(), Scalar::U64(u64::MAX));
    for text in ["1.5", "1e-1", "nan", "inf", "1.0x", "1e300", ".", "1.0.0", "--1.0"] {
        let e = read(text, "integer").unwrap_err();
        assert!(e.to_string().contains(&format!("expected a whole number, found `{text}`")), "{e}");
    }
    for text in ["9223372036854775808.0", "-9223372036854775809.0"] {
        assert!(read(text, "integer").unwrap_err().to_string().contains("does not fit i64"), "{text}");
    }
    let coo = load("a.tns", "1 2.0\n2 -3.0\n", &of_dtype(DType::I32)).unwrap();
    assert_eq!(entries(&coo), [(vec![0], 2.0), (vec![1], -3.0)]);
}

#[test]
fn coordinates_of_tns_files_begin_where_the_caller_says() {
    let from_zero = ReadOptions { from_zero: true, ..ReadOptions::default() };
    let text = "0 2 1.5\n3 0 2.5\n";
    let coo = load("a.tns", text, &from_zero).unwrap();
    assert_eq!((coo.shape(), entries(&coo)), (&[4, 3][..], vec![(vec![0, 2], 1.5), (vec![3, 0], 2.5)]));
    let dims = Some(vec![3, 3]);
    let e = load("a.tns", text, &ReadOptions { dims, ..from_zero.clone() }).unwrap_err();
    assert!(e.code().0 == "E0703" && e.to_string().contains("coordinates were said to start at 0"), "{e}");
    let e = load("a.tns", text, &ReadOptions::default()).unwrap_err();
    assert!(
        e.code().0 == "E0703" && e.to_string().contains("unless the file is read with a base of 0"),
        "{e}"
    );
    // Sizes from lines that begin at 1 are as they were.
    assert_eq!(load("a.tns", "4 3 1\n", &ReadOptions::default()).unwrap().shape(), [4, 3]);
    let mtx = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";
    assert_eq!(load("a.mtx", mtx, &from_zero).unwrap_err().code().0, "E0705");
}
