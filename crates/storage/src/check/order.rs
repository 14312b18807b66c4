//! The check that coordinates are in order and distinct, as far as the levels declare it.
//!
//! A level and the branchless levels below it share positions, so each position holds one tuple of coordinates; order
//! and uniqueness are those of the tuples.

use crate::error::invalid;
use crate::index::with_index;
use crate::levels::{IndexArray, LevelStorage, Tuples, View, storage};
use crate::path::{self, WalkPlace, WalkStep, descend};
use crate::sort;
use crate::tensor::Tensor;
use openwork_base::Result;
use openwork_base::cancel::{strips, tick};
use openwork_format::{Coords, Level};
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

/// Checks level `k` with the branchless levels that follow it.
pub(super) fn level(t: &Tensor, k: usize) -> Result<()> {
    let head = t.format().levels[k];
    let own = crate::levels::built_in(head).is_none();
    if head.branchless() || head.spec.coords != Coords::Stored && !own {
        return Ok(());
    }
    let below = t.format().levels[k + 1..].iter().take_while(|l| l.branchless()).count();
    let end = k + 1 + below;
    let steps = path::steps(t.format(), t.shape(), &t.levels()[..end])?;
    let (above, chain) = steps.split_at(k);
    let levels = &t.format().levels[k..end];
    let last = storage(head)?;
    let crds: Option<Vec<IndexArray>> = if own { None } else { chain.iter().map(|s| s.crd).collect() };
    let rising = crds.map(|crds| Rising::new(levels, crds));
    if rising.as_ref().is_some_and(|r| r.holds_in_all(head, &chain[0].view)) {
        return Ok(());
    }
    let mut tuples = Tuples { lows: chain.iter().map(|s| s.view.low()).collect(), ..Tuples::default() };
    let mut path = vec![0; end];
    let found = descend(above, 0, &mut WalkPlace::new(t.format()), &mut |place, parent| {
        if let Some(rising) = &rising
            && rising.holds(chain[0].storage.children(&chain[0].view, parent, &place.path[..k]))
        {
            return ControlFlow::Continue(());
        }
        path[..k].copy_from_slice(&place.path[..k]);
        gather(chain, parent, &mut path, &mut tuples);
        match segment(&TupleChain { first: k, levels, tuples: &tuples }, last, &chain[0], parent) {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => ControlFlow::Break(e),
        }
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(e) => Err(e),
    }
}

/// Coordinates in plain arrays, which most often are in order and distinct; that is seen without gathering tuples.
struct Rising<'a> {
    /// The coordinates down to the first unique level, or of all levels.
    keys: Vec<IndexArray<'a>>,
    unique: bool,
}

impl<'a> Rising<'a> {
    fn new(levels: &[Level], mut crds: Vec<IndexArray<'a>>) -> Rising<'a> {
        let first = levels.iter().position(|l| decides(*l));
        crds.truncate(first.map_or(crds.len(), |n| n + 1));
        Rising { keys: crds, unique: first.is_some() }
    }
    /// Whether a compressed level's coordinates rise below every parent: where they fall, another parent begins. Falls
    /// are counted many at a time, and once more among the beginnings.
    fn holds_in_all(&self, head: Level, view: &View) -> bool {
        let [IndexArray::I32(crd)] = self.keys[..] else { return false };
        if !head.in_segments() {
            return false;
        }
        let pos = view.index(0);
        // Where each of them may be as large as the one after it, or must be less.
        if self.unique {
            falls_between_parents(pos, crd, |a, b| b <= a)
        } else {
            falls_between_parents(pos, crd, |a, b| b < a)
        }
    }
    /// Whether the tuples at these positions rise, strictly if they must be distinct.
    fn holds(&self, positions: Range<usize>) -> bool {
        tick();
        let rise = |o: Ordering| o.is_lt() || o.is_eq() && !self.unique;
        match self.keys[..] {
            [IndexArray::I32(only)] => only[positions].windows(2).all(|w| rise(w[0].cmp(&w[1]))),
            [IndexArray::I32(a), IndexArray::I32(b)] => {
                let mut next = positions.skip(1);
                next.all(|p| rise((a[p - 1], b[p - 1]).cmp(&(a[p], b[p]))))
            }
            _ => positions.skip(1).all(|p| rise(sort::compare(&self.keys, p - 1, p))),
        }
    }
}

/// Whether coordinates fall nowhere but where another parent's begin.
fn falls_between_parents(pos: IndexArray, crd: &[i32], fall: impl Fn(i32, i32) -> bool + Copy) -> bool {
    // Beginnings of parents that have children, but for the first, each counted once.
    let begins = with_index!(pos, pos => {
        let begin = |w: &[_]| {
            let (at, end) = (w[0] as usize, w[1] as usize);
            let fell = at.checked_sub(1).and_then(|before| Some(fall(*crd.get(before)?, *crd.get(at)?)));
            usize::from(at < end && fell == Some(true))
        };
        strips(pos.len().saturating_sub(1))
            .map(|s| pos[s.start..s.end + 1].windows(2).map(begin).sum::<usize>())
            .sum::<usize>()
    });
    // Counts of a strip fit 32 bits, as coordinates have, so that many are added at a time.
    let count = |s: Range<usize>| {
        let pairs = crd[s.clone()].iter().zip(&crd[s.start + 1..]);
        pairs.map(|(&a, &b)| u32::from(fall(a, b))).sum::<u32>()
    };
    begins == strips(crd.len().saturating_sub(1)).map(|s| count(s) as usize).sum::<usize>()
}

/// The tuples of the children of a parent; `path` holds the coordinates above.
fn gather(chain: &[WalkStep], parent: usize, path: &mut [i64], tuples: &mut Tuples) {
    let head = &chain[0];
    let k = head.view.site.number;
    let children = head.storage.children(&head.view, parent, &path[..k]);
    tuples.first = children.start;
    tuples.coords.clear();
    tuples.present.clear();
    let mut decoded = Vec::new();
    if head.storage.sequential() {
        head.storage.decode(&head.view, parent, &path[..k], &mut decoded);
    }
    for (n, p) in children.enumerate() {
        tick();
        let first = decoded.get(n).copied();
        let mut found = first.unwrap_or_else(|| head.storage.coord(&head.view, parent, p, &path[..k]));
        for (j, step) in chain.iter().enumerate() {
            if j > 0 && found.is_some() {
                found = step.storage.coord(&step.view, p, p, &path[..k + j]);
            }
            path[k + j] = found.unwrap_or(0);
            tuples.coords.push(path[k + j]);
        }
        tuples.present.push(found.is_some());
    }
}

fn segment(chain: &TupleChain, storage: &dyn LevelStorage, head: &WalkStep, parent: usize) -> Result<()> {
    chain.neighbours()?;
    let ordered = chain.levels.iter().all(|l| l.is_ordered());
    let unique = chain.levels.iter().any(|l| decides(*l));
    if unique && !ordered && chain.tuples.len() > 2 {
        chain.unordered_unique()?;
    }
    storage.check_tuples(&head.view, parent, chain.tuples)
}

/// Whether the level says that no two positions agree down to it; one that computes its coordinate only repeats what
/// the others say.
fn decides(level: Level) -> bool {
    level.unique() && level.spec.coords != Coords::Derived
}

/// The tuples below one parent.
struct TupleChain<'a> {
    first: usize,
    levels: &'a [Level],
    tuples: &'a Tuples,
}

