//! Vectors of 128 bits.
//!
//! A vector of bools is a mask: every lane is all ones or all zeros, and as wide as the lanes of the numbers it was
//! compared from, which is 128 bits divided by the number of lanes. In memory a bool is a byte: see [`crate::mask`].

use crate::emit::{Emit, OffsetAddress, TypedValue, Val, part_type};
use crate::scalar::{Plain, deciding_argument};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Type, Value, types};
use openwork_algebra::{DType, DTypeKind, Prim};
use openwork_base::Result;
use openwork_loops::Ty;

/// How a primitive is done on vectors.
enum PrimLowering {
    /// By one instruction of Cranelift.
    Whole,
    /// Lane by lane: the target has no instruction for this width.
    Lanes,
}

fn how(prim: Prim, elem: DType) -> PrimLowering {
    let missing = match prim {
        Prim::Mul => elem.size() == 1,
        Prim::Min | Prim::Max => elem.is_int() && elem.size() == 8,
        Prim::Add | Prim::Sub | Prim::Div | Prim::Neg | Prim::Abs | Prim::Select => false,
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => false,
        Prim::And | Prim::Or | Prim::Xor | Prim::Not => false,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => true,
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => false,
    };
    if missing { PrimLowering::Lanes } else { PrimLowering::Whole }
}

