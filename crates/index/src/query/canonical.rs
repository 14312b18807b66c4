//! Queries as CIN, in their canonical form (formats thesis, §6.2.3.2).
//!
//! ```text
//! id      forall j1.. Q(by) |= map(B, true)
//! count   (forall by, of  Q(by) += map(W(by, of), 1)) where (forall j1.. W(by, of) |= map(B, true))
//! max     forall j1.. Q(by) max= map(B, c - low + 1)
//! min     forall j1.. Q(by) max= map(B, high - c + 1)
//! ```
//! Where the least or largest value of what is measured is not known before the sizes are, the answer is not shifted;
//! it starts at the least number instead, as it does for [`QueryFunction::Min`].

use super::{Aggregate, Measure, QueryFunction};
use crate::cin::CinStmt;
use crate::expr::{Access, Holds, IndexExpr, IndexId, IndexVar, TensorId, TensorKind, TensorVar};
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::Arena;
use openwork_format::presets;

/// The subject of a query: the elements that it is about.
#[derive(Clone, Debug)]
pub struct QuerySubject {
    /// The stored elements.
    pub of: Access,
    /// The loops that enumerate them, outermost first: the variables of `of`.
    pub loops: Vec<IndexId>,
    /// Names of coordinates and their variables.
    pub names: Vec<(String, Vec<IndexId>)>,
}

/// The tensor that holds the answer of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The temporary.
    pub temp: TensorId,
    /// The coordinates that it is a map of.
    pub by: Vec<IndexId>,
    /// The answer is `sign * (stored - shift)`.
    pub shift: i64,
    /// 1 or -1.
    pub sign: i64,
    /// What is stored where there is no element.
    pub none: Scalar,
    /// The aggregate's name.
    pub label: String,
}

impl QuerySubject {
    fn variables(&self, name: &str) -> Vec<IndexId> {
        self.names.iter().filter(|(n, _)| n == name).flat_map(|(_, vars)| vars.iter().copied()).collect()
    }
}

/// The statement that computes one aggregate, and where its answer will be.
pub fn canonical(
    subject: &QuerySubject,
    by: &[String],
    aggregate: &Aggregate,
    tensors: &mut Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
) -> (CinStmt, Answer) {
    let by: Vec<IndexId> = by.iter().flat_map(|n| subject.variables(n)).collect();
    let label = aggregate.label.clone();
    let op = |name: &str| Operator::find(name).expect("a built-in operator");
    let map = |of: Access, to: IndexExpr| IndexExpr::Map { of, to: Box::new(to) };
    let one = || IndexExpr::Literal(Scalar::I64(1));
    let loops = |s: CinStmt, more: &[IndexId]| CinStmt::foralls(&append_new(&subject.loops, more), s);
    let answer =
        |temp, shift, sign, none| Answer { temp, by: by.clone(), shift, sign, none, label: label.clone() };
    match &aggregate.function {
        QueryFunction::Id => {
            let (temp, q) = temporary(tensors, indices, "Q", DType::Bool, &by, Scalar::Bool(false));
            let rhs = map(subject.of.clone(), IndexExpr::Literal(Scalar::Bool(true)));
            let s = CinStmt::Assign { lhs: q, op: Some(op("or")), rhs };
            (loops(s, &by), answer(temp, 0, 1, Scalar::Bool(false)))
        }
        QueryFunction::Count(of) => {
            let of: Vec<IndexId> = of.iter().flat_map(|n| subject.variables(n)).collect();
            let tuple = append_new(&by, &of);
            let (_, w) = temporary(tensors, indices, "W", DType::Bool, &tuple, Scalar::Bool(false));
            // Counts take part in every scattered step, and four bytes halve what has to stay in the cache; the number of
            // elements is checked before the kernel runs.
            let (temp, q) = temporary(tensors, indices, "Q", DType::U32, &by, Scalar::U32(0));
            let seen = map(subject.of.clone(), IndexExpr::Literal(Scalar::Bool(true)));
            let producer = loops(CinStmt::Assign { lhs: w.clone(), op: Some(op("or")), rhs: seen }, &tuple);
            let rhs = map(w, IndexExpr::Literal(Scalar::U32(1)));
            let counted = CinStmt::Assign { lhs: q, op: Some(op("add")), rhs };
            let consumer = Box::new(CinStmt::foralls(&tuple, counted));
            let s = CinStmt::Where { consumer, producer: Box::new(producer) };
            (s, answer(temp, 0, 1, Scalar::U32(0)))
        }
        QueryFunction::Max(m) | QueryFunction::Min(m) => {
            let least = matches!(aggregate.function, QueryFunction::Min(_));
            let shifted = !least && m.less.is_none() && starts_at_zero(subject, m, indices);
            let none = if shifted { Scalar::I64(0) } else { Scalar::I64(i64::MIN) };
            let (temp, q) = temporary(tensors, indices, "Q", DType::I64, &by, none);
            let measured = measure_subject(subject, m);
            let value = match (least, shifted) {
                (true, _) => IndexExpr::Call { op: op("neg"), args: vec![measured] },
                (false, true) => IndexExpr::Call { op: op("add"), args: vec![measured, one()] },
                (false, false) => measured,
            };
            let used = append_new(
                &subject.variables(&m.of),
                &m.less.as_ref().map_or(Vec::new(), |l| subject.variables(l)),
            );
            let s = CinStmt::Assign { lhs: q, op: Some(op("max")), rhs: map(subject.of.clone(), value) };
            let (shift, sign) = (i64::from(shifted), if least { -1 } else { 1 });
            (loops(s, &append_new(&by, &used)), answer(temp, shift, sign, none))
        }
    }
}

