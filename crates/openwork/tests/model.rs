//! The cost model beside what the interpreter counts: rounds of loops, on random operands, in every preset.

use openwork::presets::PRESETS;
use openwork::{
    BackendKind, Decl, Format, FormatExt, Result, Scalar, Session, Tensor, TensorExt, declare_operands,
};
use openwork_backend::{Backend, Compiled, InterpBackend, Target};
use openwork_loops::interp::Counts;
use openwork_loops::{BlockLength, LoopKernel};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An estimate may be off by this factor, either way.
const FACTOR: f64 = 5.0;

/// The interpreter without vectors, so that a round is one coordinate.
struct Stepping(InterpBackend);

impl Backend for Stepping {
    fn name(&self) -> &'static str {
        "interp"
    }
    fn identity(&self) -> String {
        self.0.identity()
    }
    fn target(&self) -> Target {
        Target { vector_bytes: 0, accumulators: 1, wide: None, blocks: BlockLength::default(), fuses: true }
    }
    fn compile(&self, kernel: &LoopKernel) -> Result<Box<dyn Compiled>> {
        self.0.compile(kernel)
    }
    fn listing(&self, kernel: &LoopKernel) -> Result<String> {
        self.0.listing(kernel)
    }
}

/// The rounds of a statement's loops, as they are estimated and as they are counted.
fn rounds(statement: &str, given: &[(&str, &Tensor)], result: &str, rank: usize) -> Result<(f64, f64)> {
    let counts = Arc::new(Mutex::new(Counts::default()));
    let backend = Arc::new(Stepping(InterpBackend::new().with_counts(counts.clone())));
    let session = Session::with_backend(BackendKind::Interp, backend).with_threads(1);
    let mut decls = declare_operands(given);
    let format = Some(Format::parse(result, rank)?);
    decls.tensors.insert("R".into(), Decl { format, ..Decl::default() });
    let kernel = session.compile(statement, &decls)?;
    let estimated = kernel.stages().explain().cost.rounds;
    kernel.run(given)?;
    let counted = counts.lock().unwrap_or_else(PoisonError::into_inner).rounds as f64;
    Ok((estimated, counted))
}

/// A tensor of random elements; of a triangle, of a symmetric matrix where the format is one for these.
fn tensor(shape: &[usize], elements: usize, seed: u64, format: &Format) -> Result<Tensor> {
    let mut state = seed;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let name = format.to_string();
    let mut entries = BTreeMap::new();
    while entries.len() < elements {
        let mut at: Vec<usize> = shape.iter().map(|&n| next(n)).collect();
        match &*name {
            "lower" | "sym" => at.sort_by(|a, b| b.cmp(a)),
            "upper" => at.sort(),
            _ => {}
        }
        let value = Scalar::F64(entries.len() as f64 + 1.0);
        if name == "sym" {
            entries.insert(at.iter().rev().copied().collect(), value);
        }
        entries.insert(at, value);
    }
    Tensor::pack(shape, &entries.into_iter().collect::<Vec<_>>(), format)
}

/// An operand: its name, its format, its shape, and how many elements it has if it is not dense.
type Operand<'a> = (&'a str, &'a str, &'a [usize], usize);

/// Compares the rounds of a statement over random operands.
fn check(statement: &str, operands: &[Operand], result: &str, rank: usize) {
    let make = |(n, (_, format, shape, elements)): (usize, &Operand)| {
        let format = Format::parse(format, shape.len()).unwrap();
        if format.is_dense() {
            return Tensor::from_vec(shape, vec![1.0; shape.iter().product()]).unwrap();
        }
        tensor(shape, *elements, n as u64 + 7, &format).unwrap()
    };
    let tensors: Vec<Tensor> = operands.iter().enumerate().map(make).collect();
    let given: Vec<(&str, &Tensor)> = operands.iter().map(|(name, ..)| *name).zip(&tensors).collect();
    let (estimated, counted) =
        rounds(statement, &given, result, rank).unwrap_or_else(|e| panic!("{statement}: {e}"));
    let stored: Vec<String> = operands.iter().map(|(_, f, _, n)| format!("{f} ({n})")).collect();
    assert!(
        (1.0 / FACTOR..FACTOR).contains(&(estimated / counted)),
        "{statement} over {}: {counted} rounds, {estimated:.0} by the estimate",
        stored.join(" and ")
    );
}

#[test]
fn products_with_vectors_are_estimated_in_every_preset() {
    let statements =
        [(4000, "R = A(i) * x(i)"), (300, "R(i) = A(i,j) * x(j)"), (40, "R(i,j) = A(i,j,k) * x(k)")];
    for (rank, (n, statement)) in (1..).zip(statements) {
        let shape = vec![n; rank];
        for p in PRESETS.iter().filter(|p| p.rank.is_none_or(|r| r == rank)) {
            // Of a bitmap, the number of slots says nothing of the elements.
            for elements in [900, 2000] {
                let operands = [("A", p.name, &shape[..], elements), ("x", "dense", &[n], n)];
                check(statement, &operands, "dense", rank - 1);
            }
        }
    }
}

const SUM: &str = "R(i,j) = A(i,j) + B(i,j)";
const BOTH: &str = "R(i,j) = A(i,j) * B(i,j)";
const PRODUCT: &str = "R(i,k) = A(i,j) * B(j,k)";

#[test]
fn merges_and_products_are_estimated() {
    let square = [300, 300];
    let pairs = |a, b, result, statements: &[&str]| {
        for elements in [900, 6000] {
            let operands = [("A", a, &square[..], elements), ("B", b, &square[..], 2000)];
            statements.iter().for_each(|s| check(s, &operands, result, 2));
        }
    };
    for format in ["csr", "csc", "dcsr"] {
        pairs(format, format, format, &[SUM, BOTH, PRODUCT]);
    }
    pairs("coo", "coo", "dense", &[SUM, BOTH, PRODUCT]);
    pairs("csr", "bitmap", "dense", &[SUM, BOTH, PRODUCT]);
    pairs("hash", "csr", "dense", &[SUM, BOTH, PRODUCT]);
    pairs("csr", "dense", "csr", &[BOTH]);
}

#[test]
fn products_of_three_and_of_sparse_vectors_are_estimated() {
    let (square, tall) = ([300, 300], [300, 8]);
    let sampled = [("A", "csr", &square[..], 3000), ("X", "dense", &tall, 0), ("Y", "dense", &tall, 0)];
    check("R(i,j) = A(i,j) * X(i,k) * Y(j,k)", &sampled, "csr", 2);
    for format in ["csr", "csc"] {
        let operands = [("A", format, &square[..], 3000), ("x", "sv", &[300], 30)];
        check("R(i) = A(i,j) * x(j)", &operands, "dense", 1);
    }
    for format in ["csf", "coo"] {
        let operands = [
            ("A", format, &[40, 50, 60][..], 3000),
            ("B", "dense", &[50, 8], 0),
            ("C", "dense", &[60, 8], 0),
        ];
        check("R(i,r) = A(i,j,k) * B(j,r) * C(k,r)", &operands, "dense", 2);
    }
}
