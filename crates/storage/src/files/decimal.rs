//! The nearest `f64` to `digits * 10^power`, for numbers with up to nineteen digits and moderate powers.
//!
//! This is the method of Eisel and Lemire ("Number parsing at a gigabyte per second", 2021): the digits times a
//! 128-bit approximation of the power of five give more bits than an `f64` needs, and the few bits that could hide
//! a rounding error are looked at. Powers beyond the table are left to the caller.

/// Powers from `-REACH` to `REACH` are in the table; powers of five up to here are exact in 128 bits.
const REACH: i64 = 54;

/// For each power the leading 128 bits of `5^power`, high half first.
static FIVES: [(u64, u64); 2 * REACH as usize + 1] = fives();

const fn fives() -> [(u64, u64); 2 * REACH as usize + 1] {
    let mut table = [(0, 0); 2 * REACH as usize + 1];
    let mut power = 1u128;
    let mut n = 0;
    while n <= REACH as usize {
        let exact = power << power.leading_zeros();
        table[REACH as usize + n] = halves(exact);
        if n > 0 {
            table[REACH as usize - n] = halves(reciprocal(power, n));
        }
        power = power.wrapping_mul(5);
        n += 1;
    }
    table
}

const fn halves(x: u128) -> (u64, u64) {
    ((x >> 64) as u64, x as u64)
}

/// The leading 128 bits of `1 / divisor` by long division in binary. They are rounded up for powers to -27 and down
/// beyond, as the error bounds of the method ask for.
const fn reciprocal(divisor: u128, n: usize) -> u128 {
    let (mut quotient, mut rest) = (0u128, 1u128);
    while quotient.leading_zeros() > 0 {
        rest <<= 1;
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
    }
    if n <= 27 { quotient + 1 } else { quotient }
}

/// `digits * 10^power` as the nearest `f64` (ties to even), for `digits` that are not zero. `None` when the power is
/// beyond the table.
#[inline(always)]
pub(super) fn nearest(digits: u64, power: i64) -> Option<f64> {
    let &(high, low) = FIVES.get(usize::try_from(power + REACH).ok()?)?;
    let zeros = digits.leading_zeros();
    let scaled = (digits as u128) << zeros;
    let product = scaled * high as u128;
    let (mut top, mut bottom) = ((product >> 64) as u64, product as u64);
    // Only if the bits below the rounding position are all ones can the low half of the power matter.
    if top & 0x1ff == 0x1ff {
        let more = ((scaled * low as u128) >> 64) as u64;
        let (sum, carry) = bottom.overflowing_add(more);
        (top, bottom) = (top + carry as u64, sum);
    }
    let first = (top >> 63) as i64;
    let shift = first + 9;
    // 54 bits: those of an `f64` and one to round by.
    let mut mantissa = top >> shift;
    // A product that lies exactly between two numbers goes to the even one; that takes an exact power of five.
    if bottom <= 1 && (-4..=23).contains(&power) && mantissa & 3 == 1 && mantissa << shift == top {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    // floor(log2(10^power)) by a multiplication that is exact over the whole table.
    let log2 = (217_706 * power) >> 16;
    let mut exponent = log2 + 63 + first - zeros as i64 + 1023;
    if mantissa >> 53 != 0 {
        mantissa >>= 1;
        exponent += 1;
    }
    Some(f64::from_bits((exponent as u64) << 52 | (mantissa & ((1 << 52) - 1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_over_the_whole_table() {
        let mut x = 1u64;
        for n in 0..400_000u64 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let digits = (x >> (n % 64)).min(9_999_999_999_999_999_999);
            let power = (n / 64) as i64 % (2 * REACH + 1) - REACH;
            if digits > 0 {
                let want: f64 = format!("{digits}e{power}").parse().unwrap();
                assert_eq!(
                    nearest(digits, power).map(f64::to_bits),
                    Some(want.to_bits()),
                    "{digits}e{power}"
                );
            }
        }
        assert_eq!((nearest(1, REACH + 1), nearest(1, -REACH - 1)), (None, None));
    }

    #[test]
    fn halfway_cases_go_to_the_even_neighbour() {
        for base in [1u64 << 53, 1 << 54, (1 << 53) + 2, (1 << 60) + (1 << 30)] {
            for d in 0..40 {
                let want: f64 = (base + d).to_string().parse().unwrap();
                assert_eq!(nearest(base + d, 0), Some(want));
                if let Some(tenfold) = (base + d).checked_mul(10) {
                    assert_eq!(nearest(tenfold, -1), Some(want));
                }
            }
        }
    }
}
