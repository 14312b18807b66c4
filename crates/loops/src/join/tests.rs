//! Joined kernels beside each of them alone.

use super::{JoinMember, JoinedKernel, join};
use crate::interp::{Limits, VecMemory, run};
use crate::nodes::{BufId, BufRole, LoopKernel, Status};
use crate::random::{Rng, random_kernel, random_memory};
use crate::text::{parse, print};
use crate::verify::verify;
use openwork_base::{Id, Source};

/// Kernels whose parameters and inputs are the same in their order.
fn join_all(kernels: &[LoopKernel]) -> JoinedKernel {
    let inputs = |k: &LoopKernel| {
        let number = |(id, b): (BufId, &crate::nodes::Buf)| (b.role == BufRole::In).then_some(id.index());
        k.bufs.iter().map(number).collect()
    };
    let member =
        |kernel| JoinMember { kernel, params: (0..kernel.params.len()).collect(), inputs: inputs(kernel) };
    join(&kernels.iter().map(member).collect::<Vec<_>>())
}

/// What the kernels make of one memory, and what they make as one.
fn compare(seed: u64, kernels: &[LoopKernel]) {
    let joined = join_all(kernels);
    if let Err(found) = verify(&joined.kernel) {
        panic!("seed {seed}: {}\n{}", found[0], joined.kernel);
    }
    let mut all = VecMemory::new(&joined.kernel);
    let mut ends = Vec::new();
    for (kernel, numbers) in kernels.iter().zip(&joined.bufs) {
        let mut own = random_memory(kernel, &mut Rng::new(seed));
        for (id, _) in kernel.bufs.iter().filter(|(_, b)| b.role != BufRole::Temp) {
            all.set(BufId::new(numbers[id.index()]), own.values(id).iter().copied());
        }
        let status = run(kernel, &[2, 5], &mut own, Limits::default());
        ends.push((own, status));
    }
    let status = run(&joined.kernel, &[2, 5], &mut all, Limits::default());
    let fine = |s: &Result<Status, _>| matches!(s, Ok(Status::Ok));
    assert_eq!(fine(&status), ends.iter().all(|(_, s)| fine(s)), "seed {seed}\n{}", joined.kernel);
    if !fine(&status) {
        return;
    }
    for ((kernel, numbers), (own, _)) in kernels.iter().zip(&joined.bufs).zip(&ends) {
        for (id, _) in kernel.bufs.iter().filter(|(_, b)| b.role == BufRole::Out) {
            let both = [(own, id), (&all, BufId::new(numbers[id.index()]))];
            let [alone, beside] = both.map(|(m, id)| format!("{:?} {:?}", m.announced_len(id), m.values(id)));
            assert_eq!(alone, beside, "seed {seed}\n{}", joined.kernel);
        }
    }
}

#[test]
fn random_kernels_make_as_one_what_each_makes() {
    let mut loops = 0;
    for seed in 0..1500 {
        let kernel = |n: u64| random_kernel(&mut Rng::new(seed + n));
        compare(seed, &[kernel(0), kernel(1)]);
        compare(seed, &[kernel(0), kernel(0)]);
        compare(seed, &[kernel(0), kernel(1), kernel(0)]);
        loops += join_all(&[kernel(0), kernel(0)]).loops;
    }
    assert!(loops > 300, "{loops} loops of random kernels became one");
}

fn join_pair(a: &str, b: &str) -> JoinedKernel {
    let kernel = |body: &str| {
        let head = "kernel k(n: i64, pos: in i64[], x: in f64[], y: out f64[])";
        parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap()
    };
    join_all(&[kernel(a), kernel(b)])
}

#[test]
fn loops_over_the_same_rounds_are_one() {
    let rows = |name: &str, inside: &str| {
        format!(
            "for {name} in 0..n {{ let lo: i64 = pos[{name}]\nlet t: f64 = 0.0
             for p in lo..pos[{name} + 1] {{ {inside} }}\ny[{name}] = t }}"
        )
    };
    let joined = join_pair(&rows("i", "t = t + x[p]"), &rows("k", "t = max(t, x[p])"));
    assert_eq!((joined.loops, joined.innermost), (2, 1), "{}", print(&joined.kernel));
    assert_eq!(print(&joined.kernel).matches("pos[i]").count(), 1, "a let that is there already is dropped");
    assert_eq!(joined.bufs, [[0, 1, 2], [0, 1, 3]]);
}

#[test]
fn other_rounds_stay_apart() {
    let each = "for i in 0..n { y[i] = x[i] }";
    for other in [
        "for i in 1..n { y[i] = x[i] }",
        "for i in 0..n step 2 { y[i] = x[i] }",
        "for i in 0..pos[0] { y[i] = x[i] }",
        "let k: i64 = n\nk = k - 1\nfor i in 0..k { y[i] = x[i] }",
        "for i in 0..i64(y[0]) { y[i] = x[i] }",
        "for i in 0..n { if x[i] == 0.0 { break }\ny[i] = x[i] }",
    ] {
        let joined = join_pair(each, other);
        assert_eq!(joined.loops, 0, "{}", print(&joined.kernel));
    }
}

#[test]
fn scattered_arrays_are_those_that_memory_tells_the_place_of() {
    let joined = join_pair("for i in 0..n { y[pos[i]] = 1.0 }", "for i in 0..n { y[i] = x[pos[i]] }");
    assert_eq!(joined.scattered, [[2], [1]]);
}

#[test]
fn rounds_that_are_searched_alike_are_the_same() {
    let search = |least: &str| {
        format!(
            "let k: i64 = n\nif 0 < n {{ let last: i64 = k\nwhile pos[last] > {least} {{ last = last - 1 }}\nk = last }}
             for i in 0..k {{ y[i] = x[i] }}"
        )
    };
    assert_eq!(join_pair(&search("4"), &search("4")).loops, 1);
    assert_eq!(join_pair(&search("4"), &search("5")).loops, 0);
    // What is written on the way, or found in memory that the kernel writes, is no such search.
    let written = "let k: i64 = n\nif 0 < n { k = k - 1\ny[0] = 1.0 }\nfor i in 0..k { y[i] = x[i] }";
    assert_eq!(join_pair(written, written).loops, 0);
    let found = "let k: i64 = n\nif y[0] < 1.0 { k = k - 1 }\nfor i in 0..k { y[i] = x[i] }";
    assert_eq!(join_pair(found, found).loops, 0);
}
