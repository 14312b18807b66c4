//! Slots that may be empty: most vectors of slots hold elements only, and towards the end of short rows many hold none. One
//! comparison tells:
//!
//! ```text
//! if any slot is empty {
//!   if all of them are { nothing, where zero is added }
//!   else { the steps, with masks }
//! } else { the steps, without }
//! ```
//!
//! Both ways compute the same bits, so what is beside a row in its vector does not matter to it.

use super::Asm;
use super::encode::{Len, Prefix, Rm, Vec_, Vop, When};
use super::gather::index_source;
use super::registers::Full;
use super::values::{Lane, SharedValues};
use super::vectors::FmaForm;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::Expr;
use openwork_loops::wide::{WideIndex, WidePlace, WideStep, WideValue, each_value};

/// The mark whose bits are all set, so that lanes of any width have it alike.
const ALL_ONES: i64 = -1;

/// A block of which every lane tests the same slot.
struct SlotTest<'s> {
    slot: &'s WidePlace,
    /// How the slots of all copies are compared.
    len: Len,
    /// Whether nothing is left to do where every slot is empty.
    adds_zero: bool,
}

/// A product that counts where a slot does not hold the mark of emptiness.
pub(super) struct SlotProduct<'v> {
    slot: &'v WidePlace,
    mark: i64,
    factors: &'v [WideValue],
}

