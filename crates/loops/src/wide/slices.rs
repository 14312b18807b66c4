//! Loops over slices or blocks of rows, taken as a whole, as loops over [`rows`](mod@super::rows): the sums of a slice stay
//! in vectors while its columns pass, and a slice needs no call.
//!
//! ```text
//! for b in 0..n {                              rows(4) for b in 0..n {
//!   for c in pos[b]..pos[b + 1] {                if pos[b] < pos[b + 1] {
//!     for r in 0..8 {                              for r in 0..8 {                    lanes side by side
//!       y[b * 8 + r] += a[c * 8 + r]     =>          let sum: f64 = y[b * 8 + r]
//!     }                                              for c in pos[b]..pos[b + 1] { sum = sum + a[c * 8 + r] }
//!   }                                                y[b * 8 + r] = sum
//! }                                                } } }
//!
//!     for r in 0..2 {                              for s in 0..4 {
//!       for s in 0..4 {                              let t: f64 = 0.0  let t_2: f64 = 0.0
//!         y[b * 2 + r] += a[c * 8 + r * 4 + s]       for c in … { t = t + a[c * 8 + s]  t_2 = t_2 + a[c * 8 + 4 + s] }
//!       }                                =>          y[b * 2] += t  y[b * 2 + 1] += t_2
//!     }                                            }
//! ```
//!
//! The rows of slices, and the elements of a row of a block, are as many as a constant says. Where a condition tells whole
//! slices from the last one, which may be shorter, the loop is split first. The sums of a slice add in
//! the order that they had; those of a block are put together at its end.
//!
//! Anything that is not understood stays as it was.

use super::blocks::rows_of_block;
use super::leaf::{WideIndex, WideLeaf, WidePlace, WideStep};
use super::nest::turn;
use super::read::{WideDepth, WideReader};
use super::rows::{BYTES, GATHERED, mark};
use super::{Wide, any_value};
use crate::kinds::{is_plain, read_buffer};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::split::{Versions, split, split_versions, versions};
use crate::vectorize::Reassociate;
use crate::walk::{any_part, blocks_mut, each_stmt};
use openwork_algebra::{Prim, Scalar};

/// The most rows of a slice, or elements of a row of a block.
const LANES: i64 = 64;

/// What the loops over slices are made for.
#[derive(Clone, Copy)]
struct SliceSettings<'w> {
    /// The vectors there are.
    wide: &'w Wide,
    /// Whether sums of floats may be regrouped.
    reassociate: Reassociate,
}

/// Marks the loops over slices and blocks of a lawful, simplified kernel; before [`unroll`](fn@crate::unroll()).
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{Reassociate, Wide, simplify, wide::slices, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, pos: in i64[], a: in f64[], y: out f64[]) {
///   for b in 0..n {
///     let lo: i64 = pos[b]
///     let hi: i64 = pos[b + 1]
///     for c in lo..hi { for r in 0..8 { y[b * 8 + r] += a[c * 8 + r] } }
///   }
/// }")).unwrap();
/// let k = slices(simplify(k), &Wide::new(32, 128), Reassociate::Allowed);
/// assert!(print(&k).contains("rows(4) for b in 0..n"));
/// ```
pub fn slices(mut kernel: LoopKernel, wide: &Wide, reassociate: Reassociate) -> LoopKernel {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, SliceSettings { wide, reassociate }, body);
    kernel
}

fn block(kernel: &mut LoopKernel, how: SliceSettings, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if has_short_loop(&s) {
            let before = kernel.clone();
            match rewrite_slices(kernel, how, &s) {
                Ok(new) => {
                    out.extend(new);
                    continue;
                }
                Err(_) => *kernel = before,
            }
            for inner in blocks_mut(&mut s) {
                *inner = block(kernel, how, std::mem::take(inner));
            }
        }
        out.push(s);
    }
    out
}

