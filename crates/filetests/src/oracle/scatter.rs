//! Results that are updated where values say.
//!
//! ```text
//! y(p(i)) += x(i)         for every i: y[p[i]] += x[i]
//! D(i,i) += x(i)          for every i: D[i][i] += x[i]
//! ```

use super::typing::{self, OracleNode, OracleScope, Typed};
use super::value::identity;
use super::{OracleMachine, Refusal, einstein};
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_index::notation::{Name, StatementSyntax, Syntax, TensorRef};

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

impl OracleTarget {
    pub(super) fn new(s: &StatementSyntax, scope: &mut OracleScope) -> Result<OracleTarget, Refusal> {
        let known = scope.vars.clone();
        let says_with =
            |name: &str, scope: &OracleScope| s.lhs.positions.iter().any(|p| einstein::uses(p, name, scope));
        let mut target = OracleTarget { vars: Vec::new(), says: Vec::new(), said: Vec::new() };
        for (mode, name) in s.lhs.indices.iter().enumerate() {
            let again = s.lhs.variables().filter(|v| v.text == name.text).count() > 1;
            let position = match s.lhs.position(mode) {
                Some(position) => Some(position.clone()),
                None if says_with(&name.text, scope) || s.op.is_some() && again => {
                    Some(Syntax::Tensor(bare(name)))
                }
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
            ..lhs.clone()
        }
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
