//! Every array that a plan asks for is refused, alone and with all that follow: the run ends with a named error or does
//! without it, everything that was made is given back, and the next run makes what it should.
//!
//! One test in a process of its own: the arrays of all threads are counted.

use openwork::{
    BackendKind, DType, Decl, Decls, Format, FormatExt, Operand, Results, Sequence, Session, Tensor,
    TensorExt,
};
use openwork_storage::memory;

/// Statements, and the formats of their operands and of results that are not left to the planner.
const PLANS: &[(&str, &[(&str, &str)])] = &[
    // Kernels that run together: slices and a scalar that is combined.
    ("y(i) = A(i,j) * x(j); s = y(i) * y(i); z(i) = y(i) + x(i)", &[("A", "csr")]),
    // A conversion before a kernel, a result that another statement reads, sparse results of several pieces.
    (
        "C(i,j) = A(i,j) + A(j,i); D(i,k) = C(i,j) * B(j,k); m = max(i, max(j, D(i,j)))",
        &[("A", "csr"), ("B", "csr")],
    ),
    // Results in place of what dies: a sum of columns, what few elements change, steps of an iteration.
    ("x(j) += A(i,j) * w(i); s = x(i) * x(i); x(i) = x(i) / (1 + s) + w(i)", &[("A", "csr")]),
    ("x(i) min= r(i); y(i) = 2 * x(i); x(i) = max(y(i), w(i))", &[("r", "sv")]),
    // Elements placed out of order, then read.
    ("T(i,j) = A(j,i); y(i) = T(i,j) * x(j)", &[("A", "csr"), ("T", "csr")]),
    // A result that is converted afterwards, a table that grows.
    ("H(i,j) = A(i,j) * x(j); y(j) = H(i,j) * x(i)", &[("A", "coo"), ("H", "dok")]),
    // Copies of the result that are combined, a diagonal, an operand in runs.
    ("y(j) = A(i,j) * x(i); d(i) = A(i,i) * r(i)", &[("A", "csr"), ("r", "rle")]),
    // What is looked at: operands of a division, NaN where an annihilator decides.
    ("Q(i,j) = A(i,j) / x(j); y(i) = Q(i,j) * w(j)", &[("A", "csr")]),
    // A masked product: slots of the mask's rows, marks, and what is kept of them.
    ("C(i,k) = M(i,k) * A(i,j) * B(j,k)", &[("A", "csr"), ("B", "csr"), ("M", "csr"), ("C", "csr")]),
    // One kernel for slices and a scalar; for two results that are appended.
    ("s(i) = A(i,j); v = A(i,j) * A(i,j)", &[("A", "csr")]),
    ("Q(i,j) = A(i,j) * x(i); R(i,j) = A(i,j) * w(i)", &[("A", "csr"), ("Q", "dcsr"), ("R", "dcsr")]),
    // The same in a list: two statements read it, and it is given back.
    (
        "C(i,k) = M(i,k) * A(i,j) * B(j,k); y(i) = C(i,j) * x(j); z(j) = C(i,j) * w(i); s = y(i) * z(i)",
        &[("A", "csr"), ("B", "csr"), ("M", "csr"), ("C", "csr")],
    ),
];

const N: usize = 60;

fn operand(name: &str, format: Option<&str>) -> Tensor {
    let matrix = name.chars().all(char::is_uppercase);
    let value = |k: usize| {
        let mixed = (k * 7919 + name.len() * 31) % 1000;
        match (matrix, mixed < 80) {
            (true, false) => 0.0,
            (_, _) if name == "w" && mixed == 500 => f64::INFINITY,
            (_, _) if name == "x" && k == 3 => 0.0,
            _ => (mixed % 13) as f64 - 6.0,
        }
    };
    let shape = if matrix { vec![N, N] } else { vec![N] };
    let t = Tensor::from_vec(&shape, (0..shape.iter().product()).map(value).collect()).unwrap();
    format.map_or(t.clone(), |f| t.to_format(&Format::parse(f, shape.len()).unwrap()).unwrap())
}

/// Whether some kernel fills slots of a mask's rows.
fn is_masked(sequence: &Sequence) -> bool {
    let explained = sequence.kernels().iter().map(|k| k.stages().explain());
    explained.flat_map(|e| e.tensors).any(|(_, stored, _)| stored.contains("where the result may have"))
}

fn bits(sequence: &Sequence, given: &[(&str, &Tensor)]) -> Option<Vec<Vec<u8>>> {
    let made = match sequence.run(given) {
        Ok(made) => made,
        Err(e) => {
            assert!(["E0603", "E0605"].contains(&e.code().0), "{e}");
            return None;
        }
    };
    Some(bits_of(made))
}
fn bits_of(made: Results) -> Vec<Vec<u8>> {
    let arrays = |t: &Tensor| -> Vec<Vec<u8>> {
        let levels = t.levels().iter().flat_map(|l| &l.arrays);
        levels.chain([t.vals()]).map(|b| b.as_bytes().to_vec()).collect()
    };
    made.into_tensors().iter().flat_map(|(_, t)| arrays(t)).collect()
}

