//! Places of an array that a loop adds to.

use super::ArrayRoom;
use super::facts::SumFacts;
use super::region::{Sight, is_size};
use crate::build::{add, call, int, mul};
use crate::kinds::read_buffer;
use crate::nodes::{BufId, Expr, Stmt, VarId};
use crate::walk::{any_part, born_var, each_stmt, substitute};
use openwork_algebra::{Prim, Scalar};

/// Some places of an array that follow one another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlaceSpan {
    pub buf: BufId,
    pub start: Expr,
    pub len: Expr,
    /// The most places there can be, known before the kernel does anything.
    pub bound: Expr,
}

impl PlaceSpan {
    /// Whether it is a whole array.
    pub fn is_whole(&self) -> bool {
        self.start == int(0) && self.len == self.bound
    }
}

/// To which places of an array a loop adds.
pub(super) enum SumPlaces {
    /// The same ones in every round, each of them once.
    Same(PlaceSpan),
    /// Somewhere in a row of so many.
    Within(PlaceSpan, Expr),
    /// Every round to its own.
    Own,
    /// Nobody knows.
    Any,
}

/// An index as a sum.
struct SumIndex {
    /// Terms that have one value in the loop.
    fixed: Vec<Expr>,
    /// Terms that go through a range; nothing where one does not.
    ranges: Option<Vec<StridedVar>>,
    /// Whether all that is not fixed are variables of loops, whose ranges may differ between rounds.
    swept: bool,
    /// The strides of what is read from memory.
    jumps: Vec<Expr>,
    /// The strides of variables whose ranges differ between rounds.
    sweeps: Vec<Expr>,
}

/// A loop variable times its stride.
struct StridedVar {
    lo: Expr,
    len: Expr,
    stride: Expr,
}

/// Where a store goes in one round, as far as the loops around it tell.
#[derive(Clone, PartialEq)]
struct StoreStretch {
    start: Expr,
    len: Expr,
    /// The most it may be in any round around.
    most: Expr,
    /// Whether it may be shorter than `len`.
    shorter: bool,
}

impl SumPlaces {
    pub fn find(sight: Sight<'_>, around: &Stmt, facts: &SumFacts, buf: BufId) -> SumPlaces {
        let mut own = false;
        let mut stretches = Some(Vec::new());
        let mut bases: Vec<Option<Vec<Expr>>> = Vec::new();
        let (mut swept, mut jumps, mut sweeps) = (true, Vec::new(), Vec::new());
        each_stmt(std::slice::from_ref(around), &mut |s| {
            let Stmt::Store { buf: b, at, .. } = s else { return };
            if *b != buf {
                return;
            }
            let at = facts.written_out(at);
            own |= at.as_ref().is_some_and(|at| born_var(around).is_some_and(|v| counts(at, v)));
            let index = at.map(|at| SumIndex::new(facts, &at));
            let stretch = index.as_ref().and_then(SumIndex::stretch);
            stretches = stretches.take().zip(stretch).map(|(mut all, stretch)| {
                all.push(stretch);
                all
            });
            // Of two that go through a strip, neither says how long it is.
            swept &= index.as_ref().is_some_and(|index| index.swept && index.sweeps.len() <= 1);
            bases.push(index.map(|index| {
                jumps.extend(index.jumps);
                sweeps.extend(index.sweeps);
                index.fixed
            }));
        });
        let room = sight.rooms.get(&buf);
        let stretch = stretches.and_then(|all| all.into_iter().map(Some).reduce(union).flatten());
        if let Some(span) = stretch.and_then(|s| s.span(sight, buf, room)) {
            return SumPlaces::Same(span);
        }
        if own {
            return SumPlaces::Own;
        }
        bases.dedup();
        let ([Some(base)], Some(room)) = (bases.as_slice(), room) else { return SumPlaces::Any };
        let from = || sum(base.iter().cloned());
        jumps.extend(sweeps.iter().cloned());
        sweeps.dedup();
        match (row(sight, base, &jumps), sight.strip) {
            (Some(len), _) if swept => SumPlaces::Same(window(buf, from(), len, room)),
            (Some(len), _) => {
                let span = window(buf, from(), len.clone(), room);
                // Of several rows that are taken together, the last ones may be fewer.
                let several = any_part(&len, &|e| matches!(e, Expr::Const(_)));
                let row = if several { span.len.clone() } else { call(Prim::Min, len, room.len.clone()) };
                SumPlaces::Within(span, row)
            }
            (None, Some((strip, step))) if swept && sweeps.len() == 1 => {
                let stride = &sweeps[0];
                let start = add(from(), mul(Expr::Var(strip), stride.clone()));
                SumPlaces::Same(window(buf, start, mul(int(step), stride.clone()), room))
            }
            (None, _) => SumPlaces::Any,
        }
    }
}

