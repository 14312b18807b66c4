//! Index arrays of any width, for reading.

use crate::buffer::Buffer;
use openwork_algebra::DType;

/// An integer array seen as numbers, whatever its width.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum IndexArray<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// Runs `$body` with `$s` bound to the slice of an index of any width. One body serves every width, so a cast in it is
/// idle for one of them.
macro_rules! with_index {
    ($index:expr, $s:ident => $body:expr) => {
        match $index {
            #[allow(clippy::unnecessary_cast)]
            $crate::index::IndexArray::U8($s) => $body,
            #[allow(clippy::unnecessary_cast)]
            $crate::index::IndexArray::U16($s) => $body,
            #[allow(clippy::unnecessary_cast)]
            $crate::index::IndexArray::U32($s) => $body,
            #[allow(clippy::unnecessary_cast)]
            $crate::index::IndexArray::I32($s) => $body,
            #[allow(clippy::unnecessary_cast)]
            $crate::index::IndexArray::I64($s) => $body,
        }
    };
}
pub(crate) use with_index;

impl<'a> IndexArray<'a> {
    /// The array as an index; `None` when its dtype is no index width.
    pub fn from_buffer(buffer: &'a Buffer) -> Option<IndexArray<'a>> {
        Some(match buffer.dtype() {
            DType::U8 => IndexArray::U8(buffer.as_slice()?),
            DType::U16 => IndexArray::U16(buffer.as_slice()?),
            DType::U32 => IndexArray::U32(buffer.as_slice()?),
            DType::I32 => IndexArray::I32(buffer.as_slice()?),
            DType::I64 => IndexArray::I64(buffer.as_slice()?),
            _ => return None,
        })
    }
    /// The number of elements.
    pub fn len(self) -> usize {
        with_index!(self, s => s.len())
    }
    /// Whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// Element `i`.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn get(self, i: usize) -> i64 {
        with_index!(self, s => s[i] as i64)
    }
    /// Element `i` of an array that is known to hold no negative numbers.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn entry_at(self, i: usize) -> usize {
        self.get(i) as usize
    }
}

/// Evaluates `$body` with `$T` bound to the integer type of a width.
macro_rules! dispatch_width {
    ($width:expr, $T:ident => $body:expr) => {
        match $width {
            openwork_format::Width::U8 => $crate::element::dispatch!(@ u8, $T => $body),
            openwork_format::Width::U16 => $crate::element::dispatch!(@ u16, $T => $body),
            openwork_format::Width::U32 => $crate::element::dispatch!(@ u32, $T => $body),
            openwork_format::Width::I32 => $crate::element::dispatch!(@ i32, $T => $body),
            openwork_format::Width::I64 => $crate::element::dispatch!(@ i64, $T => $body),
        }
    };
}
pub(crate) use dispatch_width;
