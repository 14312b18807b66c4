//! Parts of operands that are taken out before anything else is done with them.
//!
//! ```text
//! y(i) = D(i(0:3),j) * x(j), D in dia
//!   the part of D is taken out, in dia           Step::Window
//!   y(i) = D(i,j) * x(j)                         as any other statement
//! ```

use crate::formats::compressed;
use crate::step::{Conversion, Step};
use openwork_format::specs::LEVELS;
use openwork_format::{Format, Level, Needs};
use openwork_index::check::Assignment;
use openwork_index::plan::Reason;
use openwork_index::{TensorId, Window};

/// An assignment whose parts of operands are operands of their own, and the steps that make them, with reasons.
pub(crate) fn taken_out(a: &Assignment) -> (Assignment, Vec<(Step, Reason)>) {
    let mut out = a.clone();
    let parts: Vec<TensorId> =
        out.tensors.iter().filter(|(_, t)| t.is_windowed()).map(|(id, _)| id).collect();
    let mut steps = Vec::new();
    for tensor in parts {
        let t = &mut out.tensors[tensor];
        let windows = std::mem::take(&mut t.windows);
        let own = name_of(&t.given, &windows);
        let source = std::mem::replace(&mut t.given, own);
        let modes = (0..t.format.rank()).collect();
        let format = if holds_anything(&t.format) { t.format.clone() } else { compressed(&t.format) };
        let from = std::mem::replace(&mut t.format, format.clone());
        let made = t.given.clone();
        let conversion = Conversion { tensor, source, made, windows, modes, from, format };
        let reason = Reason { choice: conversion.describe(), because: BECAUSE.into() };
        steps.push((conversion.into_step(), reason));
    }
    (out, steps)
}

/// Whether any tensor can be stored so. A part of a triangle or a band is no triangle or band, and a format of computed
/// coordinates says where those lie in the whole.
fn holds_anything(format: &Format) -> bool {
    let plain = |l: &Level| LEVELS.contains(&l.spec) && l.spec.needs == Needs::Nothing;
    format.remap.is_none() && !format.symmetric && format.levels.iter().all(plain)
}

const BECAUSE: &str = "no kernel walks a part of it as it is stored";

/// `A(0:2,:)`, which no tensor of a statement is called.
fn name_of(given: &str, windows: &[Window]) -> String {
    let all: Vec<String> = windows.iter().map(Window::to_string).collect();
    format!("{given}({})", all.join(","))
}
