//! What readers say about bad files: the code, the line and the column.

use openwork_algebra::{DType, Scalar};
use openwork_storage::Coo;
use openwork_storage::files::{ReadOptions, read, read_with};
use std::io::Write;
use std::path::PathBuf;

fn file(name: &str, text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn load(name: &str, text: &[u8]) -> openwork_base::Result<Coo> {
    read(file(name, text).1)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";

/// File name, text, code, `:line:column:` and words of the message.
type Mistake<'a> = (&'a str, String, &'a str, &'a str, &'a str);

fn check(mistakes: &[Mistake]) {
    for (name, text, code, place, words) in mistakes {
        let e = load(name, text.as_bytes()).unwrap_err();
        let shown = e.to_string();
        assert_eq!(e.code().0, *code, "{text:?}: {shown}");
        assert!(shown.contains(&format!("{name}{place}")) && shown.contains(words), "{text:?}: {shown}");
    }
}

fn general(body: &str) -> String {
    format!("{GENERAL}{body}")
}

fn text_with_header(header: &str, body: &str) -> String {
    format!("%%MatrixMarket {header}\n{body}")
}

#[test]
fn mistakes_in_headers_and_coordinates_have_their_code_line_and_column() {
    check(&[
        ("a.mtx", String::new(), "E0701", ":1:1:", "not a MatrixMarket file"),
        ("a.mtx", "hello\n".into(), "E0701", ":1:1:", "not a MatrixMarket file"),
        ("a.mtx", "%%MatrixMarket matrix coordinate\n".into(), "E0701", ":1:33:", "ends before its field"),
        (
            "a.mtx",
            text_with_header("matrix coordinate reel general", ""),
            "E0701",
            ":1:34:",
            "`reel` is no field",
        ),
        ("a.mtx", text_with_header("matrix array pattern general", ""), "E0701", ":1:29:", "no pattern"),
        (
            "a.mtx",
            text_with_header("matrix coordinate real hermitian", ""),
            "E0701",
            ":1:39:",
            "only complex",
        ),
        ("a.mtx", general(""), "E0702", ":2:1:", "ends before the line with the sizes"),
        ("a.mtx", general("% c\n\n3 x 1\n"), "E0701", ":4:3:", "number of columns, found `x`"),
        ("a.mtx", general("3 3\n"), "E0701", ":2:4:", "number of entries, the line ends"),
        ("a.mtx", general("3 3 1 1\n"), "E0701", ":2:7:", "after the sizes"),
        ("a.mtx", general("3 3 2\n1 1 1\n"), "E0702", ":4:1:", "after 1 entries, but it declares 2"),
        ("a.mtx", general("3 3 99999999999999\n1 1 1\n"), "E0702", ":4:1:", "declares 99999999999999"),
        (
            "a.mtx",
            general("3 3 1\n1 1 1\n%\n\n2 2 2\n"),
            "E0702",
            ":6:1:",
            "entry 2 of 2, but the file declares 1",
        ),
        (
            "a.mtx",
            text_with_header(
                "matrix coordinate integer general",
                "%%GraphBLAS type bool\n3 3 1\n1 1 1\n2 2 1\n",
            ),
            "E0702",
            ":5:1:",
            "entry 2 of 2, but the file declares 1",
        ),
        (
            "a.mtx",
            general("3 3 1\n4 1 1\n"),
            "E0703",
            ":3:1:",
            "coordinate 1 is 4, out of range in a mode of size 3",
        ),
        ("a.mtx", general("3 3 1\n1 0 1\n"), "E0703", ":3:3:", "coordinate 2 is 0"),
        ("a.mtx", general("3 3 1\n1 -2 1\n"), "E0703", ":3:3:", "negative"),
    ]);
}

#[test]
fn mistakes_in_values_have_their_code_line_and_column() {
    check(&[
        ("a.mtx", general("3 3 1\n1.5 1 1\n"), "E0701", ":3:1:", "expected coordinate 1, found `1.5`"),
        ("a.mtx", general("3 3 1\n1\n"), "E0701", ":3:2:", "expected coordinate 2, the line ends"),
        ("a.mtx", general("3 3 1\n1 1\n"), "E0701", ":3:4:", "expected a number, but the line ends"),
        ("a.mtx", general("3 3 1\n  1\t1  x1 \n"), "E0701", ":3:8:", "expected a number, found `x1`"),
        ("a.mtx", general("3 3 1\n1 1 1 1\n"), "E0701", ":3:7:", "unexpected text at the end"),
        ("a.mtx", general("3 3 1\n1 1 \u{fc}\n"), "E0701", ":3:5:", "found `\u{fc}`"),
        (
            "a.mtx",
            text_with_header("matrix coordinate integer general", "1 1 1\n1 1 1.5\n"),
            "E0701",
            ":3:5:",
            "a whole number",
        ),
        (
            "a.mtx",
            text_with_header("matrix coordinate integer general", "1 1 1\n1 1 9223372036854775808\n"),
            "E0701",
            ":3:5:",
            "does not fit i64",
        ),
        (
            "a.mtx",
            text_with_header("matrix coordinate complex general", "1 1 1\n1 1 1\n"),
            "E0701",
            ":3:6:",
            "line ends",
        ),
        (
            "a.mtx",
            text_with_header("matrix coordinate pattern general", "1 1 1\n1 1 1\n"),
            "E0701",
            ":3:5:",
            "unexpected text",
        ),
        (
            "a.mtx",
            text_with_header("matrix coordinate real symmetric", "1 2 0\n"),
            "E0701",
            ":2:1:",
            "is square",
        ),
        (
            "a.mtx",
            text_with_header("matrix coordinate real skew-symmetric", "2 2 1\n%\n2 2 1\n"),
            "E0701",
            ":4:1:",
            "is zero",
        ),
        (
            "a.mtx",
            text_with_header("matrix array real general", "2 2\n1\n2\n3\n"),
            "E0702",
            ":6:1:",
            "declares 4",
        ),
        (
            "a.mtx",
            text_with_header("matrix array real general", "9999999999 9999999999\n1\n"),
            "E0603",
            "",
            "an array of",
        ),
        ("a.tns", "# nothing\n".into(), "E0702", ":2:1:", "order and sizes are unknown"),
        ("a.tns", "1 1 1\n1 1\n".into(), "E0701", ":2:4:", "expected a number, but the line ends"),
        ("a.tns", "1 1 1\n1 1 1 1\n".into(), "E0701", ":2:7:", "unexpected text"),
        ("a.tns", "1 1 1\n1 0 1\n".into(), "E0703", ":2:3:", "out of range"),
    ]);
}

#[test]
fn odd_but_honest_files_are_read() {
    for text in [
        "%%matrixmarket MATRIX Coordinate DOUBLE General\r\n%\r\n\r\n 2\t3  2 \r\n1 1 1e0 \r\n\r\n% c\r\n\t2 3 -.5\r\n",
        "%%MatrixMarket matrix coordinate real general\n2 3 2\n2 3 -0.5D+00\n%\n1 1 1",
        "%%MatrixMarket matrix array real general\n2 3\n1\n%\n0\n0\n0\n\n0\n-.5",
    ] {
        let coo = load("a.MTX", text.as_bytes()).unwrap();
        let dense =
            openwork_storage::pack(&coo, &openwork_format::presets::dense(2), Scalar::F64(0.0)).unwrap();
        assert_eq!(dense.vals().as_slice(), Some(&[1.0, 0.0, 0.0, 0.0, 0.0, -0.5][..]), "{text:?}");
    }
    let vector = load("v.mtx", b"%%MatrixMarket vector coordinate integer general\n5 1\n4 7\n").unwrap();
    assert_eq!(
        (vector.shape(), vector.coords_of(0), vector.vals().get(0)),
        (&[5][..], vec![3], Scalar::I64(7))
    );
    let skew = load("a.mtx", b"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n").unwrap();
    assert_eq!(skew.len(), 6);
    let wide = load("a.tns", b"1 3000000000 1 2.5\n").unwrap();
    assert_eq!((wide.shape(), wide.coords_of(0)), (&[1, 3_000_000_000, 1][..], vec![0, 2_999_999_999, 0]));
    let scalar = load("a.tns", b"4.5\n").unwrap();
    assert_eq!((scalar.rank(), scalar.vals().get(0)), (0, Scalar::F64(4.5)));
}

#[test]
fn options_choose_shape_and_dtype() {
    let (_keep, path) = file("a.mtx", b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 3\n");
    let with = |dims: Option<Vec<usize>>, dtype| {
        read_with(&path, &ReadOptions { dims, dtype, ..ReadOptions::default() })
    };
    assert_eq!(with(None, Some(DType::F32)).unwrap().vals().get(0), Scalar::F32(3.0));
    assert_eq!(with(Some(vec![4, 4]), None).unwrap().shape(), [4, 4]);
    assert_eq!(with(Some(vec![1, 4]), None).unwrap_err().code().0, "E0703");
    assert_eq!(with(None, Some(DType::U8)).unwrap_err().code().0, "E0706");
    let (_keep, path) = file("a.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n");
    let coo = read_with(&path, &ReadOptions { dtype: Some(DType::Bool), ..Default::default() }).unwrap();
    assert_eq!(coo.vals().get(0), Scalar::Bool(true));
    let (_keep, path) = file("a.tns", b"2 1 3\n");
    let dims = Some(vec![3, 3]);
    let coo =
        read_with(&path, &ReadOptions { dims, dtype: Some(DType::I16), ..ReadOptions::default() }).unwrap();
    assert_eq!((coo.shape(), coo.vals().get(0)), (&[3, 3][..], Scalar::I16(3)));
}

#[test]
fn large_files_are_cut_without_a_seam() {
    let mut text = String::new();
    let n = 120_000;
    for e in 0..n {
        if e % 1000 == 7 {
            text += "% a comment\n\n";
        }
        text += &format!("{} {} {}\n", e + 1, n - e, e as f64 / 8.0);
    }
    let whole = format!("{GENERAL}{n} {n} {n}\n{text}");
    for (name, bytes) in [("a.mtx", whole.clone().into_bytes()), ("a.mtx.gz", gzip(whole.as_bytes()))] {
        let coo = load(name, &bytes).unwrap();
        assert_eq!(coo.len(), n);
        for e in (0..n).step_by(997).chain([n - 1]) {
            assert_eq!(coo.coords_of(e), [e as i64, (n - e - 1) as i64]);
            assert_eq!(coo.vals().get(e), Scalar::F64(e as f64 / 8.0));
        }
    }
    let symmetric = whole.replacen("general", "symmetric", 1);
    assert_eq!(load("a.mtx", symmetric.as_bytes()).unwrap().len(), 2 * n);
    let late = whole.replacen("119999 2 ", "119999 0 ", 1);
    let e = load("a.mtx", late.as_bytes()).unwrap_err();
    let line = late.lines().position(|l| l.starts_with("119999 0")).unwrap() + 1;
    assert!(e.to_string().contains(&format!("a.mtx:{line}:8: coordinate 2 is 0")), "{e}");
}

#[test]
fn no_truncation_and_no_damage_makes_a_reader_panic() {
    let text = format!("{GENERAL}% c\n3 3 3\n1 1 1.5\n2 2 -3e-2\n3 1 12345678901234567890\n");
    for end in 0..text.len() {
        let _ = load("a.mtx", &text.as_bytes()[..end]);
        let _ = load("a.tns", &text.as_bytes()[end..]);
    }
    let (mut x, bytes) = (9u64, text.as_bytes());
    for _ in 0..3000 {
        let mut damaged = bytes.to_vec();
        for _ in 0..3 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            damaged[(x >> 33) as usize % bytes.len()] = (x >> 20) as u8;
        }
        let _ = load("a.mtx", &damaged);
    }
    let zipped = gzip(bytes);
    for end in 0..zipped.len() {
        assert!(load("a.mtx.gz", &zipped[..end]).is_err());
    }
    assert_eq!(load("a.mtx.gz", bytes).unwrap_err().code().0, "E0701");
}

#[test]
fn unknown_and_missing_files_are_named() {
    let e = read("a.xyz").unwrap_err();
    assert_eq!(e.code().0, "E0705");
    assert!(e.to_string().contains(".mtx (MatrixMarket), .tns (FROSTT)"), "{e}");
    assert_eq!(read("noextension").unwrap_err().code().0, "E0705");
    let e = read("/nowhere/a.mtx").unwrap_err();
    assert_eq!(e.code().0, "E0704");
    assert!(e.to_string().contains("cannot open /nowhere/a.mtx: No such file"), "{e}");
}
