//! `compile`, `convert`, `info`, `completions` and help.

use crate::common::Place;

const SPMV: &str = "y(i) = A(i,j) * x(j)";

#[test]
fn every_stage_can_be_printed_without_files() {
    let place = Place::new();
    for (stage, part) in [
        ("cin", "forall i"),
        ("lattice", "lattice j\n  produce A(i,j).2"),
        ("loops", "kernel kernel("),
        ("c", "#include <stdint.h>"),
        ("clif", "function"),
        ("asm", "ret"),
    ] {
        let out = place.good(&["compile", SPMV, "-f", "A=csr", "--emit", stage]);
        assert!(out.contains(part) && !out.contains("===="), "{out}");
    }
    let all =
        place.good(&["compile", SPMV, "-f=A:ds", "-d", "i=5", "--emit", "cin,lattice", "--emit", "loops"]);
    let titles: Vec<&str> = all.lines().filter(|l| l.starts_with("====")).collect();
    assert_eq!(titles, ["==== cin ====", "==== lattice ====", "==== loops ===="]);
    let narrow = place.good(&["compile", SPMV, "-f", "A=csr", "-t", "A=f32", "-t", "x=f32"]);
    assert!(narrow.contains("y_vals: out uninit f32[]"), "{narrow}");
    // Shapes say where a window that runs backwards begins.
    let turned = "C(i,j) = A(i(::-1),j) + B(i,j(::-1))";
    let out = place.good(&["compile", turned, "-f", "A=csr", "-d", "A=5,7", "-d", "B=5,7", "--emit", "cin"]);
    assert!(out.contains("c == 4 + i64(-1) * i") && out.contains("c1 == 6 + i64(-1) * j"), "{out}");
    let v = place.json(&["compile", SPMV, "-f", "A=csr", "--emit", "cin", "--json"]);
    assert_eq!(v["stages"][0]["stage"].as_str(), Some("cin"));
}