fn measure_subject(subject: &QuerySubject, m: &Measure) -> IndexExpr {
    let index = |name: &str| {
        subject.variables(name).first().map_or(IndexExpr::Literal(Scalar::I64(0)), |v| IndexExpr::Index(*v))
    };
    match &m.less {
        None => index(&m.of),
        Some(less) => {
            let op = Operator::find("sub").expect("a built-in operator");
            IndexExpr::Call { op, args: vec![index(&m.of), index(less)] }
        }
    }
}
/// Modes and counters count from zero.
fn starts_at_zero(subject: &QuerySubject, m: &Measure, indices: &Arena<IndexId, IndexVar>) -> bool {
    let zero = |v: &IndexId| indices[*v].derived.as_ref().is_none_or(|d| d.counts());
    subject.variables(&m.of).iter().all(zero)
}

/// `first` and what of `more` is not in it.
fn append_new(first: &[IndexId], more: &[IndexId]) -> Vec<IndexId> {
    let mut out = first.to_vec();
    more.iter().for_each(|v| {
        if !out.contains(v) {
            out.push(*v);
        }
    });
    out
}

/// A dense temporary over `vars` whose elements start as `fill`.
pub(super) fn temporary(
    tensors: &mut Arena<TensorId, TensorVar>,
    indices: &Arena<IndexId, IndexVar>,
    base: &str,
    dtype: DType,
    vars: &[IndexId],
    fill: Scalar,
) -> (TensorId, Access) {
    let free = |name: &String| {
        tensors.iter().all(|(_, t)| t.name != *name) && indices.iter().all(|(_, i)| i.name != *name)
    };
    let names = (1..).map(|n| format!("{base}{n}"));
    let name = names.into_iter().find(free).expect("names do not run out");
    let temp = tensors.push(TensorVar {
        given: name.clone(),
        name,
        dtype,
        format: presets::dense(vars.len()),
        remap: None,
        stored: None,
        windows: Vec::new(),
        holds: Holds::Values,
        elements: None,
        fill,
        kind: TensorKind::Temp,
    });
    (temp, Access { tensor: temp, vars: vars.to_vec() })
}
