//! Every composition of levels under many remappings, on small tensors, against dense arrays, on the interpreter that checks
//! every access.
//!
//! A format either refuses a tensor by name or holds it, and what it holds is what every statement reads. By default a sample
//! runs; `OPENWORK_CASES=all` runs everything that is enumerated here.

use openwork::{BackendKind, DType, Decl, Decls, Format, Scalar, Session, Tensor};
use openwork_base::Source;
use openwork_filetests::differential::budget;
use openwork_format::Catalog;
use openwork_storage::{Coo, pack};
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stored coordinates of vectors and matrices.
const REMAPS: [(usize, &str); 40] = [
    (1, "i/2, i"),
    (1, "i%2, i"),
    (1, "i/2, i%2, i"),
    (1, "2*i, i"),
    (1, "i-1, i"),
    (1, "#, i"),
    (2, "j-i, i, j"),
    (2, "j-i, j, i"),
    (2, "i+j, i, j"),
    (2, "i+j, j, i"),
    (2, "i-j, j, i"),
    (2, "2*i+j, i, j"),
    (2, "2*i+j, j, i"),
    (2, "i-2*j, i, j"),
    (2, "i, i+j, j"),
    (2, "i, j-i, j"),
    (2, "j, j+i, i"),
    (2, "j, i-j, i"),
    (2, "i/2, i, j"),
    (2, "i/2, j, i"),
    (2, "j, i/2, i"),
    (2, "j/2, i, j"),
    (2, "i%2, i, j"),
    (2, "i%2, j, i"),
    (2, "i, j%2, j"),
    (2, "i/2, i%2, j, i"),
    (2, "i/2, j, i%2, i"),
    (2, "i-1, i/2, i%2, j"),
    (2, "#i, i, j"),
    (2, "#j, j, i"),
    (2, "#, i, j"),
    (2, "i, #i, j"),
    (2, "i^j, i, j"),
    (2, "i&j, i, j"),
    (2, "5, i, j"),
    (2, "i*j, i, j"),
    (2, "i-1, j/2, i%2, j%2, i, j"),
    (2, "i/2, j/2, i%2, j%2, i, j"),
    (2, "i/2, j, i%2, j%2, i"),
    (2, "i/2, #i, i%2, i, j"),
];

const LEVELS: [&str; 24] = [
    "dense",
    "compressed",
    "compressed(nonunique)",
    "compressed(unordered)",
    "singleton",
    "singleton(padded)",
    "singleton(nonunique)",
    "masked",
    "bitmap",
    "sliced",
    "squeezed",
    "range",
    "offset",
    "block",
    "ragged",
    "hashed",
    "hashed(nonunique)",
    "compressed_aos(nonunique)",
    "singleton_aos",
    "list",
    "runs",
    "banded",
    "skyline",
    "upper",
];

/// Shapes, and the values of small matrices on them; 0 is not stored.
const MATRICES: [([usize; 2], &[i64]); 7] = [
    ([1, 3], &[1, 4, 8]),
    ([3, 1], &[1, 2, 4]),
    ([2, 2], &[0, 3, 5, 0]),
    ([3, 3], &[1, 2, 3, 0, 4, 0, 5, 0, 6]),
    ([3, 4], &[0, 0, 7, 1, 0, 0, 0, 0, 2, 0, 0, 3]),
    ([2, 3], &[0, 0, 0, 0, 0, 0]),
    ([0, 2], &[]),
];

/// The combination of levels number `n` for so many coordinates.
fn levels(mut n: usize, depth: usize) -> Vec<&'static str> {
    (0..depth).map(|_| (LEVELS[n % LEVELS.len()], n /= LEVELS.len()).0).collect()
}

/// A format that parses, as text.
fn format(remap: usize, n: usize) -> Option<(usize, String)> {
    let (rank, coords) = REMAPS[remap];
    let depth = coords.split(", ").count();
    let modes = if rank == 1 { "i" } else { "i,j" };
    let text = format!("({modes}) -> ({coords}) : {}", levels(n, depth).join(", "));
    let read = Catalog::default().parse(&Source::new("format", text.as_str()), rank);
    read.is_ok().then_some((rank, text))
}

