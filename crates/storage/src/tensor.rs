//! A tensor in a format: the arrays of every level, and the values.

use crate::alternates::Alternates;
use crate::buffer::Buffer;
use crate::check;
use crate::element::{Element, dispatch};
use crate::error::{checked_product, invalid};
use crate::known::KnownValues;
use crate::levels::built_in;
use crate::unpack::elements;
use openwork_algebra::{DType, Scalar};
use openwork_base::{Error, Result};
use openwork_format::{Format, Level, presets};

/// The index arrays of one level, in the order of `level.spec.arrays`: compressed has `[pos, crd]`, singleton
/// `[crd]`, dense none. What each holds is told by the file of the level under `levels/`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LevelArrays {
    /// The arrays.
    pub arrays: Vec<Buffer>,
}

/// A tensor: shape, format, fill value, one [`LevelArrays`] per level and the values at the positions of the last
/// level.
///
/// Level 0 has one parent. Level `k` stores mode `format.modes[k]`, or what the format's remapping computes for it. The format is resolved: its widths are the
/// dtypes of the arrays, and its fill text is the fill value (`None` for zero).
///
/// ```
/// use openwork_algebra::Scalar;
/// use openwork_format::presets;
/// use openwork_storage::{Buffer, LevelArrays, Tensor};
///
/// let rows = LevelArrays::default();
/// let columns = LevelArrays { arrays: vec![Buffer::from(vec![0i32, 1, 3]), Buffer::from(vec![2i32, 0, 1])] };
/// let vals = Buffer::from(vec![1.0, 2.0, 3.0]);
/// let a = Tensor::new_checked(vec![2, 3], presets::csr(), Scalar::F64(0.0), vec![rows, columns], vals)?;
/// assert_eq!((a.nnz(), a.get(&[1, 1]), a.get(&[0, 0])), (3, Some(Scalar::F64(3.0)), Some(Scalar::F64(0.0))));
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    format: Format,
    fill: Scalar,
    levels: Vec<LevelArrays>,
    vals: Buffer,
    pub(crate) alternates: Alternates,
    pub(crate) known: KnownValues,
}

/// What a tensor is made of; see [`Tensor::into_parts`].
#[derive(Clone, PartialEq)]
pub struct TensorParts {
    /// The size of every mode.
    pub shape: Vec<usize>,
    /// The resolved format.
    pub format: Format,
    /// The value of every coordinate that is not stored.
    pub fill: Scalar,
    /// The index arrays of every level.
    pub levels: Vec<LevelArrays>,
    /// The values.
    pub vals: Buffer,
}

