//! `wide` loops: every primitive and every form, for all trip counts that matter, beside the interpreter on the loops as
//! they were before. Values are such that sums are exact in any order, so equal means equal.

use super::{assert_same, edges};
use crate::harness::{Growth, run};
use crate::{Backend, InterpBackend};
use openwork_algebra::{DType, Scalar};
use openwork_base::Source;
use openwork_loops::text::{parse, print};
use openwork_loops::{
    BufRole, LoopKernel, LoopMode, Reassociate, Stmt, VectorOptions, Wide, simplify, vectorize, verify, wide,
};

/// Bodies of `kernel k(n, m, lo, …)`; `T` is the dtype.
const FORMS: [&str; 47] = [
    "vector for i in lo..n { y[i] = x[i] + z[i] }",
    "vector for i in lo..n { y[i] = x[i] - 2.0 * z[i]\n w[i] = T(3.0) - x[i] }",
    "vector for i in lo..n { y[i] = times(x[i], z[i])\n w[i] = times(z[i], a[3]) }",
    "vector for i in 0..n { y[i] = x[i] / z[i]\n w[i + 1] = x[i + 2] * x[i] }",
    "vector for i in 0..n { y[i] = min(x[i], z[i])\n w[i] = max(x[i], z[i]) }",
    "vector for i in 0..n { y[i] = -x[i]\n w[i] = abs(z[i]) }",
    "vector for i in lo..n { y[i] = y[i] * y[i] + x[i]\n w[i] += a[3] * x[i] }",
    "vector for i in 0..n { y[i] min= x[i]\n w[i] max= x[i] * z[i] }",
    "vector for i in 0..n { y[i] *= x[i]\n w[i] += x[i] + -z[i] }",
    "let t: T = T(2.0)\n vector for i in 0..n { t = t + times(x[i], z[i])\n y[i] += times(z[i], x[i]) }\n w[0] = t",
    "let t: T = T(2.0)\n vector for i in lo..n { t = t + x[i] * z[i] }\n y[0] = t",
    "let t: T = T(2.0)\n let u: T = T(1.0)\n vector for i in 0..n { t = t + x[i]\n u = max(u, z[i]) }\n y[0] = t\n y[1] = u",
    "let t: T = T(9.0)\n vector for i in 0..n { let s: T = min(x[i], z[i])\n t = min(t, s + s) }\n y[0] = t",
    "let t: T = T(1.0)\n vector for i in 0..n { t = t * (x[i] / x[i])\n y[i] = x[i] }\n w[0] = t",
    "let p: T = a[0]\n let q: T = a[1]\n let r: T = a[2]\n let s: T = a[3]\n
     vector for i in 0..n { y[i] = p * x[i] + q * z[i] + r * c[i] + s * (x[i] + z[i]) + p / q + q * r + r * s + s * p \
         + p * r + q * s + p * T(3.0) + q * T(4.0) + r * T(5.0)\n w[i + n] = c[i + n] + x[i + m] + z[i + lo] + x[i + n] + z[i + m] }",
    "for r in 0..4 { for p in pos[r]..pos[r + 1] { let b: i64 = i64(crd[p]) * n\n let v: T = a[p]
       vector for k in 0..n { y[r * n + k] += v * c[b + k] } } }",
    "for r in 0..4 { let from: i64 = pos[r]\n let to: i64 = pos[r + 1]\n for p in from..to { let b: i64 = i64(crd[p]) * n\n let v: T = a[p]
       vector for k in 0..n { y[r * n + k] max= v * c[b + k] - x[k] } } }",
    "for q in 0..2 { for r in 2 * q..2 * q + 2 { let from: i64 = pos[r]\n let to: i64 = pos[r + 1]\n let d: i64 = i64(row[r])\n for p in from..to { let b: i64 = i64(crd[p]) * n
       vector for k in 0..n { y[q * n + k] += a[p] * c[b + k] * c[d * n + k] } } } }",
    "for q in 0..m { for r in 0..4 { let from: i64 = pos[r]\n let to: i64 = pos[r + 1]\n let f: i64 = i64(row[r])\n for p in from..to { let d: i64 = i64(crd[p])\n let e: i64 = i64(far[p])
       for s in d..e { for o in s..e { vector for k in lo..n { y[q * n + k] += c[d * n + k] * a[s] * a[o] + c[e * n + k] + c[f * n + k] * x[s * e - d + k] } } } } } }",
    "for i in 0..4 { let t: T = T(0.0)\n vector for p in pos[i]..pos[i + 1] { t = t + a[p] * x[i64(crd[p])] }\n y[i] = t }",
    "for i in lo..n { let t: T = z[i]\n let e: i64 = i + lo\n vector for p in i..e + i { let j: i64 = i64(crd[p])\n t = t + x[p] * z[j] }\n y[i] += t * T(2.0) }",
    "for i in 0..n { let t: T = T(3.0)\n vector for p in lo..i { let j: i64 = i64(crd[i64(row[0])])\n t = max(t, x[p] + z[j]) }\n y[i] = t\n w[2 * i] = t + c[i] }",
    "for i in 0..n { let t: T = T(0.0)\n let b: i64 = i * n\n vector for k in 0..n { t = t + x[k] * c[k + lo] }\n y[i] = t + z[i] }",
    "let t: T = T(1.0)\n for i in 0..n { vector for k in 0..m * i { t = t + x[k] }\n t = t + z[i] }\n y[0] = t",
    "let t: T = T(1.0)\n let u: T = T(5.0)\n for i in 0..4 { vector for p in pos[i]..pos[i + 1] { t = t + a[p] * x[i64(crd[p]) * n + lo]\n u = min(u, z[i64(crd[p])]) } }\n y[0] = t\n w[0] = u",
    "for i in 0..4 { let t: T = T(0.0)\n vector for p in pos[i]..pos[i + 1] { t = t + a[p] }\n let u: T = T(0.0)\n let v: T = t * T(2.0)\n vector for p in pos[i]..pos[i + 1] { let d: T = x[i64(crd[p])] - v\n u = u + d * t }\n y[i] = u }",
    "for i in lo..n { let t: T = T(0.0)\n vector for p in 0..i { t = t + abs(x[i64(crd[p]) + lo]) * -z[p] }\n let s: T = min(t, z[i])\n y[i] = t / T(2.0)\n y[i + 1] = s }",
    "for i in 0..4 { let t: T = T(0.0)\n let from: i64 = pos[i]\n let to: i64 = pos[i + 1]\n vector for p in from..to { let j: i64 = i64(crd[p])\n let k: i64 = i64(far[j])\n t = t + a[p] * x[k] * z[j + k] }\n w[i] max= t }",
    "let q: i64 = 0\n for i in lo..n { let j: i64 = i64(crd[i])\n let s: T = z[i]\n let t: T = T(0.0)\n vector for k in 0..n { t = t + s * x[k] * z[j + k] }\n if t > T(0.0) { y[q] = t\n q = q + 1 } }\n w[0] = z[q]",
    "let q: i64 = lo\n for i in 0..4 { let j: i64 = i64(crd[i])\n let t: T = T(0.0)\n vector for p in pos[i]..pos[i + 1] { t = t + a[p] * x[i64(crd[p])] }\n y[q] = t + z[j]\n q = q + 1 }",
    "let q: i64 = 0\n for i in 0..n { let t: T = T(0.0)\n let u: T = T(1.0)\n vector for p in 0..i { t = t + x[p] * z[i64(crd[p])]\n u = max(u, x[p]) }\n y[q] = t - u\n if u > t { q = q + 2 } }",
    "for i in 0..m { let t: T = T(0.0)\n vector for p in 0..n { t = t + c[p] * x[i64(crd[0])] * z[i64(row[1]) + p] }\n y[i * n] = t }",
    "vector for k in 0..n { let s: T = T(0.0)\n for p in 0..m { let v: T = a[p] * a[p + 1]\n s = s + v * x[p + k] }\n y[k] = s\n w[k] += s * s }",
    "vector for i in lo..n { let s: i64 = i64(crd[i])\n y[i] += select(s != 2, a[i] * x[select(s != 2, s, 0)], T(0.0)) }",
    "vector for i in lo..n { let s: i64 = i64(crd[i])\n y[i] = z[i] - select(s == 5, T(3.0), a[i] * x[select(s != 5, s, 0)]) * a[1] }",
    "vector for i in 0..n { let s: i64 = i64(crd[i])\n let t: i64 = i64(crd[n + i])\n let j: i64 = select(s != 5, s, 0)\n
       y[i] += select(s != 5, a[i] * x[j], T(0.0)) + select(t == 2, T(0.0), a[n + i] * x[select(t == 2, 0, t)])\n w[i] max= select(s != 5, x[j], z[i]) }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let q: i64 = p * 8\n for r in 0..8 { y[b * 8 + r] += x[q + r] * a[p] } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let q: i64 = p * 4\n for r in 0..4 { let s: i64 = i64(crd[q + r])\n
       let j: i64 = select(s != 5, s, 0)\n y[b * 4 + r + lo] += select(s != 5, c[q + r] * x[j], T(0.0)) } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let q: i64 = p * 8\n for r in 0..8 { let s: i64 = i64(crd[r])\n
       let j: i64 = select(s == 2, 0, s)\n y[b * 8 + r] max= select(s == 2, T(-5.0), c[q + r] * x[j] - z[j]) } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..4 { for s in 0..4 { y[b * 4 + r + lo] += c[(p * 4 + r) * 4 + s] * x[j * 4 + s] } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..3 { for s in 0..3 { y[b * 3 + r] += c[(p * 3 + r) * 3 + s] * x[j * 3 + s] * z[j] } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..3 { for s in 0..3 { y[b * 3 + r] += c[(p * 3 + r) * 3 + s] * (x[j * 3 + s] / x[j * 3 + s]) } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..2 { for s in 0..2 { y[b * 2 + r] += c[(p * 2 + r) * 2 + s] / (x[j * 2 + s] / x[j * 2 + s]) } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..2 { for s in 0..2 { y[b * 2 + r] += c[(p * 2 + r) * 2 + s] * x[j * 2 + s] } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n for r in 0..2 { for s in 0..7 { y[b * 2 + r] += c[(p * 2 + r) * 7 + s] * x[j * 7 + s] } } } }",
    "for b in 0..4 { let from: i64 = pos[b]\n let to: i64 = pos[b + 1]\n for p in from..to { let j: i64 = i64(crd[p])\n if b * 8 + 8 <= n && (rem(n, 8) == 0) | (j * 8 + 8 <= n) { for r in 0..8 { for s in 0..8 { y[b * 8 + r] += c[r * 8 + s] * x[j * 8 + s] } } }
       else { for r in 0..min(8, n - b * 8) { for s in 0..min(8, n - j * 8) { y[b * 8 + r] += c[r * 8 + s] * x[j * 8 + s] } } } } }",
    "vector for i in lo..n { let s: i64 = i64(crd[i])\n let j: i64 = i64(crd[select(s != 1, s, 0)])\n y[i] = select(s != 1, z[j + m] * x[j], a[i]) * T(2.0) }",
];

