use super::*;
use crate::build::*;
use crate::interp::{Limits, VecMemory, run};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, Ty, VarId};
use crate::random::{Rng, random_kernel, traces};
use crate::simplify;
use crate::text::{parse, print};
use crate::verify::{reduces, verify};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_base::Source;

fn read(body: &str) -> LoopKernel {
    let head = "kernel k(n: i64, m: i64, pos: in i64[], crd: in i32[], a: in f64[], x: in f64[], f: in f32[], \
                b: in bool[], e: in bool[], y: out f64[], z: out i64[], d: out bool[])";
    parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap_or_else(|e| panic!("{e}"))
}
fn options(bytes: usize, accumulators: usize) -> VectorOptions {
    let mut o = VectorOptions::new(bytes);
    o.lanes.accumulators = accumulators;
    o
}
#[track_caller]
fn becomes(from: &str, options: &VectorOptions, to: &str) {
    let (k, _) = vectorize(read(from), options);
    assert_eq!(verify(&k), Ok(()));
    assert_eq!(print(&k), print(&read(to)));
}
/// The loop stays serial, and the reason says `part`.
#[track_caller]
fn stays_serial(from: &str, part: &str) {
    let before = read(from);
    let (k, decisions) = vectorize(before.clone(), &VectorOptions::new(16));
    assert_eq!(print(&k), print(&before).replace("vector for", "for"));
    match &decisions[..] {
        [VectorDecision { outcome: VectorOutcome::Serial(reason), .. }] => {
            assert!(reason.contains(part), "{reason}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn spmv_gets_accumulators_behind_a_test() {
    becomes(
        "for i in 0..n {
           let t: f64 = 0.0
           vector for p in pos[i]..pos[i + 1] { t = t + a[p] * x[i64(crd[p])] }
           y[i] = t
         }",
        &options(16, 2),
        "for i in 0..n {
           let t: f64 = 0.0
           let p_lo: i64 = pos[i]
           let p_hi: i64 = pos[i + 1]
           let p_done: i64 = p_lo
           if p_hi - p_lo >= 4 && p_lo < p_hi {
             let t_acc: f64x2 = splat(2, 0.0)
             let t_acc_2: f64x2 = splat(2, 0.0)
             let p_main: i64 = p_lo + (p_hi - p_lo & -4)
             for p in p_lo..p_main step 4 {
               t_acc = t_acc + a[p : 2] * pack(x[i64(crd[p])], x[i64(crd[p + 1])])
               t_acc_2 = t_acc_2 + a[p + 2 : 2] * pack(x[i64(crd[p + 2])], x[i64(crd[p + 3])])
             }
             let p_end: i64 = p_lo + (p_hi - p_lo & -2)
             for p in p_main..p_end step 2 {
               t_acc = t_acc + a[p : 2] * pack(x[i64(crd[p])], x[i64(crd[p + 1])])
             }
             t = t + fold(add, t_acc + t_acc_2)
             p_done = p_end
           }
           for p in p_done..p_hi { t = t + a[p] * x[i64(crd[p])] }
           y[i] = t
         }",
    );
}

#[test]
fn maps_splat_what_does_not_change_once() {
    becomes(
        "vector for j in 0..m { y[n * m + j] += a[n] * x[j + 1] }",
        &options(32, 4),
        "let j_done: i64 = 0
         if m >= 4 {
           let splat: f64x4 = splat(4, a[n])
           let j_end: i64 = m & -4
           for j in 0..j_end step 4 { y[n * m + j] += splat * x[j + 1 : 4] }
           j_done = j_end
         }
         for j in j_done..m { y[n * m + j] += a[n] * x[j + 1] }",
    );
}

#[test]
fn unrolled_maps_finish_vector_by_vector() {
    let mut o = options(32, 4);
    o.unroll = 4;
    becomes(
        "vector for j in 0..m { y[n + j] += a[n] * x[j] }",
        &o,
        "let j_done: i64 = 0
         if m >= 4 {
           let splat: f64x4 = splat(4, a[n])
           let j_main: i64 = m & -16
           for j in 0..j_main step 16 {
             y[n + j] += splat * x[j : 4]
             y[n + j + 4] += splat * x[j + 4 : 4]
             y[n + j + 8] += splat * x[j + 8 : 4]
             y[n + j + 12] += splat * x[j + 12 : 4]
           }
           let j_end: i64 = m & -4
           for j in j_main..j_end step 4 { y[n + j] += splat * x[j : 4] }
           j_done = j_end
         }
         for j in j_done..m { y[n + j] += a[n] * x[j] }",
    );
}

#[test]
fn variables_of_the_body_become_what_is_needed() {
    becomes(
        "vector for p in n..m { let q: i64 = p + n
           let j: i64 = i64(crd[q])
           let v: f64 = a[q] * 2.0
           v = v + x[j]
           y[q] = v * x[j + 1] }",
        &options(16, 1),
        "let p_done: i64 = n
         if m - n >= 2 && n < m {
           let splat: f64x2 = splat(2, 2.0)
           let p_end: i64 = n + (m - n & -2)
           for p in n..p_end step 2 {
             let j_0: i64 = i64(crd[p + n])
             let j_1: i64 = i64(crd[p + n + 1])
             let v_v: f64x2 = a[p + n : 2] * splat
             v_v = v_v + pack(x[j_0], x[j_1])
             y[p + n] = v_v * pack(x[j_0 + 1], x[j_1 + 1])
           }
           p_done = p_end
         }
         for p in p_done..m { let q: i64 = p + n
           let j: i64 = i64(crd[q])
           let v: f64 = a[q] * 2.0
           v = v + x[j]
           y[q] = v * x[j + 1] }",
    );
}

