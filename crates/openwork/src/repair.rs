//! When the operands cannot be walked as they are stored, some of them are stored differently first.
//!
//! Three refusals of the planner and of lowering are lifted here, by [conversions](Conversion) that run before the
//! kernel: storage orders that contradict each other, levels that cannot be merged or located, and diagonals of sparse
//! operands. An operand that is used with different index variables becomes one operand per use, so that `A(i,j) +
//! A(j,i)` can read it in both orders. One conversion is tried before several.

use crate::convert::Conversion;
use openwork_base::{Error, Result};
use openwork_format::level::{COMPRESSED, DENSE};
use openwork_format::{Format, Level, Width, presets};
use openwork_index::check::Assignment;
use openwork_index::plan::Plan;
use openwork_index::{Access, Expr, Kind, Tensor, TensorId};
use openwork_lower::Lowered;

/// Refusals that another operand format may lift.
const REPAIRABLE: [&str; 4] = ["E0404", "E0405", "E0406", "E0407"];

/// Plans and lowers an assignment.
type Build<'a> = &'a dyn Fn(Assignment) -> Result<(Plan, Lowered)>;

/// Builds again with converted operands; `refusal` is what the caller's own formats led to.
///
/// # Errors
/// `refusal`, when no conversion helps.
pub(crate) fn by_conversion(
    a: &Assignment,
    refusal: Error,
    build: Build,
) -> Result<(Plan, Lowered, Vec<Conversion>)> {
    if !REPAIRABLE.contains(&refusal.code().0) {
        return Err(refusal);
    }
    let (a, always) = one_operand_per_use(a);
    let attempt = |changes: &[(TensorId, Format)]| attempt(&a, &always, changes, build);
    if let Some(done) = attempt(&[]) {
        return Ok(done);
    }
    let sparse: Vec<TensorId> = a
        .tensors
        .iter()
        .filter(|(_, t)| t.kind == Kind::Operand && !t.format.is_dense())
        .map(|(id, _)| id)
        .collect();
    for &operand in &sparse {
        for format in candidates(&a.tensors[operand].format) {
            if let Some(done) = attempt(&[(operand, format)]) {
                return Ok(done);
            }
        }
    }
    // Every operand in one global order of the variables: the result's if it is appended to, or that of appearance.
    let all: Vec<(TensorId, Format)> = sparse
        .iter()
        .map(|&t| (t, in_global_order(&a, t)))
        .filter(|(t, f)| a.tensors[*t].format != *f)
        .collect();
    attempt(&all).ok_or(refusal)
}

fn attempt(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
    build: Build,
) -> Option<(Plan, Lowered, Vec<Conversion>)> {
    let mut changed = a.clone();
    let mut conversions = always.to_vec();
    for (tensor, format) in changes {
        let t = &mut changed.tensors[*tensor];
        t.format = format.clone();
        match conversions.iter_mut().find(|c| c.tensor == *tensor) {
            Some(known) => known.format = format.clone(),
            None => conversions.push(Conversion {
                tensor: *tensor,
                source: given_name(a, *tensor),
                modes: (0..format.rank()).collect(),
                format: format.clone(),
            }),
        }
    }
    let (plan, lowered) = build(changed).ok()?;
    Some((plan, lowered, conversions))
}

fn given_name(a: &Assignment, operand: TensorId) -> String {
    a.tensors[operand].given.clone()
}

/// Gives every distinct use of a sparse operand a tensor of its own, and every use on a diagonal the diagonal.
fn one_operand_per_use(a: &Assignment) -> (Assignment, Vec<Conversion>) {
    let mut out = a.clone();
    let mut conversions: Vec<Conversion> = Vec::new();
    let mut seen: Vec<(Access, Access)> = Vec::new();
    let mut uses: Vec<TensorId> = Vec::new();
    for access in a.rhs.accesses() {
        let t = &a.tensors[access.tensor];
        if t.format.is_dense() || t.kind != Kind::Operand || seen.iter().any(|(old, _)| old == access) {
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
        let name =
            (2..).map(|n| format!("{}_{n}", t.name)).find(|n| out.tensors.iter().all(|(_, t)| t.name != *n));
        let tensor = {
            let name = name.unwrap_or_default();
            out.tensors.push(Tensor { given: name.clone(), name, format: format.clone(), ..t.clone() })
        };
        conversions.push(Conversion { tensor, source: given_name(a, access.tensor), modes, format });
        seen.push((access.clone(), Access { tensor, vars }));
    }
    out.rhs = renamed(out.rhs, &seen);
    (out, conversions)
}

fn renamed(e: Expr, uses: &[(Access, Access)]) -> Expr {
    match e {
        Expr::Access(a) => {
            Expr::Access(uses.iter().find(|(old, _)| *old == a).map_or(a.clone(), |(_, new)| new.clone()))
        }
        e => e.map_children(&mut |c| renamed(c, uses)),
    }
}

/// The same format with index arrays wide enough for any order of the modes: the caller chose narrow ones for his own.
fn with_roomy_widths(format: &Format) -> Format {
    let crd = match format.crd {
        Some(Width::I64 | Width::U32) => Width::I64,
        Some(Width::U8 | Width::U16 | Width::I32) | None => Width::I32,
    };
    format.clone().with_widths(Width::I64, crd)
}

/// Other formats for the same tensor, the closest first.
fn candidates(format: &Format) -> Vec<Format> {
    let mut out = Vec::new();
    let format = &with_roomy_widths(format);
    let regular = compressed(format);
    if regular != *format {
        out.push(regular.clone());
    }
    for modes in permutations(format.rank()) {
        if modes != format.modes {
            out.push(Format { modes: modes.clone(), ..format.clone() });
            out.push(Format { modes, ..regular.clone() });
        }
    }
    out
}

/// The same modes with every level that is not dense sorted, unique and compressed.
fn compressed(format: &Format) -> Format {
    let level = |l: &Level| if l.spec == &DENSE { *l } else { Level::new(&COMPRESSED) };
    let levels = format.levels.iter().map(level).collect();
    Format { levels, ..with_roomy_widths(format) }
}

/// All mode orders; tensors of more than five modes are left to the global order.
fn permutations(rank: usize) -> Vec<Vec<usize>> {
    if rank > 5 {
        return Vec::new();
    }
    let mut out = vec![Vec::new()];
    for _ in 0..rank {
        out = out
            .into_iter()
            .flat_map(|p: Vec<usize>| {
                (0..rank).filter(|m| !p.contains(m)).map(|m| [&p[..], &[m]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    out
}

/// The modes of `tensor` sorted by a global order of the variables: the result's storage order, then appearance.
fn in_global_order(a: &Assignment, tensor: TensorId) -> Format {
    let format = compressed(&a.tensors[tensor].format);
    let Some(access) = a.rhs.accesses().into_iter().find(|x| x.tensor == tensor).cloned() else {
        return format;
    };
    let result = &a.tensors[a.lhs.tensor].format;
    let rank_of = |v| {
        let level = result.modes.iter().position(|&m| a.lhs.vars[m] == v);
        (level.unwrap_or(usize::MAX), v)
    };
    let mut modes: Vec<usize> = (0..format.rank()).collect();
    modes.sort_by_key(|&m| rank_of(access.vars[m]));
    Format { modes, ..format }
}
