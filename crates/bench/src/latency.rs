//! From statement text to callable code.

use crate::timing::{Effort, median};
use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Schedule, Session, Source};
use openwork_bench::workloads::KERNELS;
use openwork_index::notation;
use std::time::Instant;

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
        let given =
            |tensor: &str| formats.iter().find(|(name, _)| *name == tensor).map(|(_, format)| *format);
        let times = compiled(&session, statement, &given, rounds)?;
        println!("{name:<18} {:>10.3} {:>10.3}", times[0], median(times.clone()));
    }
    many_operands(&session)
}

/// Milliseconds from text to callable code, once a round.
fn compiled<'f>(
    session: &Session,
    statement: &str,
    given: &dyn Fn(&str) -> Option<&'f str>,
    rounds: usize,
) -> Result<Vec<f64>, String> {
    let parsed = notation::parse(&Source::new("statement", statement)).map_err(|e| e.to_string())?;
    let mut decls = Decls::default();
    for tensor in parsed.operands().into_iter().chain([parsed.lhs.name.text.as_str()]) {
        let format = match (given(tensor), parsed.rank_of(tensor)) {
            (Some(format), Some(rank)) => Some(Format::parse(format, rank).map_err(|e| e.to_string())?),
            _ => None,
        };
        let dtype = (tensor != parsed.lhs.name.text.as_str()).then_some(DType::F64);
        decls.tensors.insert(tensor.into(), Decl { dtype, format, ..Decl::default() });
    }
    let mut times = Vec::new();
    for _ in 0..rounds {
        session.cache().clear();
        let start = Instant::now();
        // What was planned for the same statement is not taken again here.
        session.compile_scheduled(statement, &decls, &Schedule::new()).map_err(|e| e.to_string())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// Statements of many operands, which are to take no more than four times as long with twice as many.
fn many_operands(session: &Session) -> Result<(), String> {
    type Text = fn(&[String]) -> String;
    let kinds: [(&str, Text); 4] = [
        ("B * (C1 + C2 + …)", |n| format!("B(i,j) * ({})", joined(n, |c| format!("{c}(i,j)"), " + "))),
        ("C1 * B + C2 * B + …", |n| joined(n, |c| format!("{c}(i,j) * B(i,j)"), " + ")),
        ("(C1 + B) * (C2 + B) …", |n| joined(n, |c| format!("({c}(i,j) + B(i,j))"), " * ")),
        ("C1 > B | C2 > B | …", |n| joined(n, |c| format!("({c}(i,j) > B(i,j))"), " | ")),
    ];
    let sizes = [4, 8, 16, 32, 64];
    println!("\n{:<28}{}", "milliseconds, operands:", sizes.map(|n| format!("{n:>9}")).concat());
    for (name, text) in kinds {
        for format in ["csr", "coo"] {
            let mut row = String::new();
            for n in sizes {
                let names: Vec<String> = (0..n).map(|k| format!("C{k}")).collect();
                let statement = format!("Y(i,j) = {}", text(&names));
                let given = |tensor: &str| Some(if tensor == "Y" { "csr" } else { format });
                row += &format!("{:>9.1}", compiled(session, &statement, &given, 1)?[0]);
            }
            println!("{:<28}{row}", format!("{name}, {format}"));
        }
    }
    Ok(())
}

fn joined(names: &[String], one: fn(&String) -> String, sign: &str) -> String {
    names.iter().map(one).collect::<Vec<_>>().join(sign)
}
