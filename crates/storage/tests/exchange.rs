//! Files of other programs: Rutherford-Boeing, Harwell-Boeing, TACO; long ones that are compressed in pieces, with reports.

use openwork_algebra::{DType, Scalar};
use openwork_format::presets;
use openwork_storage::files::{ReadOptions, WriteOptions, read, read_with, write, write_with};
use openwork_storage::{Coo, Tensor, pack};
use std::path::PathBuf;
use std::sync::Mutex;

/// 3 by 4: column 1 has rows 1 and 3, column 3 rows 2 and 3, column 4 row 1; numbers touch each other.
fn sample(kind: &str, values: &str) -> String {
    let valued = usize::from(!values.is_empty());
    format!(
        "{:<72}{:<8}\n{:14}{:14}{:14}{valued:14}\n{kind:<14}{:14}{:14}{:14}{:14}\n{:<16}{:<16}{:<20}\n\
         1335\n6\n13231\n{values}",
        "a small matrix", "small", 4, 2, 1, 3, 4, 5, 0, "(4I1)", "(5I1)", "(3E8.1)"
    )
}

const VALUES: &str = " 1.5E+00-2.5E-01 3.0D+00\n 1.0+100-7.0E+00\n";

fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn load(name: &str, text: &str) -> openwork_base::Result<Coo> {
    read(file(name, text).1)
}

fn entries(coo: &Coo) -> Vec<(Vec<i64>, f64)> {
    coo.sorted_entries().into_iter().map(|(at, v)| (at, v.as_f64())).collect()
}

#[test]
fn columns_of_touching_fields_are_read() {
    let values = VALUES.replace("1.0+100", "1.0E+10");
    for (name, kind) in [("a.rb", "rra"), ("a.hb", "RRA"), ("a.rra", "RRA"), ("a.RB", "rua")] {
        let coo = load(name, &sample(kind, &values)).unwrap();
        assert_eq!(coo.shape(), [3, 4]);
        assert_eq!(
            entries(&coo),
            [
                (vec![0, 0], 1.5),
                (vec![0, 3], -7.0),
                (vec![1, 2], 3.0),
                (vec![2, 0], -0.25),
                (vec![2, 2], 1e10)
            ]
        );
    }
}

#[test]
fn patterns_are_ones_of_any_dtype() {
    let (_folder, path) = file("a.rb", &sample("pra", ""));
    let coo = read_with(&path, &ReadOptions { dtype: Some(DType::I8), ..ReadOptions::default() }).unwrap();
    assert_eq!((coo.dtype(), coo.len()), (DType::I8, 5));
    assert!(coo.vals().iter().all(|v| v == Scalar::I8(1)));
}

/// Two by two: the lower triangle, by columns.
fn triangle(kind: &str, positions: &str, rows: &str, values: &str) -> String {
    format!(
        "title\n 3 1 1 1\n{kind}            2 2 {} 0\n(3I2) (3I2) (6E8.1)\n{positions}\n{rows}\n{values}\n",
        rows.split_whitespace().count()
    )
}

#[test]
fn triangles_become_both() {
    let lower = |kind: &str, values: &str| triangle(kind, " 1 3 4", " 1 2 2", values);
    let coo = load("a.rsa", &lower("RSA", "  1.0     2.0     3.0")).unwrap();
    assert_eq!(entries(&coo), [(vec![0, 0], 1.0), (vec![0, 1], 2.0), (vec![1, 0], 2.0), (vec![1, 1], 3.0)]);
    let coo = load("a.hb", &triangle("RZA", " 1 2 2", " 2", "  2.0")).unwrap();
    assert_eq!(entries(&coo), [(vec![0, 1], -2.0), (vec![1, 0], 2.0)]);
    let values = "  1.0     0.0     2.0     0.5     3.0     0.0";
    let coo = load("a.cha", &lower("CHA", values)).unwrap();
    let at = |i: i64, j: i64| coo.sorted_entries().iter().find(|(at, _)| *at == [i, j]).unwrap().1;
    assert_eq!((at(1, 0).to_string(), at(0, 1).to_string()), ("2+0.5j".into(), "2-0.5j".into()));
}

#[test]
fn right_hand_sides_are_left_out() {
    let text = sample("RRA", &VALUES.replace("1.0+100", "1.0E+10"));
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines[1] += "             1";
    lines.insert(4, "F             1             0".into());
    lines.push(" 1.0 2.0 3.0".into());
    assert_eq!(load("a.hb", &lines.join("\n")).unwrap().len(), 5);
}

