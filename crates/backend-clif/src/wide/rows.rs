//! Loops over rows: vectors that add up, and scalars around them, which are kept in the first lanes of vectors.
//!
//! ```text
//! i = first
//! do {
//!   k = lo; end = hi; accumulators = identities
//!   if k < end {
//!     while k + lanes < end { a vector; k += lanes }
//!     a vector of which some lanes are left out
//!   }
//!   the sum joins its variable
//!   i += 1
//! } while i < rounds
//! ```
//!
//! Where elements are gathered, the last vector has from one to all lanes, so that the one branch of a short row is
//! always taken alike.

use super::encode::{CMP, Gpr, LEA, MOV, Mem, Rm, SUB, Vec_, When};
use super::frame::MASKS;
use super::registers::Full;
use super::{Asm, Home, Left, SlotHome};
use openwork_algebra::Prim;
use openwork_loops::wide::{
    LeafSlot, RowJoin, WideIndex, WideLeaf, WidePlace, WideRows, WideStep, WideValue,
};

/// What is in memory behind the last round of a loop in a row.
#[derive(Clone, Copy)]
pub(super) enum Behind {
    /// Perhaps nothing.
    Nothing,
    /// What can be read by as many vectors that begin before it. The table of masks is at the address in a register.
    Vectors(usize, Gpr),
}

