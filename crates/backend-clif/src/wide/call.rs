//! The call of an assembled loop from the kernel.

use super::{Assembled, WideParam, assemble};
use crate::emit::{Emit, TypedValue, Val, part_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, ExternalName, InstBuilder, Signature, UserExternalName, types,
};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_loops::wide::WideLeaf;
use openwork_loops::{LoopMode, Stmt, Ty};

/// A loop that was taken out of the kernel.
pub(crate) struct Outlined {
    /// Its code.
    pub(crate) bytes: Vec<u8>,
    /// How it is called.
    pub(crate) signature: Signature,
}

impl Emit<'_, '_> {
    /// Emits a `wide` loop, or one over rows, as a call of its own function; false when it has to run as a serial one.
    pub(crate) fn wide_loop(&mut self, s: &Stmt) -> Result<bool> {
        let Some((leaf, code)) = self.leaf(s) else { return Ok(false) };
        let Stmt::For { lo, hi, .. } = s else { return Ok(false) };
        let (first, end) = (self.scalar_of(lo, DType::I64)?, self.scalar_of(hi, DType::I64)?);
        let [some, done] = std::array::from_fn(|_| self.b.create_block());
        let enters = self.b.ins().icmp(IntCC::SignedLessThan, first, end);
        self.b.ins().brif(enters, some, &[], done, &[]);
        self.enter(some);
        let part = part_type(leaf.elem);
        let mut signature = Signature::new(self.conv());
        let mut args = Vec::new();
        for param in &code.params {
            args.push(match param {
                WideParam::Rounds if leaf.rows.is_some() => end,
                WideParam::Rounds => self.b.ins().isub(end, first),
                WideParam::First => first,
                WideParam::Pointer(n) => {
                    let pointer = &leaf.pointers[*n];
                    let place = self.place(pointer.buf, &pointer.at)?;
                    self.b.ins().iadd_imm_s(place.base, i64::from(place.offset))
                }
                WideParam::Int(n) => self.scalar_of(&leaf.ints[*n], DType::I64)?,
            });
            signature.params.push(AbiParam::new(types::I64));
        }
        for float in &leaf.floats {
            args.push(self.scalar_of(float, leaf.elem)?);
            signature.params.push(AbiParam::new(part));
        }
        let results = leaf.rows.as_ref().map_or(leaf.reductions.len(), |rows| rows.carried.len());
        signature.returns.extend((0..results).map(|_| AbiParam::new(part)));
        let callee = self.outline(Outlined { bytes: code.bytes, signature });
        let call = self.b.ins().call(callee, &args);
        let results = self.b.inst_results(call).to_vec();
        if let Some(rows) = &leaf.rows {
            for (carried, value) in rows.carried.iter().zip(results) {
                self.set(carried.var, Val::One(value));
            }
            self.b.ins().jump(done, &[]);
            self.enter(done);
            return Ok(true);
        }
        for (reduction, value) in leaf.reductions.iter().zip(results) {
            let ty = Ty::scalar(leaf.elem);
            let old = TypedValue { val: self.get(reduction.var), ty };
            let new = self.apply(reduction.prim, &[old, TypedValue { val: Val::One(value), ty }])?;
            self.set(reduction.var, new.val);
        }
        self.b.ins().jump(done, &[]);
        self.enter(done);
        Ok(true)
    }
    /// The loop, assembled for the vectors of this machine, if they are those that it asks for.
    fn leaf(&self, s: &Stmt) -> Option<(WideLeaf, Assembled)> {
        let wide = self.wide?;
        let Stmt::For { mode, .. } = s else { return None };
        let (leaf, lanes) = match mode {
            LoopMode::Wide { lanes } => (WideLeaf::read(self.k, s, &wide).ok()?, lanes),
            LoopMode::Rows { lanes } => (WideLeaf::of_rows(self.k, s, &wide).ok()?, lanes),
            LoopMode::Serial | LoopMode::Vector | LoopMode::Runs => return None,
        };
        let code = assemble(&leaf, wide.bytes)?;
        (leaf.lanes == *lanes).then_some((leaf, code))
    }
    fn outline(&mut self, outlined: Outlined) -> cranelift_codegen::ir::FuncRef {
        let signature = self.b.import_signature(outlined.signature.clone());
        let name = UserExternalName::new(0, crate::code::FIRST_OUTLINED + self.outlined.len() as u32);
        let name = ExternalName::user(self.b.func.declare_imported_user_function(name));
        self.outlined.push(outlined);
        self.b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false })
    }
}
