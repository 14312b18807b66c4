//! `openwork convert --to`: conversions in memory, what they report, and how they are refused.

use crate::common::Place;

/// 12 x 12: three diagonals.
fn tridiagonal() -> String {
    let mut lines = Vec::new();
    for i in 1..=12i64 {
        lines.extend(
            (i - 1..=i + 1).filter(|j| (1..=12).contains(j)).map(|j| format!("{i} {j} {}", 10 * i + j)),
        );
    }
    format!("%%MatrixMarket matrix coordinate real general\n12 12 {}\n{}\n", lines.len(), lines.join("\n"))
}
fn sort_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

#[test]
fn every_preset_keeps_every_element() {
    let place = Place::new();
    place.put("d.mtx", &tridiagonal());
    place.good(&["convert", "d.mtx", "want.tns"]);
    for format in [
        "dense",
        "csr",
        "csc",
        "dcsr",
        "dcsc",
        "csf",
        "coo",
        "coo_aos",
        "hash",
        "dok",
        "bytemap",
        "bitmap",
        "ragged",
        "lil",
        "rle",
        "ell",
        "jad",
        "dia",
        "banded",
        "bcsr(3,3)",
        "bcsr(5)",
        "bcsc(2,3)",
        "sell(4)",
        "csb(4)",
        "hicoo(4)",
        "ds:1,0",
        "(i,j) -> (j-i,i,j) : squeezed, range, offset ; pos = i32",
        "(i,j) -> (i,j) : compressed, banded",
    ] {
        let v = place.json(&["convert", "d.mtx", "o.tns", "--to", format, "--json"]);
        // A file lists every value of a dense tensor.
        let mut made = sort_lines(&place.get("o.tns"));
        made.retain(|line| !line.ends_with(" 0"));
        assert_eq!(made, sort_lines(&place.get("want.tns")), "{format}");
        let number = |key: &str| v[key].as_u64().unwrap_or_else(|| panic!("{key} of {format}: {v}"));
        assert_eq!(number("elements"), 34, "{format}");
        // Every value of a dense tensor counts.
        assert_eq!(number("nnz"), if format == "dense" { 144 } else { 34 }, "{format}");
        let padding = v["padding"].as_f64().unwrap();
        assert!((padding - (1.0 - 34.0 / number("stored") as f64)).abs() < 1e-12, "{format}: {v}");
        assert_eq!((v["source"]["format"].as_str(), v["source"]["nnz"].as_u64()), (Some("csr"), Some(34)));
        assert!(v["conversion"]["direct"].is_boolean() && v["conversion"]["run_ms"].is_number(), "{v}");
        // What is not made directly is made of something that has a name.
        let (direct, how) = (v["conversion"]["direct"] == true, v["conversion"]["how"].as_str().unwrap());
        let named = match how.split_once("a kernel that makes `B` as ") {
            _ if direct => how == "directly, by one kernel",
            Some((_, between)) => !between.starts_with(&format!("{format},")),
            None => how.starts_with("by storage, without a kernel of the plan: "),
        };
        assert!(named, "{format}: {v}");
    }
}

#[test]
fn reports_say_what_was_done() {
    let place = Place::new();
    place.put("d.mtx", &tridiagonal());
    let out = place.good(&["convert", "d.mtx", "o.mtx", "--to", "dia"]);
    for part in [
        "34 stored",
        "36 stored",
        "csr to dia directly, by one kernel",
        "5.6 % of the stored values are padding",
    ] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    // Files have no fill value.
    let ran = place.run(&["convert", "t.tns", "o.tns", "--to", "csf; fill = 1"]);
    assert!(ran.status == 3 && ran.err.contains("E0707"), "{ran:?}");
    place.good(&["convert", "a.mtx", "o.mtx", "--to", "dense; fill = 1"]);
    assert_eq!(place.get("o.mtx").lines().nth(1), Some("3 4"));
    // Runs below a list are built by nothing but storage.
    let runs = "(i,j) -> (i,j) : compressed, runs";
    let out = place.good(&["convert", "d.mtx", "o.mtx", "--to", runs]);
    assert!(out.contains("by storage") && out.contains("unpacked to a list of its elements"), "{out}");
}

