//! The phases of a kernel that is divided in two: one that assembles the structure of a sparse result, one that computes
//! values for a structure that is given (array-programming terms: symbolic and numeric; workspaces paper, §6 and its figure
//! 7).
//!
//! ```text
//! fused                          assemble                    compute
//! C_crd[pC] = j                  C_crd[pC] = j
//! C_vals[pC] = a * b                                         C_vals[pC] = a * b
//! pC = pC + 1                    pC = pC + 1                 pC = pC + 1
//! ```
//! The loops are those of the fused kernel, so a compute kernel meets the elements in the order in which they were assembled,
//! as long as its operands are stored as they were then. Code that only serves the values is dropped from an assemble kernel
//! by the simplifier; a value that is still read decides about the structure. A compute kernel whose row comes out of a
//! workspace walks the given row instead, so that its workspace keeps no list of what it holds.
//!
//! Where an operand stores what the result does (`lender`), nothing has to be assembled or counted: a lent kernel
//! computes the value of each of the operand's positions in its place, whatever the order of its rounds.
//!
//! ```text
//! lent                           for p in A2_pos[0]..A2_pos[n] { C_vals[p] = 2 * A_vals[p] }
//! ```

use openwork_loops::BufRole;

/// What a kernel does of the work on a sparse result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All of it.
    Fused,
    /// The index arrays of the result; its values stay empty.
    Assemble,
    /// The values of the result, whose index arrays are read.
    Compute,
    /// The values of the result, at the positions of the operand that lends it its index arrays.
    Lent,
}

impl Phase {
    /// Name in text.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Fused => "fused",
            Phase::Assemble => "assemble",
            Phase::Compute => "compute",
            Phase::Lent => "lent",
        }
    }
    /// Whether index arrays of the result are written.
    pub(crate) fn assembles(self) -> bool {
        matches!(self, Phase::Fused | Phase::Assemble)
    }
    /// Whether values of the result are written.
    pub(crate) fn computes(self) -> bool {
        self != Phase::Assemble
    }
    /// What the kernel does with index arrays of the result.
    pub(crate) fn index_role(self) -> BufRole {
        if self.assembles() { BufRole::Out } else { BufRole::In }
    }
}
