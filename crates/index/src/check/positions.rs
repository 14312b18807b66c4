//! Accesses that are read where a value says: each such mode has a variable of its own, which has that value.
//!
//! ```text
//! y(i) = x(p(i))                   y(i) = masked(c == p(i), x(c), 0)
//! y(i) = sum(j, A(i,j)*x(p(j)))    y(i) = sum(j, c, masked(c == p(j), A(i,j) * x(c), 0))
//! y(j) = A(3,j)                    y(j) = A(c(3:4),j)
//! ```
//! The comparison is a set of one coordinate, which loops go to as to any other set. A reduction goes over the positions in it
//! as well, each of which adds one coordinate; outside of reductions, nothing is reduced over a position, though there is a
//! loop over it: it is [positional](IndexVar::positional).

use super::{Checker, TYPE};
use crate::assume::drop_vain_assumptions;
use crate::expr::{IndexExpr, IndexId, IndexVar, PositionReach, fill_of};
use crate::fold::fold;
use crate::notation::syntax::constant_window;
use crate::notation::{Syntax, TensorRef};
use crate::window::Window;
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::{Error, Result};

/// A mode that is read where a value says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// The name of the tensor.
    tensor: String,
    /// The mode of it.
    mode: usize,
    /// The variable of the mode.
    pub(super) var: IndexId,
    /// Where it is a coordinate.
    reach: PositionReach,
    /// What the variable is; of a constant, the window has it already.
    value: PositionValue,
}

/// A value that says where a mode is read.
#[derive(Clone, Debug, PartialEq)]
enum PositionValue {
    /// The only coordinate of a window.
    Constant(Window),
    /// An integer.
    Computed(IndexExpr),
}

impl Position {
    fn rename(&mut self, from: IndexId, to: IndexId) {
        self.var = if self.var == from { to } else { self.var };
        if let PositionValue::Computed(value) = &mut self.value {
            *value = rename(value.clone(), from, to);
        }
    }
}

