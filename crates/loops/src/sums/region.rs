//! Loops that do nothing with some variables or places of single precision but add to them.

use super::{Blocks, Room, total};
use crate::build::{add, call, int, mul, var};
use crate::nodes::{BufId, Expr, Init, Kernel, LoopMode, Role, Stmt, VarId};
use crate::walk::{any_part, blocks, born, each_part, each_stmt, exprs, leaves, set_var, substitute};
use openwork_algebra::{Prim, Scalar};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is known when a loop is looked at.
#[derive(Clone, Copy)]
pub(super) struct Sight<'k> {
    pub kernel: &'k Kernel,
    /// How many elements arrays have that may be added to anywhere, outside of loops.
    pub lens: Option<&'k HashMap<BufId, Room>>,
    pub blocks: Blocks,
}

impl Sight<'_> {
    /// What is known in a loop.
    pub fn inside(self) -> Self {
        Sight { lens: None, ..self }
    }
}

/// What a loop adds to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// A variable.
    Var(VarId),
    /// `len` places of an array from `start` on, each of them once in a round of the loop that is cut.
    Places { buf: BufId, start: Expr, len: Expr },
    /// Any place of an array of so many elements.
    Anywhere { buf: BufId, room: Room },
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
pub(super) struct Region {
    pub targets: Vec<Target>,
    /// How many additions make a block.
    pub limit: Expr,
    /// The most additions that need no blocks.
    pub short: Expr,
    pub ends: Ends,
}

impl Region {
    /// What a loop only adds to, if there is something.
    pub fn find(sight: Sight<'_>, s: &Stmt) -> Option<Region> {
        let Sight { kernel, lens, blocks } = sight;
        let facts = Facts::new(s);
        let mut targets = variables(kernel, s);
        let mut scattered = Vec::new();
        for buf in arrays(kernel, s, &facts) {
            match Places::find(s, &facts, buf) {
                Places::Same { start, len } if is_size(kernel, &len) => {
                    targets.push(Target::Places { buf, start, len })
                }
                Places::Same { .. } => {}
                Places::Any => scattered.extend(
                    lens.and_then(|l| l.get(&buf))
                        .filter(|room| !room.part || neighbours(s))
                        .map(|room| Target::Anywhere { buf, room: room.clone() }),
                ),
                Places::Own => {}
            }
        }
        let variable = |t: &Target| matches!(t, Target::Var(_));
        // Where both are added to, blocks are as the shorter sums want them; arrays of any length would not pay for that.
        let limit = match (targets.as_slice(), scattered.as_slice()) {
            ([], []) => return None,
            ([], arrays) => arrays.iter().fold(int(blocks.rounds), |limit, target| {
                let Target::Anywhere { room, .. } = target else { return limit };
                longer(limit, per_element(&room.len, blocks))
            }),
            _ => int(if is_shared(s) && is_real(kernel, &targets) { blocks.shared } else { blocks.rounds }),
        };
        if targets.is_empty() {
            targets = scattered;
        }
        let short = if targets.iter().all(variable) || is_anywhere(&targets) {
            limit.clone()
        } else {
            int(blocks.row)
        };
        let mut region = Region { ends: Ends::Counted, targets, limit, short };
        region.ends = region.find_ends(sight, s, &facts);
        if region.has_part() && !region.is_leaf() {
            return None;
        }
        let fixed = rounds(s).is_some_and(|n| matches!(n, Expr::Const(Scalar::I64(n)) if n <= blocks.rounds));
        (!(fixed && region.is_leaf())).then_some(region)
    }

    /// Whether the loop can be cut between any two rounds.
    pub fn is_leaf(&self) -> bool {
        self.ends == Ends::Between { each: int(1) }
    }

    /// Whether an array is one part of a result.
    pub fn has_part(&self) -> bool {
        self.targets.iter().any(|t| matches!(t, Target::Anywhere { room, .. } if room.part))
    }

    /// Whether nobody knows to which places of an array it adds.
    pub fn is_anywhere(&self) -> bool {
        is_anywhere(&self.targets)
    }