#[test]
fn mistakes_have_their_code_line_and_column() {
    let good = sample("rra", &VALUES.replace("1.0+100", "1.0E+10"));
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    for (text, code, place, words) in [
        (String::new(), "E0702", ":1:1:", "the title"),
        ("title\n".into(), "E0702", ":2:1:", "the numbers of lines"),
        (changed("            4", "            x"), "E0701", ":2:14:", "no number of 0 or more"),
        (changed("rra", "xra"), "E0701", ":3:1:", "`x` is no kind of values"),
        (changed("rra", "rxa"), "E0701", ":3:2:", "`x` is no kind of symmetry"),
        (changed("rra", "rre"), "E0701", ":3:3:", "elemental"),
        (changed("rra", "rrx"), "E0701", ":3:3:", "neither assembled nor elemental"),
        (changed("rra", "qra"), "E0701", ":3:1:", "a file of their own"),
        (changed("rra", "rsa"), "E0701", ":3:1:", "square, not 3 by 4"),
        (changed("(4I1)", "(4A1)"), "E0701", ":4:1:", "`(4A1)` is not numbers side by side"),
        (changed("(5I1)", "(5E1.0)"), "E0701", ":4:1:", "two are of whole numbers"),
        (changed("1335", "2335"), "E0701", ":5:1:", "begin at 1, not at 2"),
        (changed("1335", "1325"), "E0701", ":5:3:", "column 2 cannot end at 2"),
        (
            changed("1335", "1339"),
            "E0701",
            ":5:4:",
            "column 3 cannot end at 9: the one before ends at 3, the last at 6",
        ),
        (changed("5\n6\n", "5\n5\n"), "E0702", ":6:2:", "columns hold 4 entries, but the file declares 5"),
        (changed("13231", "14231"), "E0703", ":7:2:", "row 4 of 3"),
        (changed("13231", "1323"), "E0701", ":8:1:", "no number in the columns of rows"),
        (changed("13231", "1 231"), "E0701", ":7:2:", "no number in the columns of rows"),
        (changed("3.0D+00", "3.0x+00"), "E0701", ":8:18:", "found `3.0x+00`"),
        (changed("3.0D+00", "3 0D+00"), "E0701", ":8:18:", "no number in the columns of values"),
        (changed("3.0D+00", "   3   "), "E0701", ":8:21:", "Fortran reads other digits than 3"),
        (changed(" 1.0E+10-7.0E+00\n", " 1.0E+10\n"), "E0702", ":10:1:", "the file ends where values"),
        (
            changed(" 5             0", " 99999999999999 0"),
            "E0702",
            ":3:1:",
            "ends before 99999999999999 entries",
        ),
    ] {
        let e = load("a.rb", &text).unwrap_err();
        let shown = e.to_string();
        assert_eq!(e.code().0, code, "{shown}");
        assert!(shown.contains(&format!("a.rb{place}")) && shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn damage_is_an_error_and_no_panic() {
    let good = sample("rra", &VALUES.replace("1.0+100", "1.0E+10"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rb");
    for at in 80..good.len() {
        // All of these at every place take seconds to write.
        for byte in [[b' ', b'\n'], [b'9', b'('], [b'x', 0xff]][at % 3] {
            let mut bytes = good.clone().into_bytes();
            bytes[at] = byte;
            std::fs::write(&path, &bytes).unwrap();
            let _ = read(&path);
        }
        std::fs::write(&path, &good[..at]).unwrap();
        let _ = read(&path);
    }
}

#[test]
fn files_say_what_they_are_and_other_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let coo = Coo::from_entries(&[2, 3], DType::F32, &[(vec![1, 2], Scalar::F32(0.1))]).unwrap();
    let t = pack(&coo, &presets::csr(), Scalar::F32(0.0)).unwrap();
    let (rb, hb) = (folder.path().join("a.rb"), folder.path().join("a.hb"));
    write(&rb, &t).unwrap();
    write(&hb, &t).unwrap();
    let text = |p| std::fs::read_to_string(p).unwrap();
    let lines: Vec<String> = text(&rb).lines().map(String::from).collect();
    assert!(lines[0].starts_with("openwork: values are f32 ") && lines[0].len() == 80, "{lines:?}");
    assert!(lines[2].starts_with("rra") && text(&hb).lines().nth(2).unwrap().starts_with("RUA"));
    for name in ["a.rua", "a.rsa.gz", "a.pse"] {
        let e = write(folder.path().join(name), &t).unwrap_err();
        assert!(e.code().0 == "E0707" && e.to_string().contains(".rb or .hb"), "{e}");
    }
    for name in ["a.h5", "a.bsp.hdf5", "a.zarr"] {
        let e = read(folder.path().join(name)).unwrap_err();
        assert!(e.code().0 == "E0705" && e.to_string().contains("HDF5"), "{e}");
    }
    let line = Tensor::dense(&[2], vec![1.0, 2.0].into()).unwrap();
    assert_eq!(write(&rb, &line).unwrap_err().code().0, "E0707");
}

#[test]
fn writers_report_how_far_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let n = 200_000;
    let at = |e: usize| vec![e % 1000, e / 1000];
    let entries: Vec<_> = (0..n).map(|e| (at(e), Scalar::F64(e as f64))).collect();
    let coo = Coo::from_entries(&[1000, 400], DType::F64, &entries).unwrap();
    let sparse = pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap();
    let dense = pack(&coo, &presets::dense(2), Scalar::F64(0.0)).unwrap();
    for name in ["a.mtx", "a.mtx.gz", "a.tns", "a.ttx", "a.rb", "a.hb.gz", "a.npz", "a.bsp.npz", "a.npy"] {
        let seen = Mutex::new(Vec::new());
        let report = |done, all| seen.lock().unwrap().push((done, all));
        let t = if name.ends_with("npy") { &dense } else { &sparse };
        write_with(folder.path().join(name), t, &WriteOptions { progress: Some(&report) }).unwrap();
        let seen = seen.into_inner().unwrap();
        assert!(seen.len() > 2 && seen.is_sorted_by(|a, b| a.0 <= b.0), "{name}: {seen:?}");
        assert!(seen.last().is_some_and(|(done, all)| done == all), "{name}: {seen:?}");
    }
}

#[test]
fn long_gzip_files_are_members_that_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let (packed, plain) = (folder.path().join("a.tns.gz"), folder.path().join("a.tns"));
    let n = 400_000;
    let line = Tensor::dense(&[n], (0..n).map(|e| e as f64 / 7.0).collect::<Vec<_>>().into()).unwrap();
    write(&packed, &line).unwrap();
    write(&plain, &line).unwrap();
    let bytes = std::fs::read(&packed).unwrap();
    let mut text = Vec::new();
    let mut one = flate2::read::GzDecoder::new(&bytes[..]);
    std::io::Read::read_to_end(&mut one, &mut text).unwrap();
    let whole = std::fs::read(&plain).unwrap();
    assert!(text.len() < whole.len() && whole.starts_with(&text), "there are several members");
    assert_eq!(read(&packed).unwrap().sorted_entries(), read(&plain).unwrap().sorted_entries());
    let empty = Tensor::dense(&[0, 3], Vec::<f64>::new().into()).unwrap();
    write(&packed, &empty).unwrap();
    let dims = Some(vec![0, 3]);
    assert_eq!(read_with(&packed, &ReadOptions { dims, ..ReadOptions::default() }).unwrap().len(), 0);
}

#[test]
fn tensors_of_taco_are_read_as_it_writes_them() {
    let text = "%%MatrixMarket tensor coordinate real general\n%\n4 3 2 2\n1 3 1 0.5\n4 1 2 -1e3\n";
    let coo = load("a.ttx", text).unwrap();
    assert_eq!(
        (coo.shape(), entries(&coo)),
        (&[4, 3, 2][..], vec![(vec![0, 2, 0], 0.5), (vec![3, 0, 1], -1e3)])
    );
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n%\n2 2 1\n2 1 4\n";
    assert_eq!(entries(&load("a.ttx", matrix).unwrap()).len(), 2);
    let head = "%%MatrixMarket tensor coordinate real general\n";
    for (text, code, place, words) in [
        ("%%MatrixMarket tensor array real general\n2 2 2\n".into(), "E0701", ":1:23:", "arrays of tensors"),
        (
            "%%MatrixMarket tensor coordinate real symmetric\n".into(),
            "E0701",
            ":1:39:",
            "a tensor is general",
        ),
        ("%%MatrixMarket tensor coordinate reel general\n".into(), "E0701", ":1:34:", "`reel` is no field"),
        ("%%MatrixMarket tensor\n".into(), "E0701", ":1:22:", "ends before its format"),
        (head.to_string(), "E0702", ":2:1:", "ends before the line with the sizes"),
        (format!("{head}3\n"), "E0701", ":2:1:", "then the number of entries"),
        (format!("{head}3 x 2\n"), "E0701", ":2:3:", "no size of 0 or more"),
        (format!("{head}3 3 3 1\n1 4 1 5\n"), "E0703", ":3:3:", "coordinate 2 is 4"),
        (format!("{head}3 3 3 2\n1 1 1 5\n"), "E0702", ":4:1:", "has 1 entries, but it declares 2"),
        (format!("{head}3 3 3 1\n1 1 1 5\n1 1 2 5\n"), "E0702", ":4:1:", "has 2 entries, but it declares 1"),
        (format!("{head}3 3 3 1\n1 1 1 five\n"), "E0701", ":3:7:", "found `five`"),
    ] {
        let e = load("a.ttx", &text).unwrap_err();
        let shown = e.to_string();
        assert_eq!(e.code().0, code, "{shown}");
        assert!(shown.contains(&format!("a.ttx{place}")) && shown.contains(words), "{words}: {shown}");
    }
}
