//! The totality grid: every statement that people write over matrices and third-order tensors, with every operand and the
//! result in every plain format. No cell may be refused or wrong.
//!
//! Statements with more than two operands have thousands of cells; a part of them is tried, all of them with
//! `OPENWORK_CASES` of at least 20000.

use openwork::{BackendKind, DType, Scalar};
use openwork_base::Source;
use openwork_filetests::case::{Case, CaseOperand, Wanted};
use openwork_filetests::differential::{Verdict, budget, verdict};
use openwork_filetests::pipeline::CompilerPipeline;
use openwork_filetests::random::TestRandom;
use openwork_index::notation::parse;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;

const MATRIX: [&str; 7] = ["csr", "csc", "dcsr", "dcsc", "coo", "sd", "dense"];
const TENSOR: [&str; 10] =
    ["csf", "sss:0,2,1", "sss:1,0,2", "sss:1,2,0", "sss:2,0,1", "sss:2,1,0", "coo", "dss", "sds", "dense"];
const VECTOR: [&str; 2] = ["dense", "s"];

/// A statement, its operands with their variables, and the variables of its result.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

const ROWS: &[Row] = &[
    ("copy", "C(i,j) = A(i,j)", &[("A", "ij")], "ij"),
    ("transpose", "C(j,i) = A(i,j)", &[("A", "ij")], "ji"),
    ("scale", "C(i,j) = 2 * A(i,j)", &[("A", "ij")], "ij"),
    ("function", "C(i,j) = abs(A(i,j))", &[("A", "ij")], "ij"),
    ("function that fills", "C(i,j) = A(i,j) + 1", &[("A", "ij")], "ij"),
    ("row sums", "c(i) = A(i,j)", &[("A", "ij")], "i"),
    ("column sums", "c(j) = A(i,j)", &[("A", "ij")], "j"),
    ("sum", "c = A(i,j)", &[("A", "ij")], ""),
    ("diagonal", "c(i) = A(i,i)", &[("A", "ii")], "i"),
    ("plus transpose", "C(i,l) = A(i,l) + A(l,i)", &[("A", "il")], "il"),
    ("times itself", "C(i,l) = A(i,j) * A(j,l)", &[("A", "ii")], "il"),
    ("gram", "C(i,l) = A(j,i) * A(j,l)", &[("A", "ji")], "il"),
    ("add", "C(i,j) = A(i,j) + B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("subtract", "C(i,j) = A(i,j) - B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("multiply", "C(i,j) = A(i,j) * B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("matrix product", "C(i,k) = A(i,j) * B(j,k)", &[("A", "ij"), ("B", "jk")], "ik"),
    ("transposed product", "C(i,k) = A(j,i) * B(k,j)", &[("A", "ji"), ("B", "kj")], "ik"),
    ("update", "C(i,j) += A(i,j)", &[("A", "ij"), ("C", "ij")], "ij"),
    ("scaled columns", "C(i,j) = A(i,j) * x(j)", &[("A", "ij"), ("x", "j")], "ij"),
    ("matrix times vector", "c(i) = A(i,j) * x(j)", &[("A", "ij"), ("x", "j")], "i"),
    ("vector times matrix", "c(j) = A(i,j) * x(i)", &[("A", "ij"), ("x", "i")], "j"),
    ("outer product", "C(i,j) = x(i) * y(j)", &[("x", "i"), ("y", "j")], "ij"),
    ("sddmm", "C(i,k) = A(i,k) * B(i,j) * D(j,k)", &[("A", "ik"), ("B", "ij"), ("D", "jk")], "ik"),
    ("triple product", "C(i,l) = A(i,j) * B(j,k) * D(k,l)", &[("A", "ij"), ("B", "jk"), ("D", "kl")], "il"),
    ("sandwich", "C(i,l) = A(j,i) * d(j) * A(j,l)", &[("A", "ji"), ("d", "j")], "il"),
    ("products added", "C(i,k) = A(i,j) * B(j,k) + D(i,k)", &[("A", "ij"), ("B", "jk"), ("D", "ik")], "ik"),
    ("product accumulated", "C(i,k) += A(i,j) * B(j,k)", &[("A", "ij"), ("B", "jk"), ("C", "ik")], "ik"),
    ("product and bias", "C(i,k) = A(i,j) * B(j,k) + x(i)", &[("A", "ij"), ("B", "jk"), ("x", "i")], "ik"),
    ("residual", "C(i,k) = D(i,k) - A(i,j) * B(j,k)", &[("A", "ij"), ("B", "jk"), ("D", "ik")], "ik"),
    (
        "relu",
        "C(i,k) = max(0, sum(j, A(i,j) * B(j,k)) + x(i))",
        &[("A", "ij"), ("B", "jk"), ("x", "i")],
        "ik",
    ),
    (
        "products subtracted",
        "C(i,k) = A(i,j) * B(j,k) - D(i,j) * B(j,k)",
        &[("A", "ij"), ("B", "jk"), ("D", "ij")],
        "ik",
    ),
    ("vector and bias", "c(i) = A(i,j) * x(j) + y(i)", &[("A", "ij"), ("x", "j"), ("y", "i")], "i"),
    ("below the diagonal", "C(i,j) = A(i,j) * (j < i)", &[("A", "ij")], "ij"),
    ("a band", "C(i,j) = A(i,j) * (j - i <= 1) * (i - j <= 2)", &[("A", "ij")], "ij"),
    ("diagonal by equality", "C(i,j) = A(i,j) * (i == j)", &[("A", "ij")], "ij"),
    ("all but the diagonal", "C(i,j) = A(i,j) * (i != j)", &[("A", "ij")], "ij"),
    ("row by equality", "c(j) = A(i,j) * (i == 2)", &[("A", "ij")], "j"),
    ("column by equality", "c(i) = A(i,j) * (j == 3)", &[("A", "ij")], "i"),
    ("triangle and another", "C(i,j) = A(i,j) * (j >= i) + B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("triangle of a product", "C(i,k) = A(i,j) * B(j,k) * (k <= i)", &[("A", "ij"), ("B", "jk")], "ik"),
    ("slab of a tensor", "C(i,j,k) = A(i,j,k) * (j < 2)", &[("A", "ijk")], "ijk"),
    ("constant row", "c(j) = A(2,j)", &[("A", "ij")], "j"),
    ("constant column", "c(i) = A(i,-1)", &[("A", "ij")], "i"),
    ("row by a scalar", "c(j) = A((s % 4),j)", &[("A", "ij"), ("s", "")], "j"),
    ("rotated rows", "C(i,j) = A((i + 1) % 4,j) * x(i)", &[("A", "lj"), ("x", "i")], "ij"),
    ("columns backwards", "C(i,j) = A(i,4 - j) + B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("gather", "C(i,j) = A(min(max(B(i,j), 0), 3),j)", &[("A", "lj"), ("B", "ij")], "ij"),
    (
        "gathered vector in a product",
        "c(i) = A(i,j) * x(abs(B(i,j)))",
        &[("A", "ij"), ("B", "ij"), ("x", "j")],
        "i",
    ),
    ("rows sent on", "C((i + 1) % 4,j) += A(i,j)", &[("A", "ij"), ("C", "lj")], "lj"),
    (
        "elements sent to rows",
        "C(min(max(B(i,j), 0), 3),j) += A(i,j)",
        &[("A", "ij"), ("B", "ij"), ("C", "lj")],
        "lj",
    ),
    (
        "largest of what arrives",
        "C(i,abs(B(i,j)) % 4) max= A(i,j)",
        &[("A", "ij"), ("B", "ij"), ("C", "il")],
        "il",
    ),
    ("diagonal updated", "C(i,i) += x(i)", &[("x", "i"), ("C", "il")], "il"),
    (
        "arrivals by comparison",
        "C(l,j) = sum(i, A(i,j) * (l == 3 - i)) + B(l,j)",
        &[("A", "ij"), ("B", "lj")],
        "lj",
    ),
    ("first of rows", "c(i) = choose(j, A(i,j) * x(j))", &[("A", "ij"), ("x", "j")], "i"),
    ("first of columns", "c(j) = choose(i, A(i,j))", &[("A", "ij")], "j"),
    ("first by columns", "c = choose(j,i, A(i,j) * B(i,j))", &[("A", "ij"), ("B", "ij")], ""),
    ("first of products", "C(i,k) = choose(j, A(i,j) * B(j,k))", &[("A", "ij"), ("B", "jk")], "ik"),
    (
        "first that arrives",
        "C(i,abs(B(i,j)) % 4) choose= A(i,j)",
        &[("A", "ij"), ("B", "ij"), ("C", "il")],
        "il",
    ),
    ("smallest of rows", "c(i) = argmin(j, A(i,j))", &[("A", "ij")], "i"),
    ("largest of columns", "c(j) = argmax(i, A(i,j) + B(i,j))", &[("A", "ij"), ("B", "ij")], "j"),
    ("last row", "C(3 - i,j) = A(i,j)", &[("A", "ij")], "ij"),
    ("last of what arrives", "C(abs(B(i,j)) % 4,j) = A(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("diagonal assigned", "C(i,i) = x(i)", &[("x", "i")], "il"),
    ("part assigned", "C(i(1:),j(3:0:-1)) = A(i(1:),j(2:))", &[("A", "ij"), ("C", "ij")], "ij"),
    ("backwards", "C(i,j) = A(i(::-1),j) + B(i,j(::-1))", &[("A", "ij"), ("B", "ij")], "ij"),
    ("shift", "C(i,j) = A(i+1,j) - A(i,j+2)", &[("A", "ij")], "ij"),
    ("stride", "C(i,j) = A(2*i+1,2*j) + B(2*i,j+1)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("sum of two", "C(i,j) = A(i+k,j) * x(k)", &[("A", "ij"), ("x", "k")], "ij"),
    ("sums of two in both modes", "C(i,j) = A(i+k,j+n) * B(k,n)", &[("A", "lj"), ("B", "kk")], "ij"),
    ("padded shift", "C(i,j) = padded(A(i-1,j+1)) + B(i,j)", &[("A", "ij"), ("B", "ij")], "ij"),
    ("padded sum of two", "C(i,j) = padded(A(i+k-1,j)) * x(k)", &[("A", "ij"), ("x", "k")], "ij"),
    ("copy of a tensor", "C(i,j,k) = A(i,j,k)", &[("A", "ijk")], "ijk"),
    ("add tensors", "C(i,j,k) = A(i,j,k) + B(i,j,k)", &[("A", "ijk"), ("B", "ijk")], "ijk"),
    ("transpose of a tensor", "C(k,i,j) = A(i,j,k)", &[("A", "ijk")], "kij"),
    ("tensor times vector", "C(i,k) = A(i,j,k) * x(j)", &[("A", "ijk"), ("x", "j")], "ik"),
    ("tensor times matrix", "C(i,j,l) = A(i,j,k) * B(k,l)", &[("A", "ijk"), ("B", "kl")], "ijl"),
    ("mttkrp", "C(i,l) = A(i,j,k) * B(j,l) * D(k,l)", &[("A", "ijk"), ("B", "jl"), ("D", "kl")], "il"),
    ("slices added up", "C(i,k) = A(i,j,k)", &[("A", "ijk")], "ik"),
];

fn size(v: char) -> usize {
    match v {
        'i' | 'l' => 4,
        'j' => 5,
        _ => 3,
    }
}
fn formats(rank: usize) -> &'static [&'static str] {
    match rank {
        0 => &["dense"],
        1 => &VECTOR,
        2 => &MATRIX,
        _ => &TENSOR,
    }
}

fn operand(r: &mut TestRandom, name: &str, vars: &str, format: &str) -> CaseOperand {
    let shape: Vec<usize> = vars.chars().map(size).collect();
    let mut entries = Vec::new();
    for n in 0..shape.iter().product::<usize>() {
        let mut rest = n;
        let mut at: Vec<usize> = shape.iter().rev().map(|s| (rest % s, rest /= s).0).collect();
        at.reverse();
        if r.chance(if format == "dense" { 100 } else { 30 }) {
            entries.push((at, Scalar::I64(r.number_below(9) as i64 - 4)));
        }
    }
    CaseOperand { name: name.into(), dtype: DType::I64, shape, format: format.into(), entries }
}

/// The formats of a cell: one per operand, the result's last.
fn cell(row: &Row, mut n: usize) -> Option<Vec<&'static str>> {
    let ranks = row.2.iter().map(|(_, vars)| vars.len()).chain([row.3.len()]);
    let mut out = Vec::new();
    for rank in ranks {
        let all = formats(rank);
        out.push(all[n % all.len()]);
        n /= all.len();
    }
    (n == 0).then_some(out)
}

fn case(row: &Row, formats: &[&str], seed: u64) -> Case {
    let mut r = TestRandom::new(seed);
    let operands = row.2.iter().zip(formats);
    let tensors = operands.map(|((name, vars), format)| operand(&mut r, name, vars, format)).collect();
    let format = Some(formats[formats.len() - 1].to_string());
    let dims = BTreeMap::new();
    // Nothing else says how large a result is that is assigned where values say.
    let assigns = parse(&Source::new("statement", row.1)).is_ok_and(|s| s.assigns_places());
    let shape: Option<Vec<usize>> = Some(row.3.chars().map(size).collect());
    Case {
        tensors,
        dims,
        result: Wanted { format, shape: shape.filter(|_| assigns), ..Wanted::default() },
        text: row.1.into(),
        ..Case::default()
    }
}

/// How the cells of a row ended.
#[derive(Default)]
struct Tally {
    tried: usize,
    right: usize,
    bad: Vec<String>,
}

fn try_row(
    row: &Row,
    stride: usize,
    compilers: &[CompilerPipeline],
    tally: &Mutex<BTreeMap<&'static str, Tally>>,
) {
    for n in (0..).step_by(stride) {
        let Some(formats) = cell(row, n) else { return };
        // An update keeps the format of what it updates.
        let updates = row.2.iter().position(|(name, _)| *name == "C");
        if updates.is_some_and(|at| formats[at] != formats[formats.len() - 1]) {
            continue;
        }
        let case = case(row, &formats, n as u64);
        for compiler in compilers {
            let verdict = verdict(&case, compiler);
            let mut tally = tally.lock().expect("no thread panics while it counts");
            let tally = tally.entry(row.0).or_default();
            tally.tried += 1;
            match verdict {
                Verdict::Agrees => tally.right += 1,
                other => tally.bad.push(format!("{} {formats:?}: {other:?}", row.1)),
            }
        }
    }
}

#[test]
fn every_statement_works_in_every_format() {
    let cases = budget(300).count();
    let tally = Mutex::new(BTreeMap::new());
    let next = Mutex::new(ROWS.iter());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let new = || CompilerPipeline::new(&[BackendKind::Interp]).expect("always available");
                let compilers = [new(), new().comparing_always()];
                loop {
                    let row = next.lock().expect("no thread panics while it takes").next();
                    let Some(row) = row else { return };
                    let cells: usize = row.2.iter().map(|(_, v)| formats(v.len()).len()).product();
                    let cells = cells * formats(row.3.len()).len();
                    // A prime stride reaches every format of every operand.
                    let stride = if cases >= 20_000 || cells <= 400 { 1 } else { [11, 13, 17][cells % 3] };
                    try_row(row, stride, &compilers, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no thread panics");
    let mut out = std::io::stderr();
    let mut bad = Vec::new();
    for row in ROWS {
        let t = tally.get(row.0).unwrap_or_else(|| panic!("no cell of `{}` was tried", row.0));
        let _ = writeln!(out, "{:<24} {:>6} of {:>6} cells right", row.0, t.right, t.tried);
        bad.extend(t.bad.iter().take(4).cloned());
    }
    assert!(bad.is_empty(), "{} cells are not right, among them\n{}", bad.len(), bad.join("\n"));
}
