//! Primitives on real scalars, bools and masks' building blocks.

use crate::emit::{Emit, part_type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Endianness, InstBuilder, InstructionData, MemFlagsData, Opcode, Value, types};
use openwork_algebra::{DType, DTypeKind, Prim};
use openwork_base::Result;

/// The condition of an integer comparison, or `None` for other primitives.
pub(crate) fn int_cond(prim: Prim, kind: DTypeKind) -> Option<IntCC> {
    let signed = kind == DTypeKind::Signed;
    let pick = |s, u| Some(if signed { s } else { u });
    match prim {
        Prim::Eq => Some(IntCC::Equal),
        Prim::Ne => Some(IntCC::NotEqual),
        Prim::Lt => pick(IntCC::SignedLessThan, IntCC::UnsignedLessThan),
        Prim::Le => pick(IntCC::SignedLessThanOrEqual, IntCC::UnsignedLessThanOrEqual),
        Prim::Gt => pick(IntCC::SignedGreaterThan, IntCC::UnsignedGreaterThan),
        Prim::Ge => pick(IntCC::SignedGreaterThanOrEqual, IntCC::UnsignedGreaterThanOrEqual),
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg => None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
        Prim::Abs | Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
    }
}

/// The condition of a float comparison, or `None` for other primitives.
pub(crate) fn float_cond(prim: Prim) -> Option<FloatCC> {
    match prim {
        Prim::Eq => Some(FloatCC::Equal),
        Prim::Ne => Some(FloatCC::NotEqual),
        Prim::Lt => Some(FloatCC::LessThan),
        Prim::Le => Some(FloatCC::LessThanOrEqual),
        Prim::Gt => Some(FloatCC::GreaterThan),
        Prim::Ge => Some(FloatCC::GreaterThanOrEqual),
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg => None,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
        Prim::Abs | Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
    }
}

/// What a primitive that an argument decides is beside others.
#[derive(Clone, Copy)]
pub(crate) enum Plain {
    Product,
    Smaller,
    Larger,
}

/// The argument that decides a primitive of floats, if one does, and what it is otherwise.
pub(crate) fn deciding_argument(prim: Prim) -> Option<(f64, Plain)> {
    match prim {
        Prim::Times => Some((0.0, Plain::Product)),
        Prim::Least => Some((f64::NEG_INFINITY, Plain::Smaller)),
        Prim::Most => Some((f64::INFINITY, Plain::Larger)),
        Prim::Fused => None,
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg | Prim::Abs => None,
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => None,
        Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => None,
    }
}

