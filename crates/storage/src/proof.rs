//! The proof that arrays are a tensor, and who may give it.
//!
//! Generated kernels read memory by the contents of index arrays, so a tensor that breaks the law of its format must not
//! exist, whoever made it. There are three ways to one, and no others:
//!
//! | made by | established by |
//! |---|---|
//! | anybody | [`Tensor::new_checked`], which looks at every element |
//! | [packing](crate::pack()), or a kernel | level facts, where these say that such an assembly cannot break the law; else the check |
//! | another tensor | index arrays that are the same, over the same shape |
//!
//! The facts: levels of other crates prove nothing; nothing but the data can keep a promise that is made beyond what a
//! level has by itself (`full`, `zeroless`); a level that says that its coordinates are distinct, with levels below that
//! share its positions, is right where elements already differ above those ([`Format::tells_apart`]).
//!
//! Every format under test is packed and assembled with the proof, and checked nevertheless
//! (`filetests/tests/remapped.rs`, the differential suites).

use crate::buffer::Buffer;
use crate::check;
use crate::levels::built_in;
use crate::tensor::{LevelArrays, Tensor, TensorParts};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_format::{Coords, Format, Level, Props};

/// The way in which arrays were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Level by level from entries that are sorted, distinct and in range, each of them given a place of its own or
    /// refused.
    Packing,
    /// By a kernel, coordinate by coordinate in storage order.
    InOrder,
    /// By a kernel that places elements as they come.
    OutOfOrder,
}

impl Maker {
    /// Whether what is made in this way cannot break the law of `format`.
    fn proves(self, format: &Format) -> bool {
        let promises = |l: &Level| {
            let beyond = Props::FULL.union(Props::ZEROLESS);
            [Props::FULL, Props::ZEROLESS]
                .iter()
                .any(|&p| beyond.has(p) && l.props.has(p) && !l.spec.props.has(p))
        };
        let ours = format.levels.iter().all(|l| built_in(*l).is_some() && !promises(l));
        let apart = |k: usize| {
            let shared =
                format.levels.get(k + 1).is_some_and(|l| l.branchless() && l.spec.coords == Coords::Stored);
            let level = format.levels[k];
            !(shared && level.unique() && level.spec.coords != Coords::Derived) || format.tells_apart(k)
        };
        // Packing refuses twins entry by entry.
        ours && !format.symmetric && (self == Maker::Packing || (0..format.depth()).all(apart))
    }
}

impl TensorParts {
    /// The tensor of arrays that were made in a certain way: without a look at them where that way proves them, else
    /// after [`Tensor::new_checked`].
    ///
    /// # Safety
    /// The arrays were made in this way by this crate, or by a kernel that obeys the law of loop IR and was lowered for
    /// this format; the widths of the format are the dtypes of the arrays.
    ///
    /// # Errors
    /// Those of [`Tensor::new_checked`].
    pub unsafe fn made_by(self, maker: Maker) -> Result<Tensor> {
        if maker.proves(&self.format) {
            let TensorParts { shape, format, fill, levels, vals } = self;
            // SAFETY: the caller's promise, and the facts above.
            return Ok(unsafe { Tensor::new_unchecked(shape, format, fill, levels, vals) });
        }
        Tensor::try_from(self)
    }
}

