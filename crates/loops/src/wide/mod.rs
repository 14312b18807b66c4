//! Loops that a backend may take with vectors of its own, wider than those it takes in expressions.
//!
//! ```text
//! wide(8) for k in 0..m {                 eight lanes of k, several vectors of them
//!   let sum: f64 = y[c + k]               held in registers …
//!   for p in lo..hi {
//!     let b: i64 = i64(crd[p]) * m        the same for every lane
//!     let v: f64 = a[p]
//!     sum = sum + v * x[b + k]
//!   }
//!   y[c + k] = sum                        … and stored once
//! }
//! ```
//!
//! A `wide` loop means the same as a serial one, but for the order in which its reductions combine. What may be in it is
//! exactly what [`Leaf::read`] understands: straight-line code over one float dtype and serial loops of the same, where
//! memory is met element after element or at places that are the same for every round of the `wide` loop. A backend
//! that cannot take such a loop may run it as a serial one.
//!
//! [`nest`](mod@nest) makes such loops of sums over rows; [`vectorize`](mod@crate::vectorize) of other `vector` loops.

pub(crate) mod ahead;
mod blocks;
mod joined;
mod leaf;
pub mod nest;
mod read;
pub mod rows;
pub mod slices;
mod slots;

pub use leaf::{
    Carried, Index, Join, Leaf, Place, Pointer, Reduction, Rows, Slot, Step, Value, any_value, each_value,
};
pub use nest::nest;
pub use rows::rows;
pub use slices::slices;

/// The vectors that a backend assembles itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Bytes of a vector: 32 or 64.
    pub bytes: usize,
    /// A single loop is taken where its elements fill at least so many bytes; shorter ones are not worth the call.
    pub least: usize,
}

impl Wide {
    /// Lanes of a vector of elements of `size` bytes.
    pub fn lanes(&self, size: usize) -> u8 {
        (self.bytes / size) as u8
    }
    /// The fewest elements of `size` bytes for which a single loop is taken; a nest is always.
    pub fn least(&self, size: usize) -> i64 {
        (self.least / size).max(1) as i64
    }
    /// The most scalars from outside that a loop may have: each has a register.
    pub fn scalars(&self) -> usize {
        if self.bytes < 64 { 8 } else { 20 }
    }
}

#[cfg(test)]
mod tests;