impl Emit<'_, '_> {
    /// A primitive on real scalars.
    pub(crate) fn scalar_prim(&mut self, prim: Prim, elem: DType, args: &[Value]) -> Result<Value> {
        if prim == Prim::Select {
            return Ok(self.scalar_select(elem, args[0], args[1], args[2]));
        }
        let (x, y) = (args[0], args[args.len() - 1]);
        if let Prim::Library(f) = prim {
            return self.library(f, elem, x, y);
        }
        let value = match elem.kind() {
            DTypeKind::Bool => self.bool_prim(prim, x, y),
            DTypeKind::Signed | DTypeKind::Unsigned => self.int_prim(prim, elem.kind(), x, y),
            DTypeKind::Float => match deciding_argument(prim) {
                Some((by, plain)) => Some(self.emit_decided(elem, by, plain, x, y)),
                None => self.float_prim(prim, x, y),
            },
            DTypeKind::Complex => None,
        };
        match value {
            Some(v) => Ok(v),
            None => self.bug(format!("{} of {elem}", prim.name())),
        }
    }
    /// A primitive of two floats, and `by` wherever one of them is that.
    fn emit_decided(&mut self, elem: DType, by: f64, plain: Plain, x: Value, y: Value) -> Value {
        let by = self.float_const(elem, by);
        let left = self.b.ins().fcmp(FloatCC::Equal, x, by);
        let right = self.b.ins().fcmp(FloatCC::Equal, y, by);
        let either = self.b.ins().bor(left, right);
        let value = self.plain(plain, x, y);
        self.scalar_select(elem, either, by, value)
    }
    pub(crate) fn float_const(&mut self, elem: DType, x: f64) -> Value {
        match elem.real() {
            DType::F32 => self.b.ins().f32const(x as f32),
            _ => self.b.ins().f64const(x),
        }
    }
    /// What a primitive is where nothing decides.
    pub(crate) fn plain(&mut self, plain: Plain, x: Value, y: Value) -> Value {
        match plain {
            Plain::Product => self.b.ins().fmul(x, y),
            Plain::Smaller => self.extremum(Prim::Min, x, y),
            Plain::Larger => self.extremum(Prim::Max, x, y),
        }
    }
    /// The smaller or greater of two floats, scalars or vectors; NaN if either is NaN.
    ///
    /// Cranelift's `fmin` and `fmax` test for NaN and for zeros of both signs. Beside a constant the machine's own
    /// instruction is enough, which gives its second operand wherever none is smaller or greater.
    fn extremum(&mut self, prim: Prim, x: Value, y: Value) -> Value {
        let known =
            [(x, y), (y, x)].into_iter().find_map(|(c, other)| Some((self.constant_of(c)?, c, other)));
        let max = prim == Prim::Max;
        // With a minimum of `-0.0` and `0.0` nothing as simple would help.
        let simple = |c: f64| !c.is_nan() && (max || c != 0.0 || c.is_sign_positive());
        let Some((value, c, other)) = known.filter(|(c, ..)| simple(*c)) else {
            return if max { self.b.ins().fmax(x, y) } else { self.b.ins().fmin(x, y) };
        };
        let ty = self.b.func.dfg.value_type(c);
        let (less, greater) = if max { (other, c) } else { (c, other) };
        let found = self.b.ins().fcmp(FloatCC::LessThan, less, greater);
        let picked = if ty.is_vector() {
            let flags = MemFlagsData::new().with_endianness(Endianness::Little);
            let mask = self.b.ins().bitcast(ty, flags, found);
            self.b.ins().bitselect(mask, c, other)
        } else {
            self.b.ins().select(found, c, other)
        };
        // `-0.0 + 0.0` is `0.0`, and nothing else changes.
        if max && value == 0.0 && value.is_sign_positive() { self.b.ins().fadd(picked, c) } else { picked }
    }
    /// The value of a constant, or of all lanes of one.
    fn constant_of(&self, v: Value) -> Option<f64> {
        let dfg = &self.b.func.dfg;
        let inst = dfg.value_def(dfg.resolve_aliases(v)).inst()?;
        match dfg.insts[inst] {
            InstructionData::UnaryIeee32 { imm, .. } => Some(f64::from(f32::from_bits(imm.bits()))),
            InstructionData::UnaryIeee64 { imm, .. } => Some(f64::from_bits(imm.bits())),
            InstructionData::Unary { opcode: Opcode::Splat, arg } => self.constant_of(arg),
            _ => None,
        }
    }
    /// `c ? x : y` without a branch: floats are selected as integers.
    pub(crate) fn scalar_select(&mut self, elem: DType, c: Value, x: Value, y: Value) -> Value {
        let ty = part_type(elem);
        if !ty.is_float() {
            return self.b.ins().select(c, x, y);
        }
        let (int, flags) = (ty.as_int(), MemFlagsData::new());
        let x = self.b.ins().bitcast(int, flags, x);
        let y = self.b.ins().bitcast(int, flags, y);
        let z = self.b.ins().select(c, x, y);
        self.b.ins().bitcast(ty, flags, z)
    }
    fn bool_prim(&mut self, prim: Prim, x: Value, y: Value) -> Option<Value> {
        if let Some(cc) = int_cond(prim, DTypeKind::Unsigned) {
            return Some(self.b.ins().icmp(cc, x, y));
        }
        match prim {
            Prim::Add | Prim::Or | Prim::Max => Some(self.b.ins().bor(x, y)),
            Prim::Mul | Prim::And | Prim::Min => Some(self.b.ins().band(x, y)),
            Prim::Xor => Some(self.b.ins().bxor(x, y)),
            Prim::Not => {
                let one = self.b.ins().iconst(types::I8, 1);
                Some(self.b.ins().bxor(x, one))
            }
            Prim::Abs => Some(x),
            Prim::Sub | Prim::Div | Prim::Neg | Prim::Select => None,
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => None,
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => None,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => None,
        }
    }
    /// A primitive on integers, scalars or (those that [`crate::vector`] does whole) vectors.
    pub(crate) fn int_prim(&mut self, prim: Prim, kind: DTypeKind, x: Value, y: Value) -> Option<Value> {
        if let Some(cc) = int_cond(prim, kind) {
            return Some(self.b.ins().icmp(cc, x, y));
        }
        let signed = kind == DTypeKind::Signed;
        if matches!(prim, Prim::Quot | Prim::Rem) {
            return Some(self.divide(prim, signed, x, y));
        }
        let ins = self.b.ins();
        Some(match prim {
            Prim::Add => ins.iadd(x, y),
            Prim::Sub => ins.isub(x, y),
            Prim::Mul => ins.imul(x, y),
            Prim::Min if signed => ins.smin(x, y),
            Prim::Min => ins.umin(x, y),
            Prim::Max if signed => ins.smax(x, y),
            Prim::Max => ins.umax(x, y),
            Prim::Neg => ins.ineg(x),
            Prim::Abs if signed => ins.iabs(x),
            Prim::Abs => x,
            Prim::And => ins.band(x, y),
            Prim::Or => ins.bor(x, y),
            Prim::Xor => ins.bxor(x, y),
            Prim::Not => ins.bnot(x),
            // Cranelift takes amounts modulo the width, too.
            Prim::Shl => ins.ishl(x, y),
            Prim::Shr if signed => ins.sshr(x, y),
            Prim::Shr => ins.ushr(x, y),
            Prim::Ctz => ins.ctz(x),
            Prim::Popcount => ins.popcnt(x),
            Prim::Quot
            | Prim::Rem
            | Prim::Div
            | Prim::Select
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => {
                return None;
            }
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => return None,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => return None,
        })
    }
    /// A primitive on floats, scalars or vectors. Cranelift's `fmin` and `fmax` give NaN if either side is NaN.
    pub(crate) fn float_prim(&mut self, prim: Prim, x: Value, y: Value) -> Option<Value> {
        if let Some(cc) = float_cond(prim) {
            return Some(self.b.ins().fcmp(cc, x, y));
        }
        let ins = self.b.ins();
        Some(match prim {
            Prim::Add => ins.fadd(x, y),
            Prim::Sub => ins.fsub(x, y),
            Prim::Mul | Prim::Fused => ins.fmul(x, y),
            Prim::Div => ins.fdiv(x, y),
            Prim::Min | Prim::Max => return Some(self.extremum(prim, x, y)),
            Prim::Times | Prim::Least | Prim::Most => return None,
            Prim::Neg => ins.fneg(x),
            Prim::Abs => ins.fabs(x),
            Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => return None,
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => return None,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => return None,
        })
    }
}