#[test]
fn truth_values_alone_fill_vectors_with_their_bytes() {
    becomes(
        "vector for i in 0..n { d[i] = b[i] & e[0] ^ e[i + m] }",
        &options(16, 1),
        "let i_done: i64 = 0
         if n >= 16 {
           let splat: boolx16 = splat(16, e[0])
           let i_end: i64 = n & -16
           for i in 0..i_end step 16 { d[i] = b[i : 16] & splat ^ e[i + m : 16] }
           i_done = i_end
         }
         for i in i_done..n { d[i] = b[i] & e[0] ^ e[i + m] }",
    );
    becomes(
        "let t: bool = true
         vector for i in 0..n { t = t & b[i] }",
        &options(16, 1),
        "let t: bool = true
         let i_done: i64 = 0
         if n >= 16 {
           let t_acc: boolx16 = splat(16, true)
           let i_end: i64 = n & -16
           for i in 0..i_end step 16 { t_acc = t_acc & b[i : 16] }
           t = t & fold(and, t_acc)
           i_done = i_end
         }
         for i in i_done..n { t = t & b[i] }",
    );
}

#[test]
fn truth_values_have_the_lanes_of_numbers_beside_them() {
    becomes(
        "vector for i in 0..n { d[i] = b[i] != (a[i] < x[i]) }",
        &options(16, 1),
        "let i_done: i64 = 0
         if n >= 2 {
           let i_end: i64 = n & -2
           for i in 0..i_end step 2 { d[i] = b[i : 2] != (a[i : 2] < x[i : 2]) }
           i_done = i_end
         }
         for i in i_done..n { d[i] = b[i] != (a[i] < x[i]) }",
    );
    let (_, decisions) =
        vectorize(read("vector for i in 0..n { y[i] = select(b[i], 1.0, 2.0) }"), &options(32, 1));
    assert_eq!(decisions[0].outcome, VectorOutcome::Vectors { lanes: 4, copies: 1 });
}

#[test]
fn comparisons_become_masks() {
    becomes(
        "vector for i in 0..n { let c: bool = a[i] < 0.0
           y[i] = select(!c & (x[i] != a[i]), a[i], x[i]) }",
        &options(32, 1),
        "let i_done: i64 = 0
         if n >= 4 {
           let splat: f64x4 = splat(4, 0.0)
           let i_end: i64 = n & -4
           for i in 0..i_end step 4 {
             let c_v: boolx4 = a[i : 4] < splat
             y[i] = select(!c_v & (x[i : 4] != a[i : 4]), a[i : 4], x[i : 4])
           }
           i_done = i_end
         }
         for i in i_done..n { let c: bool = a[i] < 0.0
           y[i] = select(!c & (x[i] != a[i]), a[i], x[i]) }",
    );
}

