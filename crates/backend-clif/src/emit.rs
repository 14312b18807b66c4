//! The state of one emission: values, variables, buffers and addresses.

use crate::STEP;
use crate::addresses::BufAddress;
use crate::inputs::KernelInputs;
use crate::wide::Outlined;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, SigRef, Signature, Type,
    UserExternalName, Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig, TargetIsa};
use cranelift_frontend::{FunctionBuilder, Variable};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_backend::abi::{BufferArg, RawCall};
use openwork_base::{Error, Id, Result};
use openwork_loops::{BufId, BufRole, Expr, LoopKernel, Status, Stmt, Ty, VarId, Wide};
use std::mem::{offset_of, size_of};

/// One value: a scalar, a vector or a mask; or the two parts of a complex number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Val {
    One(Value),
    Pair(Value, Value),
}

/// A value with its type in loop IR.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypedValue {
    pub(crate) val: Val,
    pub(crate) ty: Ty,
}

/// The Cranelift variables behind a variable.
#[derive(Clone, Copy)]
enum VarSlot {
    One(Variable),
    Pair(Variable, Variable),
}

/// Whether the machine has a fused multiply-add; without one Cranelift would call a library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FmaSupport {
    Native,
    Missing,
}

/// An address with a constant offset in bytes.
#[derive(Clone, Copy)]
pub(crate) struct OffsetAddress {
    pub(crate) base: Value,
    pub(crate) offset: i32,
    readonly: BufRole,
}

impl OffsetAddress {
    /// The same place `bytes` further on.
    pub(crate) fn plus(self, bytes: usize) -> OffsetAddress {
        OffsetAddress { offset: self.offset + bytes as i32, ..self }
    }
    /// Flags of a scalar access: tensors are aligned to their elements.
    pub(crate) fn scalar_flags(self) -> MemFlagsData {
        self.flags(MemFlagsData::trusted())
    }
    /// Flags of a vector access: aligned to the element only.
    pub(crate) fn vector_flags(self) -> MemFlagsData {
        self.flags(MemFlagsData::new().with_notrap())
    }
    fn flags(self, flags: MemFlagsData) -> MemFlagsData {
        match self.readonly {
            BufRole::In => flags.with_readonly(),
            BufRole::Out | BufRole::Temp => flags,
        }
    }
}

pub(crate) fn entry_signature(conv: CallConv) -> Signature {
    let mut sig = Signature::new(conv);
    sig.params.push(AbiParam::new(types::I64));
    sig.returns.push(AbiParam::new(types::I32));
    sig
}

pub(crate) fn hypot_signature(conv: CallConv, ty: Type) -> Signature {
    let mut sig = Signature::new(conv);
    sig.params.extend([AbiParam::new(ty), AbiParam::new(ty)]);
    sig.returns.push(AbiParam::new(ty));
    sig
}

fn grow_signature(conv: CallConv) -> Signature {
    let mut sig = Signature::new(conv);
    sig.params.extend([AbiParam::new(types::I64); 3]);
    sig.returns.push(AbiParam::new(types::I32));
    sig
}

/// The Cranelift type of a scalar, of one part for a complex number.
pub(crate) fn part_type(elem: DType) -> Type {
    match elem {
        DType::Bool | DType::I8 | DType::U8 => types::I8,
        DType::I16 | DType::U16 => types::I16,
        DType::I32 | DType::U32 => types::I32,
        DType::I64 | DType::U64 => types::I64,
        DType::F32 | DType::C64 => types::F32,
        DType::F64 | DType::C128 => types::F64,
    }
}

pub(crate) struct Emit<'k, 'f> {
    pub(crate) k: &'k LoopKernel,
    pub(crate) b: FunctionBuilder<'f>,
    pub(crate) fma: FmaSupport,
    pub(crate) conv: CallConv,
    vars: Vec<VarSlot>,
    pub(crate) addresses: Vec<BufAddress>,
    call: Value,
    /// The caller's [`BufferArg`]s.
    pub(crate) slots: Value,
    stop: Value,
    grow: Option<SigRef>,
    hypot: [Option<FuncRef>; 2],
    pub(crate) inputs: KernelInputs<'k>,
    /// The vectors of `wide` loops.
    pub(crate) wide: Option<Wide>,
    /// The loops that became functions of their own.
    pub(crate) outlined: Vec<Outlined>,
    /// Where each loop around goes on when it is left, the innermost last.
    pub(crate) after: Vec<Block>,
}

