use super::*;
use crate::build::*;
use crate::interp::{Limits, VecMemory, run};
use crate::nodes::{BufId, BufRole, Expr, Ty, VarId};
use crate::random::{Rng, random_kernel, random_scalar, traces};
use crate::simplify;
use crate::text::{parse, print};
use crate::vectorize::{self, VectorOptions, vectorize};
use crate::verify::{reduces, verify};
use crate::walk::{any_part, each_stmt, exprs};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_base::Source;

fn read(body: &str) -> LoopKernel {
    let head = "kernel k(n: i64, m: i64, pos: in i64[], crd: in i32[], a: in f64[], x: in f64[], c: in f64[], \
                u: in i64[], y: out f64[], z: out i64[])";
    parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap_or_else(|e| panic!("{e}"))
}
fn options(factor: usize) -> JamOptions {
    JamOptions { factor, reassociate: Reassociate::Allowed }
}
#[track_caller]
fn becomes(from: &str, factor: usize, to: &str) {
    let (k, decisions) = jam(read(from), &options(factor));
    assert_eq!(verify(&k), Ok(()));
    assert_eq!(print(&k), print(&read(to)));
    assert_eq!(decisions[0].outcome, JamOutcome::Jammed { factor });
}
/// The loop is left alone, and the reason says `part`.
#[track_caller]
fn stays(from: &str, options: &JamOptions, part: &str) {
    let before = read(from);
    let (k, decisions) = jam(before.clone(), options);
    assert_eq!(k, before);
    match &decisions[..] {
        [JamDecision { outcome: JamOutcome::Left(reason), .. }] => assert!(reason.contains(part), "{reason}"),
        other => panic!("{other:?}"),
    }
}

const SPMM: &str = "for i in 0..n {
   let lo: i64 = pos[i]
   let hi: i64 = pos[i + 1]
   for p in lo..hi {
     let j: i64 = i64(crd[p])
     let v: f64 = a[p]
     let b: i64 = j * m
     let base: i64 = i * m
     vector for k in 0..m { y[base + k] += v * x[b + k] }
   }
 }";

#[test]
fn spmm_takes_four_rounds_then_two_then_one() {
    becomes(
        SPMM,
        4,
        "for i in 0..n {
           let lo: i64 = pos[i]
           let hi: i64 = pos[i + 1]
           let p_done: i64 = lo
           if hi - lo >= 2 && lo < hi {
             let p_main: i64 = lo + (hi - lo & -4)
             for p in lo..p_main step 4 {
               let j: i64 = i64(crd[p])
               let j_2: i64 = i64(crd[p + 1])
               let j_3: i64 = i64(crd[p + 2])
               let j_4: i64 = i64(crd[p + 3])
               let v: f64 = a[p]
               let v_2: f64 = a[p + 1]
               let v_3: f64 = a[p + 2]
               let v_4: f64 = a[p + 3]
               let b: i64 = j * m
               let b_2: i64 = j_2 * m
               let b_3: i64 = j_3 * m
               let b_4: i64 = j_4 * m
               let base: i64 = i * m
               vector for k in 0..m {
                 y[base + k] += v * x[b + k] + v_2 * x[b_2 + k] + (v_3 * x[b_3 + k] + v_4 * x[b_4 + k])
               }
             }
             let p_pair: i64 = lo + (hi - lo & -2)
             for p in p_main..p_pair step 2 {
               let j: i64 = i64(crd[p])
               let j_2: i64 = i64(crd[p + 1])
               let v: f64 = a[p]
               let v_2: f64 = a[p + 1]
               let b: i64 = j * m
               let b_2: i64 = j_2 * m
               let base: i64 = i * m
               vector for k in 0..m { y[base + k] += v * x[b + k] + v_2 * x[b_2 + k] }
             }
             p_done = p_pair
           }
           for p in p_done..hi {
             let j: i64 = i64(crd[p])
             let v: f64 = a[p]
             let b: i64 = j * m
             let base: i64 = i * m
             vector for k in 0..m { y[base + k] += v * x[b + k] }
           }
         }",
    );
}

#[test]
fn a_factor_of_integers_leaves_the_sum() {
    becomes(
        "for p in 0..n { vector for r in 0..m { z[m + r] += u[p + r] * u[r] } }",
        2,
        "let p_done: i64 = 0
         if n >= 2 {
           let p_main: i64 = n & -2
           for p in 0..p_main step 2 {
             vector for r in 0..m { z[m + r] += u[r] * (u[p + r] + u[p + 1 + r]) }
           }
           p_done = p_main
         }
         for p in p_done..n { vector for r in 0..m { z[m + r] += u[p + r] * u[r] } }",
    );
}

