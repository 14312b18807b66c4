//! A case through the parser, the checker and the planner, evaluated as CIN on dense arrays.

use crate::case::{Case, CaseOperand};
use openwork::Conversion;
use openwork_algebra::{Arithmetic, Scalar};
use openwork_base::Result;
use openwork_index::check::Assignment;
use openwork_index::cin::eval::{Array, eval};
use openwork_index::plan::{Concrete, plan, plan_as_written};
use openwork_index::window::{Reach, Window, structure_name};
use openwork_index::{IndexId, Program, TensorId, TensorKind, check, schedule};
use openwork_levels::Registry;
use openwork_lower::find_predicates;
use openwork_lower::graph::eval::eval as of_graph;
use openwork_lower::graph::{Graph, law};
use std::collections::BTreeMap;

/// The plan of a case.
///
/// # Errors
/// Whatever the statement or its declarations deserve.
pub fn plan_case(case: &Case) -> Result<Concrete> {
    match case.commands()?.is_empty() {
        true => plan(type_case(case)?),
        false => schedule::apply(plan_unscheduled(case)?, &case.commands()?),
    }
}
/// The plan of a case that a schedule's commands are about.
///
/// # Errors
/// As [`plan_case`].
pub fn plan_unscheduled(case: &Case) -> Result<Concrete> {
    plan_as_written(type_case(case)?)
}
fn type_case(case: &Case) -> Result<Assignment> {
    let statement = case.statement()?;
    check(&statement, &case.decls(&statement)?)
}

/// The values of the result, last mode fastest. Operands that `conversions` make are made here too, on dense arrays.
///
/// # Panics
/// When the program has an operand that the case lacks.
pub fn values(case: &Case, p: &Program, conversions: &[Conversion]) -> Vec<Scalar> {
    let (operands, sizes) = inputs(case, p, conversions);
    let mut results = eval(p, &operands, &sizes);
    results.pop_first().expect("a program has a result").1.values
}

/// The same by the iteration graph of the program: nothing where it has none, or counts elements, or relies on what each run
/// looks at before, as quotients and infinities do.
///
/// # Panics
/// As [`values`], and if the graph breaks a law.
pub fn values_of_graph(case: &Case, p: &Program, conversions: &[Conversion]) -> Option<Vec<Scalar>> {
    // As lowering has it.
    let p = &find_predicates(p.clone());
    let graph = Graph::build(p, &Registry::default()).ok()?;
    if let Some(broken) = law::broken_law(&graph, p) {
        panic!("{broken}\n{}", graph.text(p));
    }
    let finite = |t: &CaseOperand| t.entries.iter().all(|(_, v)| v.is_finite()) && t.fill().is_finite();
    let relies = ["/", "inf", "nan"].iter().any(|w| case.text.contains(w));
    if relies || case.arithmetic != Arithmetic::default() || !case.tensors.iter().all(finite) {
        return None;
    }
    let (operands, sizes) = inputs(case, p, conversions);
    let mut results = of_graph(&graph, p, &operands, &sizes)?;
    results.pop_first().map(|(_, array)| array.values)
}

/// The operands of a program as dense arrays, and the sizes of its variables.
fn inputs(
    case: &Case,
    p: &Program,
    conversions: &[Conversion],
) -> (BTreeMap<TensorId, Array>, BTreeMap<IndexId, usize>) {
    let mut operands = BTreeMap::new();
    let mut sizes: BTreeMap<_, usize> = p.indices.iter().filter_map(|(v, i)| Some((v, i.size?))).collect();
    for (id, t) in p.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand) {
        let name = if t.is_structure() { structure_name(&t.given) } else { t.given.clone() };
        operands.insert(id, part(given_array(case, &name, conversions), &t.windows));
    }
    for (_, _, rhs) in p.body.assignments() {
        for access in rhs.accesses().into_iter().filter(|a| operands.contains_key(&a.tensor)) {
            let modes = p.tensors[access.tensor].mode_vars(access);
            sizes.extend(modes.into_iter().zip(operands[&access.tensor].shape.iter().copied()));
        }
    }
    for (a, b) in p.equal_ranges() {
        if let Some(&size) = sizes.get(&a).or_else(|| sizes.get(&b)) {
            sizes.extend([(a, size), (b, size)]);
        }
    }
    (operands, sizes)
}

/// What is called `name`: an operand of the case, or what a step makes.
fn given_array(case: &Case, name: &str, conversions: &[Conversion]) -> Array {
    match conversions.iter().find(|c| c.made == name && c.source != name) {
        Some(c) => convert_array(&part(given_array(case, &c.source, conversions), &c.windows), &c.modes),
        None => {
            let of = |t: &CaseOperand| structure_name(&t.name) == name;
            let dense = match (case.operand(name), case.tensors.iter().find(|t| of(t))) {
                (Some(t), _) => case.dense(t),
                (None, Some(t)) => case.structure(t),
                (None, None) => panic!("the case has no operand {name}"),
            };
            Array { shape: dense.shape, values: dense.values }
        }
    }
}

/// The part of an array in these windows.
fn part(from: Array, windows: &[Window]) -> Array {
    if windows.is_empty() {
        return from;
    }
    let reach = |(w, &size): (&Window, &usize)| w.reach(size).expect("a checked window lies inside its mode");
    let reaches: Vec<Reach> = windows.iter().zip(&from.shape).map(reach).collect();
    let shape: Vec<usize> = reaches.iter().map(|r| r.count).collect();
    let place = |mut n: usize| {
        let (mut at, mut stride) = (0, 1);
        for (r, size) in reaches.iter().zip(&from.shape).rev() {
            at += (r.start + n % r.count * r.step.unsigned_abs() as usize) * stride;
            n /= r.count;
            stride *= size;
        }
        at
    };
    let values = (0..shape.iter().product()).map(|n| from.values[place(n)]).collect();
    Array { shape, values }
}

/// The array over the distinct numbers of `modes`, where mode `m` of `from` has the coordinate of mode `modes[m]`.
fn convert_array(from: &Array, modes: &[usize]) -> Array {
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
