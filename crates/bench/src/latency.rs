//! From statement text to callable code.

use crate::timing::{Effort, cpu_time, median};
use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Schedule, Session, Source};
use openwork_bench::workloads::KERNELS;
use openwork_index::notation;
use std::time::Instant;

/// Milliseconds of each round.
#[derive(Default)]
struct Latency {
    /// From text to the loops that the backend gets: parser, checker, planner, lowering and the passes over loops. What the
    /// thread computed, as nothing else works on it.
    loops: Vec<f64>,
    /// From text to code that can be called.
    callable: Vec<f64>,
}

/// Prints the median latency of every kernel, and the part of it before the backend.
pub fn run(effort: Effort) -> Result<(), String> {
    let rounds = match effort {
        Effort::Quick => 5,
        Effort::Full | Effort::Long => 101,
    };
    let session = Session::new(BackendKind::Clif).map_err(|e| e.to_string())?;
    println!(
        "{:<18} {:>10} {:>10} {:>10}   (milliseconds from text to callable, Cranelift, and from text to loops)",
        "kernel", "first", "median", "to loops"
    );
    let mut all = Latency::default();
    for (name, statement, formats) in KERNELS {
        let given =
            |tensor: &str| formats.iter().find(|(name, _)| *name == tensor).map(|(_, format)| *format);
        let Latency { loops, callable } = time_compilation(&session, statement, &given, rounds)?;
        let (first, callable, loops) = (callable[0], median(callable), median(loops));
        println!("{name:<18} {first:>10.3} {callable:>10.3} {loops:>10.3}");
        all.callable.push(callable);
        all.loops.push(loops);
    }
    println!(
        "{:<18} {:>10} {:>10.3} {:>10.3}",
        "geometric mean",
        "",
        geometric(&all.callable),
        geometric(&all.loops)
    );
    many_operands(&session)
}

/// The geometric mean.
fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// How long a statement takes, once a round.
fn time_compilation<'f>(
    session: &Session,
    statement: &str,
    given: &dyn Fn(&str) -> Option<&'f str>,
    rounds: usize,
) -> Result<Latency, String> {
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
    let mut times = Latency::default();
    for _ in 0..rounds {
        session.cache().clear();
        let start = Instant::now();
        // What was planned for the same statement is not taken again here.
        session.compile_scheduled(statement, &decls, &Schedule::new()).map_err(|e| e.to_string())?;
        times.callable.push(start.elapsed().as_secs_f64() * 1e3);
        let start = cpu_time();
        session.stages(statement, &decls).map_err(|e| e.to_string())?;
        times.loops.push((cpu_time() - start).as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// Statements of many operands, which are to take no more than four times as long with twice as many.
fn many_operands(session: &Session) -> Result<(), String> {
    type Text = fn(&[String]) -> String;
    let kinds: [(&str, Text); 4] = [
        ("B * (C1 + C2 + …)", |n| format!("B(i,j) * ({})", join_names(n, |c| format!("{c}(i,j)"), " + "))),
        ("C1 * B + C2 * B + …", |n| join_names(n, |c| format!("{c}(i,j) * B(i,j)"), " + ")),
        ("(C1 + B) * (C2 + B) …", |n| join_names(n, |c| format!("({c}(i,j) + B(i,j))"), " * ")),
        ("C1 > B | C2 > B | …", |n| join_names(n, |c| format!("({c}(i,j) > B(i,j))"), " | ")),
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
                row += &format!("{:>9.1}", time_compilation(session, &statement, &given, 1)?.callable[0]);
            }
            println!("{:<28}{row}", format!("{name}, {format}"));
        }
    }
    Ok(())
}

fn join_names(names: &[String], one: fn(&String) -> String, sign: &str) -> String {
    names.iter().map(one).collect::<Vec<_>>().join(sign)
}
