//! Loops that do nothing with some variables or places of single precision but add to them.

use super::facts::SumFacts;
use super::places::{PlaceSpan, SumPlaces, are_equal, counts, upper};
use super::{ArrayRoom, BlockLength, total};
use crate::build::{add, call, int, mul, var};
use crate::kinds::{StmtKind, changed_buffer, read_buffer};
use crate::nodes::{BufId, BufRole, Expr, Init, LoopKernel, LoopMode, Stmt, VarId};
use crate::walk::{any_part, blocks, born_var, each_part, each_stmt, exprs, leaves, set_var, substitute};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;
use std::collections::{BTreeMap, BTreeSet};

/// What is known when a loop is looked at.
#[derive(Clone, Copy)]
pub(super) struct Sight<'k> {
    pub kernel: &'k LoopKernel,
    /// How many elements arrays have.
    pub rooms: &'k IdMap<BufId, ArrayRoom>,
    /// What variables are that have one value for as long as they live.
    pub lets: &'k IdMap<VarId, Expr>,
    /// Whether no loop is around: arrays may be added to anywhere, as their totals are made once.
    pub outside: bool,
    /// The loop around that takes its range in steps, and how long these are.
    pub strip: Option<(VarId, i64)>,
    pub blocks: BlockLength,
}

impl Sight<'_> {
    /// What is known in a loop.
    pub fn enter_loop(self, around: &Stmt) -> Self {
        let strip = match around {
            Stmt::For { var, step, .. } if *step > 1 => Some((*var, *step)),
            _ => self.strip,
        };
        Sight { outside: false, strip, ..self }
    }

    /// What is known in some loop that takes its range one by one.
    pub fn enter_nested(self) -> Self {
        Sight { outside: false, ..self }
    }
}

/// What a loop adds to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SumTarget {
    /// A variable.
    Var(VarId),
    /// Places of an array, each of them once in a round of the loop that is cut.
    Places(PlaceSpan),
    /// Any of some places of an array, in rows of `row`.
    Anywhere { span: PlaceSpan, row: Expr, part: bool },
}

/// Where blocks of a loop end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ends {
    /// Between two rounds: `each` of them adds so often to one place.
    Between { each: Expr },
    /// Between some rows, where enough was added: one by this number begins at `begin`, and adds `each` times what it has.
    AfterRows { begin: Expr, each: Expr },
    /// Where enough was added, which is counted.
    Counted,
}

/// A loop that only adds to some targets.
#[derive(Clone, Debug)]
pub(super) struct SumRegion {
    pub targets: Vec<SumTarget>,
    /// How many additions make a block.
    pub limit: Expr,
    /// The most additions that need no blocks.
    pub short: Expr,
    pub ends: Ends,
}

impl SumRegion {
    /// What a loop only adds to, if there is something.
    pub fn find(sight: Sight<'_>, s: &Stmt) -> Option<SumRegion> {
        let Sight { kernel, rooms, blocks, .. } = sight;
        let facts = SumFacts::new(s);
        let mut targets = variables(kernel, s);
        let mut scattered = Vec::new();
        for buf in arrays(kernel, s, &facts) {
            match SumPlaces::find(sight, s, &facts, buf) {
                SumPlaces::Same(span) => targets.push(SumTarget::Places(span)),
                SumPlaces::Within(span, row) => {
                    scattered.push(SumTarget::Anywhere { span, row, part: false })
                }
                SumPlaces::Own if !sight.outside || is_followed(sight, s, buf) => {}
                SumPlaces::Any | SumPlaces::Own => {
                    let room = rooms.get(&buf).filter(|room| room.is_filled && sight.outside);
                    scattered
                        .extend(room.filter(|room| !room.part || neighbours(s)).map(|room| room.target(buf)));
                }
            }
        }
        let variable = |t: &SumTarget| matches!(t, SumTarget::Var(_));
        // Where both are added to, blocks are as the shorter sums want them; arrays of any length would not pay for that.
        let limit = match (targets.as_slice(), scattered.as_slice()) {
            ([], []) => return None,
            ([], arrays) => arrays.iter().fold(int(blocks.rounds), |limit, target| {
                let SumTarget::Anywhere { row, .. } = target else { return limit };
                longer(limit, per_element(row, blocks))
            }),
            _ => int(if is_shared(kernel, s) && is_real(kernel, &targets) {
                if gathers(s) { blocks.gathered } else { blocks.shared }
            } else {
                blocks.rounds
            }),
        };
        if targets.is_empty() {
            targets = scattered;
        }
        let any_rows = !targets.iter().all(variable) && !is_anywhere(&targets);
        let mut region = SumRegion { ends: Ends::Counted, targets, short: limit.clone(), limit };
        // The totals of several columns of one row are what costs; a strip has its own for many rounds.
        if any_rows && sight.strip.is_none() && region.is_taken_in_vectors(s) {
            region.short = int(blocks.row);
        }
        region.ends = region.find_ends(sight, s, &facts);
        if let (true, Stmt::For { body, .. }) = (region.is_leaf(), s) {
            let several = region.is_taken_in_vectors(s);
            region.shorten(region.additions_per_round(sight, s, body), several);
        }
        if region.has_part() && region.is_taken_in_vectors(s) {
            return None;
        }
        let fixed = rounds(s).as_ref().and_then(upper).is_some_and(|n| n <= blocks.rounds);
        (!(fixed && region.is_leaf())).then_some(region)
    }