impl<'k, 'f> Emit<'k, 'f> {
    pub(crate) fn new(
        k: &'k LoopKernel,
        b: FunctionBuilder<'f>,
        isa: &dyn TargetIsa,
        wide: Option<Wide>,
    ) -> Self {
        let fma = if isa.has_native_fma() { FmaSupport::Native } else { FmaSupport::Missing };
        let (none, conv) = (Value::from_u32(0), isa.default_call_conv());
        let (vars, addresses, hypot) = (Vec::new(), Vec::new(), [None; 2]);
        let (inputs, outlined, after) = (KernelInputs::collect(k), Vec::new(), Vec::new());
        let (call, slots, stop, grow) = (none, none, none, None);
        Emit {
            k,
            b,
            fma,
            conv,
            vars,
            addresses,
            call,
            slots,
            stop,
            grow,
            hypot,
            inputs,
            wide,
            outlined,
            after,
        }
    }
    /// Emits the whole kernel; the loops that became functions of their own.
    pub(crate) fn kernel(mut self, config: TargetFrontendConfig) -> Result<Vec<Outlined>> {
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.enter(entry);
        self.call = self.b.block_params(entry)[0];
        self.load_arguments()?;
        // Reading addresses of inputs once more ends what was held over the calls that make room.
        let (first, rest) = self.k.body.split_at(rooms_made(&self.k.body));
        self.block(first)?;
        if !first.is_empty() {
            self.inputs_again();
        }
        self.block(rest)?;
        self.ret(Status::Ok);
        self.b.finalize(config);
        Ok(self.outlined)
    }
    fn load_arguments(&mut self) -> Result<()> {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        let (call, k) = (self.call, self.k);
        self.slots = self.b.ins().load(types::I64, flags, call, offset_of!(RawCall, bufs) as i32);
        self.stop = self.b.ins().load(types::I64, flags, call, offset_of!(RawCall, stop) as i32);
        self.find_buffers();
        for (_, var) in k.vars.iter() {
            let ty = self.var_type(var.ty)?;
            let slot = match var.ty.elem.is_complex() {
                true => VarSlot::Pair(self.b.declare_var(ty), self.b.declare_var(ty)),
                false => VarSlot::One(self.b.declare_var(ty)),
            };
            self.vars.push(slot);
        }
        if !k.params.is_empty() {
            let base = self.b.ins().load(types::I64, flags, call, offset_of!(RawCall, params) as i32);
            for (n, &param) in k.params.iter().enumerate() {
                let value = self.b.ins().load(types::I64, flags, base, 8 * n as i32);
                self.set(param, Val::One(value));
            }
        }
        Ok(())
    }
    pub(crate) fn conv(&self) -> CallConv {
        self.conv
    }
    fn var_type(&self, ty: Ty) -> Result<Type> {
        if ty.lanes == 1 { Ok(part_type(ty.elem)) } else { self.vector_type(ty) }
    }
    /// An internal error.
    pub(crate) fn bug<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Error::bug(STEP, what, format!("kernel {}", self.k.name)))
    }
    /// Starts a block whose predecessors are all known.
    pub(crate) fn enter(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }
    pub(crate) fn ret(&mut self, status: Status) {
        let code = self.b.ins().iconst(types::I32, status as i64);
        self.b.ins().return_(&[code]);
    }
    /// The current value of a variable.
    pub(crate) fn get(&mut self, var: VarId) -> Val {
        match self.vars[var.index()] {
            VarSlot::One(v) => Val::One(self.b.use_var(v)),
            VarSlot::Pair(re, im) => Val::Pair(self.b.use_var(re), self.b.use_var(im)),
        }
    }
    /// Gives a variable a value of its type.
    pub(crate) fn set(&mut self, var: VarId, val: Val) {
        match (self.vars[var.index()], val) {
            (VarSlot::One(v), Val::One(x)) => self.b.def_var(v, x),
            (VarSlot::Pair(a, b), Val::Pair(x, y)) => {
                self.b.def_var(a, x);
                self.b.def_var(b, y);
            }
            (VarSlot::One(_), Val::Pair(..)) | (VarSlot::Pair(..), Val::One(_)) => {
                unreachable!("types were compared before")
            }
        }
    }
    /// Makes room for `len` elements; the call of the host is out of the way.
    pub(crate) fn reserve(&mut self, buf: BufId, len: Value) -> Result<()> {
        let Some(cap) = self.capacity(buf) else { return self.bug("a buffer grows unseen") };
        let [full, failed, grown, done] = std::array::from_fn(|_| self.b.create_block());
        self.b.set_cold_block(full);
        self.b.set_cold_block(failed);
        self.b.set_cold_block(grown);
        let short = self.b.ins().icmp(IntCC::UnsignedGreaterThan, len, cap);
        self.b.ins().brif(short, full, &[], done, &[]);
        self.enter(full);
        let sig = match self.grow {
            Some(sig) => sig,
            None => self.b.import_signature(grow_signature(self.conv)),
        };
        self.grow = Some(sig);
        let flags = MemFlagsData::trusted();
        let callee = self.b.ins().load(types::I64, flags, self.call, offset_of!(RawCall, grow) as i32);
        let number = self.b.ins().iconst(types::I64, buf.index() as i64);
        let call = self.b.ins().call_indirect(sig, callee, &[self.call, number, len]);
        let status = self.b.inst_results(call)[0];
        self.b.ins().brif(status, failed, &[], grown, &[]);
        self.enter(failed);
        self.b.ins().return_(&[status]);
        self.enter(grown);
        self.reload_address(buf);
        self.b.ins().jump(done, &[]);
        self.enter(done);
        Ok(())
    }
    /// Returns if another thread asks for it. The load is atomic, so that it is done every time.
    pub(crate) fn poll(&mut self) {
        let [told, on] = std::array::from_fn(|_| self.b.create_block());
        self.b.set_cold_block(told);
        let stop = self.b.ins().atomic_load(types::I8, MemFlagsData::trusted(), self.stop);
        self.b.ins().brif(stop, told, &[], on, &[]);
        self.enter(told);
        self.ret(Status::Cancelled);
        self.enter(on);
    }
    /// Tells the caller the length of a buffer.
    pub(crate) fn set_len(&mut self, buf: BufId, len: Value) {
        let at = (buf.index() * size_of::<BufferArg>() + offset_of!(BufferArg, len)) as i32;
        self.b.ins().store(MemFlagsData::trusted(), len, self.slots, at);
    }
    /// The address of `buf[at]`.
    pub(crate) fn place(&mut self, buf: BufId, at: &Expr) -> Result<OffsetAddress> {
        let Some(mut base) = self.address(buf) else { return self.bug(format!("no buffer {buf:?}")) };
        let buffer = &self.k.bufs[buf];
        let size = buffer.elem.size() as i64;
        let (index, constant) = split_offset(at);
        // Offsets of more than this stay in the index, so that a place can still be moved on a little.
        let folded = constant.checked_mul(size).filter(|n| n.abs() < 1 << 30);
        let (index, offset) = match folded {
            Some(n) => (index, n as i32),
            None => (Some(at), 0),
        };
        if let Some(index) = index {
            let mut steps = self.scalar_of(index, DType::I64)?;
            if size > 1 {
                let shift = self.b.ins().iconst(types::I64, i64::from(size.trailing_zeros()));
                steps = self.b.ins().ishl(steps, shift);
            }
            base = self.b.ins().iadd(base, steps);
        }
        Ok(OffsetAddress { base, offset, readonly: buffer.role })
    }
    /// The library function for the absolute value of a complex number; see `code::define` for its number.
    pub(crate) fn hypot(&mut self, part: Type) -> FuncRef {
        let number = if part == types::F32 { 0 } else { 1 };
        if let Some(f) = self.hypot[number] {
            return f;
        }
        let signature = self.b.import_signature(hypot_signature(self.conv, part));
        let name = UserExternalName::new(0, number as u32);
        let name = ExternalName::user(self.b.func.declare_imported_user_function(name));
        let data = ExtFuncData { name, signature, colocated: false, patchable: false };
        let f = self.b.import_function(data);
        self.hypot[number] = Some(f);
        f
    }
}

