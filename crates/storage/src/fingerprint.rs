//! Fingerprints of tensors, which tell whether two of them store the same elements without keeping both.

use crate::tensor::Tensor;
use openwork_base::cancel::look;
use xxhash_rust::xxh3::Xxh3;

impl Tensor {
    /// 128 bits that tensors with the same shape, format and index arrays share, whatever their values are, and others
    /// do not, but for one chance in 2^128.
    ///
    /// ```
    /// use openwork_algebra::{DType, Scalar};
    /// use openwork_format::presets;
    /// use openwork_storage::{Coo, pack};
    /// let matrix = |at: usize, value: f64| {
    ///     let coo = Coo::from_entries(&[2, 3], DType::F64, &[(vec![0, at], Scalar::F64(value))])?;
    ///     pack(&coo, &presets::csr(), Scalar::F64(0.0))
    /// };
    /// assert_eq!(matrix(1, 5.0)?.structure_fingerprint(), matrix(1, 7.0)?.structure_fingerprint());
    /// assert_ne!(matrix(1, 5.0)?.structure_fingerprint(), matrix(2, 5.0)?.structure_fingerprint());
    /// # Ok::<(), openwork_base::Error>(())
    /// ```
    pub fn structure_fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(self.format().to_string().as_bytes());
        let mut number = |n: usize| hash.update(&(n as u64).to_le_bytes());
        self.shape().iter().for_each(|&n| number(n));
        for array in self.levels().iter().flat_map(|l| &l.arrays) {
            hash.update(&(array.len() as u64).to_le_bytes());
            for bytes in array.as_bytes().chunks(1 << 24) {
                look();
                hash.update(bytes);
            }
        }
        hash.digest128()
    }
}
