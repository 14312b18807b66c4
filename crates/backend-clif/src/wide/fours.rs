//! Rows four at a time, where each is a few elements that are gathered: what comes after the elements of one row is elements of
//! the next, so that the last vector of a row may read on, and the sums of four rows are folded together.
//!
//! ```text
//! limit = pos[rounds] - 2 * lanes
//! while i + 4 <= rounds {
//!   k = pos[i]
//!   for end in pos[i + 1..i + 5] {
//!     one by one from here on, if end > limit
//!     while k + lanes < end { a vector; k += lanes }
//!     a vector, of which the lanes before `end` are taken
//!     k = end
//!   }
//!   four sums in one vector
//!   i += 4
//! }
//! ```
//!
//! Nothing outside of the rows is read, whatever is in `pos`: a row begins where the one before it ends, so that every number
//! from the end of one row to the end of the last one is that of an element of a row between them.
//!
//! What is done with the sums is done in lanes, where each row reads and stores at its own place. Where neighbouring rows gather
//! from places far apart, nothing is in a cache, and the machine's own instruction gathers.
//!
//! Rows of 5 to 8 elements on average may have one vector or two, and nobody can foresee which: these have two last ones, of
//! which one may be empty.
//!
//! Beside rows that are taken one by one, those of 3 elements take 0.6 of the time, of 5 0.7, of 2 to 8 in no order 0.5, of
//! 16 and more 0.8; half of this is [pairs of indices](super::gather).

use super::encode::{ADD, CMP, Gpr, IMUL, LEA, Label, MOV, Mem, Rm, SUB, Vec_, When};
use super::gather::index_source;
use super::registers::Full;
use super::rows::Behind;
use super::{Asm, Home, SlotHome};
use openwork_algebra::{DType, Prim};
use openwork_loops::wide::{
    LeafSlot, RowJoin, WideIndex, WideLeaf, WidePlace, WideStep, WideValue, each_value,
};

/// Rows that are taken together.
const ROWS: usize = 4;
/// Elements that lie farther apart than so many are not in a first-level cache with what is between them.
const FAR: i32 = 1 << 13;
/// How many pairs of elements tell whether they do: half of them have to.
const SAMPLES: i32 = 4;
/// About how many rows are taken in one call ([`poll`](openwork_loops::poll) has as many between two looks); there have to be as
/// many elements.
const STRIP: i32 = 256;
/// The most vectors that are read behind the end of a row.
const LAST: usize = 2;

/// A loop over rows of which four are taken together.
#[derive(Clone, Copy)]
pub(super) struct Fours<'l> {
    /// The variable of the rows.
    row: usize,
    /// What a row does before its loop: variables get values.
    before: &'l [WideStep],
    /// Its loop.
    body: &'l [WideStep],
    joins: &'l [RowJoin],
    /// What it does afterwards.
    after: &'l [WideStep],
    /// Where a row begins; the next one begins where it ends.
    begin: &'l WidePlace,
}

