//! Functions that levels with a segment of positions per parent have in common.

use super::{Parents, View};
use crate::error::invalid;
use crate::index::{IndexArray, with_index};
use openwork_base::Result;
use openwork_base::cancel::{strips, tick};
use std::ops::Range;

/// Checks an array of `parents + 1` positions from 0 on that never falls, with nothing below empty slots. Returns the
/// last position.
pub(super) fn check_pos(view: &View, pos: IndexArray, parents: Parents) -> Result<usize> {
    let k = view.number();
    if parents.count.checked_add(1) != Some(pos.len()) {
        return Err(invalid(format!(
            "level {k}: `pos` has {} elements, but {} parents need one more than that",
            pos.len(),
            parents.count
        )));
    }
    if pos.get(0) != 0 {
        return Err(invalid(format!("level {k}: pos[0] is {}, but it must be 0", pos.get(0))));
    }
    let fall = with_index!(pos, s => strips(s.len() - 1).find_map(|strip| {
        let fall = s[strip.start..strip.end + 1].windows(2).position(|w| w[1] < w[0]);
        fall.map(|p| strip.start + p)
    }));
    if let Some(p) = fall {
        return Err(invalid(format!(
            "level {k}: pos[{}] is {}, less than pos[{p}], which is {}",
            p + 1,
            pos.get(p + 1),
            pos.get(p)
        )));
    }
    match parents.dead().find(|&p| pos.entry_at(p) != pos.entry_at(p + 1)) {
        None => Ok(pos.entry_at(parents.count)),
        Some(p) => Err(under_empty(view, p)),
    }
}

/// The parent in whose segment a position lies.
pub(super) fn segment(pos: IndexArray, position: usize) -> usize {
    with_index!(pos, s => s.partition_point(|&begin| begin as usize <= position)).saturating_sub(1)
}

/// The last position must be the length of `crd`.
pub(super) fn check_end(view: &View, last: usize, what: &str, len: usize) -> Result<()> {
    if last == len {
        return Ok(());
    }
    Err(invalid(format!(
        "level {}: the last element of `pos` is {last}, but `{what}` has {len} elements",
        view.number()
    )))
}

/// Every stored coordinate lies in the bounds.
pub(super) fn check_range(view: &View, crd: IndexArray) -> Result<()> {
    let (low, size) = (view.low(), view.size() as u64);
    // The wrapped difference is huge for a coordinate below `low`, so one comparison checks both ends.
    let outside = |c: i64| c.wrapping_sub(low) as u64 >= size;
    let bad = match (crd, i32::try_from(size)) {
        (IndexArray::I32(s), Ok(size)) if low == 0 => {
            let found = |strip: &Range<usize>| any_outside(&s[strip.clone()], size);
            let at = |strip: Range<usize>| s[strip].iter().position(|&c| outside(c as i64));
            strips(s.len()).find(found).and_then(|strip| Some(strip.start + at(strip)?))
        }
        _ => with_index!(crd, s => {
            strips(s.len()).find_map(|strip| {
                // The least and the largest are found many at a time; only a strip with an offence is searched.
                let (s, f) = (&s[strip.clone()], s[strip.start]);
                let (least, largest) = s.iter().fold((f, f), |(a, b), &c| (a.min(c), b.max(c)));
                let found = outside(least as i64) || outside(largest as i64);
                if found { s.iter().position(|&c| outside(c as i64)).map(|p| strip.start + p) } else { None }
            })
        }),
    };
    match bad {
        None => Ok(()),
        Some(p) => Err(out_of_range(view, "crd", p, crd.get(p))),
    }
}

/// Whether a number is negative, or not below `size`: then it, or its distance from the largest, has a sign. Signs are
/// gathered many at a time.
fn any_outside(s: &[i32], size: i32) -> bool {
    let Some(largest) = size.checked_sub(1) else { return !s.is_empty() };
    s.iter().fold(0, |signs, &c| signs | c | largest.wrapping_sub(c)) < 0
}

/// A coordinate outside the bounds.
pub(super) fn out_of_range(view: &View, array: &str, at: usize, found: i64) -> openwork_base::Error {
    let range = view.site.bounds.range();
    invalid(format!(
        "level {}: {array}[{at}] is {found}, outside {}..{} (the size of the mode it stores)",
        view.number(),
        range.start,
        range.end
    ))
}

/// Children of a slot that holds no element.
pub(super) fn under_empty(view: &View, parent: usize) -> openwork_base::Error {
    let level = view.number();
    invalid(format!("level {level}: parent {parent} is an empty slot, but it has children"))
}

/// An array of another length than it must have.
pub(super) fn check_len(view: &View, what: &str, found: usize, wanted: usize) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(invalid(format!("level {}: `{what}` has {found} elements, but it needs {wanted}", view.number())))
}

/// Refuses a level that is declared full but has parents with fewer coordinates than there are.
pub(super) fn check_full(view: &View, parents: Parents, count: impl Fn(usize) -> usize) -> Result<()> {
    if !view.level().full() {
        return Ok(());
    }
    match (0..parents.count).inspect(|_| tick()).find(|&p| parents.is_live(p) && count(p) < view.size()) {
        None => Ok(()),
        Some(p) => Err(invalid(format!(
            "level {} is declared full, but parent {p} has {} of {} coordinates",
            view.number(),
            count(p),
            view.size()
        ))),
    }
}

/// The positions among `children` whose coordinates may be `wanted`, in an array that never falls.
pub(super) fn search(crd: IndexArray, children: Range<usize>, wanted: i64) -> Range<usize> {
    with_index!(crd, s => {
        let from = children.start + s[children.clone()].partition_point(|&c| (c as i64) < wanted);
        from..from + s[from..children.end].partition_point(|&c| c as i64 <= wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_are_found_by_their_signs() {
        for (size, outside, inside) in [
            (0, &[0, 1, -1, i32::MAX][..], &[][..]),
            (1, &[1, -1, i32::MIN, i32::MAX], &[0]),
            (i32::MAX, &[-1, i32::MIN, i32::MAX], &[0, i32::MAX - 1]),
        ] {
            assert!(!any_outside(inside, size));
            for &c in outside {
                assert!(any_outside(&[inside, &[c], inside].concat(), size), "{c} of {size}");
            }
        }
        assert!(!any_outside(&[], 0));
    }
}