/// `x + 3` as `x` and 3; a constant alone has no `x`.
fn split_offset(at: &Expr) -> (Option<&Expr>, i64) {
    let (mut rest, mut sum) = (at, 0i64);
    loop {
        match rest {
            Expr::Const(Scalar::I64(n)) => return (None, sum.wrapping_add(*n)),
            Expr::Call { prim, args } => {
                let Some((x, n)) = offset(*prim, args) else { return (Some(rest), sum) };
                (rest, sum) = (x, sum.wrapping_add(n));
            }
            _ => return (Some(rest), sum),
        }
    }
}

/// A sum or difference with a constant, as the other side and what is added to it.
fn offset(prim: Prim, args: &[Expr]) -> Option<(&Expr, i64)> {
    match (args, prim == Prim::Add, prim == Prim::Sub) {
        ([x, Expr::Const(Scalar::I64(n))] | [Expr::Const(Scalar::I64(n)), x], true, false) => Some((x, *n)),
        ([x, Expr::Const(Scalar::I64(n))], false, true) => Some((x, n.wrapping_neg())),
        ([..], _, _) => None,
    }
}

/// After how many statements of a kernel it has made all the room that it makes before its first loop or branch.
fn rooms_made(body: &[Stmt]) -> usize {
    let plain = |s: &&Stmt| !matches!(s, Stmt::For { .. } | Stmt::While { .. } | Stmt::If { .. });
    let before = body.iter().take_while(plain).count();
    body[..before].iter().rposition(|s| matches!(s, Stmt::Reserve { .. })).map_or(0, |last| last + 1)
}
