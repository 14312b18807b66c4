//! Tensors from arrays of a program's own: moved in, or lent for a while.

use crate::buffer::{Buffer, Writers};
use crate::canonical::canonical;
use crate::coords::Coo;
use crate::element::Element;
use crate::error::invalid;
use crate::pack::pack;
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_format::{Format, presets};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

mod sealed {
    /// Keeps [`super::Count`] closed: its implementations must match the layouts of the dtypes.
    pub trait Sealed {}
}

/// An integer that positions and coordinates are kept in: `u8`, `u16`, `u32`, `i32`, `i64`, and `u64`, `usize`, `isize`, which
/// are read as signed ones.
pub trait Count: sealed::Sealed + Copy + Send + Sync + TryInto<i64> + 'static {
    /// The dtype of its memory.
    const DTYPE: DType;
}

/// The signed dtype of so many bytes.
const fn signed_dtype(bytes: usize) -> DType {
    if bytes == 8 { DType::I64 } else { DType::I32 }
}

macro_rules! counts {
    ($($t:ty => $dtype:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Count for $t {
            const DTYPE: DType = $dtype;
        }
    )*};
}

counts! {
    u8 => DType::U8;
    u16 => DType::U16;
    u32 => DType::U32;
    i32 => DType::I32;
    i64 => DType::I64;
    u64 => DType::I64;
    usize => signed_dtype(size_of::<usize>());
    isize => signed_dtype(size_of::<isize>());
}

impl Buffer {
    /// The elements of a vector, which keeps its memory: nothing is copied.
    ///
    /// ```
    /// use openwork_storage::Buffer;
    /// let items = vec![1.0, 2.0];
    /// let place = items.as_ptr();
    /// assert_eq!(Buffer::adopt_vec(items).as_slice::<f64>().unwrap().as_ptr(), place);
    /// ```
    pub fn adopt_vec<T: Element>(items: Vec<T>) -> Buffer {
        hold_vec(items, T::DTYPE)
    }
    /// Positions or coordinates of a vector, which keeps its memory.
    ///
    /// ```
    /// use openwork_storage::Buffer;
    /// assert_eq!(Buffer::counts(vec![0usize, 3]), Buffer::from(vec![0i64, 3]));
    /// ```
    pub fn counts<I: Count>(items: Vec<I>) -> Buffer {
        hold_vec(items, I::DTYPE)
    }
}

/// A vector as elements of a dtype of the same size.
fn hold_vec<T: Send + Sync + 'static>(items: Vec<T>, dtype: DType) -> Buffer {
    assert_eq!(size_of::<T>(), dtype.size(), "an element of another size");
    let owner = Arc::new(items);
    let (ptr, len) = (owner.as_ptr().cast(), owner.len());
    // SAFETY: the vector stays in place and as it is while the buffer holds it; `Element` and `Count` are closed, and their
    // dtypes have the same layout. Any bits are a value of an integer dtype.
    unsafe { Buffer::borrow(dtype, ptr, len, owner, Writers::Nobody) }
}

