//! Values in vector registers, one copy after the other.

use super::encode::{Rm, Vec_};
use super::index::RegAddress;
use super::registers::Full;
use super::vectors::FmaForm;
use super::{Asm, Left, SlotHome};
use openwork_algebra::Prim;
use openwork_loops::wide::{LeafSlot, WideIndex, WidePlace, WideValue};

/// A vector register, and whether it is the reader's to free.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub reg: Vec_,
    pub owned: bool,
}

/// What all copies of a statement share.
#[derive(Default)]
pub(super) struct SharedValues<'v> {
    values: Vec<(&'v WideValue, Lane)>,
    places: Vec<(&'v WidePlace, RegAddress)>,
}

impl<'v> SharedValues<'v> {
    fn value(&self, v: &WideValue) -> Option<Lane> {
        let found = self.values.iter().find(|(known, _)| std::ptr::eq(*known, v));
        found.map(|(_, lane)| Lane { owned: false, ..*lane })
    }
    pub(super) fn place(&self, p: &WidePlace) -> Result<&RegAddress, Full> {
        self.places.iter().find(|(known, _)| *known == p).map(|(_, a)| a).ok_or(Full)
    }
}

impl Asm<'_> {
    /// Computes what is the same in every copy: addresses, and values that are the same in every lane.
    pub(super) fn share<'v>(&mut self, v: &'v WideValue, shared: &mut SharedValues<'v>) -> Result<(), Full> {
        match v {
            WideValue::Arg(_) | WideValue::Slot(_) => {}
            WideValue::Gather(place) => {
                if let Some((slot, _)) = super::gather::index_source(place) {
                    self.share_place(slot, shared)?;
                }
            }
            v if self.leaf.uniform(v) => {
                let lane = self.uniform(v)?;
                shared.values.push((v, lane));
            }
            WideValue::Load(place) => self.share_place(place, shared)?,
            WideValue::Call(_, args) => args.iter().try_for_each(|a| self.share(a, shared))?,
            WideValue::Unless(slot, _, both) => {
                self.share_place(slot, shared)?;
                both.iter().try_for_each(|v| self.share(v, shared))?;
            }
        }
        Ok(())
    }
    fn share_place<'v>(&mut self, place: &'v WidePlace, shared: &mut SharedValues<'v>) -> Result<(), Full> {
        if shared.place(place).is_err() {
            let address = self.address(place)?;
            shared.places.push((place, address));
        }
        Ok(())
    }
    pub(super) fn unshare(&mut self, shared: SharedValues<'_>) {
        for (_, lane) in shared.values {
            self.release_lane(lane);
        }
        for (_, address) in shared.places {
            self.release_address(address);
        }
    }
    pub(super) fn release_lane(&mut self, lane: Lane) {
        if lane.owned {
            self.registers.free_vector(lane.reg);
        }
    }
    /// A value that is the same in every lane, or of a row in every lane; rounded after each operation, as scalars are.
    pub(super) fn uniform(&mut self, v: &WideValue) -> Result<Lane, Full> {
        match v {
            WideValue::Arg(_) | WideValue::Slot(_) => self.read_value(v, 0),
            WideValue::Load(place) => {
                let address = self.address(place)?;
                let reg = self.registers.vector()?;
                match self.abreast {
                    Some(row) if place.index == Some(WideIndex::Slot(row)) => self.load(reg, address.mem),
                    _ => self.broadcast(reg, Rm::Mem(address.mem)),
                }
                self.release_address(address);
                Ok(Lane { reg, owned: true })
            }
            WideValue::Call(prim, args) => {
                let args = args.iter().map(|a| self.uniform(a)).collect::<Result<Vec<_>, _>>()?;
                self.apply(*prim, &args, None)
            }
            WideValue::Gather(_) | WideValue::Unless(..) => Err(Full),
        }
    }
    /// A value from outside or a variable.
    fn read_value(&self, v: &WideValue, copy: usize) -> Result<Lane, Full> {
        let reg = match v {
            WideValue::Arg(n) => self.floats[*n],
            WideValue::Slot(s) => match &self.slots[*s] {
                Some(SlotHome::Vectors(all)) => all[if all.len() == 1 { 0 } else { copy }],
                Some(SlotHome::Int(_)) | None => return Err(Full),
            },
            WideValue::Load(_) | WideValue::Gather(_) | WideValue::Call(..) | WideValue::Unless(..) => {
                return Err(Full);
            }
        };
        Ok(Lane { reg, owned: false })
    }
    /// The value in one copy. `want` is where it would best be; nothing reads that register after the last instruction.
    pub(super) fn eval(
        &mut self,
        v: &WideValue,
        copy: usize,
        want: Option<Vec_>,
        shared: &SharedValues<'_>,
    ) -> Result<Lane, Full> {
        if let Some(lane) = shared.value(v) {
            return Ok(lane);
        }
        match v {
            WideValue::Arg(_) | WideValue::Slot(_) => self.read_value(v, copy),
            WideValue::Load(place) => {
                let mem = self.mem(place, copy, shared)?;
                let lane = self.target(want)?;
                self.load(lane.reg, mem);
                Ok(lane)
            }
            WideValue::Gather(place) => self.gather(place, copy, want, shared),
            WideValue::Unless(_, _, both) if self.full => self.eval(&both[0], copy, want, shared),
            WideValue::Unless(slot, mark, both) => {
                let value = self.eval(&both[0], copy, None, shared)?;
                let other = self.eval(&both[1], copy, None, shared)?;
                let empty = self.empty_slots(slot, *mark, copy, shared)?;
                let to = self.result(want, &[Some(value)])?;
                self.choose(to.reg, value.reg, other.reg, empty);
                self.registers.free_vector(empty);
                self.drop_others(to, &[Some(value), Some(other)]);
                Ok(to)
            }
            WideValue::Call(Prim::Add, args) => {
                for (product, rest) in [(0, 1), (1, 0)] {
                    if let Some(beside) = self.product_beside_slot(&args[product]) {
                        return self.fused_beside_slot(beside, &args[rest], copy, want, shared);
                    }
                    if let WideValue::Call(Prim::Fused, factors) = &args[product] {
                        return self.emit_fma(&factors[0], &factors[1], &args[rest], copy, want, shared);
                    }
                }
                self.binary(Prim::Add, &args[0], &args[1], copy, want, shared)
            }
            WideValue::Call(prim, args) => match &args[..] {
                [x, y] => self.binary(*prim, x, y, copy, want, shared),
                [x] => {
                    let x = self.eval(x, copy, None, shared)?;
                    self.apply(*prim, &[x], want)
                }
                _ => Err(Full),
            },
        }
    }
    pub(super) fn target(&mut self, want: Option<Vec_>) -> Result<Lane, Full> {
        match want {
            Some(reg) => Ok(Lane { reg, owned: false }),
            None => Ok(Lane { reg: self.registers.vector()?, owned: true }),
        }
    }
    pub(super) fn mem(
        &self,
        place: &WidePlace,
        copy: usize,
        shared: &SharedValues<'_>,
    ) -> Result<super::encode::Mem, Full> {
        Ok(shared.place(place)?.mem.plus((copy * self.bytes) as i32))
    }
    /// A value as the last operand of an instruction: from memory, if it is there and no lane is left out.
    pub(super) fn operand(
        &mut self,
        v: &WideValue,
        copy: usize,
        shared: &SharedValues<'_>,
    ) -> Result<(Rm, Option<Lane>), Full> {
        if let WideValue::Load(place) = v
            && shared.value(v).is_none()
            && matches!(self.masked, None | Some(Left::Read(_)))
        {
            return Ok((Rm::Mem(self.mem(place, copy, shared)?), None));
        }
        let lane = self.eval(v, copy, None, shared)?;
        Ok((Rm::Reg(lane.reg), Some(lane)))
    }
    fn binary(
        &mut self,
        prim: Prim,
        x: &WideValue,
        y: &WideValue,
        copy: usize,
        want: Option<Vec_>,
        shared: &SharedValues<'_>,
    ) -> Result<Lane, Full> {
        let a = self.eval(x, copy, None, shared)?;
        let Some(op) = self.single(prim) else {
            let b = self.eval(y, copy, None, shared)?;
            return self.apply(prim, &[a, b], want);
        };
        let (rm, b) = self.operand(y, copy, shared)?;
        let to = self.result(want, &[Some(a), b])?;
        self.put(op, to.reg, a.reg, rm);
        self.drop_others(to, &[Some(a), b]);
        Ok(to)
    }
    /// Where to put a result: where it is wanted, or in a register that is given up for it.
    pub(super) fn result(&mut self, want: Option<Vec_>, args: &[Option<Lane>]) -> Result<Lane, Full> {
        match args.iter().flatten().find(|a| a.owned) {
            Some(lane) if want.is_none() => Ok(*lane),
            _ => self.target(want),
        }
    }
    pub(super) fn drop_others(&mut self, kept: Lane, args: &[Option<Lane>]) {
        for lane in args.iter().flatten().filter(|a| a.reg != kept.reg) {
            self.release_lane(*lane);
        }
    }
    /// A primitive on registers, which it frees.
    fn apply(&mut self, prim: Prim, args: &[Lane], want: Option<Vec_>) -> Result<Lane, Full> {
        let all: Vec<Option<Lane>> = args.iter().map(|a| Some(*a)).collect();
        let to = self.result(want, &all)?;
        match (prim, args) {
            (Prim::Library(f), args) => self.function(f, to.reg, args)?,
            (Prim::Neg, [x]) => self.bits_xor(to.reg, x.reg, self.sign.ok_or(Full)?),
            (Prim::Abs, [x]) => self.bits_and_not(to.reg, self.sign.ok_or(Full)?, x.reg),
            (_, [x, y]) => self.two(prim, self.len, to.reg, x.reg, y.reg)?,
            (_, _) => return Err(Full),
        }
        self.drop_others(to, &all);
        Ok(to)
    }
    /// `x * y + z`, rounded once.
    pub(super) fn emit_fma(
        &mut self,
        x: &WideValue,
        y: &WideValue,
        z: &WideValue,
        copy: usize,
        want: Option<Vec_>,
        shared: &SharedValues<'_>,
    ) -> Result<Lane, Full> {
        let c = self.eval(z, copy, None, shared)?;
        // The operand in memory comes last.
        let (x, y) = if matches!(x, WideValue::Load(_)) { (y, x) } else { (x, y) };
        let a = self.eval(x, copy, None, shared)?;
        if c.owned || want == Some(c.reg) {
            let (rm, b) = self.operand(y, copy, shared)?;
            self.fma(FmaForm::Addend, c.reg, a.reg, rm);
            self.drop_others(c, &[Some(a), b]);
            return Ok(c);
        }
        if a.owned {
            let (rm, b) = self.operand(y, copy, shared)?;
            self.fma(FmaForm::Factor, a.reg, c.reg, rm);
            self.drop_others(a, &[b]);
            return Ok(a);
        }
        let (rm, b) = self.operand(y, copy, shared)?;
        let to = Lane { reg: self.registers.vector()?, owned: true };
        self.copy(to.reg, c.reg);
        self.fma(FmaForm::Addend, to.reg, a.reg, rm);
        self.drop_others(to, &[b]);
        Ok(to)
    }
    /// Registers for a variable.
    pub(super) fn home(&mut self, slot: usize) -> Result<(), Full> {
        if self.slots[slot].is_none() {
            let count = if self.leaf.slots[slot] == LeafSlot::Varying { self.copies } else { 1 };
            let all = (0..count).map(|_| self.registers.vector()).collect::<Result<_, _>>()?;
            self.slots[slot] = Some(SlotHome::Vectors(all));
        }
        Ok(())
    }
}
