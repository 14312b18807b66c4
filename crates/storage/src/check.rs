//! Whether arrays are a tensor.

use crate::error::invalid;
use crate::index::Index;
use crate::levels::storage;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_format::{ArrayRole, Format, Level, Props, Width};
use std::ops::Range;

/// As many levels as modes, each with as many arrays as its spec declares, and a permutation of the modes.
pub(crate) fn ranks(shape: &[usize], format: &Format, levels: &[LevelArrays]) -> Result<()> {
    let rank = shape.len();
    if format.rank() != rank || levels.len() != rank {
        return Err(invalid(format!(
            "the shape has {rank} modes, the format {} levels, and there are arrays for {} levels",
            format.rank(),
            levels.len()
        )));
    }
    let mut modes = format.modes.clone();
    modes.sort_unstable();
    if !modes.into_iter().eq(0..rank) {
        return Err(invalid(format!("the mode order {:?} is not a permutation", format.modes)));
    }
    for (k, (level, arrays)) in format.levels.iter().zip(levels).enumerate() {
        storage(*level)?;
        let (found, wanted) = (arrays.arrays.len(), level.spec.arrays.len());
        if found != wanted {
            return Err(invalid(format!(
                "level {k} is {level} and has {wanted} arrays, but {found} are given"
            )));
        }
    }
    Ok(())
}

/// The format with its open widths taken from the arrays; every array must then have the width of its role.
pub(crate) fn widths(format: &Format, levels: &[LevelArrays]) -> Result<Format> {
    let mut format = format.clone();
    for (k, (level, arrays)) in format.levels.iter().zip(levels).enumerate() {
        for (decl, array) in level.spec.arrays.iter().zip(&arrays.arrays) {
            let found = array.dtype();
            let Some(width) = Width::by_name(found.name()) else {
                return Err(invalid(format!(
                    "level {k}: `{}` is {found}, but index arrays are u8, u16, u32, i32 or i64",
                    decl.name
                )));
            };
            let slot = match decl.role {
                ArrayRole::Pos => &mut format.pos,
                ArrayRole::Crd => &mut format.crd,
            };
            let wanted = *slot.get_or_insert(width);
            if wanted != width {
                return Err(invalid(format!(
                    "level {k}: `{}` is {found}, but the format's width is {}",
                    decl.name,
                    wanted.dtype()
                )));
            }
        }
    }
    Ok(format)
}

/// Everything else that [`Tensor::new_checked`] promises.
pub(crate) fn tensor(t: &Tensor) -> Result<()> {
    let mut parents = 1;
    for k in 0..t.rank() {
        let view = t.view(k);
        let level = storage(view.level)?;
        let children = level.check(view, parents)?;
        if !view.level.branchless() {
            order(t, k, parents)?;
        }
        parents = children;
    }
    if t.vals().len() != parents {
        return Err(invalid(format!(
            "the last level has {parents} positions, but there are {} values",
            t.vals().len()
        )));
    }
    if t.dtype() == DType::Bool
        && let Some(p) = t.vals().as_bytes().iter().position(|&b| b > 1)
    {
        return Err(invalid(format!(
            "value {p} is the byte {}, but a bool is 0 or 1",
            t.vals().as_bytes()[p]
        )));
    }
    let zeroless = t.format().levels.last().is_some_and(|l| l.props.has(Props::ZEROLESS));
    if zeroless && let Some(p) = t.vals().iter().position(|v| v.same(t.fill())) {
        return Err(invalid(format!("the last level is declared zeroless, but value {p} is the fill value")));
    }
    Ok(())
}

/// A level with stored coordinates and the singletons that follow it: their positions agree, so each position holds
/// one tuple of coordinates.
struct Chain<'a> {
    first: usize,
    levels: Vec<(Level, Index<'a>)>,
}

impl Chain<'_> {
    /// The first level at which the tuples of two positions differ, relative to the chain.
    fn split(&self, a: usize, b: usize) -> usize {
        self.levels.iter().take_while(|(_, crd)| crd.get(a) == crd.get(b)).count()
    }
    /// The first unordered or repeated tuple among the positions of one parent, compared with its neighbour.
    fn neighbours(&self, segment: Range<usize>) -> Result<()> {
        for p in segment.skip(1) {
            let at = self.split(p - 1, p);
            self.unique(at, p - 1, p)?;
            if let Some((level, crd)) = self.levels.get(at)
                && level.ordered()
                && crd.get(p) < crd.get(p - 1)
            {
                return Err(invalid(format!(
                    "level {} is declared ordered, but crd[{p}] is {} after {}",
                    self.first + at,
                    crd.get(p),
                    crd.get(p - 1)
                )));
            }
        }
        Ok(())
    }
    /// Refuses two positions whose tuples agree below level `at` when one of those levels is unique.
    fn unique(&self, at: usize, a: usize, b: usize) -> Result<()> {
        match self.levels[..at].iter().position(|(level, _)| level.unique()) {
            None => Ok(()),
            Some(n) => Err(invalid(format!(
                "level {} is declared unique, but positions {a} and {b} both hold coordinate {}",
                self.first + n,
                self.levels[n].1.get(b)
            ))),
        }
    }
    /// Without an order equal tuples need not be neighbours, so the segment is sorted to bring them together.
    fn unordered_unique(&self, segment: Range<usize>) -> Result<()> {
        let mut positions: Vec<usize> = segment.collect();
        positions.sort_by_key(|&p| self.levels.iter().map(|(_, crd)| crd.get(p)).collect::<Vec<_>>());
        positions.windows(2).try_for_each(|w| self.unique(self.split(w[0], w[1]), w[0], w[1]))
    }
}

/// Checks order and uniqueness from level `k` over the singletons that follow it.
fn order(t: &Tensor, k: usize, parents: usize) -> Result<()> {
    let view = t.view(k);
    let level = storage(view.level)?;
    let Some(crd) = level.stored(view) else {
        return Ok(());
    };
    let mut levels = vec![(view.level, crd)];
    for j in k + 1..t.rank() {
        let next = t.view(j);
        let Some(index) = storage(next.level)?.stored(next).filter(|_| next.level.branchless()) else {
            break;
        };
        // The chain is compared before the lower levels are checked, so a wrong length must not be read.
        if index.len() != crd.len() {
            break;
        }
        levels.push((next.level, index));
    }
    let chain = Chain { first: k, levels };
    let ordered = chain.levels.iter().all(|(l, _)| l.ordered());
    let unique = chain.levels.iter().any(|(l, _)| l.unique());
    for parent in 0..parents {
        let segment = level.children(view, parent);
        chain.neighbours(segment.clone())?;
        if unique && !ordered && segment.len() > 2 {
            chain.unordered_unique(segment)?;
        }
    }
    Ok(())
}