    fn find_ends(&mut self, sight: Sight<'_>, s: &Stmt, facts: &Facts) -> Ends {
        if self.adds_once(sight, s) {
            return Ends::Between { each: int(1) };
        }
        let Stmt::For { step: 1, body, .. } = s else { return Ends::Counted };
        let adding: Vec<&Stmt> = body.iter().filter(|s| self.adds(s)).collect();
        let [row] = adding.as_slice() else { return Ends::Counted };
        if self.is_anywhere() {
            return find_rows(s, row, facts).filter(|_| !leaves(body)).unwrap_or(Ends::Counted);
        }
        let each = rounds(row).and_then(|n| facts.written_out(&n)).filter(|n| facts.is_fixed(n));
        let inner = Region::find(sight.inside(), row).filter(|r| r.is_leaf() && r.targets == self.targets);
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
        let sums = |s: &Stmt| match s {
            Stmt::While { .. } => self.adds(s),
            Stmt::For { .. } if anywhere => self.adds(s),
            Stmt::For { .. } => self.adds(s) && Region::find(sight.inside(), s).is_some(),
            _ => false,
        };
        !leaves(body) && !any_stmt(body, &sums)
    }

    /// Whether a statement, or one in it, adds to a target.
    pub fn adds(&self, s: &Stmt) -> bool {
        self.targets.iter().any(|t| t.is_added_in(s))
    }

    /// A condition under which no block is longer than the loop.
    pub fn is_short(&self, s: &Stmt) -> Option<Expr> {
        let Ends::Between { each } = &self.ends else { return None };
        let all = mul(rounds(s)?, each.clone());
        Some(call(Prim::Le, all, self.short.clone()))
    }
}

impl Target {
    fn is_added_in(&self, s: &Stmt) -> bool {
        let mut found = false;
        each_stmt(std::slice::from_ref(s), &mut |s| {
            found |= match (self, s) {
                (Target::Var(t), s) => set_var(s) == Some(*t),
                (Target::Places { buf, .. } | Target::Anywhere { buf, .. }, Stmt::Store { buf: b, .. }) => {
                    b == buf
                }
                (Target::Places { .. } | Target::Anywhere { .. }, _) => false,
            }
        });
        found
    }
}

/// The loops that only add to something, outermost ones alone.
pub(super) fn outermost<'s>(sight: Sight<'_>, body: &'s [Stmt], out: &mut Vec<(&'s Stmt, Region)>) {
    for s in body {
        let around = matches!(s, Stmt::For { .. } | Stmt::While { .. });
        if let Some(region) = Region::find(sight, s).filter(|_| around) {
            out.push((s, region));
            continue;
        }
        let sight = if around { sight.inside() } else { sight };
        for inner in blocks(s) {
            outermost(sight, inner, out);
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
pub(super) fn is_size(kernel: &Kernel, e: &Expr) -> bool {
    !any_part(e, &|part| match part {
        Expr::Var(v) => !kernel.params.contains(v),
        part => matches!(part, Expr::Load { .. } | Expr::VLoad { .. }),
    })
}

/// Whether rounds that follow one another often add to the same element.
pub(super) fn neighbours(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Runs, .. })
}

fn is_anywhere(targets: &[Target]) -> bool {
    matches!(targets.first(), Some(Target::Anywhere { .. }))
}

/// Where blocks end of a loop around one over rows, each of which begins where the one before it ends.
fn find_rows(around: &Stmt, row: &Stmt, facts: &Facts) -> Option<Ends> {
    let (Stmt::For { var: i, .. }, Stmt::For { lo, hi, step: 1, body, .. }) = (around, row) else {
        return None;
    };
    let (begin, end) = (facts.written_out(lo)?, facts.written_out(hi)?);
    let next = substitute(&begin, &|v| (v == *i).then(|| add(var(*i), int(1))));
    let told = substitute(&begin, &|v| (v == *i).then(|| int(0)));
    if end != next || !facts.is_fixed(&told) {
        return None;
    }
    let inner = body.iter().find(|s| matches!(s, Stmt::For { .. } | Stmt::While { .. }));
    let each = match inner {
        Some(inner) => facts.written_out(&additions(inner)).filter(|n| facts.is_fixed(n))?,
        None => int(1),
    };
    Some(Ends::AfterRows { begin, each })
}

/// How often a loop adds, as far as the sizes of the loops in it are known outside of it.
pub(super) fn additions(s: &Stmt) -> Expr {
    let Some(own) = rounds(s) else { return int(1) };
    let Stmt::For { body, .. } = s else { return own };
    let facts = Facts::new(s);
    let inner = body.iter().find(|s| matches!(s, Stmt::For { .. }));
    let each = inner.map(additions).and_then(|n| facts.written_out(&n)).filter(|n| facts.is_fixed(n));
    each.map_or(own.clone(), |n| mul(own, n))
}

/// How many additions make a block of sums in an array of so many elements.
fn per_element(len: &Expr, blocks: Blocks) -> Expr {
    let beyond = call(Prim::Max, call(Prim::Sub, len.clone(), int(blocks.cached)), int(0));
    mul(add(len.clone(), beyond), int(blocks.per_element))
}

fn longer(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Const(Scalar::I64(x)), Expr::Const(Scalar::I64(y))) => int(*x.max(y)),
        _ => call(Prim::Max, a, b),
    }
}

