use super::{Literals, outline};
use crate::interp::{Limits, run};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, Stmt};
use crate::random::{Rng, random_kernel, random_memory, random_scalar, traces};
use crate::text::{parse, print};
use crate::verify::verify;
use crate::walk::{each_stmt_mut, exprs_mut, rewrite};
use openwork_algebra::Scalar;
use openwork_base::Source;

fn read(body: &str) -> LoopKernel {
    let head = "kernel k(n: i64, crd: in i64[], a: in i64[], p: in i32[], x: in f64[], y: out f64[], z: out i64[], m: out bool[])";
    parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap_or_else(|e| panic!("{e}"))
}
/// Everything but `crd` holds values.
fn outline_values(k: LoopKernel) -> (LoopKernel, Literals) {
    let mut literals = Literals::default();
    let crd = k.bufs.iter().find(|(_, b)| b.name == "crd").map(|(id, _)| id);
    let k = outline(k, |b| Some(b) != crd, &mut literals);
    verify(&k).unwrap_or_else(|e| panic!("{e:?}\n{}", print(&k)));
    (k, literals)
}
/// The lines of the body, without blanks.
fn body(k: &LoopKernel) -> Vec<String> {
    let text = print(k);
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 1].iter().map(|l| l.trim().to_string()).collect()
}
#[track_caller]
fn becomes(from: &str, to: &[&str]) {
    assert_eq!(body(&outline_values(read(from)).0), to);
}
#[track_caller]
fn stays(text: &str) {
    assert_eq!(print(&outline_values(read(text)).0), print(&read(text)));
}

#[test]
fn values_become_inputs() {
    let first = "let literal: f64 = literals_f64[0]";
    becomes("y[0] = 2.5 * x[0]", &[first, "y[0] = literal * x[0]"]);
    becomes("for i in 0..n { m[i] = x[i] > 0.5 }", &[first, "for i in 0..n {", "m[i] = x[i] > literal", "}"]);
    becomes("z[3] = a[4] + 5", &["let literal: i64 = literals_i64[0]", "z[3] = a[4] + literal"]);
    becomes(
        "if a[n + 7] == 7 { z[0] = 9 }",
        &[
            "let literal: i64 = literals_i64[0]",
            "let literal_2: i64 = literals_i64[1]",
            "if a[n + 7] == literal_2 {",
            "z[0] = literal",
            "}",
        ],
    );
    becomes(
        "let t: i64 = 7\nt = t + a[0]\nz[0] = t",
        &["let literal: i64 = literals_i64[0]", "let t: i64 = literal", "t = t + a[0]", "z[0] = t"],
    );
    let (k, literals) = outline_values(read("y[0] = 2.5 * x[0] + 3.5 * x[1] + 2.5\nz[0] = a[0] + 5"));
    let tables: Vec<Vec<Scalar>> = literals.tables().map(|(_, all)| all.to_vec()).collect();
    assert_eq!(tables, [vec![Scalar::F64(2.5), Scalar::F64(3.5)], vec![Scalar::I64(5)]]);
    let last: Vec<&str> = k.bufs.iter().map(|(_, b)| &b.name[..]).skip(7).collect();
    assert_eq!(last, ["literals_f64", "literals_i64"]);
}

#[test]
fn indices_and_what_passes_use_stay() {
    stays("for i in 3..n + 4 { y[i * 5 + 2] = x[crd[i] + 3] }");
    stays("let at: i64 = crd[0] + 5\nif at < 17 { z[at] = a[at + 3] }");
    // A truth value is none of the values that it came from.
    stays("let at: i64 = 5\nat = at + i64(a[0] != 0)\ny[at] = x[0]");
    stays("let at: i64 = select(x[0] > 1.0, 3, n)\ny[at] = 1.0");
    stays("y[0] = x[0] * 0.0 + -1.0\ny[1] = max(0.0, x[0])\nm[0] = true");
    stays("y[0] = min(inf, x[0])\ny[1] = nan + x[0]");
    stays("z[0] = quot(a[0], 10) + rem(a[1], 7) + shl(a[2], 3) + 9 * a[3]");
    stays("y[0] = x[0] / 4.0");
    becomes("y[0] = x[0] / 5.0", &["let literal: f64 = literals_f64[0]", "y[0] = x[0] / literal"]);
    becomes("z[0] = 9 - a[3]", &["let literal: i64 = literals_i64[0]", "z[0] = literal - a[3]"]);
}

