//! Vectors of bools in memory, where each is a byte: widened to the lanes of a mask as they are loaded, and narrowed as they
//! are stored.
//!
//! ```text
//! load   0 1 1 0           four bytes
//!        0 1 1 0           four lanes of 32 bits
//!        0 -1 -1 0         a mask
//! ```

use crate::emit::{Emit, OffsetAddress};
use crate::vector::lanes_cast;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use openwork_algebra::Prim;

/// The integer that holds a byte per lane, where those are fewer than a vector has.
fn lane_bytes_type(mask: Type) -> Option<Type> {
    match mask.lane_count() {
        2 => Some(types::I16),
        4 => Some(types::I32),
        8 => Some(types::I64),
        _ => None,
    }
}

impl Emit<'_, '_> {
    /// As many bytes from memory as `mask` has lanes, as a mask.
    pub(crate) fn load_mask(&mut self, place: OffsetAddress, mask: Type) -> Value {
        let flags = place.vector_flags();
        let lanes = match lane_bytes_type(mask) {
            None => self.b.ins().load(mask, flags, place.base, place.offset),
            Some(int) => {
                let bytes = self.b.ins().load(int, flags, place.base, place.offset);
                self.spread(bytes, mask)
            }
        };
        self.b.ins().ineg(lanes)
    }
    /// The bytes of an integer in a lane each.
    fn spread(&mut self, bytes: Value, mask: Type) -> Value {
        let (bytes, row) = match mask.lane_count() {
            2 => (self.b.ins().uextend(types::I32, bytes), types::I32X4),
            4 => (bytes, types::I32X4),
            _ => (bytes, types::I64X2),
        };
        let row = self.b.ins().scalar_to_vector(row, bytes);
        let mut lanes = self.b.ins().bitcast(types::I8X16, lanes_cast(), row);
        while self.b.func.dfg.value_type(lanes) != mask {
            lanes = self.b.ins().uwiden_low(lanes);
        }
        lanes
    }
    /// A mask as bytes of 0 and 1 to memory.
    pub(crate) fn store_mask(&mut self, place: OffsetAddress, v: Value) {
        let flags = place.vector_flags();
        let mask = self.b.func.dfg.value_type(v);
        let bytes = match lane_bytes_type(mask) {
            None => {
                let one = self.b.ins().iconst(types::I8, 1);
                let ones = self.b.ins().splat(mask, one);
                self.b.ins().band(v, ones)
            }
            Some(int) => self.gather_bytes(v, int),
        };
        self.b.ins().store(flags, bytes, place.base, place.offset);
    }
    /// A byte of 0 or 1 for each of two, four or eight lanes, as one integer.
    fn gather_bytes(&mut self, v: Value, int: Type) -> Value {
        if int == types::I16 {
            let bits = self.b.ins().vhigh_bits(types::I32, v);
            let second = self.b.ins().ishl_imm_u(bits, 7);
            let both = self.b.ins().bor(bits, second);
            let both = self.b.ins().band_imm_s(both, 0x0101);
            return self.b.ins().ireduce(int, both);
        }
        // Narrowing saturates: 0 and -1 stay what they are.
        let mut narrow = v;
        while self.b.func.dfg.value_type(narrow) != types::I8X16 {
            narrow = self.b.ins().snarrow(narrow, narrow);
        }
        let row = if int == types::I32 { types::I32X4 } else { types::I64X2 };
        let row = self.b.ins().bitcast(row, lanes_cast(), narrow);
        let bytes = self.b.ins().extractlane(row, 0);
        let ones = if int == types::I32 { 0x0101_0101 } else { 0x0101_0101_0101_0101 };
        self.b.ins().band_imm_s(bytes, ones)
    }
    /// All lanes of a mask combined, where one instruction looks at all of them.
    pub(crate) fn fold_mask(&mut self, prim: Prim, v: Value) -> Option<Value> {
        match prim {
            Prim::Or | Prim::Add | Prim::Max => Some(self.b.ins().vany_true(v)),
            Prim::And | Prim::Mul | Prim::Min => Some(self.b.ins().vall_true(v)),
            Prim::Xor => {
                let bits = self.b.ins().vhigh_bits(types::I32, v);
                let count = self.b.ins().popcnt(bits);
                let odd = self.b.ins().band_imm_s(count, 1);
                Some(self.b.ins().ireduce(types::I8, odd))
            }
            Prim::Sub | Prim::Div | Prim::Neg | Prim::Abs | Prim::Not | Prim::Select => None,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => None,
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Fused
            | Prim::Times
            | Prim::Least
            | Prim::Most
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => None,
        }
    }
}
