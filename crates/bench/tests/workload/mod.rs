//! The statements that benchmarks time, with small operands.

use openwork::{DType, Decl, Decls, Format, FormatExt, Scalar, Source, Tensor, TensorExt};
use openwork_bench::workloads::{GROUPS, KERNELS};
use openwork_index::notation::{self, StatementSyntax};

/// The formats of the operands of a statement, by their names.
type Formats = &'static [(&'static str, &'static str)];

/// What a statement is called, the statement, and the formats of its operands.
pub fn list_all() -> impl Iterator<Item = (String, &'static str, Formats)> {
    let kernels = KERNELS.iter().map(|(name, statement, formats)| (name.to_string(), *statement, *formats));
    let epilogues = GROUPS.iter().flat_map(|g| {
        let all = [("alone", g.product, &[] as &[&str])].into_iter().chain(g.epilogues.iter().copied());
        all.map(|(name, statement, _)| (format!("{}, {name}", g.name), statement, g.operands))
    });
    kernels.chain(epilogues)
}

/// What a statement declares, and its operands.
pub struct Workload {
    pub decls: Decls,
    pub tensors: Vec<(String, Tensor)>,
}

impl Workload {
    /// Operands of 20 or 8 coordinates in every mode.
    pub fn small(statement: &str, formats: &[(&str, &str)]) -> Result<Workload, String> {
        let text = |e: openwork::Error| e.to_string();
        let s = notation::parse(&Source::new("statement", statement)).map_err(text)?;
        let (mut decls, mut tensors) = (Decls::default(), Vec::new());
        for (name, vars) in named_tensors(&s) {
            let given =
                formats.iter().find(|(n, _)| *n == name).map(|(_, f)| f.split(' ').next_back().unwrap_or(f));
            let result = name == s.lhs.name.text;
            let shape: Vec<usize> = vars.iter().map(|v| size(v)).collect();
            // What is added as it is stored.
            let usual = if name == "D" { "csr" } else { "dense" };
            let format = given.or((!result).then_some(usual));
            let format = format.map(|f| Format::parse(f, shape.len())).transpose().map_err(text)?;
            let reads = !result || s.op.is_some();
            if let (Some(format), true) = (&format, reads) {
                tensors.push((name.clone(), tensor(&name, &shape, format)?));
            } else if reads {
                let format = Format::parse("dense", shape.len()).map_err(text)?;
                tensors.push((name.clone(), tensor(&name, &shape, &format)?));
            }
            decls.tensors.insert(name, Decl { dtype: Some(DType::F64), format, ..Decl::default() });
        }
        Ok(Workload { decls, tensors })
    }
}

/// How many values a variable takes.
fn size(v: &str) -> usize {
    match v {
        "i" | "j" | "k" => 20,
        _ => 8,
    }
}

/// A tensor with about one value in four, at places that look random.
fn tensor(name: &str, shape: &[usize], format: &Format) -> Result<Tensor, String> {
    let mut entries = Vec::new();
    for n in 0..shape.iter().product() {
        let mut rest: usize = n;
        let mut at = vec![0; shape.len()];
        for (c, &size) in at.iter_mut().zip(shape).rev() {
            *c = rest % size;
            rest /= size;
        }
        let seed =
            (n as u64 + 1).wrapping_mul(u64::from(name.as_bytes()[0])).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if format.is_dense() || seed >> 62 == 0 {
            entries.push((at, Scalar::F64((seed >> 40 & 7) as f64 + 1.0)));
        }
    }
    Tensor::pack(shape, &entries, format).map_err(|e| e.to_string())
}

/// The variables of each tensor that a statement names.
fn named_tensors(s: &StatementSyntax) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    let text = s.source.text.clone();
    for (at, _) in text.match_indices('(') {
        let name = text[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let end = at + text[at..].find(')').unwrap_or(0);
        let vars: Vec<String> = text[at + 1..end].split(',').map(|v| v.trim().to_string()).collect();
        if name.len() == 1 && !out.iter().any(|(n, _)| n == name) {
            out.push((name.to_string(), vars));
        }
    }
    out
}
