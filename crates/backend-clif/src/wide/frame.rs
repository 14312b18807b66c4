//! A whole function: arguments, the loops over vectors, results.

use super::encode::{CMP, Gpr, LEA, Label, Len, MOV, MachineCode, Mem, Prefix, RSP, Rm, SUB, Vec_, When};
use super::fours::Fours;
use super::gather::index_source;
use super::registers::{Full, PASSED, PASSED_FLOATS, Registers, SAVED};
use super::{Asm, Assembled, Home, Left, SlotHome, WideParam};
use openwork_algebra::{DType, Library, Prim, Scalar};
use openwork_loops::wide::{LeafSlot, WideIndex, WideLeaf, WidePlace, WideStep, WideValue, any_value};

/// The most registers that are left to variables; the others are for arguments.
const VARIABLES: usize = 8;

/// Bytes of lanes that are taken in the table of masks, and as many of lanes that are not: two vectors.
pub(super) const MASKS: usize = 64;

/// Who gets registers.
#[derive(Clone, Copy)]
struct RegisterRoom {
    /// How many arguments.
    homes: usize,
    /// How many more than were counted single statements get, after fewer did not suffice.
    spared: usize,
}

/// How elements are taken.
#[derive(Clone, Copy)]
pub(super) struct Vectors<'l> {
    /// The bytes of a vector.
    pub bytes: usize,
    /// Vectors at a time.
    pub copies: usize,
    /// How rows are taken together.
    pub fours: Option<Fours<'l>>,
}

/// How many arguments get registers.
fn homes(leaf: &WideLeaf) -> usize {
    let indices = leaf.slots.iter().filter(|s| **s == LeafSlot::Int).count();
    // What belongs to a row of slices, and is used once in it, can be on the stack.
    let alive = match leaf.side_by_side() {
        true => count_lane_variables(leaf),
        false => indices.min(VARIABLES),
    };
    14usize.saturating_sub(temporaries(&leaf.body) + alive)
}

/// Index variables inside of lanes that are side by side.
fn count_lane_variables(leaf: &WideLeaf) -> usize {
    let lanes = leaf.body.iter().filter(|s| matches!(s, WideStep::Lanes(..)));
    lanes.map(innermost).max().unwrap_or(0)
}
fn innermost(s: &WideStep) -> usize {
    match s {
        WideStep::Lanes(_, _, body) | WideStep::Loop(_, _, _, body) => {
            1 + body.iter().map(innermost).sum::<usize>()
        }
        WideStep::Int(..) => 1,
        WideStep::Set(..) | WideStep::Store(..) | WideStep::Reduce(..) | WideStep::Across(..) => 0,
    }
}

/// The function of a leaf whose slots from `accumulators` on are those of its reductions.
pub(super) fn function(
    leaf: &WideLeaf,
    accumulators: usize,
    vectors: Vectors<'_>,
    spared: usize,
) -> Result<Assembled, Full> {
    let params = params(leaf);
    let room = RegisterRoom { homes: homes(leaf).saturating_sub(spared), spared };
    // The first time tells which registers of the caller have to be saved.
    let (_, touched) = emit(leaf, accumulators, vectors, &params, room, u16::MAX)?;
    let (bytes, _) = emit(leaf, accumulators, vectors, &params, room, touched)?;
    Ok(Assembled { bytes, params })
}

fn emit(
    leaf: &WideLeaf,
    accumulators: usize,
    Vectors { bytes, copies, fours }: Vectors<'_>,
    params: &[WideParam],
    room: RegisterRoom,
    touched: u16,
) -> Result<(Vec<u8>, u16), Full> {
    let (prefix, len) = match bytes {
        16 => (Prefix::Vex, Len::L128),
        32 => (Prefix::Vex, Len::L256),
        64 => (Prefix::Evex, Len::L512),
        _ => return Err(Full),
    };
    let nowhere = Home::Stack(0);
    let mut asm = Asm {
        leaf,
        accumulators,
        prefix,
        len,
        bytes,
        code: MachineCode::new(),
        registers: Registers::new(
            prefix,
            params.len(),
            leaf.floats.len(),
            temporaries(&leaf.body) + room.spared,
        ),
        pointers: vec![nowhere; leaf.pointers.len()],
        ints: vec![nowhere; leaf.ints.len()],
        rounds: nowhere,
        first: nowhere,
        fours,
        floats: Vec::new(),
        slots: leaf.slots.iter().map(|_| None).collect(),
        k: RSP,
        lane: 0,
        last: None,
        none: None,
        marks: Vec::new(),
        table: None,
        sign: None,
        copies,
        most: copies,
        side: false,
        abreast: None,
        still: false,
        masked: None,
        full: false,
        scattered: false,
        framed: 0,
        depth: 0,
    };
    let saved: Vec<Gpr> = SAVED.into_iter().filter(|r| touched & 1 << r != 0).collect();
    let frame = asm.enter(params, room.homes, &saved)?;
    match &leaf.rows {
        Some(rows) => asm.all_rows(rows)?,
        None => {
            asm.clear_accumulators(0..leaf.reductions.len())?;
            asm.k = asm.registers.general()?;
            asm.code.constant(asm.k, 0);
            asm.rounds(&leaf.body)?;
            asm.results()?;
        }
    }
    asm.leave(frame, &saved);
    let touched = asm.registers.touched;
    asm.code.finish().map(|bytes| (bytes, touched)).ok_or(Full)
}

