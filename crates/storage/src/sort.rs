//! The sort of entries by the modes of a format.
//!
//! A stable sort by each mode in turn, last mode first, leaves the entries in lexicographic order. Input is often
//! sorted already, or sorted by one mode (the columns of a MatrixMarket file), so every sort first checks whether it
//! has anything to do.

use crate::buffer::Buffer;
use crate::element::Element;
use crate::error::unfit;
use crate::index::{IndexArray, with_index};
use crate::parallel;
use openwork_algebra::DType;
use openwork_base::Result;
use openwork_base::cancel::{Cancel, look, strips, tick};
use std::cmp::Ordering;
use std::marker::PhantomData;

/// Bits of a radix digit: 2048 buckets keep their write positions in the first-level cache.
const DIGIT: u32 = 11;

/// Rows per entry up to which entries are counted by rows.
const PARENTS: usize = 4;
/// Columns per entry up to which entries are counted by columns as well.
const COLUMNS: usize = 1;
/// Entries of the rows that one task sorts.
pub(crate) const BLOCK: usize = 1 << 14;

/// Compares entries `a` and `b` by `keys`, most significant first.
pub(crate) fn compare(keys: &[IndexArray], a: usize, b: usize) -> Ordering {
    keys.iter().map(|k| k.get(a).cmp(&k.get(b))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// The smallest `compare` of neighbours over all entries: `Less` when strictly increasing, `Equal` when sorted with
/// duplicates, `Greater` when unsorted.
pub(crate) fn sortedness(keys: &[IndexArray], n: usize) -> Ordering {
    if n < 2 {
        return Ordering::Less;
    }
    let block = 1 << 15;
    let blocks = (n - 1).div_ceil(block);
    let worst = |b: usize| {
        let range = b * block + 1..n.min((b + 1) * block + 1);
        match keys {
            // The two common cases compare typed slices, which is several times faster than one index at a time.
            [IndexArray::I32(rows), IndexArray::I32(cols)] => {
                scan(range, |e| (rows[e - 1], cols[e - 1]).cmp(&(rows[e], cols[e])))
            }
            [IndexArray::I64(rows), IndexArray::I64(cols)] => {
                scan(range, |e| (rows[e - 1], cols[e - 1]).cmp(&(rows[e], cols[e])))
            }
            [IndexArray::I32(only)] => scan(range, |e| only[e - 1].cmp(&only[e])),
            keys => scan(range, |e| compare(keys, e - 1, e)),
        }
    };
    // An unsorted input is usually unsorted near its beginning, so that is looked at before anything is shared out.
    match worst(0) {
        Ordering::Greater => Ordering::Greater,
        first => parallel::answers(blocks - 1, |b| worst(b + 1)).into_iter().fold(first, Ordering::max),
    }
}

fn scan(range: std::ops::Range<usize>, order: impl Fn(usize) -> Ordering) -> Ordering {
    let mut worst = Ordering::Less;
    for e in range {
        worst = worst.max(order(e));
        if worst == Ordering::Greater {
            break;
        }
    }
    worst
}

/// The order in which the entries are sorted by `keys`, equal ones in their original order; `dims[k]` bounds key `k`.
///
/// # Errors
/// E0602 for more than 2^32 - 1 unsorted entries.
pub(crate) fn order(keys: &[IndexArray], dims: &[usize], n: usize) -> Result<Vec<u32>> {
    if u32::try_from(n).is_err() {
        let help = "sort the entries by the modes of the format before packing them";
        return Err(unfit(format!("sorting {n} entries: at most {} can be sorted", u32::MAX), help));
    }
    if let ([rows, columns], [dim, wide]) = (keys, dims)
        && counts_rows(*dim, *wide, n)
    {
        let dims = [*dim, *wide];
        return if Whole::holds(dims, n) {
            by_rows::<Whole>(*rows, *columns, dims, n).map(|sorted| numbers(&sorted))
        } else {
            by_rows::<Apart>(*rows, *columns, dims, n).map(|sorted| numbers(&sorted))
        };
    }
    let mut order: Option<Vec<u32>> = None;
    for (key, &dim) in keys.iter().zip(dims).rev() {
        Cancel::check()?;
        order = with_index!(*key, s => {
            if dim <= 1 || rises(s, order.as_deref()) {
                order
            } else if u32::try_from(dim).is_ok() {
                Some(by_key(dim, order, n, |e| s[e] as u32))
            } else {
                Some(by_key(dim, order, n, |e| s[e] as u64))
            }
        });
    }
    Ok(order.unwrap_or_else(|| (0..n as u32).collect()))
}

/// The numbers of entries in their order.
fn numbers<K: Packing>(sorted: &SortedRows<K>) -> Vec<u32> {
    let keys = sorted.keys();
    parallel::collect(keys.len(), |e| K::number(keys[e]) as u32)
}

/// Whether entries of a matrix of this shape are counted by rows.
pub(crate) fn counts_rows(rows: usize, columns: usize, n: usize) -> bool {
    rows <= PARENTS * n && u32::try_from(columns).is_ok() && u32::try_from(n).is_ok()
}

/// Entries of a matrix by rows, and in each row by columns.
pub(crate) struct SortedRows<K> {
    keys: Buffer,
    /// Where each row ends.
    pub(crate) ends: Vec<u32>,
    kind: PhantomData<K>,
}

impl<K> SortedRows<K> {
    /// What tells one entry from another, in order.
    pub(crate) fn keys(&self) -> &[u64] {
        self.keys.as_slice().unwrap_or(&[])
    }
    /// Where a row begins among the keys.
    pub(crate) fn begin(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }
}

/// Entries as numbers: from the highest bit on the row, where there is room for it, the column, and the number of the entry.
pub(crate) trait Packing: Sync {
    /// Bits of the column.
    const COLUMN: u32;
    /// Bits of the number.
    const NUMBER: u32;
    /// Whether the row is there.
    const ROW: bool = Self::COLUMN + Self::NUMBER < u64::BITS;

    /// Whether all entries of such a matrix are different numbers in the order of their rows.
    fn holds([rows, columns]: [usize; 2], n: usize) -> bool {
        let below = |n: usize, bits: u32| n as u64 <= 1 << bits;
        let room = u64::BITS - Self::COLUMN - Self::NUMBER;
        Self::ROW && below(rows, room) && below(columns, Self::COLUMN) && below(n, Self::NUMBER)
    }
    fn key(row: u64, column: u64, number: usize) -> u64 {
        let row = if Self::ROW { row << (Self::COLUMN + Self::NUMBER) } else { 0 };
        row | column << Self::NUMBER | number as u64
    }
    /// The row of a key that has one.
    fn row(key: u64) -> usize {
        (key >> (Self::COLUMN + Self::NUMBER)) as usize
    }
    /// What entries at the same place have in common: all but their number.
    fn place(key: u64) -> u64 {
        key >> Self::NUMBER
    }
    /// The column of a place.
    fn column(place: u64) -> u32 {
        (place & ((1 << Self::COLUMN) - 1)) as u32
    }
    /// Which entry it is.
    fn number(key: u64) -> usize {
        (key & ((1 << Self::NUMBER) - 1)) as usize
    }
}

/// Keys with rows, for what fits.
pub(crate) struct Whole;
impl Packing for Whole {
    const COLUMN: u32 = 21;
    const NUMBER: u32 = 22;
}
/// Keys without rows.
pub(crate) struct Apart;
impl Packing for Apart {
    const COLUMN: u32 = 32;
    const NUMBER: u32 = 32;
}

/// The order of entries of a matrix: counted by rows, put there, and each row sorted by itself or, where keys have rows and
/// there are entries enough, put in order by columns before.
pub(crate) fn by_rows<K: Packing>(
    rows: IndexArray,
    columns: IndexArray,
    dims: [usize; 2],
    n: usize,
) -> Result<SortedRows<K>> {
    let mut next = starts(rows, dims[0], n)?;
    let mut buffer = Buffer::zeros_to_write(DType::U64, n)?;
    let keys = buffer.as_mut_slice().unwrap_or(&mut []);
    if K::holds(dims, n) && dims[1] <= COLUMNS * n {
        let mut by_column = Buffer::zeros_to_write(DType::U64, n)?;
        let dealt = by_column.as_mut_slice().unwrap_or(&mut []);
        put::<K>([rows, columns], &mut starts(columns, dims[1], n)?, dealt, |_, column| column);
        for strip in strips(n) {
            for &key in &dealt[strip] {
                let slot = &mut next[K::row(key)];
                keys[*slot as usize] = key;
                *slot += 1;
            }
        }
    } else {
        put::<K>([rows, columns], &mut next, keys, |row, _| row);
        sort_each(keys, &next);
    }
    Cancel::check()?;
    Ok(SortedRows { keys: buffer, ends: next, kind: PhantomData })
}

/// Where the entries of each row, or column, begin: they are counted.
fn starts(coords: IndexArray, dim: usize, n: usize) -> Result<Vec<u32>> {
    let mut next = vec![0u32; dim];
    with_index!(coords, coords => {
        for strip in strips(n) {
            coords[strip].iter().for_each(|&c| next[c as usize] += 1);
        }
    });
    Cancel::check()?;
    next.iter_mut().fold(0, |sum, slot| sum + std::mem::replace(slot, sum));
    Ok(next)
}

/// Puts the key of every entry where those of its row or column have come to: earlier ones come first. Each row or column then
/// ends where the one after it began.
fn put<K: Packing>(
    [rows, columns]: [IndexArray; 2],
    next: &mut [u32],
    keys: &mut [u64],
    by: impl Fn(u64, u64) -> u64,
) {
    with_index!(rows, rows => with_index!(columns, columns => {
        for strip in strips(keys.len()) {
            for ((&row, &column), e) in rows[strip.clone()].iter().zip(&columns[strip.clone()]).zip(strip) {
                let (row, column) = (row as u64, column as u64);
                let slot = &mut next[by(row, column) as usize];
                keys[*slot as usize] = K::key(row, column, e);
                *slot += 1;
            }
        }
    }));
}

/// Sorts the keys of every row.
fn sort_each(keys: &mut [u64], ends: &[u32]) {
    let size = parallel::elements_of_a_task(BLOCK, 1, keys.len());
    let mut tasks: Vec<(usize, &[u32], &mut [u64])> = Vec::new();
    let (mut rest, mut first, mut row) = (keys, 0, 0);
    while row < ends.len() {
        let start = row;
        while row < ends.len() && (ends[row] as usize - first < size || row == start) {
            row += 1;
        }
        let (task, after) = rest.split_at_mut(ends[row - 1] as usize - first);
        tasks.push((first, &ends[start..row], task));
        (rest, first) = (after, ends[row - 1] as usize);
    }
    parallel::for_each_part(tasks, |_, (first, ends, task)| {
        let mut begin = 0;
        for &end in ends {
            let end = end as usize - first;
            let row = &mut task[begin..end];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            begin = end;
        }
    });
}

/// Whether the key never falls along the order so far.
fn rises<K: PartialOrd + Copy>(key: &[K], order: Option<&[u32]>) -> bool {
    look();
    match order {
        None => key.is_sorted(),
        Some(order) => order.is_sorted_by(|&a, &b| key[a as usize] <= key[b as usize]),
    }
}

/// A key of a radix sort.
trait RadixKey: Copy + Default + Send + Sync {
    fn digit(self, shift: u32) -> usize;
}
impl RadixKey for u32 {
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & ((1 << DIGIT) - 1)
    }
}
impl RadixKey for u64 {
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & ((1 << DIGIT) - 1)
    }
}

