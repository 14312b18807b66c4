use super::*;
use crate::{Decl, FormatExt, TensorExt};
use std::path::Path;
use std::process::Command;

/// Statements, with formats of tensors.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("y(i) = A(i,j) * x(j)", &[("A", "csr")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "coo")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "dia")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "ell")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "bcsr(3,2)")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "csc"), ("x", "sv")]),
    ("y(i) = A(i,j) * x(j)", &[("A", "dcsr"), ("y", "sv")]),
    ("y(i) += A(i,j) * x(j)", &[("A", "csr")]),
    ("y(j) = A(i,j) * x(i)", &[("A", "csr")]),
    ("a = A(i,j) * A(i,j)", &[("A", "csc")]),
    ("C(i,k) = A(i,j) * B(j,k)", &[("A", "csr"), ("B", "csr"), ("C", "csr")]),
    ("C(i,k) = A(i,j) * B(j,k)", &[("A", "csr"), ("B", "csr"), ("C", "coo")]),
    ("C(i,k) = A(i,j) * B(j,k)", &[("A", "csr")]),
    ("C(i,k) = A(i,j) * B(j,k)", &[]),
    ("C(i,j) = A(i,j) + B(i,j)", &[("A", "csr"), ("B", "coo"), ("C", "csr")]),
    ("C(i,j) = A(i,j)", &[("A", "csr"), ("C", "hash")]),
    ("C(i,j) = A(i,j)", &[("A", "csr"), ("C", "csc")]),
    ("C(i,j) = A(i,j)", &[("A", "csr"), ("C", "dia")]),
    ("Y(i,j) = S(i,j) * A(i,k) * B(j,k)", &[("S", "csr")]),
    ("Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", &[("X", "csf")]),
    ("Y(i,j) = max(0, A(i,j) - 3) / 2", &[("A", "csr; fill = 3")]),
    // Sums of single precision have totals in double precision: arrays that no operand and no result has.
    ("y(j) = A(i,j)", &[]),
    ("y(j) = A(i,j) * x(i)", &[("A", "csr")]),
];
const DTYPES: &[DType] = &[DType::F32, DType::I32, DType::U8, DType::Bool, DType::C128, DType::C64];

fn declare_operands(statement: &str, formats: &[(&str, &str)], dtype: DType) -> Decls {
    let parsed =
        openwork_index::notation::parse(&openwork_base::Source::new("statement", statement)).unwrap();
    let mut decls = Decls::default();
    let result = parsed.lhs.name.text.clone();
    for name in parsed.read_tensors().into_iter().chain([result.as_str()]) {
        let format = formats.iter().find(|(n, _)| *n == name);
        let format = format.map(|(_, f)| Format::parse(f, parsed.rank_of(name).unwrap()).unwrap());
        let dtype = (name != result || parsed.read_tensors().contains(&name)).then_some(dtype);
        decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
    }
    decls
}

/// What the program must print: the arrays that a run in this process makes.
fn expected_output(session: &Session, statement: &str, decls: &Decls) -> String {
    let stages = session.stages_for(statement, decls, &Schedule::new(), &any_machine()).unwrap();
    let given = example_operands(&stages, decls).unwrap();
    let given: Vec<(&str, &Tensor)> = given.iter().map(|(name, t)| (name.as_str(), t)).collect();
    let result = session.compile(statement, decls).unwrap().run(&given).unwrap().tensor;
    arrays(&stages, &result)
}

/// The arrays that a kernel makes, as they are in its result.
fn arrays(stages: &Stages, result: &Tensor) -> String {
    let mut out = String::new();
    for (binding, (_, buf)) in stages.lowered.bindings.iter().zip(stages.lowered.kernel.bufs.iter()) {
        let array = match *binding {
            Binding::Index { level, array, .. } if buf.role == BufRole::Out => {
                &result.level(level).arrays[array]
            }
            Binding::Values { .. } if buf.role == BufRole::Out => result.vals(),
            _ => continue,
        };
        let values: String = array.iter().map(|s| format!(" {}", scalar_text(s))).collect();
        out += &format!("{}:{values}\n", buf.name);
    }
    out
}

