//! Sizes that stand for all of the same order of magnitude, so that one plan serves operands of many sizes.
//!
//! A plan that is kept for later operands must not depend on those that came first: results would have other bits after other
//! runs. So it is made for sizes that follow from the order of magnitude alone.
//!
//! ```text
//! size of a mode      0..2  2..4  4..8  8..16  16..32  …             number of values   0..32  32..64  64..128  …
//! stands for it          1     3     6     12      24  …                                   24      48       96  …
//! ```

use super::{Assignment, Decl};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The sizes that plans are made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanSizes {
    /// Those that are declared.
    #[default]
    Declared,
    /// Those that stand for all of the same order of magnitude, but for variables whose sizes are declared by themselves.
    Typical,
}

/// The order of magnitude of the size of a mode.
///
/// ```
/// use openwork_index::size_order;
/// assert_eq!([0, 1, 2, 3, 4, 7, 8, 1000].map(size_order), [0, 0, 1, 1, 2, 2, 3, 9]);
/// ```
pub fn size_order(n: usize) -> u32 {
    n.max(1).ilog2()
}

/// The size that stands for all modes of the same [order](size_order).
///
/// ```
/// use openwork_index::typical_size;
/// assert_eq!([0, 1, 2, 5, 40, 64, 100, 1000].map(typical_size), [1, 1, 3, 6, 48, 96, 96, 768]);
/// ```
pub fn typical_size(n: usize) -> usize {
    match size_order(n) {
        0 => 1,
        order => 3 << (order - 1),
    }
}

/// The order of magnitude of a number of values: up to 31 nothing is worth another plan.
pub fn count_order(n: usize) -> u32 {
    size_order(n.max(16))
}

/// The number of values that stands for all of the same [order](count_order).
///
/// ```
/// use openwork_index::typical_count;
/// assert_eq!([0, 31, 32, 1023, 1024].map(typical_count), [24, 24, 48, 768, 1536]);
/// ```
pub fn typical_count(n: usize) -> usize {
    typical_size(n.max(16))
}

/// How a number of values compares with that of the coordinates of a tensor of this shape.
pub fn compare_with_coordinates(n: usize, shape: &[usize]) -> Ordering {
    n.cmp(&coordinates(shape.iter().copied()))
}

fn coordinates(shape: impl Iterator<Item = usize>) -> usize {
    shape.fold(1, usize::saturating_mul)
}

impl Decl {
    /// The declaration with numbers of values that stand for all of the same order of magnitude: as many as there are
    /// coordinates where every one has a value, fewer where not.
    #[must_use]
    pub fn with_typical_counts(self) -> Decl {
        let Some(shape) = self.shape.as_deref() else { return self };
        let all = coordinates(shape.iter().map(|&n| typical_size(n)));
        let typical = |n: usize| match compare_with_coordinates(n, shape) {
            Ordering::Less => typical_count(n).min(all),
            Ordering::Equal => all,
            Ordering::Greater => typical_count(n).max(all),
        };
        let (stored, elements) = (self.stored.map(typical), self.elements.map(typical));
        Decl { stored, elements, ..self }
    }
}

impl Assignment {
    /// Gives every variable the size that stands for all of the same order of magnitude, but for those of `dims`.
    pub fn round_sizes(&mut self, dims: &BTreeMap<String, usize>) {
        for v in self.indices.ids() {
            let index = &mut self.indices[v];
            if !dims.contains_key(&index.name) {
                index.size = index.size.map(typical_size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_stand_for_others_are_of_their_order() {
        for n in (0..70).chain((0..40).flat_map(|k| [(1usize << k) - 1, 1 << k, (1 << k) + 1])) {
            assert_eq!(size_order(typical_size(n)), size_order(n), "{n}");
            assert_eq!(count_order(typical_count(n)), count_order(n), "{n}");
            assert_eq!(typical_size(typical_size(n)), typical_size(n));
        }
    }

    #[test]
    fn full_tensors_stay_full_and_others_have_gaps() {
        let counts = |n: usize| {
            let decl = Decl { shape: Some(vec![100, 5]), stored: Some(n), ..Decl::default() };
            decl.with_typical_counts().stored.unwrap()
        };
        assert_eq!([0, 300, 499, 500, 501].map(counts), [24, 384, 384, 576, 576]);
    }
}
