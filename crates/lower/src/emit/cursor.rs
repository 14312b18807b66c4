//! Cursors: where the walk of one level stands, in a closed normal form (Finch's looplets have an open one; formats thesis,
//! §4.2).
//!
//! | form | rounds of a loop alone | moving on beside others |
//! |---|---|---|
//! | [`CursorForm::Once`] | none: the parent has one child, or none | `p = p + at` |
//! | [`CursorForm::Distinct`] | `for p in lo..hi`, or over coordinates where these follow positions | `p = p + at` |
//! | [`CursorForm::Strided`] | the same, with a test | `p = p + 1`, and on to the next coordinate of the window |
//! | [`CursorForm::Repeating`] | `while p < end`, a run of duplicates a round | `p = run` |
//! | [`CursorForm::Runs`] | `for r in lo..hi { for i in now..ends[r] }` | `now = now + 1`, and `p = p + 1` behind a run's end |
//! | [`CursorForm::Bits`] | `for w in 0..words { while m != 0 }` | does not |
//! | [`CursorForm::SetBits`] | `while p < end` | `m = m & (m - 1)`, and `w = w + 1` as long as no bit is left |
//!
//! A cursor knows the kernel's types and nothing of the statement, so it does not know what is done at a coordinate.

use openwork_algebra::{DType, Prim};
use openwork_levels::{ChildTest, CoordSource, Place, Strided};
use openwork_loops::build::{add, and_also, call, cast, eq, if_then, int, load, lt, mul, set, var};
use openwork_loops::{BufId, Expr as Ir, LoopKernel, Stmt as Code, VarId};

/// A walk over the children of one place of a level.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// The coordinate at a position.
    pub(crate) coord: CoordSource,
    /// Whether a position holds a child.
    pub(crate) test: ChildTest,
    /// The current position.
    pub(crate) pos: VarId,
    /// One past the last position.
    pub(crate) end: Ir,
    /// How it moves on.
    pub(crate) form: CursorForm,
}

/// How a cursor moves on.
#[derive(Clone, Debug)]
pub(crate) enum CursorForm {
    /// There is one position, or none.
    Once,
    /// Position by position, each with a coordinate of its own.
    Distinct,
    /// The same, past positions whose coordinates lie between those of a window.
    Strided(Strided),
    /// Over positions that share a coordinate, up to `run`, which is known once a loop stands at that coordinate.
    Repeating {
        /// One past the positions at the current coordinate.
        run: Option<VarId>,
    },
    /// Over coordinates that share a position.
    Runs(Spans),
    /// Over slots of which bits say whether they are taken, all bits of a word in one loop.
    Bits(Bits),
    /// From set bit to set bit.
    SetBits {
        /// The words.
        bits: Bits,
        /// The number of the current word.
        word: VarId,
        /// Its bits from the current position on.
        rest: VarId,
    },
}

/// Runs of coordinates that share a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spans {
    /// Where each run ends.
    pub(crate) ends: BufId,
    /// The current coordinate.
    pub(crate) now: VarId,
    /// The walk ends before this coordinate, where that lies inside of a run.
    pub(crate) below: Option<VarId>,
}

impl Spans {
    /// Where the run at a position ends, or the walk.
    pub(crate) fn end_of_run(&self, kernel: &LoopKernel, pos: VarId) -> Ir {
        let end = kernel.load_index(self.ends, var(pos));
        match self.below {
            Some(below) => call(Prim::Min, end, var(below)),
            None => end,
        }
    }
}

/// The words behind a walk over bits.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    /// The words.
    pub(crate) words: BufId,
    /// The first word.
    pub(crate) first: Ir,
    /// The position of bit 0 of the first word.
    pub(crate) base: Ir,
    /// The coordinate of that bit.
    pub(crate) low: Ir,
    /// How many bits there are.
    pub(crate) size: Ir,
}

impl Bits {
    /// How many words there are.
    pub(crate) fn words(&self) -> Ir {
        call(Prim::Shr, add(self.size.clone(), int(63)), int(6))
    }
    /// Word number `w` of the walk.
    pub(crate) fn word(&self, w: Ir) -> Ir {
        load(self.words, add(self.first.clone(), w))
    }
}

