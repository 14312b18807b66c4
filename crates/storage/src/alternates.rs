//! Other forms of a tensor, made by storing it differently and kept beside it.
//!
//! A product that needs its operand by columns converts it on every call. From the second time on that the same tensor is
//! asked for in the same way, what is made stays with it, as long as its values do not change: a tensor that is used once
//! takes no more memory than before, and one that is used again and again is converted twice. All that is kept beside a
//! tensor takes at most [`SHARE`] times as many bytes as the tensor itself, and goes with it, or when memory gets short.

use crate::buffer::Buffer;
use crate::select;
use crate::spare::Spare;
use crate::tensor::Tensor;
use openwork_base::Result;
use openwork_base::machine::threshold;
use openwork_format::Format;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many times as many bytes as the tensor what is kept beside it may take, all of it together.
const SHARE: usize = 2;
/// Room that is there for tensors of any size.
const LEAST: usize = 1 << 16;
/// How many ways of storing it are remembered.
const WAYS: usize = 4;

/// Tensors that were made of one, by how they are stored. Equal to any other, and empty in a copy: it says nothing of the
/// tensor.
#[derive(Default)]
pub(crate) struct Alternates {
    all: Spare<Alternate>,
    structure: Mutex<Option<Arc<Tensor>>>,
}

struct Alternate {
    part: Vec<select::KeptCoords>,
    modes: Vec<usize>,
    format: Format,
    kept: Option<KeptAlternate>,
}

struct KeptAlternate {
    tensor: Arc<Tensor>,
    /// The values that it was made of, where someone else may write to them.
    values: Option<Buffer>,
}

impl Clone for Alternates {
    fn clone(&self) -> Alternates {
        Alternates::default()
    }
}
impl PartialEq for Alternates {
    fn eq(&self, _: &Alternates) -> bool {
        true
    }
}
impl fmt::Debug for Alternates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.all.lock_if_used().map_or(0, |all| all.iter().filter(|a| a.kept.is_some()).count());
        write!(f, "{kept} kept")
    }
}

impl Alternates {
    fn lock(&self) -> MutexGuard<'_, Vec<Alternate>> {
        self.all.lock()
    }
}

impl Alternates {
    /// The structure of the tensor, made once.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn structure(&self, make: impl FnOnce() -> Result<Tensor>) -> Result<Arc<Tensor>> {
        let mut kept = self.structure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tensor) = &*kept {
            return Ok(tensor.clone());
        }
        let tensor = Arc::new(make()?);
        *kept = Some(tensor.clone());
        Ok(tensor)
    }
}

impl KeptAlternate {
    fn bytes(&self) -> usize {
        self.tensor.bytes() + self.values.as_ref().map_or(0, Buffer::bytes)
    }
    /// Whether it was made of these values, bit by bit.
    fn is_of(&self, values: &Buffer) -> bool {
        self.values.as_ref().is_none_or(|own| own.as_bytes() == values.as_bytes())
    }
}

