//! Patterns of stored coordinates, as the numbers of coordinates in natural order, last mode fastest.
//!
//! ```text
//! sparse          rows             columns          blocks           fem
//! . x . . . .     . . . . . .      . . x . x .      x x . . . .      x x . . . .
//! . . . . x .     x x x x x x      . . x . x .      x x . . . .      x x x . . .
//! x . . . . .     . . . . . .      . . x . x .      . . . . x x      . x x x . .
//! . . . x . .     x x x x x x      . . x . x .      . . . . x x      . . x x x .
//! ```

use super::{Random, too_large};
use openwork_base::Result;
use openwork_base::cancel::{look, tick};

/// The number of coordinates of a shape.
pub(super) fn size(shape: &[usize]) -> Result<u128> {
    if shape.contains(&0) {
        return Ok(0);
    }
    let size = shape.iter().try_fold(1u128, |n, &d| n.checked_mul(d as u128));
    size.ok_or_else(|| too_large(format!("the shape {shape:?} has more than 2^128 coordinates")))
}

/// `round(density * size)` coordinates.
pub(super) fn scatter_coordinates(random: &mut Random, shape: &[usize], density: f64) -> Result<Vec<u128>> {
    let size = size(shape)?;
    let wanted = (size as f64 * density).round();
    let refuse = || too_large(format!("{wanted} random entries of the shape {shape:?} do not fit in memory"));
    if wanted > isize::MAX as f64 {
        return Err(refuse());
    }
    let count = (wanted as u128).min(size) as usize;
    // Beyond one half the coordinates that are left out are fewer; they are drawn instead.
    if count as u128 <= size / 2 {
        return distinct(random, size, count).ok_or_else(refuse);
    }
    let left_out = distinct(random, size, (size - count as u128) as usize).ok_or_else(refuse)?;
    let mut left_out = left_out.iter().peekable();
    let mut out = Vec::new();
    out.try_reserve_exact(count).map_err(|_| refuse())?;
    out.extend((0..size).filter(|place| left_out.next_if_eq(&place).is_none()));
    Ok(out)
}

/// All coordinates of `round(density * cells)` cells of a grid, of one at least.
pub(super) fn cells(random: &mut Random, shape: &[usize], cell: &[usize], density: f64) -> Result<Vec<u128>> {
    let grid: Vec<usize> = shape.iter().zip(cell).map(|(&n, &c)| n.div_ceil(c.max(1))).collect();
    let number = size(&grid)?;
    let wanted = (number as f64 * density).round().max(1.0);
    let refuse = || too_large(format!("the entries of {wanted} cells of {cell:?} do not fit in memory"));
    let count = usize::try_from((wanted as u128).min(number)).map_err(|_| refuse())?;
    let drawn = distinct(random, number, count).ok_or_else(refuse)?;
    let mut out = Vec::new();
    for place in drawn {
        let first: Vec<usize> = coordinates(place, &grid).iter().zip(cell).map(|(g, c)| g * c).collect();
        let own: Vec<usize> = first.iter().zip(shape).zip(cell).map(|((f, n), c)| (n - f).min(*c)).collect();
        let inside = size(&own)?;
        let room = usize::try_from(inside).map_err(|_| refuse())?;
        out.try_reserve(room).map_err(|_| refuse())?;
        for n in 0..inside {
            tick();
            let at = coordinates(n, &own);
            let each = first.iter().zip(&at).zip(shape);
            out.push(each.fold(0, |place, ((f, a), n)| place * *n as u128 + (f + a) as u128));
        }
    }
    out.sort_unstable();
    Ok(out)
}

/// The coordinates that differ from the first one by at most 1: what a line of linear elements couples.
pub(super) fn line(shape: &[usize]) -> Result<Vec<u128>> {
    size(shape)?;
    let Some((&rows, rest)) = shape.split_first() else { return Ok(vec![0]) };
    let mut out = Vec::new();
    for row in 0..rows {
        tick();
        let mut places = vec![row as u128];
        for &n in rest {
            let near = row.saturating_sub(1)..(row + 2).min(n);
            places =
                places.iter().flat_map(|p| near.clone().map(move |c| p * n as u128 + c as u128)).collect();
        }
        out.extend(places);
    }
    Ok(out)
}

/// The coordinate with a number.
fn coordinates(mut place: u128, shape: &[usize]) -> Vec<usize> {
    let mut out = vec![0; shape.len()];
    for (slot, &dim) in out.iter_mut().zip(shape).rev() {
        *slot = (place % dim as u128) as usize;
        place /= dim as u128;
    }
    out
}

/// `count` different numbers below `size`, sorted; every such set is equally likely. `None` without the memory.
fn distinct(random: &mut Random, size: u128, count: usize) -> Option<Vec<u128>> {
    let mut out: Vec<u128> = Vec::new();
    out.try_reserve_exact(count).ok()?;
    while out.len() < count {
        while out.len() < count {
            tick();
            out.push(random.number_below(size));
        }
        out.sort_unstable();
        look();
        out.dedup();
    }
    Some(out)
}
