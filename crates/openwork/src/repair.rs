//! When the operands' storage orders contradict each other, one of them is stored differently first.
//!
//! The candidates for an operand are its other mode orders and, if its levels are unordered or repeat coordinates in a
//! way that cannot be merged, the same tensor fully sorted and compressed. One conversion is tried before several.

use openwork_base::{Error, Result};
use openwork_format::level::{COMPRESSED, DENSE};
use openwork_format::{Format, Level};
use openwork_index::check::Assignment;
use openwork_index::plan::Plan;
use openwork_index::{Kind, TensorId};
use openwork_lower::Lowered;

/// Refusals that another operand format may lift.
const REPAIRABLE: [&str; 3] = ["E0404", "E0406", "E0407"];

/// Builds again with converted operands; `refusal` is what the caller's own formats led to.
///
/// # Errors
/// `refusal`, when no conversion helps.
pub(crate) fn by_conversion(
    a: &Assignment,
    refusal: Error,
    build: &dyn Fn(Assignment) -> Result<(Plan, Lowered)>,
) -> Result<(Plan, Lowered, Vec<(TensorId, Format)>)> {
    if !REPAIRABLE.contains(&refusal.code().0) {
        return Err(refusal);
    }
    let sparse: Vec<TensorId> = a
        .tensors
        .iter()
        .filter(|(_, t)| t.kind == Kind::Operand && !t.format.is_dense())
        .map(|(id, _)| id)
        .collect();
    for &operand in &sparse {
        for format in candidates(&a.tensors[operand].format) {
            if let Some(done) = attempt(a, &[(operand, format)], build) {
                return Ok(done);
            }
        }
    }
    // Every operand in one global order of the variables: the order of their appearance.
    let all: Vec<(TensorId, Format)> = sparse
        .iter()
        .map(|&t| (t, in_global_order(a, t)))
        .filter(|(t, f)| a.tensors[*t].format != *f)
        .collect();
    attempt(a, &all, build).ok_or(refusal)
}

fn attempt(
    a: &Assignment,
    conversions: &[(TensorId, Format)],
    build: &dyn Fn(Assignment) -> Result<(Plan, Lowered)>,
) -> Option<(Plan, Lowered, Vec<(TensorId, Format)>)> {
    let mut changed = a.clone();
    for (tensor, format) in conversions {
        changed.tensors[*tensor].format = format.clone();
    }
    let (plan, lowered) = build(changed).ok()?;
    Some((plan, lowered, conversions.to_vec()))
}

/// Other formats for the same tensor, the closest first.
fn candidates(format: &Format) -> Vec<Format> {
    let mut out = Vec::new();
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
    Format { levels: format.levels.iter().map(level).collect(), ..format.clone() }
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

/// The modes of `tensor` sorted by when their variable first appears in the statement.
fn in_global_order(a: &Assignment, tensor: TensorId) -> Format {
    let format = compressed(&a.tensors[tensor].format);
    let Some(access) = a.rhs.accesses().into_iter().find(|x| x.tensor == tensor).cloned() else {
        return format;
    };
    let mut modes: Vec<usize> = (0..format.rank()).collect();
    modes.sort_by_key(|&m| access.vars[m]);
    Format { modes, ..format }
}
