//! The code of loops whose sums are long.

use super::places::PlaceSpan;
use super::region::{Ends, SumRegion, SumTarget, longer, neighbours};
use super::{SumsPass, Totals, total};
use crate::build::{add, and_also, call, constant, for_each, if_then, int, load, lt, mul, set, store, var};
use crate::nodes::{BufId, BufRole, Expr, Init, LoopMode, Stmt, Ty, VarId};
use crate::walk::{each_stmt_mut, set_var, substitute, take};
use openwork_algebra::{Prim, Scalar};

/// Where the blocks of a target are totalled.
enum Total {
    Var { sum: VarId, total: VarId },
    Places { buf: BufId, start: Expr, len: Expr, total: BufId },
}

/// What a loop of few rounds does to the places that it adds to, instead of going through all of an array.
struct TouchedPlaces {
    /// Whether there are few.
    few: Expr,
    before: Vec<Stmt>,
    after: Vec<Stmt>,
}

/// What belongs to each block of a loop.
#[derive(Default)]
struct SumBlock {
    before: Vec<Stmt>,
    after: Vec<Stmt>,
    /// The row that is cut, where it is one.
    row: Option<VarId>,
}

/// Whether a condition between constants holds.
pub(super) fn holds(cond: &Expr) -> bool {
    let Expr::Call { prim: Prim::Le, args } = cond else { return false };
    matches!(args.as_slice(), [Expr::Const(Scalar::I64(a)), Expr::Const(Scalar::I64(b))] if a <= b)
}

impl SumsPass {
    /// A loop that adds to targets, which may be short.
    pub(super) fn block_loop(&mut self, s: Stmt, region: &SumRegion) -> Vec<Stmt> {
        let Some((all, row)) = self.all_additions(&s, region) else {
            return self.blocked_by_length(s, region);
        };
        // Totals of few elements stay in the nearest cache: there nothing is faster than to add to them.
        let few = call(Prim::Le, row.clone(), int(self.blocks.few));
        let many = call(Prim::Le, longer(int(self.blocks.row), mul(row, int(2))), all);
        let copy = self.copy(&s);
        let then = self.direct(copy, region);
        let other = self.blocked_by_length(s, region);
        vec![Stmt::If { cond: and_also(few, many), then, other }]
    }

    /// How often a loop adds to any of the elements of an array, and how many these are.
    fn all_additions(&self, s: &Stmt, region: &SumRegion) -> Option<(Expr, Expr)> {
        let [SumTarget::Anywhere { row, part: false, .. }] = region.targets.as_slice() else { return None };
        if !region.is_whole() || region.is_taken_in_vectors(s) {
            return None;
        }
        let all = match (&region.ends, s) {
            (Ends::AfterRows { begin, each }, Stmt::For { var: i, lo, hi, .. }) => {
                let at = |e: &Expr| substitute(begin, &|v| (v == *i).then(|| e.clone()));
                mul(call(Prim::Sub, at(hi), at(lo)), each.clone())
            }
            // Of a loop that nobody can count, every round adds once, or so.
            _ => region.additions(self.sight(), s).or_else(|| super::region::rounds(s))?,
        };
        Some((all, row.clone()))
    }

    fn blocked_by_length(&mut self, s: Stmt, region: &SumRegion) -> Vec<Stmt> {
        if region.has_part() {
            return self.direct(s, region);
        }
        let Some(cond) = region.is_short(&s) else { return self.strips(s, region) };
        let neighbours = neighbours(&s) && region.is_whole();
        if region.is_leaf() && region.is_anywhere() && !neighbours {
            return self.flushed_if_long(s, region, cond);
        }
        let copy = self.copy(&s);
        let other = if neighbours && region.is_anywhere() {
            self.direct(copy, region)
        } else {
            self.strips(copy, region)
        };
        vec![Stmt::If { cond, then: vec![s], other }]
    }

