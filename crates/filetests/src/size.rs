//! What a result takes, against what its elements need in its format.

use crate::oracle::OracleAnswer;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_format::remap::Term;
use openwork_format::{Coords, Format};
use openwork_storage::{Coo, Tensor, pack};

/// Bytes that a result may take beyond a tenth more than needed.
const SLACK: usize = 64;

/// What a result stores that it should not: values equal to the fill value against the law of [`OracleAnswer::kept`], or more
/// bytes than its elements need where storage packs them.
pub fn find_excess(t: &Tensor, values: &[Scalar], answer: &OracleAnswer) -> Option<String> {
    let fill = t.fill();
    let flat = |at: &[usize]| at.iter().zip(t.shape()).fold(0, |flat, (c, size)| flat * size + c);
    let mut stored = vec![false; values.len()];
    t.for_each(|at, _| stored[flat(at)] = true);
    let kept = mirror_kept(t, &answer.kept);
    // Kernels cannot tell a complex NaN from numbers with one part that is NaN, so they store all of them.
    let unseen = t.dtype().is_complex() && fill.is_nan();
    let unwanted = |n: &usize| {
        let padded = t.format().has_padding() || t.shape().is_empty();
        stored[*n] && values[*n].is_same(fill) && !kept[*n] && !padded && !unseen
    };
    if let Some(n) = (0..values.len()).find(unwanted) {
        return Some(format!("element {:?} is stored though it is the fill value", place(t, n)));
    }
    // A run keeps the sign of its zero, so zeros of two signs are two runs.
    let runs = t.format().levels.iter().any(|l| l.shares_positions());
    let signed = |v: Scalar| runs && v.as_f64() == 0.0 && v.as_f64().is_sign_negative();
    let holds = |n: usize| stored[n] && (kept[n] || unseen || !values[n].is_same(fill) || signed(values[n]));
    // Where elements are numbered, those that are the fill value may have a number but cannot be told from padding, and
    // the slots that others take depend on which of them do.
    let numbered = t.format().remap.as_ref().is_some_and(|r| r.counts());
    if numbered && ((0..values.len()).any(|n| kept[n] && !holds(n)) || is_as_wide_as_numbered(t.format())) {
        return None;
    }
    match pack_elements(t, values, holds) {
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

/// Whether how wide a level is follows from the numbers of elements, which they get as they come.
fn is_as_wide_as_numbered(format: &Format) -> bool {
    let Some(remap) = &format.remap else { return false };
    let counter = |k: usize| matches!(remap.coords[k].inline_locals(), Term::Counter(_));
    (0..format.depth()).any(|k| format.levels[k].spec.coords == Coords::Interval && !counter(k))
}

/// The coordinates of an element, from its number in row-major order.
fn place(t: &Tensor, n: usize) -> Vec<usize> {
    let mut rest = n;
    let mut at: Vec<usize> = t.shape().iter().rev().map(|d| (rest % d, rest /= d).0).collect();
    at.reverse();
    at
}

/// The elements for which `holds` in the format of `t`, as storage packs them.
fn pack_elements(t: &Tensor, values: &[Scalar], holds: impl Fn(usize) -> bool) -> Result<Tensor> {
    let held = values.iter().enumerate().filter(|(n, _)| holds(*n));
    let entries: Vec<_> = held.map(|(n, &v)| (place(t, n), v)).collect();
    pack(&Coo::from_entries(t.shape(), t.dtype(), &entries)?, t.format(), t.fill())
}

/// A symmetric format stores an element with its mirror image.
fn mirror_kept(t: &Tensor, kept: &[bool]) -> Vec<bool> {
    let mut kept = kept.to_vec();
    if let (true, &[n, _]) = (t.format().symmetric, t.shape()) {
        for flat in 0..n * n {
            kept[flat] |= kept[flat % n * n + flat / n];
        }
    }
    kept
}
