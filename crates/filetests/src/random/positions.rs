//! Positions: indices of a case become values that say where a mode is read.
//!
//! ```text
//! y(i) = A(i,j) * B(j)        y(i) = A(p(i),j) * B((3 * j + 1) % 4)
//! y(i) += A(i,j)              y(p(i)) += A(i,j)
//! ```
//! Positions are literals, scalars, elements of operands in any format, and sums and remainders of index variables; most of
//! them are coordinates of the mode.

use super::data::{self, FormatRole};
use super::source::TestRandom;
use crate::case::{Case, CaseOperand};
use openwork_algebra::{DType, Scalar};
use openwork_base::Source;
use openwork_index::notation::{StatementSyntax, Syntax, TensorRef, parse};
use std::collections::BTreeMap;

/// Names of operands that say positions.
const NAMES: [&str; 6] = ["p", "q", "p2", "q2", "p3", "q3"];
/// So many results of assignments in a hundred are written where values say.
const ASSIGNED: usize = 30;
/// So many operands in a hundred have a value that is no coordinate.
const STRAYS: usize = 4;

/// The case with some indices that are values.
pub(super) fn add_positions(case: Case, r: &mut TestRandom) -> Case {
    // What statements before have made is of their shapes.
    if !case.before.is_empty() || !case.schedule.is_empty() {
        return case;
    }
    let Ok(statement) = case.statement() else { return case };
    let sizes = find_sizes(&case, &statement);
    let mut out = case.clone();
    let mut positions = PositionMaker { case: &mut out, sizes: &sizes, r };
    let lhs = positions.rewrite_target(&statement);
    let rhs = positions.rewrite(statement.rhs.clone());
    let mask = statement.mask.clone().map(|mask| positions.rewrite(mask));
    let made = StatementSyntax { lhs, rhs, mask, ..statement };
    out.text = made.to_string();
    let Ok(made) = parse(&Source::new("statement", out.text.as_str())) else { return case };
    let known = find_sizes(&out, &made);
    for name in made.index_names() {
        if let (None, Some(size)) = (known.get(name), sizes.get(name)) {
            out.dims.insert(name.into(), *size);
        }
    }
    out
}

/// How many values each variable takes, from plain uses and declarations.
pub(super) fn find_sizes(case: &Case, s: &StatementSyntax) -> BTreeMap<String, usize> {
    let mut sizes = case.dims.clone();
    let mut see = |t: &TensorRef| {
        let Some(operand) = case.operand(&t.name.text) else { return };
        for (mode, (name, &size)) in t.indices.iter().zip(&operand.shape).enumerate() {
            let reach = t.windows[mode].reach(size).map_or(0, |r| r.count);
            if t.position(mode).is_none() {
                sizes.insert(name.text.clone(), reach);
            }
        }
    };
    s.each_tensor(&mut see);
    if s.op.is_some() {
        see(&s.lhs);
    }
    sizes
}

struct PositionMaker<'a> {
    case: &'a mut Case,
    sizes: &'a BTreeMap<String, usize>,
    r: &'a mut TestRandom,
}

