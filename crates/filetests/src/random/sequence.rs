//! Sequences: statements over the rows of the same tensors, most of which can run together, part by part.

use super::CaseGenerator;
use crate::case::{Case, Link, Wanted};
use openwork_algebra::{DType, DTypeKind};

/// What a statement reads, and in which shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadShape {
    Rows,
    Columns,
    Matrix,
    Scalar,
}

impl ReadShape {
    fn access(self, name: &str) -> String {
        match self {
            ReadShape::Rows => format!("{name}(i)"),
            ReadShape::Columns => format!("{name}(j)"),
            ReadShape::Matrix => format!("{name}(i,j)"),
            ReadShape::Scalar => name.to_string(),
        }
    }
}

/// A tensor that statements can read.
#[derive(Clone)]
struct KnownTensor {
    name: String,
    shape: ReadShape,
}

/// Statements as patterns: what they compute, what they read, and their text, in which `#0`, `#1` and `#2` are accesses.
const PATTERNS: &[(ReadShape, &[ReadShape], &str)] = &[
    (ReadShape::Rows, &[ReadShape::Matrix, ReadShape::Columns], "sum(j, #0 * #1)"),
    (ReadShape::Rows, &[ReadShape::Matrix, ReadShape::Columns, ReadShape::Rows], "#2 + sum(j, #0 * #1)"),
    (ReadShape::Rows, &[ReadShape::Matrix], "sum(j, #0)"),
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Rows], "#0 + #1"),
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Rows], "#0 - #1"),
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Scalar, ReadShape::Rows], "#0 * #1 + #2"),
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Rows], "#0 / #1"),
    (ReadShape::Scalar, &[ReadShape::Rows, ReadShape::Rows], "sum(i, #0 * #1)"),
    (ReadShape::Scalar, &[ReadShape::Rows], "sum(i, #0)"),
    (ReadShape::Scalar, &[ReadShape::Matrix], "sum(i, sum(j, #0))"),
    (ReadShape::Columns, &[ReadShape::Matrix, ReadShape::Rows], "sum(i, #0 * #1)"),
    (ReadShape::Matrix, &[ReadShape::Matrix, ReadShape::Rows], "#0 * #1"),
    (ReadShape::Matrix, &[ReadShape::Rows, ReadShape::Columns], "#0 * #1"),
    (ReadShape::Matrix, &[ReadShape::Matrix, ReadShape::Matrix], "#0 + #1"),
    (ReadShape::Rows, &[ReadShape::Matrix, ReadShape::Matrix], "sum(j, #0 * #1)"),
    (ReadShape::Columns, &[ReadShape::Matrix], "sum(i, #0)"),
    (ReadShape::Scalar, &[ReadShape::Matrix, ReadShape::Matrix], "sum(i, sum(j, #0 * #1))"),
    (
        ReadShape::Scalar,
        &[ReadShape::Matrix, ReadShape::Rows, ReadShape::Columns],
        "sum(i, sum(j, #0 * #1 * #2))",
    ),
    (ReadShape::Matrix, &[ReadShape::Matrix, ReadShape::Columns], "#0 * #1"),
    (ReadShape::Matrix, &[ReadShape::Matrix, ReadShape::Rows], "#0 + #1"),
];
/// Patterns over reals.
const REAL: &[(ReadShape, &[ReadShape], &str)] = &[
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Rows], "max(#0, #1)"),
    (ReadShape::Rows, &[ReadShape::Matrix], "max(j, #0)"),
    (ReadShape::Rows, &[ReadShape::Matrix, ReadShape::Columns], "min(j, #0 + #1)"),
    (ReadShape::Rows, &[ReadShape::Matrix], "min(j, #0)"),
    (ReadShape::Columns, &[ReadShape::Matrix, ReadShape::Rows], "max(i, #0 + #1)"),
    (ReadShape::Scalar, &[ReadShape::Matrix], "max(i, max(j, #0))"),
    (ReadShape::Scalar, &[ReadShape::Rows], "max(i, #0)"),
    (ReadShape::Scalar, &[ReadShape::Rows], "min(i, #0)"),
    (ReadShape::Rows, &[ReadShape::Rows, ReadShape::Scalar], "min(#0, #1)"),
];

