//! Where the smallest and the largest value is.

use super::typing::{OracleNode, OracleScope, Typed, refuse};
use super::value::{self, Approx, Doubt};
use super::{OracleMachine, Refusal};
use openwork_algebra::{Arithmetic, DType, Prim, Scalar};
use openwork_index::notation::Syntax;

/// Whether a name is that of the place of an extreme value.
pub(super) fn is_place(name: &str) -> bool {
    matches!(name, "argmin" | "argmax")
}

impl OracleScope<'_> {
    pub(super) fn place_of_extreme(
        &mut self,
        name: &str,
        var: usize,
        body: &Syntax,
    ) -> Result<Typed, Refusal> {
        let prim = if name == "argmin" { Prim::Min } else { Prim::Max };
        let body = self.expr(body)?;
        if !body.node.uses(var) {
            return refuse("E0205", name);
        }
        if prim.result(body.dtype).is_none() {
            return refuse("E0204", name);
        }
        let node = OracleNode::PlaceOfExtreme { prim, var, body: Box::new(body.node) };
        Ok(Typed { node, dtype: DType::I64, loose: false })
    }
}

impl OracleMachine<'_> {
    /// The first coordinate at which a value is the smallest or largest of all, or NaN; -1 where there is none.
    pub(super) fn place_of_extreme(&mut self, prim: Prim, var: usize, body: &OracleNode) -> Approx {
        let mut values: Vec<Approx> = Vec::new();
        self.run_for_all(&[var], &mut |m| {
            let value = m.eval(body);
            values.push(value);
        });
        let all = values.iter().copied();
        let most = all.reduce(|a, b| value::apply(prim, &[a, b], Arithmetic::Exact, &mut self.doubt));
        let Some(most) = most else { return Approx::exact(Scalar::I64(-1)) };
        let is_most = |v: &Approx| v.value.is_nan() || v.value == most.value;
        let place = values.iter().position(is_most).unwrap_or(0);
        for (n, other) in values.iter().enumerate() {
            let slack = other.slack + most.slack;
            let near = (other.value.as_complex() - most.value.as_complex()).norm() <= slack;
            if n != place && slack > 0.0 && near {
                self.doubt = self.doubt.or(Some(Doubt::Rounded));
            }
        }
        Approx::exact(Scalar::I64(place as i64))
    }
}