/// Whether a loop has one inside with a known number of rounds.
fn has_short_loop(s: &Stmt) -> bool {
    let mut found = false;
    let body = std::slice::from_ref(s);
    each_stmt(body, &mut |inner| found |= !std::ptr::eq(inner, s) && rounds(inner).is_some());
    found
}

/// The variable, the rounds and the body of a loop that has a few, from 0 on.
pub(super) fn rounds(s: &Stmt) -> Option<(VarId, i64, &[Stmt])> {
    let Stmt::For { var, lo, hi, step: 1, mode: _, body } = s else { return None };
    match (lo, hi) {
        (Expr::Const(Scalar::I64(0)), Expr::Const(Scalar::I64(n))) if (2..=LANES).contains(n) => {
            Some((*var, *n, body))
        }
        _ => None,
    }
}

/// The loop as one over rows, and the loop over slices that are not whole, or why there is none.
fn rewrite_slices(kernel: &mut LoopKernel, how: SliceSettings, s: &Stmt) -> Result<Vec<Stmt>, String> {
    if let Some(Versions { cond, then, other }) = versions(kernel, s) {
        let then = rewrite_slices(kernel, how, &then)?;
        return Ok(vec![Stmt::If { cond, then, other: vec![other] }]);
    }
    if let Some(Versions { cond, then, other }) = split_versions(kernel, s) {
        let then = vec![slice(kernel, how, then)?];
        return Ok(vec![Stmt::If { cond, then, other: vec![other] }]);
    }
    let (mut before, whole, rest) = match split(kernel, s) {
        Some(parts) => (parts.lets, parts.first, Some(parts.second)),
        None => (Vec::new(), s.clone(), None),
    };
    before.push(slice(kernel, how, whole)?);
    before.extend(rest);
    Ok(before)
}

fn slice(kernel: &mut LoopKernel, how: SliceSettings, mut s: Stmt) -> Result<Stmt, String> {
    let Stmt::For { mode: LoopMode::Serial, body, .. } = &mut s else { return Err("it is no loop".into()) };
    let nest = body.pop().ok_or("its body is empty")?;
    if !body.iter().all(is_plain) {
        return Err("it holds several loops".into());
    }
    body.extend(match rows_of_block(kernel, &nest)? {
        Some(_) if how.reassociate == Reassociate::Strict => return Err("its sums are strict".into()),
        Some(turned) => turned,
        None => turn(kernel, how.wide, &vectors(nest))?.0,
    });
    let leaf = WideLeaf::of_rows(kernel, &s, how.wide)?;
    mark(&mut s, &leaf);
    Ok(s)
}

/// The nest with a `vector` loop as its innermost one, if that has a few rounds.
fn vectors(mut s: Stmt) -> Stmt {
    let few = rounds(&s).is_some();
    if let Stmt::For { mode, body, .. } = &mut s {
        match body.pop() {
            Some(inner @ Stmt::For { .. }) => body.push(vectors(inner)),
            Some(last) => {
                body.push(last);
                *mode = if few { LoopMode::Vector } else { *mode };
            }
            None => {}
        }
    }
    s
}

