//! Results that are assigned where values say: of several values for one place the last counts, in ascending order of the
//! variables.
//!
//! ```text
//! y(p(i)) = x(i)          y(c) = masked(w(c) >= 0, x(w(c)), 0)     w(c) is max(i, masked(c == p(i), i, -2^63))
//! C(p(i),j) = A(i,j)      C(c,j) = masked(w(c) >= 0, A(w(c),j), 0)
//! y(p(i,j)) = A(i,j)      w(c) is the last n*i + j, for n values of j
//! D(i,i) = x(i)           D(i,c) = masked(c == i, x(i), 0)
//! y(2*i+1) = x(i)         y(c) = masked(1 <= c & c < 2*n+1 & (c - 1) % 2 == 0, x((c - 1) / 2), 0)
//! y(i(1:9:2)) = x(i)      the same, but what y holds stays elsewhere
//! ```
//! Each place gets one value, of the coordinates that were sent last, so the order of loops, formats and threads plays no part.
//! A variable that no mode of the result has by itself is *placed*: it has a value, and what is read at it is read at a
//! [position](super::positions).

use super::types::TypedExpr;
use super::{Checker, NO_SIZE, explicit};
use crate::expr::{IndexExpr, IndexId};
use crate::notation::{IndexSum, IndexTerm, Name, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::{Error, Result, Span};

/// A variable that has a value here.
pub(super) struct PlacedVariable {
    /// The variable.
    var: IndexId,
    /// Its coordinate, as `i64`.
    value: IndexExpr,
}

/// A variable that the place of an element says: `i` where `c` is `factor * i + offset`.
struct Solution {
    var: IndexId,
    factor: i64,
    offset: i64,
    /// How many values the variable takes.
    count: i64,
}

impl Checker<'_> {
    /// Whether a mode of the result is written where a value says.
    pub(super) fn is_scattered(&self) -> bool {
        !self.scattered.is_empty()
    }
    /// Whether a variable has a value here.
    pub(super) fn has_placed(&self) -> bool {
        !self.placed.is_empty()
    }
    /// The value of a placed variable.
    pub(super) fn placed_value(&self, v: IndexId) -> Option<IndexExpr> {
        self.placed.iter().find(|p| p.var == v).map(|p| p.value.clone())
    }
    /// Variables that a reduction binds are its own; gives back those that have to be placed again behind it.
    pub(super) fn hide_placed(&mut self, bound: &[IndexId]) -> Vec<PlacedVariable> {
        self.placed.extract_if(.., |p| bound.contains(&p.var)).collect()
    }
    /// An access at the values of placed variables: where it is read says a value, also where that is in a window.
    pub(super) fn read_at_places(&mut self, t: &TensorRef) -> Result<Option<TensorRef>> {
        let is_placed = |c: &Self, mode: usize| {
            let v = c.index_named(&t.indices[mode].text).filter(|_| t.position(mode).is_none());
            v.filter(|v| c.placed.iter().any(|p| p.var == *v))
        };
        if self.placed.is_empty() || (0..t.indices.len()).all(|mode| is_placed(self, mode).is_none()) {
            return Ok(None);
        }
        let mut out = TensorRef { positions: Vec::new(), position_modes: Vec::new(), ..t.clone() };
        let shape = self.decls.tensors.get(&t.name.text).and_then(|d| d.shape.clone());
        for mode in 0..t.indices.len() {
            let position = match (is_placed(self, mode), t.position(mode)) {
                (Some(v), _) => {
                    let size = shape.as_ref().and_then(|s| s.get(mode)).copied();
                    if let Some(size) = size {
                        self.size_mode(v, t, mode, size)?;
                    }
                    out.windows[mode] = Window::WHOLE;
                    self.position_in_window(&t.indices[mode], t.window(mode), size)?
                }
                (None, Some(position)) => position.clone(),
                (None, None) => continue,
            };
            if is_placed(self, mode).is_some() {
                out.sum_modes.push(mode);
            }
            out.position_modes.push(mode);
            out.positions.push(position);
        }
        Ok(Some(out))
    }
    /// The coordinate that a variable reaches in a window of a mode.
    pub(super) fn position_in_window(
        &self,
        name: &Name,
        window: Window,
        size: Option<usize>,
    ) -> Result<Syntax> {
        if window.is_whole() {
            return Ok(Syntax::bare(name));
        }
        let start = match (window.lo, size) {
            (lo @ 0.., _) => lo,
            (lo, Some(size)) => lo.saturating_add(size as i64),
            (_, None) => return Err(self.refuse_size(name.span, "a window that counts from the end")),
        };
        let number = |n: i64| Syntax::number(&n.to_string(), name.span);
        let scaled = match window.step {
            1 => Syntax::bare(name),
            step => Syntax::call("mul", vec![number(step), Syntax::bare(name)], name.span),
        };
        Ok(Syntax::call("add", vec![number(start), scaled], name.span))
    }
    fn refuse_size(&self, span: Span, what: &str) -> Error {
        let d = self.reject(NO_SIZE, format!("{what} needs a size that is not known here"), span);
        Error::rejection(d.help("give the operands their shapes"))
    }

    /// What is assigned to a result some of whose modes are written where values say.
    pub(super) fn value_at_places(&mut self, s: &StatementSyntax, lhs_vars: &[IndexId]) -> Result<TypedExpr> {
        let windowed = s.keeps_old();
        let old = match windowed {
            true => Some(self.access(&self.whole_result(&s.lhs, lhs_vars))?),
            false => None,
        };
        self.find_sizes(s);
        let (solved, mut holds) = self.solve_places(s, lhs_vars)?;
        let told: Vec<IndexId> = solved.iter().map(|p| p.var).collect();
        for (place, value) in self.typed_places(&told)? {
            let equals = call("eq", vec![IndexExpr::Index(place), value]);
            holds = Some(join(holds, equals));
        }
        let mut sent = holds.as_ref().map_or(Vec::new(), |e| self.varying_variables(e));
        sent.retain(|v| !lhs_vars.contains(v));
        let read: Vec<Option<IndexId>> = names_in(&s.rhs).iter().map(|name| self.index_named(name)).collect();
        sent.sort_by_key(|v| read.iter().position(|r| *r == Some(*v)).unwrap_or(read.len()));
        // What a mask leaves out is not sent.
        let (mut mask, mut sending) = (s.mask.as_ref(), None);
        if let Some(of_sent) = mask.filter(|_| !sent.is_empty()) {
            let truth = self.truth(of_sent)?.expr;
            if self.varying_variables(&truth).iter().any(|v| sent.contains(v)) {
                sending = Some(truth);
                mask = None;
            }
        }
        self.placed = solved;
        if let Some(condition) = holds.take_if(|_| !sent.is_empty()) {
            holds = Some(self.place_last(condition, sending, &sent, s.lhs.span)?);
        }
        let value = explicit(s).and_then(|written| {
            if let Some(mask) = mask {
                let truth = self.truth(mask)?.expr;
                holds = Some(join(holds.take(), truth));
            }
            self.type_expr(&written)
        });
        self.placed.clear();
        let value = value?;
        let decl = self.decls.tensors.get(self.result_name);
        let dtype = decl.and_then(|d| d.dtype).unwrap_or(value.dtype);
        let value = self.coerce_result(value, dtype, s.rhs.span())?;
        let fill = decl.and_then(|d| d.format.as_ref()).and_then(|f| f.fill_value(dtype));
        let nothing = IndexExpr::Literal(fill.unwrap_or(Scalar::zero(dtype)));
        let idle = old.map_or(nothing, IndexExpr::Access);
        if told.iter().chain(&sent).any(|v| self.indices[*v].size == Some(0)) {
            // Nothing is sent, and a mode without coordinates is read nowhere.
            self.unread.extend(value.accesses().into_iter().cloned());
            self.positions.retain(|p| !value.mentions(p.var));
            return Ok(TypedExpr::strong(idle, dtype));
        }
        let choose = if windowed { "where" } else { "masked" };
        let holds = holds.unwrap_or(IndexExpr::Literal(Scalar::Bool(true)));
        Ok(TypedExpr::strong(call(choose, vec![holds, value, idle]), dtype))
    }
    /// Takes the sizes of variables from modes that they have by themselves: others count them before those are read.
    fn find_sizes(&mut self, s: &StatementSyntax) {
        let mut found: Vec<(IndexId, usize)> = Vec::new();
        s.each_tensor(&mut |t| {
            let shape = self.decls.tensors.get(&t.name.text).and_then(|d| d.shape.as_ref());
            for (mode, &size) in shape.into_iter().flatten().enumerate().take(t.indices.len()) {
                let v = self.index_named(&t.indices[mode].text).filter(|_| t.position(mode).is_none());
                found.extend(v.zip(t.windows[mode].reach(size).ok().map(|r| r.count)));
            }
        });
        for (v, count) in found {
            self.indices[v].size.get_or_insert(count);
        }
    }
    /// The places of modes, with the values that say them, but for those that say a variable.
    fn typed_places(&mut self, told: &[IndexId]) -> Result<Vec<(IndexId, IndexExpr)>> {
        let modes = std::mem::take(&mut self.scattered);
        let mut out = Vec::new();
        for mode in &modes {
            let names_told = mode.sum.as_ref().is_some_and(|sum| {
                sum.terms.iter().any(|t| self.index_named(&t.name).is_some_and(|v| told.contains(&v)))
            });
            if !names_told {
                out.push((mode.var, self.type_position(&mode.position)?));
            }
        }
        self.scattered = modes;
        Ok(out)
    }
    /// The variables that places say by themselves, and where they do.
    fn solve_places(
        &mut self,
        s: &StatementSyntax,
        lhs_vars: &[IndexId],
    ) -> Result<(Vec<PlacedVariable>, Option<IndexExpr>)> {
        let (mut placed, mut holds) = (Vec::new(), None);
        for n in 0..self.scattered.len() {
            let Some(Solution { var, factor, offset, count }) = self.find_solution(s, n, lhs_vars) else {
                continue;
            };
            let place = IndexExpr::Index(self.scattered[n].var);
            let last = factor.checked_mul(count - 1).and_then(|reach| offset.checked_add(reach));
            let Some(last) = last.filter(|_| count > 0) else {
                // Nothing is sent anywhere.
                holds = Some(IndexExpr::Literal(Scalar::Bool(false)));
                placed.push(PlacedVariable { var, value: literal(0) });
                continue;
            };
            holds = Some(join(holds, call("ge", vec![place.clone(), literal(offset.min(last))])));
            holds = Some(join(holds, call("le", vec![place.clone(), literal(offset.max(last))])));
            let from_start = call("sub", vec![place.clone(), literal(offset)]);
            let value = match factor {
                1 => from_start,
                -1 => call("sub", vec![literal(offset), place]),
                _ => {
                    let left = call("remainder", vec![from_start.clone(), literal(factor)]);
                    holds = Some(join(holds, call("eq", vec![left, literal(0)])));
                    call("floor_divide", vec![from_start, literal(factor)])
                }
            };
            placed.push(PlacedVariable { var, value });
        }
        Ok((placed, holds))
    }
    /// The variable that mode `n` says, if it is the only one there, stands in no other mode, and its range is known.
    fn find_solution(&self, s: &StatementSyntax, n: usize, lhs_vars: &[IndexId]) -> Option<Solution> {
        let IndexSum { terms, constant } = self.scattered[n].sum.as_ref()?;
        let [IndexTerm { name, coefficient }] = &terms[..] else { return None };
        let v = self.index_named(name)?;
        let says = |m: usize| s.lhs.position(m).is_some_and(|p| names_in(p).contains(name));
        let here = (0..s.lhs.indices.len()).filter(|&m| s.lhs.indices[m].text == *name || says(m)).count();
        let masked = s.mask.as_ref().is_some_and(|m| names_in(m).contains(name));
        if lhs_vars.contains(&v) || here > 1 || masked {
            return None;
        }
        let count = i64::try_from(self.indices[v].size?).ok()?;
        Some(Solution { var: v, factor: *coefficient, offset: *constant, count })
    }
    /// Places the variables whose values are sent at those that come last; gives where anything is sent.
    fn place_last(
        &mut self,
        condition: IndexExpr,
        sending: Option<IndexExpr>,
        sent: &[IndexId],
        span: Span,
    ) -> Result<IndexExpr> {
        let mut rank = IndexExpr::Index(sent[0]);
        let mut strides = vec![1i64; sent.len()];
        for n in (1..sent.len()).rev() {
            let size = self.indices[sent[n]].size;
            let Some(size) = size else {
                return Err(self.refuse_size(span, "the order of several variables"));
            };
            let stride = i64::try_from(size.max(1)).ok().and_then(|size| strides[n].checked_mul(size));
            let first = i64::try_from(self.indices[sent[n - 1]].size.unwrap_or(0)).ok();
            let Some(stride) = stride.filter(|&s| first.and_then(|n| n.checked_mul(s)).is_some()) else {
                let message = "the variables that say places have more values than an integer holds";
                let d = self.reject(NO_SIZE, message, span);
                return Err(Error::refusal(d.help("assign to parts of the result, one after the other")));
            };
            strides[n - 1] = stride;
        }
        if sent.len() > 1 {
            let scaled = |(&v, &stride): (&IndexId, &i64)| match stride {
                1 => IndexExpr::Index(v),
                _ => call("mul", vec![IndexExpr::Index(v), literal(stride)]),
            };
            let all = sent.iter().zip(&strides).map(scaled);
            rank = all.reduce(|a, b| call("add", vec![a, b])).expect("there are variables");
        }
        let op = Operator::find("max").expect("max is an operator");
        let idle = op.identity_at(1, DType::I64).expect("max reduces integers");
        let idle = IndexExpr::Literal(idle);
        let rank = match sending {
            Some(sending) => call("masked", vec![sending, rank, idle.clone()]),
            None => rank,
        };
        let body = call("masked", vec![condition, rank, idle]);
        let (body, positions) = self.reduce_positions(op, body);
        let last = IndexExpr::Reduce { op, vars: [sent, &positions].concat(), body: Box::new(body) };
        for (n, (&var, &stride)) in sent.iter().zip(&strides).enumerate() {
            let outer = match stride {
                1 => last.clone(),
                _ => call("floor_divide", vec![last.clone(), literal(stride)]),
            };
            let value = match n {
                0 => outer,
                _ => call("remainder", vec![outer, literal(strides[n - 1] / stride)]),
            };
            self.placed.push(PlacedVariable { var, value });
        }
        Ok(call("ge", vec![last, literal(0)]))
    }
}

/// The names that stand alone or as indices, from left to right.
fn names_in(e: &Syntax) -> Vec<String> {
    let mut names: Vec<&Name> = Vec::new();
    e.each_tensor(&mut |t| {
        let bare = Some(&t.name).filter(|_| t.bare);
        names.extend(bare.into_iter().chain(t.variables()));
    });
    names.sort_by_key(|n| n.span.start);
    names.into_iter().map(|n| n.text.clone()).collect()
}
fn join(holds: Option<IndexExpr>, more: IndexExpr) -> IndexExpr {
    match holds {
        None => more,
        Some(holds) => call("and", vec![holds, more]),
    }
}
fn literal(n: i64) -> IndexExpr {
    IndexExpr::Literal(Scalar::I64(n))
}
fn call(name: &str, args: Vec<IndexExpr>) -> IndexExpr {
    IndexExpr::Call { op: Operator::find(name).expect("a built-in operator"), args }
}
