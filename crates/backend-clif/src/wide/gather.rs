//! Vectors of elements that lie apart, put together one by one. The instruction that gathers takes 1.1 to 1.6 times as long
//! where this was measured (AMD, AVX2), and nobody has measured it elsewhere.

use super::encode::{CMOVG, CMP, LEA, Mem, Rm, Vec_};
use super::registers::Full;
use super::values::Lane;
use super::{Asm, encode::Len};
use openwork_loops::wide::Place;

impl Asm<'_> {
    /// The elements of one copy. Lanes that are left out have the last element that there is.
    pub(super) fn gather(&mut self, place: &Place, copy: usize, want: Option<Vec_>) -> Result<Lane, Full> {
        let lanes = usize::from(self.leaf.lanes);
        let to = self.target(want)?;
        let upper = if self.len == Len::L256 { Some(self.registers.vector()?) } else { None };
        let in_half = 16 / self.leaf.elem.size();
        for lane in 0..lanes {
            let half = if lane < in_half { to.reg } else { upper.ok_or(Full)? };
            self.gather_one(place, copy * lanes + lane, half, (lane % in_half) as u8)?;
        }
        if let Some(upper) = upper {
            self.insert_half(to.reg, upper);
            self.registers.free_vector(upper);
        }
        Ok(to)
    }
    /// One element, so many rounds after the first lane.
    fn gather_one(&mut self, place: &Place, ahead: usize, to: Vec_, lane: u8) -> Result<(), Full> {
        let k = self.k;
        let clamped = match self.last {
            Some(last) if ahead > 0 => {
                let r = self.registers.general()?;
                self.code.op(LEA, r, Rm::Mem(Mem::at(k, ahead as i32)));
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
        match lane {
            0 => self.load_one(to, address.mem),
            lane => self.insert_one(to, lane, address.mem),
        }
        self.release_address(address);
        if let Some(r) = clamped {
            self.registers.free(r);
        }
        (self.k, self.lane) = (k, 0);
        Ok(())
    }
}
