//! The tests that every level format passes, written once, for those of other crates as well.
//!
//! ```ignore
//! // In the tests of the crate that has the level: formats of matrices in which it stands.
//! openwork::levels_conformance!(mine, { my_level::register(); &my_level::MINE }, [
//!     "(i,j) -> (i,j) : dense, mine",
//!     "(i,j) -> (j,i) : dense, mine",
//! ]);
//! ```
//!
//! expands to a module with one `#[test]` per function below. What a level claims (to be iterated, located, appended to,
//! inserted into) is held against what its storage packs, on the bounds-checking interpreter and in machine code. Data
//! that a format has no room for (a triangle, a band) is left out; some must fit.

use super::LevelSpec;
use crate::{
    BackendKind, Conversion, DType, Decl, Decls, Format, FormatExt, Kernel, Result, Scalar, Session, Stages,
    Tensor, TensorExt,
};
use openwork_index::cin::AssemblyMode;
use openwork_levels::Registry;

/// Expands to the tests of one level format, given a name for their module, its declaration and formats of matrices.
#[macro_export]
macro_rules! levels_conformance {
    ($name:ident, $spec:expr, $formats:expr $(,)?) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::levels_conformance!(@each $spec, $formats;
                declares_what_it_does
                holds_what_is_packed
                is_iterated
                is_merged_and_located
                is_appended_to
                is_inserted_into
                is_partitioned);
        }
    };
    (@each $spec:expr, $formats:expr; $($test:ident)*) => {
        $(#[test]
        fn $test() {
            $crate::extension::conformance::$test($spec, &$formats);
        })*
    };
}

/// A matrix in a format, and what it holds.
struct PackedSample {
    tensor: Tensor,
    shape: [usize; 2],
    entries: Vec<(Vec<usize>, Scalar)>,
    dense: Vec<f64>,
}

/// Where elements are: at the edges of what formats can hold.
fn patterns(n: usize) -> Vec<Box<dyn Fn(usize, usize) -> bool>> {
    vec![
        Box::new(|_, _| false),
        Box::new(|_, _| true),
        Box::new(|i, j| i == j),
        Box::new(|i, j| j <= i),
        Box::new(|i, j| j >= i),
        Box::new(|i, j| i.abs_diff(j) <= 1),
        Box::new(|i, j| (i, j) == (1, 2)),
        Box::new(move |i, j| i + 1 == n || j == 0),
        Box::new(|i, j| i % 2 == 1 && j % 3 != 0),
        Box::new(|i, j| (i * 7 + j * 11) % 5 == 0),
        Box::new(|i, j| (i * i + j * 3 + i * j) % 4 == 1),
    ]
}

/// Matrices that a format holds: whole numbers, so that sums are exact in any order.
///
/// # Panics
/// If it holds nothing of what is tried.
fn pack_samples(text: &str) -> Vec<PackedSample> {
    let format = format(text, 2);
    let mut out = Vec::new();
    for [m, n] in [[1, 1], [4, 4], [3, 7], [9, 5], [40, 70]] {
        for at in patterns(m) {
            let value = |p: usize| if at(p / n, p % n) { 1.0 + (p % 9) as f64 } else { 0.0 };
            let dense: Vec<f64> = (0..m * n).map(value).collect();
            let stored = dense.iter().enumerate().filter(|(_, v)| **v != 0.0);
            let entries: Vec<_> = stored.map(|(p, v)| (vec![p / n, p % n], Scalar::F64(*v))).collect();
            if let Ok(tensor) = Tensor::pack(&[m, n], &entries, &format) {
                out.push(PackedSample { tensor, shape: [m, n], entries, dense });
            }
        }
    }
    assert!(out.iter().filter(|p| !p.entries.is_empty()).count() >= 5, "{text} holds next to nothing");
    out
}

