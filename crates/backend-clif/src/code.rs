//! One Cranelift module per kernel, and the executable memory it owns.

use crate::STEP;
use crate::emit::{Emit, entry_signature, hypot_signature};
use crate::watch::watch_passes;
use crate::wide::Outlined;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{Function, UserFuncName, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter, Mnemonic};
use openwork_backend::abi::{self, EntryPoint};
use openwork_backend::{Call, Compiled};
use openwork_base::{Error, Result};
use openwork_loops::{LoopKernel, Status, Wide};
use std::collections::BTreeSet;

/// The number of the first function that was a `wide` loop; those of the library and the kernel come before.
pub(crate) const FIRST_OUTLINED: u32 = 3;

/// Compiled code with the memory it lives in.
pub(crate) struct ClifCode {
    /// Taken by `drop` only.
    module: Option<JITModule>,
    entry: EntryPoint,
    bytes: usize,
}

/// Code takes whole pages.
const PAGE: usize = 4096;
/// What a module takes beside its code: declarations, symbols, relocations.
const MODULE: usize = 8 << 10;

// SAFETY: after `finalize_definitions` nothing of the module changes until `drop`, which needs ownership; the code
// itself keeps no state outside the call it is given.
unsafe impl Send for ClifCode {}
// SAFETY: as above; `run` only reads `entry`.
unsafe impl Sync for ClifCode {}

extern "C" fn hypot32(x: f32, y: f32) -> f32 {
    x.hypot(y)
}
extern "C" fn hypot64(x: f64, y: f64) -> f64 {
    x.hypot(y)
}

fn bug(kernel: &LoopKernel, e: impl std::fmt::Display) -> Error {
    Error::bug(STEP, e.to_string(), kernel.name.clone())
}

impl ClifCode {
    pub(crate) fn new(isa: &OwnedTargetIsa, wide: Option<Wide>, kernel: &LoopKernel) -> Result<ClifCode> {
        let mut builder = JITBuilder::with_isa(isa.clone(), default_libcall_names());
        builder.symbol("openwork_hypot32", hypot32 as *const u8);
        builder.symbol("openwork_hypot64", hypot64 as *const u8);
        watch_passes();
        // `code` owns the module, so that every path frees its memory, the one of work that is asked to stop too.
        let mut code = ClifCode { module: Some(JITModule::new(builder)), entry: never, bytes: 0 };
        let Some(module) = &mut code.module else { return Err(bug(kernel, "no module")) };
        let (address, size) = define(module, wide, kernel)?;
        code.bytes = size.next_multiple_of(PAGE) + MODULE;
        // SAFETY: `address` is the finalised function, emitted with exactly this signature, and lives as long as
        // the module beside it.
        code.entry = unsafe { std::mem::transmute::<*const u8, EntryPoint>(address) };
        Ok(code)
    }
}

/// The entry of code that could not be made; never called.
unsafe extern "C" fn never(_: *mut abi::RawCall) -> i32 {
    -1
}

/// Compiles the kernel into the module and returns the address and the size of its code.
fn define(module: &mut JITModule, wide: Option<Wide>, kernel: &LoopKernel) -> Result<(*const u8, usize)> {
    // The order matters: `Emit` calls these two as functions 0 and 1.
    for (name, ty) in [("openwork_hypot32", types::F32), ("openwork_hypot64", types::F64)] {
        let sig = hypot_signature(module.isa().default_call_conv(), ty);
        module.declare_function(name, Linkage::Import, &sig).map_err(|e| bug(kernel, e))?;
    }
    let sig = entry_signature(module.isa().default_call_conv());
    let id = module.declare_function("kernel", Linkage::Local, &sig).map_err(|e| bug(kernel, e))?;
    let mut ctx = module.make_context();
    let (func, outlined) = function(module.isa(), wide, kernel)?;
    ctx.func = func;
    for (n, leaf) in outlined.iter().enumerate() {
        let name = format!("wide_{n}");
        let sig = &leaf.signature;
        let id = module.declare_function(&name, Linkage::Local, sig).map_err(|e| bug(kernel, e))?;
        debug_assert_eq!(id.as_u32(), FIRST_OUTLINED + n as u32);
        module.define_function_bytes(id, 64, &leaf.bytes, &[]).map_err(|e| bug(kernel, e))?;
    }
    module.define_function(id, &mut ctx).map_err(|e| bug(kernel, format!("{e:?}")))?;
    module.finalize_definitions().map_err(|e| bug(kernel, e))?;
    let own = ctx.compiled_code().map_or(0, |code| code.code_info().total_size as usize);
    let size = own + outlined.iter().map(|leaf| leaf.bytes.len().next_multiple_of(64)).sum::<usize>();
    Ok((module.get_finalized_function(id), size))
}

