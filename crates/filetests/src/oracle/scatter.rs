//! Results that are updated where values say.
//!
//! ```text
//! y(p(i)) += x(i)         for every i: y[p[i]] += x[i]
//! D(i,i) += x(i)          for every i: D[i][i] += x[i]
//! y(p(i)) = x(i)          for every i: y[p[i]] = x[i]
//! ```

use super::slice::slice_coordinates;
use super::typing::{self, OracleNode, OracleScope, Typed};
use super::value::identity;
use super::{OracleMachine, Refusal, einstein};
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_index::notation::{Name, StatementSyntax, Syntax, TensorRef};
use openwork_index::window::Window;
use std::rc::Rc;

/// The left side of a statement.
pub(super) struct OracleTarget {
    /// The variables of the modes.
    pub(super) vars: Vec<usize>,
    /// Those that values say, with these.
    says: Vec<(usize, Syntax)>,
    /// The variables that the values have.
    pub(super) said: Vec<usize>,
}

/// What is sent somewhere.
pub(super) struct Sent {
    places: Vec<(usize, OracleNode)>,
    value: OracleNode,
    idle: Scalar,
    vars: Vec<usize>,
}

/// What a result that is assigned where values say gets.
#[derive(Clone, Debug)]
pub(super) struct SentLast {
    /// Variables of modes, each with the value that says its coordinate.
    pub(super) places: Vec<(usize, OracleNode)>,
    /// The variables whose values are sent, the last one fastest.
    pub(super) vars: Vec<usize>,
    /// Whether a value is sent.
    pub(super) mask: Option<OracleNode>,
    pub(super) value: OracleNode,
    /// What is there if nothing is sent.
    pub(super) nothing: OracleNode,
}

impl OracleTarget {
    pub(super) fn new(s: &StatementSyntax, scope: &mut OracleScope) -> Result<OracleTarget, Refusal> {
        let known = scope.vars.clone();
        let says_with =
            |name: &str, scope: &OracleScope| s.lhs.positions.iter().any(|p| einstein::uses(p, name, scope));
        let mut target = OracleTarget { vars: Vec::new(), says: Vec::new(), said: Vec::new() };
        for (mode, name) in s.lhs.indices.iter().enumerate() {
            let again = s.lhs.variables().filter(|v| v.text == name.text).count() > 1;
            let seen = |v: &usize| scope.vars[*v] == name.text;
            let position = match s.lhs.position(mode) {
                Some(position) => Some(position.clone()),
                None if !s.lhs.windows[mode].is_whole() => Some(place_in_window(s, mode, scope)?),
                None if s.op.is_some() && (again || says_with(&name.text, scope)) => {
                    Some(Syntax::Tensor(bare(name)))
                }
                None if target.vars.iter().any(seen) => Some(Syntax::Tensor(bare(name))),
                None => None,
            };
            let Some(position) = position else {
                let v = known
                    .iter()
                    .position(|v| *v == name.text)
                    .expect("the left side's variables are in scope");
                target.vars.push(v);
                continue;
            };
            scope.vars.push(format!("#{mode}"));
            target.vars.push(scope.vars.len() - 1);
            let uses = (0..known.len()).filter(|v| einstein::uses(&position, &known[*v], scope));
            target.said.extend(uses.collect::<Vec<_>>());
            target.says.push((scope.vars.len() - 1, position));
        }
        target.said.sort_unstable();
        target.said.dedup();
        Ok(target)
    }
    /// Whether values say where something is written.
    pub(super) fn is_scattered(&self) -> bool {
        !self.says.is_empty()
    }
    /// The result as it is read before: whole.
    pub(super) fn whole_access(&self, lhs: &TensorRef, scope: &OracleScope) -> TensorRef {
        let name = |(v, name): (&usize, &Name)| Name { text: scope.vars[*v].clone(), span: name.span };
        let indices = self.vars.iter().zip(&lhs.indices).map(name).collect();
        TensorRef {
            indices,
            position_modes: Vec::new(),
            positions: Vec::new(),
            sum_modes: Vec::new(),
            windows: vec![Window::WHOLE; lhs.windows.len()],
            ..lhs.clone()
        }
    }
    /// What an element gets, of values that are sent from everywhere, one after the other.
    pub(super) fn last_sent(
        &self,
        s: &StatementSyntax,
        value: Typed,
        mask: Option<Typed>,
        scope: &mut OracleScope,
    ) -> Result<Typed, Refusal> {
        let old = match s.lhs.windows.iter().all(Window::is_whole) {
            true => None,
            false => Some(scope.load(&self.whole_access(&s.lhs, scope))?),
        };
        let to = old.as_ref().map(|old| old.dtype).or(scope.inputs.result).unwrap_or(value.dtype);
        let value = typing::store_value(value, to)?;
        let mut places = Vec::new();
        for (v, position) in &self.says {
            let Some(&size) = scope.sizes.get(v) else { return typing::refuse("E0206", "no size") };
            places.push((*v, scope.position(position, size)?));
        }
        let mut vars: Vec<usize> = self.said.iter().copied().filter(|v| !self.vars.contains(v)).collect();
        let text = s.rhs.to_string();
        let read: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        vars.sort_by_key(|v| read.iter().position(|word| *word == scope.vars[*v]).unwrap_or(read.len()));
        let fill = scope.inputs.fill.as_ref().and_then(|text| Scalar::parse(text, to));
        let nothing = match old {
            Some(old) => old.node,
            None => OracleNode::Const(fill.unwrap_or(Scalar::zero(to))),
        };
        let mask = mask.map(|mask| mask.node);
        let sent = SentLast { places, vars, mask, value: value.node, nothing };
        Ok(Typed { node: OracleNode::LastSent(Rc::new(sent)), dtype: to, loose: false })
    }
    /// What arrives at an element, of a value that is sent from everywhere.
    pub(super) fn sum_arrivals(
        &self,
        op: &'static Operator,
        value: Typed,
        vars: Vec<usize>,
        scope: &mut OracleScope,
    ) -> Result<(Typed, Sent), Refusal> {
        let Some(idle) = identity(op.prim, value.dtype) else {
            return typing::refuse("E0204", op.name);
        };
        let mut places = Vec::new();
        for (v, position) in &self.says {
            let size = scope.sizes.get(v).copied().unwrap_or(0);
            places.push((*v, scope.position(position, size)?));
        }
        let sent = Sent { places, value: value.node.clone(), idle, vars: vars.clone() };
        let here = |(v, place): &(usize, OracleNode)| Typed {
            node: OracleNode::Compare { prim: Prim::Eq, args: vec![OracleNode::Counter(*v), place.clone()] },
            dtype: DType::Bool,
            loose: false,
        };
        let mut holds = sent.places.iter().map(here);
        let first = holds.next().expect("a value says where");
        let holds = holds.try_fold(first, |all, next| typing::apply(Prim::And, vec![all, next]))?;
        let masked = typing::mask_value(holds, value, idle)?;
        Ok((typing::fold_as_is(op.prim, vars, masked)?, sent))
    }
}

