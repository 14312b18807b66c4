//! Loops over index arrays that the compiler makes vectors of: each is compiled once for any machine, and once for those with
//! vectors of 256 bits, which take it where they are.

use crate::element::Element;
use std::ops::Range;

/// A signed integer of an index array.
pub(crate) trait IndexNumber: Element + Ord {
    /// The number, if it is one of this type.
    fn from_usize(n: usize) -> Option<Self>;
    /// The number, which is not negative.
    fn to_usize(self) -> usize;
    /// The largest coordinate of a mode of this size, or of this type where that is less; -1 where there is none.
    fn largest(size: usize) -> Self;
    /// A number with a sign, unless this one is from 0 to `largest`.
    fn signs(self, largest: Self) -> Self;
    /// Negative where one of both is.
    fn or(self, other: Self) -> Self;
    /// Whether a number, such as many taken together, has no sign.
    fn is_right(self) -> bool {
        self >= Self::ZERO
    }
}

macro_rules! number {
    ($T:ty) => {
        impl IndexNumber for $T {
            fn from_usize(n: usize) -> Option<$T> {
                <$T>::try_from(n).ok()
            }
            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }
            fn largest(size: usize) -> $T {
                size.checked_sub(1).map_or(-1, |n| <$T>::try_from(n).unwrap_or(<$T>::MAX))
            }
            #[inline(always)]
            fn signs(self, largest: $T) -> $T {
                self | largest.wrapping_sub(self)
            }
            #[inline(always)]
            fn or(self, other: $T) -> $T {
                self | other
            }
        }
    };
}
number!(i32);
number!(i64);

/// A function for the machine that runs it: `$name` calls `$wide`, where there are vectors of 256 bits, or `$body`.
macro_rules! on_this_machine {
    ($(#[$doc:meta])* $name:ident / $wide:ident = $body:ident <$($T:ident),*> ($($arg:ident: $A:ty),*) -> $R:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $wide<$($T: IndexNumber),*>($($arg: $A),*) -> $R {
            $body($($arg),*)
        }
        $(#[$doc])*
        pub(crate) fn $name<$($T: IndexNumber),*>($($arg: $A),*) -> $R {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has what the function is compiled for.
                return unsafe { $wide($($arg),*) };
            }
            $body($($arg),*)
        }
    };
}

on_this_machine! {
    /// Whether numbers never fall.
    rises / rises_wide = rises_on_any<T>(numbers: &[T]) -> bool
}
on_this_machine! {
    /// Whether numbers are from 0 to `largest`.
    inside / inside_wide = inside_on_any<T>(numbers: &[T], largest: T) -> bool
}
on_this_machine! {
    /// A number that is negative where one of `all[block]` is not from 0 to `largest`, and how many of them are at most the one
    /// before them in `all`. The block has less than 2^32 numbers.
    signs_and_falls / signs_and_falls_wide = signs_and_falls_on_any<T>(all: &[T], block: Range<usize>, largest: T) -> (T, usize)
}

on_this_machine! {
    /// Whether the numbers `all[block]` are from 0 to `largest`, and each is larger than the one before it in `all` where `inside`
    /// has a one for it, and not a zero.
    rises_inside / rises_inside_wide = rises_inside_on_any<T>(all: &[T], block: Range<usize>, largest: T, inside: &[u8]) -> bool
}

/// The numbers of a block and the ones before them, but for the first of all, which has none.
#[inline(always)]
fn neighbours<T>(all: &[T], block: Range<usize>) -> impl Iterator<Item = (&T, &T)> {
    let first = block.start.max(1).min(block.end);
    all[first..block.end].iter().zip(&all[first.saturating_sub(1)..])
}