impl Asm<'_> {
    /// Goes back to the kernel.
    fn leave(&mut self, frame: i32, saved: &[Gpr]) {
        self.code.raw(&[0xC5, 0xF8, 0x77]); // vzeroupper
        if frame > 0 {
            self.code.add_constant(RSP, frame);
        }
        saved.iter().rev().for_each(|r| self.code.pop(*r));
        self.code.raw(&[0xC3]);
        self.put_table();
    }
    /// Puts masks behind the code, if it reads some.
    fn put_table(&mut self) {
        if let Some(table) = self.table {
            self.code.bind(table);
            self.code.raw(&[0xFF; MASKS]);
            self.code.raw(&[0; MASKS]);
        }
    }
    /// The table of masks behind the code.
    pub(super) fn masks(&mut self) -> Label {
        *self.table.get_or_insert_with(|| self.code.label())
    }
    /// Saves registers and finds a home for every argument; the bytes of the frame.
    fn enter(&mut self, params: &[WideParam], homes: usize, saved: &[Gpr]) -> Result<i32, Full> {
        saved.iter().for_each(|r| self.code.push(*r));
        if self.leaf.calls() {
            self.registers.prefer_kept();
        }
        let indices = self.leaf.slots.iter().filter(|s| **s == LeafSlot::Int).count();
        let spilled = params.len().min(PASSED.len()).saturating_sub(homes);
        let frame = 8 * (loops(&self.leaf.body) + indices + spilled) as i32;
        if frame > 0 {
            self.code.add_constant(RSP, -frame);
        }
        let above = frame + 8 * saved.len() as i32 + 8;
        self.depth = above;
        let passed = |n: usize| Home::Stack(above + 8 * n as i32);
        for (n, param) in params.iter().enumerate() {
            let home = match PASSED.get(n) {
                Some(&r) if n < homes => Home::Reg(self.keep_argument(r)),
                Some(&r) => self.on_stack(r),
                None if n < homes => {
                    let r = self.registers.general()?;
                    self.code.op(MOV, r, passed(n - PASSED.len()).rm());
                    Home::Reg(r)
                }
                None => passed(n - PASSED.len()),
            };
            match param {
                WideParam::Rounds => self.rounds = home,
                WideParam::First => self.first = home,
                WideParam::Pointer(p) => self.pointers[*p] = home,
                WideParam::Int(i) => self.ints[*i] = home,
            }
        }
        let on_stack = params.len().saturating_sub(PASSED.len());
        for n in 0..self.leaf.floats.len() {
            let (reg, from) = match n.checked_sub(PASSED_FLOATS) {
                None => (n as Vec_, Rm::Reg(n as Vec_)),
                Some(more) => (self.registers.vector()?, passed(on_stack + more).rm()),
            };
            self.broadcast(reg, from);
            self.floats.push(reg);
        }
        if signs(&self.leaf.body) {
            let reg = self.registers.vector()?;
            let bit = if self.leaf.elem == DType::F64 { 1 << 63 } else { 1 << 31 };
            self.broadcast_bits(reg, bit)?;
            self.sign = Some(reg);
        }
        self.slots_may_be_empty()?;
        self.registers.inside = count_lane_variables(self.leaf);
        Ok(frame)
    }
    /// An argument where functions leave it, if some are called and there is room; else where it is.
    fn keep_argument(&mut self, passed: Gpr) -> Gpr {
        if !self.leaf.calls() || !self.registers.keeps() {
            return passed;
        }
        let Ok(r) = self.registers.general() else { return passed };
        self.code.op(MOV, r, Rm::Reg(passed));
        self.registers.free_lost(passed);
        r
    }
    /// What indices and masks of empty slots are made with.
    fn slots_may_be_empty(&mut self) -> Result<(), Full> {
        let indices = |v: &WideValue| match v {
            WideValue::Gather(place) => place.index.as_ref().is_some_and(WideIndex::tests_slots),
            _ => false,
        };
        if any_value(&self.leaf.body, &indices) {
            let none = self.registers.general()?;
            self.code.constant(none, 0);
            self.none = Some(none);
        }
        for mark in self.leaf.marks() {
            let reg = self.registers.vector()?;
            // Slots of several vectors are compared at once.
            let len = self.len;
            if self.prefix == Prefix::Vex {
                self.len = Len::L256;
            }
            self.broadcast_bits(reg, mark as u64)?;
            self.len = len;
            self.marks.push((mark, reg));
        }
        Ok(())
    }
    pub(super) fn clear_accumulators(
        &mut self,
        numbers: impl IntoIterator<Item = usize>,
    ) -> Result<(), Full> {
        for n in numbers {
            let bits = match self.leaf.reductions[n].identity {
                Scalar::F64(x) => x.to_bits(),
                Scalar::F32(x) => x.to_bits().into(),
                _ => return Err(Full),
            };
            let all = (0..self.copies).map(|_| self.registers.vector()).collect::<Result<Vec<_>, _>>()?;
            match bits {
                0 => all.iter().for_each(|r| self.zero(*r)),
                bits => {
                    self.broadcast_bits(all[0], bits)?;
                    all[1..].iter().for_each(|r| self.copy(*r, all[0]));
                }
            }
            self.slots[self.accumulators + n] = Some(SlotHome::Vectors(all));
        }
        Ok(())
    }
    /// All rounds: as many vectors at a time as possible, then fewer, then one with lanes left out.
    pub(super) fn rounds(&mut self, steps: &[WideStep]) -> Result<(), Full> {
        let (most, lanes) = (self.most, i32::from(self.leaf.lanes));
        // A single loop over what is left is short; a nest has every number of vectors, as its inner loops are long.
        let widths: Vec<usize> = match self.leaf.is_nested() {
            true => std::iter::successors(Some(most), |n| Some(n / 2)).take_while(|n| *n > 0).collect(),
            false if most > 1 => vec![most, 1],
            false => vec![1],
        };
        for (n, &copies) in widths.iter().enumerate() {
            self.copies = copies;
            let ahead = lanes * copies as i32;
            let (head, next) = (self.code.label(), self.code.label());
            self.reaches(ahead)?;
            self.code.jump_when(When::Greater, next);
            self.code.bind(head);
            self.block_by_slots(steps)?;
            self.code.add_constant(self.k, ahead);
            // After twice as many vectors, there is one round of these at most.
            if n == 0 || widths[n - 1] != 2 * copies {
                self.reaches(ahead)?;
                self.code.jump_when(When::NotGreater, head);
            }
            self.code.bind(next);
        }
        self.copies = 1;
        if self.leaf.reductions.is_empty() && !self.leaf.calls() {
            return self.narrower();
        }
        let done = self.code.label();
        self.code.op(CMP, self.k, self.rounds.rm());
        self.code.jump_when(When::NotLess, done);
        self.leave_out()?;
        self.block(steps)?;
        self.take_all();
        self.code.bind(done);
        Ok(())
    }
    /// What is left by halves of vectors and by single elements. Where lanes are masked, a store holds up the loads from
    /// what follows, as those of the next row: multiplying by 2 or 4 columns took twice as long. Accumulators would lose
    /// their upper halves here.
    fn narrower(&mut self) -> Result<(), Full> {
        while self.len != Len::L128 {
            self.len = if self.len == Len::L512 { Len::L256 } else { Len::L128 };
            self.bytes /= 2;
            let ahead = (self.bytes / self.leaf.elem.size()) as i32;
            let next = self.code.label();
            self.reaches(ahead)?;
            self.code.jump_when(When::Greater, next);
            self.block(&self.leaf.body)?;
            self.code.add_constant(self.k, ahead);
            self.code.bind(next);
        }
        self.masked = Some(Left::Single);
        let (head, done) = (self.code.label(), self.code.label());
        self.code.op(CMP, self.k, self.rounds.rm());
        self.code.jump_when(When::NotLess, done);
        self.code.bind(head);
        self.block(&self.leaf.body)?;
        self.code.add_constant(self.k, 1);
        self.code.op(CMP, self.k, self.rounds.rm());
        self.code.jump_when(When::Less, head);
        self.code.bind(done);
        Ok(())
    }
    /// Compares the round that is `ahead` with the number of rounds.
    pub(super) fn reaches(&mut self, ahead: i32) -> Result<(), Full> {
        let r = self.registers.general()?;
        self.code.op(LEA, r, Rm::Mem(Mem::new(self.k, ahead)));
        self.code.op(CMP, r, self.rounds.rm());
        self.registers.free(r);
        Ok(())
    }
    /// Makes the mask of the lanes that are left; VEX takes it from a table behind the code.
    pub(super) fn leave_out(&mut self) -> Result<(), Full> {
        let rest = self.registers.general()?;
        let other = self.registers.general()?;
        match self.prefix {
            Prefix::Evex => {
                self.code.op(MOV, rest, self.rounds.rm());
                self.code.op(SUB, rest, Rm::Reg(self.k));
                self.code.constant(other, -1);
                self.code.low_bits(other, other, rest);
                self.code.mask_from(other);
                self.masked = Some(Left::K1);
            }
            Prefix::Vex => {
                let table = self.masks();
                self.code.op(MOV, rest, Rm::Reg(self.k));
                self.code.op(SUB, rest, self.rounds.rm());
                self.code.address(other, table);
                let scale = self.leaf.elem.size().trailing_zeros() as u8;
                let at = Mem { base: other, index: Some((rest, scale)), disp: MASKS as i32 };
                let mask = self.registers.vector()?;
                self.load(mask, at);
                self.masked = Some(Left::By(mask));
            }
        }
        self.registers.free(rest);
        self.registers.free(other);
        Ok(())
    }
    /// No lane is left out any more.
    pub(super) fn take_all(&mut self) {
        if let Some(Left::By(mask) | Left::Read(mask)) = self.masked.take() {
            self.registers.free_vector(mask);
        }
    }
    /// Combines the accumulators of a reduction; the register that has the result in its first lane.
    pub(super) fn combine_accumulators(&mut self, n: usize) -> Result<Vec_, Full> {
        let prim = self.leaf.reductions[n].prim;
        let Some(SlotHome::Vectors(all)) = self.slots[self.accumulators + n].take() else {
            return Err(Full);
        };
        self.combine(n, &all)?;
        // In the order of four rows together.
        if self.fours.is_some() && prim == Prim::Add {
            self.add_neighbours(all[0])?;
        } else {
            self.fold(prim, all[0])?;
        }
        Ok(all[0])
    }
    /// Combines all copies of a reduction in the first of these registers; the others are free then.
    pub(super) fn combine(&mut self, n: usize, all: &[Vec_]) -> Result<(), Full> {
        let prim = self.leaf.reductions[n].prim;
        let mut left = all.len();
        while left > 1 {
            left /= 2;
            for m in 0..left {
                self.two(prim, self.len, all[m], all[m], all[m + left])?;
            }
        }
        all[1..].iter().for_each(|r| self.registers.free_vector(*r));
        Ok(())
    }
    /// Puts what reductions come to where the caller takes it.
    fn results(&mut self) -> Result<(), Full> {
        let all = 0..self.leaf.reductions.len();
        let ready = all.map(|n| self.combine_accumulators(n)).collect::<Result<Vec<_>, _>>()?;
        self.hand_back(&ready)
    }
    pub(super) fn hand_back(&mut self, ready: &[Vec_]) -> Result<(), Full> {
        // Accumulators come from the other end of the registers.
        if ready.iter().any(|r| usize::from(*r) < ready.len()) {
            return Err(Full);
        }
        ready.iter().enumerate().for_each(|(n, r)| self.move_low(n as Vec_, *r));
        Ok(())
    }
}