/// Loops over slots that may be empty, whose mark has all bits set.
const SLOTS: [&str; 4] = [
    "for b in 0..m { for p in 3 * b..3 * b + 3 { for r in 0..8 { let s: i64 = i64(crd[p * 8 + r])\n let j: i64 = select(s != -1, s, 0)\n
       y[b * 8 + r] += select(s != -1, c[p * 8 + r] * x[j], T(0.0)) } } }",
    "for b in 0..m { for p in 3 * b..3 * b + 3 { for r in 0..4 { let s: i64 = i64(crd[p * 4 + r])\n let j: i64 = select(s != -1, s, 0)\n
       y[b * 4 + r] max= select(s != -1, c[p * 4 + r] + x[j], T(-9.0)) } } }",
    "vector for i in 0..8 * m { let s: i64 = i64(crd[i])\n y[i] += select(s != -1, c[i] * x[select(s != -1, s, 0)], T(0.0)) }",
    "vector for i in 0..8 * m { let s: i64 = i64(crd[i])\n y[i] = select(s == -1, T(3.0), x[select(s != -1, s, 0)]) }",
];

/// Loops over slots of which none, some or all are empty.
pub fn every_slot(b: &dyn Backend) {
    let interp = InterpBackend::new();
    let all = SLOTS.iter().flat_map(|form| [DType::F64, DType::F32].map(|elem| (form, elem)));
    for ((form, elem), crd) in all.flat_map(|case| ["i32", "i64", "i16"].map(|crd| (case, crd))) {
        let plain = kernel(form, elem, [crd, "i64", "u8"]);
        for bytes in [32, 64] {
            let wide = widen_kernel(plain.clone(), Wide::new(bytes, 1));
            let fail = |e: openwork_base::Error| -> ! { panic!("{e}\n{}", print(&wide)) };
            let code = b.compile(&wide).unwrap_or_else(|e| fail(e));
            let slow = interp.compile(&plain).unwrap_or_else(|e| fail(e));
            for seed in 0..30usize {
                // Which slots are empty, and which hold the first coordinate, in every place of a vector.
                let held = |s: usize| match seed % 5 {
                    0 => 0,
                    1 => -1,
                    2 => (s * (seed + 3) % 7) as i64,
                    3 => (s * (seed + 5) % 3) as i64 - 1,
                    _ => [-1, 0][usize::from(s % 8 < 4) ^ (seed & 1)],
                };
                let mut bufs = buffers(&plain, 40, false);
                bufs[1] = (0..400)
                    .map(|s| Scalar::from_i64(held(s), plain.bufs.iter().nth(1).expect("crd").1.elem))
                    .collect();
                let of = |code: &dyn crate::Compiled, kernel: &LoopKernel| {
                    let mut bufs = bufs.clone();
                    bufs.resize(kernel.bufs.len(), Vec::new());
                    run(code, kernel, &bufs, &[40, 5, 0], Growth::Doubling).unwrap_or_else(|e| fail(e)).bufs
                };
                let (want, got) = (of(&*slow, &plain), of(&*code, &wide));
                for ((_, buf), (g, w)) in plain.bufs.iter().zip(got.iter().zip(&want)) {
                    if buf.role == BufRole::Out {
                        assert_same(
                            &format!("{} {elem} {crd} {seed} {bytes}\n{}", buf.name, print(&wide)),
                            g,
                            w,
                        );
                    }
                }
            }
        }
    }
}