/// A stable radix sort by one key, on top of the order so far. Keys travel with their entries: reading them through
/// the order in every pass would miss the cache each time.
fn by_key<K: RadixKey>(dim: usize, order: Option<Vec<u32>>, n: usize, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut from: Vec<(K, u32)> = match order {
        None => collect_items((0..n).map(|e| (key(e), e as u32))),
        Some(order) => collect_items(order.into_iter().map(|e| (key(e as usize), e))),
    };
    let mut to = collect_items(std::iter::repeat_n((K::default(), 0u32), n));
    let bits = usize::BITS - (dim - 1).leading_zeros();
    let mut shift = 0;
    while shift < bits {
        let mut next = vec![0usize; 1 << DIGIT];
        for strip in strips(from.len()) {
            from[strip].iter().for_each(|(k, _)| next[k.digit(shift)] += 1);
        }
        let mut sum = 0;
        for slot in &mut next {
            (sum, *slot) = (sum + *slot, sum);
        }
        for strip in strips(from.len()) {
            for &pair in &from[strip] {
                let slot = &mut next[pair.0.digit(shift)];
                to[*slot] = pair;
                *slot += 1;
            }
        }
        std::mem::swap(&mut from, &mut to);
        shift += DIGIT;
    }
    parallel::collect(from.len(), |n| from[n].1)
}

