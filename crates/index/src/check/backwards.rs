//! Windows that run backwards: each is a decreasing sum of its variable, which takes as many values as the window has coordinates.
//!
//! ```text
//! y(i) = x(i(::-1))        x(n-1 - i), for n coordinates of x
//! y(i) = x(i(8:2:-2))      x(8 - 2*i), for 3 values of i
//! ```

use super::{DIMENSION, Decls, NO_SIZE, WINDOW};
use crate::notation::{Name, StatementSyntax, Syntax, TensorRef};
use crate::window::{Beyond, Window};
use openwork_base::{Diagnostic, Error, Result};
use std::borrow::Cow;

/// A statement without windows that run backwards on the right, and what is declared of its variables.
pub(super) struct TurnedStatement<'s> {
    pub(super) statement: Cow<'s, StatementSyntax>,
    pub(super) decls: Cow<'s, Decls>,
}

/// Writes windows that run backwards as sums.
///
/// # Errors
/// `E0203` for windows of different sizes, `E0206` where a bound counts from the end of a mode without a size, `E0217` for a bound that lies outside.
pub(super) fn turn_windows<'s>(s: &'s StatementSyntax, decls: &'s Decls) -> Result<TurnedStatement<'s>> {
    let mut backwards = false;
    s.each_tensor(&mut |t| backwards |= t.windows.iter().any(|w| w.step < 0));
    if !backwards {
        return Ok(TurnedStatement { statement: Cow::Borrowed(s), decls: Cow::Borrowed(decls) });
    }
    let (mut statement, mut turned) = (s.clone(), decls.clone());
    let mut turner = Turner { s, decls, turned: &mut turned };
    statement.rhs = turner.turn(statement.rhs)?;
    statement.mask = statement.mask.take().map(|mask| turner.turn(mask)).transpose()?;
    statement.lhs.positions =
        statement.lhs.positions.into_iter().map(|p| turner.turn(p)).collect::<Result<_>>()?;
    Ok(TurnedStatement { statement: Cow::Owned(statement), decls: Cow::Owned(turned) })
}

struct Turner<'a> {
    s: &'a StatementSyntax,
    decls: &'a Decls,
    turned: &'a mut Decls,
}

impl Turner<'_> {
    fn turn(&mut self, e: Syntax) -> Result<Syntax> {
        Ok(match e {
            Syntax::Tensor(t) => Syntax::Tensor(self.turn_access(t)?),
            number @ Syntax::Number(_) => number,
            Syntax::Op { op, args, span } => Syntax::Op { op, args: self.turn_all(args)?, span },
            Syntax::Apply { name, args, span } => Syntax::Apply { name, args: self.turn_all(args)?, span },
        })
    }
    fn turn_all(&mut self, all: Vec<Syntax>) -> Result<Vec<Syntax>> {
        all.into_iter().map(|e| self.turn(e)).collect()
    }
    fn turn_access(&mut self, t: TensorRef) -> Result<TensorRef> {
        let mut out = TensorRef { positions: Vec::new(), position_modes: Vec::new(), ..t.clone() };
        for (mode, name) in t.indices.iter().enumerate() {
            let position = match t.position(mode) {
                Some(position) => self.turn(position.clone())?,
                None if t.windows[mode].step < 0 => {
                    out.windows[mode] = Window::WHOLE;
                    out.sum_modes.push(mode);
                    self.turn_mode(&t, mode, name)?
                }
                None => continue,
            };
            out.position_modes.push(mode);
            out.positions.push(position);
        }
        Ok(out)
    }
    /// The sum that a variable with such a window is.
    fn turn_mode(&mut self, t: &TensorRef, mode: usize, name: &Name) -> Result<Syntax> {
        let window = t.windows[mode];
        let what = format!("mode {mode} of `{}`", t.name.text);
        let refuse = |code, message: String, help: &str| {
            Err(Error::rejection(
                Diagnostic::new(code, message).point_at(&self.s.source, name.span, "").help(help),
            ))
        };
        let shape = self.decls.tensors.get(&t.name.text).and_then(|d| d.shape.as_ref());
        // Of a mode without a size, bounds that count from the start say all of it.
        let known = window.count().and_then(|count| window.room(count));
        let Some(size) = shape.and_then(|shape| shape.get(mode).copied()).or(known) else {
            let message = format!("`{window}` counts from the end of {what}, which has no size here");
            return refuse(NO_SIZE, message, "give the operand its shape");
        };
        let reach = match window.reach(size) {
            Ok(reach) => reach,
            Err(beyond) => {
                let message = format!("`{window}` is no window of {what}: it has {beyond}");
                return refuse(WINDOW, message, Beyond::HELP);
            }
        };
        let range = *self.turned.dims.entry(name.text.clone()).or_insert(reach.count);
        if range != reach.count {
            let (name, count) = (&name.text, reach.count);
            let message =
                format!("`{name}` ranges over {range} values, but `{window}` of {what} has {count}");
            return refuse(
                DIMENSION,
                message,
                "use different index variables, or operands of matching shapes",
            );
        }
        let number = |n: i64| Syntax::number(&n.to_string(), name.span);
        let far = Syntax::call("mul", vec![number(window.step), Syntax::bare(name)], name.span);
        Ok(Syntax::call("add", vec![number(reach.start as i64), far], name.span))
    }
}