fn values(t: &Tensor) -> Vec<f64> {
    let all = t.to_dense_scalars().unwrap_or_else(|e| panic!("{e}"));
    all.into_iter().map(|v| v.as_f64()).collect()
}

fn session(kind: BackendKind) -> Session {
    Session::new(kind).unwrap_or_else(|e| panic!("{e}"))
}

/// The interpreter and machine code, where there is any.
fn sessions() -> Vec<Session> {
    let mut all = vec![session(BackendKind::Interp)];
    all.extend(Session::new(BackendKind::Clif));
    all
}

/// Sessions that take operands as they are stored, as long as kernels can be built.
fn as_stored() -> Vec<Session> {
    sessions().into_iter().map(Session::comparing_never).collect()
}

fn format(text: &str, rank: usize) -> Format {
    Format::parse(text, rank).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn pack(shape: &[usize], entries: &[(Vec<usize>, Scalar)], text: &str) -> Tensor {
    Tensor::pack(shape, entries, &format(text, shape.len())).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Declarations of tensors of floats, each with its format and rank.
fn decls<const N: usize>(of: [(&str, &str, usize); N]) -> Decls {
    let mut out = Decls::default();
    for (name, text, rank) in of {
        let decl = Decl { dtype: Some(DType::F64), format: Some(format(text, rank)), ..Decl::default() };
        out.tensors.insert(name.into(), decl);
    }
    out
}

fn compile_statement(session: &Session, statement: &str, decls: &Decls) -> Kernel {
    session.compile(statement, decls).unwrap_or_else(|e| panic!("{statement}: {e}"))
}

fn ran(kernel: &Kernel, given: &[(&str, &Tensor)]) -> Tensor {
    let out: Result<Tensor> = kernel.run(given).map(|o| o.tensor);
    out.unwrap_or_else(|e| panic!("{e}\n{}", kernel.stages().loops_text()))
}

/// Whether `t` is a valid tensor that holds the same as what its storage packs; of a format that has one way to store it,
/// with the same arrays.
fn is_as_packed(t: &Tensor, p: &PackedSample, one_way: bool, what: &str) {
    let parts = t.clone().into_parts();
    let checked = Tensor::new_checked(parts.shape, parts.format, parts.fill, parts.levels, parts.vals);
    assert!(checked.is_ok(), "{what}: {checked:?}");
    assert_eq!(values(t), p.dense, "{what}");
    if one_way && t.format() == p.tensor.format() {
        assert_eq!(t.levels(), p.tensor.levels(), "{what}: other arrays");
    }
}

/// Whether equal data makes equal arrays: coordinates are in order, elements are not numbered as they come, and no value
/// is kept that need not be.
fn has_one_way(format: &Format) -> bool {
    let numbered = format.remap.as_ref().is_some_and(|r| r.counts());
    !numbered && format.levels.iter().all(|l| l.is_ordered() && !l.leaves_slots())
}

/// The declaration says of the code what there is, and of assembly what it needs.
pub fn declares_what_it_does(spec: &'static LevelSpec, formats: &[&str]) {
    let registry = Registry::default();
    let Some(level) = registry.get(spec) else { panic!("`{}` is not registered", spec.name) };
    assert_eq!(level.spec(), spec);
    assert!(level.iterate().is_some(), "every level is iterated");
    let appends = level.append().is_some() || level.locate().is_some();
    assert_eq!(spec.assembly.appends, appends, "appending");
    assert_eq!(spec.assembly.insert.is_some(), level.insert().is_some(), "inserting");
    for text in formats {
        assert!(format(text, 2).levels.iter().any(|l| l.spec == spec), "{text} has no `{}`", spec.name);
    }
}

/// What is packed is valid, is what was given, and comes back from another format as it was.
pub fn holds_what_is_packed(_: &'static LevelSpec, formats: &[&str]) {
    for text in formats {
        for p in pack_samples(text) {
            is_as_packed(&p.tensor, &p, true, text);
            let there = pack(&p.shape, &p.entries, "coo");
            let back = crate::convert(Session::global(), &there, p.tensor.format());
            let back = back.unwrap_or_else(|e| panic!("{text}: {e}"));
            is_as_packed(&back.tensor, &p, has_one_way(p.tensor.format()), text);
        }
    }
}

/// Kernels iterate it as it is stored.
pub fn is_iterated(_: &'static LevelSpec, formats: &[&str]) {
    for (text, session) in formats.iter().flat_map(|f| as_stored().into_iter().map(move |s| (f, s))) {
        let all = decls([("A", text, 2), ("x", "dense", 1), ("y", "dense", 1)]);
        let kernel = compile_statement(&session, "y(i) = A(i,j) * x(j)", &all);
        assert!(kernel.stages().conversions().next().is_none(), "{text} is converted to be iterated");
        for p in pack_samples(text) {
            let [m, n] = p.shape;
            let x: Vec<f64> = (0..n).map(|j| (j % 7) as f64 - 3.0).collect();
            let want: Vec<f64> = (0..m).map(|i| (0..n).map(|j| p.dense[i * n + j] * x[j]).sum()).collect();
            let x = Tensor::from_vec(&[n], x).unwrap_or_else(|e| panic!("{e}"));
            let y = ran(&kernel, &[("A", &p.tensor), ("x", &x)]);
            assert_eq!(values(&y), want, "{text}, {:?}", p.shape);
        }
    }
}

/// It is merged with others, and coordinates are found in it.
pub fn is_merged_and_located(_: &'static LevelSpec, formats: &[&str]) {
    let cases = [("*", "coo"), ("*", "dense"), ("+", "csr"), ("-", "csc"), ("*", "bitmap")];
    for (text, session) in formats.iter().flat_map(|f| as_stored().into_iter().map(move |s| (f, s))) {
        for (op, other) in cases {
            let all = decls([("A", text, 2), ("B", other, 2), ("C", "dense", 2)]);
            let kernel = compile_statement(&session, &format!("C(i,j) = B(i,j) {op} A(i,j)"), &all);
            // Dense tensors may be turned so that loops run in vectors.
            let turned = |c: &Conversion| c.from.is_dense() && c.format.is_dense();
            let as_stored = kernel.stages().conversions().all(turned);
            assert!(
                as_stored || !format(other, 2).is_dense(),
                "{text} is converted though coordinates are found in the other"
            );
            for p in pack_samples(text) {
                let n = p.shape[1];
                let entries: Vec<_> = (0..p.dense.len())
                    .filter(|p| p % 3 != 1)
                    .map(|p| (vec![p / n, p % n], Scalar::F64((p % 5) as f64 + 1.0)))
                    .collect();
                let b = pack(&p.shape, &entries, other);
                let apply = |(b, a): (f64, &f64)| match op {
                    "*" => b * a,
                    "+" => b + a,
                    _ => b - a,
                };
                let want: Vec<f64> = values(&b).into_iter().zip(&p.dense).map(apply).collect();
                let c = ran(&kernel, &[("A", &p.tensor), ("B", &b)]);
                assert_eq!(values(&c), want, "{other} {op} {text}, {:?}", p.shape);
            }
        }
        let all = decls([("A", text, 2), ("B", text, 2), ("D", text, 2), ("C", "dense", 2)]);
        let kernel = compile_statement(&session, "C(i,j) = A(i,j) + B(i,j) + D(i,j)", &all);
        let data = pack_samples(text);
        for (n, a) in data.iter().enumerate() {
            let others: Vec<&PackedSample> =
                data[n..].iter().filter(|b| b.shape == a.shape).take(3).collect();
            for (b, d) in others.iter().flat_map(|b| others.iter().map(move |d| (b, d))) {
                let c = ran(&kernel, &[("A", &a.tensor), ("B", &b.tensor), ("D", &d.tensor)]);
                let sum = (0..a.dense.len()).map(|p| a.dense[p] + b.dense[p] + d.dense[p]);
                assert_eq!(values(&c), sum.collect::<Vec<_>>(), "three of {text}, {:?}", a.shape);
            }
        }
    }
}

/// Runs `R(i,j) = S(i,j)` into each format from each source, and tells for how many of the formats a kernel assembled it
/// by itself in the way that is looked for.
fn count_assembled(formats: &[&str], sources: &[&str], looked_for: impl Fn(&Stages) -> bool) -> usize {
    let mut itself = vec![false; formats.len()];
    for (n, text) in formats.iter().enumerate() {
        let data = pack_samples(text);
        for (source, session) in sources.iter().flat_map(|f| sessions().into_iter().map(move |s| (f, s))) {
            let kernel =
                compile_statement(&session, "R(i,j) = S(i,j)", &decls([("R", text, 2), ("S", source, 2)]));
            for p in &data {
                let s = pack(&p.shape, &p.entries, source);
                let what = format!("{text} from {source}, {:?}", p.shape);
                if p.dense.len() > 1 && !itself[n] {
                    let stages = crate::conversion_stages(&session, &s, p.tensor.format());
                    let stages = stages.unwrap_or_else(|e| panic!("{what}: {e}"));
                    itself[n] = stages.finish().is_none() && looked_for(&stages);
                }
                is_as_packed(&ran(&kernel, &[("S", &s)]), p, has_one_way(p.tensor.format()), &what);
            }
        }
    }
    itself.into_iter().filter(|found| *found).count()
}

/// Whether the kernel appends.
fn in_order(stages: &Stages) -> bool {
    matches!(stages.plan.program.assembly, AssemblyMode::InOrder)
}

/// A level that is appended to makes what its storage packs, and a kernel does it in some format.
pub fn is_appended_to(spec: &'static LevelSpec, formats: &[&str]) {
    let found = count_assembled(formats, &["csr", "csc", "dense"], in_order);
    assert!(!spec.assembly.appends || found > 0, "no kernel appends to `{}`", spec.name);
}

/// A level that is inserted into makes what its storage packs, and a kernel does it in some format.
pub fn is_inserted_into(spec: &'static LevelSpec, formats: &[&str]) {
    let found = count_assembled(formats, &["csr", "csc", "coo", "dok"], |stages| !in_order(stages));
    assert!(spec.assembly.insert.is_none() || found > 0, "no kernel inserts into `{}`", spec.name);
}

/// Kernels in pieces on several threads make the same of it, as an operand and as a result.
pub fn is_partitioned(_: &'static LevelSpec, formats: &[&str]) {
    for (text, session) in formats.iter().flat_map(|f| sessions().into_iter().map(move |s| (f, s))) {
        let all = decls([("A", text, 2), ("y", "dense", 1), ("R", text, 2), ("S", "csr", 2)]);
        let mut sums = compile_statement(&session, "y(i) = A(i,j) * A(i,j)", &all);
        let mut copies = compile_statement(&session, "R(i,j) = S(i,j)", &all);
        for p in pack_samples(text) {
            let s = pack(&p.shape, &p.entries, "csr");
            let rows = p.dense.chunks(p.shape[1].max(1));
            let want: Vec<f64> = rows.map(|row| row.iter().map(|v| v * v).sum()).collect();
            for (chunks, threads) in [(1, 1), (3, 2), (16, 3)] {
                sums = sums.with_chunks(chunks).with_threads(threads);
                copies = copies.with_chunks(chunks).with_threads(threads);
                let what = format!("{text}, {:?} in {chunks} chunks", p.shape);
                assert_eq!(values(&ran(&sums, &[("A", &p.tensor)])), want, "{what}");
                is_as_packed(&ran(&copies, &[("S", &s)]), &p, has_one_way(p.tensor.format()), &what);
            }
        }
    }
}
