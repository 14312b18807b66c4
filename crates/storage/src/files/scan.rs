//! The scanner of numbers in text.
//!
//! Eight bytes are looked at together: which of them are digits, and what number the digits are, take a handful of
//! arithmetic operations and no branch that depends on the digits.

use super::decimal;
use super::text::PAD;

/// A reading position in bytes that are followed by [`PAD`] line ends. The position never passes the first of those by
/// more than one: nothing but [`TextCursor::advance`] and [`TextCursor::next_line`] moves over a line end, and both stop there.
pub(super) struct TextCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// Digits that always fit in 64 bits.
const EXACT_DIGITS: usize = 19;

/// 10^0 to 10^22: the powers of ten that are exact in an `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
const SCALE: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// How many of the low bytes of `word` are digits before the first other byte, and their values at the high end of
/// the second result (zeros below).
#[inline(always)]
fn leading_digits(word: u64) -> (usize, u64) {
    // Digits become 0..=9. Adding 0x76 carries into the top bit of any larger byte; a carry out of such a byte only
    // disturbs bytes above it, and only the lowest one counts.
    let values = word ^ (ONES * 0x30);
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    let n = (others.trailing_zeros() / 8) as usize;
    // A shift by 64 (no digits) is taken modulo 64, so that case is blanked out.
    (n, values.wrapping_shl(64 - 8 * n as u32) & ((n > 0) as u64).wrapping_neg())
}