#[test]
fn any_lawful_kernel_survives_strictly() {
    let mut o = VectorOptions::new(32);
    o.reassociate = Reassociate::Strict;
    for seed in 0..1000 {
        let k = random_kernel(&mut Rng::new(seed));
        let before = simplify(k.clone());
        let (after, _) = vectorize(before.clone(), &o);
        assert_eq!(verify(&after), Ok(()), "seed {seed}");
        assert_eq!(traces(&k, seed), traces(&after, seed), "seed {seed}\n{before}\n{after}");
    }
}

#[test]
fn what_cannot_be_proved_stays_serial() {
    stays_serial("vector for i in 0..n { if n < 1 { y[i] = 1.0 } }", "a condition is in its body");
    stays_serial("vector for i in 0..n step 2 { y[i] = 1.0 }", "its step is not 1");
    stays_serial("vector for i in 0..n { y[i] = y[i + 1] }", "y is stored to and loaded from elsewhere");
    stays_serial("vector for i in 0..n { y[i] = 1.0\n y[i + 1] = 2.0 }", "y is stored to at two places");
    stays_serial("vector for i in 0..n { y[2 * i] = 1.0 }", "y is not stored to element after element");
    stays_serial("vector for i in 0..n { y[0] = 1.0 }", "y is not stored to element after element");
    stays_serial("vector for i in 0..n { y[i64(crd[i])] = 1.0 }", "y is not stored to element after element");
    stays_serial("vector for i in 0..n { z[i] = i64(y[z[n] + i]) }", "stored to and loaded from elsewhere");
    stays_serial("vector for i in 0..n { z[z[0] + i] = 1 }", "z is not stored to element after element");
    stays_serial("vector for i in 0..n { y[i] = 1.0\n z[i] = 1\n fail(cancelled) }", "its body can fail");
    stays_serial("vector for i in 0..n { d[i] = b[i64(crd[i])] }", "from here and there");
    stays_serial("vector for i in 0..n { d[i] = bool(a[i]) }", "neither a comparison nor memory");
    stays_serial("vector for i in 0..n { d[i] = b[i] & d[i + 1] }", "stored to and loaded from elsewhere");
    stays_serial(
        "let t: f32 = f32(0)\n vector for i in 0..n { t = t + f[i]\n y[i] = a[i] }",
        "different sizes",
    );
    stays_serial("let t: f64 = 0.0\n vector for i in 0..n { t = t + a[i]\n y[i] = t }", "t is used beside");
    stays_serial("let t: f64 = 0.0\n vector for i in 0..n { t = t + t }", "t is used beside");
    stays_serial("let t: f64 = 0.0\n vector for i in 0..n { t = a[i] - t }", "sub does not reduce t");
    stays_serial("let t: f64 = 0.0\n vector for i in 0..n { t = a[i] }", "no reduction");
    stays_serial("vector for i in 0..n { reserve(y, i) }", "a buffer grows");
    stays_serial("vector for i in 0..n { z[i] = quot(z[i], 3) }", "quot has no vector form");
    stays_serial("vector for i in 0..n { for j in 0..m { y[j] = 1.0 } }", "not an innermost loop");
}

#[test]
fn strict_order_keeps_floats_but_not_integers_serial() {
    let mut o = VectorOptions::new(16);
    o.reassociate = Reassociate::Strict;
    let sum = |ty: &str, zero: &str, e: &str| {
        read(&format!("let t: {ty} = {zero}\n vector for i in 0..n {{ t = t + {e} }}"))
    };
    let (_, floats) = vectorize(sum("f64", "0.0", "a[i]"), &o);
    assert!(matches!(&floats[0].outcome, VectorOutcome::Serial(why) if why.contains("strict")));
    let (_, ints) = vectorize(sum("i64", "0", "z[i]"), &o);
    assert_eq!(ints[0].outcome, VectorOutcome::Vectors { lanes: 2, copies: 4 });
}

/// A random loop over `lo..lo + trips`, its result buffers, and its dtype.
struct Case {
    k: LoopKernel,
    p: VarId,
    base: VarId,
    c: DType,
    other: DType,
    bufs: Bufs,
    locals: Vec<VarId>,
    indices: Vec<VarId>,
    outer: VarId,
}
#[derive(Clone, Copy)]
struct Bufs {
    /// Two inputs of the main dtype, one of another, coordinates, and three outputs.
    ins: [BufId; 2],
    odd: BufId,
    crd: BufId,
    outs: [BufId; 3],
}
const ROOM: usize = 128;

