//! Expressions, conditions and memory access.

use crate::emit::{Emit, FmaSupport, OffsetAddress, TypedValue, Val, part_type};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_base::Result;
use openwork_loops::{BufId, Expr, Ty};

impl Emit<'_, '_> {
    /// Emits an expression.
    pub(crate) fn expr(&mut self, e: &Expr) -> Result<TypedValue> {
        match e {
            Expr::Const(s) => Ok(TypedValue { val: self.constant(*s), ty: Ty::scalar(s.dtype()) }),
            Expr::Var(v) => match (self.input(*v)?, self.k.vars.get(*v)) {
                (Some(loaded), _) => Ok(loaded),
                (None, Some(var)) => Ok(TypedValue { val: self.get(*v), ty: var.ty }),
                (None, None) => self.bug(format!("no variable {v:?}")),
            },
            Expr::Load { buf, at } => {
                let place = self.place(*buf, at)?;
                self.load_from(place, Ty::scalar(self.k.bufs[*buf].elem))
            }
            Expr::VLoad { buf, at, lanes } => {
                let place = self.place(*buf, at)?;
                self.load_from(place, Ty::vector(self.k.bufs[*buf].elem, *lanes))
            }
            Expr::Call { prim, args } => self.call_expr(e, *prim, args),
            Expr::Cast { to, arg } => {
                if let Expr::Load { buf, at } = &**arg
                    && let Some(x) = self.widening_load(*buf, at, *to)?
                {
                    return Ok(x);
                }
                let x = self.expr(arg)?;
                self.cast(x, *to)
            }
            Expr::AndAlso(..) => self.and_also(e),
            Expr::Splat { lanes, arg } => {
                let x = self.expr(arg)?;
                self.splat(x, *lanes)
            }
            Expr::Pack(lanes) => {
                let lanes = lanes.iter().map(|lane| self.expr(lane)).collect::<Result<Vec<_>>>()?;
                self.pack(&lanes)
            }
            Expr::Fold { prim, arg } => {
                let x = self.expr(arg)?;
                self.fold(*prim, x)
            }
        }
    }
    /// A narrow integer loaded as 64 bits in one instruction, the way of every narrow index array.
    fn widening_load(&mut self, buf: BufId, at: &Expr, to: DType) -> Result<Option<TypedValue>> {
        let Some(from) = self.k.bufs.get(buf).map(|b| b.elem) else { return Ok(None) };
        if !(to.is_int() && to.size() == 8 && from.is_int() && from.size() < 8) {
            return Ok(None);
        }
        let place = self.place(buf, at)?;
        let (flags, base, offset) = (place.scalar_flags(), place.base, place.offset);
        let (ins, wide) = (self.b.ins(), types::I64);
        let v = match (from.kind(), from.size()) {
            (DTypeKind::Signed, 1) => ins.sload8(wide, flags, base, offset),
            (DTypeKind::Signed, 2) => ins.sload16(wide, flags, base, offset),
            (DTypeKind::Signed, _) => ins.sload32(flags, base, offset),
            (_, 1) => ins.uload8(wide, flags, base, offset),
            (_, 2) => ins.uload16(wide, flags, base, offset),
            (_, _) => ins.uload32(flags, base, offset),
        };
        Ok(Some(TypedValue { val: Val::One(v), ty: Ty::scalar(to) }))
    }
    /// A scalar of a given real dtype.
    pub(crate) fn scalar_of(&mut self, e: &Expr, elem: DType) -> Result<Value> {
        let x = self.expr(e)?;
        self.scalar_value(x, elem)
    }
    /// The SSA value of a scalar of a given real dtype.
    pub(crate) fn scalar_value(&self, x: TypedValue, elem: DType) -> Result<Value> {
        match x.val {
            Val::One(v) if x.ty == Ty::scalar(elem) => Ok(v),
            Val::One(_) | Val::Pair(..) => self.bug(format!("expected a scalar {elem}, got {:?}", x.ty)),
        }
    }
    /// A constant.
    pub(crate) fn constant(&mut self, s: Scalar) -> Val {
        let ty = part_type(s.dtype());
        // `iconst` wants the bits of narrow types zero-extended.
        let mut int = |n: i64| {
            let bits = ty.bits();
            let n = if bits == 64 { n } else { n & ((1 << bits) - 1) };
            Val::One(self.b.ins().iconst(ty, n))
        };
        match s {
            Scalar::Bool(x) => int(i64::from(x)),
            Scalar::I8(x) => int(i64::from(x)),
            Scalar::I16(x) => int(i64::from(x)),
            Scalar::I32(x) => int(i64::from(x)),
            Scalar::I64(x) => int(x),
            Scalar::U8(x) => int(i64::from(x)),
            Scalar::U16(x) => int(i64::from(x)),
            Scalar::U32(x) => int(i64::from(x)),
            Scalar::U64(x) => int(x as i64),
            Scalar::F32(x) => Val::One(self.b.ins().f32const(x)),
            Scalar::F64(x) => Val::One(self.b.ins().f64const(x)),
            Scalar::C64(z) => Val::Pair(self.b.ins().f32const(z.re), self.b.ins().f32const(z.im)),
            Scalar::C128(z) => Val::Pair(self.b.ins().f64const(z.re), self.b.ins().f64const(z.im)),
        }
    }
    fn call_expr(&mut self, whole: &Expr, prim: Prim, args: &[Expr]) -> Result<TypedValue> {
        if args.len() != prim.arity() {
            return self.bug(format!("{} of {} arguments", prim.name(), args.len()));
        }
        if let Some([x, y, z]) = whole.fused_sum().filter(|_| self.fma == FmaSupport::Native) {
            let [x, y] = self.factors(x, y)?;
            let z = self.expr(z)?;
            return self.emit_fma(x, y, z);
        }
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>>>()?;
        self.apply(prim, &args)
    }
    /// The factors of a product that is rounded with a sum.
    pub(crate) fn factors(&mut self, x: &Expr, y: &Expr) -> Result<[TypedValue; 2]> {
        // The first factor's register takes the result, so it should not be one that lives on.
        let (x, y) = if matches!(x, Expr::Var(_)) { (y, x) } else { (x, y) };
        Ok([self.expr(x)?, self.expr(y)?])
    }
    /// `x * y + z`, rounded once.
    pub(crate) fn emit_fma(&mut self, x: TypedValue, y: TypedValue, z: TypedValue) -> Result<TypedValue> {
        let (Val::One(a), Val::One(b), Val::One(c)) = (x.val, y.val, z.val) else {
            return self.bug("fused multiply-add of complex numbers");
        };
        if x.ty != z.ty || y.ty != z.ty {
            return self.bug(format!("fused multiply-add of {:?}, {:?} and {:?}", x.ty, y.ty, z.ty));
        }
        Ok(TypedValue { val: Val::One(self.b.ins().fma(a, b, c)), ty: z.ty })
    }
    /// Applies a primitive to values.
    pub(crate) fn apply(&mut self, prim: Prim, args: &[TypedValue]) -> Result<TypedValue> {
        let operands = if prim == Prim::Select { &args[1..] } else { args };
        let ty = operands[0].ty;
        let choice_fits = prim != Prim::Select || args[0].ty == Ty { elem: DType::Bool, lanes: ty.lanes };
        let (true, true, Some(elem)) =
            (operands.iter().all(|a| a.ty == ty), choice_fits, prim.result(ty.elem))
        else {
            let types: Vec<Ty> = args.iter().map(|a| a.ty).collect();
            return self.bug(format!("{} of {types:?}", prim.name()));
        };
        let val = match (ty.lanes, ty.elem.is_complex()) {
            (1, false) => Val::One(self.scalar_prim(prim, ty.elem, &ones(args))?),
            (1, true) => self.complex_prim(prim, ty.elem, args)?,
            _ => Val::One(self.vector_prim(prim, ty, &ones(args))?),
        };
        Ok(TypedValue { val, ty: Ty { elem, lanes: ty.lanes } })
    }
    /// Jumps to `yes` or `no`; each part of a conjunction is a branch of its own.
    pub(crate) fn branch(&mut self, cond: &Expr, yes: Block, no: Block) -> Result<()> {
        match cond {
            Expr::AndAlso(a, b) => self.branch_both(a, b, yes, no),
            Expr::Call { prim: Prim::And, args } if args.len() == 2 => {
                self.branch_both(&args[0], &args[1], yes, no)
            }
            Expr::Call { prim: Prim::Or, args } if args.len() == 2 => {
                let second = self.b.create_block();
                self.branch(&args[0], yes, second)?;
                self.enter(second);
                self.branch(&args[1], yes, no)
            }
            Expr::Call { prim: Prim::Not, args } if args.len() == 1 => self.branch(&args[0], no, yes),
            Expr::Const(Scalar::Bool(x)) => {
                self.b.ins().jump(if *x { yes } else { no }, &[]);
                Ok(())
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::VLoad { .. }
            | Expr::Call { .. }
            | Expr::Cast { .. }
            | Expr::Splat { .. }
            | Expr::Pack(_)
            | Expr::Fold { .. } => {
                let c = self.scalar_of(cond, DType::Bool)?;
                self.b.ins().brif(c, yes, &[], no, &[]);
                Ok(())
            }
        }
    }
    fn branch_both(&mut self, a: &Expr, b: &Expr, yes: Block, no: Block) -> Result<()> {
        let second = self.b.create_block();
        self.branch(a, second, no)?;
        self.enter(second);
        self.branch(b, yes, no)
    }
    fn and_also(&mut self, e: &Expr) -> Result<TypedValue> {
        let [yes, no, done] = std::array::from_fn(|_| self.b.create_block());
        let result = self.b.append_block_param(done, types::I8);
        self.branch(e, yes, no)?;
        for (block, value) in [(yes, 1), (no, 0)] {
            self.enter(block);
            let value = self.b.ins().iconst(types::I8, value);
            self.b.ins().jump(done, &[BlockArg::Value(value)]);
        }
        self.enter(done);
        Ok(TypedValue { val: Val::One(result), ty: Ty::BOOL })
    }
    /// Loads a value.
    pub(crate) fn load_from(&mut self, place: OffsetAddress, ty: Ty) -> Result<TypedValue> {
        if ty.lanes > 1 {
            return self.load_vector(place, ty);
        }
        let part = part_type(ty.elem);
        let mut load = |p: OffsetAddress| self.b.ins().load(part, p.scalar_flags(), p.base, p.offset);
        let val = match ty.elem.is_complex() {
            true => Val::Pair(load(place), load(place.plus(part.bytes() as usize))),
            false => Val::One(load(place)),
        };
        Ok(TypedValue { val, ty })
    }
    /// Stores a value.
    pub(crate) fn store_to(&mut self, place: OffsetAddress, x: TypedValue) -> Result<()> {
        if x.ty.lanes > 1 {
            return self.store_vector(place, x);
        }
        let mut store =
            |p: OffsetAddress, v: Value| self.b.ins().store(p.scalar_flags(), v, p.base, p.offset);
        match x.val {
            Val::One(v) => store(place, v),
            Val::Pair(re, im) => {
                store(place, re);
                store(place.plus(part_type(x.ty.elem).bytes() as usize), im)
            }
        };
        Ok(())
    }
}

/// The values of arguments that are not complex.
fn ones(args: &[TypedValue]) -> Vec<Value> {
    args.iter()
        .map(|a| match a.val {
            Val::One(v) | Val::Pair(v, _) => v,
        })
        .collect()
}
