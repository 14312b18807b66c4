//! Sums over the rows of one matrix, of rows of any length, and what is done with the sums: loops that backends assemble for
//! rows, slices, slots and blocks, with vectors of either width.

use super::CaseGenerator;
use super::data::{self, ValueSet};
use crate::case::{Case, CaseOperand, Wanted};
use openwork_algebra::{Arithmetic, DType, Scalar};

/// What is summed: A and B are matrices, X has columns, x and z lie along rows, b and d across them.
const VALUES: &[(usize, &str)] = &[
    (12, "sum(j, A(i,j) * x(j))"),
    (6, "sum(j, A(i,j) / x(j))"),
    (3, "sum(j, x(j) / A(i,j))"),
    (4, "sum(j, A(i,j))"),
    (3, "sum(j, A(i,j) * A(i,j))"),
    (3, "sum(j, abs(A(i,j)) * x(j))"),
    (4, "sum(j, A(i,j) * (x(j) + z(j)))"),
    (3, "sum(j, A(i,j) * x(j) * z(j))"),
    (3, "sum(j, A(i,j) * x(j) - A(i,j) / z(j))"),
    (2, "sum(j, -A(i,j) * max(x(j), z(j)))"),
    (4, "max(j, A(i,j) * x(j))"),
    (3, "min(j, A(i,j) + x(j))"),
    (2, "max(j, A(i,j))"),
    (3, "sum(j, A(i,j) * x(j)) + sum(j, B(i,j) * z(j))"),
    (2, "sum(j, (A(i,j) + B(i,j)) * x(j))"),
    (2, "sum(j, A(i,j) * B(i,j))"),
    (4, "sum(j, A(i,j) * X(j,k))"),
];
/// What is done with it, in place of `#`.
const AFTER: &[(usize, &str)] = &[
    (12, "#"),
    (5, "# + b(i)"),
    (3, "b(i) - 2 * #"),
    (3, "d(i) * (#)"),
    (2, "(#) / d(i)"),
    (2, "max(#, b(i)) + d(i)"),
    (2, "sqrt(abs(#))"),
    (2, "b(i) * # + d(i)"),
];
/// How matrices are stored; `N` is a number.
const FORMATS: &[(usize, &str)] = &[
    (8, "csr"),
    (5, "ell"),
    (6, "sell(8)"),
    (3, "sell(N)"),
    (5, "bcsr(N,N)"),
    (2, "jad"),
    (2, "dia"),
    (2, "dcsr"),
    (2, "coo"),
    (1, "csc"),
    (1, "bitmap"),
    (1, "rle"),
    (1, "hicoo"),
    (2, "dense"),
];

impl CaseGenerator {
    /// One statement over the rows of a matrix.
    pub(super) fn rows(mut self) -> Case {
        let dtype = self.r.pick(&[DType::F64, DType::F32]);
        self.dtypes = vec![dtype];
        if self.values == ValueSet::Tropical {
            self.values = ValueSet::Finite;
        }
        let columns = self.r.pick_weighted(&[(1, 1), (1, 2), (1, 4), (1, 5), (1, 9)]);
        self.vars = [("i", 1 + self.r.number_below(40)), ("j", 1 + self.r.number_below(70)), ("k", columns)]
            .map(|(v, n)| (v.to_string(), n))
            .to_vec();
        let value = self.r.pick_weighted(VALUES);
        let text = self.r.pick_weighted(AFTER).replace('#', value);
        let left = if text.contains('X') { "y(i,k)" } else { "y(i)" };
        let sign = self.r.pick_weighted(&[(16, "="), (3, "+="), (1, "*="), (1, "max=")]);
        let text = format!("{left} {sign} {text}");
        for name in ["A", "B", "X", "x", "z", "b", "d", "y"] {
            if sign == "=" && name == "y" || !text.contains(&format!("{name}(")) {
                continue;
            }
            let vars: &[usize] = match name {
                "A" | "B" => &[0, 1],
                "X" => &[1, 2],
                "y" if left.contains('k') => &[0, 2],
                "x" | "z" => &[1],
                _ => &[0],
            };
            let shape = vars.iter().map(|&n| self.vars[n].1).collect();
            let operand =
                if vars == [0, 1] { self.matrix(name, dtype, shape) } else { self.full(name, dtype, shape) };
            self.tensors.push(operand);
        }
        let exact = self.r.chance(if self.values == ValueSet::Finite { 6 } else { 50 });
        let arithmetic = if exact { Arithmetic::Exact } else { Arithmetic::Annihilating };
        let format = if self.r.chance(20) { Some("dense".into()) } else { None };
        let result = Wanted { format, ..Wanted::default() };
        Case { tensors: self.tensors, result, text, arithmetic, ..Case::default() }
    }

    /// A dense tensor; few of its values are zero, as others are divided by them.
    fn full(&mut self, name: &str, dtype: DType, shape: Vec<usize>) -> CaseOperand {
        let count: usize = shape.iter().product();
        let zeros = self.r.pick(&[0, 0, 10]);
        let entries = (0..count).map(|flat| {
            let mut rest = flat;
            let mut at: Vec<usize> = shape.iter().rev().map(|d| (rest % d, rest /= d).0).collect();
            at.reverse();
            let value = data::value(&mut self.r, dtype, self.values);
            let zero = !value.truthy() && !self.r.chance(zeros);
            (at, if zero { Scalar::from_f64(2.0, dtype) } else { value })
        });
        let entries = entries.collect();
        CaseOperand { name: name.into(), dtype, shape, format: "dense".into(), entries }
    }

    /// A matrix with rows of lengths that are alike, of any length, mostly none, or all.
    fn matrix(&mut self, name: &str, dtype: DType, shape: Vec<usize>) -> CaseOperand {
        let mut format = self.r.pick_weighted(FORMATS).to_string();
        while format.contains('N') {
            format = format.replacen('N', &(1 + self.r.number_below(5)).to_string(), 1);
        }
        if self.r.chance(20) {
            format = data::add_widths(&mut self.r, format);
        }
        let (m, n) = (shape[0], shape[1]);
        let (most, kind, near) = (1 + self.r.number_below(n), self.r.number_below(5), self.r.chance(40));
        let mut entries = Vec::new();
        for i in 0..m {
            let length = match kind {
                0 => most,
                1 => self.r.number_below(most + 1),
                2 if !self.r.chance(15) => 0,
                3 if self.r.chance(50) => 1,
                4 => n,
                _ => self.r.number_below(n + 1),
            };
            let mut columns: Vec<usize> = (0..n).collect();
            if near {
                columns.rotate_left(self.r.number_below(n));
            } else {
                self.r.shuffle(&mut columns);
            }
            columns.truncate(length);
            columns.sort_unstable();
            for j in columns {
                let value = data::value(&mut self.r, dtype, self.values);
                entries.push((vec![i, j], value));
            }
        }
        let operand = CaseOperand { name: name.into(), dtype, shape, format, entries };
        if operand.pack().is_ok() { operand } else { CaseOperand { format: "csr".into(), ..operand } }
    }
}
