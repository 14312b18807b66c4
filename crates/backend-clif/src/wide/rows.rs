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

use super::encode::{CMP, Gpr, LEA, MOV, Mem, Rm, Vec_, When};
use super::registers::Full;
use super::{Asm, Home, Left, SlotHome};
use openwork_algebra::Prim;
use openwork_loops::wide::{Index, Join, Leaf, Place, Rows, Slot, Step, Value};

impl Asm<'_> {
    /// The loop over rows, and what it hands back.
    pub(super) fn all_rows(&mut self, rows: &Rows) -> Result<(), Full> {
        for carried in &rows.carried {
            self.home(carried.slot)?;
            let (to, from) = (self.scalar_home(carried.slot)?, self.floats[carried.first]);
            self.copy(to, from);
        }
        let row = self.registers.general()?;
        self.code.op(MOV, row, self.first.rm());
        self.slots[rows.slot] = Some(SlotHome::Int(Home::Reg(row)));
        let head = self.code.label();
        self.code.bind(head);
        self.block(&self.leaf.body)?;
        self.code.add_constant(row, 1);
        self.code.op(CMP, row, self.rounds.rm());
        self.code.jump_when(When::Less, head);
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
    pub(super) fn across(
        &mut self,
        lo: &Index,
        hi: &Index,
        body: &[Step],
        joins: &[Join],
    ) -> Result<(), Full> {
        let outside = (self.k, self.rounds, self.framed);
        self.k = self.own_index(lo)?;
        let (end, taken) = self.end_of_row(hi)?;
        self.rounds = end;
        self.copies = self.most;
        self.clear_accumulators(joins.iter().map(|join| join.number))?;
        match self.leaf.gathers() {
            true => self.gathered(body)?,
            false => self.rounds(body)?,
        }
        self.registers.free(self.k);
        if let Some(end) = taken {
            self.registers.free(end);
        }
        self.copies = 1;
        (self.k, self.rounds, self.framed) = outside;
        for join in joins {
            let sum = self.combined(join.number)?;
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
        }
        Ok(())
    }
    /// Where the end of a loop is, and the register that was taken for it.
    fn end_of_row(&mut self, hi: &Index) -> Result<(Home, Option<Gpr>), Full> {
        match hi {
            Index::Arg(n) => return Ok((self.ints[*n], None)),
            Index::Slot(n) => {
                if let Some(SlotHome::Int(home)) = &self.slots[*n] {
                    return Ok((*home, None));
                }
            }
            Index::Const(_) | Index::Load(_) | Index::Call(..) | Index::Unless(..) => {}
        }
        let reg = self.own_index(hi)?;
        match self.registers.few() {
            true => Ok((self.on_stack(reg), None)),
            false => Ok((Home::Reg(reg), Some(reg))),
        }
    }
    /// All rounds, with vectors whose elements are gathered.
    fn gathered(&mut self, body: &[Step]) -> Result<(), Full> {
        let lanes = i32::from(self.leaf.lanes);
        let [head, tail, done] = std::array::from_fn(|_| self.code.label());
        self.code.op(CMP, self.k, self.rounds.rm());
        self.code.jump_when(When::NotLess, done);
        self.reaches(lanes)?;
        self.code.jump_when(When::NotLess, tail);
        self.code.bind(head);
        self.block(body)?;
        self.code.add_constant(self.k, lanes);
        self.reaches(lanes)?;
        self.code.jump_when(When::Less, head);
        self.code.bind(tail);
        let last = self.registers.general()?;
        match self.rounds {
            Home::Reg(end) => self.code.op(LEA, last, Rm::Mem(Mem::at(end, -1))),
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
    /// Stores a scalar.
    pub(super) fn store_one(
        &mut self,
        place: &Place,
        value: &Value,
        reduce: Option<Prim>,
    ) -> Result<(), Full> {
        let combined;
        let value = match reduce {
            None => value,
            Some(prim) => {
                combined = Value::Call(prim, vec![Value::Load(place.clone()), value.clone()]);
                &combined
            }
        };
        let lane = self.uniform(value)?;
        let to = self.address(place)?;
        self.masked = Some(Left::Single);
        self.store(to.mem, lane.reg);
        self.masked = None;
        self.release_address(to);
        self.release_lane(lane);
        Ok(())
    }
}

/// Whether a vector reads a scalar of the row, which then has to be in every lane.
fn in_every_lane(leaf: &Leaf) -> bool {
    let scalar = |v: &Value| matches!(v, Value::Slot(s) if leaf.slots[*s] == Slot::Uniform);
    let across =
        leaf.body.iter().filter_map(|s| if let Step::Across(_, _, body, _) = s { Some(body) } else { None });
    across.flatten().any(|s| match s {
        Step::Set(_, v) | Step::Reduce(_, v) => v.any(&scalar),
        Step::Int(..) | Step::Store(..) | Step::Loop(..) | Step::Across(..) | Step::Lanes(..) => false,
    })
}