impl Tensor {
    /// A sparse tensor from an array of coordinates for each mode, in any order: csr for a matrix, csf for other ranks. Values
    /// of the same coordinates add up.
    ///
    /// ```
    /// use openwork_storage::Tensor;
    /// let (rows, cols, vals) = (vec![2, 0, 2], vec![1, 0, 1], vec![3.0, 1.0, 4.0]);
    /// let a = Tensor::from_coo(&[rows, cols], &vals, &[3, 2])?;
    /// assert_eq!(a.to_string(), "3 x 2 f64 csr, 2 stored: (0,0) 1, (2,1) 7");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0601 where lengths disagree, or a coordinate is outside of the shape; E0603 where memory runs out.
    pub fn from_coo<I: Count, C: AsRef<[I]>, T: Element>(
        coords: &[C],
        vals: &[T],
        shape: &[usize],
    ) -> Result<Tensor> {
        let array = |(mode, coords): (usize, &C)| {
            let dtype = Coo::coord_dtype(shape.get(mode).copied().unwrap_or(0));
            let mut buffer = Buffer::zeros(dtype, coords.as_ref().len())?;
            for (n, &c) in coords.as_ref().iter().enumerate() {
                let at = c
                    .try_into()
                    .ok()
                    .filter(|&c: &i64| c >= 0 && shape.get(mode).is_none_or(|&d| c < d as i64));
                let Some(at) = at else {
                    let size = shape.get(mode).copied().unwrap_or(0);
                    return Err(invalid(format!("coordinate {n} of mode {mode} is outside of 0..{size}")));
                };
                buffer.set(n, Scalar::I64(at));
            }
            Ok(buffer)
        };
        let arrays = coords.iter().enumerate().map(array).collect::<Result<_>>()?;
        let coo = Coo::new(shape.to_vec(), arrays, Buffer::copy_of(vals)?)?;
        let format = if shape.len() == 2 { presets::csr() } else { presets::csf(shape.len()) };
        pack(&coo, &format, Scalar::zero(T::DTYPE))
    }
    /// A matrix in csr from its arrays, which are used as they are; where coordinates of a row are in no order, or there more
    /// than once, they are sorted and added up.
    ///
    /// ```
    /// use openwork_storage::Tensor;
    /// let a = Tensor::from_csr(vec![0usize, 1, 1, 2], vec![1usize, 0], vec![5.0f32, 6.0], [3, 2])?;
    /// assert_eq!(a.to_string(), "3 x 2 f32 csr, 2 stored: (0,1) 5, (2,0) 6");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0601 for arrays that are no matrix of this shape.
    pub fn from_csr<P: Count, C: Count, T: Element>(
        pos: Vec<P>,
        crd: Vec<C>,
        vals: Vec<T>,
        shape: [usize; 2],
    ) -> Result<Tensor> {
        compressed_tensor(presets::csr(), [Buffer::counts(pos), Buffer::counts(crd)], vals, shape)
    }
    /// A matrix in csc from its arrays, as [`Tensor::from_csr`].
    ///
    /// ```
    /// use openwork_storage::Tensor;
    /// let a = Tensor::from_csc(vec![0, 1, 2], vec![2, 0], vec![5, 6], [3, 2])?;
    /// assert_eq!(a.to_string(), "3 x 2 i32 csc, 2 stored: (2,0) 5, (0,1) 6");
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0601 for arrays that are no matrix of this shape.
    pub fn from_csc<P: Count, C: Count, T: Element>(
        pos: Vec<P>,
        crd: Vec<C>,
        vals: Vec<T>,
        shape: [usize; 2],
    ) -> Result<Tensor> {
        compressed_tensor(presets::csc(), [Buffer::counts(pos), Buffer::counts(crd)], vals, shape)
    }
}

fn compressed_tensor<T: Element>(
    format: Format,
    arrays: [Buffer; 2],
    vals: Vec<T>,
    shape: [usize; 2],
) -> Result<Tensor> {
    let arrays = LevelArrays { arrays: arrays.into() };
    canonical(shape.to_vec(), format, Scalar::zero(T::DTYPE), arrays, Buffer::adopt_vec(vals))
}

/// An array that is lent to a [`TensorView`].
pub struct BorrowedArray<'a> {
    buffer: Buffer,
    life: PhantomData<&'a [u8]>,
}

