//! Views: tensors that read the arrays of another one in place, and keep it alive.

use crate::buffer::{Buffer, Writers};
use crate::tensor::{LevelArrays, Tensor};
use openwork_format::Format;
use std::sync::Arc;

impl Buffer {
    /// The same elements in place, for as long as `owner`, whose buffer this is, lives.
    fn view(&self, owner: &Arc<Tensor>) -> Buffer {
        if self.is_shared() {
            return self.clone();
        }
        // SAFETY: the memory belongs to `owner`, which the view keeps alive; a tensor behind an `Arc` is only read.
        unsafe { Buffer::borrow(self.dtype(), self.as_ptr(), self.len(), owner.clone(), Writers::Nobody) }
    }
}

impl Tensor {
    /// The values in place, for as long as the view lives.
    ///
    /// ```
    /// use openwork_storage::{Buffer, Tensor};
    /// use std::sync::Arc;
    /// let x = Arc::new(Tensor::dense(&[2], Buffer::from(vec![1.0, 2.0]))?);
    /// let view = x.vals_view();
    /// drop(x);
    /// assert_eq!(view.as_slice(), Some(&[1.0, 2.0][..]));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn vals_view(self: &Arc<Tensor>) -> Buffer {
        self.vals().view(self)
    }
    /// An index array in place, for as long as the view lives.
    ///
    /// # Panics
    /// If there is no such array.
    pub fn array_view(self: &Arc<Tensor>, level: usize, array: usize) -> Buffer {
        self.level(level).arrays[array].view(self)
    }
    /// The tensor with its modes in another order, over the same arrays: mode `n` of the result is mode `modes[n]`.
    /// Nothing for formats that compute coordinates from modes, and for orders that are none.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Coo, pack};
    /// use std::sync::Arc;
    /// let coo = Coo::from_entries(&[2, 3], DType::F64, &[(vec![0, 2], Scalar::F64(5.0))])?;
    /// let a = Arc::new(pack(&coo, &presets::csr(), Scalar::F64(0.0))?);
    /// let t = a.permute(&[1, 0]).unwrap();
    /// assert_eq!((t.shape(), t.get(&[2, 0])), (&[3, 2][..], Some(Scalar::F64(5.0))));
    /// assert_eq!(t.format().clone().with_fill("0").levels, presets::csc().levels);
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn permute(self: &Arc<Tensor>, modes: &[usize]) -> Option<Tensor> {
        let format = self.format();
        let at = |mode: usize| modes.iter().position(|&m| m == mode);
        let moved: Vec<usize> = format.modes.iter().map(|&m| at(m)).collect::<Option<_>>()?;
        // The triangle that symmetric storage keeps is one of rows, so its transpose is itself and not a view like this.
        if format.remap.is_some() || format.symmetric || modes.len() != self.rank() {
            return None;
        }
        let format = Format { modes: moved, ..format.clone() };
        let shape = modes.iter().map(|&m| self.shape()[m]).collect();
        let level = |k: usize, l: &LevelArrays| LevelArrays {
            arrays: (0..l.arrays.len()).map(|n| self.array_view(k, n)).collect(),
        };
        let levels = self.levels().iter().enumerate().map(|(k, l)| level(k, l)).collect();
        // SAFETY: the levels are those of a valid tensor; only the numbers of the modes that they store have changed.
        let mut turned =
            unsafe { Tensor::new_unchecked(shape, format, self.fill(), levels, self.vals_view()) };
        turned.known = self.known.share();
        Some(turned)
    }
}