/// Refuses every array of runs that are given all operands away, alone: they end with a named error or make what they should, and
/// nothing stays held. How many were refused.
fn refuse_while_taking(sequence: &Sequence, given: &[(&str, &Tensor)], wanted: &[Vec<u8>]) -> usize {
    let run = |numbers: std::ops::Range<u64>| {
        let taken: Vec<_> =
            given.iter().map(|(name, t)| (*name, Operand::Take(t.duplicate().unwrap()))).collect();
        memory::refuse_numbers(numbers);
        let made = sequence.run_taking(taken);
        let asked = memory::request_count();
        memory::refuse_numbers(0..0);
        match made {
            Ok(made) => assert_eq!(bits_of(made), wanted),
            Err(e) => {
                assert!(["E0603", "E0605"].contains(&e.code().0), "{e}");
                return (asked, true);
            }
        }
        (asked, false)
    };
    run(0..0);
    memory::give_back();
    let before = memory::held_bytes();
    let (asked, _) = run(0..0);
    let mut refused = 0;
    for n in 0..asked {
        memory::give_back();
        refused += usize::from(run(n..n + 1).1);
        memory::give_back();
        assert!(memory::held_bytes() <= before, "{n} of {asked} leaks");
    }
    refused
}

#[test]
fn every_array_is_refused_once_and_nothing_leaks() {
    let mut refused = 0;
    for kind in [BackendKind::Interp, BackendKind::Clif] {
        for (statements, formats) in PLANS {
            let format = |name: &str| formats.iter().find(|(n, _)| *n == name).map(|(_, f)| *f);
            let names = ["A", "B", "M", "x", "w", "r"]
                .into_iter()
                .filter(|name| statements.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name));
            let held: Vec<(&str, Tensor)> = names.map(|name| (name, operand(name, format(name)))).collect();
            let mut decls = Decls::default();
            for (name, f) in *formats {
                let format = Some(Format::parse(f, if *name == "r" { 1 } else { 2 }).unwrap());
                decls
                    .tensors
                    .insert((*name).into(), Decl { dtype: Some(DType::F64), format, ..Decl::default() });
            }
            for (name, t) in &held {
                let decl =
                    Decl { dtype: Some(DType::F64), format: Some(t.format().clone()), ..Decl::default() };
                decls.tensors.insert((*name).into(), decl);
            }
            for (chunks, threads) in [(1, 1), (3, 2)] {
                let session = Session::new(kind).unwrap();
                let sequence = session.sequence(statements, &decls, None).unwrap();
                let sequence = sequence.with_chunks(chunks).with_threads(threads);
                let given: Vec<(&str, &Tensor)> = held.iter().map(|(n, t)| (*n, t)).collect();
                let one = ["s(i) = A(i,j);", "R(i,j) ="].iter().any(|own| statements.contains(own));
                assert!(!one || sequence.joined_statements().count() == 1, "{statements}");
                assert_eq!(is_masked(&sequence), statements.contains("M(i,k)"), "{statements}");
                // Kernels that are only needed now and then are compiled, and operands kept that are stored otherwise.
                let warm: Vec<_> = (0..3).map(|_| bits(&sequence, &given)).collect();
                let wanted = warm[2].clone().expect("nothing is refused yet");
                memory::give_back();
                let before = memory::held_bytes();
                memory::refuse_numbers(0..0);
                assert_eq!(bits(&sequence, &given).as_ref(), Some(&wanted));
                let asked = memory::request_count();
                // One array alone, and all from there on: where there is no room for what may come, runs take what they need.
                for (n, end) in (0..asked).flat_map(|n| [(n, n + 1), (n, u64::MAX)]) {
                    memory::refuse_numbers(n..end);
                    let made = bits(&sequence, &given);
                    memory::refuse_numbers(0..0);
                    refused += usize::from(made.is_none());
                    assert!(made.is_none_or(|made| made == wanted), "{statements}: {n} of {asked}");
                    memory::give_back();
                    assert!(memory::held_bytes() <= before, "{statements}: {n} of {asked} leaks");
                    // Memory of recycled results, which the failed run took, is there again.
                    assert_eq!(bits(&sequence, &given).as_ref(), Some(&wanted), "{statements}, after {n}");
                    memory::give_back();
                    assert_eq!(memory::held_bytes(), before, "{statements}: {n} of {asked} leaks");
                }
                refused += refuse_while_taking(&sequence, &given, &wanted);
            }
        }
    }
    assert!(refused > 100, "only {refused} runs were refused an array that they need");
}