/// Whether all variables are real: there are no vectors of complex numbers.
fn is_real(kernel: &Kernel, targets: &[Target]) -> bool {
    targets.iter().all(|t| matches!(t, Target::Var(v) if !kernel.vars[*v].ty.elem.is_complex()))
}

/// Whether vectors share the rounds of a loop.
fn is_shared(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Vector, .. })
}

fn any_stmt(body: &[Stmt], test: &impl Fn(&Stmt) -> bool) -> bool {
    body.iter().any(|s| test(s) || blocks(s).into_iter().any(|b| any_stmt(b, test)))
}

/// What is known of a loop.
struct Facts {
    /// Variables that are born or set in it.
    inside: BTreeSet<VarId>,
    /// Definitions in it that hold wherever they are visible.
    lets: BTreeMap<VarId, Expr>,
    /// The bounds of loops in it.
    loops: BTreeMap<VarId, (Expr, Expr)>,
    /// Arrays that are written in it.
    written: BTreeSet<BufId>,
}

impl Facts {
    fn new(s: &Stmt) -> Facts {
        let mut f = Facts {
            inside: BTreeSet::new(),
            lets: BTreeMap::new(),
            loops: BTreeMap::new(),
            written: BTreeSet::new(),
        };
        let mut changed = BTreeSet::new();
        each_stmt(std::slice::from_ref(s), &mut |s| {
            f.inside.extend(born(s).into_iter().chain(set_var(s)));
            changed.extend(set_var(s));
            match s {
                Stmt::Let { var, val } => {
                    if f.lets.insert(*var, val.clone()).is_some() {
                        changed.insert(*var);
                    }
                }
                Stmt::For { var, lo, hi, step: 1, .. } => {
                    if f.loops.insert(*var, (lo.clone(), hi.clone())).is_some() {
                        changed.insert(*var);
                    }
                }
                Stmt::Store { buf, .. } | Stmt::Reserve { buf, .. } | Stmt::SetLen { buf, .. } => {
                    f.written.insert(*buf);
                }
                Stmt::Set { .. }
                | Stmt::For { .. }
                | Stmt::While { .. }
                | Stmt::If { .. }
                | Stmt::Break
                | Stmt::Fail(_)
                | Stmt::Poll
                | Stmt::Note(_) => {}
            }
        });
        // A round of the loop itself has one value of its variable.
        changed.extend(born(s));
        f.lets.retain(|v, _| !changed.contains(v));
        f.loops.retain(|v, _| !changed.contains(v));
        f
    }

    fn is_fixed(&self, e: &Expr) -> bool {
        !any_part(e, &|part| match part {
            Expr::Var(v) => self.inside.contains(v),
            Expr::Load { buf, .. } | Expr::VLoad { buf, .. } => self.written.contains(buf),
            _ => false,
        })
    }

    /// An expression without variables of the loop's own lets; nothing where it would become large.
    fn written_out(&self, e: &Expr) -> Option<Expr> {
        let mut e = e.clone();
        while any_part(&e, &|part| matches!(part, Expr::Var(v) if self.lets.contains_key(v))) {
            e = substitute(&e, &|v| self.lets.get(&v).cloned());
            let mut size = 0;
            each_part(&e, &mut |_| size += 1);
            if size > 64 {
                return None;
            }
        }
        Some(e)
    }
}

