//! The variants of a plan, as its steps, its kernel and its operands allow them.

use crate::formats::plain_format;
use crate::step::{Rearranged, Step};
use crate::thresholds::{elements_to_lend, slots_to_rearrange, visits_to_lend};
use crate::variant::{Guard, Unless, Variant};
use openwork_format::{Format, Rearrangement};
use openwork_index::assume::Assumptions;
use openwork_index::{IndexExpr, IndexId, Program, TensorId, TensorKind};
use openwork_lower::{InPlace, Lender};

/// An operand that a statement copies.
struct Copied<'a> {
    operand: TensorId,
    /// The mode of the operand that each mode of the result is.
    modes: Vec<usize>,
    /// The format that the result is in afterwards.
    format: &'a Format,
}

/// The facts about a plan that its variants follow from.
pub struct VariantFacts<'a> {
    /// The program of the kernel.
    pub program: &'a Program,
    /// Its steps.
    pub steps: &'a [Step],
    /// How many kernels compute it one after the other.
    pub pieces: usize,
    /// Whether NaN in the result may hide what an annihilator decides.
    pub may_hide_annihilator: bool,
    /// The operand that may lend the result its structure.
    pub lender: Option<&'a Lender>,
    /// Whether the kernel for values alone may round otherwise than the one that appends. Then what was run before must not
    /// decide which one runs, as equal operands have equal results.
    pub values_round_apart: bool,
    /// The operands in whose memory the kernel may compute its result.
    pub places: Vec<InPlace>,
    /// Whether the kernel makes both the structure of its result and the values.
    pub makes_structure_and_values: bool,
    /// What the statement relies on.
    pub relies: Option<&'a Assumptions>,
}

/// The variants of a plan, in the order in which they are preferred.
pub fn variants(facts: &VariantFacts) -> Vec<Variant> {
    let values: Vec<Guard> = facts.relies.map(|_| Guard::Values).into_iter().collect();
    let mut all = in_place_variants(facts);
    let taking = all.len();
    if facts.makes_structure_and_values {
        all.extend(copies(facts));
        // After one that always runs, only the kernel is worth asking for.
        if all[taking..].iter().all(|v| !v.guards.is_empty()) {
            all.extend(lent_variant(facts));
        }
    }
    let unless: Vec<Unless> = facts.may_hide_annihilator.then_some(Unless::Nan).into_iter().collect();
    let plain = match facts.pieces {
        0 => facts.steps.to_vec(),
        n => replace_kernel(facts.steps, (0..n).map(Step::Piece)),
    };
    all.push(Variant { unless, steps: plain, ..Variant::default() });
    if facts.may_hide_annihilator {
        let steps = replace_kernel(facts.steps, [Step::Decide]);
        all.push(Variant { steps, ..Variant::default() });
    }
    for variant in &mut all {
        variant.guards.splice(0..0, values.iter().cloned());
    }
    if let Some(relies) = facts.relies {
        let steps = (0..relies.checks.len()).map(Step::Find).chain([Step::Strict]).collect();
        all.push(Variant { steps, ..Variant::default() });
    }
    all
}

/// The steps of the kernel with others in its place.
fn replace_kernel(steps: &[Step], own: impl IntoIterator<Item = Step> + Clone) -> Vec<Step> {
    let each = |step: &Step| match step {
        Step::Kernel => own.clone().into_iter().collect(),
        other => vec![other.clone()],
    };
    steps.iter().flat_map(each).collect()
}

/// Ways to compute the result in the memory of an operand. What they make must not be rejected, as the operand is gone then.
fn in_place_variants(facts: &VariantFacts) -> Vec<Variant> {
    let own = |step: &Step, id: TensorId| match step {
        Step::Convert(c) | Step::Diagonal(c) | Step::Window(c) | Step::Structure(c) => c.tensor == id,
        Step::Finish(_) => true,
        Step::Alias(_) | Step::Rearrange(_) | Step::ReturnOperand(_) | Step::Lend(_) | Step::Kernel => false,
        Step::Piece(_) | Step::Decide | Step::InPlace(_) | Step::Find(_) | Step::Strict => false,
    };
    let given = |id: TensorId| !facts.steps.iter().any(|step| own(step, id));
    let fits = facts.makes_structure_and_values && facts.pieces == 0;
    let places = facts.places.iter().filter(|place| fits && given(place.operand));
    let checks = |place: &InPlace| (!place.checks.is_empty()).then(|| Guard::Checked(place.checks.clone()));
    let variant = |place: &InPlace| Variant {
        guards: [Guard::Taken(place.operand)].into_iter().chain(checks(place)).collect(),
        steps: replace_kernel(facts.steps, [Step::InPlace(place.operand)]),
        ..Variant::default()
    };
    places.map(variant).collect()
}