    /// Whether the loop can be cut between any two rounds.
    pub fn is_leaf(&self) -> bool {
        self.ends == Ends::Between { each: int(1) }
    }

    /// Whether an array is one part of a result.
    pub fn has_part(&self) -> bool {
        self.targets.iter().any(|t| matches!(t, SumTarget::Anywhere { part: true, .. }))
    }

    /// Whether the totals are those of whole arrays.
    pub fn is_whole(&self) -> bool {
        self.targets.iter().all(|t| matches!(t, SumTarget::Anywhere { span, .. } if span.is_whole()))
    }

    /// Whether nobody knows to which places of an array it adds.
    pub fn is_anywhere(&self) -> bool {
        is_anywhere(&self.targets)
    }

    fn find_ends(&mut self, sight: Sight<'_>, s: &Stmt, facts: &SumFacts) -> Ends {
        if self.adds_once(sight, s) {
            return Ends::Between { each: int(1) };
        }
        let Stmt::For { step: 1, body, .. } = s else { return Ends::Counted };
        let adding: Vec<&Stmt> = body.iter().filter(|s| self.adds(s)).collect();
        let [row] = adding.as_slice() else { return Ends::Counted };
        if self.is_anywhere() {
            return self.find_rows(sight, s, row, facts).filter(|_| !leaves(body)).unwrap_or(Ends::Counted);
        }
        let each = rounds(row).and_then(|n| facts.written_out(&n)).filter(|n| facts.is_fixed(n));
        let inner =
            SumRegion::find(sight.enter_loop(s), row).filter(|r| r.is_leaf() && r.targets == self.targets);
        match (each, inner) {
            (Some(each), Some(inner)) if !leaves(body) => {
                (self.limit, self.short) = (inner.limit, inner.short);
                Ends::Between { each }
            }
            _ => Ends::Counted,
        }
    }

    /// Whether a round of a loop adds to a target once, or to places that differ, so that the loop can be cut.
    fn adds_once(&self, sight: Sight<'_>, s: &Stmt) -> bool {
        let Stmt::For { step: 1, body, .. } = s else { return false };
        let anywhere = self.is_anywhere();
        let sums = |inner: &Stmt| match inner {
            Stmt::While { .. } => self.adds(inner),
            Stmt::For { .. } if anywhere => self.adds(inner),
            Stmt::For { .. } => self.adds(inner) && SumRegion::find(sight.enter_loop(s), inner).is_some(),
            _ => false,
        };
        !leaves(body) && !any_stmt(body, &sums)
    }

    /// Whether vectors add to neighbours among the places.
    pub fn is_taken_in_vectors(&self, s: &Stmt) -> bool {
        let mut found = false;
        each_stmt(std::slice::from_ref(s), &mut |inner| {
            let Stmt::For { var: v, mode: LoopMode::Vector, body, .. } = inner else { return };
            found |=
                body.iter().any(|s| matches!(s, Stmt::Store { at, .. } if self.adds(s) && counts(at, *v)));
        });
        found
    }

    /// Whether a statement, or one in it, adds to a target.
    pub fn adds(&self, s: &Stmt) -> bool {
        self.targets.iter().any(|t| t.is_added_in(s))
    }