    /// A loop that adds to the totals of whole arrays themselves: rounds that follow one another add to one element, so that blocks of all elements
    /// would not make blocks of its sum. One of few rounds over a part of a result goes to the elements that it adds to, before and after,
    /// and not through all of them; another array has more additions than elements here.
    fn direct(&mut self, s: Stmt, region: &SumRegion) -> Vec<Stmt> {
        let (mut out, totals) = self.totals(region);
        let whole = self.begins(&totals);
        let touched = if region.has_part() { self.find_touched(&s, &totals) } else { None };
        let mut body = vec![s];
        for t in &totals {
            let Total::Places { buf, total, .. } = t else { continue };
            let wide = self.kernel.bufs[*total].elem;
            each_stmt_mut(&mut body, &mut |s| {
                if let Stmt::Store { buf: b, val, .. } = s
                    && b == buf
                {
                    *b = *total;
                    *val = Expr::Cast { to: wide, arg: Box::new(take(val)) };
                }
            });
        }
        let finishes = self.finishes(&totals);
        let Some(TouchedPlaces { few, before, after }) = touched else {
            out.extend(whole.into_iter().chain(body).chain(finishes));
            return out;
        };
        let known = self.kernel.var("few", Ty::BOOL);
        out.push(Stmt::Let { var: known, val: few });
        out.push(Stmt::If { cond: var(known), then: before, other: whole });
        out.extend(body);
        out.push(Stmt::If { cond: var(known), then: after, other: finishes });
        out
    }

    /// Moves what places hold to their totals, which hold nothing.
    fn begins(&mut self, totals: &[Total]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for t in totals {
            let Total::Places { buf, start, len, total } = t else { continue };
            let k = self.kernel.index("k");
            let body = vec![store(*total, var(k), self.load_wide(*buf, *total, add(start.clone(), var(k))))];
            out.push(for_each(k, int(0), len.clone(), body));
        }
        out
    }

    fn load_wide(&self, buf: BufId, total: BufId, at: Expr) -> Expr {
        Expr::Cast { to: self.kernel.bufs[total].elem, arg: Box::new(load(buf, at)) }
    }

    /// What a loop of one store does to the places of an array alone that it adds to.
    fn find_touched(&mut self, s: &Stmt, totals: &[Total]) -> Option<TouchedPlaces> {
        let Stmt::For { lo, hi, step: 1, body, .. } = s else { return None };
        let [Total::Places { buf, len, total, start }] = totals else { return None };
        let (Stmt::Store { buf: to, at, .. }, lets) = body.split_last()? else { return None };
        if to != buf || *start != int(0) || !lets.iter().all(|s| matches!(s, Stmt::Let { .. })) {
            return None;
        }
        let rounds = call(Prim::Sub, hi.clone(), lo.clone());
        let few = call(Prim::Le, mul(rounds, int(self.blocks.untouched)), len.clone());
        let (narrow, wide) = (self.kernel.bufs[*buf].elem, self.kernel.bufs[*total].elem);
        let whole = Expr::Cast { to: narrow, arg: Box::new(load(*total, at.clone())) };
        let begin = store(*total, at.clone(), self.load_wide(*buf, *total, at.clone()));
        let end = store(*buf, at.clone(), whole);
        let clear = store(*total, at.clone(), constant(Scalar::zero(wide)));
        let [begin, end, clear] = [begin, end, clear].map(|store| self.each_round(s, store));
        Some(TouchedPlaces { few, before: vec![begin], after: vec![end, clear] })
    }

    /// A loop with another store at its end.
    fn each_round(&mut self, s: &Stmt, other: Stmt) -> Stmt {
        let mut s = s.clone();
        if let Stmt::For { mode, body, .. } = &mut s {
            *mode = LoopMode::Serial;
            body.pop();
            body.push(other);
        }
        self.copy(&s)
    }

