//! Results that are updated where values say: each such mode has a variable of its own, and what is written where the values
//! differ from it changes nothing.
//!
//! ```text
//! y(p(i)) += x(i)         y(c) += sum(i, masked(c == p(i), x(i), 0))
//! C(p(i),j) += A(i,j)     C(c,j) += sum(i, masked(c == p(i), A(i,j), 0))
//! D(i,i) += x(i)          D(c,c1) += sum(i, masked(c == i & c1 == i, x(i), 0))
//! ```
//! The comparison is a set of one coordinate inside of the loops over what says it, so this is a scatter in the right order of
//! loops (`plan/positions.rs`). A value that changes nothing needs no place.

use super::{Checker, NO_SIZE};
use crate::expr::{IndexExpr, IndexId, IndexVar, PositionReach};
use crate::notation::{IndexSum, IndexTerm, Name, StatementSyntax, Syntax, TensorRef};
use crate::window::Window;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::{Error, Result};

/// A mode of the result that is written where a value says.
pub(crate) struct ScatteredMode {
    /// The variable of the mode.
    pub(crate) var: IndexId,
    /// Its value.
    pub(super) position: Syntax,
    /// The same, where it is a sum of index variables.
    pub(super) sum: Option<IndexSum>,
}

impl Checker<'_> {
    /// The variables of the modes of the result. `said`: those that say where it is written.
    pub(super) fn result_vars(&mut self, s: &StatementSyntax, said: &[Name]) -> Result<Vec<IndexId>> {
        let mut vars: Vec<IndexId> = Vec::new();
        for (mode, name) in s.lhs.indices.iter().enumerate() {
            let says = |n: &Name| said.iter().any(|v| v.text == n.text);
            let repeats = |n: &Name| s.lhs.variables().filter(|v| v.text == n.text).count() > 1;
            let window = s.lhs.windows[mode];
            // What is assigned has one value at each place: of a variable that stands alone, the mode is that.
            let own = |c: &Self| c.index_named(&name.text).is_some_and(|v| vars.contains(&v));
            let position = match s.lhs.position(mode) {
                Some(position) => Some(position.clone()),
                None if !window.is_whole() => Some(self.position_on_the_left(s, mode)?),
                None if s.op.is_some() && (says(name) || repeats(name)) || own(self) => {
                    Some(Syntax::bare(name))
                }
                None => None,
            };
            vars.push(match position {
                Some(position) => {
                    let sum = self.sum_on_the_left(s, mode);
                    self.scatter_mode(s, name, mode, position, sum)?
                }
                None => self.index(name),
            });
        }
        Ok(vars)
    }
    /// The coordinate that a variable with a window on the left reaches; the window says its range.
    fn position_on_the_left(&mut self, s: &StatementSyntax, mode: usize) -> Result<Syntax> {
        let (name, window) = (&s.lhs.indices[mode], s.lhs.windows[mode]);
        let shape = self.decls.tensors.get(self.result_name).and_then(|d| d.shape.as_ref());
        let size = shape.and_then(|shape| shape.get(mode)).copied();
        let v = self.index(name);
        if let Some(size) = size {
            self.size_mode(v, &s.lhs, mode, size)?;
            self.indices[v].made_for = self.given_shapes.clone();
        }
        self.position_in_window(name, window, size)
    }
    /// The sum of index variables that a mode of the result is written at, if it is one.
    fn sum_on_the_left(&self, s: &StatementSyntax, mode: usize) -> Option<IndexSum> {
        let window = s.lhs.windows[mode];
        if s.lhs.position(mode).is_some() || window.is_whole() {
            return s.lhs.index_sum(mode);
        }
        let shape = self.decls.tensors.get(self.result_name)?.shape.as_ref()?;
        let start = window.reach(*shape.get(mode)?).ok()?.start;
        let name = s.lhs.indices[mode].text.clone();
        let terms = vec![IndexTerm { name, coefficient: window.step }];
        Some(IndexSum { terms, constant: i64::try_from(start).ok()? })
    }
    fn scatter_mode(
        &mut self,
        s: &StatementSyntax,
        name: &Name,
        mode: usize,
        position: Syntax,
        sum: Option<IndexSum>,
    ) -> Result<IndexId> {
        let declared = s.op.is_none() && !s.keeps_old();
        let shape = self.decls.tensors.get(self.result_name).and_then(|d| d.shape.as_ref());
        if declared && shape.is_none_or(|shape| shape.len() <= mode) {
            let result = self.result_name;
            let message = format!("nothing says how many coordinates mode {mode} of `{result}` has");
            let d = self.reject(NO_SIZE, message, name.span);
            let help = format!("give `{result}` a shape beside the sizes of index variables");
            return Err(Error::rejection(d.help(help)));
        }
        // Such a place holds for the size at hand.
        let made_for = match constant_from_the_end(&position) {
            Some(_) => self.given_shapes.clone(),
            None if s.op.is_none() && sum.is_some() => self.given_shapes.clone(),
            None => [].into(),
        };
        let position = match constant_from_the_end(&position) {
            Some(back) => {
                let size = self.decls.tensors.get(self.result_name).and_then(|d| d.shape.as_ref()?.get(mode));
                let Some(&size) = size else {
                    let message = format!("`{position}` counts from the end of a mode without a size");
                    let d = self.reject(NO_SIZE, message, name.span);
                    return Err(Error::rejection(d.help("count from the start, or say the size")));
                };
                Syntax::number(&(size as i64).saturating_sub(back).to_string(), name.span)
            }
            None => position,
        };
        let text = self.free_index_name();
        let var = self.indices.push(IndexVar {
            name: text.clone(),
            size: None,
            span: name.span,
            derived: None,
            positional: false,
            scattered: true,
            declared,
            reach: PositionReach::Unknown,
            made_for,
            like: None,
        });
        self.index_ids.insert(text, var);
        self.scattered.push(ScatteredMode { var, position, sum });
        Ok(var)
    }
    /// The result as it is read before an update: whole.
    pub(super) fn whole_result(&self, lhs: &TensorRef, vars: &[IndexId]) -> TensorRef {
        let name =
            |(v, name): (&IndexId, &Name)| Name { text: self.indices[*v].name.clone(), span: name.span };
        let indices = vars.iter().zip(&lhs.indices).map(name).collect();
        TensorRef {
            indices,
            position_modes: Vec::new(),
            positions: Vec::new(),
            sum_modes: Vec::new(),
            windows: vec![Window::WHOLE; lhs.windows.len()],
            ..lhs.clone()
        }
    }
    /// The value at the places that it is written to, and what changes nothing elsewhere.
    pub(super) fn compare_scattered(
        &mut self,
        value: IndexExpr,
        op: &'static Operator,
        dtype: DType,
    ) -> Result<IndexExpr> {
        let modes = std::mem::take(&mut self.scattered);
        let mut holds: Option<IndexExpr> = None;
        for mode in &modes {
            let value = self.type_position(&mode.position)?;
            let equals = call("eq", vec![IndexExpr::Index(mode.var), value]);
            holds = Some(match holds {
                None => equals,
                Some(all) => call("and", vec![all, equals]),
            });
        }
        self.scattered = modes;
        let Some(holds) = holds else { return Ok(value) };
        let idle = op.identity_at(1, dtype).unwrap_or(Scalar::zero(dtype));
        Ok(call("masked", vec![holds, value, IndexExpr::Literal(idle)]))
    }
}

/// How far before the end of a mode a literal below zero is.
fn constant_from_the_end(position: &Syntax) -> Option<i64> {
    let Syntax::Op { op, args, .. } = position else { return None };
    match &args[..] {
        [Syntax::Number(n)] if op.prim == Prim::Neg => n.text.parse().ok(),
        _ => None,
    }
}

fn call(name: &str, args: Vec<IndexExpr>) -> IndexExpr {
    IndexExpr::Call { op: Operator::find(name).expect("a built-in operator"), args }
}
