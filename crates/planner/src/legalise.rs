//! The first legal way to compute a statement: the one closest to what was asked for.
//!
//! An obstacle is a [`Conflict`]. Storage orders that contradict each other, levels that cannot be merged or located, and
//! diagonals of sparse operands are lifted by conversions that run before the kernel; results that are filled out of order,
//! by one after it. An operand that is used with different index variables becomes one operand per use, so that `A(i,j) +
//! A(j,i)` can read it in both orders. One conversion is tried before several.

use crate::formats::{alternatives, compressed_format, in_order, intermediates, with_roomy_widths};
use crate::operands::{change_operands, one_operand_per_use};
use crate::step::Conversion;
use crate::way::{BuiltWay, Legality, Way};
use openwork_base::{Conflict, Error, Result};
use openwork_format::{Format, presets};
use openwork_index::check::Assignment;
use openwork_index::plan::{Concrete, conversion, regroup};
use openwork_index::{TensorId, TensorKind};

/// Whether operands that are stored differently may lift a refusal.
fn of_operands(refusal: &Error) -> bool {
    refusal.conflict().is_some_and(|c| c != Conflict::Assembly)
}
/// Whether a result that is stored differently may lift a refusal.
fn of_result(refusal: &Error) -> bool {
    refusal.conflict().is_some_and(|c| c != Conflict::Diagonal)
}

/// The first way that works, the closest to what was asked for.
///
/// # Errors
/// What the assignment as it is was refused for, when nothing helps.
pub(crate) fn first(a: &Assignment, legality: Legality) -> Result<BuiltWay> {
    let with_operands = |a: &Assignment| match as_stored(a, legality) {
        Err(refusal) => match in_pieces(a, &refusal, legality) {
            Some(built) => Ok(built),
            None => by_conversion(a, refusal, legality),
        },
        built => built,
    };
    let wanted = a.tensors[a.lhs.tensor].format.clone();
    let refusal = if in_order(&wanted) {
        match with_operands(a) {
            // A copy needs no dense workspace: storage sorts what another format holds.
            Ok(built) if conversion::copied_operand(a).is_some() && has_workspace(&built.way.concrete) => {
                None
            }
            Err(refusal) if of_result(&refusal) => Some(refusal),
            done => return done,
        }
    } else {
        None
    };
    let mut last = None;
    for format in intermediates(a, &wanted) {
        let mut other = a.clone();
        other.tensors[a.lhs.tensor].format = format;
        match with_operands(&other) {
            Ok(built) => return Ok(built.with_finish(wanted)),
            Err(error) => last = Some(error),
        }
    }
    Err(refusal.or(last).expect("there is always an intermediate format"))
}

/// With operands as they are stored; a copy by placing its elements, where it can.
fn as_stored(a: &Assignment, legality: Legality) -> Result<BuiltWay> {
    match copy(a, legality)? {
        Some(copy) => Ok(copy),
        None => legality.assignment(a.clone()),
    }
}

/// A merge of too many operands, taken in pieces.
fn in_pieces(a: &Assignment, refusal: &Error, legality: Legality) -> Option<BuiltWay> {
    let pieces = regroup::in_pieces(a).filter(|_| refusal.conflict() == Some(Conflict::Size))?;
    legality.assignment(pieces).ok()
}

/// A statement that only copies is a conversion: in one pass where the source's order is the target's, else out of
/// order, where the target's levels can place elements.
///
/// # Errors
/// What lowering refuses.
pub(crate) fn copy(a: &Assignment, legality: Legality) -> Result<Option<BuiltWay>> {
    let wanted = &a.tensors[a.lhs.tensor].format;
    if conversion::copied_operand(a).is_none() {
        return Ok(None);
    }
    if in_order(wanted) {
        let one_pass =
            |b: &BuiltWay| b.way.concrete.program.tensors.iter().all(|(_, t)| t.kind != TensorKind::Temp);
        if let Some(done) = legality.assignment(a.clone()).ok().filter(one_pass) {
            return Ok(Some(done));
        }
    }
    match conversion::out_of_order(a)?.map(|concrete| legality.way(Way::plain(concrete))) {
        Some(Err(refusal)) if of_operands(&refusal) => Ok(None),
        Some(built) => built.map(Some),
        None => Ok(None),
    }
}

