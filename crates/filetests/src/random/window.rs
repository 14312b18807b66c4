//! Windows: operands of a case become parts of larger ones, with elements around them.
//!
//! ```text
//! y(i) = A(i) * B(i)          A has 3 values
//! y(i) = A(i(1:7:2)) * B(i)   A has 9, those of before at 1, 3 and 5
//! ```
//! Every other access to the same operand has windows of its own, of as many coordinates.

use super::source::TestRandom;
use crate::case::{Case, CaseOperand};
use openwork_algebra::Scalar;
use openwork_index::Window;
use openwork_index::notation::{StatementSyntax, Syntax};

/// The most coordinates of a tensor with windows, all modes together.
const MOST: usize = 20_000;
/// So many windows in a hundred run backwards.
const BACKWARDS: usize = 12;

/// The case with some operands that are read through windows.
pub(super) fn add_windows(case: Case, r: &mut TestRandom) -> Case {
    let mut out = case;
    for n in 0..out.tensors.len() {
        if out.tensors[n].name != out.result_name() && r.chance(60) {
            out = embed_operand(&out, n, r).unwrap_or(out);
        }
    }
    out
}

/// The case with operand `n` as a part of a larger one.
fn embed_operand(case: &Case, n: usize, r: &mut TestRandom) -> Option<Case> {
    let small = &case.tensors[n];
    let made = case
        .before
        .iter()
        .any(|link| Case { text: link.text.clone(), ..Case::default() }.result_name() == small.name);
    if small.shape.is_empty() || case.made.contains_key(&small.name) || made {
        return None;
    }
    let chosen: Vec<bool> = small.shape.iter().map(|_| r.chance(65)).collect();
    let first: Vec<WindowPlace> =
        small.shape.iter().zip(&chosen).map(|(&n, &c)| WindowPlace::draw(n, c, r)).collect();
    let large = surround_operand(small, &first, r)?;
    let mut seen = 0;
    let sizes = small.shape.clone();
    let mut place = |r: &mut TestRandom| {
        seen += 1;
        let moved = |(p, (&size, &c)): (&WindowPlace, (&usize, &bool))| {
            let p = if seen > 1 && c { p.draw_other(size, r) } else { *p };
            if c { p.spell(size, r) } else { Window::WHOLE }
        };
        first.iter().zip(sizes.iter().zip(&chosen)).map(moved).collect::<Vec<Window>>()
    };
    let mut out = case.clone();
    for link in &mut out.before {
        let own = Case { text: link.text.clone(), ..Case::default() };
        link.text = rewrite_accesses(own.statement().ok()?, &small.name, r, &mut place).to_string();
    }
    out.text = rewrite_accesses(case.statement().ok()?, &small.name, r, &mut place).to_string();
    out.tensors[n] = large;
    Some(out)
}

/// Where the coordinates of one mode lie in a larger one.
#[derive(Clone, Copy)]
pub(super) struct WindowPlace {
    pub(super) lo: usize,
    pub(super) step: usize,
    pub(super) size: usize,
}

impl WindowPlace {
    /// One beyond the last coordinate of `n`.
    fn end(self, n: usize) -> usize {
        if n == 0 { self.lo } else { self.lo + (n - 1) * self.step + 1 }
    }
    pub(super) fn draw(n: usize, chosen: bool, r: &mut TestRandom) -> WindowPlace {
        if !chosen {
            return WindowPlace { lo: 0, step: 1, size: n };
        }
        let (lo, step) = (r.number_below(4), 1 + r.number_below(3));
        let end = WindowPlace { lo, step, size: 0 }.end(n);
        WindowPlace { lo, step, size: end + r.number_below(4) }
    }
    /// Another window with `n` coordinates.
    fn draw_other(self, n: usize, r: &mut TestRandom) -> WindowPlace {
        let step = 1 + r.number_below(self.step);
        let room = self.size - WindowPlace { lo: 0, step, size: 0 }.end(n);
        WindowPlace { lo: r.number_below(room + 1), step, ..self }
    }
    /// The window of `n` coordinates, in one of the ways to write it.
    fn spell(self, n: usize, r: &mut TestRandom) -> Window {
        let WindowPlace { lo, step, size } = self;
        let end = self.end(n);
        let most = if n == 0 { end } else { (end + step - 1).min(size) };
        let hi = end + r.number_below(most - end + 1);
        let from_end = |at: usize, r: &mut TestRandom| {
            let below = at < size && r.chance(20);
            if below { at as i64 - size as i64 } else { at as i64 }
        };
        if n > 0 && r.chance(BACKWARDS) {
            // The same coordinates from the last one on.
            let (last, least) =
                (lo + (n - 1) * step, lo as i64 - 1 - r.number_below(lo.min(step - 1) + 1) as i64);
            let whole = last + 1 == size && r.chance(50);
            let hi = (least >= 0).then_some(least);
            return Window { lo: if whole { -1 } else { last as i64 }, hi, step: -(step as i64) };
        }
        let open = hi == size && r.chance(50);
        let hi = (!open).then(|| from_end(hi, r));
        Window { lo: from_end(lo, r), hi, step: step as i64 }
    }
}

/// The operand with its entries at these places of a larger one, and others beside them.
pub(super) fn surround_operand(
    small: &CaseOperand,
    places: &[WindowPlace],
    r: &mut TestRandom,
) -> Option<CaseOperand> {
    let shape: Vec<usize> = places.iter().map(|p| p.size).collect();
    let all = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= MOST)?;
    let moved = |(at, v): &(Vec<usize>, Scalar)| {
        (at.iter().zip(places).map(|(&c, p)| p.lo + c * p.step).collect::<Vec<_>>(), *v)
    };
    let mut entries: Vec<(Vec<usize>, Scalar)> = small.entries.iter().map(moved).collect();
    let values: Vec<Scalar> =
        small.entries.iter().map(|(_, v)| *v).chain([Scalar::one(small.dtype)]).collect();
    let more = if all == 0 { 0 } else { r.number_below(2 * entries.len() + 4) };
    for _ in 0..more {
        let at: Vec<usize> = shape.iter().map(|&size| r.number_below(size)).collect();
        if entries.iter().all(|(known, _)| *known != at) {
            entries.push((at, r.pick(&values)));
        }
    }
    let large = CaseOperand { shape, entries, ..small.clone() };
    large.pack().is_ok().then_some(large)
}

/// The statement with windows in every access to `name`.
fn rewrite_accesses(
    s: StatementSyntax,
    name: &str,
    r: &mut TestRandom,
    place: &mut dyn FnMut(&mut TestRandom) -> Vec<Window>,
) -> StatementSyntax {
    fn go(
        e: Syntax,
        name: &str,
        r: &mut TestRandom,
        place: &mut dyn FnMut(&mut TestRandom) -> Vec<Window>,
    ) -> Syntax {
        match e {
            Syntax::Tensor(mut t) if t.name.text == name && !t.bare => {
                t.windows = place(r);
                Syntax::Tensor(t)
            }
            Syntax::Op { op, args, span } => {
                let args = args.into_iter().map(|a| go(a, name, r, place)).collect();
                Syntax::Op { op, args, span }
            }
            Syntax::Apply { name: f, args, span } => {
                let args = args.into_iter().map(|a| go(a, name, r, place)).collect();
                Syntax::Apply { name: f, args, span }
            }
            leaf @ (Syntax::Tensor(_) | Syntax::Number(_)) => leaf,
        }
    }
    let rhs = go(s.rhs, name, r, place);
    let mask = s.mask.map(|mask| go(mask, name, r, place));
    StatementSyntax { rhs, mask, ..s }
}
