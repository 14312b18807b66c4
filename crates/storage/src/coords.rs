//! Coordinate lists, the form of tensors that files, generators and other libraries have in common.

use crate::buffer::Buffer;
use crate::element::sum;
use crate::error::invalid;
use crate::index::IndexArray;
use crate::parallel;
use crate::vectors::{self, IndexNumber};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_format::Width;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Coordinates that one task looks at.
const CHUNK: usize = 1 << 16;

/// Entries in any order, with duplicates allowed: one coordinate array per mode (`i32`, or `i64` for modes larger
/// than that) and one array of values.
///
/// Coordinates are 0-based. Lengths and dtypes are right in every `Coo`; whether coordinates lie in the shape is
/// checked where they are used ([`pack`](crate::pack()), [`Coo::check_range`]).
///
/// ```
/// use openwork_storage::{Buffer, Coo};
/// let rows = Buffer::from(vec![0i32, 2]);
/// let cols = Buffer::from(vec![1i32, 1]);
/// let a = Coo::new(vec![3, 2], vec![rows, cols], Buffer::from(vec![1.5, 2.5]))?;
/// assert_eq!((a.len(), a.coords_of(1)), (2, vec![2, 1]));
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coo {
    shape: Vec<usize>,
    coords: Vec<Buffer>,
    vals: Buffer,
}

impl Coo {
    /// A coordinate list from one array per mode and the values.
    ///
    /// # Errors
    /// E0601 when the number, the dtypes (`i32` or `i64`) or the lengths of the arrays are wrong, or a bool is neither
    /// 0 nor 1.
    pub fn new(shape: Vec<usize>, coords: Vec<Buffer>, vals: Buffer) -> Result<Coo> {
        crate::error::addressable(&shape)?;
        if coords.len() != shape.len() {
            return Err(invalid(format!("{} modes, but {} coordinate arrays", shape.len(), coords.len())));
        }
        for (mode, c) in coords.iter().enumerate() {
            if !matches!(c.dtype(), DType::I32 | DType::I64) {
                return Err(invalid(format!("coordinates of mode {mode} are {}, not i32 or i64", c.dtype())));
            }
            if c.len() != vals.len() {
                let (c, v) = (c.len(), vals.len());
                return Err(invalid(format!("mode {mode} has {c} coordinates, but there are {v} values")));
            }
        }
        // Borrowed bools may hold any byte, and from here on they are read as bools.
        if vals.dtype() == DType::Bool
            && let Some(e) = vals.as_bytes().iter().position(|&b| b > 1)
        {
            return Err(invalid(format!(
                "value {e} is the byte {}, but a bool is 0 or 1",
                vals.as_bytes()[e]
            )));
        }
        Ok(Coo { shape, coords, vals })
    }
    /// A coordinate list from entries written out, for tests and small inputs. Values are cast to `dtype`.
    ///
    /// # Errors
    /// E0601 when an entry has the wrong number of coordinates or a coordinate out of range.
    pub fn from_entries(shape: &[usize], dtype: DType, entries: &[(Vec<usize>, Scalar)]) -> Result<Coo> {
        let mut vals = Buffer::zeros(dtype, entries.len())?;
        let mut coords = Vec::new();
        for &dim in shape {
            coords.push(Buffer::zeros(Coo::coord_dtype(dim), entries.len())?);
        }
        for (e, (at, value)) in entries.iter().enumerate() {
            if at.len() != shape.len() || at.iter().zip(shape).any(|(c, d)| c >= d) {
                return Err(invalid(format!(
                    "entry {e} has the coordinates {at:?}, outside the shape {shape:?}"
                )));
            }
            for (array, &c) in coords.iter_mut().zip(at) {
                array.set(e, Scalar::I64(c as i64));
            }
            vals.set(e, *value);
        }
        Coo::new(shape.to_vec(), coords, vals)
    }
    /// The narrowest coordinate dtype for a mode of size `dim`.
    pub fn coord_dtype(dim: usize) -> DType {
        Width::for_largest(dim as u64).dtype()
    }
    /// The size of every mode.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// The dtype of the values.
    pub fn dtype(&self) -> DType {
        self.vals.dtype()
    }
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.vals.len()
    }
    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.vals.is_empty()
    }
    /// The coordinates of every entry in one mode, each `i32` or `i64`.
    ///
    /// # Panics
    /// If there is no such mode.
    pub fn coords(&self, mode: usize) -> &Buffer {
        &self.coords[mode]
    }
    /// The values.
    pub fn vals(&self) -> &Buffer {
        &self.vals
    }
    /// The coordinates of entry `e`.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn coords_of(&self, e: usize) -> Vec<i64> {
        self.coords.iter().map(|c| c.get(e).as_i64()).collect()
    }
    /// Shape, coordinate arrays and values.
    pub fn into_parts(self) -> (Vec<usize>, Vec<Buffer>, Buffer) {
        (self.shape, self.coords, self.vals)
    }
    /// The same entries with their values cast to `dtype`.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn cast(self, dtype: DType) -> Result<Coo> {
        if dtype == self.dtype() {
            return Ok(self);
        }
        Ok(Coo { vals: self.vals.cast(dtype)?, ..self })
    }
    pub(crate) fn index(&self, mode: usize) -> IndexArray<'_> {
        IndexArray::from_buffer(&self.coords[mode]).unwrap_or(IndexArray::I64(&[]))
    }
    /// Checks that every coordinate lies in the shape.
    ///
    /// # Errors
    /// E0601 at the first entry that does not.
    pub fn check_range(&self) -> Result<()> {
        for (mode, &dim) in self.shape.iter().enumerate() {
            // A negative number is huge as an unsigned one, so one comparison checks both ends.
            let index = self.index(mode);
            let first = AtomicUsize::new(usize::MAX);
            let size = parallel::elements_of_a_task(CHUNK, 4, index.len());
            parallel::tasks(index.len().div_ceil(size), &|n| {
                let chunk = parallel::block_of(n, size, index.len());
                let inside = match index {
                    IndexArray::I32(s) => vectors::inside(&s[chunk.clone()], i32::largest(dim)),
                    IndexArray::I64(s) => vectors::inside(&s[chunk.clone()], i64::largest(dim)),
                    _ => false,
                };
                // Only a chunk in which something is wrong is searched.
                if !inside && let Some(e) = chunk.into_iter().find(|&e| index.get(e) as u64 >= dim as u64) {
                    first.fetch_min(e, Ordering::Relaxed);
                }
            });
            let bad = Some(first.into_inner()).filter(|&e| e < index.len());
            if let Some(e) = bad {
                let found = self.index(mode).get(e);
                return Err(invalid(format!(
                    "entry {e}: the coordinate of mode {mode} is {found}, outside 0..{dim}"
                )));
            }
        }
        Ok(())
    }
    /// Every entry as its coordinates and its value, duplicates summed, sorted by coordinates. For tests.
    pub fn sorted_entries(&self) -> Vec<(Vec<i64>, Scalar)> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&e| self.coords_of(e));
        let mut out: Vec<(Vec<i64>, Scalar)> = Vec::new();
        for e in order {
            let (at, value) = (self.coords_of(e), self.vals.get(e));
            match out.last_mut() {
                Some((last, total)) if *last == at => *total = sum(*total, value),
                _ => out.push((at, value)),
            }
        }
        out
    }
}