/// Whether a plan goes through a dense temporary.
pub(crate) fn has_workspace(plan: &Concrete) -> bool {
    plan.program.tensors.iter().any(|(_, t)| t.kind == TensorKind::Temp && t.format.rank() > 0)
}

/// Builds again with converted operands; `refusal` is what the caller's own formats led to.
///
/// # Errors
/// `refusal`, when no conversion helps.
fn by_conversion(a: &Assignment, refusal: Error, legality: Legality) -> Result<BuiltWay> {
    if !of_operands(&refusal) {
        return Err(refusal);
    }
    let (a, always) = one_operand_per_use(a);
    let attempt = |changes: &[(TensorId, Format)]| attempt(&a, &always, changes, legality);
    if let Some(done) = attempt(&[]) {
        return Ok(done);
    }
    let sparse: Vec<TensorId> = a
        .tensors
        .iter()
        .filter(|(_, t)| t.kind == TensorKind::Operand && !t.format.is_dense())
        .map(|(id, _)| id)
        .collect();
    // Operands stored in another order, or with computed coordinates, as plain lists, and so are runs.
    let listed = |f: &Format| in_order(f) && !f.levels.iter().any(|l| l.shares_positions());
    let unusual: Vec<(TensorId, Format)> = sparse
        .iter()
        .filter(|&&t| !listed(&a.tensors[t].format))
        .map(|&t| (t, compressed_format(&a.tensors[t].format)))
        .collect();
    if unusual.len() > 1
        && let Some(done) = attempt(&unusual)
    {
        return Ok(done);
    }
    for &operand in &sparse {
        for format in alternatives(&a.tensors[operand].format) {
            if let Some(done) = attempt(&[(operand, format)]) {
                return Ok(done);
            }
        }
    }
    // Every operand in one global order of the variables: the result's if it is appended to, or that of appearance.
    let all: Vec<(TensorId, Format)> = sparse
        .iter()
        .map(|&t| (t, in_global_order(&a, t)))
        .filter(|(t, f)| with_roomy_widths(&a.tensors[*t].format) != *f)
        .collect();
    if let Some(done) = attempt(&all) {
        return Ok(done);
    }
    // Merges that would take too much code go away with the operands that need them.
    let dense = |t: TensorId| {
        let format = &a.tensors[t].format;
        (t, Format { fill: format.fill.clone(), ..with_roomy_widths(&presets::dense(format.rank())) })
    };
    let filled = |changes: &[(TensorId, Format)]| attempt_filled(&a, &always, changes, legality);
    let one = sparse.iter().find_map(|&t| filled(&[dense(t)]));
    one.or_else(|| filled(&sparse.iter().map(|&t| dense(t)).collect::<Vec<_>>())).ok_or(refusal)
}

fn attempt(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
    legality: Legality,
) -> Option<BuiltWay> {
    let (changed, conversions) = change_operands(a, always, changes);
    legality.assignment(changed).ok().map(|built| built.with_conversions(conversions))
}

/// With operands that get a slot for every coordinate. These no longer tell which elements they had, so the result has none that
/// is its fill value.
fn attempt_filled(
    a: &Assignment,
    always: &[Conversion],
    changes: &[(TensorId, Format)],
    legality: Legality,
) -> Option<BuiltWay> {
    let (changed, conversions) = change_operands(a, always, changes);
    let mut concrete = legality.plan(changed).ok()?;
    concrete.program.directives.leaves_out_fill = true;
    legality.way(Way::plain(concrete)).ok().map(|built| built.with_conversions(conversions))
}

/// The modes of `tensor` sorted by a global order of the variables: the result's storage order, then appearance.
fn in_global_order(a: &Assignment, tensor: TensorId) -> Format {
    let format = compressed_format(&a.tensors[tensor].format);
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
