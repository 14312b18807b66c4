//! Instructions of x86-64 as bytes: the general ones that loops need, and vectors with VEX (32 bytes) or EVEX (64 bytes)
//! prefixes.

/// A general register by its number in the machine's encoding.
pub(super) type Gpr = u8;
/// A vector register.
pub(super) type Vec_ = u8;

pub(super) const RAX: Gpr = 0;
pub(super) const RCX: Gpr = 1;
pub(super) const RDX: Gpr = 2;
pub(super) const RBX: Gpr = 3;
pub(super) const RSP: Gpr = 4;
pub(super) const RBP: Gpr = 5;
pub(super) const RSI: Gpr = 6;
pub(super) const RDI: Gpr = 7;
pub(super) const R8: Gpr = 8;

/// `base + index * 2^scale + disp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mem {
    pub base: Gpr,
    pub index: Option<(Gpr, u8)>,
    pub disp: i32,
}

impl Mem {
    pub fn new(base: Gpr, disp: i32) -> Mem {
        Mem { base, index: None, disp }
    }
    pub fn plus(self, disp: i32) -> Mem {
        Mem { disp: self.disp + disp, ..self }
    }
}

/// A register or memory, where an instruction takes either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rm {
    Reg(u8),
    Mem(Mem),
}

/// The opcode of a general instruction of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Opcode(&'static [u8]);

pub(super) const ADD: Opcode = Opcode(&[0x03]);
pub(super) const SUB: Opcode = Opcode(&[0x2B]);
pub(super) const CMP: Opcode = Opcode(&[0x3B]);
pub(super) const IMUL: Opcode = Opcode(&[0x0F, 0xAF]);
pub(super) const MOV: Opcode = Opcode(&[0x8B]);
pub(super) const STORE: Opcode = Opcode(&[0x89]);
pub(super) const LEA: Opcode = Opcode(&[0x8D]);
pub(super) const CMOVE: Opcode = Opcode(&[0x0F, 0x44]);
pub(super) const CMOVG: Opcode = Opcode(&[0x0F, 0x4F]);
pub(super) const MOVSXD: Opcode = Opcode(&[0x63]);
pub(super) const MOVSX8: Opcode = Opcode(&[0x0F, 0xBE]);
pub(super) const MOVSX16: Opcode = Opcode(&[0x0F, 0xBF]);
pub(super) const MOVZX8: Opcode = Opcode(&[0x0F, 0xB6]);
pub(super) const MOVZX16: Opcode = Opcode(&[0x0F, 0xB7]);

/// When to jump after a comparison of signed numbers.
#[derive(Clone, Copy)]
pub(super) enum When {
    Less = 0x8C,
    NotLess = 0x8D,
    Greater = 0x8F,
    NotGreater = 0x8E,
}

/// How an instruction on vectors is encoded: prefix, opcode map, opcode, and the bit W in VEX and in EVEX.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vop {
    pub pp: u8,
    pub map: u8,
    pub opcode: u8,
    pub w_vex: u8,
    pub w_evex: u8,
}

/// Bits of a vector register that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Len {
    L128 = 0,
    L256 = 1,
    L512 = 2,
}

/// Which prefix vectors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Vex,
    Evex,
}

/// Lanes that an EVEX instruction leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mask {
    None,
    /// Lanes outside of `k1` become zero.
    Zero,
    /// Lanes outside of `k1` stay as they were.
    Keep,
    /// Lanes outside of `k2` become zero.
    SecondZero,
    /// Only lanes of `k2` are compared, and the others are unlike; or moved, and the others stay as they were.
    SecondOnly,
}

/// A place in the code that jumps go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

/// Machine code under construction.
pub(super) struct MachineCode {
    bytes: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// Four bytes that take the distance to a label.
    jumps: Vec<(usize, Label)>,
}