impl Cursor {
    /// A cursor over distinct coordinates, in order, from position `pos` up to `end`.
    pub(crate) fn distinct(coord: CoordSource, pos: VarId, end: Ir) -> Cursor {
        Cursor { coord, test: ChildTest::Always, pos, end, form: CursorForm::Distinct }
    }
    /// The coordinate at the current position.
    pub(crate) fn coord(&self, kernel: &LoopKernel) -> Ir {
        self.coord.value_at(kernel, var(self.pos))
    }
    /// The positions that belong to the current coordinate.
    pub(crate) fn place(&self) -> Place {
        match self.run() {
            None => Place::one(var(self.pos)),
            Some(run) => Place::run(var(self.pos), var(run)),
        }
    }
    /// One past the positions that share the current coordinate, where coordinates repeat.
    pub(crate) fn run(&self) -> Option<VarId> {
        match self.form {
            CursorForm::Repeating { run } => run,
            CursorForm::Once
            | CursorForm::Distinct
            | CursorForm::Strided(_)
            | CursorForm::Runs(_)
            | CursorForm::Bits(_)
            | CursorForm::SetBits { .. } => None,
        }
    }
    /// The runs of coordinates that it walks.
    pub(crate) fn spans(&self) -> Option<Spans> {
        match self.form {
            CursorForm::Runs(spans) => Some(spans),
            CursorForm::Once
            | CursorForm::Distinct
            | CursorForm::Strided(_)
            | CursorForm::Repeating { .. }
            | CursorForm::Bits(_)
            | CursorForm::SetBits { .. } => None,
        }
    }
    /// The bits that it walks.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        match &self.form {
            CursorForm::Bits(bits) | CursorForm::SetBits { bits, .. } => Some(bits),
            CursorForm::Once
            | CursorForm::Distinct
            | CursorForm::Strided(_)
            | CursorForm::Repeating { .. }
            | CursorForm::Runs(_) => None,
        }
    }
    /// Whether every position up to the end is a child.
    pub(crate) fn is_filled(&self) -> bool {
        self.bits().is_none()
            && !matches!(self.form, CursorForm::Strided(_))
            && self.test == ChildTest::Always
    }
    /// The walk of a loop of its own, whose rounds are at position `pos`.
    pub(crate) fn single_walk(&self, pos: VarId) -> Cursor {
        let test = match &self.form {
            CursorForm::Strided(of) => self.test.replace_inner(ChildTest::Aligned(of.clone())),
            CursorForm::Once
            | CursorForm::Distinct
            | CursorForm::Repeating { .. }
            | CursorForm::Runs(_)
            | CursorForm::Bits(_)
            | CursorForm::SetBits { .. } => self.test.clone(),
        };
        Cursor { pos, form: CursorForm::Distinct, test, ..self.clone() }
    }
    /// Whether there is a position left.
    pub(crate) fn more(&self) -> Ir {
        lt(var(self.pos), self.end.clone())
    }
    /// `cond`, and the current position holds a child.
    pub(crate) fn present(&self, cond: Ir, coord: Ir) -> Ir {
        match self.test.condition_at(var(self.pos), coord) {
            None => cond,
            Some(test) => and_also(cond, test),
        }
    }
    /// `crd[at] == coord` at a position that is in range.
    pub(crate) fn is_at(&self, kernel: &LoopKernel, at: VarId, coord: Ir) -> Ir {
        eq(self.coord.value_at(kernel, var(at)), coord)
    }
    /// The coordinate at the position before, where coordinates are told by differences.
    pub(crate) fn previous_coordinate(&self) -> Option<VarId> {
        match &self.coord {
            CoordSource::Stepped { before: Ir::Var(now), .. } => Some(*now),
            CoordSource::Stepped { .. }
            | CoordSource::Stored { .. }
            | CoordSource::Listed { .. }
            | CoordSource::Counted { .. }
            | CoordSource::Windowed(_)
            | CoordSource::Is(_) => None,
        }
    }

    /// Moves past the current coordinate if `at` says that it has been visited; without a branch where coordinates are
    /// distinct.
    pub(crate) fn advance(&self, at: VarId, kernel: &LoopKernel) -> Vec<Code> {
        if let Some(spans) = self.spans() {
            let mut step = vec![set(spans.now, add(var(spans.now), int(1)))];
            let past = eq(spans.end_of_run(kernel, self.pos), var(spans.now));
            step.extend(if_then(past, vec![self.next()]));
            return if_then(var(at), step);
        }
        if let CursorForm::Strided(of) = &self.form {
            return if_then(var(at), [vec![self.next()], self.to_window(of)].concat());
        }
        if let CursorForm::SetBits { word, rest, .. } = self.form {
            let mut step = vec![set(rest, without_lowest(var(rest)))];
            step.extend(self.to_set_bit(word, rest));
            return if_then(var(at), step);
        }
        if let Some(now) = self.previous_coordinate() {
            let coord = self.coord.value_at(kernel, var(self.pos));
            return if_then(var(at), vec![set(now, coord), self.next()]);
        }
        vec![match self.run() {
            Some(run) => set(self.pos, var(run)),
            None => set(self.pos, add(var(self.pos), cast(DType::I64, DType::Bool, var(at)))),
        }]
    }
    /// From set bit to set bit from the first one on, where it was over bits.
    pub(crate) fn over_set_bits(self, kernel: &mut LoopKernel, code: &mut Vec<Code>) -> Cursor {
        let CursorForm::Bits(bits) = self.form else { return self };
        let (word, rest) = (kernel.index("word"), kernel.index("rest"));
        code.push(Code::Let { var: word, val: int(0) });
        code.push(Code::Let { var: rest, val: int(0) });
        // A parent that is missing has no words.
        code.extend(if_then(lt(int(0), bits.size.clone()), vec![set(rest, bits.word(int(0)))]));
        let form = CursorForm::SetBits { bits, word, rest };
        let cursor = Cursor { form, test: ChildTest::Always, ..self };
        code.extend(cursor.to_set_bit(word, rest));
        cursor
    }
    /// Moves to the lowest bit that is left, or to the end: of no bit at all, all 64 are zeros before the lowest.
    fn to_set_bit(&self, word: VarId, rest: VarId) -> Vec<Code> {
        let Some(bits) = self.bits() else { return Vec::new() };
        let next = add(var(word), int(1));
        let empty = eq(var(rest), int(0));
        let more = and_also(empty, lt(next.clone(), bits.words()));
        let lowest = Ir::Call { prim: Prim::Ctz, args: vec![var(rest)] };
        let at = add(bits.base.clone(), bit_number(var(word), lowest));
        vec![
            Code::While { cond: more, body: vec![set(word, next), set(rest, bits.word(var(word)))] },
            set(self.pos, call(Prim::Min, at, self.end.clone())),
        ]
    }
    /// Moves on to a coordinate of the window, if there is one left.
    pub(crate) fn to_window(&self, of: &Strided) -> Vec<Code> {
        let between = and_also(self.more(), of.is_between(var(self.pos)));
        vec![Code::While { cond: between, body: vec![self.next()] }]
    }
    /// Moves to the next position.
    pub(crate) fn next(&self) -> Code {
        set(self.pos, add(var(self.pos), int(1)))
    }
}