fn case(rng: &mut Rng) -> Case {
    let all = [DType::F64, DType::F64, DType::F32, DType::I64, DType::I32, DType::U32, DType::U64];
    let c = rng.pick(&all);
    let other = rng.pick(&[DType::I32, DType::F32, DType::F64, DType::U8, DType::Bool, DType::C64]);
    let mut k = LoopKernel::new("case");
    let (lo, trips, base) = (k.param("lo"), k.param("trips"), k.param("base"));
    let (hi, p) = (k.index("hi"), k.index("p"));
    let outer = k.var("s", Ty::scalar(c));
    let bufs = Bufs {
        ins: [k.buf("x", c, BufRole::In), k.buf("w", c, BufRole::In)],
        odd: k.buf("odd", other, BufRole::In),
        crd: k.buf("crd", DType::I32, BufRole::In),
        outs: [k.buf("y", c, BufRole::Out), k.buf("z", c, BufRole::Out), k.buf("sums", c, BufRole::Out)],
    };
    let mut g = Case { k, p, base, c, other, bufs, locals: vec![], indices: vec![p], outer };
    let mut before = vec![
        Stmt::Let { var: hi, val: add(var(lo), var(trips)) },
        Stmt::Let { var: outer, val: load(bufs.ins[0], int(3)) },
    ];
    let mut after = Vec::new();
    let mut body = Vec::new();
    for n in 0..1 + rng.number_below(4) {
        let s = g.stmt(rng, n as i64, &mut before, &mut after);
        body.push(s);
    }
    let mode = LoopMode::Vector;
    before.push(Stmt::For { var: p, lo: var(lo), hi: var(hi), step: 1, mode, body });
    before.extend(after);
    g.k.body = before;
    g
}

impl Case {
    fn stmt(&mut self, rng: &mut Rng, n: i64, before: &mut Vec<Stmt>, after: &mut Vec<Stmt>) -> Stmt {
        match rng.number_below(6) {
            0 => {
                let val = self.small_index(rng);
                let v = self.k.index("q");
                self.indices.push(v);
                Stmt::Let { var: v, val }
            }
            1 => {
                let val = self.value(rng, 2);
                let v = self.k.var("t", Ty::scalar(self.c));
                self.locals.push(v);
                Stmt::Let { var: v, val }
            }
            2 | 3 => {
                let out = rng.pick(&self.bufs.outs[..2]);
                let at =
                    if rng.chance(70) { add(var(self.base), var(self.p)) } else { self.small_index(rng) };
                let val = self.value(rng, 3);
                let prims = Prim::ALL.map(|p| reduces(p, self.c).then_some(p));
                let reduce = if rng.chance(30) { rng.pick(&prims) } else { None };
                Stmt::Store { buf: out, at, val, reduce }
            }
            4 if !self.locals.is_empty() => {
                let v = rng.pick(&self.locals);
                let val = self.value(rng, 2);
                set(v, val)
            }
            _ => {
                let prims: Vec<Prim> = Prim::ALL.into_iter().filter(|p| reduces(*p, self.c)).collect();
                let (prim, t) = (rng.pick(&prims), self.k.var("sum", Ty::scalar(self.c)));
                before.push(Stmt::Let { var: t, val: load(self.bufs.ins[1], int(n)) });
                after.push(store(self.bufs.outs[2], int(n), var(t)));
                let e = self.value(rng, 2);
                let val = match rng.number_below(3) {
                    0 => call(prim, e, var(t)),
                    1 => call(prim, call(prim, var(t), e), self.value(rng, 1)),
                    _ => call(prim, var(t), e),
                };
                set(t, val)
            }
        }
    }
    /// An index that stays in bounds: below 3 * 45.
    fn small_index(&mut self, rng: &mut Rng) -> Expr {
        match rng.number_below(7) {
            0 => var(self.base),
            1 => add(var(self.base), var(self.p)),
            2 => add(var(self.p), int(1)),
            3 => mul(int(2), var(self.p)),
            5 => call(
                rng.pick(&[Prim::Quot, Prim::Rem, Prim::Shr]),
                var(self.p),
                int(rng.number_below(4) as i64),
            ),
            4 => cast(DType::I64, DType::I32, load(self.bufs.crd, var(self.p))),
            _ => call(Prim::And, var(rng.pick(&self.indices)), int(63)),
        }
    }
    fn value(&mut self, rng: &mut Rng, fuel: usize) -> Expr {
        if fuel == 0 || rng.chance(20) {
            return match rng.number_below(8) {
                0 if !self.locals.is_empty() => var(rng.pick(&self.locals)),
                0 | 1 => var(self.outer),
                2 => constant(Scalar::from_i64(rng.number_below(3) as i64, self.c)),
                3 if self.other != self.c => {
                    cast(self.c, self.other, load(self.bufs.odd, self.small_index(rng)))
                }
                4 => cast(self.c, DType::I64, var(rng.pick(&self.indices))),
                5 => load(rng.pick(&self.bufs.outs[..2]), add(var(self.base), var(self.p))),
                _ => load(rng.pick(&self.bufs.ins), self.small_index(rng)),
            };
        }
        if rng.chance(10) {
            let compare = rng.pick(&[Prim::Lt, Prim::Ge, Prim::Eq, Prim::Ne]);
            let c = call(compare, self.value(rng, fuel - 1), self.value(rng, fuel - 1));
            let c = if rng.chance(50) { Expr::Call { prim: Prim::Not, args: vec![c] } } else { c };
            let args = vec![c, self.value(rng, fuel - 1), self.value(rng, fuel - 1)];
            return Expr::Call { prim: Prim::Select, args };
        }
        let prims = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max, Prim::Neg, Prim::Abs, Prim::And];
        let prim = rng.pick(&prims);
        if prim.result(self.c) != Some(self.c) {
            return self.value(rng, fuel - 1);
        }
        let args = (0..prim.arity()).map(|_| self.value(rng, fuel - 1)).collect();
        Expr::Call { prim, args }
    }
    fn memory(&self, rng: &mut Rng) -> VecMemory {
        let mut memory = VecMemory::new(&self.k);
        for (id, b) in self.k.bufs.iter() {
            let quarter = if b.elem.kind() >= DTypeKind::Float { 0.25 } else { 1.0 };
            let most = if id == self.bufs.crd { ROOM - 1 } else { 7 };
            let scale = if id == self.bufs.crd { 1.0 } else { quarter };
            memory.set(id, (0..ROOM).map(|_| Scalar::F64(rng.number_below(most) as f64 * scale)));
        }
        memory
    }
}

