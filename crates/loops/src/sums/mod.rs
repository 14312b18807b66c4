//! Long sums of single precision are added up in blocks: the sum of each block is added to a total of double precision.
//!
//! ```text
//! for p in lo..hi { t = t + x[p] }     =>     if hi - lo <= 1024 {
//!                                               for p in lo..hi { t = t + x[p] }
//!                                             } else {
//!                                               let total: f64 = 0.0
//!                                               let next: i64 = lo
//!                                               while next < hi {
//!                                                 let begin: i64 = next
//!                                                 next = begin + min(1024, hi - begin)
//!                                                 for p in begin..next { t = t + x[p] }
//!                                                 total = total + f64(t)
//!                                                 t = f32(0)
//!                                               }
//!                                               t = f32(total)
//!                                             }
//! ```
//!
//! The error of a sum grows with the number of additions in a row: two million times 0.1 in `f32` is wrong in the fourth
//! digit. A block has 64 elements, or 64 for each lane of the vectors that share them, and totals have 53 bits, so a sum of values of one sign
//! is right to 1e-6 however long it is (blocked summation: Higham, *The accuracy of floating point summation*, 1993). A loop in double
//! precision throughout takes two to five times as long, for want of lanes.
//!
//! Sums in sparse workspaces have double precision ([`widen`](mod@widen)). Of other sums, these shapes are found ([`region`],
//! [`places`]):
//!
//! | what is added to | a block |
//! |---|---|
//! | a variable | 64 rounds, or as many for each lane of vectors; of rows of known length, as many as have that |
//! | the same places of an array in every round, `y[b + k]` for all `k` | 64 rounds; where vectors go through `k`, if there are more than 512 |
//! | any place of a row of an array, or of all of it, `y[b + crd[p]]` | 64 additions for every element of the row: so the totals cost little |
//! | any place of an array of few elements, or of a part of a result | one: the totals themselves are added to; where a part has few additions, those of the places alone that these go to |
//!
//! Totals are zeros again at the end, and wait for the next run ([`Init::Kept`](crate::nodes::Init::Kept)).
//!
//! Loops over rows ([`rows`]) take short rows as before, all that follow one another in one loop, which other passes then find as they
//! know it; a long row is a round of its own. Which way a row takes depends on nothing but its own length, so chunks make the same
//! bits.

mod emit;
mod facts;
mod fill;
mod places;
mod region;
mod rows;
mod widen;

use crate::build::int;
use crate::nodes::{BufId, Expr, LoopKernel, Stmt, Ty, VarId};
use crate::walk::{blocks_mut, each_stmt, set_var};
use openwork_algebra::DType;
use openwork_base::IdMap;
use places::PlaceSpan;
use region::{Sight, SumRegion, SumTarget};

/// How long blocks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLength {
    /// Rounds of a block: the error of so many additions of one value is at most 1e-6.
    pub rounds: i64,
    /// Rounds of a block where vectors share them, so that no lane adds up more than some `rounds`.
    pub shared: i64,
    /// The same where the vectors have fewer lanes, as those have whose elements are gathered.
    pub gathered: i64,
    /// The most rounds in which vectors go through the same places of an array and need no blocks: the rows of most matrices have
    /// no more.
    pub row: i64,
    /// Rounds of a block for every element of an array that is added to anywhere, so that the totals cost little.
    pub per_element: i64,
    /// The most elements of an array for which that holds; beyond, twice as many, as the totals leave the cache.
    pub cached: i64,
    /// The most elements of an array that are totals themselves, where enough is added to them.
    pub few: i64,
    /// Elements of a part of a result for each addition, from which on only those are totalled that something is added to: a loop
    /// goes to them three times more.
    pub untouched: i64,
    /// The most rows that are taken together: as many as there are between two polls.
    pub strip: i64,
}

impl BlockLength {
    /// Blocks that are as short as they can be. For tests.
    pub const SMALL: BlockLength = BlockLength {
        rounds: 2,
        shared: 3,
        gathered: 3,
        row: 2,
        per_element: 1,
        cached: 2,
        few: 2,
        untouched: 1,
        strip: 4,
    };
}

impl Default for BlockLength {
    fn default() -> BlockLength {
        BlockLength {
            rounds: 64,
            shared: 1 << 10,
            gathered: 1 << 8,
            row: 512,
            per_element: 64,
            cached: 1 << 16,
            few: 1 << 11,
            untouched: 4,
            strip: 256,
        }
    }
}