fn scalar_text(s: Scalar) -> String {
    match s {
        Scalar::Bool(b) => u8::from(b).to_string(),
        Scalar::C64(z) => format!("{}{:+}i", z.re, z.im),
        Scalar::C128(z) => format!("{}{:+}i", z.re, z.im),
        s => s.to_string(),
    }
}

/// Whether two texts have the same words, but for the last digits of numbers.
fn is_alike(a: &str, b: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        text.split([' ', '\n', 'i']).flat_map(|w| w.split_inclusive('+')).map(str::to_string).collect()
    };
    let close = |(a, b): (&String, &String)| {
        let number = |t: &String| t.trim_end_matches('+').parse::<f64>().ok();
        a == b || number(a).zip(number(b)).is_some_and(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0))
    };
    let (a, b) = (parts(a), parts(b));
    a.len() == b.len() && a.iter().zip(&b).all(close)
}

fn run(cc: &str, dir: &Path, source: &str) -> String {
    let (file, program) = (dir.join("it.c"), dir.join("it"));
    std::fs::write(&file, source).unwrap();
    // No flag is asked for: what a C compiler may take for impossible ends the program.
    let flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"];
    let flags = flags.into_iter().chain(["-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"]);
    let built = Command::new(cc).args(flags).args([&program, &file]).arg("-lm").output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert_eq!((built.status.code(), said.as_str()), (Some(0), ""), "{source}");
    let ran = Command::new(&program).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}\n{source}");
    String::from_utf8(ran.stdout).unwrap()
}

fn compilers() -> Vec<&'static str> {
    let runs = |name: &&str| {
        let runs = Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
        if !runs {
            eprintln!("skipped: {name} is not installed");
        }
        runs
    };
    ["gcc", "clang"].into_iter().filter(runs).collect()
}

/// Rows with more coordinates than a word has bits, and integers whose sums and products leave their range.
#[test]
fn arithmetic_of_c_files_is_defined_wherever_it_leaves_its_range() {
    let session = Session::global();
    let dir = tempfile::tempdir().unwrap();
    let formats = &[("A", "csr"), ("B", "csr")];
    let statements = [
        "C(i,k) = A(i,j) * B(j,k)",
        "C(i,k) = 1000003 * A(i,j) * B(j,k) * 1000003 * 1000003 * 1000003 * A(i,j) * B(j,k)",
        "C(i,j) = 2147483647 * A(i,j) + 2147483647 * B(i,j) + 2147483647 * B(i,j) - i * 4611686018427387904",
        "s = -(A(i,j) * 1000003 * 1000003 * 1000003 * 1000003) - abs(B(i,j) * 1000003 * 1000003 * 1000003)",
        "y(i) = A(i,j) * B(i,j) * 65521 * 65521 + 65521 * A(i,j) * A(i,j) * 65521",
    ];
    for statement in statements {
        for dtype in [DType::I64, DType::I32, DType::U16, DType::I8] {
            let mut decls = declare_operands(statement, formats, dtype);
            for name in ["A", "B"] {
                decls.tensors.get_mut(name).unwrap().shape = Some(vec![70, 70]);
            }
            let file = CFile { main: true, ..CFile::new("it") };
            // Some literals do not fit into the narrow ones.
            let Ok(c) = session.c_source(statement, &decls, &Schedule::new(), &file) else { continue };
            let wanted = expected_output(session, statement, &decls);
            for cc in compilers() {
                let got = run(cc, dir.path(), &c.source);
                assert!(is_alike(&got, &wanted), "{statement} {dtype} by {cc}: {got} instead of {wanted}");
            }
        }
    }
}

#[test]
fn programs_print_what_runs_in_this_process_make() {
    let session = Session::global();
    let dir = tempfile::tempdir().unwrap();
    let plain = CASES.iter().map(|case| (case, DType::F64));
    let typed = DTYPES.iter().flat_map(|d| [0, 10, 18, 21, 22].map(|n| (&CASES[n], *d)));
    for ((statement, formats), dtype) in plain.chain(typed) {
        let decls = declare_operands(statement, formats, dtype);
        let file = CFile { main: true, ..CFile::new("it") };
        let made = session.c_source(statement, &decls, &Schedule::new(), &file);
        let c = made.unwrap_or_else(|e| panic!("{statement} {formats:?}: {e}"));
        let wanted = expected_output(session, statement, &decls);
        for cc in compilers() {
            let got = run(cc, dir.path(), &c.source);
            assert!(
                is_alike(&got, &wanted),
                "{statement} {formats:?} {dtype}\n{got}\n{wanted}\n{}",
                c.source
            );
        }
    }
}

