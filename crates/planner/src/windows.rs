//! Parts of operands that are taken out before anything else is done with them.
//!
//! ```text
//! y(i) = D(i(0:3),j) * x(j), D in dia
//!   the part of D is taken out, in csr           Step::Window
//!   y(i) = D(i,j) * x(j)                         as any other statement
//! ```
//! Parts of lists and of dense operands stay in their place: kernels walk them there.

use crate::formats::compressed_format;
use crate::step::{Conversion, Step};
use openwork_format::{Format, Level, Needs};
use openwork_index::check::Assignment;
use openwork_index::plan::Reason;
use openwork_index::window::{part_name, structure_name};
use openwork_index::{Access, Holds, TensorId, TensorVar};

/// Which parts are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhichParts {
    /// Those that no kernel walks in the whole.
    Unwalked,
    /// All of them.
    All,
}

/// An assignment whose parts of operands are operands of their own, and the steps that make them, with reasons.
pub(crate) fn taken_out(a: &Assignment, which: WhichParts) -> (Assignment, Vec<(Step, Reason)>) {
    let mut out = a.clone();
    let taken =
        |id: TensorId, t: &TensorVar| t.is_windowed() && (which == WhichParts::All || !is_walked(a, id, t));
    let mut steps = structures(&mut out);
    for tensor in a.tensors.iter().filter(|(id, t)| taken(*id, t)).map(|(id, _)| id) {
        let t = &mut out.tensors[tensor];
        let windows = std::mem::take(&mut t.windows);
        let own = part_name(&t.given, &windows);
        let source = std::mem::replace(&mut t.given, own);
        let modes = (0..t.format.rank()).collect();
        let format = if holds_anything(&t.format) { t.format.clone() } else { compressed_format(&t.format) };
        let from = std::mem::replace(&mut t.format, format.clone());
        let made = t.given.clone();
        let conversion = Conversion { tensor, source, made, windows, modes, from, format };
        let because = match which {
            WhichParts::Unwalked => "no kernel walks a part of it as it is stored",
            WhichParts::All => "the loops of the statement are those of whole operands",
        };
        let reason = Reason { choice: conversion.describe(), because: because.into() };
        steps.push((conversion.into_step(), reason));
    }
    (out, steps)
}

/// Operands that are what others store become operands of truth values; the steps that make them.
fn structures(a: &mut Assignment) -> Vec<(Step, Reason)> {
    let mut steps: Vec<(Step, Reason)> = Vec::new();
    for tensor in a.tensors.ids().filter(|&id| a.tensors[id].is_structure()).collect::<Vec<_>>() {
        let t = &mut a.tensors[tensor];
        t.holds = Holds::Values;
        let made = structure_name(&t.given);
        let source = std::mem::replace(&mut t.given, made.clone());
        let (modes, windows) = ((0..t.format.rank()).collect(), Vec::new());
        let (from, format) = (t.format.clone(), t.format.clone());
        let conversion = Conversion { tensor, source, made, windows, modes, from, format };
        let because = "it asks what is stored, whatever the values".into();
        let reason = Reason { choice: conversion.describe_structure(), because };
        let step = Step::Structure(conversion);
        // Parts of one tensor have its structure in common.
        let again =
            |s: &Step| matches!((s, &step), (Step::Structure(a), Step::Structure(b)) if a.made == b.made);
        if !steps.iter().any(|(s, _)| again(s)) {
            steps.push((step, reason));
        }
    }
    steps
}

/// Whether kernels walk a part of an operand in the whole: its coordinates are computed, or listed in order, so that the first
/// and the last one are searched for. Where coordinates repeat, none of them can be passed over.
fn is_walked(a: &Assignment, operand: TensorId, t: &TensorVar) -> bool {
    let levels = &t.format.levels;
    let listed = |k: usize| {
        let l = levels[k];
        let list = l.in_segments() && (k == 0 || levels[k - 1].unique());
        (list || l.branchless() && !l.is_padded()) && l.lists_coords() && l.is_ordered()
    };
    let apart = |k: usize| t.windows[t.format.modes[k]].step > 1;
    let walked = |k: usize| levels[k].is_dense() || listed(k) && (levels[k].unique() || !apart(k));
    let plain = t.format.remap.is_none() && !t.format.symmetric;
    let on_diagonal =
        |x: &&Access| x.tensor == operand && x.vars.iter().enumerate().any(|(m, v)| x.vars[..m].contains(v));
    plain && (0..levels.len()).all(walked) && !a.rhs.accesses().iter().any(on_diagonal)
}

/// Whether any tensor can be stored so. A part of a triangle or a band is no triangle or band, and a format of computed
/// coordinates says where those lie in the whole.
fn holds_anything(format: &Format) -> bool {
    let plain = |l: &Level| l.spec.any_coords && l.spec.needs == Needs::Nothing;
    format.remap.is_none() && !format.symmetric && format.levels.iter().all(plain)
}