impl Tensor {
    /// A tensor with the structure of this one, whose index arrays it shares, and other values.
    ///
    /// # Errors
    /// E0601 unless there is a value for every position, of the fill's dtype.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Buffer, Coo, pack};
    /// let coo = Coo::from_entries(&[2, 3], DType::F64, &[(vec![0, 2], Scalar::F64(5.0))])?;
    /// let a = pack(&coo, &presets::csr(), Scalar::F64(0.0))?;
    /// let b = a.with_values(Buffer::from(vec![true]), Scalar::Bool(false))?;
    /// assert_eq!(b.get(&[0, 2]), Some(Scalar::Bool(true)));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn with_values(&self, vals: Buffer, fill: Scalar) -> Result<Tensor> {
        self.share_structure(vals, fill, self.levels().to_vec())
    }
    /// Whether another tensor has the same format and index arrays, so that it stores the same elements at the same positions.
    /// Arrays that both share are not looked at, and others no further than to where they differ.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Buffer, Coo, pack};
    /// let made = |j: usize, value: f64| {
    ///     let coo = Coo::from_entries(&[2, 3], DType::F64, &[(vec![0, j], Scalar::F64(value))])?;
    ///     pack(&coo, &presets::csr(), Scalar::F64(0.0))
    /// };
    /// assert!(made(2, 5.0)?.stores_as(&made(2, 7.0)?));
    /// assert!(!made(2, 5.0)?.stores_as(&made(1, 5.0)?));
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn stores_as(&self, other: &Tensor) -> bool {
        let plain = |t: &Tensor| Format { fill: None, ..t.format().clone() };
        let same = |a: &Buffer, b: &Buffer| a.as_ptr() == b.as_ptr() || a.as_bytes() == b.as_bytes();
        let arrays = |t: &Tensor| t.levels().iter().map(|l| l.arrays.len()).collect::<Vec<_>>();
        self.shape() == other.shape()
            && self.vals().len() == other.vals().len()
            && plain(self) == plain(other)
            && arrays(self) == arrays(other)
            && self
                .levels()
                .iter()
                .zip(other.levels())
                .all(|(a, b)| a.arrays.iter().zip(&b.arrays).all(|(a, b)| a.len() == b.len() && same(a, b)))
    }
    /// The tensor with another fill value, over the same arrays.
    ///
    /// # Errors
    /// E0601 for a fill value of another dtype, and where the format promises that no value is the fill value.
    ///
    /// ```
    /// use openwork_algebra::Scalar;
    /// use openwork_storage::{Buffer, Tensor};
    /// use std::sync::Arc;
    /// let x = Arc::new(Tensor::dense(&[1], Buffer::from(vec![1.0]))?);
    /// assert_eq!(x.change_fill(Scalar::F64(f64::INFINITY))?.fill().as_f64(), f64::INFINITY);
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn change_fill(self: &std::sync::Arc<Tensor>, fill: Scalar) -> Result<Tensor> {
        let mut refilled = self.with_values(self.vals_view(), fill)?;
        refilled.known = self.known.share();
        Ok(refilled)
    }
    /// The same tensor with values that nobody else writes to; a copy of those that others may.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn with_own_values(&self) -> Result<Tensor> {
        let TensorParts { levels, mut vals, .. } = self.clone().into_parts();
        vals.make_owned()?;
        self.share_structure(vals, self.fill(), levels)
    }
    /// The same tensor over values that nobody else holds, as runs want it that take operands.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn duplicate(&self) -> Result<Tensor> {
        let TensorParts { levels, vals, .. } = self.clone().into_parts();
        self.share_structure(vals.duplicate()?, self.fill(), levels)
    }
    /// The structure in `levels`, which is that of this tensor, over other values.
    fn share_structure(&self, vals: Buffer, fill: Scalar, levels: Vec<LevelArrays>) -> Result<Tensor> {
        self.share_levels(self.format().clone(), vals, fill, levels)
    }
    /// The structure in `levels`, which is that of this tensor in the widths of `format`, over other values.
    ///
    /// # Errors
    /// E0601 unless there is a value for every position, of the fill's dtype.
    pub(crate) fn share_levels(
        &self,
        format: Format,
        vals: Buffer,
        fill: Scalar,
        levels: Vec<LevelArrays>,
    ) -> Result<Tensor> {
        let (wanted, found) = (self.vals().len(), vals.len());
        if wanted != found || vals.dtype() != fill.dtype() {
            let message =
                format!("{found} values of {} for {wanted} positions, with fill {fill}", vals.dtype());
            return Err(crate::error::invalid(message));
        }
        let zeroless = format.levels.iter().any(|l| l.props.has(Props::ZEROLESS));
        if zeroless || format.symmetric {
            // These say something about values.
            let format = Format { fill: None, ..format };
            return Tensor::new_checked(self.shape().to_vec(), format, fill, levels, vals);
        }
        check::bools(&vals)?;
        // SAFETY: the index arrays are those of a valid tensor, and there is a value for each of its positions.
        Ok(unsafe { Tensor::new_unchecked(self.shape().to_vec(), format, fill, levels, vals) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_base::Source;
    use openwork_format::Catalog;

    fn proves(maker: Maker, text: &str) -> bool {
        maker.proves(&Catalog::default().parse(&Source::new("format", text), 2).unwrap())
    }

    #[test]
    fn facts_prove_what_assembly_cannot_get_wrong() {
        for text in ["csr", "coo", "dia", "ell", "jad", "hicoo(2)", "bcsr(2,2)", "dok"] {
            assert!(proves(Maker::Packing, text) && proves(Maker::OutOfOrder, text), "{text}");
        }
        // Several entries of a row would share one slot of a level that says there is one.
        assert!(proves(Maker::Packing, "sq") && !proves(Maker::OutOfOrder, "sq"));
        assert!(!proves(Maker::InOrder, "(i,j) -> (i,j) : dense, compressed(full)"));
        assert!(!proves(Maker::Packing, "(i,j) -> (i,j) : dense, compressed(zeroless)"));
        assert!(!proves(Maker::Packing, "sym"));
    }
}