#[test]
fn c_can_be_listed_without_a_compiler() {
    let place = Place::new();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_openwork"))
        .args(["compile", SPMV, "-f", "A=csr", "--emit", "c"])
        .env("PATH", place.path())
        .env("OPENWORK_CC", "/nonexistent/cc")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn converting_there_and_back_keeps_everything() {
    let place = Place::new();
    place.good(&["convert", "a.mtx", "a.tns.gz", "--to", "csc"]);
    place.good(&["convert", "a.tns.gz", "b.mtx"]);
    assert_eq!(
        place.get("b.mtx").lines().skip(1).collect::<Vec<_>>(),
        crate::common::A.lines().skip(1).collect::<Vec<_>>()
    );
    place.good(&["convert", "a.mtx", "c.tns", "--to", "csc"]);
    assert_eq!(place.get("c.tns"), "1 1 1\n3 1 4\n2 2 3\n1 3 2\n3 4 5\n");
    let out = place.good(&["convert", "s.mtx", "s2.mtx"]);
    assert!(out.contains("3 x 3") && out.contains("6 stored") && out.contains("csr"), "{out}");
    assert!(place.get("s2.mtx").starts_with("%%MatrixMarket matrix coordinate real general\n3 3 6\n"));
    let v = place.json(&["convert", "t.tns", "t2.tns", "-t", "f32", "--json"]);
    assert_eq!((v["nnz"].as_u64(), v["dtype"].as_str()), (Some(3), Some("f32")));
    // In place.
    place.good(&["convert", "c.tns", "c.tns", "--to", "csr"]);
    assert_eq!(place.get("c.tns"), "1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 4 5\n");
}

#[test]
fn info_measures_a_matrix() {
    let place = Place::new();
    let v = place.json(&["info", "s.mtx", "--json"]);
    let m = &v["matrix"];
    assert_eq!((v["nnz"].as_u64(), v["declared_symmetry"].as_str()), (Some(6), Some("symmetric")));
    assert_eq!(
        (m["symmetry"]["value"].as_bool(), m["symmetry"]["skew"].as_bool()),
        (Some(true), Some(false))
    );
    assert_eq!((m["diagonals"].as_u64(), m["lower_bandwidth"].as_u64()), (Some(3), Some(1)));
    assert_eq!((m["per_row"]["min"].as_u64(), m["per_row"]["mean"].as_f64()), (Some(2), Some(2.0)));
    // 6 entries in four 2 x 2 blocks.
    assert_eq!(m["block_fill"][0]["fill"].as_f64(), Some(6.0 / 16.0));
    let out = place.good(&["info", "s.mtx"]);
    for part in ["value symmetric", "3 nonempty", "rows by entries", "|* * .|\n|* . *|\n|. * *|"] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    place.put("k.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n5 5 2\n2 1 1\n5 1 0\n");
    let v = place.json(&["info", "k.mtx", "--json"]);
    assert_eq!(v["values"]["explicit_zeros"].as_u64(), Some(2));
    assert_eq!((v["values"]["min"].as_f64(), v["values"]["max"].as_f64()), (Some(-1.0), Some(1.0)));
    let m = &v["matrix"];
    assert_eq!(
        (m["symmetry"]["value"].as_bool(), m["symmetry"]["skew"].as_bool()),
        (Some(false), Some(true))
    );
    assert_eq!((m["empty_rows"].as_u64(), m["empty_columns"].as_u64()), (Some(2), Some(2)));
    assert_eq!(v["recommended"].as_str(), v["candidates"][0]["format"].as_str());
    // A larger one is drawn with dots.
    let diagonal: String = (1..=200).map(|n| format!("{n} {n} 1\n")).collect();
    place.put("d.tns", &diagonal);
    let out = place.good(&["info", "d.tns"]);
    assert!(
        out.contains('\u{2811}') && out.contains("recommended: dia, the fastest and the smallest\n"),
        "{out}"
    );
    let v = place.json(&["info", "d.tns", "--json"]);
    let csr = v["candidates"].as_array().unwrap().iter().find(|c| c["format"] == "csr").unwrap();
    // 201 positions, 200 coordinates and values.
    assert_eq!((csr["bytes"].as_u64(), csr["values"].as_u64()), (Some(201 * 8 + 200 * 12), Some(200)));
    assert!(csr["reason"].as_str().is_some_and(|r| r.contains("no padding")), "{csr}");
    assert_eq!(v["matrix"]["diagonal_fill"].as_f64(), Some(1.0));
}

#[test]
fn info_measures_tensors_and_odd_shapes() {
    let place = Place::new();
    let v = place.json(&["info", "t.tns", "--json"]);
    assert_eq!((v["nnz"].as_u64(), v["duplicates"].as_u64()), (Some(3), Some(1)));
    assert_eq!(v["modes"][1], serde_json::json!({ "size": 3, "distinct": 3 }));
    assert!(place.good(&["info", "t.tns"]).contains("mode 2"));
    place.put("e.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    place.put("r.mtx", "%%MatrixMarket matrix coordinate real general\n2 3000000000 1\n2 2999999999 1\n");
    for name in ["e.mtx", "r.mtx", "x.mtx"] {
        place.good(&["info", name]);
        place.good(&["info", name, "--plot", "p.png"]);
    }
}

#[test]
fn pictures_are_svg_and_png() {
    let place = Place::new();
    place.good(&["info", "a.mtx", "--plot", "a.svg"]);
    assert!(place.get("a.svg").starts_with("<svg ") && place.get("a.svg").contains("<path "));
    place.good(&["info", "a.mtx", "--plot", "a.PNG"]);
    assert_eq!(&place.bytes("a.PNG")[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(place.files(), ["a.PNG", "a.mtx", "a.svg", "s.mtx", "t.tns", "x.mtx"]);
}

#[test]
fn completions_and_help() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.good(&["completions", shell]).contains("openwork"), "{shell}");
    }
    for command in ["run", "compile", "convert", "info", "completions"] {
        let help = place.good(&[command, "--help"]);
        assert!(help.contains("Examples:\n  openwork "), "{help}");
    }
    assert!(place.good(&["--help"]).contains("Exit status:"));
    assert!(place.good(&["--version"]).starts_with("openwork "));
}

#[test]
fn coordinates_of_tns_files_begin_at_zero_where_that_is_said() {
    let place = Place::new();
    place.put("z.tns", "0 0 1\n0 2 2\n2 1 4\n");
    place.good(&["convert", "z.tns", "one.tns", "--base", "0"]);
    assert_eq!(place.get("one.tns"), "1 1 1\n1 3 2\n3 2 4\n");
    let info = place.json(&["info", "z.tns", "--base", "0", "--json"]);
    assert_eq!(info["shape"], serde_json::json!([3, 3]));
    // Files that say where they begin are read beside it as ever.
    let run =
        ["run", "B(i,j) = A(i,j) + Z(i,j)", "-i", "A=s.mtx", "-i", "Z=z.tns", "--base", "0", "-o", "b.tns"];
    place.good(&run);
    assert!(place.get("b.tns").starts_with("1 1 "));
    let refused = place.run(&["convert", "z.tns", "two.tns"]);
    assert!(refused.status == 1 && refused.err.contains("E0703"), "{}", refused.err);
    let refused = place.run(&["convert", "a.mtx", "two.tns", "--base", "0"]);
    assert!(refused.status == 1 && refused.err.contains("E0705"), "{}", refused.err);
}

#[test]
fn arrays_of_numpy_are_dense() {
    let place = Place::new();
    place.put("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2\n3 2 5\n");
    place.good(&["run", "x(i) = A(i,j)", "-i", "A=a.mtx", "-f", "x=dense", "-o", "x.npy"]);
    let v = place.json(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.npy", "-o", "y.npy", "--json"]);
    assert_eq!(v["operands"][1]["format"].as_str(), Some("dense"), "{v}");
}

#[test]
fn the_only_result_needs_no_name() {
    let place = Place::new();
    for output in ["y=y1.tns", "y1.tns"] {
        place.good(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", output]);
        assert_eq!(place.get("y1.tns"), "1 7\n2 6\n3 24\n");
    }
    let two = format!("{SPMV}; n = y(i) * y(i)");
    let refused = place.run(&["run", &two, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", "y2.tns"]);
    assert!(refused.status != 0 && refused.err.contains("the results are y, n"), "{}", refused.err);
    let refused = place.run(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", "y.xyz"]);
    assert!(refused.status == 1 && refused.err.contains("E0705"), "{}", refused.err);
}

#[test]
fn words_that_are_no_formats_may_be_levels() {
    let refused = Place::new().run(&["compile", SPMV, "-f", "A=compresed"]);
    assert!(refused.err.contains("did you mean `compressed`"), "{}", refused.err);
}