/// It may be infinite, or make smaller what would overflow.
#[test]
fn a_factor_of_floats_stays_in_its_products() {
    becomes(
        "for p in 0..n {
           // one fibre
           let b: i64 = i64(crd[p]) * m
           vector for r in 0..m {
             let t: f64 = x[b + r]
             let s: f64 = c[m + r]
             y[m + r] += a[p] * t * s
           }
         }",
        2,
        "let p_done: i64 = 0
         if n >= 2 {
           let p_main: i64 = n & -2
           for p in 0..p_main step 2 {
             // one fibre
             let b: i64 = i64(crd[p]) * m
             let b_2: i64 = i64(crd[p + 1]) * m
             vector for r in 0..m {
               let t: f64 = x[b + r]
               let t_2: f64 = x[b_2 + r]
               let s: f64 = c[m + r]
               y[m + r] += a[p] * t * s + a[p + 1] * t_2 * s
             }
           }
           p_done = p_main
         }
         for p in p_done..n {
           // one fibre
           let b: i64 = i64(crd[p]) * m
           vector for r in 0..m {
             let t: f64 = x[b + r]
             let s: f64 = c[m + r]
             y[m + r] += a[p] * t * s
           }
         }",
    );
}

#[test]
fn what_cannot_be_proved_is_left_alone() {
    let inner = |body: &str, part: &str| {
        stays(&format!("for p in 0..n {{ let v: f64 = a[p]\n {body} }}"), &options(4), part);
    };
    inner("vector for k in 0..m { y[p + k] += v }", "where y is stored to changes");
    inner("let b: i64 = p * m\n vector for k in 0..m { y[b + k] += v }", "where y is stored to changes");
    inner("vector for k in 0..m { let q: i64 = p + k\n y[q] += v }", "where y is stored to changes");
    inner("vector for k in 0..m { y[k] += v * y[k + m] }", "y is loaded in its body");
    inner("let w: f64 = y[p]\n vector for k in 0..m { y[k] += w }", "y is loaded in its body");
    inner("vector for k in 0..z[0] { z[k] += u[k] }", "z is loaded in its body");
    inner("vector for k in 0..pos[p] { y[k] += v }", "the bounds of k change");
    inner("let lo: i64 = p * 2\n vector for k in lo..m { y[k] += v }", "the bounds of k change");
    inner("vector for k in 0..m step 2 { y[k] += v }", "the step of its inner loop is not 1");
    inner("vector for k in 0..m { y[k] = v }", "y is overwritten");
    inner("vector for k in 0..m { y[0] += v }", "y is not stored to element after element");
    inner("vector for k in 0..m { y[2 * k] += v }", "y is not stored to element after element");
    inner("vector for k in 0..m { y[i64(crd[k])] += v }", "y is not stored to element after element");
    inner("vector for k in 0..m { y[k] += v\n z[k] += 1 }", "there are several stores");
    inner("vector for k in 0..m { y[k] += v\n y[k] += v }", "there are several stores");
    inner("vector for k in 0..m { let t: f64 = v }", "nothing is stored");
    inner("vector for k in 0..m { let t: f64 = v\n t = t + v\n y[k] += t }", "a variable is set");
    inner(
        "vector for k in 0..m { if k < n { y[k] += v } }",
        "in the loop over k, a condition is in its body",
    );
    inner("vector for k in 0..m { y[k] += v }\n z[0] = 1", "something follows its inner loop");
    inner(
        "vector for k in 0..m { y[k] += v }\n vector for k in 0..m { y[k] += v }",
        "it holds several loops",
    );
    inner("z[0] = 1\n vector for k in 0..m { y[k] += v }", "it stores outside of its inner loop");
    inner("v = v + 1.0\n vector for k in 0..m { y[k] += v }", "a variable is set in its body");
    inner("reserve(y, p)\n vector for k in 0..m { y[k] += v }", "a buffer grows in its body");
    inner("if p < 3 { fail(cancelled) }\n vector for k in 0..m { y[k] += v }", "a condition is in its body");
    stays("for p in 0..n step 2 { vector for k in 0..m { y[k] += a[p] } }", &options(4), "its step is not 1");
    stays("for p in 0..n { vector for k in 0..m { y[k] += a[p] } }", &options(1), "one round at a time");
}

