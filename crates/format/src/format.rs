//! The format of a tensor.

use crate::level::{ArrayRole, Coords, Level};
use crate::remap::{CoordBounds, Remap};
use crate::width::Width;
use openwork_algebra::{DType, Scalar};
use std::fmt;
use std::sync::Arc;

/// Levels from the outermost to the innermost, the mode each one stores, the fill value and the index widths.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Format {
    /// The levels, outermost first.
    pub levels: Vec<Level>,
    /// `modes[k]` is the mode (dimension of the tensor) that level `k` stores; a permutation. Of a remapped format it is
    /// the number of the stored coordinate, which is `k`.
    pub modes: Vec<usize>,
    /// How stored coordinates are computed, where they are more than the modes in some order.
    pub remap: Option<Arc<Remap>>,
    /// Whether only the elements on and below the diagonal of a symmetric matrix are stored: the others are read from
    /// them.
    pub symmetric: bool,
    /// The fill value as text (`0`, `inf`, `true`), read in the tensor's dtype; `None` is zero.
    pub fill: Option<Arc<str>>,
    /// Width of `pos` arrays; `None` lets the compiler choose (`i64`).
    pub pos: Option<Width>,
    /// Width of `crd` arrays; `None` lets the compiler choose from the dimension.
    pub crd: Option<Width>,
}

