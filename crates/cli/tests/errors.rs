//! Every mistake is one clear error with the right exit status, and leaves nothing behind.

use crate::common::Place;

const SPMV: &str = "y(i) = A(i,j) * x(j)";
const A: [&str; 2] = ["-i", "A=a.mtx"];
const X: [&str; 2] = ["-i", "x=x.mtx"];

/// Further flags, exit status, code, a part of the message. `None` as the statement is SpMV with A and x given.
type Case = (&'static [&'static str], i32, &'static str, &'static str);

const ON_SPMV: &[Case] = &[
    (&["-f", "B=csr"], 1, "E0801", "no tensor `B`"),
    (&["-t", "B=f64"], 1, "E0801", "no tensor `B`"),
    (&["-i", "B=a.mtx"], 1, "E0801", "no tensor `B`"),
    (&["-g", "xx=ones"], 1, "E0801", "did you mean `x`?"),
    (&["-d", "J=3"], 1, "E0801", "did you mean `j`?"),
    (&["-d", "q=3"], 1, "E0801", "no index variable `q`"),
    (&["-i", "A=a.mtx"], 1, "E0802", "given twice"),
    (&["-f", "A=csr", "-f", "A=csc"], 1, "E0802", "given twice"),
    (&["-g", "A=ones"], 1, "E0802", "-i and -g"),
    (&["-g", "y=ones"], 1, "E0803", "computed"),
    (&["-o", "A=b.tns"], 1, "E0803", "operand"),
    (&["-t", "x=f65"], 1, "E0805", "unknown dtype `f65`"),
    (&["-t", "x=flaot64"], 1, "E0805", "did you mean `float64`"),
    (&["-d", "i=many"], 1, "E0806", "no size"),
    (&["-d", "j=7"], 1, "E0203", "size 4"),
    (&["-f", "A=csx"], 1, "E0301", "-f A:1:1"),
    (&["-f", "A=csx"], 1, "E0301", "did you mean `csr`, `csc` or `csf`?"),
    (&["-f", "A=csf; crd = i7"], 1, "E0304", "^^"),
    (&["-f", "A=dss"], 1, "E0302", "3 levels"),
    (&["-f", "A=(i,j) -> (j/2,i) : dense, compressed"], 1, "E0306", "do not determine `j`"),
    (&["-f", "A=bcsr(0,2)"], 1, "E0305", "positive"),
    (&["-f", "y=dense; fill = x"], 1, "E0210", "no f64"),
    (&["-f", "A=csr; fill = x"], 1, "E0210", "no f64"),
    (&["-o", "y=nowhere/y.tns"], 1, "E0704", "no folder"),
    (&["-o", "y=."], 1, "E0705", "has no extension"),
    (&["-o", "y=y.xyz"], 1, "E0705", ".mtx"),
    (&["-s=reodrer(i,j)"], 1, "E0811", "did you mean `reorder`?"),
    (&["-s", "reorder(i,q)"], 1, "E0812", "no loop over `q`"),
    (&["-s", "reorder(j,i)"], 1, "E0813", "is stored as csr"),
    (&["-s", "gallop(j)"], 3, "E0814", "sorted lists"),
];

const ALONE: &[Case] = &[
    (&["run", "y(i) = A(i,j) * "], 1, "E0102", "statement:1:"),
    (&["run", "y(i+1) = A(i)", "-i", "A=x.mtx"], 1, "E0206", "coordinates mode 0"),
    (&["run", SPMV, "-i", "A=a.mtx"], 1, "E0804", "`x` has no data"),
    (&["run", "x(i) += x(i)", "-d", "i=2"], 1, "E0804", "old value"),
    (&["run", SPMV, "-i", "A=a.mtx", "-i", "x=none.mtx"], 1, "E0704", "none.mtx"),
    (&["run", SPMV, "-i", "A=a.mtx", "-g", "x=oness"], 1, "E0708", "did you mean `ones`?"),
    (&["run", SPMV, "-i", "A=a.mtx", "-g", "x=sparse:density=7"], 1, "E0708", "no density"),
    (&["run", "y(i) = x(i)", "-g", "x=ones"], 1, "E0206", "-d i=100"),
    (&["run", "y(i) = A(i,j,k)", "-i", "A=a.mtx"], 1, "E0807", "2 modes"),
    (&["run", "y(i) = A(i)", "-i", "A=a.mtx"], 1, "E0807", "2 modes"),
    (&["run", "y(i) = A(i,j) * x(i)", "-i", "A=a.mtx", "-i", "x=x.mtx"], 1, "E0203", "ranges over"),
    (&["run", "B(i,j,k) = T(i,j,k)", "-i", "T=t.tns", "-o", "B=b.mtx"], 3, "E0707", "3 modes"),
    (
        &["run", "B(i,j) = A(i,j) + 1", "-i", "A=a.mtx", "-f", "B=csr", "-o", "B=b.tns"],
        3,
        "E0707",
        "not stored",
    ),
    (&["run", "y(i) = x(i)", "-g", "x=ones", "-d", "i=4000000000000000000"], 1, "E0603", "element"),
    (&["run", "y(i) = x(i)", "-i", "x=a"], 1, "E0705", "extension"),
    (&["run", "y(i) = x(i)", "-i", "x=bad.mtx"], 1, "E0701", "bad.mtx:3"),
    (&["convert", "a.mtx", "b.xyz"], 1, "E0705", ".tns"),
    (&["convert", "none.mtx", "b.tns"], 1, "E0704", "none.mtx"),
    (&["convert", "a.mtx", "b.tns", "--to", "csx"], 1, "E0301", "--to:1:1"),
    (&["convert", "a.mtx", "b.tns", "-t", "real"], 1, "E0805", "real"),
    (&["convert", "t.tns", "b.mtx"], 3, "E0707", "3 modes"),
    (&["info", "none.mtx"], 1, "E0704", "none.mtx"),
    (&["info", "a.mtx", "--plot", "p.gif"], 1, "E0809", ".svg or .png"),
    (&["info", "t.tns", "--plot", "p.svg"], 1, "E0809", "no matrix"),
    (&["compile", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "-t", "y=i32"], 1, "E0208", "i32"),
];