/// The form with more scalars than narrower vectors have registers.
const MANY: usize = 14;

fn kernel(form: &str, elem: DType, widths: [&str; 3]) -> LoopKernel {
    let t = elem.name();
    let [crd, row, far] = widths;
    let head = format!(
        "kernel k(n: i64, m: i64, lo: i64, pos: in i64[], crd: in {crd}[], row: in {row}[], far: in {far}[], \
         a: in {t}[], x: in {t}[], z: in {t}[], c: in {t}[], y: out {t}[], w: out {t}[])"
    );
    let body = form.replace("T(", &format!("{t}(")).replace(": T ", &format!(": {t} "));
    let body = body.replace(" 2.0 * z", &format!(" {t}(2.0) * z"));
    let text = format!("{head} {{\n{body}\n}}\n");
    simplify(parse(&Source::new("wide", text.as_str())).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// The kernel as a backend with these vectors gets it.
pub(super) fn widen_kernel(k: LoopKernel, wide: Wide) -> LoopKernel {
    let k = simplify(wide::slices(k, &wide, Reassociate::Allowed));
    let (k, _) = wide::nest(k, &wide);
    let (k, _) = wide::rows(simplify(k), &wide);
    let options = VectorOptions { wide: Some(wide), ..VectorOptions::new(16) };
    let k = simplify(vectorize(k, &options).0);
    verify(&k).unwrap_or_else(|e| panic!("{}", e[0]));
    let again = parse(&Source::new("again", print(&k))).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&again), print(&k));
    k
}

