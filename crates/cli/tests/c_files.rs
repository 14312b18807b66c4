//! C files for other programs: built without a warning, linked with others, run.

use crate::common::Place;
use openwork_algebra::Library;
use std::path::Path;
use std::process::{Command, Stdio};

/// The compilers of a language that run here; what is left out is said.
fn compilers(names: &[&'static str]) -> Vec<&'static str> {
    let runs = |name: &&str| {
        let runs =
            Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
        if !runs {
            eprintln!("skipped: {name} is not installed");
        }
        runs
    };
    names.iter().copied().filter(runs).collect()
}

/// Runs a compiler, which must not say anything.
fn build(place: &Place, compiler: &str, args: &[&str]) {
    let out = Command::new(compiler).args(args).current_dir(place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!((out.status.code(), said.as_str()), (Some(0), ""), "{compiler} {args:?}");
}

fn output(program: &Path) -> String {
    let out = Command::new(program).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    String::from_utf8(out.stdout).unwrap()
}

const USE: &str = r#"
#include "spmv.h"
#include "spgemm.h"
#include <stdio.h>

int main(void)
{
    const int64_t pos[] = {0, 2, 3, 5};
    const int32_t crd[] = {0, 2, 1, 0, 2};
    double vals[] = {1, 2, 3, 4, 5};
    const double x[] = {1, 10, 100};
    double y[3];
    if (spmv(3, 3, pos, crd, vals, x, y))
        return 1;
    printf("%g %g %g\n", y[0], y[1], y[2]);
    spgemm_result c = {0, 0, 0, 0, 0, 0};
    for (int round = 0; round < 2; round++)
        if (spgemm(3, 3, 3, pos, crd, vals, pos, crd, vals, &c))
            return 2;
    for (int64_t p = 0; p < c.C2_pos[3]; p++)
        printf("%d:%g ", (int)c.C2_crd[p], c.C_vals[p]);
    printf("\n");
    spgemm_free(&c);
    if (spgemm_assemble(3, 3, 3, pos, crd, pos, crd, &c))
        return 3;
    for (int round = 0; round < 2; round++) {
        vals[0] = round;
        if (spgemm_compute(3, 3, 3, pos, crd, vals, pos, crd, vals, &c))
            return 4;
        printf("%d %g\n", (int)c.C_vals_len, c.C_vals[0]);
    }
    spgemm_free(&c);
    return 0;
}
"#;

fn two_kernels(place: &Place) {
    for (name, args) in [
        ("spmv", &["y(i) = A(i,j) * x(j)", "-f", "A=csr"][..]),
        ("spgemm", &["C(i,k) = A(i,j) * B(j,k)", "-f", "A=csr", "-f", "B=csr", "-f", "C=csr"]),
    ] {
        let (source, header) = (format!("{name}.c"), format!("{name}.h"));
        let files = ["--emit", "c", "--name", name, "-o", &source, "--header", &header];
        let said = place.good(&[&["compile"], args, &files].concat());
        assert_eq!(said, format!("wrote {header}\nwrote {source}\n"));
    }
    place.put("use.c", USE);
    place.put("use.cpp", USE);
}

const PRINTED: &str = "201 30 504\n0:9 2:12 1:9 0:24 2:33 \n5 8\n5 9\n";

#[test]
fn two_kernels_link_into_one_c_program() {
    let place = Place::new();
    two_kernels(&place);
    for cc in compilers(&["gcc", "clang"]) {
        let flags =
            ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "use.c", "spmv.c", "spgemm.c", "-o", "use"];
        build(&place, cc, &flags);
        assert_eq!(output(&place.path().join("use")), PRINTED, "{cc}");
    }
}

#[test]
fn two_kernels_link_into_one_cpp_program() {
    let place = Place::new();
    two_kernels(&place);
    for (cc, cpp) in [("gcc", "g++"), ("clang", "clang++")] {
        if compilers(&[cc]).is_empty() || compilers(&[cpp]).is_empty() {
            continue;
        }
        for file in ["spmv.c", "spgemm.c"] {
            build(&place, cc, &["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c", file]);
        }
        build(&place, cpp, &["-Wall", "-Wextra", "-Werror", "use.cpp", "spmv.o", "spgemm.o", "-o", "use"]);
        assert_eq!(output(&place.path().join("use")), PRINTED, "{cpp}");
    }
}

#[test]
fn every_argument_has_a_line_in_the_comment_above_its_function() {
    let place = Place::new();
    two_kernels(&place);
    let header = place.get("spgemm.h");
    let mut functions = 0;
    for part in header.split("/*").skip(2) {
        let (comment, rest) = part.split_once("*/").unwrap();
        let Some((_, arguments)) = rest.split_once("int spgemm").and_then(|(_, r)| r.split_once('(')) else {
            continue;
        };
        for argument in arguments.split(')').next().unwrap().split(", ") {
            let name = argument.rsplit([' ', '*']).next().unwrap();
            assert!(comment.contains(&format!(" {name}: ")), "{name} of\n{part}");
        }
        functions += 1;
    }
    assert!(functions >= 3, "{functions} functions in\n{header}");
}

#[test]
fn a_file_with_a_main_is_a_program_and_the_host_can_be_another() {
    let place = Place::new();
    let args =
        ["compile", "C(i,j) = A(i,j) + B(i,j)", "-f", "A=csr", "-f", "B=coo", "-f", "C=csr", "--emit", "c"];
    place.good(&[&args[..], &["--with-main", "--name", "add", "-o", "add.c"]].concat());
    let host = "#include <stdlib.h>\n#define OPENWORK_REALLOC(m, n) mine(m, n)\n#define OPENWORK_FREE(m) free(m)\n\
                static int asked;\nstatic void *mine(void *m, size_t n)\n{\n    asked++;\n    return asked > 2 ? 0 : realloc(m, n);\n}\n";
    place.put("host.h", host);
    for cc in compilers(&["gcc", "clang"]) {
        let flags = ["-O1", "-Wall", "-Wextra", "-Werror", "add.c", "-o", "add"];
        build(&place, cc, &flags);
        let printed = output(&place.path().join("add"));
        let lines: Vec<&str> = printed.lines().map(|l| l.split(':').next().unwrap()).collect();
        assert_eq!(lines, ["C2_pos", "C2_crd", "C_vals"], "{printed}");
        build(&place, cc, &[&["-include", "host.h"], &flags[..]].concat());
        let out = Command::new(place.path().join("add")).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(
            (out.status.code(), said.as_str()),
            (Some(1), "add: status 1\n"),
            "memory that runs out is a status"
        );
    }
}

#[test]
fn files_that_cannot_be_made_are_refused_by_name() {
    let place = Place::new();
    let spmv = ["compile", "y(i) = A(i,j) * x(j)", "-f", "A=csr"];
    for (flags, status, code, part) in [
        (&["--name", "spmv"][..], 1, "E0816", "add --emit c"),
        (&["--emit", "c", "--name", "new"], 1, "E0816", "`new` is no name for a function"),
        (&["--emit", "c", "--name", "no-name"], 1, "E0816", "letters, digits"),
        (&["--emit", "c", "-o", "no/such/spmv.c"], 1, "E0704", "no folder"),
    ] {
        let ran = place.run(&[&spmv[..], flags].concat());
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.err.contains(code) && ran.err.contains(part), "{ran:?}");
    }
    let sum =
        ["compile", "A(i,j) = B(i,j) + C(i,j)", "-f", "B=csr", "-f", "C=csc", "-f", "A=csr", "--emit", "c"];
    assert!(place.good(&sum).contains("int32_t kernel(openwork_call *call)"));
    let ran = place.run(&[&sum[..], &["-o", "sum.c"]].concat());
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.err.contains("E0815") && ran.err.contains("declare `C` as"), "{ran:?}");
    for format in ["A=csr", "A=csc"] {
        let twice = ["compile", "C(i,j) = A(i,j) + A(j,i)", "-f", format, "--emit", "c", "--name", "f"];
        let ran = place.run(&twice);
        assert!(ran.err.contains("E0815") && ran.err.contains("name the two uses of `A` apart"), "{ran:?}");
    }
    let kept =
        ["compile", "C(i,j) = A(i,j) * B(i,j) where m(i,j)", "-f", "A=csc", "-f", "B=dia", "-f", "C=csc"];
    let ran = place.run(&[&kept[..], &["-f", "m=jad", "--emit", "c", "--name", "f"]].concat());
    assert!(ran.err.contains("declare `B` as csc"), "{ran:?}");
    assert!(!place.path().join("sum.c").exists());
    let masked = ["compile", "y(i) = A(i,j) * x(j) where structure(m(i))", "-f", "A=csr", "-f", "m=sv"];
    let ran = place.run(&[&masked[..], &["--emit", "c", "--name", "masked", "-o", "masked.c"]].concat());
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.err.contains("E0815") && ran.err.contains("give what `m` stores"), "{ran:?}");
}

