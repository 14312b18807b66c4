//! A loop over the blocks of a row of blocks, turned so that a row of theirs adds up in one vector: see
//! [`slices`](mod@super::slices).
//!
//! The rows of a block read at places that differ by constants; a value that is the same for all of them is read once:
//!
//! ```text
//! t = t + a[(c * 2) * 4 + s] * x[j * 4 + s]               let base: i64 = c * 8  let base_2: i64 = j * 4
//! t_2 = t_2 + a[(c * 2 + 1) * 4 + s] * x[j * 4 + s]  =>   let same: f64 = x[base_2 + s]
//!                                                         t = t + a[base + s] * same
//!                                                         t_2 = t_2 + a[base + (s + 4)] * same
//! ```

use super::nest::Outside;
use super::slices::rounds;
use crate::build::{add, constant, int, lt, mul, set, var};
use crate::kinds::{is_plain, read_buffer};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::unroll::copy;
use crate::walk::{any_part, each_part, exprs, exprs_mut, mentions_buffer, rewrite, substitute};
use openwork_algebra::{Prim, Scalar};
use openwork_base::IdMap;

/// The most rows of a block: each has a register.
const ROWS: i64 = 8;

/// A row of a block.
struct BlockRow {
    sum: VarId,
    /// What is needed for its value in one round of the loop over blocks, and the sum that it joins.
    code: Vec<Stmt>,
    /// What becomes of the sum after that loop.
    store: Stmt,
}

/// A loop over blocks with sums for their rows, if it is one; or why that cannot be.
pub(super) fn rows_of_block(kernel: &mut LoopKernel, s: &Stmt) -> Result<Option<Vec<Stmt>>, String> {
    let Stmt::For { var: n, lo, hi, step: 1, mode: LoopMode::Serial, body } = s else { return Ok(None) };
    let Some((over_rows, lets)) = body.split_last() else { return Ok(None) };
    let Some((r, count, block)) = rounds(over_rows) else { return Ok(None) };
    let Some((q, lanes, _)) = block.split_last().and_then(|(inner, _)| rounds(inner)) else {
        return Ok(None);
    };
    let fixed = |e: &Expr| matches!(e, Expr::Const(_) | Expr::Var(_));
    if count > ROWS || !fixed(lo) || !fixed(hi) {
        return Err("its blocks are large".into());
    }
    let side = kernel.index(&kernel.vars[q].name.clone());
    let mut rows = Vec::new();
    for number in 0..count {
        let block = copy(kernel, block, r, &int(number));
        rows.push(row(kernel, *n, lets, block, side)?);
    }
    let code = rows.iter_mut().flat_map(|row| std::mem::take(&mut row.code));
    let inside: Vec<Stmt> = lets.iter().cloned().chain(code).collect();
    let is_read = |row: &BlockRow| match &row.store {
        Stmt::Store { buf, .. } => inside.iter().any(|s| mentions_buffer(s, *buf)),
        _ => true,
    };
    if rows.iter().any(is_read) {
        return Err("what it adds to is read".into());
    }
    let inside = share_values(kernel, inside, side)?;
    let zero = |row: &BlockRow| Stmt::Let { var: row.sum, val: zero(kernel, row.sum) };
    let mut lane: Vec<Stmt> = rows.iter().map(zero).collect();
    let mode = LoopMode::Serial;
    lane.push(Stmt::For { var: *n, lo: lo.clone(), hi: hi.clone(), step: 1, mode, body: inside });
    lane.extend(rows.into_iter().map(|row| row.store));
    let across = Stmt::For { var: side, lo: int(0), hi: int(lanes), step: 1, mode, body: lane };
    Ok(Some(vec![Stmt::If { cond: lt(lo.clone(), hi.clone()), then: vec![across], other: Vec::new() }]))
}

fn zero(kernel: &LoopKernel, sum: VarId) -> Expr {
    constant(Scalar::zero(kernel.vars[sum].ty.elem))
}

/// Understands the code of a row, whose last statement is the loop over its elements.
fn row(
    kernel: &mut LoopKernel,
    n: VarId,
    lets: &[Stmt],
    mut code: Vec<Stmt>,
    side: VarId,
) -> Result<BlockRow, String> {
    let refused = || "a block does more than add up".to_string();
    let Some(Stmt::For { var: q, mut body, .. }) = code.pop() else { return Err(refused()) };
    for e in body.iter_mut().flat_map(exprs_mut) {
        *e = substitute(e, &|v| (v == q).then_some(var(side)));
    }
    code.append(&mut body);
    let Some(Stmt::Store { buf, at, val, reduce: Some(Prim::Add) }) = code.pop() else {
        return Err(refused());
    };
    if !code.iter().all(is_plain) {
        return Err(refused());
    }
    let mut outside = Outside::new([n, side]);
    lets.iter().chain(code.iter()).for_each(|s| outside.learn(s));
    let at = outside.hoist(&at).ok_or("where a row is stored to changes")?;
    let sum = kernel.var("sum", Ty::scalar(kernel.bufs[buf].elem));
    code.push(set(sum, add(var(sum), val)));
    let store = Stmt::Store { buf, at, val: var(sum), reduce: Some(Prim::Add) };
    Ok(BlockRow { sum, code, store })
}

