//! Random numbers of our own, so that a seed means the same tensor on every machine and in every version.
//!
//! The generator is xoshiro256++ (Blackman and Vigna), its state filled by SplitMix64 from the seed. Only integer
//! arithmetic and one exact conversion to `f64` are used. Changing anything here changes users' data.

/// A stream of random numbers.
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        let mut s = seed;
        let mut next = || {
            s = s.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (s ^ (s >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Random { state: [next(), next(), next(), next()] }
    }
    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let out = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        out
    }
    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Uniform in `[0, 1)`, a multiple of 2^-24.
    pub(crate) fn unit_f32(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }
    /// Uniform below `n`, which is not 0: as many bits as `n` has, until they are below it.
    pub(crate) fn number_below(&mut self, n: u128) -> u128 {
        let unused = (n - 1).leading_zeros();
        loop {
            let high = if unused < 64 { self.bits() } else { 0 };
            let drawn =
                (((high as u128) << 64) | self.bits() as u128) & (u128::MAX.checked_shr(unused).unwrap_or(0));
            if drawn < n {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_never_changes() {
        let mut r = Random::new(0);
        let first: Vec<u64> = (0..3).map(|_| r.bits()).collect();
        assert_eq!(first, FIRST);
    }
    /// Recorded once; see the head of this file.
    const FIRST: [u64; 3] = [0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc];

    #[test]
    fn draws_stay_below_their_bound_and_reach_everything() {
        let mut r = Random::new(1);
        for n in [1u128, 2, 7, 1 << 64, (1 << 64) + 3, u128::MAX] {
            assert!((0..100).all(|_| r.number_below(n) < n), "{n}");
        }
        let seen: std::collections::BTreeSet<u128> = (0..200).map(|_| r.number_below(7)).collect();
        assert_eq!(seen.len(), 7);
    }
}