impl TupleChain<'_> {
    /// The first unordered or repeated tuple, compared with the one before it.
    fn neighbours(&self) -> Result<()> {
        let mut last: Option<(usize, &[i64])> = None;
        for n in 0..self.tuples.len() {
            let Some(tuple) = self.tuples.get(n) else { continue };
            if let Some((m, before)) = last.replace((n, tuple)) {
                let at = first_difference(before, tuple);
                self.unique(at, m, n, tuple)?;
                let ordered = self.levels.iter().take(at + 1).all(|l| l.is_ordered());
                if at < tuple.len() && ordered && tuple[at] < before[at] {
                    return Err(invalid(format!(
                        "level {} is declared ordered, but crd[{}] is {} after {}",
                        self.first + at,
                        self.tuples.first + n,
                        tuple[at],
                        before[at]
                    )));
                }
            }
        }
        Ok(())
    }
    /// Refuses two slots whose tuples agree below level `at` when one of those levels is unique.
    fn unique(&self, at: usize, a: usize, b: usize, tuple: &[i64]) -> Result<()> {
        match self.levels[..at].iter().position(|l| decides(*l)) {
            None => Ok(()),
            Some(n) => Err(invalid(format!(
                "level {} is declared unique, but positions {} and {} both hold coordinate {}",
                self.first + n,
                self.tuples.first + a,
                self.tuples.first + b,
                tuple[n]
            ))),
        }
    }
    /// Without an order equal tuples need not be neighbours, so they are sorted to bring them together.
    fn unordered_unique(&self) -> Result<()> {
        let mut slots: Vec<(&[i64], usize)> =
            (0..self.tuples.len()).filter_map(|n| self.tuples.get(n).map(|t| (t, n))).collect();
        slots.sort_unstable();
        let pair =
            |w: &[(&[i64], usize)]| self.unique(first_difference(w[0].0, w[1].0), w[0].1, w[1].1, w[1].0);
        slots.windows(2).try_for_each(pair)
    }
}

/// The first level at which two tuples differ.
fn first_difference(a: &[i64], b: &[i64]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_are_seen_wherever_they_are() {
        let pos = IndexArray::I64(&[0, 0, 3, 3, 5, 6, 6]);
        let right = [1, 4, 7, 2, 2, 0];
        assert!(falls_between_parents(pos, &right, |a, b| b < a));
        assert!(!falls_between_parents(pos, &right, |a, b| b <= a));
        let strict = [1, 4, 7, 2, 3, 0];
        assert!(falls_between_parents(pos, &strict, |a, b| b <= a));
        for (at, c) in [(0, 4), (1, 9), (2, 4), (3, 3), (4, 1)] {
            let mut crd = strict;
            crd[at] = c;
            assert!(!falls_between_parents(pos, &crd, |a, b| b <= a), "crd[{at}] = {c}");
        }
        assert!(falls_between_parents(IndexArray::I32(&[0]), &[], |a, b| b <= a));
        assert!(falls_between_parents(IndexArray::I32(&[0, 1]), &[5], |a, b| b <= a));
    }
}
