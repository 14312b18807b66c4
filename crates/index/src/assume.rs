//! Assumptions of a statement: values beside an annihilator that only decides as long as they are what it assumes.
//!
//! `A(i,j) / d(i)` is 0 where the sparse `A` stores nothing, unless `d(i)` is 0 or NaN: then it is NaN in the whole row.
//! Kernels are made for the first case and visit what `A` stores. Before they run, each [`Check`] tells whether there is
//! anything else; if so, the coordinates where there is become an operand of their own, and the
//! [strict](Assumptions::strict) statement visits these as well.
//!
//! ```text
//! Y(i,j) = A(i,j) / d(i)                              what is run
//! Z(i) = 0 / d(i) != 0                                what is checked
//! Y(i,j) = beside(A(i,j) / d(i), Z(i))                what is run where Z is not empty
//! ```

use crate::check::{Assignment, FormatChoice};
use crate::expr::{Access, Holds, IndexExpr, IndexId, TensorId, TensorKind, TensorVar, fill_of};
use openwork_algebra::operator::Assumes;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::Arena;
use openwork_format::{Format, presets};
use std::borrow::Cow;

/// A value that must be what an operator assumes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The operator.
    pub op: &'static Operator,
    /// What it assumes.
    pub assumes: Assumes,
    /// The value that decides beside it, if so.
    pub decides: Scalar,
    /// The value.
    pub value: IndexExpr,
}

pub(crate) type Tensors = Arena<TensorId, TensorVar>;

/// The expression with operators that rely on nothing where no operand leaves out what decides, or their assumption does
/// not even hold of fill values.
pub(crate) fn drop_vain_assumptions(e: IndexExpr, tensors: &Tensors) -> IndexExpr {
    match e.map_children(&mut |c| drop_vain_assumptions(c, tensors)) {
        IndexExpr::Call { op, args } if op.assumes.is_some() => {
            let relies = relies_on(op, &args, tensors);
            IndexExpr::Call { op: if relies { op } else { op.without_assumptions() }, args }
        }
        IndexExpr::Call { op, args } => {
            let absorbing = op.absorbing_variants().find(|op| relies_on(op, &args, tensors));
            IndexExpr::Call { op: absorbing.unwrap_or(op), args }
        }
        e => e,
    }
}

/// Whether `op` has an argument that decides where nothing is stored, and what it assumes of the others holds of their fill
/// values.
fn relies_on(op: &'static Operator, args: &[IndexExpr], tensors: &Tensors) -> bool {
    // What decides everywhere is computed with: there is no place to leave out.
    let relies = |n: usize| {
        let decides = decides(op, args, n, tensors)?;
        let everywhere = matches!(args[n], IndexExpr::Literal(_));
        Some(!everywhere && holds_outside(op, args, n, decides, tensors))
    };
    let each: Vec<bool> = (0..args.len()).filter_map(relies).collect();
    !each.is_empty() && each.iter().all(|relies| *relies)
}

/// The annihilator of `op`, if argument `n` has that value where nothing is stored. Operands that store everything may be
/// converted into others, which leave their fill value out.
fn decides(op: &Operator, args: &[IndexExpr], n: usize, tensors: &Tensors) -> Option<Scalar> {
    let fill = fill_of(&args[n], &sparsely(&args[n], tensors))?;
    op.annihilator_at(n, fill.dtype()).filter(|a| a.is_same(fill))
}

/// The tensors with formats that leave out what they may leave out.
fn sparsely<'t>(e: &IndexExpr, tensors: &'t Tensors) -> Cow<'t, Tensors> {
    let full = |t: &TensorVar| t.format.is_full() && !t.format.is_dense();
    if !e.accesses().iter().any(|a| full(&tensors[a.tensor])) {
        return Cow::Borrowed(tensors);
    }
    let mut out = tensors.clone();
    for a in e.accesses() {
        if full(&out[a.tensor]) {
            out[a.tensor].format = presets::csf(a.vars.len().max(1));
        }
    }
    Cow::Owned(out)
}