/// Variables from outside that a loop only adds to.
fn variables(kernel: &Kernel, s: &Stmt) -> Vec<Target> {
    let mut added: BTreeMap<VarId, bool> = BTreeMap::new();
    let mut reads: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut own: BTreeSet<VarId> = BTreeSet::new();
    each_stmt(std::slice::from_ref(s), &mut |s| {
        own.extend(born(s));
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
        .map(|(t, _)| Target::Var(t))
        .collect()
}

/// Arrays that a loop only adds to.
fn arrays(kernel: &Kernel, s: &Stmt, facts: &Facts) -> Vec<BufId> {
    let mut not: BTreeSet<BufId> = BTreeSet::new();
    each_stmt(std::slice::from_ref(s), &mut |s| {
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Expr::Load { buf, .. } | Expr::VLoad { buf, .. } = part {
                    not.insert(*buf);
                }
            });
        }
        match s {
            Stmt::Store { reduce: Some(Prim::Add), .. } => {}
            Stmt::Store { buf, .. } | Stmt::Reserve { buf, .. } | Stmt::SetLen { buf, .. } => {
                not.insert(*buf);
            }
            Stmt::Let { .. }
            | Stmt::Set { .. }
            | Stmt::For { .. }
            | Stmt::While { .. }
            | Stmt::If { .. }
            | Stmt::Break
            | Stmt::Fail(_)
            | Stmt::Poll
            | Stmt::Note(_) => {}
        }
    });
    let of_sums = |b: &BufId| {
        let buf = &kernel.bufs[*b];
        buf.role != Role::In && buf.init != Init::Kept && total(buf.elem).is_some()
    };
    facts.written.iter().copied().filter(|b| !not.contains(b) && of_sums(b)).collect()
}

/// To which places of an array a loop adds.
enum Places {
    /// The same ones in every round.
    Same { start: Expr, len: Expr },
    /// Every round to its own.
    Own,
    /// Nobody knows.
    Any,
}

impl Places {
    fn find(around: &Stmt, facts: &Facts, buf: BufId) -> Places {
        let mut found: Option<(Expr, Expr)> = None;
        let (mut alike, mut own) = (true, false);
        each_stmt(std::slice::from_ref(around), &mut |s| {
            let Stmt::Store { buf: b, at, .. } = s else { return };
            if *b != buf {
                return;
            }
            let at = facts.written_out(at);
            own |= at.as_ref().is_some_and(|at| born(around).is_some_and(|v| counts(at, v)));
            let here = at.and_then(|at| range(facts, &at));
            alike &= here.is_some() && found.as_ref().is_none_or(|f| Some(f) == here.as_ref());
            found = here;
        });
        match found {
            Some((start, len)) if alike => Places::Same { start, len },
            _ if own => Places::Own,
            _ => Places::Any,
        }
    }
}

/// Whether an index is computed from a variable, not only read from memory where it says.
fn counts(at: &Expr, v: VarId) -> bool {
    match at {
        Expr::Load { .. } | Expr::VLoad { .. } => false,
        Expr::Var(own) => *own == v,
        other => crate::walk::parts(other).into_iter().any(|p| counts(p, v)),
    }
}

/// The places that an index goes through in one round: where they start, and how many they are.
fn range(facts: &Facts, at: &Expr) -> Option<(Expr, Expr)> {
    if facts.is_fixed(at) {
        return Some((at.clone(), int(1)));
    }
    let Expr::Call { prim: Prim::Add, args } = at else {
        return stretch(facts, at);
    };
    let [a, b] = args.as_slice() else { return None };
    let (fixed, rest) = if facts.is_fixed(a) { (a, b) } else { (b, a) };
    if !facts.is_fixed(fixed) {
        return None;
    }
    let (start, len) = range(facts, rest)?;
    Some((add(fixed.clone(), start), len))
}

/// The range of a loop's own variable.
fn stretch(facts: &Facts, at: &Expr) -> Option<(Expr, Expr)> {
    let Expr::Var(v) = at else { return None };
    let (lo, hi) = facts.loops.get(v)?;
    let (lo, hi) = (facts.written_out(lo)?, facts.written_out(hi)?);
    if !facts.is_fixed(&lo) || !facts.is_fixed(&hi) {
        return None;
    }
    let len = if lo == int(0) { hi } else { call(Prim::Sub, hi, lo.clone()) };
    Some((lo, len))
}