fn loops(steps: &[WideStep]) -> usize {
    let inside = |s: &WideStep| match s {
        WideStep::Loop(_, _, _, body) | WideStep::Across(_, _, body, _) => 1 + loops(body),
        WideStep::Lanes(_, _, body) => loops(body),
        WideStep::Int(..) | WideStep::Set(..) | WideStep::Store(..) | WideStep::Reduce(..) => 0,
    };
    steps.iter().map(inside).sum()
}

/// General registers that the statement with the most addresses needs.
fn temporaries(steps: &[WideStep]) -> usize {
    // The lane, its index, and what an index is computed from.
    let lanes = |v: &WideValue| match v
        .has_part(&|v| matches!(v, WideValue::Gather(place) if index_source(place).is_none()))
    {
        true => 3,
        false => 2 * v.has_part(&|v| matches!(v, WideValue::Gather(_))) as usize,
    };
    let one = |s: &WideStep| match s {
        WideStep::Set(_, v) | WideStep::Store(_, v, _) | WideStep::Reduce(_, v) => {
            2 + addresses(v) + lanes(v)
        }
        WideStep::Loop(_, _, _, body) => temporaries(body),
        // Where it is, its end, and the last round.
        WideStep::Across(_, _, body, _) => 3 + temporaries(body),
        // What adds up has its register already.
        WideStep::Lanes(_, _, body) => temporaries(body) - 3,
        WideStep::Int(..) => 0,
    };
    steps.iter().map(one).max().unwrap_or(0).max(3)
}