#[derive(Default)]
struct Tally {
    formats: usize,
    tensors: usize,
    statements: usize,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// A matrix, or its rows one after the other as a vector.
struct Dense {
    shape: Vec<usize>,
    values: Vec<i64>,
}

impl Dense {
    fn from_values(rank: usize, shape: [usize; 2], values: &[i64]) -> Dense {
        let shape = if rank == 1 { vec![shape[0] * shape[1]] } else { shape.to_vec() };
        Dense { shape, values: values.to_vec() }
    }
    fn tensor(&self, format: &Format) -> openwork::Result<Tensor> {
        let at = |n: usize| match self.shape[..] {
            [_, cols] => vec![n / cols, n % cols],
            _ => vec![n],
        };
        let stored = self.values.iter().enumerate().filter(|(_, v)| **v != 0);
        let entries: Vec<(Vec<usize>, Scalar)> =
            stored.map(|(n, v)| (at(n), Scalar::F64(*v as f64))).collect();
        pack(&Coo::from_entries(&self.shape, DType::F64, &entries)?, format, Scalar::F64(0.0))
    }
}

fn numbers(t: &Tensor) -> Vec<f64> {
    t.to_dense_scalars().expect("small").iter().map(|v| v.as_f64()).collect()
}

fn declare_tensor(t: &Tensor) -> Decl {
    Decl {
        dtype: Some(t.dtype()),
        format: Some(t.format().clone()),
        shape: None,
        stored: None,
        elements: None,
    }
}

/// The statements over a tensor, its dense form and a vector of twos.
fn statements(rank: usize, a: &Dense) -> Vec<(&'static str, &'static str, Vec<f64>)> {
    let dense: Vec<f64> = a.values.iter().map(|&v| v as f64).collect();
    if rank == 1 {
        let doubled = dense.iter().map(|v| 2.0 * v).collect();
        return vec![
            ("y(i) = A(i)", "dense", dense.clone()),
            ("y(i) = A(i)", "sv", dense.clone()),
            ("y(i) = A(i) + B(i)", "dense", doubled),
            ("y = A(i) * x(i)", "dense", vec![dense.iter().map(|v| 2.0 * v).sum()]),
        ];
    }
    let [rows, cols] = [a.shape[0], a.shape[1]];
    let sums = (0..rows).map(|i| dense[i * cols..(i + 1) * cols].iter().map(|v| 2.0 * v).sum()).collect();
    let shifted = dense.iter().map(|v| v + 1.0).collect();
    vec![
        ("y(i,j) = A(i,j)", "dense", dense.clone()),
        ("y(i,j) = A(i,j)", "csr", dense.clone()),
        ("y(i) = A(i,j) * x(j)", "dense", sums),
        ("y(i,j) = A(i,j) + B(i,j)", "csr", dense.iter().map(|v| 2.0 * v).collect()),
        ("y(i,j) = A(i,j) + 1", "dense", shifted),
    ]
}

fn refusal(e: &openwork::Error, tally: &Mutex<Tally>, what: &str) {
    let code = e.code().0;
    let mut tally = tally.lock().expect("counting does not panic");
    if code == "E9999" || code == "E0402" {
        tally.wrong.push(format!("{what}: {e}"));
    } else {
        *tally.refused.entry(code.into()).or_default() += 1;
    }
}

/// The tensor in its format, what storage reads from it, and what kernels read and make.
fn holds(session: &Session, text: &str, rank: usize, a: &Dense, tally: &Mutex<Tally>) {
    let source = Source::new("format", text);
    let format = Catalog::default().parse(&source, rank).expect("it parsed before");
    let what = format!("{text} on {:?} {:?}", a.shape, a.values);
    let wrong = |found: String| tally.lock().expect("counting does not panic").wrong.push(found);
    let dense: Vec<f64> = a.values.iter().map(|&v| v as f64).collect();
    let plain = if rank == 1 { "sv" } else { "csr" };
    let csr = Catalog::default().parse(&Source::new("format", plain), rank).expect("a preset");
    let from = a.tensor(&csr).expect("any tensor");
    // Made by a kernel, where one can; it may refuse more than packing does, and never less.
    let converted = convert(session, &from, &format);
    let packed = match a.tensor(&format) {
        Ok(t) => t,
        Err(e) => {
            refusal(&e, tally, &what);
            if let Ok(t) = &converted {
                wrong(format!("{what}: converted, though packing refuses it: {e}\n{t:?}"));
            }
            return;
        }
    };
    tally.lock().expect("counting does not panic").tensors += 1;
    match &converted {
        Err(e) => refusal(e, tally, &format!("{what}: conversion")),
        Ok(t) if numbers(t) != dense => wrong(format!("{what}: converted to {:?}", numbers(t))),
        Ok(_) => {}
    }
    if numbers(&packed) != dense {
        wrong(format!("{what}: unpacked as {:?}", numbers(&packed)));
    }
    for t in std::iter::once(&packed).chain(converted.as_ref().ok()) {
        let p = t.clone().into_parts();
        if let Err(e) = Tensor::new_checked(p.shape, p.format, p.fill, p.levels, p.vals) {
            wrong(format!("{what}: no valid tensor: {e}"));
            return;
        }
    }
    for (text, result, wanted) in statements(rank, a) {
        match run(session, text, result, &packed, &from, a) {
            Ok(got) if got == wanted => tally.lock().expect("counting does not panic").statements += 1,
            Ok(got) => wrong(format!("{what}: {text} in {result} is {got:?} instead of {wanted:?}")),
            Err(e) => refusal(&e, tally, &format!("{what}: {text} in {result}")),
        }
    }
}

/// The tensor in another format by a copy statement, so that the interpreter makes it.
fn convert(session: &Session, from: &Tensor, format: &Format) -> openwork::Result<Tensor> {
    let mut decls = Decls::default();
    decls.tensors.insert("A".into(), declare_tensor(from));
    let to = Decl { format: Some(format.resolve(from.shape())), ..Decl::default() };
    decls.tensors.insert("B".into(), to);
    let text = if from.rank() == 1 { "B(i) = A(i)" } else { "B(i,j) = A(i,j)" };
    Ok(session.compile(text, &decls)?.run(&[("A", from)])?.tensor)
}

fn run(
    session: &Session,
    text: &str,
    result: &str,
    a: &Tensor,
    b: &Tensor,
    dense: &Dense,
) -> openwork::Result<Vec<f64>> {
    use openwork::TensorExt;
    let size = dense.shape[dense.shape.len() - 1];
    let x = Tensor::from_vec(&[size], vec![2.0; size])?;
    let mut decls = Decls::default();
    for (name, t) in [("A", a), ("B", b), ("x", &x)] {
        decls.tensors.insert(name.into(), declare_tensor(t));
    }
    let rank = openwork_index::notation::parse(&Source::new("statement", text))?.lhs.indices.len();
    let format = Catalog::default().parse(&Source::new("format", result), rank)?;
    decls.tensors.insert("y".into(), Decl { format: Some(format), ..Decl::default() });
    let kernel = session.compile(text, &decls)?;
    Ok(numbers(&kernel.run(&[("A", a), ("B", b), ("x", &x)])?.tensor))
}

/// The most formats that are shown with something wrong.
const SHOWN: usize = 40;
/// Formats without `OPENWORK_CASES`.
const SAMPLE: usize = 1500;

#[test]
fn every_format_refuses_a_tensor_or_holds_it() {
    let asked = std::env::var("OPENWORK_CASES").unwrap_or_default();
    let all: usize = REMAPS.iter().map(|(_, c)| LEVELS.len().pow(c.split(", ").count().min(4) as u32)).sum();
    let wanted = if asked == "all" { usize::MAX } else { budget(SAMPLE).count().max(SAMPLE) };
    let session = Session::new(BackendKind::Interp).expect("the interpreter is always available");
    let (tally, next) = (Mutex::new(Tally::default()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let enough = tally.lock().expect("counting does not panic").formats >= wanted;
                    if n >= all || enough {
                        return;
                    }
                    // A permutation of all numbers, so that a sample is spread over everything.
                    let at = if wanted == usize::MAX { n } else { (n * 7_368_787) % all };
                    one(&session, at, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("counting does not panic");
    let mut err = std::io::stderr();
    let _ = writeln!(
        err,
        "{} formats, {} tensors, {} statements, refused {:?}, wrong {}",
        tally.formats,
        tally.tensors,
        tally.statements,
        tally.refused,
        tally.wrong.len()
    );
    let mut shown: Vec<&str> = Vec::new();
    for w in &tally.wrong {
        let format = w.split(" on ").next().unwrap_or("");
        if shown.len() < SHOWN && !shown.contains(&format) {
            shown.push(format);
            let _ = writeln!(err, "{}", w.lines().take(3).collect::<Vec<_>>().join("\n  "));
        }
    }
    assert!(tally.wrong.is_empty(), "{} wrong, see above", tally.wrong.len());
}

/// Format number `at` of all, on every matrix.
fn one(session: &Session, mut at: usize, tally: &Mutex<Tally>) {
    for (remap, (_, coords)) in REMAPS.iter().enumerate() {
        let depth = coords.split(", ").count();
        let count = LEVELS.len().pow(depth.min(4) as u32);
        if at >= count {
            at -= count;
            continue;
        }
        // Of six coordinates, the last two follow from those above.
        let number = if depth <= 4 { at } else { at + LEVELS.len().pow(4) * usize::from(depth > 4) };
        let Some((rank, text)) = (if depth > 4 { block_format(remap, at) } else { format(remap, number) })
        else {
            return;
        };
        tally.lock().expect("counting does not panic").formats += 1;
        session.cache().clear();
        for (shape, values) in MATRICES {
            let a = Dense::from_values(rank, shape, values);
            let done = catch_unwind(AssertUnwindSafe(|| holds(session, &text, rank, &a, tally)));
            if done.is_err() {
                let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
                tally.wrong.push(format!("{text} on {:?}: panic", a.shape));
            }
        }
        return;
    }
}

/// Formats of more than four coordinates, whose last ones are blocks.
fn block_format(remap: usize, n: usize) -> Option<(usize, String)> {
    let (rank, coords) = REMAPS[remap];
    let depth = coords.split(", ").count();
    let mut all = levels(n, 4);
    while all.len() < depth {
        all.push("block");
    }
    let modes = if rank == 1 { "i" } else { "i,j" };
    let text = format!("({modes}) -> ({coords}) : {}", all.join(", "));
    let read = Catalog::default().parse(&Source::new("format", text.as_str()), rank);
    read.is_ok().then_some((rank, text))
}
