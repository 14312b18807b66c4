//! A deterministic source of random numbers.

/// SplitMix64: small, fast, and the same on every machine.
#[derive(Clone, Debug)]
pub struct TestRandom(u64);

impl TestRandom {
    /// The source that `seed` names.
    pub fn new(seed: u64) -> TestRandom {
        TestRandom(seed)
    }
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// A number below `n`, which is not 0.
    pub fn number_below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.number_below(100) < percent
    }
    /// One of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.number_below(items.len())].clone()
    }
    /// One of the items, as often as its weight says.
    pub fn pick_weighted<T: Clone>(&mut self, items: &[(usize, T)]) -> T {
        let total: usize = items.iter().map(|(w, _)| w).sum();
        let mut left = self.number_below(total);
        for (weight, item) in items {
            if left < *weight {
                return item.clone();
            }
            left -= weight;
        }
        unreachable!("the weights add up to the total")
    }
    /// Puts the items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for n in (1..items.len()).rev() {
            items.swap(n, self.number_below(n + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_algorithm() {
        let mut r = TestRandom::new(1234567);
        assert_eq!([r.bits(), r.bits()], [6457827717110365317, 3203168211198807973]);
    }
}
