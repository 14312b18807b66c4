//! The hash function of coordinates: it says where a table begins to look for one, in stored tables, generated code and
//! workspaces alike.
//!
//! Coordinates are seldom random: rows of a strided slice are multiples of a power of two, columns of a grid lie at a
//! few distances. So every bit of a coordinate must reach the lowest bits of its hash, which choose the bucket.

/// An odd factor whose products differ in about half of their bits where factors differ in one; found by Degski.
pub const FACTOR: i64 = 0xD6E8_FEB8_6659_FD93_u64 as i64;
/// By how much high bits are folded onto low ones.
pub const FOLD: i64 = 32;
/// The bits that are left of a number that is folded.
pub const HIGH: i64 = (1 << FOLD) - 1;
/// The most buckets that a coordinate may lie behind the one where the search for it begins. Tables are half empty, so
/// random coordinates stay below 200 in any memory; beyond this, coordinates were chosen to collide, and are refused
/// before looking them up takes time in proportion to their number.
pub const FARTHEST: i64 = 1024;

/// The hash of an offset; distinct offsets have distinct hashes.
pub fn spread(offset: i64) -> i64 {
    // A shift that brings in the sign would give some offsets the same hash.
    let folded = |h: i64| h ^ ((h >> FOLD) & HIGH);
    let round = |h: i64| folded(h).wrapping_mul(FACTOR);
    folded(round(round(offset)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The farthest that linear probing puts a coordinate behind its start, in a table twice as large.
    fn farthest(offsets: impl ExactSizeIterator<Item = i64>) -> usize {
        let width = (2 * offsets.len()).next_power_of_two();
        let mut taken = vec![false; width];
        let place = |c: i64| {
            let start = spread(c) as usize & (width - 1);
            let far = (0..width).find(|far| !taken[(start + far) & (width - 1)]).expect("half is free");
            taken[(start + far) & (width - 1)] = true;
            far
        };
        offsets.map(place).max().unwrap_or(0)
    }

    #[test]
    fn regular_coordinates_stay_close_to_their_start() {
        let n = 50_000;
        let few = FARTHEST as usize / 4;
        for shift in 0..46 {
            let far = farthest((0..n).map(|i| (i as i64) << shift));
            assert!(far < few, "multiples of 2^{shift}: {far}");
        }
        for stride in
            [3, 1000, 4181, 832_040, 1_346_269, 1_000_003, 999_999_937, 4_294_967_295, 4_294_967_297_i64]
        {
            let far = farthest((0..n).map(|i| i as i64 * stride));
            assert!(far < few, "multiples of {stride}: {far}");
        }
        let grid = (0..n).map(|i| (i as i64 % 250) * (1 << 34) + (i as i64 / 250) * (1 << 12));
        assert!(farthest(grid) < few);
    }
}