/// The number of eight digit values, the first in the lowest byte.
#[inline(always)]
fn eight_digits(values: u64) -> u64 {
    let pairs = (values.wrapping_mul(10) + (values >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// Whether the byte separates numbers on a line.
#[inline(always)]
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

impl<'a> TextCursor<'a> {
    /// A cursor at the start of `bytes`, whose last [`PAD`] bytes are line ends that do not belong to the text.
    ///
    /// # Panics
    /// If the padding is missing, because every read relies on it.
    pub(super) fn new(bytes: &'a [u8]) -> TextCursor<'a> {
        let padding = bytes.len().checked_sub(PAD).map(|end| &bytes[end..]);
        assert!(padding.is_some_and(|p| p.iter().all(|&b| b == b'\n')), "the text is padded");
        TextCursor { bytes, at: 0 }
    }
    /// The next byte's place in the text.
    #[inline(always)]
    pub(super) fn position(&self) -> usize {
        self.at
    }
    /// Moves to a place in the text; places beyond its end mean the end.
    pub(super) fn seek(&mut self, at: usize) {
        self.at = at.min(self.bytes.len() - PAD);
    }
    /// Moves over the line end that is next.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.bytes.len() - PAD + 1);
    }
    /// The next byte; a line end behind the last one.
    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        debug_assert!(self.at < self.bytes.len());
        // SAFETY: the position is at most one past the first of the `PAD` bytes at the end of `bytes`.
        unsafe { *self.bytes.get_unchecked(self.at) }
    }
    #[inline(always)]
    fn word(&self) -> u64 {
        debug_assert!(self.at + 8 <= self.bytes.len());
        // SAFETY: as for `peek`; `PAD` is larger than nine, and the load does not ask for alignment.
        u64::from_le(unsafe { self.bytes.as_ptr().add(self.at).cast::<u64>().read_unaligned() })
    }
    /// Skips blanks within the line.
    #[inline(always)]
    pub(super) fn spaces(&mut self) {
        while is_space(self.peek()) {
            self.at += 1;
        }
    }
    /// Whether the next byte ends a number.
    #[inline(always)]
    pub(super) fn at_gap(&self) -> bool {
        let b = self.peek();
        b == b' ' || b == b'\n' || is_space(b)
    }
    /// Skips the rest of the line and its end.
    pub(super) fn next_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(0);
        self.advance();
    }
    /// The bytes up to the next blank or line end, without moving.
    pub(super) fn token(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&b| b == b'\n' || is_space(b)).unwrap_or(rest.len());
        &rest[..end]
    }
    /// Appends the digits that follow to `number` and returns how many there were; the number is only right for at
    /// most 19 digits in all.
    #[inline(always)]
    fn digits(&mut self, number: &mut u64) -> usize {
        let (n, values) = leading_digits(self.word());
        *number = number.wrapping_mul(SCALE[n]).wrapping_add(eight_digits(values));
        self.at += n;
        if n < 8 { n } else { self.more_digits(number) }
    }
    fn more_digits(&mut self, number: &mut u64) -> usize {
        let mut count = 8;
        loop {
            let (n, values) = leading_digits(self.word());
            *number = number.wrapping_mul(SCALE[n]).wrapping_add(eight_digits(values));
            self.at += n;
            count += n;
            if n < 8 {
                return count;
            }
        }
    }
    /// An unsigned number; `None`, without moving, when there is none or it does not fit.
    #[inline(always)]
    pub(super) fn take_unsigned(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number = 0;
        let n = self.digits(&mut number);
        if n == 0 || n > EXACT_DIGITS {
            self.at = start;
            return self.long_unsigned(n);
        }
        Some(number)
    }
    /// Twenty digits and more: leading zeros, or the top of the range.
    #[cold]
    fn long_unsigned(&mut self, n: usize) -> Option<u64> {
        let text = std::str::from_utf8(self.bytes.get(self.at..self.at + n)?).ok()?;
        let number = text.parse().ok()?;
        self.at += n;
        Some(number)
    }
    /// A whole number with an optional sign; `None`, without moving, when there is none.
    #[inline(always)]
    pub(super) fn take_signed(&mut self) -> Option<i128> {
        let start = self.at;
        let sign = self.peek();
        if sign == b'-' || sign == b'+' {
            self.at += 1;
        }
        let Some(number) = self.take_unsigned() else {
            self.at = start;
            return None;
        };
        Some(if sign == b'-' { -(number as i128) } else { number as i128 })
    }
    /// A decimal number: `1`, `-.5`, `1.0e-3`, `1.0D+03`, `inf`, `nan`; the nearest `f64`, always. `None`, without
    /// moving, when there is none.
    #[inline(always)]
    pub(super) fn real(&mut self) -> Option<f64> {
        let start = self.at;
        // Signs are as good as random, so they are taken without a branch.
        let negative = self.peek() == b'-';
        self.at += (negative | (self.peek() == b'+')) as usize;
        let mut mantissa = 0;
        let mut count = self.digits(&mut mantissa);
        let mut power = 0;
        if self.peek() == b'.' {
            self.at += 1;
            let fraction = self.digits(&mut mantissa);
            count += fraction;
            power = -(fraction as i64);
        }
        if !self.at_gap() {
            match self.exponent() {
                Some(e) => power += e,
                None => return self.odd_real(start),
            }
        }
        if count.wrapping_sub(1) >= EXACT_DIGITS {
            return self.odd_real(start);
        }
        // The mantissa and the power of ten are both exact, so the one operation rounds correctly (Clinger's case).
        let value = if mantissa <= 1 << 53 && power.unsigned_abs() <= 22 {
            let m = mantissa as f64;
            let size = POWERS[power.unsigned_abs() as usize];
            if power < 0 { m / size } else { m * size }
        } else {
            match decimal::nearest(mantissa, power) {
                Some(value) if mantissa != 0 => value,
                _ => return self.odd_real(start),
            }
        };
        Some(f64::from_bits(value.to_bits() | (negative as u64) << 63))
    }
    /// `e-3`, `D+03`: the exponent, or `None` when that is not what follows.
    #[inline(always)]
    fn exponent(&mut self) -> Option<i64> {
        if !matches!(self.peek(), b'e' | b'E' | b'd' | b'D') {
            return None;
        }
        self.at += 1;
        let negative = self.peek() == b'-';
        if negative || self.peek() == b'+' {
            self.at += 1;
        }
        let mut number = 0;
        let n = self.digits(&mut number);
        if n == 0 || n > 8 {
            return None;
        }
        Some(if negative { -(number as i64) } else { number as i64 })
    }
    /// Everything else that is a number: many digits, large exponents, `inf`, `nan`.
    #[inline(never)]
    fn odd_real(&mut self, start: usize) -> Option<f64> {
        self.at = start;
        let token = self.token();
        let body = token.strip_prefix(b"+").unwrap_or(token);
        if token.len() > body.len() && matches!(body.first(), Some(b'+' | b'-')) {
            return None;
        }
        let value = match fast_float2::parse(body) {
            Ok(value) => value,
            Err(_) => fortran_real(body)?,
        };
        self.at += token.len();
        Some(value)
    }
}

