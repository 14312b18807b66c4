//! Several statements in one command: what they make, what is said of them, what is refused.

use crate::common::Place;

/// `y` is `[7 6 24]`; `z` is the other product of the same matrix.
const BOTH: &str = "y(i) = A(i,j) * x(j); z(j) = A(i,j) * w(i)";
/// A later statement reads what an earlier one computes.
const CHAIN: &str = "y(i) = A(i,j) * x(j); n = y(i) * y(i)";
const AX: [&str; 4] = ["-i", "A=a.mtx", "-i", "x=x.mtx"];

fn command_line<'a>(command: &'a str, statements: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [&[command, statements][..], &AX, flags].concat()
}

#[test]
fn every_result_is_shown_and_written() {
    let place = Place::new();
    let out = place.good(&command_line("run", BOTH, &["-g", "w=range"]));
    for part in
        ["results\n", "y(2) = 24", "z(0) = 8", "steps\n", "2 statements in 2 steps", "z(j) = A(i,j) * w(i)"]
    {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    let rows = "y(i) = A(i,j) * x(j); z(i) = A(i,j) * A(i,j) * x(j)";
    let out = place.good(&command_line("run", rows, &[]));
    for part in ["2 statements in one step", "variant 1 kernel, in one loop"] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    place.good(&command_line("run", BOTH, &["-g", "w=range", "-o", "y=y.tns", "-o", "z=z.tns"]));
    assert_eq!(place.get("y.tns"), "1 7\n2 6\n3 24\n");
    assert_eq!(place.get("z.tns"), "1 8\n2 3\n3 0\n4 10\n");
}

#[test]
fn results_that_are_read_later_are_kept_where_they_are_asked_for() {
    let place = Place::new();
    for backend in ["clif", "interp"] {
        let out = place.good(&command_line("run", CHAIN, &["--backend", backend]));
        assert!(out.contains("n = 661") && !out.contains("y(2)"), "{out}");
    }
    let v = place.json(&command_line("run", CHAIN, &["--json", "-o", "y=y.tns", "--time", "3", "--verify"]));
    assert_eq!(place.get("y.tns"), "1 7\n2 6\n3 24\n");
    let names: Vec<&str> =
        v["results"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["y", "n"]);
    let steps = v["steps"].as_array().unwrap();
    let statements: usize = steps.iter().map(|s| s["statements"].as_array().unwrap().len()).sum();
    assert_eq!(statements, 2);
    assert!(steps.iter().all(|s| s["run_ms"]["runs"] == 3 && s["run_ms"]["median"].as_f64() > Some(0.0)));
    assert_eq!((v["run_ms"]["runs"].as_u64(), v["flops"].as_f64() > Some(10.0)), (Some(3), true));
    assert!(v["reasons"].to_string().contains("`n` is verified"), "{v}");
    // One statement says nothing of steps.
    assert!(place.json(&command_line("run", "y(i) = A(i,j) * x(j)", &["--json"]))["steps"].is_null());
}

#[test]
fn statements_end_with_lines_and_know_the_functions_before_them() {
    let place = Place::new();
    let text = "def twice(x) = 2 * x\ny(i) = A(i,j)\n  * x(j)\ny(i) += twice(y(i));\ns = y(i)";
    let out = place.good(&command_line("run", text, &[]));
    assert!(out.contains("s = 111"), "{out}");
    let one = place.good(&command_line("run", "y(i) = A(i,j)\n * x(j);", &[]));
    assert!(one.contains("y(2) = 24") && !one.contains("steps"), "{one}");
}

#[test]
fn variables_of_two_statements_may_have_one_name_and_two_sizes() {
    let place = Place::new();
    // `i` has 3 values in the first statement and 4 in the second, and `k` as many as `y` is long.
    let text = "y(i) = A(i,j) * x(j); s(i) = B(j,i) * u(i); t = y(k) * v(k)";
    let flags = ["-i", "B=a.mtx", "-g", "u=ones", "-g", "v=ones", "--json"];
    let v = place.json(&command_line("run", text, &flags));
    let shape = |of: &str, n: usize| v[of][n]["shape"].to_string();
    assert_eq!((shape("results", 0), shape("results", 1)), ("[4]".into(), "[]".into()));
    let operands: Vec<String> = (0..5)
        .map(|n| format!("{}{}", v["operands"][n]["name"].as_str().unwrap(), shape("operands", n)))
        .collect();
    assert_eq!(operands, ["A[3,4]", "x[4]", "B[3,4]", "u[4]", "v[3]"]);
}

#[test]
fn compile_and_explain_show_every_statement() {
    let place = Place::empty();
    let out = place.good(&["compile", CHAIN, "-f", "A=csr", "--emit", "cin,c"]);
    for part in ["==== cin of n = y(i) * y(i) ====", "==== c of y(i) = A(i,j) * x(j) ===="] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    let v = place.json(&["compile", CHAIN, "-f", "A=csr", "--emit", "graph", "--json"]);
    assert_eq!(v["stages"][1]["statement"], "n = y(i) * y(i)");
    let out = place.good(&["explain", CHAIN, "-f", "A=csr"]);
    let head = "steps\n  1  y(i) = A(i,j) * x(j); n = y(i) * y(i), part by part\n     then y is read no more and given back\n";
    assert!(
        out.starts_with(head)
            && out.contains("==== n = y(i) * y(i) ====\nstatement\n  n = sum(i, y(i) * y(i))\nplan\n"),
        "{out}"
    );
    let both = "s(i) = A(i,j); m(i) = max(j, A(i,j))";
    let out = place.good(&["explain", both, "-f", "A=csr"]);
    assert!(
        out.starts_with(
            "steps\n  1  s(i) = A(i,j); m(i) = max(j, A(i,j)), one loop for 2 results, which reads A once\n"
        ),
        "{out}"
    );
    let out = place.good(&["explain", &format!("{both}; y(i) = 2 * m(i)"), "-f", "A=csr"]);
    let some = "part by part\n     s(i) = A(i,j); m(i) = max(j, A(i,j)): one loop for 2 results, which reads A once\n";
    assert!(out.contains(some), "{out}");
    let v = place.json(&["explain", both, "-f", "A=csr", "--json"]);
    assert_eq!(v["steps"][0]["one_loop"][0]["reads_once"], serde_json::json!(["A"]));
    let out = place.good(&["compile", both, "-f", "A=csr", "--emit", "loops"]);
    let loops = out.split("==== loops of s(i) = A(i,j); m(i) = max(j, A(i,j)) ====").nth(1).unwrap();
    assert!(loops.contains("t_2 = t_2 + A_vals[") || loops.contains("t = t + A_vals["), "{loops}");
    assert_eq!(loops.matches("vector for").count(), 1, "{loops}");
    let out = place.good(&["explain", "a(i) = x(i) + 1; b(i) = 2 * a(i); c(i) = b(i) - x(i)"]);
    let turns = "part by part\n     then a, b are read no more and given back; their memory goes from one to the next\n";
    assert!(out.contains(turns), "{out}");
    let norm = "y(i) = A(i,j) * x(j); s = y(i) * y(i); z(i) = y(i) / sqrt(s)";
    let out = place.good(&["explain", norm, "-f", "A=csr"]);
    assert!(out.contains("; the result takes the memory of y where variant `in place` runs\n"), "{out}");
    let v = place.json(&["explain", norm, "-f", "A=csr", "--json"]);
    assert_eq!(v["steps"][1]["in_place"], "y");
    let v = place.json(&["explain", CHAIN, "-f", "A=csr", "--json"]);
    assert_eq!(v["steps"][0]["frees"], serde_json::json!(["y"]));
    assert_eq!(v["statements"][1]["tensors"][0]["name"], "y");
}

/// The variants that ran, by number, and whether statements ran together.
fn variants(v: &serde_json::Value) -> Vec<(Vec<u64>, bool)> {
    let numbers = |step: &serde_json::Value| {
        step["variants"].as_array().unwrap().iter().map(|v| v["number"].as_u64().unwrap()).collect()
    };
    v["steps"].as_array().unwrap().iter().map(|s| (numbers(s), s["together"].as_bool().unwrap())).collect()
}

#[test]
fn a_variant_is_taken_by_the_statements_that_have_one() {
    let place = Place::new();
    let text = "y(i) = A(i,j) * x(j) + w(i); z(i) = y(i) * 2";
    let flags = ["-f", "A=csr", "-g", "w=ones", "--json"];
    let asked = |more: &[&str]| place.json(&command_line("run", text, &[&flags[..], more].concat()));
    // The first variant of both computes in the memory of an operand that is given away, which none is.
    assert_eq!(variants(&asked(&[])), [(vec![2, 2], true)]);
    assert_eq!(variants(&asked(&["--variant", "1"])), [(vec![2, 2], false)]);
    assert_eq!(variants(&asked(&["--variant", "2"])), [(vec![2, 2], true)]);
    // The second statement has two variants only.
    let v = asked(&["--variant", "3"]);
    assert_eq!(variants(&v), [(vec![3, 2], false)]);
    assert_eq!(v["steps"][0]["variants"][0]["name"], "deciding");
    assert!(v["variant"].is_null(), "{v}");
    let args = command_line("run", text, &["-f", "A=csr", "-g", "w=ones", "--variant", "3"]);
    let out = place.good(&args);
    assert!(out.contains("variant 3 deciding") && out.contains("variant 2 kernel"), "{out}");
    let ran = place.run(&command_line("run", text, &["-f", "A=csr", "-g", "w=ones", "--variant", "4"]));
    assert!(ran.status == 1 && ran.err.contains("E0808"), "{ran:?}");
    // From the environment, plans with fewer take their last one.
    let args = command_line("run", text, &flags);
    let forced = place.run_with(&[("OPENWORK_VARIANT", "3")], &args);
    assert_eq!(variants(&serde_json::from_str(&forced.out).unwrap()), [(vec![3, 2], false)]);
    // NaN in a sum makes annihilators decide, one statement after the other.
    place.put("nan.mtx", "%%MatrixMarket matrix array real general\n4 1\nnan\n2\n3\n4\n");
    let nan = ["-i", "A=a.mtx", "-i", "x=nan.mtx"];
    let nan = place.json(&[&["run", text][..], &nan, &flags].concat());
    assert_eq!(variants(&nan), [(vec![3, 2], false)]);
}

#[test]
fn taco_command_lines_may_have_several_as_well() {
    let out =
        Place::empty().good(&["y(i)=A(i,j)*x(j); z=y(i)*w(i)", "-f=A:ds", "-g=A:s", "-g=x:d", "-g=w:d"]);
    assert!(out.contains("A  42 x 42") && out.contains("z  scalar"), "{out}");
}

#[test]
fn what_is_about_one_statement_is_refused_for_several() {
    let place = Place::new();
    for (args, status, code, part) in [
        (command_line("run", CHAIN, &["--use", "1"]), 3, "E0818", "--use is about one statement"),
        (command_line("run", CHAIN, &["-s", "unroll(i,2)"]), 3, "E0818", "a schedule is about one statement"),
        (command_line("tune", CHAIN, &[]), 3, "E0818", "openwork tune is about one statement"),
        (vec!["compile", CHAIN, "--emit", "c", "--name", "f"], 3, "E0818", "a C file is about one statement"),
        (vec!["compile", CHAIN, "--emit", "c", "-o", "f.c"], 3, "E0818", "a C file is about one statement"),
        (command_line("run", "y(i) = A(i,j) * x(j); y(i) = A(i,j)", &[]), 1, "E0802", "`y` is computed here"),
        (command_line("run", "y(i) = A(i,j) * x(j); x(j) = A(i,j)", &[]), 1, "E0802", "`x` is computed here"),
        (command_line("run", "y(i) = A(i,j) * x(j); y = y(i)", &[]), 1, "E0802", "`y` is computed here"),
        (
            command_line("run", "y(i) = A(i,j) * x(j); A(i) = A(i,j) * y(i)", &[]),
            1,
            "E0802",
            "`A` is computed here",
        ),
        (command_line("run", CHAIN, &["-i", "y=x.mtx"]), 1, "E0803", "computed, not read"),
        (command_line("run", CHAIN, &["-o", "A=b.tns"]), 1, "E0803", "operand"),
        (
            command_line("run", BOTH, &["-g", "w=range", "-o", "y=o.tns", "-o", "z=o.tns"]),
            1,
            "E0803",
            "written to",
        ),
        (command_line("run", "y(i) = A(i,j) * x(j); n = y(i) * (2", &[]), 1, "E0102", "statement:1:"),
        (command_line("run", "y(i) = A(i,j) * x(j) n = y(i)", &[]), 1, "E0102", "unexpected text"),
        (command_line("run", "y(i) = A(i,j) * x(j); z(i) = y(i) * v(i)", &[]), 1, "E0804", "`v` has no data"),
        (command_line("run", "y(i) = A(i,j) * x(j); z(k) = v(k)", &["-g", "v=ones"]), 1, "E0206", "-d k=100"),
        (command_line("run", "y(i) = A(i,j) * x(j); z(i) = y(i,j)", &[]), 1, "E02", "statement:1:"),
    ] {
        let ran = place.run(&args);
        assert!(
            ran.status == status && ran.err.contains(code) && ran.err.contains(part),
            "{args:?}: {ran:?}"
        );
    }
    assert!(!place.files().contains(&"f.c".to_string()));
}