/// The planner would turn `B` for a product with a sparse vector, which a C file does not do: it has the next best way.
#[test]
fn a_way_without_conversions_is_taken() {
    let place = Place::new();
    let product = ["compile", "A(i,j) = B(i,j,k) * c(k)", "-f", "A=csr", "-f", "B=csf", "-f", "c=sv"];
    assert!(place.good(&[&product[..], &["--emit", "cin"]].concat()).contains("forall k forall i"));
    place.good(&[&product[..], &["--emit", "c", "--name", "ttv", "-o", "ttv.c", "--with-main"]].concat());
    let taco = place.good(&["A(i,j) = B(i,j,k) * c(k)", "-f=A:ds", "-f=B:sss", "-f=c:s", "-print-compute"]);
    assert!(
        taco.contains("loops: forall i forall j (A(i,j) = t) where (forall k t += B(i,j,k) * c(k))"),
        "{taco}"
    );
    for cc in compilers(&["gcc", "clang"]) {
        build(&place, cc, &["-std=c11", "-Wall", "-Wextra", "-Werror", "ttv.c", "-o", "ttv"]);
        assert!(output(&place.path().join("ttv")).contains("A_vals"));
    }
}

/// Every function of statements, of each kind of dtype.
#[test]
fn files_with_functions_have_no_warnings() {
    let place = Place::new();
    let mut built = 0;
    for (n, f) in Library::ALL.iter().enumerate() {
        for dtype in ["u16", "i64", "bool", "f32"] {
            let args = ["A(i,j)", "B(i,j)"][..f.arity()].join(", ");
            let statement = format!("C(i,j) = {}({args})", f.name());
            let (a, b, file) = (format!("A={dtype}"), format!("B={dtype}"), format!("f{n}_{dtype}.c"));
            let types = ["-t", &a, "-t", &b];
            let given = ["compile", &statement, "--emit", "c", "--name", "f", "-o", &file];
            // Not every function is one of every dtype.
            if place.run(&[&given[..], &types[..2 * f.arity()]].concat()).status != 0 {
                continue;
            }
            built += 1;
            for cc in compilers(&["gcc"]) {
                build(&place, cc, &["-std=c99", "-Wall", "-Wextra", "-Werror", "-c", &file]);
            }
        }
    }
    assert!(built > 100, "{built} functions are compiled");
}

