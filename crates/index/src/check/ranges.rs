//! Ranges of index variables in sums: a variable that nothing else gives a range takes, from 0 on, as many values as every sum
//! with it has coordinates for.
//!
//! ```text
//! y(i) = x(i) - x(i+1)        y(i) = x(i(0:-1)) - x(i(1:))       one value less than x has
//! y(i) = x(i+d) * w(d)        n - m + 1 values of i, for n of x and m of w
//! ```
//! A sum of one variable is a window of it. What several variables say is a [position](super::positions) that lies inside.

use super::{DIMENSION, Decls, NO_SIZE, WINDOW};
use crate::expr::GivenShape;
use crate::notation::{IndexSum, IndexTerm, Name, PADDED, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_base::{Diagnostic, Error, Result, Span};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A statement in which sums of one variable are windows.
pub(super) struct RangedStatement<'s> {
    pub(super) statement: Cow<'s, StatementSyntax>,
    /// How many values the variables of other sums take.
    pub(super) sizes: BTreeMap<String, usize>,
    /// Whether sums are known to be coordinates.
    pub(super) inside: bool,
}

/// Writes sums of index variables as windows, where each has one variable.
///
/// # Errors
/// `E0206` for several variables without a range, `E0217` for a sum that leaves its mode.
pub(super) fn resolve_ranges<'s>(s: &'s StatementSyntax, decls: &'s Decls) -> Result<RangedStatement<'s>> {
    if !s.has_sums() {
        return Ok(RangedStatement { statement: Cow::Borrowed(s), sizes: BTreeMap::new(), inside: false });
    }
    let mut sums = Sums { s, decls, uses: Vec::new(), fixed: decls.dims.clone() };
    sums.collect();
    sums.refuse_scalars()?;
    sums.solve()?;
    sums.uses.iter().try_for_each(|u| sums.refuse_outside(u))?;
    Ok(sums.rewrite_statement())
}

/// The shapes of all tensors of a statement that are known; nothing where nothing follows from them.
pub(super) fn given_shapes(s: &StatementSyntax, decls: &Decls) -> Arc<[GivenShape]> {
    if !s.has_sums() && !s.places_follow_sizes() {
        return [].into();
    }
    let shape = |name: &str| {
        let shape = decls.tensors.get(name)?.shape.clone()?;
        Some(GivenShape { name: name.to_string(), shape })
    };
    s.read_tensors().into_iter().filter_map(shape).collect()
}

/// A mode that is reached by a sum of index variables, or by one of them beside sums that reach the same tensor.
#[derive(Debug)]
struct SumUse {
    tensor: String,
    mode: usize,
    sum: IndexSum,
    /// The size of the mode, where known.
    size: Option<usize>,
    /// Whether nothing is read outside.
    padded: bool,
    /// Whether it is written.
    written: bool,
    span: Span,
}

/// How many values a sum leaves for a variable.
enum SumRoom {
    Values(usize),
    /// None as it is written, and some after something is added to the constant.
    Shift(i64),
}

struct Sums<'a> {
    s: &'a StatementSyntax,
    decls: &'a Decls,
    uses: Vec<SumUse>,
    /// How many values variables take.
    fixed: BTreeMap<String, usize>,
}