impl<'a> BorrowedArray<'a> {
    /// Values.
    pub fn values<T: Element>(items: &'a [T]) -> BorrowedArray<'a> {
        // SAFETY: the slice stays as it is for `'a`, and the buffer is only handed out by reference, within `'a`.
        let buffer = unsafe { Buffer::borrow_raw(T::DTYPE, items.as_ptr().cast(), items.len()) };
        BorrowedArray { buffer, life: PhantomData }
    }
    /// Positions or coordinates.
    pub fn counts<I: Count>(items: &'a [I]) -> BorrowedArray<'a> {
        // SAFETY: as above; `I` has the size of its dtype, and any bits are an integer.
        let buffer = unsafe { Buffer::borrow_raw(I::DTYPE, items.as_ptr().cast(), items.len()) };
        BorrowedArray { buffer, life: PhantomData }
    }
}

/// A tensor over slices of somebody else: an operand that is not copied. Read it wherever a `&Tensor` is wanted; a clone is a
/// tensor of its own.
///
/// ```
/// use openwork_storage::{Tensor, TensorView};
/// let (pos, crd, vals) = (vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0]);
/// let a = TensorView::csr(&pos, &crd, &vals, [2, 3])?;
/// assert_eq!(a.vals().as_slice::<f64>().unwrap().as_ptr(), vals.as_ptr());
/// let copy: Tensor = a.tensor().clone();
/// drop((pos, crd, vals));
/// assert_eq!(copy.to_string(), "2 x 3 f64 csr, 3 stored: (0,0) 1, (0,2) 2, (1,1) 3");
/// # Ok::<(), openwork_base::Error>(())
/// ```
///
/// The slices must live as long:
///
/// ```compile_fail
/// use openwork_storage::TensorView;
/// let view = { let x = vec![1.0, 2.0]; TensorView::dense(&[2], &x).unwrap() };
/// assert_eq!(view.nnz(), 2);
/// ```
#[derive(Debug)]
pub struct TensorView<'a> {
    tensor: Tensor,
    life: PhantomData<&'a [u8]>,
}

impl<'a> TensorView<'a> {
    /// A dense tensor, last mode fastest.
    ///
    /// # Errors
    /// E0601 where the number of values is not the product of `shape`.
    pub fn dense<T: Element>(shape: &[usize], vals: &'a [T]) -> Result<TensorView<'a>> {
        let tensor = Tensor::dense(shape, BorrowedArray::values(vals).buffer)?;
        Ok(TensorView { tensor, life: PhantomData })
    }
    /// The values of a tensor, position by position, as a dense vector.
    ///
    /// # Errors
    /// E0603 where there are more than a tensor may have.
    ///
    /// ```
    /// use openwork_storage::{Buffer, Tensor, TensorView};
    /// let a = Tensor::dense(&[1, 2], Buffer::from(vec![1.0, 2.0]))?;
    /// let values = TensorView::values_of(&a)?;
    /// assert_eq!((values.shape(), values.vals().as_slice()), (&[2][..], Some(&[1.0, 2.0][..])));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn values_of(tensor: &'a Tensor) -> Result<TensorView<'a>> {
        let vals = tensor.vals();
        // SAFETY: the tensor stays as it is for `'a`, and the buffer is only handed out by reference, within `'a`.
        let buffer = unsafe { Buffer::borrow_raw(vals.dtype(), vals.as_ptr(), vals.len()) };
        Ok(TensorView { tensor: Tensor::dense(&[vals.len()], buffer)?, life: PhantomData })
    }
    /// A matrix in csr, whose rows are sorted and have no coordinate twice.
    ///
    /// # Errors
    /// E0601 for arrays that are no such matrix.
    pub fn csr<P: Count, C: Count, T: Element>(
        pos: &'a [P],
        crd: &'a [C],
        vals: &'a [T],
        shape: [usize; 2],
    ) -> Result<TensorView<'a>> {
        let levels = vec![vec![], vec![BorrowedArray::counts(pos), BorrowedArray::counts(crd)]];
        TensorView::new(&shape, presets::csr(), Scalar::zero(T::DTYPE), levels, BorrowedArray::values(vals))
    }
    /// A matrix in csc, whose columns are sorted and have no coordinate twice.
    ///
    /// # Errors
    /// E0601 for arrays that are no such matrix.
    pub fn csc<P: Count, C: Count, T: Element>(
        pos: &'a [P],
        crd: &'a [C],
        vals: &'a [T],
        shape: [usize; 2],
    ) -> Result<TensorView<'a>> {
        let levels = vec![vec![], vec![BorrowedArray::counts(pos), BorrowedArray::counts(crd)]];
        TensorView::new(&shape, presets::csc(), Scalar::zero(T::DTYPE), levels, BorrowedArray::values(vals))
    }
    /// A tensor in any format, from the arrays of its levels; see [`Tensor::new_checked`].
    ///
    /// ```
    /// use openwork_algebra::Scalar;
    /// use openwork_format::presets;
    /// use openwork_storage::{BorrowedArray, TensorView};
    /// let (pos, crd, vals) = ([0i32, 2], [1i32, 4], [1.0, 2.0]);
    /// let levels = vec![vec![BorrowedArray::counts(&pos), BorrowedArray::counts(&crd)]];
    /// let x = TensorView::new(&[6], presets::csf(1), Scalar::F64(0.0), levels, BorrowedArray::values(&vals))?;
    /// assert_eq!(x.get(&[4]), Some(Scalar::F64(2.0)));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0601 at the first thing that is no such tensor.
    pub fn new(
        shape: &[usize],
        format: Format,
        fill: Scalar,
        levels: Vec<Vec<BorrowedArray<'a>>>,
        vals: BorrowedArray<'a>,
    ) -> Result<TensorView<'a>> {
        let arrays =
            |level: Vec<BorrowedArray>| LevelArrays { arrays: level.into_iter().map(|l| l.buffer).collect() };
        let levels = levels.into_iter().map(arrays).collect();
        let tensor = Tensor::new_checked(shape.to_vec(), format, fill, levels, vals.buffer)?;
        Ok(TensorView { tensor, life: PhantomData })
    }
    /// The tensor.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }
}

impl Deref for TensorView<'_> {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.tensor
    }
}
