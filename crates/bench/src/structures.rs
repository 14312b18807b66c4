//! Statements of two operands whose coordinates come in runs or in words, beside the same data dense and in rows.
//!
//! A row varies the formats only: a format that is many times slower than another one that has to read more is a fault of the
//! class. The kernels' time on one thread counts, with conversions before them.

use crate::Text;
use crate::inputs;
use crate::timing::{Effort, TimedSubject, interleave};
use openwork::{Coo, Decl, Decls, Format, FormatExt, Kernel, Session, Tensor};

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

const STATEMENTS: &[(&str, &str)] = &[
    ("dot", "s = A(i,j) * B(i,j)"),
    ("rows of products", "y(i) = A(i,j) * B(i,j)"),
    ("product", "C(i,j) = A(i,j) * B(i,j)"),
    ("sum", "C(i,j) = A(i,j) + B(i,j)"),
    ("maximum", "C(i,j) = max(A(i,j), B(i,j))"),
];
const BITS: &str = "(i,j) -> (i,j) : dense, bitmap";
const PAIRS: &[(&str, &str)] = &[
    ("dense", "dense"),
    ("csr", "csr"),
    ("rle", "rle"),
    ("rle", "csr"),
    ("rle", "dense"),
    ("rle", BITS),
    (BITS, BITS),
    (BITS, "csr"),
    (BITS, "dense"),
];

/// Runs every statement whose name contains `filter`.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let (rows, columns) = match effort {
        Effort::Quick => (100, 2000),
        Effort::Full | Effort::Long => (500, 8000),
    };
    println!("median ms of kernel and conversions; ratio to dense operands. Results are dense");
    print!("{:<44}", "statement, data");
    for (a, b) in PAIRS {
        print!(" {:>16}", format!("{}*{}", short(a), short(b)));
    }
    println!();
    for (data, length, stored) in [("runs of 50, half stored", 50, 0.5), ("alone, one of 50", 1, 0.02)] {
        let a = text(inputs::runs([rows, columns], length, stored, 3))?;
        let b = text(inputs::runs([rows, columns], length, stored, 4))?;
        for (name, statement) in STATEMENTS.iter().filter(|(n, _)| filter.is_none_or(|f| n.contains(f))) {
            println!("{:<44}{}", format!("{name}, {data}"), line(statement, &a, &b, effort)?);
        }
    }
    Ok(())
}

fn short(format: &str) -> &str {
    if format == BITS { "bits" } else { format }
}

/// One row of the table.
fn line(statement: &str, a: &Coo, b: &Coo, effort: Effort) -> Text<String> {
    let mut all: Vec<(Kernel, Tensor, Tensor)> = Vec::new();
    for (first, second) in PAIRS {
        let packed = |coo: &Coo, format: &str| -> Text<Tensor> {
            text(inputs::pack_with_zero(coo, &text(Format::parse(format, 2))?))
        };
        let (a, b) = (packed(a, first)?, packed(b, second)?);
        let mut decls = Decls::default();
        for (name, t) in [("A", &a), ("B", &b)] {
            let decl = Decl {
                dtype: Some(t.dtype()),
                format: Some(t.format().clone()),
                shape: Some(t.shape().to_vec()),
                stored: Some(t.slots()),
                elements: None,
            };
            decls.tensors.insert(name.into(), decl);
        }
        let target = statement.split('(').next().unwrap_or_default();
        if target == "C" {
            let dense = Some(text(Format::parse("dense", 2))?);
            decls.tensors.insert(target.into(), Decl { format: dense, ..Decl::default() });
        }
        all.push((text(Session::global().compile(statement, &decls))?, a, b));
    }
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for (kernel, a, b) in &all {
        subjects.push(Box::new(move || {
            let done = kernel.run(&[("A", a), ("B", b)]).expect("they are what it was compiled for");
            kernel.recycle(done.tensor);
            done.times.conversions + done.times.kernel
        }));
    }
    let times = interleave(&mut subjects, effort);
    Ok(times.iter().map(|t| format!(" {t:>8.3} ({:>5.2})", t / times[0])).collect())
}
