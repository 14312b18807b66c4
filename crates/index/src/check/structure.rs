//! `structure(A(i,j))`: whether `A` stores an element there, whatever its value.
//!
//! ```text
//! y(i) = A(i,j) * x(j) where structure(m(i))     an operand of truth values that stores what m does, each of them true
//! ```
//! The rest of the compiler knows nothing of it: coordinates that are visited follow from the operand's levels, as for any
//! other.

use super::{Checker, TYPE, types};
use crate::expr::{Holds, IndexExpr, TensorId};
use crate::notation::{STRUCTURE, Syntax};
use openwork_algebra::{DType, Scalar};
use openwork_base::{Error, Result, Span};
use openwork_format::Format;

impl Checker<'_> {
    /// What a tensor stores; its only argument is an access.
    pub(super) fn structure(&mut self, args: &[Syntax], span: Span) -> Result<types::TypedExpr> {
        let tensor = match args {
            [Syntax::Tensor(t)] if !self.in_body() => Some(t),
            _ => None,
        };
        let index = |name: &str| self.index_named(name).is_some();
        let Some(t) = tensor.filter(|t| !(t.bare && index(&t.name.text))) else {
            let message = format!("`{STRUCTURE}` asks what one tensor stores");
            let help =
                format!("write `{STRUCTURE}(A(i,j))`; what is computed is stored by a statement before");
            return Err(Error::rejection(self.reject(TYPE, message, span).help(help)));
        };
        let access = self.access_to(t, Holds::Structure)?;
        Ok(types::TypedExpr::strong(IndexExpr::Access(access), DType::Bool))
    }
    /// Makes an operand of truth values of one that was declared with values.
    pub(super) fn as_structure(&mut self, id: TensorId) {
        let t = &mut self.tensors[id];
        (t.dtype, t.fill, t.holds) = (DType::Bool, Scalar::Bool(false), Holds::Structure);
        t.format = Format { fill: None, ..t.format.clone() };
    }
    /// `A_stored`, or with a number where there is a tensor of that name.
    pub(super) fn name_of_structure(&self, name: &str) -> String {
        let numbered = (2..).map(|n| format!("{name}_stored_{n}"));
        self.free_name(std::iter::once(format!("{name}_stored")).chain(numbered))
    }
}