/// Whether the other arguments let argument `n` decide where they store nothing themselves. What a reduction gives there
/// is no matter of its operand alone.
fn holds_outside(op: &'static Operator, args: &[IndexExpr], n: usize, a: Scalar, tensors: &Tensors) -> bool {
    let reduces = |e: &IndexExpr| {
        let mut found = false;
        e.visit(&mut |e| found |= matches!(e, IndexExpr::Reduce { .. }));
        found
    };
    args.iter().enumerate().filter(|(m, arg)| *m != n && !reduces(arg)).all(|(m, arg)| {
        fill_of(arg, tensors).is_none_or(|fill| {
            let mut both = [a, a];
            both[m] = fill;
            op.without_assumptions().eval(&both).is_some_and(|v| v.is_same(a))
        })
    })
}

/// What a call relies on.
fn of_call(op: &'static Operator, args: &[IndexExpr], tensors: &Tensors) -> Vec<Check> {
    let Some(assumes) = op.assumes else { return Vec::new() };
    let mut out = Vec::new();
    for n in 0..args.len() {
        let Some(decides) = decides(op, args, n, tensors) else { continue };
        let others = args.iter().enumerate().filter(|(m, _)| *m != n);
        let open = others.filter(|(_, value)| !known_to_hold(assumes, value, tensors));
        out.extend(open.map(|(_, value)| Check { op, assumes, decides, value: value.clone() }));
    }
    out
}

/// Whether nothing has to be looked at.
fn known_to_hold(assumes: Assumes, value: &IndexExpr, tensors: &Tensors) -> bool {
    match value {
        IndexExpr::Literal(_) => true,
        IndexExpr::Cast { arg, .. } => assumes != Assumes::Divisor && !arg.dtype(tensors).is_inexact(),
        IndexExpr::Access(_)
        | IndexExpr::Index(_)
        | IndexExpr::Call { .. }
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Reduce { .. } => false,
    }
}

/// What a statement relies on, each [`Check`] once, those of a part before those of the whole, and the names of the operands
/// that say where they fail.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// The statement.
    pub assignment: Assignment,
    /// What it relies on.
    pub checks: Vec<Check>,
    /// One for each check.
    pub names: Vec<String>,
}

impl Assumptions {
    /// Those of a statement; nothing where it relies on nothing.
    pub fn from_assignment(assignment: &Assignment) -> Option<Assumptions> {
        fn collect(e: &IndexExpr, tensors: &Tensors, out: &mut Vec<Check>) {
            e.children().for_each(|c| collect(c, tensors, out));
            if let IndexExpr::Call { op, args } = e {
                for check in of_call(op, args, tensors) {
                    if !out.contains(&check) {
                        out.push(check);
                    }
                }
            }
        }
        let mut checks = Vec::new();
        collect(&assignment.rhs, &assignment.tensors, &mut checks);
        let name = |n: usize| {
            let mut name = format!("beside{n}");
            while assignment.tensors.iter().any(|(_, t)| t.name == name || t.given == name) {
                name.push('_');
            }
            name
        };
        let names = (0..checks.len()).map(name).collect();
        (!checks.is_empty()).then(|| Assumptions { assignment: assignment.clone(), checks, names })
    }
    /// The statement that gives `true` wherever the value of check `n` is not what is assumed, reading where the checks
    /// before it fail.
    pub fn failure_statement(&self, n: usize) -> Assignment {
        let check = &self.checks[n];
        let decides = || IndexExpr::Literal(check.decides);
        let (mut out, places) = self.with_places(n);
        let value = self.visit_places(check.value.clone(), &places);
        let first = check.op.annihilator_at(0, check.decides.dtype()).is_some();
        let args = if first { vec![decides(), value] } else { vec![value, decides()] };
        let met = IndexExpr::Call { op: check.op.without_assumptions(), args };
        let operator = |name| Operator::find(name).expect("a built-in operator");
        let fails = IndexExpr::Call { op: operator("ne"), args: vec![met, decides()] };
        // A mask, so that places where it holds are not stored: the strict statement visits what is.
        let truth = |value| IndexExpr::Literal(Scalar::Bool(value));
        out.rhs = IndexExpr::Call { op: operator("masked"), args: vec![fails, truth(true), truth(false)] };
        let vars = check.value.free_vars();
        let result = &mut out.tensors[out.lhs.tensor];
        *result = TensorVar { kind: TensorKind::Result, ..marks(&result.name, vars.len()) };
        out.lhs.vars = vars;
        out
    }
    /// The statement that visits the coordinates in which assumptions do not hold as well, which it reads.
    pub fn strict(&self) -> Assignment {
        let (mut out, places) = self.with_places(self.checks.len());
        out.rhs = self.visit_places(self.assignment.rhs.clone(), &places);
        out
    }
    /// The statement with the operands that say where the first `n` checks fail.
    fn with_places(&self, n: usize) -> (Assignment, Vec<Access>) {
        let mut out = self.assignment.clone();
        let mut places = Vec::new();
        for (check, name) in self.checks[..n].iter().zip(&self.names) {
            let vars: Vec<IndexId> = check.value.free_vars();
            let tensor = out.tensors.push(marks(name, vars.len()));
            places.push(Access { tensor, vars });
        }
        out.reads.extend(places.iter().cloned());
        out.format_given = FormatChoice::Caller;
        (out, places)
    }
    fn visit_places(&self, e: IndexExpr, places: &[Access]) -> IndexExpr {
        let mut own: Vec<Check> = Vec::new();
        if let IndexExpr::Call { op, args } = &e {
            own = of_call(op, args, &self.assignment.tensors);
        }
        let e = e.map_children(&mut |c| self.visit_places(c, places));
        own.iter().fold(e, |value, check| {
            let n = self.checks.iter().position(|c| c == check).expect("every check was listed");
            IndexExpr::Beside { value: Box::new(value), at: places[n].clone() }
        })
    }
}