/// The kernel as Cranelift IR.
fn function(
    isa: &dyn cranelift_codegen::isa::TargetIsa,
    wide: Option<Wide>,
    kernel: &LoopKernel,
) -> Result<(Function, Vec<Outlined>)> {
    let sig = entry_signature(isa.default_call_conv());
    let mut func = Function::with_name_signature(UserFuncName::user(0, 2), sig);
    let mut frontend = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut func, &mut frontend);
    let outlined = Emit::new(kernel, builder, isa, wide).kernel(isa.frontend_config())?;
    Ok((func, outlined))
}

/// The Cranelift IR of a kernel as text.
pub(crate) fn listing(isa: &OwnedTargetIsa, wide: Option<Wide>, kernel: &LoopKernel) -> Result<String> {
    Ok(function(&**isa, wide, kernel)?.0.display().to_string())
}

/// The assembly of a kernel.
pub(crate) fn disassembly(isa: &OwnedTargetIsa, wide: Option<Wide>, kernel: &LoopKernel) -> Result<String> {
    let (func, outlined) = function(&**isa, wide, kernel)?;
    watch_passes();
    let mut ctx = Context::for_function(func);
    ctx.set_disasm(true);
    let code =
        ctx.compile(&**isa, &mut Default::default()).map_err(|e| bug(kernel, format!("{:?}", e.inner)))?;
    let mut text = code.vcode.clone().unwrap_or_default();
    for (n, leaf) in outlined.iter().enumerate() {
        text.push_str(&format!("wide_{n}:\n{}", instructions(&leaf.bytes)));
    }
    Ok(text)
}

/// What we assembled ourselves, which is for x86-64 only: a line for each instruction, after its offset. What stands behind a
/// jump or the return, and nothing jumps to, are masks.
fn instructions(bytes: &[u8]) -> String {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut formatter = GasFormatter::new();
    let (mut text, mut targets) = (String::new(), BTreeSet::new());
    while decoder.can_decode() {
        let instruction = decoder.decode();
        text.push_str(&format!("  {:4x}: ", instruction.ip()));
        formatter.format(&instruction, &mut text);
        text.push('\n');
        if instruction.near_branch_target() != 0 {
            targets.insert(instruction.near_branch_target() as usize);
        }
        if matches!(instruction.mnemonic(), Mnemonic::Jmp | Mnemonic::Ret) {
            let at = decoder.position();
            let next = targets.range(at..).next().copied().unwrap_or(bytes.len()).min(bytes.len());
            for (n, line) in bytes[at..next].chunks(16).enumerate() {
                let line: Vec<String> = line.iter().map(|b| format!("0x{b:02x}")).collect();
                text.push_str(&format!("  {:4x}: .byte {}\n", at + 16 * n, line.join(",")));
            }
            if decoder.set_position(next).is_err() {
                break;
            }
            decoder.set_ip(next as u64);
        }
    }
    text
}

impl Compiled for ClifCode {
    fn bytes(&self) -> usize {
        self.bytes
    }
    unsafe fn run(&self, call: &mut Call<'_>) -> Result<Status> {
        // SAFETY: the caller promises that `call` fits the kernel; `entry` was compiled from that kernel.
        let code = unsafe { (self.entry)(&mut call.raw) };
        abi::status(STEP, code)
    }
}

impl Drop for ClifCode {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: `self` is owned here, so no `run` is in progress, and `entry` dies with it.
            unsafe { module.free_memory() }
        }
    }
}
