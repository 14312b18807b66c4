//! Loops over rows, of which few are long.
//!
//! ```text
//! for i in lo..hi {                            let next: i64 = lo
//!   let a: i64 = pos[i]                        while next < hi {
//!   let b: i64 = pos[i + 1]                      let begin: i64 = next
//!   for p in a..b { t = t + x[p] }     =>        // `next` passes rows that are short, 256 at most
//!   y[i] = t                                     for i in begin..next { … }      as it was
//! }                                              if next < hi && pos[next + 1] - pos[next] > 1024 {
//!                                                  // the round of row `next`, its sum in blocks
//!                                                  next = next + 1
//!                                                } }
//! ```
//!
//! Where a row begins where the one before it ends, several rows are looked at together. Each block of a long row is a loop over
//! rows of one round, `for i in next..next + 1 { for p in block { t = t + x[p] } }`, which other passes take as they take rows.

use super::SumsPass;
use super::places::are_equal;
use super::region::{SumRegion, rounds};
use crate::build::{add, and_also, call, constant, int, lt, set, var};
use crate::kinds::read_buffer;
use crate::nodes::{BufRole, Expr, LoopMode, Stmt, Ty, VarId};
use crate::walk::{any_part, born_var, each_part, each_stmt, leaves, set_var, substitute};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;
use std::collections::BTreeSet;

/// The variables of a search for a long row.
struct Scan {
    /// The next row to be looked at.
    next: VarId,
    /// Where the strip ends.
    stop: VarId,
    /// How many rows are looked at together: fewer after some that are too many elements, more after some that are not.
    piece: VarId,
    /// Whether no long row was found.
    short: VarId,
}

/// A loop over rows that may be long.
pub(super) struct LongRows {
    var: VarId,
    lo: Expr,
    hi: Expr,
    mode: LoopMode,
    body: Vec<Stmt>,
    lengths: Vec<Length>,
}

/// How long a sum in a row is, by the row's number.
struct Length {
    begin: Expr,
    end: Expr,
    limit: Expr,
}

impl LongRows {
    /// A loop as one over rows, where it has sums whose lengths can be told before.
    pub fn find(pass: &SumsPass, s: &Stmt) -> Option<LongRows> {
        let Stmt::For { var: i, lo, hi, step: 1, mode, body } = s else { return None };
        if leaves(body) {
            return None;
        }
        // What a round sets is not what it was before: a length that follows from it is not told.
        let mut changed = BTreeSet::new();
        each_stmt(body, &mut |s| changed.extend(set_var(s)));
        let mut known: IdMap<VarId, Expr> = IdMap::default();
        let mut lengths = Vec::new();
        let inside = pass.sight().enter_loop(s);
        for s in body {
            match s {
                Stmt::Let { var, val } => {
                    let val = substitute(val, &|v| known.get(&v).cloned());
                    let mut parts = 0;
                    each_part(&val, &mut |_| parts += 1);
                    let reads = |e: &Expr| {
                        read_buffer(e).is_some_and(|buf| pass.kernel.bufs[buf].role != BufRole::In)
                    };
                    if parts <= 32 && !any_part(&val, &reads) && !changed.contains(var) {
                        known.insert(*var, val);
                    }
                }
                Stmt::For { lo, hi, .. } => {
                    let Some(region) = SumRegion::find(inside, s) else { continue };
                    rounds(s).filter(|_| region.is_leaf())?;
                    let own = |e: &Expr| substitute(e, &|v| known.get(&v).cloned());
                    lengths.push(Length { begin: own(lo), end: own(hi), limit: own(&region.short) });
                }
                // What others do changes no length: `changed` has what they set.
                _ => {}
            }
        }
        let mut inside = BTreeSet::new();
        each_stmt(body, &mut |s| inside.extend(born_var(s).into_iter().chain(set_var(s))));
        let told = |e: &Expr| !any_part(e, &|part| matches!(part, Expr::Var(v) if inside.contains(v)));
        let all = lengths.iter().all(|l| [&l.begin, &l.end, &l.limit].into_iter().all(told));
        (all && !lengths.is_empty()).then(|| LongRows {
            var: *i,
            lo: lo.clone(),
            hi: hi.clone(),
            mode: *mode,
            body: body.clone(),
            lengths,
        })
    }
}