pub(super) fn has_wide(body: &[Stmt]) -> bool {
    body.iter().any(|s| match s {
        Stmt::For { mode: LoopMode::Wide { .. } | LoopMode::Rows { .. }, .. } => true,
        Stmt::For { body, .. } | Stmt::While { body, .. } => has_wide(body),
        Stmt::If { then, other, .. } => has_wide(then) || has_wide(other),
        _ => false,
    })
}

/// Small integers, none of them 0.
fn small(elem: DType, n: usize, seed: usize) -> Vec<Scalar> {
    let values = [1, 2, -1, 3, -2, 1, -3, 2, -1, 1, 4];
    (0..n).map(|i| Scalar::from_i64(values[(i * 7 + seed) % values.len()], elem)).collect()
}

fn buffers(k: &LoopKernel, n: usize, strange: bool) -> Vec<Vec<Scalar>> {
    let elem = k.bufs.iter().find(|(_, b)| b.role == BufRole::Out).expect("results").1.elem;
    let ints = |dtype: DType, v: &[i64]| v.iter().map(|n| Scalar::from_i64(*n, dtype)).collect();
    let dtypes: Vec<DType> = k.bufs.iter().map(|(_, b)| b.elem).collect();
    let room = 8 * n + 160;
    let crd: Vec<i64> = [0, 2, 5, 1, 2, 3, 4, 0].into_iter().cycle().take(2 * n + 40).collect();
    let mut all: Vec<Vec<Scalar>> = vec![
        ints(dtypes[0], &[0, 3, 3, 7, 8]),
        ints(dtypes[1], &crd),
        ints(dtypes[2], &[1, 0, 4, 2]),
        ints(dtypes[3], &[2, 3, 5, 2, 4, 4, 5, 2]),
    ];
    all.extend((0..6).map(|b| small(elem, room, b)));
    if strange {
        let edges = edges(elem);
        for (b, step) in [(5, 1), (6, 5), (8, 3)] {
            all[b] = (0..room).map(|i| edges[i * step % edges.len()]).collect();
        }
    }
    all
}

