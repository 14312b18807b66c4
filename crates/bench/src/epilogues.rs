//! Products that something is added to, or done with, beside the products alone.
//!
//! A row's ratio is the time of the whole statement over that of its products and of reading its other operands once,
//! each a kernel of its own; all are run in turns, and the shortest times count. Values are `f32`, on one thread, whose own
//! time is taken. Conversions before and after a kernel count.

use crate::Text;
use crate::inputs;
use crate::timing::{Effort, TimedSubject, cpu_time, rounds};
use openwork::{Coo, Decl, Decls, Format, FormatExt, Kernel, Scalar, Session, Tensor};
use openwork_bench::workloads::{Epilogue, GROUPS, ProductGroup};
use openwork_storage::pack;
use std::collections::BTreeMap;

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// Sizes of the inputs.
struct InputSizes {
    /// Rows and columns of a layer, and stored values per row.
    layer: (usize, usize, usize),
    /// Rows of a square matrix with five values per row.
    thin: usize,
    cube: ([usize; 3], usize),
    columns: usize,
}

/// Runs every group whose name contains `filter`.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let sizes = match effort {
        Effort::Quick => {
            InputSizes { layer: (64, 256, 50), thin: 1000, cube: ([50, 60, 70], 5000), columns: 128 }
        }
        Effort::Full | Effort::Long => InputSizes {
            layer: (512, 2048, 410),
            thin: 20_000,
            cube: ([200, 300, 400], 300_000),
            columns: 128,
        },
    };
    println!("shortest ms; ratio = whole / (products + reading the other operands once)");
    println!("{:<32} {:>9} {:>9} {:>9} {:>7}", "statement", "product", "others", "whole", "ratio");
    let mut worst: Vec<(f64, String)> = Vec::new();
    for group in GROUPS.iter().filter(|g| filter.is_none_or(|f| g.name.contains(f))) {
        for epilogue in group.epilogues {
            let ratio = line(group, epilogue, &sizes, effort)?;
            worst.push((ratio, format!("{} {}", group.name, epilogue.0)));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = worst.iter().map(|(r, _)| r.ln()).sum::<f64>() / worst.len().max(1) as f64;
    let shown: Vec<String> = worst.iter().take(5).map(|(r, name)| format!("{name} {r:.2}")).collect();
    println!("geometric mean {:.3}; worst: {}", mean.exp(), shown.join(", "));
    Ok(())
}

/// Prints one row and returns its ratio.
fn line(group: &ProductGroup, epilogue: &Epilogue, sizes: &InputSizes, effort: Effort) -> Text<f64> {
    let (name, whole, others) = *epilogue;
    let statements: Vec<&str> = [group.product, whole].iter().chain(others).copied().collect();
    let mut tensors = BTreeMap::new();
    for statement in &statements {
        for operand in operands_of(statement) {
            if !tensors.contains_key(operand.0) {
                let tensor = tensor(group, operand.0, &operand.1, sizes)?;
                tensors.insert(operand.0.to_string(), tensor);
            }
        }
    }
    let named: Vec<Vec<(&str, &Tensor)>> = statements
        .iter()
        .map(|s| tensors.iter().map(|(n, t)| (n.as_str(), t)).filter(|(n, _)| reads(s, n)).collect())
        .collect();
    let kernels: Vec<Kernel> = statements
        .iter()
        .zip(&named)
        .map(|(s, operands)| compile(group, s, operands))
        .collect::<Text<_>>()?;
    let mut subjects: Vec<TimedSubject> = Vec::new();
    for (kernel, operands) in kernels.iter().zip(&named) {
        text(kernel.run(operands))?;
        subjects.push(Box::new(move || {
            let start = cpu_time();
            let done = kernel.run(operands).expect("it ran before");
            let time = cpu_time() - start;
            kernel.recycle(done.tensor);
            time
        }));
    }
    let times: Vec<f64> = rounds(&mut subjects, effort)
        .into_iter()
        .map(|t| t.into_iter().fold(f64::INFINITY, f64::min))
        .collect();
    let rest: f64 = times[2..].iter().sum();
    let ratio = times[1] / (times[0] + rest);
    let label = format!("{} {name}", group.name);
    println!("{label:<32} {:>9.4} {:>9.4} {:>9.4} {ratio:>7.2}", times[0], rest, times[1]);
    Ok(ratio)
}

/// The tensors that a statement reads, with their variables.
fn operands_of(statement: &str) -> Vec<(&str, Vec<char>)> {
    let mut out = Vec::new();
    let compound = statement.contains("+=");
    let from = if compound { 0 } else { statement.find('=').expect("a statement assigns") };
    for (at, _) in statement.match_indices('(').filter(|(at, _)| *at > from) {
        let name = statement[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        if name.len() == 1 {
            let end = at + statement[at..].find(')').expect("parentheses are closed");
            out.push((name, statement[at + 1..end].chars().filter(|c| c.is_alphabetic()).collect()));
        }
    }
    out
}
fn reads(statement: &str, name: &str) -> bool {
    operands_of(statement).iter().any(|(n, _)| *n == name)
}

fn tensor(group: &ProductGroup, name: &str, vars: &[char], sizes: &InputSizes) -> Text<Tensor> {
    let seed = u64::from(name.as_bytes()[0]);
    let input = group.operands.iter().find(|(n, _)| *n == name).map(|(_, i)| *i);
    let (input, format) = match (input, name) {
        (Some(input), _) if input.contains(' ') => input.split_once(' ').expect("it holds a space"),
        (Some("dense"), _) => ("dense", "dense"),
        (Some(format), _) => ("other", format),
        (None, "D") => ("rows", "csr"),
        (None, _) => ("dense", "dense"),
    };
    let (rows, columns, per_row) = match group.product {
        _ if group.operands.iter().any(|(_, i)| i.starts_with("layer")) => sizes.layer,
        _ => (sizes.thin, sizes.thin, 5),
    };
    let zero = Scalar::F32(0.0);
    let format = text(Format::parse(format, vars.len()))?;
    let sparse = |coo: openwork::Result<Coo>| text(pack(&text(coo)?, &format, zero));
    match input {
        "layer" | "thin" => sparse(inputs::rows_of(rows, columns, per_row, seed)),
        "other" => sparse(inputs::rows_of(rows, columns, 5, seed)),
        "rows" => sparse(inputs::rows_of(rows, sizes.columns, 10, seed)),
        "cube" => sparse(inputs::tensor_f32(sizes.cube.0, sizes.cube.1, seed)),
        _ => {
            let cube = group.operands.iter().any(|(_, i)| i.starts_with("cube"));
            let size = |v: &char| match v {
                'r' => sizes.columns / 4,
                'k' if !cube => sizes.columns,
                'i' if cube => sizes.cube.0[0],
                'j' if cube => sizes.cube.0[1],
                'k' => sizes.cube.0[2],
                'i' => rows,
                _ => columns,
            };
            let shape: Vec<usize> = vars.iter().map(size).collect();
            text(inputs::dense_f32(&shape, seed))
        }
    }
}

fn compile(group: &ProductGroup, statement: &str, operands: &[(&str, &Tensor)]) -> Text<Kernel> {
    let mut decls = Decls::default();
    let result = statement.split(['(', ' ']).next().unwrap_or("");
    if let Some((_, format)) = group.operands.iter().find(|(n, f)| *n == result && !f.contains(' ')) {
        let rank = statement.split(')').next().map_or(0, |s| s.split(',').count());
        let format = Some(text(Format::parse(format, rank))?);
        decls.tensors.insert(result.into(), Decl { format, ..Decl::default() });
    }
    for (name, t) in operands {
        let decl = Decl {
            dtype: Some(t.dtype()),
            format: Some(t.format().clone()),
            shape: Some(t.shape().to_vec()),
            stored: Some(t.nnz()),
            elements: None,
        };
        decls.tensors.insert((*name).into(), decl);
    }
    text(Session::global().compile(statement, &decls))
}