    /// Where blocks end of a loop around one over rows, each of which begins where the one before it ends.
    fn find_rows(&self, sight: Sight<'_>, around: &Stmt, row: &Stmt, facts: &SumFacts) -> Option<Ends> {
        let (Stmt::For { var: i, .. }, Stmt::For { lo, hi, step: 1, body, .. }) = (around, row) else {
            return None;
        };
        let (begin, end) = (facts.written_out(lo)?, facts.written_out(hi)?);
        let next = substitute(&begin, &|v| (v == *i).then(|| add(var(*i), int(1))));
        let told = substitute(&begin, &|v| (v == *i).then(|| int(0)));
        if !are_equal(&end, &next) || !facts.is_fixed(&told) {
            return None;
        }
        let each = self.additions_per_round(sight.enter_loop(around), row, body)?;
        let each = facts.written_out(&each).filter(|n| facts.is_fixed(n))?;
        Some(Ends::AfterRows { begin, each })
    }

    /// How often a statement adds, where the sizes of the loops in it tell: to one place, or, where it adds anywhere, to all of them.
    pub fn additions(&self, sight: Sight<'_>, s: &Stmt) -> Option<Expr> {
        match s {
            Stmt::For { body, .. } => {
                let each = self.additions_per_round(sight, s, body)?;
                let facts = SumFacts::new(s);
                let each = facts.written_out(&each).filter(|n| facts.is_fixed(n))?;
                Some(mul(rounds(s)?, each))
            }
            Stmt::While { body, .. } if self.is_anywhere() && goes_through_bits(s) => {
                let each = self.additions_in(sight.enter_nested(), body)?;
                SumFacts::new(s).is_fixed(&each).then(|| mul(int(64), each))
            }
            Stmt::If { then, other, .. } => {
                let branches = [self.additions_in(sight, then)?, self.additions_in(sight, other)?];
                let [a, b] = branches;
                Some(if a == b || b == int(0) { a } else { longer(a, b) })
            }
            s => match s.kind() {
                StmtKind::Loop | StmtKind::Branch => None,
                StmtKind::Value
                | StmtKind::Store
                | StmtKind::Room
                | StmtKind::Leave
                | StmtKind::End
                | StmtKind::Remark => Some(int(1)),
            },
        }
    }

    /// How often one round of a loop adds.
    fn additions_per_round(&self, sight: Sight<'_>, around: &Stmt, body: &[Stmt]) -> Option<Expr> {
        self.additions_in(sight.enter_loop(around), body)
    }

    /// How often statements add, where the sizes of the loops in them tell.
    pub fn additions_in(&self, sight: Sight<'_>, body: &[Stmt]) -> Option<Expr> {
        let mut all = int(0);
        for s in body.iter().filter(|s| self.adds(s)) {
            let own = match s {
                // Every round adds elsewhere.
                Stmt::For { body, .. } if self.goes_through_places(sight, s) => {
                    self.additions_per_round(sight, s, body)?
                }
                s => self.additions(sight, s)?,
            };
            all = add(all, own);
        }
        Some(all)
    }

    /// Makes blocks shorter where a round adds several times, or may: lanes share what is no vector of columns.
    fn shorten(&mut self, each: Option<Expr>, several: bool) {
        let each = match &each {
            Some(Expr::Const(Scalar::I64(each))) => Some(*each),
            Some(each) if several => upper(each),
            _ => None,
        };
        let Some(each @ 2..) = each else { return };
        for limit in [&mut self.limit, &mut self.short] {
            *limit = match &*limit {
                Expr::Const(Scalar::I64(n)) => int((n / each).max(1)),
                other => call(Prim::Max, int(1), call(Prim::Quot, other.clone(), int(each))),
            };
        }
    }

    /// Whether every round of a loop adds to places of its own.
    fn goes_through_places(&self, sight: Sight<'_>, s: &Stmt) -> bool {
        let facts = SumFacts::new(s);
        self.targets.iter().all(|t| match t {
            SumTarget::Places(span) => matches!(SumPlaces::find(sight, s, &facts, span.buf), SumPlaces::Own),
            SumTarget::Var(_) | SumTarget::Anywhere { .. } => false,
        })
    }

    /// When a loop in this one, which adds anywhere, is short, and how it is cut.
    pub fn cut_inside(&self, sight: Sight<'_>, s: &Stmt) -> Option<(Expr, SumRegion)> {
        let Stmt::For { step: 1, body, .. } = s else { return None };
        let facts = SumFacts::new(s);
        let each = self.additions_per_round(sight, s, body).and_then(|n| facts.written_out(&n));
        let each = each.filter(|n| facts.is_fixed(n) && !leaves(body))?;
        let cond = call(Prim::Le, mul(rounds(s)?, each.clone()), self.short.clone());
        let limit = match each {
            Expr::Const(Scalar::I64(1)) => self.limit.clone(),
            each => longer(int(1), call(Prim::Quot, self.limit.clone(), longer(int(1), each))),
        };
        Some((cond, SumRegion { limit, ends: Ends::Between { each: int(1) }, ..self.clone() }))
    }