/// A vector on large pages.
fn collect_items<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut out = crate::block::room(items.len());
    out.extend(items.inspect(|_| tick()));
    out
}

/// The order in which entries are sorted by the positions they have, all below `count`; there are at most 2^32 - 1.
pub(crate) fn by_positions(positions: &[usize], count: usize) -> Vec<u32> {
    by_key(count.max(2), None, positions.len(), |e| positions[e] as u64)
}

/// The elements of `items` in the given order.
pub(crate) fn gather<T: Element>(items: &[T], order: &[u32]) -> Result<Buffer> {
    let mut out = Buffer::zeros_to_write(T::DTYPE, order.len())?;
    if let Some(slots) = out.as_mut_slice::<T>() {
        parallel::blocks(slots, 1 << 14, |first, slots| {
            for (slot, &e) in slots.iter_mut().zip(&order[first..]) {
                *slot = items[e as usize];
            }
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_stably_by_every_mode() {
        let mut x = 1u64;
        let mut next = |m: u64| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 33) % m
        };
        for (n, a, b) in [(0, 3, 4), (1, 3, 4), (500, 3, 4), (5000, 100_000, 7), (3000, 5, 1 << 40)] {
            let rows: Vec<i32> = (0..n).map(|_| next(a) as i32).collect();
            let cols: Vec<i64> = (0..n).map(|_| next(b) as i64).collect();
            let keys = [IndexArray::I32(&rows), IndexArray::I64(&cols)];
            let got = order(&keys, &[a as usize, b as usize], n).unwrap();
            let mut want: Vec<u32> = (0..n as u32).collect();
            want.sort_by_key(|&e| (rows[e as usize], cols[e as usize]));
            assert_eq!(got, want);
        }
    }

    #[test]
    fn sortedness_sees_every_block() {
        let n = 200_000;
        let mut key: Vec<i32> = (0..n).collect();
        assert_eq!(sortedness(&[IndexArray::I32(&key)], n as usize), Ordering::Less);
        key[150_000] = key[149_999];
        assert_eq!(sortedness(&[IndexArray::I32(&key)], n as usize), Ordering::Equal);
        key[n as usize - 1] = 0;
        assert_eq!(sortedness(&[IndexArray::I32(&key)], n as usize), Ordering::Greater);
    }
}