/// `64 * w + b`.
pub(crate) fn bit_number(w: Ir, b: Ir) -> Ir {
    add(mul(w, int(64)), b)
}
/// `m & (m - 1)`: the word without its lowest set bit.
pub(crate) fn without_lowest(m: Ir) -> Ir {
    call(Prim::And, m.clone(), call(Prim::Sub, m, int(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::Scalar;
    use openwork_loops::BufRole;
    use openwork_loops::build::store;
    use openwork_loops::interp::{Limits, VecMemory, run};

    /// The coordinates that a cursor over one array stands at, when it moves on as it does in a merge; each of them once.
    fn visited_coords(
        array: &[i64],
        open: impl Fn(&mut LoopKernel, BufId, &mut Vec<Code>) -> Cursor,
    ) -> Vec<i64> {
        let mut k = LoopKernel::new("walk");
        let crd = k.buf("crd", DType::I64, BufRole::In);
        let out = k.buf("out", DType::I64, BufRole::Out);
        let (n, i) = (k.index("n"), k.index("i"));
        let at = k.var("at", openwork_loops::Ty::BOOL);
        let mut code = vec![Code::Let { var: n, val: int(0) }];
        let mut cursor = open(&mut k, crd, &mut code);
        let mut body = vec![Code::Let { var: i, val: cursor.coord(&k) }];
        if let CursorForm::Repeating { .. } = cursor.form {
            let run = k.index("run");
            cursor.form = CursorForm::Repeating { run: Some(run) };
            let same = and_also(lt(var(run), cursor.end.clone()), cursor.is_at(&k, run, var(i)));
            body.push(Code::Let { var: run, val: add(var(cursor.pos), int(1)) });
            body.push(Code::While { cond: same, body: vec![set(run, add(var(run), int(1)))] });
        }
        body.push(Code::Let { var: at, val: openwork_loops::build::constant(Scalar::Bool(true)) });
        body.extend([store(out, var(n), var(i)), set(n, add(var(n), int(1)))]);
        body.extend(cursor.advance(at, &k));
        code.push(Code::While { cond: cursor.more(), body });
        code.push(Code::SetLen { buf: out, len: var(n) });
        k.body = code;
        let mut memory = VecMemory::new(&k);
        memory.set_ints(crd, array);
        memory.set_ints(out, &[0; 300]);
        run(&k, &[], &mut memory, Limits::default()).unwrap_or_else(|fault| panic!("{fault}"));
        memory.result(out).iter().map(|s| s.as_i64()).collect()
    }
    fn open_cursor(k: &mut LoopKernel, lo: i64, hi: i64, coord: CoordSource, code: &mut Vec<Code>) -> Cursor {
        let pos = k.index("p");
        code.push(Code::Let { var: pos, val: int(lo) });
        Cursor::distinct(coord, pos, int(hi))
    }

    #[test]
    fn positions_one_by_one_and_run_by_run() {
        let list = |k: &mut LoopKernel, crd, code: &mut Vec<Code>| {
            open_cursor(k, 1, 5, CoordSource::from_array(crd), code)
        };
        assert_eq!(visited_coords(&[0, 2, 3, 5, 9, 11], list), [2, 3, 5, 9]);
        let counted = |k: &mut LoopKernel, _, code: &mut Vec<Code>| {
            open_cursor(k, 4, 7, CoordSource::Counted { base: int(4), low: int(-1) }, code)
        };
        assert_eq!(visited_coords(&[], counted), [-1, 0, 1]);
        let repeating = |k: &mut LoopKernel, crd, code: &mut Vec<Code>| {
            let form = CursorForm::Repeating { run: None };
            Cursor { form, ..open_cursor(k, 0, 6, CoordSource::from_array(crd), code) }
        };
        assert_eq!(visited_coords(&[2, 2, 2, 5, 7, 7], repeating), [2, 5, 7]);
    }

    #[test]
    fn coordinates_of_runs_and_steps() {
        let runs = |k: &mut LoopKernel, ends, code: &mut Vec<Code>| {
            let now = k.index("now");
            code.push(Code::Let { var: now, val: int(0) });
            let form = CursorForm::Runs(Spans { ends, now, below: None });
            Cursor { form, ..open_cursor(k, 0, 3, CoordSource::Is(var(now)), code) }
        };
        assert_eq!(visited_coords(&[2, 3, 6], runs), [0, 1, 2, 3, 4, 5]);
        let steps = |k: &mut LoopKernel, steps, code: &mut Vec<Code>| {
            let before = k.index("before");
            code.push(Code::Let { var: before, val: int(-1) });
            open_cursor(k, 0, 3, CoordSource::Stepped { steps, most: 200, before: var(before) }, code)
        };
        assert_eq!(visited_coords(&[3, 0, 255], steps), [3, 4, 205]);
    }

    #[test]
    fn set_bits_of_words_and_of_none() {
        let words = |size: i64| {
            move |k: &mut LoopKernel, words, code: &mut Vec<Code>| {
                let coord = CoordSource::Counted { base: int(10), low: int(0) };
                let cursor = open_cursor(k, 10, 10 + size, coord, code);
                let bits = Bits { words, first: int(0), base: int(10), low: int(0), size: int(size) };
                Cursor { form: CursorForm::Bits(bits), ..cursor }.over_set_bits(k, code)
            }
        };
        assert_eq!(visited_coords(&[0b1001, 0, 1 << 5, i64::MIN], words(256)), [0, 3, 133, 255]);
        assert_eq!(visited_coords(&[0, 0], words(100)), [0; 0]);
        assert_eq!(visited_coords(&[], words(0)), [0; 0]);
    }
}