impl MachineCode {
    pub fn new() -> MachineCode {
        MachineCode { bytes: Vec::new(), labels: Vec::new(), jumps: Vec::new() }
    }
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }
    pub fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
    }
    /// The bytes, if every label that is jumped to was bound.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        for (at, label) in self.jumps {
            let distance = self.labels[label.0]? as i64 - (at as i64 + 4);
            self.bytes[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        Some(self.bytes)
    }
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
    fn imm32(&mut self, n: i32) {
        self.raw(&n.to_le_bytes());
    }
    fn distance(&mut self, label: Label) {
        self.jumps.push((self.bytes.len(), label));
        self.imm32(0);
    }
    /// Registers and addressing; only an instruction without EVEX may have a displacement of one byte.
    fn modrm(&mut self, reg: u8, rm: Rm, short: bool) {
        let reg = (reg & 7) << 3;
        let mem = match rm {
            Rm::Reg(r) => return self.raw(&[0xC0 | reg | (r & 7)]),
            Rm::Mem(mem) => mem,
        };
        let (mode, base) = match mem.disp {
            0 if mem.base & 7 != RBP => (0x00, mem.base & 7),
            -128..=127 if short => (0x40, mem.base & 7),
            _ => (0x80, mem.base & 7),
        };
        match mem.index {
            Some((index, scale)) => self.raw(&[mode | reg | 4, scale << 6 | (index & 7) << 3 | base]),
            None if base == RSP => self.raw(&[mode | reg | 4, 0x24]),
            None => self.raw(&[mode | reg | base]),
        }
        match mode {
            0x00 => {}
            0x40 => self.raw(&[mem.disp as u8]),
            _ => self.imm32(mem.disp),
        }
    }
    /// `op reg, rm` on 64 bits.
    pub fn op(&mut self, op: Opcode, reg: Gpr, rm: Rm) {
        self.rex(0x48, reg, rm);
        self.raw(op.0);
        self.modrm(reg, rm, true);
    }
    fn rex(&mut self, base: u8, reg: u8, rm: Rm) {
        let (x, b) = high_bits(rm);
        self.raw(&[base | (reg >> 3 & 1) << 2 | x << 1 | b]);
    }
    /// Loads 32 bits and clears the rest.
    pub fn load_u32(&mut self, reg: Gpr, mem: Mem) {
        self.rex(0x40, reg, Rm::Mem(mem));
        self.raw(MOV.0);
        self.modrm(reg, Rm::Mem(mem), true);
    }
    pub fn constant(&mut self, reg: Gpr, n: i64) {
        if let Ok(n) = i32::try_from(n) {
            self.rex(0x48, 0, Rm::Reg(reg));
            self.raw(&[0xC7]);
            self.modrm(0, Rm::Reg(reg), true);
            self.imm32(n);
        } else {
            self.rex(0x48, 0, Rm::Reg(reg));
            self.raw(&[0xB8 | reg & 7]);
            self.raw(&n.to_le_bytes());
        }
    }
    /// `reg += n`.
    pub fn add_constant(&mut self, reg: Gpr, n: i32) {
        self.with_constant(0, reg, n);
    }
    /// Compares with a constant.
    pub fn compare_constant(&mut self, reg: Gpr, n: i32) {
        self.with_constant(7, reg, n);
    }
    fn with_constant(&mut self, op: u8, reg: Gpr, n: i32) {
        self.rex(0x48, 0, Rm::Reg(reg));
        let short = i8::try_from(n).ok();
        self.raw(&[if short.is_some() { 0x83 } else { 0x81 }]);
        self.modrm(op, Rm::Reg(reg), true);
        match short {
            Some(n) => self.raw(&n.to_le_bytes()),
            None => self.imm32(n),
        }
    }
    /// `reg <<= bits`.
    pub fn shift_left(&mut self, reg: Gpr, bits: u8) {
        self.rex(0x48, 0, Rm::Reg(reg));
        self.raw(&[0xC1]);
        self.modrm(4, Rm::Reg(reg), true);
        self.raw(&[bits]);
    }
    /// `reg >>= bits` of a signed number.
    pub fn shift_right(&mut self, reg: Gpr, bits: u8) {
        self.rex(0x48, 0, Rm::Reg(reg));
        self.raw(&[0xC1]);
        self.modrm(7, Rm::Reg(reg), true);
        self.raw(&[bits]);
    }
    pub fn push(&mut self, reg: Gpr) {
        self.rex(0x40, 0, Rm::Reg(reg));
        self.raw(&[0x50 | reg & 7]);
    }
    pub fn pop(&mut self, reg: Gpr) {
        self.rex(0x40, 0, Rm::Reg(reg));
        self.raw(&[0x58 | reg & 7]);
    }
    /// Calls a function outside, by way of `rax`.
    pub fn call(&mut self, function: usize) {
        self.constant(RAX, function as i64);
        self.raw(&[0xFF, 0xD0]);
    }
    pub fn jump_when(&mut self, when: When, label: Label) {
        self.raw(&[0x0F, when as u8]);
        self.distance(label);
    }
    pub fn jump(&mut self, label: Label) {
        self.raw(&[0xE9]);
        self.distance(label);
    }
    /// The address of a label.
    pub fn address(&mut self, reg: Gpr, label: Label) {
        self.raw(&[0x48 | (reg >> 3 & 1) << 2, 0x8D, (reg & 7) << 3 | 5]);
        self.distance(label);
    }
    /// The lowest `count` bits of `from`; the rest is zero.
    pub fn low_bits(&mut self, to: Gpr, from: Gpr, count: Gpr) {
        let op = Vop { pp: 0, map: 2, opcode: 0xF5, w_vex: 1, w_evex: 1 };
        self.vex(op, Len::L128, to, count, Rm::Reg(from));
    }
    /// `k1` from a general register.
    pub fn mask_from(&mut self, from: Gpr) {
        let op = Vop { pp: 0, map: 1, opcode: 0x92, w_vex: 0, w_evex: 0 };
        self.vex(op, Len::L128, 1, 0, Rm::Reg(from));
    }
    pub fn vex(&mut self, op: Vop, len: Len, reg: u8, second: u8, rm: Rm) {
        let (x, b) = high_bits(rm);
        let high = (!(reg >> 3) & 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | op.map;
        let low = op.w_vex << 7 | (!second & 15) << 3 | (len as u8) << 2 | op.pp;
        self.raw(&[0xC4, high, low, op.opcode]);
        self.modrm(reg, rm, true);
    }
    pub fn evex(&mut self, op: Vop, len: Len, reg: u8, second: u8, rm: Rm, mask: Mask) {
        let (x, b) = match rm {
            Rm::Reg(r) => (r >> 4 & 1, r >> 3 & 1),
            Rm::Mem(_) => high_bits(rm),
        };
        let first = (!(reg >> 3) & 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (!(reg >> 4) & 1) << 4 | op.map;
        let middle = op.w_evex << 7 | (!second & 15) << 3 | 4 | op.pp;
        let masked = match mask {
            Mask::None => 0,
            Mask::Zero => 0x81,
            Mask::Keep => 0x01,
            Mask::SecondZero => 0x82,
            Mask::SecondOnly => 0x02,
        };
        let last = masked | (len as u8) << 5 | (!(second >> 4) & 1) << 3;
        self.raw(&[0x62, first, middle, last, op.opcode]);
        self.modrm(reg, rm, false);
    }
}

/// The fourth bits of the registers of an operand: of the index, and of the register or base.
fn high_bits(rm: Rm) -> (u8, u8) {
    match rm {
        Rm::Reg(r) => (0, r >> 3 & 1),
        Rm::Mem(m) => (m.index.map_or(0, |(i, _)| i >> 3 & 1), m.base >> 3 & 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(c: &mut MachineCode, _: [Vop; 3], [m, _]: [Mem; 2]) {
        let gather = Vop { pp: 1, map: 2, opcode: 0x92, w_vex: 1, w_evex: 1 };
        c.vex(gather, Len::L256, 14, 11, Rm::Mem(Mem { index: Some((12, 3)), ..m }));
    }

    /// Bytes that a disassembler reads back as the text beside them.
    #[test]
    fn instructions_have_their_bytes() {
        let rows = |index, disp| Mem { base: RSI, index: Some((index, 3)), disp };
        let fma = Vop { pp: 1, map: 2, opcode: 0xB8, w_vex: 1, w_evex: 1 };
        let mov = Vop { pp: 1, map: 1, opcode: 0x10, w_vex: 0, w_evex: 1 };
        let add = Vop { pp: 1, map: 1, opcode: 0x58, w_vex: 0, w_evex: 1 };
        type Case = (&'static str, fn(&mut MachineCode, [Vop; 3], [Mem; 2]), &'static [u8]);
        let cases: [Case; 14] = [
            ("sar r11,32", |c, _, _| c.shift_right(11, 32), &[0x49, 0xc1, 0xfb, 0x20]),
            ("vgatherdpd ymm14,[rsi+xmm12*8],ymm11", gather, &[0xc4, 0x22, 0xa5, 0x92, 0x34, 0xe6]),
            ("shl r11,3", |c, _, _| c.shift_left(11, 3), &[0x49, 0xc1, 0xe3, 0x03]),
            (
                "vmulpd zmm30{k2}{z},zmm29,zmm28",
                |c, _, _| {
                    let multiply = Vop { pp: 1, map: 1, opcode: 0x59, w_vex: 0, w_evex: 1 };
                    c.evex(multiply, Len::L512, 30, 29, Rm::Reg(28), Mask::SecondZero);
                },
                &[0x62, 0x01, 0x95, 0xc2, 0x59, 0xf4],
            ),
            (
                "vcmpneqpd k2{k2},zmm29,zmm3",
                |c, _, _| {
                    let compare = Vop { pp: 1, map: 1, opcode: 0xC2, w_vex: 0, w_evex: 1 };
                    c.evex(compare, Len::L512, 2, 29, Rm::Reg(3), Mask::SecondOnly);
                    c.raw(&[4]);
                },
                &[0x62, 0xf1, 0x95, 0x42, 0xc2, 0xd3, 0x04],
            ),
            (
                "vfmadd231pd zmm30,zmm0,[rsi+rax*8+0x80]",
                |c, [fma, ..], [_, m]| c.evex(fma, Len::L512, 30, 0, Rm::Mem(m), Mask::None),
                &[0x62, 0x62, 0xfd, 0x48, 0xb8, 0xb4, 0xc6, 0x80, 0, 0, 0],
            ),
            (
                "vmovupd zmm31,[rsi+rax*8]",
                |c, [_, mov, _], [m, _]| c.evex(mov, Len::L512, 31, 0, Rm::Mem(m), Mask::None),
                &[0x62, 0x61, 0xfd, 0x48, 0x10, 0x3c, 0xc6],
            ),
            (
                "vmovupd zmm1{k1}{z},[rsi+rax*8]",
                |c, [_, mov, _], [m, _]| c.evex(mov, Len::L512, 1, 0, Rm::Mem(m), Mask::Zero),
                &[0x62, 0xf1, 0xfd, 0xc9, 0x10, 0x0c, 0xc6],
            ),
            (
                "vaddpd zmm30,zmm30,zmm29",
                |c, [.., add], _| c.evex(add, Len::L512, 30, 30, Rm::Reg(29), Mask::None),
                &[0x62, 0x01, 0x8d, 0x40, 0x58, 0xf5],
            ),
            (
                "vaddpd ymm9,ymm10,ymm11",
                |c, [.., add], _| c.vex(add, Len::L256, 9, 10, Rm::Reg(11)),
                &[0xc4, 0x41, 0x2d, 0x58, 0xcb],
            ),
            ("bzhi r11,r11,r10", |c, _, _| c.low_bits(11, 11, 10), &[0xc4, 0x42, 0xa8, 0xf5, 0xdb]),
            (
                "lea r10,[rax+0x20]",
                |c, _, _| c.op(LEA, 10, Rm::Mem(Mem::new(RAX, 32))),
                &[0x4c, 0x8d, 0x50, 0x20],
            ),
            ("mov rax,[r12]", |c, _, _| c.op(MOV, RAX, Rm::Mem(Mem::new(12, 0))), &[0x49, 0x8b, 0x04, 0x24]),
            ("mov rax,[r13+0x0]", |c, _, _| c.op(MOV, RAX, Rm::Mem(Mem::new(13, 0))), &[0x49, 0x8b, 0x45, 0]),
        ];
        for (text, put, bytes) in cases {
            let mut code = MachineCode::new();
            put(&mut code, [fma, mov, add], [rows(RAX, 0), rows(RAX, 128)]);
            assert_eq!(code.finish().as_deref(), Some(bytes), "{text}");
        }
    }

    #[test]
    fn jumps_reach_their_labels() {
        let mut code = MachineCode::new();
        let (back, ahead) = (code.label(), code.label());
        code.bind(back);
        code.jump_when(When::Less, ahead);
        code.jump_when(When::Less, back);
        code.bind(ahead);
        assert_eq!(
            code.finish().as_deref(),
            Some(&[0x0F, 0x8C, 6, 0, 0, 0, 0x0F, 0x8C, 0xF4, 0xFF, 0xFF, 0xFF][..])
        );
        let mut code = MachineCode::new();
        let nowhere = code.label();
        code.jump_when(When::Less, nowhere);
        assert_eq!(code.finish(), None);
    }
}
