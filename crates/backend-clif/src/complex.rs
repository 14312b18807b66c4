//! Primitives on complex numbers, part by part and in the order of `Prim::eval`.

use crate::emit::{Emit, Typed, Val, part_type};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use openwork_algebra::{DType, Prim};
use openwork_base::Result;

impl Emit<'_, '_> {
    /// A primitive on complex scalars.
    pub(crate) fn complex_prim(&mut self, prim: Prim, elem: DType, args: &[Typed]) -> Result<Val> {
        if prim == Prim::Select {
            let Val::One(c) = args[0].val else { return self.bug("select by a complex number") };
            let ((a, b), (x, y)) = (self.parts(args[1])?, self.parts(args[2])?);
            let part = elem.real();
            return Ok(Val::Pair(self.scalar_select(part, c, a, x), self.scalar_select(part, c, b, y)));
        }
        let ((a, b), (x, y)) = (self.parts(args[0])?, self.parts(args[args.len() - 1])?);
        Ok(match prim {
            Prim::Add => Val::Pair(self.b.ins().fadd(a, x), self.b.ins().fadd(b, y)),
            Prim::Sub => Val::Pair(self.b.ins().fsub(a, x), self.b.ins().fsub(b, y)),
            Prim::Neg => Val::Pair(self.b.ins().fneg(a), self.b.ins().fneg(b)),
            Prim::Mul => {
                let (re, minus) = (self.b.ins().fmul(a, x), self.b.ins().fmul(b, y));
                let re = self.b.ins().fsub(re, minus);
                Val::Pair(re, self.product_sum(a, y, b, x))
            }
            Prim::Div => self.complex_div((a, b), (x, y)),
            Prim::Abs => {
                let hypot = self.hypot(part_type(elem));
                let call = self.b.ins().call(hypot, &[a, b]);
                Val::One(self.b.inst_results(call)[0])
            }
            Prim::Eq | Prim::Ne => Val::One(self.complex_compare(prim, (a, b), (x, y))),
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                return self.bug("complex numbers have no order");
            }
            Prim::And
            | Prim::Or
            | Prim::Xor
            | Prim::Not
            | Prim::Select
            | Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount => {
                return self.bug(format!("{} of {elem}", prim.name()));
            }
        })
    }
    fn parts(&self, z: Typed) -> Result<(Value, Value)> {
        match z.val {
            Val::Pair(re, im) => Ok((re, im)),
            Val::One(_) => self.bug("a complex number has two parts"),
        }
    }
    /// `a * x + b * y`.
    fn product_sum(&mut self, a: Value, x: Value, b: Value, y: Value) -> Value {
        let (p, q) = (self.b.ins().fmul(a, x), self.b.ins().fmul(b, y));
        self.b.ins().fadd(p, q)
    }
    /// `z * conj(w) / |w|^2`.
    fn complex_div(&mut self, (a, b): (Value, Value), (x, y): (Value, Value)) -> Val {
        let norm = self.product_sum(x, x, y, y);
        let re = self.product_sum(a, x, b, y);
        let (p, q) = (self.b.ins().fmul(b, x), self.b.ins().fmul(a, y));
        let im = self.b.ins().fsub(p, q);
        Val::Pair(self.b.ins().fdiv(re, norm), self.b.ins().fdiv(im, norm))
    }
    fn complex_compare(&mut self, prim: Prim, (a, b): (Value, Value), (x, y): (Value, Value)) -> Value {
        if prim == Prim::Eq {
            let re = self.b.ins().fcmp(FloatCC::Equal, a, x);
            let im = self.b.ins().fcmp(FloatCC::Equal, b, y);
            self.b.ins().band(re, im)
        } else {
            let re = self.b.ins().fcmp(FloatCC::NotEqual, a, x);
            let im = self.b.ins().fcmp(FloatCC::NotEqual, b, y);
            self.b.ins().bor(re, im)
        }
    }
}
