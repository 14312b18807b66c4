//! Annihilators beside infinities and NaN: which operators of a statement let them decide by value.
//!
//! An element that is its operator's annihilator decides, whatever stands beside it: `0 * inf` is 0. Sparse operands get this
//! for nothing, as the product is never computed where they store no value. Where both values are there, the machine's own
//! product is computed all the same, and it is NaN just where the annihilator should have decided: as long as that shows in
//! the result, whoever runs the kernel looks for NaN there and only then runs one that lets annihilators decide element by
//! element. Where NaN would not show, annihilators decide at once. They also do where a dense result is one product: to store
//! it and to look at it takes longer than to decide.
//!
//! ```text
//! y(i) += A(i,j) * x(j)                   mul, and y is looked at
//! y(i) += i64(A(i,j) * x(j) > 0)          times: a comparison hides NaN
//! Y(i,j) = A(i,j) * B(i,j)                times, if Y is dense
//! y(i) += 2 * A(i,j)                      mul: 2 annihilates nothing
//! ```

use openwork_algebra::operator::Assumes;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_index::assume::Check;
use openwork_index::{CinStmt, IndexExpr, Program, TensorId, TensorKind};
use std::collections::BTreeSet;

/// The annihilators of a statement that decide element by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decide {
    /// Annihilators of which the result would not show that they should have decided, and the product where a dense result is
    /// one product.
    Hidden,
    /// Annihilators of which no result would show that they should have decided, however it is stored: products of zero have
    /// the signs that they would have in a sparse one.
    Unseen,
    /// All of them.
    Everywhere,
}

/// The program with the primitives in which annihilators decide, and whether its result has to be looked at.
pub fn decide_annihilators(program: &Program, decide: Decide) -> (Program, bool) {
    let mut pass = AnnihilatePass {
        program,
        hidden: BTreeSet::new(),
        decide,
        stored: false,
        may_hide_annihilator: false,
    };
    for (id, t) in program.tensors.iter() {
        // Values equal to the fill may not be stored.
        let shows = t.dtype.is_inexact() && !t.fill.is_nan();
        if t.kind == TensorKind::Result && !shows {
            pass.hidden.insert(id);
        }
    }
    loop {
        let known = pass.hidden.len();
        pass.may_hide_annihilator = false;
        let body = pass.stmt(program.body.clone());
        if pass.hidden.len() == known {
            return (Program { body, ..program.clone() }, pass.may_hide_annihilator);
        }
    }
}

/// The values that must be numbers, or finite, so that no annihilator has to decide in a program whose annihilators are decided:
/// each at most once. Nothing where no look at operands tells: a value is computed, or accumulated.
pub fn checks_against_deciding(program: &Program) -> Option<Vec<Check>> {
    let (hidden, decide) = (BTreeSet::new(), Decide::Hidden);
    let pass = AnnihilatePass { program, hidden, decide, stored: false, may_hide_annihilator: false };
    let mut all = Vec::new();
    for (lhs, op, rhs) in program.body.assignments() {
        pass.collect_checks(rhs, &mut all)?;
        if let Some(op) = op {
            let dtype = program.tensors[lhs.tensor].dtype;
            pass.add_checks(op, dtype, std::slice::from_ref(rhs), &mut all)?;
        }
    }
    Some(all)
}

struct AnnihilatePass<'a> {
    program: &'a Program,
    /// Tensors in which NaN does not reach the result.
    hidden: BTreeSet<TensorId>,
    decide: Decide,
    /// Whether the value of the expression at hand is stored in a dense tensor, and not added up.
    stored: bool,
    may_hide_annihilator: bool,
}