impl PositionMaker<'_> {
    /// The left side of an update, some modes of which values say.
    fn rewrite_target(&mut self, s: &StatementSyntax) -> TensorRef {
        let mut t = s.lhs.clone();
        if s.op.is_none() {
            return self.assign_places(t);
        }
        let old = self.case.operand(&t.name.text).map(|operand| operand.shape.clone());
        let Some(shape) = old.filter(|_| s.op.is_some() && !t.bare) else { return t };
        for (mode, &size) in shape.iter().enumerate() {
            if t.positions.len() > 1 || !self.r.chance(40) {
                continue;
            }
            let text = self.position(&t.indices[mode].text.clone(), size, 0);
            if let Ok(read) = parse(&Source::new("statement", format!("y = {text}"))) {
                t.position_modes.push(mode);
                t.positions.push(read.rhs);
            }
        }
        t
    }
    /// The left side of an assignment, some modes of which values say, with a shape that is declared.
    fn assign_places(&mut self, mut t: TensorRef) -> TensorRef {
        let sizes: Option<Vec<usize>> = t.indices.iter().map(|v| self.sizes.get(&v.text).copied()).collect();
        let fresh = self.case.operand(&t.name.text).is_none() && !t.bare && !t.indices.is_empty();
        let Some(mut shape) = sizes.filter(|_| fresh && self.r.chance(ASSIGNED)) else {
            return t;
        };
        for (mode, size) in shape.iter_mut().enumerate() {
            if t.positions.len() > 1 || !self.r.chance(70) {
                continue;
            }
            let v = t.indices[mode].text.clone();
            *size = 1 + self.r.number_below(6);
            let text = match self.r.number_below(4) {
                0 => {
                    let (step, first) = (1 + self.r.number_below(2), self.r.number_below(3));
                    *size = (first + step * self.sizes[&v]).max(1);
                    format!("{step} * {v} + {first}")
                }
                _ => self.position(&v, *size, 0),
            };
            if let Ok(read) = parse(&Source::new("statement", format!("y = {text}"))) {
                t.position_modes.push(mode);
                t.positions.push(read.rhs);
            }
        }
        if !t.positions.is_empty() {
            self.case.result.shape = Some(shape);
        }
        t
    }
    fn rewrite(&mut self, e: Syntax) -> Syntax {
        match e {
            Syntax::Tensor(t) => Syntax::Tensor(self.rewrite_access(t)),
            Syntax::Op { op, args, span } => {
                let args = args.into_iter().map(|a| self.rewrite(a)).collect();
                Syntax::Op { op, args, span }
            }
            Syntax::Apply { name, args, span } => {
                let args = args.into_iter().map(|a| self.rewrite(a)).collect();
                Syntax::Apply { name, args, span }
            }
            number @ Syntax::Number(_) => number,
        }
    }
    fn rewrite_access(&mut self, mut t: TensorRef) -> TensorRef {
        let Some(shape) = self.case.operand(&t.name.text).map(|operand| operand.shape.clone()) else {
            return t;
        };
        if t.bare || self.case.result_name() == t.name.text {
            return t;
        }
        for (mode, &size) in shape.iter().enumerate() {
            if !t.windows[mode].is_whole() || !self.r.chance(45) {
                continue;
            }
            let text = self.position(&t.indices[mode].text.clone(), size, 0);
            let read = parse(&Source::new("statement", format!("y = {text}")));
            if let Ok(read) = read {
                t.position_modes.push(mode);
                t.positions.push(read.rhs);
            }
        }
        t
    }
    /// A value that is a coordinate of a mode of `size` coordinates where variable `v` stood.
    fn position(&mut self, v: &str, size: usize, depth: usize) -> String {
        let last = size.saturating_sub(1);
        let count = self.sizes.get(v).copied().unwrap_or(0);
        match self.r.pick_weighted(&[(12, 0), (12, 1), (46, 2), (10, 3), (10, 4), (10, 5)]) {
            0 if size > 0 => {
                let at = self.r.number_below(size);
                if self.r.chance(30) { format!("-{}", size - at) } else { at.to_string() }
            }
            1 => self.operand(&[], size),
            3 => format!("(3 * {v} + {}) % {}", self.r.number_below(4), size.max(1)),
            4 => format!("min({v} + {}, {last})", self.r.number_below(3)),
            5 if count <= size => format!("{last} - {v}"),
            _ => {
                let mut vars = vec![v.to_string()];
                if self.r.chance(25) {
                    let others: Vec<String> = self.sizes.keys().filter(|o| *o != v).cloned().collect();
                    if !others.is_empty() {
                        vars.push(self.r.pick(&others));
                    }
                }
                if self.r.chance(10) {
                    vars.remove(0);
                }
                let name = self.operand(&vars, size);
                if vars.is_empty() || name == v {
                    return name;
                }
                let mut indices = vars;
                if depth == 0 && self.r.chance(15) {
                    let inner = self.sizes.get(&indices[0]).copied().unwrap_or(0);
                    indices[0] = self.position(&indices[0].clone(), inner, 1);
                }
                format!("{name}({})", indices.join(","))
            }
        }
    }
    /// The name of an operand over these variables whose values are coordinates of a mode.
    fn operand(&mut self, vars: &[String], size: usize) -> String {
        let shape: Vec<usize> = vars.iter().map(|v| self.sizes.get(v).copied().unwrap_or(0)).collect();
        let taken = |name: &&str| self.case.operand(name).is_some();
        let Some(name) = NAMES.into_iter().find(|name| !taken(name)) else { return vars[..].join("") };
        let dtype = self.r.pick_weighted(&[
            (40, DType::I64),
            (30, DType::I32),
            (10, DType::U8),
            (10, DType::I16),
            (10, DType::U64),
        ]);
        let format = match self.r.chance(50) {
            true => "dense".to_string(),
            false => data::format(self.r, shape.len(), FormatRole::Operand),
        };
        let stray = self.r.chance(STRAYS);
        let mut entries: Vec<(Vec<usize>, Scalar)> = Vec::new();
        let all: usize = shape.iter().product();
        for n in 0..all.min(600) {
            let mut rest = n;
            let mut at = vec![0; shape.len()];
            for (c, &size) in at.iter_mut().zip(&shape).rev() {
                (*c, rest) = (rest % size, rest / size);
            }
            let value = match stray && self.r.chance(20) {
                true => self.r.pick(&[-1, size as i64, i64::MAX, i64::MIN]),
                false => self.r.number_below(size.max(1)) as i64,
            };
            if format == "dense" || self.r.chance(70) {
                entries.push((at, Scalar::I64(value).cast(dtype)));
            }
        }
        let mut operand = CaseOperand { name: name.into(), dtype, shape, format, entries };
        data::keep_triangle(&mut operand);
        if operand.pack().is_err() {
            operand.format = if operand.shape.is_empty() { "dense".into() } else { "csf".into() };
        }
        self.case.tensors.push(operand);
        match vars.is_empty() {
            true => format!("({name})"),
            false => name.into(),
        }
    }
}
