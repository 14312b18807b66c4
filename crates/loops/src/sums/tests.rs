use super::{BlockLength, sums};
use crate::interp::{Limits, VecMemory, run};
use crate::nodes::{BufRole, Init, LoopKernel, Status};
use crate::random::{Rng, random_kernel, random_memory};
use crate::text::{parse, print};
use crate::{simplify, verify};
use openwork_algebra::Scalar;
use openwork_base::Source;

/// Kernels whose results are sums: every shape that is told apart.
const SHAPES: [&str; 17] = [
    // A variable, in a row of its own.
    "for i in 0..n { let t: f32 = f32(0)  vector for p in pos[i]..pos[i + 1] { t = t + x[p] }  y[i] = t }",
    // A variable over all rows, whose lengths differ.
    "let t: f32 = f32(0)  for i in 0..n { for p in pos[i]..pos[i + 1] { t = t + x[p] } }  y[0] = t",
    // A variable over rows of one length.
    "let t: f32 = f32(0)  for i in 0..n { vector for j in 0..m { t = t + x[i * m + j] } }  y[0] = t",
    // A variable in branches of a loop that nobody can count.
    "let t: f32 = f32(0)  let p: i64 = 0
     while p < n * m { if i64(crd[p]) == 0 { t = t + x[p] } else { t = x[p] + t }  p = p + 1 }  y[0] = t",
    // Any place.
    "for p in 0..n * m { y[i64(crd[p])] += x[p] }",
    // Any place, which neighbours share.
    "runs for p in 0..n * m { y[i64(crd[p])] += x[p] }",
    // Any place of a part of an array, which neighbours share.
    "let low: i64 = n - n  let shift: i64 = 0 - low  runs for p in low..n * m { let i: i64 = i64(crd[p])  y[shift + i] += x[p] }",
    // Any place of an array that held something before.
    "for i in 0..n { y[i] = x[i] }  for p in 0..n * m { y[i64(crd[p])] += x[p] }",
    // Any place, row by row.
    "for i in 0..n { let z: f32 = x[i]  for p in pos[i]..pos[i + 1] { y[i64(crd[p])] += x[p] + z } }",
    // The same places in every round.
    "for i in 0..2 { for p in pos[i]..pos[i + 1] { vector for k in 0..2 { y[i * 2 + k] += x[p] } } }",
    // A long sum, and one of nothing into the same variable; into the same places.
    "let t: f32 = f32(0)  for p in 0..n * m { t = t + x[p] }  for q in n..n { t = t + x[q] }  y[0] = t",
    "for i in 0..n { let done: i64 = 0  for p in pos[i]..pos[i + 1] { y[i] += x[p] }  done = m * 9  for q in done..m * 9 { y[i] += x[q] } }",
    // A place for each bit of a number.
    "for i in 0..n { let b: i64 = m  while b != 0 { y[ctz(b)] += x[i]  b = b & b - 1 } }",
    // Several columns, which a row of slots goes through.
    "for p in 0..m * 2 { for r in 0..2 { vector for k in 0..2 { y[r * 2 + k] += x[p] } } }",
    // Strips of rows with several columns.
    "for strip in 0..2 step 2 { let end: i64 = min(strip + 2, 2)  for p in 0..m * 4 { for i in strip..end { if i64(crd[p]) != 3 { vector for k in 0..2 { y[i * 2 + k] += x[p] } } } } }",
    // Rows that are counted from somewhere else.
    "let low: i64 = n - n  let shift: i64 = 0 - low  for i in low..n + low { let at: i64 = i + shift  for p in pos[at]..pos[at + 1] { y[i64(crd[p])] += x[p] } }",
    // A place that another loop reads later.
    "for p in 0..n * m { y[1] += x[p] }  for i in 0..n { y[i] = y[1] + x[i] }",
];
/// Rows, and elements of a row where all are alike.
const ROWS: usize = 5;
const LENGTHS: [usize; ROWS] = [0, 1, 31, 2, 6];

fn kernel(body: &str) -> LoopKernel {
    let text = format!(
        "kernel k(n: i64, m: i64, pos: in i64[], crd: in i32[], x: in f32[], y: out f32[]) {{ reserve(y, n)  {body}  set_len(y, n) }}"
    );
    parse(&Source::new("shapes", text)).unwrap()
}

fn results(k: &LoopKernel) -> Vec<f64> {
    let all: usize = LENGTHS.iter().sum();
    let mut memory = VecMemory::new(k);
    let ends = LENGTHS.iter().scan(0, |end, len| {
        *end += len;
        Some(Scalar::I64(*end as i64))
    });
    for (id, buf) in k.bufs.iter() {
        match buf.name.as_str() {
            "pos" => memory.set(id, [Scalar::I64(0)].into_iter().chain(ends.clone())),
            "crd" => memory.set(id, (0..all).map(|p| Scalar::I32((p * p % ROWS) as i32))),
            "x" => memory.set(id, (0..all).map(|p| Scalar::F32((p % 7) as f32 + 0.5))),
            _ => {}
        }
    }
    let status = run(k, &[ROWS as i64, (all / ROWS) as i64], &mut memory, Limits::default()).unwrap();
    assert_eq!(status, Status::Ok);
    assert!(leaves_zeros(k, &memory), "{}", print(k));
    let y = k.bufs.iter().find(|(_, b)| b.role == BufRole::Out).unwrap().0;
    memory.values(y).iter().map(|s| s.as_f64()).collect()
}