const USAGE: &[(&[&str], &str)] = &[
    (&[], "Usage"),
    (&["run"], "required"),
    (&["dance"], "unrecognized"),
    (&["runn"], "'run'"),
    (&["run", "a = 1", "--fast"], "unexpected"),
    // A flag of another command is named as such.
    (&["explain", "a = 1", "--threads", "1"], "--threads is a flag of `openwork run`, `openwork tune`"),
    (&["run", "a = 1", "--best", "2"], "--best is a flag of `openwork tune`"),
    (&["convert", "a.mtx", "b.mtx", "-g", "x=ones"], "-g is a flag of `openwork run`, `openwork tune`"),
    (&["run", "a = 1", "--tme"], "'--time'"),
    (&["run", "a = 1", "-f", "Acsr"], "NAME=VALUE"),
    (&["run", "a = 1", "-f", "A="], "nothing follows"),
    (&["run", "a = 1", "--time", "0"], "0"),
    (&["run", "a = 1", "--backend", "gpu"], "possible values"),
    (&["compile", "a = 1", "--emit", "wasm"], "possible values"),
    (&["completions", "dos"], "possible values"),
];

fn check(place: &Place, args: &[&str], status: i32, code: &str, part: &str) {
    let before = place.files();
    let ran = place.run(args);
    assert_eq!(ran.status, status, "{args:?}: {ran:?}");
    assert!(ran.err.contains(&format!("error[{code}]")), "{args:?}: {}", ran.err);
    assert!(ran.err.contains(part), "{part:?} not in the error of {args:?}: {}", ran.err);
    assert!(!ran.err.contains('\u{1b}'), "colour without a terminal: {}", ran.err);
    assert_eq!(ran.out, "", "{args:?}");
    assert_eq!(place.files(), before, "{args:?} left files");
    if args[0] == "info" || args[0] == "convert" || args[0] == "run" || args[0] == "compile" {
        let json = place.run(&[args, &["--json"]].concat());
        assert_eq!((json.status, json.out.as_str()), (status, ""), "{args:?}: {json:?}");
        let v: serde_json::Value = serde_json::from_str(&json.err).unwrap();
        assert_eq!(v["error"]["code"].as_str(), Some(code), "{v}");
        assert!(v["error"]["message"].is_string(), "{v}");
        assert!(v["error"]["span"].is_null() || v["error"]["span"]["column"].is_u64(), "{v}");
    }
}

#[test]
fn mistakes_around_a_statement() {
    let place = Place::new();
    for &(flags, status, code, part) in ON_SPMV {
        let args: Vec<&str> = ["run", SPMV].iter().chain(&A).chain(&X).chain(flags).copied().collect();
        check(&place, &args, status, code, part);
    }
}

#[test]
fn mistakes_on_their_own() {
    let place = Place::new();
    place.put("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 one 1\n");
    place.put("a", "");
    for &(args, status, code, part) in ALONE {
        check(&place, args, status, code, part);
    }
}

#[test]
fn bad_command_lines_exit_with_two() {
    let place = Place::new();
    for (args, part) in USAGE {
        let ran = place.run(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.err.contains(part), "{part:?} not in the error of {args:?}: {}", ran.err);
    }
    let json = place.run(&["run", "a = 1", "--json", "--fast"]);
    let v: serde_json::Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!((json.status, v["error"]["code"].as_str()), (2, Some("E0800")));
}

#[test]
fn spans_point_into_the_guilty_text() {
    let place = Place::new();
    let ran = place.run(&["run", SPMV, "-i", "A=a.mtx", "-i", "x=x.mtx", "-f", "A=ds:1,7", "--json"]);
    let v: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    let span = &v["error"]["span"];
    assert_eq!((span["source"].as_str(), span["line"].as_u64()), (Some("-f A"), Some(1)));
    assert_eq!((span["start"].as_u64(), span["column"].as_u64()), (Some(3), Some(4)));
}

#[test]
fn an_output_that_exists_stays_when_a_run_fails() {
    let place = Place::new();
    place.put("y.tns", "precious");
    let ran = place.run(&["run", SPMV, "-i", "A=a.mtx", "-g", "x=ones", "-d", "i=9", "-o", "y=y.tns"]);
    assert_eq!((ran.status, place.get("y.tns").as_str()), (1, "precious"));
}

#[test]
#[cfg(unix)]
fn a_reader_that_stops_early_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_openwork"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]));
}