/// A number with Fortran's `D` for the exponent. Of all spellings of a number only this one has a `d` after a digit
/// or a point, so `infinity` and `nan` cannot get here by a detour.
fn fortran_real(token: &[u8]) -> Option<f64> {
    let d = token.iter().position(|b| matches!(b, b'd' | b'D')).filter(|&d| d > 0)?;
    if !(token[d - 1].is_ascii_digit() || token[d - 1] == b'.') {
        return None;
    }
    let mut text = token.to_vec();
    text[d] = b'e';
    fast_float2::parse(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pad_text(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len() + PAD, b'\n');
        bytes
    }
    fn real(text: &str) -> Option<f64> {
        let bytes = pad_text(text);
        let mut c = TextCursor::new(&bytes);
        c.real().filter(|_| c.at == text.len() && c.at_gap())
    }

    #[test]
    fn whole_numbers_of_every_length() {
        for text in [
            "0",
            "7",
            "42",
            "1234567",
            "12345678",
            "123456789",
            "0000000000000000000000012",
            "18446744073709551615",
        ] {
            let bytes = pad_text(text);
            let mut c = TextCursor::new(&bytes);
            assert_eq!(c.take_unsigned(), text.parse().ok(), "{text}");
            assert_eq!(c.position(), text.len());
        }
        for text in ["", "x", "-1", "18446744073709551616", "99999999999999999999999999"] {
            let bytes = pad_text(text);
            let mut c = TextCursor::new(&bytes);
            assert_eq!((c.take_unsigned(), c.at), (None, 0), "{text}");
        }
    }

    #[test]
    fn reals_agree_with_the_standard_library_to_the_last_bit() {
        let mut x = 88172645463325252u64;
        let mut texts: Vec<String> = Vec::new();
        for n in 0..20_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let v = f64::from_bits(x);
            texts.push(match n % 6 {
                0 => format!("{v}").chars().take(40).collect(),
                1 => format!("{v:e}"),
                2 => format!("{:.6}", (x % 1_000_000_007) as f64 / 977.0),
                3 => format!("{}e{}", x % 100_000, x % 50),
                4 => format!("-{}.{}E-{}", x % 977, x % 1_000_003, x % 40),
                _ => format!("{:.17}", (x >> 11) as f64 / (1u64 << 53) as f64),
            });
        }
        for text in texts
            .iter()
            .map(String::as_str)
            .chain(["1.", ".5", "-.5", "0", "-0", "1e400", "1e-400", "+3.5", "-0.0e-5"])
        {
            let want: f64 = text.parse().unwrap();
            let got = real(text).unwrap_or_else(|| panic!("{text}"));
            assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()), "{text}: {got}");
        }
    }

    #[test]
    fn special_and_fortran_spellings() {
        assert_eq!(real("1.0D+03"), Some(1000.0));
        assert_eq!(real("12345678901234567890.5d-3"), Some(12345678901234567.8905));
        assert_eq!(real("-inf"), Some(f64::NEG_INFINITY));
        assert_eq!(real("Infinity"), Some(f64::INFINITY));
        assert!(real("NaN").is_some_and(f64::is_nan));
        for text in ["", ".", "-", "+-1", "1e", "1e+", "1x", "0x10", "1.2.3", "e5", "1d", "nad", "--1"] {
            assert_eq!(real(text), None, "{text:?}");
        }
    }
}