impl Asm<'_> {
    /// The loop over rows, and what it hands back.
    pub(super) fn all_rows(&mut self, rows: &WideRows) -> Result<(), Full> {
        for carried in &rows.carried {
            self.home(carried.slot)?;
            let (to, from) = (self.scalar_home(carried.slot)?, self.floats[carried.first]);
            self.copy(to, from);
        }
        let row = self.registers.general()?;
        self.code.op(MOV, row, self.first.rm());
        self.slots[rows.slot] = Some(SlotHome::Int(Home::Reg(row)));
        let [head, done] = std::array::from_fn(|_| self.code.label());
        if let Some(fours) = self.fours {
            self.by_fours(&fours, row)?;
            self.code.op(CMP, row, self.rounds.rm());
            self.code.jump_when(When::NotLess, done);
        }
        self.code.bind(head);
        self.block(&self.leaf.body)?;
        self.code.add_constant(row, 1);
        self.code.op(CMP, row, self.rounds.rm());
        self.code.jump_when(When::Less, head);
        self.code.bind(done);
        let carried = rows.carried.iter().map(|c| self.scalar_home(c.slot));
        let ready = carried.collect::<Result<Vec<_>, _>>()?;
        self.hand_back(&ready)
    }
    fn scalar_home(&self, slot: usize) -> Result<Vec_, Full> {
        match &self.slots[slot] {
            Some(SlotHome::Vectors(all)) => Ok(all[0]),
            Some(SlotHome::Int(_)) | None => Err(Full),
        }
    }
    /// A loop inside of a row; what it adds up joins variables of the row.
    pub(super) fn emit_row_loop(
        &mut self,
        lo: &WideIndex,
        hi: &WideIndex,
        body: &[WideStep],
        joins: &[RowJoin],
    ) -> Result<(), Full> {
        let framed = self.framed;
        let k = self.own_index(lo)?;
        let (end, taken) = self.end_of_row(hi)?;
        self.accumulate(k, end, body, joins, Behind::Nothing)?;
        if let Some(end) = taken {
            self.registers.free(end);
        }
        self.framed = framed;
        for join in joins {
            let sum = self.combine_accumulators(join.number)?;
            self.join(join, sum)?;
        }
        Ok(())
    }
    /// The rounds of a loop inside of a row, from the one in a register on, which is given up; what they add up is left in
    /// accumulators.
    pub(super) fn accumulate(
        &mut self,
        first: Gpr,
        end: Home,
        body: &[WideStep],
        joins: &[RowJoin],
        behind: Behind,
    ) -> Result<(), Full> {
        let outside = (self.k, self.rounds);
        (self.k, self.rounds) = (first, end);
        self.copies = 1;
        self.clear_accumulators(joins.iter().map(|join| join.number))?;
        match (behind, self.leaf.gathers()) {
            (Behind::Vectors(last, masks), _) => self.gathered_on(body, last, masks)?,
            (Behind::Nothing, true) => self.emit_gathers(body)?,
            (Behind::Nothing, false) => self.neighbours(body, joins)?,
        }
        self.registers.free(self.k);
        (self.k, self.rounds) = outside;
        Ok(())
    }
    /// A sum, in the first lane, joins its variable.
    pub(super) fn join(&mut self, join: &RowJoin, sum: Vec_) -> Result<(), Full> {
        if join.first {
            self.slots[join.slot] = Some(SlotHome::Vectors(vec![sum]));
        } else {
            let to = self.scalar_home(join.slot)?;
            self.two(self.leaf.reductions[join.number].prim, self.len, to, to, sum)?;
            self.registers.free_vector(sum);
        }
        if in_every_lane(self.leaf) {
            let to = self.scalar_home(join.slot)?;
            self.broadcast(to, Rm::Reg(to));
        }
        Ok(())
    }
    /// Where the end of a loop is, and the register that was taken for it.
    fn end_of_row(&mut self, hi: &WideIndex) -> Result<(Home, Option<Gpr>), Full> {
        match hi {
            WideIndex::Arg(n) => return Ok((self.ints[*n], None)),
            WideIndex::Slot(n) => {
                if let Some(SlotHome::Int(home)) = &self.slots[*n] {
                    return Ok((*home, None));
                }
            }
            WideIndex::Const(_) | WideIndex::Load(_) | WideIndex::Call(..) | WideIndex::Unless(..) => {}
        }
        let reg = self.own_index(hi)?;
        match self.registers.few() {
            true => Ok((self.on_stack(reg), None)),
            false => Ok((Home::Reg(reg), Some(reg))),
        }
    }
    /// All rounds, with vectors whose elements are side by side. Only where several of them fill there are several accumulators,
    /// which become one again: most rows are shorter, and to combine four maxima took half of the time of five elements.
    fn neighbours(&mut self, body: &[WideStep], joins: &[RowJoin]) -> Result<(), Full> {
        let (most, next) = (self.most, self.code.label());
        if most > 1 {
            let ahead = i32::from(self.leaf.lanes) * most as i32;
            self.reaches(ahead)?;
            self.code.jump_when(When::Greater, next);
            for join in joins {
                let first = self.copies_of(join)?[0];
                for _ in 1..most {
                    let more = self.registers.vector()?;
                    self.copy(more, first);
                    self.copies_of(join)?.push(more);
                }
            }
            self.copies = most;
            let head = self.code.label();
            self.code.bind(head);
            self.block_by_slots(body)?;
            self.code.add_constant(self.k, ahead);
            self.reaches(ahead)?;
            self.code.jump_when(When::NotGreater, head);
            for join in joins {
                let sums = std::mem::take(self.copies_of(join)?);
                self.combine(join.number, &sums)?;
                self.copies_of(join)?.push(sums[0]);
            }
            self.copies = 1;
            self.code.bind(next);
        }
        self.most = 1;
        let done = self.rounds(body);
        self.most = most;
        done
    }
    /// The accumulators of a reduction, one for each copy.
    fn copies_of(&mut self, join: &RowJoin) -> Result<&mut Vec<Vec_>, Full> {
        match &mut self.slots[self.accumulators + join.number] {
            Some(SlotHome::Vectors(all)) => Ok(all),
            Some(SlotHome::Int(_)) | None => Err(Full),
        }
    }
    /// All rounds, with vectors whose elements are gathered.
    fn emit_gathers(&mut self, body: &[WideStep]) -> Result<(), Full> {
        let done = self.code.label();
        self.code.op(CMP, self.k, self.rounds.rm());
        self.code.jump_when(When::NotLess, done);
        self.whole_vectors(body, 1)?;
        let last = self.registers.general()?;
        match self.rounds {
            Home::Reg(end) => self.code.op(LEA, last, Rm::Mem(Mem::new(end, -1))),
            stack @ Home::Stack(_) => {
                self.code.op(MOV, last, stack.rm());
                self.code.add_constant(last, -1);
            }
        }
        self.last = Some(last);
        self.leave_out()?;
        self.block(body)?;
        self.take_all();
        self.last = None;
        self.registers.free(last);
        self.code.bind(done);
        Ok(())
    }
    /// The same where memory behind the last round may be read: as many last vectors may have no lane that counts, so that
    /// nothing branches on whether they have some.
    fn gathered_on(&mut self, body: &[WideStep], last: usize, masks: Gpr) -> Result<(), Full> {
        self.whole_vectors(body, last)?;
        let done = self.code.label();
        let rest = self.registers.general()?;
        self.code.op(MOV, rest, Rm::Reg(self.k));
        self.code.op(SUB, rest, self.rounds.rm());
        // A loop may begin behind its end.
        self.code.jump_when(When::Greater, done);
        let scale = self.leaf.elem.size().trailing_zeros() as u8;
        for n in 0..last {
            if n > 0 {
                self.code.add_constant(self.k, i32::from(self.leaf.lanes));
            }
            let mask = self.registers.vector()?;
            self.load(
                mask,
                Mem { base: masks, index: Some((rest, scale)), disp: (MASKS + n * self.bytes) as i32 },
            );
            self.masked = Some(Left::Read(mask));
            self.block(body)?;
            self.take_all();
        }
        self.registers.free(rest);
        self.code.bind(done);
        Ok(())
    }
    /// The vectors in front of the last ones.
    fn whole_vectors(&mut self, body: &[WideStep], last: usize) -> Result<(), Full> {
        let lanes = i32::from(self.leaf.lanes);
        let [head, tail] = std::array::from_fn(|_| self.code.label());
        self.reaches(lanes * last as i32)?;
        self.code.jump_when(When::NotLess, tail);
        self.code.bind(head);
        self.block(body)?;
        self.code.add_constant(self.k, lanes);
        self.reaches(lanes * last as i32)?;
        self.code.jump_when(When::Less, head);
        self.code.bind(tail);
        Ok(())
    }
    /// Stores a scalar.
    pub(super) fn store_one(
        &mut self,
        place: &WidePlace,
        value: &WideValue,
        reduce: Option<Prim>,
    ) -> Result<(), Full> {
        let combined;
        let value = match reduce {
            None => value,
            Some(prim) => {
                combined = WideValue::Call(prim, vec![WideValue::Load(place.clone()), value.clone()]);
                &combined
            }
        };
        let lane = self.uniform(value)?;
        let to = self.address(place)?;
        self.masked = if self.abreast.is_some() { None } else { Some(Left::Single) };
        self.store(to.mem, lane.reg);
        self.masked = None;
        self.release_address(to);
        self.release_lane(lane);
        Ok(())
    }
}

/// Whether a vector reads a scalar of the row, which then has to be in every lane.
fn in_every_lane(leaf: &WideLeaf) -> bool {
    let scalar = |v: &WideValue| matches!(v, WideValue::Slot(s) if leaf.slots[*s] == LeafSlot::Uniform);
    let across = leaf
        .body
        .iter()
        .filter_map(|s| if let WideStep::Across(_, _, body, _) = s { Some(body) } else { None });
    across.flatten().any(|s| match s {
        WideStep::Set(_, v) | WideStep::Reduce(_, v) => v.has_part(&scalar),
        WideStep::Int(..)
        | WideStep::Store(..)
        | WideStep::Loop(..)
        | WideStep::Across(..)
        | WideStep::Lanes(..) => false,
    })
}
