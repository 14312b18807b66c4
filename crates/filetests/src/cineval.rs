//! A case through the parser, the checker and the planner, evaluated as CIN on dense arrays.

use crate::case::Case;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_index::cin::eval::{Array, eval};
use openwork_index::plan::{Plan, plan};
use openwork_index::{Kind, Program, check};
use std::collections::BTreeMap;

/// The plan of a case.
///
/// # Errors
/// Whatever the statement or its declarations deserve.
pub fn planned(case: &Case) -> Result<Plan> {
    let statement = case.statement()?;
    plan(check(&statement, &case.decls(&statement)?)?)
}

/// The values of the result, last mode fastest.
///
/// # Panics
/// When the program has an operand that the case lacks.
pub fn values(case: &Case, p: &Program) -> Vec<Scalar> {
    let mut operands = BTreeMap::new();
    let mut sizes: BTreeMap<_, usize> = p.indices.iter().filter_map(|(v, i)| Some((v, i.size?))).collect();
    for (id, t) in p.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
        let named = case.operand(&t.name).or_else(|| case.operand(t.name.strip_suffix("_old")?));
        let dense = named.unwrap_or_else(|| panic!("the case has no operand {}", t.name)).dense();
        operands.insert(id, Array { shape: dense.shape, values: dense.values });
    }
    for (_, _, rhs) in p.body.assignments() {
        for access in rhs.accesses().into_iter().filter(|a| operands.contains_key(&a.tensor)) {
            sizes.extend(access.vars.iter().copied().zip(operands[&access.tensor].shape.iter().copied()));
        }
    }
    let mut results = eval(p, &operands, &sizes);
    results.pop_first().expect("a program has a result").1.values
}
