//! Memory in and out by the buffer protocol, which is all that NumPy and pickle need.
//!
//! **In**: values are read in place where they are contiguous, aligned and of a dtype that we have; the buffer they come
//! from is kept alive. Index arrays and bools are copied, because kernels trust what was checked once, and whoever made
//! an array may write to it later. Values that change are other values and nothing worse.
//!
//! **Out**: a [`PyMemory`] is read by NumPy in place and lives as long as the array that reads it. Only memory that
//! nothing else reads may be written to.

use crate::error::rejection;
use crate::gate;
use openwork::{Buffer, DType};
use openwork_base::names::meant_or;
use openwork_storage::buffer::Writers;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int};
use std::sync::Arc;

/// NumPy's name of a dtype.
pub(crate) fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        DType::U16 => "uint16",
        DType::U32 => "uint32",
        DType::U64 => "uint64",
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::C64 => "complex64",
        DType::C128 => "complex128",
    }
}

/// The dtype with this name, ours or NumPy's.
pub(crate) fn dtype(py: Python<'_>, name: &str) -> PyResult<DType> {
    name.parse().map_err(|()| {
        let known = DType::ALL.map(numpy_name);
        let help = meant_or(name, known, &format!("known are {}", known.join(", ")));
        rejection(py, "E0805", format!("the dtype {name} is not supported"), &help)
    })
}

/// How the buffer protocol writes a dtype. `l` has the size of a C `long`, which is NumPy's `int64` wherever it has 64
/// bits.
fn letter(dtype: DType) -> &'static CStr {
    let long = size_of::<std::ffi::c_long>() == 8;
    match dtype {
        DType::Bool => c"?",
        DType::I8 => c"b",
        DType::I16 => c"h",
        DType::I32 => c"i",
        DType::I64 if long => c"l",
        DType::I64 => c"q",
        DType::U8 => c"B",
        DType::U16 => c"H",
        DType::U32 => c"I",
        DType::U64 if long => c"L",
        DType::U64 => c"Q",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
    }
}

/// The dtype of a buffer whose elements are in the machine's byte order.
fn dtype_of(buffer: &PyUntypedBuffer) -> Option<DType> {
    let text = buffer.format().to_bytes();
    let native = if cfg!(target_endian = "little") { b'<' } else { b'>' };
    let code = match text {
        [b'@' | b'=', code @ ..] => code,
        [order, code @ ..] if *order == native => code,
        code => code,
    };
    Some(match (code, buffer.item_size()) {
        (b"?", 1) => DType::Bool,
        (b"b", 1) => DType::I8,
        (b"h", 2) => DType::I16,
        (b"i" | b"l", 4) => DType::I32,
        (b"l" | b"q", 8) => DType::I64,
        (b"B", 1) => DType::U8,
        (b"H", 2) => DType::U16,
        (b"I" | b"L", 4) => DType::U32,
        (b"L" | b"Q", 8) => DType::U64,
        (b"f", 4) => DType::F32,
        (b"d", 8) => DType::F64,
        (b"Zf", 8) => DType::C64,
        (b"Zd", 16) => DType::C128,
        _ => return None,
    })
}

/// Bytes that are copied between two looks for signals: some milliseconds.
const COPIED: usize = 1 << 24;

/// How a contiguous array lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryOrder {
    /// The last mode is fastest.
    Rows,
    /// The first mode is fastest.
    Columns,
}

/// An array of another library.
pub(crate) struct Foreign {
    buffer: PyUntypedBuffer,
    /// The dtype of the elements.
    pub(crate) dtype: DType,
    /// How they lie.
    pub(crate) order: MemoryOrder,
}

