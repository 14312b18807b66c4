//! `padded(x(i-1))`: what is stored outside of a tensor, its fill value or another one, where an index leaves a mode.
//!
//! ```text
//! y(i) = padded(x(i-1))        y(i) = where(i - 1 >= 0 & i - 1 < n, x((i - 1)), 0)
//! ```

use super::types::TypedExpr;
use super::{Checker, NO_SIZE, TYPE};
use crate::expr::IndexExpr;
use crate::notation::syntax::constant_window;
use crate::notation::{Name, PADDED, Syntax, TensorRef};
use openwork_base::{Error, Result, Span};
use openwork_format::presets;

impl Checker<'_> {
    /// An access, and what it is outside of its tensor.
    pub(super) fn pad_access(&mut self, args: &[Syntax], span: Span) -> Result<TypedExpr> {
        let (t, other) = match args {
            [Syntax::Tensor(t)] if self.may_leave(t) => (t, None),
            [Syntax::Tensor(t), other] if self.may_leave(t) => (t, Some(other)),
            _ => {
                let message = format!("`{PADDED}` is about one tensor, at indices that may be outside of it");
                let help = format!(
                    "write `{PADDED}(x(i+1))` for its fill value outside, `{PADDED}(x(i+1), 2)` for another one"
                );
                return Err(Error::rejection(self.reject(TYPE, message, span).help(help)));
            }
        };
        let Some((decl, dtype)) = self.decls.tensors.get(&t.name.text).and_then(|d| Some((d, d.dtype?)))
        else {
            return Err(self.refuse_unknown_tensor(t));
        };
        let Some(shape) = decl.shape.clone() else {
            let message = format!("where `{}` ends, nothing says", t.name.text);
            return Err(Error::rejection(self.reject(NO_SIZE, message, span).help("give its shape")));
        };
        let format = decl.format.clone().unwrap_or_else(|| presets::dense(shape.len()));
        let fill = TypedExpr::strong(IndexExpr::Literal(self.fill(&format, dtype, &t.name.text)?), dtype);
        let outside = match other {
            Some(other) => self.type_expr(other)?,
            None => fill,
        };
        let positions = t.position_modes.iter().zip(&t.positions);
        let (mut inside, mut empty): (Option<Syntax>, _) = (None, false);
        for (&mode, position) in positions {
            let Some(&size) = shape.get(mode) else { continue };
            // What counts from the end is no coordinate.
            if constant_window(position).is_some() {
                continue;
            }
            empty |= size == 0;
            let within = is_coordinate(position, size, span);
            inside = Some(match inside {
                None => within,
                Some(all) => Syntax::call("and", vec![all, within], span),
            });
        }
        let read = self.without_checks(t)?;
        let Some(inside) = inside else { return Ok(read) };
        let mut holds = self.type_expr(&inside)?;
        if empty {
            // A loop over the coordinates of nothing has no round. Reductions go over the other variables all the same.
            for name in t.variables() {
                let coordinate =
                    Syntax::call("ge", vec![Syntax::bare(name), Syntax::number("0", span)], span);
                let more = self.type_expr(&coordinate)?;
                let and = openwork_algebra::Operator::find("and").expect("`and` is an operator");
                holds = self.apply(and, vec![holds, more], span)?;
            }
            self.unread.extend(read.expr.accesses().into_iter().cloned());
            return self.apply(choose(), vec![holds, outside.clone(), outside], span);
        }
        self.apply(choose(), vec![holds, read, outside], span)
    }
    /// Whether an access has indices.
    fn may_leave(&self, t: &TensorRef) -> bool {
        !t.bare && !t.indices.is_empty() && !self.in_body()
    }
    /// An access that is read only where its positions are coordinates.
    fn without_checks(&mut self, t: &TensorRef) -> Result<TypedExpr> {
        let outer = std::mem::replace(&mut self.padding, true);
        let access = self.access(t);
        self.padding = outer;
        let access = access?;
        let dtype = self.tensors[access.tensor].dtype;
        Ok(TypedExpr::strong(IndexExpr::Access(access), dtype))
    }
}

/// Whether a value is a coordinate of a mode.
fn is_coordinate(position: &Syntax, size: usize, span: Span) -> Syntax {
    let number = |n: usize| Syntax::Number(Name { text: n.to_string(), span });
    let least = Syntax::call("ge", vec![position.clone(), number(0)], span);
    let most = Syntax::call("lt", vec![position.clone(), number(size)], span);
    Syntax::call("and", vec![least, most], span)
}

fn choose() -> &'static openwork_algebra::Operator {
    openwork_algebra::Operator::find("where").expect("`where` is an operator")
}
