//! Parts of a tensor: what indices and slices keep, and the first elements.
//!
//! ```text
//!         0 1 2 3                      every second column of row 1
//! row 0   . a . b      ->  select      1 3 of row 1, so 0 1 of the result
//! row 1   . c . d                      c d
//! ```
//!
//! Only elements that may be kept are looked at (`search`), so a row of a matrix takes no longer than the row is long
//! wherever the format leads to it.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::error::invalid;
use crate::index::{IndexArray, with_index};
use crate::pack::pack;
use crate::path::{WalkPlace, descend, steps};
use crate::picked;
use crate::search::search;
use crate::tensor::Tensor;
use crate::unpack::Padding;
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::stoppable;
use openwork_base::machine::threshold;
use openwork_format::Format;
use std::cmp::Ordering::{Greater, Less};
use std::ops::{ControlFlow, Range};

/// The coordinates of one mode that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptCoords {
    /// One; the result does not have the mode.
    At(usize),
    /// `count` coordinates from `start` on, `step` apart.
    Every {
        /// The first one.
        start: usize,
        /// How far the next one is, which is not 0 and may be negative.
        step: isize,
        /// How many there are.
        count: usize,
    },
}

impl KeptCoords {
    fn count(self) -> usize {
        match self {
            KeptCoords::At(_) => 1,
            KeptCoords::Every { count, .. } => count,
        }
    }
    /// Coordinate number `n` of those that are kept.
    fn coord(self, n: usize) -> i64 {
        match self {
            KeptCoords::At(at) => at as i64,
            KeptCoords::Every { start, step, .. } => start as i64 + n as i64 * step as i64,
        }
    }
    /// From the least coordinate to the largest.
    pub(crate) fn hull(self) -> Range<i64> {
        if self.count() == 0 {
            return 0..0;
        }
        let (a, b) = (self.coord(0), self.coord(self.count() - 1));
        a.min(b)..a.max(b) + 1
    }
    /// The number of a coordinate among those that are kept.
    pub(crate) fn number(self, c: i64) -> Option<i64> {
        match self {
            KeptCoords::At(at) => (c == at as i64).then_some(0),
            KeptCoords::Every { start, step, count } => {
                let (far, step) = (c - start as i64, step as i64);
                let n = far / step;
                (far % step == 0 && n >= 0 && n < count as i64).then_some(n)
            }
        }
    }
    fn is_inside(self, dim: usize) -> bool {
        let fits = |c: i64| c >= 0 && c < dim as i64;
        match self {
            KeptCoords::At(at) => at < dim,
            KeptCoords::Every { step: 0, .. } => false,
            KeptCoords::Every { count: 0, .. } => true,
            KeptCoords::Every { count, .. } => fits(self.coord(0)) && fits(self.coord(count - 1)),
        }
    }
}

/// The part of `t` that `kept` says, one for each mode, in a format for the modes that are left.
///
/// # Errors
/// E0601 for coordinates outside of the shape; as [`pack`](crate::pack()).
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, KeptCoords, pack, select};
/// let entries = [(vec![0, 1], Scalar::F64(2.0)), (vec![1, 3], Scalar::F64(3.0))];
/// let a = pack(&Coo::from_entries(&[2, 4], DType::F64, &entries)?, &presets::csr(), Scalar::F64(0.0))?;
/// let odd = KeptCoords::Every { start: 1, step: 2, count: 2 };
/// let row = select(&a, &[KeptCoords::At(1), odd], &presets::csf(1))?;
/// assert_eq!((row.shape(), row.get(&[1])), (&[2][..], Some(Scalar::F64(3.0))));
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn select(t: &Tensor, kept: &[KeptCoords], format: &Format) -> Result<Tensor> {
    if kept.len() != t.rank() || kept.iter().zip(t.shape()).any(|(k, &dim)| !k.is_inside(dim)) {
        return Err(invalid(format!("{kept:?} are no coordinates of the shape {:?}", t.shape())));
    }
    stoppable(|| {
        if let Some(found) = of_rows(t, kept, format)? {
            return Ok(found);
        }
        pack(&select_elements(t, kept)?, format, t.fill())
    })
}

/// Rows, and the part of their columns, from which on columns are looked for in all rows together.
const FEW: usize = 16;