    /// A loop that adds anywhere, once in the kernel: one that is short is one block. A second copy of it would cost registers.
    fn flushed_if_long(&mut self, s: Stmt, region: &SumRegion, short: Expr) -> Vec<Stmt> {
        let long = self.kernel.var("long", Ty::BOOL);
        let (mut out, totals) = self.totals(region);
        let flush = self.flushes(&totals);
        out.push(Stmt::Let { var: long, val: Expr::Call { prim: Prim::Not, args: vec![short] } });
        out.extend(self.cut(s, region, SumBlock { after: if_then(var(long), flush), ..SumBlock::default() }));
        out.extend(if_then(var(long), self.finishes(&totals)));
        out
    }

    /// A long loop: blocks of its rounds, one after the other, or its rounds counted.
    pub(super) fn strips(&mut self, s: Stmt, region: &SumRegion) -> Vec<Stmt> {
        match &region.ends {
            Ends::Counted => self.count_added(s, region),
            Ends::AfterRows { begin, each } => self.after_rows(s, region, begin, each),
            Ends::Between { each } if *each == int(1) => self.in_blocks(s, region, None),
            Ends::Between { each } => {
                // Vectors share the rounds of a long row only.
                let fit = call(Prim::Quot, region.limit.clone(), call(Prim::Max, int(1), each.clone()));
                let rows = call(Prim::Min, int(self.blocks.rounds), call(Prim::Max, int(1), fit));
                let cond = call(Prim::Le, each.clone(), region.limit.clone());
                let by_rows =
                    SumRegion { limit: rows, ends: Ends::Between { each: int(1) }, ..region.clone() };
                let copy = self.copy(&s);
                let then = self.in_blocks(copy, &by_rows, None);
                let counted = self.count_added(s, &SumRegion { ends: Ends::Counted, ..region.clone() });
                vec![Stmt::If { cond, then, other: counted }]
            }
        }
    }

    /// A loop in blocks. Each block of a row of known number is a loop over one row, as other passes know such loops.
    pub(super) fn in_blocks(&mut self, s: Stmt, region: &SumRegion, row: Option<VarId>) -> Vec<Stmt> {
        let (mut out, totals) = self.totals(region);
        // A loop without rounds leaves what was there before.
        out.extend(self.flushes(&totals));
        // Where vectors go through the places, they start as zeros in registers.
        let starts = if region.is_taken_in_vectors(&s) { self.starts(&totals) } else { Vec::new() };
        let mut each = self.flushes(&totals);
        let row = row.filter(|_| starts.is_empty());
        if !starts.is_empty() {
            without_zeros(&mut each);
        }
        out.extend(self.cut(s, region, SumBlock { before: starts, after: each, row }));
        out.extend(self.finishes(&totals));
        out
    }

    /// Zeros in all places that are added to, if they are in one array.
    fn starts(&mut self, totals: &[Total]) -> Vec<Stmt> {
        let [Total::Places { buf, start, len, .. }] = totals else { return Vec::new() };
        let narrow = self.kernel.bufs[*buf].elem;
        let k = self.kernel.index("k");
        let body = vec![store(*buf, add(start.clone(), var(k)), constant(Scalar::zero(narrow)))];
        vec![Stmt::For { var: k, lo: int(0), hi: len.clone(), step: 1, mode: LoopMode::Vector, body }]
    }

    /// A loop in blocks, with something before and after each.
    fn cut(&mut self, s: Stmt, region: &SumRegion, each: SumBlock) -> Vec<Stmt> {
        let SumBlock { before, after, row } = each;
        let Stmt::For { var: v, lo, hi, step, mode, body } = s else { return vec![s] };
        let name = self.kernel.vars[v].name.clone();
        let [next, end, begin] = ["next", "end", "begin"].map(|n| self.kernel.index(&format!("{name}_{n}")));
        let limit = self.kernel.index("limit");
        let step_by = call(Prim::Min, var(limit), call(Prim::Sub, var(end), var(begin)));
        let mut round = vec![Stmt::Let { var: begin, val: var(next) }, set(next, add(var(begin), step_by))];
        round.extend(before);
        round.push(
            self.of_one_row(Stmt::For { var: v, lo: var(begin), hi: var(next), step, mode, body }, row),
        );
        round.extend(after);
        vec![
            Stmt::Let { var: limit, val: region.limit.clone() },
            Stmt::Let { var: end, val: hi },
            Stmt::Let { var: next, val: lo },
            Stmt::While { cond: lt(var(next), var(end)), body: round },
        ]
    }

