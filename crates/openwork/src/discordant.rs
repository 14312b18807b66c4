//! Accesses that loops make across the order in which a tensor is stored.

use openwork_index::cin::CinNames;
use openwork_index::{Access, CinStmt, IndexId, Program, TensorId};

/// One line for each access to a dense part of a tensor whose neighbours in memory are not visited one after the other,
/// because a loop inside steps over an outer dimension.
pub(crate) fn discordant(program: &Program) -> Vec<String> {
    let mut out = Vec::new();
    let mut seen: Vec<(TensorId, IndexId)> = Vec::new();
    walk(&program.body, &mut Vec::new(), &mut |a, around| {
        let Some((inner, outer)) = crossing_loops(program, a, around) else { return };
        if !seen.contains(&(a.tensor, inner)) {
            seen.push((a.tensor, inner));
            let names = CinNames { tensors: &program.tensors, indices: &program.indices };
            let (inner, outer) = (&program.indices[inner].name, &program.indices[outer].name);
            let access = names.access(a);
            out.push(format!(
                "{access} is stored with `{outer}` innermost, but `{inner}` is the loop inside"
            ));
        }
    });
    out
}

/// Two variables of adjacent dense levels that nest against the storage: the loop inside, and the inner level's.
fn crossing_loops(program: &Program, a: &Access, around: &[IndexId]) -> Option<(IndexId, IndexId)> {
    let format = &program.tensors[a.tensor].format;
    let depth = |k: usize| around.iter().position(|&v| v == a.vars[format.modes[k]]);
    let pairs = (1..format.depth()).filter(|&k| format.levels[k].full() && format.levels[k - 1].full());
    let mut turned = pairs.filter(|&k| matches!((depth(k - 1), depth(k)), (Some(o), Some(i)) if o > i));
    turned.next().map(|k| (a.vars[format.modes[k - 1]], a.vars[format.modes[k]]))
}

fn walk(s: &CinStmt, around: &mut Vec<IndexId>, f: &mut dyn FnMut(&Access, &[IndexId])) {
    if let CinStmt::Forall { index, .. } = s {
        around.push(*index);
    }
    if let CinStmt::Assign { lhs, rhs, .. } = s {
        rhs.accesses().into_iter().chain([lhs]).for_each(|a| f(a, around));
    }
    s.children().for_each(|child| walk(child, around, f));
    if let CinStmt::Forall { .. } = s {
        around.pop();
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, Decl, Decls, Format, FormatExt, Session};

    #[test]
    fn the_operand_that_is_read_by_columns_is_named() {
        let lines = |text: &str| {
            let mut decls = Decls::default();
            for (name, rank) in [("A", 2), ("B", 2), ("x", 1)] {
                let format = Some(Format::parse("dense", rank).unwrap());
                // Too large to be stored in another order for one statement.
                let shape = Some(vec![20_000; rank]);
                let decl = Decl { dtype: Some(DType::F64), format, shape, ..Decl::default() };
                decls.tensors.insert(name.into(), decl);
            }
            let stages = Session::global().stages(text, &decls).unwrap();
            super::discordant(&stages.plan.program)
        };
        assert_eq!(lines("y(i) = A(i,j) * x(j)"), Vec::<String>::new());
        let transposed = lines("C(i,j) = A(i,j) + B(j,i)");
        assert_eq!(transposed, ["B(j,i) is stored with `i` innermost, but `j` is the loop inside"]);
    }
}