#[test]
fn files_that_are_read_back_compute_what_kernels_compute() {
    if compilers().is_empty() {
        return;
    }
    let session = Session::global();
    let plain = CASES.iter().map(|case| (case, DType::F64));
    let typed = DTYPES.iter().flat_map(|d| [0, 10, 18, 21, 22].map(|n| (&CASES[n], *d)));
    for ((statement, formats), dtype) in plain.chain(typed) {
        let (decls, schedule) = (declare_operands(statement, formats, dtype), Schedule::new());
        let c = session.c_source(statement, &decls, &schedule, &CFile::new("it")).unwrap();
        let file = CGiven { function: "it", path: Path::new("it.c"), text: &c.source };
        let kernel = session.compile_c(statement, &decls, &schedule, &file);
        let kernel = kernel.unwrap_or_else(|e| panic!("{statement} {formats:?} {dtype}: {e}"));
        let given = example_operands(kernel.stages(), &decls).unwrap();
        let given: Vec<(&str, &Tensor)> = given.iter().map(|(name, t)| (name.as_str(), t)).collect();
        let wanted = expected_output(session, statement, &decls);
        for _ in 0..2 {
            let made = kernel.run(&given).unwrap_or_else(|e| panic!("{statement} {formats:?} {dtype}: {e}"));
            let got = arrays(kernel.stages(), &made.tensor);
            assert!(
                is_alike(&got, &wanted),
                "{statement} {formats:?} {dtype}\n{got}\n{wanted}\n{}",
                c.source
            );
            kernel.recycle(made.tensor);
        }
    }
}