    /// A condition under which no block is longer than the loop.
    pub fn is_short(&self, s: &Stmt) -> Option<Expr> {
        let Ends::Between { each } = &self.ends else { return None };
        let all = mul(rounds(s)?, each.clone());
        Some(call(Prim::Le, all, self.short.clone()))
    }
}

impl SumTarget {
    fn is_added_in(&self, s: &Stmt) -> bool {
        let mut found = false;
        each_stmt(std::slice::from_ref(s), &mut |s| {
            found |= match (self, s) {
                (SumTarget::Var(t), s) => set_var(s) == Some(*t),
                (SumTarget::Places(span) | SumTarget::Anywhere { span, .. }, Stmt::Store { buf, .. }) => {
                    *buf == span.buf
                }
                (SumTarget::Places(_) | SumTarget::Anywhere { .. }, _) => false,
            }
        });
        found
    }
}

/// The loops that only add to something, those inside of them only where they add to something else.
pub(super) fn outermost<'s>(sight: Sight<'_>, body: &'s [Stmt], out: &mut Vec<(&'s Stmt, SumRegion)>) {
    for s in body {
        let around = matches!(s, Stmt::For { .. } | Stmt::While { .. });
        if let Some(region) = SumRegion::find(sight, s).filter(|_| around) {
            find_inner(sight.enter_loop(s), s, &region, out);
            out.push((s, region));
            continue;
        }
        let sight = if around { sight.enter_loop(s) } else { sight };
        for inner in blocks(s) {
            outermost(sight, inner, out);
        }
    }
}

/// Whether it is known of every loop inside of one to which places of an array it adds.
fn is_followed(sight: Sight<'_>, around: &Stmt, buf: BufId) -> bool {
    let inside = if rounds(around).is_some() { sight.enter_loop(around) } else { sight };
    blocks(around).flatten().all(|s| match s {
        Stmt::For { .. } | Stmt::While { .. } if crate::walk::mentions_buffer(s, buf) => {
            match SumPlaces::find(inside, s, &SumFacts::new(s), buf) {
                SumPlaces::Same(_) | SumPlaces::Within(..) => true,
                SumPlaces::Own => is_followed(inside, s, buf),
                SumPlaces::Any => false,
            }
        }
        Stmt::If { .. } => is_followed(sight, s, buf),
        _ => true,
    })
}

/// The loops inside of one that only add to something else.
fn find_inner<'s>(
    sight: Sight<'_>,
    around: &'s Stmt,
    region: &SumRegion,
    out: &mut Vec<(&'s Stmt, SumRegion)>,
) {
    for s in blocks(around).flatten() {
        if region.adds(s) {
            let sight = if rounds(s).is_some() { sight.enter_loop(s) } else { sight };
            find_inner(sight, s, region, out);
        } else {
            outermost(sight, std::slice::from_ref(s), out);
        }
    }
}

/// How many rounds a loop has, below 0 where it has none.
pub(super) fn rounds(s: &Stmt) -> Option<Expr> {
    let Stmt::For { lo, hi, step: 1, .. } = s else { return None };
    Some(match (lo, hi) {
        (Expr::Const(Scalar::I64(lo)), Expr::Const(Scalar::I64(hi))) => int(hi.saturating_sub(*lo)),
        (Expr::Const(Scalar::I64(0)), hi) => hi.clone(),
        (lo, hi) => call(Prim::Sub, hi.clone(), lo.clone()),
    })
}

/// Whether a number is known before the kernel does anything.
pub(super) fn is_size(kernel: &LoopKernel, e: &Expr) -> bool {
    !any_part(e, &|part| match part {
        Expr::Var(v) => !kernel.params.contains(v),
        part => read_buffer(part).is_some(),
    })
}

/// Whether rounds that follow one another often add to the same element.
pub(super) fn neighbours(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Runs, .. })
}

fn is_anywhere(targets: &[SumTarget]) -> bool {
    matches!(targets.first(), Some(SumTarget::Anywhere { .. }))
}

/// How many additions make a block of sums in an array of so many elements.
fn per_element(len: &Expr, blocks: BlockLength) -> Expr {
    let beyond = call(Prim::Max, call(Prim::Sub, len.clone(), int(blocks.cached)), int(0));
    mul(add(len.clone(), beyond), int(blocks.per_element))
}

pub(super) fn longer(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::I64(x)), Expr::Const(Scalar::I64(y))) => int(*x.max(y)),
        _ => call(Prim::Max, a, b),
    }
}

