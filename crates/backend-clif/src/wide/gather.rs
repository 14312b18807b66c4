//! Vectors of elements that lie apart, put together one by one. The instruction that gathers takes 1.1 to 1.6 times as long
//! where this was measured (AMD, AVX2), as long as elements are in a cache; where they are not, it waits for more of them at a
//! time, and takes 0.6 to 0.8 (rows of [four](super::fours)). Nobody has measured it elsewhere.

use super::encode::{CMOVG, CMP, LEA, MOV, MOVSXD, Mem, Rm, Vec_, Vop};
use super::registers::Full;
use super::values::{Lane, SharedValues};
use super::{Asm, Left, encode::Len};
use openwork_algebra::DType;
use openwork_loops::wide::{WideIndex, WidePlace};

/// A lane of a vector that an element is put into.
#[derive(Clone, Copy)]
struct VectorLane {
    vector: Vec_,
    lane: u8,
}

impl Asm<'_> {
    /// The elements of one copy. Lanes that are left out have the last element that there is.
    pub(super) fn gather(
        &mut self,
        place: &WidePlace,
        copy: usize,
        want: Option<Vec_>,
        shared: &SharedValues<'_>,
    ) -> Result<Lane, Full> {
        let each = self.bytes / self.leaf.elem.size();
        let lanes = if self.masked == Some(Left::Single) { 1 } else { each };
        let pairs = lanes == each && self.last.is_none() && self.lists_pairs(place);
        if let (Some((slot, _)), true) = (index_source(place), pairs && self.scattered) {
            let list = shared.place(slot)?.mem.plus((4 * copy * each) as i32);
            return self.gather_scattered(place, list, want);
        }
        let to = self.target(want)?;
        let upper = if self.len == Len::L256 { Some(self.registers.vector()?) } else { None };
        let in_half = 16 / self.leaf.elem.size();
        for lane in 0..lanes {
            let half = if lane < in_half { to.reg } else { upper.ok_or(Full)? };
            let to = VectorLane { vector: half, lane: (lane % in_half) as u8 };
            match index_source(place).filter(|_| self.last.is_none()) {
                Some((slot, _)) if pairs => {
                    if lane % 2 == 0 {
                        let mem = shared.place(slot)?.mem;
                        self.gather_pair(place, mem.plus(4 * (copy * each + lane) as i32), to)?;
                    }
                }
                Some((slot, mark)) => {
                    let mem = shared.place(slot)?.mem;
                    self.gather_listed(place, slot, mark, mem, copy * each + lane, to)?;
                }
                None => self.gather_one(place, copy * each + lane, to)?,
            }
        }
        if let Some(upper) = upper {
            self.insert_half(to.reg, upper);
            self.registers.free_vector(upper);
        }
        Ok(to)
    }
    /// One element, so many rounds after the first lane.
    fn gather_one(&mut self, place: &WidePlace, ahead: usize, to: VectorLane) -> Result<(), Full> {
        let k = self.k;
        let clamped = match self.last {
            Some(last) if ahead > 0 => {
                let r = self.registers.general()?;
                self.code.op(LEA, r, Rm::Mem(Mem::new(k, ahead as i32)));
                self.code.op(CMP, r, Rm::Reg(last));
                self.code.op(CMOVG, r, Rm::Reg(last));
                self.k = r;
                Some(r)
            }
            Some(_) | None => {
                self.lane = ahead;
                None
            }
        };
        let address = self.address(place)?;
        self.put_one(to, address.mem);
        self.release_address(address);
        if let Some(r) = clamped {
            self.registers.free(r);
        }
        (self.k, self.lane) = (k, 0);
        Ok(())
    }
    /// Whether two indices of a list are read at once: a gather is as fast as its loads.
    fn lists_pairs(&self, place: &WidePlace) -> bool {
        let integers = |slot: &WidePlace| self.leaf.pointers[slot.pointer].elem;
        index_source(place)
            .is_some_and(|(slot, mark)| (mark.is_none() || self.full) && integers(slot) == DType::I32)
    }
    /// Two elements, from a lane on, whose indices are side by side in a list.
    fn gather_pair(&mut self, place: &WidePlace, list: Mem, to: VectorLane) -> Result<(), Full> {
        let (both, first) = (self.registers.general()?, self.registers.general()?);
        self.code.op(MOV, both, Rm::Mem(list));
        self.code.op(MOVSXD, first, Rm::Reg(both));
        self.code.shift_right(both, 32);
        let base = self.pointer(place.pointer)?;
        let scale = self.leaf.elem.size().trailing_zeros() as u8;
        for (n, index) in [first, both].into_iter().enumerate() {
            let to = VectorLane { lane: to.lane + n as u8, ..to };
            self.put_one(to, Mem { base: base.reg, index: Some((index, scale)), disp: 0 });
            self.registers.free(index);
        }
        self.release(base);
        Ok(())
    }
    /// All elements by the machine's own instruction.
    fn gather_scattered(&mut self, place: &WidePlace, list: Mem, want: Option<Vec_>) -> Result<Lane, Full> {
        let (index, mask) = (self.registers.vector()?, self.registers.vector()?);
        let to = self.target(want)?;
        let unaligned = Vop { pp: 2, map: 1, opcode: 0x6F, w_vex: 0, w_evex: 0 };
        self.code.vex(unaligned, Len::L128, index, 0, Rm::Mem(list));
        let equal = Vop { pp: 1, map: 1, opcode: 0x76, w_vex: 0, w_evex: 0 };
        self.code.vex(equal, self.len, mask, mask, Rm::Reg(mask));
        self.zero(to.reg);
        let base = self.pointer(place.pointer)?;
        let size = self.leaf.elem.size();
        let gather = Vop { pp: 1, map: 2, opcode: 0x92, w_vex: (size == 8) as u8, w_evex: 0 };
        let from = Mem { base: base.reg, index: Some((index, size.trailing_zeros() as u8)), disp: 0 };
        self.code.vex(gather, self.len, to.reg, mask, Rm::Mem(from));
        self.release(base);
        self.registers.free_vector(index);
        self.registers.free_vector(mask);
        Ok(to)
    }
    fn put_one(&mut self, to: VectorLane, from: Mem) {
        match to.lane {
            0 => self.load_one(to.vector, from),
            lane => self.insert_one(to.vector, lane, from),
        }
    }
    /// One element whose index is in a list that the rounds go along: `list` is the address of the first lane's.
    fn gather_listed(
        &mut self,
        place: &WidePlace,
        slot: &WidePlace,
        mark: Option<i64>,
        list: Mem,
        ahead: usize,
        to: VectorLane,
    ) -> Result<(), Full> {
        let size = self.leaf.pointers[slot.pointer].elem.size();
        let mut index = self.integer_at(slot, list.plus((ahead * size) as i32))?;
        if let Some(mark) = mark.filter(|_| !self.full) {
            index = self.or_first(index.reg, mark)?;
        }
        let base = self.pointer(place.pointer)?;
        let scale = self.leaf.elem.size().trailing_zeros() as u8;
        self.put_one(to, Mem { base: base.reg, index: Some((index.reg, scale)), disp: 0 });
        self.release(index);
        self.release(base);
        Ok(())
    }
    /// The lanes whose slots hold the mark of emptiness.
    pub(super) fn empty_slots(
        &mut self,
        slot: &WidePlace,
        mark: i64,
        copy: usize,
        shared: &SharedValues<'_>,
    ) -> Result<Vec_, Full> {
        let elem = self.leaf.pointers[slot.pointer].elem;
        let ahead = copy * (self.bytes / self.leaf.elem.size()) * elem.size();
        let mem = shared.place(slot)?.mem.plus(ahead as i32);
        let to = self.registers.vector()?;
        if self.masked == Some(Left::Single) {
            let index = self.integer_at(slot, mem)?;
            self.put_general(to, index.reg);
            self.release(index);
        } else {
            self.load_integers(to, elem, mem)?;
        }
        let (_, mark) = *self.marks.iter().find(|(known, _)| *known == mark).ok_or(Full)?;
        self.same_integers(to, to, mark);
        Ok(to)
    }
}

/// The place that an index is read from as it is, where that moves with the rounds, and the mark of an empty slot there.
pub(super) fn index_source(place: &WidePlace) -> Option<(&WidePlace, Option<i64>)> {
    let (index, mark) = match place.index.as_ref()? {
        WideIndex::Unless(index, mark) => (&**index, Some(*mark)),
        index => (index, None),
    };
    match index {
        WideIndex::Load(slot) if slot.moves && !slot.index.as_ref().is_some_and(WideIndex::moves) => {
            Some((slot, mark))
        }
        _ => None,
    }
}
