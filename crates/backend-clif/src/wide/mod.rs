//! `wide` loops as functions of their own, with vectors of 256 or 512 bits: Cranelift has none that wide.
//!
//! A [`WideLeaf`] becomes one function that the kernel calls with addresses, a number of rounds and scalars, and that hands back
//! what its reductions add up to. It is assembled in one walk, without an intermediate form:
//!
//! ```text
//! k = 0
//! while k + 16 * lanes <= rounds { 16 vectors at a time; k += 16 * lanes }
//! if    k +  8 * lanes <= rounds {  8 vectors; … }          down to one
//! if    k < rounds               { halves of a vector, and single elements; or one vector of which some lanes are left
//!                                  out, where accumulators need the whole of it }
//! fold the accumulators; vzeroupper; return
//! ```
//!
//! Every variable has a register for each copy, indices have general registers, and what does not fit there stays on the
//! stack. Where registers run out, fewer copies are tried; where that does not help, the loop runs as a serial one.
//!
//! | file | holds |
//! |---|---|
//! | `machine` | which vectors there are |
//! | `encode` | instructions as bytes |
//! | `registers` | which are free, and the calling convention |
//! | `vectors`, `values` | instructions on vectors; values of a leaf |
//! | `index` | indices and addresses |
//! | `frame` | what surrounds the body |
//! | `rows` | loops over rows: what is around vectors that add up |
//! | `fours` | four rows at a time |
//! | `side` | rows of a slice, and elements of a row of a block, side by side in lanes |
//! | `slots` | vectors of which no slot is empty, or every one |
//! | `gather` | vectors of elements that lie apart |
//! | `functions` | functions of the library: instructions, and calls for whole vectors |
//! | `library` | where these are: the platform's library of them |
//! | `call` | the call from the kernel |

mod call;
mod encode;
mod fours;
mod frame;
mod functions;
mod gather;
mod index;
mod library;
mod machine;
mod registers;
mod rows;
mod side;
mod slots;
mod values;
mod vectors;

pub(crate) use call::Outlined;
pub(crate) use machine::widest;

use encode::{CMP, Gpr, Len, MachineCode, Mem, Prefix, Rm, STORE, Vec_, When};
use fours::Fours;
use openwork_loops::wide::{LeafSlot, WideIndex, WideLeaf, WideStep, WideValue};
use registers::{Full, Registers};
use values::SharedValues;

/// An assembled leaf.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub bytes: Vec<u8>,
    /// Its integer arguments in order; the floats follow in the order of the leaf.
    pub params: Vec<WideParam>,
}

/// An integer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideParam {
    /// How many rounds there are; of a loop over rows, the end of its variable.
    Rounds,
    /// The first value of the variable of a loop over rows.
    First,
    /// The address with this number.
    Pointer(usize),
    /// The `i64` with this number.
    Int(usize),
}

/// Where an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Reg(Gpr),
    /// So many bytes above the stack pointer.
    Stack(i32),
}

impl Home {
    fn rm(self) -> Rm {
        match self {
            Home::Reg(r) => Rm::Reg(r),
            Home::Stack(disp) => Rm::Mem(Mem::new(encode::RSP, disp)),
        }
    }
}

/// Where a variable of the leaf is.
enum SlotHome {
    Int(Home),
    /// One register for each copy, or one for all.
    Vectors(Vec<Vec_>),
}

/// How lanes that are not there are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// By the mask in `k1`.
    K1,
    /// By the mask in this register.
    By(Vec_),
    /// By the mask in this register; memory is read as if they were there.
    Read(Vec_),
    /// All but the first.
    Single,
}