#[test]
fn other_loops_are_not_mentioned() {
    let before = read(
        "for i in 0..n { for p in 0..n { for k in 0..m { y[k] += a[p] } } }
         vector for k in 0..m { y[k] += 1.0 }
         vector for p in 0..n { vector for k in 0..m { y[k] += a[p] } }",
    );
    assert_eq!(jam(before.clone(), &options(4)), (before, Vec::new()));
}

#[test]
fn strict_order_lets_only_inexact_sums_alone() {
    let strict = JamOptions { factor: 4, reassociate: Reassociate::Strict };
    let nest = |store: &str| format!("for p in 0..n {{ vector for k in 0..m {{ {store} }} }}");
    for inexact in ["y[k] += a[p]", "y[k] *= a[p]"] {
        stays(&nest(inexact), &strict, "the order in which y is reduced is strict");
    }
    for exact in ["z[k] += u[p]", "z[k] *= u[p]", "z[k] ^= u[p]", "y[k] min= a[p]", "y[k] max= a[p]"] {
        let (_, decisions) = jam(read(&nest(exact)), &strict);
        assert_eq!(decisions[0].outcome, JamOutcome::Jammed { factor: 4 }, "{exact}");
    }
}

/// Zeros of either sign and NaN come out of `min` and `max` as they did.
#[test]
fn least_and_greatest_are_the_same_bits() {
    let strict = JamOptions { factor: 4, reassociate: Reassociate::Strict };
    for (seed, prim) in (0..200).flat_map(|seed| ["min", "max"].map(|p| (seed, p))) {
        let k = read(&format!("for p in 0..n {{ vector for k in 0..m {{ y[k] {prim}= x[p + k] }} }}"));
        let (jammed, _) = jam(k.clone(), &strict);
        assert_ne!(k, jammed);
        let mut rng = Rng::new(seed);
        let mut start = VecMemory::new(&k);
        for (id, b) in k.bufs.iter() {
            start.set(id, (0..32).map(|_| random_scalar(b.elem, &mut rng)));
        }
        let all = [k, jammed].map(|k| {
            let mut memory = start.clone();
            let status = run(&k, &[seed as i64 % 13, 9], &mut memory, Limits::default());
            let y = k.bufs.iter().find(|(_, b)| b.name == "y").map(|(id, _)| memory.values(id).to_vec());
            format!("{status:?} {y:?}")
        });
        assert_eq!(all[0], all[1], "seed {seed}, {prim}");
    }
}

#[test]
fn jammed_spmm_becomes_loads_and_splats() {
    for bytes in [16, 32, 64] {
        let (jammed, _) = jam(simplify(read(SPMM)), &options(4));
        let (k, decisions) = vectorize(simplify(jammed), &VectorOptions::new(bytes));
        let k = simplify(k);
        assert_eq!(verify(&k), Ok(()));
        let lanes = bytes / 8;
        let wanted = vectorize::VectorOutcome::Vectors { lanes, copies: 1 };
        assert_eq!(decisions.iter().map(|d| &d.outcome).collect::<Vec<_>>(), vec![&wanted; 3]);
        let text = print(&k);
        assert!(!text.contains("pack("), "{text}");
        assert_eq!(text.matches(&format!("= splat({lanes}, v")).count(), 4 + 2 + 1, "{text}");
        // Splats stand outside of the innermost loops.
        let mut found = 0;
        each_stmt(&k.body, &mut |s| {
            if let Stmt::Store { val, .. } = s {
                assert!(!any_part(val, &|e| matches!(e, Expr::Splat { .. })), "{text}");
                let mut count = 0;
                crate::walk::each_part(val, &mut |e| count += matches!(e, Expr::VLoad { .. }) as usize);
                found |= count;
            }
            exprs(s).for_each(|e| assert!(!any_part(e, &|e| matches!(e, Expr::Pack(_))), "{text}"));
        });
        assert_eq!(found, 4 | 2 | 1, "{text}");
    }
}

#[test]
fn any_lawful_kernel_survives_strictly() {
    let strict = JamOptions { factor: 4, reassociate: Reassociate::Strict };
    for seed in 0..1000 {
        let k = random_kernel(&mut Rng::new(seed));
        let (after, _) = jam(k.clone(), &strict);
        assert_eq!(verify(&after), Ok(()), "seed {seed}");
        assert_eq!(traces(&k, seed), traces(&after, seed), "seed {seed}\n{k}\n{after}");
    }
}