#[test]
fn all_machine_code_is_shown() {
    let place = Place::new();
    let asm = place.good(&["compile", "C(i,k) = A(i,j) * B(j,k)", "-f", "A=csr", "--emit", "asm"]);
    assert!(asm.contains("ret"), "{asm}");
    if cfg!(target_arch = "x86_64") && std::is_x86_feature_detected!("avx2") {
        let own = asm.split_once("wide_0:").expect("a loop over a row of B is wide").1;
        assert!(own.contains("%ymm") || own.contains("%zmm"), "{own}");
    }
}

const SPMV: [&str; 5] = ["y(i) = A(i,j) * x(j)", "-f", "A=csr", "-i", "A=a.mtx"];

#[test]
fn a_file_with_a_header_beside_it_is_called_for_a_sparse_result() {
    if compilers(&["cc"]).is_empty() {
        return;
    }
    let place = Place::new();
    let add = ["C(i,j) = A(i,j) + B(i,j)", "-f", "A=csr", "-f", "B=csr", "-f", "C=csr"];
    std::fs::create_dir(place.path().join("src")).unwrap();
    let files = ["--emit", "c", "--name", "add", "-o", "src/add.c", "--header", "src/add.h"];
    place.good(&[&["compile"], &add[..], &files].concat());
    let data = ["-i", "A=a.mtx", "-i", "B=a.mtx", "--source", "src/add.c", "--name", "add", "--verify"];
    let v = place.json(&[&["run"], &add[..], &data, &["--json", "-o", "C=c.tns"]].concat());
    assert_eq!((v["backend"].as_str(), v["results"][0]["nnz"].as_i64()), (Some("c"), Some(5)), "{v}");
    assert!(place.get("c.tns").starts_with("1 1 2\n1 3 4\n"), "{}", place.get("c.tns"));
    // What it makes is no matrix: its last column is one too far.
    let text = place.get("src/add.c").replace("(int32_t)j;", "(int32_t)j + 1;");
    place.put("src/add.c", &text);
    let ran = place.run(&[&["run"], &add[..], &data].concat());
    assert!(ran.status == 1 && ran.err.contains("E0601") && ran.err.contains("no valid `C`"), "{ran:?}");
}

