//! Division of integers that rounds down for positive divisors and never traps.
//!
//! A negative dividend is complemented first, because `floor(x / d) = !floor(!x / d)` for `d > 0`: what is divided is
//! never negative, and one unsigned division serves all signs.
//!
//! ```text
//! quot(x, 8)   =>  x >> 3                                            rem(x, 8)  =>  x & 7
//! quot(x, 3)   =>  s = x >> 63; (high(m * (x ^ s)) >> 1) ^ s         rem(x, 3)  =>  x - quot(x, 3) * 3
//! quot(x, -3)  =>  -quot(x, 3)                                       rem(x, -3) =>  rem(x, 3)
//! ```

use crate::emit::Emit;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, InstructionData, Opcode, Type, Value, ValueDef, types};
use openwork_algebra::Prim;

/// `m` and `s` such that `n / d` is `(m * n) >> (64 + s)` for all `n` below `2^63`.
///
/// With `l = ceil(log2 d)` and `m = floor(2^(63 + l) / d) + 1`, the product `m * d` exceeds `2^(63 + l)` by at most
/// `d <= 2^l`, which is what the theorem of Granlund and Montgomery asks for; `d > 2^(l - 1)` makes `m` fit 64 bits.
fn magic(d: u64) -> (u64, u32) {
    let l = 64 - (d - 1).leading_zeros();
    (((1u128 << (63 + l)) / u128::from(d)) as u64 + 1, l - 1)
}

/// Two's complement numbers of fewer bits, as Cranelift keeps constants: extended with zeros.
fn low_bits(n: u64, ty: Type) -> i64 {
    (n & (u64::MAX >> (64 - ty.bits()))) as i64
}

impl Emit<'_, '_> {
    /// `quot` or `rem` of scalar integers.
    pub(crate) fn divide(&mut self, prim: Prim, signed: bool, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let Some(bits) = self.constant_bits(y) else { return self.divide_by_any(prim, signed, x, y) };
        let shift = 64 - ty.bits();
        let negative = signed && (bits << shift) < 0;
        let size = if negative { ((bits << shift) >> shift).unsigned_abs() } else { bits as u64 };
        if size == 0 {
            return self.b.ins().iconst(ty, 0);
        }
        if prim == Prim::Rem {
            return self.remainder(signed, x, size);
        }
        let q = self.quotient(signed, x, size);
        if negative { self.b.ins().ineg(q) } else { q }
    }
    /// The bits of a constant, extended with zeros.
    fn constant_bits(&self, v: Value) -> Option<i64> {
        let dfg = &self.b.func.dfg;
        let ValueDef::Result(inst, 0) = dfg.value_def(v) else { return None };
        let InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } = dfg.insts[inst] else { return None };
        Some(imm.bits())
    }
    /// `x rem d` for a constant `d > 0`.
    fn remainder(&mut self, signed: bool, x: Value, d: u64) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        if d.is_power_of_two() {
            let mask = self.b.ins().iconst(ty, low_bits(d - 1, ty));
            return self.b.ins().band(x, mask);
        }
        let q = self.quotient(signed, x, d);
        let d = self.b.ins().iconst(ty, low_bits(d, ty));
        let whole = self.b.ins().imul(q, d);
        self.b.ins().isub(x, whole)
    }
    /// `x quot d` for a constant `d > 0`.
    fn quotient(&mut self, signed: bool, x: Value, d: u64) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        if d.is_power_of_two() {
            let n = self.b.ins().iconst(ty, i64::from(d.trailing_zeros()));
            return if signed { self.b.ins().sshr(x, n) } else { self.b.ins().ushr(x, n) };
        }
        if ty == types::I64 {
            return if signed { self.signed_quotient(x, d) } else { self.unsigned_quotient(x, d) };
        }
        let wide = match signed {
            true => self.b.ins().sextend(types::I64, x),
            false => self.b.ins().uextend(types::I64, x),
        };
        let q = if signed { self.signed_quotient(wide, d) } else { self.small_quotient(wide, d) };
        self.b.ins().ireduce(ty, q)
    }
    /// Any 64 bits by a constant; Cranelift itself turns the division into a product.
    fn unsigned_quotient(&mut self, x: Value, d: u64) -> Value {
        let d = self.b.ins().iconst(types::I64, d as i64);
        self.b.ins().udiv(x, d)
    }
    fn signed_quotient(&mut self, x: Value, d: u64) -> Value {
        let last = self.b.ins().iconst(types::I64, 63);
        let sign = self.b.ins().sshr(x, last);
        let n = self.b.ins().bxor(x, sign);
        let q = self.small_quotient(n, d);
        self.b.ins().bxor(q, sign)
    }
    /// A number below `2^63` by a constant.
    fn small_quotient(&mut self, n: Value, d: u64) -> Value {
        let (m, shift) = magic(d);
        let m = self.b.ins().iconst(types::I64, m as i64);
        let high = self.b.ins().umulhi(n, m);
        let shift = self.b.ins().iconst(types::I64, i64::from(shift));
        self.b.ins().ushr(high, shift)
    }
    /// Division by what is not known before the kernel runs.
    fn divide_by_any(&mut self, prim: Prim, signed: bool, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let [zero, one] = [0, 1].map(|n| self.b.ins().iconst(ty, n));
        let none = self.b.ins().icmp(IntCC::Equal, y, zero);
        // By 1 instead of by 0 the remainder is 0 already.
        let y = self.b.ins().select(none, one, y);
        let q = if signed { self.signed_division(x, y) } else { self.b.ins().udiv(x, y) };
        if prim == Prim::Quot {
            return self.b.ins().select(none, zero, q);
        }
        let whole = self.b.ins().imul(q, y);
        self.b.ins().isub(x, whole)
    }
    /// `x quot y` where `y` is not 0.
    fn signed_division(&mut self, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let last = self.b.ins().iconst(ty, i64::from(ty.bits()) - 1);
        let [sign, side] = [x, y].map(|v| self.b.ins().sshr(v, last));
        let n = self.b.ins().bxor(x, sign);
        let size = self.b.ins().iabs(y);
        let q = self.b.ins().udiv(n, size);
        let q = self.b.ins().bxor(q, sign);
        // The negation of `q` where `y` is negative.
        let q = self.b.ins().bxor(q, side);
        self.b.ins().isub(q, side)
    }
}

#[cfg(test)]
mod tests {
    use super::magic;

    #[test]
    fn magic_numbers_divide_everything_below_the_sign() {
        let ends = [
            3,
            5,
            6,
            7,
            9,
            10,
            11,
            100,
            641,
            1000,
            (1 << 32) - 1,
            (1 << 32) + 1,
            (1 << 62) + 1,
            (1 << 63) - 1,
        ];
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state
        };
        let random: Vec<u64> = (0..5000).map(|_| (next() >> 1 >> (next() >> 58)) | 1).collect();
        for d in ends.into_iter().chain(random).filter(|d: &u64| !d.is_power_of_two()) {
            let (m, s) = magic(d);
            let most = i64::MAX as u64;
            let multiple = most / d * d;
            for n in
                [0, 1, d - 1, d, d + 1, multiple - 1, multiple, most - 1, most, next() >> 1, next() >> 33]
            {
                let n = n.min(most);
                assert_eq!(((u128::from(m) * u128::from(n)) >> (64 + s)) as u64, n / d, "{n} / {d}");
            }
        }
    }
}
