//! Integer widths of index arrays.

use openwork_algebra::DType;

/// The element type of a `pos` or `crd` array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Width {
    U8,
    U16,
    U32,
    I32,
    I64,
}

impl Width {
    /// Every width.
    pub const ALL: [Width; 5] = [Width::U8, Width::U16, Width::U32, Width::I32, Width::I64];

    /// The dtype of an index array of this width.
    pub fn dtype(self) -> DType {
        match self {
            Width::U8 => DType::U8,
            Width::U16 => DType::U16,
            Width::U32 => DType::U32,
            Width::I32 => DType::I32,
            Width::I64 => DType::I64,
        }
    }
    /// The largest number an element can hold.
    pub fn max(self) -> u64 {
        match self {
            Width::U8 => u8::MAX as u64,
            Width::U16 => u16::MAX as u64,
            Width::U32 => u32::MAX as u64,
            Width::I32 => i32::MAX as u64,
            Width::I64 => i64::MAX as u64,
        }
    }
    /// The element that marks an empty slot of a coordinate array, as an index: -1, or the largest unsigned number.
    pub fn empty(self) -> i64 {
        match self {
            Width::I32 | Width::I64 => -1,
            Width::U8 | Width::U16 | Width::U32 => self.max() as i64,
        }
    }
    /// `i32` where every number up to `largest` fits, else `i64`.
    pub fn for_largest(largest: u64) -> Width {
        if largest <= Width::I32.max() { Width::I32 } else { Width::I64 }
    }
    /// The width called `name` (`i32`, `u8`, …).
    pub fn by_name(name: &str) -> Option<Width> {
        Width::ALL.into_iter().find(|w| w.dtype().name() == name)
    }
}