#[test]
fn files_that_are_not_for_the_statement_are_refused_by_name() {
    if compilers(&["cc"]).is_empty() {
        return;
    }
    let place = Place::new();
    place.good(&["compile", SPMV[0], "-f", "A=csr", "--emit", "c", "--name", "spmv", "-o", "good.c"]);
    let good = place.get("good.c");
    let plain = good.split_once("*/").unwrap().1;
    place.put("plain.c", plain);
    place.put("broken.c", &good.replace("double t = 0.0;", "double t = 0.0"));
    place.put("lacking.c", &good.replace("\nint spmv(", "\nint other("));
    place.put("calling.c", &format!("{good}\nint lost(int);\nint more(void) {{ return lost(1); }}\n"));
    let (run, x) = (&["run"][..], &["-i", "x=x.mtx"][..]);
    let with = |file: &'static str| ["--source", file, "--name", "spmv"];
    let transposed = ["y(i) = A(j,i) * x(j)", "-f", "A=csr", "-i", "A=s.mtx", "-g", "x=ones"];
    let added = ["y(i) = A(i,j) * x(j) + z(i)", "-f", "A=csr", "-i", "A=a.mtx", "-g", "z=ones"];
    let columns = [SPMV[0], "-f", "A=csc", "-i", "A=a.mtx"];
    for (args, file, code, parts) in [
        (
            [&SPMV[..], x].concat(),
            "broken.c",
            "E0819",
            &["broken.c does not compile", "broken.c:", "expected"][..],
        ),
        (
            [&SPMV[..], x].concat(),
            "lacking.c",
            "E0819",
            &["lacking.c has no function `spmv`", "there are other"],
        ),
        ([&SPMV[..], x].concat(), "calling.c", "E0819", &["calling.c has no function `lost`"]),
        (transposed.to_vec(), "good.c", "E0819", &["was written for `spmv: y(i) = A(i,j) * x(j)`", "A(j,i)"]),
        ([&columns[..], x].concat(), "good.c", "E0819", &["was written for `A: f64, csr`", "`A: f64, csc`"]),
        (
            [&added[..], x].concat(),
            "plain.c",
            "E0819",
            &["`spmv` of plain.c is no function for this", "z_vals"],
        ),
        ([&SPMV[..], x].concat(), "none.c", "E0704", &["cannot read none.c"]),
        ([&SPMV[..], x, &["--schedule", ""]].concat(), "good.c", "", &[]),
        ([&SPMV[..], x].concat(), "plain.c", "", &[]),
    ] {
        let ran = place.run(&[run, &args, &with(file)].concat());
        assert_eq!(ran.status, i32::from(!code.is_empty()), "{file}: {ran:?}");
        assert!(ran.err.contains(code) && parts.iter().all(|p| ran.err.contains(p)), "{file}: {ran:?}");
    }
    for name in ["puts", "printf", "memcpy", "none"] {
        let ran = place.run(&[run, &SPMV, x, &["--source", "good.c", "--name", name]].concat());
        assert_eq!(ran.status, 1, "{ran:?}");
        let part = format!("good.c has no function `{name}`");
        assert!(ran.err.contains("E0819") && ran.err.contains(&part), "{ran:?}");
    }
    let ran = place.run(&[run, &SPMV, x, &with("good.c"), &["--exact"]].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("E0819") && ran.err.contains("`the arithmetic: exact`"), "{ran:?}");
    let ran = place.run(&[run, &SPMV, x, &["--source", "good.c", "--name", "new"]].concat());
    assert!(ran.status == 1 && ran.err.contains("E0816"), "{ran:?}");
    let several = ["run", "y(i) = A(i,j) * x(j); n = y(i) * y(i)", "-i", "A=a.mtx", "--source", "good.c"];
    let ran = place.run(&[&several[..], x].concat());
    assert!(ran.status == 3 && ran.err.contains("E0818"), "{ran:?}");
    let ran = place.run(&[run, &SPMV, x, &["--source", "good.c", "--backend", "clif"]].concat());
    assert_eq!(ran.status, 2, "{ran:?}");
}