/// Registers for the addresses of a value, each place counted once.
fn addresses(v: &WideValue) -> usize {
    let mut places: Vec<&WidePlace> = Vec::new();
    v.visit(&mut |v| {
        let place = match v {
            WideValue::Load(place) | WideValue::Unless(place, ..) => Some(place),
            WideValue::Gather(place) => index_source(place).map(|(slot, _)| slot),
            WideValue::Arg(_) | WideValue::Slot(_) | WideValue::Call(..) => None,
        };
        places.extend(place.filter(|p| p.index.is_some() && !places.contains(p)));
    });
    places.len()
}

fn signs(steps: &[WideStep]) -> bool {
    let of = |p: &Prim| matches!(p, Prim::Neg | Prim::Abs | Prim::Library(Library::Copysign | Library::Sign));
    any_value(steps, &|v| matches!(v, WideValue::Call(p, _) if of(p)))
}

/// The integer arguments, those first that are needed most: they get registers.
fn params(leaf: &WideLeaf) -> Vec<WideParam> {
    let mut uses = Uses { pointers: vec![0; leaf.pointers.len()], ints: vec![0; leaf.ints.len()] };
    uses.steps(&leaf.body, 4);
    let mut all: Vec<(u64, WideParam)> = vec![(1, WideParam::Rounds)];
    all.extend(leaf.rows.iter().map(|_| (0, WideParam::First)));
    all.extend(uses.pointers.into_iter().enumerate().map(|(n, w)| (w, WideParam::Pointer(n))));
    all.extend(uses.ints.into_iter().enumerate().map(|(n, w)| (w, WideParam::Int(n))));
    all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    all.into_iter().map(|(_, p)| p).collect()
}