impl SumIndex {
    fn new(facts: &SumFacts, at: &Expr) -> SumIndex {
        let mut index = SumIndex {
            fixed: Vec::new(),
            ranges: Some(Vec::new()),
            swept: true,
            jumps: Vec::new(),
            sweeps: Vec::new(),
        };
        index.add(facts, at, &int(1));
        index
    }

    fn add(&mut self, facts: &SumFacts, term: &Expr, stride: &Expr) {
        if facts.is_fixed(term) {
            self.fixed.push(mul(term.clone(), stride.clone()));
            return;
        }
        match term {
            Expr::Call { prim: Prim::Add, args } => {
                for arg in args {
                    self.add(facts, arg, stride);
                }
            }
            Expr::Call { prim: Prim::Mul, args } => match args.as_slice() {
                [a, b] if facts.is_fixed(b) => self.add(facts, a, &mul(b.clone(), stride.clone())),
                [a, b] if facts.is_fixed(a) => self.add(facts, b, &mul(a.clone(), stride.clone())),
                _ => self.add_jump(stride),
            },
            _ => {
                let swept = matches!(term, Expr::Var(v) if facts.loops.contains_key(v));
                if !swept {
                    self.add_jump(stride);
                }
                let range = StridedVar::find(facts, term, stride);
                if swept && range.is_none() {
                    self.sweeps.push(stride.clone());
                }
                self.ranges = self.ranges.take().zip(range).map(|(mut all, range)| {
                    all.push(range);
                    all
                });
            }
        }
    }

    /// Takes note of a term that is read from memory, or of one that nobody knows.
    fn add_jump(&mut self, stride: &Expr) {
        (self.ranges, self.swept) = (None, false);
        self.jumps.push(stride.clone());
    }

    /// The places that the ranges cover.
    fn stretch(&self) -> Option<StoreStretch> {
        let ranges = self.ranges.as_ref()?;
        let firsts = ranges.iter().map(|r| mul(r.lo.clone(), r.stride.clone()));
        let start = sum(self.fixed.iter().cloned().chain(firsts));
        let most = |len: &Expr| upper(len).map_or_else(|| len.clone(), int);
        let covered = |each: &dyn Fn(&Expr) -> Expr| match ranges.as_slice() {
            [] => int(1),
            [r] if r.stride == int(1) => each(&r.len),
            all => {
                let last = |r: &StridedVar| mul(add(each(&r.len), int(-1)), r.stride.clone());
                add(sum(all.iter().map(last)), int(1))
            }
        };
        Some(StoreStretch { start, len: covered(&Expr::clone), most: covered(&most), shorter: false })
    }
}

impl StridedVar {
    /// The range of a loop's own variable.
    fn find(facts: &SumFacts, term: &Expr, stride: &Expr) -> Option<StridedVar> {
        let Expr::Var(v) = term else { return None };
        let (lo, hi) = facts.loops.get(v)?;
        let (lo, hi) = (facts.written_out(lo)?, facts.written_out(hi)?);
        if !facts.is_fixed(&lo) || !facts.is_fixed(&hi) {
            return None;
        }
        let len = if lo == int(0) { hi } else { call(Prim::Sub, hi, lo.clone()) };
        Some(StridedVar { lo, len, stride: stride.clone() })
    }
}

impl StoreStretch {
    fn span(self, sight: Sight<'_>, buf: BufId, room: Option<&ArrayRoom>) -> Option<PlaceSpan> {
        let StoreStretch { start, len, most, shorter } = self;
        let bound = if is_size(sight.kernel, &most) { most.clone() } else { room?.len.clone() };
        if !shorter {
            return Some(PlaceSpan { buf, start, len, bound });
        }
        let left = call(Prim::Sub, room?.len.clone(), start.clone());
        Some(PlaceSpan { buf, start, len: call(Prim::Min, len, left), bound })
    }
}

/// What two stores cover, where they begin at the same place.
fn union(a: Option<StoreStretch>, b: Option<StoreStretch>) -> Option<StoreStretch> {
    let (a, b) = (a?, b?);
    if a.start != b.start || a.most != b.most {
        return None;
    }
    if a.len == b.len {
        return Some(StoreStretch { shorter: a.shorter | b.shorter, ..a });
    }
    Some(StoreStretch { len: a.most.clone(), shorter: true, ..a })
}

