//! A case through the parser, the checker and the planner, evaluated as CIN on dense arrays.

use crate::case::Case;
use openwork::Conversion;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_index::cin::eval::{Array, eval};
use openwork_index::plan::{Plan, plan};
use openwork_index::{Kind, Program, check, schedule};
use std::collections::BTreeMap;

/// The plan of a case.
///
/// # Errors
/// Whatever the statement or its declarations deserve.
pub fn planned(case: &Case) -> Result<Plan> {
    let statement = case.statement()?;
    schedule::apply(plan(check(&statement, &case.decls(&statement)?)?)?, &case.commands()?)
}

/// The values of the result, last mode fastest. Operands that `conversions` make are made here too, on dense arrays.
///
/// # Panics
/// When the program has an operand that the case lacks.
pub fn values(case: &Case, p: &Program, conversions: &[Conversion]) -> Vec<Scalar> {
    let mut operands = BTreeMap::new();
    let mut sizes: BTreeMap<_, usize> = p.indices.iter().filter_map(|(v, i)| Some((v, i.size?))).collect();
    for (id, t) in p.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
        let conversion = conversions.iter().find(|c| c.tensor == id);
        let name = conversion.map_or(t.given.as_str(), |c| c.source.as_str());
        let named = case.operand(name);
        let dense = case.dense(named.unwrap_or_else(|| panic!("the case has no operand {name}")));
        let array = Array { shape: dense.shape, values: dense.values };
        operands.insert(id, conversion.map_or(array.clone(), |c| converted(&array, &c.modes)));
    }
    for (_, _, rhs) in p.body.assignments() {
        for access in rhs.accesses().into_iter().filter(|a| operands.contains_key(&a.tensor)) {
            let modes = p.tensors[access.tensor].mode_vars(access);
            sizes.extend(modes.into_iter().zip(operands[&access.tensor].shape.iter().copied()));
        }
    }
    for (a, b) in p.alike() {
        if let Some(&size) = sizes.get(&a).or_else(|| sizes.get(&b)) {
            sizes.extend([(a, size), (b, size)]);
        }
    }
    let mut results = eval(p, &operands, &sizes);
    results.pop_first().expect("a program has a result").1.values
}

/// The array over the distinct numbers of `modes`, where mode `m` of `from` has the coordinate of mode `modes[m]`.
fn converted(from: &Array, modes: &[usize]) -> Array {
    let rank = modes.iter().map(|&k| k + 1).max().unwrap_or(0);
    let size = |k: usize| from.shape[modes.iter().position(|&m| m == k).unwrap_or(0)];
    let shape: Vec<usize> = (0..rank).map(size).collect();
    let mut values = Vec::new();
    for n in 0..shape.iter().product() {
        let mut rest: usize = n;
        let mut coords = vec![0; rank];
        for k in (0..rank).rev() {
            coords[k] = rest % shape[k];
            rest /= shape[k];
        }
        let at = modes.iter().zip(&from.shape).fold(0, |at, (&k, size)| at * size + coords[k]);
        values.push(from.values[at]);
    }
    Array { shape, values }
}