impl Tensor {
    /// What `make` makes of the tensor, in `format` with its modes as `modes` says; kept from the second time on, and not
    /// made again unfewer values changed. Whoever calls this says the same of the same `modes` and `format` every time.
    ///
    /// ```
    /// use openwork_algebra::DType;
    /// use openwork_format::presets;
    /// use openwork_storage::{Coo, pack, unpack};
    /// use std::cell::Cell;
    /// let coo = Coo::from_entries(&[2, 2], DType::I32, &[(vec![0, 1], openwork_algebra::Scalar::I32(4))])?;
    /// let a = pack(&coo, &presets::csr(), openwork_algebra::Scalar::I32(0))?;
    /// let made = Cell::new(0);
    /// for _ in 0..5 {
    ///     let columns = a.stored_as(&[], &[0, 1], &presets::csc(), |a| {
    ///         made.set(made.get() + 1);
    ///         pack(&unpack(a)?, &presets::csc(), a.fill())
    ///     })?;
    ///     assert_eq!(columns.nnz(), 1);
    /// }
    /// assert_eq!(made.get(), 2);
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `make`.
    pub fn stored_as(
        &self,
        part: &[select::KeptCoords],
        modes: &[usize],
        format: &Format,
        make: impl FnOnce(&Tensor) -> Result<Tensor>,
    ) -> Result<Arc<Tensor>> {
        let alike = |a: &Alternate| a.part == part && a.modes == modes && a.format == *format;
        let known = {
            let mut all = self.alternates.lock();
            let known = all.iter_mut().find(|a| alike(a));
            if let Some(Alternate { kept: Some(kept), .. }) = &known
                && kept.is_of(self.vals())
            {
                return Ok(kept.tensor.clone());
            }
            known.is_some()
        };
        // Values that change while it is made are not taken for those that it was made of.
        let own = (known && self.vals().may_change()).then(|| self.with_own_values()).transpose()?;
        let tensor = Arc::new(make(own.as_ref().unwrap_or(self))?);
        let values = own.map(|own| own.into_parts().vals);
        let kept = known.then(|| KeptAlternate { tensor: tensor.clone(), values });
        let kept = kept.filter(|kept| kept.bytes() <= self.room());
        let mut all = self.alternates.lock();
        all.retain(|a| !alike(a));
        let (part, modes) = (part.to_vec(), modes.to_vec());
        all.push(Alternate { part, modes, format: format.clone(), kept });
        let bytes = |all: &[Alternate]| {
            all.iter().filter_map(|a| a.kept.as_ref()).map(KeptAlternate::bytes).sum::<usize>()
        };
        while all.len() > WAYS || bytes(&all) > self.room() {
            all.remove(0);
        }
        Ok(tensor)
    }
    fn room(&self) -> usize {
        (SHARE * self.bytes()).max(threshold(LEAST, 512))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, pack, unpack};
    use openwork_algebra::{DType, Scalar};
    use openwork_format::presets;

    fn rows(n: usize) -> Tensor {
        let entries: Vec<_> = (0..n).map(|i| (vec![i, n - 1 - i], Scalar::F64(1.0 + i as f64))).collect();
        let coo = Coo::from_entries(&[n, n], DType::F64, &entries).unwrap();
        pack(&coo, &presets::csr(), Scalar::F64(0.0)).unwrap()
    }
    fn columns(a: &Tensor, made: &mut usize) -> Arc<Tensor> {
        let make = |a: &Tensor| {
            *made += 1;
            pack(&unpack(a)?, &presets::csc(), a.fill())
        };
        a.stored_as(&[], &[0, 1], &presets::csc(), make).unwrap()
    }

    #[test]
    fn what_is_kept_follows_the_values() {
        let (mut a, mut made) = (rows(5), 0);
        (0..4).for_each(|_| drop(columns(&a, &mut made)));
        assert_eq!(made, 2);
        a.vals_mut().set(0, Scalar::F64(9.0));
        let changed = columns(&a, &mut made);
        assert_eq!((made, changed.get(&[0, 4])), (3, Some(Scalar::F64(9.0))));
    }

    #[test]
    fn nothing_larger_than_its_share_is_kept() {
        let (a, mut made) = (rows(4000), 0);
        for _ in 0..3 {
            a.stored_as(&[], &[0, 1], &presets::dense(2), |_| {
                made += 1;
                Tensor::dense(&[1, 100_000], Buffer::zeros(DType::F64, 100_000)?)
            })
            .unwrap();
        }
        assert_eq!(made, 3);
    }

    #[test]
    fn copies_are_equal_and_keep_nothing() {
        let (a, mut made) = (rows(5), 0);
        (0..2).for_each(|_| drop(columns(&a, &mut made)));
        let copy = a.clone();
        assert_eq!(copy, a);
        columns(&copy, &mut made);
        assert_eq!(made, 3);
    }
}