/// Bounds at the edges of `i64` run no round too many.
#[test]
fn extreme_bounds_run_nothing() {
    let k = read("for p in n..m { vector for k in 0..2 { z[k] += 1 } }");
    let (jammed, _) = jam(k, &options(4));
    let edges = [i64::MIN, i64::MIN + 1, i64::MIN + 3, -1, 0, 1, i64::MAX - 3, i64::MAX - 1, i64::MAX];
    for (lo, hi) in edges.iter().flat_map(|lo| edges.map(|hi| (*lo, hi))) {
        let rounds = (hi as i128 - lo as i128).max(0);
        if rounds > 10 {
            continue;
        }
        let mut memory = VecMemory::new(&jammed);
        let z = jammed.bufs.iter().find(|(_, b)| b.name == "z").map(|(id, _)| id).expect("z");
        memory.set_ints(z, &[0, 0]);
        let status = run(&jammed, &[lo, hi], &mut memory, Limits::default());
        assert!(status.is_ok(), "{lo} {hi}: {status:?}");
        assert_eq!(memory.values(z), [Scalar::I64(rounds as i64); 2], "{lo} {hi}");
    }
}

/// A random nest over `lo..lo + trips` around a loop over `from..m`; often one that must be left alone.
struct Case {
    k: LoopKernel,
    c: DType,
    y: BufId,
    z: BufId,
    crd: BufId,
    /// Indices below 50.
    indices: Vec<VarId>,
    /// Values.
    values: Vec<VarId>,
    ins: [BufId; 2],
}
const ROOM: usize = 128;

fn case(rng: &mut Rng) -> Case {
    let all = [DType::F64, DType::F64, DType::F32, DType::I64, DType::I32, DType::C128, DType::Bool];
    let c = rng.pick(&all);
    let mut k = LoopKernel::new("case");
    let (lo, trips, base, m) = (k.param("lo"), k.param("trips"), k.param("base"), k.param("m"));
    let (p, at) = (k.index("p"), k.index("r"));
    let ins = [k.buf("x", c, BufRole::In), k.buf("w", c, BufRole::In)];
    let crd = k.buf("crd", DType::I32, BufRole::In);
    let (y, z) = (k.buf("y", c, BufRole::Out), k.buf("z", c, BufRole::Out));
    let mut g = Case { k, c, y, z, crd, indices: vec![p, base], values: vec![], ins };
    let mut body: Vec<Stmt> = (0..rng.number_below(5)).map(|_| g.local(rng)).collect();
    let target = g.k.index("target");
    body.push(Stmt::Let { var: target, val: mul(int(2), var(base)) });
    g.indices.push(at);
    let mut inner: Vec<Stmt> = (0..rng.number_below(3)).map(|_| g.local(rng)).collect();
    let prims: Vec<Prim> = Prim::ALL.into_iter().filter(|p| reduces(*p, c)).collect();
    let prim = rng.pick(&prims);
    let place = if rng.chance(90) { add(var(target), var(at)) } else { g.index(rng) };
    inner.push(Stmt::Store {
        buf: y,
        at: place,
        val: g.value(rng, 3),
        reduce: rng.chance(95).then_some(prim),
    });
    let from = if rng.chance(50) { int(0) } else { int(rng.number_below(2) as i64) };
    let to = if rng.chance(92) { var(m) } else { call(Prim::Min, var(p), var(m)) };
    body.push(Stmt::For { var: at, lo: from, hi: to, step: 1, mode: LoopMode::Vector, body: inner });
    if rng.chance(5) {
        body.push(Stmt::Store { buf: z, at: var(p), val: constant(Scalar::one(c)), reduce: None });
    }
    let from = if rng.chance(50) { var(lo) } else { int(0) };
    g.k.body = vec![for_each(p, from, add(var(lo), var(trips)), body)];
    g
}