/// Kernels with `wide` loops of every form, which a backend with these vectors should not run as serial ones.
pub fn wide_kernels(wide: Wide) -> Vec<LoopKernel> {
    let all = FORMS.iter().flat_map(|form| [DType::F64, DType::F32].map(|elem| (form, elem)));
    let kernels = all.map(|(form, elem)| widen_kernel(kernel(form, elem, ["i32", "i64", "u8"]), wide));
    kernels.filter(|k| has_wide(&k.body)).collect()
}

/// Every form with vectors of `bytes`, taken however short the loop is.
fn forms(b: &dyn Backend, bytes: usize) {
    let wide = Wide::new(bytes, 1);
    let interp = InterpBackend::new();
    let widths = [["i32", "i64", "u8"], ["u16", "i16", "u32"], ["i8", "u64", "i32"]];
    for elem in [DType::F64, DType::F32] {
        for (number, form) in FORMS.iter().enumerate() {
            let plain = kernel(form, elem, widths[number % 3]);
            let wide = widen_kernel(plain.clone(), wide);
            assert!(has_wide(&wide.body) || number == MANY, "{}", print(&wide));
            let fail = |e: openwork_base::Error| -> ! { panic!("{e}\n{}", print(&wide)) };
            let code = b.compile(&wide).unwrap_or_else(|e| fail(e));
            let slow = interp.compile(&plain).unwrap_or_else(|e| fail(e));
            let steps = interp.compile(&wide).unwrap_or_else(|e| fail(e));
            let most = if form.contains("pos[") { 40 } else { 100 };
            for n in (0..most).chain([133, 150, 261]) {
                // Forms of one operation are exact on any values.
                let strange = number < 6 && number != 1;
                let bufs = buffers(&wide, n, strange);
                let params = [n as i64, 2, (n % 3) as i64];
                let of = |code: &dyn crate::Compiled, kernel: &LoopKernel| {
                    let mut bufs = bufs.clone();
                    bufs.resize(kernel.bufs.len(), Vec::new());
                    run(code, kernel, &bufs, &params, Growth::Doubling).unwrap_or_else(|e| fail(e)).bufs
                };
                let (want, got) = (of(&*slow, &plain), of(&*code, &wide));
                for ((id, buf), (g, w)) in plain.bufs.iter().zip(got.iter().zip(&want)) {
                    if buf.role == BufRole::Out {
                        assert_same(
                            &format!("{} {elem} {n} {bytes} in {id:?}\n{}", buf.name, print(&wide)),
                            g,
                            w,
                        );
                    }
                }
                if n % 16 < 2 {
                    of(&*steps, &wide);
                }
            }
        }
    }
}