impl<'l> Fours<'l> {
    pub(super) fn from_leaf(leaf: &'l WideLeaf) -> Option<Fours<'l>> {
        let row = leaf.rows.as_ref()?.slot;
        let across = leaf.body.iter().position(|s| matches!(s, WideStep::Across(..)))?;
        let (before, rest) = leaf.body.split_at(across);
        let [WideStep::Across(lo, hi, body, joins), after @ ..] = rest else { return None };
        let plain = |s: &WideStep| match s {
            WideStep::Int(..) | WideStep::Set(..) => true,
            WideStep::Store(..)
            | WideStep::Reduce(..)
            | WideStep::Loop(..)
            | WideStep::Across(..)
            | WideStep::Lanes(..) => false,
        };
        let stores = |s: &WideStep| plain(s) || matches!(s, WideStep::Store(..));
        if leaf.lanes != 4 || leaf.calls() || !before.iter().all(plain) || !after.iter().all(stores) {
            return None;
        }
        let begin = begins(before, lo, hi, row)?;
        let fours = Fours { row, before, body, joins, after, begin };
        (gathers(body) && fours.reads_on(leaf)).then_some(fours)
    }
    /// Where a row stores.
    fn stores(&self) -> impl Iterator<Item = &'l WidePlace> {
        self.after.iter().filter_map(|s| if let WideStep::Store(place, ..) = s { Some(place) } else { None })
    }
    /// Whether the loop may read the elements of later rows, before anything is stored for this one.
    fn reads_on(&self, leaf: &WideLeaf) -> bool {
        let stored = |place: &WidePlace| self.stores().any(|other| same_buffer(leaf, place, other));
        let simple = |s: &WideStep| matches!(s, WideStep::Set(..) | WideStep::Reduce(..));
        let mut fit = self.body.iter().all(simple);
        each_value(self.body, &mut |v| {
            fit &= match v {
                WideValue::Arg(_) | WideValue::Call(..) => true,
                WideValue::Slot(s) => leaf.slots[*s] == LeafSlot::Varying,
                WideValue::Load(place) | WideValue::Gather(place) => steady(place) && !stored(place),
                WideValue::Unless(..) => false,
            };
        });
        fit
    }
    /// Whether all that is done with the sums is done row by row, with what each row has at its own place: then four rows are four
    /// lanes.
    fn in_lanes(&self, leaf: &WideLeaf) -> bool {
        let own = |place: &WidePlace| place.index == Some(WideIndex::Slot(self.row)) && !place.moves;
        // What a row stores is read and stored by no other one.
        let apart =
            |place: &WidePlace| self.stores().all(|other| place == other || !same_buffer(leaf, place, other));
        let mut known: Vec<usize> = Vec::new();
        let fit = |v: &WideValue, known: &[usize]| {
            let mut fit = true;
            v.visit(&mut |v| {
                fit &= match v {
                    WideValue::Arg(_) | WideValue::Call(..) => true,
                    WideValue::Slot(slot) => known.contains(slot),
                    WideValue::Load(place) => apart(place) && (own(place) || steady(place) && !place.moves),
                    WideValue::Gather(_) | WideValue::Unless(..) => false,
                };
            });
            fit
        };
        let carried = |slot: usize| leaf.rows.iter().flat_map(|rows| &rows.carried).any(|c| c.slot == slot);
        let mut all = self.joins.iter().all(|join| leaf.reductions[join.number].prim == Prim::Add);
        for (n, s) in self.before.iter().chain(self.after).enumerate() {
            if n == self.before.len() {
                known.extend(self.joins.iter().map(|join| join.slot));
            }
            all &= match s {
                WideStep::Int(..) => true,
                WideStep::Set(slot, v) => {
                    let fit = !carried(*slot) && fit(v, &known);
                    known.push(*slot);
                    fit
                }
                WideStep::Store(place, v, _) => own(place) && apart(place) && fit(v, &known),
                WideStep::Reduce(..) | WideStep::Loop(..) | WideStep::Across(..) | WideStep::Lanes(..) => {
                    false
                }
            };
        }
        all
    }
}

fn same_buffer(leaf: &WideLeaf, a: &WidePlace, b: &WidePlace) -> bool {
    leaf.pointers[a.pointer].buf == leaf.pointers[b.pointer].buf
}

/// The list of coordinates by which something is gathered, where the machine's own instruction can do so.
fn list_of<'l>(leaf: &WideLeaf, body: &'l [WideStep]) -> Option<&'l WidePlace> {
    let mut found = None;
    each_value(body, &mut |v| {
        if let WideValue::Gather(place) = v
            && let Some((list, None)) = index_source(place)
            && leaf.pointers[list.pointer].elem == DType::I32
        {
            found = Some(list);
        }
    });
    found
}

fn gathers(body: &[WideStep]) -> bool {
    let mut found = false;
    each_value(body, &mut |v| found |= matches!(v, WideValue::Gather(_)));
    found
}

/// Whether a place depends on the element and on nothing in its row.
fn steady(place: &WidePlace) -> bool {
    fn is_fixed(index: &WideIndex) -> bool {
        match index {
            WideIndex::Const(_) | WideIndex::Arg(_) => true,
            WideIndex::Load(place) => steady(place),
            WideIndex::Call(_, both) => both.iter().all(is_fixed),
            WideIndex::Slot(_) | WideIndex::Unless(..) => false,
        }
    }
    place.index.as_ref().is_none_or(is_fixed)
}

/// Where rows begin, if each ends where the next one does so.
fn begins<'l>(
    before: &'l [WideStep],
    lo: &'l WideIndex,
    hi: &'l WideIndex,
    row: usize,
) -> Option<&'l WidePlace> {
    let known = |index: &'l WideIndex| {
        let WideIndex::Slot(slot) = index else { return Some(index) };
        before.iter().find_map(|s| {
            if let WideStep::Int(own, index) = s { (own == slot).then_some(index) } else { None }
        })
    };
    let (WideIndex::Load(lo), WideIndex::Load(hi)) = (known(lo)?, known(hi)?) else { return None };
    (**lo == place_at(lo.pointer, WideIndex::Slot(row)) && **hi == place_at(lo.pointer, later(row, 1)))
        .then_some(lo)
}

