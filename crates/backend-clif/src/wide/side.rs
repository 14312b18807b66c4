//! Lanes side by side: the rows of a slice, whose sums stay in vectors while its columns pass, and the elements of a row
//! of a block, which are added at its end.
//!
//! ```text
//! if a < b {
//!   k = 0
//!   do { a vector or two; k += lanes } while k < rounds
//!   a vector of which some lanes are left out
//! }
//! ```

use super::encode::{CMP, Mem, Rm, Vec_, When};
use super::frame::MASKS;
use super::registers::Full;
use super::values::SharedValues;
use super::{Asm, Left};
use openwork_algebra::Prim;
use openwork_loops::wide::{WideIndex, WidePlace, WideStep, WideValue};

impl Asm<'_> {
    /// The steps for `0..rounds`, if the first index of a guard is less than the second one.
    pub(super) fn lanes(
        &mut self,
        guard: Option<&[WideIndex; 2]>,
        rounds: i64,
        body: &[WideStep],
    ) -> Result<(), Full> {
        let done = self.code.label();
        if let Some([a, b]) = guard {
            let (a, b) = (self.index(a)?, self.index(b)?);
            self.code.op(CMP, a.reg, Rm::Reg(b.reg));
            self.release(a);
            self.release(b);
            self.code.jump_when(When::NotLess, done);
        }
        let lanes = i64::from(self.leaf.lanes);
        let (vectors, left) = (rounds / lanes, rounds % lanes);
        let outside = self.k;
        self.copies = if vectors % self.most as i64 == 0 { self.most } else { 1 };
        self.still = vectors == 0 || (left == 0 && vectors == self.copies as i64);
        if !self.still {
            self.k = self.registers.general()?;
            self.code.constant(self.k, 0);
        }
        self.side = true;
        let alive = std::mem::take(&mut self.registers.inside);
        let ahead = lanes * self.copies as i64;
        if vectors > 0 {
            let head = self.code.label();
            self.code.bind(head);
            self.block(body)?;
            if ahead < rounds {
                self.code.add_constant(self.k, ahead as i32);
            }
            if ahead < rounds - left {
                self.code.compare_constant(self.k, (rounds - left) as i32);
                self.code.jump_when(When::Less, head);
            }
        }
        if left > 0 {
            self.copies = 1;
            let mask = self.mask_of(left as usize)?;
            self.masked = Some(Left::By(mask));
            self.block(body)?;
            self.take_all();
        }
        if !self.still {
            self.registers.free(self.k);
        }
        (self.k, self.copies, self.side, self.still) = (outside, 1, false, false);
        self.registers.inside = alive;
        self.code.bind(done);
        Ok(())
    }
    /// A mask of so many lanes, from the table behind the code.
    fn mask_of(&mut self, lanes: usize) -> Result<u8, Full> {
        let table = self.masks();
        let at = self.registers.general()?;
        self.code.address(at, table);
        let mask = self.registers.vector()?;
        self.load(mask, Mem::new(at, (MASKS - lanes * self.leaf.elem.size()) as i32));
        self.registers.free(at);
        Ok(mask)
    }
    /// Makes lanes of a sum zero that are left out, whatever was computed there.
    fn forget_masked(&mut self, prim: Prim, sum: Vec_) -> Result<(), Full> {
        match self.masked {
            None => {}
            // Nothing else is added up across lanes.
            Some(Left::By(mask) | Left::Read(mask)) if prim == Prim::Add => self.bits_and(sum, sum, mask),
            Some(Left::By(_) | Left::Read(_) | Left::K1 | Left::Single) => return Err(Full),
        }
        Ok(())
    }
    /// Adds all lanes of a value to an element.
    pub(super) fn add_lanes(&mut self, place: &WidePlace, value: &WideValue, prim: Prim) -> Result<(), Full> {
        let mut shared = SharedValues::default();
        self.share(value, &mut shared)?;
        let sum = self.registers.vector()?;
        for copy in 0..self.copies {
            let lane = self.eval(value, copy, None, &shared)?;
            match copy {
                0 => self.copy(sum, lane.reg),
                _ => self.two(prim, self.len, sum, sum, lane.reg)?,
            }
            self.release_lane(lane);
        }
        self.unshare(shared);
        self.forget_masked(prim, sum)?;
        self.fold(prim, sum)?;
        let to = self.address(place)?;
        let masked = self.masked.replace(Left::Single);
        let old = self.registers.vector()?;
        self.load(old, to.mem);
        self.two(prim, self.len, old, old, sum)?;
        self.store(to.mem, old);
        self.masked = masked;
        self.registers.free_vector(old);
        self.registers.free_vector(sum);
        self.release_address(to);
        Ok(())
    }
}
