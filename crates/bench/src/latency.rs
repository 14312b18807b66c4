//! From statement text to callable code.

use crate::timing::{Effort, median};
use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session, Source};
use openwork_index::notation;
use std::time::Instant;

/// Kernel name, statement, formats.
type Named = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every kernel of the first milestone.
pub const KERNELS: &[Named] = &[
    ("SpMV csr", "y(i) = A(i,j) * x(j)", &[("A", "csr")]),
    ("SpMV csc", "y(i) = A(i,j) * x(j)", &[("A", "csc")]),
    ("SpMV coo", "y(i) = A(i,j) * x(j)", &[("A", "coo")]),
    ("SpMV dcsr", "y(i) = A(i,j) * x(j)", &[("A", "dcsr")]),
    ("SpMM csr", "C(i,k) = A(i,j) * B(j,k)", &[("A", "csr")]),
    ("csr + csr", "A(i,j) = B(i,j) + C(i,j)", &[("B", "csr"), ("C", "csr")]),
    (
        "csf + csf + csf",
        "A(i,j,k) = B(i,j,k) + C(i,j,k) + D(i,j,k)",
        &[("B", "csf"), ("C", "csf"), ("D", "csf")],
    ),
    ("csf * csf", "A(i,j,k) = B(i,j,k) * C(i,j,k)", &[("B", "csf"), ("C", "csf")]),
    ("MTTKRP csf", "Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", &[("X", "csf")]),
    ("TTV csf", "Y(i,j) = X(i,j,k) * x(k)", &[("X", "csf")]),
    ("TTM csf", "Y(i,j,r) = X(i,j,k) * B(k,r)", &[("X", "csf"), ("Y", "ssd")]),
    ("SDDMM csr", "Y(i,j) = S(i,j) * A(i,k) * B(j,k)", &[("S", "csr")]),
];

/// Prints the median latency of every kernel.
pub fn run(effort: Effort) -> Result<(), String> {
    let rounds = match effort {
        Effort::Quick => 5,
        Effort::Full | Effort::Long => 101,
    };
    let session = Session::new(BackendKind::Clif).map_err(|e| e.to_string())?;
    println!(
        "{:<18} {:>10} {:>10}   (milliseconds from text to callable, Cranelift)",
        "kernel", "first", "median"
    );
    for (name, statement, formats) in KERNELS {
        let parsed = notation::parse(&Source::new("statement", *statement)).map_err(|e| e.to_string())?;
        let mut decls = Decls::default();
        for operand in parsed.operands() {
            decls.tensors.insert(operand.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
        }
        for (tensor, format) in *formats {
            let rank = parsed.rank_of(tensor).ok_or("unknown tensor")?;
            let format = Format::parse(format, rank).map_err(|e| e.to_string())?;
            decls.tensors.entry((*tensor).into()).or_default().format = Some(format);
        }
        let mut times = Vec::new();
        for _ in 0..rounds {
            session.cache().clear();
            let start = Instant::now();
            session.compile(statement, &decls).map_err(|e| e.to_string())?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("{name:<18} {:>10.3} {:>10.3}", times[0], median(times.clone()));
    }
    Ok(())
}
