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
//! exactly what [`WideLeaf::read`] understands: straight-line code over one float dtype and serial loops of the same, where
//! memory is met element after element or at places that are the same for every round of the `wide` loop. A backend
//! that cannot take such a loop may run it as a serial one. Functions of the library are in it as instructions, or where the
//! backend has them for vectors ([`VectorFunctions`]).
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

use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt};
use crate::walk::{any_part, blocks, each_stmt, exprs};
use openwork_algebra::{Library, Prim};

pub use leaf::{
    Carried, LeafSlot, Pointer, RowJoin, WideIndex, WideLeaf, WidePlace, WideReduction, WideRows, WideStep,
    WideValue, any_value, each_value,
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
    /// What it can call for a whole vector.
    pub functions: VectorFunctions,
}

/// Functions of the mathematical library that a backend has for vectors, besides those that are instructions. They may
/// differ from those of scalars in the last bits, so a loop with one is `wide` however short it is: its elements are the same
/// wherever threads cut it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorFunctions(u64);

const _: () = assert!(Library::ALL.len() <= 64);

impl VectorFunctions {
    /// None.
    pub const NONE: VectorFunctions = VectorFunctions(0);

    /// With one more.
    #[must_use]
    pub fn and(self, f: Library) -> VectorFunctions {
        VectorFunctions(self.0 | 1 << f as u8)
    }
    /// Whether this is one of them.
    pub fn has(self, f: Library) -> bool {
        self.0 >> f as u8 & 1 != 0
    }
    /// Whether some part of an expression is one of them.
    pub fn any_in(self, e: &Expr) -> bool {
        any_part(e, &|part| matches!(part, Expr::Call { prim: Prim::Library(f), .. } if self.has(*f)))
    }
    /// Whether a kernel computes one of them.
    pub fn any_of(self, kernel: &LoopKernel) -> bool {
        let mut found = false;
        each_stmt(&kernel.body, &mut |s| found |= exprs(s).any(|e| self.any_in(e)));
        found
    }
    /// Whether no one of them is computed in vectors by one of two kernels and for single elements by one of them: then the same
    /// element has the same bits, whichever kernel computes it.
    pub fn agree_between(self, a: &LoopKernel, b: &LoopKernel) -> bool {
        let (mut vectors, mut scalars) = (VectorFunctions::NONE, VectorFunctions::NONE);
        for kernel in [a, b] {
            self.collect_uses(&kernel.body, false, &mut vectors, &mut scalars);
        }
        vectors.0 & scalars.0 == 0
    }
    /// Adds those that a block computes to those in vectors and to those for single elements. `wide` says whether a loop around
    /// the block is taken in vectors.
    fn collect_uses(
        self,
        body: &[Stmt],
        wide: bool,
        vectors: &mut VectorFunctions,
        scalars: &mut VectorFunctions,
    ) {
        for s in body {
            let own = Library::ALL.iter().filter(|f| self.has(**f));
            for f in own.filter(|f| exprs(s).any(|e| VectorFunctions::NONE.and(**f).any_in(e))) {
                let uses = if wide { &mut *vectors } else { &mut *scalars };
                *uses = uses.and(*f);
            }
            let inside = wide || matches!(s, Stmt::For { mode: LoopMode::Wide { .. }, .. });
            blocks(s).for_each(|b| self.collect_uses(b, inside, vectors, scalars));
        }
    }
}

/// Whether vectors have instructions for a function, which give the bits of its scalar form.
pub fn is_instruction(f: Library) -> bool {
    use Library::*;
    matches!(f, Sqrt | Floor | Ceil | Trunc | Rint | Copysign | Sign | Fmin | Fmax)
}

impl Wide {
    /// Vectors of `bytes`, without functions.
    pub const fn new(bytes: usize, least: usize) -> Wide {
        Wide { bytes, least, functions: VectorFunctions::NONE }
    }
    /// Lanes of a vector of elements of `size` bytes.
    pub fn lanes(&self, size: usize) -> u8 {
        (self.bytes / size) as u8
    }
    /// The fewest elements of `size` bytes for which a single loop is taken; a nest is always.
    pub fn min_elements(&self, size: usize) -> i64 {
        (self.least / size).max(1) as i64
    }
    /// The most scalars from outside that a loop may have: each has a register.
    pub fn scalars(&self) -> usize {
        if self.bytes < 64 { 8 } else { 20 }
    }
}

#[cfg(test)]
mod tests;
