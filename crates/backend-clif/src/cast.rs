//! Conversions by the rules of `Scalar::cast`.

use crate::emit::{Emit, TypedValue, Val, part_type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use openwork_algebra::{DType, DTypeKind};
use openwork_base::Result;
use openwork_loops::Ty;

impl Emit<'_, '_> {
    /// Converts a value, lane by lane.
    pub(crate) fn cast(&mut self, x: TypedValue, to: DType) -> Result<TypedValue> {
        let from = x.ty.elem;
        let ty = Ty { elem: to, lanes: x.ty.lanes };
        if from == to {
            return Ok(x);
        }
        if x.ty.lanes > 1 {
            return self.cast_vector(x, to);
        }
        let val = match (x.val, to.is_complex()) {
            (Val::One(v), false) => Val::One(self.cast_real(v, from, to)),
            (Val::One(v), true) => {
                let re = self.cast_real(v, from, to.real());
                let zero = self.cast_zero(to.real());
                Val::Pair(re, zero)
            }
            (Val::Pair(re, im), true) => Val::Pair(
                self.cast_real(re, from.real(), to.real()),
                self.cast_real(im, from.real(), to.real()),
            ),
            (Val::Pair(re, im), false) if to == DType::Bool => {
                let re = self.cast_real(re, from.real(), DType::Bool);
                let im = self.cast_real(im, from.real(), DType::Bool);
                Val::One(self.b.ins().bor(re, im))
            }
            (Val::Pair(re, _), false) => Val::One(self.cast_real(re, from.real(), to)),
        };
        Ok(TypedValue { val, ty })
    }
    fn cast_zero(&mut self, real: DType) -> Value {
        match part_type(real) {
            types::F32 => self.b.ins().f32const(0.0),
            _ => self.b.ins().f64const(0.0),
        }
    }
    /// Converts a real scalar.
    pub(crate) fn cast_real(&mut self, v: Value, from: DType, to: DType) -> Value {
        if from == to {
            return v;
        }
        let ty = part_type(to);
        match (from.kind(), to.kind()) {
            (DTypeKind::Float, DTypeKind::Bool) => {
                let zero = self.cast_zero(from);
                self.b.ins().fcmp(FloatCC::NotEqual, v, zero)
            }
            (_, DTypeKind::Bool) => self.b.ins().icmp_imm_s(IntCC::NotEqual, v, 0),
            (DTypeKind::Float, DTypeKind::Float) if ty == types::F32 => self.b.ins().fdemote(ty, v),
            (DTypeKind::Float, DTypeKind::Float | DTypeKind::Complex) => self.b.ins().fpromote(ty, v),
            (DTypeKind::Float, DTypeKind::Signed | DTypeKind::Unsigned) => self.float_to_int(v, to),
            (_, DTypeKind::Float | DTypeKind::Complex) => self.int_to_float(v, from, ty),
            (_, DTypeKind::Signed | DTypeKind::Unsigned) => self.resize(v, from.kind(), ty),
        }
    }
    /// An integer in another width: it wraps, or keeps its value.
    fn resize(&mut self, v: Value, kind: DTypeKind, ty: Type) -> Value {
        let now = self.b.func.dfg.value_type(v);
        if now == ty {
            v
        } else if now.bits() > ty.bits() {
            self.b.ins().ireduce(ty, v)
        } else if kind == DTypeKind::Signed {
            self.b.ins().sextend(ty, v)
        } else {
            self.b.ins().uextend(ty, v)
        }
    }
    fn int_to_float(&mut self, v: Value, from: DType, ty: Type) -> Value {
        if from == DType::U64 {
            return self.b.ins().fcvt_from_uint(ty, v);
        }
        // Everything but u64 fits a signed number of 64 bits, and what is below 32 bits one of 32.
        let wide = if from.size() < 4 || from == DType::I32 { types::I32 } else { types::I64 };
        let v = self.resize(v, from.kind(), wide);
        self.b.ins().fcvt_from_sint(ty, v)
    }
    /// Saturates; NaN gives 0. Narrow types saturate at 32 bits first.
    fn float_to_int(&mut self, v: Value, to: DType) -> Value {
        let ty = part_type(to);
        match to {
            DType::I32 | DType::I64 => self.b.ins().fcvt_to_sint_sat(ty, v),
            DType::U32 | DType::U64 => self.b.ins().fcvt_to_uint_sat(ty, v),
            DType::Bool | DType::I8 | DType::I16 | DType::U8 | DType::U16 => {
                let bits = ty.bits();
                let (lo, hi) = match to.kind() {
                    DTypeKind::Signed => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
                    _ => (0, (1i64 << bits) - 1),
                };
                let v = self.b.ins().fcvt_to_sint_sat(types::I32, v);
                let lo = self.b.ins().iconst(types::I32, lo & 0xffff_ffff);
                let hi = self.b.ins().iconst(types::I32, hi);
                let v = self.b.ins().smax(v, lo);
                let v = self.b.ins().smin(v, hi);
                self.b.ins().ireduce(ty, v)
            }
            DType::F32 | DType::F64 | DType::C64 | DType::C128 => v,
        }
    }
}