fn close(a: Scalar, b: Scalar) -> bool {
    let (x, y) = (a.as_f64(), b.as_f64());
    let tolerance = match a.dtype() {
        DType::F64 => 1e-12,
        DType::F32 => 1e-4,
        _ => return a == b,
    };
    // A product may overflow in one order and not in the other.
    let overflow = !x.is_finite() || !y.is_finite();
    a == b || overflow || (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0)
}

#[test]
fn random_loops_mean_the_same_as_vectors() {
    let (mut expanded, mut all) = (0, 0);
    for seed in 0..800 {
        let mut rng = Rng::new(seed);
        let g = case(&mut rng);
        assert_eq!(verify(&g.k), Ok(()), "seed {seed}");
        let mut o = options(rng.pick(&[16, 32, 64]), rng.pick(&[1, 2, 4]));
        o.unroll = rng.pick(&[1, 2]);
        let (v, decisions) = vectorize(g.k.clone(), &o);
        if let Err(found) = verify(&v) {
            panic!("seed {seed}: {}", found[0]);
        }
        all += 1;
        expanded += matches!(decisions[0].outcome, VectorOutcome::Vectors { .. }) as usize;
        let s = simplify(v.clone());
        let start = g.memory(&mut rng);
        for trips in (0..=40).filter(|t| *t < 10 || (t + seed) % 4 == 0) {
            let params = [rng.number_below(3) as i64, trips as i64, rng.number_below(20) as i64];
            let traces = [&g.k, &v, &s].map(|k| {
                let mut memory = start.clone();
                let status = run(k, &params, &mut memory, Limits::default());
                let status = status.unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{k}"));
                (status, g.bufs.outs.map(|b| memory.values(b).to_vec()))
            });
            for other in &traces[1..] {
                assert_eq!(traces[0].0, other.0);
                let pairs = traces[0].1.iter().flatten().zip(other.1.iter().flatten());
                for (n, (a, b)) in pairs.enumerate() {
                    assert!(close(*a, *b), "seed {seed}, {params:?}: {n}: {a} {b}\n{}\n{v}", g.k);
                }
            }
        }
    }
    println!("{expanded} of {all} loops expanded");
    assert!(expanded * 3 > all, "{expanded} of {all}");
}
