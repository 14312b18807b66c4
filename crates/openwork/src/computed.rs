//! How indices that are no variables are done: windows, positions that are computed, gathered or searched for, and equations that
//! say where a value goes.

use openwork_format::Coords;
use openwork_index::cin::CinNames;
use openwork_index::plan::solving::coefficient;
use openwork_index::{Access, IndexExpr, IndexId, Program, TensorKind};

/// One line for each computed index of a program: the index, and what is done about it.
pub(crate) fn computed_indices(program: &Program) -> Vec<String> {
    let names = CinNames { tensors: &program.tensors, indices: &program.indices };
    let mut out: Vec<String> = Vec::new();
    let mut add = |line: String| {
        if !out.contains(&line) {
            out.push(line);
        }
    };
    for (lhs, _, rhs) in program.body.assignments() {
        let reads = rhs.accesses();
        for a in reads.iter().filter(|a| program.tensors[a.tensor].kind == TensorKind::Operand) {
            if program.tensors[a.tensor].is_windowed() {
                add(format!("{}: a window", names.access(a)));
            }
        }
        rhs.visit(&mut |e| {
            let (v, value) = match e.as_position() {
                Some((v, value)) if !matches!(value, IndexExpr::Literal(_)) => (v, value),
                Some(_) | None => return,
            };
            let equation = format!("{} = {}", program.indices[v].name, names.expr(value));
            if let Some(done) = describe_position(program, v, value, &reads, lhs) {
                add(format!("{equation}: {done}"));
            }
        });
    }
    out
}

/// What is done about a variable that is a value.
fn describe_position(
    program: &Program,
    v: IndexId,
    value: &IndexExpr,
    reads: &[&Access],
    lhs: &Access,
) -> Option<String> {
    let index = &program.indices[v];
    let by_operand = !value.accesses().is_empty();
    if !index.positional {
        let sum = value.free_vars().iter().all(|u| coefficient(value, *u).is_some());
        return match (index.scattered, by_operand) {
            (true, true) => Some(format!(
                "scattered, one round for each value that goes to {}",
                tensor_name(program, lhs)
            )),
            (true, false) if sum => Some("inverted, one round for each value that is walked".into()),
            (true | false, _) => None,
        };
    }
    let searched = reads.iter().find(|a| a.vars.contains(&v) && is_searched(program, a, v));
    Some(match (searched, by_operand) {
        (Some(a), true) => format!("gathered, by a search in {}", tensor_name(program, a)),
        (Some(a), false) => format!("searched for in {}", tensor_name(program, a)),
        (None, true) => "gathered".into(),
        (None, false) => "located".into(),
    })
}

/// Whether a coordinate is not where it is computed to be in the level of a variable.
fn is_searched(program: &Program, a: &Access, v: IndexId) -> bool {
    let t = &program.tensors[a.tensor];
    let mut levels = t.format.levels.iter().zip(&t.format.modes);
    t.kind == TensorKind::Operand
        && levels.any(|(l, m)| a.vars.get(*m) == Some(&v) && l.spec.coords == Coords::Stored)
}

fn tensor_name(program: &Program, a: &Access) -> String {
    program.tensors[a.tensor].name.clone()
}