/// Loops for the vectors that the backend assembles.
pub fn every_wide_loop(b: &dyn Backend) {
    let bytes = b.target().wide.map_or(64, |w| w.bytes);
    forms(b, bytes);
    if bytes > 32 {
        forms(b, 32);
    }
}

/// Loops over rows that lie one behind the other, for the dtype `T`.
const ROWS: [&str; 18] = [
    "y[i] = t",
    "y[i] += t * z[i]",
    "y[2 * i + 1] = t\n w[i] = t + T(1.0)",
    "w[i] max= t\n y[i] = z[i] - t",
    "u = u + t",
    "u = max(u, t * z[i])\n y[i] = u",
    "let j: i64 = i64(far[i])\n y[i] = t * z[j]",
    // What one row stores is what others read, or store as well.
    "y[i] = t + y[0]",
    "y[i + m] = t + y[i + lo]",
    "y[i + 1] = t + y[i]",
    "y[i + lo] = t\n y[i + m] = z[i]",
    // The loop itself, where it is another one.
    "|T(0.0)|t = t + a[p]|y[i] = t",
    "|z[i]|t = t + a[p] * x[i64(crd[p])] * c[i64(crd[p]) + m]|y[i] = t",
    "|T(-9.0)|t = max(t, a[p] + x[i64(crd[p])])|y[i] = t",
    "|T(9.0)|t = min(t, x[i64(crd[p]) + i])|y[i] = t",
    "|T(0.0)|let d: T = x[i64(crd[p])] - a[p]\n t = t + d * d\n u = min(u, d)|y[i] = t",
    "|T(0.0)|t = max(t, y[i64(crd[p])])|y[i] = t + z[i]",
    "|T(0.0)|t = t + a[p] * x[i64(crd[i64(far[p])])]|y[i] = t\n w[i] = z[i]",
];

/// Rows of every length up to a few vectors, wherever the loop over them begins and ends. Behind the last element there are
/// indices of nothing, and some rows end before they begin.
pub fn every_row(b: &dyn Backend) {
    let interp = InterpBackend::new();
    for elem in [DType::F64, DType::F32] {
        for (number, row) in ROWS.iter().enumerate() {
            let parts: Vec<&str> = row.split('|').collect();
            let (first, each, then) = match parts[..] {
                [then] => ("T(0.0)", "t = t + a[p] * x[i64(crd[p])]", then),
                [_, first, each, then] => (first, each, then),
                _ => unreachable!("a row has one part or three"),
            };
            let form = format!(
                "let u: T = T(1.0)\n for i in lo..n {{ let t: T = {first}
                 vector for p in pos[i]..pos[i + 1] {{ {each} }}\n {then} }}\n w[0] = u"
            );
            let widths = [["i32", "i64", "u8"], ["u16", "i16", "i32"]][number % 2];
            let plain = kernel(&form, elem, widths);
            let wide = widen_kernel(plain.clone(), Wide::new(32, 1));
            let fail = |e: openwork_base::Error| -> ! { panic!("{e}\n{}", print(&wide)) };
            let code = b.compile(&wide).unwrap_or_else(|e| fail(e));
            let slow = interp.compile(&plain).unwrap_or_else(|e| fail(e));
            // The last ones gather from places far apart.
            for seed in 0..46 {
                let (bufs, n, lo) = rows_of(&plain, seed);
                let of = |code: &dyn crate::Compiled, kernel: &LoopKernel| {
                    let mut bufs = bufs.clone();
                    bufs.resize(kernel.bufs.len(), Vec::new());
                    let params = [n as i64, 2, lo as i64];
                    run(code, kernel, &bufs, &params, Growth::Doubling).unwrap_or_else(|e| fail(e)).bufs
                };
                let (want, got) = (of(&*slow, &plain), of(&*code, &wide));
                for ((_, buf), (g, w)) in plain.bufs.iter().zip(got.iter().zip(&want)) {
                    if buf.role == BufRole::Out {
                        assert_same(&format!("{} {elem} {seed}\n{}", buf.name, print(&wide)), g, w);
                    }
                }
            }
        }
    }
}

