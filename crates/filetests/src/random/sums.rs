//! Sums of index variables: operands of a case become parts of larger ones, which sums reach.
//!
//! ```text
//! y(i) = A(i) * B(i)          A has 3 values
//! y(i) = A(2*i+1) * B(i)      A has 9, those of before at 1, 3 and 5
//! ```
//! Some sums lead outside of what they reach: in some of those nothing is read there.

use super::positions::find_sizes;
use super::source::TestRandom;
use super::window::{WindowPlace, surround_operand};
use crate::case::Case;
use openwork_base::Source;
use openwork_index::notation::{StatementSyntax, Syntax, TensorRef, parse};
use std::collections::BTreeMap;

/// The case with some operands that sums of index variables reach.
pub(super) fn add_sums(case: Case, r: &mut TestRandom) -> Case {
    // What statements before have made is of their shapes.
    if !case.before.is_empty() || !case.schedule.is_empty() {
        return case;
    }
    let mut out = case;
    for n in 0..out.tensors.len() {
        if out.tensors[n].name != out.result_name() && r.chance(60) {
            out = reach_by_sums(&out, n, r).unwrap_or(out);
        }
    }
    out
}

fn reach_by_sums(case: &Case, n: usize, r: &mut TestRandom) -> Option<Case> {
    let small = &case.tensors[n];
    if small.shape.is_empty() || case.made.contains_key(&small.name) {
        return None;
    }
    let statement = case.statement().ok()?;
    let chosen: Vec<bool> = small.shape.iter().map(|_| r.chance(65)).collect();
    let places: Vec<WindowPlace> =
        small.shape.iter().zip(&chosen).map(|(&n, &c)| WindowPlace::draw(n, c, r)).collect();
    let large = surround_operand(small, &places, r)?;
    let sizes = find_sizes(case, &statement);
    let left = statement.lhs.variables().map(|v| v.text.clone()).collect();
    let mut maker = SumMaker { name: &small.name, places: &places, chosen: &chosen, sizes: &sizes, left, r };
    let rhs = maker.rewrite(statement.rhs.clone(), true);
    let mask = statement.mask.clone().map(|mask| maker.rewrite(mask, true));
    let text = StatementSyntax { rhs, mask, ..statement }.to_string();
    parse(&Source::new("statement", text.as_str())).ok()?;
    let mut out = Case { text, ..case.clone() };
    out.tensors[n] = large;
    Some(out)
}

struct SumMaker<'a> {
    name: &'a str,
    places: &'a [WindowPlace],
    chosen: &'a [bool],
    /// How many values variables took.
    sizes: &'a BTreeMap<String, usize>,
    /// The variables of the result.
    left: Vec<String>,
    r: &'a mut TestRandom,
}

impl SumMaker<'_> {
    fn rewrite(&mut self, e: Syntax, may_pad: bool) -> Syntax {
        match e {
            Syntax::Tensor(t) if t.name.text == self.name && !t.bare => self.rewrite_access(t, may_pad),
            Syntax::Op { op, args, span } => {
                let args = args.into_iter().map(|a| self.rewrite(a, true)).collect();
                Syntax::Op { op, args, span }
            }
            Syntax::Apply { name, args, span } => {
                let args = args.into_iter().map(|a| self.rewrite(a, false)).collect();
                Syntax::Apply { name, args, span }
            }
            leaf @ (Syntax::Tensor(_) | Syntax::Number(_)) => leaf,
        }
    }
    fn rewrite_access(&mut self, mut t: TensorRef, may_pad: bool) -> Syntax {
        let pads = may_pad && t.windows.iter().all(openwork_index::Window::is_whole) && self.r.chance(25);
        for mode in 0..t.indices.len().min(self.places.len()) {
            if !self.chosen[mode] || !t.windows[mode].is_whole() || t.position(mode).is_some() {
                continue;
            }
            let text = self.sum(&t.indices[mode].text.clone(), self.places[mode], pads);
            let Ok(read) = parse(&Source::new("statement", format!("y = x({text})"))) else { continue };
            let Syntax::Tensor(x) = read.rhs else { continue };
            if let Some(position) = x.positions.into_iter().next() {
                t.position_modes.push(mode);
                t.sum_modes.push(mode);
                t.positions.push(position);
            }
        }
        let span = t.span;
        let padded = pads && !t.positions.is_empty();
        match padded {
            false => Syntax::Tensor(t),
            true => {
                let mut args = vec![Syntax::Tensor(t)];
                if self.r.chance(40) {
                    let text = self.r.pick(&["0", "1", "2"]).to_string();
                    args.push(Syntax::Number(openwork_index::notation::Name { text, span }));
                }
                Syntax::Apply {
                    name: openwork_index::notation::Name { text: "padded".into(), span },
                    args,
                    span,
                }
            }
        }
    }
    /// A sum that reaches a mode where variable `v` stood.
    fn sum(&mut self, v: &str, place: WindowPlace, pads: bool) -> String {
        let Some(&count) = self.sizes.get(v) else { return v.to_string() };
        let last = count.saturating_sub(1);
        let room = |step: usize| place.size.saturating_sub(1 + last * step);
        let step = if self.r.chance(40) { place.step } else { 1 };
        if pads {
            let by = self.r.number_below(6) as i64 - 2;
            return match self.r.chance(80) {
                true => format!("{v} {by:+}").replace("+", "+ ").replace(" -", " - "),
                false => format!("{} - {v}", last as i64 + by.max(0)),
            };
        }
        let beyond = usize::from(self.r.chance(8));
        match self.r.pick_weighted(&[(10, 0), (45, 1), (20, 2), (25, 3)]) {
            0 => v.to_string(),
            2 => format!("{} - {step} * {v}", last * step + self.r.number_below(room(step) + 1)),
            3 if self.left.iter().any(|u| u != v) => {
                let others: Vec<String> = self.left.iter().filter(|u| *u != v).cloned().collect();
                let u = self.r.pick(&others);
                let most = self.sizes.get(&u).map_or(0, |n| n.saturating_sub(1));
                match most <= room(1) {
                    true => format!("{v} + {u} + {}", self.r.number_below(room(1) - most + 1) + beyond),
                    false => format!("{v} + {}", self.r.number_below(room(1) + 1)),
                }
            }
            _ => format!("{step} * {v} + {}", self.r.number_below(room(step) + 1) + beyond),
        }
    }
}
