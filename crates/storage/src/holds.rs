//! The stored elements of a tensor, marked by a tensor of truth values.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_algebra::Scalar;
use openwork_base::Result;
use std::sync::Arc;

impl Tensor {
    /// The elements that the tensor stores, each of them true, in its format: those that [`Tensor::nnz`] counts, explicit zeros
    /// among them. Kept beside the tensor; index arrays are shared where every slot has an element.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Coo, pack};
    /// let entries = [(vec![0, 1], Scalar::F64(0.0)), (vec![1, 2], Scalar::F64(4.0))];
    /// let a = pack(&Coo::from_entries(&[2, 3], DType::F64, &entries)?, &presets::csr(), Scalar::F64(0.0))?;
    /// let stored = a.structure()?;
    /// assert_eq!(stored.get(&[0, 1]), Some(Scalar::Bool(true)));
    /// assert_eq!(stored.get(&[0, 2]), Some(Scalar::Bool(false)));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn structure(&self) -> Result<Arc<Tensor>> {
        // Values tell which slots of padding are elements, and whoever shares them may write to them.
        let follows_values = !self.lists_elements() && self.vals().may_change();
        if follows_values {
            return self.elements_alone().map(Arc::new);
        }
        self.alternates.structure(|| match self.lists_elements() {
            true => self.with_values(Buffer::repeat(Scalar::Bool(true), self.slots())?, Scalar::Bool(false)),
            false => self.elements_alone(),
        })
    }
    /// The same where slots are told apart by their values.
    fn elements_alone(&self) -> Result<Tensor> {
        let listed = unpack(self)?;
        let coords = (0..self.rank()).map(|m| listed.coords(m).duplicate()).collect::<Result<Vec<_>>>()?;
        let vals = Buffer::repeat(Scalar::Bool(true), listed.len())?;
        pack(&Coo::new(self.shape().to_vec(), coords, vals)?, self.format(), Scalar::Bool(false))
    }
}
