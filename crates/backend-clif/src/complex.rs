//! Primitives on complex numbers, part by part and in the order of `Prim::eval`.

use crate::emit::{Emit, TypedValue, Val, part_type};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use openwork_algebra::{DType, Prim};
use openwork_base::Result;

/// The two parts of a complex scalar, as values of machine code.
#[derive(Clone, Copy)]
pub(crate) struct ComplexParts {
    pub re: Value,
    pub im: Value,
}

impl Emit<'_, '_> {
    /// A primitive on complex scalars.
    pub(crate) fn complex_prim(&mut self, prim: Prim, elem: DType, args: &[TypedValue]) -> Result<Val> {
        if prim == Prim::Select {
            let Val::One(c) = args[0].val else { return self.bug("select by a complex number") };
            let (p, q) = (self.parts(args[1])?, self.parts(args[2])?);
            let part = elem.real();
            let re = self.scalar_select(part, c, p.re, q.re);
            return Ok(Val::Pair(re, self.scalar_select(part, c, p.im, q.im)));
        }
        let (p, q) = (self.parts(args[0])?, self.parts(args[args.len() - 1])?);
        let (a, b, x, y) = (p.re, p.im, q.re, q.im);
        Ok(match prim {
            Prim::Add => Val::Pair(self.b.ins().fadd(a, x), self.b.ins().fadd(b, y)),
            Prim::Sub => Val::Pair(self.b.ins().fsub(a, x), self.b.ins().fsub(b, y)),
            Prim::Neg => Val::Pair(self.b.ins().fneg(a), self.b.ins().fneg(b)),
            Prim::Mul => self.complex_mul(p, q),
            Prim::Times => {
                let (left, right) = (self.is_zero(elem, a, b), self.is_zero(elem, x, y));
                let either = self.b.ins().bor(left, right);
                let Val::Pair(re, im) = self.complex_mul(p, q) else {
                    return self.bug("a product of complex numbers has two parts");
                };
                let (part, zero) = (elem.real(), self.float_const(elem, 0.0));
                Val::Pair(
                    self.scalar_select(part, either, zero, re),
                    self.scalar_select(part, either, zero, im),
                )
            }
            Prim::Div => self.complex_div(elem, p, q),
            Prim::Abs => {
                let hypot = self.hypot(part_type(elem));
                let call = self.b.ins().call(hypot, &[a, b]);
                Val::One(self.b.inst_results(call)[0])
            }
            Prim::Library(f) => self.complex_library(f, elem, p, q)?,
            Prim::Eq | Prim::Ne => Val::One(self.complex_compare(prim, p, q)),
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                return self.bug("complex numbers have no order");
            }
            Prim::Fused | Prim::Least | Prim::Most => {
                return self.bug("complex numbers have no such primitive");
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
            | Prim::Popcount
            | Prim::Choose
            | Prim::Defined(_) => {
                return self.bug(format!("{} of {elem}", prim.name()));
            }
        })
    }
    fn parts(&self, z: TypedValue) -> Result<ComplexParts> {
        match z.val {
            Val::Pair(re, im) => Ok(ComplexParts { re, im }),
            Val::One(_) => self.bug("a complex number has two parts"),
        }
    }
    /// `a * x + b * y`.
    fn product_sum(&mut self, a: Value, x: Value, b: Value, y: Value) -> Value {
        let (p, q) = (self.b.ins().fmul(a, x), self.b.ins().fmul(b, y));
        self.b.ins().fadd(p, q)
    }
    fn complex_mul(&mut self, p: ComplexParts, q: ComplexParts) -> Val {
        let (a, b, x, y) = (p.re, p.im, q.re, q.im);
        let (re, minus) = (self.b.ins().fmul(a, x), self.b.ins().fmul(b, y));
        let re = self.b.ins().fsub(re, minus);
        Val::Pair(re, self.product_sum(a, y, b, x))
    }
    fn is_zero(&mut self, elem: DType, re: Value, im: Value) -> Value {
        let zero = self.float_const(elem, 0.0);
        let re = self.b.ins().fcmp(FloatCC::Equal, re, zero);
        let im = self.b.ins().fcmp(FloatCC::Equal, im, zero);
        self.b.ins().band(re, im)
    }
    /// The quotient by way of the larger part of the divisor, as `Prim::eval` takes it. With the parts exchanged where the
    /// imaginary one is larger, both cases have one formula, up to the sign of the imaginary part.
    fn complex_div(&mut self, elem: DType, of: ComplexParts, by: ComplexParts) -> Val {
        let part = elem.real();
        let (a, b, x, y) = (of.re, of.im, by.re, by.im);
        let (re_size, im_size) = (self.b.ins().fabs(x), self.b.ins().fabs(y));
        let plain = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, re_size, im_size);
        let (c, d) = (self.scalar_select(part, plain, x, y), self.scalar_select(part, plain, y, x));
        let (p, q) = (self.scalar_select(part, plain, a, b), self.scalar_select(part, plain, b, a));
        let ratio = self.b.ins().fdiv(d, c);
        let rest = self.b.ins().fmul(d, ratio);
        let norm = self.b.ins().fadd(c, rest);
        let (more, less) = (self.b.ins().fmul(q, ratio), self.b.ins().fmul(p, ratio));
        let (re, im) = (self.b.ins().fadd(p, more), self.b.ins().fsub(q, less));
        let (re, im) = (self.b.ins().fdiv(re, norm), self.b.ins().fdiv(im, norm));
        let turned = self.b.ins().fneg(im);
        let im = self.scalar_select(part, plain, im, turned);
        let by_zero = self.is_zero(elem, x, y);
        let (none_re, none_im) = (self.b.ins().fdiv(a, re_size), self.b.ins().fdiv(b, re_size));
        Val::Pair(
            self.scalar_select(part, by_zero, none_re, re),
            self.scalar_select(part, by_zero, none_im, im),
        )
    }
    fn complex_compare(&mut self, prim: Prim, p: ComplexParts, q: ComplexParts) -> Value {
        if prim == Prim::Eq {
            let re = self.b.ins().fcmp(FloatCC::Equal, p.re, q.re);
            let im = self.b.ins().fcmp(FloatCC::Equal, p.im, q.im);
            self.b.ins().band(re, im)
        } else {
            let re = self.b.ins().fcmp(FloatCC::NotEqual, p.re, q.re);
            let im = self.b.ins().fcmp(FloatCC::NotEqual, p.im, q.im);
            self.b.ins().bor(re, im)
        }
    }
}