impl SumsPass {
    /// Rows that follow one another and are short in one loop, a long row in a round of its own.
    pub(super) fn rows(&mut self, rows: LongRows) -> Vec<Stmt> {
        let name = self.kernel.vars[rows.var].name.clone();
        let [end, next, begin] = ["last", "next", "begin"].map(|n| self.kernel.index(&format!("{name}_{n}")));
        let (stop, short) = (self.kernel.index(&format!("{name}_stop")), self.kernel.var("short", Ty::BOOL));
        let piece = self.kernel.index("piece");
        let scan = Scan { next, stop, piece, short };
        let LongRows { var: i, lo, hi, mode, body, lengths } = rows;
        let upto = call(Prim::Min, int(self.blocks.strip), call(Prim::Sub, var(end), var(begin)));
        let mut round = vec![
            Stmt::Let { var: begin, val: var(next) },
            Stmt::Let { var: stop, val: add(var(begin), upto) },
            Stmt::Let { var: short, val: constant(Scalar::Bool(true)) },
            Stmt::While {
                cond: and_also(var(short), lt(var(next), var(stop))),
                body: self.look(i, &scan, &lengths),
            },
        ];
        let long = self.kernel.index(&name);
        let slow = crate::unroll::copy(&mut self.kernel, &body, i, &var(long));
        self.lets.extend(super::definitions(&slow));
        let fast = self.beside_rows(body);
        round.push(Stmt::For { var: i, lo: var(begin), hi: var(next), step: 1, mode, body: fast });
        let mut alone = vec![Stmt::Let { var: long, val: var(next) }];
        let outside = std::mem::take(&mut self.outside);
        for s in slow {
            alone.extend(match self.region(&s) {
                // The only length there is made the row a long one.
                Some(region) if region.is_leaf() && lengths.len() == 1 => {
                    self.in_blocks(s, &region, Some(long))
                }
                _ => self.block(vec![s]),
            });
        }
        self.outside = outside;
        alone.push(set(next, add(var(next), int(1))));
        let not = Expr::Call { prim: Prim::Not, args: vec![var(short)] };
        round.push(Stmt::If { cond: not, then: alone, other: Vec::new() });
        vec![
            Stmt::Let { var: end, val: hi },
            Stmt::Let { var: next, val: lo },
            Stmt::Let { var: piece, val: int(self.blocks.strip) },
            Stmt::While { cond: lt(var(next), var(end)), body: round },
        ]
    }

    /// The body of a loop over short rows: what is not known to be short in it is done as anywhere.
    fn beside_rows(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let outside = std::mem::take(&mut self.outside);
        let mut out = Vec::with_capacity(body.len());
        for s in body {
            match self.region(&s) {
                Some(region) if region.is_leaf() && matches!(s, Stmt::For { .. }) => out.push(s),
                _ => out.extend(self.block(vec![s])),
            }
        }
        self.outside = outside;
        out
    }

    /// One step over rows that are short.
    fn look(&mut self, i: VarId, scan: &Scan, lengths: &[Length]) -> Vec<Stmt> {
        let Scan { next, stop, piece, short } = *scan;
        let at = |e: &Expr, row: Expr| substitute(e, &|v| (v == i).then(|| row.clone()));
        let within = |row: Expr| {
            let each = lengths.iter().map(|l| {
                let len = call(Prim::Sub, at(&l.end, row.clone()), at(&l.begin, row.clone()));
                call(Prim::Le, len, at(&l.limit, row.clone()))
            });
            each.reduce(and_also).unwrap_or_else(|| constant(Scalar::Bool(true)))
        };
        let stop_here = vec![set(short, constant(Scalar::Bool(false)))];
        // Several rows are looked at by the limit of the first, which has to be that of all: blocks at an edge are shorter, and
        // behind the last one nothing tells how long one would be.
        let same = |l: &Length| !any_part(&l.limit, &|part| *part == var(i));
        if !lengths.iter().all(|l| same(l) && are_equal(&l.end, &at(&l.begin, add(var(i), int(1))))) {
            let then = vec![set(next, add(var(next), int(1)))];
            return vec![Stmt::If { cond: within(var(next)), then, other: stop_here }];
        }
        let hop = self.kernel.index("hop");
        let size = call(Prim::Min, var(piece), call(Prim::Sub, var(stop), var(next)));
        let mut out = vec![Stmt::Let { var: hop, val: size }];
        let (mut within, mut half) = (Vec::new(), Vec::new());
        for l in lengths {
            let len = self.kernel.index("len");
            let begin = |row: Expr| at(&l.begin, row);
            let val = call(Prim::Sub, begin(add(var(next), var(hop))), begin(var(next)));
            out.push(Stmt::Let { var: len, val });
            let limit = at(&l.limit, var(next));
            within.push(call(Prim::Le, var(len), limit.clone()));
            half.push(call(Prim::Le, call(Prim::Mul, var(len), int(2)), limit));
        }
        let all = |conds: Vec<Expr>| {
            conds.into_iter().reduce(and_also).unwrap_or_else(|| constant(Scalar::Bool(true)))
        };
        let more = call(Prim::Min, int(self.blocks.strip), call(Prim::Mul, var(piece), int(2)));
        let smaller = Stmt::If {
            cond: lt(int(1), var(hop)),
            then: vec![set(piece, call(Prim::Shr, var(hop), int(1)))],
            other: stop_here,
        };
        let larger = Stmt::If { cond: all(half), then: vec![set(piece, more)], other: Vec::new() };
        out.push(Stmt::If {
            cond: all(within),
            then: vec![set(next, add(var(next), var(hop))), larger],
            other: vec![smaller],
        });
        out
    }
}
