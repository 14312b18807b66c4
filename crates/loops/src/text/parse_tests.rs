use super::*;
use crate::random::{Rng, random_kernel};
use crate::text::print;
use crate::verify::verify;

fn read(text: &str) -> Result<LoopKernel> {
    parse(&Source::new("test", text))
}
/// Reads `body` in a kernel with `n: i64`, `x: in f64[]`, `y: out f64[]`.
fn body(text: &str) -> Result<LoopKernel> {
    read(&format!("kernel k(n: i64, x: in f64[], y: out f64[]) {{\n{text}\n}}\n"))
}
#[track_caller]
fn assert_round_trip(text: &str) {
    let k = body(text).unwrap_or_else(|e| panic!("{e}"));
    let want = format!("kernel k(n: i64, x: in f64[], y: out f64[]) {{\n{text}\n}}\n");
    assert_eq!(print(&k), want);
}
#[track_caller]
fn refuses(text: &str, code: &str, part: &str) {
    let e = body(text).expect_err(text);
    assert_eq!(e.code().0, code, "{e}");
    assert!(e.to_string().contains(part), "{e}");
}

#[test]
fn statements_survive() {
    assert_round_trip(
        "  // a remark\n  let t: f64x4 = splat(4, 1.0)\n  t = t * t\n  y[n] = t\n  y[n] max= t",
    );
    assert_round_trip("  vector for i in 0..n {\n    y[i] += x[i]\n  }\n  for i in n - 1..n step 8 {\n  }");
    assert_round_trip("  while n < 3 && x[n] == 0.0 {\n    n = n + 1\n  }");
    assert_round_trip(
        "  if n == 0 {\n    fail(check_failed)\n  } else {\n    reserve(y, n)\n    set_len(y, n)\n  }",
    );
}

#[test]
fn expressions_survive() {
    for e in [
        "-1.5 - -x[0] + -x[n]",
        "f64((3)) + f64(f32(1.5)) + f64(c128(1+2j)) + f64(c64(-inf+nanj))",
        "f64(u8(3)) * (1e300 - 2.5e-7) / inf + nan",
        "select((n < 1) == (n > 2), 1.0, abs(x[n - 1]))",
        "fold(add, x[n : 4] * pack(1.0, 2.0, 3.0, 4.0))",
        "f64(n & 1 | 2 ^ n) + f64(!(n < 2)) + f64(n - (n - 1))",
        "f64(-9223372036854775808 + -(1))",
    ] {
        assert_round_trip(&format!("  y[n] = {e}"));
    }
}

#[test]
fn what_buffers_hold_survives() {
    let text =
        "kernel k(x: in f64[], y: out uninit f64[], t: temp kept bool[], u: temp i64[]) {\n  u[0] = 1\n}\n";
    let k = read(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&k), text);
    assert_eq!(verify(&k), Ok(()));
}

#[test]
fn random_kernels_survive() {
    for seed in 0..400 {
        let k = random_kernel(&mut Rng::new(seed));
        let text = print(&k);
        let again = read(&text).unwrap_or_else(|e| panic!("seed {seed}\n{e}\n{text}"));
        assert_eq!(verify(&again), Ok(()), "seed {seed}");
        assert_eq!(print(&again), text, "seed {seed}");
    }
}

#[test]
fn bad_syntax_is_e0401() {
    refuses("  y[n] = ", "E0401", "expected an expression, found `}`");
    refuses("  y[n] = 1.0 +", "E0401", "expected an expression");
    refuses("  y[n] = (1.0", "E0401", "expected `)`, found `}`");
    refuses("  y[n] = n < 1 < 2", "E0401", "comparisons do not chain");
    refuses("  let for: i64 = 1", "E0401", "expected a variable, found `for`");
    refuses("  n = 1 @ 2", "E0401", "'@' means nothing");
    refuses("  fail(sadly)", "E0401", "expected a status");
    refuses("  for i in 0..n step n {\n }", "E0401", "expected a step");
    refuses("  let t: f65 = 1.0", "E0401", "expected a type");
    refuses("}\n  n = 1", "E0401", "nothing after the kernel");
    assert_eq!(read("kernel k(").unwrap_err().code().0, "E0401");
    assert_eq!(read("").unwrap_err().code().0, "E0401");
}

#[test]
fn unknown_names_and_wrong_types_are_e0402() {
    refuses("  n = m", "E0402", "nothing is called m");
    refuses("  z[0] = 1.0", "E0402", "nothing is called z");
    refuses("  n = x", "E0402", "x is a buffer, not a variable");
    refuses("  n[0] = 1", "E0402", "n is a variable, not a buffer");
    refuses("  n = 1.0", "E0402", "the value of n must be i64, not f64");
    refuses("  n = n + 1.0", "E0402", "the types differ");
    refuses("  y[0] = 1", "E0402", "y holds f64");
    refuses("  if n {\n }", "E0402", "a condition must be bool, not i64");
    refuses("  n = cubed(n)", "E0402", "no function is called cubed");
    refuses("  y[0] = f64(u8(300))", "E0402", "this is not a u8");
    refuses("  n = 99999999999999999999", "E0402", "not of dtype i64");
    refuses("  let t: i64 = t", "E0402", "nothing is called t");
    refuses("  let t: i64 = 1\n  let t: f64 = 1.0", "E0402", "t is i64 elsewhere");
    let e = read("kernel k(n: i64, n: in f64[]) {\n}").unwrap_err();
    assert!(e.to_string().contains("two things are called n"), "{e}");
}

#[test]
fn an_error_points_at_its_place() {
    let e = body("  n = 1\n  n = 2 + (3 * 1.0)").unwrap_err().to_string();
    assert!(e.contains("test:3:12") && e.contains("^^^^^^^"), "{e}");
}

#[test]
fn deep_nesting_is_refused_not_fatal() {
    let deep = |open: &str, close: &str| format!("  n = {}1{}", open.repeat(100_000), close.repeat(100_000));
    refuses(&deep("(", ")"), "E0401", "levels of nesting");
    refuses(&deep("-n + -(", ")"), "E0401", "levels of nesting");
    refuses(&deep("1 + ", ""), "E0401", "levels of nesting");
    refuses(&deep("!", ""), "E0401", "levels of nesting");
    refuses(&"if n < 1 {".repeat(100_000), "E0401", "levels of nesting");
}

#[test]
fn mangled_text_never_panics() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut text = print(&random_kernel(&mut rng)).into_bytes();
        for _ in 0..3 {
            let at = rng.number_below(text.len());
            match rng.number_below(3) {
                0 if at < text.len() => drop(text.remove(at)),
                1 => text.insert(at, b"(){}[]+-:.,=0ax \n"[rng.number_below(17)]),
                _ => text.truncate(at),
            }
        }
        if let Ok(k) = read(&String::from_utf8_lossy(&text)) {
            let _ = verify(&k);
        }
    }
}