impl Foreign {
    /// Reads what an array is. Python makes arrays contiguous, aligned and of the machine's byte order before they come
    /// here.
    pub(crate) fn from_array(array: &Bound<'_, PyAny>) -> PyResult<Foreign> {
        let py = array.py();
        let buffer = PyUntypedBuffer::get(array)?;
        let Some(dtype) = dtype_of(&buffer) else {
            let text = buffer.format().to_string_lossy().into_owned();
            return Err(rejection(py, "E0805", format!("elements of type `{text}` are not supported"), ""));
        };
        let order = match (buffer.is_c_contiguous(), buffer.is_fortran_contiguous()) {
            (true, _) => MemoryOrder::Rows,
            (false, true) => MemoryOrder::Columns,
            (false, false) => return Err(PyBufferError::new_err("the array is not contiguous")),
        };
        // No dtype of ours needs more than 8 bytes of alignment.
        if !(buffer.buf_ptr() as usize).is_multiple_of(dtype.size().min(8)) && buffer.item_count() > 0 {
            return Err(PyBufferError::new_err("the array is not aligned"));
        }
        Ok(Foreign { buffer, dtype, order })
    }
    /// The size of every mode.
    pub(crate) fn shape(&self) -> Vec<usize> {
        self.buffer.shape().to_vec()
    }
    /// How many modes there are.
    pub(crate) fn rank(&self) -> usize {
        self.buffer.dimensions()
    }
    /// A copy of the elements.
    pub(crate) fn copy_elements(&self, py: Python<'_>) -> PyResult<Buffer> {
        use crate::error::OrRaise;
        // SAFETY: every element is written below, before it is read.
        let mut out = unsafe { Buffer::to_write(self.dtype, self.buffer.item_count()) }.or_raise(py)?;
        let bytes = out.bytes();
        let to = out.as_mut_ptr();
        for at in (0..bytes).step_by(COPIED) {
            py.check_signals()?;
            let (from, len) = (self.buffer.buf_ptr().cast::<u8>(), COPIED.min(bytes - at));
            // SAFETY: the buffer is contiguous and holds as many bytes; `to` is memory of our own.
            unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), len) };
        }
        if self.dtype == DType::Bool {
            // SAFETY: as above; whatever bytes a bool had, it has 0 or 1 now.
            unsafe { std::slice::from_raw_parts_mut(to, bytes) }
                .iter_mut()
                .for_each(|b| *b = u8::from(*b != 0));
        }
        Ok(out)
    }
    /// A copy of coordinates of a mode of this size, in 32 bits where these hold all of them.
    pub(crate) fn coordinates(&self, py: Python<'_>, size: usize) -> PyResult<Buffer> {
        if self.dtype != DType::I64 || i32::try_from(size).is_err() {
            return self.copy_elements(py);
        }
        use crate::error::OrRaise;
        let n = self.buffer.item_count();
        // SAFETY: as above.
        let mut out = unsafe { Buffer::to_write(DType::I32, n) }.or_raise(py)?;
        let from = self.buffer.buf_ptr().cast::<i64>().cast_const();
        let mut wide = false;
        let slots = out.as_mut_slice::<i32>().unwrap_or(&mut []);
        for (b, block) in slots.chunks_mut(COPIED).enumerate() {
            py.check_signals()?;
            for (e, slot) in block.iter_mut().enumerate() {
                // SAFETY: the buffer is contiguous and aligned, and has an element for every slot.
                let c = unsafe { from.add(b * COPIED + e).read() };
                *slot = c as i32;
                wide |= i64::from(*slot) != c;
            }
        }
        // What is out of range is told as it was given.
        if wide { self.copy_elements(py) } else { Ok(out) }
    }
    /// The elements in place; bools are copied.
    pub(crate) fn borrow_elements(self, py: Python<'_>) -> PyResult<Buffer> {
        self.borrowed_from(py, Writers::Owner)
    }
    /// The elements in place, of memory that `writers` may write to while it is held; bools are copied.
    pub(crate) fn borrowed_from(self, py: Python<'_>, writers: Writers) -> PyResult<Buffer> {
        if self.dtype == DType::Bool {
            return self.copy_elements(py);
        }
        let (dtype, len) = (self.dtype, self.buffer.item_count());
        let ptr = self.buffer.buf_ptr().cast_const().cast();
        // SAFETY: the buffer is contiguous and aligned and stays in place while it is held, which `self.buffer` does.
        // Its owner may write to it: every value of these dtypes is valid.
        Ok(unsafe { Buffer::borrow(dtype, ptr, len, Arc::new(self.buffer), writers) })
    }
}

/// An array of ours for NumPy and pickle to read in place.
#[pyclass(frozen, module = "openwork._core", name = "Memory")]
pub(crate) struct PyMemory {
    buffer: Buffer,
    shape: Vec<isize>,
    strides: Vec<isize>,
    writable: bool,
}