/// Buffers of rows, how many there are, and which is the first that is taken.
fn rows_of(k: &LoopKernel, seed: usize) -> (Vec<Vec<Scalar>>, usize, usize) {
    let mut state = seed * 77 + 5;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let (columns, n, longest) = match seed {
        0..40 => (8, [0, 1, 3, 4, 5, 8, 13, 30, 70, 131][seed % 10], [3, 6, 9, 14][seed / 10]),
        _ => (60_000, 150, [3, 6, 9, 14][seed % 4]),
    };
    let mut pos = vec![next(4) as i64];
    for i in 0..n {
        let last = pos[i];
        let back = seed.is_multiple_of(3) && next(6) == 0;
        pos.push(if back { (last - 3).max(0) } else { last + next(longest + 1) as i64 });
    }
    let end = *pos.iter().max().unwrap_or(&0) as usize;
    let elem = k.bufs.iter().find(|(_, b)| b.role == BufRole::Out).expect("results").1.elem;
    let dtypes: Vec<DType> = k.bufs.iter().map(|(_, b)| b.elem).collect();
    let ints = |dtype: DType, v: &[i64]| v.iter().map(|n| Scalar::from_i64(*n, dtype)).collect::<Vec<_>>();
    let mut crd: Vec<i64> = (0..end).map(|_| next(columns) as i64).collect();
    crd.extend([if dtypes[1] == DType::U16 { 60_000 } else { i64::from(i32::MAX) }; 16]);
    let far: Vec<i64> = (0..end.max(n)).map(|_| next(end.clamp(1, 100)) as i64).collect();
    let mut all = vec![ints(dtypes[0], &pos), ints(dtypes[1], &crd), Vec::new(), ints(dtypes[3], &far)];
    all.extend((0..6).map(|b| small(elem, end.max(2 * n).max(columns) + n + 20, b)));
    (all, n, next(n + 1).min(next(4)))
}

/// Where the order of sums is strict, loops with one are left alone and rows are still added up in order.
pub fn strict_wide_loops(b: &dyn Backend) {
    let wide = Wide::new(b.target().wide.map_or(64, |w| w.bytes), 1);
    let strict =
        VectorOptions { wide: Some(wide), reassociate: Reassociate::Strict, ..VectorOptions::new(16) };
    let sum = kernel(FORMS[10], DType::F64, ["i32", "i64", "u8"]);
    assert!(!has_wide(&vectorize(sum, &strict).0.body));
    // 1e16 + 1 + 1 … is lost one by one, but not in pairs.
    let form = "for p in 0..m { vector for k in 0..n { y[k] += x[p + k] } }";
    let k = simplify(wide::nest(kernel(form, DType::F64, ["i32", "i64", "u8"]), &wide).0);
    assert!(has_wide(&k.body));
    let mut bufs = buffers(&k, 40, false);
    bufs[5] = vec![Scalar::F64(1.0); bufs[5].len()];
    bufs[8] = vec![Scalar::F64(1e16); bufs[8].len()];
    let code = b.compile(&k).unwrap_or_else(|e| panic!("{e}"));
    let out = run(&*code, &k, &bufs, &[40, 8, 0], Growth::Failing).unwrap_or_else(|e| panic!("{e}"));
    assert_same("strict", &out.bufs[8][..40], &[Scalar::F64(1e16); 40]);
    assert_same("beyond", &out.bufs[9], &bufs[9]);
}