impl Case {
    fn local(&mut self, rng: &mut Rng) -> Stmt {
        if rng.chance(50) {
            let val = self.index(rng);
            let v = self.k.index("q");
            self.indices.push(v);
            return Stmt::Let { var: v, val };
        }
        let val = self.value(rng, 2);
        let v = self.k.var("t", Ty::scalar(self.c));
        self.values.push(v);
        Stmt::Let { var: v, val }
    }
    /// An index that stays in bounds.
    fn index(&self, rng: &mut Rng) -> Expr {
        let one = call(Prim::And, var(rng.pick(&self.indices)), int(63));
        match rng.number_below(4) {
            0 => one,
            1 => add(one, int(rng.number_below(3) as i64)),
            2 => add(one, call(Prim::And, var(rng.pick(&self.indices)), int(31))),
            _ => cast(DType::I64, DType::I32, load(self.crd, one)),
        }
    }
    fn value(&self, rng: &mut Rng, fuel: usize) -> Expr {
        if fuel == 0 || rng.chance(20) {
            return match rng.number_below(8) {
                0 => constant(Scalar::from_i64(rng.number_below(3) as i64, self.c)),
                1..=3 if !self.values.is_empty() => var(rng.pick(&self.values)),
                4 if rng.chance(10) => load(self.y, self.index(rng)),
                4 => load(self.z, self.index(rng)),
                _ => {
                    let (a, b) = (var(rng.pick(&self.indices)), var(rng.pick(&self.indices)));
                    let in_bounds = call(Prim::And, a, int(63));
                    let at =
                        if rng.chance(50) { add(in_bounds, call(Prim::And, b, int(63))) } else { in_bounds };
                    load(rng.pick(&self.ins), at)
                }
            };
        }
        let prims: Vec<Prim> = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Mul, Prim::Min, Prim::And]
            .into_iter()
            .filter(|p| p.result(self.c) == Some(self.c))
            .collect();
        call(rng.pick(&prims), self.value(rng, fuel - 1), self.value(rng, fuel - 1))
    }
    fn memory(&self, rng: &mut Rng) -> VecMemory {
        let mut memory = VecMemory::new(&self.k);
        for (id, b) in self.k.bufs.iter() {
            let scale = if b.elem.kind() >= DTypeKind::Float { 0.25 } else { 1.0 };
            let most = if id == self.crd { 60 } else { 7 };
            memory.set(id, (0..ROOM).map(|_| Scalar::F64(rng.number_below(most) as f64 * scale)));
        }
        memory
    }
}

fn close(a: Scalar, b: Scalar) -> bool {
    let tolerance = match a.dtype() {
        DType::F64 | DType::C128 => 1e-12,
        DType::F32 => 1e-4,
        _ => return a == b,
    };
    let (x, y) = (a.as_f64(), b.as_f64());
    // A product may overflow in one order and not in the other.
    let overflow = !x.is_finite() || !y.is_finite();
    a == b || overflow || (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0)
}

#[test]
fn random_nests_mean_the_same_jammed_and_vectorised() {
    let (mut jammed, mut vectors) = (0, 0);
    for seed in 0..250 {
        let mut rng = Rng::new(seed);
        let g = case(&mut rng);
        assert_eq!(verify(&g.k), Ok(()), "seed {seed}\n{}", g.k);
        let (j, decisions) = jam(g.k.clone(), &options(rng.pick(&[2, 3, 4, 4, 8])));
        let done = matches!(decisions[0].outcome, JamOutcome::Jammed { .. });
        jammed += done as usize;
        let mut o = VectorOptions::new(rng.pick(&[16, 32, 64]));
        o.unroll = rng.pick(&[1, 4]);
        let (v, vector_decisions) = vectorize(j.clone(), &o);
        let expanded =
            |d: &vectorize::VectorDecision| matches!(d.outcome, vectorize::VectorOutcome::Vectors { .. });
        vectors += (done && vector_decisions.iter().all(expanded)) as usize;
        let s = simplify(v.clone());
        let (again, _) = jam(simplify(g.k.clone()), &options(4));
        let all = [&g.k, &j, &v, &s, &again];
        for k in all {
            assert_eq!(verify(k), Ok(()), "seed {seed}\n{k}");
        }
        let start = g.memory(&mut rng);
        for trips in 0..=12 {
            let params =
                [rng.number_below(3) as i64, trips, rng.number_below(20) as i64, rng.number_below(24) as i64];
            let traces = all.map(|k| {
                let mut memory = start.clone();
                let status = run(k, &params, &mut memory, Limits::default());
                let status = status.unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{k}"));
                (status, [g.y, g.z].map(|b| memory.values(b).to_vec()))
            });
            for (k, other) in all.iter().zip(&traces).skip(1) {
                assert_eq!(traces[0].0, other.0);
                let pairs = traces[0].1.iter().flatten().zip(other.1.iter().flatten());
                for (n, (a, b)) in pairs.enumerate() {
                    assert!(close(*a, *b), "seed {seed}, {params:?}: {n}: {a} {b}\n{}\n{k}", g.k);
                }
            }
        }
    }
    assert!(jammed > 120 && vectors > 40, "{jammed} jammed, {vectors} of them vectors");
}