/// Ways to copy an operand without the kernel.
fn copies(facts: &VariantFacts) -> Vec<Variant> {
    let finish = facts.steps.iter().find_map(Step::finish);
    let Some(Copied { operand, modes, format }) = copied_operand(facts.program, finish) else {
        return Vec::new();
    };
    let before = |own: Vec<Step>| {
        let around = facts.steps.iter().filter(|s| !matches!(s, Step::Kernel | Step::Finish(_)));
        around.cloned().chain(own).collect::<Vec<_>>()
    };
    let from = &facts.program.tensors[operand].format;
    let mut all = Vec::new();
    if let Some(own) = own_order(&modes, format)
        && let Some(way) = Rearrangement::find(from, &own)
    {
        let guards = vec![Guard::Slots { operand, least: slots_to_rearrange() }];
        let (modes, format) = (modes.clone(), format.clone());
        let steps = before(vec![Step::Rearrange(Rearranged { operand, modes, own, format, way })]);
        all.push(Variant { guards, steps, ..Variant::default() });
    }
    if let Some(format) = finish
        && modes.is_sorted()
        && plain_format(from) == plain_format(&facts.program.tensors[result_of(facts.program)].format)
    {
        let steps = before(vec![Step::ReturnOperand(operand), Step::Finish(format.clone())]);
        all.push(Variant { steps, ..Variant::default() });
    }
    all
}

/// The format in which the operand's own modes are stored in the order of the result's. Of computed coordinates the kernel makes
/// the result, which is converted.
fn own_order(modes: &[usize], format: &Format) -> Option<Format> {
    if modes.is_sorted() {
        return Some(format.clone());
    }
    if format.remap.is_some() {
        return None;
    }
    let order = format.modes.iter().map(|&m| modes[m]).collect();
    Some(Format { modes: order, ..format.clone() })
}

/// The operand that a program copies element by element, if that is all that it does.
fn copied_operand<'a>(program: &'a Program, finish: Option<&'a Format>) -> Option<Copied<'a>> {
    let Program { tensors, body, .. } = program;
    let result = result_of(program);
    let mut made = body.assignments().into_iter().filter(|(lhs, ..)| lhs.tensor == result);
    let (Some((lhs, None, rhs)), None) = (made.next(), made.next()) else { return None };
    let read = match rhs {
        IndexExpr::Access(read) => read,
        // Placed out of order: what is stored of it.
        IndexExpr::Map { of, to } if **to == IndexExpr::Access(of.clone()) => of,
        _ => return None,
    };
    let (from, to) = (&tensors[read.tensor], &tensors[result]);
    let whole = from.kind == TensorKind::Operand && !from.is_windowed();
    let plain = whole && from.remap.is_none() && to.remap.is_none();
    let place = |v: &IndexId| read.vars.iter().position(|w| w == v);
    let modes: Vec<usize> = lhs.vars.iter().map(place).collect::<Option<_>>()?;
    let copies = plain && read.vars.len() == modes.len();
    // Each mode is one of the operand's, and where every value is stored, any one.
    let dense = from.format.is_dense() && to.format.is_dense();
    let placed = read.vars == lhs.vars || dense && (0..modes.len()).all(|m| modes.contains(&m));
    let alike = from.dtype == to.dtype && from.fill.is_same(to.fill);
    let format = finish.unwrap_or(&to.format);
    (copies && placed && alike).then_some(Copied { operand: read.tensor, modes, format })
}

fn result_of(program: &Program) -> TensorId {
    let result = program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result);
    result.map(|(id, _)| id).expect("every program has a result")
}

/// The way in which an operand lends the result its structure.
fn lent_variant(facts: &VariantFacts) -> Option<Variant> {
    let lender = facts.lender.filter(|_| facts.pieces == 0)?;
    let operand = lender.operand;
    let mut guards = Vec::new();
    if !facts.values_round_apart {
        guards.push(Guard::Slots { operand, least: elements_to_lend() });
    }
    if !lender.others.is_empty() {
        guards.push(Guard::SameStructure { operand, others: lender.others.clone() });
    }
    if !facts.values_round_apart {
        guards.push(Guard::NeverRejected);
        guards.push(Guard::Visited { operand, least: visits_to_lend() });
    }
    let fill = facts.program.tensors[result_of(facts.program)].fill;
    let dropped = lender.drops.then_some(Unless::Value(fill));
    let may_hide_annihilator = facts.may_hide_annihilator.then_some(Unless::Nan);
    let unless = dropped.into_iter().chain(may_hide_annihilator).collect();
    let steps = replace_kernel(facts.steps, [Step::Lend(lender.clone())]);
    Some(Variant { guards, unless, steps, values_round_apart: facts.values_round_apart })
}