/// A number that is never less than an expression.
pub(super) fn upper(e: &Expr) -> Option<i64> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some(*n),
        Expr::Call { prim: Prim::Min, args } => args.iter().filter_map(upper).min(),
        Expr::Call { prim: Prim::Max, args } => {
            args.iter().map(upper).try_fold(i64::MIN, |most, n| Some(most.max(n?)))
        }
        _ => None,
    }
}

/// How long the rows of an array are, where a sum says in which of them it is: longer than jumps that are made in it.
fn row(sight: Sight<'_>, base: &[Expr], jumps: &[Expr]) -> Option<Expr> {
    let jumps: Vec<Vec<Expr>> = jumps.iter().map(|jump| sizes(sight, jump)).collect();
    let constant = |row: &[Expr]| row.iter().map(upper).try_fold(1i64, |all, n| Some(all.saturating_mul(n?)));
    let exceeds = |row: &[Expr], jump: &Vec<Expr>| match (constant(row), constant(jump)) {
        (Some(row), Some(jump)) => row > jump,
        (None, Some(_)) => true,
        (_, None) => row.len() > jump.len() && jump.iter().all(|f| row.contains(f)),
    };
    let larger = |row: &Vec<Expr>| !row.is_empty() && jumps.iter().all(|jump| exceeds(row, jump));
    // A size alone is an offset.
    let rows =
        base.iter().filter(|e| !is_size(sight.kernel, e)).map(|term| sizes(sight, term)).filter(larger);
    rows.min_by_key(Vec::len).map(|row| row.into_iter().fold(int(1), mul))
}

/// The sizes and constants in a product.
fn sizes(sight: Sight<'_>, term: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut left = vec![substitute(term, &|v| sight.lets.get(&v).cloned())];
    while let Some(e) = left.pop() {
        match e {
            Expr::Call { prim: Prim::Mul, args } => left.extend(args),
            Expr::Const(Scalar::I64(2..)) => found.push(e),
            Expr::Var(v) if sight.kernel.params.contains(&v) => found.push(e),
            _ => {}
        }
    }
    found
}

/// Some places of an array that a loop is thought to add to. What it adds elsewhere is right too, but has no blocks.
fn window(buf: BufId, start: Expr, len: Expr, room: &ArrayRoom) -> PlaceSpan {
    let start = call(Prim::Max, start, int(0));
    let left = call(Prim::Sub, room.len.clone(), start.clone());
    PlaceSpan { buf, start, len: call(Prim::Min, len.clone(), left), bound: len }
}

fn sum(terms: impl Iterator<Item = Expr>) -> Expr {
    terms.reduce(add).unwrap_or_else(|| int(0))
}

/// Whether two numbers are the same whatever the variables are: sums may be put together in any order.
pub(super) fn are_equal(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Load { buf: x, at: a }, Expr::Load { buf: y, at: b }) => x == y && are_equal(a, b),
        (Expr::Cast { to: x, arg: a }, Expr::Cast { to: y, arg: b }) => x == y && are_equal(a, b),
        (Expr::Call { prim: Prim::Add, .. }, _) | (_, Expr::Call { prim: Prim::Add, .. }) => {
            let ((mut left, mut m), (mut right, mut n)) = ((Vec::new(), 0), (Vec::new(), 0));
            add_terms(a, &mut left, &mut m);
            add_terms(b, &mut right, &mut n);
            let found = |a: &&Expr| {
                let at = right.iter().position(|b| are_equal(a, b));
                at.map(|at| right.swap_remove(at)).is_some()
            };
            m == n && left.iter().all(found) && right.is_empty()
        }
        _ => a == b,
    }
}

/// What is added up in a sum, and the constants in it.
fn add_terms<'e>(e: &'e Expr, terms: &mut Vec<&'e Expr>, rest: &mut i64) {
    match e {
        Expr::Call { prim: Prim::Add, args } => args.iter().for_each(|e| add_terms(e, terms, rest)),
        Expr::Const(Scalar::I64(n)) => *rest = rest.wrapping_add(*n),
        e => terms.push(e),
    }
}

/// Whether an index is computed from a variable, not only read from memory where it says.
pub(super) fn counts(at: &Expr, v: VarId) -> bool {
    match at {
        Expr::Var(own) => *own == v,
        e if read_buffer(e).is_some() => false,
        other => crate::walk::parts(other).any(|p| counts(p, v)),
    }
}