impl CaseGenerator {
    /// Two to eight statements, of which later ones read earlier ones more often than not.
    pub(super) fn sequence(mut self) -> Case {
        let few = self.r.chance(75);
        let (n, m) = match few {
            true => (self.r.number_below(7), self.r.number_below(6)),
            false => (40 + self.r.number_below(160), self.r.number_below(40)),
        };
        let dtype = self.dtypes[0];
        let mut known: Vec<KnownTensor> = Vec::new();
        let operands = [
            ("A", ReadShape::Matrix),
            ("B", ReadShape::Matrix),
            ("x", ReadShape::Columns),
            ("u", ReadShape::Rows),
            ("v", ReadShape::Rows),
            ("c", ReadShape::Scalar),
        ];
        for (name, shape) in operands {
            let sizes = match shape {
                ReadShape::Rows => vec![n],
                ReadShape::Columns => vec![m],
                ReadShape::Matrix => vec![n, m],
                ReadShape::Scalar => Vec::new(),
            };
            let mut operand = self.operand(name, dtype, sizes);
            // Vectors are dense most of the time: others are merged, and their results are sparse.
            if shape != ReadShape::Matrix && self.r.chance(70) {
                operand.format = "dense".into();
            }
            self.tensors.push(operand);
            known.push(KnownTensor { name: name.into(), shape });
        }
        let mut links: Vec<Link> = Vec::new();
        let given = known.clone();
        // Results of one kernel do not read each other; few sequences are long.
        let (apart, count) = match self.r.number_below(4) {
            0 => (true, 2 + self.r.number_below(3)),
            1 => (false, 2 + self.r.number_below(7)),
            _ => (false, 2 + self.r.number_below(5)),
        };
        for k in 0..count {
            let known_now = if apart { &given } else { &known };
            if let Some((shape, link)) = self.one_of(known_now, dtype, k) {
                known.push(KnownTensor { name: format!("T{k}"), shape });
                links.push(link);
            }
        }
        let last = links.pop().unwrap_or_default();
        let text = last.text;
        let all: Vec<&str> = links.iter().map(|l| l.text.as_str()).chain([text.as_str()]).collect();
        self.tensors.retain(|t| all.iter().any(|text| reads(text, &t.name)));
        Case { before: links, tensors: self.tensors, result: last.result, text, ..Case::default() }
    }
    /// A statement over what there is.
    fn one_of(&mut self, known: &[KnownTensor], dtype: DType, k: usize) -> Option<(ReadShape, Link)> {
        let real = dtype.kind() < DTypeKind::Complex && dtype != DType::Bool;
        let patterns = if real && self.r.chance(25) { REAL } else { PATTERNS };
        let (shape, reads, pattern) = self.r.pick(patterns);
        let mut text = pattern.to_string();
        for (place, wanted) in reads.iter().enumerate() {
            let fitting: Vec<&KnownTensor> = known.iter().filter(|t| t.shape == *wanted).collect();
            // What was made last is read most.
            let recent = fitting.len().checked_sub(1).filter(|_| self.r.chance(55));
            let at = recent.unwrap_or_else(|| self.r.number_below(fitting.len().max(1)));
            let chosen = fitting.get(at)?;
            text = text.replace(&format!("#{place}"), &wanted.access(&chosen.name));
        }
        let format = match (shape, self.r.number_below(10)) {
            (ReadShape::Rows, 0) => Some(self.r.pick(&["s", "bitmap", "hash"]).to_string()),
            (ReadShape::Matrix, 0 | 1) => Some("csr".into()),
            (_, 2 | 3) => Some("dense".into()),
            _ => None,
        };
        let left = shape.access(&format!("T{k}"));
        Some((
            shape,
            Link { result: Wanted { format, ..Wanted::default() }, text: format!("{left} = {text}") },
        ))
    }
}

/// Whether a statement reads a tensor.
fn reads(text: &str, name: &str) -> bool {
    let right = text.split_once('=').map_or("", |(_, right)| right);
    right.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name)
}