fn place_at(pointer: usize, index: WideIndex) -> WidePlace {
    WidePlace { pointer, index: Some(index), moves: false }
}

fn later(row: usize, rows: i64) -> WideIndex {
    WideIndex::Call(Prim::Add, Box::new([WideIndex::Slot(row), WideIndex::Const(rows)]))
}

/// The sums of four rows.
enum FourSums {
    /// Each in a lane of its own.
    Lanes(Vec_),
    /// Each in the first lane of a vector of its own.
    Vectors([Vec_; ROWS]),
}

impl Asm<'_> {
    /// Takes rows together as long as there are four whose last vectors may read on; `row` is the first, and becomes the first
    /// that is left.
    pub(super) fn by_fours(&mut self, fours: &Fours<'_>, row: Gpr) -> Result<(), Full> {
        let rest = self.code.label();
        // What comes before this can be read as a whole vector.
        self.slots[fours.row] = Some(SlotHome::Int(self.rounds));
        let limit = self.own_index(&WideIndex::Load(Box::new(fours.begin.clone())))?;
        self.code.add_constant(limit, -i32::from(self.leaf.lanes) * LAST as i32);
        self.slots[fours.row] = Some(SlotHome::Int(Home::Reg(row)));
        let masks = self.registers.general()?;
        let table = self.masks();
        self.code.address(masks, table);
        if let Some(list) = list_of(self.leaf, fours.body) {
            let near = self.code.label();
            self.unless_scattered(fours, list, limit, near)?;
            self.scattered = true;
            let done = self.groups(fours, row, masks, limit, rest);
            self.scattered = false;
            done?;
            self.code.bind(near);
        }
        self.groups(fours, row, masks, limit, rest)?;
        self.code.bind(rest);
        self.registers.free(masks);
        self.registers.free(limit);
        Ok(())
    }
    /// Goes to `near` unless neighbouring rows gather from places that lie far apart: four elements are compared with those
    /// that are a row on.
    fn unless_scattered(
        &mut self,
        fours: &Fours<'_>,
        list: &WidePlace,
        limit: Gpr,
        near: Label,
    ) -> Result<(), Full> {
        let outside = self.k;
        let at = self.end_of(fours, 0)?;
        let [step, ahead, far] = std::array::from_fn(|_| self.registers.general());
        let (step, ahead, far) = (step?, ahead?, far?);
        self.code.op(MOV, step, Rm::Reg(limit));
        self.code.op(SUB, step, Rm::Reg(at));
        self.code.compare_constant(step, STRIP);
        self.code.jump_when(When::Less, near);
        // About as many as a row has.
        self.code.op(MOV, ahead, Rm::Reg(step));
        self.code.shift_right(ahead, STRIP.trailing_zeros() as u8);
        self.code.op(ADD, ahead, Rm::Reg(at));
        self.code.shift_right(step, SAMPLES.trailing_zeros() as u8);
        self.code.constant(far, SAMPLES.into());
        // Without a branch on each pair: one that was not foreseen would wait for memory.
        for _ in 0..SAMPLES {
            self.k = at;
            let here = self.integer(list)?.reg;
            self.k = ahead;
            let there = self.integer(list)?.reg;
            self.code.op(SUB, here, Rm::Reg(there));
            self.code.op(IMUL, here, Rm::Reg(here));
            self.code.add_constant(here, -FAR * FAR);
            self.code.shift_right(here, 63);
            self.code.op(ADD, far, Rm::Reg(here));
            self.registers.free(here);
            self.registers.free(there);
            self.code.op(ADD, at, Rm::Reg(step));
            self.code.op(ADD, ahead, Rm::Reg(step));
        }
        self.k = outside;
        self.code.compare_constant(far, SAMPLES / 2);
        self.code.jump_when(When::Less, near);
        [at, step, ahead, far].into_iter().for_each(|r| self.registers.free(r));
        Ok(())
    }
    /// Four rows after the other, as long as there are as many that end before the limit.
    fn groups(
        &mut self,
        fours: &Fours<'_>,
        row: Gpr,
        masks: Gpr,
        limit: Gpr,
        rest: Label,
    ) -> Result<(), Full> {
        let (head, lanes) = (self.code.label(), i32::from(self.leaf.lanes));
        self.code.bind(head);
        let next = self.registers.general()?;
        self.code.op(LEA, next, Rm::Mem(Mem::new(row, ROWS as i32)));
        self.code.op(CMP, next, self.rounds.rm());
        self.registers.free(next);
        self.code.jump_when(When::Greater, rest);
        let elements = self.end_of(fours, ROWS)?;
        let first = self.end_of(fours, 0)?;
        self.code.op(SUB, elements, Rm::Reg(first));
        self.registers.free(first);
        let single = self.code.label();
        self.code.compare_constant(elements, lanes * ROWS as i32);
        self.code.jump_when(When::NotGreater, single);
        self.code.compare_constant(elements, lanes * (ROWS * LAST) as i32);
        self.code.jump_when(When::Greater, single);
        self.registers.free(elements);
        self.four(fours, row, Behind::Vectors(LAST, masks), limit, rest)?;
        self.code.jump(head);
        self.code.bind(single);
        self.four(fours, row, Behind::Vectors(1, masks), limit, rest)?;
        self.code.jump(head);
        Ok(())
    }
    /// Where the row ends that is so many rows on; that of no row is where this one begins.
    fn end_of(&mut self, fours: &Fours<'_>, rows: usize) -> Result<Gpr, Full> {
        let row = match rows {
            0 => WideIndex::Slot(fours.row),
            rows => later(fours.row, rows as i64),
        };
        self.own_index(&WideIndex::Load(Box::new(place_at(fours.begin.pointer, row))))
    }
    /// Four rows, unless one ends after the limit.
    fn four(
        &mut self,
        fours: &Fours<'_>,
        row: Gpr,
        behind: Behind,
        limit: Gpr,
        beyond: Label,
    ) -> Result<(), Full> {
        let mut all: [Vec<Vec_>; ROWS] = Default::default();
        let mut begin = self.end_of(fours, 0)?;
        for (n, sums) in all.iter_mut().enumerate() {
            let end = self.end_of(fours, n + 1)?;
            self.code.op(CMP, end, Rm::Reg(limit));
            self.code.jump_when(When::Greater, beyond);
            *sums = self.sums_of_row(fours, begin, end, behind)?;
            begin = end;
        }
        self.registers.free(begin);
        let mut joined = Vec::new();
        for (n, join) in fours.joins.iter().enumerate() {
            joined.push(self.fold_sums(join, std::array::from_fn(|r| all[r][n]))?);
        }
        self.after_four(fours, row, &joined)
    }
    /// What the loop of a row adds up, in all lanes; its first register is given up.
    fn sums_of_row(
        &mut self,
        fours: &Fours<'_>,
        begin: Gpr,
        end: Gpr,
        behind: Behind,
    ) -> Result<Vec<Vec_>, Full> {
        self.accumulate(begin, Home::Reg(end), fours.body, fours.joins, behind)?;
        let mut sums = Vec::new();
        for join in fours.joins {
            match self.slots[self.accumulators + join.number].take() {
                Some(SlotHome::Vectors(all)) => sums.extend(all),
                Some(SlotHome::Int(_)) | None => return Err(Full),
            }
        }
        Ok(sums)
    }
    fn fold_sums(&mut self, join: &RowJoin, sums: [Vec_; ROWS]) -> Result<FourSums, Full> {
        let prim = self.leaf.reductions[join.number].prim;
        if prim != Prim::Add {
            sums.iter().try_for_each(|sum| self.fold(prim, *sum))?;
            return Ok(FourSums::Vectors(sums));
        }
        self.add_across(sums);
        sums[1..].iter().for_each(|r| self.registers.free_vector(*r));
        Ok(FourSums::Lanes(sums[0]))
    }
    /// What four rows do with their sums.
    fn after_four(&mut self, fours: &Fours<'_>, row: Gpr, joined: &[FourSums]) -> Result<(), Full> {
        if fours.in_lanes(self.leaf) {
            self.abreast = Some(fours.row);
            let done = self.emit_scoped(|asm| {
                fours.before.iter().try_for_each(|s| asm.step(s))?;
                for (join, sums) in fours.joins.iter().zip(joined) {
                    match sums {
                        FourSums::Lanes(sums) => asm.join(join, *sums)?,
                        FourSums::Vectors(_) => return Err(Full),
                    }
                }
                fours.after.iter().try_for_each(|s| asm.step(s))
            });
            self.abreast = None;
            self.code.add_constant(row, ROWS as i32);
            return done;
        }
        for r in 0..ROWS {
            self.emit_scoped(|asm| {
                fours.before.iter().try_for_each(|s| asm.step(s))?;
                for (join, sums) in fours.joins.iter().zip(joined) {
                    let sum = match sums {
                        FourSums::Vectors(all) => all[r],
                        FourSums::Lanes(all) => {
                            let to = asm.registers.vector()?;
                            asm.move_lane(to, *all, r as u8);
                            to
                        }
                    };
                    asm.join(join, sum)?;
                }
                fours.after.iter().try_for_each(|s| asm.step(s))
            })?;
            self.code.add_constant(row, 1);
        }
        for sums in joined {
            if let FourSums::Lanes(all) = sums {
                self.registers.free_vector(*all);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_base::Source;
    use openwork_loops::text::parse;
    use openwork_loops::{Stmt, Wide};

    /// Whether the rows of a kernel are taken together, and whether what is done with their sums is done in lanes.
    fn takes_rows_together(first: &str, each: &str, then: &str) -> Option<bool> {
        let text = format!(
            "kernel k(n: i64, pos: in i64[], crd: in i32[], a: in f64[], x: in f64[], y: out f64[]) {{
              for i in 0..n {{
                let t: f64 = {first}
                vector for p in pos[i]..pos[i + 1] {{ {each} }}
                {then}
              }}
            }}"
        );
        let kernel = parse(&Source::new("rows", text.as_str())).unwrap();
        let [Stmt::For { .. }] = &kernel.body[..] else { panic!("one loop") };
        let leaf = WideLeaf::of_rows(&kernel, &kernel.body[0], &Wide::new(32, 1)).unwrap();
        Fours::from_leaf(&leaf).map(|fours| fours.in_lanes(&leaf))
    }

    #[test]
    fn rows_are_taken_together_where_they_may_read_on() {
        let product = "t = t + a[p] * x[i64(crd[p])]";
        assert_eq!(takes_rows_together("0.0", product, "y[i] = t"), Some(true));
        assert_eq!(takes_rows_together("0.0", product, "y[2 * i] = t"), Some(false));
        assert_eq!(takes_rows_together("0.0", product, "y[i] += t"), Some(true));
        assert_eq!(takes_rows_together("x[i]", product, "y[i] = t"), Some(true));
        assert_eq!(takes_rows_together("0.0", product, "y[i] = t * x[i] - a[2]"), Some(true));
        assert_eq!(takes_rows_together("0.0", product, "y[i] = t * x[i + 1]"), Some(false));
        assert_eq!(takes_rows_together("0.0", product, "y[i] = t + y[i]"), Some(true));
        assert_eq!(takes_rows_together("0.0", product, "y[i] = t + y[0]"), Some(false));
        assert_eq!(takes_rows_together("0.0", product, "y[i + n] = t + y[i]"), Some(false));
        assert_eq!(takes_rows_together("-1.0", "t = max(t, x[i64(crd[p])])", "y[i] = t"), Some(false));
        assert_eq!(
            takes_rows_together("0.0", product, "let j: i64 = i64(crd[i])  y[i] = t * x[j]"),
            Some(false)
        );
        // Nothing is gathered, the row is in an index or a value, or what is read is stored to.
        assert_eq!(takes_rows_together("0.0", "t = t + a[p]", "y[i] = t"), None);
        assert_eq!(takes_rows_together("0.0", "t = t + a[p] * x[i64(crd[p]) + i]", "y[i] = t"), None);
        assert_eq!(takes_rows_together("0.0", "t = t + a[p + i] * x[i64(crd[p])]", "y[i] = t"), None);
        assert_eq!(takes_rows_together("0.0", "t = t + a[p] * x[i64(crd[p])] * x[i]", "y[i] = t"), None);
        assert_eq!(takes_rows_together("0.0", "t = t + a[p] * y[i64(crd[p])]", "y[i] = t"), None);
    }

    #[test]
    fn rows_that_do_not_begin_where_others_end_are_taken_one_by_one() {
        let text = "kernel k(n: i64, pos: in i64[], crd: in i32[], x: in f64[], y: out f64[]) {
              for i in 0..n {
                let t: f64 = 0.0
                vector for p in pos[2 * i]..pos[2 * i + 1] { t = t + x[i64(crd[p])] }
                y[i] = t
              }
            }";
        let kernel = parse(&Source::new("rows", text)).unwrap();
        let leaf = WideLeaf::of_rows(&kernel, &kernel.body[0], &Wide::new(32, 1)).unwrap();
        assert!(Fours::from_leaf(&leaf).is_none());
    }
}
