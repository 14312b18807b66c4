//! Thresholds of plans: the least work for which a variant is worth while. Below it, another variant is as fast or has less
//! to prepare.

use openwork_base::machine::threshold;

/// Slots of an operand from which on a copy of it is made by storage: fewer take a kernel no longer.
const REARRANGED: usize = 512;
/// Elements of an operand that lends its structure, from which on values alone are computed faster than elements are appended.
const LENT: usize = 512;
/// Elements that runs must have visited before a kernel for values alone is compiled: that takes half a millisecond, and saves
/// some two nanoseconds for each.
const VISITED: usize = 1 << 18;
/// Slots of a tensor from which on a kernel is compiled to store it in another format: fewer are unpacked and packed.
const COPIED: usize = 4096;

/// Slots of an operand from which on storage copies it.
pub(crate) fn slots_to_rearrange() -> usize {
    threshold(REARRANGED, 1)
}
/// Elements from which on an operand lends its structure.
pub(crate) fn elements_to_lend() -> usize {
    threshold(LENT, 1)
}
/// Elements that runs must have visited before they are lent a structure.
pub(crate) fn visits_to_lend() -> usize {
    threshold(VISITED, 1)
}
/// Slots from which on a kernel stores a tensor in another format.
pub fn slots_to_copy() -> usize {
    threshold(COPIED, 1)
}