/// How often arguments are used, a use in a loop counting more.
struct Uses {
    pointers: Vec<u64>,
    ints: Vec<u64>,
}

impl Uses {
    fn steps(&mut self, steps: &[WideStep], weight: u64) {
        for s in steps {
            match s {
                WideStep::Int(_, i) => self.index(i, weight),
                WideStep::Set(_, v) | WideStep::Reduce(_, v) => self.value(v, weight),
                WideStep::Store(p, v, _) => {
                    self.place(p, weight);
                    self.value(v, weight);
                }
                WideStep::Loop(_, lo, hi, body) | WideStep::Across(lo, hi, body, _) => {
                    self.index(lo, weight);
                    self.index(hi, weight);
                    self.steps(body, weight.saturating_mul(16));
                }
                WideStep::Lanes(guard, _, body) => {
                    guard.iter().flat_map(|both| both.iter()).for_each(|i| self.index(i, weight));
                    self.steps(body, weight);
                }
            }
        }
    }
    fn index(&mut self, i: &WideIndex, weight: u64) {
        match i {
            WideIndex::Arg(n) => self.ints[*n] += weight,
            WideIndex::Load(p) => self.place(p, weight),
            WideIndex::Call(_, both) => both.iter().for_each(|i| self.index(i, weight)),
            WideIndex::Unless(i, _) => self.index(i, weight),
            WideIndex::Const(_) | WideIndex::Slot(_) => {}
        }
    }
    fn place(&mut self, p: &WidePlace, weight: u64) {
        self.pointers[p.pointer] += weight;
        if let Some(i) = &p.index {
            self.index(i, weight);
        }
    }
    fn value(&mut self, v: &WideValue, weight: u64) {
        match v {
            WideValue::Load(p) | WideValue::Gather(p) => self.place(p, weight),
            WideValue::Call(_, args) => args.iter().for_each(|a| self.value(a, weight)),
            WideValue::Unless(p, _, both) => {
                self.place(p, weight);
                both.iter().for_each(|v| self.value(v, weight));
            }
            WideValue::Arg(_) | WideValue::Slot(_) => {}
        }
    }
}