/// The state of one assembly.
struct Asm<'l> {
    leaf: &'l WideLeaf,
    /// The number of the first accumulator among the slots.
    accumulators: usize,
    prefix: Prefix,
    len: Len,
    /// Bytes of a vector.
    bytes: usize,
    code: MachineCode,
    registers: Registers,
    pointers: Vec<Home>,
    ints: Vec<Home>,
    rounds: Home,
    /// The first row.
    first: Home,
    /// How rows are taken together.
    fours: Option<Fours<'l>>,
    floats: Vec<Vec_>,
    slots: Vec<Option<SlotHome>>,
    /// The round of the first lane.
    k: Gpr,
    /// How many rounds the lane that is gathered is after `k`.
    lane: usize,
    /// The last round there is, while lanes are left out of what is gathered.
    last: Option<Gpr>,
    /// A zero, for indices of empty slots.
    none: Option<Gpr>,
    /// The marks of empty slots, in every lane.
    marks: Vec<(i64, Vec_)>,
    /// Where masks are, behind the code.
    table: Option<encode::Label>,
    /// The sign bit in every lane.
    sign: Option<Vec_>,
    /// Vectors taken at a time at present.
    copies: usize,
    /// … and at most.
    most: usize,
    /// Whether the lanes of a row are side by side at present.
    side: bool,
    /// The variable of rows of which four are side by side in lanes at present.
    abreast: Option<usize>,
    /// Whether they are taken in one round, so that `k` is 0 and needs no register.
    still: bool,
    /// How lanes are left out, while they are.
    masked: Option<Left>,
    /// Whether it is known that no slot is empty.
    full: bool,
    /// Whether what is gathered is likely to be in no cache.
    scattered: bool,
    /// Bytes of the frame that are taken.
    framed: i32,
    /// Bytes from the stack pointer to where the caller's was.
    depth: i32,
}

/// Assembles a leaf for vectors of `bytes`, if registers suffice.
pub(crate) fn assemble(leaf: &WideLeaf, bytes: usize) -> Option<Assembled> {
    let (most, bytes) = match (&leaf.rows, leaf.is_nested()) {
        // What is gathered waits for memory, not for sums.
        (Some(_), _) if leaf.side_by_side() => (2, usize::from(leaf.lanes) * leaf.elem.size()),
        (Some(_), _) if leaf.gathers() => (1, usize::from(leaf.lanes) * leaf.elem.size()),
        (Some(_), _) => (4, usize::from(leaf.lanes) * leaf.elem.size()),
        // More copies of what is gathered have no registers.
        (None, _) if leaf.gathers() => (2, usize::from(leaf.lanes) * leaf.elem.size()),
        // A function takes longer than anything that other copies could hide.
        (None, _) if leaf.calls() => (1, bytes),
        (None, true) => (16, bytes),
        (None, false) => (4, bytes),
    };
    let mut extended = leaf.clone();
    extended.slots.extend(leaf.reductions.iter().map(|_| LeafSlot::Varying));
    let mut copies = most;
    while copies > 0 {
        for (spared, fours) in [(0, true), (0, false), (2, false), (5, false)] {
            let fours = if fours { Fours::from_leaf(&extended) } else { None };
            let vectors = frame::Vectors { bytes, copies, fours };
            if let Ok(done) = frame::function(&extended, leaf.slots.len(), vectors, spared) {
                return Some(done);
            }
        }
        copies /= 2;
    }
    None
}