/// The coordinate that a variable with a window on the left reaches.
fn place_in_window(s: &StatementSyntax, mode: usize, scope: &mut OracleScope) -> Result<Syntax, Refusal> {
    let name = &s.lhs.indices[mode];
    let shape = scope.inputs.arrays.get(&s.lhs.name.text).map(|a| a.shape.clone());
    let Some(size) = shape.and_then(|shape| shape.get(mode).copied()) else {
        return typing::refuse("E0201", "no old value");
    };
    let Some(all) = slice_coordinates(&s.lhs.windows[mode], size as i64) else {
        return typing::refuse("E0217", "a window beyond its mode");
    };
    let v = scope.vars.iter().position(|v| *v == name.text).expect("the left side's variables are in scope");
    scope.size(v, all.len())?;
    let number = |n: i64| Syntax::Number(Name { text: n.to_string(), span: name.span });
    let call = |op: &str, a: Syntax, b: Syntax| Syntax::Op {
        op: Operator::find(op).expect("a built-in operator"),
        args: vec![a, b],
        span: name.span,
    };
    let (first, step) = (all.first().map_or(0, |n| *n as i64), s.lhs.windows[mode].step);
    let along = call("mul", number(step.abs()), Syntax::Tensor(bare(name)));
    Ok(call(if step < 0 { "sub" } else { "add" }, number(first), along))
}

fn bare(name: &Name) -> TensorRef {
    TensorRef {
        name: name.clone(),
        indices: Vec::new(),
        windows: Vec::new(),
        position_modes: Vec::new(),
        positions: Vec::new(),
        sum_modes: Vec::new(),
        span: name.span,
        bare: true,
    }
}

impl OracleMachine<'_> {
    /// What something is for the value that was sent last, or for what is there if none was. A place that is none is
    /// remembered, wherever something is sent there.
    pub(super) fn with_last<T>(
        &mut self,
        sent: &SentLast,
        f: &mut dyn FnMut(&mut Self, &OracleNode) -> T,
    ) -> T {
        let mut last: Option<Vec<usize>> = None;
        let mut outside = false;
        let vars = sent.vars.clone();
        let before = self.strays;
        self.run_for_all(&vars, &mut |m| {
            if let Some(mask) = &sent.mask
                && !m.eval(mask).value.truthy()
            {
                return;
            }
            let mut here = true;
            for (v, place) in &sent.places {
                let said = m.eval(place).value.as_i64();
                outside |= !usize::try_from(said).is_ok_and(|said| said < m.sizes[*v]);
                here &= said == m.at[*v] as i64;
            }
            if here {
                last = Some(vars.iter().map(|&v| m.at[v]).collect());
            }
        });
        self.strays |= before || outside;
        let Some(last) = last else { return f(self, &sent.nothing) };
        let outer: Vec<usize> = vars.iter().map(|&v| self.at[v]).collect();
        vars.iter().zip(&last).for_each(|(&v, &n)| self.at[v] = n);
        let out = f(self, &sent.value);
        vars.iter().zip(&outer).for_each(|(&v, &n)| self.at[v] = n);
        out
    }
    /// Whether something that changes what is there has no place. `plain`: the variables of the other modes.
    pub(super) fn lacks_a_place(&mut self, sent: &Sent, plain: &[usize]) -> bool {
        let mut lacks = false;
        let vars = [plain, &sent.vars].concat();
        self.run_for_all(&vars, &mut |m| {
            m.strays = false;
            let value = m.eval(&sent.value).value;
            let place = |(v, e): &(usize, OracleNode), m: &mut Self| {
                let said = m.eval(e).value.as_i64();
                usize::try_from(said).is_ok_and(|said| said < m.sizes[*v])
            };
            let outside = sent.places.iter().any(|p| !place(p, m));
            lacks |= outside && (m.strays || !value.is_same(sent.idle) && value != sent.idle);
        });
        self.strays = false;
        lacks
    }
}