/// Adds long sums of single precision up in blocks, in a lawful kernel.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{BlockLength, sums, text::{parse, print}};
/// let text = "kernel k(n: i64, x: in f32[], y: out f32[]) {
///   let t: f32 = f32(0)
///   vector for p in 0..n { t = t + x[p] }
///   y[0] = t
/// }";
/// let k = print(&sums(parse(&Source::new("demo", text)).unwrap(), BlockLength::default()));
/// assert!(k.contains("if n <= 1024 {") && k.contains("total = total + f64(t)"), "{k}");
/// ```
pub fn sums(mut kernel: LoopKernel, blocks: BlockLength) -> LoopKernel {
    if !adds_singles(&kernel) {
        return kernel;
    }
    widen::widen(&mut kernel);
    let body = std::mem::take(&mut kernel.body);
    let rooms = lengths(&kernel, &body);
    let lets = definitions(&body);
    let mut pass = SumsPass { kernel, rooms, lets, blocks, outside: true, strip: None, totals: Vec::new() };
    let body = pass.block(body);
    // Calls between loops would take registers from what is in them.
    let room = pass.totals.into_iter().map(|t| Stmt::Reserve { buf: t.buf, len: t.len });
    let body = room.chain(body).collect();
    LoopKernel { body, ..pass.kernel }
}

/// The dtype in which sums of a dtype are totalled, where its own is too coarse.
fn total(elem: DType) -> Option<DType> {
    match elem {
        DType::F32 => Some(DType::F64),
        DType::C64 => Some(DType::C128),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F64
        | DType::C128 => None,
    }
}

/// Whether a kernel sets a variable, or adds to an array, of single precision.
fn adds_singles(kernel: &LoopKernel) -> bool {
    let mut found = false;
    each_stmt(&kernel.body, &mut |s| {
        found |= set_var(s).is_some_and(|v| total(kernel.vars[v].ty.elem).is_some());
        found |=
            matches!(s, Stmt::Store { buf, reduce: Some(_), .. } if total(kernel.bufs[*buf].elem).is_some());
    });
    found
}

/// Definitions of variables that nothing else sets.
fn definitions(body: &[Stmt]) -> IdMap<VarId, Expr> {
    let (mut lets, mut others) = (IdMap::default(), Vec::new());
    each_stmt(body, &mut |s| {
        if let Stmt::Let { var, val } = s
            && lets.insert(*var, val.clone()).is_some()
        {
            others.push(*var);
        }
        others.extend(set_var(s));
    });
    lets.retain(|v, _| !others.contains(v));
    lets
}

/// How many elements an array has that is added to anywhere.
#[derive(Clone, Debug, PartialEq)]
struct ArrayRoom {
    len: Expr,
    /// Whether it is a part of a result: what other parts there are must not decide where blocks end.
    part: bool,
    /// Whether all of it holds something at first.
    is_filled: bool,
}

impl ArrayRoom {
    fn target(&self, buf: BufId) -> SumTarget {
        let len = self.len.clone();
        let span = PlaceSpan { buf, start: int(0), len: len.clone(), bound: len.clone() };
        SumTarget::Anywhere { span, row: len, part: self.part }
    }
}

/// The room of arrays that get it once, by what is known everywhere.
fn lengths(kernel: &LoopKernel, body: &[Stmt]) -> IdMap<BufId, ArrayRoom> {
    let mut rooms: IdMap<BufId, Vec<Expr>> = IdMap::default();
    each_stmt(body, &mut |s| {
        if let Stmt::Reserve { buf, len } = s {
            rooms.entry(*buf).or_default().push(len.clone());
        }
    });
    // A part of the rows has a variable for how many they are, which the kernel sets first of all.
    let lets: IdMap<_, _> = body
        .iter()
        .map_while(|s| if let Stmt::Let { var, val } = s { Some((*var, val.clone())) } else { None })
        .collect();
    let written = |e: &Expr| crate::walk::substitute(e, &|v| lets.get(&v).cloned());
    let room = |buf: BufId, len: &Expr| {
        let whole = written(len);
        let is_filled = fill::is_filled(kernel, body, buf);
        ArrayRoom { part: whole != *len, len: whole, is_filled }
    };
    rooms
        .into_iter()
        .filter_map(
            |(buf, rooms)| if let [len] = rooms.as_slice() { Some((buf, room(buf, len))) } else { None },
        )
        .filter(|(_, room)| region::is_size(kernel, &room.len))
        .collect()
}

/// What is around a statement.
struct SumsContext {
    outside: bool,
    strip: Option<(VarId, i64)>,
}

/// The totals of an array.
struct Totals {
    of: BufId,
    buf: BufId,
    len: Expr,
}

struct SumsPass {
    kernel: LoopKernel,
    /// How many elements arrays have, as far as that is known.
    rooms: IdMap<BufId, ArrayRoom>,
    /// What variables are that have one value for as long as they live.
    lets: IdMap<VarId, Expr>,
    blocks: BlockLength,
    /// Whether no loop is around.
    outside: bool,
    /// The loop around that takes its range in steps, and how long these are.
    strip: Option<(VarId, i64)>,
    /// The arrays that hold totals.
    totals: Vec<Totals>,
}

