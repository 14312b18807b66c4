//! Contractions of three or more factors, as steps of two (the order in which a chain of products is multiplied).
//!
//! ```text
//! sum(j,k, A(i,j) * B(j,k) * C(k,l))      sum(k, sum(j, A(i,j) * B(j,k)) * C(k,l))
//!                                         sum(j, A(i,j) * sum(k, B(j,k) * C(k,l)))
//! ```
//! A factor that does not depend on a variable may leave the sum over it, where the operators distribute: products over
//! sums, conjunctions over disjunctions. Results in floating point may differ in rounding, as with any other order of
//! summation.

use crate::check::Assignment;
use crate::expr::{Expr, IndexId};
use openwork_algebra::{Operator, Prim};

/// More factors than these are left as they are.
const FACTORS: usize = 6;

/// The same statement with its contraction taken in steps, in every order that splits it; not the statement itself.
pub fn groupings(a: &Assignment) -> Vec<Assignment> {
    let Expr::Reduce { op, vars, body } = &a.rhs else { return Vec::new() };
    let Some(times) = distributes(op, body) else { return Vec::new() };
    let mut factors = Vec::new();
    flatten(body, times, &mut factors);
    if factors.len() < 3 || factors.len() > FACTORS {
        return Vec::new();
    }
    let c = Contraction { plus: op, times };
    let rhs: Vec<Expr> = c.split(&factors, vars);
    rhs.into_iter().map(|rhs| Assignment { rhs, ..a.clone() }).collect()
}

/// The product that distributes over a sum.
fn distributes(plus: &Operator, body: &Expr) -> Option<&'static Operator> {
    match body {
        Expr::Call { op, .. }
            if matches!((plus.prim, op.prim), (Prim::Add, Prim::Mul) | (Prim::Or, Prim::And)) =>
        {
            Some(op)
        }
        _ => None,
    }
}

fn flatten(e: &Expr, times: &'static Operator, out: &mut Vec<Expr>) {
    match e {
        Expr::Call { op, args } if *op == times => args.iter().for_each(|a| flatten(a, times, out)),
        e => out.push(e.clone()),
    }
}

struct Contraction {
    plus: &'static Operator,
    times: &'static Operator,
}

impl Contraction {
    /// Every way to take one pair first, and then the rest.
    fn split(&self, factors: &[Expr], vars: &[IndexId]) -> Vec<Expr> {
        let mut out = Vec::new();
        for p in 0..factors.len() {
            for q in p + 1..factors.len() {
                let alone = |v: &IndexId| {
                    let other = |n: usize| n != p && n != q && factors[n].mentions(*v);
                    !(0..factors.len()).any(other)
                };
                let own: Vec<IndexId> = vars.iter().copied().filter(alone).collect();
                if own.is_empty() || own.len() == vars.len() && factors.len() == 2 {
                    continue;
                }
                let pair = self.product(&[factors[p].clone(), factors[q].clone()]);
                let step = Expr::Reduce { op: self.plus, vars: own.clone(), body: Box::new(pair) };
                let mut rest: Vec<Expr> = factors.to_vec();
                rest[p] = step;
                rest.remove(q);
                let left: Vec<IndexId> = vars.iter().copied().filter(|v| !own.contains(v)).collect();
                if rest.len() > 2 {
                    out.extend(self.split(&rest, &left));
                }
                out.push(self.sum(self.product(&rest), left));
            }
        }
        out
    }
    fn product(&self, factors: &[Expr]) -> Expr {
        let mut all = factors.iter().cloned();
        let first = all.next().expect("a product has factors");
        all.fold(first, |a, b| Expr::Call { op: self.times, args: vec![a, b] })
    }
    fn sum(&self, body: Expr, vars: Vec<IndexId>) -> Expr {
        if vars.is_empty() { body } else { Expr::Reduce { op: self.plus, vars, body: Box::new(body) } }
    }
}
