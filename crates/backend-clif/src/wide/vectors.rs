//! Instructions on whole vectors of the leaf's dtype.

use super::encode::{Gpr, Len, Mask, Mem, Prefix, Rm, Vec_, Vop};
use super::registers::Full;
use super::{Asm, Left};
use openwork_algebra::{DType, Prim};

/// A fused multiply-add by which of its operands is the destination.
#[derive(Clone, Copy)]
pub(super) enum FmaForm {
    /// `x = second * third + x`.
    Addend = 0xB8,
    /// `x = x * third + second`.
    Factor = 0x98,
}

const XOR: u8 = 0xEF;
const OR: u8 = 0xEB;
const AND: u8 = 0xDB;
const AND_NOT: u8 = 0xDF;
/// The comparison that holds unless both are equal: beside NaN, too.
const UNLIKE: u8 = 4;
/// The comparisons of floats that instructions have numbers for.
#[derive(Clone, Copy)]
pub(super) enum Than {
    Less = 1,
    /// One of both is NaN.
    Unordered = 3,
    /// Less or greater.
    Apart = 12,
    Greater = 14,
}

impl Asm<'_> {
    fn double(&self) -> bool {
        self.leaf.elem == DType::F64
    }
    /// Arithmetic and moves of `pd` and `ps`.
    pub(super) fn float(&self, opcode: u8) -> Vop {
        let double = self.double() as u8;
        Vop { pp: double, map: 1, opcode, w_vex: 0, w_evex: double }
    }
    /// An operation on bits.
    fn bits(opcode: u8) -> Vop {
        Vop { pp: 1, map: 1, opcode, w_vex: 0, w_evex: 1 }
    }
    pub(super) fn put(&mut self, op: Vop, reg: Vec_, second: Vec_, rm: Rm) {
        self.put_len(op, self.len, reg, second, rm);
    }
    fn put_len(&mut self, op: Vop, len: Len, reg: Vec_, second: Vec_, rm: Rm) {
        match self.prefix {
            Prefix::Vex => self.code.vex(op, len, reg, second, rm),
            Prefix::Evex => self.code.evex(op, len, reg, second, rm, Mask::None),
        }
    }
    pub(super) fn copy(&mut self, to: Vec_, from: Vec_) {
        if to != from {
            self.put(self.float(0x28), to, 0, Rm::Reg(from));
        }
    }
    pub(super) fn zero(&mut self, to: Vec_) {
        self.put(Self::bits(XOR), to, to, Rm::Reg(to));
    }
    pub(super) fn bits_xor(&mut self, to: Vec_, a: Vec_, b: Vec_) {
        self.put(Self::bits(XOR), to, a, Rm::Reg(b));
    }
    pub(super) fn bits_and(&mut self, to: Vec_, a: Vec_, b: Vec_) {
        self.put(Self::bits(AND), to, a, Rm::Reg(b));
    }
    /// `b` where the bits of `a` are clear.
    pub(super) fn bits_and_not(&mut self, to: Vec_, a: Vec_, b: Vec_) {
        self.put(Self::bits(AND_NOT), to, a, Rm::Reg(b));
    }
    /// `to = from` in the lanes where `x` compares so with `y`.
    pub(super) fn copy_where(
        &mut self,
        x: Vec_,
        than: Than,
        y: Vec_,
        to: Vec_,
        from: Vec_,
    ) -> Result<(), Full> {
        let compare = self.float(0xC2);
        match self.prefix {
            Prefix::Evex => {
                self.code.evex(compare, self.len, 2, x, Rm::Reg(y), Mask::None);
                self.code.raw(&[than as u8]);
                self.code.evex(self.float(0x28), self.len, to, 0, Rm::Reg(from), Mask::SecondOnly);
            }
            Prefix::Vex => {
                let mask = self.registers.vector()?;
                self.code.vex(compare, self.len, mask, x, Rm::Reg(y));
                self.code.raw(&[than as u8]);
                self.choose(to, to, from, mask);
                self.registers.free_vector(mask);
            }
        }
        Ok(())
    }
    /// The sign of `from` on a number without one.
    pub(super) fn signed_as(&mut self, to: Vec_, number: Vec_, from: Vec_, sign: Vec_) {
        self.put(Self::bits(AND), to, sign, Rm::Reg(from));
        self.put(Self::bits(OR), to, to, Rm::Reg(number));
    }
    /// Each element rounded as the lowest bits of `how` say: to the nearest, down, up, towards zero.
    pub(super) fn round(&mut self, to: Vec_, from: Vec_, how: u8) {
        let double = self.double() as u8;
        let op = Vop { pp: 1, map: 3, opcode: 0x08 + double, w_vex: 0, w_evex: double };
        self.put(op, to, 0, Rm::Reg(from));
        self.code.raw(&[0x08 | how]);
    }
    /// The bits of `a` where those of the mask are clear, those of `b` where they are set; `t` is lost.
    pub(super) fn bits_of_both(&mut self, to: Vec_, a: Vec_, b: Vec_, mask: Vec_, t: Vec_) {
        self.put(Self::bits(AND), t, mask, Rm::Reg(b));
        self.bits_and_not(to, mask, a);
        self.put(Self::bits(OR), to, to, Rm::Reg(t));
    }
    /// One element in every lane.
    pub(super) fn broadcast(&mut self, to: Vec_, from: Rm) {
        let op = match self.double() {
            // There is no broadcast to two lanes; this is the same.
            true if self.len == Len::L128 => Vop { pp: 3, map: 1, opcode: 0x12, w_vex: 0, w_evex: 1 },
            true => Vop { pp: 1, map: 2, opcode: 0x19, w_vex: 0, w_evex: 1 },
            false => Vop { pp: 1, map: 2, opcode: 0x18, w_vex: 0, w_evex: 0 },
        };
        self.put(op, to, 0, from);
    }
    /// A constant in every lane, by way of a general register.
    pub(super) fn broadcast_bits(&mut self, to: Vec_, bits: u64) -> Result<(), Full> {
        let r = self.registers.general()?;
        self.code.constant(r, bits as i64);
        let double = self.double() as u8;
        let op = Vop { pp: 1, map: 1, opcode: 0x6E, w_vex: double, w_evex: double };
        self.put_len(op, Len::L128, to, 0, Rm::Reg(r));
        self.registers.free(r);
        self.broadcast(to, Rm::Reg(to));
        Ok(())
    }
    pub(super) fn load(&mut self, to: Vec_, from: Mem) {
        match self.masked {
            None | Some(Left::Read(_)) => self.put(self.float(0x10), to, 0, Rm::Mem(from)),
            Some(Left::K1) => self.code.evex(self.float(0x10), self.len, to, 0, Rm::Mem(from), Mask::Zero),
            Some(Left::By(mask)) => self.put(self.masked_move(0x2C), to, mask, Rm::Mem(from)),
            Some(Left::Single) => self.put(self.one(0x10), to, 0, Rm::Mem(from)),
        }
    }
    pub(super) fn store(&mut self, to: Mem, from: Vec_) {
        match self.masked {
            None => self.put(self.float(0x11), from, 0, Rm::Mem(to)),
            Some(Left::K1) => self.code.evex(self.float(0x11), self.len, from, 0, Rm::Mem(to), Mask::Keep),
            Some(Left::By(mask) | Left::Read(mask)) => {
                self.put(self.masked_move(0x2E), from, mask, Rm::Mem(to));
            }
            Some(Left::Single) => self.put(self.one(0x11), from, 0, Rm::Mem(to)),
        }
    }
    /// One element into the first lane; the others are zero.
    pub(super) fn load_one(&mut self, to: Vec_, from: Mem) {
        self.put_len(self.one(0x10), Len::L128, to, 0, Rm::Mem(from));
    }
    /// One element into another lane of the first 128 bits; the rest becomes zero.
    pub(super) fn insert_one(&mut self, to: Vec_, lane: u8, from: Mem) {
        if self.double() {
            let high = Vop { pp: 1, map: 1, opcode: 0x16, w_vex: 0, w_evex: 1 };
            self.put_len(high, Len::L128, to, to, Rm::Mem(from));
        } else {
            let insert = Vop { pp: 1, map: 3, opcode: 0x21, w_vex: 0, w_evex: 0 };
            self.put_len(insert, Len::L128, to, to, Rm::Mem(from));
            self.code.raw(&[lane << 4]);
        }
    }
    /// 128 bits above the first 128.
    pub(super) fn insert_half(&mut self, to: Vec_, half: Vec_) {
        let insert = Vop { pp: 1, map: 3, opcode: 0x18, w_vex: 0, w_evex: 0 };
        self.put_len(insert, Len::L256, to, to, Rm::Reg(half));
        self.code.raw(&[1]);
    }
    /// A move of one element, `sd` or `ss`.
    fn one(&self, opcode: u8) -> Vop {
        let double = self.double() as u8;
        Vop { pp: 3 - (1 - double), map: 1, opcode, w_vex: 0, w_evex: double }
    }
    fn masked_move(&self, single: u8) -> Vop {
        Vop { pp: 1, map: 2, opcode: single + self.double() as u8, w_vex: 0, w_evex: 0 }
    }
    /// Takes the lanes of the mask only.
    pub(super) fn merge(&mut self, to: Vec_, from: Vec_) {
        match self.masked {
            None | Some(Left::Single) => self.copy(to, from),
            Some(Left::K1) => self.code.evex(self.float(0x28), self.len, to, 0, Rm::Reg(from), Mask::Keep),
            Some(Left::By(mask) | Left::Read(mask)) => self.choose(to, to, from, mask),
        }
    }
    /// `b` in the lanes of the mask, else `a`; in registers of VEX.
    pub(super) fn choose(&mut self, to: Vec_, a: Vec_, b: Vec_, mask: Vec_) {
        let opcode = 0x4A + self.double() as u8;
        self.put(Vop { pp: 1, map: 3, opcode, w_vex: 0, w_evex: 0 }, to, a, Rm::Reg(b));
        self.code.raw(&[mask << 4]);
    }
    /// Integers in lanes as wide as those of values, extended by their signs or by zeros.
    pub(super) fn load_integers(&mut self, to: Vec_, elem: DType, from: Mem) -> Result<(), Full> {
        let double = self.double();
        let extended = match (elem, double) {
            (DType::I64 | DType::U64, true) | (DType::I32 | DType::U32, false) => None,
            (DType::I32, true) => Some(0x25),
            (DType::U32, true) => Some(0x35),
            (DType::I16, true) => Some(0x24),
            (DType::U16, true) => Some(0x34),
            (DType::I8, true) => Some(0x22),
            (DType::U8, true) => Some(0x32),
            (DType::I16, false) => Some(0x23),
            (DType::U16, false) => Some(0x33),
            (DType::I8, false) => Some(0x21),
            (DType::U8, false) => Some(0x31),
            (DType::I64 | DType::U64, false) => return Err(Full),
            (DType::Bool | DType::F32 | DType::F64 | DType::C64 | DType::C128, _) => return Err(Full),
        };
        let op = match extended {
            Some(opcode) => Vop { pp: 1, map: 2, opcode, w_vex: 0, w_evex: 0 },
            None => Vop { pp: 2, map: 1, opcode: 0x6F, w_vex: 0, w_evex: double as u8 },
        };
        self.put(op, to, 0, Rm::Mem(from));
        Ok(())
    }
    /// A general register in the first lanes; the others are zero.
    pub(super) fn put_general(&mut self, to: Vec_, from: Gpr) {
        let op = Vop { pp: 1, map: 1, opcode: 0x6E, w_vex: 1, w_evex: 1 };
        self.put_len(op, Len::L128, to, 0, Rm::Reg(from));
    }
    /// The lanes of integers, as wide as values, that are the same; in registers of VEX.
    pub(super) fn same_integers(&mut self, to: Vec_, a: Vec_, b: Vec_) {
        let (map, opcode) = if self.double() { (2, 0x29) } else { (1, 0x76) };
        self.put(Vop { pp: 1, map, opcode, w_vex: 0, w_evex: 0 }, to, a, Rm::Reg(b));
    }
    pub(super) fn fma(&mut self, form: FmaForm, to: Vec_, second: Vec_, third: Rm) {
        let double = self.double() as u8;
        let op = Vop { pp: 1, map: 2, opcode: form as u8, w_vex: double, w_evex: double };
        self.put(op, to, second, third);
    }
    /// The one instruction of a primitive, if it has one.
    pub(super) fn single(&self, prim: Prim) -> Option<Vop> {
        match prim {
            Prim::Add => Some(self.float(0x58)),
            Prim::Sub => Some(self.float(0x5C)),
            Prim::Mul | Prim::Fused => Some(self.float(0x59)),
            Prim::Div => Some(self.float(0x5E)),
            Prim::Min | Prim::Max | Prim::Neg | Prim::Abs | Prim::Select => None,
            Prim::Times | Prim::Least | Prim::Most => None,
            Prim::And | Prim::Or | Prim::Xor | Prim::Not => None,
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => None,
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
    /// `to = prim(x, y)` for a primitive of two arguments. The machine's own minimum and maximum give the second operand
    /// for zeros of either sign and for NaN; both orders are taken, and what they disagree about is settled by bits.
    pub(super) fn two(&mut self, prim: Prim, len: Len, to: Vec_, x: Vec_, y: Vec_) -> Result<(), Full> {
        if let Some(op) = self.single(prim) {
            self.put_len(op, len, to, x, Rm::Reg(y));
            return Ok(());
        }
        if prim == Prim::Times {
            return self.times(len, to, x, y);
        }
        let op = self.float(if prim == Prim::Min { 0x5D } else { 0x5F });
        let (a, b) = (self.registers.vector()?, self.registers.vector()?);
        self.put_len(op, len, a, x, Rm::Reg(y));
        self.put_len(op, len, b, y, Rm::Reg(x));
        if prim == Prim::Min {
            self.put_len(Self::bits(OR), len, to, a, Rm::Reg(b));
        } else {
            self.put_len(Self::bits(XOR), len, b, a, Rm::Reg(b));
            self.put_len(Self::bits(OR), len, a, a, Rm::Reg(b));
            self.put_len(self.float(0x5C), len, to, a, Rm::Reg(b));
        }
        self.registers.free_vector(a);
        self.registers.free_vector(b);
        Ok(())
    }
    /// The product, in the lanes where neither is zero.
    fn times(&mut self, len: Len, to: Vec_, x: Vec_, y: Vec_) -> Result<(), Full> {
        let (compare, multiply) = (self.float(0xC2), self.float(0x59));
        let t = self.registers.vector()?;
        self.zero(t);
        match self.prefix {
            Prefix::Evex => {
                self.code.evex(compare, len, 2, x, Rm::Reg(t), Mask::None);
                self.code.raw(&[UNLIKE]);
                self.code.evex(compare, len, 2, y, Rm::Reg(t), Mask::SecondOnly);
                self.code.raw(&[UNLIKE]);
                self.code.evex(multiply, len, to, x, Rm::Reg(y), Mask::SecondZero);
            }
            Prefix::Vex => {
                let mask = self.registers.vector()?;
                self.code.vex(compare, len, mask, x, Rm::Reg(t));
                self.code.raw(&[UNLIKE]);
                self.code.vex(compare, len, t, y, Rm::Reg(t));
                self.code.raw(&[UNLIKE]);
                self.code.vex(Self::bits(AND), len, mask, mask, Rm::Reg(t));
                self.code.vex(multiply, len, t, x, Rm::Reg(y));
                self.code.vex(Self::bits(AND), len, to, mask, Rm::Reg(t));
                self.registers.free_vector(mask);
            }
        }
        self.registers.free_vector(t);
        Ok(())
    }
    /// All lanes of a vector combined in its first one.
    pub(super) fn fold(&mut self, prim: Prim, x: Vec_) -> Result<(), Full> {
        let t = self.registers.vector()?;
        let high = |opcode, w_evex| Vop { pp: 1, map: 3, opcode, w_vex: 0, w_evex };
        let halve = |asm: &mut Self, op: Vop, from: Len, to: Len, rm_is_to: bool, imm: u8| {
            let (reg, rm) = if rm_is_to { (x, t) } else { (t, x) };
            asm.put_len(op, from, reg, 0, Rm::Reg(rm));
            asm.code.raw(&[imm]);
            asm.two(prim, to, x, x, t)
        };
        if self.len == Len::L512 {
            halve(self, high(0x1B, 1), Len::L512, Len::L256, true, 1)?;
        }
        if self.len != Len::L128 {
            halve(self, high(0x19, 0), Len::L256, Len::L128, true, 1)?;
        }
        halve(self, high(0x05, 1), Len::L128, Len::L128, false, 1)?;
        if !self.double() {
            halve(self, high(0x04, 0), Len::L128, Len::L128, false, 0xB1)?;
        }
        self.registers.free_vector(t);
        Ok(())
    }
    /// The sums of neighbours in each half of two vectors.
    fn pairs(&self) -> Vop {
        Vop { pp: if self.double() { 1 } else { 3 }, map: 1, opcode: 0x7C, w_vex: 0, w_evex: 0 }
    }
    /// The sums over the lanes of four vectors of four lanes, each in a lane of its own, in the first of them; neighbours are
    /// added first.
    pub(super) fn add_across(&mut self, [a, b, c, d]: [Vec_; 4]) {
        let pairs = self.pairs();
        self.put(pairs, a, a, Rm::Reg(b));
        self.put(pairs, c, c, Rm::Reg(d));
        if !self.double() {
            self.put(pairs, a, a, Rm::Reg(c));
            return;
        }
        // The lower halves of both, and the upper ones, which come second in every lane: of two NaNs, the first one is taken.
        let halves = Vop { pp: 1, map: 3, opcode: 0x06, w_vex: 0, w_evex: 0 };
        self.put(halves, d, a, Rm::Reg(c));
        self.code.raw(&[0x31]);
        self.put(halves, a, a, Rm::Reg(c));
        self.code.raw(&[0x20]);
        self.put(self.float(0x58), a, a, Rm::Reg(d));
    }
    /// The sum over four lanes as [`Asm::add_across`] has it, in the first one.
    pub(super) fn add_neighbours(&mut self, x: Vec_) -> Result<(), Full> {
        let pairs = self.pairs();
        self.put(pairs, x, x, Rm::Reg(x));
        if !self.double() {
            self.put(pairs, x, x, Rm::Reg(x));
            return Ok(());
        }
        let upper = self.registers.vector()?;
        self.move_lane(upper, x, 2);
        self.put_len(self.float(0x58), Len::L128, x, x, Rm::Reg(upper));
        self.registers.free_vector(upper);
        Ok(())
    }
    /// A lane of four, as the first one.
    pub(super) fn move_lane(&mut self, to: Vec_, from: Vec_, lane: u8) {
        let of = |opcode, w_evex| Vop { pp: 1, map: 3, opcode, w_vex: 0, w_evex };
        if !self.double() {
            self.put_len(of(0x04, 0), Len::L128, to, 0, Rm::Reg(from));
            return self.code.raw(&[lane]);
        }
        let mut half = from;
        if lane > 1 {
            self.put_len(of(0x19, 0), Len::L256, from, 0, Rm::Reg(to));
            self.code.raw(&[1]);
            half = to;
        }
        match lane % 2 {
            0 => self.move_low(to, half),
            _ => {
                self.put_len(of(0x05, 1), Len::L128, to, 0, Rm::Reg(half));
                self.code.raw(&[1]);
            }
        }
    }
    pub(super) fn move_low(&mut self, to: Vec_, from: Vec_) {
        if to != from {
            self.put_len(self.float(0x28), Len::L128, to, 0, Rm::Reg(from));
        }
    }
}