#[test]
fn what_a_function_makes_is_checked() {
    if compilers().is_empty() {
        return;
    }
    let session = Session::global();
    let (statement, schedule) = ("C(i,j) = A(i,j) + B(i,j)", Schedule::new());
    let decls = declare_operands(statement, &[("A", "csr"), ("B", "csr"), ("C", "csr")], DType::F64);
    let c = session.c_source(statement, &decls, &schedule, &CFile::new("it")).unwrap().source;
    for (written, edited, code, part) in [
        ("C2_crd[pC2] = (int32_t)j;", "C2_crd[pC2] = (int32_t)j + 100;", "E0601", "no valid `C`"),
        ("call->bufs[8].len = pC2;", "call->bufs[8].len = pC2 - 1;", "E0601", "values"),
        (
            "    return status;\n}\n\nint it_assemble",
            "    return 77;\n}\n\nint it_assemble",
            "E0819",
            "gave 77",
        ),
        (
            "    return status;\n}\n\nint it_assemble",
            "    return 1;\n}\n\nint it_assemble",
            "E0603",
            "memory ran out",
        ),
        (
            "    return status;\n}\n\nint it_assemble",
            "    result->C2_crd_len = -1;\n    return status;\n}\n\nint it_assemble",
            "E0819",
            "gave `C2_crd` a length below 0",
        ),
        (
            "    return status;\n}\n\nint it_assemble",
            "    result->C_vals = 0;\n    return status;\n}\n\nint it_assemble",
            "E0819",
            "gave a length for `C_vals`, but no array",
        ),
    ] {
        assert!(c.contains(written), "{c}");
        let text = c.replace(written, edited);
        let file = CGiven { function: "it", path: Path::new("it.c"), text: &text };
        let kernel = session.compile_c(statement, &decls, &schedule, &file).unwrap();
        let given = example_operands(kernel.stages(), &decls).unwrap();
        let given: Vec<(&str, &Tensor)> = given.iter().map(|(name, t)| (name.as_str(), t)).collect();
        let error = kernel.run(&given).unwrap_err();
        assert_eq!(error.code().0, code, "{edited}: {error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn what_is_given_is_called_however_often_it_runs() {
    if compilers().is_empty() {
        return;
    }
    let session = Session::global();
    let (statement, schedule) = ("C(i,j) = A(i,j) * 2", Schedule::new());
    let decls = declare_operands(statement, &[("A", "csr"), ("C", "csr")], DType::F64);
    let c = session.c_source(statement, &decls, &schedule, &CFile::new("it")).unwrap().source;
    assert!(c.contains("2.0"), "{c}");
    let text = c.replace("2.0", "3.0");
    let file = CGiven { function: "it", path: Path::new("it.c"), text: &text };
    let kernel = session.compile_c(statement, &decls, &schedule, &file).unwrap();
    // Kernels of ours whose result stores what an operand does have another one beside them from 2^18 elements on.
    let n = 1 << 17;
    let entries: Vec<_> = (0..n).map(|i| (vec![i, i], Scalar::F64(1.0))).collect();
    let csr = Format::parse("csr", 2).unwrap();
    let a = Tensor::pack(&[n, n], &entries, &csr).unwrap();
    for _ in 0..4 {
        let made = kernel.run(&[("A", &a)]).unwrap().tensor;
        assert!(made.vals().as_slice::<f64>().is_some_and(|all| all.iter().all(|&x| x == 3.0)));
    }
}

#[test]
fn the_structure_and_the_values_come_apart_where_they_can() {
    let c = |statement: &str| {
        let decls = declare_operands(statement, &[("A", "csr"), ("B", "csr"), ("C", "csr")], DType::F64);
        Session::global().c_source(statement, &decls, &Schedule::new(), &CFile::new("f")).unwrap().header
    };
    let apart = c("C(i,j) = A(i,j) + B(i,j)");
    assert!(apart.contains("int f_assemble(") && apart.contains("int f_compute("), "{apart}");
    let head = apart.split_once("int f_assemble(").unwrap().1.split_once(';').unwrap().0;
    assert!(!head.contains("vals"), "{head}");
    let whole = c("C(i,j) = A(j,i)");
    assert!(!whole.contains("f_assemble"), "its elements are placed out of order");
}

#[test]
fn where_zero_meets_infinity_the_zero_decides() {
    const MAIN: &str = r#"
#include <stdio.h>
int main(void)
{
    const int64_t pos[] = {0, 2, 3};
    const int32_t crd[] = {0, 1, 1};
    const double vals[] = {0, 2, 3}, x[] = {__builtin_inf(), 5};
    double y[2];
    it_result c = {0, 0, 0, 0, 0, 0};
    const double infinite[] = {0, __builtin_inf(), 3};
    const double zero[] = {0, 7, 0};
    if (spmv(2, 2, pos, crd, vals, x, y) || it(2, 2, 2, pos, crd, infinite, pos, crd, zero, &c))
        return 1;
    printf("%g %g; %d: %g %g %g\\n", y[0], y[1], (int)c.C_vals_len, c.C_vals[0], c.C_vals[1], c.C_vals[2]);
    it_free(&c);
    return 0;
}
"#;
    let dir = tempfile::tempdir().unwrap();
    let made = |statement: &str, formats: &[(&str, &str)], name: &str| {
        let decls = declare_operands(statement, formats, DType::F64);
        Session::global().c_source(statement, &decls, &Schedule::new(), &CFile::new(name)).unwrap()
    };
    let spmv = made("y(i) = A(i,j) * x(j)", &[("A", "csr")], "spmv");
    std::fs::write(dir.path().join("spmv.c"), &spmv.source).unwrap();
    let product = made("C(i,k) = A(i,j) * B(j,k)", &[("A", "csr"), ("B", "csr"), ("C", "csr")], "it");
    for cc in compilers() {
        let source = format!("#include \"spmv.h\"\n{}{}", product.source, MAIN.replace("\\\\n", "\\n"));
        std::fs::write(dir.path().join("spmv.h"), &spmv.header).unwrap();
        std::fs::write(dir.path().join("it.c"), source).unwrap();
        let mut built = Command::new(cc);
        built
            .current_dir(dir.path())
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "it.c", "spmv.c", "-o", "it"]);
        let built = built.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(dir.path().join("it")).output().unwrap();
        // 0 * inf + 2 * 5; inf * 0 + …
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), "10 15; 3: 0 0 0\n");
    }
}