impl Tensor {
    /// A tensor from its arrays, after checking all of them. The dtype is that of `vals`. Widths that `format`
    /// leaves open are taken from the arrays; a fill text in `format` is replaced by `fill`.
    ///
    /// Checked: the number and dtypes of the arrays; that positions and sizes fit the lengths of the arrays; every
    /// coordinate in range; empty slots only where a level has them, and nothing below them; order and uniqueness as
    /// the levels declare them (over whole tuples where singletons follow); that probing finds what hash tables hold;
    /// that stored coordinates are those the remapping computes, and that no element is stored twice under different
    /// counts; full levels hold every coordinate; zeroless levels store no fill value; the number of values; bools are
    /// 0 or 1.
    ///
    /// # Errors
    /// E0601 at the first offence, with its level, its position and what was found; E0602 for a level that has no
    /// storage; E0603 for a shape beyond the address space.
    pub fn new_checked(
        shape: Vec<usize>,
        format: Format,
        fill: Scalar,
        levels: Vec<LevelArrays>,
        vals: Buffer,
    ) -> Result<Tensor> {
        if fill.dtype() != vals.dtype() {
            let (f, v) = (fill.dtype(), vals.dtype());
            return Err(invalid(format!("the fill value is {f}, but the values are {v}")));
        }
        crate::error::addressable(&shape)?;
        check::ranks(&shape, &format, &levels)?;
        let format = check::widths(&format, &levels)?.resolve(&shape);
        // SAFETY: nothing reads through the tensor before `check::tensor` has accepted it below.
        let tensor = unsafe { Tensor::new_unchecked(shape, format, fill, levels, vals) };
        check::tensor(&tensor)?;
        Ok(tensor)
    }
    /// A tensor from its arrays, without a look at them.
    ///
    /// # Safety
    /// Everything that [`Tensor::new_checked`] checks holds, and the widths of `format` are decided and are the
    /// dtypes of the arrays. Generated kernels read memory by the contents of these arrays. Outside of this crate,
    /// [`TensorParts::made_by`] is the way here.
    pub(crate) unsafe fn new_unchecked(
        shape: Vec<usize>,
        format: Format,
        fill: Scalar,
        levels: Vec<LevelArrays>,
        vals: Buffer,
    ) -> Tensor {
        // Formats of results say their widths.
        let known = format.pos.is_some() && format.crd.is_some();
        let mut format = if known { format } else { format.resolve(&shape) };
        format.fill = (!fill.is_same(Scalar::zero(fill.dtype()))).then(|| fill.to_string().into());
        // Index arrays never change, so that copies and results of the same structure share them.
        let frozen = |level: LevelArrays| LevelArrays {
            arrays: level.arrays.into_iter().map(Buffer::freeze).collect(),
        };
        let levels = levels.into_iter().map(frozen).collect();
        Tensor {
            shape,
            format,
            fill,
            levels,
            vals,
            alternates: Alternates::default(),
            known: KnownValues::default(),
        }
    }
    /// A dense tensor in natural mode order, last mode fastest, with fill 0.
    ///
    /// # Errors
    /// E0601 when the number of values is not the product of `shape`; E0603 when that product is too large.
    ///
    /// ```
    /// use openwork_storage::{Buffer, Tensor};
    /// let t = Tensor::dense(&[2, 2], Buffer::from(vec![1i64, 2, 3, 4]))?;
    /// assert_eq!(t.get(&[1, 0]).map(|v| v.as_i64()), Some(3));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn dense(shape: &[usize], vals: Buffer) -> Result<Tensor> {
        let wanted = checked_product("a dense tensor", shape)?;
        if vals.len() != wanted {
            return Err(invalid(format!(
                "shape {shape:?} needs {wanted} values, but there are {}",
                vals.len()
            )));
        }
        let levels = vec![LevelArrays::default(); shape.len()];
        let fill = Scalar::zero(vals.dtype());
        Tensor::new_checked(shape.to_vec(), presets::dense(shape.len()), fill, levels, vals)
    }
    /// A tensor without modes that holds one value.
    pub fn scalar(value: Scalar) -> Tensor {
        let vals = dispatch!(value.dtype(), T => Buffer::from(vec![T::from_scalar(value)]));
        Tensor {
            shape: Vec::new(),
            format: presets::dense(0).resolve(&[]),
            fill: Scalar::zero(value.dtype()),
            levels: Vec::new(),
            vals,
            alternates: Alternates::default(),
            known: KnownValues::default(),
        }
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
    /// The format, with every width decided.
    pub fn format(&self) -> &Format {
        &self.format
    }
    /// The value of every coordinate that is not stored.
    pub fn fill(&self) -> Scalar {
        self.fill
    }
    /// The index arrays of level `k`.
    ///
    /// # Panics
    /// If there is no level `k`.
    pub fn level(&self, k: usize) -> &LevelArrays {
        &self.levels[k]
    }
    /// The index arrays of every level, outermost first.
    pub fn levels(&self) -> &[LevelArrays] {
        &self.levels
    }
    /// The values.
    pub fn vals(&self) -> &Buffer {
        &self.vals
    }
    /// The values for writing: values may change freely, their number may not (bools stay 0 or 1).
    pub fn vals_mut(&mut self) -> ValsMut<'_> {
        self.alternates = Alternates::default();
        self.known = KnownValues::default();
        ValsMut { vals: &mut self.vals }
    }
    /// The number of stored elements, both halves of a symmetric tensor: explicit zeros count, padding and other slots that hold no element do not. Every
    /// value of a dense tensor is an element. Takes a walk in formats that have such slots; [`Tensor::slots`] does not.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Coo, pack};
    /// let coo = Coo::from_entries(&[2, 2], DType::I32, &[(vec![0, 1], Scalar::I32(4))])?;
    /// let blocks = pack(&coo, &presets::bcsr(2, 2), Scalar::I32(0))?;
    /// assert_eq!((blocks.nnz(), blocks.slots()), (1, 4));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        match self.lists_elements() {
            true => self.slots(),
            false => self.known.elements(self.vals.may_change(), || elements(self)),
        }
    }
    /// Whether every value in memory is one element.
    pub(crate) fn lists_elements(&self) -> bool {
        self.format.is_dense() || lists_elements(&self.format)
    }
    /// The number of values in memory, at least that of elements.
    pub fn slots(&self) -> usize {
        self.vals.len()
    }
    /// Bytes of all arrays together.
    pub fn bytes(&self) -> usize {
        self.levels.iter().flat_map(|l| &l.arrays).map(Buffer::bytes).sum::<usize>() + self.vals.bytes()
    }
    /// The parts that the tensor is made of.
    pub fn into_parts(self) -> TensorParts {
        let Tensor { shape, format, fill, levels, vals, .. } = self;
        let thawed =
            |level: LevelArrays| LevelArrays { arrays: level.arrays.into_iter().map(Buffer::thaw).collect() };
        let levels = levels.into_iter().map(thawed).collect();
        TensorParts { shape, format, fill, levels, vals }
    }
    /// How many coordinates level `k` may store: the size of the mode that it stores, if it stores one.
    pub fn level_dim(&self, k: usize) -> usize {
        self.format.bounds(k, &self.shape).size
    }
}

/// Whether every value in memory is one element, so that there is nothing to count.
fn lists_elements(format: &Format) -> bool {
    let once = |l: &Level| {
        l.is_dense() || (l.compact() && !l.is_padded() && !l.shares_positions() && built_in(*l).is_some())
    };
    !format.symmetric && !format.has_padding() && format.levels.iter().all(once)
}

/// The values of a tensor for writing in place; the number of values is fixed.
pub struct ValsMut<'a> {
    vals: &'a mut Buffer,
}

impl ValsMut<'_> {
    /// Stores a value, cast to the tensor's dtype, at a position of the last level.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn set(&mut self, position: usize, value: Scalar) {
        self.vals.set(position, value);
    }
    /// The values, if `T` is the type of the dtype.
    pub fn as_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        self.vals.as_mut_slice()
    }
    /// The first value; see [`Buffer::as_mut_ptr`].
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.vals.as_mut_ptr()
    }
}

impl TryFrom<TensorParts> for Tensor {
    type Error = Error;
    /// Checks the parts; see [`Tensor::new_checked`].
    fn try_from(parts: TensorParts) -> Result<Tensor> {
        Tensor::new_checked(parts.shape, parts.format, parts.fill, parts.levels, parts.vals)
    }
}
