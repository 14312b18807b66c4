//! `openwork run`: numbers, formats, backends, spellings, reports.

use crate::common::Place;

const SPMV: &str = "y(i) = A(i,j) * x(j)";

/// The values in a `.tns` file by their coordinates.
fn entries(text: &str) -> Vec<(Vec<usize>, f64)> {
    let line = |line: &str| {
        let (at, value) = line.rsplit_once(' ').unwrap();
        (at.split(' ').map(|n| n.parse().unwrap()).collect(), value.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn has_c_compiler() -> bool {
    let place = Place::new();
    place.run(&["run", "a = 1.5", "--backend", "c"]).status == 0
}

#[test]
fn every_format_on_every_backend_gives_the_same_numbers() {
    let place = Place::new();
    let want = [(vec![1], 7.0), (vec![2], 6.0), (vec![3], 24.0)];
    for backend in ["clif", "interp", "c"] {
        if backend == "c" && !has_c_compiler() {
            continue;
        }
        for format in ["csr", "csc", "coo", "dcsr", "dense", "(i,j) -> (j,i) : compressed, dense"] {
            let f = format!("A={format}");
            place.good(&[
                "run",
                SPMV,
                "-f",
                &f,
                "-i",
                "A=a.mtx",
                "-i",
                "x=x.mtx",
                "-o",
                "y=y.tns",
                "--backend",
                backend,
            ]);
            assert_eq!(entries(&place.get("y.tns")), want, "{format} on {backend}");
            std::fs::remove_file(place.path().join("y.tns")).unwrap();
        }
    }
}

#[test]
fn taco_spellings_give_the_same_result() {
    let place = Place::new();
    place.good(&["run", SPMV, "-f", "A=csc", "-i", "A=a.mtx", "-g", "x=dense", "-o", "y=ours.tns"]);
    for (n, f) in ["-f=A:ds:1,0", "-f=A:d1s0", "-f=A=ds:1,0"].iter().enumerate() {
        let o = format!("-o=y:taco{n}.tns");
        let out =
            place.good(&["run", SPMV, f, "-i=A:a.mtx", "-g=x:d", &o, "-d=i:3", "-t=x:double", "-time=2"]);
        assert!(out.contains("csc") && out.contains("of 2 runs"), "{out}");
        assert_eq!(place.get(&format!("taco{n}.tns")), place.get("ours.tns"));
    }
    // A value with `=` in it, in both spellings.
    let fill = |flag: &[&str]| {
        let mut args = vec!["run", "y(i) = x(i) + 1", "-g", "x=ones", "-d", "i=2", "-o", "y=f.tns"];
        args.extend(flag);
        place.good(&args);
        place.get("f.tns")
    };
    assert_eq!(fill(&["-f", "y=dense; fill = 0"]), fill(&["-f=y:dense; fill = 0"]));
}

#[test]
fn json_is_one_object_with_the_promised_keys() {
    let place = Place::new();
    let v = place.json(&[
        "run",
        SPMV,
        "-f",
        "A=csr",
        "-i",
        "A=a.mtx",
        "-g",
        "x=random:seed=1",
        "-o",
        "y=y.tns",
        "--time",
        "10",
        "--threads",
        "1",
        "--json",
    ]);
    let y = &v["results"][0];
    assert_eq!((y["name"].as_str(), y["nnz"].as_u64()), (Some("y"), Some(3)));
    assert_eq!((y["format"].as_str(), y["dtype"].as_str()), (Some("dense"), Some("f64")));
    assert_eq!(y["shape"], serde_json::json!([3]));
    assert_eq!((v["backend"].as_str(), v["threads"].as_u64()), (Some("clif"), Some(1)));
    let spread = (v["chunks"].as_u64(), v["parallel"].as_str());
    assert_eq!(spread, (Some(1), Some("chunks of i, each writes its slice of the result")));
    assert_eq!((v["run_ms"]["runs"].as_u64(), v["flops"].as_f64()), (Some(10), Some(10.0)));
    assert!(v["run_ms"]["min"].as_f64() <= v["run_ms"]["median"].as_f64());
    assert!(v["compile_ms"].as_f64() > Some(0.0) && v["load_ms"].as_f64() > Some(0.0));
    assert_eq!(v["bytes"].as_u64(), Some(92 + 32 + 24));
    assert_eq!(v["operands"].as_array().map(Vec::len), Some(2));
    assert!(v["reasons"].to_string().contains("`y` is dense"));
}

#[test]
fn the_human_summary_names_everything() {
    let place = Place::new();
    let out = place.good(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.mtx", "--threads", "8"]);
    for part in [
        "A  3 x 4  5 stored  csr",
        "x  4",
        "y(2) = 24",
        "compile",
        "(clif)",
        "on 1 thread",
        "GFLOP/s",
        "`A` is csr: the file lists coordinates",
        "`x` is dense: the file lists every value",
        "`y` is dense",
    ] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
}

#[test]
fn shapes_follow_from_files_flags_and_each_other() {
    let place = Place::new();
    let shape = |args: &[&str]| {
        let mut all = vec!["run"];
        all.extend(args);
        all.push("--json");
        place.json(&all)["results"][0]["shape"].to_string()
    };
    // Through a generated tensor that is used twice: B is 4 x 4, so k has 4 values.
    assert_eq!(shape(&["C(i,k) = A(i,j) * B(j,k) * B(k,j)", "-i", "A=a.mtx", "-g", "B=range"]), "[3,4]");
    // A .tns file grows to what others and -d say.
    assert_eq!(shape(&["B(i,j,k) = T(i,j,k)", "-i", "T=t.tns", "-d", "i=5"]), "[5,3,2]");
    assert_eq!(shape(&["B(i,j) = T(i,j,k) * A(j,i)", "-i", "T=t.tns", "-i", "A=a.mtx"]), "[4,3]");
    // Two of them take the larger size.
    place.put("v.tns", "9 1\n");
    assert_eq!(shape(&["y(i) = v(i) + T(i,j,k)", "-i", "T=t.tns", "-i", "v=v.tns"]), "[9]");
    // An empty one has the size it is given.
    place.put("e.tns", "");
    assert_eq!(shape(&["y(i) = e(i) + 1", "-i", "e=e.tns", "-d", "i=4"]), "[4]");
}

#[test]
fn defaults_suit_the_files() {
    let place = Place::new();
    place.put("v.tns", "2 1.5\n");
    let v = place.json(&[
        "run",
        "a = T(i,j,k) * v(k) * s(i,j)",
        "-i",
        "T=t.tns",
        "-i",
        "v=v.tns",
        "-g",
        "s=sparse:density=1,seed=1",
        "--json",
    ]);
    let formats: Vec<&str> =
        v["operands"].as_array().unwrap().iter().map(|o| o["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["csf", "sv", "csr"]);
}

#[test]
fn updates_scalars_and_dtypes() {
    let place = Place::new();
    place.good(&[
        "run",
        "y(i) += A(i,j) * x(j)",
        "-i",
        "A=a.mtx",
        "-i",
        "x=x.mtx",
        "-g",
        "y=ones",
        "-o",
        "y=y.tns",
    ]);
    assert_eq!(place.get("y.tns"), "1 8\n2 7\n3 25\n");
    let v = place.json(&["run", "a = A(i,j)", "-i", "A=a.mtx", "-t", "A=f32", "--json"]);
    assert_eq!(
        (v["results"][0]["shape"].to_string(), v["results"][0]["dtype"].as_str()),
        ("[]".into(), Some("f32"))
    );
    // A matrix of one entry serves as a scalar.
    place.put("one.mtx", "%%MatrixMarket matrix array real general\n1 1\n2.5\n");
    let out = place.good(&["run", "y(i) = c * x(i)", "-i", "c=one.mtx", "-g", "x=range", "-d", "i=3"]);
    assert!(out.contains("y(2) = 5"), "{out}");
}

#[test]
fn a_statement_without_operands_runs() {
    let out = Place::new().good(&["run", "a = 2.5 * 2"]);
    assert!(out.contains("a = 5") && !out.contains("operands"), "{out}");
}

#[test]
fn results_can_be_compressed_files() {
    let place = Place::new();
    place.good(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", "y=y.mtx.gz", "-o", "y=y.tns"]);
    let v = place.json(&["run", "a = y(i)", "-i", "y=y.mtx.gz", "--json"]);
    assert_eq!(v["operands"][0]["shape"].to_string(), "[3]");
    assert_eq!(place.get("y.tns"), "1 7\n2 6\n3 24\n");
}

#[test]
fn conversions_are_part_of_a_run_and_shown_by_themselves() {
    let place = Place::new();
    let sum =
        ["run", "C(i,j) = A(i,j) + B(i,j)", "-i", "A=s.mtx", "-i", "B=s.mtx", "-f", "A=csr", "-f", "C=csr"];
    for (format, converts) in [("B=csr", false), ("B=csc", true)] {
        let args = [&sum[..], &["-f", format, "--time", "3"]].concat();
        let v: serde_json::Value =
            serde_json::from_str(&place.run(&[&args[..], &["--json"]].concat()).out).unwrap();
        let ms = |part: &str| v[part]["median"].as_f64().unwrap();
        assert_eq!(v["first_conversion_ms"].as_f64().unwrap() > 0.0, converts, "{v}");
        assert_eq!(ms("conversion_ms"), 0.0, "what became of operands is kept: {v}");
        assert!(ms("kernel_ms") > 0.0 && v["kernel_ms"]["runs"] == 3, "{v}");
        assert!(v["run_ms"]["min"].as_f64() >= v["kernel_ms"]["min"].as_f64(), "{v}");
        let text = place.run(&args).out;
        assert_eq!(text.contains("conversions") && text.contains("  kernel"), converts, "{text}");
        assert!(text.contains("GFLOP/s"), "{text}");
    }
}

const CHAIN: [&str; 16] = [
    "C(i,l) = A(i,j) * B(j,k) * D(k,l)",
    "-g",
    "A=sparse:density=0.02,seed=1",
    "-g",
    "B=sparse:density=0.02,seed=2",
    "-g",
    "D=sparse:density=0.02,seed=3",
    "-d",
    "i=300",
    "-d",
    "j=300",
    "-d",
    "k=300",
    "-d",
    "l=300",
    "--json",
];

#[test]
fn candidates_are_taken_by_number() {
    let place = Place::new();
    fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["run"][..], &CHAIN[..15], more].concat()
    }
    place.good(&run(&["-o", "C=0.tns"]));
    let wanted = entries(&place.get("0.tns"));
    for n in ["1", "2"] {
        let file = format!("C={n}.tns");
        place.good(&run(&["-o", &file, "--use", n]));
        let found = entries(&place.get(&format!("{n}.tns")));
        assert_eq!(wanted.len(), found.len(), "candidate {n}");
        for ((p, a), (q, b)) in wanted.iter().zip(&found) {
            assert!(p == q && (a - b).abs() <= 1e-9 * a.abs(), "candidate {n} at {p:?}");
        }
    }
    let refused = place.run(&run(&["--use", "99"]));
    assert!(refused.status == 1 && refused.err.contains("E0808"), "{}", refused.err);
}

#[test]
fn tuning_lists_the_fastest_first_and_what_to_keep() {
    let place = Place::new();
    let v = place.json(&[&["tune"][..], &CHAIN].concat());
    let text = place.good(&[&["tune"][..], &CHAIN[..CHAIN.len() - 1]].concat());
    assert!(text.ends_with('\n') && text.lines().last().is_some_and(|l| l.starts_with("keep")), "{text}");
    let trials = v["trials"].as_array().unwrap();
    let times: Vec<f64> = trials.iter().map(|t| t["run_ms"].as_f64().unwrap()).collect();
    assert!(times.len() > 8 && times.is_sorted(), "{times:?}");
    let has = |f: &str| trials.iter().any(|t| t["formats"].as_array().unwrap().iter().any(|x| x == f));
    assert!(has("-f A=csc") && has("-f D=coo") && trials.iter().any(|t| t["candidate"] == 1));
    // What is kept is one of the trials.
    let keep: Vec<&str> = v["keep"].as_array().unwrap().iter().map(|k| k.as_str().unwrap()).collect();
    let number = keep.iter().find_map(|k| k.strip_prefix("--use ")).unwrap_or("0").parse::<u64>().unwrap();
    let formats: Vec<&&str> = keep.iter().filter(|k| k.starts_with("-f")).collect();
    let kept = |t: &serde_json::Value| {
        t["candidate"] == number && t["formats"].as_array().unwrap().len() == formats.len()
    };
    assert!(trials.iter().any(kept), "{keep:?}");
    // A format that is asked for stays.
    let fixed =
        [&["tune"][..], &CHAIN[..15], &["-f", "A=csr", "-f", "B=csr", "-f", "D=csr", "--json"]].concat();
    let v = place.json(&fixed);
    assert!(v["trials"].as_array().unwrap().iter().all(|t| t["formats"].as_array().unwrap().is_empty()));
    let text = place.good(&[&["tune"][..], &CHAIN[..15]].concat());
    assert!(text.contains("times best") && text.contains("keep"), "{text}");
}
