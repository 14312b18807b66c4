//! Where the smallest or the largest value is: the first place of it, as in NumPy.
//!
//! ```text
//! argmin(j, A(i,j))       choose(j, where(A(i,j) == t | A(i,j) != A(i,j), j + 1, 0)) - 1      t = min(j, A(i,j))
//! ```
//! NaN is smaller and larger than anything. Of no values the place is -1.

use super::function::{LARGE, NODES, size};
use super::types::TypedExpr;
use super::{Checker, REDUCED, TYPE};
use crate::expr::{IndexExpr, IndexId};
use crate::notation::{Name, Syntax};
use openwork_algebra::{DType, Operator, Scalar};
use openwork_base::{Error, Result, Span};

impl Checker<'_> {
    /// `argmin(j, e)` or `argmax(j, e)`; `vars` are the arguments before the value, where all are index variables.
    pub(super) fn place_of_extreme(
        &mut self,
        name: &Name,
        args: &[Syntax],
        vars: Option<&[IndexId]>,
        span: Span,
    ) -> Result<TypedExpr> {
        let help = format!("write `{}(j, A(i,j))`", name.text);
        let ([_, value], Some(&[v])) = (args, vars) else {
            let message = format!("`{}` reduces over one index variable", name.text);
            return Err(Error::rejection(self.reject(REDUCED, message, span).help(help)));
        };
        let value = self.type_expr(value)?;
        let extreme = if name.text == "argmin" { "min" } else { "max" };
        if !find_operator(extreme).reduces(value.dtype) {
            let message = format!("no value of dtype {} is the smallest or largest", value.dtype);
            return Err(Error::rejection(self.reject(TYPE, message, span)));
        }
        self.refuse_large_value(name, &value, span)?;
        // NaN is found wherever it is, also beside an infinity that would decide.
        let by = match value.dtype.is_float() {
            true => find_operator(if extreme == "min" { "min_ieee" } else { "max_ieee" }),
            false => find_operator(extreme),
        };
        let most = self.reduce_in_its_dtype(by, vec![v], value.clone(), span)?;
        let mut here = self.apply(find_operator("eq"), vec![value.clone(), most], span)?;
        if value.dtype.is_float() {
            let nan = self.apply(find_operator("ne"), vec![value.clone(), value], span)?;
            here = self.apply(find_operator("or"), vec![here, nan], span)?;
        }
        let number = |n| TypedExpr::strong(IndexExpr::Literal(Scalar::I64(n)), DType::I64);
        let place = TypedExpr::strong(IndexExpr::Index(v), DType::I64);
        let place = self.apply(find_operator("add"), vec![place, number(1)], span)?;
        let place = self.apply(find_operator("where"), vec![here, place, number(0)], span)?;
        let first = self.reduce_in_its_dtype(find_operator("choose"), vec![v], place, span)?;
        self.apply(find_operator("sub"), vec![first, number(1)], span)
    }
    /// The value is written out three times, with what it reduces.
    fn refuse_large_value(&self, name: &Name, value: &TypedExpr, span: Span) -> Result<()> {
        let (nodes, _) = size(&value.expr);
        if 3 * nodes <= NODES {
            return Ok(());
        }
        let message = format!("what `{}` looks at is too large: it has {nodes} operations", name.text);
        let help = "it is computed to find the extreme, and to find where that is; compute it in a statement of its own";
        Err(Error::refusal(self.reject(LARGE, message, span).help(help)))
    }
}

fn find_operator(name: &str) -> &'static Operator {
    Operator::find(name).expect("a built-in operator")
}