impl WideReader<'_> {
    /// A loop of a few rounds in a row that stores what it makes, if it is one.
    pub(super) fn lanes(&mut self, lo: &Expr, hi: &Expr, body: &[Stmt]) -> Result<Option<WideStep>, String> {
        if !body.iter().any(|s| matches!(s, Stmt::Store { .. })) {
            return Ok(None);
        }
        let (Expr::Const(Scalar::I64(lo)), Expr::Const(Scalar::I64(hi))) = (lo, hi) else {
            return Err("a loop in it does more than add up".into());
        };
        let (sums, loads) = (self.leaf.reductions.len(), self.loads.len());
        let outside = std::mem::take(&mut self.stores);
        self.side = true;
        self.added.clear();
        let steps = self.block(body, WideDepth::Outer)?;
        self.side = false;
        let stores = std::mem::replace(&mut self.stores, outside);
        let here = &self.loads[loads..];
        let elsewhere = here.iter().any(|(buf, place)| {
            self.added.contains(buf) || stores.get(buf).is_some_and(|stored| stored != place)
        });
        let twice = self.added.iter().any(|buf| stores.contains_key(buf));
        if elsewhere || twice || self.leaf.reductions.len() > sums {
            return Err("lanes depend on one another".into());
        }
        Ok(Some(WideStep::Lanes(None, *lo..*hi, steps)))
    }
    /// A store that lanes are added to.
    pub(super) fn read_added(
        &mut self,
        place: WidePlace,
        val: &Expr,
        reduce: Option<Prim>,
    ) -> Result<WideStep, String> {
        if reduce != Some(Prim::Add) || place.index.as_ref().is_some_and(WideIndex::moves) {
            return Err("lanes are stored to one place".into());
        }
        self.added.push(self.leaf.pointers[place.pointer].buf);
        Ok(WideStep::Store(place, self.value(val)?, reduce))
    }
    /// A loop of a few rounds that runs only if `a < b`.
    pub(super) fn read_guarded(&mut self, cond: &Expr, then: &[Stmt]) -> Result<Vec<WideStep>, String> {
        let refused = || "a condition is in its body".to_string();
        let Expr::Call { prim: Prim::Lt, args } = cond else { return Err(refused()) };
        let both = [self.index(&args[0])?, self.index(&args[1])?];
        let memory = |e: &Expr| any_part(e, &|e| read_buffer(e).is_some());
        let (last, lets) = then.split_last().ok_or_else(refused)?;
        let plain = |s: &Stmt| matches!(s, Stmt::Let { val, .. } if !memory(val));
        if !lets.iter().all(plain) {
            return Err(refused());
        }
        let mut steps = self.row(lets)?;
        match self.row(std::slice::from_ref(last))?.pop() {
            Some(WideStep::Lanes(None, rounds, body)) => {
                steps.push(WideStep::Lanes(Some(both.into()), rounds, body))
            }
            _ => return Err(refused()),
        }
        Ok(steps)
    }
}

/// Finds as many lanes as all that is side by side needs, or says why there are none.
pub(super) fn fit(leaf: &mut WideLeaf) -> Result<(), String> {
    let apart = |body: &[WideStep]| any_value(body, &|v| matches!(v, super::WideValue::Unless(..)));
    let mut most = 0;
    for s in &leaf.body {
        match s {
            WideStep::Lanes(_, rounds, _) if rounds.start == 0 => most = most.max(rounds.end),
            WideStep::Lanes(..) => return Err("its lanes are not counted from 0".into()),
            WideStep::Across(_, _, body, _) if apart(body) => {
                return Err("select has no wide form in a sum".into());
            }
            WideStep::Across(..) | WideStep::Int(..) | WideStep::Set(..) | WideStep::Store(..) => {}
            WideStep::Reduce(..) | WideStep::Loop(..) => {}
        }
    }
    if most == 0 {
        return Ok(());
    }
    if leaf.body.iter().any(|s| matches!(s, WideStep::Across(..))) {
        return Err("it has lanes of two kinds".into());
    }
    if !leaf.gathers() {
        let widest = BYTES / leaf.elem.size();
        leaf.lanes = (most as usize).next_power_of_two().clamp(widest / 2, widest) as u8;
    }
    debug_assert!(!leaf.gathers() || leaf.lanes == GATHERED);
    for s in &leaf.body {
        let WideStep::Lanes(_, rounds, body) = s else { continue };
        let moves = |s: &WideStep| matches!(s, WideStep::Store(place, ..) if place.moves);
        let whole = rounds.end % i64::from(leaf.lanes) == 0;
        if !whole && (leaf.gathers() || body.iter().any(moves)) {
            return Err("its last vector is not whole".into());
        }
    }
    Ok(())
}