/// Whether all variables are real: there are no vectors of complex numbers.
fn is_real(kernel: &LoopKernel, targets: &[SumTarget]) -> bool {
    targets.iter().all(|t| matches!(t, SumTarget::Var(v) if !kernel.vars[*v].ty.elem.is_complex()))
}

/// Whether a loop has a round for each bit of a number that is set.
fn goes_through_bits(s: &Stmt) -> bool {
    let Stmt::While { cond, body } = s else { return false };
    let Expr::Call { prim: Prim::Ne, args } = cond else { return false };
    let [Expr::Var(m), Expr::Const(Scalar::I64(0))] = args.as_slice() else { return false };
    let below = call(Prim::Sub, var(*m), int(1));
    let fewer =
        |e: &Expr| matches!(e, Expr::Call { prim: Prim::And, args } if *args == [var(*m), below.clone()]);
    let mut sets = 0;
    each_stmt(body, &mut |s| sets += usize::from(set_var(s) == Some(*m)));
    sets == 1 && body.iter().any(|s| matches!(s, Stmt::Set { var, val } if var == m && fewer(val)))
}

/// Whether vectors share the rounds of a loop: not where branches or elements of other sizes keep them from it.
fn is_shared(kernel: &LoopKernel, s: &Stmt) -> bool {
    let Stmt::For { mode: LoopMode::Vector, body, .. } = s else { return false };
    let mut shared = true;
    each_stmt(body, &mut |s| {
        shared &= !matches!(s, Stmt::If { .. } | Stmt::While { .. });
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Expr::Load { buf, .. } = part {
                    let elem = kernel.bufs[*buf].elem;
                    shared &= elem.is_int() && elem.size() >= 4 || total(elem).is_some();
                }
            });
        }
    });
    shared
}

/// Whether elements are read where an index from memory says: of these, vectors have four lanes.
fn gathers(s: &Stmt) -> bool {
    let facts = SumFacts::new(s);
    let from_memory = |e: &Expr| any_part(e, &|part| read_buffer(part).is_some());
    let mut found = false;
    each_stmt(std::slice::from_ref(s), &mut |s| {
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Expr::Load { at, .. } = part {
                    found |= facts.written_out(at).is_none_or(|at| from_memory(&at));
                }
            });
        }
    });
    found
}

fn any_stmt(body: &[Stmt], test: &impl Fn(&Stmt) -> bool) -> bool {
    body.iter().any(|s| test(s) || blocks(s).any(|b| any_stmt(b, test)))
}

/// Variables from outside that a loop only adds to.
fn variables(kernel: &LoopKernel, s: &Stmt) -> Vec<SumTarget> {
    let mut added: BTreeMap<VarId, bool> = BTreeMap::new();
    let mut reads: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut own: BTreeSet<VarId> = BTreeSet::new();
    each_stmt(std::slice::from_ref(s), &mut |s| {
        own.extend(born_var(s));
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Expr::Var(v) = part {
                    *reads.entry(*v).or_default() += 1;
                }
            });
        }
        if let Stmt::Set { var: t, val } = s {
            let adds = matches!(val, Expr::Call { prim: Prim::Add, args } if args.contains(&var(*t)));
            *added.entry(*t).or_insert(true) &= adds;
            if adds {
                *reads.entry(*t).or_default() -= 1;
            }
        }
    });
    added
        .into_iter()
        .filter(|(t, adds)| {
            let ty = kernel.vars[*t].ty;
            *adds && ty.lanes == 1 && total(ty.elem).is_some() && reads.get(t) == Some(&0) && !own.contains(t)
        })
        .map(|(t, _)| SumTarget::Var(t))
        .collect()
}

/// Arrays that a loop only adds to.
fn arrays(kernel: &LoopKernel, s: &Stmt, facts: &SumFacts) -> Vec<BufId> {
    let mut not: BTreeSet<BufId> = BTreeSet::new();
    each_stmt(std::slice::from_ref(s), &mut |s| {
        for e in exprs(s) {
            each_part(e, &mut |part| not.extend(read_buffer(part)));
        }
        if !matches!(s, Stmt::Store { reduce: Some(Prim::Add), .. }) {
            not.extend(changed_buffer(s));
        }
    });
    let of_sums = |b: &BufId| {
        let buf = &kernel.bufs[*b];
        buf.role != BufRole::In && buf.init != Init::Kept && total(buf.elem).is_some()
    };
    facts.written.iter().copied().filter(|b| !not.contains(b) && of_sums(b)).collect()
}
