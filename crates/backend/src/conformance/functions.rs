//! Functions of the library in `wide` loops: instructions give the bits of scalars, calls at most [`ULPS`] others, and each
//! element what it has alone, wherever loops begin and end.

use super::wide::{has_wide, widen_kernel};
use super::{assert_same, edges};
use crate::Backend;
use crate::harness::{Growth, run};
use openwork_algebra::library::Domain;
use openwork_algebra::{DType, Library, Scalar};
use openwork_base::Source;
use openwork_loops::text::{parse, print};
use openwork_loops::wide::is_instruction;
use openwork_loops::{LoopKernel, Wide, simplify};

/// The largest distance of a result in a vector from that of a scalar: four for the vector, one for the scalar.
const ULPS: u64 = 5;

/// Bodies; `F` is the function of `x[i]`, or of this and `z[i]`. The others have values that live across calls.
const FORMS: [&str; 4] = [
    "vector for i in lo..n { y[i] = F }",
    "let p: T = z[0]\n let q: T = z[1]\n vector for i in lo..n { let t: T = x[i] * p\n let u: T = z[i] - q\n y[i] = F\n w[i] = max(t, u) }",
    "vector for i in lo..n { y[i] = F\n w[i] = abs(z[i]) * z[2] }",
    "for r in 0..2 { for s in 0..2 { vector for i in lo..n { y[i] += F * c[r + s] } } }",
];

/// Every function for vectors, beside what it is of scalars.
pub fn every_wide_function(b: &dyn Backend) {
    let Some(own) = b.target().wide else { return };
    for elem in [DType::F64, DType::F32] {
        for f in Library::ALL.iter().copied() {
            let wide = Wide { least: 1, ..own };
            if f.domain() != Domain::Test && (is_instruction(f) || own.functions.has(f)) {
                every_form(b, f, elem, wide);
            }
        }
    }
}

fn every_form(b: &dyn Backend, f: Library, elem: DType, wide: Wide) {
    let (x, z) = arguments(elem);
    let n = x.len();
    let call = |i: usize| {
        let both = [x[i], z[i]];
        f.eval(&both[..f.arity()]).expect("defined for floats")
    };
    let wanted: Vec<Scalar> = (0..n).map(call).collect();
    let most = if is_instruction(f) { 0 } else { ULPS };
    let mut first = Vec::new();
    for form in FORMS {
        let plain = kernel(form, f, elem);
        let k = widen_kernel(plain.clone(), wide);
        assert!(has_wide(&k.body), "{}", print(&k));
        let code = b.compile(&k).unwrap_or_else(|e| panic!("{e}"));
        let of = |code: &dyn crate::Compiled, k: &LoopKernel, end: usize, lo: usize| {
            let mut bufs = vec![x.clone(), z.clone(), vec![Scalar::from_i64(0, elem); 4]];
            bufs[2][1] = Scalar::from_i64(1, elem);
            bufs.extend((0..2).map(|_| vec![Scalar::from_i64(0, elem); n]));
            bufs.resize(k.bufs.len(), Vec::new());
            let out = run(code, k, &bufs, &[end as i64, lo as i64], Growth::Doubling);
            let mut bufs = out.unwrap_or_else(|e| panic!("{e}\n{}", print(k))).bufs;
            (bufs.swap_remove(3), bufs.swap_remove(3))
        };
        // The first form on every element, whatever the others are.
        if form == FORMS[0] {
            first = of(&*code, &k, n, 0).0;
            for (i, (g, w)) in first.iter().zip(&wanted).enumerate() {
                let near = distance(*g, *w) <= most;
                assert!(near, "{} {elem} of {:?}, {:?}: {g:?}, not {w:?}", f.name(), x[i], z[i]);
            }
        }
        let slow = crate::InterpBackend::new().compile(&plain).unwrap_or_else(|e| panic!("{e}"));
        for (end, lo) in [(1, 0), (3, 2), (21, 0), (21, 5), (40, 7), (n, 9)] {
            let (y, w) = of(&*code, &k, end, lo);
            let what = format!("{} {elem} {lo}..{end} {} bytes\n{}", f.name(), wide.bytes, print(&k));
            if form == FORMS[3] {
                // Twice what it is, in sums that begin with 0.
                let near = y[lo..end].iter().zip(&first[lo..end]).all(|(g, w)| distance(*g, double(*w)) <= 1);
                assert!(near, "{what}");
            } else {
                assert_same(&what, &y[lo..end], &first[lo..end]);
            }
            assert_same(&what, &w, &of(&*slow, &plain, end, lo).1);
        }
    }
}

/// What the last form adds up: the value times 0, 1, 1 and 0.
fn double(x: Scalar) -> Scalar {
    let twice = 2.0 * x.as_f64();
    Scalar::from_f64(if x.is_finite() { twice } else { f64::NAN }, x.dtype())
}

fn kernel(form: &str, f: Library, elem: DType) -> LoopKernel {
    let t = elem.name();
    let called = if f.arity() == 1 { "x[i]" } else { "x[i], z[i]" };
    let body = form.replace(": T ", &format!(": {t} ")).replace('F', &format!("{}({called})", f.name()));
    let text = format!(
        "kernel k(n: i64, lo: i64, x: in {t}[], z: in {t}[], c: in {t}[], y: out {t}[], w: out {t}[]) {{\n{body}\n}}\n"
    );
    simplify(parse(&Source::new("function", text.as_str())).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// What is not like other numbers, in pairs; numbers of all sizes; and those that most functions are used with.
fn arguments(elem: DType) -> (Vec<Scalar>, Vec<Scalar>) {
    let edges = edges(elem);
    let mut both: Vec<(Scalar, Scalar)> = edges.iter().flat_map(|x| edges.iter().map(|z| (*x, *z))).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for n in 0..3000 {
        let mut number = || match n % 3 {
            0 => (unit() - 0.5) * 2.0,
            1 => (unit() - 0.5) * 40.0,
            _ => (unit() * 160.0 - 80.0).exp2() * if unit() < 0.5 { -1.0 } else { 1.0 },
        };
        both.push((Scalar::from_f64(number(), elem), Scalar::from_f64(number(), elem)));
    }
    both.into_iter().unzip()
}

/// How many floats lie between two, and 0 if both are NaN.
fn distance(a: Scalar, b: Scalar) -> u64 {
    if a.is_same(b) || a.as_f64().is_nan() && b.as_f64().is_nan() {
        return 0;
    }
    let ordered = |x: Scalar| match x {
        Scalar::F32(x) => {
            let bits = i64::from(x.to_bits() as i32);
            if bits < 0 { i64::from(i32::MIN) - bits } else { bits }
        }
        x => {
            let bits = x.as_f64().to_bits() as i64;
            if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
        }
    };
    let infinite = |x: Scalar| !x.as_f64().is_finite();
    if infinite(a) || infinite(b) {
        return u64::MAX;
    }
    ordered(a).abs_diff(ordered(b))
}
