//! The structure of a tensor in other index widths.

use crate::buffer::Buffer;
use crate::index::{IndexArray, dispatch_width, with_index};
use crate::tensor::{LevelArrays, Tensor};
use openwork_algebra::Scalar;
use openwork_base::Result;
use openwork_base::cancel::look;
use openwork_format::{ArrayRole, Width};

/// Elements that are written between two looks for a request to stop.
const STRIP: usize = 1 << 16;

impl Tensor {
    /// A tensor with the structure of this one and other values, whose positions and coordinates have these widths. Index
    /// arrays that have them already are shared. Nothing where a width does not hold all numbers.
    ///
    /// # Errors
    /// Those of [`Tensor::with_values`]; E0603 when the memory cannot be had.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::{Width, presets};
    /// use openwork_storage::{Buffer, Coo, pack};
    /// let coo = Coo::from_entries(&[2, 300], DType::F64, &[(vec![0, 299], Scalar::F64(5.0))])?;
    /// let a = pack(&coo, &presets::csr(), Scalar::F64(0.0))?;
    /// let values = || Buffer::from(vec![7.0]);
    /// let b = a.with_values_in(Width::I32, Width::I32, values(), Scalar::F64(0.0))?.unwrap();
    /// assert_eq!(b.level(1).arrays[0].as_slice::<i32>(), Some(&[0, 1, 1][..]));
    /// assert_eq!(b.level(1).arrays[1].as_ptr(), a.level(1).arrays[1].as_ptr());
    /// assert!(a.with_values_in(Width::I32, Width::U8, values(), Scalar::F64(0.0))?.is_none());
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn with_values_in(
        &self,
        pos: Width,
        crd: Width,
        vals: Buffer,
        fill: Scalar,
    ) -> Result<Option<Tensor>> {
        let mut levels: Vec<LevelArrays> = Vec::with_capacity(self.levels().len());
        for (k, level) in self.levels().iter().enumerate() {
            let mut arrays = Vec::with_capacity(level.arrays.len());
            for (array, declared) in level.arrays.iter().zip(self.format().levels[k].spec.arrays) {
                let width = match declared.role {
                    ArrayRole::Pos => pos,
                    ArrayRole::Crd => crd,
                    ArrayRole::Size(_)
                    | ArrayRole::Mask
                    | ArrayRole::Words
                    | ArrayRole::Bytes
                    | ArrayRole::ShortCrd => {
                        arrays.push(array.clone());
                        continue;
                    }
                };
                let Some(array) = in_width(array, width)? else { return Ok(None) };
                arrays.push(array);
            }
            levels.push(LevelArrays { arrays });
        }
        let format = self.format().clone().with_widths(pos, crd);
        self.share_levels(format, vals, fill, levels).map(Some)
    }
}

/// An index array in a width, shared where it is in it; nothing where it has a number that does not fit.
fn in_width(array: &Buffer, width: Width) -> Result<Option<Buffer>> {
    let Some(index) = IndexArray::from_buffer(array).filter(|_| array.dtype() != width.dtype()) else {
        return Ok(Some(array.clone()));
    };
    // Empty slots are the one number below zero.
    let least = width.empty().min(0);
    let from = Width::by_name(array.dtype().name());
    let wider = from.is_some_and(|from| from.max() <= width.max() && from.empty().min(0) >= least);
    let fits = |n: i64| n >= least && n.max(0) as u64 <= width.max();
    // SAFETY: every element is written below.
    let mut out = unsafe { Buffer::to_write(width.dtype(), array.len())? };
    let all = with_index!(index, from => dispatch_width!(width, T => {
        let to: &mut [T] = out.as_mut_slice().unwrap_or_default();
        let mut all = true;
        for (to, from) in to.chunks_mut(STRIP).zip(from.chunks(STRIP)) {
            look();
            all = all && (wider || from.iter().fold(true, |all, &n| all & fits(n as i64)));
            to.iter_mut().zip(from).for_each(|(to, &n)| *to = n as T);
        }
        all
    }));
    Ok(all.then_some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_algebra::DType;

    #[test]
    fn every_width_takes_what_fits() {
        for from in Width::ALL {
            for to in Width::ALL {
                let top = from.max().min(to.max()).min(1 << 40) as i64;
                let held = |n: i64| {
                    let numbers = Buffer::from(vec![0, 3, n]).cast(from.dtype()).unwrap();
                    let array = in_width(&numbers, to).unwrap();
                    array.map(|a| (a.dtype(), a.iter().map(Scalar::as_i64).collect::<Vec<_>>()))
                };
                assert_eq!(held(top), Some((to.dtype(), vec![0, 3, top])));
                if from.max() > to.max() {
                    assert_eq!(held(to.max() as i64 + 1), None);
                }
                if from.empty() < 0 {
                    assert_eq!(held(-1).is_some(), to.empty() < 0);
                }
            }
        }
        assert_eq!(in_width(&Buffer::empty(DType::I32), Width::I64).unwrap().map(|b| b.len()), Some(0));
    }
}
