//! Indices in general registers, and addresses.

use super::encode::{
    ADD, CMOVE, CMP, Gpr, IMUL, LEA, MOV, MOVSX8, MOVSX16, MOVSXD, MOVZX8, MOVZX16, Mem, Rm, SUB,
};
use super::registers::Full;
use super::{Asm, Home, SlotHome};
use openwork_algebra::{DType, Prim};
use openwork_loops::wide::{WideIndex, WidePlace};

/// A register, and whether it is the reader's to free.
#[derive(Clone, Copy)]
pub(super) struct HeldGpr {
    pub reg: Gpr,
    pub owned: bool,
}

/// An address with the registers that were taken for it.
#[derive(Clone)]
pub(super) struct RegAddress {
    pub mem: Mem,
    temps: Vec<Gpr>,
}

impl Asm<'_> {
    pub(super) fn release(&mut self, held: HeldGpr) {
        if held.owned {
            self.registers.free(held.reg);
        }
    }
    pub(super) fn release_address(&mut self, address: RegAddress) {
        address.temps.into_iter().for_each(|r| self.registers.free(r));
    }
    /// An index in a register.
    pub(super) fn index(&mut self, index: &WideIndex) -> Result<HeldGpr, Full> {
        match index {
            WideIndex::Const(n) => {
                let reg = self.registers.general()?;
                self.code.constant(reg, *n);
                Ok(HeldGpr { reg, owned: true })
            }
            WideIndex::Slot(_) | WideIndex::Arg(_) => match self.direct(index)? {
                Rm::Reg(reg) => Ok(HeldGpr { reg, owned: false }),
                mem => {
                    let reg = self.registers.general()?;
                    self.code.op(MOV, reg, mem);
                    Ok(HeldGpr { reg, owned: true })
                }
            },
            WideIndex::Load(place) => self.integer(place),
            WideIndex::Call(prim, args) => self.arithmetic(*prim, &args[0], &args[1]),
            WideIndex::Unless(index, mark) => {
                let reg = self.own_index(index)?;
                self.or_first(reg, *mark)
            }
        }
    }
    /// Where a variable or value from outside is.
    fn direct(&self, index: &WideIndex) -> Result<Rm, Full> {
        match index {
            WideIndex::Slot(s) => match &self.slots[*s] {
                Some(SlotHome::Int(home)) => Ok(home.rm()),
                Some(SlotHome::Vectors(_)) | None => Err(Full),
            },
            WideIndex::Arg(n) => Ok(self.ints[*n].rm()),
            WideIndex::Const(_) | WideIndex::Load(_) | WideIndex::Call(..) | WideIndex::Unless(..) => {
                Err(Full)
            }
        }
    }
    /// Makes a register 0 where it is the mark of an empty slot.
    pub(super) fn or_first(&mut self, reg: Gpr, mark: i64) -> Result<HeldGpr, Full> {
        match i32::try_from(mark) {
            Ok(mark) => self.code.compare_constant(reg, mark),
            Err(_) => {
                let other = self.registers.general()?;
                self.code.constant(other, mark);
                self.code.op(CMP, reg, Rm::Reg(other));
                self.registers.free(other);
            }
        }
        self.code.op(CMOVE, reg, Rm::Reg(self.none.ok_or(Full)?));
        Ok(HeldGpr { reg, owned: true })
    }
    /// An index in a register that may be changed.
    pub(super) fn own_index(&mut self, index: &WideIndex) -> Result<Gpr, Full> {
        let held = self.index(index)?;
        if held.owned {
            return Ok(held.reg);
        }
        let reg = self.registers.general()?;
        self.code.op(MOV, reg, Rm::Reg(held.reg));
        Ok(reg)
    }
    fn arithmetic(&mut self, prim: Prim, a: &WideIndex, b: &WideIndex) -> Result<HeldGpr, Full> {
        let reg = self.own_index(a)?;
        let small = if let WideIndex::Const(n) = b { i32::try_from(*n).ok() } else { None };
        let op = match prim {
            Prim::Add => Some(ADD),
            Prim::Sub => Some(SUB),
            Prim::Mul => Some(IMUL),
            // The reader of indices knows no others.
            _ => None,
        };
        match (prim, small, op) {
            (Prim::Add, Some(n), _) => self.code.add_constant(reg, n),
            (Prim::Sub, Some(n), _) if n != i32::MIN => self.code.add_constant(reg, -n),
            (Prim::Mul, Some(n), _) if n > 0 && n.count_ones() == 1 => {
                self.code.shift_left(reg, n.trailing_zeros() as u8);
            }
            (_, _, Some(op)) => {
                if let Ok(rm) = self.direct(b) {
                    self.code.op(op, reg, rm);
                } else {
                    let held = self.index(b)?;
                    self.code.op(op, reg, Rm::Reg(held.reg));
                    self.release(held);
                }
            }
            (_, _, None) => return Err(Full),
        }
        Ok(HeldGpr { reg, owned: true })
    }
    pub(super) fn integer(&mut self, place: &WidePlace) -> Result<HeldGpr, Full> {
        let address = self.address(place)?;
        let held = self.integer_at(place, address.mem)?;
        self.release_address(address);
        Ok(held)
    }
    /// The integer of a place whose address is known.
    pub(super) fn integer_at(&mut self, place: &WidePlace, mem: Mem) -> Result<HeldGpr, Full> {
        let reg = self.registers.general()?;
        match self.leaf.pointers[place.pointer].elem {
            DType::I64 | DType::U64 => self.code.op(MOV, reg, Rm::Mem(mem)),
            DType::I32 => self.code.op(MOVSXD, reg, Rm::Mem(mem)),
            DType::U32 => self.code.load_u32(reg, mem),
            DType::I16 => self.code.op(MOVSX16, reg, Rm::Mem(mem)),
            DType::U16 => self.code.op(MOVZX16, reg, Rm::Mem(mem)),
            DType::I8 => self.code.op(MOVSX8, reg, Rm::Mem(mem)),
            DType::U8 => self.code.op(MOVZX8, reg, Rm::Mem(mem)),
            DType::Bool | DType::F32 | DType::F64 | DType::C64 | DType::C128 => return Err(Full),
        }
        Ok(HeldGpr { reg, owned: true })
    }
    /// An address from outside in a register.
    pub(super) fn pointer(&mut self, number: usize) -> Result<HeldGpr, Full> {
        match self.pointers[number] {
            Home::Reg(reg) => Ok(HeldGpr { reg, owned: false }),
            stack @ Home::Stack(_) => {
                let reg = self.registers.general()?;
                self.code.op(MOV, reg, stack.rm());
                Ok(HeldGpr { reg, owned: true })
            }
        }
    }
    /// The address of a place in the present round.
    pub(super) fn address(&mut self, place: &WidePlace) -> Result<RegAddress, Full> {
        let size = self.leaf.pointers[place.pointer].elem.size();
        let scale = size.trailing_zeros() as u8;
        let mut temps = Vec::new();
        let pointer = self.pointer(place.pointer)?;
        temps.extend(pointer.owned.then_some(pointer.reg));
        let mut base = pointer.reg;
        let (index, ahead) = match &place.index {
            Some(WideIndex::Call(Prim::Add, both)) if matches!(both[1], WideIndex::Const(_)) => match both[1]
            {
                WideIndex::Const(n) => (Some(&both[0]), n),
                _ => (place.index.as_ref(), 0),
            },
            other => (other.as_ref(), 0),
        };
        let ahead = ahead.checked_add(if place.moves { self.lane as i64 } else { 0 });
        let disp = ahead.and_then(|n| n.checked_mul(size as i64)).and_then(|n| i32::try_from(n).ok());
        let disp = disp.filter(|n| n.abs() < 1 << 30).ok_or(Full)?;
        let moves = place.moves && !self.still;
        let mut scaled = if moves { Some((self.k, scale)) } else { None };
        if let Some(index) = index {
            let held = self.index(index)?;
            if moves {
                let to = match temps.first() {
                    Some(&r) => r,
                    None if held.owned => held.reg,
                    None => self.registers.general()?,
                };
                let mem = Mem { base, index: Some((held.reg, scale)), disp: 0 };
                self.code.op(LEA, to, Rm::Mem(mem));
                if held.owned && held.reg != to {
                    self.registers.free(held.reg);
                }
                if temps.is_empty() {
                    temps.push(to);
                }
                base = to;
            } else {
                scaled = Some((held.reg, scale));
                temps.extend(held.owned.then_some(held.reg));
            }
        }
        Ok(RegAddress { mem: Mem { base, index: scaled, disp }, temps })
    }
}