impl<'a> Sums<'a> {
    fn shape(&self, name: &str) -> Option<&'a Vec<usize>> {
        self.decls.tensors.get(name)?.shape.as_ref()
    }
    fn collect(&mut self) {
        let parts = || std::iter::once(&self.s.rhs).chain(&self.s.mask).chain(&self.s.lhs.positions);
        let all: Vec<&'a Syntax> = parts().collect();
        // What is assigned has the ranges that are said of it; so has what is updated, whose old value is read.
        let lhs = &self.s.lhs;
        if let Some(shape) = self.shape(&lhs.name.text) {
            for (mode, &size) in shape.iter().enumerate().take(lhs.indices.len()) {
                match lhs.index_sum(mode) {
                    Some(sum) => self.uses.push(SumUse {
                        tensor: lhs.name.text.clone(),
                        mode,
                        sum,
                        size: Some(size),
                        padded: false,
                        written: true,
                        span: lhs.indices[mode].span,
                    }),
                    None if lhs.position(mode).is_none() => {
                        let Ok(reach) = lhs.windows[mode].reach(size) else { continue };
                        self.fixed.entry(lhs.indices[mode].text.clone()).or_insert(reach.count);
                    }
                    None => {}
                }
            }
        }
        all.iter().for_each(|e| self.collect_from(e, false));
    }
    fn collect_from(&mut self, e: &'a Syntax, padded: bool) {
        match e {
            Syntax::Number(_) => {}
            Syntax::Op { args, .. } => args.iter().for_each(|a| self.collect_from(a, padded)),
            Syntax::Apply { name, args, .. } => {
                args.iter().enumerate().for_each(|(n, a)| {
                    self.collect_from(a, name.text == PADDED && n == 0);
                });
            }
            Syntax::Tensor(t) => {
                (0..t.indices.len()).for_each(|mode| self.collect_mode(t, mode, padded));
                t.positions.iter().for_each(|p| self.collect_from(p, false));
            }
        }
    }
    fn collect_mode(&mut self, t: &'a TensorRef, mode: usize, padded: bool) {
        if let Some(found) = self.find_use(t, mode, padded) {
            return self.uses.push(found);
        }
        let size = self.mode_size(t, mode).filter(|_| t.position(mode).is_none());
        if let Some(reach) = size.and_then(|size| t.window(mode).reach(size).ok()) {
            self.fixed.entry(t.indices[mode].text.clone()).or_insert(reach.count);
        }
    }
    fn mode_size(&self, t: &TensorRef, mode: usize) -> Option<usize> {
        self.shape(&t.name.text)?.get(mode).copied()
    }
    /// The sum that reaches a mode, if one does.
    fn find_use(&self, t: &TensorRef, mode: usize, padded: bool) -> Option<SumUse> {
        let Name { text, span } = &t.indices[mode];
        // Outside of what is padded, there is the fill value.
        let bounds = || padded && t.windows[mode].is_whole() || self.is_bound_only(t, mode);
        let sum = match t.position(mode) {
            Some(_) => t.index_sum(mode)?,
            None if bounds() => IndexSum::variable(text),
            None => return None,
        };
        let (tensor, size) = (t.name.text.clone(), self.mode_size(t, mode));
        Some(SumUse { tensor, mode, sum, size, padded, written: false, span: *span })
    }
    /// Whether the index of a mode only bounds its variable, as sums with that reach the same tensor.
    fn is_bound_only(&self, t: &TensorRef, mode: usize) -> bool {
        t.position(mode).is_none()
            && t.windows[mode].is_whole()
            && self.s.is_shifted(&t.name.text, &t.indices[mode].text)
    }

    /// In sums, names are variables: a scalar stands in parentheses.
    fn refuse_scalars(&self) -> Result<()> {
        let is_scalar = |name: &str| {
            let decl = self.decls.tensors.get(name).filter(|d| d.dtype.is_some());
            decl.is_some_and(|d| d.shape.as_ref().is_none_or(Vec::is_empty))
        };
        for u in &self.uses {
            let open = |term: &&IndexTerm| !self.fixed.contains_key(&term.name) && is_scalar(&term.name);
            if let Some(IndexTerm { name, .. }) = u.sum.terms.iter().find(open) {
                let message = format!("`{name}` is an index variable here, and a tensor has its name");
                let help = format!("the value of a tensor stands in parentheses: ({name})");
                return Err(self.refuse(NO_SIZE, message, u.span, &help));
            }
        }
        Ok(())
    }
    fn refuse(&self, code: openwork_base::Code, message: String, span: Span, help: &str) -> Error {
        Error::rejection(Diagnostic::new(code, message).point_at(&self.s.source, span, "").help(help))
    }

    /// Finds the ranges that follow from sums.
    fn solve(&mut self) -> Result<()> {
        let names: Vec<String> = self.s.index_names().into_iter().map(String::from).collect();
        loop {
            let open = |name: &&String| !self.fixed.contains_key(*name);
            let mut found = None;
            for v in names.iter().filter(open) {
                if let Some(size) = self.find_range(v)? {
                    found = Some((v.clone(), size));
                    break;
                }
            }
            let padded = |v: &&String| Some(((*v).clone(), self.find_padded_range(v)?));
            let found = found.or_else(|| names.iter().filter(open).find_map(|v| padded(&v)));
            match found {
                Some((v, size)) => _ = self.fixed.insert(v, size),
                None => break,
            }
        }
        let two_open = |u: &&SumUse| {
            let open = u.sum.terms.iter().filter(|term| !self.fixed.contains_key(&term.name));
            u.size.is_some() && open.count() > 1
        };
        match self.uses.iter().find(two_open) {
            None => Ok(()),
            Some(u) => {
                let open = u.sum.terms.iter().filter(|term| !self.fixed.contains_key(&term.name));
                let names: Vec<String> = open.map(|term| format!("`{}`", term.name)).collect();
                let message = format!(
                    "nothing says how {} share the coordinates of `{}`",
                    names.join(" and "),
                    u.text()
                );
                let help = "give all of them but one a range: as indices of operands, or by their sizes";
                Err(self.refuse(NO_SIZE, message, u.span, help))
            }
        }
    }
    /// How many values are left for a variable by sums whose other variables have their ranges; nothing where one has none.
    fn find_range(&self, v: &str) -> Result<Option<usize>> {
        let mut least: Option<usize> = None;
        for u in self.uses.iter().filter(|u| !u.padded && u.sum.coefficient(v) != 0) {
            match u.find_room(v, &self.fixed) {
                None => return Ok(None),
                Some(SumRoom::Values(n)) => least = Some(least.map_or(n, |least| least.min(n))),
                Some(SumRoom::Shift(by)) => {
                    let written = IndexSum { constant: u.sum.constant.saturating_add(by), ..u.sum.clone() };
                    let message = format!(
                        "`{}` is outside of mode {} of `{}` where `{v}` is 0",
                        u.text(),
                        u.mode,
                        u.tensor
                    );
                    let help = format!(
                        "ranges begin at 0: write {}({written}), or padded({}(…)) for the fill value outside",
                        u.tensor, u.tensor
                    );
                    return Err(self.refuse(WINDOW, message, u.span, &help));
                }
            }
        }
        Ok(least)
    }
    /// The size of a padded mode, whose only variable without a range ranges over it.
    fn find_padded_range(&self, v: &str) -> Option<usize> {
        let others_known = |u: &&SumUse| {
            u.sum.terms.iter().all(|term| term.name == v || self.fixed.contains_key(&term.name))
        };
        let mut padded = self.uses.iter().filter(|u| u.padded && u.sum.coefficient(v) != 0);
        let open = |u: &SumUse| !u.padded && u.sum.coefficient(v) != 0;
        if self.uses.iter().any(open) {
            return None;
        }
        padded.find(others_known)?.size
    }
    /// Refuses a sum whose variables have ranges in which it leaves its mode.
    fn refuse_outside(&self, u: &SumUse) -> Result<()> {
        let Some(Extremes { least, most, .. }) = u.extremes("", &self.fixed).filter(|e| !e.empty) else {
            return Ok(());
        };
        if let Some(at) = [least, most].into_iter().find(|at| i64::try_from(*at).is_err()) {
            let message = format!("`{}` reaches {at}, which is no integer of 64 bits", u.text());
            return Err(self.refuse(WINDOW, message, u.span, "write smaller factors and constants"));
        }
        let (Some(size), false) = (u.size, u.padded) else { return Ok(()) };
        if least >= 0 && most < size as i128 {
            return Ok(());
        }
        let ranges: Vec<String> = u
            .sum
            .terms
            .iter()
            .map(|t| format!("`{}` takes {} values", t.name, self.fixed[&t.name]))
            .collect();
        let (at, side) = if least < 0 { (least, "before the start") } else { (most, "beyond the end") };
        let message = format!(
            "`{}` reaches {at}, {side} of mode {} of `{}`, which has {size} coordinates",
            u.text(),
            u.mode,
            u.tensor
        );
        let help = match u.written {
            true => format!(
                "{}; nothing is written outside, so take a part of what fixes them, as in i(0:-1)",
                ranges.join(", ")
            ),
            false => format!(
                "{}; take a part of what fixes them, as in i(0:-1), or write padded({}(…)) for the fill value outside",
                ranges.join(", "),
                u.tensor
            ),
        };
        Err(self.refuse(if u.written { DIMENSION } else { WINDOW }, message, u.span, &help))
    }

    fn rewrite_statement(&self) -> RangedStatement<'a> {
        let mut sizes = BTreeMap::new();
        let mut take = |u: &SumUse| {
            for term in &u.sum.terms {
                if let Some(&size) = self.fixed.get(&term.name) {
                    sizes.insert(term.name.clone(), size);
                }
            }
        };
        self.uses.iter().filter(|u| self.window(u).is_none()).for_each(&mut take);
        let mut statement = self.s.clone();
        statement.rhs = self.rewrite(statement.rhs);
        statement.mask = statement.mask.take().map(|mask| self.rewrite(mask));
        statement.lhs.positions = statement.lhs.positions.into_iter().map(|p| self.rewrite(p)).collect();
        let known = |u: &SumUse| u.size.is_some() && u.extremes("", &self.fixed).is_some();
        let inside = self.uses.iter().filter(|u| !u.padded).all(known);
        RangedStatement { statement: Cow::Owned(statement), sizes, inside }
    }
    fn rewrite(&self, e: Syntax) -> Syntax {
        match e {
            Syntax::Tensor(t) => Syntax::Tensor(self.rewrite_access(t)),
            number @ Syntax::Number(_) => number,
            Syntax::Op { op, args, span } => {
                Syntax::Op { op, args: args.into_iter().map(|a| self.rewrite(a)).collect(), span }
            }
            Syntax::Apply { name, args, span } if name.text == PADDED => {
                let rewrite = |(n, a)| match a {
                    Syntax::Tensor(t) if n == 0 => Syntax::Tensor(self.rewrite_padded(t)),
                    other => self.rewrite(other),
                };
                Syntax::Apply { name, args: args.into_iter().enumerate().map(rewrite).collect(), span }
            }
            Syntax::Apply { name, args, span } => {
                Syntax::Apply { name, args: args.into_iter().map(|a| self.rewrite(a)).collect(), span }
            }
        }
    }
    /// A variable alone may be outside of its mode as well.
    fn rewrite_padded(&self, t: TensorRef) -> TensorRef {
        let mut out = TensorRef { positions: Vec::new(), position_modes: Vec::new(), ..t.clone() };
        for (mode, name) in t.indices.iter().enumerate() {
            let size = self.mode_size(&t, mode).filter(|_| t.windows[mode].is_whole());
            let count = self.fixed.get(&name.text).copied();
            let leaves = count.zip(size).is_some_and(|(count, size)| count > size);
            if let (Some(count), None) = (count.filter(|count| size > Some(*count)), t.position(mode)) {
                out.windows[mode] = Window { lo: 0, hi: Some(count as i64), step: 1 };
            }
            let position = match t.position(mode) {
                Some(position) => self.rewrite(position.clone()),
                None if leaves => {
                    // It stays the variable that it is.
                    out.sum_modes.push(mode);
                    Syntax::bare(name)
                }
                None => continue,
            };
            out.position_modes.push(mode);
            out.positions.push(position);
        }
        out
    }
    fn rewrite_access(&self, t: TensorRef) -> TensorRef {
        let mut out = TensorRef {
            positions: Vec::new(),
            position_modes: Vec::new(),
            sum_modes: Vec::new(),
            ..t.clone()
        };
        for mode in 0..t.indices.len() {
            let window = self.find_use(&t, mode, false).and_then(|u| Some((self.window(&u)?, u)));
            match (window, t.position(mode)) {
                (Some((window, u)), _) => {
                    out.indices[mode].text.clone_from(&u.sum.terms[0].name);
                    out.windows[mode] = window;
                }
                (None, Some(position)) => {
                    out.position_modes.push(mode);
                    out.positions.push(self.rewrite(position.clone()));
                    out.sum_modes.extend(t.sum_modes.contains(&mode).then_some(mode));
                }
                (None, None) => {}
            }
        }
        out
    }
    /// The window that a sum of one variable is. It counts from the end of the mode where that has not been reached, so that it
    /// fits operands of other sizes as well.
    fn window(&self, u: &SumUse) -> Option<Window> {
        let [IndexTerm { name, coefficient: step @ 1.. }] = &u.sum.terms[..] else { return None };
        let (lo, step) = (u.sum.constant, *step);
        if u.padded || u.written || lo < 0 {
            return None;
        }
        match (self.fixed.get(name), u.size) {
            (Some(0), _) => Some(Window { lo: 0, hi: Some(0), step: 1 }),
            (Some(&count), Some(size)) => {
                let last = lo.checked_add(step.checked_mul(count as i64 - 1)?)?;
                let unread = size as i64 - last.saturating_add(step).min(size as i64);
                Some(Window { lo, hi: (unread > 0).then_some(-unread), step })
            }
            (Some(&count), None) => {
                let last = lo.checked_add(step.checked_mul(count as i64 - 1)?)?;
                Some(Window { lo, hi: Some(last.checked_add(1)?), step })
            }
            // The mode is as large as it turns out to be: the others of this one say how much of it is left.
            (None, None) => {
                let others = || self.uses.iter().filter(|o| !o.padded && o.sum.coefficient(name) != 0);
                let alike = |o: &SumUse| {
                    o.tensor == u.tensor && o.mode == u.mode && o.sum.terms == u.sum.terms && !o.written
                };
                if !others().all(alike) || step > 1 && others().any(|o| o.sum != u.sum) {
                    return None;
                }
                let furthest = others().map(|o| o.sum.constant).max()?;
                Some(Window { lo, hi: (furthest > lo).then(|| lo - furthest), step })
            }
            (None, Some(_)) => None,
        }
    }
}