    /// A loop inside of one over a row alone, where its number is known.
    fn of_one_row(&mut self, s: Stmt, row: Option<VarId>) -> Stmt {
        let Some(row) = row else { return s };
        let name = self.kernel.vars[row].name.clone();
        let own = self.kernel.index(&name);
        let body = crate::unroll::copy(&mut self.kernel, &[s], row, &var(own));
        let (lo, hi) = (var(row), add(var(row), int(1)));
        Stmt::For { var: own, lo, hi, step: 1, mode: LoopMode::Serial, body }
    }

    /// A loop over rows in strips, after each of which the total is due if enough was added.
    fn after_rows(&mut self, s: Stmt, region: &SumRegion, row: &Expr, each: &Expr) -> Vec<Stmt> {
        let Stmt::For { var: v, lo, hi, step, mode, body } = s else { return vec![s] };
        let name = self.kernel.vars[v].name.clone();
        let [next, end, begin] = ["next", "end", "begin"].map(|n| self.kernel.index(&format!("{name}_{n}")));
        let [limit, since] = ["limit", "since"].map(|n| self.kernel.index(n));
        let flushed = self.kernel.var("flushed", Ty::BOOL);
        let (mut out, totals) = self.totals(region);
        let mut flush = self.flushes(&totals);
        flush.push(set(flushed, constant(Scalar::Bool(true))));
        flush.push(set(since, int(0)));
        let at = |i: VarId| substitute(row, &|own| (own == v).then(|| var(i)));
        let some = mul(call(Prim::Sub, at(next), at(begin)), each.clone());
        let upto = call(Prim::Min, int(self.blocks.rounds), call(Prim::Sub, var(end), var(begin)));
        let rows = Stmt::For { var: v, lo: var(begin), hi: var(next), step, mode, body };
        let mut long = self.copy(&rows);
        if let Stmt::For { body, .. } = &mut long {
            let inner = std::mem::take(body);
            *body = self.rounds_counted(inner, region, since, &flush, true);
        }
        let count = self.kernel.index("count");
        let round = vec![
            Stmt::Let { var: begin, val: var(next) },
            set(next, add(var(begin), upto)),
            Stmt::Let { var: count, val: some },
            Stmt::If {
                cond: call(Prim::Le, var(count), var(limit)),
                then: vec![rows, set(since, add(var(since), var(count)))],
                other: vec![long],
            },
            Stmt::If { cond: call(Prim::Le, var(limit), var(since)), then: flush, other: Vec::new() },
        ];
        out.extend([
            Stmt::Let { var: limit, val: region.limit.clone() },
            Stmt::Let { var: since, val: int(0) },
            Stmt::Let { var: flushed, val: constant(Scalar::Bool(false)) },
            Stmt::Let { var: end, val: hi },
            Stmt::Let { var: next, val: lo },
            Stmt::While { cond: lt(var(next), var(end)), body: round },
        ]);
        let mut last = self.flushes(&totals);
        last.extend(self.finishes(&totals));
        out.extend(if_then(var(flushed), last));
        out
    }

    /// A loop around loops: blocks are told apart by counting what was added.
    fn count_added(&mut self, mut s: Stmt, region: &SumRegion) -> Vec<Stmt> {
        let since = self.kernel.index("since");
        let flushed = self.kernel.var("flushed", Ty::BOOL);
        let (mut out, totals) = self.totals(region);
        let mut flush = self.flushes(&totals);
        flush.push(set(flushed, constant(Scalar::Bool(true))));
        flush.push(set(since, int(0)));
        if let Stmt::For { body, .. } | Stmt::While { body, .. } = &mut s {
            let inner = std::mem::take(body);
            *body = self.rounds_counted(inner, region, since, &flush, true);
        }
        out.push(Stmt::Let { var: since, val: int(0) });
        out.push(Stmt::Let { var: flushed, val: constant(Scalar::Bool(false)) });
        out.push(s);
        let mut last = self.flushes(&totals);
        last.extend(self.finishes(&totals));
        out.push(Stmt::If { cond: var(flushed), then: last, other: Vec::new() });
        out
    }