impl SumsPass {
    fn sight(&self) -> Sight<'_> {
        let SumsPass { kernel, rooms, lets, outside, strip, blocks, .. } = self;
        Sight { kernel, rooms, lets, outside: *outside, strip: *strip, blocks: *blocks }
    }
    /// What a loop only adds to.
    fn region(&self, s: &Stmt) -> Option<SumRegion> {
        SumRegion::find(self.sight(), s)
    }
    fn block(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(body.len());
        for s in body {
            if matches!(s, Stmt::For { .. } | Stmt::While { .. }) {
                if let Some(short) = self.always_short(&s) {
                    out.extend(self.versions(s, short));
                    continue;
                }
                if let Some(region) = self.region(&s) {
                    let s = self.block_others(s, &region);
                    out.extend(self.block_loop(s, &region));
                    continue;
                }
                if let Some(rows) = rows::LongRows::find(self, &s) {
                    out.extend(self.rows(rows));
                    continue;
                }
            }
            out.push(self.parts_blocked(s));
        }
        out
    }

    /// A statement with the blocks in it done. Any place of an array is looked at outside of loops alone, where the totals are made once.
    fn parts_blocked(&mut self, mut s: Stmt) -> Stmt {
        let around = self.enter(&s);
        for inner in blocks_mut(&mut s) {
            *inner = self.block(std::mem::take(inner));
        }
        self.leave(around);
        s
    }

    /// A loop with blocks of what it adds to something else.
    fn block_others(&mut self, mut s: Stmt, region: &SumRegion) -> Stmt {
        let around = self.enter(&s);
        for inner in blocks_mut(&mut s) {
            let body = std::mem::take(inner);
            for s in body {
                if region.adds(&s) {
                    inner.push(self.block_others(s, region));
                } else {
                    inner.extend(self.block(vec![s]));
                }
            }
        }
        self.leave(around);
        s
    }

    /// Takes note of what is around the statements inside of one; what was noted before.
    fn enter(&mut self, s: &Stmt) -> SumsContext {
        let before = SumsContext { outside: self.outside, strip: self.strip };
        if matches!(s, Stmt::For { .. } | Stmt::While { .. }) {
            let inside = self.sight().enter_loop(s);
            (self.outside, self.strip) = (inside.outside, inside.strip);
        }
        before
    }

    fn leave(&mut self, before: SumsContext) {
        (self.outside, self.strip) = (before.outside, before.strip);
    }

    /// What tells that no sum in a loop is long, where the sizes alone tell it.
    fn always_short(&self, s: &Stmt) -> Option<Vec<Expr>> {
        let mut regions = Vec::new();
        region::outermost(self.sight(), std::slice::from_ref(s), &mut regions);
        let all: Option<Vec<Expr>> = regions.iter().map(|(s, region)| region.is_short(s)).collect();
        let mut all = all.filter(|all| !all.is_empty())?;
        all.dedup();
        all.iter().all(|e| region::is_size(&self.kernel, e)).then_some(all)
    }

    /// A loop as it is where all its sums are short, and in blocks where one is not.
    fn versions(&mut self, s: Stmt, short: Vec<Expr>) -> Vec<Stmt> {
        let mut conds = short.into_iter().filter(|e| !emit::holds(e));
        let Some(first) = conds.next() else { return vec![s] };
        let cond = conds.fold(first, crate::build::and_also);
        let copy = self.copy(&s);
        let other = self.block_inner(copy);
        vec![Stmt::If { cond, then: vec![s], other }]
    }

    /// A loop in blocks, whose sums are not always short.
    fn block_inner(&mut self, mut s: Stmt) -> Vec<Stmt> {
        if let Some(region) = self.region(&s) {
            let s = self.block_others(s, &region);
            return self.strips(s, &region);
        }
        for inner in blocks_mut(&mut s) {
            let body = std::mem::take(inner);
            *inner = body.into_iter().flat_map(|s| self.block_inner(s)).collect();
        }
        vec![s]
    }

    /// A loop with names of its own.
    fn copy(&mut self, s: &Stmt) -> Stmt {
        let copy = self.rename(s);
        self.lets.extend(definitions(std::slice::from_ref(&copy)));
        copy
    }

    fn rename(&mut self, s: &Stmt) -> Stmt {
        match s {
            Stmt::For { var, lo, hi, step, mode, body } => {
                let name = self.kernel.vars[*var].name.clone();
                let new = self.kernel.var(&name, Ty::INDEX);
                let body = crate::unroll::copy(&mut self.kernel, body, *var, &Expr::Var(new));
                Stmt::For { var: new, lo: lo.clone(), hi: hi.clone(), step: *step, mode: *mode, body }
            }
            other => {
                // No variable is replaced: the first parameter, or none, stands for itself.
                let unused = self.kernel.index("unused");
                let mut body = crate::unroll::copy(
                    &mut self.kernel,
                    std::slice::from_ref(other),
                    unused,
                    &Expr::Var(unused),
                );
                body.remove(0)
            }
        }
    }
}

#[cfg(test)]
mod tests;
