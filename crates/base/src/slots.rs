//! Products of sizes: numbers of slots, which may be more than anything can count.

/// How many slots sizes make together. Sizes beyond 64 bits stay too many, whatever they are multiplied by, but nothing
/// times anything is nothing.
///
/// ```
/// use openwork_base::SlotCount;
/// assert_eq!(SlotCount::product(&[3, 4]).count(), Some(12));
/// assert_eq!(SlotCount::product(&[1 << 32, 1 << 32]).count(), None);
/// assert_eq!(SlotCount::product(&[1 << 32, 1 << 32, 0]).count(), Some(0));
/// assert_eq!(SlotCount::product(&[1 << 40, 1 << 20]).bytes(8), 1 << 63);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotCount(u128);

impl SlotCount {
    /// One slot: the product of no sizes.
    pub const ONE: SlotCount = SlotCount(1);

    /// The product of sizes.
    pub fn product<'a>(sizes: impl IntoIterator<Item = &'a usize>) -> SlotCount {
        sizes.into_iter().fold(SlotCount::ONE, |all, &size| all.times(size))
    }
    /// So many slots in place of each.
    #[must_use]
    pub fn times(self, size: usize) -> SlotCount {
        SlotCount(self.0.saturating_mul(size as u128))
    }
    /// How many there are, if an array can have so many elements.
    pub fn count(self) -> Option<usize> {
        usize::try_from(self.0).ok().filter(|&n| n <= isize::MAX as usize)
    }
    /// How many there are, or the most that an array can have elements: for estimates.
    pub fn saturate(self) -> usize {
        self.count().unwrap_or(isize::MAX as usize)
    }
    /// The bytes that they take, each so many.
    pub fn bytes(self, each: usize) -> u128 {
        self.0.saturating_mul(each as u128)
    }
}