/// What is kept of compressed rows, or of compressed columns, as such; nothing where it is no matrix of elements.
fn of_rows(t: &Tensor, kept: &[KeptCoords], format: &Format) -> Result<Option<Tensor>> {
    let from = t.format();
    let alike = picked::is_rows(from) && picked::is_rows(format) && format.modes == from.modes;
    let [KeptCoords::Every { count: 1.., .. }, KeptCoords::Every { count: 1.., .. }] = kept else {
        return Ok(None);
    };
    let [pos, crd] = &t.level(from.depth() - 1).arrays[..] else { return Ok(None) };
    let (true, Some(ends), Some(coords)) =
        (alike, IndexArray::from_buffer(pos), IndexArray::from_buffer(crd))
    else {
        return Ok(None);
    };
    let (outer, inner) = (kept[from.modes[0]], kept[from.modes[1]]);
    let shape: Vec<usize> = kept.iter().map(|k| k.count()).collect();
    let whole = |mode: usize| KeptCoords::Every { start: 0, step: 1, count: t.shape()[mode] };
    let row = |n: usize| {
        let i = outer.coord(n) as usize;
        ends.entry_at(i)..ends.entry_at(i + 1)
    };
    if inner == whole(from.modes[1]) {
        return picked::rows(t, outer.count(), &row, 0, shape);
    }
    let hull = inner.hull();
    let few = threshold(FEW, 1);
    if outer.count() > few && (hull.end - hull.start) as usize * few <= t.shape()[from.modes[1]] {
        // A scan for few columns takes less than a search in every row.
        return Ok(None);
    }
    let part = |n: usize| {
        let row = row(n);
        with_index!(coords, s => {
            let low = s[row.clone()].partition_point(|&c| (c as i64) < hull.start);
            let inside = s[row.start + low..row.end].partition_point(|&c| (c as i64) < hull.end);
            row.start + low..row.start + low + inside
        })
    };
    if matches!(inner, KeptCoords::Every { step: 1, .. }) {
        return picked::rows(t, outer.count(), &part, hull.start, shape);
    }
    if !picked::are_numbered(inner.count(), crd.len()) {
        return Ok(None);
    }
    let at: Vec<usize> = (0..inner.count()).map(|n| inner.coord(n) as usize).collect();
    if outer == whole(from.modes[0]) {
        return picked::columns(t, &at, shape);
    }
    let mut rows = t.shape().to_vec();
    rows[from.modes[0]] = outer.count();
    let Some(rows) = picked::rows(t, outer.count(), &row, 0, rows)? else { return Ok(None) };
    picked::columns(&rows, &at, shape)
}

/// The values at these positions.
fn take_values(vals: &Buffer, positions: &[usize]) -> Result<Buffer> {
    let mut out = Buffer::zeros(vals.dtype(), positions.len())?;
    dispatch!(vals.dtype(), T => {
        let from = vals.as_slice::<T>().unwrap_or(&[]);
        for (slot, &p) in out.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(positions) {
            *slot = from[p];
        }
    });
    Ok(out)
}

/// The modes that are left.
fn kept_modes(kept: &[KeptCoords]) -> impl Iterator<Item = (usize, KeptCoords)> + '_ {
    kept.iter().copied().enumerate().filter(|(_, k)| matches!(k, KeptCoords::Every { .. }))
}

/// The entries at these positions of `vals`, with coordinates of their own.
fn entries(kept: &[KeptCoords], coords: Vec<Vec<i64>>, vals: &Buffer, positions: &[usize]) -> Result<Coo> {
    let shape = kept_modes(kept).map(|(_, k)| k.count()).collect();
    Coo::new(shape, coords.into_iter().map(Buffer::from).collect(), take_values(vals, positions)?)
}

/// What is kept of everything that is stored.
fn select_elements(t: &Tensor, kept: &[KeptCoords]) -> Result<Coo> {
    let padding = Padding::from_tensor(t);
    let mut coords: Vec<Vec<i64>> = kept_modes(kept).map(|_| Vec::new()).collect();
    let mut positions = Vec::new();
    let skips = |p| padding.holds(p);
    let mut note = |modes: &[usize], p: usize| {
        let numbers = kept.iter().zip(modes).filter(|(k, _)| matches!(k, KeptCoords::Every { .. }));
        let numbers = numbers.filter_map(|(k, &c)| k.number(c as i64));
        coords.iter_mut().zip(numbers).for_each(|(list, n)| list.push(n));
        positions.push(p);
    };
    if kept.iter().all(|k| k.count() > 0) {
        if t.format().symmetric {
            let ([rows, columns], half) = ([kept[0], kept[1]], |at: &[usize]| at[0].cmp(&at[1]));
            search(t, kept, &skips, &mut |at, p| {
                if half(at) != Less {
                    note(at, p)
                }
            })?;
            // The other half is read from what is stored of this one.
            let turned = [columns, rows];
            let mut other = |at: &[usize], p| {
                if half(at) == Greater {
                    note(&[at[1], at[0]], p)
                }
            };
            search(t, &turned, &skips, &mut other)?;
        } else {
            search(t, kept, &skips, &mut note)?;
        }
    }
    entries(kept, coords, t.vals(), &positions)
}

/// So many slots that hold no element are passed for [`first`]: a run of the fill value may have any number of coordinates.
const PASSED: usize = 1 << 20;

