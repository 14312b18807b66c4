//! Memory that the interpreter runs over: a trait that any memory can implement, and vectors of scalars.

use crate::nodes::{BufId, LoopKernel, Status};
use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::Id;

/// The buffers of a running kernel. `None` means that the index is outside the buffer.
pub trait Memory {
    /// Reads an element.
    fn load(&self, buf: BufId, at: usize) -> Option<Scalar>;
    /// Writes an element.
    fn store(&mut self, buf: BufId, at: usize, value: Scalar) -> Option<()>;
    /// The number of elements that can be accessed.
    fn capacity(&self, buf: BufId) -> usize;
    /// Makes room for at least `len` elements; new room is zero. Anything but [`Status::Ok`] ends the kernel.
    fn reserve(&mut self, buf: BufId, len: usize) -> Status;
    /// Remembers that the first `len` elements are the result.
    fn set_len(&mut self, buf: BufId, len: usize) -> Option<()>;
    /// Whether the kernel should stop where it is told to look for that. Memory of one's own never asks for it.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Memory owned as one vector of scalars per buffer. [`Memory::reserve`] gives exactly what was asked for, so that a
/// kernel which writes past what it reserved is caught.
#[derive(Clone, Debug, PartialEq)]
pub struct VecMemory {
    slots: Vec<MemorySlot>,
    room: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct MemorySlot {
    elem: DType,
    data: Vec<Scalar>,
    len: Option<usize>,
}

impl VecMemory {
    /// Empty buffers for `kernel`.
    pub fn new(kernel: &LoopKernel) -> VecMemory {
        let slots = kernel
            .bufs
            .iter()
            .map(|(_, b)| MemorySlot { elem: b.elem, data: Vec::new(), len: None })
            .collect();
        VecMemory { slots, room: 1 << 24 }
    }
    /// Refuses to grow any buffer beyond `room` elements, with [`Status::OutOfMemory`].
    pub fn with_room(mut self, room: usize) -> VecMemory {
        self.room = room;
        self
    }
    /// Replaces the contents of a buffer; values are cast to its dtype.
    pub fn set(&mut self, buf: BufId, values: impl IntoIterator<Item = Scalar>) {
        let slot = &mut self.slots[buf.index()];
        slot.data = values.into_iter().map(|v| v.cast(slot.elem)).collect();
        slot.len = None;
    }
    /// Replaces the contents of a buffer; values are cast to its dtype.
    pub fn set_ints(&mut self, buf: BufId, values: &[i64]) {
        self.set(buf, values.iter().map(|&n| Scalar::I64(n)));
    }
    /// Everything in a buffer.
    pub fn values(&self, buf: BufId) -> &[Scalar] {
        &self.slots[buf.index()].data
    }
    /// The result in a buffer: as many elements as the kernel announced, or all.
    pub fn result(&self, buf: BufId) -> &[Scalar] {
        let slot = &self.slots[buf.index()];
        &slot.data[..slot.len.unwrap_or(slot.data.len())]
    }
    /// The length that the kernel announced.
    pub fn announced_len(&self, buf: BufId) -> Option<usize> {
        self.slots[buf.index()].len
    }
}

impl Memory for VecMemory {
    fn load(&self, buf: BufId, at: usize) -> Option<Scalar> {
        self.slots.get(buf.index())?.data.get(at).copied()
    }
    fn store(&mut self, buf: BufId, at: usize, value: Scalar) -> Option<()> {
        *self.slots.get_mut(buf.index())?.data.get_mut(at)? = value;
        Some(())
    }
    fn capacity(&self, buf: BufId) -> usize {
        self.slots.get(buf.index()).map_or(0, |s| s.data.len())
    }
    fn reserve(&mut self, buf: BufId, len: usize) -> Status {
        let Some(slot) = self.slots.get_mut(buf.index()) else { return Status::OutOfMemory };
        if len > slot.data.len() {
            if len > self.room {
                return Status::OutOfMemory;
            }
            slot.data.resize(len, Scalar::zero(slot.elem));
        }
        Status::Ok
    }
    fn set_len(&mut self, buf: BufId, len: usize) -> Option<()> {
        let slot = self.slots.get_mut(buf.index())?;
        (len <= slot.data.len()).then(|| slot.len = Some(len))
    }
}

/// Reads an element of `dtype` from exactly its bytes (native order; a bool is any non-zero byte). For memories made
/// of raw arrays.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_loops::interp::{read_element, write_element};
/// let mut bytes = [0u8; 4];
/// write_element(Scalar::I32(-7), &mut bytes).unwrap();
/// assert_eq!(read_element(DType::I32, &bytes), Some(Scalar::I32(-7)));
/// assert_eq!(read_element(DType::I64, &bytes), None);
/// ```
pub fn read_element(dtype: DType, bytes: &[u8]) -> Option<Scalar> {
    macro_rules! number {
        ($variant:ident, $t:ty) => {
            Scalar::$variant(<$t>::from_ne_bytes(bytes.try_into().ok()?))
        };
    }
    Some(match dtype {
        DType::Bool => {
            let [byte] = *bytes else { return None };
            Scalar::Bool(byte != 0)
        }
        DType::I8 => number!(I8, i8),
        DType::I16 => number!(I16, i16),
        DType::I32 => number!(I32, i32),
        DType::I64 => number!(I64, i64),
        DType::U8 => number!(U8, u8),
        DType::U16 => number!(U16, u16),
        DType::U32 => number!(U32, u32),
        DType::U64 => number!(U64, u64),
        DType::F32 => number!(F32, f32),
        DType::F64 => number!(F64, f64),
        DType::C64 => {
            let (re, im) = bytes.split_at_checked(4)?;
            let part = |b: &[u8]| Some(f32::from_ne_bytes(b.try_into().ok()?));
            Scalar::C64(Complex::new(part(re)?, part(im)?))
        }
        DType::C128 => {
            let (re, im) = bytes.split_at_checked(8)?;
            let part = |b: &[u8]| Some(f64::from_ne_bytes(b.try_into().ok()?));
            Scalar::C128(Complex::new(part(re)?, part(im)?))
        }
    })
}

/// Writes an element to exactly its bytes; `None` when their number is not that of the dtype.
pub fn write_element(value: Scalar, bytes: &mut [u8]) -> Option<()> {
    let mut put = |source: &[u8]| (bytes.len() == source.len()).then(|| bytes.copy_from_slice(source));
    match value {
        Scalar::Bool(x) => put(&[x as u8]),
        Scalar::I8(x) => put(&x.to_ne_bytes()),
        Scalar::I16(x) => put(&x.to_ne_bytes()),
        Scalar::I32(x) => put(&x.to_ne_bytes()),
        Scalar::I64(x) => put(&x.to_ne_bytes()),
        Scalar::U8(x) => put(&x.to_ne_bytes()),
        Scalar::U16(x) => put(&x.to_ne_bytes()),
        Scalar::U32(x) => put(&x.to_ne_bytes()),
        Scalar::U64(x) => put(&x.to_ne_bytes()),
        Scalar::F32(x) => put(&x.to_ne_bytes()),
        Scalar::F64(x) => put(&x.to_ne_bytes()),
        Scalar::C64(z) => {
            let mut both = [0; 8];
            both[..4].copy_from_slice(&z.re.to_ne_bytes());
            both[4..].copy_from_slice(&z.im.to_ne_bytes());
            put(&both)
        }
        Scalar::C128(z) => {
            let mut both = [0; 16];
            both[..8].copy_from_slice(&z.re.to_ne_bytes());
            both[8..].copy_from_slice(&z.im.to_ne_bytes());
            put(&both)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_survive_as_bytes_in_every_dtype() {
        for dtype in DType::ALL {
            for value in [Scalar::zero(dtype), Scalar::one(dtype)].into_iter().chain(Scalar::highest(dtype)) {
                let mut bytes = vec![0xAA; dtype.size()];
                write_element(value, &mut bytes).unwrap();
                assert_eq!(read_element(dtype, &bytes), Some(value));
                assert_eq!(write_element(value, &mut [0; 3]), None);
                assert_eq!(read_element(dtype, &[0; 3]), None);
            }
        }
    }
}