impl Asm<'_> {
    /// As [`Asm::block`], with a way of its own for vectors without empty slots.
    pub(super) fn block_by_slots(&mut self, steps: &[WideStep]) -> Result<(), Full> {
        let first = steps.iter().position(|s| !matches!(s, WideStep::Int(..))).unwrap_or(steps.len());
        let (indices, rest) = steps.split_at(first);
        let Some(tested) = self.find_slot_test(rest) else { return self.block(steps) };
        self.emit_scoped(|asm| {
            indices.iter().try_for_each(|s| asm.step(s))?;
            asm.both_ways(&tested, rest)
        })
    }
    fn both_ways(&mut self, tested: &SlotTest<'_>, steps: &[WideStep]) -> Result<(), Full> {
        let [some, done] = std::array::from_fn(|_| self.code.label());
        let (_, mark) = *self.marks.iter().find(|(known, _)| *known == ALL_ONES).ok_or(Full)?;
        let empty = self.registers.vector()?;
        let address = self.address(tested.slot)?;
        let elem = self.leaf.pointers[tested.slot.pointer].elem;
        let compare = if elem.size() == 8 { (2, 0x29) } else { (1, 0x76) };
        let compare = Vop { pp: 1, map: compare.0, opcode: compare.1, w_vex: 0, w_evex: 0 };
        self.code.vex(compare, tested.len, empty, mark, Rm::Mem(address.mem));
        self.release_address(address);
        let which = self.registers.general()?;
        let signs = Vop { pp: 0, map: 1, opcode: 0x50, w_vex: 0, w_evex: 0 };
        self.code.vex(signs, tested.len, which, 0, Rm::Reg(empty));
        self.registers.free_vector(empty);
        self.code.compare_constant(which, 0);
        self.code.jump_when(When::Greater, some);
        self.registers.free(which);
        self.full = true;
        let plain = self.block(steps);
        self.full = false;
        plain?;
        self.code.jump(done);
        self.code.bind(some);
        if tested.adds_zero {
            let all = if tested.len == Len::L256 { 0xFF } else { 0x0F };
            self.code.compare_constant(which, all);
            self.code.jump_when(When::NotLess, done);
        }
        self.block(steps)?;
        self.code.bind(done);
        Ok(())
    }
    /// Whether a block tests one slot in each lane, and nothing else that differs.
    fn find_slot_test<'s>(&self, steps: &'s [WideStep]) -> Option<SlotTest<'s>> {
        let plain =
            |s: &WideStep| matches!(s, WideStep::Set(..) | WideStep::Store(..) | WideStep::Reduce(..));
        if self.prefix != Prefix::Vex || self.masked.is_some() || self.full || !steps.iter().all(plain) {
            return None;
        }
        let (mut found, mut alike): (Option<&WidePlace>, bool) = (None, true);
        each_value(steps, &mut |v| {
            let here = match v {
                WideValue::Unless(slot, mark, _) => Some((slot, *mark)),
                WideValue::Gather(place) => match index_source(place) {
                    Some((slot, mark)) => mark.map(|mark| (slot, mark)),
                    None => {
                        alike &= !place.index.as_ref().is_some_and(WideIndex::tests_slots);
                        None
                    }
                },
                WideValue::Arg(_) | WideValue::Slot(_) | WideValue::Load(_) | WideValue::Call(..) => None,
            };
            if let Some((slot, mark)) = here {
                alike &= mark == ALL_ONES && **found.get_or_insert(slot) == *slot;
            }
        });
        let slot = found.filter(|_| alike)?;
        let elem = self.leaf.pointers[slot.pointer].elem;
        let lanes = self.bytes / self.leaf.elem.size();
        let len = match (elem, self.copies * lanes * elem.size()) {
            (DType::I32 | DType::I64, 16) => Len::L128,
            (DType::I32 | DType::I64, 32) => Len::L256,
            _ => return None,
        };
        Some(SlotTest { slot, len, adds_zero: steps.iter().all(|s| self.adds_zero(s)) })
    }
    /// Whether a step only adds what is zero beside empty slots.
    fn adds_zero(&self, s: &WideStep) -> bool {
        let nothing = |v: &WideValue| matches!(v, WideValue::Unless(_, _, both) if self.is_zero(&both[1]));
        match s {
            WideStep::Set(slot, WideValue::Call(Prim::Add, args)) => {
                let own = |v: &WideValue| *v == WideValue::Slot(*slot);
                own(&args[0]) && nothing(&args[1]) || own(&args[1]) && nothing(&args[0])
            }
            WideStep::Store(_, v, Some(Prim::Add)) => nothing(v),
            WideStep::Reduce(n, v) => self.leaf.reductions[*n].prim == Prim::Add && nothing(v),
            WideStep::Set(..) | WideStep::Store(..) | WideStep::Int(..) => false,
            WideStep::Loop(..) | WideStep::Across(..) | WideStep::Lanes(..) => false,
        }
    }
    fn is_zero(&self, v: &WideValue) -> bool {
        matches!(v, WideValue::Arg(n) if self.leaf.floats[*n] == Expr::Const(Scalar::zero(self.leaf.elem)))
    }
    /// The factors of a product that is added where its slot holds something, and the slot.
    pub(super) fn product_beside_slot<'v>(&self, v: &'v WideValue) -> Option<SlotProduct<'v>> {
        match v {
            WideValue::Unless(slot, mark, both) if self.is_zero(&both[1]) => match &both[0] {
                WideValue::Call(Prim::Fused, factors) => Some(SlotProduct { slot, mark: *mark, factors }),
                _ => None,
            },
            _ => None,
        }
    }
    /// `x * y + z`, rounded once, in lanes whose slots hold something; `z` in the others.
    pub(super) fn fused_beside_slot(
        &mut self,
        SlotProduct { slot, mark, factors }: SlotProduct<'_>,
        z: &WideValue,
        copy: usize,
        want: Option<Vec_>,
        shared: &SharedValues<'_>,
    ) -> Result<Lane, Full> {
        if self.full {
            return self.emit_fma(&factors[0], &factors[1], z, copy, want, shared);
        }
        let c = self.eval(z, copy, None, shared)?;
        let sum = self.registers.vector()?;
        self.copy(sum, c.reg);
        let (x, y) = match &factors[0] {
            WideValue::Load(_) => (&factors[1], &factors[0]),
            x => (x, &factors[1]),
        };
        let a = self.eval(x, copy, None, shared)?;
        let (rm, b) = self.operand(y, copy, shared)?;
        self.fma(FmaForm::Addend, sum, a.reg, rm);
        self.release_lane(a);
        b.into_iter().for_each(|b| self.release_lane(b));
        let empty = self.empty_slots(slot, mark, copy, shared)?;
        let to = self.result(want, &[Some(c)])?;
        self.choose(to.reg, sum, c.reg, empty);
        self.registers.free_vector(empty);
        self.registers.free_vector(sum);
        self.drop_others(to, &[Some(c)]);
        Ok(to)
    }
}
