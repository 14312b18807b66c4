//! The arrays of a level, for reading.

use super::Site;
use crate::buffer::Buffer;
use crate::index::IndexArray;
use crate::tensor::LevelArrays;
use openwork_format::Level;

/// The arrays of one level with what is needed to read them.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// Where the level stands.
    pub site: Site,
    /// Its arrays, in the order of `level.spec.arrays`.
    pub arrays: &'a [Buffer],
    /// The arrays of the level whose structs it shares; its own for most.
    pub(crate) head: &'a [Buffer],
}

impl<'a> View<'a> {
    pub(crate) fn new(site: Site, levels: &'a [LevelArrays]) -> View<'a> {
        let (arrays, head) = (&levels[site.number].arrays, &levels[site.structs.0].arrays);
        View { site, arrays, head }
    }
    /// The number of the level, 0 outermost.
    pub fn number(&self) -> usize {
        self.site.number
    }
    /// The level.
    pub fn level(&self) -> Level {
        self.site.level
    }
    /// The least coordinate.
    pub fn low(&self) -> i64 {
        self.site.bounds.low
    }
    /// How many coordinates there may be.
    pub fn size(&self) -> usize {
        self.site.bounds.size
    }
    /// Array `n` as an index; empty if it is none, which [`Tensor::new_checked`](crate::Tensor::new_checked) refuses.
    pub fn index(&self, n: usize) -> IndexArray<'a> {
        IndexArray::from_buffer(&self.arrays[n]).unwrap_or(IndexArray::I64(&[]))
    }
    /// Number `n` of array 0, an array of sizes, as a count; 0 if there is none or it is negative.
    pub fn size_at(&self, n: usize) -> usize {
        let sizes = self.index(0);
        if n < sizes.len() { usize::try_from(sizes.get(n)).unwrap_or(0) } else { 0 }
    }
    /// A coordinate of a coordinate array that may hold the empty marker.
    pub fn filled_coordinate(&self, coord: i64) -> Option<i64> {
        (!(self.site.empties && coord == self.site.empty)).then_some(coord)
    }
    /// The coordinates of the level in the structs that they lie in.
    pub(crate) fn member(&self) -> CoordColumn<'a> {
        let (head, stride) = self.site.structs;
        let crd = IndexArray::from_buffer(&self.head[1]).unwrap_or(IndexArray::I64(&[]));
        CoordColumn { crd, stride, first: self.site.number - head }
    }
    /// The coordinate `q` of the structs that this level's coordinates lie in.
    pub(crate) fn in_struct(&self, position: usize) -> i64 {
        let (head, stride) = self.site.structs;
        let crd = IndexArray::from_buffer(&self.head[1]).unwrap_or(IndexArray::I64(&[]));
        crd.get(position * stride + (self.site.number - head))
    }
}

/// Coordinates by position: that of position `p` is number `first + p * stride` of an array.
#[derive(Clone, Copy, Debug)]
pub struct CoordColumn<'a> {
    /// The array.
    pub crd: IndexArray<'a>,
    /// How far the next coordinate is.
    pub stride: usize,
    /// Where the first one is.
    pub first: usize,
}

impl<'a> CoordColumn<'a> {
    /// An array with the coordinate of every position and nothing else.
    pub fn from_index(crd: IndexArray<'a>) -> CoordColumn<'a> {
        CoordColumn { crd, stride: 1, first: 0 }
    }
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.crd.len() / self.stride
    }
    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The parents of the children of a level.
#[derive(Clone, Copy, Debug)]
pub struct Parents<'a> {
    /// How many there are.
    pub count: usize,
    /// Which of them are elements; the others are empty slots, and no walk gets there. `None` when all are.
    pub live: Option<&'a [bool]>,
}

impl Parents<'_> {
    /// Whether parent `p` is an element.
    pub fn is_live(&self, p: usize) -> bool {
        self.live.is_none_or(|live| live[p])
    }
    /// The parents that are empty slots.
    pub fn dead(&self) -> impl Iterator<Item = usize> + '_ {
        self.live.unwrap_or(&[]).iter().enumerate().filter(|(_, live)| !**live).map(|(p, _)| p)
    }
}