#[test]
fn names_that_are_taken_are_left_alone() {
    let text = "kernel k(literals_f64: in f64[], literal: out f64[]) { literal[0] = literals_f64[0] + 2.5 }";
    let (k, _) = outline_values(parse(&Source::new("test", text)).unwrap());
    assert_eq!(
        body(&k),
        ["let literal_2: f64 = literals_f64_2[0]", "literal[0] = literals_f64[0] + literal_2"]
    );
}

#[test]
fn kernels_share_literals() {
    let mut literals = Literals::default();
    let mut made = ["y[0] = x[0] + 2.5", "y[0] = x[0] + 3.5", "y[0] = x[1] + 2.5"]
        .map(|text| body(&outline(read(text), |_| true, &mut literals)).remove(0));
    made.sort();
    assert_eq!(made, [0, 0, 1].map(|n| format!("let literal: f64 = literals_f64[{n}]")));
    assert_eq!(literals.tables().map(|(_, all)| all.len()).collect::<Vec<_>>(), [2]);
}

/// What `k` leaves behind where its last inputs hold the literals.
fn traces_with(k: &LoopKernel, of: &LoopKernel, literals: &Literals, seed: u64) -> String {
    // What comes last does not change what the others get.
    let mut memory = random_memory(k, &mut Rng::new(seed));
    for (id, b) in k.bufs.iter().skip(of.bufs.len()) {
        let (_, table) = literals.tables().find(|(dtype, _)| *dtype == b.elem).unwrap();
        memory.set(id, table.iter().copied());
    }
    let status = run(k, &[2, 5], &mut memory, Limits::default());
    let outs = k.bufs.iter().filter(|(_, b)| b.role == BufRole::Out);
    let outs: Vec<_> = outs.map(|(id, _)| (memory.announced_len(id), memory.values(id))).collect();
    format!("{status:?} {outs:?}")
}

/// Other literals in the places of those that became inputs: the same one for the same one.
fn with_others(k: &LoopKernel, literals: &Literals, rng: &mut Rng) -> LoopKernel {
    let mut changed: Vec<(Scalar, Scalar)> = Vec::new();
    // Integers may be indices as well.
    for (dtype, table) in literals.tables().filter(|(dtype, _)| !dtype.is_int()) {
        changed.extend(table.iter().map(|s| (*s, random_scalar(dtype, rng))));
    }
    let mut k = k.clone();
    each_stmt_mut(&mut k.body, &mut |s: &mut Stmt| {
        for e in exprs_mut(s) {
            rewrite(e, &mut |e| {
                if let Expr::Const(s) = e
                    && let Some((_, t)) = changed.iter().find(|(old, _)| old.identical(*s))
                {
                    *e = Expr::Const(*t);
                }
            });
        }
    });
    k
}

#[test]
fn random_kernels_compute_the_same_to_the_bit() {
    let (mut inputs, mut shared) = (0, 0);
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let k = random_kernel(rng);
        // No index of a random kernel may change, so what is an integer is an index.
        let index = |k: &LoopKernel, b: BufId| k.bufs[b].elem.is_int();
        let made = |k: &LoopKernel| {
            let mut literals = Literals::default();
            (outline(k.clone(), |b| !index(k, b), &mut literals), literals)
        };
        let (new, literals) = made(&k);
        assert_eq!(verify(&new), Ok(()), "{}", print(&new));
        assert_eq!(traces_with(&new, &k, &literals, seed), traces(&k, seed), "{}", print(&k));
        inputs += new.bufs.len() - k.bufs.len();
        // One text means one kernel: it computes what each of its origins does, with the literals of that one.
        let other = with_others(&k, &literals, rng);
        let (twin, others) = made(&other);
        if print(&twin) == print(&new) {
            shared += usize::from(others != literals);
            assert_eq!(traces_with(&new, &k, &others, seed), traces(&other, seed), "{}", print(&other));
        }
    }
    assert!(inputs > 1000 && shared > 80, "{inputs} {shared}");
}