#[test]
fn matrices_of_many_empty_rows_need_no_position_for_each() {
    let place = Place::new();
    let text = "%%MatrixMarket matrix coordinate real general\n3000000000 3000000000 1\n5 2999999999 2.5\n";
    place.put("z.mtx", text);
    let list = "# openwork: shape is 3000000000 3000000000\n5 2999999999 2.5\n";
    place.good(&["convert", "z.mtx", "z.tns"]);
    assert_eq!(place.get("z.tns"), list);
    for format in ["coo", "coo_aos", "dcsr", "dcsc", "csf", "dok", "hicoo"] {
        for from in ["z.mtx", "z.tns"] {
            place.good(&["convert", from, "o.tns", "--to", format]);
            assert_eq!(place.get("o.tns"), list, "{from} to {format}");
        }
    }
    let ran = place.run(&["convert", "z.mtx", "o.tns", "--to", "csr"]);
    assert!(ran.status == 1 && ran.err.contains("E0605"), "{ran:?}");
    let scaled = "b = A(i,j) * A(i,j)";
    for command in ["run", "explain", "tune"] {
        let ran = place.run(&[command, scaled, "-i", "A=z.mtx"]);
        assert_eq!(ran.status, 0, "{command}: {ran:?}");
    }
    place.good(&["info", "z.mtx"]);
}

#[test]
fn explaining_comes_before_converting() {
    let place = Place::new();
    place.put("d.mtx", &tridiagonal());
    let out = place.good(&["convert", "d.mtx", "o.mtx", "--to", "dia", "--explain"]);
    for part in ["cin\n", "forall i0", "loops\nkernel kernel(", "will take 308 B in 36 stored values"] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    let v = place.json(&["convert", "d.mtx", "o.mtx", "--to", "dia", "--explain", "--json"]);
    assert_eq!((v["explanation"]["bytes"].as_u64(), v["bytes"].as_u64()), (Some(308), Some(308)));
    assert!(v["explanation"]["cin"].as_str().is_some_and(|t| t.contains("where")), "{v}");
    assert_eq!(place.run(&["convert", "d.mtx", "o.mtx", "--explain"]).status, 2);
}

/// Runs with a limit on the memory of tensors.
fn run_limited(place: &Place, args: &[&str]) -> (Option<i32>, String, String) {
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_openwork"))
        .args(args)
        .current_dir(place.path())
        .env("OPENWORK_MEMORY_LIMIT", "1M")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn too_large_formats_are_refused_with_their_size() {
    let place = Place::new();
    let scattered: String = (1..=2000u64).map(|n| format!("{n} {} 1\n", n * n * 7919 % 1999 + 1)).collect();
    place.put("s.tns", &scattered);
    for format in ["dia", "dense", "banded", "bytemap"] {
        let (status, _, err) = run_limited(&place, &["convert", "s.tns", "o.tns", "--to", format]);
        assert_eq!(status, Some(1), "{format}: {err}");
        assert!(err.contains("error[E0605]") && err.contains("memory limit"), "{format}: {err}");
        assert!(err.contains("more than the memory limit of"), "{format}: {err}");
    }
    assert_eq!(place.files().iter().filter(|f| *f == "o.tns").count(), 0);
    // Explained all the same.
    let (status, out, err) =
        run_limited(&place, &["convert", "s.tns", "o.tns", "--to", "dense", "--explain"]);
    assert!(
        out.contains("will take 32.0 MB in 3998000 stored values") || out.contains("will take 3"),
        "{out}"
    );
    assert!(status == Some(1) && err.contains("E0605"), "{err}");
    let (status, _, err) = run_limited(&place, &["convert", "s.tns", "o.tns", "--to", "csc", "--json"]);
    assert_eq!(status, Some(0), "{err}");
}

#[test]
fn bad_formats_point_at_their_place() {
    let place = Place::new();
    for (format, code, status) in [
        ("bcsr(0,3)", "E0305", 1),
        ("(i,j) -> (j/2,i) : dense, compressed", "E0306", 1),
        ("(i,j) -> (i,j) : dense, offset", "E0307", 1),
        ("(i,j) -> (i/j,i,j) : dense, dense, compressed", "E0308", 1),
        ("(i,j) -> (k=#j in #k,i,j) : sliced, dense, singleton", "E0309", 1),
        ("lower", "E0602", 3),
    ] {
        let ran = place.run(&["convert", "a.mtx", "o.mtx", "--to", format]);
        assert_eq!(ran.status, status, "{format}: {ran:?}");
        assert!(ran.err.contains(code), "{format}: {}", ran.err);
    }
}