impl Checker<'_> {
    /// The variable of a mode of an access.
    pub(super) fn mode_var(&mut self, t: &TensorRef, mode: usize) -> Result<IndexId> {
        let Some(position) = t.position(mode) else { return Ok(self.index(&t.indices[mode])) };
        let value = match constant_window(position) {
            Some(window) => PositionValue::Constant(window),
            None => PositionValue::Computed(self.type_position(position)?),
        };
        let tensor = t.name.text.clone();
        let is_sum = t.sum_modes.contains(&mode);
        // A placed variable is a coordinate where anything was sent, and nothing is read elsewhere.
        let placed = self.index_named(&t.indices[mode].text).filter(|_| is_sum && self.has_placed());
        let reach = match self.sums_inside && is_sum {
            _ if self.padding || placed.is_some() => PositionReach::WhereNeeded,
            true if self.has_placed() => PositionReach::WhereNeeded,
            true => PositionReach::Always,
            false => PositionReach::Unknown,
        };
        let like = placed.filter(|_| matches!(position, Syntax::Tensor(_)));
        let same =
            |p: &&Position| p.tensor == tensor && p.mode == mode && p.value == value && p.reach == reach;
        if let Some(known) = self.positions.iter().find(same) {
            return Ok(known.var);
        }
        let size = matches!(value, PositionValue::Constant(_)).then_some(1);
        let var = self.indices.push(IndexVar {
            name: self.free_index_name(),
            size,
            span: position.span(),
            derived: None,
            positional: true,
            scattered: false,
            declared: false,
            reach,
            // What is known of it holds for these shapes.
            made_for: match reach {
                PositionReach::Unknown => [].into(),
                PositionReach::WhereNeeded | PositionReach::Always => self.given_shapes.clone(),
            },
            like,
        });
        self.positions.push(Position { tensor, mode, var, reach, value });
        Ok(var)
    }
    pub(super) fn type_position(&mut self, position: &Syntax) -> Result<IndexExpr> {
        let typed = self.type_expr(position)?;
        if !typed.dtype.is_int() {
            let message = format!("`{position}` says where a tensor is read, and is {}", typed.dtype);
            let help = match typed.dtype {
                DType::Bool => "a position is an integer; a mask stands behind: y(i) = x(i) where m(i)",
                _ => "a position is an integer: i64(…) makes one of a number",
            };
            return Err(Error::rejection(self.reject(TYPE, message, position.span()).help(help)));
        }
        Ok(match typed.dtype {
            DType::I64 => typed.expr,
            _ => IndexExpr::Cast { to: DType::I64, arg: Box::new(typed.expr) },
        })
    }
    /// `c`, `c1`, `c2`…: the first that the statement does not have.
    pub(super) fn free_index_name(&self) -> String {
        let mut names = (0..).map(|n| if n == 0 { "c".to_string() } else { format!("c{n}") });
        let taken = |name: &String| {
            self.indices.iter().any(|(_, i)| i.name == *name)
                || self.decls.tensors.contains_key(name)
                || self.result_name == *name
                || self.source.text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        };
        names.find(|name| !taken(name)).expect("names do not run out")
    }
    /// The positions among variables, and those that they are computed from, which come first.
    fn positions_in(&self, vars: &[IndexId]) -> Vec<Position> {
        let mut needed: Vec<IndexId> = vars.to_vec();
        for p in self.positions.iter().rev() {
            if let (true, PositionValue::Computed(value)) = (needed.contains(&p.var), &p.value) {
                needed.extend(value.free_vars());
            }
        }
        // A position is known before what is read there, which may say the next one.
        self.positions.iter().filter(|p| needed.contains(&p.var)).cloned().collect()
    }
    /// The value around which no reduction stands, with every position compared with what says it. `outside`: what the result
    /// is where nothing is stored, if that is given.
    pub(super) fn compare_positions(&mut self, e: IndexExpr, outside: Option<Scalar>) -> IndexExpr {
        let (e, positions) = self.bind_positions(e);
        // What is assumed in vain is assumed nowhere.
        let as_computed = || drop_vain_assumptions(fold(e.clone()), &self.tensors);
        let outside = outside.or_else(|| fill_of(&as_computed(), &self.tensors));
        self.compare_around(e, outside, positions)
    }
    /// What is reduced, with the positions in it, and their variables, over which the reduction goes as well.
    pub(super) fn reduce_positions(
        &mut self,
        op: &'static Operator,
        body: IndexExpr,
    ) -> (IndexExpr, Vec<IndexId>) {
        let (body, positions) = self.bind_positions(body);
        let vars = positions.iter().map(|p| p.var).collect();
        let idle = op.identity_at(1, body.dtype(&self.tensors));
        (self.compare_around(body, idle, positions), vars)
    }
    /// An expression with the positions that are bound around it: each has a variable of its own.
    fn bind_positions(&mut self, mut e: IndexExpr) -> (IndexExpr, Vec<Position>) {
        let mut own = self.positions_in(&e.free_vars());
        for n in 0..own.len() {
            let v = own[n].var;
            if self.bound_positions.contains(&v) {
                let name = self.free_index_name();
                let fresh = self.indices.push(IndexVar { name, ..self.indices[v].clone() });
                e = rename(e, v, fresh);
                own.iter_mut().for_each(|p| p.rename(v, fresh));
            }
            self.bound_positions.push(own[n].var);
        }
        (e, own)
    }
    /// The variables of an expression, and those that positions in it are computed from.
    pub(super) fn varying_variables(&self, e: &IndexExpr) -> Vec<IndexId> {
        let mut all = e.free_vars();
        for p in self.positions_in(&all) {
            if let PositionValue::Computed(value) = &p.value {
                all.extend(value.free_vars());
            }
        }
        let mut varying: Vec<IndexId> = Vec::new();
        for v in all {
            if !self.indices[v].positional && !varying.contains(&v) {
                varying.push(v);
            }
        }
        varying
    }
    fn compare_around(&self, e: IndexExpr, idle: Option<Scalar>, positions: Vec<Position>) -> IndexExpr {
        let call = |name: &str, args| {
            let op = Operator::find(name).expect("the operator is known");
            IndexExpr::Call { op, args }
        };
        let computed = positions.into_iter().filter_map(|p| match p.value {
            PositionValue::Constant(_) => None,
            PositionValue::Computed(value) => Some(call("eq", vec![IndexExpr::Index(p.var), value])),
        });
        match computed.reduce(|all, next| call("and", vec![all, next])) {
            None => e,
            Some(holds) => {
                let idle = idle.unwrap_or(Scalar::zero(e.dtype(&self.tensors)));
                call("masked", vec![holds, e, IndexExpr::Literal(idle)])
            }
        }
    }
}

/// The expression with another variable where one is free.
fn rename(e: IndexExpr, from: IndexId, to: IndexId) -> IndexExpr {
    if let IndexExpr::Reduce { vars, .. } = &e
        && vars.contains(&from)
    {
        return e;
    }
    let other = |v: IndexId| if v == from { to } else { v };
    e.with_vars(&other).map_children(&mut |c| rename(c, from, to))
}