impl PyMemory {
    /// One array that something else reads as well.
    pub(crate) fn from_shared(buffer: Buffer) -> PyMemory {
        let shape = vec![buffer.len()];
        PyMemory::new(buffer, &shape, &[0], false)
    }
    /// One array that nothing else reads.
    pub(crate) fn from_owned(buffer: Buffer) -> PyMemory {
        let shape = vec![buffer.len()];
        let alone = !buffer.is_shared();
        PyMemory::new(buffer, &shape, &[0], alone)
    }
    /// A dense array whose modes are stored in the order `modes`, the last one fastest.
    pub(crate) fn new(buffer: Buffer, shape: &[usize], modes: &[usize], writable: bool) -> PyMemory {
        let mut strides = vec![0; shape.len()];
        let mut step = buffer.dtype().size() as isize;
        for &mode in modes.iter().rev() {
            strides[mode] = step;
            step = step.saturating_mul(shape[mode].max(1) as isize);
        }
        let shape = shape.iter().map(|&n| n as isize).collect();
        PyMemory { buffer, shape, strides, writable }
    }
}

/// Memory for so many numbers, counted as that of results is; it holds anything, and whoever asked writes all of it.
#[pyfunction]
pub(crate) fn room(py: Python<'_>, name: &str, len: usize) -> PyResult<PyMemory> {
    gate::entry(|| {
        use crate::error::OrRaise;
        let dtype = dtype(py, name)?;
        let buffer = match dtype {
            // Not every byte is one.
            DType::Bool => Buffer::zeros(dtype, len),
            // SAFETY: any bits are a number.
            _ => unsafe { Buffer::to_write(dtype, len) },
        };
        Ok(PyMemory::from_owned(buffer.or_raise(py)?))
    })
}

/// Refuses so many bytes for `what`, which NumPy or SciPy is to take, where the memory limit leaves fewer.
#[pyfunction]
pub(crate) fn allow(py: Python<'_>, what: String, bytes: u64) -> PyResult<()> {
    gate::entry(|| {
        use crate::error::OrRaise;
        openwork_storage::memory::allow(|| what, bytes.into()).or_raise(py)
    })
}

#[pymethods]
impl PyMemory {
    /// # Safety
    /// Python calls it, with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        gate::entry(|| {
            let m = slf.get();
            if flags & ffi::PyBUF_WRITABLE != 0 && !m.writable {
                return Err(PyBufferError::new_err("the memory is read by others: copy it to write to it"));
            }
            let size = m.buffer.dtype().size() as isize;
            let rows = m.strides.last().is_none_or(|&s| s == size) && m.strides.is_sorted_by(|a, b| a >= b);
            if flags & ffi::PyBUF_STRIDES != ffi::PyBUF_STRIDES && !rows {
                return Err(PyBufferError::new_err("the memory is stored by columns: ask for strides"));
            }
            // SAFETY: `view` is Python's to be filled. What it points at lies in a frozen object that `obj` keeps alive; the
            // buffer protocol takes shapes and strides by mutable pointers and never writes through them, and the memory
            // is only written to when `readonly` says that it may be.
            unsafe {
                (*view).buf = m.buffer.as_ptr().cast_mut().cast();
                (*view).len = m.buffer.bytes() as isize;
                (*view).readonly = c_int::from(!m.writable);
                (*view).itemsize = size;
                let asked = |flag| flags & flag == flag;
                let none = std::ptr::null_mut();
                (*view).format = if asked(ffi::PyBUF_FORMAT) {
                    letter(m.buffer.dtype()).as_ptr().cast_mut()
                } else {
                    none
                };
                (*view).ndim = m.shape.len() as c_int;
                let none = std::ptr::null_mut();
                (*view).shape = if asked(ffi::PyBUF_ND) { m.shape.as_ptr().cast_mut() } else { none };
                (*view).strides =
                    if asked(ffi::PyBUF_STRIDES) { m.strides.as_ptr().cast_mut() } else { none };
                (*view).suboffsets = none;
                (*view).internal = std::ptr::null_mut();
                (*view).obj = slf.into_any().into_ptr();
            }
            Ok(())
        })
    }
    /// Bytes of the array.
    #[getter]
    fn nbytes(&self) -> PyResult<usize> {
        gate::entry(|| Ok(self.buffer.bytes()))
    }
}