    /// The body of a loop, with what it adds counted, and a block ended where it is long enough.
    fn rounds_counted(
        &mut self,
        body: Vec<Stmt>,
        region: &SumRegion,
        since: VarId,
        flush: &[Stmt],
        ends: bool,
    ) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(body.len() + 2);
        let anywhere = region.is_anywhere();
        let mut adds = false;
        for mut s in body {
            if !region.adds(&s) {
                out.push(s);
                continue;
            }
            adds = true;
            let sight = self.sight().enter_nested();
            let is_loop = matches!(s, Stmt::For { .. } | Stmt::While { .. });
            let known = region.additions_in(sight, std::slice::from_ref(&s)).filter(|_| is_loop);
            let cut = if anywhere { region.cut_inside(sight, &s) } else { self.cuttable(&s) };
            if let (Some(count), true) = (known.clone(), anywhere || cut.is_some()) {
                out.push(match cut {
                    Some((cond, own)) => self.cut_if_long(s, cond, &own, flush),
                    None => s,
                });
                out.push(set(since, add(var(since), longer(count, int(0)))));
                continue;
            }
            match &mut s {
                Stmt::For { body, .. } | Stmt::While { body, .. } if anywhere || self.has_sums(body) => {
                    let inner = std::mem::take(body);
                    *body = self.rounds_counted(inner, region, since, flush, true);
                    out.push(s);
                }
                Stmt::If { then, other, .. } => {
                    for branch in [then, other] {
                        let inner = std::mem::take(branch);
                        *branch = self.rounds_counted(inner, region, since, flush, false);
                    }
                    out.push(s);
                }
                _ => {
                    debug_assert!(set_var(&s) != Some(since), "nothing else counts");
                    out.push(s);
                    out.push(set(since, add(var(since), known.map_or(int(1), |n| longer(n, int(0))))));
                }
            }
        }
        if ends && adds {
            let full = call(Prim::Le, region.limit.clone(), var(since));
            let end = Stmt::If { cond: full, then: self.counted_flush(flush), other: Vec::new() };
            out.push(end);
        }
        out
    }

    /// A loop inside another, in blocks where it is long.
    fn cut_if_long(&mut self, s: Stmt, short: Expr, own: &SumRegion, flush: &[Stmt]) -> Stmt {
        if holds(&short) {
            return s;
        }
        let after = self.counted_flush(flush);
        let copy = self.copy(&s);
        let other = self.cut(copy, own, SumBlock { after, ..SumBlock::default() });
        Stmt::If { cond: short, then: vec![s], other }
    }

    /// When a loop inside another is short, and how it is cut, where it adds to the same targets in every round.
    fn cuttable(&self, s: &Stmt) -> Option<(Expr, SumRegion)> {
        let region = SumRegion::find(self.sight().enter_nested(), s).filter(SumRegion::is_leaf)?;
        Some((region.is_short(s)?, region))
    }

    /// Whether a block has loops that only add to something, or adds by itself.
    fn has_sums(&self, body: &[Stmt]) -> bool {
        let mut found = Vec::new();
        super::region::outermost(self.sight().enter_nested(), body, &mut found);
        !found.is_empty() || body.iter().any(|s| matches!(s, Stmt::Set { .. } | Stmt::If { .. }))
    }

    /// A flush with loop variables of its own.
    fn counted_flush(&mut self, flush: &[Stmt]) -> Vec<Stmt> {
        let unused = self.kernel.index("unused");
        crate::unroll::copy(&mut self.kernel, flush, unused, &var(unused))
    }

    /// Totals that hold nothing yet, and the statements that make them.
    fn totals(&mut self, region: &SumRegion) -> (Vec<Stmt>, Vec<Total>) {
        let mut out = Vec::new();
        let mut totals = Vec::new();
        for target in &region.targets {
            match target {
                SumTarget::Var(sum) => {
                    let Some(wide) = total(self.kernel.vars[*sum].ty.elem) else { continue };
                    let total = self.kernel.var("total", Ty::scalar(wide));
                    out.push(Stmt::Let { var: total, val: constant(Scalar::zero(wide)) });
                    totals.push(Total::Var { sum: *sum, total });
                }
                SumTarget::Places(span) | SumTarget::Anywhere { span, .. } => {
                    totals.extend(self.total_of_places(span))
                }
            }
        }
        (out, totals)
    }

    fn total_of_places(&mut self, span: &PlaceSpan) -> Option<Total> {
        let PlaceSpan { buf, start, len, bound } = span.clone();
        let wide = total(self.kernel.bufs[buf].elem)?;
        // One loop's totals are zeros again when another begins.
        let known = self.totals.iter().find(|t| t.of == buf && t.len == bound).map(|t| t.buf);
        let total = known.unwrap_or_else(|| {
            let name = format!("{}_total", self.kernel.bufs[buf].name);
            let total = self.kernel.buf(&name, wide, BufRole::Temp);
            // They are zeros at the end: making others for every run would take longer than a short loop.
            self.kernel.bufs[total].init = Init::Kept;
            self.totals.push(Totals { of: buf, buf: total, len: bound });
            total
        });
        Some(Total::Places { buf, start, len, total })
    }

    /// Moves what was added up into the totals.
    fn flushes(&mut self, totals: &[Total]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for t in totals {
            match t {
                Total::Var { sum, total } => {
                    let (narrow, wide) = (self.kernel.vars[*sum].ty.elem, self.kernel.vars[*total].ty.elem);
                    let more = Expr::Cast { to: wide, arg: Box::new(var(*sum)) };
                    out.push(set(*total, call(Prim::Add, var(*total), more)));
                    out.push(set(*sum, constant(Scalar::zero(narrow))));
                }
                Total::Places { buf, start, len, total } => {
                    let (narrow, wide) = (self.kernel.bufs[*buf].elem, self.kernel.bufs[*total].elem);
                    let k = self.kernel.index("k");
                    let at = add(start.clone(), var(k));
                    let more = Expr::Cast { to: wide, arg: Box::new(load(*buf, at.clone())) };
                    let body = vec![
                        Stmt::Store { buf: *total, at: var(k), val: more, reduce: Some(Prim::Add) },
                        store(*buf, at, constant(Scalar::zero(narrow))),
                    ];
                    out.push(Stmt::For {
                        var: k,
                        lo: int(0),
                        hi: len.clone(),
                        step: 1,
                        mode: LoopMode::Serial,
                        body,
                    });
                }
            }
        }
        out
    }

    /// Rounds the totals to the targets, and leaves zeros for the next time.
    fn finishes(&mut self, totals: &[Total]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for t in totals {
            match t {
                Total::Var { sum, total } => {
                    let narrow = self.kernel.vars[*sum].ty.elem;
                    out.push(set(*sum, Expr::Cast { to: narrow, arg: Box::new(var(*total)) }));
                }
                Total::Places { buf, start, len, total } => {
                    let (narrow, wide) = (self.kernel.bufs[*buf].elem, self.kernel.bufs[*total].elem);
                    let k = self.kernel.index("k");
                    let whole = Expr::Cast { to: narrow, arg: Box::new(load(*total, var(k))) };
                    let body = vec![
                        store(*buf, add(start.clone(), var(k)), whole),
                        store(*total, var(k), constant(Scalar::zero(wide))),
                    ];
                    out.push(for_each(k, int(0), len.clone(), body));
                }
            }
        }
        out
    }
}

/// Leaves out the stores of zeros to what was added up.
fn without_zeros(flush: &mut [Stmt]) {
    for s in flush {
        if let Stmt::For { body, .. } = s {
            body.retain(|s| !matches!(s, Stmt::Store { reduce: None, .. }));
        }
    }
}
