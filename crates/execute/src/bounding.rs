//! Operands that bound a result, as they tell how much it may store.
//!
//! ```text
//! A(i,j) + B(i,j)                   A and B
//! A(i,j) * B(i,j)                   the one that stores less
//! A(i,j) * B(i,j) + 2 * A(i,j)      A
//! A(i,j) * v(i)                     A: a vector says nothing of how many elements its rows have
//! ```
//! Memory is shared out by this guess; a call that needs more takes it.

use openwork_algebra::{Operator, Prim, Scalar};
use openwork_index::expr::fill_of;
use openwork_index::{Access, IndexExpr, IndexId, Program, TensorId, TensorKind};

/// The operands whose elements together are about as many as the result has at most. `stored`: how many an operand has.
pub(crate) fn find_bounding_operands(
    program: &Program,
    result: TensorId,
    stored: &dyn Fn(TensorId) -> Option<usize>,
) -> Vec<TensorId> {
    let mut all = Bounding { program, vars: &[], stored, found: Vec::new(), unknown: false };
    let mut products: Vec<(&[IndexId], &IndexExpr)> = Vec::new();
    let assignments = program.body.assignments();
    for (lhs, _, rhs) in assignments.iter().filter(|(lhs, ..)| lhs.tensor == result) {
        let mut own = Vec::new();
        all.add(rhs, &mut own);
        products.extend(own.into_iter().map(|e| (&*lhs.vars, e)));
    }
    // What sums have anyway may bound their products as well.
    for (vars, product) in products {
        all.vars = vars;
        match all.find_bounding_factor(product) {
            Some(ids) => all.insert(&ids),
            None => all.insert_all(product),
        }
    }
    if all.unknown || all.found.is_empty() {
        assignments.iter().for_each(|(_, _, rhs)| all.insert_all(rhs));
    }
    all.found
}

/// What is found of the assignments so far.
struct Bounding<'p> {
    program: &'p Program,
    /// The variables of what is assigned.
    vars: &'p [IndexId],
    stored: &'p dyn Fn(TensorId) -> Option<usize>,
    found: Vec<TensorId>,
    /// Whether temporaries say the rest.
    unknown: bool,
}

impl<'p> Bounding<'p> {
    fn insert(&mut self, ids: &[TensorId]) {
        for id in ids {
            if !self.found.contains(id) {
                self.found.push(*id);
            }
        }
    }
    /// The sparse operand of an access.
    fn sparse(&self, a: &Access) -> Option<TensorId> {
        let sparse = !self.program.tensors[a.tensor].format.is_dense();
        (sparse && (self.stored)(a.tensor).is_some()).then_some(a.tensor)
    }
    /// Adds the operands of all terms but products, which are left for later.
    fn add<'e>(&mut self, e: &'e IndexExpr, products: &mut Vec<&'e IndexExpr>) {
        match e {
            IndexExpr::Call { op, .. } if multiplies(op) => products.push(e),
            IndexExpr::Call { args, .. } => args.iter().for_each(|arg| self.add(arg, products)),
            IndexExpr::Cast { arg, .. } => self.add(arg, products),
            _ => self.insert_all(e),
        }
    }
    /// Adds all operands of an expression.
    fn insert_all(&mut self, e: &IndexExpr) {
        let accesses = e.accesses();
        self.unknown |= accesses.iter().any(|a| self.program.tensors[a.tensor].kind == TensorKind::Temp);
        let ids: Vec<TensorId> = accesses.into_iter().filter_map(|a| self.sparse(a)).collect();
        self.insert(&ids);
    }
    /// The operands of the factor that adds the fewest elements, if one has the variables of the result.
    fn find_bounding_factor(&self, product: &IndexExpr) -> Option<Vec<TensorId>> {
        let IndexExpr::Call { args, .. } = product else { return None };
        let factor = |arg: &IndexExpr| match arg {
            IndexExpr::Call { op, .. } if multiplies(op) => self.find_bounding_factor(arg),
            _ => {
                let accesses = arg.accesses();
                let tells =
                    |a: &&Access| self.sparse(a).is_some() && self.vars.iter().all(|v| a.vars.contains(v));
                // `1 - A(i,j)` is something wherever `A` stores nothing.
                let outside = fill_of(arg, &self.program.tensors);
                let ends = outside.is_some_and(|fill| fill.is_same(Scalar::zero(fill.dtype())));
                let all = ends && !accesses.is_empty() && accesses.iter().all(tells);
                all.then(|| accesses.iter().map(|a| a.tensor).collect())
            }
        };
        let more = |ids: &Vec<TensorId>| -> usize {
            let new = ids.iter().filter(|id| !self.found.contains(id));
            new.filter_map(|id| (self.stored)(*id)).fold(0, usize::saturating_add)
        };
        args.iter().filter_map(factor).min_by_key(more)
    }
}

/// Whether an operator's value is nothing where one argument is.
fn multiplies(op: &Operator) -> bool {
    matches!(op.prim, Prim::Mul | Prim::And)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_base::Source;
    use openwork_format::presets;
    use openwork_index::check::{Decl, Decls, check};
    use openwork_index::notation::parse;
    use openwork_index::plan::plan;

    /// The names of the operands that bound a result, where `A` stores least and `C` most.
    fn names(statement: &str) -> Vec<String> {
        let mut decls = Decls::default();
        for (name, format) in [
            ("A", presets::csr()),
            ("B", presets::csr()),
            ("C", presets::csr()),
            ("v", presets::sparse_vector()),
        ] {
            let (format, dtype) = (Some(format), Some(openwork_algebra::DType::F64));
            decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
        }
        let read = parse(&Source::new("statement", statement)).unwrap();
        decls.tensors.retain(|name, _| read.operands().contains(&name.as_str()));
        let program = plan(check(&read, &decls).unwrap()).unwrap().program;
        let name = |id: TensorId| program.tensors[id].name.clone();
        let stored = |id: TensorId| "ABCv".find(&name(id)).map(|n| n + 1);
        let (result, _, _) = program.body.assignments()[0];
        let mut names: Vec<String> =
            find_bounding_operands(&program, result.tensor, &stored).into_iter().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn what_stores_least_bounds_a_product() {
        assert_eq!(names("Y(i,j) = A(i,j) + B(i,j)"), ["A", "B"]);
        assert_eq!(names("Y(i,j) = A(i,j) * B(i,j)"), ["A"]);
        assert_eq!(names("Y(i,j) = A(i,j) * B(i,j) + 2 * A(i,j)"), ["A"]);
        assert_eq!(names("Y(i,j) = C(i,j) * v(i)"), ["C"]);
    }

    #[test]
    fn what_is_something_everywhere_bounds_nothing() {
        assert_eq!(names("Y(i,j) = C(i,j) * (1 - A(i,j))"), ["C"]);
        assert_eq!(names("Y(i,j) = C(i,j) * exp(A(i,j))"), ["C"]);
        assert_eq!(names("Y(i,j) = C(i,j) * f64(A(i,j))"), ["A"]);
    }
}