/// The statements of all rows with common indices, and common values of lanes, in variables.
fn share_values(kernel: &mut LoopKernel, code: Vec<Stmt>, side: VarId) -> Result<Vec<Stmt>, String> {
    let (mut known, mut bases): (IdMap<VarId, Expr>, Vec<(Expr, VarId)>) = Default::default();
    let mut out = Vec::new();
    for mut s in code {
        exprs_mut(&mut s).for_each(|e| *e = substitute(e, &|v| known.get(&v).cloned()));
        if let Stmt::Let { var, val } = &s
            && kernel.vars[*var].ty == Ty::INDEX
            && !any_part(val, &|e| read_buffer(e).is_some())
        {
            known.insert(*var, val.clone());
            continue;
        }
        let mut lets = Vec::new();
        for e in exprs_mut(&mut s) {
            rewrite(e, &mut |part| {
                if let Expr::Load { at, .. } = part
                    && let Some(short) = split_base(kernel, at, side, &mut bases, &mut lets)
                {
                    **at = short;
                }
            });
        }
        out.append(&mut lets);
        out.push(s);
    }
    Ok(loaded_once(kernel, out, side))
}

/// `at` as a variable and what is left of it, if it goes along the lanes.
fn split_base(
    kernel: &mut LoopKernel,
    at: &Expr,
    side: VarId,
    bases: &mut Vec<(Expr, VarId)>,
    lets: &mut Vec<Stmt>,
) -> Option<Expr> {
    let LinearSum { mut terms, rest } = LinearSum::from_expr(at)?;
    let here = terms.iter().position(|(e, n)| *e == Expr::Var(side) && *n == 1)?;
    terms.remove(here);
    let ahead = add(var(side), int(rest));
    let term = |(e, n): (Expr, i64)| if n == 1 { e } else { mul(e, int(n)) };
    let Some(base) = terms.into_iter().map(term).reduce(add) else { return Some(ahead) };
    let found = bases.iter().find(|(known, _)| *known == base).map(|(_, v)| *v);
    let v = found.unwrap_or_else(|| {
        let v = kernel.index("base");
        lets.push(Stmt::Let { var: v, val: base.clone() });
        bases.push((base, v));
        v
    });
    Some(add(var(v), ahead))
}

/// Values of lanes that several rows read, each loaded once.
fn loaded_once(kernel: &mut LoopKernel, code: Vec<Stmt>, side: VarId) -> Vec<Stmt> {
    let mut seen: Vec<(Expr, usize)> = Vec::new();
    for e in code.iter().flat_map(exprs) {
        each_part(e, &mut |part| {
            if matches!(part, Expr::Load { at, .. } if any_part(at, &|e| *e == Expr::Var(side))) {
                match seen.iter_mut().find(|(known, _)| known == part) {
                    Some((_, uses)) => *uses += 1,
                    None => seen.push((part.clone(), 1)),
                }
            }
        });
    }
    let mut out = Vec::new();
    let mut held: Vec<(Expr, VarId)> = Vec::new();
    for mut s in code {
        for (value, uses) in &seen {
            let Expr::Load { buf, .. } = value else { continue };
            let new = *uses > 1 && !held.iter().any(|(known, _)| known == value);
            if new && exprs(&s).any(|e| any_part(e, &|part| part == value)) {
                let v = kernel.var("same", Ty::scalar(kernel.bufs[*buf].elem));
                out.push(Stmt::Let { var: v, val: value.clone() });
                held.push((value.clone(), v));
            }
        }
        for e in exprs_mut(&mut s) {
            rewrite(e, &mut |part| {
                if let Some((_, v)) = held.iter().find(|(known, _)| known == part) {
                    *part = var(*v);
                }
            });
        }
        out.push(s);
    }
    out
}

/// A sum of multiples, and a constant.
struct LinearSum {
    terms: Vec<(Expr, i64)>,
    rest: i64,
}

impl LinearSum {
    fn from_expr(e: &Expr) -> Option<LinearSum> {
        match e {
            Expr::Const(Scalar::I64(n)) => Some(LinearSum { terms: Vec::new(), rest: *n }),
            Expr::Call { prim: prim @ (Prim::Add | Prim::Sub), args } => {
                let sign = if *prim == Prim::Add { 1 } else { -1 };
                let (mut a, b) = (LinearSum::from_expr(&args[0])?, LinearSum::from_expr(&args[1])?);
                a.rest = a.rest.wrapping_add(b.rest.wrapping_mul(sign));
                for (e, n) in b.terms {
                    a.join(e, n.wrapping_mul(sign));
                }
                Some(a)
            }
            Expr::Call { prim: Prim::Mul, args } => {
                let (a, b) = (LinearSum::from_expr(&args[0])?, LinearSum::from_expr(&args[1])?);
                let (mut a, n) = if b.terms.is_empty() { (a, b.rest) } else { (b, a.constant()?) };
                a.rest = a.rest.wrapping_mul(n);
                a.terms.iter_mut().for_each(|(_, m)| *m = m.wrapping_mul(n));
                Some(a)
            }
            e => Some(LinearSum { terms: vec![(e.clone(), 1)], rest: 0 }),
        }
    }
    fn constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.rest)
    }
    fn join(&mut self, e: Expr, n: i64) {
        match self.terms.iter_mut().find(|(known, _)| *known == e) {
            Some((_, m)) => *m = m.wrapping_add(n),
            None => self.terms.push((e, n)),
        }
    }
}