impl Check {
    /// The operand of which every value is checked, where it is nothing but that: what is done to its values leaves
    /// what is zero, infinite or NaN as it is, and makes nothing else so.
    pub fn operand(&self, tensors: &Arena<TensorId, TensorVar>) -> Option<TensorId> {
        if matches!(self.assumes, Assumes::AboveLowest | Assumes::BelowHighest)
            && !matches!(self.value, IndexExpr::Access(_))
        {
            // One infinity may become the other one.
            return None;
        }
        fn plain(e: &IndexExpr, tensors: &Tensors) -> Option<TensorId> {
            match e {
                IndexExpr::Access(a) => Some(a.tensor),
                IndexExpr::Cast { to, arg } if keeps(arg.dtype(tensors), *to) => plain(arg, tensors),
                // The magnitude of finite complex numbers may be too large.
                IndexExpr::Call { op, args }
                    if matches!(op.prim, Prim::Neg | Prim::Abs) && !args[0].dtype(tensors).is_complex() =>
                {
                    plain(&args[0], tensors)
                }
                IndexExpr::Cast { .. }
                | IndexExpr::Call { .. }
                | IndexExpr::Literal(_)
                | IndexExpr::Index(_)
                | IndexExpr::Map { .. }
                | IndexExpr::Width(_)
                | IndexExpr::Beside { .. }
                | IndexExpr::Predicate { .. }
                | IndexExpr::Stored { .. }
                | IndexExpr::WithFill { .. }
                | IndexExpr::Reduce { .. } => None,
            }
        }
        // Others wrap, are cut off, overflow or underflow.
        fn keeps(from: DType, to: DType) -> bool {
            from.promote(to) == to || (!from.is_inexact() && to.is_inexact())
        }
        plain(&self.value, tensors)
    }
}

/// A sparse tensor of truth values.
pub(crate) fn marks(name: &str, rank: usize) -> TensorVar {
    let format = match rank {
        0 => presets::dense(0),
        1 => presets::sparse_vector(),
        rank => presets::csf(rank),
    };
    TensorVar {
        name: name.into(),
        given: name.into(),
        dtype: DType::Bool,
        format: Format { fill: None, ..format },
        remap: None,
        fill: Scalar::Bool(false),
        kind: TensorKind::Operand,
        stored: None,
        windows: Vec::new(),
        holds: Holds::Values,
        elements: None,
    }
}
