use super::simplify;
use crate::nodes::LoopKernel;
use crate::random::{Rng, random_kernel, traces};
use crate::text::{parse, print};
use crate::verify::verify;
use openwork_base::Source;

fn read(body: &str) -> LoopKernel {
    let head = "kernel k(n: i64, m: i64, p: in i32[], x: in f64[], y: out f64[], z: out i64[])";
    parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap_or_else(|e| panic!("{e}"))
}
#[track_caller]
fn becomes(from: &str, to: &str) {
    assert_eq!(print(&simplify(read(from))), print(&read(to)));
}

#[test]
fn constants_and_identities() {
    becomes("z[n * 1 + 0] = 2 + 3 * 4", "z[n] = 14");
    becomes("z[0] = (n + 1 - 1) * 0 + (n & -1 | 0)", "z[0] = n");
    becomes("z[0] = n - n + (m + 1) + 2", "z[0] = m + 3");
    becomes("z[0] = select(1 < 2, n, m)", "z[0] = n");
    becomes("z[0] = quot(-7, 4) + rem(-7, 4) * 10 + shl(3, 2) * 100 + ctz(8) + popcount(7)", "z[0] = 1214");
    becomes("z[0] = quot(n, 1) + rem(n, 1) + shl(n, 0) + shr(m, 64)", "z[0] = n + n + m");
    becomes("z[0] = quot(n, 0) + rem(m, m) + quot(0, n) + n", "z[0] = n");
    becomes("z[0] = quot(n, 2) + rem(n, -1) + shr(n, 1)", "z[0] = quot(n, 2) + rem(n, -1) + shr(n, 1)");
    becomes("z[0] = i64(i32(p[0]))", "z[0] = i64(p[0])");
    becomes("z[0] = i64(i64(u8(n)))", "z[0] = i64(u8(n))");
    becomes("z[0] = i64(u8(n))", "z[0] = i64(u8(n))");
    becomes("z[0] = i64(f64(n))", "z[0] = i64(f64(n))");
    becomes("y[0] = x[0] * 1.0 / 1.0 - 0.0 + -0.0", "y[0] = x[0]");
    becomes("y[0] = x[0] + 0.0", "y[0] = x[0] + 0.0");
    becomes("y[0] = x[0] * 0.0", "y[0] = x[0] * 0.0");
    becomes("y[0] = x[0 : 2] * splat(2, 1.0)", "y[0] = x[0 : 2]");
}

#[test]
fn control_flow() {
    becomes("if n < n { z[0] = 1 } else { z[0] = 2 }", "z[0] = 2");
    becomes("if n < 1 { } else { z[0] = 2 }", "if n >= 1 {\n z[0] = 2\n }");
    becomes("if x[0] < 1.0 { } else { z[0] = 2 }", "if !(x[0] < 1.0) { z[0] = 2 }");
    becomes("for i in 3..3 { z[i] = 1 }\nfor i in 0..n { // nothing\n }", "");
    becomes("while n < 0 && 1 < 0 { n = 1 }", "");
    becomes(
        "let c: i64 = m\nfor i in n..m { c = c + 1 }\nz[0] = c",
        "let c: i64 = m\nc = c + select(n < m, m - n, 0)\nz[0] = c",
    );
    let kept = "let c: i64 = m\nfor i in n..m { c = c + i }\nz[0] = c";
    becomes(kept, kept);
    becomes("fail(check_failed)\nz[0] = 1", "fail(check_failed)");
    becomes(
        "if 0 < 1 { let t: f64 = x[0]\n y[0] = t }\nif 0 < 1 { let t: f64 = x[1]\n y[1] = t }",
        "let t_2: f64 = x[0]\ny[0] = t_2\nlet t_3: f64 = x[1]\ny[1] = t_3",
    );
}

#[test]
fn copies_and_dead_code() {
    becomes("let a: i64 = n\nlet b: i64 = a\nz[b] = a", "z[n] = n");
    becomes("let a: i64 = n\nn = 5\nz[0] = a", "let a: i64 = n\nn = 5\nz[0] = a");
    becomes("let a: f64 = x[0]\na = a + 1.0", "");
    becomes("let a: f64 = x[0]\ny[0] = a", "let a: f64 = x[0]\ny[0] = a");
    becomes(
        "if n < 1 { let a: i64 = 1\n z[0] = a } else { let a: i64 = m * m\n z[0] = a }",
        "if n < 1 { z[0] = 1 } else { let a: i64 = m * m\n z[0] = a }",
    );
}

#[test]
fn index_arithmetic_leaves_innermost_loops_but_loads_stay() {
    becomes(
        "for i in 0..n { for j in 0..m { y[i * m + j] = x[i * m + j] + x[z[n * m]] } }",
        "for i in 0..n { let inv: i64 = i * m\n let inv_2: i64 = n * m
          for j in 0..m { y[inv + j] = x[inv + j] + x[z[inv_2]] } }",
    );
}

#[test]
fn random_kernels_mean_the_same_and_are_simple_at_once() {
    let mut shorter = 0;
    for seed in 0..3000 {
        let k = random_kernel(&mut Rng::new(seed));
        let s = simplify(k.clone());
        if let Err(found) = verify(&s) {
            panic!("seed {seed}: {}\n{k}", found[0]);
        }
        assert_eq!(traces(&k, seed), traces(&s, seed), "seed {seed}\n{k}\n{s}");
        let again = simplify(s.clone());
        assert_eq!(again.body, s.body, "seed {seed}\n{s}\n{again}");
        shorter += (print(&s).len() < print(&k).len()) as usize;
    }
    assert!(shorter > 2000, "{shorter}");
}