impl AnnihilatePass<'_> {
    fn stmt(&mut self, s: CinStmt) -> CinStmt {
        match s {
            CinStmt::Assign { lhs, op, rhs } => {
                let hidden = self.hidden.contains(&lhs.tensor);
                self.stored = op.is_none() && self.program.tensors[lhs.tensor].format.is_dense();
                let rhs = self.expr(&rhs, hidden);
                let op = op.map(|op| self.operator(op, self.program.tensors[lhs.tensor].dtype, &[], hidden));
                CinStmt::Assign { lhs, op, rhs }
            }
            CinStmt::Nop
            | CinStmt::Forall { .. }
            | CinStmt::Where { .. }
            | CinStmt::Seq(_)
            | CinStmt::Multi(_) => s.map_children(&mut |c| self.stmt(c)),
        }
    }
    /// `hidden`: whether the result would not be NaN if the expression were.
    fn expr(&mut self, e: &IndexExpr, hidden: bool) -> IndexExpr {
        match e {
            IndexExpr::Call { op, args } => {
                let dtype = args[args.len() - 1].dtype(&self.program.tensors);
                let inner = hidden || hides(op.prim, dtype);
                // What is chosen shows, and what is not does not matter.
                let of = |n: usize| if op.prim == Prim::Select && n > 0 { hidden } else { inner };
                let args: Vec<IndexExpr> =
                    args.iter().enumerate().map(|(n, a)| self.expr(a, of(n))).collect();
                let op = self.operator(op, dtype, &args, hidden);
                IndexExpr::Call { op, args }
            }
            IndexExpr::Cast { to, arg } => {
                IndexExpr::Cast { to: *to, arg: Box::new(self.expr(arg, hidden || !to.is_inexact())) }
            }
            IndexExpr::Map { of, to } => {
                IndexExpr::Map { of: of.clone(), to: Box::new(self.expr(to, hidden)) }
            }
            IndexExpr::Beside { value, at } => {
                IndexExpr::Beside { value: Box::new(self.expr(value, hidden)), at: at.clone() }
            }
            IndexExpr::Predicate { .. } => e.clone(),
            IndexExpr::Access(a) => {
                if hidden && self.program.tensors[a.tensor].kind == TensorKind::Temp {
                    self.hidden.insert(a.tensor);
                }
                e.clone()
            }
            IndexExpr::Stored { of, to } => {
                IndexExpr::Stored { of: of.clone(), to: Box::new(self.expr(to, hidden)) }
            }
            IndexExpr::WithFill { op, fill, .. } => {
                let dtype = fill.dtype(&self.program.tensors);
                let inner = hidden || hides(op.prim, dtype);
                let op = self.operator(op, dtype, &[], hidden);
                match e.clone().map_children(&mut |c| self.expr(&c, inner)) {
                    IndexExpr::WithFill { folded, visited, vars, fill, .. } => {
                        IndexExpr::WithFill { op, folded, visited, vars, fill }
                    }
                    e => e,
                }
            }
            IndexExpr::Literal(_) | IndexExpr::Index(_) | IndexExpr::Width(_) => e.clone(),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    fn operator(
        &mut self,
        op: &'static Operator,
        dtype: DType,
        args: &[IndexExpr],
        hidden: bool,
    ) -> &'static Operator {
        if op.guarded.is_none() || !dtype.is_inexact() || self.tame(op, dtype, args) {
            return op;
        }
        let at_once =
            self.decide == Decide::Hidden && self.stored && op.prim == Prim::Mul && dtype.is_float();
        if hidden || at_once || self.decide == Decide::Everywhere {
            return op.guard_variant();
        }
        self.may_hide_annihilator = true;
        op
    }
    /// The checks of every call in an expression.
    fn collect_checks(&self, e: &IndexExpr, all: &mut Vec<Check>) -> Option<()> {
        for child in e.children() {
            self.collect_checks(child, all)?;
        }
        match e {
            IndexExpr::Call { op, args } => {
                let dtype = args[args.len() - 1].dtype(&self.program.tensors);
                self.add_checks(op, dtype, args, all)
            }
            IndexExpr::WithFill { op, .. } => op.guarded.is_none().then_some(()),
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Cast { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. } => Some(()),
            IndexExpr::Reduce { .. } => unreachable!("CIN has no reductions"),
        }
    }
    /// The checks of one call; of an accumulation, `args` has what is added. A product decides beside what is not finite, a
    /// minimum or maximum where neither argument is an ordinary number.
    fn add_checks(
        &self,
        op: &'static Operator,
        dtype: DType,
        args: &[IndexExpr],
        all: &mut Vec<Check>,
    ) -> Option<()> {
        if op.guarded.is_none() || !dtype.is_inexact() || self.tame(op, dtype, args) {
            return Some(());
        }
        let tells = |e: &&IndexExpr| {
            let mut own = e.accesses().into_iter();
            own.all(|a| {
                matches!(self.program.tensors[a.tensor].kind, TensorKind::Operand | TensorKind::Predicate)
            })
        };
        // What is looked at is what an operand stores.
        let holds_of_fill = |assumes: Assumes, e: &IndexExpr| match e {
            IndexExpr::Access(a) => {
                let t = &self.program.tensors[a.tensor];
                t.format.is_full() || assumes.holds_for(t.fill)
            }
            IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Call { .. }
            | IndexExpr::Cast { .. }
            | IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::WithFill { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::Reduce { .. } => true,
        };
        let (assumes, values): (_, Vec<&IndexExpr>) = match op.prim {
            Prim::Mul if args.len() == 2 => (Assumes::Finite, args.iter().collect()),
            // The last one: compound assignments have what is there first.
            Prim::Min => (Assumes::AboveLowest, args.iter().rev().take(1).collect()),
            Prim::Max => (Assumes::BelowHighest, args.iter().rev().take(1).collect()),
            _ => return None,
        };
        let decides = op.annihilator_at(0, dtype)?;
        for value in values {
            if !tells(&value) || !holds_of_fill(assumes, value) {
                return None;
            }
            let check = Check { op, assumes, decides, value: value.clone() };
            if !all.contains(&check) {
                all.push(check);
            }
        }
        Some(())
    }
    /// Whether no argument is an annihilator beside one that is infinite or NaN.
    fn tame(&self, op: &Operator, dtype: DType, args: &[IndexExpr]) -> bool {
        let finite = |e: &IndexExpr| match e {
            IndexExpr::Literal(s) => s.is_finite(),
            IndexExpr::Cast { arg, .. } => !arg.dtype(&self.program.tensors).is_inexact(),
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
        };
        // A finite literal that decides nothing, beside which nothing else has to.
        let decides = |s: Scalar| op.annihilator_at(0, dtype).is_some_and(|a| a.is_same(s));
        let idle = |e: &IndexExpr| matches!(e, IndexExpr::Literal(s) if s.is_finite() && !decides(*s));
        match args {
            [a, b] => a == b || (finite(a) && finite(b)) || idle(a) || idle(b),
            _ => false,
        }
    }
}

/// Whether an operation may give a number where an argument of `dtype` is NaN.
fn hides(prim: Prim, dtype: DType) -> bool {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Fused | Prim::Div | Prim::Neg | Prim::Min | Prim::Max => {
            false
        }
        // The absolute value of a complex number with an infinite part is infinite.
        Prim::Abs => dtype.is_complex(),
        Prim::Times
        | Prim::Least
        | Prim::Most
        | Prim::Eq
        | Prim::Ne
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::And
        | Prim::Or
        | Prim::Xor
        | Prim::Not
        | Prim::Select
        | Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => true,
    }
}
