//! Loops of variables that values say: they are inside of the loops over what says them.
//!
//! ```text
//! y(i) = x(p(i))          forall i forall c y(i) = where(c == p(i), x(c), 0)
//! y(p(i)) += x(i)         forall i forall c y(c) += where(c == p(i), x(i), 0)
//! ```

use super::concretize::{Concretizer, Nest, SumMethod, TakenReduction};
use super::order::{Constraints, of_operand, of_reduction};
use crate::expr::{Access, IndexExpr, IndexId, TensorId};
use openwork_algebra::{DType, Operator, Prim, Scalar};

/// Whether a scalar says a position.
pub(super) fn says_position(e: &IndexExpr, temp: TensorId) -> bool {
    e.as_position().is_some_and(|(_, value)| is_scalar(value, temp))
        || e.children().any(|c| says_position(c, temp))
}
pub(super) fn is_scalar(e: &IndexExpr, temp: TensorId) -> bool {
    matches!(e, IndexExpr::Access(a) if a.tensor == temp)
}

/// An expression with another value for a position.
fn with_position(e: IndexExpr, v: IndexId, value: &IndexExpr) -> IndexExpr {
    match e.as_position() {
        Some((u, _)) if u == v => {
            let IndexExpr::Call { op, mut args } = e else { return e };
            args[1] = value.clone();
            IndexExpr::Call { op, args }
        }
        _ => e.map_children(&mut |c| with_position(c, v, value)),
    }
}

/// Whether the loop over one variable must be outside of the one over another.
fn leads_to(from: IndexId, to: IndexId, constraints: &Constraints) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while let Some(&v) = seen.get(next) {
        let inner = constraints.iter().filter(|(outer, _)| *outer == v).map(|(_, inner)| *inner);
        let new: Vec<IndexId> = inner.filter(|inner| !seen.contains(inner)).collect();
        seen.extend(new);
        next += 1;
    }
    seen.contains(&to)
}

impl Concretizer<'_> {
    /// The pairs of loops of which the first has to be outside of the second, for what is read.
    pub(super) fn operand_constraints(&self, e: &IndexExpr) -> Constraints {
        let mut out = Constraints::new();
        e.accesses().into_iter().for_each(|a| of_operand(a, &self.tensors, &mut out));
        for v in e.free_vars().into_iter().filter(|v| self.indices[*v].positional) {
            // What says a position is known before.
            let said = e.position_of(v).map_or(Vec::new(), IndexExpr::free_vars);
            out.extend(said.into_iter().map(|outer| (outer, v)));
        }
        e.visit(&mut |part| self.constrain_located(part, &mut out));
        out
    }
    /// Those of a nest that has this value.
    pub(super) fn nest_constraints(&self, n: &Nest, value: &IndexExpr) -> Constraints {
        let mut out = self.operand_constraints(value);
        match n.op {
            None => self.constrain_computed(&n.vars, &mut out),
            Some(op) => {
                let reduced = self.reduced_variables(n);
                of_reduction(op, &reduced, &mut out);
                self.constrain_rows(&n.target, &reduced, &mut out);
            }
        }
        out
    }
    /// Rows that are added up one reduction after the other: the loop along them is inside.
    pub(super) fn constrain_rows(&self, target: &Access, reduced: &[IndexId], out: &mut Constraints) {
        if let (SumMethod::AlongRows, Some(&last)) = (self.sums, target.vars.last()) {
            out.extend(reduced.iter().map(|&r| (r, last)));
        }
    }
    /// An element that is assigned is assigned once: no loop goes over what an operand computes from a position before that is
    /// known.
    fn constrain_computed(&self, vars: &[IndexId], out: &mut Constraints) {
        for &v in vars.iter().filter(|v| self.indices[**v].positional) {
            let computed = |d: &IndexId| {
                let derived = self.indices[*d].derived.as_ref();
                derived.is_some_and(|derived| derived.depends_on().contains(&v))
            };
            out.extend(vars.iter().copied().filter(computed).map(|d| (v, d)));
        }
    }
    /// A variable that an element of an operand locates (`k == p(i)`) has one coordinate inside of the loops over that: unless
    /// operands have to be walked in another order, its loop is there.
    fn constrain_located(&self, e: &IndexExpr, out: &mut Constraints) {
        for side in e.children() {
            let IndexExpr::Index(v) = *side else { continue };
            let Some(value) = e.equated_value(v).filter(|_| !self.indices[v].positional) else { continue };
            let said = value.free_vars();
            // A sum of variables says each of them where the others are known.
            let one_way = self.indices[v].scattered || !value.accesses().is_empty();
            if one_way && !said.iter().any(|&outer| leads_to(v, outer, out)) {
                out.extend(said.into_iter().map(|outer| (outer, v)));
            }
        }
    }

    /// The value of an expression wherever a position that it reads is another one.
    pub(super) fn value_beside_positions(&self, e: &IndexExpr) -> Option<Scalar> {
        let IndexExpr::Call { op, args } = e else { return None };
        let [condition, _, IndexExpr::Literal(beside)] = &args[..] else { return None };
        (op.prim == Prim::Select && condition.says_positions(&self.indices)).then_some(*beside)
    }

    /// A result that keeps every coordinate gets one value for each, found or not: what is read at positions is added up to it.
    pub(super) fn reduce_positions_of_runs(&self, lhs: &Access, rhs: IndexExpr) -> IndexExpr {
        let format = &self.tensors[lhs.tensor].format;
        let mut vars = self.computed_beside(lhs, &rhs);
        vars.retain(|v| self.indices[*v].positional);
        if vars.is_empty() || !format.is_full() || format.is_dense() {
            return rhs;
        }
        let dtype = self.tensors[lhs.tensor].dtype;
        let plus = if dtype == DType::Bool { "or" } else { "add" };
        let op = Operator::find(plus).expect("sums are operators");
        let nothing = IndexExpr::Literal(Scalar::zero(dtype));
        let body = match rhs {
            IndexExpr::Call { op, mut args } if op.is_mask() && args[0].says_positions(&self.indices) => {
                args[2] = nothing;
                IndexExpr::Call { op, args }
            }
            other => other,
        };
        IndexExpr::Reduce { op, vars, body: Box::new(body) }
    }
    /// Takes out the values of positions that have to be searched for, or reduced: each is known before the loop over its
    /// position, in a scalar.
    pub(super) fn take_positions(
        &mut self,
        e: IndexExpr,
        n: &Nest,
        taken: &mut Vec<TakenReduction>,
    ) -> IndexExpr {
        let constraints = self.operand_constraints(&e);
        let searched = |v: &IndexId, c: &Self| {
            let value = e.position_of(*v)?;
            let said = value.free_vars();
            let here = |outer: &IndexId| {
                let open = n.vars.contains(outer) || n.bound.contains(outer);
                open && constraints.contains(&(*outer, *v))
            };
            let inside = !said.is_empty() && said.iter().all(here);
            let located = c.indices[*v].positional || inside;
            (located && !value.is_known_outside(&c.tensors)).then(|| value.clone())
        };
        let Some((v, body)) = n.vars.iter().find_map(|v| Some((*v, searched(v, self)?))) else { return e };
        let op = Operator::find("add").expect("add is an operator");
        let temp = self.temp(op, DType::I64);
        taken.push(TakenReduction { op, vars: Vec::new(), free: body.free_vars(), body, temp });
        let known = IndexExpr::Access(Access { tensor: temp, vars: Vec::new() });
        self.take_positions(with_position(e, v, &known), n, taken)
    }
}