#[inline(always)]
fn rises_inside_on_any<T: IndexNumber>(all: &[T], block: Range<usize>, largest: T, inside: &[u8]) -> bool {
    let signs = all[block.clone()].iter().fold(T::ZERO, |signs, c| signs.or(c.signs(largest)));
    // The first number of all has none before it.
    let inside = &inside[usize::from(block.start == 0)..];
    let falls = neighbours(all, block)
        .zip(inside)
        .fold(0, |falls, ((b, a), inside)| falls | u8::from(b <= a) & inside);
    signs.is_right() && falls == 0
}

#[inline(always)]
fn inside_on_any<T: IndexNumber>(numbers: &[T], largest: T) -> bool {
    numbers.iter().fold(T::ZERO, |signs, c| signs.or(c.signs(largest))).is_right()
}

#[inline(always)]
fn rises_on_any<T: IndexNumber>(numbers: &[T]) -> bool {
    let Some((_, after)) = numbers.split_first() else { return true };
    // Every pair is looked at: an end that comes early takes a branch for each.
    after.iter().zip(numbers).fold(true, |rises, (b, a)| rises & (a <= b))
}

#[inline(always)]
fn signs_and_falls_on_any<T: IndexNumber>(all: &[T], block: Range<usize>, largest: T) -> (T, usize) {
    let own = &all[block.clone()];
    let signs = own.iter().fold(T::ZERO, |signs, c| signs.or(c.signs(largest)));
    let pairs = neighbours(all, block);
    (signs, pairs.map(|(b, a)| u32::from(b <= a)).sum::<u32>() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the wide function says is what the plain one does.
    fn agree<T: IndexNumber>(
        all: &[T],
        block: Range<usize>,
        largest: T,
        inside: &[u8],
    ) -> (bool, bool, usize, bool) {
        let (signs, falls) = signs_and_falls(all, block.clone(), largest);
        assert_eq!((signs, falls), signs_and_falls_on_any(all, block.clone(), largest));
        let right = rises_inside(all, block.clone(), largest, inside);
        assert_eq!(right, rises_inside_on_any(all, block.clone(), largest, inside));
        assert_eq!(rises(&all[block.clone()]), rises_on_any(&all[block.clone()]));
        assert_eq!(super::inside(&all[block.clone()], largest), signs.is_right());
        (rises(&all[block]), signs.is_right(), falls, right)
    }

    #[test]
    fn numbers_are_seen_wherever_they_are() {
        let ones = [1u8; 100];
        assert_eq!(agree::<i32>(&[], 0..0, -1, &ones), (true, true, 0, true));
        for n in [1usize, 2, 7, 33, 64, 97] {
            let all: Vec<i32> = (0..n as i32).collect();
            assert_eq!(agree(&all, 0..n, n as i32 - 1, &ones), (true, true, 0, true), "{n}");
            for at in 0..n {
                for wrong in [-1, n as i32, i32::MIN, i32::MAX] {
                    let mut all: Vec<i64> = all.iter().map(|&c| i64::from(c)).collect();
                    all[at] = i64::from(wrong);
                    assert!(!agree(&all, 0..n, n as i64 - 1, &ones).1, "{wrong} at {at} of {n}");
                }
                let mut all = all.clone();
                all[at] = 0;
                let falls = usize::from(at > 0);
                let mut inside = ones;
                assert_eq!(agree(&all, 0..n, n as i32 - 1, &inside), (at < 2, true, falls, falls == 0));
                inside[at] = 0;
                assert!(agree(&all, 0..n, n as i32 - 1, &inside).3);
                let inside = &inside[n / 2..];
                let own = usize::from(at >= n / 2 && at > 0);
                assert_eq!(agree(&all, n / 2..n, n as i32 - 1, inside).2, own, "{at} of {n}");
            }
        }
        assert_eq!(i32::largest(0), -1);
        assert_eq!((i32::largest(1 << 40), i64::largest(1 << 40)), (i32::MAX, (1 << 40) - 1));
        assert_eq!((i32::from_usize(1 << 31), i32::from_usize(7)), (None, Some(7)));
    }
}