/// The least and the greatest value of a sum.
struct Extremes {
    least: i128,
    most: i128,
    /// Whether a variable takes no value at all.
    empty: bool,
}

impl SumUse {
    fn text(&self) -> String {
        format!("{}({})", self.tensor, self.sum)
    }
    /// Over all values of its variables but one; nothing where another one has no range.
    fn extremes(&self, but: &str, fixed: &BTreeMap<String, usize>) -> Option<Extremes> {
        let constant = i128::from(self.sum.constant);
        let mut out = Extremes { least: constant, most: constant, empty: false };
        for term in self.sum.terms.iter().filter(|term| term.name != but) {
            let count = *fixed.get(&term.name)?;
            out.empty |= count == 0;
            let last = i128::from(term.coefficient) * count.saturating_sub(1) as i128;
            out.least += last.min(0);
            out.most += last.max(0);
        }
        Some(out)
    }
    /// How many values there are for a variable, from 0 on.
    fn find_room(&self, v: &str, fixed: &BTreeMap<String, usize>) -> Option<SumRoom> {
        let (last, step) = (self.size? as i128 - 1, i128::from(self.sum.coefficient(v)));
        let Extremes { least, most, .. } = self.extremes(v, fixed)?;
        let (left, stray) = match step > 0 {
            true => (last - most, least),
            false => (least, last - most),
        };
        if stray < 0 {
            let first = (-stray + step.abs() - 1) / step.abs();
            let by = if step > 0 { -stray } else { stray };
            return Some(match first * step.abs() <= left {
                true => SumRoom::Shift(i64::try_from(by).unwrap_or(0)),
                false => SumRoom::Values(0),
            });
        }
        let values = if left < 0 { 0 } else { left / step.abs() + 1 };
        Some(SumRoom::Values(usize::try_from(values).unwrap_or(usize::MAX)))
    }
}
