//! `ndarray`: dense arrays of any number of dimensions.

use super::expect_dtype;
use crate::buffer::Buffer;
use crate::element::Element;
use crate::error::invalid;
use crate::tensor::Tensor;
use ndarray::{Array, ArrayD, Dimension, IxDyn};
use openwork_base::{Error, Result, SlotCount};

impl<T: Element, D: Dimension> TryFrom<Array<T, D>> for Tensor {
    type Error = Error;
    /// The dense tensor; memory in natural order is moved.
    fn try_from(array: Array<T, D>) -> Result<Tensor> {
        let shape = array.shape().to_vec();
        let size = SlotCount::product(&shape).saturate();
        let array = if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() };
        let (mut items, start) = array.into_raw_vec_and_offset();
        items.drain(..start.unwrap_or(0));
        items.truncate(size);
        Tensor::dense(&shape, Buffer::adopt_vec(items))
    }
}

impl<T: Element, D: Dimension> TryFrom<&Tensor> for Array<T, D> {
    type Error = Error;
    /// A copy of a dense tensor in natural order.
    fn try_from(t: &Tensor) -> Result<Array<T, D>> {
        expect_dtype::<T>(t)?;
        let natural = t.format().is_dense() && t.format().modes.is_sorted();
        if !natural || t.format().remap.is_some() {
            return Err(invalid(format!(
                "a dense array is wanted, and this is {}: convert it first",
                t.format()
            )));
        }
        let items = t.vals().as_slice::<T>().unwrap_or(&[]).to_vec();
        let array = ArrayD::from_shape_vec(IxDyn(t.shape()), items).map_err(|e| invalid(e.to_string()))?;
        let wrong =
            |_| invalid(format!("an array of another number of dimensions than {} is wanted", t.rank()));
        array.into_dimensionality::<D>().map_err(wrong)
    }
}
