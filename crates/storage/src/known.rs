//! Findings about the values of a tensor, kept beside it.
//!
//! Kernels that rely on something about an operand look through its values first, which may take longer than the kernel does.
//! A finding stays true as long as nobody writes to the values: a tensor gives them out for writing by [`Tensor::vals_mut`]
//! alone, which forgets it, and of memory that somebody else may write to nothing is kept at all. Tensors over the same
//! values in place ([`Tensor::permute`], [`Tensor::change_fill`]) share what is known of them.

use crate::buffer::Buffer;
use crate::tensor::Tensor;
use openwork_algebra::operator::Assumes;
use openwork_base::Result;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The least and the greatest value; nothing where they have none.
pub type ValueBounds = Option<(f64, f64)>;

/// What is known of some values. Equal to any other: it says nothing of the tensor that the values do not say.
#[derive(Clone, Default)]
pub(crate) struct KnownValues {
    facts: OnceLock<Arc<ValueFacts>>,
    /// How many elements there are: with another fill value it may be another number.
    elements: OnceLock<usize>,
}

#[derive(Debug, Default)]
struct ValueFacts {
    /// Whether some value is not what is assumed of it, by what is.
    against: [OnceLock<bool>; 5],
    bounds: OnceLock<ValueBounds>,
}

impl PartialEq for KnownValues {
    fn eq(&self, _: &KnownValues) -> bool {
        true
    }
}
impl fmt::Debug for KnownValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts.get().map_or(Ok(()), |facts| facts.fmt(f))
    }
}

impl KnownValues {
    fn facts(&self) -> &Arc<ValueFacts> {
        self.facts.get_or_init(Arc::default)
    }
    /// The number of elements, as `count` says; asked once unfewer values may change.
    pub(crate) fn elements(&self, may_change: bool, count: impl FnOnce() -> usize) -> usize {
        if may_change { count() } else { *self.elements.get_or_init(count) }
    }
    /// The same for another tensor over the same values: what either finds out, both know.
    pub(crate) fn share(&self) -> KnownValues {
        KnownValues { facts: OnceLock::from(self.facts().clone()), elements: OnceLock::new() }
    }
}

fn place(assumes: Assumes) -> usize {
    match assumes {
        Assumes::Finite => 0,
        Assumes::Divisor => 1,
        Assumes::Number => 2,
        Assumes::AboveLowest => 3,
        Assumes::BelowHighest => 4,
    }
}

impl Tensor {
    /// Whether some value is not what is assumed of it, as `look` says; it is not asked again about values that nobody
    /// could have written to since.
    ///
    /// ```
    /// use openwork_algebra::Scalar;
    /// use openwork_algebra::operator::Assumes;
    /// use openwork_storage::{Buffer, Tensor};
    /// use std::cell::Cell;
    /// let mut x = Tensor::dense(&[2], Buffer::from(vec![1.0, 2.0]))?;
    /// let looks = Cell::new(0);
    /// let look = |values: &Buffer| {
    ///     looks.set(looks.get() + 1);
    ///     Ok(values.iter().any(|v| v.as_f64().is_nan()))
    /// };
    /// assert!(!x.has_any_against(Assumes::Number, look)? && !x.has_any_against(Assumes::Number, look)?);
    /// assert_eq!(looks.get(), 1);
    /// x.vals_mut().set(0, Scalar::F64(f64::NAN));
    /// assert!(x.has_any_against(Assumes::Number, look)?);
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `look`; nothing is kept then.
    pub fn has_any_against(
        &self,
        assumes: Assumes,
        look: impl FnOnce(&Buffer) -> Result<bool>,
    ) -> Result<bool> {
        self.cached_fact(|facts| &facts.against[place(assumes)], look)
    }
    /// The least and the greatest value, as `look` says; asked as [`Tensor::has_any_against`] asks.
    ///
    /// # Errors
    /// Those of `look`; nothing is kept then.
    pub fn bounds(&self, look: impl FnOnce(&Buffer) -> Result<ValueBounds>) -> Result<ValueBounds> {
        self.cached_fact(|facts| &facts.bounds, look)
    }
    fn cached_fact<T: Copy>(
        &self,
        place: impl FnOnce(&ValueFacts) -> &OnceLock<T>,
        look: impl FnOnce(&Buffer) -> Result<T>,
    ) -> Result<T> {
        if self.vals().may_change() {
            return look(self.vals());
        }
        let place = place(self.known.facts());
        if let Some(known) = place.get() {
            return Ok(*known);
        }
        let found = look(self.vals())?;
        Ok(*place.get_or_init(|| found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Writers;
    use openwork_algebra::{DType, Scalar};

    /// Whether there is a zero, and whether that took a look.
    fn zero_in(t: &Tensor) -> (bool, bool) {
        let mut looked = false;
        let found = t.has_any_against(Assumes::Divisor, |values| {
            looked = true;
            Ok(values.iter().any(|v| v.as_f64() == 0.0))
        });
        (found.unwrap(), looked)
    }

    #[test]
    fn memory_that_others_may_write_to_is_looked_at_every_time() {
        let values = Arc::new(vec![1.0f64, 2.0]);
        for (writers, looks) in [(Writers::Nobody, false), (Writers::Owner, true)] {
            // SAFETY: the vector is never changed while the `Arc` lives.
            let shared =
                unsafe { Buffer::borrow(DType::F64, values.as_ptr().cast(), 2, values.clone(), writers) };
            let x = Tensor::dense(&[2], shared).unwrap();
            assert_eq!((zero_in(&x), zero_in(&x)), ((false, true), (false, looks)));
        }
    }

    #[test]
    fn tensors_over_the_same_values_know_the_same() {
        let a = Arc::new(Tensor::dense(&[1, 2], Buffer::from(vec![1.0, 2.0])).unwrap());
        let turned = a.permute(&[1, 0]).unwrap();
        let refilled = a.change_fill(Scalar::F64(5.0)).unwrap();
        assert_eq!(zero_in(&turned), (false, true));
        assert_eq!((zero_in(&a), zero_in(&refilled)), ((false, false), (false, false)));
        // A copy has values of its own to be written to.
        let mut copy = Tensor::clone(&a);
        copy.vals_mut().set(0, Scalar::F64(0.0));
        assert_eq!((zero_in(&copy), zero_in(&a)), ((true, true), (false, false)));
    }

    #[test]
    fn nothing_is_kept_of_a_look_that_failed() {
        let x = Tensor::dense(&[1], Buffer::from(vec![1.0])).unwrap();
        let stop = |_: &Buffer| Err(openwork_base::Error::bug("look", "stopped", String::new()));
        assert!(x.bounds(stop).is_err());
        assert_eq!(x.bounds(|_| Ok(Some((1.0, 1.0)))).unwrap(), Some((1.0, 1.0)));
    }
}