/// The first `n` stored elements of `t`, in storage order, without a look at those behind them.
///
/// ```
/// use openwork_storage::{Buffer, Tensor, first};
/// let t = Tensor::dense(&[3], Buffer::from(vec![5i32, 6, 7]))?;
/// let two: Vec<_> = first(&t, 2)?.into_iter().map(|(at, value)| (at, value.as_i64())).collect();
/// assert_eq!(two, [(vec![0], 5), (vec![1], 6)]);
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// # Errors
/// E0602 for a level that has no storage.
pub fn first(t: &Tensor, n: usize) -> Result<Vec<(Vec<usize>, Scalar)>> {
    let steps = steps(t.format(), t.shape(), t.levels())?;
    let padding = t.format().has_padding() && !t.format().is_dense();
    let (mut found, mut passed) = (Vec::new(), 0);
    stoppable(|| {
        let _ = descend(&steps, 0, &mut WalkPlace::new(t.format()), &mut |place, p| {
            if found.len() == n || passed == PASSED {
                return ControlFlow::Break(());
            }
            let value = t.vals().get(p);
            if padding && value.is_same(t.fill()) {
                passed += 1;
            } else {
                found.push((place.modes.clone(), value));
            }
            ControlFlow::Continue(())
        });
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::unpack;
    use openwork_algebra::DType;
    use openwork_format::presets;

    fn sample() -> Coo {
        let entries: Vec<_> =
            (0..40usize).map(|n| (vec![n * 7 % 9, n * 5 % 11], Scalar::I32(n as i32 + 1))).collect();
        Coo::from_entries(&[9, 11], DType::I32, &entries).unwrap()
    }

    fn formats() -> Vec<Format> {
        let all = presets::PRESETS.iter().filter(|p| !["lower", "upper", "sym"].contains(&p.name));
        all.filter_map(|p| p.format_of_rank(2)).collect()
    }

    /// As a caller names a format, without widths.
    fn plain(format: &Format) -> Format {
        Format { pos: None, crd: None, fill: None, ..format.clone() }
    }

    #[test]
    fn every_slice_of_every_format() {
        let every = |start, step, count| KeptCoords::Every { start, step, count };
        let rows = [
            every(0, 1, 9),
            every(2, 1, 5),
            every(8, -1, 9),
            every(2, 3, 2),
            every(4, 1, 0),
            KeptCoords::At(3),
            KeptCoords::At(8),
        ];
        let columns = [
            every(0, 1, 11),
            every(4, 1, 6),
            every(10, -2, 5),
            every(3, 1, 1),
            every(0, 1, 0),
            KeptCoords::At(0),
            KeptCoords::At(10),
        ];
        for format in formats() {
            let t = pack(&sample(), &format, Scalar::I32(0)).unwrap();
            for r in rows {
                for c in columns {
                    let rank = kept_modes(&[r, c]).count();
                    let part = select(&t, &[r, c], &presets::csf(rank)).unwrap();
                    if rank == 2 {
                        let same = select(&t, &[r, c], &plain(&format)).unwrap();
                        assert_eq!(
                            same.to_dense().unwrap(),
                            part.to_dense().unwrap(),
                            "{format} {r:?} {c:?}"
                        );
                    }
                    for i in 0..r.count() {
                        for j in 0..c.count() {
                            let at: Vec<usize> = kept_modes(&[r, c]).map(|(m, _)| [i, j][m]).collect();
                            let whole = [r.coord(i) as usize, c.coord(j) as usize];
                            assert_eq!(part.get(&at), t.get(&whole), "{format} {r:?} {c:?} {at:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let t = pack(&sample(), &presets::csr(), Scalar::I32(0)).unwrap();
        let all = KeptCoords::Every { start: 0, step: 1, count: 9 };
        for bad in [
            KeptCoords::At(11),
            KeptCoords::Every { start: 0, step: 0, count: 1 },
            KeptCoords::Every { start: 0, step: -1, count: 2 },
        ] {
            assert!(select(&t, &[all, bad], &presets::csr()).is_err());
        }
        assert!(select(&t, &[all], &presets::csr()).is_err());
    }

    #[test]
    fn the_first_elements_are_those_of_the_walk() {
        for format in formats() {
            let t = pack(&sample(), &format, Scalar::I32(0)).unwrap();
            let all = unpack(&t).unwrap();
            let some = first(&t, 5).unwrap();
            assert_eq!(some.len(), 5);
            for (e, (at, value)) in some.into_iter().enumerate() {
                if !t.format().is_dense() {
                    assert_eq!(at.iter().map(|&c| c as i64).collect::<Vec<_>>(), all.coords_of(e));
                    assert_eq!(value, all.vals().get(e));
                }
            }
            assert!(first(&t, 1000).unwrap().len() >= all.len());
        }
    }
}