/// A bit cast between vectors keeps the bits where they are.
pub(crate) fn lanes_cast() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl Emit<'_, '_> {
    /// The Cranelift type of a vector.
    pub(crate) fn vector_type(&self, ty: Ty) -> Result<Type> {
        let lanes = u32::from(ty.lanes);
        let fits = match ty.elem {
            DType::Bool => matches!(lanes, 2 | 4 | 8 | 16),
            DType::C64 | DType::C128 => false,
            real => real.size() * lanes as usize == 16,
        };
        if !fits {
            return self.bug(format!("only vectors of 128 bits of real numbers, not {ty:?}"));
        }
        let lane = match (ty.elem, lanes) {
            (DType::Bool, 2) => types::I64,
            (DType::Bool, 4) => types::I32,
            (DType::Bool, 8) => types::I16,
            (DType::Bool, _) => types::I8,
            (real, _) => part_type(real),
        };
        match lane.by(lanes) {
            Some(t) => Ok(t),
            None => self.bug(format!("no vector {ty:?}")),
        }
    }
    fn lane_get(&mut self, v: Value, ty: Ty, lane: u8) -> Value {
        let x = self.b.ins().extractlane(v, lane);
        if ty.elem != DType::Bool {
            return x;
        }
        let x = if ty.lanes == 16 { x } else { self.b.ins().ireduce(types::I8, x) };
        let one = self.b.ins().iconst(types::I8, 1);
        self.b.ins().band(x, one)
    }
    /// A scalar as one lane: bools become a full mask.
    fn lane_value(&mut self, v: Value, elem: DType, vector: Type) -> Value {
        if elem != DType::Bool {
            return v;
        }
        let lane = vector.lane_type();
        let wide = if lane == types::I8 { v } else { self.b.ins().uextend(lane, v) };
        self.b.ins().ineg(wide)
    }
    /// A vector from scalars.
    pub(crate) fn pack(&mut self, lanes: &[TypedValue]) -> Result<TypedValue> {
        let Some(first) = lanes.first().filter(|l| l.ty.lanes == 1) else {
            return self.bug("an empty pack");
        };
        let ty = Ty::vector(first.ty.elem, lanes.len() as u8);
        let vector = self.vector_type(ty)?;
        let mut values = Vec::new();
        for lane in lanes {
            let v = self.scalar_value(*lane, ty.elem)?;
            values.push(self.lane_value(v, ty.elem, vector));
        }
        let mut v = match vector.lane_type().bits() {
            8 | 16 => self.b.ins().splat(vector, values[0]),
            _ => self.b.ins().scalar_to_vector(vector, values[0]),
        };
        for (n, &x) in values.iter().enumerate().skip(1) {
            v = self.b.ins().insertlane(v, x, n as u8);
        }
        Ok(TypedValue { val: Val::One(v), ty })
    }
    /// A scalar in every lane.
    pub(crate) fn splat(&mut self, x: TypedValue, lanes: u8) -> Result<TypedValue> {
        let ty = Ty::vector(x.ty.elem, lanes);
        let vector = self.vector_type(ty)?;
        let v = self.scalar_value(x, ty.elem)?;
        let v = self.lane_value(v, ty.elem, vector);
        Ok(TypedValue { val: Val::One(self.b.ins().splat(vector, v)), ty })
    }
    /// All lanes combined: halves first, so that the chain is short.
    pub(crate) fn fold(&mut self, prim: Prim, x: TypedValue) -> Result<TypedValue> {
        let Val::One(v) = x.val else { return self.bug("fold of a complex number") };
        if prim.arity() != 2 || prim.result(x.ty.elem) != Some(x.ty.elem) {
            return self.bug(format!("fold by {} over {:?}", prim.name(), x.ty));
        }
        let ty = Ty::scalar(x.ty.elem);
        if x.ty.elem == DType::Bool
            && let Some(all) = self.fold_mask(prim, v)
        {
            return Ok(TypedValue { val: Val::One(all), ty });
        }
        let mut parts: Vec<TypedValue> = Vec::new();
        for lane in 0..x.ty.lanes {
            parts.push(TypedValue { val: Val::One(self.lane_get(v, x.ty, lane)), ty });
        }
        while parts.len() > 1 {
            let half = parts.split_off(parts.len() / 2);
            for (a, b) in parts.iter_mut().zip(half) {
                *a = self.apply(prim, &[*a, b])?;
            }
        }
        Ok(parts[0])
    }
    /// A primitive on vectors.
    pub(crate) fn vector_prim(&mut self, prim: Prim, ty: Ty, args: &[Value]) -> Result<Value> {
        let vector = self.vector_type(ty)?;
        if prim == Prim::Select {
            let mask = self.b.ins().bitcast(vector, lanes_cast(), args[0]);
            return Ok(self.b.ins().bitselect(mask, args[1], args[2]));
        }
        let (x, y) = (args[0], args[args.len() - 1]);
        if let PrimLowering::Lanes = how(prim, ty.elem) {
            return self.lane_by_lane(prim, ty, x, y);
        }
        let value = match ty.elem.kind() {
            DTypeKind::Bool => self.mask_prim(prim, x, y),
            DTypeKind::Signed | DTypeKind::Unsigned => self.int_prim(prim, ty.elem.kind(), x, y),
            DTypeKind::Float => match deciding_argument(prim) {
                Some((by, plain)) => Some(self.decided_lanes(ty.elem, by, plain, x, y)),
                None => self.float_prim(prim, x, y),
            },
            DTypeKind::Complex => None,
        };
        match value {
            Some(v) => Ok(v),
            None => self.bug(format!("{} of {ty:?}", prim.name())),
        }
    }
    /// A primitive of two vectors of floats, and `by` in the lanes where one of them is that.
    fn decided_lanes(&mut self, elem: DType, by: f64, plain: Plain, x: Value, y: Value) -> Value {
        let vector = self.b.func.dfg.value_type(x);
        let by = self.float_const(elem, by);
        let by = self.b.ins().splat(vector, by);
        let left = self.b.ins().fcmp(FloatCC::Equal, x, by);
        let right = self.b.ins().fcmp(FloatCC::Equal, y, by);
        let either = self.b.ins().bor(left, right);
        let mask = self.b.ins().bitcast(vector, lanes_cast(), either);
        let value = self.plain(plain, x, y);
        self.b.ins().bitselect(mask, by, value)
    }
    fn mask_prim(&mut self, prim: Prim, x: Value, y: Value) -> Option<Value> {
        let as_int = match prim {
            Prim::Add | Prim::Max => Prim::Or,
            Prim::Mul | Prim::Min => Prim::And,
            Prim::Abs => return Some(x),
            Prim::Sub | Prim::Neg | Prim::Div | Prim::Select => return None,
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => return None,
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => return None,
            Prim::And | Prim::Or | Prim::Xor | Prim::Not => prim,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => prim,
        };
        self.int_prim(as_int, DTypeKind::Unsigned, x, y)
    }
    fn lane_by_lane(&mut self, prim: Prim, ty: Ty, x: Value, y: Value) -> Result<Value> {
        let scalar = Ty::scalar(ty.elem);
        let mut out = Vec::new();
        for lane in 0..ty.lanes {
            let a = TypedValue { val: Val::One(self.lane_get(x, ty, lane)), ty: scalar };
            let b = TypedValue { val: Val::One(self.lane_get(y, ty, lane)), ty: scalar };
            out.push(self.apply(prim, &[a, b][..prim.arity()])?);
        }
        let packed = self.pack(&out)?;
        match packed.val {
            Val::One(v) => Ok(v),
            Val::Pair(..) => self.bug("a packed vector is one value"),
        }
    }
    /// Converts a vector; both sides have 128 bits, so this is rare and done lane by lane unless only the reading
    /// of the bits changes.
    pub(crate) fn cast_vector(&mut self, x: TypedValue, to: DType) -> Result<TypedValue> {
        let ty = Ty { elem: to, ..x.ty };
        let Val::One(v) = x.val else { return self.bug("a vector of complex numbers") };
        self.vector_type(ty)?;
        if x.ty.elem.is_int() && to.is_int() {
            return Ok(TypedValue { val: x.val, ty });
        }
        let mut out = Vec::new();
        for lane in 0..ty.lanes {
            let a = self.lane_get(v, x.ty, lane);
            let a = self.cast_real(a, x.ty.elem, to);
            out.push(TypedValue { val: Val::One(a), ty: Ty::scalar(to) });
        }
        self.pack(&out)
    }
    /// Loads a vector.
    pub(crate) fn load_vector(&mut self, place: OffsetAddress, ty: Ty) -> Result<TypedValue> {
        let vector = self.vector_type(ty)?;
        if ty.elem == DType::Bool {
            return Ok(TypedValue { val: Val::One(self.load_mask(place, vector)), ty });
        }
        let v = self.b.ins().load(vector, place.vector_flags(), place.base, place.offset);
        Ok(TypedValue { val: Val::One(v), ty })
    }
    /// Stores a vector.
    pub(crate) fn store_vector(&mut self, place: OffsetAddress, x: TypedValue) -> Result<()> {
        let Val::One(v) = x.val else { return self.bug("a vector of complex numbers") };
        if x.ty.elem == DType::Bool {
            self.store_mask(place, v);
            return Ok(());
        }
        self.b.ins().store(place.vector_flags(), v, place.base, place.offset);
        Ok(())
    }
}