impl Asm<'_> {
    /// The steps of a block; its variables end with it.
    fn block(&mut self, steps: &[WideStep]) -> Result<(), Full> {
        self.emit_scoped(|asm| steps.iter().try_for_each(|s| asm.step(s)))
    }
    /// Emits something whose variables end with it.
    fn emit_scoped(&mut self, emit: impl FnOnce(&mut Self) -> Result<(), Full>) -> Result<(), Full> {
        let before: Vec<bool> = self.slots.iter().map(Option::is_some).collect();
        let framed = self.framed;
        emit(self)?;
        for (slot, was) in before.into_iter().enumerate() {
            if !was {
                self.end(slot);
            }
        }
        self.framed = framed;
        Ok(())
    }
    fn end(&mut self, slot: usize) {
        match self.slots[slot].take() {
            Some(SlotHome::Int(Home::Reg(r))) => self.registers.free(r),
            Some(SlotHome::Int(Home::Stack(_))) => {}
            Some(SlotHome::Vectors(all)) => all.into_iter().for_each(|r| self.registers.free_vector(r)),
            None => {}
        }
    }
    fn step(&mut self, s: &WideStep) -> Result<(), Full> {
        match s {
            WideStep::Int(slot, index) => {
                let reg = self.own_index(index)?;
                let home = match self.registers.few() {
                    false => Home::Reg(reg),
                    true => self.on_stack(reg),
                };
                self.slots[*slot] = Some(SlotHome::Int(home));
                Ok(())
            }
            WideStep::Set(slot, value) => self.set(*slot, value),
            WideStep::Store(place, value, reduce) if self.leaf.rows.is_some() && !self.side => {
                self.store_one(place, value, *reduce)
            }
            WideStep::Store(place, value, Some(prim)) if !place.moves => self.add_lanes(place, value, *prim),
            WideStep::Store(place, value, reduce) => {
                let combined;
                let value = match reduce {
                    None => value,
                    Some(prim) => {
                        combined =
                            WideValue::Call(*prim, vec![WideValue::Load(place.clone()), value.clone()]);
                        &combined
                    }
                };
                let mut shared = SharedValues::default();
                self.share(value, &mut shared)?;
                let to = self.address(place)?;
                for copy in 0..self.copies {
                    let lane = self.eval(value, copy, None, &shared)?;
                    self.store(to.mem.plus((copy * self.bytes) as i32), lane.reg);
                    self.release_lane(lane);
                }
                self.release_address(to);
                self.unshare(shared);
                Ok(())
            }
            WideStep::Reduce(number, value) => {
                let slot = self.accumulators + number;
                let prim = self.leaf.reductions[*number].prim;
                let joined = WideValue::Call(prim, vec![WideValue::Slot(slot), value.clone()]);
                self.set(slot, &joined)
            }
            WideStep::Loop(slot, lo, hi, body) => self.inner_loop(*slot, lo, hi, body),
            WideStep::Across(lo, hi, body, joins) => self.emit_row_loop(lo, hi, body, joins),
            WideStep::Lanes(guard, rounds, body) => self.lanes(guard.as_deref(), rounds.end, body),
        }
    }
    fn set(&mut self, slot: usize, value: &WideValue) -> Result<(), Full> {
        let mut shared = SharedValues::default();
        let uniform = self.leaf.slots[slot] == LeafSlot::Uniform;
        if !uniform {
            self.share(value, &mut shared)?;
        }
        self.home(slot)?;
        let Some(SlotHome::Vectors(homes)) = &self.slots[slot] else { return Err(Full) };
        for (copy, to) in homes.clone().into_iter().enumerate().take(self.copies) {
            // Lanes that are left out of a sum must keep what they have.
            let want = (slot < self.accumulators || self.masked.is_none()).then_some(to);
            let lane = if uniform { self.uniform(value)? } else { self.eval(value, copy, want, &shared)? };
            if lane.reg != to {
                match want {
                    Some(_) => self.copy(to, lane.reg),
                    None => self.merge(to, lane.reg),
                }
            }
            self.release_lane(lane);
        }
        self.unshare(shared);
        Ok(())
    }
    fn inner_loop(
        &mut self,
        slot: usize,
        lo: &WideIndex,
        hi: &WideIndex,
        body: &[WideStep],
    ) -> Result<(), Full> {
        let var = self.own_index(lo)?;
        let before = self.framed;
        let end = self.bound(hi)?;
        let (head, done) = (self.code.label(), self.code.label());
        self.compare(var, end);
        self.code.jump_when(When::NotLess, done);
        self.code.bind(head);
        self.slots[slot] = Some(SlotHome::Int(Home::Reg(var)));
        self.block_by_slots(body)?;
        self.code.add_constant(var, 1);
        self.compare(var, end);
        self.code.jump_when(When::Less, head);
        self.code.bind(done);
        self.framed = before;
        self.end(slot);
        Ok(())
    }
    /// The end of a loop where a comparison can read it, without a register of its own.
    fn bound(&mut self, hi: &WideIndex) -> Result<LoopBound, Full> {
        match hi {
            WideIndex::Const(n) => i32::try_from(*n).map(LoopBound::Const).map_err(|_| Full),
            WideIndex::Arg(n) => Ok(LoopBound::At(self.ints[*n])),
            WideIndex::Slot(n) => match &self.slots[*n] {
                Some(SlotHome::Int(home)) => Ok(LoopBound::At(*home)),
                Some(SlotHome::Vectors(_)) | None => Err(Full),
            },
            WideIndex::Load(_) | WideIndex::Call(..) | WideIndex::Unless(..) => {
                let reg = self.own_index(hi)?;
                Ok(LoopBound::At(self.on_stack(reg)))
            }
        }
    }
    /// Puts a register on the stack, until the end of the block.
    fn on_stack(&mut self, reg: Gpr) -> Home {
        let home = Home::Stack(self.framed);
        self.framed += 8;
        self.code.op(STORE, reg, home.rm());
        self.registers.free(reg);
        home
    }
    fn compare(&mut self, var: Gpr, end: LoopBound) {
        match end {
            LoopBound::Const(n) => self.code.compare_constant(var, n),
            LoopBound::At(home) => self.code.op(CMP, var, home.rm()),
        }
    }
}

/// The end of a loop.
#[derive(Clone, Copy)]
enum LoopBound {
    Const(i32),
    At(Home),
}