impl Format {
    /// A format that stores the modes in their natural order, with default fill and widths.
    pub fn new(levels: Vec<Level>) -> Format {
        let modes = (0..levels.len()).collect();
        Format { levels, modes, remap: None, symmetric: false, fill: None, pos: None, crd: None }
    }
    /// The same format with another mode order.
    ///
    /// # Panics
    /// If `modes` is not a permutation of the levels.
    pub fn with_modes(mut self, modes: Vec<usize>) -> Format {
        let mut sorted = modes.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..self.levels.len()), "{modes:?} is not a permutation");
        self.modes = modes;
        self
    }
    /// The same format for symmetric matrices, of which it stores one triangle.
    pub fn for_symmetric(mut self) -> Format {
        self.symmetric = true;
        self
    }
    /// The same format with another fill value, as text.
    pub fn with_fill(mut self, fill: impl Into<Arc<str>>) -> Format {
        self.fill = Some(fill.into());
        self
    }
    /// The same format with other index widths.
    pub fn with_widths(mut self, pos: Width, crd: Width) -> Format {
        (self.pos, self.crd) = (Some(pos), Some(crd));
        self
    }
    /// A format that stores computed coordinates, one per level.
    ///
    /// # Panics
    /// If there is not one level for each coordinate.
    pub fn from_remap(remap: Remap, levels: Vec<Level>) -> Format {
        assert_eq!(remap.depth(), levels.len(), "one level stores one coordinate");
        match remap.permutation() {
            Some(modes) => Format::new(levels).with_modes(modes),
            None => Format { remap: Some(Arc::new(remap)), ..Format::new(levels) },
        }
    }
    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.remap.as_ref().map_or(self.levels.len(), |r| r.rank())
    }
    /// The number of levels.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }
    /// The format as that of a tensor whose modes are the stored coordinates (formats thesis, §3.2).
    pub fn lift(&self) -> Format {
        Format { remap: None, ..self.clone() }
    }
    /// The range of the coordinates that level `k` stores, for a tensor of this shape.
    pub fn bounds(&self, k: usize, shape: &[usize]) -> CoordBounds {
        match &self.remap {
            Some(remap) => remap.bounds(k, shape),
            None => CoordBounds { low: 0, size: shape[self.modes[k]] },
        }
    }
    /// Whether some values may belong to no element that was put there: below the last level whose coordinates are
    /// kept in arrays lie levels with a slot for every coordinate, or for an interval.
    pub fn has_padding(&self) -> bool {
        let below = self.levels.iter().rev().take_while(|l| l.spec.coords != Coords::Stored);
        below.into_iter().any(|l| l.spec.coords != Coords::Derived)
    }
    /// Whether slots of level `k` may hold no element: because the level leaves some out, because a level above does and
    /// this one has slots under such parents, or because its coordinates may contradict those above.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_format::Catalog;
    /// let read = |t: &str| Catalog::default().parse(&Source::new("format", t), 2).unwrap();
    /// assert!(!read("coo").has_empties(1));
    /// // The buckets of a hash table that are free have places in every level of theirs.
    /// assert!(read("(i,j) -> (i,j) : hashed, squeezed").has_empties(1));
    /// assert!(!read("(i,j) -> (i,j) : hashed, compressed").has_empties(1));
    /// ```
    pub fn has_empties(&self, k: usize) -> bool {
        self.levels[..=k].iter().fold(false, |above, level| {
            let contradicts = self.remap.is_some() && level.spec.coords != Coords::Stored;
            level.has_empties() || contradicts || above && level.spec.spreads
        })
    }
    /// Whether any two elements differ in the coordinates down to level `k`, whatever the tensor.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::coo(2).tells_apart(1) && !presets::coo(2).tells_apart(0));
    /// // The first element of row 3 is one, whatever its column.
    /// assert!(presets::ell().tells_apart(1));
    /// ```
    pub fn tells_apart(&self, k: usize) -> bool {
        match &self.remap {
            None => k + 1 == self.depth(),
            Some(remap) => {
                let determined = (0..remap.rank()).all(|m| remap.recover(m, k + 1).is_some());
                determined || remap.counts_apart(k + 1)
            }
        }
    }
    /// The level that stores `mode`.
    pub fn level_of_mode(&self, mode: usize) -> usize {
        self.modes.iter().position(|&m| m == mode).expect("modes is a permutation")
    }
    /// Whether every level is full, so that no coordinate takes the fill value.
    pub fn is_full(&self) -> bool {
        self.remap.is_none() && !self.symmetric && self.levels.iter().all(|l| l.full())
    }
    /// Whether every level is the dense level: the values are one rectangular array.
    pub fn is_dense(&self) -> bool {
        self.is_plain() && self.levels.iter().all(|l| l.is_dense())
    }
    /// The fill value in `dtype`, or `None` if its text is no value of that dtype.
    pub fn fill_value(&self, dtype: DType) -> Option<Scalar> {
        match &self.fill {
            None => Some(Scalar::zero(dtype)),
            Some(text) => Scalar::parse(text, dtype),
        }
    }
    /// Whether tensors have the arrays of another format, of whatever widths: the same levels over the same modes.
    ///
    /// ```
    /// use openwork_format::{Width, presets};
    /// let wide = presets::csr().with_widths(Width::I64, Width::I32);
    /// assert!(wide.has_arrays_of(&presets::csr()) && !wide.has_arrays_of(&presets::csc()));
    /// ```
    pub fn has_arrays_of(&self, other: &Format) -> bool {
        fn coords(f: &Format) -> Option<&[crate::remap::Coord]> {
            f.remap.as_ref().map(|r| &r.coords[..])
        }
        self.levels == other.levels
            && self.modes == other.modes
            && self.symmetric == other.symmetric
            && coords(self) == coords(other)
    }
    /// The width of an index array of a level; arrays of sizes and of bits have 64 bits, arrays of bytes 8.
    pub fn width(&self, role: ArrayRole) -> Width {
        match role {
            ArrayRole::Pos => self.pos.unwrap_or(Width::I64),
            ArrayRole::Crd => self.crd.unwrap_or(Width::I32),
            ArrayRole::Size(_) | ArrayRole::Words => Width::I64,
            ArrayRole::Mask | ArrayRole::Bytes | ArrayRole::ShortCrd => Width::U8,
        }
    }
    /// The element type of an index array of a level.
    pub fn array_dtype(&self, role: ArrayRole) -> DType {
        if role == ArrayRole::Mask { DType::Bool } else { self.width(role).dtype() }
    }
    /// The same format with every width decided: `pos` is `i64`, `crd` the narrowest of `i32` and `i64` that holds
    /// every coordinate of `shape`.
    pub fn resolve(&self, shape: &[usize]) -> Format {
        let largest = match &self.remap {
            None => shape.iter().max().map_or(0, |&d| d as u64),
            Some(remap) => {
                let stored = |k: &usize| self.levels[*k].spec.arrays.iter().any(|a| a.role == ArrayRole::Crd);
                let ends = (0..remap.depth()).filter(stored).map(|k| remap.bounds(k, shape).range());
                ends.map(|r| r.end.unsigned_abs().max(r.start.unsigned_abs())).max().unwrap_or(0)
            }
        };
        Format {
            pos: Some(self.pos.unwrap_or(Width::I64)),
            crd: Some(self.crd.unwrap_or(Width::for_largest(largest))),
            ..self.clone()
        }
    }
}

impl fmt::Display for Format {
    /// A preset name where one fits, else the full text form; both parse back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::print(self, f)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