/// Whether what waits for the next run is zeros again.
fn leaves_zeros(k: &LoopKernel, memory: &VecMemory) -> bool {
    let mut kept = k.bufs.iter().filter(|(_, b)| b.init == Init::Kept);
    kept.all(|(id, _)| memory.values(id).iter().all(|s| s.as_f64() == 0.0))
}

#[test]
fn sums_in_blocks_are_the_same_sums() {
    for shape in SHAPES {
        let whole = kernel(shape);
        // Halves of small numbers add up exactly, in any order.
        let cut = sums(whole.clone(), BlockLength::SMALL);
        assert!(verify(&cut).is_ok(), "{:?}\n{}", verify(&cut), print(&cut));
        assert!(print(&cut).contains("total"), "nothing was cut: {shape}\n{}", print(&cut));
        assert_eq!(results(&cut), results(&whole), "{shape}\n{}", print(&cut));
        assert_eq!(results(&simplify(cut)), results(&whole), "{shape}");
        let usual = sums(whole.clone(), BlockLength::default());
        assert_eq!(results(&usual), results(&whole), "{shape}\n{}", print(&usual));
    }
}

fn cut(body: &str) -> String {
    print(&simplify(sums(simplify(kernel(body)), BlockLength::default())))
}

#[test]
fn a_block_of_a_long_row_is_a_loop_over_one_row() {
    let text = cut(SHAPES[0]);
    assert!(text.contains("..i_2 + 1 {\n          vector for p_2"), "{text}");
}

#[test]
fn blocks_are_as_long_as_lanes_allow() {
    // Vectors whose elements are gathered have four lanes, others sixteen.
    let gathered = "for i in 0..n { let t: f32 = f32(0)  vector for p in pos[i]..pos[i + 1] { t = t + x[i64(crd[p])] }  y[i] = t }";
    assert!(cut(gathered).contains("<= 256") && cut(SHAPES[0]).contains("<= 1024"));
}

#[test]
fn what_adds_to_places_of_its_own_counts_once() {
    let text = cut(
        "for i in 0..n { let p: i64 = 0  while p < m { let v: f32 = x[p]  vector for k in 0..n { y[i * n + k] += v }  p = p + 1 } }",
    );
    assert!(text.contains("since = since + 1\n") && !text.contains("since + n"), "{text}");
}

#[test]
fn bits_of_a_number_are_counted_together() {
    let text =
        cut("for i in 0..n { let b: i64 = i64(crd[i])  while b != 0 { y[ctz(b)] += x[i]  b = b & b - 1 } }");
    let inside = text.split("while b != 0 {").nth(1).and_then(|rest| rest.split('}').next());
    assert!(inside.is_some_and(|s| !s.contains("since")), "{text}");
}

#[test]
fn strips_have_totals_for_all_their_columns() {
    let text = "kernel k(n: i64, m: i64, x: in f32[], y: out f32[]) {
        let part: i64 = n * 4
        reserve(y, part)
        for strip in 0..n step 8 {
          let end: i64 = min(strip + 8, n)
          for p in 0..m { for i in strip..end { vector for k in 0..4 { y[i * 4 + k] += x[p] } } }
        }
        set_len(y, part)
      }";
    let text = print(&sums(parse(&Source::new("strips", text)).unwrap(), BlockLength::default()));
    assert!(text.contains("reserve(y_total, n * 4)"), "{text}");
}

#[test]
fn random_kernels_stay_lawful_and_what_they_were() {
    let cases = std::env::var("OPENWORK_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let k = random_kernel(&mut rng);
        let cut = sums(k.clone(), BlockLength::SMALL);
        assert!(verify(&cut).is_ok(), "seed {seed}: {:?}\n{}", verify(&cut), print(&cut));
        let run = |k: &LoopKernel| {
            let mut memory = random_memory(k, &mut Rng::new(seed));
            let status = run(k, &[3, 5], &mut memory, Limits { steps: 200_000 });
            assert!(status != Ok(Status::Ok) || leaves_zeros(k, &memory), "seed {seed}\n{}", print(k));
            let outs = k.bufs.iter().filter(|(_, b)| b.role == BufRole::Out);
            let all: Vec<(String, Vec<Scalar>)> =
                outs.map(|(id, b)| (b.name.clone(), memory.values(id).to_vec())).collect();
            (status.is_ok(), all)
        };
        let (before, after) = (run(&k), run(&cut));
        if before.0 && after.0 {
            for ((name, a), (_, b)) in before.1.iter().zip(&after.1) {
                let alike = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(*a, *b));
                assert!(alike, "seed {seed}, {name}: {a:?}\n{b:?}\n{}\n{}", print(&k), print(&cut));
            }
        }
    }
}

/// Whether two numbers are the same but for the rounding of single precision.
fn is_close(a: Scalar, b: Scalar) -> bool {
    let (x, y) = (a.as_f64(), b.as_f64());
    a == b
        || a.dtype() == b.dtype()
            && (x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1.0))
}
