//! Statements with some operands stored differently, each use by itself.

use crate::formats::with_roomy_widths;
use crate::step::Conversion;
use openwork_format::{Format, Level, presets};
use openwork_index::check::Assignment;
use openwork_index::window::part_name;
use openwork_index::{Access, IndexExpr, TensorId, TensorKind, TensorVar};
use openwork_lower::cost::{assumed_count, coordinates};

/// An assignment with some operands stored in other formats, and the conversions that make them so.
pub(crate) fn change_operands(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
) -> (Assignment, Vec<Conversion>) {
    let mut changed = a.clone();
    let mut conversions = always.to_vec();
    for (tensor, format) in changes {
        let all = coordinates(sizes(a, *tensor));
        let t = &mut changed.tensors[*tensor];
        let level = |such: fn(Level) -> bool| t.format.levels.iter().any(|l| such(*l));
        // Slots without an element and runs are not what another format stores: these cover every coordinate.
        t.stored = t.elements.or_else(|| {
            if level(Level::shares_positions) {
                Some(all as usize)
            } else if level(Level::is_masked) {
                Some(assumed_count(all) as usize)
            } else {
                t.stored
            }
        });
        t.format = format.clone();
        // What is stored differently is the part that is read.
        let windows = std::mem::take(&mut t.windows);
        let first = conversions.iter().all(|c| c.tensor != *tensor);
        if !windows.is_empty() && first {
            t.given = part_name(&t.given, &windows);
        } else if first && a.tensors.iter().any(|(id, other)| id != *tensor && other.given == t.given) {
            // A part of it is read as the caller stores it.
            let given = fresh_name(&changed, &given_name(a, *tensor));
            changed.tensors[*tensor].given = given;
        }
        let t = &changed.tensors[*tensor];
        match conversions.iter_mut().find(|c| c.tensor == *tensor) {
            Some(known) => (known.format, known.windows) = (format.clone(), windows),
            None => conversions.push(Conversion {
                tensor: *tensor,
                source: given_name(a, *tensor),
                made: t.given.clone(),
                windows,
                from: a.tensors[*tensor].format.clone(),
                modes: (0..format.rank()).collect(),
                format: format.clone(),
            }),
        }
    }
    (changed, conversions)
}

/// The sizes of the modes of an operand, where they are known.
fn sizes(a: &Assignment, operand: TensorId) -> impl Iterator<Item = Option<usize>> {
    let access = a.rhs.accesses().into_iter().find(|x| x.tensor == operand);
    access.into_iter().flat_map(|x| &x.vars).map(|&v| a.indices[v].size)
}

/// `A_2`, `A_3`…: the first that no tensor has.
fn fresh_name(a: &Assignment, name: &str) -> String {
    let taken = |n: &String| a.tensors.iter().any(|(_, t)| t.name == *n || t.given == *n);
    (2..).map(|n| format!("{name}_{n}")).find(|n| !taken(n)).unwrap_or_default()
}

fn given_name(a: &Assignment, operand: TensorId) -> String {
    a.tensors[operand].given.clone()
}

/// Gives every distinct use of a sparse operand a tensor of its own, and every use on a diagonal the diagonal.
pub(crate) fn one_operand_per_use(a: &Assignment) -> (Assignment, Vec<Conversion>) {
    let mut out = a.clone();
    let mut conversions: Vec<Conversion> = Vec::new();
    let mut seen: Vec<(Access, Access)> = Vec::new();
    let mut uses: Vec<TensorId> = Vec::new();
    for access in a.rhs.accesses() {
        let t = &a.tensors[access.tensor];
        if t.format.is_dense() || t.kind != TensorKind::Operand || seen.iter().any(|(old, _)| old == access) {
            continue;
        }
        let mut vars = access.vars.clone();
        let mut modes = Vec::new();
        for (m, v) in access.vars.iter().enumerate() {
            let first = access.vars.iter().position(|w| w == v).unwrap_or(m);
            modes.push(if first == m {
                modes.iter().copied().max().map_or(0, |k: usize| k + 1)
            } else {
                modes[first]
            });
        }
        let diagonal = modes.iter().copied().max().map_or(0, |k| k + 1) < vars.len();
        if !diagonal && !uses.contains(&access.tensor) {
            uses.push(access.tensor);
            continue;
        }
        let mut format = t.format.clone();
        if diagonal {
            let mut kept = Vec::new();
            vars.retain(|v| {
                let new = !kept.contains(v);
                kept.push(*v);
                new
            });
            let roomy = with_roomy_widths(&format);
            format = Format { fill: format.fill, pos: roomy.pos, crd: roomy.crd, ..presets::csf(vars.len()) };
        }
        let name = fresh_name(&out, &t.name);
        let tensor =
            out.tensors.push(TensorVar { given: name.clone(), name, format: format.clone(), ..t.clone() });
        let (source, from) = (given_name(a, access.tensor), t.format.clone());
        let (made, windows) = (out.tensors[tensor].given.clone(), Vec::new());
        conversions.push(Conversion { tensor, source, made, windows, from, modes, format });
        seen.push((access.clone(), Access { tensor, vars }));
    }
    out.rhs = rename_accesses(out.rhs, &seen);
    (out, conversions)
}

fn rename_accesses(e: IndexExpr, uses: &[(Access, Access)]) -> IndexExpr {
    let other = |a: Access| uses.iter().find(|(old, _)| *old == a).map_or(a, |(_, new)| new.clone());
    e.with_access(&other).map_children(&mut |c| rename_accesses(c, uses))
}
