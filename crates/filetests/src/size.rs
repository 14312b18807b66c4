//! What a result takes, against what its elements need in its format.

use crate::oracle::Answer;
use openwork_algebra::Scalar;
use openwork_storage::{Coo, Tensor, pack};

/// Bytes that a result may take beyond a tenth more than needed.
const SLACK: usize = 64;

/// What a result stores that it should not: values equal to the fill value against the law of [`Answer::kept`], or more
/// bytes than its elements need where storage packs them.
pub fn oversized(t: &Tensor, values: &[Scalar], answer: &Answer) -> Option<String> {
    let fill = t.fill();
    let flat = |at: &[usize]| at.iter().zip(t.shape()).fold(0, |flat, (c, size)| flat * size + c);
    let mut stored = vec![false; values.len()];
    t.for_each(|at, _| stored[flat(at)] = true);
    let kept = mirrored(t, &answer.kept);
    // Where elements are numbered, those that are the fill value have a number but cannot be told from padding.
    if t.format().remap.as_ref().is_some_and(|r| r.counts()) {
        stored.iter_mut().zip(&kept).for_each(|(s, k)| *s |= k);
    }
    let mut entries = Vec::new();
    for (n, &v) in values.iter().enumerate().filter(|(n, _)| stored[*n]) {
        let mut rest = n;
        let mut at: Vec<usize> = t.shape().iter().rev().map(|d| (rest % d, rest /= d).0).collect();
        at.reverse();
        match v.identical(fill) && !kept[n] {
            true if t.format().has_padding() || at.is_empty() => {}
            true => return Some(format!("element {at:?} is stored though it is the fill value")),
            false => entries.push((at, v)),
        }
    }
    let packed =
        Coo::from_entries(t.shape(), t.dtype(), &entries).and_then(|coo| pack(&coo, t.format(), fill));
    match packed {
        Err(e) => Some(format!("the elements of the result do not fit its format: {e}")),
        Ok(p) if 10 * t.bytes() > 11 * p.bytes() + 10 * SLACK => Some(format!(
            "too large a result: {} slots and {} bytes for what takes {} and {}",
            t.slots(),
            t.bytes(),
            p.slots(),
            p.bytes()
        )),
        Ok(_) => None,
    }
}

/// A symmetric format stores an element with its mirror image.
fn mirrored(t: &Tensor, kept: &[bool]) -> Vec<bool> {
    let mut kept = kept.to_vec();
    if let (true, &[n, _]) = (t.format().symmetric, t.shape()) {
        for flat in 0..n * n {
            kept[flat] |= kept[flat % n * n + flat / n];
        }
    }
    kept
}
